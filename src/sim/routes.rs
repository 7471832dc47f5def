//! Forwarding tables laid out to be asked once per hop.
//!
//! Canonical routers only: another router asks the table that the symmetry carries to it, so that a large
//! fabric's tables stay in the cache. What a router looks a packet up by, and how the packet finds its next
//! virtual channel, is decided here and nowhere else in the simulator. Every hop asks for another destination
//! and waits for it to come from memory: so an answer is one byte where that will do, and is found by one
//! look.

use fabc_base::ids::{BlockId, Id, NodeId};
use fabc_ir::{Entry, ForwardingTables, Symmetry, TableKey, Topology};

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
    /// Bits of an answer that are its virtual channel.
    shift: u32,
    /// `[router]`
    places: Vec<Place>,
    answers: Answers,
    /// Ports of a router, at most.
    ports: usize,
    /// `[router * ports + input port]`: whether the hop that came in there counts; empty where no rule does.
    counted: Vec<bool>,
}

/// Where a router is in the symmetry.
#[derive(Clone, Copy)]
struct Place {
    class: u32,
    /// The element that takes it to the canonical router of its class.
    back: u32,
    block: BlockId,
    /// Its number in its block.
    local: u32,
}

/// Output port << shift | virtual channel, by row (class of the router * routers + destination) and input.
enum Answers {
    /// `[row * inputs + input]`, all of them below [`NO_BYTE`].
    Bytes { inputs: usize, answers: Vec<u8> },
    /// The same.
    Words { inputs: usize, answers: Vec<u32> },
    /// Where most inputs of most rows have no answer: `[row]`, and behind the last one, where its lines
    /// start.
    Lines { starts: Vec<u32>, lines: Vec<Line> },
}

#[derive(Clone, Copy)]
struct Line {
    input: u32,
    answer: u32,
}

/// No answer.
const NO_BYTE: u8 = u8::MAX;
const NO_WORD: u32 = u32::MAX;

/// Answers may take so many times as much memory as lines would.
const ROOMY: usize = 4;

/// What packets that begin here are looked up by.
const INJECTED: u32 = 0;

impl Routes {
    /// Lays tables out.
    pub(super) fn of(tables: &ForwardingTables, topology: &Topology) -> Self {
        let symmetry = &tables.symmetry;
        let (nodes, size) = (symmetry.node_count(), symmetry.block_size() as u32);
        let place = |node: usize| Place {
            class: symmetry.class(NodeId::new(node)) as u32,
            back: symmetry.inverse(symmetry.element_to(NodeId::new(node))) as u32,
            block: BlockId(node as u32 / size),
            local: node as u32 % size,
        };
        let shift = tables.vcs.max(1).next_power_of_two().trailing_zeros();
        let ports = topology.ports();
        let mut counted = Vec::new();
        if let TableKey::DstCount(count) = tables.key {
            counted.resize(nodes * ports, false);
            for channel in topology.channels() {
                let end = topology.target(channel);
                counted[end.node.index() * ports + end.port.index()] = topology.is_counted(channel, count);
            }
        }
        Self {
            symmetry: symmetry.clone(),
            key: tables.key,
            vcs: tables.vcs,
            shift,
            places: (0..nodes).map(place).collect(),
            answers: Answers::of(tables, shift),
            ports,
            counted,
        }
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
        let (here, there) = (&self.places[at as usize], &self.places[to as usize]);
        let image =
            self.symmetry.image_block(here.back as usize, there.block).index() * self.symmetry.block_size();
        let row = here.class as usize * self.places.len() + image + there.local as usize;
        let input = match (self.key, came) {
            (TableKey::DstInput, Some(came)) => input(came.port.into(), came.vc.into(), self.vcs),
            _ => INJECTED,
        };
        let answer = self.answers.at(row, input)?;
        let (port, vc) = ((answer >> self.shift) as u16, (answer & ((1 << self.shift) - 1)) as u8);
        match (self.key, came) {
            (TableKey::DstInput | TableKey::Dst, _) => Some((port, vc)),
            (TableKey::DstCount(_), None) => (self.vcs > 0).then_some((port, 0)),
            (TableKey::DstCount(_), Some(came)) => {
                let vc = came.vc + u8::from(self.counted[at as usize * self.ports + usize::from(came.port)]);
                (vc < self.vcs).then_some((port, vc))
            }
        }
    }
}

