//! Jobs for people: the rows of tables, the bar of a step, and a sentence on each phase.

use super::skew::skew_lines;
use crate::summary::percent;
use fabc_ir::{
    ATTOSECONDS_OF_A_PICOSECOND, Fraction, JobOutcome, JobPhaseOutcome, JobResult, JobStep, Reconfiguration,
    Topology,
};
use fabc_model::{Job, JobMetric, JobPhase};

/// The attoseconds of a millisecond.
const MILLISECOND: u128 = 1_000_000_000_000_000;

/// Changes of switches that save less than this part of the communication save nothing.
const WORTH_A_SENTENCE: u128 = 1000;

/// A share of a bound from which a phase counts as at that bound.
const AT_BOUND: f64 = 0.99;

/// A row of the table of a job: a phase, or all of them together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct JobTextRow {
    pub(crate) name: String,
    /// The algorithms of its operations.
    pub(crate) algorithm: String,
    pub(crate) time: String,
    pub(crate) bound: String,
    pub(crate) universal: String,
    /// The universal bound over the time.
    pub(crate) share: String,
}

impl JobTextRow {
    /// The heads of the columns.
    pub(crate) fn heads(name: &str) -> Self {
        let [algorithm, time, bound, universal, share] =
            ["algorithm", "time ms", "bound ms", "universal ms", "share"].map(str::to_owned);
        Self { name: name.to_owned(), algorithm, time, bound, universal, share }
    }

    /// The row as a line of a table in text.
    pub(crate) fn line(&self) -> String {
        let Self { name, algorithm, time, bound, universal, share } = self;
        format!("{name:<24}  {algorithm:<16}  {time:>10}  {bound:>10}  {universal:>12}  {share:>8}")
    }
}

/// The table of a job on the healthy fabric: its phases, then all of them. `None` without tables.
pub(crate) fn job_rows(job: &Job, result: &JobResult) -> Option<Vec<JobTextRow>> {
    let nominal = result.nominal()?;
    let mut rows: Vec<JobTextRow> =
        job.phases.iter().zip(&nominal.phases).map(|(phase, planned)| phase_row(phase, planned)).collect();
    rows.push(step_row("communication", &nominal.step));
    if let Some(worst) = result.worst_fault(JobMetric::Communication) {
        rows.push(step_row(&format!("  worst, {}", worst.scenario), &worst.step));
    }
    Some(rows)
}

fn phase_row(phase: &JobPhase, planned: &JobPhaseOutcome) -> JobTextRow {
    let mut algorithms: Vec<&str> =
        planned.operations.iter().map(|operation| operation.algorithm.name()).collect();
    algorithms.dedup();
    JobTextRow {
        name: phase.name.clone(),
        algorithm: algorithms.join(", "),
        time: milliseconds(planned.time()),
        bound: milliseconds(planned.bound.time),
        universal: milliseconds(planned.universal),
        share: share(planned.universal, planned.time()),
    }
}

fn step_row(name: &str, step: &JobStep) -> JobTextRow {
    JobTextRow {
        name: name.to_owned(),
        algorithm: String::new(),
        time: milliseconds(step.communication),
        bound: milliseconds(step.bound),
        universal: milliseconds(step.universal),
        share: share(step.universal, step.communication),
    }
}

/// The milliseconds of a time in picoseconds.
pub(crate) fn milliseconds_of(picoseconds: u128) -> String {
    milliseconds(picoseconds * ATTOSECONDS_OF_A_PICOSECOND)
}

/// Milliseconds of a time in attoseconds, with four significant digits.
pub(crate) fn milliseconds(time: u128) -> String {
    let value = Fraction::new(time, MILLISECOND).as_f64();
    match value {
        _ if time == 0 => "0".to_owned(),
        _ if value >= 1000.0 => format!("{value:.0}"),
        _ if value >= 100.0 => format!("{value:.1}"),
        _ if value >= 10.0 => format!("{value:.2}"),
        _ if value >= 1.0 => format!("{value:.3}"),
        _ => format!("{value:.4}"),
    }
}

