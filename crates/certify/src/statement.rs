//! What a kept certificate says: a property, the fairness that is assumed, how finished runs are read.
//!
//! A statement is kept as it was asked, in texts: a certificate must mean something to a person, and a
//! number of one process means nothing to another. So whoever checks it asks the model the same
//! question again, and looks whether the answer is the same: a property of that name with another
//! formula is another property, and is refused.

use evenhand_automata::{Acceptance, Automaton, expand_conditional_marks, read_hoa, write_hoa};
use evenhand_source::Files;
use evenhand_system::{Asking, AutomatonText, Wanted};

use crate::file::Header;

/// How large an automaton may become when it is written.
const MOST_EDGES: usize = 100_000;

/// What a certificate says.
#[derive(Clone, Debug, Default)]
pub struct Statement {
    /// The file of the model, for people.
    pub model: String,
    /// The name of the property.
    pub property: String,
    /// What kind of property it is, in a word.
    pub kind: String,
    /// Its formula, if it has one.
    pub formula: Option<String>,
    /// The question, asked by itself.
    pub asking: Asking,
    /// The assumptions that it rests on, each as it was given.
    pub fairness: Vec<String>,
    /// Fairness is about processes with smaller numbers, where these are counted.
    pub processes: Option<usize>,
    /// How finished runs are read.
    pub reading: Reading,
    /// The inputs that states are told with.
    pub inputs: Vec<String>,
    /// How it is proved.
    pub form: Form,
    /// The automaton of the bad runs in HOA format, and which atom of the formula each of its
    /// propositions is.
    pub automaton: Option<(String, Vec<usize>)>,
}

/// How finished runs are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// They stay where they end.
    #[default]
    Stay,
    /// They do not count.
    Ignored,
    /// One that ends where it must not breaks the property; others stay.
    Broken,
    /// Every run may stay where it is, wherever that is.
    Anywhere,
}

/// How something is proved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// By ranks of a product.
    #[default]
    Ranks,
    /// By a look at all states that can be reached.
    Closed,
}

impl Reading {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Reading::Stay => "stay where they end",
            Reading::Ignored => "do not count",
            Reading::Broken => "break it where they must not end, and stay elsewhere",
            Reading::Anywhere => "stay where they end, and others may stay where they are",
        }
    }

    fn all() -> [Reading; 4] {
        use Reading::{Anywhere, Broken, Ignored, Stay};
        [Stay, Ignored, Broken, Anywhere]
    }
}

impl Form {
    fn word(self) -> &'static str {
        match self {
            Form::Ranks => "ranks",
            Form::Closed => "closed",
        }
    }
}

/// The automaton as text, and as whoever reads the text will see it; none if the text would say
/// something else, or would be too long.
pub fn as_text(automaton: &Automaton) -> Option<(String, Automaton)> {
    let expanded = expand_conditional_marks(automaton, MOST_EDGES).ok()?;
    let text = write_hoa(&expanded).ok()?;
    let read = from_text(&text)?;
    let same = |a: &Acceptance, b: &Acceptance| a.buchi == b.buchi && a.pairs == b.pairs;
    let is_same = read.state_count() == automaton.state_count()
        && read.initial() == automaton.initial()
        && read.props().len() == automaton.props().len()
        && same(read.acceptance(), automaton.acceptance());
    is_same.then_some((text, read))
}

/// The automaton of a text.
pub fn from_text(text: &str) -> Option<Automaton> {
    let mut files = Files::new();
    let file = files.add("automaton", text);
    let stream = read_hoa(text, file);
    let mut automata = stream.automata.into_iter();
    match (
        stream.diagnostics.is_empty(),
        automata.next(),
        automata.next(),
    ) {
        (true, Some(automaton), None) => Some(automaton),
        _ => None,
    }
}

