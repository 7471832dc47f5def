//! The flit model against answers that are known by hand, and what must add up in it.

use crate::simulation::assert_near;
use crate::simulation::bench::{self, Bench, Hardware, UNIT, adds_up, parameters};
use fabc::progress::Silent;
use fabc::sim::{
    Arbitration, Credits, HostPorts, LaneChoice, Rate, RouterModel, SimError, SimulationParameters, Traffic,
    curve,
};
use proptest::prelude::*;

/// Routers of one cycle, as BookSim is run with.
const QUICK: Hardware = Hardware { router: 1, ..UNIT };

/// One port per host, two rounds of the switch, two general virtual channels, so many cycles.
fn flits(cycles: u32) -> SimulationParameters {
    SimulationParameters {
        model: RouterModel::Flit,
        speedup: Some(2),
        hosts: Some(HostPorts::Ports(1)),
        ..parameters(cycles)
    }
}

#[test]
fn a_packet_alone_takes_as_long_as_its_route() {
    for (hardware, injection, packet, stages) in [
        (UNIT, 0, 6, 0),
        (QUICK, 0, 6, 2),
        (Hardware { link: 50, router: 25, ..UNIT }, 25, 6, 0),
        (UNIT, 0, 1, 3),
        (UNIT, 7, 200, 0),
    ] {
        for (speedup, ports, lanes) in
            [(1, 1, LaneChoice::General(2)), (2, 1, LaneChoice::General(0)), (2, 2, LaneChoice::Classes(3))]
        {
            let hops = 4;
            let row = Bench::tree(hardware, &[0, 1, 2, 3], &[1, 0, 0, 0, 1]);
            let (model, speedup, hosts, lanes) =
                (RouterModel::Flit, Some(speedup), Some(HostPorts::Ports(ports)), Some(lanes));
            let parameters = SimulationParameters {
                model,
                speedup,
                stages,
                injection,
                packet,
                hosts,
                lanes,
                ..parameters(100_000)
            };
            // Some thirty packets, each alone.
            let alone = row.point(&parameters, &format!("{:.6}", f64::from(packet) * 0.000_15)).unwrap();
            let expected = u64::from(
                injection
                    + hops * (stages + hardware.router + hardware.link)
                    + stages
                    + hardware.router
                    + packet
                    - 1,
            );
            let delays = alone.point.delays.unwrap();
            assert!(delays.packets > 10, "{delays:?}");
            assert_eq!(
                (alone.least_cycles, delays.median, delays.sum),
                (expected, expected, expected * delays.packets),
                "{delays:?}"
            );
            assert_eq!(
                (delays.most, delays.hops, delays.waited),
                (expected, u64::from(hops) * delays.packets, 0)
            );
        }
    }
}

#[test]
fn neighbors_at_one_router_pass_its_switch() {
    let pair = Bench::tree(UNIT, &[0], &[2, 0]);
    let alone = pair.point(&SimulationParameters { injection: 4, ..flits(100_000) }, "0.001").unwrap();
    let delays = alone.point.delays.unwrap();
    assert_eq!((delays.median, delays.most, delays.hops, alone.least_cycles), (12, 12, 0, 12));
    assert_near("bound", alone.bound, 1.0, 0.0);
}

#[test]
fn one_flow_fills_its_channel() {
    let row = Bench::tree(UNIT, &[0, 1], &[1, 0, 1]);
    for (speedup, lanes) in
        [(1, LaneChoice::General(0)), (1, LaneChoice::General(2)), (2, LaneChoice::General(2))]
    {
        let with = |rate, offered, share| {
            let (model, speedup, lanes) = (RouterModel::Flit, Some(speedup), Some(lanes));
            let flow =
                row.point(&SimulationParameters { model, speedup, lanes, ..flits(60_000) }, rate).unwrap();
            assert_near(rate, flow.accepted, offered, share);
        };
        with("0.3", 0.3, 0.02);
        with("0.9", 0.9, 0.02);
        with("1.2", 1.0, 0.000_5);
    }
}

/// A queue of B flits on a route of its own is refilled once per round trip: R cycles to the channel, l over
/// it, the stages at its end, l back and one more, if the credit takes the link as well.
#[test]
fn credits_limit_what_a_long_link_carries() {
    let far = Hardware { link: 30, router: 4, buffer: 12, vcs: 4 };
    let row = Bench::tree(far, &[0, 1], &[1, 0, 1]);
    for (credits, stages, round_trip) in [
        (Credits::Link, 0, 4 + 30 + 30 + 1),
        (Credits::AtOnce, 0, 4 + 30 + 1),
        (Credits::AtOnce, 5, 4 + 30 + 5 + 1),
    ] {
        for (lanes, queues) in [(LaneChoice::General(0), 1), (LaneChoice::Classes(2), 2)] {
            let parameters =
                SimulationParameters { credits: Some(credits), lanes: Some(lanes), stages, ..flits(60_000) };
            let flow = row.point(&parameters, "1.5").unwrap();
            assert_near("accepted", flow.accepted, f64::from(queues * 12) / f64::from(round_trip), 0.002);
        }
    }
}

