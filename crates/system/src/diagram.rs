//! A model as a picture: what holds values, what moves them, and arrows between the two.
//!
//! A front-end whose models are drawn by people says here what its drawing is about; a report shows the part that a
//! run has to do with.

/// A picture of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagram {
    /// What is drawn.
    pub nodes: Vec<DiagramNode>,
    /// Arrows from a node to another one, by number, and what is written at them.
    pub arrows: Vec<(usize, usize, String)>,
}

/// Something that is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DiagramNode {
    /// Its name.
    pub name: String,
    /// The variables whose values it holds; none if it is something that moves.
    pub variables: Vec<String>,
    /// The texts of the actions that it stands for; none if it holds values.
    pub actions: Vec<String>,
    /// Where it stands in the model's own drawing: to the right, and down.
    pub place: Option<(f64, f64)>,
}
