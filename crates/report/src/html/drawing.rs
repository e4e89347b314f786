//! An automaton as a picture that needs no script, for notebooks and pages of others.
//!
//! States are circles where [`layered`](super::layout::layered) puts them, edges are curves: straight
//! to the next layer, bowed where they lead back, run beside another or pass a layer, and loops above
//! their state. Colours are those of the text around it, so that light and dark pages both work. What
//! is written comes from formulas and models and is escaped.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use evenhand_automata::{Automaton, State};

use super::layout::MOST_STATES;
use super::picture::{Drawn, marks_that_repeat, short_names};
use super::{cut, escaped};

const RADIUS: f64 = 20.0;

/// How much of a label is written; the whole of it is its title.
const LABEL: usize = 26;

/// How wide a character is, about.
const CHARACTER: f64 = 7.0;

/// When a run of an automaton is accepting, in words.
pub fn acceptance_words(automaton: &Automaton) -> String {
    match marks_that_repeat(automaton.acceptance()) {
        None => "accepting by a condition of its own".to_string(),
        Some(parts) if parts.is_empty() => "accepting if it can be read for ever".to_string(),
        Some(parts) => format!("accepting if {}", parts.join(", and ")),
    }
}

/// The picture; none if there are too many states for one.
pub fn automaton_svg(automaton: &Automaton) -> Option<String> {
    if automaton.state_count() > MOST_STATES {
        return None;
    }
    let names = short_names(automaton);
    let shown: BTreeSet<State> = automaton.states().collect();
    let drawn = Drawn::new(automaton, &names, &shown);
    let mut picture = Picture::new(&drawn);
    picture.begin(automaton, &names);
    picture.edges();
    picture.states(automaton);
    picture.legend(automaton, &names);
    picture.out.push_str("</svg>");
    Some(picture.out)
}

type Point = (f64, f64);

struct Picture<'d> {
    drawn: &'d Drawn<'d>,
    labels: Vec<(String, String)>,
    /// From one layer to the next, and from one state of a layer to the next.
    step: f64,
    across: f64,
    /// Where the first layer is, and the middle of all.
    left: f64,
    middle: f64,
    width: f64,
    height: f64,
    out: String,
}

