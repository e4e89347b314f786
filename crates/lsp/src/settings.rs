//! What people may set: limits of checks, and how models are read.

use std::num::NonZeroUsize;
use std::time::Duration;

use evenhand::{Budget, Check, LoadOptions, memory};
use serde_json::Value;

/// Settings of the server.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// How long a check may take.
    pub time: Duration,
    /// How much memory may be in use, in bytes.
    pub memory: u64,
    /// How many states may be explored.
    pub states: Option<u64>,
    /// Macros for a preprocessor.
    pub defines: Vec<(String, Option<String>)>,
    /// Where included files are looked for.
    pub include_dirs: Vec<String>,
    /// Whether the editor shows the page of a run itself.
    pub shows_runs: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            time: Duration::from_secs(60),
            memory: 2 << 30,
            states: None,
            defines: Vec::new(),
            include_dirs: Vec::new(),
            shows_runs: false,
        }
    }
}

impl Settings {
    /// Takes what is said, as `initializationOptions` or in a section `evenhand`; the rest stays.
    pub(crate) fn take(&mut self, said: &Value) {
        let said = said.get("evenhand").unwrap_or(said);
        let number = |name: &str| said.get(name).and_then(Value::as_u64);
        if let Some(seconds) = number("limitSeconds") {
            self.time = Duration::from_secs(seconds);
        }
        if let Some(megabytes) = number("limitMegabytes") {
            self.memory = megabytes.saturating_mul(1 << 20);
        }
        if let Some(states) = number("limitStates") {
            self.states = (states > 0).then_some(states);
        }
        if let Some(defines) = said.get("defines").and_then(Value::as_object) {
            let value = |value: &Value| match value {
                Value::Null => None,
                Value::String(text) => Some(text.clone()),
                other => Some(other.to_string()),
            };
            self.defines = defines.iter().map(|(n, v)| (n.clone(), value(v))).collect();
        }
        if let Some(folders) = said.get("includeDirs").and_then(Value::as_array) {
            let folders = folders.iter().filter_map(Value::as_str);
            self.include_dirs = folders.map(str::to_string).collect();
        }
        if let Some(shows) = said.get("showsRuns").and_then(Value::as_bool) {
            self.shows_runs = shows;
        }
    }

    /// How a model is read within a budget.
    pub(crate) fn reading(&self, budget: Budget) -> LoadOptions {
        let mut options = LoadOptions::new();
        options.read.defines.clone_from(&self.defines);
        options.read.include_dirs = self.include_dirs.iter().map(Into::into).collect();
        options.budget = budget;
        options
    }

    /// The limits of something that a person waits for.
    pub(crate) fn budget(&self) -> Budget {
        Budget::unlimited()
            .within(Some(self.time))
            .memory(Some(self.memory), memory::is_above)
    }

    /// A check within the limits; one core is left to the editor.
    pub(crate) fn limit<'m>(&self, check: Check<'m>) -> Check<'m> {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let threads = NonZeroUsize::new(cores.saturating_sub(1)).unwrap_or(NonZeroUsize::MIN);
        let check = check
            .limit_time(self.time)
            .limit_memory(self.memory)
            .threads(threads);
        match self.states {
            Some(states) => check.limit_states(states),
            None => check,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn settings_come_at_the_start_or_later_and_the_rest_stays() {
        let mut settings = Settings::default();
        settings.take(&json!({"limitSeconds": 5, "defines": {"N": 3, "FAST": null}}));
        assert_eq!(settings.time, Duration::from_secs(5));
        let defines = [
            ("N".to_string(), Some("3".to_string())),
            ("FAST".into(), None),
        ];
        assert_eq!(settings.defines, defines);
        settings.take(&json!({"evenhand": {"limitMegabytes": 1, "limitStates": 7}}));
        assert_eq!((settings.memory, settings.states), (1 << 20, Some(7)));
        assert_eq!(settings.time, Duration::from_secs(5));
        settings.take(&Value::Null);
        assert_eq!(settings.states, Some(7));
    }
}
