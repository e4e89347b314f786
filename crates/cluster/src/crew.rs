//! The workers of this process, and what they are asked to do.
//!
//! A process has some threads, each with a worker of timely and a shard of its own. They live as long as the cluster;
//! a job is done by all workers of all processes together, so each process must be asked for the same jobs in the same
//! order. That it is so is checked: each job begins with a name that all workers compare.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use evenhand_explicit::search::Progress;
use timely::WorkerConfig;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{Allocator, AllocatorBuilder, ProcessBuilder};
use timely::communication::{Hooks, initialize_from};
use timely::worker::Worker;

use crate::alarm::Alarm;
use crate::join::{Door, Joining, NotJoined, join};
use crate::link::Link;
use crate::post::{Broken, Post};
use crate::pulse::Pulse;

/// How often whoever waits for the workers looks around.
const LOOK: Duration = Duration::from_millis(50);

/// How long workers that were asked to end have for it: those of other processes may never hear of it.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a job may last after somebody has finished it and left: there is nothing more to come from there.
const LINGER: Duration = Duration::from_secs(60);

type Job = Arc<dyn Fn(&mut Post) + Send + Sync>;

/// This process's part in a cluster.
pub struct Cluster {
    process: usize,
    processes: usize,
    threads: usize,
    names: Vec<Arc<str>>,
    jobs: Mutex<Vec<Sender<Job>>>,
    alarm: Alarm,
    pulse: Pulse,
    sent: Arc<AtomicU64>,
    patience: Duration,
}

/// What workers tell while they work.
enum Told<T> {
    Progress(Progress),
    Done(usize, Result<T, Broken>),
}

impl Cluster {
    /// Finds the other processes; all of them do.
    ///
    /// # Errors
    /// If they do not come in time, or are about something else.
    pub fn join(joining: &Joining, door: Door) -> Result<Cluster, NotJoined> {
        let joined = join(joining, door)?;
        let absent = |error: std::io::Error| NotJoined::Absent(error.to_string());
        let (alarm, sent) = (Alarm::default(), Arc::<AtomicU64>::default());
        let names = joined.names;
        let pulse = Pulse::begin(joined.control, &names, &alarm).map_err(absent)?;
        let mut links = Vec::new();
        for (process, stream) in joined.data.into_iter().enumerate() {
            let Some(stream) = stream else {
                links.push(None);
                continue;
            };
            stream.set_read_timeout(None).map_err(absent)?;
            stream.set_write_timeout(None).map_err(absent)?;
            links.push(Some(Link {
                stream,
                alarm: alarm.clone(),
                name: names[process].clone(),
                over: pulse.over(process),
                sent: sent.clone(),
            }));
        }
        let threads = joined.threads.max(1);
        let hooks = Hooks::default();
        let inside = ProcessBuilder::new_typed_vector(threads, hooks.refill.clone(), None);
        let made =
            initialize_networking_from_sockets(inside, links, joining.process, threads, hooks);
        let (builders, guard) = made.map_err(absent)?;
        let (jobs, todo): (Vec<Sender<Job>>, Vec<Receiver<Job>>) =
            (0..threads).map(|_| channel()).unzip();
        let todo = Mutex::new(todo.into_iter().map(Some).collect::<Vec<_>>());
        let rings = alarm.clone();
        let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
        let working = initialize_from(builders, Box::new(guard), move |allocator| {
            let own = allocator.index() % threads;
            let mut all = todo.lock().unwrap_or_else(PoisonError::into_inner);
            let jobs = all[own].take();
            drop(all);
            if let Some(jobs) = jobs {
                work(allocator, &jobs, rings.clone());
            }
        });
        // These threads, and those of connections, end with the process: whoever waits for them may wait for ever.
        std::mem::forget(working.map_err(NotJoined::Absent)?);
        Ok(Cluster {
            process: joining.process,
            processes: joining.addresses.len(),
            threads,
            names,
            jobs: Mutex::new(jobs),
            alarm,
            pulse,
            sent,
            patience: PATIENCE,
        })
    }

    /// The number of this process; the first one reports.
    pub fn process(&self) -> usize {
        self.process
    }

