//! Demand that is not uniform. Certified intervals are compared with the exact linear program, and laws of
//! scaling and relabelling hold. `reports` counts the loads of built directories again.

mod reports;

use crate::support::fixture::{pod, wire, wire_by};
use fabc::check;
use fabc::ids::{ChannelId, Id, NodeId};
use fabc::ir::{ConcurrentFlow, LinkClass, Scene, Topology};
use fabc::model::{Capacities, Demand, DemandComponent};
use fabc::passes::flow::{self, StartLengths};
use fabc::passes::synth::start_lengths;
use fabc::progress::Silent;
use fabc::solve::{FlowProblem, max_concurrent_flow};
use proptest::prelude::*;

const SETTINGS: flow::FlowSettings =
    flow::FlowSettings { rounds: 250, gap_ppm: 100, sweeps: 200, primal: true };

/// The topology with what is left of its symmetry under a demand.
fn under(topology: &Topology, demand: &Demand) -> Topology {
    let symmetry = topology.symmetry().clone();
    let kept = symmetry.subgroup(|g| demand.is_kept_by(|node| symmetry.image(g, node)));
    topology.clone().with_symmetry(kept)
}

/// The certified flow, with both of its proofs checked.
fn certified(topology: &Topology, demand: &Demand) -> ConcurrentFlow {
    let scene = Scene::healthy(topology);
    let certified_flow = flow::concurrent(
        &scene,
        demand,
        StartLengths::Seeds(&start_lengths(topology, demand)),
        SETTINGS,
        &Silent,
    );
    check::verify_flow(&scene, demand, certified_flow.primal.as_ref().unwrap()).unwrap();
    check::verify_dual(&scene, demand, &certified_flow.dual).unwrap();
    certified_flow
}

/// The capacities, indexed by `[channel class]`.
fn capacities(topology: &Topology) -> Vec<f64> {
    let symmetry = topology.symmetry();
    let mut weights = vec![1.0; topology.class_count(symmetry)];
    for channel in topology.channels() {
        weights[topology.channel_class(symmetry, channel).index()] =
            topology.channel_capacity(channel) as f64;
    }
    weights
}

/// The exact concurrent rate of a demand.
fn exact(topology: &Topology, demand: &Demand) -> f64 {
    let symmetry = topology.symmetry();
    let channel = |channel: ChannelId| {
        let end_nodes = (topology.source(channel).node.index(), topology.target(channel).node.index());
        (end_nodes.0, end_nodes.1, topology.channel_class(symmetry, channel).index())
    };
    let problem = FlowProblem {
        nodes: topology.node_count(),
        sources: symmetry.canonical_nodes().map(Id::index).collect(),
        channels: (0..topology.channel_count()).map(|id| channel(ChannelId::new(id))).collect(),
        capacities: capacities(topology),
    };
    max_concurrent_flow(&problem, |from, to| demand.weight(NodeId::new(from), NodeId::new(to))).unwrap()
}

/// A matrix from a rule.
fn matrix(nodes: usize, weight: impl Fn(usize, usize) -> usize) -> Demand {
    let cell = |at: usize| if at / nodes == at % nodes { 0 } else { weight(at / nodes, at % nodes) as u32 };
    Demand::matrix(nodes, (0..nodes * nodes).map(cell).collect())
}

/// Two and four cubes of 2 x 2 x 1: 8 and 16 chips with four ports in use each.
fn pods() -> [Topology; 2] {
    [
        wire(&pod([2, 2, 1], 2, &[0, 1], 2, 0), [1, 1, 0]).0,
        wire(&pod([2, 2, 1], 4, &[0, 1], 2, 0), [1, 2, 0]).0,
    ]
}

/// A topology whose fibers carry as much as `fiber` says, and its copper as `copper` does, Gbit/s.
fn with_bandwidths(topology: &Topology, copper: u64, fiber: u64) -> Topology {
    let chip = |id: u32| {
        topology
            .links()
            .iter()
            .find(|link| link.link_type.0 == id)
            .map(|link| if link.class == LinkClass::Global { fiber } else { copper })
    };
    let types = topology.links().iter().map(|link| link.link_type.0).max().unwrap() + 1;
    topology.clone().with_capacities(
        Capacities::new(&(0..types).map(chip).collect::<Vec<_>>(), fabc::limits::CAPACITY_PARTS).unwrap(),
    )
}

#[test]
fn lp_of_unequal_links_stands_inside_the_certified_interval() {
    for topology in pods() {
        for (copper, fiber) in [(100, 400), (400, 100), (300, 200), (96, 100)] {
            let topology = with_bandwidths(&topology, copper, fiber);
            let nodes = topology.node_count();
            for demand in [Demand::uniform(nodes), matrix(nodes, |from, to| 1 + (from * 3 + to) % 4)] {
                let topology = under(&topology, &demand);
                let (flow, exact) = (certified(&topology, &demand), exact(&topology, &demand));
                let (low, high) = (flow.value(), flow.dual.bound());
                assert!(
                    low <= exact + 1e-9 && exact <= high + 1e-9,
                    "{copper}/{fiber}: {exact} outside [{low}, {high}]"
                );
                assert!(high / low <= 1.01, "{copper}/{fiber}: [{low}, {high}]");
            }
        }
    }
}

