//! `fabc sim`, driven from outside: its forms, exit codes and errors.

use crate::support::command;
use crate::support::spec_text;
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
const SHORT: &str = "warmup = 500 cycles; measure = 1000 cycles;";

/// Runs `fabc sim` with `args`, and adds [`SHORT`] to their settings.
fn short_sim(place: &tempfile::TempDir, args: &[&str], code: i32) -> (String, String) {
    let with = args.iter().position(|arg| *arg == "--with");
    let settings = format!("{SHORT} {}", with.map_or("", |at| args[at + 1]));
    let others =
        args.iter().enumerate().filter(|(at, _)| with.is_none_or(|with| *at != with && *at != with + 1));
    let others: Vec<&str> = others.map(|(_, arg)| *arg).collect();
    fabc(place.path(), &[&["sim"][..], &others, &["--with", &settings]].concat(), code)
}

fn sim(place: &tempfile::TempDir, args: &[&str], code: i32) -> (String, String) {
    let name = if place.path().join("out/pod").is_dir() { "out/pod" } else { "out/net" };
    short_sim(place, &[&[name][..], args].concat(), code)
}

#[test]
fn a_pod_in_every_form_and_scenario() {
    let place = built(&pod());
    let (text, _) = sim(&place, &[], 0);
    for word in ["pod", "uniform traffic", "nominal", "static bound", "offered", "accepted"] {
        assert!(text.contains(word), "{word} is missing in\n{text}");
    }
    assert_eq!(
        text.lines().filter(|line| line.starts_with("    ") && line.contains(" %")).count(),
        12,
        "{text}"
    );
    assert_eq!(text.matches("saturation: stable at").count(), 1, "{text}");
    assert_eq!(text, sim(&place, &["--threads", "1"], 0).0, "threads show");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");

    let json: Value = serde_json::from_str(
        &sim(&place, &["--format", "json", "--with", "rates = [0.1, 0.2]; seeds = 2"], 0).0,
    )
    .unwrap();
    assert_eq!((&json["format"], &json["fabric"]), (&Value::from("fabc.simulation/1"), &Value::from("pod")));
    let nominal = &json["scenarios"][0];
    let points = nominal["points"].as_array().unwrap();
    let runs: Vec<(f64, u64)> = points
        .iter()
        .map(|point| (point["rate"].as_f64().unwrap(), point["seed"].as_u64().unwrap()))
        .collect();
    assert_eq!(runs, [(0.1, 1), (0.1, 2), (0.2, 1), (0.2, 2)]);
    assert_eq!(nominal["model"]["general_vcs"], 2, "what the chip has beside the tables");
    assert_eq!(nominal["model"]["host_ports"], "unlimited");
    assert!(points.iter().all(|point| point["latency"]["mean"].as_f64() >= Some(20.0)
        && point["vcs"].as_array().unwrap().len() == 4));

    let (csv, _) = sim(&place, &["--format", "csv", "--with", "rates = 0.1; scenarios = all"], 0);
    // Four switches of each of three groups, and the healthy pod.
    assert_eq!(csv.lines().count(), 14, "{csv}");
    let columns =
        |line: &str| line.split('"').step_by(2).map(|part| part.matches(',').count()).sum::<usize>();
    assert!(csv.lines().all(|line| columns(line) == columns(csv.lines().next().unwrap())), "{csv}");
    assert!(csv.contains("\n\"Z[1,1]\",0.10,1,"), "{csv}");
    let (one, _) = sim(&place, &["--format", "csv", "--with", "rates = 0.1", "--scenario", "Z[1,1]"], 0);
    assert!(csv.contains(one.lines().nth(1).unwrap()), "{one}");

    let (searched, _) = sim(&place, &["--format", "csv", "--saturation", "--with", "seeds = 2;"], 0);
    assert!(
        searched.starts_with("scenario,seed,bound,stable,unstable,share,") && searched.lines().count() == 3,
        "{searched}"
    );

    let (svg, _) = sim(&place, &["--format", "svg", "--with", "rates = 0.1 .. 0.5 step 0.1"], 0);
    assert!(svg.starts_with("<svg xmlns=") && svg.matches("<circle").count() == 5, "{svg}");
}

#[test]
fn hosts_of_a_network_have_a_port_each() {
    let network = SpecText::network("hyperx 3 x 3;").with(
        "router { radix = 12; hosts = 2; vcs = 4; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }",
    );
    let place = built(&network);
    let (text, _) = sim(&place, &["--with", "traffic = permutation; rates = 0.2"], 0);
    assert!(
        text.contains("flits per cycle and host")
            && text.contains("a port of one flit per cycle each way and host"),
        "{text}"
    );
    let (_, error) = sim(&place, &["--with", "rates = 6.5"], 2);
    assert!(error.contains("FAB0605") && error.contains("at most 6"), "{error}");
    sim(&place, &["--with", "rates = 6.5; model = packet { hosts = 2; }"], 0);
}

#[test]
fn a_curve_without_rates_ends_where_hosts_can_offer_no_more() {
    let bursts = "births = bursts { length = 40 cycles; rate = 0.5; }";
    let block = format!("simulate steps {{ {SHORT} {bursts} }}");
    let place = built(&SpecText::network("torus (4);").with(&block));
    // The busiest channel of the ring carries three routes, so that the static bound is one flit per cycle.
    // These hosts offer less than half of that.
    let (csv, _) = sim(&place, &["--format", "csv", "--with", bursts], 0);
    let rates: Vec<&str> = csv.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
    assert_eq!(rates, ["0.10", "0.20", "0.30", "0.40"], "{csv}");
    let of_block = std::fs::read_to_string(place.path().join("out/net/simulations/steps.csv")).unwrap();
    assert_eq!(csv, of_block, "a block of the spec runs the same curve");
}

