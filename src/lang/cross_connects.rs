//! The file format `fabc.ocs/1`: cross-connects of switches, which the names of their ports tie to a pod.

use fabc_base::diag::Span;
use fabc_base::ids::{IdVec, OcsId};
use fabc_model::{CoupleRule, Cube, FacePort, Ocs, SwitchSettings};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// The format tag of the document.
const FORMAT: &str = "fabc.ocs/1";

/// The whole document. Other keys are skipped, because other programs write such files as well.
#[derive(Deserialize)]
struct OcsDocument {
    format: String,
    ocs: Vec<NamedSwitch>,
}

/// The cross-connects of one switch, by the names of its ports.
#[derive(Deserialize)]
pub struct NamedSwitch {
    /// Name of the switch, such as `X[0,0]`.
    pub name: String,
    /// Names of the ports on side A. Of a switch without sides, the names of all ports.
    pub a: Vec<String>,
    /// Names of the ports on side B. Empty for a switch without sides.
    pub b: Vec<String>,
    /// Pairs of indices into `a` and `b`. Of a switch without sides, both are indices into `a`.
    pub cross_connects: Vec<[u32; 2]>,
}

/// Why the cross-connects do not fit the switches of a pod.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SwitchMisfit {
    /// Index of the wrong switch in the list. `None` if the document as a whole is wrong.
    pub switch: Option<usize>,
    /// Index of its wrong cross-connect. `None` if the switch itself is wrong.
    pub cross_connect: Option<usize>,
    /// The problem in words, without the place.
    pub problem: String,
    /// The declaration of that switch, if there is one.
    pub ocs: Option<Span>,
}

impl std::fmt::Display for SwitchMisfit {
    /// The place in a `fabc.ocs/1` document, and the problem.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.switch, self.cross_connect) {
            (Some(switch), Some(pair)) => write!(f, "at `ocs[{switch}].cross_connects[{pair}]`: ")?,
            (Some(switch), None) => write!(f, "at `ocs[{switch}].name`: ")?,
            _ => {}
        }
        f.write_str(&self.problem)
    }
}

/// Reads the text of a `fabc.ocs/1` document against the switches of a pod of such cubes. The names of ports
/// decide, so the order of switches and ports in the document does not matter.
///
/// # Errors
/// The first [`SwitchMisfit`].
pub fn read_cross_connects(
    cube: &Cube,
    ocses: &IdVec<OcsId, Ocs>,
    text: &str,
) -> Result<SwitchSettings, SwitchMisfit> {
    let document_error =
        |problem: String| SwitchMisfit { switch: None, cross_connect: None, problem, ocs: None };
    let document: OcsDocument =
        serde_json::from_str(text).map_err(|error| document_error(error.to_string()))?;
    if document.format != FORMAT {
        return Err(document_error(format!("its format is `{}`, not `{FORMAT}`", document.format)));
    }
    fit_switches(cube, ocses, &document.ocs)
}

/// Finds the listed switches and their ports among the switches of a pod of such cubes.
///
/// # Errors
/// The first [`SwitchMisfit`].
pub fn fit_switches(
    cube: &Cube,
    ocses: &IdVec<OcsId, Ocs>,
    switches: &[NamedSwitch],
) -> Result<SwitchSettings, SwitchMisfit> {
    let by_name: BTreeMap<&str, OcsId> = ocses.enumerate().map(|(id, ocs)| (ocs.name.as_str(), id)).collect();
    let mut pairs = IdVec::filled(None, ocses.len());
    for (k, switch) in switches.iter().enumerate() {
        let switch_error = |problem: String, ocs: Option<Span>| SwitchMisfit {
            switch: Some(k),
            cross_connect: None,
            problem,
            ocs,
        };
        let Some(&id) = by_name.get(switch.name.as_str()) else {
            return Err(switch_error(
                format!("it sets the OCS `{}`, which the spec does not declare", switch.name),
                None,
            ));
        };
        let ocs = &ocses[id];
        if pairs[id].is_some() {
            return Err(switch_error(format!("it sets the OCS `{}` twice", ocs.name), Some(ocs.span)));
        }
        pairs[id] =
            Some(index_pairs(cube, ocs, switch).map_err(|PairMisfit { pair, problem }| SwitchMisfit {
                switch: Some(k),
                cross_connect: Some(pair),
                problem: format!("{}: {problem}", ocs.name),
                ocs: Some(ocs.span),
            })?);
    }
    Ok(SwitchSettings { pairs })
}

/// Why a cross-connect does not fit its switch.
struct PairMisfit {
    /// Its index in the list of the switch.
    pair: usize,
    problem: String,
}

/// The cross-connects of a switch as pairs of port indices of the pod.
fn index_pairs(cube: &Cube, ocs: &Ocs, switch: &NamedSwitch) -> Result<BTreeSet<[u32; 2]>, PairMisfit> {
    let side = |faces: &[FacePort], on_a: bool| {
        let named =
            faces.iter().zip(0u32..).map(|(face, index)| (cube.face_port_name(*face), (index, *face, on_a)));
        named.collect::<Vec<_>>()
    };
    let ports: BTreeMap<String, (u32, FacePort, bool)> =
        side(&ocs.a, true).into_iter().chain(side(&ocs.b, false)).collect();
    let any = ocs.rule == CoupleRule::Any;
    let side_b = if any { &switch.a } else { &switch.b };
    let mut used = BTreeSet::new();
    let mut pairs = BTreeSet::new();
    for (pair, &[a, b]) in switch.cross_connects.iter().enumerate() {
        let pair_error = |problem: String| PairMisfit { pair, problem };
        let find = |names: &[String], index: u32, want_a: bool| -> Result<(u32, FacePort), PairMisfit> {
            let name = names.get(index as usize).ok_or_else(|| {
                pair_error(format!(
                    "cross-connect [{a}, {b}] names port {index}, but the side has {}",
                    names.len()
                ))
            })?;
            match ports.get(name) {
                Some((index, face, on_a)) if *on_a == want_a || any => Ok((*index, *face)),
                Some(_) => Err(pair_error(format!("`{name}` is on the other side of this switch"))),
                None => Err(pair_error(format!("`{name}` is not wired to this switch"))),
            }
        };
        let ((a_index, a_face), (b_index, b_face)) = (find(&switch.a, a, true)?, find(side_b, b, false)?);
        for face in [a_face, b_face] {
            if !used.insert(face) {
                return Err(pair_error(format!("`{}` is in two cross-connects", cube.face_port_name(face))));
            }
        }
        if a_face.node == b_face.node {
            return Err(pair_error(format!(
                "cross-connect [{a}, {b}] joins {} to itself",
                cube.node_name(a_face.node)
            )));
        }
        pairs.insert(if any { [a_index.min(b_index), a_index.max(b_index)] } else { [a_index, b_index] });
    }
    Ok(pairs)
}
