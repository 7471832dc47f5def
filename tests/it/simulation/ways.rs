//! Ways that are chosen while packets move, on small networks and against loads that are known.

use crate::simulation::{assert_near, empty_tables};
use fabc::ids::NodeId;
use fabc::ir::{Breadth, ForwardingTables, Fraction, Neighbors, Scene, Topology};
use fabc::model::{Fabric, Plant};
use fabc::passes::wire::wire;
use fabc::progress::Silent;
use fabc::sim::{
    HalfRoutes, HostPorts, LaneChoice, Limit, PacketRouting, Prepared, Rate, RouterModel, RoutingSettings,
    Score, SimError, SimReport, SimulationParameters, StaticLoad, Traffic, curve, prepare, simulate,
};

/// A network that is wired, and never routed.
pub(crate) struct Wired {
    pub(crate) fabric: Fabric,
    pub(crate) topology: Topology,
    pub(crate) tables: ForwardingTables,
}

impl Wired {
    /// Routers of a cycle with so many hosts and virtual channels of 32 flits, links of a cycle.
    pub(crate) fn new(topology: &str, hosts: u32, vcs: u32) -> Self {
        let spec = format!(
            "fabric net {{ clock = 1 GHz; link wire {{ bandwidth = 100 Gbps; latency = 1 cycles; }}
             router {{ radix = 200; hosts = {hosts}; vcs = {vcs}; flit = 64 B; buffer = 32 flits; latency = 1 cycles; }}
             budget {{ vcs = {vcs}; }} topology = {topology} routing = minimal; }}"
        );
        let read = |_: &str| Ok::<String, String>(spec.clone());
        let fabric =
            fabc::lang::read_normal("net.fab", &read).unwrap_or_else(|(failure, _)| panic!("{failure:?}")).0;
        let Plant::Network(network) = &fabric.plant else { panic!("a network") };
        let topology = wire(&fabric, network);
        let count = topology.node_count();
        let tables = empty_tables(count);
        Self { fabric, topology, tables }
    }

    /// A network with one host at some routers alone.
    fn only(mut self, routers: &[u32]) -> Self {
        let hosts = (0..self.topology.node_count() as u32)
            .map(|router| u16::from(routers.contains(&router)))
            .collect();
        self.topology = self.topology.with_hosts(hosts);
        self
    }

    /// The number of hops between two routers.
    fn hops(&self, from: u32, to: u32) -> u64 {
        let mut search = Breadth::default();
        Neighbors::out_of(&Scene::healthy(&self.topology)).search(NodeId(from), &mut search);
        search.hops[to as usize].into()
    }

    pub(crate) fn prepared(&self, parameters: &SimulationParameters) -> Result<Prepared<'_>, SimError> {
        prepare(&self.fabric, &Scene::healthy(&self.topology), &self.tables, parameters)
    }

    pub(crate) fn load(&self, parameters: &SimulationParameters) -> StaticLoad {
        self.prepared(parameters).unwrap_or_else(|error| panic!("{error}")).load().clone()
    }

    pub(crate) fn run(&self, parameters: &SimulationParameters, rates: &[&str]) -> SimReport {
        let rates: Vec<Rate> = rates.iter().map(|rate| Rate::parse(rate).unwrap()).collect();
        let prepared = self.prepared(parameters).unwrap_or_else(|error| panic!("{error}"));
        curve(&prepared, &rates, &[1], &Silent).unwrap()
    }
}

/// Packets of four flits, idealised routers.
pub(crate) fn going(routing: PacketRouting, traffic: Traffic, cycles: u32) -> SimulationParameters {
    let choosing = RoutingSettings { routing: Some(routing), ..RoutingSettings::default() };
    SimulationParameters {
        traffic,
        choosing,
        packet: 4,
        turn: Some(0),
        warmup: Some(cycles),
        measure: Some(cycles),
        ..SimulationParameters::default()
    }
}

const MODELS: [RouterModel; 2] = [RouterModel::Packet, RouterModel::Flit];

const DRAGONFLY: &str = "dragonfly { a = 6; h = 3; }";
const POLARSTAR: &str = "polarstar { q = 3; supernode = iq; degree = 3; }";

