//! The cheapest paths of rising rank to one destination, from every state. Keys that have an entry follow it.
//!
//! Because of the ranks the states form a directed graph without cycles. One look at each state, the highest
//! rank first, is therefore enough. A packet that follows an existing entry always has a path, because only
//! entries that arrive are kept.

use super::graph::StateGraph;
use super::rows::NONE;
use fabc_base::ids::{Id, NodeId};

/// Cost where there is no path.
pub(super) const UNREACHABLE: u64 = u64::MAX;

/// The price of a load is 0.12 + exp(60 (load - L) / L), in 4096ths. L is the highest load of the healthy
/// tables.
const FLOOR: f64 = 0.12;
const STEEPNESS: f64 = 60.0;
/// Limit on the exponent, where the price stops growing.
const EXPONENT_LIMIT: f64 = 10.0;
const SCALE: f64 = 4096.0;
const WORD_BITS: usize = u64::BITS as usize;

/// The price of one more route on a channel that would then carry `load`.
pub(super) fn price(load: u64, highest_before: u64) -> u64 {
    let excess = (load as f64 - highest_before as f64) / highest_before.max(1) as f64;
    ((FLOOR + libm::exp((STEEPNESS * excess).min(EXPONENT_LIMIT))) * SCALE) as u64
}

/// The cheapest paths that the last search found.
#[derive(Default)]
pub(super) struct RisingPaths {
    /// `[state]`: cost from there on, or [`UNREACHABLE`].
    cost_left: Vec<u64>,
    /// `[state]`: the same with the cost of its own channel.
    cost_through: Vec<u64>,
    /// `[state]`: the next state, or [`NONE`] at the destination and without a path.
    next: Vec<u32>,
    /// One bit per place in [`StateGraph::by_falling_rank`], set if the state must be updated.
    update_bits: Vec<u64>,
}

impl RisingPaths {
    /// Finds the paths to `dst`. `row` are the entries for it, all of which arrive. `costs` are by
    /// `router * ports + port`.
    pub(super) fn find_paths(&mut self, graph: &StateGraph<'_>, row: &[u32], dst: NodeId, costs: &[u64]) {
        for list in [&mut self.cost_left, &mut self.cost_through] {
            list.clear();
            list.resize(graph.target_router.len(), UNREACHABLE);
        }
        self.next.clear();
        self.next.resize(graph.target_router.len(), NONE);
        for &state in &graph.by_falling_rank {
            self.update_state(graph, row, dst, costs, state as usize);
        }
    }

    /// Updates the paths after new ones were written and `raise_cost` was called for them. Only states are
    /// updated whose path continues through a state with a changed cost.
    pub(super) fn update_paths(
        &mut self,
        graph: &StateGraph<'_>,
        row: &[u32],
        dst: NodeId,
        costs: &[u64],
        new_states: &[usize],
    ) {
        self.update_bits.clear();
        self.update_bits.resize(graph.by_falling_rank.len().div_ceil(WORD_BITS), 0);
        for &state in new_states {
            let first_vc = state - state % graph.vcs;
            (first_vc..first_vc + graph.vcs).for_each(|state| self.mark_predecessors(graph, state));
            self.mark_state(graph, state);
        }
        for word in 0..self.update_bits.len() {
            while self.update_bits[word] != 0 {
                let place = word * WORD_BITS + self.update_bits[word].trailing_zeros() as usize;
                self.update_bits[word] &= self.update_bits[word] - 1;
                let state = graph.by_falling_rank[place] as usize;
                let cost_before = self.cost_left[state];
                self.update_state(graph, row, dst, costs, state);
                if self.cost_left[state] != cost_before {
                    self.mark_predecessors(graph, state);
                }
            }
        }
    }

    /// Notes that a channel costs more than in the last search.
    pub(super) fn raise_cost(&mut self, graph: &StateGraph<'_>, slot: usize, cost: u64) {
        for state in slot * graph.vcs..(slot + 1) * graph.vcs {
            self.cost_through[state] = cost.saturating_add(self.cost_left[state]);
        }
    }

    /// Marks the states whose path continues through a state. They have lower ranks, so they come later.
    fn mark_predecessors(&mut self, graph: &StateGraph<'_>, state: usize) {
        let router = state / graph.vcs / graph.ports;
        for &predecessor in &graph.states_into[router] {
            if self.next[predecessor as usize] == state as u32 {
                self.mark_state(graph, predecessor as usize);
            }
        }
    }

    fn mark_state(&mut self, graph: &StateGraph<'_>, state: usize) {
        let place = graph.place_in_order[state] as usize;
        self.update_bits[place / WORD_BITS] |= 1 << (place % WORD_BITS);
    }

    /// Computes the cost that is left at a state, and its next state.
    fn update_state(
        &mut self,
        graph: &StateGraph<'_>,
        row: &[u32],
        dst: NodeId,
        costs: &[u64],
        state: usize,
    ) {
        let head = graph.target_router[state] as usize;
        let (cost_left, next) = if !graph.survives[head] {
            (UNREACHABLE, NONE)
        } else if head == dst.index() {
            (0, NONE)
        } else {
            let key = graph.key[state] as usize;
            match row[key] {
                NONE => {
                    let rank = graph.rank[state];
                    self.cheapest(graph.states_out[head].iter().take_while(|(next, _)| *next > rank))
                }
                output => {
                    let next = graph.state_after(key, output);
                    (self.cost_through[next], next as u32)
                }
            }
        };
        self.cost_left[state] = cost_left;
        self.next[state] = if cost_left == UNREACHABLE { NONE } else { next };
        self.cost_through[state] = costs[state / graph.vcs].saturating_add(cost_left);
    }

    /// The cheapest of some next states, and of equally cheap ones the lowest.
    fn cheapest<'s>(&self, states: impl Iterator<Item = &'s (u32, u32)>) -> (u64, u32) {
        states
            .map(|&(_, state)| (self.cost_through[state as usize], state))
            .min()
            .unwrap_or((UNREACHABLE, NONE))
    }

    /// The first state of the cheapest path for packets injected at a router.
    pub(super) fn first_state(&self, graph: &StateGraph<'_>, router: NodeId) -> Option<u32> {
        let (cost_left, state) = self.cheapest(graph.states_out[router.index()].iter());
        (cost_left != UNREACHABLE).then_some(state)
    }

    /// The next state for a packet in a state.
    pub(super) fn state_after(&self, state: u32) -> Option<u32> {
        Some(self.next[state as usize]).filter(|&next| next != NONE)
    }

    /// Writes the missing entries of a path that starts at `key` with state `first`, and calls `on_state` for
    /// every state on it.
    pub(super) fn write_path(
        &self,
        graph: &StateGraph<'_>,
        row: &mut [u32],
        key: usize,
        first: u32,
        mut on_state: impl FnMut(usize),
    ) {
        let (mut key, mut next) = (key, Some(first));
        while let Some(next_state) = next {
            if row[key] == NONE {
                row[key] = graph.output(next_state);
            }
            let state = graph.state_after(key, row[key]);
            on_state(state);
            next = self.state_after(state as u32);
            key = graph.key[state] as usize;
        }
    }
}
