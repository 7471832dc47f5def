//! Reads `certificates.json`.

use super::read::{Certificates, ScenarioLine, contradiction, tagged};
use super::{CERTIFICATES, Files};
use crate::check::CheckError;
use crate::ids::OcsId;
use crate::ir::{FlowCertificate, Scenario, Topology};
use crate::model::Pod;

/// What the file claims; nothing of it is checked yet, except that it names things that exist.
pub(super) struct Claims {
    pub(super) flow: FlowCertificate,
    pub(super) trees: Vec<Vec<OcsId>>,
    /// A scenario of the pod, and what is claimed for it.
    pub(super) scenarios: Vec<(Scenario, ScenarioLine)>,
}

/// Reads the claims. `complete` says that every tolerated fault must be there.
pub(super) fn certificates(files: &Files, pod: &Pod, topology: &Topology, complete: bool) -> Result<Claims, CheckError> {
    let file: Certificates = tagged(files, CERTIFICATES)?;
    let wrong = |place: String, what: String| Err(contradiction(CERTIFICATES, place, what));
    let canonical = topology.symmetry().canonical_nodes();
    if file.flow.flows.len() != canonical.len() {
        return wrong(
            "flow.flows".to_owned(),
            format!("has {} sources, but {} routers are canonical", file.flow.flows.len(), canonical.len()),
        );
    }
    for (k, (line, node)) in file.flow.flows.iter().zip(canonical).enumerate() {
        if line.source != node.0 {
            return wrong(format!("flow.flows[{k}].source"), format!("says {}, but canonical router {node} stands there", line.source));
        }
    }
    let mut trees = Vec::new();
    for (k, names) in file.trees.iter().enumerate() {
        let mut set = Vec::new();
        for name in names {
            match pod.ocses.enumerate().find(|(_, ocs)| ocs.name == *name) {
                Some((id, _)) => set.push(id),
                None => return wrong(format!("trees[{k}]"), format!("names {name}, which the spec does not declare")),
            }
        }
        trees.push(set);
    }
    let expected = Scenario::all(pod, topology);
    let mut claimed = Vec::new();
    let mut left = expected.into_iter();
    for (k, line) in file.scenarios.into_iter().enumerate() {
        match left.find(|scenario| scenario.name == line.scenario && (k > 0 || scenario.is_nominal())) {
            Some(scenario) => claimed.push((scenario, line)),
            None => return wrong(format!("scenarios[{k}]"), format!("`{}` is no scenario of the spec, or not in order", line.scenario)),
        }
    }
    let all = Scenario::all(pod, topology);
    if claimed.is_empty() || (complete && claimed.len() != all.len()) {
        let first = all.iter().find(|scenario| claimed.iter().all(|(other, _)| other.name != scenario.name));
        let first = first.map_or("nominal", |scenario| scenario.name.as_str());
        return wrong(
            "scenarios".to_owned(),
            format!("has {} scenarios, but the spec has {}: `{first}` is missing", claimed.len(), all.len()),
        );
    }
    let flow = FlowCertificate {
        demand: file.flow.demand,
        mirrored: pod.demand.is_symmetric(),
        busiest: file.flow.busiest,
        flows: file.flow.flows.into_iter().map(|line| line.units).collect(),
    };
    Ok(Claims { flow, trees, scenarios: claimed })
}
