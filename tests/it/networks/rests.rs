//! Vectors in cycles: channels that rest while clocks are set anew, spare blocks that take the place of
//! others, and plans in their binary form.

use super::builds::built;
use fabc::emit::{self, ManifestEntry, TOOL, manifest_json};
use fabc::ids::NodeId;
use fabc::ir::{ContractState, Scene, Schedule, Transfers};
use fabc::{check, verify};

fn spec(topology: &str, routing: &str, rest: &str) -> String {
    format!(
        "fabric rested {{ clock = 900 MHz; link wire {{ bandwidth = 100 Gbps; latency = 217 cycles; }}
        router {{ radix = 7; hosts = 0; vcs = 1; flit = 328 B; buffer = 0 flits; latency = 433 cycles; }}
        topology = {topology}; routing = scheduled {{ vector = 320 B; {routing} }} {rest} }}"
    )
}

/// One of every kind, some of them at the same time.
const EVERY: &str = "collective a = all_to_all { size = 12 KiB; } collective b = all_gather { size = 10 KiB; }
    collective c = reduce_scatter { size = 10 KiB; after = a; } collective d = all_reduce { size = 3 KiB; after = b; }
    collective e = broadcast { size = 2 KiB; root = 1; } collective f = send { from = 2; to = 4; size = 10 KiB; after = e; }";

#[test]
fn channels_rest() {
    // Every 2 us are 1800 cycles.
    for (topology, every) in [
        ("hyperx 5", "2 us"),
        ("torus 3 x 3", "700 cycles"),
        ("dragonfly { a = 3; h = 1; arrangement = palmtree; }", "300 cycles"),
    ] {
        let (compiled, files) = built(&spec(topology, &format!("deskew = {every};"), EVERY));
        let cycles = compiled.fabric.pace().unwrap().deskew;
        assert_eq!(
            cycles,
            every.split_once(' ').unwrap().0.parse::<u32>().unwrap()
                * if every.ends_with("us") { 900 } else { 1 }
        );
        let topology = &compiled.topology;
        let scene = Scene::healthy(topology);
        for result in &compiled.collectives {
            let schedule = &result.nominal().unwrap().schedule;
            let timed = schedule.timed().unwrap();
            for send in &timed.sends {
                let rested =
                    (send.cycle..send.cycle + 24).any(|cycle| cycle >= cycles && cycle % cycles < 252);
                assert!(!rested, "{topology:?}: cycle {}", send.cycle);
            }
            // A send in a rest is convicted, whatever else is right with it.
            for index in 0..timed.sends.len() {
                let mut tampered: Schedule = schedule.clone();
                let Transfers::Timed(changed) = &mut tampered.transfers else { panic!("vectors") };
                let rest = (changed.sends[index].cycle / cycles + 1) * cycles;
                changed.sends[index].cycle = rest + 100;
                changed.sends.sort_unstable();
                let error = check::verify_vectors(&scene, &tampered).unwrap_err().to_string();
                assert!(error.contains("all channels rest"), "{error}");
            }
        }
        assert!(
            String::from_utf8(files["schedule.json"].clone())
                .unwrap()
                .contains(&format!("\"deskew\":{cycles},"))
        );
        // Lines are wrapped.
        let report = String::from_utf8(files["report.txt"].clone()).unwrap();
        let words: Vec<&str> = report.split_whitespace().collect();
        assert!(words.join(" ").contains(&format!("all channels rest every {cycles} cycles")), "{report}");
    }
}

#[test]
fn rests_cost_what_they_last() {
    // Each of seven others gets a vector every 24 cycles, 100 times. 75 slots of 1800 / 24 fit before the
    // first rest. No more starts until 252 cycles later.
    let took = |routing: &str| {
        let (compiled, _) =
            built(&spec("hyperx 8", routing, "collective a = all_to_all { size = 256000 B; }"));
        compiled.collectives[0].nominal().unwrap().schedule.timed().unwrap().end
    };
    assert_eq!(took(""), 99 * 24 + 650);
    assert_eq!(took("deskew = 2 us;"), 99 * 24 + 650 + 252);
    assert_eq!(took("deskew = 1 ms;"), 99 * 24 + 650);
}

