//! Proves one scenario of a directory: its tables, its flow interval and its counts.

use super::certificates::{CertificateClaims, ClaimedScenario};
use super::files::CERTIFICATES;
use super::{Files, ScenarioProof, TableVisitor, VisitedTables, formula, read, tables};
use crate::collision::{CountedExpectations, count_collisions};
use crate::convictions::conviction_of_groups;
use crate::faults::ToleratedFault;
use crate::measures::{ScenarioCounts, ScenarioMeasures, flow_lower_bound, sent_per_host};
use crate::{CheckError, judge_groups, judge_tables, verify_flow, verify_permutation};
use fabc_ir::read::{CertifiedScenario, PermutationLine};
use fabc_ir::{Collisions, CrossConnects, DualLengths, ForwardingTables, Permutation, Scene, Topology, Walk};
use fabc_kernel::{
    DeadlockFree, GroupConviction, GroupsProved, demand_hops, measured_distances, volume_and_distance,
    volume_and_shortest_distance,
};
use fabc_model::{AllowedTurns, Fabric, RoutingChoice, Spreading};
use rayon::prelude::*;

/// The context that every scenario is verified in.
pub(super) struct ScenarioCheck<'a> {
    pub(super) files: &'a Files,
    pub(super) fabric: &'a Fabric,
    pub(super) topology: &'a Topology,
    pub(super) cross_connects: Option<&'a CrossConnects>,
    pub(super) claims: &'a CertificateClaims,
    pub(super) routed: bool,
    pub(super) visit_tables: &'a TableVisitor<'a>,
    /// Expectations of collisions that scenarios have in common.
    pub(super) expectations: CountedExpectations,
}

/// What the tables of one scenario prove.
struct ProvedRoutes {
    walk: Option<Walk>,
    routed: Option<(ForwardingTables, DeadlockFree)>,
    sprayed: Option<(GroupsProved, Option<Permutation>)>,
    collisions: Option<Collisions>,
}

