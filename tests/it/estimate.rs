//! `fabc estimate`: bounds, shapes and forms of its answers. `printed` has answers that were worked out
//! elsewhere. `counted` compares closed forms with counted routes and with schedules that are carried out.
//! `mistakes` has the errors.

mod counted;
mod mistakes;
mod printed;

use crate::support::command::fabc;
use fabc::estimate::{Channel, FabricShape, Question, algorithms, bounds, estimate_table};
use fabc::model::Collective;
use mistakes::mistakes;
use serde_json::Value;
use std::path::Path;

/// The output of `fabc estimate` for these words.
fn estimate(words: &str) -> String {
    let words: Vec<&str> = ["estimate"].into_iter().chain(words.split_whitespace()).collect();
    fabc(Path::new("."), &words, 0).0
}

/// The cells of a row: name, links, steps, volume, latency, volume and total in us, algbw, busbw, even at.
fn row(words: &str, name: &str) -> Vec<String> {
    let text = estimate(words);
    let table_row =
        text.lines().find(|line| line.starts_with("  ") && line.split_whitespace().next() == Some(name));
    let line = table_row.unwrap_or_else(|| panic!("no row {name} in\n{text}"));
    line.split_whitespace().map(str::to_owned).collect()
}

/// Microseconds of a row: latency, volume, total.
fn times(words: &str, name: &str) -> [String; 3] {
    let cells = row(words, name);
    [4, 5, 6].map(|index| cells[index].clone())
}

fn total(words: &str, name: &str) -> String {
    let [_, _, total] = times(words, name);
    total
}

#[test]
fn groups_and_what_joins_them() {
    let groups =
        "all_reduce --size 16MB --on star:64 --over star:8 --outer-alpha 1us --outer-bandwidth 50GB/s";
    assert_eq!(total(groups, "ring+ring"), "120.750");
    assert_eq!(total(&format!("{groups} --oversubscription 2"), "ring+ring"), "129.500");
    let json: Value = serde_json::from_str(&estimate(&format!("{groups} --json"))).unwrap();
    let rows = json["sizes"][0]["algorithms"].as_array().unwrap();
    let ring = rows.iter().find(|row| row["name"] == "ring+ring").unwrap();
    let phases: Vec<(String, f64)> = ring["phases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|phase| {
            let ns = phase["latency_ns"].as_f64().unwrap() + phase["volume_ns"].as_f64().unwrap();
            (
                format!(
                    "{} {} {}",
                    phase["level"].as_str().unwrap(),
                    phase["algorithm"].as_str().unwrap(),
                    phase["collective"].as_str().unwrap()
                ),
                ns,
            )
        })
        .collect();
    let expected = [
        ("inner ring reduce_scatter", 49_000.0),
        ("outer ring all_reduce", 22_750.0),
        ("inner ring all_gather", 49_000.0),
    ];
    assert_eq!(phases, expected.map(|(name, ns)| (name.to_owned(), ns)));
    // The two parts of an all-reduce take together as long as it.
    let part = |kind: &str| {
        let words = groups.replace("all_reduce", kind);
        let cells = row(&words, "ring+ring");
        (cells[6].parse::<f64>().unwrap() * 1e3).round()
    };
    assert_eq!(part("reduce_scatter") + part("all_gather"), 120_750.0);
    // One group of everything, and groups of two levels with a chip each: the fabric itself.
    assert_eq!(part("broadcast"), ((31.5 + 16e3 / 900.0 + 7.0 + 16e3 / 50.0) * 1e3_f64).round());
    assert_eq!(part("reduce"), part("broadcast"));
    let pairwise = row(&groups.replace("all_reduce", "all_to_all"), "pairwise+pairwise");
    assert_eq!(
        pairwise[6],
        format!("{:.3}", 31.5 + 63.0 / 64.0 * 16e3 / 900.0 + 7.0 + 7.0 / 8.0 * 16e3 / 50.0)
    );
}

