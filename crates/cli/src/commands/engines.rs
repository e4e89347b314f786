//! `evenhand engines`: what can decide temporal properties.

use evenhand_verify::{SYMBOLIC, engines};

use crate::console::print;
use crate::outcome::Outcome;

pub(crate) fn run() -> Outcome {
    let all: Vec<_> = engines().iter().filter(|e| e.has_choice()).collect();
    let width = all.iter().map(|e| e.name().len()).max().unwrap_or(0);
    for (number, engine) in all.iter().enumerate() {
        let default = match number {
            0 => " (default)",
            _ if engine.name() == SYMBOLIC => {
                " (by default in turns with the first, for SMV models)"
            }
            _ => "",
        };
        print(&format!(
            "{:<width$}  {}{default}\n",
            engine.name(),
            engine.about()
        ));
    }
    Outcome::Holds
}
