//! fabc as a command whose messages are those that people see, and the files that it leaves.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// fabc in a directory, not started yet.
pub(crate) fn command(directory: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fabc"));
    command.args(args).current_dir(directory).env("NO_COLOR", "1").env_remove("RUST_BACKTRACE");
    command
}

/// Runs fabc and expects an exit code. Returns standard output and standard error.
pub(crate) fn fabc(directory: &Path, args: &[&str], code: i32) -> (String, String) {
    let Output { status, stdout, stderr } = command(directory, args).output().expect("fabc starts");
    let (out, err) = (String::from_utf8(stdout).expect("UTF-8"), String::from_utf8(stderr).expect("UTF-8"));
    assert_eq!(status.code(), Some(code), "fabc {args:?}\n{out}\n{err}");
    (out, err)
}

/// All files below a directory.
pub(crate) fn files(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files_found = BTreeMap::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_found.extend(
                files(&path)
                    .into_iter()
                    .map(|(below, bytes)| (PathBuf::from(path.file_name().unwrap()).join(below), bytes)),
            );
        } else {
            files_found.insert(path.file_name().unwrap().into(), std::fs::read(&path).unwrap());
        }
    }
    files_found
}
