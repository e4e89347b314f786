//! Shapes of public models on which one way alone, or the search for a step, was slow: each with three siblings, decided
//! by `auto` within a time that is short for what they once took, and with the verdicts of sets alone.

use std::fmt::Write as _;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

static FILES: AtomicU32 = AtomicU32::new(0);

/// Names and verdicts of the properties of a model.
fn verdicts(text: &str, engine: &str) -> Vec<(String, String)> {
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let name = format!("evenhand-shapes-{}-{number}.smv", std::process::id());
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, text).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .args(["check", "--format", "json", "--engine", engine])
        .args(["--limit-time", "120s", "--counterexample", "none"])
        .arg(&file)
        .output()
        .expect("the command");
    let _ = std::fs::remove_file(&file);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let report: Value = serde_json::from_str(&told).unwrap_or_else(|e| panic!("{e}: {told}"));
    let of = |p: &Value, key: &str| p[key].as_str().unwrap_or_default().to_string();
    let list = report["properties"].as_array().expect(text);
    list.iter()
        .map(|p| (of(p, "name"), of(p, "verdict")))
        .collect()
}

/// `auto` decides everything, as sets alone do.
fn is_decided(text: &str) {
    let found = verdicts(text, "auto");
    assert!(
        !found.is_empty() && found.iter().all(|(_, verdict)| verdict != "unknown"),
        "{found:?}:\n{text}"
    );
    assert_eq!(found, verdicts(text, "symbolic"), "{text}");
}

/// A file is sent in pieces over channels that lose; after some retries the sender gives up.
fn retransmission(pieces: u32, retries: u32, is_fair: bool) -> String {
    let last = pieces - 1;
    let fair = match is_fair {
        true => {
            "COMPASSION (sent = data, got = data)\nCOMPASSION (got = data & acked = none, acked = ack)\n"
        }
        false => "",
    };
    format!(
        "MODULE main\nVAR piece : 0..{last}; tries : 0..{retries}; s : {{send, wait, done, failed}};\n\
         sent : {{none, data}}; got : {{none, data}}; acked : {{none, ack}}; bit : boolean; rbit : boolean; received : 0..{pieces};\n\
         ASSIGN init(piece) := 0; init(tries) := 0; init(s) := send; init(sent) := none; init(got) := none;\n\
         init(acked) := none; init(bit) := FALSE; init(rbit) := FALSE; init(received) := 0;\n\
         next(s) := case s = send : wait; s = wait & acked = ack & piece = {last} : done;\n\
         s = wait & acked = ack : send; s = wait & tries = {retries} : {{wait, failed}}; s = wait : {{wait, send}}; TRUE : s; esac;\n\
         next(piece) := case s = wait & acked = ack & piece < {last} : piece + 1; TRUE : piece; esac;\n\
         next(tries) := case s = wait & acked = ack : 0; s = send & tries < {retries} : tries + 1; TRUE : tries; esac;\n\
         next(bit) := case s = wait & acked = ack : !bit; TRUE : bit; esac;\n\
         next(sent) := case s = send : data; TRUE : none; esac;\n\
         next(got) := case sent = data : {{none, data}}; TRUE : none; esac;\n\
         next(received) := case got = data & rbit = bit & received < {pieces} : received + 1; TRUE : received; esac;\n\
         next(rbit) := case got = data & rbit = bit : !rbit; TRUE : rbit; esac;\n\
         next(acked) := case got = data : {{none, ack}}; TRUE : none; esac;\n{fair}\
         INVARSPEC s = done -> received >= {last}\nLTLSPEC F (s = done | s = failed)\nCTLSPEC AG (s = send -> EF s = done)\n"
    )
}

#[test]
fn files_are_sent_again() {
    for (pieces, retries, is_fair) in [(16, 4, false), (9, 6, true), (24, 2, false), (5, 9, true)] {
        is_decided(&retransmission(pieces, retries, is_fair));
    }
}

/// Two players put marks on a board in turn; a line of one kind ends the game.
fn board(rows: usize, columns: usize, lines: &[&[usize]]) -> String {
    let cells = rows * columns;
    let mut text = String::from("MODULE main\nVAR turn : {x, o};\n");
    let _ = writeln!(text, "IVAR move : 0..{};", cells - 1);
    for cell in 0..cells {
        let _ = writeln!(text, "VAR c{cell} : {{no, x, o}};");
    }
    for who in ["x", "o"] {
        let line = |line: &&[usize]| {
            let own = line.iter().map(|cell| format!("c{cell} = {who}"));
            format!("({})", own.collect::<Vec<_>>().join(" & "))
        };
        let all: Vec<String> = lines.iter().map(line).collect();
        let _ = writeln!(text, "DEFINE {who}_has := {};", all.join(" | "));
    }
    text += "DEFINE over := x_has | o_has;\nASSIGN init(turn) := x;\nnext(turn) := over ? turn : (turn = x ? o : x);\n";
    for cell in 0..cells {
        let _ = writeln!(
            text,
            "init(c{cell}) := no; next(c{cell}) := !over & move = {cell} & c{cell} = no ? turn : c{cell};"
        );
    }
    text + "INVARSPEC !(x_has & o_has)\nCTLSPEC EF o_has\nCTLSPEC AG (x_has -> AG x_has)\nLTLSPEC F over\n"
}

