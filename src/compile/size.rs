//! What a build takes of memory, estimated before the work begins: a pod that is too large is refused at its place, never met by an abort.
//!
//! Comes in: a pod, later its topology. Goes out: nothing, or a [`TooMuchMemory`]. The estimates count what grows faster than the pod: pairs of
//! cubes (the symmetry), of switches and cubes (the trees), of canonical chips and chips (flow, routes, tables), scenarios. They were measured
//! (`docs/benchmarks.md`), are up to three times too high, and know nothing of the machine: the verdict is the same everywhere.

use super::Stage;
use crate::diag::Span;
use crate::ir::{CrossConnects, Distances, LinkKind, Topology};
use crate::limits::BUILD_BYTES;
use crate::model::{Faults, Pod, RoutingChoice, SymmetryChoice, TopologyChoice};
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

/// Bytes of links, ports, names and maps of them, per chip.
const CHIP: u64 = 700;
/// Bytes of the flow certificate per source and chip: a number for each of the six channels of a chip.
const FLOW: u64 = 6 * 8;
/// Bytes of `allowed_turns` per destination and chip, for each virtual channel in use, without the hops.
const TURNS: u64 = 260;
/// Bytes of the other methods per destination and chip, without the hops.
const PLAIN: u64 = 16;
/// Bytes of a hop of a route, and of what the tables and their walk keep of it.
const HOP: u64 = 20;
/// Bytes of the packed tables per destination and chip.
const PACKED: u64 = 5;
/// Bytes that a scenario keeps per canonical chip, besides its tables: lengths, loads and ranks of its channels.
const KEPT: u64 = 6 * 8 * 3;

/// The chips that differ under the symmetry, against all.
#[derive(Clone, Copy, Debug)]
struct Chips {
    all: u64,
    canonical: u64,
}

impl Chips {
    fn pairs(self) -> u64 {
        self.all.saturating_mul(self.canonical)
    }
    fn reason(self) -> String {
        match self.canonical == self.all {
            true => format!("all {} chips differ", self.all),
            false => format!("{} of {} chips differ", self.canonical, self.all),
        }
    }
}

/// Refuses a pod that is too large whatever its wiring will be: as much symmetry as it can have, routes of two hops.
///
/// # Errors
/// [`TooMuchMemory`] at the line that makes it so large.
pub(super) fn at_least(pod: &Pod, last: Stage) -> Result<(), TooMuchMemory> {
    let symmetric = !matches!(&pod.topology, TopologyChoice::Synthesize(search) if search.symmetry == SymmetryChoice::None);
    let all = pod.node_count() as u64;
    let chips = Chips { all, canonical: if symmetric { u64::from(pod.chips_per_cube()) } else { all } };
    analysis(pod, chips, 6)?;
    if last >= Stage::Route {
        routing(pod, chips, 2)?;
        scenarios(pod, chips, 2, fewest_scenarios(pod))?;
    }
    Ok(())
}

/// Refuses what the topology found does not leave room for, before distances and flow.
///
/// # Errors
/// [`TooMuchMemory`] at the line of the topology.
pub(super) fn analysed(pod: &Pod, topology: &Topology) -> Result<(), TooMuchMemory> {
    analysis(pod, chips(topology), (topology.channel_count() / topology.node_count()) as u64 + 1)
}

/// Refuses routes and tables that do not fit, now that distances are known; otherwise says how many faults may be compiled at once.
///
/// # Errors
/// [`TooMuchMemory`] at the line of the routing, or of the fault budget.
pub(super) fn routed(
    pod: &Pod,
    topology: &Topology,
    cross_connects: &CrossConnects,
    distances: &Distances,
    faults: u64,
) -> Result<usize, TooMuchMemory> {
    let chips = chips(topology);
    let hops = distances.average().ceil() as u64;
    routing(pod, chips, hops)?;
    // What breaks the symmetry is compiled without any.
    let whole = matches!(pod.budget.faults, Faults::Ocses(_)) && keep_symmetry(topology, cross_connects);
    let of_fault = if whole { chips } else { Chips { canonical: chips.all, ..chips } };
    scenarios(pod, of_fault, hops, faults)?;
    let left = BUILD_BYTES - base(pod, chips, 6).min(BUILD_BYTES) - kept(pod, of_fault).saturating_mul(faults).min(BUILD_BYTES / 2);
    Ok((left / of_routing(pod, of_fault, hops).max(1)).clamp(1, 1 << 20) as usize)
}

fn chips(topology: &Topology) -> Chips {
    Chips { all: topology.node_count() as u64, canonical: topology.symmetry().class_count() as u64 }
}

/// Whether every dark OCS takes whole classes of links with it.
fn keep_symmetry(topology: &Topology, cross_connects: &CrossConnects) -> bool {
    let symmetry = topology.symmetry();
    topology.links().enumerate().filter(|(_, link)| link.kind == LinkKind::Fiber).all(|(id, link)| {
        [link.a, link.b].into_iter().all(|end| {
            let image = topology.outgoing(symmetry.canonical_node(symmetry.class(end.node)), end.port);
            image.is_some_and(|image| cross_connects.ocs_of[image.link()] == cross_connects.ocs_of[id])
        })
    })
}

