//! A program and a formula from the command line, for examples that measure.

use evenhand_promela::Promela;
use evenhand_source::Files;
use evenhand_system::{
    Explicit, Fairness, Formula, Language, Linear, ReadOptions, Request, Wanted, What,
};

/// Reads `MODEL.pml PROPERTY [NAME=VALUE…] [fair:SPEC…]`. A property is a name, a formula of linear time, or one of
/// branching time behind `ctl:`.
pub fn with_formula(
    arguments: &mut dyn Iterator<Item = String>,
    work: impl FnOnce(&str, &dyn Explicit, &Formula, &Fairness),
) {
    let usage = "MODEL.pml PROPERTY [NAME=VALUE…] [fair:SPEC…]";
    let (file, property) = (
        arguments.next().expect(usage),
        arguments.next().expect(usage),
    );
    let mut options = ReadOptions::default();
    let mut request = Request::default();
    for argument in arguments {
        match (argument.strip_prefix("fair:"), argument.split_once('=')) {
            (Some(fair), _) => request.fair.push(fair.to_string()),
            (None, Some((name, value))) => {
                let define = (name.to_string(), Some(value.to_string()));
                options.defines.push(define);
            }
            (None, None) => panic!("{usage}"),
        }
    }
    request.properties = Wanted::Named(Vec::new());
    match property.strip_prefix("ctl:") {
        Some(formula) => request.branching.push(formula.to_string()),
        None if property.contains(' ') => request.linear.push(property),
        None => request.properties = Wanted::Named(vec![property]),
    }
    let mut files = Files::new();
    let text = std::fs::read_to_string(&file).expect("the model can be read");
    let main = files.add(&*file, text);
    let read = Promela.read(files, main, &options);
    let read = read.unwrap_or_else(|wrong| panic!("{wrong}"));
    let inquiry = read.resolve(&request);
    let inquiry = inquiry.unwrap_or_else(|wrong| panic!("{wrong}"));
    let processes = inquiry.meaning.processes().0;
    let fairness = inquiry.meaning.fairness(&inquiry.assumptions, processes);
    let fairness = fairness.unwrap_or_else(|wrong| panic!("{wrong}"));
    let (What::Linear(Linear::Formula(formula)) | What::Branching(formula)) =
        &inquiry.questions[0].what
    else {
        panic!("the property is no formula");
    };
    let system = inquiry.body.explicit().expect("a program");
    work(&file, system, formula, &fairness);
}