#[test]
fn shortest_ways_have_as_many_hops_as_the_graph() {
    for (topology, vcs) in
        [(POLARSTAR, 3), ("hyperx 3 x 4 x 2;", 3), ("hypercube { dimensions = 4; }", 4), ("torus 5 x 4;", 4)]
    {
        let net = Wired::new(topology, 1, vcs);
        let count = net.topology.node_count() as u32;
        let pairs: u64 = (0..count)
            .flat_map(|from| (0..count).map(move |to| (from, to)))
            .map(|(from, to)| net.hops(from, to))
            .sum();
        let mean = Fraction::new(pairs, u64::from(count) * u64::from(count - 1));
        for routing in [PacketRouting::Min, PacketRouting::MinFirst] {
            assert_eq!(
                net.load(&going(routing, Traffic::Uniform, 1000)).hops,
                mean,
                "{topology} {routing:?}"
            );
        }
        // And as packets really go: of every pair the same number, however they draw.
        for model in MODELS {
            let parameters = going(PacketRouting::Min, Traffic::EndpointPermutation, 3000);
            let report = net.run(&SimulationParameters { model, ..parameters }, &["0.05"]);
            let delays = report.points[0].delays.unwrap();
            let expected = report.load.hops.as_f64();
            assert_near(topology, delays.hops as f64 / delays.packets as f64, expected, 0.02);
            let max_cycles = report.load.most_cycles;
            assert!(delays.median >= 5 && delays.median <= max_cycles, "{delays:?} {max_cycles}");
        }
    }
}

/// A dragonfly has 3-hop ways over third groups, two global links and none between the two groups: graph
/// minimal ways take them, its own never do.
#[test]
fn a_dragonfly_keeps_to_the_link_between_two_groups() {
    let net = Wired::new(DRAGONFLY, 3, 3);
    let shift = |routing| net.load(&going(routing, Traffic::GroupShift, 1000));
    let own_routes = shift(PacketRouting::Family);
    // 18 hosts of a group over one link, whatever the router.
    assert_eq!(
        (own_routes.bound, own_routes.limit, own_routes.senders),
        (Fraction::new(1u8, 18u8), Limit::Loads, 342)
    );
    assert_eq!(own_routes.channels.iter().filter(|&&load| load == 18 * own_routes.unit).count(), 19);
    assert!(shift(PacketRouting::Min).bound > own_routes.bound);
    // From local, global, local: 5/6 and 5/6 of a local hop.
    assert_eq!(own_routes.hops, Fraction::new(16u8, 6u8));
    // Uniform: a global channel carries all from group to group.
    let uniform = net.load(&going(PacketRouting::Family, Traffic::Uniform, 1000));
    assert!(
        uniform.bound > Fraction::new(95u8, 100u8) && uniform.most_cycles == 3 * 2 + 3,
        "{:?}",
        uniform.bound
    );
}

/// Loads of shortest ways in the networks of table 3 of the PolarStar paper, in shares of what a host sends.
#[test]
fn shortest_ways_load_known_networks_as_other_code_has_it() {
    for (topology, hosts, random, first) in [
        ("polarstar { q = 11; supernode = iq; degree = 3; }", 5, 0.785, 0.547),
        ("hyperx 9 x 9 x 8;", 8, 1.000, 0.280),
        ("dragonfly { a = 12; h = 6; arrangement = consecutive; }", 6, 0.752, 0.390),
    ] {
        let net = Wired::new(topology, hosts, 4);
        for (routing, bound) in [(PacketRouting::Min, random), (PacketRouting::MinFirst, first)] {
            let load = net.load(&going(routing, Traffic::Uniform, 1000));
            assert!(
                (load.bound.as_f64() - bound).abs() < 0.0011,
                "{topology} {routing:?}: {}",
                load.bound.as_f64()
            );
        }
    }
}

/// Packets are split on the way. Between opposite corners of a square 1/2 takes each side. Of the three paths
/// out of a corner of a cube each takes a third.
#[test]
fn random_ways_split_evenly() {
    let cube = Wired::new("hypercube { dimensions = 3; }", 1, 3);
    let load = cube.load(&going(PacketRouting::Min, Traffic::BitComplement, 1000));
    assert!(load.channels.iter().all(|&part| part == load.unit), "every channel carries 8 x 3 / 24");
    let first = cube.load(&going(PacketRouting::MinFirst, Traffic::BitComplement, 1000));
    // The lowest number first: down to router 0 and up again, four of eight by way of 1 and 0.
    assert_eq!(first.bound, Fraction::new(1u8, 4u8));
    // Over any other router: 7/6 of what uniform traffic loads, out and back.
    let four = Wired::new("hypercube { dimensions = 3; }", 1, 6);
    let over = four.load(&going(PacketRouting::Valiant, Traffic::BitComplement, 1000));
    assert_eq!((over.limit, over.hops), (Limit::Loads, Fraction::integer(3u8)));
    assert!(over.channels.iter().all(|&part| part == over.unit), "{:?} of {}", over.channels, over.unit);
    let uniform = four.load(&going(PacketRouting::Valiant, Traffic::Uniform, 1000));
    assert_eq!(uniform.hops, Fraction::new(24u8, 7u8), "twice the mean of 12 / 7");
}

