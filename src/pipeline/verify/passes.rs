//! Checks that the report names the passes that the spec calls for, each with a possible end.

use fabc_check::{CheckError, ProvedScenario};
use fabc_ir::{NetworkMetrics, PassRecord, STOPPED_BY, StopReason, Topology};
use fabc_model::{Fabric, Plant, TopologyChoice};

/// All contradictions in the records of the passes. How much work each of them did is taken on trust.
pub(super) fn record_errors(
    fabric: &Fabric,
    topology: &Topology,
    network: Option<&NetworkMetrics>,
    scenarios: &[ProvedScenario],
    passes: &[PassRecord],
) -> Vec<CheckError> {
    let plant: &[&str] = match &fabric.plant {
        Plant::Network(network) => &[network.family.name()],
        Plant::Pod(pod) => match pod.topology {
            TopologyChoice::Torus(_) => &["torus", "limit"],
            TopologyChoice::TwistedTorus(_) => &["twisted_torus", "limit"],
            TopologyChoice::CrossConnects { .. } => &["cross_connects", "limit"],
            TopologyChoice::Synthesize(_) | TopologyChoice::SynthesizeNear(_) => &["synthesize", "limit"],
        },
    };
    let routed = scenarios[0].certified.has_tables().then_some(fabric.routing.name());
    let bisection = network.and_then(|network| network.bisection.as_ref());
    let placed = fabric.floor.as_ref().map(|_| "place");
    let measured = bisection.map(|_| "bisection");
    let expected: Vec<&str> =
        plant.iter().copied().chain(placed).chain(measured).chain(["flow"]).chain(routed).collect();
    let error = |place: String, claimed: &str, measured: String| CheckError::Report {
        place,
        claimed: claimed.to_owned(),
        measured,
    };
    let named: Vec<&str> = passes.iter().map(|pass| pass.name.as_str()).collect();
    if named != expected {
        return vec![error("passes".to_owned(), &named.join(", "), expected.join(", "))];
    }
    let mut errors = Vec::new();
    for (k, pass) in passes.iter().enumerate() {
        let known = match pass.name.as_str() {
            "limit" | "place" => pass.stopped_by == "done",
            "bisection" => {
                let is_met = bisection.is_some_and(|bisection| {
                    let by_weights = bisection.weights.as_ref().map_or(0, |weights| weights.least);
                    bisection.by_spectrum.max(bisection.by_search).max(by_weights) == bisection.at_most
                });
                pass.stopped_by == if is_met { "optimal" } else { "budget" }
            }
            "flow" => stop_reason(&pass.stopped_by).is_some(),
            _ => STOPPED_BY.contains(&pass.stopped_by.as_str()),
        };
        if !known {
            errors.push(error(
                format!("passes[{k}].stopped_by"),
                &pass.stopped_by,
                "no end that this pass can have".to_owned(),
            ));
        }
    }
    let mut check_counter = |k: usize, counter: &str, measured: u64| {
        let claimed = passes[k].counters.iter().find(|(name, _)| name == counter).map(|(_, count)| *count);
        if claimed != Some(measured) {
            let claimed = claimed.map_or("nothing".to_owned(), |count| count.to_string());
            errors.push(error(format!("passes[{k}].counters.{counter}"), &claimed, measured.to_string()));
        }
    };
    check_counter(0, "symmetry_order", topology.symmetry().order() as u64);
    let flaws = match &fabric.plant {
        Plant::Network(network) => fabc_check::draw_shortfall(network, topology),
        Plant::Pod(_) => None,
    };
    if let Some((counter, count)) = flaws {
        check_counter(0, counter, count);
    }
    if routed.is_some() {
        check_counter(passes.len() - 1, "scenarios", scenarios.len() as u64);
    }
    errors
}

/// The rounds of the flow and the reason why it stopped, from its record.
pub(super) fn flow_record(passes: &[PassRecord]) -> (u32, StopReason) {
    let record = passes.iter().find(|pass| pass.name == "flow");
    let rounds = record.and_then(|pass| pass.counters.iter().find(|(name, _)| name == "rounds"));
    let rounds = rounds.and_then(|(_, count)| u32::try_from(*count).ok()).unwrap_or(0);
    (rounds, record.and_then(|pass| stop_reason(&pass.stopped_by)).unwrap_or(StopReason::Budget))
}

fn stop_reason(name: &str) -> Option<StopReason> {
    [StopReason::Optimal, StopReason::Gap, StopReason::Budget]
        .into_iter()
        .find(|reason| reason.name() == name)
}
