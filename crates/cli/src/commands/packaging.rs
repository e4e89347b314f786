//! `evenhand completions` and `evenhand man`: what packagers need, made from the options themselves.

use std::io::Error;
use std::path::Path;

use clap::CommandFactory;
use evenhand_source::nearest;

use crate::arguments::{Cli, CompletionsArguments, ManArguments};
use crate::console::{complain, print_as_it_is};
use crate::destination::{Destination, Sources};
use crate::manual;
use crate::outcome::Outcome;

/// Writes the completions for a shell.
pub(crate) fn completions(arguments: &CompletionsArguments) -> Outcome {
    let mut out = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "evenhand", &mut out);
    print_as_it_is(&String::from_utf8_lossy(&out));
    Outcome::Holds
}

/// Writes a manual page, or all of them into a folder.
pub(crate) fn man(arguments: &ManArguments) -> Outcome {
    let mut root = Cli::command();
    root.build();
    let mut pages = vec![("evenhand".to_string(), root.clone())];
    for command in root.get_subcommands() {
        if command.get_name() == "help" {
            continue;
        }
        let name = format!("evenhand-{}", command.get_name());
        pages.push((name, command.clone()));
    }
    let written = match (&arguments.command, &arguments.all) {
        (_, Some(folder)) => write_all(&pages, folder),
        (None, None) => render(&pages, &pages[0].0, &pages[0].1).map(|page| print_as_it_is(&page)),
        (Some(name), None) => {
            let wanted = format!("evenhand-{name}");
            let Some((_, page)) = pages.iter().find(|(n, _)| *n == wanted) else {
                let names = root.get_subcommands().map(clap::Command::get_name);
                let hint = nearest(name, names)
                    .map_or_else(String::new, |n| format!("; did you mean `{n}`?"));
                complain(&format!("there is no command `{name}`{hint}"));
                return Outcome::Wrong;
            };
            render(&pages, &wanted, page).map(|page| print_as_it_is(&page))
        }
    };
    match written {
        Ok(()) => Outcome::Holds,
        Err(error) => {
            complain(&format!("cannot write the pages: {error}"));
            Outcome::Wrong
        }
    }
}

fn write_all(pages: &[(String, clap::Command)], folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (name, command) in pages {
        let page = render(pages, name, command)?;
        let path = folder.join(format!("{name}.1"));
        Destination::new("--all", &path, &Sources::default())
            .and_then(|destination| destination.write(&page))
            .map_err(|diagnostic| Error::other(diagnostic.message))?;
    }
    Ok(())
}

fn render(
    pages: &[(String, clap::Command)],
    name: &str,
    command: &clap::Command,
) -> std::io::Result<String> {
    let all: Vec<String> = pages.iter().map(|(name, _)| name.clone()).collect();
    manual::page(name, command, &all)
}