fn share(bound: u128, time: u128) -> String {
    if time == 0 { "-".to_owned() } else { percent(Fraction::new(bound, time)) }
}

/// What a step takes, in a sentence.
pub(crate) fn step_line(job: &Job, result: &JobResult) -> Option<String> {
    let step = result.nominal()?.step;
    let ranks: Vec<String> = job.axes.iter().map(|axis| format!("{} {}", axis.name, axis.size)).collect();
    let hidden = step.communication - step.exposed;
    Some(format!(
        "{}, placement `{}`: a step takes {} ms, of which {} ms are compute and {} ms communication that \
         nothing hides; {} ms are hidden",
        ranks.join(" x "),
        placement_text(job, result),
        milliseconds(step.step()),
        milliseconds(step.compute),
        milliseconds(step.exposed),
        milliseconds(hidden)
    ))
}

/// The placement, as the spec or the comparison has it.
fn placement_text(job: &Job, result: &JobResult) -> String {
    match result.candidates.first() {
        Some(best) => best.place.clone(),
        None => job.place.name().to_owned(),
    }
}

/// The placements that were compared, in a sentence. `None` unless there were several.
pub(crate) fn candidates_line(result: &JobResult) -> Option<String> {
    let (best, others) = result.candidates.split_first()?;
    let candidate = |candidate: &fabc_ir::JobCandidate| {
        format!("`{}` {} ms", candidate.place, milliseconds_of(candidate.communication))
    };
    let others: Vec<String> = others.iter().map(candidate).collect();
    Some(format!("communication by placement: {}; also {}", candidate(best), others.join("; ")))
}

/// The topologies that were compared, in a sentence. `None` unless the topology was searched for the job.
pub(crate) fn topologies_line(result: &JobResult) -> Option<String> {
    let (taken, others) = result.topologies.split_first()?;
    let compared = |compared: &fabc_ir::JobTopology| match compared.routed {
        Some(routed) => format!(
            "`{}` {} ms, {} ms along tables",
            compared.topology,
            milliseconds_of(compared.estimate),
            milliseconds_of(routed)
        ),
        None => format!("`{}` {} ms", compared.topology, milliseconds_of(compared.estimate)),
    };
    let others: Vec<String> = others.iter().map(compared).collect();
    Some(format!(
        "communication by topology, messages on their best paths: {}; also {}",
        compared(taken),
        others.join("; ")
    ))
}

/// What topologies of their own for some phases would save, in a sentence. `None` where others are not known.
pub(crate) fn reconfiguration_line(job: &Job, result: &JobResult) -> Option<String> {
    let reconfiguration = result.reconfiguration.as_ref()?;
    let Some(break_even) = reconfiguration.break_even() else {
        return Some("to set the switches anew between phases saves nothing".to_owned());
    };
    let communication = result.nominal()?.step.communication;
    if let (Some(switch), Some(lost)) = (reconfiguration.switch, reconfiguration.change_time()) {
        return Some(weighed_line(job, reconfiguration, switch, lost));
    }
    if reconfiguration.saved * ATTOSECONDS_OF_A_PICOSECOND * WORTH_A_SENTENCE < communication {
        return Some("to set the switches anew between phases saves less than 0.1 %".to_owned());
    }
    Some(format!(
        "to set the switches anew {} times a step ({}) saves {} ms, less the time of the changes: it pays if \
         a change takes less than {} ms",
        reconfiguration.changes,
        topologies_of_phases(job, reconfiguration),
        milliseconds_of(reconfiguration.saved),
        milliseconds_of(break_even)
    ))
}

