//! Measured utilization of channels, and their utilization by the tables at the same rate, for the picture.
//!
//! A simulation counts by class of alike channels. So a channel shows the mean of its class.

use super::paged::PagedScenarios;
use super::stream::{listed_symmetry, load_symmetry};
use crate::compiled::CompiledFabric;
use crate::number::grouped;
use crate::simulation;
use fabc_base::ids::{ChannelId, Id};
use fabc_ir::{Fraction, Symmetry, surviving_scene};
use fabc_sim::{AlikeChannels, Limit, SimReport};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum channels of all runs together.
const CHANNELS: usize = 40_000;

/// One run, with two numbers for every channel that leaves a listed router: its utilization by the tables and
/// the measured one, in ten-thousandths.
pub(super) struct SimulatedRun {
    name: String,
    /// What the run was about: its rate, or its cycles.
    at: String,
    /// The place of its scenario in the list of the page.
    scenario: usize,
    /// Whether canonical routers stand for all.
    is_canonical: bool,
    /// Whether the loads by the tables are those of the packets. Paths that depend on queues have only an
    /// average.
    by_tables: bool,
    pub(super) numbers: Vec<u64>,
}

/// The counts of a run by class of channels.
struct RunCounts<'a> {
    at: String,
    busy: &'a [u64],
    cycles: u64,
    /// What the static load is multiplied with to be that of the whole run, per cycle.
    factor: Fraction,
}

/// The runs that the page draws, of so many.
pub(super) struct DrawnRuns {
    pub(super) drawn: Vec<SimulatedRun>,
    pub(super) all: usize,
}

/// The run of every simulation and scenario with the highest stable rate, or the slowest one of traffic that
/// ends: as many as fit, those of the first scenarios.
pub(super) fn simulated_runs(compiled: &CompiledFabric, paged: &PagedScenarios) -> DrawnRuns {
    let declared = compiled.fabric.simulations.iter().zip(&compiled.simulations);
    let reports =
        declared.flat_map(|(simulation, reports)| reports.iter().map(move |report| (simulation, report)));
    let mut runs: Vec<SimulatedRun> = reports
        .filter_map(|(simulation, report)| simulated_run(compiled, paged, &simulation.name, report))
        .collect();
    let all = runs.len();
    runs.sort_by_key(|run| run.scenario);
    let mut sum = 0;
    runs.retain(|run| {
        sum += run.numbers.len() / 2;
        sum <= CHANNELS
    });
    DrawnRuns { drawn: runs, all }
}

fn simulated_run(
    compiled: &CompiledFabric,
    paged: &PagedScenarios,
    name: &str,
    report: &SimReport,
) -> Option<SimulatedRun> {
    let counts = run_counts(report)?;
    let named = |&listed: &usize| compiled.scenarios[listed].scenario.name == report.scenario;
    let place = paged.listed.iter().position(named)?;
    let scenario = paged.listed[place];
    let topology = &compiled.topology;
    let symmetry = load_symmetry(compiled, scenario);
    let ranks = class_ranks(compiled, scenario, &symmetry);
    // The classes of the report are those of the tables. Anything else would show the wrong channels.
    if ranks.len() != report.classes.len() || counts.busy.len() != report.classes.len() {
        return None;
    }
    let listed = listed_symmetry(&symmetry, topology);
    let share = |value: Fraction| libm::round(value.as_f64() * 10_000.0) as u64;
    let numbers = |channel: ChannelId| {
        let class = topology.channel_class(&symmetry, channel).index();
        let Some(&rank) = ranks.get(&class) else { return [0, 0] };
        let AlikeChannels { channels, load } = report.classes[rank];
        let by_tables = Fraction::new(load, u128::from(channels.max(1)) * report.load.unit.max(1));
        let measured = Fraction::new(counts.busy[rank], channels.max(1) * counts.cycles.max(1));
        [share(by_tables.times(counts.factor)), share(measured)]
    };
    let channels = listed.canonical_nodes().flat_map(|node| topology.channels_from(node));
    Some(SimulatedRun {
        name: name.to_owned(),
        at: counts.at,
        scenario: place,
        is_canonical: !listed.is_trivial(),
        by_tables: report.load.limit == Limit::Loads,
        numbers: channels.flat_map(numbers).collect(),
    })
}

/// The counts of the run that the page shows. `None` if there is none.
fn run_counts(report: &SimReport) -> Option<RunCounts<'_>> {
    if report.volume.is_some() {
        let run = report.completions.iter().max_by_key(|run| run.cycles)?;
        return Some(RunCounts {
            at: format!("all {} cycles", grouped(run.cycles.into())),
            busy: &run.busy_by_class,
            cycles: run.cycles.into(),
            factor: Fraction::new(1u8, run.cycles.max(1)),
        });
    }
    let point = simulation::highest_stable(report)?;
    Some(RunCounts {
        at: format!("rate {}", point.rate),
        busy: &point.busy_by_class,
        cycles: report.setting.measure.into(),
        factor: Fraction::from(point.rate),
    })
}

/// The rank of every class with lit channels among all such classes.
fn class_ranks(compiled: &CompiledFabric, scenario: usize, symmetry: &Symmetry) -> BTreeMap<usize, usize> {
    let topology = &compiled.topology;
    let cross_connects = compiled.pod.as_ref().map(|pod| &pod.cross_connects);
    let scene = surviving_scene(&compiled.scenarios[scenario].scenario.fault, topology, cross_connects);
    let lit = topology.channels().filter(|&channel| scene.is_lit(topology.link_of(channel)));
    let classes: BTreeSet<usize> =
        lit.map(|channel| topology.channel_class(symmetry, channel).index()).collect();
    classes.into_iter().enumerate().map(|(rank, class)| (class, rank)).collect()
}

impl SimulatedRun {
    /// What the head says of it.
    pub(super) fn value(&self) -> Value {
        json!({
            "name": self.name,
            "at": self.at,
            "scenario": self.scenario,
            "canonical": u8::from(self.is_canonical),
            "tables": u8::from(self.by_tables),
        })
    }
}
