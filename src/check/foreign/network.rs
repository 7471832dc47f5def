//! Routers, the channels between them, and endpoints: all that a walk has to know of a network.

use fabc_model::VcCount;

/// No entry for this input.
pub(super) const MISSING: u32 = u32::MAX;

/// An entry whose SL2VL table discards packets of this service level.
pub(super) const DISCARDED: u32 = u32::MAX - 1;

/// An entry whose SL2VL table has no line.
pub(super) const NO_LANE: u32 = u32::MAX - 2;

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
    /// `[router * ports + output port]`: (router, its input port) at the other end, [`NOWHERE`] where no
    /// other router is.
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

/// What a router looks packets up by, beside their destination.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lookup {
    /// Nothing.
    Destination,
    /// What they have counted on their way, which is also the virtual channel that they leave on.
    Count(VcCount),
    /// The input port and virtual channel.
    Input,
    /// The input port and the service level, one of so many, which a packet keeps on its way.
    Level(usize),
}

impl Lookup {
    /// Inputs that a router tells apart; 0 is that of injected packets.
    pub(super) fn inputs(self, ports: usize, vcs: usize) -> usize {
        match self {
            Lookup::Destination => 1,
            // The last one is that of packets for which no virtual channel is left.
            Lookup::Count(_) => vcs + 1,
            Lookup::Input => ports * vcs + 1,
            Lookup::Level(levels) => ports * levels,
        }
    }

    /// The input of packets that come in by a port on a virtual channel; `before` is their input at the
    /// router before, `global` whether they come from another group.
    pub(super) fn input(self, before: usize, in_port: usize, vc: usize, vcs: usize, global: bool) -> usize {
        match self {
            Lookup::Level(levels) => in_port * levels + before % levels,
            Lookup::Destination => 0,
            Lookup::Count(VcCount::Hops) => vc + 1,
            Lookup::Count(VcCount::GlobalHops) => vc + usize::from(global),
            Lookup::Input => 1 + in_port * vcs + vc,
        }
    }
}

/// Tables that can be asked for all entries towards one endpoint.
pub(super) trait Table: Sync {
    /// Virtual channels that the tables may name.
    fn vcs(&self) -> usize;
    /// What routers look packets up by.
    fn lookup(&self) -> Lookup;
    /// The input at which packets of a pair of endpoints enter; `None` if the source discards them.
    fn start(&self, _src: usize, _dst: usize) -> Option<usize> {
        Some(0)
    }
    /// The virtual channel on which packets of a pair of endpoints come to the router of the first one.
    fn injected(&self, _src: usize, _dst: usize) -> usize {
        0
    }
    /// `[router * inputs + input]`: [`packed`] (output port, VC), or [`MISSING`].
    fn fill(&self, endpoint: usize, row: &mut Vec<u32>);
}

/// An output port and virtual channel in one number.
pub(super) fn packed(port: u16, vc: u8) -> u32 {
    u32::from(vc) << 16 | u32::from(port)
}

/// The same back: (output port, VC).
pub(super) fn unpacked(output: u32) -> (usize, usize) {
    ((output & 0xffff) as usize, (output >> 16) as usize)
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
