//! Artifacts of pods made by hand: layout, determinism, and that outside readers can read them.

use crate::support::pods;
use crate::support::spec_text;
use fabc::compile::{Stage, compile};
use fabc::compiled::CompiledFabric;
use fabc::emit;
use fabc::ids::NodeId;
use fabc::ir::{Fraction, Symmetry};
use fabc::model::{CoupleRule, Duplex, Ocs, Plant, SonicConfig, SwitchSettings, TopologyChoice};
use fabc::progress::Silent;
use pods::Shape;
use serde_json::Value;
use spec_text::SpecText;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

const SMALL: Shape = Shape {
    name: "small",
    cubes: 2,
    dims: [2, 2, 2],
    rule: CoupleRule::Sided,
    duplex: Duplex::Circulator,
    routed: true,
};

fn options() -> Vec<(String, String)> {
    [("stop_after", "emit"), ("effort", "1")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
}

fn file(compiled: &CompiledFabric, path: &str) -> String {
    let artifacts = emit::artifacts(compiled, "fabric small {}\n", &options());
    let names = artifacts
        .into_iter()
        .find(|artifact| artifact.path == path)
        .unwrap_or_else(|| panic!("{path} is not emitted"));
    String::from_utf8(names.bytes).unwrap()
}

fn parsed(compiled: &CompiledFabric, path: &str) -> Value {
    serde_json::from_str(&file(compiled, path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The first lines of a text, its size and its hash.
fn summary(text: &str, lines: usize) -> String {
    let head: Vec<&str> = text.lines().take(lines).collect();
    format!(
        "{}\n.. {} lines, blake3 {}",
        head.join("\n"),
        text.lines().count(),
        &blake3::hash(text.as_bytes()).to_hex()[..16]
    )
}

macro_rules! snapshot {
    ($name:expr, $value:expr) => {{
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(concat!("emit__", $name), $value));
    }};
}

#[test]
fn every_file_is_there_in_order() {
    let mut paths: Vec<String> = emit::artifacts(&pods::compiled(SMALL), "fabric small {}\n", &options())
        .into_iter()
        .map(|a| a.path)
        .collect();
    assert_eq!(paths.pop().as_deref(), Some("manifest.json"));
    assert!(paths.is_sorted());
    snapshot!("paths", paths.join("\n"));
}

#[test]
fn same_input_same_bytes() {
    let [first, second] =
        [(); 2].map(|()| emit::artifacts(&pods::compiled(SMALL), "fabric small {}\n", &options()));
    assert!(first == second);
}

#[test]
fn formats_by_name() {
    let compiled = pods::compiled(SMALL);
    let artifacts = emit::artifacts(&compiled, "fabric small {}\n", &options());
    for format in emit::FORMATS.iter().filter(|format| format.name != "tables_bin" && !format.is_external()) {
        for artifact in emit::artifacts_of_format(format.name, &compiled, "fabric small {}\n").unwrap() {
            assert!(artifacts.contains(&artifact), "{}", artifact.path);
        }
    }
    assert_eq!(emit::artifacts_of_format("nonsense", &compiled, ""), None);
}

#[test]
fn manifest_lists_every_other_file() {
    let compiled = pods::compiled(SMALL);
    let manifest = parsed(&compiled, "manifest.json");
    let artifacts = emit::artifacts(&compiled, "fabric small {}\n", &options());
    let listed = manifest["files"].as_array().unwrap();
    assert_eq!(listed.len() + 1, artifacts.len());
    for (line, artifact) in listed.iter().zip(&artifacts) {
        assert_eq!(line["path"], artifact.path);
        assert_eq!(line["bytes"], artifact.bytes.len());
        assert_eq!(line["blake3"], blake3::hash(&artifact.bytes).to_hex().as_str());
    }
    assert_eq!(manifest["spec_blake3"], blake3::hash(b"fabric small {}\n").to_hex().as_str());
    assert_eq!(manifest["options"].to_string(), r#"{"effort":"1","stop_after":"emit"}"#);
    assert_eq!(manifest["tool"], concat!("fabc ", env!("CARGO_PKG_VERSION")));
}

#[test]
fn json_files() {
    let compiled = pods::compiled(SMALL);
    snapshot!("topology", summary(&file(&compiled, "topology.json"), 26));
    snapshot!("ocs", file(&compiled, "ocs.json"));
    snapshot!("certificates", summary(&file(&compiled, "certificates.json"), 18));
    snapshot!("report_json", file(&compiled, "report.json"));
    for artifact in
        emit::artifacts(&compiled, "", &options()).iter().filter(|artifact| artifact.path.ends_with(".json"))
    {
        serde_json::from_slice::<Value>(&artifact.bytes)
            .unwrap_or_else(|error| panic!("{}: {error}", artifact.path));
    }
}

#[test]
fn other_tools_files() {
    let compiled = pods::compiled(SMALL);
    snapshot!("graphml", summary(&file(&compiled, "topology.graphml"), 20));
    snapshot!("dot", summary(&file(&compiled, "topology.dot"), 16));
    snapshot!("csv", summary(&file(&compiled, "topology.csv"), 8));
}

#[test]
fn switch_ports_follow_rule_and_duplex() {
    let config =
        |rule, duplex| file(&pods::compiled(Shape { rule, duplex, ..SMALL }), "ocs/X_0_1.config_db.json");
    snapshot!("config_db_sided_circulator", config(CoupleRule::Sided, Duplex::Circulator));
    snapshot!("config_db_sided_pair", config(CoupleRule::Sided, Duplex::Pair));
    snapshot!("config_db_any_pair", config(CoupleRule::Any, Duplex::Pair));
}

#[test]
fn a_switch_has_the_configuration_that_its_software_reads_or_none() {
    let mut compiled = pods::compiled(SMALL);
    let image = file(&compiled, "ocs/X_0_1.config_db.json");
    assert!(image.contains("\"config_status\":\"normal\"") && !image.contains("\"state\""));
    configure(&mut compiled, SonicConfig::Hld);
    assert_eq!(file(&compiled, "ocs/X_0_1.config_db.json"), image.replace("config_status", "state"));
    let files =
        |compiled: &CompiledFabric| emit::artifacts_of_format("config_db", compiled, "").unwrap().len();
    assert_eq!((files(&compiled), emit::refuse_unwritable_format("config_db", &compiled)), (12, Ok(())));
    configure(&mut compiled, SonicConfig::Unwanted);
    assert_eq!(files(&compiled), 0);
    assert!(
        emit::refuse_unwritable_format("config_db", &compiled)
            .unwrap_err()
            .to_string()
            .ends_with("the spec says `config_db = none`")
    );
    // Any two ports of a switch whose fibers carry both directions: SONiC has no words for it.
    let one_sided = pods::compiled(Shape { rule: CoupleRule::Any, ..SMALL });
    assert_eq!(files(&one_sided), 0);
    assert!(
        emit::refuse_unwritable_format("config_db", &one_sided)
            .unwrap_err()
            .to_string()
            .contains("X[0,0]: it has no sides")
    );
    assert!(emit::refuse_unwritable_format("ocs", &one_sided).is_ok());
}

fn configure(compiled: &mut CompiledFabric, config_db: SonicConfig) {
    let Plant::Pod(pod) = &mut compiled.fabric.plant else { unreachable!("compiled from a pod") };
    pod.ocses = pod.ocses.iter().map(|ocs| Ocs { config_db, ..ocs.clone() }).collect();
}

#[test]
fn tables_canonical_or_in_full() {
    let compiled = pods::compiled(SMALL);
    let symmetry = compiled.topology.symmetry();
    let canonical = pods::tables(&compiled.topology, symmetry.clone());
    let full = pods::tables(&compiled.topology, Symmetry::trivial(8, 2));
    snapshot!("tables_canonical", summary(&emit::tables_json(&canonical, &[], symmetry), 12));
    snapshot!("tables_full", summary(&emit::tables_json(&full, &[], symmetry), 6));
    // A symmetry that topology.json does not name is written out.
    let expanded: Value =
        serde_json::from_str(&emit::tables_json(&canonical, &[], &Symmetry::trivial(8, 2))).unwrap();
    assert_eq!(expanded["canonical"], false);
    assert_eq!(expanded["routers"].as_array().unwrap().len(), 16);
    let table: Value = serde_json::from_str(&emit::router_table_json(&canonical, NodeId(11))).unwrap();
    assert_eq!(expanded["routers"][11], table["routers"][0]);
    snapshot!("router_table", emit::router_table_text(compiled.topology.names(), &canonical, NodeId(11)));
}

#[test]
fn a_build_stopped_before_routing() {
    let compiled = pods::compiled(Shape { routed: false, ..SMALL });
    let report = parsed(&compiled, "report.json");
    assert_eq!(report["metrics"]["max_channel_load"], Value::Null);
    assert_eq!(report["tables"]["canonical"], Value::Null);
    assert_eq!(report["histograms"]["vc_hops"], Value::Array(Vec::new()));
    assert_eq!(report["requires"][2]["holds"], Value::Null);
    assert!(emit::artifacts_of_format("tables", &compiled, "").unwrap().is_empty());
    snapshot!("report_txt_unrouted", file(&compiled, "report.txt"));
}

#[test]
fn given_cross_connects_are_kept() {
    let mut compiled = pods::compiled(SMALL);
    let Plant::Pod(pod) = &mut compiled.fabric.plant else { unreachable!("compiled from a pod") };
    pod.topology = TopologyChoice::CrossConnects {
        path: "live/ocs.json".to_owned(),
        text: "{}\n".to_owned(),
        settings: SwitchSettings::default(),
    };
    assert_eq!(file(&compiled, "inputs/ocs.json"), "{}\n");
}

fn sizes() -> [Shape; 6] {
    let shape = |name, cubes, dims| Shape { name, cubes, dims, ..SMALL };
    [
        shape("one_cube", 1, [4, 4, 4]),
        shape("small", 2, [2, 2, 2]),
        shape("pod_256", 4, [4, 4, 4]),
        shape("five_flat", 5, [4, 4, 2]),
        shape("pod_1024", 16, [4, 4, 4]),
        shape("pod_8192", 128, [4, 4, 4]),
    ]
}

#[test]
fn terminal_reports_fit_their_terminals() {
    for shape in &sizes()[..5] {
        let compiled = pods::compiled(*shape);
        for width in [80, 100, 120] {
            let plain = emit::terminal_report(&compiled, emit::Look { width, color: false });
            for line in plain.lines() {
                assert!(line.chars().count() <= width, "{}: {line}", shape.name);
                assert!(width < 100 || !line.ends_with(".."), "{}: {line}", shape.name);
            }
            // The words are the same at any width.
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            let wide = emit::terminal_report(&compiled, emit::Look { width: 1000, color: false });
            assert!(width < 100 || words(&plain) == words(&wide), "{}: {plain}", shape.name);
            let colored = emit::terminal_report(&compiled, emit::Look { width, color: true });
            let codes = ["\x1b[32m", "\x1b[33m", "\x1b[1;31m", "\x1b[0m"];
            assert_eq!(codes.iter().fold(colored.clone(), |text, code| text.replace(code, "")), plain);
            assert!(
                colored.contains("\x1b[32mok\x1b[0m") || !plain.contains("  ok "),
                "{}: {colored}",
                shape.name
            );
        }
    }
    snapshot!(
        "report_txt_80",
        emit::terminal_report(&pods::compiled(sizes()[2]), emit::Look { width: 80, color: false })
    );
    snapshot!("report_txt", emit::terminal_report(&pods::compiled(sizes()[2]), emit::Look::FILE));
}

/// A network, compiled from its declaration.
fn network(name: &str, topology: &str, rest: &str) -> CompiledFabric {
    compiled_text(SpecText::network(topology).named(name).with(rest).text())
}

pub(crate) fn compiled_text(text: String) -> CompiledFabric {
    let loader = |path: &str| if path == "test.fab" { Ok(text.clone()) } else { Err(path.to_owned()) };
    let (fabric, _, _) =
        fabc::lang::read_normal("test.fab", &loader).unwrap_or_else(|(failure, _)| panic!("{failure:?}"));
    compile(fabric, Stage::Emit, &Silent).unwrap_or_else(|failure| panic!("{failure:?}"))
}

fn networks() -> [CompiledFabric; 4] {
    [
        network(
            "ring",
            "torus 8;",
            "budget { vcs = 4; faults = 1 link; } routing = allowed_turns; require diameter <= 9; require diameter <= 1000;",
        ),
        network(
            "dragonfly",
            "dragonfly { a = 4; h = 2; }",
            "budget { vcs = 8; faults = 1 router; } failures { links <= 30 %; } require diameter <= 9;",
        ),
        network("tree", "fat_tree { levels = 3; arity = 3; }", "budget { vcs = 4; } routing = up_down;"),
        network("kautz", "kautz { degree = 3; length = 3; }", "budget { vcs = 8; } require diameter <= 9;"),
    ]
}

pub(crate) fn page(compiled: &CompiledFabric) -> String {
    String::from_utf8(emit::artifacts_of_format("report_html", compiled, "").unwrap().remove(0).bytes)
        .unwrap()
}

/// Every size once, by name. The largest one not routed, which is what takes time.
static PAGES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let [.., largest] = sizes();
    let shapes = sizes().into_iter().take(5).chain([Shape { routed: false, ..largest }]);
    let pods = shapes.map(|shape| (shape.name.to_owned(), page(&pods::compiled(shape))));
    let networks = networks();
    let others = networks.iter().map(|compiled| (compiled.fabric.name.clone(), page(compiled)));
    pods.chain(others).chain([("jobs".to_owned(), page(&crate::job_page::pod_with_jobs()))]).collect()
});

/// The text between two marks, after the first one.
pub(crate) fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let rest = &text[text.find(start).unwrap_or_else(|| panic!("no {start}")) + start.len()..];
    &rest[..rest.find(end).unwrap_or_else(|| panic!("no {end} after {start}"))]
}

#[test]
fn html_is_self_contained_and_small() {
    for (name, text) in PAGES.iter() {
        assert!(
            text.len() < if name == "pod_8192" { 600_000 } else { 300_000 },
            "{name}: {} bytes",
            text.len()
        );
        for reference in ["http://", "https://", "src=", "@import", "url("] {
            assert!(!text.contains(reference), "{name}: {reference}");
        }
        // The block of data is base64, in which any letters follow each other.
        let data = between(text, "id=\"explorer-data\">", "</script>");
        let shown = text.replace(data, "");
        let shown = &shown[..shown.find("<script>").unwrap()];
        assert!(!shown.contains("NaN") && !shown.contains("inf "), "{name}");
    }
}

#[test]
fn html_lists_every_cross_connect_with_its_ports() {
    for (rule, duplex) in [CoupleRule::Sided, CoupleRule::Any]
        .into_iter()
        .flat_map(|rule| [(rule, Duplex::Circulator), (rule, Duplex::Pair)])
    {
        let compiled = pods::compiled(Shape { rule, duplex, cubes: 3, ..SMALL });
        let text = page(&compiled);
        let list = between(&text, "id=\"all-settings\"", "</table>");
        let (pod, _) = compiled.pod().unwrap();
        assert_eq!(list.matches("<tr><th scope=\"row\">").count(), pod.ocses.len());
        for ocs in pod.ocses.iter() {
            let line = between(list, &format!("<tr><th scope=\"row\">{}</th>", ocs.name), "</tr>");
            let shown = line
                .split("<i>")
                .skip(1)
                .flat_map(|part| part.split("</i>").next().unwrap().split(' ').skip(1).map(str::to_owned));
            let mut shown: Vec<String> = shown.collect();
            if ocs.config_db.state_key().is_none() {
                continue;
            }
            let config =
                parsed(&compiled, &format!("ocs/{}.config_db.json", fabc::model::file_stem(&ocs.name)));
            let mut written: Vec<String> =
                config["OCS_CROSS_CONNECT"].as_object().unwrap().keys().cloned().collect();
            shown.sort();
            written.sort();
            assert_eq!(shown, written, "{}", ocs.name);
        }
    }
}

#[test]
fn html_lists_every_fault_and_every_load() {
    let compiled = pods::compiled(sizes()[2]);
    let text = page(&compiled);
    let list = between(&text, "id=\"all-faults\"", "</table>");
    assert_eq!(list.matches("<tr id=\"fault-").count(), compiled.scenarios.len() - 1);
    for scenario in &compiled.scenarios[1..] {
        assert!(list.contains(&format!(">{}<td", scenario.scenario.name)), "{}", scenario.scenario.name);
    }
    assert_eq!(text.matches("href=\"#fault-").count(), 48, "one cell per switch");
    // Copper and fiber apart, all channels in the one or the other.
    let count = |kind: &str| {
        let line =
            between(&text, &format!("<tr><th scope=\"row\">{kind}</th><td class=\"number\">"), "</td>");
        line.replace(',', "").parse::<u64>().unwrap()
    };
    assert_eq!((count("electrical (copper)"), count("optical (fiber)")), (2 * 576, 2 * 192));
    let walk = compiled.scenarios[0].metrics.routed.as_ref().unwrap();
    let rows = text.split("<thead><tr><th scope=\"col\">load</th>").skip(1).flat_map(|table| {
        let rows = table[..table.find("</table>").unwrap()].split("<td class=\"number\">").skip(1);
        rows.map(|cell| cell[..cell.find('<').unwrap()].replace(',', "").parse::<u64>().unwrap())
            .collect::<Vec<_>>()
    });
    assert_eq!(rows.sum::<u64>(), walk.load_histogram.iter().map(|(_, channels)| channels).sum::<u64>());
}

#[test]
fn html_says_how_much_room_a_require_leaves() {
    let mut compiled = pods::compiled(SMALL);
    let measured = compiled.requires[0].measured.unwrap().floor();
    compiled.requires[0].wanted = Some(Fraction::integer(measured + 2));
    compiled.requires[1].wanted = Some(Fraction::integer(1000u32));
    let text = page(&compiled);
    let verdict = between(&text, "id=\"verdict\"", "</section>");
    assert!(verdict.contains("<b class=\"good\">ok</b>") && verdict.contains("<td>2 ("), "{verdict}");
    assert!(
        verdict.contains("<b class=\"bad\">FAILED</b>") && verdict.contains("misses it by 999"),
        "{verdict}"
    );
    assert!(text.find("id=\"verdict\"").unwrap() < text.find("id=\"numbers\"").unwrap());
}

/// `tests/browser/check.mjs` asks them what a reader would.
#[test]
fn pages_work_in_a_browser() {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    let chromium = std::env::var_os("FABC_CHROMIUM").unwrap_or_else(|| "/usr/bin/chromium".into());
    let node = Command::new("node").arg("--version").output().is_ok_and(|output| output.status.success());
    if !node || !Path::new(&chromium).exists() || !scripts.join("node_modules/playwright-core").is_dir() {
        // Past the test harness, which would keep it to itself.
        let why = "skipped: pages_work_in_a_browser needs Debian's chromium, and `npm ci` in tests/browser";
        let _ = writeln!(std::io::stderr(), "{why}");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = PAGES
        .iter()
        .filter(|(name, _)| BROWSED.contains(&name.as_str()))
        .map(|(name, text)| {
            let path = directory.path().join(format!("{name}.html"));
            std::fs::write(&path, text).unwrap();
            path
        })
        .collect();
    assert_eq!(paths.len(), BROWSED.len());
    let output = Command::new("node").arg(scripts.join("check.mjs")).args(&paths).output().unwrap();
    let printed = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{}{}", printed[0], printed[1]);
}

/// One page of every way to draw: a ring of cubes, few and many cubes on their lattice. A ring of routers,
/// groups with faults of routers. A pod with jobs.
const BROWSED: [&str; 6] = ["pod_256", "pod_1024", "pod_8192", "ring", "dragonfly", "jobs"];

/// Writes all artifacts of all sizes below the target directory, for looking at.
#[test]
#[ignore = "writes files to look at: cargo test --test emit -- --ignored"]
fn write_pages() {
    for shape in sizes() {
        let root = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("emit").join(shape.name);
        let compiled = pods::compiled(shape);
        for artifact in emit::artifacts(&compiled, "fabric small {}\n", &options()) {
            let path = root.join(artifact.path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, artifact.bytes).unwrap();
        }
    }
}
