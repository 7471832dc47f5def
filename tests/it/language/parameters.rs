//! Parameters: what sets them, and what comes of it.

use super::{printed_diagnostic, read};
use fabc::diag::SourceMap;
use fabc::model::Fabric;
use fabc::syntax::ast::Spec;
use fabc::syntax::{bind, normalize, parse, parse_file, parse_with, print, print_spec};
use proptest::prelude::*;

const POD: &str = "tests/set/pod.fab";

fn disk(path: &str) -> Result<String, String> {
    if path == "tests/set/ring.csv" { read("tests/ok/ring.csv") } else { read(path) }
}

fn with(sets: &[&str]) -> Result<(Fabric, Spec, SourceMap), String> {
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    fabc::lang::read_with(POD, &disk, &sets).map_err(|(failure, sources)| {
        let messages: Vec<String> =
            failure.diagnostics().iter().map(|error| diagnostic_with_source(&**error, &sources)).collect();
        messages.concat()
    })
}

/// A diagnostic with the source that it points into.
fn diagnostic_with_source(error: &dyn miette::Diagnostic, sources: &SourceMap) -> String {
    let labels: Vec<_> = error.labels().into_iter().flatten().collect();
    let name = sources.position(labels[0].offset() as u32).expect("a place").0;
    format!("  {name}\n{}", printed_diagnostic(error, sources))
}

#[test]
fn what_is_set_wrongly_is_told_where_it_was_typed() {
    let mut text = String::new();
    let slips = read("tests/set/slips.txt").unwrap();
    for slip in slips.split_inclusive('\n').collect::<Vec<_>>().chunk_by(|_, line| line.starts_with("    ")) {
        let sets: Vec<&str> = slip[1..].iter().map(|set| set.trim()).collect();
        let message = with(&sets).err().unwrap_or_else(|| format!("  nothing is told of {sets:?}\n"));
        text += &format!("{}{message}", slip[0]);
    }
    let mut settings = super::settings();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"));
    settings.bind(|| insta::assert_snapshot!("what_is_set_wrongly", text));
}

#[test]
fn codes_of_what_is_set_are_told() {
    for (set, code) in [("count", "FAB0018"), ("bananas=4", "FAB0142")] {
        assert!(with(&[set]).unwrap_err().contains(code));
    }
}

#[test]
fn parameters_have_the_values_that_they_are_set_to() {
    let sets = [
        "count=3",
        "rate=100GB/s",
        " wait = 2 * 10 ns",
        "way=allowed_turns",
        "share=1",
        "wire=fiber",
        "traffic = ring.csv",
    ];
    // 24 chips have no matrix of 16.
    assert!(with(&sets).unwrap_err().contains("FAB0128"));
    let sets = [
        "rate=100GB/s",
        " wait = 2 * 10 ns",
        "way=allowed_turns",
        "share=1",
        "wire=fiber",
        "traffic = ring.csv",
        "seed=side",
    ];
    let (fabric, spec, _) = with(&sets).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(fabric.routing.name(), "allowed_turns");
    let normal = print_spec(&normalize(&spec));
    for part in [
        "bandwidth = 100 GB/s; latency = 20 ns;",
        "over fiber",
        "cubes = 2;",
        "seed = 2;",
        "concurrent_flow >= 0.001;",
    ] {
        assert!(normal.contains(part), "{part}\n{normal}");
    }
    assert!(!normal.contains("param"), "{normal}");
    let settings_text: Vec<String> =
        bind(&spec).settings.into_iter().map(|(name, value)| format!("{name} {value}")).collect();
    let wanted = [
        "param.count 2",
        "param.rate 100 GB/s",
        "param.seed 2",
        "param.share 1",
        "param.traffic \"ring.csv\"",
        "param.wait 20 ns",
        "param.way allowed_turns",
        "param.wire fiber",
    ];
    assert_eq!(settings_text, wanted);
}

