//! Modules of proofs: specifications extend them, and their proofs name what is in them. Proofs are not read here, so what
//! is left are names, which have to exist where a specification mentions them.

use super::{MachineOperator, StandardModule, StandardOperator, machine};

pub(super) const MODULES: &[StandardModule] = &[
    theorems("TLAPS", &[], TLAPS),
    theorems("NaturalsInduction", &["Integers", "TLAPS"], NATURALS),
    theorems("WellFoundedInduction", &["NaturalsInduction"], WELL_FOUNDED),
    theorems("FunctionTheorems", &["Functions", "Integers"], &[]),
    theorems(
        "FiniteSetTheorems",
        &["FiniteSets", "Sequences", "FunctionTheorems"],
        &[],
    ),
    theorems(
        "SequenceTheorems",
        &["Sequences", "Integers", "Functions", "WellFoundedInduction"],
        &[],
    ),
    theorems("FiniteSetsExtTheorems", &["FiniteSetsExt"], &[]),
    theorems("SequencesExtTheorems", &["SequencesExt"], &[]),
    theorems("FoldsTheorems", &["Folds"], &[]),
    theorems("BagsTheorems", &["Bags"], &[]),
    theorems("GraphTheorems", &["Graphs"], &[]),
];

const fn theorems(
    name: &'static str,
    extends: &'static [&'static str],
    operators: &'static [StandardOperator],
) -> StandardModule {
    StandardModule {
        name,
        extends,
        operators,
    }
}

const fn proof(name: &'static str, params: &'static [u8]) -> StandardOperator {
    machine(name, params, MachineOperator::Proof)
}

/// What tells the provers which of them to use.
const TLAPS: &[StandardOperator] = &[
    proof("SMT", &[]),
    proof("SMTT", &[0]),
    proof("CVC3", &[]),
    proof("CVC3T", &[0]),
    proof("CVC4", &[]),
    proof("CVC4T", &[0]),
    proof("Yices", &[]),
    proof("YicesT", &[0]),
    proof("verit", &[]),
    proof("veritT", &[0]),
    proof("Z3", &[]),
    proof("Z3T", &[0]),
    proof("Spass", &[]),
    proof("SpassT", &[0]),
    proof("Zipper", &[]),
    proof("ZipperT", &[0]),
    proof("Zenon", &[]),
    proof("ZenonT", &[0]),
    proof("SlowZenon", &[]),
    proof("SlowerZenon", &[]),
    proof("VerySlowZenon", &[]),
    proof("SlowestZenon", &[]),
    proof("Isa", &[]),
    proof("IsaT", &[0]),
    proof("IsaM", &[0]),
    proof("IsaMT", &[0, 0]),
    proof("IsaWithSetExtensionality", &[]),
    proof("Auto", &[]),
    proof("Force", &[]),
    proof("Blast", &[]),
    proof("AutoBlast", &[]),
    proof("SimplifyAndSolve", &[]),
    proof("Simplification", &[]),
    proof("SimpleArithmetic", &[]),
    proof("CooperQE", &[]),
    proof("AllProvers", &[]),
    proof("AllProversT", &[0]),
    proof("AllSMT", &[]),
    proof("AllSMTT", &[0]),
    proof("AllIsa", &[]),
    proof("AllIsaT", &[0]),
    proof("PTL", &[]),
    proof("LS4", &[]),
    proof("PropositionalTemporalLogic", &[]),
    proof("ExpandENABLED", &[]),
    proof("ExpandCdot", &[]),
    proof("AutoUSE", &[]),
    proof("Lambdify", &[]),
    proof("ENABLEDaxioms", &[]),
    proof("ENABLEDrewrites", &[]),
    proof("ENABLEDrules", &[]),
    proof("LevelComparison", &[]),
    proof("EnabledWrites", &[]),
    proof("Trivial", &[]),
    proof("SetExtensionality", &[]),
    proof("NoSetContainsEverything", &[]),
];

const NATURALS: &[StandardOperator] = &[
    proof("NatInductiveDefHypothesis", &[0, 0, 2]),
    proof("NatInductiveDefConclusion", &[0, 0, 2]),
    proof("FiniteNatInductiveDefHypothesis", &[0, 0, 2, 0, 0]),
    proof("FiniteNatInductiveDefConclusion", &[0, 0, 2, 0, 0]),
];

const WELL_FOUNDED: &[StandardOperator] = &[
    proof("IsTransitivelyClosedOn", &[0, 0]),
    proof("IsWellFoundedOn", &[0, 0]),
    proof("SetLessThan", &[0, 0, 0]),
    proof("WFDefOn", &[0, 0, 2]),
    proof("OpDefinesFcn", &[0, 0, 2]),
    proof("WFInductiveDefines", &[0, 0, 2]),
    proof("WFInductiveUnique", &[0, 2]),
    proof("TransitiveClosureOn", &[0, 0]),
    proof("OpToRel", &[2, 0]),
    proof("PreImage", &[1, 0, 0]),
    proof("LexPairOrdering", &[0, 0, 0, 0]),
    proof("LexProductOrdering", &[0, 0, 0]),
    proof("StrictSubsetOrdering", &[0]),
];
