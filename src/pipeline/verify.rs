//! Verifies a written directory: every file is written again from proved values, and must match to the byte.
//!
//! In: the bytes of every file, and the resolved `spec.fab`. Out: what was verified, with a short list of
//! what nothing in the directory can prove, or every contradiction. The proofs are those of
//! [`fabc_check::prove_directory`], which shares no search with the compiler. The emitters then write every
//! file from the proved values alone. Tables are written again while they are being proved, scenario by
//! scenario.

mod collective_lines;
mod collectives;
mod comparison;
mod kept_report;
mod passes;
mod plans;
mod repairs;
mod simulations;
mod slices;
mod switch_files;
mod third_party;
mod unproved;

pub(crate) use collectives::results as collective_results;
pub use fabc_check::{
    CheckError, Extent, ForeignCollective, ForeignTables, Isolation, JudgedExecutionPlan, JudgedProgram,
    LaneFiles, NamedFile, NextHopVerdict, PathOrder, ProvedPlan, Rejected, RepairWalk,
};
pub(crate) use kept_report::kept_report;
pub use plans::verify_plan;
pub use repairs::{VerifiedRepair, verify_repair};
pub use simulations::{DigestSpan, DigestSpanError, Remake, remake_digest_span};
pub use slices::verify_slices;
pub use switch_files::{SwitchFiles, VerifiedSwitches, switch_files};
pub use third_party::{ForeignSchedule, verify_foreign_schedule, verify_tables};
pub use unproved::Unproved;

use fabc_base::diag::{Failure, SourceMap};
use fabc_check::{
    self, CERTIFICATES, DeadlockFree, Files, GroupsProved, MANIFEST, ProvedDirectory, ProvedScenario, SPEC,
    ScenarioCounts, ScenarioProof, StatedClaims, StatedTradeOff, VisitedTables,
};
use fabc_emit::compiled::{CompiledFabric, CompiledPod, CompiledScenario, RoutedScenario, SprayedScenario};
use fabc_emit::{ManifestEntry, TOOL, group_tables_artifact, manifest_json};
use fabc_ir::{
    CollectiveResult, ConcurrentFlow, ContractState, CrossConnects, ForwardingTables, Fraction, GroupTables,
    HealthyMetrics, JobResult, PackedTables, Permutation, RequireOutcome, Scenario, ScenarioMetrics,
    ScenarioTables, Scene, Topology, TradeOff, UniformTopology, fault_flows_are_listed, gigabytes,
    settle_collectives, settle_jobs, surviving_scene,
};
use fabc_lang::syntax::{ast, input_copy};
use fabc_model::Fabric;
use fabc_passes::measure::permutation;
use fabc_sim::SimReport;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// The result of a verification without contradictions.
#[derive(Clone, PartialEq, Debug)]
pub struct Verified {
    /// How much of the directory was checked.
    pub extent: Extent,
    /// The parts of the directory that cannot be proved from it. All other parts are proved.
    pub unproved: Vec<Unproved>,
    /// The `require` lines that do not hold. The directory itself says so.
    pub broken: Vec<CheckError>,
}

/// The worst permutation of hosts under the group tables of one scene. `None` if the search takes too long.
pub fn worst_permutation(scene: &Scene<'_>, tables: &GroupTables) -> Option<Permutation> {
    permutation::worst_permutation(scene, tables, 1)
}

/// Reads and resolves the spec of a directory from its own files. `read` returns the text of a file by its
/// path within the directory.
///
/// # Errors
/// The [`Failure`] of reading or resolving `spec.fab`, with the sources so far.
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

/// Verifies a directory. `fabric` is its resolved `spec.fab`, and `spec_text` the normal form of that.
///
/// # Errors
/// Every contradiction found. What depends on a convicted part is not checked any further.
pub fn directory(files: &Files, fabric: &Fabric, spec_text: &str) -> Result<Verified, Vec<CheckError>> {
    directory_with(files, fabric, spec_text, Remake::default())
}

