//! Rows and sentences about the collectives of a spec for the two reports for people.

use super::super::estimate::exact_size;
use super::super::number::fixed;
use super::microseconds;
use super::text::bound_reason;
use fabc_ir::{CollectiveOutcome, CollectiveResult, Fraction};
use fabc_model::{CollectiveAlgorithm, DeclaredCollective};
use std::collections::BTreeMap;

/// The results of a collective in one scenario, with every number as text.
pub(crate) struct CollectiveTextRow {
    pub(crate) scenario: String,
    /// Name of the fastest algorithm.
    pub(crate) algorithm: String,
    pub(crate) steps: String,
    pub(crate) time: String,
    /// Lower bound on the time of every schedule, in us.
    pub(crate) bound: String,
    /// Lower bound divided by the time.
    pub(crate) share: String,
    /// Bus bandwidth in GB/s, as the benchmarks of NCCL define it.
    pub(crate) bandwidth: String,
    /// The reason for the bound.
    pub(crate) witness: String,
    /// Other candidates: algorithm and time in us.
    pub(crate) others: Vec<String>,
}

/// A title such as `all_reduce of 1 GiB`.
pub(crate) fn collective_title(declared: &DeclaredCollective) -> String {
    format!("{} of {}", declared.collective.name(), exact_size(declared.size))
}

/// The healthy fabric, and the worst fault if schedules were made for faults. Empty if there are no tables.
pub(crate) fn nominal_and_worst_fault(result: &CollectiveResult) -> Vec<CollectiveTextRow> {
    result
        .nominal()
        .into_iter()
        .chain(result.worst_fault())
        .map(|outcome| scenario_row(outcome, "chip"))
        .collect()
}

/// One row per scenario. `node` is the word for a router.
pub(crate) fn scenario_rows(result: &CollectiveResult, node: &str) -> Vec<CollectiveTextRow> {
    result.scenarios.iter().map(|outcome| scenario_row(outcome, node)).collect()
}

fn scenario_row(CollectiveOutcome { row, .. }: &CollectiveOutcome, node: &str) -> CollectiveTextRow {
    let best = row.best();
    let time_text = |name: &str, time: u128| format!("{name} {} us", microseconds(time));
    let mut others: Vec<String> = row
        .candidates
        .iter()
        .skip(1)
        .map(|candidate| time_text(candidate.algorithm.name(), candidate.time.total()))
        .collect();
    others.extend(row.left_out.iter().map(|algorithm| match algorithm {
        CollectiveAlgorithm::Within => format!("{} impossible", algorithm.name()),
        _ => format!("{} not tried", algorithm.name()),
    }));
    CollectiveTextRow {
        scenario: row.scenario.clone(),
        algorithm: best.algorithm.name().to_owned(),
        steps: best.steps.to_string(),
        time: microseconds(best.time.total()),
        bound: microseconds(row.bound),
        share: fixed(row.share(best), 4),
        bandwidth: fixed(row.bus_bandwidth(best), 2),
        witness: bound_reason(row.collective, &row.witness, node),
        others,
    }
}

/// Conditions beside the size, and requests that were not met:
/// `from cube0[0,0,0], a barrier after every step`. Empty if there are none.
pub(crate) fn conditions(declared: &DeclaredCollective, result: &CollectiveResult) -> String {
    let groups = groups_text(result);
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
    let fewer = fewer.map(|(requested, chunks)| {
        format!("chunks: {chunks} instead of {requested}, which would be less than a flit each")
    });
    groups.into_iter().chain(root).chain(overhead).chain(barrier).chain(fewer).collect::<Vec<_>>().join(", ")
}

/// The groups of a collective, and the faults under which another algorithm takes the place of the nominal
/// one.
fn groups_text(result: &CollectiveResult) -> Option<String> {
    let nominal = result.nominal()?;
    let groups = nominal.schedule.groups.as_ref()?;
    let usual = nominal.row.best().algorithm;
    let (count, size) = (groups.lists().len(), groups.size());
    let mut text = match count {
        1 => format!("in one group of {size} chips"),
        _ => format!("in {count} groups of {size} chips"),
    };
    let mut others: BTreeMap<CollectiveAlgorithm, usize> = BTreeMap::new();
    for outcome in result.scenarios.iter().skip(1) {
        let algorithm = outcome.row.best().algorithm;
        *others.entry(algorithm).or_default() += usize::from(algorithm != usual);
    }
    for (algorithm, count) in others.into_iter().filter(|(_, count)| *count > 0) {
        let faults = if count == 1 { "1 fault".to_owned() } else { format!("{count} faults") };
        text += &format!(", under {faults} by `{}` instead of `{}`", algorithm.name(), usual.name());
    }
    Some(text)
}
