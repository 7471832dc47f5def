//! Runs a command in a process of its own, and measures its time and its memory.

use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Clock ticks per second in `/proc`, the same on all Linux machines.
const TICKS_PER_SECOND: f64 = 100.0;

/// The time between two looks at a running process.
const PAUSE: Duration = Duration::from_millis(2);

/// What a process printed, and what it took.
pub(crate) struct Measured {
    pub(crate) status: ExitStatus,
    pub(crate) output: String,
    pub(crate) errors: String,
    /// By the clock.
    pub(crate) seconds: f64,
    /// User time of a processor. It is 0 where the system does not tell.
    pub(crate) user_seconds: f64,
    /// Peak resident memory in MB. It is 0 where the system does not tell.
    pub(crate) megabytes: u64,
}

/// The fabc that is measured: `FABC` in the environment, or else the one that cargo built.
pub(crate) fn fabc() -> PathBuf {
    std::env::var_os("FABC")
        .map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_fabc")), PathBuf::from)
        .canonicalize()
        .expect("FABC is a file")
}

/// The arguments behind `--` that are no options of cargo.
pub(crate) fn arguments() -> Vec<String> {
    std::env::args().skip(1).filter(|argument| argument != "--bench").collect()
}

/// Runs a command to its end. Nothing else may wait for children meanwhile.
pub(crate) fn measure(command: &mut Command) -> Measured {
    let texts = [".out", ".err"]
        .map(|ending| std::env::temp_dir().join(format!("fabc-measured-{}{ending}", std::process::id())));
    // Files, because nobody reads a pipe while the process runs.
    let [output, errors] = [&texts[0], &texts[1]]
        .map(|path| Stdio::from(std::fs::File::create(path).expect("a file for output")));
    let user_before = user_seconds_of_children();
    let started = Instant::now();
    let mut child = command.stdout(output).stderr(errors).spawn().expect("the program starts");
    let mut megabytes = 0;
    let status = loop {
        megabytes = megabytes.max(peak(child.id()));
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            break status;
        }
        std::thread::sleep(PAUSE);
    };
    let seconds = started.elapsed().as_secs_f64();
    let user_seconds = user_seconds_of_children() - user_before;
    let [output, errors] = texts.map(|path| {
        let text = std::fs::read_to_string(&path).expect("output is text");
        let _ = std::fs::remove_file(path);
        text
    });
    Measured { status, output, errors, seconds, user_seconds, megabytes }
}

/// Peak resident memory of a process so far in MB, as Linux tells it.
fn peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()).unwrap_or(0) / 1000
}

/// User time of all children that have ended, as Linux tells it.
fn user_seconds_of_children() -> f64 {
    let status = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program stands in brackets and may hold blanks. User time is the 14th field behind it.
    let fields = status.rsplit_once(')').map_or("", |(_, fields)| fields);
    fields.split_whitespace().nth(13).and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or(0.0)
        / TICKS_PER_SECOND
}
