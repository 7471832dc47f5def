//! Forwarding tables laid out to be asked once per hop.
//!
//! Canonical routers only: another router asks the table that the symmetry carries to it, so that a large
//! fabric's tables stay in the cache. What a router looks a packet up by, and how the packet finds its next
//! virtual channel, is decided here and nowhere else in the simulator.

use crate::ids::{Id, NodeId};
use crate::ir::{Entry, ForwardingTables, Symmetry, TableKey, Topology};

/// How a packet came to a router.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Came {
    /// The port it came in by.
    pub(super) port: u16,
    /// Its virtual channel of the tables on that channel, whatever queue it was put in.
    pub(super) vc: u8,
}

/// The tables of one scenario.
pub(super) struct Routes {
    symmetry: Symmetry,
    key: TableKey,
    vcs: u8,
    /// `[class of the router * routers + destination]`: where its lines start.
    starts: Vec<u32>,
    lines: Vec<Line>,
    /// Ports of a router, at most.
    ports: usize,
    /// `[router * ports + input port]`: whether the hop that came in there counts; empty where no rule does.
    counted: Vec<bool>,
}

#[derive(Clone, Copy)]
struct Line {
    input: u32,
    port: u16,
    vc: u8,
}

/// What packets that begin here are looked up by.
const INJECTED: u32 = 0;

impl Routes {
    /// Lays tables out.
    pub(super) fn of(tables: &ForwardingTables, topology: &Topology) -> Self {
        let nodes = tables.symmetry.node_count();
        let mut starts = Vec::with_capacity(tables.routers.len() * nodes + 1);
        let mut lines = Vec::with_capacity(tables.routers.iter().map(Vec::len).sum());
        for entries in &tables.routers {
            let mut sorted = entries.clone();
            sorted.sort_unstable();
            let mut rest = &sorted[..];
            for dst in 0..nodes {
                starts.push(lines.len() as u32);
                let (here, later) = rest.split_at(rest.iter().take_while(|entry| entry.dst.index() == dst).count());
                let line = |entry: &Entry| Line { input: input_of(tables, entry), port: entry.out_port, vc: entry.out_vc };
                lines.extend(here.iter().map(line));
                rest = later;
            }
        }
        starts.push(lines.len() as u32);
        let ports = topology.ports();
        let mut counted = Vec::new();
        if let TableKey::DstCount(count) = tables.key {
            counted.resize(nodes * ports, false);
            for channel in topology.channels() {
                let end = topology.target(channel);
                counted[end.node.index() * ports + end.port.index()] = topology.is_counted(channel, count);
            }
        }
        Self { symmetry: tables.symmetry.clone(), key: tables.key, vcs: tables.vcs, starts, lines, ports, counted }
    }

    /// Virtual channels of the tables.
    pub(super) fn vcs(&self) -> u8 {
        self.vcs
    }

    /// The symmetry that carries them.
    pub(super) fn symmetry(&self) -> &Symmetry {
        &self.symmetry
    }

    /// Output port and virtual channel of a packet at a router; `came` is `None` where it began. `None` where
    /// the router has no entry, or the rule of the virtual channels runs out of them.
    pub(super) fn next(&self, at: u32, to: u32, came: Option<Came>) -> Option<(u16, u8)> {
        let (at, to) = (NodeId(at), NodeId(to));
        let back = self.symmetry.inverse(self.symmetry.element_to(at));
        let row = self.symmetry.class(at) * self.symmetry.node_count() + self.symmetry.image(back, to).index();
        let input = match (self.key, came) {
            (TableKey::DstInput, Some(came)) => input(came.port.into(), came.vc.into(), self.vcs),
            _ => INJECTED,
        };
        let lines = &self.lines[self.starts[row] as usize..self.starts[row + 1] as usize];
        let line = lines.iter().find(|line| line.input == input)?;
        let vc = match self.key {
            TableKey::DstInput | TableKey::Dst => line.vc,
            TableKey::DstCount(_) => {
                came.map_or(0, |came| came.vc + u8::from(self.counted[at.index() * self.ports + usize::from(came.port)]))
            }
        };
        (vc < self.vcs).then_some((line.port, vc))
    }
}

fn input(port: u32, vc: u32, vcs: u8) -> u32 {
    1 + port * u32::from(vcs) + vc
}

/// What an entry is looked up by; what is in no range is looked up by nobody.
fn input_of(tables: &ForwardingTables, entry: &Entry) -> u32 {
    match (tables.key, u32::try_from(entry.in_port), u32::try_from(entry.in_vc)) {
        (TableKey::DstInput, Ok(port), Ok(vc)) if vc < u32::from(tables.vcs) => input(port, vc, tables.vcs),
        (TableKey::DstInput, Ok(_), _) => u32::MAX,
        _ => INJECTED,
    }
}
