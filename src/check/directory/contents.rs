//! Proves the contents of all files of a directory, once every file is known.

use super::certificates::{self, CertificateClaims};
use super::comparison::Recomputed;
use super::files::schedule_path;
use super::inputs::{named_inputs, verify_input};
use super::scenario::ScenarioCheck;
use super::{
    Extent, Files, FlowInterval, ProvedDirectory, ProvedScenario, ScenarioProof, TableVisitor, collectives,
    floor, jobs, light, report, switches, topology,
};
use crate::collision::CountedExpectations;
use crate::exact::Exact;
use crate::faults::ToleratedFault;
use crate::hardware::recount_hardware;
use crate::light::light_end_name;
use crate::limit::NearestChips;
use crate::measures::ScenarioMeasures;
use crate::network::ClaimedHalves;
use crate::{
    CheckError, Wired, network as graph, verify_floor, verify_flow, verify_light, verify_trees, verify_wiring,
};
use fabc_ir::{
    CrossConnects, FloorMetrics, HealthyMetrics, HostBisection, JobResult, LightBudgets, NetworkMetrics,
    Placement, Scene, Topology,
};
use fabc_model::{Fabric, Plant};

/// The wiring that the files describe, proved.
struct ProvedWiring {
    topology: Topology,
    cross_connects: Option<CrossConnects>,
    wired: Wired,
    placement: Option<Placement>,
    cables: Option<FloorMetrics>,
    light: Option<LightBudgets>,
}

