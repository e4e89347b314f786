//! Random formulas and words, for tests and fuzzing. Everything follows from a seed.

use evenhand_source::SplitMix64;

use crate::evaluate::Lasso;
use crate::formula::{AtomId, Binary, FormulaId, Formulas, Unary};

/// A stream of random numbers, formulas and words.
#[derive(Clone, Debug)]
pub struct Random(SplitMix64);

impl Random {
    /// The stream that belongs to a seed.
    pub fn new(seed: u64) -> Random {
        Random(SplitMix64::new(seed))
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0.number()
    }

    /// A number below `n` (0 if `n` is 0).
    pub fn below(&mut self, n: usize) -> usize {
        self.0.below(n)
    }

    /// A formula with about `size` operators over the propositions `p0 … p(atoms-1)`.
    pub fn formula(
        &mut self,
        store: &mut Formulas,
        size: usize,
        atoms: usize,
        past: bool,
    ) -> FormulaId {
        let leaf = |random: &mut Random, store: &mut Formulas| match random.below(12) {
            0 => store.constant(random.below(2) == 0),
            n => {
                let atom = store.atom(&format!("p{}", random.below(atoms)));
                if n % 3 == 0 { store.not(atom) } else { atom }
            }
        };
        self.formula_over(store, size, past, &leaf)
    }

    /// The same without past, where about half of the leaves hold everywhere or nowhere on a word.
    pub fn formula_with_constants(
        &mut self,
        store: &mut Formulas,
        size: usize,
        atoms: usize,
    ) -> FormulaId {
        let leaf = |random: &mut Random, store: &mut Formulas| {
            let size = random.below(2);
            let f = random.formula(store, size, atoms, false);
            match random.below(4) {
                0 => {
                    let f = store.finally(f);
                    store.globally(f)
                }
                1 => {
                    let f = store.globally(f);
                    store.finally(f)
                }
                _ => f,
            }
        };
        self.formula_over(store, size, false, &leaf)
    }

    fn formula_over(
        &mut self,
        store: &mut Formulas,
        size: usize,
        past: bool,
        leaf: &dyn Fn(&mut Random, &mut Formulas) -> FormulaId,
    ) -> FormulaId {
        if size == 0 {
            return leaf(self, store);
        }
        let temporal = if past { 11 } else { 7 };
        if self.below(20) < 9 {
            let f = self.formula_over(store, size - 1, past, leaf);
            return match self.below(temporal) {
                0 | 1 => store.finally(f),
                2 | 3 => store.globally(f),
                4 | 5 => store.next(f),
                6 => store.not(f),
                7 => store.unary(Unary::Yesterday, f),
                8 => store.unary(Unary::WeakYesterday, f),
                9 => store.unary(Unary::Once, f),
                _ => store.unary(Unary::Historically, f),
            };
        }
        let left = self.below(size);
        let f = self.formula_over(store, left, past, leaf);
        let g = self.formula_over(store, size - 1 - left, past, leaf);
        match self.below(if past { 15 } else { 12 }) {
            0..=2 => store.and([f, g]),
            3..=5 => store.or([f, g]),
            6 => store.implies(f, g),
            7 => match self.below(2) {
                0 => store.iff(f, g),
                _ => store.xor(f, g),
            },
            8 => store.binary(Binary::Until, f, g),
            9 => store.binary(Binary::WeakUntil, f, g),
            10 => store.binary(Binary::Release, f, g),
            11 => store.binary(Binary::StrongRelease, f, g),
            12 | 13 => store.binary(Binary::Since, f, g),
            _ => store.binary(Binary::Trigger, f, g),
        }
    }

    /// A word with up to `length` positions over up to 64 atoms.
    pub fn word(&mut self, length: usize, atoms: usize) -> Word {
        let cycle = 1 + self.below(length.max(1));
        let prefix = self.below(length.max(1) + 1 - cycle.min(length.max(1)));
        let mask = if atoms >= 64 { !0 } else { (1 << atoms) - 1 };
        let letters = (0..prefix + cycle).map(|_| self.number() & mask).collect();
        Word {
            letters,
            lasso: Lasso { prefix, cycle },
        }
    }
}

/// A lasso word over up to 64 atoms: bit *i* of a letter is the truth of atom number *i*.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The letters of the prefix, then those of the cycle.
    pub letters: Vec<u64>,
    /// How many of each.
    pub lasso: Lasso,
}

impl Word {
    /// The truth of an atom at a position; atoms beyond 63 are false.
    pub fn holds(&self, position: usize, atom: AtomId) -> bool {
        atom.index() < 64 && self.letters[position] >> atom.index() & 1 == 1
    }

    /// Does a formula without path quantifiers hold on the word?
    pub fn satisfies(&self, store: &Formulas, f: FormulaId) -> bool {
        let holds = |position, atom| self.holds(position, atom);
        crate::evaluate(store, f, self.lasso, &holds).unwrap_or(false)
    }

    /// All words over `atoms` propositions with exactly the given shape.
    pub fn all(lasso: Lasso, atoms: usize) -> impl Iterator<Item = Word> {
        let bits = lasso.positions() * atoms;
        (0..1u64 << bits).map(move |code| Word {
            letters: (0..lasso.positions())
                .map(|i| code >> (i * atoms) & ((1 << atoms) - 1))
                .collect(),
            lasso,
        })
    }
}
