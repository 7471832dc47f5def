//! One route per ordered pair, and the ranks that prove them free of deadlock.

use super::{Symmetry, Topology};
use fabc_base::ids::{ChannelId, Id, NodeId, PortId, Vc};
use fabc_model::{Demand, VcCount};

/// One hop of a route: the channel taken and the virtual channel used on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hop {
    /// The channel that the route takes.
    pub channel: ChannelId,
    /// The virtual channel on it.
    pub vc: Vc,
}

/// The next hop of every router for every destination, independent of the input.
#[derive(Clone, Debug)]
pub struct NextHops {
    /// The symmetry that carries them.
    pub symmetry: Symmetry,
    /// The canonical destinations, in ascending order.
    pub destinations: Vec<NodeId>,
    /// `[canonical destination][node]`: the output port, [`NextHops::NONE`] where no route passes.
    pub ports: Vec<Vec<u16>>,
}

/// Next hops with virtual channels, and the ranks that prove them free of deadlock.
#[derive(Clone, Debug)]
pub struct RankedHops {
    /// The next hops, by canonical destination.
    pub next: NextHops,
    /// How a packet finds its virtual channel.
    pub lanes: VcRule,
    /// Number of virtual channels that the routes use.
    pub used: u32,
    /// Number of virtual channels of `ranks`: those of the budget, or `used` where that is more.
    pub vcs: u32,
    /// `[channel class * vcs + vc]`: a rank that rises along every route.
    pub ranks: Vec<u32>,
}

/// How a packet finds its virtual channel along next hops.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum VcRule {
    /// The router names it: `[canonical destination][node]`.
    Listed(Vec<Vec<u8>>),
    /// The packet counts, and its count is the virtual channel.
    Counted(VcCount),
}

impl NextHops {
    /// The value for no output port.
    pub const NONE: u16 = u16::MAX;

    /// The hops from a source to `destinations[destination]`, each as (channel, virtual channel).
    pub fn route<'a>(
        &'a self,
        topology: &'a Topology,
        lanes: &'a VcRule,
        destination: usize,
        source: NodeId,
    ) -> impl Iterator<Item = (ChannelId, u32)> + 'a {
        let (mut node, mut counted) = (source, 0);
        std::iter::from_fn(move || {
            if node == self.destinations[destination] {
                return None;
            }
            let channel = topology
                .outgoing(node, PortId(self.ports[destination][node.index()]))
                .expect("a next hop is wired");
            let vc = match lanes {
                VcRule::Listed(vcs) => u32::from(vcs[destination][node.index()]),
                &VcRule::Counted(count) => {
                    let before = counted;
                    counted += u32::from(topology.is_counted(channel, count));
                    before
                }
            };
            node = topology.target(channel).node;
            Some((channel, vc))
        })
    }
}

/// One route from every node to every canonical destination. Images under the symmetry give the rest.
///
/// Invariants: routes that enter a router by the same (port, VC) towards the same destination leave it alike,
/// and `ranks` rises along every route.
#[derive(Clone, Debug)]
pub struct Routes {
    /// Number of virtual channels of the budget.
    pub vcs: u8,
    /// The symmetry that the routes keep. Trivial where the method cannot keep the topology's.
    pub symmetry: Symmetry,
    /// `[dst_class * node_count + src]`: where the hops of the route start in `hops`, with one more number at
    /// the end.
    pub offsets: Vec<u32>,
    /// The hops of all routes, back to back.
    pub hops: Vec<Hop>,
    /// `[channel class * vcs + vc]`: the rank of every (channel, VC), with classes under `symmetry`.
    pub ranks: Vec<u32>,
}

impl Routes {
    /// The route from a node to the canonical destination of a class. Empty for the destination itself.
    pub fn route(&self, dst_class: usize, src: NodeId) -> &[Hop] {
        let start = dst_class * self.symmetry.node_count() + src.0 as usize;
        &self.hops[self.offsets[start] as usize..self.offsets[start + 1] as usize]
    }

    /// The load of the busiest channel in parts of a unit, over all ordered pairs.
    pub fn max_load(&self, topology: &Topology, demand: &Demand) -> u64 {
        let mut loads = vec![0; topology.class_count(&self.symmetry)];
        for (class, dst) in self.symmetry.canonical_nodes().enumerate() {
            for src in topology.nodes() {
                let weight = u64::from(demand.weight(src, dst));
                for hop in self.route(class, src) {
                    loads[topology.channel_class(&self.symmetry, hop.channel).index()] +=
                        weight * topology.slowness(hop.channel);
                }
            }
        }
        loads.into_iter().max().unwrap_or(0)
    }
}
