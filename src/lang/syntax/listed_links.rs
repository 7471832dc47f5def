//! The links of a box as a file lists them: a line `u,v,copies` for every two GPUs that are joined.

use super::ast::ListedPair;
use std::collections::BTreeMap;

/// Reads the lines of a file. The first one may be the heading `u,v,copies`, and `#` begins a comment.
///
/// # Errors
/// The number of the first wrong line, counted from 1, and what is wrong with it.
pub(super) fn parse_listed_links(text: &str) -> Result<Vec<ListedPair>, (u32, String)> {
    let mut pairs = Vec::new();
    let mut line_of: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    let mut is_first = true;
    for (line, written) in (1u32..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let written = written.split('#').next().unwrap_or("").trim();
        if written.is_empty() {
            continue;
        }
        let fields: Vec<&str> = written.split(',').map(str::trim).collect();
        let is_heading = std::mem::take(&mut is_first) && fields.starts_with(&["u", "v"]);
        if is_heading {
            continue;
        }
        let pair = parse_pair(&fields, line).map_err(|problem| (line, problem))?;
        let ListedPair { first, second, .. } = pair;
        if let Some(before) = line_of.insert([first.min(second), first.max(second)], line) {
            return Err((line, format!("joins GPUs {first} and {second} again, after line {before}")));
        }
        pairs.push(pair);
    }
    if pairs.is_empty() {
        return Err((1, "lists no links".to_owned()));
    }
    Ok(pairs)
}

fn parse_pair(fields: &[&str], line: u32) -> Result<ListedPair, String> {
    let number = |field: &str| field.parse::<u32>().map_err(|_| format!("`{field}` is no number"));
    let (first, second, copies) = match *fields {
        [first, second] => (number(first)?, number(second)?, 1),
        [first, second, copies] => (number(first)?, number(second)?, number(copies)?),
        _ => return Err(format!("has {} fields", fields.len())),
    };
    if first == second {
        return Err(format!("joins GPU {first} to itself"));
    }
    if copies == 0 {
        return Err("has no copies".to_owned());
    }
    Ok(ListedPair { first, second, copies, line })
}
