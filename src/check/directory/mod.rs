//! Re-checks a written directory from its files alone.
//!
//! Comes in: the bytes of every file, and the fabric that `spec.fab` resolves to. Goes out: what was
//! verified, or every contradiction found. Hashes prove nothing to a reader who does not trust the writer, so
//! everything that the files claim is recomputed.

mod bounds;
mod certificates;
mod collectives;
mod comparison;
mod files;
mod floor;
mod formula;
mod inputs;
mod manifest;
mod network;
mod read;
mod read_only;
mod report;
mod scheduled;
mod simulations;
mod stated;
mod switches;
mod tables;
mod topology;

use super::{CheckError, Wired, floor as cables, flow, judge_tables, network as graph, trees, wiring};
use crate::exact::Exact;
use crate::faults::{ToleratedFault, tolerated};
use crate::measures::{Counts, Measures, flow_end, sent_per_host};
use certificates::{Claimed, Claims};
pub use collectives::ProvedSchedule;
use comparison::Measured;
use fabc_base::ids::OcsId;
use fabc_ir::{
    CrossConnects, DualLengths, FloorMetrics, FlowCertificate, ForwardingTables, NetworkMetrics, Placement,
    Scene, Topology,
};
use fabc_kernel::{DeadlockFree, demand_hops, measured_distances, volume_and_distance};
use fabc_model::{Fabric, Plant, RoutingChoice};
pub use files::Files;
pub use files::{CERTIFICATES, MANIFEST, REPORT, SPEC};
use files::{FLOOR, FORMULA, OCS, SCHEDULE, SCHEDULE_BIN, TOPOLOGY, schedule_of};
use inputs::{NO_INPUT, inputs, same_input};
use rayon::prelude::*;
pub use read_only::{
    ReadScenario, ReadScene, ReadWiring, read_scenario, read_scene, read_unrouted, read_wiring,
    scenario_names,
};
pub use stated::{Stated, StatedTradeOff};
use std::collections::BTreeSet;
pub use tables::read_tables;

/// How much of a directory was looked at; all of it is true.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Files, the manifest included.
    pub files: usize,
    /// Scenarios, the nominal one included.
    pub scenarios: usize,
    /// Scenarios with tables, all walked.
    pub routed: usize,
    /// Ordered pairs whose route was walked, over all scenarios.
    pub pairs: u64,
    /// Hops walked, over all scenarios.
    pub hops: u64,
    /// Table entries, over all routers and scenarios.
    pub entries: u64,
    /// Files whose hash was compared but whose content was not read: drawings, other formats, other versions.
    pub only_hashed: Vec<String>,
}

/// Everything that the files of a directory prove, and the little that they only state.
#[derive(Debug)]
pub struct Proved {
    /// How much was looked at.
    pub extent: Extent,
    /// Who is wired to whom.
    pub topology: Topology,
    /// Proof that this is what the spec declares.
    pub wired: Wired,
    /// What every OCS of a pod is set to.
    pub cross_connects: Option<CrossConnects>,
    /// Where routers stand; `None` without a floor.
    pub placement: Option<Placement>,
    /// What the cables on a floor come to; `None` without a floor.
    pub cables: Option<FloorMetrics>,
    /// What was counted of the graph of a network.
    pub network: Option<NetworkMetrics>,
    /// The flow of the healthy pod.
    pub flow: Option<FlowCertificate>,
    /// Sets of OCSes that are disjoint spanning trees over the cubes.
    pub trees: Vec<Vec<OcsId>>,
    /// Nominal first.
    pub scenarios: Vec<ProvedScenario>,
    /// The collectives of the spec, each by scenario, nominal first.
    pub collectives: Vec<Vec<ProvedSchedule>>,
    /// What the report alone says.
    pub stated: Stated,
    /// The requires that do not hold, as report and manifest admit.
    pub broken: Vec<CheckError>,
    /// The program that the manifest names, with its version.
    pub tool: String,
    /// The options that the manifest names, by name; they fit the files.
    pub options: Vec<(String, String)>,
}

