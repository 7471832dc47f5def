//! All kinds of specs: after a change, a build searches only for what has changed, and writes the bytes of a
//! build without a cache.

use super::{Workshop, pod};
use crate::support::spec_text::SpecText;

/// A change of a spec, and the passes that a build then runs again.
type Change = (&'static str, &'static [&'static str]);

const SEARCHES: &[&str] = &["synthesize", "flow", "order", "scenarios"];
const TABLES: &[&str] = &["flow", "order", "scenarios"];
const NOTHING: &[&str] = &[];

/// Builds a spec, and then each of its changes: with what the cache has of the first one, once more, and
/// without a cache.
fn check(spec: &SpecText, changes: &[Change]) {
    let workshop = Workshop::new();
    let first = workshop.build(&spec.text(), &[]);
    assert!(!first.passes.is_empty());
    for (item, wanted) in changes {
        let changed = spec.clone().with(item).text();
        check_text(&spec.text(), &changed, item, wanted);
    }
}

/// Builds a spec and a change of it, as [`check`] does.
fn check_text(spec: &str, changed: &str, item: &str, wanted: &[&str]) {
    let workshop = Workshop::new();
    workshop.build(spec, &[]);
    let built = workshop.build(changed, &[]);
    assert_eq!(built.passes, wanted, "{item}");
    let again = workshop.build(changed, &[]);
    assert_eq!(again.passes, NOTHING, "{item}: the second build searches");
    let plain = workshop.build(changed, &["--no-cache"]);
    for known in [built, again] {
        assert!(known.files == plain.files, "{item}: other bytes");
        assert_eq!(known.summary, plain.summary, "{item}");
    }
}

#[test]
fn synthesized_pods() {
    // The search for a topology reads the faults. Where it finds the same one, everything on it stays.
    let [topology, faults]: [&[_]; 2] = [&["synthesize"], &["synthesize", "scenarios"]];
    let compared = &["synthesize", "synthesize", "flow", "flow", "order", "scenarios"];
    let light =
        "simulate light { traffic = uniform; rates = 0.1; warmup = 100 cycles; measure = 200 cycles; }";
    let with_require =
        "simulate light { traffic = uniform; rates = 0.1; warmup = 100 cycles; measure = 200 cycles; }
        require light.latency(0.5) <= 900 cycles;";
    check(
        &pod(),
        &[
            ("require diameter <= 9;", NOTHING),
            ("require fault.diameter <= 12;", NOTHING),
            ("require fault.concurrent_flow >= 0.0001;", topology),
            ("require bandwidth >= 1 GB/s;", NOTHING),
            (light, &["saturation", "simulate"]),
            (with_require, &["saturation", "simulate"]),
            ("routing = allowed_turns { key = dst; }", TABLES),
            ("routing = up_down;", &["flow", "scenarios"]),
            ("budget { vcs = 2; faults = 0; }", topology),
            ("budget { vcs = 2; faults = 1 link; }", faults),
            ("budget { vcs = 3; faults = 1 ocs; }", SEARCHES),
            ("clock = 2 GHz;", SEARCHES),
            ("link fiber { bandwidth = 100 GB/s; latency = 10 cycles; }", SEARCHES),
            ("chip { radix = 6; vcs = 4; flit = 64 B; buffer = 50 flits; latency = 10 cycles; }", SEARCHES),
            ("topology = synthesize { symmetry = translation; effort = 1; seed = 2; }", SEARCHES),
            ("topology = synthesize { symmetry = translation; effort = 2; seed = 1; }", SEARCHES),
            ("topology = torus 4 x 4 x 2;", TABLES),
            // The search compares the topology for the demand with that for uniform demand.
            ("demand { all_to_all over groups of 8 weight 4; all_to_all weight 1; }", compared),
        ],
    );
}

/// Faults do not steer a given topology, so only they are new.
#[test]
fn faults_of_given_topologies() {
    let faults: &[_] = &["scenarios"];
    let torus = pod().with("topology = torus 4 x 4 x 2;").with("budget { vcs = 2; faults = 0; }");
    check(
        &torus,
        &[
            ("budget { vcs = 2; faults = 1 ocs; }", faults),
            ("budget { vcs = 2; faults = 2 ocs; }", faults),
            ("budget { vcs = 2; faults = 1 link; }", faults),
            ("budget { vcs = 2; faults = 1 chip; }", faults),
        ],
    );
    for routing in ["routing = up_down;", "routing = allowed_turns { key = dst; }"] {
        check(&torus.clone().with(routing), &[("budget { vcs = 2; faults = 1 ocs; }", faults)]);
    }
    // Single faults are also scenarios of a budget of two.
    check(
        &torus.with("budget { vcs = 2; faults = 1 ocs; }"),
        &[("budget { vcs = 2; faults = 2 ocs; }", faults), ("budget { vcs = 2; faults = 0; }", NOTHING)],
    );
}

#[test]
fn networks() {
    let [flow, faults]: [&[_]; 2] = [&["flow", "scenarios"], &["scenarios"]];
    let kautz = SpecText::network("hypercube { dimensions = 4; }");
    check(
        &kautz,
        &[
            ("require diameter <= 4;", NOTHING),
            ("budget { vcs = 4; faults = 1 link; }", faults),
            ("budget { vcs = 4; faults = 1 router; }", faults),
            ("budget { vcs = 5; faults = 0; }", flow),
            ("routing = up_down;", flow),
        ],
    );
    let drawn = SpecText::network("synthesize { degree = 4; routers = 24; effort = 1; seed = 1; }");
    let [all, seeded]: [&[_]; 2] =
        [&["synthesize", "flow", "scenarios"], &["synthesize", "flow", "scenarios"]];
    check(
        &drawn,
        &[
            ("require diameter <= 4;", NOTHING),
            ("budget { vcs = 4; faults = 1 link; }", &["synthesize", "scenarios"]),
            ("topology = synthesize { degree = 4; routers = 24; effort = 1; seed = 2; }", seeded),
            ("clock = 2 GHz;", all),
            ("routing = up_down;", flow),
        ],
    );
}

#[test]
fn collectives() {
    let spec = pod()
        .with("topology = torus 4 x 4 x 2;")
        .with("collective sum = all_reduce { size = 1 MiB; }")
        .with("collective tokens = all_to_all { size = 1 MiB; scenarios = all; }");
    check(
        &spec,
        &[
            ("require sum.time <= 900 ms;", NOTHING),
            ("require fault.tokens.time <= 900 ms;", NOTHING),
            ("collective sum = all_reduce { size = 2 MiB; }", &["collective sum"]),
            ("collective tokens = all_to_all { size = 1 MiB; }", &["collective tokens"]),
            (
                "collective sum = all_gather { size = 1 MiB; groups = 8; scenarios = all; }",
                &["collective sum"],
            ),
            (
                "collective spread = broadcast { size = 1 MiB; root = cube0[0, 0, 0]; }",
                &["collective spread"],
            ),
            ("budget { vcs = 2; faults = 2 ocs; }", &["scenarios", "collective tokens"]),
        ],
    );
}

#[test]
fn jobs() {
    let train = |size: &str| {
        format!(
            "job train {{ axes {{ tensor = 4; data = 8; }}
             phase sum {{ collective sum = all_reduce {{ over = data; size = {size}; }} }}
             phase tokens {{ collective swap = all_to_all {{ over = tensor; size = 1 MiB; }} }}
             place = aligned; scenarios = all; }}"
        )
    };
    let spec = pod().with("topology = torus 4 x 4 x 2;").with(&train("1 MiB"));
    let changed = spec.clone().with(&train("2 MiB")).text();
    check_text(&spec.text(), &changed, "size", &["job train"]);
    check(
        &spec,
        &[
            ("require train.communication <= 900 ms;", NOTHING),
            ("collective sum = all_reduce { size = 2 MiB; }", &["collective sum"]),
        ],
    );
}

