//! Two-phase commit over a network that loses messages: a protocol written in Rust, checked for
//! liveness under fairness.
//!
//! A coordinator asks two participants for their votes, decides, and tells them the outcome (J.
//! Gray, Notes on Data Base Operating Systems, 1978). Whatever is lost is sent again. Three
//! questions:
//!
//! - `agreement`: nobody commits what another aborts. That is safety: it holds on all runs.
//! - `decision`: every participant learns the outcome. Without fairness it fails, since nobody has
//!   to move. Fairness of processes does not help: the network moves all the time, and what it does
//!   is lose messages; the coordinator moves all the time, and asks only one participant. It takes
//!   weak fairness of each action, and strong fairness *of each delivery*: what is sent again and
//!   again arrives.
//! - `decision` where the coordinator may crash: no fairness saves it. The run shows participants
//!   that have promised to commit and wait for ever: the known weakness of the protocol.
//!
//! `cargo run --release -p evenhand --example two_phase_commit` prints the answers and the runs.

use evenhand::report::text;
use evenhand::{Check, Model, Verdict};
use evenhand::{ModelAction, PropositionId, RustModel, Steps, Value, pack_fields};

/// How many participants there are. Process 0 is the coordinator, the last one the network.
const N: u8 = 2;
const NETWORK: usize = N as usize + 1;

/// Messages, by kind; each exists once per participant. The network is a set of them: sending one
/// again changes nothing while it is under way.
const KINDS: [&str; 5] = ["prepare", "yes", "no", "commit", "abort"];
const MESSAGES: u8 = N * KINDS.len() as u8;

/// Where somebody stands; the coordinator is never prepared, a participant never crashes.
const PLACES: [&str; 5] = ["working", "prepared", "committed", "aborted", "crashed"];
const WORKING: u8 = 0;
const PREPARED: u8 = 1;
const COMMITTED: u8 = 2;
const ABORTED: u8 = 3;
const CRASHED: u8 = 4;

/// The actions of the coordinator: to receive, to ask and to tell each participant, then these.
const DECISIONS: [&str; 3] = ["commit", "abort", "crash"];
const ASK: usize = 1;
const TELL: usize = ASK + N as usize;
const COMMIT: usize = TELL + N as usize;
const ABORT: usize = COMMIT + 1;
const CRASH: usize = COMMIT + 2;

/// The actions of a participant. The network has one to deliver and one to lose each message.
const PARTICIPANT_ACTIONS: [&str; 3] = ["receive", "vote yes", "vote no"];

#[derive(Clone)]
struct State {
    coordinator: u8,
    /// The votes that have arrived.
    votes: [Option<bool>; N as usize],
    participants: [u8; N as usize],
    /// Whether a participant was asked and has not answered yet.
    asked: [bool; N as usize],
    network: u32,
}
pack_fields!(State {
    coordinator,
    votes,
    participants,
    asked,
    network
});

impl State {
    fn send(&mut self, kind: usize, participant: u8) {
        self.network |= 1 << (kind * usize::from(N) + usize::from(participant));
    }
}

struct TwoPhaseCommit {
    may_crash: bool,
}

/// The number of an action of the coordinator or of a participant.
fn action(process: usize, own: usize) -> usize {
    match process {
        0 => own,
        other => CRASH + 1 + (other - 1) * PARTICIPANT_ACTIONS.len() + own,
    }
}

/// The number of the network's action for a message.
fn network_action(message: u8, lose: bool) -> usize {
    action(NETWORK, 2 * usize::from(message) + usize::from(lose))
}

fn message_name(message: u8) -> String {
    format!("{} {}", KINDS[usize::from(message / N)], message % N)
}

impl RustModel for TwoPhaseCommit {
    type State = State;

    fn name(&self) -> String {
        "two-phase commit".into()
    }

    fn processes(&self) -> Vec<String> {
        let participants = (0..N).map(|i| format!("participant[{i}]"));
        let coordinator = std::iter::once("coordinator".to_string());
        let network = std::iter::once("network".to_string());
        coordinator.chain(participants).chain(network).collect()
    }

    fn actions(&self) -> Vec<ModelAction> {
        let mut all = vec![ModelAction::new(0, "receive")];
        for word in ["ask", "tell"] {
            all.extend((0..N).map(|i| ModelAction::new(0, format!("{word} {i}"))));
        }
        all.extend(DECISIONS.map(|name| ModelAction::new(0, name)));
        for participant in 1..=usize::from(N) {
            all.extend(PARTICIPANT_ACTIONS.map(|name| ModelAction::new(participant, name)));
        }
        for message in 0..MESSAGES {
            for word in ["deliver", "lose"] {
                let name = format!("{word} {}", message_name(message));
                all.push(ModelAction::new(NETWORK, name));
            }
        }
        all
    }

