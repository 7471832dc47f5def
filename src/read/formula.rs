//! `formula.json` (`fabc.formula/1`): what routers need to work out next hops.

use super::json::formats;
use serde::Deserialize;

formats! { FormulaFile = "fabc.formula/1"; }

/// The keys of all families; which of them a family has is for whoever reads.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FormulaFile {
    format: String,
    pub(crate) fabric: String,
    pub(crate) family: String,
    pub(crate) routers: u32,
    pub(crate) ports: u16,
    pub(crate) vc: VcLine,
    /// Of grids: routers along every axis.
    pub(crate) sides: Option<Vec<u32>>,
    /// Of hypercubes: bits of a number.
    pub(crate) dimensions: Option<u32>,
    /// Of dragonflies: routers of a group.
    pub(crate) group: Option<u32>,
    /// Of dragonflies: `[router][global port]`, the router at the other end; `null` where the port is dark.
    pub(crate) across: Option<Vec<Vec<Option<u32>>>>,
    pub(crate) field: Option<FieldLine>,
    pub(crate) supernode: Option<SupernodeLine>,
    /// Of PolarStars: `[point]`.
    pub(crate) vectors: Option<Vec<[u32; 3]>>,
}

/// How a packet finds its virtual channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum VcLine {
    Single,
    Dateline,
    Hop,
    Global,
}

/// A finite field.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FieldLine {
    pub(crate) order: u32,
    /// Coefficients, the constant one first.
    pub(crate) modulus: Vec<u32>,
    pub(crate) generator: u32,
}

/// What stands in every point, and how two of them are joined.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SupernodeLine {
    /// `[a]`: f(a).
    pub(crate) f: Vec<u32>,
    pub(crate) links: Vec<[u32; 2]>,
}
