//! Fairness assumptions resolved: from `strong:phil@take` to items of process instances.
//!
//! An item is something that can be enabled and taken, and it belongs to one process number:
//!
//! * *of every process*: any step of process 0, of process 1, … below the bound that the caller
//!   gives;
//! * *of a type*: the same for the numbers that can have that type. Where a number can also be
//!   given to a process of another type, the item is the set of actions of the type, executed under
//!   that number;
//! * *at a label*: the statements at the label; of a selection the first statements of its options,
//!   of an atomic block its first statement, of a `d_step` the whole.
//!
//! What cannot make a difference drops out before a search pays for it: types that are never
//! started, numbers that never have the type, what is said twice, weak fairness of what is strongly
//! fair, and conditions that are always or never true. A text of which nothing is left is named in
//! [`Fairness::dropped`].
//!
//! Each text costs time linear in the program, times the number of processes.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use evenhand_source::{Diagnostic, Files, nearest};
use evenhand_system::fair::{self, AssumptionText, Mistake, Names, Problems, Spec, Target};
use evenhand_system::{
    ActionId, Assumption, AssumptionKind, Fairness, ItemSpec, ProcessId, PropositionId,
};

use super::bound::Population;
use super::text::Misunderstood;
use crate::PromelaModel;

impl PromelaModel {
    /// Resolves fairness assumptions, given as texts of the `--fair` option; those that stand in
    /// the model come with their place. Items are made for process numbers below `pid_bound`, and
    /// for those that are named.
    ///
    /// Ask for formulas first: a label that they mention may become a control state of its own,
    /// which changes the numbers of actions.
    ///
    /// # Errors
    /// If a text has no meaning for this model. The files come back with the texts among them.
    pub fn fairness(
        &mut self,
        specs: &[AssumptionText],
        pid_bound: usize,
    ) -> Result<Fairness, Misunderstood> {
        let files = self.program.signature().files.clone();
        let mut texts = Texts::new(files, specs, self.names.fair);
        // Expressions first: they may change the numbers of actions.
        texts.expressions(|text| {
            let (atom, value) = self.state_atom(self.names.fair, text)?;
            Ok((self.atoms.known[atom].id, value))
        });
        self.settled(texts, pid_bound)
    }

    /// The same for texts whose expressions were asked about before.
    pub(crate) fn fairness_again(
        &self,
        specs: &[AssumptionText],
        pid_bound: usize,
    ) -> Result<Fairness, Misunderstood> {
        let files = self.program.signature().files.clone();
        let mut texts = Texts::new(files.clone(), specs, self.names.fair);
        texts.expressions(|text| {
            let (atom, value) = self.known_state_atom(text).ok_or_else(|| {
                let message = "this expression is not part of what was asked";
                (files.clone(), vec![Diagnostic::global(message)])
            })?;
            Ok((self.atoms.known[atom].id, value))
        });
        self.settled(texts, pid_bound)
    }

    fn settled(&self, texts: Texts<'_>, pid_bound: usize) -> Result<Fairness, Misunderstood> {
        let Texts {
            specs,
            mut problems,
            mut read,
            conditions,
        } = texts;
        let (known_bound, is_certain) = self.pid_bound();
        let mut resolver = Resolver {
            model: self,
            population: Population::new(self.program.spec()),
            numbers: pid_bound.min(255),
            most: if is_certain { known_bound } else { 255 },
            is_complete: is_certain && pid_bound >= known_bound,
            conditions,
            items: Vec::new(),
            known: HashMap::new(),
        };
        let mut wishes = Vec::new();
        read.retain(|(index, _)| !problems.has(*index));
        for (index, found) in &read {
            let text = specs[*index].0.trim();
            match resolver.wish(*index, text, &specs[*index].0, found) {
                Ok(wish) => wishes.push(wish),
                Err(mistake) => problems.add(*index, mistake),
            }
        }
        if !problems.list.is_empty() {
            return Err((problems.files, problems.list));
        }
        let bound = (!resolver.is_complete).then_some(resolver.numbers);
        Ok(settle(wishes, resolver.items, bound))
    }
}

/// Expressions by the text they stand in and their place there: proposition, and constant value.
type Conditions = HashMap<(usize, usize), (PropositionId, Option<bool>)>;