/// Proves the contents of the files. Returns the word for the contract too.
pub(super) fn prove_contents(
    files: &Files,
    fabric: &Fabric,
    routed: bool,
    visit_tables: &TableVisitor<'_>,
) -> Result<(ProvedDirectory, &'static str), Vec<CheckError>> {
    let single_error = |error: CheckError| vec![error];
    let ProvedWiring { topology, cross_connects, wired, placement, cables, light } =
        prove_wiring(files, fabric).map_err(single_error)?;
    let mut errors = verify_configurations(files, fabric, cross_connects.as_ref());
    let claims = certificates::read_certificates(files, fabric, &topology, routed).map_err(single_error)?;
    let healthy_flow = claims.flow.as_ref();
    errors.extend(
        healthy_flow
            .and_then(|claimed| verify_flow(&Scene::healthy(&topology), &fabric.demand, claimed).err()),
    );
    let network =
        recount_network(fabric, &topology, &claims).map_err(|error| errors.push(error)).unwrap_or_default();
    if let Some((pod, cross_connects)) = fabric.pod().zip(cross_connects.as_ref()) {
        errors.extend(verify_trees(pod, &topology, cross_connects, &claims.trees).err());
    }
    let check = ScenarioCheck {
        files,
        fabric,
        topology: &topology,
        cross_connects: cross_connects.as_ref(),
        claims: &claims,
        routed,
        visit_tables,
        expectations: CountedExpectations::default(),
    };
    let (measures, certified) = check.prove_scenarios(&mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    let network =
        network.map(|counted| with_proved_traffic(counted, fabric, &topology, &measures[0], routed));
    let hardware = recount_hardware(fabric, &topology, cables.as_ref());
    let measured = Recomputed {
        fabric,
        topology: &topology,
        cross_connects: cross_connects.as_ref(),
        trees: claims.trees.len(),
        healthy: HealthyMetrics { network: network.as_ref(), cables: cables.as_ref(), hardware: &hardware },
        light: light.as_ref(),
        scenarios: &measures,
        // The tables of a scenario say the same as its certificate.
        canonical: routed.then_some(claims.scenarios[0].line.canonical),
    };
    let collectives = prove_collectives(&check)?;
    let jobs = prove_jobs(&check)?;
    let (stated, contract) = report::compare_report(files, &measured, &collectives, &jobs)?;
    let extent = extent(files, &measures);
    let CertificateClaims { flow, trees, .. } = claims;
    let scenarios = measures.into_iter().zip(certified);
    let scenarios = scenarios.map(|(measures, certified)| proved_scenario(measures, certified)).collect();
    let proved = ProvedDirectory {
        extent,
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
        broken: contract.broken,
        tool: String::new(),
        options: Vec::new(),
    };
    Ok((proved, contract.word))
}

/// The measures of a scenario with their proof.
fn proved_scenario(measures: ScenarioMeasures, certified: ScenarioProof) -> ProvedScenario {
    let flow_interval = FlowInterval { low: measures.low.parts(), high: measures.high.map(Exact::parts) };
    ProvedScenario { counts: measures.counts, flow_interval, certified }
}

/// The counts of a network, with the numbers that need the proved flow or the proved routes.
fn with_proved_traffic(
    counted: NetworkMetrics,
    fabric: &Fabric,
    topology: &Topology,
    healthy: &ScenarioMeasures,
    routed: bool,
) -> NetworkMetrics {
    let (low, permutation) = (healthy.low, healthy.permutation());
    let bisection = |bisection| graph::with_flow(topology, &fabric.demand, bisection, low);
    let host_bisection = |bisection| HostBisection {
        is_open: !routed && fabric.routing.has_many_paths(),
        ..graph::with_traffic(topology, &fabric.demand, bisection, low, permutation)
    };
    NetworkMetrics {
        bisection: counted.bisection.map(bisection),
        host_bisection: counted.host_bisection.map(host_bisection),
        ..counted
    }
}

/// Recounts the graph of a network. A pod has no such counts.
fn recount_network(
    fabric: &Fabric,
    topology: &Topology,
    claims: &CertificateClaims,
) -> Result<Option<NetworkMetrics>, CheckError> {
    match &fabric.plant {
        Plant::Network(network) => {
            let halves = ClaimedHalves {
                bisection: claims.bisection.as_ref(),
                host_side: claims.host_side.as_deref(),
            };
            graph::recount_network(topology, &fabric.demand, network.failures.as_ref(), &halves).map(Some)
        }
        Plant::Pod(_) => Ok(None),
    }
}

/// Proves topology, cross-connects and floor.
fn prove_wiring(files: &Files, fabric: &Fabric) -> Result<ProvedWiring, CheckError> {
    let (topology, ocs_of) = topology::read_topology(files, fabric)?;
    let pod = fabric.pod();
    let cross_connects =
        pod.map(|pod| switches::read_cross_connects(files, pod, &topology, ocs_of)).transpose()?;
    let wired = verify_wiring(fabric, &topology, cross_connects.as_ref())?;
    let measure_floor = |floor| {
        let placement = floor::read_placement(files, fabric, floor)?;
        verify_floor(fabric, floor, &topology, cross_connects.as_ref(), &placement)
            .map(|metrics| (placement, metrics))
    };
    let (placement, cables) = fabric.floor.as_ref().map(measure_floor).transpose()?.unzip();
    let light = prove_light(files, fabric, &topology, cross_connects.as_ref())?;
    Ok(ProvedWiring { topology, cross_connects, wired, placement, cables, light })
}

/// Proves the light budgets, and the file that lists them.
fn prove_light(
    files: &Files,
    fabric: &Fabric,
    topology: &Topology,
    cross_connects: Option<&CrossConnects>,
) -> Result<Option<LightBudgets>, CheckError> {
    let budgets = verify_light(fabric, topology, cross_connects)?;
    if let Some(budgets) = &budgets {
        let name = |end| light_end_name(fabric, topology, end);
        light::verify_light_file(files, fabric, budgets, &name)?;
    }
    Ok(budgets)
}

/// Convicts configurations of switches, and copies of input files, that differ from what they should be.
fn verify_configurations(
    files: &Files,
    fabric: &Fabric,
    cross_connects: Option<&CrossConnects>,
) -> Vec<CheckError> {
    let mut errors = Vec::new();
    if let Some((pod, cross_connects)) = fabric.pod().zip(cross_connects) {
        let configured = pod.ocses.enumerate().filter(|(_, ocs)| switches::has_config(ocs));
        let convict =
            |(id, ocs)| switches::verify_config_db(files, pod, ocs, &cross_connects.settings[id]).err();
        errors.extend(configured.filter_map(convict).chain(switches::verify_switch_inputs(files, pod).err()));
    }
    let inputs = named_inputs(fabric);
    errors.extend(inputs.iter().filter_map(|(path, text)| verify_input(files, path, text).err()));
    errors
}

/// Proves the schedules of all collectives.
fn prove_collectives(
    check: &ScenarioCheck<'_>,
) -> Result<Vec<Vec<collectives::ProvedSchedule>>, Vec<CheckError>> {
    let &ScenarioCheck { files, fabric, topology, cross_connects, claims, routed, .. } = check;
    let checks = collectives::CollectiveChecks { files, fabric, topology, cross_connects };
    match fabric.pace().filter(|_| schedule_path(files).is_some()) {
        Some(pace) => checks.verify_schedules(pace).map_err(|error| vec![error]),
        None => {
            let scenarios = claims.scenarios.iter().filter(|_| routed);
            let faults: Vec<&ToleratedFault> = scenarios.map(|claimed| &claimed.scenario).collect();
            checks.verify_collectives(&faults)
        }
    }
}

/// Proves the times of all training jobs.
fn prove_jobs(check: &ScenarioCheck<'_>) -> Result<Vec<JobResult>, Vec<CheckError>> {
    let &ScenarioCheck { files, fabric, topology, cross_connects, claims, routed, .. } = check;
    let scenarios = claims.scenarios.iter().filter(|_| routed);
    let faults: Vec<&ToleratedFault> = scenarios.map(|claimed| &claimed.scenario).collect();
    let pod = fabric.pod().filter(|_| !fabric.jobs.is_empty());
    let nearest = pod.map(|pod| NearestChips::new(pod, &fabric.capacities));
    jobs::JobChecks { files, fabric, topology, cross_connects, nearest }.verify_jobs(&faults)
}

/// How much was verified, without the files that were only hashed.
fn extent(files: &Files, measures: &[ScenarioMeasures]) -> Extent {
    let walks = || measures.iter().filter_map(|scenario| scenario.counts.walk.as_ref());
    Extent {
        files: files.len(),
        scenarios: measures.len(),
        routed: walks().count(),
        pairs: walks().map(|walk| walk.route_hops.iter().sum::<u64>()).sum(),
        hops: measures.iter().map(ScenarioMeasures::hops_walked).sum(),
        entries: walks().map(|walk| walk.entries_total).sum(),
        only_hashed: Vec::new(),
    }
}
