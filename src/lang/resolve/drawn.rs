//! Resolves `topology = ..` of networks that are drawn at random, or searched.

use super::context::{Context, missing};
use super::families::{FamilyScope, MAX_PARAMETER, ResolvedFamily};
use super::kind::topology_name;
use super::settings::{BlockSettings, integer, one_of_or, plain_number, wrong_kind};
use crate::ResolveError;
use crate::syntax::ast::{Block, SettingValue};
use crate::syntax::words::BlockKind as Fields;
use fabc_model::{
    ATTEMPTS, Arcs, Clustering, Draw, Duplicates, Family, Floor, FreeGraph, GraphSymmetry, PermuteMethod,
    Permuted, RandomRegular, ShortcutReach, Shortcuts, Xpander,
};

/// The families that may be permuted: those with duplex links that follow from parameters. Trees are left
/// out, because their routers have levels.
const PERMUTABLE: &str = "a grid, a hypercube, a `polarfly`, `delorme`, `quadrangle_pairs`, `cayley`, `star_graph`, `slim_fly`, `spectralfly`, `polarstar`, `bundlefly`, `dragonfly` or `megafly`, or `levels`";

/// The largest effort of a search.
const MAX_EFFORT: i64 = 1000;

impl FamilyScope<'_> {
    /// Resolves `xpander { degree; lift; seed; attempts; draws; }` to a family and its links.
    pub(super) fn xpander(&self, context: &mut Context, block: &Block) -> ResolvedFamily {
        let settings = self.settings(context, Some(block), Fields::Xpander);
        let links = self.links(context, &settings);
        let degree = settings.need_integer(context, "degree", "11", 2..=MAX_PARAMETER);
        let lift = settings.need_integer(context, "lift", "20", 1..=MAX_PARAMETER);
        let draw = draw(context, &settings)?;
        let (degree, lift) = (degree?, lift?);
        let routers = (degree as u128 + 1) * lift as u128;
        self.check_size(
            context,
            Some(routers),
            &format!("{} meta-nodes of {lift}", degree + 1),
            self.name.span,
        )?;
        Some((Family::Xpander(Xpander { degree: degree as u32, lift: lift as u32, draw }), links?))
    }

    /// Resolves `random_regular { routers; degree; seed; attempts; draws; }` to a family and its links.
    pub(super) fn random_regular(&self, context: &mut Context, block: &Block) -> ResolvedFamily {
        let settings = self.settings(context, Some(block), Fields::RandomRegular);
        let links = self.links(context, &settings);
        let sizes = self.regular_sizes(context, &settings, Arcs::Duplex);
        let draw = draw(context, &settings)?;
        let (routers, degree) = sizes?;
        Some((Family::RandomRegular(RandomRegular { routers, degree, draw }), links?))
    }

    /// Resolves `ring_n { routers; degree; seed; draws; }`, `nbr { .. p; }` or `gau { .. alpha; }` to a
    /// family and its links.
    pub(super) fn shortcuts(&self, context: &mut Context, block: &Block) -> ResolvedFamily {
        let (fields, share) = match &*self.name.value {
            "nbr" => (Fields::Nbr, Some("p")),
            "gau" => (Fields::Gau, Some("alpha")),
            _ => (Fields::RingN, None),
        };
        let settings = self.settings(context, Some(block), fields);
        let links = self.links(context, &settings);
        // A matching may leave out some routers, so the number of link ends need not be even.
        let sizes = self.regular_sizes(context, &settings, Arcs::Simplex);
        let reach = match share {
            None => Some(ShortcutReach::Any),
            Some(name) => settings.need(context, name, "0.5").and_then(|value| {
                let share = plain_number(context, &format!("`{name}`"), value, "0.5")?;
                let (digits, scale) = share.parts();
                let positive = digits > 0 && (name == "alpha" || digits <= 10u128.pow(scale));
                if !positive {
                    let (wanted, help) = if name == "p" {
                        ("more than 0 and at most 1", "1 allows all")
                    } else {
                        ("more than 0", "with 2, nearly all distances are equal")
                    };
                    let (note, help) = (format!("this is {share}"), Some(help.to_owned()));
                    context.error(ResolveError::OutOfRange {
                        subject: format!("`{name}`"),
                        wanted: wanted.to_owned(),
                        help,
                        span: value.span,
                        note,
                    });
                    return None;
                }
                Some(if name == "p" { ShortcutReach::Within(share) } else { ShortcutReach::Normal(share) })
            }),
        };
        let draw = draw(context, &settings)?;
        let (routers, degree) = sizes?;
        let shortcuts = Shortcuts { routers, degree, reach: reach?, draw };
        if degree > 2 && shortcuts.farthest() < 2 {
            let problem = format!("of {routers} routers, only neighbors on the ring are that near");
            return self.no_such_network(
                context,
                problem,
                "raise `p`, or write `degree = 2`".to_owned(),
                settings.span_or_head("p"),
            );
        }
        Some((Family::Shortcuts(shortcuts), links?))
    }

    /// Resolves `permute { of = ..; method; duplicates; seed; attempts; draws; }` to a family and its links.
    pub(super) fn permute(
        &self,
        context: &mut Context,
        block: &Block,
        floor: Option<&Floor>,
    ) -> ResolvedFamily {
        let settings = self.settings(context, Some(block), Fields::Permute);
        let base_value = settings.need(context, "of", "hypercube { dimensions = 8; }")?;
        let method = one_of_or(context, &settings, "method", PermuteMethod::default());
        let duplicates = one_of_or(context, &settings, "duplicates", Duplicates::default());
        let draw = draw(context, &settings);
        let Some(name) = topology_name(base_value) else {
            context.error(wrong_kind("`of`", "a topology", "hypercube { dimensions = 8; }", base_value.span));
            return None;
        };
        let base = FamilyScope { name: &name, ..*self }.family(context, base_value);
        let (base, links) = base.unwrap_or_else(|| {
            let help = Some(format!("of {PERMUTABLE}"));
            let (subject, place) = (format!("`{}`", name.value), "`permute`".to_owned());
            context.error(ResolveError::Misplaced { subject, place, help, span: name.span });
            None
        })?;
        if !base.may_be_permuted() {
            let problem = format!("the links of a `{}` cannot be permuted", base.name());
            let help = format!("permute {PERMUTABLE}, without spare routers");
            return self.no_such_network(context, problem, help, name.span);
        }
        let Some(floor) = floor else {
            context.error(missing(
                "`permute`",
                "a floor, as cables keep their lengths",
                "floor { cabinet = 16; }",
                self.name.span,
            ));
            return None;
        };
        let routers = base.router_count();
        if floor.clustering != Clustering::Sequential {
            let problem =
                "its clusters follow from its links, but `permute` exchanges those by cabinet".to_owned();
            let help = "write `clustering = sequential;`".to_owned();
            context.error(ResolveError::FloorMisfit { problem, help, span: floor.span });
            return None;
        }
        if !routers.is_multiple_of(floor.cabinet as usize) {
            let last = routers % floor.cabinet as usize;
            let problem = format!(
                "`permute` needs cabinets of equal size, but of {routers} routers the last one of {} has {last}",
                floor.cabinet
            );
            let help = format!("choose a `cabinet` that divides {routers}");
            context.error(ResolveError::FloorMisfit { problem, help, span: floor.span });
            return None;
        }
        let permuted = Permuted {
            base: Box::new(base),
            method: method?,
            duplicates: duplicates?,
            cabinet: floor.cabinet,
            draw: draw?,
        };
        Some((Family::Permuted(permuted), links))
    }

    /// Resolves `synthesize { routers; degree; arcs; effort; seed; cable; symmetry; }` to a family and its
    /// links.
    pub(super) fn synthesize(
        &self,
        context: &mut Context,
        block: &Block,
        floor: Option<&Floor>,
    ) -> ResolvedFamily {
        let settings = self.settings(context, Some(block), Fields::FreeGraph);
        let links = self.links(context, &settings);
        let arcs = one_of_or(context, &settings, "arcs", Arcs::Duplex)?;
        let sizes = self.regular_sizes(context, &settings, arcs);
        let effort = settings
            .get("effort")
            .map_or(Some(1), |value| integer(context, "`effort`", value, 1..=MAX_EFFORT));
        let seed = seed(context, &settings);
        let cable = match settings.get("cable") {
            Some(value) => Some(self.cable(context, value, floor)?),
            None => None,
        };
        let symmetry = one_of_or(context, &settings, "symmetry", GraphSymmetry::Auto)?;
        let reason = match (arcs, cable) {
            (Arcs::Simplex, _) => Some(("with simplex arcs", "symmetric graphs have duplex links")),
            (_, Some(_)) => Some(("with `cable`", "cables differ in length, so no symmetry keeps them")),
            _ => None,
        };
        if let (GraphSymmetry::Auto, Some(value), Some((with, why))) =
            (symmetry, settings.get("symmetry"), reason)
        {
            context.error(ResolveError::Misplaced {
                subject: "`symmetry = auto`".to_owned(),
                place: format!("{} {with}", settings.place),
                help: Some(format!("{why}: write `symmetry = none;`, or leave it out")),
                span: value.span,
            });
            return None;
        }
        let (routers, degree) = sizes?;
        Some((
            Family::Synthesized(FreeGraph {
                routers,
                degree,
                arcs,
                effort: effort? as u32,
                seed: seed?,
                cable,
                symmetry,
            }),
            links?,
        ))
    }

    /// Reads `cable = 0.2`, in thousandths. The floor must have cabinets that the search fills in order.
    fn cable(&self, context: &mut Context, value: &SettingValue, floor: Option<&Floor>) -> Option<u32> {
        let Some(floor) = floor else {
            context.error(missing(
                "`cable`",
                "a floor, which determines the lengths of cables",
                "floor { cabinet = 16; }",
                value.span,
            ));
            return None;
        };
        if floor.clustering != Clustering::Sequential {
            let problem =
                "`cable` in `synthesize` weighs cables between cabinets that are filled in order".to_owned();
            let help = "write `clustering = sequential;`".to_owned();
            context.error(ResolveError::FloorMisfit { problem, help, span: floor.span });
            return None;
        }
        let number = plain_number(context, "`cable`", value, "0.2")?;
        let thousandths = number.times(1000).filter(|weight| *weight <= 1000);
        if thousandths.is_none() {
            let (wanted, note) = (
                "a weight from 0 to 1, with at most three digits behind the point".to_owned(),
                "this is not".to_owned(),
            );
            let help = Some(
                "at 0.2, one percent of the distances counts as much as four percent of the cables"
                    .to_owned(),
            );
            context.error(ResolveError::OutOfRange {
                subject: "`cable`".to_owned(),
                wanted,
                help,
                span: value.span,
                note,
            });
        }
        thousandths.map(|weight| weight as u32)
    }

    /// Reads `routers` and `degree` of a regular graph.
    fn regular_sizes(
        &self,
        context: &mut Context,
        settings: &BlockSettings<'_>,
        arcs: Arcs,
    ) -> Option<(u32, u32)> {
        let routers = settings.need_integer(context, "routers", "240", 3..=i64::MAX);
        let degree = settings.need_integer(context, "degree", "11", 2..=MAX_PARAMETER);
        let (routers, degree) = (routers?, degree?);
        self.check_size(context, Some(routers as u128), "`routers`:", settings.span_or_head("routers"))?;
        if degree >= routers {
            let problem = format!("{degree} links of a router cannot lead to different ones of {routers}");
            return self.no_such_network(
                context,
                problem,
                format!("write at most `degree = {};`", routers - 1),
                settings.span_or_head("degree"),
            );
        }
        if arcs == Arcs::Duplex && routers % 2 == 1 && degree % 2 == 1 {
            let problem =
                format!("{routers} routers of {degree} links have {} ends, an odd number", routers * degree);
            return self.no_such_network(
                context,
                problem,
                "make `routers` or `degree` even".to_owned(),
                settings.span_or_head("degree"),
            );
        }
        Some((routers as u32, degree as u32))
    }
}

fn seed(context: &mut Context, settings: &BlockSettings<'_>) -> Option<u64> {
    settings
        .get("seed")
        .map_or(Some(1), |value| integer(context, "`seed`", value, 0..=i64::MAX).map(|seed| seed as u64))
}

fn draw(context: &mut Context, settings: &BlockSettings<'_>) -> Option<Draw> {
    let mut count = |name: &str, default: u32| {
        let subject = format!("`{name}`");
        settings.get(name).map_or(Some(default), |value| {
            integer(context, &subject, value, 1..=10_000).map(|count| count as u32)
        })
    };
    let (attempts, draws) = (count("attempts", ATTEMPTS), count("draws", 1));
    Some(Draw { seed: seed(context, settings)?, attempts: attempts?, draws: draws? })
}
