//! The command line, driven from outside: what compiles pods.

use crate::support::plain;
use crate::support::spec_text;
use plain::{command, fabc, files};
use spec_text::SpecText;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The smallest spec that is synthesized, routed and has faults: 16 chips.
fn small() -> SpecText {
    SpecText::pod([2, 2, 2], 2).named("small").with("require diameter <= 6;")
}

/// Makes a temporary directory with `small.fab`.
fn workplace() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("small.fab"), small().text()).unwrap();
    directory
}

fn spec(name: &str) -> String {
    format!("{}/specs/{name}.fab", env!("CARGO_MANIFEST_DIR"))
}

/// The names in a directory.
fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_build_ends_with_what_it_wrote_and_verifies() {
    let place = workplace();
    let (out, err) = fabc(place.path(), &["build", "small.fab"], 0);
    let written = files(&place.path().join("out/small"));
    let last = out.lines().last().unwrap();
    assert!(last.starts_with(&format!("wrote out/small ({} files, ", written.len())), "{last}");
    assert_eq!(err, "");
    assert_eq!(
        written[Path::new("report.txt")],
        out.rsplit_once("\n\nwrote ").map(|(report, _)| format!("{report}\n")).unwrap().as_bytes()
    );
    assert_eq!(names(&place.path().join("out")), ["small"]);
    let (out, _) = fabc(place.path(), &["verify", "out/small"], 0);
    assert!(out.starts_with("verified out/small: "), "{out}");
    assert!(
        out.contains("every file is reproduced to the byte") && out.contains("report.json passes"),
        "{out}"
    );
}

#[test]
fn the_library_makes_the_same_files() {
    let place = workplace();
    fabc(place.path(), &["build", "small.fab", "-q"], 0);
    let written = files(&place.path().join("out/small"));
    let compiled = fabc::build(&small().text(), &fabc::Options::default()).unwrap();
    let made = compiled
        .artifacts()
        .into_iter()
        .map(|file| (std::path::PathBuf::from(file.path), file.bytes))
        .collect();
    assert_eq!(written, made);
    assert_eq!(
        (compiled.name(), compiled.report().as_bytes()),
        ("small", &written[Path::new("report.txt")][..])
    );
    let metrics = compiled.metrics();
    let report: serde_json::Value = serde_json::from_slice(&written[Path::new("report.json")]).unwrap();
    for name in ["diameter", "average_hops", "max_channel_load", "disjoint_trees"] {
        assert!((report["metrics"][name].as_f64().unwrap() - metrics[name]).abs() < 1e-6, "{name}");
    }
}

#[test]
fn threads_and_repetition_change_no_byte() {
    let place = workplace();
    fabc(place.path(), &["build", "small.fab", "--out", "one", "--threads", "1", "-q"], 0);
    fabc(place.path(), &["build", "small.fab", "--out", "two", "--threads", "2", "-q", "--timings"], 0);
    let (one, two) = (files(&place.path().join("one")), files(&place.path().join("two")));
    assert_eq!(one.keys().collect::<Vec<_>>(), two.keys().collect::<Vec<_>>());
    assert!(one.len() > 10);
    for (path, bytes) in &one {
        assert!(*bytes == two[path], "{} differs", path.display());
    }
    // Building again replaces the directory by itself.
    fabc(place.path(), &["build", "small.fab", "--out", "one", "-q"], 0);
    assert!(files(&place.path().join("one")) == one);
}

#[test]
fn a_tampered_directory_is_convicted() {
    let place = workplace();
    fabc(place.path(), &["build", "small.fab", "-q"], 0);
    let topology = place.path().join("out/small/topology.json");
    let text = std::fs::read_to_string(&topology).unwrap();
    std::fs::write(&topology, text.replacen("copper", "fiber", 1)).unwrap();
    let (_, err) = fabc(place.path(), &["verify", "out/small"], 3);
    assert!(err.contains("FAB04"), "{err}");
}

#[test]
fn a_comment_in_the_spec_of_a_directory_is_convicted() {
    let place = workplace();
    fabc(place.path(), &["build", "small.fab", "-q"], 0);
    let spec = place.path().join("out/small/spec.fab");
    let text = std::fs::read_to_string(&spec).unwrap();
    let (manifest, changed) =
        (place.path().join("out/small/manifest.json"), text.replacen(';', "; // mine", 1));
    let listed = std::fs::read_to_string(&manifest).unwrap();
    let [old, new] = [&text, &changed].map(|text| blake3::hash(text.as_bytes()).to_hex().to_string());
    let [was, is] = [&text, &changed].map(|text| format!("\"path\":\"spec.fab\",\"bytes\":{},", text.len()));
    assert!(listed.contains(&was));
    std::fs::write(&spec, &changed).unwrap();
    std::fs::write(&manifest, listed.replace(&old, &new).replace(&was, &is)).unwrap();
    let (_, err) = fabc(place.path(), &["verify", "out/small"], 3);
    assert!(err.contains("FAB0424") && err.contains("spec.fab:2") && err.contains("// mine"), "{err}");
}

