//! The sizes of a curve.

use super::errors::EstimateError;
use super::quantity::{SIZE, read};
use super::words::Word;
use crate::limits::ESTIMATED_SIZES;

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
        all.extend(std::iter::successors(Some(first), |size| size.checked_mul(2).filter(|size| *size < last)));
        all.push(last);
    }
    all.sort_unstable();
    all.dedup();
    if all.len() > ESTIMATED_SIZES {
        return Err(error(format!("they are more than {ESTIMATED_SIZES}")));
    }
    Ok(all)
}
