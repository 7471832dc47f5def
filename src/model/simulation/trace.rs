//! The text form of a trace: `cycle,src,dst,flits` and optionally `after` and `port`, one message per line.

use super::details::{Trace, TraceLine};
use fabc_base::csv;
use fabc_base::limits::SIMULATED_CYCLES;
use std::fmt;
use std::sync::Arc;

/// The names of the columns, of which the last two may be missing.
const COLUMNS: [&str; 6] = ["cycle", "src", "dst", "flits", "after", "port"];

/// Why a file is no trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TraceProblem {
    /// The first line that is no message.
    Line {
        /// Its number, from 1 on.
        line: u32,
        /// Why it is no message.
        what: String,
        /// A hint about what to write instead.
        help: String,
    },
    /// No line is a message.
    Empty,
}

impl fmt::Display for TraceProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceProblem::Line { line, what, .. } => write!(f, "line {line}: {what}"),
            TraceProblem::Empty => f.write_str("it has no messages"),
        }
    }
}

impl Trace {
    /// Reads a trace. `path` is the name of the file in messages. Empty lines and lines that begin with `#`
    /// are skipped. Messages are numbered from 1 on.
    ///
    /// # Errors
    /// [`TraceProblem::Line`] for the first line that is no message, [`TraceProblem::Empty`] if there is no
    /// message.
    pub fn read(path: &str, text: &str) -> Result<Self, TraceProblem> {
        let mut lines: Vec<TraceLine> = Vec::new();
        let (mut latest, mut is_closed) = (0, false);
        let written = (1..).zip(text.lines()).map(|(number, line)| (number, line.trim()));
        for (line, words) in written.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
            let at = LineReader { line };
            let cells = csv::cells(words)
                .map_err(|what| at.problem(what.to_owned(), "a quote within quotes must be doubled"))?;
            is_closed |= cells.len() > 4;
            if lines.is_empty() && cells.len() >= 4 && cells.iter().eq(COLUMNS.iter().take(cells.len())) {
                continue;
            }
            let message = at.message(&cells, lines.len())?;
            if message.after.is_empty() {
                at.check_order(message.cycle, latest)?;
                latest = message.cycle;
            }
            lines.push(message);
        }
        match lines.is_empty() {
            true => Err(TraceProblem::Empty),
            false => Ok(Trace {
                path: path.to_owned(),
                name: path.to_owned(),
                text: text.into(),
                lines: Arc::from(lines),
                is_closed,
            }),
        }
    }
}

/// Reads one line of a trace.
struct LineReader {
    line: u32,
}

impl LineReader {
    fn problem(&self, what: String, help: &str) -> TraceProblem {
        TraceProblem::Line { line: self.line, what, help: help.to_owned() }
    }

    /// The message of a line, before which there are `before` messages.
    fn message(&self, cells: &[String], before: usize) -> Result<TraceLine, TraceProblem> {
        let ([cycle, from, to, flits], rest) =
            cells.split_first_chunk().ok_or_else(|| self.columns(cells))?;
        let (after, port) = match rest {
            [] => ("", ""),
            [after] => (after.as_str(), ""),
            [after, port] => (after.as_str(), port.as_str()),
            _ => return Err(self.columns(cells)),
        };
        let cycle = self.number("cycle", cycle, 0)?;
        let is_wait = from == to && flits == "0";
        let flits = self.number("number of flits", flits, if is_wait { 0 } else { 1 })?;
        let mut after = after
            .split_ascii_whitespace()
            .map(|cell| self.earlier_message(cell, before))
            .collect::<Result<Vec<u32>, _>>()?;
        after.sort_unstable();
        after.dedup();
        let ends = [from, to].map(|name| name.as_str().into());
        let port = match port {
            "" => None,
            port => Some(self.number("port", port, 0)?).map(|port| u16::try_from(port).unwrap_or(u16::MAX)),
        };
        Ok(TraceLine { line: self.line, cycle, ends, flits, after: after.into(), port })
    }

    /// The problem of a line with too few or too many columns.
    fn columns(&self, cells: &[String]) -> TraceProblem {
        self.problem(
            format!("{} columns instead of 4, 5 or 6", cells.len()),
            "write `cycle,src,dst,flits`, and where messages wait for others also `after`, such as `120,0,17,64,1 2`",
        )
    }

    /// The index of a message that stands before this line.
    fn earlier_message(&self, cell: &str, before: usize) -> Result<u32, TraceProblem> {
        let number = cell.parse::<usize>().ok().filter(|_| cell.bytes().all(|byte| byte.is_ascii_digit()));
        number.filter(|number| (1..=before).contains(number)).map(|number| number as u32 - 1).ok_or_else(
            || {
                let known = match before {
                    0 => "no message stands before this line".to_owned(),
                    _ => format!("messages 1 to {before} stand before this line"),
                };
                self.problem(format!("`{cell}` is no earlier message"), &known)
            },
        )
    }

    fn number(&self, name: &str, cell: &str, least: u32) -> Result<u32, TraceProblem> {
        let value = cell.parse::<u64>().ok().filter(|_| cell.bytes().all(|byte| byte.is_ascii_digit()));
        let limit = SIMULATED_CYCLES - 1;
        let fits = value.filter(|value| (u64::from(least)..=limit).contains(value));
        fits.map(|value| value as u32).ok_or_else(|| {
            self.problem(
                format!("`{cell}` is not a {name}"),
                &format!("write a whole number from {least} to {limit}"),
            )
        })
    }

    /// Checks that a message that waits for no other one does not come before the last one of these.
    fn check_order(&self, cycle: u32, latest: u32) -> Result<(), TraceProblem> {
        if cycle >= latest {
            return Ok(());
        }
        Err(self.problem(
            format!("cycle {cycle} comes after cycle {latest}"),
            "sort the lines by their cycles: messages stand in the order in which they are sent",
        ))
    }
}
