//! The choices of the program: the links that the OCSes can realise, and the limits that keep every OCS a
//! matching.
//!
//! Input: a pod, and whether one shift per OCS is chosen. Output: a [`LinkSet`], numbers only, and fibers
//! from chosen numbers. Ports of one chip on the same side of the same OCS are interchangeable. So a choice
//! counts the links between two chips through an OCS, and the ports are assigned afterwards. Invariant:
//! numbers that satisfy all limits can always be wired.

use fabc_base::ids::{BlockId, Id, NodeId};
use fabc_model::{CoupleRule, FacePort, Ocs, Pod};
use std::collections::BTreeMap;

/// The links of a pod: the fixed ones and those that can be chosen. Nodes are chips: node = element * block
/// + position.
#[derive(Clone, Debug)]
pub(super) struct LinkSet {
    pub(super) nodes: usize,
    /// The order of the cyclic group of translations: the number of cubes, or 1.
    pub(super) order: usize,
    /// The copper links, which are fixed.
    pub(super) fixed: Vec<[usize; 2]>,
    /// `[node]`: its links if all its ports are lit.
    pub(super) degree: Vec<u32>,
    pub(super) choices: Vec<LinkChoice>,
    pub(super) limits: Vec<PortLimit>,
    /// Whether every permutation of the chips maps the choices onto themselves.
    pub(super) interchangeable: bool,
}

/// A number of links that the program chooses, from 0 to `max`.
#[derive(Clone, Debug)]
pub(super) struct LinkChoice {
    pub(super) ocs: usize,
    pub(super) max: u32,
    /// The links that it adds each time: one, or all images of one under the translations.
    pub(super) links: Vec<[usize; 2]>,
    wire: ChoiceWiring,
}

/// The fibers of a choice.
#[derive(Clone, Copy, Debug)]
enum ChoiceWiring {
    /// Joins the A port of every cube with the B port of the cube this many further on.
    Shift(usize),
    /// Joins a free port of one chip (side A) with a free port of another.
    Pair(NodeId, NodeId),
}

/// A limit: the sum of some choices is at most `max`.
#[derive(Clone, Debug)]
pub(super) struct PortLimit {
    pub(super) choices: Vec<usize>,
    pub(super) max: u32,
}

/// The reason why one shift per OCS cannot wire a pod, or `None` if it can. Every OCS must serve the same
/// two ports of every cube.
pub(in crate::synth) fn asymmetry(pod: &Pod) -> Option<String> {
    let chips = pod.chips_per_cube();
    let local = |face: &FacePort| (face.node.0 % chips, face.port);
    pod.ocses.iter().find_map(|ocs| {
        let per_cube = if ocs.rule == CoupleRule::Any { 2 } else { 1 };
        let fits = |faces: &[FacePort]| {
            let first: Vec<_> = faces.iter().take(per_cube).map(local).collect();
            let matches_first = |(cube, faces): (usize, &[FacePort])| {
                faces.iter().all(|face| face.cube.index() == cube) && faces.iter().map(local).eq(first.iter().copied())
            };
            faces.len() == per_cube * pod.cubes as usize && faces.chunks(per_cube).enumerate().all(matches_first)
        };
        let is_symmetric = fits(&ocs.a) && (ocs.rule == CoupleRule::Any || fits(&ocs.b));
        (!is_symmetric)
            .then(|| format!("{} does not serve the same two ports of every cube, which the program needs for one shift per OCS", ocs.name))
    })
}

impl LinkSet {
    /// The links of one shift per OCS. The pod must fit translations: every OCS serves the same two ports
    /// of every cube.
    pub(super) fn with_shifts(pod: &Pod) -> Self {
        let cubes = pod.cubes as usize;
        let mut links = Self::empty(pod, cubes);
        for (id, ocs) in pod.ocses.enumerate() {
            let first = links.choices.len();
            let chips = ports_of_cube(ocs, 0).map(|face| face.node);
            // On a single chip the shifts s and -s make the same links, and 0 makes none.
            let shifts = if chips[0] == chips[1] { 1..=cubes / 2 } else { 0..=cubes - 1 };
            for shift in shifts {
                let link = |cube| {
                    [
                        ports_of_cube(ocs, cube)[0].node.index(),
                        ports_of_cube(ocs, (cube + shift) % cubes)[1].node.index(),
                    ]
                };
                let links_of = (0..cubes).map(link).collect();
                links.choices.push(LinkChoice {
                    ocs: id.index(),
                    max: 1,
                    links: links_of,
                    wire: ChoiceWiring::Shift(shift),
                });
            }
            links.limits.push(PortLimit { choices: (first..links.choices.len()).collect(), max: 1 });
        }
        links
    }

    /// The links of any matching of each OCS.
    pub(super) fn with_pairs(pod: &Pod) -> Self {
        let mut links = Self::empty(pod, 1);
        for (id, ocs) in pod.ocses.enumerate() {
            let (a, b) = (ports_by_chip(&ocs.a), ports_by_chip(&ocs.b));
            let mut of_a: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
            let mut of_b = of_a.clone();
            for (&from, from_ports) in &a {
                for (&to, to_ports) in if ocs.rule == CoupleRule::Any { &a } else { &b } {
                    if from == to || (ocs.rule == CoupleRule::Any && to < from) {
                        continue;
                    }
                    let choice = links.choices.len();
                    of_a.entry(from).or_default().push(choice);
                    if ocs.rule == CoupleRule::Any { &mut of_a } else { &mut of_b }
                        .entry(to)
                        .or_default()
                        .push(choice);
                    links.choices.push(LinkChoice {
                        ocs: id.index(),
                        max: from_ports.len().min(to_ports.len()) as u32,
                        links: vec![[from.index(), to.index()]],
                        wire: ChoiceWiring::Pair(from, to),
                    });
                }
            }
            for (ports, choices) in [(&a, of_a), (&b, of_b)] {
                links.limits.extend(
                    choices
                        .into_iter()
                        .map(|(node, choices)| PortLimit { choices, max: ports[&node].len() as u32 }),
                );
            }
        }
        let alike = |ocs: &Ocs| {
            let ports = ports_by_chip(&ocs.a);
            let mut counts = ports.values().map(Vec::len);
            let first = counts.next();
            ocs.rule == CoupleRule::Any
                && ports.len() == links.nodes
                && counts.all(|count| Some(count) == first)
        };
        links.interchangeable = pod.chips_per_cube() == 1 && pod.ocses.iter().all(alike);
        links
    }