#[test]
fn traffic_and_ways_are_told_with_every_default() {
    let network = SpecText::network("dragonfly { a = 4; h = 2; }").with(
        "router { radix = 12; hosts = 2; vcs = 6; flit = 64 B; buffer = 24 flits; latency = 1 cycles; }",
    );
    let place = built(&network);
    let json = |settings: &str| -> Value {
        let settings = format!("rates = 0.1; {settings}");
        let (json, _) = sim(&place, &["--with", &settings, "--format", "json"], 0);
        serde_json::from_str::<Value>(&json).unwrap()["scenarios"][0].clone()
    };
    let tables = json("traffic = group_shift");
    assert_eq!(
        (&tables["model"]["routing"], &tables["model"]["by"]),
        (&Value::from("tables"), &Value::from(1))
    );
    // Eight hosts over one link. Shortest ways of the tables go over third groups, too.
    let own_routing = json("traffic = group_shift; routing = family");
    assert_eq!(
        (&own_routing["bound"], &own_routing["bound_by"]),
        (&Value::from(0.125), &Value::from("loads"))
    );
    assert!(tables["bound"].as_f64() > Some(0.125) && tables["bound_by"] == "loads");
    let ugal = json("traffic = hotspot { at = [group0[1], group8[3], 5]; } routing = ugal");
    let fields = ["share", "hotspot", "routing", "shortest", "samples", "bias_flits", "rule", "hop_vcs"]
        .map(|name| ugal["model"][name].clone());
    let expected =
        serde_json::json!([0.2, ["group0[1]", "group8[3]", "5"], "ugal", "family", 4, 0, "product", 6]);
    assert_eq!(Value::from(fields.to_vec()), expected);
    assert_eq!(ugal["bound_by"], "hops");
    let bursts = "births = bursts { length = 40 cycles; rate = 0.5; } routing = ugal_global { rule = booksim; shortest = random; } rates = 0.1";
    let (text, _) = sim(&place, &["--with", bursts], 0);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "uniform in bursts of 40 cycles at 0.50 traffic; ugal_global over random, samples 1, bias 30, rule booksim routing;",
        "6 virtual channels, by hop, 24 flits each",
        ", of any routing, by the hops of shortest ways; ",
    ] {
        assert!(words.contains(part), "{part} is missing in\n{words}");
    }
    let (csv, _) =
        sim(&place, &["--format", "csv", "--with", "rates = 0.1; routing = min; traffic = adversarial"], 0);
    assert!(csv.lines().nth(1).is_some_and(|row| row.ends_with(",adversarial,min,packet")), "{csv}");
    for (settings, code, what) in [
        (
            "traffic = tornado",
            2,
            "error[FAB0606]: tornado traffic is not possible here: it needs coordinates, but a dragonfly has none",
        ),
        ("traffic = hotspot", 1, "--with:1:55: error[FAB0104]: `hotspot` lacks `at`"),
        ("traffic = hotspot { at = [group9[0]]; }", 2, "no endpoint is called `group9[0]`"),
        ("by = 2", 1, "`by`"),
        ("traffic = uniform { by = 2; }", 1, "`uniform { .. }`"),
        ("births = bursts { length = 40 cycles; }", 1, "`rate`"),
        ("births = bursts { length = 40 cycles; rate = 0.2; } rates = 0.2", 2, "error[FAB0622]"),
        ("traffic = hotspot { at = [5]; share = 1.5; }", 1, "`share`"),
        (
            "routing = min; model = packet { general = 1; }",
            2,
            "error[FAB0623]: `general` has no effect on `min` routing",
        ),
        ("traffic = uniform; traffic = tornado", 1, "`traffic`"),
        ("rates = 0.4; } simulate other {", 1, "error[FAB0"),
        ("model = ", 1, "error[FAB0"),
    ] {
        let (_, error) = sim(&place, &["--with", settings], code);
        assert!(error.contains(what), "{settings}: {error}");
    }
    let pod = built(&pod());
    let (_, error) = sim(&pod, &["--with", "routing = min"], 1);
    assert!(
        error.contains(
            "error[FAB0620]: `min` routing is not possible here: in a pod, packets must follow the tables"
        ),
        "{error}"
    );
    // Chips of a torus have coordinates.
    sim(&pod, &["--with", "traffic = tornado; rates = 0.1"], 0);
    let tight = built(
        &network
            .with("router { radix = 12; hosts = 2; vcs = 2; flit = 64 B; buffer = 24 flits; latency = 1 cycles; }")
            .with("budget { vcs = 2; faults = 0; }"),
    );
    let (_, error) = sim(&tight, &["--with", "routing = ugal"], 1);
    assert!(
        error.contains("spec.fab:5:5: error[FAB0621]: `ugal` routing takes a virtual channel per hop"),
        "{error}"
    );
}

