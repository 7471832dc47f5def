//! The faults that a fabric tolerates: which there are, what they are called, which of them one stands for,
//! and what they darken.
//!
//! Comes in: the budget of the spec; for links and routers also the topology, whose symmetry makes faults of
//! one another. Goes out: the list that a directory must serve. `ir/scenario.rs` makes the compiler's list;
//! this one is found by other means: switches by counting up, links and routers by carrying their ends along
//! and joining what meets.

use super::CheckError;
use fabc_base::ids::{BlockId, Id, IdVec, LinkId, NodeId, OcsId, PortId};
use fabc_ir::read::Served;
use fabc_ir::{CrossConnects, End, Scenario, Symmetry, Topology};
use fabc_model::{Fabric, Faults, Pod};
use std::borrow::Borrow;
use std::collections::BTreeMap;

/// The names of the ports in the names of links.
const PORTS: [&str; 6] = ["+x", "-x", "+y", "-y", "+z", "-z"];

/// What has failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Failed {
    /// The healthy fabric.
    Nothing,
    /// These switches are dark, ascending.
    Switches(Vec<OcsId>),
    /// The link at this end, its smaller one, is dark.
    Link(End),
    /// This router is dead.
    Router(NodeId),
}

/// A fault, and those that it stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ToleratedFault {
    pub(super) name: String,
    pub(super) failed: Failed,
    pub(super) images: Vec<Served>,
}

impl ToleratedFault {
    pub(super) fn is_healthy(&self) -> bool {
        self.failed == Failed::Nothing
    }
    /// The router that is dead.
    pub(super) fn dead(&self) -> Option<NodeId> {
        if let Failed::Router(chip) = self.failed { Some(chip) } else { None }
    }
    /// The path of its tables, without the ending.
    pub(super) fn tables_path(&self) -> String {
        if self.is_healthy() {
            "tables/nominal".to_owned()
        } else {
            format!("tables/fault-{}", in_file_names(&self.name))
        }
    }
    /// The path of the schedule of a collective under it.
    pub(super) fn collective_path(&self, name: &str) -> String {
        let fault =
            if self.is_healthy() { String::new() } else { format!(".fault-{}", in_file_names(&self.name)) };
        format!("collectives/{name}{fault}.json")
    }
    /// Which links are lit.
    pub(super) fn lit(
        &self,
        topology: &Topology,
        cross_connects: Option<&CrossConnects>,
    ) -> IdVec<LinkId, bool> {
        let mut lit = IdVec::filled(true, topology.links().len());
        match &self.failed {
            Failed::Nothing => {}
            Failed::Switches(dark) => {
                let settings = |&ocs: &OcsId| {
                    cross_connects.into_iter().flat_map(move |cross_connects| &cross_connects.settings[ocs])
                };
                dark.iter().flat_map(settings).for_each(|setting| lit[setting.link] = false);
            }
            Failed::Link(end) => topology
                .outgoing(end.node, end.port)
                .into_iter()
                .for_each(|channel| lit[topology.link_of(channel)] = false),
            Failed::Router(chip) => {
                let around = topology.channels_from(*chip).chain(topology.channels_into(*chip));
                around.for_each(|channel| lit[topology.link_of(channel)] = false);
            }
        }
        lit
    }
    /// How many sets of switches are still whole: every cross-connect of theirs is lit.
    pub(super) fn whole_sets(
        &self,
        sets: &[Vec<OcsId>],
        lit: &IdVec<LinkId, bool>,
        cross_connects: &CrossConnects,
    ) -> u64 {
        let dark =
            |ocs: &OcsId| matches!(&self.failed, Failed::Switches(dark) if dark.binary_search(ocs).is_ok());
        let broken =
            |ocs: &OcsId| dark(ocs) || cross_connects.settings[*ocs].iter().any(|setting| !lit[setting.link]);
        sets.iter().filter(|set| !set.iter().any(broken)).count() as u64
    }
}

/// `X[0,0]` in file names: `X_0_0`.
pub(super) fn in_file_names(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for letter in name.chars() {
        match letter {
            '[' | ',' => out.push('_'),
            ']' => {}
            _ => out.push(letter),
        }
    }
    out
}

