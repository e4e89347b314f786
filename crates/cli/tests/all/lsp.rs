//! The language server: the protocol directly, and a real Neovim.

#[path = "lsp/editor.rs"]
mod editor;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use editor::Editor;
use serde_json::{Value, json};

use crate::hollow;

fn model(name: &str) -> (String, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let path = root.join(name).canonicalize().expect("a model");
    let text = std::fs::read_to_string(&path).expect("a model");
    (format!("file://{}", path.display()), text)
}

/// The line and the column of the nth occurrence of a text.
fn place(text: &str, what: &str, nth: usize) -> (u32, u32) {
    let (at, _) = text.match_indices(what).nth(nth).expect("it occurs");
    let line = text[..at].matches('\n').count();
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    (line as u32, (at - start) as u32)
}

fn range(from: (u32, u32), length: u32) -> Value {
    json!({
        "start": {"line": from.0, "character": from.1},
        "end": {"line": from.0, "character": from.1 + length},
    })
}

fn titles(lenses: &Value) -> Vec<String> {
    let all = lenses.as_array().expect("lenses").iter();
    let titles = all.map(|lens| lens["command"]["title"].as_str().unwrap_or("").to_string());
    titles.collect()
}

#[test]
fn a_slip_is_told_while_typing_and_mended_by_its_hint() {
    let (uri, text) = model("promela/semaphore.pml");
    let mut editor = Editor::start(json!({}));
    editor.open(&uri, "promela", &text);
    assert_eq!(editor.diagnostics(&uri, 1), Vec::<Value>::new());
    let slip = place(&text, "inside++", 0);
    editor.change(&uri, 2, range(slip, 6), "insida");
    let said = editor.diagnostics(&uri, 2);
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(said[0]["range"], range(slip, 6));
    let message = said[0]["message"].as_str().expect("words");
    assert!(
        message.contains("insida") && message.contains("did you mean `inside`"),
        "{message}"
    );
    let parameters = json!({
        "textDocument": {"uri": uri},
        "range": range(slip, 6),
        "context": {"diagnostics": said},
    });
    let actions = editor.ask("textDocument/codeAction", parameters);
    let edit = &actions[0]["edit"]["changes"][&uri][0];
    assert_eq!(
        (&edit["newText"], &edit["range"]),
        (&json!("inside"), &range(slip, 6))
    );
    editor.change(&uri, 3, range(slip, 6), "inside");
    assert_eq!(editor.diagnostics(&uri, 3), Vec::<Value>::new());
    editor.end();
}

#[test]
fn names_are_found_told_and_renamed() {
    let (uri, text) = model("promela/semaphore.pml");
    let mut editor = Editor::start(json!({}));
    editor.open(&uri, "promela", &text);
    // The first one stands in a comment.
    let declared = place(&text, "inside", 1);
    for nth in 2..6 {
        let used = place(&text, "inside", nth);
        let found = editor.ask_at("definition", &uri, used);
        assert_eq!(found["range"], range(declared, 6), "use {nth}: {found}");
        assert_eq!(found["uri"], uri);
    }
    let label = editor.ask_at("definition", &uri, place(&text, "waiting ->", 0));
    assert_eq!(label["range"], range(place(&text, "waiting:", 0), 7));
    let fair = editor.ask_at("definition", &uri, place(&text, "process */", 0));
    assert_eq!(fair["range"], range(place(&text, "process()", 0), 7));
    let all = editor.ask_at("references", &uri, declared);
    assert_eq!(all.as_array().map(Vec::len), Some(5), "{all}");

    let words = |answer: &Value| {
        answer["contents"]["value"]
            .as_str()
            .unwrap_or("")
            .to_string()
    };
    let told = words(&editor.ask_at("hover", &uri, declared));
    assert!(
        told.contains("byte inside") && told.contains("0..255"),
        "{told}"
    );
    let told = words(&editor.ask_at("hover", &uri, place(&text, "strong:process", 0)));
    assert!(
        told.contains("Strong fairness of every `process`"),
        "{told}"
    );
    let told = words(&editor.ask_at("hover", &uri, place(&text, "entry {", 0)));
    assert!(
        told.contains("automaton") && told.contains("states"),
        "{told}"
    );
    assert!(told.contains("every fair run satisfies"), "{told}");

    let rename = |editor: &mut Editor, name: &str| {
        let parameters = json!({
            "textDocument": {"uri": uri},
            "position": {"line": declared.0, "character": declared.1},
            "newName": name,
        });
        let id = editor.begin("textDocument/rename", parameters);
        editor.answer(id)
    };
    let renamed = rename(&mut editor, "within");
    let edits = renamed["result"]["changes"][&uri].as_array().map(Vec::len);
    assert_eq!(edits, Some(5), "{renamed}");
    for taken in ["semaphore", "do", "2x", "N"] {
        let refused = rename(&mut editor, taken);
        assert!(
            refused["error"]["message"].is_string(),
            "{taken}: {refused}"
        );
    }
    editor.end();
}

