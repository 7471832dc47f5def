//! The search for topologies: every declarable pod gets one, the notes say what symmetry it has and why,
//! settings do what they say.

use crate::support::spec_text;
use fabc::compile::{Stage, compile};
use fabc::compiled::CompiledFabric;
use fabc::model::{MAX_EFFORT, Metric, TopologyChoice};
use fabc::progress::{Progress, Silent};
use spec_text::SpecText;

/// A pod with the settings of its search.
fn spec(mesh: [u32; 3], cubes: u32, settings: &str) -> SpecText {
    SpecText::pod(mesh, cubes).with(&format!("topology = synthesize {{ {settings} }}"))
}

fn compiled_with(spec: &SpecText, progress: &dyn Progress, last: Stage) -> CompiledFabric {
    let text = spec.text();
    let loader = |_: &str| Ok(text.clone());
    let (pod, _, _) = fabc::lang::read_normal("test.fab", &loader)
        .unwrap_or_else(|(failure, _)| panic!("{failure:?}\n{text}"));
    compile(pod, last, progress).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

fn analyzed(spec: &SpecText) -> CompiledFabric {
    compiled_with(spec, &Silent, Stage::Analyze)
}

fn flow(compiled: &CompiledFabric) -> f64 {
    compiled.flow.value()
}

fn hops(compiled: &CompiledFabric) -> f64 {
    compiled.scenarios[0].metrics.value(Metric::AverageHops).unwrap().as_f64()
}

fn order(compiled: &CompiledFabric) -> usize {
    compiled.topology.symmetry().order()
}

fn notes(compiled: &CompiledFabric) -> String {
    compiled.passes[0].notes.join("; ")
}

fn cubes_of_two(cubes: u32, settings: &str) -> SpecText {
    spec([2, 2, 2], cubes, settings)
}

#[test]
fn the_fewest_hops_of_small_pods_are_known() {
    for (cubes, known) in [(2, 1.7333), (3, 2.0), (4, 2.1290)] {
        let found_hops = hops(&analyzed(&cubes_of_two(cubes, "objective = hops;")));
        assert!((found_hops - known).abs() < 6e-5, "{cubes} cubes: {found_hops}, known {known}");
    }
}

#[test]
fn eight_cubes_of_two_reach_what_no_topology_exceeds() {
    let compiled = analyzed(&cubes_of_two(8, ""));
    let limit = compiled.expect_pod().1.limit.as_ref().unwrap().value().as_f64();
    assert!((limit - 0.038_961_036).abs() < 1e-6, "{limit}");
    assert!(flow(&compiled) > 0.9999 * limit, "{} of {limit}", flow(&compiled));
}

#[test]
fn cubes_that_differ_keep_the_symmetry_that_is_left() {
    let z_for_four = "ocs Z[u in 0..2, v in 0..2] for cubes 0..4 { couple +z[u, v] with -z[u, v] over fiber; ports = 16; }";
    let some_without_z = analyzed(&cubes_of_two(6, "").with(z_for_four));
    assert!(
        order(&some_without_z) >= 1
            && notes(&some_without_z).contains("its cubes are of 2 kinds (4 like cube0, 2 like cube4)")
    );
    assert!(notes(&some_without_z).contains("translations of order 2"), "{}", notes(&some_without_z));

    let x_in_halves = cubes_of_two(8, "")
        .without("ocs X")
        .with("ocs XA[u in 0..2, v in 0..2] for cubes 0..4 { couple +x[u, v] with -x[u, v] over fiber; ports = 16; }")
        .with("ocs XB[u in 0..2, v in 0..2] for cubes 4..8 { couple +x[u, v] with -x[u, v] over fiber; ports = 16; }");
    let halves = analyzed(&x_in_halves);
    assert!(notes(&halves).contains("translations of order 4"), "{}", notes(&halves));

    let three_and_four = analyzed(&cubes_of_two(7, "").with(z_for_four));
    assert!(notes(&three_and_four).contains("searched without symmetry"), "{}", notes(&three_and_four));
    assert!(flow(&three_and_four) > 0.039, "{}", flow(&three_and_four));
}

#[test]
fn a_switch_without_sides_carries_at_least_as_much() {
    for cubes in [2, 4, 5] {
        let sided = cubes_of_two(cubes, "");
        let free = ["x", "y", "z"].into_iter().fold(sided.clone(), |pod, axis| {
            let name = axis.to_uppercase();
            pod.with(&format!("ocs {name}[u in 0..2, v in 0..2] {{ couple any of +{axis}[u, v], -{axis}[u, v] over fiber; ports = 16; }}"))
        });
        let (sided, free) = (flow(&analyzed(&sided)), flow(&analyzed(&free)));
        assert!(free > 0.99 * sided, "{cubes} cubes: {free} without sides, {sided} with");
    }
}

#[test]
fn single_chips_and_switches_that_serve_several_positions() {
    let chips = "ocs A { couple +x[0, 0] with -x[0, 0] over fiber; ports = 16; }
        ocs B { couple any of +y[0, 0], -y[0, 0], +z[0, 0] over fiber; ports = 64; }";
    let compiled = analyzed(&spec([1, 1, 1], 13, "").without("ocs").with(chips));
    assert_eq!(compiled.topology.node_count(), 13);
    assert!(hops(&compiled) < 2.2, "{}", hops(&compiled));
    let graph = "ocs ANY { couple any of +x[0, 0], -x[0, 0], +y[0, 0], -y[0, 0] over fiber; ports = 64; }";
    let ten = analyzed(&spec([1, 1, 1], 10, "").without("ocs").with(graph));
    assert!(
        (flow(&ten) - 2.0 / 7.0).abs() < 1e-4,
        "the best graph of ten nodes with four links carries 2/7: {}",
        flow(&ten)
    );
}

#[test]
fn a_demand_over_pairs_of_cubes_is_kept_by_a_group_that_does_not_follow_their_numbers() {
    // By number only whole pairs can be moved: order 3. The cycle 0, 2, 4, 1, 3, 5 takes pairs to pairs, too.
    let demand = "demand { all_to_all over groups of 16 weight 4; all_to_all weight 1; }";
    let compiled = analyzed(&cubes_of_two(6, "").with(demand));
    assert_eq!(order(&compiled), 6);
    assert_eq!(
        notes(&compiled),
        "searched with translations of order 6 that do not follow the numbers of the cubes"
    );
    assert!(compiled.expect_pod().1.limit.is_none(), "the universal bound is about uniform demand");
    let uniform = compiled.expect_pod().1.uniform.as_ref().unwrap();
    assert!(
        flow(&compiled) >= uniform.flow_low.as_f64(),
        "made for the demand {}, for uniform {:?}",
        flow(&compiled),
        uniform.flow_low
    );
}

/// Switches along x that serve the cubes from `first` to before `end`.
fn along_x(first: u32, end: u32) -> String {
    let couple = "couple +x[u, v] with -x[u, v] over fiber; ports = 16;";
    format!("ocs X{first}[u in 0..2, v in 0..2] for cubes {first}..{end} {{ {couple} }}")
}

/// Cubes of which two each have switches along x of their own.
fn x_in_pairs(cubes: u32, settings: &str) -> SpecText {
    let pairs: String = (0..cubes / 2).map(|index| along_x(2 * index, 2 * index + 2)).collect();
    cubes_of_two(cubes, settings).without("ocs X").with(&pairs)
}

#[test]
fn switches_that_serve_pairs_of_cubes_are_moved_along_with_the_cubes() {
    // Every switch along x stays in place under the exchange of its two cubes only: order 2, which is all
    // that is left under faults of switches.
    let steady = analyzed(&x_in_pairs(6, ""));
    assert_eq!(order(&steady), 2);
    assert!(
        notes(&steady).ends_with("a group that moves switches would be broken by their faults"),
        "{}",
        notes(&steady)
    );
    let without_faults = |spec: SpecText| analyzed(&spec.with(NO_FAULTS));
    let moved = without_faults(x_in_pairs(6, "symmetry = translation;"));
    assert_eq!(order(&moved), 6);
    assert_eq!(
        notes(&moved),
        "searched with translations of order 6 that move switches along with the cubes"
    );
    assert!(
        flow(&moved) > 0.999 * flow(&steady),
        "{} with order 6, {} with order 2",
        flow(&moved),
        flow(&steady)
    );
    // Nothing carries a switch of two cubes to one of a single cube.
    let uneven = without_faults(x_in_pairs(5, "").with(&along_x(4, 5)));
    assert!(
        notes(&uneven).starts_with("searched without symmetry: its cubes are of 3 kinds"),
        "{}",
        notes(&uneven)
    );
}

/// A clock on which every time limit is over.
struct OutOfTime;

impl Progress for OutOfTime {
    fn begin(&self, _pass: &str, _total: u64) {}
    fn advance(&self) {}
    fn end(&self) {}
    fn expired(&self, _seconds: u32) -> bool {
        true
    }
}

#[test]
fn a_time_limit_is_said_to_have_ended_the_search() {
    let with = cubes_of_two(4, "time_limit = 1 min;");
    let late = compiled_with(&with, &OutOfTime, Stage::Analyze);
    assert_eq!(late.passes[0].stopped_by, "time_limit");
    assert!(notes(&late).contains("another run may give other bytes"), "{}", notes(&late));
    // A limit that is never reached changes nothing.
    let (in_time, without) = (analyzed(&with), analyzed(&cubes_of_two(4, "")));
    assert_eq!(in_time.passes[0].stopped_by, "budget");
    assert_eq!(
        in_time.topology.links().iter().collect::<Vec<_>>(),
        without.topology.links().iter().collect::<Vec<_>>()
    );
}

#[test]
fn effort_max_is_a_number() {
    let loader = |_: &str| Ok(cubes_of_two(4, "effort = max;").text());
    let (fabric, _, _) = fabc::lang::read_normal("test.fab", &loader).unwrap();
    assert!(
        matches!(fabric.pod().expect("a pod").topology, TopologyChoice::Synthesize(settings) if settings.effort == MAX_EFFORT)
    );
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let spec = cubes_of_two(6, "");
    let links = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| analyzed(&spec).topology.links().iter().copied().collect::<Vec<_>>())
    };
    assert_eq!(links(1), links(3));
}

