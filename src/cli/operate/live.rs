//! Reads the live settings of a pod's switches: a `fabc.ocs/1` file, a directory that `fabc build` wrote, or
//! a folder with the state of every switch.

use crate::io::errors::DriverError;
use crate::io::input_errors::needs_directory;
use crate::io::read::{self, display};
use crate::io::stop::Stop;
use crate::operate::switches::read_switches;
use fabc_base::limits::cross_connects_bytes;
use fabc_ir::LiveSwitches;
use fabc_lang::read_cross_connects;
use fabc_model::Pod;
use fabc_pipeline::operate::{complete_settings, face_port_count};
use std::path::Path;

/// Reads the live settings of all switches of a pod. `ports` is a file that assigns face ports to the ports
/// of switches without labels.
///
/// # Errors
/// `DriverError::LiveMisfit` if a switch is missing or does not fit the pod, `InputError::NoDirectory` for a
/// spec, and errors of reading the files.
pub(crate) fn read_live(path: &str, pod: &Pod, ports: Option<&Path>) -> Result<LiveSwitches, Stop> {
    let directory = Path::new(path);
    if directory.is_dir() && !directory.join("ocs.json").is_file() {
        return Ok(read_switches(directory, pod, ports)?);
    }
    if directory.extension().is_some_and(|end| end == "fab") {
        needs_directory(directory)?;
    }
    let file = if directory.is_dir() { display(&directory.join("ocs.json")) } else { path.to_owned() };
    let unfit = |problem: String| DriverError::LiveMisfit { path: file.clone(), problem };
    let limit = cross_connects_bytes(face_port_count(pod));
    let text = match read::read_text(&file, limit) {
        Err(DriverError::NotText { offset, .. }) => {
            return Err(unfit(format!("byte {offset} is no part of UTF-8 text")).into());
        }
        other => other?,
    };
    let settings =
        read_cross_connects(&pod.cube, &pod.ocses, &text).map_err(|misfit| unfit(misfit.to_string()))?;
    Ok(complete_settings(pod, settings).map(LiveSwitches::of_settings).map_err(unfit)?)
}