#[test]
fn fairness_is_told_where_it_is_stated() {
    let mut editor = Editor::start(json!({}));
    let smv = "MODULE main\nVAR x : 0..2; y : boolean;\nFAIRNESS x = 1;\nCOMPASSION (y, x = 2);\n";
    let tla = "---- MODULE f ----\nVARIABLE x\nA == x' = ~x\nSpec == x = TRUE /\\ [][A]_x /\\ SF_x(A)\n====\n";
    let pml = "/*@ fair just:x == 1 */\nbyte x;\nactive proctype p() { do :: x = 1 - x od }\n";
    for (name, text, at, wanted) in [
        (
            "f.smv",
            smv,
            "FAIRNESS",
            "Justice: only runs count on which `x = 1`",
        ),
        (
            "f.smv",
            smv,
            "COMPASSION",
            "if `y` holds again and again, so does `x = 2`",
        ),
        (
            "f.tla",
            tla,
            "SF_",
            "Strong fairness: if a step `A` that changes `x` is possible again and again",
        ),
        (
            "f.pml",
            pml,
            "just:",
            "Justice: only runs count on which `x == 1`",
        ),
    ] {
        let uri = format!("file:///nowhere/{name}");
        editor.open(&uri, "", text);
        let told = editor.ask_at("hover", &uri, place(text, at, 0));
        let told = told["contents"]["value"].as_str().unwrap_or("").to_string();
        assert!(told.contains(wanted), "{name}: {told}");
        editor.tell(
            "textDocument/didClose",
            json!({"textDocument": {"uri": uri}}),
        );
    }
    editor.end();
}

/// What people write who know another language.
#[test]
fn signs_of_other_languages_are_mended() {
    let mut editor = Editor::start(json!({}));
    let pml = "byte x;\nactive proctype p() { do :: x < 3 && x = 0 -> x++ od }\n";
    let deep = "byte x;\nactive proctype p() { if :: (x = 0) -> x++ :: else fi }\n";
    let smv = "MODULE main\nVAR x : 0..2;\nINVARSPEC x == 1;\n";
    let tla = "---- MODULE m ----\nVARIABLE x\nInit == x = 0\nNext == x' == x\n====\n---- CONFIG m ----\nINIT Init\nNEXT Next\n====\n";
    for (name, text, at, wrong, right) in [
        ("m.pml", pml, "x = 0", "=", "=="),
        ("n.pml", deep, "x = 0", "=", "=="),
        ("m.smv", smv, "x == 1", "==", "="),
        ("m.tla", tla, "x' == x", "==", "="),
    ] {
        let uri = format!("file:///nowhere/{name}");
        editor.open(&uri, "", text);
        let said = editor.diagnostics(&uri, 1);
        let (line, character) = place(text, at, 0);
        let sign = (line, character + at.find(wrong).expect("a sign") as u32);
        let there = range(sign, wrong.len() as u32);
        let parameters = json!({
            "textDocument": {"uri": uri}, "range": there, "context": {"diagnostics": said},
        });
        let actions = editor.ask("textDocument/codeAction", parameters);
        let edit = &actions[0]["edit"]["changes"][&uri][0];
        assert_eq!(
            (&edit["newText"], &edit["range"]),
            (&json!(right), &there),
            "{name}: {said:?}"
        );
    }
    editor.end();
}

