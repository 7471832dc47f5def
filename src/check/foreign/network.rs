//! Routers, the channels between them, and endpoints: all that a walk has to know of a network.

/// No entry for this input.
pub(super) const MISSING: u16 = u16::MAX;

/// No router at the other end.
pub(super) const NOWHERE: u32 = u32::MAX;

/// A network.
pub(super) struct Network {
    /// `[router]`
    pub(super) names: Vec<String>,
    /// Ports per router, those without a name included.
    pub(super) ports: usize,
    /// `[port]`: as people call it.
    pub(super) port_names: Vec<String>,
    /// `[router * ports + port]`: (router, its port) at the other end, [`NOWHERE`] where no other router is.
    pub(super) next: Vec<(u32, u32)>,
    /// Where packets come from and go to.
    pub(super) endpoints: Vec<Endpoint>,
}

/// Where packets come from and go to.
pub(super) struct Endpoint {
    pub(super) name: String,
    pub(super) router: u32,
    /// The port of the router behind which it sits; `None` if it is the router itself.
    pub(super) port: Option<u8>,
}

/// Tables that can be asked for all entries towards one endpoint.
pub(super) trait Table: Sync {
    /// Virtual channels that the tables may name.
    fn vcs(&self) -> usize;
    /// Inputs that a router tells apart: one, or injected and then (in port, in VC).
    fn inputs(&self) -> usize;
    /// `[router * inputs + input]`: `out VC << 8 | out port`, or [`MISSING`].
    fn fill(&self, endpoint: usize, row: &mut Vec<u16>);
}

impl Network {
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
