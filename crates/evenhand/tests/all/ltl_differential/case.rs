//! One program with its formulas, judged by SPIN, by every engine and by brute force.

use std::path::Path;
use std::time::Duration;

use evenhand::{CheckError, Counterexamples, Formula, Inquiry, Linear, LoadError, Model};
use evenhand::{Promela, Request, Unresolved, Verdict, Wanted, What};
use evenhand_explicit::emptiness::engines;
use evenhand_logic::Formulas;
use evenhand_testkit::promela_programs::spin::{ClaimAnswer, Discard, Question, Spin};

use crate::common::Asked;

use super::assumptions::{self, Expressions, View};
use super::brute_force::{Claim, decide};
use super::space::{NoSpace, Space};

/// Larger programs are left out: they say no more.
const MOST_STATES: usize = 400;
/// Larger products are not judged by brute force.
const MOST_NODES: usize = 8000;

/// The places of the settings that others are compared with.
pub const NONE: usize = 0;
/// `--fair spin-weak`.
pub const SPIN_WEAK: usize = 1;
/// `--fair weak`.
pub const WEAK: usize = 2;
/// `--fair strong`.
pub const STRONG: usize = 3;
/// The first half of the random assumptions.
pub const SOME: usize = 4;
/// All random assumptions.
pub const ALL: usize = 5;
/// How the settings are called.
pub const NAMES: [&str; 6] = [
    "none",
    "spin-weak",
    "weak",
    "strong",
    "random",
    "random, more",
];

/// SPIN's mistake with `timeout`.
const FALSE_ALARM: &str = "-a: false alarm, a claim moved twice because of `timeout`";

type SpinAnswer = Result<ClaimAnswer, Discard>;

/// A program with questions.
#[derive(Clone, Copy, Debug)]
pub struct Case<'c> {
    /// Its text, `ltl` blocks `f0`, `f1`, … at the end.
    pub text: &'c str,
    /// How many blocks there are.
    pub blocks: usize,
    /// Random fairness assumptions.
    pub assumptions: &'c [String],
    /// Chooses what is not tried everywhere.
    pub seed: u64,
}

