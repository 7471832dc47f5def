//! The states of a topology by falling rank. In this order the cheapest legal continuations are found
//! without a queue.
//!
//! Input: a [`TurnQuotient`] and the rank of every symbol. Output: the lit states in groups of equal rank.
//! Invariant: only states of earlier groups can follow a state.

use super::quotient::{DARK, TurnQuotient};
use fabc_base::ids::NodeId;
use fixedbitset::FixedBitSet;

/// States by falling rank, grouped by equal rank.
pub(super) struct RankScan {
    /// `[symbol]`: the rank that it has.
    pub(super) rank: Vec<u32>,
    /// The lit states by falling rank.
    pub(super) states: Vec<u32>,
    /// Ends of the groups of equal rank in `states`.
    pub(super) group_ends: Vec<u32>,
}

impl RankScan {
    /// Sorts the lit states of a topology.
    pub(super) fn new(quotient: &TurnQuotient, rank: &[u32]) -> Self {
        let mut keyed: Vec<(u32, u32)> = (0..quotient.states())
            .filter(|state| quotient.head[state / quotient.vcs] != DARK)
            .map(|state| (u32::MAX - rank[symbol(quotient, state)], state as u32))
            .collect();
        keyed.sort_unstable();
        let group_ends = (1..=keyed.len())
            .filter(|&at| at == keyed.len() || keyed[at].0 != keyed[at - 1].0)
            .map(|at| at as u32)
            .collect();
        Self { rank: rank.to_vec(), states: keyed.into_iter().map(|(_, state)| state).collect(), group_ends }
    }
}

impl RankScan {
    /// `[node * ports + port]`: whether a packet injected at the router can reach the destination legally
    /// by the output port.
    pub(super) fn ports_towards(&self, quotient: &TurnQuotient, dst: NodeId) -> FixedBitSet {
        let mut ports = FixedBitSet::with_capacity(quotient.nodes * quotient.ports);
        // `[node]`: how many of its ports lead there. A packet needs one other than the port by which it
        // arrived.
        let mut count = vec![0u16; quotient.nodes];
        let mut leads = Vec::new();
        let mut from = 0;
        for &end in &self.group_ends {
            leads.clear();
            for &state in &self.states[from..end as usize] {
                let channel = state as usize / quotient.vcs;
                let node = quotient.head[channel];
                let back = node as usize * quotient.ports + usize::from(quotient.in_port[channel]);
                if node == dst.0 || count[node as usize] > u16::from(ports.contains(back)) {
                    leads.push(channel);
                }
            }
            for &channel in &leads {
                if channel / quotient.ports != dst.0 as usize && !ports.put(channel) {
                    count[channel / quotient.ports] += 1;
                }
            }
            from = end as usize;
        }
        ports
    }
}

/// The symbol of a state.
pub(super) fn symbol(quotient: &TurnQuotient, state: usize) -> usize {
    quotient.channel_class(state / quotient.vcs) * quotient.vcs + state % quotient.vcs
}