#[test]
fn boards_are_filled_in_turn() {
    let rows: &[&[usize]] = &[&[0, 1, 2], &[3, 4, 5], &[6, 7, 8]];
    let others: &[&[usize]] = &[&[0, 3, 6], &[1, 4, 7], &[2, 5, 8], &[0, 4, 8], &[2, 4, 6]];
    let all = [rows, others].concat();
    is_decided(&board(3, 3, &all));
    is_decided(&board(3, 3, rows));
    is_decided(&board(
        2,
        4,
        &[&[0, 1, 2], &[1, 2, 3], &[4, 5, 6], &[5, 6, 7]],
    ));
    is_decided(&board(
        2,
        5,
        &[&[0, 6, 2], &[5, 1, 7], &[1, 7, 3], &[6, 2, 8]],
    ));
}

/// A robot on a field, moved by constraints on the next place, and properties that speak of steps.
fn robot(width: u32, height: u32, battery: u32) -> String {
    format!(
        "MODULE main\nVAR x : 0..{width}; y : 0..{height}; battery : 0..{battery}; way : {{north, east, south, west, rest}};\n\
         INIT x = 0 & y = 0 & battery = {battery}\n\
         TRANS (way = north & y < {height} & battery > 0) -> (next(y) = y + 1 & next(x) = x & next(battery) = battery - 1)\n\
         TRANS (way = south & y > 0 & battery > 0) -> (next(y) = y - 1 & next(x) = x & next(battery) = battery - 1)\n\
         TRANS (way = east & x < {width} & battery > 0) -> (next(x) = x + 1 & next(y) = y & next(battery) = battery - 1)\n\
         TRANS (way = west & x > 0 & battery > 0) -> (next(x) = x - 1 & next(y) = y & next(battery) = battery - 1)\n\
         DEFINE moves := battery > 0 & (way = north & y < {height} | way = south & y > 0 | way = east & x < {width} | way = west & x > 0);\n\
         TRANS !moves -> (next(x) = x & next(y) = y)\n\
         TRANS !moves -> next(battery) = (x = 0 & y = 0 ? {battery} : battery)\n\
         LTLSPEC G ((next(x) = x | next(y) = y) & (next(battery) < battery -> moves))\n\
         LTLSPEC G (next(x) > x -> way = east)\nLTLSPEC G F (x = 0 & y = 0)\nCTLSPEC EF (x = {width} & y = {height})\n"
    )
}

#[test]
fn robots_move_by_constraints() {
    for (width, height, battery) in [(9, 9, 20), (15, 4, 30), (30, 30, 12), (7, 7, 60)] {
        is_decided(&robot(width, height, battery));
    }
}

/// Cells in a ring with a token; whoever has it and wants to may use what all share. With a bus, one command is answered by all.
fn ring(cells: usize, has_bus: bool) -> String {
    let mut text = String::from("MODULE main\n");
    if has_bus {
        text += "VAR bus : {idle, read, own, reply};\nASSIGN init(bus) := idle;\n";
        text += "next(bus) := case bus = idle : {idle, read, own}; bus = reply : idle; TRUE : {bus, reply}; esac;\n";
    }
    for cell in 0..cells {
        let before = (cell + cells - 1) % cells;
        let _ = writeln!(
            text,
            "VAR token{cell} : boolean; asks{cell} : boolean; waits{cell} : boolean; line{cell} : {{invalid, shared, owned}};\n\
             ASSIGN init(token{cell}) := {}; next(token{cell}) := token{before};\n\
             init(waits{cell}) := FALSE; next(waits{cell}) := asks{cell} & (waits{cell} | token{cell});\n\
             init(line{cell}) := invalid; next(line{cell}) := case\n\
             asks{cell} & token{cell} & {} : owned; line{cell} = owned & token{before} : shared;\n\
             token{before} : invalid; TRUE : line{cell}; esac;",
            if cell == 0 { "TRUE" } else { "FALSE" },
            if has_bus { "bus = own" } else { "waits{}" }.replace("{}", &cell.to_string()),
        );
    }
    let _ = writeln!(
        text,
        "INVARSPEC !(token0 & token1)\nINVARSPEC !(line0 = owned & line{} = owned)\n\
         CTLSPEC AG (token1 -> AF token0)\nCTLSPEC AG EF line0 = owned\nLTLSPEC G F token0",
        cells / 2
    );
    text
}

#[test]
fn rings_and_buses_are_arbitrated() {
    for (cells, has_bus) in [(5, false), (10, false), (4, true), (8, true)] {
        is_decided(&ring(cells, has_bus));
    }
}
