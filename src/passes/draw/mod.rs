//! Networks whose links are drawn at random, or searched: regular graphs and digraphs.
//!
//! In: a family without a rule that tells its links. Out: candidates, each a list of pairs, best first or in
//! the order in which they were drawn; the certified flow decides among them. Sources: Singla and others 2012
//! (Jellyfish); Valadarsky and others 2016 (Xpander).

mod distances;
mod error;
mod links;
mod regular;
mod search;
mod xpander;

pub use error::DrawError;
pub use links::Links;

use crate::diag::Span;
use crate::model::{Draw, Family};
use crate::random::Stream;
use rayon::prelude::*;

/// The candidates of a family whose links are drawn.
///
/// # Errors
/// [`DrawError`] where a draw fails as often as it may be attempted.
pub fn candidates(family: &Family, span: Span) -> Result<Vec<Links>, DrawError> {
    match *family {
        Family::RandomRegular { routers, degree, draw } => {
            draws(draw, |stream| regular::draw(routers, degree, stream)).ok_or(DrawError::in_pieces(routers, draw.attempts, span))
        }
        Family::Xpander { degree, lift, draw } => {
            draws(draw, |stream| xpander::draw(degree, lift, stream)).ok_or(DrawError::no_gap(degree, draw.attempts, span))
        }
        Family::Synthesized(free) => Ok(search::search(&free)),
        _ => unreachable!("the parameters of a {} tell its links", family.name()),
    }
}

/// Every draw by streams of its own, one per attempt.
fn draws(how: Draw, once: impl Fn(&mut Stream) -> Option<Links> + Sync) -> Option<Vec<Links>> {
    let draw = |number: u32| {
        let attempts = u64::from(how.attempts);
        (0..attempts).find_map(|attempt| once(&mut Stream::new(how.seed, u64::from(number) * attempts + attempt)))
    };
    (0..how.draws).into_par_iter().map(draw).collect()
}
