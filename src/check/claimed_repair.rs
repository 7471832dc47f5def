//! A repair against what its files claim: the numbers beside the changes, and the step that it is said to be.
//!
//! Comes in: what is in force with its ranks, what is left of the fabric, and the claims. Goes out: what a
//! walk of the new tables found, and these tables.

use super::deltas::{after_change, are_equal, counted};
use super::{CheckError, RepairWalk, keeps_intact_routes, least_load, ranks_of_all, repair};
use fabc_ir::read::RepairFile;
use fabc_ir::{ForwardingTables, Repair, RepairStep, Scene};
use fabc_model::Fabric;

/// The name under which convictions come.
const REPAIR: &str = "repair";

/// What a repair starts from. All tables count as many virtual channels.
pub struct RepairGround<'a> {
    /// The fabric.
    pub fabric: &'a Fabric,
    /// What is left of it.
    pub scene: &'a Scene<'a>,
    /// The part of that which is served.
    pub served: &'a Scene<'a>,
    /// The tables of the healthy fabric.
    pub healthy: &'a ForwardingTables,
    /// `[channel class * vcs + vc]`: their ranks.
    pub healthy_ranks: &'a [u32],
    /// `[channel class]`: the certified lengths of the healthy fabric.
    pub lengths: &'a [u64],
    /// The most that a channel carries in the healthy fabric, in parts of a unit of load.
    pub most_loaded: u64,
    /// What is down, by name.
    pub down: &'a [String],
    /// An earlier repair whose tables are in force.
    pub since: Option<EarlierRepair<'a>>,
    /// The scenario of the build for just what is down, and its tables.
    pub covered: Option<(&'a str, &'a ForwardingTables)>,
}

/// An earlier repair, which was proved.
pub struct EarlierRepair<'a> {
    /// What was down, by name.
    pub down: &'a [String],
    /// Its tables.
    pub tables: &'a ForwardingTables,
    /// `[(router * ports + port) * vcs + vc]`: their ranks.
    pub ranks: &'a [u32],
}

/// Checks what the files of a repair claim.
///
/// # Errors
/// The first claim that is not so.
pub fn claimed_repair(
    ground: &RepairGround<'_>,
    head: &RepairFile,
    claimed: &Repair,
) -> Result<(RepairWalk, ForwardingTables), CheckError> {
    let RepairGround { fabric, scene, served, healthy, .. } = *ground;
    let topology = scene.topology;
    let order = if claimed.ranks.is_none() { "nominal" } else { "new" };
    if claimed.fabric != fabric.name || head.fabric != claimed.fabric || head.order != order {
        return Err(wrong("the files are of different fabrics, or do not agree on the order"));
    }
    let bound = least_load(served, &fabric.demand, ground.lengths).ok();
    let loads = &claimed.loads;
    if (loads.nominal, loads.bound, loads.parts) != (ground.most_loaded, bound, topology.capacities().parts())
    {
        return Err(wrong("the loads before, or what bounds those after, are not so"));
    }
    let changes = (claimed.delta.routers.len() as u64, counted(&claimed.delta));
    if (head.routers, head.changed) != changes || head.down != ground.down {
        return Err(wrong("the counts of the changes, or the names of what is down, are not those of fabc"));
    }
    if claimed.since.as_deref() != ground.since.as_ref().map(|since| since.down) {
        return Err(wrong(match (&claimed.since, &ground.since) {
            (Some(_), None) => "the changes start from an earlier repair, which `--from` must name",
            _ => "the changes do not start from the repair that `--from` names",
        }));
    }
    let nominal = ranks_of_all(topology, &healthy.symmetry, usize::from(healthy.vcs), ground.healthy_ranks);
    let (in_force, ranks, other_ranks) = match &ground.since {
        Some(since) => (since.tables, since.ranks, Some(&nominal[..])),
        None => (healthy, ground.healthy_ranks, None),
    };
    let walk = repair(fabric, scene, (in_force, ranks), other_ranks, claimed)?;
    let has_own_order = claimed.ranks.as_ref().is_some_and(|ranks| *ranks != nominal);
    if claimed.step == RepairStep::NewOrder && !has_own_order {
        return Err(wrong(
            "the step is said to be `new_order`, but the tables rise by the order of the healthy fabric",
        ));
    }
    let new = after_change(in_force, &claimed.delta, &served.dead, REPAIR);
    took_the_step(ground, claimed, &new)?;
    Ok((walk, new))
}

/// Whether the new tables are of the step that is claimed. They are those of the build for just this wherever
/// it has some. Otherwise they have an order of their own, or keep every route that nothing broke, or do not.
fn took_the_step(
    ground: &RepairGround<'_>,
    claimed: &Repair,
    new: &ForwardingTables,
) -> Result<(), CheckError> {
    match (&claimed.step, ground.covered) {
        (RepairStep::Covered(scenario), Some((covered, tables))) if scenario == covered => {
            if are_equal(new, tables) {
                Ok(())
            } else {
                Err(wrong("the new tables are not those that the build has for this fault"))
            }
        }
        (_, Some(_)) => Err(wrong("the build has tables for just this, and the repair says otherwise")),
        (RepairStep::Covered(_), None) => Err(wrong("the build has no tables for just this")),
        (RepairStep::NewOrder, None) => Ok(()),
        (step, None) => match (step, keeps_intact_routes(ground.fabric, ground.served, ground.healthy, new)?)
        {
            (RepairStep::Local, false) => {
                Err(wrong("the step is said to be `local`, but routes that nothing broke are other ones"))
            }
            (RepairStep::Full, true) => {
                Err(wrong("the step is said to be `full`, but every route that nothing broke stays"))
            }
            _ => Ok(()),
        },
    }
}

fn wrong(what: &str) -> CheckError {
    CheckError::Shape { scenario: REPAIR.to_owned(), what: what.to_owned() }
}
