//! Checks the properties of an SMV model with the symbolic engine and prints one line for each.
//!
//! `cargo run --release -p evenhand-symbolic --example check_smv -- FILE [OPTION…]`, where the
//! options are `forward`, `bidirectional`, `one-step`, `relation` (the variant of FEASIBLE),
//! `justice`, `antecedent` (how compassion is handled), `no-sift`, `sift=NODES`, `memory=BYTES`,
//! `seconds=N`, `states`, `total`.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use evenhand_smv::{SmvModel, SmvPropertyKind};
use evenhand_source::Files;
use evenhand_symbolic::{CompassionAs, DeadEnds, Direction, Options, Restriction, Stop, Symbolic};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(name) = arguments.next() else {
        eprintln!("which model?");
        return ExitCode::from(2);
    };
    let mut options = Options::default();
    let (mut states, mut total) = (false, false);
    for argument in arguments {
        match argument.as_str() {
            "forward" => options.method.direction = Direction::Forward,
            "backward" => options.method.direction = Direction::Backward,
            "bidirectional" => options.method.direction = Direction::Bidirectional,
            "one-step" => options.method.dead_ends = DeadEnds::OneStep,
            "relation" => options.method.restriction = Restriction::Relation,
            "justice" => options.compassion = CompassionAs::Justice,
            "antecedent" => options.compassion = CompassionAs::Antecedent,
            "no-sift" => options.sift = None,
            "states" => states = true,
            "total" => total = true,
            other => match other
                .split_once('=')
                .map(|(key, n)| (key, n.parse::<u64>()))
            {
                Some(("sift", Ok(nodes))) => options.sift = Some(nodes as usize),
                Some(("memory", Ok(bytes))) => options.memory = bytes,
                Some(("seconds", Ok(n))) => options.time = Some(Duration::from_secs(n)),
                _ => {
                    eprintln!("what is `{other}`?");
                    return ExitCode::from(2);
                }
            },
        }
    }
    let Ok(bytes) = std::fs::read(&name) else {
        eprintln!("cannot read {name}");
        return ExitCode::from(2);
    };
    let mut files = Files::default();
    let file = files.add(&name, String::from_utf8_lossy(&bytes));
    let model = match evenhand_smv::load(files, file) {
        Ok(model) => model,
        Err((_, diagnostics)) => {
            for diagnostic in diagnostics {
                eprintln!("{}", diagnostic.message);
            }
            return ExitCode::from(2);
        }
    };
    match check(&model, options, states, total) {
        Ok(()) => ExitCode::SUCCESS,
        Err(stop) => {
            println!("unknown: {stop}");
            ExitCode::from(3)
        }
    }
}

fn check(model: &SmvModel, options: Options, states: bool, total: bool) -> Result<(), Stop> {
    let started = Instant::now();
    let mut engine = Symbolic::new(&model.relation, options)?;
    let seconds = || started.elapsed().as_secs_f64();
    println!("order: {}", engine.order().join(" "));
    println!("built {:.2} s, {:?}", seconds(), engine.statistics());
    if states {
        let reachable = engine.reachable()?;
        println!(
            "states {:?} {:.2} s {:?}",
            reachable.states,
            seconds(),
            engine.statistics()
        );
    }
    if total {
        let answer = engine.total()?;
        println!("total {} {:.2} s", answer.holds, seconds());
    }
    let proposition = |atom| model.proposition(atom);
    for property in &model.properties {
        let name = &property.name;
        let formulas = &model.formulas;
        let f = property.formula;
        let answer = match &property.kind {
            SmvPropertyKind::Invariant { step: Some(step) } => engine.step_invariant(*step)?,
            SmvPropertyKind::Invariant { step: None } => {
                let always = &mut formulas.clone();
                let f = always.globally(f);
                let f = always.path(evenhand_logic::Quantifier::All, f);
                engine.ctl_star(always, f, &proposition)?
            }
            SmvPropertyKind::Ltl | SmvPropertyKind::Psl { branching: false } => {
                engine.ltl(formulas, f, &proposition)?
            }
            SmvPropertyKind::Ctl | SmvPropertyKind::Psl { branching: true } => {
                engine.ctl_star(formulas, f, &proposition)?
            }
            SmvPropertyKind::Compute { minimum, to } => {
                let (length, _) = engine.compute(formulas, (f, *to), *minimum, &proposition)?;
                println!("{name} {length:?} {:.2} s", seconds());
                continue;
            }
        };
        let lasso = answer.run.as_ref().map(|r| (r.states.len(), r.turn));
        println!("{name} {} lasso {lasso:?} {:.2} s", answer.holds, seconds());
        println!("  {:?}", answer.statistics);
    }
    Ok(())
}
