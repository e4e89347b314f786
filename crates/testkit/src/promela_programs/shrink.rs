//! Making a failing program small.
//!
//! Greedy deletion over the tree: drop a piece, drop an arm, put the contents of a block in its
//! place, drop a label; keep each change after which the program still fails; repeat until nothing
//! can be changed. Large pieces are tried first, so whole processes go before single statements.
//! A change that leaves no valid program simply does not fail any more, and is taken back. The
//! cost is one trial per candidate per round: some hundred runs of both tools.

use super::tree::Piece;

/// The smallest program this search finds for which `fails` is still true, trying at most
/// `trials` candidates.
pub fn shrink(
    pieces: &[Piece],
    mut trials: usize,
    mut fails: impl FnMut(&[Piece]) -> bool,
) -> Vec<Piece> {
    let mut best = pieces.to_vec();
    loop {
        let mut improved = false;
        // Candidates are numbered; after an improvement the same number names the next one.
        let mut number = 0;
        loop {
            let mut candidate = best.clone();
            if !change(&mut candidate, &mut { number }) {
                break;
            }
            if trials == 0 {
                return best;
            }
            trials -= 1;
            if fails(&candidate) {
                best = candidate;
                improved = true;
            } else {
                number += 1;
            }
        }
        if !improved {
            return best;
        }
    }
}

/// Applies change number `number` to the program; false if there are fewer changes.
fn change(pieces: &mut Vec<Piece>, number: &mut usize) -> bool {
    // Pieces of this level first, from the last to the first: users go before declarations.
    if *number < pieces.len() {
        let index = pieces.len() - 1 - *number;
        pieces.remove(index);
        return true;
    }
    *number -= pieces.len();
    for index in (0..pieces.len()).rev() {
        if let Some(rest) = pieces[index].without_label() {
            if *number == 0 {
                pieces[index] = rest;
                return true;
            }
            *number -= 1;
        }
        let Piece::Block(block) = &mut pieces[index] else {
            continue;
        };
        if block.arms.len() > 1 {
            if *number < block.arms.len() {
                block.arms.remove(*number);
                return true;
            }
            *number -= block.arms.len();
        }
        if *number < block.arms.len() {
            let body = std::mem::take(&mut block.arms[*number].body);
            pieces.splice(index..=index, body);
            return true;
        }
        *number -= block.arms.len();
        for arm in &mut block.arms {
            if change(&mut arm.body, number) {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::tree::render;
    use super::*;

    #[test]
    fn only_what_is_needed_stays() {
        let inner = Piece::options(
            "if",
            vec![
                vec![Piece::line("x = 1"), Piece::line("L0: assert(x)")],
                vec![Piece::line("else")],
            ],
            "fi",
        );
        let program = vec![
            Piece::line("byte x"),
            Piece::line("byte y"),
            Piece::block("init {", vec![Piece::line("y = 2"), inner], "}"),
            Piece::block("proctype q() {", vec![Piece::line("skip")], "}"),
        ];
        let small = shrink(&program, 1000, |pieces| {
            let text = render(pieces);
            text.contains("byte x") && text.contains("init") && text.contains("assert(x)")
        });
        assert_eq!(render(&small), "byte x;\ninit {\n\tassert(x);\n}\n");
    }
}
