//! Resolves `topology = family { radix = 15; routers = largest; }`: a goal that chooses the design.

use super::context::{Context, missing};
use super::families::{FamilyScope, ResolvedFamily};
use super::settings::{BlockSettings, integer, integer_of, limit, word, wrong_kind};
use crate::ResolveError;
use crate::syntax::ast::{Block, SettingValue, ValueKind};
use crate::syntax::words::BlockKind as Fields;
use fabc_base::ids::LinkTypeId;
use fabc_model::{DesignGoal, DesignSpace, Family, choose_network};

/// The settings that state a goal.
const GOAL_SETTINGS: [&str; 2] = ["radix", "routers"];

impl FamilyScope<'_> {
    /// Resolves the design that `radix` and `routers` ask for, if one of them is written. `explicit` are the
    /// settings that the goal replaces.
    pub(super) fn goal_design(
        &self,
        context: &mut Context,
        settings: &BlockSettings<'_>,
        links: Option<[LinkTypeId; 2]>,
        space: DesignSpace,
        explicit: &[&str],
    ) -> Option<ResolvedFamily> {
        let written = GOAL_SETTINGS.into_iter().find(|goal| settings.get(goal).is_some())?;
        Some(
            self.choose_design(context, settings, written, space, explicit)
                .and_then(|family| Some((family, links?))),
        )
    }

    /// Resolves `network { radix; diameter; routers; }`, a goal over all families, to a family and its links.
    pub(super) fn largest_network(&self, context: &mut Context, block: &Block) -> ResolvedFamily {
        let settings = self.settings(context, Some(block), Fields::Largest);
        let links = self.links(context, &settings);
        let radix = settings.need(context, "radix", "33").and_then(|value| radix(context, value));
        let diameter = settings.need_integer(context, "diameter", "3", 2..=3);
        let size = settings.need(context, "routers", "largest").and_then(|value| size(context, value));
        let ((_, radix), hops, size) = (radix?, diameter? as u32, size?);
        let Some(family) = choose_network(1..=radix, hops, size) else {
            let largest = choose_network(1..=radix, hops, DesignGoal::Largest);
            let problem = format!(
                "no network of at most {radix} network ports and diameter {hops} is known that has so many routers"
            );
            let help = largest.map_or("write a larger `radix`".to_owned(), |largest| {
                format!(
                    "the largest one has {}: raise `radix`, or ask for fewer routers",
                    largest.router_count()
                )
            });
            return self.no_such_network(context, problem, help, settings.span_or_head("radix"));
        };
        let written = format!("`{}`:", family.written());
        self.check_size(context, Some(family.router_count() as u128), &written, self.name.span)?;
        Some((family, links?))
    }

    fn choose_design(
        &self,
        context: &mut Context,
        settings: &BlockSettings<'_>,
        written: &str,
        space: DesignSpace,
        explicit: &[&str],
    ) -> Option<Family> {
        if let Some(extra) = explicit.iter().find(|name| settings.get(name).is_some()) {
            let help = Some(format!("a goal chooses `{extra}` itself: remove it, or `radix` and `routers`"));
            let place = format!("{} with `{written}`", settings.place);
            context.error(ResolveError::Misplaced {
                subject: format!("`{extra}`"),
                place,
                help,
                span: settings.span_or_head(extra),
            });
            return None;
        }
        let radix = settings.need(context, "radix", "15").and_then(|value| radix(context, value));
        let size = settings.need(context, "routers", "largest").and_then(|value| size(context, value));
        let ((min_radix, max_radix), size) = (radix?, size?);
        let ports =
            if min_radix == max_radix { max_radix.to_string() } else { format!("at most {max_radix}") };
        if let Some(family) = space.choose(min_radix..=max_radix, size) {
            self.check_size(
                context,
                Some(family.router_count() as u128),
                &format!("`{}`:", family.written()),
                self.name.span,
            )?;
            return Some(family);
        }
        let (problem, help) = match (size, space.choose(min_radix..=max_radix, DesignGoal::Largest)) {
            (DesignGoal::AtLeast(wanted), Some(largest)) => {
                let largest_text = format!("the largest one of {ports} has {}: ", largest.router_count());
                (
                    format!("{ports} network ports do not reach {wanted} routers"),
                    largest_text + "raise `radix`, or ask for fewer routers",
                )
            }
            _ => (
                format!("there is none of {ports} network ports"),
                "write another `radix`, or a limit: `radix <= 32;`".to_owned(),
            ),
        };
        self.no_such_network(context, problem, help, settings.span_or_head("radix"))
    }

    /// Resolves `hyperx { radix; routers; dimensions; }` to a family and its links.
    pub(super) fn hyperx(&self, context: &mut Context, block: &Block) -> ResolvedFamily {
        let words: Vec<&str> = block.statements.iter().map(|statement| statement.kind.keyword()).collect();
        let known = |word: &&str| Fields::Hyperx.settings().any(|known| known == *word);
        if !words.iter().any(|word| GOAL_SETTINGS.contains(word)) && !words.iter().all(known) {
            return self.sides_in_block(context, block);
        }
        let settings = self.settings(context, Some(block), Fields::Hyperx);
        let links = self.links(context, &settings);
        let dimensions = settings
            .get("dimensions")
            .map_or(Some(3), |value| integer(context, "`dimensions`", value, 1..=4))?
            as u32;
        self.goal_design(context, &settings, links, DesignSpace::HyperX(dimensions), &[]).unwrap_or_else(
            || {
                context.error(missing(
                    &settings.place,
                    "its sides",
                    "topology = hyperx 9 x 9 x 8;",
                    self.name.span,
                ));
                None
            },
        )
    }
}

/// Reads the fewest and the most network ports.
fn radix(context: &mut Context, value: &SettingValue) -> Option<(u32, u32)> {
    let (minimum, quantity) = match (&value.kind, limit(value, "<=")) {
        (ValueKind::Quantity(exact), _) => (None, exact),
        (_, Some(maximum)) => (Some(1), maximum),
        _ => {
            context.error(wrong_kind(
                "`radix`",
                "a number of network ports, or an upper limit",
                "radix <= 32;",
                value.span,
            ));
            return None;
        }
    };
    let maximum = integer_of(context, "`radix`", quantity, 1..=i64::from(DesignSpace::LARGEST_RADIX))? as u32;
    Some((minimum.unwrap_or(maximum), maximum))
}

fn size(context: &mut Context, value: &SettingValue) -> Option<DesignGoal> {
    if let Some(minimum) = limit(value, ">=") {
        return integer_of(context, "`routers`", minimum, 1..=i64::MAX)
            .map(|minimum| DesignGoal::AtLeast(minimum as u64));
    }
    if word(value).is_some_and(|word| &*word.value == "largest") {
        return Some(DesignGoal::Largest);
    }
    context.error(wrong_kind("`routers`", "`largest`, or a lower limit", "routers >= 1000;", value.span));
    None
}
