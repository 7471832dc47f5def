//! Messages that wait for others, against answers that are known by hand, in both models.

use crate::simulation::bench::{Bench, UNIT};
use crate::simulation::finite::{MODELS, all_to_all, parameters_of, run, traced};
use fabc::sim::{HostPorts, PacketRouting, RouterModel, RoutingSettings, SimulationParameters};
use std::fmt::Write;

/// Cycles of a packet over one hop: router, link, and the last flit. In the flit model the last router, too.
fn one_hop(model: RouterModel) -> u32 {
    let last = if model == RouterModel::Flit { 3 } else { 0 };
    4 + last + 5
}

#[test]
fn a_chain_takes_the_sum_of_its_parts() {
    let row = Bench::tree(UNIT, &[0, 1, 2], &[1, 1, 1, 1]);
    for (model, hosts) in MODELS {
        let alone = one_hop(model);
        // There and back, then a computation of 1000 cycles, then on.
        let text = "cycle,src,dst,flits,after\n10,0,1,6,\n0,1,0,6,1\n1000,0,0,0,2\n7,0,1,6,3\n";
        assert_eq!(run(&row, &traced(text, parameters_of(model, hosts))).cycles, 10 + alone * 3 + 1000 + 7);
        // A run can end with a wait, and one of nothing but waits needs no network.
        let ends = run(&row, &traced("0,0,1,6\n500,0,0,0,1\n", parameters_of(model, hosts)));
        assert_eq!((ends.cycles, ends.packets), (alone + 500, 1));
    }
}

/// The last of several counts. Who waits for nothing goes on.
#[test]
fn a_message_waits_for_the_last_of_its_list() {
    let row = Bench::tree(UNIT, &[0, 1, 2], &[1, 1, 1, 1]);
    for (model, hosts) in MODELS {
        let alone = one_hop(model);
        let text = "0,0,1,6\n300,2,1,6\n0,1,2,6,1 2\n0,1,0,6,1\n";
        let both = run(&row, &traced(text, parameters_of(model, hosts)));
        assert_eq!(both.cycles, 300 + 2 * alone, "{model:?}");
        assert_eq!(both.delays.unwrap().sum, 4 * u64::from(alone), "nobody stands in anybody's way");
    }
}

/// A phase of an all-to-all begins when the one before it has arrived everywhere: `order = barrier` says so
/// to the simulator, and a trace says it with a wait.
#[test]
fn phases_with_waits_are_phases_with_barriers() {
    let ring = Bench::ring(UNIT, 5);
    let packets = 7u64;
    let mut text = String::from("cycle,src,dst,flits,after\n");
    let mut wait = String::new();
    for phase in 1..5 {
        (0..5).for_each(|from| {
            writeln!(text, "0,{from},{},{},{wait}", (from + phase) % 5, packets * 6).unwrap()
        });
        // Messages are numbered from 1 on, and every phase has six of them.
        let first = (phase - 1) * 6 + 1;
        let all: Vec<String> = (first..first + 5).map(|number| number.to_string()).collect();
        writeln!(text, "0,0,0,0,{}", all.join(" ")).unwrap();
        wait = (first + 5).to_string();
    }
    for (model, hosts) in MODELS {
        let with_waits = run(&ring, &traced(&text, parameters_of(model, hosts)));
        let with_barriers = run(&ring, &all_to_all(packets, true, parameters_of(model, hosts)));
        assert_eq!(with_waits.cycles, with_barriers.cycles, "{model:?} {hosts:?}");
        assert_eq!((with_waits.packets, with_waits.hops), (with_barriers.packets, with_barriers.hops));
    }
}

/// A ring of chips that hand on what they received, as a gather does: every step takes the time of a message
/// alone, since all channels are free when it begins.
#[test]
fn a_gather_around_a_ring() {
    let chips = 6;
    let ring = Bench::ring(UNIT, chips);
    let packets = 4;
    let mut text = String::from("cycle,src,dst,flits,after\n");
    for step in 0..chips - 1 {
        for from in 0..chips {
            // What came in the step before came from the chip before.
            let before = (from + chips - 1) % chips;
            let after = if step == 0 { String::new() } else { ((step - 1) * chips + before + 1).to_string() };
            writeln!(text, "0,{from},{},{},{after}", (from + 1) % chips, packets * 6).unwrap();
        }
    }
    for (model, hosts) in MODELS.into_iter().filter(|(model, _)| *model == RouterModel::Packet) {
        let gather = run(&ring, &traced(&text, parameters_of(model, hosts)));
        assert_eq!(gather.cycles, 5 * (4 + packets * 6 - 1), "{hosts:?}");
    }
}

/// Two links between two routers. The tables take one of them for all packets.
#[test]
fn messages_leave_by_the_ports_that_they_name() {
    let pair = Bench::ring(UNIT, 2);
    let packets = 10;
    let cycles = |ports: [&str; 2]| {
        let lines = ports.map(|port| format!("0,0,1,{},,{port}\n", packets * 6)).concat();
        run(&pair, &traced(&lines, parameters_of(RouterModel::Packet, HostPorts::Unlimited))).cycles
    };
    let alone = one_hop(RouterModel::Packet) + (packets - 1) * 6;
    assert_eq!(cycles(["0", "1"]), alone, "a link each");
    assert_eq!(cycles(["1", "1"]), alone + packets * 6, "one after the other");
    // In the flit model a host has a port for messages to each of two others: to 1 by one link, and to 0 back
    // by the other.
    let crossing = run(
        &pair,
        &traced("0,0,1,60,,1\n0,1,0,60,,0\n", parameters_of(RouterModel::Flit, HostPorts::Ports(1))),
    );
    let by_tables =
        run(&pair, &traced("0,0,1,60\n0,1,0,60\n", parameters_of(RouterModel::Flit, HostPorts::Ports(1))));
    assert_eq!((crossing.cycles, crossing.hops), (by_tables.cycles, by_tables.hops));
    assert_ne!(crossing.busiest.0, by_tables.busiest.0, "another channel");
}

#[test]
fn ports_that_lead_elsewhere_are_refused() {
    let ring = Bench::ring(UNIT, 5);
    for (line, message, help) in [
        ("0,0,1,6,,1", "test.csv:1: port 1 of router0 does not lead to router1", "its ports that do: 0"),
        (
            "0,0,2,6,,0",
            "test.csv:1: port 0 of router0 does not lead to router2",
            "leave the port out: no lit link leads from router0 to router2",
        ),
        (
            "0,0,1,6,,70000",
            "test.csv:1: port 65535 of router0 does not lead to router1",
            "its ports that do: 0",
        ),
    ] {
        let parameters = traced(line, parameters_of(RouterModel::Packet, HostPorts::Unlimited));
        let error = ring.prepared(&parameters).err().expect("no such port");
        assert_eq!(error.to_string(), message);
        assert_eq!(miette::Diagnostic::help(&error).expect("a hint").to_string(), help);
    }
    let choosing = RoutingSettings { routing: Some(PacketRouting::Min), ..RoutingSettings::default() };
    let parameters = SimulationParameters {
        lanes: None,
        choosing,
        ..traced("0,0,1,6,,0", parameters_of(RouterModel::Packet, HostPorts::Ports(1)))
    };
    let error = ring.prepared(&parameters).err().expect("packets choose");
    assert_eq!(error.to_string(), "test.csv:1: it leaves by port 0, and packets choose their ways");
}