/// Three routers with hosts: every packet from one to another goes over the third.
#[test]
fn valiant_ways_go_over_a_third_router() {
    let net = Wired::new(DRAGONFLY, 1, 6);
    let far = |from: u32| (0..114u32).filter(move |&to| to / 6 != from / 6 && [1, 2, 3].contains(&(to % 6)));
    let far_router = |from| far(from).find(|&to| net.hops(from, to) == 3).expect("the diameter is 3");
    let third = (0..114)
        .find(|&to| net.hops(0, to) == 3 && net.hops(far_router(0), to) == 3 && to / 6 != far_router(0) / 6)
        .expect("another one");
    let hosts = [0, far_router(0), third];
    let net = Wired::new(DRAGONFLY, 1, 6).only(&hosts);
    let parameters = SimulationParameters {
        choosing: RoutingSettings {
            routing: Some(PacketRouting::Valiant),
            shortest: Some(HalfRoutes::Random),
            ..RoutingSettings::default()
        },
        ..going(PacketRouting::Valiant, Traffic::Uniform, 20_000)
    };
    // Nothing is in the way: six hops of two cycles and the tail. Flits pass the last switch, too.
    for (model, least) in [(RouterModel::Packet, 15), (RouterModel::Flit, 16)] {
        let report = net.run(&SimulationParameters { model, ..parameters.clone() }, &["0.05"]);
        let (point, delays) = (&report.points[0], report.points[0].delays.unwrap());
        let hops = (delays.hops, report.load.hops);
        assert_eq!(hops, (6 * delays.packets, Fraction::integer(6u8)), "{delays:?}");
        // One virtual channel per hop, as many hops on each.
        let hops: Vec<u64> = point.vcs.iter().map(|vc| vc.hops).collect();
        assert!(hops.iter().all(|&on| on.abs_diff(hops[0]) <= 4), "{hops:?}");
        assert_eq!((delays.median, report.load.most_cycles), (least, least));
    }
    // With four virtual channels no path over the third router is short enough, so that packets go straight.
    let tight = Wired::new(DRAGONFLY, 1, 4).only(&hosts).run(&parameters, &["0.05"]);
    let delays = tight.points[0].delays.unwrap();
    assert_eq!((delays.hops, tight.load.limit), (3 * delays.packets, Limit::Hops));
}

#[test]
fn adaptive_ways_are_short_where_nothing_is_in_the_way() {
    let net = Wired::new(POLARSTAR, 1, 6);
    let far =
        (0..net.topology.node_count() as u32).find(|&to| net.hops(0, to) == 3).expect("the diameter is 3");
    for routing in [PacketRouting::Ugal, PacketRouting::UgalGlobal] {
        for score in [Score::Product, Score::Booksim] {
            let parameters = SimulationParameters {
                choosing: RoutingSettings {
                    routing: Some(routing),
                    score: Some(score),
                    ..RoutingSettings::default()
                },
                ..going(routing, Traffic::Uniform, 20_000)
            };
            let report = Wired::new(POLARSTAR, 1, 6).only(&[0, 1, far]).run(&parameters, &["0.001"]);
            let delays = report.points[0].delays.unwrap();
            let least_hops = [net.hops(0, 1), net.hops(0, far), net.hops(1, far)];
            assert!(
                delays.packets > 8 && report.load.hops == Fraction::new(least_hops.iter().sum::<u64>(), 3u8)
            );
            assert!(
                delays.hops <= 3 * delays.packets && delays.most <= 3 * 2 + 3,
                "{routing:?} {score:?}: {delays:?}"
            );
        }
    }
}

/// Where all of a group want one link, shortest ways come down to it, and adaptive ones go round.
#[test]
fn adaptive_ways_go_round_a_link_that_all_want() {
    let net = Wired::new(DRAGONFLY, 3, 6);
    let parameters = |routing| going(routing, Traffic::GroupShift, 3000);
    for model in MODELS {
        let accepted = |routing, rate: &str| {
            let report = net.run(&SimulationParameters { model, ..parameters(routing) }, &[rate]);
            report.points[0].accepted(&report.setting, report.load.senders).as_f64()
        };
        assert_near("shortest", accepted(PacketRouting::Family, "0.1"), 1.0 / 18.0, 0.01);
        let [local, global, over] = [PacketRouting::Ugal, PacketRouting::UgalGlobal, PacketRouting::Valiant]
            .map(|routing| accepted(routing, "0.35"));
        assert!(local > 5.0 / 18.0 && global > 5.0 / 18.0 && over > 5.0 / 18.0, "{local} {global} {over}");
    }
    // Saturation is found below half of the bound, which hops alone make.
    let bound = net.load(&parameters(PacketRouting::Ugal));
    assert_eq!(bound.limit, Limit::Hops);
    let prepared = net.prepared(&parameters(PacketRouting::Ugal)).unwrap();
    let saturation = &simulate(&prepared, &[], &[1], true, &Silent).unwrap().saturations[0];
    assert!(
        saturation.at_least().as_f64() > 0.2 && Fraction::from(saturation.at_least()) < bound.bound,
        "{saturation:?}"
    );
}