#[test]
fn two_flows_share_a_channel() {
    for speedup in [1, 2] {
        bench::two_flows_share_a_channel(&SimulationParameters { speedup: Some(speedup), ..flits(60_000) });
    }
}

/// Nearly up to its bound a ring accepts what is offered. Beyond, routers that go round among their ports
/// give those who inject late on a route more than those before them: it accepts less, and never nothing.
#[test]
fn a_ring_of_eight_keeps_its_bound() {
    let ring = Bench::ring(QUICK, 8);
    let full = |rate| {
        ring.point(&SimulationParameters { hosts: Some(HostPorts::Ports(2)), ..flits(50_000) }, rate).unwrap()
    };
    let below = full("0.82");
    assert_near("bound", below.bound, 7.0 / 8.0, 1e-9);
    assert_near("below", below.accepted, 0.82, 0.02);
    assert!(below.is_stable);
    let beyond = full("1.7");
    assert!((0.3..0.875).contains(&beyond.accepted) && !beyond.is_stable, "{}", beyond.accepted);
    // The oldest first: what comes from far is not passed over, and the ring keeps what it has.
    let aged = SimulationParameters { arbitration: Some(Arbitration::Age), ..flits(50_000) };
    for (rate, lanes) in
        [("1", LaneChoice::General(2)), ("1.7", LaneChoice::General(2)), ("1.7", LaneChoice::General(0))]
    {
        let full = ring.point(&SimulationParameters { lanes: Some(lanes), ..aged.clone() }, rate).unwrap();
        assert_near(rate, full.accepted, 0.867, 0.01);
    }
}

#[test]
fn a_one_way_ring_on_one_virtual_channel_stands_still() {
    let tight = Hardware { buffer: 6, ..QUICK };
    let bare = SimulationParameters { lanes: Some(LaneChoice::General(0)), ..flits(20_000) };
    let ring = Bench::one_way(tight, 5, false);
    for rate in ["0.3", "0.5"] {
        let error = ring.point(&bare, rate).err().expect("it does not move for ever");
        assert_eq!(
            (miette::Diagnostic::code(&error).expect("a code").to_string().as_str(), error.exit_code()),
            ("FAB0608", 3)
        );
        let SimError::Deadlock { length, wait_cycle, .. } = error else { panic!("{error}") };
        assert_eq!((length, wait_cycle.lines().count()), (5, 5), "{wait_cycle}");
        assert!(
            wait_cycle.lines().all(|line| line.contains(" on VC 0, held by packets from router")),
            "{wait_cycle}"
        );
    }
    // Packets longer than a queue reach over several routers. With a dateline that is no danger.
    for packet in [6, 20] {
        let dateline = Bench::one_way(tight, 5, true)
            .point(&SimulationParameters { packet, ..bare.clone() }, "0.5")
            .unwrap();
        assert!(dateline.accepted > 0.2, "{}", dateline.accepted);
    }
    let general = Bench::one_way(QUICK, 5, true).point(&flits(60_000), "0.38").unwrap();
    assert_near("bound", general.bound, 0.4, 1e-9);
    assert_near("general and table", general.accepted, 0.38, 0.02);
    assert!(general.is_stable);
    let aged = SimulationParameters { arbitration: Some(Arbitration::Age), ..flits(60_000) };
    let full = Bench::one_way(QUICK, 5, true).point(&aged, "0.5").unwrap();
    assert_near("oldest first", full.accepted, 0.4, 0.01);
}

/// Packets prefer the general ones, and leave them for good where none is free: the fewer there are, the more
/// hops are in those of the tables.
#[test]
fn general_virtual_channels_come_first() {
    let ring = Bench::ring(QUICK, 6);
    let share = |general| {
        let point = ring
            .point(
                &SimulationParameters { lanes: Some(LaneChoice::General(general)), ..flits(20_000) },
                "0.6",
            )
            .unwrap()
            .point;
        point.general_hops as f64 / point.hops as f64
    };
    assert_near("tables only", share(0), 0.0, 0.0);
    assert!(0.3 < share(1) && share(1) < share(2) && share(2) < 1.0, "{} and {}", share(1), share(2));
}

/// A hub with more lanes than fit one word of a bit set.
#[test]
fn a_router_of_many_ports_works_as_a_small_one() {
    let star = Bench::tree(QUICK, &[0; 24], &[[2].as_slice(), &[1; 24]].concat());
    let full = star.point(&flits(20_000), "0.8").unwrap();
    assert_near("accepted", full.accepted, 0.8, 0.02);
    let alone = star.point(&flits(200_000), "0.0002").unwrap();
    assert_eq!(alone.point.delays.unwrap().most, alone.least_cycles);
}

