//! A written directory against itself: what its files prove is written again, and must come out to the byte.
//!
//! Comes in: the bytes of every file, and what `spec.fab` means. Goes out: what was verified, and the short
//! list of what nothing in the directory can prove; or every contradiction. The proofs are those of
//! [`fabc_check::prove`], which shares no search with what made the files; then the emitters write every file
//! from the proved values alone. Tables are written again while they are being proved, scenario by scenario.

mod collective_lines;
mod collectives;
mod passes;
mod simulations;

pub use simulations::remake_one;
pub use simulations::{DigestSpan, DigestSpanError, Remake, remake_digest_span};

use fabc_base::diag::{Failure, SourceMap};
use fabc_check::{
    self, CERTIFICATES, Certified, CheckError, Counts, Extent, Files, MANIFEST, Proved, ProvedScenario,
    REPORT, SPEC, Stated, StatedTradeOff,
};
use fabc_emit::compiled::{Compiled, CompiledPod, CompiledScenario, RoutedScenario};
use fabc_emit::{ManifestLine, TOOL, manifest_json};
use fabc_ir::{
    ConcurrentFlow, Contract, CrossConnects, ForwardingTables, Fraction, PackedTables, RequireOutcome,
    Scenario, ScenarioMetrics, Topology, TradeOff, UniformTopology, fault_flows_are_listed, gigabytes,
    settle_collectives, surviving_scene,
};
use fabc_lang::syntax::{ast, input_copy};
use fabc_model::{DEFAULT_CLOCK_HZ, Fabric, Pod, RoutingChoice, SynthesisMethod, TopologyChoice};
use fabc_sim::SimReport;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// What a directory was verified to hold, and what not.
#[derive(Clone, PartialEq, Debug)]
pub struct Verified {
    /// How much was looked at.
    pub extent: Extent,
    /// What stands in the directory and cannot be proved from it; all else is proved.
    pub unproved: Vec<Unproved>,
    /// The requires that do not hold, as the directory itself admits.
    pub broken: Vec<CheckError>,
}

/// Something that stands in a directory and cannot be proved from it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Unproved {
    /// The file, or the folder with `/`.
    pub file: &'static str,
    /// JSON place within it, without indices, or first word of a line; empty for all of it.
    pub place: &'static str,
    /// What is taken as it stands there.
    pub what: &'static str,
}

/// Reads and resolves the spec of a directory from its own files; `read` has their text, by path within the
/// directory.
///
/// # Errors
/// There is no `spec.fab`, or it has errors.
pub fn load(
    directory: &str,
    read: &dyn Fn(&str) -> Result<String, String>,
) -> Result<(Fabric, ast::Spec, SourceMap), (Failure, SourceMap)> {
    let spec = format!("{directory}/{SPEC}");
    let first = std::cell::Cell::new(true);
    fabc_lang::read_normal(&spec, &|wanted: &str| match first.replace(false) {
        true => read(SPEC),
        false => read(&input_copy(&spec, wanted)),
    })
}

/// Verifies a directory; `fabric` and `spec_text` are what its `spec.fab` means and its normal form.
///
/// # Errors
/// Everything found; what builds on a wrong thing is not looked at any further.
pub fn directory(files: &Files, fabric: &Fabric, spec_text: &str) -> Result<Verified, Vec<CheckError>> {
    directory_with(files, fabric, spec_text, Remake::default())
}