#[test]
fn other_quantities_of_a_shape() {
    let known = |words: &str| -> Value {
        serde_json::from_str::<Value>(&estimate(&format!("{words} --json"))).unwrap()["shape"].clone()
    };
    let round = |value: &Value| (value.as_f64().unwrap() * 1e4).round() / 1e4;
    for (shape, name, expected) in [
        ("star:72", "diameter", 2.0),
        ("full_mesh:8", "diameter", 1.0),
        ("leaf_spine:512", "diameter", 4.0),
        ("fat_tree:512", "diameter", 6.0),
        ("torus:8x8x8", "diameter", 12.0),
        ("torus:3x3", "diameter", 2.0),
        ("mesh:8x8x8", "diameter", 21.0),
        ("torus:8x8x8", "neighbours", 6.0),
        ("torus:2x2x2", "neighbours", 3.0),
        ("torus:2x2x2", "ports", 6.0),
        ("torus:8x4x1", "neighbours", 4.0),
        ("torus:8x8x8", "bisection", 128.0),
        ("torus:16x8x4", "bisection", 64.0),
        ("mesh:8x8x8", "bisection", 64.0),
        ("torus:2x2x2", "bisection", 8.0),
        ("torus:2x2x2 --links single", "bisection", 4.0),
        ("torus:2x2x2 --links single", "ports", 3.0),
        ("full_mesh:7", "bisection", 12.0),
        ("star:72", "bisection", 36.0),
        ("fat_tree:512 --oversubscription 4", "bisection", 64.0),
        ("fat_tree:512 --oversubscription 4", "all_to_all_volume", 2.0),
        ("torus:8x8x8", "all_to_all_volume", 1.0),
        ("star:64", "all_to_all_volume", 0.9844),
        ("mesh:8x8x8", "all_to_all_volume", 2.0),
        ("torus:4x4", "cut_chunks", 8.0),
        ("torus:4x4", "cut_chunks_per_hop", 2.0),
        ("torus:8x8", "cut_chunks_per_hop", 8.0),
        ("torus:8x8x8", "cut_chunks_per_hop", 42.6667),
        ("torus:16x16x16", "cut_chunks_per_hop", 341.3333),
        ("torus:2x2x2", "alpha_compression", 2.3333),
        ("torus:8x8x8", "alpha_compression", 24.3333),
        ("torus:16x16x16", "alpha_compression", 91.0),
        // 264 chips in 33 groups of 8, 1,452 links.
        ("dragonfly:8x4", "chips", 264.0),
        ("dragonfly:8x4", "diameter", 3.0),
        ("dragonfly:8x4", "gather_shards", 23.9091),
        ("dragonfly:8x4", "all_reduce_vectors", 0.1811),
    ] {
        let row_times = known(&format!("all_gather --size 16MB --on {shape}"));
        assert_eq!(round(&row_times[name]), expected, "{shape}: {name}");
    }
    let text = estimate("all_gather --size 16MB --on dragonfly:8x4");
    assert!(text.contains("    23.909  shard times") && text.contains("    0.1811  vector times"), "{text}");
    // Latency of three hops, and 263 shards over 11 channels.
    let shard = 16e6 / 264.0 / 900.0;
    let bound = row("all_gather --size 16MB --on dragonfly:8x4", "bound");
    assert_eq!(
        bound[4..7],
        [
            "1.500".to_owned(),
            format!("{:.3}", 263.0 / 11.0 * shard / 1e3),
            format!("{:.3}", 1.5 + 263.0 / 11.0 * shard / 1e3)
        ]
    );
}

