//! Control at the sources, and runs beyond saturation, against answers that are known by hand.

use crate::simulation::bench::{Bench, Hardware, UNIT, adds_up, parameters};
use crate::simulation::{assert_near, saturations};
use fabc::sim::{
    Ack, Arbitration, HostPorts, MarkControl, MarkLaw, Overload, Rate, RouterModel, Saturation, SimError,
    SimulationParameters, Traffic, TrafficDetails, WindowControl,
};

fn window(packets: u32, ack: Ack) -> WindowControl {
    WindowControl { marks: None, packets: Some(packets), per_pair: None, ack, wait: None }
}

fn controlled(packets: u32, ack: Ack, cycles: u32) -> SimulationParameters {
    SimulationParameters { control: Some(window(packets, ack)), ..parameters(cycles) }
}

/// Two hosts at the ends of a row of five routers: 4 hops of 4 cycles each, and a packet of 6 flits. News of
/// one flit takes 4 hops back. A window of one packet moves 6 flits per round.
#[test]
fn one_packet_in_flight_takes_a_round() {
    let row = Bench::tree(UNIT, &[0, 1, 2, 3], &[1, 0, 0, 0, 1]);
    let (way, back) = (4 * (UNIT.router + UNIT.link) + 6 - 1, 4 * (UNIT.router + UNIT.link));
    for packets in [1, 2] {
        let free = row.point(&controlled(packets, Ack::Free, 60_000), "0.9").unwrap();
        assert_near("free", free.accepted, f64::from(6 * packets) / f64::from(way + back), 0.001);
        // The news competes from the cycle after the delivery on, and waits for at most a packet per hop.
        let flit = row.point(&controlled(packets, Ack::Flit, 60_000), "0.9").unwrap();
        let fastest = f64::from(6 * packets) / f64::from(way + back + 1);
        assert!(flit.accepted <= fastest * 1.001 && flit.accepted >= fastest * 0.7, "{}", flit.accepted);
        // In the flit model the packet and the news also pass the switch of the last router.
        let wormhole = SimulationParameters {
            model: RouterModel::Flit,
            hosts: Some(HostPorts::Ports(1)),
            ..controlled(packets, Ack::Free, 60_000)
        };
        let round = way + UNIT.router + back + UNIT.router;
        let found = row.point(&wormhole, "0.9").unwrap();
        assert_near("wormhole", found.accepted, f64::from(6 * packets) / f64::from(round), 0.001);
    }
}

/// To one destination, the window of the pair is what counts.
#[test]
fn the_window_of_a_pair_holds_within_that_of_the_source() {
    let row = Bench::tree(UNIT, &[0, 1, 2, 3], &[1, 0, 0, 0, 1]);
    for model in [RouterModel::Packet, RouterModel::Flit] {
        let accepted = |packets: u32, per_pair: Option<u32>| {
            let control = Some(WindowControl { per_pair, ..window(packets, Ack::Free) });
            let hosts = Some(HostPorts::Ports(1));
            row.point(&SimulationParameters { model, hosts, control, ..parameters(20_000) }, "0.9")
                .unwrap()
                .accepted
        };
        assert_eq!(accepted(8, Some(1)), accepted(1, None), "{model:?}");
        assert_eq!(accepted(8, Some(2)), accepted(2, None), "{model:?}");
    }
}

/// A ring with a host that is sent more than it can take in. Packets for it fill the window of every source,
/// unless pairs have a window, too. Then the others get what they are sent.
#[test]
fn a_window_per_pair_keeps_a_hot_spot_to_itself() {
    let ring = Bench::ring(UNIT, 8);
    let spots = TrafficDetails {
        spots: vec!["router3".to_owned()],
        share: Some(Rate::millionths(500_000)),
        ..TrafficDetails::default()
    };
    for model in [RouterModel::Packet, RouterModel::Flit] {
        for ack in [Ack::Free, Ack::Flit, Ack::Piggyback] {
            if model == RouterModel::Flit && ack != Ack::Free {
                continue;
            }
            let elsewhere = |per_pair: Option<u32>| {
                let request = SimulationParameters {
                    model,
                    traffic: Traffic::Hotspot,
                    details: spots.clone(),
                    hosts: Some(HostPorts::Ports(1)),
                    overload: Some(vec![Rate::millionths(1_800_000)]),
                    replications: 2,
                    control: Some(WindowControl { per_pair, ..window(20, ack) }),
                    ..parameters(20_000)
                };
                let found = overload(&saturations(&ring, &request, &[1])[0]);
                found.elsewhere.unwrap().share().as_f64()
            };
            let (without, with) = (elsewhere(None), elsewhere(Some(3)));
            assert!(without < 0.7 && with > 0.95, "{model:?} {ack:?}: {without} {with}");
        }
    }
}

