//! Runs the kernel on third-party tables, and prints its verdict with the names of their files.

use super::network::{ForeignNetwork, ThirdPartyTable};
use super::verdict::{ForeignTables, Rejected, malformed};
use crate::CheckError;
use crate::convictions::{CycleNames, deadlock_lines, loop_lines};
use fabc_kernel::{HeldChannel, Lookup, Loss, NOWHERE, Position, Rejection, TableFault, judge_third_party};
use fabc_model::VcCount;

/// Limit on the routers of a walk that a message names.
const MAX_NAMED_ROUTERS: usize = 40;

/// Judges tables as [`super::judge_foreign`] describes.
pub(super) fn judge(
    file: &str,
    network: &ForeignNetwork,
    table: &dyn ThirdPartyTable,
) -> Result<ForeignTables, Rejected> {
    let weight = |endpoint: usize| u64::from(network.endpoints[endpoint].weight);
    let names = FileNames { file, network, lookup: table.lookup(), vcs: table.vcs() };
    let judged = match judge_third_party(&network.to_kernel(), table, |source, destination| {
        weight(source) * weight(destination)
    }) {
        Ok(judged) => judged,
        Err(Rejection::TooLarge) => {
            let message =
                "between the channels of this network more dependencies are possible than memory can hold";
            return Err(Rejected::Unreadable(Box::new(malformed(file, 1, message))));
        }
        Err(Rejection::Faulty { lost, pairs, faults }) => {
            return Err(Rejected::Convicted(
                faults.into_iter().map(|fault| names.fault_error(fault, lost, pairs)).collect(),
            ));
        }
    };
    let walked = judged.walked;
    let busiest = (0..walked.loads.len()).rev().max_by_key(|slot| walked.loads[*slot]).unwrap_or(0);
    let endpoints = network.endpoints.len() as u64;
    Ok(ForeignTables {
        routers: network.routers() as u64,
        endpoints,
        channels: network.next.iter().filter(|(to, _)| *to != NOWHERE).count() as u64,
        pairs: endpoints * endpoints.saturating_sub(1),
        shares: 1,
        hops: walked.vc_hops.iter().sum(),
        longest: walked.route_hops.len() as u64 - 1,
        max_channel_load: walked.loads[busiest],
        busiest: network.channel_name(busiest),
        vc_hops: walked.vc_hops,
        dependencies: judged.dependencies,
        next_hops: None,
    })
}

/// The names of the files, for messages.
pub(super) struct FileNames<'a> {
    pub(super) file: &'a str,
    pub(super) network: &'a ForeignNetwork,
    pub(super) lookup: Lookup,
    pub(super) vcs: usize,
}

impl CycleNames for FileNames<'_> {
    fn endpoint(&self, endpoint: usize) -> String {
        self.network.endpoints[endpoint].name.clone()
    }

    fn held_channel(&self, held: HeldChannel) -> String {
        let vc = if self.vcs > 1 { format!(" on VC {}", held.vc) } else { String::new() };
        format!("{}{vc}", self.network.channel_name(held.slot))
    }
}

impl FileNames<'_> {
    /// The error for a fault. `lost` of `pairs` ordered pairs do not arrive.
    pub(super) fn fault_error(&self, fault: TableFault, lost: u64, pairs: u64) -> CheckError {
        let scenario = self.file.to_owned();
        match fault {
            TableFault::Lost { source, destination, positions, loss } => CheckError::Undelivered {
                tables: scenario,
                pairs: lost,
                ordered_pairs: pairs,
                src: self.endpoint(source),
                dst: self.endpoint(destination),
                walk: self.walk_text(source, &positions, loss),
            },
            TableFault::Looping { source, destination, cycle } => CheckError::Loop {
                scenario,
                src: self.endpoint(source),
                dst: self.endpoint(destination),
                cycle: loop_lines(self, &cycle),
            },
            TableFault::Deadlock(waiting) => {
                let cycle = deadlock_lines(self, &waiting);
                CheckError::Deadlock { scenario, length: waiting.len(), cycle, span: None }
            }
            // Third-party tables claim no ranks, and may have entries that nothing uses.
            TableFault::Rank { .. } | TableFault::Unused { .. } => {
                CheckError::Shape { scenario, violation: format!("{fault:?}") }
            }
        }
    }

    /// The error for a router with hosts that forwards packets between two endpoints, along a path.
    pub(super) fn forwarding_error(
        &self,
        router: u32,
        source: usize,
        destination: usize,
        path: &[u32],
    ) -> CheckError {
        let routers: Vec<&str> = path.iter().map(|&router| self.router_name(router)).collect();
        CheckError::Forwarding {
            tables: self.file.to_owned(),
            router: self.router_name(router).to_owned(),
            pair: format!("from {} to {}", self.endpoint(source), self.endpoint(destination)),
            walk: format!("  {}", routers.join(" -> ")),
        }
    }

    fn router_name(&self, router: u32) -> &str {
        &self.network.names[router as usize]
    }

    /// The routers along a walk, and the outcome at the last one.
    fn walk_text(&self, source: usize, positions: &[Position], loss: Loss) -> String {
        let mut routers: Vec<&str> =
            positions.iter().map(|position| self.router_name(position.router)).collect();
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
        let skipped = routers.len().saturating_sub(MAX_NAMED_ROUTERS);
        let from = if skipped > 0 { format!("({skipped} routers) -> ") } else { String::new() };
        format!("  {from}{}\n  at {last}: {reason}", routers[skipped..].join(" -> "))
    }
}
