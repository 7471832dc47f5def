//! `topology = ..` of networks that are drawn at random, or searched.

use super::context::Context;
use super::families::{Found, MOST, Place};
use super::settings::{Settings, integer, one_of_or};
use crate::model::{ATTEMPTS, Arcs, Draw, Family, FreeGraph};
use crate::syntax::ast::Block;
use crate::syntax::words::Place as Fields;

/// The largest effort of a search.
const MOST_EFFORT: i64 = 1000;

impl Place<'_> {
    /// `xpander { degree; lift; seed; attempts; draws; }`.
    pub(super) fn xpander(&self, context: &mut Context, block: &Block) -> Found {
        let settings = self.settings(context, Some(block), Fields::Xpander);
        let links = self.links(context, &settings);
        let degree = settings.need(context, "degree", "11").and_then(|value| integer(context, "`degree`", value, 2..=MOST));
        let lift = settings.need(context, "lift", "20").and_then(|value| integer(context, "`lift`", value, 1..=MOST));
        let draw = draw(context, &settings)?;
        let (degree, lift) = (degree?, lift?);
        let routers = (degree as u128 + 1) * lift as u128;
        self.affordable(context, Some(routers), &format!("{} meta-nodes of {lift}", degree + 1), self.name.span)?;
        Some((Family::Xpander { degree: degree as u32, lift: lift as u32, draw }, links?))
    }

    /// `random_regular { routers; degree; seed; attempts; draws; }`.
    pub(super) fn random_regular(&self, context: &mut Context, block: &Block) -> Found {
        let settings = self.settings(context, Some(block), Fields::RandomRegular);
        let links = self.links(context, &settings);
        let sizes = self.regular(context, &settings, Arcs::Duplex);
        let draw = draw(context, &settings)?;
        let (routers, degree) = sizes?;
        Some((Family::RandomRegular { routers, degree, draw }, links?))
    }

    /// `synthesize { routers; degree; arcs; effort; seed; }`.
    pub(super) fn synthesize(&self, context: &mut Context, block: &Block) -> Found {
        let settings = self.settings(context, Some(block), Fields::FreeGraph);
        let links = self.links(context, &settings);
        let arcs = one_of_or(context, &settings, "arcs", Arcs::Duplex)?;
        let sizes = self.regular(context, &settings, arcs);
        let effort = settings.get("effort").map_or(Some(1), |value| integer(context, "`effort`", value, 1..=MOST_EFFORT));
        let seed = seed(context, &settings);
        let (routers, degree) = sizes?;
        Some((Family::Synthesized(FreeGraph { routers, degree, arcs, effort: effort? as u32, seed: seed? }), links?))
    }

    /// `routers` and `degree` of a regular graph.
    fn regular(&self, context: &mut Context, settings: &Settings<'_>, arcs: Arcs) -> Option<(u32, u32)> {
        let routers = settings.need(context, "routers", "240").and_then(|value| integer(context, "`routers`", value, 3..=i64::MAX));
        let degree = settings.need(context, "degree", "11").and_then(|value| integer(context, "`degree`", value, 2..=MOST));
        let (routers, degree) = (routers?, degree?);
        self.affordable(context, Some(routers as u128), "`routers`:", settings.place_of("routers"))?;
        if degree >= routers {
            let problem = format!("{degree} links of a router cannot lead to different ones of {routers}");
            return self.none_such(context, problem, format!("write at most `degree = {};`", routers - 1), settings.place_of("degree"));
        }
        if arcs == Arcs::Duplex && routers % 2 == 1 && degree % 2 == 1 {
            let problem = format!("{routers} routers of {degree} links have {} ends, an odd number", routers * degree);
            return self.none_such(context, problem, "make `routers` or `degree` even".to_owned(), settings.place_of("degree"));
        }
        Some((routers as u32, degree as u32))
    }
}

fn seed(context: &mut Context, settings: &Settings<'_>) -> Option<u64> {
    settings.get("seed").map_or(Some(1), |value| integer(context, "`seed`", value, 0..=i64::MAX).map(|seed| seed as u64))
}

fn draw(context: &mut Context, settings: &Settings<'_>) -> Option<Draw> {
    let mut count = |name: &str, default: u32| {
        let what = format!("`{name}`");
        settings.get(name).map_or(Some(default), |value| integer(context, &what, value, 1..=10_000).map(|count| count as u32))
    };
    let (attempts, draws) = (count("attempts", ATTEMPTS), count("draws", 1));
    Some(Draw { seed: seed(context, settings)?, attempts: attempts?, draws: draws? })
}