#[test]
fn flits_of_a_pod() {
    let place = built(&pod());
    let (text, _) = sim(&place, &["--with", "model = flit; rates = 0.3"], 0);
    for part in [
        "wormholes of packets of 6 flits, separable allocator, in turn, 2 rounds",
        "credits after the link; 2 ports of one flit per",
    ] {
        assert!(
            text.split_whitespace().collect::<Vec<_>>().join(" ").contains(part),
            "{part} is missing in\n{text}"
        );
    }
    let flit = ["--with", "model = flit { speedup = 1; } rates = 0.2", "--format"];
    let json: Value = serde_json::from_str(&sim(&place, &[&flit[..], &["json"]].concat(), 0).0).unwrap();
    let model = &json["scenarios"][0]["model"];
    assert_eq!(
        (&model["name"], &model["speedup"], &model["host_ports"]),
        (&"flit".into(), &1.into(), &2.into())
    );
    assert!(model.get("turn_cycles").is_none() && model["arbitration"] == "rotate", "{model}");
    let (csv, _) = sim(&place, &[&flit[..], &["csv"]].concat(), 0);
    let last: Vec<&str> = csv.lines().map(|line| line.rsplit(',').next().unwrap()).collect();
    assert_eq!(last, ["model", "flit"]);
    assert!(model.get("window_packets").is_none(), "{model}");
    let limited: Value = serde_json::from_str(
        &sim(
            &place,
            &["--with", "model = flit { speedup = 1; window = 9; } rates = 0.2", "--format", "json"],
            0,
        )
        .0,
    )
    .unwrap();
    assert_eq!(limited["scenarios"][0]["model"]["window_packets"], 9);
    let (text, _) = sim(&place, &["--with", "rates = 0.2; model = packet { window = 1; }"], 0);
    assert!(
        text.split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .contains("hosts without limit, a packet of each under way at most"),
        "{text}"
    );
    // Packets longer than a queue are no error here.
    sim(&place, &["--with", "model = flit; packet = 101 flits; rates = 0.1"], 0);

    let timeless = built(
        &pod().with("chip { radix = 6; vcs = 4; flit = 64 B; buffer = 100 flits; latency = 0 cycles; }"),
    );
    let (_, error) = sim(&timeless, &["--with", "model = flit"], 1);
    assert!(error.contains("error[FAB0611]: the chip takes 0 cycles"), "{error}");
    sim(&timeless, &["--with", "rates = 0.1"], 0);
}

#[test]
fn traffic_that_ends_in_every_form() {
    let place = built(&pod());
    let finite_sim =
        |args: &[&str], code: i32| fabc(place.path(), &[&["sim", "out/pod"][..], args].concat(), code);
    let with_traffic = "traffic = all_to_all { bytes = 2 KiB; }";
    let run_all = |args: &[&str]| finite_sim(&[&["--with", with_traffic][..], args].concat(), 0).0;
    let text = run_all(&[]);
    for part in [
        "all_to_all of 2048 B, order shift, traffic; tables routing",
        "240 messages, 491,520 bytes in 1,440 packets; at least ",
        "cycles, by the busiest channel, port or source;",
        "of bound",
    ] {
        assert!(
            text.split_whitespace().collect::<Vec<_>>().join(" ").contains(part),
            "{part} is missing in\n{text}"
        );
    }
    assert_eq!(text, run_all(&["--threads", "1"]), "threads show");
    assert!(text.lines().all(|line| line.chars().count() <= 110), "{text}");

    let cycles = |settings: &str| -> Value {
        let json: Value =
            serde_json::from_str(&finite_sim(&["--with", settings, "--format", "json"], 0).0).unwrap();
        let nominal = json["scenarios"][0].clone();
        assert!(
            nominal["points"].as_array().unwrap().is_empty()
                && nominal["model"].get("warmup_cycles").is_none()
        );
        assert_eq!(
            (&nominal["model"]["bytes"], &nominal["packets"], &nominal["bytes"]),
            (&2048.into(), &1440.into(), &491_520.into())
        );
        let [run] = &nominal["completions"].as_array().unwrap()[..] else { panic!("one seed") };
        assert!(
            run["cycles"].as_u64() >= nominal["least_cycles"].as_u64() && run["share"].as_f64() <= Some(1.0)
        );
        assert_eq!(nominal["bound_ratio"][1], nominal["least_cycles"]);
        run["cycles"].clone()
    };
    let ordered =
        |order: &str| cycles(&format!("traffic = all_to_all {{ bytes = 2 KiB; order = {order}; }}"));
    assert!(ordered("barrier").as_u64() > cycles(with_traffic).as_u64());
    assert!(ordered("turns") != cycles(with_traffic));
    assert!(cycles(&format!("{with_traffic} model = flit")).as_u64() > Some(100));

    let csv = run_all(&["--format", "csv", "--scenario", "all"]);
    assert!(
        csv.starts_with("scenario,seed,cycles,least_cycles,share,us,gbs,gbs_per_sender,")
            && csv.lines().count() == 14,
        "{csv}"
    );
    let columns =
        |line: &str| line.split('"').step_by(2).map(|part| part.matches(',').count()).sum::<usize>();
    assert!(csv.lines().all(|line| columns(line) == columns(csv.lines().next().unwrap())), "{csv}");
    let compared = run_all(&["--compare"]);
    assert!(
        compared.starts_with("fabric") && compared.contains("at least") && compared.contains("1.000"),
        "{compared}"
    );
    assert!(
        run_all(&["--compare", "--format", "csv"])
            .starts_with("fabric,senders,least_cycles,cycles,share,gbs,ratio,bound_ratio\npod,16,")
    );

    let trace = |text: &str| std::fs::write(place.path().join("t.csv"), text).unwrap();
    trace("cycle,src,dst,flits\n0,cube0[0,0,0],cube1[1,1,1],60\n500,3,0,6\n");
    let (text, _) = finite_sim(&["--with", "traffic = trace \"t.csv\""], 0);
    assert!(
        text.contains("trace t.csv traffic") && text.contains("2 messages, 4,224 bytes in 11 packets"),
        "{text}"
    );
    for (content, code, what) in [
        ("0,1,2\n", 1, "error[FAB0137]: t.csv is not a trace: line 1: 3 columns instead of 4"),
        ("0,1,2,6\n0,1,16,6\n", 2, "error[FAB0624]: t.csv:2: no endpoint is called `16`"),
        ("7,1,2,6\n6,1,2,6\n", 1, "line 2: cycle 6 comes after cycle 7"),
        ("0,1,2,0\n", 1, "line 1: `0` is not a number of flits"),
        ("0,1,2,4294967296\n", 1, "line 1: `4294967296` is not a number of flits"),
        ("\n", 1, "t.csv is not a trace: it has no messages"),
    ] {
        trace(content);
        let (_, error) = finite_sim(&["--with", "traffic = trace \"t.csv\""], code);
        assert!(error.contains(what), "{content}: {error}");
    }
    let traffic = "traffic = all_to_all { bytes = 1 KiB; }";
    for (settings, args, code, what) in [
        ("traffic = all_to_all", &[][..], 1, "`all_to_all` lacks `bytes`"),
        ("traffic = trace", &[], 1, "`trace` lacks its file"),
        ("bytes = 1 KiB", &[], 1, "`bytes`"),
        ("traffic = all_to_all { bytes = 64 KB; }", &[], 1, "`bytes` needs one of the units"),
        ("traffic = all_to_all { bytes = 1024 GiB; }", &[], 2, "error[FAB0627]"),
        (&format!("{traffic} rates = 0.1"), &[], 1, "`rates`"),
        (traffic, &["--saturation"], 2, "error[FAB0623]: `saturation` has no effect"),
        (&format!("{traffic} warmup = 5 cycles"), &[], 1, "`warmup`"),
        (traffic, &["--format", "svg"], 2, "error[FAB0521]: traffic that ends has no form `svg`"),
        ("traffic = trace \"nowhere.csv\"", &[], 1, "nowhere.csv"),
    ] {
        let (_, error) =
            fabc(place.path(), &[&["sim", "out/pod", "--with", settings][..], args].concat(), code);
        assert!(error.contains(what), "{settings}: {error}");
    }
}

