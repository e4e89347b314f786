//! PNML: the nodes and arcs of a net as the text has them, all pages together.
//!
//! What is read here is the same for all kinds of nets: pages inside of pages, places, transitions, arcs, and
//! nodes that only refer to others. What markings and inscriptions mean is for [`crate::flat`] and
//! [`crate::unfold`] to say. Graphics and the parts that belong to other tools are passed over, apart
//! from what an arc is there: one that inhibits, tests or resets.

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
                let node = node(xml, &child)?;
                net.places.push(node);
            }
            "transition" => {
                let node = node(xml, &child)?;
                net.transitions.push(node);
            }
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

fn node(xml: &mut Xml<'_>, element: &Element) -> Result<Node, Diagnostic> {
    let mut node = Node {
        id: element.demand("id")?.to_string(),
        name: None,
        span: element.span,
        initial: None,
        terms: Vec::new(),
    };
    while let Some(child) = xml.child(element)? {
        match child.name.as_str() {
            "name" => node.name = xml.label(&child)?.map(|(name, _)| name),
            "initialMarking" => node.initial = xml.label(&child)?,
            "type" | "hlinitialMarking" | "condition" => {
                let tree = xml.tree(child)?;
                node.terms.push(tree);
            }
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
