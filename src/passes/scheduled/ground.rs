//! What plans of vectors stand on: chips up to symmetry, and the channels that leave them.
//!
//! In: a scene. Out: its canonical chips with their outputs, and every router's neighbors. Where the scene
//! does not keep the symmetry of its topology, or a plan cannot, every chip is canonical. Channels are
//! numbered through, by canonical chip and port: a *lane* stands for the channels of all images of its chip,
//! which do the same in the same cycle.

use super::error::ScheduledError;
use super::list::Ends;
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::{Breadth, Neighbors, Scene, Symmetry};

/// A channel that leaves a canonical chip.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane {
    /// The class of the chip.
    pub(super) from: usize,
    /// By which port it leaves.
    pub(super) port: PortId,
    /// Where it leads.
    pub(super) to: NodeId,
    /// The class of that.
    pub(super) class: usize,
    /// The element that takes the canonical chip of that class there.
    pub(super) element: usize,
    /// The port by which it comes in there, and by which the channel back leaves.
    pub(super) back: PortId,
}

/// A scene as plans of vectors see it.
pub(super) struct Ground<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) symmetry: Symmetry,
    /// `[class]`: the canonical routers.
    pub(super) chips: Vec<NodeId>,
    /// By chip and port.
    pub(super) lanes: Vec<Lane>,
    /// `[lane]`: the class of the chip that it leads to.
    to: Vec<u32>,
    /// `[class]`: where its lanes start; one more at the end.
    starts: Vec<usize>,
    /// Chips that take part, by number.
    pub(super) living: Vec<NodeId>,
    /// `[router]`: whether it is one of them.
    lives: Vec<bool>,
}

impl<'a> Ground<'a> {
    /// A scene, under its symmetry unless that is not wanted; `members` take part, or all chips.
    ///
    /// # Errors
    /// Chips that do not reach each other, links that run one way or carry unlike, routers that only forward,
    /// fewer than two chips.
    pub(super) fn new(
        scene: &'a Scene<'a>,
        symmetric: bool,
        members: Option<&[NodeId]>,
    ) -> Result<Self, ScheduledError> {
        let topology = scene.topology;
        let living: Vec<NodeId> = members.map_or_else(|| scene.endpoints().collect(), <[NodeId]>::to_vec);
        admitted(scene, &living)?;
        let mut lives = vec![false; topology.node_count()];
        living.iter().for_each(|chip| lives[chip.index()] = true);
        let whole = topology.endpoints().count() == topology.node_count();
        let kept = symmetric && whole && scene.keeps_symmetry();
        let symmetry = if kept { topology.symmetry().clone() } else { topology.symmetry().without() };
        let chips: Vec<NodeId> = symmetry.canonical_nodes().collect();
        let (mut lanes, mut starts) = (Vec::new(), vec![0]);
        for (from, &chip) in chips.iter().enumerate() {
            for channel in scene.channels_from(chip) {
                let end = topology.target(channel);
                let (class, element) = (symmetry.class(end.node), symmetry.element_to(end.node));
                lanes.push(Lane {
                    from,
                    port: topology.source(channel).port,
                    to: end.node,
                    class,
                    element,
                    back: end.port,
                });
            }
            starts.push(lanes.len());
        }
        let to = lanes.iter().map(|lane: &Lane| lane.class as u32).collect();
        Ok(Self { scene, symmetry, chips, lanes, to, starts, living, lives })
    }

    /// Whether canonical chips stand for others.
    pub(super) fn is_canonical(&self) -> bool {
        !self.symmetry.is_trivial()
    }
    /// Routers, spare ones too.
    pub(super) fn nodes(&self) -> usize {
        self.scene.topology.node_count()
    }
    /// Lanes by the classes at their ends.
    pub(super) fn ends(&self) -> Ends<'_> {
        Ends { starts: &self.starts, to: &self.to }
    }
    /// The lanes of a class.
    pub(super) fn lanes_of(&self, class: usize) -> std::ops::Range<usize> {
        self.starts[class]..self.starts[class + 1]
    }
    /// The lane of a class by a port.
    pub(super) fn lane(&self, class: usize, port: PortId) -> usize {
        self.find_lane(class, port).expect("channels run both ways")
    }
    /// The same, if it is lit.
    pub(super) fn find_lane(&self, class: usize, port: PortId) -> Option<usize> {
        let found = self.lanes[self.lanes_of(class)].binary_search_by_key(&port, |lane| lane.port);
        Some(self.starts[class] + found.ok()?)
    }
    /// Whether a router takes part.
    pub(super) fn lives(&self, node: NodeId) -> bool {
        self.lives[node.index()]
    }
    /// The lane of a router, and where it leads from there.
    pub(super) fn leave(&self, node: NodeId, lane: usize) -> NodeId {
        self.symmetry.image(self.symmetry.element_to(node), self.lanes[lane].to)
    }
    /// What a vector that a chip's number is part of is called where an element has taken that chip home:
    /// `vectors` of every router are numbered together.
    pub(super) fn taken_home(&self, element: usize, vector: u64, vectors: u64) -> u64 {
        self.image(self.symmetry.inverse(element), vector, vectors)
    }
    /// The image of such a vector.
    pub(super) fn image(&self, element: usize, vector: u64, vectors: u64) -> u64 {
        if element == 0 {
            return vector;
        }
        let node = NodeId((vector / vectors) as u32);
        u64::from(self.symmetry.image(element, node).0) * vectors + vector % vectors
    }
    /// `[router]`: hops from a router along lit channels.
    pub(super) fn hops_from(&self, node: NodeId) -> Vec<u32> {
        let mut breadth = Breadth::default();
        Neighbors::out_of(self.scene).search(node, &mut breadth);
        breadth.hops
    }
}

/// Refuses what no plan is made for.
fn admitted(scene: &Scene<'_>, living: &[NodeId]) -> Result<(), ScheduledError> {
    let topology = scene.topology;
    let chips = living.len();
    let touched = |node: NodeId| scene.channels_from(node).next().is_some();
    if let Some(router) = topology.nodes().find(|&node| !topology.is_endpoint(node) && touched(node)) {
        return Err(ScheduledError::Forwards { router: topology.name(router) });
    }
    if chips < 2 {
        return Err(ScheduledError::TooFew { chips });
    }
    if let Some(link) = scene.one_way() {
        return Err(ScheduledError::Simplex { link: topology.link_name(link) });
    }
    if let Some(links) = scene.unlike() {
        let [one, other] = links.map(|link| topology.link_name(link));
        return Err(ScheduledError::Uneven { one, other });
    }
    let start = living.first().copied().unwrap_or(NodeId(0));
    let seen = topology.reachable(start, |link| scene.is_lit(link));
    match living.iter().find(|node| !seen.contains(node.index())) {
        Some(&lost) => {
            Err(ScheduledError::Disconnected { from: topology.name(start), to: topology.name(lost) })
        }
        None => Ok(()),
    }
}