#[test]
fn what_cannot_be_simulated_is_told_at_its_place() {
    let place = built(&pod());
    for (settings, code, what) in [
        ("packet = 101 flits", 1, "at most 100 flits, the size of a buffer"),
        (
            "model = packet { general = 3; }",
            1,
            "error[FAB0602]: 3 general virtual channels and the 2 of the tables need 5 virtual channels, but the chip has 4",
        ),
        (
            "model = packet { classes = 3; }",
            1,
            "error[FAB0602]: 3 virtual channels for each of the 2 of the tables need 6",
        ),
        (
            "rates = 7",
            2,
            "error[FAB0605]: a rate of 7.00 is more than a packet of 6 flits per cycle and port can offer: at most 6",
        ),
        ("rates = 0", 1, "a rate"),
        ("rates = [0.1, 0.1]", 1, "`0.1`"),
        ("rates = [0.1, fast]", 1, "a rate"),
        ("model = packet { hosts = many; }", 1, "`hosts` cannot be `many`"),
        ("model = packet { general = 1; classes = 1; }", 1, "`classes`"),
        (
            "model = flit { hosts = unlimited; }",
            2,
            "error[FAB0610]: hosts without a port limit exist only in the packet model",
        ),
        ("model = flit { turn = 2 cycles; }", 1, "`turn`"),
    ] {
        let (_, error) = sim(&place, &["--with", settings], code);
        assert!(error.contains(what), "{settings}: {error}");
    }
    assert!(
        sim(&place, &["--scenario", "Q[0,0]"], 2)
            .1
            .contains("error[FAB0512]: there are no tables for the scenario `Q[0,0]`")
    );
    let long = "warmup = 900000000 cycles; measure = 200000000 cycles";
    let (_, error) = fabc(place.path(), &["sim", "out/pod", "--with", long], 1);
    assert!(error.contains("at most 1000000000 cycles together"), "{error}");
    assert!(fabc(place.path(), &["sim", "out"], 2).1.contains("FAB0510"));

    let table = place.path().join("out/pod/tables/nominal.json");
    let text = std::fs::read_to_string(&table).unwrap();
    // The first entry of the first router goes elsewhere.
    let offset = text.find("[1,-1,-1,").expect("an injected packet to router 1");
    let end = offset + text[offset..].find(']').unwrap();
    std::fs::write(&table, format!("{}{}", &text[..offset], text[end + 1..].trim_start_matches(',')))
        .unwrap();
    let (_, astray) = sim(&place, &[], 3);
    assert!(
        astray.contains("error[FAB0607]: nominal: packets from cube0[0,0,0] to cube0[1,0,0] do not arrive"),
        "{astray}"
    );
    assert!(astray.contains("cube0[0,0,0] has no entry for them"), "{astray}");
}

#[test]
fn links_must_be_alike_and_take_time() {
    let unlike = built(&pod().with("link fiber { bandwidth = 100 GB/s; latency = 10 cycles; }"));
    assert!(
        sim(&unlike, &[], 1)
            .1
            .contains("error[FAB0603]: link `fiber` carries another bandwidth than `copper`")
    );
    let timeless = built(&pod().with("link fiber { bandwidth = 50 GB/s; latency = 0 cycles; }"));
    assert!(sim(&timeless, &[], 1).1.contains("error[FAB0604]: link `fiber` takes 0 cycles"));
    let lonely =
        built(&SpecText::pod([2, 2, 2], 2).with("topology = torus 2 x 2 x 4;").with("routing = up_down;"));
    std::fs::remove_dir_all(lonely.path().join("out/pod/tables")).unwrap();
    assert!(
        sim(&lonely, &[], 2).1.contains("error[FAB0512]: there are no tables for the scenario `nominal`")
    );
}

/// The same with a simulation, and what is required of it.
fn simulated(require: &str) -> SpecText {
    let block = "simulate peak { rates = 0.1 .. 0.3 step 0.1; warmup = 500 cycles; measure = 1000 cycles; scenarios = all; }";
    pod()
        .with(block)
        .with("simulate turned { traffic = bit_reverse; warmup = 500 cycles; measure = 1000 cycles; }")
        .with(require)
}

