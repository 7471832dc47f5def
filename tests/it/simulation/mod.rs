//! The simulator against answers that are known: by hand, by queueing theory, from other simulators.

mod balance;
mod bench;
mod boxes;
mod defaults;
mod dependent;
mod finite;
mod flit;
mod groups;
mod overload;
mod patterns;
mod ways;
mod window;

use bench::{Bench, Hardware, UNIT, parameters};
use fabc::ir::{ForwardingTables, Symmetry, TableKey};
use fabc::sim::{
    Arbitration, Credits, HostPorts, LaneChoice, Point, Rate, Saturation, SimError, SimulationParameters,
    Traffic, curve,
};

/// Tables without an entry, for packets that choose their paths.
pub(crate) fn empty_tables(routers: usize) -> ForwardingTables {
    ForwardingTables {
        scenario: "nominal".to_owned(),
        vcs: 1,
        key: TableKey::Dst,
        symmetry: Symmetry::trivial(1, routers as u32),
        routers: vec![Vec::new(); routers],
    }
}

/// Whether a number is within a share of what it should be.
fn assert_near(subject: &str, measured: f64, expected: f64, share: f64) {
    assert!(
        (measured - expected).abs() <= share * expected,
        "{subject}: {measured}, expected {expected} within {} %",
        share * 100.0
    );
}

