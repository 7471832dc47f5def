//! Proves one scenario of a directory: its tables, its flow interval and its counts.

use super::certificates::{CertificateClaims, ClaimedScenario};
use super::files::CERTIFICATES;
use super::{Files, ScenarioProof, TableVisitor, formula, read, tables};
use crate::measures::{ScenarioCounts, ScenarioMeasures, flow_lower_bound, sent_per_host};
use crate::{CheckError, judge_tables, verify_flow};
use fabc_ir::{CrossConnects, DualLengths, ForwardingTables, Scene, Topology};
use fabc_kernel::{demand_hops, measured_distances, volume_and_distance};
use fabc_model::Fabric;
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
        let mut routed = None;
        if self.routed {
            let (tables, canonical) = tables::read_scenario_tables(self.files, self.topology, scenario)?;
            if line.canonical != canonical {
                let violation = "disagrees with the tables of this scenario";
                return Err(read::contradiction(
                    CERTIFICATES,
                    format!("scenarios[{}].canonical", scenario.name),
                    violation,
                ));
            }
            let (walk, proof) = judge_tables(self.fabric, &scene, &tables, &line.ranks)?;
            if let Some(limit) =
                self.fabric.budget.table_entries.filter(|&limit| walk.entries_max > u64::from(limit))
            {
                return Err(CheckError::OverBudget {
                    scenario: scenario.name.clone(),
                    violation: format!(
                        "a router has {} table entries, but the budget has {limit}",
                        walk.entries_max
                    ),
                    span: Some(self.fabric.budget.entries_span),
                });
            }
            (self.visit_tables)(&scenario.name, &tables, self.topology)?;
            if scenario.is_healthy() && formula::has_formula(self.fabric) {
                formula::verify_formula(self.files, self.fabric, self.topology, &tables)?;
            }
            routed = Some((walk, (ForwardingTables { routers: Vec::new(), ..tables }, proof)));
        } else if !line.ranks.is_empty() {
            let violation = "ranks without tables";
            return Err(read::contradiction(
                CERTIFICATES,
                format!("scenarios[{}].ranks", scenario.name),
                violation,
            ));
        }
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
            clock_hz: self.fabric.clock_hz,
            bandwidth_bps: self.topology.capacities().unit_bps(),
            capacity: scene.channels().map(|channel| self.topology.channel_capacity(channel)).sum(),
            parts: self.topology.capacities().parts(),
            trees: self
                .cross_connects
                .map(|cross_connects| scenario.whole_sets(&self.claims.trees, &scene.lit, cross_connects)),
            walk: routed.as_ref().map(|(walk, _)| walk.clone()),
        })?;
        let lengths = DualLengths { lengths: line.lengths.clone(), volume: dual.0, distance: dual.1 };
        Ok((
            metrics,
            ScenarioProof { lengths, flow: fault_flow.clone(), routed: routed.map(|(_, proved)| proved) },
        ))
    }
}