/// The certified interval of lambda.
#[derive(Clone, Copy, Debug)]
pub struct FlowEnds {
    /// Lower end, as (over, under).
    pub low: (u128, u128),
    /// Upper end, as (over, under); `None` where a fault leaves nobody who sends.
    pub high: Option<(u128, u128)>,
}

/// One scenario, proved.
#[derive(Debug)]
pub struct ProvedScenario {
    /// Recounted.
    pub counts: Counts,
    /// Lower and upper end of lambda.
    pub flow_ends: FlowEnds,
    /// What proves them, and the tables.
    pub certified: Certified,
}

/// What the files certify of one scenario.
#[derive(Debug)]
pub struct Certified {
    /// The lengths that prove the upper end of its flow.
    pub lengths: DualLengths,
    /// The flow that the certificates list for a fault.
    pub flow: Option<FlowCertificate>,
    /// What its tables, which were walked, say of themselves, without their entries; and their proof. `None`
    /// without tables.
    pub routed: Option<(ForwardingTables, DeadlockFree)>,
}

/// What looks at the tables of a scenario once they are proved; all of a directory are never in memory
/// together.
pub type EachTables<'a> = dyn Fn(&str, &ForwardingTables, &Topology) -> Result<(), CheckError> + Sync + 'a;

/// Re-checks a directory: its files, the settings of every switch, the tables of every scenario, every proof
/// and every number.
///
/// `fabric` is what the directory's own `spec.fab` resolves to.
///
/// # Errors
/// Everything found; what builds on a wrong thing is not checked any further. A `require` that does not hold
/// is an error here, however honestly reported.
pub fn directory(files: &Files, fabric: &Fabric) -> Result<Extent, Vec<CheckError>> {
    let proved = prove(files, fabric, &|_, _, _| Ok(()))?;
    if proved.broken.is_empty() { Ok(proved.extent) } else { Err(proved.broken) }
}

/// As [`directory`], and returns what was proved; `each` sees all tables one after the other.
///
/// # Errors
/// As [`directory`], and those of `each`.
pub fn prove(files: &Files, fabric: &Fabric, each: &EachTables<'_>) -> Result<Proved, Vec<CheckError>> {
    let (build, mut errors) = manifest::manifest(files, fabric);
    // Where links or chips fail, only the topology tells which there are, and which faults stand for which.
    let known = tolerated(fabric, || topology::topology(files, fabric).map(|(topology, _)| topology))
        .map_err(|error| vec![error]);
    let (routed, only_hashed) = match known.and_then(|scenarios| known_files(files, fabric, &scenarios)) {
        Ok(found) => found,
        Err(more) => {
            errors.extend(more);
            return Err(errors);
        }
    };
    match prove_contents(files, fabric, routed, each) {
        Ok((_, contract)) if !["", contract].contains(&build.contract.as_str()) => {
            let what = format!("says `{}`, but it is {contract}", build.contract);
            errors.push(read::contradiction(MANIFEST, "contract", what));
            Err(errors)
        }
        Ok((mut proved, _)) if errors.is_empty() => {
            proved.extent.only_hashed = only_hashed;
            Ok(Proved { tool: build.tool, options: build.options, ..proved })
        }
        Ok(_) => Err(errors),
        Err(more) => {
            errors.extend(more);
            Err(errors)
        }
    }
}

/// Whether routers may work out next hops instead of looking them up.
fn has_formula(fabric: &Fabric) -> bool {
    fabric.routing == RoutingChoice::Algebraic
}