impl ScenarioCheck<'_> {
    /// Proves all scenarios in parallel. Appends one error per scenario that fails.
    pub(super) fn prove_scenarios(
        &self,
        errors: &mut Vec<CheckError>,
    ) -> (Vec<ScenarioMeasures>, Vec<ScenarioProof>) {
        let prove = |claimed| self.prove_scenario(claimed);
        let proved = self.claims.scenarios.par_iter().map(prove).collect::<Vec<_>>();
        proved.into_iter().filter_map(|result| result.map_err(|error| errors.push(error)).ok()).unzip()
    }

    /// Proves one scenario and recomputes its metrics.
    fn prove_scenario(
        &self,
        ClaimedScenario { scenario, line, flow: fault_flow }: &ClaimedScenario,
    ) -> Result<(ScenarioMeasures, ScenarioProof), CheckError> {
        let lit = scenario.lit_links(self.topology, self.cross_connects);
        let scene = Scene { topology: self.topology, lit, dead: scenario.dead().into_iter().collect() };
        let distances = measured_distances(&scene).map_err(|(from, to)| CheckError::Disconnected {
            scenario: scenario.name.clone(),
            from: self.topology.name(from),
            to: self.topology.name(to),
            span: Some(self.fabric.budget.faults_span),
        })?;
        let dual = volume_and_distance(&scene, &self.fabric.demand, &line.lengths)?;
        let shortest = line.shortest.as_ref().map(|lengths| self.prove_shortest(&scene, scenario, lengths));
        let shortest = shortest.transpose()?;
        let routes = self.prove_routes(&scene, scenario, line)?;
        self.check_detours(scenario, distances.diameter, routes.walk.as_ref())?;
        let certified = if scenario.is_healthy() { self.claims.flow.as_ref() } else { fault_flow.as_ref() };
        if let Some(certificate) = fault_flow {
            verify_flow(&scene, &self.fabric.demand, certificate)?;
        }
        let metrics = ScenarioMeasures::new(ScenarioCounts {
            scenario: scenario.name.clone(),
            routers: (self.topology.node_count() - scene.dead.len()) as u64,
            endpoints: scene.endpoints().count() as u64,
            channels: scene.channels().count() as u64,
            pairs_at: distances.histogram,
            weighted_hops: demand_hops(&scene, &self.fabric.demand),
            sent_per_host: sent_per_host(&self.fabric.demand, self.topology, scenario.dead()),
            flow: certified.and_then(flow_lower_bound),
            dual,
            shortest: shortest.as_ref().map(|shortest| (shortest.volume, shortest.distance)),
            clock_hz: self.fabric.clock_hz,
            bandwidth_bps: self.topology.capacities().unit_bps(),
            capacity: scene.channels().map(|channel| self.topology.channel_capacity(channel)).sum(),
            parts: self.topology.capacities().parts() * routes.walk.as_ref().map_or(1, |walk| walk.shares),
            trees: self
                .cross_connects
                .map(|cross_connects| scenario.whole_sets(&self.claims.trees, &scene.lit, cross_connects)),
            permutation: routes.sprayed.as_ref().and_then(|(_, permutation)| permutation.clone()),
            collisions: routes.collisions,
            walk: routes.walk,
        })?;
        let lengths = DualLengths { lengths: line.lengths.clone(), volume: dual.0, distance: dual.1 };
        let ProvedRoutes { routed, sprayed, .. } = routes;
        Ok((metrics, ScenarioProof { lengths, shortest, flow: fault_flow.clone(), routed, sprayed }))
    }

    /// Proves a bound on the loads of shortest routes. Only the healthy fabric of a network with such routes
    /// has one.
    fn prove_shortest(
        &self,
        scene: &Scene<'_>,
        scenario: &ToleratedFault,
        lengths: &[u64],
    ) -> Result<DualLengths, CheckError> {
        if !scenario.is_healthy() || self.fabric.routing != RoutingChoice::Minimal {
            let violation = "is listed, but it has a meaning only for a healthy network under `minimal`";
            return Err(read::contradiction(CERTIFICATES, "scenarios.shortest", violation));
        }
        let (volume, distance) = volume_and_shortest_distance(scene, &self.fabric.demand, lengths)?;
        Ok(DualLengths { lengths: lengths.to_vec(), volume, distance })
    }

    /// Checks that no route has more hops than the spec allows.
    fn check_detours(
        &self,
        scenario: &ToleratedFault,
        diameter: u32,
        walk: Option<&Walk>,
    ) -> Result<(), CheckError> {
        let RoutingChoice::AllowedTurns(AllowedTurns { detour: Some(detour), .. }) = self.fabric.routing
        else {
            return Ok(());
        };
        let routes = walk.map_or(&[][..], |walk| &walk.route_hops);
        let hops = routes.iter().rposition(|&routes| routes > 0).unwrap_or(0) as u64;
        if hops <= u64::from(diameter) + u64::from(detour) {
            return Ok(());
        }
        let violation =
            format!("a route has {hops} hops, but {detour} beyond the diameter of {diameter} are allowed",);
        Err(read::contradiction("tables/", scenario.name.clone(), violation))
    }

    /// Proves the tables of a scenario, of either kind.
    fn prove_routes(
        &self,
        scene: &Scene<'_>,
        scenario: &ToleratedFault,
        line: &CertifiedScenario,
    ) -> Result<ProvedRoutes, CheckError> {
        let convicted = |what: &str, violation| {
            Err(read::contradiction(CERTIFICATES, format!("scenarios[{}].{what}", scenario.name), violation))
        };
        let spreading = self.fabric.routing.spreading().filter(|_| self.routed);
        if line.permutation.is_some() && spreading.is_none() {
            return convicted("permutation", "a permutation without group tables");
        }
        if let Some(spreading) = spreading {
            if !line.ranks.is_empty() || line.canonical {
                return convicted("ranks", "must be empty: tiers prove group tables free of deadlock");
            }
            return self.prove_groups(scene, scenario, line, spreading);
        }
        if !self.routed && !line.ranks.is_empty() {
            return convicted("ranks", "ranks without tables");
        }
        if !self.routed {
            return Ok(ProvedRoutes { walk: None, routed: None, sprayed: None, collisions: None });
        }
        let (tables, canonical) = tables::read_scenario_tables(self.files, self.topology, scenario)?;
        if line.canonical != canonical {
            return convicted("canonical", "disagrees with the tables of this scenario");
        }
        let (walk, proof) = judge_tables(self.fabric, scene, &tables, &line.ranks)?;
        self.check_entries(scenario, &walk)?;
        (self.visit_tables)(&scenario.name, VisitedTables::SinglePath(&tables), self.topology)?;
        if scenario.is_healthy() && formula::has_formula(self.fabric) {
            formula::verify_formula(self.files, self.fabric, self.topology, &tables)?;
        }
        let routed = Some((ForwardingTables { routers: Vec::new(), ..tables }, proof));
        Ok(ProvedRoutes { walk: Some(walk), routed, sprayed: None, collisions: None })
    }

    /// Proves the group tables of a scenario, and its worst permutation if the certificates list one. Counts
    /// the collisions of flows.
    fn prove_groups(
        &self,
        scene: &Scene<'_>,
        scenario: &ToleratedFault,
        line: &CertifiedScenario,
        spreading: Spreading,
    ) -> Result<ProvedRoutes, CheckError> {
        let tables = tables::read_group_tables(self.files, self.topology, scenario, spreading)?;
        let judged = judge_groups(self.fabric, scene, &tables)?;
        let (walk, proof) = judged
            .ok_or_else(|| conviction_of_groups(GroupConviction::TooFine, self.topology, &scenario.name))?;
        self.check_entries(scenario, &walk)?;
        let visited = VisitedTables::Groups(&tables, scene, spreading);
        (self.visit_tables)(&scenario.name, visited, self.topology)?;
        let permutation = line.permutation.as_ref().map(PermutationLine::permutation);
        if let Some(permutation) = &permutation {
            verify_permutation(scene, &tables, permutation)?;
        }
        let collisions = match spreading {
            Spreading::Spray => None,
            // The expectations are those of members with equal chances, in networks with tiers.
            Spreading::Ecmp(_) if self.fabric.routing.even_ecmp().is_none() => None,
            Spreading::Ecmp(ecmp) => count_collisions(scene, &tables, ecmp.flows, &self.expectations),
        };
        Ok(ProvedRoutes { walk: Some(walk), routed: None, sprayed: Some((proof, permutation)), collisions })
    }

    /// Checks that no table is larger than the budget allows.
    fn check_entries(&self, scenario: &ToleratedFault, walk: &Walk) -> Result<(), CheckError> {
        let budget = &self.fabric.budget;
        let Some(limit) = budget.table_entries.filter(|&limit| walk.entries_max > u64::from(limit)) else {
            return Ok(());
        };
        Err(CheckError::OverBudget {
            scenario: scenario.name.clone(),
            violation: format!("a router has {} table entries, but the budget has {limit}", walk.entries_max),
            span: Some(budget.entries_span),
        })
    }
}