#[test]
fn the_outer_change_counts_and_the_command_line_most() {
    let inner =
        "param n = 1; param m = 1; link copper { bandwidth = 1 GB/s; latency = n cycles; } cubes = m;";
    let middle = "use \"inner\" { n = 2; m = 2; link copper { bandwidth = 2 GB/s; } }";
    let outer = "use \"middle\" { n = 3; } fabric pod { budget { vcs = n; } }";
    let files = |path: &str| {
        Ok(match path {
            "inner" => inner.to_owned(),
            "middle" => middle.to_owned(),
            _ => outer.to_owned(),
        })
    };
    let normal = |sets: &[&str]| {
        let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
        let spec = parse_with("outer", &files, &sets).0.unwrap();
        (print_spec(&normalize(&spec)), bind(&spec).settings)
    };
    let (text, settings) = normal(&[]);
    assert!(
        text.contains("bandwidth = 2 GB/s; latency = 3 cycles;")
            && text.contains("cubes = 2;")
            && text.contains("vcs = 3;"),
        "{text}"
    );
    let names: Vec<&str> = settings.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["param.m", "param.n", "use.link copper.bandwidth"]);
    let (text, _) = normal(&["n=4", "m=n + 1"]);
    assert!(text.contains("latency = 4 cycles;") && text.contains("cubes = 5;"), "{text}");
}

/// A spec with parameters, constants and a changed part, as a user might write it.
fn spec() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        (0u32..1000).prop_map(|n| n.to_string()),
        (1u32..1000).prop_map(|n| format!("0.{n}")),
        (1u32..1000, prop::sample::select(vec!["GB/s", "ns", "cycles", "MiB", "W"]))
            .prop_map(|(n, unit)| format!("{n} {unit}")),
        prop::sample::select(vec!["up_down", "\"a b.csv\"", "\"x\"", "(3 + 4) * 2", "-5", "copper"])
            .prop_map(str::to_owned),
    ];
    let among = prop_oneof![
        Just(""),
        Just(" in 0..=1_000"),
        Just(" in 0.1 ns ..= 1 s"),
        Just(" in [up_down, \"a b.csv\", copper]")
    ];
    let params = prop::collection::vec((value.clone(), among), 1..6);
    let change = prop_oneof![
        Just("chip { vcs = p0 ; mesh 2x2x2 over copper; }"),
        Just("link copper{latency=3 cycles;}"),
        Just("cubes=p0;"),
        Just("lab = \"lab 1.csv\";"),
        Just("topology = synthesize { seed = 1; }"),
    ];
    let swept = prop_oneof![
        Just(""),
        Just("sweep { p0 = 1 , 2..4, -1 ..= 3, \"a b\";; p1 = up_down; }"),
        Just("sweep{}")
    ];
    let swept = swept.prop_map(|text| text.replace(";;", ";"));
    let parts = (params, prop::collection::vec(value, 0..3), prop::collection::vec(change, 0..4), swept);
    parts.prop_map(|(params, lets, changes, swept)| {
        let params: String = params.iter().enumerate().map(|(at, (value, among))| format!("param p{at}={value}{among};")).collect();
        let lets: String = lets.iter().enumerate().map(|(at, value)| format!("let l{at} ={value} ;")).collect();
        format!("use \"part\" {{ {} }}\n{params}{lets}{swept}\nfabric pod {{ x = p0; y = l0 * 2; demand = matrix p1; }}", changes.join(" "))
    })
}

const PART: &str =
    "chip { vcs = 1; } link copper { latency = 1 ns; } cubes = 1; param lab = \"x\"; topology = synthesize;";

proptest! {
    #[test]
    fn printing_keeps_parameters_and_binding_twice_is_binding_once(text in spec()) {
        let file = parse_file("pod.fab", &text).0.unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
        let printed = print(&file);
        prop_assert_eq!(&print(&parse_file("pod.fab", &printed).0.unwrap()), &printed);
        let bound = |text: &str| {
            let text = text.to_owned();
            parse("pod.fab", &move |path: &str| Ok(if path == "part" { PART.to_owned() } else { text.clone() })).0.unwrap()
        };
        let (spec, again) = (bind(&bound(&text)), bind(&bound(&printed)));
        prop_assert_eq!(&spec.settings, &again.settings);
        prop_assert_eq!(spec.errors.len(), again.errors.len());
        prop_assert_eq!(print_spec(&normalize(&spec.spec)), print_spec(&normalize(&again.spec)));
        let twice = bind(&spec.spec);
        prop_assert!(twice.settings.is_empty() && twice.errors.is_empty());
        prop_assert_eq!(twice.spec, spec.spec);
    }
}
