//! What the topology and the placement of a job were compared with, to scale. The ones taken come first.

use crate::job::milliseconds_of;
use fabc_ir::{JobCandidate, JobResult, JobTopology};
use minijinja::{Value, context};

/// The topologies. Empty unless the topology was searched for the job.
pub(super) fn topologies(result: &JobResult) -> Vec<Value> {
    let times = |compared: &JobTopology| [Some(compared.estimate), compared.routed];
    let longest = result.topologies.iter().flat_map(times).flatten().max().unwrap_or(0);
    let row = |(index, compared): (usize, &JobTopology)| {
        context! {
            taken => index == 0,
            name => compared.topology,
            place => compared.place,
            estimate => milliseconds_of(compared.estimate),
            routed => compared.routed.map(milliseconds_of),
            widths => times(compared).map(|time| time.map(|time| width(time, longest))),
        }
    };
    result.topologies.iter().enumerate().map(row).collect()
}

/// The placements. Empty unless the placement was chosen.
pub(super) fn placements(result: &JobResult) -> Vec<Value> {
    let longest = result.candidates.iter().map(|candidate| candidate.communication).max().unwrap_or(0);
    let row = |(index, candidate): (usize, &JobCandidate)| {
        context! {
            taken => index == 0,
            place => candidate.place,
            time => milliseconds_of(candidate.communication),
            width => width(candidate.communication, longest),
        }
    };
    result.candidates.iter().enumerate().map(row).collect()
}

/// The width of a bar in percent of the longest.
fn width(time: u128, longest: u128) -> String {
    format!("{:.1}", time as f64 * 100.0 / longest.max(1) as f64)
}
