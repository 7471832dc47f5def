//! The paths of the forwarding tables between all chips, for questions about many placements.
//!
//! In: a scene with its tables. Out: for each pair of chips the channels that a message crosses. A fabric of
//! n chips with paths of h hops needs n^2 (h + 2) numbers.

use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{ForwardingTables, Scene};
use fabc_passes::collective::{CollectiveError, walk_tables};
use rayon::prelude::*;

/// The most chips whose paths are kept.
pub const MOST_PATH_CHIPS: usize = 2048;
/// Marks a node that is no chip.
const NO_CHIP: u32 = u32::MAX;

/// The channels of the tables between any two chips.
pub struct ChipPaths {
    /// `[node]`: its number among chips.
    number: Vec<u32>,
    /// How many chips there are.
    chips: usize,
    /// `[source * chips + destination]`: where its channels start in `channels`.
    starts: Vec<usize>,
    channels: Vec<ChannelId>,
}

impl ChipPaths {
    /// The paths from each chip to all others.
    ///
    /// # Errors
    /// Refuses tables that lose a message.
    pub fn new(scene: &Scene<'_>, tables: &ForwardingTables) -> Result<Self, CollectiveError> {
        let chips: Vec<NodeId> = scene.topology.endpoints().collect();
        let mut number = vec![NO_CHIP; scene.topology.node_count()];
        chips.iter().enumerate().for_each(|(index, chip)| number[chip.index()] = index as u32);
        let from = |&source: &NodeId| {
            let (mut ends, mut channels) = (Vec::with_capacity(chips.len()), Vec::new());
            for &destination in &chips {
                walk_tables(scene, tables, source, destination, |channel| channels.push(channel))?;
                ends.push(channels.len());
            }
            Ok((ends, channels))
        };
        let parts: Vec<(Vec<usize>, Vec<ChannelId>)> =
            chips.par_iter().map(from).collect::<Result<_, CollectiveError>>()?;
        let (mut starts, mut channels) = (vec![0], Vec::new());
        for (ends, part) in parts {
            let before = channels.len();
            starts.extend(ends.into_iter().map(|end| before + end));
            channels.extend(part);
        }
        Ok(Self { number, chips: chips.len(), starts, channels })
    }

    /// The channels of a message, in their order.
    pub fn between(&self, from: NodeId, to: NodeId) -> &[ChannelId] {
        let [from, to] = [from, to].map(|chip| self.number[chip.index()] as usize);
        let index = from * self.chips + to;
        &self.channels[self.starts[index]..self.starts[index + 1]]
    }
}

/// How the channels of a message are found.
#[derive(Clone, Copy)]
pub enum MessageWays<'a> {
    /// Along the tables, hop by hop.
    Walked(&'a ForwardingTables),
    /// From the paths of all pairs.
    Kept(&'a ChipPaths),
}

impl MessageWays<'_> {
    /// Calls `each` for every channel of a message, in their order.
    ///
    /// # Errors
    /// Refuses tables that lose it.
    pub fn walk(
        self,
        scene: &Scene<'_>,
        from: NodeId,
        to: NodeId,
        mut each: impl FnMut(ChannelId),
    ) -> Result<(), CollectiveError> {
        match self {
            Self::Walked(tables) => walk_tables(scene, tables, from, to, each),
            Self::Kept(paths) => {
                paths.between(from, to).iter().for_each(|&channel| each(channel));
                Ok(())
            }
        }
    }
}
