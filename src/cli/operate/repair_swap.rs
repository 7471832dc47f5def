//! `fabc repair --swap`: replaces cubes with dead chips, and repairs tables for everything else that is down.

use crate::args::running::RepairArgs;
use crate::io::errors::DriverError;
use crate::io::folder::DiskFolder;
use crate::io::progress::Watch;
use crate::io::read::display;
use crate::io::staging::{self, OutputRules, Staging, refuse_others};
use crate::io::stop::Stop;
use crate::io::terminal::{Terminal, size_text};
use crate::operate::place::{self, WrittenPlacement};
use crate::operate::placed::read_placed;
use crate::operate::repair::{FILES, repair_request};
use fabc_emit::{PLACEMENT, PlacedPod};
use fabc_pipeline::operate::{SliceRepair, placement_settings, swap_dead_cubes};
use std::path::Path;

/// The folders of the new placement, and of the repairs by the names of their slices.
const PLACED: &str = "placed/";
const REPAIRS: &str = "repairs/";
/// A folder of such a repair holds nothing else. An interrupted one needs no recovery, because it can be
/// computed again.
const SWAPPED: OutputRules = OutputRules { refuse_foreign, is_whole: |_| true };

/// `fabc repair --swap`: writes the new placement and the repairs of slices.
///
/// # Errors
/// The errors of `fabc place` and of `fabc repair`. Nothing is written then.
pub(crate) fn repair(args: &RepairArgs, terminal: Terminal) -> Result<(), Stop> {
    let watch = Watch::new(false);
    let swapped = swap_dead_cubes(read_placed(&args.directory)?, &args.down)?;
    let (new, mut text) = (&swapped.placed, swapped.replaced.clone());
    let mut staging = Staging::for_directory(&args.out, SWAPPED)?;
    staging.enter(PLACED.to_owned());
    let WrittenPlacement { mut bytes, .. } = place::write_placement(&mut staging, new, &new.placement)?;
    let earlier = args.from.as_deref().map(DiskFolder::new);
    for SliceRepair { slice, cubes, repair } in
        swapped.slice_repairs(&repair_request(args, earlier.as_ref()))?
    {
        staging.enter(format!("{REPAIRS}{slice}/"));
        for file in &repair.files {
            staging.write(&file.path, &file.bytes)?;
            bytes += file.bytes.len();
        }
        let description = &repair.text;
        text.push_str(&format!("slice {slice} (cubes {cubes}, by the names of its kind): {description}"));
    }
    staging.publish()?;
    terminal.say(&text)?;
    terminal.say_document(&fabc_emit::placement_json(PlacedPod {
        settings: &placement_settings(&new.fabric, &new.kinds, &new.placement),
        ..new.as_emitted()
    }))?;
    terminal.say(&format!("wrote {} ({}) in {}", display(&args.out), size_text(bytes), watch.elapsed()))?;
    Ok(())
}

/// Refuses a folder with anything but such a repair.
fn refuse_foreign(directory: &Path) -> Result<(), DriverError> {
    if directory.join(PLACED).join(PLACEMENT).is_file() {
        staging::refuse_foreign(&directory.join(PLACED))?;
    }
    let repair = |path: &str| {
        path.strip_prefix(REPAIRS)
            .and_then(|path| path.split_once('/'))
            .is_some_and(|(_, file)| FILES.contains(&file))
    };
    let placed = |path: &str| path.starts_with(PLACED) && directory.join(PLACED).join(PLACEMENT).is_file();
    refuse_others(directory, |path| repair(path) || placed(path))
}
