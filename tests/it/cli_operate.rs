//! `fabc operate`, driven from outside: results, files, their verification, and errors.

use crate::support::plain;
use plain::{fabc, files};
use serde_json::Value;
use std::path::Path;

/// Rates that give a small pod some failures a week.
const FAIL: &str = "host=0.01/day,cable=0.001/day,ocs=0.02/day";

fn snapshot(name: &str, text: &str) {
    insta::with_settings!({ snapshot_path => concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"), prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, text);
    });
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The specification of small pods in slices, with another name, and built as `out/NAME`.
fn slices() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let spec = concat!(env!("CARGO_MANIFEST_DIR"), "/specs/small_slices.fab");
    std::fs::copy(spec, place.path().join("pod.fab")).unwrap();
    fabc(place.path(), &["build", "pod.fab", "-q"], 0);
    place
}

/// Runs `fabc operate out/small_slices` for two years, with more options.
fn operate(place: &Path, more: &[&str], code: i32) -> (String, String) {
    let words = ["operate", "out/small_slices", "--years", "2", "--fail", FAIL, "--host-chips", "4"];
    fabc(place, &[&words[..], more].concat(), code)
}

#[test]
fn years_are_played_written_and_played_again() {
    let place = slices();
    let place = place.path();
    let policies = [
        "--policy",
        "spare = [2, 0]; cables = [swap, around]",
        "--policy",
        "swap = at_night; faults = 0",
        "--seeds",
        "3",
    ];
    let (text, _) = operate(place, &[&policies[..], &["--out", "years"]].concat(), 0);
    snapshot("operate_small_slices", text.split("\nwrote ").next().unwrap());
    let played = json(&place.join("years/operate.json"));
    let results = played["policies"].as_array().unwrap();
    assert_eq!(results.len(), 5);
    for result in results {
        // Everything adds up, and the months to the capacity.
        let lost: f64 =
            result["lost"].as_object().unwrap().values().map(|lost| lost["mean"].as_f64().unwrap()).sum();
        let capacity = result["capacity"]["mean"].as_f64().unwrap();
        assert!((capacity + lost - 1.0).abs() < 1e-5, "{result}");
        let months = |key: &str| -> Vec<f64> {
            result[key].as_array().unwrap().iter().map(|share| share.as_f64().unwrap()).collect()
        };
        let (low, median, high) = (months("low"), months("median"), months("high"));
        assert_eq!((low.len(), median.len(), high.len()), (24, 24, 24));
        assert!(
            low.iter().zip(&median).zip(&high).all(|((low, median), high)| low <= median && median <= high)
        );
        assert_eq!(result["worst"]["capacity"].as_f64(), low.iter().copied().reduce(f64::min), "{result}");
    }
    // The command prints what it writes, and nothing depends on the number of threads.
    let (one, _) = operate(place, &[&policies[..], &["--json", "--threads", "1"]].concat(), 0);
    let (four, _) = operate(place, &[&policies[..], &["--json", "--threads", "4"]].concat(), 0);
    let written = std::fs::read_to_string(place.join("years/operate.json")).unwrap();
    assert_eq!((one.trim_end(), four.trim_end()), (written.trim_end(), written.trim_end()));
    let page = std::fs::read_to_string(place.join("years/index.html")).unwrap();
    let curves = |class: &str| page.matches(&format!("<path class=\"{class}\"")).count();
    assert_eq!((curves("band"), curves("middle")), (5, 5));
    assert!(page.matches("<rect class=\"lost\"").count() > 5 && !page.contains("NaN"), "{page}");

    let verify = ["verify", "out/small_slices", "--operate", "years"];
    let (verified, _) = fabc(place, &verify, 0);
    assert!(verified.contains("2 years, 3 seeds, 5 policies played again"), "{verified}");
    // Any other byte is convicted: a result, a curve, an input.
    let files = files(&place.join("years"));
    for (file, from, to) in [
        ("operate.json", "\"swaps\":", "\"swaps\":1"),
        ("operate.json", "\"seeds\":3", "\"seeds\":2"),
        ("operate.json", "\"host\":0.01,", "\"host\":0.02,"),
        ("operate.json", "\"format\":\"fabc.operate/1\"", "\"format\":\"fabc.operate/2\""),
        ("index.html", "<svg", "<svg "),
    ] {
        let text = String::from_utf8(files[Path::new(file)].clone()).unwrap();
        std::fs::write(place.join("years").join(file), text.replacen(from, to, 1)).unwrap();
        assert!(text.contains(from), "{from}");
        let (_, error) = fabc(place, &verify, 3);
        assert!(error.contains("FAB0420"), "{from}: {error}");
        std::fs::write(place.join("years").join(file), text).unwrap();
    }
    // Another build, and a folder without them.
    fabc(place, &["place", "out/small_slices", "--remove", "serve-1", "--out", "placed"], 0);
    let (_, error) = fabc(place, &["verify", "placed", "--operate", "years"], 3);
    assert!(error.contains("it is of another build than `placed`"), "{error}");
    let (_, error) = fabc(place, &["verify", "placed", "--operate", "out"], 2);
    assert!(error.contains("`operate.json`") && error.contains("FAB0510"), "{error}");
    // A directory with other files is left alone.
    let (_, error) = operate(place, &["--out", "placed"], 2);
    assert!(error.contains("FAB0504"), "{error}");
}

