//! Next-hop groups by an order from a root: against all paths of a small file, faults, and the checker.

use fabc::check;
use fabc::compile::{Stage, compile};
use fabc::compiled::CompiledFabric;
use fabc::ids::{Id, NodeId, PortId};
use fabc::ir::{End, Fraction, GroupTables, Scene};
use fabc::model::Fabric;
use fabc::progress::Silent;
use fabc::sim::{Rate, SimError, SimulationParameters, curve, prepare};

const FILE: &str = include_str!("../../second_checker/ring_with_chords.graphml");

fn resolved(routing: &str, faults: &str) -> Fabric {
    let spec = format!(
        "fabric ordered {{ clock = 1 GHz; link cable {{ bandwidth = 100 Gbps; latency = 5 ns; }}
        router {{ radix = 8; hosts = 1; vcs = 1; latency = 10 ns; }}
        budget {{ vcs = 1; faults = {faults}; }} topology = graph \"net.graphml\"; routing = {routing} }}"
    );
    let read = |path: &str| Ok(if path == "net.fab" { spec.clone() } else { FILE.to_owned() });
    fabc::lang::read_normal("net.fab", &read).unwrap_or_else(|error| panic!("{:?}", error.0)).0
}

fn compiled(routing: &str, faults: &str) -> CompiledFabric {
    compile(resolved(routing, faults), Stage::Emit, &Silent).unwrap_or_else(|failure| panic!("{failure:?}"))
}

/// `[router]`: its place from the top, by distance from the root and then by number.
fn places(scene: &Scene<'_>, root: usize) -> Vec<usize> {
    let mut distances = [usize::MAX; 8];
    distances[root] = 0;
    for _ in 0..8 {
        for channel in scene.topology.channels() {
            let [from, to] =
                [scene.topology.source(channel), scene.topology.target(channel)].map(|end| end.node.index());
            distances[to] = distances[to].min(distances[from].saturating_add(1));
        }
    }
    let mut from_top: Vec<usize> = (0..8).collect();
    from_top.sort_by_key(|&router| (distances[router], router));
    (0..8).map(|router| from_top.iter().position(|&other| other == router).unwrap()).collect()
}

/// Hops of the shortest paths from a router that only go down, and of those that go up first, found by
/// following all paths of at most eight hops.
fn shortest(scene: &Scene<'_>, places: &[usize], from: usize, to: usize) -> [Option<usize>; 2] {
    let mut best = [None, None];
    // The router, the hops so far, whether the path began with a hop up, and whether it went down.
    let mut open = vec![(from, 0, false, false)];
    while let Some((router, hops, climbed, fell)) = open.pop() {
        if router == to {
            let known: &mut Option<usize> = &mut best[usize::from(climbed)];
            *known = Some(known.map_or(hops, |known| known.min(hops)));
            continue;
        }
        for channel in scene.channels_from(NodeId::new(router)).filter(|_| hops < 8) {
            let next = scene.topology.target(channel).node.index();
            let up = places[next] < places[router];
            if !(up && fell) {
                open.push((next, hops + 1, climbed || up, fell || !up));
            }
        }
    }
    best
}

/// The ports that the definition gives: down by shortest paths down if there is one, and else up to routers
/// from which the rest is shortest, by the same rule.
fn by_definition(scene: &Scene<'_>, places: &[usize], router: usize, to: usize) -> Vec<u16> {
    fn hops(scene: &Scene<'_>, places: &[usize], router: usize, to: usize) -> Option<usize> {
        if router == to {
            return Some(0);
        }
        shortest(scene, places, router, to)[0].or_else(|| {
            let above = scene
                .channels_from(NodeId::new(router))
                .map(|channel| scene.topology.target(channel).node.index());
            above
                .filter(|&next| places[next] < places[router])
                .filter_map(|next| hops(scene, places, next, to))
                .min()
                .map(|rest| rest + 1)
        })
    }
    let goes_down = shortest(scene, places, router, to)[0].is_some();
    let own = hops(scene, places, router, to);
    let ports = scene.channels_from(NodeId::new(router)).filter(|&channel| {
        let next = scene.topology.target(channel).node.index();
        let rest = if goes_down {
            shortest(scene, places, next, to)[0].or((next == to).then_some(0))
        } else {
            hops(scene, places, next, to)
        };
        (places[next] < places[router]) != goes_down && rest.map(|rest| rest + 1) == own
    });
    let mut ports: Vec<u16> = ports.map(|channel| scene.topology.source(channel).port.0).collect();
    ports.sort_unstable();
    ports
}

fn tables(compiled: &CompiledFabric, scenario: usize) -> &GroupTables {
    &compiled.scenarios[scenario].sprayed.as_ref().unwrap().tables
}