#[test]
fn crossovers_and_even_sizes() {
    let estimates = |words: &str| {
        estimate(words)
            .lines()
            .filter_map(|line| line.strip_prefix("  above ").map(str::to_owned))
            .collect::<Vec<_>>()
    };
    let star = estimates("all_reduce --size 16MB --on star:512");
    assert!(star.contains(&"115.7 GB  ring passes double_tree".to_owned()), "{star:?}");
    let star = estimates("all_reduce --size 16MB --on star:72");
    assert!(star.contains(&"2.074 GB  ring passes double_tree".to_owned()), "{star:?}");
    // Never ahead of who halves and doubles: as much volume, and more steps.
    assert!(star.iter().all(|line| !line.contains("ring passes halving_doubling")), "{star:?}");
    let even = |words: &str, name: &str| row(words, name)[9..].join(" ");
    assert_eq!(even("all_reduce --size 16MB --on torus:8x8x8", "ring"), "9.468 MB");
    assert_eq!(even("all_to_all --size 16MB --on torus:8x8x8", "minimal"), "5.4 MB");
    // At a crossover both take as long. Below and above, the order is the other way round.
    let json: Value = serde_json::from_str(&estimate("all_to_all --size 16MB --on star:72 --json")).unwrap();
    let change = &json["crossovers"][0];
    assert_eq!(
        (&change["below"], &change["above"], &change["fastest"]),
        (&Value::from("bruck"), &Value::from("pairwise"), &Value::from(true))
    );
    let bytes = change["bytes"].as_f64().unwrap();
    let time = |bytes: f64, name: &str| -> f64 {
        total(&format!("all_to_all --size {}B --on star:72", bytes.round()), name).parse().unwrap()
    };
    assert!((time(bytes, "bruck") - time(bytes, "pairwise")).abs() < 0.002);
    assert!(
        time(bytes * 0.9, "bruck") < time(bytes * 0.9, "pairwise")
            && time(bytes * 1.1, "bruck") > time(bytes * 1.1, "pairwise")
    );
    let fastest = |bytes: f64| {
        estimate(&format!("all_to_all --size {}B --on star:72", bytes.round()))
            .lines()
            .find(|line| line.starts_with("  b") || line.starts_with("  p"))
            .unwrap()
            .to_owned()
    };
    assert!(fastest(bytes * 0.9).starts_with("  bruck") && fastest(bytes * 1.1).starts_with("  pairwise"));
}

/// Papers print these, and they are wrong.
#[test]
fn slips_of_the_literature_are_not_repeated() {
    // Two trees move every byte twice: half of that is below what one port needs without a switch that adds.
    assert_eq!(row("all_reduce --size 16MB --on star:512", "double_tree")[3], "2.0000");
    assert_ne!(total("all_reduce --size 16MB --on star:512", "double_tree"), "26.778");
    // Rings of two with one link, and odd rings, are no cases of d/8.
    for (shape, volume) in [
        ("2x2x2 --links single", "0.5000"),
        ("2x2x2", "0.2500"),
        ("3x3", "0.3333"),
        ("5", "0.6000"),
        ("1x4", "0.5000"),
    ] {
        assert_eq!(
            row(&format!("all_to_all --size 16MB --on torus:{shape}"), "minimal")[3],
            volume,
            "{shape}"
        );
    }
    // The answer says which channels are used: one at a time axis by axis, all in an all-to-all over shortest
    // paths.
    assert_eq!(row("all_reduce --size 16MB --on torus:8x8x8", "ring")[1], "one");
    assert_eq!(row("all_reduce --size 16MB --on torus:8x8x8", "all_links")[1], "all");
    assert_eq!(row("all_to_all --size 16MB --on torus:8x8x8", "minimal")[1], "all");
    assert_eq!(row("all_reduce --size 16MB --on star:512", "ring")[1], "port");
    // One binomial tree moves the vector log2 N times. Once takes two trees, or a chain, and small pieces.
    assert_eq!(row("broadcast --size 16MB --on star:64", "binomial")[2..4], ["6", "6.0000"]);
    assert_eq!(row("broadcast --size 16MB --on star:64", "tree")[2..4], ["6", "1.0000"]);
    assert_eq!(row("broadcast --size 16MB --on star:64", "ring")[2..4], ["63", "1.0000"]);
    // More oversubscription makes the bisection smaller.
    assert!(
        FabricShape::FatTree { chips: 64 }.bisection(4.0) < FabricShape::FatTree { chips: 64 }.bisection(1.0)
    );
    // A formula that takes ways to partners as free is called what it is.
    let text = estimate("all_gather --size 1KiB --on torus:16x16x16");
    assert!(text.contains("doubling comes out below the bound"), "{text}");
    assert!(!text.contains("ring comes out below"), "{text}");
}