/// The healthy fabric and all faults that must be served; `topology` is asked for where links or routers may
/// fail.
pub(super) fn tolerated<T: Borrow<Topology>>(
    fabric: &Fabric,
    topology: impl FnOnce() -> Result<T, CheckError>,
) -> Result<Vec<ToleratedFault>, CheckError> {
    let faults = match fabric.budget.faults {
        Faults::Ocses(most) => fabric.pod().map_or_else(Vec::new, |pod| switches(pod, most as usize)),
        Faults::Link => links(fabric, topology()?.borrow()),
        Faults::Router => routers(fabric, topology()?.borrow()),
    };
    let healthy = ToleratedFault { name: "nominal".to_owned(), failed: Failed::Nothing, images: Vec::new() };
    Ok(std::iter::once(healthy).chain(faults).collect())
}

/// Compares the compiler's list with the one found here.
///
/// # Errors
/// The first fault that is missing, superfluous, misnamed, or stands for others.
pub fn faults(fabric: &Fabric, topology: &Topology, claimed: &[Scenario]) -> Result<(), CheckError> {
    let expected = tolerated(fabric, || Ok(topology))?;
    let wrong = |at: usize, what: String| Err(CheckError::Shape { scenario: format!("fault {at}"), what });
    if claimed.len() != expected.len() {
        return wrong(
            expected.len(),
            format!("{} scenarios, but there must be {}", claimed.len(), expected.len()),
        );
    }
    for (at, (claimed, fault)) in claimed.iter().zip(&expected).enumerate() {
        let failed = match &claimed.fault {
            fabc_ir::Fault::None => Failed::Nothing,
            fabc_ir::Fault::Link(link) => Failed::Link(topology.links()[*link].a),
            fabc_ir::Fault::Router(chip) => Failed::Router(*chip),
            fabc_ir::Fault::Switches(dark) => Failed::Switches(dark.clone()),
        };
        let served = |image: &fabc_ir::Image| Served {
            scenario: image.scenario.clone(),
            cubes: image.blocks.iter().map(|block| block.0).collect(),
        };
        let images: Vec<Served> = claimed.images.iter().map(served).collect();
        let found = ToleratedFault { name: claimed.name.clone(), failed, images };
        if found != *fault {
            return wrong(
                at,
                format!(
                    "`{}` stands where `{}` must: {found:?} instead of {fault:?}",
                    found.name, fault.name
                ),
            );
        }
    }
    Ok(())
}

/// Sets of one switch, of two, and so on, each in ascending order: the last digit counts up first.
fn switches(pod: &Pod, most: usize) -> Vec<ToleratedFault> {
    let count = pod.ocses.len();
    let mut all = Vec::new();
    for size in 1..=most.min(count) {
        let mut digits: Vec<usize> = (0..size).collect();
        loop {
            let names: Vec<&str> = digits.iter().map(|&at| pod.ocses[OcsId::new(at)].name.as_str()).collect();
            let failed = Failed::Switches(digits.iter().map(|&at| OcsId::new(at)).collect());
            all.push(ToleratedFault { name: names.join("+"), failed, images: Vec::new() });
            let Some(place) = (0..size).rev().find(|&place| digits[place] + (size - place) < count) else {
                break;
            };
            digits[place] += 1;
            for later in place + 1..size {
                digits[later] = digits[later - 1] + 1;
            }
        }
    }
    all
}

/// One link of every orbit.
fn links(fabric: &Fabric, topology: &Topology) -> Vec<ToleratedFault> {
    let moves = moves(topology.symmetry());
    // Of a single channel the source comes first: another one may run back between the same numbers.
    let key =
        |simplex: bool, [one, two]: [End; 2]| if simplex || one < two { [one, two] } else { [two, one] };
    let by_ends: BTreeMap<[End; 2], usize> = topology
        .links()
        .iter()
        .enumerate()
        .map(|(at, link)| (key(link.simplex, [link.a, link.b]), at))
        .collect();
    let image = |at: usize, blocks: &[u32]| {
        let link = topology.links()[LinkId::new(at)];
        let ends =
            [link.a, link.b].map(|end| End { node: carried(topology, end.node, blocks), port: end.port });
        by_ends.get(&key(link.simplex, ends)).copied()
    };
    let name = |at: usize| {
        let end = topology.links()[LinkId::new(at)].a;
        format!("{}.{}", router_name(fabric, topology, end.node), port_name(fabric, end.port))
    };
    let failed = |at: usize| Failed::Link(topology.links()[LinkId::new(at)].a);
    orbits(topology.links().len(), &moves, image, name, failed)
}

