//! Schedules of collectives on the scenarios of a built directory.
//!
//! In: the directory, and a query that names scenarios and collectives. Out: a report of all rows, and the
//! schedule of the first scenario where one is to be written.

mod left_out;

use crate::compile::collectives::{
    CollectivesError, CollectivesRequest, ScenarioCollectives, check_groups, has_switch_arithmetic,
};
use crate::folder::Folder;
use crate::refusal::Refusal;
use crate::scenarios::{BuiltScenarios, NOMINAL, ScenarioInput};
use fabc_base::diag::{SourceMap, suggestion};
use fabc_base::ids::NodeId;
use fabc_check::ReadScene;
use fabc_emit::TRACE_MESSAGES;
use fabc_ir::{CollectiveCost, CollectiveReport, MessageStarts, Scene, Schedule, Topology};
use fabc_model::{Collective, CollectiveAlgorithm, Fabric};
use left_out::{MissingTables, left_out_collectives};

/// A query for collectives on scenarios of a directory.
pub struct CollectivesQuery<'a> {
    /// The names of the scenarios. The first one has crossovers, and the schedule that is written.
    pub scenarios: &'a [String],
    /// The collectives, with their sizes and algorithm.
    pub request: CollectivesRequest,
    /// The name of the root. It may be another router in every scenario.
    pub root: Option<&'a str>,
    /// Whether the user named the collectives. Then one that cannot be planned is an error.
    pub named: bool,
    /// What is needed of the schedule. There is then a single collective, size and scenario.
    pub schedule: ScheduleDetail,
}

/// What a query needs of a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScheduleDetail {
    /// No schedule, only its costs.
    Costs,
    /// The schedule with its steps.
    Steps,
    /// The schedule, and the start times of its messages.
    Times,
}

/// The answer to a query.
pub struct PlannedCollectives {
    /// Times and bounds by scenario, collective and size.
    pub report: CollectiveReport,
    /// The schedule on the first scenario, if it was asked for.
    pub schedule: Option<PlannedSchedule>,
}

/// A schedule with the scenario that it was planned for.
pub struct PlannedSchedule {
    /// The name of the scenario.
    pub scenario: String,
    /// The wiring of the scenario.
    pub wiring: ReadScene,
    /// The size of the vector of a chip, in bytes.
    pub bytes: u64,
    /// The cost of a channel of the scenario.
    pub cost: CollectiveCost,
    /// The schedule of the collective.
    pub schedule: Schedule,
    /// The start times of its messages. Empty unless they were asked for.
    pub starts: MessageStarts,
}

/// Why collectives cannot be planned.
#[derive(Debug)]
pub struct Unplanned {
    /// The error of the planner, with the name of the scenario.
    pub error: Box<CollectivesError>,
    /// The files that the error points into.
    pub sources: SourceMap,
    /// The exit code of a process that ends because of it.
    pub exit_code: u8,
}

