//! One scenario: what is left of the pod is analysed, routed and proved.

use super::context::Context;
use super::router::{Routed, Router};
use crate::check;
use crate::compiled::{CompiledScenario, RoutedScenario};
use crate::diag::Failure;
use crate::ids::{IdVec, LinkId};
use crate::ir::{Distances, DualLengths, FlowCertificate, Fraction, PackedTables, Routes, Scenario, ScenarioMetrics, Survivors, Topology};
use crate::model::Demand;
use crate::passes::flow;
use crate::passes::route::RouteError;
use crate::progress::Silent;

const BITS_OF_A_GIGABYTE: u64 = 8_000_000_000;

impl Context<'_> {
    /// Analyses, routes and proves one scenario; faults start from the routes of the healthy pod, if the method can use them.
    pub(super) fn scenario(
        &self,
        router: Option<&Router>,
        scenario: &Scenario,
        healthy: Option<&Routes>,
    ) -> Result<(CompiledScenario, Option<Routes>), Failure> {
        let Context { fabric, topology, cross_connects, .. } = *self;
        let (alive, dead) = (scenario.alive(topology, cross_connects), scenario.chip);
        // What breaks the symmetry is compiled on what is left of the pod, without any.
        let survivors = (dead.is_some() || !topology.keeps(&alive)).then(|| Survivors::new(topology, &fabric.demand, &alive, dead));
        let left = match &survivors {
            Some(left) => Left {
                topology: &left.topology,
                demand: &left.demand,
                alive: &left.alive(),
                start: &left.lengths_from_pod(topology, self.nominal),
            },
            None => Left { topology, demand: &fabric.demand, alive: &alive, start: self.nominal },
        };
        // A chip that is left alone has nobody to serve.
        let connected = flow::distances(left.topology, left.alive).filter(|_| dead.is_none() || left.topology.node_count() > 1);
        let Some(distances) = connected else {
            return Err(Failure::infeasible(RouteError::fault_disconnects(fabric, topology, &alive, scenario)));
        };
        check::distances_without(topology, &alive, dead, &distances).map_err(Failure::internal)?;
        let mut flow = None;
        let prices = if scenario.is_nominal() {
            self.nominal.clone()
        } else if survivors.is_some() {
            flow::price(left.topology, left.demand, left.alive, left.start, flow::Settings::LOCAL)
        } else if self.fault_flows {
            let found =
                flow::concurrent(topology, &fabric.demand, &alive, flow::Start::Lengths(self.nominal), flow::Settings::FAULT, &Silent);
            check::flow(topology, &fabric.demand, &alive, &found.primal).map_err(Failure::internal)?;
            flow = Some(found.primal);
            found.dual
        } else {
            flow::price(topology, &fabric.demand, &alive, self.nominal, flow::Settings::FAULT)
        };
        let lengths = survivors.as_ref().map_or_else(|| prices.clone(), |left| left.lengths_to_pod(&prices));
        check::dual_without(topology, &fabric.demand, &alive, dead, &lengths).map_err(Failure::internal)?;

        let demand_hops = flow::demand_hops(left.topology, left.demand, left.alive);
        let mut metrics = self.metrics(scenario, &alive, &distances, demand_hops, &lengths);
        let Some(router) = router else {
            return Ok((CompiledScenario { scenario: scenario.clone(), metrics, lengths, flow, routed: None }, None));
        };
        let routed = match &survivors {
            Some(left) => router.route_survivors(self, &alive, left, &prices, scenario, healthy),
            None => router.route(self, &alive, &prices, scenario, healthy),
        };
        let Routed { ranks, tables, carried, routes } = routed.map_err(Failure::infeasible)?;
        let (walk, proof) = check::scenario_without(fabric, topology, &alive, dead, &tables, &ranks).map_err(Failure::internal)?;
        check::carried(&scenario.name, &carried, &walk).map_err(Failure::internal)?;
        // A demand of pairs that all touch the dead chip loads nothing.
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
        alive: &IdVec<LinkId, bool>,
        distances: &Distances,
        demand_hops: u64,
        lengths: &DualLengths,
    ) -> ScenarioMetrics {
        ScenarioMetrics {
            scenario: scenario.name.clone(),
            nodes: scenario.served(self.topology) as u64,
            channels: self.topology.channels().filter(|channel| alive[channel.link()]).count() as u64,
            capacity: self
                .topology
                .channels()
                .filter(|channel| alive[channel.link()])
                .map(|channel| self.topology.capacity(channel.link()))
                .sum(),
            parts: self.topology.capacities().parts(),
            diameter: distances.diameter,
            hop_histogram: distances.histogram.clone(),
            hop_total: distances.total,
            demand_hops,
            sent_most: self.fabric.demand.sent_most_without(scenario.chip),
            flow_low: Fraction::ZERO,
            flow_high: lengths.upper_end(),
            channel_bandwidth: Fraction::new(self.fabric.capacities.unit_bps(), BITS_OF_A_GIGABYTE),
            hosts: self.topology.nodes().map(|node| u64::from(self.topology.hosts(node))).max().unwrap_or(1),
            disjoint_trees: self.cross_connects.map(|cross_connects| scenario.intact(self.trees, alive, cross_connects) as u32),
            routed: None,
        }
    }
}

/// The lit part of a pod, and the lengths that its pricing starts from.
struct Left<'a> {
    topology: &'a Topology,
    demand: &'a Demand,
    alive: &'a IdVec<LinkId, bool>,
    start: &'a DualLengths,
}
