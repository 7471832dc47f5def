//! Reads `ocs.json` and the configuration of every switch, and verifies them against the pod.

use super::files::{Files, OCS};
use super::inputs::verify_input;
use super::read::{contradiction, json, tagged};
use crate::CheckError;
use crate::faults::file_name_part;
use fabc_base::ids::{IdVec, LinkId, OcsId};
use fabc_ir::read::{AnyOcsFile, ConfigCrossConnect, ConfigDb, ConfigPort, OcsFile};
use fabc_ir::{CrossConnect, CrossConnects, Topology};
use fabc_model::OCS_INPUT;
use fabc_model::{CoupleRule, Duplex, FacePort, Ocs, Pod, SonicConfig, TopologyChoice};
use std::collections::{BTreeMap, BTreeSet};

/// Reads the settings of all switches.
pub(super) fn read_cross_connects(
    files: &Files,
    pod: &Pod,
    topology: &Topology,
    ocs_of: IdVec<LinkId, Option<OcsId>>,
) -> Result<CrossConnects, CheckError> {
    let file: OcsFile = tagged(files, OCS)?;
    if file.ocs.len() != pod.ocses.len() {
        return Err(contradiction(
            OCS,
            "ocs",
            format!("has {} switches, but the spec declares {}", file.ocs.len(), pod.ocses.len()),
        ));
    }
    let mut settings = IdVec::new();
    for (k, (line, ocs)) in file.ocs.iter().zip(pod.ocses.iter()).enumerate() {
        let reject = |place: String, violation: String| {
            Err(CheckError::Contradiction { file: OCS.to_owned(), place, violation, span: Some(ocs.span) })
        };
        if line.name != ocs.name {
            return reject(
                format!("ocs[{k}].name"),
                format!("says `{}`, but the spec declares `{}` there", line.name, ocs.name),
            );
        }
        for (side, port_names, ports) in [("a", &line.a, &ocs.a), ("b", &line.b, &ocs.b)] {
            if !ports.iter().map(|&port| pod.face_port_name(port)).eq(port_names.iter().cloned()) {
                return reject(
                    format!("ocs[{k}].{side}"),
                    format!("does not list the ports that the spec couples to {}", ocs.name),
                );
            }
        }
        let second = second_side(ocs);
        let mut cross_connects = Vec::new();
        for (index, &(a, b)) in line.cross_connects.iter().enumerate() {
            let place = || format!("ocs[{k}].cross_connects[{index}]");
            let (Some(from), Some(_)) = (ocs.a.get(a as usize), second.get(b as usize)) else {
                return reject(place(), format!("[{a},{b}] is not a pair of ports of {}", ocs.name));
            };
            let Some(channel) = topology.outgoing(from.node, from.port) else {
                return reject(
                    place(),
                    format!("no link of topology.json leaves {}", pod.face_port_name(*from)),
                );
            };
            cross_connects.push(CrossConnect { a, b, link: topology.link_of(channel) });
        }
        settings.push(cross_connects);
    }
    Ok(CrossConnects { settings, ocs_of })
}

/// Verifies the cross-connects against an input file of the spec. They must be equal, or within the allowed
/// number of moves.
pub(super) fn verify_switch_inputs(files: &Files, pod: &Pod) -> Result<(), CheckError> {
    let (text, moves) = match &pod.topology {
        TopologyChoice::CrossConnects { text, .. } => (text, None),
        TopologyChoice::SynthesizeNear(near) => (&near.text, Some(near.moves)),
        _ => return Ok(()),
    };
    verify_input(files, OCS_INPUT, text)?;
    // The input is a user's file: `resolve` skips unknown keys.
    let (wanted, set): (AnyOcsFile, OcsFile) = (json(files, OCS_INPUT)?, tagged(files, OCS)?);
    let wanted = wanted.ocs.iter().map(|switch| NamedPairs {
        name: &switch.name,
        a: &switch.a,
        b: &switch.b,
        pairs: switch.cross_connects.iter().map(|&[a, b]| (a, b)).collect(),
    });
    let set = set.ocs.iter().map(|line| NamedPairs {
        name: &line.name,
        a: &line.a,
        b: &line.b,
        pairs: line.cross_connects.clone(),
    });
    let (wanted, set) = (pairs_by_name(wanted), pairs_by_name(set));
    let empty = BTreeSet::new();
    if let Some(moves) = moves {
        let new_pairs = set
            .iter()
            .map(|(name, set)| set.difference(wanted.get(name).unwrap_or(&empty)).count() as u64)
            .sum::<u64>();
        return match new_pairs > moves {
            true => Err(contradiction(
                OCS,
                "ocs",
                format!(
                    "has {new_pairs} cross-connects that {OCS_INPUT} lacks, but the spec allows {moves} moves"
                ),
            )),
            false => Ok(()),
        };
    }
    for name in wanted.keys().chain(set.keys()) {
        let [wanted, set] = [&wanted, &set].map(|pairs| pairs.get(name).unwrap_or(&empty));
        if let Some((a, b)) = wanted.symmetric_difference(set).next() {
            return Err(contradiction(
                OCS,
                name.as_str(),
                format!("{a} - {b} is in only one of {OCS_INPUT} and {OCS}"),
            ));
        }
    }
    Ok(())
}

type PortPairs = BTreeSet<(String, String)>;

/// The settings of one switch, by the names of its ports.
struct NamedPairs<'a> {
    name: &'a str,
    a: &'a [String],
    /// Empty if the second numbers of the pairs count in `a` too.
    b: &'a [String],
    pairs: Vec<(u32, u32)>,
}