    fn empty(pod: &Pod, order: usize) -> Self {
        let mut fixed: Vec<[usize; 2]> = Vec::new();
        for node in (0..pod.node_count()).map(NodeId::new) {
            for axis in 0..3 {
                let mut next = pod.coordinates(node);
                next[axis] += 1;
                if next[axis] < pod.cube.dims[axis] {
                    fixed.push([node.index(), pod.node(pod.cube_of(node), next).index()]);
                }
            }
        }
        let mut degree = vec![0; pod.node_count()];
        fixed.iter().flatten().for_each(|&node| degree[node] += 1);
        pod.ocses
            .iter()
            .flat_map(|ocs| ocs.a.iter().chain(&ocs.b))
            .for_each(|face| degree[face.node.index()] += 1);
        Self {
            nodes: pod.node_count(),
            order,
            fixed,
            degree,
            choices: Vec::new(),
            limits: Vec::new(),
            interchangeable: false,
        }
    }

    /// Every ordered pair of chips that some link can join, ascending.
    pub(super) fn arcs(&self) -> Vec<(usize, usize)> {
        let links = self.fixed.iter().chain(self.choices.iter().flat_map(|choice| &choice.links));
        let mut arcs: Vec<(usize, usize)> = links.flat_map(|&[a, b]| [(a, b), (b, a)]).collect();
        arcs.sort_unstable();
        arcs.dedup();
        arcs
    }

    /// `[choice]`: how many more times it can be taken alone.
    pub(super) fn room(&self, taken: &[u32]) -> Vec<u32> {
        let mut room: Vec<u32> =
            self.choices.iter().zip(taken).map(|(choice, &taken)| choice.max - taken).collect();
        for limit in &self.limits {
            let remaining = limit.max.saturating_sub(limit.choices.iter().map(|&choice| taken[choice]).sum());
            limit.choices.iter().for_each(|&choice| room[choice] = room[choice].min(remaining));
        }
        room
    }

    /// Takes all that is still free, in order, because a further link never harms.
    pub(super) fn fill(&self, taken: &mut [u32]) {
        for choice in 0..taken.len() {
            taken[choice] += self.room(taken)[choice];
        }
    }

    /// The fibers of chosen numbers, which satisfy all limits.
    pub(super) fn fibers(&self, pod: &Pod, taken: &[u32]) -> Vec<[FacePort; 2]> {
        let mut fibers = Vec::new();
        let mut used = vec![(BTreeMap::new(), BTreeMap::new()); pod.ocses.len()];
        for (choice, &times) in self.choices.iter().zip(taken) {
            let ocs = &pod.ocses.as_slice()[choice.ocs];
            for _ in 0..times {
                match choice.wire {
                    ChoiceWiring::Shift(shift) => {
                        let cubes = pod.cubes as usize;
                        fibers.extend((0..cubes).map(|cube| {
                            [ports_of_cube(ocs, cube)[0], ports_of_cube(ocs, (cube + shift) % cubes)[1]]
                        }));
                    }
                    ChoiceWiring::Pair(from, to) => {
                        let (used_a, used_b) = &mut used[choice.ocs];
                        let a = next_port(&ocs.a, used_a, from);
                        let b = if ocs.rule == CoupleRule::Any {
                            next_port(&ocs.a, used_a, to)
                        } else {
                            next_port(&ocs.b, used_b, to)
                        };
                        fibers.push([a, b]);
                    }
                }
            }
        }
        fibers
    }
}

/// The two ports of a cube that an OCS couples, in a pod with translations. The port lists ascend by cube.
fn ports_of_cube(ocs: &Ocs, cube: usize) -> [FacePort; 2] {
    let arm = match ocs.rule {
        CoupleRule::Sided => [ocs.a[cube], ocs.b[cube]],
        CoupleRule::Any => [ocs.a[2 * cube], ocs.a[2 * cube + 1]],
    };
    debug_assert!(
        arm.iter().all(|face| face.cube == BlockId::new(cube)),
        "every cube has two ports at {}",
        ocs.name
    );
    arm
}

fn ports_by_chip(faces: &[FacePort]) -> BTreeMap<NodeId, Vec<FacePort>> {
    let mut ports: BTreeMap<NodeId, Vec<FacePort>> = BTreeMap::new();
    faces.iter().for_each(|&face| ports.entry(face.node).or_default().push(face));
    ports
}

/// The first port of a chip that is not used yet.
fn next_port(faces: &[FacePort], used: &mut BTreeMap<NodeId, usize>, node: NodeId) -> FacePort {
    let nth = used.entry(node).or_insert(0);
    let port = faces
        .iter()
        .filter(|face| face.node == node)
        .nth(*nth)
        .expect("the limits keep to the ports of a chip");
    *nth += 1;
    *port
}
