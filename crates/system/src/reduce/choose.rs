//! Which steps of a state are enough: a persistent set of agents.
//!
//! An *agent* is somebody who moves by himself: a process of a program. In a state it has some steps
//! *now*, enabled or not, and it has a *future*: everything that it may ever do from here on. Two
//! questions about agents are answered by whoever knows the system, on the large side:
//!
//! - `clashes`: may the future of another agent, as long as this one does not move, disable one of its
//!   enabled steps now, enable a disabled one, fail to commute with one, or take part in one?
//! - `wakes`: this agent is blocked; may the future of the other one enable a step of it?
//!
//! A set of agents is *closed* if no agent outside that may move before one inside does clashes with
//! one inside. Who may move first: whoever has an enabled step, and whoever may be woken by somebody who
//! may move first. The enabled steps of a closed set are then a persistent set (Godefroid): whatever
//! the others do first, these steps stay enabled, no further step of the set appears, and it makes no
//! difference which comes first. If one of them is enabled, no deadlock is lost.
//!
//! A set may stand for all steps only if it is also *fit*: none of its enabled steps is visible, none
//! is sticky (see `super`), and none meets a run-time error here.
//!
//! Each agent that can move begins a closure; the smallest fit one by number of steps wins, the first
//! among equals. The cost is at most the cube of the number of agents in operations on words.

/// At most so many agents: sets of them are words.
pub(crate) const MOST_AGENTS: usize = 64;

/// A set of agents.
pub(crate) type Agents = u64;

/// What is known of an agent in a state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Agent {
    /// How many enabled steps it begins or takes part in.
    pub steps: u32,
    /// Whether these may stand for all.
    pub fit: bool,
    /// Those whose futures clash with what it can do now.
    pub clashes: Agents,
    /// Those whose futures may enable a step of it.
    pub wakes: Agents,
}

/// The best set that may stand for all agents, if there is one.
pub(crate) fn choose(agents: &[Agent]) -> Option<Agents> {
    let numbered = agents.iter().enumerate();
    let moving = numbered.filter(|(_, agent)| agent.steps > 0);
    let moving = moving.fold(0, |set, (number, _)| set | 1 << number);
    let unfit = members(moving).filter(|&number| !agents[number].fit);
    let unfit = unfit.fold(0, |set, number| set | 1 << number);
    let mut best: Option<(u32, Agents)> = None;
    for (number, agent) in agents.iter().enumerate() {
        if agent.steps == 0 || !agent.fit || agent.clashes & unfit != 0 {
            continue;
        }
        let Some(set) = closure(agents, moving, number) else {
            continue;
        };
        let steps = members(set).map(|member| agents[member].steps).sum();
        if best.is_none_or(|(fewest, _)| steps < fewest) {
            best = Some((steps, set));
        }
        if steps == 1 {
            break;
        }
    }
    best.map(|(_, set)| set)
}

/// The smallest closed set with an agent; none if it is not fit.
fn closure(agents: &[Agent], moving: Agents, begin: usize) -> Option<Agents> {
    let mut set: Agents = 1 << begin;
    loop {
        let awake = awake(agents, moving, set);
        let mut clashing = 0;
        for member in members(set) {
            if agents[member].steps > 0 && !agents[member].fit {
                return None;
            }
            clashing |= agents[member].clashes & awake;
        }
        if clashing == 0 {
            return Some(set);
        }
        set |= clashing;
    }
}

/// Those outside of a set that may move before somebody inside does.
fn awake(agents: &[Agent], moving: Agents, set: Agents) -> Agents {
    let everybody = Agents::MAX >> (MOST_AGENTS - agents.len());
    let mut awake = moving & !set;
    let mut asleep = everybody & !moving & !set;
    loop {
        let mut woken = 0;
        for agent in members(asleep) {
            if agents[agent].wakes & awake != 0 {
                woken |= 1 << agent;
            }
        }
        if woken == 0 {
            return awake;
        }
        awake |= woken;
        asleep &= !woken;
    }
}

/// The members of a set.
pub(crate) fn members(mut set: Agents) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(first)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(steps: u32, fit: bool, clashes: Agents, wakes: Agents) -> Agent {
        Agent {
            steps,
            fit,
            clashes,
            wakes,
        }
    }

    #[test]
    fn an_agent_that_nobody_clashes_with_stands_for_all() {
        let agents = [agent(1, true, 0b10, 0), agent(2, true, 0, 0)];
        assert_eq!(choose(&agents), Some(0b10));
    }

    #[test]
    fn a_clash_takes_the_other_in() {
        let agents = [agent(1, true, 0b10, 0), agent(1, true, 0b1, 0)];
        assert_eq!(choose(&agents), Some(0b11));
    }

    #[test]
    fn what_is_not_fit_stands_for_nothing() {
        let agents = [agent(1, true, 0b10, 0), agent(1, false, 0, 0)];
        assert_eq!(choose(&agents), None);
    }

    #[test]
    fn a_blocked_agent_is_no_danger_until_it_is_woken() {
        let sleeping = [agent(1, true, 0b10, 0), agent(0, true, 0, 0)];
        assert_eq!(choose(&sleeping), Some(0b1));
        let woken = [
            agent(1, true, 0b10, 0),
            agent(0, true, 0b100, 0b100),
            agent(1, false, 0, 0),
        ];
        assert_eq!(choose(&woken), None, "the third wakes the second");
    }

    #[test]
    fn who_is_woken_by_the_set_itself_is_no_danger() {
        let agents = [agent(1, true, 0b10, 0), agent(0, true, 0, 0b1)];
        assert_eq!(choose(&agents), Some(0b1));
    }
}
