//! Manual pages from the options themselves: what `--help` says, in the sections that people expect.
//!
//! The lists of options and commands are written by `clap_mangen`. The text below the options of
//! `--help` is ours: paragraphs that begin with `Examples:`, `Exit status:` or `Fairness:` become
//! sections, the others belong to the description; lines that are indented stay as they are.

use std::io::{Result, Write};

use clap::Command;
use clap_mangen::Man;

/// Paragraphs that begin like this are sections of their own, in this order.
const SECTIONS: [(&str, &str); 3] = [
    ("Fairness:", "FAIRNESS"),
    ("Exit status:", "EXIT STATUS"),
    ("Examples:", "EXAMPLES"),
];

/// The page of a command; `all` are the names of all pages.
///
/// # Errors
/// Never, since it is written into memory.
pub(super) fn page(name: &str, command: &Command, all: &[String]) -> Result<String> {
    let mut out = Vec::new();
    let man = Man::new(command.clone())
        .title(name.to_uppercase())
        // No date: it would be lost, and what follows with it, if it were empty.
        .date(" ")
        .source(concat!("evenhand ", env!("CARGO_PKG_VERSION")))
        .manual("Evenhand");
    man.render_title(&mut out)?;
    man.render_name_section(&mut out)?;
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim().trim_start_matches("Usage: ");
    let (called, arguments) = match usage.find(['[', '<']) {
        Some(at) => usage.split_at(at),
        None => (usage, ""),
    };
    writeln!(out, ".SH SYNOPSIS\n.B {}", escaped(called.trim_end()))?;
    writeln!(out, "{}", escaped(arguments))?;
    man.render_description_section(&mut out)?;
    let after = command.get_after_help().map(ToString::to_string);
    let after = after.unwrap_or_default();
    let paragraphs: Vec<&str> = after.split("\n\n").filter(|p| !p.is_empty()).collect();
    let section_of = |paragraph: &&&str| {
        let known = SECTIONS.iter();
        known.clone().any(|(start, _)| paragraph.starts_with(start))
    };
    for paragraph in paragraphs.iter().filter(|p| !section_of(p)) {
        writeln!(out, ".PP")?;
        write_paragraph(&mut out, paragraph)?;
    }
    if command.get_subcommands().next().is_none() {
        man.render_options_section(&mut out)?;
    } else {
        man.render_subcommands_section(&mut out)?;
        man.render_options_section(&mut out)?;
    }
    for (start, title) in SECTIONS {
        let own = paragraphs.iter().filter_map(|p| p.strip_prefix(start));
        for (number, paragraph) in own.enumerate() {
            match number {
                0 => writeln!(out, ".SH {title}")?,
                _ => writeln!(out, ".PP")?,
            }
            write_paragraph(&mut out, paragraph.trim_start_matches(['\n', ' ']))?;
        }
    }
    let others = all.iter().filter(|other| *other != name);
    let others: Vec<String> = others.map(|n| format!(".BR {} (1)", escaped(n))).collect();
    writeln!(out, ".SH SEE ALSO\n{}", others.join(" ,\n"))?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// A paragraph: lines that are indented, or all if the first one is a command, stay as they are.
fn write_paragraph(out: &mut Vec<u8>, paragraph: &str) -> Result<()> {
    let mut fixed = false;
    for line in paragraph.lines() {
        let is_fixed = line.starts_with(' ') || line.starts_with("evenhand ");
        if is_fixed != fixed {
            writeln!(out, "{}", if is_fixed { ".RS 4\n.nf" } else { ".fi\n.RE" })?;
            fixed = is_fixed;
        }
        writeln!(out, "{}", escaped(line.trim_start()))?;
    }
    if fixed {
        writeln!(out, ".fi\n.RE")?;
    }
    Ok(())
}

/// A text that says nothing to the formatter.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    match text.starts_with(['.', '\'']) {
        true => format!("\\&{text}"),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_say_nothing_to_the_formatter() {
        assert_eq!(escaped(".so x"), "\\&.so x");
        assert_eq!(escaped("'a' -b \\n"), "\\&'a' \\-b \\en");
    }

    #[test]
    fn paragraphs_become_sections() {
        let command = Command::new("x")
            .bin_name("evenhand x")
            .display_name("evenhand-x")
            .about("Do it")
            .after_help(
                "Some words:\n  fixed  line\nand on.\n\nExamples:\n  evenhand x -y\n\nExit status: 0.",
            );
        let all = ["evenhand".to_string(), "evenhand-x".to_string()];
        let page = page("evenhand-x", &command, &all).expect("it is written");
        let words = ".PP\nSome words:\n.RS 4\n.nf\nfixed  line\n.fi\n.RE\nand on.\n";
        assert!(page.contains(words), "{page}");
        assert!(page.contains(".SH EXIT STATUS\n0.\n.SH EXAMPLES\n.RS 4\n.nf\nevenhand x \\-y\n"));
        assert!(page.ends_with(".SH SEE ALSO\n.BR evenhand (1)\n"), "{page}");
        assert!(page.contains(".TH EVENHAND-X 1 "), "{page}");
    }
}
