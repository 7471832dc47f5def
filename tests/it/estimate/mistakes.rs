//! Words of the command line that are no question: each mistake has its place, and a suggestion.

use super::shapes;
use crate::support::command::fabc;
use fabc::emit::{PrintedUnit, estimate_csv, estimate_json, estimate_text};
use fabc::estimate::{Arguments, CommandWord, estimate_table, parse_request};
use fabc::model::Collective;
use proptest::prelude::*;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// The mistakes in these words: place, code, message and hint of each.
pub(super) fn mistakes(words: &[&str]) -> Vec<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fabc"));
    let output = command.arg("estimate").args(words).args(["--message-format", "json"]).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{words:?}");
    let text = String::from_utf8(output.stderr).unwrap();
    let mistake_text = |line: &str| {
        let error: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{words:?}: {text}"));
        let [code, message, help] =
            ["code", "message", "help"].map(|key| error[key].as_str().unwrap().to_owned());
        let place = &error["labels"][0];
        format!("{}:{}: error[{code}]: {message} ({help})", place["line"], place["column"])
    };
    text.lines().map(mistake_text).collect()
}

/// Words with one mistake each, and a part of its message.
const MISTAKES: &[(&str, &str)] = &[
    ("--size 16MB --on star:64", "error[FAB0551]: the collective is missing"),
    ("all_reduce --on star:64", "error[FAB0551]: the size of the vector of a chip is missing"),
    ("all_reduce --size 16MB", "error[FAB0551]: the fabric is missing"),
    (
        "allreduce --size 16MB --on star:64",
        "1:15: error[FAB0552]: there is no collective `allreduce` (did you mean `all_reduce`?)",
    ),
    (
        "all_reduce --size 16MB --on tours:4",
        "1:43: error[FAB0552]: there is no shape `tours` (did you mean `torus`?)",
    ),
    (
        "all_reduce --size 16MB --on star:64 --algorithm rings",
        "error[FAB0552]: there is no algorithm of all_reduce `rings` (did you mean `ring`?)",
    ),
    ("all_reduce --size 16MB --on dragonfly:8x4 --algorithm ring", "`ring` (a dragonfly has only bounds)"),
    (
        "all_reduce --size 16MB --on star:64 --eta crosbar",
        "there is no profile of contention `crosbar` (did you mean `crossbar`?)",
    ),
    (
        "all_reduce --size 16MB --on torus:2x2 --links 1",
        "there is no number of links `1` (known here: `single`, `double`)",
    ),
    (
        "all_reduce --size 16MB --on torus",
        "error[FAB0553]: `torus` is not a fabric: it has no numbers (write `torus:8x8x8`)",
    ),
    (
        "all_reduce --size 16MB --on torus:4x0",
        "1:51: error[FAB0553]: `torus:4x0` is not a fabric: a size of 0 chips is not allowed (write `torus:8x8x8`)",
    ),
    ("all_reduce --size 16MB --on torus:4x-2", "`torus:4x-2` is not a fabric: `-2` is negative"),
    ("all_reduce --size 16MB --on torus:4,4", "`torus:4,4` is not a fabric: `4,4` is not a number"),
    (
        "all_reduce --size 16MB --on star:4x4",
        "`star:4x4` is not a fabric: it has 2 numbers and takes 1 (write `star:64`)",
    ),
    ("all_reduce --size 16MB --on star:1", "`star:1` is not a fabric: a fabric needs at least two chips"),
    (
        "all_reduce --size 16MB --on torus:1x1",
        "`torus:1x1` is not a fabric: a fabric needs at least two chips",
    ),
    (
        "all_reduce --size 16MB --on dragonfly:1x4",
        "`dragonfly:1x4` is not a fabric: a group needs at least two chips",
    ),
    (
        "all_reduce --size 16MB --on star:1073741825",
        "`star:1073741825` is not a fabric: more than 1073741824 chips",
    ),
    (
        "all_reduce --size 16MB --on torus:65536x65536",
        "`torus:65536x65536` is not a fabric: more than 1073741824 chips",
    ),
    (
        "all_reduce --size 16MB --on star:99999999999999999999999",
        "is not a fabric: more than 1073741824 chips",
    ),
    (
        "all_reduce --size 16MB --on star:65536 --over star:65536",
        "`star:65536` is not a fabric: groups of 65536 make 4294967296 chips, more than",
    ),
    (
        "all_reduce --size 0MB --on star:64",
        "1:33: error[FAB0554]: `0MB` is not a valid size: it is zero (write a number and a unit, such as `16MB`)",
    ),
    ("all_reduce --size -1MB --on star:64", "`-1MB` is not a valid size: it is negative"),
    ("all_reduce --size 16 --on star:64", "`16` is not a valid size: it has no unit"),
    ("all_reduce --size MB --on star:64", "`MB` is not a valid size: it does not begin with a number"),
    (
        "all_reduce --size 16mb --on star:64",
        "1:35: error[FAB0554]: `16mb` is not a valid size: there is no unit `mb` (did you mean `MB`?)",
    ),
    ("all_reduce --size 16Mb --on star:64", "there is no unit `Mb` (did you mean `MB`?)"),
    ("all_reduce --size 1.5B --on star:64", "`1.5B` is not a valid size: it is not a whole number of bytes"),
    ("all_reduce --size 99999999TB --on star:64", "`99999999TB` is not a valid size: it is too large"),
    (
        "all_reduce --size 1.2.3MB --on star:64",
        "`1.2.3MB` is not a valid size: it does not begin with a number",
    ),
    (
        "all_reduce --size 16MB --on star:64 --alpha 1",
        "`1` is not a valid time: it has no unit (write a number and a unit, such as `0.5us`)",
    ),
    (
        "all_reduce --size 16MB --on star:64 --alpha 0.1ps",
        "`0.1ps` is not a valid time: it is not a whole number of picoseconds",
    ),
    ("all_reduce --size 16MB --on star:64 --bandwidth 0GB/s", "`0GB/s` is not a valid bandwidth: it is zero"),
    (
        "all_reduce --size 16MB --on star:64 --bandwidth 900GB",
        "there is no unit `GB` (units are `MB/s`, `GB/s`",
    ),
    (
        "all_reduce --size 16MB --on star:64 --eta 0.9,0.6",
        "error[FAB0555]: `0.9` is not a valid profile: the first number is less than 1",
    ),
    (
        "all_reduce --size 16MB --on star:64 --eta 1.2,0",
        "`0` is not a valid profile: the second number is less than a millionth or more than 1",
    ),
    ("all_reduce --size 16MB --on star:64 --eta 1.2,x", "`x` is not a valid profile: it is not a number"),
    ("all_to_all --size 16MB --on star:64 --skew 0.5", "`0.5` is not a valid skew: it is less than 1"),
    (
        "all_reduce --size 16MB --on fat_tree:64 --oversubscription 0",
        "`0` is not a valid oversubscription: it is less than 1",
    ),
    (
        "all_reduce --sizes 4MiB..1KiB --on star:64",
        "error[FAB0556]: `4MiB..1KiB` are not sizes: the range ends before it begins",
    ),
    ("all_reduce --sizes 1KiB.. --on star:64", "is not a valid size: it does not begin with a number"),
    (
        "all_reduce --size 16MB --on torus:8x8 --in-switch 1us",
        "error[FAB0557]: --in-switch has no effect on a torus (its chips are joined without a switch that could add",
    ),
    (
        "all_gather --size 16MB --on star:8 --over star:8 --in-switch 1us",
        "--in-switch has no effect on all_gather of groups",
    ),
    (
        "all_reduce --size 16MB --on star:8 --over star:8 --outer-in-switch 1us",
        "--outer-in-switch has no effect on groups whose own switches do not add",
    ),
    (
        "all_reduce --size 16MB --on star:8 --over torus:2x2 --in-switch 1us --outer-in-switch 1us",
        "--outer-in-switch has no effect on a torus (the groups are joined without a switch that could add",
    ),
    (
        "all_gather --size 16MB --on torus:4x4 --alpha 1us,2us,3us",
        "1:61: error[FAB0554]: `1us,2us,3us` is not a valid list of latencies: it has 3 times, and a torus takes 2",
    ),
    (
        "all_gather --size 16MB --on star:8 --alpha 1us,2us",
        "it has 2 times, and a star takes 1 (write one time: a channel leads from chip to chip)",
    ),
    (
        "all_gather --size 16MB --on mesh:4x4 --alpha 1us,2uz",
        "`2uz` is not a valid time: there is no unit `uz`",
    ),
    ("all_reduce --size 16MB --on star:64 --skew 3", "--skew has no effect on all_reduce"),
    (
        "all_reduce --size 16MB --on star:64 --oversubscription 2",
        "--oversubscription has no effect on a star",
    ),
    ("all_reduce --size 16MB --on star:64 --links single", "--links has no effect on a star"),
];