#[test]
fn a_spare_block_takes_the_place_of_any_other() {
    let rest = "collective a = all_reduce { size = 4 KiB; } collective b = all_gather { size = 10 KiB; after = a; }
        require fault.makespan <= 5 us; require makespan <= 4500 cycles; require fault.b.makespan <= 4500 cycles;";
    for (topology, size, blocks) in [
        ("dragonfly { a = 4; h = 2; g = 9; arrangement = palmtree; spare = 1; }", 4, 9),
        (
            "levels { level 4 over wire; level 5 joined 1 over wire { ports = 1; arrangement = palmtree; spare = 1; } }",
            4,
            5,
        ),
    ] {
        let (compiled, files) = built(&spec(topology, "", rest));
        assert_eq!(compiled.fabric.failover(), Some((size, blocks)));
        assert!(
            compiled.requires.iter().all(|outcome| outcome.holds() == Some(true)),
            "{:?}",
            compiled.requires
        );
        let under: Vec<Option<&str>> =
            compiled.requires.iter().map(|outcome| outcome.scenario.as_deref()).collect();
        assert_eq!(under, [None, Some("block0"), Some("block0")]);
        // Moved by any number of blocks the plan is one of the whole topology, on which nothing is spare but
        // the block that failed.
        let topology = &compiled.topology;
        for failed in 0..blocks {
            let moved = |node: NodeId| NodeId((node.0 + (failed + 1) * size) % (size * blocks));
            for result in &compiled.collectives {
                for send in &result.nominal().unwrap().schedule.timed().unwrap().sends {
                    let target = |node| topology.target(topology.outgoing(node, send.port).unwrap());
                    let (near, far) = (target(send.chip), target(moved(send.chip)));
                    assert_eq!((moved(near.node), near.port), (far.node, far.port));
                    assert!(
                        ![moved(send.chip), far.node].iter().any(|node| node.0 / size == failed),
                        "{failed}"
                    );
                }
            }
        }
        let text = String::from_utf8(files["schedule.json"].clone()).unwrap();
        let line = format!("\"failover\":{{\"routers\":{size},\"blocks\":{blocks}}},");
        assert!(text.contains(&line), "{}", &text[..200]);
        for instead in [String::new(), line.replace(&format!(":{blocks}}}"), &format!(":{}}}", blocks - 1))] {
            let mut files = files.clone();
            files.insert("schedule.json".to_owned(), text.replace(&line, &instead).into_bytes());
            let spec_text = String::from_utf8(files["spec.fab"].clone()).unwrap();
            verify::directory(&resigned(files, &spec_text, &[]), &compiled.fabric, &spec_text).unwrap_err();
        }
        // Nothing but the last block is spare, and blocks of another size are none.
        check::verify_replaceable(topology, (size, blocks)).unwrap();
        for other in [(size * blocks, 1), (size / 2, blocks * 2), (0, 0)] {
            check::verify_replaceable(topology, other).unwrap_err();
        }
    }
    // Where links between blocks go in the order of the groups, no rotation keeps them.
    let (compiled, _) = built(&spec(
        "dragonfly { a = 3; h = 2; g = 5; spare = 1; arrangement = consecutive; }",
        "",
        "collective a = all_gather { size = 10 KiB; }",
    ));
    assert_eq!(compiled.fabric.failover(), None);
    check::verify_replaceable(&compiled.topology, (3, 5)).unwrap_err();
    let (compiled, _) = built(&spec(
        "dragonfly { a = 3; h = 1; arrangement = palmtree; }",
        "",
        "collective a = all_gather { size = 10 KiB; }",
    ));
    check::verify_replaceable(&compiled.topology, (3, 4)).unwrap_err();
}

/// Files with a manifest that names what they are now.
fn resigned(mut files: check::Files, spec_text: &str, options: &[(String, String)]) -> check::Files {
    files.remove("manifest.json");
    let lines: Vec<ManifestEntry> =
        files.iter().map(|(path, bytes)| ManifestEntry::for_file(path, bytes)).collect();
    let manifest = manifest_json(TOOL, "rested", spec_text, ContractState::Kept, options, &lines);
    files.insert("manifest.json".to_owned(), manifest.into_bytes());
    files
}

#[test]
fn binary_plans_say_the_same() {
    let (compiled, files) =
        built(&spec("dragonfly { a = 3; h = 1; arrangement = palmtree; }", "deskew = 1 ms;", EVERY));
    let spec_text = String::from_utf8(files["spec.fab"].clone()).unwrap();
    let options = [("tables".to_owned(), "binary".to_owned())];
    let binary: check::Files = emit::artifacts(&compiled, &spec_text, &options)
        .into_iter()
        .map(|artifact| (artifact.path, artifact.bytes))
        .collect();
    assert!(binary.contains_key("schedule.bin") && !binary.contains_key("schedule.json"));
    assert!(binary["schedule.bin"].len() * 3 < files["schedule.json"].len());
    verify::directory(&binary, &compiled.fabric, &spec_text).unwrap_or_else(|errors| panic!("{errors:?}"));
    // Both beside each other, one of them under the other's option, and every byte of the body.
    let judged = |files: check::Files, options: &[(String, String)]| {
        verify::directory(&resigned(files, &spec_text, options), &compiled.fabric, &spec_text)
    };
    let mut both_files = binary.clone();
    both_files.insert("schedule.json".to_owned(), files["schedule.json"].clone());
    judged(both_files, &options).unwrap_err();
    judged(binary.clone(), &[]).unwrap_err();
    judged(files.clone(), &options).unwrap_err();
    let body = binary["schedule.bin"].iter().position(|&byte| byte == b'\n').unwrap() + 1;
    for index in (0..body - 1).step_by(7).chain((body..binary["schedule.bin"].len()).step_by(11)) {
        let mut files = binary.clone();
        files.get_mut("schedule.bin").unwrap()[index] ^= 1;
        assert!(judged(files, &options).is_err(), "byte {index} is not looked at");
    }
}
