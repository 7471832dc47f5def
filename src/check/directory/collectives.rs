//! The collectives of a spec: every schedule that a directory should have is replayed and its time computed
//! anew.

use super::files::Files;
use super::read::{contradiction, tagged};
use super::tables;
use crate::CheckError;
use crate::exact::Exact;
use crate::faults::ToleratedFault;
use crate::schedule::{
    Pace, ScheduleTime, Spent, bound_time, cycles_at_least, schedule, schedule_along, schedule_time,
};
use fabc_ir::read::CollectiveFile;
use fabc_ir::{CollectiveBound, CrossConnects, ForwardingTables, Scene, Schedule, Topology, Transfers};
use fabc_model::{
    Collective, CollectiveMetric, DeclaredCollective, Fabric, Metric, Require, Scale, Scenarios,
};
use rayon::prelude::*;
use std::cmp::Ordering;

/// Sizes of the curve of a report: powers of two, from 1 KiB to 4 GiB.
const CURVE: std::ops::RangeInclusive<u32> = 10..=32;

/// Attoseconds of a nanosecond.
const NANOSECOND: u128 = 1_000_000_000;

/// A schedule that does what its collective demands.
#[derive(Debug)]
pub struct ProvedSchedule {
    /// The scenario.
    pub scenario: String,
    /// Who sends what when.
    pub schedule: Schedule,
    /// The name of the root, where there is one.
    pub root: Option<String>,
    /// Chips that take part.
    pub chips: u64,
    /// Steps, one after the other.
    pub steps: u64,
    /// Chunk times, one after the other.
    pub volume: u64,
    /// How long it takes.
    pub time: Spent,
    /// What no schedule goes below, attoseconds.
    pub bound: u128,
    /// The witness of it.
    pub witness: CollectiveBound,
    /// What no schedule goes below at the sizes of a curve, in bytes and attoseconds; of plans in cycles
    /// nothing.
    pub bounds_by_size: Vec<(u64, u128)>,
}

/// Checks the schedules of a directory: its files, and what the schedules are made for.
pub(super) struct CollectiveChecks<'a> {
    pub(super) files: &'a Files,
    pub(super) fabric: &'a Fabric,
    pub(super) topology: &'a Topology,
    pub(super) cross_connects: Option<&'a CrossConnects>,
}