/// What was found out about a case.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// The number of reachable states.
    pub states: usize,
    /// For each block and setting, whether it is violated.
    pub verdicts: Vec<[bool; NAMES.len()]>,
    /// Questions that engines answered.
    pub answers: usize,
    /// Questions that `ndfs` refused or gave up.
    pub refused: usize,
    /// Questions that brute force settled, and those it settled in two ways.
    pub settled: (usize, usize),
    /// Questions that SPIN answered.
    pub answered_by_spin: usize,
    /// Those it had no answer to: too deep, too slow.
    pub unanswered_by_spin: usize,
    /// Differences from SPIN that are its own mistakes: the mistake, and the formula.
    pub wrong_of_spin: Vec<(&'static str, String)>,
    /// What is wrong: a class and a sentence.
    pub findings: Vec<(&'static str, String)>,
}

/// Why a case says nothing.
#[derive(Clone, Debug)]
pub enum Useless {
    /// Too many states, or run-time errors.
    Space(NoSpace),
    /// SPIN has no answer.
    Spin(Discard),
}

impl Case<'_> {
    /// Judges the case.
    pub fn judge(&self, spin: &Spin, directory: &Path) -> Result<Judged, Useless> {
        let mut judged = Judged::default();
        let model = match self.model() {
            Ok(model) => model,
            Err(reason) => {
                // What SPIN does not accept either is no program.
                self.ask_spin(spin, directory)?;
                judged.findings.push(("load", reason));
                return Ok(judged);
            }
        };
        // A label in front of nothing executable, a constant expression: not every text has a
        // meaning.
        let has_meaning = |fair: &[String], expressions: &[String]| {
            self.resolve(&model, fair, expressions).is_ok()
        };
        let given = self.assumptions.iter().cloned();
        let valid: Vec<String> = given
            .filter(|text| has_meaning(std::slice::from_ref(text), &[]))
            .collect();
        let settings = settings(&valid);
        let texts = assumptions::expressions(&valid, self.text, &|text| {
            has_meaning(&[], &[text.to_string()])
        });
        // Everything at once: the numbers of actions are those of all questions together.
        let inquiry = self.resolve(&model, &[], &texts);
        let inquiry = inquiry.unwrap_or_else(|error| panic!("no questions: {error}"));
        let questions: Vec<&Formula> = (0..self.blocks).map(|f| asked(&inquiry, f)).collect();
        let expressions: Expressions = texts
            .into_iter()
            .zip(inquiry.expressions.iter().copied())
            .collect();
        let atoms = questions
            .iter()
            .flat_map(|formula| formula.atoms.iter().copied());
        let propositions: Vec<_> = atoms.chain(expressions.values().copied()).collect();
        let space = Space::explore(
            inquiry.body.explicit().expect("a program"),
            &propositions,
            MOST_STATES,
        );
        let space = space.map_err(Useless::Space)?;
        let view = View {
            signature: inquiry.body.signature(),
            space: &space,
            program: self.text,
            expressions: &expressions,
        };
        judged.states = space.states.len();
        let careful = spin.without_short_cut();
        let spin = self.ask_spin(spin, directory)?;
        judged.verdicts = vec![[false; NAMES.len()]; self.blocks];
        for (number, setting) in settings.iter().enumerate() {
            self.ask_engines(number, setting, &mut judged);
        }
        let mut claims = Vec::new();
        for (block, question) in questions.iter().enumerate() {
            let atoms = question.atoms.iter().map(|&p| space.states_where(p));
            let Some(atoms) = atoms.collect::<Option<Vec<_>>>() else {
                judged
                    .findings
                    .push(("atom", "an atom has no value".into()));
                claims.push(None);
                continue;
            };
            let mut store = Formulas::clone(&question.store);
            let claim = Claim::negation(&mut store, question.id, &atoms);
            for (number, setting) in settings.iter().enumerate() {
                let Some(fair) = assumptions::read(setting, &view) else {
                    judged
                        .findings
                        .push(("atom", "a condition has no value".into()));
                    continue;
                };
                let Some(decided) = decide(&space, &claim, &fair, true, MOST_NODES) else {
                    continue;
                };
                judged.settled.0 += 1;
                judged.settled.1 += usize::from(decided.twice);
                judged.compare(
                    "brute force",
                    block,
                    number,
                    decided.violated,
                    &format!("{setting:?}"),
                );
            }
            claims.push(Some(claim));
        }
        judged.laws();
        for (block, answers) in spin.chunks(2).enumerate() {
            for (setting, answer) in [NONE, SPIN_WEAK].into_iter().zip(answers) {
                let violated = match answer.as_ref().map(ClaimAnswer::violated) {
                    Ok(Some(violated)) => violated,
                    Ok(None) => {
                        judged
                            .findings
                            .push(("spin", format!("f{block}: {answer:?}")));
                        continue;
                    }
                    Err(_) => {
                        judged.unanswered_by_spin += 1;
                        continue;
                    }
                };
                judged.answered_by_spin += 1;
                if setting == SPIN_WEAK && judged.verdicts[block][setting] && !violated {
                    let formula = inquiry.questions[block].text.clone().unwrap_or_default();
                    let claim = claims[block].as_ref();
                    if let Some(reason) = claim.and_then(|claim| why_missed(&view, claim)) {
                        judged.wrong_of_spin.push((reason, formula));
                        continue;
                    }
                }
                let held = setting == NONE && !judged.verdicts[block][setting];
                if held && violated && self.is_false_alarm(&careful, directory, block) {
                    let formula = inquiry.questions[block].text.clone().unwrap_or_default();
                    judged.wrong_of_spin.push((FALSE_ALARM, formula));
                    continue;
                }
                let name = if setting == NONE { "spin" } else { "spin -f" };
                judged.compare(name, block, setting, violated, "");
            }
        }
        Ok(judged)
    }

    fn model(&self) -> Result<Model, String> {
        Model::parse("program.pml", self.text, &Promela).map_err(|error| match error {
            LoadError::Rejected(wrong) => {
                let messages = wrong.diagnostics.iter().map(|d| d.message.clone());
                messages.collect::<Vec<_>>().join("; ")
            }
            error => error.to_string(),
        })
    }

    /// The questions of all blocks, under some fairness, with some expressions.
    fn resolve(
        &self,
        model: &Model,
        fair: &[String],
        expressions: &[String],
    ) -> Result<Inquiry, Unresolved> {
        let mut request = Request::default();
        request.properties = Wanted::Named(self.names());
        request.fair = fair.to_vec();
        request.no_fairness = true;
        request.expressions = expressions.to_vec();
        model.specification().resolve(&request)
    }

    /// The names of the blocks.
    fn names(&self) -> Vec<String> {
        (0..self.blocks).map(|block| format!("f{block}")).collect()
    }

    /// Whether SPIN's alarm goes away when it takes no short cut, in a program with `timeout`.
    fn is_false_alarm(&self, careful: &Spin, directory: &Path, block: usize) -> bool {
        let answers = self.ask_spin(careful, directory);
        let answer = answers
            .ok()
            .and_then(|list| list.into_iter().nth(2 * block));
        let violated = answer.and_then(|answer| answer.ok()?.violated());
        self.text.contains("timeout") && violated == Some(false)
    }

    /// SPIN's answers: for each block without and with `-f`.
    fn ask_spin(&self, spin: &Spin, directory: &Path) -> Result<Vec<SpinAnswer>, Useless> {
        let source = directory.join("program.pml");
        // SPIN counts the claim among the processes.
        let text = self.text.replace("_nr_pr", "(_nr_pr - 1)");
        std::fs::write(&source, text)
            .map_err(|error| Useless::Spin(Discard::NotUnderstood(error.to_string())))?;
        let names = self.names();
        let mut questions = Vec::new();
        for name in &names {
            for fair in [false, true] {
                let block = Some(name.as_str());
                questions.push(Question { block, fair });
            }
        }
        spin.judge_ltl(&source, directory, &questions)
            .map_err(Useless::Spin)
    }

    /// Asks every engine about every block under one setting.
    fn ask_engines(&self, number: usize, setting: &[String], judged: &mut Judged) {
        let model = self.model().expect("it was read before");
        let mut shortest: Vec<Option<u64>> = vec![None; self.blocks];
        let all = engines::<1>();
        for (place, engine) in all.iter().enumerate() {
            // The shortest run twice, by the default and by another; elsewhere any run.
            let exact = place == 0 || place == 1 + (self.seed % 4) as usize;
            let name = engine.name();
            let mut asked = Asked::properties(&self.names()).by(name);
            asked.fair(setting);
            asked.asking.request.no_fairness = true;
            asked.options.counterexample = match exact {
                true => Counterexamples::Shortest,
                false => Counterexamples::First,
            };
            asked.options.budget = Some(Duration::from_millis(100));
            asked.options.limit_time = Some(Duration::from_secs(5));
            asked.options.limit_states = Some(1_000_000);
            let report = match asked.run(&model) {
                Ok(report) => report,
                Err(CheckError::Engine(_)) if name == "ndfs" => {
                    judged.refused += self.blocks;
                    continue;
                }
                Err(CheckError::Replay(error)) => {
                    let text = format!("{name} {setting:?}: {error:?}");
                    judged.findings.push(("replay", text));
                    continue;
                }
                Err(error) => {
                    let text = format!("{name} {setting:?}: {error:?}");
                    judged.findings.push(("check", text));
                    continue;
                }
            };
            for (block, property) in report.properties.iter().enumerate() {
                let (violated, run) = match &property.verdict {
                    Verdict::Holds => (false, None),
                    Verdict::Violated(run) => (true, Some(run)),
                    Verdict::Unknown(_) if name == "ndfs" => {
                        judged.refused += 1;
                        continue;
                    }
                    Verdict::Unknown(reason) => {
                        let text = format!("{name} {setting:?} f{block}: {reason}");
                        judged.findings.push(("unknown", text));
                        continue;
                    }
                };
                judged.answers += 1;
                if place == 0 {
                    judged.verdicts[block][number] = violated;
                } else {
                    judged.compare(name, block, number, violated, &format!("{setting:?}"));
                }
                let Some(run) = run else { continue };
                let Some(run) = run else {
                    let text = format!("{name} {setting:?} f{block}: no run is shown");
                    judged.findings.push(("run", text));
                    continue;
                };
                if run.shortest {
                    let length = (run.prefix.len() - 1 + run.cycle.len()) as u64;
                    let other = *shortest[block].get_or_insert(length);
                    if other != length {
                        let text = format!("{name} {setting:?} f{block}: {length}, not {other}");
                        judged.findings.push(("shortest", text));
                    }
                }
            }
        }
    }
}

