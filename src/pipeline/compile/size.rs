//! Estimates the memory and the work of a build before it begins. A build that is too large is refused with
//! its place in the spec. It never ends in an abort or in days of silence.
//!
//! In: a fabric, later its topology. Out: nothing, or a [`TooLarge`]. The estimates count what grows faster
//! than the fabric: pairs of cubes (the symmetry), pairs of switches and cubes (the trees), pairs of
//! canonical chips and chips (flow, routes, tables), and scenarios. They are based on measurements
//! (`docs/benchmarks.md`) and are up to three times too high. They know nothing of the machine, so the
//! verdict is the same everywhere. For a network, read routers for chips.

use super::Stage;
use fabc_base::diag::{Failure, Span};
use fabc_base::limits::{BUILD_BYTES, FLOW_ENTRIES, GRAPH_STEPS, ROUTERS};
use fabc_emit::compiled::CompiledPod;
use fabc_ir::{Distances, LinkClass, Topology};
use fabc_model::{Fabric, Faults, Plant, Pod, RoutingChoice, SymmetryChoice, TopologyChoice};
use fabc_passes::route::RouteError;
use miette::Diagnostic;
use thiserror::Error;

/// FAB0206: a build that would take too much memory.
#[derive(Debug, Error, Diagnostic)]
#[error("{what} would take about {need} of memory, at most {most} are allowed")]
#[diagnostic(code(FAB0206), help("{help}"))]
pub struct TooMuchMemory {
    /// The part of the build, in words.
    what: Box<str>,
    /// The estimate, with its unit.
    need: Box<str>,
    /// The limit, with its unit.
    most: Box<str>,
    /// What the user can do.
    help: Box<str>,
    /// The choice in the spec that makes the build so large.
    #[label("{reason}")]
    span: Span,
    /// The size that causes it, in words.
    reason: Box<str>,
}

/// FAB0209: a network that would take too long to measure.
#[derive(Debug, Error, Diagnostic)]
#[error(
    "the analysis of this network of {routers} routers would take about {looks} looks at a channel, at most {most} are allowed"
)]
#[diagnostic(
    code(FAB0209),
    help(
        "the analysis searches from every router: use a smaller network, or one with fewer links{described}"
    )
)]
pub struct TooMuchWork {
    routers: u64,
    looks: u64,
    most: u64,
    #[label("{reason}")]
    span: Span,
    /// The size that causes it, in words.
    reason: Box<str>,
    /// A hint at what fabc can tell about the network nevertheless.
    described: &'static str,
}

/// The reason why a build is refused before it begins.
#[derive(Debug, Error, Diagnostic)]
pub enum TooLarge {
    /// FAB0206: the build would take too much memory.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Memory(#[from] TooMuchMemory),
    /// FAB0209: the network would take too long to measure.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Work(#[from] TooMuchWork),
}

/// FAB0208: the network can be described, but not built.
#[derive(Debug, Error, Diagnostic)]
#[error("a network of {routers} routers is too large to be built: at most {ROUTERS} are")]
#[diagnostic(
    code(FAB0208),
    help("`fabc check` without `--until` describes it by formulas and a sample of its routers")
)]
pub struct TooLargeToBuild {
    routers: usize,
    #[label("described, not built")]
    span: Span,
}

/// Refuses a network that can only be described.
///
/// # Errors
/// [`Failure::Infeasible`] with [`TooLargeToBuild`] at the line of the topology.
pub(super) fn refuse_too_large(fabric: &Fabric) -> Result<(), Failure> {
    match fabric.is_too_large() {
        true => Err(Failure::infeasible(TooLargeToBuild {
            routers: fabric.node_count(),
            span: fabric.topology_span(),
        })),
        false => Ok(()),
    }
}

/// Bytes of links, ports, names and maps of them, per chip with six ports.
const CHIP_BYTES: u64 = 700;
/// Ports of a chip of a pod.
const CHIP_PORTS: u64 = 6;
/// Bytes of the flow certificate per source and channel.
const FLOW_BYTES: u64 = 8;
/// Bytes of `allowed_turns` per destination and chip, for each virtual channel in use, without the hops.
const TURN_BYTES: u64 = 260;
/// Bytes of the other methods per destination and chip, without the hops.
const ROUTE_BYTES: u64 = 16;
/// Bytes of a hop of a route, and of what the tables and their walk keep of it.
const HOP_BYTES: u64 = 20;
/// Bytes of the packed tables per destination and chip.
const PACKED_BYTES: u64 = 5;
/// Bytes that a scenario keeps per channel of a canonical chip, besides its tables: lengths, loads and ranks.
const KEPT_BYTES: u64 = 8 * 3;

