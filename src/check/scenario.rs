//! Verifies that the tables of one scenario deliver every packet and are deadlock-free.

use crate::CheckError;
use crate::convictions::{conviction_of_groups, conviction_of_tables};
use crate::hop_cycles::cycles_of_hops;
use crate::tiers::tiers_by_order;
use crate::weights::verify_weights;
use fabc_ir::{ForwardingTables, GroupTables, Relay, Scene, Walk};
use fabc_kernel::{DeadlockFree, GroupConviction, GroupsProved, Judged, judge};
use fabc_model::Fabric;

/// Walks the tables for every ordered pair of living routers, and proves that the ranks rise along every
/// dependency of the walk. A dead router must have no tables.
///
/// `ranks` is `[channel class * vcs + vc]` under the symmetry of the tables.
///
/// # Errors
/// The first entry, route or dependency that violates a rule.
pub fn judge_tables(
    fabric: &Fabric,
    scene: &Scene<'_>,
    tables: &ForwardingTables,
    ranks: &[u32],
) -> Result<(Walk, DeadlockFree), CheckError> {
    if tables.vcs == 0 || tables.vcs > fabric.budget.vcs || tables.vcs > fabric.router.vcs {
        let (used, budget, has, router) =
            (tables.vcs, fabric.budget.vcs, fabric.router.vcs, fabric.plant.router_word());
        return Err(CheckError::OverBudget {
            scenario: tables.scenario.clone(),
            violation: format!(
                "the tables use {used} virtual channels, but the budget has {budget} and the {router} {has}"
            ),
            span: Some(fabric.budget.vcs_span),
        });
    }
    let judged = Judged {
        scene,
        demand: &fabric.demand,
        hop_cycles: &cycles_of_hops(fabric, scene.topology),
        vcs: fabric.budget.vcs.min(fabric.router.vcs),
        shortest: fabric.routing.is_shortest_by_destination(),
    };
    judge(&judged, tables, ranks).map_err(|conviction| {
        conviction_of_tables(conviction, scene.topology, tables, fabric.budget.vcs_span)
    })
}

/// Checks that every group is the set of ports on shortest valid paths, and counts what the routes load. A
/// dead router must have no entries. `None` if the shares of packets are too small to be counted.
///
/// # Errors
/// The first group that differs, or the first pair without a valid path.
pub fn judge_groups(
    fabric: &Fabric,
    scene: &Scene<'_>,
    tables: &GroupTables,
) -> Result<Option<(Walk, GroupsProved)>, CheckError> {
    let judged = Judged {
        scene,
        demand: &fabric.demand,
        hop_cycles: &cycles_of_hops(fabric, scene.topology),
        vcs: fabric.budget.vcs.min(fabric.router.vcs),
        shortest: false,
    };
    let is_too_long = |relayed: &&Relay| {
        tables.legs(relayed.source, relayed.destination).len() as u64 > u64::from(fabric.relays) + 1
    };
    if let Some(relayed) = tables.relays.iter().find(is_too_long) {
        return Err(CheckError::OverBudget {
            scenario: tables.scenario.clone(),
            violation: format!(
                "packets from router {} to router {} take more relays than the {} that the spec allows",
                relayed.source, relayed.destination, fabric.relays
            ),
            span: Some(fabric.routing_span),
        });
    }
    let tiers = tiers_by_order(scene.topology, fabric.routing.tier_order());
    match fabc_kernel::judge_groups(&judged, tables, &tiers) {
        Ok(proved) => {
            verify_weights(scene, tables, fabric.routing.weights())?;
            Ok(Some(proved))
        }
        Err(GroupConviction::TooFine) => Ok(None),
        Err(conviction) => Err(conviction_of_groups(conviction, scene.topology, &tables.scenario)),
    }
}

/// Compares the compiler's counts of its routes with those of a walk of the tables.
///
/// # Errors
/// The first count that differs.
pub fn verify_walk(scenario: &str, claimed: &Walk, measured: &Walk) -> Result<(), CheckError> {
    // The pattern names every field, so a new count cannot be forgotten.
    let Walk {
        shares,
        loads,
        load_histogram,
        vc_hops,
        route_hops,
        cycles_total,
        cycles_most,
        entries_max,
        entries_total,
    } = claimed;
    for (quantity, same) in [
        ("the shares of the routes", *shares == measured.shares),
        ("the loads of the channels", *loads == measured.loads && *load_histogram == measured.load_histogram),
        ("the hops on each virtual channel", *vc_hops == measured.vc_hops),
        ("the hops of the routes", *route_hops == measured.route_hops),
        (
            "the latencies of the routes",
            (cycles_total, cycles_most) == (&measured.cycles_total, &measured.cycles_most),
        ),
        ("the most entries of a table", *entries_max == measured.entries_max),
        ("the entries of all tables", *entries_total == measured.entries_total),
    ] {
        if !same {
            let violation =
                format!("{quantity} differ: the routes and a walk of the tables give other counts");
            return Err(CheckError::Shape { scenario: scenario.to_owned(), violation });
        }
    }
    Ok(())
}
