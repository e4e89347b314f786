//! PNML: the nodes and arcs of a net as the text has them, all pages together.
//!
//! What is read here is the same for all kinds of nets: pages inside of pages, places, transitions, arcs, and
//! nodes that only refer to others. What markings and inscriptions mean is for [`crate::flat`] and
//! [`crate::unfold`] to say. Of graphics the positions of nodes are kept ([`crate::drawing`]). The parts that belong to other tools are passed over, apart from what an arc is
//! there (one that inhibits, tests or resets) and from units ([`crate::units`]). A part of our own declares
//! fairness: of anything in a net or on a page, of the transition that it stands in.
//!
//! ```xml
//! <toolspecific tool="evenhand" version="1.0"><fair>strong:send</fair></toolspecific>
//! ```

use std::collections::HashMap;

use evenhand_source::{Diagnostic, FileId, Span, nearest};

use crate::xml::{Element, Tree, Xml};

/// A net as its text has it.
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub coloured: bool,
    pub declarations: Vec<Tree>,
    pub places: Vec<Node>,
    pub transitions: Vec<Node>,
    pub arcs: Vec<Arc>,
    /// Nodes that stand for others: what they refer to.
    references: HashMap<String, (String, Span)>,
    /// Places and transitions by their id.
    index: HashMap<String, End>,
    pub warnings: Vec<Diagnostic>,
    /// Fairness that is declared, as texts, and where.
    pub fairness: Vec<(String, Span)>,
    pub units: Vec<Unit>,
}

/// A unit as its text has it.
#[derive(Debug)]
pub(crate) struct Unit {
    pub id: String,
    pub span: Span,
    /// The ids of its places.
    pub places: Vec<String>,
    /// The ids of the units inside of it.
    pub units: Vec<String>,
}

/// A place or a transition.
#[derive(Debug)]
pub(crate) struct Node {
    pub id: String,
    pub name: Option<String>,
    pub span: Span,
    /// The number of tokens at the beginning, as it was written.
    pub initial: Option<(String, Span)>,
    /// The sort, the marking or the condition of a coloured net.
    pub terms: Vec<Tree>,
    /// Where it is drawn.
    pub position: Option<(f64, f64)>,
}

/// An arc.
#[derive(Debug)]
pub(crate) struct Arc {
    pub source: String,
    pub target: String,
    pub span: Span,
    pub kind: ArcKind,
    /// Its weight, as it was written.
    pub weight: Option<(String, Span)>,
    /// The inscription of a coloured net.
    pub term: Option<Tree>,
}

/// What an arc does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ArcKind {
    #[default]
    Normal,
    Inhibitor,
    Test,
    Reset,
}

/// What an arc leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Place(usize),
    Transition(usize),
}

/// Reads a net.
///
/// # Errors
/// The first thing that is wrong with the text.
pub(crate) fn read(text: &str, file: FileId) -> Result<Written, Diagnostic> {
    let mut xml = Xml::new(text, file);
    let root = xml.root("pnml")?;
    let mut found: Option<Written> = None;
    while let Some(child) = xml.child(&root)? {
        if child.name != "net" {
            continue;
        }
        match &mut found {
            Some(first) => {
                let message = "there is more than one net in this file; only the first is read";
                first
                    .warnings
                    .push(Diagnostic::warning(child.span, message));
            }
            None => found = Some(net(&mut xml, &child)?),
        }
    }
    xml.finish()?;
    let net = found.ok_or_else(|| Diagnostic::error(root.span, "there is no net in this file"))?;
    Ok(net)
}

/// The kinds of nets that are read: how their type ends, and whether tokens have colours.
const TYPES: [(&str, bool); 5] = [
    ("ptnet", false),
    ("pnmlcoremodel", false),
    ("symmetricnet", true),
    ("pt-hlpng", true),
    ("highlevelnet", true),
];

fn net(xml: &mut Xml<'_>, element: &Element) -> Result<Written, Diagnostic> {
    let kind = element.attribute("type").unwrap_or("ptnet");
    let known = TYPES.iter().find(|(end, _)| kind.ends_with(end));
    let Some(&(_, coloured)) = known else {
        let message = format!("nets of type `{kind}` are not read");
        let help = "place/transition nets (`ptnet`) and symmetric nets (`symmetricnet`) are";
        return Err(Diagnostic::error(element.span, message).help(help));
    };
    let mut net = Written {
        coloured,
        ..Written::default()
    };
    page(xml, element, &mut net)?;
    for (number, place) in net.places.iter().enumerate() {
        index(&mut net.index, place, End::Place(number))?;
    }
    for (number, transition) in net.transitions.iter().enumerate() {
        index(&mut net.index, transition, End::Transition(number))?;
    }
    Ok(net)
}

