//! Traffic that ends, against answers that are known by hand, in both models.

use crate::simulation::bench::{Bench, Hardware, UNIT, parameters};
use fabc::progress::Silent;
use fabc::sim::{
    Completion, HostPorts, LaneChoice, MessageOrder, PacketRouting, Rate, RouterModel, RoutingSettings,
    SimError, SimReport, SimulationParameters, Traffic, TrafficDetails, curve, read_trace, simulate,
};
use proptest::prelude::*;

/// Bytes of a flit of the bench.
const FLIT: u64 = 64;

/// The number of flits of a packet.
const PACKET: u64 = 6;

/// Parameters of one model, with a number of ports per host.
pub(crate) fn parameters_of(model: RouterModel, hosts: HostPorts) -> SimulationParameters {
    let hosts =
        if model == RouterModel::Flit && hosts == HostPorts::Unlimited { HostPorts::Ports(1) } else { hosts };
    SimulationParameters { model, hosts: Some(hosts), warmup: None, measure: None, ..parameters(1) }
}

/// So many packets from each to each. With a barrier between phases or one after the other.
pub(crate) fn all_to_all(packets: u64, barrier: bool, rest: SimulationParameters) -> SimulationParameters {
    in_order(packets, if barrier { MessageOrder::Barrier } else { MessageOrder::Shift }, rest)
}

fn in_order(packets: u64, order: MessageOrder, rest: SimulationParameters) -> SimulationParameters {
    let details = TrafficDetails {
        bytes: Some(packets * PACKET * FLIT),
        order: Some(order),
        ..TrafficDetails::default()
    };
    SimulationParameters { traffic: Traffic::AllToAll, details, ..rest }
}

pub(crate) fn traced(text: &str, rest: SimulationParameters) -> SimulationParameters {
    let trace = Some(read_trace("test.csv", text).unwrap());
    SimulationParameters {
        traffic: Traffic::Trace,
        details: TrafficDetails { trace, ..TrafficDetails::default() },
        ..rest
    }
}

fn report(bench: &Bench, parameters: &SimulationParameters) -> SimReport {
    simulate(&bench.prepared(parameters).unwrap(), &[], &[1], false, &Silent).unwrap()
}

pub(crate) fn run(bench: &Bench, parameters: &SimulationParameters) -> Completion {
    let mut report = report(bench, parameters);
    let (volume, run) = (report.volume.unwrap(), report.completions.remove(0));
    assert_eq!(run.packets, volume.packets);
    assert!(volume.least_cycles <= run.cycles.into(), "{volume:?}, {run:?}");
    run
}

pub(crate) const MODELS: [(RouterModel, HostPorts); 4] = [
    (RouterModel::Packet, HostPorts::Unlimited),
    (RouterModel::Packet, HostPorts::Ports(1)),
    (RouterModel::Packet, HostPorts::Ports(2)),
    (RouterModel::Flit, HostPorts::Ports(1)),
];

#[test]
fn a_packet_alone_takes_as_long_as_its_route() {
    for hardware in [UNIT, Hardware { link: 50, router: 25, ..UNIT }] {
        for ((model, hosts), injection) in MODELS.into_iter().zip([0, 25, 7, 25]) {
            let row = Bench::tree(hardware, &[0, 1, 2, 3], &[1, 0, 0, 0, 1]);
            for cycle in [0, 1, 12_345] {
                let parameters = traced(
                    &format!("{cycle},0,1,6\n"),
                    SimulationParameters { injection, ..parameters_of(model, hosts) },
                );
                let last = if model == RouterModel::Flit { hardware.router } else { 0 };
                let alone = injection + 4 * (hardware.router + hardware.link) + last + 5;
                let row_result = run(&row, &parameters);
                assert_eq!(row_result.cycles, cycle + alone);
                assert_eq!(row_result.delays.unwrap().sum, u64::from(alone));
            }
        }
    }
}

