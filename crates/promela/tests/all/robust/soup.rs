//! Texts put together from the pieces of the language, with little or no grammar.

use evenhand_testkit::promela_programs::random::Random;

use super::mutate::word;

/// All that a lexer can meet.
const TOKENS: &str = "\
    active proctype D_proctype init never ltl trace notrace inline typedef mtype byte int \
    short bit bool pid unsigned chan hidden show local of if fi do od for select in else \
    break goto atomic d_step unless timeout skip true false assert printf printm run \
    provided priority eval len full nfull empty nempty enabled pc_value get_priority \
    set_priority xr xs return _ _pid _nr_pr _last np_ _priority c_code c_expr c_decl c_state \
    { } { } ( ) ( ) [ ] :: : ; , -> . .. = == ! !! ? ?? < > <= != && || + ++ - -- * / % ~ @ \
    0 1 255 x y c p L 'a'";

/// Tokens in any order.
pub fn tokens(random: &mut Random) -> String {
    let mut text = String::new();
    if random.percent(70) {
        text.push_str("active proctype p() { byte x; ");
    }
    for _ in 0..random.below(60) {
        text.push_str(word(TOKENS, random));
        text.push(if random.percent(90) { ' ' } else { '\n' });
    }
    if random.percent(70) {
        text.push('}');
    }
    text
}

/// Statements that each make sense, over fixed names, mostly well nested: most of these load.
pub fn statements(random: &mut Random) -> String {
    let mut text = String::from(
        "#define N 3\nmtype = { red, green };\ntypedef R { byte f; int g[2] };\n\
         byte x; int n; short s; bool b; bit t; unsigned u : 3; mtype m; byte a[N]; R r; R rs[2];\n\
         chan c = [1] of { byte }; chan z = [0] of { byte, bool }; \
         chan d[2] = [2] of { mtype, byte };\n\
         chan e; chan cc = [1] of { chan };\n\
         inline twice(v) { v = v + 1; v = v * 2 }\n",
    );
    let processes = 1 + random.below(3);
    for index in 0..processes {
        let active = if index == 0 || random.percent(50) {
            ["active ", "active [2] "][random.below(2)]
        } else {
            ""
        };
        let provided = if random.percent(5) {
            " provided (x < 5)"
        } else {
            ""
        };
        let (p, q) = if active.is_empty() {
            ("byte k; chan w", "")
        } else {
            ("", "byte k; chan w; ")
        };
        text.push_str(&format!(
            "{active}proctype p{index}({p}){provided} {{ {q}byte i;\n"
        ));
        text.push_str(&sequence(random, 3));
        text.push_str("\n}\n");
    }
    if random.percent(20) {
        text.push_str(&format!("never {{ {} }}\n", sequence(random, 1)));
    }
    if random.percent(20) {
        text.push_str(&format!("ltl q {{ [] <> ({}) }}\n", expression(random, 2)));
    }
    text
}

fn sequence(random: &mut Random, depth: usize) -> String {
    let count = 1 + random.below(4);
    let list: Vec<String> = (0..count).map(|_| statement(random, depth)).collect();
    list.join([";\n", " -> ", "; "][random.below(3)])
}

fn statement(random: &mut Random, depth: usize) -> String {
    let label = match random.below(20) {
        0 => format!("L{}: ", random.below(30)),
        1 => format!("end{}: ", random.below(30)),
        2 => format!("progress{}: ", random.below(30)),
        _ => String::new(),
    };
    format!("{label}{}", plain_statement(random, depth))
}

