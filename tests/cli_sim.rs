//! `fabc sim`, driven from outside: its forms, exit codes and errors.

#[path = "support/command.rs"]
mod command;
#[path = "support/spec_text.rs"]
mod spec_text;

use command::fabc;
use serde_json::Value;
use spec_text::SpecText;

/// Sixteen chips in two cubes on a torus, every single dark switch tolerated.
fn pod() -> SpecText {
    SpecText::pod([2, 2, 2], 2).with("topology = torus 2 x 2 x 4;").with("routing = up_down;")
}

/// A directory with a built fabric in `out/`.
fn built(spec: &SpecText) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("fabric.fab"), spec.text()).unwrap();
    fabc(place.path(), &["build", "fabric.fab", "-q"], 0);
    place
}

/// As few cycles as show that it works.
const SHORT: [&str; 4] = ["--warmup", "500", "--measure", "1000"];

fn sim(place: &tempfile::TempDir, args: &[&str], code: i32) -> (String, String) {
    let name = if place.path().join("out/pod").is_dir() { "out/pod" } else { "out/net" };
    fabc(place.path(), &[&["sim", name][..], &SHORT, args].concat(), code)
}

#[test]
fn a_pod_in_every_form_and_scenario() {
    let place = built(&pod());
    let (text, _) = sim(&place, &[], 0);
    for word in ["pod", "uniform traffic", "nominal", "static bound", "offered", "accepted"] {
        assert!(text.contains(word), "{word} is missing in\n{text}");
    }
    assert_eq!(text.lines().filter(|line| line.starts_with("    ") && line.contains(" %")).count(), 12, "{text}");
    assert_eq!(text.matches("saturation: stable at").count(), 1, "{text}");
    assert_eq!(text, sim(&place, &["--threads", "1"], 0).0, "threads show");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");

    let json: Value = serde_json::from_str(&sim(&place, &["--format", "json", "--rates", "0.1,0.2", "--seeds", "2"], 0).0).unwrap();
    assert_eq!((&json["format"], &json["fabric"]), (&Value::from("fabc.simulation/1"), &Value::from("pod")));
    let nominal = &json["scenarios"][0];
    let points = nominal["points"].as_array().unwrap();
    let runs: Vec<(f64, u64)> = points.iter().map(|point| (point["rate"].as_f64().unwrap(), point["seed"].as_u64().unwrap())).collect();
    assert_eq!(runs, [(0.1, 1), (0.1, 2), (0.2, 1), (0.2, 2)]);
    assert_eq!(nominal["model"]["general_vcs"], 2, "what the chip has beside the tables");
    assert_eq!(nominal["model"]["host_ports"], "unlimited");
    assert!(points.iter().all(|point| point["latency"]["mean"].as_f64() >= Some(20.0) && point["vcs"].as_array().unwrap().len() == 4));

    let (csv, _) = sim(&place, &["--format", "csv", "--rates", "0.1", "--scenario", "all"], 0);
    // Four switches of each of three groups, and the healthy pod.
    assert_eq!(csv.lines().count(), 14, "{csv}");
    let columns = |line: &str| line.split('"').step_by(2).map(|part| part.matches(',').count()).sum::<usize>();
    assert!(csv.lines().all(|line| columns(line) == columns(csv.lines().next().unwrap())), "{csv}");
    assert!(csv.contains("\n\"Z[1,1]\",0.10,1,"), "{csv}");
    let (one, _) = sim(&place, &["--format", "csv", "--rates", "0.1", "--scenario", "Z[1,1]"], 0);
    assert!(csv.contains(one.lines().nth(1).unwrap()), "{one}");

    let (searched, _) = sim(&place, &["--format", "csv", "--saturation", "--seeds", "2"], 0);
    assert!(searched.starts_with("scenario,seed,bound,stable,unstable,share,") && searched.lines().count() == 3, "{searched}");

    let (svg, _) = sim(&place, &["--format", "svg", "--rates", "0.1..0.5:0.1"], 0);
    assert!(svg.starts_with("<svg xmlns=") && svg.matches("<circle").count() == 5, "{svg}");
}

#[test]
fn hosts_of_a_network_have_a_port_each() {
    let network = SpecText::network("hyperx 3 x 3;")
        .with("router { radix = 12; hosts = 2; vcs = 4; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }");
    let place = built(&network);
    let (text, _) = sim(&place, &["--traffic", "permutation", "--rates", "0.2"], 0);
    assert!(text.contains("flits per cycle and host") && text.contains("a port of one flit per cycle each way and host"), "{text}");
    let (_, error) = sim(&place, &["--rates", "6.5"], 2);
    assert!(error.contains("FAB0605") && error.contains("at most 6"), "{error}");
    sim(&place, &["--rates", "6.5", "--hosts", "2"], 0);
}

