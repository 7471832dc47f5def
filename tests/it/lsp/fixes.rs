//! Fixes that the server offers: an edit takes its finding away.

use super::server::{Disk, answer, findings, notify, open_document};
use super::{specs, uri};
use fabc::lsp::Server;
use serde_json::{Value, json};
use std::path::Path;

#[test]
fn what_is_offered_as_a_fix_mends() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let (mut fixes, mut specs) = (0, 0);
    for path in specs::specs_of(&["slips", "err"].map(|folder| root.join(folder))) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let uri = uri(&path);
        let mut server = Server::new(&Disk);
        open_document(&mut server, &uri, &text);
        let before = findings(&mut server, &uri);
        let full_range = json!({"textDocument": {"uri": uri}, "range": {"start": {"line": 0, "character": 0}, "end": {"line": 99999, "character": 0}}, "context": {"diagnostics": []}});
        let actions = answer(&mut server, "textDocument/codeAction", full_range);
        specs += usize::from(actions.as_array().is_some_and(|all| !all.is_empty()));
        for action in actions.as_array().unwrap() {
            let edit = action["edit"]["changes"][&uri][0].clone();
            let params = json!({"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"range": edit["range"], "text": edit["newText"]}]});
            let mut server = Server::new(&Disk);
            open_document(&mut server, &uri, &text);
            notify(&mut server, "textDocument/didChange", params);
            let after = findings(&mut server, &uri);
            let mended = &action["diagnostics"][0];
            let count_message = |all: &Value| {
                all.as_array()
                    .unwrap()
                    .iter()
                    .filter(|finding| finding["message"] == mended["message"])
                    .count()
            };
            assert!(
                count_message(&after) < count_message(&before),
                "{}: {}\n{mended:#}\n{after:#}",
                path.display(),
                action["title"]
            );
            fixes += 1;
        }
    }
    assert!(fixes > 40 && specs > 30, "{fixes} {specs}");
}