#[test]
fn a_text_with_mistakes_still_has_names() {
    let uri = "file:///nowhere/half.pml";
    let text = "byte x;\nproctype p() {\n\tbyte y;\n\tif\n\t:: y = x +\n";
    let mut editor = Editor::start(json!({}));
    editor.open(uri, "promela", text);
    assert!(!editor.diagnostics(uri, 1).is_empty());
    let found = editor.ask_at("definition", uri, place(text, "y =", 0));
    assert_eq!(found["range"], range(place(text, "y;", 0), 1));
    let symbols = editor.ask_about("documentSymbol", uri);
    assert_eq!(symbols[1]["name"], "p", "{symbols}");
    assert_eq!(symbols[1]["children"][0]["name"], "y", "{symbols}");
    let items = editor.ask_at("completion", uri, (4, 10));
    let items = items.as_array().expect("items").iter();
    let names: Vec<&str> = items.filter_map(|item| item["label"].as_str()).collect();
    for name in ["x", "y", "p", "atomic"] {
        assert!(names.contains(&name), "{names:?}");
    }
    editor.end();
}

#[test]
fn the_lens_checks_and_shows_the_verdict_in_place() {
    let (uri, text) = model("promela/semaphore.pml");
    let mut editor = Editor::start(json!({"limitSeconds": 30}));
    // Without strong fairness the property is violated.
    let text = text.replace("fair strong", "fair weak");
    editor.open(&uri, "promela", &text);
    let lenses = editor.ask_about("codeLens", &uri);
    let wanted = [
        "▶ check all properties",
        "▶ check exclusion",
        "▶ check entry",
    ];
    assert_eq!(titles(&lenses), wanted);
    let entry = lenses[2].clone();
    assert_eq!(
        entry["range"]["start"]["line"],
        place(&text, "ltl entry", 0).0
    );
    let answer = editor.command(
        entry["command"]["command"].as_str().expect("a command"),
        entry["command"]["arguments"].clone(),
    );
    assert_eq!(answer["properties"][0]["verdict"], "violated", "{answer}");
    editor.command("evenhand.check", json!([uri, "exclusion"]));
    let lenses = titles(&editor.ask_about("codeLens", &uri));
    assert!(lenses[1].starts_with("✓ holds"), "{lenses:?}");
    let length = "✗ violated by a run of 2 steps, then 6 steps that repeat · ";
    assert!(lenses[2].starts_with(length), "{lenses:?}");
    assert_eq!(lenses[3], "show the run");
    let page = editor.command("evenhand.report", json!([uri, "entry"]));
    let path = page["uri"]
        .as_str()
        .and_then(|uri| uri.strip_prefix("file://"));
    let path = PathBuf::from(path.expect("a file"));
    let html = std::fs::read_to_string(&path).expect("it was written");
    assert!(html.contains("entry") && html.contains("violated"));
    // A text with errors is not checked; once they are mended nothing is said of that.
    let slip = place(&text, "inside++", 0);
    editor.change(&uri, 2, range(slip, 6), "insida");
    let command = json!({"command": "evenhand.check", "arguments": [uri, "exclusion"]});
    let id = editor.begin("workspace/executeCommand", command);
    assert!(editor.answer(id)["error"].is_object());
    let lenses = titles(&editor.ask_about("codeLens", &uri));
    assert_eq!(lenses[1], "▶ check exclusion again (the text has errors)");
    editor.change(&uri, 3, range(slip, 6), "inside");
    let lenses = titles(&editor.ask_about("codeLens", &uri));
    assert_eq!(lenses[1], "▶ check exclusion");
    // A keystroke makes the verdict one about an older text.
    let end = (text.matches('\n').count() as u32, 0);
    editor.change(&uri, 4, range(end, 0), " ");
    let lenses = titles(&editor.ask_about("codeLens", &uri));
    assert!(
        lenses[2].starts_with("▶ check entry again (was: ✗"),
        "{lenses:?}"
    );
    editor.end();
    assert!(!path.exists(), "pages are removed at the end");
}

