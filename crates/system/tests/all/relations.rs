//! Relations explored by enumeration, against hand-written systems, graphs and brute force.

use std::collections::BTreeSet;

use evenhand_system::compose::{Asynchronous, FairGraph, FairSystem, ProcessId, Synchronous};
use evenhand_system::explicit::Value;
use evenhand_system::relation::{
    BinaryOp, Compiled, Enumerated, Environment, ExprId, Expressions, Node, Part, Role, Sort,
    UnaryOp, Undefined, VarId, Variable, Word,
};
use evenhand_system::{
    Compassion, Explicit, FaultKind, Foreign, PropositionId, Relation, Relational, Successors,
};

use crate::common::{DOMAIN, Random, canonical, cases, random_graph, some_variables};

fn part(constraints: Vec<ExprId>) -> Part {
    Part {
        participants: vec![(ProcessId::new(0), "step".into())],
        constraints,
    }
}

fn one_process() -> Relation {
    Relation {
        processes: vec!["main".into()],
        ..Relation::default()
    }
}

/// Explores a relation as an engine would; the number of states, steps and dead ends.
fn explore(relation: Relation) -> (usize, usize, usize) {
    let system = Foreign::new(Enumerated::new(relation).expect("enumerable")).expect("a model");
    let mut explorer = system.explorer(&[]);
    let mut out = Successors::new();
    explorer.initial(&mut out);
    let mut queue: Vec<Vec<u8>> = (0..out.len()).map(|i| out.state(i).to_vec()).collect();
    let mut seen: BTreeSet<Vec<u8>> = queue.iter().cloned().collect();
    let (mut steps, mut dead) = (0, 0);
    while let Some(state) = queue.pop() {
        explorer.expand(&state, &mut out);
        assert!(out.faults().is_empty(), "{:?}", out.faults());
        steps += out.len();
        dead += usize::from(out.is_empty());
        for index in 0..out.len() {
            if seen.insert(out.state(index).to_vec()) {
                queue.push(out.state(index).to_vec());
            }
        }
    }
    (seen.len(), steps, dead)
}

#[test]
fn a_graph_and_its_relation_are_the_same_system() {
    let mut random = Random::new(21);
    for _ in 0..cases(200) {
        let variables = some_variables(&mut random);
        let graph = random_graph(&mut random, "A", &variables);
        let relation = graph.relation().expect("a graph").into_owned();
        let explored = Enumerated::new(relation).expect("small");
        assert_eq!(canonical(&explored), canonical(&graph));
    }
}

/// The relation of a graph with every variable over the whole domain, and perhaps an invariant.
fn random_relation(random: &mut Random, name: &str) -> Relation {
    let variables = some_variables(random);
    let graph = random_graph(random, name, &variables);
    let mut relation = graph.relation().expect("a graph").into_owned();
    for variable in &mut relation.variables {
        variable.sort = Sort::Range(0, DOMAIN - 1);
    }
    if random.chance(1, 2) {
        let invar = random_expression(random, &mut relation.expressions, variables.len(), 0);
        relation.invar.push(invar);
    }
    relation
}

#[test]
fn composing_constraints_is_composing_systems() {
    let mut random = Random::new(22);
    let mut nonempty = 0;
    for _ in 0..cases(300) {
        let (a, b) = (
            random_relation(&mut random, "A"),
            random_relation(&mut random, "B"),
        );
        let left = Enumerated::new(a.clone()).expect("small");
        let right = Enumerated::new(b.clone()).expect("small");
        let joint = Relation::synchronous(&a, &b).expect("the same sorts");
        let joint = Enumerated::new(joint).expect("small");
        assert_eq!(
            canonical(&joint),
            canonical(&Synchronous::new(&left, &right))
        );
        let joint = Relation::asynchronous(&a, &b).expect("the same sorts");
        let joint = Enumerated::new(joint).expect("small");
        assert_eq!(
            canonical(&joint),
            canonical(&Asynchronous::new(&left, &right))
        );
        nonempty += usize::from(!FairSystem::initial(&joint).is_empty());
    }
    assert!(nonempty > 50, "{nonempty}");
}

