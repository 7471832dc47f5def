//! Reads `certificates.json`.

use super::read::{contradiction, tagged};
use super::{CERTIFICATES, Files};
use crate::CheckError;
use crate::faults::{ToleratedFault, tolerated};
use fabc_base::ids::{NodeId, OcsId};
use fabc_base::limits;
use fabc_ir::read::{Certificates, FlowLine, ScenarioLine};
use fabc_ir::{FlowCertificate, Topology};
use fabc_model::{Fabric, Pod};

/// What the file claims; nothing of it is checked yet, except that it names things that exist.
pub(super) struct Claims {
    /// Of the healthy fabric; none of a large network.
    pub(super) flow: Option<FlowCertificate>,
    pub(super) trees: Vec<Vec<OcsId>>,
    /// Of a network: one half of its routers, and how many links at least run between any two.
    pub(super) bisection: Option<(Vec<NodeId>, u64)>,
    /// A scenario of the pod, and what is claimed for it.
    pub(super) scenarios: Vec<Claimed>,
}

/// What is claimed for one scenario.
pub(super) struct Claimed {
    pub(super) scenario: ToleratedFault,
    pub(super) line: ScenarioLine,
    /// The flow of a fault, if it is listed.
    pub(super) flow: Option<FlowCertificate>,
}

/// Reads the claims. `complete` says that every tolerated fault must be there.
pub(super) fn certificates(
    files: &Files,
    fabric: &Fabric,
    topology: &Topology,
    complete: bool,
) -> Result<Claims, CheckError> {
    let file: Certificates = tagged(files, CERTIFICATES)?;
    let wrong = |place: String, what: String| Err(contradiction(CERTIFICATES, place, what));
    let most = match fabric.routing.is_scheduled() && !fabric.requires_flow() {
        true => limits::SCHEDULED_FLOW_ENTRIES,
        false => limits::FLOW_ENTRIES,
    };
    let listed = fabric.pod().is_some() || entries(topology) <= u128::from(most);
    let flow = match (file.flow, listed) {
        (Some(flow), true) => Some(certificate(flow, "flow", fabric, topology)?),
        (None, false) => None,
        (None, true) => return wrong("flow".to_owned(), "is missing".to_owned()),
        (Some(_), false) => {
            return wrong("flow".to_owned(), "is listed, but no build of such a network lists it".to_owned());
        }
    };
    let trees = match (fabric.pod(), &file.trees) {
        (Some(pod), Some(trees)) => self::trees(pod, trees)?,
        (Some(_), None) => return wrong("trees".to_owned(), "is missing".to_owned()),
        (None, Some(_)) => {
            return wrong("trees".to_owned(), "are sets of switches, but a network has none".to_owned());
        }
        (None, None) => Vec::new(),
    };
    if fabric.pod().is_some() && file.bisection.is_some() {
        return wrong("bisection".to_owned(), "is measured of networks, but this is a pod".to_owned());
    }
    let bisection = file.bisection.map(|line| (line.half, line.least));
    let all = tolerated(fabric, || Ok(topology))?;
    let mut claimed = Vec::new();
    let mut left = all.iter();
    for (k, mut line) in file.scenarios.into_iter().enumerate() {
        let flow = line
            .flow
            .take()
            .map(|flow| certificate(flow, &format!("scenarios[{k}].flow"), fabric, topology))
            .transpose()?;
        match left.find(|scenario| scenario.name == line.scenario && (k > 0 || scenario.is_healthy())) {
            Some(scenario) => claimed.push(Claimed { scenario: scenario.clone(), line, flow }),
            None => {
                return wrong(
                    format!("scenarios[{k}]"),
                    format!("`{}` is no scenario of the spec, or not in order", line.scenario),
                );
            }
        }
    }
    if claimed.is_empty() || (complete && claimed.len() != all.len()) {
        let first =
            all.iter().find(|scenario| claimed.iter().all(|other| other.scenario.name != scenario.name));
        let first = first.map_or("nominal", |scenario| scenario.name.as_str());
        return wrong(
            "scenarios".to_owned(),
            format!("has {} scenarios, but the spec has {}: `{first}` is missing", claimed.len(), all.len()),
        );
    }
    Ok(Claims { flow, trees, bisection, scenarios: claimed })
}

/// Integers that a flow of all sources would be.
fn entries(topology: &Topology) -> u128 {
    topology.symmetry().canonical_nodes().count() as u128 * 2 * topology.links().len() as u128
}

/// Sets of switches, by their names.
fn trees(pod: &Pod, named: &[Vec<String>]) -> Result<Vec<Vec<OcsId>>, CheckError> {
    let id = |k: usize, name: &String| {
        let found = pod.ocses.enumerate().find(|(_, ocs)| ocs.name == *name).map(|(id, _)| id);
        let unknown = || {
            contradiction(
                CERTIFICATES,
                format!("trees[{k}]"),
                format!("names {name}, which the spec does not declare"),
            )
        };
        found.ok_or_else(unknown)
    };
    named.iter().enumerate().map(|(k, names)| names.iter().map(|name| id(k, name)).collect()).collect()
}

/// A flow from every canonical router.
fn certificate(
    line: FlowLine,
    place: &str,
    fabric: &Fabric,
    topology: &Topology,
) -> Result<FlowCertificate, CheckError> {
    let wrong = |place: String, what: String| Err(contradiction(CERTIFICATES, place, what));
    let canonical: Vec<_> =
        topology.symmetry().canonical_nodes().filter(|&node| topology.is_endpoint(node)).collect();
    if line.flows.len() != canonical.len() {
        let what = format!("has {} sources, but {} routers are canonical", line.flows.len(), canonical.len());
        return wrong(format!("{place}.flows"), what);
    }
    for (k, (line, node)) in line.flows.iter().zip(canonical).enumerate() {
        if line.source != node.0 {
            let what = format!("says {}, but canonical router {node} stands there", line.source);
            return wrong(format!("{place}.flows[{k}].source"), what);
        }
    }
    let flows = line.flows.into_iter().map(|line| line.units).collect();
    Ok(FlowCertificate {
        demand: line.demand,
        mirrored: fabric.demand.is_symmetric() && !topology.has_simplex(),
        busiest: line.busiest,
        parts: topology.capacities().parts(),
        flows,
    })
}
