//! Ports and lanes of all routers as plain numbers.
//!
//! A router has the ports of the tables, then those of its hosts; every port is an input and an output. A lane
//! is a virtual channel of a port, lane = port << shift | VC: of an input what waits there, of an output what
//! may be sent there. The lanes of a router begin at a multiple of 64, so that they are whole words of a bit
//! set.

use super::super::layout::NONE;
use super::super::prepare::Prepared;

/// Everything about ports that does not change while flits move.
pub(super) struct Ports {
    /// Bits of a lane that are its virtual channel.
    pub(super) shift: u32,
    /// `[router]`: its first port, and behind the last router the number of all.
    pub(super) first: Vec<u32>,
    /// `[port]`: its router.
    pub(super) router: Vec<u32>,
    /// `[port]`: what comes in there.
    pub(super) inputs: Vec<Input>,
    /// `[port]`: where it leads to.
    pub(super) outputs: Vec<Output>,
    /// `[generator]`: its port.
    pub(super) host: Vec<u32>,
}

/// The input side of a port.
#[derive(Clone, Copy)]
pub(super) struct Input {
    /// The lanes of the output at the other end, the first one; [`NONE`] of hosts.
    pub(super) back: u32,
    /// Cycles that a credit takes until it can be used there.
    pub(super) credit: u32,
}

/// The output side of a port.
#[derive(Clone, Copy)]
pub(super) struct Output {
    /// The lanes of the input that it leads to, the first one; [`NONE`] to a host.
    pub(super) into: u32,
    /// Cycles of the link; none to a host.
    pub(super) latency: u32,
    /// The channel; [`NONE`] to a host.
    pub(super) channel: u32,
}

impl Ports {
    /// Numbers the ports of a fabric; `after_link` says whether credits take as long as flits.
    pub(super) fn of(prepared: &Prepared<'_>, after_link: bool) -> Self {
        let Prepared { layout, endpoints, setting, .. } = prepared;
        let hosts = setting.ports().unwrap_or(1);
        let shift = setting.vcs().next_power_of_two().trailing_zeros();
        let per_word = 64usize >> shift;
        let (mut first, mut router, mut host) = (Vec::new(), Vec::<u32>::new(), Vec::new());
        for at in 0..layout.routers {
            let start = router.len();
            first.push(start as u32);
            let generators = endpoints.at(at).len() as u32 * hosts;
            host.extend((0..generators).map(|k| (start + layout.ports) as u32 + k));
            let ports = (layout.ports + generators as usize).next_multiple_of(per_word);
            router.resize(start + ports, at as u32);
        }
        first.push(router.len() as u32);
        let mut ports = Self {
            shift,
            inputs: vec![Input { back: NONE, credit: 0 }; router.len()],
            outputs: vec![Output { into: NONE, latency: 0, channel: NONE }; router.len()],
            first,
            router,
            host,
        };
        for (slot, &channel) in layout.outgoing.iter().enumerate().filter(|(_, channel)| **channel != NONE) {
            let (to, latency) = (layout.to[channel as usize], layout.latency[channel as usize]);
            let out = ports.first[slot / layout.ports] + (slot % layout.ports) as u32;
            let into = ports.first[to as usize] + u32::from(layout.in_port[channel as usize]);
            ports.outputs[out as usize] = Output { into: into << shift, latency, channel };
            ports.inputs[into as usize] = Input { back: out << shift, credit: 1 + if after_link { latency } else { 0 } };
        }
        ports
    }

    /// Lanes.
    pub(super) fn lanes(&self) -> usize {
        self.router.len() << self.shift
    }

    /// Ports of a router.
    pub(super) fn at(&self, router: usize) -> std::ops::Range<usize> {
        self.first[router] as usize..self.first[router + 1] as usize
    }

    /// Ports of the largest router.
    pub(super) fn most(&self) -> usize {
        self.first.windows(2).map(|pair| (pair[1] - pair[0]) as usize).max().unwrap_or(0)
    }
}
