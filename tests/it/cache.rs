//! The cache of earlier results: it decides how long a build takes, and nothing else.

use crate::support::plain::{command, files};
use crate::support::spec_text::SpecText;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A folder with a spec, a cache, and what builds write.
struct Workshop {
    folder: tempfile::TempDir,
}

/// What a build wrote, and which passes searched.
struct Built {
    files: BTreeMap<PathBuf, Vec<u8>>,
    passes: Vec<String>,
    messages: String,
}

impl Workshop {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    /// Builds a spec, with options, and expects that it can be built.
    fn build(&self, spec: &str, options: &[&str]) -> Built {
        let root = self.folder.path();
        std::fs::write(root.join("pod.fab"), spec).unwrap();
        std::fs::write(root.join("pairs.csv"), "src,dst,bytes\n0,1,100\n5,9,300\n").unwrap();
        let args = [&["build", "pod.fab", "--timings", "-v"], options].concat();
        let output = command(root, &args).env("FABC_CACHE", self.cache()).output().unwrap();
        let messages = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{messages}\n{spec}");
        let passes = messages.lines().skip_while(|line| *line != "timings").skip(1);
        let name = |line: &str| line.split_whitespace().next().map(str::to_owned);
        let deep = passes.filter(|line| line.starts_with("    "));
        Built { files: files(&root.join("out/pod")), passes: deep.filter_map(name).collect(), messages }
    }

    fn entries(&self) -> Vec<PathBuf> {
        let mut entries: Vec<PathBuf> =
            std::fs::read_dir(self.cache()).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        entries
    }
}

fn pod() -> SpecText {
    SpecText::pod([2, 2, 2], 4)
}

const SEARCHES: [&str; 4] = ["synthesize", "flow", "order", "scenarios"];

/// The passes of simulations.
const RUNS: [&str; 2] = ["saturation", "simulate"];

