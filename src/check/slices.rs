//! Isolation: no cross-connect joins two slices, and every slice has exactly those of its kind.
//!
//! Comes in: `placement.json` and the `ocs.json` of a pod and of all of its kinds, as they are read; ports
//! are what their names say. Goes out: how much was looked at, or the first contradictions. Together with the
//! proof of every kind, whose tables name routers of that kind alone, it says that no packet leaves its slice
//! and that what was proved of kinds holds of slices side by side.

use super::CheckError;
use fabc_ir::read::{OcsFile, PlacementFile};
use std::collections::{BTreeMap, BTreeSet};

/// So many contradictions are told.
const MOST: usize = 8;

/// How much was looked at; all of it is true.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Isolation {
    /// Slices.
    pub slices: usize,
    /// Cubes that they have.
    pub cubes: usize,
    /// Cross-connects of the pod.
    pub cross_connects: usize,
}

/// Names of two face ports, the smaller first.
type Joined = (String, String);

/// What the switches of one `ocs.json` are: the switch and the side of every face port, and what they join.
struct Switches {
    /// `(cube, the rest of the name)`: switch and side.
    ports: BTreeMap<(u32, String), (String, bool)>,
    /// Joined face ports, and the switch.
    joined: BTreeMap<Joined, String>,
}

/// Proves that the slices of a placement are isolated: `pod` is the `ocs.json` of all, `kinds` those of the
/// kinds by name, with the number of their cubes; the pod has `cubes`.
///
/// # Errors
/// What contradicts it; each names the cross-connect, or the cubes, and the slices.
pub fn isolated(
    placement: &PlacementFile,
    pod: &OcsFile,
    kinds: &BTreeMap<String, (u32, OcsFile)>,
    cubes: u32,
) -> Result<Isolation, Vec<CheckError>> {
    let broken = |what: String| vec![CheckError::Isolation { what }];
    let owners = owners(placement, kinds, cubes).map_err(broken)?;
    let whole = Switches::of(pod).map_err(broken)?;
    let of_kinds = kinds
        .iter()
        .map(|(name, (_, file))| Ok((name.as_str(), Switches::of(file)?)))
        .collect::<Result<BTreeMap<_, _>, String>>();
    let of_kinds = of_kinds.map_err(broken)?;

    let mut errors = Vec::new();
    let mut found: Vec<BTreeMap<Joined, &str>> = vec![BTreeMap::new(); placement.slices.len()];
    for ((one, other), switch) in &whole.joined {
        let place = |name: &String| {
            let (cube, face) = parsed(name)?;
            Ok::<_, String>((owners.get(&cube).copied(), face.to_owned()))
        };
        let ends = place(one).and_then(|a| Ok((a, place(other)?)));
        let ((a, face_a), (b, face_b)) = ends.map_err(broken)?;
        match (a, b) {
            (Some((slice_a, at_a)), Some((slice_b, at_b))) if slice_a == slice_b => {
                found[slice_a]
                    .insert(sorted(format!("cube{at_a}{face_a}"), format!("cube{at_b}{face_b}")), switch);
            }
            _ => {
                let of = |owner: Option<(usize, usize)>| match owner {
                    Some((slice, _)) => format!("slice `{}`", placement.slices[slice].name),
                    None => "no slice".to_owned(),
                };
                let what = format!("{switch} joins {one} of {} to {other} of {}", of(a), of(b));
                errors.push(CheckError::Isolation { what });
            }
        }
    }
    for (slice, found) in placement.slices.iter().zip(&found) {
        let kind = &of_kinds[slice.kind.as_str()];
        errors.extend(differs(slice.name.as_str(), kind, found));
        errors.extend(unlike(slice.name.as_str(), &slice.cubes, &whole));
    }
    errors.truncate(MOST);
    let extent =
        Isolation { slices: placement.slices.len(), cubes: owners.len(), cross_connects: whole.joined.len() };
    if errors.is_empty() { Ok(extent) } else { Err(errors) }
}