#[test]
fn lp_of_weights_stands_inside_the_certified_interval() {
    for topology in pods() {
        let nodes = topology.node_count();
        let component = |group, weight| DemandComponent { group, weight };
        let demands = [
            ("uniform", Demand::uniform(nodes)),
            ("groups", Demand::groups(nodes, vec![component(4, 5), component(nodes as u32, 1)])),
            ("groups alone", Demand::groups(nodes, vec![component(2, 3), component(4, 1)])),
            ("symmetric", matrix(nodes, |s, t| (s.min(t) * 7 + s.max(t) * 3) % 5)),
            ("asymmetric", matrix(nodes, |s, t| (s * 7 + t * 5 + s * t) % 6)),
            ("ring", matrix(nodes, |s, t| if (s + 1) % nodes == t { 9 } else { 0 })),
            ("one to all", matrix(nodes, |s, _| usize::from(s == 0))),
            ("all to one", matrix(nodes, |_, t| usize::from(t == 3))),
            ("one pair", matrix(nodes, |s, t| usize::from((s, t) == (0, 7)))),
        ];
        for (name, demand) in demands {
            // Fewer sources keep the program small: a symmetric quotient where the demand allows, and only 8
            // chips otherwise.
            let topology = under(&topology, &demand);
            if topology.symmetry().class_count() > 8
                && !["one to all", "all to one", "one pair"].contains(&name)
            {
                continue;
            }
            let (exact, flow) = (exact(&topology, &demand), certified(&topology, &demand));
            let (low, high) = (flow.value(), flow.dual.bound());
            assert!(
                low <= exact + 1e-9 && exact <= high + 1e-9,
                "{name}, {nodes} chips: {exact} outside [{low}, {high}]"
            );
            assert!(high / low <= 1.01, "{name}, {nodes} chips: [{low}, {high}], exactly {exact}");
        }
    }
}

#[test]
fn few_open_faces_have_a_flow_within_a_percent_of_what_no_flow_exceeds() {
    // Cubes of 4 x 4 x 4 with 16 switches per face, shifted by squares: few channels decide, and most paths
    // tie. The upper end is proved by lengths, so the interval bounds how far the lower one is from the
    // optimum.
    let mut balanced = 0;
    for (axes, cubes) in [[0, 2].as_slice(), &[0], &[1], &[2]]
        .into_iter()
        .flat_map(|axes| [2, 3, 4, 8].map(|cubes| (axes, cubes)))
    {
        let fabric = pod([4, 4, 4], cubes, axes, 2, 0);
        let (topology, _) = wire_by(&fabric, |ocs| (ocs.0 * ocs.0 + ocs.0 / 3 + 1) % cubes);
        let settings = flow::FlowSettings { rounds: 60, ..SETTINGS };
        let certified_flow = flow::concurrent(
            &Scene::healthy(&topology),
            &fabric.demand,
            StartLengths::Seeds(&start_lengths(&topology, &fabric.demand)),
            settings,
            &Silent,
        );
        check::verify_flow(
            &Scene::healthy(&topology),
            &fabric.demand,
            certified_flow.primal.as_ref().unwrap(),
        )
        .unwrap();
        check::verify_dual(&Scene::healthy(&topology), &fabric.demand, &certified_flow.dual).unwrap();
        let (low, high) = (certified_flow.value(), certified_flow.dual.bound());
        assert!(low >= 0.99 * high && low <= high, "axes {axes:?}, {cubes} cubes: [{low}, {high}]");
        balanced += u32::from(certified_flow.sweeps > 0);
    }
    assert!(balanced > 0, "the rounds alone were enough for all of them");
}

#[test]
fn few_heavy_pairs_have_a_flow_within_a_percent_of_what_no_flow_exceeds() {
    // Every chip sends to its like in the next cube alone: most chips carry nothing of most sources.
    let fabric = pod([4, 4, 4], 3, &[0, 1, 2], 2, 0);
    let (topology, _) = wire_by(&fabric, |ocs| ocs.0 * ocs.0 % 3);
    let demand = matrix(192, |s, t| usize::from(t == (s + 64) % 192));
    let settings = flow::FlowSettings { rounds: 60, ..SETTINGS };
    let certified_flow = flow::concurrent(
        &Scene::healthy(&topology),
        &demand,
        StartLengths::Seeds(&start_lengths(&topology, &demand)),
        settings,
        &Silent,
    );
    check::verify_flow(&Scene::healthy(&topology), &demand, certified_flow.primal.as_ref().unwrap()).unwrap();
    check::verify_dual(&Scene::healthy(&topology), &demand, &certified_flow.dual).unwrap();
    let (low, high) = (certified_flow.value(), certified_flow.dual.bound());
    assert!(
        certified_flow.sweeps > 0 && low >= 0.99 * high && low <= high,
        "[{low}, {high}] after {} sweeps",
        certified_flow.sweeps
    );
}

