//! Lines from whoever gives orders: a person at a terminal, who can edit them, or a pipe.
//!
//! At a terminal the keys come one by one while a line is typed, and only then: between the lines the
//! terminal is as it was, so that everything else prints as usual, and it is put back whatever happens. Where standard
//! input or output is no terminal, or one that cannot move its cursor, lines are read as they come.

use std::io::{BufRead, IsTerminal, Write};

use super::line::Line;
use crate::console::print;

/// Where lines come from.
pub(super) struct Lines {
    #[cfg_attr(not(unix), allow(dead_code))]
    line: Line,
    edits: bool,
    /// What comes through a pipe is not on the screen yet.
    echo: bool,
}

impl Lines {
    pub fn new() -> Lines {
        let stdin = std::io::stdin().is_terminal();
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
        Lines {
            line: Line::default(),
            edits: cfg!(unix) && stdin && std::io::stdout().is_terminal() && !is_dumb,
            echo: !stdin,
        }
    }

    /// The next line; none if there are no more.
    pub fn next(&mut self, prompt: &str) -> Option<String> {
        #[cfg(unix)]
        if self.edits
            && let Some(raw) = raw::Raw::enter()
        {
            return raw.read(&mut self.line, prompt);
        }
        self.plain(prompt)
    }

    fn plain(&mut self, prompt: &str) -> Option<String> {
        print(prompt);
        let _ = std::io::stdout().flush();
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().read_until(b'\n', &mut bytes);
        if !matches!(read, Ok(count) if count > 0) {
            print("\n");
            return None;
        }
        let line = String::from_utf8_lossy(&bytes).into_owned();
        if self.echo {
            print(&format!("{}\n", line.trim()));
        }
        Some(line)
    }
}

#[cfg(unix)]
mod raw {
    use std::io::Read;

    use rustix::stdio::{stdin, stdout};
    use rustix::termios::{
        LocalModes, OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr,
    };

    use super::super::line::{Effect, Line, read_key};
    use crate::console::print_as_it_is;

    /// A terminal that gives its keys one by one; it is put back when this goes.
    pub(super) struct Raw(Termios);

    impl Raw {
        pub fn enter() -> Option<Raw> {
            let before = tcgetattr(stdin()).ok()?;
            let mut modes = before.clone();
            modes.local_modes -=
                LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN;
            tcsetattr(stdin(), OptionalActions::Drain, &modes).ok()?;
            Some(Raw(before))
        }

        /// A line that a person types; none if there are no more.
        pub fn read(self, line: &mut Line, prompt: &str) -> Option<String> {
            let mut input = std::io::stdin().lock();
            let mut next = || {
                let mut byte = [0];
                loop {
                    match input.read(&mut byte) {
                        Ok(1..) => return Some(byte[0]),
                        Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                        _ => return None,
                    }
                }
            };
            line.begin();
            loop {
                let columns = tcgetwinsize(stdout()).map_or(0, |size| usize::from(size.ws_col));
                let columns = if columns == 0 { 80 } else { columns };
                print_as_it_is(&line.drawn(prompt, columns));
                let Some(key) = read_key(&mut next) else {
                    print_as_it_is("\n");
                    return None;
                };
                match line.press(key) {
                    Effect::Open => {}
                    Effect::Done(text) => {
                        print_as_it_is("\n");
                        return Some(text);
                    }
                    Effect::GivenUp => {
                        print_as_it_is("\n");
                        line.begin();
                    }
                    Effect::Over => {
                        print_as_it_is("\n");
                        return None;
                    }
                }
            }
        }
    }

    impl Drop for Raw {
        fn drop(&mut self) {
            let _ = tcsetattr(stdin(), OptionalActions::Drain, &self.0);
        }
    }
}
