//! A run by hand: choose among the initial states and the enabled steps, undo, watch variables.
//!
//! It works over a terminal and over a pipe: a line is an order (`terminal.rs`), an answer is printed, and
//! the end of the input is the end. Where a model may begin in several states, the first choice is among
//! them. The choices of a state keep their numbers; long lists come in pages and can be narrowed down
//! by a text. Each step that is taken is executed again for its story, and the story is kept: undoing
//! drops it.

use evenhand_report::{text, watch as variables};
use evenhand_system::signature::Telling;
use evenhand_system::{Explicit, Explorer, Successors};
use evenhand_verify::Dice;
use evenhand_witness::{TraceStep, tell_state, tell_successor};

use super::menu::Menu;
use super::prompt::{HELP, HELP_NEXT, Order};
use super::terminal::Lines;
use super::watch;
use crate::arguments::SimulateArguments;
use crate::console::print;
use crate::outcome::Outcome;

/// Above this many choices a text is not looked for in the inputs of steps.
const MOST_SEARCHED: usize = 500;

/// Runs the model by hand.
///
/// # Errors
/// If there is no initial state, or no variable to watch.
pub(super) fn run(
    system: &dyn Explicit,
    arguments: &SimulateArguments,
    script: Vec<usize>,
) -> Result<Outcome, String> {
    let mut run = Interactive::new(system, arguments.seed);
    run.script = script;
    if run.choices() == 0 && run.path.is_empty() {
        return Err(match run.successors.faults().first() {
            Some(report) => format!("there is no initial state: {}", report.fault.kind),
            None => "the model has no initial state".to_string(),
        });
    }
    for name in &arguments.watch {
        // To name it again is not to take it back.
        if run.watched.contains(name) {
            continue;
        }
        run.watch(name)?;
    }
    print(match run.script.is_empty() {
        true => {
            "a number takes that choice · r: random step · u: undo · w: watch · h: help · q: quit\n"
        }
        false => {
            "n: next step of the run, marked * · a number takes that choice · u: undo · w: watch · \
             h: help · q: quit\n"
        }
    });
    run.begin();
    run.converse();
    Ok(Outcome::Holds)
}

pub(super) struct Interactive<'a> {
    pub(super) system: &'a dyn Explicit,
    pub(super) explorer: Box<dyn Explorer + 'a>,
    /// The initial states where nothing was chosen; otherwise the successors of the last state.
    pub(super) successors: Successors,
    /// The states so far, each with the step that led there.
    pub(super) path: Vec<(Vec<u8>, TraceStep)>,
    menu: Menu,
    /// How many initial states there are.
    starts: usize,
    /// Whether each variable has different values in the initial states.
    pub(super) differs: Vec<bool>,
    watched: Vec<String>,
    /// The choices of a run that is followed.
    script: Vec<usize>,
    /// The choices so far.
    taken: Vec<usize>,
    dice: Dice,
    /// Whether steps are known by what they change.
    pub(super) by_values: bool,
}

