//! SVG of the community: pictures as records, which `ALIAS` shows for each state. They are values like others; files are not
//! written.

use super::args::{Result, function_values, number, pairs, text};
use super::numbers::divide;
use super::tlc::combine;
use super::{Host, MachineOperator, StandardModule, StandardOperator, machine, native};
use crate::failure::Failure;
use crate::value::{Value, room_for_text};

pub(super) const MODULES: &[StandardModule] = &[StandardModule {
    name: "SVG",
    extends: &[],
    operators: SVG,
}];

const SVG: &[StandardOperator] = &[
    native("SVGElem", &[0, 0, 0, 0], |host, args| {
        element(host, [&args[0], &args[1], &args[2], &args[3]])
    }),
    native("Line", &[0, 0, 0, 0, 0], |host, args| {
        let own = shown(host, &["x1", "y1", "x2", "y2"], args)?;
        shape(host, "line", own, &args[4], None)
    }),
    native("Circle", &[0, 0, 0, 0], |host, args| {
        let own = shown(host, &["cx", "cy", "r"], args)?;
        shape(host, "circle", own, &args[3], None)
    }),
    native("Rect", &[0, 0, 0, 0, 0], |host, args| {
        let own = shown(host, &["x", "y", "width", "height"], args)?;
        shape(host, "rect", own, &args[4], None)
    }),
    native("Text", &[0, 0, 0, 0], |host, args| {
        let own = shown(host, &["x", "y"], args)?;
        shape(host, "text", own, &args[3], Some(&args[2]))
    }),
    native("Image", &[0, 0, 0, 0, 0, 0], |host, args| {
        let mut own = shown(host, &["x", "y", "width", "height"], args)?;
        own.push(("xlink:href", args[4].clone()));
        shape(host, "image", own, &args[5], None)
    }),
    native("Group", &[0, 0], |host, args| {
        container(host, "g", &args[1], &args[0])
    }),
    native("Svg", &[0, 0], |host, args| {
        container(host, "svg", &args[1], &args[0])
    }),
    native("SVGDoc", &[0, 0, 0, 0, 0, 0], document),
    native("SVGElemToString", &[0], |host, args| {
        let mut out = String::new();
        write(host, &args[0], &mut out)?;
        Ok(Value::Text(host.text(&out)))
    }),
    native("NodeOfRingNetwork", &[0, 0, 0, 0, 0], on_ring),
    machine(
        "NodesOfDirectedMultiGraph",
        &[0, 0, 0],
        MachineOperator::Unsupported("graphs are not laid out"),
    ),
    native("PointOnLine", &[0, 0, 0], on_line),
    machine(
        "SVGSerialize",
        &[0, 0, 0],
        MachineOperator::Unsupported("files are not read or written"),
    ),
];

