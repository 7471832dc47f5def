//! `certificates.json` (`fabc.certificates/1`).

use super::json::formats;
use crate::ids::NodeId;
use serde::Deserialize;

formats! { Certificates = "fabc.certificates/1"; }

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Certificates {
    format: String,
    /// Of the healthy fabric; none of a large network.
    #[serde(default)]
    pub(crate) flow: Option<FlowLine>,
    /// Of pods only.
    #[serde(default)]
    pub(crate) trees: Option<Vec<Vec<String>>>,
    /// Of networks only.
    #[serde(default)]
    pub(crate) bisection: Option<BisectionLine>,
    pub(crate) scenarios: Vec<ScenarioLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FlowLine {
    pub(crate) demand: u64,
    pub(crate) busiest: u64,
    pub(crate) flows: Vec<SourceLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SourceLine {
    pub(crate) source: u32,
    pub(crate) units: Vec<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BisectionLine {
    pub(crate) least: u64,
    pub(crate) half: Vec<NodeId>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScenarioLine {
    pub(crate) scenario: String,
    pub(crate) lengths: Vec<u64>,
    #[serde(default)]
    pub(crate) flow: Option<FlowLine>,
    pub(crate) canonical: bool,
    #[serde(default)]
    pub(crate) ranks: Vec<u32>,
}
