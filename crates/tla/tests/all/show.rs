//! Trees as text, with all parentheses.

use evenhand_source::{Diagnostic, Files};
use evenhand_tla::names::{Names, Symbol};
use evenhand_tla::syntax::ast::{
    Bound, Bounds, Declared, Expr, ExprKind, Ident, Instance, Module, Pattern, Place, Quantifier,
    Segment, Selector, Unit,
};
use evenhand_tla::syntax::parser;

/// The tree of an expression, or what is wrong with it.
pub fn tree(text: &str) -> String {
    let mut files = Files::new();
    let file = files.add("e", text);
    let mut names = Names::new();
    match parser::expression(&files, file, &mut names) {
        Ok(expr) => Show(&names).expr(&expr),
        Err(problems) => told(&files, &problems),
    }
}

/// The tree of a module, a line for each unit, and what is wrong with it.
pub fn units(text: &str) -> String {
    let mut files = Files::new();
    let file = files.add("M", text);
    let mut names = Names::new();
    let Some(read) = parser::module(&files, file, 0, &mut names) else {
        return "no module".to_string();
    };
    let mut lines = read
        .module
        .map_or(Vec::new(), |module| Show(&names).module(&module));
    lines.extend(
        read.problems
            .iter()
            .map(|problem| told(&files, std::slice::from_ref(problem))),
    );
    lines.join("\n")
}

/// Problems as people read them.
pub fn told(files: &Files, problems: &[Diagnostic]) -> String {
    let one = |problem: &Diagnostic| {
        let place = problem
            .span
            .map(|span| format!("{}: ", files.position(span)));
        let help = problem.help.as_ref().map(|help| format!(" ({help})"));
        format!(
            "{}{}{}",
            place.unwrap_or_default(),
            problem.message,
            help.unwrap_or_default()
        )
    };
    problems.iter().map(one).collect::<Vec<_>>().join("; ")
}

struct Show<'n>(&'n Names);

