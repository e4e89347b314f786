//! Configurations and assignments of a command line.

use evenhand_source::Files;
use evenhand_tla::names::Names;
use evenhand_tla::syntax::ast::Ident;
use evenhand_tla::syntax::config::{
    Assignment, ConfigValue, Configuration, behind, configuration, constant,
};

use crate::show::told;

struct Show<'n>(&'n Names);

impl Show<'_> {
    fn idents(&self, all: &[Ident], between: &str) -> String {
        let all: Vec<&str> = all.iter().map(|ident| self.0.text(ident.name)).collect();
        all.join(between)
    }

    fn value(&self, value: &ConfigValue) -> String {
        match value {
            ConfigValue::Number(number) => number.to_string(),
            ConfigValue::Text(text) => format!("{:?}", self.0.text(*text)),
            ConfigValue::Truth(truth) => truth.to_string(),
            ConfigValue::Model(name) => self.0.text(*name).to_string(),
            ConfigValue::Set(all, _) => {
                let all: Vec<String> = all.iter().map(|value| self.value(value)).collect();
                format!("{{{}}}", all.join(", "))
            }
        }
    }

    fn assignment(&self, assignment: &Assignment) -> String {
        let module = |module: &Option<Ident>| {
            module.map_or(String::new(), |module| {
                format!("[{}]", self.0.text(module.name))
            })
        };
        match assignment {
            Assignment::Value {
                path,
                args,
                module: within,
                value,
            } => {
                let args: Vec<String> = args.iter().map(|value| self.value(value)).collect();
                let args = if args.is_empty() {
                    String::new()
                } else {
                    format!("({})", args.join(", "))
                };
                format!(
                    "{}{args} ={} {}",
                    self.idents(path, "!"),
                    module(within),
                    self.value(value)
                )
            }
            Assignment::Replace {
                path,
                module: within,
                by,
            } => {
                format!(
                    "{} <-{} {}",
                    self.idents(path, "!"),
                    module(within),
                    self.0.text(by.name)
                )
            }
        }
    }

    fn all(&self, read: &Configuration) -> String {
        let mut lines = Vec::new();
        let single = [
            ("SPECIFICATION", &read.specification),
            ("INIT", &read.init),
            ("NEXT", &read.next),
            ("VIEW", &read.view),
            ("ALIAS", &read.alias),
        ];
        for (word, ident) in single {
            lines.extend(ident.map(|ident| format!("{word} {}", self.0.text(ident.name))));
        }
        let several = [
            ("INVARIANTS", &read.invariants),
            ("PROPERTIES", &read.properties),
            ("CONSTRAINTS", &read.constraints),
            ("ACTION_CONSTRAINTS", &read.action_constraints),
            ("SYMMETRY", &read.symmetry),
            ("POSTCONDITIONS", &read.postconditions),
            ("_POSSIBLE", &read.possible),
        ];
        for (word, all) in several {
            if !all.is_empty() {
                lines.push(format!("{word} {}", self.idents(all, " ")));
            }
        }
        lines.extend(
            read.constants
                .iter()
                .map(|assignment| self.assignment(assignment)),
        );
        lines.extend(
            read.check_deadlock
                .map(|check| format!("CHECK_DEADLOCK {check}")),
        );
        for (keyword, ident) in &read.others {
            lines.push(format!(
                "{} {}",
                self.0.text(keyword.name),
                self.0.text(ident.name)
            ));
        }
        lines.join("\n")
    }
}

fn read(text: &str) -> String {
    let mut files = Files::new();
    let file = files.add("c", text);
    let mut names = Names::new();
    match configuration(&files, file, &mut names) {
        Ok(read) => Show(&names).all(&read),
        Err(problems) => told(&files, &problems),
    }
}

