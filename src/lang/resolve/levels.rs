//! Resolves `topology = levels { .. }`: nested groups, from the inside out.

use super::context::{Context, missing};
use super::families::{FamilyScope, MAX_PARAMETER, ResolvedFamily};
use super::settings::{BlockSettings, integer, integer_expr, one_of_or};
use crate::ResolveError;
use crate::syntax::ast::{self, Block, StatementKind};
use crate::syntax::words::BlockKind as Fields;
use fabc_base::diag::Span;
use fabc_model::{Arrangement, Family, Level, Levels};

/// The most links between two blocks, and the most ports of a router for one level: as many as a router can
/// have.
const MAX_PORTS: i64 = 1024;

impl FamilyScope<'_> {
    /// Resolves `levels { level ..; level .. }` to a family and its links.
    pub(super) fn levels(&self, context: &mut Context, block: &Block) -> ResolvedFamily {
        self.settings(context, Some(block), Fields::Levels);
        let levels = block.statements.iter().filter_map(|statement| match &statement.kind {
            StatementKind::Level(level) => Some((level, statement.span)),
            _ => None,
        });
        if levels.clone().next().is_none() {
            context.error(missing("`levels`", "a level", "level 8;", self.name.span));
            return None;
        }
        let subject = "the number of blocks of a level";
        let blocks: Vec<Option<i64>> = levels
            .clone()
            .map(|(level, _)| integer_expr(context, subject, &level.blocks, 2..=MAX_PARAMETER))
            .collect();
        let blocks = blocks.into_iter().collect::<Option<Vec<i64>>>();
        if let Some(blocks) = &blocks {
            let routers =
                blocks.iter().try_fold(1u128, |routers, &blocks| routers.checked_mul(blocks as u128));
            let written: Vec<String> = blocks.iter().map(i64::to_string).collect();
            self.check_size(context, routers, &written.join(" x "), self.name.span)?;
        }
        let sizes_at = |depth: usize| {
            let blocks = blocks.as_ref()?;
            Some((blocks[depth], blocks[..depth].iter().product()))
        };
        let levels: Vec<Option<Level>> = levels
            .enumerate()
            .map(|(depth, (level, span))| self.level(context, level, sizes_at(depth), span))
            .collect();
        let levels = levels.into_iter().collect::<Option<Vec<Level>>>()?;
        let (inner, outer) = (levels[0].link, levels[1.min(levels.len() - 1)].link);
        Some((Family::Levels(Levels(levels)), [inner, outer]))
    }

    /// Resolves one level from its number of blocks and the routers of each. If the sizes are unknown, only
    /// the other settings are checked.
    fn level(
        &self,
        context: &mut Context,
        level: &ast::LevelStatement,
        sizes: Option<(i64, i64)>,
        span: Span,
    ) -> Option<Level> {
        if context.enough_errors() {
            return None;
        }
        let last = level.joined.as_ref().unwrap_or(&level.blocks).span;
        let title = Span { start: span.start, end: level.over.as_ref().map_or(last, |over| over.span).end };
        let settings = match &level.block {
            Some(block) => {
                super::settings::block_settings(context, block, "`level`".to_owned(), title, Fields::Level)
            }
            None => BlockSettings::none("`level`".to_owned(), title),
        };
        let joined = level
            .joined
            .as_ref()
            .map_or(Some(1), |joined| integer_expr(context, "`joined`", joined, 1..=MAX_PORTS));
        let link = self.links.find_or_only(context, "`level`", level.over.as_ref(), title);
        let ports = match settings.get("ports") {
            Some(value) => Some(Some(integer(context, "`ports`", value, 1..=MAX_PORTS)?)),
            None => Some(None),
        };
        let arrangement = one_of_or(context, &settings, "arrangement", Arrangement::default());
        let spare = settings
            .get("spare")
            .map_or(Some(0), |value| integer(context, "`spare`", value, 0..=1))
            .map(|spare| spare == 1);
        let (joined, ports, arrangement, spare) = (joined?, ports?, arrangement?, spare?);
        let (blocks, size) = sizes?;
        let size = size as u64;
        let mut level =
            Level { blocks: blocks as u32, joined: joined as u32, ports: 0, arrangement, spare, link: link? };
        if spare && blocks == 2 {
            let problem = "with one spare block of two, only one block remains".to_owned();
            return self.no_such_network(
                context,
                problem,
                "write at least `level 3`, or remove `spare`".to_owned(),
                settings.span_or_head("spare"),
            );
        }
        if size == 1 {
            if let Some(setting) =
                ["ports", "arrangement"].into_iter().find(|name| settings.get(name).is_some())
            {
                let help = Some("its routers are all joined; remove it".to_owned());
                let place = "the innermost `level`".to_owned();
                context.error(ResolveError::Misplaced {
                    subject: format!("`{setting}`"),
                    place,
                    help,
                    span: settings.span_or_head(setting),
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
            return self.no_such_network(context, problem, help, settings.span_or_head("arrangement"));
        }
        level.ports = self.level_ports(context, &level, size, ports, title)?;
        Some(level)
    }

    /// The ports of each router for a level of blocks of `size` routers: as written, or as few as suffice.
    fn level_ports(
        &self,
        context: &mut Context,
        level: &Level,
        size: u64,
        ports: Option<i64>,
        span: Span,
    ) -> Option<u32> {
        let fewest = level.fewest_ports(size);
        let given = ports.map_or(fewest, |ports| ports as u64);
        if given > MAX_PORTS as u64 || given < fewest {
            let (leaving, others) = (level.leaving(), level.blocks - 1);
            let available = match ports {
                Some(1) => format!(", but {size} routers with a port each have {size}"),
                Some(ports) => format!(", but {size} routers with {ports} ports each have {}", size * given),
                None => format!(
                    " of {size} routers: {fewest} ports of each, and a router has {MAX_PORTS} at most"
                ),
            };
            let problem = format!("{} x {others} = {leaving} links leave a block{available}", level.joined);
            let help = match ports {
                Some(_) if fewest <= MAX_PORTS as u64 => {
                    format!("write at least `ports = {fewest};`, or fewer blocks")
                }
                _ => "write fewer blocks, or a smaller `joined`".to_owned(),
            };
            return self.no_such_network(context, problem, help, span);
        }
        Some(given as u32)
    }
}