/// All chips, those that differ under the symmetry, and the channels that leave one of them.
#[derive(Clone, Copy, Debug)]
struct Chips {
    count: u64,
    canonical: u64,
    channels: u64,
}

impl Chips {
    /// The fewest chips that differ, whatever the wiring of the fabric will be.
    fn fewest(fabric: &Fabric) -> Self {
        let count = fabric.node_count() as u64;
        let symmetric = match &fabric.plant {
            Plant::Pod(pod) => {
                !matches!(&pod.topology, TopologyChoice::Synthesize(search) if search.symmetry == SymmetryChoice::None)
            }
            Plant::Network(network) => network.family.rotates(),
        };
        let canonical = if symmetric { u64::from(fabric.blocks().0) } else { count };
        Self { count, canonical, channels: fewest_channels(fabric) }
    }
    fn of_topology(topology: &Topology) -> Self {
        let (count, canonical) = (topology.node_count() as u64, topology.symmetry().class_count() as u64);
        Self { count, canonical, channels: topology.channel_count() as u64 / count + 1 }
    }
    fn pairs(self) -> u64 {
        self.count.saturating_mul(self.canonical)
    }
    fn reason(self, fabric: &Fabric) -> String {
        let chips = chips_word(fabric);
        match self.canonical == self.count {
            true => format!("all {} {chips} differ", self.count),
            false => format!("{} of {} {chips} differ", self.canonical, self.count),
        }
    }
}

/// The channels of a chip, or of a router of a network on average, rounded down. At least 1.
fn fewest_channels(fabric: &Fabric) -> u64 {
    match &fabric.plant {
        Plant::Network(network) => network.family.facts().fewest_links().max(1),
        Plant::Pod(_) => CHIP_PORTS,
    }
}

/// The word for the plant of a fabric.
fn plant_word(fabric: &Fabric) -> &'static str {
    if fabric.pod().is_some() { "pod" } else { "network" }
}

fn chips_word(fabric: &Fabric) -> &'static str {
    if fabric.pod().is_some() { "chips" } else { "routers" }
}

/// The least that a build counts, as far as the spec alone tells.
#[derive(Clone, Copy, Debug)]
pub struct BuildSize {
    /// Number of routers of a network, or of chips of a pod.
    pub routers: u64,
    /// Pairs of a canonical router and a destination, over all scenarios. 0 without tables.
    pub entries: u64,
    /// The estimate of the memory.
    pub bytes: u64,
}

/// Estimates what a build counts, with as much symmetry as possible. It takes no time.
pub fn least_build_size(fabric: &Fabric) -> BuildSize {
    let chips = Chips::fewest(fabric);
    if fabric.routing.is_scheduled() {
        return BuildSize { routers: chips.count, entries: 0, bytes: base_bytes(fabric, chips) };
    }
    let faults = fewest_scenarios(fabric);
    let keeps_symmetry = matches!(fabric.budget.faults, Faults::Ocses(_));
    let fault_chips = if keeps_symmetry { chips } else { Chips { canonical: chips.count, ..chips } };
    let kept = kept_bytes(fabric, fault_chips).saturating_mul(faults).min(BUILD_BYTES / 2);
    BuildSize {
        routers: chips.count,
        entries: chips.pairs().saturating_add(fault_chips.pairs().saturating_mul(faults)),
        bytes: base_bytes(fabric, chips)
            .saturating_add(routing_bytes(fabric, fault_chips, 2))
            .saturating_add(kept),
    }
}