#[test]
fn foreign_files_stop_a_build_before_it_starts() {
    let place = workplace();
    std::fs::create_dir_all(place.path().join("out/small")).unwrap();
    std::fs::write(place.path().join("out/small/notes.txt"), "mine").unwrap();
    let (_, err) = fabc(place.path(), &["build", "small.fab"], 2);
    assert!(err.contains("FAB0504") && err.contains("notes.txt"), "{err}");
    assert_eq!(names(&place.path().join("out")), ["small"]);
    assert_eq!(names(&place.path().join("out/small")), ["notes.txt"]);
}

#[test]
fn a_place_that_cannot_be_written_is_an_error_with_a_code() {
    let place = workplace();
    std::fs::write(place.path().join("file"), "not a directory").unwrap();
    let (_, err) = fabc(place.path(), &["build", "small.fab", "--out", "file/below"], 2);
    assert!(err.contains("FAB0503"), "{err}");
    assert_eq!(names(place.path()), ["file", "small.fab"]);
}

#[test]
fn a_require_that_fails_is_shown_at_its_line_and_everything_is_written() {
    let place = workplace();
    // Six ports reach 16 chips in two hops at best. This torus does not.
    let broken = small().text().replace("diameter <= 6", "diameter <= 6; require latency <= 34 cycles");
    std::fs::write(place.path().join("broken.fab"), broken).unwrap();
    let (out, err) = fabc(place.path(), &["build", "broken.fab", "--message-format", "short"], 3);
    assert!(out.contains("FAILED   latency <= 34 cycles") && out.contains("wrote out/small ("), "{out}");
    assert!(
        err.contains("broken.fab:") && err.contains("error[FAB0401]") && err.contains(" cycles\n"),
        "{err}"
    );
    let manifest = std::fs::read_to_string(place.path().join("out/small/manifest.json")).unwrap();
    assert!(manifest.contains("\"contract\":\"broken\""), "{manifest}");
    for file in ["report.html", "report.json", "tables/nominal.json", "ocs.json"] {
        assert!(place.path().join("out/small").join(file).is_file(), "{file}");
    }
    let (out, err) = fabc(place.path(), &["verify", "out/small", "--message-format", "short"], 3);
    assert!(out.contains("its contract is broken") && err.contains("error[FAB0401]"), "{out}{err}");
    // One that claims to have kept it is convicted.
    std::fs::write(place.path().join("out/small/manifest.json"), manifest.replace("\"broken\"", "\"kept\""))
        .unwrap();
    let (_, err) = fabc(place.path(), &["verify", "out/small", "--message-format", "short"], 3);
    assert!(err.contains("says `kept`, but it is broken"), "{err}");
    // Kept, and open where nothing is routed.
    fabc(place.path(), &["build", "small.fab"], 0);
    assert!(
        std::fs::read_to_string(place.path().join("out/small/manifest.json"))
            .unwrap()
            .contains("\"contract\":\"kept\"")
    );
    fabc(place.path(), &["build", "broken.fab", "--stop-after", "analyze"], 0);
    assert!(
        std::fs::read_to_string(place.path().join("out/small/manifest.json"))
            .unwrap()
            .contains("\"contract\":\"open\"")
    );
    fabc(place.path(), &["verify", "out/small"], 0);
}

#[test]
fn what_no_search_can_mend_is_refused_by_check_and_build_at_once() {
    let place = workplace();
    let refused = |from: &str, to: &str, more: &[&str], code: &str| {
        std::fs::write(place.path().join("wrong.fab"), small().text().replace(from, to)).unwrap();
        for command in ["check", "build"] {
            let (out, err) =
                fabc(place.path(), &[&[command, "wrong.fab", "--message-format", "short"], more].concat(), 3);
            assert!(err.contains(code) && out.is_empty(), "{command}: {out}{err}");
        }
        assert_eq!(names(place.path()), ["small.fab", "wrong.fab"]);
    };
    refused("diameter <= 6", "diameter <= 1", &[], "FAB0330");
    refused("diameter <= 6", "diameter <= 6; require diameter > 6", &[], "FAB0331");
    refused("diameter <= 6", "diameter <= 6", &["--emit", "opensm_lft"], "FAB0517");
    refused("diameter <= 6", "diameter <= 6", &["--golden", "nowhere"], "FAB0509");
}

#[test]
fn errors_of_the_spec_exit_with_1_and_write_nothing() {
    let place = workplace();
    std::fs::write(place.path().join("bad.fab"), small().text().replace("cubes = 2;", "cubes = 2")).unwrap();
    let (_, err) = fabc(place.path(), &["build", "bad.fab", "--message-format", "json"], 1);
    let object: serde_json::Value = serde_json::from_str(err.lines().next().unwrap()).unwrap();
    assert_eq!((&object["severity"], &object["labels"][0]["file"]), (&"error".into(), &"bad.fab".into()));
    assert_eq!(names(place.path()), ["bad.fab", "small.fab"]);
}