#[test]
fn blocks_of_the_spec_run_with_the_build_and_are_verified() {
    let place = built(&simulated("require peak.saturation >= 0.2; require peak.latency(0.5) <= 900 cycles;"));
    let read = |path: &str| std::fs::read_to_string(place.path().join("out/pod").join(path)).unwrap();
    let peak: Value = serde_json::from_str(&read("simulations/peak.json")).unwrap();
    let scenarios = peak["scenarios"].as_array().unwrap();
    assert_eq!(
        (&peak["simulation"], scenarios.len()),
        (&Value::from("peak"), 13),
        "the healthy pod and every dark switch"
    );
    for scenario in scenarios {
        let bound = scenario["bound"].as_f64().unwrap();
        let rates: Vec<f64> = scenario["points"]
            .as_array()
            .unwrap()
            .iter()
            .map(|point| point["rate"].as_f64().unwrap())
            .collect();
        let half = (bound * 0.5 * 1e4).floor() / 1e4;
        assert!([0.1, 0.2, 0.3, half].iter().all(|rate| rates.contains(rate)), "{rates:?} have no {half}");
    }
    assert_eq!(read("simulations/turned.csv").lines().count(), 13, "a line of heads, and twelve rates");
    let report: Value = serde_json::from_str(&read("report.json")).unwrap();
    let lines = report["requires"].as_array().unwrap();
    assert!(lines.iter().all(|line| line["holds"] == true && line["scenario"].is_string()), "{lines:?}");
    let worst = scenarios
        .iter()
        .map(|scenario| scenario["saturation"][0]["stable"].as_f64().unwrap())
        .fold(f64::INFINITY, f64::min);
    let peak_line = lines.iter().find(|line| line["require"] == "peak.saturation >= 0.2").unwrap();
    assert_eq!(peak_line["measured"].as_f64(), Some(worst));
    for word in ["SIMULATION", "peak, nominal", "bit_reverse traffic"] {
        assert!(read("report.txt").contains(word), "{word}");
    }
    assert!(read("report.html").contains("<code>turned</code>"));
    fabc(place.path(), &["verify", "out/pod"], 0);

    // The command runs the same blocks, to the same bytes.
    let again = |block: &str, format: &str| {
        fabc(place.path(), &["sim", "out/pod", "--block", block, "--format", format], 0).0
    };
    assert_eq!(again("peak", "json"), read("simulations/peak.json"));
    assert_eq!(again("turned", "csv"), read("simulations/turned.csv"));
    let (all, _) = fabc(place.path(), &["sim", "out/pod"], 0);
    assert!(all.starts_with("pod: peak\n") && all.contains("\npod: turned\n"), "{all}");
    let (_, error) = fabc(place.path(), &["sim", "out/pod", "--block", "peek"], 2);
    assert!(error.contains("FAB0520"), "{error}");
    fabc(place.path(), &["sim", "out/pod", "--block", "peak", "--with", "rates = 0.1"], 2);
}

#[test]
fn what_simulations_claim_is_convicted() {
    let place = built(&simulated(""));
    let path = place.path().join("out/pod/simulations/peak.json");
    let honest = std::fs::read_to_string(&path).unwrap();
    let number = |key: &str| {
        let start = honest.find(&format!("\"{key}\":")).unwrap() + key.len() + 3;
        let digits = honest[start..].find([',', '}', ']']).unwrap();
        (start, start + digits)
    };
    // The first of each: of the cheapest point where it is one of a point.
    for (key, claim) in [
        ("bound", "0.9"),
        ("stable", "0.9"),
        ("unstable", "0.2"),
        ("accepted", "0.5"),
        ("born", "7"),
        ("sum", "1"),
        ("median", "1"),
        ("p99", "2"),
        ("inside_sum", "3"),
        ("hops", "5"),
        ("p99_flits", "1"),
        ("born_ever", "12345"),
        ("in_flight", "9"),
        ("buffer_flits", "77"),
        ("runs", "1000000000000"),
    ] {
        let (start, end) = number(key);
        let forged = format!("{}{claim}{}", &honest[..start], &honest[end..]);
        assert_ne!(forged, honest, "{key}");
        std::fs::write(&path, forged).unwrap();
        let (_, error) = fabc(place.path(), &["verify", "out/pod"], 3);
        assert!(error.contains("simulations/peak.json"), "{key}: {error}");
    }
}

