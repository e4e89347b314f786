//! What configurations and calls say about constants, and what assumptions are when they have no value.

use evenhand_source::Files;
use evenhand_system::{Language, ReadOptions};
use evenhand_tla::Tla;

use super::show::told;
use super::tlc::{Bounds, explore_text};

const UNITS: &str = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 4\nSpec == Init /\\ [][Next]_x\n\
    Two == 2\nF(a) == a\nG(a, b) == a + b\nH(a) == a + 1\n";
const PLAIN: &str = "INIT Init NEXT Next ";

/// The answer to a module of these units under this configuration.
fn answer(units: &str, configuration: &str) -> String {
    let text = format!("---- MODULE M ----\n{units}\n====\n");
    let bounds = Bounds {
        states: 1000,
        seconds: 20,
        deadlock: true,
        merged: false,
    };
    let configuration = Some(("M.cfg".to_string(), configuration.to_string()));
    let got = explore_text(("M.tla".to_string(), text), configuration, bounds);
    format!("{} {}", got.result, got.message)
}

/// Each row: more units, more of the configuration, and how the answer begins.
fn check(rows: &[(&str, &str, &str)]) {
    for (units, configuration, expected) in rows {
        let got = answer(
            &format!("{UNITS}{units}"),
            &format!("{PLAIN}{configuration}"),
        );
        assert!(got.starts_with(expected), "{units} {configuration}: {got}");
    }
}

#[test]
fn sets_of_what_cannot_be_compared_are_errors() {
    let inv = "CONSTANT S\nInv == \\A s \\in S : s # 3";
    check(&[
        (inv, "CONSTANT S = {1, 2} INVARIANT Inv", "success"),
        (
            inv,
            "CONSTANT S = {1, \"a\"} INVARIANT Inv",
            "error M.cfg:1:34: this is no set: 1 and \"a\" cannot",
        ),
        (
            inv,
            "CONSTANT S = {a_1, 3} INVARIANT Inv",
            "error M.cfg:1:34: this is no set: a_1 and 3 cannot",
        ),
        (
            inv,
            "CONSTANT S = {{1}, {{1, TRUE}}} INVARIANT Inv",
            "error M.cfg:1:41: this is no set: 1 and TRUE",
        ),
        (
            "CONSTANT F1(_)",
            "CONSTANT F1({1, {}}) = 2",
            "error M.cfg:1:33: this is no set: ",
        ),
    ]);
}

#[test]
fn what_a_module_defines_can_have_another_value() {
    check(&[
        ("Inv == 5 \\in Nat", "INVARIANT Inv", "success"),
        (
            "Inv == 5 \\in Nat",
            "CONSTANT Nat = {0, 1} INVARIANT Inv",
            "safety Inv",
        ),
        (
            "Inv == 5 \\in Nat",
            "CONSTANT Nat =[Naturals] {0, 1} INVARIANT Inv",
            "safety Inv",
        ),
        (
            "Small == 0..1 Inv == 5 \\in Nat",
            "CONSTANT Nat <- Small INVARIANT Inv",
            "safety Inv",
        ),
        (
            "Inv == Two = 2",
            "CONSTANT Two = 3 INVARIANT Inv",
            "safety Inv",
        ),
    ]);
}

