//! Plans the collectives that a spec declares, on the finished fabric and in every scenario that the spec
//! asks for.

use super::grouped::{check_in_groups, groups_are_whole};
use super::{CollectivesError, CollectivesRequest, RequestedGroups, ScenarioCollectives};
use crate::compile::context::ScenarioContext;
use fabc_base::diag::Failure;
use fabc_base::ids::NodeId;
use fabc_base::progress::Progress;
use fabc_emit::compiled::CompiledScenario;
use fabc_ir::{
    ChipGroups, CollectiveCost, CollectivePoint, CollectiveResult, ForwardingTables, Scene, Schedule,
    Topology, picoseconds, router_names, surviving_scene,
};
use fabc_model::{Collective, CollectiveAlgorithm, DeclaredCollective, Fabric, Scenarios};
use fabc_passes::collective::{check_chunks_can_rest, check_forest, check_pair_paths, check_plannable};
use fabc_passes::scheduled::groups_are_joined;
use rayon::prelude::*;

/// The scenario without any fault.
const NOMINAL: &str = "nominal";

/// Sizes of the curve in a report: powers of two, from 1 KiB to 4 GiB.
const CURVE: std::ops::RangeInclusive<u32> = 10..=32;

impl ScenarioContext<'_> {
    /// Plans every collective of the spec. The results are empty where there are neither tables nor groups.
    pub(in crate::compile) fn collectives(
        &self,
        scenarios: &[CompiledScenario],
        progress: &dyn Progress,
    ) -> Result<Vec<CollectiveResult>, Failure> {
        let routed: Vec<&CompiledScenario> = scenarios
            .iter()
            .filter(|scenario| scenario.routed.is_some() || scenario.sprayed.is_some())
            .collect();
        if routed.is_empty() {
            return Ok(vec![CollectiveResult::default(); self.fabric.collectives.len()]);
        }
        self.fabric.collectives.iter().map(|declared| self.collective(declared, &routed, progress)).collect()
    }

    fn collective(
        &self,
        declared: &DeclaredCollective,
        scenarios: &[&CompiledScenario],
        progress: &dyn Progress,
    ) -> Result<CollectiveResult, Failure> {
        let request = request_of(declared, self.topology)?;
        let wanted = if declared.scenarios == Scenarios::All { scenarios.len() } else { 1 };
        progress.begin(&format!("collective {}", declared.name), wanted as u64);
        let plan = |(index, compiled): (usize, &&CompiledScenario)| {
            let scene = surviving_scene(&compiled.scenario.fault, self.topology, self.cross_connects);
            // A collective does not exist in a scenario in which its root is dead.
            // Groups that have lost a chip do not do what the others do.
            if request.root.is_some_and(|root| !scene.lives(root))
                || !groups_are_whole(&scene, request.groups.as_ref())
            {
                return Ok(CollectiveResult::default());
            }
            let tables = compiled.routed.as_ref().map(|routed| routed.tables.unpacked());
            let mut planned = ScenarioCollectives::new(self.fabric, &scene, &request)
                .along(tables.as_ref(), &compiled.lengths.lengths);
            let result = plan_scenario(&mut planned, &compiled.scenario.name, declared, index == 0);
            progress.advance();
            result.map_err(|error| collective_failure(error.in_scenario(&compiled.scenario.name), declared))
        };
        let results: Vec<Result<CollectiveResult, Failure>> =
            scenarios[..wanted].par_iter().enumerate().map(plan).collect();
        let mut result = CollectiveResult::default();
        for partial in results {
            let CollectiveResult { scenarios, crossovers, curve } = partial?;
            result.scenarios.extend(scenarios);
            result.crossovers.extend(crossovers);
            result.curve.extend(curve);
        }
        progress.end();
        Ok(result)
    }
}

/// Plans a collective in one scenario. `over_sizes` says whether also at other sizes.
fn plan_scenario(
    planned: &mut ScenarioCollectives<'_>,
    scenario: &str,
    declared: &DeclaredCollective,
    over_sizes: bool,
) -> Result<CollectiveResult, CollectivesError> {
    let scenarios = vec![planned.outcome(scenario, declared.collective, declared.size)?];
    if !over_sizes {
        return Ok(CollectiveResult { scenarios, ..CollectiveResult::default() });
    }
    let point = |power: u32| {
        let row = planned.row(declared.collective, 1 << power)?;
        let times = row
            .candidates
            .iter()
            .map(|candidate| (candidate.algorithm, picoseconds(candidate.time.total())))
            .collect();
        Ok(CollectivePoint { size: row.size, bound: picoseconds(row.bound), times })
    };
    let curve = CURVE.map(point).collect::<Result<_, CollectivesError>>()?;
    Ok(CollectiveResult { scenarios, crossovers: planned.crossovers()?, curve })
}

