//! Sums that hold for all parameters: packets, flits on channels, Little's law, and that nothing but the
//! parameters shows.

use crate::simulation::assert_near;
use crate::simulation::bench::{Bench, Hardware, UNIT, adds_up, parameters};
use fabc::compile::{Stage, compile};
use fabc::compiled::CompiledFabric;
use fabc::ir::{ForwardingTables, Scene};
use fabc::progress::Silent;
use fabc::sim::{
    Arbitration, Credits, HostPorts, LaneChoice, Point, Rate, RoutingSettings, SimReport,
    SimulationParameters, Traffic, TrafficDetails, curve, prepare, simulate,
};
use proptest::prelude::*;

fn compiled(spec: &str) -> CompiledFabric {
    let read = |_: &str| Ok::<String, String>(spec.to_owned());
    let fabric =
        fabc::lang::read_normal("fabric.fab", &read).unwrap_or_else(|(failure, _)| panic!("{failure:?}")).0;
    compile(fabric, Stage::Emit, &Silent).expect("it compiles")
}

/// A torus of two cubes, links of one cycle and routers of three, as the comparison with CNSim has it.
fn unit_torus() -> CompiledFabric {
    let spec = std::fs::read_to_string("specs/torus_4x4x8.fab").expect("a spec");
    let parts = std::fs::read_to_string("specs/parts/tpu_v4.fab").expect("its parts");
    let parts = parts.replace("latency = 50 cycles", "latency = 1 cycles");
    let parts =
        parts.replace("buffer = 200 flits; latency = 25 cycles", "buffer = 200 flits; latency = 3 cycles");
    compiled(
        &spec.replace(
            "use \"parts/tpu_v4.fab\";",
            &parts.replace("latency = 25 cycles", "latency = 1 cycles"),
        ),
    )
}

fn nominal(compiled: &CompiledFabric) -> ForwardingTables {
    compiled.scenarios[0].routed.as_ref().expect("it has tables").tables.unpacked()
}

fn run(compiled: &CompiledFabric, parameters: &SimulationParameters, rates: &[&str]) -> SimReport {
    let prepared =
        prepare(&compiled.fabric, &Scene::healthy(&compiled.topology), &nominal(compiled), parameters)
            .unwrap();
    let rates: Vec<Rate> = rates.iter().map(|rate| Rate::parse(rate).unwrap()).collect();
    curve(&prepared, &rates, &[1], &Silent).unwrap()
}

/// Accepted rates of CNSim on the same tables, and its mean latency at a load of 0.8.
#[test]
fn a_torus_accepts_what_cnsim_accepts() {
    let torus = unit_torus();
    let report = run(
        &torus,
        &SimulationParameters { warmup: Some(8000), measure: Some(8000), ..SimulationParameters::default() },
        &["0.02", "0.8", "0.9", "1"],
    );
    assert_eq!(report.load.bound, fabc::ir::Fraction::new(127u8, 128u8));
    let accepted = |at: usize| report.points[at].accepted(&report.setting, 128).as_f64();
    let mean = |at: usize| report.points[at].delays.unwrap().mean().as_f64();
    // Nearly nothing is in the way of these.
    assert_near("latency at 0.02", mean(0), report.load.mean_cycles.as_f64(), 0.01);
    assert_near("latency at 0.8", mean(1), 47.4, 0.05);
    assert_near("accepted at 0.9", accepted(2), 0.8998, 0.01);
    assert_near("accepted at 1.0", accepted(3), 0.9649, 0.01);
}

/// Within the floors of the table that this model is held against: 0.965 of the prototype, 0.955 to 0.975.
#[test]
fn a_torus_saturates_close_to_its_bound() {
    let torus = unit_torus();
    let parameters =
        SimulationParameters { warmup: Some(8000), measure: Some(8000), ..SimulationParameters::default() };
    let prepared =
        prepare(&torus.fabric, &Scene::healthy(&torus.topology), &nominal(&torus), &parameters).unwrap();
    let report = simulate(&prepared, &[], &[1], true, &Silent).unwrap();
    let [found] = &report.saturations[..] else { panic!("one seed") };
    let [low, mean, high] = [found.interval.low, found.interval.mean, found.interval.high].map(Rate::as_f64);
    assert!((0.955..=0.975).contains(&mean), "{found:?}");
    assert!(low > 0.93 && high <= 127.0 / 128.0, "{found:?}");
    assert!(
        found.beyond.accepted(&report.setting, 128).as_f64() > 0.95,
        "it holds past saturation: {found:?}"
    );
}

/// Below saturation: packets inside = accepted x latency. Flits on channels = packets x hops. Every channel
/// carries its share.
#[test]
fn packets_and_flits_add_up() {
    let torus = unit_torus();
    let cycles = 50_000;
    let report = run(
        &torus,
        &SimulationParameters {
            warmup: Some(8000),
            measure: Some(cycles),
            ..SimulationParameters::default()
        },
        &["0.6"],
    );
    let (point, senders) = (&report.points[0], f64::from(report.load.senders));
    let accepted = point.accepted(&report.setting, report.load.senders).as_f64();
    let delays = point.delays.unwrap();
    let inside = point.inside_sum as f64 / f64::from(cycles);
    assert_near("Little", inside, accepted * senders / 6.0 * delays.mean().as_f64(), 0.01);
    let busy: u64 = point.busy.iter().map(|&busy| u64::from(busy)).sum();
    assert_near(
        "flit balance",
        busy as f64 / f64::from(cycles),
        accepted * report.load.hops.as_f64() * senders,
        0.003,
    );
    for (&busy, &load) in point.busy.iter().zip(&report.load.channels) {
        let expected = 0.6 * load as f64 / report.load.unit as f64;
        let sigma = (expected * 6.0 / f64::from(cycles)).sqrt();
        let busy_share = f64::from(busy) / f64::from(cycles);
        assert!(
            (busy_share - expected).abs() < 5.0 * sigma,
            "{busy_share}, expected {expected}, sigma {sigma}"
        );
    }
}

