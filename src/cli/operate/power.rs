//! Reads the measured power of light: a file with a line per face port, or the power monitors of Polatis
//! switches.
//!
//! Polatis: RESTCONF `GET /api/data/optical-switch:opm-power` answers
//! `{"optical-switch:opm-power":{"port":[{"port-id":13,"power":-6.1}]}}`, in dBm. Light that leaves a switch
//! is measured at its egress ports, which come behind all ingress ports.

use crate::io::errors::DriverError;
use crate::io::read::{self, display};
use crate::operate::switches::read_port_labels;
use fabc_base::csv;
use fabc_base::diag::suggestion;
use fabc_base::limits::cross_connects_bytes;
use fabc_ir::read::opm_power;
use fabc_ir::{MeasuredPower, MeasuringPoint};
use fabc_model::{Duplex, Ocs, Pod, file_stem};
use fabc_pipeline::operate::face_port_count;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The measured power by the name of a face port.
type Powers = BTreeMap<String, MeasuredPower>;

/// Reads the powers of a pod. `ports` assigns face ports to the numbers of ports.
///
/// # Errors
/// `DriverError::PowerMisfit` if a file does not fit the pod, and errors of reading the files.
pub(crate) fn read_powers(path: &Path, pod: &Pod, ports: Option<&Path>) -> Result<Powers, DriverError> {
    let faces: BTreeSet<String> = pod
        .ocses
        .iter()
        .flat_map(|ocs| ocs.a.iter().chain(&ocs.b))
        .map(|&face| pod.face_port_name(face))
        .collect();
    if path.is_dir() { monitored(path, pod, ports, &faces) } else { listed(path, pod, &faces) }
}

/// Reads a file of lines `port,dbm`.
fn listed(path: &Path, pod: &Pod, faces: &BTreeSet<String>) -> Result<Powers, DriverError> {
    let unfit = |line: usize, problem: String| DriverError::PowerMisfit {
        path: display(path),
        problem: format!("line {line}: {problem}"),
    };
    let text = read::read_text(&display(path), cross_connects_bytes(face_port_count(pod)))?;
    let mut powers = Powers::new();
    let mut is_first = true;
    for (line, row) in (1..).zip(text.lines()) {
        let cells = csv::cells(row).map_err(|problem| unfit(line, problem.to_owned()))?;
        if cells == [""] || std::mem::take(&mut is_first) && cells[0] == "port" {
            continue;
        }
        let [port, power] = &cells[..] else {
            return Err(unfit(line, "it is not `port,dbm`, such as `cube0.+x[0,0],-4.2`".to_owned()));
        };
        if !faces.contains(port) {
            let near = suggestion(port, faces.iter().map(String::as_str));
            let near = near.map_or(String::new(), |near| format!(": {near}"));
            return Err(unfit(line, format!("no switch serves a face port `{port}`{near}")));
        }
        let power = thousandths(power).map_err(|problem| unfit(line, problem))?;
        let measured = MeasuredPower { power, at: MeasuringPoint::Receiver };
        if powers.insert(port.clone(), measured).is_some() {
            return Err(unfit(line, format!("`{port}` has a power already")));
        }
    }
    Ok(powers)
}

/// Reads a folder with the power monitors of switches.
fn monitored(
    folder: &Path,
    pod: &Pod,
    ports: Option<&Path>,
    faces: &BTreeSet<String>,
) -> Result<Powers, DriverError> {
    let by_stem: BTreeMap<String, &Ocs> = pod.ocses.iter().map(|ocs| (file_stem(&ocs.name), ocs)).collect();
    let labels = ports.map(|ports| read_port_labels(ports, pod)).transpose()?;
    let mut powers = Powers::new();
    let mut files = 0;
    for path in
        read::file_paths(folder)?.into_iter().filter(|path| path.ends_with(".json") && !path.contains('/'))
    {
        let file = display(&folder.join(&path));
        let unfit = |problem: String| DriverError::PowerMisfit { path: file.clone(), problem };
        let stem = path.split('.').next().unwrap_or_default();
        let Some(ocs) = by_stem.get(stem) else {
            return Err(unfit(format!("the spec declares no OCS with the file name `{stem}`")));
        };
        if ocs.duplex == Duplex::Circulator {
            let problem = "behind circulators a port carries both directions, and a monitor measures their sum: list what the receivers get in a file of lines `port,dbm`";
            return Err(unfit(problem.to_owned()));
        }
        let text = read::read_text(&file, cross_connects_bytes(face_port_count(pod)))?;
        let monitors = opm_power(text.as_bytes()).map_err(unfit)?;
        let Some(labels) = &labels else {
            let problem = "its ports have numbers and no labels: add `--ports MAP`, a file that `fabc build --emit ocs_ports=MAP` writes";
            return Err(unfit(problem.to_owned()));
        };
        let ingress = ocs.a.len() + ocs.b.len();
        files += 1;
        for (port, power) in monitors {
            // Light that comes in is not yet behind the switch.
            if port as usize <= ingress {
                continue;
            }
            let Some(face) = labels.get(&(stem.to_owned(), port)) else { continue };
            if !faces.contains(face) {
                return Err(unfit(format!("port {port}: no switch serves a face port `{face}`")));
            }
            let power = thousandths(&power).map_err(|problem| unfit(format!("port {port}: {problem}")))?;
            powers.insert(face.clone(), MeasuredPower { power, at: MeasuringPoint::Switch });
        }
    }
    if files == 0 {
        let problem = "it has no file such as `X_0_0.json` of any switch".to_owned();
        return Err(DriverError::PowerMisfit { path: display(folder), problem });
    }
    Ok(powers)
}

/// A power in thousandths of a dBm, rounded.
fn thousandths(cell: &str) -> Result<i64, String> {
    let number = cell.strip_suffix("dBm").map_or(cell, str::trim_end);
    let power = number.parse::<f64>().ok().filter(|power| (-100.0..=100.0).contains(power));
    power
        .map(|power| (power * 1000.0).round() as i64)
        .ok_or_else(|| format!("`{cell}` is no power of light: from -100 to 100 dBm"))
}