    fn initial(&self) -> Vec<State> {
        vec![State {
            coordinator: WORKING,
            votes: [None; N as usize],
            participants: [WORKING; N as usize],
            asked: [false; N as usize],
            network: 0,
        }]
    }

    fn steps(&self, state: &State, steps: &mut Steps<State>) {
        self.coordinator_steps(state, steps);
        for participant in 0..N {
            participant_steps(state, participant, steps);
        }
        for message in 0..MESSAGES {
            if state.network & (1 << message) != 0 {
                network_steps(state, message, steps);
            }
        }
    }

    /// It is over when everybody knows the outcome.
    fn is_valid_end(&self, state: &State) -> bool {
        state.participants.iter().all(|&place| place >= COMMITTED)
    }

    fn describe(&self, state: &State) -> Vec<(String, Value)> {
        let place = |place: u8| Value::Text(PLACES[usize::from(place)].into());
        let under_way = (0..MESSAGES).filter(|m| state.network & (1 << m) != 0);
        let under_way: Vec<String> = under_way.map(message_name).collect();
        let participants = state.participants.iter().map(|&p| place(p));
        vec![
            ("coordinator".into(), place(state.coordinator)),
            ("participants".into(), Value::List(participants.collect())),
            ("under way".into(), Value::Text(under_way.join(" + "))),
        ]
    }

    fn propositions(&self) -> Vec<String> {
        ["some_commit", "some_abort", "all_decided"]
            .map(String::from)
            .into()
    }

    fn holds(&self, proposition: PropositionId, state: &State) -> bool {
        match proposition.0 {
            0 => state.participants.contains(&COMMITTED),
            1 => state.participants.contains(&ABORTED),
            _ => state.participants.iter().all(|&place| place >= COMMITTED),
        }
    }

    fn properties(&self) -> Vec<(String, String)> {
        let both = [
            ("agreement", "G !(some_commit & some_abort)"),
            ("decision", "F all_decided"),
        ];
        both.map(|(name, formula)| (name.into(), formula.into()))
            .into()
    }
}

impl TwoPhaseCommit {
    fn coordinator_steps(&self, state: &State, steps: &mut Steps<State>) {
        let mut step = |own: usize, change: &dyn Fn(&mut State)| {
            let mut next = state.clone();
            change(&mut next);
            steps.step(0, action(0, own), next);
        };
        match state.coordinator {
            WORKING => {
                for i in (0..N).filter(|&i| state.votes[usize::from(i)].is_none()) {
                    step(ASK + usize::from(i), &|next| next.send(0, i));
                }
                if state.votes.iter().all(|vote| *vote == Some(true)) {
                    step(COMMIT, &|next| next.coordinator = COMMITTED);
                }
                if state.votes.contains(&Some(false)) {
                    step(ABORT, &|next| next.coordinator = ABORTED);
                }
                if self.may_crash {
                    step(CRASH, &|next| next.coordinator = CRASHED);
                }
            }
            outcome @ (COMMITTED | ABORTED) => {
                let kind = if outcome == COMMITTED { 3 } else { 4 };
                for i in 0..N {
                    step(TELL + usize::from(i), &|next| next.send(kind, i));
                }
            }
            _ => {}
        }
    }
}

/// A participant that was asked votes, and keeps to its vote when it is asked again. As long as it
/// has promised nothing it may give up without being asked.
fn participant_steps(state: &State, participant: u8, steps: &mut Steps<State>) {
    let place = usize::from(participant);
    let process = place + 1;
    let (standing, asked) = (state.participants[place], state.asked[place]);
    for (own, vote) in [(1, true), (2, false)] {
        let fits = match standing {
            WORKING => asked || !vote,
            PREPARED => asked && vote,
            outcome => asked && vote == (outcome == COMMITTED),
        };
        if !fits {
            continue;
        }
        let mut next = state.clone();
        next.asked[place] = false;
        if standing == WORKING {
            // Who votes no knows the outcome already.
            next.participants[place] = if vote { PREPARED } else { ABORTED };
        }
        next.send(if vote { 1 } else { 2 }, participant);
        steps.step(process, action(process, own), next);
    }
}