/// Verifies a directory as [`directory`] does; `remake` says which runs of simulations are made again.
///
/// # Errors
/// As [`directory`].
pub fn directory_with(
    files: &Files,
    fabric: &Fabric,
    spec_text: &str,
    remake: Remake,
) -> Result<Verified, Vec<CheckError>> {
    if fabric.is_too_large() {
        let what = format!("declares {} routers, more than are ever built", fabric.node_count());
        return Err(vec![CheckError::Files { path: SPEC.to_owned(), what }]);
    }
    let binary = files.contains_key("tables/nominal.bin") || files.contains_key("schedule.bin");
    // The compiler's own list of scenarios; the checker has compared its names with one of its own.
    let all: OnceLock<BTreeMap<String, Scenario>> = OnceLock::new();
    let same_tables = |name: &str, tables: &ForwardingTables, topology: &Topology| {
        let by_name = || {
            Scenario::all(fabric, topology)
                .into_iter()
                .map(|scenario| (scenario.name.clone(), scenario))
                .collect()
        };
        let Some(scenario) = all.get_or_init(by_name).get(name) else { return Err(unknown_scenario(name)) };
        let written = fabc_emit::tables_artifact(scenario, tables, topology.symmetry(), binary);
        same(files, &written.path, &written.bytes)
    };
    let proved = fabc_check::prove(files, fabric, &same_tables)?;
    let verified = Verified {
        unproved: unproved(fabric, &proved, remake),
        extent: proved.extent.clone(),
        broken: proved.broken.clone(),
    };
    let (tool, options) = (proved.tool.clone(), proved.options.clone());
    let named: Vec<String> = proved
        .scenarios
        .iter()
        .filter(|of| of.certified.routed.is_some())
        .map(|of| of.counts.scenario.clone())
        .collect();
    let simulated = simulations::read(files, fabric, &named, remake).map_err(|error| vec![error])?;
    let compiled = compiled(files, fabric, proved, simulated)?;

    let mut errors = Vec::new();
    let mut unread: BTreeSet<&str> = verified.extent.only_hashed.iter().map(String::as_str).collect();
    let infallible = fabc_emit::each_but_tables(&compiled, spec_text, binary, &mut |artifact| {
        unread.remove(artifact.path.as_str());
        errors.extend(same(files, &artifact.path, &artifact.bytes).err());
        Ok::<(), std::convert::Infallible>(())
    });
    infallible.unwrap_or_else(|never| match never {});
    let nobodys = |path: &str| CheckError::Files {
        path: path.to_owned(),
        what: "is no file that fabc writes".to_owned(),
    };
    errors.extend(unread.into_iter().map(nobodys));
    let others = files.iter().filter(|(path, _)| *path != MANIFEST);
    let lines: Vec<ManifestLine> = others.map(|(path, bytes)| ManifestLine::of(path, bytes)).collect();
    let manifest =
        manifest_json(&tool, &fabric.name, spec_text, Contract::of(&compiled.requires), &options, &lines);
    errors.extend(same(files, MANIFEST, manifest.as_bytes()).err());
    if errors.is_empty() {
        Ok(verified)
    } else {
        Err(errors.into_iter().map(|error| error.by(&tool, TOOL)).collect())
    }
}