/// What the search for jobs compares has no proof. Flow and tables on the topology that it takes are kept.
#[test]
fn topologies_for_jobs() {
    let spec = pod()
        .with("budget { vcs = 2; faults = 0; }")
        .with("topology = synthesize { for = train; effort = 1; seed = 1; }")
        .with("job train { axes { data = 32; } phase sum { collective sum = all_reduce { over = data; size = 1 MiB; } } }");
    let workshop = Workshop::new();
    workshop.build(&spec.text(), &[]);
    let changed = spec.with("require diameter <= 9;").text();
    let built = workshop.build(&changed, &[]);
    let has = |pass: &str| built.passes.iter().any(|known| known == pass);
    assert!(has("synthesize") && !has("order") && !has("scenarios"), "{:?}", built.passes);
    assert!(built.files == workshop.build(&changed, &["--no-cache"]).files);
}

#[test]
fn scheduled_networks() {
    let spec = SpecText::network("hyperx 8;")
        .without("budget")
        .with("clock = 900 MHz; link wire { bandwidth = 100 Gbps; latency = 217 cycles; }")
        .with(
            "router { radix = 7; hosts = 0; vcs = 1; flit = 328 B; buffer = 0 flits; latency = 433 cycles; }",
        )
        .with("routing = scheduled { vector = 320 B; }")
        .with("collective one = all_reduce { size = 320 B; }")
        .with("collective exchange = all_to_all { size = 20 KiB; after = one; }");
    check(
        &spec,
        &[
            ("require makespan <= 900 ms;", NOTHING),
            ("collective one = all_reduce { size = 640 B; }", &["schedules"]),
        ],
    );
}