/// The formula of a block.
fn asked(inquiry: &Inquiry, block: usize) -> &Formula {
    match &inquiry.questions[block].what {
        What::Linear(Linear::Formula(formula)) => formula,
        other => panic!("no formula f{block}: {other:?}"),
    }
}

/// The mistake of SPIN's that explains why `-f` did not find a violation: brute force must confirm
/// the violation, and must not find it when it makes the mistake too.
fn why_missed(view: &View<'_>, claim: &Claim) -> Option<&'static str> {
    let violated = |assumption: &str, finished_runs: bool| {
        let fair = assumptions::read(&[assumption.to_string()], view)?;
        let decided = decide(view.space, claim, &fair, finished_runs, 50 * MOST_NODES);
        decided.map(|d| d.violated)
    };
    if violated("spin-weak", true) != Some(true) {
        return None;
    }
    if violated("spin-weak", false) == Some(false) {
        return Some("-f: violation missed, the run ends");
    }
    if violated("spin-stopped", true) == Some(false) {
        return Some("-f: violation missed, a process is stopped by its `provided` clause");
    }
    if violated("spin-stopped", false) == Some(false) {
        return Some("-f: violations missed, for both reasons above");
    }
    None
}

/// The assumptions of each setting.
fn settings(random: &[String]) -> [Vec<String>; NAMES.len()] {
    let one = |text: &str| vec![text.to_string()];
    let half = random.len().div_ceil(2);
    [
        Vec::new(),
        one("spin-weak"),
        one("weak"),
        one("strong"),
        random[..half].to_vec(),
        random.to_vec(),
    ]
}

impl Judged {
    /// Compares an answer with that of the default engine.
    fn compare(
        &mut self,
        who: &'static str,
        block: usize,
        setting: usize,
        violated: bool,
        detail: &str,
    ) {
        let ours = self.verdicts[block][setting];
        if ours != violated {
            let word = |violated| if violated { "violated" } else { "holds" };
            let name = NAMES[setting];
            let (ours, theirs) = (word(ours), word(violated));
            let text = format!("f{block}, {name} {detail}: {who} {theirs}, streett {ours}");
            self.findings.push((who, text));
        }
    }

    /// More assumptions leave fewer runs: what breaks with them breaks without them.
    fn laws(&mut self) {
        let stronger = [
            (STRONG, WEAK),
            (WEAK, NONE),
            (SPIN_WEAK, NONE),
            (ALL, SOME),
            (SOME, NONE),
        ];
        for block in 0..self.verdicts.len() {
            for (more, fewer) in stronger {
                if self.verdicts[block][more] && !self.verdicts[block][fewer] {
                    let (more, fewer) = (NAMES[more], NAMES[fewer]);
                    let text = format!("f{block}: violated under {more}, holds under {fewer}");
                    self.findings.push(("law", text));
                }
            }
        }
    }
}
