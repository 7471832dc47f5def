//! Pictures of networks with tiers: a row per tier, and lines that stand for all links between rows.

use crate::networks::builds::built;

/// The rows of the table of loads that name tiers, without markup.
fn loads_by_level(spec: &str) -> Vec<String> {
    let (_, files) = built(spec);
    let page = std::str::from_utf8(&files["report.html"]).expect("text").to_owned();
    let table = page.split_once("aria-label=\"Loads by kind of channel\"").expect("loads").1;
    let rows =
        table.split_once("</table>").expect("an end").0.lines().filter(|line| line.starts_with("<tr><th"));
    let plain = |row: &str| {
        let cells = row.split("</t").filter_map(|cell| Some(cell.rsplit_once('>')?.1.to_owned()));
        cells.filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join(" ")
    };
    rows.map(plain).filter(|row| row.contains(" to ") || row.contains("inside")).collect()
}

/// The drawing of the network in `report.html`.
struct Drawing {
    rows: Vec<String>,
    marks: usize,
    /// Links that the lines stand for.
    links: u64,
    lines: usize,
}

fn drawing(spec: &str) -> Option<Drawing> {
    let (_, files) = built(spec);
    let page = std::str::from_utf8(&files["report.html"]).expect("text").to_owned();
    let svg = page.split_once("<svg class=\"levels\"")?.1.split_once("</svg>").expect("an end").0;
    let texts = svg.split("<text class=\"name\"").skip(1);
    let rows = texts.map(|text| text.split_once('>').expect("a tag").1.split('<').next().unwrap().to_owned());
    let counts = svg.split("<path ").skip(1).map(|path| {
        let title = path.split_once(": ").expect("a title").1;
        title.split(' ').next().and_then(|number| number.parse::<u64>().ok()).expect("a number of links")
    });
    let links: Vec<u64> = counts.collect();
    Some(Drawing {
        rows: rows.collect(),
        marks: svg.matches("<rect ").count(),
        links: links.iter().sum(),
        lines: links.len(),
    })
}

fn network(hosts: u32, topology: &str) -> String {
    format!(
        "fabric net {{ clock = 1 GHz; link cable {{ bandwidth = 100 Gbps; latency = 10 ns; }}
        router {{ radix = 64; hosts = {hosts}; vcs = 1; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }}
        budget {{ vcs = 1; }} topology = {topology} routing = spray; }}"
    )
}

#[test]
fn every_switch_of_a_small_tree_has_a_mark() {
    let drawing = drawing(&network(2, "fat_tree { k = 4; }")).expect("levels");
    assert_eq!(drawing.rows, ["edge: 8 switches with 16 hosts", "agg: 8 switches", "core: 4 switches"]);
    assert_eq!((drawing.marks, drawing.lines, drawing.links), (20, 32, 32));
}

#[test]
fn parallel_cables_are_one_line() {
    let spec = network(2, "leaf_spine { leaves = 3; spines = 1; parallel = 4; }");
    let drawing = drawing(&spec).expect("levels");
    assert_eq!(drawing.rows, ["leaf: 3 switches with 6 hosts", "spine: 1 switch"]);
    assert_eq!((drawing.marks, drawing.lines, drawing.links), (4, 3, 12));
}

#[test]
fn neighbors_share_a_mark_where_there_are_many() {
    // 64 by 40 lines are too many, and so are 32 by 40. At most 32 to a row leaves 32 by 20.
    let drawing = drawing(&network(1, "leaf_spine { leaves = 64; spines = 40; }")).expect("levels");
    assert_eq!(drawing.rows[0], "leaf: 64 switches with 64 hosts, 2 to a mark");
    assert_eq!((drawing.marks, drawing.lines, drawing.links), (52, 32 * 20, 64 * 40));
}

#[test]
fn a_box_is_one_mark() {
    let spec = "fabric net { clock = 1 GHz; link nvlink { bandwidth = 400 Gbps; latency = 10 ns; }
        link cable { bandwidth = 100 Gbps; latency = 10 ns; } router leaf { radix = 64; latency = 10 cycles; }
        box h { gpus = 4; switch nv { latency = 10 cycles; join all over nvlink; } nics = 4 over cable; } boxes = 6 of h;
        topology = leaf_spine { leaves = 4; spines = 2; attach = rail; over = cable; tiers = [leaf, leaf]; }
        routing = spray; }";
    let drawing = drawing(spec).expect("levels");
    assert_eq!(drawing.rows, ["6 boxes with 24 GPUs", "leaf: 4 switches", "spine: 2 switches"]);
    // Links inside of boxes are inside of marks.
    assert_eq!((drawing.marks, drawing.links), (12, 24 + 8));
}

#[test]
fn a_network_without_tiers_is_no_levels() {
    let ring = network(1, "torus 5;").replace("routing = spray;", "").replace("vcs = 1", "vcs = 2");
    assert!(drawing(&ring).is_none());
}

#[test]
fn loads_are_told_for_every_two_tiers() {
    // A leaf sends to two others by two spines, and loads count pairs of leaves.
    let rows = loads_by_level(&network(2, "leaf_spine { leaves = 3; spines = 2; }"));
    assert_eq!(rows, ["leaf to spine 6 1 1.00 1 6", "spine to leaf 6 1 1.00 1 6"]);
}
