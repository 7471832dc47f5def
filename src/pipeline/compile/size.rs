//! What a build takes of memory and of work, estimated before it begins: what is too large is refused at its
//! place, never met by an abort or by days of silence.
//!
//! Comes in: a fabric, later its topology. Goes out: nothing, or a [`TooLarge`]. The estimates count
//! what grows faster than the fabric: pairs of cubes (the symmetry), of switches and cubes (the trees), of
//! canonical chips and chips (flow, routes, tables), scenarios. They were measured (`docs/benchmarks.md`),
//! are up to three times too high, and know nothing of the machine: the verdict is the same everywhere. What
//! is said of chips holds for the routers of a network.

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
    /// The part of the build.
    what: Box<str>,
    /// With a unit.
    need: Box<str>,
    /// With a unit.
    most: Box<str>,
    /// What would help.
    help: Box<str>,
    /// The choice that makes it so large.
    #[label("{reason}")]
    span: Span,
    /// What it is large in.
    reason: Box<str>,
}

/// FAB0209: a network that would take too long to measure.
#[derive(Debug, Error, Diagnostic)]
#[error(
    "the analysis of this network of {routers} routers would take about {looks} looks at a channel, at most {most} are allowed"
)]
#[diagnostic(
    code(FAB0209),
    help("every router is searched from: take a smaller network, or one with fewer links{described}")
)]
pub struct TooMuchWork {
    routers: u64,
    looks: u64,
    most: u64,
    #[label("{reason}")]
    span: Span,
    /// What it is large in.
    reason: Box<str>,
    /// What is known of it nevertheless.
    described: &'static str,
}

/// Why a build is refused before it begins.
#[derive(Debug, Error, Diagnostic)]
pub enum TooLarge {
    /// FAB0206.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Memory(#[from] TooMuchMemory),
    /// FAB0209.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Work(#[from] TooMuchWork),
}

/// FAB0208: a network that is described, not built.
#[derive(Debug, Error, Diagnostic)]
#[error("a network of {routers} routers is too large to be built: at most {ROUTERS} are")]
#[diagnostic(
    code(FAB0208),
    help(
        "`fabc check` without `--stop-after` describes it: by formulas, and by looking at a sample of its routers"
    )
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
pub(super) fn buildable(fabric: &Fabric) -> Result<(), Failure> {
    match fabric.is_too_large() {
        true => Err(Failure::infeasible(TooLargeToBuild {
            routers: fabric.node_count(),
            span: fabric.topology_span(),
        })),
        false => Ok(()),
    }
}

/// Bytes of links, ports, names and maps of them, per chip with six ports.
const CHIP: u64 = 700;
/// Ports of a chip of a pod.
const CHIP_PORTS: u64 = 6;
/// Bytes of the flow certificate per source and channel.
const FLOW: u64 = 8;
/// Bytes of `allowed_turns` per destination and chip, for each virtual channel in use, without the hops.
const TURNS: u64 = 260;
/// Bytes of the other methods per destination and chip, without the hops.
const PLAIN: u64 = 16;
/// Bytes of a hop of a route, and of what the tables and their walk keep of it.
const HOP: u64 = 20;
/// Bytes of the packed tables per destination and chip.
const PACKED: u64 = 5;
/// Bytes that a scenario keeps per channel of a canonical chip, besides its tables: lengths, loads and ranks.
const KEPT: u64 = 8 * 3;

/// The chips that differ under the symmetry, against all, and how many channels leave one.
#[derive(Clone, Copy, Debug)]
struct Chips {
    all: u64,
    canonical: u64,
    channels: u64,
}

