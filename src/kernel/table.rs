//! The interface between a walk and tables: which output a router has for packets to an endpoint.

use fabc_topology::VcCount;

/// The router has no entry for this input.
pub const MISSING: u32 = u32::MAX;
/// The entry discards packets of this service level.
pub const DISCARDED: u32 = u32::MAX - 1;
/// The entry names an output, but no virtual channel is known for its two ports.
pub const NO_LANE: u32 = u32::MAX - 2;

/// What a router looks packets up by, besides their destination.
///
/// A packet comes to a router by an *input*, a number below [`Lookup::inputs`]. The input is all that the
/// router and the packet remember of the path so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lookup {
    /// The destination alone. There is one input.
    Destination,
    /// The destination alone, while the packet counts hops. Its count is the virtual channel that it leaves
    /// on.
    Count(VcCount),
    /// The input port and the virtual channel: input `1 + port * vcs + vc`. Input 0 is for injected packets.
    Input,
    /// The input port and the service level, one of this many: input `port * levels + level`. A packet keeps
    /// its level.
    Level(usize),
}

impl Lookup {
    /// The number of inputs of a router.
    pub fn inputs(self, ports: usize, vcs: usize) -> usize {
        match self {
            Lookup::Destination => 1,
            // Packets that have counted past the last virtual channel share the last input.
            Lookup::Count(_) => vcs + 1,
            Lookup::Input => ports * vcs + 1,
            Lookup::Level(levels) => ports * levels,
        }
    }

    /// The number of entries of a router for one destination.
    pub fn entries(self, ports: usize, vcs: usize) -> usize {
        if let Lookup::Count(_) = self { 1 } else { self.inputs(ports, vcs) }
    }

    /// The index of the entry, below [`Lookup::entries`], that serves packets of an input.
    #[inline]
    pub fn entry(self, input: usize) -> usize {
        if let Lookup::Count(_) = self { 0 } else { input }
    }

    /// The input by which a packet comes to the next router. The packet came to this router by the input
    /// `before`, leaves on virtual channel `vc`, and comes in by `in_port`. `global` says whether it changes
    /// the block.
    #[inline]
    pub fn next_input(self, before: usize, in_port: usize, vc: usize, vcs: usize, global: bool) -> usize {
        match self {
            Lookup::Destination => 0,
            Lookup::Count(VcCount::Hops) => before + 1,
            Lookup::Count(VcCount::GlobalHops) => before + usize::from(global),
            Lookup::Input => 1 + in_port * vcs + vc,
            Lookup::Level(levels) => in_port * levels + before % levels,
        }
    }
}

/// Tables that can be asked for all entries towards one endpoint.
pub trait LookupTable: Sync {
    /// The number of virtual channels that entries may name.
    fn vcs(&self) -> usize;
    /// What routers look packets up by.
    fn lookup(&self) -> Lookup;
    /// The input by which packets from one endpoint to another enter the first router. `None` if the source
    /// discards them.
    fn start(&self, _source: usize, _destination: usize) -> Option<usize> {
        Some(0)
    }
    /// Writes `[router * entries + entry]`: a [`packed`] output, [`MISSING`], [`DISCARDED`] or [`NO_LANE`].
    ///
    /// Returns the number of outputs if every one of them must be used by some packet. Otherwise returns
    /// `None`.
    fn fill(&self, destination: usize, row: &mut Vec<u32>) -> Option<usize>;
}

/// An output port and a virtual channel in one number: `vc << 16 | port`.
pub fn packed(port: u16, vc: u8) -> u32 {
    u32::from(vc) << 16 | u32::from(port)
}

/// The output port and the virtual channel of a [`packed`] output.
#[inline]
pub fn unpacked(output: u32) -> (usize, usize) {
    ((output & 0xffff) as usize, (output >> 16) as usize)
}
