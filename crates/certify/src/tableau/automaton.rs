//! The tableau as an automaton: from each state to its successors, by its letter, with its marks.

use evenhand_automata::{
    Acceptance, Automaton, Builder, Cube, Literal, Mark, MarkSet, Prop, State,
};
use evenhand_source::budget::spend_many;
use evenhand_system::PropositionId;

use super::Tableau;

impl Tableau {
    /// The automaton that accepts the tableau's words, and what its propositions are.
    pub fn automaton(&self) -> (Automaton, Vec<PropositionId>) {
        let propositions: Vec<PropositionId> = self.propositions.iter().map(|p| p.0).collect();
        let names = propositions.iter().map(|p| format!("p{}", p.0)).collect();
        let mut builder = Builder::new(names, Acceptance::generalized_buchi(self.marks()));
        let states: Vec<State> = (0..self.len()).map(|_| builder.add_state()).collect();
        for &initial in self.initial() {
            builder.add_initial(states[initial as usize]);
        }
        for (number, &state) in states.iter().enumerate() {
            let mut letter = Cube::TRUE;
            for (place, &proposition) in propositions.iter().enumerate() {
                let literal = Literal {
                    prop: Prop::new(place),
                    positive: self.holds(number, proposition) == Some(true),
                };
                // Each proposition once: nothing contradicts.
                letter = letter.and(&Cube::literal(literal)).unwrap_or(letter);
            }
            let own = self.marks_of(number);
            let marks = (0..self.marks()).filter(|mark| own >> mark & 1 == 1);
            let marks: MarkSet = marks.map(Mark::new).collect();
            let successors = self.successors(number);
            spend_many(successors.len() + 1);
            for &next in successors {
                builder.add_edge(state, &letter, &marks, states[next as usize]);
            }
        }
        (builder.build(), propositions)
    }
}
