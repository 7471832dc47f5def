//! Replaces cubes with dead chips by working ones, and repairs tables for everything else that is down.

use super::built::BuiltFabric;
use super::down::DownParts;
use super::local_slice::LocalSlice;
use super::placed::PlacedFabric;
use super::repair::{FinishedRepair, RepairRequest, repair_down};
use crate::folder::Folder;
use crate::refusal::Refusal;
use fabc_base::ids::{BlockId, Id, NodeId, PortId};
use fabc_ir::{PlaceStep, SlicePlacement, router_names};
use fabc_model::Fabric;
use fabc_model::kind_files;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A pod in slices whose dead cubes were replaced.
pub struct SwappedFabric<F> {
    /// The pod with its new placement.
    pub placed: PlacedFabric<F>,
    /// The cubes that were replaced, as text for people.
    pub replaced: String,
    /// Switches and links that are down, by name.
    lost: Vec<String>,
}

/// The repair of a slice.
pub struct SliceRepair {
    /// The name of the slice.
    pub slice: String,
    /// The numbers of its cubes, for people.
    pub cubes: String,
    /// The repair of its kind. Slices of one kind with the same failures share it.
    pub repair: Rc<FinishedRepair>,
}

/// Replaces all cubes with dead chips among the parts that are `down`, by name.
///
/// # Errors
/// [`Refusal::UnknownPart`] if a name has no part, and [`Refusal::Unplaced`] if no working cube is left.
pub fn swap_dead_cubes<F: Folder>(
    old: PlacedFabric<F>,
    down: &[String],
) -> Result<SwappedFabric<F>, Refusal> {
    let names: Vec<String> =
        down.iter().map(|name| name.chars().filter(|letter| !letter.is_whitespace()).collect()).collect();
    let parts = names.iter().map(|name| parse_part(&old.fabric, name)).collect::<Result<Vec<_>, _>>()?;
    let dead: BTreeSet<u32> = parts
        .iter()
        .filter_map(|part| if let NamedPart::Chips(cube) = part { Some(*cube) } else { None })
        .collect();
    let placement = old.after(&swap_steps(&old.placement, &dead))?;
    let replaced = replaced_text(&old.placement, &placement);
    let lost = names
        .into_iter()
        .zip(&parts)
        .filter(|(_, part)| !matches!(part, NamedPart::Chips(_)))
        .map(|(name, _)| name)
        .collect();
    Ok(SwappedFabric { placed: PlacedFabric { placement, ..old }, replaced, lost })
}

impl<F: Folder> SwappedFabric<F> {
    /// Repairs the slices that have parts which are down. Failures in cubes that belong to no slice need no
    /// repair.
    ///
    /// # Errors
    /// The errors of [`repair_down`].
    pub fn slice_repairs(&self, request: &RepairRequest<'_, F>) -> Result<Vec<SliceRepair>, F::Error> {
        let mut repairs: BTreeMap<(&str, Vec<String>), Rc<FinishedRepair>> = BTreeMap::new();
        let mut repaired = Vec::new();
        for slice in &self.placed.placement.slices {
            let local: LocalSlice<'_> = self.placed.local_slice(&slice.name)?;
            let inside: Vec<String> = self.lost.iter().filter_map(|name| local.to_kind(name)).collect();
            if inside.is_empty() {
                continue;
            }
            let key = (local.kind.name.as_str(), inside);
            if !repairs.contains_key(&key) {
                let built = BuiltFabric::read(self.placed.folder.below(&kind_files(key.0)))?;
                let down = DownParts::by_names(built.as_built(), &key.1)?;
                repairs.insert(key.clone(), Rc::new(repair_down(&built, &down, request)?));
            }
            let repair = Rc::clone(&repairs[&key]);
            repaired.push(SliceRepair { slice: slice.name.clone(), cubes: local.cubes(), repair });
        }
        Ok(repaired)
    }
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
/// [`Refusal::UnknownPart`] if there is no such part.
fn parse_part(fabric: &Fabric, name: &str) -> Result<NamedPart, Refusal> {
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
        let [first, last] = [0, fabric.node_count() - 1].map(|node| names.node(NodeId::new(node)));
        let hint = format!(
            "there are {}chips `{first}` to `{last}`; links such as `{first}.{}`; all of `cube0` to `cube{}`",
            switches.unwrap_or_default(),
            names.port(PortId::new(0)),
            cubes - 1
        );
        Refusal::UnknownPart { name: name.to_owned(), hint }
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