fn shapes() -> Vec<FabricShape> {
    let mut all_shapes = Vec::new();
    for chips in [2, 3, 7, 8, 64, 72, 1000] {
        all_shapes.extend([
            FabricShape::Star { chips },
            FabricShape::FullMesh { chips },
            FabricShape::LeafSpine { chips },
            FabricShape::FatTree { chips },
        ]);
    }
    for sides in [&[2][..], &[3], &[2, 2], &[5, 4], &[8, 8, 8], &[16, 8, 4], &[1, 9, 2], &[2, 2, 2, 2]] {
        all_shapes.push(FabricShape::Mesh { sides: sides.to_vec() });
        all_shapes.extend([true, false].map(|twin| FabricShape::Torus { sides: sides.to_vec(), twin }));
    }
    all_shapes.extend([
        FabricShape::Dragonfly { group: 8, globals: 4 },
        FabricShape::Dragonfly { group: 2, globals: 1 },
    ]);
    all_shapes
}

/// No algorithm moves less than the bound, and only those that say so take fewer hops. A sum is a scatter
/// and a gather.
#[test]
fn bounds_are_below_algorithms() {
    for shape in shapes() {
        // Messages between chips have no closed form.
        for kind in Collective::ALL.into_iter().filter(|&kind| kind != Collective::Send) {
            let lower_bounds = bounds(kind, &shape);
            let least_bound = lower_bounds.last().unwrap();
            assert!(least_bound.cost.volume > 0.0 && least_bound.cost.volume.is_finite(), "{shape}");
            for row in algorithms(kind, &shape).iter().chain(&lower_bounds) {
                let description = format!("{} on {shape}: {row:?}, {least_bound:?}", kind.name());
                assert!(row.cost.volume >= least_bound.cost.volume - 1e-12, "{description}");
                assert!(
                    row.cost.steps >= least_bound.cost.steps || row.description.contains("as free"),
                    "{description}"
                );
            }
        }
        let [gather, scatter, sum] =
            [Collective::AllGather, Collective::ReduceScatter, Collective::AllReduce]
                .map(|kind| bounds(kind, &shape)[0].cost);
        assert_eq!(gather, scatter);
        assert_eq!((sum.steps, sum.volume), (2 * gather.steps, 2.0 * gather.volume));
    }
}

/// Cuts that separate code counts: known fabrics' bounds in shard times and vector times.
#[test]
fn bounds_of_known_fabrics() {
    let torus = |sides: &[u64]| FabricShape::Torus { sides: sides.to_vec(), twin: true };
    for (shape, shards, vectors) in [
        (torus(&[4]), 1.5, 0.75),
        (torus(&[2, 2]), 0.75, 0.375),
        (FabricShape::FullMesh { chips: 4 }, 1.0, 0.5),
        (FabricShape::Mesh { sides: vec![3] }, 2.0, 1.0),
        (torus(&[5]), 2.0, 0.8),
        (torus(&[3, 3]), 2.0, 4.0 / 9.0),
        (FabricShape::Mesh { sides: vec![4, 4] }, 7.5, 15.0 / 24.0),
        (torus(&[4, 4, 8]), 127.0 / 6.0, 127.0 / 384.0),
        (FabricShape::Dragonfly { group: 8, globals: 4 }, 263.0 / 11.0, 263.0 / 1452.0),
    ] {
        let chips = shape.chips() as f64;
        let [gather, sum] = [Collective::AllGather, Collective::AllReduce]
            .map(|kind| bounds(kind, &shape).last().unwrap().cost.volume);
        assert!(
            (gather * chips - shards).abs() < 1e-12 && (sum - vectors).abs() < 1e-12,
            "{shape}: {} {sum}",
            gather * chips
        );
    }
}