type Attributes = Vec<(&'static str, Value)>;

/// Numbers as attributes.
fn shown(host: &mut dyn Host, names: &[&'static str], values: &[Value]) -> Result<Attributes> {
    let mut all = Vec::new();
    for (name, value) in names.iter().zip(values) {
        let text = value.spelled(host.names())?;
        all.push((*name, Value::Text(host.text(&text))));
    }
    Ok(all)
}

/// An element as a record: its name, its attributes, its children, its text.
fn element(host: &mut dyn Host, [name, attrs, children, inner]: [&Value; 4]) -> Result<Value> {
    let fields = [
        ("name", name),
        ("attrs", attrs),
        ("children", children),
        ("innerText", inner),
    ];
    let fields = fields.map(|(field, value)| (host.text(field), value.clone()));
    Value::record(fields.to_vec()).within_limits()
}

/// An element without children: its own attributes, then those that are given.
fn shape(
    host: &mut dyn Host,
    name: &str,
    own: Attributes,
    given: &Value,
    inner: Option<&Value>,
) -> Result<Value> {
    let own = own
        .into_iter()
        .map(|(name, value)| (host.text(name), value));
    let attrs = combine(&Value::record(own.collect()), given)?;
    let name = Value::Text(host.text(name));
    let empty = Value::Text(host.text(""));
    let children = Value::tuple(Vec::new());
    element(host, [&name, &attrs, &children, inner.unwrap_or(&empty)])
}

fn container(host: &mut dyn Host, name: &str, attrs: &Value, children: &Value) -> Result<Value> {
    let name = Value::Text(host.text(name));
    let empty = Value::Text(host.text(""));
    element(host, [&name, attrs, children, &empty])
}

fn document(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let corners = args[1..5].iter();
    let corners = corners.map(|value| value.spelled(host.names()));
    let view = corners.collect::<Result<Vec<_>>>()?.join(" ");
    room_for_text(view.len())?;
    let own = [
        ("xmlns", "http://www.w3.org/2000/svg"),
        ("xmlns:xlink", "http://www.w3.org/1999/xlink"),
        ("viewBox", &view),
    ];
    let own = own.map(|(name, value)| (host.text(name), Value::Text(host.text(value))));
    let attrs = combine(&Value::record(own.to_vec()), &args[5])?;
    container(host, "svg", &attrs, &Value::tuple(vec![args[0].clone()]))
}

/// An element as text, with its children.
fn write(host: &mut dyn Host, value: &Value, out: &mut String) -> Result<()> {
    evenhand_source::spend();
    room_for_text(out.len())?;
    let operator = "SVGElemToString";
    let mut field = |name: &str| {
        let name = host.text(name);
        value.field(name)
    };
    let (name, attrs) = (field("name")?, field("attrs")?);
    let (children, inner) = (field("children")?, field("innerText")?);
    let name = host.names().text(text(operator, &name)?).to_string();
    out.push('<');
    out.push_str(&name);
    for (key, value) in pairs(operator, &attrs)? {
        let (key, value) = (text(operator, &key)?, text(operator, &value)?);
        let key = host.names().text(key).replace('_', "-");
        out.push_str(&format!(" {key}='{}'", host.names().text(value)));
    }
    out.push('>');
    let inner = host.names().text(text(operator, &inner)?);
    out.push_str(&inner.replace("<<", "&lt;&lt;").replace(">>", "&gt;&gt;"));
    for child in function_values(operator, &children)? {
        write(host, child, out)?;
    }
    out.push_str(&format!("</{name}>"));
    Ok(())
}

fn point(host: &mut dyn Host, x: i32, y: i32) -> Result<Value> {
    let (first, second) = (host.text("x"), host.text("y"));
    Ok(Value::record(vec![(first, x.into()), (second, y.into())]))
}

/// One of `m` places on a circle.
fn on_ring(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let operator = "NodeOfRingNetwork";
    let numbers = args
        .iter()
        .map(|value| Ok(f64::from(number(operator, value)?)));
    let numbers = numbers.collect::<Result<Vec<f64>>>()?;
    let [x, y, radius, node, nodes] = numbers[..] else {
        return Err(Failure::new("NodeOfRingNetwork needs five numbers"));
    };
    let angle = std::f64::consts::TAU / nodes * node;
    let (sine, cosine) = angle.sin_cos();
    point(
        host,
        (x + radius * cosine) as i32,
        (y + radius * sine) as i32,
    )
}

/// A part of the way from one point to another.
fn on_line(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let operator = "PointOnLine";
    let part = i64::from(number(operator, &args[2])?);
    let mut way = |name: &str| -> Result<i32> {
        let name = host.text(name);
        let from = i64::from(number(operator, &args[0].field(name)?)?);
        let to = i64::from(number(operator, &args[1].field(name)?)?);
        i32::try_from(from + divide(to - from, part)?)
            .map_err(|_| Failure::new("a point is too far away"))
    };
    let (x, y) = (way("x")?, way("y")?);
    point(host, x, y)
}
