//! The chips of a scene up to symmetry, and the channels that leave them.
//!
//! Input: a scene. Output: its canonical chips with their outputs. Where the scene or the schedule does not
//! keep the symmetry of the topology, every chip is canonical. Channels are numbered by canonical chip and
//! port. A *lane* is such a number. It stands for the channels of all images of its chip, which do the same
//! in the same cycle.

use super::error::ScheduledError;
use super::list::LaneEnds;
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::{Breadth, Neighbors, Scene, Symmetry};

/// A channel that leaves a canonical chip.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputLane {
    /// The class of the chip.
    pub(super) from: usize,
    /// The port by which the channel leaves.
    pub(super) port: PortId,
    /// The router that it leads to.
    pub(super) to: NodeId,
    /// The class of that router.
    pub(super) class: usize,
    /// The symmetry element that takes the canonical chip of that class to this router.
    pub(super) element: usize,
    /// The input port there. The reverse channel leaves by the same port.
    pub(super) back: PortId,
}

/// The chips and channels of a scene, up to symmetry.
pub(super) struct LaneGraph<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) symmetry: Symmetry,
    /// `[class]`: the canonical router of the class.
    pub(super) chips: Vec<NodeId>,
    /// All lanes, sorted by chip and port.
    pub(super) lanes: Vec<OutputLane>,
    /// `[lane]`: the class of the chip that it leads to.
    to: Vec<u32>,
    /// `[class]`: index of its first lane, with one more entry at the end.
    starts: Vec<usize>,
    /// Chips that take part, ascending.
    pub(super) participants: Vec<NodeId>,
    /// `[router]`: whether it takes part.
    takes_part: Vec<bool>,
}

impl<'a> LaneGraph<'a> {
    /// The graph of a scene, with its symmetry if `symmetric`. The `members` take part, or all chips.
    ///
    /// # Errors
    /// Refuses chips that do not reach each other, simplex links, links of different bandwidths, routers that
    /// only forward, and fewer than two chips.
    pub(super) fn new(
        scene: &'a Scene<'a>,
        symmetric: bool,
        members: Option<&[NodeId]>,
    ) -> Result<Self, ScheduledError> {
        let topology = scene.topology;
        let participants: Vec<NodeId> =
            members.map_or_else(|| scene.endpoints().collect(), <[NodeId]>::to_vec);
        check_plannable(scene, &participants)?;
        let mut takes_part = vec![false; topology.node_count()];
        participants.iter().for_each(|chip| takes_part[chip.index()] = true);
        let all_endpoints = topology.endpoints().count() == topology.node_count();
        let keeps_symmetry = symmetric && all_endpoints && scene.keeps_symmetry();
        let symmetry =
            if keeps_symmetry { topology.symmetry().clone() } else { topology.symmetry().to_trivial() };
        let chips: Vec<NodeId> = symmetry.canonical_nodes().collect();
        let (mut lanes, mut starts) = (Vec::new(), vec![0]);
        for (from, &chip) in chips.iter().enumerate() {
            for channel in scene.channels_from(chip) {
                let target = topology.target(channel);
                let (class, element) = (symmetry.class(target.node), symmetry.element_to(target.node));
                lanes.push(OutputLane {
                    from,
                    port: topology.source(channel).port,
                    to: target.node,
                    class,
                    element,
                    back: target.port,
                });
            }
            starts.push(lanes.len());
        }
        let to = lanes.iter().map(|lane: &OutputLane| lane.class as u32).collect();
        Ok(Self { scene, symmetry, chips, lanes, to, starts, participants, takes_part })
    }

    /// Whether canonical chips stand for others.
    pub(super) fn is_canonical(&self) -> bool {
        !self.symmetry.is_trivial()
    }
    /// Number of routers, spare ones included.
    pub(super) fn nodes(&self) -> usize {
        self.scene.topology.node_count()
    }
    /// The chips at the ends of all lanes.
    pub(super) fn lane_ends(&self) -> LaneEnds<'_> {
        LaneEnds { starts: &self.starts, to: &self.to }
    }
    /// The lanes of a class.
    pub(super) fn lanes_of(&self, class: usize) -> std::ops::Range<usize> {
        self.starts[class]..self.starts[class + 1]
    }
    /// The lane of a class at a port, which must be lit.
    pub(super) fn lane(&self, class: usize, port: PortId) -> usize {
        self.find_lane(class, port).expect("channels run both ways")
    }
    /// The lane of a class at a port, if it is lit.
    pub(super) fn find_lane(&self, class: usize, port: PortId) -> Option<usize> {
        let position = self.lanes[self.lanes_of(class)].binary_search_by_key(&port, |lane| lane.port);
        Some(self.starts[class] + position.ok()?)
    }
    /// Whether a router takes part.
    pub(super) fn takes_part(&self, node: NodeId) -> bool {
        self.takes_part[node.index()]
    }
    /// The router that a lane of `node` leads to.
    pub(super) fn target_of(&self, node: NodeId, lane: usize) -> NodeId {
        self.symmetry.image(self.symmetry.element_to(node), self.lanes[lane].to)
    }
    /// The number of a vector after the inverse of an element was applied, which takes a chip to its
    /// canonical one. Each router has `vectors` consecutive numbers.
    pub(super) fn rename_at_home(&self, element: usize, vector: u64, vectors: u64) -> u64 {
        self.image(self.symmetry.inverse(element), vector, vectors)
    }
    /// The number of the image of a vector under an element.
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

/// Refuses scenes in which no vectors can be scheduled.
fn check_plannable(scene: &Scene<'_>, participants: &[NodeId]) -> Result<(), ScheduledError> {
    let topology = scene.topology;
    let chips = participants.len();
    let is_wired = |node: NodeId| scene.channels_from(node).next().is_some();
    if let Some(router) = topology.nodes().find(|&node| !topology.is_endpoint(node) && is_wired(node)) {
        return Err(ScheduledError::Forwards { router: topology.name(router) });
    }
    if chips < 2 {
        return Err(ScheduledError::TooFew { chips });
    }
    if let Some(link) = scene.first_simplex() {
        return Err(ScheduledError::Simplex { link: topology.link_name(link) });
    }
    if let Some(links) = scene.unequal_links() {
        let [first, other] = links.map(|link| topology.link_name(link));
        return Err(ScheduledError::Uneven { one: first, other });
    }
    let start = participants.first().copied().unwrap_or(NodeId(0));
    let reached = topology.reachable(start, |link| scene.is_lit(link));
    match participants.iter().find(|node| !reached.contains(node.index())) {
        Some(&unreached) => {
            Err(ScheduledError::Disconnected { from: topology.name(start), to: topology.name(unreached) })
        }
        None => Ok(()),
    }
}
