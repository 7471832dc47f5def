//! The cache of earlier results: it decides how long a build takes, and nothing else.

mod damaged;
mod kinds;

use crate::support::plain::{command, files};
use crate::support::spec_text::SpecText;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A folder with a spec, a cache, and what builds write.
struct Workshop {
    folder: tempfile::TempDir,
}

/// What a build wrote and printed, and which passes searched.
struct Built {
    files: BTreeMap<PathBuf, Vec<u8>>,
    summary: String,
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
        std::fs::write(root.join("spec.fab"), spec).unwrap();
        let args = [&["build", "spec.fab", "--timings", "-v"], options].concat();
        let output = command(root, &args).env("FABC_CACHE", self.cache()).output().unwrap();
        let messages = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{messages}\n{spec}");
        let deep = messages.lines().filter(|line| line.starts_with("    ") && line.ends_with(" s"));
        let name = |line: &str| line.rsplitn(3, ' ').nth(2).map(|name| name.trim().to_owned());
        let passes = deep.filter_map(name).collect();
        let summary = String::from_utf8(output.stdout).unwrap();
        Built { files: files(&root.join("out")), summary: without_time(&summary), passes, messages }
    }

    fn entries(&self) -> Vec<PathBuf> {
        let mut entries: Vec<PathBuf> =
            std::fs::read_dir(self.cache()).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        entries
    }
}

/// What a build printed, without the lines that say how long it took.
fn without_time(summary: &str) -> String {
    summary.lines().filter(|line| !line.starts_with("wrote ")).collect::<Vec<_>>().join("\n")
}

fn pod() -> SpecText {
    SpecText::pod([2, 2, 2], 4)
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

/// A check searches for everything again. A valid result that another search would not have found differs.
#[test]
fn what_is_kept_is_compared_with_new_searches() {
    let workshop = Workshop::new();
    let spec = pod().with("budget { vcs = 2; faults = 0; }").text();
    workshop.build(&spec, &[]);
    let check = |exit_code: i32| {
        let args = ["cache", "--check", "spec.fab"];
        let output =
            command(workshop.folder.path(), &args).env("FABC_CACHE", workshop.cache()).output().unwrap();
        assert_eq!(output.status.code(), Some(exit_code), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().lines().nth(1).unwrap().to_owned()
    };
    assert_eq!(check(0), "checked: 2 results as a new search finds them, none differs, 0 not kept");
    // An entry that another search could have found: it says that the flow took more rounds.
    let entry = workshop.entries().into_iter().find_map(|path| {
        let content = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        content.contains("\"rounds\":").then_some(path)
    });
    let entry = entry.expect("an entry of the healthy fabric");
    let bytes = std::fs::read(&entry).unwrap();
    let place = bytes.windows(9).position(|part| part == b"\"rounds\":").unwrap() + 9;
    let mut content = bytes[..bytes.len() - 32].to_vec();
    content[place] = if content[place] == b'1' { b'2' } else { b'1' };
    std::fs::write(&entry, damaged::sealed(&content)).unwrap();
    let differs = "checked: 1 result as a new search finds them, 1 differed and were removed, 0 not kept";
    assert_eq!(check(3), differs);
    assert_eq!(check(0), "checked: 1 result as a new search finds them, none differs, 1 not kept");
}

/// `--cache DIR` takes the place of the cache of the user.
#[test]
fn a_build_may_name_its_cache() {
    let workshop = Workshop::new();
    let spec = pod().with("topology = torus 4 x 4 x 2;").with("budget { vcs = 2; faults = 0; }").text();
    workshop.build(&spec, &["--cache", "mine"]);
    assert!(!workshop.cache().exists());
    let again = workshop.build(&spec, &["--cache", "mine"]);
    assert!(again.passes.is_empty(), "{:?}", again.passes);
    assert!(!workshop.build(&spec, &[]).passes.is_empty());
}

/// A directory that cannot be written keeps nothing, and the build goes on.
#[test]
fn a_cache_that_cannot_be_written_stops_no_build() {
    let workshop = Workshop::new();
    std::fs::write(workshop.cache(), "a file").unwrap();
    let built = workshop.build(&pod().with("budget { vcs = 2; faults = 0; }").text(), &[]);
    assert!(built.messages.contains("the cache keeps nothing: "), "{}", built.messages);
}