/// A random expression over variables of which `with_next` are also mentioned primed.
fn random_expression(
    random: &mut Random,
    pool: &mut Expressions,
    variables: usize,
    with_next: usize,
) -> ExprId {
    use BinaryOp as B;
    let mut made = Vec::new();
    for _ in 0..3 + random.below(8) {
        let variable = VarId(random.below(variables as u64) as u32);
        let any = |random: &mut Random, pool: &mut Expressions| {
            if made.is_empty() || random.chance(1, 2) {
                match random.below(3) {
                    0 => pool.constant(random.below(5) as i64 - 2),
                    1 if with_next > 0 => {
                        let variable = VarId(random.below(with_next as u64) as u32);
                        pool.next(variable)
                    }
                    _ => pool.current(variable),
                }
            } else {
                made[random.below(made.len() as u64) as usize]
            }
        };
        let (a, b, c) = (any(random, pool), any(random, pool), any(random, pool));
        let ops = [
            B::And,
            B::Or,
            B::Xor,
            B::Implies,
            B::Iff,
            B::Eq,
            B::Eq,
            B::Ne,
            B::Lt,
            B::Le,
            B::Gt,
            B::Ge,
            B::Add,
            B::Sub,
            B::Mul,
            B::BitAnd,
            B::BitOr,
            B::BitXor,
        ];
        let node = match random.below(8) {
            0 => Node::Unary(UnaryOp::Not, a),
            1 => Node::Unary(UnaryOp::Neg, a),
            2 => Node::Conditional(a, b, c),
            3 => Node::Wrap(
                Word {
                    signed: random.chance(1, 2),
                    bits: 2,
                },
                a,
            ),
            _ => Node::Binary(ops[random.below(ops.len() as u64) as usize], a, b),
        };
        made.push(pool.add(node));
    }
    made[made.len() - 1]
}

/// A constraint as assignments make them: conditions, disjunctions and ranges with equations for
/// one variable as leaves.
fn random_choice(
    random: &mut Random,
    pool: &mut Expressions,
    (side, variables): (ExprId, usize),
    depth: usize,
) -> ExprId {
    use BinaryOp as B;
    if depth == 0 || random.chance(1, 4) {
        let low = pool.constant(random.below(3) as i64 - 2);
        return match random.below(6) {
            0 => {
                let high = pool.constant(random.below(3) as i64 - 1);
                let (above, below) = (
                    pool.binary(B::Le, low, side),
                    pool.binary(B::Le, side, high),
                );
                pool.binary(B::And, above, below)
            }
            1 => pool.constant(0),
            2 => pool.equal(low, side),
            3 => pool.not(side),
            _ => {
                let value = random_expression(random, pool, variables, 0);
                pool.equal(side, value)
            }
        };
    }
    let a = random_choice(random, pool, (side, variables), depth - 1);
    let b = random_choice(random, pool, (side, variables), depth - 1);
    let test = random_expression(random, pool, variables, 0);
    match random.below(5) {
        0 | 1 => pool.add(Node::Conditional(test, a, b)),
        2 => pool.binary(B::Or, a, b),
        3 => pool.binary(B::And, test, a),
        _ => pool.binary(B::And, a, b),
    }
}

