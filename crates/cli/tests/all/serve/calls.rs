//! What calls answer: the same as the command, and within limits whatever the model.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::server::Server;

fn models() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

fn verdicts(answers: &Value) -> Vec<(String, String)> {
    let list = answers["properties"].as_array().expect("a list").iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    list.map(|p| (text(&p["name"]), text(&p["verdict"])))
        .collect()
}

#[test]
fn every_language_is_read_and_checked_as_the_command_does() {
    let files = [
        "promela/peterson.pml",
        "smv/semaphore.smv",
        "tla/Semaphore.tla",
        "petri/philosophers.pnml",
    ];
    let existing: Vec<&str> = files
        .into_iter()
        .filter(|file| models().join(file).exists())
        .collect();
    assert!(existing.len() >= 2, "the models are where they were");
    let server = Server::start(&models(), &existing);
    for (number, file) in existing.iter().enumerate() {
        let read = server.call("read", &json!({ "model": number })).json();
        assert!(read["version"].is_number(), "{file}: {read}");
        let properties = read["properties"].as_array().expect("a list").iter();
        let questions: Vec<Value> = properties
            .map(|p| json!({ "kind": "property", "text": p["name"] }))
            .collect();
        let body = json!({ "version": read["version"], "questions": questions });
        let begun = server.call("check", &body).json();
        let job = server.job(&begun["job"]);
        let output = Command::new(env!("CARGO_BIN_EXE_evenhand"))
            .args(["check", "--format", "json", file])
            .current_dir(models())
            .output()
            .expect("evenhand runs");
        let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(verdicts(&job["answer"]["data"]), verdicts(&said), "{file}");
    }
}

const SEMAPHORE: &str = "bool free = true;
active [2] proctype p() {
  do
  :: true ->
want: atomic { free -> free = false };
have: free = true
  od
}
ltl entry { [] (p[0]@want -> <> p[0]@have) }
";

/// The verdict on `entry` under some fairness.
fn entry(server: &Server, version: &Value, fair: &[&str]) -> String {
    let body = json!({
        "version": version, "fair": fair,
        "questions": [{ "kind": "property", "text": "entry" }],
    });
    let begun = server.call("check", &body).json();
    let job = server.job(&begun["job"]);
    let word = &job["answer"]["data"]["properties"][0]["verdict"];
    word.as_str().unwrap_or_else(|| panic!("{job}")).to_string()
}

