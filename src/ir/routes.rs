//! One route per ordered pair, and the order that proves them free of deadlock.

use super::{Symmetry, Topology};
use fabc_base::ids::{ChannelId, Id, NodeId, PortId, Vc};
use fabc_model::{Demand, VcCount};

/// One hop of a route: the channel taken and the virtual channel used on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hop {
    /// The channel.
    pub channel: ChannelId,
    /// The virtual channel on it.
    pub vc: Vc,
}

/// Where every router sends what is for a destination, whichever way it came in.
#[derive(Clone, Debug)]
pub struct NextHops {
    /// The symmetry that carries them.
    pub symmetry: Symmetry,
    /// The canonical destinations, ascending.
    pub destinations: Vec<NodeId>,
    /// `[canonical destination][node]`: the output port; [`NextHops::NONE`] where no route passes.
    pub ports: Vec<Vec<u16>>,
}

/// Next hops with virtual channels, and the order that proves them free of deadlock.
#[derive(Clone, Debug)]
pub struct LanedHops {
    /// The next hops.
    pub next: NextHops,
    /// How a packet finds its virtual channel.
    pub lanes: Lanes,
    /// How many of them the routes use.
    pub used: u32,
    /// Virtual channels of `ranks`: those of the budget, or `used` where that is more.
    pub vcs: u32,
    /// `[channel class * vcs + vc]`: a rank that rises along every route.
    pub ranks: Vec<u32>,
}

/// How a packet finds its virtual channel along next hops.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lanes {
    /// The router says it: `[canonical destination][node]`.
    Listed(Vec<Vec<u8>>),
    /// The packet counts it.
    Counted(VcCount),
}

impl NextHops {
    /// No output port.
    pub const NONE: u16 = u16::MAX;

    /// The hops from a source to the canonical destination that stands at `at`, each with its virtual
    /// channel.
    pub fn route<'a>(
        &'a self,
        topology: &'a Topology,
        lanes: &'a Lanes,
        at: usize,
        source: NodeId,
    ) -> impl Iterator<Item = (ChannelId, u32)> + 'a {
        let (mut node, mut counted) = (source, 0);
        std::iter::from_fn(move || {
            if node == self.destinations[at] {
                return None;
            }
            let channel =
                topology.outgoing(node, PortId(self.ports[at][node.index()])).expect("a next hop is wired");
            let vc = match lanes {
                Lanes::Listed(vcs) => u32::from(vcs[at][node.index()]),
                &Lanes::Counted(count) => {
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

/// One route from every node to every canonical destination; images under the symmetry give the rest.
///
/// Invariants: routes that enter a router by the same (port, VC) towards the same destination leave it alike;
/// `ranks` rises along every route.
#[derive(Clone, Debug)]
pub struct Routes {
    /// Virtual channels of the budget.
    pub vcs: u8,
    /// The symmetry that the routes keep (trivial where the method cannot keep the topology's).
    pub symmetry: Symmetry,
    /// `[dst_class * node_count + src]`: where the hops of the route start; one more entry at the end.
    pub offsets: Vec<u32>,
    /// The hops of all routes, back to back.
    pub hops: Vec<Hop>,
    /// `[channel class * vcs + vc]`: the rank of every (channel, VC), of which classes are under `symmetry`.
    pub ranks: Vec<u32>,
}

impl Routes {
    /// The route from a node to the canonical destination of a class; empty for the destination itself.
    pub fn route(&self, dst_class: usize, src: NodeId) -> &[Hop] {
        let at = dst_class * self.symmetry.node_count() + src.0 as usize;
        &self.hops[self.offsets[at] as usize..self.offsets[at + 1] as usize]
    }

    /// Routes of all ordered pairs over the busiest channel, each as often as its weight says.
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
