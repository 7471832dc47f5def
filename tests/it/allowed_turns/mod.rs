//! Allowed-turns routing on pods whose best loads are known: tori, twisted tori, hill-climbed pods, odd
//! shapes, faults, VC budgets.

mod pods;
mod verify;

use fabc::ids::PortId;
use fabc::ir::{LinkClass, Routes, ScenarioFault, Scene, Topology, surviving_scene};
use fabc::model::{Demand, TableKey, TurnPriority};
use fabc::passes::route::allowed_turns::{
    MAX_PATHS, TurnOrder, TurnSettings, least_load, order, paths, select,
};
use fabc::progress::Silent;
use verify::{RouteMeasures, verify};

fn compute(topology: &Topology, vcs: u8) -> (TurnOrder, Routes) {
    compute_with(topology, &TurnSettings::for_size(vcs, topology.node_count()))
}

fn compute_with(topology: &Topology, settings: &TurnSettings) -> (TurnOrder, Routes) {
    let prices = pods::prices(topology, 1000);
    let order = order(topology, &prices, settings, &Silent);
    let routes = select(
        &Scene::healthy(topology),
        &Demand::uniform(topology.node_count()),
        &prices,
        &order,
        settings,
        None,
    );
    (order, routes)
}

fn routed(topology: &Topology, vcs: u8) -> RouteMeasures {
    verify(topology, &compute(topology, vcs).1, |_| false)
}

#[track_caller]
fn expect(measures: &RouteMeasures, max_load: u64, hops_ratio: f64) {
    assert!(measures.max_load <= max_load && measures.hops_ratio <= hops_ratio, "{measures:?}");
}

#[track_caller]
fn expect_balance(measures: &RouteMeasures) {
    let fair = 1.0 / measures.vc_share.len() as f64;
    assert!(measures.vc_share.iter().all(|share| (share - fair).abs() < 0.05), "{measures:?}");
}

#[test]
fn climbed_pods_come_within_one_percent_of_their_bound() {
    for (cubes, max_load) in [(2, 72), (4, 160), (8, 367)] {
        let measures = routed(&pods::shifted([4, 4, 4], cubes, &pods::climbed(cubes, 4000, 7)), 2);
        expect(&measures, max_load, 1.02);
        expect_balance(&measures);
    }
}

#[test]
fn tori_reach_their_analytic_load() {
    for (counts, max_load) in [([1, 1, 1], 33), ([1, 1, 2], 128), ([1, 2, 2], 257)] {
        let measures = routed(&pods::torus([4, 4, 4], counts), 2);
        expect(&measures, max_load, 1.03);
        expect_balance(&measures);
    }
}

#[test]
fn twisted_tori_reach_theirs() {
    expect(&routed(&pods::shifted([4, 4, 4], 2, &[vec![1; 16], vec![1; 16], vec![1; 16]]), 2), 74, 1.01);
    expect(&routed(&pods::twisted([4, 4, 4], [1, 2, 2], [[0, 1, 1], [0; 3], [0; 3]]), 2), 185, 1.01);
}

#[test]
fn odd_shapes_route() {
    expect(
        &routed(&pods::shifted([2, 2, 2], 8, &[vec![1, 2, 3, 4], vec![5, 6, 7, 1], vec![3, 2, 5, 1]]), 2),
        28,
        1.05,
    );
    expect(&routed(&pods::shifted([4, 4, 4], 5, &pods::climbed(5, 1000, 7)), 2), 212, 1.02);
    // Slabs one chip high: channels of one class follow each other along z.
    let shifts = [(0..4).collect(), (0..4).map(|v| v + 1).collect(), (0..16).map(|v| 1 + v % 4).collect()];
    expect(&routed(&pods::shifted([4, 4, 1], 5, &shifts), 2), 60, 1.10);
}

#[test]
fn a_pod_without_symmetry_routes_as_well() {
    let topology = pods::asymmetric(&pods::shifted([4, 4, 4], 2, &pods::climbed(2, 4000, 7)));
    let measures = routed(&topology, 2);
    expect(&measures, 73, 1.01);
    expect_balance(&measures);
}