/// Verifies a directory as [`directory`] does. `remake` says which runs of simulations are made again.
///
/// # Errors
/// The errors of [`directory`].
pub fn directory_with(
    files: &Files,
    fabric: &Fabric,
    spec_text: &str,
    remake: Remake,
) -> Result<Verified, Vec<CheckError>> {
    if fabric.is_too_large() {
        let violation = format!("declares {} routers, more than are ever built", fabric.node_count());
        return Err(vec![CheckError::Files { path: SPEC.to_owned(), violation }]);
    }
    let binary = files.contains_key("tables/nominal.bin") || files.contains_key("schedule.bin");
    // The compiler's own list of scenarios. The checker has compared its names with a list of its own.
    let scenarios: OnceLock<BTreeMap<String, Scenario>> = OnceLock::new();
    let check_tables = |name: &str, tables: VisitedTables<'_>, topology: &Topology| {
        let by_name = || {
            Scenario::tolerated(fabric, topology)
                .into_iter()
                .map(|scenario| (scenario.name.clone(), scenario))
                .collect()
        };
        let Some(scenario) = scenarios.get_or_init(by_name).get(name) else {
            return Err(unknown_scenario(name));
        };
        let written = match tables {
            VisitedTables::SinglePath(tables) => {
                fabc_emit::tables_artifact(scenario, tables, topology.symmetry(), binary)
            }
            VisitedTables::Groups(tables, _, spreading) => group_tables_artifact(scenario, tables, spreading),
        };
        check_bytes(files, &written.path, &written.bytes)
    };
    let proved = fabc_check::prove_directory(files, fabric, &check_tables)?;
    let verified = Verified {
        unproved: unproved::unproved(fabric, &proved, remake),
        extent: proved.extent.clone(),
        broken: proved.broken.clone(),
    };
    let (tool, options) = (proved.tool.clone(), proved.options.clone());
    let routed: Vec<String> = proved
        .scenarios
        .iter()
        .filter(|proved| proved.certified.has_tables())
        .map(|proved| proved.counts.scenario.clone())
        .collect();
    let simulations =
        simulations::read_simulations(files, fabric, &routed, remake).map_err(|error| vec![error])?;
    let mut compiled = rebuild_compiled(files, fabric, proved, simulations)?;
    restore_paged_tables(files, &mut compiled).map_err(|error| vec![error])?;

    let mut errors = Vec::new();
    let mut unread: BTreeSet<&str> = verified.extent.only_hashed.iter().map(String::as_str).collect();
    let infallible = fabc_emit::each_but_tables(&compiled, spec_text, binary, &mut |artifact| {
        unread.remove(artifact.path.as_str());
        errors.extend(check_bytes(files, &artifact.path, &artifact.bytes).err());
        Ok::<(), std::convert::Infallible>(())
    });
    infallible.unwrap_or_else(|never| match never {});
    let unknown_file = |path: &str| CheckError::Files {
        path: path.to_owned(),
        violation: "is not a file that fabc writes".to_owned(),
    };
    errors.extend(unread.into_iter().map(unknown_file));
    let listed = files.iter().filter(|(path, _)| *path != MANIFEST);
    let entries: Vec<ManifestEntry> =
        listed.map(|(path, bytes)| ManifestEntry::for_file(path, bytes)).collect();
    let manifest = manifest_json(
        &tool,
        &fabric.name,
        spec_text,
        ContractState::of_outcomes(&compiled.requires),
        &options,
        &entries,
    );
    errors.extend(check_bytes(files, MANIFEST, manifest.as_bytes()).err());
    if errors.is_empty() {
        Ok(verified)
    } else {
        Err(errors.into_iter().map(|error| error.with_writer(&tool, TOOL)).collect())
    }
}

