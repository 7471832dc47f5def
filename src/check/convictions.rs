//! Converts convictions of the kernel into errors with names, codes and hints for people.

use crate::CheckError;
use fabc_base::diag::Span;
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::{ForwardingTables, Relay, TableKey, Topology};
use fabc_kernel::{
    Conviction, GroupConviction, HeldChannel, Loss, Position, TableConviction, TableFault, WaitingPacket,
    port_name,
};
use fabc_model::VcCount;

impl From<Conviction> for CheckError {
    fn from(conviction: Conviction) -> Self {
        match conviction {
            Conviction::Shape { subject, what } => CheckError::Shape { scenario: subject, violation: what },
            Conviction::Symmetry(what) => CheckError::Symmetry { violation: what },
            Conviction::Disconnected { from, to } => CheckError::Disconnected {
                scenario: "lit links".to_owned(),
                from: format!("node {from}"),
                to: format!("node {to}"),
                span: None,
            },
            Conviction::Distances { what, claimed, measured } => {
                CheckError::Distances { quantity: what.to_owned(), claimed, measured }
            }
            Conviction::Lengths(what) => CheckError::Lengths { violation: what },
            Conviction::Flow(what) => CheckError::Flow { violation: what },
        }
    }
}

/// Converts a conviction of the compiler's tables, or of tables with the same layout.
pub(super) fn conviction_of_tables(
    conviction: TableConviction,
    topology: &Topology,
    tables: &ForwardingTables,
    budget: Span,
) -> CheckError {
    let scenario = tables.scenario.clone();
    let names = TableNames { topology, tables };
    match conviction {
        TableConviction::Entry { router, what } => {
            CheckError::BadEntry { scenario, router: topology.name(router), violation: what }
        }
        TableConviction::Fault(fault) => names.fault_error(fault, scenario, budget),
        TableConviction::Other(conviction) => conviction.into(),
    }
}

/// Converts a conviction of group tables.
pub(super) fn conviction_of_groups(
    conviction: GroupConviction,
    topology: &Topology,
    scenario: &str,
) -> CheckError {
    let scenario = scenario.to_owned();
    let ports = |ports: &[u16]| match ports {
        [] => "no port".to_owned(),
        _ => ports.iter().map(|&port| topology.names().port(PortId(port))).collect::<Vec<_>>().join(", "),
    };
    match conviction {
        GroupConviction::Members { router, destination, listed, expected } => CheckError::BadEntry {
            scenario,
            router: topology.name(router),
            violation: format!(
                "packets to {} may leave by {}, but shortest paths that go up and then down leave by {}",
                topology.name(destination),
                ports(&listed),
                ports(&expected)
            ),
        },
        GroupConviction::NoPath { source, destination } => CheckError::Shape {
            scenario,
            violation: format!(
                "no path from {} to {} goes up and then down",
                topology.name(source),
                topology.name(destination)
            ),
        },
        GroupConviction::Relay(Relay { source, destination, relay }) => CheckError::Shape {
            scenario,
            violation: format!(
                "router {relay} cannot hand packets on from router {source} to router {destination}: it is dead, \
                 stands in a circle, is listed out of order, or a valid path joins the two"
            ),
        },
        GroupConviction::Order { router: Some(router) } => CheckError::BadEntry {
            scenario,
            router: topology.name(router),
            violation: "its entries must be ranges of destinations, ascending and as few as possible, and groups are numbered by their first use".to_owned(),
        },
        GroupConviction::Order { router: None } => CheckError::Shape {
            scenario,
            violation: "a group is listed twice, no router uses it, or its weights are not one positive number per port"
                .to_owned(),
        },
        GroupConviction::TooFine => CheckError::Shape {
            scenario,
            violation: "the shares of packets are too small for 64 bits".to_owned(),
        },
        GroupConviction::Other(conviction) => conviction.into(),
    }
}

