//! `certificates.json` (`fabc.certificates/1`).

use super::json::formats;
use crate::{Permutation, PermutationDual};
use fabc_base::ids::NodeId;
use serde::Deserialize;

formats! { Certificates = "fabc.certificates/1"; }

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificates {
    format: String,
    /// The flow of the healthy fabric. Large networks list none.
    #[serde(default)]
    pub flow: Option<FlowLine>,
    /// Spanning trees, as names of OCSes. Pods only.
    #[serde(default)]
    pub trees: Option<Vec<Vec<String>>>,
    /// The bisection of a network. Networks only.
    #[serde(default)]
    pub bisection: Option<BisectionLine>,
    /// One side of the bisection between hosts. Networks only.
    #[serde(default)]
    pub host_bisection: Option<Vec<NodeId>>,
    pub scenarios: Vec<CertifiedScenario>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowLine {
    pub demand: u64,
    pub busiest: u64,
    pub flows: Vec<FlowSourceLine>,
}

#[derive(Deserialize)]
#[serde(rename = "SourceLine", deny_unknown_fields)]
pub struct FlowSourceLine {
    pub source: u32,
    pub units: Vec<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BisectionLine {
    pub least: u64,
    pub half: Vec<NodeId>,
    /// The width, where a search of all halves found it.
    #[serde(default)]
    pub searched: Option<u64>,
    /// Weights of the routers that prove more.
    #[serde(default)]
    pub weights: Option<CutWeightsLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CutWeightsLine {
    pub least: u64,
    pub lift: u64,
    pub diagonal: Vec<i64>,
    pub demands: Vec<PathDemandLine>,
}

/// Hops, routers with hosts, and the demand of a pair: `[2,1,51760]`.
#[derive(Deserialize)]
pub struct PathDemandLine(pub u8, pub u8, pub u64);

#[derive(Deserialize)]
#[serde(rename = "ScenarioLine", deny_unknown_fields)]
pub struct CertifiedScenario {
    pub scenario: String,
    pub lengths: Vec<u64>,
    #[serde(default)]
    pub flow: Option<FlowLine>,
    /// Lengths that prove a bound on the load of shortest routes.
    #[serde(default)]
    pub shortest: Option<Vec<u64>>,
    pub canonical: bool,
    #[serde(default)]
    pub ranks: Vec<u32>,
    /// The worst permutation of hosts, where packets are sprayed.
    #[serde(default)]
    pub permutation: Option<PermutationLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PermutationLine {
    pub load: u64,
    pub parts: u64,
    pub router: u32,
    pub port: u16,
    pub flows: Vec<[u32; 3]>,
    pub duals: Vec<PermutationDualLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PermutationDualLine {
    pub router: u32,
    pub port: u16,
    pub denominator: u64,
    pub sources: Vec<u64>,
    pub destinations: Vec<u64>,
}

impl PermutationLine {
    /// The permutation that the line claims.
    pub fn permutation(&self) -> Permutation {
        let dual = |line: &PermutationDualLine| PermutationDual {
            channel: (NodeId(line.router), line.port),
            denominator: line.denominator,
            sources: line.sources.clone(),
            destinations: line.destinations.clone(),
        };
        let flow = |&[from, to, count]: &[u32; 3]| (NodeId(from), NodeId(to), count);
        Permutation {
            load: self.load,
            parts: self.parts,
            channel: (NodeId(self.router), self.port),
            flows: self.flows.iter().map(flow).collect(),
            duals: self.duals.iter().map(dual).collect(),
        }
    }
}