/// Texts as far as the grammar goes.
struct Texts<'t> {
    specs: &'t [AssumptionText],
    problems: Problems<'t>,
    read: Vec<(usize, Spec)>,
    conditions: Conditions,
}

impl Texts<'_> {
    fn new<'t>(files: Files, specs: &'t [AssumptionText], name: &'static str) -> Texts<'t> {
        let mut problems = Problems::new(files, specs, name);
        let mut read = Vec::new();
        for (index, (text, _)) in specs.iter().enumerate() {
            match fair::read(text, Names::Identifiers) {
                Ok(found) => read.push((index, found)),
                Err(mistake) => problems.add(index, mistake),
            }
        }
        Texts {
            specs,
            problems,
            read,
            conditions: Conditions::new(),
        }
    }

    /// Finds out what the expressions are.
    fn expressions(
        &mut self,
        mut meaning: impl FnMut(&str) -> Result<(PropositionId, Option<bool>), Misunderstood>,
    ) {
        for (index, found) in &self.read {
            let text = &self.specs[*index].0;
            let places = match found {
                Spec::Justice(place) => vec![place],
                Spec::Compassion(when, then) => vec![when, then],
                _ => continue,
            };
            for place in places {
                match meaning(&text[place.clone()]) {
                    Ok(known) => {
                        self.conditions.insert((*index, place.start), known);
                    }
                    Err((files, list)) => self.problems.inherit(*index, place, &files, list),
                }
            }
        }
    }
}

/// What one text asks for.
struct Wish {
    source: String,
    list: Vec<(String, AssumptionKind)>,
    /// Why nothing is left of it, if so.
    reason: Option<String>,
    /// Whether it is about all processes, however many there may be.
    open_ended: bool,
}

struct Resolver<'m> {
    model: &'m PromelaModel,
    population: Population,
    /// Items are made for process numbers below this one.
    numbers: usize,
    /// There are never more processes than this.
    most: usize,
    /// Whether no process has a larger number.
    is_complete: bool,
    conditions: Conditions,
    items: Vec<ItemSpec>,
    known: HashMap<ItemKey, usize>,
}

/// What makes items equal.
#[derive(PartialEq, Eq, Hash)]
enum ItemKey {
    Process(ProcessId, bool),
    Actions(ProcessId, Vec<ActionId>),
}

