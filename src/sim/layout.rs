//! Routers, channels and queues as plain numbers.
//!
//! Queues are numbered router by router: first those of its inputs, `vcs` for every channel that comes in,
//! then those of its hosts. The numbers of a router begin at a multiple of 64, so that its candidates are
//! whole words of a bit set.

use super::setting::Setting;
use fabc_base::ids::{ChannelId, Id, NodeId, PortId};
use fabc_ir::{Scene, link_cycles};
use fabc_model::Fabric;

/// No channel, no queue, no packet.
pub(super) const NONE: u32 = u32::MAX;

/// Everything about the network that does not change while packets move.
pub(super) struct Layout {
    /// Routers.
    pub(super) routers: usize,
    /// Numbers of channels; some stand for nothing.
    pub(super) channels: usize,
    /// Lit channels.
    pub(super) lit: usize,
    /// Ports of the tables.
    pub(super) ports: usize,
    /// `[router * ports + port]`: the lit channel, or [`NONE`].
    pub(super) outgoing: Vec<u32>,
    /// `[channel]`
    pub(super) ends: Vec<Ends>,
    /// `[router]`: its first queue, and behind the last router the number of all.
    pub(super) first_queue: Vec<u32>,
    /// `[router]`: its first source queue.
    pub(super) source_queue: Vec<u32>,
    /// `[queue / 64]`: its router.
    router: Vec<u32>,
    /// `[queue]`: the input port that it sends through: of an input queue its channel, of a limited host
    /// `channels` + its port; [`NONE`] of unlimited hosts.
    pub(super) gate: Vec<u32>,
}

/// What a channel joins: 20 bytes, which a hop needs together.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    /// Its router.
    pub(super) from: u32,
    /// The router that it leads to.
    pub(super) to: u32,
    /// The port there.
    pub(super) in_port: u16,
    /// Cycles of its link.
    pub(super) latency: u32,
    /// The first queue that it leads to; [`NONE`] where it is dark.
    pub(super) queue: u32,
}

impl Layout {
    /// Lays a scene out; `ports_at` says how many ports of hosts a router has where they are limited.
    pub(super) fn new(
        fabric: &Fabric,
        scene: &Scene<'_>,
        setting: &Setting,
        ports_at: &dyn Fn(usize) -> Option<(u32, u32)>,
    ) -> Self {
        let topology = scene.topology;
        let (routers, channels, ports) = (topology.node_count(), topology.channel_count(), topology.ports());
        let vcs = setting.vcs();
        let outgoing = (0..routers * ports)
            .map(|slot| {
                scene
                    .outgoing(NodeId::new(slot / ports), PortId::new(slot % ports))
                    .map_or(NONE, |channel| channel.0)
            })
            .collect();
        let ends = |channel: ChannelId| {
            let end = topology.target(channel);
            Ends {
                from: topology.source(channel).node.0,
                to: end.node.0,
                in_port: end.port.0,
                latency: link_cycles(fabric, topology, topology.link_of(channel)),
                queue: NONE,
            }
        };
        let mut layout = Self {
            routers,
            channels,
            lit: scene.channels().count(),
            ports,
            outgoing,
            ends: topology.channels().map(ends).collect(),
            first_queue: Vec::with_capacity(routers + 1),
            source_queue: Vec::with_capacity(routers),
            router: Vec::new(),
            gate: Vec::new(),
        };
        for router in 0..routers {
            layout.first_queue.push(layout.gate.len() as u32);
            for channel in scene.channels_into(NodeId::new(router)) {
                layout.ends[channel.index()].queue = layout.gate.len() as u32;
                layout.gate.extend((0..vcs).map(|_| channel.0));
            }
            layout.source_queue.push(layout.gate.len() as u32);
            match ports_at(router) {
                Some((first, count)) => {
                    layout.gate.extend((first..first + count).map(|port| channels as u32 + port))
                }
                None => layout.gate.extend((0..ports * usize::from(setting.table_vcs)).map(|_| NONE)),
            }
            layout.gate.resize(layout.gate.len().next_multiple_of(64), NONE);
            layout.router.resize(layout.gate.len() / 64, router as u32);
        }
        layout.first_queue.push(layout.gate.len() as u32);
        layout
    }

    /// Queues.
    pub(super) fn queues(&self) -> usize {
        self.gate.len()
    }

    /// The router of a queue.
    pub(super) fn router_of(&self, queue: u32) -> u32 {
        self.router[queue as usize / 64]
    }

    /// Whether a queue is at an input of a router.
    pub(super) fn is_input(&self, queue: u32) -> bool {
        (self.gate[queue as usize] as usize) < self.channels
    }
}

/// The lowest bits, so many.
pub(super) fn every(count: u32) -> u64 {
    if count == 0 { 0 } else { u64::MAX >> (64 - count) }
}