/// Refuses collectives whose roots or ends are no routers of the fabric. This needs no topology.
///
/// # Errors
/// [`CollectivesError::NoRoot`] for the first such name, at its line.
pub(in crate::compile) fn check_router_names(fabric: &Fabric) -> Result<(), Failure> {
    let (names, count) = (router_names(fabric), fabric.node_count());
    for declared in &fabric.collectives {
        let message_ends = declared
            .messages
            .iter()
            .flat_map(|messages| &messages.all)
            .flat_map(|message| [&message.from, &message.to]);
        for name in declared.root.iter().chain(message_ends) {
            let is_number = name.parse::<usize>().is_ok_and(|number| number < count);
            if !is_number && names.find(name, count).is_none() {
                let (collective, root, hint) = (declared.name.clone(), name.clone(), names.range_hint(count));
                return Err(Failure::spec(CollectivesError::NoRoot {
                    collective,
                    root,
                    hint,
                    span: declared.span,
                }));
            }
        }
    }
    Ok(())
}

/// Refuses collectives that no schedule can be made for, whatever the tables of the healthy fabric are.
///
/// # Errors
/// The first such collective, at its line.
pub(in crate::compile) fn check_declared(fabric: &Fabric, topology: &Topology) -> Result<(), Failure> {
    let scene = Scene::healthy(topology);
    for declared in &fabric.collectives {
        request_of(declared, topology)?;
        let messages = declared.messages.iter().flat_map(|messages| &messages.all);
        messages
            .flat_map(|message| [&message.from, &message.to])
            .try_for_each(|end| find_router(end, topology, declared).map(|_| ()))?;
        if let Some(size) = declared.groups {
            let groups = ChipGroups::consecutive(scene.endpoints(), size as usize);
            check_in_groups(&scene, &groups, declared, !fabric.routing.has_many_paths()).map_err(
                |reason| collective_failure(CollectivesError::from(reason).in_scenario(NOMINAL), declared),
            )?;
            continue;
        }
        let rests = declared.algorithm.is_some_and(CollectiveAlgorithm::copies_chunks);
        let checked = match declared.algorithm {
            Some(CollectiveAlgorithm::Forest) => check_forest(&scene, declared.collective),
            Some(CollectiveAlgorithm::Paths) => check_pair_paths(&scene),
            None if fabric.routing.has_many_paths() && declared.collective == Collective::AllToAll => {
                check_pair_paths(&scene)
            }
            None if fabric.routing.has_many_paths() => {
                check_plannable(&scene).and_then(|()| match check_chunks_can_rest(&scene) {
                    Ok(()) => Ok(()),
                    Err(_) => check_forest(&scene, declared.collective),
                })
            }
            _ if rests => check_plannable(&scene).and_then(|()| check_chunks_can_rest(&scene)),
            _ => check_plannable(&scene),
        };
        checked.map_err(|reason| {
            collective_failure(CollectivesError::from(reason).in_scenario(NOMINAL), declared)
        })?;
    }
    Ok(())
}

/// Refuses scheduled collectives in groups whose chips are not connected among themselves.
///
/// # Errors
/// The first such collective, at its line.
pub(in crate::compile) fn check_groups_joined(fabric: &Fabric, topology: &Topology) -> Result<(), Failure> {
    let scene = Scene::healthy(topology);
    for (declared, size) in
        fabric.collectives.iter().filter_map(|declared| Some((declared, declared.groups?)))
    {
        groups_are_joined(&scene, size as usize).map_err(|reason| {
            let (name, span) = (declared.name.clone(), declared.span);
            Failure::spec(CollectivesError::NotScheduled { name, reason, span })
        })?;
    }
    Ok(())
}

/// The fastest schedule of a declared collective on a scene, with the cost of a channel.
///
/// # Errors
/// [`CollectivesError`] where it has none.
pub(crate) fn plan_declared(
    fabric: &Fabric,
    scene: &Scene<'_>,
    tables: Option<&ForwardingTables>,
    declared: &DeclaredCollective,
) -> Result<(Schedule, CollectiveCost), CollectivesError> {
    let request = request_of(declared, scene.topology)?;
    let mut planned = ScenarioCollectives::new(fabric, scene, &request).along(tables, &[]);
    let schedule = planned.schedule(declared.collective, declared.size)?;
    Ok((schedule, planned.cost().clone()))
}

fn request_of(
    declared: &DeclaredCollective,
    topology: &Topology,
) -> Result<CollectivesRequest, CollectivesError> {
    let root = declared.root.as_deref().map(|root| find_router(root, topology, declared)).transpose()?;
    Ok(CollectivesRequest {
        collectives: vec![declared.collective],
        sizes: vec![declared.size],
        algorithm: declared.algorithm,
        chunks: declared.chunks,
        root,
        groups: declared.groups.map(RequestedGroups::Consecutive),
        overhead_ps: declared.overhead_ps,
        barrier: declared.barrier,
        seed: declared.seed,
    })
}

pub(super) fn find_router(
    root: &str,
    topology: &Topology,
    declared: &DeclaredCollective,
) -> Result<NodeId, CollectivesError> {
    topology.find(root).ok_or_else(|| {
        let (collective, root, hint) = (declared.name.clone(), root.to_owned(), topology.names_hint());
        CollectivesError::NoRoot { collective, root, hint, span: declared.span }
    })
}

fn collective_failure(error: CollectivesError, declared: &DeclaredCollective) -> Failure {
    error.at_place(declared.span).into()
}
