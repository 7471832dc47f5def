//! Operations of the pipeline on folders in memory: no command, no disk.

use crate::support::spec_text::SpecText;
use fabc::compare::{BuildSide, compare_builds};
use fabc::compile::repair::Effort;
use fabc::folder::Folder;
use fabc::library::Loaded;
use fabc::operate::{BuiltFabric, DownParts, RepairRequest, repair_down};
use fabc::refusal::{Convicted, Refusal};
use fabc::syntax::print_spec;
use fabc::verify::verify_repair;
use std::collections::BTreeMap;

/// A folder in memory.
#[derive(Clone)]
struct MemoryFolder {
    path: String,
    files: BTreeMap<String, Vec<u8>>,
}

/// Why an operation on a folder in memory ends without a result.
#[derive(Debug)]
enum MemoryError {
    Refused(Refusal),
    Convicted(Convicted),
    NoFile(String),
    BadSpec,
}

impl From<Refusal> for MemoryError {
    fn from(refusal: Refusal) -> Self {
        MemoryError::Refused(refusal)
    }
}

impl From<Convicted> for MemoryError {
    fn from(convicted: Convicted) -> Self {
        MemoryError::Convicted(convicted)
    }
}

impl Folder for MemoryFolder {
    type Error = MemoryError;

    fn path(&self) -> String {
        self.path.clone()
    }

    fn below(&self, folder: &str) -> Self {
        let folder = format!("{}/", folder.trim_end_matches('/'));
        let below = |(path, bytes): (&String, &Vec<u8>)| {
            Some((path.strip_prefix(&folder)?.to_owned(), bytes.clone()))
        };
        Self { path: format!("{}/{folder}", self.path), files: self.files.iter().filter_map(below).collect() }
    }

    fn has(&self, file: &str) -> bool {
        self.files.contains_key(file)
    }

    fn has_folder(&self, folder: &str) -> bool {
        !self.below(folder).files.is_empty()
    }

    fn size(&self, file: &str) -> Option<u64> {
        self.files.get(file).map(|bytes| bytes.len() as u64)
    }

    fn read(&self, file: &str) -> Result<Vec<u8>, MemoryError> {
        self.files.get(file).cloned().ok_or_else(|| MemoryError::NoFile(file.to_owned()))
    }

    fn text(&self, file: &str, _: u64) -> Result<String, MemoryError> {
        String::from_utf8(self.read(file)?).map_err(|_| MemoryError::NoFile(file.to_owned()))
    }

    fn paths(&self) -> Result<Vec<String>, MemoryError> {
        Ok(self.files.keys().cloned().collect())
    }

    fn spec(&self) -> Result<Loaded, MemoryError> {
        let read = |file: &str| self.text(file, u64::MAX).map_err(|error| format!("{error:?}"));
        let (fabric, spec, sources) =
            fabc::verify::load(&self.path, &read).map_err(|_| MemoryError::BadSpec)?;
        let text = print_spec(&spec);
        Ok(Loaded { fabric, spec, text, sources, warnings: Vec::new(), settings: Vec::new() })
    }

    fn fabric(&self) -> Result<Loaded, MemoryError> {
        self.spec()
    }

    fn convicting(error: MemoryError) -> MemoryError {
        error
    }
}

fn built_pod() -> MemoryFolder {
    let spec = SpecText::pod([2, 2, 2], 2).with("budget { vcs = 2; faults = 1 ocs; }").text();
    let compiled = fabc::build(&spec, &fabc::Options::default()).unwrap();
    let files = compiled.artifacts().into_iter().map(|file| (file.path, file.bytes)).collect();
    MemoryFolder { path: "pod".to_owned(), files }
}

#[test]
fn a_repair_in_memory_is_made_and_verified() {
    let built = BuiltFabric::read(built_pod()).unwrap();
    let down = DownParts::by_names(built.as_built(), &["cube0[0,0,0]".to_owned()]).unwrap();
    let request = RepairRequest { partial: false, effort: Effort::Auto, earlier: None };
    let repair = repair_down(&built, &down, &request).unwrap();
    let files = repair.files.into_iter().map(|file| (file.path, file.bytes)).collect();
    let mut out = MemoryFolder { path: "repaired".to_owned(), files };
    let verified = verify_repair(&built, &out, None).unwrap();
    // 15 chips are left of 16.
    assert_eq!(verified.walk.pairs, 15 * 14);
    out.files.insert("more.txt".to_owned(), Vec::new());
    let Err(MemoryError::Convicted(Convicted { errors, .. })) = verify_repair(&built, &out, None) else {
        panic!("a foreign file is convicted");
    };
    assert_eq!(errors[0].to_string(), "more.txt: is not a file that fabc writes here");
}

#[test]
fn unknown_parts_and_missing_files_are_refused() {
    let built = BuiltFabric::read(built_pod()).unwrap();
    let Err(refusal) = DownParts::by_names(built.as_built(), &["cube9".to_owned()]) else {
        panic!("there are two cubes");
    };
    assert_eq!(refusal.to_string(), "there is no switch, router, link or block of routers `cube9`");
    assert_eq!(refusal.exit_code(), 2);
    let mut folder = built_pod();
    folder.files.retain(|path, _| !path.starts_with("tables/"));
    let Err(MemoryError::Refused(refusal)) = BuiltFabric::read(folder) else {
        panic!("a repair needs tables");
    };
    assert_eq!(refusal.to_string(), "there are no tables for the scenario `nominal`");
    let mut folder = built_pod();
    folder.files.remove("certificates.json");
    assert!(
        matches!(BuiltFabric::read(folder), Err(MemoryError::NoFile(file)) if file == "certificates.json")
    );
}

#[test]
fn builds_in_memory_are_compared() {
    let mut changed = built_pod();
    let sides = [BuildSide::read(built_pod()).unwrap(), BuildSide::read(changed.clone()).unwrap()];
    assert!(compare_builds(&sides, None).unwrap().is_same());
    changed.files.remove("report.txt");
    let sides = [BuildSide::read(built_pod()).unwrap(), BuildSide::read(changed).unwrap()];
    assert!(!compare_builds(&sides, None).unwrap().is_same());
}
