//! What is left of a fabric, as states that packets can be in: a channel and a virtual channel on it.

use super::rows::NONE;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{Entry, Scene, Symmetry};

/// States, keys and ranks. A state is `(router * ports + port) * vcs + vc` of the channel that leaves there;
/// a key is `router * inputs + input`.
pub(super) struct Ground<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) ports: usize,
    pub(super) vcs: usize,
    pub(super) inputs: usize,
    /// `[router]`: whether it lives.
    pub(super) lives: Vec<bool>,
    /// `[router * ports + port]`: whether packets may leave by it.
    pub(super) open: Vec<bool>,
    /// `[state]`: the router that it leads to; [`NONE`] where nothing is wired.
    pub(super) head: Vec<u32>,
    /// `[state]`: the key that a packet comes by there.
    pub(super) key: Vec<u32>,
    /// `[key]`: the state of a packet that comes by it; [`NONE`] of injected ones.
    pub(super) state: Vec<u32>,
    /// `[state]`
    pub(super) rank: Vec<u32>,
    /// Wired states, the highest rank first.
    pub(super) falling: Vec<u32>,
    /// `[state]`: where it stands there; [`NONE`] where nothing is wired.
    pub(super) place: Vec<u32>,
    /// `[router]`: rank and number of the open states that leave it, the highest rank first.
    pub(super) out: Vec<Vec<(u32, u32)>>,
    /// `[router]`: wired states that lead to it.
    pub(super) into: Vec<Vec<u32>>,
    /// `[router * ports + port]`: parts of a unit of load that a route of weight 1 is there.
    pub(super) slowness: Vec<u64>,
}

impl<'a> Ground<'a> {
    /// `ranks` are `[channel class * vcs + vc]` under `symmetry`.
    pub(super) fn new(scene: &'a Scene<'a>, vcs: u8, symmetry: &Symmetry, ranks: &[u32]) -> Self {
        let topology = scene.topology;
        let (nodes, ports, vcs) = (topology.node_count(), topology.ports(), usize::from(vcs));
        let inputs = ports * vcs + 1;
        let lives: Vec<bool> = topology.nodes().map(|node| scene.lives(node)).collect();
        let (mut open, mut slowness) = (vec![false; nodes * ports], vec![1; nodes * ports]);
        let (mut head, mut key) = (vec![NONE; nodes * ports * vcs], vec![NONE; nodes * ports * vcs]);
        let (mut state, mut rank) = (vec![NONE; nodes * inputs], vec![0; nodes * ports * vcs]);
        for channel in topology.channels() {
            let (from, to) = (topology.source(channel), topology.target(channel));
            let slot = from.node.index() * ports + from.port.index();
            open[slot] = scene.is_channel_lit(channel) && lives[from.node.index()] && lives[to.node.index()];
            slowness[slot] = topology.slowness(channel);
            for vc in 0..vcs {
                let at = slot * vcs + vc;
                head[at] = to.node.0;
                key[at] = (to.node.index() * inputs + 1 + to.port.index() * vcs + vc) as u32;
                state[key[at] as usize] = at as u32;
                rank[at] = ranks[topology.channel_class(symmetry, channel).index() * vcs + vc];
            }
        }
        let mut falling: Vec<u32> =
            (0..head.len() as u32).filter(|&state| head[state as usize] != NONE).collect();
        falling.sort_by_key(|&state| (std::cmp::Reverse(rank[state as usize]), state));
        let mut out = vec![Vec::new(); nodes];
        for &state in falling.iter().filter(|&&state| open[state as usize / vcs]) {
            out[state as usize / vcs / ports].push((rank[state as usize], state));
        }
        let (mut place, mut into) = (vec![NONE; head.len()], vec![Vec::new(); nodes]);
        for (&state, at) in falling.iter().zip(0..) {
            place[state as usize] = at;
            into[head[state as usize] as usize].push(state);
        }
        Self {
            scene,
            ports,
            vcs,
            inputs,
            lives,
            open,
            head,
            key,
            state,
            rank,
            falling,
            place,
            out,
            into,
            slowness,
        }
    }

    /// The router of a key.
    pub(super) fn router(&self, key: usize) -> usize {
        key / self.inputs
    }

    /// The state that a packet is in after an output of a key.
    pub(super) fn after(&self, key: usize, output: u32) -> usize {
        self.router(key) * self.ports * self.vcs + output as usize
    }

    /// The output of a router that leads to a state.
    pub(super) fn output(&self, state: u32) -> u32 {
        (state as usize % (self.ports * self.vcs)) as u32
    }

    /// The line of a table.
    pub(super) fn entry(&self, dst: NodeId, key: usize, output: u32) -> Entry {
        let (in_port, in_vc) = match key % self.inputs {
            0 => (-1, -1),
            input => (((input - 1) / self.vcs) as i16, ((input - 1) % self.vcs) as i8),
        };
        Entry {
            dst,
            in_port,
            in_vc,
            out_port: (output as usize / self.vcs) as u16,
            out_vc: (output as usize % self.vcs) as u8,
        }
    }
}
