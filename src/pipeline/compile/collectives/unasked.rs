//! Which algorithms with paths of their own are tried unasked.

use fabc_ir::{CollectiveBound, Scene};
use fabc_model::Collective;
use fabc_passes::collective::{bounds, check_forest, check_pair_paths};

/// The most chips between which paths are balanced unasked where there are tables.
const MOST_CHIPS_OF_PATHS: usize = 64;

/// Whether paths between all pairs are balanced unasked. Without tables nothing else performs an all-to-all.
pub(super) fn has_pair_paths(scene: &Scene<'_>, has_tables: bool) -> bool {
    let is_small = || scene.endpoints().count() <= MOST_CHIPS_OF_PATHS;
    check_pair_paths(scene).is_ok() && (!has_tables || is_small())
}

/// For which collectives a forest is tried unasked.
#[derive(Clone, Copy)]
pub(super) enum ForestUse {
    Never,
    /// Rounds of copies meet the bounds of all others.
    Rooted,
    /// There are too many chips for the others.
    Unrooted,
    Always,
}

impl ForestUse {
    /// Where chunks rest in all routers (`rests`), rounds of copies meet the bound of a gather, unless some
    /// chips can receive more than others, or several chips together have the least.
    pub(super) fn new(scene: &Scene<'_>, rests: bool) -> Self {
        let is_packed = |collective| check_forest(scene, collective).is_ok();
        if !is_packed(Collective::Broadcast) {
            return if !rests && is_packed(Collective::AllGather) { Self::Unrooted } else { Self::Never };
        }
        let degree = |chip| {
            scene.channels_into(chip).map(|channel| scene.topology.channel_capacity(channel)).sum::<u64>()
        };
        let degrees: Vec<u64> = scene.endpoints().map(degree).collect();
        let is_cut_around_chip = || match bounds(scene, Collective::AllGather, None).as_deref() {
            Ok([CollectiveBound::Cut { all_but, .. }, ..]) => all_but.len() == 1,
            _ => true,
        };
        let rounds_suffice =
            rests && degrees.windows(2).all(|pair| pair[0] == pair[1]) && is_cut_around_chip();
        if rounds_suffice { Self::Rooted } else { Self::Always }
    }
}