/// A block of traffic that ends: it is run with the build, required of, shown, and run again by `verify`.
#[test]
fn blocks_of_traffic_that_ends_are_run_and_verified() {
    let block = "simulate burst { traffic = all_to_all { bytes = 1 KiB; order = barrier; } scenarios = all; model = flit { hosts = 1; window = 40; } }";
    let spec = |require: &str| pod().with(block).with(require);
    let place = built(&spec(
        "require burst.time <= 10 us; require burst.time <= 10000 cycles; require burst.share >= 0.1;",
    ));
    let path = place.path().join("out/pod/simulations/burst.json");
    let read = |path: &str| std::fs::read_to_string(place.path().join("out/pod").join(path)).unwrap();
    let honest = read("simulations/burst.json");
    let burst: Value = serde_json::from_str(&honest).unwrap();
    let scenarios = burst["scenarios"].as_array().unwrap();
    let cycles: Vec<u64> =
        scenarios.iter().map(|scenario| scenario["completions"][0]["cycles"].as_u64().unwrap()).collect();
    assert_eq!((cycles.len(), &scenarios[0]["model"]["order"]), (13, &Value::from("barrier")));
    let report: Value = serde_json::from_str(&read("report.json")).unwrap();
    let require_lines = report["requires"]
        .as_array()
        .unwrap()
        .iter()
        .find(|line| line["require"] == "burst.time <= 10000 cycles")
        .unwrap()
        .clone();
    assert_eq!(
        (require_lines["measured"].as_f64(), require_lines["holds"].as_bool()),
        (cycles.iter().max().map(|&most| most as f64), Some(true))
    );
    assert_eq!(read("simulations/burst.csv").lines().count(), 14);
    for word in ["burst, nominal", "of bound", "all_to_all of 1024 B, order barrier, traffic"] {
        let report = read("report.txt").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(report.contains(word), "{word} is missing in\n{report}");
    }
    assert!(read("report.html").contains("cycles to the last delivery"));
    fabc(place.path(), &["verify", "out/pod"], 0);
    assert_eq!(fabc(place.path(), &["sim", "out/pod", "--format", "json"], 0).0, honest);
    // `--scenario` wins over `scenarios = all`, of a block and of `--with`.
    let run = |more: &[&str]| -> Vec<Value> {
        let (text, _) = fabc(place.path(), &[&["sim", "out/pod", "--format", "json"][..], more].concat(), 0);
        serde_json::from_str::<Value>(&text).unwrap()["scenarios"].as_array().unwrap().clone()
    };
    let fault = scenarios[1]["scenario"].as_str().unwrap();
    assert_eq!(run(&["--block", "burst", "--scenario", fault]), scenarios[1..2]);
    assert_eq!(run(&["--block", "burst", "--scenario", "all"]), scenarios[..]);
    assert_eq!(run(&["--scenario", "nominal"]), scenarios[..1]);
    let settings = "traffic = all_to_all { bytes = 1 KiB; } scenarios = all;";
    assert_eq!(run(&["--with", settings]).len(), 13);
    assert_eq!(run(&["--with", settings, "--scenario", fault])[0]["scenario"], fault);
    assert_eq!(run(&["--with", settings, "--scenario", fault]).len(), 1);
    for key in [
        "window_packets",
        "cycles",
        "least_cycles",
        "bytes",
        "packets",
        "sum",
        "p99",
        "hops",
        "delivered",
        "flit_cycles",
        "share",
        "gbs",
    ] {
        // The first behind the list of runs where it is one of a run.
        let from = if ["window_packets", "bytes", "packets", "least_cycles"].contains(&key) {
            0
        } else {
            honest.find("completions").unwrap()
        };
        let start = from + honest[from..].find(&format!("\"{key}\":")).unwrap() + key.len() + 3;
        let end = start + honest[start..].find([',', '}', ']']).unwrap();
        std::fs::write(&path, format!("{}1{}", &honest[..start], &honest[end..])).unwrap();
        let (_, error) = fabc(place.path(), &["verify", "out/pod"], 3);
        assert!(error.contains("simulations/burst.json"), "{key}: {error}");
    }
    std::fs::write(place.path().join("fabric.fab"), spec("require burst.time <= 100 cycles;").text())
        .unwrap();
    let (_, error) = fabc(place.path(), &["build", "fabric.fab", "-q"], 3);
    assert!(error.contains("`require burst.time <= 100 cycles` does not hold"), "{error}");
}

/// A trace beside the spec: it is copied into the directory, which is verified, simulated and built again.
#[test]
fn traces_stand_in_the_spec_as_well() {
    let lines = "cycle,src,dst,flits\n0,0,15,40\n3,cube0[0,1,0],cube1[1,1,1],6\n900,7,0,12\n";
    let place = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| std::fs::write(place.path().join(path), text).unwrap();
    let read = |path: &str| std::fs::read_to_string(place.path().join(path)).unwrap();
    write("steps.csv", lines);
    let block = "simulate steps { traffic = trace \"steps.csv\"; }";
    let spec = pod().with(block).with("require steps.time <= 1100 cycles; require steps.time >= 900 cycles;");
    write("fabric.fab", &spec.text());
    fabc(place.path(), &["build", "fabric.fab", "-q"], 0);
    assert_eq!(read("out/pod/inputs/trace-steps.csv"), lines);
    assert!(read("out/pod/spec.fab").contains("traffic = trace \"inputs/trace-steps.csv\";"));
    let honest = read("out/pod/simulations/steps.json");
    let steps: Value = serde_json::from_str(&honest).unwrap();
    assert_eq!(
        (&steps["scenarios"][0]["messages"], &steps["scenarios"][0]["bytes"]),
        (&Value::from(3), &Value::from(58 * 64))
    );
    fabc(place.path(), &["verify", "out/pod"], 0);
    assert_eq!(fabc(place.path(), &["sim", "out/pod", "--format", "json"], 0).0, honest);
    // The command says the same by a setting.
    let settings = "traffic = trace \"steps.csv\"";
    let by_setting = fabc(place.path(), &["sim", "out/pod", "--with", settings, "--format", "json"], 0).0;
    let by_setting: Value = serde_json::from_str(&by_setting).unwrap();
    assert_eq!(by_setting["scenarios"][0]["completions"], steps["scenarios"][0]["completions"]);
    // Built again from what was written.
    fabc(place.path(), &["build", "out/pod/spec.fab", "-q", "--out", "again"], 0);
    assert_eq!(read("again/pod/simulations/steps.json"), honest);

    write("out/pod/inputs/trace-steps.csv", "0,0,1,6\n");
    fabc(place.path(), &["verify", "out/pod"], 3);
    write("steps.csv", "0,0,16,6\n");
    let (_, error) = fabc(place.path(), &["build", "fabric.fab", "-q"], 1);
    assert!(
        error.contains("FAB0624") && error.contains("steps.csv:1: no endpoint is called `16`"),
        "{error}"
    );
}

