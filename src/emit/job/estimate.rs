//! Writes what a job moves and takes at least on a shape of fabric (`fabc.job_estimate/1`).

use super::super::collective::nanoseconds;
use super::super::estimate::Columns;
use super::super::json::{push, push_lines, quote};
use super::json::{axes_json, operation_head};
use super::skew::skew_lines;
use super::text::milliseconds;
use fabc_model::{Job, JobOperation, JobPhase, RankGroups};
use std::fmt::Write;

/// What a job moves and takes at least, before there is a fabric.
pub struct JobEstimate {
    /// Its axes, phases and time of computing.
    pub job: Job,
    /// The name of its model.
    pub model: String,
    /// The shape, as it was asked: `torus:8x8x8`.
    pub shape: String,
    /// Chips of that shape, one per rank.
    pub chips: u64,
    /// Channels of a chip, one way.
    pub channels: u64,
    /// The bandwidth of a channel, as it was asked or by default.
    pub bandwidth: String,
    /// `[phase]`: the least times, in attoseconds.
    pub least: Vec<LeastTime>,
}

/// Lower bounds on a phase, in attoseconds.
#[derive(Clone, Copy)]
pub struct LeastTime {
    /// By the channels of a chip, on every fabric with as many, with every placement.
    pub ports: u128,
    /// By the hops between ranks that are placed in order. `None` where the shape has switches between its
    /// chips, or too many chips.
    pub hops: Option<u128>,
}

impl LeastTime {
    fn best(self) -> u128 {
        self.ports.max(self.hops.unwrap_or(0))
    }
}

impl JobEstimate {
    /// The least time of all communication, phase after phase.
    fn communication(&self) -> u128 {
        self.least.iter().map(|least| least.best()).sum()
    }

    /// The time that a chip computes, with the idle time of its pipeline, in attoseconds.
    fn compute(&self) -> u128 {
        u128::from(self.job.compute_ps + self.job.idle_ps) * fabc_ir::ATTOSECONDS_OF_A_PICOSECOND
    }

    fn operations(&self) -> impl Iterator<Item = (&JobPhase, Option<LeastTime>, &JobOperation)> {
        self.job.phases.iter().zip(&self.least).flat_map(|(phase, &least)| {
            let of_phase = move |(index, operation)| (phase, (index == 0).then_some(least), operation);
            phase.operations.iter().enumerate().map(of_phase)
        })
    }

    /// The axes along which the ranks of a group differ. A model has no groups that are listed.
    fn over(&self, operation: &JobOperation) -> Vec<&str> {
        let RankGroups::Along(over) = &operation.groups else { return Vec::new() };
        over.iter().map(|&axis| &*self.job.axes[axis].name).collect()
    }
}

/// The estimate for people: a row per operation, then the step.
pub fn job_estimate_text(estimate: &JobEstimate) -> String {
    let axes: Vec<String> =
        estimate.job.axes.iter().map(|axis| format!("{} {}", axis.name, axis.size)).collect();
    let JobEstimate { model, shape, chips, channels, bandwidth, .. } = estimate;
    let mut out = format!(
        "{model} on {shape}: {chips} chips of {channels} channels, {bandwidth} each; {}, ranks in order\n\n",
        axes.join(" x ")
    );
    let heads = ["OPERATION", "KIND", "OVER", "RANKS", "RUNS", "GB A STEP", "PORTS ms", "HOPS ms"];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    for (phase, least, operation) in estimate.operations() {
        let moved = operation.step_bytes();
        let hops = least.and_then(|least| least.hops);
        rows.push(vec![
            format!("{}.{}", phase.name, operation.name),
            operation.kind.name().to_owned(),
            estimate.over(operation).join(", "),
            operation.groups.size(&estimate.job.axes).to_string(),
            operation.times.to_string(),
            format!("{:.4}", moved as f64 / 1e9),
            least.map_or_else(String::new, |least| milliseconds(least.ports)),
            hops.map_or_else(String::new, milliseconds),
        ]);
    }
    Columns { rows }.print(&mut out);
    let communication = milliseconds(estimate.communication());
    let _ = write!(out, "\na step communicates for at least {communication} ms");
    let _ = match estimate.compute() {
        0 => write!(out, "; `--compute` says how long it computes"),
        compute => write!(out, " and computes for {} ms", milliseconds(compute)),
    };
    for line in skew_lines(&estimate.job) {
        let _ = write!(out, "\n{line}");
    }
    out
}

/// The estimate as JSON, with times in nanoseconds.
pub fn job_estimate_json(estimate: &JobEstimate) -> String {
    let JobEstimate { job, model, shape, chips, channels, .. } = estimate;
    let mut out = format!(
        "{{\"format\":\"fabc.job_estimate/1\",\"model\":{},\"shape\":{},\"chips\":{chips},\
         \"channels\":{channels},\"axes\":{},\n\"phases\":",
        quote(model),
        quote(shape),
        axes_json(job)
    );
    push_lines(&mut out, job.phases.iter().zip(&estimate.least), |out, (phase, least)| {
        let hops = least.hops.map_or("null".to_owned(), |hops| nanoseconds(hops).to_string());
        push(
            out,
            format_args!(
                "{{\"name\":{},\"ports_ns\":{},\"hops_ns\":{hops},\"operations\":[",
                quote(&phase.name),
                nanoseconds(least.ports)
            ),
        );
        for (index, operation) in phase.operations.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            push(out, format_args!("{comma}{{{}}}", operation_head(job, operation)));
        }
        out.push_str("]}");
    });
    push(
        &mut out,
        format_args!(
            ",\n\"communication_ns\":{},\"compute_ns\":{}}}\n",
            nanoseconds(estimate.communication()),
            nanoseconds(estimate.compute())
        ),
    );
    out
}
