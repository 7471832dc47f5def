//! One scenario: what is left of the pod is analysed, routed and proved.

use super::context::Context;
use super::described;
use super::routing::Routing;
use fabc_base::diag::Failure;
use fabc_base::progress::Silent;
use fabc_emit::compiled::{CompiledScenario, RoutedScenario};
use fabc_ir::{
    ConcurrentFlow, Distances, DualLengths, FlowCertificate, ForwardingTables, Fraction, PackedTables,
    Routes, Scenario, ScenarioMetrics, Scene, Survivors, Walk, gigabytes, surviving_scene,
};
use fabc_model::Demand;
use fabc_passes::flow;
use fabc_passes::route::RouteError;
use std::borrow::Cow;

/// Has the checker prove the lower end of a flow, if a flow is what proves it.
pub(super) fn proved(scene: &Scene<'_>, demand: &Demand, flow: &ConcurrentFlow) -> Result<(), Failure> {
    flow.primal
        .iter()
        .try_for_each(|primal| fabc_check::flow(scene, demand, primal))
        .map_err(Failure::internal)
}

/// What is left under a scenario, before anything is searched on it.
pub(super) struct Ground<'a> {
    pub(super) scene: Scene<'a>,
    /// What breaks the symmetry is compiled on what is left of the pod, without any.
    survivors: Option<Survivors>,
    distances: Distances,
}

impl Ground<'_> {
    /// The scene that is compiled, and who sends on it.
    fn own<'b>(&'b self, whole: &'b Demand) -> (Cow<'b, Scene<'b>>, &'b Demand) {
        match &self.survivors {
            Some(survivors) => (Cow::Owned(survivors.scene()), &survivors.demand),
            None => (Cow::Borrowed(&self.scene), whole),
        }
    }
}