#[test]
fn what_a_configuration_says_fits() {
    check(&[
        (
            "",
            "SPECIFICATION Spec",
            "error M.cfg:1:6: a configuration names a SPECIFICATION, or INIT and NEXT",
        ),
        (
            "CONSTANT N",
            "",
            "error M.tla:11:10: the constant `N` has no value",
        ),
        ("", "CONSTANT x = 3", "success"),
        (
            "",
            "CONSTANT x <- Two",
            "error M.cfg:1:30: `x` is a variable",
        ),
        (
            "",
            "CONSTANT A!B!Two <- Two",
            "error M.cfg:1:34: there is no constant and no definition `A!B!Two`",
        ),
        (
            "",
            "CONSTANT A!Two <- Two",
            "error M.cfg:1:32: there is no constant and no definition `A!Two`",
        ),
        (
            "A == INSTANCE Naturals\nInv == A!+(x, 1) < 4",
            "CONSTANT A!Tow <- Two",
            "error M.cfg:1:32: there is no",
        ),
        (
            "",
            "CONSTANT Tow <- Two",
            "error M.cfg:1:30: there is no constant and no definition `Tow`",
        ),
        (
            "",
            "CONSTANT Two <- Tow",
            "error M.cfg:1:37: there is no constant and no definition `Tow`",
        ),
        (
            "",
            "CONSTANT Two <-[Mm] Two",
            "error M.cfg:1:30: there is no module `Mm` with a definition `Two`",
        ),
        (
            "",
            "CONSTANT F <- G",
            "error M.cfg:1:35: `G` cannot stand for `F`: it has 2 parameters, and `F` has 1",
        ),
        (
            "CONSTANT C(_)",
            "CONSTANT C <- Two",
            "error M.cfg:1:35: `Two` cannot stand for `C`: it has 0",
        ),
        (
            "Inv == F(1) = 2",
            "CONSTANT F <- H INVARIANT Inv",
            "success",
        ),
        (
            "Inv == x' < 9",
            "INVARIANT Inv",
            "error M.cfg:1:31: `Inv` is an action: an invariant",
        ),
        (
            "Inv == [](x < 9)",
            "INVARIANT Inv",
            "error M.cfg:1:31: `Inv` is a temporal formula: an invariant",
        ),
    ]);
}

#[test]
fn assumptions_without_a_value_are_errors() {
    let rest = "EXTENDS FiniteSets\nRECURSIVE R(_)\nR(n) == IF n = 0 THEN 0 ELSE 1 + R(n - 1)\n";
    for (units, expected) in [
        ("ASSUME 1 = 1", "success "),
        ("ASSUME 1 = 2", "assumption assumption_0"),
        (
            "ASSUME 1 = \"a\"",
            "assumption M.tla:5:8: an assumption has no value: 1 and \"a\" cannot be compared",
        ),
        (
            "ASSUME 5",
            "assumption M.tla:5:8: an assumption has no value: 5 is a number, not TRUE or FALSE",
        ),
        // The first that is not true counts.
        ("ASSUME 1 = 2 ASSUME 5", "assumption assumption_0"),
        (
            "ASSUME 5 ASSUME 1 = 2",
            "assumption M.tla:5:8: an assumption has no value",
        ),
        (
            "ASSUME Cardinality({n \\in 1..2000000000 : n > 5}) > 0",
            "limit a value has more than 16777216 parts",
        ),
        (
            "ASSUME R(500000) = 500000",
            "limit the recursion is too deep: `",
        ),
    ] {
        let got = answer(
            &format!("{rest}{units}").replace("EXTENDS ", "EXTENDS Naturals, "),
            "",
        );
        assert!(got.starts_with(expected), "{units}: {got}");
    }
}

/// What is told about constants of a call, or the warnings.
fn called(units: &str, configuration: &str, constants: &[&str]) -> String {
    let mut files = Files::new();
    let main = files.add("M.tla", format!("---- MODULE M ----\n{units}\n====\n"));
    let mut options = ReadOptions::default();
    options.configuration = Some(("M.cfg".to_string(), configuration.to_string()));
    options.constants = constants.iter().map(|text| text.to_string()).collect();
    match Tla.read(files, main, &options) {
        Ok(read) => {
            let files = &read.signature().files;
            told(files, read.warnings())
        }
        Err(rejected) => rejected.to_string(),
    }
}

