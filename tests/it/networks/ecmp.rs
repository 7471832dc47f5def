//! Flows that a hash spreads over many paths: the same groups as packets that are sprayed, and collisions
//! against known answers, with faults, and as the checker counts them again.

use super::builds::built;
use crate::support::fixture::directory::tamper;
use fabc::check;
use fabc::ir::{COLLISION_PARTS, Collisions, Fraction, HashedGroup, ScenarioMetrics, Scene};
use fabc::model::Metric;
use fabc::verify;
use serde_json::json;

/// A spec with this number of hosts, budget, topology, routing and other items.
fn spec(hosts: u32, budget: &str, topology: &str, routing: &str, items: &str) -> String {
    // Only a floor determines lengths.
    let cable = if items.starts_with("floor") { "per_metre = 5 ns; cost_per_metre = 2;" } else { "" };
    format!(
        "fabric hashed {{
    clock = 1 GHz;
    link slow {{ bandwidth = 200 Gbps; latency = 30 ns; }}
    link fiber {{ bandwidth = 400 Gbps; latency = 30 ns; {cable} }}
    router {{ radix = 160; hosts = {hosts}; vcs = 2; flit = 256 B; buffer = 128 flits; latency = 100 cycles; }}
    budget {{ {budget} }}
    topology = {topology}
    routing = {routing};
    {items}
}}
"
    )
}

fn metric_text(metrics: &ScenarioMetrics, metric: Metric, digits: usize) -> String {
    metrics.value(metric).map_or("-".to_owned(), |value| format!("{:.digits$}", value.as_f64()))
}

/// Leaves with as many hosts as uplinks, with one flow and with four flows of every pair of hosts.
#[test]
fn collisions_are_the_known_ones() {
    for (hosts, flows, spines, parallel, collision, worst) in [
        (2, 1, 2, 1, "1.5000", 2),
        (4, 1, 4, 1, "2.1250", 4),
        (8, 1, 8, 1, "2.5972", 8),
        (16, 1, 16, 1, "3.0782", 16),
        (32, 1, 32, 1, "3.5329", 32),
        (4, 4, 4, 1, "1.5348", 4),
        (8, 4, 8, 1, "1.7619", 8),
        (16, 4, 16, 1, "1.9701", 16),
        (32, 4, 32, 1, "2.1626", 32),
        // Parallel cables are members of their own.
        (16, 4, 4, 4, "1.9701", 16),
        // One member takes every flow.
        (3, 5, 1, 1, "1.0000", 1),
    ] {
        let topology =
            format!("leaf_spine {{ leaves = 2; spines = {spines}; parallel = {parallel}; over = fiber; }}");
        let routing = format!("ecmp {{ flows = {flows}; }}");
        let metrics = built(&spec(hosts, "vcs = 1;", &topology, &routing, "")).0.metrics();
        let place = format!("{hosts} hosts, {flows} flows, {spines} x {parallel}");
        assert_eq!(metric_text(&metrics[0], Metric::Collision, 4), collision, "{place}");
        assert_eq!(
            metrics[0].value(Metric::CollisionWorst),
            Some(Fraction::integer(worst as u32)),
            "{place}"
        );
        assert_eq!(
            metrics[0].value(Metric::Permutation),
            Some(Fraction::new(hosts, (spines * parallel) as u32)),
            "{place}"
        );
    }
}

