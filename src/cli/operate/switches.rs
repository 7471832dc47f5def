//! Reads a folder with the state of every switch: the CONFIG_DB and STATE_DB of SONiC, or the cross-connects
//! of a Polatis switch. The first part of a file's name names the switch.

use crate::io::errors::DriverError;
use crate::io::read::{self, display};
use fabc_base::csv;
use fabc_base::ids::{IdVec, OcsId};
use fabc_base::limits::cross_connects_bytes;
use fabc_ir::LiveSwitches;
use fabc_ir::read::{AnyConfigDb, Light, StateDb, SwitchFile, is_normal, switch_file};
use fabc_lang::{NamedSwitch, SwitchMisfit, fit_switches};
use fabc_model::{CoupleRule, Duplex, Ocs, Pod, SwitchSettings, file_stem};
use fabc_pipeline::operate::{complete_settings, face_port_count};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The ending of a file with the configuration of a switch.
const CONFIG_DB: &str = ".config_db.json";
/// The ending of a file with the state of a switch.
const STATE_DB: &str = ".state_db.json";

/// The directed connections of a switch, from one port label to another. The value is the key in the file,
/// and the state of the light.
type DirectedConnections = BTreeMap<[String; 2], (String, Light)>;

/// The files of one switch.
#[derive(Default)]
struct SwitchFiles {
    /// The configuration, with the name of its file.
    config: Option<(String, AnyConfigDb)>,
    /// The state, with the name of its file.
    state: Option<(String, StateDb)>,
    /// The state as pairs of port numbers, with the name of its file.
    pairs: Option<(String, Vec<[u32; 2]>)>,
}

/// The connections in one file of a switch.
struct FileConnections {
    ocs: OcsId,
    file: String,
    directed: DirectedConnections,
    /// By label: the state that the file gives for single ports.
    ports: BTreeMap<String, Light>,
}

