//! Re-checks a written directory from its files alone.
//!
//! Comes in: the bytes of every file, and the pod that `spec.fab` resolves to. Goes out: what was verified, or every contradiction found.
//! Hashes prove nothing to a reader who does not trust the writer, so everything that the files claim is recomputed.

mod bounds;
mod certificates;
mod manifest;
mod read;
mod report;
mod stated;
mod switches;
mod tables;
mod tables_bin;
mod topology;

use super::{CheckError, DeadlockFree, dual, flow, scenario_without as walk_scenario, trees, wiring};
use crate::check::distances::{demand_hops, measure as measure_distances};
use crate::check::faults::{Fault, tolerated};
use crate::check::measures::{Counts, Measures, flow_end, sent_most};
use crate::ids::{IdVec, OcsId};
use crate::ir::{CrossConnects, DualLengths, FlowCertificate, ForwardingTables, Topology};
use crate::model::{DemandShape, Pod, TopologyChoice};
use crate::syntax::DEMAND_INPUT;
use certificates::{Claimed, Claims};
use rayon::prelude::*;
pub use stated::Stated;
use std::collections::{BTreeMap, BTreeSet};
pub use tables_bin::BinaryTables;

/// The files of a directory: relative path with `/`, and content.
pub type Files = BTreeMap<String, Vec<u8>>;

pub(crate) const MANIFEST: &str = "manifest.json";
pub(crate) const SPEC: &str = "spec.fab";
pub(crate) const INPUTS: &str = "inputs/ocs.json";
const TOPOLOGY: &str = "topology.json";
const OCS: &str = "ocs.json";
pub(crate) const CERTIFICATES: &str = "certificates.json";
pub(crate) const REPORT: &str = "report.json";

/// What a directory was verified to hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verified {
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
    /// What was looked at.
    pub verified: Verified,
    /// Who is wired to whom.
    pub topology: Topology,
    /// What every OCS is set to.
    pub cross_connects: CrossConnects,
    /// The flow of the healthy pod.
    pub flow: FlowCertificate,
    /// Sets of OCSes that are disjoint spanning trees over the cubes.
    pub trees: Vec<Vec<OcsId>>,
    /// Nominal first.
    pub scenarios: Vec<ProvedScenario>,
    /// What the report alone says.
    pub stated: Stated,
    /// The program that the manifest names, with its version.
    pub tool: String,
    /// The options that the manifest names, by name; they fit the files.
    pub options: Vec<(String, String)>,
}

