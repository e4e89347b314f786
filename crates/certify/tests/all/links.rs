//! The check shares no code with the searches: it does not even depend on them.

use std::path::Path;
use std::process::Command;

#[test]
fn no_engine_is_linked() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let mut tree = Command::new(env!("CARGO"));
    tree.args(["tree", "--offline", "--prefix", "none", "-e", "normal"]);
    let output = tree.arg("--manifest-path").arg(manifest).output();
    let output = output.expect("cargo can be run");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut names: Vec<&str> = text.lines().filter_map(|l| l.split(' ').next()).collect();
    names.sort_unstable();
    names.dedup();
    assert!(names.contains(&"evenhand-system"), "{names:?}");
    for engine in ["evenhand-explicit", "evenhand-symbolic", "evenhand-verify"] {
        assert!(!names.contains(&engine), "{engine} in {names:?}");
    }
}
