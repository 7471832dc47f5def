//! `fabc plan`, driven from outside: exit codes, errors, JSON, and patches that turn the live configuration
//! into the new one.

use crate::support::command;
use crate::support::spec_text;
use command::fabc;
use serde_json::Value;
use spec_text::SpecText;
use std::collections::BTreeMap;
use std::path::Path;

/// A directory with the pods `one` and `two`, built as far as their switches.
fn workplace() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    for (name, seed) in [("one", 1), ("two", 2)] {
        std::fs::write(
            place.path().join("pod.fab"),
            SpecText::configurable(&format!("synthesize {{ symmetry = none; seed = {seed}; }}")).text(),
        )
        .unwrap();
        fabc(place.path(), &["build", "pod.fab", "--until", "analyze", "-q", "--out", name], 0);
    }
    place
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
        .expect("JSON")
}

/// Applies the operations of RFC 6902 that a plan uses. Panics where the RFC demands an error, and where an
/// add would replace something.
fn apply(document: &mut Value, patch: &Value) {
    for operation in patch.as_array().expect("a patch is a list") {
        let (parent, key) = operation["path"].as_str().unwrap().rsplit_once('/').unwrap();
        let object =
            document.pointer_mut(parent).and_then(Value::as_object_mut).expect("the parent is there");
        match operation["op"].as_str().unwrap() {
            "remove" => assert!(object.remove(key).is_some(), "{key} is not there"),
            "add" => {
                let ports = |value: &Value| [value["a_side"].clone(), value["b_side"].clone()];
                let new = ports(&operation["value"]);
                assert!(
                    !object.values().any(|old| ports(old).iter().zip(&new).any(|(old, new)| old == new)),
                    "{key}: a port is taken"
                );
                assert!(
                    object.insert(key.to_owned(), operation["value"].clone()).is_none(),
                    "{key} is there already"
                );
            }
            other => panic!("{other}"),
        }
    }
}

#[test]
fn patches_turn_the_live_configuration_into_the_new_one() {
    let place = workplace();
    let (text, _) =
        fabc(place.path(), &["plan", "two/pod", "--live", "one/pod/ocs.json", "--patch", "patches"], 2);
    assert!(text.starts_with("pod: ") && text.contains("the pod is connected after every step"), "{text}");
    // The file of a switch stands in the normal form, and is verified.
    let built = |path: &str| std::fs::read_to_string(place.path().join("one/pod").join(path)).unwrap();
    assert!(
        built("spec.fab").contains("config_db = hld;")
            && built("ocs/Y_0.config_db.json").contains("\"state\":\"normal\"")
    );
    assert!(built("ocs/Z_0.config_db.json").contains("\"config_status\":\"normal\""));
    fabc(place.path(), &["verify", "one/pod"], 0);
    let configs = |pod: &str| -> BTreeMap<String, Value> {
        let folder = place.path().join(pod).join("pod/ocs");
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries
            .map(|path| {
                (path.file_name().unwrap().to_string_lossy().replace(".config_db.json", ""), json(&path))
            })
            .collect()
    };
    let (mut live, new) = (configs("one"), configs("two"));
    let mut patches: Vec<_> =
        std::fs::read_dir(place.path().join("patches")).unwrap().map(|entry| entry.unwrap().path()).collect();
    patches.sort();
    assert!(patches.len() >= 4);
    for path in &patches {
        let name = path.file_name().unwrap().to_string_lossy().replace(".patch.json", "");
        let (_, stem) = name.split_once('-').expect("a number and a switch");
        apply(live.get_mut(stem).expect("a switch"), &json(path));
    }
    assert_eq!(live, new);

    // The same patches stand in the JSON, and a new plan replaces the old patches.
    let (out, _) = fabc(
        place.path(),
        &["plan", "two/pod", "--live", "one/pod/ocs.json", "--json", "--patch", "patches"],
        2,
    );
    let plan: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(plan["format"], "fabc.plan/1");
    let groups = plan["groups"].as_array().unwrap();
    assert_eq!(
        groups.iter().map(|group| group["patch"].clone()).collect::<Vec<_>>(),
        patches.iter().map(|path| json(path)).collect::<Vec<_>>()
    );
    let steps: Vec<u64> = groups
        .iter()
        .flat_map(|group| group["steps"].as_array().unwrap())
        .map(|step| step["step"].as_u64().unwrap())
        .collect();
    assert_eq!(
        steps,
        (1..=plan["removed"].as_u64().unwrap() + plan["added"].as_u64().unwrap()).collect::<Vec<_>>()
    );
    fabc(place.path(), &["plan", "two/pod", "--live", "two/pod", "--patch", "patches"], 0);
    assert_eq!(std::fs::read_dir(place.path().join("patches")).unwrap().count(), 0);
}