impl Chips {
    /// As few as differ whatever the wiring of the fabric will be.
    fn fewest(fabric: &Fabric) -> Self {
        let all = fabric.node_count() as u64;
        let symmetric = match &fabric.plant {
            Plant::Pod(pod) => {
                !matches!(&pod.topology, TopologyChoice::Synthesize(search) if search.symmetry == SymmetryChoice::None)
            }
            Plant::Network(network) => network.family.rotates(),
        };
        let canonical = if symmetric { u64::from(fabric.blocks().0) } else { all };
        Self { all, canonical, channels: fewest_channels(fabric) }
    }
    fn of(topology: &Topology) -> Self {
        let (all, canonical) = (topology.node_count() as u64, topology.symmetry().class_count() as u64);
        Self { all, canonical, channels: topology.channel_count() as u64 / all + 1 }
    }
    fn pairs(self) -> u64 {
        self.all.saturating_mul(self.canonical)
    }
    fn reason(self, fabric: &Fabric) -> String {
        let chips = chips_word(fabric);
        match self.canonical == self.all {
            true => format!("all {} {chips} differ", self.all),
            false => format!("{} of {} {chips} differ", self.canonical, self.all),
        }
    }
}

/// Channels that leave a chip at most, or a router of a network on average, rounded down; at least 1.
fn fewest_channels(fabric: &Fabric) -> u64 {
    match &fabric.plant {
        Plant::Network(network) => network.family.facts().fewest_links().max(1),
        Plant::Pod(_) => CHIP_PORTS,
    }
}

/// What a fabric is, in one word.
fn word(fabric: &Fabric) -> &'static str {
    if fabric.pod().is_some() { "pod" } else { "network" }
}

fn chips_word(fabric: &Fabric) -> &'static str {
    if fabric.pod().is_some() { "chips" } else { "routers" }
}

/// Refuses a fabric whose build would take too much memory, as far as the spec alone tells: as much symmetry
/// as it can have, routes of two hops; takes no time.
///
/// # Errors
/// [`Failure::Infeasible`] with [`TooLarge`] at the line that makes it so large.
pub(super) fn affordable(fabric: &Fabric, last: Stage) -> Result<(), Failure> {
    let chips = Chips::fewest(fabric);
    let at_least = || {
        analysis(fabric, chips)?;
        if last >= Stage::Route {
            routing(fabric, chips, 2)?;
            scenarios(fabric, chips, 2, fewest_scenarios(fabric))?;
        }
        Ok(())
    };
    at_least().map_err(|error: TooLarge| Failure::infeasible(error))
}

/// Refuses what the topology found does not leave room for, before distances and flow.
///
/// # Errors
/// [`TooLarge`] at the line of the topology.
pub(super) fn analysed(fabric: &Fabric, topology: &Topology) -> Result<(), TooLarge> {
    analysis(fabric, Chips::of(topology))
}

/// Refuses routes and tables that do not fit, now that distances are known; otherwise says how many faults
/// may be compiled at once.
///
/// # Errors
/// [`TooMuchMemory`] at the line of the routing, or of the fault budget.
pub(super) fn routed(
    fabric: &Fabric,
    topology: &Topology,
    compiled: Option<&CompiledPod>,
    distances: &Distances,
    faults: u64,
) -> Result<usize, TooMuchMemory> {
    let chips = Chips::of(topology);
    let hops = distances.average().ceil() as u64;
    routing(fabric, chips, hops)?;
    // What breaks the symmetry is compiled without any.
    let whole = matches!(fabric.budget.faults, Faults::Ocses(_))
        && compiled.is_none_or(|pod| keep_symmetry(topology, pod));
    let of_fault = if whole { chips } else { Chips { canonical: chips.all, ..chips } };
    scenarios(fabric, of_fault, hops, faults)?;
    let kept = kept(fabric, of_fault).saturating_mul(faults).min(BUILD_BYTES / 2);
    let left = BUILD_BYTES - base(fabric, chips).min(BUILD_BYTES) - kept;
    Ok((left / of_routing(fabric, of_fault, hops).max(1)).clamp(1, 1 << 20) as usize)
}

/// Whether every dark OCS takes whole classes of links with it.
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

/// Faults that `budget` tolerates, at least: where the topology decides, one per cube's worth of them.
fn fewest_scenarios(fabric: &Fabric) -> u64 {
    match fabric.budget.faults {
        Faults::Ocses(_) => ocs_faults(fabric),
        Faults::Link | Faults::Router => u64::from(fabric.blocks().0),
    }
}