/// The command and a spec read the same settings.
#[test]
fn spots_and_bursts_stand_in_the_spec_as_well() {
    let settings = "
        traffic = hotspot { at = [cube0[0, 0, 0], 5]; share = 0.5; }
        births = bursts { length = 40 cycles; rate = 0.5; }
        rates = [0.05, 0.02]; warmup = 500 cycles; measure = 1000 cycles;
    ";
    let block = &format!("simulate hot {{{settings}}}");
    let place = built(&pod().with(block));
    let points = |text: &str| serde_json::from_str::<Value>(text).unwrap()["scenarios"][0]["points"].clone();
    let written = std::fs::read_to_string(place.path().join("out/pod/simulations/hot.json")).unwrap();
    let (simulated, _) = fabc(place.path(), &["sim", "out/pod", "--with", settings, "--format", "json"], 0);
    assert_eq!(points(&written), points(&simulated));
    assert_eq!(points(&written).as_array().unwrap().len(), 2);
    fabc(place.path(), &["verify", "out/pod"], 0);

    for (block, what) in [
        (
            "simulate hot { traffic = hotspot { at = [cube9[0,0,0]]; } }",
            "no endpoint is called `cube9[0,0,0]`",
        ),
        ("simulate hot { traffic = all_to_all { bytes = 1000000000 KiB; } }", "this traffic takes at least"),
    ] {
        let spec = pod().with(block).text();
        std::fs::write(place.path().join("fabric.fab"), &spec).unwrap();
        let (_, error) = fabc(place.path(), &["build", "fabric.fab", "-q"], 1);
        let line = spec.lines().position(|line| line.contains("simulate")).unwrap() + 1;
        assert!(error.contains(&format!("fabric.fab:{line}:")) && error.contains(what), "{error}");
    }
}

#[test]
fn a_contract_on_a_simulation_can_be_broken() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("fabric.fab"), simulated("require turned.share >= 1.04;").text())
        .unwrap();
    let (_, error) = fabc(place.path(), &["build", "fabric.fab", "-q"], 3);
    assert!(error.contains("`require turned.share >= 1.04` does not hold"), "{error}");
}

