//! Networks whose links are drawn at random, or searched: regular graphs and digraphs, rings with shortcuts.
//!
//! Input: a family whose parameters do not determine its links. Output: candidates, each a list of pairs,
//! best first or in the order of the draws. The certified flow decides among them. Sources: Singla and others
//! 2012 (Jellyfish); Valadarsky and others 2016 (Xpander). [`symmetric_graphs`] searches among graphs that a
//! group of symmetries keeps.

mod distances;
mod error;
mod lifts;
mod links;
mod moore;
mod normal;
mod permute;
mod regular;
mod ring;
mod search;
mod xpander;

pub use error::DrawError;
pub use lifts::{SymmetricGraph, symmetric_graphs};
pub use links::LinkPairs;
pub use search::{Searched, Weighing, weighed};

use fabc_base::diag::Span;
use fabc_base::random::Stream;
use fabc_model::{Draw, Family, Permuted, RandomRegular, Xpander};
use rayon::prelude::*;

/// The candidate networks of a family whose links are drawn.
///
/// # Errors
/// [`DrawError`] if all permitted attempts of a draw fail.
pub fn candidates(family: &Family, span: Span) -> Result<Vec<LinkPairs>, DrawError> {
    match *family {
        Family::RandomRegular(RandomRegular { routers, degree, draw }) => {
            draw_candidates(draw, |stream| regular::draw(routers, degree, stream))
                .ok_or(DrawError::disconnected(routers, draw.attempts, span))
        }
        Family::Xpander(Xpander { degree, lift, draw }) => {
            draw_candidates(draw, |stream| xpander::draw(degree, lift, stream)).ok_or(DrawError::no_gap(
                degree,
                draw.attempts,
                span,
            ))
        }
        // The ring connects all routers.
        Family::Shortcuts(shortcuts) => {
            Ok(draw_candidates(shortcuts.draw, |stream| Some(ring::draw(&shortcuts, stream)))
                .unwrap_or_default())
        }
        Family::Synthesized(free) => Ok(search::search(&free)),
        _ => unreachable!("the parameters of a {} tell its links", family.name()),
    }
}

/// The candidates of a permuted network: for each the pairs by kind, as in the base.
///
/// # Errors
/// Fails as [`candidates`] does.
pub fn permuted_candidates(
    network: &Permuted,
    base: &[&LinkPairs],
    span: Span,
) -> Result<Vec<Vec<LinkPairs>>, DrawError> {
    let routers = network.base.router_count() as u32;
    draw_candidates(network.draw, |stream| permute::draw(network, base, stream)).ok_or(DrawError::permuted(
        routers,
        network.draw.attempts,
        span,
    ))
}

/// All draws, with a random stream for every attempt.
fn draw_candidates<T: Send>(
    settings: Draw,
    draw_once: impl Fn(&mut Stream) -> Option<T> + Sync,
) -> Option<Vec<T>> {
    let draw = |number: u32| {
        let attempts = u64::from(settings.attempts);
        (0..attempts).find_map(|attempt| {
            draw_once(&mut Stream::new(settings.seed, u64::from(number) * attempts + attempt))
        })
    };
    (0..settings.draws).into_par_iter().map(draw).collect()
}