/// A group that loses a member has fewer next hops, so its flows collide less. Other leaves are as before.
#[test]
fn faults_change_groups() {
    let topology = "leaf_spine { leaves = 3; spines = 4; over = fiber; }";
    let link = built(&spec(4, "vcs = 1; faults = 1 link;", topology, "ecmp", "")).0.metrics();
    // The leaf that keeps its four cables reaches the third one by all of them.
    assert_eq!(metric_text(&link[1], Metric::Collision, 4), "2.1250");
    let router = built(&spec(4, "vcs = 1; faults = 1 router;", topology, "ecmp", "")).0.metrics();
    let spine = router.iter().find(|metrics| metrics.scenario.starts_with("spine")).unwrap();
    // Four flows on three next hops: of 81 choices 3 put four on one, 24 three, and 54 two.
    let expected = Fraction::new(3u32 * 4 + 24 * 3 + 54 * 2, 81u8).times(Fraction::new(3u8, 4u8));
    let parts = expected.times(Fraction::integer(COLLISION_PARTS)).ceil();
    assert_eq!(spine.value(Metric::Collision), Some(Fraction::new(parts, COLLISION_PARTS)));
    assert_eq!(spine.value(Metric::CollisionWorst), Some(Fraction::integer(2u8)));
    assert_eq!(metric_text(&router[0], Metric::Collision, 4), "2.1250");
}

/// Switches that take all flows of several leaves below: they are what fills the next hops above.
#[test]
fn flows_of_leaves_with_one_next_hop_meet_above() {
    // Each of three leaves has two cables to one switch, which has four members above for the flows of all
    // three.
    let topology = "clos { down = 3 x 2; up = 1 x 4; parallel = 2 x 1; over = fiber; }";
    let (compiled, _) = built(&spec(2, "vcs = 1;", topology, "ecmp { flows = 2; }", ""));
    let collisions = compiled.scenarios[0].metrics.collisions.unwrap();
    assert_eq!(collisions.worst, HashedGroup { flows: 12, members: 4 });
    // All multinomial coefficients of 12 flows on 4 members give this expectation.
    let parts = (1_699_765 * u128::from(COLLISION_PARTS)).div_ceil(1_048_576);
    assert_eq!(collisions.expected.map(u128::from), Some(parts));
}

/// Everything but tables and collisions is as with packets that are sprayed.
#[test]
fn hashed_flows_have_the_groups_and_loads_of_sprayed_packets() {
    let uneven = "clos { down = 2 x 3; up = 3 x 2; parallel = 2 x 1; over = [slow, fiber]; }";
    for (budget, topology, items) in [
        (
            "vcs = 2; faults = 1 link;",
            "fat_tree { k = 4; over = fiber; }",
            "demand { all_to_all over groups of 4 weight 9; all_to_all weight 1; }",
        ),
        ("vcs = 1; faults = 1 router;", uneven, "demand { all_to_all over groups of 2 weight 3; }"),
        (
            "vcs = 1; faults = 1 link;",
            "fat_tree { k = 4; over = fiber; }",
            "floor { cabinet = 4; } require cable_length <= 1000 m;",
        ),
        ("vcs = 1; table_entries = 4;", "fat_tree { k = 4; over = fiber; }", "require collision >= 1.3;"),
        (
            "vcs = 1; faults = 1 link;",
            uneven,
            "require fault.collision <= 2 * nominal; require fault.collision_worst <= 6;",
        ),
        (
            "vcs = 1;",
            "leaf_spine { leaves = 2; spines = 1; over = slow; }",
            "failures { links <= 20 %; seeds = 3; } require disconnect_share >= 0.01;",
        ),
    ] {
        let (sprayed, _) = built(&spec(2, budget, topology, "spray", items.split("require").next().unwrap()));
        let (hashed, files) = built(&spec(2, budget, topology, "ecmp { flows = 3; }", items));
        assert_eq!(sprayed.scenarios.len(), hashed.scenarios.len());
        for (sprayed, hashed) in sprayed.scenarios.iter().zip(&hashed.scenarios) {
            let tables = [sprayed, hashed].map(|scenario| &scenario.sprayed.as_ref().unwrap().tables);
            assert_eq!(tables[0], tables[1]);
            assert!(sprayed.metrics.collisions.is_none() && hashed.metrics.collisions.is_some());
            let same = ScenarioMetrics { collisions: None, ..hashed.metrics.clone() };
            assert_eq!(sprayed.metrics, same);
        }
        let tables = String::from_utf8(files["tables/nominal.json"].clone()).unwrap();
        let head = "{\"format\":\"fabc.tables/2\",\"scenario\":\"nominal\",\"kind\":\"ecmp\",\"hash\":\"flow\",\"flows\":3,";
        assert!(tables.starts_with(head), "{tables}");
    }
}

