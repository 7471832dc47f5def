//! What every schedule stands on: the routers for which one is made, who sends to them, who listens to them.
//!
//! In: a scene. Out: its routers up to symmetry. Chips are those that have something of their own; what other
//! routers there are, only forwards, and [`copyable`] refuses them where chunks rest on their way. A router
//! that is not canonical holds the image of what the canonical one of its class holds, so that only canonical
//! routers have a state. Where the scene does not keep the symmetry of its topology every router is
//! canonical.

use super::CollectiveError;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{Breadth, Neighbors, Scene, Symmetry};
use rayon::prelude::*;

/// Times as much as the unit of all bandwidths that a link may carry where chunks rest on their way: each of
/// them is an input of its own to a plan.
const MOST_LANES: u64 = 64;

/// Where a canonical chip takes chunks in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input {
    pub(super) channel: ChannelId,
    /// The class of the sender.
    pub(super) class: usize,
    /// The element that takes the canonical router of that class to the sender.
    pub(super) element: usize,
    /// Chunks that it brings while the slowest kind of channel brings one.
    pub(super) lanes: u64,
}

/// A scene as schedules see it.
pub(super) struct Ground<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) symmetry: Symmetry,
    /// Whether `symmetry` has more than the identity.
    pub(super) canonical: bool,
    /// `[class]`: the canonical routers, chips or not; a dead one has no inputs.
    pub(super) chips: Vec<NodeId>,
    /// `[class]`: by input port.
    pub(super) inputs: Vec<Vec<Input>>,
    /// `[class][router]`: hops from the router to the canonical one, [`Breadth::APART`] from a dead one.
    pub(super) hops: Vec<Vec<u32>>,
    /// Living chips.
    pub(super) living: usize,
}

impl<'a> Ground<'a> {
    /// The scene under its symmetry.
    pub(super) fn new(scene: &'a Scene<'a>) -> Result<Self, CollectiveError> {
        let symmetry = scene.topology.symmetry();
        let kept = scene.keeps_symmetry();
        Self::under(scene, if kept { symmetry.clone() } else { symmetry.without() })
    }

    /// The scene without any symmetry: a root has none.
    pub(super) fn plain(scene: &'a Scene<'a>) -> Result<Self, CollectiveError> {
        Self::under(scene, scene.topology.symmetry().without())
    }

    fn under(scene: &'a Scene<'a>, symmetry: Symmetry) -> Result<Self, CollectiveError> {
        admitted(scene)?;
        let topology = scene.topology;
        let chips: Vec<NodeId> = symmetry.canonical_nodes().collect();
        let input = |channel: ChannelId| {
            let from = topology.source(channel).node;
            let lanes = topology.channel_capacity(channel);
            Input { channel, class: symmetry.class(from), element: symmetry.element_to(from), lanes }
        };
        let inputs: Vec<Vec<Input>> =
            chips.iter().map(|&chip| scene.channels_into(chip).map(input).collect()).collect();
        let neighbors = Neighbors::into_of(scene);
        let search = |breadth: &mut Breadth, &chip: &NodeId| {
            neighbors.search(chip, breadth);
            std::mem::take(&mut breadth.hops)
        };
        let hops: Vec<Vec<u32>> = chips.par_iter().map_init(Breadth::default, search).collect();
        let living = scene.endpoints().count();
        for (chip, hops) in chips.iter().zip(&hops).filter(|(chip, _)| scene.is_endpoint(**chip)) {
            if let Some(from) = scene.endpoints().find(|from| hops[from.index()] == Breadth::APART) {
                return Err(CollectiveError::Disconnected {
                    from: topology.name(from),
                    to: topology.name(*chip),
                });
            }
        }
        Ok(Self { scene, canonical: !symmetry.is_trivial(), symmetry, chips, inputs, hops, living })
    }

    /// Routers, dead ones too.
    pub(super) fn nodes(&self) -> usize {
        self.scene.topology.node_count()
    }
    /// The classes of living chips.
    pub(super) fn alive(&self) -> impl Iterator<Item = usize> {
        (0..self.chips.len()).filter(|&class| self.scene.is_endpoint(self.chips[class]))
    }
    /// What comes into a router while the slowest kind of channel brings a chunk: as many as it has channels,
    /// where all are alike.
    pub(super) fn degree(&self, class: usize) -> u64 {
        self.inputs[class].iter().map(|input| input.lanes).sum()
    }
    /// The least degree of a living chip.
    pub(super) fn least_degree(&self) -> u64 {
        self.alive().map(|class| self.degree(class)).min().unwrap_or(0)
    }
    /// The inputs, each as often as it has lanes: as if all were alike.
    pub(super) fn lanes(&self) -> Vec<Vec<Input>> {
        let times = |input: &Input| std::iter::repeat_n(*input, input.lanes as usize);
        self.inputs.iter().map(|inputs| inputs.iter().flat_map(times).collect()).collect()
    }
}

/// Refuses what no schedule is made for: a scene with one chip, or bandwidths so far apart that what all
/// links carry cannot be counted in 32 bits.
///
/// # Errors
/// Such a scene.
pub fn admitted(scene: &Scene<'_>) -> Result<(), CollectiveError> {
    let chips = scene.endpoints().count();
    if chips < 2 {
        return Err(CollectiveError::TooFew { chips });
    }
    let most = u64::from(u32::MAX) / scene.channels().count().max(1) as u64;
    laned(scene, most)
}

/// Refuses a link of more lanes than `most`.
fn laned(scene: &Scene<'_>, most: u64) -> Result<(), CollectiveError> {
    let topology = scene.topology;
    match scene.links().find(|&link| topology.capacity(link) > most) {
        Some(link) => Err(CollectiveError::Lanes {
            link: topology.link_name(link),
            lanes: topology.capacity(link),
            most,
        }),
        None => Ok(()),
    }
}

/// Refuses schedules in which chunks rest, are copied and added up on their way, except where every router is
/// a chip, every link runs both ways, and no link carries very many times as much as another one.
///
/// # Errors
/// A router that only forwards; a link that runs one way; one of more than 64 lanes.
pub fn copyable(scene: &Scene<'_>) -> Result<(), CollectiveError> {
    let topology = scene.topology;
    if let Some(router) = scene.forwarder() {
        return Err(CollectiveError::Forwards { router: topology.name(router) });
    }
    if let Some(link) = scene.one_way() {
        return Err(CollectiveError::Simplex { link: topology.link_name(link) });
    }
    laned(scene, MOST_LANES)
}
