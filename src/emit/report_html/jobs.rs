//! The training jobs of the spec for the page: phases, the bar of a step, and what limits it.

use crate::compiled::CompiledFabric;
use crate::job::{JobTextRow, StepBar, candidates_line, job_rows, limit_lines, step_line};
use fabc_ir::JobResult;
use fabc_model::Job;
use minijinja::{Value, context};

/// One entry per job. Empty without jobs or without tables.
pub(super) fn jobs(compiled: &CompiledFabric) -> Vec<Value> {
    let results = compiled.fabric.jobs.iter().zip(&compiled.jobs);
    results.filter_map(|(job, result)| job_entry(compiled, job, result)).collect()
}

fn job_entry(compiled: &CompiledFabric, job: &Job, result: &JobResult) -> Option<Value> {
    let nominal = result.nominal()?;
    let row = |JobTextRow { name, algorithm, time, bound, universal, share }: JobTextRow| {
        context! { name, algorithm, cells => [time, bound, universal, share] }
    };
    let bar = StepBar::new(&nominal.step)
        .map(|StepBar { compute, hidden, exposed }| context! { compute, hidden, exposed });
    Some(context! {
        name => job.name,
        step => step_line(job, result),
        bar,
        rows => job_rows(job, result)?.into_iter().map(row).collect::<Vec<_>>(),
        limits => limit_lines(&compiled.topology, job, nominal),
        candidates => candidates_line(result),
    })
}