impl CollectiveChecks<'_> {
    /// Checks all collectives. Returns them in the order of the spec, each by scenario, nominal first.
    pub(super) fn check_collectives(
        &self,
        scenarios: &[&ToleratedFault],
    ) -> Result<Vec<Vec<ProvedSchedule>>, Vec<CheckError>> {
        let mut errors = Vec::new();
        let mut all = Vec::new();
        for declared in &self.fabric.collectives {
            let wanted = if declared.scenarios == Scenarios::All {
                scenarios
            } else {
                &scenarios[..scenarios.len().min(1)]
            };
            let found: Vec<_> =
                wanted.par_iter().map(|scenario| self.check_collective(declared, scenario)).collect();
            let mut proved = Vec::new();
            for result in found {
                match result {
                    Ok(of) => proved.extend(of),
                    Err(error) => errors.push(error),
                }
            }
            all.push(proved);
        }
        if errors.is_empty() { Ok(all) } else { Err(errors) }
    }

    /// Checks one collective in one scenario; `None` where its root is dead.
    fn check_collective(
        &self,
        declared: &DeclaredCollective,
        fault: &ToleratedFault,
    ) -> Result<Option<ProvedSchedule>, CheckError> {
        let topology = self.topology;
        let path = fault.collective_path(&declared.name);
        let wrong = |place: &str, what: String| CheckError::Contradiction {
            file: path.clone(),
            place: place.to_owned(),
            what,
            span: Some(declared.span),
        };
        let lit = fault.lit(topology, self.cross_connects);
        let scene = Scene { topology, lit, dead: fault.dead().into_iter().collect() };
        let root = match declared.root.as_deref().map(|name| (name, topology.find(name))) {
            None => None,
            Some((_, Some(root))) => Some(root),
            Some((name, None)) => return Err(wrong("root", format!("there is no router `{name}`"))),
        };
        if root.is_some_and(|root| !scene.lives(root)) {
            return Ok(None);
        }
        let file: CollectiveFile = tagged(self.files, &path)?;
        if file.fabric != self.fabric.name || file.scenario != fault.name {
            return Err(contradiction(&path, "", "this is of another fabric or scenario"));
        }
        let read = file.schedule().map_err(|what| wrong("", what))?;
        if read.collective != declared.collective || read.root != root || read.seed != declared.seed {
            return Err(wrong(
                "",
                "this is not the collective of the spec: another kind, root or seed".to_owned(),
            ));
        }
        if declared.algorithm.is_some_and(|only| only != read.algorithm) {
            return Err(wrong(
                "algorithm",
                format!("this is `{}`, which the spec does not ask for", read.algorithm.name()),
            ));
        }
        if declared.chunks.is_some_and(|most| read.chunks > most) {
            return Err(wrong("chunks", format!("these are {}, more than the spec asks for", read.chunks)));
        }
        let along = match &read.transfers {
            Transfers::Sends(_) => Some(tables::tables(self.files, topology, fault)?.0),
            _ => None,
        };
        let judged = along
            .as_ref()
            .map_or_else(|| schedule(&scene, &read), |tables| schedule_along(&scene, tables, &read));
        judged.map_err(|error| wrong("", error.to_string()))?;
        let found = self.measure_schedule(&fault.name, (&scene, along.as_ref()), declared, read)?;
        found.map(Some).ok_or_else(|| wrong("bounds", "there are none".to_owned()))
    }

    /// Measures a schedule that was replayed: its time and its bounds; `None` where it has no bounds.
    pub(super) fn measure_schedule(
        &self,
        scenario: &str,
        (scene, along): (&Scene<'_>, Option<&ForwardingTables>),
        declared: &DeclaredCollective,
        schedule: Schedule,
    ) -> Result<Option<ProvedSchedule>, CheckError> {
        let pace = Pace::of_collective(self.fabric, scene, declared);
        let ScheduleTime { spent, steps, volume } =
            schedule_time(scene, along, &schedule, &pace, declared.size)?;
        let Some((bound, witness)) = bound_time(scene, &schedule, &pace, declared.size) else {
            return Ok(None);
        };
        // The same bounds hold for every size; in cycles they are those of the vectors that are planned.
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

/// The value that a line is about, and for a fault the scenario. `None` where nothing is planned.
pub(super) fn measured_value<'a>(
    require: &Require,
    fabric: &Fabric,
    proved: &'a [Vec<ProvedSchedule>],
) -> Option<(Exact, Option<&'a str>)> {
    let Metric::Collective(metric) = require.metric else { return None };
    if metric.is_scheduled() {
        let (end, least) = makespan(require.collective(), fabric, proved)?;
        let (end, clock) = (u128::from(end), u128::from(fabric.clock_hz));
        let value = match (metric, require.scale) {
            (CollectiveMetric::MakespanRatio, _) => Exact::new(end, u128::from(least.max(1))),
            (_, Scale::Cycles) => Exact::new(end, 1),
            _ => Exact::new(end * NANOSECOND, clock),
        };
        // Moved by some blocks, the plan is as long.
        return Some((value?, require.fault.then_some("block0")));
    }
    let name = require.collective()?;
    let (declared, of) = fabric.collectives.iter().zip(proved).find(|(declared, _)| declared.name == name)?;
    let worse = match metric {
        CollectiveMetric::Share | CollectiveMetric::Bandwidth => Ordering::Less,
        _ => Ordering::Greater,
    };
    if !require.fault {
        return Some((metric_value(declared, of.first()?, metric, require.scale, fabric)?, None));
    }
    let mut worst: Option<(Exact, Option<&str>)> = None;
    for fault in of.iter().skip(1) {
        let value = metric_value(declared, fault, metric, require.scale, fabric)?;
        if worst.is_none_or(|(worst, _)| value.against(worst) == worse) {
            worst = Some((value, Some(&fault.scenario)));
        }
    }
    worst
}

/// The cycle in which a collective is over, or all are, and one before which no plan ends; `None` where
/// vectors are not scheduled.
pub(super) fn makespan(
    name: Option<&str>,
    fabric: &Fabric,
    proved: &[Vec<ProvedSchedule>],
) -> Option<(u64, u64)> {
    let mut span = None;
    for (at, declared) in fabric.collectives.iter().enumerate() {
        if name.is_some_and(|name| name != declared.name) {
            continue;
        }
        let end = proved.get(at)?.first()?.schedule.timed()?.end;
        let (mut least, mut next) = (0, Some(at));
        while let Some(before) = next {
            let schedule = &proved.get(before)?.first()?.schedule;
            least += cycles_at_least(schedule, schedule.timed()?)?.0;
            next = fabric.collectives[before].after;
        }
        let (so_far, least_so_far) = span.unwrap_or((0, 0));
        span = Some((u64::from(end).max(so_far), least.max(least_so_far)));
    }
    span
}

fn metric_value(
    declared: &DeclaredCollective,
    of: &ProvedSchedule,
    metric: CollectiveMetric,
    scale: Scale,
    fabric: &Fabric,
) -> Option<Exact> {
    let time = of.time.total().max(1);
    // Cycles of a clock need not be whole attoseconds.
    if let (Some(timed), CollectiveMetric::Time) = (of.schedule.timed(), metric) {
        let cycles = u128::from(timed.end - timed.start);
        let per_second = if scale == Scale::Cycles {
            (cycles, 1)
        } else {
            (cycles * NANOSECOND, u128::from(timed.clock_hz))
        };
        return Exact::new(per_second.0, per_second.1);
    }
    match metric {
        CollectiveMetric::Time if scale == Scale::Cycles => {
            Exact::new(time, NANOSECOND)?.times(u128::from(fabric.clock_hz), NANOSECOND)
        }
        CollectiveMetric::Time => Exact::new(time, NANOSECOND),
        CollectiveMetric::Share => Exact::new(of.bound, time),
        CollectiveMetric::Steps => Some(Exact::integer(of.steps)),
        CollectiveMetric::Volume => Some(Exact::integer(of.volume)),
        CollectiveMetric::Bandwidth => {
            // What everybody sends or gets at least, over what a chip has.
            let chips = u128::from(of.chips);
            let (over, under) = match declared.collective {
                Collective::Broadcast | Collective::Reduce | Collective::Send => (1, 1),
                Collective::AllReduce => (2 * (chips - 1), chips),
                _ => (chips - 1, chips),
            };
            Exact::new(u128::from(declared.size).checked_mul(NANOSECOND)?, time)?.times(over, under)
        }
        CollectiveMetric::Makespan | CollectiveMetric::MakespanRatio => None,
    }
}
