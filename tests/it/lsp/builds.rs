//! What the last build measured, in the hover of a metric.

use super::client::Editor;
use super::markdown;
use crate::support::spec_text::SpecText;
use serde_json::json;
use std::path::Path;
use std::process::Command;

fn spec(least: &str) -> String {
    let torus = SpecText::pod([2, 2, 2], 4).with("topology = torus 4 x 4 x 2;");
    torus.with(&format!("require diameter <= {least}; require fault.diameter <= 9;")).text()
}

fn build(folder: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fabc"));
    command.args(["build", "spec.fab", "-q"]).current_dir(folder).env("FABC_CACHE", folder.join("cache"));
    assert!(command.status().expect("fabc starts").success());
}

/// The hover of the first place of a word.
fn hover(editor: &mut Editor, uri: &str, text: &str, word: &str) -> String {
    let before = &text[..text.find(word).expect("the word is there")];
    let line = before.lines().count() - 1;
    let character = before.len() - before.rfind('\n').map_or(0, |end| end + 1);
    let place = json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}});
    markdown(&editor.ask("textDocument/hover", place)).to_owned()
}

#[test]
fn a_metric_shows_what_the_last_build_measured() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("spec.fab");
    std::fs::write(&path, spec("5")).unwrap();
    let mut editor = Editor::start_with_cache(&place.path().join("cache"));
    let uri = editor.open(&path);
    editor.listen();
    let healthy = |editor: &mut Editor| hover(editor, &uri, &spec("5"), "diameter <= 5");
    assert!(!healthy(&mut editor).contains("last build"));
    build(place.path());
    assert!(healthy(&mut editor).ends_with("\n\nmeasured by the last build: 5"), "{}", healthy(&mut editor));
    let fault = hover(&mut editor, &uri, &spec("5"), "diameter <= 9");
    assert!(fault.contains("measured by the last build: ") && fault.contains(" under "), "{fault}");
    let before = std::fs::read_dir(place.path().join("cache")).unwrap().count();
    // Another number in the contract is no other fabric. Nothing is searched or written for an editor.
    let changed = spec("7");
    let number = changed.find("<= 7").unwrap() + 3;
    let line = changed[..number].lines().count() - 1;
    let character = number - changed[..number].rfind('\n').map_or(0, |end| end + 1);
    editor.change(&uri, (line as u32, character as u32), (line as u32, character as u32 + 1), "7");
    editor.listen();
    let again = hover(&mut editor, &uri, &changed, "diameter <= 7");
    assert!(again.ends_with("measured by the last build: 5"), "{again}");
    assert_eq!(std::fs::read_dir(place.path().join("cache")).unwrap().count(), before);
}
