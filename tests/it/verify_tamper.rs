//! Changed directories are errors, even if the tamperer signs them again. `every_file` makes every single
//! change of every file.

mod every_file;

use crate::support::fixture;
use crate::support::fixture::directory::{Files, sign, tamper, tamperings, write};
use crate::support::fixture::{ocs, plant_mut, pod, wire, with_pairs, without_sides};
use fabc::check::{CheckError, Extent, verify_directory};
use fabc::diag::Span;
use fabc::ids::NodeId;
use fabc::ir::{ForwardingTables, PackedTables, TableEntry};
use fabc::model::{Comparison, Fabric, Metric, Require, SwitchSettings, TopologyChoice, ValueScale};
use fabc::units::Decimal;
use miette::Diagnostic;
use serde_json::json;
use std::sync::LazyLock;

/// Four cubes of 2 x 2 x 1 behind four switches, one of which may fail.
static BUILT: LazyLock<(Fabric, Files)> = LazyLock::new(|| {
    let mut fabric = pod([2, 2, 1], 4, &[0, 1], 8, 1);
    let require = |metric, comparison, value: &str| Require {
        metric,
        subject: None,
        fault: false,
        comparison,
        value: Decimal::parse(value).unwrap(),
        scale: ValueScale::Metric,
        value_text: value.to_owned(),
        unit: fabc::model::WrittenUnit::default(),
        span: Span { start: 7, end: 12 },
        position: 0,
    };
    fabric.requires = vec![
        require(Metric::Diameter, Comparison::AtMost, "6"),
        require(Metric::DisjointTrees, Comparison::AtLeast, "4"),
    ];
    let (topology, cross_connects) = wire(&fabric, [1, 3, 0]);
    let trees = ["X[0,0]", "X[1,0]", "Y[0,0]", "Y[1,0]"].map(|name| vec![ocs(&fabric, name)]);
    let files = write(&fabric, &topology, &cross_connects, &trees);
    (fabric, files)
});

fn convict(files: &Files) -> Vec<(String, String)> {
    let errors: Vec<CheckError> =
        verify_directory(files, &BUILT.0).expect_err("the tampering goes unnoticed");
    errors
        .iter()
        .map(|error| (error.code().map(|code| code.to_string()).unwrap_or_default(), error.to_string()))
        .collect()
}

#[track_caller]
fn expect(files: &Files, code: &str, text: &str) {
    let errors = convict(files);
    assert!(
        errors.iter().any(|(error_code, message)| error_code.starts_with(code) && message.contains(text)),
        "expected {code} `{text}` among {errors:#?}"
    );
}

#[test]
fn an_untouched_directory_is_verified() {
    let (fabric, files) = &*BUILT;
    let extent = verify_directory(files, fabric).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let Extent { scenarios, routed, pairs, only_hashed, .. } = extent;
    assert_eq!((scenarios, routed, pairs), (5, 5, 5 * 16 * 15));
    assert_eq!(only_hashed, ["report.txt"]);
}

#[test]
fn switches_of_every_kind_are_verified() {
    type Change = fn(Fabric) -> Fabric;
    let kinds: [Change; 4] =
        [|fabric| fabric, with_pairs, without_sides, |fabric| with_pairs(without_sides(fabric))];
    for (kind, change) in kinds.into_iter().enumerate() {
        let fabric = change(pod([2, 2, 1], 4, &[0, 1], 8, 0));
        let (topology, cross_connects) = wire(&fabric, [1, 3, 0]);
        let files = write(&fabric, &topology, &cross_connects, &[]);
        verify_directory(&files, &fabric).unwrap_or_else(|errors| panic!("{kind}: {errors:#?}"));
        // Another kind of switch has other port names or another rule.
        let other_files = kinds[(kind + 1) % 4](fixture::pod([2, 2, 1], 4, &[0, 1], 8, 0));
        assert!(verify_directory(&files, &other_files).is_err(), "{kind}");
        let config = "ocs/X_0_0.config_db.json";
        if kind == 2 {
            // Without sides and with both directions in one fiber there is none.
            let mut invented = files.clone();
            assert!(invented.insert(config.to_owned(), b"{}".to_vec()).is_none());
            fixture::directory::sign(&mut invented);
            assert!(verify_directory(&invented, &fabric).unwrap_err()[0].to_string().starts_with(config));
            continue;
        }
        let darkened = tamper(&files, config, |value| {
            let pairs = value["OCS_CROSS_CONNECT"].as_object_mut().unwrap();
            let first = pairs.keys().next().unwrap().clone();
            pairs.remove(&first);
        });
        let errors = verify_directory(&darkened, &fabric).unwrap_err();
        assert!(errors[0].to_string().contains("OCS_CROSS_CONNECT"), "{kind}: {errors:?}");
    }
}