/// One scenario, proved.
#[derive(Debug)]
pub struct ProvedScenario {
    /// Recounted.
    pub counts: Counts,
    /// Lower and upper end of lambda, each as (over, under).
    pub flow_ends: [(u128, u128); 2],
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

/// Re-checks a directory: its files, the settings of every switch, the tables of every scenario, every proof and every number.
///
/// `pod` is what the directory's own `spec.fab` resolves to.
///
/// # Errors
/// Everything found; what builds on a wrong thing is not checked any further.
pub fn directory(files: &Files, pod: &Pod) -> Result<Verified, Vec<CheckError>> {
    prove(files, pod, &|_, _, _| Ok(())).map(|proved| proved.verified)
}

/// As [`directory`], and returns what was proved; `each` sees all tables one after the other.
///
/// # Errors
/// As [`directory`], and those of `each`.
pub fn prove(files: &Files, pod: &Pod, each: &EachTables<'_>) -> Result<Proved, Vec<CheckError>> {
    let (build, mut errors) = manifest::manifest(files, pod);
    // Where links or chips fail, only the topology tells which there are, and which faults stand for which.
    let known = tolerated(pod, || topology::topology(files, pod).map(|(topology, _)| topology)).map_err(|error| vec![error]);
    let (routed, only_hashed) = match known.and_then(|scenarios| known_files(files, pod, &scenarios)) {
        Ok(found) => found,
        Err(more) => {
            errors.extend(more);
            return Err(errors);
        }
    };
    match contents(files, pod, routed, each) {
        Ok(mut proved) if errors.is_empty() => {
            proved.verified.only_hashed = only_hashed;
            Ok(Proved { tool: build.tool, options: build.options, ..proved })
        }
        Ok(_) => Err(errors),
        Err(more) => {
            errors.extend(more);
            Err(errors)
        }
    }
}

/// Whether tables and switches have the files they must have, and no others; whether there are tables; and what else is there.
fn known_files(files: &Files, pod: &Pod, scenarios: &[Fault]) -> Result<(bool, Vec<String>), Vec<CheckError>> {
    let json: BTreeSet<String> = scenarios.iter().map(|scenario| scenario.tables_path() + ".json").collect();
    let bin: BTreeSet<String> = json.iter().map(|path| path.replace(".json", ".bin")).collect();
    // One form for all scenarios: that of the healthy pod.
    let tables = if files.contains_key("tables/nominal.bin") { bin } else { json };
    let switches: BTreeSet<String> = pod.ocses.iter().map(switches::config_path).collect();
    let routed = files.keys().any(|path| path.starts_with("tables/"));
    let mut errors = Vec::new();
    let mut wrong = |path: &str, what: &str| errors.push(CheckError::Files { path: path.to_owned(), what: what.to_owned() });
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
        } else if path == INPUTS && !matches!(pod.topology, TopologyChoice::CrossConnects { .. } | TopologyChoice::SynthesizeNear(_)) {
            wrong(path, "does not belong here: the spec names no file of cross-connects");
        } else if path == DEMAND_INPUT {
            // Its place in the spec is read with the spec; the copy of another demand would say what nobody asked for.
            if !matches!(pod.demand.shape(), DemandShape::Matrix(_)) {
                wrong(path, "does not belong here: the spec names no demand matrix");
            }
        } else if ![MANIFEST, TOPOLOGY, OCS, CERTIFICATES, REPORT, SPEC, INPUTS].contains(&path.as_str()) {
            only_hashed.push(path.clone());
        }
    }
    if errors.is_empty() { Ok((routed, only_hashed)) } else { Err(errors) }
}

/// Checks what the files say.
fn contents(files: &Files, pod: &Pod, routed: bool, each: &EachTables<'_>) -> Result<Proved, Vec<CheckError>> {
    let one = |error: CheckError| vec![error];
    let (topology, ocs_of) = topology::topology(files, pod).map_err(one)?;
    let cross_connects = switches::cross_connects(files, pod, &topology, ocs_of).map_err(one)?;
    wiring(pod, &topology, &cross_connects).map_err(one)?;
    let mut errors: Vec<CheckError> = pod
        .ocses
        .enumerate()
        .filter_map(|(id, ocs)| switches::config_db(files, pod, ocs, &cross_connects.settings[id]).err())
        .chain(switches::inputs(files, pod).err())
        .collect();
    let claims = certificates::certificates(files, pod, &topology, routed).map_err(one)?;
    let lit = IdVec::filled(true, topology.links().len());
    errors.extend(flow(&topology, &pod.demand, &lit, &claims.flow).err());
    errors.extend(trees(pod, &topology, &cross_connects, &claims.trees).err());
    let directory = Directory { files, pod, topology: &topology, cross_connects: &cross_connects, claims: &claims, routed, each };
    let checked = claims.scenarios.par_iter().map(|claimed| directory.scenario(claimed)).collect::<Vec<_>>();
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
    let measured = report::Measured {
        pod,
        topology: &topology,
        cross_connects: &cross_connects,
        trees: claims.trees.len(),
        scenarios: &measures,
        // The tables of a scenario say the same as its certificate.
        canonical: routed.then_some(claims.scenarios[0].line.canonical),
    };
    let stated = report::report(files, &measured)?;
    let walks = || measures.iter().filter_map(|scenario| scenario.counts.walk.as_ref());
    let verified = Verified {
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
        let flow_ends = [of.low, of.high].map(|end| end.parts());
        ProvedScenario { counts: of.counts, flow_ends, certified }
    };
    let scenarios = measures.into_iter().zip(certified).map(scenario).collect();
    let (tool, options) = (String::new(), Vec::new());
    Ok(Proved { verified, topology, cross_connects, flow, trees, scenarios, stated, tool, options })
}

