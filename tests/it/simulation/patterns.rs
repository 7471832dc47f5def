//! Traffics by hand, on graphs that are small enough to see: who sends to whom is read from what channels
//! carry.

use crate::simulation::assert_near;
use crate::simulation::bench::{Bench, UNIT, parameters};
use crate::simulation::ways::Wired;
use fabc::ids::{Id, NodeId};
use fabc::ir::Fraction;
use fabc::model::Demand;
use fabc::sim::{
    Bursts, HostPorts, PacketRouting, Rate, SimError, SimulationParameters, StaticLoad, Traffic,
    TrafficDetails,
};

fn load_of(bench: &Bench, traffic: Traffic, details: TrafficDetails) -> StaticLoad {
    let request = SimulationParameters { traffic, details, ..parameters(1000) };
    bench.prepared(&request).unwrap_or_else(|error| panic!("{error}")).load().clone()
}

/// Flits per cycle from one router to another at rate 1, over the channel between them.
fn between(bench: &Bench, load: &StaticLoad, from: usize, to: usize) -> Fraction {
    let topology = &bench.topology;
    let leads = |channel: &fabc::ids::ChannelId| topology.target(*channel).node.index() == to;
    let channel = topology.channels_from(NodeId::new(from)).find(leads).expect("they are joined");
    Fraction::new(load.channels[channel.index()], load.unit)
}

fn ratio(above: u8, below: u8) -> Fraction {
    Fraction::new(above, below)
}

#[test]
fn grids_move_every_coordinate() {
    let ring = Bench::ring(UNIT, 8);
    // Half of the way round but one, all in the same direction.
    let tornado = load_of(&ring, Traffic::Tornado, TrafficDetails::default());
    assert_eq!((tornado.bound, tornado.hops), (ratio(1, 3), ratio(3, 1)));
    assert_eq!((between(&ring, &tornado, 7, 0), between(&ring, &tornado, 0, 7)), (ratio(3, 1), ratio(0, 1)));
    let neighbour = load_of(&ring, Traffic::Neighbour, TrafficDetails::default());
    assert_eq!(
        (neighbour.bound, between(&ring, &neighbour, 3, 4), between(&ring, &neighbour, 4, 3)),
        (ratio(1, 1), ratio(1, 1), ratio(0, 1))
    );
    // 4 x 3: one on along both axes, since ceil(3 / 2) - 1 = 1 and ceil(4 / 2) - 1 = 1.
    let grid = Wired::new("torus 4 x 3;", 2, 4);
    let min = SimulationParameters { traffic: Traffic::Tornado, ..routed(PacketRouting::Min) };
    let load = grid.load(&min);
    // Both coordinates step by one: two hops, two hosts, each way round the corner half of the time.
    assert_eq!((load.hops, load.senders, load.share), (ratio(2, 1), 24, ratio(1, 1)));
    let channel = |from: u32, to: u32| {
        let neighbors = grid
            .topology
            .channels_from(NodeId(from))
            .find(|channel| grid.topology.target(*channel).node == NodeId(to));
        Fraction::new(load.channels[neighbors.expect("a link").index()], load.unit)
    };
    // Router 4 (1, 1): up along both axes, 2 x (1/2 of its own and 1/2 of those who come past).
    assert_eq!(
        [channel(4, 7), channel(4, 5), channel(4, 1), channel(4, 3)],
        [ratio(2, 1), ratio(2, 1), ratio(0, 1), ratio(0, 1)]
    );
    // Bits of a hypercube have sides of two: a tornado stays where it is.
    let cube = Wired::new("hypercube { dimensions = 3; }", 1, 3);
    let error = cube
        .prepared(&SimulationParameters { traffic: Traffic::Tornado, ..routed(PacketRouting::Min) })
        .err()
        .expect("nobody sends");
    assert_eq!(
        error.to_string(),
        "tornado traffic is not possible here: every endpoint would send to itself"
    );
    let opposite =
        cube.load(&SimulationParameters { traffic: Traffic::Neighbour, ..routed(PacketRouting::Min) });
    assert_eq!(opposite.hops, ratio(3, 1));
}

fn routed(routing: PacketRouting) -> SimulationParameters {
    let choosing = fabc::sim::RoutingSettings { routing: Some(routing), ..Default::default() };
    SimulationParameters {
        choosing,
        warmup: Some(1000),
        measure: Some(1000),
        ..SimulationParameters::default()
    }
}

#[test]
fn linked_routers_share_what_is_sent() {
    // A hub without hosts, leaves that hang on it and on each other: 1 - 2 - 3, 0 joined to 1.
    let row = Bench::tree(UNIT, &[0, 1, 2], &[1, 2, 1, 3]);
    let load = load_of(&row, Traffic::Adjacent, TrafficDetails::default());
    // Router 1 has two hosts. It sends each neighbor half of what they offer.
    assert_eq!(
        [between(&row, &load, 0, 1), between(&row, &load, 1, 0), between(&row, &load, 1, 2)],
        [ratio(1, 1); 3]
    );
    // Router 2: two hosts on its left, three on its right.
    assert_eq!(
        [between(&row, &load, 2, 1), between(&row, &load, 2, 3), between(&row, &load, 3, 2)],
        [ratio(2, 5), ratio(3, 5), ratio(3, 1)]
    );
    assert_eq!((load.bound, load.hops, load.senders), (ratio(1, 3), ratio(1, 1), 7));
}

