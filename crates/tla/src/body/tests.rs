//! How often the search for next states knows what fairness asks, on the public specifications beside the repository.

use std::collections::HashSet;
use std::path::Path;

use evenhand_source::Files;
use evenhand_system::{Explorer, ItemSpec, ReadOptions, Successors};

use super::ModelBody;
use crate::machine::Machine;
use crate::specification::read;

/// How many states of each specification are expanded: what is tried nowhere among them is evaluated.
const STATES: usize = 300;

/// Who knows where a condition is enabled and which steps take it.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// The condition is about the next-state action itself.
    whole: usize,
    /// The search knows: the action is a disjunct.
    part: usize,
    /// The action is evaluated on each state and each step.
    evaluated: usize,
}

impl Known {
    fn of(body: &ModelBody) -> Known {
        let model = &*body.model;
        let count = model.fair.len();
        let items: Vec<ItemSpec> = (0..count).map(|item| ItemSpec::Own(item as u32)).collect();
        let mut machine = Machine::new(&model.program, &model.globals, &model.names);
        machine.registers = model.registers.clone();
        let mut explorer = body.explorer_of(machine, &items);
        let mut out = Successors::new();
        explorer.initial(&mut out);
        let mut seen = HashSet::new();
        let mut waiting = std::collections::VecDeque::new();
        loop {
            for index in 0..out.len() {
                let state = out.state(index).to_vec();
                if seen.len() < STATES && seen.insert(state.clone()) {
                    waiting.push_back(state);
                }
            }
            let Some(state) = waiting.pop_front() else {
                break;
            };
            explorer.expand(&state, &mut out);
        }
        let whole = |place: &usize| model.fair[*place].of_next.is_some();
        let is_whole = (0..count).filter(whole).count();
        let part = (0..count).filter(|&place| explorer.machine.watch.watches(place));
        let part = part.count();
        Known {
            whole: is_whole,
            part,
            evaluated: count - is_whole - part,
        }
    }
}

#[test]
fn the_search_knows_most_of_what_fairness_asks() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/tla");
    let Ok(table) = std::fs::read_to_string(folder.join("expected.jsonl")) else {
        println!("skipped: no corpus of specifications beside the repository");
        return;
    };
    let text = |path: &Path| {
        String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
    };
    let (mut all, mut rows, mut mixed) = (Known::default(), [0; 3], 0);
    for line in table.lines() {
        let row: serde_json::Value = serde_json::from_str(line).expect("a row");
        let path = |key: &str| folder.join(row[key].as_str().expect("a path"));
        if row["distinct"].as_u64().is_none_or(|states| states > 1500) {
            continue;
        }
        let mut files = Files::new();
        let main = files.add(path("file").display().to_string(), text(&path("file")));
        let mut options = ReadOptions::default();
        options.configuration = Some((path("cfg").display().to_string(), text(&path("cfg"))));
        let Ok(specification) = read(files, main, &options) else {
            continue;
        };
        let body = specification.own_body();
        if body.model.fair.is_empty() {
            continue;
        }
        let known = Known::of(body);
        all.whole += known.whole;
        all.part += known.part;
        all.evaluated += known.evaluated;
        let kinds = [known.whole, known.part, known.evaluated];
        mixed += usize::from(kinds.iter().filter(|&&count| count > 0).count() > 1);
        for (count, kind) in rows.iter_mut().zip(kinds) {
            *count += usize::from(kind > 0);
        }
    }
    println!(
        "conditions: {all:?}; specifications with some of each: {rows:?}, with several kinds: {mixed}"
    );
    assert!(all.whole + all.part > 4 * all.evaluated, "{all:?}");
}
