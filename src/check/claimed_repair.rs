//! Verifies a repair against the claims of its files: the numbers beside the changes, and the step of the
//! repair.
//!
//! Input: the live tables with their ranks, the surviving fabric, and the claims. Output: the measurements
//! of a walk of the new tables, and these tables.

use super::deltas::{after_change, entry_counts, have_same_entries};
use super::repair_blocks::verify_repair_blocks;
use super::{CheckError, RepairWalk, keeps_intact_routes, load_lower_bound, ranks_by_port, verify_repair};
use fabc_ir::read::RepairFile;
use fabc_ir::{ForwardingTables, Repair, RepairStep, Scene};
use fabc_model::Fabric;

/// The scenario that convictions of a repair name.
const REPAIR: &str = "repair";

/// The state that a repair starts from. All of its tables count the same virtual channels.
pub struct RepairBaseline<'a> {
    /// The fabric that failures hit.
    pub fabric: &'a Fabric,
    /// The surviving part of the fabric.
    pub scene: &'a Scene<'a>,
    /// The part of `scene` that the repair serves.
    pub served: &'a Scene<'a>,
    /// The tables of the healthy fabric.
    pub healthy: &'a ForwardingTables,
    /// `[channel class * vcs + vc]`: the ranks of `healthy`.
    pub healthy_ranks: &'a [u32],
    /// `[channel class]`: the certified lengths of the healthy fabric.
    pub lengths: &'a [u64],
    /// The maximum channel load of the healthy fabric, in parts of a unit of load.
    pub most_loaded: u64,
    /// The failed parts, by name.
    pub down: &'a [String],
    /// An earlier repair, if its tables are live.
    pub earlier: Option<EarlierRepair<'a>>,
    /// The scenario that the build has for exactly these failures, and its tables.
    pub covered: Option<(&'a str, &'a ForwardingTables)>,
}

/// An earlier repair that was proved.
pub struct EarlierRepair<'a> {
    /// The parts that had failed, by name.
    pub down: &'a [String],
    /// The tables that it installed.
    pub tables: &'a ForwardingTables,
    /// `[(router * ports + port) * vcs + vc]`: the ranks of `tables`.
    pub ranks: &'a [u32],
}

/// Verifies what the files of a repair claim.
///
/// # Errors
/// The first claim that does not hold.
pub fn verify_claimed_repair(
    baseline: &RepairBaseline<'_>,
    head: &RepairFile,
    claimed: &Repair,
) -> Result<(RepairWalk, ForwardingTables), CheckError> {
    let RepairBaseline { fabric, scene, served, healthy, .. } = *baseline;
    let topology = scene.topology;
    let order = if claimed.ranks.is_none() { "nominal" } else { "new" };
    if claimed.fabric != fabric.name || head.fabric != claimed.fabric || head.order != order {
        return Err(violation("the files belong to different fabrics, or disagree on the order"));
    }
    let bound = load_lower_bound(served, &fabric.demand, baseline.lengths).ok();
    let loads = &claimed.loads;
    if (loads.nominal, loads.bound, loads.parts)
        != (baseline.most_loaded, bound, topology.capacities().parts())
    {
        return Err(violation(
            "the loads of the healthy tables, or the lower bound on the repaired ones, disagree with a recount",
        ));
    }
    let changes = (claimed.delta.routers.len() as u64, entry_counts(&claimed.delta));
    if (head.routers, head.changed) != changes || head.down != baseline.down {
        return Err(violation(
            "the counts of the changes, or the names of the failed parts, disagree with a recount",
        ));
    }
    if claimed.since.as_deref() != baseline.earlier.as_ref().map(|since| since.down) {
        return Err(violation(match (&claimed.since, &baseline.earlier) {
            (Some(_), None) => "the changes start from an earlier repair, which `--from` must name",
            _ => "the changes do not start from the repair that `--from` names",
        }));
    }
    let nominal =
        ranks_by_port(topology, &healthy.symmetry, usize::from(healthy.vcs), baseline.healthy_ranks);
    let (in_force, ranks, other_ranks) = match &baseline.earlier {
        Some(since) => (since.tables, since.ranks, Some(&nominal[..])),
        None => (healthy, baseline.healthy_ranks, None),
    };
    let walk = verify_repair(fabric, scene, (in_force, ranks), other_ranks, claimed)?;
    if let Some(blocks) = &claimed.blocks {
        let new_ranks = claimed.ranks.as_deref().unwrap_or(&nominal);
        verify_repair_blocks(fabric, scene, (in_force, ranks), new_ranks, claimed, blocks)?;
        let lines = head.blocks.as_ref().into_iter().flatten();
        let stated = lines.map(|line| line.changed).collect::<Vec<_>>();
        if stated != [&blocks.above, &blocks.below].map(|change| entry_counts(&change.delta)) {
            return Err(violation("the counts of the changes by blocks disagree with a recount"));
        }
    } else if !claimed.warm && u16::from(in_force.vcs) * 2 <= u16::from(fabric.router.vcs) {
        return Err(violation(
            "a new order is claimed to need idle routers, but there are unused virtual channels",
        ));
    }
    let has_own_order = claimed.ranks.as_ref().is_some_and(|ranks| *ranks != nominal);
    if claimed.step == RepairStep::NewOrder && !has_own_order {
        return Err(violation(
            "the step is claimed to be `new_order`, but the routes rise by the ranks of the healthy fabric",
        ));
    }
    let new = after_change(in_force, &claimed.delta, &served.dead, REPAIR);
    check_step(baseline, claimed, &new)?;
    Ok((walk, new))
}

/// Verifies that the new tables are of the claimed step. If the build has tables for exactly these failures,
/// the new ones must be those. Otherwise they have an order of their own, or keep every intact route, or
/// neither.
fn check_step(
    baseline: &RepairBaseline<'_>,
    claimed: &Repair,
    new: &ForwardingTables,
) -> Result<(), CheckError> {
    match (&claimed.step, baseline.covered) {
        (RepairStep::Covered(scenario), Some((covered, tables))) if scenario == covered => {
            if have_same_entries(new, tables) {
                Ok(())
            } else {
                Err(violation("the new tables are not those that the build has for this fault"))
            }
        }
        (_, Some(_)) => {
            Err(violation("the build has tables for exactly this fault, but the repair does not use them"))
        }
        (RepairStep::Covered(_), None) => Err(violation(
            "the repair claims tables of the build, but the build has none for exactly this fault",
        )),
        (RepairStep::NewOrder, None) => Ok(()),
        (step, None) => {
            match (step, keeps_intact_routes(baseline.fabric, baseline.served, baseline.healthy, new)?) {
                (RepairStep::Local, false) => Err(violation(
                    "the step is claimed to be `local`, but it changes routes that no failure broke",
                )),
                (RepairStep::Full, true) => Err(violation(
                    "the step is claimed to be `full`, but it keeps every route that no failure broke",
                )),
                _ => Ok(()),
            }
        }
    }
}

fn violation(text: &str) -> CheckError {
    CheckError::Shape { scenario: REPAIR.to_owned(), violation: text.to_owned() }
}
