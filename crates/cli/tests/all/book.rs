//! The book is run: every command that it shows, with its output compared; every link is followed.
//!
//! In `README.md` and `docs/*.md`
//!
//! - a block ```` ```console ```` holds commands (`$ evenhand …`) and what they print. A line `…`
//!   stands for any lines, `…` within a line for any text; seconds do not count. `$ echo $?` shows
//!   an exit status; `$ printf 'a\nb\n' | evenhand …` gives the command something to read;
//! - commands in a block ```` ```sh ```` are run too, and must be meaningful calls: what they print
//!   is not shown. Only calls of `evenhand` are run, also as `cargo run --release --`;
//! - a block behind `<!-- file: NAME -->` is a file that the commands below it find.
//!
//! All commands of a page run in one folder of their own that has the repository's models in it. To
//! write the output anew after a change of the wording, run this test with `EVENHAND_REGENERATE=1`
//! and read what changed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use evenhand_testkit::piped;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages of the book, README first.
fn pages() -> Vec<PathBuf> {
    let folder = std::fs::read_dir(root().join("docs")).expect("docs");
    let mut pages: Vec<PathBuf> = folder.map(|entry| entry.expect("a page").path()).collect();
    pages.retain(|path| path.extension().is_some_and(|e| e == "md"));
    pages.sort();
    pages.insert(0, root().join("README.md"));
    pages
}

/// Where the commands of a page run: a folder with the models that the repository has.
struct Workshop {
    folder: PathBuf,
    status: Option<i32>,
}

impl Workshop {
    fn new(name: &str) -> Workshop {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("book-{name}"));
        let _ = std::fs::remove_dir_all(&folder);
        for models in ["models", "benches/models", "crates/cli/tests/all/advise"] {
            copy(&root().join(models), &folder.join(models));
        }
        Workshop {
            folder,
            status: None,
        }
    }

    /// What a command prints; none if it is not one that can be run here.
    fn run(&mut self, command: &str) -> Option<String> {
        if command == "echo $?" {
            return Some(format!("{}\n", self.status?));
        }
        let words = words(command);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (input, words) = match words.as_slice() {
            ["printf", text, "|", rest @ ..] => (text.replace("\\n", "\n"), rest),
            all => (String::new(), all),
        };
        let arguments = match words {
            ["evenhand", rest @ ..] | ["cargo", "run", "--release", "--", rest @ ..] => rest,
            _ => return None,
        };
        let mut command = Command::new(env!("CARGO_BIN_EXE_evenhand"));
        command
            .args(arguments)
            .current_dir(&self.folder)
            .env_remove("NO_COLOR");
        let output = piped(&mut command, &input).expect("evenhand runs");
        self.status = output.status.code();
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        Some(without_times(&text))
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("models") {
        let path = entry.expect("a model").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).expect("the folder is writable");
        }
    }
}

/// The words of a command; quotes keep words together.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in command.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The same text with all seconds alike: `0.37 s` is `0.00 s`.
fn without_times(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let number = &rest[start..];
        let length = number
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(number.len());
        let (number, behind) = number.split_at(length);
        out.push_str(&rest[..start]);
        let next = behind.strip_prefix(" s").and_then(|b| b.chars().next());
        let is_time = number.contains('.') && next.is_some_and(|c| !c.is_alphanumeric());
        out.push_str(if is_time { "0.00" } else { number });
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// Whether lines are those expected: `…` alone stands for any lines.
fn fits(expected: &[&str], found: &[&str]) -> bool {
    match (expected.split_first(), found.split_first()) {
        (None, None) => true,
        (Some((&"…", rest)), _) => (0..=found.len()).any(|skip| fits(rest, &found[skip..])),
        (Some((wanted, expected)), Some((line, found))) => {
            fits_line(wanted, line) && fits(expected, found)
        }
        _ => false,
    }
}

/// Whether a line is the one expected: `…` stands for any text.
fn fits_line(expected: &str, found: &str) -> bool {
    let Some((start, rest)) = expected.split_once('…') else {
        return expected.trim_end() == found.trim_end();
    };
    let Some(found) = found.strip_prefix(start) else {
        return false;
    };
    let mut places = found.char_indices().map(|(at, _)| at).chain([found.len()]);
    places.any(|at| fits_line(rest, &found[at..]))
}

/// A page as it should be, and what was different.
struct Reading {
    text: String,
    differences: Vec<String>,
    commands: usize,
}

/// Reads a page from top to bottom and does what it says.
fn read(page: &Path) -> Reading {
    let name = page.file_name().expect("a name").to_string_lossy();
    let text = std::fs::read_to_string(page).expect("a page");
    let mut workshop = Workshop::new(&name);
    let mut reading = Reading {
        text: String::new(),
        differences: Vec::new(),
        commands: 0,
    };
    let mut file: Option<String> = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let _ = writeln!(reading.text, "{line}");
        let named = line.strip_prefix("<!-- file: ");
        if let Some(named) = named.and_then(|rest| rest.strip_suffix(" -->")) {
            file = Some(named.to_string());
        }
        let Some(language) = line.strip_prefix("```") else {
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|l| *l != "```").collect();
        if let Some(file) = file.take() {
            let path = workshop.folder.join(file);
            std::fs::write(path, block.join("\n") + "\n").expect("the folder is writable");
        }
        match language {
            "console" => console(&name, &block, &mut workshop, &mut reading),
            "sh" => {
                shell(&name, &block, &mut workshop, &mut reading);
                reading.text.push_str(&(block.join("\n") + "\n"));
            }
            _ => block.iter().for_each(|line| {
                let _ = writeln!(reading.text, "{line}");
            }),
        }
        reading.text.push_str("```\n");
    }
    reading
}