    /// How many processes there are.
    pub fn processes(&self) -> usize {
        self.processes
    }

    /// How many workers each has.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// What the processes are called in messages.
    pub fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    /// Bytes that this process has sent to others, with all that timely adds.
    pub fn bytes_sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Raises the alarm everywhere: this process cannot go on.
    pub fn give_up(&self, reason: &str) {
        self.alarm.raise(reason);
        // So that the others hear of it before this process ends.
        std::thread::sleep(Duration::from_millis(200));
    }

    /// Does a job together with all others; what each worker of this process came to. Whoever watches is told how far
    /// it is again and again, sees to it that workers end, and says whether they are to go on.
    ///
    /// # Errors
    /// If some process is gone: why.
    pub(crate) fn work<T: Send + 'static>(
        &self,
        job: impl Fn(&mut Post, &mut dyn FnMut(&Progress)) -> Result<T, Broken> + Send + Sync + 'static,
        watch: &mut dyn FnMut(Option<&Progress>) -> bool,
    ) -> Result<Vec<T>, String> {
        let (sender, receiver) = channel::<Told<T>>();
        let sender = Mutex::new(sender);
        let threads = self.threads;
        let job: Job = Arc::new(move |post: &mut Post| {
            let sender = sender
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            let own = post.index() % threads;
            let mut tell = |progress: &Progress| {
                if own == 0 {
                    let _ = sender.send(Told::Progress(*progress));
                }
            };
            let done = job(post, &mut tell);
            let _ = sender.send(Told::Done(own, done));
        });
        self.pulse.begin_job();
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        for worker in jobs.iter() {
            let _ = worker.send(job.clone());
        }
        drop(job);
        let done = self.wait(&receiver, watch)?;
        self.pulse.finish_job();
        Ok(done)
    }

    fn wait<T>(
        &self,
        receiver: &Receiver<Told<T>>,
        watch: &mut dyn FnMut(Option<&Progress>) -> bool,
    ) -> Result<Vec<T>, String> {
        let mut done: Vec<Option<T>> = (0..self.threads).map(|_| None).collect();
        let mut last = None;
        let (mut ending, mut alone) = (None::<Instant>, None::<Instant>);
        while done.iter().any(Option::is_none) {
            match receiver.recv_timeout(LOOK) {
                Ok(Told::Progress(progress)) => last = Some(progress),
                Ok(Told::Done(worker, Ok(result))) => done[worker] = Some(result),
                Ok(Told::Done(_, Err(Broken))) => return Err(self.reason()),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    self.alarm.raise("a worker has ended");
                    return Err(self.reason());
                }
            }
            if !watch(last.as_ref()) {
                let since = ending.get_or_insert_with(Instant::now);
                if since.elapsed() > self.patience {
                    self.alarm.raise("interrupted, and others do not answer");
                }
            }
            if self.pulse.has_left() {
                let since = alone.get_or_insert_with(Instant::now);
                if since.elapsed() > LINGER {
                    self.alarm
                        .raise("others have ended, and this process has no answer");
                }
            }
            if self.alarm.is_raised() {
                return Err(self.reason());
            }
        }
        Ok(done.into_iter().flatten().collect())
    }

    fn reason(&self) -> String {
        let reason = self.alarm.reason();
        reason.unwrap_or_else(|| "the connection to other processes is lost".to_string())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let name = &self.names[self.process];
            self.alarm.raise(format!("{name} has ended in a panic"));
        }
        self.pulse.goodbye();
        // What is on the way is still sent.
        std::thread::sleep(Duration::from_millis(50));
    }
}

impl std::fmt::Debug for Cluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cluster")
            .field("process", &self.process)
            .field("processes", &self.processes)
            .finish_non_exhaustive()
    }
}

/// Whoever waits for a worker that ends in a panic hears of it: other workers of its process may go on for ever.
struct RingsInPanic(Alarm);

impl Drop for RingsInPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.raise("a worker has ended in a panic");
        }
    }
}

