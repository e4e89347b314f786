//! The property files of the Model Checking Contest.
//!
//! A file is a list of properties, each with an id and a formula as a tree of elements. Formulas become those
//! of all languages, with atoms as [`crate::atom`] writes them, so that a report shows what could be
//! typed. The id says by its name whether `all-paths` is that of linear or of branching time, which
//! differ where a run ends: a formula without quantifiers inside is one of linear time, unless `CTL` is
//! part of its id. `A G p` of a condition is an invariant, `place-bound` a number.

use evenhand_logic::{FormulaId, Formulas, Node, Quantifier, Spelling, Unary, print};
use evenhand_source::{Diagnostic, FileId, Span};
use evenhand_system::{AmountId, Formula, Kind, PropositionId, Question, What};

use crate::asked::Asked;
use crate::atom::{atom, compare};
use crate::condition::{Condition, Sign};
use crate::maximal::has_next;
use crate::net::Net;
use crate::xml::{Element, Xml};

/// A property of a file.
#[derive(Clone, Debug)]
pub(crate) struct Stated {
    pub name: String,
    text: String,
    asks: Asks,
}

#[derive(Clone, Debug)]
enum Asks {
    Formula(Formula),
    Bound(AmountId),
}

/// What reading a file fills.
pub(crate) struct Files<'f> {
    pub net: &'f Net,
    pub asked: &'f mut Asked,
    /// Sums of places whose largest value is asked.
    pub amounts: &'f mut Vec<Vec<(u32, i64)>>,
}

/// A formula that is being read.
struct Growing {
    store: Formulas,
    atoms: Vec<PropositionId>,
}

