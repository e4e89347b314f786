//! The choices of an interactive run, a page at a time.

/// How many choices are shown at once.
const PAGE: usize = 20;

/// Which of the choices are shown. A choice keeps its number whatever else is shown.
#[derive(Debug)]
pub(super) struct Menu {
    /// The choices that are listed, by their numbers from 0.
    listed: Vec<usize>,
    /// Where the page begins.
    start: usize,
    /// What the listed ones have in common.
    filter: String,
}

impl Menu {
    /// All choices.
    pub fn all(count: usize) -> Menu {
        Menu {
            listed: (0..count).collect(),
            start: 0,
            filter: String::new(),
        }
    }

    /// The choices whose texts contain a text; upper and lower case are alike.
    pub fn filtered(count: usize, filter: &str, mut text: impl FnMut(usize) -> String) -> Menu {
        let wanted = filter.to_lowercase();
        let fits = |&index: &usize| text(index).to_lowercase().contains(&wanted);
        Menu {
            listed: (0..count).filter(fits).collect(),
            start: 0,
            filter: filter.to_string(),
        }
    }

    /// The choices on the page.
    pub fn page(&self) -> &[usize] {
        let end = self.listed.len().min(self.start + PAGE);
        &self.listed[self.start..end]
    }

    /// Goes on to the next page, and from the last to the first.
    pub fn turn(&mut self) {
        self.start += PAGE;
        if self.start >= self.listed.len() {
            self.start = 0;
        }
    }

    /// What is not shown of `count` choices, as a line; nothing where all are.
    pub fn rest(&self, count: usize) -> String {
        let listed = self.listed.len();
        let behind = listed - self.start - self.page().len();
        let mut parts = Vec::new();
        if behind > 0 {
            parts.push(format!("{behind} more: m shows them"));
        } else if self.start > 0 {
            parts.push("these are the last: m begins anew".to_string());
        }
        match (self.filter.is_empty(), listed > PAGE) {
            (true, true) => parts.push("/TEXT shows those with that text".to_string()),
            (true, false) => {}
            (false, _) => parts.push(format!(
                "{listed} of {count} have `{}` in them: / shows all",
                self.filter
            )),
        }
        match parts.is_empty() {
            true => String::new(),
            false => format!("       {}\n", parts.join("; ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_turn_and_begin_anew() {
        let mut menu = Menu::all(45);
        assert_eq!(menu.page().len(), 20);
        assert!(menu.rest(45).contains("25 more"));
        menu.turn();
        assert_eq!(menu.page().first(), Some(&20));
        menu.turn();
        assert_eq!(menu.page(), [40, 41, 42, 43, 44]);
        assert!(menu.rest(45).contains("the last"));
        menu.turn();
        assert_eq!(menu.page().first(), Some(&0));
        let mut none = Menu::all(0);
        none.turn();
        assert!(none.page().is_empty() && none.rest(0).is_empty());
    }

    #[test]
    fn a_filter_keeps_the_numbers() {
        let menu = Menu::filtered(30, "X = 1", |index| format!("x = {index}"));
        assert_eq!(menu.page(), [1, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
        assert!(menu.rest(30).contains("11 of 30"));
    }
}