/// The connected pairs of ports, by switch.
fn pairs_by_name<'a>(switches: impl Iterator<Item = NamedPairs<'a>>) -> BTreeMap<String, PortPairs> {
    let mut pairs_of_switch: BTreeMap<String, PortPairs> = BTreeMap::new();
    for NamedPairs { name, a: first, b, pairs } in switches {
        let second = if b.is_empty() { first } else { b };
        let pairs = pairs.into_iter().filter_map(|(a, b)| {
            let (a, b) = (first.get(a as usize)?, second.get(b as usize)?);
            Some(if a < b { (a.clone(), b.clone()) } else { (b.clone(), a.clone()) })
        });
        pairs_of_switch.entry(name.to_owned()).or_default().extend(pairs);
    }
    pairs_of_switch
}

/// The path of a switch's configuration.
pub(super) fn config_path(ocs: &Ocs) -> String {
    format!("ocs/{}.config_db.json", file_name_part(&ocs.name))
}

/// Whether a configuration of the switch is possible and wanted.
pub(super) fn has_config(ocs: &Ocs) -> bool {
    let one_sided = ocs.rule == CoupleRule::Any && ocs.duplex == Duplex::Circulator;
    !one_sided && ocs.config_db != SonicConfig::Unwanted
}

/// Verifies that the configuration of a switch agrees with `ocs.json`.
pub(super) fn verify_config_db(
    files: &Files,
    pod: &Pod,
    ocs: &Ocs,
    settings: &[CrossConnect],
) -> Result<(), CheckError> {
    let path = config_path(ocs);
    let file: ConfigDb = json(files, &path)?;
    let reject = |place: String, violation: String| {
        Err(CheckError::Contradiction { file: path.clone(), place, violation, span: Some(ocs.span) })
    };
    let known = switch_ports(pod, ocs);
    for (name, port) in &file.ports.0 {
        match known.get(name) {
            None => {
                return reject(
                    format!("OCS_PORT.{name}"),
                    format!("no face port is wired to port {name} of {}", ocs.name),
                );
            }
            Some(expected) if *port != *expected => {
                let key = if expected.state.is_some() { "state" } else { "config_status" };
                return reject(
                    format!("OCS_PORT.{name}"),
                    format!("must be `{}` with the {key} `normal`", expected.label),
                );
            }
            Some(_) => {}
        }
    }
    for (name, port) in &known {
        if !file.ports.0.contains_key(name) {
            return reject("OCS_PORT".to_owned(), format!("port {name} ({}) is missing", port.label));
        }
    }
    let expected = switch_cross_connects(ocs, settings);
    for (key, line) in &file.cross_connects.0 {
        match expected.get(key) {
            None => {
                return reject(
                    format!("OCS_CROSS_CONNECT.{key}"),
                    format!("{OCS} does not have this cross-connect"),
                );
            }
            Some(pair) if pair != line => {
                return reject(
                    format!("OCS_CROSS_CONNECT.{key}"),
                    format!("must join {} to {}", pair.a_side, pair.b_side),
                );
            }
            Some(_) => {}
        }
    }
    match expected.keys().find(|key| !file.cross_connects.0.contains_key(*key)) {
        Some(key) => reject("OCS_CROSS_CONNECT".to_owned(), format!("{key}, which {OCS} has, is missing")),
        None => Ok(()),
    }
}

fn second_side(ocs: &Ocs) -> &[FacePort] {
    if ocs.rule == CoupleRule::Sided { &ocs.b } else { &ocs.a }
}

/// All ports of a switch that face ports are connected to, by name.
fn switch_ports(pod: &Pod, ocs: &Ocs) -> BTreeMap<String, ConfigPort> {
    let mut ports = BTreeMap::new();
    let normal = |read: SonicConfig| (ocs.config_db == read).then(|| "normal".to_owned());
    let mut add = |name: String, face: FacePort| {
        let label = pod.face_port_name(face);
        ports.insert(
            name,
            ConfigPort { label, config_status: normal(SonicConfig::OcsV), state: normal(SonicConfig::Hld) },
        );
    };
    for (k, &face) in ocs.a.iter().enumerate() {
        add(format!("{}A", k + 1), face);
        if ocs.duplex == Duplex::Pair {
            add(format!("{}B", k + 1), face);
        }
    }
    for (k, &face) in ocs.b.iter().enumerate() {
        match ocs.duplex {
            Duplex::Circulator => add(format!("{}B", k + 1), face),
            Duplex::Pair => {
                add(format!("{}A", ocs.a.len() + k + 1), face);
                add(format!("{}B", ocs.a.len() + k + 1), face);
            }
        }
    }
    ports
}

/// The cross-connects that the configuration of a switch must have.
fn switch_cross_connects(ocs: &Ocs, settings: &[CrossConnect]) -> BTreeMap<String, ConfigCrossConnect> {
    let mut cross_connects = BTreeMap::new();
    let mut add = |a: usize, b: usize| {
        let (a_side, b_side) = (format!("{a}A"), format!("{b}B"));
        cross_connects.insert(format!("{a_side}-{b_side}"), ConfigCrossConnect { a_side, b_side });
    };
    for setting in settings {
        let (a, b) = (setting.a as usize + 1, setting.b as usize + 1);
        match ocs.duplex {
            Duplex::Circulator => add(a, b),
            Duplex::Pair => {
                let b = if ocs.rule == CoupleRule::Sided { ocs.a.len() + b } else { b };
                add(a, b);
                add(b, a);
            }
        }
    }
    cross_connects
}
