//! Every spec that is shipped, as the server reads it and as the compiler does.

use super::server::{Disk, answer, answer_or_error, open_document};
use super::uri;
use fabc::diag::{SourceMap, Span};
use fabc::lsp::Server;
use fabc::syntax::ast::{FileEntry, Item, ItemKind};
use fabc::syntax::{Loader, parse, parse_file, print, used_names};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn specs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found_specs = specs_of(&[root.join("specs"), root.join("tests/ok")]);
    assert!(found_specs.len() > 100, "{}", found_specs.len());
    found_specs
}

/// The specs below some folders.
pub(super) fn specs_of(folders: &[PathBuf]) -> Vec<PathBuf> {
    let (mut paths, mut open) = (Vec::new(), folders.to_vec());
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "fab") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    paths
}

/// The names that a file declares: whether it is a constant, the name, and where it stands.
fn declared(text: &str) -> Vec<(bool, String, Span)> {
    let Ok(file) = parse_file("one.fab", text).0 else { return Vec::new() };
    let mut declared_names = Vec::new();
    let mut items: Vec<&Item> = Vec::new();
    for entry in &file.entries {
        match entry {
            FileEntry::Fabric(fabric) => items.extend(&fabric.items),
            FileEntry::Item(item) => items.push(item),
        }
    }
    for item in items {
        match &item.kind {
            ItemKind::Let(constant) => declared_names.push((true, &constant.name)),
            ItemKind::Param(param) => declared_names.push((true, &param.name)),
            ItemKind::Link(name, _) | ItemKind::Simulate(name, _) | ItemKind::Slice(name, _) => {
                declared_names.push((false, name))
            }
            ItemKind::Collective(setting) => declared_names.push((false, &setting.name)),
            ItemKind::Ocs(ocs) => {
                declared_names.push((false, &ocs.name));
                declared_names.extend(ocs.indices.iter().map(|index| (true, &index.name)));
            }
            _ => {}
        }
    }
    declared_names.into_iter().map(|(constant, name)| (constant, name.value.to_string(), name.span)).collect()
}

/// Where a span begins, as editors tell it: all letters before it are ASCII, or in a comment of their own.
fn cursor(text: &str, span: Span) -> Value {
    let before = &text[..span.start as usize];
    let begin = before.rfind('\n').map_or(0, |index| index + 1);
    json!({"line": before.matches('\n').count(), "character": before[begin..].chars().map(char::len_utf16).sum::<usize>()})
}

/// The bytes of a range.
fn bytes(text: &str, range: &Value) -> std::ops::Range<usize> {
    let range_of = |place: &Value| {
        let begin: usize =
            text.split_inclusive('\n').take(place["line"].as_u64().unwrap() as usize).map(str::len).sum();
        let mut letters_left = place["character"].as_u64().unwrap() as usize;
        let letters = text[begin..].chars().take_while(|letter| {
            let more = letters_left > 0;
            letters_left -= letter.len_utf16().min(letters_left);
            more
        });
        begin + letters.map(char::len_utf8).sum::<usize>()
    };
    range_of(&range["start"])..range_of(&range["end"])
}

#[test]
fn names_are_used_where_the_compiler_uses_them_and_can_be_changed_there() {
    let (mut requests, mut renamed) = (0, 0);
    for path in specs() {
        let text = std::fs::read_to_string(&path).unwrap();
        let (uri, shown) = (uri(&path), path.display().to_string());
        let mut server = Server::new(&Disk);
        open_document(&mut server, &uri, &text);
        let used = parse(&shown, &Disk).0.ok().map(|spec| used_names(&spec));
        let before = fabc::lang::read_normal(&shown, &Disk)
            .ok()
            .map(|(_, spec, _)| spec.files.iter().map(print).collect::<String>());
        for (constant, name, span) in declared(&text) {
            let place = cursor(&text, span);
            let references = json!({"textDocument": {"uri": uri}, "position": place, "context": {"includeDeclaration": false}});
            let references_found = answer(&mut server, "textDocument/references", references);
            let is_used = !references_found.as_array().unwrap().is_empty();
            // Other names there are not distinguished from units and words.
            if let Some(used) = used.as_ref().filter(|_| constant) {
                // A `sweep` names parameters as well, and the compiler does not count that.
                let swept = is_used && text.contains("sweep {");
                assert!(swept || is_used == used.contains(name.as_str()), "{shown}: {name}");
            }
            requests += 1;
            let Some(before) = &before else { continue };
            let new = format!("{name}_");
            let request = json!({"textDocument": {"uri": uri}, "position": place, "newName": new});
            let edit = match answer_or_error(&mut server, "textDocument/rename", request) {
                Ok(edit) => edit,
                // Edges of a graph name links, and a table of losses names switches: such a change is
                // refused.
                Err(error) => {
                    let is_named_elsewhere = text.contains("graph ") || text.contains("losses = ");
                    assert!(is_named_elsewhere && error.contains("would be broken"), "{shown}: {error}");
                    continue;
                }
            };
            let mut texts: BTreeMap<String, String> = BTreeMap::new();
            for (file, edits) in edit["changes"].as_object().unwrap() {
                let file = file.strip_prefix("file://").unwrap();
                let mut text = std::fs::read_to_string(file).unwrap();
                let mut edit_ranges: Vec<_> =
                    edits.as_array().unwrap().iter().map(|edit| bytes(&text, &edit["range"])).collect();
                edit_ranges.sort_by_key(|bytes| bytes.start);
                edit_ranges.into_iter().rev().for_each(|bytes| text.replace_range(bytes, &new));
                texts.insert(file.to_owned(), text);
            }
            let changed = |path: &str| texts.get(path).cloned().map_or_else(|| Disk.load(path, u64::MAX), Ok);
            let after = fabc::lang::read_normal(&shown, &changed)
                .map(|(_, spec, _)| spec.files.iter().map(print).collect::<String>());
            let first_message = |(failure, _): (fabc::diag::Failure, SourceMap)| {
                failure.diagnostics().first().map(ToString::to_string)
            };
            let after =
                after.map_err(first_message).unwrap_or_else(|error| panic!("{shown}: {new}: {error:?}"));
            // Constants are gone from the normal form.
            assert_eq!(after.replace(&new, &name), *before, "{shown}: {new}");
            renamed += 1;
        }
    }
    assert!(requests > 400 && renamed > 300, "{requests} {renamed}");
}

#[test]
fn texts_that_are_cut_off_are_read() {
    // At every place of a spec a person may have stopped to type.
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/small_slices.fab");
    let text = std::fs::read_to_string(&path).unwrap();
    let uri = uri(&path);
    for (index, _) in text.char_indices() {
        let mut server = Server::new(&Disk);
        open_document(&mut server, &uri, &text[..index]);
        let end = cursor(&text, Span { start: index as u32, end: index as u32 });
        answer(
            &mut server,
            "textDocument/completion",
            json!({"textDocument": {"uri": uri}, "position": end}),
        );
        let drawn =
            answer(&mut server, "textDocument/semanticTokens/full", json!({"textDocument": {"uri": uri}}));
        assert!(drawn["data"].as_array().unwrap().len().is_multiple_of(5));
    }
}