/// A ring of three: every pair has a channel of its own.
#[test]
pub(crate) fn all_to_all_where_everybody_is_next_to_everybody() {
    let ring = Bench::ring(UNIT, 3);
    let packets = 20;
    for injection in [0, 9] {
        let with = |barrier, hosts| {
            run(
                &ring,
                &all_to_all(
                    packets,
                    barrier,
                    SimulationParameters { injection, ..parameters_of(RouterModel::Packet, hosts) },
                ),
            )
        };
        let alone = injection + 4 + 5;
        let line = (packets * PACKET) as u32;
        // Both channels of a router at the same time, a packet close behind the other.
        assert_eq!(with(false, HostPorts::Unlimited).cycles, alone + line - 6);
        assert_eq!(with(false, HostPorts::Ports(2)).cycles, alone + line - 6);
        // One phase after the other.
        assert_eq!(with(true, HostPorts::Unlimited).cycles, 2 * (alone + line - 6));
        // Through one port.
        assert_eq!(with(false, HostPorts::Ports(1)).cycles, alone + 2 * line - 6);
        assert_eq!(with(true, HostPorts::Ports(1)).cycles, 2 * (alone + line - 6));
        // A packet that is handed over flit by flit keeps the port as busy. Only the two changes of the
        // virtual channel may cost a few cycles.
        let flit = |barrier| {
            run(
                &ring,
                &all_to_all(
                    packets,
                    barrier,
                    SimulationParameters {
                        injection,
                        ..parameters_of(RouterModel::Flit, HostPorts::Ports(1))
                    },
                ),
            )
            .cycles
        };
        let full = alone + 3 + 2 * line - 6;
        assert!((full..=full + 12).contains(&flit(false)), "{} instead of {full}", flit(false));
        assert!(
            flit(true) >= 2 * (alone + 3 + line - 6) && flit(true) <= 2 * (alone + 3 + line - 6) + 12,
            "{}",
            flit(true)
        );
    }
}

/// By hand: a ring of five, shortest ways, puts three messages on every channel.
#[test]
fn what_the_busiest_channel_moves_bounds_a_run() {
    let ring = Bench::ring(UNIT, 5);
    for (model, hosts) in MODELS {
        let [free, barrier] =
            [false, true].map(|barrier| report(&ring, &all_to_all(50, barrier, parameters_of(model, hosts))));
        let volume = free.volume.unwrap();
        assert_eq!((volume.messages, volume.packets, volume.bytes), (20, 1000, 20 * 50 * PACKET * FLIT));
        let port = if hosts == HostPorts::Ports(1) { 4 * 50 * PACKET - 1 } else { 0 };
        assert_eq!(volume.least_cycles, port.max(3 * 50 * PACKET));
        assert!(free.load.channels.iter().all(|&load| load == 0 || load == 900));
        let [free, barrier] = [&free.completions[0], &barrier.completions[0]];
        assert!(barrier.cycles > free.cycles, "{} and {}", barrier.cycles, free.cycles);
        // In turns all messages take the same paths, in another order.
        let turns = run(&ring, &in_order(50, MessageOrder::Turns, parameters_of(model, hosts)));
        assert_eq!(turns.busy, free.busy);
        assert!(volume.share(&turns).as_f64() >= 0.5, "{model:?} {hosts:?}: {}", turns.cycles);
        assert!(volume.share(free).as_f64() >= 0.5, "{} of {}", volume.least_cycles, free.cycles);
        assert_eq!(free.hops, 1000 * 3 / 2);
        assert_eq!(free.busy.iter().map(|&busy| u64::from(busy)).sum::<u64>(), free.hops * PACKET);
        assert_eq!(free.vcs.iter().map(|vc| vc.hops).sum::<u64>(), free.hops);
    }
}

