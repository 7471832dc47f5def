//! `certificates.json` (`fabc.certificates/1`).

use super::json::formats;
use fabc_base::ids::NodeId;
use serde::Deserialize;

formats! { Certificates = "fabc.certificates/1"; }

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificates {
    format: String,
    /// Of the healthy fabric; none of a large network.
    #[serde(default)]
    pub flow: Option<FlowLine>,
    /// Of pods only.
    #[serde(default)]
    pub trees: Option<Vec<Vec<String>>>,
    /// Of networks only.
    #[serde(default)]
    pub bisection: Option<BisectionLine>,
    pub scenarios: Vec<ScenarioLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowLine {
    pub demand: u64,
    pub busiest: u64,
    pub flows: Vec<SourceLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceLine {
    pub source: u32,
    pub units: Vec<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BisectionLine {
    pub least: u64,
    pub half: Vec<NodeId>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScenarioLine {
    pub scenario: String,
    pub lengths: Vec<u64>,
    #[serde(default)]
    pub flow: Option<FlowLine>,
    pub canonical: bool,
    #[serde(default)]
    pub ranks: Vec<u32>,
}
