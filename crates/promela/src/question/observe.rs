//! What a question may look at.
//!
//! A formula, a claim or a fairness assumption sees the system from outside: it is no process, so
//! it has no variables and no number of its own, and it must not change what it looks at.

use evenhand_system::program::expr::{Expr, Pattern, Place, Receive, Scope};

/// What an expression looks at that matters for how it is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// It mentions `np_`.
    pub progress: bool,
}

/// What is wrong with an expression, and what to do about it.
pub(crate) type Complaint = (String, Option<String>);

/// Refuses an expression that nobody can evaluate from outside; `who` would.
pub(crate) fn observe(expr: &Expr, who: &str) -> Result<Seen, Complaint> {
    let mut seen = Seen::default();
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        match expr {
            Expr::NonProgress => seen.progress = true,
            Expr::Pid => {
                let help = "name the process by its number, as in `proc[2]:var`";
                return Err((format!("{who} has no `_pid`"), Some(help.into())));
            }
            Expr::Run(_) => return Err((format!("{who} may not start processes"), None)),
            Expr::Load(place) => check_place(place, who, &mut open)?,
            Expr::Unary(_, operand)
            | Expr::Channel(_, operand, _)
            | Expr::Enabled(operand)
            | Expr::LocationOf(operand)
            | Expr::PriorityOf(operand) => open.push(operand),
            Expr::Binary(_, operands, _) => open.extend([&operands.0, &operands.1]),
            Expr::Conditional(parts) => open.extend([&parts.0, &parts.1, &parts.2]),
            Expr::Poll(receive) => check_poll(receive, who, &mut open)?,
            Expr::AtLocation(at) => open.extend(&at.pid),
            Expr::Remote(remote) => {
                open.extend(&remote.pid);
                open.extend(remote.place.indices.iter().map(|i| &i.value));
            }
            Expr::Const(_)
            | Expr::LastPid
            | Expr::ProcessCount
            | Expr::Timeout
            | Expr::Accepting => {}
        }
    }
    Ok(seen)
}

fn check_place<'e>(place: &'e Place, who: &str, open: &mut Vec<&'e Expr>) -> Result<(), Complaint> {
    if place.scope == Scope::Local {
        let help = "declare the variable outside of it";
        return Err((
            format!("{who} may not have variables of its own"),
            Some(help.into()),
        ));
    }
    open.extend(place.indices.iter().map(|i| &i.value));
    Ok(())
}

fn check_poll<'e>(
    receive: &'e Receive,
    who: &str,
    open: &mut Vec<&'e Expr>,
) -> Result<(), Complaint> {
    open.push(&receive.channel);
    for pattern in &receive.patterns {
        match pattern {
            Pattern::Any => {}
            Pattern::Equal(value) => open.push(value),
            Pattern::Bind(place) => check_place(place, who, open)?,
        }
    }
    Ok(())
}
