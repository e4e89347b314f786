//! Modules whose operators reach outside: files, processes, pictures. They exist, so that specifications with a line for them
//! can be read; whoever evaluates one is told what is missing.

use super::args::{text, wrong};
use super::{MachineOperator, StandardModule, StandardOperator, machine, native};
use crate::value::Value;

pub(super) const MODULES: &[StandardModule] = &[
    StandardModule {
        name: "IOUtils",
        extends: &[],
        operators: IO,
    },
    StandardModule {
        name: "CSV",
        extends: &[],
        operators: CSV,
    },
    StandardModule {
        name: "Statistics",
        extends: &["Naturals"],
        operators: &[machine("ChiSquare", &[0, 0, 0], PICTURES)],
    },
    StandardModule {
        name: "GraphViz",
        extends: &[],
        operators: &[machine("DotDiGraph", &[0, 1, 1], PICTURES)],
    },
    StandardModule {
        name: "VectorClocks",
        extends: &["Naturals", "Sequences", "Functions"],
        operators: &[
            machine("IsCausalOrder", &[0, 1], CLOCKS),
            machine("CausalOrder", &[0, 1, 1, 1], CLOCKS),
        ],
    },
    StandardModule {
        name: "Toolbox",
        extends: &[],
        operators: &[
            machine("_TETrace", &[], TOOLBOX),
            machine("_TEPosition", &[], TOOLBOX),
        ],
    },
    StandardModule {
        name: "ShiViz",
        extends: &["Toolbox"],
        operators: &[
            machine("Host", &[], TOOLBOX),
            machine("Clock", &[], TOOLBOX),
        ],
    },
    StandardModule {
        name: "RealTime",
        extends: &["Reals"],
        operators: &[
            machine("RTBound", &[0, 0, 0, 0], REAL_TIME),
            machine("RTnow", &[0], REAL_TIME),
        ],
    },
];

const FILES: MachineOperator = MachineOperator::Unsupported("files are not read or written");
const PROCESSES: MachineOperator = MachineOperator::Unsupported("no other programs are called");
const PICTURES: MachineOperator = MachineOperator::Unsupported("pictures are not drawn");
const CLOCKS: MachineOperator = MachineOperator::Unsupported("logs are not put in order");
const TOOLBOX: MachineOperator = MachineOperator::Unsupported("no trace of the Toolbox is known");
const REAL_TIME: MachineOperator = MachineOperator::Unsupported("time that is real has no values");

const IO: &[StandardOperator] = &[
    machine("IOSerialize", &[0, 0, 0], FILES),
    machine("IODeserialize", &[0, 0], FILES),
    machine("Serialize", &[0, 0, 0], FILES),
    machine("Deserialize", &[0, 0], FILES),
    machine("IOExec", &[0], PROCESSES),
    machine("IOEnvExec", &[0, 0], PROCESSES),
    machine("IOExecTemplate", &[0, 0], PROCESSES),
    machine("IOEnvExecTemplate", &[0, 0, 0], PROCESSES),
    // A specification means the same everywhere, so it sees no environment.
    native("IOEnv", &[], |_, _| Ok(Value::tuple(Vec::new()))),
    native("atoi", &[0], |host, args| {
        let digits = host.names().text(text("atoi", &args[0])?);
        let number = digits.parse().ok();
        number
            .map(Value::Number)
            .ok_or_else(|| wrong("atoi", "the digits of a number", &args[0]))
    }),
    native("zeroPadN", &[0, 0], |host, args| {
        let width = super::args::number("zeroPadN", &args[1])?;
        let digits = args[0].spelled(host.names())?;
        let missing = (width.max(0) as usize).saturating_sub(digits.chars().count());
        let padded = "0".repeat(missing.min(1000)) + &digits;
        Ok(Value::Text(host.text(&padded)))
    }),
];

const CSV: &[StandardOperator] = &[
    machine("CSVWrite", &[0, 0, 0], FILES),
    machine("CSVWriteRecord", &[0, 0, 0, 0], FILES),
    machine("CSVRead", &[0, 0, 0], FILES),
    machine("CSVRecords", &[0], FILES),
];
