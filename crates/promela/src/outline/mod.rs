//! A Promela text for editors: what it declares.
//!
//! Declarations come from the syntax tree, which is there for broken texts too; inlines, which the tree no
//! longer has, and macros come from the tokens. Who means what is in `mentions.rs`: it looks at tokens, since a
//! statement with a mistake has tokens but no tree.

mod mentions;

use std::collections::HashSet;

use evenhand_source::Span;
use evenhand_system::fair::Names;
use evenhand_system::outline::{Outline, Symbol, SymbolId, SymbolKind};

use crate::Syntax;
use crate::ast::{
    Declaration, Init, Model, Process, Statement, StatementKind, Step, TypeName, Unit,
};
use crate::preprocess::Definition;
use crate::token::{Keyword, Punct, Token, TokenKind};

/// What stands before a field.
const DOT: &[&str] = &["."];
/// What stands before a label.
const JUMPS: &[&str] = &["goto", "@"];

/// Reads a text for an editor.
pub(crate) fn outline(syntax: &Syntax) -> Outline {
    let tokens = &syntax.tokens;
    let mut declared = Declared {
        outline: Outline::new(syntax.files.clone(), syntax.main),
        places: HashSet::new(),
        is_fair: !tokens.fair.is_empty(),
    };
    declared.macros(&syntax.definitions);
    declared.inlines(&tokens.tokens);
    declared.units(&syntax.tree);
    let mut outline = declared.outline;
    for comment in &tokens.fair {
        outline.fairness(&comment.text, comment.span, Names::Identifiers);
    }
    mentions::add(&mut outline, tokens);
    outline.keywords = Keyword::ALL.iter().map(|keyword| keyword.text()).collect();
    outline.sort();
    outline
}

struct Declared {
    outline: Outline,
    /// Where symbols are declared: an inline that is called twice declares its variables once.
    places: HashSet<Span>,
    /// Whether the text assumes fairness.
    is_fair: bool,
}

/// Where declarations stand.
#[derive(Clone, Copy)]
struct Around {
    parent: Option<SymbolId>,
    /// The process or the block.
    scope: Option<Span>,
    /// The process: labels are known in all of it.
    process: Option<Span>,
}

impl Declared {
    fn add(&mut self, symbol: Symbol) -> Option<SymbolId> {
        self.places
            .insert(symbol.at)
            .then(|| self.outline.add(symbol))
    }

    fn macros(&mut self, definitions: &[Definition]) {
        for definition in definitions {
            let Some(at) = definition.place() else {
                continue;
            };
            let file = self.outline.files.get(at.file);
            let line = file.position(at.start).line;
            let text = file.line(line).trim();
            let symbol = Symbol::new(definition.name(), SymbolKind::Macro, at, at);
            let about = format!("`{text}`: a macro");
            self.add(symbol.about(about));
        }
    }

    /// `inline name(a, b) { … }`.
    fn inlines(&mut self, tokens: &[Token]) {
        for (start, token) in tokens.iter().enumerate() {
            if token.kind != TokenKind::Keyword(Keyword::Inline) {
                continue;
            }
            let Some(TokenKind::Ident(name)) = tokens.get(start + 1).map(|t| &t.kind) else {
                continue;
            };
            let at = tokens[start + 1].span;
            let rest = &tokens[start + 2..];
            let opening = rest
                .iter()
                .position(|t| t.kind == TokenKind::Punct(Punct::LBrace));
            let header = &rest[..opening.unwrap_or(0)];
            let mut depth = 0usize;
            let mut end = at;
            for token in &rest[header.len()..] {
                match token.kind {
                    TokenKind::Punct(Punct::LBrace) => depth += 1,
                    TokenKind::Punct(Punct::RBrace) => depth = depth.saturating_sub(1),
                    _ => {}
                }
                end = token.span;
                if depth == 0 {
                    break;
                }
            }
            let extent = at.to(end);
            let parameters: Vec<(String, Span)> = header
                .iter()
                .filter_map(|token| match &token.kind {
                    TokenKind::Ident(name) => Some((name.to_string(), token.span)),
                    _ => None,
                })
                .collect();
            let names: Vec<&str> = parameters.iter().map(|(name, _)| &**name).collect();
            let about = format!(
                "`inline {name}({})`: its text stands in place of each call",
                names.join(", ")
            );
            let symbol = Symbol::new(&**name, SymbolKind::Function, at, extent).about(about);
            let parent = self.add(symbol);
            self.fold(extent);
            for (parameter, at) in parameters {
                let about = format!("`{parameter}`: a parameter of `{name}`, taken as text");
                let symbol = Symbol::new(parameter, SymbolKind::Parameter, at, at);
                self.add(symbol.about(about).inside(parent).within(Some(extent)));
            }
        }
    }