#[test]
fn directories_are_compared() {
    let place = built(&pod());
    std::fs::write(
        place.path().join("other.fab"),
        pod().named("other").with("routing = allowed_turns;").text(),
    )
    .unwrap();
    fabc(place.path(), &["build", "other.fab", "-q"], 0);
    let short_run =
        |args: &[&str], code: i32| short_sim(&place, &[&["out/pod", "out/other"][..], args].concat(), code);
    let (text, _) = short_run(&[], 0);
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with("fabric") && lines[1].starts_with("pod ") && lines[2].starts_with("other "),
        "{text}"
    );
    assert!(lines[1].ends_with("1.000     1.000"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let (csv, _) = short_run(&["--compare", "--format", "csv"], 0);
    let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = csv.lines().map(cells).collect();
    assert_eq!((rows.len(), rows[0].len()), (3, 9), "{csv}");
    let number = |row: usize, column: usize| rows[row][column].parse::<f64>().unwrap();
    assert!((number(2, 7) - number(2, 3) / number(1, 3)).abs() < 1e-6, "{csv}");
    // The same bracket as one directory alone has.
    let (alone, _) = short_sim(&place, &["out/other", "--saturation", "--format", "csv"], 0);
    let row = cells(alone.lines().nth(1).unwrap());
    assert_eq!([&row[3], &row[4]], [&rows[2][3], &rows[2][4]], "{alone}");
    let (_, error) = short_run(&["--format", "json"], 2);
    assert!(error.contains("FAB0521"), "{error}");
    let (_, error) = short_run(&["--compare", "--with", "rates = 0.1"], 2);
    assert!(error.contains("a comparison searches saturation and has no `rates`"), "{error}");
}

/// Tables and topology of a built directory do the same without it.
#[test]
fn tables_of_anybody() {
    let run = short_sim;
    let first = |text: &str| serde_json::from_str::<Value>(text).unwrap()["scenarios"][0].clone();
    let place = built(&pod());
    for model in ["packet", "flit"] {
        let settings = format!("model = {model}; rates = [0.2, 0.9]");
        let options = ["--with", &settings, "--format", "json"];
        let native_result = first(&sim(&place, &options, 0).0);
        let tables = ["--tables", "out/pod/tables/nominal.json", "--topology", "out/pod/topology.json"];
        let hardware = ["--buffer", "100", "--link-latency", "10", "--router-latency", "10"];
        let foreign_result = first(&run(&place, &[&tables[..], &hardware, &options].concat(), 0).0);
        for part in ["bound", "mean_hops", "mean_cycles", "senders"] {
            assert_eq!(foreign_result[part], native_result[part], "{part}");
        }
        for part in ["host_ports", "general_vcs", "table_vcs", "credits"] {
            assert_eq!(foreign_result["model"][part], native_result["model"][part], "{part}");
        }
        for (foreign_result, native_result) in foreign_result["points"]
            .as_array()
            .unwrap()
            .iter()
            .zip(native_result["points"].as_array().unwrap())
        {
            for part in ["accepted", "born", "delivered", "latency", "inside", "vcs"] {
                assert_eq!(foreign_result[part], native_result[part], "{part}");
            }
        }
    }

    // The adapters of a subnet are routers of their own: two hops more, of four cycles each.
    let place = tempfile::tempdir().unwrap();
    let mesh = SpecText::network("mesh 2 x 3;").with("routing = dimension_order;");
    std::fs::write(place.path().join("fabric.fab"), mesh.text()).unwrap();
    fabc(place.path(), &["build", "fabric.fab", "-q", "--emit", "opensm_lft=m.lft,ibnetdiscover=m.topo"], 0);
    let subnet = ["--tables", "m.lft", "--topology", "m.topo"];
    let alone =
        first(&run(&place, &[&subnet[..], &["--with", "rates = 0.001", "--format", "json"]].concat(), 0).0);
    let [hops, cycles] = ["mean_hops", "mean_cycles"].map(|part| alone[part].as_f64().unwrap());
    // Between two routers of a 2 x 3 mesh: 25 hops over its 15 pairs.
    assert!(
        (hops - 2.0 - 25.0 / 15.0).abs() < 1e-5 && (cycles - 4.0 * hops - 5.0).abs() < 1e-4,
        "{hops} {cycles}"
    );

    // On the lanes of a subnet: as many hops, and as much on every lane as on the virtual channel.
    let torus = SpecText::network("torus 5 x 5;").named("round").with("routing = dimension_order;");
    std::fs::write(place.path().join("round.fab"), torus.text()).unwrap();
    let emit = "opensm_lft=r.lft,ibnetdiscover=r.topo,opensm_sl2vl=r.sl2vl,opensm_path_sl=r.psl";
    fabc(place.path(), &["build", "round.fab", "-q"], 0);
    fabc(place.path(), &["build", "round.fab", "-q", "--emit", emit], 0);
    let options = ["--with", "rates = 0.3", "--format", "json"];
    let native_result = first(&run(&place, &[&["out/round"][..], &options].concat(), 0).0);
    let lanes = ["--tables", "r.lft", "--topology", "r.topo", "--sl2vl", "r.sl2vl", "--path-sl", "r.psl"];
    let laned = first(&run(&place, &[&lanes[..], &options].concat(), 0).0);
    let hops = |of: &Value| of["mean_hops"].as_f64().unwrap();
    assert!(
        (hops(&laned) - hops(&native_result) - 2.0).abs() < 1e-5,
        "{} and {}",
        hops(&laned),
        hops(&native_result)
    );
    // The spec allows four, the routes use two.
    assert_eq!(
        (&laned["model"]["table_vcs"], &native_result["model"]["table_vcs"]),
        (&Value::from(2), &Value::from(4))
    );
    assert!((laned["points"][0]["accepted"].as_f64().unwrap() - 0.3).abs() < 0.02, "{}", laned["points"][0]);
    let (_, error) = run(&place, &[&lanes[..4], &options].concat(), 3);
    assert!(error.contains("FAB0413"), "one lane is not enough: {error}");
    run(&place, &["--tables", "r.lft", "--topology", "r.topo", "--path-sl", "r.psl"], 2);

    // What is wrong with the files is what `verify` says of them.
    let lft = std::fs::read_to_string(place.path().join("m.lft")).unwrap();
    let entry = lft.lines().position(|line| line.starts_with("0x")).unwrap();
    let cut: Vec<&str> =
        lft.lines().enumerate().filter(|(at, _)| *at != entry + 1).map(|(_, line)| line).collect();
    std::fs::write(place.path().join("cut.lft"), cut.join("\n")).unwrap();
    for (args, code, message) in [
        (&["--tables", "m.lft"][..], 2, "--topology <FILE>"),
        (&["--tables", "m.lft", "--topology", "m.lft"], 1, "FAB0418"),
        (&["--tables", "none.lft", "--topology", "m.topo"], 1, "none.lft"),
        (&["--tables", "cut.lft", "--topology", "m.topo"], 3, "FAB04"),
        (
            &["--tables", "m.lft", "--topology", "m.topo", "--with", "model = packet { general = 7; }"],
            1,
            "`general`",
        ),
        (
            &["--tables", "m.lft", "--topology", "m.topo", "--with", "scenarios = all"],
            2,
            "third-party tables have no scenarios",
        ),
        (&["out/net", "--tables", "m.lft", "--topology", "m.topo"], 2, "cannot be used with"),
        (&["out/net", "--vcs", "2"], 2, "--tables <FILE>"),
    ] {
        let (_, err) = run(&place, args, code);
        assert!(err.contains(message), "{args:?}: expected `{message}` in\n{err}");
    }
}

/// Packets that choose their ways need no tables.
#[test]
fn a_directory_without_tables() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("fabric.fab"), SpecText::network("hyperx 3 x 3;").text()).unwrap();
    fabc(place.path(), &["build", "fabric.fab", "-q", "--stop-after", "analyze"], 0);
    let chosen = ["--with", "routing = min; rates = 0.3", "--format", "csv"];
    let (unrouted, _) = sim(&place, &chosen, 0);
    let (_, err) = sim(&place, &["--with", "rates = 0.3"], 2);
    assert!(err.contains("error[FAB0512]"), "{err}");
    fabc(place.path(), &["build", "fabric.fab", "-q"], 0);
    assert_eq!(unrouted, sim(&place, &chosen, 0).0);
}

/// What used to be an option is told as the setting that it is now.
#[test]
fn former_options_are_told_as_settings() {
    let place = tempfile::tempdir().unwrap();
    let line = ["sim", "out/pod", "--traffic", "tornado", "--rates", "0.1..0.6:0.1", "--format", "json"];
    let (_, error) = fabc(place.path(), &line, 2);
    let words = error.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "`fabc sim` has no option `--traffic`",
        "write `--with 'traffic = tornado; rates = 0.1 .. 0.6 step 0.1;'`",
    ] {
        assert!(words.contains(part), "{part} is missing in\n{error}");
    }
    let (_, error) = fabc(place.path(), &["sim", "out/pod", "--colour", "blue"], 2);
    assert!(error.contains("unexpected argument '--colour' found"), "{error}");
}
