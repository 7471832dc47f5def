//! Verifies the collectives of a spec. Every schedule of a directory is replayed, and its time is
//! recomputed.

use super::files::Files;
use super::read::{contradiction, tagged};
use super::tables;
use crate::CheckError;
use crate::exact::Exact;
use crate::faults::ToleratedFault;
use crate::schedule::{
    Pace, ScheduleTime, Spent, bound_time, cycles_at_least, schedule_time, verify_message_schedule,
    verify_schedule,
};
use fabc_base::ids::NodeId;
use fabc_ir::read::CollectiveFile;
use fabc_ir::{ChipGroups, CollectiveBound, CrossConnects, ForwardingTables, Scene, Schedule, Topology};
use fabc_model::{
    Collective, CollectiveMetric, DeclaredCollective, Fabric, Metric, Require, Scenarios, ValueScale,
};
use rayon::prelude::*;
use std::cmp::Ordering;

/// Sizes of the curve of a report: powers of two from 1 KiB to 4 GiB.
const CURVE: std::ops::RangeInclusive<u32> = 10..=32;

/// Number of attoseconds in a nanosecond.
const NANOSECOND: u128 = 1_000_000_000;

/// A schedule that was proved to perform its collective.
#[derive(Debug)]
pub struct ProvedSchedule {
    /// The scenario that the schedule is for.
    pub scenario: String,
    /// The schedule that was read and replayed.
    pub schedule: Schedule,
    /// The name of the root, for collectives with a root.
    pub root: Option<String>,
    /// Number of chips that take part.
    pub chips: u64,
    /// Number of steps in sequence.
    pub steps: u64,
    /// Number of sequential chunk times. Of schedules in cycles, the vectors on the busiest channel.
    pub volume: u64,
    /// The time that the schedule takes.
    pub time: Spent,
    /// The lower bound on the time of any schedule, in attoseconds.
    pub bound: u128,
    /// The witness that proves `bound`.
    pub witness: CollectiveBound,
    /// Lower bounds by size, in bytes and attoseconds. Empty for schedules in cycles.
    pub bounds_by_size: Vec<(u64, u128)>,
}

/// Verifies the schedules of a directory against the fabric that they are made for.
pub(super) struct CollectiveChecks<'a> {
    pub(super) files: &'a Files,
    pub(super) fabric: &'a Fabric,
    pub(super) topology: &'a Topology,
    pub(super) cross_connects: Option<&'a CrossConnects>,
}

