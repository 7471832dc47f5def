//! Routers, channels and queues as plain numbers.
//!
//! Queues are numbered router by router: first those of its inputs, `vcs` for every channel that comes in,
//! then those of its hosts. The numbers of a router begin at a multiple of 64, so that its candidates are
//! whole words of a bit set.

use super::setting::Setting;
use crate::ids::{ChannelId, Id, NodeId, PortId};
use crate::ir::Scene;
use crate::model::Fabric;

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
    /// `[channel]`: its router.
    pub(super) from: Vec<u32>,
    /// `[channel]`: the router that it leads to.
    pub(super) to: Vec<u32>,
    /// `[channel]`: the port there.
    pub(super) in_port: Vec<u16>,
    /// `[channel]`: cycles of its link.
    pub(super) latency: Vec<u32>,
    /// `[router]`: its first queue, and behind the last router the number of all.
    pub(super) first_queue: Vec<u32>,
    /// `[router]`: its first source queue.
    pub(super) source_queue: Vec<u32>,
    /// `[channel]`: the first queue that it leads to.
    pub(super) input_queue: Vec<u32>,
    /// `[queue]`: its router.
    pub(super) router_of: Vec<u32>,
    /// `[queue]`: the input port that it sends through: of an input queue its channel, of a limited host
    /// `channels` + its port; [`NONE`] of unlimited hosts.
    pub(super) gate: Vec<u32>,
}

impl Layout {
    /// Lays a scene out; `ports_at` says how many ports of hosts a router has where they are limited.
    pub(super) fn new(fabric: &Fabric, scene: &Scene<'_>, setting: &Setting, ports_at: &dyn Fn(usize) -> Option<(u32, u32)>) -> Self {
        let topology = scene.topology;
        let (routers, channels, ports) = (topology.node_count(), topology.channel_count(), topology.ports());
        let vcs = setting.vcs();
        let end = |channel: usize| topology.target(ChannelId::new(channel));
        let outgoing = (0..routers * ports)
            .map(|slot| scene.outgoing(NodeId::new(slot / ports), PortId::new(slot % ports)).map_or(NONE, |channel| channel.0))
            .collect();
        let link_of = |channel: usize| topology.links()[ChannelId::new(channel).link()].link_type;
        let mut layout = Self {
            routers,
            channels,
            lit: scene.channels().count(),
            ports,
            outgoing,
            from: (0..channels).map(|channel| topology.source(ChannelId::new(channel)).node.0).collect(),
            to: (0..channels).map(|channel| end(channel).node.0).collect(),
            in_port: (0..channels).map(|channel| end(channel).port.0).collect(),
            latency: (0..channels).map(|channel| fabric.link_types[link_of(channel)].latency_cycles).collect(),
            first_queue: Vec::with_capacity(routers + 1),
            source_queue: Vec::with_capacity(routers),
            input_queue: vec![NONE; channels],
            router_of: Vec::new(),
            gate: Vec::new(),
        };
        for router in 0..routers {
            layout.first_queue.push(layout.gate.len() as u32);
            for channel in scene.channels_into(NodeId::new(router)) {
                layout.input_queue[channel.index()] = layout.gate.len() as u32;
                layout.gate.extend((0..vcs).map(|_| channel.0));
            }
            layout.source_queue.push(layout.gate.len() as u32);
            match ports_at(router) {
                Some((first, count)) => layout.gate.extend((first..first + count).map(|port| channels as u32 + port)),
                None => layout.gate.extend((0..ports * usize::from(setting.table_vcs)).map(|_| NONE)),
            }
            layout.gate.resize(layout.gate.len().next_multiple_of(64), NONE);
            layout.router_of.resize(layout.gate.len(), router as u32);
        }
        layout.first_queue.push(layout.gate.len() as u32);
        layout
    }

    /// Queues.
    pub(super) fn queues(&self) -> usize {
        self.gate.len()
    }

    /// Whether a queue is at an input of a router.
    pub(super) fn is_input(&self, queue: u32) -> bool {
        (self.gate[queue as usize] as usize) < self.channels
    }
}
