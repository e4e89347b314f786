//! `evenhand engines`: what can decide temporal properties.

use evenhand_explicit::emptiness::engines;

use super::print;
use crate::Exit;

pub(crate) fn run() -> Exit {
    let all = engines::<1>();
    let width = all.iter().map(|e| e.name().len()).max().unwrap_or(0).max(8);
    for (number, engine) in all.iter().enumerate() {
        let default = if number == 0 { " (default)" } else { "" };
        print(&format!(
            "{:<width$}  {}{default}\n",
            engine.name(),
            engine.about()
        ));
    }
    print(&format!(
        "{:<width$}  sets of states as decision diagrams, for any model (default for large SMV models)\n",
        "symbolic"
    ));
    Exit::Holds
}
