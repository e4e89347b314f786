//! Fairness: what the specification says, what a call adds, and what could be said.
//!
//! `WF_v(A)` and `SF_v(A)` of the specification are items of their own, by the text they have there; so is either form of
//! them, and without the values of bound names a text means all instances. A call may add fairness of the steps that are
//! called after an action: `weak:Send`, `strong:Send`, or of all of them.

use std::sync::Arc;

use evenhand_source::{Diagnostic, Files, nearest};
use evenhand_system::fair::{self, AssumptionText, Names, Spec, Target};
use evenhand_system::{
    Assumption, AssumptionKind, Assumptions, Candidate, Fairness, Granularity, ItemSpec, Rejected,
    Signature,
};

use crate::body::{FairAction, Model};

/// What texts mean for a specification.
pub(crate) struct Meaning {
    pub signature: Arc<Signature>,
    /// What the specification says.
    pub stated: Vec<StatedFair>,
    /// What a text is called where something is wrong with it.
    pub name: &'static str,
}

/// `WF_v(A)` or `SF_v(A)` of a specification.
pub(crate) struct StatedFair {
    text: String,
    words: String,
    strong: bool,
    /// Whether its action may be enabled where no step takes it.
    is_refused: bool,
}

impl StatedFair {
    /// What people say of a condition of the specification.
    pub fn new(fair: &FairAction) -> StatedFair {
        StatedFair {
            is_refused: fair.of_next.is_none() && fair.watched.is_none(),
            text: fair.text.clone(),
            words: fair.words.clone(),
            strong: fair.strong,
        }
    }
}

/// A text of fairness in its weak or its strong form.
fn in_form(text: &str, strong: bool) -> String {
    let form = if strong { "SF_" } else { "WF_" };
    match text.get(..3) {
        Some("WF_" | "SF_") => format!("{form}{}", &text[3..]),
        _ => text.to_string(),
    }
}

/// Whether a text is another one in its weak or its strong form.
fn is_form(own: &str, text: &str) -> bool {
    [false, true]
        .iter()
        .any(|&strong| in_form(own, strong) == text)
}

impl Assumptions for Meaning {
    fn processes(&self) -> (usize, bool) {
        (self.signature.processes.len(), true)
    }

    fn fairness(&self, texts: &[AssumptionText], _: usize) -> Result<Fairness, Rejected> {
        let mut fairness = Fairness::default();
        for (text, _) in texts {
            let meant = self.meant(text);
            for &(place, strong) in &meant {
                let own = in_form(&self.stated[place].text, strong);
                let item = add(&mut fairness, place, strong, &own, text);
                if self.stated[place].is_refused && !fairness.refused.contains(&item) {
                    fairness.refused.push(item);
                }
            }
            if meant.is_empty() {
                self.assume(text, &mut fairness)?;
            }
        }
        Ok(fairness)
    }

    fn candidates(&self, by: Granularity, processes: usize) -> Vec<Candidate> {
        if self.asks_actions(by) {
            return fair::candidates(&self.signature, self, by, processes);
        }
        let mut names: Vec<String> = Vec::new();
        for stated in &self.stated {
            // All instances together, unless the same words stand there for one.
            let is_alone = self.stated.iter().any(|other| other.text == stated.words);
            let name = match by == Granularity::Type && !is_alone {
                true => stated.words.clone(),
                false => stated.text.clone(),
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let candidate = |name: String| {
            let texts = [false, true].map(|strong| in_form(&name, strong));
            let of = |text: &String| self.fairness(&[(text.clone(), None)], processes).ok();
            let fairness = [of(&texts[0])?, of(&texts[1])?];
            Some(Candidate {
                name,
                texts,
                fairness,
            })
        };
        names.into_iter().filter_map(candidate).collect()
    }

    fn candidate_word(&self, by: Granularity) -> &'static str {
        match self.asks_actions(by) {
            true => by.word(),
            false => "conjunct",
        }
    }
}

/// Adds an assumption about an item, and says at which place that is.
fn add(fairness: &mut Fairness, item: usize, strong: bool, text: &str, source: &str) -> usize {
    let item = ItemSpec::Own(u32::try_from(item).unwrap_or(u32::MAX));
    let known = fairness.items.iter().position(|other| *other == item);
    let place = known.unwrap_or_else(|| {
        fairness.items.push(item);
        fairness.items.len() - 1
    });
    fairness.assumptions.push(Assumption {
        text: text.to_string(),
        source: source.to_string(),
        kind: match strong {
            true => AssumptionKind::Strong(place),
            false => AssumptionKind::Weak(place),
        },
    });
    place
}

impl Meaning {
    /// Whether advice is about the actions of the next-state action: where the specification says nothing about fairness,
    /// or somebody asks for the finest items.
    fn asks_actions(&self, by: Granularity) -> bool {
        self.stated.is_empty() || by == Granularity::Label
    }