#[test]
fn dark_face_ports_are_left_alone() {
    let full = pods::shifted([4, 4, 4], 4, &pods::climbed(4, 500, 7));
    let links = full
        .links()
        .iter()
        .copied()
        .filter(|link| link.class == LinkClass::Local || link.a.port.0 < 4)
        .collect();
    let topology = Topology::new(6, links, full.symmetry().clone());
    expect_balance(&routed(&topology, 2));
}

#[test]
fn more_virtual_channels_are_never_worse() {
    let never_worse = |topology: &Topology| {
        let loads: Vec<u64> = [1, 2, 3, 8].map(|vcs| routed(topology, vcs).max_load).into();
        assert!(loads.windows(2).all(|pair| pair[1] <= pair[0]), "{loads:?}");
    };
    never_worse(&pods::shifted([4, 4, 4], 2, &pods::climbed(2, 1000, 7)));
    // Small pods, where a single virtual channel may be as good as two.
    for cubes in 2..5u32 {
        for other in 1..cubes {
            never_worse(&pods::shifted([2, 2, 1], cubes, &[vec![1; 2], vec![other; 2], vec![1; 4]]));
        }
    }
}

#[test]
fn priorities_give_the_loads_of_the_greedy_insertion() {
    let topology = pods::shifted([4, 4, 4], 2, &pods::climbed(2, 4000, 7));
    for priority in TurnPriority::ALL {
        let settings = TurnSettings { priority: Some(priority), ..TurnSettings::for_size(2, 128) };
        let (order, routes) = compute_with(&topology, &settings);
        let measures = verify(&topology, &routes, |_| false);
        expect(&measures, 75, 1.03);
        // The optimized order leaves every pair a near-shortest path. One insertion after the other does not.
        assert!(order.lost > compute(&topology, 2).0.lost, "{priority:?}: {}", order.lost);
    }
    // One VC: some pairs would be left without a path, so the turns of a spanning tree come first.
    let settings =
        TurnSettings { priority: Some(TurnPriority::ChosenPaths), ..TurnSettings::for_size(1, 128) };
    assert!(verify(&topology, &compute_with(&topology, &settings).1, |_| false).max_load >= 72);
}

#[test]
fn tables_by_destination_cost_little_load() {
    for (cubes, max_load) in [(2, 73), (4, 162)] {
        let topology = pods::shifted([4, 4, 4], cubes, &pods::climbed(cubes, 1000, 7));
        let settings =
            TurnSettings { key: TableKey::Dst, ..TurnSettings::for_size(2, topology.node_count()) };
        let routes = compute_with(&topology, &settings).1;
        expect(&verify(&topology, &routes, |_| false), max_load, 1.03);
        let tables = fabc::passes::tables::build(&topology, &routes, TableKey::Dst, "nominal");
        assert!(tables.routers.iter().all(|entries| entries.len() == topology.node_count() - 1));
    }
}

#[test]
fn entries_merge_until_their_budget_holds() {
    let topology = pods::shifted([4, 4, 4], 2, &pods::climbed(2, 1000, 7));
    let size = |settings: &TurnSettings| {
        let routes = compute_with(&topology, settings).1;
        expect(&verify(&topology, &routes, |_| false), 75, 1.03);
        let tables = fabc::passes::tables::build(&topology, &routes, TableKey::DstInput, "nominal");
        tables.routers.iter().map(Vec::len).max().unwrap_or(0)
    };
    let free = TurnSettings::for_size(2, 128);
    let (most, budget) = (size(&free), 290);
    assert!(most > budget, "{most}");
    let merged = size(&TurnSettings { table_entries: Some(budget as u32), ..free });
    assert!(merged <= budget, "{merged}");
}

#[test]
fn lp_of_the_allowed_paths_is_met_by_the_descent() {
    for (cubes, shifts) in
        [(2, [vec![1; 4], vec![1; 4], vec![1; 4]]), (3, [vec![1; 4], vec![1; 4], vec![2; 4]])]
    {
        let topology = pods::shifted([2, 2, 2], cubes, &shifts);
        let (order, routes) = compute(&topology, 2);
        let prices = pods::prices(&topology, 1000);
        let choice = paths(&Scene::healthy(&topology), &prices, &order, MAX_PATHS).expect("a small pod");
        assert_eq!(
            routes.max_load(&topology, &Demand::uniform(topology.node_count())),
            least_load(&choice).expect("an optimum"),
            "{cubes} cubes"
        );
    }
    let large = pods::shifted([4, 4, 4], 2, &pods::climbed(2, 100, 7));
    let (order, prices) = (compute(&large, 2).0, pods::prices(&large, 1000));
    assert!(paths(&Scene::healthy(&large), &prices, &order, 2000).is_none());
}

