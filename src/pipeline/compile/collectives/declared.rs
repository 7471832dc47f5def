//! Collectives that a spec declares: planned on the finished fabric, in every scenario that it asks for.

use super::{CollectivesAsked, CollectivesError, Planned};
use crate::compile::context::Context;
use fabc_base::diag::Failure;
use fabc_base::ids::NodeId;
use fabc_base::progress::Progress;
use fabc_emit::compiled::CompiledScenario;
use fabc_ir::{
    CollectivePoint, CollectiveResult, Scene, Topology, picoseconds, router_names, surviving_scene,
};
use fabc_model::{CollectiveAlgorithm, DeclaredCollective, Fabric, Scenarios};
use fabc_passes::collective::{admitted, copyable};
use fabc_passes::scheduled::groups_are_joined;
use rayon::prelude::*;

/// The scenario in which nothing has failed.
const NOMINAL: &str = "nominal";

/// Sizes of the curve of a report: powers of two, from 1 KiB to 4 GiB.
const CURVE: std::ops::RangeInclusive<u32> = 10..=32;

impl Context<'_> {
    /// Plans every collective of the spec; nothing where there are no tables.
    pub(in crate::compile) fn collectives(
        &self,
        scenarios: &[CompiledScenario],
        progress: &dyn Progress,
    ) -> Result<Vec<CollectiveResult>, Failure> {
        let routed: Vec<&CompiledScenario> =
            scenarios.iter().filter(|scenario| scenario.routed.is_some()).collect();
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
        let asked = asked(declared, self.topology)?;
        let wanted = if declared.scenarios == Scenarios::All { scenarios.len() } else { 1 };
        progress.begin(&format!("collective {}", declared.name), wanted as u64);
        let plan = |(at, of): (usize, &&CompiledScenario)| {
            let scene = surviving_scene(&of.scenario.fault, self.topology, self.cross_connects);
            // Where the root is dead there is no such collective.
            if asked.root.is_some_and(|root| !scene.lives(root)) {
                return Ok(CollectiveResult::default());
            }
            let tables = of.routed.as_ref().map(|routed| routed.tables.unpacked());
            let mut planned =
                Planned::new(self.fabric, &scene, &asked).along(tables.as_ref(), &of.lengths.lengths);
            let found = one(&mut planned, &of.scenario.name, declared, at == 0);
            progress.advance();
            found.map_err(|error| failure(error.of(&of.scenario.name), declared))
        };
        let found: Vec<Result<CollectiveResult, Failure>> =
            scenarios[..wanted].par_iter().enumerate().map(plan).collect();
        let mut result = CollectiveResult::default();
        for of in found {
            let CollectiveResult { scenarios, crossovers, curve } = of?;
            result.scenarios.extend(scenarios);
            result.crossovers.extend(crossovers);
            result.curve.extend(curve);
        }
        progress.end();
        Ok(result)
    }
}

/// A collective in one scenario; `over_sizes` says whether also what it takes at other sizes.
fn one(
    planned: &mut Planned<'_>,
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

/// Refuses collectives whose roots or ends are no routers of the fabric; no topology is needed for that.
///
/// # Errors
/// The first such name, at its line.
pub(in crate::compile) fn named_routers(fabric: &Fabric) -> Result<(), Failure> {
    let (names, count) = (router_names(fabric), fabric.node_count());
    for declared in &fabric.collectives {
        let ends = declared
            .messages
            .iter()
            .flat_map(|messages| &messages.all)
            .flat_map(|message| [&message.from, &message.to]);
        for name in declared.root.iter().chain(ends) {
            let is_number = name.parse::<usize>().is_ok_and(|number| number < count);
            if !is_number && names.find(name, count).is_none() {
                let (collective, root, hint) = (declared.name.clone(), name.clone(), names.told(count));
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
/// Such a one, at its line.
pub(in crate::compile) fn plannable(fabric: &Fabric, topology: &Topology) -> Result<(), Failure> {
    let scene = Scene::whole(topology);
    for declared in &fabric.collectives {
        asked(declared, topology)?;
        let messages = declared.messages.iter().flat_map(|messages| &messages.all);
        messages
            .flat_map(|message| [&message.from, &message.to])
            .try_for_each(|end| named(end, topology, declared).map(|_| ()))?;
        let rests = declared.algorithm.is_some_and(CollectiveAlgorithm::rests);
        let found = admitted(&scene).and_then(|()| if rests { copyable(&scene) } else { Ok(()) });
        found.map_err(|reason| failure(CollectivesError::from(reason).of(NOMINAL), declared))?;
    }
    Ok(())
}

/// Refuses scheduled collectives in groups whose chips are not joined among themselves.
///
/// # Errors
/// Such a one, at its line.
pub(in crate::compile) fn are_in_joined_groups(fabric: &Fabric, topology: &Topology) -> Result<(), Failure> {
    let scene = Scene::whole(topology);
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

fn asked(declared: &DeclaredCollective, topology: &Topology) -> Result<CollectivesAsked, Failure> {
    let root = declared.root.as_deref().map(|root| named(root, topology, declared)).transpose()?;
    Ok(CollectivesAsked {
        collectives: vec![declared.collective],
        sizes: vec![declared.size],
        algorithm: declared.algorithm,
        chunks: declared.chunks,
        root,
        overhead_ps: declared.overhead_ps,
        barrier: declared.barrier,
        seed: declared.seed,
    })
}

pub(super) fn named(
    root: &str,
    topology: &Topology,
    declared: &DeclaredCollective,
) -> Result<NodeId, Failure> {
    topology.find(root).ok_or_else(|| {
        let (collective, root, hint) = (declared.name.clone(), root.to_owned(), topology.names_told());
        Failure::spec(CollectivesError::NoRoot { collective, root, hint, span: declared.span })
    })
}

fn failure(error: CollectivesError, declared: &DeclaredCollective) -> Failure {
    match error {
        CollectivesError::Convicted { .. } => Failure::internal(error),
        _ => Failure::spec(error.at(declared.span)),
    }
}