#[test]
fn changed_bytes_missing_and_extra_files() {
    let (_, files) = &*BUILT;
    let mut changed = files.clone();
    changed.get_mut("report.txt").unwrap()[0] ^= 1;
    expect(&changed, "FAB0420", "report.txt: was changed");
    changed.get_mut("report.txt").unwrap().push(b'!');
    expect(&changed, "FAB0420", "report.txt: has 26 bytes, but 25 are listed");
    changed.remove("report.txt");
    expect(&changed, "FAB0420", "report.txt: is listed, but it is missing");
    changed.insert("notes.txt".to_owned(), Vec::new());
    expect(&changed, "FAB0420", "notes.txt: is not listed");
    changed.remove("manifest.json");
    expect(&changed, "FAB0420", "manifest.json: is missing");
    let mut extra = files.clone();
    extra.insert("tables/fault-Z_0_0.json".to_owned(), files["tables/nominal.json"].clone());
    sign(&mut extra);
    expect(&extra, "FAB0420", "tables/fault-Z_0_0.json: belongs to no scenario");
}

#[test]
fn no_tampering_goes_unnoticed() {
    for (tampering, files, code) in tamperings(&BUILT.1) {
        let errors = convict(&files);
        assert!(
            errors.iter().any(|(error_code, _)| code.is_empty() || error_code == code),
            "{tampering}: expected {code} among {errors:#?}"
        );
    }
}

#[test]
fn named_cross_connects_must_be_the_ones_set() {
    let mut fabric = pod([2, 2, 1], 4, &[0, 1], 8, 0);
    let (topology, cross_connects) = wire(&fabric, [1, 3, 0]);
    let mut files = write(&fabric, &topology, &cross_connects, &[]);
    let text = String::from_utf8(files["ocs.json"].clone()).unwrap();
    plant_mut(&mut fabric).topology = TopologyChoice::CrossConnects {
        path: "live/ocs.json".to_owned(),
        text: text.clone(),
        settings: SwitchSettings::default(),
    };
    assert!(
        verify_directory(&files, &fabric).unwrap_err()[0].to_string().contains("inputs/ocs.json: is missing")
    );
    files.insert("inputs/ocs.json".to_owned(), text.into_bytes());
    sign(&mut files);
    verify_directory(&files, &fabric).unwrap();
    let tampered = tamper(&files, "inputs/ocs.json", |value| {
        drop(value["ocs"][1]["cross_connects"].as_array_mut().unwrap().pop())
    });
    let TopologyChoice::CrossConnects { text, .. } = &mut plant_mut(&mut fabric).topology else {
        unreachable!()
    };
    *text = String::from_utf8(tampered["inputs/ocs.json"].clone()).unwrap();
    let errors = verify_directory(&tampered, &fabric).unwrap_err();
    assert!(errors[0].to_string().contains("is in only one of inputs/ocs.json and ocs.json"), "{errors:?}");
}

#[test]
fn deleted_tables() {
    let mut files = BUILT.1.clone();
    files.remove("tables/fault-X_1_0.json");
    sign(&mut files);
    expect(&files, "FAB0420", "tables/fault-X_1_0.json: is missing");
    files.retain(|path, _| !path.starts_with("tables/"));
    sign(&mut files);
    expect(&files, "FAB0422", "ranks without tables");
}

