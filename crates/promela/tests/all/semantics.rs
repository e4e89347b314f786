//! What small models mean, statement by statement.
//!
//! Each file of `semantics/` says in its first lines what must come out: the number of reachable
//! states, whether assertions (and run-time errors) hold, whether some run ends badly, whether a
//! trace assertion is broken. The numbers are those of SPIN 6.5.2 (`-o1 -o2 -o3`, `-DNOREDUCE`),
//! except for what SPIN cannot tell: endless sequences, and `xr`, which it does not check without
//! partial-order reduction.

use evenhand_explicit::search::{ErrorClass, Options, explore};
use evenhand_source::Files;

#[test]
fn models_mean_what_they_say() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/semantics");
    let mut checked = 0;
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        let text = std::fs::read_to_string(&path).expect("it is text");
        let name = path.display().to_string();
        let expected = |key: &str| {
            let mark = format!("// {key}: ");
            text.lines()
                .find_map(|line| line.strip_prefix(&mark).map(str::to_string))
        };
        let mut files = Files::new();
        let main = files.add(&name, &text);
        let model = evenhand_promela::load(files, main, &Default::default())
            .unwrap_or_else(|(_, diagnostics)| panic!("{name}: {diagnostics:?}"));
        let found = explore(&model.program, &Options::default(), &mut |_| true);
        assert_eq!(found.stop, None, "{name}");
        let mut compare = |key: &str, got: String| {
            if let Some(wanted) = expected(key) {
                assert_eq!(got, wanted, "{name}: {key}");
                checked += 1;
            }
        };
        let violated = |class| found.first[class].is_some();
        let word = |class| if violated(class) { "violated" } else { "hold" }.to_string();
        compare("states", found.progress.states.to_string());
        compare("assertions", word(ErrorClass::Fault));
        compare("traces", word(ErrorClass::Trace));
        let ends = if violated(ErrorClass::Deadlock) {
            "some"
        } else {
            "none"
        };
        compare("deadlocks", ends.to_string());
    }
    assert!(checked >= 50, "only {checked} expectations were found");
}
