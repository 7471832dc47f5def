//! How many packets of a host may be under way, against answers that are known by hand, in both models.

use crate::simulation::assert_near;
use crate::simulation::bench::{Bench, Hardware, UNIT, parameters};
use fabc::progress::Silent;
use fabc::sim::{
    Completion, HostPorts, MessageOrder, RouterModel, SimulationParameters, Traffic, TrafficDetails,
    read_trace, simulate,
};

/// The number of flits of a packet.
const PACKET: u32 = 6;

const MODELS: [(RouterModel, HostPorts); 4] = [
    (RouterModel::Packet, HostPorts::Unlimited),
    (RouterModel::Packet, HostPorts::Ports(1)),
    (RouterModel::Packet, HostPorts::Ports(2)),
    (RouterModel::Flit, HostPorts::Ports(1)),
];

/// So far apart that a packet alone is more way than flits.
const FAR: Hardware = Hardware { link: 40, ..UNIT };

fn parameters_of(model: RouterModel, hosts: HostPorts, window: Option<u32>) -> SimulationParameters {
    SimulationParameters {
        model,
        hosts: Some(hosts),
        window,
        injection: 7,
        warmup: None,
        measure: None,
        ..parameters(1)
    }
}

fn run(bench: &Bench, parameters: &SimulationParameters) -> Completion {
    let mut report = simulate(&bench.prepared(parameters).unwrap(), &[], &[1], false, &Silent).unwrap();
    report.completions.remove(0)
}

fn all_to_all(packets: u64, order: MessageOrder, rest: SimulationParameters) -> SimulationParameters {
    let details = TrafficDetails {
        bytes: Some(packets * u64::from(PACKET) * 64),
        order: Some(order),
        ..TrafficDetails::default()
    };
    SimulationParameters { traffic: Traffic::AllToAll, details, ..rest }
}

/// Cycles over a row of five routers from where a packet may leave its host to its last flit.
fn round(model: RouterModel) -> u32 {
    let way = 4 * (UNIT.router + UNIT.link) + PACKET - 1;
    if model == RouterModel::Flit { way + UNIT.router } else { way - UNIT.router }
}

/// One message over a row: as many packets as the window has room for leave back to back, and the next one
/// when the first has arrived.
#[test]
fn a_flow_is_as_fast_as_its_window() {
    let row = Bench::tree(UNIT, &[0, 1, 2, 3], &[1, 0, 0, 0, 1]);
    let packets = 24;
    for (model, hosts) in MODELS {
        let trace = read_trace("test.csv", &format!("0,0,1,{}\n", packets * PACKET)).unwrap();
        let flow = |window| {
            let details = TrafficDetails { trace: Some(trace.clone()), ..TrafficDetails::default() };
            run(
                &row,
                &SimulationParameters {
                    traffic: Traffic::Trace,
                    details,
                    ..parameters_of(model, hosts, window)
                },
            )
            .cycles
        };
        let (lead, round) = (if model == RouterModel::Flit { 7 } else { 7 + UNIT.router }, round(model));
        for window in [1, 2, 3] {
            // The last of all rounds has the others of its window before it.
            let expected = lead + (packets / window) * round + (window - 1) * PACKET;
            assert_eq!(flow(Some(window)), expected, "{model:?} {hosts:?} {window}");
        }
        // Wide enough for the way there: the channel is never idle.
        let full = lead + round + (packets - 1) * PACKET;
        for window in [Some(round.div_ceil(PACKET)), Some(1 << 20), None] {
            assert_eq!(flow(window), full, "{model:?} {hosts:?} {window:?}");
        }
    }
}

/// The same at a rate: never more than a window per round.
#[test]
fn a_window_limits_what_is_accepted() {
    let row = Bench::tree(UNIT, &[0, 1, 2, 3], &[1, 0, 0, 0, 1]);
    for (model, hosts) in MODELS {
        for (window, offered) in [(1, "0.9"), (2, "0.9"), (2, "0.3"), (64, "0.9")] {
            let request = SimulationParameters {
                model,
                hosts: Some(hosts),
                window: Some(window),
                ..parameters(60_000)
            };
            let max_rate = f64::from(window * PACKET) / f64::from(round(model));
            let measured_point = row.point(&request, offered).unwrap();
            assert_near("accepted", measured_point.accepted, max_rate.min(offered.parse().unwrap()), 0.01);
        }
    }
}

/// Everything arrives, a wide window is none, and a narrow one costs time.
#[test]
fn exchanges_end_under_any_window() {
    let ring = Bench::ring(FAR, 7);
    for (model, hosts) in MODELS {
        for order in [MessageOrder::Shift, MessageOrder::Barrier, MessageOrder::Turns] {
            let [narrow, some, wide, none] = [Some(1), Some(4), Some(1 << 20), None]
                .map(|window| run(&ring, &all_to_all(20, order, parameters_of(model, hosts, window))));
            assert_eq!(wide, none);
            assert_eq!((narrow.packets, some.packets), (wide.packets, wide.packets));
            assert_eq!(narrow.busy, wide.busy);
            assert!(
                narrow.cycles > some.cycles && narrow.cycles > wide.cycles,
                "{model:?} {hosts:?} {order:?}: {} {}",
                narrow.cycles,
                wide.cycles
            );
        }
    }
}

/// Two ports that share a window take turns: neither waits until the other has nothing more to send.
#[test]
fn ports_share_a_window() {
    let star = Bench::tree(UNIT, &[0, 0, 0], &[0, 1, 1, 1]);
    let both_messages = "0,0,1,600\n0,0,2,600\n";
    let one_message = "0,0,1,600\n";
    for model in [RouterModel::Packet, RouterModel::Flit] {
        let run_of = |text: &str| {
            let details = TrafficDetails {
                trace: Some(read_trace("test.csv", text).unwrap()),
                ..TrafficDetails::default()
            };
            run(
                &star,
                &SimulationParameters {
                    traffic: Traffic::Trace,
                    details,
                    ..parameters_of(model, HostPorts::Ports(2), Some(1))
                },
            )
        };
        let (both_messages, one_message) = (run_of(both_messages), run_of(one_message));
        assert!(
            both_messages.cycles.abs_diff(2 * one_message.cycles) <= 2 * (7 + UNIT.router),
            "{} and {}",
            both_messages.cycles,
            one_message.cycles
        );
        // Packets of both wait alike: their latencies are those of every other turn.
        let [mean, alone] = [&both_messages, &one_message].map(|run| run.delays.unwrap().mean().as_f64());
        assert!(mean > 1.5 * alone && mean < 2.5 * alone, "{model:?}: {mean} and {alone}");
    }
}

/// Several hosts of a router, and what stays there.
#[test]
fn hosts_have_windows_of_their_own() {
    let pair = Bench::tree(FAR, &[0], &[3, 2]);
    for (model, hosts) in MODELS {
        let [narrow, none] = [Some(1), None].map(|window| {
            run(&pair, &all_to_all(8, MessageOrder::Turns, parameters_of(model, hosts, window)))
        });
        assert_eq!((narrow.packets, narrow.hops), (none.packets, none.hops));
        assert!(narrow.cycles > none.cycles, "{model:?} {hosts:?}: {} {}", narrow.cycles, none.cycles);
    }
}