/// Reads a folder, or its subfolder `ocs/`.
///
/// # Errors
/// `DriverError::LiveMisfit` if a file does not fit the pod or a switch is missing, and errors of reading the
/// files.
pub(crate) fn read_switches(
    directory: &Path,
    pod: &Pod,
    ports: Option<&Path>,
) -> Result<LiveSwitches, DriverError> {
    let nested = directory.join("ocs");
    let folder = if nested.is_dir() { nested.as_path() } else { directory };
    let files = switch_files(folder, pod)?;
    if files.is_empty() && !pod.ocses.is_empty() {
        let problem =
            "it holds neither an `ocs.json` nor a file such as `X_0_0.config_db.json` of any switch"
                .to_owned();
        return Err(DriverError::LiveMisfit { path: display(directory), problem });
    }
    let ports = ports.map(|path| read_port_labels(path, pod)).transpose()?;
    let (mut configured, mut actual, mut blocked) =
        (Vec::new(), Vec::new(), IdVec::filled(BTreeSet::new(), pod.ocses.len()));
    for (ocs, SwitchFiles { config, state, pairs }) in files {
        if let Some((file, config)) = &config {
            let unfit = |problem| DriverError::LiveMisfit { path: file.clone(), problem };
            let directed = config_connections(config, &mut blocked[ocs]).map_err(unfit)?;
            configured.push(FileConnections { ocs, file: file.clone(), directed, ports: BTreeMap::new() });
        }
        if let Some((file, state)) = state {
            let unfit = |problem| DriverError::LiveMisfit { path: file.clone(), problem };
            let config = config.as_ref().map(|(_, config)| config);
            let directed = state_connections(&state, config, &mut blocked[ocs]).map_err(unfit)?;
            actual.push(FileConnections { ocs, file, directed, ports: port_lights(&state, config) });
        }
        if let Some((file, pairs)) = pairs {
            let Some(ports) = &ports else {
                let problem = "its ports have numbers and no labels: add `--ports MAP`, a file that `fabc build --emit ocs_ports=MAP` writes"
                    .to_owned();
                return Err(DriverError::LiveMisfit { path: file, problem });
            };
            let stem = file_stem(&pod.ocses[ocs].name);
            let directed = pair_connections(&pairs, &stem, ports)
                .map_err(|problem| DriverError::LiveMisfit { path: file.clone(), problem })?;
            actual.push(FileConnections { ocs, file, directed, ports: BTreeMap::new() });
        }
    }
    // One missing direction is no error if the configuration sets that direction.
    for connections in
        actual.iter_mut().filter(|connections| pod.ocses[connections.ocs].duplex == Duplex::Pair)
    {
        let Some(configured) = configured.iter().find(|configured| configured.ocs == connections.ocs) else {
            continue;
        };
        let directions: BTreeSet<[String; 2]> = connections.directed.keys().cloned().collect();
        let half = |[from, to]: &[String; 2]| !directions.contains(&[to.clone(), from.clone()]);
        connections.directed.retain(|ends, _| !half(ends) || !configured.directed.contains_key(ends));
    }
    let (configured_sets, actual_sets) =
        (fitted_settings(folder, pod, &configured)?.pairs, fitted_settings(folder, pod, &actual)?.pairs);
    let pairs =
        pod.ocses.ids().map(|id| configured_sets[id].clone().or_else(|| actual_sets[id].clone())).collect();
    let set = complete_settings(pod, SwitchSettings { pairs })
        .map_err(|problem| DriverError::LiveMisfit { path: display(folder), problem })?;
    let mut live = LiveSwitches { blocked, ..LiveSwitches::of_settings(set) };
    for joined in &actual {
        enter_light(
            &mut live,
            pod,
            joined,
            actual_sets[joined.ocs].clone().unwrap_or_default(),
            configured_sets[joined.ocs].is_some(),
        );
    }
    for (id, ocs) in pod.ocses.enumerate() {
        let blocked = &live.blocked[id];
        let passes = |&pair: &[u32; 2]| {
            !ocs.faces(pair).iter().any(|&face| blocked.contains(&pod.face_port_name(face)))
        };
        live.lit[id].retain(passes);
        live.pending[id].retain(passes);
    }
    Ok(live)
}

/// Enters the state of a switch into `live`. `configured` says whether its configuration is known as well.
fn enter_light(
    live: &mut LiveSwitches,
    pod: &Pod,
    joined: &FileConnections,
    shown_pairs: BTreeSet<[u32; 2]>,
    configured: bool,
) {
    let (id, ocs) = (joined.ocs, &pod.ocses[joined.ocs]);
    if configured && shown_pairs.is_empty() && joined.directed.is_empty() && !live.set[id].is_empty() {
        live.idle.insert(id);
        live.pending[id] = std::mem::take(&mut live.lit[id]);
        return;
    }
    let light = |pair: [u32; 2]| {
        let [a, b] = ocs.faces(pair).map(|face| pod.face_port_name(face));
        let ways = [[a.clone(), b.clone()], [b, a]];
        ways.iter()
            .filter_map(|ends| joined.directed.get(ends))
            .map(|(_, light)| *light)
            .max()
            .unwrap_or(Light::Failed)
    };
    let with_light = |wanted: Light| {
        shown_pairs.iter().copied().filter(|&pair| light(pair) == wanted).collect::<BTreeSet<_>>()
    };
    (live.lit[id], live.failed[id], live.pending[id]) =
        (with_light(Light::Tuned), with_light(Light::Failed), with_light(Light::Tuning));
    if configured {
        // For connections that the state does not show, the state of both ports may say that light is about
        // to pass.
        let words =
            |pair: [u32; 2]| ocs.faces(pair).map(|face| joined.ports.get(&pod.face_port_name(face)).copied());
        let tunes = |pair: [u32; 2]| words(pair).iter().all(|word| *word == Some(Light::Tuning));
        let (pending, failed): (BTreeSet<[u32; 2]>, BTreeSet<[u32; 2]>) =
            live.set[id].difference(&shown_pairs).copied().partition(|&pair| tunes(pair));
        live.pending[id].extend(pending);
        live.failed[id].extend(failed);
    }
}

