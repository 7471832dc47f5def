//! Compiled pods made by hand, so that emitters can be tested without the passes.

use fabc::compiled::{CompiledFabric, CompiledPod, CompiledScenario};
use fabc::diag::Span;
use fabc::ids::{BlockId, ChannelId, Id, IdVec, LinkTypeId, NodeId, OcsGroupId, OcsId, PortId};
use fabc::ir::{
    ConcurrentFlow, CrossConnect, CrossConnects, DualLengths, End, FlowCertificate, ForwardingTables,
    Fraction, Hardware, HealthyMetrics, Link, LinkClass, PassRecord, RequireOutcome, Scenario,
    ScenarioMetrics, Scene, StopReason, Symmetry, TableEntry, Topology, Walk, router_names, surviving_scene,
};
use fabc::model::{
    Budget, Capacities, Comparison, CoupleRule, Cube, Demand, Duplex, Fabric, FacePort, Faults, LinkType,
    Metric, Ocs, OcsGroup, Plant, Pod, Require, Router, RoutingChoice, SonicConfig, SymmetryChoice,
    Synthesize, TopologyChoice, ValueScale,
};
use fabc::units::Decimal;

/// The shape of a pod made by hand.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) cubes: u32,
    pub(crate) dims: [u32; 3],
    pub(crate) rule: CoupleRule,
    pub(crate) duplex: Duplex,
    /// Whether tables are walked and faults tried, as after a full build.
    pub(crate) routed: bool,
}

/// A pod in which OCS k couples the + face of every cube with the - face of the cube `shift(k)` further on.
pub(crate) fn compiled(shape: Shape) -> CompiledFabric {
    let fabric = fabric(shape);
    let pod = fabric.pod().expect("made above");
    let (topology, cross_connects) = wire(pod);
    let topology = topology.named(router_names(&fabric)).with_capacities(fabric.capacities.clone());
    let wired =
        fabc::check::verify_wiring(&fabric, &topology, Some(&cross_connects)).expect("wired as declared");
    let scenarios: Vec<CompiledScenario> = Scenario::tolerated(&fabric, &topology)
        .into_iter()
        .filter(|scenario| shape.routed || scenario.is_nominal())
        .map(|scenario| measure(&fabric, &topology, &cross_connects, scenario, shape.routed))
        .collect();
    let metrics: Vec<ScenarioMetrics> = scenarios.iter().map(|scenario| scenario.metrics.clone()).collect();
    let hardware = Hardware::new(&fabric, &topology, None);
    let healthy = HealthyMetrics { network: None, cables: None, hardware: &hardware };
    let requires = fabric
        .requires
        .iter()
        .map(|require| RequireOutcome::evaluate(require, &metrics, None, healthy))
        .collect();
    let flow = ConcurrentFlow {
        dual: scenarios[0].lengths.clone(),
        primal: Some(tree_flow(&topology)),
        rounds: 120,
        sweeps: 0,
        stopped_by: StopReason::Gap,
    };
    let (trees, tree_bounds) = fabc::passes::trees::disjoint_trees(pod, &topology, &cross_connects);
    let pass = |name: &str, stopped_by: &str, counters: &[(&str, u64)]| PassRecord {
        name: name.to_owned(),
        stopped_by: stopped_by.to_owned(),
        counters: counters.iter().map(|&(name, count)| (name.to_owned(), count)).collect(),
        notes: Vec::new(),
    };
    let passes = vec![
        pass("synthesize", "budget", &[("moves", 1_250_000), ("accepted", 48_112), ("restarts", 8)]),
        pass("analyze", "gap", &[("rounds", 120)]),
        pass("route", "done", &[("scenarios", scenarios.len() as u64), ("relaxations", 9_221_337)]),
    ];
    let limit = fabc::passes::limit::universal(pod, &fabric.demand, &fabric.capacities).0;
    let pod = Some(CompiledPod { cross_connects, limit, uniform: None, trees, tree_bounds });
    CompiledFabric {
        fabric,
        topology,
        wired,
        pod,
        placement: None,
        cables: None,
        light: None,
        hardware,
        trade_off: Vec::new(),
        network: None,
        flow,
        scenarios,
        simulations: Vec::new(),
        collectives: Vec::new(),
        jobs: Vec::new(),
        requires,
        passes,
    }
}

