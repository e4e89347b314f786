//! How a search goes: on a terminal a line that is drawn again and again and vanishes at the end, elsewhere
//! lines that stay, such as in the log of a server, fewer and fewer of them. While there is one, Ctrl-C
//! ends the search and not the program.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use evenhand_report::printable::one_line;
use evenhand_verify::{Listener, Progress, SetProgress};

use crate::arguments::{OutputArguments, When};
use crate::interrupt;

/// The line, or the lines.
pub(crate) struct ProgressLine {
    active: bool,
    /// What is going on.
    stage: String,
    started: Instant,
    shown: Instant,
    visible: bool,
    /// Whether there is a line that can be drawn again.
    redraws: bool,
    /// Until the next line.
    wait: Duration,
}

/// How often a line is drawn again.
const REDRAW: Duration = Duration::from_millis(200);

/// Lines that stay: how soon the first one comes; then each takes twice as long, up to this.
const FIRST: Duration = Duration::from_millis(500);
const SELDOM: Duration = Duration::from_secs(60);

/// How much is told of what is going on.
const WIDEST_STAGE: usize = 40;

impl ProgressLine {
    pub fn new(output: &OutputArguments) -> ProgressLine {
        let redraws = std::io::stderr().is_terminal();
        let active = match output.progress {
            When::Always => true,
            When::Never => false,
            When::Auto => redraws && !output.quiet,
        };
        interrupt::cancel();
        let now = Instant::now();
        ProgressLine {
            active,
            stage: String::new(),
            started: now,
            shown: now,
            visible: false,
            redraws,
            wait: if redraws { REDRAW } else { FIRST },
        }
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        if self.visible {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
            self.visible = false;
        }
    }

    fn is_due(&self) -> bool {
        self.active && self.shown.elapsed() >= self.wait
    }

    fn draw(&mut self, text: &str, bytes: u64) {
        self.shown = Instant::now();
        let line = format!("{}{text}, {} MB", self.stage, bytes >> 20);
        if self.redraws {
            self.visible = true;
            let _ = write!(std::io::stderr(), "\r\x1b[K{line}");
        } else {
            self.wait = SELDOM.min(self.wait * 2);
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    }
}

impl Listener for ProgressLine {
    fn progress(&mut self, progress: &Progress) -> bool {
        if self.is_due() {
            let rate = progress.states as f64 / self.started.elapsed().as_secs_f64().max(0.001);
            let (states, depth) = (progress.states, progress.depth);
            let text = format!("{states} states, {rate:.0} states/s, depth {depth}");
            self.draw(&text, progress.bytes);
        }
        !interrupt::is_raised()
    }

    fn sets(&mut self, sets: &SetProgress) {
        if self.is_due() {
            let SetProgress { rounds, nodes, .. } = sets;
            self.draw(&format!("round {rounds}, {nodes} nodes"), sets.bytes);
        }
    }

    fn stage(&mut self, name: &str) {
        // A line that is wider than the terminal would not vanish.
        let name = one_line(name);
        let short: String = name.chars().take(WIDEST_STAGE).collect();
        let more = if short.len() < name.len() { "…" } else { "" };
        self.stage = format!("{short}{more}: ");
        self.started = Instant::now();
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}