#[test]
fn a_folder_of_switch_configurations_says_the_same_as_the_file() {
    let place = workplace();
    let (from_file, _) = fabc(place.path(), &["plan", "two/pod", "--live", "one/pod/ocs.json"], 2);
    assert_eq!(fabc(place.path(), &["plan", "two/pod", "--live", "one/pod/ocs"], 2).0, from_file);
    assert_eq!(fabc(place.path(), &["plan", "two/pod", "--live", "one/pod"], 2).0, from_file);
    assert!(
        fabc(place.path(), &["plan", "two/pod", "--live", "two/pod/ocs"], 0).0.contains("nothing to change")
    );
    let config = place.path().join("one/pod/ocs/X.config_db.json");
    let text = std::fs::read_to_string(&config).unwrap();
    // One direction of a pair of fibers is gone.
    let mut one_way: Value = serde_json::from_str(&text).unwrap();
    let key = one_way["OCS_CROSS_CONNECT"].as_object().unwrap().keys().next().unwrap().clone();
    one_way["OCS_CROSS_CONNECT"].as_object_mut().unwrap().remove(&key);
    std::fs::write(&config, one_way.to_string()).unwrap();
    let (_, err) = fabc(place.path(), &["plan", "two/pod", "--live", "one/pod/ocs"], 1);
    assert!(err.contains("FAB0531") && err.contains("no cross-connect leads back"), "{err}");
    std::fs::remove_file(&config).unwrap();
    assert!(
        fabc(place.path(), &["plan", "two/pod", "--live", "one/pod/ocs"], 1)
            .1
            .contains("the OCS `X` is missing")
    );
    std::fs::write(place.path().join("one/pod/ocs/Q.config_db.json"), &text).unwrap();
    assert!(
        fabc(place.path(), &["plan", "two/pod", "--live", "one/pod/ocs"], 1)
            .1
            .contains("no OCS with the file name `Q`")
    );
}

#[test]
fn what_does_not_fit_has_a_code_and_a_place() {
    let place = workplace();
    let good = std::fs::read_to_string(place.path().join("two/pod/ocs.json")).unwrap();
    let change = |from: &str, new: &str| {
        assert!(good.contains(from), "{from} in {good}");
        good.replacen(from, new, 1)
    };
    let first_pair = &good[good.find("\"cross_connects\":[[").unwrap() + 18..][..5];
    let cases = [
        (String::new(), "EOF while parsing"),
        ("{}".to_owned(), "missing field"),
        ("[1, 2".to_owned(), "line 1 column"),
        (change("fabc.ocs/1", "fabc.ocs/9"), "its format is `fabc.ocs/9`"),
        (
            change("\"name\":\"X\"", "\"name\":\"Q\""),
            "at `ocs[1].name`: it sets the OCS `Q`, which the spec does not declare",
        ),
        (change("\"name\":\"X\"", "\"name\":\"W\""), "it sets the OCS `W` twice"),
        (change("cube0.+x[0,0]", "cube9.+x[0,0]"), "`cube9.+x[0,0]` is not wired to this switch"),
        (change(first_pair, &format!("{first_pair},{first_pair}")), "is in two cross-connects"),
        (
            change(first_pair, "[0,99]"),
            "at `ocs[0].cross_connects[0]`: W: cross-connect [0, 99] names port 99",
        ),
        (
            good.lines().filter(|line| !line.contains("\"name\":\"X\"")).collect::<Vec<_>>().join("\n"),
            "the OCS `X` is missing",
        ),
    ];
    for (text, says) in cases {
        std::fs::write(place.path().join("live.json"), &text).unwrap();
        let (out, err) = fabc(place.path(), &["plan", "two/pod", "--live", "live.json"], 1);
        assert!(
            err.contains("error[FAB0531]: `live.json` does not fit") && err.contains(says) && out.is_empty(),
            "{says}: {err}"
        );
    }
    std::fs::write(place.path().join("live.json"), b"\xff").unwrap();
    assert!(fabc(place.path(), &["plan", "two/pod", "--live", "live.json"], 1).1.contains("FAB0531"));
    assert!(fabc(place.path(), &["plan", "two/pod", "--live", "nowhere.json"], 1).1.contains("FAB0501"));
    // A folder without settings, a directory that was not built, patches where something else is.
    assert!(fabc(place.path(), &["plan", "two/pod", "--live", "."], 1).1.contains("neither an `ocs.json`"));
    assert!(fabc(place.path(), &["plan", ".", "--live", "one/pod"], 1).1.contains("FAB0510"));
    assert!(
        fabc(place.path(), &["plan", "two/pod", "--live", "one/pod", "--patch", "two/pod"], 1)
            .1
            .contains("FAB0504")
    );
    assert!(place.path().join("two/pod/ocs.json").is_file());
    fabc(place.path(), &["plan", "one/pod"], 2);
}