/// What the emitters write from, made of nothing but what was proved; the tables stay in their files.
fn compiled(
    files: &Files,
    fabric: &Fabric,
    proved: Proved,
    simulations: Vec<Vec<SimReport>>,
) -> Result<Compiled, Vec<CheckError>> {
    let Proved {
        topology,
        wired,
        cross_connects,
        placement,
        cables,
        network,
        flow,
        trees,
        scenarios,
        collectives,
        stated,
        ..
    } = proved;
    let Stated { tree_bounds, limit, uniform, trade_off, passes } = stated;
    let curve = |StatedTradeOff { weight, distances, cable, flow }| TradeOff {
        weight,
        distances,
        cable,
        flow: Fraction::from(flow),
    };
    let trade_off = trade_off.into_iter().map(curve).collect();
    let collectives = collectives::results(files, fabric, collectives).map_err(|error| vec![error])?;
    let mut errors = passes::wrong(fabric, &topology, network.as_ref(), &scenarios, &passes);
    let missing = |place: &str| CheckError::Report {
        place: place.to_owned(),
        claimed: "nothing".to_owned(),
        measured: "what every build says".to_owned(),
    };
    let of_pod = fabric.pod().is_some();
    if of_pod && limit.is_none() && fabric.demand.is_uniform() && fabric.node_count() > 1 {
        errors.push(missing("bounds.universal"));
    }
    errors.extend((of_pod && tree_bounds.is_none()).then(|| missing("bounds.trees")));
    let known = Scenario::all(fabric, &topology);
    let named = |name: &str| known.iter().find(|known| known.name == name);
    for fault in &scenarios[1..] {
        errors.extend(match named(&fault.counts.scenario) {
            Some(scenario) => listed_flow(
                &topology,
                cross_connects.as_ref(),
                scenario,
                &fault.certified,
                scenarios.len() - 1,
            ),
            None => Some(unknown_scenario(&fault.counts.scenario)),
        });
    }
    let (rounds, stopped_by) = passes::of_the_flow(&passes);
    let uniform = uniform
        .map(|ends| ends.map(Fraction::from))
        .map(|[flow_low, flow_high]| UniformTopology { flow_low, flow_high });
    if !errors.is_empty() {
        return Err(errors);
    }
    let of_pod =
        |(cross_connects, tree_bounds)| CompiledPod { cross_connects, limit, uniform, trees, tree_bounds };
    let pod = cross_connects.zip(tree_bounds).map(of_pod);
    let metrics: Vec<ScenarioMetrics> = scenarios.iter().map(metrics).collect();
    let universal = pod.as_ref().and_then(CompiledPod::universal);
    let of = |require| RequireOutcome::of(require, &metrics, universal, network.as_ref(), cables.as_ref());
    let mut requires: Vec<RequireOutcome> = fabric.requires.iter().map(of).collect();
    fabc_sim::settle(fabric, &mut requires, &simulations);
    settle_collectives(fabric, &mut requires, &collectives);
    let flow = ConcurrentFlow {
        dual: scenarios[0].certified.lengths.clone(),
        primal: flow,
        rounds,
        sweeps: 0,
        stopped_by,
    };
    let scenario = |(ProvedScenario { certified, .. }, metrics): (ProvedScenario, ScenarioMetrics)| {
        let scenario = named(&metrics.scenario).ok_or_else(|| vec![unknown_scenario(&metrics.scenario)])?;
        let Certified { lengths, flow, routed } = certified;
        let routed = routed
            .map(|(tables, proof)| RoutedScenario { tables: PackedTables::without_entries(&tables), proof });
        Ok(CompiledScenario { scenario: scenario.clone(), metrics, lengths, flow, routed })
    };
    let scenarios =
        scenarios.into_iter().zip(metrics).map(scenario).collect::<Result<_, Vec<CheckError>>>()?;
    Ok(Compiled {
        fabric: fabric.clone(),
        topology,
        wired,
        pod,
        placement,
        cables,
        trade_off,
        network,
        flow,
        scenarios,
        simulations,
        collectives,
        requires,
        passes,
    })
}

/// Whether a fault has a flow of its own exactly if a build lists it.
fn listed_flow(
    topology: &Topology,
    cross_connects: Option<&CrossConnects>,
    scenario: &Scenario,
    certified: &Certified,
    faults: usize,
) -> Option<CheckError> {
    let name = &scenario.name;
    let scene = surviving_scene(&scenario.fault, topology, cross_connects);
    let listed = scene.keeps_symmetry() && fault_flows_are_listed(topology, faults);
    let what =
        if listed { "is missing, but every build lists it" } else { "is listed, but no build lists it" };
    (certified.flow.is_some() != listed).then(|| CheckError::Contradiction {
        file: CERTIFICATES.to_owned(),
        place: format!("scenarios[{name}].flow"),
        what: what.to_owned(),
        span: None,
    })
}