impl Files<'_> {
    /// Reads the properties of a file.
    ///
    /// # Errors
    /// The first thing that has no meaning.
    pub fn read(&mut self, text: &str, file: FileId) -> Result<Vec<Stated>, Diagnostic> {
        let mut xml = Xml::new(text, file);
        let root = xml.root("property-set")?;
        let mut all = Vec::new();
        while let Some(property) = xml.child(&root)? {
            if property.name == "property" {
                let stated = self.property(&mut xml, &property)?;
                all.push(stated);
            }
        }
        xml.finish()?;
        Ok(all)
    }

    fn property(&mut self, xml: &mut Xml<'_>, property: &Element) -> Result<Stated, Diagnostic> {
        let (mut name, mut asks) = (None, None);
        while let Some(child) = xml.child(property)? {
            match child.name.as_str() {
                "id" => name = Some(xml.text(&child)?),
                "formula" => {
                    let inside = only_child(xml, &child)?;
                    asks = Some(match inside.name.as_str() {
                        "place-bound" => self.bound(xml, &inside)?,
                        _ => self.formula(xml, &inside)?,
                    });
                }
                _ => {}
            }
        }
        let missing = |what: &str| {
            let message = format!("a property without `<{what}>`");
            Diagnostic::error(property.span, message)
        };
        let (text, asks) = asks.ok_or_else(|| missing("formula"))?;
        let name = name.ok_or_else(|| missing("id"))?;
        Ok(Stated { name, text, asks })
    }

    fn bound(
        &mut self,
        xml: &mut Xml<'_>,
        element: &Element,
    ) -> Result<(String, Asks), Diagnostic> {
        let (places, text) = self.places(xml, element)?;
        self.amounts
            .push(places.into_iter().map(|place| (place, 1)).collect());
        let amount = AmountId(self.amounts.len() as u32 - 1);
        Ok((text, Asks::Bound(amount)))
    }

    fn formula(
        &mut self,
        xml: &mut Xml<'_>,
        element: &Element,
    ) -> Result<(String, Asks), Diagnostic> {
        let mut growing = Growing {
            store: Formulas::new(),
            atoms: Vec::new(),
        };
        let id = self.node(xml, element, &mut growing)?;
        let Growing { store, atoms } = growing;
        let text = print(&store, id, Spelling::Spin);
        let formula = self.asked.condensed(&Formula::new(store, id, atoms));
        Ok((text, Asks::Formula(formula)))
    }

    /// A formula; elements are not nested deeper than the XML allows.
    fn node(
        &mut self,
        xml: &mut Xml<'_>,
        element: &Element,
        growing: &mut Growing,
    ) -> Result<FormulaId, Diagnostic> {
        let name = element.name.as_str();
        let (least, most) = match name {
            "true" | "false" | "deadlock" => return self.leaf(xml, element, growing),
            "is-fireable" | "tokens-count" => return self.leaf(xml, element, growing),
            _ if name.starts_with("integer-") => return self.leaf(xml, element, growing),
            "negation" | "all-paths" | "exists-path" => (1, 1),
            "globally" | "finally" | "next" => (1, 1),
            "until" | "weak-until" | "release" => (2, 2),
            "implication" | "equivalence" | "exclusive-disjunction" => (2, 2),
            "conjunction" | "disjunction" => (0, usize::MAX),
            _ => {
                let message = format!("`<{name}>` has no meaning in a formula here");
                return Err(Diagnostic::error(element.span, message));
            }
        };
        let mut parts = Vec::new();
        while let Some(child) = xml.child(element)? {
            let part = match child.name.as_str() {
                "before" | "reach" => {
                    let inside = only_child(xml, &child)?;
                    self.node(xml, &inside, growing)?
                }
                "if-no-successor" | "steps" | "strength" => {
                    let message = format!("`<{}>` is not read", child.name);
                    return Err(Diagnostic::error(child.span, message));
                }
                _ => self.node(xml, &child, growing)?,
            };
            parts.push(part);
        }
        if parts.len() < least || parts.len() > most {
            let message = format!("`<{name}>` has {} operands", parts.len());
            return Err(Diagnostic::error(element.span, message));
        }
        let store = &mut growing.store;
        Ok(match (name, &parts[..]) {
            ("negation", &[f]) => store.not(f),
            ("all-paths", &[f]) => store.path(Quantifier::All, f),
            ("exists-path", &[f]) => store.path(Quantifier::Exists, f),
            ("globally", &[f]) => store.globally(f),
            ("finally", &[f]) => store.finally(f),
            ("next", &[f]) => store.next(f),
            ("until", &[f, g]) => store.until(f, g),
            ("weak-until", &[f, g]) => store.binary(evenhand_logic::Binary::WeakUntil, f, g),
            ("release", &[f, g]) => store.binary(evenhand_logic::Binary::Release, f, g),
            ("implication", &[f, g]) => store.implies(f, g),
            ("equivalence", &[f, g]) => store.iff(f, g),
            ("exclusive-disjunction", &[f, g]) => store.xor(f, g),
            ("conjunction", _) => store.and(parts),
            _ => store.or(parts),
        })
    }

    /// An atom, or a constant.
    fn leaf(
        &mut self,
        xml: &mut Xml<'_>,
        element: &Element,
        growing: &mut Growing,
    ) -> Result<FormulaId, Diagnostic> {
        let (text, condition) = match element.name.as_str() {
            "true" | "false" => return Ok(growing.store.constant(element.name == "true")),
            "deadlock" => ("deadlock".to_string(), Condition::Dead),
            "is-fireable" => {
                let names = &self.net.transition_names;
                let (list, text) = names_of(xml, element, "transition", names)?;
                (format!("is-fireable({text})"), Condition::Fireable(list))
            }
            name => {
                let sign = match name {
                    "integer-le" => Sign::AtMost,
                    "integer-lt" => Sign::Less,
                    "integer-eq" => Sign::Equal,
                    "integer-ne" => Sign::Different,
                    "integer-ge" => Sign::AtLeast,
                    "integer-gt" => Sign::More,
                    _ => {
                        let message = format!("`<{name}>` is no condition");
                        return Err(Diagnostic::error(element.span, message));
                    }
                };
                self.comparison(xml, element, sign)?
            }
        };
        // What is written is what could be typed: the reader of texts must agree.
        debug_assert!(
            atom(self.net, &text).is_ok_and(|read| read.is_some()),
            "{text}"
        );
        let number = self.asked.number(&text, condition);
        let formula = growing.store.host_atom(&text);
        if let Node::Atom(atom) = growing.store.node(formula)
            && atom.index() == growing.atoms.len()
        {
            growing.atoms.push(number);
        }
        Ok(formula)
    }

    fn comparison(
        &mut self,
        xml: &mut Xml<'_>,
        element: &Element,
        sign: Sign,
    ) -> Result<(String, Condition), Diagnostic> {
        let mut sides = Vec::new();
        while let Some(child) = xml.child(element)? {
            let side = self.sum(xml, &child)?;
            sides.push(side);
        }
        let [left, right] = &sides[..] else {
            let message = format!("`<{}>` compares {} numbers", element.name, sides.len());
            return Err(Diagnostic::error(element.span, message));
        };
        let minus = right.places.iter().map(|&(place, factor)| (place, -factor));
        let places = left.places.iter().copied().chain(minus).collect();
        let word = match sign {
            Sign::Less => "<",
            Sign::AtMost => "<=",
            Sign::Equal => "==",
            Sign::Different => "!=",
            Sign::AtLeast => ">=",
            Sign::More => ">",
        };
        let text = format!("{} {word} {}", left.text, right.text);
        Ok((text, compare(places, sign, right.number - left.number)))
    }

    fn sum(&mut self, xml: &mut Xml<'_>, element: &Element) -> Result<Sum, Diagnostic> {
        let wrong = |message: String| Diagnostic::error(element.span, message);
        match element.name.as_str() {
            "integer-constant" => {
                let text = xml.text(element)?;
                let number = text.parse::<u32>().map_err(|_| {
                    let shown: String = text.chars().take(40).collect();
                    wrong(format!("`{shown}` is no number of tokens"))
                })?;
                Ok(Sum {
                    places: Vec::new(),
                    number: number.into(),
                    text,
                })
            }
            "tokens-count" => {
                let (places, text) = self.places(xml, element)?;
                Ok(Sum {
                    places: places.into_iter().map(|place| (place, 1)).collect(),
                    number: 0,
                    text,
                })
            }
            "integer-sum" => {
                let mut all = Sum::default();
                while let Some(child) = xml.child(element)? {
                    let part = self.sum(xml, &child)?;
                    all.places.extend(part.places);
                    all.number = all.number.saturating_add(part.number);
                    let plus = if all.text.is_empty() { "" } else { " + " };
                    all.text += &format!("{plus}{}", part.text);
                }
                match all.text.is_empty() {
                    true => Err(wrong("a sum of nothing".to_string())),
                    false => Ok(all),
                }
            }
            name => Err(wrong(format!("`<{name}>` is no number"))),
        }
    }

    /// Places, and their tokens as text.
    fn places(
        &mut self,
        xml: &mut Xml<'_>,
        element: &Element,
    ) -> Result<(Vec<u32>, String), Diagnostic> {
        let (places, text) = names_of(xml, element, "place", &self.net.place_names)?;
        Ok((places, format!("tokens({text})")))
    }
}