/// One unit from every canonical source to every other node along a tree of shortest paths.
fn tree_flow(topology: &Topology) -> FlowCertificate {
    let symmetry = topology.symmetry();
    let scene = Scene::healthy(topology);
    let mut totals = vec![0; topology.class_count(symmetry)];
    let mut flow = |source| {
        let (next, _, order) = towards(&scene, source);
        let mut through = vec![1u64; topology.node_count()];
        let mut units = vec![0; topology.channel_count()];
        for node in order {
            let Some(channel) = next[node.index()].and_then(|channel| topology.reverse(channel)) else {
                continue;
            };
            through[topology.source(channel).node.index()] += through[node.index()];
            units[channel.index()] = through[node.index()];
            totals[topology.channel_class(symmetry, channel).index()] += through[node.index()];
        }
        units
    };
    let flows = symmetry.canonical_nodes().map(&mut flow).collect();
    FlowCertificate {
        demand: 1,
        mirrored: true,
        busiest: totals.iter().copied().max().unwrap_or(1),
        parts: 1,
        flows,
    }
}

/// A line of the contract, of a metric of the healthy pod or of all faults.
fn require(metric: Metric, fault: bool, comparison: Comparison, value_text: &str) -> Require {
    Require {
        metric,
        subject: None,
        fault,
        comparison,
        value: Decimal::parse(value_text).expect("a number"),
        scale: ValueScale::Metric,
        value_text: value_text.to_owned(),
        unit: fabc::model::WrittenUnit::default(),
        span: Span::default(),
        position: 0,
    }
}

fn fabric(shape: Shape) -> Fabric {
    let span = Span::default();
    let link = |name: &str, latency_cycles| LinkType {
        name: name.to_owned(),
        bandwidth_bps: 1_024_000_000_000,
        latency_cycles,
        per_metre_ps: 0,
        cost: [0, 0],
        power_mw: 0,
        optics: None,
        span,
    };
    let mut pod = Pod {
        cube: Cube { dims: shape.dims, mesh: LinkTypeId(0), span },
        cubes: shape.cubes,
        cubes_span: span,
        ocs_groups: IdVec::new(),
        ocses: IdVec::new(),
        topology: TopologyChoice::Synthesize(Synthesize {
            symmetry: SymmetryChoice::Translation,
            ..Synthesize::default()
        }),
        topology_span: span,
    };
    for (axis, name) in ["X", "Y", "Z"].into_iter().enumerate() {
        couple_axis(&mut pod, &shape, axis, name);
    }
    debug_assert_eq!(pod.ocs_groups.ids().last(), Some(OcsGroupId(2)));
    Fabric {
        name: shape.name.to_owned(),
        clock_hz: 1_050_000_000,
        link_types: vec![link("copper", 50), link("fiber", 25)].into(),
        router: Router {
            radix: 6,
            hosts: 0,
            vcs: 4,
            flit_bytes: 128,
            buffer_flits: 200,
            latency_cycles: 25,
            cost: 0,
            power_mw: 0,
            arithmetic: Default::default(),
            host_link: None,
            span,
        },
        capacities: Capacities::new(&[Some(1_024_000_000_000); 2], fabc::limits::CAPACITY_PARTS)
            .expect("alike"),
        plant: Plant::Pod(pod),
        floor: None,
        budget: Budget {
            vcs: 2,
            faults: Faults::Ocses(1),
            table_entries: None,
            vcs_span: span,
            faults_span: span,
            entries_span: span,
        },
        demand: Demand::uniform((shape.dims.iter().product::<u32>() * shape.cubes) as usize),
        routing: RoutingChoice::AllowedTurns(Default::default()),
        relays: 0,
        routing_span: span,
        simulations: Vec::new(),
        collectives: Vec::new(),
        jobs: Vec::new(),
        searched_for: Vec::new(),
        addresses: None,
        hosts: None,
        losses: None,
        slices: fabc::model::Slices::default(),
        requires: vec![
            require(Metric::Diameter, false, Comparison::AtMost, "7"),
            require(Metric::ConcurrentFlow, false, Comparison::AtLeast, "0.005"),
            require(Metric::MaxChannelLoad, false, Comparison::AtMost, "159"),
            require(Metric::Diameter, true, Comparison::AtMost, "9"),
        ],
        span,
    }
}