/// What the checker counted, as the emitters read it; the formulas from here on are the compiler's.
fn metrics(of: &ProvedScenario) -> ScenarioMetrics {
    let Counts {
        scenario,
        routers,
        endpoints,
        channels,
        pairs_at,
        weighted_hops,
        sent_per_host: [weights, hosts],
        bandwidth_bps,
        clock_hz,
        capacity,
        parts,
        trees,
        walk,
        ..
    } = &of.counts;
    let hops = |(pairs, hops): (&u64, u64)| pairs * hops;
    let fraction = |(over, under): (u128, u128)| Fraction::new(over, under);
    ScenarioMetrics {
        scenario: scenario.clone(),
        routers: *routers,
        endpoints: *endpoints,
        channels: *channels,
        capacity: *capacity,
        parts: *parts,
        diameter: pairs_at.len() as u32 - 1,
        hop_histogram: pairs_at.clone(),
        hop_total: pairs_at.iter().zip(0u64..).map(hops).sum(),
        demand_hops: *weighted_hops,
        sent_per_host: Fraction::new(*weights, *hosts),
        flow_low: fraction(of.flow_ends.low),
        flow_high: of.flow_ends.high.map(fraction),
        clock_hz: *clock_hz,
        channel_bandwidth: gigabytes(*bandwidth_bps),
        disjoint_trees: trees.map(|trees| trees as u32),
        routed: walk.clone(),
    }
}

fn unknown_scenario(name: &str) -> CheckError {
    CheckError::Shape { scenario: name.to_owned(), what: "no such fault is tolerated".to_owned() }
}

/// Whether a file has exactly these bytes.
fn same(files: &Files, path: &str, written: &[u8]) -> Result<(), CheckError> {
    let Some(found) = files.get(path) else {
        return Err(CheckError::Files {
            path: path.to_owned(),
            what: "is missing, but every build writes it".to_owned(),
        });
    };
    if found == written {
        return Ok(());
    }
    let at = found
        .iter()
        .zip(written)
        .position(|(one, other)| one != other)
        .unwrap_or(found.len().min(written.len()));
    let line = 1 + written[..at].iter().filter(|&&byte| byte == b'\n').count();
    let [found, written] = [found, written].map(|bytes| around(bytes, at));
    Err(CheckError::Remade { file: path.to_owned(), line, found, written, by: String::new() })
}

/// Some text of one line around a byte.
fn around(bytes: &[u8], at: usize) -> String {
    const BEFORE: usize = 24;
    const AFTER: usize = 40;
    let start = bytes[..at]
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |end| end + 1)
        .max(at.saturating_sub(BEFORE));
    let end = bytes[at..]
        .iter()
        .position(|&byte| byte == b'\n')
        .map_or(bytes.len(), |length| at + length)
        .min(at + AFTER);
    let text: String = String::from_utf8_lossy(&bytes[start..end])
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    match (text.is_empty(), at >= bytes.len()) {
        (true, true) => "the end of the file".to_owned(),
        (true, false) => "the end of a line".to_owned(),
        _ => text,
    }
}