/// Runs the commands of a block and compares what they print.
fn console(name: &str, block: &[&str], workshop: &mut Workshop, reading: &mut Reading) {
    if !block.first().is_some_and(|line| line.starts_with("$ ")) {
        let first = block.first().unwrap_or(&"");
        let message = format!("{name}: a console block must begin with a command: {first}");
        reading.differences.push(message);
    }
    let mut lines = block.iter().copied().peekable();
    while let Some(line) = lines.next() {
        let _ = writeln!(reading.text, "{line}");
        let Some(command) = line.strip_prefix("$ ") else {
            continue;
        };
        let mut expected = Vec::new();
        while let Some(line) = lines.next_if(|l| !l.starts_with("$ ")) {
            expected.push(line);
        }
        let Some(found) = workshop.run(command) else {
            let message = format!("{name}: `{command}` cannot be run by this test");
            reading.differences.push(message);
            continue;
        };
        reading.commands += 1;
        // A block does not end in empty lines, nor does what is printed before the next command.
        let found: Vec<&str> = found.trim_end().lines().collect();
        let is_same = fits(&expected, &found);
        if !is_same {
            let found = found.join("\n");
            let message = format!("{name}: `{command}` prints\n{found}\n");
            reading.differences.push(message);
        }
        for line in if is_same { expected } else { found } {
            let _ = writeln!(reading.text, "{}", line.trim_end());
        }
    }
}

/// Runs the calls of `evenhand` in a block: they must have a meaning.
fn shell(name: &str, block: &[&str], workshop: &mut Workshop, reading: &mut Reading) {
    for command in block {
        let Some(found) = workshop.run(command) else {
            continue;
        };
        reading.commands += 1;
        if !matches!(workshop.status, Some(0 | 1)) {
            let message = format!("{name}: `{command}` fails:\n{found}");
            reading.differences.push(message);
        }
    }
}

#[test]
fn every_command_of_the_book_prints_what_the_book_says() {
    let mut differences = Vec::new();
    let mut commands = 0;
    for page in pages() {
        let reading = read(&page);
        commands += reading.commands;
        if std::env::var_os("EVENHAND_REGENERATE").is_some() {
            std::fs::write(&page, &reading.text).expect("the book is writable");
            continue;
        }
        differences.extend(reading.differences);
    }
    println!("{commands} commands");
    assert!(commands >= 40, "only {commands} commands were found");
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn every_link_of_the_book_leads_somewhere() {
    let mut broken = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("a page");
        let folder = page.parent().expect("a folder");
        for (_, rest) in text
            .match_indices("](")
            .map(|(at, _)| text.split_at(at + 2))
        {
            let target = rest.split(')').next().unwrap_or_default();
            let path = target.split('#').next().unwrap_or_default();
            if target.contains("://") || path.is_empty() {
                continue;
            }
            if !folder.join(path).exists() {
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn every_page_is_in_the_list_of_contents() {
    let index = std::fs::read_to_string(root().join("docs/README.md")).expect("the index");
    for page in pages().into_iter().skip(1) {
        let name = page.file_name().expect("a name").to_string_lossy();
        let link = format!("]({name})");
        assert!(name == "README.md" || index.contains(&link), "{name}");
    }
}

#[test]
fn what_differs_is_noticed() {
    assert!(fits(&["a", "…", "d"], &["a", "b", "c", "d"]));
    assert!(fits(&["a", "…"], &["a"]));
    assert!(!fits(&["a", "…", "d"], &["a", "b", "c"]));
    assert!(!fits(&["a"], &["a", "b"]));
    assert!(fits_line("x … s", "x 12 s"));
    assert!(!fits_line("x … s", "y 12 s"));
    assert_eq!(without_times("(75 states, 1.34 s)"), "(75 states, 0.00 s)");
    assert_eq!(without_times("v1.2 says 3.5 steps"), "v1.2 says 3.5 steps");
    assert_eq!(words("a 'b c' \"d\""), ["a", "b c", "d"]);
}
