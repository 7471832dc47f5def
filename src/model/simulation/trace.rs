//! The text form of a trace: `cycle,src,dst,flits`, one message per line.

use super::details::{Trace, TraceLine};
use fabc_base::csv;
use fabc_base::limits::SIMULATED_CYCLES;
use std::fmt;
use std::sync::Arc;

const HEAD: &str = "cycle,src,dst,flits";

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
    /// are skipped.
    ///
    /// # Errors
    /// [`TraceProblem::Line`] for the first line that is no message, [`TraceProblem::Empty`] if there is no
    /// message.
    pub fn read(path: &str, text: &str) -> Result<Self, TraceProblem> {
        let mut lines: Vec<TraceLine> = Vec::new();
        let written = (1..).zip(text.lines()).map(|(number, line)| (number, line.trim()));
        for (line, words) in written.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
            let problem = |what: String, help: &str| TraceProblem::Line { line, what, help: help.to_owned() };
            let cells = csv::cells(words)
                .map_err(|what| problem(what.to_owned(), "a quote within quotes must be doubled"))?;
            if lines.is_empty() && cells.join(",") == HEAD {
                continue;
            }
            let [cycle, from, to, flits] = &cells[..] else {
                let message = format!("{} columns instead of 4", cells.len());
                return Err(problem(
                    message,
                    "write `cycle,src,dst,flits`, such as `120,cube0[0,0,0],17,64`",
                ));
            };
            let number = |name: &str, cell: &str, least: u32| {
                let value =
                    cell.parse::<u64>().ok().filter(|_| cell.bytes().all(|byte| byte.is_ascii_digit()));
                let limit = SIMULATED_CYCLES - 1;
                let fits = value.filter(|value| (u64::from(least)..=limit).contains(value));
                fits.map(|value| value as u32).ok_or_else(|| {
                    problem(
                        format!("`{cell}` is not a {name}"),
                        &format!("write a whole number from {least} to {limit}"),
                    )
                })
            };
            let (cycle, flits) = (number("cycle", cycle, 0)?, number("number of flits", flits, 1)?);
            if let Some(before) = lines.last().filter(|before| before.cycle > cycle) {
                let message = format!("cycle {cycle} comes after cycle {}", before.cycle);
                return Err(problem(
                    message,
                    "sort the lines by their cycles: messages stand in the order in which they are sent",
                ));
            }
            lines.push(TraceLine { line, cycle, ends: [from, to].map(|name| name.as_str().into()), flits });
        }
        match lines.is_empty() {
            true => Err(TraceProblem::Empty),
            false => Ok(Trace {
                path: path.to_owned(),
                name: path.to_owned(),
                text: text.into(),
                lines: Arc::from(lines),
            }),
        }
    }
}
