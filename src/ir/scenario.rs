//! Scenarios: the healthy fabric, or a fault of some OCSes, a link or a router.

use super::CrossConnects;
use fabc_base::ids::{BlockId, Id, LinkId, NodeId, OcsId};
use fabc_model::{ClosShifts, Fabric, Faults, StageDigits, file_stem};
use fabc_topology::{Scene, Topology};
use std::collections::{BTreeMap, BTreeSet};

/// The healthy fabric, or one tolerated fault with the faults that are its images under the symmetry of the
/// topology.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scenario {
    /// The name: `nominal`, `X[0,0]`, `X[0,0]+Y[1,2]`, `cube0[1,2,3].+x` (a link, by its smaller end) or
    /// `cube0[1,2,3]` (a router).
    pub name: String,
    /// The fault that the scenario has.
    pub fault: ScenarioFault,
    /// The other faults that this one stands for.
    pub images: Vec<Image>,
}

/// The parts of a fault, all dark at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ScenarioFault {
    /// Nothing has failed: the healthy fabric.
    None,
    /// These OCSes are dark, ascending. The list is never empty.
    Switches(Vec<OcsId>),
    /// This one link is dark.
    Link(LinkId),
    /// The router is dead, and so are all its links.
    Router(NodeId),
}

impl ScenarioFault {
    /// The dark OCSes, ascending. Empty for other faults.
    pub fn switches(&self) -> &[OcsId] {
        if let ScenarioFault::Switches(dark) = self { dark } else { &[] }
    }
    /// The dead router, if there is one.
    pub fn dead(&self) -> Option<NodeId> {
        if let ScenarioFault::Router(dead) = *self { Some(dead) } else { None }
    }
}

/// A fault that is the image of another one. Its tables are those of the other fault, with every router and
/// destination carried along.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    /// The name of the scenario.
    pub scenario: String,
    /// The symmetry that takes the other fault to this one.
    pub symmetry: FaultSymmetry,
}

/// A symmetry that takes a fault to another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FaultSymmetry {
    /// `[block]`: its image. Positions inside blocks and ports stay.
    Blocks(Vec<BlockId>),
    /// `[stage]` of a folded Clos network: what is added to its digits.
    Shift(Vec<StageDigits>),
}

impl Scenario {
    /// The scenario of the healthy fabric.
    pub fn nominal() -> Self {
        Self { name: "nominal".to_owned(), fault: ScenarioFault::None, images: Vec::new() }
    }
    /// The healthy fabric, then every tolerated fault. Sets of OCSes come by size, then by id. Links and
    /// routers come by id, one for each class of images.
    pub fn tolerated(fabric: &Fabric, topology: &Topology) -> Vec<Self> {
        match (fabric.budget.faults, fabric.clos_shifts()) {
            (Faults::Ocses(most), _) => Self::of_ocses(fabric, most),
            (Faults::Link, None) => Self::of_links(topology),
            (Faults::Link, Some(shifts)) => Self::of_cables(topology, &shifts),
            (Faults::Router, None) => Self::of_routers(topology),
            (Faults::Router, Some(shifts)) => Self::of_switches(topology, &shifts),
        }
    }

    /// As [`Scenario::tolerated`] for dark OCSes, which need no topology.
    pub fn of_ocses(fabric: &Fabric, most: u32) -> Vec<Self> {
        let mut scenarios = vec![Self::nominal()];
        let Some(pod) = fabric.pod() else { return scenarios };
        let mut previous: Vec<Vec<OcsId>> = vec![Vec::new()];
        for _ in 0..most {
            previous = previous
                .iter()
                .flat_map(|dark| {
                    pod.ocses.ids().filter(|id| dark.last().is_none_or(|last| last < id)).map(|id| {
                        let mut more = dark.clone();
                        more.push(id);
                        more
                    })
                })
                .collect();
            scenarios.extend(previous.iter().map(|dark| Self {
                name: dark.iter().map(|&id| pod.ocses[id].name.as_str()).collect::<Vec<_>>().join("+"),
                fault: ScenarioFault::Switches(dark.clone()),
                images: Vec::new(),
            }));
        }
        scenarios
    }

    fn of_links(topology: &Topology) -> Vec<Self> {
        let symmetry = topology.symmetry();
        let name = |link| link_name(topology, link);
        let mut seen = BTreeSet::new();
        let mut scenarios = vec![Self::nominal()];
        for (id, link) in topology.links().enumerate() {
            if !seen.insert(id) {
                continue;
            }
            let mut scenario = Self { name: name(id), fault: ScenarioFault::Link(id), images: Vec::new() };
            for g in 1..symmetry.order() {
                let image = topology
                    .outgoing(symmetry.image(g, link.a.node), link.a.port)
                    .map(|channel| topology.link_of(channel));
                if let Some(image) = image.filter(|&image| seen.insert(image)) {
                    let symmetry = block_images(topology, g);
                    scenario.images.push(Image { scenario: name(image), symmetry });
                }
            }
            scenarios.push(scenario);
        }
        scenarios
    }

