//! A service that checks models in several threads.
//!
//! Jobs come in through a queue; each worker takes one after the other, checks it within its limits
//! and sends the verdicts back. Models are shared between jobs without being copied: nothing
//! changes by being asked. A job can be cancelled while it runs, and what is known by then is its
//! answer.
//!
//! ```text
//! cargo run --release --example service
//! ```

use std::error::Error;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use evenhand::{Cancel, Check, Fair, Model, Promela, Smv, StopReason, Verdict};

/// A counter that goes up and down, and one that only rests.
const COUNTER: &str = "
    byte x;
    active proctype up()   { do :: x < 200 -> x++ :: x > 0 -> x-- od }
    active proctype rest() { do :: true od }
    ltl returns { [] <> (x == 0) }";

/// A lamp that a switch turns on.
const LAMP: &str = "
    MODULE main
    VAR  on : boolean;
    IVAR press : boolean;
    ASSIGN init(on) := FALSE; next(on) := press ? TRUE : on;
    LTLSPEC NAME lit := F on";

/// Something to check.
struct Job {
    name: &'static str,
    model: Model,
    fair: Vec<Fair>,
    /// How long it may take.
    patience: Duration,
    cancel: Cancel,
}

/// What came of it: the verdict on each property.
struct Answer {
    job: &'static str,
    verdicts: Vec<(String, Verdict)>,
}

/// Checks one job; what is wrong with it is told as an error.
fn work(job: &Job) -> Result<Answer, Box<dyn Error>> {
    let mut check = Check::new(&job.model)
        .limit_time(job.patience)
        .cancel(&job.cancel);
    for assumption in &job.fair {
        check = check.fair(assumption.clone());
    }
    let report = check.run()?;
    let verdicts = report.properties.into_iter();
    Ok(Answer {
        job: job.name,
        verdicts: verdicts.map(|p| (p.name, p.verdict)).collect(),
    })
}

/// A worker: one job after the other until the queue is closed.
fn worker(queue: &Mutex<Receiver<Job>>, answers: &Sender<Answer>) {
    loop {
        // The lock is held while waiting, not while working.
        let next = queue.lock().map(|queue| queue.recv());
        let Ok(Ok(job)) = next else {
            return;
        };
        match work(&job) {
            Ok(answer) => {
                if answers.send(answer).is_err() {
                    return;
                }
            }
            Err(error) => eprintln!("{}: {error}", job.name),
        }
    }
}

/// Runs jobs on so many threads; the answers come in the order in which they are known.
fn serve(jobs: Vec<Job>, threads: usize) -> Vec<Answer> {
    let (submit, queue) = channel();
    let (tell, told) = channel();
    for job in jobs {
        // The receiver lives until all workers have ended.
        let _ = submit.send(job);
    }
    drop(submit);
    let queue = Arc::new(Mutex::new(queue));
    thread::scope(|scope| {
        for _ in 0..threads {
            let (queue, tell) = (queue.clone(), tell.clone());
            scope.spawn(move || worker(&queue, &tell));
        }
    });
    drop(tell);
    told.into_iter().collect()
}

fn jobs() -> Result<Vec<Job>, Box<dyn Error>> {
    let counter = Model::parse("counter.pml", COUNTER, &Promela)?;
    let lamp = Model::parse("lamp.smv", LAMP, &Smv)?;
    let job = |name, model: &Model, fair: &[Fair]| Job {
        name,
        model: model.clone(),
        fair: fair.to_vec(),
        patience: Duration::from_secs(10),
        cancel: Cancel::new(),
    };
    let cancelled = job("cancelled", &counter, &[]);
    cancelled.cancel.cancel();
    Ok(vec![
        job("counter", &counter, &[]),
        job("counter, just", &counter, &[Fair::just("x == 0")]),
        job("lamp", &lamp, &[]),
        job("lamp, pressed", &lamp, &[Fair::just("press")]),
        cancelled,
    ])
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut answers = serve(jobs()?, 2);
    answers.sort_by_key(|answer| answer.job);
    for Answer { job, verdicts } in answers {
        println!("{job}");
        for (name, verdict) in verdicts {
            match verdict {
                Verdict::Violated(Some(run)) => {
                    println!("  {name}: violated, {} steps show it", run.len());
                }
                Verdict::Unknown(StopReason::NotBegun | StopReason::Interrupted) => {
                    println!("  {name}: cancelled");
                }
                verdict => println!("  {name}: {verdict}"),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_gets_its_answer_whatever_the_number_of_threads() {
        for threads in [1, 2, 5] {
            let answers = serve(jobs().expect("the models are right"), threads);
            let told = |job: &str, property: &str| {
                let answer = answers.iter().find(|answer| answer.job == job);
                let verdicts = &answer.expect("an answer").verdicts;
                let found = verdicts.iter().find(|(name, _)| name == property);
                found.expect("a verdict").1.word()
            };
            assert_eq!(answers.len(), 5);
            assert_eq!(told("counter", "returns"), "violated");
            assert_eq!(told("counter, just", "returns"), "holds");
            assert_eq!(told("lamp", "lit"), "violated");
            assert_eq!(told("lamp, pressed", "lit"), "holds");
            assert_eq!(told("cancelled", "returns"), "unknown");
        }
    }
}
