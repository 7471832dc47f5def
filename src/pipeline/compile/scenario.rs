//! Analyses, routes and proves one scenario: the healthy fabric, or what survives a fault.

use super::aim::RouteAim;
use super::context::ScenarioContext;
use super::described;
use super::routing::PreparedRouting;
use fabc_base::diag::Failure;
use fabc_base::progress::Silent;
use fabc_emit::compiled::{CompiledScenario, RoutedScenario, SprayedScenario};
use fabc_ir::{
    Collisions, ConcurrentFlow, Distances, DualLengths, FlowCertificate, ForwardingTables, Fraction,
    GroupTables, PackedTables, Permutation, Routes, Scenario, ScenarioMetrics, Scene, Survivors, Walk,
    gigabytes, surviving_scene, tiers_above_endpoints,
};
use fabc_model::{Demand, Ecmp, MemberWeights, TierOrder};
use fabc_passes::flow;
use fabc_passes::measure::collision;
use fabc_passes::measure::permutation::worst_permutation;
use fabc_passes::route::{RouteError, groups, ordered_groups, weights};
use std::borrow::Cow;

/// Has the checker prove the lower end of a flow, if the flow has a certificate of its own.
pub(super) fn prove_flow(scene: &Scene<'_>, demand: &Demand, flow: &ConcurrentFlow) -> Result<(), Failure> {
    flow.primal
        .iter()
        .try_for_each(|primal| fabc_check::verify_flow(scene, demand, primal))
        .map_err(Failure::internal)
}

/// What survives in a scenario, with its distances.
pub(super) struct SurvivingNetwork<'a> {
    pub(super) scene: Scene<'a>,
    /// Present if the scenario breaks the symmetry. It is then compiled on the surviving routers, without any
    /// symmetry.
    survivors: Option<Survivors>,
    distances: Distances,
}

impl SurvivingNetwork<'_> {
    /// The scene that is compiled, and its demand.
    fn compiled_scene<'b>(&'b self, demand: &'b Demand) -> (Cow<'b, Scene<'b>>, &'b Demand) {
        match &self.survivors {
            Some(survivors) => (Cow::Owned(survivors.scene()), &survivors.demand),
            None => (Cow::Borrowed(&self.scene), demand),
        }
    }
}

/// Tables of a scenario, either new or read back from a file.
pub(super) enum FoundTables {
    SinglePath(Box<RankedTables>),
    Groups(GroupTables),
}

/// What a search or a file gives for a scenario, before it is proved.
pub(super) struct FoundScenario {
    /// Lengths that bound the flow.
    pub(super) lengths: DualLengths,
    /// Lengths that bound the loads of shortest routes.
    pub(super) shortest: Option<DualLengths>,
    /// A flow of its own.
    pub(super) flow: Option<FlowCertificate>,
    /// Tables with one path per pair or with groups. `None` before routing.
    pub(super) tables: Option<FoundTables>,
}

/// Tables with one path per pair, and their ranks.
pub(super) struct RankedTables {
    pub(super) tables: ForwardingTables,
    /// The same tables in packed form, where they come from a file.
    pub(super) packed: Option<PackedTables>,
    pub(super) ranks: Vec<u32>,
    /// What the construction counted along the routes. `None` for tables from a file.
    pub(super) expected_walk: Option<Walk>,
}