#[test]
fn spots_draw_their_share() {
    // A hub and four leaves.
    let star = Bench::tree(UNIT, &[0, 0, 0, 0], &[0, 1, 1, 1, 1]);
    let spots = |spots: &[&str], share: &str| TrafficDetails {
        spots: spots.iter().map(|&spot| spot.to_owned()).collect(),
        share: Rate::parse(share),
        ..TrafficDetails::default()
    };
    let hotspot = load_of(&star, Traffic::Hotspot, spots(&["router1"], "1"));
    // The spot itself sends to the others, all alike.
    assert_eq!(
        [between(&star, &hotspot, 0, 1), between(&star, &hotspot, 0, 2), between(&star, &hotspot, 1, 0)],
        [ratio(3, 1), ratio(1, 3), ratio(1, 1)]
    );
    assert_eq!(hotspot.bound, ratio(1, 3));
    // Endpoint 0 is that of router 1.
    let half = load_of(&star, Traffic::Hotspot, spots(&["0"], "0.5"));
    assert_eq!((between(&star, &half, 0, 1), half.bound), (ratio(2, 1), ratio(1, 2)));
    // The rate of a port is a bound as well: two hosts of one router on two links.
    let ports = SimulationParameters {
        traffic: Traffic::Hotspot,
        details: spots(&["0"], "0.5"),
        hosts: Some(HostPorts::Ports(1)),
        ..parameters(20_000)
    };
    assert_eq!(star.prepared(&ports).unwrap().load().bound, ratio(1, 2));
    let point = star
        .point(&SimulationParameters { warmup: Some(20_000), measure: Some(20_000), ..ports }, "0.4")
        .unwrap();
    assert_near("accepted below the bound", point.accepted, 0.4, 0.02);
    // Two spots, one of them asked for twice: each of them sends its share to the other one.
    let two = load_of(&star, Traffic::Hotspot, spots(&["router1", "router2", "1"], "0.4"));
    // To 1: half of 0.4 from 3 and 4, 0.4 from 2, and a third of 0.6 from all three.
    assert_eq!((between(&star, &two, 0, 1), between(&star, &two, 0, 3)), (ratio(7, 5), ratio(3, 5)));
    for (details, why) in [
        (spots(&["router9"], "1"), "hotspot traffic is not possible here: no endpoint is called `router9`"),
        (spots(&["router0"], "1"), "hotspot traffic is not possible here: no endpoint is called `router0`"),
        (spots(&["4"], "1"), "hotspot traffic is not possible here: no endpoint is called `4`"),
        (
            spots(&[], "1"),
            "hotspot traffic is not possible here: the setting `at` with the hot spots is missing",
        ),
    ] {
        let error = star
            .prepared(&SimulationParameters { traffic: Traffic::Hotspot, details, ..parameters(1000) })
            .err()
            .expect("refused");
        assert_eq!(error.to_string(), why);
    }
}

#[test]
fn groups_send_to_groups() {
    // Nine groups of four routers of two hosts, a link between every two groups.
    let net = Wired::new("dragonfly { a = 4; h = 2; }", 2, 3);
    for by in [1, 4, 10] {
        let details = TrafficDetails { by: Some(by), ..TrafficDetails::default() };
        let load = net.load(&SimulationParameters {
            traffic: Traffic::GroupShift,
            details,
            ..routed(PacketRouting::Family)
        });
        assert_eq!((load.bound, load.senders), (ratio(1, 8), 72), "by {by}");
    }
    let none = TrafficDetails { by: Some(9), ..TrafficDetails::default() };
    let error = net
        .prepared(&SimulationParameters {
            traffic: Traffic::GroupShift,
            details: none,
            ..routed(PacketRouting::Min)
        })
        .err()
        .expect("refused");
    assert_eq!(
        error.to_string(),
        "group_shift traffic is not possible here: every group would send to itself"
    );
    // Three hops from all routers of a group but the one that holds the link: from there two.
    let far =
        net.load(&SimulationParameters { traffic: Traffic::Adversarial, ..routed(PacketRouting::Family) });
    assert_eq!((far.hops, far.senders), (ratio(11, 4), 72));
    // Supernodes of a PolarStar: those farthest away are two links of the plane away.
    let star = Wired::new("polarstar { q = 3; supernode = iq; degree = 3; }", 1, 3);
    let far =
        star.load(&SimulationParameters { traffic: Traffic::Adversarial, ..routed(PacketRouting::Min) });
    assert!(far.hops == ratio(3, 1) && far.bound < ratio(1, 3), "{:?} {:?}", far.hops, far.bound);
    let ring = Bench::ring(UNIT, 8);
    for (traffic, name) in [(Traffic::GroupShift, "group_shift"), (Traffic::Adversarial, "adversarial")] {
        let error =
            ring.prepared(&SimulationParameters { traffic, ..parameters(1000) }).err().expect("refused");
        let why = format!(
            "{name} traffic is not possible here: it needs two groups of routers with endpoints, but a torus has no groups"
        );
        assert_eq!(error.to_string(), why);
    }
    let flat = Wired::new("polarfly { q = 3; }", 1, 3);
    let error = flat
        .prepared(&SimulationParameters { traffic: Traffic::Neighbour, ..routed(PacketRouting::Min) })
        .err()
        .expect("refused");
    assert_eq!(
        error.to_string(),
        "neighbour traffic is not possible here: it needs coordinates, but a polarfly has none"
    );
}

