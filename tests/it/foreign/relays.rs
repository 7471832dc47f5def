//! Next-hop groups with relays: tables of fabc with the numbers of their reports, an answer by hand, and
//! damage.

use super::{Built, convicted, judge, unreadable};
use serde_json::{Value, json};

/// Boxes on rails without spines, so that GPUs of different numbers need a relay.
fn build_rails(boxes: &str, relays: &str, budget: &str) -> Built {
    let text = format!(
        "fabric rails {{ clock = 1 GHz; link inner {{ bandwidth = 100 GB/s; latency = 10 ns; }}
        link nic {{ bandwidth = 100 GB/s; latency = 10 ns; }} router {{ radix = 16; vcs = 1; }} {boxes}
        topology = rails {{ spines = 0; }} routing = spray {{ relay = gpu {relays} }} {budget} }}"
    );
    Built::from_text(&text)
}

const PAIR: &str = "box pair { gpus = 2; switch nv { join all over inner; } nics = 2 over nic; }";

#[test]
fn pairs_with_relays_have_the_numbers_of_their_reports() {
    let mesh = "box mesh { gpus = 4; mesh over inner; nics = 4 over nic; } boxes = 3 of mesh;";
    let square =
        "box square { gpus = 4; join [0, 1] over inner; join [1, 2] over inner; join [2, 3] over inner;
        join [0, 3] over inner; nics = 4 over nic; } boxes = 2 of square;";
    for (boxes, relays) in [
        (format!("{PAIR} boxes = 2 of pair;"), ";"),
        (mesh.to_owned(), ";"),
        (square.to_owned(), "{ most = 3; }"),
    ] {
        let built = build_rails(&boxes, relays, "");
        let judged = judge(&built.files["tables/nominal.json"], built.topology())
            .unwrap_or_else(|error| panic!("{boxes}: {error:?}"));
        let next_hops = judged.next_hops.as_ref().unwrap();
        let listed = built.json("tables/nominal.json")["relays"].as_array().unwrap().len() as u64;
        assert!(listed > 0);
        assert_eq!(next_hops.relayed, listed, "{boxes}");
        built.assert_judged_as_reported(&judged, &boxes);
    }
}

/// Two boxes of two: GPUs 0 to 3, a switch 4 and 5 in each box, leaves 6 and 7. Four pairs have no path, and
/// the GPU beside the source takes their packets. Every channel then carries two routes. Eight pairs are two
/// hops apart, four are four.
#[test]
fn two_boxes_by_hand_and_damaged() {
    let built = build_rails(&format!("{PAIR} boxes = 2 of pair;"), ";", "");
    let tables = built.json("tables/nominal.json");
    assert_eq!(tables["relays"], json!([[0, 3, 1], [1, 2, 0], [2, 1, 3], [3, 0, 2]]));
    let judged = judge(tables.to_string(), built.topology()).unwrap();
    assert_eq!((judged.max_channel_load, judged.shares, judged.hops, judged.longest), (2, 1, 32, 4));
    let with_relays = |relays: Value| {
        let mut changed = tables.clone();
        changed["relays"] = relays;
        changed.to_string()
    };
    // The file may list pairs in any order, and other relays: both ways round the square are as good.
    let other = with_relays(json!([[3, 0, 1], [0, 3, 2], [1, 2, 3], [2, 1, 0]]));
    let judged = judge(other, built.topology()).unwrap();
    assert_eq!((judged.max_channel_load, judged.hops, judged.longest), (2, 32, 4));
    let three = with_relays(json!([[0, 3, 1], [1, 2, 0], [2, 1, 3]]));
    let (code, message) = convicted(three, built.topology());
    assert_eq!(code, "FAB0417", "{message}");
    assert!(message.contains("box1.gpu1"), "{message}");
    for (relays, reason) in [
        (json!([[0, 3, 1], [1, 3, 0], [1, 2, 0], [2, 1, 3], [3, 0, 2]]), "do not arrive"),
        (json!([[0, 3, 6], [1, 2, 0], [2, 1, 3], [3, 0, 2]]), "has no hosts"),
        (json!([[0, 3, 99], [1, 2, 0], [2, 1, 3], [3, 0, 2]]), "does not exist"),
        (json!([[0, 3, 0], [1, 2, 0], [2, 1, 3], [3, 0, 2]]), "not different"),
    ] {
        let (code, message) = convicted(with_relays(relays), built.topology());
        assert_eq!(code, "FAB0411", "{message}");
        assert!(message.contains(reason), "{message}");
    }
    let twice = with_relays(json!([[0, 3, 1], [0, 3, 2], [1, 2, 0], [2, 1, 3], [3, 0, 2]]));
    unreadable(twice, built.topology(), "two relays from router 0 to router 3");
}

/// Under a fault, relays change with the groups. The tables of the fault are judged on the whole network.
#[test]
fn relays_under_faults_are_judged() {
    let budget = "budget { vcs = 1; faults = 1 link; }";
    let built = build_rails(&format!("{PAIR} boxes = 2 of pair;"), "{ most = 3; }", budget);
    let scenarios = built.files.iter().filter(|(path, _)| path.starts_with("tables/"));
    let mut count = 0;
    for (path, tables) in scenarios {
        let judged = judge(tables, built.topology()).unwrap_or_else(|error| panic!("{path}: {error:?}"));
        assert!(judged.next_hops.unwrap().relayed > 0, "{path}");
        count += 1;
    }
    assert!(count > 1);
}
