//! Certificates as files: what is written is read, and what was cut, changed or made up does no harm.

use std::io::Read;

use evenhand_automata::State;
use evenhand_certify::file::{Header, ReadError, Recorder, Writer, open};
use evenhand_certify::{CellId, Cells, Flaw, RankSource, Reason};
use evenhand_source::SplitMix64;

type List = Vec<(State, CellId)>;

/// How many states the automaton of the tests has.
const STATES: usize = 40;

fn cases(default: u64) -> u64 {
    let cases = std::env::var("EVENHAND_CASES").ok();
    cases
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(default)
}

struct Certificate {
    header: Header,
    cells: Cells,
    lists: Vec<List>,
}

/// Some cells, and lists of which many are alike.
fn random_certificate(random: &mut SplitMix64) -> Certificate {
    let text = |random: &mut SplitMix64| "[] (a → <> b)\n".repeat(random.below(4));
    let texts = (0..random.below(4)).map(|n| (format!("text {n}"), text(random)));
    let header = Header {
        texts: texts.collect(),
    };
    let mut cells = Cells::new();
    let count = 1 + random.below(300);
    for number in 0..count {
        let around = match random.below(3) {
            0 if number > 0 => CellId::new(random.below(number) as u32),
            _ => None,
        };
        let (mark, pair) = (random.number() as u32, random.below(5) as u32);
        let reason = match random.below(3) {
            0 => Reason::NoEdge,
            1 => Reason::Missing { mark },
            _ => Reason::NotGranted { pair },
        };
        let number = (random.number() >> random.below(64)) as u32;
        cells.add(around, number, reason).expect("there is room");
    }
    let variety = 1 + random.below(400);
    let kinds: Vec<List> = (0..variety)
        .map(|_| {
            let often = random.below(101);
            let states = (0..STATES as u32).filter(|_| random.below(100) < often);
            let states: Vec<u32> = states.collect();
            let cell = |random: &mut SplitMix64| CellId::new(random.below(count) as u32);
            let ranks = states.into_iter();
            let ranks = ranks.filter_map(|state| Some((State(state), cell(random)?)));
            ranks.collect()
        })
        .collect();
    let lists = (0..random.below(1000)).map(|_| kinds[random.below(variety)].clone());
    Certificate {
        header,
        cells,
        lists: lists.collect(),
    }
}

fn write(certificate: &Certificate) -> Vec<u8> {
    let (header, cells) = (&certificate.header, &certificate.cells);
    let mut writer = Writer::new(Vec::new(), header, cells).expect("memory");
    for list in &certificate.lists {
        writer.put(list).expect("memory");
    }
    writer.finish().expect("memory")
}

/// Reads a file to its end, or as many lists.
fn read(bytes: impl Read, most: usize) -> Result<Certificate, ReadError> {
    let opened = open(bytes)?;
    let header = opened.header.clone();
    let (cells, mut ranks) = opened.ranks(STATES)?;
    let mut lists = Vec::new();
    let mut list = List::new();
    for _ in 0..most {
        if let Err(flaw) = ranks.ranks(&[], &mut list) {
            assert_eq!(flaw, Flaw::Unreadable);
            let error = ranks.finish().expect_err("there was one");
            return Err(error);
        }
        assert!(list.is_sorted_by(|a, b| a.0 < b.0));
        assert!(list.iter().all(|rank| rank.0.index() < STATES));
        lists.push(list.clone());
    }
    ranks.finish()?;
    Ok(Certificate {
        header,
        cells,
        lists,
    })
}

#[track_caller]
fn assert_same(a: &Certificate, b: &Certificate) {
    assert_eq!(a.header, b.header);
    assert_eq!(a.lists, b.lists);
    let cell = |cells: &Cells, id| (cells.parent(id), cells.number(id), cells.reason(id));
    let all = |cells: &Cells| cells.iter().map(|id| cell(cells, id)).collect::<Vec<_>>();
    assert_eq!(all(&a.cells), all(&b.cells));
}

#[test]
fn what_is_written_is_read() {
    for case in 0..cases(60) {
        let certificate = random_certificate(&mut SplitMix64::new(case));
        let bytes = write(&certificate);
        let again = read(&bytes[..], certificate.lists.len());
        let again = again.unwrap_or_else(|why| panic!("case {case}: {why}"));
        assert_same(&certificate, &again);
        // The number of states is part of what is said.
        let count = certificate.lists.len();
        let more = read(&bytes[..], count + 1);
        assert!(matches!(more, Err(ReadError::Truncated)), "case {case}");
        if count > 0 {
            let less = read(&bytes[..], count - 1);
            assert!(matches!(less, Err(ReadError::Longer)), "case {case}");
        }
    }
}

#[test]
fn a_file_that_was_cut_is_seen() {
    for case in 0..cases(20) {
        let random = &mut SplitMix64::new(case);
        let certificate = random_certificate(random);
        let bytes = write(&certificate);
        for _ in 0..20 {
            let cut = &bytes[..random.below(bytes.len())];
            let error = read(cut, certificate.lists.len()).err();
            let is_clear = matches!(error, Some(ReadError::Truncated | ReadError::NoCertificate));
            assert!(
                is_clear,
                "case {case}, {} of {}: {error:?}",
                cut.len(),
                bytes.len()
            );
        }
        let mut longer = bytes.clone();
        longer.push(random.number() as u8);
        let error = read(&longer[..], certificate.lists.len()).err();
        assert!(
            matches!(error, Some(ReadError::Longer)),
            "case {case}: {error:?}"
        );
    }
}