/// A message has an overhead of its own: per step where steps wait for each other, per shard of a direct
/// all-to-all, and whatever the number of hops.
#[test]
fn overheads_are_counted_by_messages() {
    let latency = |words: &str, name: &str| {
        times(&format!("{words} --size 16MB --alpha 100ns --overhead 400ns"), name)[0].clone()
    };
    assert_eq!(latency("all_reduce --on torus:8x8x8", "ring"), "21.000");
    assert_eq!(latency("all_to_all --on torus:4x4", "minimal"), "6.400");
    assert_eq!(latency("all_to_all --on torus:4x4", "by_dimension"), "2.800");
    assert_eq!(latency("all_to_all --on star:64", "pairwise"), "31.500");
    assert_eq!(latency("all_reduce --on star:64 --in-switch 200ns", "in_switch"), "0.800");
    assert_eq!(latency("all_gather --on torus:4x4 --eta torus", "bound"), "2.400");
}

#[test]
fn one_question_in_every_form() {
    let words = "all_reduce --size 16MiB --on torus:8x8x8 --algorithm ring";
    let json: Value = serde_json::from_str(&estimate(&format!("{words} --json"))).unwrap();
    let keys: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "format",
            "collective",
            "chips",
            "shape",
            "channel",
            "outer",
            "switch_ns",
            "skew",
            "oversubscription",
            "algorithm",
            "sizes",
            "crossovers"
        ]
    );
    assert_eq!(
        (&json["format"], &json["chips"], &json["outer"]),
        (&Value::from("fabc.estimate/1"), &Value::from(512), &Value::Null)
    );
    let channel = serde_json::json!({"latency_ns": 500, "overhead_ns": 0, "bandwidth_gb_s": 900, "eta_latency": 1, "eta_bandwidth": 1});
    assert_eq!(json["channel"], channel);
    let size = &json["sizes"][0];
    assert_eq!(
        (
            size["bytes"].as_u64(),
            size["algorithms"].as_array().unwrap().len(),
            size["bounds"].as_array().unwrap().len()
        ),
        (Some(16 << 20), 1, 2)
    );
    let ring = &size["algorithms"][0];
    let time = ring["time_ns"].as_f64().unwrap();
    assert_eq!(ring["latency_ns"].as_f64().unwrap() + ring["volume_ns"].as_f64().unwrap(), time);
    assert!((ring["algbw_gb_s"].as_f64().unwrap() - f64::from(16 << 20) / time).abs() < 1e-6);
    assert!(
        (ring["busbw_gb_s"].as_f64().unwrap() / ring["algbw_gb_s"].as_f64().unwrap() - 2.0 * 511.0 / 512.0)
            .abs()
            < 1e-9
    );

    // The same units of time, the same numbers.
    let ring = |unit: &str| {
        row(&format!("all_reduce --size 16MB --on torus:8x8x8 --unit {unit}"), "ring")[6].clone()
    };
    assert_eq!([ring("ns"), ring("us"), ring("ms")], ["56486.111", "56.486", "0.056"]);
    // Bits are an eighth of bytes.
    let wire = |bandwidth: &str| {
        total(&format!("all_reduce --size 16MB --on star:8 --bandwidth {bandwidth}"), "ring")
    };
    assert_eq!(wire("50GB/s"), wire("400Gb/s"));
    assert_eq!(wire("50GB/s"), wire("0.4Tbps"));

    let csv = estimate("all_reduce --sizes 1KiB..4GiB --on torus:8x8x8 --csv");
    // 23 sizes, two algorithms and two bounds each.
    assert_eq!(csv.lines().count(), 1 + 23 * 4);
    assert!(csv.lines().all(|line| line.matches(',').count() == 12), "{csv}");
    let curve = estimate("all_reduce --sizes 1MB,16MB,3MB --on star:512");
    let line = curve.lines().find(|line| line.starts_with("  16 MB")).unwrap();
    assert_eq!(
        line.split_whitespace().collect::<Vec<_>>().join(" "),
        "16 MB 546.486 44.556 44.486 164.500 36.486 35.986 halving_doubling"
    );
    let sizes: Vec<&str> = curve
        .lines()
        .filter(|line| line.ends_with(" halving_doubling"))
        .map(|line| line.trim_start().split("  ").next().unwrap())
        .collect();
    assert_eq!(sizes, ["1 MB", "3 MB", "16 MB"], "{curve}");
    assert!(estimate("all_reduce --sizes 1KiB..3KiB --on star:512").contains("\n  3 KiB"));
}

