//! What the engines share: the polling interval, and how a process of a job ended.

use std::time::Duration;

/// The interval at which the disk is polled while others work.
pub(crate) const ASKED_EVERY: Duration = Duration::from_millis(100);

/// How one process ended, if its work is unfinished.
pub(crate) struct FailedShard {
    /// The number of the shard, from 1.
    pub(crate) shard: usize,
    /// A phrase, as far as anything is known.
    pub(crate) how: String,
}

/// The last line that is not blank. If a diagnostic was printed, the line with its message.
pub(crate) fn last_line(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let says = |line: &&&str| line.starts_with('×');
    lines.iter().rev().find(says).or(lines.last()).map(|line| line.trim_start_matches(['×', ' ']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_is_what_is_wrong() {
        assert_eq!(last_line(b"one\n  two  \n\n").unwrap(), "two");
        let drawn = "1 of 2\nFAB0503\n\n  × cannot write `x`: no space\n  help: nothing half written\n";
        assert_eq!(last_line(drawn.as_bytes()).unwrap(), "cannot write `x`: no space");
        assert_eq!(last_line(b"sbatch: error: no\nsbatch: fatal\n").unwrap(), "sbatch: fatal");
        assert!(last_line(b" \n").is_none());
    }
}
