//! Re-checks a written directory from its files alone.
//!
//! Comes in: the bytes of every file, and the pod that `spec.fab` resolves to. Goes out: what was verified, or every contradiction found.
//! Hashes prove nothing to a reader who does not trust the writer, so everything that the files claim is recomputed.

mod bounds;
mod certificates;
mod manifest;
mod read;
mod report;
mod switches;
mod tables;
mod tables_bin;
mod topology;

use super::{CheckError, dual, flow, scenario_without as walk_scenario, trees, wiring};
use crate::check::distances::{demand_hops, measure as measure_distances};
use crate::check::faults::{Fault, tolerated};
use crate::check::measures::{Counts, Measures, flow_end, sent_most};
use crate::ids::IdVec;
use crate::ir::{CrossConnects, Topology};
use crate::model::{DemandShape, Fabric, Pod, TopologyChoice};
use crate::syntax::DEMAND_INPUT;
use certificates::{Claimed, Claims};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
pub use tables_bin::BinaryTables;

/// The files of a directory: relative path with `/`, and content.
pub type Files = BTreeMap<String, Vec<u8>>;

const MANIFEST: &str = "manifest.json";
const TOPOLOGY: &str = "topology.json";
const OCS: &str = "ocs.json";
const CERTIFICATES: &str = "certificates.json";
const REPORT: &str = "report.json";

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
    /// Files whose hash was compared but whose content says nothing that was recomputed: drawings, other formats, other versions.
    pub only_hashed: Vec<String>,
}

/// Re-checks a directory: its files, the settings of every switch, the tables of every scenario, every proof and every number.
///
/// `fabric` is what the directory's own `spec.fab` resolves to.
///
/// # Errors
/// Everything found; what builds on a wrong thing is not checked any further.
pub fn directory(files: &Files, fabric: &Fabric) -> Result<Verified, Vec<CheckError>> {
    let Some(pod) = fabric.pod() else {
        return Err(vec![CheckError::Wiring { what: "networks cannot be verified yet".to_owned(), span: Some(fabric.span) }]);
    };
    let mut errors = manifest::manifest(files, fabric);
    // Where links or chips fail, only the topology tells which there are, and which faults stand for which.
    let known = tolerated(fabric, || topology::topology(files, fabric, pod).map(|(topology, _)| topology)).map_err(|error| vec![error]);
    let (routed, only_hashed) = match known.and_then(|scenarios| known_files(files, fabric, pod, &scenarios)) {
        Ok(found) => found,
        Err(more) => {
            errors.extend(more);
            return Err(errors);
        }
    };
    match contents(files, fabric, pod, routed) {
        Ok(mut verified) if errors.is_empty() => {
            verified.only_hashed = only_hashed;
            Ok(verified)
        }
        Ok(_) => Err(errors),
        Err(more) => {
            errors.extend(more);
            Err(errors)
        }
    }
}

/// Whether tables and switches have the files they must have, and no others; whether there are tables; and what else is there.
fn known_files(files: &Files, fabric: &Fabric, pod: &Pod, scenarios: &[Fault]) -> Result<(bool, Vec<String>), Vec<CheckError>> {
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
        } else if path == "inputs/ocs.json"
            && !matches!(pod.topology, TopologyChoice::CrossConnects { .. } | TopologyChoice::SynthesizeNear(_))
        {
            wrong(path, "does not belong here: the spec names no file of cross-connects");
        } else if path == DEMAND_INPUT {
            // Its place in the spec is read with the spec; the copy of another demand would say what nobody asked for.
            if !matches!(fabric.demand.shape(), DemandShape::Matrix(_)) {
                wrong(path, "does not belong here: the spec names no demand matrix");
            }
        } else if ![MANIFEST, TOPOLOGY, OCS, CERTIFICATES, REPORT, "spec.fab", "inputs/ocs.json"].contains(&path.as_str()) {
            only_hashed.push(path.clone());
        }
    }
    if errors.is_empty() { Ok((routed, only_hashed)) } else { Err(errors) }
}