/// Which shape of 512 is best for an all-to-all? The answers of the note, side by side.
#[test]
fn fabrics_side_by_side() {
    let words =
        "all_to_all --size 16MB --on torus:32x16 --on torus:8x8x8 --on torus:16x8x4 --on torus:32x4x4";
    let text = estimate(words);
    let table_rows: Vec<(String, String)> = text
        .lines()
        .filter(|line| line.starts_with("  torus"))
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .map(|cells| (cells[0].trim_start_matches("torus:").to_owned(), cells[7].to_owned()))
        .collect();
    let answers = [("8x8x8", "23.778"), ("16x8x4", "42.556"), ("32x4x4", "81.111"), ("32x16", "83.111")];
    assert_eq!(table_rows, answers.map(|(shape, total)| (shape.to_owned(), total.to_owned())), "{text}");

    let json: Value = serde_json::from_str(&estimate(&format!("{words} --json"))).unwrap();
    assert_eq!(json["format"], "fabc.estimates/1");
    let alone = |shape: &str| {
        serde_json::from_str(&estimate(&format!("all_to_all --size 16MB --on {shape} --json"))).unwrap()
    };
    let each_alone: Vec<Value> =
        ["torus:32x16", "torus:8x8x8", "torus:16x8x4", "torus:32x4x4"].map(alone).to_vec();
    assert_eq!(json["estimates"], Value::from(each_alone));

    let csv = estimate(&format!("{words} --csv"));
    let alone = estimate("all_to_all --size 16MB --on torus:32x16 --csv");
    let same: Vec<String> =
        csv.lines().filter_map(|line| line.strip_prefix("torus:32x16,").map(str::to_owned)).collect();
    assert_eq!(same, alone.lines().skip(1).collect::<Vec<_>>(), "{csv}");

    // A table of every size.
    let curve = estimate("all_to_all --sizes 1MB,16MB --on torus:8x8x8 --on star:512");
    assert_eq!(curve.lines().filter(|line| line.ends_with("by fabric")).count(), 2, "{curve}");
    // The one that is wrong is shown.
    assert_eq!(
        mistakes(&["all_to_all", "--size", "16MB", "--on", "torus:8x8x8", "--on", "tours:8x8"]).len(),
        1
    );
}

#[test]
fn wide_and_plain() {
    let text = estimate("all_reduce --size 16MB --on torus:8x8x8");
    insta::with_settings!({snapshot_path => concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"), prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!("estimate_torus", text);
    });
}

/// As a library: a collective, a shape, a latency in nanoseconds, a bandwidth in GB/s.
#[test]
fn formulas_are_functions() {
    let shape = FabricShape::Torus { sides: vec![8, 8, 8], twin: true };
    let mut answer = estimate_table(&Question::new(Collective::AllReduce, shape, Channel::new(500.0, 900.0)));
    answer.sort(16e6);
    let sizes: Vec<(&str, u64)> = answer
        .rows
        .iter()
        .chain(&answer.bounds)
        .map(|row| (row.name.as_str(), row.time(16e6).total_ns().round() as u64))
        .collect();
    assert_eq!(
        sizes,
        [("halving_doubling", 44_486), ("ring", 56_486), ("all_links", 17_914), ("bound", 11_914)]
    );
}
