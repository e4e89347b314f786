//! Changes to a model as a slip of the hand, an editor or a broken disk would make them.

use evenhand_testkit::promela_programs::random::Random;

/// What replaces a token, beside other tokens of the same model: what has a meaning somewhere, and
/// numbers at the borders of types.
const WORDS: &str = "\
    0 1 -1 7 8 31 32 127 128 255 256 65535 65536 1000000 2147483647 2147483648 { } ( ) [ ] \
    :: ; -> ! ? !! ?? .. : , @ if fi do od atomic d_step unless timeout else break goto skip \
    run assert byte int chan mtype typedef inline active proctype init never ltl eval len \
    _pid _nr_pr \" /*";

/// Cuts a text into words, numbers, strings, blanks and single characters.
pub fn tokens(text: &str) -> Vec<&str> {
    let mut list = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let is_blank = |c: char| c.is_whitespace() && c != '\n';
        let end = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if is_blank(first) {
            rest.find(|c| !is_blank(c)).unwrap_or(rest.len())
        } else if [
            "::", "->", "..", "&&", "||", "==", "!=", "!!", "??", "/*", "*/", "//",
        ]
        .iter()
        .any(|pair| rest.starts_with(pair))
        {
            2
        } else {
            first.len_utf8()
        };
        list.push(&rest[..end]);
        rest = &rest[end..];
    }
    list
}

const NUMBERS: &str = "0 1 2 3 7 8 31 127 255 256 65536 1000000 2147483647";
const OPERATORS: &str = "+ - * / % < > == != && || ; -> ! ?";

/// What a token is, roughly.
#[derive(PartialEq)]
enum Class {
    Number,
    Word,
    Bracket,
    Other,
}

fn class(token: &str) -> Class {
    match token.chars().next() {
        Some(c) if c.is_ascii_digit() => Class::Number,
        Some(c) if c.is_alphabetic() || c == '_' => Class::Word,
        Some('(' | ')' | '[' | ']' | '{' | '}') => Class::Bracket,
        _ => Class::Other,
    }
}

/// One of the words of a text.
pub fn word<'a>(words: &'a str, random: &mut Random) -> &'a str {
    let list: Vec<&str> = words.split_whitespace().collect();
    list[random.below(list.len())]
}

/// A model with one to four changes.
pub fn mutate(text: &str, random: &mut Random) -> String {
    let mut text = text.to_string();
    for _ in 0..1 + random.below(4) {
        text = match random.below(10) {
            0 => lines(&text, random),
            1 if random.percent(20) => truncated(&text, random),
            2 if random.percent(20) => flipped(&text, random),
            _ => changed(&text, random),
        };
    }
    text
}

/// One change of tokens.
fn changed(text: &str, random: &mut Random) -> String {
    let mut list = tokens(text);
    if list.is_empty() {
        return text.to_string();
    }
    let visible: Vec<usize> = (0..list.len())
        .filter(|&index| !list[index].trim().is_empty())
        .collect();
    if visible.is_empty() {
        return text.to_string();
    }
    let at = *random.pick(&visible);
    let other = *random.pick(&visible);
    match random.below(16) {
        8.. => {
            // Something of the same kind: these models often load.
            let alike: Vec<usize> = (visible.iter().copied())
                .filter(|&index| class(list[index]) == class(list[at]))
                .collect();
            list[at] = match class(list[at]) {
                Class::Number if random.percent(40) => word(NUMBERS, random),
                Class::Other if random.percent(40) => word(OPERATORS, random),
                _ => list[*random.pick(&alike)],
            };
        }
        0 => drop(list.remove(at)),
        1 => list.insert(at, list[at]),
        2 => list.swap(at, other),
        3 => list[at] = list[other],
        4 => list.insert(at, list[other]),
        5 => list[at] = word(WORDS, random),
        6 => list.insert(at, word(WORDS, random)),
        _ => {
            // A stretch of tokens, once more somewhere else.
            let end = (other + 1 + random.below(20)).min(list.len());
            let copy = list[other..end].to_vec();
            list.splice(at..at, copy);
        }
    }
    // Words that were apart stay apart.
    let mut text = String::new();
    for token in list {
        let glued = text.ends_with(|c: char| c.is_alphanumeric())
            && token.starts_with(|c: char| c.is_alphanumeric());
        if glued {
            text.push(' ');
        }
        text.push_str(token);
    }
    text
}

/// One change of lines.
fn lines(text: &str, random: &mut Random) -> String {
    let mut list: Vec<&str> = text.split('\n').collect();
    let (at, other) = (random.below(list.len()), random.below(list.len()));
    match random.below(4) {
        0 => drop(list.remove(at)),
        1 => list.insert(at, list[at]),
        2 => list.swap(at, other),
        _ => list.insert(at, list[other]),
    }
    list.join("\n")
}

fn truncated(text: &str, random: &mut Random) -> String {
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    text[..ends.get(random.below(ends.len())).copied().unwrap_or(0)].to_string()
}

/// One byte changed.
fn flipped(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    if !bytes.is_empty() {
        let at = random.below(bytes.len());
        bytes[at] ^= 1 << random.below(8);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
