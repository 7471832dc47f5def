//! A folder with what every switch says of itself: SONiC's CONFIG_DB, its STATE_DB, or both, or the
//! cross-connects of a Polatis switch; a file belongs to the switch that its name begins with.

use crate::io::errors::{DriverError, Stop};
use crate::io::read::{self, display};
use fabc_base::csv;
use fabc_base::ids::{IdVec, OcsId};
use fabc_base::limits::cross_connects_bytes;
use fabc_ir::read::{AnyConfigDb, Light, StateDb, SwitchFile, is_normal, switch_file};
use fabc_ir::{Live, Mirrors};
use fabc_lang::{NamedSwitch, SwitchMisfit, fit_switches};
use fabc_model::{CoupleRule, Duplex, Fabric, Ocs, Pod, SwitchSettings, file_stem};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Ending of what a switch is told.
const CONFIG_DB: &str = ".config_db.json";
/// Ending of a dump of what a switch does.
const STATE_DB: &str = ".state_db.json";

/// What a switch joins, by the labels of the ports from which and to which light goes: the key in its file,
/// and whether light passes.
type Directed = BTreeMap<[String; 2], (String, Light)>;

/// What one switch says.
#[derive(Default)]
struct Said {
    /// What it is told, and the file.
    config: Option<(String, AnyConfigDb)>,
    /// What it does, and the file.
    state: Option<(String, StateDb)>,
    /// The same without labels.
    pairs: Option<(String, Vec<[u32; 2]>)>,
}

/// What one file of a switch joins.
struct Joined {
    ocs: OcsId,
    file: String,
    directed: Directed,
    /// By label: what is said of single ports.
    ports: BTreeMap<String, Light>,
}

