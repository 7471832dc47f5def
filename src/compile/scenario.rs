//! One scenario: what is left of the pod is analysed, routed and proved.

use super::context::Context;
use super::described;
use super::routing::{Routed, Routing};
use crate::check;
use crate::compiled::{CompiledScenario, RoutedScenario};
use crate::diag::Failure;
use crate::ir::{
    ConcurrentFlow, Distances, DualLengths, FlowCertificate, Fraction, PackedTables, Routes, Scenario, ScenarioMetrics, Scene, Survivors,
    gigabytes,
};
use crate::model::Demand;
use crate::passes::flow;
use crate::passes::route::RouteError;
use crate::progress::Silent;

/// Has the checker prove the lower end of a flow, if a flow is what proves it.
pub(super) fn proved(scene: &Scene<'_>, demand: &Demand, flow: &ConcurrentFlow) -> Result<(), Failure> {
    flow.primal.iter().try_for_each(|primal| check::flow(scene, demand, primal)).map_err(Failure::internal)
}

impl Context<'_> {
    /// Analyses, routes and proves one scenario; faults start from the routes of the healthy fabric, if the
    /// method can use them.
    pub(super) fn scenario(
        &self,
        routing: Option<&Routing>,
        scenario: &Scenario,
        healthy: Option<&Routes>,
    ) -> Result<(CompiledScenario, Option<Routes>), Failure> {
        let Context { fabric, topology, cross_connects, .. } = *self;
        let scene = Scene::of(&scenario.fault, topology, cross_connects);
        // What breaks the symmetry is compiled on what is left of the pod, without any.
        let survivors = (!scene.keeps_symmetry()).then(|| Survivors::new(&scene, &fabric.demand));
        let (own, demand) = match &survivors {
            Some(survivors) => (&survivors.scene(), &survivors.demand),
            None => (&scene, &fabric.demand),
        };
        // A chip that is left alone has nobody to serve.
        let connected = flow::distances(own).filter(|_| scene.dead.is_empty() || own.topology.node_count() > 1);
        let Some(distances) = connected else {
            return Err(Failure::infeasible(RouteError::fault_disconnects(fabric, &scene, scenario)));
        };
        check::distances(&scene, &distances).map_err(Failure::internal)?;
        if scenario.is_nominal() {
            described::agrees(fabric, &distances)?;
        }
        let mut flow = None;
        let prices = if scenario.is_nominal() {
            self.lengths.clone()
        } else if let Some(survivors) = &survivors {
            flow::price(own, demand, &survivors.lengths_from_whole(topology, self.lengths), flow::Settings::LOCAL)
        } else if self.fault_flows {
            let found = flow::concurrent(&scene, demand, flow::Start::Lengths(self.lengths), flow::Settings::FAULT, &Silent);
            proved(&scene, demand, &found)?;
            flow = found.primal;
            found.dual
        } else {
            flow::price(&scene, demand, self.lengths, flow::Settings::FAULT)
        };
        let lengths = survivors.as_ref().map_or_else(|| prices.clone(), |survivors| survivors.lengths_to_whole(&prices));
        check::dual(&scene, &fabric.demand, &lengths).map_err(Failure::internal)?;

        let mut metrics = self.metrics(scenario, &scene, &distances, flow::demand_hops(own, demand), &lengths);
        let Some(routing) = routing else {
            return Ok((CompiledScenario { scenario: scenario.clone(), metrics, lengths, flow, routed: None }, None));
        };
        let routed = match &survivors {
            Some(survivors) => routing.route_survivors(fabric, &scene, survivors, &prices, scenario, healthy),
            None => routing.route(fabric, &scene, &prices, scenario, healthy),
        };
        let Routed { ranks, tables, carried, routes } = routed.map_err(Failure::infeasible)?;
        let (walk, proof) = check::scenario(fabric, &scene, &tables, &ranks).map_err(Failure::internal)?;
        check::carried(&scenario.name, &carried, &walk).map_err(Failure::internal)?;
        // A demand of pairs that all touch the dead router loads nothing.
        let of_tables =
            Some(carried.max_channel_load()).filter(|&load| load > 0).map(|load| Fraction::new(topology.capacities().parts(), load));
        metrics.flow_low = of_tables.into_iter().chain(flow.as_ref().map(FlowCertificate::lower_end)).max().unwrap_or(Fraction::ZERO);
        if let Some(limit) = fabric.budget.table_entries.filter(|&limit| carried.entries_max > u64::from(limit)) {
            return Err(Failure::infeasible(RouteError::too_many_entries(fabric, topology, &tables, limit)));
        }
        metrics.routed = Some(carried);
        let routed = Some(RoutedScenario { tables: PackedTables::pack(&tables), proof });
        Ok((CompiledScenario { scenario: scenario.clone(), metrics, lengths, flow, routed }, routes))
    }

    fn metrics(
        &self,
        scenario: &Scenario,
        scene: &Scene<'_>,
        distances: &Distances,
        demand_hops: u64,
        lengths: &DualLengths,
    ) -> ScenarioMetrics {
        ScenarioMetrics {
            scenario: scenario.name.clone(),
            nodes: scene.endpoints().count() as u64,
            channels: scene.channels().count() as u64,
            capacity: scene.channels().map(|channel| self.topology.capacity(channel.link())).sum(),
            parts: self.topology.capacities().parts(),
            diameter: distances.diameter,
            hop_histogram: distances.histogram.clone(),
            hop_total: distances.total,
            demand_hops,
            sent_most: self.fabric.demand.sent_most(scenario.fault.dead()),
            flow_low: Fraction::ZERO,
            flow_high: lengths.upper_end(),
            clock_hz: self.fabric.clock_hz,
            channel_bandwidth: gigabytes(self.fabric.capacities.unit_bps()),
            hosts: u64::from(self.topology.most_hosts().max(1)),
            disjoint_trees: self.cross_connects.map(|cross_connects| scenario.intact(self.trees, scene, cross_connects) as u32),
            routed: None,
        }
    }
}
