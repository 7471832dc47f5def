//! The verdict on tables: delivery, loads, latencies and deadlock freedom from one walk.

use crate::conviction::{Conviction, TableConviction, TableFault};
use crate::deadlock::{self, DeadlockFree, ranks_rise};
use crate::dependencies::Dependencies;
use crate::distances::check_shortest_hops;
use crate::forwarding::Forwarding;
use crate::lit_graph::{expect_length, expect_lit};
use crate::network::PortGraph;
use crate::symmetry;
use crate::table::LookupTable;
use crate::tally::{FailedWalk, Walked};
use crate::walker::Walker;
use fabc_topology::ids::{ChannelId, Id, IdVec, PortId};
use fabc_topology::{Demand, ForwardingTables, Scene, Symmetry, Walk};
use std::collections::BTreeMap;

/// What tables are judged against.
pub struct Judged<'a> {
    /// The topology, which of its links are lit, and its dead routers.
    pub scene: &'a Scene<'a>,
    /// How much each ordered pair of routers sends.
    pub demand: &'a Demand,
    /// `[channel]`: cycles that a flit takes through a router and over the channel behind it.
    pub hop_cycles: &'a IdVec<ChannelId, u64>,
    /// The most virtual channels that tables may use.
    pub vcs: u8,
    /// Whether every route must be a shortest one.
    pub shortest: bool,
}

/// How much a hop over each output port counts.
pub(crate) struct SlotCosts {
    /// `[slot]`: load that a route of weight 1 puts on the channel, in parts of a unit.
    pub slowness: Vec<u64>,
    /// `[slot]`: cycles of a flit over the channel and through the router before it.
    pub cycles: Vec<u64>,
}

impl Judged<'_> {
    pub(crate) fn slot_costs(&self) -> SlotCosts {
        let topology = self.scene.topology;
        let channels = || {
            topology.nodes().flat_map(|node| {
                (0..topology.ports()).map(move |port| topology.outgoing(node, PortId::new(port)))
            })
        };
        let cycles_of = |channel| self.hop_cycles[channel];
        SlotCosts {
            slowness: channels().map(|channel| channel.map_or(1, |id| topology.slowness(id))).collect(),
            cycles: channels().map(|channel| channel.map_or(0, cycles_of)).collect(),
        }
    }
}

const TOO_LARGE: &str =
    "between the channels of this network more dependencies are possible than memory can hold";

/// Walks the tables for every ordered pair of living routers, and proves that the ranks rise along every
/// dependency. A dead router must have no tables.
///
/// `ranks` is `[channel class * vcs + vc]` under the symmetry of the tables.
///
/// # Errors
/// The first entry that no router can follow, the first pair whose packets do not arrive, or the first
/// dependency whose rank does not rise. Also lists of wrong lengths and a symmetry that does not hold.
pub fn judge(
    judged: &Judged<'_>,
    tables: &ForwardingTables,
    ranks: &[u32],
) -> Result<(Walk, DeadlockFree), TableConviction> {
    let (scene, topology, symmetry) = (judged.scene, judged.scene.topology, &tables.symmetry);
    expect_lit(scene)?;
    expect_length("cycles", "channels", judged.hop_cycles.len(), topology.channel_count())?;
    let shape =
        |what: String| TableConviction::Other(Conviction::Shape { subject: tables.scenario.clone(), what });
    if tables.vcs == 0 || tables.vcs > judged.vcs {
        return Err(shape(format!(
            "the tables use {} virtual channels, but there are {}",
            tables.vcs, judged.vcs
        )));
    }
    symmetry::check_lit_automorphisms(scene, symmetry)?;
    symmetry::check_demand_symmetry(symmetry, judged.demand)?;
    if !scene.dead.is_empty() && !symmetry.is_trivial() {
        return Err(Conviction::symmetry("a dead router leaves none").into());
    }
    expect_length(
        &format!("tables of {}", tables.scenario),
        "routers",
        tables.routers.len(),
        symmetry.class_count(),
    )?;
    let forwarding = Forwarding::new(scene, tables)?;
    let network = PortGraph::of_topology(topology);
    let SlotCosts { slowness, cycles } = judged.slot_costs();
    let walker = Walker {
        network: &network,
        table: &forwarding,
        symmetry,
        destinations: symmetry.canonical_nodes().map(Id::index).collect(),
        sends: topology.nodes().map(|node| scene.is_endpoint(node)).collect(),
        weight: |source, destination| u64::from(judged.demand.weight(Id::new(source), Id::new(destination))),
        slowness,
        cycles,
    };
    let Some(dependencies) = Dependencies::new(&network, symmetry, usize::from(tables.vcs)) else {
        return Err(shape(TOO_LARGE.to_owned()));
    };
    let walked = walker.walk(&dependencies).map_err(|failed| {
        walker
            .first_fault(&failed)
            .map_or_else(|| shape("the walk failed without a reason".to_owned()), TableConviction::Fault)
    })?;
    let walk = over_all_images(walked, scene, tables);
    if judged.shortest {
        check_shortest_hops(scene, &walk.route_hops)?;
    }
    let proof = ranks_rise(&walker, &dependencies, ranks, &format!("ranks of {}", tables.scenario))?;
    Ok((walk, proof))
}