/// The rest of a message fills a packet of its own.
#[test]
fn last_packets_are_filled_up() {
    let pair = Bench::tree(UNIT, &[0], &[1, 1]);
    let sized = |bytes| SimulationParameters {
        traffic: Traffic::AllToAll,
        details: TrafficDetails { bytes: Some(bytes), ..TrafficDetails::default() },
        ..parameters_of(RouterModel::Packet, HostPorts::Unlimited)
    };
    for (bytes, packets) in [(1, 1), (6 * 64, 1), (6 * 64 + 1, 2), (64 * 64, 11)] {
        let report = report(&pair, &sized(bytes));
        let volume = report.volume.unwrap();
        assert_eq!((volume.bytes, volume.packets), (2 * bytes, 2 * packets));
        assert_eq!(u64::from(report.completions[0].cycles), 4 + 5 + (packets - 1) * 6);
        assert_eq!(volume.least_cycles, packets * 6);
    }
}

/// Later messages wait behind earlier ones of the same source. Those that nothing is in the way of do not.
#[test]
fn messages_of_a_trace_start_when_they_say() {
    let row = Bench::tree(UNIT, &[0, 1], &[1, 1, 1]);
    for (model, hosts) in MODELS {
        let last = if model == RouterModel::Flit { 3 } else { 0 };
        // Both at once over the first link. The second message is done later: the one of one hop, or, where
        // that goes first or both pass one input port, the one of two hops.
        let merged =
            run(&row, &traced("cycle,src,dst,flits\n100,0,1,6\n100,0,2,6\n", parameters_of(model, hosts)));
        assert!(
            (100 + 8 + 5 + last + 2..=100 + 8 + 5 + last + 8).contains(&merged.cycles),
            "{model:?} {hosts:?} {}",
            merged.cycles
        );
        // Far apart: by names as well.
        let apart =
            run(&row, &traced("0,router0,router1,12\n5000,router0,2,6\n", parameters_of(model, hosts)));
        assert_eq!(apart.cycles, 5000 + 8 + 5 + last);
        assert_eq!(apart.packets, 3);
    }
}

/// A router with several hosts: what stays there takes no channel.
#[test]
fn hosts_of_one_router_exchange_as_well() {
    let pair = Bench::tree(UNIT, &[0], &[2, 1]);
    for (model, hosts) in MODELS {
        let outcome = report(&pair, &all_to_all(10, false, parameters_of(model, hosts)));
        assert_eq!(outcome.completions[0].packets, 60);
        assert!(outcome.completions[0].cycles >= 120);
        assert_eq!(outcome.completions[0].hops, 40);
    }
    let alone = Bench::tree(UNIT, &[0], &[2, 0]);
    for (model, hosts) in MODELS {
        run(&alone, &all_to_all(1, true, parameters_of(model, hosts)));
    }
}

#[test]
fn packets_may_choose_their_ways() {
    let ring = Bench::ring(UNIT, 6);
    for routing in [PacketRouting::Min, PacketRouting::Ugal] {
        let choosing = RoutingSettings { routing: Some(routing), ..RoutingSettings::default() };
        let request = |hosts| SimulationParameters {
            lanes: None,
            choosing,
            ..all_to_all(10, false, parameters_of(RouterModel::Packet, hosts))
        };
        let outcome = report(&ring, &request(HostPorts::Ports(1)));
        assert_eq!(outcome.completions[0].packets, 300);
        let refused = ring
            .prepared(&request(HostPorts::Unlimited))
            .err()
            .expect("queues for outputs that are not known");
        assert_eq!(code(&refused), ("FAB0628".to_owned(), 2));
    }
}

fn code(error: &SimError) -> (String, u8) {
    (miette::Diagnostic::code(error).expect("a code").to_string(), error.exit_code())
}