/// Adds the switches of an axis: one per position of a face, for the two faces of all cubes there.
fn couple_axis(pod: &mut Pod, shape: &Shape, axis: usize, name: &str) {
    let span = Span::default();
    let others: Vec<usize> = (0..3).filter(|&other| other != axis).collect();
    let size: Vec<u32> = others.iter().map(|&other| shape.dims[other]).collect();
    let group = pod.ocs_groups.push(OcsGroup { name: name.to_owned(), shape: size.clone(), span });
    for (u, v) in (0..size[0]).flat_map(|u| (0..size[1]).map(move |v| (u, v))) {
        let face = |cube, minus: bool| {
            let mut coordinates = [0; 3];
            (coordinates[others[0]], coordinates[others[1]]) = (u, v);
            coordinates[axis] = if minus { 0 } else { shape.dims[axis] - 1 };
            let port = PortId(2 * axis as u16 + u16::from(minus));
            FacePort { cube: BlockId(cube), node: pod.node(BlockId(cube), coordinates), port }
        };
        let [plus, minus] =
            [false, true].map(|minus| (0..shape.cubes).map(|cube| face(cube, minus)).collect::<Vec<_>>());
        let (a, b) = match shape.rule {
            CoupleRule::Sided => (plus, minus),
            CoupleRule::Any => {
                (plus.into_iter().zip(minus).flat_map(|(plus, minus)| [plus, minus]).collect(), Vec::new())
            }
        };
        let ocs = Ocs {
            name: format!("{name}[{u},{v}]"),
            group,
            index: vec![u, v],
            rule: shape.rule,
            a,
            b,
            link: LinkTypeId(1),
            ports: 136,
            duplex: shape.duplex,
            config_db: match (shape.rule, shape.duplex) {
                (CoupleRule::Any, Duplex::Circulator) => SonicConfig::NoSides,
                _ => SonicConfig::OcsV,
            },
            cost: 0,
            power_mw: 0,
            loss: None,
            span,
        };
        pod.ocses.push(ocs);
    }
}

/// The number of cubes by which the coupling of an OCS goes on: different strides per axis and position.
fn shift(pod: &Pod, ocs: OcsId) -> u32 {
    let Ocs { group, index, .. } = &pod.ocses[ocs];
    (group.0 * group.0 + 1 + (index[0] + index[1]) % 2 * (group.0 + 2)) % pod.cubes
}

/// Whether the cross-connects of an OCS alone join all cubes: its shift and the number of cubes have no
/// common divisor.
fn joins_all(pod: &Pod, ocs: OcsId) -> bool {
    let (mut a, mut b) = (pod.cubes, shift(pod, ocs));
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a == 1
}