#[test]
fn swapped_cross_connects() {
    let (_, files) = &*BUILT;
    let swap = |value: &mut serde_json::Value| {
        let pairs = &mut value["ocs"][0]["cross_connects"];
        let first = pairs[0][1].take();
        pairs[0][1] = pairs[1][1].take();
        pairs[1][1] = first;
    };
    expect(
        &tamper(files, "ocs.json", swap),
        "FAB0403",
        "X[0,0]: cube0.+x[0,0] - cube2.-x[0,0] is claimed to carry",
    );
    let only_the_switch = tamper(files, "ocs/X_0_0.config_db.json", |value| {
        let pairs = value["OCS_CROSS_CONNECT"].as_object_mut().unwrap();
        pairs.remove("1A-2B");
        pairs.insert("1A-3B".to_owned(), json!({"a_side": "1A", "b_side": "3B"}));
    });
    expect(&only_the_switch, "FAB0422", "OCS_CROSS_CONNECT.1A-3B");
    let relabelled = tamper(files, "ocs/X_0_0.config_db.json", |value| {
        value["OCS_PORT"]["1A"]["label"] = json!("cube1.+x[0,0]")
    });
    expect(&relabelled, "FAB0422", "OCS_PORT.1A");
    // A file that the other release of SONiC reads.
    let of_the_design = tamper(files, "ocs/X_0_0.config_db.json", |value| {
        let port = value["OCS_PORT"]["1A"].as_object_mut().unwrap();
        let state = port.remove("config_status").unwrap();
        port.insert("state".to_owned(), state);
    });
    expect(&of_the_design, "FAB0422", "must be `cube0.+x[0,0]` with the config_status `normal`");
}

#[test]
fn changed_table_entries() {
    let (_, files) = &*BUILT;
    let nominal = "tables/nominal.json";
    let turned = tamper(files, nominal, |value| {
        let port = &mut value["routers"][0]["entries"][0][3];
        *port = json!((port.as_u64().unwrap() + 1) % 4);
    });
    assert!(!convict(&turned).is_empty());
    let other_vc = tamper(files, nominal, |value| value["routers"][1]["entries"][0][4] = json!(7));
    assert!(!convict(&other_vc).is_empty());
    let dropped = tamper(files, "tables/fault-Y_0_0.json", |value| {
        drop(value["routers"][2]["entries"].as_array_mut().unwrap().remove(3))
    });
    expect(&dropped, "FAB0410", "Y[0,0]: ");
    let lengthened = tamper(files, nominal, |value| {
        value["routers"][0]["entries"][0].as_array_mut().unwrap().push(json!(0))
    });
    expect(&lengthened, "FAB0421", "tables/nominal.json: cannot be read");
}

#[test]
fn every_changed_entry_of_a_table_is_noticed() {
    let (_, files) = &*BUILT;
    let value: serde_json::Value = serde_json::from_slice(&files["tables/nominal.json"]).unwrap();
    let count = value["routers"][0]["entries"].as_array().unwrap().len();
    for k in 0..count {
        for field in 0..5 {
            let changed = tamper(files, "tables/nominal.json", |value| {
                let number = &mut value["routers"][0]["entries"][k][field];
                *number = json!(number.as_i64().unwrap() + 1);
            });
            convict(&changed);
        }
    }
}

#[test]
fn wrong_proofs() {
    let (_, files) = &*BUILT;
    let path = "certificates.json";
    expect(
        &tamper(files, path, |value| value["scenarios"][0]["ranks"][1] = json!(0)),
        "FAB0414",
        "nominal: the proof of deadlock freedom is wrong",
    );
    let leaky = tamper(files, path, |value| value["flow"]["flows"][0]["units"][0] = json!(99));
    expect(&leaky, "FAB0408", "of the flow from node 0");
    expect(
        &tamper(files, path, |value| value["flow"]["busiest"] = json!(1)),
        "FAB0408",
        "the busiest link is claimed to carry 1",
    );
    let longer = tamper(files, path, |value| value["scenarios"][0]["lengths"][0] = json!(5));
    expect(&longer, "FAB0423", "`metrics.concurrent_flow[1]`");
    expect(
        &tamper(files, path, |value| value["trees"][1][0] = json!("X[0,0]")),
        "FAB0409",
        "X[0,0] is in set 0 and in set 1",
    );
    let forgotten = tamper(files, path, |value| drop(value["scenarios"].as_array_mut().unwrap().pop()));
    expect(&forgotten, "FAB0422", "`Y[1,0]` is missing");
}

