//! Parses the sizes of a curve, single sizes and durations.

use super::errors::EstimateError;
use super::quantity::{SIZE, TIME, parse_quantity};
use super::words::CommandWord;
use fabc_base::limits::ESTIMATED_SIZES;

/// Parses `1KiB..4GiB`, which doubles the size in every step and includes both ends, or sizes between commas.
/// The result ascends without duplicates.
pub(super) fn parse_size_list(word: &CommandWord) -> Result<Vec<u64>, EstimateError> {
    let error = |why: String| EstimateError::Sizes { text: word.text.clone(), why, span: word.span };
    let mut sizes = Vec::new();
    for item in word.text.split(',') {
        let Some((first, last)) = item.split_once("..") else {
            sizes.push(parse_quantity(&word.part(item), &SIZE, false)?);
            continue;
        };
        let [first, last] = [
            parse_quantity(&word.part(first), &SIZE, false)?,
            parse_quantity(&word.part(last), &SIZE, false)?,
        ];
        if last < first {
            return Err(error("the range ends before it begins".to_owned()));
        }
        sizes.extend(std::iter::successors(Some(first), |size| {
            size.checked_mul(2).filter(|size| *size < last)
        }));
        sizes.push(last);
    }
    sizes.sort_unstable();
    sizes.dedup();
    if sizes.len() > ESTIMATED_SIZES {
        return Err(error(format!("they are more than {ESTIMATED_SIZES}")));
    }
    Ok(sizes)
}

/// Parses a size from 1 to `most` bytes.
///
/// # Errors
/// [`EstimateError::Quantity`] if the word is not a size, is zero, or exceeds `most`.
pub fn parse_size(word: &CommandWord, limit: u64) -> Result<u64, EstimateError> {
    refuse_above(word, parse_quantity(word, &SIZE, false)?, limit, "size")
}

/// Parses the sizes of a curve, ascending, each at most `most` bytes.
///
/// # Errors
/// [`EstimateError::Quantity`] if an item is not a size or exceeds `most`. [`EstimateError::Sizes`] if a
/// range descends or there are too many sizes.
pub fn parse_sizes(word: &CommandWord, limit: u64) -> Result<Vec<u64>, EstimateError> {
    let sizes = parse_size_list(word)?;
    sizes.last().map_or(Ok(0), |last| refuse_above(word, *last, limit, "size"))?;
    Ok(sizes)
}

/// Parses a duration of at most `most` picoseconds. Zero is accepted.
///
/// # Errors
/// [`EstimateError::Quantity`] if the word is not a time or exceeds `most`.
pub fn parse_duration(word: &CommandWord, limit: u64) -> Result<u64, EstimateError> {
    refuse_above(word, parse_quantity(word, &TIME, true)?, limit, "time")
}

fn refuse_above(
    word: &CommandWord,
    value: u64,
    limit: u64,
    what: &'static str,
) -> Result<u64, EstimateError> {
    if value <= limit {
        return Ok(value);
    }
    let (why, hint) = (
        format!("it is more than {limit} {}", if what == "size" { "bytes" } else { "ps" }),
        "write a smaller one".to_owned(),
    );
    Err(EstimateError::Quantity { text: word.text.clone(), what, why, hint, span: word.span })
}