/// The files of the folder, by switch.
fn switch_files(folder: &Path, pod: &Pod) -> Result<BTreeMap<OcsId, SwitchFiles>, DriverError> {
    let by_stem: BTreeMap<String, OcsId> =
        pod.ocses.enumerate().map(|(id, ocs)| (file_stem(&ocs.name), id)).collect();
    let limit = cross_connects_bytes(face_port_count(pod));
    let mut files: BTreeMap<OcsId, SwitchFiles> = BTreeMap::new();
    for path in
        read::file_paths(folder)?.into_iter().filter(|path| path.ends_with(".json") && !path.contains('/'))
    {
        let file = display(&folder.join(&path));
        let unfit = |problem: String| DriverError::LiveMisfit { path: file.clone(), problem };
        let stem = path.split('.').next().unwrap_or_default();
        let Some(&ocs) = by_stem.get(stem) else {
            if path.ends_with(CONFIG_DB) || path.ends_with(STATE_DB) {
                return Err(unfit(format!("the spec declares no OCS with the file name `{stem}`")));
            }
            continue;
        };
        let text = read::read_text(&file, limit)?;
        let of_switch = files.entry(ocs).or_default();
        let earlier = match switch_file(text.as_bytes(), path.ends_with(STATE_DB)).map_err(unfit)? {
            SwitchFile::Config(config) => {
                of_switch.config.replace((file.clone(), config)).map(|(file, _)| file)
            }
            SwitchFile::State(state) => of_switch.state.replace((file.clone(), state)).map(|(file, _)| file),
            SwitchFile::Polatis(pairs) => {
                of_switch.pairs.replace((file.clone(), pairs)).map(|(file, _)| file)
            }
        };
        let earlier = earlier.or_else(|| {
            of_switch.pairs.as_ref().zip(of_switch.state.as_ref()).map(|_| "the other file".to_owned())
        });
        if let Some(earlier) = earlier {
            return Err(unfit(format!("sets `{}`, which {earlier} sets as well", pod.ocses[ocs].name)));
        }
    }
    Ok(files)
}

/// The connections of a CONFIG_DB. It also collects the labels of ports that must not pass light.
fn config_connections(
    config: &AnyConfigDb,
    blocked: &mut BTreeSet<String>,
) -> Result<DirectedConnections, String> {
    for port in config.ports.values() {
        let word = port.config_status.as_deref().or(port.state.as_deref());
        if word.is_some_and(|word| !is_normal(word)) {
            blocked.insert(port.label.clone());
        }
    }
    let mut directed = DirectedConnections::new();
    for (key, connection) in &config.cross_connects {
        let label = |port: &str| match config.ports.get(port) {
            Some(port) => Ok(port.label.clone()),
            None => Err(format!("at `OCS_CROSS_CONNECT.{key}`: port {port} does not stand in OCS_PORT")),
        };
        let labels = [label(&connection.a_side)?, label(&connection.b_side)?];
        if let Some((other, _)) = directed.insert(labels, (key.clone(), Light::Tuned)) {
            return Err(format!("at `OCS_CROSS_CONNECT.{key}`: it joins the same ports as {other}"));
        }
    }
    Ok(directed)
}

