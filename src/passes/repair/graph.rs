//! The surviving fabric as a graph of states that packets can be in: a channel and a virtual channel on it.

use super::rows::NONE;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{Scene, Symmetry, TableEntry};

/// States, keys and ranks. A state is `(router * ports + port) * vcs + vc` of the channel that leaves there.
/// A key is `router * inputs + input`.
pub(super) struct StateGraph<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) ports: usize,
    pub(super) vcs: usize,
    pub(super) inputs: usize,
    /// `[router]`: whether it survives in the scene.
    pub(super) survives: Vec<bool>,
    /// `[router * ports + port]`: whether packets may leave by the port.
    pub(super) open: Vec<bool>,
    /// `[state]`: the router that it leads to, or [`NONE`] where nothing is wired.
    pub(super) target_router: Vec<u32>,
    /// `[state]`: the key by which a packet arrives there.
    pub(super) key: Vec<u32>,
    /// `[key]`: the state of a packet that arrives by it, or [`NONE`] for injected packets.
    pub(super) state: Vec<u32>,
    pub(super) rank: Vec<u32>,
    /// Wired states, the highest rank first.
    pub(super) by_falling_rank: Vec<u32>,
    /// `[state]`: its index in `by_falling_rank`, or [`NONE`] where nothing is wired.
    pub(super) place_in_order: Vec<u32>,
    /// `[router]`: (rank, state) of the open states that leave it, the highest rank first.
    pub(super) states_out: Vec<Vec<(u32, u32)>>,
    /// `[router]`: wired states that lead to it.
    pub(super) states_into: Vec<Vec<u32>>,
    /// `[router * ports + port]`: load of a route of weight 1 there, in parts of a unit.
    pub(super) slowness: Vec<u64>,
}

impl<'a> StateGraph<'a> {
    /// The graph of a scene. `ranks` are `[channel class * vcs + vc]` under `symmetry`.
    pub(super) fn new(scene: &'a Scene<'a>, vcs: u8, symmetry: &Symmetry, ranks: &[u32]) -> Self {
        let topology = scene.topology;
        let (nodes, ports, vcs) = (topology.node_count(), topology.ports(), usize::from(vcs));
        let inputs = ports * vcs + 1;
        let survives: Vec<bool> = topology.nodes().map(|node| scene.lives(node)).collect();
        let (mut open, mut slowness) = (vec![false; nodes * ports], vec![1; nodes * ports]);
        let (mut target_router, mut key) = (vec![NONE; nodes * ports * vcs], vec![NONE; nodes * ports * vcs]);
        let (mut state, mut rank) = (vec![NONE; nodes * inputs], vec![0; nodes * ports * vcs]);
        for channel in topology.channels() {
            let (from, to) = (topology.source(channel), topology.target(channel));
            let port_index = from.node.index() * ports + from.port.index();
            open[port_index] =
                scene.is_channel_lit(channel) && survives[from.node.index()] && survives[to.node.index()];
            slowness[port_index] = topology.slowness(channel);
            for vc in 0..vcs {
                let state_number = port_index * vcs + vc;
                target_router[state_number] = to.node.0;
                key[state_number] = (to.node.index() * inputs + 1 + to.port.index() * vcs + vc) as u32;
                state[key[state_number] as usize] = state_number as u32;
                rank[state_number] = ranks[topology.channel_class(symmetry, channel).index() * vcs + vc];
            }
        }
        let mut by_falling_rank: Vec<u32> =
            (0..target_router.len() as u32).filter(|&state| target_router[state as usize] != NONE).collect();
        by_falling_rank.sort_by_key(|&state| (std::cmp::Reverse(rank[state as usize]), state));
        let mut states_out = vec![Vec::new(); nodes];
        for &state in by_falling_rank.iter().filter(|&&state| open[state as usize / vcs]) {
            states_out[state as usize / vcs / ports].push((rank[state as usize], state));
        }
        let (mut place_in_order, mut states_into) =
            (vec![NONE; target_router.len()], vec![Vec::new(); nodes]);
        for (&state, state_number) in by_falling_rank.iter().zip(0..) {
            place_in_order[state as usize] = state_number;
            states_into[target_router[state as usize] as usize].push(state);
        }
        Self {
            scene,
            ports,
            vcs,
            inputs,
            survives,
            open,
            target_router,
            key,
            state,
            rank,
            by_falling_rank,
            place_in_order,
            states_out,
            states_into,
            slowness,
        }
    }

    /// The router of a key.
    pub(super) fn router(&self, key: usize) -> usize {
        key / self.inputs
    }

    /// The state of a packet after an output of a key.
    pub(super) fn state_after(&self, key: usize, output: u32) -> usize {
        self.router(key) * self.ports * self.vcs + output as usize
    }

    /// The output of a router that leads to a state.
    pub(super) fn output(&self, state: u32) -> u32 {
        (state as usize % (self.ports * self.vcs)) as u32
    }

    /// The table entry of a key with an output.
    pub(super) fn entry(&self, dst: NodeId, key: usize, output: u32) -> TableEntry {
        let (in_port, in_vc) = match key % self.inputs {
            0 => (-1, -1),
            input => (((input - 1) / self.vcs) as i16, ((input - 1) % self.vcs) as i8),
        };
        TableEntry {
            dst,
            in_port,
            in_vc,
            out_port: (output as usize / self.vcs) as u16,
            out_vc: (output as usize % self.vcs) as u8,
        }
    }
}