/// Sets of OCSes that may be dark.
pub(super) fn ocs_faults(fabric: &Fabric) -> u64 {
    let ocses = fabric.pod().map_or(0, |pod| pod.ocses.len() as u64);
    match fabric.budget.faults.dark_ocses() {
        0 => 0,
        1 => ocses,
        _ => ocses + ocses * ocses.saturating_sub(1) / 2,
    }
}

/// What is there from the topology on: links and names, the symmetry, the partitions of the trees, the flow.
fn base(fabric: &Fabric, chips: Chips) -> u64 {
    let elements = chips.all / chips.canonical.max(1);
    let (links, blocks) = match &fabric.plant {
        Plant::Pod(Pod { cubes, ocses, .. }) => {
            (chips.all * CHIP + u64::from(*cubes) * ocses.len() as u64 * 4, u64::from(*cubes))
        }
        Plant::Network(_) => (chips.all * chips.channels * CHIP / CHIP_PORTS, u64::from(fabric.blocks().1)),
    };
    let entries = chips.pairs().saturating_mul(chips.channels);
    // Of a large network no flow is listed.
    let flow =
        if fabric.pod().is_some() || entries <= FLOW_ENTRIES { entries.saturating_mul(FLOW) } else { 0 };
    (links + elements * blocks * 8).saturating_add(flow)
}

fn analysis(fabric: &Fabric, chips: Chips) -> Result<(), TooLarge> {
    let help = match (fabric.pod(), chips.canonical == chips.all) {
        (Some(_), true) => {
            "a wiring that is the same for all cubes takes a part of it: see `symmetry` in docs/language.md; or take a smaller pod"
        }
        (Some(_), false) => "take fewer or smaller cubes, or fewer OCSes",
        (None, _) => "take a smaller network, or one with fewer links",
    };
    let what = match fabric.pod() {
        Some(pod) => format!("the analysis of this pod of {} cubes and {} OCSes", pod.cubes, pod.ocses.len()),
        None => format!("the analysis of this network of {} routers", chips.all),
    };
    let refused = |need| refuse(what, need, help.to_owned());
    fits(base(fabric, chips))
        .map_err(|need| refused(need).at(fabric.topology_span(), chips.reason(fabric)))?;
    let looks = chips.all.saturating_mul(chips.channels).saturating_mul(chips.canonical);
    if fabric.pod().is_none() && looks > GRAPH_STEPS {
        let (span, reason) = (fabric.topology_span(), chips.reason(fabric).into_boxed_str());
        let formulas = fabric.closed_form().is_some();
        let described = if formulas {
            "; `fabc check` without `--stop-after` describes this one by formulas"
        } else {
            ""
        };
        return Err(
            TooMuchWork { routers: chips.all, looks, most: GRAPH_STEPS, span, reason, described }.into()
        );
    }
    Ok(())
}

/// (Channel, VC)s by destinations, at most, that `allowed_turns` is let loose on in a network: some hours on
/// two cores.
const MOST_TURNS: u64 = 1 << 26;

/// Refuses `allowed_turns` on a network for which it would take days.
///
/// # Errors
/// [`RouteError::TooManyTurns`] at the line of the routing.
pub(super) fn orderable(fabric: &Fabric, topology: &Topology) -> Result<(), RouteError> {
    let (RoutingChoice::AllowedTurns(_), None) = (fabric.routing, fabric.pod()) else { return Ok(()) };
    let (vcs, classes) = (u64::from(fabric.budget.vcs.min(3)), topology.symmetry().class_count() as u64);
    let outputs = topology.ports() as u64 * vcs;
    let sizes = [
        ("outputs by destinations", topology.channel_count() as u64 * vcs * classes, MOST_TURNS),
        // Every router has as many ports as the widest one.
        ("turns", classes * outputs * outputs, MOST_TURNS / 2),
    ];
    match sizes.into_iter().find(|(_, turns, most)| turns > most) {
        None => Ok(()),
        Some((what, turns, most)) => Err(RouteError::TooManyTurns {
            routers: topology.node_count(),
            what,
            turns,
            most,
            span: fabric.routing_span,
        }),
    }
}