#[test]
fn mistakes_are_told_with_place_and_mend() {
    let usual = "all_reduce --size 16MB --on star:64";
    for (words, message) in MISTAKES {
        let messages = mistakes(&words.split_whitespace().collect::<Vec<_>>());
        assert!(messages.len() == 1 && messages[0].contains(message), "{words}\n{message}\n{messages:?}");
    }
    // Everything that is wrong, at once.
    let messages =
        mistakes(&["all_reduce", "--links", "3", "--alpha", "x", "--on", "star:1", "--size", "0B"]);
    let codes: Vec<&str> = messages.iter().map(|line| &line[line.find("FAB").unwrap()..][..7]).collect();
    assert_eq!(codes, ["FAB0554", "FAB0553", "FAB0554", "FAB0552"], "in the order of the line that is shown");
    // Too many sizes. Clap's own errors have its form.
    let many: Vec<String> = (1..=1001).map(|size| format!("{size}B")).collect();
    let complaints = mistakes(&["all_reduce", "--on", "star:64", "--sizes", &many.join(",")]);
    assert!(complaints[0].contains("are not sizes: they are more than 1000"), "{complaints:?}");
    let words: Vec<&str> =
        ["estimate"].into_iter().chain(usual.split_whitespace()).chain(["--outer-alpha", "1us"]).collect();
    fabc(Path::new("."), &words, 2);
    // No letter of the command line can end a line, or anything else.
    let messages = mistakes(&["all_\n\u{1b}reduce", "--size", "\u{e4}", "--on", "star:\u{1f600}"]);
    assert_eq!(messages.len(), 3);
    assert!(
        messages[0].contains("`all_  reduce`") && messages[2].starts_with("1:47: error[FAB0553]"),
        "{messages:?}"
    );
    // The place is drawn.
    let human = Command::new(env!("CARGO_BIN_EXE_fabc"))
        .args("estimate all_reduce --size 16MB --on torus:8x0x8".split(' '))
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let human = String::from_utf8(human.stderr).unwrap();
    insta::with_settings!({snapshot_path => concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"), prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!("estimate_mistake", human);
    });
}