#[test]
fn fairness_is_chosen_item_by_item_and_advice_says_which() {
    let server = Server::of_text("fairness", "s.pml", SEMAPHORE);
    let mut call = json!({ "model": 0, "by": "instance" });
    let read = server.call("read", &call).json();
    let names: Vec<&str> = read["candidates"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|c| c["strong"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(names, ["strong:p[0]", "strong:p[1]"]);
    let version = &read["version"];
    assert_eq!(entry(&server, version, &[]), "violated");
    assert_eq!(
        entry(&server, version, &["weak:p[0]", "weak:p[1]"]),
        "violated"
    );
    assert_eq!(entry(&server, version, &["strong:p[1]"]), "violated");
    assert_eq!(
        entry(&server, version, &["strong:p[0]", "weak:p[1]"]),
        "holds"
    );
    call["version"] = version.clone();
    call["questions"] = json!([{ "kind": "property", "text": "entry" }]);
    let begun = server.call("advise", &call).json();
    let advice = server.job(&begun["job"])["answer"].clone();
    let assignments = advice["advice"][0]["assignments"]
        .as_array()
        .expect("a list");
    assert!(!assignments.is_empty(), "{advice}");
    for assignment in assignments {
        let texts = assignment["fairness"].as_array().expect("a list").iter();
        let texts: Vec<&str> = texts.filter_map(Value::as_str).collect();
        assert_eq!(entry(&server, version, &texts), "holds", "{texts:?}");
    }
}

#[test]
fn a_walk_says_who_is_blocked_and_why_and_where_the_automaton_is() {
    let server = Server::of_text("walk", "s.pml", SEMAPHORE);
    let version = server.read(None)["version"].clone();
    let mut body = json!({
        "version": version, "path": [], "fair": ["strong:p"],
        "questions": [{ "kind": "property", "text": "entry" }],
    });
    let start = server.call("walk", &body).json();
    assert_eq!(start["path"], json!([0]));
    assert_eq!(start["state"], json!([["free", "true"]]));
    let who = |answer: &Value| -> Vec<String> {
        let list = answer["choices"].as_array().expect("a list").iter();
        list.map(|c| {
            format!(
                "{} {}",
                c["process"].as_str().unwrap_or("?"),
                c["action"].as_str().unwrap_or("?")
            )
        })
        .collect()
    };
    assert_eq!(who(&start).len(), 2);
    // One after the other: p[1] wants and takes, p[0] wants and cannot.
    let mut answer = start;
    for wanted in ["p[1] ", "p[1] ", "p[0] "] {
        let number = who(&answer).iter().position(|c| c.starts_with(wanted));
        let mut path = answer["path"].as_array().expect("a path").clone();
        path.push(json!(number.expect("a step of it")));
        body["path"] = json!(path);
        answer = server.call("walk", &body).json();
        assert_eq!(answer["path"].as_array().map(Vec::len), Some(path.len()));
    }
    assert_eq!(answer["state"], json!([["free", "false"]]));
    let blocked = answer["processes"].as_array().expect("a list").iter();
    let blocked: Vec<&Value> = blocked.filter(|p| p["moves"] == false).collect();
    assert_eq!(blocked.len(), 1, "{answer}");
    assert_eq!(blocked[0]["name"], "p[0]");
    assert_eq!(
        blocked[0]["obstacles"][0]["reason"],
        "the condition is false"
    );
    assert_eq!(blocked[0]["obstacles"][0]["line"], 5);
    let fairness = answer["fairness"].as_array().expect("a list");
    assert_eq!(fairness[0]["now"], "not enabled", "{fairness:?}");
    assert_eq!(fairness[1]["now"], "enabled");
    let automaton = &answer["automaton"];
    let moment = automaton["at"]
        .as_array()
        .and_then(|at| at.last()?.as_u64());
    let possible = &automaton["moments"][moment.expect("a moment") as usize][1];
    assert_eq!(
        possible.as_array().map(Vec::len),
        Some(1),
        "it waits: {automaton}"
    );
    // A path that the model does not have ends where it leaves it.
    body["path"] = json!([0, 0, 99, 0]);
    assert_eq!(server.call("walk", &body).json()["path"], json!([0, 0]));
}

/// What stands in the way of each that cannot move, after some steps, each the first that is possible.
fn obstacles(server: &Server, steps: usize) -> Vec<String> {
    let version = server.read(None)["version"].clone();
    let body = json!({
        "version": version, "path": vec![0; steps + 1], "fair": [], "questions": [],
    });
    let answer = server.call("walk", &body).json();
    assert_eq!(
        answer["path"].as_array().map(Vec::len),
        Some(steps + 1),
        "{answer}"
    );
    let all = answer["processes"].as_array().expect("a list").iter();
    let stuck = all.filter(|process| process["moves"] == false);
    let told = stuck.flat_map(|process| {
        let reasons = process["obstacles"].as_array().expect("a list").iter();
        reasons.map(|obstacle| {
            let text = |value: &Value| value.as_str().unwrap_or("?").to_string();
            format!("{}: {}", text(&process["name"]), text(&obstacle["reason"]))
        })
    });
    told.collect()
}

#[test]
fn actions_of_tla_name_the_conditions_that_are_false() {
    let text = "---- MODULE s ----
EXTENDS Naturals
VARIABLES free, x
Init == free = TRUE /\\ x = 0
Take ==
  /\\ free
  /\\ IF x = 7 THEN TRUE ELSE x < 2
  /\\ free' = FALSE
  /\\ x' = x + 1
Give == \\E y \\in 1..2 : ~free /\\ y # x /\\ free' = TRUE /\\ UNCHANGED x
Odd == \\E y \\in 0..1 : y = 0 /\\ y > 0 /\\ UNCHANGED <<x, free>>
Next == Take \\/ Give \\/ Odd
====
---- CONFIG s ----
INIT Init
NEXT Next
====
";
    let server = Server::of_text("tla-blocked", "s.tla", text);
    let odd = "Odd: `y > 0` is false";
    assert_eq!(obstacles(&server, 0), ["Give: `~free` is false", odd]);
    assert_eq!(obstacles(&server, 1), ["Take: `free` is false", odd]);
    let end = ["Take: `x < 2` is false", "Give: `~free` is false", odd];
    assert_eq!(obstacles(&server, 4), end);
}

#[test]
fn transitions_of_maria_name_what_is_missing() {
    let text = "
typedef unsigned (1..2) client;
place idle (0..2) client: client c: c;
place line (1) client[queue 2]: {};
place pair (0..2) struct { client a; client b; }: { 1, 1 };
trans ask in { place idle: c; place line: q; } out { place line: q + c; };
trans serve in { place line: q; } out { place line: -q; place idle: *q; } gate /q != 0;
trans match in { place idle: c; place pair: { 2, +c }; } out { place idle: c; place pair: { 2, +c }; };
";
    let server = Server::of_text("maria-blocked", "line.pn", text);
    let start = [
        "serve: `/q != 0` is false for serve<q={}>",
        "match: `pair` has no token for `{ 2, +c }` for match<c=1>",
    ];
    assert_eq!(obstacles(&server, 0), start);
    let end = ["ask: `idle` is empty", "match: `idle` is empty"];
    assert_eq!(obstacles(&server, 2), end);
}

#[test]
fn steps_of_smv_are_told_by_what_they_change_and_end_for_a_reason() {
    let text = "MODULE main
VAR light : {red, green}; cars : 0..2;
ASSIGN
  init(light) := red; init(cars) := 0;
  next(light) := case light = red : green; TRUE : red; esac;
TRANS next(cars) = cars + 1
FAIRNESS light = green;
COMPASSION (cars = 0, light = red);
LTLSPEC NAME full := F cars = 2;
";
    let server = Server::of_text("smv-walk", "m.smv", text);
    let read = server.read(None);
    let declared = json!(["just:light = green", "compassion:cars = 0=>light = red"]);
    assert_eq!(read["declared"], declared, "{read}");
    let candidates = read["candidates"].as_array().expect("a list");
    assert_eq!(candidates[0]["weak"], candidates[0]["strong"]);
    let body = json!({
        "version": read["version"], "path": [0, 0, 0], "fair": [], "questions": [],
    });
    let answer = server.call("walk", &body).json();
    let crumbs = answer["crumbs"].as_array().expect("a list").iter();
    let crumbs: Vec<&str> = crumbs
        .filter_map(|crumb| crumb["action"].as_str())
        .collect();
    let wanted = [
        "initial state",
        "light = green, cars = 1",
        "light = red, cars = 2",
    ];
    assert_eq!(crumbs, wanted);
    let reason = "main: no next state satisfies `next(cars) = cars + 1` (line 6) \
                  within the types of the variables";
    assert_eq!(obstacles(&server, 2), [reason]);
    assert_eq!(answer["processes"][0]["obstacles"][0]["line"], Value::Null);
}

#[test]
fn a_run_leads_to_a_walk_and_the_graph_knows_which_components_are_fair() {
    let server = Server::of_text("graph", "s.pml", SEMAPHORE);
    let version = server.read(None)["version"].clone();
    let mut body = json!({
        "version": version, "fair": [],
        "questions": [{ "kind": "property", "text": "entry" }],
    });
    let begun = server.call("check", &body).json();
    let job = server.job(&begun["job"]);
    let run = &job["answer"]["data"]["properties"][0]["run"];
    let steps = run["steps"].as_array().expect("a run").len();
    body["job"] = begun["job"].clone();
    body["result"] = json!(0);
    body["step"] = json!(steps - 1);
    let path = server.call("follow", &body).json();
    assert_eq!(path["path"].as_array().map(Vec::len), Some(steps), "{path}");
    let mut fair = Vec::new();
    for assumed in [json!([]), json!(["strong:p"])] {
        body["fair"] = assumed;
        let graph = server.call("graph", &body).json();
        assert_eq!(graph["nodes"].as_array().map(Vec::len), Some(8), "{graph}");
        let parts = graph["components"].as_array().expect("a list").iter();
        fair.push(parts.filter(|c| c["fair"] == true).count());
    }
    assert_eq!(fair, [1, 1]);
    // Two loops of one process each, which only fairness leaves.
    let text = "bool a, b; active proctype p() { do :: a = !a :: break od } \
                active proctype q() { b = true }";
    let version = server.read(Some(text))["version"].clone();
    let count = |fair: &[&str]| {
        let body = json!({ "version": version, "fair": fair });
        let graph = server.call("graph", &body).json();
        let parts = graph["components"].as_array().expect("a list").clone();
        let cyclic = parts.iter().filter(|c| c["cyclic"] == true).count();
        (cyclic, parts.iter().filter(|c| c["fair"] == true).count())
    };
    let (cyclic, without) = count(&[]);
    assert_eq!(without, cyclic, "every cycle is fair without fairness");
    let (same, with) = count(&["weak:q"]);
    assert!(
        same == cyclic && with < without,
        "{cyclic} {without} {with}"
    );
}

/// Texts that explode: each call comes back, and the next one is answered.
#[test]
fn a_hostile_model_does_not_hang_the_server() {
    let server = Server::of_text("hostile", "h.pml", "active proctype p() { skip }");
    let nested = format!(
        "int x; active proctype p() {{ x = {}1{} }}",
        "(".repeat(50_000),
        ")".repeat(50_000)
    );
    let doubling: String = (1..60)
        .map(|n| format!("#define A{n} A{} A{}\n", n - 1, n - 1))
        .collect();
    let doubling = format!("#define A0 skip;\n{doubling}active proctype p() {{ A59 }}");
    let begun = Instant::now();
    for text in [
        nested.as_str(),
        doubling.as_str(),
        "\u{0}\u{202e}",
        "active proctype",
    ] {
        let read = server.read(Some(text));
        assert!(
            read["version"].is_null() || read["diagnostics"].is_array(),
            "{read}"
        );
    }
    // More states than anybody can count: cancelled from the page.
    let large = "int a, b, c, d; active proctype p() { do :: a++ :: b++ :: c++ :: d++ od }";
    let read = server.read(Some(large));
    let formula = json!([{ "kind": "ltl", "text": "[] (a >= 0 || b < 5)" }]);
    let body = json!({ "version": read["version"], "questions": formula });
    let job = server.call("check", &body).json()["job"].clone();
    let graph = server.call("graph", &body).json();
    assert!(graph["too_large"].is_string(), "{graph}");
    let path = format!("/{}/api/jobs/{job}", server.token);
    while server.get(&path, &server.host(), &[]).json()["states"].as_u64() < Some(1000) {
        assert!(begun.elapsed() < Duration::from_secs(120), "it explores");
        std::thread::sleep(Duration::from_millis(10));
    }
    server.call("cancel", &json!({ "job": job }));
    let ended = server.job(&job);
    assert_eq!(ended["cancelled"], true);
    let verdict = &ended["answer"]["data"]["properties"][0];
    assert_eq!(verdict["verdict"], "unknown", "{ended}");
    // Enough is enough.
    let jobs: Vec<u16> = (0..6).map(|_| server.call("check", &body).status).collect();
    assert!(jobs.contains(&429), "{jobs:?}");
    let read = server.read(None);
    assert!(read["version"].is_number());
}

#[test]
fn includes_stay_near_the_file() {
    let server = Server::of_text("include", "i.pml", "active proctype p() { skip }");
    let beside = super::server::folder_of("include").join("near.h");
    std::fs::write(&beside, "byte near;").expect("a file");
    let including = |name: &str| {
        let text = format!("#include \"{name}\"\nactive proctype p() {{ near = 1 }}");
        server.read(Some(&text))
    };
    let read = including("near.h");
    assert!(read["version"].is_number(), "{read}");
    for name in ["/etc/passwd", "../serve_include/near.h/../../x", "../x.h"] {
        let read = including(name);
        let message = read["diagnostics"][0]["message"].as_str().unwrap_or("");
        assert!(message.contains("outside of the folder"), "{name}: {read}");
        assert!(read["version"].is_null() && !read.to_string().contains("root:"));
    }
}
