//! Networks whose links are drawn at random, or searched: regular graphs and digraphs, rings with shortcuts.
//!
//! In: a family without a rule that tells its links. Out: candidates, each a list of pairs, best first or in
//! the order in which they were drawn; the certified flow decides among them. Sources: Singla and others 2012
//! (Jellyfish); Valadarsky and others 2016 (Xpander).

mod distances;
mod error;
mod links;
mod normal;
mod permute;
mod regular;
mod ring;
mod search;
mod xpander;

pub use error::DrawError;
pub use links::Links;
pub use search::{Searched, Weighing, weighed};

use fabc_base::diag::Span;
use fabc_base::random::Stream;
use fabc_model::{Draw, Family, Permuted, RandomRegular, Xpander};
use rayon::prelude::*;

/// The candidates of a family whose links are drawn.
///
/// # Errors
/// [`DrawError`] where a draw fails as often as it may be attempted.
pub fn candidates(family: &Family, span: Span) -> Result<Vec<Links>, DrawError> {
    match *family {
        Family::RandomRegular(RandomRegular { routers, degree, draw }) => {
            draws(draw, |stream| regular::draw(routers, degree, stream)).ok_or(DrawError::in_pieces(
                routers,
                draw.attempts,
                span,
            ))
        }
        Family::Xpander(Xpander { degree, lift, draw }) => {
            draws(draw, |stream| xpander::draw(degree, lift, stream)).ok_or(DrawError::no_gap(
                degree,
                draw.attempts,
                span,
            ))
        }
        // The ring joins all.
        Family::Shortcuts(shortcuts) => {
            Ok(draws(shortcuts.draw, |stream| Some(ring::draw(&shortcuts, stream))).unwrap_or_default())
        }
        Family::Synthesized(free) => Ok(search::search(&free)),
        _ => unreachable!("the parameters of a {} tell its links", family.name()),
    }
}

/// The candidates of a network whose links exchange ends, from those of its base; of either, by kind.
///
/// # Errors
/// As [`candidates`].
pub fn permuted(of: &Permuted, base: &[&Links], span: Span) -> Result<Vec<Vec<Links>>, DrawError> {
    let routers = of.base.router_count() as u32;
    draws(of.draw, |stream| permute::draw(of, base, stream)).ok_or(DrawError::permuted(
        routers,
        of.draw.attempts,
        span,
    ))
}

/// Every draw by streams of its own, one per attempt.
fn draws<T: Send>(how: Draw, once: impl Fn(&mut Stream) -> Option<T> + Sync) -> Option<Vec<T>> {
    let draw = |number: u32| {
        let attempts = u64::from(how.attempts);
        (0..attempts)
            .find_map(|attempt| once(&mut Stream::new(how.seed, u64::from(number) * attempts + attempt)))
    };
    (0..how.draws).into_par_iter().map(draw).collect()
}
