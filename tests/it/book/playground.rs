//! The whole spec behind every block of `fab`, which the playground opens.
//!
//! Run `UPDATE_DOCS=1 cargo test --test it book` to write `editors/book/specs.json`.

use super::blocks::{Block, code_blocks};
use super::specs::whole_specs;
use super::{pages, read, root};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The file that `playground/bundle.mjs` takes.
const WRITTEN: &str = "editors/book/specs.json";

/// The files that a block needs: its spec, and those that the spec names and that the page or its folder has.
/// Those of `specs/` are in the playground already.
fn project(block: &Block, on_page: &BTreeMap<String, String>) -> Value {
    let (_, spec) = whole_specs(block, on_page).swap_remove(0);
    let own = block.option("file").or(block.option("into")).unwrap_or("spec.fab").to_owned();
    let mut files = Map::new();
    for named in spec.split('"').skip(1).step_by(2) {
        let beside = root().join("tests/book/beside").join(named);
        let text = on_page.get(named).cloned().or_else(|| std::fs::read_to_string(beside).ok());
        files.extend(text.map(|text| (named.to_owned(), json!(text))));
    }
    files.insert(own.clone(), json!(spec));
    json!({"open": own, "files": files})
}

#[test]
fn the_playground_has_the_spec_of_every_block() {
    let mut projects = Map::new();
    for page in pages() {
        let Some(name) = page.strip_prefix("docs/").and_then(|page| page.strip_suffix(".md")) else {
            continue;
        };
        let mut on_page = BTreeMap::new();
        let mut count = 0;
        for block in code_blocks(&page, &read(&page)) {
            if block.language == "fab" {
                projects.insert(format!("{name}/{count}"), project(&block, &on_page));
                count += 1;
            }
            if let Some(file) = block.option("file") {
                let whole = |block: &Block| whole_specs(block, &on_page).swap_remove(0).1;
                let text = if block.language == "fab" { whole(&block) } else { block.text.clone() };
                on_page.insert(file.to_owned(), text);
            }
        }
    }
    let text = serde_json::to_string_pretty(&Value::Object(projects)).unwrap() + "\n";
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(root().join(WRITTEN), &text).unwrap();
    }
    assert_eq!(read(WRITTEN), text, "UPDATE_DOCS=1 cargo test --test it book writes {WRITTEN}");
}