    /// What a text means of what the specification says, each with the form that is meant.
    fn meant(&self, text: &str) -> Vec<(usize, bool)> {
        let stated = || self.stated.iter().enumerate();
        if let Some((place, own)) = stated().find(|(_, own)| own.text == text) {
            return vec![(place, own.strong)];
        }
        let strong = text.starts_with("SF_");
        if let Some((place, _)) = stated().find(|(_, own)| is_form(&own.text, text)) {
            return vec![(place, strong)];
        }
        let all = stated().filter(|(_, own)| is_form(&own.words, text));
        all.map(|(place, _)| (place, strong)).collect()
    }

    /// Adds what a text of the call assumes.
    fn assume(&self, text: &str, fairness: &mut Fairness) -> Result<(), Rejected> {
        let files = &self.signature.files;
        let wrong = |mistake| fair::misunderstood(files, (self.name, text), mistake);
        let spec = fair::read(text, Names::Any).map_err(wrong)?;
        let source = text.trim();
        let first = self.stated.len();
        let (strong, actions) = match &spec {
            Spec::All { strong, .. } => (*strong, (0..self.signature.processes.len()).collect()),
            Spec::Some(Target { strong, name, .. }) => {
                (*strong, vec![self.action(&text[name.clone()])?])
            }
            Spec::Justice(_) | Spec::Compassion(..) => {
                let message = format!("`{source}`: conditions stand in the specification of TLA+");
                let help = "write `/\\ []<>P` there";
                return Err(Rejected::about(Diagnostic::global(message).help(help)));
            }
        };
        for action in actions {
            let kind = if strong { "strong" } else { "weak" };
            let name = &self.signature.processes[action];
            add(
                fairness,
                first + action,
                strong,
                &format!("{kind}:{name}"),
                source,
            );
        }
        Ok(())
    }

