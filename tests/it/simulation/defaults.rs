//! What a network does by default: its routers let a flow fill a link, and packets wait as theory has it.

use crate::simulation::assert_near;
use crate::simulation::bench::{Bench, Hardware, UNIT};
use fabc::sim::{RouterModel, SimulationParameters};

/// Everything by default but the cycles.
fn by_default(model: RouterModel, cycles: u32) -> SimulationParameters {
    SimulationParameters { model, warmup: Some(20_000), measure: Some(cycles), ..Default::default() }
}

#[test]
fn a_flow_fills_a_link() {
    for model in [RouterModel::Packet, RouterModel::Flit] {
        // One queue per port, and packets as short as a flit.
        for hardware in [UNIT, Hardware { vcs: 1, ..UNIT }] {
            let row = Bench::tree(hardware, &[0, 1], &[1, 0, 1]);
            for packet in [1, 2, 6] {
                let parameters = SimulationParameters { packet, ..by_default(model, 60_000) };
                let full = row.point(&parameters, "1").unwrap().accepted;
                assert_near(&format!("{} of {packet} flits", model.name()), full, 1.0, 0.01);
            }
        }
    }
}

/// A queue with geometric gaps and one length of service (Geo/D/1): the wait is rho (L - 1) / (2 (1 - rho)).
/// The port of a host is that queue, and behind it nothing waits.
#[test]
fn packets_wait_as_queueing_theory_has_it() {
    for model in [RouterModel::Packet, RouterModel::Flit] {
        for hardware in [UNIT, Hardware { vcs: 1, ..UNIT }] {
            let pair = Bench::tree(hardware, &[0], &[1, 1]);
            for (rho, wait, within) in [("0.5", 2.5, 0.03), ("0.8", 10.0, 0.03), ("0.9", 22.5, 0.06)] {
                let flow = pair.point(&by_default(model, 4_000_000), rho).unwrap();
                let waited = flow.mean - flow.least_cycles as f64;
                assert_near(&format!("{} at {rho}", model.name()), waited, wait, within);
            }
        }
    }
}

/// Eight hosts behind one switch, and a switch that has one queue per port.
#[test]
fn a_switch_with_one_queue_per_port_passes_most_of_what_ports_carry() {
    let star = Bench::tree(Hardware { vcs: 1, ..UNIT }, &[0; 8], &[0, 1, 1, 1, 1, 1, 1, 1, 1]);
    for model in [RouterModel::Packet, RouterModel::Flit] {
        let accepted = star.point(&by_default(model, 60_000), "1").unwrap().accepted;
        assert!(accepted > 0.88, "{}: {accepted}", model.name());
    }
}
