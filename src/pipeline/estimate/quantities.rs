//! Sizes and overheads of collectives, as words of a command line.

use super::words::{UnreadWords, WrittenLine};
use fabc_base::limits::{COLLECTIVE_BYTES, COLLECTIVE_OVERHEAD_PS};
use fabc_estimate::{EstimateError, parse_duration, parse_size, parse_sizes};

/// The words for the quantities of collectives.
pub struct QuantityWords<'a> {
    /// The only size that is asked for.
    pub size: Option<&'a str>,
    /// A curve of sizes, if there is no single one.
    pub sizes: Option<&'a str>,
    /// The overhead of a message, which may be left out.
    pub overhead: Option<&'a str>,
}

/// The sizes and the overhead of collectives.
pub struct CollectiveQuantities {
    /// Bytes of the vector of a chip, ascending.
    pub sizes: Vec<u64>,
    /// The overhead of a message, in picoseconds.
    pub overhead_ps: u64,
}

/// Reads the quantities of `fabc collective`.
///
/// # Errors
/// A word that is no quantity, or a missing size. Errors point into the command line.
pub fn parse_quantities(words: &QuantityWords<'_>) -> Result<CollectiveQuantities, UnreadWords> {
    let mut line = WrittenLine::new("fabc collective");
    let (size, sizes) = (line.word(" --size", words.size), line.word(" --sizes", words.sizes));
    let overhead = line.word(" --overhead", words.overhead);
    let end = line.end();
    let missing = || EstimateError::Missing {
        what: "the size of the vector of a chip",
        hint: "add `--size 1GiB`, or `--sizes 1KiB..4GiB` for a curve".to_owned(),
        span: end,
    };
    let read = || {
        let sizes = match (&size, &sizes) {
            (Some(size), _) => parse_size(size, COLLECTIVE_BYTES).map(|size| vec![size]),
            (None, Some(sizes)) => parse_sizes(sizes, COLLECTIVE_BYTES),
            (None, None) => Err(missing()),
        };
        let overhead_ps =
            overhead.as_ref().map_or(Ok(0), |word| parse_duration(word, COLLECTIVE_OVERHEAD_PS));
        Ok(CollectiveQuantities { sizes: sizes?, overhead_ps: overhead_ps? })
    };
    read().map_err(|error| line.unread(vec![error]))
}
