//! Operators that are no functions of the state: registers, printing, time, random draws.

use std::collections::HashMap;

use evenhand_source::{Span, SplitMix64};

use super::Machine;
use crate::code::{Code, Slot};
use crate::failure::{Failure, FailureKind};
use crate::history::add_line;
use crate::names::Symbol;
use crate::standard::MachineOperator;
use crate::value::Value;

/// What an evaluation leaves behind, and what it finds.
#[derive(Clone, Debug)]
pub(crate) struct Registers {
    numbered: HashMap<i32, Value>,
    /// Those with names, which begin with `s:`.
    named: HashMap<Symbol, Value>,
    /// What `TLCCache` keeps, by the places of the expression and of its closure, and the value of that.
    cached: Vec<((Span, Span), Value, Value)>,
    /// What was printed.
    pub printed: Vec<String>,
    random: SplitMix64,
    /// The level of the state at hand, where it is known.
    pub level: Option<u32>,
    /// What was explored, where somebody counts.
    pub statistics: Option<Statistics>,
    /// Whether a state without steps is an error.
    pub deadlock: bool,
}

/// What was explored so far, as TLC counts it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Statistics {
    pub initial: u32,
    pub generated: u32,
    pub distinct: u32,
    pub queue: u32,
    pub diameter: u32,
}

impl Default for Registers {
    fn default() -> Registers {
        Registers {
            numbered: HashMap::new(),
            named: HashMap::new(),
            cached: Vec::new(),
            printed: Vec::new(),
            random: SplitMix64::new(0),
            level: None,
            statistics: None,
            deadlock: true,
        }
    }
}

impl Registers {
    pub fn random(&mut self, below: u64) -> u64 {
        self.random.number() % below.max(1)
    }
}

impl MachineOperator {
    /// Whether its value is no function of its arguments and the state.
    pub(crate) fn is_impure(self) -> bool {
        !matches!(
            self,
            MachineOperator::Assert
                | MachineOperator::Eval
                | MachineOperator::AssertEq
                | MachineOperator::Defer
        ) && !self.is_drawn()
    }

    /// Whether it may have another value in the same state, or change what others have.
    pub(crate) fn has_memory(self) -> bool {
        use MachineOperator as Op;
        let counted = matches!(self, Op::Set | Op::GetOrDefault | Op::GetAndSet);
        counted
            || matches!(self, Op::Get | Op::GetNext)
            || self.is_drawn()
            || matches!(self, Op::Time)
    }

    /// Whether it may read what is known of the search.
    pub(crate) fn reads_search(self) -> bool {
        use MachineOperator as Op;
        let reads = matches!(self, Op::GetOrDefault | Op::GetAndSet);
        reads || matches!(self, Op::Get | Op::GetNext)
    }

    /// Whether it may print.
    pub(crate) fn prints(self) -> bool {
        use MachineOperator as Op;
        matches!(self, Op::Print | Op::PrintT | Op::AssertEq)
    }

    /// Whether its value is drawn at random.
    pub(crate) fn is_drawn(self) -> bool {
        matches!(self, MachineOperator::Draw(_))
    }
}

/// How the names of registers begin.
const NAMED: &str = "s:";

/// Lines that are kept.
const MOST_LINES: usize = 1000;

