//! Labels of HOA: any Boolean combination of propositions, turned into cubes.
//!
//! A label is kept as a disjunction of cubes from the start: a conjunction multiplies out, a
//! negation is pushed inward while parsing (the parser carries the polarity). Absorbed cubes are
//! dropped as they arise. The number of cubes can grow exponentially in hostile labels, so it is
//! limited.

use crate::{Cube, Literal, Prop};

/// A label may not become more cubes than this.
pub(super) const CUBE_LIMIT: usize = 1 << 14;

/// A disjunction of cubes, none implying another.
pub(super) type Cubes = Vec<Cube>;

pub(super) fn constant(value: bool) -> Cubes {
    if value { vec![Cube::TRUE] } else { Vec::new() }
}

pub(super) fn literal(prop: Prop, positive: bool) -> Cubes {
    vec![Cube::literal(Literal { prop, positive })]
}

/// The disjunction; `None` beyond the limit.
pub(super) fn or(mut a: Cubes, b: Cubes) -> Option<Cubes> {
    for cube in b {
        add(&mut a, cube);
    }
    (a.len() <= CUBE_LIMIT).then_some(a)
}

/// The conjunction; `None` beyond the limit.
pub(super) fn and(a: &Cubes, b: &Cubes) -> Option<Cubes> {
    let mut result = Cubes::new();
    for x in a {
        for y in b {
            if let Some(cube) = x.and(y) {
                add(&mut result, cube);
            }
            if result.len() > CUBE_LIMIT {
                return None;
            }
        }
    }
    Some(result)
}

fn add(cubes: &mut Cubes, cube: Cube) {
    if !cubes.iter().any(|c| cube.implies(c)) {
        cubes.retain(|c| !c.implies(&cube));
        cubes.push(cube);
    }
}
