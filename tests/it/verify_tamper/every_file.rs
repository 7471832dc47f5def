//! Changes of every file of built directories: each is an error, or a difference that the manifest declares.

use crate::support::fixture::directory::Files;
use crate::support::spec_text::SpecText;
use crate::support::tampering::{Change, changes};
use fabc::compile::{Stage, compile};
use fabc::emit::{self, ManifestEntry, manifest_json};
use fabc::ir::ContractState;
use fabc::progress::Silent;
use fabc::syntax::print_spec;
use fabc::verify::Unproved;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Directories as a build writes them, by name.
fn built() -> Vec<(&'static str, Files)> {
    static BUILT: LazyLock<Vec<(&'static str, Files)>> = LazyLock::new(build);
    BUILT.clone()
}

fn build() -> Vec<(&'static str, Files)> {
    let search = "topology = synthesize { symmetry = translation; effort = 1; seed = 1; }";
    let requires =
        "require diameter <= 6; require fault.max_channel_load <= 100; require disjoint_trees >= 1;";
    let groups = "demand { all_to_all over groups of 4 weight 3; all_to_all weight 1; }";
    [
        ("symmetric", 4, "1 ocs", format!("{search} {requires}"), ""),
        (
            "asymmetric",
            3,
            "1 ocs",
            format!("topology = synthesize {{ symmetry = none; effort = 1; seed = 1; }} {groups}"),
            "binary",
        ),
        ("links", 2, "1 link", "topology = torus 2 x 4 x 1;".to_owned(), ""),
        ("chips", 2, "1 chip", "topology = torus 2 x 4 x 1;".to_owned(), "binary"),
    ]
    .map(|(name, cubes, faults, rest, tables)| {
        let pod = SpecText::pod([2, 2, 1], cubes).named(name).without("ocs Z").with(&rest);
        let text = pod.with(&format!("budget {{ vcs = 2; faults = {faults}; }}")).text();
        (name, written(name, &text, tables))
    })
    .into_iter()
    .chain([("lit", written("lit", &lit_pod(), ""))])
    .chain(networks())
    .collect()
}

/// Two cubes with light, whose switches lose it by pair of ports.
fn lit_pod() -> String {
    SpecText::pod([2, 2, 1], 2)
        .named("lit")
        .without("ocs Y")
        .without("ocs Z")
        .without("ocs X")
        .with("ocs X { couple +x[0, 0] with -x[0, 0] over fiber; ports = 2; }")
        .with("ocs W { couple +x[1, 0] with -x[1, 0] over fiber; ports = 2; loss = 1.25 dB; }")
        .with("ocs Y { couple +y[0, 0] with -y[0, 0] over fiber; ports = 2; loss = 1.25 dB; }")
        .with("ocs Z { couple +y[1, 0] with -y[1, 0] over fiber; ports = 2; loss = 2 dB; }")
        .with("link fiber { bandwidth = 50 GB/s; latency = 10 cycles; transmit = 0 dBm; sensitivity = -8 dBm; loss = 35 dB/km; length = 11.1 m; connectors = 3; connector_loss = 0.35 dB; margin = 2 dB; }")
        .with("losses = table \"losses.csv\";")
        .with("topology = torus 4 x 2 x 1;")
        .with("budget { vcs = 2; faults = 0; }")
        .text()
}

/// Networks: links that carry unlike and faults that stand for others, single channels, many paths, a graph
/// from a file.
fn networks() -> impl Iterator<Item = (&'static str, Files)> {
    let dragonfly = "dragonfly { a = 2; h = 1; local = near; global = far; }";
    let kautz = "kautz { degree = 2; length = 2; link = near; }";
    let runs = "simulate peak { rates = 0.2; packet = 2 flits; warmup = 50 cycles; measure = 200 cycles; } require peak.share >= 0.1; \
                simulate burst { traffic = all_to_all { bytes = 200 B; } packet = 2 flits; } require burst.time <= 1000 cycles;";
    let planned = "collective gradients = all_reduce { size = 1 MiB; } collective experts = all_to_all { size = 4 KiB; } \
                   collective weights = all_gather { size = 96 KiB; algorithm = steps; }";
    [
        ("dragonfly", "1 link", dragonfly, "minimal", "", "failures { links <= 30 %; seeds = 5; } require bisection >= 1;"),
        ("kautz", "1 router", kautz, "minimal", "binary", "require edge_connectivity >= 1;"),
        ("simulated", "0", kautz, "minimal", "", runs),
        ("planned", "0", "torus 2 x 3 { link = near; }", "minimal", "", planned),
        ("hashed", "1 link", "leaf_spine { leaves = 3; spines = 2; over = near; }", "ecmp { flows = 2; }", "", "require collision <= 2;"),
        ("graph", "0", "graph \"graph.txt\" { default = near; }", "allowed_turns", "", "require shortest_paths >= 1;"),
    ]
    .into_iter()
    .map(|(name, faults, topology, routing, tables, more)| {
        let text = SpecText::network(topology)
            .named(name)
            .without("link wire")
            .with("link near { bandwidth = 200 Gbps; latency = 10 ns; } link far { bandwidth = 300 Gbps; latency = 20 ns; }")
            .with("router { radix = 8; hosts = 2; vcs = 8; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }")
            .with(&format!("budget {{ vcs = 6; faults = {faults}; }} routing = {routing}; require diameter <= 6; {more}"))
            .text();
        (name, written(name, &text, tables))
    })
}

/// The directory that a build of a spec writes.
fn written(name: &str, text: &str, tables: &str) -> Files {
    let loader = |path: &str| match path {
        "losses.csv" => Ok("X,1A,1B,1.5\nX,1A,2B,2.5\nX,2A,1B,1.625\nX,2A,2B,1.5\n".to_owned()),
        "graph.txt" => Ok("hub left\nhub right far\nleft right\nright far_end far\n".to_owned()),
        _ => Ok(text.to_owned()),
    };
    let (fabric, spec, _) = fabc::lang::read_normal("test.fab", &loader)
        .unwrap_or_else(|(failure, _)| panic!("{name}: {failure:?}"));
    let compiled =
        compile(fabric, Stage::Emit, &Silent).unwrap_or_else(|failure| panic!("{name}: {failure:?}"));
    let options: Vec<_> =
        (tables == "binary").then(|| ("tables".to_owned(), tables.to_owned())).into_iter().collect();
    let files = emit::artifacts(&compiled, &print_spec(&spec), &options);
    files.into_iter().map(|artifact| (artifact.path, artifact.bytes)).collect()
}

#[test]
fn files_that_are_missing_empty_or_too_many_are_convicted() {
    for (name, files) in built() {
        verify(&files).unwrap_or_else(|errors| panic!("{name}: {errors:#?}"));
        let signed = |path: &str, bytes: Option<&[u8]>| {
            let mut files = files.clone();
            match bytes {
                Some(bytes) => drop(files.insert(path.to_owned(), bytes.to_vec())),
                None => drop(files.remove(path)),
            }
            sign_as_fabc(&mut files);
            verify(&files).expect_err(path)
        };
        for path in files.keys().filter(|path| *path != "manifest.json") {
            signed(path, None);
            signed(path, Some(b""));
            // Which file was read is declared to be unproved: it may have had one line more.
            if !path.starts_with("inputs/") {
                signed(path, Some(&[&files[path][..], b"\n"].concat()));
            }
        }
        let (json, bin) = (br#"{"format":"fabc.tables/1"}"#, b"{}\n");
        for path in [
            "notes.txt",
            "report.md",
            "inputs/ocs.json",
            "inputs/demand.csv",
            "ocs/none.config_db.json",
            "tables/none.json",
            "tables/x",
        ] {
            let errors = signed(path, Some(json));
            assert!(errors[0].contains(path), "{name}: {errors:?}");
        }
        signed("tables/nominal.bin", Some(bin));
        signed("tables/nominal.json", Some(bin));
    }
}

#[test]
fn the_first_difference_of_a_derived_file_is_shown() {
    let (_, files) = built().remove(0);
    let mut changed = files.clone();
    let text = String::from_utf8(files["report.txt"].clone())
        .unwrap()
        .replace("deadlock-free, proved", "deadlock-free, promised");
    changed.insert("report.txt".to_owned(), text.into_bytes());
    sign_as_fabc(&mut changed);
    let errors = verify(&changed).unwrap_err();
    assert_eq!(errors.len(), 1, "{errors:?}");
    let words = "report.txt:7: says `  deadlock-free, promised for nominal and 4 fault scenarios`, but from the proved values fabc writes \
                 `  deadlock-free, proved for nominal and 4 fault scenarios`";
    assert_eq!(errors[0], words);
    // Another version of fabc may be at fault, or may not.
    let manifest =
        String::from_utf8(changed["manifest.json"].clone()).unwrap().replace(emit::TOOL, "fabc 0.0.1");
    changed.insert("manifest.json".to_owned(), manifest.into_bytes());
    assert_eq!(
        verify(&changed).unwrap_err()[0],
        format!("{words}; the manifest names fabc 0.0.1, and this is {}", emit::TOOL)
    );
}

/// The result of `fabc verify` on the files.
fn verify(files: &Files) -> Result<Vec<Unproved>, Vec<String>> {
    let read = |path: &str| {
        let bytes = files.get(path).ok_or("it is missing")?;
        String::from_utf8(bytes.clone()).map_err(|error| error.to_string())
    };
    let (fabric, spec, _) =
        fabc::verify::load("built", &read).map_err(|(failure, _)| vec![format!("{failure:?}")])?;
    let verified = fabc::verify::directory(files, &fabric, &print_spec(&spec));
    verified
        .map(|verified| verified.unproved)
        .map_err(|errors| errors.iter().map(ToString::to_string).collect())
}

/// Writes the manifest as fabc does, so that the hashes fit again.
fn sign_as_fabc(files: &mut Files) {
    let old: serde_json::Value = serde_json::from_slice(&files.remove("manifest.json").unwrap()).unwrap();
    let options = old["options"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()));
    let (options, lines): (Vec<_>, Vec<_>) =
        (options.collect(), files.iter().map(|(path, bytes)| ManifestEntry::for_file(path, bytes)).collect());
    let spec = String::from_utf8_lossy(files.get("spec.fab").map_or(&[], Vec::as_slice)).into_owned();
    let [tool, fabric] = ["tool", "fabric"].map(|key| old[key].as_str().unwrap());
    files.insert(
        "manifest.json".to_owned(),
        manifest_json(tool, fabric, &spec, ContractState::Kept, &options, &lines).into_bytes(),
    );
}

/// `tables/fault-X_0_0.json` is one of `tables/*.json`.
fn kind(path: &str) -> String {
    match path.split_once('/') {
        Some((folder, name)) => format!("{folder}/*.{}", name.rsplit('.').next().unwrap()),
        None => path.to_owned(),
    }
}

/// Whether a place is one that `fabc verify` says it cannot prove.
fn is_declared(unproved: &[Unproved], path: &str, place: &str) -> bool {
    let parts = |place: &str| place.split('.').map(str::to_owned).collect::<Vec<_>>();
    unproved.iter().any(|Unproved { file, place: declared, .. }| {
        let within = if file.ends_with('/') { path.starts_with(file) } else { path == *file };
        within
            && (declared.is_empty()
                || parts(place).windows(parts(declared).len()).any(|window| window == parts(declared)))
    })
}

/// A change, and the number that says whether it is in the sample.
struct SampledChange<'f> {
    seed: [u8; 32],
    path: &'f str,
    change: Change,
}

