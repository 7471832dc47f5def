//! The training jobs of the spec for the page: the step as bars, phases and what limits them, the loads of
//! channels, the ranks on the chips, and what the placement and the topology were compared with.

mod candidates;
mod loads;
mod ranks;
mod steps;

use super::template::render;
use crate::compiled::CompiledFabric;
use crate::job::{JobTextRow, job_rows, limit_lines, reconfiguration_line, skew_lines, step_line};
use crate::json::push;
use crate::svg::escape;
use fabc_ir::JobResult;
use fabc_model::Job;
use minijinja::{Value, context};

/// The part of the page about every job. Empty without jobs or without tables.
pub(super) fn jobs(compiled: &CompiledFabric) -> Vec<String> {
    let results = compiled.fabric.jobs.iter().zip(&compiled.jobs).enumerate();
    let part = |(index, (job, result))| {
        let values = job_values(compiled, index, job, result)?;
        Some(render(include_str!("../jobs.html.jinja"), values))
    };
    results.filter_map(part).collect()
}

fn job_values(compiled: &CompiledFabric, index: usize, job: &Job, result: &JobResult) -> Option<Value> {
    let nominal = result.nominal()?;
    let row = |JobTextRow { name, algorithm, time, bound, universal, share }: JobTextRow| {
        context! { name, algorithm, cells => [time, bound, universal, share] }
    };
    let limits = limit_lines(&compiled.topology, job, nominal);
    Some(context! {
        name => job.name,
        pod => compiled.fabric.pod().is_some(),
        step => step_line(job, result).map(|line| with_code(&line)),
        skews => skew_lines(job).iter().map(|line| with_code(line)).collect::<Vec<_>>(),
        steps => steps::steps(job, result),
        rows => job_rows(job, result)?.into_iter().map(row).collect::<Vec<_>>(),
        switches => reconfiguration_line(job, result).map(|line| with_code(&line)),
        limits => limits.iter().map(|line| with_code(line)).collect::<Vec<_>>(),
        loads => loads::loads(compiled, job, nominal),
        ranks => ranks::ranks(compiled, index, job, result),
        topologies => candidates::topologies(result),
        placements => candidates::placements(result),
    })
}

/// A sentence as HTML, in which text between backticks is code.
fn with_code(sentence: &str) -> String {
    let mut out = String::new();
    let parts: Vec<&str> = sentence.split('`').collect();
    for (index, part) in parts.iter().enumerate() {
        // The last part is text, even where a backtick has no partner.
        match (index % 2, index + 1 == parts.len()) {
            (1, false) => push(&mut out, format_args!("<code>{}</code>", escape(part))),
            (1, true) => push(&mut out, format_args!("`{}", escape(part))),
            _ => out.push_str(&escape(part)),
        }
    }
    out
}
