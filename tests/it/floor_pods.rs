//! Pods on a floor: cubes are cabinets, switches stand in racks, and light passes two fibers.

use fabc::check;
use fabc::compile::{Stage, compile};
use fabc::compiled::CompiledFabric;
use fabc::emit;
use fabc::ir::{LinkClass, Placement, hop_cycles};
use fabc::model::{FloorMetric, Metric};
use fabc::progress::Silent;
use fabc::syntax::print_spec;
use fabc::verify;

/// Four cubes of eight chips, twelve switches that see all of them.
fn spec(floor: &str, more: &str) -> String {
    format!(
        "fabric laid {{ clock = 1 GHz;
        link copper {{ bandwidth = 128 GB/s; latency = 50 cycles; per_metre = 5 ns; cost = 80; }}
        link fiber {{ bandwidth = 128 GB/s; latency = 25 cycles; per_metre = 5 ns; cost = 150; cost_per_metre = 1.5; power = 2 W; }}
        chip {{ radix = 6; vcs = 4; flit = 128 B; buffer = 200 flits; latency = 25 cycles; }}
        cube {{ mesh 2 x 2 x 2 over copper; }} cubes = 4;
        ocs X[u in 0..2, v in 0..2] {{ couple +x[u, v] with -x[u, v] over fiber; ports = 8; }}
        ocs Y[u in 0..2, v in 0..2] {{ couple +y[u, v] with -y[u, v] over fiber; ports = 8; }}
        ocs Z[u in 0..2, v in 0..2] {{ couple +z[u, v] with -z[u, v] over fiber; ports = 8; }}
        topology = torus 4 x 4 x 2; routing = dimension_order; budget {{ vcs = 2; }}
        floor {{ {floor} }} {more} }}"
    )
}

fn compiled(text: &str, last: Stage) -> (CompiledFabric, String) {
    let loader = |path: &str| if path == "test.fab" { Ok(text.to_owned()) } else { Err(path.to_owned()) };
    let (fabric, spec, _) = fabc::lang::read_normal("test.fab", &loader)
        .unwrap_or_else(|(failure, _)| panic!("{failure:?}\n{text}"));
    let compiled = compile(fabric, last, &Silent).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"));
    (compiled, print_spec(&spec))
}

fn value(compiled: &CompiledFabric, metric: FloorMetric) -> f64 {
    compiled.cables.as_ref().expect("a floor").value(metric).as_f64()
}

#[test]
fn fibers_go_from_every_face_port_to_its_switch() {
    // Cubes at 0 x 1 .. 0 x 4, one rack at 0 x 0: 24 face ports of a cube, 0.6 m apart.
    let (compiled_pod, _) =
        compiled(&spec("ocs = at 0 x 0; grid = fixed 1 x 5; install = 30;", ""), Stage::Analyze);
    let cables = compiled_pod.cables.as_ref().expect("a floor");
    let fibers: f64 = (1..=4).map(|cube| 24.0 * (f64::from(cube) * 0.6 + 4.0)).sum();
    // Twelve links of copper in each cube.
    let copper = 48.0 * 2.0;
    assert_eq!((cables.cables, cables.between), (48 + 96, 96));
    for (metric, expected) in [
        (FloorMetric::CableLength, copper + fibers),
        (FloorMetric::AverageCable, (copper + fibers) / 144.0),
        (FloorMetric::LongestCable, 6.4),
        (FloorMetric::Cost, 48.0 * 110.0 + 96.0 * 180.0 + 1.5 * fibers),
        (FloorMetric::Power, 192.0),
        (FloorMetric::Bundles, 4.0),
    ] {
        let measure = value(&compiled_pod, metric);
        assert!((measure - expected).abs() < 1e-9, "{metric:?}: {measure}, not {expected}");
    }
    // Light from cube to cube passes both fibers.
    for (id, link) in compiled_pod.topology.links().enumerate() {
        let fibers =
            [link.a.node.0 / 8, link.b.node.0 / 8].iter().map(|cube| (cube + 1) * 6 + 40).sum::<u32>();
        assert_eq!(
            compiled_pod.topology.length(id),
            if link.class == LinkClass::Local { 20 } else { fibers }
        );
    }
}

