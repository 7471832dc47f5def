//! Finds which OCS carries which fiber.
//!
//! Input: a topology whose fibers join face ports. Output: the cross-connects of every OCS. A face port is
//! wired to at most one OCS, so the cross-connects are unique. A fiber that no OCS can carry is an error that
//! names the fiber.

use fabc_base::diag::Span;
use fabc_base::ids::{IdVec, LinkId, OcsId};
use fabc_ir::{CrossConnect, CrossConnects, End, LinkClass, Topology, face_end_name};
use fabc_model::{FacePlugs, Pod};
use miette::Diagnostic;
use thiserror::Error;

/// FAB0201: a fiber that no declared OCS can carry.
#[derive(Debug, Error, Diagnostic)]
#[error("no OCS can connect {a} with {b}")]
#[diagnostic(code(FAB0201), help("{hint}"))]
pub struct NotRealisable {
    /// Name of one face port.
    a: String,
    /// Name of the other face port.
    b: String,
    /// The reason, as help text.
    hint: String,
    /// Span of the topology line.
    #[label("this topology needs that fiber ({count} such pairs are missing)")]
    span: Span,
    /// Number of fibers that no OCS can carry.
    count: usize,
    /// Span of the OCS that serves the first port, if one does.
    #[label("{a} is wired here")]
    served: Option<Span>,
}

/// Finds the cross-connects of a topology.
///
/// # Errors
/// [`NotRealisable`] with the first fiber that the declared OCSes cannot carry and the number of such fibers.
pub fn assign(pod: &Pod, topology: &Topology) -> Result<CrossConnects, NotRealisable> {
    let plugs = pod.face_plugs();
    let plug = |end: End| plugs.get(end.node, end.port);
    let mut settings: IdVec<OcsId, Vec<CrossConnect>> = IdVec::filled(Vec::new(), pod.ocses.len());
    let mut ocs_of: IdVec<LinkId, Option<OcsId>> = IdVec::filled(None, topology.links().len());
    let mut missing: Vec<(End, End)> = Vec::new();
    for (id, link) in topology.links().enumerate().filter(|(_, link)| link.class == LinkClass::Global) {
        let mirror = match (plug(link.a), plug(link.b)) {
            (Some(a), Some(b)) if a.ocs == b.ocs => pod.ocses[a.ocs].pair(a, b).map(|pair| (a.ocs, pair)),
            _ => None,
        };
        match mirror {
            Some((ocs, [a, b])) => {
                settings[ocs].push(CrossConnect { a, b, link: id });
                ocs_of[id] = Some(ocs);
            }
            None => missing.push((link.a, link.b)),
        }
    }
    if let Some(&(a, b)) = missing.first() {
        return Err(not_realisable(pod, &plugs, a, b, missing.len()));
    }
    let settings = settings.ids().map(|ocs| {
        let mut sorted = settings[ocs].clone();
        sorted.sort_unstable();
        sorted
    });
    Ok(CrossConnects { settings: settings.collect(), ocs_of })
}

fn not_realisable(pod: &Pod, plugs: &FacePlugs, a: End, b: End, count: usize) -> NotRealisable {
    let name = |end: End| face_end_name(pod, end);
    let [plug_a, plug_b] = [a, b].map(|end| plugs.get(end.node, end.port));
    let hint = match (plug_a, plug_b) {
        (None, None) => format!(
            "neither {} nor {} is coupled by any `ocs` item; declare a group that couples them",
            name(a),
            name(b)
        ),
        (None, _) => format!("{} is not coupled by any `ocs` item: it is dark", name(a)),
        (_, None) => format!("{} is not coupled by any `ocs` item: it is dark", name(b)),
        (Some(first), Some(second)) if first.ocs != second.ocs => {
            format!(
                "{} is wired to {}, but {} to {}: a fiber runs through one switch",
                name(a),
                pod.ocses[first.ocs].name,
                name(b),
                pod.ocses[second.ocs].name
            )
        }
        (Some(first), _) => format!(
            "both are on the same side of {}, which couples one side with the other",
            pod.ocses[first.ocs].name
        ),
    };
    let served = plug_a.map(|plug| pod.ocses[plug.ocs].span);
    NotRealisable { a: name(a), b: name(b), hint, span: pod.topology_span, count, served }
}