fn wire(pod: &Pod) -> (Topology, CrossConnects) {
    let symmetry = Symmetry::new(
        pod.chips_per_cube(),
        (0..pod.cubes)
            .map(|by| (0..pod.cubes).map(|cube| BlockId((cube + by) % pod.cubes)).collect())
            .collect(),
    );
    let mut links = Vec::new();
    let end = |node, port| End { node, port: PortId(port) };
    for node in (0..pod.node_count()).map(NodeId::new) {
        let coordinates = pod.coordinates(node);
        for axis in 0..3 {
            if coordinates[axis] + 1 < pod.cube.dims[axis] {
                let mut next = coordinates;
                next[axis] += 1;
                let next = pod.node(pod.cube_of(node), next);
                links.push(Link {
                    a: end(node, 2 * axis as u16),
                    b: end(next, 2 * axis as u16 + 1),
                    class: LinkClass::Local,
                    link_type: LinkTypeId(0),
                    simplex: false,
                });
            }
        }
    }
    let sides = |id: OcsId| {
        let ocs = &pod.ocses[id];
        let count = pod.cubes;
        (0..count).map(move |cube| {
            let to = (cube + shift(pod, id)) % count;
            match ocs.rule {
                CoupleRule::Sided => (cube, to, ocs.a[cube as usize], ocs.b[to as usize]),
                CoupleRule::Any => {
                    let (a, b) = (2 * cube, 2 * to + 1);
                    (a.min(b), a.max(b), ocs.a[a.min(b) as usize], ocs.a[a.max(b) as usize])
                }
            }
        })
    };
    for ocs in pod.ocses.ids() {
        links.extend(sides(ocs).map(|(_, _, a, b)| Link {
            a: End { node: a.node, port: a.port },
            b: End { node: b.node, port: b.port },
            class: LinkClass::Global,
            link_type: LinkTypeId(1),
            simplex: false,
        }));
    }
    let topology = Topology::new(6, links, symmetry);
    let mut ocs_of = IdVec::filled(None, topology.links().len());
    let mut settings = IdVec::new();
    for ocs in pod.ocses.ids() {
        let mut setting: Vec<CrossConnect> = sides(ocs)
            .map(|(a, b, face, _)| {
                let link = topology.link_of(topology.outgoing(face.node, face.port).expect("wired above"));
                ocs_of[link] = Some(ocs);
                CrossConnect { a, b, link }
            })
            .collect();
        setting.sort();
        settings.push(setting);
    }
    (topology, CrossConnects { settings, ocs_of })
}

/// Next hops of the shortest paths to a destination over lit links, and nodes by falling distance.
fn towards(scene: &Scene<'_>, dst: NodeId) -> (Vec<Option<ChannelId>>, Vec<u32>, Vec<NodeId>) {
    let topology = scene.topology;
    let mut next = vec![None; topology.node_count()];
    let mut distance = vec![u32::MAX; topology.node_count()];
    distance[dst.index()] = 0;
    let mut order = vec![dst];
    let mut done = 0;
    while done < order.len() {
        let node = order[done];
        done += 1;
        for channel in scene.channels_from(node) {
            let from = topology.target(channel).node;
            if distance[from.index()] == u32::MAX {
                distance[from.index()] = distance[node.index()] + 1;
                next[from.index()] = topology.reverse(channel);
                order.push(from);
            }
        }
    }
    order.reverse();
    (next, distance, order)
}

