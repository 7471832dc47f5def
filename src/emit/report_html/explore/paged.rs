//! Which scenarios have their loads and tables in the page. What decides follows from the metrics and the
//! heads of the tables alone, so that it is known before the tables are read.

use crate::compiled::{CompiledFabric, CompiledScenario};
use crate::tables::keeps_topology_symmetry;
use fabc_model::Metric;

/// Maximum loads of all scenarios together, and maximum faults that are listed.
const LOADS: usize = 120_000;
const FAULTS: usize = 2000;
/// Maximum pairs of a listed router and a destination: of the healthy fabric, and of all faults together.
const NOMINAL_PAIRS: usize = 2_600_000;
const FAULT_PAIRS: usize = 84_000;

/// The scenarios of the page, by number. The healthy fabric comes first, then the faults by harm.
pub(super) struct PagedScenarios {
    /// All scenarios that the page lists.
    pub(super) listed: Vec<usize>,
    /// Those with loads, a beginning of `listed`.
    pub(super) loaded: Vec<usize>,
    /// Those with tables, a beginning of `listed`.
    pub(super) tabled: Vec<usize>,
}

impl PagedScenarios {
    pub(super) fn new(compiled: &CompiledFabric) -> Self {
        let listed = by_harm(compiled);
        let loads = |&scenario: &usize| match &compiled.scenarios[scenario].metrics.routed {
            Some(walk) => walk.loads.len(),
            None => usize::MAX,
        };
        let loaded = beginning(&listed, LOADS, loads);
        let loaded = if loaded.is_empty() { healthy_with_loads(compiled) } else { loaded };
        Self { loaded, tabled: paged_tables(compiled), listed }
    }
}

/// The healthy fabric, if it was routed.
fn healthy_with_loads(compiled: &CompiledFabric) -> Vec<usize> {
    if compiled.scenarios[0].metrics.routed.is_some() { vec![0] } else { Vec::new() }
}

/// The scenarios whose tables are in the page, by number: the healthy fabric, then the faults by harm.
pub fn paged_tables(compiled: &CompiledFabric) -> Vec<usize> {
    let pairs = |&scenario: &usize| listed_pairs(compiled, &compiled.scenarios[scenario]);
    let listed = by_harm(compiled);
    let mut tabled = beginning(&listed[..1], NOMINAL_PAIRS, pairs);
    if !tabled.is_empty() {
        tabled.extend(beginning(&listed[1..], FAULT_PAIRS, pairs));
    }
    tabled
}

/// As many scenarios from the beginning of a list as have so much together.
fn beginning(listed: &[usize], most: usize, size: impl Fn(&usize) -> usize) -> Vec<usize> {
    let mut sum = 0usize;
    let fits = |scenario: &&usize| {
        sum = sum.saturating_add(size(scenario));
        sum <= most
    };
    listed.iter().take_while(fits).copied().collect()
}

/// The number of pairs of a listed router and a destination. It bounds the size of the tables in the page.
fn listed_pairs(compiled: &CompiledFabric, scenario: &CompiledScenario) -> usize {
    let routers = compiled.topology.node_count();
    match (&scenario.routed, &scenario.sprayed) {
        (Some(routed), _) => {
            match keeps_topology_symmetry(&routed.tables.symmetry, compiled.topology.symmetry()) {
                true => routed.tables.symmetry.class_count() * routers,
                false => routers * routers,
            }
        }
        // A group serves a range of destinations.
        (None, Some(_)) => routers * routers.min(64),
        (None, None) => usize::MAX,
    }
}

/// The healthy fabric, then the faults, the worst first by the load of the busiest channel, or by the mean
/// distance where nothing is routed. Of equal ones the first comes first.
fn by_harm(compiled: &CompiledFabric) -> Vec<usize> {
    let routed = compiled.scenarios[0].metrics.routed.is_some();
    let metric = if routed { Metric::MaxChannelLoad } else { Metric::AverageHops };
    let mut faults: Vec<usize> = (1..compiled.scenarios.len()).collect();
    faults.sort_by_key(|&fault| std::cmp::Reverse(compiled.scenarios[fault].metrics.value(metric)));
    faults.truncate(FAULTS);
    std::iter::once(0).chain(faults).collect()
}
