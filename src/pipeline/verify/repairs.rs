//! Verifies a repair against the build that it changes.

use super::comparison::{FolderComparison, format_error};
use crate::folder::Folder;
use crate::operate::{
    AlignedTables, BuiltFabric, ChangeManifest, DownParts, MOST_ENTRIES, earlier_repair, served_scene,
};
use fabc_check::{CheckError, EarlierRepair, RepairBaseline, RepairWalk};
use fabc_ir::read::{DeltaFile, RepairFile, StageLine, tagged};
use fabc_ir::{ChangeOrder, RepairBlocks, TableChange};

/// The result of verifying a repair without contradictions.
pub struct VerifiedRepair {
    /// The walk of the new tables.
    pub walk: RepairWalk,
    /// `[added, turned, dropped]`: entries over all routers.
    pub changed_entries: [u64; 3],
    /// Whether old and new tables may be mixed.
    pub warm: bool,
}

/// Verifies the repair in the folder `out`. `earlier` is the folder of the repair that it started from.
///
/// # Errors
/// Files that cannot be read, and [`Convicted`](crate::refusal::Convicted) for any violation.
pub fn verify_repair<F: Folder>(
    built: &BuiltFabric<F>,
    out: &F,
    earlier: Option<&F>,
) -> Result<VerifiedRepair, F::Error> {
    let since = earlier.map(|earlier| earlier_repair(built, earlier)).transpose()?;
    let stop = |error| built.convicted(error);
    let (head_bytes, delta_bytes) = (out.read("repair.json")?, out.read("delta.json")?);
    let head: RepairFile =
        tagged(&head_bytes).map_err(|problem| stop(format_error("repair.json", problem)))?;
    let delta: DeltaFile =
        tagged(&delta_bytes).map_err(|problem| stop(format_error("delta.json", problem)))?;
    let unknown =
        |_| stop(format_error("repair.json", "`down` names a part that the fabric does not have".to_owned()));
    let down = DownParts::by_names(built.as_built(), &head.down).map_err(unknown)?;
    let scene = down.scene(built.as_built());
    let parts = fabc_check::connected_parts(&scene);
    let nothing_left =
        |_| stop(format_error("repair.json", "no two endpoints survive the failures in `down`".to_owned()));
    let served = served_scene(&built.fabric, &scene, &parts, true).map_err(nothing_left)?;
    let most_loaded = built.max_channel_load()?;
    let mut claimed = head.repair(delta);
    claimed.blocks = blocks_of(&head, out).map_err(stop)?;
    let down = down.names(built.as_built());
    let covered = if claimed.unserved == 0 { built.covered_tables(&down)? } else { None };
    let AlignedTables { tables, ranks, covered, since } = AlignedTables::align(built, covered, since);
    let ground = RepairBaseline {
        fabric: &built.fabric,
        scene: &scene,
        served: &served,
        healthy: &tables,
        healthy_ranks: &ranks,
        lengths: &built.nominal.lengths,
        most_loaded,
        down: &down,
        earlier: since.as_ref().map(|since| EarlierRepair {
            down: &since.down,
            tables: &since.tables,
            ranks: &since.all_ranks,
        }),
        covered: covered.as_ref().map(|covered| (covered.scenario.as_str(), &covered.tables)),
    };
    let (walk, new) = fabc_check::verify_claimed_repair(&ground, &head, &claimed).map_err(stop)?;
    let files = fabc_emit::repair_files(&claimed);
    let mut again = FolderComparison::new(out);
    let tables = (walk.entries <= MOST_ENTRIES).then(|| fabc_emit::repaired_tables(&new));
    let mut manifest = ChangeManifest::of_repair(built, earlier).claimed_in(out).map_err(stop)?;
    for file in files.into_iter().chain(tables) {
        manifest.list(&file);
        again.compare(file).map_err(stop)?;
    }
    again.compare(manifest.file()).map_err(stop)?;
    again.finish().map_err(stop)?;
    Ok(VerifiedRepair { walk, changed_entries: claimed.delta.counts(), warm: claimed.is_live() })
}

/// The changes by way of unused virtual channels that a repair claims.
fn blocks_of<F: Folder>(head: &RepairFile, out: &F) -> Result<Option<RepairBlocks>, CheckError> {
    let Some(lines) = &head.blocks else { return Ok(None) };
    let orders = [ChangeOrder::Above, ChangeOrder::Below];
    let change = |line: &StageLine, order: ChangeOrder| -> Result<TableChange, CheckError> {
        let path = format!("{}/delta.json", order.name());
        let no_file =
            |_: F::Error| format_error("repair.json", format!("there is no `{path}`, which it names"));
        let bytes = out.read(&path).map_err(no_file)?;
        let file: DeltaFile = tagged(&bytes).map_err(|problem| format_error(&path, problem))?;
        let delta = file.delta(&line.waits);
        Ok(TableChange { order, delta, load: line.load, keys_most: line.keys_most })
    };
    Ok(Some(RepairBlocks { above: change(&lines[0], orders[0])?, below: change(&lines[1], orders[1])? }))
}
