//! The hosts of a fabric: which chips each has, and how launchers call it.
//!
//! Without options a box of GPUs is a host, and every other chip is a host of its own. `--chips-per-host`
//! makes hosts of consecutive chips, or of blocks of a cube. `--host` names them.

use super::super::chunks::EmitError;
use super::super::switch_names::switch_name;
use super::template::{HostField, HostPlant, HostTemplate, TemplateProblem};
use fabc_base::ids::{Id, NodeId};
use fabc_ir::router_names;
use fabc_model::{BoxPart, Boxes, Fabric, HostMap, Pod, host_label, host_name_problem};
use std::collections::BTreeMap;

/// How hosts are called, and which chips each has, as the command line says it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HostNaming {
    /// The template of `--host` for names of hosts.
    pub template: Option<String>,
    /// The chips of a host, of `--chips-per-host`.
    pub chips: Option<HostChips>,
}

/// The chips of a host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostChips {
    /// So many chips with consecutive numbers.
    Consecutive(u32),
    /// A block of a cube, by its sides.
    Block([u32; 3]),
}

impl HostChips {
    /// Reads `4` or `2x2x1`. `None` for anything else, and for a number of 0.
    pub fn parse(text: &str) -> Option<Self> {
        let sides: Option<Vec<u32>> = text.split('x').map(|side| side.trim().parse().ok()).collect();
        let sides = sides?;
        match sides[..] {
            _ if sides.contains(&0) => None,
            [count] => Some(HostChips::Consecutive(count)),
            [x, y, z] => Some(HostChips::Block([x, y, z])),
            _ => None,
        }
    }

    fn text(self) -> String {
        match self {
            HostChips::Consecutive(count) => count.to_string(),
            HostChips::Block([x, y, z]) => format!("{x}x{y}x{z}"),
        }
    }
}

impl HostNaming {
    /// Whether there are no options.
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The place of a chip among the hosts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct HostSlot {
    /// The number of the host.
    pub(super) host: usize,
    /// The number of the chip in it.
    pub(super) slot: u32,
}

/// The hosts of a fabric.
pub(in crate::external) struct Hosts {
    /// The routers that send and receive, ascending. A chip is an index into them.
    endpoints: Vec<NodeId>,
    /// `[host]`: its name for launchers.
    names: Vec<String>,
    /// `[host]`: numbers of its chips, ascending.
    chips: Vec<Vec<usize>>,
    /// `[chip]`: its host and slot.
    slots: Vec<HostSlot>,
}

impl Hosts {
    /// The hosts under these options. Names are as the template or the routers have them, whether or not
    /// launchers take them.
    ///
    /// # Errors
    /// A template that cannot be read, and chips that do not fill whole hosts.
    pub(in crate::external) fn new(fabric: &Fabric, naming: &HostNaming) -> Result<Self, EmitError> {
        let endpoints: Vec<NodeId> = fabric
            .declared_hosts()
            .iter()
            .enumerate()
            .filter(|(_, hosts)| **hosts > 0)
            .map(|(node, _)| NodeId::new(node))
            .collect();
        let (chips, names) = match &fabric.hosts {
            Some(map) if naming.is_default() => mapped_hosts(fabric, &endpoints, map)?,
            _ => {
                let chips = host_chips(fabric, &endpoints, naming.chips)?;
                let names = host_names(fabric, &endpoints, &chips, naming)?;
                (chips, names)
            }
        };
        let mut slots = vec![HostSlot { host: 0, slot: 0 }; endpoints.len()];
        for (host, chips) in chips.iter().enumerate() {
            chips.iter().zip(0..).for_each(|(&chip, slot)| slots[chip] = HostSlot { host, slot });
        }
        Ok(Self { endpoints, names, chips, slots })
    }

    /// The name of every host, and the routers of its chips.
    pub(in crate::external) fn named_routers(&self) -> impl Iterator<Item = (&str, Vec<NodeId>)> {
        let routers = |chips: &Vec<usize>| chips.iter().map(|&chip| self.endpoints[chip]).collect();
        self.names.iter().zip(&self.chips).map(move |(name, chips)| (name.as_str(), routers(chips)))
    }