/// A number that depends on the marking.
#[derive(Default)]
struct Sum {
    places: Vec<(u32, i64)>,
    number: i64,
    text: String,
}

/// The only element inside of another one.
fn only_child(xml: &mut Xml<'_>, element: &Element) -> Result<Element, Diagnostic> {
    xml.child(element)?.ok_or_else(|| {
        let message = format!("`<{}>` is empty", element.name);
        Diagnostic::error(element.span, message)
    })
}

/// The nodes that an element names, and their names.
fn names_of(
    xml: &mut Xml<'_>,
    element: &Element,
    what: &str,
    known: &std::collections::HashMap<String, Vec<u32>>,
) -> Result<(Vec<u32>, String), Diagnostic> {
    let wrong = |span: Span, message: String| Diagnostic::error(span, message);
    let (mut all, mut names) = (Vec::new(), Vec::new());
    while let Some(child) = xml.child(element)? {
        if child.name != what {
            let message = format!("`<{}>` is no {what}", child.name);
            return Err(wrong(child.span, message));
        }
        let name = xml.text(&child)?;
        let found = known.get(&name).ok_or_else(|| {
            let shown: String = name.chars().take(60).collect();
            wrong(child.span, format!("the net has no {what} `{shown}`"))
        })?;
        all.extend(found);
        let is_plain = name
            .chars()
            .all(|c| c.is_alphanumeric() || "_-.<>".contains(c));
        names.push(if is_plain {
            name
        } else {
            format!("\"{name}\"")
        });
    }
    match names.is_empty() {
        true => Err(wrong(
            element.span,
            format!("`<{}>` names no {what}", element.name),
        )),
        false => Ok((all, names.join(", "))),
    }
}

impl Stated {
    /// The question that it asks.
    pub fn question(&self, asked: &mut Asked, over_maximal: bool) -> Question {
        let whole = match &self.asks {
            Asks::Bound(amount) => {
                let (kind, what) = (Kind::Bound, What::Bound(*amount));
                return Question::new(&self.name, kind, Some(self.text.clone()), what);
            }
            Asks::Formula(formula) => formula,
        };
        let (store, id) = (&whole.store, whole.id);
        let formula = |id: FormulaId| Formula {
            id,
            ..whole.clone()
        };
        if let Node::Path(Quantifier::All, path) = *store.node(id) {
            if let Node::Unary(Unary::Globally, condition) = *store.node(path)
                && store.properties(condition).is_boolean()
            {
                let what = What::Invariant(formula(condition));
                let text = Some(print(store, condition, Spelling::Spin));
                return Question::new(&self.name, Kind::Invariant, text, what);
            }
            let is_linear = !store.properties(path).has_quantifier();
            if is_linear && !self.name.contains("CTL") {
                let text = print(store, path, Spelling::Spin);
                asked.linear_next |= has_next(store, path);
                return Question::linear(&self.name, text, formula(path).cut_out());
            }
        }
        let formula = match over_maximal {
            true => asked.maximal((**store).clone(), id, whole.atoms.to_vec()),
            false => formula(id),
        };
        Question::branching(&self.name, &self.text, formula)
    }
}
