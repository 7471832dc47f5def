//! Writes a plan of changes: for people, as `fabc.plan/1`, and as RFC 6902 patches of the switches' SONiC
//! CONFIG_DB.
//!
//! A group is a run of steps on one switch. Groups are executed in their order, and so are the steps in a
//! group.

use super::config_db::cross_connect_entries;
use super::json::{push, push_lines, push_numbers, quote, strings};
use super::number::grouped;
use super::staged::push_staged;
use super::{Artifact, EmitError};
use fabc_base::ids::OcsId;
use fabc_ir::{PlanCut, PlanStep, StagedPlan, StepChange, SwitchPlan};
use fabc_model::{Pod, file_stem};

/// Writes the plan for people, in at most 100 columns except for long names.
pub fn plan_text(name: &str, pod: &Pod, plan: &SwitchPlan) -> String {
    let mut out = String::new();
    let kept: usize = plan.kept.iter().sum();
    if plan.steps.is_empty() {
        push(&mut out, format_args!("{}: nothing to change, {} stay\n", name, cross_connects(kept)));
        return out;
    }
    let (removes, adds) = (plan.count(StepChange::Remove), plan.moves());
    push(
        &mut out,
        format_args!(
            "{}: {} removed, {} added, {} stay\n",
            name,
            grouped_count(removes),
            grouped_count(adds),
            cross_connects(kept)
        ),
    );
    if plan.live_parts > 1 {
        push(
            &mut out,
            format_args!(
                "the live cross-connects leave the pod disconnected into {} parts\n",
                grouped_count(plan.live_parts)
            ),
        );
    }
    match plan.cuts.is_empty() {
        true => out.push_str("the pod is connected after every step"),
        false => push(
            &mut out,
            format_args!(
                "the pod is disconnected after {} of {} steps",
                plan.steps_in_parts(),
                plan.steps.len()
            ),
        ),
    }
    let fewest_lit = plan.steps.iter().map(|step| step.lit).min().unwrap_or(0);
    push(&mut out, format_args!("; at least {} lit all the time\n", cross_connects(fewest_lit)));
    for cut in &plan.cuts {
        push(&mut out, format_args!("  {}\n", cut_line(pod, cut)));
    }
    let width = plan.steps.len().to_string().len().max(4);
    let mut first = 1;
    for group in plan.groups() {
        let ocs = group[0].ocs;
        let last = first + group.len() - 1;
        let counts = [StepChange::Remove, StepChange::Add]
            .map(|change| group.iter().filter(|step| step.change == change).count());
        push(
            &mut out,
            format_args!(
                "\n{}  steps {first} to {last}: {} removed, {} added, {} stay\n",
                pod.ocses[ocs].name, counts[0], counts[1], plan.kept[ocs]
            ),
        );
        if plan.replaced.contains(&ocs) {
            out.push_str(
                "  after the removes a spare switch takes its place: every fiber to the same port\n",
            );
        }
        for (number, step) in (first..).zip(group) {
            let [a, b] = face_names(pod, step);
            let sign = if step.change == StepChange::Remove { '-' } else { '+' };
            let parts = if step.parts > 1 { format!(", {} parts", step.parts) } else { String::new() };
            push(
                &mut out,
                format_args!(
                    "  {number:>width$}  {sign}  {a:<18}  {b:<18}  {} lit{parts}\n",
                    grouped(step.lit as u64)
                ),
            );
        }
        first = last + 1;
    }
    out
}

/// Describes a cut in a line, such as
/// `cube1 is disconnected after steps 2 to 3: only changing cross-connects of X[0,0] join it to the rest`.
pub fn cut_line(pod: &Pod, cut: &PlanCut) -> String {
    let shorten = |names: Vec<String>| {
        let more = names.len().saturating_sub(8);
        let shown = names.into_iter().take(8).collect::<Vec<_>>().join(", ");
        if more > 0 { format!("{shown} and {more} more") } else { shown }
    };
    let cubes = shorten(cut.apart.iter().map(|cube| format!("cube{cube}")).collect());
    let switches = shorten(cut.between.iter().map(|&ocs| pod.ocses[ocs].name.clone()).collect());
    let verb = if cut.apart.len() == 1 { "is" } else { "are" };
    let steps = if cut.first == cut.last {
        format!("step {}", cut.first)
    } else {
        format!("steps {} to {}", cut.first, cut.last)
    };
    let it = if cut.apart.len() == 1 { "it" } else { "them" };
    match cut.between.len() {
        0 => format!(
            "{cubes} {verb} disconnected after {steps}: no cross-connect, live or new, joins {it} to the rest"
        ),
        _ => format!(
            "{cubes} {verb} disconnected after {steps}: only changing cross-connects of {switches} join {it} to the rest"
        ),
    }
}

