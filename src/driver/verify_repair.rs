//! `fabc verify DIR --repair OUT [--from EARLIER]`: the files of a repair against the directory that it is
//! of.

use super::collective_scene::convicted;
use super::down::Down;
use super::errors::{DriverError, Stop};
use super::read::{self, display};
use super::repair::{Built, MOST_ENTRIES, in_force, served};
use super::terminal::Terminal;
use crate::check::{self, CheckError};
use crate::compile::repair::REPAIR;
use crate::emit;
use crate::ids::NodeId;
use crate::ir::{Delta, Entry, Key, Repair, RepairLoads, RepairStep, RouterDelta};
use crate::limits::ARTIFACT_BYTES;
use crate::read::{DeltaFile, RepairFile, tagged};
use std::path::Path;

/// `fabc verify DIR --repair OUT [--from EARLIER]`.
///
/// # Errors
/// A file is missing or not what its format says, or does not hold (exit code 3).
pub(super) fn verify(
    (directory, running): (&Path, Option<&Path>),
    out: &Path,
    earlier: Option<&Path>,
    terminal: Terminal,
) -> Result<(), Stop> {
    let built = Built::running(directory, running)?;
    let since = earlier.map(|earlier| in_force(&built, earlier)).transpose()?;
    let unfit = |file: &str, what: String| DriverError::NotBuilt { path: display(out), reason: format!("`{file}`: {what}") };
    let bytes = |file: &str| read::bytes(&out.join(file), ARTIFACT_BYTES);
    let head: RepairFile = tagged(&bytes("repair.json")?).map_err(|what| unfit("repair.json", what))?;
    let delta: DeltaFile = tagged(&bytes("delta.json")?).map_err(|what| unfit("delta.json", what))?;
    let down = Down::of(built.wired(), &head.down)?;
    let scene = down.scene(built.wired());
    let parts = check::parts(&scene);
    let served = served(&built, &scene, &parts, true)?;
    let stop = |error| convicted(error, &built.sources);
    let healthy = built.most_loaded()?;
    let claimed = claimed(&head, delta);
    let bound = check::least_load(&served, &built.fabric.demand, &built.nominal.lengths).ok();
    let wrong = |what: &str| stop(CheckError::Shape { scenario: REPAIR.to_owned(), what: what.to_owned() });
    let Repair { fabric, loads, delta, .. } = &claimed;
    if *fabric != built.fabric.name || head.fabric != *fabric || head.order != claimed.order() {
        return Err(wrong("the files are of different fabrics, or do not agree on the order"));
    }
    if (loads.nominal, loads.bound, loads.parts) != (healthy, bound, built.topology.capacities().parts()) {
        return Err(wrong("the loads before, or what bounds those after, are not so"));
    }
    if (head.routers, head.changed) != (delta.routers.len() as u64, delta.counts()) || head.down != down.names(built.wired()) {
        return Err(wrong("the counts of the changes, or the names of what is down, are not those of fabc"));
    }
    if claimed.since.as_ref() != since.as_ref().map(|since| &since.down) {
        let what = match (&claimed.since, &since) {
            (Some(_), None) => "the changes start from an earlier repair, which `--from` must name",
            _ => "the changes do not start from the repair that `--from` names",
        };
        return Err(wrong(what));
    }
    let (in_force, ranks, nominal) = match &since {
        Some(since) => (&since.tables, &since.all_ranks, Some(built.ranks())),
        None => (&built.tables, &built.nominal.ranks, None),
    };
    let walk = check::repair(&built.fabric, &scene, (in_force, ranks), nominal.as_deref(), &claimed).map_err(stop)?;
    if walk.entries <= MOST_ENTRIES {
        let tables = emit::repaired_tables(&delta.applied(in_force, &served.dead, REPAIR));
        if bytes(&tables.path)? != tables.bytes {
            return Err(wrong("the new tables are not what the changes make of the old ones"));
        }
    }
    let [add, turn, drop] = delta.counts();
    terminal.say(&format!(
        "verified {} on {}: {} routes of {} hops over {} table entries walked; {add} added, {turn} turned, {drop} dropped",
        display(out),
        display(directory),
        walk.pairs,
        walk.hops,
        walk.entries
    ))?;
    terminal.say(match claimed.live {
        true => "in any mix of old and new tables every packet arrives, meets what is down, or stands at a key that is listed as stranded",
        false => "the new tables have an order of their own: they hold alone",
    })?;
    Ok(())
}

/// The changes that a file says, with the keys that lead to nothing.
pub(super) fn delta_of(file: DeltaFile, stranded: &[(u32, u32, i16, i8)]) -> Delta {
    let entry = |(dst, in_port, in_vc, out_port, out_vc)| Entry { dst: NodeId(dst), in_port, in_vc, out_port, out_vc };
    let key = |(dst, in_port, in_vc)| Key { dst: NodeId(dst), in_port, in_vc };
    let routers = file.routers.into_iter().map(|line| RouterDelta {
        router: NodeId(line.router),
        add: line.add.into_iter().map(entry).collect(),
        turn: line.turn.into_iter().map(entry).collect(),
        drop: line.drop.into_iter().map(key).collect(),
    });
    let stranded = stranded.iter().map(|&(router, dst, in_port, in_vc)| (NodeId(router), key((dst, in_port, in_vc))));
    Delta { routers: routers.collect(), stranded: stranded.collect() }
}

/// What the files say.
fn claimed(head: &RepairFile, delta: DeltaFile) -> Repair {
    let fabric = delta.fabric.clone();
    let delta = delta_of(delta, &head.stranded);
    let step = match (head.step.as_str(), &head.scenario) {
        ("covered", Some(scenario)) => RepairStep::Covered(scenario.clone()),
        ("full", _) => RepairStep::Full,
        ("new_order", _) => RepairStep::NewOrder,
        _ => RepairStep::Local,
    };
    Repair {
        fabric,
        down: head.down.clone(),
        since: head.since.clone(),
        live: head.live,
        step,
        ranks: head.ranks.clone(),
        delta,
        loads: RepairLoads { nominal: head.load.nominal, repaired: head.load.repaired, bound: head.load.bound, parts: head.load.parts },
        unserved: head.unserved,
    }
}
