//! What `fabc --version` prints: the version and, of a release build in a clone, the commit.
//!
//! No artifact has it. Builds for development go without, since every commit would compile everything again.

use std::env;
use std::path::Path;
use std::process::Command;

/// The root of the repository, from this crate.
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

/// The commit that is checked out; `None` without git, and in a directory that only lies in another clone.
fn commit(directory: &Path) -> Option<String> {
    // A copy of this crate in another clone has that clone above it, but not itself at its place.
    if !directory.join(".git").exists() || !directory.join("src/cli/version.rs").exists() {
        return None;
    }
    let git = |args: &[&str]| {
        let output = Command::new("git").arg("-C").arg(directory).args(args).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
        (output.status.success() && !text.is_empty()).then_some(text)
    };
    // Where a new commit leaves its traces.
    println!(
        "cargo::rerun-if-changed={}",
        directory.join(git(&["rev-parse", "--git-path", "logs/HEAD"])?).display()
    );
    git(&["rev-parse", "--short=12", "HEAD"])
}
