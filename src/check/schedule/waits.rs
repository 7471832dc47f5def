//! The waits between the transfers of a schedule in rounds, and the longest path through them.
//!
//! Input: the transfers in the order of their rounds. Output: the time at which the last chunk arrives. A
//! transfer waits for the previous one on its channel, and for the transfers that bring its data.

use super::ScheduleError;
use super::pace::Pace;
use super::transfers::{RoundTransfers, Transfer};
use crate::CheckError;
use fabc_base::ids::{ChannelId, Id};
use fabc_ir::{Rounds, RunDirection};

/// The transfers that every transfer waits for.
pub(super) struct TransferWaits {
    /// A topological order: every transfer comes after those that it waits for.
    order: Vec<u32>,
    /// `[transfer]`: the previous one on its channel, and whether this one is the first of a message.
    predecessors: Vec<(Option<u32>, bool)>,
    /// `[transfer]`: the capacity of its channel, in common units.
    lanes: Vec<u128>,
    /// `[transfer]`: the channel that it crosses.
    channels: Vec<ChannelId>,
    /// Whether a transfer stands for its images.
    canonical: bool,
    /// `[transfer]`: the start of its list in `carried`, which has the transfers that bring its data.
    carried_starts: Vec<u32>,
    carried: Vec<u32>,
}

impl TransferWaits {
    pub(super) fn new(plan: &RoundTransfers<'_>, rounds: &Rounds) -> Result<Self, CheckError> {
        let topology = plan.scene.topology;
        let symmetry =
            if rounds.canonical { topology.symmetry().clone() } else { topology.symmetry().to_trivial() };
        let cells = plan.routers.len() * plan.columns;
        let (mut predecessors, mut lanes, mut channels, mut carried_starts, mut carried) =
            (Vec::new(), Vec::new(), Vec::new(), vec![0], Vec::new());
        // `[channel class]`: the last transfer on it, and its round, counted over all runs.
        let mut last: Vec<Option<(u32, usize)>> = vec![None; plan.routers.len() * topology.ports()];
        // `[cell]`: the transfers that brought the sums in the previous reduction.
        let mut sums: Vec<Vec<u32>> = vec![Vec::new(); cells];
        let mut number = 0u32;
        for (run, order) in rounds.order.iter().enumerate() {
            let reverse = *order == RunDirection::Reverse;
            // `[cell]`: the transfers that bring data in this run.
            let mut carriers: Vec<Vec<u32>> = vec![Vec::new(); cells];
            let mut inverted: Vec<&Transfer>;
            let transfers: &mut dyn Iterator<Item = &Transfer> = if reverse {
                inverted = plan.transfers.iter().collect();
                inverted.reverse();
                &mut inverted.into_iter()
            } else {
                &mut plan.transfers.iter()
            };
            for transfer in transfers {
                let (sender, receiver) =
                    if reverse { (transfer.to, transfer.from) } else { (transfer.from, transfer.to) };
                let end = if reverse {
                    topology.source(transfer.channel)
                } else {
                    topology.target(transfer.channel)
                };
                let channel = symmetry.class(end.node) * topology.ports() + end.port.index();
                let round = run * rounds.rounds.len() + transfer.round as usize;
                let (earlier, is_first) = match last[channel] {
                    Some((earlier, last_round)) => (Some(earlier), last_round != round),
                    None => (None, true),
                };
                last[channel] = Some((number, round));
                predecessors.push((earlier, is_first));
                lanes.push(u128::from(topology.channel_capacity(transfer.channel)));
                channels.push(match topology.reverse(transfer.channel) {
                    Some(opposite) if reverse => opposite,
                    _ => transfer.channel,
                });
                let sender = plan.cell(sender);
                // A copy that no transfer brought is the sender's own chunk, or its sum.
                let from =
                    if carriers[sender].is_empty() && !reverse { &sums[sender] } else { &carriers[sender] };
                carried.extend_from_slice(from);
                carried_starts.push(carried.len() as u32);
                carriers[plan.cell(receiver)].push(number);
                number += 1;
            }
            sums = carriers;
        }
        let mut waits = Self {
            order: Vec::new(),
            predecessors,
            lanes,
            channels,
            canonical: rounds.canonical,
            carried_starts,
            carried,
        };
        waits.order = waits.topological_order()?;
        Ok(waits)
    }

    fn carried_by(&self, transfer: usize) -> &[u32] {
        &self.carried[self.carried_starts[transfer] as usize..self.carried_starts[transfer + 1] as usize]
    }

    /// Orders transfers after those that they wait for.
    fn topological_order(&self) -> Result<Vec<u32>, CheckError> {
        let count = self.predecessors.len();
        let needs =
            |transfer: usize| self.carried_by(transfer).iter().copied().chain(self.predecessors[transfer].0);
        let mut missing: Vec<u32> = (0..count).map(|transfer| needs(transfer).count() as u32).collect();
        let mut list_starts = vec![0u32; count + 1];
        (0..count).flat_map(needs).for_each(|needed| list_starts[needed as usize + 1] += 1);
        (0..count).for_each(|transfer| list_starts[transfer + 1] += list_starts[transfer]);
        let (mut next_slot, mut waiting) = (list_starts.clone(), vec![0u32; list_starts[count] as usize]);
        for transfer in 0..count {
            for needed in needs(transfer) {
                waiting[next_slot[needed as usize] as usize] = transfer as u32;
                next_slot[needed as usize] += 1;
            }
        }
        let mut order: Vec<u32> =
            (0..count as u32).filter(|&transfer| missing[transfer as usize] == 0).collect();
        let mut next_index = 0;
        while let Some(&next) = order.get(next_index) {
            next_index += 1;
            for &after in
                &waiting[list_starts[next as usize] as usize..list_starts[next as usize + 1] as usize]
            {
                missing[after as usize] -= 1;
                if missing[after as usize] == 0 {
                    order.push(after);
                }
            }
        }
        if order.len() == count {
            Ok(order)
        } else {
            Err(ScheduleError::shape("transfers wait for each other".to_owned()).into())
        }
    }

    /// The time at which the last chunk arrives.
    pub(super) fn longest_path(&self, chunk: u128, pace: &Pace) -> u128 {
        let hop = |channel| match self.canonical {
            true => pace.slowest_image(channel),
            false => pace.hop_time(channel),
        };
        let arrives = |transfer: usize, departures: u128| departures + hop(self.channels[transfer]);
        // `[transfer]`: the time at which its last byte has left.
        let mut departures = vec![0u128; self.predecessors.len()];
        for &transfer in &self.order {
            let transfer = transfer as usize;
            let (earlier, is_first) = self.predecessors[transfer];
            let available = self
                .carried_by(transfer)
                .iter()
                .map(|&carrier| arrives(carrier as usize, departures[carrier as usize]))
                .max()
                .unwrap_or(0);
            let channel_free = earlier.map_or(0, |earlier| departures[earlier as usize]);
            departures[transfer] = available.max(channel_free)
                + if is_first { pace.overhead } else { 0 }
                + chunk.div_ceil(self.lanes[transfer]);
        }
        departures
            .into_iter()
            .enumerate()
            .map(|(transfer, departures)| arrives(transfer, departures))
            .max()
            .unwrap_or(0)
    }
}