/// Rows scale what hosts offer: the largest one the rate itself.
#[test]
fn a_demand_is_offered_row_by_row() {
    let mut row = Bench::tree(UNIT, &[0, 1], &[1, 1, 1]);
    row.fabric.demand = Demand::matrix(3, vec![0, 3, 1, 0, 0, 2, 0, 0, 0]);
    let load = load_of(&row, Traffic::Demand, TrafficDetails::default());
    assert_eq!((load.senders, load.share, load.bound), (2, ratio(3, 4), ratio(1, 1)));
    assert_eq!(
        [between(&row, &load, 0, 1), between(&row, &load, 1, 2), between(&row, &load, 1, 0)],
        [ratio(1, 1), ratio(3, 4), ratio(0, 1)]
    );
    let point =
        row.point(&SimulationParameters { traffic: Traffic::Demand, ..parameters(100_000) }, "0.4").unwrap();
    assert_near("accepted", point.accepted, 0.4 * 0.75, 0.02);
    let sent = |(endpoint, packets): (u32, u32)| (endpoint, f64::from(packets) * 6.0 / 100_000.0);
    let (worst, best) = (sent(point.point.worst_source), sent(point.point.best_source));
    assert_eq!((worst.0, best.0), (1, 0));
    assert_near("the row of 2", worst.1, 0.2, 0.03);
    assert_near("the row of 4", best.1, 0.4, 0.03);
    // Nobody sends to the last router twice: uniform demands are uniform traffic.
    row.fabric.demand = Demand::uniform(3);
    let (demanded, uniform) = (
        load_of(&row, Traffic::Demand, TrafficDetails::default()),
        load_of(&row, Traffic::Uniform, TrafficDetails::default()),
    );
    assert_eq!((demanded.bound, demanded.hops, demanded.share), (uniform.bound, uniform.hops, ratio(1, 1)));
    row.fabric.demand = Demand::matrix(3, vec![0; 9]);
    let error = row
        .prepared(&SimulationParameters { traffic: Traffic::Demand, ..parameters(1000) })
        .err()
        .expect("refused");
    assert_eq!(
        error.to_string(),
        "demand traffic is not possible here: the demand of the spec is 0 for all pairs here"
    );
}

/// The same mean, and longer waits.
#[test]
fn bursts_keep_the_mean_and_make_queues() {
    let pair = Bench::tree(UNIT, &[0], &[1, 1]);
    let bursts = |length, rate: &str| TrafficDetails {
        bursts: Some(Bursts { length, rate: Rate::parse(rate).unwrap() }),
        ..TrafficDetails::default()
    };
    let smooth = pair.point(&parameters(200_000), "0.4").unwrap();
    let rough = pair
        .point(&SimulationParameters { details: bursts(200, "2"), ..parameters(200_000) }, "0.4")
        .unwrap();
    assert_near("accepted", rough.accepted, 0.4, 0.05);
    assert!(rough.mean > 3.0 * smooth.mean, "{} and {}", rough.mean, smooth.mean);
    let error = pair
        .point(&SimulationParameters { details: bursts(9, "0.5"), ..parameters(1000) }, "0.46")
        .err()
        .expect("refused");
    let code = miette::Diagnostic::code(&error).expect("a code").to_string();
    let text = "bursts of 9 cycles at 0.50 cannot offer a rate of 0.46: at most 0.45";
    assert_eq!((code.as_str(), error.to_string().as_str(), error.exit_code()), ("FAB0622", text, 2));
    assert!(matches!(error, SimError::Bursts { .. }));
}

#[test]
fn what_a_traffic_does_not_take_is_refused() {
    let pair = Bench::tree(UNIT, &[0], &[1, 1]);
    for (details, setting) in [
        (TrafficDetails { by: Some(1), ..TrafficDetails::default() }, "by"),
        (TrafficDetails { share: Rate::parse("0.5"), ..TrafficDetails::default() }, "share"),
        (TrafficDetails { spots: vec!["0".to_owned()], ..TrafficDetails::default() }, "hotspot"),
    ] {
        let error =
            pair.prepared(&SimulationParameters { details, ..parameters(1000) }).err().expect("refused");
        assert_eq!(error.to_string(), format!("`{setting}` has no effect on uniform traffic"));
    }
}