/// 64 chips, some 11,000 paths. 128 chips take minutes: see docs/benchmarks.md.
#[cfg(feature = "cbc")]
#[test]
fn lp_of_64_chips_is_met_but_for_one_route() {
    let topology = pods::shifted([4, 4, 2], 2, &[vec![1; 8], vec![1; 8], vec![1; 16]]);
    let (order, routes) = compute(&topology, 2);
    let choice = paths(&Scene::healthy(&topology), &pods::prices(&topology, 1000), &order, MAX_PATHS)
        .expect("few enough paths");
    let highest_load = routes.max_load(&topology, &Demand::uniform(topology.node_count()));
    let least_possible = least_load(&choice).expect("an optimum");
    assert!(highest_load <= least_possible + 1, "{highest_load} instead of {least_possible}");
}

/// All fibers at the place of a link's end: what a dark OCS takes away.
fn without_ocs(topology: &Topology, port: u16, local: u32) -> Scene<'_> {
    let chips = topology.symmetry().block_size() as u32;
    let lit = topology
        .links()
        .iter()
        .map(|link| {
            ![link.a, link.b].iter().any(|end| end.port == PortId(port) && end.node.0 % chips == local)
                || link.class == LinkClass::Local
        })
        .collect();
    Scene { lit, ..Scene::healthy(topology) }
}

#[test]
fn one_order_serves_every_fault() {
    let topology = pods::shifted([4, 4, 4], 4, &pods::climbed(4, 1000, 7));
    let (order, nominal) = compute(&topology, 2);
    let prices = pods::prices(&topology, 1000);
    let settings = TurnSettings::for_size(2, topology.node_count());
    for (port, local) in [(0, 3), (0, 63), (2, 12), (4, 48), (4, 53)] {
        let scene = without_ocs(&topology, port, local);
        assert_eq!(scene.lit.iter().filter(|&&lit| !lit).count(), 4);
        let routes = select(
            &scene,
            &Demand::uniform(topology.node_count()),
            &prices,
            &order,
            &settings,
            Some(&nominal),
        );
        assert_eq!(routes.ranks, nominal.ranks);
        assert_eq!(routes.symmetry, nominal.symmetry);
        let measures = verify(&topology, &routes, |link| !scene.is_lit(link));
        expect(&measures, 164, 1.02);
        expect_balance(&measures);
    }
}

#[test]
fn a_single_cut_fiber_breaks_the_symmetry_and_routes() {
    let topology = pods::shifted([4, 4, 4], 2, &pods::climbed(2, 1000, 7));
    let (order, nominal) = compute(&topology, 2);
    let cut =
        topology.links().enumerate().find(|(_, link)| link.class == LinkClass::Global).expect("a fiber").0;
    let scene = surviving_scene(&ScenarioFault::Link(cut), &topology, None);
    let settings = TurnSettings::for_size(2, topology.node_count());
    let prices = pods::prices(&topology, 1000);
    let routes =
        select(&scene, &Demand::uniform(topology.node_count()), &prices, &order, &settings, Some(&nominal));
    assert!(routes.symmetry.is_trivial());
    expect(&verify(&topology, &routes, |link| !scene.is_lit(link)), 78, 1.02);
}

#[test]
fn threads_do_not_change_a_byte() {
    let topology = pods::shifted([4, 4, 4], 4, &pods::climbed(4, 300, 7));
    let alone = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a pool")
        .install(|| compute(&topology, 2));
    let many = rayon::ThreadPoolBuilder::new()
        .num_threads(3)
        .build()
        .expect("a pool")
        .install(|| compute(&topology, 2));
    assert_eq!(alone.0, many.0);
    assert_eq!(alone.1.hops, many.1.hops);
    assert_eq!(alone.1.offsets, many.1.offsets);
}
