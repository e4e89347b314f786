//! What `ENABLED` of an action means where that is easily mistaken: actions with arguments that speak of variables, actions of
//! instances whose variables stand for expressions, and instances inside of instances. What is expected was found by hand, and
//! is what TLC says.

use std::path::Path;
use std::process::Command;

const ENGINES: [&str; 4] = ["streett", "latvala-heljanko", "feasible", "symbolic"];

/// Writes modules and a configuration into a folder of their own; the first module is the main one.
fn written(name: &str, modules: &[(&str, &str)], configuration: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("tla-enabled")
        .join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    for (module, text) in modules {
        let text = format!("---- MODULE {module} ----\nEXTENDS Naturals\n{text}\n====\n");
        std::fs::write(folder.join(format!("{module}.tla")), text).expect("a module");
    }
    let main = folder.join(format!("{}.tla", modules[0].0));
    std::fs::write(main.with_extension("cfg"), configuration).expect("the configuration");
    main.to_string_lossy().into_owned()
}

/// The verdicts of some properties that are asked together.
fn verdicts(model: &str, properties: &[&str], options: &[&str]) -> Vec<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenhand"));
    command.args([
        "check",
        model,
        "--format",
        "json",
        "--counterexample",
        "none",
    ]);
    for property in properties {
        command.args(["-p", property]);
    }
    let output = command.args(options).output().expect("the command runs");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    // An engine may refuse a call as a whole.
    let list = found["properties"].as_array().into_iter().flatten();
    list.map(|property| property["verdict"].as_str().expect("a verdict").to_string())
        .collect()
}

/// Every engine says the same of a property, or that it does not know.
fn all_say(model: &str, property: &str, expected: &str) {
    let mut decided = 0;
    for engine in ENGINES {
        for told in verdicts(model, &[property], &["--engine", engine]) {
            if told != "unknown" {
                assert_eq!(told, expected, "{property} by {engine}");
                decided += 1;
            }
        }
    }
    assert!(decided >= 3, "{property} was decided {decided} times");
    assert_eq!(
        verdicts(model, &[property], &["--certify", "full"]),
        [expected]
    );
}

#[test]
fn an_argument_that_speaks_of_variables_may_be_primed() {
    // Steps of Move(x) are none of Move(1), although x is 1: x' is 5, and 1' is 1.
    let never = "VARIABLES x, y
Move(p) == y = 0 /\\ x' = 5 /\\ p' = 5 /\\ y' = 1
Init == x = 1 /\\ y = 0
Next == Move(x)
Spec == Init /\\ [][Next]_<<x, y>> /\\ WF_<<x, y>>(Move(1))
Never == ~ENABLED Move(1)
Moves == <>(y = 1)";
    let configuration = "SPECIFICATION Spec\nCHECK_DEADLOCK FALSE";
    let model = written("never", &[("Never", never)], configuration);
    all_say(&model, "Moves", "violated");
    assert_eq!(verdicts(&model, &["Never"], &[]), ["holds"]);
    // The other way round: Move(1) has a step where Move(x) has none.
    let always = "VARIABLES x, y
Move(p) == y = 0 /\\ x' = 5 /\\ p' # 5 /\\ y' = 1
Other == x = 1 /\\ y = 0 /\\ x' = 5 /\\ y' = 1
Init == x = 1 /\\ y = 0
Next == Move(x) \\/ Other
Spec == Init /\\ [][Next]_<<x, y>> /\\ WF_<<x, y>>(Move(1))
Moves == <>(y = 1)";
    let model = written("always", &[("Always", always)], configuration);
    all_say(&model, "Moves", "holds");
    // Through a definition whose parameter stands for the variable.
    let through = never.replace("Next == Move(x)", "By(q) == Move(q)\nNext == By(x)");
    let model = written("through", &[("Through", &through)], configuration);
    all_say(&model, "Moves", "violated");
}

#[test]
fn an_instance_has_next_values_of_its_own() {
    // <<Go>>_z can always be, since z is a variable of its own there; but no step of the specification is one, since
    // x' + y' is 4 and not 3.
    let outer = "VARIABLES x, y
X == INSTANCE Inner WITH z <- x + y
Init == x = 0 /\\ y = 0
Other == x' = 1 /\\ y' = 1
Next == X!Go \\/ Other
Spec == Init /\\ [][Next]_<<x, y>> /\\ X!Fair
Open == X!CanGo
Same == X!Fair";
    let inner = "VARIABLES x, y, z
Go == x' = 1 /\\ y' = 3 /\\ z' = 3
CanGo == ENABLED <<Go>>_z
Fair == WF_z(Go)";
    let modules = [("Outer", outer), ("Inner", inner)];
    let model = written("own", &modules, "SPECIFICATION Spec\nCHECK_DEADLOCK FALSE");
    assert_eq!(verdicts(&model, &["Open"], &[]), ["holds"]);
    // What is assumed holds, even where nobody can be fair.
    all_say(&model, "Same", "holds");
    all_say(&model, "feasible", "violated");
}

