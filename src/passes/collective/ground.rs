//! What every schedule stands on: the routers for which one is made, who sends to them, who listens to them.
//!
//! In: a scene. Out: its routers up to symmetry. Chips are those that have something of their own; what other
//! routers there are, only forwards, and [`copyable`] refuses them where chunks rest on their way. A router
//! that is not canonical holds the image of what the canonical one of its class holds, so that only canonical
//! routers have a state. Where the scene does not keep the symmetry of its topology every router is
//! canonical.

use super::CollectiveError;
use crate::ids::{ChannelId, Id, NodeId};
use crate::ir::{Breadth, Neighbors, Scene, Symmetry};
use rayon::prelude::*;

/// Where a canonical chip takes chunks in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input {
    pub(super) channel: ChannelId,
    /// The class of the sender.
    pub(super) class: usize,
    /// The element that takes the canonical router of that class to the sender.
    pub(super) element: usize,
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
            Input { channel, class: symmetry.class(from), element: symmetry.element_to(from) }
        };
        let inputs: Vec<Vec<Input>> = chips.iter().map(|&chip| scene.channels_into(chip).map(input).collect()).collect();
        let neighbors = Neighbors::into_of(scene);
        let search = |breadth: &mut Breadth, &chip: &NodeId| {
            neighbors.search(chip, breadth);
            std::mem::take(&mut breadth.hops)
        };
        let hops: Vec<Vec<u32>> = chips.par_iter().map_init(Breadth::default, search).collect();
        let living = scene.endpoints().count();
        for (chip, hops) in chips.iter().zip(&hops).filter(|(chip, _)| scene.is_endpoint(**chip)) {
            if let Some(from) = scene.endpoints().find(|from| hops[from.index()] == Breadth::APART) {
                return Err(CollectiveError::Disconnected { from: topology.name(from), to: topology.name(*chip) });
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
    /// The least number of channels into a living chip.
    pub(super) fn least_degree(&self) -> usize {
        self.alive().map(|class| self.inputs[class].len()).min().unwrap_or(0)
    }
}

/// Refuses what no schedule is made for: a scene with one chip, or with links that carry unlike.
///
/// # Errors
/// Such a scene.
pub fn admitted(scene: &Scene<'_>) -> Result<(), CollectiveError> {
    let topology = scene.topology;
    let chips = scene.endpoints().count();
    if chips < 2 {
        return Err(CollectiveError::TooFew { chips });
    }
    match scene.unlike().map(|links| links.map(|link| topology.channel_name(link.forward()))) {
        Some([one, other]) => Err(CollectiveError::Uneven { one, other }),
        None => Ok(()),
    }
}

/// Refuses schedules in which chunks rest, are copied and added up on their way, except where every router is
/// a chip, and every link runs both ways.
///
/// # Errors
/// A router that only forwards; a link that runs one way.
pub fn copyable(scene: &Scene<'_>) -> Result<(), CollectiveError> {
    let topology = scene.topology;
    if let Some(router) = scene.forwarder() {
        return Err(CollectiveError::Forwards { router: topology.name(router) });
    }
    match scene.one_way() {
        Some(link) => Err(CollectiveError::Simplex { link: topology.channel_name(link.forward()) }),
        None => Ok(()),
    }
}
