//! `formula.json` (`fabc.formula/1`): what routers need to compute next hops.

use super::json::formats;
use serde::Deserialize;

formats! { FormulaFile = "fabc.formula/1"; }

/// The keys of all families. The caller decides which of them a family must have.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormulaFile {
    format: String,
    pub fabric: String,
    pub family: String,
    pub routers: u32,
    pub ports: u16,
    pub vc: VcLine,
    /// For grids: routers along every axis.
    pub sides: Option<Vec<u32>>,
    /// For hypercubes: bits of a router's number.
    pub dimensions: Option<u32>,
    /// For dragonflies: routers of a group.
    pub group: Option<u32>,
    /// For dragonflies: `[router][global port]`, the router at the other end. `null` where the port is dark.
    pub across: Option<Vec<Vec<Option<u32>>>>,
    pub field: Option<FieldLine>,
    pub supernode: Option<SupernodeLine>,
    /// For PolarStars: `[point]`, the coordinates of its vector.
    pub vectors: Option<Vec<[u32; 3]>>,
}

/// How a packet finds its virtual channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VcLine {
    Single,
    Dateline,
    Hop,
    Global,
}

/// The finite field of a PolarStar.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldLine {
    pub order: u32,
    /// Coefficients of the modulus, the constant one first.
    pub modulus: Vec<u32>,
    pub generator: u32,
}

/// The graph at every point, and how two of them are joined.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SupernodeLine {
    /// `[a]`: f(a), the place that a is joined to.
    pub f: Vec<u32>,
    pub links: Vec<[u32; 2]>,
}