#[test]
fn a_file_that_was_changed_does_no_harm() {
    let (mut read_well, mut seen) = (0, 0);
    for case in 0..cases(30) {
        let random = &mut SplitMix64::new(case);
        let certificate = random_certificate(random);
        let bytes = write(&certificate);
        for _ in 0..20 {
            let mut changed = bytes.clone();
            for _ in 0..1 + random.below(4) {
                let place = random.below(changed.len());
                changed[place] = random.number() as u8;
            }
            match read(&changed[..], certificate.lists.len()) {
                Ok(_) => read_well += 1,
                Err(_) => seen += 1,
            }
        }
    }
    println!("{seen} seen, {read_well} read: what those say is for the check to see");
    assert!(seen > read_well);
}

#[test]
fn noise_is_no_certificate_or_makes_no_sense() {
    for case in 0..cases(500) {
        let random = &mut SplitMix64::new(case);
        let noise: Vec<u8> = (0..random.below(500))
            .map(|_| random.number() as u8)
            .collect();
        assert!(matches!(
            read(&noise[..], 10),
            Err(ReadError::NoCertificate)
        ));
        // Behind a proper beginning.
        let none = Certificate {
            header: Header::default(),
            cells: Cells::new(),
            lists: vec![],
        };
        let begin = write(&none);
        let magic = &begin[..begin.iter().position(|&b| b == b'\n').map_or(0, |n| n + 1)];
        let _ = read(&[magic, &noise[..]].concat()[..], 1000);
        let ranks = [magic, &[0, 0], &noise[..]].concat();
        let _ = read(&ranks[..], 1000);
    }
}

/// Gives as many zeros as somebody wants to read, and counts them.
struct Zeros<'z>(&'z mut u64);

impl Read for Zeros<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        buffer.fill(0);
        *self.0 += buffer.len() as u64;
        Ok(buffer.len())
    }
}

#[test]
fn lengths_are_not_believed() {
    let magic = b"evenhand certificate 1\n";
    let huge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
    // So many texts, a text of so many bytes, so many cells: the file ends before.
    for parts in [
        &huge[..],
        &[&[1], &huge[..]].concat()[..],
        &[&[0], &huge[..]].concat()[..],
    ] {
        let bytes = [&magic[..], parts].concat();
        let error = open(&bytes[..]).err();
        let is_clear = matches!(error, Some(ReadError::Truncated | ReadError::Malformed(_)));
        assert!(is_clear, "{error:?}");
    }
    let endless = [&magic[..], &[0xff; 20]].concat();
    assert!(matches!(
        open(&endless[..]).err(),
        Some(ReadError::Malformed(_))
    ));
    // A list of more ranks than the automaton has states ends when there are as many.
    let mut count = 0;
    let begin = [&magic[..], &[0, 0]].concat();
    let opened = open(begin.chain(Zeros(&mut count))).expect("a beginning");
    let (_, mut ranks) = opened.ranks(STATES).expect("ranks");
    let mut list = List::new();
    for _ in 0..10_000 {
        if ranks.ranks(&[], &mut list).is_err() {
            break;
        }
        assert!(list.len() <= STATES);
    }
    drop(ranks);
    assert!(count < 1_000_000, "{count}");
}

#[test]
fn a_cell_around_must_come_before() {
    let bytes = [&b"evenhand certificate 1\n"[..], &[0, 1, 1, 0, 0]].concat();
    let error = open(&bytes[..]).err();
    assert!(
        matches!(error, Some(ReadError::Flawed(Flaw::NoCell))),
        "{error:?}"
    );
    let bytes = [&b"evenhand certificate 1\n"[..], &[0, 1, 0, 0, 3]].concat();
    let error = open(&bytes[..]).err();
    assert!(matches!(error, Some(ReadError::Malformed(_))), "{error:?}");
}

#[test]
fn what_is_told_can_be_recorded() {
    struct Told(Vec<List>);
    impl RankSource for Told {
        fn ranks(&mut self, _: &[u8], ranks: &mut List) -> Result<(), Flaw> {
            *ranks = self.0.remove(0);
            Ok(())
        }
    }
    let certificate = random_certificate(&mut SplitMix64::new(5));
    let writer = Writer::new(Vec::new(), &certificate.header, &certificate.cells);
    let mut told = Told(certificate.lists.clone());
    let mut recorder = Recorder::new(&mut told, writer.expect("memory"));
    let mut list = List::new();
    for expected in &certificate.lists {
        recorder.ranks(&[], &mut list).expect("it is told");
        assert_eq!(&list, expected);
    }
    assert_eq!(recorder.finish().expect("memory"), write(&certificate));
}

/// The same lists again and again take next to no room.
#[test]
fn files_are_small() {
    let mut certificate = random_certificate(&mut SplitMix64::new(1));
    let cell = |number| CellId::new(number).expect("a number");
    let kinds = [
        vec![(State(0), cell(0))],
        vec![(State(0), cell(1)), (State(1), cell(0))],
    ];
    let mut random = SplitMix64::new(3);
    certificate.lists = (0..100_000)
        .map(|_| kinds[usize::from(random.below(50) == 0)].clone())
        .collect();
    let empty = write(&Certificate {
        lists: vec![],
        ..random_certificate(&mut SplitMix64::new(1))
    });
    let bytes = write(&certificate).len() - empty.len();
    assert!(bytes < 100_000 / 25, "{bytes} bytes");
}