/// Makes one change at a time in every file of nine directories. Each time the manifest has hashes that fit.
/// In JSON every leaf is altered, and every member and element is deleted or duplicated. Every key is renamed
/// or repeated with another value, and every object gets one more key. Every line of a text is altered,
/// deleted or duplicated. Every byte of binary tables is changed in six ways. A change that is no error must
/// stand in the list that `fabc verify` prints.
///
/// The test takes a sample of the same size for every kind of file and change. `FABC_TAMPER=all cargo test
/// --test it one_change -- --nocapture` makes all changes and prints the counts. With the name of a directory
/// in place of `all` it takes that directory alone.
#[test]
fn one_change_of_anything_is_convicted_or_declared() {
    const SAMPLE: usize = 7;
    let selected = std::env::var("FABC_TAMPER").unwrap_or_default();
    let runs_all = !selected.is_empty();
    let mut counts: BTreeMap<(&str, String), [usize; 3]> = BTreeMap::new();
    let mut failures = Vec::new();
    for (name, files) in
        built().into_iter().filter(|(name, _)| ["", "all", name].contains(&selected.as_str()))
    {
        let unproved = verify(&files).unwrap_or_else(|errors| panic!("{name}: {errors:#?}"));
        let mut sampled: BTreeMap<(String, &str), Vec<SampledChange<'_>>> = BTreeMap::new();
        for (path, bytes) in &files {
            for change in changes(path, bytes) {
                let seed = *blake3::hash(format!("{name} {path} {} {}", change.at, change.what).as_bytes())
                    .as_bytes();
                sampled.entry((kind(path), change.what)).or_default().push(SampledChange {
                    seed,
                    path,
                    change,
                });
            }
        }
        for ((kind, what), mut changes) in sampled {
            changes.sort_by_key(|sampled| sampled.seed);
            changes.truncate(if runs_all { usize::MAX } else { SAMPLE });
            let results: Vec<(bool, bool, String)> = changes
                .par_iter()
                .map(|SampledChange { path, change, .. }| {
                    let mut changed = files.clone();
                    changed.insert((*path).to_owned(), change.applied_to(&files[*path]));
                    if *path != "manifest.json" {
                        sign_as_fabc(&mut changed);
                    }
                    let convicted = verify(&changed).is_err();
                    (
                        convicted,
                        is_declared(&unproved, path, &change.place),
                        format!("{name}/{path}: {what} at {}", change.at),
                    )
                })
                .collect();
            let count = counts.entry((name, kind)).or_default();
            for (convicted, declared, text) in results {
                count[0] += 1;
                count[1] += usize::from(convicted);
                count[2] += usize::from(!convicted && declared);
                if !convicted {
                    println!("not convicted: {text}");
                }
                failures.extend((!convicted && !declared).then_some(text));
            }
        }
    }
    println!("{:<12}{:<24}{:>9}{:>11}{:>10}", "directory", "file", "changes", "convicted", "declared");
    for ((name, kind), [changes, convicted, declared]) in &counts {
        println!("{name:<12}{kind:<24}{changes:>9}{convicted:>11}{declared:>10}");
    }
    let sum = |column: usize| counts.values().map(|count| count[column]).sum::<usize>();
    println!("{:<36}{:>9}{:>11}{:>10}", "all", sum(0), sum(1), sum(2));
    assert!(!selected.is_empty() || sum(0) > 1500, "so few changes prove nothing");
    assert!(failures.is_empty(), "neither convicted nor declared: {failures:#?}");
}