/// Boxes and slices, as their examples have them.
#[test]
fn boxes_and_slices() {
    let boxes = include_str!("../../../specs/clusters/a100x2.fab");
    let changed = boxes.replace("weights.share >= 0.99;", "weights.share >= 0.98;");
    check_text(boxes, &changed, "require", NOTHING);
    let changed =
        boxes.replace("weights = all_gather { size = 1 GiB; }", "weights = all_gather { size = 2 GiB; }");
    check_text(boxes, &changed, "collective", &["collective weights"]);
    let slices = include_str!("../../../specs/small_slices.fab");
    let changed = slices.replace("count = 3;", "count = 2;");
    check_text(slices, &changed, "count", NOTHING);
    let changed = slices.replace("budget { vcs = 1; }", "budget { vcs = 2; }");
    check_text(slices, &changed, "slice", TABLES);
}

/// A search reads files, so another file is another search.
#[test]
fn input_files() {
    let spec = pod().with("topology = torus 4 x 4 x 2;").with("demand = matrix \"demand.csv\";").text();
    let demand = |first: &str| {
        let row = |row: usize| {
            let cell = |column: usize| match (row, column) {
                (0, 1) => first,
                _ if row == column => "0",
                _ => "1",
            };
            (0..32).map(cell).collect::<Vec<_>>().join(",")
        };
        (0..32).map(row).collect::<Vec<_>>().join("\n")
    };
    let workshop = Workshop::new();
    let write =
        |first: &str| std::fs::write(workshop.folder.path().join("demand.csv"), demand(first)).unwrap();
    write("1");
    workshop.build(&spec, &[]);
    write("9");
    let built = workshop.build(&spec, &[]);
    assert_eq!(built.passes, TABLES);
    assert!(built.files == workshop.build(&spec, &["--no-cache"]).files);
    write("1");
    assert_eq!(workshop.build(&spec, &[]).passes, NOTHING);
}

/// A build that stops early keeps what it has, under the stage.
#[test]
fn stages() {
    let workshop = Workshop::new();
    let spec = pod().text();
    workshop.build(&spec, &["--until", "analyze"]);
    let built = workshop.build(&spec, &[]);
    assert_eq!(built.passes, TABLES, "the topology is known");
    assert_eq!(workshop.build(&spec, &["--until", "analyze"]).passes, NOTHING);
}