/// Rebuilds the value that the emitters write from, out of proved values alone. The tables stay in their
/// files.
fn rebuild_compiled(
    files: &Files,
    fabric: &Fabric,
    proved: ProvedDirectory,
    simulations: Vec<Vec<SimReport>>,
) -> Result<CompiledFabric, Vec<CheckError>> {
    let ProvedDirectory {
        topology,
        wired,
        cross_connects,
        placement,
        cables,
        light,
        hardware,
        network,
        flow,
        trees,
        scenarios,
        collectives,
        jobs,
        stated,
        ..
    } = proved;
    let StatedClaims { tree_bounds, limit, uniform, trade_off, passes } = stated;
    let trade_off = trade_off.into_iter().map(trade_off_point).collect();
    let collectives = collectives::results(files, fabric, collectives).map_err(|error| vec![error])?;
    let tolerated = Scenario::tolerated(fabric, &topology);
    let mut errors = passes::record_errors(fabric, &topology, network.as_ref(), &scenarios, &passes);
    errors.extend(missing_bounds(fabric, limit.is_some(), tree_bounds.is_some()));
    errors.extend(flow_errors(&topology, cross_connects.as_ref(), &tolerated, &scenarios[1..]));
    if !errors.is_empty() {
        return Err(errors);
    }
    let (rounds, stopped_by) = passes::flow_record(&passes);
    let uniform = uniform.map(|ends| uniform_topology(ends.map(Fraction::from)));
    let pod_parts =
        |(cross_connects, tree_bounds)| CompiledPod { cross_connects, limit, uniform, trees, tree_bounds };
    let pod = cross_connects.zip(tree_bounds).map(pod_parts);
    let metrics: Vec<ScenarioMetrics> = scenarios.iter().map(scenario_metrics).collect();
    let universal = pod.as_ref().and_then(CompiledPod::universal_bound);
    let healthy = HealthyMetrics { network: network.as_ref(), cables: cables.as_ref(), hardware: &hardware };
    let outcome = |require| RequireOutcome::evaluate(require, &metrics, universal, healthy);
    let mut requires: Vec<RequireOutcome> = fabric.requires.iter().map(outcome).collect();
    fabc_sim::settle(fabric, &mut requires, &simulations);
    settle_plans(fabric, &mut requires, &collectives, &jobs);
    let flow = ConcurrentFlow {
        dual: scenarios[0].certified.lengths.clone(),
        primal: flow,
        rounds,
        sweeps: 0,
        stopped_by,
    };
    let scenario = |(ProvedScenario { certified, .. }, metrics): (ProvedScenario, ScenarioMetrics)| {
        let scenario = find_scenario(&tolerated, &metrics.scenario).map_err(|error| vec![error])?;
        let ScenarioProof { lengths, shortest, flow, routed, sprayed } = certified;
        let (routed, sprayed) = without_entries(&scenario.name, routed, sprayed);
        Ok(CompiledScenario { scenario: scenario.clone(), metrics, lengths, shortest, flow, routed, sprayed })
    };
    let scenarios =
        scenarios.into_iter().zip(metrics).map(scenario).collect::<Result<_, Vec<CheckError>>>()?;
    Ok(CompiledFabric {
        fabric: fabric.clone(),
        topology,
        wired,
        pod,
        placement,
        cables,
        light,
        hardware,
        trade_off,
        network,
        flow,
        scenarios,
        simulations,
        collectives,
        jobs,
        requires,
        passes,
    })
}

/// What the topology for uniform demand carries, by the two ends of its flow.
fn uniform_topology(ends: [Fraction; 2]) -> UniformTopology {
    let [flow_low, flow_high] = ends;
    UniformTopology { flow_low, flow_high }
}

/// Reads the tables again that the report page shows. They were proved before, from the same bytes.
fn restore_paged_tables(files: &Files, compiled: &mut CompiledFabric) -> Result<(), CheckError> {
    for number in fabc_emit::paged_tables(compiled) {
        let scenario = &mut compiled.scenarios[number];
        let read = fabc_check::read_simulated(files, &compiled.fabric, &scenario.scenario.name)?;
        match (read.map(|read| read.tables), &mut scenario.routed, &mut scenario.sprayed) {
            (Some(ScenarioTables::OnePath(tables)), Some(routed), _) => {
                routed.tables = PackedTables::pack(&tables);
            }
            (Some(ScenarioTables::Groups(tables)), _, Some(sprayed)) => sprayed.tables = tables,
            _ => return Err(unknown_scenario(&scenario.scenario.name)),
        }
    }
    Ok(())
}

/// Fills in the outcomes of the `require` lines about collectives and jobs.
fn settle_plans(
    fabric: &Fabric,
    requires: &mut [RequireOutcome],
    collectives: &[CollectiveResult],
    jobs: &[JobResult],
) {
    settle_collectives(fabric, requires, collectives);
    settle_jobs(fabric, requires, jobs);
}

/// The tables of a scenario without their entries, which stay in their files.
fn without_entries(
    scenario: &str,
    routed: Option<(ForwardingTables, DeadlockFree)>,
    sprayed: Option<(GroupsProved, Option<Permutation>)>,
) -> (Option<RoutedScenario>, Option<SprayedScenario>) {
    let head = || GroupTables {
        scenario: scenario.to_owned(),
        groups: Vec::new(),
        weights: Vec::new(),
        routers: Vec::new(),
        relays: Vec::new(),
    };
    (
        routed
            .map(|(tables, proof)| RoutedScenario { tables: PackedTables::without_entries(&tables), proof }),
        sprayed.map(|(proof, permutation)| SprayedScenario { tables: head(), permutation, proof }),
    )
}

/// A point of the curve of flow against cable.
fn trade_off_point(StatedTradeOff { weight, distances, cable, flow }: StatedTradeOff) -> TradeOff {
    TradeOff { weight, distances, cable, flow: Fraction::from(flow) }
}

