//! The sizes of a curve.

use super::errors::EstimateError;
use super::quantity::{SIZE, TIME, read};
use super::words::Word;
use fabc_base::limits::ESTIMATED_SIZES;

/// `1KiB..4GiB`, twice the size in every step and both ends; or sizes between commas. They ascend.
pub(super) fn sizes(word: &Word) -> Result<Vec<u64>, EstimateError> {
    let error = |why: String| EstimateError::Sizes { text: word.text.clone(), why, span: word.span };
    let mut all = Vec::new();
    for item in word.text.split(',') {
        let Some((first, last)) = item.split_once("..") else {
            all.push(read(&word.part(item), &SIZE, false)?);
            continue;
        };
        let [first, last] = [read(&word.part(first), &SIZE, false)?, read(&word.part(last), &SIZE, false)?];
        if last < first {
            return Err(error("they end before they begin".to_owned()));
        }
        all.extend(std::iter::successors(Some(first), |size| {
            size.checked_mul(2).filter(|size| *size < last)
        }));
        all.push(last);
    }
    all.sort_unstable();
    all.dedup();
    if all.len() > ESTIMATED_SIZES {
        return Err(error(format!("they are more than {ESTIMATED_SIZES}")));
    }
    Ok(all)
}

/// A size of at most so many bytes, and at least one.
///
/// # Errors
/// The word is none, or says more.
pub fn size(word: &Word, most: u64) -> Result<u64, EstimateError> {
    within(word, read(word, &SIZE, false)?, most, "size")
}

/// The sizes of a curve, ascending, none above so many bytes.
///
/// # Errors
/// The word is none, or says more.
pub fn all_sizes(word: &Word, most: u64) -> Result<Vec<u64>, EstimateError> {
    let all = sizes(word)?;
    all.last().map_or(Ok(0), |last| within(word, *last, most, "size"))?;
    Ok(all)
}

/// Picoseconds, at most so many; none are allowed.
///
/// # Errors
/// The word is no time, or says more.
pub fn duration(word: &Word, most: u64) -> Result<u64, EstimateError> {
    within(word, read(word, &TIME, true)?, most, "time")
}

fn within(word: &Word, value: u64, most: u64, what: &'static str) -> Result<u64, EstimateError> {
    if value <= most {
        return Ok(value);
    }
    let (why, hint) = (
        format!("it is more than {most} {}", if what == "size" { "bytes" } else { "ps" }),
        "write a smaller one".to_owned(),
    );
    Err(EstimateError::Quantity { text: word.text.clone(), what, why, hint, span: word.span })
}
