//! What stands above a property: a command that checks it, and the verdict in place.

use lsp_types::{CodeLens, Command, Range, Uri};
use serde_json::{Value, json};

use crate::answers::Page;
use crate::checks::{Checked, Progress, Verdicts};

/// Checks a property: its file, and its name; all properties without one.
pub(crate) const CHECK: &str = "evenhand.check";
/// Ends the checks of a file.
pub(crate) const CANCEL: &str = "evenhand.cancel";
/// Writes the page of an answer and tells its address.
pub(crate) const REPORT: &str = "evenhand.report";

/// A command about a property.
pub(crate) fn command(title: String, name: &str, uri: &Uri, property: Option<&str>) -> Command {
    let mut arguments = vec![json!(uri)];
    arguments.extend(property.map(Value::from));
    Command {
        title,
        command: name.to_string(),
        arguments: Some(arguments),
    }
}

/// The lenses of a text.
pub(crate) fn lenses(page: &Page, verdicts: &Verdicts, version: i32) -> Vec<CodeLens> {
    let mut lenses = Vec::new();
    let here = page.outline.properties.iter();
    let mut here: Vec<_> = here.filter(|p| p.at.file == page.outline.main).collect();
    here.sort_by_key(|property| property.at);
    add(&mut lenses, page, verdicts, version, Range::default(), None);
    for property in here {
        let range = page.text.range(property.at);
        add(
            &mut lenses,
            page,
            verdicts,
            version,
            range,
            Some(&property.name),
        );
    }
    lenses
}

fn add(
    lenses: &mut Vec<CodeLens>,
    page: &Page,
    verdicts: &Verdicts,
    version: i32,
    range: Range,
    property: Option<&str>,
) {
    let mut push = |title: String, name: &str| {
        lenses.push(CodeLens {
            range,
            command: Some(command(title, name, &page.uri, property)),
            data: None,
        });
    };
    let what = property.unwrap_or("all properties");
    match verdicts.of(property) {
        None => push(format!("▶ check {what}"), CHECK),
        Some(Progress::Running(_)) => push(format!("… checking {what} (end it)"), CANCEL),
        Some(Progress::Done(checked)) => {
            let Checked { told, violated, .. } = &**checked;
            match checked.version == version {
                true => push(told.clone(), CHECK),
                false => push(format!("▶ check {what} again (was: {told})"), CHECK),
            }
            if *violated {
                push("show the run".to_string(), REPORT);
            }
        }
        Some(Progress::Failed(why)) => push(format!("▶ check {what} again ({why})"), CHECK),
    }
}
