//! The copies of the files that the spec names.

use super::files::Files;
use super::read;
use crate::CheckError;
use fabc_model::{DEMAND_INPUT, GRAPH_INPUTS, OCS_INPUT};
use fabc_model::{DemandShape, Fabric};
use std::borrow::Cow;

/// What is wrong with an input that the spec does not name.
pub(super) const NO_INPUT: [(&str, &str); 4] = [
    (OCS_INPUT, "does not belong here: the spec names no file of cross-connects"),
    (DEMAND_INPUT, "does not belong here: the spec names no demand matrix"),
    (GRAPH_INPUTS[0], "does not belong here: the spec names no such graph"),
    (GRAPH_INPUTS[1], "does not belong here: the spec names no such graph"),
];

/// The files that the spec names: where their copies stand, and what they must say.
pub(super) fn inputs(fabric: &Fabric) -> Vec<(Cow<'static, str>, Cow<'_, str>)> {
    let matrix = matches!(fabric.demand.shape(), DemandShape::Matrix(_))
        .then(|| (DEMAND_INPUT.into(), Cow::Owned(fabric.demand.csv())));
    let of_plant = fabric.plant.input().map(|(path, text)| (path.into(), Cow::Borrowed(text)));
    let pairs = fabric.collectives.iter().filter_map(|of| {
        let text = of.messages.as_ref()?.text.as_deref()?;
        Some((format!("inputs/pairs-{}.csv", of.name).into(), Cow::Borrowed(text)))
    });
    let traces = fabric.simulations.iter().filter_map(|of| {
        let trace = of.parameters.details.trace.as_ref()?;
        Some((format!("inputs/trace-{}.csv", of.name).into(), Cow::Borrowed(&*trace.text)))
    });
    matrix.into_iter().chain(of_plant).chain(pairs).chain(traces).collect()
}

/// Whether the copy of a file is what the spec was resolved with.
pub(super) fn same_input(files: &Files, path: &str, text: &str) -> Result<(), CheckError> {
    match read::bytes(files, path)? == text.as_bytes() {
        true => Ok(()),
        false => Err(read::contradiction(path, "", "is not the file that the spec was resolved with")),
    }
}