    fn of_routers(topology: &Topology) -> Vec<Self> {
        let symmetry = topology.symmetry();
        let fault = |router: NodeId| {
            let image = |g| Image {
                scenario: topology.name(symmetry.image(g, router)),
                symmetry: block_images(topology, g),
            };
            let images = (1..symmetry.order()).map(image).collect();
            Self { name: topology.name(router), fault: ScenarioFault::Router(router), images }
        };
        std::iter::once(Self::nominal()).chain(symmetry.canonical_nodes().map(fault)).collect()
    }

    /// The faults of single cables of a folded Clos network, one for each class.
    fn of_cables(topology: &Topology, shifts: &ClosShifts<'_>) -> Vec<Self> {
        let faults = topology.links().enumerate().map(|(id, link)| {
            let place = shifts.clos.cable_digits(link.a.node.0, link.a.port.0);
            (place, link_name(topology, id), ScenarioFault::Link(id))
        });
        Self::by_class(shifts, faults)
    }

    /// The faults of single switches of a folded Clos network, one for each class.
    fn of_switches(topology: &Topology, shifts: &ClosShifts<'_>) -> Vec<Self> {
        let faults = topology.nodes().map(|switch| {
            (shifts.clos.switch_digits(switch.0), topology.name(switch), ScenarioFault::Router(switch))
        });
        Self::by_class(shifts, faults)
    }

    /// The healthy fabric, then the first of every class of faults. The others of a class are its images. A
    /// fault is given by the tier and digits of what fails, and by its name.
    fn by_class(
        shifts: &ClosShifts<'_>,
        faults: impl Iterator<Item = ((usize, Vec<StageDigits>), String, ScenarioFault)>,
    ) -> Vec<Self> {
        let mut scenarios = vec![Self::nominal()];
        let mut classes: BTreeMap<(usize, Vec<StageDigits>), usize> = BTreeMap::new();
        for ((tier, digits), name, fault) in faults {
            let (class, shift) = shifts.split(&digits);
            let scenario = *classes.entry((tier, class)).or_insert(scenarios.len());
            match scenarios.get_mut(scenario) {
                Some(first) => {
                    first.images.push(Image { scenario: name, symmetry: FaultSymmetry::Shift(shift) });
                }
                None => scenarios.push(Self { name, fault, images: Vec::new() }),
            }
        }
        scenarios
    }

    /// Whether this is the healthy fabric.
    pub fn is_nominal(&self) -> bool {
        self.fault == ScenarioFault::None
    }
    /// The fault in words: `a dark X[0,0]`, `a dark link cube0[1,2,3].+x`, `a dead chip cube0[1,2,3]`,
    /// `a dead router group3[1]`.
    pub fn describe(&self, fabric: &Fabric) -> String {
        let kind = match self.fault {
            ScenarioFault::None | ScenarioFault::Switches(_) => "dark".to_owned(),
            ScenarioFault::Link(_) => "dark link".to_owned(),
            ScenarioFault::Router(_) => format!("dead {}", fabric.plant.router_word()),
        };
        format!("a {kind} {}", self.name)
    }
    /// The name as part of a file name: `X_0_0`, `X_0_0+Y_1_2`, `cube0_1_2_3.+x`, `cube0_1_2_3`.
    pub fn file_stem(&self) -> String {
        file_stem(&self.name)
    }
    /// Number of sets of OCSes that keep all their fibers.
    pub fn intact_sets(
        &self,
        sets: &[Vec<OcsId>],
        scene: &Scene<'_>,
        cross_connects: &CrossConnects,
    ) -> usize {
        let dark = self.fault.switches();
        let keeps_fibers = |ocs: &OcsId| {
            !dark.contains(ocs)
                && cross_connects.settings[*ocs].iter().all(|setting| scene.is_lit(setting.link))
        };
        sets.iter().filter(|set| set.iter().all(keeps_fibers)).count()
    }
}

/// The name of the fault of a link: its smaller end.
fn link_name(topology: &Topology, link: LinkId) -> String {
    let end = topology.links()[link].a;
    format!("{}.{}", topology.name(end.node), topology.names().port(end.port))
}

/// Element `g` of the topology's symmetry.
fn block_images(topology: &Topology, g: usize) -> FaultSymmetry {
    let symmetry = topology.symmetry();
    let image = |block| symmetry.image_block(g, BlockId::new(block));
    FaultSymmetry::Blocks((0..symmetry.blocks()).map(image).collect())
}