/// Acknowledgements are flits on channels: one for every packet. A packet to the other end takes the news
/// with it where one comes in time.
#[test]
fn acknowledgements_take_channels() {
    let row = Bench::tree(UNIT, &[0, 1], &[1, 0, 1]);
    for hosts in [HostPorts::Unlimited, HostPorts::Ports(1)] {
        let measured = |ack: Ack, wait: Option<u32>| {
            let control = Some(WindowControl { marks: None, packets: Some(16), per_pair: None, ack, wait });
            let request = SimulationParameters { control, hosts: Some(hosts), ..parameters(40_000) };
            row.point(&request, "0.6").unwrap()
        };
        let (free, flit) = (measured(Ack::Free, None), measured(Ack::Flit, None));
        assert_eq!((free.point.born, flit.point.born), (flit.point.born, free.point.born));
        assert_eq!(free.point.moved_acks, 0);
        // Two hops for the news of every packet.
        assert_near("acks", flit.point.moved_acks as f64, flit.point.delivered as f64 * 2.0, 0.01);
        assert_near("accepted", flit.accepted, 0.6, 0.02);
        assert!(flit.mean > free.mean, "{} {}", flit.mean, free.mean);
        let [patient, hasty] = [Some(400), Some(1)].map(|wait| measured(Ack::Piggyback, wait));
        assert!(patient.point.moved_acks * 20 < flit.point.moved_acks, "{}", patient.point.moved_acks);
        assert!(hasty.point.moved_acks * 2 > flit.point.moved_acks, "{}", hasty.point.moved_acks);
        for measured in [&free, &flit, &patient, &hasty] {
            adds_up(&measured.point, 6, 200, 40_000, 40_000).unwrap();
        }
    }
}

/// A port of one flit per cycle, windows of every size, and both ways of news: all that is born arrives.
#[test]
fn no_window_loses_a_packet() {
    let ring = Bench::ring(Hardware { router: 0, ..UNIT }, 6);
    for hosts in [HostPorts::Unlimited, HostPorts::Ports(1), HostPorts::Ports(2)] {
        for ack in [Ack::Free, Ack::Flit, Ack::Piggyback] {
            for (packets, per_pair, packet) in
                [(1, None, 1), (3, None, 6), (20, None, 6), (20, Some(2), 6), (3, Some(1), 1)]
            {
                let wait = (ack == Ack::Piggyback).then_some(4);
                let control =
                    Some(WindowControl { marks: None, packets: Some(packets), per_pair, ack, wait });
                let request =
                    SimulationParameters { hosts: Some(hosts), packet, control, ..parameters(4_000) };
                let found = ring.point(&request, "0.02").unwrap();
                adds_up(&found.point, packet, 200, 4_000, 4_000).unwrap();
                assert_eq!(found.point.unfinished, 0, "{hosts:?} {ack:?} {packets} {per_pair:?} {packet}");
            }
        }
    }
}

/// Below saturation a window is not felt.
#[test]
fn a_window_costs_nothing_below_saturation() {
    let ring = Bench::ring(UNIT, 8);
    let derived =
        Some(WindowControl { marks: None, packets: None, per_pair: None, ack: Ack::Free, wait: None });
    for model in [RouterModel::Packet, RouterModel::Flit] {
        let hosts = Some(if model == RouterModel::Flit { HostPorts::Ports(2) } else { HostPorts::Unlimited });
        let request =
            SimulationParameters { model, hosts, arbitration: Some(Arbitration::Age), ..parameters(40_000) };
        let none = ring.point(&request, "0.6").unwrap();
        let some = ring.point(&SimulationParameters { control: derived, ..request }, "0.6").unwrap();
        assert_eq!((none.accepted, none.mean), (some.accepted, some.mean), "{model:?}");
    }
}

/// By hand: 16 channels of 4 queues with room for 33 packets each, and 8 sources: 264 per source, and 99 of
/// them in queues, or 66 where acknowledgements are flits. A packet takes 22.14 cycles on average, and 14.34
/// of them there and back are on their way:
/// 7/8 x 2 x 14.1428 / 6.
#[test]
fn the_window_follows_from_its_rule() {
    let ring = Bench::ring(UNIT, 8);
    let prepared = |packets, ack| {
        let control = Some(WindowControl { marks: None, packets, per_pair: None, ack, wait: None });
        ring.prepared(&SimulationParameters { control, ..parameters(1_000) })
    };
    let derived = prepared(None, Ack::Free).unwrap();
    let control = derived.setting().control.unwrap();
    let mean = derived.load().mean_cycles.as_f64();
    let pipe = (0.875 * 2.0 * mean / 6.0).ceil() as u32;
    assert_eq!((control.pipe, control.room, control.window), (pipe, 264, pipe + 99));
    // News waits for as long as an eighth of the room takes: 33 packets of 6 flits at 7/8.
    let waits = prepared(None, Ack::Piggyback).unwrap().setting().control.unwrap();
    assert_eq!(waits.wait, (33.0 * 6.0 / 0.875_f64).ceil() as u32);
    assert_eq!(waits.window, waits.pipe + 66);
    assert!(prepared(Some(pipe + 131), Ack::Free).is_ok());
    let Err(SimError::WideWindow { largest, .. }) = prepared(Some(pipe + 132), Ack::Free) else {
        panic!("a window of half of the room passes")
    };
    assert_eq!(largest, u64::from(pipe + 131));
}