/// Why a synthesis of a pod does not weigh cables. Whatever the cross-connects are, every face port keeps its
/// fiber. Light on all links together passes each fiber once.
#[test]
fn fibers_do_not_depend_on_how_switches_are_set() {
    let built_pod = |topology: &str| {
        let text = spec("ocs = at 0 x 0; grid = fixed 1 x 5;", "")
            .replace("topology = torus 4 x 4 x 2;", &format!("topology = {topology};"));
        let (compiled_pod, _) = compiled(&text.replace("dimension_order", "up_down"), Stage::Analyze);
        let light: u32 =
            compiled_pod.topology.links().enumerate().map(|(id, _)| compiled_pod.topology.length(id)).sum();
        let values = [
            FloorMetric::CableLength,
            FloorMetric::AverageCable,
            FloorMetric::LongestCable,
            FloorMetric::Cost,
        ];
        let links: Vec<_> = compiled_pod.topology.links().iter().map(|link| [link.a, link.b]).collect();
        (links, light, values.map(|metric| value(&compiled_pod, metric).to_string()))
    };
    let (torus, others) =
        (built_pod("torus 4 x 4 x 2"), ["torus 8 x 2 x 2", "synthesize { effort = 1; }"].map(built_pod));
    for (links, light, values) in others {
        assert_ne!(links, torus.0);
        assert_eq!((light, values), (torus.1, torus.2.clone()));
    }
}

#[test]
fn racks_stand_where_the_spec_says() {
    let racks = |floor: &str| {
        let (compiled_pod, _) = compiled(&spec(floor, ""), Stage::Analyze);
        let placement = compiled_pod.placement.expect("a floor");
        (placement.place_of[4..].to_vec(), placement.place_of[..4].to_vec())
    };
    assert_eq!(
        racks("ocs = at 1 x 1; ocs_rack = 6; grid = fixed 2 x 4;"),
        (vec![[1, 1], [1, 2]], vec![[0, 0], [0, 1], [0, 2], [0, 3]])
    );
    assert_eq!(
        racks("ocs = row 0; ocs_rack = 6; grid = fixed 2 x 4;"),
        (vec![[0, 1], [0, 3]], vec![[0, 0], [0, 2], [1, 0], [1, 1]])
    );
    let turned = "ocs = at 1 x 2; ocs_rack = 4; grid = fixed 2 x 4; order = serpentine;";
    assert_eq!(racks(turned), (vec![[1, 2], [1, 1], [1, 0]], vec![[0, 0], [0, 1], [0, 2], [0, 3]]));
}

#[test]
fn annealed_cubes_stand_around_their_racks() {
    let placed_pod = |placement: &str| {
        let floor = format!("ocs = at 2 x 2; grid = fixed 5 x 5; {placement}");
        value(&compiled(&spec(&floor, ""), Stage::Analyze).0, FloorMetric::LongestCable)
    };
    // Seen from the first place: two rows and two columns away. Around the rack: two steps along its row.
    assert_eq!((placed_pod(""), placed_pod("placement = annealed;")), (9.4, 5.2));
}

#[test]
fn latencies_know_both_fibers() {
    let latency = |per_metre: &str, pitch: &str| {
        let floor = format!("ocs = at 0 x 0; grid = fixed 1 x 5; pitch_x = {pitch};");
        let text = spec(&floor, "").replace("per_metre = 5 ns;", per_metre);
        let metrics = compiled(&text, Stage::Route).0.scenarios[0].metrics.clone();
        [Metric::Latency, Metric::LatencyMax].map(|metric| metrics.value(metric).expect("routed").as_f64())
    };
    let (none, near, far) =
        (latency("", "0.6 m"), latency("per_metre = 5 ns;", "0.6 m"), latency("per_metre = 5 ns;", "10 m"));
    assert!(none[0] + 20.0 < near[0] && near[0] + 100.0 < far[0], "{none:?} {near:?} {far:?}");
    assert!(none[1] < near[1] && near[1] < far[1], "{none:?} {near:?} {far:?}");
}

