//! Every operator has the meaning that the evaluator gives it.

use evenhand_sat::{Goal, Paths, Round};
use evenhand_source::Budget;
use evenhand_system::relation::{
    BinaryOp, Compiled, Environment, ExprId, Expressions, Node, Relation, Sort, UnaryOp, Undefined,
    VarId, Variable, Word,
};
use evenhand_testkit::promela_programs::random::Random;

use crate::{cases, first_seed};

const BINARY: [BinaryOp; 21] = [
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
    BinaryOp::Implies,
    BinaryOp::Iff,
    BinaryOp::Eq,
    BinaryOp::Ne,
    BinaryOp::Lt,
    BinaryOp::Le,
    BinaryOp::Gt,
    BinaryOp::Ge,
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Mod,
    BinaryOp::BitAnd,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
    BinaryOp::Shl,
    BinaryOp::Shr,
];

fn sorts(random: &mut Random) -> Sort {
    let word = |signed, bits| Sort::Word(Word { signed, bits });
    random
        .pick(&[
            Sort::Bool,
            Sort::Range(-3, 4),
            Sort::Range(2, 6),
            Sort::Range(0, 0),
            Sort::Range(-9, -5),
            Sort::Enumeration(vec!["a".into(), "b".into(), "c".into()]),
            Sort::Values(vec![-7, 0, 1, 9, 1 << 40]),
            Sort::Values(vec![5]),
            word(false, 3),
            word(true, 3),
            word(true, 1),
        ])
        .clone()
}

fn expression(random: &mut Random, pool: &mut Expressions, depth: usize) -> ExprId {
    if depth == 0 {
        return match random.below(12) {
            0..=3 => pool.constant(*random.pick(&[-3, -1, 0, 1, 2, 7])),
            4 => pool.add(Node::Undefined(Undefined::NoCase)),
            n => pool.current(VarId(n as u32 % 2)),
        };
    }
    let part = |random: &mut Random, pool: &mut Expressions| expression(random, pool, depth - 1);
    let node = match random.below(10) {
        0 => {
            let op = *random.pick(&[UnaryOp::Not, UnaryOp::Neg, UnaryOp::Complement]);
            Node::Unary(op, part(random, pool))
        }
        1 => {
            let (test, yes, no) = (part(random, pool), part(random, pool), part(random, pool));
            Node::Conditional(test, yes, no)
        }
        2 => {
            let word = Word {
                signed: random.percent(50),
                bits: random.between(1, 5) as u16,
            };
            Node::Wrap(word, part(random, pool))
        }
        _ => {
            let op = *random.pick(&BINARY);
            Node::Binary(op, part(random, pool), part(random, pool))
        }
    };
    pool.add(node)
}

#[test]
fn circuits_agree_with_the_evaluator() {
    let (mut truths, mut falsehoods, mut nothings) = (0, 0, 0);
    for seed in (first_seed()..).take(cases(60) as usize) {
        let mut random = Random::new(seed);
        let mut relation = Relation {
            processes: vec!["main".into()],
            ..Relation::default()
        };
        let sorts = [sorts(&mut random), sorts(&mut random)];
        for (name, sort) in ["x", "y"].into_iter().zip(&sorts) {
            relation.add(Variable::new(name, sort.clone()));
        }
        let depth = random.between(1, 3);
        let expr = expression(&mut random, &mut relation.expressions, depth);
        let compiled = Compiled::new(&relation.expressions, expr);
        let not = relation.expressions.not(expr);
        let is = relation.add_proposition("is", expr);
        let is_not = relation.add_proposition("is not", not);
        let values = sorts.map(|sort| sort.values(100).expect("few"));
        for &x in &values[0] {
            for &y in &values[1] {
                let mut relation = relation.clone();
                for (id, value) in [(0, x), (1, y)] {
                    let pool = &mut relation.expressions;
                    let (variable, value) = (pool.current(VarId(id)), pool.constant(value));
                    let equal = pool.equal(variable, value);
                    relation.init.push(equal);
                }
                let breaks = |proposition| {
                    let mut paths =
                        Paths::new(&relation, Goal::State(proposition), &Budget::unlimited())
                            .expect("it can be encoded");
                    match paths.round().expect("no limit") {
                        Round::Broken(run) => {
                            assert_eq!(run.states, [vec![x, y]]);
                            true
                        }
                        _ => false,
                    }
                };
                let environment = Environment {
                    current: &[x, y],
                    next: &[],
                };
                let found = (breaks(is), breaks(is_not));
                // A number that does not fit is no condition.
                let expected = match compiled.is_true(environment) {
                    Ok(true) => (false, true),
                    Ok(false) => (true, false),
                    Err(Undefined::Overflow) if found != (false, false) => continue,
                    Err(_) => (false, false),
                };
                assert_eq!(
                    found,
                    expected,
                    "seed {seed}: x = {x}, y = {y}, {:?}",
                    relation.expressions.node(expr)
                );
                match expected {
                    (false, true) => truths += 1,
                    (true, false) => falsehoods += 1,
                    _ => nothings += 1,
                }
            }
        }
    }
    println!("{truths} true, {falsehoods} false, {nothings} without a value");
    assert!(truths > 100 && falsehoods > 100 && nothings > 50);
}