/// One router of every orbit.
fn routers(fabric: &Fabric, topology: &Topology) -> Vec<ToleratedFault> {
    let image = |at: usize, blocks: &[u32]| Some(carried(topology, NodeId::new(at), blocks).index());
    let name = |at: usize| router_name(fabric, topology, NodeId::new(at));
    orbits(topology.node_count(), &moves(topology.symmetry()), image, name, |at| {
        Failed::Router(NodeId::new(at))
    })
}

/// Joins what the moves carry onto each other. The first thing of every orbit stands for the others, in the
/// order of the first move that leads to each of them.
fn orbits(
    things: usize,
    moves: &[Vec<u32>],
    image: impl Fn(usize, &[u32]) -> Option<usize>,
    name: impl Fn(usize) -> String,
    failed: impl Fn(usize) -> Failed,
) -> Vec<ToleratedFault> {
    let mut parent: Vec<usize> = (0..things).collect();
    for thing in 0..things {
        for other in moves.iter().filter_map(|blocks| image(thing, blocks)) {
            let (one, two) = (root(&mut parent, thing), root(&mut parent, other));
            // The smaller one stays the root.
            parent[one.max(two)] = one.min(two);
        }
    }
    let mut faults = Vec::new();
    for first in (0..things).filter(|&thing| parent[thing] == thing) {
        let mut reached: BTreeMap<usize, usize> = BTreeMap::new();
        for (at, blocks) in moves.iter().enumerate().rev() {
            // The earliest move is entered last, and stays.
            if let Some(thing) = image(first, blocks).filter(|&thing| thing != first) {
                reached.insert(thing, at);
            }
        }
        let mut order: Vec<(usize, usize)> = reached.into_iter().map(|(thing, at)| (at, thing)).collect();
        order.sort_unstable();
        let images = order
            .into_iter()
            .map(|(at, thing)| Served { scenario: name(thing), cubes: moves[at].clone() })
            .collect();
        faults.push(ToleratedFault { name: name(first), failed: failed(first), images });
    }
    faults
}

fn root(parent: &mut [usize], mut at: usize) -> usize {
    while parent[at] != at {
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    at
}

/// Where each element of the group takes the blocks, ascending.
fn moves(symmetry: &Symmetry) -> Vec<Vec<u32>> {
    let row = |g: usize| {
        (0..symmetry.blocks()).map(|block| symmetry.image_block(g, BlockId::new(block)).0).collect()
    };
    let mut moves: Vec<Vec<u32>> = (0..symmetry.order()).map(row).collect();
    moves.sort_unstable();
    moves
}

/// Where a router goes with its block.
fn carried(topology: &Topology, node: NodeId, blocks: &[u32]) -> NodeId {
    let size = (topology.node_count() / blocks.len()) as u32;
    NodeId(blocks[(node.0 / size) as usize] * size + node.0 % size)
}

/// `+x`, `port3`
fn port_name(fabric: &Fabric, port: PortId) -> String {
    if fabric.pod().is_some() { PORTS[port.index()].to_owned() } else { format!("port{port}") }
}

/// `cube3[1,2,3]`; in a network as the topology calls it.
fn router_name(fabric: &Fabric, topology: &Topology, node: NodeId) -> String {
    let Some(pod) = fabric.pod() else { return topology.name(node) };
    let mut rest = node.0;
    let [x, y, z] = pod.cube.dims.map(|length| {
        let at = rest % length;
        rest /= length;
        at
    });
    format!("cube{rest}[{x},{y},{z}]")
}
