//! Artifacts of pods made by hand: layout, determinism, and that outside readers can read them.

#[path = "support/pods.rs"]
mod pods;

use fabc::compiled::Compiled;
use fabc::emit;
use fabc::ids::NodeId;
use fabc::ir::Symmetry;
use fabc::model::{CoupleRule, Duplex, Ocs, Plant, SonicConfig, TopologyChoice};
use pods::Shape;
use serde_json::Value;

const SMALL: Shape = Shape { name: "small", cubes: 2, dims: [2, 2, 2], rule: CoupleRule::Sided, duplex: Duplex::Circulator, routed: true };

fn options() -> Vec<(String, String)> {
    [("stop_after", "emit"), ("effort", "1")].map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
}

fn file(compiled: &Compiled, path: &str) -> String {
    let all = emit::artifacts(compiled, "fabric small {}\n", &options());
    let found = all.into_iter().find(|artifact| artifact.path == path).unwrap_or_else(|| panic!("{path} is not emitted"));
    String::from_utf8(found.bytes).unwrap()
}

fn parsed(compiled: &Compiled, path: &str) -> Value {
    serde_json::from_str(&file(compiled, path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The first lines of a text, its size and its hash.
fn summary(text: &str, lines: usize) -> String {
    let head: Vec<&str> = text.lines().take(lines).collect();
    format!("{}\n.. {} lines, blake3 {}", head.join("\n"), text.lines().count(), &blake3::hash(text.as_bytes()).to_hex()[..16])
}

macro_rules! snapshot {
    ($name:expr, $value:expr) => {{
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../snapshots");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(concat!("emit__", $name), $value));
    }};
}

#[test]
fn every_file_is_there_in_order() {
    let mut paths: Vec<String> =
        emit::artifacts(&pods::compiled(SMALL), "fabric small {}\n", &options()).into_iter().map(|a| a.path).collect();
    assert_eq!(paths.pop().as_deref(), Some("manifest.json"));
    assert!(paths.is_sorted());
    snapshot!("paths", paths.join("\n"));
}

#[test]
fn same_input_same_bytes() {
    let [first, second] = [(); 2].map(|()| emit::artifacts(&pods::compiled(SMALL), "fabric small {}\n", &options()));
    assert!(first == second);
}

#[test]
fn formats_by_name() {
    let compiled = pods::compiled(SMALL);
    let all = emit::artifacts(&compiled, "fabric small {}\n", &options());
    for format in emit::FORMATS.iter().filter(|format| format.name != "tables_bin" && !format.is_external()) {
        for artifact in emit::one(format.name, &compiled, "fabric small {}\n").unwrap() {
            assert!(all.contains(&artifact), "{}", artifact.path);
        }
    }
    assert_eq!(emit::one("nonsense", &compiled, ""), None);
}

#[test]
fn manifest_lists_every_other_file() {
    let compiled = pods::compiled(SMALL);
    let manifest = parsed(&compiled, "manifest.json");
    let all = emit::artifacts(&compiled, "fabric small {}\n", &options());
    let listed = manifest["files"].as_array().unwrap();
    assert_eq!(listed.len() + 1, all.len());
    for (line, artifact) in listed.iter().zip(&all) {
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
    for artifact in emit::artifacts(&compiled, "", &options()).iter().filter(|artifact| artifact.path.ends_with(".json")) {
        serde_json::from_slice::<Value>(&artifact.bytes).unwrap_or_else(|error| panic!("{}: {error}", artifact.path));
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
    let config = |rule, duplex| file(&pods::compiled(Shape { rule, duplex, ..SMALL }), "ocs/X_0_1.config_db.json");
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
    let files = |compiled: &Compiled| emit::one("config_db", compiled, "").unwrap().len();
    assert_eq!((files(&compiled), emit::possible("config_db", &compiled)), (12, Ok(())));
    configure(&mut compiled, SonicConfig::Unwanted);
    assert_eq!(files(&compiled), 0);
    assert!(emit::possible("config_db", &compiled).unwrap_err().to_string().ends_with("the spec says `config_db = none`"));
    // Any two ports of a switch whose fibers carry both directions: SONiC has no words for it.
    let one_sided = pods::compiled(Shape { rule: CoupleRule::Any, ..SMALL });
    assert_eq!(files(&one_sided), 0);
    assert!(emit::possible("config_db", &one_sided).unwrap_err().to_string().contains("X[0,0]: it has no sides"));
    assert!(emit::possible("ocs", &one_sided).is_ok());
}

fn configure(compiled: &mut Compiled, config_db: SonicConfig) {
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
    let expanded: Value = serde_json::from_str(&emit::tables_json(&canonical, &[], &Symmetry::trivial(8, 2))).unwrap();
    assert_eq!(expanded["canonical"], false);
    assert_eq!(expanded["routers"].as_array().unwrap().len(), 16);
    let one: Value = serde_json::from_str(&emit::router_table_json(&canonical, NodeId(11))).unwrap();
    assert_eq!(expanded["routers"][11], one["routers"][0]);
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
    assert!(emit::one("tables", &compiled, "").unwrap().is_empty());
    snapshot!("report_txt_unrouted", file(&compiled, "report.txt"));
}

#[test]
fn given_cross_connects_are_kept() {
    let mut compiled = pods::compiled(SMALL);
    let Plant::Pod(pod) = &mut compiled.fabric.plant else { unreachable!("compiled from a pod") };
    pod.topology = TopologyChoice::CrossConnects { path: "live/ocs.json".to_owned(), text: "{}\n".to_owned() };
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
fn terminal_report_is_at_most_100_columns() {
    for shape in &sizes()[..5] {
        let text = emit::terminal_report(&pods::compiled(*shape));
        for line in text.lines() {
            assert!(line.chars().count() <= 100, "{}: {line}", shape.name);
        }
    }
    snapshot!("report_txt", emit::terminal_report(&pods::compiled(sizes()[2])));
}

#[test]
fn html_is_self_contained_and_small() {
    for shape in &sizes()[..5] {
        let page = emit::one("report_html", &pods::compiled(*shape), "").unwrap().remove(0);
        let text = String::from_utf8(page.bytes).unwrap();
        assert!(text.len() < 1_000_000, "{}: {} bytes", shape.name, text.len());
        for reference in ["http://", "https://", "src=", "@import", "url("] {
            assert!(!text.contains(reference), "{}: {reference}", shape.name);
        }
        assert!(!text.contains("NaN") && !text.contains("inf "), "{}", shape.name);
    }
}

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