#[test]
fn enumeration_finds_exactly_the_solutions() {
    let mut random = Random::new(23);
    let (mut found, mut none) = (0, 0);
    for _ in 0..cases(500) {
        let mut relation = one_process();
        let sorts = [
            Sort::Bool,
            Sort::Range(-1, 1),
            Sort::Word(Word {
                signed: true,
                bits: 2,
            }),
            Sort::Enumeration(vec!["red".into(), "green".into(), "blue".into()]),
            Sort::Values(vec![-2, 0, 1]),
        ];
        let count = 1 + random.below(3) as usize;
        for index in 0..count {
            let sort = sorts[random.below(5) as usize].clone();
            let mut variable = Variable::new(format!("v{index}"), sort);
            variable.role = if random.chance(1, 5) {
                Role::Frozen
            } else {
                Role::State
            };
            relation.add(variable);
        }
        let mut pool = std::mem::take(&mut relation.expressions);
        relation.init = (0..random.below(2))
            .map(|_| random_expression(&mut random, &mut pool, count, 0))
            .collect();
        relation.invar = (0..random.below(2))
            .map(|_| random_expression(&mut random, &mut pool, count, 0))
            .collect();
        let mut constraints: Vec<ExprId> = (0..random.below(3))
            .map(|_| random_expression(&mut random, &mut pool, count, count))
            .collect();
        if random.chance(1, 2) {
            // An assignment, which the search computes instead of trying all values.
            let value = random_expression(&mut random, &mut pool, count, count);
            let next = pool.next(VarId(random.below(count as u64) as u32));
            constraints.push(pool.equal(next, value));
        }
        if random.chance(1, 2) {
            let next = pool.next(VarId(random.below(count as u64) as u32));
            constraints.push(random_choice(&mut random, &mut pool, (next, count), 3));
        }
        relation.trans = vec![part(constraints.clone())];
        relation.expressions = pool;

        let ranges = relation.variables.iter().map(|v| v.sort.values(10));
        let ranges: Vec<Vec<i64>> = ranges.map(|list| list.expect("few")).collect();
        let all = ranges.iter().fold(vec![vec![]], |all, values| {
            let grown = all.iter().flat_map(|v: &Vec<i64>| {
                values.iter().map(move |&value| [&v[..], &[value]].concat())
            });
            grown.collect()
        });
        let truth = |expr: ExprId, current: &[i64], next: &[i64]| {
            let compiled = Compiled::new(&relation.expressions, expr);
            compiled.is_true(Environment { current, next }) == Ok(true)
        };
        let invariant = |s: &[i64]| relation.invar.iter().all(|&e| truth(e, s, &[]));
        let explored = Enumerated::new(relation.clone()).expect("small");
        let expected: BTreeSet<Vec<i64>> = all
            .iter()
            .filter(|s| invariant(s) && relation.init.iter().all(|&e| truth(e, s, &[])))
            .cloned()
            .collect();
        assert_eq!(explored.initial_states(), Ok(expected));
        for s in all.iter().filter(|s| invariant(s)) {
            let frozen = |t: &[i64]| {
                let roles = relation.variables.iter().map(|v| v.role);
                roles
                    .zip(s.iter().zip(t))
                    .all(|(role, (a, b))| role != Role::Frozen || a == b)
            };
            let holds = |t: &[i64]| constraints.iter().all(|&e| truth(e, s, t));
            let expected: BTreeSet<Vec<i64>> = all
                .iter()
                .filter(|t| frozen(t) && invariant(t) && holds(t))
                .cloned()
                .collect();
            *(if expected.is_empty() {
                &mut none
            } else {
                &mut found
            }) += 1;
            assert_eq!(explored.successors(0, s), Ok(expected));
        }
    }
    assert!(found > 500 && none > 500, "{found} {none}");
}

/// Two processes and a semaphore: a part for each process.
#[test]
fn a_semaphore_by_hand() {
    let mut r = Relation {
        processes: vec!["left".into(), "right".into()],
        ..Relation::default()
    };
    let places = Sort::Enumeration(["idle", "wait", "use"].map(String::from).to_vec());
    let free = r.add(Variable::new("free", Sort::Bool));
    let at = ["left", "right"].map(|name| r.add(Variable::new(name, places.clone())));
    let pool = &mut r.expressions;
    let numbers = [0, 1, 2].map(|n| pool.constant(n));
    let is_free = pool.current(free);
    let init = [at[0], at[1]].map(|v| {
        let now = pool.current(v);
        pool.equal(now, numbers[0])
    });
    r.init = vec![init[0], init[1], is_free];
    for process in 0..2 {
        let (mine, other) = (at[process], at[1 - process]);
        let (now, next) = (pool.current(mine), pool.next(mine));
        let (o, o_next) = (pool.current(other), pool.next(other));
        let (f, f_next) = (pool.current(free), pool.next(free));
        let keep = pool.equal(o_next, o);
        let same = pool.equal(f_next, f);
        let step = |pool: &mut Expressions, from: usize, to: usize, extra: Vec<ExprId>| {
            let (a, b) = (
                pool.equal(now, numbers[from]),
                pool.equal(next, numbers[to]),
            );
            pool.all([a, b].into_iter().chain(extra))
        };
        let (take, give) = (
            pool.equal(f_next, numbers[0]),
            pool.equal(f_next, numbers[1]),
        );
        let ways = [
            step(pool, 0, 1, vec![same]),
            step(pool, 1, 2, vec![f, take]),
            step(pool, 2, 0, vec![give]),
        ];
        let any = pool.any(ways);
        r.trans.push(Part {
            participants: vec![(ProcessId::new(process), "move".into())],
            constraints: vec![any, keep],
        });
    }
    // By hand: both not using (4 states), one using and the other idle or waiting (2 * 2).
    assert_eq!(explore(r.clone()), (8, 4 * 2 + 2 * (2 + 1), 0));
    let using = r.expressions.current(at[0]);
    let using = r.expressions.equal(using, numbers[2]);
    let critical = r.add_proposition("critical", using);
    r.compassion.push(Compassion {
        when: critical,
        then: critical,
    });
    let explored = Enumerated::new(r).expect("small");
    let graph = FairGraph::reachable(&explored, 100).expect("small");
    assert_eq!(graph.propositions[0].1.len(), 2);
    assert_eq!(graph.compassion.len(), 1);
    let system = Foreign::new(explored).expect("a model");
    let mut explorer = system.explorer(&[]);
    let mut out = Successors::new();
    explorer.initial(&mut out);
    let first = out.state(0).to_vec();
    assert_eq!(
        explorer.describe(&first),
        [
            ("free".to_string(), Value::Truth(true)),
            ("left".to_string(), Value::Text("idle".into())),
            ("right".to_string(), Value::Text("idle".into())),
        ]
    );
}