#[test]
fn the_curve_of_a_collective_follows_from_its_bounds() {
    let (_, files) = built().into_iter().find(|(name, _)| *name == "planned").unwrap();
    let report = String::from_utf8(files["report.json"].clone()).unwrap();
    // Behind the last line of another collective.
    let start = report.find("\"name\":\"gradients\"").unwrap();
    let line =
        |size: &str| start + report[start..].find(&format!("{{\"size\":{size},\"bound_ns\":")).unwrap();
    let convicted = |size: &str, key: &[&str], value: &str, reason: &str| {
        let after = |at: usize, text: &str| at + report[at..].find(text).unwrap() + text.len();
        let offset = key.iter().fold(line(size), |at, text| after(at, text));
        let end = offset + report[offset..].find([',', '}']).unwrap();
        let mut files = files.clone();
        files.insert(
            "report.json".to_owned(),
            [&report[..offset], value, &report[end..]].concat().into_bytes(),
        );
        sign_as_fabc(&mut files);
        let errors = verify(&files).unwrap_err();
        assert!(
            errors
                .iter()
                .any(|error| error.contains("collectives[gradients].curve") && error.contains(reason)),
            "{errors:?}"
        );
    };
    let bounds = "these are not the sizes of a curve with the bounds that follow from those of the schedule";
    convicted("8192", &["\"bound_ns\":"], "1.001", bounds);
    convicted("8192", &["{\"size\":"], "8193", bounds);
    convicted("8192", &["\"times_ns\":{", ":"], "0.001", "a time is below the bound");
    // 1 MiB is the size of the spec.
    let times = "at the size of the spec these are not the times of the scenario";
    convicted("1048576", &["\"times_ns\":{", ":"], "9999999.999", times);
}
