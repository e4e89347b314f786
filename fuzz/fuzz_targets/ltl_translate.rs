//! Reading a formula in every spelling and translating it under small limits: no panic, no runaway,
//! and what is printed reads back as the same formula.

#![no_main]

use evenhand_automata::translate::{Limits, Options, translate};
use evenhand_logic::{Formulas, Spelling, parse, print};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for spelling in [Spelling::Any, Spelling::Spin, Spelling::Nusmv, Spelling::Spot] {
        let mut store = Formulas::new();
        let Ok(formula) = parse(&mut store, text, spelling) else { continue };
        let printed = print(&store, formula, spelling);
        let again = parse(&mut store, &printed, spelling);
        assert_eq!(again.ok(), Some(formula), "{printed}");
        let limits = Limits { states: 200, edges: 10_000, nodes: 100_000 };
        let _ = translate(&mut store, formula, &Options { limits, ..Options::default() });
        let _ = translate(&mut store, formula, &Options { limits, ..Options::streett() });
    }
});