/// The connections of a STATE_DB. Missing labels are taken from the CONFIG_DB.
fn state_connections(
    state: &StateDb,
    config: Option<&AnyConfigDb>,
    blocked: &mut BTreeSet<String>,
) -> Result<DirectedConnections, String> {
    let label = |port: &str| {
        let label = state.ports.get(port).and_then(|port| port.label.clone());
        label
            .or_else(|| config.and_then(|config| config.ports.get(port)).map(|port| port.label.clone()))
            .ok_or_else(|| {
                format!(
                    "port {port} has no label here: the CONFIG_DB of the switch, which has them, is missing"
                )
            })
    };
    let light = |port: &str| state.ports.get(port).and_then(|port| port.light);
    // (key, ends, state of both ends)
    let mut connections: Vec<(String, [String; 2], [Option<Light>; 2])> = Vec::new();
    for (key, connection) in &state.cross_connects {
        let [a, b] = &connection.ends;
        connections.push((
            key.clone(),
            connection.ends.clone(),
            [connection.lights[0].max(light(a)), connection.lights[1].max(light(b))],
        ));
    }
    if state.cross_connects.is_empty() {
        for (port, port_state) in state.ports.iter().filter(|(port, _)| port.ends_with('A')) {
            let Some(target) = &port_state.target else { continue };
            connections.push((
                format!("{port}-{target}"),
                [port.clone(), target.clone()],
                [port_state.light, light(target)],
            ));
        }
    }
    let mut directed = DirectedConnections::new();
    for (key, ends, lights) in connections {
        let place = |problem: String| format!("at `{key}`: {problem}");
        let labels = [label(&ends[0]).map_err(place)?, label(&ends[1]).map_err(place)?];
        for (label, light) in labels.iter().zip(lights) {
            if light == Some(Light::Blocked) {
                blocked.insert(label.clone());
            }
        }
        let light =
            lights.into_iter().map(|light| light.unwrap_or(Light::Failed)).max().unwrap_or(Light::Failed);
        if let Some((other, _)) = directed.insert(labels, (key.clone(), light)) {
            return Err(place(format!("it joins the same ports as {other}")));
        }
    }
    Ok(directed)
}

/// `(switch, port)`: the label of the port.
pub(crate) type PortLabels = BTreeMap<(String, u32), String>;

/// The state of single ports in a STATE_DB, by their labels there or in the CONFIG_DB.
fn port_lights(state: &StateDb, config: Option<&AnyConfigDb>) -> BTreeMap<String, Light> {
    let known = |port: &str| config.and_then(|config| config.ports.get(port)).map(|port| port.label.clone());
    let mut lights = BTreeMap::new();
    for (port, port_state) in &state.ports {
        if let (Some(label), Some(light)) =
            (port_state.label.clone().or_else(|| known(port)), port_state.light)
        {
            // A face has two ports where a link has two fibers. The worse state counts.
            let of_label = lights.entry(label).or_insert(light);
            *of_label = light.max(*of_label);
        }
    }
    lights
}

/// The connections of a list of pairs of numbered ports.
fn pair_connections(
    pairs: &[[u32; 2]],
    stem: &str,
    ports: &PortLabels,
) -> Result<DirectedConnections, String> {
    let mut directed = DirectedConnections::new();
    for &[ingress, egress] in pairs {
        let label = |port: u32| {
            ports
                .get(&(stem.to_owned(), port))
                .cloned()
                .ok_or_else(|| format!("`--ports` has no port {port} of it"))
        };
        let key = format!("{ingress}-{egress}");
        if let Some((other, _)) =
            directed.insert([label(ingress)?, label(egress)?], (key.clone(), Light::Tuned))
        {
            return Err(format!("pair {key} joins the same ports as {other}"));
        }
    }
    Ok(directed)
}

