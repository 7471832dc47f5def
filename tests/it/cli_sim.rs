//! `fabc sim`, driven from outside: its forms, exit codes and errors. `finite` has traffic that ends,
//! `blocks` the simulations of a spec, `foreign_tables` tables of other programs, `motion` plans.

mod blocks;
mod finite;
mod foreign_tables;
mod motion;

use crate::support::command::fabc;
use crate::support::spec_text::SpecText;
use serde_json::Value;

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

/// The words of a text, whose lines may end anywhere.
fn flowing(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs `fabc sim` with `args`, and adds [`SHORT`] to their settings.
fn short_sim(place: &tempfile::TempDir, args: &[&str], code: i32) -> (String, String) {
    let with = args.iter().position(|arg| *arg == "--with");
    let settings = format!("{SHORT} {}", with.map_or("", |index| args[index + 1]));
    let others = args
        .iter()
        .enumerate()
        .filter(|(index, _)| with.is_none_or(|with| *index != with && *index != with + 1));
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
        text.lines().filter(|line| line.starts_with("   ") && line.contains(" %")).count(),
        12,
        "{text}"
    );
    assert_eq!(text.matches("replications: at least").count(), 1, "{text}");
    assert_eq!(text, sim(&place, &["--threads", "1"], 0).0, "threads show");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");

    let json: Value =
        serde_json::from_str(&sim(&place, &["--json", "--with", "rates = [0.1, 0.2]; seeds = 2"], 0).0)
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

    let (csv, _) = sim(&place, &["--csv", "--with", "rates = 0.1; scenarios = all"], 0);
    // Four switches of each of three groups, and the healthy pod.
    assert_eq!(csv.lines().count(), 14, "{csv}");
    let columns =
        |line: &str| line.split('"').step_by(2).map(|part| part.matches(',').count()).sum::<usize>();
    assert!(csv.lines().all(|line| columns(line) == columns(csv.lines().next().unwrap())), "{csv}");
    assert!(csv.contains("\n\"Z[1,1]\",0.10,1,"), "{csv}");
    let (single, _) = sim(&place, &["--csv", "--with", "rates = 0.1", "--scenario", "Z[1,1]"], 0);
    assert!(csv.contains(single.lines().nth(1).unwrap()), "{single}");

    let (searched, _) = sim(&place, &["--csv", "--saturation", "--with", "seeds = 2;"], 0);
    assert!(
        searched.starts_with("scenario,seed,bound,low,mean,high,share,replications,")
            && searched.lines().count() == 3,
        "{searched}"
    );

    let (svg, _) = sim(&place, &["--svg", "--with", "rates = 0.1 .. 0.5 step 0.1"], 0);
    assert!(svg.starts_with("<svg xmlns=") && svg.matches("<circle").count() == 5, "{svg}");
}

#[test]
fn hosts_of_a_network_have_a_port_each() {
    let network = SpecText::network("hyperx 3 x 3;").with(
        "router { radix = 12; hosts = 2; vcs = 4; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }",
    );
    let place = built(&network);
    let (text, _) = sim(&place, &["--with", "traffic = permutation; rates = 0.2"], 0);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
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
    let (csv, _) = sim(&place, &["--csv", "--with", bursts], 0);
    let rates: Vec<&str> = csv.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
    assert_eq!(rates, ["0.10", "0.20", "0.30", "0.40"], "{csv}");
    let of_block = std::fs::read_to_string(place.path().join("out/net/simulations/steps.csv")).unwrap();
    assert_eq!(csv, of_block, "a block of the spec runs the same curve");
}

/// Settings that a network refuses, the exit code, and a part of the message.
const REFUSED_SETTINGS: &[(&str, i32, &str)] = &[
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
];

