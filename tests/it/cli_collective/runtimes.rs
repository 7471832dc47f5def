//! Programs of boxes of GPUs for the runtimes of others, from outside: written, verified, refused.

use super::boxes_with;
use crate::support::command::fabc;
use crate::support::plain;
use serde_json::Value;
use std::path::Path;

/// What is said of an all-gather with one part of a shard. Every GPU gets seven shards, and sends as many:
/// six of them to the switch of its box, and its own to its rail.
const PLAN_OF_BOXES: &str = "\
verified a.json (fabc_net_all_gather_forest) on out/net/topology.json: allgather, 8 gpus, 8 chunks
  at most 8 thread blocks of 12 operations, 320 operations in all
  96 memory channels and 16 port channels signal; 32 pairs over 16 channels, up to 3 share one, and its bandwidth
  56 chunks moved, 6 by the busiest channel
  nothing waits forever, and signals order all that is read and written
  every gpu gets what it should, out of place
";

fn verified(place: &Path, file: &str, code: i32) -> (String, String) {
    fabc(place, &["verify", "--collective", file, "--topology", "out/net/topology.json"], code)
}

#[test]
fn boxes_have_programs_of_both_runtimes() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("fabric.fab"), boxes_with("")).unwrap();
    fabc(place.path(), &["build", "fabric.fab", "-q"], 0);
    let collective = |more: &[&str], code: i32| {
        fabc(place.path(), &[&["collective", "out/net", "--size", "1MiB"], more].concat(), code)
    };
    for (name, root) in [
        ("all_gather", None),
        ("reduce_scatter", None),
        ("all_reduce", None),
        ("all_to_all", None),
        ("broadcast", Some("3")),
        ("reduce", Some("box1.gpu1")),
    ] {
        let root: Vec<&str> = root.into_iter().flat_map(|root| ["--root", root]).collect();
        let emit = ["--collective", name, "--emit", "msccl=a.xml,mscclpp=a.json"];
        collective(&[&emit[..], &root].concat(), 0);
        for (file, words) in [("a.xml", "thread blocks of"), ("a.json", "port channels signal")] {
            let (text, _) = verified(place.path(), file, 0);
            assert!(text.contains(words) && text.contains("every gpu gets what it should"), "{name}: {text}");
        }
    }
    collective(&["--collective", "all_gather", "--chunks", "1", "--emit", "mscclpp=a.json"], 0);
    let (text, _) = verified(place.path(), "a.json", 0);
    assert_eq!(text, PLAN_OF_BOXES);
    let (json, _) = plain::fabc(
        place.path(),
        &["verify", "--collective", "a.json", "--topology", "out/net/topology.json", "--json"],
        0,
    );
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["gpus"], &json["judged"]), (&Value::from(8), &Value::from("result")), "{json}");
    // A changed plan is convicted, one without a key is unreadable.
    let text = std::fs::read_to_string(place.path().join("a.json")).unwrap();
    std::fs::write(place.path().join("b.json"), text.replacen("\"put\"", "\"get\"", 1)).unwrap();
    let (_, error) = verified(place.path(), "b.json", 3);
    assert!(error.contains("FAB0429"), "{error}");
    std::fs::write(place.path().join("b.json"), text.replacen("\"inplace\"", "\"place\"", 1)).unwrap();
    let (_, error) = verified(place.path(), "b.json", 1);
    assert!(error.contains("FAB0418") && error.contains("missing field `inplace`"), "{error}");
    // Messages follow one path per pair, and there are groups of next hops.
    let (_, error) = collective(&["--collective", "all_to_all", "--algorithm", "direct"], 2);
    assert!(error.contains("FAB0576") && error.contains("`direct` follows one path per pair"), "{error}");
}