/// Errors for the bounds that every build states of a pod and that this directory lacks.
fn missing_bounds(fabric: &Fabric, has_limit: bool, has_tree_bounds: bool) -> Vec<CheckError> {
    let missing = |place: &str| CheckError::Report {
        place: place.to_owned(),
        claimed: "nothing".to_owned(),
        measured: "what every build says".to_owned(),
    };
    let is_pod = fabric.pod().is_some();
    let needs_limit = is_pod && fabric.demand.is_uniform() && fabric.node_count() > 1;
    let limit = (needs_limit && !has_limit).then(|| missing("bounds.universal"));
    let trees = (is_pod && !has_tree_bounds).then(|| missing("bounds.trees"));
    limit.into_iter().chain(trees).collect()
}

/// Errors for the faults that are unknown, or whose flow is not listed as in every build.
fn flow_errors(
    topology: &Topology,
    cross_connects: Option<&CrossConnects>,
    tolerated: &[Scenario],
    faults: &[ProvedScenario],
) -> Vec<CheckError> {
    let error = |fault: &ProvedScenario| match find_scenario(tolerated, &fault.counts.scenario) {
        Ok(scenario) => check_listed_flow(topology, cross_connects, scenario, &fault.certified, faults.len()),
        Err(error) => Some(error),
    };
    faults.iter().filter_map(error).collect()
}

/// Checks that a fault has a flow of its own exactly if a build lists it.
fn check_listed_flow(
    topology: &Topology,
    cross_connects: Option<&CrossConnects>,
    scenario: &Scenario,
    certified: &ScenarioProof,
    faults: usize,
) -> Option<CheckError> {
    let name = &scenario.name;
    let scene = surviving_scene(&scenario.fault, topology, cross_connects);
    let listed = scene.keeps_symmetry() && fault_flows_are_listed(topology, faults);
    let violation =
        if listed { "is missing, but every build lists it" } else { "is listed, but no build lists it" };
    (certified.flow.is_some() != listed).then(|| CheckError::Contradiction {
        file: CERTIFICATES.to_owned(),
        place: format!("scenarios[{name}].flow"),
        violation: violation.to_owned(),
        span: None,
    })
}

/// The counts of the checker in the form that the emitters read. The formulas behind it are those of the
/// compiler.
fn scenario_metrics(proved: &ProvedScenario) -> ScenarioMetrics {
    let ScenarioCounts {
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
        permutation,
        collisions,
        ..
    } = &proved.counts;
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
        flow_low: fraction(proved.flow_interval.low),
        flow_high: proved.flow_interval.high.map(fraction),
        clock_hz: *clock_hz,
        channel_bandwidth: gigabytes(*bandwidth_bps),
        disjoint_trees: trees.map(|trees| trees as u32),
        routed: walk.clone(),
        permutation: permutation.as_ref().map(Permutation::value),
        collisions: *collisions,
    }
}

/// The scenario of this name, if the spec tolerates it.
fn find_scenario<'s>(tolerated: &'s [Scenario], name: &str) -> Result<&'s Scenario, CheckError> {
    tolerated.iter().find(|scenario| scenario.name == name).ok_or_else(|| unknown_scenario(name))
}

fn unknown_scenario(name: &str) -> CheckError {
    CheckError::Shape { scenario: name.to_owned(), violation: "no such fault is tolerated".to_owned() }
}

/// Checks that a file has exactly these bytes.
fn check_bytes(files: &Files, path: &str, written: &[u8]) -> Result<(), CheckError> {
    let Some(present) = files.get(path) else {
        return Err(CheckError::Files {
            path: path.to_owned(),
            violation: "is missing, but every build writes it".to_owned(),
        });
    };
    if present == written {
        return Ok(());
    }
    let offset = present
        .iter()
        .zip(written)
        .position(|(present, written)| present != written)
        .unwrap_or(present.len().min(written.len()));
    let line = 1 + written[..offset].iter().filter(|&&byte| byte == b'\n').count();
    let [present, expected] = [present, written].map(|bytes| text_around(bytes, offset));
    Err(CheckError::Remade { file: path.to_owned(), line, present, expected, writer_note: String::new() })
}

/// The text of one line around an offset.
fn text_around(bytes: &[u8], offset: usize) -> String {
    const BEFORE: usize = 24;
    const AFTER: usize = 40;
    let start = bytes[..offset]
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |end| end + 1)
        .max(offset.saturating_sub(BEFORE));
    let end = bytes[offset..]
        .iter()
        .position(|&byte| byte == b'\n')
        .map_or(bytes.len(), |length| offset + length)
        .min(offset + AFTER);
    let text: String = String::from_utf8_lossy(&bytes[start..end])
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    match (text.is_empty(), offset >= bytes.len()) {
        (true, true) => "the end of the file".to_owned(),
        (true, false) => "the end of a line".to_owned(),
        _ => text,
    }
}
