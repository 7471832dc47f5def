//! `fabc build` and its neighbors, driven from outside: they write directories, compare them and read them.
//! `formats` has the formats for other programs, `interrupted` has builds that do not finish.

mod formats;
mod interrupted;

use crate::support::plain::{command, fabc, files};
use crate::support::spec_text::SpecText;
use std::path::Path;

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
    let (first, second) = (files(&place.path().join("one")), files(&place.path().join("two")));
    assert_eq!(first.keys().collect::<Vec<_>>(), second.keys().collect::<Vec<_>>());
    assert!(first.len() > 10);
    for (path, bytes) in &first {
        assert!(*bytes == second[path], "{} differs", path.display());
    }
    // Building again replaces the directory by itself.
    fabc(place.path(), &["build", "small.fab", "--out", "one", "-q"], 0);
    assert!(files(&place.path().join("one")) == first);
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
    fabc(place.path(), &["build", "broken.fab", "--until", "analyze"], 0);
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
        let (out, _) = fabc(place.path(), &["check", "small.fab", "--dump", stage, "--until", stage], 0);
        assert!(out.contains(says), "{stage}: {out}");
    }
    fabc(place.path(), &["build", "small.fab", "--until", "analyze", "-q"], 0);
    let written = files(&place.path().join("out/small"));
    assert!(
        written.contains_key(Path::new("topology.json"))
            && !written.keys().any(|path| path.starts_with("tables"))
    );
    fabc(place.path(), &["verify", "out/small"], 0);
    let (_, err) =
        fabc(place.path(), &["build", "small.fab", "--until", "analyze", "--emit", "tables=t/"], 2);
    assert!(err.contains("FAB0507"), "{err}");
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
    let (json, _) = fabc(place.path(), &["tables", "out/small", "--router", "13", "--json"], 0);
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
    fabc(place.path(), &["check", "mine.fab", "--until", "resolve"], 0);
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

/// A torus whose routes look at the destination alone.
fn torus() -> String {
    let synthesized = "synthesize { symmetry = translation; effort = 1; seed = 1; }";
    let spec = small().text().replace("cubes = 2", "cubes = 1").replace("faults = 1 ocs", "faults = 0");
    spec.replace(synthesized, "torus 2 x 2 x 2;").replace("allowed_turns", "dimension_order")
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
fn next_hop_groups_are_judged_in_words_and_as_json() {
    let place = workplace();
    fabc(place.path(), &["build", &spec("networks/fat_tree_8_spray"), "-q"], 0);
    let [tables, topology] =
        ["tables/nominal.json", "topology.json"].map(|file| format!("out/fat_tree_8_spray/{file}"));
    let verify = ["verify", "--tables", &tables, "--topology", &topology];
    let (out, _) = fabc(place.path(), &verify, 0);
    assert_eq!(
        out,
        format!(
            "verified {tables} on {topology}: 80 routers, 32 endpoints, 512 channels\n  \
             992 pairs walked by every choice of next hops (spray), all arrive: 3.8065 hops on average, 4 at most\n  \
             max channel load 31/4 (edge[0,0].port0 -> agg[0,0])\n  \
             worst permutation of hosts: load 1\n  \
             all paths go up and then down through 3 tiers, and no router with hosts forwards\n  \
             2528 groups are complete: each has exactly the ports on shortest paths up and then down\n  \
             no cycle among the 2304 dependencies of channels\n"
        )
    );
    let (out, _) = fabc(place.path(), &[&verify[..], &["--json"]].concat(), 0);
    let verdict: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(verdict["max_channel_load"], 7.75);
    let next_hops = serde_json::json!({
        "kind": "spray", "up_then_down": true, "tiers": 3, "climbs_at": null, "groups": 2528, "unlike_shortest": 0,
        "first_unlike": null, "weighted": false, "relayed": 0, "permutation": [1, 1], "max_channel_load": [31, 4],
    });
    assert_eq!(verdict["next_hops"], next_hops);
    let sim = ["sim", "--tables", &tables, "--topology", &topology, "--message-format", "short"];
    let (_, err) = fabc(place.path(), &sim, 1);
    assert!(
        err.contains("it lists next-hop groups: such tables can be verified, but not simulated"),
        "{err}"
    );
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
    let (out, _) = fabc(place.path(), &["graph", &of_n, "--set", "cubes=1", "--csv"], 0);
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
