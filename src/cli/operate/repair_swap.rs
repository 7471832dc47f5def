//! `fabc repair --swap`: replaces cubes with dead chips, and repairs tables for everything else that is down.

use crate::args::running::RepairArgs;
use crate::io::errors::DriverError;
use crate::io::progress::Watch;
use crate::io::read::display;
use crate::io::staging::{self, OutputRules, Staging, refuse_others};
use crate::io::stop::Stop;
use crate::io::terminal::{Terminal, size_text};
use crate::operate::built::BuiltDirectory;
use crate::operate::down::DownParts;
use crate::operate::place::{self, WrittenPlacement};
use crate::operate::placed::{LocalSlice, PlacedDirectory};
use crate::operate::repair::{FILES, FinishedRepair, repair_down};
use fabc_base::ids::{BlockId, Id, PortId};
use fabc_emit::PLACEMENT;
use fabc_ir::{PlaceStep, SlicePlacement, router_names};
use fabc_model::Fabric;
use fabc_model::kind_files;
use fabc_passes::slices::Placing;
use std::collections::{BTreeMap, BTreeSet};
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
    let old = PlacedDirectory::read(&args.directory)?;
    let names: Vec<String> = args
        .down
        .iter()
        .map(|name| name.chars().filter(|letter| !letter.is_whitespace()).collect())
        .collect();
    let parts = names.iter().map(|name| parse_part(&old.fabric, name)).collect::<Result<Vec<_>, _>>()?;
    let dead: BTreeSet<u32> = parts
        .iter()
        .filter_map(|part| if let NamedPart::Chips(cube) = part { Some(*cube) } else { None })
        .collect();
    let placement =
        Placing::new(&old.fabric, old.pod()).after(&old.placement, &swap_steps(&old.placement, &dead))?;
    let mut text = replaced_text(&old.placement, &placement);
    let new = PlacedDirectory { placement, ..old };
    // Failures in cubes that belong to no slice need no repair.
    let lost: Vec<&String> = names
        .iter()
        .zip(&parts)
        .filter(|(_, part)| !matches!(part, NamedPart::Chips(_)))
        .map(|(name, _)| name)
        .collect();
    let mut staging = Staging::for_directory(&args.out, SWAPPED)?;
    staging.enter(PLACED.to_owned());
    let WrittenPlacement { mut bytes, .. } = place::write_placement(&mut staging, &new, &new.placement)?;
    // Slices of one kind with the same failures have the same tables.
    let mut repairs: BTreeMap<(&str, Vec<String>), FinishedRepair> = BTreeMap::new();
    for slice in &new.placement.slices {
        let local: LocalSlice<'_> = new.local_slice(&slice.name)?;
        let inside: Vec<String> = lost.iter().filter_map(|name| local.to_kind(name)).collect();
        if inside.is_empty() {
            continue;
        }
        let key = (local.kind.name.as_str(), inside);
        if !repairs.contains_key(&key) {
            let built = BuiltDirectory::read(&new.directory.join(kind_files(key.0)))?;
            let repair = repair_down(&built, &DownParts::by_names(built.as_built(), &key.1)?, args)?;
            repairs.insert(key.clone(), repair);
        }
        let FinishedRepair { text: description, files } = &repairs[&key];
        staging.enter(format!("{REPAIRS}{}/", slice.name));
        for file in files {
            staging.write(&file.path, &file.bytes)?;
            bytes += file.bytes.len();
        }
        text.push_str(&format!(
            "slice {} (cubes {}, by the names of its kind): {description}",
            slice.name,
            local.cubes()
        ));
    }
    staging.publish()?;
    terminal.say(&text)?;
    terminal.say(&format!("wrote {} ({}) in {}", display(&args.out), size_text(bytes), watch.elapsed()))?;
    Ok(())
}

/// The part of a pod that a name stands for.
enum NamedPart {
    /// A switch, or a link by one of its ends.
    Light,
    /// A chip of a cube, or all of it.
    Chips(u32),
}

/// Reads the name of a part of a pod in slices.
///
/// # Errors
/// `DriverError::UnknownPart` if there is no such part.
fn parse_part(fabric: &Fabric, name: &str) -> Result<NamedPart, DriverError> {
    let names = router_names(fabric);
    let (size, cubes) = fabric.blocks();
    let chip = |name: &str| names.find(name, fabric.node_count());
    let is_port =
        |port: &str| (0..fabric.router.radix as usize).any(|index| names.port(PortId::new(index)) == port);
    let of_pod = fabric.pod().is_some_and(|pod| pod.ocses.iter().any(|ocs| ocs.name == name));
    if of_pod || name.rsplit_once('.').is_some_and(|(router, port)| chip(router).is_some() && is_port(port)) {
        return Ok(NamedPart::Light);
    }
    let parse_cube = || name.strip_prefix("cube")?.parse::<u32>().ok().filter(|&cube| cube < cubes);
    chip(name).map(|chip| chip.0 / size).or_else(parse_cube).map(NamedPart::Chips).ok_or_else(|| {
        let switches = fabric.pod().map_or(&[][..], |pod| pod.ocses.as_slice());
        let switches = switches
            .first()
            .zip(switches.last())
            .map(|(first, last)| format!("switches `{}` to `{}`; ", first.name, last.name));
        let [first, last] =
            [0, fabric.node_count() - 1].map(|node| names.node(fabc_base::ids::NodeId::new(node)));
        let hint = format!(
            "there are {}chips `{first}` to `{last}`; links such as `{first}.{}`; all of `cube0` to `cube{}`",
            switches.unwrap_or_default(),
            names.port(PortId::new(0)),
            cubes - 1
        );
        DriverError::UnknownPart { name: name.to_owned(), hint }
    })
}

/// The steps that replace dead cubes of slices by working ones.
fn swap_steps(placement: &SlicePlacement, dead: &BTreeSet<u32>) -> Vec<PlaceStep> {
    let owners = placement.owners();
    let down = dead.iter().map(|&cube| PlaceStep::Down(cube));
    let swaps = dead
        .iter()
        .filter(|&&cube| owners.contains_key(&BlockId(cube)))
        .map(|&cube| PlaceStep::Swap(cube, None));
    // Cubes are marked as down first, so that no dead cube replaces another.
    down.chain(swaps).collect()
}

/// The cubes that were replaced, as text for people.
fn replaced_text(old: &SlicePlacement, new: &SlicePlacement) -> String {
    let mut text = String::new();
    for (before, after) in old.slices.iter().zip(&new.slices) {
        for (was, is) in before.cubes.iter().zip(&after.cubes).filter(|(was, is)| was != is) {
            text.push_str(&format!("slice {}: cube{is} takes the place of cube{was}\n", after.name));
        }
    }
    if text.is_empty() {
        "no cube of a slice has a dead chip: the slices keep theirs\n".to_owned()
    } else {
        text
    }
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
