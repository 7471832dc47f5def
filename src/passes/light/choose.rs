//! Chooses which cube plays which role, so that light loses little.
//!
//! Input: links between roles, the cubes that play them, and cubes that are free. Output: the same roles,
//! played by cubes with more margin. Cubes that every switch treats alike may stand in for each other, so the
//! graph stays the same. The worst link counts first, then the sum of all margins. Method: exchange
//! two cubes, or a cube and a free one, as long as that is better; the first such exchange in a fixed order
//! is made. Cost: at most [`MOST_LOOKS`] looks at a link.

use super::cross_connect_budget;
use fabc_base::ids::{BlockId, NodeId, OcsId, PortId};
use fabc_ir::{End, LinkClass, Mirrors, Placement, Topology};
use fabc_model::{Fabric, FacePlugs, FacePort, InsertionLoss, Ocs, Pod, SliceKind, TopologyChoice};
use std::collections::BTreeMap;

/// The most looks at a link in one choice: a few seconds.
const MOST_LOOKS: u64 = 1 << 24;

/// A face port of the cube that plays a role.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct RolePort {
    /// The number of the role.
    role: u32,
    /// The chip within its cube.
    chip: u32,
    /// The port of that chip.
    port: PortId,
}

/// The two ports of a link between roles.
type RoleLink = [RolePort; 2];

/// The margins of all pairs of face ports that a switch may join.
struct Margins<'a> {
    fabric: &'a Fabric,
    pod: &'a Pod,
    placement: Option<&'a Placement>,
    plugs: FacePlugs,
}

/// How good a choice is: links that do not close, the least spare margin, and the sum of all. Smaller is
/// better.
type Score = (u64, i64, i64);

impl<'a> Margins<'a> {
    /// The margins of a pod. `None` where all pairs of ports lose the same, so that there is nothing to
    /// choose.
    fn new(fabric: &'a Fabric, pod: &'a Pod, placement: Option<&'a Placement>) -> Option<Self> {
        let differ = pod.ocses.iter().any(|ocs| {
            let on_floor = |loss_per_km: u32| loss_per_km > 0 && placement.is_some();
            let optics = fabric.link_types[ocs.link].optics;
            optics.is_some_and(|optics| {
                on_floor(optics.loss_per_km) || matches!(ocs.loss, Some(InsertionLoss::ByPair(_)))
            })
        });
        if !differ {
            return None;
        }
        Some(Self { fabric, pod, placement, plugs: pod.face_plugs() })
    }

    /// The margin of a link over what it needs. `None` where no switch joins the ports, or without light.
    fn spare(&self, ends: [End; 2]) -> Option<i64> {
        let [a, b] = ends.map(|end| self.plugs.get(end.node, end.port));
        let (a, b) = (a?, b?);
        let ocs = &self.pod.ocses[a.ocs];
        let optics = self.fabric.link_types[ocs.link].optics.filter(|_| a.ocs == b.ocs)?;
        let through = (a.ocs, ocs.pair(a, b)?);
        let budget = cross_connect_budget(self.fabric, ocs, &optics, through, self.placement);
        Some(budget.spare(self.fabric))
    }

    /// The margin of a link between roles, which `cubes` play.
    fn spare_of(&self, link: &RoleLink, cubes: &[BlockId]) -> Option<i64> {
        let chips = self.pod.chips_per_cube();
        self.spare(link.map(|RolePort { role, chip, port }| End {
            node: NodeId(cubes[role as usize].0 * chips + chip),
            port,
        }))
    }

    /// Exchanges cubes as long as the light gets better. `free` has the cubes that no role has. Returns
    /// whether the search ended before its limit.
    fn improve(&self, links: &[RoleLink], cubes: &mut [BlockId], free: &[BlockId]) -> bool {
        let mut choice = Choice::new(self, links, cubes, free);
        let roles = cubes.len();
        let mut is_better = true;
        while is_better && choice.looks < MOST_LOOKS {
            is_better = false;
            for first in 0..roles {
                for second in first + 1..roles + choice.free.len() {
                    if choice.looks >= MOST_LOOKS {
                        break;
                    }
                    is_better |= choice.exchange(first, second);
                }
            }
        }
        cubes.copy_from_slice(&choice.cubes);
        choice.looks < MOST_LOOKS
    }
}

/// A choice of cubes, with the margins of all links.
struct Choice<'a> {
    margins: &'a Margins<'a>,
    links: &'a [RoleLink],
    /// `[role]`: the links at it.
    at: Vec<Vec<usize>>,
    cubes: Vec<BlockId>,
    free: Vec<BlockId>,
    /// `[link]`: its margin over what it needs.
    spares: Vec<Option<i64>>,
    /// How many links have which margin.
    counts: BTreeMap<i64, u64>,
    sum: i64,
    looks: u64,
}

impl<'a> Choice<'a> {
    fn new(margins: &'a Margins<'a>, links: &'a [RoleLink], cubes: &[BlockId], free: &[BlockId]) -> Self {
        let mut at = vec![Vec::new(); cubes.len()];
        for (number, link) in links.iter().enumerate() {
            at[link[0].role as usize].push(number);
            if link[0].role != link[1].role {
                at[link[1].role as usize].push(number);
            }
        }
        let spares: Vec<Option<i64>> = links.iter().map(|link| margins.spare_of(link, cubes)).collect();
        let mut counts = BTreeMap::new();
        spares.iter().flatten().for_each(|&spare| *counts.entry(spare).or_default() += 1);
        let (sum, looks) = (spares.iter().flatten().sum(), links.len() as u64);
        Self { margins, links, at, cubes: cubes.to_vec(), free: free.to_vec(), spares, counts, sum, looks }
    }

