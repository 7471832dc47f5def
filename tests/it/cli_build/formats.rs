//! Formats of a build: where they go, and what other programs read of them.

use super::{names, torus, workplace};
use crate::support::plain::{fabc, files};
use crate::support::spec_text::SpecText;
use std::path::Path;

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
fn binary_tables_say_the_same_as_json() {
    let place = workplace();
    fabc(place.path(), &["build", "small.fab", "--out", "json"], 0);
    fabc(place.path(), &["build", "small.fab", "--out", "binary", "--tables-form", "binary"], 0);
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
                &["tables", &directory, "--router", router, "--scenario", "X[0,1]", "--json"],
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
    let build = ["build", "small.fab", "--golden", "golden", "--tables-form", "binary"];
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
        "--json",
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
    for (index, path) in paths.iter().enumerate() {
        assert_eq!((path[0], path[path.len() - 1]), (index / 8, index % 8), "source-major");
        for hop in path.windows(2) {
            assert_eq!(map[hop[0]][hop[1]], 1);
            next.push(vec![index / 8, index % 8, hop[0], hop[1]]);
        }
        let through = if path.len() == 1 { &path[..] } else { &path[..path.len() - 1] };
        current.extend(through.iter().map(|node| vec![index / 8, index % 8, *node]));
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
    assert!(err.contains("FAB0517") && err.contains("use the input"), "{err}");
    let (_, err) = fabc(place.path(), &["build", "small.fab", "--emit", "tons_bundle"], 2);
    assert!(err.contains("FAB0506"), "{err}");
    let (_, err) =
        fabc(place.path(), &["build", "small.fab", "--until", "analyze", "--emit", "tables_csv=csv"], 2);
    assert!(err.contains("FAB0507"), "{err}");
    let (_, err) = fabc(place.path(), &["build", "small.fab", "--emit", "formula"], 3);
    assert!(err.contains("FAB0537") && err.contains("routing = algebraic"), "{err}");
    assert_eq!(names(place.path()), ["small.fab"]);
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

/// The wiring is known without a flow: the files are those of a whole build.
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
        fabc(place.path(), &["build", &spec, "-q", "--until", "analyze"], 0);
        let wanted =
            |file: &str| std::fs::read_to_string(place.path().join("out").join(name).join(file)).unwrap();
        let some = "topology=t/,graphml=t/,dot=t/,csv=t/";
        let (out, _) = fabc(place.path(), &["build", &spec, "--until", "synthesize", "--emit", some], 0);
        assert!(out.lines().all(|line| line.starts_with("wrote t/topology.")), "{out}");
        for file in ["topology.json", "topology.graphml", "topology.dot", "topology.csv"] {
            let alone = std::fs::read_to_string(place.path().join("t").join(file)).unwrap();
            assert_eq!(alone, wanted(file), "{name} {file}");
        }
        let (dot, _) = fabc(place.path(), &["graph", &spec], 0);
        assert_eq!(dot, wanted("topology.dot"));
    }
    let (out, _) = fabc(place.path(), &["check", "ring.fab", "--until", "synthesize"], 0);
    let summary = "ring: wired (torus, 8 routers, 0 requires, 8 links)\n`--until analyze` measures distances and throughput\n";
    assert_eq!(out, summary);
}

#[test]
fn a_written_graph_is_a_network_again() {
    let place = tempfile::tempdir().unwrap();
    let leaves = SpecText::network("leaf_spine { leaves = 3; spines = 2; }").named("leaves").text();
    std::fs::write(place.path().join("leaves.fab"), leaves).unwrap();
    fabc(place.path(), &["build", "leaves.fab", "-q"], 0);
    let graph = "graph \"out/leaves/topology.graphml\";";
    std::fs::write(place.path().join("again.fab"), SpecText::network(graph).named("again").text()).unwrap();
    fabc(place.path(), &["build", "again.fab", "-q"], 0);
    let network = |name: &str| {
        let report = std::fs::read_to_string(place.path().join(format!("out/{name}/report.json"))).unwrap();
        let section = report.split("\"network\":").nth(1).and_then(|rest| rest.split(",\n\"hist").next());
        section.expect("a network").to_owned()
    };
    assert_eq!(network("leaves"), network("again"));
}
