//! Random coloured nets against an interpreter of their definition, which unfolds nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use evenhand_source::SplitMix64;
use evenhand_system::explicit::Value;

use crate::common::{Ask, ask, read};

/// The values of the only simple sort.
pub const SIZE: u32 = 3;

/// A value: a variable, moved on in the circle, or a constant.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    Variable(usize, u32),
    Constant(u32),
    All,
}

/// So many of a tuple.
pub type Token = (u32, Vec<Part>);
pub type Colour = Vec<u32>;
pub type Marking = BTreeMap<(usize, Colour), u32>;

#[derive(Debug)]
pub struct Net {
    /// How many values the colours of each place have, and its tokens at the beginning.
    pub places: Vec<(usize, Vec<Token>)>,
    pub transitions: Vec<Transition>,
}

#[derive(Debug)]
pub struct Transition {
    /// `x0 op x1`, perhaps turned round.
    pub guard: Option<(&'static str, bool)>,
    pub takes: Vec<(usize, Vec<Token>)>,
    pub gives: Vec<(usize, Vec<Token>)>,
}

pub fn random(dice: &mut SplitMix64) -> Net {
    fn tokens(dice: &mut SplitMix64, width: usize, bound: bool) -> Vec<Token> {
        let part = |dice: &mut SplitMix64| match dice.below(8) {
            0 if width == 1 => Part::All,
            1 | 2 => Part::Constant(dice.below(SIZE as usize) as u32),
            _ if bound => Part::Variable(dice.below(2), dice.below(3) as u32),
            _ => Part::Constant(dice.below(SIZE as usize) as u32),
        };
        let count = 1 + dice.below(2);
        (0..count)
            .map(|_| (1, (0..width).map(|_| part(dice)).collect()))
            .collect()
    }
    let count = 1 + dice.below(3);
    let mut places = Vec::new();
    for _ in 0..count {
        let width = dice.below(3);
        let initial = match dice.below(4) {
            0 => Vec::new(),
            _ => tokens(dice, width, false),
        };
        places.push((width, initial));
    }
    let mut transitions = Vec::new();
    for _ in 0..1 + dice.below(3) {
        let arcs = |dice: &mut SplitMix64| {
            let mut arcs = Vec::new();
            for (place, (width, _)) in places.iter().enumerate() {
                if dice.below(2) == 0 {
                    arcs.push((place, tokens(dice, *width, true)));
                }
            }
            arcs
        };
        let signs = ["equality", "inequality", "lessthan", "greaterthanorequal"];
        let guard = (dice.below(2) == 0).then(|| (signs[dice.below(4)], dice.below(3) == 0));
        let (takes, gives) = (arcs(dice), arcs(dice));
        transitions.push(Transition {
            guard,
            takes,
            gives,
        });
    }
    Net {
        places,
        transitions,
    }
}

/// The colours of a tuple under a binding.
fn colours(parts: &[Part], binding: &[u32; 2]) -> Vec<Colour> {
    let mut all = vec![Vec::new()];
    for part in parts {
        let values: Vec<u32> = match *part {
            Part::Variable(number, moved) => vec![(binding[number] + moved) % SIZE],
            Part::Constant(value) => vec![value],
            Part::All => (0..SIZE).collect(),
        };
        let longer = all.iter().flat_map(|colour: &Colour| {
            values
                .iter()
                .map(move |&value| [&colour[..], &[value]].concat())
        });
        all = longer.collect();
    }
    all
}

pub fn sum(arcs: &[(usize, Vec<Token>)], binding: &[u32; 2]) -> Marking {
    let mut sum = Marking::new();
    for (place, tokens) in arcs {
        for (count, parts) in tokens {
            for colour in colours(parts, binding) {
                *sum.entry((*place, colour)).or_default() += count;
            }
        }
    }
    sum
}

/// The marking behind a transition under a binding, if it can fire.
pub fn fire(transition: &Transition, marking: &Marking, binding: &[u32; 2]) -> Option<Marking> {
    let [x, y] = *binding;
    let allowed = match transition.guard {
        None => true,
        Some((sign, turned)) => {
            let holds = match sign {
                "equality" => x == y,
                "inequality" => x != y,
                "lessthan" => x < y,
                _ => x >= y,
            };
            holds != turned
        }
    };
    if !allowed {
        return None;
    }
    let mut behind = marking.clone();
    for (token, count) in sum(&transition.takes, binding) {
        let left = behind
            .get(&token)
            .copied()
            .unwrap_or(0)
            .checked_sub(count)?;
        behind.insert(token, left);
    }
    for (token, count) in sum(&transition.gives, binding) {
        *behind.entry(token).or_default() += count;
    }
    behind.retain(|_, count| *count > 0);
    Some(behind)
}

/// All markings and whether one is dead; none if there are too many.
fn explore(net: &Net) -> Option<(Vec<Marking>, bool)> {
    let places = net.places.iter().enumerate();
    let initial: Vec<(usize, Vec<Token>)> = places.map(|(p, (_, t))| (p, t.clone())).collect();
    let initial = sum(&initial, &[0, 0]);
    let (mut all, mut seen) = (vec![initial.clone()], BTreeSet::from([initial]));
    let (mut next, mut dead) = (0, false);
    while next < all.len() {
        let mut ends = true;
        for transition in &net.transitions {
            for binding in (0..SIZE * SIZE).map(|n| [n / SIZE, n % SIZE]) {
                if let Some(behind) = fire(transition, &all[next], &binding) {
                    ends = false;
                    if seen.insert(behind.clone()) {
                        all.push(behind);
                    }
                }
            }
        }
        dead |= ends;
        next += 1;
        if all.len() > 300 {
            return None;
        }
    }
    Some((all, dead))
}

fn term(part: &Part) -> String {
    match part {
        Part::Constant(value) => format!("<useroperator declaration=\"c{value}\"/>"),
        Part::All => "<all><usersort declaration=\"s\"/></all>".to_string(),
        Part::Variable(number, moved) => {
            let variable = format!("<variable refvariable=\"x{number}\"/>");
            match moved {
                0 => variable,
                1 => format!("<successor><subterm>{variable}</subterm></successor>"),
                _ => format!("<predecessor><subterm>{variable}</subterm></predecessor>"),
            }
        }
    }
}

fn multiset(tokens: &[Token]) -> String {
    let one = |(count, parts): &Token| {
        let inside: Vec<String> = parts.iter().map(term).collect();
        let what = match &inside[..] {
            [] => "<dotconstant/>".to_string(),
            [only] => only.clone(),
            more => {
                let parts = more.iter().map(|part| format!("<subterm>{part}</subterm>"));
                format!("<tuple>{}</tuple>", parts.collect::<String>())
            }
        };
        let count = format!("<numberconstant value=\"{count}\"><positive/></numberconstant>");
        format!(
            "<subterm><numberof><subterm>{count}</subterm><subterm>{what}</subterm></numberof></subterm>"
        )
    };
    format!(
        "<structure><add>{}</add></structure>",
        tokens.iter().map(one).collect::<String>()
    )
}

pub fn pnml(net: &Net) -> String {
    let constants: String = (0..SIZE)
        .map(|v| format!("<feconstant id=\"c{v}\" name=\"{v}\"/>"))
        .collect();
    let product = "<namedsort id=\"s2\"><productsort><usersort declaration=\"s\"/><usersort declaration=\"s\"/></productsort></namedsort>";
    let simple = format!(
        "<namedsort id=\"s\"><cyclicenumeration>{constants}</cyclicenumeration></namedsort>"
    );
    let variable =
        |n| format!("<variabledecl id=\"x{n}\"><usersort declaration=\"s\"/></variabledecl>");
    let mut text = format!(
        "<pnml><net id=\"n\" type=\"symmetricnet\"><declaration><structure><declarations>\
         <namedsort id=\"dot\"><dot/></namedsort>{product}{simple}{}{}</declarations></structure></declaration><page id=\"g\">",
        variable(0),
        variable(1)
    );
    for (number, (width, initial)) in net.places.iter().enumerate() {
        let sort = ["dot", "s", "s2"][*width];
        let sort =
            format!("<type><structure><usersort declaration=\"{sort}\"/></structure></type>");
        let marking = match initial.is_empty() {
            true => String::new(),
            false => format!("<hlinitialMarking>{}</hlinitialMarking>", multiset(initial)),
        };
        text += &format!("<place id=\"p{number}\">{sort}{marking}</place>\n");
    }
    for (number, transition) in net.transitions.iter().enumerate() {
        let guard = transition.guard.map_or(String::new(), |(sign, turned)| {
            let x = |n| format!("<subterm><variable refvariable=\"x{n}\"/></subterm>");
            let inside = format!("<{sign}>{}{}</{sign}>", x(0), x(1));
            let inside = match turned {
                true => format!("<not><subterm>{inside}</subterm></not>"),
                false => inside,
            };
            format!("<condition><structure>{inside}</structure></condition>")
        });
        text += &format!("<transition id=\"t{number}\">{guard}</transition>\n");
        for (place, tokens) in &transition.takes {
            let what = multiset(tokens);
            text += &format!(
                "<arc id=\"a\" source=\"p{place}\" target=\"t{number}\"><hlinscription>{what}</hlinscription></arc>\n"
            );
        }
        for (place, tokens) in &transition.gives {
            let what = multiset(tokens);
            text += &format!(
                "<arc id=\"a\" source=\"t{number}\" target=\"p{place}\"><hlinscription>{what}</hlinscription></arc>\n"
            );
        }
    }
    text + "</page></net></pnml>"
}

/// The most tokens of all colours in each place.
fn bounds(net: &Net, markings: &[Marking]) -> Vec<i64> {
    let most = |place: usize| {
        let tokens = |marking: &Marking| {
            let own = marking.iter().filter(|((at, _), _)| *at == place);
            own.map(|(_, count)| i64::from(*count)).sum::<i64>()
        };
        markings.iter().map(tokens).max().unwrap_or(0)
    };
    (0..net.places.len()).map(most).collect()
}

#[test]
fn coloured_nets_mean_what_their_definition_says() {
    let mut dice = SplitMix64::new(0xc0);
    let (mut compared, mut large, mut deads) = (0, 0, 0);
    while compared < 600 {
        let net = random(&mut dice);
        let Some((markings, dead)) = explore(&net) else {
            continue;
        };
        // Most of them end at once: a few of those are enough.
        if markings.len() < 4 && dice.below(10) != 0 {
            continue;
        }
        let text = pnml(&net);
        let bound = |p| {
            format!(
                "<property><id>b{p}</id><formula><place-bound><place>p{p}</place></place-bound></formula></property>"
            )
        };
        let bounded: String = (0..net.places.len()).map(bound).collect();
        let file = format!("<property-set>{bounded}</property-set>");
        let model =
            read(&text, &[("b.xml", &file)]).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let names: Vec<String> = (0..net.places.len()).map(|p| format!("b{p}")).collect();
        let mut properties: Vec<&str> = names.iter().map(String::as_str).collect();
        properties.push("deadlock");
        // That something can fire is the same as that the marking is not dead.
        let fires: Vec<String> = (0..net.transitions.len())
            .map(|t| format!("is-fireable(t{t})"))
            .collect();
        let alive = format!("[] ((deadlock) <-> !({}))", fires.join(" || "));
        let ltl = &[alive.as_str()][..];
        let found = ask(
            &*model,
            &Ask {
                properties: &properties,
                ltl,
                ..Ask::default()
            },
        );
        let by_name: HashMap<&str, _> = found.iter().map(|r| (r.name.as_str(), r)).collect();
        for (place, most) in bounds(&net, &markings).into_iter().enumerate() {
            let result = by_name[names[place].as_str()];
            assert_eq!(result.value, Some(Value::Number(most)), "{text}");
            assert_eq!(result.states, markings.len() as u64, "{text}");
        }
        assert_eq!(by_name["deadlock"].verdict.holds(), !dead, "{text}");
        assert!(by_name["formula_0"].verdict.holds(), "{text}");
        compared += 1;
        large += usize::from(markings.len() > 5);
        deads += usize::from(dead);
    }
    assert!(
        large > compared / 10,
        "{large} of {compared} have more than 5 markings"
    );
    assert!(
        deads > compared / 10 && deads < compared,
        "{deads} of {compared}"
    );
}
