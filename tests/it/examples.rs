//! The projects of `examples/`: each runs in a folder of its own, as its README says. The notebook is run by
//! `python/tests/test_notebook.py`.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        if path.is_dir() {
            copy(&path, &to.join(name))
        } else {
            std::fs::copy(&path, to.join(name)).map(drop).unwrap()
        }
    }
}

/// What a project prints when its `run.sh` has ended without an error.
fn printed(project: &Path) -> String {
    let place = tempfile::tempdir().unwrap();
    copy(project, place.path());
    let programs = Path::new(env!("CARGO_BIN_EXE_fabc")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let output =
        Command::new("sh").arg("run.sh").current_dir(place.path()).env("PATH", path).output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(output.status.success(), "{}: {out}{err}", project.display());
    out
}

#[test]
fn every_project_runs_as_its_readme_says() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let list = std::fs::read_to_string(examples.join("README.md")).unwrap();
    let projects: BTreeSet<String> = std::fs::read_dir(&examples)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    assert_eq!(projects.len(), 5, "{projects:?}");
    for (name, says) in [
        ("ci", "latency = 25 ns"),
        ("own_graph", "verified out/lab: "),
        ("cluster_sweep", "sbatch --parsable jobs/slurm/run.sh"),
        ("labels", "nodeLabel: kubernetes.io/hostname"),
    ] {
        let out = printed(&examples.join(name));
        assert!(out.contains(says), "{name}: {out}");
    }
    for name in &projects {
        assert!(list.contains(&format!("[{name}]({name})")), "{name} is not listed");
        let readme = std::fs::read_to_string(examples.join(name).join("README.md")).unwrap();
        assert!(readme.starts_with("# "), "{name}");
    }
    assert!(projects.contains("notebook") && examples.join("notebook/compare.ipynb").is_file());
}