#[test]
fn a_packet_alone_takes_as_long_as_its_route() {
    for (hardware, injection, packet) in
        [(UNIT, 0, 6), (Hardware { link: 50, router: 25, ..UNIT }, 25, 6), (UNIT, 0, 1), (UNIT, 7, 200)]
    {
        for hosts in [HostPorts::Unlimited, HostPorts::Ports(1)] {
            for credits in [Credits::AtOnce, Credits::Link] {
                let hops = 4;
                let row = Bench::tree(hardware, &[0, 1, 2, 3], &[1, 0, 0, 0, 1]);
                let parameters = SimulationParameters {
                    injection,
                    packet,
                    hosts: Some(hosts),
                    credits: Some(credits),
                    ..parameters(100_000)
                };
                // Some thirty packets, each alone.
                let rate = format!("{:.6}", f64::from(packet) * 0.000_15);
                let alone = row.point(&parameters, &rate).unwrap();
                let expected = u64::from(injection + hops * (hardware.router + hardware.link) + packet - 1);
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
}

#[test]
fn neighbors_at_one_router_need_no_channel() {
    let pair = Bench::tree(UNIT, &[0], &[2, 0]);
    for (hosts, bound) in [(HostPorts::Unlimited, 6.0), (HostPorts::Ports(1), 1.0)] {
        let alone = pair
            .point(&SimulationParameters { injection: 4, hosts: Some(hosts), ..parameters(100_000) }, "0.001")
            .unwrap();
        let delays = alone.point.delays.unwrap();
        assert_eq!((delays.median, delays.most, delays.hops, alone.least_cycles), (9, 9, 0, 9));
        assert_near("bound", alone.bound, bound, 0.0);
    }
}

#[test]
fn one_flow_is_accepted_as_it_is_offered() {
    let row = Bench::tree(UNIT, &[0, 1], &[1, 0, 1]);
    for hosts in [HostPorts::Unlimited, HostPorts::Ports(1)] {
        for (rate, offered) in [("0.3", 0.3), ("0.9", 0.9), ("1", 1.0)] {
            let flow =
                row.point(&SimulationParameters { hosts: Some(hosts), ..parameters(60_000) }, rate).unwrap();
            assert_near(rate, flow.accepted, offered, 0.02);
        }
        // No more than a channel moves.
        let much = row.point(&SimulationParameters { hosts: Some(hosts), ..parameters(60_000) }, "1.2");
        match hosts {
            HostPorts::Unlimited => assert_near("beyond the channel", much.unwrap().accepted, 1.0, 0.001),
            HostPorts::Ports(_) => assert_near("beyond the port", much.unwrap().accepted, 1.0, 0.001),
        }
    }
}

#[test]
fn two_flows_share_a_channel() {
    for arbitration in [Arbitration::Rotate, Arbitration::Age].map(Some) {
        bench::two_flows_share_a_channel(&SimulationParameters { arbitration, ..parameters(60_000) });
    }
}

/// A queue with geometric gaps and one length of service (Geo/D/1): the wait is rho (L - 1) / (2 (1 - rho)).
#[test]
fn two_routers_wait_as_queueing_theory_has_it() {
    let pair = Bench::tree(UNIT, &[0], &[1, 1]);
    for (rho, wait) in [("0.5", 2.5), ("0.8", 10.0)] {
        let flow = pair.point(&parameters(200_000), rho).unwrap();
        assert_near(rho, flow.mean, flow.least_cycles as f64 + wait, 0.03);
    }
}

#[test]
fn a_ring_of_eight_keeps_its_bound() {
    let ring = Bench::ring(UNIT, 8);
    for rate in ["1", "1.7"] {
        let full = ring.point(&parameters(50_000), rate).unwrap();
        assert_near("bound", full.bound, 7.0 / 8.0, 1e-9);
        assert_near(rate, full.accepted, 0.871, 0.01);
    }
}

fn saturations(bench: &Bench, parameters: &SimulationParameters, seeds: &[u64]) -> Vec<Saturation> {
    let prepared = bench.prepared(parameters).unwrap();
    fabc::sim::simulate(&prepared, &[], seeds, true, &fabc::progress::Silent).unwrap().saturations
}

#[test]
fn saturation_is_an_interval_over_replications() {
    let ring = Bench::ring(UNIT, 8);
    let found = saturations(&ring, &parameters(20_000), &[1, 2]);
    assert_eq!(found.iter().map(|found| found.seed).collect::<Vec<_>>(), [1, 2]);
    for found in &found {
        for bracket in &found.replications {
            let (stable, unstable) = (bracket.stable.unwrap().as_f64(), bracket.unstable.unwrap().as_f64());
            assert!(stable < unstable && unstable - stable < 0.0045 && unstable <= 0.875, "{bracket:?}");
        }
        let [low, mean, high] =
            [found.interval.low, found.interval.mean, found.interval.high].map(Rate::as_f64);
        assert!(low < mean && mean < high && high <= 0.875, "{found:?}");
        assert_near("mean", mean, 0.866, 0.01);
        assert!((3..=5).contains(&found.replications.len()), "{found:?}");
        assert_near("beyond", found.beyond.rate.as_f64(), 0.9625, 1e-9);
    }
    assert_ne!(found[0].replications[0].seed, found[0].replications[1].seed);
    // A flow of packets of one flit may fill its channel. No rate at the bound is stable.
    let row = Bench::tree(UNIT, &[0], &[1, 1]);
    let single = &saturations(&row, &bench::single_flits(), &[1])[0];
    assert!(single.replications.iter().all(|bracket| bracket.unstable == Some(Rate::millionths(1_000_000))));
    assert!(single.interval.low.as_f64() > 0.99 && single.interval.high.as_f64() <= 1.0, "{single:?}");
}

/// More confidence needs a wider interval, and fewer replications never make a narrower one by much.
#[test]
fn confidence_and_replications_are_those_of_the_setting() {
    let ring = Bench::ring(UNIT, 8);
    let width = |confidence: u64, replications: u16| {
        let parameters = SimulationParameters {
            confidence: Rate::millionths(confidence),
            replications,
            ..parameters(4000)
        };
        let found = saturations(&ring, &parameters, &[1]).remove(0);
        assert!(found.replications.len() <= usize::from(replications), "{found:?}");
        (found.interval.high.as_f64() - found.interval.low.as_f64(), found.replications)
    };
    let [(usual, first), (sure, second)] = [950_000, 990_000].map(|confidence| width(confidence, 3));
    assert!(usual < sure && first == second, "{usual} and {sure}");
    let (_, pair) = width(950_000, 2);
    assert_eq!(pair, first[..2], "replications do not depend on their number");
}

/// Geo/D/1 again: in how many of 100 runs the interval of the mean latency contains the exact mean. 95 are
/// expected, with a standard deviation of 2.2.
#[test]
fn intervals_contain_the_exact_wait_of_a_queue() {
    let pair = Bench::tree(UNIT, &[0], &[1, 1]);
    let parameters = SimulationParameters { warmup: None, measure: Some(30_000), ..parameters(1) };
    let prepared = pair.prepared(&parameters).unwrap();
    for (rho, wait) in [("0.3", 15.0 / 14.0), ("0.5", 2.5), ("0.8", 10.0)] {
        let seeds: Vec<u64> = (1..=100).collect();
        let rates = [Rate::parse(rho).unwrap()];
        let report = curve(&prepared, &rates, &seeds, &fabc::progress::Silent).unwrap();
        let exact = report.load.most_cycles as f64 + wait;
        let contains = |point: &&Point| {
            let widths = point.half_widths(&report.setting, report.load.senders).expect("it has settled");
            (point.delays.unwrap().mean().as_f64() - exact).abs() <= widths.mean
        };
        let covered = report.points.iter().filter(contains).count();
        assert!((88..=100).contains(&covered), "at {rho} {covered} of 100 contain {exact}");
        let offered = |point: &&Point| {
            let widths = point.half_widths(&report.setting, report.load.senders).expect("it has settled");
            let accepted = point.accepted(&report.setting, report.load.senders).as_f64();
            (accepted - rates[0].as_f64()).abs() <= widths.accepted
        };
        let covered = report.points.iter().filter(offered).count();
        assert!((88..=100).contains(&covered), "at {rho} {covered} of 100 contain the rate");
        assert!(report.points.iter().all(|point| point.is_settled && point.warmup < report.setting.warmup));
    }
}

#[test]
fn traffic_that_nobody_sends_is_refused() {
    let lonely = Bench::tree(UNIT, &[0], &[1, 0]);
    let pair = Bench::tree(UNIT, &[0], &[1, 1]);
    for (bench, traffic, why) in [
        (
            &lonely,
            Traffic::Uniform,
            "uniform traffic is not possible here: it needs two endpoints, but there are 1",
        ),
        (
            &pair,
            Traffic::BitShuffle,
            "bit_shuffle traffic is not possible here: every endpoint would send to itself",
        ),
    ] {
        let error = bench
            .prepared(&SimulationParameters { traffic, ..parameters(1000) })
            .err()
            .expect("nobody sends");
        let code = miette::Diagnostic::code(&error).expect("a code").to_string();
        assert_eq!((error.to_string().as_str(), code.as_str(), error.exit_code()), (why, "FAB0606", 2));
    }
}

#[test]
fn a_one_way_ring_on_one_virtual_channel_stands_still() {
    let tight = Hardware { buffer: 6, ..UNIT };
    // The router of CNSim, whose prototype gives the rate below.
    let (lanes, turn, speedup) = (Some(LaneChoice::General(0)), Some(2), Some(1));
    let bare = SimulationParameters { lanes, turn, speedup, ..parameters(20_000) };
    let ring = Bench::one_way(tight, 5, false);
    for rate in ["0.1", "0.2"] {
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
    let dateline = Bench::one_way(tight, 5, true).point(&bare, "0.5").unwrap();
    assert_near("dateline", dateline.accepted, 0.23, 0.03);
    let general = Bench::one_way(UNIT, 5, true).point(&parameters(60_000), "0.5").unwrap();
    assert_near("bound", general.bound, 0.4, 1e-9);
    assert_near("general and table", general.accepted, 0.4, 0.01);
}

/// A packet alone takes as long through a faster switch, and queues that wait for many outputs let more past.
#[test]
fn a_faster_switch_changes_no_route_and_frees_queues() {
    let row = Bench::tree(UNIT, &[0, 1, 2, 3], &[1, 0, 0, 0, 1]);
    for hosts in [HostPorts::Unlimited, HostPorts::Ports(1)] {
        let alone = row
            .point(
                &SimulationParameters { speedup: Some(2), hosts: Some(hosts), ..parameters(100_000) },
                "0.001",
            )
            .unwrap();
        let (delays, least) = (alone.point.delays.unwrap(), alone.least_cycles);
        assert_eq!((delays.median, delays.most, delays.waited), (least, least, 0));
        let flow = row
            .point(&SimulationParameters { speedup: Some(3), hosts: Some(hosts), ..parameters(60_000) }, "1")
            .unwrap();
        assert_near("one flow", flow.accepted, 1.0, 0.02);
        let much = row
            .point(
                &SimulationParameters { speedup: Some(4), hosts: Some(hosts), ..parameters(60_000) },
                "1.2",
            )
            .unwrap();
        assert_near("no more than a channel moves", much.accepted, 1.0, 0.001);
    }
    // A hub with eight hosts on links of their own: every link has one queue in use.
    let star = Bench::tree(UNIT, &[0; 8], &[0, 1, 1, 1, 1, 1, 1, 1, 1]);
    let bare = SimulationParameters {
        lanes: Some(LaneChoice::General(0)),
        hosts: Some(HostPorts::Ports(1)),
        turn: Some(0),
        ..parameters(30_000)
    };
    let [plain, fast] = [1, 2]
        .map(Some)
        .map(|speedup| star.point(&SimulationParameters { speedup, ..bare.clone() }, "1").unwrap().accepted);
    assert!(plain < 0.72 && fast > 0.88, "{plain} and {fast}");
}