/// Checks what the files say.
fn contents(files: &Files, fabric: &Fabric, pod: &Pod, routed: bool) -> Result<Verified, Vec<CheckError>> {
    let one = |error: CheckError| vec![error];
    let (topology, ocs_of) = topology::topology(files, fabric, pod).map_err(one)?;
    let cross_connects = switches::cross_connects(files, pod, &topology, ocs_of).map_err(one)?;
    wiring(fabric, &topology, Some(&cross_connects)).map_err(one)?;
    let mut errors: Vec<CheckError> = pod
        .ocses
        .enumerate()
        .filter_map(|(id, ocs)| switches::config_db(files, pod, ocs, &cross_connects.settings[id]).err())
        .chain(switches::inputs(files, fabric, pod).err())
        .collect();
    let claims = certificates::certificates(files, fabric, pod, &topology, routed).map_err(one)?;
    let lit = IdVec::filled(true, topology.links().len());
    errors.extend(flow(&topology, &fabric.demand, &lit, &claims.flow).err());
    errors.extend(trees(pod, &topology, &cross_connects, &claims.trees).err());
    let directory = Directory { files, fabric, topology: &topology, cross_connects: &cross_connects, claims: &claims, routed };
    let checked = claims.scenarios.par_iter().map(|claimed| directory.scenario(claimed)).collect::<Vec<_>>();
    let mut scenarios = Vec::new();
    let mut canonical = None;
    for result in checked {
        match result {
            Ok((metrics, of_tables)) => {
                canonical = if scenarios.is_empty() { of_tables } else { canonical };
                scenarios.push(metrics);
            }
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let measured = report::Measured {
        fabric,
        pod,
        topology: &topology,
        cross_connects: &cross_connects,
        trees: claims.trees.len(),
        scenarios: &scenarios,
        canonical,
    };
    errors = report::report(files, &measured);
    if !errors.is_empty() {
        return Err(errors);
    }
    let walks = || scenarios.iter().filter_map(|scenario| scenario.counts.walk.as_ref());
    Ok(Verified {
        files: files.len(),
        scenarios: scenarios.len(),
        routed: walks().count(),
        pairs: walks().map(|walk| walk.route_hops.iter().sum::<u64>()).sum(),
        hops: scenarios.iter().map(Measures::hops_walked).sum(),
        entries: walks().map(|walk| walk.entries_total).sum(),
        only_hashed: Vec::new(),
    })
}

/// Hosts of the router with most of them.
fn hosts_of(topology: &Topology) -> u64 {
    topology.nodes().map(|node| u64::from(topology.hosts(node))).max().unwrap_or(1)
}

/// Bandwidth of a channel, bit/s.
fn bandwidth(fabric: &Fabric) -> u64 {
    let used = fabric.pod().map(|pod| pod.cube.mesh);
    used.map_or(0, |used| fabric.link_types[used].bandwidth_bps)
}

/// What every scenario is checked against.
struct Directory<'a> {
    files: &'a Files,
    fabric: &'a Fabric,
    topology: &'a Topology,
    cross_connects: &'a CrossConnects,
    claims: &'a Claims,
    routed: bool,
}

impl Directory<'_> {
    /// Recomputes the metrics of one scenario; and whether its tables are canonical, if there are any.
    fn scenario(&self, Claimed { scenario, line, flow: of_fault }: &Claimed) -> Result<(Measures, Option<bool>), CheckError> {
        let (alive, dead) = (scenario.lit(self.topology, Some(self.cross_connects)), scenario.dead());
        let distances = measure_distances(self.topology, &alive, dead).map_err(|(from, to)| CheckError::Disconnected {
            scenario: scenario.name.clone(),
            from: self.topology.name(from),
            to: self.topology.name(to),
            span: Some(self.fabric.budget.faults_span),
        })?;
        let dual = dual::measure(self.topology, &self.fabric.demand, &alive, dead, &line.lengths)?;
        let mut routed = None;
        if self.routed {
            let (tables, canonical) = tables::tables(self.files, self.topology, scenario)?;
            if line.canonical != canonical {
                let what = "does not say the same as the tables of this scenario";
                return Err(read::contradiction(CERTIFICATES, format!("scenarios[{}].canonical", scenario.name), what));
            }
            let (walk, _) = walk_scenario(self.fabric, self.topology, &alive, dead, &tables, &line.ranks)?;
            routed = Some((walk, canonical));
        } else if !line.ranks.is_empty() {
            let what = "ranks without tables";
            return Err(read::contradiction(CERTIFICATES, format!("scenarios[{}].ranks", scenario.name), what));
        }
        let certified = if scenario.is_healthy() { Some(&self.claims.flow) } else { of_fault.as_ref() };
        if let Some(certificate) = of_fault {
            flow(self.topology, &self.fabric.demand, &alive, certificate)?;
        }
        let metrics = Measures::new(Counts {
            scenario: scenario.name.clone(),
            routers: self.topology.endpoints().filter(|&node| Some(node) != dead).count() as u64,
            channels: self.topology.channels().filter(|channel| alive[channel.link()]).count() as u64,
            pairs_at: distances.histogram,
            weighted_hops: demand_hops(self.topology, &self.fabric.demand, &alive, dead),
            sent_most: sent_most(&self.fabric.demand, dead),
            flow: certified.and_then(flow_end),
            dual,
            bandwidth_bps: bandwidth(self.fabric),
            hosts: hosts_of(self.topology),
            trees: Some(scenario.whole_sets(&self.claims.trees, &alive, self.cross_connects)),
            walk: routed.as_ref().map(|(walk, _)| walk.clone()),
        })?;
        Ok((metrics, routed.map(|(_, canonical)| canonical)))
    }
}
