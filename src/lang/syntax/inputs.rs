//! Points the files of a normal form at their copies in a built directory.

use super::ast::*;
use super::load::{items_of_file, join};
use fabc_model::{
    DEMAND_INPUT, GRAPH_INPUTS, HOSTS_INPUT, KINDS, LOSSES_INPUT, OCS_INPUT, PAIRS_INPUT, PHASES_INPUT,
    RANKS_INPUT, TRACE_INPUT, graph_input, kind_files, pairs_input, phases_input, ranks_input, trace_input,
};
use std::borrow::Cow;

/// The path in a built directory of the copy of a file. `wanted` is the path of the file in the normal form
/// at `spec`.
pub fn input_copy(spec: &str, wanted: &str) -> Cow<'static, str> {
    if let Some(rest) = wanted
        .strip_prefix(&join(spec, KINDS))
        .and_then(|rest| rest.strip_prefix('/'))
        .filter(|rest| rest.contains("/inputs/"))
    {
        return format!("{KINDS}{rest}").into();
    }
    for input in [PAIRS_INPUT, TRACE_INPUT, RANKS_INPUT, PHASES_INPUT] {
        if let Some(rest) = wanted.strip_prefix(&join(spec, input)) {
            return format!("{input}{rest}").into();
        }
    }
    let mut by_place = [DEMAND_INPUT, HOSTS_INPUT, LOSSES_INPUT].into_iter().chain(GRAPH_INPUTS);
    by_place.find(|copy| join(spec, copy) == wanted).unwrap_or(OCS_INPUT).into()
}

/// Points every file of a normal form at its copy in the built directory, so that the spec can be built
/// again.
pub fn with_inputs(mut normal: Spec) -> Spec {
    items_of(&mut normal).for_each(|item| with_input(item, ""));
    normal
}

/// Points the files of an item at their copies in `folder`, which ends with a `/`.
fn with_input(item: &mut Item, folder: &str) {
    let copy = |path: &str| Text::from(format!("{folder}{path}"));
    match &mut item.kind {
        ItemKind::Collective(Setting {
            name,
            value: SettingValue { kind: ValueKind::File(_, path, _), .. },
        }) => {
            path.value = copy(&pairs_input(&name.value));
        }
        ItemKind::Simulate(name, block) => point_files(block, &copy(&trace_input(&name.value))),
        ItemKind::Job(name, source, block) => {
            if let Some(source) = source {
                // A build keeps the phases of a trace, which are the same in any form.
                source.word.value = "phases".into();
                source.path.value = copy(&phases_input(&name.value));
                block.statements.retain(|statement| statement.kind.keyword() != "groups");
            }
            point_files(block, &copy(&ranks_input(&name.value)));
        }
        ItemKind::Setting(Setting {
            name,
            value: SettingValue { kind: ValueKind::File(kind, path, _), .. },
        }) => match (&*name.value, &*kind.value) {
            ("demand", _) => path.value = copy(DEMAND_INPUT),
            ("hosts", _) => path.value = copy(HOSTS_INPUT),
            ("losses", _) => {
                // A build keeps the dumps of switches as one table.
                kind.value = "table".into();
                path.value = copy(LOSSES_INPUT);
            }
            ("topology", "graph") => path.value = copy(graph_input(&path.value)),
            ("topology", "cross_connects") => path.value = copy(OCS_INPUT),
            _ => {}
        },
        ItemKind::Setting(Setting {
            value: SettingValue { kind: ValueKind::Block(_, block), .. }, ..
        }) => {
            for statement in &mut block.statements {
                if let StatementKind::Setting(Setting {
                    name,
                    value: SettingValue { kind: ValueKind::File(_, path, _), .. },
                }) = &mut statement.kind
                    && &*name.value == "start"
                {
                    path.value = copy(OCS_INPUT);
                }
            }
        }
        ItemKind::Slice(name, items) => {
            let folder = format!("{folder}{}", kind_files(&name.value));
            items.iter_mut().for_each(|item| with_input(item, &folder));
        }
        _ => {}
    }
}

/// Points the files of all settings of a block at one copy.
fn point_files(block: &mut Block, copy: &Text) {
    for statement in &mut block.statements {
        if let StatementKind::Setting(Setting {
            value: SettingValue { kind: ValueKind::File(_, path, _), .. },
            ..
        }) = &mut statement.kind
        {
            path.value = copy.clone();
        }
    }
}

/// Replaces the paths of files by fixed ones, wherever the files came from. Two normal forms that are equal
/// then mean the same.
pub fn without_origin(mut normal: Spec) -> Spec {
    let folder = kind_files("");
    items_of(&mut normal).for_each(|item| with_input(item, &folder));
    normal
}

/// All items of a spec, to be changed.
pub(super) fn items_of(spec: &mut Spec) -> impl Iterator<Item = &mut Item> {
    spec.files.iter_mut().flat_map(items_of_file)
}