/// Refuses a fabric whose build would take too much memory, as far as the spec alone tells. It assumes as
/// much symmetry as possible, and routes of two hops. It takes no time.
///
/// # Errors
/// [`Failure::Infeasible`] with [`TooLarge`] at the line that makes it so large.
pub(super) fn refuse_unaffordable(fabric: &Fabric, last: Stage) -> Result<(), Failure> {
    let chips = Chips::fewest(fabric);
    let at_least = || {
        check_analysis(fabric, chips)?;
        if last >= Stage::Route {
            check_routing(fabric, chips, 2)?;
            check_scenarios(fabric, chips, 2, fewest_scenarios(fabric))?;
        }
        Ok(())
    };
    at_least().map_err(|error: TooLarge| Failure::infeasible(error))
}

/// Refuses an analysis that is too large for the topology that was found, before distances and flow.
///
/// # Errors
/// [`TooLarge`] at the line of the topology.
pub(super) fn refuse_large_analysis(fabric: &Fabric, topology: &Topology) -> Result<(), TooLarge> {
    check_analysis(fabric, Chips::of_topology(topology))
}

/// Refuses routes and tables that do not fit into memory, now that distances are known. Otherwise returns how
/// many faults may be compiled at once.
///
/// # Errors
/// [`TooMuchMemory`] at the line of the routing, or of the fault budget.
pub(super) fn faults_at_once(
    fabric: &Fabric,
    topology: &Topology,
    compiled: Option<&CompiledPod>,
    distances: &Distances,
    faults: u64,
) -> Result<usize, TooMuchMemory> {
    let chips = Chips::of_topology(topology);
    let hops = distances.average().ceil() as u64;
    check_routing(fabric, chips, hops)?;
    // A scenario that breaks the symmetry is compiled without any.
    let symmetric = matches!(fabric.budget.faults, Faults::Ocses(_))
        && compiled.is_none_or(|pod| keep_symmetry(topology, pod));
    let fault_chips = if symmetric { chips } else { Chips { canonical: chips.count, ..chips } };
    check_scenarios(fabric, fault_chips, hops, faults)?;
    let kept = kept_bytes(fabric, fault_chips).saturating_mul(faults).min(BUILD_BYTES / 2);
    let remaining = BUILD_BYTES - base_bytes(fabric, chips).min(BUILD_BYTES) - kept;
    Ok((remaining / routing_bytes(fabric, fault_chips, hops).max(1)).clamp(1, 1 << 20) as usize)
}

/// Whether every OCS carries whole classes of links, so that a dark OCS keeps the symmetry.
fn keep_symmetry(topology: &Topology, CompiledPod { cross_connects, .. }: &CompiledPod) -> bool {
    let symmetry = topology.symmetry();
    topology.links().enumerate().filter(|(_, link)| link.class == LinkClass::Global).all(|(id, link)| {
        [link.a, link.b].into_iter().all(|end| {
            let image = topology.outgoing(symmetry.canonical_node(symmetry.class(end.node)), end.port);
            image.is_some_and(|image| {
                cross_connects.ocs_of[topology.link_of(image)] == cross_connects.ocs_of[id]
            })
        })
    })
}

/// The least number of fault scenarios of the budget. Where the topology decides, it assumes one per fault of
/// a single cube.
fn fewest_scenarios(fabric: &Fabric) -> u64 {
    match fabric.budget.faults {
        Faults::Ocses(_) => ocs_faults(fabric),
        Faults::Link | Faults::Router => u64::from(fabric.blocks().0),
    }
}

/// The number of sets of OCSes that may be dark.
pub(super) fn ocs_faults(fabric: &Fabric) -> u64 {
    let ocses = fabric.pod().map_or(0, |pod| pod.ocses.len() as u64);
    match fabric.budget.faults.dark_ocses() {
        0 => 0,
        1 => ocses,
        _ => ocses + ocses * ocses.saturating_sub(1) / 2,
    }
}

/// Bytes that are in use from the topology on: links and names, the symmetry, the partitions of the trees,
/// the flow.
fn base_bytes(fabric: &Fabric, chips: Chips) -> u64 {
    let elements = chips.count / chips.canonical.max(1);
    let (links, blocks) = match &fabric.plant {
        Plant::Pod(Pod { cubes, ocses, .. }) => {
            (chips.count * CHIP_BYTES + u64::from(*cubes) * ocses.len() as u64 * 4, u64::from(*cubes))
        }
        Plant::Network(_) => {
            (chips.count * chips.channels * CHIP_BYTES / CHIP_PORTS, u64::from(fabric.blocks().1))
        }
    };
    let entries = chips.pairs().saturating_mul(chips.channels);
    // The flow of a large network is not listed.
    let flow = if fabric.pod().is_some() || entries <= FLOW_ENTRIES {
        entries.saturating_mul(FLOW_BYTES)
    } else {
        0
    };
    (links + elements * blocks * 8).saturating_add(flow)
}