/// A message arrives, in a step of the network and of whom it is for, or is lost.
fn network_steps(state: &State, message: u8, steps: &mut Steps<State>) {
    let (kind, participant) = (message / N, message % N);
    let place = usize::from(participant);
    let mut next = state.clone();
    next.network &= !(1 << message);
    steps.step(NETWORK, network_action(message, true), next.clone());
    match kind {
        0 => next.asked[place] = true,
        1 | 2 => next.votes[place] = Some(kind == 1),
        outcome => {
            if next.participants[place] < COMMITTED {
                next.participants[place] = if outcome == 3 { COMMITTED } else { ABORTED };
            }
        }
    }
    let deliver = (NETWORK, network_action(message, false));
    match kind {
        1 | 2 if state.coordinator == CRASHED => steps.joint(&[deliver], next),
        1 | 2 => steps.joint(&[deliver, (0, action(0, 0))], next),
        _ => {
            let receiver = place + 1;
            steps.joint(&[deliver, (receiver, action(receiver, 0))], next);
        }
    }
}

/// The answers to both properties under some fairness, and the run that breaks `decision`.
fn ask(may_crash: bool, fair: Vec<String>) -> (Vec<(String, &'static str)>, String) {
    let model = match Model::of_rust(TwoPhaseCommit { may_crash }) {
        Ok(model) => model,
        Err(error) => return (Vec::new(), error.to_string()),
    };
    let check = Check::new(&model)
        .property("agreement")
        .property("decision");
    let report = match fair.into_iter().fold(check, Check::fair).run() {
        Ok(report) => report,
        Err(error) => return (Vec::new(), error.to_string()),
    };
    let files = &model.signature().files;
    let (mut answers, mut run) = (Vec::new(), String::new());
    for result in &report.properties {
        answers.push((result.name.clone(), result.verdict.word()));
        if let Verdict::Violated(Some(found)) = &result.verdict {
            run = text::counterexample(result, found, files);
        }
    }
    (answers, run)
}

/// Weak fairness of everything that the coordinator and the participants do (a crash is no duty),
/// strong fairness of each delivery.
fn reliable() -> Vec<String> {
    let mut all: Vec<String> = ["commit", "abort"]
        .map(|name| format!("weak:coordinator@{name}"))
        .into();
    for i in 0..N {
        all.extend(["ask", "tell"].map(|word| format!("weak:coordinator@{word} {i}")));
    }
    all.extend(["vote yes", "vote no"].map(|name| format!("weak:participant@{name}")));
    all.extend((0..MESSAGES).map(|m| format!("strong:network@deliver {}", message_name(m))));
    all
}

fn main() {
    let asked: [(&str, bool, Vec<String>); 4] = [
        ("no fairness", false, Vec::new()),
        (
            "strong fairness of every process",
            false,
            vec!["strong".into()],
        ),
        ("strong fairness of each delivery", false, reliable()),
        ("the same, and the coordinator may crash", true, reliable()),
    ];
    for (what, may_crash, fair) in asked {
        println!("{what}:");
        let (answers, run) = ask(may_crash, fair);
        for (name, verdict) in answers {
            println!("  {verdict:<8} {name}");
        }
        println!("{run}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answers_are_the_known_ones() {
        let verdicts = |may_crash, fair| -> Vec<&'static str> {
            let (answers, _) = ask(may_crash, fair);
            answers.into_iter().map(|(_, verdict)| verdict).collect()
        };
        let of = |text: &str| vec![text.to_string()];
        assert_eq!(verdicts(false, Vec::new()), ["holds", "violated"]);
        assert_eq!(verdicts(false, of("weak")), ["holds", "violated"]);
        assert_eq!(verdicts(false, of("strong")), ["holds", "violated"]);
        let processes_only = |text: &String| !text.contains("coordinator@");
        let mut some = vec!["weak:coordinator".to_string()];
        some.extend(reliable().into_iter().filter(processes_only));
        assert_eq!(verdicts(false, some), ["holds", "violated"]);
        assert_eq!(verdicts(false, reliable()), ["holds", "holds"]);
        assert_eq!(verdicts(true, reliable()), ["holds", "violated"]);
    }

    #[test]
    fn who_has_promised_waits_for_a_coordinator_that_crashed() {
        let (_, run) = ask(true, reliable());
        assert!(run.contains("crash"), "{run}");
        assert!(run.contains("= prepared"), "{run}");
    }
}
