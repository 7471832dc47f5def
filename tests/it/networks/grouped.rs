//! Collectives in groups of chips, each group by itself: known answers, every kind, and plans that were
//! tampered with.

use super::builds::built;
use fabc::ids::NodeId;
use fabc::ir::{CollectiveBound, Scene, Schedule, Timed, Transfers};
use fabc::random::Stream;
use fabc::{check, verify};

fn spec(topology: &str, rest: &str) -> String {
    format!(
        "fabric grouped {{ clock = 900 MHz; link wire {{ bandwidth = 100 Gbps; latency = 217 cycles; }}
        router {{ radix = 7; hosts = 0; vcs = 1; flit = 328 B; buffer = 0 flits; latency = 433 cycles; }}
        topology = {topology}; routing = scheduled {{ vector = 320 B; }} {rest} }}"
    )
}

/// All kinds that have groups, in groups of so many.
fn every(size: u32) -> String {
    format!(
        "collective a = all_to_all {{ size = 4 KiB; groups = {size}; }} collective b = all_gather {{ size = 5 KiB; groups = {size}; }}
        collective c = reduce_scatter {{ size = 5 KiB; groups = {size}; }}
        collective d = all_reduce {{ size = 9 KiB; groups = {size}; }} collective e = all_gather {{ size = 5 KiB; after = d; }}"
    )
}

#[test]
fn groups_do_it_by_themselves() {
    // Groups of four that are all joined behave as four chips alone. Only the bounds differ: vectors might
    // also come over the channels between groups. 10 vectors from each of 3 chips come over 5 channels in
    // place of 3.
    let rest = "collective a = all_to_all { size = 1280 B; groups = 4; }
        collective b = all_gather { size = 12800 B; groups = 4; after = a; }
        collective c = reduce_scatter { size = 12800 B; groups = 4; after = b; }
        collective d = all_reduce { size = 320 B; groups = 4; after = c; }
        require a.time == 650 cycles; require b.time == 866 cycles; require c.time == 866 cycles; require d.time == 650 cycles;
        require a.share == 1; require b.share >= 0.889; require c.share >= 0.889; require d.share == 1;";
    let (compiled, files) = built(&spec("dragonfly { a = 4; h = 2; g = 9; arrangement = palmtree; }", rest));
    let broken: Vec<String> = compiled
        .requires
        .iter()
        .filter(|require_outcome| require_outcome.holds() != Some(true))
        .map(|require_outcome| require_outcome.require.text())
        .collect();
    assert!(broken.is_empty(), "{broken:?}");
    for result in &compiled.collectives {
        let outcome = result.nominal().unwrap();
        assert_eq!((outcome.row.chips, outcome.schedule.timed().unwrap().groups), (4, 9));
    }
    let text = String::from_utf8(files["schedule.json"].clone()).unwrap();
    assert_eq!(text.matches("\"groups\":9,").count(), 4);
}