/// Describes the inputs of an entry, such as `that came in by +x on VC 0`.
pub(super) fn input_in_words(input: usize, key: TableKey, vcs: usize) -> String {
    match input {
        _ if key != TableKey::DstInput => "that came in any way".to_owned(),
        0 => "injected there".to_owned(),
        _ => format!("that came in by {} on VC {}", port_name((input - 1) / vcs), (input - 1) % vcs),
    }
}

/// The names that a cycle of channels is printed with.
pub(super) trait CycleNames {
    /// The name of a source or a destination.
    fn endpoint(&self, endpoint: usize) -> String;
    /// The name of a channel, with its virtual channel where there are several.
    fn held_channel(&self, held: HeldChannel) -> String;
}

/// Prints the channels of a routing loop, one per line.
pub(super) fn loop_lines(names: &impl CycleNames, cycle: &[HeldChannel]) -> String {
    let lines = cycle.iter().map(|&held| format!("  {}", names.held_channel(held)));
    lines.collect::<Vec<_>>().join("\n")
}

/// Prints the channels that wait for each other, one per line, with the packets that hold them.
pub(super) fn deadlock_lines(names: &impl CycleNames, cycle: &[WaitingPacket]) -> String {
    let lines = cycle.iter().map(|&WaitingPacket { held, pair }| {
        let channel = names.held_channel(held);
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

struct TableNames<'a> {
    topology: &'a Topology,
    tables: &'a ForwardingTables,
}

impl CycleNames for TableNames<'_> {
    fn endpoint(&self, endpoint: usize) -> String {
        self.router_name(endpoint)
    }

    fn held_channel(&self, held: HeldChannel) -> String {
        format!("{} on VC {}", self.channel(held.slot), held.vc)
    }
}

impl TableNames<'_> {
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

    fn fault_error(&self, fault: TableFault, scenario: String, budget: Span) -> CheckError {
        match fault {
            TableFault::Lost { source, destination, positions, loss } => {
                self.lost_packet_error(scenario, source, destination, &positions, loss)
            }
            TableFault::Looping { source, destination, cycle } => {
                let cycle = loop_lines(self, &cycle);
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
                violation: format!(
                    "no route uses the entry for packets to {} {}, which leaves by {} on VC {vc}",
                    self.router_name(destination),
                    self.input(position.input as usize),
                    port_name(port)
                ),
            },
            TableFault::Deadlock(waiting) => {
                let cycle = deadlock_lines(self, &waiting);
                CheckError::Deadlock { scenario, length: waiting.len(), cycle, span: Some(budget) }
            }
            TableFault::Rank { held, next, rank, next_rank } => {
                let (from, to) = (self.channel(held.slot), self.channel(next.slot));
                let violation = format!(
                    "the rank falls from {rank} at {from} on VC {} to {next_rank} at {to} on VC {}, which packets take next. The tables have no cycle: only the ranks are wrong",
                    held.vc, next.vc
                );
                CheckError::Rank { scenario, violation }
            }
        }
    }

    fn lost_packet_error(
        &self,
        scenario: String,
        source: usize,
        destination: usize,
        positions: &[Position],
        loss: Loss,
    ) -> CheckError {
        let (src, dst) = (self.router_name(source), self.router_name(destination));
        if loss == Loss::NoCount {
            let progress = match self.tables.key {
                TableKey::DstCount(VcCount::GlobalHops) => "crosses more links between groups",
                _ => "makes more hops",
            };
            let vcs = self.tables.vcs;
            let violation =
                format!("a packet from {src} to {dst} {progress} than the {vcs} virtual channels can count");
            return CheckError::Shape { scenario, violation };
        }
        let last = positions.last().copied().unwrap_or(Position { router: source as u32, input: 0 });
        CheckError::MissingEntry {
            scenario,
            router: self.router_name(last.router as usize),
            arriving: self.input(last.input as usize),
            src,
            dst,
        }
    }
}
