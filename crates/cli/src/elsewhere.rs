//! Options that people know from other tools, and what they are called here.
//!
//! A call with one of them is wrong, and the message says what to write instead. Only options of which
//! the meaning is certain are here: those that SPIN and its verifiers, and NuSMV, have and this command has not.

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// An option, and what to do instead.
const OPTIONS: [(&str, &str); 14] = [
    (
        "-f",
        "SPIN's weak fairness is `--fair spin-weak`; `--fair weak` counts handshakes for both partners",
    ),
    (
        "-a",
        "nothing is needed: cycles are always looked for; `-p acceptance` is about `accept` labels",
    ),
    ("-l", "non-progress cycles are found by `-p progress`"),
    ("-N", "one property of the model is checked by `-p NAME`"),
    ("-m", "`--max-depth N` looks at runs of at most N steps"),
    (
        "-w",
        "the table of states grows by itself; `--limit-memory SIZE` limits it",
    ),
    (
        "-E",
        "without `-p deadlock` in a list of `-p`, invalid end states are not looked for",
    ),
    (
        "-A",
        "without `-p assertions` in a list of `-p`, assertions are not looked at",
    ),
    ("-t", "`evenhand simulate --replay FILE` follows a trail"),
    ("-k", "`evenhand simulate --replay FILE` follows a trail"),
    (
        "-n",
        "`evenhand simulate --seed N` begins the random choices; statements never executed are always told",
    ),
    (
        "-run",
        "`evenhand check MODEL` does it all, without a compiler",
    ),
    (
        "-search",
        "`evenhand check MODEL` does it all, without a compiler",
    ),
    ("-dcx", "`--counterexample none` shows no runs"),
];

/// The error of a wrong call with what to write instead of an option of another tool; and that alone.
pub(crate) fn hinted(mut error: Error) -> (Error, Option<&'static str>) {
    if error.kind() != ErrorKind::UnknownArgument {
        return (error, None);
    }
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else {
        return (error, None);
    };
    let words: Vec<String> = std::env::args_os()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let is_it = |word: &&String| word.starts_with(given.as_str()) && word.len() > 2;
    let long = words.iter().find(is_it);
    let known = |wanted: &str| OPTIONS.iter().find(|(option, _)| *option == wanted);
    // `-run` is read as `-r`, which is no option either.
    let found = long.and_then(|word| known(word)).or_else(|| known(given));
    // What asks for another command is said everywhere, the rest where it helps.
    let command = words.get(1).map_or("", String::as_str);
    let checks = matches!(command, "check" | "advise");
    let is_meant = |(_, instead): &&(&str, &str)| checks || instead.starts_with("`evenhand");
    let Some((_, instead)) = found.filter(is_meant) else {
        return (error, None);
    };
    let tip = ContextValue::StyledStrs(vec![(*instead).into()]);
    error.insert(ContextKind::Suggested, tip);
    (error, Some(instead))
}