#[test]
fn traffic_and_ways_are_told_with_every_default() {
    let network = SpecText::network("dragonfly { a = 4; h = 2; }").with(
        "router { radix = 12; hosts = 2; vcs = 6; flit = 64 B; buffer = 24 flits; latency = 1 cycles; }",
    );
    let place = built(&network);
    let json = |settings: &str| -> Value {
        let settings = format!("rates = 0.1; {settings}");
        let (json, _) = sim(&place, &["--with", &settings, "--json"], 0);
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
    let words = flowing(&text);
    for part in [
        "uniform in bursts of 40 cycles at 0.50 traffic; ugal_global over random, samples 1, bias 30, rule booksim routing;",
        "6 virtual channels, by hop, 24 flits each",
        ", of any routing, by the hops of shortest ways; ",
    ] {
        assert!(words.contains(part), "{part} is missing in\n{words}");
    }
    let (csv, _) = sim(&place, &["--csv", "--with", "rates = 0.1; routing = min; traffic = adversarial"], 0);
    assert!(csv.lines().nth(1).is_some_and(|row| row.ends_with(",adversarial,min,packet")), "{csv}");
    for &(settings, code, message) in REFUSED_SETTINGS {
        let (_, error) = sim(&place, &["--with", settings], code);
        assert!(error.contains(message), "{settings}: {error}");
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
        assert!(flowing(&text).contains(part), "{part} is missing in\n{text}");
    }
    let flit = ["--with", "model = flit { speedup = 1; } rates = 0.2"];
    let json: Value = serde_json::from_str(&sim(&place, &[&flit[..], &["--json"]].concat(), 0).0).unwrap();
    let model = &json["scenarios"][0]["model"];
    assert_eq!(
        (&model["name"], &model["speedup"], &model["host_ports"]),
        (&"flit".into(), &1.into(), &2.into())
    );
    assert!(model.get("turn_cycles").is_none() && model["arbitration"] == "rotate", "{model}");
    let (csv, _) = sim(&place, &[&flit[..], &["--csv"]].concat(), 0);
    let last: Vec<&str> = csv.lines().map(|line| line.rsplit(',').next().unwrap()).collect();
    assert_eq!(last, ["model", "flit"]);
    assert!(model.get("window_packets").is_none(), "{model}");
    let limited: Value = serde_json::from_str(
        &sim(&place, &["--with", "model = flit { speedup = 1; window = 9; } rates = 0.2", "--json"], 0).0,
    )
    .unwrap();
    assert_eq!(limited["scenarios"][0]["model"]["window_packets"], 9);
    let (text, _) = sim(&place, &["--with", "rates = 0.2; model = packet { window = 1; }"], 0);
    assert!(flowing(&text).contains("hosts without limit, a packet of each under way at most"), "{text}");
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
fn what_cannot_be_simulated_is_told_at_its_place() {
    let place = built(&pod());
    for (settings, code, message) in [
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
        assert!(error.contains(message), "{settings}: {error}");
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
fn links_differ_in_bandwidth_and_take_time() {
    let unlike = built(&pod().with("link fiber { bandwidth = 100 GB/s; latency = 10 cycles; }"));
    let (_, error) = sim(&unlike, &["--with", "model = flit; rates = 0.1"], 1);
    assert!(
        error.contains("error[FAB0603]: link `copper` carries another bandwidth than `fiber`: in the flit"),
        "{error}"
    );
    // Packets take whole cycles over both links.
    let (text, _) = sim(&unlike, &["--with", "rates = 0.1"], 0);
    assert!(text.contains("cycles of a packet: 12 over\n  `copper`, 6 over `fiber`"), "{text}");
    let timeless = built(&pod().with("link fiber { bandwidth = 50 GB/s; latency = 0 cycles; }"));
    assert!(sim(&timeless, &[], 1).1.contains("error[FAB0604]: link `fiber` takes 0 cycles"));
    let lonely =
        built(&SpecText::pod([2, 2, 2], 2).with("topology = torus 2 x 2 x 4;").with("routing = up_down;"));
    std::fs::remove_dir_all(lonely.path().join("out/pod/tables")).unwrap();
    assert!(
        sim(&lonely, &[], 2).1.contains("error[FAB0512]: there are no tables for the scenario `nominal`")
    );
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
    let (csv, _) = short_run(&["--compare", "--csv"], 0);
    let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = csv.lines().map(cells).collect();
    assert_eq!((rows.len(), rows[0].len()), (3, 9), "{csv}");
    let number = |row: usize, column: usize| rows[row][column].parse::<f64>().unwrap();
    assert!((number(2, 7) - number(2, 3) / number(1, 3)).abs() < 1e-6, "{csv}");
    // The same interval as one directory alone has.
    let (alone, _) = short_sim(&place, &["out/other", "--saturation", "--csv"], 0);
    let row = cells(alone.lines().nth(1).unwrap());
    assert_eq!([&row[3], &row[5]], [&rows[2][3], &rows[2][4]], "{alone}");
    let (_, error) = short_run(&["--svg"], 2);
    assert!(error.contains("FAB0521"), "{error}");
    let document: Value = serde_json::from_str(&short_run(&["--json"], 0).0).unwrap();
    assert_eq!(document["scenarios"][1]["ratio"].to_string(), rows[2][7].trim_end_matches('0'), "{document}");
    let (_, error) = short_run(&["--compare", "--with", "rates = 0.1"], 2);
    assert!(error.contains("a comparison searches saturation and has no `rates`"), "{error}");
}

/// Packets that choose their ways need no tables.
#[test]
fn a_directory_without_tables() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("fabric.fab"), SpecText::network("hyperx 3 x 3;").text()).unwrap();
    fabc(place.path(), &["build", "fabric.fab", "-q", "--until", "analyze"], 0);
    let chosen = ["--with", "routing = min; rates = 0.3", "--csv"];
    let (unrouted, _) = sim(&place, &chosen, 0);
    let (_, err) = sim(&place, &["--with", "rates = 0.3"], 2);
    assert!(err.contains("error[FAB0512]"), "{err}");
    fabc(place.path(), &["build", "fabric.fab", "-q"], 0);
    assert_eq!(unrouted, sim(&place, &chosen, 0).0);
}

/// The error of a former option names the setting that replaces it.
#[test]
fn former_options_are_told_as_settings() {
    let place = tempfile::tempdir().unwrap();
    let line = ["sim", "out/pod", "--traffic", "tornado", "--rates", "0.1..0.6:0.1", "--json"];
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