/// The plan as JSON (`fabc.plan/1`). `staged` adds the tables of every moment.
pub fn plan_json(name: &str, pod: &Pod, plan: &SwitchPlan, staged: Option<&StagedPlan>) -> String {
    let mut out = format!("{{\"format\":\"fabc.plan/1\",\"fabric\":{},\n", quote(name));
    let kept: usize = plan.kept.iter().sum();
    let (removes, adds) = (plan.count(StepChange::Remove), plan.moves());
    push(&mut out, format_args!("\"removed\":{removes},\"added\":{adds},\"kept\":{kept},\n"));
    push(
        &mut out,
        format_args!(
            "\"live_parts\":{},\"steps_in_parts\":{},\"fewest\":{},\n",
            plan.live_parts,
            plan.steps_in_parts(),
            plan.fewest
        ),
    );
    out.push_str("\"cuts\":");
    push_lines(&mut out, &plan.cuts, |out, cut| {
        push(out, format_args!("{{\"first\":{},\"last\":{},\"apart\":", cut.first, cut.last));
        push_numbers(out, &cut.apart);
        push(
            out,
            format_args!(",\"between\":{}}}", strings(cut.between.iter().map(|&ocs| &pod.ocses[ocs].name))),
        );
    });
    if !plan.replaced.is_empty() {
        let names = strings(plan.replaced.iter().map(|&ocs| &pod.ocses[ocs].name));
        push(&mut out, format_args!(",\n\"replaced\":{names}"));
    }
    out.push_str(",\n\"groups\":");
    let mut number = 0;
    push_lines(&mut out, plan.groups(), |out, group| {
        let ocs = group[0].ocs;
        push(
            out,
            format_args!("{{\"ocs\":{},\"kept\":{},\"steps\":", quote(&pod.ocses[ocs].name), plan.kept[ocs]),
        );
        push_lines(out, group, |out, step| {
            number += 1;
            let [a, b] = face_names(pod, step).map(|name| quote(&name));
            let operation = if step.change == StepChange::Remove { "remove" } else { "add" };
            let ([i, j], lit, parts) = (step.pair, step.lit, step.parts);
            push(
                out,
                format_args!(
                    "{{\"step\":{number},\"op\":\"{operation}\",\"pair\":[{i},{j}],\"a\":{a},\"b\":{b},\"lit\":{lit},\"parts\":{parts}}}"
                ),
            );
        });
        out.push_str(",\"patch\":");
        match pod.ocses[ocs].config_db.state_key() {
            Some(_) => push_patch(out, pod, &plan.replaced, group),
            None => out.push_str("null"),
        }
        out.push('}');
    });
    if let Some(staged) = staged {
        push_staged(&mut out, plan, staged);
    }
    out.push_str("}\n");
    out
}

/// One RFC 6902 patch per group, for the `config_db.json` of its switch. The number in a file name is the
/// position of the group.
///
/// # Errors
/// [`EmitError::NoConfigDb`] if a switch of the plan has no such file.
pub fn plan_patches(pod: &Pod, steps: &[PlanStep], replaced: &[OcsId]) -> Result<Vec<Artifact>, EmitError> {
    let groups = || steps.chunk_by(|step, next| step.ocs == next.ocs);
    if let Some(group) = groups().find(|group| pod.ocses[group[0].ocs].config_db.state_key().is_none()) {
        return Err(EmitError::no_config_db(&pod.ocses[group[0].ocs]));
    }
    let width = groups().count().to_string().len().max(3);
    let file = |(number, group): (usize, &[PlanStep])| {
        let mut text = String::new();
        push_patch(&mut text, pod, replaced, group);
        text.push('\n');
        let path = format!("{number:0width$}-{}.patch.json", file_stem(&pod.ocses[group[0].ocs].name));
        Artifact { path, bytes: text.into_bytes() }
    };
    Ok((1..).zip(groups()).map(file).collect())
}

/// Writes the patch of a group. The configuration of a spare switch has no cross-connects to remove.
fn push_patch(out: &mut String, pod: &Pod, replaced: &[OcsId], group: &[PlanStep]) {
    let is_patched = |step: &&PlanStep| step.change == StepChange::Add || !replaced.contains(&step.ocs);
    let entries = group.iter().filter(is_patched).flat_map(|step| {
        cross_connect_entries(&pod.ocses[step.ocs], step.pair).into_iter().map(|entry| (step.change, entry))
    });
    push_lines(out, entries, |out, (change, entry)| {
        let path = format!("/OCS_CROSS_CONNECT/{}", entry.key());
        match change {
            StepChange::Remove => push(out, format_args!("{{\"op\":\"remove\",\"path\":{}}}", quote(&path))),
            StepChange::Add => {
                push(
                    out,
                    format_args!("{{\"op\":\"add\",\"path\":{},\"value\":{}}}", quote(&path), entry.value()),
                );
            }
        }
    });
}

fn face_names(pod: &Pod, step: &PlanStep) -> [String; 2] {
    let ocs: OcsId = step.ocs;
    pod.ocses[ocs].faces(step.pair).map(|face| pod.face_port_name(face))
}

fn grouped_count(count: usize) -> String {
    grouped(count as u64)
}

fn cross_connects(count: usize) -> String {
    format!("{} cross-connect{}", grouped_count(count), if count == 1 { "" } else { "s" })
}
