//! What a `use` changes in the file that it brings in.
//!
//! Comes in: a spec. Goes out: the values that parameters get, and the settings that other items get, each
//! once. A change reaches the file of its `use` and all files that this one uses; of two changes of one
//! thing that of the outer file counts, and two in files at the same depth are an error.

use super::errors::BindError;
use crate::syntax::ast::*;
use fabc_base::diag::{Span, list, suggestion};
use std::collections::{BTreeMap, BTreeSet};

/// The words of items that a `use` may change settings of.
const CHANGED: [&str; 9] =
    ["link", "router", "chip", "cube", "ocs", "budget", "failures", "floor", "simulate"];

/// What a spec changes.
#[derive(Default)]
pub(super) struct Changes<'a> {
    /// The values of parameters.
    pub(super) parameters: BTreeMap<Text, Constant>,
    /// Settings by what they are told as: `cubes`, `link copper.latency`.
    pub(super) settings: BTreeMap<String, Changed<'a>>,
}

/// One setting of an item.
pub(super) struct Changed<'a> {
    /// The files that the item may stand in.
    files: BTreeSet<usize>,
    /// The item, unless it is a setting itself.
    item: Option<&'a Change>,
    /// What it gets.
    pub(super) statement: &'a Statement,
}

/// One change before it is known whether it counts.
struct Found<'a> {
    key: String,
    span: Span,
    depth: usize,
    changed: Changed<'a>,
}

/// All changes of a spec.
pub(super) fn changes<'a>(spec: &'a Spec, errors: &mut Vec<BindError>) -> Changes<'a> {
    let depths = depths(spec);
    let mut found = Vec::new();
    for (at, used) in spec.uses() {
        let (Some(block), Some(file)) = (&used.changes, used.file) else { continue };
        let files = reached(spec, file);
        for statement in &block.statements {
            found.extend(one(spec, &used.path.value, statement, &files, depths[at], errors));
        }
    }
    // The outermost first: it counts.
    found.sort_by_key(|found| (found.depth, found.span));
    let mut changes = Changes::default();
    let mut first: BTreeMap<String, (usize, Span)> = BTreeMap::new();
    for Found { key, span, depth, changed } in found {
        match first.get(&key) {
            Some(&(before, first)) if before == depth => {
                let help = "remove one of the two";
                errors.push(BindError::Twice {
                    what: format!("`{key}`"),
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
                    .filter(|_| changed.item.is_none() && parameter(spec, &key, &changed.files))
                {
                    Some(value) => _ = changes.parameters.insert(setting.name.value.clone(), value),
                    None => _ = changes.settings.insert(key, changed),
                }
            }
        }
    }
    changes
}

/// How deep every file lies below the spec.
fn depths(spec: &Spec) -> Vec<usize> {
    let mut depths = vec![usize::MAX; spec.files.len()];
    depths[0] = 0;
    let uses: Vec<(usize, usize)> = spec.uses().filter_map(|(at, used)| Some((at, used.file?))).collect();
    for depth in 0..spec.files.len() {
        for &(at, file) in &uses {
            if depths[at] == depth {
                depths[file] = depths[file].min(depth + 1);
            }
        }
    }
    depths
}

/// A file and all that it uses.
fn reached(spec: &Spec, file: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::from([file]);
    let mut open = vec![file];
    while let Some(file) = open.pop() {
        let next = spec.uses().filter(|(at, _)| *at == file).filter_map(|(_, used)| used.file);
        open.extend(next.filter(|&file| reached.insert(file)));
    }
    reached
}

fn items<'a>(spec: &'a Spec, files: &BTreeSet<usize>) -> impl Iterator<Item = &'a Item> {
    let entries = files.iter().filter_map(|&file| spec.files.get(file)).flat_map(|file| &file.entries);
    entries.flat_map(|entry| match entry {
        Entry::Fabric(fabric) => &fabric.items[..],
        Entry::Item(item) => std::slice::from_ref(item),
    })
}

fn parameter(spec: &Spec, name: &str, files: &BTreeSet<usize>) -> bool {
    items(spec, files).any(|item| matches!(&item.kind, ItemKind::Param(param) if &*param.name.value == name))
}

/// A value that a parameter may have.
fn constant(value: &Value) -> Option<Constant> {
    let kind = match &value.kind {
        ValueKind::Quantity(quantity) => ConstantKind::Quantity(quantity.clone()),
        ValueKind::File(kind, text, None) if kind.value.is_empty() => ConstantKind::Text(text.clone()),
        _ => return None,
    };
    Some(Constant { kind, span: value.span })
}

/// The name of an item, if it has one.
fn name(kind: &ItemKind) -> Option<&Name> {
    match kind {
        ItemKind::Link(name, _) | ItemKind::Simulate(name, _) => Some(name),
        ItemKind::Ocs(ocs) => Some(&ocs.name),
        _ => None,
    }
}