/// Whether tables and switches have the files they must have, and no others; whether there are tables; and
/// what else is there.
fn known_files(
    files: &Files,
    fabric: &Fabric,
    scenarios: &[ToleratedFault],
) -> Result<(bool, Vec<String>), Vec<CheckError>> {
    let json: BTreeSet<String> = scenarios.iter().map(|scenario| scenario.tables_path() + ".json").collect();
    let bin: BTreeSet<String> = json.iter().map(|path| path.replace(".json", ".bin")).collect();
    // One form for all scenarios: that of the healthy pod.
    let tables = if files.contains_key("tables/nominal.bin") { bin } else { json };
    let switches = fabric.pod().into_iter().flat_map(|pod| pod.ocses.iter());
    let switches: BTreeSet<String> =
        switches.filter(|ocs| switches::has_config(ocs)).map(switches::config_path).collect();
    let inputs: Vec<_> = inputs(fabric).into_iter().map(|(path, _)| path).collect();
    let routed = files.keys().any(|path| path.starts_with("tables/"));
    let mut errors = Vec::new();
    let mut wrong = |path: &str, what: &str| {
        errors.push(CheckError::Files { path: path.to_owned(), what: what.to_owned() })
    };
    for path in switches.iter().chain(if routed { Some(&tables) } else { None }.into_iter().flatten()) {
        if !files.contains_key(path) {
            wrong(path, "is missing");
        }
    }
    let mut only_hashed = Vec::new();
    for path in files.keys() {
        if tables.contains(path) || switches.contains(path) {
            continue;
        }
        if path.starts_with("tables/") && (path.ends_with(".json") || path.ends_with(".bin")) {
            wrong(path, "is of no scenario that the spec tolerates, or not in the form of the other tables");
        } else if path.starts_with("ocs/") {
            wrong(path, "is of no switch that the spec declares");
        } else if path.starts_with("inputs/") {
            // Places in the spec are read with the spec; the copy of another file would say what nobody asked
            // for.
            if !inputs.iter().any(|input| input == path) {
                wrong(
                    path,
                    NO_INPUT
                        .iter()
                        .find(|(input, _)| input == path)
                        .map_or("is no file that the spec names", |(_, what)| what),
                );
            }
        } else if path == OCS && fabric.pod().is_none() {
            wrong(path, "does not belong here: the network has no switches");
        } else if [SCHEDULE, SCHEDULE_BIN].contains(&path.as_str()) && !fabric.routing.is_scheduled() {
            wrong(path, "does not belong here: this network has forwarding tables");
        } else if path.starts_with("tables/") && fabric.routing.is_scheduled() {
            wrong(path, "does not belong here: vectors are scheduled");
        } else if path == FORMULA && routed && has_formula(fabric) || path == FLOOR && fabric.floor.is_some()
        {
            continue;
        } else if ![MANIFEST, TOPOLOGY, OCS, CERTIFICATES, REPORT, SPEC].contains(&path.as_str()) {
            only_hashed.push(path.clone());
        }
    }
    if errors.is_empty() { Ok((routed, only_hashed)) } else { Err(errors) }
}

