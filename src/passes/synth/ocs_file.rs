//! Reads a `fabc.ocs/1` document against a pod: for `topology = cross_connects "ocs.json"`, and for whoever
//! starts from live settings.

use super::SynthError;
use fabc_base::diag::Span;
use fabc_base::ids::{IdVec, OcsId};
use fabc_ir::read::{self, AnyOcsFile, OcsSetting};
use fabc_model::{CoupleRule, FacePort, Ocs, Pod};
use std::collections::{BTreeMap, BTreeSet};

/// Why settings do not fit a pod.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misfit {
    /// Which of the listed switches is wrong; `None` if it is the whole.
    pub switch: Option<usize>,
    /// Which of its cross-connects is wrong; `None` if it is the switch.
    pub cross_connect: Option<usize>,
    /// What is wrong there.
    pub what: String,
    /// The declaration of the OCS in question.
    pub ocs: Option<Span>,
}

impl std::fmt::Display for Misfit {
    /// With the place in a `fabc.ocs/1` document.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.switch, self.cross_connect) {
            (Some(switch), Some(pair)) => write!(f, "at `ocs[{switch}].cross_connects[{pair}]`: ")?,
            (Some(switch), None) => write!(f, "at `ocs[{switch}].name`: ")?,
            _ => {}
        }
        f.write_str(&self.what)
    }
}

/// Settings of the switches as pairs of port indices of the pod; `None` for a switch that the file does not
/// name.
pub type ReadSettings = IdVec<OcsId, Option<BTreeSet<[u32; 2]>>>;

/// Reads the text of a `fabc.ocs/1` document. Port names decide, so a file with ports in another order is
/// read rightly.
///
/// # Errors
/// The first [`Misfit`].
pub fn read_cross_connects(pod: &Pod, text: &str) -> Result<ReadSettings, Misfit> {
    let whole = |what: String| Misfit { switch: None, cross_connect: None, what, ocs: None };
    let document: AnyOcsFile = read::json(text.as_bytes()).map_err(whole)?;
    if document.format != "fabc.ocs/1" {
        return Err(whole(format!("its format is `{}`, not `fabc.ocs/1`", document.format)));
    }
    fit(pod, &document.ocs)
}

/// Fits the settings of switches, however they were written down, to the pod.
///
/// # Errors
/// The first [`Misfit`].
pub fn fit(pod: &Pod, switches: &[OcsSetting]) -> Result<ReadSettings, Misfit> {
    let by_name: BTreeMap<&str, OcsId> = pod.ocses.enumerate().map(|(id, ocs)| (ocs.name.as_str(), id)).collect();
    let mut settings: ReadSettings = IdVec::filled(None, pod.ocses.len());
    for (k, switch) in switches.iter().enumerate() {
        let wrong = |what: String, ocs: Option<Span>| Misfit { switch: Some(k), cross_connect: None, what, ocs };
        let Some(&id) = by_name.get(switch.name.as_str()) else {
            return Err(wrong(format!("it sets the OCS `{}`, which the spec does not declare", switch.name), None));
        };
        let ocs = &pod.ocses[id];
        if settings[id].is_some() {
            return Err(wrong(format!("it sets the OCS `{}` twice", ocs.name), Some(ocs.span)));
        }
        settings[id] = Some(pairs(pod, ocs, switch).map_err(|(at, what)| Misfit {
            switch: Some(k),
            cross_connect: Some(at),
            what: format!("{}: {what}", ocs.name),
            ocs: Some(ocs.span),
        })?);
    }
    Ok(settings)
}

/// The pairs of one switch; an error says which cross-connect is wrong.
fn pairs(pod: &Pod, ocs: &Ocs, switch: &OcsSetting) -> Result<BTreeSet<[u32; 2]>, (usize, String)> {
    let side = |faces: &[FacePort], on_a: bool| {
        let named = faces.iter().zip(0u32..).map(|(face, index)| (pod.face_port_name(*face), (index, *face, on_a)));
        named.collect::<Vec<_>>()
    };
    let ports: BTreeMap<String, (u32, FacePort, bool)> = side(&ocs.a, true).into_iter().chain(side(&ocs.b, false)).collect();
    let any = ocs.rule == CoupleRule::Any;
    let side_b = if any { &switch.a } else { &switch.b };
    let mut used = BTreeSet::new();
    let mut found = BTreeSet::new();
    for (at, &[a, b]) in switch.cross_connects.iter().enumerate() {
        let find = |list: &[String], index: u32, want_a: bool| -> Result<(u32, FacePort), (usize, String)> {
            let name = list
                .get(index as usize)
                .ok_or_else(|| (at, format!("cross-connect [{a}, {b}] names port {index}, but the side has {}", list.len())))?;
            match ports.get(name) {
                Some((index, face, on_a)) if *on_a == want_a || any => Ok((*index, *face)),
                Some(_) => Err((at, format!("`{name}` is on the other side of this switch"))),
                None => Err((at, format!("`{name}` is not wired to this switch"))),
            }
        };
        let ((a_index, a_face), (b_index, b_face)) = (find(&switch.a, a, true)?, find(side_b, b, false)?);
        for face in [a_face, b_face] {
            if !used.insert(face) {
                return Err((at, format!("`{}` is in two cross-connects", pod.face_port_name(face))));
            }
        }
        if a_face.node == b_face.node {
            return Err((at, format!("cross-connect [{a}, {b}] joins {} to itself", pod.node_name(a_face.node))));
        }
        found.insert(if any { [a_index.min(b_index), a_index.max(b_index)] } else { [a_index, b_index] });
    }
    Ok(found)
}

/// The settings in the document of a spec.
pub(super) fn settings(pod: &Pod, path: &str, text: &str) -> Result<ReadSettings, SynthError> {
    read_cross_connects(pod, text).map_err(|misfit| SynthError::BadCrossConnects {
        path: path.to_owned(),
        what: misfit.to_string(),
        span: pod.topology_span,
        ocs: misfit.ocs,
    })
}

/// The fibers that the document of a spec sets.
pub(super) fn read(pod: &Pod, path: &str, text: &str) -> Result<Vec<[FacePort; 2]>, SynthError> {
    let settings = settings(pod, path, text)?;
    let fibers = settings.enumerate().flat_map(|(id, set)| {
        let ocs = &pod.ocses[id];
        set.iter().flatten().map(|&pair| ocs.faces(pair))
    });
    Ok(fibers.collect())
}