/// Tables that were found for a scenario, now or before.
pub(super) struct Found {
    pub(super) tables: ForwardingTables,
    /// The same, where they come from a file.
    pub(super) packed: Option<PackedTables>,
    pub(super) ranks: Vec<u32>,
    /// What was counted along the routes, where there are routes.
    pub(super) carried: Option<Walk>,
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
        let Context { fabric, topology, .. } = *self;
        let ground = self.ground(scenario)?;
        let Ground { scene, survivors, .. } = &ground;
        let (own, demand) = ground.own(&fabric.demand);
        let mut flow = None;
        let prices = if scenario.is_nominal() {
            self.lengths.clone()
        } else if let Some(survivors) = survivors {
            flow::price(
                &own,
                demand,
                &survivors.lengths_from_whole(topology, self.lengths),
                flow::Settings::LOCAL,
            )
        } else if self.fault_flows {
            let found = flow::concurrent(
                scene,
                demand,
                flow::Start::Lengths(self.lengths),
                flow::Settings::FAULT,
                &Silent,
            );
            proved(scene, demand, &found)?;
            flow = found.primal;
            found.dual
        } else {
            flow::price(scene, demand, self.lengths, flow::Settings::FAULT)
        };
        let lengths = survivors
            .as_ref()
            .map_or_else(|| prices.clone(), |survivors| survivors.lengths_to_whole(&prices));
        let routed = routing.map(|routing| match survivors {
            Some(survivors) => routing.route_survivors(fabric, scene, survivors, &prices, scenario, healthy),
            None => routing.route(fabric, scene, &prices, scenario, healthy),
        });
        let (mut found, mut routes) = (None, None);
        if let Some(routed) = routed.transpose().map_err(Failure::infeasible)? {
            found = Some(Found {
                tables: routed.tables,
                packed: None,
                ranks: routed.ranks,
                carried: Some(routed.carried),
            });
            routes = routed.routes;
        }
        Ok((self.measured(scenario, &ground, lengths, flow, found)?, routes))
    }

    /// What is left, if it is in one part.
    pub(super) fn ground(&self, scenario: &Scenario) -> Result<Ground<'_>, Failure> {
        let Context { fabric, topology, cross_connects, .. } = *self;
        let scene = surviving_scene(&scenario.fault, topology, cross_connects);
        let survivors = (!scene.keeps_symmetry()).then(|| Survivors::new(&scene, &fabric.demand));
        let whole = survivors.as_ref().map(Survivors::scene);
        let own = whole.as_ref().unwrap_or(&scene);
        // A chip that is left alone has nobody to serve.
        let connected =
            flow::distances(own).filter(|_| scene.dead.is_empty() || own.topology.node_count() > 1);
        let Some(distances) = connected else {
            return Err(Failure::infeasible(RouteError::fault_disconnects(fabric, &scene, scenario)));
        };
        fabc_check::distances(&scene, &distances).map_err(Failure::internal)?;
        if scenario.is_nominal() {
            described::agrees(fabric, &distances)?;
        }
        drop(whole);
        Ok(Ground { scene, survivors, distances })
    }

    /// Measures and proves what was found for a scenario.
    pub(super) fn measured(
        &self,
        scenario: &Scenario,
        ground: &Ground<'_>,
        lengths: DualLengths,
        flow: Option<FlowCertificate>,
        found: Option<Found>,
    ) -> Result<CompiledScenario, Failure> {
        let Context { fabric, topology, .. } = *self;
        let Ground { scene, .. } = ground;
        let (own, demand) = ground.own(&fabric.demand);
        fabc_check::dual(scene, &fabric.demand, &lengths).map_err(Failure::internal)?;
        let demand_hops = flow::demand_hops(&own, demand);
        let metrics = |routed: Option<Walk>, flow_low| {
            self.metrics(scenario, ground, demand_hops, &lengths, flow_low, routed)
        };
        let Some(Found { tables, packed, ranks, carried }) = found else {
            let metrics = metrics(None, Fraction::ZERO);
            return Ok(CompiledScenario { scenario: scenario.clone(), metrics, lengths, flow, routed: None });
        };
        let (walk, proof) =
            fabc_check::judge_tables(fabric, scene, &tables, &ranks).map_err(Failure::internal)?;
        if let Some(carried) = carried {
            fabc_check::carried(&scenario.name, &carried, &walk).map_err(Failure::internal)?;
        }
        // A demand of pairs that all touch the dead router loads nothing.
        let of_tables = Some(walk.max_channel_load())
            .filter(|&load| load > 0)
            .map(|load| Fraction::new(topology.capacities().parts(), load));
        let flow_low = of_tables
            .into_iter()
            .chain(flow.as_ref().map(FlowCertificate::lower_end))
            .max()
            .unwrap_or(Fraction::ZERO);
        if let Some(limit) = fabric.budget.table_entries.filter(|&limit| walk.entries_max > u64::from(limit))
        {
            return Err(Failure::infeasible(RouteError::too_many_entries(fabric, topology, &tables, limit)));
        }
        let metrics = metrics(Some(walk), flow_low);
        let tables = packed.unwrap_or_else(|| PackedTables::pack(&tables));
        Ok(CompiledScenario {
            scenario: scenario.clone(),
            metrics,
            lengths,
            flow,
            routed: Some(RoutedScenario { tables, proof }),
        })
    }

    fn metrics(
        &self,
        scenario: &Scenario,
        Ground { scene, distances, .. }: &Ground<'_>,
        demand_hops: u64,
        lengths: &DualLengths,
        flow_low: Fraction,
        routed: Option<Walk>,
    ) -> ScenarioMetrics {
        let sent =
            self.fabric.demand.sent_per_host(scenario.fault.dead(), |router| self.topology.hosts(router));
        ScenarioMetrics {
            scenario: scenario.name.clone(),
            routers: (self.topology.node_count() - scene.dead.len()) as u64,
            endpoints: scene.endpoints().count() as u64,
            channels: scene.channels().count() as u64,
            capacity: scene.channels().map(|channel| self.topology.channel_capacity(channel)).sum(),
            parts: self.topology.capacities().parts(),
            diameter: distances.diameter,
            hop_histogram: distances.histogram.clone(),
            hop_total: distances.total,
            demand_hops,
            sent_per_host: Fraction::new(sent.weights, sent.hosts),
            flow_low,
            flow_high: lengths.upper_end(),
            clock_hz: self.fabric.clock_hz,
            channel_bandwidth: gigabytes(self.fabric.capacities.unit_bps()),
            disjoint_trees: self
                .cross_connects
                .map(|cross_connects| scenario.intact_sets(self.trees, scene, cross_connects) as u32),
            routed,
        }
    }
}
