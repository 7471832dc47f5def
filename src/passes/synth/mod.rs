//! The topology of a pod: a torus, a synthesized wiring, or one that is read back. Networks are wired by
//! `wire` and drawn or searched by `draw`.
//!
//! In: a pod. Out: a [`Topology`] with the translation symmetry that was found in it, and what the search
//! did. Which mirror carries which fiber is decided by `cross_connect`, not here.

mod action;
mod antipodal;
mod climb;
mod error;
mod evaluate;
mod known;
mod milp;
mod near;
mod parity;
mod score;
mod search;
mod seeds;
mod shape;
mod starts;
mod steer;
mod torus;
mod wiring;

pub use error::SynthError;
pub use seeds::start_lengths;
pub use wiring::of_set_switches;

use fabc_base::progress::Progress;
use fabc_ir::{PassRecord, Topology};
use fabc_model::{Fabric, Pod, SymmetryChoice, SynthesisMethod, Synthesize, TopologyChoice};

/// A topology and how it came about.
#[derive(Debug)]
pub struct Synthesized {
    /// The topology; more than one where the search leaves it to the certified flow to decide, best score
    /// first.
    pub finalists: Vec<Topology>,
    /// For the report.
    pub record: PassRecord,
}

/// Chooses and wires the topology that the spec asks for.
///
/// # Errors
/// [`SynthError`] where symmetry is demanded of a pod that has none, where the wiring leaves the pod in
/// pieces, or where the search would take too much memory.
pub fn synthesize(fabric: &Fabric, pod: &Pod, progress: &dyn Progress) -> Result<Synthesized, SynthError> {
    let (name, found): (&str, search::Found) = match &pod.topology {
        TopologyChoice::Torus(dims) => ("torus", torus::torus(pod, *dims).into()),
        TopologyChoice::TwistedTorus(dims) => ("twisted_torus", torus::twisted_torus(pod, *dims).into()),
        TopologyChoice::CrossConnects { settings, .. } => {
            ("cross_connects", settings.joined_faces(&pod.ocses).concat().into())
        }
        TopologyChoice::SynthesizeNear(settings) => {
            ("synthesize", near::near(fabric, pod, settings, progress)?)
        }
        TopologyChoice::Synthesize(settings) if settings.method != SynthesisMethod::Search => {
            return by_program(fabric, pod, *settings, progress);
        }
        TopologyChoice::Synthesize(settings) => {
            if settings.symmetry == SymmetryChoice::Translation {
                movable(fabric, pod)?;
            }
            ("synthesize", search::search(fabric, pod, *settings, progress)?)
        }
    };
    // The search scores connected wirings best, so that a finalist in pieces stands behind whole ones, if
    // there are any.
    let mut wired = found.finalists.iter().map(|fibers| wiring::of_fibers(pod, &fabric.demand, fibers));
    let first = wired.next().expect("a search has a result")?;
    let finalists = std::iter::once(first).chain(wired.flatten()).collect();
    let counters = found.counters;
    let stopped_by = match (name, found.out_of_time) {
        ("synthesize", true) => "time_limit",
        ("synthesize", false) => "budget",
        _ => "done",
    };
    let record =
        PassRecord { name: name.to_owned(), stopped_by: stopped_by.to_owned(), counters, notes: found.notes };
    Ok(Synthesized { finalists, record })
}

/// What a search is refused for before it begins.
///
/// # Errors
/// As [`synthesize`].
pub fn searchable(fabric: &Fabric, pod: &Pod) -> Result<(), SynthError> {
    match &pod.topology {
        TopologyChoice::Synthesize(settings) if settings.method != SynthesisMethod::Search => {
            milp::affordable(pod, settings.method, by_shifts(pod, settings.symmetry)?)
        }
        TopologyChoice::Synthesize(settings) => {
            search::fits(fabric, pod, *settings)?;
            if settings.symmetry == SymmetryChoice::Translation { movable(fabric, pod) } else { Ok(()) }
        }
        TopologyChoice::SynthesizeNear(near) => near::live(fabric, pod, near).map(|_| ()),
        _ => Ok(()),
    }
}

/// Fails where `symmetry = translation` has no group to search under.
fn movable(fabric: &Fabric, pod: &Pod) -> Result<(), SynthError> {
    match search::asymmetry(&fabric.demand, pod, &fabric.budget)? {
        Some(reason) => Err(SynthError::NoSymmetry { reason, span: pod.topology_span }),
        None => Ok(()),
    }
}

/// Whether a program chooses one shift for each OCS.
fn by_shifts(pod: &Pod, symmetry: SymmetryChoice) -> Result<bool, SynthError> {
    match (symmetry, milp::asymmetry(pod)) {
        (SymmetryChoice::Translation, Some(reason)) => {
            Err(SynthError::NoSymmetry { reason, span: pod.topology_span })
        }
        (SymmetryChoice::Translation | SymmetryChoice::Auto, asymmetry) => Ok(asymmetry.is_none()),
        (SymmetryChoice::None, _) => Ok(false),
    }
}

/// The topology by a mixed-integer or linear program.
fn by_program(
    fabric: &Fabric,
    pod: &Pod,
    settings: Synthesize,
    progress: &dyn Progress,
) -> Result<Synthesized, SynthError> {
    let symmetric = by_shifts(pod, settings.symmetry)?;
    let solved = milp::synthesize(fabric, pod, settings.method, symmetric, progress)?;
    let topology = wiring::of_fibers(pod, &fabric.demand, &solved.fibers)?;
    let counters = solved.counters;
    let (name, stopped_by) = ("synthesize".to_owned(), solved.stopped_by.to_owned());
    Ok(Synthesized {
        finalists: vec![topology],
        record: PassRecord { name, stopped_by, counters, notes: vec![solved.note] },
    })
}
