//! Directories of networks whose vectors are scheduled, from outside: what a chip does when, and what there
//! is not.

use crate::support::command;
use command::fabc;
use serde_json::Value;

/// Eight chips, all joined: each sends the others a vector.
const SPEC: &str = "fabric node { clock = 900 MHz; link board { bandwidth = 100 Gbps; latency = 217 cycles; }
    router { radix = 7; hosts = 0; vcs = 1; flit = 328 B; buffer = 0 flits; latency = 433 cycles; }
    topology = hyperx 8; routing = scheduled { vector = 320 B; }
    collective exchange = all_to_all { size = 2560 B; }
    collective sum = all_reduce { size = 320 B; after = exchange; } }";

fn built() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("node.fab"), SPEC).unwrap();
    fabc(place.path(), &["build", "node.fab", "-q"], 0);
    place
}

/// A message moves its size, for any number of chips: 65,600 bytes in 1900 cycles of 900 MHz.
#[test]
fn the_bandwidth_of_a_message_is_counted_alike_twice() {
    let place = tempfile::tempdir().unwrap();
    let message =
        "collective tensor = send { from = 0; to = 1; size = 65600 B; } require tensor.bandwidth >= 31 GB/s;
        require tensor.bandwidth <= 31.1 GB/s; }";
    let spec = SPEC.split("collective exchange").next().unwrap().to_owned() + message;
    std::fs::write(place.path().join("node.fab"), spec).unwrap();
    fabc(place.path(), &["build", "node.fab", "-q"], 0);
    fabc(place.path(), &["verify", "out/node"], 0);
}

#[test]
fn a_chip_says_what_it_does_when() {
    let place = built();
    let tables = |args: &[&str]| fabc(place.path(), &[&["tables", "out/node"], args].concat(), 0).0;
    let jobs = tables(&[]);
    assert!(jobs.contains("exchange: all_to_all by paths, cycles 0 to 650"), "{jobs}");
    assert!(jobs.contains("sum: all_reduce by hops, cycles 650 to 1300"), "{jobs}");
    let text = tables(&["--router", "3"]);
    assert!(text.starts_with("chip router[3] (node 3), 14 sends, 14 receives, 2 jobs\n"), "{text}");
    let line = |ending: &str| {
        text.lines().find(|line| line.ends_with(ending)).unwrap_or_else(|| panic!("no {ending} in\n{text}"))
    };
    assert_eq!(
        line("exchange  router[3] to router[5], part 0").split_whitespace().take(2).collect::<Vec<_>>(),
        ["0", "sends"]
    );
    assert_eq!(
        line("exchange  router[5] to router[3], part 0").split_whitespace().take(2).collect::<Vec<_>>(),
        ["650", "receives"]
    );
    assert_eq!(
        line("sum       part 0, as it is at router[6]").split_whitespace().take(2).collect::<Vec<_>>(),
        ["1300", "receives"]
    );
    // The same lines as in the file, which lists every chip here.
    let json: Value = serde_json::from_str(&tables(&["--router", "3", "--json"])).unwrap();
    let file: Value =
        serde_json::from_slice(&std::fs::read(place.path().join("out/node/schedule.json")).unwrap()).unwrap();
    assert_eq!(json["chips"].as_array().unwrap().len(), 1);
    assert_eq!(json["chips"][0], file["chips"][3]);
    assert_eq!(json["makespan"], file["makespan"]);
}

/// Eight chips cannot share 12 vectors evenly.
#[test]
fn chips_with_unlike_numbers_of_vectors_are_listed() {
    let place = tempfile::tempdir().unwrap();
    let spec = SPEC.replace("sum = all_reduce { size = 320 B;", "sum = all_reduce { size = 3840 B;");
    assert_ne!(spec, SPEC);
    std::fs::write(place.path().join("node.fab"), spec).unwrap();
    fabc(place.path(), &["build", "node.fab", "-q"], 0);
    let file: Value =
        serde_json::from_slice(&std::fs::read(place.path().join("out/node/schedule.json")).unwrap()).unwrap();
    for chip in 0..8 {
        let number = chip.to_string();
        let args = ["tables", "out/node", "--router", &number, "--json"];
        let json: Value = serde_json::from_str(&fabc(place.path(), &args, 0).0).unwrap();
        assert_eq!(json["chips"][0], file["chips"][chip], "chip {chip}");
    }
}