/// A group with more flows than are counted has no expectation. What all flows on one member lose is known.
#[test]
fn too_many_flows_leave_the_expectation_out() {
    let topology = "leaf_spine { leaves = 3; spines = 2; over = fiber; }";
    let (compiled, files) = built(&spec(2, "vcs = 1;", topology, "ecmp { flows = 1000; }", ""));
    let metrics = &compiled.scenarios[0].metrics;
    assert_eq!(metrics.value(Metric::Collision), None);
    assert_eq!(metrics.value(Metric::CollisionWorst), Some(Fraction::integer(2u8)));
    let report = String::from_utf8(files["report.json"].clone()).unwrap();
    assert!(
        report.contains("\"collision_worst\":2.000000") && !report.contains("\"collision\":"),
        "{report}"
    );
}

/// Other collisions than those of the tables are refused, in a build and in a directory.
#[test]
fn changed_collisions_are_convicted() {
    let topology = "leaf_spine { leaves = 3; spines = 3; over = fiber; }";
    let text =
        spec(2, "vcs = 1; faults = 1 link;", topology, "ecmp { flows = 2; }", "require collision <= 2;");
    let (compiled, files) = built(&text);
    let scene = Scene::healthy(&compiled.topology);
    let tables = &compiled.scenarios[0].sprayed.as_ref().unwrap().tables;
    let claimed = compiled.scenarios[0].metrics.collisions.unwrap();
    let verify_claim = |claimed: Option<Collisions>, flows| {
        check::verify_collisions(
            &scene,
            tables,
            flows,
            claimed.as_ref(),
            &check::CountedExpectations::default(),
        )
    };
    verify_claim(Some(claimed), 2).unwrap();
    assert!(verify_claim(Some(claimed), 3).is_err() && verify_claim(None, 2).is_err());
    for expected in [None, claimed.expected.map(|parts| parts + 1), claimed.expected.map(|parts| parts - 1)] {
        assert!(verify_claim(Some(Collisions { expected, ..claimed }), 2).is_err());
    }
    let worst = HashedGroup { flows: 4, members: 4 };
    assert!(verify_claim(Some(Collisions { worst, ..claimed }), 2).is_err());

    let spec_text = String::from_utf8(files["spec.fab"].clone()).unwrap();
    let fault = compiled.scenarios[1].scenario.name.clone();
    let nominal = "tables/nominal.json";
    let changed = [
        tamper(&files, "report.json", |report| report["metrics"]["collision"] = json!(1.5)),
        tamper(&files, "report.json", |report| report["metrics"]["collision_worst"] = json!(3)),
        tamper(&files, "report.json", |report| {
            report["metrics"].as_object_mut().unwrap().remove("collision");
        }),
        tamper(&files, "report.json", |report| report["scenarios"][&fault]["collision"] = json!(1.6)),
        tamper(&files, "report.json", |report| report["worst"]["collision"]["value"] = json!(1.6)),
        tamper(&files, "report.json", |report| report["requires"][0]["measured"] = json!(1.6)),
        tamper(&files, nominal, |tables| tables["kind"] = json!("spray")),
        tamper(&files, nominal, |tables| tables["flows"] = json!(3)),
        tamper(&files, nominal, |tables| {
            tables.as_object_mut().unwrap().remove("flows");
        }),
        tamper(&files, nominal, |tables| tables["hash"] = json!("packet")),
    ];
    for (place, files) in changed.iter().enumerate() {
        let errors = verify::directory(files, &compiled.fabric, &spec_text).err();
        let errors = errors.unwrap_or_else(|| panic!("change {place} goes unnoticed"));
        let told = errors.iter().any(|error| {
            let message = error.to_string();
            ["collision", "requires", "kind"].iter().any(|word| message.contains(word))
        });
        assert!(told, "change {place}: {errors:?}");
    }
}