/// Extends the sums of a walk from the canonical routers to all routers.
fn over_all_images(walked: Walked, scene: &Scene<'_>, tables: &ForwardingTables) -> Walk {
    let (topology, symmetry) = (scene.topology, &tables.symmetry);
    let order = symmetry.order() as u64;
    let mut histogram: BTreeMap<u64, u64> = BTreeMap::new();
    for channel in scene.channels() {
        *histogram.entry(walked.loads[topology.channel_class(symmetry, channel).index()]).or_default() += 1;
    }
    let sizes = || tables.routers.iter().map(|entries| entries.len() as u64);
    Walk {
        shares: 1,
        loads: walked.loads,
        load_histogram: histogram.into_iter().collect(),
        vc_hops: walked.vc_hops.into_iter().map(|hops| hops * order).collect(),
        route_hops: walked.route_hops.into_iter().map(|pairs| pairs * order).collect(),
        cycles_total: walked.cycles_total,
        cycles_most: walked.cycles_most,
        entries_max: sizes().max().unwrap_or(0),
        entries_total: sizes().sum::<u64>() * order,
    }
}

/// What a walk of third-party tables found.
pub struct ThirdParty {
    /// Sums over all pairs. Loads are by slot.
    pub walked: Walked,
    /// The number of dependencies: pairs of (channel, virtual channel) of which one waits for the other. They
    /// close no cycle.
    pub dependencies: u64,
}

/// Why third-party tables are not accepted.
pub enum Rejection {
    /// There are more possible dependencies than memory can hold.
    TooLarge,
    /// Some packets do not arrive, or channels can wait for each other in a cycle.
    Faulty {
        /// The number of ordered pairs whose packets do not arrive.
        lost: u64,
        /// The number of all ordered pairs.
        pairs: u64,
        /// A lost pair, a looping pair and a deadlock: the first of each that exists.
        faults: Vec<TableFault>,
    },
}

/// Walks third-party tables for every ordered pair of endpoints, and looks for a deadlock. It takes no
/// symmetry and no ranks on trust. `weight` is the weight of an ordered pair (source, destination).
///
/// # Errors
/// [`Rejection::TooLarge`] if the dependencies would not fit in memory. [`Rejection::Faulty`] with the pairs
/// that do not arrive, and with a shortest cycle of channels that arriving packets can close.
pub fn judge_third_party(
    network: &PortGraph,
    table: &dyn LookupTable,
    weight: impl Fn(usize, usize) -> u64 + Sync,
) -> Result<ThirdParty, Rejection> {
    let symmetry = Symmetry::trivial(1, network.routers() as u32);
    let endpoints = network.endpoints.len();
    let walker = Walker {
        network,
        table,
        symmetry: &symmetry,
        destinations: (0..endpoints).collect(),
        sends: vec![true; endpoints],
        weight,
        slowness: vec![1; network.next.len()],
        cycles: vec![0; network.next.len()],
    };
    let empty = || Dependencies::new(network, &symmetry, table.vcs()).ok_or(Rejection::TooLarge);
    let dependencies = empty()?;
    let walked = walker.walk(&dependencies);
    // A walk that failed has noted dependencies of packets that do not arrive.
    let dependencies = if walked.is_err() { empty()? } else { dependencies };
    if walked.is_err() {
        walker.visit_dependencies(&dependencies, |number, _, _| {
            dependencies.insert(number);
            true
        });
    }
    let cycle = deadlock::shortest_cycle(&dependencies)
        .map(|cycle| deadlock::deadlock_fault(&walker, &dependencies, &cycle));
    match (walked, cycle) {
        (Ok(walked), None) => Ok(ThirdParty { walked, dependencies: dependencies.count() }),
        (walked, cycle) => {
            let failed = walked.err().unwrap_or_default();
            let FailedWalk { lost, first_lost, first_looping, .. } = failed;
            let pairs = (endpoints * endpoints.saturating_sub(1)) as u64;
            let faults = first_lost
                .map(|pair| walker.lost_fault(pair))
                .into_iter()
                .chain(first_looping.map(|pair| walker.looping_fault(pair)));
            Err(Rejection::Faulty { lost, pairs, faults: faults.chain(cycle).collect() })
        }
    }
}