/// Proves what the files say.
fn prove_contents(
    files: &Files,
    fabric: &Fabric,
    routed: bool,
    each: &EachTables<'_>,
) -> Result<(Proved, &'static str), Vec<CheckError>> {
    let one = |error: CheckError| vec![error];
    let (topology, ocs_of) = topology::topology(files, fabric).map_err(one)?;
    let cross_connects = fabric
        .pod()
        .map(|pod| switches::cross_connects(files, pod, &topology, ocs_of))
        .transpose()
        .map_err(one)?;
    let cross_connects = cross_connects.as_ref();
    let wired = wiring(fabric, &topology, cross_connects).map_err(one)?;
    let laid = |of| {
        let placement = floor::placement(files, fabric, of)?;
        cables(fabric, of, &topology, cross_connects, &placement).map(|metrics| (placement, metrics))
    };
    let (placement, laid) = fabric.floor.as_ref().map(laid).transpose().map_err(one)?.unzip();
    let mut errors = Vec::new();
    if let Some((pod, cross_connects)) = fabric.pod().zip(cross_connects) {
        let configured = pod.ocses.enumerate().filter(|(_, ocs)| switches::has_config(ocs));
        let of_switch = |(id, ocs)| switches::config_db(files, pod, ocs, &cross_connects.settings[id]).err();
        errors.extend(configured.filter_map(of_switch).chain(switches::inputs(files, pod).err()));
    }
    errors.extend(inputs(fabric).iter().filter_map(|(path, text)| same_input(files, path, text).err()));
    let claims = certificates::certificates(files, fabric, &topology, routed).map_err(one)?;
    errors.extend(
        claims
            .flow
            .as_ref()
            .and_then(|claimed| flow(&Scene::whole(&topology), &fabric.demand, claimed).err()),
    );
    let halves = claims.bisection.as_ref().map(|(half, least)| (half.as_slice(), *least));
    let network = match &fabric.plant {
        Plant::Network(of) => {
            graph::recount(&topology, &fabric.demand, of.failures.as_ref(), halves).map(Some)
        }
        Plant::Pod(_) => Ok(None),
    };
    let network = network.map_err(|error| errors.push(error)).unwrap_or_default();
    if let Some((pod, cross_connects)) = fabric.pod().zip(cross_connects) {
        errors.extend(trees(pod, &topology, cross_connects, &claims.trees).err());
    }
    let check =
        ScenarioCheck { files, fabric, topology: &topology, cross_connects, claims: &claims, routed, each };
    let checked = claims.scenarios.par_iter().map(|claimed| check.scenario(claimed)).collect::<Vec<_>>();
    let (mut measures, mut certified) = (Vec::new(), Vec::new());
    for result in checked {
        match result {
            Ok((of, by)) => {
                measures.push(of);
                certified.push(by);
            }
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    // What was recounted, and what the proved flow adds to it.
    let network = network.map(|of: NetworkMetrics| {
        let by_flow = |bisection| graph::with_flow(&topology, &fabric.demand, bisection, measures[0].low);
        NetworkMetrics { bisection: of.bisection.map(by_flow), ..of }
    });
    let measured = Measured {
        fabric,
        topology: &topology,
        cross_connects,
        trees: claims.trees.len(),
        network: network.as_ref(),
        cables: laid.as_ref(),
        scenarios: &measures,
        // The tables of a scenario say the same as its certificate.
        canonical: routed.then_some(claims.scenarios[0].line.canonical),
    };
    let checks = collectives::CollectiveChecks { files, fabric, topology: &topology, cross_connects };
    let faults: Vec<&ToleratedFault> =
        if routed { claims.scenarios.iter().map(|claimed| &claimed.scenario).collect() } else { Vec::new() };
    let collectives = match fabric.pace().filter(|_| schedule_of(files).is_some()) {
        Some(pace) => checks.check_plans(pace).map_err(one)?,
        None => checks.check_collectives(&faults)?,
    };
    let (stated, contract) = report::report(files, &measured, &collectives)?;
    let walks = || measures.iter().filter_map(|scenario| scenario.counts.walk.as_ref());
    let extent = Extent {
        files: files.len(),
        scenarios: measures.len(),
        routed: walks().count(),
        pairs: walks().map(|walk| walk.route_hops.iter().sum::<u64>()).sum(),
        hops: measures.iter().map(Measures::hops_walked).sum(),
        entries: walks().map(|walk| walk.entries_total).sum(),
        only_hashed: Vec::new(),
    };
    let Claims { flow, trees, .. } = claims;
    let scenario = |(of, certified): (Measures, Certified)| {
        let flow_ends = FlowEnds { low: of.low.parts(), high: of.high.map(Exact::parts) };
        ProvedScenario { counts: of.counts, flow_ends, certified }
    };
    let scenarios = measures.into_iter().zip(certified).map(scenario).collect();
    let (tool, options) = (String::new(), Vec::new());
    let cross_connects = cross_connects.cloned();
    let broken = contract.broken;
    let proved = Proved {
        extent,
        topology,
        wired,
        cross_connects,
        placement,
        cables: laid,
        network,
        flow,
        trees,
        scenarios,
        collectives,
        stated,
        broken,
        tool,
        options,
    };
    Ok((proved, contract.word))
}

/// What every scenario is checked against.
struct ScenarioCheck<'a> {
    files: &'a Files,
    fabric: &'a Fabric,
    topology: &'a Topology,
    cross_connects: Option<&'a CrossConnects>,
    claims: &'a Claims,
    routed: bool,
    each: &'a EachTables<'a>,
}

impl ScenarioCheck<'_> {
    /// Proves one scenario and recomputes its metrics.
    fn scenario(
        &self,
        Claimed { scenario, line, flow: of_fault }: &Claimed,
    ) -> Result<(Measures, Certified), CheckError> {
        let lit = scenario.lit(self.topology, self.cross_connects);
        let scene = Scene { topology: self.topology, lit, dead: scenario.dead().into_iter().collect() };
        let distances = measured_distances(&scene).map_err(|(from, to)| CheckError::Disconnected {
            scenario: scenario.name.clone(),
            from: self.topology.name(from),
            to: self.topology.name(to),
            span: Some(self.fabric.budget.faults_span),
        })?;
        let dual = volume_and_distance(&scene, &self.fabric.demand, &line.lengths)?;
        let mut routed = None;
        if self.routed {
            let (tables, canonical) = tables::tables(self.files, self.topology, scenario)?;
            if line.canonical != canonical {
                let what = "does not say the same as the tables of this scenario";
                return Err(read::contradiction(
                    CERTIFICATES,
                    format!("scenarios[{}].canonical", scenario.name),
                    what,
                ));
            }
            let (walk, proof) = judge_tables(self.fabric, &scene, &tables, &line.ranks)?;
            if let Some(limit) =
                self.fabric.budget.table_entries.filter(|&limit| walk.entries_max > u64::from(limit))
            {
                return Err(CheckError::OverBudget {
                    scenario: scenario.name.clone(),
                    what: format!(
                        "a router has {} table entries, but the budget has {limit}",
                        walk.entries_max
                    ),
                    span: Some(self.fabric.budget.entries_span),
                });
            }
            (self.each)(&scenario.name, &tables, self.topology)?;
            if scenario.is_healthy() && has_formula(self.fabric) {
                formula::agrees(self.files, self.fabric, self.topology, &tables)?;
            }
            routed = Some((walk, (ForwardingTables { routers: Vec::new(), ..tables }, proof)));
        } else if !line.ranks.is_empty() {
            let what = "ranks without tables";
            return Err(read::contradiction(
                CERTIFICATES,
                format!("scenarios[{}].ranks", scenario.name),
                what,
            ));
        }
        let certified = if scenario.is_healthy() { self.claims.flow.as_ref() } else { of_fault.as_ref() };
        if let Some(certificate) = of_fault {
            flow(&scene, &self.fabric.demand, certificate)?;
        }
        let metrics = Measures::new(Counts {
            scenario: scenario.name.clone(),
            routers: (self.topology.node_count() - scene.dead.len()) as u64,
            endpoints: scene.endpoints().count() as u64,
            channels: scene.channels().count() as u64,
            pairs_at: distances.histogram,
            weighted_hops: demand_hops(&scene, &self.fabric.demand),
            sent_per_host: sent_per_host(&self.fabric.demand, self.topology, scenario.dead()),
            flow: certified.and_then(flow_end),
            dual,
            clock_hz: self.fabric.clock_hz,
            bandwidth_bps: self.topology.capacities().unit_bps(),
            capacity: scene.channels().map(|channel| self.topology.channel_capacity(channel)).sum(),
            parts: self.topology.capacities().parts(),
            trees: self
                .cross_connects
                .map(|cross_connects| scenario.whole_sets(&self.claims.trees, &scene.lit, cross_connects)),
            walk: routed.as_ref().map(|(walk, _)| walk.clone()),
        })?;
        let lengths = DualLengths { lengths: line.lengths.clone(), volume: dual.0, distance: dual.1 };
        Ok((metrics, Certified { lengths, flow: of_fault.clone(), routed: routed.map(|(_, proved)| proved) }))
    }
}
