//! The checker shares no code of the compiler, and the kernel is small.

use super::{code, complain, files, read, root, starts_word};
use std::collections::BTreeSet;

/// Plain data that the checker judges: all that it, and what reads files for it, may take from `ir`.
const JUDGED: [&str; 108] = [
    "BelowAndUp",
    "Bisection",
    "COLLISION_PARTS",
    "ChangeOrder",
    "ChipGroups",
    "ClusterPairs",
    "CollectiveBound",
    "Collisions",
    "CrossConnect",
    "CrossConnects",
    "CutWeights",
    "Delta",
    "Distances",
    "DualLengths",
    "End",
    "EntryKey",
    "FailureCurve",
    "FailurePoint",
    "FailureReach",
    "FaultSymmetry",
    "FloorMetrics",
    "FlowCertificate",
    "Forest",
    "ForestPath",
    "ForestSend",
    "ForestTree",
    "ForwardingTables",
    "GatherRound",
    "GroupEntry",
    "GroupTables",
    "Hardware",
    "HardwareTotals",
    "HashedGroup",
    "HealthyMetrics",
    "HostBisection",
    "Image",
    "JobBound",
    "JobCandidate",
    "JobOperationOutcome",
    "JobOutcome",
    "JobPhaseOutcome",
    "JobResult",
    "JobStep",
    "JobTopology",
    "JobWitness",
    "LaneLoad",
    "LightBudget",
    "LightBudgets",
    "LightLosses",
    "LimitArgument",
    "Link",
    "LinkClass",
    "Mirrors",
    "NetworkMetrics",
    "PairPath",
    "PairPaths",
    "PassRecord",
    "PathCounts",
    "PathDemand",
    "PathsAt",
    "Permutation",
    "PermutationDual",
    "PhaseTopology",
    "Placement",
    "PlanCut",
    "PlanStage",
    "PlanStep",
    "PortIndices",
    "Pull",
    "Reconfiguration",
    "Relay",
    "Repair",
    "RepairBlocks",
    "RepairLoads",
    "RepairStep",
    "ResultRule",
    "Rounds",
    "RoutedMessage",
    "RouterDelta",
    "RouterNames",
    "RunDirection",
    "Scenario",
    "ScenarioFault",
    "ScenarioTables",
    "Scene",
    "Schedule",
    "Sends",
    "SharedTrees",
    "SpanningTree",
    "StagedPlan",
    "StepChange",
    "SumRule",
    "SwitchPlan",
    "Symmetry",
    "TableChange",
    "TableEntry",
    "TableKey",
    "Timed",
    "TimedMessage",
    "TimedSend",
    "Topology",
    "Transfers",
    "TreeBounds",
    "UniversalLimit",
    "WEIGHT_PARTS",
    "Walk",
    "router_names",
    "schedulable_scene",
];

/// Functions of these data and of the model that the checker must not use, since it computes their results
/// again. They are formulas of metrics and bounds, the list of faults and of what they darken, codes of
/// tables, and generators of groups.
const OF_THE_COMPILER: [&str; 69] = [
    // ir::Collisions
    ".expected_over_mean()",
    ".worst_over_even()",
    // ir::{DualLengths, FlowCertificate, UniversalLimit, Distances, Walk, ScenarioMetrics, Fraction}
    ".bound()",
    ".upper_end()",
    ".least_load()",
    ".lower_end()",
    "FlowCertificate::value",
    ".value()",
    ".is_met(",
    ".compare(",
    ".average()",
    ".max_channel_load()",
    ".total_hops()",
    ".total_load()",
    ".max_load(",
    "Fraction",
    "ScenarioMetrics",
    "RequireOutcome",
    "UniformTopology",
    // ir::{Bisection, HostBisection, NetworkMetrics, PathCounts, FailureCurve}
    ".with_traffic(",
    ".fewest_links()",
    ".bandwidth_at_most()",
    ".median()",
    "median_of(",
    ".mean()",
    ".single_share()",
    ".average_hops()",
    ".with(",
    "PathsAt::NONE",
    "search_unmeasured(",
    "failure_percents(",
    ".at_any_distance()",
    ".flow()",
    ".share(",
    "bisection_unmeasured(",
    // ir::{Placement, FloorMetrics, Topology}, model::Shortcuts
    "FloorMetrics::for_placement",
    "ClusterPairs::for_floor",
    ".laid_cables(",
    ".path_length(",
    ".average_between()",
    ".cables(",
    "link_cycles(",
    "hop_cycles(",
    ".farthest()",
    // model::{Comparison, Metric, Demand, Fabric, Family, ClosedForm}
    ".holds(",
    ".larger_is_better()",
    ".sent_by(",
    ".sent_most(",
    ".required_fault_flow()",
    ".closed_form()",
    ".distance_sum()",
    ".moore_bound(",
    // model::Addresses
    "AddressPlan",
    "AddressCounts",
    // ir::{Scenario, Scene}
    "Scenario::",
    ".is_nominal()",
    "surviving_scene(",
    ".keeps_symmetry()",
    ".intact_sets(",
    "file_stem(",
    // ir::{PackedTables, TableEntry, ForwardingTables}, model::TableKey
    "PackedTables",
    ".unpack()",
    ".router(",
    ".numbers(",
    ".columns()",
    // ir::{Delta, Repair}
    ".applied(",
    ".counts()",
    // ir::{Symmetry, Topology}
    ".generators()",
    ".subgroup(",
];

