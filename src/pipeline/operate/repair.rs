//! New tables for the parts of a built fabric that are down, as files.

use super::built::BuiltFabric;
use super::chain::ChangeManifest;
use super::down::DownParts;
use super::live_tables::{AlignedTables, earlier_repair, served_scene};
use crate::compile::repair::{Broken, Effort, OtherEffort, ProvedRepair, REPAIR, repair};
use crate::folder::Folder;
use fabc_base::ids::NodeId;
use fabc_base::progress::Silent;
use fabc_emit::Artifact;
use fabc_emit::number::grouped;
use fabc_ir::Fraction;

/// The limit of entries up to which the new tables are written. The changes are always written.
pub(crate) const MOST_ENTRIES: u64 = 1 << 26;

/// A repair with its files.
pub struct FinishedRepair {
    /// The result as text for people.
    pub text: String,
    /// The repair, the changes of tables, the new tables unless they are too long, and the manifest.
    pub files: Vec<Artifact>,
}

/// What a repair is asked for.
pub struct RepairRequest<'a, F> {
    /// Whether the largest part of a disconnected network is served.
    pub partial: bool,
    /// How many routes may change.
    pub effort: Effort,
    /// The folder of an earlier repair, whose tables are live.
    pub earlier: Option<&'a F>,
}

/// A repair that the checker proved, with the tables that it starts from.
pub(crate) struct ProvedDown<'a> {
    /// What is broken and served.
    pub(crate) broken: &'a Broken<'a>,
    /// The repair with its proof.
    pub(crate) proved: ProvedRepair,
}

/// Computes and proves new tables for the surviving network, and hands them to `take`.
///
/// # Errors
/// As [`repair_down`].
pub(crate) fn prove_down<F: Folder, T>(
    built: &BuiltFabric<F>,
    down: &DownParts,
    request: &RepairRequest<'_, F>,
    take: impl FnOnce(ProvedDown<'_>) -> T,
) -> Result<T, F::Error> {
    let scene = down.scene(built.as_built());
    let parts = fabc_check::connected_parts(&scene);
    let served = served_scene(&built.fabric, &scene, &parts, request.partial)?;
    let endpoints = |nodes: &[NodeId]| nodes.iter().filter(|&&node| scene.is_endpoint(node)).count() as u64;
    let pairs = |count: u64| count * count.saturating_sub(1);
    let unserved = pairs(parts.iter().map(|part| endpoints(part)).sum()) - pairs(endpoints(&parts[0]));
    let names = down.names(built.as_built());
    let since = request.earlier.map(|earlier| earlier_repair(built, earlier)).transpose()?;
    let covered = if unserved == 0 { built.covered_tables(&names)? } else { None };
    let AlignedTables { tables, ranks, covered, since } = AlignedTables::align(built, covered, since);
    let broken = Broken {
        fabric: &built.fabric,
        covered,
        since,
        down: names,
        scene: &scene,
        served: &served,
        tables: &tables,
        ranks: &ranks,
        lengths: &built.nominal.lengths,
        unserved,
    };
    let proved = repair(&broken, request.effort, &Silent).map_err(|error| built.convicted(error))?;
    Ok(take(ProvedDown { broken: &broken, proved }))
}

/// Computes new tables for the surviving network.
///
/// # Errors
/// [`Refusal::RepairApart`](crate::refusal::Refusal::RepairApart) if it is disconnected,
/// [`Refusal::NothingLeft`](crate::refusal::Refusal::NothingLeft) if no two endpoints survive, and
/// [`Convicted`](crate::refusal::Convicted) if the live tables violate the proof.
pub fn repair_down<F: Folder>(
    built: &BuiltFabric<F>,
    down: &DownParts,
    request: &RepairRequest<'_, F>,
) -> Result<FinishedRepair, F::Error> {
    prove_down(built, down, request, |proved| finished_repair(built, request.earlier, proved))
}

/// The files of a repair, and its text.
fn finished_repair<F: Folder>(
    built: &BuiltFabric<F>,
    earlier: Option<&F>,
    down: ProvedDown<'_>,
) -> FinishedRepair {
    let ProvedDown { broken, proved: ProvedRepair { repair, walk, other } } = down;
    let word = built.fabric.plant.router_word();
    let mut files = fabc_emit::repair_files(&repair);
    let mut text = fabc_emit::repair_text(&repair, built.fabric.node_count(), word);
    if let Some(OtherEffort { effort, load, changed }) = other {
        let load = Fraction::new(load, repair.loads.parts.max(1)).as_f64();
        let (option, what) = match effort {
            Effort::Full => ("full", "choosing all routes once more"),
            _ => ("local", "replacing only broken routes"),
        };
        text.push_str(&format!(
            "  {what} (`--effort {option}`) gives load {load} and changes {} entries\n",
            grouped(changed)
        ));
    }
    if walk.entries <= MOST_ENTRIES {
        let old = broken.since.as_ref().map_or(broken.tables, |since| &since.tables);
        files.push(fabc_emit::repaired_tables(&repair.delta.applied(old, &broken.served.dead, REPAIR)));
    } else {
        text.push_str(&format!(
            "  the new tables have {} entries and are not written: the changes say all\n",
            walk.entries
        ));
    }
    let mut manifest = ChangeManifest::of_repair(built, earlier);
    files.iter().for_each(|file| manifest.list(file));
    files.push(manifest.file());
    FinishedRepair { text, files }
}
