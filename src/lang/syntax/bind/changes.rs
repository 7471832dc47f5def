//! Finds and applies the changes that a `use` makes in its file.
//!
//! In: a spec. Out: the values that parameters get, and the settings that other items get, each once. A
//! change reaches the file of its `use` and all files that this one uses. If two changes concern one thing,
//! the outer file wins. Two changes at the same depth are an error.

use super::errors::BindError;
use crate::syntax::ast::*;
use crate::syntax::words::CHANGED_BY_USE;
use fabc_base::diag::{Span, list, suggestion};
use std::collections::{BTreeMap, BTreeSet};

/// All changes that a spec makes.
#[derive(Default)]
pub(super) struct UseChanges<'a> {
    /// The values of parameters, by name.
    pub(super) parameters: BTreeMap<Text, Constant>,
    /// Changed settings by their names in reports: `cubes`, `link copper.latency`.
    pub(super) settings: BTreeMap<String, SettingChange<'a>>,
}

/// A new value for one setting of an item.
pub(super) struct SettingChange<'a> {
    /// The files that may contain the item.
    files: BTreeSet<usize>,
    /// The item, unless it is a setting itself.
    item: Option<&'a UseChange>,
    /// The setting that it gets.
    pub(super) statement: &'a Statement,
}

/// A change before it is known whether it takes effect.
struct CandidateChange<'a> {
    key: String,
    span: Span,
    depth: usize,
    changed: SettingChange<'a>,
}

/// Finds all changes of a spec.
pub(super) fn find_changes<'a>(spec: &'a Spec, errors: &mut Vec<BindError>) -> UseChanges<'a> {
    let depths = depths(spec);
    let mut candidates = Vec::new();
    for (file_index, used) in spec.uses() {
        let (Some(block), Some(file)) = (&used.changes, used.file) else { continue };
        let files = reached(spec, file);
        for statement in &block.statements {
            candidates.extend(changes_of_statement(
                spec,
                &used.path.value,
                statement,
                &files,
                depths[file_index],
                errors,
            ));
        }
    }
    // The change of the outermost file takes effect.
    candidates.sort_by_key(|change| (change.depth, change.span));
    let mut changes = UseChanges::default();
    let mut first: BTreeMap<String, (usize, Span)> = BTreeMap::new();
    for CandidateChange { key, span, depth, changed } in candidates {
        match first.get(&key) {
            Some(&(first_depth, first)) if first_depth == depth => {
                let help = "remove one of the two";
                errors.push(BindError::Twice {
                    subject: format!("`{key}`"),
                    again: "changed",
                    help,
                    span,
                    first,
                });
            }
            Some(_) => {}
            None => {
                first.insert(key.clone(), (depth, span));
                let StatementKind::Setting(setting) = &changed.statement.kind else {
                    changes.settings.insert(key, changed);
                    continue;
                };
                match constant(&setting.value)
                    .filter(|_| changed.item.is_none() && declares_parameter(spec, &key, &changed.files))
                {
                    Some(value) => _ = changes.parameters.insert(setting.name.value.clone(), value),
                    None => _ = changes.settings.insert(key, changed),
                }
            }
        }
    }
    changes
}

/// The depth of every file below the spec.
fn depths(spec: &Spec) -> Vec<usize> {
    let mut depths = vec![usize::MAX; spec.files.len()];
    depths[0] = 0;
    let uses: Vec<(usize, usize)> = spec.uses().filter_map(|(user, used)| Some((user, used.file?))).collect();
    for depth in 0..spec.files.len() {
        for &(user, file) in &uses {
            if depths[user] == depth {
                depths[file] = depths[file].min(depth + 1);
            }
        }
    }
    depths
}

/// A file and all files that it uses, directly or not.
fn reached(spec: &Spec, file: usize) -> BTreeSet<usize> {
    let mut reachable_files = BTreeSet::from([file]);
    let mut open = vec![file];
    while let Some(file) = open.pop() {
        let next = spec.uses().filter(|(user, _)| *user == file).filter_map(|(_, used)| used.file);
        open.extend(next.filter(|&file| reachable_files.insert(file)));
    }
    reachable_files
}

fn items_of_files<'a>(spec: &'a Spec, files: &BTreeSet<usize>) -> impl Iterator<Item = &'a Item> {
    let entries = files.iter().filter_map(|&file| spec.files.get(file)).flat_map(|file| &file.entries);
    entries.flat_map(|entry| match entry {
        FileEntry::Fabric(fabric) => &fabric.items[..],
        FileEntry::Item(item) => std::slice::from_ref(item),
    })
}

fn declares_parameter(spec: &Spec, name: &str, files: &BTreeSet<usize>) -> bool {
    items_of_files(spec, files)
        .any(|item| matches!(&item.kind, ItemKind::Param(param) if &*param.name.value == name))
}

/// Returns the value as a constant, if a parameter may have it.
fn constant(value: &SettingValue) -> Option<Constant> {
    let kind = match &value.kind {
        ValueKind::Quantity(quantity) => ConstantKind::Quantity(quantity.clone()),
        ValueKind::File(kind, text, None) if kind.value.is_empty() => ConstantKind::Text(text.clone()),
        _ => return None,
    };
    Some(Constant { kind, span: value.span })
}

/// The name of an item, if it has one.
fn item_name(kind: &ItemKind) -> Option<&Name> {
    match kind {
        ItemKind::Link(name, _)
        | ItemKind::RouterKind(name, _)
        | ItemKind::Box(name, _)
        | ItemKind::Simulate(name, _)
        | ItemKind::Job(name, ..) => Some(name),
        ItemKind::Ocs(ocs) => Some(&ocs.name),
        _ => None,
    }
}