impl<F: Folder> BuiltScenarios<'_, F>
where
    F::Error: From<Unplanned>,
{
    /// Plans collectives on some scenarios.
    ///
    /// # Errors
    /// [`Refusal::UnknownWord`] for an unknown scenario, [`Refusal::Root`] for an unknown root,
    /// [`Refusal::UnknownScenario`] or [`Refusal::ManyPaths`] where messages have no tables, and
    /// [`Unplanned`].
    pub fn plan_collectives(&self, query: CollectivesQuery<'_>) -> Result<PlannedCollectives, F::Error> {
        let CollectivesQuery { scenarios, mut request, root, named, schedule: detail } = query;
        let (mut costs, mut rows, mut crossovers, mut left_out) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (mut first_schedule, mut adding) = (None, false);
        for (index, name) in scenarios.iter().enumerate() {
            let tabled = request.collectives.contains(&Collective::AllToAll)
                || request.groups.is_some()
                || request.algorithm.is_some_and(CollectiveAlgorithm::follows_tables);
            let input = self.input(name, tabled)?;
            let ScenarioInput { wiring, tables, lengths } =
                input.ok_or_else(|| unknown_word("scenario", name, &[NOMINAL]))?;
            request.root = root.map(|root| find_root(&wiring.topology, root)).transpose()?;
            let scene = wiring.scene();
            adding |= has_switch_arithmetic(self.fabric, &scene);
            check_group_sizes(self.fabric, &scene, &request)?;
            let stop = |error: CollectivesError| {
                let error = error.in_scenario(name);
                Unplanned {
                    exit_code: error.exit_code(),
                    error: Box::new(error),
                    sources: self.sources.clone(),
                }
            };
            let tables = tables.as_ref();
            let mut planned = ScenarioCollectives::new(self.fabric, &scene, &request).along(tables, &lengths);
            let no_tables = || -> F::Error { self.no_tables(name).into() };
            let missing = MissingTables { error: &no_tables, reason: self.why_no_tables() };
            let newly_left_out = left_out_collectives(
                &mut planned,
                &request.collectives,
                Some(&missing).filter(|_| tables.is_none()),
                named,
                &|error| stop(error).into(),
            )?;
            // A collective that one scenario leaves out is left out of all later ones.
            request.collectives.retain(|&collective| {
                newly_left_out.iter().all(|left_out| left_out.collective != collective)
            });
            left_out.extend(newly_left_out);
            let mut planned = ScenarioCollectives::new(self.fabric, &scene, &request).along(tables, &lengths);
            rows.extend(planned.rows(name).map_err(stop)?);
            let cost = planned.cost().clone();
            costs.push((name.clone(), cost.clone()));
            if index > 0 {
                continue;
            }
            crossovers = planned.crossovers().map_err(stop)?;
            if detail != ScheduleDetail::Costs {
                let (schedule, starts) = only_schedule(&mut planned, &request, detail).map_err(stop)?;
                let (scenario, bytes) = (name.clone(), request.sizes[0]);
                drop(planned);
                first_schedule = Some(PlannedSchedule { scenario, wiring, bytes, cost, schedule, starts });
            }
        }
        let report = CollectiveReport {
            left_out,
            has_switch_arithmetic: adding,
            ..request.report(costs, rows, crossovers)
        };
        Ok(PlannedCollectives { report, schedule: first_schedule })
    }
}

/// Refuses groups that do not part the chips of a scene, or leave less than a flit for one of them.
fn check_group_sizes(
    fabric: &Fabric,
    scene: &Scene<'_>,
    request: &CollectivesRequest,
) -> Result<(), Unplanned> {
    let Some(groups) = &request.groups else { return Ok(()) };
    let (chips, groups) = (scene.topology.endpoints().count() as u64, u64::from(groups.size()));
    let fits = |&bytes: &u64| check_groups(chips, groups, bytes, fabric.router.flit_bytes);
    request.sizes.iter().try_for_each(fits).map_err(|problem| {
        let error = problem.error("`--groups`".to_owned(), None);
        Unplanned { error: Box::new(error), sources: SourceMap::default(), exit_code: 2 }
    })
}

/// The schedule of the only requested collective, and the start times of its messages if they are needed.
fn only_schedule(
    planned: &mut ScenarioCollectives<'_>,
    request: &CollectivesRequest,
    detail: ScheduleDetail,
) -> Result<(Schedule, MessageStarts), CollectivesError> {
    let (collective, bytes) = (request.collectives[0], request.sizes[0]);
    let schedule = planned.schedule(collective, bytes)?;
    let starts = match detail {
        ScheduleDetail::Times => planned.starts(collective, bytes, TRACE_MESSAGES)?,
        ScheduleDetail::Costs | ScheduleDetail::Steps => MessageStarts::default(),
    };
    Ok((schedule, starts))
}

/// The refusal of a word, with a similar one of those that are known.
pub fn unknown_word(kind: &str, name: &str, known: &[&str]) -> Refusal {
    let hint = suggestion(name, known.iter().copied()).unwrap_or_else(|| "there is none here".to_owned());
    Refusal::UnknownWord { kind: kind.to_owned(), name: name.to_owned(), hint }
}

/// A router by its name or number.
fn find_root(topology: &Topology, name: &str) -> Result<NodeId, Refusal> {
    topology.find(name).ok_or_else(|| Refusal::Root {
        problem: format!("there is no router `{name}`"),
        hint: topology.names_hint(),
    })
}