impl Resolver<'_> {
    fn wish(
        &mut self,
        index: usize,
        source: &str,
        text: &str,
        found: &Spec,
    ) -> Result<Wish, Mistake> {
        let mut wish = Wish {
            source: source.to_string(),
            list: Vec::new(),
            reason: None,
            open_ended: false,
        };
        match found {
            Spec::All { strong, as_partner } => {
                wish.open_ended = true;
                for pid in 0..self.numbers {
                    let types = self.types_of(pid);
                    if types.is_empty() {
                        continue;
                    }
                    let names: Vec<&str> = types.iter().map(|&t| self.type_name(t)).collect();
                    let text = format!("{source}:{}[{pid}]", names.join("|"));
                    let item = self.process_item(ProcessId::new(pid), *as_partner);
                    wish.list.push((text, fair(*strong, item)));
                }
            }
            Spec::Some(target) => self.target(text, target, &mut wish)?,
            Spec::Justice(place) => {
                let (condition, value) = self.conditions[&(index, place.start)];
                if value == Some(true) {
                    wish.reason = Some("it always holds".into());
                } else {
                    let kind = AssumptionKind::Justice(condition);
                    wish.list.push((source.to_string(), kind));
                }
            }
            Spec::Compassion(when, then) => {
                let (when, first) = self.conditions[&(index, when.start)];
                let (then, second) = self.conditions[&(index, then.start)];
                if first == Some(false) {
                    wish.reason = Some("its first condition never holds".into());
                } else if second == Some(true) {
                    wish.reason = Some("its second condition always holds".into());
                } else if when == then {
                    wish.reason = Some("both conditions are the same".into());
                } else {
                    let kind = match first {
                        Some(_) => AssumptionKind::Justice(then),
                        None => AssumptionKind::Compassion { when, then },
                    };
                    wish.list.push((source.to_string(), kind));
                }
            }
        }
        Ok(wish)
    }

    fn target(&mut self, text: &str, target: &Target, wish: &mut Wish) -> Result<(), Mistake> {
        let name = &text[target.name.clone()];
        let process = self.process_type(name, &target.name)?;
        let actions = match &target.label {
            Some(place) => Some(self.actions_at(process, &text[place.clone()], place)?),
            None => None,
        };
        if !self.population.is_alive(process) {
            wish.reason = Some(format!("no process of type `{name}` is ever started"));
            return Ok(());
        }
        let pids = match &target.pid {
            None => {
                wish.open_ended = true;
                0..self.numbers
            }
            Some((pid, place)) => {
                let pid = usize::try_from(*pid).ok().filter(|&pid| pid < 255);
                let Some(pid) = pid else {
                    let message = "process numbers go up to 254";
                    return Err(mistake(place, message, None));
                };
                if pid >= self.most {
                    let reason = match self.most {
                        1 => "there is never more than 1 process".to_string(),
                        most => format!("there are never more than {most} processes"),
                    };
                    wish.reason = Some(reason);
                    return Ok(());
                }
                pid..pid + 1
            }
        };
        let kind = if target.strong { "strong" } else { "weak" };
        for pid in pids {
            let types = self.types_of(pid);
            if !types.contains(&process) {
                continue;
            }
            let number = ProcessId::new(pid);
            let (item, label) = match (&actions, &target.label) {
                (Some(actions), Some(label)) => {
                    let label = format!("@{}", &text[label.clone()]);
                    (self.action_item(number, actions.clone()), label)
                }
                // A number that only this type can have: every step of it is one of the type.
                _ if types.len() == 1 => (self.process_item(number, true), String::new()),
                _ => (
                    self.action_item(number, self.actions_of(process)),
                    String::new(),
                ),
            };
            let text = format!("{kind}:{name}[{pid}]{label}");
            wish.list.push((text, fair(target.strong, item)));
        }
        if wish.list.is_empty() {
            // Of a type as a whole there may be some beyond the bound.
            let never = |(pid, _): &(u64, _)| format!("process {pid} is never of type `{name}`");
            wish.reason = target.pid.as_ref().map(never);
        }
        Ok(())
    }

    fn process_type(&self, name: &str, place: &Range<usize>) -> Result<usize, Mistake> {
        let types = &self.model.program.spec().types;
        if let Some(index) = types.iter().position(|t| t.name == name) {
            return Ok(index);
        }
        let names = || types.iter().map(|t| t.name.as_str());
        let help = match nearest(name, names()) {
            Some(hint) => format!("did you mean `{hint}`?"),
            None => listed("process types", names().collect()),
        };
        let message = format!("there is no process type `{name}`");
        Err(mistake(place, message, Some(help)))
    }

    /// The actions at a label.
    fn actions_at(
        &self,
        process: usize,
        label: &str,
        place: &Range<usize>,
    ) -> Result<Vec<ActionId>, Mistake> {
        let actions = self.model.program.signature().actions.iter().enumerate();
        let own = || {
            let own = actions.clone();
            own.filter(|(_, a)| a.process.index() == process)
        };
        let at_label = own().filter(|(_, a)| a.labels.iter().any(|l| l == label));
        let list: Vec<ActionId> = at_label.map(|(index, _)| ActionId::new(index)).collect();
        if !list.is_empty() {
            return Ok(list);
        }
        let mut labels: Vec<&str> = own()
            .flat_map(|(_, a)| a.labels.iter().map(String::as_str))
            .collect();
        labels.sort_unstable();
        labels.dedup();
        // With where it stands: the text of the assumption may be far from the model.
        let files = &self.model.program.signature().files;
        let line = |label: &str| {
            let mut at = own().filter(|(_, a)| a.labels.iter().any(|l| l == label));
            let span = at.next().map(|(_, action)| action.span)?;
            Some(files.position(span).line)
        };
        let placed = |label: &str| match line(label) {
            Some(line) => format!("`{label}` (line {line})"),
            None => format!("`{label}`"),
        };
        let help = match nearest(label, labels.iter().copied()) {
            Some(hint) => format!("did you mean {}?", placed(hint)),
            None if labels.is_empty() => listed("labels", labels),
            None => {
                let labels: Vec<String> = labels.into_iter().take(20).map(placed).collect();
                format!("its labels are {}", labels.join(", "))
            }
        };
        let name = self.type_name(process);
        let message = format!("process `{name}` has no statement at a label `{label}`");
        Err(mistake(place, message, Some(help)))
    }

    fn actions_of(&self, process: usize) -> Vec<ActionId> {
        let actions = self.model.program.signature().actions.iter().enumerate();
        let own = actions.filter(|(_, a)| a.process.index() == process);
        own.map(|(index, _)| ActionId::new(index)).collect()
    }

    fn types_of(&self, pid: usize) -> Vec<usize> {
        self.population.types_of(pid, self.model.program.spec())
    }

    fn type_name(&self, process: usize) -> &str {
        &self.model.program.spec().types[process].name
    }

    fn process_item(&mut self, pid: ProcessId, as_partner: bool) -> usize {
        let key = ItemKey::Process(pid, as_partner);
        self.item(key, || ItemSpec::Process { pid, as_partner })
    }

    fn action_item(&mut self, pid: ProcessId, actions: Vec<ActionId>) -> usize {
        let key = ItemKey::Actions(pid, actions.clone());
        self.item(key, || ItemSpec::Actions { pid, actions })
    }

    fn item(&mut self, key: ItemKey, make: impl FnOnce() -> ItemSpec) -> usize {
        *self.known.entry(key).or_insert_with(|| {
            self.items.push(make());
            self.items.len() - 1
        })
    }
}