fn check_analysis(fabric: &Fabric, chips: Chips) -> Result<(), TooLarge> {
    let help = match (fabric.pod(), chips.canonical == chips.count) {
        (Some(_), true) => {
            "a wiring that is the same for all cubes needs less: see `symmetry` in docs/language.md. Or use a smaller pod"
        }
        (Some(_), false) => "use fewer or smaller cubes, or fewer OCSes",
        (None, _) => "use a smaller network, or one with fewer links",
    };
    let part = match fabric.pod() {
        Some(pod) => format!("the analysis of this pod of {} cubes and {} OCSes", pod.cubes, pod.ocses.len()),
        None => format!("the analysis of this network of {} routers", chips.count),
    };
    let refused = |need| refuse(part, need, help.to_owned());
    check_memory(base_bytes(fabric, chips))
        .map_err(|need| refused(need).with_place(fabric.topology_span(), chips.reason(fabric)))?;
    let looks = chips.count.saturating_mul(chips.channels).saturating_mul(chips.canonical);
    if fabric.pod().is_none() && looks > GRAPH_STEPS {
        let (span, reason) = (fabric.topology_span(), chips.reason(fabric).into_boxed_str());
        let formulas = fabric.closed_form().is_some();
        let described =
            if formulas { "; `fabc check` without `--until` describes this one by formulas" } else { "" };
        return Err(
            TooMuchWork { routers: chips.count, looks, most: GRAPH_STEPS, span, reason, described }.into()
        );
    }
    Ok(())
}

/// The most pairs of (channel, VC) and destination for which `allowed_turns` may run on a network: some hours
/// on two cores.
const MAX_TURNS: u64 = 1 << 26;

/// Refuses `allowed_turns` on a network for which it would take days.
///
/// # Errors
/// [`RouteError::TooManyTurns`] at the line of the routing.
pub(super) fn refuse_long_ordering(fabric: &Fabric, topology: &Topology) -> Result<(), RouteError> {
    let (RoutingChoice::AllowedTurns(_), None) = (fabric.routing, fabric.pod()) else { return Ok(()) };
    let (vcs, classes) = (u64::from(fabric.budget.vcs.min(3)), topology.symmetry().class_count() as u64);
    let outputs = topology.ports() as u64 * vcs;
    let sizes = [
        ("outputs by destinations", topology.channel_count() as u64 * vcs * classes, MAX_TURNS),
        // Every router counts as many ports as the widest one.
        ("turns", classes * outputs * outputs, MAX_TURNS / 2),
    ];
    match sizes.into_iter().find(|(_, turns, most)| turns > most) {
        None => Ok(()),
        Some((what, turns, most)) => Err(RouteError::TooManyTurns {
            routers: topology.node_count(),
            counted: what,
            turns,
            limit: most,
            span: fabric.routing_span,
        }),
    }
}

/// Bytes of one scenario while it is routed, checked and packed.
fn routing_bytes(fabric: &Fabric, chips: Chips, hops: u64) -> u64 {
    // The turns of a router grow with its channels.
    let turns = TURN_BYTES * u64::from(fabric.budget.vcs.min(3)) * chips.channels.div_ceil(CHIP_PORTS + 1);
    let (pairs, pair) = match fabric.routing {
        RoutingChoice::AllowedTurns(_) => (chips.pairs(), turns + hops * HOP_BYTES),
        // One next hop for each destination and router.
        RoutingChoice::Minimal | RoutingChoice::Algebraic => (chips.pairs(), ROUTE_BYTES + HOP_BYTES),
        // The groups of all routers, and the layers of endpoints that they come from.
        RoutingChoice::ManyPaths(_) => (chips.count.saturating_mul(chips.count), ROUTE_BYTES),
        // No routes are kept.
        RoutingChoice::Scheduled(_) => (0, 0),
        // These keep no symmetry, and take detours.
        RoutingChoice::DimensionOrder => {
            (chips.count.saturating_mul(chips.count), ROUTE_BYTES + hops * HOP_BYTES)
        }
        RoutingChoice::UpDown => {
            (chips.count.saturating_mul(chips.count), ROUTE_BYTES + hops * HOP_BYTES * 3 / 2)
        }
    };
    pairs.saturating_mul(pair)
}

