//! Collectives that a spec declares: planned on the finished fabric, in every scenario that it asks for.

use super::{CollectivesAsked, CollectivesError, Planned};
use crate::compile::context::Context;
use crate::compiled::CompiledScenario;
use crate::diag::Failure;
use crate::ids::NodeId;
use crate::ir::{CollectiveOutcome, CollectivePoint, CollectiveResult, Scene, Topology, picoseconds};
use crate::model::{DeclaredCollective, Scenarios};
use crate::progress::Progress;
use rayon::prelude::*;

/// Sizes of the curve of a report: powers of two, from 1 KiB to 4 GiB.
const CURVE: std::ops::RangeInclusive<u32> = 10..=32;

impl Context<'_> {
    /// Plans every collective of the spec; nothing where there are no tables.
    pub(in crate::compile) fn collectives(
        &self,
        scenarios: &[CompiledScenario],
        progress: &dyn Progress,
    ) -> Result<Vec<CollectiveResult>, Failure> {
        let routed: Vec<&CompiledScenario> = scenarios.iter().filter(|scenario| scenario.routed.is_some()).collect();
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
        progress.begin(&format!("collective {}", declared.name), 1 + wanted as u64);
        let plan = |of: &&CompiledScenario| {
            let scene = Scene::of(&of.scenario.fault, self.topology, self.cross_connects);
            // Where the root is dead there is no such collective.
            if asked.root.is_some_and(|root| !scene.lives(root)) {
                return Ok(None);
            }
            let tables = of.routed.as_ref().map(|routed| routed.tables.unpacked());
            let mut planned = Planned::new(self.fabric, &scene, &asked).along(tables.as_ref(), &of.lengths.lengths);
            let found = planned.outcome(&of.scenario.name, declared.collective, declared.size);
            progress.advance();
            found.map(Some).map_err(|error| failure(error.of(&of.scenario.name), declared))
        };
        let outcomes: Vec<Result<Option<CollectiveOutcome>, Failure>> = scenarios[..wanted].par_iter().map(plan).collect();
        let outcomes = outcomes.into_iter().filter_map(Result::transpose).collect::<Result<Vec<_>, _>>()?;

        let scene = Scene::of(&scenarios[0].scenario.fault, self.topology, self.cross_connects);
        let tables = scenarios[0].routed.as_ref().map(|routed| routed.tables.unpacked());
        let mut planned = Planned::new(self.fabric, &scene, &asked).along(tables.as_ref(), &scenarios[0].lengths.lengths);
        let point = |power: u32| {
            let row = planned.row(declared.collective, 1 << power)?;
            let times = row.candidates.iter().map(|candidate| (candidate.algorithm, picoseconds(candidate.time.total()))).collect();
            Ok(CollectivePoint { size: row.size, bound: picoseconds(row.bound), times })
        };
        let curve = CURVE.map(point).collect::<Result<_, CollectivesError>>().map_err(|error| failure(error, declared))?;
        let crossovers = planned.crossovers().map_err(|error| failure(error, declared))?;
        progress.advance();
        progress.end();
        Ok(CollectiveResult { scenarios: outcomes, crossovers, curve })
    }
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

pub(super) fn named(root: &str, topology: &Topology, declared: &DeclaredCollective) -> Result<NodeId, Failure> {
    topology.find(root).ok_or_else(|| {
        let count = topology.node_count();
        Failure::spec(CollectivesError::NoRoot {
            collective: declared.name.clone(),
            root: root.to_owned(),
            hint: format!(
                "they are called `{}` to `{}`, or 0 to {}",
                topology.name(NodeId(0)),
                topology.name(NodeId(count as u32 - 1)),
                count - 1
            ),
            span: declared.span,
        })
    })
}

fn failure(error: CollectivesError, declared: &DeclaredCollective) -> Failure {
    match error {
        CollectivesError::Convicted { .. } => Failure::internal(error),
        _ => Failure::spec(error.at(declared.span)),
    }
}
