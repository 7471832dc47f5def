//! Reads `certificates.json`.

use super::read::{contradiction, tagged};
use super::{CERTIFICATES, Files};
use crate::CheckError;
use crate::faults::{ToleratedFault, tolerated_faults};
use crate::network::BisectionClaim;
use fabc_base::ids::{NodeId, OcsId};
use fabc_base::limits;
use fabc_ir::read::{
    BisectionLine, Certificates, CertifiedScenario, CutWeightsLine, FlowLine, PathDemandLine,
};
use fabc_ir::{CutWeights, FlowCertificate, PathDemand, Topology};
use fabc_model::{Fabric, Pod};

/// The claims of the file. Only the names in them have been verified so far.
pub(super) struct CertificateClaims {
    /// The flow of the healthy fabric. A large network has none.
    pub(super) flow: Option<FlowCertificate>,
    pub(super) trees: Vec<Vec<OcsId>>,
    /// For a network: one half of its routers, and lower bounds on the links between any two halves.
    pub(super) bisection: Option<BisectionClaim>,
    /// For a network: one side of the bisection between hosts.
    pub(super) host_side: Option<Vec<NodeId>>,
    /// The claims of each scenario, in order.
    pub(super) scenarios: Vec<ClaimedScenario>,
}

/// The claims for one scenario.
pub(super) struct ClaimedScenario {
    pub(super) scenario: ToleratedFault,
    pub(super) line: CertifiedScenario,
    /// The flow under this fault, if the file lists it.
    pub(super) flow: Option<FlowCertificate>,
}

/// Reads the claims. With `complete`, every tolerated fault must be in the file.
pub(super) fn read_certificates(
    files: &Files,
    fabric: &Fabric,
    topology: &Topology,
    complete: bool,
) -> Result<CertificateClaims, CheckError> {
    let file: Certificates = tagged(files, CERTIFICATES)?;
    let reject = |place: String, violation: String| Err(contradiction(CERTIFICATES, place, violation));
    let max_entries = match fabric.routing.is_scheduled() && !fabric.requires_flow() {
        true => limits::SCHEDULED_FLOW_ENTRIES,
        false => limits::FLOW_ENTRIES,
    };
    let listed = fabric.pod().is_some() || flow_entries(topology) <= u128::from(max_entries);
    let flow = match (file.flow, listed) {
        (Some(flow), true) => Some(read_flow(flow, "flow", fabric, topology)?),
        (None, false) => None,
        (None, true) => return reject("flow".to_owned(), "is missing".to_owned()),
        (Some(_), false) => {
            return reject(
                "flow".to_owned(),
                "is listed, but no build of such a network lists it".to_owned(),
            );
        }
    };
    let trees = match (fabric.pod(), &file.trees) {
        (Some(pod), Some(trees)) => self::read_trees(pod, trees)?,
        (Some(_), None) => return reject("trees".to_owned(), "is missing".to_owned()),
        (None, Some(_)) => {
            return reject(
                "trees".to_owned(),
                "are sets of switches, but a network has no switches".to_owned(),
            );
        }
        (None, None) => Vec::new(),
    };
    if fabric.pod().is_some() && (file.bisection.is_some() || file.host_bisection.is_some()) {
        return reject("bisection".to_owned(), "is measured for networks, but this is a pod".to_owned());
    }
    let bisection = file.bisection.map(read_bisection);
    let tolerated_faults = tolerated_faults(fabric, || Ok(topology))?;
    let mut claimed = Vec::new();
    let mut remaining = tolerated_faults.iter();
    for (k, mut line) in file.scenarios.into_iter().enumerate() {
        let flow = line
            .flow
            .take()
            .map(|flow| read_flow(flow, &format!("scenarios[{k}].flow"), fabric, topology))
            .transpose()?;
        match remaining.find(|scenario| scenario.name == line.scenario && (k > 0 || scenario.is_healthy())) {
            Some(scenario) => claimed.push(ClaimedScenario { scenario: scenario.clone(), line, flow }),
            None => {
                return reject(
                    format!("scenarios[{k}]"),
                    format!("`{}` is not a scenario of the spec, or is out of order", line.scenario),
                );
            }
        }
    }
    if claimed.is_empty() || (complete && claimed.len() != tolerated_faults.len()) {
        let first = tolerated_faults
            .iter()
            .find(|scenario| claimed.iter().all(|other| other.scenario.name != scenario.name));
        let first = first.map_or("nominal", |scenario| scenario.name.as_str());
        return reject(
            "scenarios".to_owned(),
            format!(
                "has {} scenarios, but the spec has {}: `{first}` is missing",
                claimed.len(),
                tolerated_faults.len()
            ),
        );
    }
    Ok(CertificateClaims { flow, trees, bisection, host_side: file.host_bisection, scenarios: claimed })
}

/// The claims about the bisection, as the file lists them.
fn read_bisection(BisectionLine { least, half, searched, weights }: BisectionLine) -> BisectionClaim {
    let demand = |PathDemandLine(hops, hosts, amount)| PathDemand { hops, hosts, amount };
    let weights = weights.map(|CutWeightsLine { least, lift, diagonal, demands }| CutWeights {
        least,
        lift,
        diagonal,
        demands: demands.into_iter().map(demand).collect(),
    });
    BisectionClaim { half, by_spectrum: least, by_search: searched.unwrap_or(0), weights }
}

/// The number of integers in a flow from all sources.
fn flow_entries(topology: &Topology) -> u128 {
    topology.symmetry().canonical_nodes().count() as u128 * 2 * topology.links().len() as u128
}

/// Reads sets of switches by their names.
fn read_trees(pod: &Pod, named: &[Vec<String>]) -> Result<Vec<Vec<OcsId>>, CheckError> {
    let id = |k: usize, name: &String| {
        let ocs = pod.ocses.enumerate().find(|(_, ocs)| ocs.name == *name).map(|(id, _)| id);
        let unknown = || {
            contradiction(
                CERTIFICATES,
                format!("trees[{k}]"),
                format!("names {name}, which the spec does not declare"),
            )
        };
        ocs.ok_or_else(unknown)
    };
    named.iter().enumerate().map(|(k, names)| names.iter().map(|name| id(k, name)).collect()).collect()
}

/// Reads a flow, which has one part per canonical router.
fn read_flow(
    line: FlowLine,
    place: &str,
    fabric: &Fabric,
    topology: &Topology,
) -> Result<FlowCertificate, CheckError> {
    let reject = |place: String, violation: String| Err(contradiction(CERTIFICATES, place, violation));
    let canonical: Vec<_> =
        topology.symmetry().canonical_nodes().filter(|&node| topology.is_endpoint(node)).collect();
    if line.flows.len() != canonical.len() {
        let violation =
            format!("has {} sources, but {} routers are canonical", line.flows.len(), canonical.len());
        return reject(format!("{place}.flows"), violation);
    }
    for (k, (line, node)) in line.flows.iter().zip(canonical).enumerate() {
        if line.source != node.0 {
            let violation = format!("says {}, but canonical router {node} stands there", line.source);
            return reject(format!("{place}.flows[{k}].source"), violation);
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