/// Bytes that a scenario keeps until everything is written.
fn kept_bytes(fabric: &Fabric, chips: Chips) -> u64 {
    let symmetric = !matches!(fabric.routing, RoutingChoice::DimensionOrder | RoutingChoice::UpDown);
    let canonical = if symmetric { chips.canonical } else { chips.count };
    1000 + (chips.count.saturating_mul(canonical).saturating_mul(PACKED_BYTES))
        .saturating_add(canonical * chips.channels * KEPT_BYTES)
}

fn check_routing(fabric: &Fabric, chips: Chips, hops: u64) -> Result<(), TooMuchMemory> {
    let need = base_bytes(fabric, chips).saturating_add(routing_bytes(fabric, chips, hops));
    let help = match fabric.pod() {
        Some(_) => {
            "`--until analyze` builds the topology without routes. A smaller pod, or one whose cubes are all alike, needs less"
        }
        None => "`--until analyze` builds the topology without routes. A smaller network needs less",
    };
    let reason = match fabric.routing {
        RoutingChoice::AllowedTurns(_)
        | RoutingChoice::Minimal
        | RoutingChoice::Algebraic
        | RoutingChoice::ManyPaths(_)
        | RoutingChoice::Scheduled(_) => chips.reason(fabric),
        _ => format!("a route for each pair of {} {}", chips.count, chips_word(fabric)),
    };
    let refused = |need| refuse(format!("routing this {}", plant_word(fabric)), need, help.to_owned());
    check_memory(need).map_err(|need| refused(need).with_place(fabric.routing_span, reason))
}

fn check_scenarios(fabric: &Fabric, chips: Chips, hops: u64, faults: u64) -> Result<(), TooMuchMemory> {
    if faults == 0 {
        return Ok(());
    }
    // The places to which the symmetry takes each block, for every link or chip.
    let elements = chips.count / chips.canonical.max(1);
    let blocks = u64::from(fabric.blocks().1);
    let images = match fabric.budget.faults {
        _ if elements == 1 && fabric.pod().is_none() => 0,
        Faults::Ocses(_) => 0,
        Faults::Link => chips.count * chips.channels / 2 * blocks * 4,
        Faults::Router => chips.count * blocks * 4,
    };
    let kept = kept_bytes(fabric, chips).saturating_mul(faults).saturating_add(images);
    let need =
        base_bytes(fabric, chips).saturating_add(kept).saturating_add(routing_bytes(fabric, chips, hops));
    let help = format!("tolerate fewer faults, or use a smaller {}", plant_word(fabric));
    let refused =
        |need| refuse(format!("compiling this {} for {faults} faults", plant_word(fabric)), need, help);
    check_memory(need)
        .map_err(|need| refused(need).with_place(fabric.budget.faults_span, chips.reason(fabric)))
}

fn check_memory(need: u64) -> Result<(), u64> {
    if need <= BUILD_BYTES { Ok(()) } else { Err(need) }
}

/// An error that has no place in the source yet.
struct UnplacedError {
    what: String,
    need: u64,
    help: String,
}

fn refuse(what: String, need: u64, help: String) -> UnplacedError {
    UnplacedError { what, need, help }
}

impl UnplacedError {
    fn with_place(self, span: Span, reason: String) -> TooMuchMemory {
        let [what, need, most] =
            [self.what, gigabytes_text(self.need), gigabytes_text(BUILD_BYTES)].map(String::into_boxed_str);
        TooMuchMemory {
            what,
            need,
            most,
            help: self.help.into_boxed_str(),
            span,
            reason: reason.into_boxed_str(),
        }
    }
}

/// Bytes as a text in GB.
fn gigabytes_text(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / 1e9)
}