#[test]
fn a_pod_that_must_be_cut_is_planned_and_exits_with_3() {
    let place = tempfile::tempdir().unwrap();
    let ring = |pairs: &str| {
        let ports = |sign: char| {
            (0..3).map(|cube| format!("\"cube{cube}.{sign}x[0,0]\"")).collect::<Vec<_>>().join(",")
        };
        let (a, b) = (ports('+'), ports('-'));
        format!(
            "{{\"format\":\"fabc.ocs/1\",\"ocs\":[{{\"name\":\"X\",\"a\":[{a}],\"b\":[{b}],\"cross_connects\":{pairs}}}]}}"
        )
    };
    let text = SpecText::pod([4, 1, 1], 3)
        .named("ring")
        .without("ocs")
        .without("budget")
        .with("ocs X { couple +x[0, 0] with -x[0, 0] over fiber; ports = 16; }")
        .with("topology = cross_connects \"new.json\"; routing = up_down;")
        .text();
    std::fs::write(place.path().join("ring.fab"), text).unwrap();
    std::fs::write(place.path().join("new.json"), ring("[[0,2],[1,0],[2,1]]")).unwrap();
    std::fs::write(place.path().join("live.json"), ring("[[0,1],[1,2],[2,0]]")).unwrap();
    fabc(place.path(), &["build", "ring.fab", "-q", "--until", "analyze"], 0);
    let (out, err) = fabc(place.path(), &["plan", "out/ring", "--live", "live.json"], 3);
    insta::with_settings!({ snapshot_path => concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"), prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("plan_that_cuts", format!("{out}\n{err}"));
    });
    let (out, _) = fabc(place.path(), &["plan", "out/ring", "--live", "live.json", "--json"], 3);
    let plan: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&plan["fewest"], &plan["cuts"][0]["between"]),
        (&Value::Bool(true), &serde_json::json!(["X"]))
    );
}

#[test]
fn a_switch_that_sonic_has_no_words_for_has_no_configuration_and_no_patch() {
    let place = tempfile::tempdir().unwrap();
    for (name, seed) in [("one", 1), ("two", 2)] {
        let one_sided = SpecText::configurable(&format!("synthesize {{ symmetry = none; seed = {seed}; }}"))
            .with("ocs Y[u in 0..2] { couple any of +y[u, 1], -y[u, 1] over fiber; ports = 16; }")
            .text();
        std::fs::write(place.path().join("pod.fab"), one_sided).unwrap();
        let (_, err) = fabc(place.path(), &["build", "pod.fab", "--until", "analyze", "--out", name], 0);
        assert!(err.contains("no SONiC configuration is written for Y[0] and 1 others"), "{err}");
    }
    assert!(
        !place.path().join("one/pod/ocs/Y_0.config_db.json").exists()
            && place.path().join("one/pod/ocs/W.config_db.json").exists()
    );
    fabc(place.path(), &["verify", "one/pod"], 0);
    let (out, _) = fabc(place.path(), &["plan", "two/pod", "--live", "one/pod", "--json"], 2);
    let plan: Value = serde_json::from_str(&out).unwrap();
    for group in plan["groups"].as_array().unwrap() {
        assert_eq!(group["patch"].is_null(), group["ocs"].as_str().unwrap().starts_with('Y'), "{group}");
    }
    for (args, code) in [
        (&["plan", "two/pod", "--live", "one/pod", "--patch", "patches"][..], 1),
        (&["build", "pod.fab", "--emit", "config_db=c/"], 3),
    ] {
        let (_, err) = fabc(place.path(), args, code);
        assert!(
            err.contains("error[FAB0535]: there is no SONiC configuration of Y[0]: it has no sides"),
            "{err}"
        );
    }
    assert!(!place.path().join("patches").exists() && !place.path().join("c").exists());
}

