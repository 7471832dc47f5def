//! Routers, the channels between them, and endpoints: all that a walk has to know of a network.
//!
//! A *slot* is an output port of a router: `slot = router * ports + port`. A walk of the compiler's tables
//! and a walk of third-party tables both start from this value.

use fabc_topology::ids::{Id, NodeId, PortId};
use fabc_topology::{LinkClass, Topology};

/// Stands for "no router" at the other end of a port.
pub const NOWHERE: u32 = u32::MAX;

/// The channels of a network by output port: a port graph, with the endpoints on it.
pub struct PortGraph {
    /// Output ports per router, unused ones included.
    pub ports: usize,
    /// `[slot]`: the router and its input port at the other end, or [`NOWHERE`].
    pub next: Vec<(u32, u32)>,
    /// `[slot]`: whether the channel leads to another block. Empty where links have no class.
    pub global: Vec<bool>,
    /// The sources and destinations of packets.
    pub endpoints: Vec<Endpoint>,
}

/// A source and destination of packets.
#[derive(Clone, Copy, Debug)]
pub struct Endpoint {
    /// The router that the endpoint is, or is attached to.
    pub router: u32,
    /// The port of the router that leads to the endpoint. `None` if the endpoint is the router itself.
    pub port: Option<u16>,
}

impl PortGraph {
    /// The port graph of a topology. Every router has an [`Endpoint`]. The demand says which of them send.
    pub fn of_topology(topology: &Topology) -> Self {
        let slots = || {
            topology.nodes().flat_map(|node| {
                (0..topology.ports()).map(move |port| topology.outgoing(node, PortId::new(port)))
            })
        };
        let target = |channel| {
            let end = topology.target(channel);
            (end.node.0, u32::from(end.port.0))
        };
        Self {
            ports: topology.ports(),
            next: slots().map(|channel| channel.map_or((NOWHERE, 0), target)).collect(),
            global: slots()
                .map(|channel| channel.is_some_and(|id| topology.link(id).class == LinkClass::Global))
                .collect(),
            endpoints: topology.nodes().map(|NodeId(router)| Endpoint { router, port: None }).collect(),
        }
    }

    /// The number of routers of the network.
    pub fn routers(&self) -> usize {
        self.next.len() / self.ports.max(1)
    }
}