fn index(all: &mut HashMap<String, End>, node: &Node, end: End) -> Result<(), Diagnostic> {
    match all.insert(node.id.clone(), end) {
        None => Ok(()),
        Some(_) => {
            let message = format!("`{}` is the id of more than one node", node.id);
            Err(Diagnostic::error(node.span, message))
        }
    }
}

/// Reads what stands in a net or on a page; pages are not nested deeper than elements are.
fn page(xml: &mut Xml<'_>, element: &Element, net: &mut Written) -> Result<(), Diagnostic> {
    while let Some(child) = xml.child(element)? {
        match child.name.as_str() {
            "page" => page(xml, &child, net)?,
            "place" => {
                let mut fair = Vec::new();
                let node = node(xml, &child, &mut fair)?;
                if let Some((_, span)) = fair.first() {
                    let message = "fairness is assumed of transitions, not of places";
                    return Err(Diagnostic::error(*span, message));
                }
                net.places.push(node);
            }
            "transition" => {
                let mut fair = Vec::new();
                let node = node(xml, &child, &mut fair)?;
                for (text, span) in fair {
                    net.fairness.push((own(&node, &text, span)?, span));
                }
                net.transitions.push(node);
            }
            "toolspecific" => tool(xml, &child, net)?,
            "arc" => {
                let arc = arc(xml, &child)?;
                net.arcs.push(arc);
            }
            "referencePlace" | "referenceTransition" => {
                let (id, other) = (child.demand("id")?, child.demand("ref")?);
                let known = net
                    .references
                    .insert(id.to_string(), (other.to_string(), child.span));
                if known.is_some() {
                    let message = format!("`{id}` is the id of more than one node");
                    return Err(Diagnostic::error(child.span, message));
                }
            }
            "declaration" => {
                let tree = xml.tree(child)?;
                net.declarations.push(tree);
            }
            _ => {}
        }
    }
    Ok(())
}

