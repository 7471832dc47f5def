//! Routers, the channels between them, and endpoints: all that a walk has to know of a network.

use fabc_kernel::Table;

/// A network.
pub(super) struct Network {
    /// `[router]`
    pub(super) names: Vec<String>,
    /// Ports per router, those without a name included.
    pub(super) ports: usize,
    /// `[port]`: as people call it.
    pub(super) port_names: Vec<String>,
    /// `[router * ports + output port]`: (router, its input port) at the other end,
    /// [`NOWHERE`](fabc_kernel::NOWHERE) where no other router is.
    pub(super) next: Vec<(u32, u32)>,
    /// `[router * ports + output port]`: whether it leads to another group; empty where links have no class.
    pub(super) global: Vec<bool>,
    /// Where packets come from and go to.
    pub(super) endpoints: Vec<Endpoint>,
    /// Whether they are inside the routers, as the chips of a pod are.
    pub(super) chips: bool,
}

/// Where packets come from and go to.
pub(super) struct Endpoint {
    pub(super) name: String,
    pub(super) router: u32,
    /// The port of the router behind which it sits; `None` if it is the router itself.
    pub(super) port: Option<u8>,
    /// How often a route from or to it counts in the load of a channel: its hosts, over what is common to all
    /// endpoints.
    pub(super) weight: u32,
    /// Its hosts.
    pub(super) hosts: u16,
}

/// Third-party tables: those that a walk asks, and what else is known of them.
pub(super) trait ThirdPartyTable: Table {
    /// The virtual channel on which packets from one endpoint to another come to the router of the first one.
    fn injected(&self, _source: usize, _destination: usize) -> usize {
        0
    }
}

impl Network {
    /// The same, laid out for a walk.
    pub(super) fn laid_out(&self) -> fabc_kernel::Network {
        let endpoint =
            |end: &Endpoint| fabc_kernel::Endpoint { router: end.router, port: end.port.map(u16::from) };
        fabc_kernel::Network {
            ports: self.ports,
            next: self.next.clone(),
            global: self.global.clone(),
            endpoints: self.endpoints.iter().map(endpoint).collect(),
        }
    }
    pub(super) fn routers(&self) -> usize {
        self.names.len()
    }

    /// `cube0[0,0,0].+x -> cube1[3,0,0]`
    pub(super) fn channel_name(&self, slot: usize) -> String {
        let (router, port) = (slot / self.ports, slot % self.ports);
        let to = self.next[slot].0;
        let to = self.names.get(to as usize).map_or("nowhere", String::as_str);
        format!("{}.{} -> {to}", self.names[router], self.port_names[port])
    }
}
