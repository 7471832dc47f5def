//! A trace as a file has it: `cycle,src,dst,flits`, a message per line.

use super::super::errors::SimError;
use crate::limits::SIMULATED_CYCLES;
use crate::model::{Trace, TraceLine};
use std::sync::Arc;

/// What the first line may be.
const HEAD: &str = "cycle,src,dst,flits";

/// Reads a trace; `path` is what messages call it. Lines that begin with `#`, and empty ones, say nothing.
///
/// # Errors
/// The first line that is no message, or that no line is one.
pub fn read_trace(path: &str, text: &str) -> Result<Trace, SimError> {
    let mut lines: Vec<TraceLine> = Vec::new();
    let written = (1..).zip(text.lines()).map(|(at, line)| (at, line.trim()));
    for (line, words) in written.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        let cells = cells(words);
        if lines.is_empty() && cells.join(",") == HEAD {
            continue;
        }
        let wrong = |what: String, help: &str| SimError::TraceLine { file: path.to_owned(), line, what, help: help.to_owned() };
        let [cycle, from, to, flits] = &cells[..] else {
            let what = format!("{} columns where there are 4", cells.len());
            return Err(wrong(what, "write `cycle,src,dst,flits`, such as `120,cube0[0,0,0],17,64`"));
        };
        let number = |name: &str, cell: &str, least: u32| {
            let found = cell.parse::<u64>().ok().filter(|_| cell.bytes().all(|byte| byte.is_ascii_digit()));
            let most = SIMULATED_CYCLES - 1;
            let fits = found.filter(|found| (u64::from(least)..=most).contains(found));
            fits.map(|found| found as u32)
                .ok_or_else(|| wrong(format!("`{cell}` is no {name}"), &format!("write a whole number from {least} to {most}")))
        };
        let (cycle, flits) = (number("cycle", cycle, 0)?, number("number of flits", flits, 1)?);
        if let Some(before) = lines.last().filter(|before| before.cycle > cycle) {
            let what = format!("cycle {cycle} comes after cycle {}", before.cycle);
            return Err(wrong(what, "sort the lines by their cycles: messages stand in the order in which they are sent"));
        }
        lines.push(TraceLine { line, cycle, ends: [from, to].map(|name| name.as_str().into()), flits });
    }
    match lines.is_empty() {
        true => Err(SimError::EmptyTrace { file: path.to_owned() }),
        false => Ok(Trace { path: path.to_owned(), lines: Arc::from(lines) }),
    }
}

/// The cells of a line: names of routers have commas of their own, in brackets; quotes around a cell go.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut depth, mut quoted) = (vec![String::new()], 0u32, false);
    for letter in line.chars() {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            '"' => quoted = !quoted,
            _ => {}
        }
        match cells.last_mut() {
            Some(cell) if letter != ',' || depth > 0 || quoted => cell.push(letter),
            _ => cells.push(String::new()),
        }
    }
    cells.iter().map(|cell| cell.trim().trim_matches('"').trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_messages() {
        let trace = read_trace("a.csv", "cycle, src, dst, flits\n0,0,1,6\n\n# later\n7, cube0[0,0,1] ,\"cube1[3,3,3]\",12\n").unwrap();
        let found: Vec<_> = trace.lines.iter().map(|of| (of.line, of.cycle, &*of.ends[0], &*of.ends[1], of.flits)).collect();
        assert_eq!(found, [(2, 0, "0", "1", 6), (5, 7, "cube0[0,0,1]", "cube1[3,3,3]", 12)]);
    }

    #[test]
    fn what_is_no_trace_is_refused_with_its_line() {
        for (text, line, what) in [
            ("0,1,2\n", 1, "3 columns where there are 4"),
            ("0,1,2,3,4", 1, "5 columns where there are 4"),
            ("0,1,2,0", 1, "`0` is no number of flits"),
            ("5,0,1,1\n4,0,1,1", 2, "cycle 4 comes after cycle 5"),
            ("0,0,1,99999999999", 1, "`99999999999` is no number of flits"),
            ("0,0,1,1\n-1,0,1,1", 2, "`-1` is no cycle"),
            ("18446744073709551616,0,1,1", 1, "`18446744073709551616` is no cycle"),
            ("cycle,src,dst,flits\nx,0,1,1", 2, "`x` is no cycle"),
        ] {
            let Err(SimError::TraceLine { line: at, what: found, .. }) = read_trace("a.csv", text) else { panic!("{text}") };
            assert_eq!((at, found.as_str()), (line, what));
        }
        for text in ["", "cycle,src,dst,flits\n", "# nothing\n"] {
            assert_eq!(read_trace("a.csv", text), Err(SimError::EmptyTrace { file: "a.csv".to_owned() }));
        }
    }
}
