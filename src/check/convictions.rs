//! Convictions of the kernel as errors: with the names that people use, codes and hints.

use crate::CheckError;
use fabc_base::diag::Span;
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::{ForwardingTables, TableKey, Topology};
use fabc_kernel::{Conviction, Held, Loss, Position, TableConviction, TableFault, Waiting, port_name};
use fabc_model::VcCount;

impl From<Conviction> for CheckError {
    fn from(conviction: Conviction) -> Self {
        match conviction {
            Conviction::Shape { subject, what } => CheckError::Shape { scenario: subject, what },
            Conviction::Symmetry(what) => CheckError::Symmetry { what },
            Conviction::Disconnected { from, to } => CheckError::Disconnected {
                scenario: "lit links".to_owned(),
                from: format!("node {from}"),
                to: format!("node {to}"),
                span: None,
            },
            Conviction::Distances { what, claimed, measured } => {
                CheckError::Distances { what: what.to_owned(), claimed, measured }
            }
            Conviction::Lengths(what) => CheckError::Lengths { what },
            Conviction::Flow(what) => CheckError::Flow { what },
        }
    }
}

/// A conviction of the compiler's tables, or of tables that were laid out as these are.
pub(super) fn conviction_of_tables(
    conviction: TableConviction,
    topology: &Topology,
    tables: &ForwardingTables,
    budget: Span,
) -> CheckError {
    let scenario = tables.scenario.clone();
    let named = Named { topology, tables };
    match conviction {
        TableConviction::Entry { router, what } => {
            CheckError::BadEntry { scenario, router: topology.name(router), what }
        }
        TableConviction::Fault(fault) => named.fault(fault, scenario, budget),
        TableConviction::Other(conviction) => conviction.into(),
    }
}

/// Which inputs packets come by, in words: `that came in by +x on VC 0`.
pub(super) fn input_in_words(input: usize, key: TableKey, vcs: usize) -> String {
    match input {
        _ if key != TableKey::DstInput => "that came in any way".to_owned(),
        0 => "injected there".to_owned(),
        _ => format!("that came in by {} on VC {}", port_name((input - 1) / vcs), (input - 1) % vcs),
    }
}

/// The names that a circle of channels is written with.
pub(super) trait CircleNames {
    /// A source or a destination.
    fn endpoint(&self, endpoint: usize) -> String;
    /// A channel, with its virtual channel where there are several.
    fn held(&self, held: Held) -> String;
}

/// The channels that packets go round for ever, a line each.
pub(super) fn loop_lines(names: &impl CircleNames, circle: &[Held]) -> String {
    let lines = circle.iter().map(|&held| format!("  {}", names.held(held)));
    lines.collect::<Vec<_>>().join("\n")
}

/// The channels that wait for each other, a line each, with the packets that hold them.
pub(super) fn deadlock_lines(names: &impl CircleNames, circle: &[Waiting]) -> String {
    let lines = circle.iter().map(|&Waiting { held, pair }| {
        let channel = names.held(held);
        match pair {
            Some((source, destination)) => {
                format!(
                    "  {channel}, held by packets from {} to {}",
                    names.endpoint(source),
                    names.endpoint(destination)
                )
            }
            None => format!("  {channel}"),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

struct Named<'a> {
    topology: &'a Topology,
    tables: &'a ForwardingTables,
}

impl CircleNames for Named<'_> {
    fn endpoint(&self, endpoint: usize) -> String {
        self.router_name(endpoint)
    }

    fn held(&self, held: Held) -> String {
        format!("{} on VC {}", self.channel(held.slot), held.vc)
    }
}

impl Named<'_> {
    fn router_name(&self, router: usize) -> String {
        self.topology.name(NodeId::new(router))
    }

    fn channel(&self, slot: usize) -> String {
        let (node, port) =
            (NodeId::new(slot / self.topology.ports()), PortId::new(slot % self.topology.ports()));
        self.topology
            .outgoing(node, port)
            .map_or_else(|| self.topology.name(node), |channel| self.topology.channel_name(channel))
    }

    fn input(&self, input: usize) -> String {
        input_in_words(input, self.tables.key, usize::from(self.tables.vcs))
    }

    fn fault(&self, fault: TableFault, scenario: String, budget: Span) -> CheckError {
        match fault {
            TableFault::Lost { source, destination, positions, loss } => {
                self.lost(scenario, [source, destination], &positions, loss)
            }
            TableFault::Circling { source, destination, circle } => {
                let cycle = loop_lines(self, &circle);
                CheckError::Loop {
                    scenario,
                    src: self.router_name(source),
                    dst: self.router_name(destination),
                    cycle,
                }
            }
            TableFault::Unused { destination, position, port, vc } => CheckError::BadEntry {
                scenario,
                router: self.router_name(position.router as usize),
                what: format!(
                    "no route uses the entry for packets to {} {}, which leaves by {} on VC {vc}",
                    self.router_name(destination),
                    self.input(position.input as usize),
                    port_name(port)
                ),
            },
            TableFault::Deadlock(circle) => {
                let cycle = deadlock_lines(self, &circle);
                CheckError::Deadlock { scenario, length: circle.len(), cycle, span: Some(budget) }
            }
            TableFault::Rank { held, next, rank, next_rank } => {
                let (from, to) = (self.channel(held.slot), self.channel(next.slot));
                let what = format!(
                    "the rank falls from {rank} at {from} on VC {} to {next_rank} at {to} on VC {}, which packets take next; \
                     the tables themselves have no cycle, only the ranks are wrong",
                    held.vc, next.vc
                );
                CheckError::Rank { scenario, what }
            }
        }
    }

    fn lost(
        &self,
        scenario: String,
        [source, destination]: [usize; 2],
        positions: &[Position],
        loss: Loss,
    ) -> CheckError {
        let (src, dst) = (self.router_name(source), self.router_name(destination));
        if loss == Loss::NoCount {
            let what = match self.tables.key {
                TableKey::DstCount(VcCount::GlobalHops) => "goes on behind more links between groups",
                _ => "makes more hops",
            };
            let vcs = self.tables.vcs;
            let what = format!(
                "a packet from {src} to {dst} {what} than there are virtual channels to count them, {vcs}"
            );
            return CheckError::Shape { scenario, what };
        }
        let at = positions.last().copied().unwrap_or(Position { router: source as u32, input: 0 });
        CheckError::MissingEntry {
            scenario,
            router: self.router_name(at.router as usize),
            arriving: self.input(at.input as usize),
            src,
            dst,
        }
    }
}