/// Reads lines of `switch,port,face`. The face may stand in quotes.
pub(crate) fn read_port_labels(path: &Path, pod: &Pod) -> Result<PortLabels, DriverError> {
    let unfit = |line: usize, problem: &str| DriverError::LiveMisfit {
        path: display(path),
        problem: format!("line {line}: {problem}"),
    };
    let text = read::read_text(&display(path), cross_connects_bytes(face_port_count(pod)))?;
    let stems: BTreeSet<String> = pod.ocses.iter().map(|ocs| file_stem(&ocs.name)).collect();
    let mut labels = PortLabels::new();
    for (line, row) in (1..).zip(text.lines()).filter(|(_, row)| !row.trim().is_empty()) {
        let cells = csv::cells(row).map_err(|problem| unfit(line, problem))?;
        let [switch, port, face] = &cells[..] else {
            return Err(unfit(line, "it is not `switch,port,face`"));
        };
        if (line, port.as_str()) == (1, "port") {
            continue;
        }
        let port: u32 =
            port.parse().map_err(|_| unfit(line, &format!("`{port}` is not the number of a port")))?;
        if !stems.contains(switch) {
            return Err(unfit(line, &format!("the spec declares no OCS with the file name `{switch}`")));
        }
        if labels.insert((switch.to_owned(), port), face.clone()).is_some() {
            return Err(unfit(line, &format!("port {port} of {switch} has a face already")));
        }
    }
    Ok(labels)
}

/// The settings of all switches by their labeled connections.
fn fitted_settings(
    folder: &Path,
    pod: &Pod,
    joined: &[FileConnections],
) -> Result<SwitchSettings, DriverError> {
    let mut switches = Vec::new();
    // `[switch]`: the keys of its cross-connects.
    let mut places: Vec<Vec<String>> = Vec::new();
    for FileConnections { ocs, file, directed, .. } in joined {
        let (switch, keys) = named_switch(pod, &pod.ocses[*ocs], directed).map_err(|(key, problem)| {
            DriverError::LiveMisfit {
                path: file.clone(),
                problem: format!("at `OCS_CROSS_CONNECT.{key}`: {problem}"),
            }
        })?;
        switches.push(switch);
        places.push(keys);
    }
    fit_switches(&pod.cube, &pod.ocses, &switches).map_err(|misfit: SwitchMisfit| {
        let (path, keys) = misfit
            .switch
            .map_or((display(folder), &[][..]), |switch| (joined[switch].file.clone(), &places[switch][..]));
        let place = misfit
            .cross_connect
            .map_or(String::new(), |number| format!("at `OCS_CROSS_CONNECT.{}`: ", keys[number]));
        DriverError::LiveMisfit { path, problem: format!("{place}{}", misfit.problem) }
    })
}

/// One switch by the labels of its ports, and the keys of its cross-connects. The error is a key, and the
/// problem.
fn named_switch(
    pod: &Pod,
    ocs: &Ocs,
    directed: &DirectedConnections,
) -> Result<(NamedSwitch, Vec<String>), (String, String)> {
    let side_b: BTreeSet<String> = ocs.b.iter().map(|&face| pod.face_port_name(face)).collect();
    let mut switch =
        NamedSwitch { name: ocs.name.clone(), a: Vec::new(), b: Vec::new(), cross_connects: Vec::new() };
    let mut keys = Vec::new();
    for ([from, to], (key, _)) in directed {
        if ocs.duplex == Duplex::Pair {
            if !directed.contains_key(&[to.clone(), from.clone()]) {
                return Err((key.clone(), format!("{from} sends to {to}, but no cross-connect leads back")));
            }
            // Both directions are one cross-connect. The direction from side A stands for it.
            let first = if ocs.rule == CoupleRule::Sided {
                side_b.contains(to) || !side_b.contains(from)
            } else {
                from < to
            };
            if !first {
                continue;
            }
        }
        let number = keys.len() as u32;
        switch.a.push(from.clone());
        match ocs.rule {
            CoupleRule::Sided => {
                switch.b.push(to.clone());
                switch.cross_connects.push([number, number]);
            }
            CoupleRule::Any => {
                switch.a.push(to.clone());
                switch.cross_connects.push([2 * number, 2 * number + 1]);
            }
        }
        keys.push(key.clone());
    }
    Ok((switch, keys))
}
