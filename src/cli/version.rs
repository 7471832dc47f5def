//! Sets the text of `fabc --version`: the version, and the commit for a release build in a clone.
//!
//! No artifact contains it. Development builds leave the commit out, because every new commit would force a
//! full rebuild.

use std::env;
use std::path::Path;
use std::process::Command;

/// From this crate to the root of the repository.
const ROOT: &str = "../..";

fn main() {
    println!("cargo::rerun-if-changed=version.rs");
    let variable = |name| env::var(name).unwrap_or_default();
    let commit = if variable("PROFILE") == "release" {
        commit(&Path::new(&variable("CARGO_MANIFEST_DIR")).join(ROOT))
    } else {
        None
    };
    let commit = commit.map_or_else(String::new, |commit| format!(" ({commit})"));
    println!("cargo::rustc-env=FABC_VERSION={}{commit}", variable("CARGO_PKG_VERSION"));
}

/// The commit that is checked out. `None` without git, or if the directory merely lies inside another clone.
fn commit(directory: &Path) -> Option<String> {
    // A copy of this crate inside another clone has that clone's `.git` above it, but not at the expected
    // place.
    if !directory.join(".git").exists() || !directory.join("src/cli/version.rs").exists() {
        return None;
    }
    let git = |args: &[&str]| {
        let output = Command::new("git").arg("-C").arg(directory).args(args).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
        (output.status.success() && !text.is_empty()).then_some(text)
    };
    // Git appends to this file at every new commit.
    println!(
        "cargo::rerun-if-changed={}",
        directory.join(git(&["rev-parse", "--git-path", "logs/HEAD"])?).display()
    );
    git(&["rev-parse", "--short=12", "HEAD"])
}