#[test]
fn neither_threads_nor_the_order_of_rates_show_where_ways_are_chosen() {
    let net = Wired::new(POLARSTAR, 2, 6);
    for routing in
        [PacketRouting::Min, PacketRouting::Valiant, PacketRouting::Ugal, PacketRouting::UgalGlobal]
    {
        for model in MODELS {
            let parameters = SimulationParameters { model, ..going(routing, Traffic::Adversarial, 500) };
            let with = |threads: usize, rates: &[&str]| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
                pool.install(|| net.run(&parameters, rates))
            };
            let first_run = with(1, &["0.1", "0.3"]);
            assert_eq!(first_run, with(2, &["0.3", "0.1"]));
            assert_eq!(first_run, with(16, &["0.3", "0.1", "0.3"]));
            let point = &first_run.points[1];
            assert_eq!(point.born_ever, point.delivered_ever + point.in_flight);
        }
    }
}

/// Unlimited hosts choose at birth. A pod of packets never stands still where channels count hops.
#[test]
fn full_networks_do_not_stand_still() {
    let tight = Wired::new("torus 5 x 5;", 1, 8);
    for (model, hosts) in [
        (RouterModel::Packet, HostPorts::Unlimited),
        (RouterModel::Packet, HostPorts::Ports(2)),
        (RouterModel::Flit, HostPorts::Ports(2)),
    ] {
        for routing in [PacketRouting::Min, PacketRouting::Valiant, PacketRouting::Ugal] {
            let parameters = SimulationParameters {
                model,
                hosts: Some(hosts),
                packet: 32,
                ..going(routing, Traffic::Tornado, 3000)
            };
            let report = tight.run(&parameters, &["2"]);
            assert!(
                report.points[0].accepted(&report.setting, 25).as_f64() > 0.2,
                "{routing:?} {model:?} {hosts:?}"
            );
        }
    }
}

#[test]
fn ways_that_there_are_not_are_refused() {
    let error = |net: &Wired, parameters: &SimulationParameters| {
        let error = net.prepared(parameters).err().expect("refused");
        (miette::Diagnostic::code(&error).expect("a code").to_string(), error.to_string(), error.exit_code())
    };
    let expected_error = |code: &str, text: &str, exit: u8| (code.to_owned(), text.to_owned(), exit);
    let net = Wired::new(POLARSTAR, 1, 2);
    assert_eq!(
        error(&net, &going(PacketRouting::Ugal, Traffic::Uniform, 1000)),
        expected_error(
            "FAB0621",
            "`ugal` routing takes a virtual channel per hop: paths have up to 3 hops, but the router has 2",
            1
        )
    );
    assert_eq!(
        error(&net, &going(PacketRouting::Family, Traffic::Uniform, 1000)),
        expected_error(
            "FAB0620",
            "`family` routing is not possible here: only a dragonfly, or `routing = algebraic`, defines such paths",
            1
        )
    );
    let lanes = SimulationParameters {
        lanes: Some(LaneChoice::General(1)),
        ..going(PacketRouting::Min, Traffic::Uniform, 1000)
    };
    assert_eq!(error(&net, &lanes), expected_error("FAB0623", "`general` has no effect on `min` routing", 2));
    let halves = RoutingSettings {
        routing: Some(PacketRouting::Min),
        shortest: Some(HalfRoutes::First),
        ..RoutingSettings::default()
    };
    let min =
        |choosing| SimulationParameters { choosing, ..going(PacketRouting::Min, Traffic::Uniform, 1000) };
    assert_eq!(
        error(&net, &min(halves)),
        expected_error("FAB0623", "`shortest` has no effect on `min` routing", 2)
    );
    let samples = RoutingSettings {
        routing: Some(PacketRouting::Valiant),
        samples: Some(2),
        ..RoutingSettings::default()
    };
    assert_eq!(
        error(&net, &min(samples)),
        expected_error("FAB0623", "`samples` has no effect on `valiant` routing", 2)
    );
}