impl<'a> Interactive<'a> {
    fn new(system: &'a dyn Explicit, seed: u64) -> Interactive<'a> {
        let mut run = Interactive {
            system,
            explorer: system.explorer(&[]),
            successors: Successors::new(),
            path: Vec::new(),
            menu: Menu::all(0),
            starts: 0,
            differs: Vec::new(),
            watched: Vec::new(),
            script: Vec::new(),
            taken: Vec::new(),
            dice: Dice::new(seed),
            by_values: system.signature().told_by == Telling::Values,
        };
        run.look();
        run.starts = run.choices();
        run.compare();
        run
    }

    /// What can be chosen now.
    fn look(&mut self) {
        match self.path.last() {
            Some((state, _)) => self.explorer.expand(state, &mut self.successors),
            None => self.explorer.initial(&mut self.successors),
        }
        self.menu = Menu::all(self.choices());
    }

    fn choices(&self) -> usize {
        self.successors.len()
    }

    /// Finds the variables in which the initial states differ.
    fn compare(&mut self) {
        let mut first = Vec::new();
        for index in 0..self.choices() {
            let values = self.explorer.describe(self.successors.state(index));
            if index == 0 {
                self.differs = vec![false; values.len()];
                first = values;
                continue;
            }
            for ((differs, one), other) in self.differs.iter_mut().zip(&first).zip(&values) {
                *differs |= one != other;
            }
        }
    }

    /// Takes the initial state if there is one alone; otherwise it is chosen.
    fn begin(&mut self) {
        if self.choices() == 1 {
            self.take(0);
        }
    }

    /// Reads orders until there are no more.
    fn converse(&mut self) {
        let mut lines = Lines::new();
        self.show();
        while let Some(line) = lines.next("> ") {
            match Order::parse(&line) {
                Ok(Order::Quit) => return,
                Ok(order) => self.obey(order),
                Err(message) => print(&format!("  {message}\n")),
            }
        }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Take(number) => match (1..=self.choices()).contains(&number) {
                true => {
                    self.take(number - 1);
                    self.show();
                }
                false => print(&format!("  there is no choice {number}\n")),
            },
            Order::Random(count) => {
                for taken in 0..count {
                    if self.choices() == 0 {
                        let stopped = format!("  no step is possible after {taken} of {count}\n");
                        print(if count == 1 {
                            "  no step is possible\n"
                        } else {
                            &stopped
                        });
                        break;
                    }
                    let choice = self.dice.below(self.choices());
                    self.take(choice);
                }
                self.show();
            }
            Order::Next(count) => self.next(count),
            Order::Undo(count) => self.undo(count),
            Order::Watch(names) => self.watch_all(&names),
            Order::Variables => print(&self.variables()),
            Order::Run => print(&self.story()),
            Order::More => {
                self.menu.turn();
                self.show();
            }
            Order::Filter(text) if text.is_empty() => {
                self.menu = Menu::all(self.choices());
                self.show();
            }
            Order::Filter(text) => {
                let count = self.choices();
                let with_inputs = count <= MOST_SEARCHED;
                self.menu = Menu::filtered(count, &text, |index| self.choice(index, with_inputs));
                self.show();
            }
            Order::Help => {
                if !self.script.is_empty() {
                    print(HELP_NEXT);
                }
                print(HELP);
            }
            Order::Quit => {}
        }
    }

    /// Takes a choice and tells it.
    fn take(&mut self, index: usize) {
        let state = self.successors.state(index).to_vec();
        let told = match self.path.last() {
            None => Ok(tell_state(self.system, &state)),
            Some((from, _)) => tell_successor(self.system, from, index),
        };
        let step = match told {
            Ok(step) => step,
            Err(error) => return print(&format!("  {}\n", error.message)),
        };
        let before = self.path.last().map(|(_, step)| step);
        let mut out = String::new();
        let files = &self.system.signature().files;
        text::write_step(&mut out, &step, before, self.path.len(), 0, files);
        let fault = self.successors.step(index).fault as usize;
        if let Some(report) = fault.checked_sub(1).map(|at| &self.successors.faults()[at]) {
            out.push_str(&format!("        ! {}\n", report.fault.kind));
        }
        let before = before.map(|step| step.state.as_slice());
        out.push_str(&watch::lines(&self.watched, before, &step.state));
        print(&out);
        self.path.push((state, step));
        self.taken.push(index);
        self.look();
    }

    /// The next choice of the run that is followed, if this is the way so far.
    fn scripted(&self) -> Option<usize> {
        let is_on = self.script.starts_with(&self.taken);
        self.script.get(self.taken.len()).copied().filter(|_| is_on)
    }

    /// Follows the run for so many steps.
    fn next(&mut self, count: u64) {
        for _ in 0..count {
            match self.scripted() {
                Some(choice) => self.take(choice),
                None if self.script.is_empty() => return print("  there is no run to follow\n"),
                None if self.script.starts_with(&self.taken) => {
                    print("  the run is over\n");
                    break;
                }
                None => return print("  this is not the way of the run: u leads back to it\n"),
            }
        }
        self.show();
    }