#[test]
fn what_does_not_fit_is_refused() {
    let pair = Bench::tree(UNIT, &[0], &[2, 1]);
    let plain = parameters_of(RouterModel::Packet, HostPorts::Unlimited);
    let refused = |parameters: &SimulationParameters| {
        let error = pair.prepared(parameters).err().expect("it does not fit");
        (code(&error), error.to_string())
    };
    let refusal = |parameters: &SimulationParameters| refused(parameters).0.0;
    let bytes = TrafficDetails { bytes: Some(1), ..TrafficDetails::default() };
    assert_eq!(refusal(&SimulationParameters { details: bytes, ..plain.clone() }), "FAB0623");
    assert_eq!(
        refusal(&SimulationParameters { warmup: Some(1), ..all_to_all(1, false, plain.clone()) }),
        "FAB0623"
    );
    assert_eq!(refusal(&SimulationParameters { traffic: Traffic::AllToAll, ..plain.clone() }), "FAB0606");
    assert_eq!(refusal(&all_to_all(1 << 30, false, plain.clone())), "FAB0627");
    for (text, message) in [
        ("0,0,3,6\n", "test.csv:1: no endpoint is called `3`"),
        ("0,0,2,6\n0,2,router0,6\n", "test.csv:2: `router0` has 2 endpoints"),
        ("\n0,2,router1,6\n", "test.csv:2: `2` sends to itself"),
    ] {
        assert_eq!(refused(&traced(text, plain.clone())), (("FAB0624".to_owned(), 2), message.to_owned()));
    }
    // Neither rates nor a search.
    let prepared = pair.prepared(&all_to_all(1, false, plain)).unwrap();
    let rates = curve(&prepared, &[Rate::millionths(1)], &[1], &Silent).unwrap_err();
    assert_eq!(code(&rates), ("FAB0623".to_owned(), 2));
    assert_eq!(code(&simulate(&prepared, &[], &[1], true, &Silent).unwrap_err()), ("FAB0623".to_owned(), 2));
}

#[test]
fn threads_do_not_show() {
    let ring = Bench::ring(UNIT, 9);
    for (model, hosts) in MODELS {
        let prepared = ring.prepared(&all_to_all(30, false, parameters_of(model, hosts))).unwrap();
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| simulate(&prepared, &[], &[1, 2, 3], false, &Silent).unwrap())
        };
        let first_run = with(1);
        assert_eq!(first_run, with(2));
        assert_eq!(first_run, with(16));
        // Nothing is drawn at random where packets go by the tables.
        assert_eq!(first_run.completions[0], Completion { seed: 1, ..first_run.completions[2].clone() });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Everything arrives, not before it can, whatever the parameters, and counts fit each other.
    #[test]
    fn every_message_arrives(
        (packet, packets, queues) in (1u32..9, 1u64..12, 1u32..12),
        (link, router, injection, speedup) in (1u32..20, 1u32..8, 0u32..9, 1u32..4),
        (flit, by_class) in any::<(bool, bool)>(),
        order in prop::sample::select(&[MessageOrder::Shift, MessageOrder::Barrier, MessageOrder::Turns][..]),
        (count, ports) in (2usize..9, 0u16..4),
    ) {
        let ring = Bench::ring(Hardware { link, router, buffer: packet * queues, vcs: 4 }, count.max(3));
        let model = if flit { RouterModel::Flit } else { RouterModel::Packet };
        let hosts = if ports == 0 { HostPorts::Unlimited } else { HostPorts::Ports(ports) };
        // Flits that hold a general virtual channel wait for its credits. With buffers as small as these they
        // may wait in a cycle.
        let lanes = Some(if by_class || flit { LaneChoice::Classes(2) } else { LaneChoice::General(2) });
        let rest = SimulationParameters { packet, injection, speedup: Some(speedup), lanes, ..parameters_of(model, hosts) };
        let details = TrafficDetails { bytes: Some(packets * u64::from(packet) * FLIT), order: Some(order), ..TrafficDetails::default() };
        let report = report(&ring, &SimulationParameters { traffic: Traffic::AllToAll, details, ..rest });
        let (volume, run) = (report.volume.unwrap(), &report.completions[0]);
        prop_assert_eq!(run.packets, volume.packets);
        prop_assert!(volume.least_cycles <= u64::from(run.cycles));
        prop_assert!(u64::from(run.cycles) >= report.load.most_cycles);
        let busy: u64 = run.busy.iter().map(|&busy| u64::from(busy)).sum();
        prop_assert_eq!(busy, run.hops * u64::from(packet));
        let load: u128 = report.load.channels.iter().sum();
        prop_assert_eq!(u128::from(busy), load);
        prop_assert_eq!(run.delays.unwrap().packets, volume.packets);
    }
}