/// One cube of four chips in four: two hosts of two chips, and six cables each.
#[test]
fn availability_is_told_of_a_pod() {
    let place = workplace();
    let fail = "host=0.002/day,cable=0.0005/day,ocs=0.001/day";
    let availability =
        |args: &[&str], code: i32| fabc(place.path(), &[&["availability", "one/pod"], args].concat(), code);
    let (text, _) = availability(&["--host-chips", "2", "--job", "3", "--fail", fail], 0);
    assert!(
        text.contains("a job of 3 of 4 cubes, 1 spare")
            && text.contains("one dark switch after the other 0."),
        "{text}"
    );
    let (printed, _) = availability(
        &["--host-chips", "2", "--job", "3", "--fail", fail, "--repair", "12h", "--restart", "0s", "--json"],
        0,
    );
    let answer: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(
        (&answer["format"], &answer["hosts"], &answer["ocses"]),
        (&"fabc.availability/1".into(), &2.into(), &6.into()),
        "{answer}"
    );
    assert_eq!(
        (&answer["measured"], &answer["throughput"]),
        (&1.into(), &serde_json::json!([1.0, 1.0, 1.0])),
        "{answer}"
    );
    // By hand: a cube is down for r / 2 / (1 + r / 2), r of two hosts and its cables.
    let rate = 2.0 * 0.002 + answer["cables"].as_f64().unwrap() * 0.0005;
    let down = |rate: f64| rate * 0.5 / (1.0 + rate * 0.5);
    let up = 1.0 - down(rate);
    let power = |base: f64, times: u32| (0..times).fold(1.0, |power, _| power * base);
    let lit = power(1.0 - down(0.001), 6);
    for (row, enough) in
        [("waiting", power(up, 3)), ("swapped", power(up, 4) + 4.0 * power(up, 3) * (1.0 - up))]
    {
        let share = answer["availability"][row][0].as_f64().unwrap();
        assert!((share - enough * lit).abs() < 1e-6, "{row}: {share}, {}", enough * lit);
    }
    for (args, words) in [
        (["--host-chips", "3", "--fail", fail], "do not divide a cube of 4 chips"),
        (["--host-chips", "2", "--fail", "host=0.1/day"], "no rate for `cable`"),
        (["--host-chips", "2", "--fail", "hosts=0.1/day"], "there is no part `hosts`"),
        (["--host-chips", "2", "--fail", "host=0.1"], "`0.1` is not a rate"),
        (["--host-chips", "2", "--fail", "host=1/day,host=2/day"], "given twice"),
    ] {
        let (_, error) = availability(&args, 2);
        assert!(error.contains("FAB0571") && error.contains(words), "{error}");
    }
    // Rates as people write small ones.
    let [plain, short] = [fail, "host=2e-3/day,cable=5e-4/day,ocs=1E-3/day"]
        .map(|fail| availability(&["--host-chips", "2", "--fail", fail], 0).0);
    assert_eq!(plain, short);
    std::fs::write(
        place.path().join("ring.fab"),
        "fabric ring { link w { bandwidth = 1 GB/s; } router { radix = 3; vcs = 2; } topology = torus (4); }",
    )
    .unwrap();
    fabc(place.path(), &["build", "ring.fab", "-q"], 0);
    let (_, error) =
        fabc(place.path(), &["availability", "out/ring", "--host-chips", "1", "--fail", fail], 2);
    assert!(
        error.contains("FAB0571") && error.contains("a network has no cubes that could be swapped"),
        "{error}"
    );
    let (_, error) = availability(&["--host-chips", "2", "--fail", fail, "--job", "5"], 2);
    assert!(error.contains("the pod has 4 cubes") || error.contains("a job of 5 cubes"), "{error}");
    let (_, error) = availability(&["--host-chips", "2", "--fail", fail, "--repair", "soon"], 2);
    assert!(error.contains("is not a time"), "{error}");
}