#[test]
fn packets_inside_are_rate_times_latency() {
    let ring = Bench::ring(QUICK, 8);
    let point_result = ring.point(&flits(100_000), "0.7").unwrap();
    let inside = point_result.point.inside_sum as f64 / 100_000.0;
    assert_near("Little", inside, point_result.accepted * 8.0 / 6.0 * point_result.mean, 0.01);
    let busy: u64 = point_result.point.busy.iter().map(|&busy| u64::from(busy)).sum();
    // 16/7 hops on average, 8 senders.
    assert_near(
        "flits on channels",
        busy as f64 / 100_000.0,
        point_result.accepted * 16.0 / 7.0 * 8.0,
        0.003,
    );
}

#[test]
fn flits_behind_the_switch_at_the_end_have_made_their_hop() {
    // A flit per cycle, which leaves 60 cycles after its hop is counted: such a run is possible.
    let pair = Bench::tree(Hardware { router: 60, ..UNIT }, &[0], &[1, 1]);
    let point =
        pair.point(&SimulationParameters { warmup: Some(0), packet: 1, ..flits(300) }, "1").unwrap().point;
    let moved: u64 = point.busy_by_class.iter().sum();
    assert!(point.hops - moved >= 100, "{} hops, {moved} flits moved", point.hops);
}

#[test]
fn neither_threads_nor_the_order_of_rates_show() {
    let ring = Bench::ring(QUICK, 9);
    let prepared = ring.prepared(&flits(2_000)).unwrap();
    let with = |threads: usize, rates: &[&str]| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let rates: Vec<Rate> = rates.iter().map(|rate| Rate::parse(rate).unwrap()).collect();
        pool.install(|| curve(&prepared, &rates, &[1, 2], &Silent).unwrap())
    };
    let first_run = with(1, &["0.3", "0.7", "0.9"]);
    assert_eq!(first_run, with(2, &["0.9", "0.3", "0.7"]));
    assert_eq!(first_run, with(16, &["0.7", "0.7", "0.9", "0.3"]));
}

#[test]
fn what_the_model_does_not_have_is_refused() {
    let code =
        |error: &SimError| (miette::Diagnostic::code(error).expect("a code").to_string(), error.exit_code());
    let pair = Bench::tree(UNIT, &[0], &[1, 1]);
    let unlimited = pair
        .prepared(&SimulationParameters { hosts: Some(HostPorts::Unlimited), ..flits(1000) })
        .err()
        .expect("no ports");
    assert_eq!(code(&unlimited), ("FAB0610".to_owned(), 2));
    let timeless = Bench::tree(Hardware { router: 0, ..UNIT }, &[0], &[1, 1]);
    assert_eq!(code(&timeless.prepared(&flits(1000)).err().expect("no time")), ("FAB0611".to_owned(), 1));
    timeless.point(&parameters(1000), "0.1").expect("whole packets need no time at routers");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Every flit that was born was delivered or is found inside, below and past saturation, and every
    /// packet. What a run measures fits what it is made of.
    #[test]
    fn no_flit_is_lost(
        rate in 1u64..2_000_000,
        packet in 1u32..9,
        buffer in 1u32..40,
        (link, router, injection, speedup, stages) in (1u32..20, 1u32..8, 0u32..9, 1u32..4, 0u32..4),
        (after_link, by_class, age) in any::<(bool, bool, bool)>(),
        (count, ports) in (3usize..12, 1u16..4),
        traffic in prop::sample::select(&Traffic::ALL),
        seed in 0u64..1000,
    ) {
        let ring = Bench::ring(Hardware { link, router, buffer, vcs: 4 }, count);
        let parameters = SimulationParameters {
            model: RouterModel::Flit,
            speedup: Some(speedup),
            traffic,
            packet,
            injection,
            stages,
            lanes: Some(if by_class { LaneChoice::Classes(2) } else { LaneChoice::General(2) }),
            credits: Some(if after_link { Credits::Link } else { Credits::AtOnce }),
            hosts: Some(HostPorts::Ports(ports)),
            arbitration: age.then_some(Arbitration::Age),
            warmup: Some(700),
            measure: Some(900),
            seed,
            ..SimulationParameters::default()
        };
        let Ok(prepared) = ring.prepared(&parameters) else { return Ok(()) };
        let rate = Rate::millionths(rate.min(u64::from(packet) * 1_000_000));
        let report = curve(&prepared, &[rate], &[seed], &Silent).expect("a ring with a dateline moves");
        adds_up(&report.points[0], packet, buffer, 700, 900)?;
    }
}