/// Latencies summed over all pairs do not depend on which symmetry the tables are stored by.
#[test]
fn latencies_are_of_every_image() {
    let synthesized = |symmetry: &str| {
        let text = spec("ocs = at 0 x 0; grid = fixed 1 x 5; pitch_x = 10 m;", "")
            .replace(
                "topology = torus 4 x 4 x 2;",
                &format!("topology = synthesize {{ symmetry = {symmetry}; }}"),
            )
            .replace("dimension_order", "allowed_turns");
        compiled(&text, Stage::Emit)
    };
    let (compiled_pod, text) = synthesized("translation");
    assert!(compiled_pod.topology.symmetry().order() > 1);
    let files: check::Files = emit::artifacts(&compiled_pod, &text, &[])
        .into_iter()
        .map(|artifact| (artifact.path, artifact.bytes))
        .collect();
    verify::directory(&files, &compiled_pod.fabric, &text).unwrap_or_else(|errors| panic!("{errors:?}"));
    // The same routes, each walked from where it really starts.
    let tables = compiled_pod.scenarios[0].routed.as_ref().expect("routed").tables.unpacked();
    let (topology, symmetry) = (&compiled_pod.topology, &tables.symmetry);
    let hop = hop_cycles(&compiled_pod.fabric, topology);
    let (mut total, mut most, mut pairs) = (0u64, 0u64, 0u64);
    for dst in topology.nodes() {
        for src in topology.nodes().filter(|&src| src != dst) {
            let (mut node, mut input, mut cycles) = (src, (-1i16, -1i8), 0);
            while node != dst {
                let home = symmetry.inverse(symmetry.element_to(node));
                let image = symmetry.image(home, dst);
                let entries = &tables.routers[symmetry.class(node)];
                let entry = entries
                    .iter()
                    .find(|entry| (entry.dst, entry.in_port, entry.in_vc) == (image, input.0, input.1));
                let entry = entry.expect("an entry");
                let channel = topology.outgoing(node, fabc::ids::PortId(entry.out_port)).expect("a link");
                cycles += hop[channel];
                let end = topology.target(channel);
                (node, input) = (end.node, (end.port.0 as i16, entry.out_vc as i8));
            }
            total += cycles;
            most = most.max(cycles);
            pairs += 1;
        }
    }
    let value = |metric| compiled_pod.scenarios[0].metrics.value(metric).expect("routed").as_f64();
    assert!((value(Metric::Latency) - total as f64 / pairs as f64).abs() < 1e-9);
    assert!((value(Metric::LatencyMax) - most as f64).abs() < 1e-9);
}

const LAID: &str = "ocs = row 1; ocs_rack = 4; grid = fixed 3 x 3; placement = annealed; install = 30;";

/// A directory of a spec, and its files.
fn directory() -> (CompiledFabric, check::Files, String) {
    let more = "require average_cable <= 8 m; require cost >= 1; require bundles == 12; require longest_cable <= 15 m;";
    let (compiled, text) = compiled(&spec(LAID, more), Stage::Emit);
    let files: check::Files = emit::artifacts(&compiled, &text, &[])
        .into_iter()
        .map(|artifact| (artifact.path, artifact.bytes))
        .collect();
    (compiled, files, text)
}

#[test]
fn a_directory_proves_its_racks() {
    let (compiled, files, text) = directory();
    verify::directory(&files, &compiled.fabric, &text).unwrap_or_else(|errors| panic!("{errors:?}"));
    assert!(compiled.requires.iter().all(|outcome| outcome.holds() == Some(true)), "{:?}", compiled.requires);
    let sheet = String::from_utf8(files["cables.csv"].clone()).expect("text");
    let rows: Vec<Vec<&str>> = sheet.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 48 + 96);
    let report = String::from_utf8(files["report.html"].clone()).expect("text");
    assert!(report.contains("4 switches, 32 cables leave it") && report.contains("cube 0, 8 chips"));
    let text = String::from_utf8(files["report.txt"].clone()).expect("text");
    assert!(
        text.contains("4 cubes of 8 chips and 12 switches in 3 racks along row 1, 3 rows of 3; annealed"),
        "{text}"
    );
}

