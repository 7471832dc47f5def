//! The topology of a pod: a torus, a synthesized wiring, or one that is read back. Networks are wired by
//! `wire` and drawn or searched by `draw`.
//!
//! Input: a pod. Output: a [`Topology`] with the translation symmetry found in it, and a record of the
//! search. `cross_connect` decides which mirror carries which fiber.

mod action;
mod antipodal;
mod climb;
mod error;
mod evaluate;
mod groups;
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
pub use wiring::{topology_from_mirrors, wrapped_cubes};

use fabc_base::progress::Progress;
use fabc_ir::{PassRecord, Topology};
use fabc_model::{Fabric, Pod, SymmetryChoice, SynthesisMethod, Synthesize, TopologyChoice};

/// A topology and the record of its synthesis.
#[derive(Debug)]
pub struct Synthesized {
    /// The topology. There are several, best score first, if the search leaves the choice to the certified
    /// flow.
    pub finalists: Vec<Topology>,
    /// The work of the search, for the report.
    pub record: PassRecord,
}

/// Chooses and wires the topology that the spec asks for.
///
/// # Errors
/// [`SynthError`] if symmetry is demanded of a pod that has none, if the wiring leaves the pod
/// disconnected, or if the search would take too much memory.
pub fn synthesize(fabric: &Fabric, pod: &Pod, progress: &dyn Progress) -> Result<Synthesized, SynthError> {
    let (name, outcome): (&str, search::SearchResult) = match &pod.topology {
        TopologyChoice::Torus(dims) => ("torus", torus::torus(pod, *dims).into()),
        TopologyChoice::TwistedTorus(dims) => ("twisted_torus", torus::twisted_torus(pod, *dims).into()),
        TopologyChoice::CrossConnects { settings, .. } => {
            ("cross_connects", settings.joined_faces(&pod.ocses).concat().into())
        }
        TopologyChoice::SynthesizeNear(settings) => {
            ("synthesize", near::search_near(fabric, pod, settings, progress)?)
        }
        TopologyChoice::Synthesize(settings) if settings.method != SynthesisMethod::Search => {
            return synthesize_by_program(fabric, pod, *settings, progress);
        }
        TopologyChoice::Synthesize(settings) => {
            if settings.symmetry == SymmetryChoice::Translation {
                require_symmetry(fabric, pod)?;
            }
            ("synthesize", search::search(fabric, pod, *settings, progress)?)
        }
    };
    // The search scores connected wirings best, so a disconnected finalist comes after connected ones, if
    // there are any.
    let mut wired =
        outcome.finalists.iter().map(|fibers| wiring::topology_from_fibers(pod, &fabric.demand, fibers));
    let first = wired.next().expect("a search has a result")?;
    let finalists = std::iter::once(first).chain(wired.flatten()).collect();
    let counters = outcome.counters;
    let stopped_by = match (name, outcome.out_of_time) {
        ("synthesize", true) => "time_limit",
        ("synthesize", false) => "budget",
        _ => "done",
    };
    let record = PassRecord {
        name: name.to_owned(),
        stopped_by: stopped_by.to_owned(),
        counters,
        notes: outcome.notes,
    };
    Ok(Synthesized { finalists, record })
}

/// Tests before a search begins whether it must be refused.
///
/// # Errors
/// As [`synthesize`].
pub fn check_searchable(fabric: &Fabric, pod: &Pod) -> Result<(), SynthError> {
    wiring::check_joinable(pod)?;
    match &pod.topology {
        TopologyChoice::Synthesize(settings) if settings.method != SynthesisMethod::Search => {
            milp::check_affordable(pod, settings.method, chooses_shifts(pod, settings.symmetry)?)
        }
        TopologyChoice::Synthesize(settings) => {
            groups::check_fits(fabric, pod, *settings)?;
            if settings.symmetry == SymmetryChoice::Translation {
                require_symmetry(fabric, pod)
            } else {
                Ok(())
            }
        }
        TopologyChoice::SynthesizeNear(near) => near::live_setting(fabric, pod, near).map(|_| ()),
        _ => Ok(()),
    }
}

/// Requires a group to search under, for `symmetry = translation`.
fn require_symmetry(fabric: &Fabric, pod: &Pod) -> Result<(), SynthError> {
    match groups::asymmetry(&fabric.demand, pod, &fabric.budget)? {
        Some(reason) => Err(SynthError::NoSymmetry { reason, span: pod.topology_span }),
        None => Ok(()),
    }
}

/// Whether a program chooses one shift for each OCS.
fn chooses_shifts(pod: &Pod, symmetry: SymmetryChoice) -> Result<bool, SynthError> {
    match (symmetry, milp::asymmetry(pod)) {
        (SymmetryChoice::Translation, Some(reason)) => {
            Err(SynthError::NoSymmetry { reason, span: pod.topology_span })
        }
        (SymmetryChoice::Translation | SymmetryChoice::Auto, asymmetry) => Ok(asymmetry.is_none()),
        (SymmetryChoice::None, _) => Ok(false),
    }
}

/// Synthesizes the topology by a mixed-integer or linear program.
fn synthesize_by_program(
    fabric: &Fabric,
    pod: &Pod,
    settings: Synthesize,
    progress: &dyn Progress,
) -> Result<Synthesized, SynthError> {
    let symmetric = chooses_shifts(pod, settings.symmetry)?;
    let solved = milp::synthesize(fabric, pod, settings.method, symmetric, progress)?;
    let topology = wiring::topology_from_fibers(pod, &fabric.demand, &solved.fibers)?;
    let counters = solved.counters;
    let (name, stopped_by) = ("synthesize".to_owned(), solved.stopped_by.to_owned());
    Ok(Synthesized {
        finalists: vec![topology],
        record: PassRecord { name, stopped_by, counters, notes: vec![solved.note] },
    })
}