/// What is added up for a swap is what `fabc place` and `fabc plan` print for it.
#[test]
fn swaps_move_what_plans_move() {
    let place = slices();
    let place = place.path();
    let spec = std::fs::read_to_string(place.join("pod.fab")).unwrap();
    let serve = spec.find("    slice serve").unwrap();
    std::fs::write(place.join("one.fab"), format!("{}}}", &spec[..serve].replace("small_slices", "one")))
        .unwrap();
    fabc(place, &["build", "one.fab", "-q"], 0);
    let mut moves = Vec::new();
    for cube in ["cube0", "cube1", "cube2", "cube3"] {
        fabc(place, &["place", "out/one", "--swap", cube, "--out", "placed"], 0);
        let (plan, _) = fabc(place, &["plan", "placed", "--live", "out/one", "--json"], 2);
        let plan: Value = serde_json::from_str(&plan).unwrap();
        let groups = plan["changes"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|change| change["groups"].as_array().unwrap());
        moves.push(groups.map(|group| group["pairs"].as_array().unwrap().len() as u64).sum::<u64>());
    }
    // All cubes of this kind are alike.
    assert!(moves.iter().all(|&steps| steps == moves[0] && steps > 0), "{moves:?}");
    let fail = "host=0.02/day,cable=0/day,ocs=0/day";
    let words = ["operate", "out/one", "--years", "3", "--fail", fail, "--host-chips", "4", "--json"];
    let played: Value = serde_json::from_str(&fabc(place, &words, 0).0).unwrap();
    let policy = &played["policies"][0];
    let swaps = policy["swaps"].as_u64().unwrap();
    assert!(swaps > 50, "{policy}");
    assert_eq!(policy["moves"].as_u64().unwrap(), swaps * moves[0], "{policy}");
}

/// Losses that the symmetry takes to each other are repaired once. `fabc repair` finds the same step for all.
#[test]
fn one_repair_stands_for_its_images() {
    let place = slices();
    let place = place.path();
    let train = "out/small_slices/slices/train";
    for down in ["[0,0,0].+y", "[1,1,1].+z", "[1,0,1].+x"] {
        let repairs: Vec<Value> = (0..4)
            .map(|cube| {
                let down = format!("cube{cube}{down}");
                let words =
                    ["repair", train, "--down", &down, "--effort", "local", "--out", "repaired", "-q"];
                fabc(place, &words, 0);
                json(&place.join("repaired/repair.json"))
            })
            .collect();
        for repair in &repairs {
            assert_eq!(
                (&repair["step"], &repair["live"], &repair["load"]["nominal"]),
                (&repairs[0]["step"], &repairs[0]["live"], &repairs[0]["load"]["nominal"])
            );
            let [load, first] =
                [repair, &repairs[0]].map(|repair| repair["load"]["repaired"].as_f64().unwrap());
            assert!((load - first).abs() <= 0.1 * first, "{down}: {load} {first}");
        }
    }
}

#[test]
fn a_whole_pod_waits_for_its_own_cubes() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let spec = concat!(env!("CARGO_MANIFEST_DIR"), "/specs/small_cubes.fab");
    std::fs::copy(spec, place.join("pod.fab")).unwrap();
    fabc(place, &["build", "pod.fab", "-q"], 0);
    let words = ["operate", "out/small_cubes", "--years", "1", "--fail", FAIL, "--host-chips", "4", "--json"];
    let run = |more: &[&str]| -> Value {
        serde_json::from_str(&fabc(place, &[&words[..], more].concat(), 0).0).unwrap()
    };
    let played = run(&["--policy", "cables = [swap, around]"]);
    let [swap, around] = [0, 1].map(|index| &played["policies"][index]);
    assert_eq!((&swap["spare"], &swap["swap"]), (&0.into(), &"never".into()));
    // Routing around cables serves more, as all of its failures say.
    let difference = &around["difference"];
    assert!(difference["mean"].as_f64() > difference["half_width"].as_f64(), "{difference}");
    assert!(around["tables"]["local"].as_u64() > Some(0) && around["tables"]["not_live"] == 0, "{around}");
    // A part that nobody has on stock takes the time of its order.
    let stocked = run(&["--stock", "host=0,ocs=100", "--restock", "3days", "--repair", "12h"]);
    let [host, cable, ocs] = [0, 1, 2].map(|index| &stocked["repairs"][index]);
    assert_eq!(
        host["waited"].as_u64(),
        host["failures"].as_u64().map(|failures| failures - host["unfinished"].as_u64().unwrap())
    );
    assert_eq!(host["mean_h"]["mean"].as_f64(), Some(84.0));
    assert_eq!((cable["mean_h"]["mean"].as_f64(), cable["waited"].as_u64()), (Some(12.0), Some(0)));
    assert_eq!((ocs["longest_h"].as_f64(), ocs["waited"].as_u64()), (Some(12.0), Some(0)));
    assert!(stocked["policies"][0]["closed_form"].is_null() && !swap["closed_form"].is_null());
}