#[test]
fn a_wrong_symmetry() {
    let (_, files) = &*BUILT;
    let without = tamper(files, "topology.json", |value| value["symmetry"]["generators"] = json!([]));
    expect(&without, "FAB0422", "canonical");
    let tampered = tamper(files, "topology.json", |value| {
        let images = value["symmetry"]["generators"][0].as_array_mut().unwrap();
        images.swap(0, 4);
    });
    expect(&tampered, "FAB0422", "symmetry.generators[0]");
    let swapped: Vec<u32> =
        [1, 0, 3, 2].iter().flat_map(|cube| (0..4).map(move |chip| cube * 4 + chip)).collect();
    expect(
        &tamper(files, "topology.json", |value| value["symmetry"]["generators"] = json!([swapped])),
        "FAB0404",
        "maps link",
    );
    let endless: Vec<u32> =
        [1, 0, 2, 3].iter().flat_map(|cube| (0..4).map(move |chip| cube * 4 + chip)).collect();
    expect(
        &tamper(files, "topology.json", |value| value["symmetry"]["generators"] = json!([endless])),
        "FAB0404",
        "leaves cube2 in place",
    );
}

#[test]
fn a_changed_topology() {
    let (_, files) = &*BUILT;
    let path = "topology.json";
    expect(&tamper(files, path, |value| value["nodes"][3]["cube"] = json!(1)), "FAB0422", "`nodes[3]`");
    expect(&tamper(files, path, |value| value["links"][0]["b"] = json!([0, 9])), "FAB0422", "`links[0].b`");
    expect(
        &tamper(files, path, |value| drop(value["links"].as_array_mut().unwrap().pop())),
        "FAB0402",
        "the copper link from cube3[0,1,0].+x",
    );
    expect(
        &tamper(files, path, |value| value["format"] = json!("fabc.topology/2")),
        "FAB0421",
        "its format is `fabc.topology/2`",
    );
}

#[test]
fn wrong_numbers_in_the_report() {
    let (_, files) = &*BUILT;
    let value: serde_json::Value = serde_json::from_slice(&files["report.json"]).unwrap();
    // Every number of the report, one after the other.
    let mut places = Vec::new();
    let mut open = vec![(String::new(), &value)];
    while let Some((place, value)) = open.pop() {
        match value {
            serde_json::Value::Object(object) => {
                open.extend(object.iter().map(|(key, value)| (format!("{place}/{key}"), value)))
            }
            serde_json::Value::Array(list) => {
                open.extend(list.iter().enumerate().map(|(k, value)| (format!("{place}/{k}"), value)))
            }
            serde_json::Value::Null => {}
            _ => places.push(place),
        }
    }
    assert!(places.len() > 100);
    for place in places {
        let changed = tamper(files, "report.json", |value| {
            let value = value.pointer_mut(&place).unwrap();
            *value = match (value.as_u64(), value.as_f64(), value.as_bool()) {
                (Some(integer), ..) => json!(integer + 1),
                (_, Some(number), _) => json!(number * 1.0001),
                (.., Some(truth)) => json!(!truth),
                _ => json!("another text"),
            };
        });
        let errors = convict(&changed);
        assert!(errors.iter().all(|(code, _)| code == "FAB0423"), "{place}: {errors:?}");
    }
    let more = tamper(files, "report.json", |value| value["metrics"]["beauty"] = json!(1));
    expect(&more, "FAB0423", "`metrics.beauty`");
}

#[test]
fn a_broken_require_is_a_conviction() {
    let (fabric, files) = &*BUILT;
    let mut fabric = fabric.clone();
    fabric.requires[0].value = Decimal::parse("1").unwrap();
    fabric.requires[0].value_text = "1".to_owned();
    let honest = tamper(files, "report.json", |value| {
        value["requires"][0]["require"] = json!("diameter <= 1");
        value["requires"][0]["holds"] = json!(false);
    });
    let errors = verify_directory(&honest, &fabric).unwrap_err();
    assert_eq!(errors.len(), 1);
    assert!(
        errors[0].to_string().starts_with("`require diameter <= 1` does not hold: measured "),
        "{}",
        errors[0]
    );
}

#[test]
fn garbage_never_panics() {
    let (fabric, files) = &*BUILT;
    for path in files.keys().filter(|path| path.ends_with(".json")) {
        for garbage in
            ["", "{", "[]", "null", "{\"format\":1}", "\u{1F980}", "{\"OCS_PORT\":{\"1A\":{},\"1A\":{}}}"]
        {
            let mut files = files.clone();
            files.insert(path.clone(), garbage.as_bytes().to_vec());
            assert!(verify_directory(&files, fabric).is_err(), "{path}: {garbage}");
        }
        // Every value of the document, replaced by others.
        let value: serde_json::Value = serde_json::from_slice(&files[path]).unwrap();
        let Some(object) = value.as_object() else { continue };
        for key in object.keys() {
            for junk in [
                json!(null),
                json!(-1),
                json!(u64::MAX),
                json!([]),
                json!({}),
                json!("x"),
                json!([[u32::MAX, 0], [0, 0]]),
            ] {
                let mut value = value.clone();
                value[key] = junk;
                let mut files = files.clone();
                files.insert(path.clone(), serde_json::to_vec(&value).unwrap());
                if path != "manifest.json" {
                    sign(&mut files);
                }
                let _ = verify_directory(&files, fabric);
            }
        }
    }
}

