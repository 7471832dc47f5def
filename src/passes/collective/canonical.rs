//! The scene that a schedule is made for, up to symmetry: its routers, their inputs, and the distances
//! between them.
//!
//! Input: a scene. Output: one router per symmetry class. A chip is a router with data of its own. The other
//! routers only forward, and [`check_chunks_can_rest`] refuses them where chunks rest on their path. A router
//! that is not canonical holds the image of what the canonical router of its class holds. So only canonical
//! routers have a state. Where the scene breaks the symmetry of its topology every router is canonical.

use super::CollectiveError;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{Breadth, Neighbors, Scene, Symmetry};
use rayon::prelude::*;

/// The most bandwidth of a link, in units of all bandwidths, where chunks rest on their path. A plan treats
/// each unit as an input of its own.
const MOST_LANES: u64 = 64;

/// A channel by which a canonical chip receives chunks.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChipInput {
    pub(super) channel: ChannelId,
    /// Symmetry class of the sender.
    pub(super) class: usize,
    /// Symmetry element that takes the canonical router of that class to the sender.
    pub(super) element: usize,
    /// Chunks that the channel carries while the slowest kind of channel carries one.
    pub(super) lanes: u64,
}

/// A scene up to symmetry.
pub(super) struct CanonicalScene<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) symmetry: Symmetry,
    /// Whether `symmetry` has more than the identity.
    pub(super) has_symmetry: bool,
    /// `[class]`: the canonical routers, chips or not. A failed one has no inputs.
    pub(super) chips: Vec<NodeId>,
    /// `[class]`: inputs of the canonical router, by input port.
    pub(super) inputs: Vec<Vec<ChipInput>>,
    /// `[class][router]`: hops from the router to the canonical one, [`Breadth::APART`] from a failed router.
    pub(super) hops: Vec<Vec<u32>>,
    /// Number of surviving chips in the scene.
    pub(super) surviving: usize,
}

impl<'a> CanonicalScene<'a> {
    /// The scene under its symmetry.
    pub(super) fn new(scene: &'a Scene<'a>) -> Result<Self, CollectiveError> {
        let symmetry = scene.topology.symmetry();
        let keeps_symmetry = scene.keeps_symmetry();
        Self::under_symmetry(scene, if keeps_symmetry { symmetry.clone() } else { symmetry.to_trivial() })
    }

    /// The scene without any symmetry, for collectives with a root.
    pub(super) fn plain(scene: &'a Scene<'a>) -> Result<Self, CollectiveError> {
        Self::under_symmetry(scene, scene.topology.symmetry().to_trivial())
    }

    fn under_symmetry(scene: &'a Scene<'a>, symmetry: Symmetry) -> Result<Self, CollectiveError> {
        check_plannable(scene)?;
        let topology = scene.topology;
        let chips: Vec<NodeId> = symmetry.canonical_nodes().collect();
        let input = |channel: ChannelId| {
            let from = topology.source(channel).node;
            let lanes = topology.channel_capacity(channel);
            ChipInput { channel, class: symmetry.class(from), element: symmetry.element_to(from), lanes }
        };
        let inputs: Vec<Vec<ChipInput>> =
            chips.iter().map(|&chip| scene.channels_into(chip).map(input).collect()).collect();
        let neighbors = Neighbors::into_of(scene);
        let search = |breadth: &mut Breadth, &chip: &NodeId| {
            neighbors.search(chip, breadth);
            std::mem::take(&mut breadth.hops)
        };
        let hops: Vec<Vec<u32>> = chips.par_iter().map_init(Breadth::default, search).collect();
        let surviving = scene.endpoints().count();
        for (chip, hops) in chips.iter().zip(&hops).filter(|(chip, _)| scene.is_endpoint(**chip)) {
            if let Some(from) = scene.endpoints().find(|from| hops[from.index()] == Breadth::APART) {
                return Err(CollectiveError::Disconnected {
                    from: topology.name(from),
                    to: topology.name(*chip),
                });
            }
        }
        Ok(Self { scene, has_symmetry: !symmetry.is_trivial(), symmetry, chips, inputs, hops, surviving })
    }

    /// Number of routers, including failed ones.
    pub(super) fn nodes(&self) -> usize {
        self.scene.topology.node_count()
    }
    /// The classes of surviving chips.
    pub(super) fn surviving_classes(&self) -> impl Iterator<Item = usize> {
        (0..self.chips.len()).filter(|&class| self.scene.is_endpoint(self.chips[class]))
    }
    /// Chunks that a router receives while the slowest kind of channel carries one. This is its number of
    /// channels where all are alike.
    pub(super) fn degree(&self, class: usize) -> u64 {
        self.inputs[class].iter().map(|input| input.lanes).sum()
    }
    /// The least degree of a surviving chip.
    pub(super) fn least_degree(&self) -> u64 {
        self.surviving_classes().map(|class| self.degree(class)).min().unwrap_or(0)
    }
    /// The inputs of each class, each repeated once per lane.
    pub(super) fn input_lanes(&self) -> Vec<Vec<ChipInput>> {
        let repeated = |input: &ChipInput| std::iter::repeat_n(*input, input.lanes as usize);
        self.inputs.iter().map(|inputs| inputs.iter().flat_map(repeated).collect()).collect()
    }
}

/// Checks that a schedule can be made for a scene at all.
///
/// # Errors
/// Refuses a scene with fewer than two chips, and bandwidths so far apart that the sum over all links exceeds
/// 32 bits.
pub fn check_plannable(scene: &Scene<'_>) -> Result<(), CollectiveError> {
    let chips = scene.endpoints().count();
    if chips < 2 {
        return Err(CollectiveError::TooFew { chips });
    }
    let limit = u64::from(u32::MAX) / scene.channels().count().max(1) as u64;
    check_lanes(scene, limit)
}

/// Refuses a link of more than `limit` lanes.
fn check_lanes(scene: &Scene<'_>, limit: u64) -> Result<(), CollectiveError> {
    let topology = scene.topology;
    match scene.links().find(|&link| topology.capacity(link) > limit) {
        Some(link) => Err(CollectiveError::Lanes {
            link: topology.link_name(link),
            lanes: topology.capacity(link),
            most: limit,
        }),
        None => Ok(()),
    }
}

/// Checks that a scene allows schedules in which chunks rest in routers, are copied, and are added up on
/// their path. Every router must be a chip, every link must run both ways, and no link may carry more than 64
/// times what the slowest one does.
///
/// # Errors
/// Refuses a router that only forwards, a link that runs one way, and a link of more than 64 lanes.
pub fn check_chunks_can_rest(scene: &Scene<'_>) -> Result<(), CollectiveError> {
    let topology = scene.topology;
    if let Some(router) = scene.first_forwarder() {
        return Err(CollectiveError::Forwards { router: topology.name(router) });
    }
    if let Some(link) = scene.first_simplex() {
        return Err(CollectiveError::Simplex { link: topology.link_name(link) });
    }
    check_lanes(scene, MOST_LANES)
}
