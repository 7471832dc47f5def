//! Verifies a repair of other ranks that is installed by way of unused virtual channels.
//!
//! Input: the live tables with their ranks, the surviving fabric, the ranks of the new tables, and both
//! claimed changes. The first one leads into as many virtual channels above those in use, the second back.
//! In each the block that packets go to has ranks above those of the other block. So each change is warm
//! under one order, and what is proved of warm changes holds for it.

use super::deltas::{after_change, have_same_entries, peak_entries};
use super::{CheckError, ranks_by_port, verify_repair};
use fabc_base::ids::NodeId;
use fabc_ir::{
    ChangeOrder, Delta, ForwardingTables, Repair, RepairBlocks, RepairLoads, RepairStep, Scene, TableChange,
};
use fabc_model::Fabric;

/// The scenario that convictions of a repair name.
const REPAIR: &str = "repair";

/// Verifies both changes, and that they lead to the tables that the repair leads to.
///
/// # Errors
/// The first number, entry or rank that violates the claim.
pub fn verify_repair_blocks(
    fabric: &Fabric,
    scene: &Scene<'_>,
    live: (&ForwardingTables, &[u32]),
    new_ranks: &[u32],
    repair: &Repair,
    blocks: &RepairBlocks,
) -> Result<(), CheckError> {
    let (tables, ranks) = live;
    let vcs = tables.vcs;
    if u16::from(vcs) * 2 > u16::from(fabric.router.vcs) {
        return Err(violation("two blocks take more virtual channels than a router has"));
    }
    let RepairBlocks { above, below } = blocks;
    if (above.order, below.order, repair.warm) != (ChangeOrder::Above, ChangeOrder::Below, false) {
        return Err(violation("blocks belong to a cold repair, and lead above and then below"));
    }
    let old_ranks = ranks_by_port(scene.topology, &tables.symmetry, usize::from(vcs), ranks);
    if new_ranks.len() != old_ranks.len() {
        return Err(violation("the new ranks are not those of all routers"));
    }
    let idle: Vec<NodeId> = cut_off(scene);
    let before = spread(tables, vcs);
    let up = stacked(&old_ranks, new_ranks, usize::from(vcs), true);
    verify_change(fabric, scene, (&before, &up), above, repair.unserved)?;
    let between = after_change(&before, &above.delta, &idle, REPAIR);
    let down = stacked(new_ranks, new_ranks, usize::from(vcs), false);
    verify_change(fabric, scene, (&between, &down), below, repair.unserved)?;
    let last = after_change(&between, &below.delta, &idle, REPAIR);
    let expected = after_change(tables, &repair.delta, &idle, REPAIR);
    if have_same_entries(&ForwardingTables { vcs, ..last }, &expected) {
        Ok(())
    } else {
        Err(violation("the blocks do not lead to the tables of the repair"))
    }
}

fn violation(text: &str) -> CheckError {
    CheckError::Shape { scenario: REPAIR.to_owned(), violation: text.to_owned() }
}

/// Routers outside of the largest part, which have no tables.
fn cut_off(scene: &Scene<'_>) -> Vec<NodeId> {
    let parts = super::survivors::connected_parts(scene);
    let served = parts.first().cloned().unwrap_or_default();
    scene.topology.nodes().filter(|node| served.binary_search(node).is_err()).collect()
}

/// Verifies one change as a warm repair.
fn verify_change(
    fabric: &Fabric,
    scene: &Scene<'_>,
    live: (&ForwardingTables, &[u32]),
    change: &TableChange,
    unserved: u64,
) -> Result<(), CheckError> {
    if change.keys_most != peak_entries(live.0, &change.delta) {
        return Err(violation("the most entries of a router during a change disagree with a recount"));
    }
    let as_repair = Repair {
        fabric: fabric.name.clone(),
        down: Vec::new(),
        since: None,
        step: RepairStep::Local,
        ranks: None,
        delta: change.delta.clone(),
        warm: true,
        blocks: None,
        loads: RepairLoads { nominal: 0, repaired: change.load, bound: None, parts: 1 },
        unserved,
    };
    verify_repair(fabric, scene, live, None, &as_repair).map(|_| ())
}

/// The tables of all routers, with as many unused virtual channels above those in use.
fn spread(tables: &ForwardingTables, vcs: u8) -> ForwardingTables {
    ForwardingTables { vcs: 2 * vcs, ..after_change(tables, &Delta::default(), &[], REPAIR) }
}

/// The ranks of two blocks of virtual channels. The upper block, or else the lower one, is above the other.
fn stacked(lower: &[u32], upper: &[u32], vcs: usize, is_upper_above: bool) -> Vec<u32> {
    let [base, raised] = if is_upper_above { [lower, upper] } else { [upper, lower] };
    let lift = base.iter().max().map_or(0, |most| most + 1);
    let lifted: Vec<u32> = raised.iter().map(|rank| rank + lift).collect();
    let [lower, upper] = if is_upper_above { [lower, &lifted] } else { [&lifted[..], upper] };
    lower.chunks(vcs).zip(upper.chunks(vcs)).flat_map(|(lower, upper)| [lower, upper].concat()).collect()
}