#[test]
fn words_wrap_around_and_assignments_need_no_enumeration() {
    // A 32-bit word that counts up by 2^30: four states, though there are 2^32 values.
    let mut r = one_process();
    let word = Word {
        signed: false,
        bits: 32,
    };
    let x = r.add(Variable::new("x", Sort::Word(word)));
    let pool = &mut r.expressions;
    let (now, next) = (pool.current(x), pool.next(x));
    let (start, step) = (pool.constant(7), pool.constant(1 << 30));
    let sum = pool.binary(BinaryOp::Add, now, step);
    let sum = pool.add(Node::Wrap(word, sum));
    r.init = vec![pool.equal(now, start)];
    r.trans = vec![part(vec![pool.equal(sum, next)])];
    assert_eq!(explore(r), (4, 4, 0));
    assert_eq!(
        Word {
            signed: true,
            bits: 8
        }
        .wrap(200),
        -56
    );
    assert_eq!(
        Word {
            signed: false,
            bits: 8
        }
        .wrap(-1),
        255
    );
    assert_eq!(
        Word {
            signed: true,
            bits: 64
        }
        .bounds(),
        (i64::MIN, i64::MAX)
    );
    assert_eq!(
        Word {
            signed: true,
            bits: 1
        }
        .bounds(),
        (-1, 0)
    );
}

#[test]
fn inputs_belong_to_steps_and_not_to_states() {
    // x' = x + i for an input i of 0..2, while x stays below 5.
    let mut r = one_process();
    let x = r.add(Variable::new("x", Sort::Range(0, 4)));
    let i = r.add(Variable {
        role: Role::Input,
        ..Variable::new("i", Sort::Range(0, 2))
    });
    let pool = &mut r.expressions;
    let (now, next, input) = (pool.current(x), pool.next(x), pool.current(i));
    let zero = pool.constant(0);
    let sum = pool.binary(BinaryOp::Add, now, input);
    r.init = vec![pool.equal(now, zero)];
    r.trans = vec![part(vec![pool.equal(next, sum)])];
    assert_eq!(explore(r.clone()), (5, 3 + 3 + 3 + 2 + 1, 0));
    let bad = r.expressions.current(i);
    r.init.push(bad);
    assert!(Enumerated::new(r).is_err());
}

#[test]
fn what_is_not_defined_is_a_fault_and_not_a_missing_step() {
    // x' = 6 / x from x = 2: 2, 3, 2, …; from x = 0 there is no value.
    let mut r = one_process();
    let x = r.add(Variable::new("x", Sort::Range(0, 6)));
    let pool = &mut r.expressions;
    let (now, next, six, two) = (
        pool.current(x),
        pool.next(x),
        pool.constant(6),
        pool.constant(2),
    );
    let quotient = pool.binary(BinaryOp::Div, six, now);
    r.trans = vec![part(vec![pool.equal(next, quotient)])];
    let mut from_two = r.clone();
    from_two.init = vec![from_two.expressions.equal(now, two)];
    assert_eq!(explore(from_two), (2, 2, 0));
    let system = Foreign::new(Enumerated::new(r.clone()).expect("small")).expect("a model");
    let mut explorer = system.explorer(&[]);
    let mut out = Successors::new();
    explorer.initial(&mut out);
    let zero = out.state(0).to_vec();
    explorer.expand(&zero, &mut out);
    assert!(out.is_empty());
    assert_eq!(out.faults()[0].fault.kind, FaultKind::DivisionByZero);
    // So is an initial condition.
    r.init = vec![r.expressions.equal(quotient, two)];
    let system = Foreign::new(Enumerated::new(r).expect("small")).expect("a model");
    system.explorer(&[]).initial(&mut out);
    assert_eq!(out.faults()[0].fault.kind, FaultKind::DivisionByZero);
}

