//! Weights of next hops by capacity (WCMP).
//!
//! Input: a scene and its group tables, whose members count alike. Output: the same groups with weights. The
//! weight of a member is what it can still carry to the destination. That is the capacity of its channel,
//! times the share of its traffic that the router behind it can send on: `min(1, carried / entering)`.
//! *Carried* is the sum over the members of that router of the lesser of the capacity of the channel and what
//! the next router carries. *Entering* is the capacity of all channels of groups that lead to that router.
//! The destination takes everything. Without faults the members of a Clos network have equal weights.
//!
//! Source: J. Zhou and others, "WCMP: Weighted Cost Multipathing for Improved Fairness in Data Centers",
//! EuroSys 2014, whose weights are numbers of paths.

use fabc_base::divisors::{greatest_common_divisor, least_common_multiple};
use fabc_base::ids::{ChannelId, Id, NodeId, PortId};
use fabc_ir::{GroupMembers, GroupTables, GroupTablesBuilder, Scene};
use rayon::prelude::*;

/// What the groups to one destination carry.
struct Carried<'a> {
    scene: &'a Scene<'a>,
    tables: &'a GroupTables,
    destination: NodeId,
    /// `[router]`: what it can send on. `None` before it is known.
    carried: Vec<Option<u64>>,
    /// `[router]`: the capacity of the channels of groups that lead to it.
    entering: Vec<u64>,
}

/// The tables with weights. `None` if a weight exceeds 32 bits.
pub fn by_capacity(scene: &Scene<'_>, tables: &GroupTables) -> Option<GroupTables> {
    let topology = scene.topology;
    let endpoints: Vec<NodeId> = topology.endpoints().collect();
    // `[endpoint][router]`
    let weights: Vec<Vec<Vec<u32>>> = endpoints
        .par_iter()
        .map(|&destination| Carried::new(scene, tables, destination).weights())
        .collect::<Option<_>>()?;
    let mut weighted = GroupTablesBuilder::default();
    for router in topology.nodes() {
        let groups = endpoints.iter().zip(&weights).map(|(&destination, weights)| {
            let ports = tables.group(router, destination);
            (destination, GroupMembers { ports, weights: &weights[router.index()] })
        });
        let reached = groups.filter(|(_, members)| !members.ports.is_empty());
        weighted.push_router(reached, |node| topology.is_endpoint(node));
    }
    Some(GroupTables { relays: tables.relays.clone(), ..weighted.finish(&tables.scenario) })
}

impl<'a> Carried<'a> {
    fn new(scene: &'a Scene<'a>, tables: &'a GroupTables, destination: NodeId) -> Self {
        let count = scene.topology.node_count();
        let mut carried =
            Self { scene, tables, destination, carried: vec![None; count], entering: vec![0; count] };
        carried.carried[destination.index()] = Some(u64::MAX);
        for router in scene.topology.nodes() {
            for channel in carried.channels(router) {
                let next = scene.topology.target(channel).node;
                carried.entering[next.index()] += scene.topology.channel_capacity(channel);
            }
        }
        for router in scene.topology.nodes() {
            carried.carry(router);
        }
        carried
    }

    /// The channels of the group of a router.
    fn channels(&self, router: NodeId) -> Vec<ChannelId> {
        let ports = self.tables.group(router, self.destination).iter();
        ports.filter_map(|&port| self.scene.outgoing(router, PortId(port))).collect()
    }

    /// Finds what a router carries. Routes have few hops, so the recursion is not deep.
    fn carry(&mut self, router: NodeId) -> u64 {
        if let Some(known) = self.carried[router.index()] {
            return known;
        }
        let mut sum = 0;
        for channel in self.channels(router) {
            let behind = self.carry(self.scene.topology.target(channel).node);
            sum += behind.min(self.scene.topology.channel_capacity(channel));
        }
        self.carried[router.index()] = Some(sum);
        sum
    }

    /// `[router]`: the weights of its group, empty where they are equal. `None` beyond 32 bits.
    fn weights(&self) -> Option<Vec<Vec<u32>>> {
        self.scene.topology.nodes().map(|router| self.weights_of(router)).collect()
    }

    fn weights_of(&self, router: NodeId) -> Option<Vec<u32>> {
        // Ratios: capacity times carried, over entering.
        let ratios: Vec<(u128, u128)> = self
            .channels(router)
            .into_iter()
            .map(|channel| {
                let next = self.scene.topology.target(channel).node.index();
                let capacity = u128::from(self.scene.topology.channel_capacity(channel));
                let carried = u128::from(self.carried[next].unwrap_or(0));
                let entering = u128::from(self.entering[next]);
                if carried >= entering { (capacity, 1) } else { (capacity * carried, entering) }
            })
            .collect();
        let common = ratios
            .iter()
            .try_fold(1u128, |common, (_, entering)| least_common_multiple(common, *entering, u128::MAX))?;
        let scaled: Vec<u128> = ratios
            .iter()
            .map(|(carried, entering)| carried.checked_mul(common / entering))
            .collect::<Option<_>>()?;
        let shared = scaled.iter().copied().fold(0, greatest_common_divisor);
        if scaled.iter().all(|&weight| weight == shared) {
            return Some(Vec::new());
        }
        scaled.into_iter().map(|weight| u32::try_from(weight / shared).ok()).collect()
    }
}