    /// The number of a chip among those that send and receive.
    pub(super) fn chip(&self, node: NodeId) -> usize {
        self.endpoints.binary_search(&node).unwrap_or(node.index())
    }
    /// The name of the host of a chip.
    pub(super) fn name(&self, chip: usize) -> &str {
        &self.names[self.slots[chip].host]
    }
    /// The number of a chip in its host.
    pub(super) fn slot(&self, chip: usize) -> u32 {
        self.slots[chip].slot
    }

    /// Refuses names that launchers do not take, and hosts that they could not tell apart. Open MPI leaves
    /// out what follows a dot, and capital letters are as good as small ones.
    ///
    /// # Errors
    /// [`EmitError::HostName`] for the first such host.
    pub(in crate::external) fn check_names(&self, fabric: &Fabric) -> Result<(), EmitError> {
        let names = router_names(fabric);
        let first_chip = |host: usize| names.node(self.endpoints[self.chips[host][0]]);
        let refused = |problem| EmitError::HostName { problem };
        let mut hosts: BTreeMap<String, usize> = BTreeMap::new();
        for (host, name) in self.names.iter().enumerate() {
            if let Some(problem) = host_name_problem(name) {
                return Err(refused(format!(
                    "the host of {} would be `{name}`: {problem}",
                    first_chip(host)
                )));
            }
            let Some(earlier) = hosts.insert(host_label(name), host) else { continue };
            let [first, second] = [earlier, host].map(first_chip);
            return Err(refused(match &self.names[earlier] {
                same if same == name => format!("the hosts of {first} and {second} would both be `{name}`"),
                other => format!(
                    "the hosts of {first} and {second} would be `{other}` and `{name}`, which launchers take for one"
                ),
            }));
        }
        Ok(())
    }
}

/// The chips and names of the hosts that the spec names.
///
/// # Errors
/// [`EmitError::HostName`] for a router with several hosts: a rank has one.
fn mapped_hosts(
    fabric: &Fabric,
    endpoints: &[NodeId],
    map: &HostMap,
) -> Result<(Vec<Vec<usize>>, Vec<String>), EmitError> {
    let declared = fabric.declared_hosts();
    if let Some(&node) = endpoints.iter().find(|node| fabric.boxes().is_none() && declared[node.index()] > 1)
    {
        let name = router_names(fabric).node(node);
        let problem = format!("`{name}` has several hosts in the file of `hosts`, and a rank has one");
        return Err(EmitError::HostName { problem });
    }
    let chip = |node: &NodeId| endpoints.binary_search(node).unwrap_or(node.index());
    let chips = map.hosts.iter().map(|host| host.routers.iter().map(chip).collect());
    Ok((chips.collect(), map.hosts.iter().map(|host| host.name.clone()).collect()))
}

/// `[host]`: numbers of its chips, ascending.
fn host_chips(
    fabric: &Fabric,
    endpoints: &[NodeId],
    chips: Option<HostChips>,
) -> Result<Vec<Vec<usize>>, EmitError> {
    let refused = |chips: HostChips, problem| EmitError::HostChips { chips: chips.text(), problem };
    let count = endpoints.len();
    match (chips, fabric.pod(), fabric.boxes()) {
        (Some(shape @ HostChips::Block(sides)), Some(pod), _) => block_hosts(pod, sides).ok_or_else(|| {
            let [x, y, z] = pod.cube.dims;
            refused(shape, format!("a cube of {x} x {y} x {z} chips is not made of such blocks"))
        }),
        (Some(shape @ HostChips::Block(_)), None, _) => {
            Err(refused(shape, "only cubes have blocks, and this fabric has none".to_owned()))
        }
        (Some(shape @ HostChips::Consecutive(size)), pod, boxes) => {
            let (units, unit) = match (pod, boxes) {
                (Some(pod), _) => (vec![pod.chips_per_cube() as usize; pod.cubes as usize], "a cube"),
                (_, Some(boxes)) => (gpus_of_boxes(boxes), "a box"),
                _ => (vec![count], "the fabric"),
            };
            match units.iter().find(|&&chips| chips % size as usize != 0) {
                Some(chips) => {
                    Err(refused(shape, format!("the {chips} chips of {unit} are not whole hosts of {size}")))
                }
                None => Ok(runs(units.iter().flat_map(|chips| vec![size as usize; chips / size as usize]))),
            }
        }
        (None, _, Some(boxes)) => Ok(runs(gpus_of_boxes(boxes).into_iter())),
        (None, ..) => Ok((0..count).map(|chip| vec![chip]).collect()),
    }
}

/// `[box]`: number of its GPUs.
fn gpus_of_boxes(boxes: &Boxes) -> Vec<usize> {
    boxes.boxes().map(|kind| kind.gpus as usize).collect()
}

/// Hosts of consecutive chips, from the number of chips of each.
fn runs(sizes: impl Iterator<Item = usize>) -> Vec<Vec<usize>> {
    let mut next = 0;
    sizes.map(|size| (next..next + size).inspect(|_| next += 1).collect()).collect()
}

/// Hosts that are blocks of cubes, cube by cube, x fastest. `None` if a side is no multiple of the block's.
fn block_hosts(pod: &Pod, sides: [u32; 3]) -> Option<Vec<Vec<usize>>> {
    let dims = pod.cube.dims;
    let counts = [0, 1, 2].map(|axis| dims[axis] / sides[axis]);
    (0..3).all(|axis| counts[axis] * sides[axis] == dims[axis]).then_some(())?;
    let hosts_per_cube = counts.iter().product::<u32>();
    let mut hosts = vec![Vec::new(); (hosts_per_cube * pod.cubes) as usize];
    for chip in 0..pod.node_count() {
        let place = pod.coordinates(NodeId::new(chip));
        let [x, y, z] = [0, 1, 2].map(|axis| place[axis] / sides[axis]);
        let cube = chip as u32 / pod.chips_per_cube();
        hosts[(cube * hosts_per_cube + x + counts[0] * (y + counts[1] * z)) as usize].push(chip);
    }
    Some(hosts)
}

/// `[host]`: its name by the template.
fn host_names(
    fabric: &Fabric,
    endpoints: &[NodeId],
    chips: &[Vec<usize>],
    naming: &HostNaming,
) -> Result<Vec<String>, EmitError> {
    let plant = match (fabric.pod(), fabric.boxes()) {
        (Some(_), _) => HostPlant::Cubes,
        (_, Some(_)) => HostPlant::Boxes,
        _ => HostPlant::Routers,
    };
    let template = match (&naming.template, naming.chips) {
        (Some(template), _) => template,
        (None, Some(_)) => "host{index}",
        (None, None) if plant == HostPlant::Boxes => "box{box}",
        (None, None) => "{name}",
    };
    let read = HostTemplate::parse(template, plant).map_err(|TemplateProblem { problem, hint }| {
        EmitError::HostTemplate { template: template.to_owned(), problem, hint }
    })?;
    let names = router_names(fabric);
    let hosts_per_cube = fabric.pod().map_or(chips.len(), |pod| chips.len() / pod.cubes.max(1) as usize);
    let name = |(host, chips): (usize, &Vec<usize>)| {
        let first = endpoints[chips[0]];
        let coordinates = fabric.pod().map_or([0; 3], |pod| pod.coordinates(first));
        let place = match fabric.boxes().map(|boxes| boxes.part(first.0).0) {
            Some(BoxPart::Gpu { place, .. }) => place,
            _ => 0,
        };
        read.name(|field| match field {
            HostField::Host => (host % hosts_per_cube).to_string(),
            HostField::Index => host.to_string(),
            HostField::Chip => chips[0].to_string(),
            HostField::Name => switch_name(&names.node(first)),
            HostField::Cube => (host / hosts_per_cube).to_string(),
            HostField::Coordinate(axis) => coordinates[axis].to_string(),
            HostField::Box => place.to_string(),
        })
    };
    Ok(chips.iter().enumerate().map(name).collect())
}