impl CollectiveChecks<'_> {
    /// Verifies all collectives. Returns their schedules in the order of the spec, each by scenario, nominal
    /// first.
    pub(super) fn verify_collectives(
        &self,
        scenarios: &[&ToleratedFault],
    ) -> Result<Vec<Vec<ProvedSchedule>>, Vec<CheckError>> {
        let mut errors = Vec::new();
        let mut proved_collectives = Vec::new();
        for declared in &self.fabric.collectives {
            let wanted = if declared.scenarios == Scenarios::All {
                scenarios
            } else {
                &scenarios[..scenarios.len().min(1)]
            };
            let results: Vec<_> =
                wanted.par_iter().map(|scenario| self.verify_collective(declared, scenario)).collect();
            let mut proved = Vec::new();
            for result in results {
                match result {
                    Ok(schedule) => proved.extend(schedule),
                    Err(error) => errors.push(error),
                }
            }
            proved_collectives.push(proved);
        }
        if errors.is_empty() { Ok(proved_collectives) } else { Err(errors) }
    }

    /// Verifies one collective in one scenario. Returns `None` if its root is dead, or a chip of a group.
    fn verify_collective(
        &self,
        declared: &DeclaredCollective,
        fault: &ToleratedFault,
    ) -> Result<Option<ProvedSchedule>, CheckError> {
        let topology = self.topology;
        let path = fault.collective_path(&declared.name);
        let contradict = |place: &str, violation: String| CheckError::Contradiction {
            file: path.clone(),
            place: place.to_owned(),
            violation,
            span: Some(declared.span),
        };
        let lit = fault.lit_links(topology, self.cross_connects);
        let scene = Scene { topology, lit, dead: fault.dead().into_iter().collect() };
        let root = match declared.root.as_deref().map(|name| (name, topology.find(name))) {
            None => None,
            Some((_, Some(root))) => Some(root),
            Some((name, None)) => return Err(contradict("root", format!("there is no router `{name}`"))),
        };
        if root.is_some_and(|root| !scene.lives(root)) {
            return Ok(None);
        }
        let in_groups = declared.groups.filter(|_| !self.fabric.routing.is_scheduled());
        // Groups that have lost a chip do not do what the others do.
        if in_groups.is_some() && topology.endpoints().any(|chip| !scene.lives(chip)) {
            return Ok(None);
        }
        let file: CollectiveFile = tagged(self.files, &path)?;
        if file.fabric != self.fabric.name || file.scenario != fault.name {
            return Err(contradiction(&path, "", "it belongs to another fabric or scenario"));
        }
        let read = file.schedule().map_err(|violation| contradict("", violation))?;
        if read.collective != declared.collective || read.root != root || read.seed != declared.seed {
            return Err(contradict(
                "",
                "it is not the collective of the spec: its kind, root or seed differs".to_owned(),
            ));
        }
        let chips: Vec<NodeId> = topology.endpoints().collect();
        let expected =
            in_groups.map(|size| ChipGroups::new(chips.chunks(size as usize).map(<[_]>::to_vec).collect()));
        if read.groups != expected {
            return Err(contradict("groups", "they are not those of the spec".to_owned()));
        }
        if declared.algorithm.is_some_and(|required| required != read.algorithm) {
            return Err(contradict(
                "algorithm",
                format!("this is `{}`, which the spec does not ask for", read.algorithm.name()),
            ));
        }
        if declared.chunks.is_some_and(|max_chunks| read.chunks > max_chunks) {
            return Err(contradict(
                "chunks",
                format!("it has {} chunks, more than the spec allows", read.chunks),
            ));
        }
        let tables = match read.follows_tables() {
            true => Some(tables::read_scenario_tables(self.files, topology, fault)?.0),
            false => None,
        };
        let judged = tables.as_ref().map_or_else(
            || verify_schedule(&scene, &read),
            |tables| verify_message_schedule(&scene, tables, &read),
        );
        judged.map_err(|error| contradict("", error.to_string()))?;
        let measured = self.measure_schedule(&fault.name, &scene, tables.as_ref(), declared, read)?;
        measured.map(Some).ok_or_else(|| contradict("bounds", "there are none".to_owned()))
    }

    /// Measures the time and the bounds of a replayed schedule. Returns `None` if it has no bounds.
    pub(super) fn measure_schedule(
        &self,
        scenario: &str,
        scene: &Scene<'_>,
        tables: Option<&ForwardingTables>,
        declared: &DeclaredCollective,
        schedule: Schedule,
    ) -> Result<Option<ProvedSchedule>, CheckError> {
        let pace = Pace::of_collective(self.fabric, scene, declared);
        let ScheduleTime { spent, steps, volume } =
            schedule_time(scene, tables, &schedule, &pace, declared.size)?;
        let Some((bound, witness)) = bound_time(scene, &schedule, &pace, declared.size) else {
            return Ok(None);
        };
        // The same bounds hold for every size. In cycles they are those of the scheduled vectors.
        let sizes = CURVE.map(|power| 1 << power).filter(|_| schedule.timed().is_none());
        let bounds_by_size =
            sizes.filter_map(|size| Some((size, bound_time(scene, &schedule, &pace, size)?.0))).collect();
        Ok(Some(ProvedSchedule {
            scenario: scenario.to_owned(),
            root: schedule.root.map(|root| self.topology.name(root)),
            chips: declared.groups.map_or_else(|| scene.endpoints().count() as u64, u64::from),
            steps,
            volume,
            time: spent,
            bound,
            witness: witness.clone(),
            bounds_by_size,
            schedule,
        }))
    }
}

