//! How many packets of a host may be under way, against answers that are known by hand, in both models.

use crate::simulation::assert_near;
use crate::simulation::bench::{Bench, Hardware, UNIT, parameters};
use fabc::progress::Silent;
use fabc::sim::{Completion, Details, Hosts, Model, Order, Parameters, Traffic, read_trace, simulate};

/// Flits of a packet.
const PACKET: u32 = 6;

const MODELS: [(Model, Hosts); 4] = [
    (Model::Packet, Hosts::Unlimited),
    (Model::Packet, Hosts::Ports(1)),
    (Model::Packet, Hosts::Ports(2)),
    (Model::Flit, Hosts::Ports(1)),
];

/// So far apart that a packet alone is more way than flits.
const FAR: Hardware = Hardware { link: 40, ..UNIT };

fn of(model: Model, hosts: Hosts, window: Option<u32>) -> Parameters {
    Parameters {
        model,
        hosts: Some(hosts),
        window,
        injection: 7,
        warmup: None,
        measure: None,
        ..parameters(1)
    }
}

fn run(bench: &Bench, parameters: &Parameters) -> Completion {
    let mut report = simulate(&bench.prepared(parameters).unwrap(), &[], &[1], false, &Silent).unwrap();
    report.completions.remove(0)
}

fn all_to_all(packets: u64, order: Order, rest: Parameters) -> Parameters {
    let details =
        Details { bytes: Some(packets * u64::from(PACKET) * 64), order: Some(order), ..Details::default() };
    Parameters { traffic: Traffic::AllToAll, details, ..rest }
}

/// Cycles over a row of five routers from where a packet may leave its host to its last flit.
fn round(model: Model) -> u32 {
    let way = 4 * (UNIT.router + UNIT.link) + PACKET - 1;
    if model == Model::Flit { way + UNIT.router } else { way - UNIT.router }
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
            let details = Details { trace: Some(trace.clone()), ..Details::default() };
            run(&row, &Parameters { traffic: Traffic::Trace, details, ..of(model, hosts, window) }).cycles
        };
        let (lead, round) = (if model == Model::Flit { 7 } else { 7 + UNIT.router }, round(model));
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
            let asked = Parameters { model, hosts: Some(hosts), window: Some(window), ..parameters(60_000) };
            let most = f64::from(window * PACKET) / f64::from(round(model));
            let found = row.point(&asked, offered).unwrap();
            assert_near("accepted", found.accepted, most.min(offered.parse().unwrap()), 0.01);
        }
    }
}

/// Everything arrives, a wide window is none, and a narrow one costs time.
#[test]
fn exchanges_end_under_any_window() {
    let ring = Bench::ring(FAR, 7);
    for (model, hosts) in MODELS {
        for order in [Order::Shift, Order::Barrier, Order::Turns] {
            let [narrow, some, wide, none] = [Some(1), Some(4), Some(1 << 20), None]
                .map(|window| run(&ring, &all_to_all(20, order, of(model, hosts, window))));
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

/// Of two ports that share a window neither waits until the other has nothing more to send.
#[test]
fn ports_share_a_window() {
    let star = Bench::tree(UNIT, &[0, 0, 0], &[0, 1, 1, 1]);
    let both = "0,0,1,600\n0,0,2,600\n";
    let one = "0,0,1,600\n";
    for model in [Model::Packet, Model::Flit] {
        let of = |text: &str| {
            let details =
                Details { trace: Some(read_trace("test.csv", text).unwrap()), ..Details::default() };
            run(
                &star,
                &Parameters { traffic: Traffic::Trace, details, ..of(model, Hosts::Ports(2), Some(1)) },
            )
        };
        let (both, one) = (of(both), of(one));
        assert!(
            both.cycles.abs_diff(2 * one.cycles) <= 2 * (7 + UNIT.router),
            "{} and {}",
            both.cycles,
            one.cycles
        );
        // Packets of both wait alike: their latencies are those of every other turn.
        let [mean, alone] = [&both, &one].map(|run| run.delays.unwrap().mean().as_f64());
        assert!(mean > 1.5 * alone && mean < 2.5 * alone, "{model:?}: {mean} and {alone}");
    }
}

/// Several hosts of a router, and what stays there.
#[test]
fn hosts_have_windows_of_their_own() {
    let pair = Bench::tree(FAR, &[0], &[3, 2]);
    for (model, hosts) in MODELS {
        let [narrow, none] =
            [Some(1), None].map(|window| run(&pair, &all_to_all(8, Order::Turns, of(model, hosts, window))));
        assert_eq!((narrow.packets, narrow.hops), (none.packets, none.hops));
        assert!(narrow.cycles > none.cycles, "{model:?} {hosts:?}: {} {}", narrow.cycles, none.cycles);
    }
}
