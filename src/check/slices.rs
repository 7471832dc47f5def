//! Verifies isolation: no cross-connect connects two slices, and every slice has exactly the cross-connects
//! of its kind.
//!
//! Input: `placement.json` and the `ocs.json` of a pod and of all kinds, as read. Ports are identified by
//! their names. Output: how much was verified, or the first contradictions. Every kind has a proof of its
//! own, and its tables name routers of that kind only. Together both imply that no packet leaves its slice,
//! and that what was proved of kinds holds for slices side by side.

use super::CheckError;
use fabc_ir::read::{OcsFile, PlacementFile};
use std::collections::{BTreeMap, BTreeSet};

/// Limit on the contradictions that are reported.
const MAX_CONTRADICTIONS: usize = 8;

/// How much was verified of the placement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Isolation {
    /// Number of slices in the placement.
    pub slices: usize,
    /// Number of cubes in slices.
    pub cubes: usize,
    /// Number of cross-connects of the pod.
    pub cross_connects: usize,
}

/// Names of two face ports, the smaller first.
type FacePair = (String, String);

/// The wiring of one `ocs.json`: the switch and the side of every face port, and the connected pairs.
struct SwitchWiring {
    /// `(cube, the rest of the name)`: the switch and its side.
    ports: BTreeMap<(u32, String), (String, bool)>,
    /// Connected face ports, and their switch.
    joined: BTreeMap<FacePair, String>,
}

/// Proves that the slices of a placement are isolated. `pod` is the `ocs.json` of the pod. `kinds` are those
/// of the kinds by name, with their numbers of cubes. The pod has `cubes`.
///
/// # Errors
/// Contradictions, each with the cross-connect or the cubes, and the slices.
pub fn verify_isolation(
    placement: &PlacementFile,
    pod: &OcsFile,
    kinds: &BTreeMap<String, (u32, OcsFile)>,
    cubes: u32,
) -> Result<Isolation, Vec<CheckError>> {
    let isolation_errors = |violation: String| vec![CheckError::Isolation { violation }];
    let owners = owners_of_cubes(placement, kinds, cubes).map_err(isolation_errors)?;
    let pod_wiring = SwitchWiring::from_file(pod).map_err(isolation_errors)?;
    let kind_wirings = kinds
        .iter()
        .map(|(name, (_, file))| Ok((name.as_str(), SwitchWiring::from_file(file)?)))
        .collect::<Result<BTreeMap<_, _>, String>>();
    let kind_wirings = kind_wirings.map_err(isolation_errors)?;

    let mut errors = Vec::new();
    let mut pairs_of_slice: Vec<BTreeMap<FacePair, &str>> = vec![BTreeMap::new(); placement.slices.len()];
    for ((first, second), switch) in &pod_wiring.joined {
        let place = |name: &String| {
            let (cube, face) = parse_face(name)?;
            Ok::<_, String>((owners.get(&cube).copied(), face.to_owned()))
        };
        let ends = place(first).and_then(|a| Ok((a, place(second)?)));
        let ((a, face_a), (b, face_b)) = ends.map_err(isolation_errors)?;
        match (a, b) {
            (Some((slice_a, at_a)), Some((slice_b, at_b))) if slice_a == slice_b => {
                pairs_of_slice[slice_a].insert(
                    sorted_pair(format!("cube{at_a}{face_a}"), format!("cube{at_b}{face_b}")),
                    switch,
                );
            }
            _ => {
                let owner_text = |owner: Option<(usize, usize)>| match owner {
                    Some((slice, _)) => format!("slice `{}`", placement.slices[slice].name),
                    None => "no slice".to_owned(),
                };
                let violation =
                    format!("{switch} joins {first} of {} to {second} of {}", owner_text(a), owner_text(b));
                errors.push(CheckError::Isolation { violation });
            }
        }
    }
    for (slice, pairs_of_slice) in placement.slices.iter().zip(&pairs_of_slice) {
        let kind = &kind_wirings[slice.kind.as_str()];
        errors.extend(compare_with_kind(slice.name.as_str(), kind, pairs_of_slice));
        errors.extend(compare_cubes(slice.name.as_str(), &slice.cubes, &pod_wiring));
    }
    errors.truncate(MAX_CONTRADICTIONS);
    let extent = Isolation {
        slices: placement.slices.len(),
        cubes: owners.len(),
        cross_connects: pod_wiring.joined.len(),
    };
    if errors.is_empty() { Ok(extent) } else { Err(errors) }
}