    fn fold(&mut self, extent: Span) {
        self.outline.folds.push(extent);
    }

    fn units(&mut self, tree: &Model) {
        let top = Around {
            parent: None,
            scope: None,
            process: None,
        };
        for unit in &tree.units {
            match unit {
                Unit::Variables(declaration) => self.variables(declaration, top, "global"),
                Unit::Mtype(mtype) => {
                    let kind = match &mtype.subtype {
                        Some(subtype) => format!("mtype:{}", subtype.name),
                        None => "mtype".to_string(),
                    };
                    for name in &mtype.names {
                        let about = format!("`{}`: a name of `{kind}`", name.name);
                        let symbol =
                            Symbol::new(&*name.name, SymbolKind::Constant, name.span, name.span);
                        self.add(symbol.about(about));
                    }
                }
                Unit::Record(name, fields) => {
                    let last = fields.last().map_or(name.span, |field| field.span);
                    let extent = name.span.to(last);
                    let about = format!("`typedef {}`", name.name);
                    let symbol = Symbol::new(&*name.name, SymbolKind::Type, name.span, extent);
                    let parent = self.add(symbol.about(about));
                    self.fold(extent);
                    for field in fields {
                        self.fields(field, parent, &name.name);
                    }
                }
                Unit::Process(process) => self.process(process, "process type"),
                Unit::Never(process) => {
                    self.outline
                        .property(&*process.name.name, process.name.span);
                    self.process(process, "never claim");
                }
                Unit::Trace(process, _) => {
                    self.outline
                        .property(&*process.name.name, process.name.span);
                    self.process(process, "assertion about channels");
                }
                Unit::Ltl(name, formula) => {
                    let extent = name.span.to(formula.span);
                    self.outline.property(&*name.name, name.span);
                    let text = self.outline.files.text(formula.span).to_string();
                    let runs = if self.is_fair { "fair run" } else { "run" };
                    let about = format!("`ltl {}`: every {runs} satisfies `{text}`", name.name);
                    let symbol = Symbol::new(&*name.name, SymbolKind::Property, name.span, extent);
                    self.add(symbol.about(about));
                    self.fold(extent);
                }
            }
        }
    }

    fn process(&mut self, process: &Process, what: &str) {
        let name = &process.name;
        let extent = name.span.to(process.end);
        let kind = match what {
            "process type" => SymbolKind::Process,
            _ => SymbolKind::Property,
        };
        let files = &self.outline.files;
        let parameters: Vec<&str> = process
            .parameters
            .iter()
            .map(|p| files.text(p.span))
            .collect();
        let mut about = format!("`{}({})`: a {what}", name.name, parameters.join("; "));
        if let Some(active) = &process.active {
            let count = match files.text(active.span) {
                "active" | "init" => "one of it runs".to_string(),
                count => format!("{count} of it run"),
            };
            about += &format!("; {count} from the start");
        }
        let parent = self.add(Symbol::new(&*name.name, kind, name.span, extent).about(about));
        self.fold(extent);
        let around = Around {
            parent,
            scope: Some(extent),
            process: Some(extent),
        };
        for parameter in &process.parameters {
            self.variables(parameter, around, "parameter");
        }
        self.steps(&process.body, around);
    }

    fn steps(&mut self, steps: &[Step], around: Around) {
        for step in steps {
            match step {
                Step::Declaration(declaration) => self.variables(declaration, around, "local"),
                Step::Exclusive(..) => {}
                Step::Statement(statement) => self.statement(statement, around),
                Step::Unless(main, escape) => {
                    self.statement(main, around);
                    self.statement(escape, around);
                }
            }
        }
    }

