//! Resolves `job name { .. }`: the axes of its ranks, its phases, and which chip is which rank.
//!
//! In: the items of a fabric. Out: all jobs, sorted by name. Each phase is written, or follows from a
//! `model`. The number of ranks is compared with the chips of a pod. A network tells its endpoints later, so
//! that the build compares them.

mod amounts;
mod axes;
mod from_file;
mod ground;
mod job_block;
mod model;
mod operations;
mod order;
mod phases;
mod phases_file;
mod place;
mod reconfigure;
mod skew;
mod target;
#[cfg(test)]
mod tests;
mod training;

pub use place::chips_of_ranks;
pub(super) use target::searched_for;

use super::collectives;
use super::context::{Context, claim_subject_name, missing};
use super::items::{DeclaredJob, SpecItems, keyword_span};
use super::many_paths;
use super::scheduled;
use super::settings::integer;
use crate::syntax::ast::Name;
use crate::syntax::words::BlockKind;
use crate::{JobError, ResolveError};
use axes::JobAxes;
use fabc_base::diag::Span;
use fabc_model::{Job, JobOperationKind};
use from_file::{JobOfFile, job_of_file};
pub(super) use ground::JobGround;
use job_block::JobBlock;
use std::collections::BTreeMap;
use training::TrainingStep;

/// Resolves all jobs, sorted by name. Returns `None` if an error was reported.
pub(super) fn jobs(context: &mut Context, items: &SpecItems<'_>, ground: &JobGround<'_>) -> Option<Vec<Job>> {
    let simulations = items.simulations.iter().map(|(name, ..)| *name);
    let collectives = items.collectives.iter().map(|(setting, _)| &setting.name);
    let mut known_names: BTreeMap<String, Span> =
        simulations.chain(collectives).map(|name| (name.value.to_lowercase(), name.span)).collect();
    let mut jobs = Vec::new();
    for declared in &items.jobs {
        let name = declared.name;
        if !claim_subject_name(context, name, "job", "a job", &mut known_names) {
            jobs.push(None);
            continue;
        }
        let span = keyword_span(declared.span, "job").to(name.span);
        let job = job(context, declared, span, ground);
        let runs = runs_on_routing(context, items, span, job.as_ref());
        jobs.push(job.filter(|_| runs));
    }
    jobs.into_iter().collect()
}

/// Reports a job under a routing without the paths that it needs. Returns whether it can run.
fn runs_on_routing(context: &mut Context, items: &SpecItems<'_>, span: Span, job: Option<&Job>) -> bool {
    let mut operations = job.into_iter().flat_map(|job| &job.phases).flat_map(|phase| &phase.operations);
    let sends = operations.any(|operation| matches!(operation.kind, JobOperationKind::Send { .. }));
    let (place, help) = if scheduled::is_scheduled(items) {
        (
            "with `routing = scheduled`",
            "its messages follow forwarding tables, and a scheduled network has none: remove it, or write `routing = minimal;`",
        )
    } else if sends && many_paths::many_path_method(items).is_some() {
        (
            "where packets choose among many paths",
            "a `send` follows one path per pair: remove it, or write `routing = minimal;`",
        )
    } else {
        return true;
    };
    let (place, help) = (place.to_owned(), help.to_owned());
    context.error(JobError::NoPlace { place, help, span }.into());
    false
}

fn job(context: &mut Context, declared: &DeclaredJob<'_>, span: Span, ground: &JobGround<'_>) -> Option<Job> {
    let name = declared.name;
    let title = format!("job `{}`", name.value);
    let parts = JobBlock::read(context, declared.block, title, span, BlockKind::Job);
    let compute =
        parts.settings.get("compute").map(|value| amounts::compute_time(context, "`compute`", value));
    let (axes, step) = match declared.source {
        Some(source) => {
            let read = job_of_file(context, &parts, name, source, compute.flatten(), ground);
            read.map_or((None, None), |JobOfFile { axes, step }| (Some(axes), Some(step)))
        }
        None => {
            refuse_groups(context, &parts);
            let axes = axes::axes(context, &parts);
            if let (Some(axes), Some(chips)) = (&axes, ground.chips) {
                axes.check_count(context, &name.value, chips);
            }
            let step = step(context, &parts, name, axes.as_ref(), compute.unwrap_or(Some(0)), ground);
            (axes, step)
        }
    };
    compute.unwrap_or(Some(0))?;
    let place = place::place(context, &parts.settings, axes.as_ref(), ground.scope);
    let line = ground.requires.iter().find(|line| line.fault && line.job() == Some(&name.value));
    let scenarios = collectives::scenarios(context, &parts.settings, "a job", line);
    let overhead =
        parts.settings.get("overhead").map_or(Some(0), |value| collectives::overhead(context, value));
    let weight = parts.settings.get("weight");
    let weight = weight.map_or(Some(1), |value| integer(context, "`weight`", value, 1..=1_000_000));
    let step = step?;
    let reconfigure = reconfigure::reconfigure(context, &parts, &step.phases, ground);
    Some(Job {
        name: name.value.to_string(),
        axes: axes?.list,
        phases: step.phases,
        place: place?,
        compute_ps: step.compute_ps,
        idle_ps: step.idle_ps,
        overhead_ps: overhead?,
        scenarios: scenarios?,
        weight: weight? as u32,
        reconfigure: reconfigure?,
        from_file: declared.source.is_some(),
        span,
    })
}

/// Reports groups of a job that comes from no trace.
fn refuse_groups(context: &mut Context, parts: &JobBlock<'_>) {
    if let Some(span) = parts.settings.span("groups") {
        let (subject, place) = ("`groups`".to_owned(), "a job without a trace".to_owned());
        let help = Some("the groups of an operation follow from `over`: remove it".to_owned());
        context.error(ResolveError::Misplaced { subject, place, help, span });
    }
}

/// Resolves the phases of a job and its time of computing: from a model, or as they are written.
fn step(
    context: &mut Context,
    parts: &JobBlock<'_>,
    name: &Name,
    axes: Option<&JobAxes>,
    compute: Option<u64>,
    ground: &JobGround<'_>,
) -> Option<TrainingStep> {
    let subject = &parts.settings.place;
    let two_forms = |context: &mut Context, first: &str, second: &str, help: &str, span| {
        let (subject, help) = (subject.clone(), help.to_owned());
        let (first, second) = (first.to_owned(), second.to_owned());
        context.error(JobError::TwoForms { subject, first, second, help, span }.into());
    };
    if let (Some(inner), Some(_)) = (parts.block("compute"), parts.settings.get("compute")) {
        let help = "a step computes for a time, or at a rate: remove one of the two";
        two_forms(context, "`compute = ..;`", "`compute { .. }`", help, inner.word.span);
        return None;
    }
    let first_phase = parts.named("phase").next();
    match (parts.block("model"), first_phase) {
        (Some(model), Some(_)) => {
            let help = "the phases follow from the model: remove one of the two";
            two_forms(context, "a `model`", "phases", help, model.word.span);
            None
        }
        (Some(model), None) => training::training_step(context, parts, model, axes, compute, ground),
        (None, Some(_)) => {
            training::refuse_without_model(context, parts);
            let phases = phases::phases(context, parts, &name.value, axes, ground)?;
            Some(TrainingStep { phases, compute_ps: compute?, idle_ps: 0 })
        }
        (None, None) => {
            if !parts.settings.has_unknown() {
                let example = "phase sum { collective all = all_reduce { over = data; size = 1 GiB; } }";
                context.error(missing(subject, "a `model` or a `phase`", example, parts.settings.head()));
            }
            None
        }
    }
}
