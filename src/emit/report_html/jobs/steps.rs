//! The step of a job as bars to scale: the healthy fabric, and the fault under which a step takes longest.

use crate::job::milliseconds;
use crate::svg::{StepBar, StepChart, step_chart};
use fabc_ir::{ATTOSECONDS_OF_A_NANOSECOND, JobOutcome, JobResult};
use fabc_model::{Job, JobMetric};
use minijinja::{Value, context};

/// The drawing and the rows of its numbers. `None` for a step that takes no time.
pub(super) fn steps(job: &Job, result: &JobResult) -> Option<Value> {
    let nominal = result.nominal().filter(|nominal| nominal.step.step() > 0)?;
    let worst = result.worst_fault(JobMetric::Step);
    let outcomes: Vec<&JobOutcome> = std::iter::once(nominal).chain(worst).collect();
    let name = |outcome: &JobOutcome| match outcome.scenario == nominal.scenario {
        true => "healthy".to_owned(),
        false => format!("worst fault, {}", outcome.scenario),
    };
    let nanoseconds =
        |time: u128| u64::try_from(time / u128::from(ATTOSECONDS_OF_A_NANOSECOND)).unwrap_or(u64::MAX);
    let bar = |outcome: &&JobOutcome| {
        let step = &outcome.step;
        StepBar {
            name: name(outcome),
            compute: nanoseconds(step.compute),
            hidden: nanoseconds(step.communication - step.exposed),
            exposed: nanoseconds(step.exposed),
        }
    };
    let row = |outcome: &&JobOutcome| {
        let step = &outcome.step;
        let hidden = step.communication - step.exposed;
        let times = [step.step(), step.compute, step.communication, hidden, step.exposed];
        context! { name => name(outcome), cells => times.map(milliseconds) }
    };
    let chart = StepChart {
        label: format!("The step of job {} over time; the table below has the numbers", job.name),
        bars: outcomes.iter().map(bar).collect(),
    };
    Some(context! { drawing => step_chart(&chart), rows => outcomes.iter().map(row).collect::<Vec<_>>() })
}
