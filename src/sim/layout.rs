//! Routers, channels and queues as plain numbers.
//!
//! Queues are numbered router by router. First come those of its inputs, `vcs` for every incoming channel,
//! then those of its hosts. The numbers of a router begin at a multiple of 64, so that its candidates are
//! whole words of a bit set.

use super::links::PacketCycles;
use super::setting::Setting;
use fabc_base::ids::{ChannelId, Id, NodeId, PortId};
use fabc_ir::{Scene, link_cycles};
use fabc_model::Fabric;

/// Stands for no channel, no queue, or no packet.
pub(super) const NONE: u32 = u32::MAX;

/// Everything about the network that does not change while packets move.
pub(super) struct NetworkLayout {
    /// The number of routers, lit or dead.
    pub(super) routers: usize,
    /// The number of channel ids. Some stand for no channel.
    pub(super) channels: usize,
    /// The number of lit channels.
    pub(super) lit: usize,
    /// The ports of a router in the tables.
    pub(super) ports: usize,
    /// `[router * ports + port]`: the lit channel, or [`NONE`].
    pub(super) outgoing: Vec<u32>,
    /// `[channel]`: the two ends of the channel.
    pub(super) ends: Vec<ChannelEnds>,
    /// `[router]`: its first queue. One more entry holds the number of all queues.
    pub(super) first_queue: Vec<u32>,
    /// `[router]`: its first source queue.
    pub(super) source_queue: Vec<u32>,
    /// `[queue / 64]`: the router of the queue.
    router: Vec<u32>,
    /// `[router]`: the latency of the router in cycles.
    pub(super) latency: Vec<u32>,
    /// Cycles that a flit stands at an input of any router before it competes.
    stages: u32,
    /// `[queue]`: the input port that it sends through. For an input queue this is its channel. For a limited
    /// host it is `channels` plus its port. For unlimited hosts it is [`NONE`].
    pub(super) gate: Vec<u32>,
}

/// The two ends of a channel, and how packets pass it: 28 bytes, which a hop needs together.
#[derive(Clone, Copy)]
pub(super) struct ChannelEnds {
    /// The router that it comes from.
    pub(super) from: u32,
    /// The router that it leads to.
    pub(super) to: u32,
    /// The input port at that router.
    pub(super) in_port: u16,
    /// The latency of its link in cycles.
    pub(super) latency: u32,
    /// The first queue that it leads to. [`NONE`] if it is dark.
    pub(super) queue: u32,
    /// The latency of the router that it leads to, in cycles.
    pub(super) router: u32,
    /// The cycles for which a packet holds it.
    pub(super) packet: u32,
}

impl NetworkLayout {
    /// `[channel]`: the port by which it leaves its router. Meaningless for dark channels.
    pub(super) fn port_of_channel(&self) -> Vec<u16> {
        let mut port_of = vec![0; self.channels];
        for (slot, &channel) in self.outgoing.iter().enumerate().filter(|(_, channel)| **channel != NONE) {
            port_of[channel as usize] = (slot % self.ports) as u16;
        }
        port_of
    }

    /// Lays a scene out. `ports_at` returns the first port and the number of ports of the hosts of a router,
    /// if ports are limited.
    pub(super) fn new(
        fabric: &Fabric,
        scene: &Scene<'_>,
        setting: &Setting,
        pace: &PacketCycles,
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
        let latency = router_latencies(fabric, routers);
        let ends_of = |channel: ChannelId| {
            let (end, link) = (topology.target(channel), topology.link_of(channel));
            ChannelEnds {
                from: topology.source(channel).node.0,
                to: end.node.0,
                in_port: end.port.0,
                latency: link_cycles(fabric, topology, link),
                queue: NONE,
                router: latency[end.node.index()],
                packet: pace.over(topology.links()[link].link_type),
            }
        };
        let ends = topology.channels().map(ends_of).collect();
        let mut layout = Self {
            routers,
            channels,
            lit: scene.channels().count(),
            ports,
            outgoing,
            ends,
            first_queue: Vec::with_capacity(routers + 1),
            source_queue: Vec::with_capacity(routers),
            router: Vec::new(),
            latency,
            stages: setting.stages,
            gate: Vec::new(),
        };
        for router in 0..routers {
            layout.first_queue.push(layout.gate.len() as u32);
            for channel in scene.channels_into(NodeId::new(router)) {
                layout.ends[channel.index()].queue = layout.gate.len() as u32;
                layout.gate.extend((0..vcs).map(|_| channel.0));
            }
            layout.source_queue.push(layout.gate.len() as u32);
            let first_source = layout.gate.len();
            match ports_at(router) {
                Some((first, count)) => {
                    layout.gate.extend((first..first + count).map(|port| channels as u32 + port))
                }
                None => layout.gate.extend((0..ports * usize::from(setting.table_vcs)).map(|_| NONE)),
            }
            if setting.has_ack_flits {
                // Acknowledgements have queues of their own, behind the others in the same order.
                layout.gate.extend_from_within(first_source..);
            }
            layout.gate.resize(layout.gate.len().next_multiple_of(64), NONE);
            layout.router.resize(layout.gate.len() / 64, router as u32);
        }
        layout.first_queue.push(layout.gate.len() as u32);
        layout
    }

    /// The cycles of a hop over a channel: the stages and the latency of the router that is left, and the
    /// latency of the link.
    pub(super) fn hop_cycles(&self, channel: u32) -> u32 {
        let ends = &self.ends[channel as usize];
        self.stages + self.latency[ends.from as usize] + ends.latency
    }

    /// The most cycles for which a packet holds a channel.
    pub(super) fn slowest_packet(&self) -> u32 {
        self.ends.iter().map(|ends| ends.packet).max().unwrap_or(0)
    }

    /// The number of queues of all routers.
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

/// `[router]`: its latency in cycles.
fn router_latencies(fabric: &Fabric, routers: usize) -> Vec<u32> {
    match fabric.has_router_kinds() {
        true => (0..routers).map(|router| fabric.router_kind(NodeId::new(router)).latency_cycles).collect(),
        false => vec![fabric.router.latency_cycles; routers],
    }
}

/// A mask of the `count` lowest bits.
pub(super) fn low_bits(count: u32) -> u64 {
    if count == 0 { 0 } else { u64::MAX >> (64 - count) }
}