/// Of every cube that a slice has: which slice, and which of its cubes.
fn owners(
    placement: &PlacementFile,
    kinds: &BTreeMap<String, (u32, OcsFile)>,
    cubes: u32,
) -> Result<BTreeMap<u32, (usize, usize)>, String> {
    let mut owners: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    let mut names = BTreeSet::new();
    for (at, slice) in placement.slices.iter().enumerate() {
        let Some((wanted, _)) = kinds.get(&slice.kind) else {
            return Err(format!(
                "slice `{}` is of the kind `{}`, which the spec does not have",
                slice.name, slice.kind
            ));
        };
        if !names.insert(slice.name.as_str()) {
            return Err(format!("two slices are called `{}`", slice.name));
        }
        if slice.cubes.len() != *wanted as usize {
            return Err(format!(
                "slice `{}` has {} cubes, but its kind has {wanted}",
                slice.name,
                slice.cubes.len()
            ));
        }
        for (place, &cube) in slice.cubes.iter().enumerate() {
            if let Some((other, _)) = owners.insert(cube, (at, place)) {
                return Err(format!(
                    "slices `{}` and `{}` both have cube{cube}",
                    placement.slices[other].name, slice.name
                ));
            }
        }
    }
    for (list, word) in [(&placement.spare, "spare"), (&placement.down, "down")] {
        if let Some(cube) = list.iter().find(|cube| owners.contains_key(cube)) {
            let (slice, _) = owners[cube];
            return Err(format!("cube{cube} is {word}, and slice `{}` has it", placement.slices[slice].name));
        }
        if !list.is_sorted_by(|one, other| one < other) {
            return Err(format!("the cubes that are {word} do not ascend"));
        }
    }
    let all = owners.keys().chain(&placement.spare).chain(&placement.down);
    match all.max().filter(|&&last| last >= cubes) {
        Some(last) => Err(format!("there is no cube{last}: the pod has {cubes} cubes")),
        None => Ok(owners),
    }
}

/// Whether a slice has other cross-connects than its kind, or on other switches than one each.
fn differs(slice: &str, kind: &Switches, found: &BTreeMap<Joined, &str>) -> Option<CheckError> {
    let told = |what: String| Some(CheckError::Isolation { what });
    if let Some((pair, switch)) = found.iter().find(|(pair, _)| !kind.joined.contains_key(*pair)) {
        return told(format!(
            "in slice `{slice}` {switch} joins {} to {}, which its kind does not",
            pair.0, pair.1
        ));
    }
    if let Some((pair, switch)) = kind.joined.iter().find(|(pair, _)| !found.contains_key(*pair)) {
        return told(format!(
            "in slice `{slice}` nothing joins {} to {}, as {switch} of its kind does",
            pair.0, pair.1
        ));
    }
    let mut same: BTreeMap<&str, &str> = BTreeMap::new();
    let mut taken: BTreeMap<&str, &str> = BTreeMap::new();
    for (pair, switch) in &kind.joined {
        let here = found[pair];
        let (there, back) = (*same.entry(switch).or_insert(here), *taken.entry(here).or_insert(switch));
        if there != here || back != switch.as_str() {
            return told(format!(
                "in slice `{slice}` the cross-connects of {switch} are not all on one switch, and alone there"
            ));
        }
    }
    None
}

/// Whether a slice has cubes that switches treat differently.
fn unlike(slice: &str, cubes: &[u32], whole: &Switches) -> Option<CheckError> {
    let first = *cubes.first()?;
    let of = |cube: u32| {
        whole.ports.range((cube, String::new())..(cube + 1, String::new())).map(|((_, face), at)| (face, at))
    };
    let other = cubes.iter().find(|&&cube| !of(first).eq(of(cube)))?;
    let what =
        format!("slice `{slice}` has cube{first} and cube{other}, whose ports are not on the same switches");
    Some(CheckError::Isolation { what })
}

impl Switches {
    fn of(file: &OcsFile) -> Result<Self, String> {
        let (mut ports, mut joined) = (BTreeMap::new(), BTreeMap::new());
        for line in &file.ocs {
            for (side, names) in [(false, &line.a), (true, &line.b)] {
                for name in names {
                    let (cube, face) = parsed(name)?;
                    if ports.insert((cube, face.to_owned()), (line.name.clone(), side)).is_some() {
                        return Err(format!("{name} is on two switches"));
                    }
                }
            }
            let second = if line.b.is_empty() { &line.a } else { &line.b };
            let mut used = BTreeSet::new();
            for &(a, b) in &line.cross_connects {
                let (Some(one), Some(other)) = (line.a.get(a as usize), second.get(b as usize)) else {
                    return Err(format!("[{a},{b}] is no pair of ports of {}", line.name));
                };
                if one == other || !used.insert(one) || !used.insert(other) {
                    return Err(format!("{} joins {one} or {other} twice", line.name));
                }
                joined.insert(sorted(one.clone(), other.clone()), line.name.clone());
            }
        }
        Ok(Self { ports, joined })
    }
}

fn sorted(one: String, other: String) -> Joined {
    if one < other { (one, other) } else { (other, one) }
}

/// `cube17.+x[0,0]`: 17, and `.+x[0,0]`.
fn parsed(name: &str) -> Result<(u32, &str), String> {
    let parts = name.strip_prefix("cube").and_then(|rest| rest.find('.').map(|dot| rest.split_at(dot)));
    let parts = parts.and_then(|(cube, face)| Some((cube.parse().ok()?, face)));
    parts.ok_or_else(|| format!("`{name}` is no face port of a cube"))
}
