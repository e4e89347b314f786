//! Words of more than 64 bits.

use evenhand_source::SplitMix64;
use evenhand_system::compose::FairSystem;
use evenhand_system::relation::Enumerated;
use evenhand_system::{Model, PropositionId};

use crate::common::load;

fn mask(bits: u32) -> u128 {
    u128::MAX >> (128 - bits)
}

fn signed(number: u128, bits: u32) -> i128 {
    ((number << (128 - bits)) as i128) >> (128 - bits)
}

/// Operators in the text of a model, against numbers of 128 bits.
#[test]
fn expressions_have_the_values_of_numbers() {
    let mut dice = SplitMix64::new(3);
    for _ in 0..60 {
        let bits = 65 + dice.below(60) as u32;
        let mut number = || {
            let full = u128::from(dice.number()) << 64 | u128::from(dice.number());
            (full >> dice.below(100)) & mask(bits)
        };
        let (a, b) = (number(), number().max(1));
        let (i, j) = (signed(a, bits), signed(b, bits));
        let unsigned =
            |text: &str, value: u128| format!("{text} = 0uh{bits}_{:x}", value & mask(bits));
        let with_sign = |text: &str, value: i128| {
            format!("{text} = 0sh{bits}_{:x}", value as u128 & mask(bits))
        };
        let by = dice.below(bits as usize) as u32;
        let conditions = [
            unsigned("x + y", a.wrapping_add(b)),
            unsigned("x - y", a.wrapping_sub(b)),
            unsigned("x * y", a.wrapping_mul(b)),
            unsigned("x / y", a / b),
            unsigned("x mod y", a % b),
            unsigned("-x", a.wrapping_neg()),
            unsigned("!x", !a),
            unsigned("(x & y)", a & b),
            unsigned("(x | y)", a | b),
            unsigned("(x xor y)", a ^ b),
            unsigned("(x -> y)", !a | b),
            unsigned(&format!("(x << {by})"), a << by),
            unsigned(&format!("(x >> {by})"), a >> by),
            unsigned("max(x, y)", a.max(b)),
            unsigned("(x > y ? x : y)", a.max(b)),
            unsigned("d[n]", a.wrapping_add(1)),
            with_sign("signed(x)", i),
            with_sign("s / signed(y)", i.wrapping_div(j)),
            with_sign("s mod signed(y)", i.wrapping_rem(j)),
            with_sign(&format!("(s >> {by})"), i >> by),
            format!("(s < signed(y)) = {}", if i < j { "TRUE" } else { "FALSE" }),
            format!("(x >= y) = {}", if a >= b { "TRUE" } else { "FALSE" }),
            format!("x[{by}:{by}] = 0ud1_{}", a >> by & 1),
            format!("x[63:0] = 0ud64_{}", a as u64),
            format!("resize(x, 20) = 0ud20_{}", a & mask(20)),
            format!("(x[{}:64] :: x[63:0]) = x", bits - 1),
            format!("extend(s, 3) = resize(s, {})", bits + 3),
            format!("sizeof(x) = {bits}"),
        ];
        let mut text = format!(
            "MODULE main\nVAR x : unsigned word[{bits}]; y : unsigned word[{bits}]; s : signed word[{bits}]; n : 0..1;\n\
             ASSIGN init(x) := 0ud{bits}_{a}; init(y) := uwconst(0, {bits}) + 0uh{bits}_{b:x}; init(s) := signed(x);\n\
             init(n) := 1; next(x) := x + y; next(y) := y; next(s) := -s; next(n) := n;\n\
             DEFINE d := [y, x + 0ud{bits}_1];\n"
        );
        for condition in &conditions {
            text += &format!("INVARSPEC {condition}\n");
        }
        let model = load(&text).unwrap_or_else(|wrong| panic!("{wrong:?} in\n{text}"));
        let system = Enumerated::new(model.relation.clone()).expect("a relation");
        let states = FairSystem::initial(&system);
        assert_eq!(states.len(), 1, "{text}");
        let names = FairSystem::propositions(&system);
        // Some are the same for these numbers, or constants.
        assert!(names.len() + 6 >= conditions.len(), "{names:?}");
        for (at, name) in names.iter().enumerate() {
            let id = PropositionId(at as u32);
            assert!(
                FairSystem::holds(&system, id, &states[0]),
                "{name} in\n{text}"
            );
        }
        // People see one value, not its limbs.
        let state = Model::initial(&system).remove(0);
        let shown = Model::describe(&system, &state);
        let shown: Vec<String> = shown.iter().map(|(n, v)| format!("{n} = {v}")).collect();
        assert_eq!(
            shown,
            [
                format!("x = {a}"),
                format!("y = {b}"),
                format!("s = {i}"),
                "n = 1".to_string()
            ]
        );
        let moves = FairSystem::moves(&system, &states[0]);
        assert_eq!(moves.len(), 1, "{text}");
    }
}

/// A word is not told of by its parts: neither where its values are too many to be looked at, nor where they are to be tried.
#[test]
fn a_word_is_told_of_as_one() {
    let text = "MODULE main\nFROZENVAR x : unsigned word[90]; y : unsigned word[90];\n\
                INVARSPEC x / y = x\nLTLSPEC G ((x << y) = x)\n";
    let model = load(text).expect("a model");
    let told: Vec<String> = model.warnings.iter().map(|w| w.message.clone()).collect();
    let open = "whether this has a value in every state is too much to decide here";
    assert_eq!(told, [open, open]);
    let refusal = Enumerated::new(model.relation).expect_err("too many values");
    assert!(refusal.reason.starts_with("`x` has"), "{}", refusal.reason);
}