    fn statement(&mut self, statement: &Statement, around: Around) {
        for label in &statement.labels {
            let about = match &*label.name {
                l if l.starts_with("accept") => ", which `-p acceptance` asks about",
                l if l.starts_with("progress") => ", which `-p progress` asks about",
                l if l.starts_with("end") => ": a process may end here",
                _ => "",
            };
            let about = format!("`{}`: a label{about}", label.name);
            let symbol = Symbol::new(&*label.name, SymbolKind::Label, label.span, label.span);
            let symbol = symbol.about(about).inside(around.parent).behind(JUMPS);
            self.add(symbol.within(around.process));
        }
        let inner = Around {
            scope: Some(statement.span),
            ..around
        };
        match &statement.kind {
            StatementKind::If(options) | StatementKind::Do(options) => {
                self.fold(statement.span);
                for option in options {
                    self.steps(option, inner);
                }
            }
            StatementKind::ForRange(_, _, _, body)
            | StatementKind::ForIn(_, _, body)
            | StatementKind::Atomic(body)
            | StatementKind::DStep(body)
            | StatementKind::Block(body) => {
                self.fold(statement.span);
                self.steps(body, inner);
            }
            // What an inline declares is known where the inline is, as text.
            StatementKind::Inline(extent, body) => {
                let scope = Some(*extent);
                self.steps(body, Around { scope, ..around });
            }
            _ => {}
        }
    }

    fn variables(&mut self, declaration: &Declaration, around: Around, what: &str) {
        let kind = match what {
            "parameter" => SymbolKind::Parameter,
            _ => SymbolKind::Variable,
        };
        for variable in &declaration.variables {
            let about = self.type_of(declaration, variable, what);
            let name = &variable.name;
            let symbol = Symbol::new(&*name.name, kind, name.span, declaration.span);
            self.add(
                symbol
                    .about(about)
                    .inside(around.parent)
                    .within(around.scope),
            );
        }
    }

    fn fields(&mut self, declaration: &Declaration, parent: Option<SymbolId>, record: &str) {
        for variable in &declaration.variables {
            let about = self.type_of(declaration, variable, &format!("field of `{record}`,"));
            let name = &variable.name;
            let symbol = Symbol::new(&*name.name, SymbolKind::Field, name.span, declaration.span);
            self.add(symbol.about(about).inside(parent).behind(DOT));
        }
    }

    /// The type of a variable and its range, in words.
    fn type_of(
        &self,
        declaration: &Declaration,
        variable: &crate::ast::Declared,
        what: &str,
    ) -> String {
        let files = &self.outline.files;
        let name = &variable.name.name;
        let (kind, range) = type_name(&declaration.kind, variable.bits.map(|(bits, _)| bits));
        let mut shown = format!("{kind} {name}");
        if let Some(length) = &variable.len {
            shown += &format!("[{}]", files.text(length.span));
        }
        let mut about = format!("`{shown}`: a {what} variable");
        if let Some(range) = range {
            about += &format!(" of {range}");
        }
        match &variable.init {
            Some(Init::Channel(capacity, types, _)) => {
                let types: Vec<String> = types.iter().map(|t| type_name(t, None).0).collect();
                let capacity = match files.text(capacity.span) {
                    "0" => "a handshake".to_string(),
                    capacity => format!("up to {capacity} messages"),
                };
                about = format!(
                    "`{shown}`: a {what} channel with {capacity} of `{}`",
                    types.join(", ")
                );
            }
            Some(Init::Value(value)) => {
                about += &format!(", first `{}`", files.text(value.span));
            }
            _ => {}
        }
        about
    }
}

/// How a type is written, and its values.
fn type_name(kind: &TypeName, bits: Option<i64>) -> (String, Option<String>) {
    let (name, range) = match kind {
        TypeName::Bit => ("bit", "0..1"),
        TypeName::Bool => ("bool", "false, true"),
        TypeName::Byte => ("byte", "0..255"),
        TypeName::Short => ("short", "-32768..32767"),
        TypeName::Int => ("int", "-2147483648..2147483647"),
        TypeName::Pid => ("pid", "0..255"),
        TypeName::Unsigned => {
            let bits = bits.unwrap_or(32).clamp(0, 32);
            let most = (1u64 << bits) - 1;
            return ("unsigned".to_string(), Some(format!("0..{most}")));
        }
        TypeName::Mtype(None) => return ("mtype".to_string(), None),
        TypeName::Mtype(Some(subtype)) => return (format!("mtype:{}", subtype.name), None),
        TypeName::Chan => return ("chan".to_string(), None),
        TypeName::Record(name) => return (name.name.to_string(), None),
    };
    (name.to_string(), Some(range.to_string()))
}
