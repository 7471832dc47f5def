//! Reads a trace that the command line names.

use super::super::errors::SimError;
use fabc_model::{Trace, TraceProblem};

/// Reads a trace. `path` is its name in messages.
///
/// # Errors
/// [`SimError::TraceLine`] for the first malformed line, or [`SimError::EmptyTrace`].
pub fn read_trace(path: &str, text: &str) -> Result<Trace, SimError> {
    Trace::read(path, text).map_err(|problem| match problem {
        TraceProblem::Line { line, what, help } => {
            SimError::TraceLine { file: path.to_owned(), line, what, help }
        }
        TraceProblem::Empty => SimError::EmptyTrace { file: path.to_owned() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_messages() {
        let trace = read_trace(
            "a.csv",
            "cycle, src, dst, flits\n0,0,1,6\n\n# later\n7, cube0[0,0,1] ,\"cube1[3,3,3]\",12\n",
        )
        .unwrap();
        let found: Vec<_> =
            trace.lines.iter().map(|of| (of.line, of.cycle, &*of.ends[0], &*of.ends[1], of.flits)).collect();
        assert_eq!(found, [(2, 0, "0", "1", 6), (5, 7, "cube0[0,0,1]", "cube1[3,3,3]", 12)]);
    }

    #[test]
    fn messages_wait_for_earlier_ones() {
        let text = "cycle,src,dst,flits,after\n9,0,1,6,\n2,1,2,6,1\n# a wait\n0,2,2,0,2  1 2\n3,0,1,1,3\n";
        let trace = read_trace("a.csv", text).unwrap();
        let found: Vec<_> = trace.lines.iter().map(|of| (of.cycle, of.flits, &*of.after)).collect();
        assert_eq!(found, [(9, 6, &[][..]), (2, 6, &[0]), (0, 0, &[0, 1]), (3, 1, &[2])]);
        assert!(trace.is_closed && read_trace("a.csv", "0,0,1,6,\n").unwrap().is_closed);
        assert!(!read_trace("a.csv", "0,0,1,6\n").unwrap().is_closed);
    }

    #[test]
    fn what_is_no_trace_is_refused_with_its_line() {
        for (text, line, what) in [
            ("0,1,2\n", 1, "3 columns instead of 4, 5 or 6"),
            ("0,1,2,3,,4,5", 1, "7 columns instead of 4, 5 or 6"),
            ("0,1,2,3,1", 1, "`1` is no earlier message"),
            ("0,1,2,3\n0,1,2,3,1 3", 2, "`3` is no earlier message"),
            ("0,1,2,3\n0,1,2,3,1 0", 2, "`0` is no earlier message"),
            ("0,1,2,3\n0,1,2,3,1;1", 2, "`1;1` is no earlier message"),
            ("5,0,1,1\n0,0,1,1,1\n4,0,1,1", 3, "cycle 4 comes after cycle 5"),
            ("0,1,2,0", 1, "`0` is not a number of flits"),
            ("5,0,1,1\n4,0,1,1", 2, "cycle 4 comes after cycle 5"),
            ("0,0,1,99999999999", 1, "`99999999999` is not a number of flits"),
            ("0,0,1,1\n-1,0,1,1", 2, "`-1` is not a cycle"),
            ("18446744073709551616,0,1,1", 1, "`18446744073709551616` is not a cycle"),
            ("cycle,src,dst,flits\nx,0,1,1", 2, "`x` is not a cycle"),
        ] {
            let Err(SimError::TraceLine { line: at, what: found, .. }) = read_trace("a.csv", text) else {
                panic!("{text}")
            };
            assert_eq!((at, found.as_str()), (line, what));
        }
        for text in ["", "cycle,src,dst,flits\n", "# nothing\n"] {
            assert_eq!(read_trace("a.csv", text), Err(SimError::EmptyTrace { file: "a.csv".to_owned() }));
        }
    }
}