#[test]
fn neither_threads_nor_the_order_of_rates_show() {
    let torus = unit_torus();
    let parameters =
        SimulationParameters { warmup: Some(1000), measure: Some(1000), ..SimulationParameters::default() };
    let with = |threads: usize, rates: &[&str]| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| run(&torus, &parameters, rates))
    };
    let first_run = with(1, &["0.3", "0.7", "1.2"]);
    assert_eq!(first_run, with(2, &["1.2", "0.3", "0.7"]));
    assert_eq!(first_run, with(16, &["0.7", "0.7", "1.2", "0.3"]));
}

/// Tables for one router, carried to the others, are those of every router.
#[test]
fn canonical_tables_move_packets_as_listed_ones_do() {
    let compiled = compiled(&std::fs::read_to_string("specs/networks/dragonfly_264.fab").expect("a spec"));
    let tables = nominal(&compiled);
    assert_eq!(tables.symmetry.order(), 33);
    let listed = ForwardingTables {
        symmetry: tables.symmetry.to_trivial(),
        routers: compiled.topology.nodes().map(|node| tables.router(node)).collect(),
        ..tables.clone()
    };
    let parameters =
        SimulationParameters { warmup: Some(1000), measure: Some(1000), ..SimulationParameters::default() };
    let report = |tables: &ForwardingTables| {
        let prepared =
            prepare(&compiled.fabric, &Scene::healthy(&compiled.topology), tables, &parameters).unwrap();
        let report = curve(&prepared, &[Rate::parse("0.4").unwrap()], &[1, 2], &Silent).unwrap();
        // Classes of channels are larger where tables are carried.
        let points: Vec<_> =
            report.points.into_iter().map(|point| Point { busy_by_class: Vec::new(), ..point }).collect();
        (report.load, points)
    };
    assert!(report(&tables) == report(&listed));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Every packet that was born was delivered or is found inside, below and past saturation. What a run
    /// measures fits what it is made of.
    #[test]
    fn no_packet_is_lost(
        rate in 1u64..2_000_000,
        packet in 1u32..9,
        queues in 1u32..20,
        (link, router, injection, turn, speedup) in (1u32..20, 0u32..8, 0u32..9, 0u32..4, 1u32..4),
        (age, instant, ports, by_class) in any::<(bool, bool, bool, bool)>(),
        count in 3usize..12,
        traffic in prop::sample::select(&Traffic::ALL),
        seed in 0u64..1000,
    ) {
        let ring = Bench::ring(Hardware { link, router, buffer: packet * queues, vcs: 4 }, count);
        let parameters = SimulationParameters {
            traffic,
            details: TrafficDetails { spots: if traffic == Traffic::Hotspot { vec!["0".to_owned()] } else { Vec::new() }, ..TrafficDetails::default() },
            choosing: RoutingSettings::default(),
            packet,
            injection,
            turn: Some(turn),
            speedup: Some(speedup),
            lanes: Some(if by_class { LaneChoice::Classes(2) } else { LaneChoice::General(2) }),
            arbitration: Some(if age { Arbitration::Age } else { Arbitration::Rotate }),
            credits: Some(if instant { Credits::AtOnce } else { Credits::Link }),
            hosts: Some(if ports { HostPorts::Ports(2) } else { HostPorts::Unlimited }),
            warmup: Some(700),
            measure: Some(900),
            seed,
            ..SimulationParameters::default()
        };
        let Ok(prepared) = ring.prepared(&parameters) else { return Ok(()) };
        let rate = Rate::millionths(rate.min(u64::from(packet) * 1_000_000));
        let report = curve(&prepared, &[rate], &[seed], &Silent).expect("a ring with a dateline moves");
        adds_up(&report.points[0], packet, packet * queues, 700, 900)?;
    }
}

/// A chip spreads its packets over its ports, and no channel carries more for that.
#[test]
fn two_ports_carry_more_than_one() {
    let row = Bench::tree(UNIT, &[0], &[1, 1]);
    let accepted = |ports| {
        row.point(&SimulationParameters { hosts: Some(HostPorts::Ports(ports)), ..parameters(30_000) }, "1.6")
            .unwrap()
    };
    // The channel carries one flit per cycle, whatever the ports.
    assert_near("bound of one port", accepted(1).bound, 1.0, 0.0);
    assert_near("one port", accepted(1).accepted, 1.0, 0.001);
    assert_near("two ports", accepted(2).accepted, 1.0, 0.001);
    let ring = Bench::ring(UNIT, 4);
    let [one, two] = [1, 2].map(|ports| {
        ring.point(
            &SimulationParameters { hosts: Some(HostPorts::Ports(ports)), ..parameters(30_000) },
            "1.4",
        )
        .unwrap()
    });
    assert_near("bound of a port", one.bound, 1.0, 0.0);
    assert_near("bound of the ring", two.bound, 1.5, 0.0);
    assert!(one.accepted <= 1.0 && two.accepted > 1.15, "{} and {}", one.accepted, two.accepted);
}