#[test]
fn stages_can_be_stopped_after_and_dumped() {
    let place = workplace();
    for (stage, says) in [
        ("parse", "fabric small {"),
        ("resolve", "pod small: 16 nodes"),
        ("synthesize", "ocs X[0,0]"),
        ("analyze", "scenario nominal: "),
        ("route", "max channel load"),
        ("check", "deadlock-free"),
        ("emit", "manifest.json"),
    ] {
        let (out, _) = fabc(place.path(), &["check", "small.fab", "--dump", stage, "--stop-after", stage], 0);
        assert!(out.contains(says), "{stage}: {out}");
    }
    fabc(place.path(), &["build", "small.fab", "--stop-after", "analyze", "-q"], 0);
    let written = files(&place.path().join("out/small"));
    assert!(
        written.contains_key(Path::new("topology.json"))
            && !written.keys().any(|path| path.starts_with("tables"))
    );
    fabc(place.path(), &["verify", "out/small"], 0);
    let (_, err) =
        fabc(place.path(), &["build", "small.fab", "--stop-after", "analyze", "--emit", "tables=t/"], 2);
    assert!(err.contains("FAB0507"), "{err}");
}

#[test]
fn formats_go_where_they_are_sent() {
    let place = workplace();
    let (list, _) = fabc(place.path(), &["build", "--emit", "list"], 0);
    assert!(list.lines().count() > 8 && list.contains("topology.json"), "{list}");
    let (dot, _) =
        fabc(place.path(), &["build", "small.fab", "--emit", "dot,csv=links.csv,config_db=switches/"], 0);
    assert!(dot.starts_with("graph") && dot.trim_end().ends_with('}'), "{dot}");
    assert_eq!(names(place.path()), ["links.csv", "small.fab", "switches"]);
    assert_eq!(names(&place.path().join("switches")).len(), 12);
    assert_eq!(fabc(place.path(), &["graph", "small.fab"], 0).0, dot);
    let (_, err) = fabc(place.path(), &["build", "small.fab", "--emit", "config_db"], 2);
    assert!(err.contains("FAB0506"), "{err}");
}

#[test]
fn golden_outputs_are_compared_and_updated() {
    let place = workplace();
    let build = |spec: &str, update: &[&str], code| {
        fabc(place.path(), &[&["build", spec, "--golden", "golden"], update].concat(), code)
    };
    assert!(build("small.fab", &[], 3).1.contains("FAB0509"));
    build("small.fab", &["--update"], 0);
    assert!(build("small.fab", &[], 0).0.contains("the outputs equal golden/small"));
    assert_eq!(names(place.path()), ["golden", "small.fab"]);
    let before = files(&place.path().join("golden"));
    std::fs::write(place.path().join("torus.fab"), small().with("topology = torus 2 x 2 x 4;").text())
        .unwrap();
    let (out, err) = build("torus.fab", &[], 3);
    assert!(
        err.contains("FAB0508")
            && out.contains("\nWIRING\n")
            && out.contains("\nSPEC\n  -  topology = synthesize"),
        "{out}{err}"
    );
    assert!(files(&place.path().join("golden")) == before);
    build("torus.fab", &["--update"], 0);
    build("torus.fab", &[], 0);
    assert_eq!(names(&place.path().join("golden")), ["small"]);
}