#[test]
fn the_checker_has_codes_of_its_own() {
    let mut complaints = Vec::new();
    let rooms = ["src/check/", "src/kernel/", "src/ir/read/"];
    // This file reads what shards keep, for the pipeline that goes on with it. The checker proves all its
    // tables and flows later.
    let of_the_pipeline = "src/ir/read/kept.rs";
    let kept = |line: &str| ["KeptFile", "KeptReport"].into_iter().find(|kept| line.contains(kept));
    let named =
        code().into_iter().filter(|(path, _)| path.starts_with("src/check/")).flat_map(|(path, lines)| {
            lines
                .into_iter()
                .filter_map(move |(at, line)| Some(format!("{path}:{at}: reads `{}`", kept(&line)?)))
        });
    complain(named.collect());
    let judged = |path: &str| path != of_the_pipeline && rooms.iter().any(|room| path.starts_with(room));
    for (path, lines) in code().into_iter().filter(|(path, _)| judged(path)) {
        let text: String = lines.iter().map(|(_, line)| format!("{line} ")).collect();
        // `use fabc_ir::{A, B};` over any number of lines, and `fabc_ir::A` anywhere. Files of `fabc-ir` say
        // `crate`.
        let ir = if path.starts_with("src/ir/") { "crate::" } else { "fabc_ir::" };
        for rest in text.split(ir).skip(1).filter(|rest| !rest.starts_with("read::")) {
            let end = if rest.starts_with('{') {
                rest.find('}')
            } else {
                rest.find(|c: char| !c.is_alphanumeric())
            };
            let names = rest[..end.unwrap_or(rest.len())]
                .trim_start_matches('{')
                .split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty());
            complaints.extend(
                names
                    .filter(|name| !JUDGED.contains(name))
                    .map(|name| format!("{path}: the checker must not use `ir::{name}`")),
            );
        }
        for (at, line) in &lines {
            let named = OF_THE_COMPILER.iter().filter(|function| {
                // A word that begins with a letter must not be the end of another one.
                if function.starts_with('.') { line.contains(*function) } else { starts_word(line, function) }
            });
            complaints.extend(named.map(|function| {
                format!("{path}:{at}: the checker must compute `{function}` by a code of its own: {line}")
            }));
        }
    }
    complain(complaints);
    // All listed functions exist: a renamed function must be renamed here.
    let compiler: String = ["src/ir/", "src/model/", "src/topology/"]
        .iter()
        .flat_map(|folder| files(folder))
        .map(|path| read(&path))
        .collect();
    let missing = OF_THE_COMPILER.iter().filter(|function| {
        let name: String = function
            .trim_start_matches('.')
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        !["fn ", "struct ", "impl "].iter().any(|item| compiler.contains(&format!("{item}{name}")))
    });
    complain(
        missing.map(|function| format!("tests/tidy/checker.rs: the compiler has no `{function}`")).collect(),
    );
}

/// The most lines of the kernel, so that a stranger reads it in an afternoon. Its unit tests do not count.
const KERNEL_LINES: usize = 3000;

/// The kernel has few lines, and its crates depend on nothing that knows a fabric.
#[test]
fn the_kernel_is_small_and_knows_no_fabric() {
    let lines: usize = files("src/kernel")
        .iter()
        .filter(|path| path.ends_with(".rs") && !path.ends_with("/tests.rs"))
        .map(|path| read(path).lines().count())
        .sum();
    assert!(lines <= KERNEL_LINES, "src/kernel has {lines} lines, at most {KERNEL_LINES}");
    let manifest = read("src/kernel/Cargo.toml");
    let used = manifest.split("[dependencies]").nth(1).unwrap().split("\n[").next().unwrap();
    let used: Vec<&str> =
        used.lines().filter_map(|line| line.split_once('.').map(|(name, _)| name)).collect();
    assert_eq!(used, ["fabc-topology", "fixedbitset", "rayon"]);
    let cargo = std::env::var("CARGO").unwrap_or("cargo".to_owned());
    let tree = [
        "tree",
        "--package",
        "fabc-kernel",
        "--edges",
        "normal",
        "--prefix",
        "none",
        "--offline",
        "--locked",
    ];
    let tree = std::process::Command::new(cargo).args(tree).current_dir(root()).output().unwrap();
    let tree = String::from_utf8(tree.stdout).unwrap();
    let crates: BTreeSet<&str> = tree
        .lines()
        .filter_map(|line| line.split(' ').next())
        .filter(|name| name.starts_with("fabc-"))
        .collect();
    assert_eq!(crates, BTreeSet::from(["fabc-kernel", "fabc-topology"]), "{tree}");
}
