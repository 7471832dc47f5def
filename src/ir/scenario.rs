//! What has failed: some OCSes, a link, or a chip.

use super::{CrossConnects, Topology};
use crate::ids::{CubeId, Id, IdVec, LinkId, NodeId, OcsId};
use crate::model::{Fabric, Faults, file_stem};
use std::collections::BTreeSet;

/// The healthy pod, or one tolerated fault and the faults that are its images under the symmetry of the topology.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scenario {
    /// `nominal`, `X[0,0]`, `X[0,0]+Y[1,2]`, `cube0[1,2,3].+x` (a link, by its smaller end) or `cube0[1,2,3]` (a chip).
    pub name: String,
    /// Dark OCSes, ascending.
    pub dark: Vec<OcsId>,
    /// The dark link.
    pub link: Option<LinkId>,
    /// The dead chip.
    pub chip: Option<NodeId>,
    /// The other faults that this one stands for.
    pub images: Vec<Image>,
}

/// A fault that is the image of another one: its tables are theirs with every router and destination carried along.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    /// Its name.
    pub scenario: String,
    /// `[cube]`: where the symmetry takes each cube.
    pub cubes: Vec<CubeId>,
}

impl Scenario {
    /// The healthy pod.
    pub fn nominal() -> Self {
        Self { name: "nominal".to_owned(), dark: Vec::new(), link: None, chip: None, images: Vec::new() }
    }
    /// Nominal first, then every tolerated fault: sets of OCSes by size, then by id; links and chips by id, of all images of one another the first.
    pub fn all(fabric: &Fabric, topology: &Topology) -> Vec<Self> {
        match fabric.budget.faults {
            Faults::Ocses(most) => Self::of_ocses(fabric, most),
            Faults::Link => Self::of_links(topology),
            Faults::Chip => Self::of_chips(topology),
        }
    }

    /// As [`Scenario::all`] for dark OCSes, which need no topology.
    pub fn of_ocses(fabric: &Fabric, most: u32) -> Vec<Self> {
        let mut all = vec![Self::nominal()];
        let Some(pod) = fabric.pod() else { return all };
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
            all.extend(previous.iter().map(|dark| Self {
                name: dark.iter().map(|&id| pod.ocses[id].name.as_str()).collect::<Vec<_>>().join("+"),
                dark: dark.clone(),
                ..Self::nominal()
            }));
        }
        all
    }

    fn of_links(topology: &Topology) -> Vec<Self> {
        let symmetry = topology.symmetry();
        let name = |link: LinkId| {
            let end = topology.links()[link].a;
            format!("{}.{}", topology.name(end.node), topology.names().port(end.port))
        };
        let mut seen = BTreeSet::new();
        let mut all = vec![Self::nominal()];
        for (id, link) in topology.links().enumerate() {
            if !seen.insert(id) {
                continue;
            }
            let mut scenario = Self { name: name(id), link: Some(id), ..Self::nominal() };
            for g in 1..symmetry.order() {
                let image = topology.outgoing(symmetry.image(g, link.a.node), link.a.port).map(|channel| channel.link());
                if let Some(image) = image.filter(|&image| seen.insert(image)) {
                    scenario.images.push(Image { scenario: name(image), cubes: moves(topology, g) });
                }
            }
            all.push(scenario);
        }
        all
    }

    fn of_chips(topology: &Topology) -> Vec<Self> {
        let symmetry = topology.symmetry();
        let fault = |chip: NodeId| {
            let image = |g| Image { scenario: topology.name(symmetry.image(g, chip)), cubes: moves(topology, g) };
            let images = (1..symmetry.order()).map(image).collect();
            Self { name: topology.name(chip), chip: Some(chip), images, ..Self::nominal() }
        };
        std::iter::once(Self::nominal()).chain(symmetry.canonical_nodes().map(fault)).collect()
    }

    /// Whether this is the healthy pod.
    pub fn is_nominal(&self) -> bool {
        self.dark.is_empty() && self.link.is_none() && self.chip.is_none()
    }
    /// `a dark X[0,0]`, `a dark link cube0[1,2,3].+x`, `a dead chip cube0[1,2,3]`.
    pub fn fault(&self) -> String {
        let what = if self.chip.is_some() {
            "a dead chip "
        } else if self.link.is_some() {
            "a dark link "
        } else {
            "a dark "
        };
        format!("{what}{}", self.name)
    }
    /// Number of routers that send and receive.
    pub fn served(&self, topology: &Topology) -> usize {
        topology.endpoints().filter(|&node| Some(node) != self.chip).count()
    }
    /// The name as part of a file name: `X_0_0`, `X_0_0+Y_1_2`, `cube0_1_2_3.+x`, `cube0_1_2_3`.
    pub fn file_stem(&self) -> String {
        file_stem(&self.name)
    }
    /// Which links are lit.
    pub fn alive(&self, topology: &Topology, cross_connects: Option<&CrossConnects>) -> IdVec<LinkId, bool> {
        let lit = |(id, link): (LinkId, &super::Link)| {
            self.link != Some(id)
                && self.chip.is_none_or(|chip| link.a.node != chip && link.b.node != chip)
                && cross_connects.and_then(|cross_connects| cross_connects.ocs_of[id]).is_none_or(|ocs| !self.dark.contains(&ocs))
        };
        topology.links().enumerate().map(lit).collect()
    }
    /// How many sets of OCSes keep all their fibres.
    pub fn intact(&self, sets: &[Vec<OcsId>], alive: &IdVec<LinkId, bool>, cross_connects: &CrossConnects) -> usize {
        let whole = |&ocs: &OcsId| !self.dark.contains(&ocs) && cross_connects.settings[ocs].iter().all(|setting| alive[setting.link]);
        sets.iter().filter(|set| set.iter().all(whole)).count()
    }
}

/// Where an element of the topology's symmetry takes each cube.
fn moves(topology: &Topology, g: usize) -> Vec<CubeId> {
    let symmetry = topology.symmetry();
    (0..symmetry.cubes()).map(|cube| symmetry.image_cube(g, CubeId::new(cube))).collect()
}
