//! Switches that copy and add: their bound, and the note that no schedule uses them.

use super::{json, ns, run};
use crate::support::command::fabc;

/// Boxes of eight GPUs on rails, with links of so many GB/s inside. `inner` and `leaf` are settings of the
/// switches.
fn adding_boxes(boxes: u32, inside: u32, inner: &str, leaf: &str) -> tempfile::TempDir {
    let outside = match boxes {
        1 => String::new(),
        _ => format!(
            "router leaf {{ radix = 64; latency = 0 cycles; {leaf} }} topology = rails {{ leaf = leaf; }}"
        ),
    };
    let spec = format!(
        "fabric net {{ clock = 1 GHz; link nvlink {{ bandwidth = {inside} GB/s; latency = 1 ns; }}
        link ib {{ bandwidth = 50 GB/s; latency = 1 ns; }}
        box eight {{ gpus = 8; switch nv {{ {inner} join all over nvlink; }} nics = 8 over ib; }}
        boxes = {boxes} of eight; {outside} routing = spray {{ relay = gpu; }} }}"
    );
    let spec = if boxes == 1 { spec.replace(" nics = 8 over ib;", "") } else { spec };
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("fabric.fab"), spec).unwrap();
    fabc(place.path(), &["build", "fabric.fab", "-q"], 0);
    place
}

#[test]
fn switches_that_add_have_a_bound_of_their_own() {
    let adds = "multicast = yes; reduce = yes;";
    for (boxes, inside, inner, leaf, microseconds) in [
        // 1 GiB leaves every GPU once: 1/300.
        (1, 300, adds, "", "3579.1"),
        // Only in the boxes: 2 x 3/4 over 8 x 50.
        (4, 450, adds, "", "4026.5"),
        // In the leaves, too: 1 over 8 x 50.
        (4, 450, adds, adds, "2684.4"),
    ] {
        let place = adding_boxes(boxes, inside, inner, leaf);
        let asked = ["--collective", "all_reduce", "--size", "1GiB"];
        let row = json(&place, &asked)["collectives"][0].take();
        let [bound, with_switches] = ["bound_ns", "switches_bound_ns"].map(|key| ns(&row[key]));
        assert_eq!(format!("{:.1}", with_switches / 1000.0), microseconds);
        assert_eq!(row["switches_bound"]["kind"], "partition");
        // No share counts it: the schedules add at chips.
        assert!(bound > with_switches && ns(&row["time_ns"]) >= bound, "{row}");
        let (text, _) = run(&place, &asked, 0);
        assert!(text.contains("  all_reduce of 1 GiB, with arithmetic in switches: "), "{text}");
        assert!(text.contains("  no schedule here uses that switches copy or add"), "{text}");
    }
    // Switches that only copy change no bound. That they are not used is said.
    let place = adding_boxes(1, 300, "multicast = yes;", "");
    let (text, _) = run(&place, &["--size", "1GiB", "--collective", "all_reduce"], 0);
    assert!(!text.contains("with arithmetic") && text.contains("no schedule here uses"), "{text}");
    let place = adding_boxes(1, 300, "", "");
    let (text, _) = run(&place, &["--size", "1GiB", "--collective", "all_reduce"], 0);
    assert!(!text.contains("with arithmetic") && !text.contains("no schedule here uses"), "{text}");
}