#[test]
fn a_chip_of_a_symmetric_plan_has_the_lines_of_its_image() {
    let place = tempfile::tempdir().unwrap();
    let spec = SPEC.replace("hyperx 8", "dragonfly { a = 2; h = 1; arrangement = palmtree; }");
    std::fs::write(place.path().join("node.fab"), spec).unwrap();
    fabc(place.path(), &["build", "node.fab", "-q"], 0);
    let list = |chip: &str| -> Value {
        let args = ["tables", "out/node", "--router", chip, "--json"];
        serde_json::from_str(&fabc(place.path(), &args, 0).0).unwrap()
    };
    // Every vector that a chip receives was sent by a neighbor a hop before.
    let mut sent: Vec<(u64, u64, u64)> = Vec::new();
    let mut came: Vec<(u64, u64, u64)> = Vec::new();
    for chip in 0..6 {
        let list = list(&chip.to_string());
        let lines = |kind: &str, later: u64| {
            let lines = list["chips"][0][kind].as_array().unwrap().clone();
            lines.into_iter().map(move |line| {
                (line[0].as_u64().unwrap() + later, line[2].as_u64().unwrap(), line[3].as_u64().unwrap())
            })
        };
        sent.extend(lines("sends", 650));
        came.extend(lines("receives", 0));
    }
    sent.sort_unstable();
    came.sort_unstable();
    assert!(!sent.is_empty() && sent == came);
}

#[test]
fn what_there_is_not_is_said() {
    let place = built();
    let error = |args: &[&str], code: i32| {
        // The message has a hint.
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_fabc"));
        let output = command.args(args).current_dir(place.path()).env("NO_COLOR", "1").output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}");
        String::from_utf8(output.stderr)
            .unwrap()
            .split_whitespace()
            .filter(|word| *word != "│")
            .collect::<Vec<_>>()
            .join(" ")
    };
    let sim = error(&["sim", "out/node"], 2);
    assert!(
        sim.contains("FAB0512") && sim.contains("planned at compile time") && !sim.contains("stopped"),
        "{sim}"
    );
    let collective = error(&["collective", "out/node"], 2);
    assert!(
        collective.contains("FAB0567") && collective.contains("fabc tables out/node --router 0"),
        "{collective}"
    );
    let scenario = error(&["tables", "out/node", "--router", "0", "--scenario", "X"], 2);
    assert!(scenario.contains("FAB0512") && scenario.contains("planned at compile time"), "{scenario}");
    assert!(error(&["tables", "out/node", "--router", "8"], 2).contains("FAB0511"));
    let schedule = place.path().join("out/node/schedule.json");
    std::fs::write(
        &schedule,
        std::fs::read_to_string(&schedule).unwrap().replace("\"nodes\":8", "\"nodes\":9"),
    )
    .unwrap();
    assert!(error(&["tables", "out/node", "--router", "0"], 2).contains("FAB0510"));
    std::fs::remove_file(&schedule).unwrap();
    assert!(error(&["tables", "out/node"], 2).contains("there is no `schedule.json`"));
}

#[test]
fn a_spare_chip_does_what_another_would() {
    let place = tempfile::tempdir().unwrap();
    let spec = SPEC.replace("hyperx 8", "dragonfly { a = 2; h = 1; arrangement = palmtree; spare = 1; }");
    std::fs::write(place.path().join("node.fab"), spec).unwrap();
    fabc(place.path(), &["build", "node.fab", "-q"], 0);
    let chip = |chip: &str, scenario: &str| {
        let text = fabc(place.path(), &["tables", "out/node", "--router", chip, "--scenario", scenario], 0).0;
        text.split_once('\n').map(|(head, lines)| (head.to_owned(), lines.to_owned())).unwrap()
    };
    // The last of three groups is spare. If the first fails, all move on by one.
    let (head, lines) = chip("4", "block0");
    assert!(head.starts_with("chip group2[0] (node 4) in the place of group1[0], "), "{head}");
    assert_eq!(lines, chip("2", "nominal").1);
    assert!(chip("0", "block0").0.contains("in the place of group2[0], 0 sends, 0 receives"));
    assert_eq!(chip("5", "block2"), chip("5", "nominal"));
    let message = fabc(place.path(), &["tables", "out/node", "--router", "0", "--scenario", "block3"], 2).1;
    assert!(message.contains("FAB0512") && message.contains("`block3`"), "{message}");
}
