//! States, messages and printed text as people read them.

use super::channel::{ChannelRef, read_scalar, resolve};
use super::expr::{Print, Scalar, Show};
use super::machine::{Env, Frame};
use super::{CodeId, Segment, Spec, Variable};
use crate::explicit::{Message, Value};

/// The visible variables of a state: globals, channels, then the variables of each process.
pub(crate) fn state(env: &mut Env<'_>, state: &[u8]) -> Vec<(String, Value)> {
    let program = env.program;
    let spec = &program.spec;
    let mut list = Vec::new();
    for variable in spec
        .globals
        .iter()
        .filter(|v| !v.hidden && !v.path.is_empty())
    {
        let value = variable_value(spec, variable, state, 0);
        if variable.scalar.show != Show::Channel {
            list.push((variable_name(variable), value));
        }
    }
    let shape = std::sync::Arc::clone(env.shapes.of(state));
    for (index, channel) in shape.channels.iter().enumerate() {
        let kind = &spec.channel_types[channel.kind as usize];
        if kind.capacity == 0 {
            continue;
        }
        let reference = ChannelRef {
            kind,
            offset: channel.offset as usize,
        };
        let messages = (0..usize::from(reference.len(state))).map(|slot| {
            let fields = (0..kind.fields.len())
                .map(|f| show(spec, kind.fields[f], reference.field(state, slot, f)))
                .collect::<Vec<_>>();
            match <[Value; 1]>::try_from(fields) {
                Ok([single]) => single,
                Err(fields) => Value::List(fields),
            }
        });
        let messages = Value::List(messages.collect());
        list.push((channel_name(env, state, index), messages));
    }
    for (pid, &(process, base)) in shape.processes.iter().enumerate() {
        let definition = &spec.types[process.0 as usize];
        for variable in definition.variables.iter().filter(|v| !v.hidden) {
            if variable.scalar.show == Show::Channel && variable.path.len() == 1 {
                let own = definition
                    .channels
                    .iter()
                    .any(|c| c.variable == variable.offset);
                if own {
                    continue;
                }
            }
            let name = format!("{}[{pid}]:{}", definition.name, variable_name(variable));
            list.push((name, variable_value(spec, variable, state, base)));
        }
    }
    list
}

fn variable_name(variable: &Variable) -> String {
    let names: Vec<&str> = variable.path.iter().map(|s| s.name.as_str()).collect();
    names.join(".")
}

fn variable_value(spec: &Spec, variable: &Variable, state: &[u8], base: u32) -> Value {
    elements(
        spec,
        &variable.path,
        variable.scalar,
        state,
        (base + variable.offset) as usize,
    )
}

fn elements(spec: &Spec, path: &[Segment], scalar: Scalar, state: &[u8], at: usize) -> Value {
    match path {
        [] => show(spec, scalar, read_scalar(&state[at..], scalar)),
        [first, rest @ ..] => match first.dimension {
            None => elements(spec, rest, scalar, state, at),
            Some((len, stride)) => Value::List(
                (0..len)
                    .map(|i| elements(spec, rest, scalar, state, at + (i * stride) as usize))
                    .collect(),
            ),
        },
    }
}

/// A value in the words of the model.
pub(crate) fn show(spec: &Spec, scalar: Scalar, value: i32) -> Value {
    match scalar.show {
        Show::Number | Show::Channel => Value::Number(value.into()),
        Show::Truth => Value::Truth(value != 0),
        Show::Enum(index) => {
            let names = spec.enums.get(usize::from(index));
            let name = names.and_then(|names| names.iter().find(|(v, _)| *v == value));
            name.map_or(Value::Number(value.into()), |(_, name)| {
                Value::Text(name.clone())
            })
        }
    }
}

/// The name of a channel: that of the variable it was created for.
fn channel_name(env: &mut Env<'_>, state: &[u8], index: usize) -> String {
    let program = env.program;
    let shape = env.shapes.of(state);
    let Some(channel) = shape.channels.get(index) else {
        return format!("channel {}", index + 1);
    };
    match channel.owner {
        None => program.spec.channels[usize::from(channel.index)]
            .name
            .clone(),
        Some(pid) => {
            let process = shape.processes[usize::from(pid)].0;
            let definition = &program.spec.types[process.0 as usize];
            let name = &definition.channels[usize::from(channel.index)].name;
            format!("{}[{pid}]:{name}", definition.name)
        }
    }
}

/// A message that is sent or received in a state.
pub(crate) fn message(
    env: &mut Env<'_>,
    state: &[u8],
    id: i32,
    sent: bool,
    fields: &[i32],
) -> Message {
    let name = channel_name(env, state, (id - 1).max(0) as usize);
    let spec = &env.program.spec;
    let fields = match resolve(env, state, id) {
        Ok(channel) => fields
            .iter()
            .zip(&channel.kind.fields)
            .map(|(&value, &scalar)| show(spec, scalar, value))
            .collect(),
        Err(_) => fields.iter().map(|&v| Value::Number(v.into())).collect(),
    };
    Message {
        channel: id as u8,
        name,
        sent,
        fields,
    }
}

/// What a `printf` prints.
pub(crate) fn print(
    env: &mut Env<'_>,
    print: &(Print, Vec<CodeId>),
    state: &[u8],
    frame: Frame,
) -> String {
    let mut values = print.1.iter().zip(&print.0.arguments);
    let mut text = String::new();
    let mut chars = print.0.format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        let Some(directive) = chars.next() else { break };
        if directive == '%' {
            text.push('%');
            continue;
        }
        let Some((&code, (_, kind))) = values.next() else {
            continue;
        };
        let Ok(value) = env.value(code, state, frame) else {
            continue;
        };
        text.push_str(&match directive {
            'c' => char::from(value as u8).to_string(),
            'u' => (value as u32).to_string(),
            'x' => format!("{value:x}"),
            'o' => format!("{value:o}"),
            'e' => {
                let scalar = Scalar::signed(4).shown(*kind);
                match show(&env.program.spec, scalar, value) {
                    Value::Text(name) => name,
                    _ => value.to_string(),
                }
            }
            _ => value.to_string(),
        });
    }
    text
}
