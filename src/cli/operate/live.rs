//! What the switches of a pod do: a `fabc.ocs/1` file, a directory that `fabc build` wrote, or a folder with
//! what every switch says of itself.

use crate::io::errors::DriverError;
use crate::io::read::{self, display};
use crate::operate::switches::{complete, face_ports, switches};
use fabc_base::limits::cross_connects_bytes;
use fabc_ir::Live;
use fabc_lang::read_cross_connects;
use fabc_model::Pod;
use std::path::Path;

/// Reads what the switches do; every switch of the pod must be in it. `ports` says which face port is which
/// port of a switch that has no labels.
///
/// # Errors
/// Something cannot be read, or does not fit the pod.
pub(crate) fn live(path: &str, pod: &Pod, ports: Option<&Path>) -> Result<Live, DriverError> {
    let directory = Path::new(path);
    if directory.is_dir() && !directory.join("ocs.json").is_file() {
        return switches(directory, pod, ports);
    }
    let file = if directory.is_dir() { display(&directory.join("ocs.json")) } else { path.to_owned() };
    let unfit = |what: String| DriverError::LiveMisfit { path: file.clone(), what };
    let most = cross_connects_bytes(face_ports(pod));
    let text = match read::text(&file, most) {
        Err(DriverError::NotText { offset, .. }) => {
            return Err(unfit(format!("byte {offset} is no part of UTF-8 text")));
        }
        other => other?,
    };
    let settings =
        read_cross_connects(&pod.cube, &pod.ocses, &text).map_err(|misfit| unfit(misfit.to_string()))?;
    complete(pod, settings).map(Live::of_settings).map_err(unfit)
}
