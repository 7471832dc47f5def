//! The search near live cross-connects: the best topology within a number of moves.
//!
//! A move is a cross-connect of the result that the live setting does not have. `fabc plan` adds the same
//! set. There are two kinds of changes. An exchange of two ends on one OCS takes up to 2 moves, with a free
//! port 1. If the live wiring is symmetric under translations, a change may also give a whole OCS another
//! shift. That takes up to as many moves as there are cubes, and keeps the symmetry.
//!
//! Free ports and remaining moves are used only if the score gains. The score is that of `search`: the
//! largest of a few dual bounds, over all sources at once. The symmetric result wins ties, and the live
//! setting wins over all others. Source: threshold accepting, Dueck & Scheuer 1990.

mod area;
mod exchange;
mod shift;

use super::SynthError;
use super::climb::{EVALUATIONS, RESTARTS};
use super::evaluate::Evaluator;
use super::groups::check_memory;
use super::search::SearchResult;
use super::wiring::topology_from_fibers;
use area::{Neighborhood, PortSlots, pairs, port_slots};
use fabc_base::progress::Progress;
use fabc_base::random::Stream;
use fabc_ir::Symmetry;
use fabc_model::{Fabric, FacePort, NearSynthesis, Pod, SymmetryChoice};
use rayon::prelude::*;
use shift::SwitchShift;

/// The live setting, from which the search starts.
pub(super) struct LiveSetting {
    /// `[switch]`: the face ports that it joins.
    pairs: Vec<Vec<[FacePort; 2]>>,
    /// The symmetry of the topology, if it makes all cubes interchangeable.
    symmetry: Option<Symmetry>,
}

/// The live setting, with its symmetry.
///
/// # Errors
/// [`SynthError`] if the setting has no symmetry although one is demanded, or if the search would take too
/// much memory.
pub(super) fn live_setting(
    fabric: &Fabric,
    pod: &Pod,
    near: &NearSynthesis,
) -> Result<LiveSetting, SynthError> {
    check_memory(&fabric.demand, pod, 1)?;
    let pairs = near.settings.joined_faces(&pod.ocses);
    let symmetry = topology_from_fibers(pod, &fabric.demand, &pairs.concat())
        .ok()
        .map(|topology| topology.symmetry().clone());
    let symmetry = symmetry.filter(|symmetry| symmetry.order() == pod.cubes as usize);
    if near.search.symmetry == SymmetryChoice::Translation && symmetry.is_none() {
        let reason = format!("the cross-connects of `{}` treat its cubes differently", near.path);
        return Err(SynthError::NoSymmetry { reason, span: pod.topology_span });
    }
    Ok(LiveSetting { pairs, symmetry })
}

/// The best topology found within the moves.
///
/// # Errors
/// As [`live_setting`].
pub(super) fn search_near(
    fabric: &Fabric,
    pod: &Pod,
    near: &NearSynthesis,
    progress: &dyn Progress,
) -> Result<SearchResult, SynthError> {
    let LiveSetting { pairs: live_pairs, symmetry } = live_setting(fabric, pod, near)?;
    let live: PortSlots =
        pod.ocses.iter().zip(&live_pairs).map(|(ocs, pairs)| port_slots(ocs, pairs)).collect();
    let only_shifts = near.search.symmetry == SymmetryChoice::Translation;

    progress.begin("synthesize", 3 * RESTARTS);
    let expired = || near.search.time_limit.is_some_and(|seconds| progress.expired(seconds));
    let area = Neighborhood::new(&fabric.demand, pod, near, &live_pairs, &expired);
    let evaluations =
        (EVALUATIONS * u64::from(near.search.effort) * 256 / pod.node_count().max(256) as u64).max(200);
    let shifts = match (&symmetry, near.search.symmetry) {
        (Some(symmetry), SymmetryChoice::Auto | SymmetryChoice::Translation) => {
            SwitchShift::find_all(&area, symmetry)
        }
        _ => Vec::new(),
    };
    let seed = near.search.seed;
    let run = |first: u64, search: &(dyn Fn(&mut Stream) -> (u64, PortSlots) + Sync)| {
        let runs: Vec<(u64, PortSlots)> = (0..RESTARTS)
            .into_par_iter()
            .map(|restart| {
                let result = search(&mut Stream::new(seed, first + restart));
                progress.advance();
                result
            })
            .collect();
        runs.into_iter().min_by_key(|(score, _)| *score).expect("at least one restart")
    };
    let at_start = area.score(&live, u64::MAX, &mut Evaluator::new(&area.shape));
    let mut best = (at_start, live.clone());
    let mut runs = 0;
    let mut better = |result: (u64, PortSlots)| {
        runs += RESTARTS;
        if result.0 < best.0 {
            best = result;
        }
        best.1.clone()
    };
    let mut starts = vec![live.clone()];
    if near.moves > 0 && !shifts.is_empty() {
        let shifted = better(run(1, &|stream| area.shift(&live, at_start, &shifts, evaluations, stream)));
        // Exchanges may use the moves that shifts leave over.
        if shifted != live && area.moves(&shifted) < near.moves {
            starts.push(shifted);
        }
    }
    if near.moves > 0 && !only_shifts {
        for (start, first) in starts.iter().zip([1 + RESTARTS, 1 + 2 * RESTARTS]) {
            better(run(first, &|stream| area.exchange(area.join_free_ports(start), evaluations, stream)));
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
    // The clock is read once more, because a search that it cut short ended only after it.
    let out_of_time = expired();
    progress.end();
    Ok(SearchResult { finalists: vec![fibers], counters, notes: Vec::new(), out_of_time })
}