/// The value that a `require` line is about, and for a fault the scenario. `None` if the spec has no such
/// schedule.
pub(super) fn measured_value<'a>(
    require: &Require,
    fabric: &Fabric,
    proved: &'a [Vec<ProvedSchedule>],
) -> Option<(Exact, Option<&'a str>)> {
    let Metric::Collective(metric) = require.metric else { return None };
    if metric.is_scheduled() {
        let (end, lower_bound) = makespan(require.collective(), fabric, proved)?;
        let (end, clock) = (u128::from(end), u128::from(fabric.clock_hz));
        let value = match (metric, require.scale) {
            (CollectiveMetric::MakespanRatio, _) => Exact::new(end, u128::from(lower_bound.max(1))),
            (_, ValueScale::Cycles) => Exact::new(end, 1),
            _ => Exact::new(end * NANOSECOND, clock),
        };
        // The schedule takes as long when the symmetry moves it by some blocks.
        return Some((value?, require.fault.then_some("block0")));
    }
    let name = require.collective()?;
    let (declared, schedules) =
        fabric.collectives.iter().zip(proved).find(|(declared, _)| declared.name == name)?;
    let worse = match metric {
        CollectiveMetric::Share | CollectiveMetric::Bandwidth => Ordering::Less,
        _ => Ordering::Greater,
    };
    if !require.fault {
        return Some((metric_value(declared, schedules.first()?, metric, require.scale, fabric)?, None));
    }
    let mut worst: Option<(Exact, Option<&str>)> = None;
    for fault in schedules.iter().skip(1) {
        let value = metric_value(declared, fault, metric, require.scale, fabric)?;
        if worst.is_none_or(|(worst, _)| value.compare_exact(worst) == worse) {
            worst = Some((value, Some(&fault.scenario)));
        }
    }
    worst
}

/// The cycle in which a collective ends, or all collectives do, and a lower bound on it. `None` where
/// vectors are not scheduled.
pub(super) fn makespan(
    name: Option<&str>,
    fabric: &Fabric,
    proved: &[Vec<ProvedSchedule>],
) -> Option<(u64, u64)> {
    let mut span = None;
    for (index, declared) in fabric.collectives.iter().enumerate() {
        if name.is_some_and(|name| name != declared.name) {
            continue;
        }
        let end = proved.get(index)?.first()?.schedule.timed()?.end;
        let (mut lower_bound, mut next) = (0, Some(index));
        while let Some(before) = next {
            let schedule = &proved.get(before)?.first()?.schedule;
            lower_bound += cycles_at_least(schedule, schedule.timed()?)?.0;
            next = fabric.collectives[before].after;
        }
        let (so_far, bound_so_far) = span.unwrap_or((0, 0));
        span = Some((u64::from(end).max(so_far), lower_bound.max(bound_so_far)));
    }
    span
}

fn metric_value(
    declared: &DeclaredCollective,
    proved: &ProvedSchedule,
    metric: CollectiveMetric,
    scale: ValueScale,
    fabric: &Fabric,
) -> Option<Exact> {
    let time = proved.time.total().max(1);
    // Cycles of a clock need not be whole attoseconds.
    if let (Some(timed), CollectiveMetric::Time) = (proved.schedule.timed(), metric) {
        let cycles = u128::from(timed.end - timed.start);
        let per_second = if scale == ValueScale::Cycles {
            (cycles, 1)
        } else {
            (cycles * NANOSECOND, u128::from(timed.clock_hz))
        };
        return Exact::new(per_second.0, per_second.1);
    }
    match metric {
        CollectiveMetric::Time if scale == ValueScale::Cycles => {
            Exact::new(time, NANOSECOND)?.times(u128::from(fabric.clock_hz), NANOSECOND)
        }
        CollectiveMetric::Time => Exact::new(time, NANOSECOND),
        CollectiveMetric::Share => Exact::new(proved.bound, time),
        CollectiveMetric::Steps => Some(Exact::integer(proved.steps)),
        CollectiveMetric::Volume if proved.schedule.timed().is_some() => Some(Exact::integer(proved.volume)),
        // Vectors that a channel with one lane carries in the time without hops and messages.
        CollectiveMetric::Volume => {
            let carried = proved.time.volume.checked_mul(u128::from(fabric.capacities.unit_bps()))?;
            let second = NANOSECOND * 1_000_000_000;
            Exact::new(carried, u128::from(declared.size.max(1)) * 8 * second)
        }
        CollectiveMetric::Bandwidth => {
            // The least that every chip sends or receives, over the data of a chip.
            let chips = u128::from(proved.chips);
            let (numerator, denominator) = match declared.collective {
                Collective::Broadcast | Collective::Reduce | Collective::Send => (1, 1),
                Collective::AllReduce => (2 * (chips - 1), chips),
                _ => (chips - 1, chips),
            };
            Exact::new(u128::from(declared.size).checked_mul(NANOSECOND)?, time)?
                .times(numerator, denominator)
        }
        CollectiveMetric::Makespan | CollectiveMetric::MakespanRatio => None,
    }
}