    fn undo(&mut self, count: u64) {
        // An initial state that was the only one stays.
        let least = usize::from(self.starts == 1);
        let most = self.path.len().saturating_sub(least);
        let count = usize::try_from(count).unwrap_or(usize::MAX).min(most);
        if count == 0 {
            return print("  there is nothing to undo\n");
        }
        self.path.truncate(self.path.len() - count);
        self.taken.truncate(self.path.len());
        self.look();
        if let Some((_, step)) = self.path.last() {
            print(&watch::lines(&self.watched, None, &step.state));
        }
        self.show();
    }

    /// The variables now; of several initial states those in which they agree.
    fn state(&mut self) -> Vec<(String, evenhand_system::explicit::Value)> {
        if let Some((_, step)) = self.path.last() {
            return step.state.clone();
        }
        match self.choices() {
            0 => Vec::new(),
            _ => self.explorer.describe(self.successors.state(0)),
        }
    }

    fn watch(&mut self, name: &str) -> Result<(), String> {
        if let Some(at) = self.watched.iter().position(|w| w == name) {
            self.watched.remove(at);
            return Ok(());
        }
        let state = self.state();
        variables::check(
            name,
            self.system.signature(),
            [state.as_slice()].into_iter(),
        )?;
        self.watched.push(name.to_string());
        Ok(())
    }

    fn watch_all(&mut self, names: &[String]) {
        for name in names {
            match self.watch(name) {
                Ok(()) if !self.watched.contains(name) => {
                    print(&format!("  `{name}` is no longer watched\n"));
                }
                Ok(()) => {}
                Err(message) => print(&format!("  {message}\n")),
            }
        }
        match (self.watched.is_empty(), self.path.last()) {
            (true, _) if names.is_empty() => print("  nothing is watched\n"),
            (false, Some((_, step))) => {
                print(&watch::lines(&self.watched, None, &step.state));
            }
            (false, None) => print(&format!("  watched: {}\n", self.watched.join(", "))),
            _ => {}
        }
    }

    fn variables(&mut self) -> String {
        let is_open = self.path.is_empty();
        let state = self.state();
        let mut out = String::new();
        for (at, (name, value)) in state.iter().enumerate() {
            let value = match is_open && self.differs.get(at) == Some(&true) {
                true => "(to be chosen)".to_string(),
                false => value.to_string(),
            };
            out.push_str(&format!("  {name} = {value}\n"));
        }
        out
    }

    /// The run so far.
    fn story(&self) -> String {
        let mut out = String::new();
        let files = &self.system.signature().files;
        let mut before = None;
        for (number, (_, step)) in self.path.iter().enumerate() {
            text::write_step(&mut out, step, before, number, 0, files);
            before = Some(step);
        }
        match out.is_empty() {
            true => "  nothing was chosen yet\n".to_string(),
            false => out,
        }
    }

    /// Shows what can be chosen.
    fn show(&mut self) {
        let count = self.choices();
        let mut out = match self.path.len() {
            0 => format!("\n{count} initial states\n"),
            length => format!("\nafter step {}\n", length - 1),
        };
        let scripted = self.scripted();
        for index in self.menu.page().to_vec() {
            let choice = self.choice(index, true);
            let mark = if scripted == Some(index) { '*' } else { ' ' };
            out.push_str(&format!("  {:>3}{mark} {}\n", index + 1, choice.trim_end()));
        }
        for report in self.successors.faults() {
            out.push_str(&format!("   !   {}\n", report.fault.kind));
        }
        out.push_str(&self.menu.rest(count));
        if let (0, Some((state, _))) = (count, self.path.last()) {
            out.push_str(match (self.explorer.is_valid_end(state), self.by_values) {
                (true, _) => "  the run ends\n",
                (false, false) => "  no process can move\n",
                (false, true) => "  no step is possible\n",
            });
        }
        print(&out);
    }
}
