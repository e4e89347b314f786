//! What the tests share: everything that is asked of a model in one value, and what is told of it.

use evenhand::{
    Asking, AutomatonText, CheckError, Listener, Model, Options, PropertyResult, Report, Silent,
};

/// What is asked, and how it is answered.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    pub asking: Asking,
    pub options: Options,
}

impl Asked {
    /// Properties of the model by name; everything, if there are none.
    pub fn properties(names: &[impl ToString]) -> Asked {
        let mut asked = Asked::default();
        asked.name_properties(names);
        asked
    }

    pub fn name_properties(&mut self, names: &[impl ToString]) {
        self.asking.name_properties(&owned(names));
    }

    /// Assumes just this, besides what the model declares.
    pub fn fair(&mut self, texts: &[impl ToString]) {
        self.asking.request.fair = owned(texts);
    }

    /// The same by one engine.
    #[must_use]
    pub fn by(mut self, engine: &str) -> Asked {
        self.options.engine = Some(engine.to_string());
        self
    }

    /// # Errors
    /// Those of a check.
    pub fn run(&self, model: &Model) -> Result<Report, CheckError> {
        self.run_with(model, &mut Silent)
    }

    /// # Errors
    /// Those of a check.
    pub fn run_with(
        &self,
        model: &Model,
        listener: &mut dyn Listener,
    ) -> Result<Report, CheckError> {
        let specification = model.specification();
        evenhand_verify::check(specification, &self.asking, &self.options, listener)
    }
}

pub fn owned(texts: &[impl ToString]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

/// An automaton in HOA format.
pub fn automaton_text(name: &str, text: String, good: bool) -> AutomatonText {
    AutomatonText {
        name: name.to_string(),
        text,
        good,
    }
}

/// What the command warns of.
pub fn warnings(result: &PropertyResult) -> Vec<String> {
    let list = result.warnings.iter();
    list.map(|warning| evenhand_report::text::warning(result, warning))
        .collect()
}

/// How many random cases are tried.
pub fn cases(default: u64) -> u64 {
    let asked = std::env::var("EVENHAND_CASES").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// The seed of the first random case.
pub fn first_seed(default: u64) -> u64 {
    let asked = std::env::var("EVENHAND_SEED").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// Is told verdicts: names and words.
#[derive(Default)]
pub struct Told(pub Vec<(String, &'static str)>);

impl Listener for Told {
    fn verdict(&mut self, result: &PropertyResult) {
        self.0.push((result.name.clone(), result.verdict.word()));
    }
}