fn fair(strong: bool, item: usize) -> AssumptionKind {
    match strong {
        true => AssumptionKind::Strong(item),
        false => AssumptionKind::Weak(item),
    }
}

/// Puts the wishes together: each assumption once, and no weak one where a strong one stands.
fn settle(wishes: Vec<Wish>, items: Vec<ItemSpec>, bound: Option<usize>) -> Fairness {
    let all = || wishes.iter().flat_map(|w| &w.list);
    let strong: HashSet<usize> = all()
        .filter_map(|(_, kind)| match kind {
            AssumptionKind::Strong(item) => Some(*item),
            _ => None,
        })
        .collect();
    let open_ended = wishes.iter().any(|w| w.open_ended);
    let mut fairness = Fairness {
        pid_bound: bound.filter(|_| open_ended),
        ..Fairness::default()
    };
    let mut present = HashSet::new();
    for wish in wishes {
        let (mut kept, mut reason) = (0, wish.reason);
        for (text, kind) in wish.list {
            match kind {
                AssumptionKind::Weak(item) if strong.contains(&item) => {
                    reason = Some("strong fairness of the same is assumed".into());
                }
                kind if !present.insert(kind) => reason = Some("it is assumed already".into()),
                kind => {
                    kept += 1;
                    fairness.assumptions.push(Assumption {
                        text,
                        source: wish.source.clone(),
                        kind,
                    });
                }
            }
        }
        if let (0, Some(reason)) = (kept, reason) {
            let line = format!("`{}` makes no difference: {reason}", wish.source);
            fairness.dropped.push(line);
        }
    }
    keep_used(&mut fairness, items);
    fairness
}

/// Keeps the items that some assumption is about.
fn keep_used(fairness: &mut Fairness, items: Vec<ItemSpec>) {
    let mut number = HashMap::new();
    for assumption in &mut fairness.assumptions {
        let (AssumptionKind::Weak(item) | AssumptionKind::Strong(item)) = &mut assumption.kind
        else {
            continue;
        };
        *item = *number.entry(*item).or_insert_with(|| {
            fairness.items.push(items[*item].clone());
            fairness.items.len() - 1
        });
    }
}

fn mistake(at: &Range<usize>, message: impl Into<String>, help: Option<String>) -> Mistake {
    let message = message.into();
    let at = at.clone();
    Mistake { at, message, help }
}

fn listed(what: &str, names: Vec<&str>) -> String {
    match names.len() {
        0 => format!("there are no {what}"),
        1..=20 => format!("the {what} are {}", names.join(", ")),
        _ => format!("the {what} are {}, …", names[..20].join(", ")),
    }
}
