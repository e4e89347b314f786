//! What transitions read and write: the contract of transition groups, on the markings of random nets.

use evenhand_source::SplitMix64;
use evenhand_system::groups::Group;
use evenhand_system::{GroupExplorer, Groups, Successors};

use crate::common::{TestNet, random_net, read};

/// Markings from the beginning on, up to so many, and the successors of each.
fn markings(groups: &dyn Groups, most: usize) -> Vec<(Vec<u8>, Vec<Vec<u8>>)> {
    let mut explorer = groups.explorer(&[]);
    let mut out = Successors::new();
    explorer.initial(&mut out);
    let mut all = vec![out.state(0).to_vec()];
    let mut found = Vec::new();
    while found.len() < all.len() && found.len() < most {
        let state = all[found.len()].clone();
        explorer.expand(&state, &mut out);
        let targets: Vec<Vec<u8>> = (0..out.len()).map(|i| out.state(i).to_vec()).collect();
        for target in &targets {
            if !all.contains(target) {
                all.push(target.clone());
            }
        }
        found.push((state, targets));
    }
    found
}

fn expand(explorer: &mut dyn GroupExplorer, group: &Group, state: &[u8]) -> Vec<Vec<u8>> {
    let mut out = Successors::new();
    explorer.expand_group(group, state, &mut out);
    (0..out.len()).map(|i| out.state(i).to_vec()).collect()
}

/// A net that fills a place with many tokens, by one of so many transitions that a sample of runs does not meet it.
fn outgrowing() -> TestNet {
    let one = |place: usize, weight: u32| vec![(place, weight, "normal")];
    let mut transitions = vec![(one(0, 1), one(1, 1)); 200];
    transitions[100].1 = one(2, 1000);
    transitions.push((one(2, 1), one(3, 7)));
    TestNet {
        initial: vec![1, 0, 0, 0],
        transitions,
    }
}

#[test]
fn groups_keep_their_contract() {
    let mut dice = SplitMix64::new(0x96);
    let (mut pairs, mut rests) = (0, 0);
    for number in 0..400 {
        // Nets without bounds are welcome; now and then one whose markings outgrow their fields.
        let net = match number % 80 {
            0 => outgrowing(),
            _ => random_net(&mut dice, true),
        };
        let model = read(&net.pnml(), &[]).unwrap_or_else(|error| panic!("{error}"));
        let groups = model.body().groups().expect("groups");
        let mut explorer = groups.group_explorer(&[]);
        // The same markings, one by one, as those that are explored.
        let body = model.body().explicit();
        let mut own = body.unwrap_or_else(|_| panic!("explicit")).explorer(&[]);
        let all = markings(groups, 60);
        for (state, targets) in &all {
            let mut out = Successors::new();
            own.expand(&groups.packed(state), &mut out);
            let found: Vec<Vec<u8>> = (0..out.len()).map(|i| out.state(i).to_vec()).collect();
            let packed: Vec<Vec<u8>> = targets.iter().map(|t| groups.packed(t)).collect();
            assert_eq!(found, packed, "{}", net.pnml());
            let own = explorer.groups(state);
            let mut together = Vec::new();
            for group in &own {
                together.extend(expand(&mut *explorer, group, state));
            }
            assert_eq!(together, *targets, "{}", net.pnml());
            rests += usize::from(state.len() > all[0].0.len());
            for group in &own {
                for (other, _) in &all {
                    let is_same = explorer.layout(other) == group.layout
                        && group.reads.iter().all(|at| state[at] == other[at]);
                    if !is_same || state == other {
                        continue;
                    }
                    pairs += 1;
                    let mut expected = expand(&mut *explorer, group, state);
                    for target in &mut expected {
                        for (at, byte) in target.iter_mut().enumerate() {
                            if at < other.len() && !group.writes.contains(at) {
                                *byte = other[at];
                            }
                        }
                    }
                    assert_eq!(
                        expand(&mut *explorer, group, other),
                        expected,
                        "{}",
                        net.pnml()
                    );
                }
            }
        }
    }
    assert!(pairs > 1000, "{pairs} pairs");
    assert!(rests > 100, "{rests} markings with a rest");
}
