//! The collectives of a spec as the two reports for people show them.

use super::super::estimate::exact;
use super::super::number::fixed;
use super::microseconds;
use super::text::witness;
use fabc_ir::{CollectiveOutcome, CollectiveResult, Fraction};
use fabc_model::DeclaredCollective;

/// One scenario of a collective, every number as text.
pub(crate) struct CollectiveLine {
    /// The scenario.
    pub(crate) scenario: String,
    /// How it is done.
    pub(crate) algorithm: String,
    /// Steps, one after the other.
    pub(crate) steps: String,
    /// What it takes, us.
    pub(crate) time: String,
    /// What no schedule takes less than, us.
    pub(crate) bound: String,
    /// The one over the other.
    pub(crate) share: String,
    /// GB/s, as the benchmarks of NCCL count them.
    pub(crate) bandwidth: String,
    /// Why there is a bound.
    pub(crate) witness: String,
    /// What else was tried: algorithm and us.
    pub(crate) others: Vec<String>,
}

/// `all_reduce of 1 GiB`
pub(crate) fn collective_title(declared: &DeclaredCollective) -> String {
    format!("{} of {}", declared.collective.name(), exact(declared.size))
}

/// The healthy fabric, and the worst fault where faults are planned for; none where there are no tables.
pub(crate) fn nominal_and_worst_fault(result: &CollectiveResult) -> Vec<CollectiveLine> {
    result.nominal().into_iter().chain(result.worst_fault()).map(|of| line(of, "chip")).collect()
}

/// Every scenario; `node` is what routers are called.
pub(crate) fn collective_lines(result: &CollectiveResult, node: &str) -> Vec<CollectiveLine> {
    result.scenarios.iter().map(|of| line(of, node)).collect()
}

fn line(CollectiveOutcome { row, .. }: &CollectiveOutcome, node: &str) -> CollectiveLine {
    let best = row.best();
    let of_us = |name: &str, time: u128| format!("{name} {} us", microseconds(time));
    let mut others: Vec<String> = row
        .candidates
        .iter()
        .skip(1)
        .map(|other| of_us(other.algorithm.name(), other.time.total()))
        .collect();
    others.extend(row.left_out.iter().map(|algorithm| format!("{} not tried", algorithm.name())));
    CollectiveLine {
        scenario: row.scenario.clone(),
        algorithm: best.algorithm.name().to_owned(),
        steps: best.steps.to_string(),
        time: microseconds(best.time.total()),
        bound: microseconds(row.bound),
        share: fixed(row.share(best), 4),
        bandwidth: fixed(row.bus_bandwidth(best), 2),
        witness: witness(row.collective, &row.witness, node),
        others,
    }
}

/// What is asked of it beside its size, and not granted: `from cube0[0,0,0], a barrier after every step`;
/// empty for nothing.
pub(crate) fn conditions(declared: &DeclaredCollective, result: &CollectiveResult) -> String {
    let root =
        result.nominal().and_then(|nominal| nominal.row.root.as_ref()).map(|root| format!("from {root}"));
    let root = if declared.collective == fabc_model::Collective::Reduce {
        root.map(|root| root.replacen("from", "to", 1))
    } else {
        root
    };
    let nanoseconds = Fraction::new(declared.overhead_ps, 1_000u32);
    let overhead =
        (declared.overhead_ps > 0).then(|| format!("{} ns of overhead per message", fixed(nanoseconds, 3)));
    let barrier = declared.barrier.then(|| "a barrier after every step".to_owned());
    let best = result.nominal().map(|nominal| nominal.row.best());
    let fewer = best.and_then(|best| Some((best.reduced_from?, best.chunks)));
    let fewer = fewer.map(|(asked, chunks)| {
        format!("chunks: {chunks} instead of {asked}, which would be less than a flit each")
    });
    root.into_iter().chain(overhead).chain(barrier).chain(fewer).collect::<Vec<_>>().join(", ")
}
