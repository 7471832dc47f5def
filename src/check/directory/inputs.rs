//! The copies of the files that the spec names.

use super::files::{Files, INPUTS};
use super::read;
use crate::check::CheckError;
use crate::model::{DemandShape, Fabric, Family, Near, Network, Plant, Pod, TopologyChoice};
use crate::syntax::{DEMAND_INPUT, GRAPH_INPUTS, graph_input};
use std::borrow::Cow;

/// What is wrong with an input that the spec does not name.
pub(super) const NO_INPUT: [(&str, &str); 4] = [
    (INPUTS, "does not belong here: the spec names no file of cross-connects"),
    (DEMAND_INPUT, "does not belong here: the spec names no demand matrix"),
    (GRAPH_INPUTS[0], "does not belong here: the spec names no such graph"),
    (GRAPH_INPUTS[1], "does not belong here: the spec names no such graph"),
];

/// The files that the spec names: where their copies stand, and what they must say.
pub(super) fn inputs(fabric: &Fabric) -> Vec<(&'static str, Cow<'_, str>)> {
    let matrix = matches!(fabric.demand.shape(), DemandShape::Matrix(_)).then(|| (DEMAND_INPUT, Cow::Owned(fabric.demand.csv())));
    let of_topology = match &fabric.plant {
        Plant::Pod(Pod { topology: TopologyChoice::CrossConnects { text, .. }, .. })
        | Plant::Pod(Pod { topology: TopologyChoice::SynthesizeNear(Near { text, .. }), .. }) => Some((INPUTS, text)),
        Plant::Network(Network { family: Family::Listed(listed), .. }) => Some((graph_input(&listed.path), &listed.text)),
        _ => None,
    };
    matrix.into_iter().chain(of_topology.map(|(path, text)| (path, Cow::Borrowed(text.as_str())))).collect()
}

/// Whether the copy of a file is what the spec was resolved with.
pub(super) fn same_input(files: &Files, path: &str, text: &str) -> Result<(), CheckError> {
    match read::bytes(files, path)? == text.as_bytes() {
        true => Ok(()),
        false => Err(read::contradiction(path, "", "is not the file that the spec was resolved with")),
    }
}
