//! The words of the modules that are built in here and texts for TLC, in the order in which TLC meets them first.
//!
//! Two strings compare as their first occurrences do, and a word of a module is such an occurrence: with
//! `EXTENDS Sequences`, "s" comes before a string that only the specification has.

/// What is known of the text of a module that is built in.
pub struct BuiltInText {
    /// Its name.
    pub name: &'static str,
    /// The modules that it extends.
    pub extends: &'static [&'static str],
    /// The modules of which it has instances.
    pub instances: &'static [&'static str],
    /// Its words.
    pub words: &'static str,
    /// Its strings.
    pub strings: &'static [&'static str],
}

/// What TLC has interned when it begins to read the specification: the language itself.
pub const LANGUAGE: &str = "STRING FALSE TRUE BOOLEAN = /= . ' \\lnot \\neg \\land \\lor \\equiv => SUBSET UNION DOMAIN \
    \\subseteq \\in \\notin \\ \\intersect \\union \\times ~> [] <> ENABLED UNCHANGED \\cdot -+-> [ \
    ^ / * - -. + ^+ ^* ^# < \\leq > \\geq ... .. | || && & $$ $ ?? %% % ## ++ -- ** // ^^ @@ !! |- \
    |= -| =| <: :> := ::= \\oplus \\ominus \\odot \\oslash \\otimes \\uplus \\sqcap \\sqcup \\div \
    \\wr \\star \\o \\bigcirc \\bullet \\prec \\succ \\preceq \\succeq \\sim \\simeq \\ll \\gg \
    \\asymp \\subset \\supset \\supseteq \\approx \\cong \\sqsubset \\sqsubseteq \\sqsupset \
    \\sqsupseteq \\doteq \\propto ~ /\\ \\/ <=> # <= =< >= \\X \\cap \\cup \\circ (+) (-) (.) (/) \
    (\\X) @";

/// The module that TLC adds to those that the specification extends.
pub const ADDED: &str = "_TLCTrace";