/// What nothing in the directory can prove.
fn unproved(fabric: &Fabric, proved: &Proved, remake: Remake) -> Vec<Unproved> {
    let mut all = Vec::new();
    let mut add =
        |holds: bool, file, place, what| all.extend(holds.then_some(Unproved { file, place, what }));
    let routed = proved.scenarios[0].certified.routed.is_some();
    let simulated = routed && !fabric.simulations.is_empty();
    let search = match fabric.pod().map(|pod| &pod.topology) {
        Some(TopologyChoice::Synthesize(search)) => Some(search),
        Some(TopologyChoice::SynthesizeNear(near)) => Some(&near.search),
        _ => None,
    };
    add(
        fabric.clock_hz == DEFAULT_CLOCK_HZ,
        SPEC,
        "clock",
        "whether it is written: without one it is the same",
    );
    add(
        fabric.routing == RoutingChoice::Minimal,
        SPEC,
        "routing",
        "whether `minimal` is written: a network without a routing has it",
    );
    add(!routed, SPEC, "clock", "changes no other file without routes, unless latencies are in seconds");
    let router = fabric.plant.router_word();
    add(routed && !simulated, SPEC, router, "flit and buffer change no other file");
    add(simulated, SPEC, router, "radix, where ports stay free");
    add(!routed, SPEC, router, "flit, buffer and latency change no other file without routes");
    add(
        fabric.pod().is_some_and(some_ports_are_free),
        SPEC,
        "ocs",
        "ports, where others have no more and others no fewer",
    );
    let searched = |floor: &fabc_model::Floor| {
        floor.placement.name() == "annealed" || floor.clustering.name() == "walktrap"
    };
    let searched = fabric.floor.as_ref().is_some_and(searched);
    add(searched, SPEC, "floor", "steps, effort and seed: which search has found the places");
    add(searched, "floor.json", "", "which cabinets and places, of all that are allowed");
    let used = |link_type| proved.topology.links().iter().any(|link| link.link_type == link_type);
    add(
        fabric.link_types.ids().any(|link_type| !used(link_type)),
        SPEC,
        "link",
        "those that no link is made of",
    );
    add(
        search.is_some_and(|search| search.method != SynthesisMethod::Search),
        SPEC,
        "topology",
        "what the program may take",
    );
    let read = fabric.plant.input().map(|(path, _)| path);
    add(
        read.is_some(),
        read.unwrap_or_default(),
        "",
        "that this is the file that was read; what the spec asks of it is proved",
    );
    add(true, MANIFEST, "tool", "the version");
    add(
        proved.options.iter().any(|(name, _)| name == "stop_after"),
        MANIFEST,
        "options.stop_after",
        "which stage, of those on this side of routing",
    );
    let set = proved.options.iter().any(|(name, _)| name.starts_with("param.") || name.starts_with("use."));
    add(set, MANIFEST, "options", "which parameters and changes the values in the spec came from");
    let planned = routed && !fabric.collectives.is_empty();
    add(
        planned,
        REPORT,
        "collectives.scenarios.others",
        "chunks and times of slower algorithms; that none is faster is proved",
    );
    add(planned, REPORT, "collectives.scenarios.left_out", "which algorithms were not tried unasked");
    add(
        planned,
        REPORT,
        "collectives.curve.times_ns",
        "times at other sizes; that none is below the bound is proved",
    );
    add(planned, REPORT, "collectives.crossovers", "where the fastest algorithm changes");
    add(
        planned,
        "collectives/",
        "bounds",
        "which witnesses, of all that prove the same bound, and in which order",
    );
    for place in ["steps", "trees", "sends", "rooted", "latency", "canonical"] {
        add(
            planned,
            "collectives/",
            place,
            "which schedule and how it is listed, of all that do the same in the same time",
        );
    }
    add(true, REPORT, "passes", "how the searches went: counters, stopped_by, notes");
    let weighed = !proved.stated.trade_off.is_empty();
    add(weighed, REPORT, "network.trade_off", "what other weights of cables give");
    add(
        proved.stated.uniform.is_some(),
        REPORT,
        "gain",
        "what the topology for uniform demand carries; the ratio follows from it",
    );
    let bounds = proved.stated.tree_bounds.as_ref();
    add(
        bounds.is_some_and(|bounds| !bounds.witness.is_empty()),
        REPORT,
        "bounds.trees.witness",
        "which switches prove the bound, of all that do",
    );
    add(
        proved.stated.limit.is_some(),
        REPORT,
        "bounds.universal.argument",
        "which argument, of all with the same sums",
    );
    add(!proved.trees.is_empty(), CERTIFICATES, "trees", "which trees, of as many");
    let halves = proved.network.as_ref().is_some_and(|network| network.bisection.is_some());
    add(halves, CERTIFICATES, "bisection", "which halves and which lower end, of all that are proved");
    add(true, CERTIFICATES, "lengths", "which lengths, of all that prove the same bound");
    add(routed, CERTIFICATES, "ranks", "which ranks, of all that rise along every route");
    let counts =
        "counts of runs that were not made again, of all that are possible; `--remake all` makes all of them";
    add(simulated && remake.runs.is_some(), "simulations/", "scenarios", counts);
    let brackets =
        "which bracket, of all that a search can end with: rates that it ran on the way are not run again";
    add(simulated, "simulations/", "saturation", brackets);
    add(routed, "tables/", "", "which routes, of all that arrive and have the same numbers");
    all
}

/// Whether the ports of switches are neither all the same nor just two numbers.
fn some_ports_are_free(pod: &Pod) -> bool {
    let ports = || pod.ocses.iter().map(|ocs| ocs.ports);
    pod.ocs_groups.len() > 2 && ports().min() < ports().max()
}