#[test]
fn sections_of_all_kinds() {
    let text = "\\* a comment
SPECIFICATION Spec (* another *) INVARIANTS A B INVARIANT C, D
PROPERTY P PROPERTIES Q R
CONSTANTS N = 3 M = -2 S = {1, \"two\", TRUE, {m, {}}} Mv = Mv
  Op(1, {2}) = FALSE Nat <- MyNat Seq <-[Sub] BSeq K =[Sub] k I!Op <- Other + <- Plus
CONSTRAINT Small ACTION_CONSTRAINT Calm SYMMETRY Perms VIEW v ALIAS a POSTCONDITION Post
CHECK_DEADLOCK FALSE _POSSIBLE X Y _PERIODIC T";
    let expected = "SPECIFICATION Spec
VIEW v
ALIAS a
INVARIANTS A B C D
PROPERTIES P Q R
CONSTRAINTS Small
ACTION_CONSTRAINTS Calm
SYMMETRY Perms
POSTCONDITIONS Post
_POSSIBLE X Y
N = 3
M = -2
S = {1, \"two\", true, {m, {}}}
Mv = Mv
Op(1, {2}) = false
Nat <- MyNat
Seq <-[Sub] BSeq
K =[Sub] k
I!Op <- Other
+ <- Plus
CHECK_DEADLOCK false
_PERIODIC T";
    assert_eq!(read(text), expected);
    assert_eq!(read("INIT I\nNEXT N"), "INIT I\nNEXT N");
    assert_eq!(read(""), "");
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let cases = [
        (
            "INVARIANS A",
            "1:1: `INVARIANS` begins no section of a configuration (did you mean `INVARIANT`?)",
        ),
        (
            "INIT",
            "1:5: expected the name of a definition, found the end of the configuration",
        ),
        (
            "INIT NEXT N",
            "1:6: expected the name of a definition, found `NEXT`",
        ),
        ("INIT A\nINIT B", "2:1: there is a second section `INIT`"),
        (
            "CONSTANT N",
            "1:11: expected `=` or `<-`, found the end of the configuration",
        ),
        (
            "CONSTANT N = ",
            "1:14: expected a value, found the end of the configuration",
        ),
        (
            "CONSTANT N = {1",
            "1:16: expected `,` or `}`, found the end of the configuration",
        ),
        ("CONSTANT N = 99999999999", "1:14: this number is too large"),
        ("CONSTANT f = [a |-> 1]", "1:17: expected `]`, found `|->`"),
        (
            "CONSTANT f = << 1 >>",
            "1:14: `<<` is no value of a configuration",
        ),
        ("CHECK_DEADLOCK maybe", "1:16: expected `TRUE` or `FALSE`"),
    ];
    for (text, expected) in cases {
        let found = read(text);
        assert!(found.starts_with(expected), "{text}\n{found}");
    }
}

#[test]
fn a_configuration_may_stand_behind_the_module() {
    let text = "---- MODULE M ----\n====\n---- CONFIG Other ----\nINIT Wrong\n====\n\
        ------ CONFIG  M ------\nINIT Init\nNEXT Next\n====\nINIT Late\n";
    let mut files = Files::new();
    let file = files.add("M.tla", text);
    let mut names = Names::new();
    let found = behind(&files, file, "M", &mut names)
        .expect("it is there")
        .expect("it is right");
    assert_eq!(Show(&names).all(&found), "INIT Init\nNEXT Next");
    assert!(behind(&files, file, "X", &mut names).is_none());
    // Places are those of the file.
    let wrong = "---- CONFIG M ----\nINIT\n====\n";
    let file = files.add("W.tla", wrong);
    let problems = behind(&files, file, "M", &mut names)
        .expect("it is there")
        .expect_err("it is wrong");
    assert_eq!(
        told(&files, &problems),
        "3:1: expected the name of a definition, found the end of the configuration"
    );
}

#[test]
fn assignments_of_a_command_line() {
    let one = |text: &str| {
        let mut files = Files::new();
        let file = files.add("constant", text);
        let mut names = Names::new();
        match constant(&files, file, &mut names) {
            Ok(assignment) => Show(&names).assignment(&assignment),
            Err(problems) => told(&files, &problems),
        }
    };
    assert_eq!(one("N=3"), "N = 3");
    assert_eq!(one("Nat<-MyNat"), "Nat <- MyNat");
    assert_eq!(one("S={a,b}"), "S = {a, b}");
    assert_eq!(one("N=3 M=4"), "1:5: expected the end, found `M`");
    assert_eq!(
        one(""),
        "1:1: expected the name of a constant, found the end of the configuration"
    );
}
