//! Whoever does not belong here: without the token, with another model, with nothing to say.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use evenhand_cluster::{Cluster, Door, NotJoined, Token};

use crate::common::joining;

/// Two processes, of which the second one is another than it should be.
fn two(change: impl Fn(&mut evenhand_cluster::Joining) + Sync) -> [Result<Cluster, NotJoined>; 2] {
    let door = Door::open("127.0.0.1:0").expect("a port");
    let chief = door.address().expect("an address").to_string();
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let mut joining = joining(&chief, 1, 2, 1);
            change(&mut joining);
            Cluster::join(&joining, Door::open("127.0.0.1:0")?)
        });
        let mut own = joining("", 0, 2, 1);
        own.wait = Duration::from_secs(3);
        let first = Cluster::join(&own, door);
        [first, other.join().expect("no panic")]
    })
}

#[test]
fn another_model_is_noticed_by_both() {
    for result in two(|joining| joining.about[0].1 = "other".to_string()) {
        match result {
            Err(NotJoined::Different(text)) => assert!(text.contains("another model"), "{text}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn another_token_is_refused() {
    let [first, other] = two(|joining| joining.token = Token::new("guessed"));
    assert!(matches!(first, Err(NotJoined::Absent(_))), "{first:?}");
    match other {
        Err(NotJoined::Different(text)) => assert!(text.contains("token"), "{text}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn who_does_not_come_is_named() {
    let door = Door::open("127.0.0.1:0").expect("a port");
    let mut own = joining("", 0, 3, 1);
    own.wait = Duration::from_millis(200);
    match Cluster::join(&own, door) {
        Err(NotJoined::Absent(text)) => {
            assert!(
                text.contains("process 1") && text.contains("process 2"),
                "{text}"
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn junk_on_the_port_changes_nothing() {
    let door = Door::open("127.0.0.1:0").expect("a port");
    let address = door.address().expect("an address");
    let begun = Instant::now();
    let clusters = std::thread::scope(|scope| {
        // Some say something else, some nothing at all.
        let strangers: Vec<_> = (0..40u32)
            .map(|number| {
                let mut stream = TcpStream::connect(address).expect("a connection");
                let junk: Vec<u8> = (0..number * 7).map(|byte| (byte * 31) as u8).collect();
                let _ = match number % 4 {
                    0 => Ok(()),
                    1 => stream.write_all(b"GET / HTTP/1.1\r\n\r\n"),
                    2 => stream.write_all(b"evenhand cluster 02\n0123456789"),
                    _ => stream.write_all(&junk),
                };
                stream
            })
            .collect();
        let chief = address.to_string();
        let other = scope
            .spawn(move || Cluster::join(&joining(&chief, 1, 2, 1), Door::open("127.0.0.1:0")?));
        let first = Cluster::join(&joining("", 0, 2, 1), door);
        let other = other.join().expect("no panic");
        drop(strangers);
        [first, other]
    });
    assert!(clusters.iter().all(Result::is_ok), "{clusters:?}");
    assert!(begun.elapsed() < Duration::from_secs(60));
}

/// A process that waits for one that does not come, and where it listens; others may call meanwhile.
fn waiting(test: impl FnOnce(SocketAddr)) {
    let door = Door::open("127.0.0.1:0").expect("a port");
    let address = door.address().expect("an address");
    let mut own = joining("", 0, 2, 1);
    own.wait = Duration::from_secs(2);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let _ = Cluster::join(&own, door);
        });
        test(address);
    });
}

#[test]
fn silent_strangers_make_room() {
    waiting(|address| {
        let call = |_| TcpStream::connect(address).expect("a connection");
        let silent: Vec<TcpStream> = (0..64).map(call).collect();
        let mut stream = call(64);
        stream.write_all(b"evenhand cluster 02\n").expect("written");
        stream.write_all(&[7; 32]).expect("written");
        let mut heard = [0; 64];
        stream
            .read_exact(&mut heard)
            .expect("a number and an answer");
        drop(silent);
    });
}

/// Five seconds are for all that is to be proved, not for each byte of it.
#[test]
fn slow_strangers_are_cut_off() {
    waiting(|address| {
        let mut stream = TcpStream::connect(address).expect("a connection");
        let text = [&b"evenhand cluster 02\n"[..], &[7; 32]].concat();
        for byte in text {
            if stream.write_all(&[byte]).is_err() {
                break;
            }
            std::thread::sleep(Duration::from_millis(150));
        }
        let mut heard = Vec::new();
        let _ = stream.read_to_end(&mut heard);
        assert!(heard.is_empty(), "{heard:?}");
    });
}

#[test]
fn a_stranger_learns_nothing_but_a_random_number() {
    waiting(|address| {
        let mut stream = TcpStream::connect(address).expect("a connection");
        stream.write_all(b"evenhand cluster 02\n").expect("written");
        stream.write_all(&[7; 32]).expect("written");
        let mut heard = [0; 64];
        stream
            .read_exact(&mut heard)
            .expect("a number and an answer");
        stream.write_all(&[0; 37]).expect("written");
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        assert!(rest.is_empty(), "{rest:?}");
    });
}