impl<'d> Picture<'d> {
    fn new(drawn: &'d Drawn<'d>) -> Picture<'d> {
        let label = |arc: &super::picture::Arc| {
            let marks: Vec<String> = arc.marks.iter().map(|m| m.0.to_string()).collect();
            let marks = match marks.is_empty() {
                true => String::new(),
                false => format!(" {{{}}}", marks.join(" ")),
            };
            let text = arc.labels.join(" | ");
            (cut(&text, LABEL) + &marks, text + &marks)
        };
        let labels: Vec<(String, String)> = drawn.arcs.list.iter().map(label).collect();
        let widest = |loops: bool| {
            let of_kind = drawn.pairs.iter().zip(&labels);
            let of_kind = of_kind.filter(|((a, b), _)| (a == b) == loops);
            let widths = of_kind.map(|(_, (text, _))| text.chars().count() as f64 * CHARACTER);
            widths.fold(40.0, f64::max)
        };
        let mut loops: BTreeMap<usize, usize> = BTreeMap::new();
        for (a, _) in drawn.pairs.iter().filter(|(a, b)| a == b) {
            *loops.entry(*a).or_default() += 1;
        }
        let most = loops.values().copied().max().unwrap_or(0) as f64;
        let places = || drawn.places.iter().flatten();
        let layers = places().map(|p| p.layer).max().unwrap_or(0) as f64;
        let reach = places().map(|p| p.across.abs()).fold(0.0, f64::max);
        let layer = |state: usize| drawn.places[state].map_or(0, |p| p.layer);
        let is_long = |(a, b): &(usize, usize)| layer(*a).abs_diff(layer(*b)) > 1;
        let arcs = if drawn.pairs.iter().any(is_long) {
            40.0
        } else {
            0.0
        };
        let (widest_loop, widest_edge) = (widest(true), widest(false));
        let step = (widest_edge + 2.0 * RADIUS + 44.0).max(widest_loop * 0.75 + 60.0);
        let left = (widest_loop / 2.0 + 14.0).max(70.0);
        let across = 80.0 + 32.0 * most;
        let middle = 54.0 + 32.0 * most + reach * across + arcs;
        Picture {
            drawn,
            labels,
            step: step.max(120.0),
            across,
            left,
            middle,
            width: left + layers * step.max(120.0) + (widest_loop / 2.0 + 14.0).max(60.0),
            height: middle + reach * across + 54.0 + arcs,
            out: String::new(),
        }
    }

    fn begin(&mut self, automaton: &Automaton, names: &[String]) {
        let explained = names.iter().zip(automaton.props());
        let legend = 20.0 * explained.filter(|(name, text)| name != text).count() as f64;
        let (width, height) = (self.width.ceil(), (self.height + legend).ceil());
        let title = escaped(automaton.name().unwrap_or("automaton"));
        let _ = write!(
            self.out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"sans-serif\" font-size=\"12\" \
             fill=\"currentColor\" stroke=\"none\"><title>{title}</title>"
        );
    }

    /// Where a state stands, if it can be reached.
    fn place(&self, state: usize) -> Option<Point> {
        let place = self.drawn.places[state]?;
        let x = self.left + place.layer as f64 * self.step;
        Some((x, self.middle + place.across * self.across))
    }

    fn curve(&mut self, path: &str) {
        let _ = write!(
            self.out,
            "<path d=\"{path}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.3\"/>"
        );
    }

    fn tip(&mut self, (x, y): Point, angle: f64) {
        let turn = angle.to_degrees();
        let _ = write!(
            self.out,
            "<path d=\"M0,0 l-9,-4.5 v9 z\" transform=\"translate({x:.1},{y:.1}) rotate({turn:.1})\"/>"
        );
    }

    fn text(&mut self, (x, y): Point, text: &str, title: &str) {
        let (text, title) = (escaped(text), escaped(title));
        let _ = write!(
            self.out,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{text}<title>{title}</title></text>"
        );
    }

    fn edges(&mut self) {
        let mut twins: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for number in 0..self.drawn.pairs.len() {
            let pair = self.drawn.pairs[number];
            let twin = twins.entry(pair).or_default();
            *twin += 1;
            let twin = (*twin - 1) as f64;
            let (Some(from), Some(to)) = (self.place(pair.0), self.place(pair.1)) else {
                continue;
            };
            let label = self.labels[number].clone();
            match pair.0 == pair.1 {
                true => self.turn(from, twin, &label),
                false => {
                    let back = self.drawn.pairs.contains(&(pair.1, pair.0));
                    self.edge(from, to, (twin, back), &label);
                }
            }
        }
    }

    /// An edge from a state to itself.
    fn turn(&mut self, (x, y): Point, twin: f64, label: &(String, String)) {
        let top = y - RADIUS - 26.0 - 30.0 * twin;
        let reach = 30.0 + 16.0 * twin;
        self.curve(&format!(
            "M{:.1},{:.1} C{:.1},{top:.1} {:.1},{top:.1} {:.1},{:.1}",
            x - 9.0,
            y - 18.0,
            x - reach,
            x + reach,
            x + 11.0,
            y - 20.0
        ));
        self.tip((x + 9.0, y - 18.0), 2.05);
        self.text((x, top + 2.0), &label.0, &label.1);
    }

    /// An edge to another state, bowed where others are in its way.
    fn edge(
        &mut self,
        from: Point,
        to: Point,
        (twin, back): (f64, bool),
        label: &(String, String),
    ) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy);
        let layers = dx.abs() / self.step;
        let mut bow = 0.0;
        if back || twin > 0.0 {
            bow += 26.0 + 22.0 * twin;
        }
        if layers > 1.01 {
            bow += 34.0 * layers;
        }
        if dx.abs() < 1.0 {
            bow += 14.0 + length / 5.0;
        }
        let middle = (
            (from.0 + to.0) / 2.0 + dy / length * bow * 2.0,
            (from.1 + to.1) / 2.0 - dx / length * bow * 2.0,
        );
        let towards = |at: Point, distance: f64| {
            let far = (middle.0 - at.0).hypot(middle.1 - at.1);
            let part = distance / far;
            (
                at.0 + (middle.0 - at.0) * part,
                at.1 + (middle.1 - at.1) * part,
            )
        };
        let (start, end) = (towards(from, RADIUS), towards(to, RADIUS + 8.0));
        self.curve(&format!(
            "M{:.1},{:.1} Q{:.1},{:.1} {:.1},{:.1}",
            start.0, start.1, middle.0, middle.1, end.0, end.1
        ));
        let angle = (to.1 - middle.1).atan2(to.0 - middle.0);
        self.tip(towards(to, RADIUS + 1.0), angle);
        let at = (
            (start.0 + end.0) / 4.0 + middle.0 / 2.0,
            (start.1 + end.1) / 4.0 + middle.1 / 2.0,
        );
        self.text((at.0, at.1 - 6.0), &label.0, &label.1);
    }

    fn states(&mut self, automaton: &Automaton) {
        for number in 0..self.drawn.states.len() {
            let Some((x, y)) = self.place(number) else {
                continue;
            };
            let state = self.drawn.states[number];
            let name = match automaton.state_name(state) {
                "" => state.0.to_string(),
                name => name.to_string(),
            };
            let _ = write!(
                self.out,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{RADIUS}\" fill=\"none\" \
                 stroke=\"currentColor\" stroke-width=\"1.3\"/>"
            );
            self.text((x, y + 4.0), &cut(&name, 5), &name);
            if self.drawn.initial.contains(&number) {
                let (begin, end) = (x - RADIUS - 26.0, x - RADIUS - 9.0);
                self.curve(&format!("M{begin:.1},{y:.1} H{end:.1}"));
                self.tip((x - RADIUS - 2.0, y), 0.0);
            }
        }
    }

    /// What short names of propositions stand for.
    fn legend(&mut self, automaton: &Automaton, names: &[String]) {
        let mut y = self.height + 6.0;
        for (name, text) in names.iter().zip(automaton.props()) {
            if name == text {
                continue;
            }
            let (name, text) = (escaped(name), escaped(text));
            let _ = write!(
                self.out,
                "<text x=\"10\" y=\"{y:.1}\">{name}: {text}</text>"
            );
            y += 20.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use evenhand_automata::{Acceptance, Builder, Cube, Literal, Mark, MarkSet, Prop};

    use super::*;

    #[test]
    fn states_edges_and_names_are_drawn_and_nothing_is_markup() {
        let names = vec!["<b>a long & \"dangerous\" name</b>".to_string()];
        let mut builder = Builder::new(names, Acceptance::generalized_buchi(1));
        let (first, second) = (builder.add_state(), builder.add_named_state("<i>"));
        builder.add_initial(first);
        let good: MarkSet = [Mark(0)].into_iter().collect();
        let holds = Cube::literal(Literal {
            prop: Prop(0),
            positive: true,
        });
        builder.add_edge(first, &Cube::TRUE, &MarkSet::EMPTY, first);
        builder.add_edge(first, &holds, &MarkSet::EMPTY, second);
        builder.add_edge(second, &holds, &good, second);
        let automaton = builder.build();
        let picture = automaton_svg(&automaton).expect("it is small");
        assert_eq!(picture.matches("<circle").count(), 2);
        // Three edges and where runs begin, each with a tip.
        assert_eq!(picture.matches("rotate(").count(), 4);
        assert!(picture.contains("p: &lt;b&gt;a long &amp; &quot;dangerous&quot; name&lt;/b&gt;"));
        assert!(!picture.contains("<b>") && !picture.contains("<i>"));
        assert_eq!(
            acceptance_words(&automaton),
            "accepting if mark 0 is seen again and again"
        );
    }

    #[test]
    fn what_cannot_be_read_is_not_drawn() {
        let mut builder = Builder::new(Vec::new(), Acceptance::all());
        for _ in 0..=MOST_STATES {
            builder.add_state();
        }
        assert_eq!(automaton_svg(&builder.build()), None);
    }
}
