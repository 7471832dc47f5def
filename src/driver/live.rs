//! The live setting of the switches: a `fabc.ocs/1` file, a directory that `fabc build` wrote, or a folder with the SONiC CONFIG_DB of every switch.

use super::errors::DriverError;
use super::read::{self, display};
use crate::ir::Mirrors;
use crate::limits::cross_connects_bytes;
use crate::model::{CoupleRule, Duplex, Ocs, Pod, file_stem};
use crate::passes::synth::{self, Misfit, OcsSetting, ReadSettings};
use crate::read::AnyConfigDb;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Ending of the configuration of one switch.
const CONFIG_DB: &str = ".config_db.json";

/// Reads the live setting; every switch of the pod must be in it.
///
/// # Errors
/// Something cannot be read, or does not fit the pod.
pub(super) fn live(path: &str, pod: &Pod) -> Result<Mirrors, DriverError> {
    let directory = Path::new(path);
    if directory.is_dir() && !directory.join("ocs.json").is_file() {
        return config_dbs(directory, pod);
    }
    let file = if directory.is_dir() { display(&directory.join("ocs.json")) } else { path.to_owned() };
    let unfit = |what: String| DriverError::LiveMisfit { path: file.clone(), what };
    let most = cross_connects_bytes(face_ports(pod));
    let text = match read::text(&file, most) {
        Err(DriverError::NotText { offset, .. }) => return Err(unfit(format!("byte {offset} is no part of UTF-8 text"))),
        other => other?,
    };
    let settings = synth::read_cross_connects(pod, &text).map_err(|misfit| unfit(misfit.to_string()))?;
    complete(pod, settings).map_err(unfit)
}

/// Face ports that switches serve.
pub(super) fn face_ports(pod: &Pod) -> usize {
    pod.ocses.iter().map(|ocs| ocs.a.len() + ocs.b.len()).sum()
}

/// The settings of all switches.
///
/// # Errors
/// Which switches have none.
pub(super) fn complete(pod: &Pod, settings: ReadSettings) -> Result<Mirrors, String> {
    let missing: Vec<&str> = settings.enumerate().filter(|(_, set)| set.is_none()).map(|(id, _)| pod.ocses[id].name.as_str()).collect();
    match missing[..] {
        [] => Ok(settings.ids().map(|id| settings[id].clone().unwrap_or_default()).collect()),
        [one] => Err(format!("at `ocs`: the OCS `{one}` is missing")),
        [first, ..] => Err(format!("at `ocs`: the OCS `{first}` and {} others are missing", missing.len() - 1)),
    }
}

/// Reads `X_0_0.config_db.json` of every switch, from the folder or its `ocs/`.
fn config_dbs(directory: &Path, pod: &Pod) -> Result<Mirrors, DriverError> {
    let nested = directory.join("ocs");
    let folder = if nested.is_dir() { nested.as_path() } else { directory };
    let by_stem: BTreeMap<String, &Ocs> = pod.ocses.iter().map(|ocs| (file_stem(&ocs.name), ocs)).collect();
    let most = cross_connects_bytes(face_ports(pod));
    let mut switches = Vec::new();
    // Per switch: its file, and the key of each of its cross-connects.
    let mut places: Vec<(String, Vec<String>)> = Vec::new();
    for path in read::paths(folder)?.into_iter().filter(|path| path.ends_with(CONFIG_DB) && !path.contains('/')) {
        let file = display(&folder.join(&path));
        let unfit = |what: String| DriverError::LiveMisfit { path: file.clone(), what };
        let stem = path.trim_end_matches(CONFIG_DB);
        let Some(&ocs) = by_stem.get(stem) else {
            return Err(unfit(format!("the spec declares no OCS with the file name `{stem}`")));
        };
        let config: AnyConfigDb = serde_json::from_str(&read::text(&file, most)?).map_err(|error| unfit(error.to_string()))?;
        let (switch, keys) = setting(pod, ocs, &config).map_err(|(key, what)| unfit(format!("at `OCS_CROSS_CONNECT.{key}`: {what}")))?;
        switches.push(switch);
        places.push((file, keys));
    }
    if switches.is_empty() && !pod.ocses.is_empty() {
        let what = format!("it holds neither an `ocs.json` nor any `*{CONFIG_DB}`");
        return Err(DriverError::LiveMisfit { path: display(directory), what });
    }
    let settings = synth::fit(pod, &switches).map_err(|misfit: Misfit| {
        let (path, keys) = misfit.switch.map_or((display(folder), &[][..]), |switch| (places[switch].0.clone(), &places[switch].1[..]));
        let place = misfit.cross_connect.map_or(String::new(), |at| format!("at `OCS_CROSS_CONNECT.{}`: ", keys[at]));
        DriverError::LiveMisfit { path, what: format!("{place}{}", misfit.what) }
    })?;
    complete(pod, settings).map_err(|what| DriverError::LiveMisfit { path: display(folder), what })
}

/// One switch by the labels of its ports, and the keys of its cross-connects; an error names the key.
fn setting(pod: &Pod, ocs: &Ocs, config: &AnyConfigDb) -> Result<(OcsSetting, Vec<String>), (String, String)> {
    let side_b: BTreeSet<String> = ocs.b.iter().map(|&face| pod.face_port_name(face)).collect();
    let mut directed: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    for (key, one) in &config.cross_connects {
        let label = |port: &str| match config.ports.get(port) {
            Some(port) => Ok(port.label.as_str()),
            None => Err((key.clone(), format!("port {port} does not stand in OCS_PORT"))),
        };
        let ends = (label(&one.a_side)?, label(&one.b_side)?);
        if let Some(other) = directed.insert(ends, key) {
            return Err((key.clone(), format!("it joins the same ports as {other}")));
        }
    }
    let mut switch = OcsSetting { name: ocs.name.clone(), a: Vec::new(), b: Vec::new(), cross_connects: Vec::new() };
    let mut keys = Vec::new();
    for (&(from, to), &key) in &directed {
        if ocs.duplex == Duplex::Pair {
            if !directed.contains_key(&(to, from)) {
                return Err((key.to_owned(), format!("{from} sends to {to}, but nothing comes back")));
            }
            // Both directions are one cross-connect: that from side A stands for it.
            let first = if ocs.rule == CoupleRule::Sided { side_b.contains(to) || !side_b.contains(from) } else { from < to };
            if !first {
                continue;
            }
        }
        let at = keys.len() as u32;
        switch.a.push(from.to_owned());
        match ocs.rule {
            CoupleRule::Sided => {
                switch.b.push(to.to_owned());
                switch.cross_connects.push([at, at]);
            }
            CoupleRule::Any => {
                switch.a.push(to.to_owned());
                switch.cross_connects.push([2 * at, 2 * at + 1]);
            }
        }
        keys.push(key.to_owned());
    }
    Ok((switch, keys))
}