#[test]
fn whatever_is_changed_in_a_group_is_convicted() {
    let mut draw = Stream::new(11, 0);
    for (topology, size) in [
        ("torus 4 x 4", 4),
        ("torus 4 x 4", 8),
        ("levels { level 3 over wire; level 4 joined 1 over wire { ports = 1; } }", 6),
    ] {
        let (compiled, _) = built(&spec(topology, &every(size)));
        let scene = Scene::healthy(&compiled.topology);
        for result in &compiled.collectives[..4] {
            let schedule = &result.nominal().unwrap().schedule;
            let timed = schedule.timed().unwrap();
            let (name, chips) = (schedule.collective.name(), compiled.topology.node_count() as u32);
            assert_eq!(timed.groups * size, chips);
            let group = |node: NodeId| node.0 / size;
            for send in &timed.sends {
                let to =
                    compiled.topology.target(compiled.topology.outgoing(send.chip, send.port).unwrap()).node;
                assert_eq!(group(send.chip), group(to));
            }
            let changed = |change: &dyn Fn(&mut Timed)| {
                let mut tampered: Schedule = schedule.clone();
                let Transfers::Timed(timed) = &mut tampered.transfers else { panic!("vectors") };
                change(timed);
                timed.sends.sort_unstable();
                check::verify_vectors(&scene, &tampered)
            };
            for groups in [0, 1, timed.groups * 2, timed.groups + 1, chips, u32::MAX] {
                assert!(changed(&|timed| timed.groups = groups).is_err(), "{name}: {groups} groups");
            }
            for _ in 0..30 {
                let index = draw.below(timed.sends.len());
                assert!(changed(&|timed| _ = timed.sends.remove(index)).is_err(), "{name}");
                // The vector of another group, or of none.
                let bytes_each = match schedule.collective.adds_up() {
                    true => u64::from(timed.levels()) * u64::from(chips),
                    false => 1,
                };
                for further in [bytes_each, bytes_each * u64::from(schedule.chunks), u64::MAX / 2] {
                    let moved = changed(&|timed| {
                        timed.sends[index].vector = timed.sends[index].vector.wrapping_add(further)
                    });
                    assert!(moved.is_err(), "{name}: {:?} and {further}", timed.sends[index]);
                }
                assert!(changed(&|timed| timed.sends[index].vector ^= 1).is_err(), "{name}");
                assert!(changed(&|timed| timed.sends[index].cycle = timed.end).is_err(), "{name}");
            }
            // Bounds count members alone.
            for position in 0..schedule.bounds.len() {
                let mut tampered = schedule.clone();
                let CollectiveBound::Latency { shards, .. } = &mut tampered.bounds[position] else {
                    panic!("{:?}", tampered.bounds)
                };
                *shards += 1;
                assert!(check::verify_vectors(&scene, &tampered).is_err(), "{name}: {:?}", tampered.bounds);
            }
        }
    }
}

#[test]
fn a_directory_of_other_groups_is_convicted() {
    let (compiled, files) = built(&spec("torus 4 x 4", &every(4)));
    let (other, _) = built(&spec("torus 4 x 4", &every(8)));
    let spec_text = String::from_utf8(files["spec.fab"].clone()).unwrap().replace("groups = 4", "groups = 8");
    let mut files = files;
    files.insert("spec.fab".to_owned(), spec_text.clone().into_bytes());
    let errors = verify::directory(&files, &other.fabric, &spec_text).unwrap_err();
    assert!(
        errors.iter().any(|error| error.to_string().contains("are not 4 groups")) || errors.len() > 1,
        "{errors:?}"
    );
    assert_eq!(compiled.collectives.len(), 5);
}

#[test]
fn bandwidth_is_drawn_over_size() {
    let send = |name: &str, size: u32, rest: &str| {
        format!("collective {name} = send {{ from = 0; to = 1; size = {size} B; {rest} }}")
    };
    let rest = [
        send("a", 320, ""),
        send("b", 65_600, "after = a;"),
        send("c", 320, "paths = minimal; after = b;"),
        send("d", 65_600, "paths = minimal; after = c;"),
        "collective e = all_reduce { size = 320 B; after = d; }".to_owned(),
    ];
    let (_, files) = built(&spec("hyperx 8", &rest.concat()));
    let page = String::from_utf8(files["report.html"].clone()).unwrap();
    assert!(page.contains("The bandwidth of send from 0 to 1 over size; every point is a plan of its own"));
    // 320 B in 650 cycles, 65,600 B in 1900 or over the direct channel alone in 5546.
    for point in [
        "a, any ways, 320 B: 0.443 GB/s",
        "b, any ways, 65600 B: 31.073 GB/s",
        "c, ways of fewest hops, 320 B: 0.443 GB/s",
        "d, ways of fewest hops, 65600 B: 10.645 GB/s",
    ] {
        assert!(page.contains(&format!("<title>{point}</title>")), "{point}");
    }
    // One size is no line.
    assert!(!page.contains("bandwidth of all_reduce"));
}