/// Reads the folder, or its `ocs/`.
///
/// # Errors
/// Something cannot be read, does not fit the pod, or a switch is missing.
pub(crate) fn switches(directory: &Path, pod: &Pod, ports: Option<&Path>) -> Result<Live, DriverError> {
    let nested = directory.join("ocs");
    let folder = if nested.is_dir() { nested.as_path() } else { directory };
    let said = files(folder, pod)?;
    if said.is_empty() && !pod.ocses.is_empty() {
        let what = "it holds neither an `ocs.json` nor a file such as `X_0_0.config_db.json` of any switch"
            .to_owned();
        return Err(DriverError::LiveMisfit { path: display(directory), what });
    }
    let ports = ports.map(|path| map(path, pod)).transpose()?;
    let (mut told, mut done, mut blocked) =
        (Vec::new(), Vec::new(), IdVec::filled(BTreeSet::new(), pod.ocses.len()));
    for (ocs, Said { config, state, pairs }) in said {
        if let Some((file, config)) = &config {
            let unfit = |what| DriverError::LiveMisfit { path: file.clone(), what };
            let directed = of_config(config, &mut blocked[ocs]).map_err(unfit)?;
            told.push(Joined { ocs, file: file.clone(), directed, ports: BTreeMap::new() });
        }
        if let Some((file, state)) = state {
            let unfit = |what| DriverError::LiveMisfit { path: file.clone(), what };
            let config = config.as_ref().map(|(_, config)| config);
            let directed = of_state(&state, config, &mut blocked[ocs]).map_err(unfit)?;
            done.push(Joined { ocs, file, directed, ports: port_lights(&state, config) });
        }
        if let Some((file, pairs)) = pairs {
            let Some(ports) = &ports else {
                let what = "its ports have numbers and no labels: `--ports MAP` says which is which, and `fabc build --emit \
                            ocs_ports=MAP` writes it"
                    .to_owned();
                return Err(DriverError::LiveMisfit { path: file, what });
            };
            let stem = file_stem(&pod.ocses[ocs].name);
            let directed = of_pairs(&pairs, &stem, ports)
                .map_err(|what| DriverError::LiveMisfit { path: file.clone(), what })?;
            done.push(Joined { ocs, file, directed, ports: BTreeMap::new() });
        }
    }
    // A direction that does not work yet is no mistake where the switch is told to set it.
    for at in done.iter_mut().filter(|at| pod.ocses[at.ocs].duplex == Duplex::Pair) {
        let Some(told) = told.iter().find(|told| told.ocs == at.ocs) else { continue };
        let there: BTreeSet<[String; 2]> = at.directed.keys().cloned().collect();
        let half = |[from, to]: &[String; 2]| !there.contains(&[to.clone(), from.clone()]);
        at.directed.retain(|ends, _| !half(ends) || !told.directed.contains_key(ends));
    }
    let (told_sets, done_sets) = (fitted(folder, pod, &told)?.pairs, fitted(folder, pod, &done)?.pairs);
    let pairs = pod.ocses.ids().map(|id| told_sets[id].clone().or_else(|| done_sets[id].clone())).collect();
    let set = complete(pod, SwitchSettings { pairs })
        .map_err(|what| DriverError::LiveMisfit { path: display(folder), what })?;
    let mut live = Live { blocked, ..Live::of_settings(set) };
    for joined in &done {
        enter_light(
            &mut live,
            pod,
            joined,
            done_sets[joined.ocs].clone().unwrap_or_default(),
            told_sets[joined.ocs].is_some(),
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

/// Enters what a switch does; `told` if it is known as well what it is told.
fn enter_light(live: &mut Live, pod: &Pod, joined: &Joined, shown: BTreeSet<[u32; 2]>, told: bool) {
    let (id, ocs) = (joined.ocs, &pod.ocses[joined.ocs]);
    if told && shown.is_empty() && joined.directed.is_empty() && !live.set[id].is_empty() {
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
    let of =
        |wanted: Light| shown.iter().copied().filter(|&pair| light(pair) == wanted).collect::<BTreeSet<_>>();
    (live.lit[id], live.failed[id], live.pending[id]) =
        (of(Light::Tuned), of(Light::Failed), of(Light::Tuning));
    if told {
        // Of what the switch does not show, its ports may say that light is about to pass.
        let words =
            |pair: [u32; 2]| ocs.faces(pair).map(|face| joined.ports.get(&pod.face_port_name(face)).copied());
        let tunes = |pair: [u32; 2]| words(pair).iter().all(|word| *word == Some(Light::Tuning));
        let (pending, failed): (BTreeSet<[u32; 2]>, BTreeSet<[u32; 2]>) =
            live.set[id].difference(&shown).copied().partition(|&pair| tunes(pair));
        live.pending[id].extend(pending);
        live.failed[id].extend(failed);
    }
}

/// The files of the switches, by switch.
fn files(folder: &Path, pod: &Pod) -> Result<BTreeMap<OcsId, Said>, DriverError> {
    let by_stem: BTreeMap<String, OcsId> =
        pod.ocses.enumerate().map(|(id, ocs)| (file_stem(&ocs.name), id)).collect();
    let most = cross_connects_bytes(face_ports(pod));
    let mut all: BTreeMap<OcsId, Said> = BTreeMap::new();
    for path in read::paths(folder)?.into_iter().filter(|path| path.ends_with(".json") && !path.contains('/'))
    {
        let file = display(&folder.join(&path));
        let unfit = |what: String| DriverError::LiveMisfit { path: file.clone(), what };
        let stem = path.split('.').next().unwrap_or_default();
        let Some(&ocs) = by_stem.get(stem) else {
            if path.ends_with(CONFIG_DB) || path.ends_with(STATE_DB) {
                return Err(unfit(format!("the spec declares no OCS with the file name `{stem}`")));
            }
            continue;
        };
        let text = read::text(&file, most)?;
        let said = all.entry(ocs).or_default();
        let earlier = match switch_file(text.as_bytes(), path.ends_with(STATE_DB)).map_err(unfit)? {
            SwitchFile::Config(config) => said.config.replace((file.clone(), config)).map(|(file, _)| file),
            SwitchFile::State(state) => said.state.replace((file.clone(), state)).map(|(file, _)| file),
            SwitchFile::Polatis(pairs) => said.pairs.replace((file.clone(), pairs)).map(|(file, _)| file),
        };
        let earlier = earlier
            .or_else(|| said.pairs.as_ref().zip(said.state.as_ref()).map(|_| "the other file".to_owned()));
        if let Some(earlier) = earlier {
            return Err(unfit(format!("says of `{}` what {earlier} says as well", pod.ocses[ocs].name)));
        }
    }
    Ok(all)
}

/// What a CONFIG_DB joins, and the labels of ports that are not to let light pass.
fn of_config(config: &AnyConfigDb, blocked: &mut BTreeSet<String>) -> Result<Directed, String> {
    for port in config.ports.values() {
        let word = port.config_status.as_deref().or(port.state.as_deref());
        if word.is_some_and(|word| !is_normal(word)) {
            blocked.insert(port.label.clone());
        }
    }
    let mut directed = Directed::new();
    for (key, one) in &config.cross_connects {
        let label = |port: &str| match config.ports.get(port) {
            Some(port) => Ok(port.label.clone()),
            None => Err(format!("at `OCS_CROSS_CONNECT.{key}`: port {port} does not stand in OCS_PORT")),
        };
        let ends = [label(&one.a_side)?, label(&one.b_side)?];
        if let Some((other, _)) = directed.insert(ends, (key.clone(), Light::Tuned)) {
            return Err(format!("at `OCS_CROSS_CONNECT.{key}`: it joins the same ports as {other}"));
        }
    }
    Ok(directed)
}

/// What a STATE_DB joins; labels that it lacks are those of the CONFIG_DB.
fn of_state(
    state: &StateDb,
    config: Option<&AnyConfigDb>,
    blocked: &mut BTreeSet<String>,
) -> Result<Directed, String> {
    let label = |port: &str| {
        let own = state.ports.get(port).and_then(|port| port.label.clone());
        own.or_else(|| config.and_then(|config| config.ports.get(port)).map(|port| port.label.clone()))
            .ok_or_else(|| {
                format!(
                    "port {port} has no label here: the CONFIG_DB of the switch, which has them, is missing"
                )
            })
    };
    let light = |port: &str| state.ports.get(port).and_then(|port| port.light);
    // (key, ends, what is said of them)
    let mut all: Vec<(String, [String; 2], [Option<Light>; 2])> = Vec::new();
    for (key, one) in &state.cross_connects {
        let [a, b] = &one.ends;
        all.push((key.clone(), one.ends.clone(), [one.lights[0].max(light(a)), one.lights[1].max(light(b))]));
    }
    if state.cross_connects.is_empty() {
        for (port, one) in state.ports.iter().filter(|(port, _)| port.ends_with('A')) {
            let Some(target) = &one.target else { continue };
            all.push((
                format!("{port}-{target}"),
                [port.clone(), target.clone()],
                [one.light, light(target)],
            ));
        }
    }
    let mut directed = Directed::new();
    for (key, ends, lights) in all {
        let place = |what: String| format!("at `{key}`: {what}");
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
type Labels = BTreeMap<(String, u32), String>;

/// What a STATE_DB says of single ports, by their labels here or in the CONFIG_DB.
fn port_lights(state: &StateDb, config: Option<&AnyConfigDb>) -> BTreeMap<String, Light> {
    let known = |port: &str| config.and_then(|config| config.ports.get(port)).map(|port| port.label.clone());
    let mut lights = BTreeMap::new();
    for (port, one) in &state.ports {
        if let (Some(label), Some(light)) = (one.label.clone().or_else(|| known(port)), one.light) {
            // A face has two ports where a link has two fibers: the worse one counts.
            let of_label = lights.entry(label).or_insert(light);
            *of_label = light.max(*of_label);
        }
    }
    lights
}

/// What pairs of numbered ports join.
fn of_pairs(pairs: &[[u32; 2]], stem: &str, ports: &Labels) -> Result<Directed, String> {
    let mut directed = Directed::new();
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

/// Reads `switch,port,face`, a line each; the last may stand in quotes.
fn map(path: &Path, pod: &Pod) -> Result<Labels, DriverError> {
    let unfit = |line: usize, what: &str| DriverError::LiveMisfit {
        path: display(path),
        what: format!("line {line}: {what}"),
    };
    let text = read::text(&display(path), cross_connects_bytes(face_ports(pod)))?;
    let stems: BTreeSet<String> = pod.ocses.iter().map(|ocs| file_stem(&ocs.name)).collect();
    let mut labels = Labels::new();
    for (line, row) in (1..).zip(text.lines()).filter(|(_, row)| !row.trim().is_empty()) {
        let cells = csv::cells(row).map_err(|what| unfit(line, what))?;
        let [switch, port, face] = &cells[..] else {
            return Err(unfit(line, "it is not `switch,port,face`"));
        };
        if (line, port.as_str()) == (1, "port") {
            continue;
        }
        let port: u32 = port.parse().map_err(|_| unfit(line, &format!("`{port}` is no number of a port")))?;
        if !stems.contains(switch) {
            return Err(unfit(line, &format!("the spec declares no OCS with the file name `{switch}`")));
        }
        if labels.insert((switch.to_owned(), port), face.clone()).is_some() {
            return Err(unfit(line, &format!("port {port} of {switch} has a face already")));
        }
    }
    Ok(labels)
}

/// The settings that files join.
fn fitted(folder: &Path, pod: &Pod, joined: &[Joined]) -> Result<SwitchSettings, DriverError> {
    let mut switches = Vec::new();
    // Per switch the key of each of its cross-connects.
    let mut places: Vec<Vec<String>> = Vec::new();
    for Joined { ocs, file, directed, .. } in joined {
        let (switch, keys) =
            setting(pod, &pod.ocses[*ocs], directed).map_err(|(key, what)| DriverError::LiveMisfit {
                path: file.clone(),
                what: format!("at `OCS_CROSS_CONNECT.{key}`: {what}"),
            })?;
        switches.push(switch);
        places.push(keys);
    }
    fit_switches(&pod.cube, &pod.ocses, &switches).map_err(|misfit: SwitchMisfit| {
        let (path, keys) = misfit
            .switch
            .map_or((display(folder), &[][..]), |switch| (joined[switch].file.clone(), &places[switch][..]));
        let place =
            misfit.cross_connect.map_or(String::new(), |at| format!("at `OCS_CROSS_CONNECT.{}`: ", keys[at]));
        DriverError::LiveMisfit { path, what: format!("{place}{}", misfit.problem) }
    })
}

/// One switch by the labels of its ports, and the keys of its cross-connects; an error names the key.
fn setting(
    pod: &Pod,
    ocs: &Ocs,
    directed: &Directed,
) -> Result<(NamedSwitch, Vec<String>), (String, String)> {
    let side_b: BTreeSet<String> = ocs.b.iter().map(|&face| pod.face_port_name(face)).collect();
    let mut switch =
        NamedSwitch { name: ocs.name.clone(), a: Vec::new(), b: Vec::new(), cross_connects: Vec::new() };
    let mut keys = Vec::new();
    for ([from, to], (key, _)) in directed {
        if ocs.duplex == Duplex::Pair {
            if !directed.contains_key(&[to.clone(), from.clone()]) {
                return Err((key.clone(), format!("{from} sends to {to}, but nothing comes back")));
            }
            // Both directions are one cross-connect: that from side A stands for it.
            let first = if ocs.rule == CoupleRule::Sided {
                side_b.contains(to) || !side_b.contains(from)
            } else {
                from < to
            };
            if !first {
                continue;
            }
        }
        let at = keys.len() as u32;
        switch.a.push(from.clone());
        match ocs.rule {
            CoupleRule::Sided => {
                switch.b.push(to.clone());
                switch.cross_connects.push([at, at]);
            }
            CoupleRule::Any => {
                switch.a.push(to.clone());
                switch.cross_connects.push([2 * at, 2 * at + 1]);
            }
        }
        keys.push(key.clone());
    }
    Ok((switch, keys))
}

/// Face ports that switches serve.
pub(crate) fn face_ports(pod: &Pod) -> usize {
    pod.ocses.iter().map(|ocs| ocs.a.len() + ocs.b.len()).sum()
}

/// The settings of all switches.
///
/// # Errors
/// Which switches have none.
pub(crate) fn complete(pod: &Pod, settings: SwitchSettings) -> Result<Mirrors, String> {
    let pairs = settings.pairs;
    let missing: Vec<&str> = pairs
        .enumerate()
        .filter(|(_, set)| set.is_none())
        .map(|(id, _)| pod.ocses[id].name.as_str())
        .collect();
    match missing[..] {
        [] => Ok(pairs.iter().flatten().cloned().collect()),
        [one] => Err(format!("at `ocs`: the OCS `{one}` is missing")),
        [first, ..] => {
            Err(format!("at `ocs`: the OCS `{first}` and {} others are missing", missing.len() - 1))
        }
    }
}

/// The pod of a fabric; a network has no switches to set.
pub(crate) fn of_pod(fabric: &Fabric) -> Result<&Pod, Stop> {
    fabric.pod().ok_or_else(|| DriverError::NoSwitches { fabric: fabric.name.clone() }.into())
}
