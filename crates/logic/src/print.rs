//! Formula to text, in every spelling.
//!
//! The text is read back to the same formula by the parser of the same spelling. Parentheses stand
//! around every binary operand of a binary operator, whatever the precedences: the text means the
//! same in all four spellings' rules of associativity, and to a reader who does not remember them.
//! Expressions of a host language stand raw in parentheses where the spelling belongs to that
//! language (SPIN, NuSMV, Any), and in quotes in Spot's, which knows no host. An explicit stack: no
//! recursion.

use evenhand_source::spend;

use crate::formula::{FormulaId, Formulas, Node};
use crate::spelling::{Infix, Spelling};

enum Piece {
    Formula(FormulaId, bool),
    Text(&'static str),
}

/// Prints a formula.
pub fn print(store: &Formulas, f: FormulaId, spelling: Spelling) -> String {
    let mut out = String::new();
    let mut stack = vec![Piece::Formula(f, false)];
    while let Some(piece) = stack.pop() {
        spend();
        let (f, bracketed) = match piece {
            Piece::Text(text) => {
                out.push_str(text);
                continue;
            }
            Piece::Formula(f, bracketed) => (f, bracketed),
        };
        match store.node(f) {
            Node::Constant(value) => out.push_str(spelling.print_constant(*value)),
            Node::Atom(atom) => {
                let atom = store.atom_info(*atom);
                match atom.host && spelling != Spelling::Spot {
                    true => out.extend(["(", &atom.text, ")"]),
                    false => out.push_str(&name(&atom.text, spelling)),
                }
            }
            Node::Not(g) => {
                out.push('!');
                stack.push(Piece::Formula(*g, true));
            }
            Node::Unary(operator, g) => {
                out.extend([spelling.print_unary(*operator), " "]);
                stack.push(Piece::Formula(*g, true));
            }
            Node::Path(quantifier, g) => {
                out.extend([spelling.print_path(*quantifier), " "]);
                stack.push(Piece::Formula(*g, true));
            }
            node => {
                let operator = match node {
                    Node::And(_) => Infix::And,
                    Node::Or(_) => Infix::Or,
                    Node::Implies(..) => Infix::Implies,
                    Node::Iff(..) => Infix::Iff,
                    Node::Xor(..) => Infix::Xor,
                    Node::Binary(operator, ..) => Infix::Temporal(*operator),
                    _ => unreachable!("all other nodes were printed above"),
                };
                if bracketed {
                    out.push('(');
                    stack.push(Piece::Text(")"));
                }
                let mut operands: Vec<FormulaId> = node.operands().collect();
                operands.reverse();
                for (i, g) in operands.into_iter().enumerate() {
                    if i > 0 {
                        stack.push(Piece::Text(" "));
                        stack.push(Piece::Text(spelling.print_infix(operator)));
                        stack.push(Piece::Text(" "));
                    }
                    stack.push(Piece::Formula(g, true));
                }
            }
        }
    }
    out
}

/// A name, in quotes if it would be read as something else.
fn name(text: &str, spelling: Spelling) -> String {
    let plain = text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    if plain && !spelling.reserves(text) {
        return text.to_string();
    }
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}
