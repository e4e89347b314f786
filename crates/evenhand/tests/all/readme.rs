//! The lines of Rust in the README do what it says.

use std::path::Path;

use evenhand::{Check, Fair, Model};

#[test]
fn the_example_of_the_readme_holds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("the README");
    let lines = [
        r#"let model = Model::load("models/promela/semaphore.pml")?;"#,
        r#"let report = Check::new(&model).property("entry").fair(Fair::strong()).run()?;"#,
        "assert!(report.holds());",
    ];
    assert!(
        readme.contains(&lines.join("\n")),
        "the example below is another one"
    );
    let model = Model::load(root.join("models/promela/semaphore.pml")).expect("a model");
    let report = Check::new(&model)
        .property("entry")
        .fair(Fair::strong())
        .run();
    assert!(report.expect("it has a meaning").holds());
}
