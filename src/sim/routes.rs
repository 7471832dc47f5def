//! Forwarding tables laid out for one look-up per hop.
//!
//! Only canonical routers have tables. Another router uses the table that the symmetry carries to it, so the
//! tables of a large fabric stay in the cache. This file alone decides the key by which a router looks
//! packets up, and how a packet gets its next virtual channel.
//!
//! Every hop looks up another destination, and waits for memory. Hence an answer is one byte where that is
//! enough, and is found by a single access.

use super::layout::NetworkLayout;
use fabc_base::ids::{BlockId, Id, NodeId};
use fabc_ir::{ForwardingTables, Symmetry, TableEntry, TableKey, Topology};

/// How a packet came to a router.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct HopInput {
    /// The input port by which it came.
    pub(super) port: u16,
    /// Its virtual channel of the tables on that channel, whatever queue it is in.
    pub(super) vc: u8,
}

/// The forwarding tables of one scenario.
pub(super) struct TableRoutes {
    symmetry: Symmetry,
    key: TableKey,
    vcs: u8,
    /// Bits of an answer that are its virtual channel.
    shift: u32,
    /// `[router]`: its place in the symmetry.
    places: Vec<SymmetryPlace>,
    answers: Answers,
    /// The most ports of a router.
    ports: usize,
    /// `[router * ports + input port]`: whether the hop that came in there is counted. Empty unless the key
    /// counts hops.
    counted: Vec<bool>,
}

/// The place of a router in the symmetry.
#[derive(Clone, Copy)]
struct SymmetryPlace {
    class: u32,
    /// The element that takes the router to the canonical one of its class.
    back: u32,
    block: BlockId,
    /// The number of the router in its block.
    local: u32,
}

/// Answers are output port << shift | virtual channel. A row is (class of the router * routers +
/// destination). It has one answer per input.
enum Answers {
    /// `[row * inputs + input]`, all of them below [`NO_BYTE`].
    Bytes { inputs: usize, answers: Vec<u8> },
    /// `[row * inputs + input]`, where an answer does not fit into a byte.
    Words { inputs: usize, answers: Vec<u32> },
    /// For tables in which most inputs of most rows have no answer. `starts` holds the first line of every
    /// row, and one more entry at the end.
    Lines { starts: Vec<u32>, lines: Vec<AnswerLine> },
}

#[derive(Clone, Copy)]
struct AnswerLine {
    input: u32,
    answer: u32,
}

/// The byte and the word that stand for no answer.
const NO_BYTE: u8 = u8::MAX;
const NO_WORD: u32 = u32::MAX;

/// Answers may take this many times as much memory as lines.
const ROOMY: usize = 4;

/// The input of packets that begin at the router.
const INJECTED: u32 = 0;

impl TableRoutes {
    /// The cycles of a head over all hops from one router to another one, while nothing waits. The route must
    /// have been walked.
    pub(super) fn cycles(&self, layout: &NetworkLayout, ends: [u32; 2]) -> u32 {
        let ([mut router, target], mut came, mut cycles) = (ends, None, 0);
        while router != target {
            let (port, vc) = self.next(router, target, came).expect("every route that is taken was walked");
            let channel = layout.outgoing[router as usize * layout.ports + usize::from(port)];
            cycles += layout.hop_cycles(channel);
            let ends = &layout.ends[channel as usize];
            (router, came) = (ends.to, Some(HopInput { port: ends.in_port, vc }));
        }
        cycles
    }

    /// Lays the tables of a topology out.
    pub(super) fn new(tables: &ForwardingTables, topology: &Topology) -> Self {
        let symmetry = &tables.symmetry;
        let (nodes, size) = (symmetry.node_count(), symmetry.block_size() as u32);
        let place = |node: usize| SymmetryPlace {
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
            answers: Answers::new(tables, shift),
            ports,
            counted,
        }
    }

    /// The number of virtual channels of the tables.
    pub(super) fn vcs(&self) -> u8 {
        self.vcs
    }

    /// The symmetry that carries the tables.
    pub(super) fn symmetry(&self) -> &Symmetry {
        &self.symmetry
    }

    /// The output port and virtual channel of a packet at a router. `came` is `None` where the packet began.
    /// The result is `None` where the router has no entry, or where the virtual channels run out.
    pub(super) fn next(&self, router: u32, destination: u32, came: Option<HopInput>) -> Option<(u16, u8)> {
        let (place, target) = (&self.places[router as usize], &self.places[destination as usize]);
        let image =
            self.symmetry.image_block(place.back as usize, target.block).index() * self.symmetry.block_size();
        let row = place.class as usize * self.places.len() + image + target.local as usize;
        let input = match (self.key, came) {
            (TableKey::DstInput, Some(came)) => input(came.port.into(), came.vc.into(), self.vcs),
            _ => INJECTED,
        };
        let answer = self.answers.find(row, input)?;
        let (port, vc) = ((answer >> self.shift) as u16, (answer & ((1 << self.shift) - 1)) as u8);
        match (self.key, came) {
            (TableKey::DstInput | TableKey::Dst, _) => Some((port, vc)),
            (TableKey::DstCount(_), None) => (self.vcs > 0).then_some((port, 0)),
            (TableKey::DstCount(_), Some(came)) => {
                let vc =
                    came.vc + u8::from(self.counted[router as usize * self.ports + usize::from(came.port)]);
                (vc < self.vcs).then_some((port, vc))
            }
        }
    }
}

impl Answers {
    fn new(tables: &ForwardingTables, shift: u32) -> Self {
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
                let (of_destination, later) =
                    rest.split_at(rest.iter().take_while(|entry| entry.dst.index() == dst).count());
                lines.extend(of_destination.iter().filter_map(|entry| line(tables, entry, shift)));
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
            // Of two lines for the same input, the first one counts.
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

    fn find(&self, row: usize, input: u32) -> Option<u32> {
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

/// The line of an entry. `None` where nobody looks it up, or where its virtual channel is none of the tables.
fn line(tables: &ForwardingTables, entry: &TableEntry, shift: u32) -> Option<AnswerLine> {
    let counts = matches!(tables.key, TableKey::DstCount(_));
    let vc = if counts { 0 } else { entry.out_vc };
    let input = input_of(tables, entry)?;
    (counts || vc < tables.vcs)
        .then(|| AnswerLine { input, answer: u32::from(entry.out_port) << shift | u32::from(vc) })
}

fn input(port: u32, vc: u32, vcs: u8) -> u32 {
    1 + port * u32::from(vcs) + vc
}

/// The input by which an entry is looked up. `None` for an entry out of range, which nobody looks up.
fn input_of(tables: &ForwardingTables, entry: &TableEntry) -> Option<u32> {
    match (tables.key, u32::try_from(entry.in_port), u32::try_from(entry.in_vc)) {
        (TableKey::DstInput, Ok(port), Ok(vc)) => {
            (vc < u32::from(tables.vcs)).then(|| input(port, vc, tables.vcs))
        }
        (TableKey::DstInput, Ok(_), Err(_)) => None,
        _ => Some(INJECTED),
    }
}