#[test]
fn a_chip_that_sends_more_than_its_channels_carry_decides() {
    // 16 chips of 6 ports. Chip 0 sends 18 in all, so 6 channels out of it carry at most 6/18.
    let (topology, _) = wire(&pod([2, 2, 2], 2, &[0, 1, 2], 2, 0), [1, 1, 1]);
    let out = |s, t| if s == 0 { 1 + usize::from(t <= 3) } else { usize::from(t == (s + 1) % 16) };
    for (name, demand) in [("out of chip 0", matrix(16, out)), ("into chip 0", matrix(16, |s, t| out(t, s)))]
    {
        let flow = certified(&under(&topology, &demand), &demand);
        let (low, high) = (flow.value(), flow.dual.bound());
        assert!((high - 1.0 / 3.0).abs() < 1e-12, "{name}: at most {high}");
        assert!(low > 0.985 / 3.0, "{name}: [{low}, {high}]");
    }
    // Cube 0 sends 8 x 8 times 5 over the 24 fibers between the cubes.
    let across = matrix(16, |s, t| if s < 8 && t >= 8 { 5 } else { usize::from(s / 8 == t / 8) });
    let flow = certified(&under(&topology, &across), &across);
    assert!((flow.dual.bound() - 24.0 / 320.0).abs() < 1e-12, "{}", flow.dual.bound());
    assert!(flow.value() > 0.999 * 24.0 / 320.0, "{}", flow.value());
}

#[test]
fn ones_are_uniform() {
    for topology in pods() {
        let nodes = topology.node_count();
        let [ones, uniform] = [matrix(nodes, |_, _| 1), Demand::uniform(nodes)]
            .map(|demand| certified(&under(&topology, &demand), &demand));
        assert_eq!(ones.primal, uniform.primal);
        assert_eq!(ones.dual, uniform.dual);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn scaled_weights_divide_the_rate(weights in prop::collection::vec(0u32..5, 64), factor in 2u32..1000) {
        prop_assume!((0..64).any(|index| index % 9 != 0 && weights[index] > 0));
        let topology = wire(&pod([2, 2, 1], 2, &[0, 1], 2, 0), [1, 1, 0]).0;
        let once = matrix(8, |s, t| weights[s * 8 + t] as usize);
        let often = matrix(8, |s, t| (weights[s * 8 + t] * factor) as usize);
        let [once, often] = [once, often].map(|demand| {
            let flow = certified(&under(&topology, &demand), &demand);
            [flow.value(), flow.dual.bound()]
        });
        // Both intervals hold the exact rate, one of them scaled.
        let scaled = often.map(|end| end * f64::from(factor));
        prop_assert!(scaled[0] <= once[1] * (1.0 + 1e-12) && once[0] <= scaled[1] * (1.0 + 1e-12), "{once:?} {scaled:?}");
        prop_assert!((scaled[1] / once[1] - 1.0).abs() < 0.05 && (scaled[0] / once[0] - 1.0).abs() < 0.05, "{once:?} {scaled:?}");
    }

    #[test]
    fn chips_renamed_by_a_symmetry_keep_the_rate(weights in prop::collection::vec(0u32..5, 64)) {
        prop_assume!((0..64).any(|index| index % 9 != 0 && weights[index] > 0));
        let topology = wire(&pod([2, 2, 1], 2, &[0, 1], 2, 0), [1, 1, 0]).0;
        let symmetry = topology.symmetry();
        prop_assert_eq!(symmetry.order(), 2);
        let image = |node: usize| symmetry.image(1, NodeId::new(node)).index();
        let original = matrix(8, |s, t| weights[s * 8 + t] as usize);
        let mirrored = matrix(8, |s, t| weights[image(s) * 8 + image(t)] as usize);
        // And the reverse of all demand flows over the reversed channels.
        let back = matrix(8, |s, t| weights[t * 8 + s] as usize);
        let [original, mirrored, back] = [original, mirrored, back].map(|demand| {
            let flow = certified(&under(&topology, &demand), &demand);
            [flow.value(), flow.dual.bound()]
        });
        for other in [mirrored, back] {
            prop_assert!(original[0] <= other[1] * (1.0 + 1e-12) && other[0] <= original[1] * (1.0 + 1e-12), "{original:?} {other:?}");
        }
    }
}
