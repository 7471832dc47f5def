//! The inside of boxes for NCCL. The XML is read back here, and must be the box that the spec declares.

use crate::networks::builds::emitted;
use fabc::emit::EmitError;
use std::collections::BTreeMap;

/// The XML of a kind of box. `links` and `parts` declare the links and the inside of the box.
fn xml(links: &str, parts: &str) -> Result<String, EmitError> {
    let spec = format!(
        "fabric net {{ clock = 1 GHz; {links} link ib {{ bandwidth = 50 GB/s; latency = 10 ns; }}
        router leaf {{ radix = 600; latency = 10 cycles; }} box kind {{ {parts} }} boxes = 2 of kind;
        topology = leaf_spine {{ leaves = 1; spines = 0; leaf = leaf; PLANES }} routing = spray {{ relay = gpu {{ most = 3; }} }} }}"
    );
    let planes = if parts.contains("ports = 2") { "planes = 2;" } else { "" };
    Ok(emitted("nccl_topo", &spec.replace("PLANES", planes))?
        .remove("kind.xml")
        .expect("the file of the kind"))
}

/// Number of NVLinks between a GPU and what it is joined to.
type NvLinks = BTreeMap<(u32, String), u32>;

/// A port of a NIC: its GPU, its speed in Mbit/s and its number.
type NicPort = (u32, u32, u32);

/// What the XML says. Checks that bus ids are unique.
fn read(text: &str) -> (NvLinks, Vec<NicPort>) {
    let document = roxmltree::Document::parse(text).expect("well-formed");
    assert_eq!(document.root_element().tag_name().name(), "system");
    let number = |node: roxmltree::Node<'_, '_>, name: &str| -> u32 {
        node.attribute(name)
            .and_then(|text| text.parse().ok())
            .unwrap_or_else(|| panic!("{name} of {node:?}"))
    };
    let mut gpu_of_bus = BTreeMap::new();
    let mut buses: Vec<&str> = document
        .descendants()
        .filter(|node| node.has_tag_name("pci"))
        .filter_map(|pci| pci.attribute("busid"))
        .collect();
    for gpu in document.descendants().filter(|node| node.has_tag_name("gpu")) {
        let parent = gpu.parent_element().expect("a device");
        assert_eq!(parent.attribute("class"), Some("0x030200"));
        gpu_of_bus.insert(parent.attribute("busid").expect("a bus"), number(gpu, "dev"));
    }
    let (mut nvlinks, mut nets) = (BTreeMap::new(), Vec::new());
    for bridge in document.descendants().filter(|node| node.attribute("class") == Some("0x060400")) {
        let gpu = bridge.descendants().find(|node| node.has_tag_name("gpu")).expect("a GPU at every bridge");
        for link in gpu.children().filter(|node| node.has_tag_name("nvlink")) {
            let target = link.attribute("target").expect("a target");
            let other = match link.attribute("tclass") {
                Some("0x030200") => format!("gpu{}", gpu_of_bus[target]),
                _ => target.to_owned(),
            };
            nvlinks.insert((number(gpu, "dev"), other), number(link, "count"));
        }
        for net in bridge.descendants().filter(|node| node.has_tag_name("net")) {
            nets.push((number(gpu, "dev"), number(net, "speed"), number(net, "port")));
        }
    }
    buses.sort_unstable();
    assert!(buses.windows(2).all(|pair| pair[0] != pair[1]), "{buses:?}");
    (nvlinks, nets)
}

#[test]
fn gpus_behind_nvswitches_have_their_nics_beside_them() {
    // Eighteen NVLinks of 25 GB/s to four switches, as in a DGX H100: five to two of them, four to the
    // others.
    let links = "link five { bandwidth = 125 GB/s; latency = 10 ns; } link four { bandwidth = 100 GB/s; latency = 10 ns; }";
    let parts = "gpus = 8; switch wide[2] { join all over five; } switch slim[2] { join all over four; } nics = 8 over ib { ports = 2; }";
    let (nvlinks, nets) = read(&xml(links, parts).expect("NVLinks"));
    for gpu in 0..8 {
        let counts: Vec<u32> =
            (0..4).map(|switch| nvlinks[&(gpu, format!("ffff:{switch:02x}:00.0"))]).collect();
        assert_eq!(counts, [5, 5, 4, 4]);
    }
    assert_eq!(nvlinks.len(), 32);
    let expected: Vec<_> = (0..8).flat_map(|gpu| [(gpu, 400_000, 1), (gpu, 400_000, 2)]).collect();
    assert_eq!(nets, expected);
}

#[test]
fn links_between_gpus_are_told_by_both() {
    let links = "link nvlink { bandwidth = 25 GB/s; latency = 10 ns; }";
    let parts = "gpus = 3; join [0, 1] over nvlink { copies = 2; } join [1, 2] over nvlink; nics = 1 over ib; nic[i] at i + 1;";
    let (nvlinks, nets) = read(&xml(links, parts).expect("NVLinks"));
    let count = |gpu, other: u32| nvlinks.get(&(gpu, format!("gpu{other}"))).copied().unwrap_or(0);
    for (a, b, copies) in [(0, 1, 2), (1, 2, 1), (0, 2, 0)] {
        assert_eq!([count(a, b), count(b, a)], [copies; 2], "{a} {b}");
    }
    assert_eq!(nets, [(1, 400_000, 1)]);
}

/// 900 GB/s are more than eighteen NVLinks of the fourth generation give, so they are eighteen of the fifth.
#[test]
fn more_bandwidth_than_the_fourth_generation_has_is_the_fifth() {
    let links = "link nvlink { bandwidth = 900 GB/s; latency = 10 ns; }";
    let (nvlinks, _) = read(
        &xml(links, "gpus = 72; switch nv { join all over nvlink; } nics = 72 over ib;").expect("NVLinks"),
    );
    assert_eq!(nvlinks.len(), 72);
    assert!(nvlinks.values().all(|&count| count == 18), "{nvlinks:?}");
}

#[test]
fn links_that_are_no_whole_nvlinks_are_refused() {
    let links = "link xgmi { bandwidth = 64 GB/s; latency = 10 ns; }";
    let error = xml(links, "gpus = 4; mesh over xgmi; nics = 4 over ib;").expect_err("no NVLink").to_string();
    assert_eq!(
        error,
        "`nccl_topo` cannot hold the box `kind`: `xgmi` has 64 GB/s, and NCCL counts NVLinks of 25 GB/s"
    );
}

#[test]
fn a_network_without_boxes_is_refused() {
    let spec = "fabric net { clock = 1 GHz; link cable { bandwidth = 100 Gbps; latency = 10 ns; }
        router { radix = 8; vcs = 4; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }
        budget { vcs = 4; } topology = torus 3 x 3 { link = cable; } }";
    let error = emitted("nccl_topo", spec).expect_err("no boxes").to_string();
    assert_eq!(
        error,
        "`nccl_topo` cannot hold this network: it has no boxes of GPUs, and NCCL reads what is inside of a box"
    );
}