#[test]
fn tables_of_any_router_are_read_from_the_directory() {
    let place = workplace();
    fabc(place.path(), &["build", "small.fab", "-q"], 0);
    std::fs::remove_file(place.path().join("small.fab")).unwrap();
    let (list, _) = fabc(place.path(), &["tables", "out/small"], 0);
    assert!(list.contains("  nominal\n") && list.contains("  X[0,0]\n"), "{list}");
    let (by_name, _) =
        fabc(place.path(), &["tables", "out/small", "--router", "cube1[1,0,1]", "--scenario", "X[0,0]"], 0);
    let (by_id, _) =
        fabc(place.path(), &["tables", "out/small", "--router", "13", "--scenario", "X[0,0]"], 0);
    assert!(by_name.starts_with("router cube1[1,0,1] (node 13)") && by_name == by_id, "{by_name}");
    let (json, _) = fabc(place.path(), &["tables", "out/small", "--router", "13", "--format", "json"], 0);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let destinations: std::collections::BTreeSet<u64> = json["routers"][0]["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry[0].as_u64().unwrap())
        .collect();
    assert_eq!(destinations.len(), 15, "a table knows every other router");
    assert!(
        fabc(place.path(), &["tables", "out/small", "--router", "cube2[0,0,0]"], 2).1.contains("FAB0511")
    );
    assert!(
        fabc(place.path(), &["tables", "out/small", "--router", "0", "--scenario", "Q"], 2)
            .1
            .contains("FAB0512")
    );
}

#[test]
fn templates_build() {
    let place = workplace();
    for template in ["torus", "single_cube"] {
        fabc(place.path(), &["init", "mine", "--template", template], 0);
        fabc(place.path(), &["fmt", "--check", "mine.fab"], 0);
        fabc(place.path(), &["build", "mine.fab", "-q"], 0);
        fabc(place.path(), &["verify", "out/mine"], 0);
        std::fs::remove_file(place.path().join("mine.fab")).unwrap();
    }
    fabc(place.path(), &["init", "mine", "--template", "tpu_v4"], 0);
    fabc(place.path(), &["fmt", "--check", "mine.fab"], 0);
    fabc(place.path(), &["check", "mine.fab", "--stop-after", "resolve"], 0);
}

#[test]
fn specs_are_formatted_in_place_and_from_standard_input() {
    let place = workplace();
    fabc(place.path(), &["fmt", "small.fab"], 0);
    let formatted = std::fs::read_to_string(place.path().join("small.fab")).unwrap();
    fabc(place.path(), &["fmt", "--check", "small.fab"], 0);
    std::fs::write(place.path().join("small.fab"), formatted.replace("    ", "\t")).unwrap();
    let (_, err) = fabc(place.path(), &["fmt", "--check", "small.fab"], 1);
    assert!(err.contains("FAB0513"), "{err}");
    let input = std::fs::File::open(place.path().join("small.fab")).unwrap();
    let output = command(place.path(), &["fmt", "-"]).stdin(input).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), formatted);
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_nothing_half_written() {
    let place = workplace();
    let out = place.path().join("out");
    // Large enough to be in the middle of something for a while.
    let mut child = command(place.path(), &["build", &spec("pod_1024"), "-q"]).spawn().expect("fabc starts");
    while !out.is_dir() {
        assert!(child.try_wait().unwrap().is_none(), "the build ended before it could be interrupted");
        std::thread::yield_now();
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill starts");
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(names(place.path()), ["small.fab"]);
}

#[test]
fn binary_tables_say_the_same_as_json() {
    let place = workplace();
    fabc(place.path(), &["build", "small.fab", "--out", "json"], 0);
    fabc(place.path(), &["build", "small.fab", "--out", "binary", "--tables", "binary"], 0);
    let [json, binary] = ["json", "binary"].map(|form| files(&place.path().join(form).join("small")));
    assert!(
        json.contains_key(Path::new("tables/nominal.json"))
            && !json.contains_key(Path::new("tables/nominal.bin"))
    );
    assert!(
        binary.contains_key(Path::new("tables/nominal.bin"))
            && !binary.contains_key(Path::new("tables/nominal.json"))
    );
    let manifest = String::from_utf8_lossy(&binary[Path::new("manifest.json")]).into_owned();
    assert!(manifest.contains(r#""options":{"tables":"binary"}"#), "{manifest}");
    // The walk of the tables, all numbers of the report, and the tables as people read them.
    let verified = |form: &str| {
        fabc(place.path(), &["verify", &format!("{form}/small")], 0).0.split_once(": ").unwrap().1.to_owned()
    };
    assert_eq!(verified("json"), verified("binary"));
    assert_eq!(
        fabc(place.path(), &["tables", "binary/small"], 0).0,
        fabc(place.path(), &["tables", "json/small"], 0).0
    );
    for router in ["cube0[0,0,0]", "13"] {
        let table = |form: &str| {
            let directory = format!("{form}/small");
            fabc(
                place.path(),
                &["tables", &directory, "--router", router, "--scenario", "X[0,1]", "--format", "json"],
                0,
            )
            .0
        };
        assert_eq!(table("json"), table("binary"));
    }
}

#[test]
fn golden_binary_tables_are_compared_router_by_router() {
    let place = workplace();
    let build = ["build", "small.fab", "--golden", "golden", "--tables", "binary"];
    fabc(place.path(), &[&build[..], &["--update"]].concat(), 0);
    let (out, _) = fabc(place.path(), &build, 0);
    assert!(out.contains("the outputs equal"), "{out}");
    let path = place.path().join("golden/small/tables/nominal.bin");
    let mut bytes = std::fs::read(&path).unwrap();
    // The last byte is the action of the last entry of the last router: the most frequent one instead.
    *bytes.last_mut().unwrap() = u8::from(*bytes.last().unwrap() == 0);
    std::fs::write(&path, bytes).unwrap();
    let (out, _) = fabc(place.path(), &build, 3);
    assert!(
        out.contains("nominal         2 of 16 routers; entries: 2 turned; cube0[1,1,1], cube1[1,1,1]"),
        "{out}"
    );
}

/// A torus whose routes look at the destination alone.
fn torus() -> String {
    let synthesized = "synthesize { symmetry = translation; effort = 1; seed = 1; }";
    let spec = small().text().replace("cubes = 2", "cubes = 1").replace("faults = 1 ocs", "faults = 0");
    spec.replace(synthesized, "torus 2 x 2 x 2;").replace("allowed_turns", "dimension_order")
}

#[test]
fn what_is_emitted_for_others_is_verified_again() {
    let place = workplace();
    std::fs::write(place.path().join("torus.fab"), torus()).unwrap();
    let emit = "opensm_lft=t.lft,ibnetdiscover=t.topo,tons_bundle=tons,tables_csv=csv";
    fabc(place.path(), &["build", "torus.fab", "--out", "out", "--emit", emit], 0);
    // From each of eight chips three at one hop, three at two, one at three.
    let (out, _) = fabc(place.path(), &["verify", "--tables", "t.lft", "--topology", "t.topo"], 0);
    assert!(
        out.contains("8 routers, 8 endpoints, 48 channels")
            && out.contains("56 routes walked, all arrive: 96 hops"),
        "{out}"
    );
    let arguments = [
        "verify",
        "--tables",
        "out/small/tables/nominal.json",
        "--topology",
        "out/small/topology.json",
        "--message-format",
        "json",
    ];
    let (out, _) = fabc(place.path(), &arguments, 0);
    let summary: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((summary["hops"].as_u64(), summary["max_channel_load"].as_u64()), (Some(96), Some(4)));

    let read = |path: &str| std::fs::read_to_string(place.path().join(path)).unwrap();
    let numbers = |line: &str| -> Vec<usize> {
        line.split(|letter: char| !letter.is_ascii_digit())
            .filter(|word| !word.is_empty())
            .map(|word| word.parse().unwrap())
            .collect()
    };
    let map: Vec<Vec<usize>> = read("tons/small.map").lines().map(numbers).collect();
    assert!(
        map.len() == 8 && map.iter().all(|row| row.iter().sum::<usize>() == 3),
        "doubled links count once: {map:?}"
    );
    let paths: Vec<Vec<usize>> = read("tons/small.paths").lines().skip(1).map(numbers).collect();
    assert_eq!(paths.len(), 64);
    let (mut next, mut current) = (Vec::new(), Vec::new());
    for (at, path) in paths.iter().enumerate() {
        assert_eq!((path[0], path[path.len() - 1]), (at / 8, at % 8), "source-major");
        for hop in path.windows(2) {
            assert_eq!(map[hop[0]][hop[1]], 1);
            next.push(vec![at / 8, at % 8, hop[0], hop[1]]);
        }
        let through = if path.len() == 1 { &path[..] } else { &path[..path.len() - 1] };
        current.extend(through.iter().map(|node| vec![at / 8, at % 8, *node]));
    }
    assert_eq!(read("tons/small.nrl2").lines().map(numbers).collect::<Vec<_>>(), next);
    let vcs: Vec<Vec<usize>> = read("tons/small.vcmat2").lines().map(numbers).collect();
    assert_eq!(vcs.iter().map(|line| line[..3].to_vec()).collect::<Vec<_>>(), current);
    assert!(vcs.iter().all(|line| line[3] < 2));
    let ocs: Vec<Vec<usize>> = read("tons/small.ocs").lines().map(numbers).collect();
    assert_eq!(ocs.len(), 24, "twelve fibers, both directions");
    assert!(
        ocs.contains(&vec![0, 1, 0]) && ocs.contains(&vec![6, 7, 3]) && ocs.contains(&vec![3, 7, 11]),
        "{ocs:?}"
    );

    let table = read("csv/nominal/router_00000.csv");
    assert!(
        table.starts_with("dst,destination,in_port,in_vc,out_port,out_vc\n1,\"cube0[1,0,0]\",inject,,"),
        "{table}"
    );
    let entries: usize =
        (0..8).map(|node| read(&format!("csv/nominal/router_{node:05}.csv")).lines().count() - 1).sum();
    let built: serde_json::Value = serde_json::from_str(&read("out/small/tables/nominal.json")).unwrap();
    let listed: usize = built["routers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|router| router["entries"].as_array().unwrap().len())
        .sum();
    assert_eq!(entries, listed * 8 / built["routers"].as_array().unwrap().len());
}

#[test]
fn formats_of_others_say_why_they_cannot_be() {
    let place = workplace();
    let (_, err) = fabc(place.path(), &["build", "small.fab", "--emit", "opensm_lft"], 3);
    assert!(err.contains("FAB0517") && err.contains("look at where"), "{err}");
    let (_, err) = fabc(place.path(), &["build", "small.fab", "--emit", "tons_bundle"], 2);
    assert!(err.contains("FAB0506"), "{err}");
    let (_, err) =
        fabc(place.path(), &["build", "small.fab", "--stop-after", "analyze", "--emit", "tables_csv=csv"], 2);
    assert!(err.contains("FAB0507"), "{err}");
    let (_, err) = fabc(place.path(), &["build", "small.fab", "--emit", "formula"], 3);
    assert!(err.contains("FAB0537") && err.contains("routing = algebraic"), "{err}");
    assert_eq!(names(place.path()), ["small.fab"]);
}

#[test]
fn a_measured_value_shows_why_a_require_fails_or_holds() {
    let place = workplace();
    let torus = small().with("topology = torus 2 x 2 x 4;").text();
    let with = |require: &str| {
        std::fs::write(place.path().join("small.fab"), torus.replace("diameter <= 6", require)).unwrap()
    };
    // 32 hops to 15 routers from each.
    with("average_hops <= 2.133333");
    let (_, err) = fabc(place.path(), &["build", "small.fab", "--message-format", "short"], 3);
    assert!(
        err.contains("`require average_hops <= 2.133333` cannot hold: this topology has 2.1333333\n"),
        "{err}"
    );
    with("average_hops > 2.133333");
    let (out, _) = fabc(place.path(), &["build", "small.fab", "--out", "."], 0);
    assert!(out.contains("  ok       average_hops > 2.133333     2.1333333\n"), "{out}");
    let read = |path: &str| std::fs::read_to_string(place.path().join("small").join(path)).unwrap();
    assert!(read("report.json").contains(r#""measured":2.1333333,"holds":true"#));
    assert!(read("report.html").contains("2.1333333"));
    fabc(place.path(), &["verify", "small"], 0);
}

#[test]
fn two_formats_in_one_file_are_refused_before_anything_is_written() {
    let place = workplace();
    std::fs::create_dir(place.path().join("d")).unwrap();
    for emit in
        ["dot=x,csv=x", "dot=x,csv=./x", "dot=x,dot=x", "dot=d/,csv=y,dot=d", "config_db=e/,config_db=e/"]
    {
        let (_, err) = fabc(place.path(), &["build", "small.fab", "--emit", emit], 2);
        assert!(err.contains("FAB0542"), "{emit}: {err}");
    }
    fabc(place.path(), &["build", "small.fab", "--emit", "dot=d/,csv=d/,config_db=d/,ocs=d/"], 0);
    assert_eq!(names(&place.path().join("d")).len(), 12 + 3);
    assert_eq!(names(place.path()), ["d", "small.fab"]);
}

#[cfg(target_os = "linux")]
#[test]
fn results_that_cannot_be_handed_over_are_an_error() {
    let place = workplace();
    fabc(place.path(), &["build", "small.fab", "--out", "live", "-q"], 0);
    std::fs::write(place.path().join("torus.fab"), small().with("topology = torus 2 x 2 x 4;").text())
        .unwrap();
    fabc(place.path(), &["build", "torus.fab", "--out", "new", "-q"], 0);
    let full = |args: &[&str], code| {
        let Output { status, stderr, .. } =
            command(place.path(), args).stdout(std::fs::File::create("/dev/full").unwrap()).output().unwrap();
        let err = String::from_utf8_lossy(&stderr).into_owned();
        assert_eq!(status.code(), Some(code), "{args:?}: {err}");
        assert!(err.contains("FAB0541") && err.contains("no space left on device"), "{args:?}: {err}");
    };
    for args in [
        &["build", "small.fab"][..],
        &["build", "small.fab", "--emit", "dot"],
        &["build", "small.fab", "--emit", "tables_csv=d/,dot"],
        &["build", "small.fab", "--emit", "ibnetdiscover"],
        &["build", "small.fab", "--dump", "route"],
        &["build", "small.fab", "--golden", "live"],
        &["check", "small.fab", "--stop-after", "analyze", "--dump", "analyze"],
        &["graph", "small.fab"],
        &["tables", "live/small"],
        &["tables", "live/small", "--router", "0"],
        &["verify", "live/small"],
    ] {
        full(args, 2);
    }
    // There 2 says that there are changes.
    full(&["plan", "live/small", "new/small", "--json"], 1);
    full(&["plan", "live/small", "new/small"], 1);
    assert_eq!(names(place.path()), ["d", "live", "new", "small.fab", "torus.fab"]);
    // A reader that has seen enough stops nothing.
    let mut child = command(place.path(), &["build", "small.fab"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &output.stderr[..]), (Some(0), &b""[..]));
    assert!(place.path().join("out/small/manifest.json").is_file());
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_leaves_golden_outputs_and_devices_as_they_were() {
    let place = workplace();
    std::fs::write(place.path().join("torus.fab"), torus()).unwrap();
    fabc(place.path(), &["build", "torus.fab", "--golden", "golden", "--update", "-q"], 0);
    let before = files(&place.path().join("golden"));
    for goes in ["--golden golden --update", "--out golden"] {
        let shell = format!("trap '' XFSZ; ulimit -f 4; exec \"$0\" build small.fab -q {goes}");
        let output = Command::new("sh")
            .args(["-c", &shell, env!("CARGO_BIN_EXE_fabc")])
            .current_dir(place.path())
            .output()
            .unwrap();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert!(err.contains("FAB0503"), "{err}");
        assert!(files(&place.path().join("golden")) == before);
        assert_eq!(names(&place.path().join("golden")), ["small"]);
    }
    // A device is written, not replaced.
    let (_, err) = fabc(place.path(), &["build", "small.fab", "--emit", "dot=/dev/full"], 2);
    assert!(err.contains("FAB0503") && err.contains("no space left"), "{err}");
    assert!(!Path::new("/dev/full").metadata().unwrap().is_file());
}

/// What ends in `.fabc-tmp-..`, `.fabc-old-..` or `.fabc-lock-..`. A running build has two: directory, lock.
#[cfg(unix)]
fn leftovers(directory: &Path) -> Vec<String> {
    let entries = if directory.is_dir() { names(directory) } else { Vec::new() };
    entries.into_iter().filter(|name| name.contains(".fabc-")).collect()
}

#[cfg(unix)]
#[test]
fn what_killed_builds_left_goes_and_what_running_ones_write_stays() {
    let place = workplace();
    let out = place.path().join("out");
    let parts = format!("{}/specs/parts/", env!("CARGO_MANIFEST_DIR"));
    let large = std::fs::read_to_string(spec("pod_1024"))
        .unwrap()
        .replace("fabric pod_1024", "fabric small")
        .replace("parts/", &parts);
    std::fs::write(place.path().join("large.fab"), large).unwrap();
    let start = || {
        let mut child = command(place.path(), &["build", "large.fab", "-q"]).spawn().expect("fabc starts");
        while !leftovers(&out).contains(&format!(".small.fabc-tmp-{}", child.id())) {
            assert!(child.try_wait().unwrap().is_none(), "the build ended before it could be killed");
            std::thread::yield_now();
        }
        child
    };
    let mut killed = start();
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(leftovers(&out).len(), 2);
    let mut running = start();
    let kept = leftovers(&out);
    let built = command(place.path(), &["build", "small.fab", "-q"]).status().unwrap();
    let still_kept = leftovers(&out);
    running.kill().unwrap();
    running.wait().unwrap();
    assert_eq!(built.code(), Some(0));
    assert!(
        kept.len() == 2 && still_kept == kept,
        "the first is gone, and somebody writes to the second: {kept:?} {still_kept:?}"
    );
    // Killed between the two renames: the only copy stands aside.
    let before = files(&out.join("small"));
    std::fs::rename(out.join("small"), out.join(".small.fabc-old-1")).unwrap();
    std::fs::write(place.path().join("fails.fab"), small().text().replace("diameter <= 6", "diameter <= 1"))
        .unwrap();
    fabc(place.path(), &["build", "fails.fab", "-q"], 3);
    assert_eq!(names(&out), ["small"]);
    assert!(files(&out.join("small")) == before);
}

#[test]
fn foreign_tables_end_with_their_own_exit_codes() {
    let place = workplace();
    let verify = ["verify", "--tables", "t.lft", "--topology", "t.topo"];
    fabc(place.path(), &verify, 1);
    std::fs::write(
        place.path().join("t.lft"),
        "Unicast lids [0-1] of switch Lid 1 guid 0x1 ('a'):\n0x0001 000\n0x0002 001\n",
    )
    .unwrap();
    std::fs::write(place.path().join("t.topo"), "Switch 1 \"S-1\" # \"a\" lid 1\n[1] \"S-2\"[1]\n").unwrap();
    let (_, err) = fabc(place.path(), &[&verify[..], &["--message-format", "short"]].concat(), 1);
    assert!(err.contains("error[FAB0418]: t.topo:2: \"S-2\" has no record of its own"), "{err}");
    std::fs::write(
        place.path().join("t.topo"),
        "Switch 1 \"S-1\" # \"a\" lid 1\n[1] \"S-2\"[1]\n\nSwitch 1 \"S-2\" # \"b\" lid 2\n[1] \"S-1\"[1]\n",
    )
    .unwrap();
    let mut tables = std::fs::read_to_string(place.path().join("t.lft")).unwrap();
    tables += "Unicast lids [0-1] of switch Lid 2 guid 0x2 ('b'):\n0x0002 000\n";
    std::fs::write(place.path().join("t.lft"), &tables).unwrap();
    let (_, err) = fabc(place.path(), &[&verify[..], &["--message-format", "json"]].concat(), 3);
    let message: serde_json::Value = serde_json::from_str(err.lines().next().unwrap()).unwrap();
    assert_eq!(message["code"], "FAB0417");
    fabc(place.path(), &["verify", "--tables", "t.lft"], 2);
    fabc(place.path(), &["verify", "dir", "--tables", "t.lft", "--topology", "t.topo"], 2);
    fabc(place.path(), &["verify"], 2);
}

#[test]
fn a_parameter_is_set_and_the_directory_is_verified() {
    let place = workplace();
    let of_n = spec("small_of_n");
    let (out, _) = fabc(
        place.path(),
        &["build", &of_n, "--set", "cubes=3", "--set", "rate=400 Gbps", "--set=seed=2"],
        0,
    );
    assert!(out.contains("3 cubes of 2 x 2 x 2"), "{out}");
    let built = place.path().join("out/small_of_n");
    let read = |file: &str| std::fs::read_to_string(built.join(file)).unwrap();
    let options = r#""options":{"param.cubes":"3","param.rate":"400 Gbps","param.seed":"2","param.way":"allowed_turns"}"#;
    assert!(read("manifest.json").contains(options), "{}", read("manifest.json"));
    let written = read("spec.fab");
    assert!(
        written.contains("cubes = 3;")
            && written.contains("seed = 2;")
            && written.contains("bandwidth = 50 GB/s;"),
        "{written}"
    );
    let (out, _) = fabc(place.path(), &["verify", "out/small_of_n"], 0);
    assert!(out.contains("which parameters and changes"), "{out}");
    // The directory is built again from its own spec, and golden outputs tell what was set.
    fabc(place.path(), &["build", "out/small_of_n/spec.fab", "--out", "again", "-q"], 0);
    assert_eq!(
        std::fs::read(place.path().join("again/small_of_n/ocs.json")).unwrap(),
        read("ocs.json").into_bytes()
    );
    let (out, _) =
        fabc(place.path(), &["build", &of_n, "--set", "cubes=3", "--golden", "out", "--set", "seed=2"], 3);
    assert!(out.contains("option param.rate: 400 Gbps -> 50 GB/s"), "{out}");
    let (out, _) = fabc(place.path(), &["check", &of_n, "--set", "cubes=5", "--dump", "parse"], 0);
    assert!(out.contains("cubes = 5;") && !out.contains("param"), "{out}");
    let (out, _) = fabc(place.path(), &["graph", &of_n, "--set", "cubes=1", "--format", "csv"], 0);
    assert!(!out.contains("cube1"), "{out}");
}

#[test]
fn what_is_set_wrongly_is_told_at_the_command_line() {
    let place = workplace();
    let of_n = spec("small_of_n");
    let message =
        |set: &str| fabc(place.path(), &["build", &of_n, "--message-format", "short", "--set", set], 1).1;
    assert!(message("cubs=3").starts_with("--set:1:1: error[FAB0142]"), "{}", message("cubs=3"));
    assert!(message("cubes=17").starts_with("--set:1:7: error[FAB0144]"), "{}", message("cubes=17"));
    assert!(message("side=1").contains("FAB0142") && message("seed").contains("FAB0018"));
    let (_, err) = fabc(place.path(), &["build", &of_n, "--set", "seed=-1"], 1);
    assert!(err.contains("[--set:1:6]") && err.contains("FAB0107"), "{err}");
    assert!(!place.path().join("out").exists());
}

#[test]
fn several_specs_are_built_one_after_the_other() {
    let place = workplace();
    let write = |name: &str, text: String| std::fs::write(place.path().join(name), text).unwrap();
    write("other.fab", small().named("other").text());
    write("broken.fab", small().named("broken").text().replace("cubes", "cbues"));
    write("again.fab", small().named("Small").text());
    let (out, err) = fabc(place.path(), &["build", "small.fab", "broken.fab", "other.fab"], 1);
    assert!(
        out.contains("wrote out/small (") && out.contains("wrote out/other (") && err.contains("broken.fab"),
        "{out}{err}"
    );
    fabc(place.path(), &["verify", "out/other"], 0);
    let (_, err) = fabc(place.path(), &["build", "small.fab", "other.fab", "again.fab"], 2);
    assert!(err.contains("FAB0543") && err.contains("`small.fab` and `again.fab`"), "{err}");
    let (_, err) = fabc(place.path(), &["build", "small.fab", "other.fab", "--emit", "dot"], 2);
    assert!(err.contains("FAB0543"), "{err}");
    let (_, err) = fabc(place.path(), &["build", "-", "-"], 2);
    assert!(err.contains("FAB0543"), "{err}");
    let (out, _) = fabc(place.path(), &["build", "small.fab", "other.fab", "--golden", "out"], 0);
    assert_eq!(out.matches("the outputs equal").count(), 2, "{out}");
}

/// Who is wired to whom is known without a flow: the files are those of a whole build.
#[test]
fn links_alone_are_written_without_a_flow() {
    let place = workplace();
    std::fs::write(place.path().join("net.fab"), SpecText::network("dragonfly { a = 4; h = 2; }").text())
        .unwrap();
    std::fs::write(
        place.path().join("ring.fab"),
        SpecText::network("torus 8;").named("ring").with("floor { cabinet = 2; grid = fixed 2 x 2; }").text(),
    )
    .unwrap();
    for name in ["small", "net", "ring"] {
        let spec = format!("{name}.fab");
        fabc(place.path(), &["build", &spec, "-q", "--stop-after", "analyze"], 0);
        let wanted =
            |file: &str| std::fs::read_to_string(place.path().join("out").join(name).join(file)).unwrap();
        let some = "topology=t/,graphml=t/,dot=t/,csv=t/";
        let (said, _) =
            fabc(place.path(), &["build", &spec, "--stop-after", "synthesize", "--emit", some], 0);
        assert!(said.lines().all(|line| line.starts_with("wrote t/topology.")), "{said}");
        for file in ["topology.json", "topology.graphml", "topology.dot", "topology.csv"] {
            let alone = std::fs::read_to_string(place.path().join("t").join(file)).unwrap();
            assert_eq!(alone, wanted(file), "{name} {file}");
        }
        let (dot, _) = fabc(place.path(), &["graph", &spec], 0);
        assert_eq!(dot, wanted("topology.dot"));
    }
    let (said, _) = fabc(place.path(), &["check", "ring.fab", "--stop-after", "synthesize"], 0);
    let summary = "ring: wired (torus, 8 routers, 0 requires, 8 links)\n`--stop-after analyze` measures distances and throughput\n";
    assert_eq!(said, summary);
}
