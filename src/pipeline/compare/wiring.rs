//! Compares the wiring of two builds from their files, up to a renaming of cubes.

use super::side::BuildSide;
use super::topology::{NetworkLink, ReadTopology};
use crate::folder::Folder;
use fabc_base::ids::{BlockId, Id, NodeId};
use fabc_ir::read::OcsSetting;
use fabc_ir::{MoveDiff, PairDiff, Wire, Wires, WiringDiff, WiringFound};
use fabc_passes::compare::{Renaming, renaming};
use std::collections::{BTreeMap, BTreeSet};

/// The difference of two wirings, and the router of B that corresponds to each router of A.
pub(super) struct WiringComparison {
    pub(super) diff: WiringDiff,
    /// `None` if every router corresponds to the one with the same number, or the routers cannot be compared.
    pub(super) images: Option<Vec<NodeId>>,
}

/// Two wirings over the same points and labels. The points are cubes or routers.
struct JointWiring {
    word: &'static str,
    joint: &'static str,
    wires: [Wires; 2],
    /// The names of the points on each side.
    names: [Vec<String>; 2],
    /// `[label]`, as the arcs refer to them.
    labels: Vec<JointLabel>,
}

type JointLabel = (String, [String; 2]);

/// Compares the wiring of two sides. `None` if a side lists none.
pub(super) fn compare_wiring<F: Folder>(sides: &[BuildSide<'_, F>; 2]) -> Option<WiringComparison> {
    let [a, b] = [sides[0].topology.as_ref()?, sides[1].topology.as_ref()?];
    match (&a.network, &b.network) {
        (None, None) => {
            let [switches_a, switches_b] = [sides[0].switches.as_ref()?, sides[1].switches.as_ref()?];
            let counts = [&switches_a.ocs, &switches_b.ocs]
                .map(|switches| switches.iter().map(|ocs| ocs.cross_connects.len()).sum());
            let unlike = |why: String| Some(unlike_wiring("cube", "cross-connect", counts, why));
            if a.names != b.names {
                let sizes = [a, b].map(|side| {
                    format!("{} cubes of {} chips", side.symmetry.blocks(), side.symmetry.block_size())
                });
                let why = if sizes[0] == sizes[1] {
                    "cubes of another shape".to_owned()
                } else {
                    sizes.join(", but ")
                };
                return unlike(why);
            }
            match join_pods([&switches_a.ocs, &switches_b.ocs], a.symmetry.blocks()) {
                Ok(joined) => {
                    let (diff, found) = joined.compare(true);
                    let size = a.symmetry.block_size() as u32;
                    let node = |cube: u32| (0..size).map(move |chip| NodeId(cube * size + chip));
                    let moved = (0..).zip(&found).any(|(cube, image)| cube != *image);
                    let images = moved.then(|| found.iter().flat_map(|image| node(*image)).collect());
                    Some(WiringComparison { diff, images })
                }
                Err(why) => unlike(why),
            }
        }
        (Some(links), Some(others)) => {
            let counts = [links.len(), others.len()];
            if a.names.len() != b.names.len() {
                let why = format!("{} routers, but {}", a.names.len(), b.names.len());
                return Some(unlike_wiring("router", "link", counts, why));
            }
            let (diff, _) = join_networks([a, b], [links, others]).compare(false);
            Some(WiringComparison { diff, images: None })
        }
        _ => Some(unlike_wiring(
            "router",
            "link",
            [0; 2],
            "one is a pod, the other a network without switches".to_owned(),
        )),
    }
}

fn unlike_wiring(
    word: &'static str,
    joint: &'static str,
    joints: [usize; 2],
    why: String,
) -> WiringComparison {
    let diff = WiringDiff {
        word,
        joint,
        joints,
        outcome: WiringFound::Unlike(why),
        as_named: joints,
        renamed: Vec::new(),
        moves: Vec::new(),
        points: Vec::new(),
        pairs: Vec::new(),
    };
    WiringComparison { diff, images: None }
}

/// The cubes of two pods. A cross-connect joins two cubes, and its label has the switch and both faces.
fn join_pods(sides: [&Vec<OcsSetting>; 2], cubes: usize) -> Result<JointWiring, String> {
    let [names_a, names_b] =
        sides.map(|switches| switches.iter().map(|ocs| ocs.name.as_str()).collect::<BTreeSet<_>>());
    if names_a != names_b {
        return Err(format!(
            "{} switches, but {}, of which {} are the same",
            names_a.len(),
            names_b.len(),
            names_a.intersection(&names_b).count()
        ));
    }
    let mut labels: BTreeMap<JointLabel, bool> = BTreeMap::new();
    let mut seen: [Vec<Vec<(String, usize, String)>>; 2] = [vec![Vec::new(); cubes], vec![Vec::new(); cubes]];
    let mut arcs: [Vec<(JointLabel, [u32; 2])>; 2] = Default::default();
    for (side, switches) in sides.into_iter().enumerate() {
        for ocs in switches {
            let invalid = |problem: &str| format!("switch {}: {problem}", ocs.name);
            let face = |name: &String| {
                let (cube, face) = name.strip_prefix("cube")?.split_once('.')?;
                Some((cube.parse::<u32>().ok().filter(|cube| (*cube as usize) < cubes)?, face.to_owned()))
            };
            let faces = |ports: &[String]| {
                ports
                    .iter()
                    .map(face)
                    .collect::<Option<Vec<_>>>()
                    .ok_or_else(|| invalid("has a port that belongs to no cube"))
            };
            let (first, second) = (faces(&ocs.a)?, faces(&ocs.b)?);
            for (switch_side, ports) in [&first, &second].into_iter().enumerate() {
                ports.iter().for_each(|(cube, face)| {
                    seen[side][*cube as usize].push((ocs.name.clone(), switch_side, face.clone()))
                });
            }
            let sided = !second.is_empty();
            let second = if sided { &second } else { &first };
            for [port_a, port_b] in &ocs.cross_connects {
                let (mut a, mut b) = first
                    .get(*port_a as usize)
                    .zip(second.get(*port_b as usize))
                    .ok_or_else(|| invalid("joins ports that it does not have"))?;
                if !sided && a.1 > b.1 {
                    std::mem::swap(&mut a, &mut b);
                }
                let label = (ocs.name.clone(), [a.1.clone(), b.1.clone()]);
                labels.insert(label.clone(), sided || a.1 != b.1);
                arcs[side].push((label, [a.0, b.0]));
            }
        }
    }
    seen.iter_mut().flatten().for_each(|ports| ports.sort());
    if seen[0] != seen[1] {
        return Err("switches with other ports".to_owned());
    }
    // Cubes with the same ports on the same switches have one color.
    let classes: BTreeSet<&Vec<_>> = seen[0].iter().collect();
    let classes: BTreeMap<&Vec<_>, u32> = classes.into_iter().zip(0..).collect();
    let colors: Vec<u32> = seen[0].iter().map(|ports| classes[ports]).collect();
    let directed: Vec<bool> = labels.values().copied().collect();
    let number: BTreeMap<&JointLabel, u32> = labels.keys().zip(0..).collect();
    let wires = arcs.map(|arcs| {
        sorted_wires(&colors, &directed, arcs.iter().map(|(label, ends)| (number[label], *ends)))
    });
    let names: Vec<String> = (0..cubes).map(|cube| format!("cube{cube}")).collect();
    let labels =
        labels.into_keys().map(|(switch, faces)| (switch, faces.map(|face| format!(".{face}")))).collect();
    Ok(JointWiring { word: "cube", joint: "cross-connect", wires, names: [names.clone(), names], labels })
}

/// The routers of two networks. Routers of B have the numbers of A if both have the same names.
fn join_networks(sides: [&ReadTopology; 2], links: [&Vec<NetworkLink>; 2]) -> JointWiring {
    let by_name: BTreeMap<&String, u32> = sides[0].names.iter().zip(0..).collect();
    let named: Option<Vec<u32>> = sides[1].names.iter().map(|name| by_name.get(name).copied()).collect();
    let distinct = |points: &Vec<u32>| points.iter().collect::<BTreeSet<_>>().len() == points.len();
    let count = sides[1].names.len();
    let points = named.filter(|points| distinct(points)).unwrap_or_else(|| (0..).take(count).collect());
    let mut names = sides[1].names.clone();
    let mut colors = [sides[0].hosts.clone(), sides[1].hosts.clone()];
    for (router, point) in points.iter().enumerate() {
        names[*point as usize].clone_from(&sides[1].names[router]);
        colors[1][*point as usize] = sides[1].hosts[router];
    }
    let kinds: BTreeMap<(bool, &String, bool), u32> = {
        let kinds: BTreeSet<_> =
            links.into_iter().flatten().map(|link| (link.kind.0, &link.kind.1, link.simplex)).collect();
        kinds.into_iter().zip(0..).collect()
    };
    let directed: Vec<bool> = kinds.keys().map(|(.., simplex)| *simplex).collect();
    let kind = |link: &NetworkLink| kinds[&(link.kind.0, &link.kind.1, link.simplex)];
    let of_a =
        sorted_wires(&colors[0], &directed, links[0].iter().map(|link| (kind(link), [link.from, link.to])));
    let of_b = sorted_wires(
        &colors[1],
        &directed,
        links[1].iter().map(|link| (kind(link), [link.from, link.to].map(|router| points[router as usize]))),
    );
    let labels = kinds.keys().map(|(_, link, _)| (format!("links of {link}"), Default::default())).collect();
    JointWiring {
        word: "router",
        joint: "link",
        wires: [of_a, of_b],
        names: [sides[0].names.clone(), names],
        labels,
    }
}

fn sorted_wires(colors: &[u32], directed: &[bool], arcs: impl Iterator<Item = (u32, [u32; 2])>) -> Wires {
    let mut wires = Wires { colors: colors.to_vec(), arcs: Vec::new(), directed: directed.to_vec() };
    wires.arcs = arcs.map(|(label, [from, to])| wires.arc(label, from, to)).collect();
    wires.arcs.sort_unstable();
    wires
}

impl JointWiring {
    /// The difference under the best renaming, and that renaming.
    fn compare(&self, near: bool) -> (WiringDiff, Vec<u32>) {
        let [a, b] = &self.wires;
        let Renaming { images, found } = renaming(a, b, near);
        let renamed = (0..).zip(&images).filter(|(point, image)| point != *image);
        let name = |side: usize, point: u32| self.names[side][BlockId(point).index()].clone();
        let renamed = renamed.map(|(point, image)| [name(0, point), name(1, *image)]).collect();
        let (removed, added) = list_difference(&a.renamed(&images), &b.arcs);
        let pairs = pair_counts(&removed, &added, &b.arcs);
        let mut moves: BTreeMap<&String, [Vec<[String; 2]>; 2]> = BTreeMap::new();
        for (side, arcs) in [removed, added].into_iter().enumerate() {
            for arc in arcs {
                let (place, [from_port, to_port]) = &self.labels[arc.label as usize];
                let from = name(1, arc.from) + from_port;
                let to = name(1, arc.to) + to_port;
                moves.entry(place).or_default()[side].push([from, to]);
            }
        }
        let moves = moves
            .into_iter()
            .map(|(place, [removed, added])| MoveDiff { place: place.clone(), removed, added })
            .collect();
        let joints = [a.arcs.len(), b.arcs.len()];
        let (removed, added) = list_difference(&a.arcs, &b.arcs);
        let as_named = [removed.len(), added.len()];
        (
            WiringDiff {
                word: self.word,
                joint: self.joint,
                joints,
                outcome: found,
                as_named,
                renamed,
                moves,
                points: self.names[1].clone(),
                pairs,
            },
            images,
        )
    }
}

/// Counts the wires of every two points. `all` are those of B, which `added` are a part of.
fn pair_counts(removed: &[Wire], added: &[Wire], all: &[Wire]) -> Vec<PairDiff> {
    let mut pairs: BTreeMap<(u32, u32), PairDiff> = BTreeMap::new();
    let mut count = |wires: &[Wire], change: fn(&mut PairDiff)| {
        for wire in wires {
            let (from, to) = (wire.from.min(wire.to), wire.from.max(wire.to));
            change(pairs.entry((from, to)).or_insert(PairDiff { from, to, ..PairDiff::default() }));
        }
    };
    count(removed, |pair| pair.removed += 1);
    count(all, |pair| pair.kept += 1);
    count(added, |pair| (pair.kept, pair.added) = (pair.kept - 1, pair.added + 1));
    pairs.into_values().collect()
}

/// Compares two ascending lists. Returns the wires that only the first has, and those that only the second
/// has.
fn list_difference(first: &[Wire], second: &[Wire]) -> (Vec<Wire>, Vec<Wire>) {
    let (mut only_first, mut only_second, mut next) = (Vec::new(), Vec::new(), 0);
    for wire in first {
        while second.get(next).is_some_and(|other| other < wire) {
            only_second.push(second[next]);
            next += 1;
        }
        if second.get(next) == Some(wire) { next += 1 } else { only_first.push(*wire) }
    }
    only_second.extend(&second[next..]);
    (only_first, only_second)
}
