//! Convictions of the kernel as errors: with the names that people use, codes and hints.

use crate::CheckError;
use fabc_base::diag::Span;
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::{ForwardingTables, TableKey, Topology};
use fabc_kernel::{Conviction, Held, Loss, Position, TableFault, Waiting, port_name};
use fabc_model::VcCount;

impl From<Conviction> for CheckError {
    /// For convictions that are not about tables. `conviction_of_tables` knows the names that faults of
    /// tables need.
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
            Conviction::Distances { what, claimed, measured } => CheckError::Distances { what: what.to_owned(), claimed, measured },
            Conviction::Lengths(what) => CheckError::Lengths { what },
            Conviction::Flow(what) => CheckError::Flow { what },
            Conviction::Entry { router, what } => {
                CheckError::BadEntry { scenario: "tables".to_owned(), router: format!("node {router}"), what }
            }
            Conviction::Tables(fault) => CheckError::Shape { scenario: "tables".to_owned(), what: format!("{fault:?}") },
        }
    }
}

/// A conviction of the compiler's tables, or of tables that were laid out as these are.
pub(super) fn conviction_of_tables(conviction: Conviction, topology: &Topology, tables: &ForwardingTables, budget: Span) -> CheckError {
    let scenario = tables.scenario.clone();
    let named = Named { topology, tables };
    match conviction {
        Conviction::Entry { router, what } => CheckError::BadEntry { scenario, router: topology.name(router), what },
        Conviction::Tables(fault) => named.fault(fault, scenario, budget),
        other => other.into(),
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

struct Named<'a> {
    topology: &'a Topology,
    tables: &'a ForwardingTables,
}

impl Named<'_> {
    fn router_name(&self, router: usize) -> String {
        self.topology.name(NodeId::new(router))
    }

    fn channel(&self, slot: usize) -> String {
        let (node, port) = (NodeId::new(slot / self.topology.ports()), PortId::new(slot % self.topology.ports()));
        self.topology.outgoing(node, port).map_or_else(|| self.topology.name(node), |channel| self.topology.channel_name(channel))
    }

    fn input(&self, input: usize) -> String {
        input_in_words(input, self.tables.key, usize::from(self.tables.vcs))
    }

    fn fault(&self, fault: TableFault, scenario: String, budget: Span) -> CheckError {
        match fault {
            TableFault::Lost { source, destination, positions, loss } => self.lost(scenario, [source, destination], &positions, loss),
            TableFault::Circling { source, destination, circle } => {
                let hop = |held: &Held| format!("  {} on VC {}", self.channel(held.slot), held.vc);
                let cycle = circle.iter().map(hop).collect::<Vec<_>>().join("\n");
                CheckError::Loop { scenario, src: self.router_name(source), dst: self.router_name(destination), cycle }
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
                let line = |&Waiting { held, pair }: &Waiting| {
                    pair.map_or_else(String::new, |(source, destination)| {
                        let (from, to) = (self.router_name(source), self.router_name(destination));
                        format!("  {} on VC {}, held by packets from {from} to {to}", self.channel(held.slot), held.vc)
                    })
                };
                let cycle = circle.iter().map(line).collect::<Vec<_>>().join("\n");
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

    fn lost(&self, scenario: String, [source, destination]: [usize; 2], positions: &[Position], loss: Loss) -> CheckError {
        let (src, dst) = (self.router_name(source), self.router_name(destination));
        if loss == Loss::NoCount {
            let what = match self.tables.key {
                TableKey::DstCount(VcCount::GlobalHops) => "goes on behind more links between groups",
                _ => "makes more hops",
            };
            let vcs = self.tables.vcs;
            let what = format!("a packet from {src} to {dst} {what} than there are virtual channels to count them, {vcs}");
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
