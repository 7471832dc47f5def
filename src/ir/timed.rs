//! Schedules of single vectors: which chip sends which vector by which port in which cycle.
//!
//! A channel carries one vector per slot. A vector that starts in cycle t can be used or sent on from cycle
//! `t + hop` on.
//!
//! The number of a vector depends on the collective:
//! - all-to-all: `(source * nodes + destination) * vectors + part`
//! - gather: `source * vectors + part`
//! - broadcast: `part`
//! - messages: one message after the other
//! - all-reduce in groups: `group * vectors + part`
//!
//! Where vectors are summed, a *value* of a vector has the number
//! `(vector * levels + level) * nodes + origin`. It is the sum of that level that its origin has made. Level
//! 0 is what the origin itself contributes. [`SumRule`] says of what a sum of a higher level is made. It is
//! made when its origin first sends it.

use super::Symmetry;
use fabc_base::ids::{NodeId, PortId};
use fabc_model::SlotPace;

/// A schedule of single vectors in cycles.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Timed {
    /// Whether the sends of canonical chips stand for those of all their images, in the same cycle.
    pub canonical: bool,
    /// Number of groups of equally many consecutive chips. Each group does the collective by itself. 1: all
    /// chips together.
    pub groups: u32,
    /// The pace of vectors, the same on every channel.
    pub pace: SlotPace,
    /// Clock of the routers, Hz.
    pub clock_hz: u64,
    /// The first cycle in which anything may be sent.
    pub start: u32,
    /// The cycle in which the last vector has arrived and, where vectors are summed, is summed.
    pub end: u32,
    /// `[level - 1]`: the rule for sums of that level. Empty where nothing is summed, or only at the end.
    pub sums: Vec<SumRule>,
    /// The rule for the result of a chip, where vectors are summed.
    pub result: ResultRule,
    /// The messages of a `send`, by sender, receiver and cycle, no two of them equal.
    pub messages: Vec<TimedMessage>,
    /// The sends, by cycle, chip and port.
    pub sends: Vec<TimedSend>,
}

/// The values from which a chip makes a sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SumRule {
    /// It includes all received values of levels from this one on.
    pub from: u32,
    /// It includes only values of levels below this one.
    pub below: u32,
    /// It also includes its own value of this level, if there is one.
    pub own_level: Option<u32>,
}

/// The rule by which chips make their result at the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultRule {
    /// The received value of the highest level, or its own where it has received none.
    Told,
    /// A sum of received values.
    Summed(SumRule),
}

/// A message from one chip to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimedMessage {
    /// The chip that sends it.
    pub from: NodeId,
    /// The chip that receives it.
    pub to: NodeId,
    /// The message is available this many cycles after the start of the plan.
    pub earliest: u32,
    /// Number of its vectors, positive.
    pub vectors: u32,
    /// The number of its first vector.
    pub first: u64,
}

impl Timed {
    /// The first cycle in which all channels are free again and everything has arrived.
    pub fn free_from(&self) -> u32 {
        self.sends.last().map_or(self.end, |last| self.end.max(last.cycle.saturating_add(self.pace.slot)))
    }
}

impl TimedMessage {
    /// Sorts messages and numbers their vectors.
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
    /// The message that has the vector with this number.
    pub fn containing(all: &[TimedMessage], number: u64) -> Option<&TimedMessage> {
        let position = all.partition_point(|message| message.first <= number).checked_sub(1)?;
        all.get(position).filter(|message| number - message.first < u64::from(message.vectors))
    }
    /// The message in `all` that is its image under an element of a symmetry, with the same cycle and size,
    /// if there is one.
    pub fn image<'a>(
        &self,
        all: &'a [TimedMessage],
        symmetry: &Symmetry,
        element: usize,
    ) -> Option<&'a TimedMessage> {
        let key = (symmetry.image(element, self.from), symmetry.image(element, self.to), self.earliest);
        let image = all.get(all.binary_search_by_key(&key, TimedMessage::key).ok()?)?;
        (image.vectors == self.vectors).then_some(image)
    }
}

impl Timed {
    /// Number of levels of values, one more than of sums.
    pub fn levels(&self) -> u32 {
        self.sums.len() as u32 + 1
    }
}

/// The send of one vector from a chip.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TimedSend {
    /// The cycle in which it starts.
    pub cycle: u32,
    /// The chip that sends the vector.
    pub chip: NodeId,
    /// The port by which it leaves.
    pub port: PortId,
    /// The number of the vector, or of the value.
    pub vector: u64,
}
