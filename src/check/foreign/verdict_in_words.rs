//! Third-party tables before the kernel, and its verdict with the names of their files.

use super::network::{Network, ThirdPartyTable};
use super::verdict::{ForeignTables, Rejected, malformed};
use crate::CheckError;
use crate::convictions::{CircleNames, deadlock_lines, loop_lines};
use fabc_kernel::{Held, Lookup, Loss, NOWHERE, Position, Rejection, TableFault, judge_third_party};
use fabc_model::VcCount;

/// Most routers of a walk that a message names.
const NAMED: usize = 40;

/// Judges tables; see [`super::foreign`].
pub(super) fn judge(
    file: &str,
    network: &Network,
    table: &dyn ThirdPartyTable,
) -> Result<ForeignTables, Rejected> {
    let weight = |endpoint: usize| u64::from(network.endpoints[endpoint].weight);
    let named = Named { file, network, lookup: table.lookup(), vcs: table.vcs() };
    let found = match judge_third_party(&network.laid_out(), table, |source, destination| {
        weight(source) * weight(destination)
    }) {
        Ok(found) => found,
        Err(Rejection::TooLarge) => {
            let what =
                "between the channels of this network more dependencies are possible than memory can hold";
            return Err(Rejected::Unreadable(Box::new(malformed(file, 1, what))));
        }
        Err(Rejection::Faulty { lost, pairs, faults }) => {
            return Err(Rejected::Convicted(
                faults.into_iter().map(|fault| named.fault(fault, lost, pairs)).collect(),
            ));
        }
    };
    let walked = found.walked;
    let busiest = (0..walked.loads.len()).rev().max_by_key(|slot| walked.loads[*slot]).unwrap_or(0);
    let endpoints = network.endpoints.len() as u64;
    Ok(ForeignTables {
        routers: network.routers() as u64,
        endpoints,
        channels: network.next.iter().filter(|(to, _)| *to != NOWHERE).count() as u64,
        pairs: endpoints * endpoints.saturating_sub(1),
        hops: walked.vc_hops.iter().sum(),
        longest: walked.route_hops.len() as u64 - 1,
        max_channel_load: walked.loads[busiest],
        busiest: network.channel_name(busiest),
        vc_hops: walked.vc_hops,
        dependencies: found.dependencies,
    })
}

struct Named<'a> {
    file: &'a str,
    network: &'a Network,
    lookup: Lookup,
    vcs: usize,
}

impl CircleNames for Named<'_> {
    fn endpoint(&self, endpoint: usize) -> String {
        self.network.endpoints[endpoint].name.clone()
    }

    fn held(&self, held: Held) -> String {
        let vc = if self.vcs > 1 { format!(" on VC {}", held.vc) } else { String::new() };
        format!("{}{vc}", self.network.channel_name(held.slot))
    }
}

impl Named<'_> {
    /// `lost` of `pairs` do not arrive.
    fn fault(&self, fault: TableFault, lost: u64, pairs: u64) -> CheckError {
        let scenario = self.file.to_owned();
        match fault {
            TableFault::Lost { source, destination, positions, loss } => CheckError::Undelivered {
                tables: scenario,
                pairs: lost,
                all: pairs,
                src: self.endpoint(source),
                dst: self.endpoint(destination),
                walk: self.walk(source, &positions, loss),
            },
            TableFault::Circling { source, destination, circle } => CheckError::Loop {
                scenario,
                src: self.endpoint(source),
                dst: self.endpoint(destination),
                cycle: loop_lines(self, &circle),
            },
            TableFault::Deadlock(circle) => {
                let cycle = deadlock_lines(self, &circle);
                CheckError::Deadlock { scenario, length: circle.len(), cycle, span: None }
            }
            // Third-party tables claim no ranks, and may have entries that nothing uses.
            TableFault::Rank { .. } | TableFault::Unused { .. } => {
                CheckError::Shape { scenario, what: format!("{fault:?}") }
            }
        }
    }

    /// The routers on the way, and what happens at the last one.
    fn walk(&self, source: usize, positions: &[Position], loss: Loss) -> String {
        let mut routers: Vec<&str> =
            positions.iter().map(|position| self.network.names[position.router as usize].as_str()).collect();
        if routers.is_empty() {
            routers.push(&self.network.endpoints[source].name);
        }
        let reason = match loss {
            Loss::NoEntry => "it has no entry for them",
            Loss::Discarded => "its SL2VL table discards them (VL 15)",
            Loss::NoLane => "its SL2VL tables have no line for these two ports",
            Loss::NoChannel => {
                "it sends them to a port that leads to no other router and not to the destination"
            }
            Loss::NoCount if self.lookup == Lookup::Count(VcCount::GlobalHops) => {
                "they have crossed as many global links as there are virtual channels to count them"
            }
            Loss::NoCount => "they have made as many hops as there are virtual channels to count them",
        };
        let last = routers[routers.len() - 1];
        let cut = routers.len().saturating_sub(NAMED);
        let from = if cut > 0 { format!("({cut} routers) -> ") } else { String::new() };
        format!("  {from}{}\n  at {last}: {reason}", routers[cut..].join(" -> "))
    }
}
