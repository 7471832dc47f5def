//! fabc as a command, started as a user would.

use std::path::Path;
use std::process::{Command, Output};

/// Runs fabc and expects an exit code. Returns standard output and standard error.
pub(crate) fn fabc(directory: &Path, args: &[&str], code: i32) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fabc"));
    // Short messages are not wrapped.
    command
        .args(args)
        .args(["--message-format", "short"])
        .current_dir(directory)
        .env("NO_COLOR", "1")
        .env_remove("RUST_BACKTRACE");
    let Output { status, stdout, stderr } = command.output().expect("fabc starts");
    let (out, err) = (String::from_utf8(stdout).expect("UTF-8"), String::from_utf8(stderr).expect("UTF-8"));
    assert_eq!(status.code(), Some(code), "fabc {args:?}\n{out}\n{err}");
    (out, err)
}