#[test]
fn a_call_takes_the_place_of_what_a_configuration_says() {
    // An assumption is true where the constant has the value that is wanted, so the answer tells it.
    let units = "EXTENDS Naturals\nCONSTANTS N, Op(_, _), S\nTwo == 2\nFive(a, b) == 5\nVARIABLE x\nInit == x = Two\nNext == x' = x\n\
        Same == Op(1, 2)";
    let configuration = "INIT Init NEXT Next CONSTANTS N = 3 Op(1, 2) = 4 Op(2, 1) = 7 S <- Two";
    let rows: [(&[&str], &str); 6] = [
        (&[], "N = 3 /\\ Op(1, 2) = 4 /\\ Op(2, 1) = 7 /\\ S = 2"),
        (&["N <- Two", "S = 3"], "N = 2 /\\ S = 3"),
        (&["N = 8", "N = 9"], "N = 9"),
        (&["Op(1, 2) = 6"], "Op(1, 2) = 6 /\\ Op(2, 1) = 7"),
        (&["Op <- Five"], "Op(1, 2) = 5 /\\ Op(2, 1) = 5"),
        (&["S = {1, {}}"], ""),
    ];
    for (constants, wanted) in rows {
        let mut files = Files::new();
        let text =
            format!("---- MODULE M ----\n{units}\nASSUME {wanted}\nASSUME ~({wanted})\n====\n");
        let text = text.replace("ASSUME \n", "").replace("ASSUME ~()\n", "");
        let main = files.add("M.tla", text);
        let mut options = ReadOptions::default();
        options.configuration = Some(("M.cfg".to_string(), configuration.to_string()));
        options.constants = constants.iter().map(|text| text.to_string()).collect();
        let read = match Tla.read(files, main, &options) {
            Ok(read) => read,
            Err(rejected) => {
                let told = rejected.to_string();
                assert!(
                    wanted.is_empty() && told.contains("this is no set"),
                    "{told}"
                );
                continue;
            }
        };
        let inquiry = read.resolve(&Default::default()).expect("questions");
        let explicit = inquiry.body.explicit().expect("an explorer");
        let mut explorer = explicit.explorer(&[]);
        let mut out = evenhand_system::Successors::new();
        explorer.initial(&mut out);
        let held = inquiry
            .questions
            .iter()
            .map(|question| match &question.what {
                evenhand_system::What::Invariant(formula) => {
                    let mut all = formula.reads().into_iter();
                    all.all(|read| explorer.holds(read, out.state(0)).expect("a truth value"))
                }
                _ => panic!("{} has no value", question.name),
            });
        assert_eq!(
            held.collect::<Vec<_>>(),
            [true, false],
            "{constants:?}: {wanted}"
        );
    }
}

#[test]
fn what_is_said_too_much_is_told() {
    let rows: [(&str, &[&str], &str); 5] = [
        (
            "CONSTANT x = 3",
            &[],
            "M.cfg:1:30: `x` is a variable: a configuration gives values to constants",
        ),
        (
            "CONSTANT Tow = 3",
            &[],
            "M.cfg:1:30: there is no constant and no definition `Tow`",
        ),
        (
            "",
            &["x = 3"],
            "constant:1:1: `x` is a variable: a configuration gives values to constants",
        ),
        (
            "",
            &["Tow = 3"],
            "constant:1:1: there is no constant and no definition `Tow`",
        ),
        ("", &[], ""),
    ];
    for (configuration, constants, expected) in rows {
        let got = called(UNITS, &format!("{PLAIN}{configuration}"), constants);
        let place = expected.split_once(':').map_or("", |(_, rest)| rest);
        assert!(
            got.contains(place) && got.is_empty() == expected.is_empty(),
            "{configuration}: {got}"
        );
    }
    let whole = "EXTENDS Naturals\nVARIABLES x, y, z\nvars == <<x, <<y>>>>\nInit == x = 0 /\\ y = 0 /\\ z = 0\n\
        Next == UNCHANGED <<vars, z>>\nSpec == Init /\\ [][Next]_vars\nGood == Init /\\ [][Next]_<<vars, z>>";
    let got = called(whole, "SPECIFICATION Spec", &[]);
    assert!(
        got.contains("7:26: the subscript of the next-state action does not have `z`"),
        "{got}"
    );
    assert_eq!(called(whole, "SPECIFICATION Good", &[]), "");
}
