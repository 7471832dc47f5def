//! Verifies the copies of the files that the spec names.

use super::files::Files;
use super::read;
use crate::CheckError;
use fabc_model::{DEMAND_INPUT, GRAPH_INPUTS, HOSTS_INPUT, LOSSES_INPUT, OCS_INPUT};
use fabc_model::{DemandShape, Fabric};
use std::borrow::Cow;

/// The convictions of input files that the spec does not name.
pub(super) const UNNAMED_INPUTS: [(&str, &str); 6] = [
    (OCS_INPUT, "does not belong here: the spec names no file of cross-connects"),
    (DEMAND_INPUT, "does not belong here: the spec names no demand matrix"),
    (HOSTS_INPUT, "does not belong here: the spec names no hosts"),
    (LOSSES_INPUT, "does not belong here: the spec names no insertion losses"),
    (GRAPH_INPUTS[0], "does not belong here: the spec names no such graph"),
    (GRAPH_INPUTS[1], "does not belong here: the spec names no such graph"),
];

/// The files that the spec names: the path of the copy, and the expected content.
pub(super) fn named_inputs(fabric: &Fabric) -> Vec<(Cow<'static, str>, Cow<'_, str>)> {
    let matrix = matches!(fabric.demand.shape(), DemandShape::Matrix(_))
        .then(|| (DEMAND_INPUT.into(), Cow::Owned(fabric.demand.csv())));
    let plant_input = fabric.plant.input().map(|(path, text)| (path.into(), Cow::Borrowed(text)));
    let pairs = fabric.collectives.iter().filter_map(|collective| {
        let text = collective.messages.as_ref()?.text.as_deref()?;
        Some((format!("inputs/pairs-{}.csv", collective.name).into(), Cow::Borrowed(text)))
    });
    let traces = fabric.simulations.iter().filter_map(|simulation| {
        let trace = simulation.parameters.details.trace.as_ref()?;
        Some((format!("inputs/trace-{}.csv", simulation.name).into(), Cow::Borrowed(&*trace.text)))
    });
    let ranks = fabric.jobs.iter().filter_map(|job| {
        Some((format!("inputs/ranks-{}.csv", job.name).into(), Cow::Owned(job.place.csv()?)))
    });
    let phases = fabric.jobs.iter().filter_map(|job| {
        Some((format!("inputs/phases-{}.json", job.name).into(), Cow::Owned(job.phases_json()?)))
    });
    let hosts = fabric.hosts.iter().map(|map| (HOSTS_INPUT.into(), Cow::Borrowed(map.text.as_str())));
    let losses = fabric.losses.iter().map(|table| (LOSSES_INPUT.into(), Cow::Borrowed(table.text.as_str())));
    let of_fabric = matrix.into_iter().chain(plant_input).chain(hosts).chain(losses);
    of_fabric.chain(pairs).chain(traces).chain(ranks).chain(phases).collect()
}

/// Verifies that the copy of a file has the content that the spec was resolved with.
pub(super) fn verify_input(files: &Files, path: &str, text: &str) -> Result<(), CheckError> {
    match read::bytes(files, path)? == text.as_bytes() {
        true => Ok(()),
        false => Err(read::contradiction(path, "", "is not the file that the spec was resolved with")),
    }
}
