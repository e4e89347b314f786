//! The command: what it says, writes and decides, against what was read, peers and other engines.

mod advise_models;
mod automata_commands;
mod book;
mod destinations;
mod errors;
mod every_engine;
mod hints;
mod hostile_text;
mod html_report;
mod json_runs;
mod limits;
mod never_silent;
mod printed;
mod promela_corpus;
mod promela_models;
mod retrace;
mod simulate;
mod smv_differential;
mod smv_models;
mod spin_differential;
mod standard_input;
mod states_engines;
mod stretches;
mod terminal;
mod trails;
mod verdicts_first;