#[test]
fn the_mark_of_a_violated_property_says_why() {
    let uri = "file:///nowhere/idle.pml";
    let text = "bool x, y;\nactive proctype p() { do :: x = 1 - x od }\n\
                active proctype q() { y = 1 }\nltl done { <> y }\n";
    let mut editor = Editor::start(json!({"limitSeconds": 30}));
    editor.open(uri, "promela", text);
    assert!(editor.diagnostics(uri, 1).is_empty());
    let told = editor.ask_at("hover", uri, place(text, "done", 0));
    let told = told["contents"]["value"].as_str().unwrap_or("").to_string();
    assert!(told.contains("every run satisfies"), "{told}");
    editor.command("evenhand.check", json!([uri, "done"]));
    let marks = editor.diagnostics(uri, 1);
    let message = marks[0]["message"].as_str().expect("a message");
    let lines: Vec<&str> = message.lines().collect();
    let length = "✗ violated by a run of 2 steps that repeat · ";
    assert!(lines[0].starts_with(length), "{message}");
    let reasons = [
        "from the start on, `y` never holds",
        "it holds under weak fairness of every process",
    ];
    assert_eq!(lines[1..], reasons, "{message}");
    editor.end();
}

#[test]
fn a_check_of_all_is_one_of_each() {
    let (uri, text) = model("promela/semaphore.pml");
    let mut editor = Editor::start(json!({"limitSeconds": 30}));
    let text = text.replace("fair strong", "fair weak");
    editor.open(&uri, "promela", &text);
    let answer = editor.command("evenhand.check", json!([uri]));
    assert_eq!(answer["told"], "✗ violated: entry · 3 of 4 hold");
    let lenses = titles(&editor.ask_about("codeLens", &uri));
    assert!(lenses[0].starts_with("✗ violated: entry"), "{lenses:?}");
    assert!(lenses[2].starts_with("✓ holds"), "{lenses:?}");
    assert!(
        lenses[3].starts_with("✗ violated by a run of"),
        "{lenses:?}"
    );
    assert_eq!(lenses[4], "show the run");
    // What holds has no run to show, and the page of what does not has that one alone.
    let offered = |editor: &mut Editor, what: &str| {
        let at = place(&text, what, 0);
        let parameters = json!({
            "textDocument": {"uri": uri},
            "range": range(at, 0),
            "context": {"diagnostics": []},
        });
        let actions = editor.ask("textDocument/codeAction", parameters);
        let actions = actions.as_array().expect("actions").iter();
        let titles = actions.map(|action| action["title"].as_str().unwrap_or("").to_string());
        titles.collect::<Vec<_>>()
    };
    assert_eq!(offered(&mut editor, "ltl exclusion"), ["check exclusion"]);
    let both = ["check entry", "show the run of entry"];
    assert_eq!(offered(&mut editor, "ltl entry"), both);
    let page = editor.command("evenhand.report", json!([uri, "entry"]));
    let path = page["uri"].as_str().expect("an address");
    let path = path.strip_prefix("file://").expect("a file");
    let html = std::fs::read_to_string(path).expect("it was written");
    assert!(html.contains("violated") && !html.contains(r#""verdict":"holds""#));
    editor.end();
}

/// Counts far, and would for hours.
const ENDLESS: &str = "int x, y, z;\nactive proctype p() {\n\tdo :: x++ :: y++ :: z++ od\n}\nltl far { [] (x < 2000000000) }\n";

#[test]
fn a_check_is_cancelled_and_limited_and_never_blocks() {
    let uri = "file:///nowhere/endless.pml";
    let mut editor = Editor::start(json!({"limitSeconds": 3600}));
    editor.open(uri, "promela", ENDLESS);
    let command = json!({"command": "evenhand.check", "arguments": [uri, "far"]});
    let id = editor.begin("workspace/executeCommand", command.clone());
    // While it is going on, everything else is answered.
    let found = editor.ask_at("definition", uri, place(ENDLESS, "x <", 0));
    assert_eq!(found["range"], range((0, 4), 1));
    let lenses = titles(&editor.ask_about("codeLens", uri));
    assert!(lenses[1].starts_with("… checking far"), "{lenses:?}");
    editor.wait(|message| message["params"]["value"]["kind"] == "report");
    editor.tell("$/cancelRequest", json!({"id": id}));
    let answer = editor.answer(id);
    let verdict = &answer["result"]["properties"][0]["verdict"];
    assert!(
        verdict == "unknown" || answer["error"].is_object(),
        "{answer}"
    );
    // A limit ends it too.
    let settings = json!({"settings": {"evenhand": {"limitStates": 1000}}});
    editor.tell("workspace/didChangeConfiguration", settings);
    let answer = editor.ask("workspace/executeCommand", command);
    assert_eq!(answer["properties"][0]["verdict"], "unknown", "{answer}");
    editor.end();
}

/// What each language must answer about one of its models.
struct Language {
    model: &'static str,
    /// The name, where it is used and where it is declared: texts that begin with it, and which occurrence.
    name: &'static str,
    used: (&'static str, usize),
    declared: (&'static str, usize),
    mentions: usize,
    /// Words about it.
    told: &'static str,
    /// A property and its verdict.
    property: (&'static str, &'static str),
    /// A new name that is free.
    free: &'static str,
}

const LANGUAGES: [Language; 5] = [
    Language {
        model: "promela/philosophers.pml",
        name: "taken",
        used: ("taken", 1),
        declared: ("taken[N]", 0),
        mentions: 0,
        told: "bool taken[N]",
        property: ("accessible", "violated"),
        free: "held",
    },
    Language {
        model: "smv/semaphore.smv",
        name: "at",
        used: ("at = critical & p2.at", 0),
        declared: ("at : {idle", 0),
        mentions: 19,
        told: "a variable of 3 values",
        property: ("entry", "holds"),
        free: "where",
    },
    Language {
        model: "tla/Semaphore.tla",
        name: "Enter",
        used: ("Enter(p) \\/", 0),
        declared: ("Enter(p) ==", 0),
        mentions: 4,
        told: "a definition",
        property: ("Entry", "holds"),
        free: "Take",
    },
    Language {
        model: "petri/semaphore.pnml",
        name: "want_a",
        used: ("want_a\" target=\"enter_a", 0),
        declared: ("want_a\"/>", 0),
        mentions: 3,
        told: "a place",
        property: ("deadlock", "holds"),
        free: "wish_a",
    },
    Language {
        model: "petri/post.pn",
        name: "waiting",
        used: ("waiting: c; }\nout { place idle", 0),
        declared: ("waiting (0..#client)", 0),
        mentions: 3,
        told: "place waiting",
        property: ("", "holds"),
        free: "line",
    },
];

#[test]
fn every_language_answers() {
    let mut editor = Editor::start(json!({"limitSeconds": 60}));
    for language in &LANGUAGES {
        let Language { model: name, .. } = language;
        let (uri, text) = model(name);
        editor.open(&uri, "", &text);
        let said = editor.diagnostics(&uri, 1);
        let errors = said.iter().filter(|d| d["severity"] == 1);
        assert_eq!(errors.count(), 0, "{name}: {said:?}");

        let length = language.name.len() as u32;
        let declared = place(&text, language.declared.0, language.declared.1);
        let used = place(&text, language.used.0, language.used.1);
        let found = editor.ask_at("definition", &uri, used);
        assert_eq!(found["range"], range(declared, length), "{name}: {found}");
        let all = editor.ask_at("references", &uri, declared);
        let count = all.as_array().map_or(0, Vec::len);
        match language.mentions {
            0 => assert!(count > 2, "{name}: {all}"),
            mentions => assert_eq!(count, mentions, "{name}: {all}"),
        }
        let told = editor.ask_at("hover", &uri, used);
        let told = told["contents"]["value"].as_str().unwrap_or("").to_string();
        assert!(told.contains(language.told), "{name}: {told}");

        let symbols = editor.ask_about("documentSymbol", &uri).to_string();
        assert!(
            symbols.contains(&format!("\"name\":\"{}\"", language.name)),
            "{name}: {symbols}"
        );
        let folds = editor.ask_about("foldingRange", &uri);
        assert!(
            folds.as_array().is_some_and(|folds| !folds.is_empty()),
            "{name}"
        );
        let items = editor
            .ask_at("completion", &uri, (declared.0, 0))
            .to_string();
        assert!(
            items.contains("\"kind\":14"),
            "{name}: words of the language"
        );

        let parameters = json!({
            "textDocument": {"uri": uri},
            "position": {"line": used.0, "character": used.1},
            "newName": language.free,
        });
        let edit = editor.ask("textDocument/rename", parameters);
        let edits = edit["changes"][&uri].as_array().map_or(0, Vec::len);
        assert_eq!(edits, count, "{name}: {edit}");

        let (property, verdict) = language.property;
        let arguments = match property {
            "" => json!([uri]),
            property => {
                let lenses = titles(&editor.ask_about("codeLens", &uri));
                let title = format!("▶ check {property}");
                assert!(lenses.contains(&title), "{name}: {lenses:?}");
                json!([uri, property])
            }
        };
        let answer = editor.command("evenhand.check", arguments);
        assert_eq!(
            answer["properties"][0]["verdict"], verdict,
            "{name}: {answer}"
        );
    }
    editor.end();
}

/// Whether there is a Neovim; where `EVENHAND_NO_SKIPS` is set there must be one.
fn has_neovim() -> bool {
    let mut version = Command::new("nvim");
    let found = version.arg("--version").stdout(Stdio::null()).status();
    let found = found.is_ok_and(|status| status.success());
    let must = std::env::var_os("EVENHAND_NO_SKIPS").is_some();
    assert!(found || !must, "there is no Neovim here");
    if !found {
        println!("skipped: there is no Neovim here");
    }
    found
}

/// What the book says to put into Neovim's `init.lua` works as it stands.
#[cfg(unix)]
#[test]
fn the_page_for_neovim_is_true() {
    if !has_neovim() {
        return;
    }
    let page = include_str!("../../../../docs/editors.md");
    let (_, section) = page.split_once("## Neovim").expect("a section");
    let (_, block) = section.split_once("```lua\n").expect("a block");
    let (block, _) = block.split_once("```").expect("its end");
    let home = std::env::temp_dir().join(format!("evenhand-page-{}", std::process::id()));
    let settings = home.join(".config/nvim");
    std::fs::create_dir_all(&settings).expect("a folder");
    std::fs::write(settings.join("init.lua"), block).expect("a file");
    let command = hollow::command();
    std::os::unix::fs::symlink(command, home.join("evenhand")).expect("a link");
    let path = std::env::var("PATH").expect("a path");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let script = root.join("tests/all/lsp/page.lua");
    let output = Command::new("nvim")
        .args(["--headless", "-i", "NONE", "-n"])
        .arg(root.join("../../models/promela/philosophers.pml"))
        .arg("-c")
        .arg(format!("luafile {}", script.display()))
        .env_remove("XDG_CONFIG_HOME")
        .env("HOME", &home)
        .env("XDG_STATE_HOME", &home)
        .env("XDG_CACHE_HOME", &home)
        .env("PATH", format!("{}:{path}", home.display()))
        .stdin(Stdio::null())
        .output()
        .expect("it is there");
    let _ = std::fs::remove_dir_all(&home);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("everything was seen"), "{said}");
    assert!(!said.contains("Error"), "{said}");
}

/// Neovim opens a model, waits for diagnostics, jumps to a definition, and runs the lens.
#[test]
fn neovim_works_with_it() {
    if !has_neovim() {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/lsp");
    let home = std::env::temp_dir().join(format!("evenhand-nvim-{}", std::process::id()));
    std::fs::create_dir_all(&home).expect("a folder");
    let script = folder.join("nvim.lua");
    let output = Command::new("nvim")
        .args(["--headless", "-u", "NONE", "-i", "NONE", "-n", "-c"])
        .arg(format!("luafile {}", script.display()))
        .env("EVENHAND", hollow::command())
        .env("MODELS", folder.join("../../../../../models"))
        .env("HOME", &home)
        .env("XDG_STATE_HOME", &home)
        .env("XDG_CACHE_HOME", &home)
        .stdin(Stdio::null())
        .output()
        .expect("it is there");
    let _ = std::fs::remove_dir_all(&home);
    let said = String::from_utf8_lossy(&output.stderr).into_owned()
        + &String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("everything was seen"), "{said}");
}