/// Faults that `budget` tolerates, at least: where the topology decides, one per cube's worth of them.
fn fewest_scenarios(pod: &Pod) -> u64 {
    match pod.budget.faults {
        Faults::Ocses(_) => ocs_faults(pod),
        Faults::Link | Faults::Chip => u64::from(pod.chips_per_cube()),
    }
}

/// Sets of OCSes that may be dark.
pub(super) fn ocs_faults(pod: &Pod) -> u64 {
    let ocses = pod.ocses.len() as u64;
    match pod.budget.faults.dark_ocses() {
        0 => 0,
        1 => ocses,
        _ => ocses + ocses * ocses.saturating_sub(1) / 2,
    }
}

/// What is there from the topology on: the pod, its symmetry, the partitions of the trees.
fn base(pod: &Pod, chips: Chips, channels: u64) -> u64 {
    let (cubes, ocses) = (u64::from(pod.cubes), pod.ocses.len() as u64);
    let elements = chips.all / chips.canonical.max(1);
    chips.all * CHIP + elements * cubes * 8 + cubes * ocses * 4 + chips.pairs().saturating_mul(channels * FLOW / 6)
}

fn analysis(pod: &Pod, chips: Chips, channels: u64) -> Result<(), TooMuchMemory> {
    let help = if chips.canonical == chips.all {
        "a wiring that is the same for all cubes takes a part of it: see `symmetry` in docs/language.md; or take a smaller pod".to_owned()
    } else {
        "take fewer or smaller cubes, or fewer OCSes".to_owned()
    };
    let refused = |need| refuse(format!("the analysis of this pod of {} cubes and {} OCSes", pod.cubes, pod.ocses.len()), need, help);
    fits(base(pod, chips, channels)).map_err(|need| refused(need).at(pod.topology_span, chips.reason()))
}

/// What one scenario takes while it is routed, checked and packed.
fn of_routing(pod: &Pod, chips: Chips, hops: u64) -> u64 {
    let turns = TURNS * u64::from(pod.budget.vcs.min(3));
    let (pairs, pair) = match pod.routing {
        RoutingChoice::AllowedTurns(_) => (chips.pairs(), turns + hops * HOP),
        // These keep no symmetry, and take detours.
        RoutingChoice::DimensionOrder => (chips.all.saturating_mul(chips.all), PLAIN + hops * HOP),
        RoutingChoice::UpDown => (chips.all.saturating_mul(chips.all), PLAIN + hops * HOP * 3 / 2),
    };
    pairs.saturating_mul(pair)
}

/// What a scenario leaves behind until everything is written.
fn kept(pod: &Pod, chips: Chips) -> u64 {
    let canonical = if matches!(pod.routing, RoutingChoice::AllowedTurns(_)) { chips.canonical } else { chips.all };
    1000 + (chips.all.saturating_mul(canonical).saturating_mul(PACKED)).saturating_add(canonical * KEPT)
}

fn routing(pod: &Pod, chips: Chips, hops: u64) -> Result<(), TooMuchMemory> {
    let need = base(pod, chips, 6).saturating_add(of_routing(pod, chips, hops));
    let help = "`--stop-after analyze` builds the topology without routes; a pod whose cubes are all alike takes a part of it, and so \
                does a smaller one";
    let reason = match pod.routing {
        RoutingChoice::AllowedTurns(_) => chips.reason(),
        _ => format!("a route for each pair of {} chips", chips.all),
    };
    fits(need).map_err(|need| refuse("routing this pod".to_owned(), need, help.to_owned()).at(pod.routing_span, reason))
}

fn scenarios(pod: &Pod, chips: Chips, hops: u64, faults: u64) -> Result<(), TooMuchMemory> {
    if faults == 0 {
        return Ok(());
    }
    // Of every link or chip: where the symmetry takes each cube.
    let images = match pod.budget.faults {
        Faults::Ocses(_) => 0,
        Faults::Link => chips.all * 3 * u64::from(pod.cubes) * 4,
        Faults::Chip => chips.all * u64::from(pod.cubes) * 4,
    };
    let all = kept(pod, chips).saturating_mul(faults).saturating_add(images);
    let need = base(pod, chips, 6).saturating_add(all).saturating_add(of_routing(pod, chips, hops));
    let help = "tolerate fewer faults, or take a smaller pod".to_owned();
    let refused = |need| refuse(format!("compiling this pod for {faults} faults"), need, help);
    fits(need).map_err(|need| refused(need).at(pod.budget.faults_span, chips.reason()))
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
        let [what, need, most] = [self.what, gigabytes(self.need), gigabytes(BUILD_BYTES)].map(String::into_boxed_str);
        TooMuchMemory { what, need, most, help: self.help.into_boxed_str(), span, reason: reason.into_boxed_str() }
    }
}

/// Bytes for people.
fn gigabytes(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / 1e9)
}
