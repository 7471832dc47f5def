//! `fabc verify DIR --repair OUT [--from EARLIER]`: the files of a repair against the directory that it is
//! of.

use super::collective_scene::convicted;
use super::down::Down;
use super::errors::Stop;
use super::read::{self, display};
use super::repair::{AlikeWide, Built, MOST_ENTRIES, in_force, served};
use super::terminal::Terminal;
use fabc_base::ids::NodeId;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_check::CheckError;
use fabc_emit::Artifact;
use fabc_ir::read::{DeltaFile, RepairFile, tagged};
use fabc_ir::{Delta, Entry, ForwardingTables, Key, Repair, RepairLoads, RepairStep, RouterDelta, Scene};
use fabc_pipeline::compile::repair::{Covered, REPAIR};
use std::collections::BTreeSet;
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
    let stop = |error| convicted(error, &built.sources);
    let bytes = |file: &str| read::bytes(&out.join(file), ARTIFACT_BYTES);
    let (head_bytes, delta_bytes) = (bytes("repair.json")?, bytes("delta.json")?);
    let head: RepairFile = tagged(&head_bytes).map_err(|what| stop(unlike("repair.json", what)))?;
    let delta: DeltaFile = tagged(&delta_bytes).map_err(|what| stop(unlike("delta.json", what)))?;
    let unknown = |_| stop(unlike("repair.json", "`down` names what the fabric does not have".to_owned()));
    let down = Down::of(built.wired(), &head.down).map_err(unknown)?;
    let scene = down.scene(built.wired());
    let parts = fabc_check::parts(&scene);
    let nothing_left = |_| stop(unlike("repair.json", "what it says is down leaves nothing to serve".to_owned()));
    let served = served(&built, &scene, &parts, true).map_err(nothing_left)?;
    let healthy = built.most_loaded()?;
    let claimed = claimed(&head, delta);
    let bound = fabc_check::least_load(&served, &built.fabric.demand, &built.nominal.lengths).ok();
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
    let covered = if claimed.unserved == 0 { built.covered(&down.names(built.wired()))? } else { None };
    let AlikeWide { tables: healthy, ranks: healthy_ranks, covered, since } = AlikeWide::of(&built, covered, since);
    let nominal = fabc_check::ranks_of_all(&built.topology, &healthy.symmetry, usize::from(healthy.vcs), &healthy_ranks);
    let (in_force, ranks, before) = match &since {
        Some(since) => (&since.tables, &since.all_ranks[..], Some(&nominal[..])),
        None => (&*healthy, &*healthy_ranks, None),
    };
    let walk = fabc_check::repair(&built.fabric, &scene, (in_force, ranks), before, &claimed).map_err(stop)?;
    let has_own_order = claimed.ranks.as_ref().is_some_and(|ranks| *ranks != nominal);
    if claimed.step == RepairStep::NewOrder && !has_own_order {
        return Err(wrong("the step is said to be `new_order`, but the tables rise by the order of the healthy fabric"));
    }
    let new = delta.applied(in_force, &served.dead, REPAIR);
    took_the_step(&built, (&served, &healthy), (&claimed, covered), &new)?;
    let files = [("repair.json", fabc_emit::repair_json(&claimed)), ("delta.json", fabc_emit::delta_json(fabric, delta))];
    let files = files.map(|(path, text)| Artifact { path: path.to_owned(), bytes: text.into_bytes() });
    let mut again = WrittenAgain::new(out);
    let tables = (walk.entries <= MOST_ENTRIES).then(|| fabc_emit::repaired_tables(&new));
    files.into_iter().chain(tables).try_for_each(|file| again.compare(file)).map_err(stop)?;
    again.finish().map_err(stop)?;
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
    terminal.say("every file comes out again to the byte from what was proved; nothing can prove")?;
    terminal.say("  repair.json stranded  that no other way was left for what waits there")?;
    terminal.say("  delta.json            which changes, of all that lead to tables with the same numbers")?;
    Ok(())
}

/// The error of a file that is not as its format has it.
pub(super) fn unlike(file: &str, what: String) -> CheckError {
    CheckError::Files { path: file.to_owned(), what: format!("is not what fabc writes: {what}") }
}

/// A folder against the files that fabc writes from what was proved.
pub(super) struct WrittenAgain<'a> {
    folder: &'a Path,
    paths: BTreeSet<String>,
}

impl<'a> WrittenAgain<'a> {
    pub(super) fn new(folder: &'a Path) -> Self {
        Self { folder, paths: BTreeSet::new() }
    }

    /// Compares one file to the byte.
    ///
    /// # Errors
    /// It is missing, or another one.
    pub(super) fn compare(&mut self, Artifact { path, bytes }: Artifact) -> Result<(), CheckError> {
        let wrong = |what: &str| CheckError::Files { path: path.clone(), what: what.to_owned() };
        match std::fs::read(self.folder.join(&path)) {
            Ok(found) if found == bytes => {}
            Ok(_) => return Err(wrong("does not come out again from what was proved")),
            Err(_) => return Err(wrong("is missing")),
        }
        self.paths.insert(path);
        Ok(())
    }

    /// Whether the folder holds no other files.
    ///
    /// # Errors
    /// One of the others.
    pub(super) fn finish(self) -> Result<(), CheckError> {
        let wrong = |path: &str, what: &str| CheckError::Files { path: path.to_owned(), what: what.to_owned() };
        let there = read::paths(self.folder).map_err(|_| wrong(".", "cannot be listed"))?;
        let strange = there.iter().find(|path| !self.paths.contains(*path));
        strange.map_or(Ok(()), |path| Err(wrong(path, "is no file that fabc writes here")))
    }
}

/// Whether the new tables are of the step that is claimed: those that the build has for just this wherever it
/// has some; else with an order of their own; else with all routes that are whole as they were, or not.
fn took_the_step(
    built: &Built,
    (served, healthy): (&Scene<'_>, &ForwardingTables),
    (claimed, covered): (&Repair, Option<Covered>),
    new: &ForwardingTables,
) -> Result<(), Stop> {
    let wrong = |what: &str| {
        let error = CheckError::Shape { scenario: REPAIR.to_owned(), what: what.to_owned() };
        Err(convicted(error, &built.sources))
    };
    match (&claimed.step, covered) {
        (RepairStep::Covered(scenario), Some(covered)) if *scenario == covered.scenario => {
            let same = built.topology.nodes().all(|node| new.router(node) == covered.tables.router(node));
            if same { Ok(()) } else { wrong("the new tables are not those that the build has for this fault") }
        }
        (_, Some(_)) => wrong("the build has tables for just this, and the repair says otherwise"),
        (RepairStep::Covered(_), None) => wrong("the build has no tables for just this"),
        (RepairStep::NewOrder, None) => Ok(()),
        (step, None) => {
            let kept =
                fabc_check::keeps_intact_routes(&built.fabric, served, healthy, new).map_err(|error| convicted(error, &built.sources))?;
            match (step, kept) {
                (RepairStep::Local, false) => wrong("the step is said to be `local`, but routes that nothing broke are other ones"),
                (RepairStep::Full, true) => wrong("the step is said to be `full`, but every route that nothing broke stays"),
                _ => Ok(()),
            }
        }
    }
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
        ("full", None) => RepairStep::Full,
        ("new_order", None) => RepairStep::NewOrder,
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
