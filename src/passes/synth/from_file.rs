//! `topology = cross_connects "ocs.json"`: reads a `fabc.ocs/1` document back as fibres.

use super::SynthError;
use crate::diag::Span;
use crate::ids::OcsId;
use crate::model::{CoupleRule, FacePort, Ocs, Pod};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Document {
    format: String,
    ocs: Vec<Switch>,
}

#[derive(Deserialize)]
struct Switch {
    name: String,
    a: Vec<String>,
    b: Vec<String>,
    cross_connects: Vec<[u32; 2]>,
}

/// The fibres that the document sets. Port names decide, so a file with ports in another order is read rightly.
pub(super) fn read(pod: &Pod, path: &str, text: &str) -> Result<Vec<[FacePort; 2]>, SynthError> {
    let bad = |what: String, ocs: Option<Span>| SynthError::BadCrossConnects { path: path.to_owned(), what, span: pod.topology_span, ocs };
    let document: Document = serde_json::from_str(text).map_err(|error| bad(error.to_string(), None))?;
    if document.format != "fabc.ocs/1" {
        return Err(bad(format!("its format is `{}`, not `fabc.ocs/1`", document.format), None));
    }
    let by_name: BTreeMap<&str, OcsId> = pod.ocses.enumerate().map(|(id, ocs)| (ocs.name.as_str(), id)).collect();
    let mut seen = BTreeMap::new();
    let mut fibers = Vec::new();
    for switch in &document.ocs {
        let Some(&id) = by_name.get(switch.name.as_str()) else {
            return Err(bad(format!("it sets the OCS `{}`, which the spec does not declare", switch.name), None));
        };
        let ocs = &pod.ocses[id];
        if seen.insert(id, ()).is_some() {
            return Err(bad(format!("it sets the OCS `{}` twice", ocs.name), Some(ocs.span)));
        }
        fibers.extend(settings(pod, ocs, switch).map_err(|what| bad(format!("{}: {what}", ocs.name), Some(ocs.span)))?);
    }
    Ok(fibers)
}

/// The fibres through one switch.
fn settings(pod: &Pod, ocs: &Ocs, switch: &Switch) -> Result<Vec<[FacePort; 2]>, String> {
    let ports: BTreeMap<String, (FacePort, bool)> = ocs
        .a
        .iter()
        .map(|face| (pod.face_port_name(*face), (*face, true)))
        .chain(ocs.b.iter().map(|face| (pod.face_port_name(*face), (*face, false))))
        .collect();
    let side_b = if ocs.rule == CoupleRule::Any { &switch.a } else { &switch.b };
    let mut used = std::collections::BTreeSet::new();
    let mut fibers = Vec::new();
    for [a, b] in &switch.cross_connects {
        let find = |list: &[String], index: u32, want_a: bool| -> Result<FacePort, String> {
            let name = list
                .get(index as usize)
                .ok_or_else(|| format!("cross-connect [{a}, {b}] names port {index}, but the side has {}", list.len()))?;
            match ports.get(name) {
                Some((face, on_a)) if *on_a == want_a || ocs.rule == CoupleRule::Any => Ok(*face),
                Some(_) => Err(format!("`{name}` is on the other side of this switch")),
                None => Err(format!("`{name}` is not wired to this switch")),
            }
        };
        let pair = [find(&switch.a, *a, true)?, find(side_b, *b, false)?];
        for face in pair {
            if !used.insert(face) {
                return Err(format!("`{}` is in two cross-connects", pod.face_port_name(face)));
            }
        }
        if pair[0].node == pair[1].node {
            return Err(format!("cross-connect [{a}, {b}] joins {} to itself", pod.node_name(pair[0].node)));
        }
        fibers.push(pair);
    }
    Ok(fibers)
}