/// What one scenario takes while it is routed, checked and packed.
fn of_routing(fabric: &Fabric, chips: Chips, hops: u64) -> u64 {
    // The turns of a router grow with its channels.
    let turns = TURNS * u64::from(fabric.budget.vcs.min(3)) * chips.channels.div_ceil(CHIP_PORTS + 1);
    let (pairs, pair) = match fabric.routing {
        RoutingChoice::AllowedTurns(_) => (chips.pairs(), turns + hops * HOP),
        // A next hop for each destination and router.
        RoutingChoice::Minimal | RoutingChoice::Algebraic => (chips.pairs(), PLAIN + HOP),
        // No routes are kept.
        RoutingChoice::Scheduled(_) => (0, 0),
        // These keep no symmetry, and take detours.
        RoutingChoice::DimensionOrder => (chips.all.saturating_mul(chips.all), PLAIN + hops * HOP),
        RoutingChoice::UpDown => (chips.all.saturating_mul(chips.all), PLAIN + hops * HOP * 3 / 2),
    };
    pairs.saturating_mul(pair)
}

/// What a scenario leaves behind until everything is written.
fn kept(fabric: &Fabric, chips: Chips) -> u64 {
    let symmetric = !matches!(fabric.routing, RoutingChoice::DimensionOrder | RoutingChoice::UpDown);
    let canonical = if symmetric { chips.canonical } else { chips.all };
    1000 + (chips.all.saturating_mul(canonical).saturating_mul(PACKED))
        .saturating_add(canonical * chips.channels * KEPT)
}

fn routing(fabric: &Fabric, chips: Chips, hops: u64) -> Result<(), TooMuchMemory> {
    let need = base(fabric, chips).saturating_add(of_routing(fabric, chips, hops));
    let help = match fabric.pod() {
        Some(_) => {
            "`--stop-after analyze` builds the topology without routes; a pod whose cubes are all alike takes a part of it, and so does a \
             smaller one"
        }
        None => {
            "`--stop-after analyze` builds the topology without routes; a smaller network takes a part of it"
        }
    };
    let reason = match fabric.routing {
        RoutingChoice::AllowedTurns(_)
        | RoutingChoice::Minimal
        | RoutingChoice::Algebraic
        | RoutingChoice::Scheduled(_) => chips.reason(fabric),
        _ => format!("a route for each pair of {} {}", chips.all, chips_word(fabric)),
    };
    let refused = |need| refuse(format!("routing this {}", word(fabric)), need, help.to_owned());
    fits(need).map_err(|need| refused(need).at(fabric.routing_span, reason))
}

fn scenarios(fabric: &Fabric, chips: Chips, hops: u64, faults: u64) -> Result<(), TooMuchMemory> {
    if faults == 0 {
        return Ok(());
    }
    // Of every link or chip: where the symmetry takes each block.
    let elements = chips.all / chips.canonical.max(1);
    let blocks = u64::from(fabric.blocks().1);
    let images = match fabric.budget.faults {
        _ if elements == 1 && fabric.pod().is_none() => 0,
        Faults::Ocses(_) => 0,
        Faults::Link => chips.all * chips.channels / 2 * blocks * 4,
        Faults::Router => chips.all * blocks * 4,
    };
    let all = kept(fabric, chips).saturating_mul(faults).saturating_add(images);
    let need = base(fabric, chips).saturating_add(all).saturating_add(of_routing(fabric, chips, hops));
    let help = format!("tolerate fewer faults, or take a smaller {}", word(fabric));
    let refused = |need| refuse(format!("compiling this {} for {faults} faults", word(fabric)), need, help);
    fits(need).map_err(|need| refused(need).at(fabric.budget.faults_span, chips.reason(fabric)))
}

fn fits(need: u64) -> Result<(), u64> {
    if need <= BUILD_BYTES { Ok(()) } else { Err(need) }
}

/// An error without a place.
struct Refused {
    what: String,
    need: u64,
    help: String,
}

fn refuse(what: String, need: u64, help: String) -> Refused {
    Refused { what, need, help }
}

impl Refused {
    fn at(self, span: Span, reason: String) -> TooMuchMemory {
        let [what, need, most] =
            [self.what, gigabytes(self.need), gigabytes(BUILD_BYTES)].map(String::into_boxed_str);
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

/// Bytes for people.
fn gigabytes(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / 1e9)
}