/// A thread with a worker.
fn work(allocator: Allocator, jobs: &Receiver<Job>, alarm: Alarm) {
    // Without a clock a worker never sleeps.
    let clock = Some(Instant::now());
    let worker = Worker::new(WorkerConfig::default(), allocator, clock);
    let mut post = Post::new(worker, alarm);
    let _rings = RingsInPanic(post.alarm.clone());
    while let Ok(job) = jobs.recv() {
        job(&mut post);
    }
    // Its operators belong to a loop that others may still be in.
    std::mem::forget(post);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::Token;

    /// So many processes of two workers each, which are threads of this one.
    fn processes(count: usize) -> Vec<Cluster> {
        let door = Door::open("127.0.0.1:0").expect("a port");
        let chief = door.address().expect("an address").to_string();
        let joining = |process| Joining {
            addresses: std::iter::once(chief.clone())
                .chain((1..count).map(|_| String::new()))
                .collect(),
            process,
            token: Token::new("a test"),
            about: Vec::new(),
            threads: 2,
            wait: Duration::from_secs(60),
        };
        std::thread::scope(|scope| {
            let joining = &joining;
            let other =
                |process| move || Cluster::join(&joining(process), Door::open("127.0.0.1:0")?);
            let others: Vec<_> = (1..count).map(|k| scope.spawn(other(k))).collect();
            let first = Cluster::join(&joining(0), door);
            let others = others
                .into_iter()
                .map(|other| other.join().expect("no panic"));
            let all: Result<Vec<Cluster>, NotJoined> =
                std::iter::once(first).chain(others).collect();
            all.expect("a cluster")
        })
    }

    /// A job in which all workers hear of each other.
    fn job(cluster: &Cluster) -> Result<Vec<u64>, String> {
        let count = |post: &mut Post, _: &mut dyn FnMut(&Progress)| Ok(post.sum(&[1])?[0]);
        cluster.work(count, &mut |_| true)
    }

    #[test]
    fn who_leaves_early_is_not_waited_for() {
        for (jobs, leaving) in [(0, 1), (1, 1), (2, 0)] {
            let mut all = processes(3);
            let leaves = all.remove(leaving);
            std::thread::scope(|scope| {
                for cluster in &all {
                    scope.spawn(move || {
                        for _ in 0..jobs {
                            assert_eq!(job(cluster), Ok(vec![6, 6]));
                        }
                        let reason = job(cluster).expect_err("one is missing");
                        let name = format!("process {leaving}");
                        assert!(reason.contains(&name), "{reason}");
                    });
                }
                for _ in 0..jobs {
                    assert_eq!(job(&leaves), Ok(vec![6, 6]));
                }
                drop(leaves);
            });
        }
    }

    #[test]
    fn who_has_done_everything_may_leave() {
        let all = processes(3);
        std::thread::scope(|scope| {
            for cluster in all {
                scope.spawn(move || {
                    let wait = Duration::from_millis(200 * cluster.process() as u64);
                    assert_eq!(job(&cluster), Ok(vec![6, 6]));
                    std::thread::sleep(wait);
                    assert!(!cluster.alarm.is_raised());
                });
            }
        });
    }

    #[test]
    fn a_panic_of_one_worker_ends_the_job_everywhere() {
        let all = processes(2);
        std::thread::scope(|scope| {
            for cluster in &all {
                scope.spawn(move || {
                    let fails = |post: &mut Post, _: &mut dyn FnMut(&Progress)| {
                        assert!(post.index() != 1, "a panic that this test is about");
                        Ok(post.sum(&[1])?[0])
                    };
                    let reason = cluster
                        .work(fails, &mut |_| true)
                        .expect_err("one is missing");
                    assert!(reason.contains("panic"), "{reason}");
                });
            }
        });
    }

    #[test]
    fn who_is_interrupted_does_not_wait_for_ever() {
        let mut all = processes(2);
        all[0].patience = Duration::from_millis(100);
        // The other process is there, and does nothing.
        let count = |post: &mut Post, _: &mut dyn FnMut(&Progress)| Ok(post.sum(&[1])?[0]);
        let reason = all[0]
            .work(count, &mut |_| false)
            .expect_err("one is missing");
        assert!(reason.contains("interrupted"), "{reason}");
        let reason = job(&all[1]).expect_err("the first has given up");
        assert!(reason.contains("interrupted"), "{reason}");
    }
}