/// The topology of every phase: `experts on torus 4 x 4 x 8, ..`.
fn topologies_of_phases(job: &Job, reconfiguration: &Reconfiguration) -> String {
    let topology = |index: &usize| &reconfiguration.topologies[*index].topology;
    let phases = job.phases.iter().zip(&reconfiguration.taken);
    let texts: Vec<String> =
        phases.map(|(phase, taken)| format!("{} on `{}`", phase.name, topology(taken))).collect();
    texts.join(", ")
}

/// Whether changes pay, in a sentence. `switch` is the time of a change, and `lost` that of all in a step.
fn weighed_line(job: &Job, reconfiguration: &Reconfiguration, switch: u128, lost: u128) -> String {
    let Reconfiguration { changes, saved, .. } = reconfiguration;
    let verdict = match saved.checked_sub(lost) {
        None | Some(0) => {
            let break_even = milliseconds_of(reconfiguration.break_even().unwrap_or(0));
            format!("it does not pay, and would if a change took less than {break_even} ms")
        }
        Some(left) => format!("it pays, {} ms a step", milliseconds_of(left)),
    };
    format!(
        "to set the switches anew {changes} times a step ({}) saves {} ms, and the changes of {} ms take {} ms: \
         {verdict}. One topology is built for all phases: topologies of their own are weighed, not built",
        topologies_of_phases(job, reconfiguration),
        milliseconds_of(*saved),
        milliseconds_of(switch),
        milliseconds_of(lost)
    )
}

/// What limits each phase, a sentence each.
pub(crate) fn limit_lines(topology: &Topology, job: &Job, outcome: &JobOutcome) -> Vec<String> {
    let line = |(phase, planned): (&JobPhase, &JobPhaseOutcome)| {
        format!("{}: {}", phase.name, limit_text(topology, planned))
    };
    job.phases.iter().zip(&outcome.phases).map(line).collect()
}

fn limit_text(topology: &Topology, planned: &JobPhaseOutcome) -> String {
    let time = planned.time().max(1);
    let reaches = |bound: u128| Fraction::new(bound, time).as_f64() >= AT_BOUND;
    let latency = percent(Fraction::new(planned.latency, time));
    if reaches(planned.universal) {
        return "no topology and no placement can do better".to_owned();
    }
    if reaches(planned.bound.time) {
        return "nothing on this topology with this placement can do better".to_owned();
    }
    if planned.latency > planned.volume {
        return format!("latencies take {latency} of it: fewer and larger runs would help");
    }
    let names: Vec<String> =
        planned.busiest.iter().take(1).map(|&channel| topology.channel_name(channel)).collect();
    let more = match planned.busiest.len() {
        0 | 1 => String::new(),
        count => format!(" and {} others", count - 1),
    };
    format!("its busiest channel is {}{more}; latencies take {latency}", names.concat())
}

/// All that is said of a plan beside its table: the step, the placements, and what limits each phase.
pub(crate) fn sentences(
    topology: &Topology,
    job: &Job,
    result: &JobResult,
    outcome: &JobOutcome,
) -> impl Iterator<Item = String> {
    let step = step_line(job, result).into_iter().chain(skew_lines(job));
    let compared = topologies_line(result).into_iter().chain(candidates_line(result));
    step.chain(compared).chain(limit_lines(topology, job, outcome)).chain(reconfiguration_line(job, result))
}

/// The plan of a job for people: a table of phases, then sentences.
pub fn job_text(fabric: &str, topology: &Topology, job: &Job, result: &JobResult) -> String {
    let (Some(rows), Some(nominal)) = (job_rows(job, result), result.nominal()) else { return String::new() };
    let mut out = format!("job {} on {fabric}, {}\n", job.name, nominal.scenario);
    for row in std::iter::once(JobTextRow::heads("PHASE")).chain(rows) {
        out.push_str(row.line().trim_end());
        out.push('\n');
    }
    for line in sentences(topology, job, result, nominal) {
        out.push_str(&line);
        out.push('\n');
    }
    out
}