impl Statement {
    /// As texts for a file.
    pub fn header(&self) -> Header {
        let mut header = Header::default();
        let mut say = |name: &str, text: &str| {
            header.texts.push((name.to_string(), text.to_string()));
        };
        say("model", &self.model);
        say("property", &self.property);
        say("kind", &self.kind);
        if let Some(formula) = &self.formula {
            say("formula", formula);
        }
        let request = &self.asking.request;
        if let Wanted::Named(names) = &request.properties {
            names.iter().for_each(|name| say("ask property", name));
        }
        request
            .invariants
            .iter()
            .for_each(|text| say("ask invariant", text));
        request.linear.iter().for_each(|text| say("ask ltl", text));
        request
            .branching
            .iter()
            .for_each(|text| say("ask ctl", text));
        for automaton in &self.asking.automata {
            let how = if automaton.good { "good" } else { "bad" };
            say(&format!("ask {how} automaton"), &automaton.text);
            say("automaton name", &automaton.name);
        }
        request.fair.iter().for_each(|text| say("fair", text));
        if request.no_fairness {
            say("declared fairness", "left out");
        }
        self.fairness.iter().for_each(|text| say("assumed", text));
        if let Some(processes) = self.processes {
            say("processes", &processes.to_string());
        }
        say("finished runs", self.reading.words());
        self.inputs.iter().for_each(|name| say("input", name));
        say("proof", self.form.word());
        if let Some((text, atoms)) = &self.automaton {
            say("bad runs", text);
            let atoms: Vec<String> = atoms.iter().map(ToString::to_string).collect();
            say("atoms", &atoms.join(" "));
        }
        header
    }

    /// From the texts of a file.
    ///
    /// # Errors
    /// What is wrong with them, in words.
    pub fn of(header: &Header) -> Result<Statement, String> {
        let mut statement = Statement::default();
        let asking = &mut statement.asking;
        asking.request.properties = Wanted::Named(Vec::new());
        let mut properties = Vec::new();
        let mut automaton = None;
        let mut atoms = None;
        let (mut reading, mut form) = (None, None);
        for name in ONCE {
            if header.get(name).len() > 1 {
                return Err(format!("it says `{name}` more than once"));
            }
        }
        for (name, text) in &header.texts {
            let text = text.clone();
            let automaton_text = |good| AutomatonText {
                name: "automaton".to_string(),
                text: text.clone(),
                good,
            };
            match name.as_str() {
                "model" => statement.model = text,
                "property" => statement.property = text,
                "kind" => statement.kind = text,
                "formula" => statement.formula = Some(text),
                "ask property" => properties.push(text),
                "ask invariant" => asking.request.invariants.push(text),
                "ask ltl" => asking.request.linear.push(text),
                "ask ctl" => asking.request.branching.push(text),
                "ask good automaton" => asking.automata.push(automaton_text(true)),
                "ask bad automaton" => asking.automata.push(automaton_text(false)),
                "automaton name" => {
                    let last = asking.automata.last_mut();
                    last.ok_or("an automaton's name without automaton")?.name = text;
                }
                "fair" => asking.request.fair.push(text),
                "declared fairness" => asking.request.no_fairness = true,
                "assumed" => statement.fairness.push(text),
                "processes" => {
                    let number = text.parse::<usize>().ok().filter(|&n| n <= MOST_PROCESSES);
                    statement.processes = Some(number.ok_or("no number of processes")?);
                }
                "finished runs" => {
                    reading = Reading::all().into_iter().find(|r| r.words() == text);
                }
                "input" => statement.inputs.push(text),
                "proof" => {
                    form = [Form::Ranks, Form::Closed]
                        .into_iter()
                        .find(|f| f.word() == text);
                }
                "bad runs" => automaton = Some(text),
                "atoms" => {
                    let list: Result<Vec<usize>, _> =
                        text.split_whitespace().map(str::parse).collect();
                    atoms = Some(list.map_err(|_| "no list of atoms")?);
                }
                // What is not understood may be what it rests on.
                _ => return Err(format!("it says `{name}`, which is not known here")),
            }
        }
        asking.request.properties = Wanted::Named(properties);
        statement.automaton = match (automaton, atoms) {
            (Some(text), Some(atoms)) => Some((text, atoms)),
            (None, None) => None,
            _ => return Err("an automaton without its propositions".to_string()),
        };
        statement.reading = reading.ok_or("it does not say how finished runs are read")?;
        statement.form = form.ok_or("it does not say how it is proved")?;
        Ok(statement)
    }
}

/// What is said at most once.
const ONCE: [&str; 10] = [
    "model",
    "property",
    "kind",
    "formula",
    "declared fairness",
    "processes",
    "finished runs",
    "proof",
    "bad runs",
    "atoms",
];

/// Nobody has more.
const MOST_PROCESSES: usize = 1 << 16;
