//! The values of a sweep: `cubes=2,4,8`, `seed=1..=8`.
//!
//! Input: the words of the command line. Output: all combinations, with the last parameter changing first.
//! The spec decides whether the values are valid.

use crate::io::errors::DriverError;
use fabc_base::limits::SWEEP_RUNS;

/// A parameter with the values that it takes.
#[derive(Debug)]
pub(crate) struct ParameterValues {
    pub(crate) name: String,
    values: Vec<String>,
}

/// Reads one `NAME=VALUES`. Text of any other form is a single value, and the build reports its error.
///
/// # Errors
/// `DriverError::Sweep` for a range that is empty or too long, or for nothing between two commas.
pub(crate) fn parse_swept(set: &str) -> Result<ParameterValues, DriverError> {
    let (name, list) = set.split_once('=').unwrap_or((set, ""));
    let mut values = Vec::new();
    for part in split_values(list) {
        let part = part.trim();
        let invalid = |problem: &str| {
            let problem = format!("`{set}`: {problem}");
            DriverError::Sweep {
                problem,
                hint: "write `cubes=2,4,8`, `seed=1..9` (without 9) or `seed=1..=8`".to_owned(),
            }
        };
        if let Some(meant) = meant_as_a_range(part) {
            let problem = format!("`{set}`: `{part}` is not a range");
            return Err(DriverError::Sweep {
                problem,
                hint: format!("to include both ends, write `{name}={meant}`", name = name.trim()),
            });
        }
        let Some((low, high)) = parse_range(part) else {
            if part.is_empty() && list.contains(',') {
                return Err(invalid("a value between two commas is missing"));
            }
            values.push(part.to_owned());
            continue;
        };
        if high < low {
            return Err(invalid("the range is empty"));
        }
        if high.abs_diff(low) >= SWEEP_RUNS as u64 {
            return Err(invalid(&format!("a sweep has at most {SWEEP_RUNS} runs")));
        }
        values.extend((low..=high).map(|value| value.to_string()));
    }
    Ok(ParameterValues { name: name.trim().to_owned(), values })
}

/// Splits at commas outside quotes and brackets.
fn split_values(list: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut quoted) = (Vec::new(), 0, 0_i32, false);
    for (at, letter) in list.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '(' | '[' if !quoted => depth += 1,
            ')' | ']' if !quoted => depth -= 1,
            ',' if !quoted && depth <= 0 => {
                parts.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    parts
}

/// The first and last value of `1..9` or `1..=8`.
fn parse_range(part: &str) -> Option<(i64, i64)> {
    let (low, high) = part.split_once("..")?;
    let (high, open) = high.strip_prefix('=').map_or((high, 1), |high| (high, 0));
    let integer = |text: &str| text.trim().replace('_', "").parse::<i64>().ok();
    let (low, high) = (integer(low)?, integer(high)?);
    Some((low, high.checked_sub(open)?))
}

/// Suggests `2..=8` for `2-8` and `2:8`. As an expression, `2-8` would be a difference.
fn meant_as_a_range(part: &str) -> Option<String> {
    let (low, high) = ["-", ":", "~", " to ", "\u{2013}"].iter().find_map(|sign| part.split_once(sign))?;
    let is_whole =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let [low, high] = [low.trim(), high.trim()];
    (is_whole(low) && is_whole(high)).then(|| format!("{low}..={high}"))
}

/// All combinations with one value for each parameter. The sweep has `planned` runs already.
///
/// # Errors
/// `DriverError::Sweep` if there are more than a sweep may have.
pub(crate) fn combinations(
    swept: &[ParameterValues],
    planned: usize,
) -> Result<Vec<Vec<String>>, DriverError> {
    let mut combinations: Vec<Vec<String>> = vec![Vec::new()];
    for ParameterValues { name, values } in swept {
        if combinations.len().saturating_mul(values.len()).saturating_add(planned) > SWEEP_RUNS {
            let problem = format!("with `{name}` there are more than {SWEEP_RUNS} runs");
            return Err(DriverError::Sweep { problem, hint: "sweep fewer values".to_owned() });
        }
        let with = |known: &Vec<String>| {
            let known = known.clone();
            values.iter().map(move |value| known.iter().cloned().chain([value.clone()]).collect())
        };
        combinations = combinations.iter().flat_map(with).collect();
    }
    Ok(combinations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_lists_and_ranges() {
        let values = |set: &str| parse_swept(set).unwrap().values;
        assert_eq!(values("cubes=2,4, 8"), ["2", "4", "8"]);
        assert_eq!(values("seed=1..4,7..=8"), ["1", "2", "3", "7", "8"]);
        assert_eq!(values("rate=100 GB/s,(2, 3)"), ["100 GB/s", "(2, 3)"]);
        assert_eq!(values("file=\"a,b.csv\",c.csv"), ["\"a,b.csv\"", "c.csv"]);
        assert_eq!(values("side=-2..=-1"), ["-2", "-1"]);
        for invalid in ["seed=4..4", "seed=1,,2", "seed=0..1_000_000_000", "seed=5..=4", "seed=0..1000000000"]
        {
            assert!(parse_swept(invalid).is_err(), "{invalid}");
        }
        for dashed in ["cubes=2-8", "cubes=2:8", "cubes=2 to 8", "cubes=1,2 - 8"] {
            let DriverError::Sweep { hint, .. } = parse_swept(dashed).unwrap_err() else {
                panic!("{dashed}")
            };
            assert_eq!(hint, "to include both ends, write `cubes=2..=8`");
        }
    }

    #[test]
    fn the_last_parameter_changes_first() {
        let all = combinations(&[parse_swept("a=1,2").unwrap(), parse_swept("b=x,y").unwrap()], 0).unwrap();
        assert_eq!(all, [["1", "x"], ["1", "y"], ["2", "x"], ["2", "y"]]);
        assert_eq!(combinations(&[], 7).unwrap(), [[] as [&str; 0]]);
        let many = format!("a=1..={SWEEP_RUNS}");
        assert!(combinations(&[parse_swept(&many).unwrap()], 0).is_ok());
        assert!(combinations(&[parse_swept(&many).unwrap()], 1).is_err());
        assert!(combinations(&[parse_swept(&many).unwrap(), parse_swept("b=1,2").unwrap()], 0).is_err());
    }
}
