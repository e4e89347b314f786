//! Reading automata: no panic, no runaway; what was read is written, read again, and decided with a
//! lasso that an independent check accepts.

#![no_main]

use evenhand_automata::emptiness::{accepting_core_within, check_lasso, lasso_through};
use evenhand_automata::{read_hoa, write_hoa};
use evenhand_source::Files;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut files = Files::new();
    let file = files.add("fuzz.hoa", text);
    for automaton in read_hoa(text, file).automata {
        if let Ok(written) = write_hoa(&automaton) {
            assert_eq!(read_hoa(&written, file).automata.len(), 1, "{written}");
        }
        if let Ok(Some(core)) = accepting_core_within(&automaton, 1_000_000)
            && let Some(lasso) = lasso_through(&automaton, &core)
        {
            check_lasso(&automaton, &lasso).expect("the lasso is accepted");
        }
    }
});