impl Answers {
    fn of(tables: &ForwardingTables, shift: u32) -> Self {
        let nodes = tables.symmetry.node_count();
        let rows = tables.routers.len() * nodes;
        let (mut starts, mut lines) =
            (Vec::with_capacity(rows + 1), Vec::with_capacity(tables.routers.iter().map(Vec::len).sum()));
        for entries in &tables.routers {
            let mut sorted = entries.clone();
            sorted.sort_unstable();
            let mut rest = &sorted[..];
            for dst in 0..nodes {
                starts.push(lines.len() as u32);
                let (here, later) =
                    rest.split_at(rest.iter().take_while(|entry| entry.dst.index() == dst).count());
                lines.extend(here.iter().filter_map(|entry| line(tables, entry, shift)));
                rest = later;
            }
        }
        starts.push(lines.len() as u32);
        let inputs = lines.iter().map(|line| line.input as usize + 1).max().unwrap_or(1);
        let byte = lines.iter().all(|line| line.answer < u32::from(NO_BYTE));
        let cells = rows.saturating_mul(inputs);
        if cells.saturating_mul(if byte { 1 } else { size_of::<u32>() })
            > ROOMY * (size_of_val(&starts[..]) + size_of_val(&lines[..]))
        {
            return Self::Lines { starts, lines };
        }
        let mut answers = vec![NO_WORD; cells];
        for row in 0..rows {
            // Of two lines for the same the first one counts.
            for line in lines[starts[row] as usize..starts[row + 1] as usize].iter().rev() {
                answers[row * inputs + line.input as usize] = line.answer;
            }
        }
        match byte {
            true => Self::Bytes {
                inputs,
                answers: answers.iter().map(|&answer| u8::try_from(answer).unwrap_or(NO_BYTE)).collect(),
            },
            false => Self::Words { inputs, answers },
        }
    }

    fn at(&self, row: usize, input: u32) -> Option<u32> {
        let input_at = input as usize;
        match self {
            Self::Bytes { inputs, answers } => (input_at < *inputs)
                .then(|| answers[row * inputs + input_at])
                .filter(|&answer| answer != NO_BYTE)
                .map(u32::from),
            Self::Words { inputs, answers } => (input_at < *inputs)
                .then(|| answers[row * inputs + input_at])
                .filter(|&answer| answer != NO_WORD),
            Self::Lines { starts, lines } => {
                let lines = &lines[starts[row] as usize..starts[row + 1] as usize];
                lines.iter().find(|line| line.input == input).map(|line| line.answer)
            }
        }
    }
}

/// What an entry says; nothing where nobody looks it up, or its virtual channel is none of the tables.
fn line(tables: &ForwardingTables, entry: &Entry, shift: u32) -> Option<Line> {
    let counts = matches!(tables.key, TableKey::DstCount(_));
    let vc = if counts { 0 } else { entry.out_vc };
    let input = input_of(tables, entry)?;
    (counts || vc < tables.vcs)
        .then(|| Line { input, answer: u32::from(entry.out_port) << shift | u32::from(vc) })
}

fn input(port: u32, vc: u32, vcs: u8) -> u32 {
    1 + port * u32::from(vcs) + vc
}

/// What an entry is looked up by; what is in no range is looked up by nobody.
fn input_of(tables: &ForwardingTables, entry: &Entry) -> Option<u32> {
    match (tables.key, u32::try_from(entry.in_port), u32::try_from(entry.in_vc)) {
        (TableKey::DstInput, Ok(port), Ok(vc)) => {
            (vc < u32::from(tables.vcs)).then(|| input(port, vc, tables.vcs))
        }
        (TableKey::DstInput, Ok(_), Err(_)) => None,
        _ => Some(INJECTED),
    }
}
