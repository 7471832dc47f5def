//! The page of benchmarks: the line above a table, and where tables stand.

use crate::measure::fabc;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

const PAGE: &str = "docs/benchmarks.md";

/// What a program prints, in one line. It is empty where the program does not run.
fn output_of(program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output.map_or_else(|_| String::new(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The line above the table: program, commit, date and machine.
pub(crate) fn machine(with_long: bool) -> String {
    let mut version = output_of(fabc(), &["--version"]);
    if !version.contains('(') {
        let _ = write!(version, " ({})", output_of("git", &["rev-parse", "--short=12", "HEAD"]));
    }
    let processor = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = processor.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or("processor");
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!(
        "`{version}`, {}, {cores} cores ({}), {}{}.",
        output_of("date", &["-u", "+%Y-%m-%d"]),
        processor.trim_start_matches([' ', '\t', ':']),
        output_of("rustc", &["--version"]).split(" (").next().unwrap_or_default(),
        if with_long { ", with `--long`" } else { "" },
    )
}

/// Replaces the table of the page.
pub(crate) fn write_between(markers: [&str; 2], table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = std::fs::read_to_string(&path).expect("the page is there");
    let [start, end] =
        markers.map(|marker| page.find(marker).unwrap_or_else(|| panic!("{PAGE}: no {marker}")));
    let page = format!("{}\n{table}\n{}", &page[..start + markers[0].len()], &page[end..]);
    std::fs::write(&path, page).expect("the page can be written");
}