/// The same directory with its tables as `fabc.tables.bin/1`.
fn with_binary_tables() -> Files {
    let (fabric, mut files) = BUILT.clone();
    let symmetry = wire(&fabric, [1, 3, 0]).0.symmetry().clone();
    for path in files.keys().filter(|path| path.starts_with("tables/")).cloned().collect::<Vec<_>>() {
        let value: serde_json::Value = serde_json::from_slice(&files.remove(&path).unwrap()).unwrap();
        let number = |value: &serde_json::Value| value.as_i64().unwrap();
        let entry = |line: &serde_json::Value| TableEntry {
            dst: NodeId(number(&line[0]) as u32),
            in_port: number(&line[1]) as i16,
            in_vc: number(&line[2]) as i8,
            out_port: number(&line[3]) as u16,
            out_vc: number(&line[4]) as u8,
        };
        let router =
            |router: &serde_json::Value| router["entries"].as_array().unwrap().iter().map(entry).collect();
        let routers = value["routers"].as_array().unwrap().iter().map(router).collect();
        let vcs = number(&value["vcs"]) as u8;
        let packed = PackedTables::pack(&ForwardingTables {
            scenario: String::new(),
            vcs,
            key: fabc::ir::TableKey::DstInput,
            symmetry: symmetry.clone(),
            routers,
        });
        let head = json!({"format": "fabc.tables.bin/1", "scenario": value["scenario"], "vcs": vcs, "canonical": true,
            "key": ["dst", "in_port", "in_vc"], "nodes": 16, "routers": symmetry.class_count(), "actions": packed.actions});
        files.insert(
            path.replace(".json", ".bin"),
            [head.to_string().as_bytes(), b"\n", &packed.body].concat(),
        );
    }
    let mut manifest: serde_json::Value = serde_json::from_slice(&files["manifest.json"]).unwrap();
    manifest["options"] = json!({"tables": "binary"});
    files.insert("manifest.json".to_owned(), manifest.to_string().into_bytes());
    sign(&mut files);
    files
}

#[test]
fn binary_tables_are_walked_like_the_others() {
    let (fabric, json) = &*BUILT;
    let binary = with_binary_tables();
    assert_eq!(
        verify_directory(&binary, fabric).unwrap_or_else(|errors| panic!("{errors:#?}")),
        verify_directory(json, fabric).unwrap()
    );
    let change = |path: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let mut files = binary.clone();
        change(files.get_mut(path).unwrap());
        sign(&mut files);
        files
    };
    // The last entry of the last router does what the most frequent entries do.
    expect(&change("tables/nominal.bin", &|bytes| *bytes.last_mut().unwrap() = 0), "FAB04", "nominal");
    expect(
        &change("tables/nominal.bin", &|bytes| bytes.push(0)),
        "FAB0421",
        "nothing should follow the last router",
    );
    expect(
        &change("tables/fault-X_0_0.bin", &|bytes| bytes.truncate(bytes.len() - 1)),
        "FAB0421",
        "it ends too early",
    );
    expect(&change("tables/fault-X_0_0.bin", &|bytes| bytes[0] = b'['), "FAB0421", "tables/fault-X_0_0.bin");
    let mut mixed = binary.clone();
    mixed.insert("tables/fault-X_0_0.json".to_owned(), json["tables/fault-X_0_0.json"].clone());
    sign(&mut mixed);
    expect(&mixed, "FAB0420", "not in the form of the other tables");
    let mut swapped = binary.clone();
    swapped.insert("tables/fault-X_0_0.bin".to_owned(), binary["tables/nominal.bin"].clone());
    sign(&mut swapped);
    expect(&swapped, "FAB0422", "says `nominal`, but the file belongs to `X[0,0]`");
}
