//! Pages of public models, where they stand beside the repository: whatever a model is, its page
//! opens without complaints, fits a telephone, and can be walked through.
//!
//! `EVENHAND_PAGES` says how many models are taken, evenly spread over all; the default is small.

use super::browser::Browser;
use super::pages::{folder, is_quiet};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;

const FEW: usize = 12;

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        let extension = path.extension().and_then(|e| e.to_str());
        if path.is_dir() {
            collect(&path, found);
        } else if extension.is_some_and(|e| ["pml", "prom", "pr", "spin", "smv"].contains(&e)) {
            found.push(path);
        }
    }
}

#[test]
fn pages_of_public_models_open() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    let mut models = Vec::new();
    for language in ["promela", "smv"] {
        collect(&corpora.join(language), &mut models);
    }
    models.sort();
    if models.is_empty() {
        println!("skipped, there are no public models beside the repository");
        return;
    }
    let Some(mut browser) = Browser::start("corpus") else {
        return;
    };
    browser.resize(360, 740);
    let wanted = std::env::var("EVENHAND_PAGES").ok();
    let wanted = wanted.and_then(|n| n.parse().ok()).unwrap_or(FEW);
    let wanted = wanted.clamp(1, models.len());
    let report = folder("corpus").join("report.html");
    let (mut opened, mut runs) = (0, 0);
    for number in 0..wanted {
        let model = &models[number * models.len() / wanted];
        let _ = std::fs::remove_file(&report);
        let limits = "-q --limit-time 2s --limit-states 20000 --budget 500ms --progress never";
        Command::new(env!("CARGO_BIN_EXE_evenhand"))
            .arg("check")
            .arg(model)
            .args(limits.split(' '))
            .arg("--report")
            .arg(&report)
            .output()
            .expect("evenhand runs");
        // Some files are no models by themselves.
        if !report.exists() {
            continue;
        }
        browser.open(&report, "");
        let rows = browser.value("document.querySelectorAll('#overview tr[id]').length");
        for row in 0..rows.as_u64().unwrap_or(0) {
            browser.value(&format!(
                "document.querySelector('#row-{row} button').click()"
            ));
            if browser.value("document.querySelector('.toolbar') !== null") == json!(true) {
                runs += 1;
                for key in ["ArrowDown", "ArrowRight", "End", "ArrowDown", "ArrowLeft"] {
                    browser.press(key);
                }
            }
            let wide = browser.value("document.documentElement.scrollWidth");
            assert_eq!(
                wide,
                json!(360),
                "{}: the page is too wide",
                model.display()
            );
        }
        is_quiet(&browser);
        opened += 1;
    }
    println!("{opened} pages of {wanted} models, {runs} runs");
    assert!(opened > 0 && runs > 0, "{opened} pages, {runs} runs");
}
