//! Ports and lanes of all routers as plain numbers.
//!
//! A router has the ports of the tables, then those of its hosts. Every port is both an input and an output.
//! A lane is a virtual channel of a port, lane = port << shift | VC. For an input, it is a queue of flits.
//! For an output, it is the room at the other end. The lanes of a router begin at a multiple of 64, so that
//! they are whole words of a bit set.

use super::super::layout::{NONE, low_bits};
use super::super::prepare::Prepared;

/// All ports of all routers.
pub(super) struct RouterPorts {
    /// The bits of a lane that are its virtual channel.
    pub(super) shift: u32,
    /// `[router]`: its first port. One more entry holds the number of all ports.
    pub(super) first: Vec<u32>,
    /// `[lane / 64]`: the router of the lane.
    pub(super) router: Vec<u32>,
    /// `[port]`: both sides of the port.
    pub(super) ports: Vec<RouterPort>,
    /// `[generator]`: the port of its router.
    pub(super) host: Vec<u32>,
}

/// Both sides of a port: 40 bytes.
#[derive(Clone, Copy)]
pub(super) struct RouterPort {
    /// Input side: the first lane of the output at the other end, or [`NONE`] for hosts.
    pub(super) back: u32,
    /// Cycles until a credit can be used there.
    pub(super) credit: u32,
    /// Output side: the first lane of the input that it leads to, or [`NONE`] for a host.
    pub(super) into: u32,
    /// The latency of the link in cycles, 0 to a host.
    pub(super) latency: u32,
    /// The outgoing channel, or [`NONE`] to a host.
    pub(super) channel: u32,
    /// The cycle in which the last flit behind the switch goes out.
    pub(super) sent: u32,
    /// Measured cycles in which a flit goes out.
    pub(super) moved: u32,
    /// Bit per virtual channel of the output that nobody holds.
    pub(super) free: u64,
}

impl RouterPorts {
    /// Numbers the ports of a fabric. `after_link` says whether credits take as long as flits.
    pub(super) fn new(prepared: &Prepared<'_>, after_link: bool) -> Self {
        let Prepared { layout, endpoints, setting, .. } = prepared;
        let hosts = setting.ports().unwrap_or(1);
        let shift = setting.vcs().next_power_of_two().trailing_zeros();
        let per_word = 64usize >> shift;
        let (mut first, mut host) = (Vec::new(), Vec::new());
        let (mut router, mut count) = (Vec::new(), 0);
        for router_index in 0..layout.routers {
            first.push(count as u32);
            let generators = endpoints.of_router(router_index).len() as u32 * hosts;
            host.extend((0..generators).map(|k| (count + layout.ports) as u32 + k));
            let words = (layout.ports + generators as usize).div_ceil(per_word);
            router.resize(router.len() + words, router_index as u32);
            count += words * per_word;
        }
        first.push(count as u32);
        let free = low_bits(setting.vcs());
        let unlinked = RouterPort {
            back: NONE,
            credit: 0,
            into: NONE,
            latency: 0,
            channel: NONE,
            sent: 0,
            moved: 0,
            free,
        };
        let mut ports = Self { shift, first, router, ports: vec![unlinked; count], host };
        for (slot, &channel) in layout.outgoing.iter().enumerate().filter(|(_, channel)| **channel != NONE) {
            let (to, latency) = (layout.ends[channel as usize].to, layout.ends[channel as usize].latency);
            let out = ports.first[slot / layout.ports] + (slot % layout.ports) as u32;
            let into = ports.first[to as usize] + u32::from(layout.ends[channel as usize].in_port);
            let output = &mut ports.ports[out as usize];
            (output.into, output.latency, output.channel) = (into << shift, latency, channel);
            let input = &mut ports.ports[into as usize];
            (input.back, input.credit) = (out << shift, 1 + if after_link { latency } else { 0 });
        }
        ports
    }

    /// The port of a lane.
    pub(super) fn of_lane(&self, lane: u32) -> &RouterPort {
        &self.ports[(lane >> self.shift) as usize]
    }

    /// The router of a lane.
    pub(super) fn router_of(&self, lane: u32) -> u32 {
        self.router[lane as usize / 64]
    }

    /// The virtual channel of a lane.
    pub(super) fn vc(&self, lane: u32) -> u32 {
        lane & ((1 << self.shift) - 1)
    }

    /// The number of lanes of all ports.
    pub(super) fn lanes(&self) -> usize {
        self.ports.len() << self.shift
    }

    /// The ports of a router.
    pub(super) fn range_of_router(&self, router: usize) -> std::ops::Range<usize> {
        self.first[router] as usize..self.first[router + 1] as usize
    }

    /// The ports of the largest router.
    pub(super) fn max_per_router(&self) -> usize {
        self.first.windows(2).map(|pair| (pair[1] - pair[0]) as usize).max().unwrap_or(0)
    }
}