#[test]
fn an_undefined_operand_spoils_only_what_depends_on_it() {
    let mut pool = Expressions::default();
    let (zero, one) = (pool.constant(0), pool.constant(1));
    let bad = pool.binary(BinaryOp::Div, one, zero);
    let value = |pool: &Expressions, e| {
        Compiled::new(pool, e).value(Environment {
            current: &[],
            next: &[],
        })
    };
    let undefined = Err(Undefined::DivisionByZero);
    for (op, other, expected) in [
        (BinaryOp::And, zero, Ok(0)),
        (BinaryOp::And, one, undefined),
        (BinaryOp::Or, one, Ok(1)),
        (BinaryOp::Or, zero, undefined),
    ] {
        let (a, b) = (pool.binary(op, bad, other), pool.binary(op, other, bad));
        assert_eq!(value(&pool, a), expected);
        assert_eq!(value(&pool, b), expected);
    }
    let a = pool.binary(BinaryOp::Implies, zero, bad);
    assert_eq!(value(&pool, a), Ok(1));
    let a = pool.add(Node::Conditional(one, zero, bad));
    assert_eq!(value(&pool, a), Ok(0));
    let most = pool.constant(i64::MAX);
    let a = pool.binary(BinaryOp::Add, most, one);
    assert_eq!(value(&pool, a), Err(Undefined::Overflow));
    let a = pool.add(Node::Wrap(
        Word {
            signed: true,
            bits: 64,
        },
        a,
    ));
    assert_eq!(value(&pool, a), Ok(i64::MIN));
}

#[test]
fn deep_expressions_are_no_danger() {
    let mut r = one_process();
    let x = r.add(Variable::new("x", Sort::Bool));
    let pool = &mut r.expressions;
    let mut deep = pool.current(x);
    let next = pool.next(x);
    for _ in 0..200_000 {
        deep = pool.not(deep);
    }
    let conjunction = (0..100_000).fold(next, |left, _| pool.binary(BinaryOp::And, left, next));
    let same = pool.equal(next, deep);
    r.trans = vec![part(vec![same, conjunction])];
    assert_eq!(explore(r), (2, 1, 1));
}

#[test]
fn what_cannot_be_done_is_refused_with_a_reason() {
    let reason = |r: Relation| Enumerated::new(r).expect_err("refused").reason;
    let mut r = one_process();
    let x = r.add(Variable::new("x", Sort::Range(0, 1 << 40)));
    assert_eq!(
        reason(r.clone()),
        "`x` has too many values to try them all, and nothing determines it"
    );
    r.variables[0].sort = Sort::Range(1, 0);
    assert_eq!(reason(r.clone()), "variable `x` has no values");
    r.variables[0].sort = Sort::Word(Word {
        signed: false,
        bits: 65,
    });
    assert_eq!(reason(r.clone()), "variable `x` is a word of 65 bits");
    r.variables[0].sort = Sort::Bool;
    r.init = vec![r.expressions.next(x)];
    assert_eq!(
        reason(r.clone()),
        "the next value of `x` in a condition on one state"
    );
    r.init = vec![r.expressions.current(VarId(9))];
    assert_eq!(
        reason(r.clone()),
        "an expression mentions an unknown variable"
    );
    r.init = vec![];
    r.justice = vec![PropositionId(3)];
    assert_eq!(
        reason(r.clone()),
        "fairness mentions an unknown proposition"
    );
    r.justice = vec![];
    r.trans = vec![Part {
        participants: vec![],
        constraints: vec![],
    }];
    assert_eq!(
        reason(r.clone()),
        "a step in which no known process takes part"
    );
    r.trans = vec![];
    let mut other = r.clone();
    other.variables[0].sort = Sort::Range(0, 1);
    let clash = Relation::synchronous(&r, &other)
        .expect_err("refused")
        .reason;
    assert_eq!(clash, "`x` is declared in two ways");
}