/// What a tool has to say about a net as a whole.
fn tool(xml: &mut Xml<'_>, element: &Element, net: &mut Written) -> Result<(), Diagnostic> {
    match element.attribute("tool") {
        Some(OWN) => fairness(xml, element, &mut net.fairness),
        Some("nupn") => {
            while let Some(child) = xml.child(element)? {
                if child.name == "structure" {
                    units(xml, &child, &mut net.units)?;
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// How our own parts are called.
const OWN: &str = "evenhand";

/// Reads declarations of fairness.
fn fairness(
    xml: &mut Xml<'_>,
    element: &Element,
    list: &mut Vec<(String, Span)>,
) -> Result<(), Diagnostic> {
    while let Some(child) = xml.child(element)? {
        if child.name == "fair" {
            let text = xml.text(&child)?;
            list.push((text, child.span));
        }
    }
    Ok(())
}

/// A declaration that stands in a transition, as one of the net.
fn own(node: &Node, text: &str, span: Span) -> Result<String, Diagnostic> {
    match text {
        "weak" | "strong" => Ok(format!("{text}:{}", node.id)),
        _ => {
            let message = format!("`{text}` is no fairness of one transition");
            let help = "write `weak` or `strong`; others stand beside the transitions";
            Err(Diagnostic::error(span, message).help(help))
        }
    }
}

fn units(xml: &mut Xml<'_>, element: &Element, list: &mut Vec<Unit>) -> Result<(), Diagnostic> {
    let words = |text: String| text.split_whitespace().map(str::to_string).collect();
    while let Some(child) = xml.child(element)? {
        if child.name != "unit" {
            continue;
        }
        let mut unit = Unit {
            id: child.demand("id")?.to_string(),
            span: child.span,
            places: Vec::new(),
            units: Vec::new(),
        };
        while let Some(part) = xml.child(&child)? {
            match part.name.as_str() {
                "places" => unit.places = words(xml.text(&part)?),
                "subunits" => unit.units = words(xml.text(&part)?),
                _ => {}
            }
        }
        list.push(unit);
    }
    Ok(())
}

fn node(
    xml: &mut Xml<'_>,
    element: &Element,
    fair: &mut Vec<(String, Span)>,
) -> Result<Node, Diagnostic> {
    let mut node = Node {
        id: element.demand("id")?.to_string(),
        name: None,
        span: element.span,
        initial: None,
        terms: Vec::new(),
        position: None,
    };
    while let Some(child) = xml.child(element)? {
        match child.name.as_str() {
            "name" => node.name = xml.label(&child)?.map(|(name, _)| name),
            "initialMarking" => node.initial = xml.label(&child)?,
            "type" | "hlinitialMarking" | "condition" => {
                let tree = xml.tree(child)?;
                node.terms.push(tree);
            }
            "graphics" => {
                while let Some(part) = xml.child(&child)? {
                    let number = |name: &str| part.attribute(name)?.trim().parse::<f64>().ok();
                    if part.name == "position" {
                        node.position = number("x").zip(number("y"));
                    }
                }
            }
            "toolspecific" if child.attribute("tool") == Some(OWN) => fairness(xml, &child, fair)?,
            _ => {}
        }
    }
    Ok(node)
}

fn arc(xml: &mut Xml<'_>, element: &Element) -> Result<Arc, Diagnostic> {
    let mut arc = Arc {
        source: element.demand("source")?.to_string(),
        target: element.demand("target")?.to_string(),
        span: element.span,
        kind: ArcKind::Normal,
        weight: None,
        term: None,
    };
    if let Some(kind) = element.attribute("type") {
        arc.kind = arc_kind(kind, element.span)?;
    }
    while let Some(child) = xml.child(element)? {
        match child.name.as_str() {
            "inscription" => arc.weight = xml.label(&child)?,
            "hlinscription" => {
                let tree = xml.tree(child)?;
                arc.term = Some(tree);
            }
            "type" | "arctype" => arc.kind = said_kind(xml, &child)?,
            "toolspecific" => {
                while let Some(own) = xml.child(&child)? {
                    if let "type" | "arctype" = own.name.as_str() {
                        arc.kind = said_kind(xml, &own)?;
                    }
                }
            }
            _ => {}
        }
    }
    Ok(arc)
}

/// What an arc is, by an attribute or by a text.
fn said_kind(xml: &mut Xml<'_>, element: &Element) -> Result<ArcKind, Diagnostic> {
    if let Some(value) = element.attribute("value") {
        return arc_kind(value, element.span);
    }
    match xml.label(element)? {
        Some((text, span)) => arc_kind(&text, span),
        None => Ok(ArcKind::Normal),
    }
}

fn arc_kind(word: &str, span: Span) -> Result<ArcKind, Diagnostic> {
    match word.trim().to_ascii_lowercase().as_str() {
        "" | "normal" | "regular" => Ok(ArcKind::Normal),
        "inhibitor" => Ok(ArcKind::Inhibitor),
        "test" | "read" | "readarc" => Ok(ArcKind::Test),
        "reset" => Ok(ArcKind::Reset),
        _ => {
            let message = format!("arcs of type `{word}` are not read");
            let help = "an arc is `normal`, `inhibitor`, `test` or `reset`";
            Err(Diagnostic::error(span, message).help(help))
        }
    }
}

impl Written {
    /// The node that an end of an arc means, through all references.
    pub fn end(&self, arc: &Arc, id: &str) -> Result<End, Diagnostic> {
        let (mut id, mut span) = (id, arc.span);
        // Longer than all of them together, they go in a circle.
        for _ in 0..=self.references.len() {
            if let Some(&end) = self.index.get(id) {
                return Ok(end);
            }
            match self.references.get(id) {
                Some((other, place)) => (id, span) = (other, *place),
                None => {
                    let message = format!("there is no place or transition `{id}`");
                    let hint = nearest(id, self.index.keys().map(String::as_str));
                    let help = hint.map(|hint| format!("did you mean `{hint}`?"));
                    return Err(Diagnostic::error(span, message).maybe_help(help));
                }
            }
        }
        let message = format!("`{id}` refers to itself");
        Err(Diagnostic::error(span, message))
    }

    /// The place and the transition of an arc, and whether it leads to the transition.
    pub fn ends(&self, arc: &Arc) -> Result<(usize, usize, bool), Diagnostic> {
        match (self.end(arc, &arc.source)?, self.end(arc, &arc.target)?) {
            (End::Place(place), End::Transition(transition)) => Ok((place, transition, true)),
            (End::Transition(_), End::Place(_)) if arc.kind != ArcKind::Normal => {
                let message = "an arc that inhibits, tests or resets leads to a transition";
                Err(Diagnostic::error(arc.span, message))
            }
            (End::Transition(transition), End::Place(place)) => Ok((place, transition, false)),
            (End::Place(_), End::Place(_)) => {
                Err(Diagnostic::error(arc.span, "an arc between two places"))
            }
            (End::Transition(_), End::Transition(_)) => Err(Diagnostic::error(
                arc.span,
                "an arc between two transitions",
            )),
        }
    }
}
