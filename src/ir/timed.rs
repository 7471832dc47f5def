//! Plans of single vectors: which chip sends which vector by which port in which cycle.
//!
//! A channel carries a vector per slot; what starts in cycle t can be used or sent on from `t + hop` on.
//! Vectors are numbered by what they are: of an all-to-all `(source * nodes + destination) * vectors + part`,
//! of a gather `source * vectors + part`, of a broadcast by part, of messages one message after the other; of
//! an all-reduce in groups `group * vectors + part`. What is summed is a *value* of a vector: `(vector *
//! levels + level) * nodes + origin`, the sum of that level that its origin has made. Level 0 is what the
//! origin itself contributes; of what a sum of a higher level is made, [`Sum`] says. It is made when its
//! origin first sends it.

use super::Symmetry;
use fabc_base::ids::{NodeId, PortId};
use fabc_model::SlotPace;

/// Vectors in cycles.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Timed {
    /// Whether the sends of canonical chips stand for all of their images, in the same cycle.
    pub canonical: bool,
    /// In how many groups of equally many consecutive chips it is done, in each by itself; 1: by all
    /// together.
    pub groups: u32,
    /// How fast vectors are.
    pub pace: SlotPace,
    /// Cycles of a second.
    pub clock_hz: u64,
    /// The first cycle in which anything may be sent.
    pub start: u32,
    /// The cycle in which the last vector has come; where vectors are summed, in which it is summed.
    pub end: u32,
    /// Of what sums of level 1, 2, .. are made; none where nothing is summed, or only at the end.
    pub sums: Vec<Sum>,
    /// What chips make their result of, where vectors are summed.
    pub result: Total,
    /// What chips have for others, of a `send`; by sender, receiver and cycle, no two of them alike.
    pub messages: Vec<TimedMessage>,
    /// By cycle, chip and port.
    pub sends: Vec<TimedSend>,
}

/// Of what a chip makes a sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sum {
    /// All values of levels from this one on that have come to it,
    pub from: u32,
    /// and below this one;
    pub below: u32,
    /// and its own value of this level.
    pub own: Option<u32>,
}

/// What chips make of what has come in the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Total {
    /// The value of the highest level that has come; where none has, its own.
    Told,
    /// A sum.
    Summed(Sum),
}

/// What a chip has for another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimedMessage {
    /// Whose it is.
    pub from: NodeId,
    /// Whom it is for.
    pub to: NodeId,
    /// Cycles after the start of the plan before which it is not there.
    pub earliest: u32,
    /// How many there are; positive.
    pub vectors: u32,
    /// The number of the first of them.
    pub first: u64,
}

impl Timed {
    /// The cycle from which on all channels are free again and everything has come.
    pub fn free(&self) -> u32 {
        self.sends.last().map_or(self.end, |last| self.end.max(last.cycle.saturating_add(self.pace.slot)))
    }
}

impl TimedMessage {
    /// Messages in their order, their vectors numbered.
    pub fn numbered(mut all: Vec<TimedMessage>) -> Vec<TimedMessage> {
        all.sort_unstable_by_key(TimedMessage::key);
        let mut first = 0;
        for message in &mut all {
            message.first = first;
            first += u64::from(message.vectors);
        }
        all
    }
    fn key(&self) -> (NodeId, NodeId, u32) {
        (self.from, self.to, self.earliest)
    }
    /// The message of such a number.
    pub fn of(all: &[TimedMessage], number: u64) -> Option<&TimedMessage> {
        let at = all.partition_point(|message| message.first <= number).checked_sub(1)?;
        all.get(at).filter(|message| number - message.first < u64::from(message.vectors))
    }
    /// Its image under an element of a symmetry, as large and as early, if that is one of these.
    pub fn image<'a>(
        &self,
        all: &'a [TimedMessage],
        symmetry: &Symmetry,
        element: usize,
    ) -> Option<&'a TimedMessage> {
        let key = (symmetry.image(element, self.from), symmetry.image(element, self.to), self.earliest);
        let found = all.get(all.binary_search_by_key(&key, TimedMessage::key).ok()?)?;
        (found.vectors == self.vectors).then_some(found)
    }
}

impl Timed {
    /// Levels of values: one more than of sums.
    pub fn levels(&self) -> u32 {
        self.sums.len() as u32 + 1
    }
}

/// A vector that leaves a chip.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TimedSend {
    /// When.
    pub cycle: u32,
    /// From which chip.
    pub chip: NodeId,
    /// By which of its ports.
    pub port: PortId,
    /// Its number.
    pub vector: u64,
}