    fn score(&self) -> Score {
        let dark = self.counts.range(..0).map(|(_, count)| count).sum();
        let least = self.counts.keys().next().copied().unwrap_or(0);
        (dark, -least, -self.sum)
    }

    /// Exchanges the cubes of two roles, or of a role and a free place behind all roles, if that is better.
    fn exchange(&mut self, first: usize, second: usize) -> bool {
        let before = self.score();
        self.swap(first, second);
        if self.score() < before {
            return true;
        }
        self.swap(first, second);
        false
    }

    /// Exchanges two cubes, and looks at their links again.
    fn swap(&mut self, first: usize, second: usize) {
        let roles = self.cubes.len();
        match second.checked_sub(roles) {
            Some(place) => std::mem::swap(&mut self.cubes[first], &mut self.free[place]),
            None => self.cubes.swap(first, second),
        }
        let others = if second < roles { self.at[second].as_slice() } else { &[] };
        for &number in self.at[first].iter().chain(others) {
            if let Some(old) = self.spares[number] {
                self.sum -= old;
                if let Some(count) = self.counts.get_mut(&old) {
                    *count -= 1;
                    if *count == 0 {
                        self.counts.remove(&old);
                    }
                }
            }
            self.spares[number] = self.margins.spare_of(&self.links[number], &self.cubes);
            if let Some(new) = self.spares[number] {
                self.sum += new;
                *self.counts.entry(new).or_default() += 1;
            }
            self.looks += 1;
        }
    }
}

/// The light of the slices of a pod, by kind.
pub struct SliceLight<'a> {
    margins: Margins<'a>,
    /// `[kind]`: its links, with its cubes as roles.
    links: Vec<Vec<RoleLink>>,
}

impl<'a> SliceLight<'a> {
    /// The light of all kinds of slices. `settings` has the cross-connects of every kind in order. `None`
    /// where all pairs of ports lose the same.
    pub fn new(fabric: &'a Fabric, pod: &'a Pod, settings: &[Mirrors]) -> Option<Self> {
        let links = |(kind, settings): (&SliceKind, &Mirrors)| {
            let kind_pod = kind.pod();
            let chips = kind_pod.chips_per_cube();
            let port =
                |face: FacePort| RolePort { role: face.cube.0, chip: face.node.0 % chips, port: face.port };
            let of_switch = |(id, ocs): (OcsId, &Ocs)| {
                settings[id].iter().map(|&pair| ocs.faces(pair).map(port)).collect::<Vec<_>>()
            };
            kind_pod.ocses.enumerate().flat_map(of_switch).collect()
        };
        let margins = Margins::new(fabric, pod, None)?;
        Some(Self { margins, links: fabric.slices.kinds.iter().zip(settings).map(links).collect() })
    }

    /// Exchanges cubes of a slice with each other and with free ones, as long as the light gets better.
    pub fn improve(&self, kind: usize, cubes: &mut [BlockId], free: &[BlockId]) {
        self.margins.improve(&self.links[kind], cubes, free);
    }

    /// Whether the first list of cubes gives a slice better light than the second.
    pub fn is_better(&self, kind: usize, first: &[BlockId], second: &[BlockId]) -> bool {
        let score = |cubes: &[BlockId]| Choice::new(&self.margins, &self.links[kind], cubes, &[]).score();
        score(first) < score(second)
    }
}

/// A topology whose cubes were exchanged for the sake of light.
pub struct BestCubes {
    /// The topology with its cubes moved.
    pub topology: Topology,
    /// Number of cubes that play another role than before.
    pub moved: usize,
    /// Whether the search ended before its limit.
    pub is_finished: bool,
}

/// The topology that a search found, with cubes exchanged so that light loses little. The graph stays the
/// same: the demand is uniform, and every switch treats all cubes alike. Routes are searched on it anew, and
/// ties between them may end otherwise.
pub fn with_best_cubes(
    fabric: &Fabric,
    pod: &Pod,
    topology: Topology,
    placement: Option<&Placement>,
) -> BestCubes {
    let unchanged = |topology| BestCubes { topology, moved: 0, is_finished: true };
    let is_searched = matches!(pod.topology, TopologyChoice::Synthesize(_)) && fabric.searched_for.is_empty();
    // Where fiber takes time, a cube that stands elsewhere is another choice.
    let takes_time = fabric.floor.is_some() && fabric.link_types.iter().any(|link| link.per_metre_ps > 0);
    if !is_searched || takes_time || !fabric.demand.is_uniform() || pod.classes().len() != 1 {
        return unchanged(topology);
    }
    let Some(margins) = Margins::new(fabric, pod, placement) else { return unchanged(topology) };
    let chips = pod.chips_per_cube();
    let port = |end: End| RolePort { role: end.node.0 / chips, chip: end.node.0 % chips, port: end.port };
    let fibers = topology.links().iter().filter(|link| link.class == LinkClass::Global);
    let links: Vec<RoleLink> = fibers.map(|link| [link.a, link.b].map(port)).collect();
    let mut cubes: Vec<BlockId> = (0..pod.cubes).map(BlockId).collect();
    let is_finished = margins.improve(&links, &mut cubes, &[]);
    let moved = (0..).zip(&cubes).filter(|(role, cube)| *role != cube.0).count();
    BestCubes { topology: topology.with_moved_blocks(&cubes), moved, is_finished }
}
