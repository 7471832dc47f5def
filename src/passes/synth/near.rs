//! The search near live cross-connects: the best topology within so many moves.
//!
//! A move is a cross-connect of the result that the live setting does not have; what `fabc plan` adds is the
//! same set. Two kinds of changes: an exchange of two ends on one OCS (up to 2 moves; with a free port 1),
//! and, where the live wiring is symmetric under translations, another shift of a whole OCS (up to as many
//! moves as there are cubes), which keeps the symmetry. Every port that is free and every move that is left
//! is used only where the score gains. The score is that of `search`: the largest of a few dual bounds, over
//! all sources at once. Of equal scores the symmetric result wins, and the live setting before all others.
//! Source: threshold accepting, Dueck & Scheuer 1990.

mod area;
mod exchange;
mod shift;

use super::SynthError;
use super::climb::{EVALUATIONS, RESTARTS};
use super::evaluate::Evaluator;
use super::search::{Found, affordable};
use super::wiring::of_fibers;
use area::{Area, Slots, pairs, slots_of};
use fabc_base::progress::Progress;
use fabc_base::random::Stream;
use fabc_ir::Symmetry;
use fabc_model::{Fabric, FacePort, Near, Pod, SymmetryChoice};
use rayon::prelude::*;
use shift::Shift;

/// The setting that the search starts from.
pub(super) struct Live {
    /// `[switch]`: the face ports that it joins.
    pairs: Vec<Vec<[FacePort; 2]>>,
    /// The symmetry of the topology, if it makes all cubes interchangeable.
    symmetry: Option<Symmetry>,
}

/// The setting that the search starts from, with its symmetry.
///
/// # Errors
/// [`SynthError`] where the setting has no symmetry although one is demanded, or where the search would take
/// too much memory.
pub(super) fn live(fabric: &Fabric, pod: &Pod, near: &Near) -> Result<Live, SynthError> {
    affordable(&fabric.demand, pod, 1)?;
    let pairs = near.settings.joined_faces(&pod.ocses);
    let symmetry =
        of_fibers(pod, &fabric.demand, &pairs.concat()).ok().map(|topology| topology.symmetry().clone());
    let symmetry = symmetry.filter(|symmetry| symmetry.order() == pod.cubes as usize);
    if near.search.symmetry == SymmetryChoice::Translation && symmetry.is_none() {
        let reason = format!("the cross-connects of `{}` treat its cubes differently", near.path);
        return Err(SynthError::NoSymmetry { reason, span: pod.topology_span });
    }
    Ok(Live { pairs, symmetry })
}

/// The best topology found within the moves.
///
/// # Errors
/// As [`live`].
pub(super) fn near(
    fabric: &Fabric,
    pod: &Pod,
    near: &Near,
    progress: &dyn Progress,
) -> Result<Found, SynthError> {
    let Live { pairs: live_pairs, symmetry } = live(fabric, pod, near)?;
    let live: Slots = pod.ocses.iter().zip(&live_pairs).map(|(ocs, pairs)| slots_of(ocs, pairs)).collect();
    let only_shifts = near.search.symmetry == SymmetryChoice::Translation;

    progress.begin("synthesize", 3 * RESTARTS);
    let expired = || near.search.time_limit.is_some_and(|seconds| progress.expired(seconds));
    let area = Area::new(&fabric.demand, pod, near, &live_pairs, &expired);
    let evaluations =
        (EVALUATIONS * u64::from(near.search.effort) * 256 / pod.node_count().max(256) as u64).max(200);
    let shifts = match (&symmetry, near.search.symmetry) {
        (Some(symmetry), SymmetryChoice::Auto | SymmetryChoice::Translation) => Shift::all(&area, symmetry),
        _ => Vec::new(),
    };
    let seed = near.search.seed;
    let run = |first: u64, search: &(dyn Fn(&mut Stream) -> (u64, Slots) + Sync)| {
        let runs: Vec<(u64, Slots)> = (0..RESTARTS)
            .into_par_iter()
            .map(|restart| {
                let found = search(&mut Stream::new(seed, first + restart));
                progress.advance();
                found
            })
            .collect();
        runs.into_iter().min_by_key(|(score, _)| *score).expect("at least one restart")
    };
    let at_start = area.score(&live, u64::MAX, &mut Evaluator::new(&area.shape));
    let mut best = (at_start, live.clone());
    let mut runs = 0;
    let mut better = |found: (u64, Slots)| {
        runs += RESTARTS;
        if found.0 < best.0 {
            best = found;
        }
        best.1.clone()
    };
    let mut starts = vec![live.clone()];
    if near.moves > 0 && !shifts.is_empty() {
        let shifted = better(run(1, &|stream| area.shift(&live, at_start, &shifts, evaluations, stream)));
        // What shifts leave over, exchanges may use.
        if shifted != live && area.moves(&shifted) < near.moves {
            starts.push(shifted);
        }
    }
    if near.moves > 0 && !only_shifts {
        for (start, first) in starts.iter().zip([1 + RESTARTS, 1 + 2 * RESTARTS]) {
            better(run(first, &|stream| area.exchange(area.completed(start), evaluations, stream)));
        }
    }

    let (_, slots) = best;
    let mut counters = vec![
        ("restarts".to_owned(), runs),
        ("evaluations".to_owned(), runs * evaluations),
        ("moves_allowed".to_owned(), near.moves),
        ("moves".to_owned(), area.moves(&slots)),
    ];
    for (name, slots) in [("live", &live), ("here", &slots)] {
        if let Some((hops, bound)) = area.measure(slots) {
            counters.push((format!("hops_{name}"), hops));
            counters.push((format!("flow_at_most_ppt_{name}"), bound));
        }
    }
    let fibers = slots.iter().flat_map(|slots| pairs(slots)).collect();
    // Asked once more: a search that the clock cut short ended only after it.
    let out_of_time = expired();
    progress.end();
    Ok(Found { finalists: vec![fibers], counters, notes: Vec::new(), out_of_time })
}