const NO_FAULTS: &str = "budget { vcs = 2; faults = 0; }";

/// Chips that are cubes of their own, on three switches: a third of all fibers is dark with one of them.
fn single_chips(cubes: u32) -> SpecText {
    let pod = spec([1, 1, 1], cubes, "").without("ocs");
    pod.with(
        "ocs X { couple +x[0, 0] with -x[0, 0] over fiber; ports = 100; }
         ocs Y { couple +y[0, 0] with -y[0, 0] over fiber; ports = 100; }
         ocs Z { couple +z[0, 0] with -z[0, 0] over fiber; ports = 100; }",
    )
}

#[test]
fn a_required_flow_under_faults_steers_the_search() {
    let built = |require: &str| compiled_with(&single_chips(48).with(require), &Silent, Stage::Check);
    let worst = |compiled: &CompiledFabric| {
        compiled.scenarios[1..]
            .iter()
            .map(|fault| fault.metrics.flow_low.as_f64())
            .fold(f64::INFINITY, f64::min)
    };
    let (plain, steered) = (built(""), built("require fault.concurrent_flow >= 0.03;"));
    assert_eq!(notes(&plain), "");
    assert!(worst(&plain) < 0.03, "{}", worst(&plain));
    assert!(worst(&steered) >= 0.03 && steered.requires[0].holds() == Some(true), "{}", worst(&steered));
    assert!(notes(&steered).starts_with("steered by fault.concurrent_flow"), "{}", notes(&steered));
    // The healthy pod gives up little.
    assert!(flow(&steered) > 0.98 * flow(&plain), "{} of {}", flow(&steered), flow(&plain));
}

#[test]
fn a_pod_that_tolerates_faults_is_wired_to_hold_together() {
    // The best wiring of 16 chips makes two halves of it that only one switch joins.
    let tolerant = compiled_with(&single_chips(16), &Silent, Stage::Check);
    assert!(notes(&tolerant).contains("the best wiring would be disconnected"), "{}", notes(&tolerant));
    assert_eq!(tolerant.scenarios.len(), 1 + 3);
    let heedless = analyzed(&single_chips(16).with(NO_FAULTS));
    assert_eq!(notes(&heedless), "");
}