fn plain_statement(random: &mut Random, depth: usize) -> String {
    let nested = if depth == 0 { 0 } else { 9 };
    match random.below(22 + nested) {
        0..=3 => format!("{} = {}", place(random), expression(random, 2)),
        4 => format!("{}{}", place(random), ["++", "--"][random.below(2)]),
        5 => format!("c!{}", expression(random, 1)),
        6 => format!("c?{}", place(random)),
        7 => format!("z!{},{}", expression(random, 1), expression(random, 1)),
        8 => format!("z?{},_", place(random)),
        9 => format!(
            "d[{}]!!{}(x)",
            expression(random, 1),
            ["red", "m", "2"][random.below(3)]
        ),
        10 => format!("d[{}]??<eval(m),{}>", expression(random, 1), place(random)),
        11 => ["cc!c", "cc?e", "e?x", "e = c", "e!1", "w!2", "cc!e"][random.below(7)].into(),
        12 => format!("assert({})", expression(random, 2)),
        13 => format!("printf(\"%d %e\\n\", {}, m)", expression(random, 1)),
        14 => format!(
            "run p{}({})",
            random.below(3),
            ["1,c", "x,e", ""][random.below(3)]
        ),
        15 => ["skip", "timeout", "break", "else", "false", "(b)"][random.below(6)].into(),
        16 => format!("goto {}{}", ["L", "end"][random.below(2)], random.below(30)),
        17 => format!("twice({})", place(random)),
        18 => format!("select (i : {} .. {})", random.below(3), random.below(50)),
        19 => format!("byte v{} = {}", random.below(40), expression(random, 1)),
        20 => format!(
            "set_priority({}, {})",
            expression(random, 0),
            expression(random, 0)
        ),
        21 => expression(random, 2),
        22 | 23 => format!("atomic {{ {} }}", sequence(random, depth - 1)),
        24 => format!("d_step {{ {} }}", sequence(random, depth - 1)),
        25 => format!("{{ {} }}", sequence(random, depth - 1)),
        26 => format!(
            "{{ {} }} unless {{ {} }}",
            sequence(random, depth - 1),
            sequence(random, depth - 1)
        ),
        27 => format!(
            "for (i : {} .. {}) {{ {} }}",
            expression(random, 0),
            expression(random, 0),
            sequence(random, depth - 1)
        ),
        28 => format!("for (i in a) {{ {} }}", sequence(random, depth - 1)),
        kind => {
            let (open, close) = [("if", "fi"), ("do", "od")][kind % 2];
            let count = 1 + random.below(3);
            let options: String = (0..count)
                .map(|_| format!(":: {}\n", sequence(random, depth - 1)))
                .collect();
            let otherwise = match random.below(4) {
                0 => ":: else -> break\n",
                1 => ":: else\n",
                _ => "",
            };
            format!("{open} {options}{otherwise} {close}")
        }
    }
}

fn place(random: &mut Random) -> String {
    let names = [
        "x", "n", "s", "b", "t", "u", "m", "i", "k", "r.f", "r.g[1]", "_",
    ];
    match random.below(16) {
        0 => format!("a[{}]", expression(random, 1)),
        1 => format!("rs[{}].g[{}]", expression(random, 0), expression(random, 0)),
        2 => format!("rs[{}].f", expression(random, 1)),
        _ => random.pick(&names).to_string(),
    }
}

fn expression(random: &mut Random, depth: usize) -> String {
    const NUMBERS: &str = "\
    0 1 2 3 7 -1 255 256 32767 2147483647 green true";
    const OPERATORS: &str = "\
    + - * / % << >> & | ^ == != < >= && || <= >";
    if depth == 0 || random.percent(40) {
        return match random.below(3) {
            0 => word(NUMBERS, random).to_string(),
            1 if depth == 0 => random.pick(&["x", "n", "s", "i", "u"]).to_string(),
            _ if depth == 0 => random
                .pick(&["x", "k", "_pid", "_nr_pr", "len(c)"])
                .to_string(),
            _ => match place(random).as_str() {
                "_" => "b".into(),
                other => other.to_string(),
            },
        };
    }
    let inner = depth - 1;
    match random.below(14) {
        0 => format!("!({})", expression(random, inner)),
        1 => format!("~({})", expression(random, inner)),
        2 => format!("-({})", expression(random, inner)),
        3 => format!(
            "({} -> {} : {})",
            expression(random, inner),
            expression(random, inner),
            expression(random, inner)
        ),
        4 => random
            .pick(&[
                "len(d[1])",
                "full(c)",
                "nfull(z)",
                "empty(c)",
                "nempty(e)",
                "c?[x]",
                "z?[1,_]",
                "d[0]??[red,eval(x)]",
                "enabled(0)",
                "pc_value(1)",
                "_last",
                "np_",
                "timeout",
                "get_priority(0)",
                "p0[0]@L1",
                "p0[1]:i",
                "enabled(x)",
                "p1@end2",
                "p0:k",
            ])
            .to_string(),
        _ => {
            let operator = word(OPERATORS, random);
            let (left, right) = (expression(random, inner), expression(random, inner));
            format!("({left} {operator} {right})")
        }
    }
}