/// All of them.
pub const TEXTS: &[BuiltInText] = &[
    BuiltInText {
        name: "Naturals",
        extends: &[],
        instances: &[],
        words: "Naturals Nat a b CHOOSE n TRUE",
        strings: &[],
    },
    BuiltInText {
        name: "Integers",
        extends: &["Naturals"],
        instances: &[],
        words: "Integers EXTENDS Naturals Int a 0",
        strings: &[],
    },
    BuiltInText {
        name: "Reals",
        extends: &["Integers"],
        instances: &[],
        words: "Reals EXTENDS Integers Real a b CHOOSE m Infinity i r",
        strings: &["Reals"],
    },
    BuiltInText {
        name: "Sequences",
        extends: &[],
        instances: &["Naturals"],
        words: "Sequences LOCAL INSTANCE Naturals Seq S UNION 1 n Nat Len s CHOOSE DOMAIN t i IF THEN ELSE \
                Append e Head Tail CASE SubSeq m SelectSeq Test LET F 0 IN",
        strings: &[],
    },
    BuiltInText {
        name: "FiniteSets",
        extends: &[],
        instances: &["Naturals", "Sequences"],
        words: "FiniteSets LOCAL INSTANCE Naturals Sequences IsFiniteSet S seq Seq s n 1 Len Cardinality LET CS \
                T SUBSET IF THEN 0 ELSE CHOOSE x IN",
        strings: &[],
    },
    BuiltInText {
        name: "Bags",
        extends: &["TLC"],
        instances: &["Naturals"],
        words: "Bags EXTENDS TLC LOCAL INSTANCE Naturals IsABag B DOMAIN n Nat 0 BagToSet SetToBag S e 1 BagIn \
                EmptyBag B1 B2 IF THEN ELSE LET IN d Sum f DSum SUBSET elt CHOOSE TRUE BagUnion UNION SubBag \
                RemoveFromDom x y Combine BagSet i Biggest Range r s RSB BB BagOfAll F BagCardinality CopiesIn",
        strings: &[],
    },
    BuiltInText {
        name: "TLC",
        extends: &[],
        instances: &["Naturals", "Sequences", "FiniteSets"],
        words: "TLC LOCAL INSTANCE Naturals Sequences FiniteSets Print out val PrintT TRUE Assert IF THEN ELSE \
                CHOOSE v JavaTime n Nat TLCGet i TLCSet d e x f g DOMAIN Permutations S w SortSeq s Op LET Perm \
                p 1 Len j IN RandomElement Any ToString a b STRING TLCEval",
        strings: &[],
    },
    BuiltInText {
        name: "TLCExt",
        extends: &[],
        instances: &["TLC", "Integers"],
        words: "TLCExt LOCAL INSTANCE TLC Integers AssertEq a b IF THEN PrintT ELSE AssertError err exp LET \
                FailsEval e CHOOSE BOOLEAN TRUE TLCError s STRING IN Assert TLCGetOrDefault key defaultVal n \
                TLCGetAndSet Op val oldVal v TLCSet Trace CounterExample ToTrace CE TLCModelValue str ToString \
                TLCDefer expression TLCNoOp PickSuccessor bool TLCCache closure TLCFP var i Int \
                TLCEvalDefinition definitionName",
        strings: &["Assertion failed"],
    },
    BuiltInText {
        name: "Randomization",
        extends: &[],
        instances: &["Naturals", "FiniteSets"],
        words: "Randomization LOCAL INSTANCE Naturals FiniteSets RandomSubset k S CHOOSE T SUBSET Cardinality \
                RandomSetOfSubsets n TestRandomSetOfSubsets i 1 5",
        strings: &[],
    },
    BuiltInText {
        name: "Json",
        extends: &[],
        instances: &["Sequences", "FiniteSets", "TLC"],
        words: "Json LOCAL INSTANCE Sequences FiniteSets TLC IsSequence F D TRUE FALSE ToJsonKeyValue d \
                ToString RECURSIVE ToJsonObjectString LET CHOOSE IN IF DOMAIN THEN ELSE ToJsonArrayString \
                ToJsonString IsFiniteSet ToJson value ToJsonArray ToJsonObject JsonSerialize absoluteFilename \
                JsonDeserialize val ndJsonSerialize ndJsonDeserialize",
        strings: &[":", "{", "}", ", ", "[", "]", "{}", "[]"],
    },
    BuiltInText {
        name: "RealTime",
        extends: &["Reals"],
        instances: &[],
        words: "RealTime EXTENDS Reals VARIABLE now RTBound A v D E LET TNext t IF _v ENABLED THEN 0 ELSE Timer \
                MaxTime MinTime IN RTnow NowNext r Real UNCHANGED _now",
        strings: &[],
    },
    BuiltInText {
        name: "Toolbox",
        extends: &[],
        instances: &["Naturals", "FiniteSets", "TLC"],
        words: "Toolbox LOCAL INSTANCE Naturals FiniteSets TLC _TETrace CHOOSE f Nat 0 STRING TRUE \
                _TETraceLength Cardinality DOMAIN _TEPosition IF TLCGet THEN ELSE 1",
        strings: &["level"],
    },
    BuiltInText {
        name: "_TLCTrace",
        extends: &[],
        instances: &["TLC", "TLCExt", "Sequences", "Naturals"],
        words: "_TLCTrace LOCAL INSTANCE TLC TLCExt Sequences Naturals _TLCTraceDeserialize absoluteFilename \
                TRUE _TLCTraceSerialize val CONSTANT _TLCTraceFile _TLCTrace0 verbose IF CounterExample state \
                DOMAIN FALSE THEN ELSE LET trace ToTrace vars UNION i IN counterexample PrintT _TLCTraceSilent \
                _TLCTraceInputFile _TLCTraceFileDeserialized _TLCState level Trace _TLCTraceLassoTarget actions \
                e 3 1 CHOOSE 0 _TLCTraceConstraint TLCGet dump pair v 2 _TLCTraceView lassoTarget",
        strings: &[
            "console",
            "CounterExample written: ",
            "counterexample",
            "action",
            "level",
            "state",
            "vars",
        ],
    },
    BuiltInText {
        name: "_Possible",
        extends: &[],
        instances: &["TLC", "TLCExt", "Naturals", "Sequences"],
        words: "_Possible LOCAL INSTANCE TLC TLCExt Naturals Sequences _Update Op val TLCSet TLCGetOrDefault \
                _Track expr name LAMBDA old b IF THEN DOMAIN EXCEPT 1 ELSE 0 _Merge a _Counts LET workers \
                TLCGet n Len Fold i IN _CheckName counts PrintT FALSE _PrintCounts",
        strings: &["s:_possible", "all:named"],
    },
    BuiltInText {
        name: "BagsExt",
        extends: &[],
        instances: &["Bags", "Integers", "Folds"],
        words: "BagsExt LOCAL INSTANCE Bags Integers Folds BagAdd B x IF DOMAIN THEN e 1 ELSE BagRemove \
                BagRemoveAll MapThenFoldBag op base f choose LET handle pow n Nat 0 IN MapThenFoldSet LAMBDA S \
                CHOOSE TRUE FoldBag SumBag y ProductBag",
        strings: &[],
    },
    BuiltInText {
        name: "Bitwise",
        extends: &[],
        instances: &["Integers"],
        words: "Bitwise LOCAL INSTANCE Integers RECURSIVE And x y n m LET exp 2 IN IF 0 THEN ELSE 1 Or xdm ydm \
                Xor NotR Not a shiftR pos odd z",
        strings: &[],
    },
    BuiltInText {
        name: "CSV",
        extends: &[],
        instances: &["TLC", "Integers"],
        words: "CSV LOCAL INSTANCE TLC Integers CSVWrite template val file TRUE CSVWriteRecord record delim \
                headers CSVRead columns delimiter CSVRecords CHOOSE n Nat",
        strings: &[],
    },
    BuiltInText {
        name: "Combinatorics",
        extends: &["Naturals"],
        instances: &[],
        words: "Combinatorics EXTENDS Naturals factorial n Nat IF 0 THEN 1 ELSE choose k",
        strings: &[],
    },
    BuiltInText {
        name: "DifferentialEquations",
        extends: &[],
        instances: &["Reals", "Sequences"],
        words: "DifferentialEquations LOCAL INSTANCE Reals Sequences PosReal r Real 0 OpenInterval a b s Nbhd e \
                IsFirstDeriv df f DOMAIN d IsDeriv n LET IsD k g IF THEN ELSE gg 1 IN Integrate D InitVals Len \
                CHOOSE i",
        strings: &[],
    },
    BuiltInText {
        name: "DyadicRationals",
        extends: &[],
        instances: &[
            "FiniteSets",
            "Integers",
            "Sequences",
            "FiniteSetsExt",
            "TLC",
        ],
        words: "DyadicRationals LOCAL INSTANCE FiniteSets Integers Sequences FiniteSetsExt TLC Divides p q d 1 \
                Divisors GCD n m Max Rational num den Reduce LET gcd IN IF THEN ELSE IsDyadicRational r i 0 2 \
                Zero One Add lcn qq pp Half PrettyPrint ToString",
        strings: &[],
    },
    BuiltInText {
        name: "FiniteSetsExt",
        extends: &["Folds", "Functions"],
        instances: &["Naturals", "FiniteSets"],
        words: "FiniteSetsExt EXTENDS Folds Functions LOCAL INSTANCE Naturals FiniteSets FoldSet op base set \
                MapThenFoldSet LAMBDA x s CHOOSE TRUE SumSet 0 ProductSet y 1 ReduceSet acc MapThenSumSet \
                FlattenSet S UNION SymDiff A B Quantify P Cardinality kSubset k SUBSET Max Min Choices Sets LET \
                ChoiceFunction Ts f T IN Range ChooseUnique",
        strings: &[],
    },
    BuiltInText {
        name: "Folds",
        extends: &[],
        instances: &[],
        words: "Folds MapThenFoldSet op base f choose S LET iter s SUBSET IF THEN ELSE x IN",
        strings: &[],
    },
    BuiltInText {
        name: "Functions",
        extends: &[],
        instances: &["Folds"],
        words: "Functions LOCAL INSTANCE Folds Restrict f S x RestrictDomain Test DOMAIN RestrictValues LET IN \
                IsRestriction narrow wide Range Pointwise g T e Inverse t CHOOSE s AntiFunction IsInjective a b \
                Injection M Surjection Bijection ExistsInjection ExistsSurjection ExistsBijection FoldFunction \
                op base fun MapThenFoldSet LAMBDA i TRUE FoldFunctionOnSet indices",
        strings: &[],
    },
    BuiltInText {
        name: "GraphViz",
        extends: &[],
        instances: &[],
        words: "GraphViz DotDiGraph G VL EL TRUE",
        strings: &[],
    },
    BuiltInText {
        name: "Graphs",
        extends: &[],
        instances: &["Naturals", "Sequences", "SequencesExt", "FiniteSets"],
        words: "Graphs LOCAL INSTANCE Naturals Sequences SequencesExt FiniteSets IsDirectedGraph G node edge \
                DirectedSubgraph H SUBSET Transpose e 2 1 IsUndirectedGraph UndirectedSubgraph Path p Seq i Len \
                SimplePath SeqOf Cardinality DOMAIN AreConnectedIn m n ConnectionsIn LET C N IF THEN ELSE u \
                CHOOSE TRUE Cu IN IsStronglyConnected IsTreeWithRoot r f",
        strings: &[],
    },
    BuiltInText {
        name: "HTML",
        extends: &[],
        instances: &["Sequences", "SequencesExt"],
        words: "HTML LOCAL INSTANCE Sequences SequencesExt HTMLFill string args LET f str x ReplaceFirstSubSeq \
                2 1 IN FoldLeft StringSeqToString string_seq separator str1 str2 IF THEN ELSE HTMLDocument \
                header body list_of_scripts HTMLClass classname attribute_list HTMLAttribute name value \
                HTMLDefaultStyle HTMLStyleSheet class_list HTMLScriptFile HTMLScript children HTMLLink type \
                HTMLHeader title list_of_links HTMLBody HTMLFrame id HTMLGridContainer HTMLBox size HTMLCircle \
                HTMLText text HTMLSVG viewBox svgString HTMLSize width height HTMLNewLine \
                HTMLFlexCenterAttributes HTMLJSLineElems fromID destID HTMLJSLine color HTMLJSLineDash \
                HTMLJSKeyListener events HTMLJSNavigationKey key file",
        strings: &[],
    },
    BuiltInText {
        name: "IOUtils",
        extends: &[],
        instances: &["TLC", "Integers"],
        words: "IOUtils LOCAL INSTANCE TLC Integers IOSerialize val absoluteFilename compress TRUE \
                IODeserialize compressed CHOOSE Serialize value dest options r exitValue Int stdout STRING \
                stderr Deserialize src IOExec command IOEnvExec env IOExecTemplate commandTemplate parameters \
                IOEnvExecTemplate IOEnv atoi str i ToString",
        strings: &[],
    },
    BuiltInText {
        name: "Quorum",
        extends: &[],
        instances: &[],
        words: "Quorum QuorumSystem S QS SUBSET Q1 Q2",
        strings: &[],
    },
    BuiltInText {
        name: "Relation",
        extends: &[],
        instances: &["Naturals", "FiniteSets"],
        words: "Relation LOCAL INSTANCE Naturals FiniteSets IsReflexive R S x IsReflexiveUnder op y \
                IsIrreflexive IsIrreflexiveUnder IsSymmetric IsSymmetricUnder IsAntiSymmetric \
                IsAntiSymmetricUnder IsAsymmetric IsAsymmetricUnder IsTransitive z IsTransitiveUnder \
                IsStrictlyPartiallyOrdered IsStrictlyPartiallyOrderedUnder IsPartiallyOrdered \
                IsPartiallyOrderedUnder IsStrictlyTotallyOrdered IsStrictlyTotallyOrderedUnder IsTotallyOrdered \
                IsTotallyOrderedUnder TransitiveClosure LET N Cardinality trcl n Nat IF 0 THEN ELSE 1 IN \
                ReflexiveTransitiveClosure IsConnected rtrcl",
        strings: &[],
    },
    BuiltInText {
        name: "SVG",
        extends: &[],
        instances: &["Naturals", "Sequences", "Integers", "TLC", "FiniteSets"],
        words: "SVG LOCAL INSTANCE Naturals Sequences Integers TLC FiniteSets Merge r1 r2 LET D1 DOMAIN D2 IN k \
                IF THEN ELSE SVGElem _name _attrs _children _innerText name attrs children innerText Line x1 y1 \
                x2 y2 svgAttrs ToString Circle cx cy r Rect x y w h width height Text text Group Svg \
                SVGElemToString elem TRUE NodeOfRingNetwork n m 0 NodesOfDirectedMultiGraph nodes edges options \
                CHOOSE f Int PointOnLine from to segment",
        strings: &[],
    },
    BuiltInText {
        name: "SequencesExt",
        extends: &[],
        instances: &[
            "Sequences",
            "Naturals",
            "FiniteSets",
            "FiniteSetsExt",
            "Functions",
            "Folds",
            "TLC",
        ],
        words: "SequencesExt LOCAL INSTANCE Sequences Naturals FiniteSets FiniteSetsExt Functions Folds TLC \
                ToSet s i DOMAIN SetToSeq S CHOOSE f 1 Cardinality IsInjective SetToSeqs LET D IN j \
                SetToSortSeq op SortSeq SetToAllKPermutations UNION SUBSET TupleOf set n SeqOf m 0 BoundedSeq \
                Contains e Len Reverse Remove SelectSeq LAMBDA t ReplaceAll old new IF THEN ELSE SelectInSeq \
                seq Test I Min SelectInSubSeq from to SubSeq SelectLastInSeq Max SelectLastInSubSeq InsertAt \
                ReplaceAt EXCEPT RemoveAt RemoveFirst v RemoveFirstMatch Cons elt Snoc Append Front Last \
                IsPrefix IsStrictPrefix IsSuffix IsStrictSuffix Prefixes l CommonPrefixes P prefix \
                LongestCommonPrefix longest other Suffixes SeqMod a b FoldSeq base FoldFunction FoldLeft \
                MapThenFoldSet x y FoldRight FoldLeftDomain FoldRightDomain FlattenSeq seqs flatten Zip \
                Interleave CASE u SubSeqs AllSubSeqs IndexFirstSubSeq last ReplaceSubSeqAt r suffix \
                ReplaceFirstSubSeq ReplaceAllSubSeqs z match comp p q R Range T g OTHER",
        strings: &[],
    },
    BuiltInText {
        name: "ShiViz",
        extends: &[],
        instances: &["Integers", "Json", "TLC", "Toolbox"],
        words: "ShiViz LOCAL INSTANCE Integers Json TLC Toolbox FnHost LET host i DOMAIN _TETrace IF 1 THEN \
                ELSE pc CHOOSE p IN TLCEval Host _TEPosition clock n 0 sum F G d FnClock vclock Clock \
                ToJsonObject",
        strings: &[],
    },
    BuiltInText {
        name: "Statistics",
        extends: &["Naturals"],
        instances: &[],
        words: "Statistics EXTENDS Naturals ChiSquare expected actual alpha TRUE",
        strings: &[],
    },
    BuiltInText {
        name: "UndirectedGraphs",
        extends: &[],
        instances: &[
            "Naturals",
            "Sequences",
            "SequencesExt",
            "FiniteSets",
            "Folds",
        ],
        words: "UndirectedGraphs LOCAL INSTANCE Naturals Sequences SequencesExt FiniteSets Folds \
                IsUndirectedGraph G node edge e a b IsLoopFreeUndirectedGraph UndirectedSubgraph H SUBSET Path \
                p Seq i 1 Len SimplePath SeqOf Cardinality DOMAIN ConnectedComponents LET base n choice E \
                CHOOSE TRUE firstNode secondNode nodesOfEdge merge comps compA c compB 2 IN IF THEN ELSE \
                MapThenFoldSet AreConnectedIn m comp IsStronglyConnected",
        strings: &[],
    },
    BuiltInText {
        name: "VectorClocks",
        extends: &["Naturals", "Sequences", "Functions"],
        instances: &[],
        words: "VectorClocks EXTENDS Naturals Sequences Functions LOCAL concurrent v1 v2 i j DOMAIN \
                happenedBefore IsCausalOrder log clock 1 Len LET Fill c D d IF THEN ELSE 0 vci vcj IN \
                CausalOrder node domain CHOOSE newlog f Range",
        strings: &[],
    },
];