impl<'c> Machine<'c> {
    #[inline(never)]
    pub(super) fn special(
        &mut self,
        what: MachineOperator,
        args: &'c [Code],
        base: usize,
    ) -> Result<Value, Failure> {
        match (what, args) {
            (MachineOperator::Assert, [condition, out]) => match self.truth(condition, base)? {
                true => Ok(Value::Truth(true)),
                false => {
                    let out = self.plain(out, base)?;
                    let text = match out {
                        Value::Text(text) => self.names.text(text).to_string(),
                        other => other.told(self.names),
                    };
                    Err(Failure::of(
                        FailureKind::Assertion,
                        format!("assertion violated: {text}"),
                    ))
                }
            },
            (MachineOperator::AssertEq, [a, b]) => {
                let a = self.plain(a, base)?;
                let b = self.plain(b, base)?;
                let same = a.equal(&b)?;
                if !same {
                    let text =
                        format!("{} differs from {}", a.told(self.names), b.told(self.names));
                    self.print(text);
                }
                Ok(Value::Truth(same))
            }
            (MachineOperator::AssertError, [message, expression]) => {
                let message = self.plain(message, base)?;
                let failed = self.plain(expression, base);
                let told = failed.err().map(|failure| failure.told(self.names));
                let wanted = match message {
                    Value::Text(text) => self.names.text(text).to_string(),
                    _ => String::new(),
                };
                Ok(Value::Truth(told.is_some_and(|told| told == wanted)))
            }
            (MachineOperator::Print, [out, value]) => {
                let out = self.plain(out, base)?;
                let value = self.eval(value, base)?;
                let text = format!("{}  {}", out.told(self.names), value.told(self.names));
                self.print(text);
                Ok(value)
            }
            (MachineOperator::PrintT, [out]) => {
                let out = self.plain(out, base)?;
                let text = out.told(self.names);
                self.print(text);
                Ok(Value::Truth(true))
            }
            (MachineOperator::Get, [register]) => {
                let register = self.plain(register, base)?;
                self.get(&register)
            }
            (MachineOperator::GetNext, [register]) => {
                let register = self.plain(register, base)?;
                let level = self.registers.level;
                self.registers.level = level.map(|level| level.saturating_add(1));
                let value = self.get(&register);
                self.registers.level = level;
                value
            }
            (MachineOperator::GetOrDefault, [register, value]) => {
                let register = self.plain(register, base)?;
                match self.get(&register) {
                    Ok(value) => Ok(value),
                    Err(_) => self.plain(value, base),
                }
            }
            (MachineOperator::Set, [register, value]) => {
                let register = self.plain(register, base)?;
                let value = self.plain(value, base)?;
                self.set_register(&register, value)
            }
            (MachineOperator::Eval | MachineOperator::Defer, [value, ..]) => {
                let value = self.plain(value, base)?;
                value.normal()
            }
            (MachineOperator::Cache, [value, closure]) => {
                // What a name or a variable decides is evaluated again: its closure is there to say so.
                let is_alone = value.facts.rows == 0 && value.facts.lowest == Slot::MAX;
                if !is_alone {
                    return self.plain(value, base);
                }
                let place = (value.span, closure.span);
                let closure = self.plain(closure, base)?.normal()?;
                for (own, at, known) in &self.registers.cached {
                    if *own == place && at.equal(&closure) == Ok(true) {
                        return Ok(known.clone());
                    }
                }
                let found = self.plain(value, base)?;
                self.registers.cached.push((place, closure, found.clone()));
                Ok(found)
            }
            (MachineOperator::Time, _) => {
                let now = std::time::SystemTime::now();
                let since = now.duration_since(std::time::UNIX_EPOCH);
                let seconds = since.map_or(0, |time| time.as_secs() & 0x7fff_ffff);
                Ok(Value::Number(i32::try_from(seconds).unwrap_or(0)))
            }
            (MachineOperator::ModelValue, [name]) => match self.plain(name, base)? {
                Value::Text(text) => Ok(Value::model(text, self.names.text(text))),
                other => Err(Failure::new(format!("{} is no string", other.quoted()))),
            },
            (MachineOperator::Fingerprint, [value]) => {
                let value = self.plain(value, base)?.normal()?;
                Ok(Value::Number((value.hash64() & 0x7fff_ffff) as i32))
            }
            (MachineOperator::Draw(native), args) => {
                let mut values = Vec::with_capacity(args.len());
                for arg in args {
                    values.push(self.plain(arg, base)?);
                }
                self.draw(native, &values, base)
            }
            (MachineOperator::Proof, _) => Ok(Value::Truth(true)),
            (MachineOperator::Unsupported(reason), _) => Err(Failure::new(reason)),
            (what, _) => Err(Failure::new(format!("`{what:?}` cannot be evaluated here"))),
        }
    }

    /// A value that is listed.
    fn plain(&mut self, code: &'c Code, base: usize) -> Result<Value, Failure> {
        let value = self.eval(code, base)?;
        self.settled(value)
    }