#[test]
fn the_next_state_action_of_an_instance_is_no_other_one() {
    let outer = "VARIABLES x, y
X == INSTANCE Inner WITH z <- x + y
Spec == X!Spec
Same == X!Spec";
    let inner = "VARIABLES x, y, z
Init == x = 0 /\\ y = 0
Next == (x' = 1 /\\ y' = 3 /\\ z' = 3) \\/ (x = 0 /\\ x' = 1 /\\ y' = 1)
Spec == Init /\\ [][Next]_<<x, y, z>> /\\ WF_<<x, y, z>>(Next)";
    let modules = [("Outer", outer), ("Inner", inner)];
    let model = written("spec", &modules, "SPECIFICATION Spec\nCHECK_DEADLOCK FALSE");
    assert_eq!(verdicts(&model, &["Same"], &[]), ["holds"]);
}

#[test]
fn what_is_asked_beside_changes_nothing() {
    let outer = "VARIABLES x, y
I == INSTANCE Middle WITH m <- x
J == INSTANCE Middle WITH m <- x + 0
Init == x = 0 /\\ y = 0
Next == x' = (x + 1) % 4 /\\ y' = 1 - y
Spec == Init /\\ [][Next]_<<x, y>> /\\ WF_<<x, y>>(Next)
Deep == I!K!Can /\\ J!K!Can
Fair == I!K!Fair /\\ J!K!Fair
Never == ~I!Can
NeverJ == ~J!Can
Again == []<>I!Can";
    let middle = "VARIABLE m
K == INSTANCE Low WITH l <- m % 2
Both == m' \\in {m, m + 2} /\\ K!Flip
Can == ENABLED Both";
    let low = "VARIABLE l
Flip == l' = 1 - l
Can == ENABLED Flip
Fair == WF_l(Flip)";
    let modules = [("Outer", outer), ("Middle", middle), ("Low", low)];
    let model = written("nested", &modules, "SPECIFICATION Spec");
    let alone: Vec<String> = ["Deep", "Fair", "Never", "NeverJ", "Again"]
        .iter()
        .flat_map(|name| verdicts(&model, &[name], &[]))
        .collect();
    assert_eq!(alone, ["holds", "holds", "holds", "holds", "violated"]);
    assert_eq!(
        verdicts(&model, &["Fair", "Again"], &[]),
        ["holds", "violated"]
    );
    assert_eq!(
        verdicts(&model, &["Deep", "Never"], &[]),
        ["holds", "holds"]
    );
    assert_eq!(
        verdicts(&model, &["NeverJ", "Fair", "Again"], &[]),
        ["holds", "holds", "violated"]
    );
}

#[test]
fn guards_that_no_state_decides_are_no_part_of_the_formula() {
    let ring = "CONSTANT N
VARIABLE x
A(p) == x = p /\\ x' = (p + 1) % N
Init == x = 0
Next == \\E p \\in 0..N - 1 : A(p) \\/ (x' = 0 /\\ x = p)
Guarded == \\A p \\in 0..N - 1 : (p < N) => SF_x(A(p))
Chosen == \\A p \\in 0..N - 1 : IF p < N THEN SF_x(A(p)) ELSE FALSE
Cases == \\A p \\in 0..N - 1 : CASE p < N -> SF_x(A(p)) [] OTHER -> FALSE
Listed == \\A p \\in 0..N - 1 : (p \\in 0..N /\\ SF_x(A(p)))
Named(q) == SF_x(A(q))
ByName == \\A p \\in 0..N - 1 : Named(p)
Comes == \\A p, q \\in 0..N - 1 : p # q => (x = p ~> x = q)";
    for fairness in ["Guarded", "Chosen", "Cases", "Listed", "ByName"] {
        let spec = format!("{ring}\nSpec == Init /\\ [][Next]_x /\\ ({fairness})");
        let configuration = "SPECIFICATION Spec\nCONSTANT N = 12\nPROPERTY Comes";
        let model = written(fairness, &[("Ring", &spec)], configuration);
        assert_eq!(
            verdicts(&model, &["Comes"], &["--limit-time", "60s"]),
            ["holds"]
        );
        assert_eq!(
            verdicts(&model, &["Comes"], &["--no-fairness"]),
            ["violated"]
        );
    }
}
