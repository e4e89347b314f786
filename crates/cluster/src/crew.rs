//! The workers of this process, and what they are asked to do.
//!
//! A process has some threads, each with a worker of timely and a shard of its own. They live as long as the cluster;
//! a job is done by all workers of all processes together, so each process must be asked for the same jobs in the same
//! order. That it is so is checked: each job begins with a name that all workers compare.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

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
                over: pulse.over[process].clone(),
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

    /// Does a job together with all others; what each worker of this process came to. Whoever watches says whether to
    /// go on, and is told so again and again.
    ///
    /// # Errors
    /// If some process is gone: why.
    pub(crate) fn work<T: Send + 'static>(
        &self,
        job: impl Fn(&mut Post, &mut dyn FnMut(&Progress)) -> Result<T, Broken> + Send + Sync + 'static,
        watch: &mut dyn FnMut(Option<&Progress>),
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
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        for worker in jobs.iter() {
            let _ = worker.send(job.clone());
        }
        drop(job);
        self.wait(&receiver, watch)
    }

    fn wait<T>(
        &self,
        receiver: &Receiver<Told<T>>,
        watch: &mut dyn FnMut(Option<&Progress>),
    ) -> Result<Vec<T>, String> {
        let mut done: Vec<Option<T>> = (0..self.threads).map(|_| None).collect();
        let mut last = None;
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
            watch(last.as_ref());
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

/// A thread with a worker.
fn work(allocator: Allocator, jobs: &Receiver<Job>, alarm: Alarm) {
    // Without a clock a worker never sleeps.
    let clock = Some(std::time::Instant::now());
    let worker = Worker::new(WorkerConfig::default(), allocator, clock);
    let mut post = Post::new(worker, alarm);
    while let Ok(job) = jobs.recv() {
        job(&mut post);
    }
    // Its operators belong to a loop that others may still be in.
    std::mem::forget(post);
}