    fn print(&mut self, text: String) {
        add_line(&mut self.registers.printed, MOST_LINES, text);
    }

    fn set_register(&mut self, register: &Value, value: Value) -> Result<Value, Failure> {
        let name = match register {
            Value::Text(name) => self.names.text(*name),
            _ => "",
        };
        match (register, name) {
            (Value::Number(number), _) => {
                self.registers.numbered.insert(*number, value);
            }
            (Value::Text(symbol), name) if name.starts_with(NAMED) => {
                self.registers.named.insert(*symbol, value);
            }
            // Whoever stops has seen a part.
            (_, "exit") if matches!(value, Value::Truth(true)) => {
                return Err(Failure::limit("the specification ends the search"));
            }
            (_, "exit") => {}
            _ => {
                let text = format!("{} is no register that can be set", register.quoted());
                return Err(Failure::new(text));
            }
        }
        Ok(Value::Truth(true))
    }

    /// The values of registers, each as the list of those that workers have: there is one.
    fn all_registers(registers: impl Iterator<Item = (Value, Value)>) -> Result<Value, Failure> {
        let each = registers.map(|(register, value)| (register, Value::tuple(vec![value])));
        Value::function(each.collect())
    }

    fn get(&mut self, register: &Value) -> Result<Value, Failure> {
        match register {
            Value::Number(number) => match self.registers.numbered.get(number) {
                Some(value) => Ok(value.clone()),
                None => Err(Failure::new(format!("register {number} was never set"))),
            },
            Value::Text(name) => self.statistic(*name),
            other => Err(Failure::new(format!("{} is no register", other.quoted()))),
        }
    }

    /// What `TLCGet` has under a name. Time stands still: nothing may depend on it.
    fn statistic(&mut self, name: Symbol) -> Result<Value, Failure> {
        let text = self.names.text(name);
        let number = |number: u32| Value::Number(i32::try_from(number).unwrap_or(i32::MAX));
        let value = match (text, self.registers.level, self.registers.statistics) {
            ("level", Some(level), _) => Some(number(level)),
            ("duration", ..) => Some(number(0)),
            ("config", ..) => {
                let mode = Value::Text(self.names.intern_late("bfs"));
                let fields = [
                    ("mode", mode),
                    ("deadlock", Value::Truth(self.registers.deadlock)),
                    ("worker", number(1)),
                ];
                let fields = fields.into_iter();
                let named = fields.map(|(field, value)| (self.names.intern_late(field), value));
                return Ok(Value::record(named.collect()));
            }
            ("all", ..) => {
                let registers = self.registers.numbered.iter();
                let registers =
                    registers.map(|(&place, value)| (number(place as u32), value.clone()));
                return Self::all_registers(registers);
            }
            ("all:named", ..) => {
                let registers = self.registers.named.iter();
                let registers = registers.map(|(&name, value)| (Value::Text(name), value.clone()));
                return Self::all_registers(registers);
            }
            (named, ..) if named.starts_with(NAMED) => self.registers.named.get(&name).cloned(),
            ("diameter", _, Some(known)) => Some(number(known.diameter)),
            ("generated", _, Some(known)) => Some(number(known.generated)),
            ("distinct", _, Some(known)) => Some(number(known.distinct)),
            ("queue", _, Some(known)) => Some(number(known.queue)),
            ("stats", _, Some(known)) => {
                let fields = [
                    ("queue", known.queue),
                    ("distinct", known.distinct),
                    ("initial", known.initial),
                    ("generated", known.generated),
                    ("diameter", known.diameter),
                    ("duration", 0),
                    ("worker", 0),
                ];
                let fields = fields.into_iter().map(|(field, count)| {
                    let field = self.names.intern_late(field);
                    (Value::Text(field), number(count))
                });
                return Value::function(fields.collect());
            }
            _ => None,
        };
        value.ok_or_else(|| {
            Failure::new(format!(
                "TLCGet(\"{text}\") has no value here: it is no function of the state"
            ))
        })
    }
}
