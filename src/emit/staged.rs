//! Writes the tables of every stage of a plan: for people, as a part of `fabc.plan/1`, and as files.

use super::json::{push, push_lines, push_numbers};
use super::number::grouped;
use super::repair::{delta_json, push_change};
use super::{Artifact, repaired_tables};
use fabc_ir::{ChangeOrder, ForwardingTables, Fraction, StagedPlan, SwitchPlan, TableChange};
use fabc_model::Pod;

/// Summarizes the stages for people.
pub fn staged_text(pod: &Pod, plan: &SwitchPlan, staged: &StagedPlan) -> String {
    let load = |load: u64| Fraction::new(load, staged.parts.max(1)).as_f64();
    let [old, new] = staged.loads.map(load);
    let mut out = String::new();
    let batches = if staged.stages.len() == 1 {
        "1 batch".to_owned()
    } else {
        format!("{} batches", staged.stages.len())
    };
    let last = staged.last.last().map_or(0, |last| last.load);
    let order = if staged.last.len() > 1 { "and a new order" } else { "under one order" };
    push(
        &mut out,
        format_args!(
            "{batches} {order}: load {old} before, {} after ({new} as the new pod was built)\n",
            load(last)
        ),
    );
    for (number, stage) in (1..).zip(&staged.stages) {
        let steps = &plan.steps[stage.steps.clone()];
        let mut switches: Vec<&str> = steps.iter().map(|step| pod.ocses[step.ocs].name.as_str()).collect();
        switches.dedup();
        let switch_range = match &switches[..] {
            [name] => (*name).to_owned(),
            [first, .., last] => format!("{} switches from {first} to {last}", switches.len()),
            [] => String::new(),
        };
        push(
            &mut out,
            format_args!(
                "  {number:>3}  steps {} to {}, {switch_range}: load {}, {}\n",
                stage.steps.start + 1,
                stage.steps.end,
                load(stage.tables.load),
                change_counts(&stage.tables)
            ),
        );
    }
    for change in &staged.last {
        let how = match change.order {
            ChangeOrder::Kept => String::new(),
            ChangeOrder::Above => format!(" into virtual channels {} to {}", staged.vcs, 2 * staged.vcs - 1),
            ChangeOrder::Below => format!(" back to virtual channels 0 to {}", staged.vcs - 1),
        };
        push(&mut out, format_args!("  end{how}  load {}, {}\n", load(change.load), change_counts(change)));
    }
    out
}

fn change_counts(change: &TableChange) -> String {
    let [add, turn, drop] = change.delta.counts().map(grouped);
    let waits = match change.delta.stranded.len() {
        0 => String::new(),
        1 => "; 1 key waits".to_owned(),
        keys => format!("; {} keys wait", grouped(keys as u64)),
    };
    format!("{add} entries added, {turn} turned, {drop} dropped{waits}")
}

/// Writes the stages as members of `fabc.plan/1`.
pub(super) fn push_staged(out: &mut String, plan: &SwitchPlan, staged: &StagedPlan) {
    let mut last_of_group = Vec::new();
    for group in plan.groups() {
        last_of_group.push(last_of_group.last().copied().unwrap_or(0) + group.len());
    }
    let group = |step: usize| last_of_group.partition_point(|&last| last <= step) + 1;
    out.push_str(",\n\"stages\":");
    push_lines(out, (1..).zip(&staged.stages), |out, (number, stage)| {
        let (first, last) = (stage.steps.start + 1, stage.steps.end);
        push(out, format_args!("{{\"stage\":{number},\"steps\":[{first},{last}],\"groups\":"));
        push_numbers(out, group(first - 1)..=group(last - 1));
        push_change(out, &stage_folder(number, staged), &stage.tables);
    });
    out.push_str(",\n\"final\":");
    push_lines(out, &staged.last, |out, change| {
        out.push_str("{\"stage\":null");
        push_change(out, last_folder(change), change);
    });
    let [old, new] = staged.loads;
    push(
        out,
        format_args!(
            ",\n\"load\":{{\"old\":{old},\"new\":{new},\"parts\":{}}},\"vcs\":{},\n\"ranks\":",
            staged.parts, staged.vcs
        ),
    );
    push_numbers(out, &staged.ranks);
}

/// The folder of a final change of tables: `final`, or `above` for one on the way to it.
fn last_folder(change: &TableChange) -> &'static str {
    if change.order == ChangeOrder::Above { "above" } else { "final" }
}

/// The folder of a stage's tables.
fn stage_folder(number: usize, staged: &StagedPlan) -> String {
    let width = staged.stages.len().to_string().len().max(2);
    format!("stage-{number:0width$}")
}

/// Hands over the files of all stages: the change of tables, and the tables after it. `tables` are the live
/// ones.
///
/// # Errors
/// The first error that `take` returns.
pub fn each_staged<E>(
    fabric: &str,
    staged: &StagedPlan,
    tables: &ForwardingTables,
    take: &mut dyn FnMut(Artifact) -> Result<(), E>,
) -> Result<(), E> {
    let folders =
        (1..).zip(&staged.stages).map(|(number, stage)| (stage_folder(number, staged), &stage.tables));
    let mut tables = tables.clone();
    for (folder, change) in
        folders.chain(staged.last.iter().map(|change| (last_folder(change).to_owned(), change)))
    {
        take(Artifact {
            path: format!("{folder}/delta.json"),
            bytes: delta_json(fabric, &change.delta).into_bytes(),
        })?;
        tables = change.delta.applied(&tables, &[], &tables.scenario);
        tables.vcs = change.order.vcs_after(staged.vcs);
        let Artifact { path, bytes } = repaired_tables(&tables);
        take(Artifact { path: format!("{folder}/{path}"), bytes })?;
    }
    Ok(())
}