#[test]
fn what_is_changed_on_the_floor_of_a_pod_is_seen() {
    let (compiled, files, text) = directory();
    let tampered = |file: &str, from: &str, to: &str| {
        let mut files = files.clone();
        let before = String::from_utf8(files[file].clone()).expect("text");
        let after = before.replacen(from, to, 1);
        assert_ne!(before, after, "{file}: {from}");
        files.insert(file.to_owned(), after.into_bytes());
        let errors = verify::directory(&files, &compiled.fabric, &text).expect_err("it is let through");
        errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    assert!(tampered("cables.csv", ",copper,2.0,", ",copper,3.0,").contains("cables.csv"));
    assert!(tampered("floor.json", "\"X[0,0]\"", "\"Y[0,0]\"").contains("Y[0,0]"));
    assert!(tampered("floor.json", "\"switches\":[\"X[0,0]\",", "\"switches\":[").contains("stands nowhere"));
    assert!(
        tampered("topology.json", "\"length\":20", "\"length\":21").contains("its cabinets are 20 apart")
    );
    assert!(
        tampered("report.json", "\"cable_length\":", "\"cable_length\":1").contains("floor.cable_length")
    );
}

#[test]
fn a_placement_of_a_pod_that_is_none_is_convicted() {
    let (compiled_pod, _) =
        compiled(&spec("ocs = row 1; ocs_rack = 6; grid = fixed 2 x 4;", ""), Stage::Analyze);
    let (pod, floor, good) = (
        compiled_pod.pod.as_ref().expect("a pod"),
        compiled_pod.fabric.floor.as_ref().expect("a floor"),
        compiled_pod.placement.clone().expect("placed"),
    );
    let conviction = |bad: &Placement| {
        check::verify_floor(
            &compiled_pod.fabric,
            floor,
            &compiled_pod.topology,
            Some(&pod.cross_connects),
            bad,
        )
    };
    conviction(&good).expect("as placed");
    let conviction_of = |change: &dyn Fn(&mut Placement)| {
        let mut bad = good.clone();
        change(&mut bad);
        conviction(&bad).expect_err("let through").to_string()
    };
    assert!(
        conviction_of(&|bad| bad.cabinet_of.swap(0, 8))
            .contains("chip 0 stands in cabinet 1, but belongs to cube 0")
    );
    assert!(
        conviction_of(&|bad| bad.rack_of.swap(0, 11))
            .contains("the switch 0 stands in cabinet 5, but belongs in 4")
    );
    assert!(
        conviction_of(&|bad| bad.place_of.swap(4, 5))
            .contains("cabinet 4 stands in row 1, column 3, but belongs in 1, 1")
    );
    assert!(conviction_of(&|bad| bad.place_of[0] = [0, 1]).contains("but belongs in 0, 0"));
    assert!(conviction_of(&|bad| bad.place_of[1] = [7, 7]).contains("beyond the floor"));
    let longer =
        compiled_pod.topology.clone().with_cables(
            compiled_pod.topology.links().ids().map(|id| {
                (compiled_pod.topology.length(id) + 1, compiled_pod.topology.links()[id].link_type)
            }),
        );
    let message = check::verify_floor(&compiled_pod.fabric, floor, &longer, Some(&pod.cross_connects), &good)
        .expect_err("let through")
        .to_string();
    assert!(message.contains("its cabinets are 20 apart"), "{message}");
}

#[test]
fn threads_change_nothing_on_the_floor_of_a_pod() {
    let bytes = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| directory().1)
    };
    assert!(bytes(1) == bytes(3));
}