impl Show<'_> {
    fn name(&self, symbol: Symbol) -> &str {
        self.0.text(symbol)
    }

    fn ident(&self, ident: &Ident) -> &str {
        self.name(ident.name)
    }

    fn idents(&self, all: &[Ident]) -> String {
        let all: Vec<&str> = all.iter().map(|ident| self.ident(ident)).collect();
        all.join(", ")
    }

    fn several(&self, all: &[Expr]) -> String {
        let all: Vec<String> = all.iter().map(|expr| self.expr(expr)).collect();
        all.join(", ")
    }

    fn pattern(&self, pattern: &Pattern) -> String {
        match pattern {
            Pattern::Name(ident) => self.ident(ident).to_string(),
            Pattern::Tuple(all) => format!("<<{}>>", self.idents(all)),
        }
    }

    fn bounds(&self, bounds: &[Bound]) -> String {
        let one = |bound: &Bound| {
            let patterns: Vec<String> = bound
                .patterns
                .iter()
                .map(|pattern| self.pattern(pattern))
                .collect();
            format!("{} \\in {}", patterns.join(", "), self.expr(&bound.set))
        };
        bounds.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    fn fields(&self, fields: &[(Ident, Expr)], sign: &str) -> String {
        let one = |(field, value): &(Ident, Expr)| {
            format!("{} {sign} {}", self.ident(field), self.expr(value))
        };
        fields.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    fn segment(&self, segment: &Segment) -> String {
        let name = match segment.name {
            Selector::Name(name) => self.name(name).to_string(),
            Selector::Part(part) => part.to_string(),
            Selector::Below => "@".to_string(),
            Selector::Whole => ":".to_string(),
            Selector::Arguments => String::new(),
        };
        match segment.args.is_empty() {
            true => name,
            false => format!("{name}({})", self.several(&segment.args)),
        }
    }

    pub fn expr(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Number(Some(number)) => number.to_string(),
            ExprKind::Number(None) => "too large".to_string(),
            ExprKind::Decimal(text) => self.name(*text).to_string(),
            ExprKind::Text(text) => format!("{:?}", self.name(*text)),
            ExprKind::Truth(truth) => truth.to_string().to_uppercase(),
            ExprKind::Boolean => "BOOLEAN".to_string(),
            ExprKind::Strings => "STRING".to_string(),
            ExprKind::At => "@".to_string(),
            ExprKind::Apply(path) => {
                if matches!(path.last.name, Selector::Name(name) if self.is_sign(name)) {
                    return match path.last.args.as_slice() {
                        [left, right] => format!(
                            "({} {} {})",
                            self.expr(left),
                            self.segment_name(&path.last),
                            self.expr(right)
                        ),
                        [one] if self.segment_name(&path.last) == "'" => {
                            format!("({}')", self.expr(one))
                        }
                        [one] => format!("({} {})", self.segment_name(&path.last), self.expr(one)),
                        _ => self.segment(&path.last),
                    };
                }
                let all: Vec<String> = path
                    .prefix
                    .iter()
                    .chain([&path.last])
                    .map(|one| self.segment(one))
                    .collect();
                all.join("!")
            }
            ExprKind::And(all) => format!("(/\\ {})", self.several(all)),
            ExprKind::Or(all) => format!("(\\/ {})", self.several(all)),
            ExprKind::Quantified(quantifier, bounds, body) => {
                let sign = match quantifier {
                    Quantifier::All => "\\A",
                    Quantifier::Exists => "\\E",
                    Quantifier::AllTemporal => "\\AA",
                    Quantifier::ExistsTemporal => "\\EE",
                };
                let bounds = match bounds {
                    Bounds::In(bounds) => self.bounds(bounds),
                    Bounds::Free(names) => self.idents(names),
                };
                format!("({sign} {bounds} : {})", self.expr(body))
            }
            ExprKind::Choose(pattern, None, body) => {
                format!("(CHOOSE {} : {})", self.pattern(pattern), self.expr(body))
            }
            ExprKind::Choose(pattern, Some(set), body) => {
                format!(
                    "(CHOOSE {} \\in {} : {})",
                    self.pattern(pattern),
                    self.expr(set),
                    self.expr(body)
                )
            }
            ExprKind::SetOf(all) => format!("{{{}}}", self.several(all)),
            ExprKind::Filter(pattern, set, body) => {
                format!(
                    "{{{} \\in {} : {}}}",
                    self.pattern(pattern),
                    self.expr(set),
                    self.expr(body)
                )
            }
            ExprKind::Image(body, bounds) => {
                format!("{{{} : {}}}", self.expr(body), self.bounds(bounds))
            }
            ExprKind::Function(bounds, body) => {
                format!("[{} |-> {}]", self.bounds(bounds), self.expr(body))
            }
            ExprKind::Functions(from, to) => format!("[{} -> {}]", self.expr(from), self.expr(to)),
            ExprKind::At1(function, args) => {
                format!("{}[{}]", self.expr(function), self.several(args))
            }
            ExprKind::Except(function, updates) => {
                let one = |update: &evenhand_tla::syntax::ast::Update| {
                    let places = update.place.iter().map(|place| match place {
                        Place::At(args) => format!("[{}]", self.several(args)),
                        Place::Field(field) => format!(".{}", self.ident(field)),
                    });
                    format!(
                        "!{} = {}",
                        places.collect::<String>(),
                        self.expr(&update.value)
                    )
                };
                let updates: Vec<String> = updates.iter().map(one).collect();
                format!("[{} EXCEPT {}]", self.expr(function), updates.join(", "))
            }
            ExprKind::Record(fields) => format!("[{}]", self.fields(fields, "|->")),
            ExprKind::Records(fields) => format!("[{}]", self.fields(fields, ":")),
            ExprKind::Field(record, field) => {
                format!("{}.{}", self.expr(record), self.ident(field))
            }
            ExprKind::Tuple(all) => format!("<<{}>>", self.several(all)),
            ExprKind::Product(all) => {
                let all: Vec<String> = all.iter().map(|expr| self.expr(expr)).collect();
                format!("({})", all.join(" \\X "))
            }
            ExprKind::If(condition, yes, no) => {
                format!(
                    "(IF {} THEN {} ELSE {})",
                    self.expr(condition),
                    self.expr(yes),
                    self.expr(no)
                )
            }
            ExprKind::Case(arms, other) => {
                let arm = |(guard, value): &(Expr, Expr)| {
                    format!("{} -> {}", self.expr(guard), self.expr(value))
                };
                let mut arms: Vec<String> = arms.iter().map(arm).collect();
                arms.extend(
                    other
                        .iter()
                        .map(|other| format!("OTHER -> {}", self.expr(other))),
                );
                format!("(CASE {})", arms.join(" [] "))
            }
            ExprKind::Let(units, body) => {
                let units: Vec<String> = units.iter().flat_map(|unit| self.unit(unit)).collect();
                format!("(LET {} IN {})", units.join("; "), self.expr(body))
            }
            ExprKind::Square(action, subscript) => {
                format!("[{}]_{}", self.expr(action), self.expr(subscript))
            }
            ExprKind::Angle(action, subscript) => {
                format!("<<{}>>_{}", self.expr(action), self.expr(subscript))
            }
            ExprKind::Fair {
                strong,
                subscript,
                action,
            } => {
                let word = if *strong { "SF" } else { "WF" };
                format!("{word}_{}({})", self.expr(subscript), self.expr(action))
            }
            ExprKind::Lambda(params, body) => {
                format!("(LAMBDA {} : {})", self.idents(params), self.expr(body))
            }
            ExprKind::Label(label, params, body) => {
                format!(
                    "({}({}) :: {})",
                    self.ident(label),
                    self.idents(params),
                    self.expr(body)
                )
            }
        }
    }

    /// Whether a name is written between operands, before or behind them.
    fn is_sign(&self, name: Symbol) -> bool {
        let text = self.name(name);
        let word = text.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        // A step of a proof looks like an operator, but is a name.
        let step = text.starts_with('<') && text.contains(|c: char| c.is_ascii_digit());
        matches!(
            text,
            "SUBSET" | "UNION" | "DOMAIN" | "ENABLED" | "UNCHANGED"
        ) || !(word || step)
    }

    fn segment_name(&self, segment: &Segment) -> &str {
        match segment.name {
            Selector::Name(name) => self.name(name),
            _ => "?",
        }
    }

    fn declared(&self, all: &[Declared]) -> String {
        let one = |declared: &Declared| match declared.arity {
            0 => self.ident(&declared.ident).to_string(),
            arity => format!("{}/{arity}", self.ident(&declared.ident)),
        };
        all.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    fn instance(&self, instance: &Instance) -> String {
        let mut text = format!("INSTANCE {}", self.ident(&instance.module));
        if !instance.substitutions.is_empty() {
            text += &format!(" WITH {}", self.fields(&instance.substitutions, "<-"));
        }
        text
    }

    pub fn unit(&self, unit: &Unit) -> Vec<String> {
        let local = |local: bool| if local { "LOCAL " } else { "" };
        let head = |ident: &Ident, params: &[Declared]| match params.is_empty() {
            true => self.ident(ident).to_string(),
            false => format!("{}({})", self.ident(ident), self.declared(params)),
        };
        vec![match unit {
            Unit::Variables(all) => format!("VARIABLES {}", self.idents(all)),
            Unit::Constants(all) => format!("CONSTANTS {}", self.declared(all)),
            Unit::Recursive(all) => format!("RECURSIVE {}", self.declared(all)),
            Unit::Operator(definition) => {
                let name = head(&definition.ident, &definition.params);
                format!(
                    "{}{name} == {}",
                    local(definition.local),
                    self.expr(&definition.body)
                )
            }
            Unit::Function(definition) => format!(
                "{}{}[{}] == {}",
                local(definition.local),
                self.ident(&definition.ident),
                self.bounds(&definition.bounds),
                self.expr(&definition.body)
            ),
            Unit::Instance(instance) => {
                let name = instance
                    .ident
                    .map(|ident| format!("{} == ", head(&ident, &instance.params)));
                format!(
                    "{}{}{}",
                    local(instance.local),
                    name.unwrap_or_default(),
                    self.instance(instance)
                )
            }
            Unit::Assume {
                ident, body, axiom, ..
            } => {
                let word = if *axiom { "AXIOM" } else { "ASSUME" };
                let name = ident.map(|ident| format!("{} == ", self.ident(&ident)));
                format!("{word} {}{}", name.unwrap_or_default(), self.expr(body))
            }
            Unit::Theorem { ident, body, .. } => {
                let name = ident.map(|ident| format!("{} == ", self.ident(&ident)));
                let body = body
                    .as_ref()
                    .map_or("...".to_string(), |body| self.expr(body));
                format!("THEOREM {}{body}", name.unwrap_or_default())
            }
            Unit::Module(module) => return self.module(module),
        }]
    }

    pub fn module(&self, module: &Module) -> Vec<String> {
        let mut lines = vec![format!("MODULE {}", self.ident(&module.ident))];
        if !module.extends.is_empty() {
            lines.push(format!("EXTENDS {}", self.idents(&module.extends)));
        }
        for unit in &module.units {
            lines.extend(self.unit(unit));
        }
        lines.push("END".to_string());
        lines
    }
}