#[test]
fn flits_of_a_pod() {
    let place = built(&pod());
    let (text, _) = sim(&place, &["--model", "flit", "--rates", "0.3"], 0);
    for part in ["wormholes of packets of 6 flits, separable allocator, 2 rounds", "credits after the link; 2 ports of one flit per"] {
        assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(part), "{part} is missing in\n{text}");
    }
    let flit = ["--model", "flit", "--speedup", "1", "--rates", "0.2", "--format"];
    let json: Value = serde_json::from_str(&sim(&place, &[&flit[..], &["json"]].concat(), 0).0).unwrap();
    let model = &json["scenarios"][0]["model"];
    assert_eq!((&model["name"], &model["speedup"], &model["host_ports"]), (&"flit".into(), &1.into(), &2.into()));
    assert!(model.get("turn_cycles").is_none() && model.get("arbitration").is_none(), "{model}");
    let (csv, _) = sim(&place, &[&flit[..], &["csv"]].concat(), 0);
    let last: Vec<&str> = csv.lines().map(|line| line.rsplit(',').next().unwrap()).collect();
    assert_eq!(last, ["model", "flit"]);
    // Packets longer than a queue are no error here.
    sim(&place, &["--model", "flit", "--packet", "101", "--rates", "0.1"], 0);

    let timeless = built(&pod().with("chip { radix = 6; vcs = 4; flit = 64 B; buffer = 100 flits; latency = 0 cycles; }"));
    let (_, error) = sim(&timeless, &["--model", "flit"], 1);
    assert!(error.contains("error[FAB0611]: the chip takes 0 cycles"), "{error}");
    sim(&timeless, &["--rates", "0.1"], 0);
}

#[test]
fn what_cannot_be_simulated_is_told_at_its_place() {
    let place = built(&pod());
    for (args, code, what) in [
        (&["--packet", "101"][..], 1, "spec.fab:6:5: error[FAB0601]: a packet of 101 flits does not fit a buffer of 100"),
        (
            &["--general", "3"],
            1,
            "error[FAB0602]: 3 general virtual channels and the 2 of the tables need 5 virtual channels, but the chip has 4",
        ),
        (&["--classes", "3"], 1, "error[FAB0602]: 3 virtual channels for each of the 2 of the tables need 6"),
        (&["--rates", "7"], 2, "error[FAB0605]: a rate of 7.00 is more than a packet of 6 flits per cycle and port can offer: at most 6"),
        (&["--scenario", "Q[0,0]"], 2, "error[FAB0512]: there are no tables for the scenario `Q[0,0]`"),
        (&["--rates", "0"], 2, "`0` is no rate"),
        (&["--hosts", "many"], 2, "write `unlimited`"),
        (&["--general", "1", "--classes", "1"], 2, "cannot be used with"),
        (&["--model", "flit", "--hosts", "unlimited"], 2, "error[FAB0610]: hosts without limit are of the packet model"),
        (&["--model", "flit", "--arbitration", "age"], 2, "error[FAB0612]: `--arbitration` is of the packet model"),
        (&["--model", "flit", "--turn", "2"], 2, "error[FAB0612]: `--turn` is of the packet model"),
        (&["--speedup", "2"], 2, "error[FAB0612]: `--speedup` is of the flit model"),
    ] {
        let (_, error) = sim(&place, args, code);
        assert!(error.contains(what), "{args:?}: {error}");
    }
    let long = fabc(place.path(), &["sim", "out/pod", "--warmup", "900000000", "--measure", "200000000"], 2).1;
    assert!(long.contains("FAB0609"), "{long}");
    assert!(fabc(place.path(), &["sim", "out"], 2).1.contains("FAB0510"));

    let table = place.path().join("out/pod/tables/nominal.json");
    let text = std::fs::read_to_string(&table).unwrap();
    // The first entry of the first router goes elsewhere.
    let at = text.find("[1,-1,-1,").expect("an injected packet to router 1");
    let end = at + text[at..].find(']').unwrap();
    std::fs::write(&table, format!("{}{}", &text[..at], text[end + 1..].trim_start_matches(','))).unwrap();
    let (_, astray) = sim(&place, &[], 3);
    assert!(astray.contains("error[FAB0607]: nominal: packets from cube0[0,0,0] to cube0[1,0,0] do not arrive"), "{astray}");
    assert!(astray.contains("cube0[0,0,0] has no entry for them"), "{astray}");
}

#[test]
fn links_must_be_alike_and_take_time() {
    let unlike = built(&pod().with("link fiber { bandwidth = 100 GB/s; latency = 10 cycles; }"));
    assert!(sim(&unlike, &[], 1).1.contains("error[FAB0603]: link `fiber` carries another bandwidth than `copper`"));
    let timeless = built(&pod().with("link fiber { bandwidth = 50 GB/s; latency = 0 cycles; }"));
    assert!(sim(&timeless, &[], 1).1.contains("error[FAB0604]: link `fiber` takes 0 cycles"));
    let lonely = built(&SpecText::pod([2, 2, 2], 2).with("topology = torus 2 x 2 x 4;").with("routing = up_down;"));
    std::fs::remove_dir_all(lonely.path().join("out/pod/tables")).unwrap();
    assert!(sim(&lonely, &[], 2).1.contains("error[FAB0512]: there are no tables for the scenario `nominal`"));
}
