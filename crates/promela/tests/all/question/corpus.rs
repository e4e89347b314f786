//! Every model of the corpus is asked everything that can be asked without knowing it.

use std::path::{Path, PathBuf};

use evenhand_logic::Formulas;
use evenhand_promela::{ClaimKind, Options, load};
use evenhand_source::Files;

fn models(folder: &Path, list: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            models(&path, list);
        } else {
            let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
            if ["pml", "pm", "prm", "pr", "prom", "promela", "spin"].contains(&extension) {
                list.push(path);
            }
        }
    }
}

#[test]
fn models_of_the_corpus_can_be_asked() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/promela");
    if !folder.is_dir() {
        println!("skipped: the corpus is not there");
        return;
    }
    let mut list = Vec::new();
    models(&folder, &mut list);
    list.sort();
    let (mut asked, mut claims, mut certain) = (0, 0, 0);
    for path in &list {
        let Ok(bytes) = std::fs::read(path) else {
            continue;
        };
        let mut files = Files::new();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let main = files.add(path.display().to_string(), text);
        let Ok(mut model) = load(files, main, &Options::default()) else {
            continue;
        };
        asked += 1;
        for index in 0..model.formulas.len() {
            let mut store = Formulas::new();
            let (_, propositions) = model.ltl(index, &mut store);
            assert_eq!(propositions.len(), store.atoms().count());
        }
        for index in 0..model.claims.len() {
            if model.claims[index].kind == ClaimKind::Never {
                match model.claim(index) {
                    Ok(_) => claims += 1,
                    Err(refused) => println!("{}: {}", path.display(), refused.message),
                }
            }
        }
        let _ = (model.acceptance(), model.progress());
        let (bound, is_certain) = model.pid_bound();
        certain += usize::from(is_certain);
        let specs = ["weak", "spin-weak", "just:_nr_pr > 0", "strong"].map(|s| (s.into(), None));
        let fairness = model.fairness(&specs, bound).expect("they fit every model");
        let items = fairness.items.len();
        assert!(
            items > 0 && items <= 2 * bound,
            "{}: {items}",
            path.display()
        );
        assert_eq!(fairness.pid_bound.is_none(), is_certain);
    }
    println!("{asked} models, {claims} claims; the number of processes is certain in {certain}");
}