/// Whether a change is one of this item.
fn changes_item(change: &Change, kind: &ItemKind) -> bool {
    CHANGED.contains(&&*change.word.value)
        && kind.keyword() == &*change.word.value
        && name(kind).map(|name| &name.value) == change.name.as_ref().map(|name| &name.value)
        && block(&mut kind.clone()).is_some()
}

/// The settings of an item.
fn block(kind: &mut ItemKind) -> Option<&mut Block> {
    match kind {
        ItemKind::Link(_, block) | ItemKind::Simulate(_, block) => Some(block),
        ItemKind::Router(block)
        | ItemKind::Chip(block)
        | ItemKind::Cube(block)
        | ItemKind::Budget(block)
        | ItemKind::Failures(block)
        | ItemKind::Floor(block) => Some(block),
        ItemKind::Ocs(ocs) => Some(&mut ocs.block),
        _ => None,
    }
}

/// One statement of the block of a `use`, which may be several changes.
fn one<'a>(
    spec: &'a Spec,
    path: &str,
    statement: &'a Statement,
    files: &BTreeSet<usize>,
    depth: usize,
    errors: &mut Vec<BindError>,
) -> Vec<Found<'a>> {
    let mut nothing = |what: String, help: String, span: Span| {
        errors.push(BindError::NothingToChange { path: path.to_owned(), what, help, span });
    };
    let found = |key: String, item: Option<&'a Change>, statement: &'a Statement| {
        let changed = Changed { files: files.clone(), item, statement };
        Found { key, span: statement.span, depth, changed }
    };
    match &statement.kind {
        StatementKind::Setting(setting) => {
            let word = &*setting.name.value;
            let text = matches!(&setting.value.kind, ValueKind::File(kind, ..) if kind.value.is_empty());
            let is_setting = !text
                && items(spec, files)
                    .any(|item| matches!(&item.kind, ItemKind::Setting(known) if *known.name.value == *word));
            if is_setting || parameter(spec, word, files) {
                return vec![found(word.to_owned(), None, statement)];
            }
            let known = items(spec, files).filter_map(|item| match &item.kind {
                ItemKind::Param(param) => Some(&*param.name.value),
                ItemKind::Setting(setting) => Some(&*setting.name.value),
                _ => None,
            });
            let help = suggestion(word, known)
                .unwrap_or_else(|| "it has no parameters and no settings of its own".to_owned());
            nothing(format!("parameter or setting `{word}`"), help, setting.name.span);
        }
        StatementKind::Change(change) => {
            let title = change.name.as_ref().map_or(String::new(), |name| format!(" {}", name.value));
            let title = format!("{}{title}", change.word.value);
            if !items(spec, files).any(|item| changes_item(change, &item.kind)) {
                let help = if CHANGED.contains(&&*change.word.value) {
                    let same = items(spec, files).filter(|item| item.kind.keyword() == &*change.word.value);
                    let names: Vec<&str> = same.filter_map(|item| Some(&*name(&item.kind)?.value)).collect();
                    match &names[..] {
                        [] => format!("write `{title} {{ .. }}` beside the `use`, where it is new"),
                        names => format!("it declares {}", list(names)),
                    }
                } else {
                    format!("a `use` changes parameters, settings, and settings of {}", list(&CHANGED))
                };
                nothing(format!("`{title}`"), help, change.word.span);
                return Vec::new();
            }
            let statements = change.block.statements.iter();
            return statements
                .map(|statement| {
                    found(format!("{title}.{}", statement.kind.keyword()), Some(change), statement)
                })
                .collect();
        }
        _ => nothing(
            "such a line".to_owned(),
            "a `use` changes parameters and settings".to_owned(),
            statement.span,
        ),
    }
    Vec::new()
}

/// Gives the items their settings; `statement` is that of the change with its constants put in.
pub(super) fn apply(spec: &mut Spec, changed: &Changed<'_>, statement: &Statement) {
    let files = spec.files.iter_mut().enumerate().filter(|(at, _)| changed.files.contains(at));
    let items = files.flat_map(|(_, file)| &mut file.entries).flat_map(|entry| match entry {
        Entry::Fabric(fabric) => &mut fabric.items[..],
        Entry::Item(item) => std::slice::from_mut(item),
    });
    for item in items {
        match (changed.item, &mut item.kind, &statement.kind) {
            (None, ItemKind::Setting(known), StatementKind::Setting(setting))
                if known.name.value == setting.name.value =>
            {
                known.clone_from(setting);
            }
            (Some(change), kind, _) if changes_item(change, kind) => {
                let Some(block) = block(kind) else { continue };
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
