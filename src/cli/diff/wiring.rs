//! Who is joined to whom in two builds, by what their files say; names are left out where they do not count.

use super::side::Side;
use super::topology::{NetworkLink, ReadTopology};
use fabc_base::ids::{BlockId, Id, NodeId};
use fabc_ir::read::OcsSetting;
use fabc_ir::{MoveDiff, Wire, Wires, WiringDiff, WiringFound};
use fabc_passes::compare::{Renaming, renaming};
use std::collections::{BTreeMap, BTreeSet};

/// How two wirings compare, and which router of B each of A is where they have the same ones.
pub(crate) struct Compared {
    pub(crate) diff: WiringDiff,
    /// `None`: each is the one of its number; or they have not the same.
    pub(crate) images: Option<Vec<NodeId>>,
}

/// Two wirings in the same points and labels.
struct Joined {
    word: &'static str,
    joint: &'static str,
    wires: [Wires; 2],
    /// Names of the points.
    names: [Vec<String>; 2],
    /// `[label]`
    labels: Vec<Label>,
}

/// Where something joins two points, and what stands behind the names of the two.
type Label = (String, [String; 2]);

/// Compares who is joined to whom; `None` where a side does not say.
pub(crate) fn wiring(sides: &[Side<'_>; 2]) -> Option<Compared> {
    let [a, b] = [sides[0].topology.as_ref()?, sides[1].topology.as_ref()?];
    match (&a.network, &b.network) {
        (None, None) => {
            let [of_a, of_b] = [sides[0].switches.as_ref()?, sides[1].switches.as_ref()?];
            let counts = [&of_a.ocs, &of_b.ocs]
                .map(|switches| switches.iter().map(|ocs| ocs.cross_connects.len()).sum());
            let unlike = |why: String| Some(unlike(("cube", "cross-connect"), counts, why));
            if a.names != b.names {
                let told = [a, b].map(|of| {
                    format!("{} cubes of {} chips", of.symmetry.blocks(), of.symmetry.block_size())
                });
                let why = if told[0] == told[1] {
                    "cubes of another shape".to_owned()
                } else {
                    told.join(", but ")
                };
                return unlike(why);
            }
            match pods([&of_a.ocs, &of_b.ocs], a.symmetry.blocks()) {
                Ok(joined) => {
                    let (diff, found) = joined.compared(true);
                    let size = a.symmetry.block_size() as u32;
                    let node = |cube: u32| (0..size).map(move |chip| NodeId(cube * size + chip));
                    let moved = (0..).zip(&found).any(|(cube, image)| cube != *image);
                    let images = moved.then(|| found.iter().flat_map(|image| node(*image)).collect());
                    Some(Compared { diff, images })
                }
                Err(why) => unlike(why),
            }
        }
        (Some(links), Some(others)) => {
            let counts = [links.len(), others.len()];
            if a.names.len() != b.names.len() {
                let why = format!("{} routers, but {}", a.names.len(), b.names.len());
                return Some(unlike(("router", "link"), counts, why));
            }
            let (diff, _) = networks([a, b], [links, others]).compared(false);
            Some(Compared { diff, images: None })
        }
        _ => Some(unlike(
            ("router", "link"),
            [0; 2],
            "one is a pod, the other a network without switches".to_owned(),
        )),
    }
}

fn unlike((word, joint): (&'static str, &'static str), joints: [usize; 2], why: String) -> Compared {
    let diff = WiringDiff {
        word,
        joint,
        joints,
        found: WiringFound::Unlike(why),
        as_named: joints,
        renamed: Vec::new(),
        moves: Vec::new(),
    };
    Compared { diff, images: None }
}

/// Cubes behind switches: a cross-connect joins two cubes by what it joins on them.
fn pods(sides: [&Vec<OcsSetting>; 2], cubes: usize) -> Result<Joined, String> {
    let [of_a, of_b] =
        sides.map(|switches| switches.iter().map(|ocs| ocs.name.as_str()).collect::<BTreeSet<_>>());
    if of_a != of_b {
        return Err(format!(
            "{} switches, but {}, of which {} are the same",
            of_a.len(),
            of_b.len(),
            of_a.intersection(&of_b).count()
        ));
    }
    let mut labels: BTreeMap<Label, bool> = BTreeMap::new();
    let mut seen: [Vec<Vec<(String, usize, String)>>; 2] = [vec![Vec::new(); cubes], vec![Vec::new(); cubes]];
    let mut arcs: [Vec<(Label, [u32; 2])>; 2] = Default::default();
    for (side, switches) in sides.into_iter().enumerate() {
        for ocs in switches {
            let wrong = |what: &str| format!("switch {}: {what}", ocs.name);
            let face = |name: &String| {
                let (cube, face) = name.strip_prefix("cube")?.split_once('.')?;
                Some((cube.parse::<u32>().ok().filter(|cube| (*cube as usize) < cubes)?, face.to_owned()))
            };
            let faces = |ports: &[String]| {
                ports
                    .iter()
                    .map(face)
                    .collect::<Option<Vec<_>>>()
                    .ok_or_else(|| wrong("has ports of no cube"))
            };
            let (first, second) = (faces(&ocs.a)?, faces(&ocs.b)?);
            for (at, ports) in [&first, &second].into_iter().enumerate() {
                ports.iter().for_each(|(cube, face)| {
                    seen[side][*cube as usize].push((ocs.name.clone(), at, face.clone()))
                });
            }
            let sided = !second.is_empty();
            let second = if sided { &second } else { &first };
            for [one, other] in &ocs.cross_connects {
                let ends = first
                    .get(*one as usize)
                    .zip(second.get(*other as usize))
                    .ok_or_else(|| wrong("joins ports that it has not"))?;
                let (mut one, mut other) = ends;
                if !sided && one.1 > other.1 {
                    std::mem::swap(&mut one, &mut other);
                }
                let label = (ocs.name.clone(), [one.1.clone(), other.1.clone()]);
                labels.insert(label.clone(), sided || one.1 != other.1);
                arcs[side].push((label, [one.0, other.0]));
            }
        }
    }
    seen.iter_mut().flatten().for_each(|ports| ports.sort());
    if seen[0] != seen[1] {
        return Err("switches with other ports".to_owned());
    }
    // Cubes that every switch treats alike.
    let classes: BTreeSet<&Vec<_>> = seen[0].iter().collect();
    let classes: BTreeMap<&Vec<_>, u32> = classes.into_iter().zip(0..).collect();
    let colors: Vec<u32> = seen[0].iter().map(|ports| classes[ports]).collect();
    let directed: Vec<bool> = labels.values().copied().collect();
    let number: BTreeMap<&Label, u32> = labels.keys().zip(0..).collect();
    let wires =
        arcs.map(|arcs| wires(&colors, &directed, arcs.iter().map(|(label, ends)| (number[label], *ends))));
    let names: Vec<String> = (0..cubes).map(|cube| format!("cube{cube}")).collect();
    let labels = labels.into_keys().map(|(at, ends)| (at, ends.map(|end| format!(".{end}")))).collect();
    Ok(Joined { word: "cube", joint: "cross-connect", wires, names: [names.clone(), names], labels })
}

/// Routers of two networks; those of B by the names of A where both have the same.
fn networks(sides: [&ReadTopology; 2], links: [&Vec<NetworkLink>; 2]) -> Joined {
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
    let of_a = wires(&colors[0], &directed, links[0].iter().map(|link| (kind(link), link.ends)));
    let of_b = wires(
        &colors[1],
        &directed,
        links[1].iter().map(|link| (kind(link), link.ends.map(|end| points[end as usize]))),
    );
    let labels = kinds.keys().map(|(_, link, _)| (format!("links of {link}"), Default::default())).collect();
    Joined {
        word: "router",
        joint: "link",
        wires: [of_a, of_b],
        names: [sides[0].names.clone(), names],
        labels,
    }
}

fn wires(colors: &[u32], directed: &[bool], arcs: impl Iterator<Item = (u32, [u32; 2])>) -> Wires {
    let mut wires = Wires { colors: colors.to_vec(), arcs: Vec::new(), directed: directed.to_vec() };
    wires.arcs = arcs.map(|(label, [from, to])| wires.arc(label, from, to)).collect();
    wires.arcs.sort_unstable();
    wires
}

impl Joined {
    /// How they compare under the best renaming, and that.
    fn compared(&self, near: bool) -> (WiringDiff, Vec<u32>) {
        let [a, b] = &self.wires;
        let Renaming { images, found } = renaming(a, b, near);
        let renamed = (0..).zip(&images).filter(|(point, image)| point != *image);
        let name = |side: usize, point: u32| self.names[side][BlockId(point).index()].clone();
        let renamed = renamed.map(|(point, image)| [name(0, point), name(1, *image)]).collect();
        let (gone, new) = apart(&a.renamed(&images), &b.arcs);
        let mut moves: BTreeMap<&String, [Vec<[String; 2]>; 2]> = BTreeMap::new();
        for (which, arcs) in [gone, new].into_iter().enumerate() {
            for arc in arcs {
                let (at, ends) = &self.labels[arc.label as usize];
                let ends =
                    [(arc.from, &ends[0]), (arc.to, &ends[1])].map(|(point, end)| name(1, point) + end);
                moves.entry(at).or_default()[which].push(ends);
            }
        }
        let moves = moves
            .into_iter()
            .map(|(at, [removed, added])| MoveDiff { at: at.clone(), removed, added })
            .collect();
        let joints = [a.arcs.len(), b.arcs.len()];
        let (gone, new) = apart(&a.arcs, &b.arcs);
        let as_named = [gone.len(), new.len()];
        (WiringDiff { word: self.word, joint: self.joint, joints, found, as_named, renamed, moves }, images)
    }
}

/// What only the first of two ascending lists has, and what only the second.
fn apart(one: &[Wire], other: &[Wire]) -> (Vec<Wire>, Vec<Wire>) {
    let (mut gone, mut new, mut at) = (Vec::new(), Vec::new(), 0);
    for wire in one {
        while other.get(at).is_some_and(|other| other < wire) {
            new.push(other[at]);
            at += 1;
        }
        if other.get(at) == Some(wire) { at += 1 } else { gone.push(*wire) }
    }
    new.extend(&other[at..]);
    (gone, new)
}