/// Errors, each as people see it.
#[test]
fn what_cannot_be_played_is_refused() {
    let place = slices();
    let place = place.path();
    let mut shown = String::new();
    let mut refuse = |directory: &str, words: &[&str], exit: i32| {
        let given = |option: &str| words.contains(&option);
        let mut all = vec!["operate", directory];
        for (option, value) in [("--fail", FAIL), ("--host-chips", "4"), ("--years", "1")] {
            if !given(option) {
                all.extend([option, value]);
            }
        }
        all.extend(words);
        let (out, error) = fabc(place, &all, exit);
        assert_eq!(out, "", "{words:?}");
        shown.push_str(&format!("$ fabc operate {directory} {}\n{error}\n", words.join(" ")));
    };
    let pod = "out/small_slices";
    for words in [
        &["--fail", "host=-1/day,cable=0/day,ocs=0/day"][..],
        &["--fail", "host=1/day,cables=0/day,ocs=0/day"],
        &["--fail", "host=2000/day,cable=0/day,ocs=0/day"],
        &["--fail", "host=1000/day,cable=0/day,ocs=0/day", "--years", "100", "--seeds", "8"],
        &["--years", "0"],
        &["--years", "101"],
        &["--years", "0.1"],
        &["--years", "ten"],
        &["--seeds", "0"],
        &["--host-chips", "3"],
        &["--repair", "soon"],
        &["--restart", "11year"],
        &["--stock", "hosts=1", "--restock", "1days"],
        &["--stock", "host=few", "--restock", "1days"],
        &["--stock", "host=1,host=2", "--restock", "1days"],
        &["--stock", "host", "--restock", "1days"],
        &["--night", "22:00"],
        &["--night", "22:00..22:00"],
        &["--night", "24:00..01:00"],
        &["--policy", "spares = 1"],
        &["--policy", "spare = 6"],
        &["--policy", "spare = some"],
        &["--policy", "swap = at_nigth"],
        &["--policy", "cables = route"],
        &["--policy", "faults = 1; faults = 2"],
        &["--policy", "spare ="],
        &[
            "--policy",
            "spare = [0, 1, 2]; faults = [0, 1, 2, 3, 4, 5, 6, 7]; cables = [swap, around]; swap = [at_once, never]",
        ],
    ] {
        refuse(pod, words, 2);
    }
    refuse("pod.fab", &[], 2);
    refuse("out/none", &[], 2);
    let ring =
        "fabric ring { link w { bandwidth = 1 GB/s; } router { radix = 3; vcs = 2; } topology = torus (4); }";
    std::fs::write(place.join("ring.fab"), ring).unwrap();
    fabc(place, &["build", "ring.fab", "-q"], 0);
    refuse("out/ring", &["--host-chips", "1"], 2);
    // A whole pod has no spare cubes, and one without tables cannot be repaired.
    let spec =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/specs/small_cubes.fab")).unwrap();
    std::fs::write(place.join("cubes.fab"), spec).unwrap();
    fabc(place, &["build", "cubes.fab", "-q", "--until", "analyze"], 0);
    refuse("out/small_cubes", &["--policy", "swap = at_once"], 2);
    refuse("out/small_cubes", &["--policy", "spare = 1"], 2);
    refuse("out/small_cubes", &[], 2);
    fabc(
        place,
        &[
            "place", pod, "--remove", "train-0", "--remove", "train-1", "--remove", "serve-0", "--remove",
            "serve-1", "--remove", "serve-2", "--out", "empty",
        ],
        0,
    );
    refuse("empty", &[], 2);
    std::fs::write(place.join("out/small_slices/slices/train/tables/nominal.json"), "{}").unwrap();
    refuse(pod, &[], 2);
    snapshot("operate_errors", &shown);
}
