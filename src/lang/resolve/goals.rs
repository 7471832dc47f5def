//! `topology = family { radix = 15; routers = largest; }`: the design that a goal chooses.

use super::context::{Context, missing};
use super::families::{Found, Place};
use super::settings::{Settings, integer, integer_of, limit, word, wrong_kind};
use crate::ResolveError;
use crate::syntax::ast::{Block, Value, ValueKind};
use crate::syntax::words::Place as Fields;
use fabc_base::ids::LinkTypeId;
use fabc_model::{DesignSpace, Family, Size};

/// The settings of a goal.
const GOAL: [&str; 2] = ["radix", "routers"];

impl Place<'_> {
    /// The design that `radix` and `routers` ask for, where one of them is written; `explicit` are the
    /// settings that they stand for.
    pub(super) fn goal(
        &self,
        context: &mut Context,
        settings: &Settings<'_>,
        links: Option<[LinkTypeId; 2]>,
        space: DesignSpace,
        explicit: &[&str],
    ) -> Option<Found> {
        let written = GOAL.into_iter().find(|goal| settings.get(goal).is_some())?;
        Some(
            self.chosen(context, settings, written, space, explicit)
                .and_then(|family| Some((family, links?))),
        )
    }

    fn chosen(
        &self,
        context: &mut Context,
        settings: &Settings<'_>,
        written: &str,
        space: DesignSpace,
        explicit: &[&str],
    ) -> Option<Family> {
        if let Some(extra) = explicit.iter().find(|name| settings.get(name).is_some()) {
            let help = Some(format!("a goal chooses `{extra}` itself: remove it, or `radix` and `routers`"));
            let place = format!("{} with `{written}`", settings.place);
            context.error(ResolveError::Misplaced {
                what: format!("`{extra}`"),
                place,
                help,
                span: settings.place_of(extra),
            });
            return None;
        }
        let radix = settings.need(context, "radix", "15").and_then(|value| radix(context, value));
        let size = settings.need(context, "routers", "largest").and_then(|value| size(context, value));
        let ((least, most), size) = (radix?, size?);
        let ports = if least == most { most.to_string() } else { format!("at most {most}") };
        if let Some(family) = space.choose(least..=most, size) {
            self.affordable(
                context,
                Some(family.router_count() as u128),
                &format!("`{}`:", family.written()),
                self.name.span,
            )?;
            return Some(family);
        }
        let (problem, help) = match (size, space.choose(least..=most, Size::Largest)) {
            (Size::AtLeast(wanted), Some(largest)) => {
                let has = format!("the largest one of {ports} has {}: ", largest.router_count());
                (
                    format!("{ports} network ports do not reach {wanted} routers"),
                    has + "raise `radix`, or ask for fewer routers",
                )
            }
            _ => (
                format!("there is none of {ports} network ports"),
                "write another `radix`, or a limit: `radix <= 32;`".to_owned(),
            ),
        };
        self.none_such(context, problem, help, settings.place_of("radix"))
    }

    /// `hyperx { radix; routers; dimensions; }`.
    pub(super) fn hyperx(&self, context: &mut Context, block: &Block) -> Found {
        let words: Vec<&str> = block.statements.iter().map(|statement| statement.kind.keyword()).collect();
        let known = |word: &&str| Fields::Hyperx.settings().any(|known| known == *word);
        if !words.iter().any(|word| GOAL.contains(word)) && !words.iter().all(known) {
            return self.sides_in_block(context, block);
        }
        let settings = self.settings(context, Some(block), Fields::Hyperx);
        let links = self.links(context, &settings);
        let dimensions = settings
            .get("dimensions")
            .map_or(Some(3), |value| integer(context, "`dimensions`", value, 1..=4))?
            as u32;
        self.goal(context, &settings, links, DesignSpace::HyperX(dimensions), &[]).unwrap_or_else(|| {
            context.error(missing(
                &settings.place,
                "its sides",
                "topology = hyperx 9 x 9 x 8;",
                self.name.span,
            ));
            None
        })
    }
}

/// The fewest and the most network ports.
fn radix(context: &mut Context, value: &Value) -> Option<(u32, u32)> {
    let (least, quantity) = match (&value.kind, limit(value, "<=")) {
        (ValueKind::Quantity(exact), _) => (None, exact),
        (_, Some(most)) => (Some(1), most),
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
    let most = integer_of(context, "`radix`", quantity, 1..=i64::from(DesignSpace::LARGEST_RADIX))? as u32;
    Some((least.unwrap_or(most), most))
}

fn size(context: &mut Context, value: &Value) -> Option<Size> {
    if let Some(least) = limit(value, ">=") {
        return integer_of(context, "`routers`", least, 1..=i64::MAX)
            .map(|least| Size::AtLeast(least as u64));
    }
    if word(value).is_some_and(|word| &*word.value == "largest") {
        return Some(Size::Largest);
    }
    context.error(wrong_kind("`routers`", "`largest`, or a lower limit", "routers >= 1000;", value.span));
    None
}
