//! The topology: a torus, a synthesized wiring, or one that is read back.
//!
//! In: a pod. Out: a [`Topology`] with the translation symmetry that was found in it, and what the search did.
//! Which mirror carries which fibre is decided by `cross_connect`, not here.

mod error;
mod evaluate;
mod from_file;
mod milp;
mod search;
mod torus;
mod wiring;

pub use error::SynthError;

use crate::ir::{PassRecord, Topology};
use crate::model::{Pod, SymmetryChoice, SynthesisMethod, Synthesize, TopologyChoice};
use crate::progress::Progress;

/// A topology and how it came about.
#[derive(Debug)]
pub struct Synthesized {
    /// The topology.
    pub topology: Topology,
    /// For the report.
    pub record: PassRecord,
}

/// Chooses and wires the topology that the spec asks for.
///
/// # Errors
/// [`SynthError`] where the file of `cross_connects` does not fit the pod, where symmetry is demanded of a pod that has none, or where the
/// wiring leaves the pod in pieces.
pub fn synthesize(pod: &Pod, progress: &dyn Progress) -> Result<Synthesized, SynthError> {
    if let TopologyChoice::Synthesize(settings) = &pod.topology
        && settings.method != SynthesisMethod::Search
    {
        return by_program(pod, *settings, progress);
    }
    let (name, search::Found { fibers, mut counters }) = match &pod.topology {
        TopologyChoice::Torus(dims) => ("torus", torus::torus(pod, *dims).into()),
        TopologyChoice::TwistedTorus(dims) => ("twisted_torus", torus::twisted_torus(pod, *dims).into()),
        TopologyChoice::CrossConnects { path, text } => ("cross_connects", from_file::read(pod, path, text)?.into()),
        TopologyChoice::Synthesize(settings) => {
            let symmetric = search::translations_fit(pod);
            let found = match (settings.symmetry, symmetric) {
                (SymmetryChoice::Translation | SymmetryChoice::Auto, Ok(())) => search::by_translation(pod, *settings, progress),
                (SymmetryChoice::Translation, Err(reason)) => {
                    return Err(SynthError::NoSymmetry { reason, span: pod.topology_span });
                }
                (SymmetryChoice::None, _) | (SymmetryChoice::Auto, Err(_)) => search::by_swaps(pod, *settings, progress),
            };
            ("synthesize", found)
        }
    };
    let topology = wiring::wire(pod, &fibers)?;
    counters.push(("symmetry_order".to_owned(), topology.symmetry().order() as u64));
    let stopped_by = if name == "synthesize" { "budget" } else { "done" };
    Ok(Synthesized { topology, record: PassRecord { name: name.to_owned(), stopped_by: stopped_by.to_owned(), counters } })
}

/// The topology by a mixed-integer or linear program.
fn by_program(pod: &Pod, settings: Synthesize, progress: &dyn Progress) -> Result<Synthesized, SynthError> {
    let symmetric = match (settings.symmetry, search::translations_fit(pod)) {
        (SymmetryChoice::Translation, Err(reason)) => return Err(SynthError::NoSymmetry { reason, span: pod.topology_span }),
        (SymmetryChoice::Translation | SymmetryChoice::Auto, fits) => fits.is_ok(),
        (SymmetryChoice::None, _) => false,
    };
    let milp::Solved { fibers, mut counters, stopped_by } = milp::synthesize(pod, settings.method, symmetric, progress)?;
    let topology = wiring::wire(pod, &fibers)?;
    counters.push(("symmetry_order".to_owned(), topology.symmetry().order() as u64));
    Ok(Synthesized { topology, record: PassRecord { name: "synthesize".to_owned(), stopped_by: stopped_by.to_owned(), counters } })
}