/// Changes of a spec, and which searches each of them asks for again.
fn changes() -> Vec<(&'static str, &'static [&'static str])> {
    let [all, tables, none] = [&SEARCHES[..], &SEARCHES[1..], &[]];
    vec![
        ("require diameter <= 9;", none),
        ("require fault.diameter <= 12;", none),
        ("require fault.concurrent_flow >= 0.0001;", all),
        ("require bandwidth >= 1 GB/s;", none),
        (
            "simulate light { traffic = uniform; rates = 0.1; warmup = 100 cycles; measure = 200 cycles; }",
            none,
        ),
        (
            "simulate light { traffic = uniform; rates = 0.1; warmup = 100 cycles; measure = 200 cycles; }
             require light.latency(0.5) <= 900 cycles;",
            none,
        ),
        ("collective sum = all_reduce { size = 1 MiB; }", none),
        (
            "job train { axes { data = 32; } phase sum { collective sum = all_reduce { over = data; size = 1 MiB; } } }",
            none,
        ),
        ("routing = allowed_turns { key = dst; }", tables),
        ("routing = up_down;", &["flow", "scenarios"]),
        ("budget { vcs = 2; faults = 0; }", all),
        ("budget { vcs = 2; faults = 1 link; }", all),
        ("budget { vcs = 3; faults = 1 ocs; }", all),
        ("clock = 2 GHz;", all),
        ("link fiber { bandwidth = 100 GB/s; latency = 10 cycles; }", all),
        ("chip { radix = 6; vcs = 4; flit = 64 B; buffer = 50 flits; latency = 10 cycles; }", all),
        ("topology = synthesize { symmetry = translation; effort = 1; seed = 2; }", all),
        ("topology = torus 4 x 4 x 2;", tables),
        ("demand { all_to_all over groups of 8 weight 4; all_to_all weight 1; }", all),
    ]
}

#[test]
fn every_change_gives_the_bytes_of_a_build_without_cache() {
    let workshop = Workshop::new();
    let first = workshop.build(&pod().text(), &[]);
    assert_eq!(first.passes, SEARCHES);
    for (item, _) in changes() {
        let spec = pod().with(item).text();
        let mut built = ["", "again"].map(|_| workshop.build(&spec, &[]));
        let plain = workshop.build(&spec, &["--no-cache"]);
        for known in &mut built {
            assert!(known.files == plain.files, "{item}: other bytes");
        }
        let [_, again] = built;
        let is_known = |pass: &&String| SEARCHES.iter().chain(&RUNS).any(|known| known == *pass);
        assert_eq!(
            again.passes.iter().find(is_known),
            None,
            "{item}: the second build searches {:?}",
            again.passes
        );
    }
}

#[test]
fn a_build_searches_only_for_what_changed() {
    for (item, wanted) in changes() {
        let workshop = Workshop::new();
        workshop.build(&pod().text(), &[]);
        let built = workshop.build(&pod().with(item).text(), &[]);
        let searched: Vec<&str> =
            SEARCHES.into_iter().filter(|search| built.passes.iter().any(|pass| pass == search)).collect();
        assert_eq!(searched, wanted, "{item}");
    }
}

#[test]
fn damaged_entries_are_dropped_and_never_change_a_byte() {
    let workshop = Workshop::new();
    let spec = pod().text();
    let plain = workshop.build(&spec, &["--no-cache"]);
    workshop.build(&spec, &[]);
    let whole: Vec<(PathBuf, Vec<u8>)> =
        workshop.entries().into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect();
    assert!(whole.len() > 10, "{} entries", whole.len());
    for round in 0..DAMAGED_ROUNDS {
        // All entries are damaged at once, each at another place: a byte changed, an end cut off, nothing
        // left.
        for (number, (path, bytes)) in whole.iter().enumerate() {
            let place = (round * 7919 + number * 104_729) % bytes.len();
            let damaged = match (round + number) % 8 {
                0 => bytes[..place].to_vec(),
                1 => Vec::new(),
                _ => bytes
                    .iter()
                    .enumerate()
                    .map(|(at, byte)| byte ^ u8::from(at == place) << (round % 8))
                    .collect(),
            };
            std::fs::write(path, damaged).unwrap();
        }
        let built = workshop.build(&spec, &[]);
        assert!(built.files == plain.files, "round {round}: other bytes");
        assert!(built.messages.contains("dropped an entry of the cache: "), "{}", built.messages);
    }
}

/// With some 13 entries each, these are over 100 damaged entries. `FABC_DAMAGED_ROUNDS=80` makes them 1,000.
const DAMAGED_ROUNDS: usize = 8;

/// An entry with a proper hash whose content is of something else is convicted.
#[test]
fn entries_that_lie_are_convicted() {
    let workshop = Workshop::new();
    let spec = pod().text();
    let plain = workshop.build(&spec, &[]);
    let mut convicted = 0;
    for path in workshop.entries() {
        let bytes = std::fs::read(&path).unwrap();
        for lie in lies(&bytes) {
            std::fs::write(&path, sealed(&lie)).unwrap();
            let built = workshop.build(&spec, &[]);
            assert!(built.files == plain.files, "{}", path.display());
            assert!(built.messages.contains("dropped an entry of the cache: "), "{}", built.messages);
            convicted += 1;
        }
    }
    assert!(convicted > 20, "{convicted} lies");
}

/// Contents that say something else than an entry: another key, and a body in which one byte is another.
fn lies(bytes: &[u8]) -> Vec<Vec<u8>> {
    let content = &bytes[..bytes.len() - 32];
    let key = content.windows(7).position(|part| part == b"\"key\":\"").expect("an entry has a key") + 7;
    let changed = |place: usize, byte: u8| {
        let mut lie = content.to_vec();
        lie[place] = byte;
        lie
    };
    let mut lies = vec![changed(key, if content[key] == b'0' { b'1' } else { b'0' })];
    let head = content.iter().position(|&byte| byte == b'\n').expect("a head") + 1;
    if head + 8 < content.len() {
        lies.push(changed(head + 7, content[head + 7] ^ 1));
    }
    lies
}

fn sealed(content: &[u8]) -> Vec<u8> {
    [content, blake3::hash(content).as_bytes()].concat()
}

#[test]
fn the_cache_is_shown_and_cleared() {
    let workshop = Workshop::new();
    let root = workshop.folder.path();
    let cache = |args: &[&str], place: &Path| {
        let output = command(root, &[&["cache"], args].concat()).env("FABC_CACHE", place).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(
        cache(&[], Path::new("off")),
        "there is no cache: `FABC_CACHE` is off, or the system has no place for one\n"
    );
    assert_eq!(cache(&[], Path::new("mine")), "mine: 0 results, 0 B of at most 2.1 GB\n");
    workshop.build(&pod().with("budget { vcs = 2; faults = 0; }").text(), &[]);
    std::fs::write(workshop.cache().join("notes.txt"), "mine").unwrap();
    let json: serde_json::Value = serde_json::from_str(&cache(&["--json"], &workshop.cache())).unwrap();
    assert_eq!(json["entries"], 2);
    let cleared = cache(&["--clear"], &workshop.cache());
    assert!(cleared.ends_with(": 0 results, 0 B of at most 2.1 GB\n"), "{cleared}");
    assert!(workshop.cache().join("notes.txt").exists());
}

/// A directory that cannot be written keeps nothing, and the build goes on.
#[test]
fn a_cache_that_cannot_be_written_stops_no_build() {
    let workshop = Workshop::new();
    std::fs::write(workshop.cache(), "a file").unwrap();
    let built = workshop.build(&pod().with("budget { vcs = 2; faults = 0; }").text(), &[]);
    assert!(built.messages.contains("the cache keeps nothing: "), "{}", built.messages);
}
