//! A tolerated fault, and the names of what fails.

use fabc_base::ids::{Id, IdVec, LinkId, NodeId, OcsId, PortId};
use fabc_ir::{CrossConnects, End, Image, Topology};
use fabc_model::Fabric;

/// The names of ports within the names of links.
const PORTS: [&str; 6] = ["+x", "-x", "+y", "-y", "+z", "-z"];

/// The parts that a fault disables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Failed {
    /// The healthy fabric, without a failed part.
    Nothing,
    /// These switches are dark, ascending.
    Switches(Vec<OcsId>),
    /// The link at this end, its smaller one, is dark.
    Link(End),
    /// This router is dead, with all of its links.
    Router(NodeId),
}

/// A fault, and the images that its tables serve too.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ToleratedFault {
    pub(crate) name: String,
    pub(crate) failed: Failed,
    pub(crate) images: Vec<Image>,
}

impl ToleratedFault {
    pub(crate) fn is_healthy(&self) -> bool {
        self.failed == Failed::Nothing
    }
    /// The dead router, if the fault has one.
    pub(crate) fn dead(&self) -> Option<NodeId> {
        if let Failed::Router(chip) = self.failed { Some(chip) } else { None }
    }
    /// The path of its tables, without the extension.
    pub(crate) fn tables_path(&self) -> String {
        if self.is_healthy() {
            "tables/nominal".to_owned()
        } else {
            format!("tables/fault-{}", file_name_part(&self.name))
        }
    }
    /// The path of the schedule of a collective under this fault.
    pub(crate) fn collective_path(&self, name: &str) -> String {
        self.schedule_path(&format!("collectives/{name}"))
    }
    /// The path of the schedule of an operation of a job under this fault.
    pub(crate) fn job_schedule_path(&self, job: &str, phase: &str, operation: &str) -> String {
        self.schedule_path(&format!("jobs/{job}.{phase}.{operation}"))
    }
    /// The path of a schedule under this fault, if that without faults is at `stem`.
    fn schedule_path(&self, stem: &str) -> String {
        match self.is_healthy() {
            true => format!("{stem}.json"),
            false => format!("{stem}.fault-{}.json", file_name_part(&self.name)),
        }
    }
    /// `[link]`: whether the link is lit under this fault.
    pub(crate) fn lit_links(
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
                let adjacent = topology.channels_from(*chip).chain(topology.channels_into(*chip));
                adjacent.for_each(|channel| lit[topology.link_of(channel)] = false);
            }
        }
        lit
    }
    /// The number of sets of switches whose cross-connects are all lit.
    pub(crate) fn whole_sets(
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

/// A name within a file name: `X[0,0]` becomes `X_0_0`.
pub(crate) fn file_name_part(name: &str) -> String {
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

/// The name of a port: `+x` in a pod, `port3` in a network.
pub(super) fn port_name(fabric: &Fabric, port: PortId) -> String {
    if fabric.pod().is_some() { PORTS[port.index()].to_owned() } else { format!("port{port}") }
}

/// The name of a router: `cube3[1,2,3]` in a pod. In a network the topology names it.
pub(super) fn router_name(fabric: &Fabric, topology: &Topology, node: NodeId) -> String {
    let Some(pod) = fabric.pod() else { return topology.name(node) };
    let mut rest = node.0;
    let [x, y, z] = pod.cube.dims.map(|length| {
        let coordinate = rest % length;
        rest /= length;
        coordinate
    });
    format!("cube{rest}[{x},{y},{z}]")
}
