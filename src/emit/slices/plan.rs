//! Writes the plan to another placement, for people and as `fabc.slices_plan/1`.

use crate::json::{push, push_lines, quote};
use crate::number::grouped;
use fabc_ir::{SliceChange, SlicePlan, StepChange};
use fabc_model::Pod;

/// Writes the plan for people, one block per change of a slice.
pub fn slices_plan_text(name: &str, pod: &Pod, plan: &SlicePlan) -> String {
    let slices =
        |count: usize| format!("{} slice{}", grouped(count as u64), if count == 1 { "" } else { "s" });
    if plan.changes.is_empty() {
        return format!("{name}: nothing to change, {} stay as they are\n", slices(plan.untouched));
    }
    let steps = plan.steps();
    let count =
        |change: StepChange| grouped(steps.iter().filter(|step| step.change == change).count() as u64);
    let (removes, adds) = (count(StepChange::Remove), count(StepChange::Add));
    let mut out = format!(
        "{name}: {removes} cross-connects removed, {adds} added; {} not touched at all\n",
        slices(plan.untouched)
    );
    let mut first = 1;
    for SliceChange { slice, why, steps } in &plan.changes {
        let last = first + steps.len() - 1;
        let switches = steps.chunk_by(|step, next| step.ocs == next.ocs).count();
        let verb = if steps[0].change == StepChange::Remove { "removed" } else { "added" };
        let slice = slice.as_deref().unwrap_or("of no slice");
        push(
            &mut out,
            format_args!(
                "\n{slice} ({})  steps {first} to {last}: {} {verb} on {switches} switches\n",
                why.name(),
                steps.len()
            ),
        );
        for group in steps.chunk_by(|step, next| step.ocs == next.ocs) {
            let pairs: Vec<String> = group
                .iter()
                .map(|step| {
                    pod.ocses[step.ocs].faces(step.pair).map(|face| pod.face_port_name(face)).join(" - ")
                })
                .collect();
            push(&mut out, format_args!("  {:<8}  {}\n", pod.ocses[group[0].ocs].name, pairs.join(", ")));
        }
        first = last + 1;
    }
    out
}

/// The plan as JSON (`fabc.slices_plan/1`).
pub fn slices_plan_json(name: &str, pod: &Pod, plan: &SlicePlan) -> String {
    let mut out = format!(
        "{{\"format\":\"fabc.slices_plan/1\",\"fabric\":{},\"untouched\":{},\n\"changes\":",
        quote(name),
        plan.untouched
    );
    push_lines(&mut out, &plan.changes, |out, SliceChange { slice, why, steps }| {
        let slice = slice.as_deref().map_or("null".to_owned(), quote);
        let op = if steps[0].change == StepChange::Remove { "remove" } else { "add" };
        push(out, format_args!("{{\"slice\":{slice},\"why\":\"{}\",\"op\":\"{op}\",\"groups\":", why.name()));
        push_lines(out, steps.chunk_by(|step, next| step.ocs == next.ocs), |out, group| {
            let pairs: Vec<String> =
                group.iter().map(|step| format!("[{},{}]", step.pair[0], step.pair[1])).collect();
            push(
                out,
                format_args!(
                    "{{\"ocs\":{},\"pairs\":[{}]}}",
                    quote(&pod.ocses[group[0].ocs].name),
                    pairs.join(",")
                ),
            );
        });
        out.push('}');
    });
    out.push_str("}\n");
    out
}