fn measure(
    fabric: &Fabric,
    topology: &Topology,
    cross_connects: &CrossConnects,
    scenario: Scenario,
    routed: bool,
) -> CompiledScenario {
    let pod = fabric.pod().expect("made above");
    let scene = surviving_scene(&scenario.fault, topology, Some(cross_connects));
    let symmetry = topology.symmetry();
    let copies = symmetry.order() as u64;
    let mut histogram: Vec<u64> = Vec::new();
    let mut loads = vec![0u64; topology.class_count(symmetry)];
    for dst in symmetry.canonical_nodes() {
        let (next, distance, order) = towards(&scene, dst);
        let mut through = vec![1u64; topology.node_count()];
        for node in order {
            let hops = distance[node.index()] as usize;
            histogram.resize(histogram.len().max(hops + 1), 0);
            histogram[hops] += if hops > 0 { copies } else { 0 };
            if let Some(channel) = next[node.index()] {
                through[topology.target(channel).node.index()] += through[node.index()];
                loads[topology.channel_class(symmetry, channel).index()] += through[node.index()];
            }
        }
    }
    let mut of_load = std::collections::BTreeMap::new();
    let mut channels = 0u64;
    for channel in scene.channels() {
        channels += 1;
        *of_load.entry(loads[topology.channel_class(symmetry, channel).index()]).or_insert(0u64) += 1;
    }
    let hop_total: u64 = (0u64..).zip(&histogram).map(|(hops, count)| hops * count).sum();
    let flow_high = Fraction::new(channels, hop_total);
    let mut busiest = of_load.keys().last().copied().unwrap_or(1);
    if scenario.is_nominal() {
        let certified = tree_flow(topology).busiest;
        busiest = if routed { busiest.min(certified) } else { certified };
    }
    let walk = Walk {
        shares: 1,
        loads: loads.clone(),
        load_histogram: of_load.into_iter().collect(),
        vc_hops: vec![hop_total - hop_total * 2 / 5, hop_total * 2 / 5],
        route_hops: histogram.clone(),
        cycles_total: 50 * hop_total,
        cycles_most: 50 * (histogram.len() as u64 - 1),
        entries_max: 3 * pod.node_count() as u64,
        entries_total: 5 * (pod.node_count() * pod.node_count()) as u64 / 2,
    };
    let metrics = ScenarioMetrics {
        permutation: None,
        collisions: None,
        scenario: scenario.name.clone(),
        routers: pod.node_count() as u64,
        endpoints: pod.node_count() as u64,
        channels,
        capacity: channels,
        parts: 1,
        diameter: histogram.len() as u32 - 1,
        hop_histogram: histogram,
        hop_total,
        demand_hops: hop_total,
        sent_per_host: Fraction::integer(fabric.demand.sent_most(None)),
        flow_low: Fraction::new(1u64, busiest),
        flow_high: Some(flow_high),
        clock_hz: fabric.clock_hz,
        channel_bandwidth: Fraction::new(fabric.capacities.unit_bps(), 8_000_000_000u64),
        disjoint_trees: Some(
            pod.ocses
                .ids()
                .filter(|&ocs| joins_all(pod, ocs) && !scenario.fault.switches().contains(&ocs))
                .count() as u32,
        ),
        routed: routed.then_some(walk),
    };
    let lengths =
        DualLengths { lengths: vec![1; loads.len()], volume: channels.into(), distance: hop_total.into() };
    CompiledScenario { scenario, metrics, lengths, shortest: None, flow: None, routed: None, sprayed: None }
}

/// Tables of shortest paths (not free of deadlock: they only test the writers).
pub(crate) fn tables(topology: &Topology, symmetry: Symmetry) -> ForwardingTables {
    let scene = Scene::healthy(topology);
    let mut routers = vec![Vec::new(); symmetry.class_count()];
    for dst in topology.nodes() {
        let (next, _, _) = towards(&scene, dst);
        for (class, node) in symmetry.canonical_nodes().enumerate() {
            let Some(out) = next[node.index()] else { continue };
            let out_port = topology.source(out).port.0;
            routers[class].push(TableEntry { dst, in_port: -1, in_vc: -1, out_port, out_vc: 0 });
            for channel in topology.channels_from(node).filter_map(|channel| topology.reverse(channel)) {
                if next[topology.source(channel).node.index()] == Some(channel) {
                    let in_port = topology.target(channel).port.0 as i16;
                    routers[class].push(TableEntry { dst, in_port, in_vc: 0, out_port, out_vc: 1 });
                }
            }
        }
    }
    routers.iter_mut().for_each(|entries| entries.sort_unstable());
    ForwardingTables {
        scenario: "nominal".to_owned(),
        vcs: 2,
        key: fabc::ir::TableKey::DstInput,
        symmetry,
        routers,
    }
}
