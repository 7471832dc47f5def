//! Every command that reads a built directory, with a spec in its place: it takes the spec, or names the one
//! command that builds it and the directory that the command writes.

use super::{code, err, fabc};
use crate::support::spec_text::SpecText;
use std::path::Path;

/// The commands, with `SPEC` where a directory stands.
const READERS: [&str; 19] = [
    "verify SPEC",
    "route SPEC 0 1",
    "tables SPEC",
    "sim SPEC --with rates=0.1;",
    "collective SPEC --size 1MiB",
    "job SPEC",
    "repair SPEC --down X[0,0] --out repaired",
    "repair out/small --live SPEC --out repaired",
    "plan SPEC --live out/small",
    "plan out/small --live SPEC",
    "place SPEC --swap cube1 --out placed",
    "drift SPEC --live out/small",
    "drift out/small --live SPEC",
    "availability SPEC --fail host=1/day,cable=1/day,ocs=1/day --host-chips 4",
    "operate SPEC --fail host=1/day,cable=1/day,ocs=1/day --host-chips 4",
    "build SPEC --out out",
    "graph SPEC",
    "diff SPEC out/small",
    "diff out/small SPEC",
];

/// How many of them, from the end, take a spec.
const TAKE_SPECS: usize = 4;

fn refusal(place: &Path, command: &str) -> [String; 3] {
    let words: Vec<&str> = command.split(' ').chain(["--message-format", "json"]).collect();
    let output = fabc(place, &words);
    // Of commands whose exit code 2 says that there are differences, it is 1.
    assert!([1, 2].contains(&code(&output)), "{command}: {}", err(&output));
    let object: serde_json::Value = serde_json::from_str(err(&output)).expect("one object");
    ["code", "message", "help"].map(|key| object[key].as_str().unwrap().to_owned())
}

#[test]
fn readers_of_directories_take_a_spec_or_name_its_build() {
    let place = tempfile::tempdir().unwrap();
    let spec = SpecText::pod([2, 2, 2], 2).named("small").text();
    // The file has another name than the fabric: the directory has that of the fabric.
    std::fs::write(place.path().join("pod.fab"), spec).unwrap();
    assert_eq!(code(&fabc(place.path(), &["build", "pod.fab", "-q"])), 0);
    let (refuse, take) = READERS.split_at(READERS.len() - TAKE_SPECS);
    for command in refuse {
        let wanted = [
            "FAB0510",
            "`pod.fab` is not a directory that `fabc build` wrote: it is a file",
            "`fabc build pod.fab` writes `out/small`: name that directory",
        ];
        assert_eq!(refusal(place.path(), &command.replace("SPEC", "pod.fab")), wanted, "{command}");
    }
    for command in take {
        let words = command.replace("SPEC", "pod.fab");
        let output = fabc(place.path(), &words.split(' ').collect::<Vec<_>>());
        assert_eq!(code(&output), 0, "{command}: {}", err(&output));
    }
    assert_eq!(
        refusal(place.path(), "diff pod.fab pod.fab"),
        [
            "FAB0545",
            "neither side is a built directory",
            "build one of them: `fabc build pod.fab`, then `fabc diff out/small pod.fab`"
        ]
    );
}

#[test]
fn a_spec_that_cannot_be_read_is_checked_first() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("pod.fab"), "fabric pod {").unwrap();
    let hint = "mend it first: `fabc check pod.fab` says what is wrong with it";
    assert_eq!(refusal(place.path(), "verify pod.fab")[2], hint);
}

/// The other way round: a directory in the place of a spec.
#[test]
fn readers_of_specs_name_the_spec_of_a_directory() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("pod.fab"), SpecText::pod([2, 2, 2], 2).named("small").text()).unwrap();
    assert_eq!(code(&fabc(place.path(), &["build", "pod.fab", "-q", "--until", "synthesize"])), 0);
    for command in ["build", "check", "fmt", "graph", "sweep", "watch"] {
        let output = fabc(place.path(), &[command, "out/small"]);
        let text = err(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(code(&output) != 0 && text.contains("its spec is `out/small/spec.fab`"), "{command}: {text}");
    }
}