/// Whether a change concerns this item.
fn changes_item(change: &UseChange, kind: &ItemKind) -> bool {
    CHANGED_BY_USE.contains(&&*change.word.value)
        && kind.keyword() == &*change.word.value
        && item_name(kind).map(|name| &name.value) == change.name.as_ref().map(|name| &name.value)
        && settings_block(&mut kind.clone()).is_some()
}

/// The settings of an item.
fn settings_block(kind: &mut ItemKind) -> Option<&mut Block> {
    match kind {
        ItemKind::Link(_, block)
        | ItemKind::RouterKind(_, block)
        | ItemKind::Box(_, block)
        | ItemKind::Simulate(_, block)
        | ItemKind::Job(_, _, block) => Some(block),
        ItemKind::Router(block)
        | ItemKind::Chip(block)
        | ItemKind::Cube(block)
        | ItemKind::Budget(block)
        | ItemKind::Failures(block)
        | ItemKind::Floor(block)
        | ItemKind::Addresses(block) => Some(block),
        ItemKind::Ocs(ocs) => Some(&mut ocs.block),
        _ => None,
    }
}

/// Returns the changes of one statement in the block of a `use`. Reports a statement that changes nothing.
fn changes_of_statement<'a>(
    spec: &'a Spec,
    path: &str,
    statement: &'a Statement,
    files: &BTreeSet<usize>,
    depth: usize,
    errors: &mut Vec<BindError>,
) -> Vec<CandidateChange<'a>> {
    let mut report_nothing = |subject: String, help: String, span: Span| {
        errors.push(BindError::NothingToChange { path: path.to_owned(), subject, help, span });
    };
    let candidate = |key: String, item: Option<&'a UseChange>, statement: &'a Statement| {
        let changed = SettingChange { files: files.clone(), item, statement };
        CandidateChange { key, span: statement.span, depth, changed }
    };
    match &statement.kind {
        StatementKind::Setting(setting) => {
            let word = &*setting.name.value;
            let text = matches!(&setting.value.kind, ValueKind::File(kind, ..) if kind.value.is_empty());
            let is_setting = !text
                && items_of_files(spec, files)
                    .any(|item| matches!(&item.kind, ItemKind::Setting(known) if *known.name.value == *word));
            if is_setting || declares_parameter(spec, word, files) {
                return vec![candidate(word.to_owned(), None, statement)];
            }
            let known = items_of_files(spec, files).filter_map(|item| match &item.kind {
                ItemKind::Param(param) => Some(&*param.name.value),
                ItemKind::Setting(setting) => Some(&*setting.name.value),
                _ => None,
            });
            let help = suggestion(word, known)
                .unwrap_or_else(|| "it declares no parameters and no settings".to_owned());
            report_nothing(format!("parameter or setting `{word}`"), help, setting.name.span);
        }
        StatementKind::Change(change) => {
            let title = change.name.as_ref().map_or(String::new(), |name| format!(" {}", name.value));
            let title = format!("{}{title}", change.word.value);
            if !items_of_files(spec, files).any(|item| changes_item(change, &item.kind)) {
                let help = if CHANGED_BY_USE.contains(&&*change.word.value) {
                    let same_kind =
                        items_of_files(spec, files).filter(|item| item.kind.keyword() == &*change.word.value);
                    let names: Vec<&str> =
                        same_kind.filter_map(|item| Some(&*item_name(&item.kind)?.value)).collect();
                    match &names[..] {
                        [] => format!("write `{title} {{ .. }}` beside the `use`, where it is new"),
                        names => format!("it declares {}", list(names)),
                    }
                } else {
                    format!("a `use` changes parameters, settings, and settings of {}", list(&CHANGED_BY_USE))
                };
                report_nothing(format!("`{title}`"), help, change.word.span);
                return Vec::new();
            }
            let statements = change.block.statements.iter();
            return statements
                .map(|statement| {
                    candidate(format!("{title}.{}", statement.kind.keyword()), Some(change), statement)
                })
                .collect();
        }
        _ => report_nothing(
            "such a line".to_owned(),
            "a `use` changes parameters and settings".to_owned(),
            statement.span,
        ),
    }
    Vec::new()
}

/// Applies a change to the items of the spec. `statement` is the changed setting with its constants replaced.
pub(super) fn apply(spec: &mut Spec, changed: &SettingChange<'_>, statement: &Statement) {
    let files = spec.files.iter_mut().enumerate().filter(|(index, _)| changed.files.contains(index));
    let items = files.flat_map(|(_, file)| &mut file.entries).flat_map(|entry| match entry {
        FileEntry::Fabric(fabric) => &mut fabric.items[..],
        FileEntry::Item(item) => std::slice::from_mut(item),
    });
    for item in items {
        match (changed.item, &mut item.kind, &statement.kind) {
            (None, ItemKind::Setting(known), StatementKind::Setting(setting))
                if known.name.value == setting.name.value =>
            {
                known.clone_from(setting);
            }
            (Some(change), kind, _) if changes_item(change, kind) => {
                let Some(block) = settings_block(kind) else { continue };
                match block
                    .statements
                    .iter_mut()
                    .find(|known| known.kind.keyword() == statement.kind.keyword())
                {
                    Some(known) => known.clone_from(statement),
                    None => block.statements.push(statement.clone()),
                }
            }
            _ => {}
        }
    }
}