impl ScenarioContext<'_> {
    /// Analyses, routes and proves one scenario. A fault starts from the routes of the healthy fabric, if the
    /// method can use them.
    pub(super) fn scenario(
        &self,
        routing: Option<&PreparedRouting>,
        scenario: &Scenario,
        healthy: Option<&Routes>,
    ) -> Result<(CompiledScenario, Option<Routes>), Failure> {
        let ScenarioContext { fabric, topology, .. } = *self;
        let network = self.surviving_network(scenario)?;
        let SurvivingNetwork { scene, survivors, .. } = &network;
        let (compiled_scene, demand) = network.compiled_scene(&fabric.demand);
        let mut flow = None;
        let prices = if scenario.is_nominal() {
            self.lengths.clone()
        } else if let Some(survivors) = survivors {
            flow::price(
                &compiled_scene,
                demand,
                &survivors.lengths_from_whole(topology, self.lengths),
                flow::FlowSettings::LOCAL,
            )
        } else if self.fault_flows {
            let concurrent = flow::concurrent(
                scene,
                demand,
                flow::StartLengths::Lengths(self.lengths),
                flow::FlowSettings::FAULT,
                &Silent,
            );
            prove_flow(scene, demand, &concurrent)?;
            flow = concurrent.primal;
            concurrent.dual
        } else {
            flow::price(scene, demand, self.lengths, flow::FlowSettings::FAULT)
        };
        let lengths = survivors
            .as_ref()
            .map_or_else(|| prices.clone(), |survivors| survivors.lengths_to_whole(&prices));
        let (mut found_tables, mut routes, mut shortest) = (None, None, None);
        match routing {
            Some(PreparedRouting::SinglePath { method, aim }) => {
                // A bound on what jobs send says nothing of the demand of the fabric.
                let balances_demand = aim.is_none();
                let aim = match (aim, survivors) {
                    (None, _) => RouteAim::of_demand(fabric, demand, &prices),
                    (Some(aim), Some(survivors)) => aim.surviving(topology, scene, survivors),
                    (Some(aim), None) => aim.whole(),
                };
                let routed = match survivors {
                    Some(survivors) => {
                        method.route_survivors(fabric, scene, survivors, &aim, scenario, healthy)
                    }
                    None => method.route(fabric, scene, &aim, scenario, healthy),
                };
                let routed = routed.map_err(Failure::infeasible)?;
                let hops = routed.expected_walk.longest_route();
                let long = RouteError::long_detour(fabric, scenario, network.distances.diameter, hops);
                if let Some(error) = long {
                    return Err(Failure::infeasible(error));
                }
                found_tables = Some(FoundTables::SinglePath(Box::new(RankedTables {
                    tables: routed.tables,
                    packed: None,
                    ranks: routed.ranks,
                    expected_walk: Some(routed.expected_walk),
                })));
                routes = routed.routes;
                let parts = topology.capacities().parts();
                let exceeds = |proof: &DualLengths| proof.least_load(parts) > lengths.least_load(parts);
                shortest = routed
                    .shortest
                    .filter(|proof| scenario.is_nominal() && balances_demand && exceeds(proof));
            }
            Some(PreparedRouting::ManyPaths { tiers, .. }) => {
                found_tables = Some(FoundTables::Groups(self.groups(scene, tiers, scenario)?));
            }
            None => {}
        }
        let found = FoundScenario { lengths, shortest, flow, tables: found_tables };
        Ok((self.prove_scenario(scenario, &network, found)?, routes))
    }

    /// The surviving network with its distances, or an error if it is disconnected.
    pub(super) fn surviving_network(&self, scenario: &Scenario) -> Result<SurvivingNetwork<'_>, Failure> {
        let ScenarioContext { fabric, topology, cross_connects, .. } = *self;
        let scene = surviving_scene(&scenario.fault, topology, cross_connects);
        let survivors = (!scene.keeps_symmetry()).then(|| Survivors::new(&scene, &fabric.demand));
        let survivor_scene = survivors.as_ref().map(Survivors::scene);
        let compiled_scene = survivor_scene.as_ref().unwrap_or(&scene);
        // A single surviving chip has no partner to serve.
        let connected = flow::distances(compiled_scene)
            .filter(|_| scene.dead.is_empty() || compiled_scene.topology.node_count() > 1);
        let Some(distances) = connected else {
            return Err(Failure::infeasible(RouteError::fault_disconnects(fabric, &scene, scenario)));
        };
        fabc_check::verify_distances(&scene, &distances).map_err(Failure::internal)?;
        if scenario.is_nominal() {
            described::check_formula_distances(fabric, &distances)?;
        }
        drop(survivor_scene);
        Ok(SurvivingNetwork { scene, survivors, distances })
    }

    /// Measures a scenario, has the checker prove its bound and its tables, and assembles it.
    pub(super) fn prove_scenario(
        &self,
        scenario: &Scenario,
        network: &SurvivingNetwork<'_>,
        found: FoundScenario,
    ) -> Result<CompiledScenario, Failure> {
        let FoundScenario { lengths, shortest, flow, tables: found_tables } = found;
        let ScenarioContext { fabric, topology, .. } = *self;
        let SurvivingNetwork { scene, .. } = network;
        let (compiled_scene, demand) = network.compiled_scene(&fabric.demand);
        fabc_check::verify_dual(scene, &fabric.demand, &lengths).map_err(Failure::internal)?;
        if let Some(shortest) = &shortest {
            fabc_check::verify_shortest(scene, &fabric.demand, shortest).map_err(Failure::internal)?;
        }
        let demand_hops = flow::demand_hops(&compiled_scene, demand);
        let metrics = |routed: Option<Walk>, flow_low| {
            self.metrics(scenario, network, demand_hops, &lengths, flow_low, routed)
        };
        let (mut walk, mut routed, mut sprayed, mut collisions) = (None, None, None, None);
        match found_tables {
            Some(FoundTables::SinglePath(found)) => {
                let (walked, found) = self.prove_tables(scenario, scene, *found)?;
                (walk, routed) = (Some(walked), Some(found));
            }
            Some(FoundTables::Groups(tables)) => {
                let (walked, found) = self.prove_groups(scenario, scene, tables)?;
                collisions = self.collisions(scene, &found.tables).map_err(Failure::internal)?;
                (walk, sprayed) = (Some(walked), Some(found));
            }
            None => {}
        }
        // A demand whose pairs all touch the dead router loads nothing.
        let loaded = walk.as_ref().filter(|walk| walk.max_channel_load() > 0);
        let tables_flow = loaded.map(|walk| {
            let parts = u128::from(topology.capacities().parts()) * u128::from(walk.shares);
            Fraction::new(parts, walk.max_channel_load())
        });
        let flow_low = tables_flow
            .into_iter()
            .chain(flow.as_ref().map(FlowCertificate::lower_end))
            .max()
            .unwrap_or(Fraction::ZERO);
        let permutation = sprayed.as_ref().and_then(|sprayed| sprayed.permutation.as_ref());
        let permutation = permutation.map(Permutation::value);
        let metrics = ScenarioMetrics { permutation, collisions, ..metrics(walk, flow_low) };
        let scenario = scenario.clone();
        Ok(CompiledScenario { scenario, metrics, lengths, shortest, flow, routed, sprayed })
    }

    /// Has the checker prove tables with one path per pair.
    fn prove_tables(
        &self,
        scenario: &Scenario,
        scene: &Scene<'_>,
        found: RankedTables,
    ) -> Result<(Walk, RoutedScenario), Failure> {
        let RankedTables { tables, packed, ranks, expected_walk } = found;
        let (walk, proof) =
            fabc_check::judge_tables(self.fabric, scene, &tables, &ranks).map_err(Failure::internal)?;
        if let Some(expected) = expected_walk {
            fabc_check::verify_walk(&scenario.name, &expected, &walk).map_err(Failure::internal)?;
        }
        if let Some(limit) = self.exceeded_entries(&walk) {
            let error = RouteError::too_many_entries(self.fabric, self.topology, &tables, limit);
            return Err(Failure::infeasible(error));
        }
        let tables = packed.unwrap_or_else(|| PackedTables::pack(&tables));
        Ok((walk, RoutedScenario { tables, proof }))
    }

    /// The group tables of a scenario.
    pub(super) fn groups(
        &self,
        scene: &Scene<'_>,
        tiers: &[u32],
        scenario: &Scenario,
    ) -> Result<GroupTables, Failure> {
        let routed = match self.fabric.routing.tier_order() {
            TierOrder::Tiers => groups::route(scene, tiers, self.fabric.relays, &scenario.name),
            TierOrder::UpDown { .. } => ordered_groups::route(scene, tiers, &scenario.name),
        };
        let tables = routed.map_err(|pair| {
            Failure::infeasible(RouteError::no_valid_path(self.fabric, self.topology, scenario, pair))
        })?;
        match self.fabric.routing.weights() {
            MemberWeights::Equal => Ok(tables),
            MemberWeights::Capacity => {
                weights::by_capacity(scene, &tables).ok_or_else(|| self.shares_too_small(scenario))
            }
        }
    }

    /// The error for shares of packets that cannot be counted.
    fn shares_too_small(&self, scenario: &Scenario) -> Failure {
        Failure::infeasible(RouteError::SharesTooSmall {
            method: self.fabric.routing.name(),
            scenario: scenario.name.clone(),
            routing: self.fabric.routing_span,
        })
    }

    /// Has the checker prove group tables.
    fn prove_groups(
        &self,
        scenario: &Scenario,
        scene: &Scene<'_>,
        tables: GroupTables,
    ) -> Result<(Walk, SprayedScenario), Failure> {
        let Some((walk, proof)) =
            fabc_check::judge_groups(self.fabric, scene, &tables).map_err(Failure::internal)?
        else {
            return Err(self.shares_too_small(scenario));
        };
        if let Some(limit) = self.exceeded_entries(&walk) {
            let error = RouteError::too_many_group_entries(self.fabric, self.topology, &tables, limit);
            return Err(Failure::infeasible(error));
        }
        let permutation = self.permutation(scene, &tables).map_err(Failure::internal)?;
        Ok((walk, SprayedScenario { tables, permutation, proof }))
    }

    /// The worst permutation of hosts, which the checker has proved. `None` where it is not measured. That is
    /// so in all scenarios or in none of the faults.
    fn permutation(
        &self,
        scene: &Scene<'_>,
        tables: &GroupTables,
    ) -> Result<Option<Permutation>, fabc_check::CheckError> {
        let scenarios = if tables.scenario == Scenario::nominal().name { 1 } else { 1 + self.faults as u64 };
        let permutation = worst_permutation(scene, tables, scenarios);
        if let Some(permutation) = &permutation {
            fabc_check::verify_permutation(scene, tables, permutation)?;
        }
        Ok(permutation)
    }

    /// The collisions of flows, which the checker has counted again. `None` unless a hash of flows chooses
    /// the paths.
    fn collisions(
        &self,
        scene: &Scene<'_>,
        tables: &GroupTables,
    ) -> Result<Option<Collisions>, fabc_check::CheckError> {
        let Some(Ecmp { flows, .. }) = self.fabric.routing.even_ecmp() else { return Ok(None) };
        let tiers = tiers_above_endpoints(self.topology).expect("a topology with groups has tiers");
        let collisions = collision::collisions(scene, tables, &tiers, flows, &self.expectations);
        fabc_check::verify_collisions(scene, tables, flows, collisions.as_ref(), &self.recounted)?;
        Ok(collisions)
    }

    /// The limit of table entries, if the largest table exceeds it.
    fn exceeded_entries(&self, walk: &Walk) -> Option<u32> {
        self.fabric.budget.table_entries.filter(|&limit| walk.entries_max > u64::from(limit))
    }

    fn metrics(
        &self,
        scenario: &Scenario,
        SurvivingNetwork { scene, distances, .. }: &SurvivingNetwork<'_>,
        demand_hops: u64,
        lengths: &DualLengths,
        flow_low: Fraction,
        routed: Option<Walk>,
    ) -> ScenarioMetrics {
        let sent =
            self.fabric.demand.sent_per_host(scenario.fault.dead(), |router| self.topology.hosts(router));
        let shares = routed.as_ref().map_or(1, |walk| walk.shares);
        ScenarioMetrics {
            scenario: scenario.name.clone(),
            routers: (self.topology.node_count() - scene.dead.len()) as u64,
            endpoints: scene.endpoints().count() as u64,
            channels: scene.channels().count() as u64,
            capacity: scene.channels().map(|channel| self.topology.channel_capacity(channel)).sum(),
            parts: self.topology.capacities().parts() * shares,
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
            permutation: None,
            collisions: None,
        }
    }
}
