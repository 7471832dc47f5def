//! `topology = levels { .. }`: nested groups, from the inside out.

use super::context::{Context, missing};
use super::families::{Found, MOST, Place};
use super::settings::{Settings, in_range, integer, one_of_or};
use crate::ResolveError;
use crate::syntax::ast::{self, Block, Expr, StatementKind};
use crate::syntax::words::Place as Fields;
use fabc_base::diag::Span;
use fabc_base::ids::LinkTypeId;
use fabc_model::{Arrangement, Family, Level, Levels};

/// The most links between two blocks, and ports of a router for one level: as many as a router can have.
const MOST_PORTS: i64 = 1024;

impl Place<'_> {
    /// `levels { level ..; level .. }`.
    pub(super) fn levels(&self, context: &mut Context, block: &Block) -> Found {
        self.settings(context, Some(block), Fields::Levels);
        let levels = block.statements.iter().filter_map(|statement| match &statement.kind {
            StatementKind::Level(level) => Some((level, statement.span)),
            _ => None,
        });
        if levels.clone().next().is_none() {
            context.error(missing("`levels`", "a level", "level 8;", self.name.span));
            return None;
        }
        let what = "the number of blocks of a level";
        let blocks: Vec<Option<i64>> =
            levels.clone().map(|(level, _)| count(context, what, &level.blocks, 2..=MOST)).collect();
        let blocks = blocks.into_iter().collect::<Option<Vec<i64>>>();
        if let Some(blocks) = &blocks {
            let routers =
                blocks.iter().try_fold(1u128, |routers, &blocks| routers.checked_mul(blocks as u128));
            let written: Vec<String> = blocks.iter().map(i64::to_string).collect();
            self.affordable(context, routers, &written.join(" x "), self.name.span)?;
        }
        let of_size = |depth: usize| {
            let blocks = blocks.as_ref()?;
            Some((blocks[depth], blocks[..depth].iter().product()))
        };
        let levels: Vec<Option<Level>> = levels
            .enumerate()
            .map(|(depth, (level, span))| self.level(context, level, of_size(depth), span))
            .collect();
        let levels = levels.into_iter().collect::<Option<Vec<Level>>>()?;
        let (inner, outer) = (levels[0].link, levels[1.min(levels.len() - 1)].link);
        Some((Family::Levels(Levels(levels)), [inner, outer]))
    }

    /// One level: how many blocks, and the routers of each; without those, only what is said of the rest.
    fn level(
        &self,
        context: &mut Context,
        level: &ast::Level,
        of_size: Option<(i64, i64)>,
        span: Span,
    ) -> Option<Level> {
        if context.enough() {
            return None;
        }
        let last = level.joined.as_ref().unwrap_or(&level.blocks).span;
        let title = Span { start: span.start, end: level.over.as_ref().map_or(last, |over| over.span).end };
        let settings = match &level.block {
            Some(block) => {
                super::settings::settings(context, block, "`level`".to_owned(), title, Fields::Level)
            }
            None => Settings::none("`level`".to_owned(), title),
        };
        let joined = level
            .joined
            .as_ref()
            .map_or(Some(1), |joined| count(context, "`joined`", joined, 1..=MOST_PORTS));
        let link = self.over(context, level, title);
        let ports = match settings.get("ports") {
            Some(value) => Some(Some(integer(context, "`ports`", value, 1..=MOST_PORTS)?)),
            None => Some(None),
        };
        let arrangement = one_of_or(context, &settings, "arrangement", Arrangement::default());
        let spare = settings
            .get("spare")
            .map_or(Some(0), |value| integer(context, "`spare`", value, 0..=1))
            .map(|spare| spare == 1);
        let (joined, ports, arrangement, spare) = (joined?, ports?, arrangement?, spare?);
        let (blocks, size) = of_size?;
        let size = size as u64;
        let mut level =
            Level { blocks: blocks as u32, joined: joined as u32, ports: 0, arrangement, spare, link: link? };
        if spare && blocks == 2 {
            let problem = "of two blocks with a spare, one is left".to_owned();
            return self.none_such(
                context,
                problem,
                "write at least `level 3`, or remove `spare`".to_owned(),
                settings.place_of("spare"),
            );
        }
        if size == 1 {
            if let Some(setting) =
                ["ports", "arrangement"].into_iter().find(|name| settings.get(name).is_some())
            {
                let help = Some("its routers are all joined; remove it".to_owned());
                let place = "the innermost `level`".to_owned();
                context.error(ResolveError::Misplaced {
                    what: format!("`{setting}`"),
                    place,
                    help,
                    span: settings.place_of(setting),
                });
                return None;
            }
        } else if arrangement == Arrangement::Fold
            && (blocks % 2 == 0 || ports.is_some_and(|ports| ports % 2 == 1))
        {
            let ports = ports.map_or(String::new(), |ports| format!(" and ports = {ports}"));
            let problem = format!(
                "`fold` needs an odd number of blocks and an even `ports`, not {blocks} blocks{ports}"
            );
            let help = "use `palmtree`, or change one of them by one".to_owned();
            return self.none_such(context, problem, help, settings.place_of("arrangement"));
        }
        let fewest = level.fewest_ports(size);
        let given = ports.map_or(fewest, |ports| ports as u64);
        if given > MOST_PORTS as u64 || given < fewest {
            let (leaving, others) = (level.leaving(), blocks - 1);
            let has = match ports {
                Some(1) => format!(", but {size} routers with a port each have {size}"),
                Some(ports) => format!(", but {size} routers with {ports} ports each have {}", size * given),
                None => format!(
                    " of {size} routers: {fewest} ports of each, and a router has {MOST_PORTS} at most"
                ),
            };
            let problem = format!("{joined} x {others} = {leaving} links leave a block{has}");
            let help = match ports {
                Some(_) if fewest <= MOST_PORTS as u64 => {
                    format!("write at least `ports = {fewest};`, or fewer blocks")
                }
                _ => "write fewer blocks, or a smaller `joined`".to_owned(),
            };
            return self.none_such(context, problem, help, title);
        }
        level.ports = given as u32;
        Some(level)
    }

    /// The link of a level: the one that it names, or the only one that is declared.
    fn over(&self, context: &mut Context, level: &ast::Level, span: Span) -> Option<LinkTypeId> {
        match (&level.over, self.links.names.len()) {
            // That none is declared was said.
            (None, 0) => None,
            (None, 1) => Some(LinkTypeId(0)),
            (over, _) => self.links.find(context, "`level`", over.as_ref(), span),
        }
    }
}

/// An integer that is no setting.
fn count(
    context: &mut Context,
    what: &str,
    written: &Expr,
    range: std::ops::RangeInclusive<i64>,
) -> Option<i64> {
    let value = context.eval(written, &[])?;
    in_range(context, what, value, range, written.span)
}
