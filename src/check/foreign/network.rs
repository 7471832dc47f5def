//! A third-party network as a walk needs it: routers, the channels between them, and endpoints.

use fabc_kernel::LookupTable;

/// A third-party network, with names for messages.
pub(super) struct ForeignNetwork {
    /// `[router]`: the name that messages use.
    pub(super) names: Vec<String>,
    /// Ports per router, including ports without a name.
    pub(super) ports: usize,
    /// `[port]`: the name that messages use.
    pub(super) port_names: Vec<String>,
    /// `[router * ports + output port]`: (router, input port) at the other end.
    /// [`NOWHERE`](fabc_kernel::NOWHERE) if there is no other router.
    pub(super) next: Vec<(u32, u32)>,
    /// `[router * ports + output port]`: whether the channel leads to another group. Empty if links have no
    /// class.
    pub(super) global: Vec<bool>,
    /// The sources and destinations of packets.
    pub(super) endpoints: Vec<ForeignEndpoint>,
    /// Whether endpoints are inside the routers, as the chips of a pod are.
    pub(super) chips: bool,
}

/// A source and destination of packets.
pub(super) struct ForeignEndpoint {
    pub(super) name: String,
    pub(super) router: u32,
    /// The port of the router that it is attached to. `None` if it is the router itself.
    pub(super) port: Option<u8>,
    /// Weight of its routes in channel loads: its number of hosts, divided by the common divisor of all
    /// endpoints.
    pub(super) weight: u32,
    /// Number of hosts of this endpoint.
    pub(super) hosts: u16,
}

/// Third-party tables, as a walk and a simulation need them.
pub(super) trait ThirdPartyTable: LookupTable {
    /// The virtual channel on which packets enter the router of the source.
    fn injection_vc(&self, _source: usize, _destination: usize) -> usize {
        0
    }
}

impl ForeignNetwork {
    /// Converts the network for the kernel.
    pub(super) fn to_kernel(&self) -> fabc_kernel::PortGraph {
        let endpoint = |end: &ForeignEndpoint| fabc_kernel::Endpoint {
            router: end.router,
            port: end.port.map(u16::from),
        };
        fabc_kernel::PortGraph {
            ports: self.ports,
            next: self.next.clone(),
            global: self.global.clone(),
            endpoints: self.endpoints.iter().map(endpoint).collect(),
        }
    }
    pub(super) fn routers(&self) -> usize {
        self.names.len()
    }

    /// A channel in a message, such as `cube0[0,0,0].+x -> cube1[3,0,0]`.
    pub(super) fn channel_name(&self, slot: usize) -> String {
        let (router, port) = (slot / self.ports, slot % self.ports);
        let to = self.next[slot].0;
        let to = self.names.get(to as usize).map_or("nowhere", String::as_str);
        format!("{}.{} -> {to}", self.names[router], self.port_names[port])
    }
}