fn overload(found: &Saturation) -> Overload {
    found.overloads[0]
}

/// Marks keep queues short as well. Sources find their share by themselves, so they fare less alike than with
/// a window that they all have.
#[test]
fn marks_keep_a_ring_alive() {
    let ring = Bench::ring(UNIT, 8);
    let found = |law: MarkLaw, mark: u32| {
        let marks = MarkControl { law, mark: Some(mark), gain: Rate::millionths(62_500), timer: 200 };
        let control = WindowControl { marks: Some(marks), packets: None, ..window(1, Ack::Free) };
        let request = SimulationParameters {
            control: Some(control),
            overload: Some(vec![Rate::millionths(2_000_000)]),
            replications: 2,
            ..parameters(40_000)
        };
        let prepared = ring.prepared(&request).map(|prepared| prepared.setting().control.unwrap());
        prepared.map(|control| (control, saturations(&ring, &request, &[1])[0].clone()))
    };
    for law in [MarkLaw::Dctcp, MarkLaw::Dcqcn] {
        let (control, search) = found(law, 60).unwrap();
        assert_eq!(control.marks.unwrap().mark, 60);
        let run = overload(&search);
        let accepted = run.delivered as f64 * 6.0 / (40_000.0 * 8.0);
        assert!(accepted / search.interval.mean.as_f64() > 0.85, "{law:?}: {accepted} {search:?}");
        assert!(run.fairness().as_f64() > 0.6, "{law:?}: {run:?}");
    }
    assert!(matches!(found(MarkLaw::Dctcp, 200), Err(SimError::UnreachedMark { mark: 200, buffer: 200 })));
}

/// Rings are parking lots: where ports take turns, who is on the ring starves who would like to be. A window
/// with the oldest first keeps what the ring carries, and all sources alike.
#[test]
fn a_window_keeps_a_ring_of_wormholes_alive() {
    let ring = Bench::ring(UNIT, 8);
    let request = SimulationParameters {
        model: RouterModel::Flit,
        hosts: Some(HostPorts::Ports(2)),
        overload: Some(vec![Rate::millionths(2_000_000)]),
        replications: 2,
        ..parameters(20_000)
    };
    let plain = &saturations(&ring, &request, &[1])[0];
    let control = Some(window(16, Ack::Free));
    let kept = &saturations(&ring, &SimulationParameters { control, ..request }, &[1])[0];
    let share = |found: &Saturation| {
        let accepted = overload(found).delivered as f64 * 6.0 / (20_000.0 * 8.0);
        accepted / found.interval.mean.as_f64()
    };
    assert!(share(plain) < 0.9 && overload(plain).fairness().as_f64() < 0.5, "{:?}", overload(plain));
    assert!(share(kept) > 0.97 && overload(kept).fairness().as_f64() > 0.9, "{:?}", overload(kept));
    // The demand that is served is the one that is offered: 16/7 hops on average.
    let hops = overload(kept).mean_hops().unwrap().as_f64();
    assert_near("hops", hops, 16.0 / 7.0, 0.01);
}

/// A window holds the oldest packets of a source, not those whose outputs happen to be free. In a row of
/// routers where every end is wanted, near and far destinations are served as they are offered.
#[test]
fn a_window_serves_the_demand_that_is_offered() {
    let row = Bench::tree(UNIT, &[0, 1, 2, 3, 4], &[1, 1, 1, 1, 1, 1]);
    for hosts in [HostPorts::Unlimited, HostPorts::Ports(1)] {
        let request = SimulationParameters {
            hosts: Some(hosts),
            overload: Some(vec![Rate::millionths(1_800_000)]),
            replications: 2,
            ..controlled(24, Ack::Free, 40_000)
        };
        let found = &saturations(&row, &request, &[1])[0];
        let hops = overload(found).mean_hops().unwrap().as_f64();
        // Over ordered pairs of six routers: (5 x 1 + 4 x 2 + 3 x 3 + 2 x 4 + 1 x 5) / 15.
        assert_near(&format!("{hosts:?}"), hops, 35.0 / 15.0, 0.01);
        assert!(overload(found).fairness().as_f64() > 0.9, "{:?}", overload(found));
    }
}

/// A run depends on its rate and seed only.
#[test]
fn overload_is_the_same_with_any_number_of_threads() {
    let ring = Bench::ring(UNIT, 8);
    let request = SimulationParameters {
        overload: Some([1_200_000, 2_000_000].map(Rate::millionths).to_vec()),
        replications: 2,
        ..controlled(40, Ack::Piggyback, 4_000)
    };
    let found = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| saturations(&ring, &request, &[1, 2]))
    };
    assert_eq!(found(1), found(3));
}