#[test]
fn groups_are_those_of_the_definition_for_every_root() {
    for root in 0..8 {
        let compiled = compiled(&format!("ecmp {{ order = up_down; root = {root}; }}"), "0");
        let scene = Scene::healthy(&compiled.topology);
        let places = places(&scene, root);
        for router in 0..8 {
            for to in scene.endpoints().map(Id::index).filter(|&to| to != router) {
                let listed = tables(&compiled, 0).group(NodeId::new(router), NodeId::new(to));
                assert_eq!(listed, by_definition(&scene, &places, router, to), "{root}: {router} to {to}");
            }
        }
    }
}

/// A simulation goes by the groups of the tables, and puts on every channel what the build counts there.
/// Without tables there is no order.
#[test]
fn simulations_carry_the_loads_of_the_groups() {
    for routing in ["spray { order = up_down; root = 0; }", "ecmp { order = up_down; root = 5; flows = 2; }"]
    {
        let compiled = compiled(routing, "0");
        let scene = Scene::healthy(&compiled.topology);
        let parameters = SimulationParameters { measure: Some(20_000), ..SimulationParameters::default() };
        let prepared = prepare(&compiled.fabric, &scene, tables(&compiled, 0), &parameters).unwrap();
        let walk = compiled.scenarios[0].metrics.routed.as_ref().unwrap();
        let hosts: u64 = scene.endpoints().map(|node| u64::from(compiled.topology.hosts(node))).sum();
        for id in compiled.topology.channels() {
            let End { node, port } = compiled.topology.source(id);
            let counted = walk.loads[node.index() * compiled.topology.ports() + port.index()];
            let offered = Fraction::new(prepared.load().channels[id.index()], prepared.load().unit);
            assert_eq!(offered, Fraction::new(counted, walk.shares * (hosts - 1)), "{routing}: {id:?}");
        }
        let half = format!("{:.4}", prepared.load().bound.as_f64() / 2.0);
        let report = curve(&prepared, &[Rate::parse(&half).unwrap()], &[1], &Silent).unwrap();
        assert!(report.points[0].is_stable(&report.setting), "{routing}");
        let empty = crate::simulation::empty_tables(compiled.topology.node_count());
        let refused = prepare(&compiled.fabric, &scene, &empty, &parameters).err().unwrap();
        assert!(matches!(refused, SimError::NoRouting { .. }), "{refused}");
    }
}

/// The order is that of the healthy network. Without the link from a to b, no router above joins the two.
#[test]
fn a_fault_that_leaves_no_path_is_an_error() {
    let failure = compile(resolved("spray { order = up_down; root = 2; }", "1 link"), Stage::Emit, &Silent);
    let errors = failure.unwrap_err().diagnostics();
    let [error] = &errors[..] else { panic!("{errors:?}") };
    assert_eq!(error.code().unwrap().to_string(), "FAB0329");
}

/// h (7) lies below a and g, and below d by two cables. To b (1), a and g go: a by b, g only up by c.
#[test]
fn a_router_that_can_go_down_does_not_go_up() {
    let compiled = compiled("spray { order = up_down; root = 2; }", "0");
    let nominal = tables(&compiled, 0);
    let heads = |router: usize, to: usize| -> Vec<usize> {
        let ports = nominal.group(NodeId::new(router), NodeId::new(to)).iter();
        let channel = |&port: &u16| compiled.topology.outgoing(NodeId::new(router), PortId(port)).unwrap();
        ports.map(|port| compiled.topology.target(channel(port)).node.index()).collect()
    };
    // d goes to e directly. b goes down to e by a. From f, which is as near, packets would go up again.
    assert_eq!((heads(3, 4), heads(1, 4)), (vec![4], vec![0]));
    // Two cables are two next hops.
    assert_eq!(heads(3, 7), [7, 7]);
    // From h to b: up to a, which goes on up to b. Over d or g the path is longer.
    assert_eq!(heads(7, 1), [0]);
}

#[test]
fn other_groups_and_other_orders_are_convicted() {
    let ordered = compiled("spray { order = up_down; root = 2; }", "0");
    let other = compiled("spray { order = up_down; root = 0; }", "0");
    let scene = Scene::healthy(&ordered.topology);
    let refused = check::judge_groups(&other.fabric, &scene, tables(&ordered, 0)).unwrap_err().to_string();
    assert_eq!(
        refused,
        "nominal: table of d: packets to a may leave by port0, but shortest paths that go up and then down leave by port1, port2, port3"
    );
    let mut fewer = tables(&ordered, 0).clone();
    let double = fewer.groups.iter().position(|group| group.len() == 2).unwrap();
    fewer.groups[double].pop();
    check::judge_groups(&ordered.fabric, &scene, &fewer).unwrap_err();
}
