//! The steps of a net in groups: one for each transition, which reads and writes the bytes of its places.
//!
//! Whoever learns a relation from groups asks a transition once for each value of the bytes that it reads. So each place has bytes
//! of its own here: packed as they are explored, many places share one, and a transition would be asked about all of them.
//!
//! A step to a marking with a rest leaves the narrow fields where they are, and the rest of every other
//! place is 0: so it depends on the bytes of the transition's own places alone.

use std::sync::Arc;

use evenhand_system::groups::{Bytes, Group, GroupExplorer, LayoutId};
use evenhand_system::{
    ActionId, Explicit, Explorer, Groups, ItemSpec, PropositionId, Signature, Successors,
};

use crate::body::{NetBody, NetExplorer, Packed};
use crate::net::Transition;

/// A net in which each place has bytes of its own.
pub(crate) struct Spread {
    body: NetBody,
    original: Arc<Packed>,
}

impl Spread {
    /// That of a net.
    pub fn new(body: &NetBody) -> Spread {
        let packed = Arc::new(body.packed.spread());
        Spread {
            body: NetBody::new(packed, body.conditions.to_vec()),
            original: body.packed.clone(),
        }
    }
}

impl Explicit for Spread {
    fn signature(&self) -> &Signature {
        Explicit::signature(&self.body)
    }

    fn explorer<'a>(&'a self, items: &[ItemSpec]) -> Box<dyn Explorer + 'a> {
        self.body.explorer(items)
    }
}

impl Groups for Spread {
    fn group_explorer<'a>(&'a self, items: &[ItemSpec]) -> Box<dyn GroupExplorer + 'a> {
        Box::new(NetGroups {
            body: &self.body,
            explorer: NetExplorer::new(&self.body, items),
        })
    }

    fn packed(&self, state: &[u8]) -> Vec<u8> {
        let (mut marking, mut bytes) = (Vec::new(), Vec::new());
        if self.body.packed.layouts.rest(state).is_some() {
            self.body.packed.layouts.unpack(state, &mut marking);
            self.original.layouts.pack(&marking, &mut bytes);
        }
        bytes
    }
}

struct NetGroups<'a> {
    body: &'a NetBody,
    explorer: NetExplorer<'a>,
}

impl GroupExplorer for NetGroups<'_> {
    fn layout(&self, state: &[u8]) -> LayoutId {
        let rest = self.body.packed.layouts.rest(state);
        LayoutId(rest.map_or(u32::MAX, |rest| rest as u32))
    }

    fn groups(&mut self, state: &[u8]) -> Vec<Group> {
        let packed = &self.body.packed;
        let layouts = &packed.layouts;
        let Some(rest) = layouts.rest(state) else {
            return Vec::new();
        };
        let bytes_of = |place: u32, set: &mut Bytes| {
            set.insert(layouts.fields[place as usize].bytes());
            set.insert(layouts.rest_of(place, rest));
        };
        let transitions = packed.net.transitions.iter().enumerate();
        let group = |(number, transition): (usize, &Transition)| {
            let (mut reads, mut writes) = (Bytes::none(state.len()), Bytes::none(state.len()));
            for need in &transition.needs {
                bytes_of(need.place, &mut reads);
            }
            for change in &transition.changes {
                bytes_of(change.place, &mut reads);
                bytes_of(change.place, &mut writes);
            }
            // Whether less of a rest would do behind the step depends on the rest of every place.
            if rest > 0 {
                reads.insert(layouts.len..state.len());
                writes.insert(layouts.len..state.len());
            }
            Group {
                layout: LayoutId(rest as u32),
                number: number as u32,
                process: packed.steps[number].process,
                action: Some(ActionId::new(number)),
                reads,
                writes,
                changes_layout: true,
            }
        };
        transitions.map(group).collect()
    }

    fn expand_group(&mut self, group: &Group, state: &[u8], out: &mut Successors) {
        self.explorer.start(out);
        if let Some(action) = group.action {
            let number = action.index();
            if number < self.body.packed.net.transitions.len() {
                self.explorer.fire(number..number + 1, state, out);
            }
        }
        out.enable_taken();
    }

    fn proposition_reads(&mut self, proposition: PropositionId, state: &[u8]) -> Bytes {
        let mut bytes = Bytes::none(state.len());
        let packed = &self.body.packed;
        let condition = self.body.conditions.get(proposition.0 as usize);
        if let (Some(condition), Some(rest)) = (condition, packed.layouts.rest(state)) {
            condition.reads(&packed.net, &mut |place| {
                bytes.insert(packed.layouts.fields[place as usize].bytes());
                bytes.insert(packed.layouts.rest_of(place, rest));
            });
        }
        bytes
    }
}