/// For every cube of a slice: the index of the slice, and the index of the cube within it.
fn owners_of_cubes(
    placement: &PlacementFile,
    kinds: &BTreeMap<String, (u32, OcsFile)>,
    cubes: u32,
) -> Result<BTreeMap<u32, (usize, usize)>, String> {
    let mut owners: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    let mut names = BTreeSet::new();
    for (index, slice) in placement.slices.iter().enumerate() {
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
            if let Some((second, _)) = owners.insert(cube, (index, place)) {
                return Err(format!(
                    "slices `{}` and `{}` both have cube{cube}",
                    placement.slices[second].name, slice.name
                ));
            }
        }
    }
    for (cubes_listed, state) in [(&placement.spare, "spare"), (&placement.down, "down")] {
        if let Some(cube) = cubes_listed.iter().find(|cube| owners.contains_key(cube)) {
            let (slice, _) = owners[cube];
            return Err(format!(
                "cube{cube} is {state}, and slice `{}` has it",
                placement.slices[slice].name
            ));
        }
        if !cubes_listed.is_sorted_by(|first, second| first < second) {
            return Err(format!("the cubes that are {state} do not ascend"));
        }
    }
    let listed_cubes = owners.keys().chain(&placement.spare).chain(&placement.down);
    match listed_cubes.max().filter(|&&last| last >= cubes) {
        Some(last) => Err(format!("there is no cube{last}: the pod has {cubes} cubes")),
        None => Ok(owners),
    }
}

/// Compares the cross-connects of a slice with those of its kind, including which share a switch.
fn compare_with_kind(
    slice: &str,
    kind: &SwitchWiring,
    pairs: &BTreeMap<FacePair, &str>,
) -> Option<CheckError> {
    let contradict = |violation: String| Some(CheckError::Isolation { violation });
    if let Some((pair, switch)) = pairs.iter().find(|(pair, _)| !kind.joined.contains_key(*pair)) {
        return contradict(format!(
            "in slice `{slice}` {switch} joins {} to {}, which its kind does not",
            pair.0, pair.1
        ));
    }
    if let Some((pair, switch)) = kind.joined.iter().find(|(pair, _)| !pairs.contains_key(*pair)) {
        return contradict(format!(
            "in slice `{slice}` no switch joins {} to {}, as {switch} of its kind does",
            pair.0, pair.1
        ));
    }
    let mut switch_of: BTreeMap<&str, &str> = BTreeMap::new();
    let mut taken: BTreeMap<&str, &str> = BTreeMap::new();
    for (pair, switch) in &kind.joined {
        let switch_used = pairs[pair];
        let (expected_switch, kind_switch) =
            (*switch_of.entry(switch).or_insert(switch_used), *taken.entry(switch_used).or_insert(switch));
        if expected_switch != switch_used || kind_switch != switch.as_str() {
            return contradict(format!(
                "in slice `{slice}` the cross-connects of {switch} must be on one switch, without any others"
            ));
        }
    }
    None
}

/// Convicts cubes of a slice whose ports are on different switches.
fn compare_cubes(slice: &str, cubes: &[u32], pod_wiring: &SwitchWiring) -> Option<CheckError> {
    let first = *cubes.first()?;
    let ports_of = |cube: u32| {
        pod_wiring
            .ports
            .range((cube, String::new())..(cube + 1, String::new()))
            .map(|((_, face), position)| (face, position))
    };
    let other = cubes.iter().find(|&&cube| !ports_of(first).eq(ports_of(cube)))?;
    let violation =
        format!("slice `{slice}` has cube{first} and cube{other}, whose ports are not on the same switches");
    Some(CheckError::Isolation { violation })
}

impl SwitchWiring {
    fn from_file(file: &OcsFile) -> Result<Self, String> {
        let (mut ports, mut joined) = (BTreeMap::new(), BTreeMap::new());
        for line in &file.ocs {
            for (side, names) in [(false, &line.a), (true, &line.b)] {
                for name in names {
                    let (cube, face) = parse_face(name)?;
                    if ports.insert((cube, face.to_owned()), (line.name.clone(), side)).is_some() {
                        return Err(format!("{name} is on two switches"));
                    }
                }
            }
            let second = if line.b.is_empty() { &line.a } else { &line.b };
            let mut used = BTreeSet::new();
            for &(a, b) in &line.cross_connects {
                let (Some(first), Some(second)) = (line.a.get(a as usize), second.get(b as usize)) else {
                    return Err(format!("[{a},{b}] is not a pair of ports of {}", line.name));
                };
                if first == second || !used.insert(first) || !used.insert(second) {
                    return Err(format!("{} joins {first} or {second} twice", line.name));
                }
                joined.insert(sorted_pair(first.clone(), second.clone()), line.name.clone());
            }
        }
        Ok(Self { ports, joined })
    }
}

fn sorted_pair(first: String, second: String) -> FacePair {
    if first < second { (first, second) } else { (second, first) }
}

/// Splits `cube17.+x[0,0]` into 17 and `.+x[0,0]`.
fn parse_face(name: &str) -> Result<(u32, &str), String> {
    let parts = name.strip_prefix("cube").and_then(|rest| rest.find('.').map(|dot| rest.split_at(dot)));
    let parts = parts.and_then(|(cube, face)| Some((cube.parse().ok()?, face)));
    parts.ok_or_else(|| format!("`{name}` is not a face port of a cube"))
}