/// What every scenario is checked against.
struct Directory<'a> {
    files: &'a Files,
    pod: &'a Pod,
    topology: &'a Topology,
    cross_connects: &'a CrossConnects,
    claims: &'a Claims,
    routed: bool,
    each: &'a EachTables<'a>,
}

impl Directory<'_> {
    /// Proves one scenario and recomputes its metrics.
    fn scenario(&self, Claimed { scenario, line, flow: of_fault }: &Claimed) -> Result<(Measures, Certified), CheckError> {
        let (alive, dead) = (scenario.lit(self.topology, self.cross_connects), scenario.dead());
        let distances = measure_distances(self.topology, &alive, dead).map_err(|(from, to)| CheckError::Disconnected {
            scenario: scenario.name.clone(),
            from: self.pod.node_name(from),
            to: self.pod.node_name(to),
            span: Some(self.pod.budget.faults_span),
        })?;
        let dual = dual::measure(self.topology, &self.pod.demand, &alive, dead, &line.lengths)?;
        let mut routed = None;
        if self.routed {
            let (tables, canonical) = tables::tables(self.files, self.topology, scenario)?;
            if line.canonical != canonical {
                let what = "does not say the same as the tables of this scenario";
                return Err(read::contradiction(CERTIFICATES, format!("scenarios[{}].canonical", scenario.name), what));
            }
            let (walk, proof) = walk_scenario(self.pod, self.topology, &alive, dead, &tables, &line.ranks)?;
            if let Some(limit) = self.pod.budget.table_entries.filter(|&limit| walk.entries_max > u64::from(limit)) {
                return Err(CheckError::OverBudget {
                    scenario: scenario.name.clone(),
                    what: format!("a router has {} table entries, but the budget has {limit}", walk.entries_max),
                    span: Some(self.pod.budget.entries_span),
                });
            }
            (self.each)(&scenario.name, &tables, self.topology)?;
            routed = Some((walk, (ForwardingTables { routers: Vec::new(), ..tables }, proof)));
        } else if !line.ranks.is_empty() {
            let what = "ranks without tables";
            return Err(read::contradiction(CERTIFICATES, format!("scenarios[{}].ranks", scenario.name), what));
        }
        let certified = if scenario.is_healthy() { Some(&self.claims.flow) } else { of_fault.as_ref() };
        if let Some(certificate) = of_fault {
            flow(self.topology, &self.pod.demand, &alive, certificate)?;
        }
        let metrics = Measures::new(Counts {
            scenario: scenario.name.clone(),
            routers: self.topology.nodes().filter(|&node| Some(node) != dead).count() as u64,
            channels: alive.iter().map(|&lit| if lit { 2 } else { 0 }).sum(),
            pairs_at: distances.histogram,
            weighted_hops: demand_hops(self.topology, &self.pod.demand, &alive, dead),
            sent_most: sent_most(&self.pod.demand, dead),
            flow: certified.and_then(flow_end),
            dual,
            bandwidth_bps: self.pod.link_types[self.pod.cube.mesh].bandwidth_bps,
            trees: scenario.whole_sets(&self.claims.trees, &alive, self.cross_connects),
            walk: routed.as_ref().map(|(walk, _)| walk.clone()),
        })?;
        let lengths = DualLengths { lengths: line.lengths.clone(), volume: dual.0, distance: dual.1 };
        Ok((metrics, Certified { lengths, flow: of_fault.clone(), routed: routed.map(|(_, proved)| proved) }))
    }
}
