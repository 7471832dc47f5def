//! Simulations on tables of other programs, without the directory of a build.

use super::{built, pod, short_sim, sim};
use crate::support::command::fabc;
use crate::support::spec_text::SpecText;
use serde_json::Value;

/// The first scenario of a report.
fn first_scenario(report: &str) -> Value {
    serde_json::from_str::<Value>(report).unwrap()["scenarios"][0].clone()
}

/// Tables and topology of a built directory do the same without it.
#[test]
fn tables_of_anybody() {
    let place = built(&pod());
    for model in ["packet", "flit"] {
        compare_with_tables_alone(&place, model);
    }
    let place = tempfile::tempdir().unwrap();
    adapters_of_a_subnet_are_routers(&place);
    lanes_of_a_subnet_carry_the_virtual_channels(&place);
    // An error of the files is what `verify` says of them.
    let lft = std::fs::read_to_string(place.path().join("m.lft")).unwrap();
    let entry = lft.lines().position(|line| line.starts_with("0x")).unwrap();
    let cut: Vec<&str> =
        lft.lines().enumerate().filter(|(number, _)| *number != entry + 1).map(|(_, line)| line).collect();
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
        let (_, err) = short_sim(&place, args, code);
        assert!(err.contains(message), "{args:?}: expected `{message}` in\n{err}");
    }
}

/// The tables of the pod with its topology give the numbers of its directory.
fn compare_with_tables_alone(place: &tempfile::TempDir, model: &str) {
    let settings = format!("model = {model}; rates = [0.2, 0.9]");
    let options = ["--with", &settings, "--json"];
    let native = first_scenario(&sim(place, &options, 0).0);
    let tables = ["--tables", "out/pod/tables/nominal.json", "--topology", "out/pod/topology.json"];
    let hardware = ["--buffer", "100", "--link-latency", "10", "--router-latency", "10"];
    let foreign = first_scenario(&short_sim(place, &[&tables[..], &hardware, &options].concat(), 0).0);
    for key in ["bound", "mean_hops", "mean_cycles", "senders"] {
        assert_eq!(foreign[key], native[key], "{key}");
    }
    for key in ["host_ports", "general_vcs", "table_vcs", "credits"] {
        assert_eq!(foreign["model"][key], native["model"][key], "{key}");
    }
    let points = |report: &Value| report["points"].as_array().unwrap().clone();
    for (foreign_point, native_point) in points(&foreign).iter().zip(&points(&native)) {
        for key in ["accepted", "born", "delivered", "latency", "inside", "vcs"] {
            assert_eq!(foreign_point[key], native_point[key], "{key}");
        }
    }
}

/// The adapters of a subnet are routers of their own: two hops more, of four cycles each.
fn adapters_of_a_subnet_are_routers(place: &tempfile::TempDir) {
    let mesh = SpecText::network("mesh 2 x 3;").with("routing = dimension_order;");
    std::fs::write(place.path().join("fabric.fab"), mesh.text()).unwrap();
    fabc(place.path(), &["build", "fabric.fab", "-q", "--emit", "opensm_lft=m.lft,ibnetdiscover=m.topo"], 0);
    let subnet = ["--tables", "m.lft", "--topology", "m.topo"];
    let options = ["--with", "rates = 0.001", "--json"];
    let alone = first_scenario(&short_sim(place, &[&subnet[..], &options].concat(), 0).0);
    let [hops, cycles] = ["mean_hops", "mean_cycles"].map(|key| alone[key].as_f64().unwrap());
    // Between two routers of a 2 x 3 mesh: 25 hops over its 15 pairs.
    assert!(
        (hops - 2.0 - 25.0 / 15.0).abs() < 1e-5 && (cycles - 4.0 * hops - 5.0).abs() < 1e-4,
        "{hops} {cycles}"
    );
}

/// On the lanes of a subnet packets make as many hops, and every lane carries what its virtual channel does.
fn lanes_of_a_subnet_carry_the_virtual_channels(place: &tempfile::TempDir) {
    let torus = SpecText::network("torus 5 x 5;").named("round").with("routing = dimension_order;");
    std::fs::write(place.path().join("round.fab"), torus.text()).unwrap();
    let emit = "opensm_lft=r.lft,ibnetdiscover=r.topo,opensm_sl2vl=r.sl2vl,opensm_path_sl=r.psl";
    fabc(place.path(), &["build", "round.fab", "-q"], 0);
    fabc(place.path(), &["build", "round.fab", "-q", "--emit", emit], 0);
    let options = ["--with", "rates = 0.3", "--json"];
    let native = first_scenario(&short_sim(place, &[&["out/round"][..], &options].concat(), 0).0);
    let lanes = ["--tables", "r.lft", "--topology", "r.topo", "--sl2vl", "r.sl2vl", "--path-sl", "r.psl"];
    let laned = first_scenario(&short_sim(place, &[&lanes[..], &options].concat(), 0).0);
    let [laned_hops, native_hops] = [&laned, &native].map(|report| report["mean_hops"].as_f64().unwrap());
    assert!((laned_hops - native_hops - 2.0).abs() < 1e-5, "{laned_hops} and {native_hops}");
    // The spec allows four, the routes use two.
    assert_eq!(
        (&laned["model"]["table_vcs"], &native["model"]["table_vcs"]),
        (&Value::from(2), &Value::from(4))
    );
    assert!((laned["points"][0]["accepted"].as_f64().unwrap() - 0.3).abs() < 0.02, "{}", laned["points"][0]);
    let (_, error) = short_sim(place, &[&lanes[..4], &options].concat(), 3);
    assert!(error.contains("FAB0413"), "one lane is not enough: {error}");
    short_sim(place, &["--tables", "r.lft", "--topology", "r.topo", "--path-sl", "r.psl"], 2);
}