    fn action(&self, name: &str) -> Result<usize, Rejected> {
        let actions = &self.signature.processes;
        actions.iter().position(|own| own == name).ok_or_else(|| {
            let message = format!("there is no action `{name}`");
            let near = nearest(name, actions.iter().map(String::as_str));
            let help = near.map(|near| format!("did you mean `{near}`?"));
            Rejected::about(Diagnostic::global(message).maybe_help(help))
        })
    }
}

/// A text of fairness as a conjunct to add to the specification.
///
/// All instances of quantified fairness have its quantifier, others the values that they are about. How many arguments an action of the
/// next-state action has is `arity`.
pub(crate) fn conjunct(
    model: &Model,
    files: &Files,
    text: &str,
    arity: &dyn Fn(&str) -> usize,
) -> String {
    let exact: Vec<&FairAction> = model
        .fair
        .iter()
        .filter(|f| is_form(&f.text, text))
        .collect();
    let all: Vec<&FairAction> = match exact.is_empty() {
        true => model
            .fair
            .iter()
            .filter(|f| is_form(&f.words, text))
            .collect(),
        false => exact,
    };
    if let Some(first) = all.first() {
        let words = in_form(&first.words, text.starts_with("SF_"));
        let is_whole = model.fair.iter().filter(|f| f.words == first.words).count() == all.len();
        let written = Some(first).filter(|_| is_whole);
        let written = written.and_then(|first| written_quantifier(files, first));
        let quantifier = written.unwrap_or_else(|| quantifier(&all));
        return format!("/\\ {quantifier}{words}");
    }
    let (kind, name) = text.split_once(':').unwrap_or(("weak", text));
    let form = if kind == "strong" { "SF" } else { "WF" };
    let subscript = match &model.subscript {
        Some(subscript) => subscript.clone(),
        None => {
            let variables = model.program.variables.iter();
            let names: Vec<&str> = variables.map(|&v| model.names.text(v)).collect();
            format!("<<{}>>", names.join(", "))
        }
    };
    // Some step of the action, whatever its arguments are.
    let action = match arity(name) {
        0 => name.to_string(),
        count => {
            let names: Vec<String> = (1..=count).map(|number| format!("a{number}")).collect();
            let bounds: Vec<String> = names.iter().map(|n| format!("{n} \\in ...")).collect();
            format!("\\E {} : {name}({})", bounds.join(", "), names.join(", "))
        }
    };
    format!("/\\ {form}_{subscript}({action})")
}

/// The quantifiers in front of fairness, as the text has them; none where they are not seen at once.
fn written_quantifier(files: &Files, fair: &FairAction) -> Option<String> {
    if fair.bound.is_empty() {
        return None;
    }
    let file = files.get(fair.span.file);
    let before = file.text.get(..fair.span.start as usize)?;
    let mut start = before.len();
    for _ in 0..fair.bound.len() {
        start = before[..start].rfind("\\A ")?;
        let mut found = String::new();
        for piece in before[start..].split("\\A ").skip(1) {
            let end = piece.find(" : ").or_else(|| piece.find(':'))?;
            let words: Vec<&str> = piece[..end].split_whitespace().collect();
            found += &format!("\\A {} : ", words.join(" "));
        }
        let binds = |name: &str| {
            let mut words = found.split([' ', ',']);
            words.any(|word| word == name)
        };
        if fair.bound.iter().all(|(name, _)| binds(name)) {
            return Some(found);
        }
    }
    None
}

/// The quantifier that instances of fairness stand for: all combinations of the values that names have, if the instances
/// are that; otherwise nothing that is shorter than a list of combinations.
fn quantifier(all: &[&FairAction]) -> String {
    let Some(first) = all.first().filter(|first| !first.bound.is_empty()) else {
        return String::new();
    };
    let mut sets: Vec<Vec<&str>> = vec![Vec::new(); first.bound.len()];
    for fair in all {
        for (set, (_, value)) in sets.iter_mut().zip(&fair.bound) {
            if !set.contains(&value.as_str()) {
                set.push(value);
            }
        }
    }
    let names: Vec<&str> = first.bound.iter().map(|(name, _)| name.as_str()).collect();
    if sets.iter().map(Vec::len).product::<usize>() == all.len() {
        let bounds = names.iter().zip(&sets);
        let bounds = bounds.map(|(name, set)| format!("{name} \\in {{{}}}", set.join(", ")));
        return format!("\\A {} : ", bounds.collect::<Vec<_>>().join(", "));
    }
    let tuple = |fair: &&FairAction| {
        let values: Vec<&str> = fair.bound.iter().map(|(_, value)| value.as_str()).collect();
        format!("<<{}>>", values.join(", "))
    };
    let tuples: Vec<String> = all.iter().map(tuple).collect();
    format!(
        "\\A <<{}>> \\in {{{}}} : ",
        names.join(", "),
        tuples.join(", ")
    )
}
