//! What a person types at the prompt of an interactive run.

/// An order.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Take the choice with this number, counted from 1.
    Take(usize),
    /// Take so many random steps.
    Random(u64),
    /// Take so many steps of the run that is followed.
    Next(u64),
    /// Take so many steps back.
    Undo(u64),
    /// Watch these variables, or no longer; without names, list the watched ones.
    Watch(Vec<String>),
    /// Show all variables.
    Variables,
    /// Show the run so far.
    Run,
    /// The next page of choices.
    More,
    /// Only choices with this text.
    Filter(String),
    /// What can be typed.
    Help,
    /// The end.
    Quit,
}

/// What can be typed.
pub(super) const HELP: &str = "  \
  N           take the choice with that number
  r, r N      take one random step, or N of them (also: Enter, N r)
  u, u N      undo one step, or N of them (also: N u)
  v           show all variables
  w NAME…     watch variables, or no longer: their values are shown after each step
  w           list what is watched
  p           print the run so far
  m           more choices, where there are many
  /TEXT       only choices with that text; / alone shows all again
  h, ?        this help
  q           quit (also: end of input)
";

/// What can be typed besides, where a run is followed.
pub(super) const HELP_NEXT: &str = "  \
  n, n N      take the next step of the run, or N of them (also: N n)
";

impl Order {
    /// The order that a line gives.
    ///
    /// # Errors
    /// If it is none; what to tell the person.
    pub fn parse(line: &str) -> Result<Order, String> {
        let line = line.trim();
        if let Some(text) = line.strip_prefix('/') {
            return Ok(Order::Filter(text.trim().to_string()));
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |word: &str| word.parse::<u64>().ok();
        let order = match words[..] {
            [] | ["r" | "random"] => Order::Random(1),
            ["n" | "next"] => Order::Next(1),
            ["u" | "undo"] => Order::Undo(1),
            ["w" | "watch", ..] => {
                Order::Watch(words[1..].iter().map(|name| name.to_string()).collect())
            }
            ["v" | "variables"] => Order::Variables,
            ["p" | "print"] => Order::Run,
            ["m" | "more"] => Order::More,
            ["h" | "?" | "help"] => Order::Help,
            ["q" | "quit" | "exit"] => Order::Quit,
            [word] => match word.parse() {
                Ok(number) => Order::Take(number),
                Err(_) => return Err(unknown(line)),
            },
            [first, second] => match (first, number(second), number(first), second) {
                ("r" | "random", Some(count), ..) => Order::Random(count),
                ("n" | "next", Some(count), ..) => Order::Next(count),
                ("u" | "undo", Some(count), ..) => Order::Undo(count),
                (_, _, Some(count), "n" | "next") => Order::Next(count),
                (_, _, Some(count), "r" | "random") => Order::Random(count),
                (_, _, Some(count), "u" | "undo") => Order::Undo(count),
                _ => return Err(unknown(line)),
            },
            _ => return Err(unknown(line)),
        };
        Ok(order)
    }
}

fn unknown(line: &str) -> String {
    format!("`{line}` is no choice; h shows what can be typed")
}

#[cfg(test)]
mod tests {
    use super::Order;

    #[test]
    fn orders() {
        let names = |list: &[&str]| Order::Watch(list.iter().map(|n| n.to_string()).collect());
        let cases = [
            ("3", Order::Take(3)),
            ("  ", Order::Random(1)),
            ("r", Order::Random(1)),
            ("r 12", Order::Random(12)),
            ("12 r", Order::Random(12)),
            ("n", Order::Next(1)),
            ("4 n", Order::Next(4)),
            ("u 2", Order::Undo(2)),
            ("2 undo", Order::Undo(2)),
            ("w", names(&[])),
            ("w x p[0]:y", names(&["x", "p[0]:y"])),
            ("/ x = 1 ", Order::Filter("x = 1".into())),
            ("/", Order::Filter(String::new())),
            ("?", Order::Help),
            ("q", Order::Quit),
        ];
        for (line, order) in cases {
            assert_eq!(Order::parse(line), Ok(order), "{line}");
        }
        let huge = "99999999999999999999999";
        for line in ["x", "r x", "r 1 2", "-1", huge, "r 99999999999999999999999"] {
            assert!(Order::parse(line).is_err(), "{line}");
        }
    }
}