fn some<T: Clone + std::fmt::Debug + 'static>(all: impl Into<Vec<T>>) -> impl Strategy<Value = T> {
    proptest::sample::select(all.into())
}

/// Words that are meant well, and others.
fn a_word() -> impl Strategy<Value = String> {
    let known = [
        "all_reduce",
        "all_to_all",
        "broadcast",
        "16MB",
        "0B",
        "1.5KiB",
        "18446744073709551615B",
        "1KiB..4GiB",
        "1B,2B..9TiB",
        "..",
        ",",
        "torus:8x8x8",
        "torus:2x1x2",
        "mesh:5",
        "star:1073741824",
        "full_mesh:1073741824",
        "dragonfly:1023x1",
        "dragonfly:1073741824x1073741824",
        "fat_tree:3",
        "torus:",
        "star:x",
        "ring",
        "halving+ring",
        "0.5us",
        "0ps",
        "213days",
        "1us,2us",
        "900GB/s",
        "1Mb/s",
        "clos",
        "1.2,0.6",
        "1e3,1",
        "3",
        "0.999999999999999999",
        "999999",
        "single",
        "in_switch",
    ];
    prop_oneof![4 => some(known.map(str::to_owned)), 1 => any::<String>()]
}

/// Words for a fabric, most of them valid.
fn a_fabric() -> impl Strategy<Value = String> {
    prop_oneof![3 => some(shapes()).prop_map(|shape| shape.to_string()), 1 => a_word()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// Any words give an error or a table of finite times.
    #[test]
    fn no_words_do_harm(words in proptest::collection::vec(proptest::option::weighted(0.08, a_word()), 19), kind in some(Collective::ALL), on in a_fabric()) {
        let word = |text: &str| CommandWord { text: text.to_owned(), span: fabc::diag::Span { start: 0, end: text.len() as u32 } };
        let word_at = |at: usize| words[at].as_deref().map(word);
        let arguments = Arguments {
            kind: word_at(0).or_else(|| Some(word(kind.name()))), size: word_at(1).or_else(|| word_at(2).is_none().then(|| word("16MB"))), sizes: word_at(2), on: word_at(3).or_else(|| Some(word(&on))), algorithm: word_at(4),
            alpha: word_at(5), overhead: word_at(6), bandwidth: word_at(7), eta: word_at(8), links: word_at(9), oversubscription: word_at(10), skew: word_at(11), in_switch: word_at(12), over: word_at(13), outer_alpha: word_at(14),
            outer_overhead: word_at(15), outer_bandwidth: word_at(16), outer_eta: word_at(17), outer_in_switch: word_at(18), end: fabc::diag::Span::default(),
        };
        match parse_request(&arguments) {
            Err(errors) => prop_assert!(!errors.is_empty()),
            Ok(request) => {
                let answer = estimate_table(&request.question);
                prop_assert!(!answer.bounds.is_empty());
                for row in answer.rows.iter().chain(&answer.bounds) {
                    let time = row.time(request.sizes[0] as f64).total_ns();
                    prop_assert!(time.is_finite() && time > 0.0 && row.even_bytes().is_finite(), "{row:?}");
                }
                for text in [estimate_text(&request, &answer, PrintedUnit::MICROSECONDS), estimate_json(&request, &answer), estimate_csv(&request, &answer)] {
                    prop_assert!(!text.contains("NaN") && !text.contains("inf") && !text.contains("null,\n      \"volume"), "{text}");
                }
            }
        }
    }
}
