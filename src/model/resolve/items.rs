//! The items of a spec, sorted by kind.

use super::context::{Context, missing};
use crate::diag::Span;
use crate::model::errors::{ResolveError, suggestion};
use crate::syntax::ast::{self, ItemKind, Name};
use std::collections::BTreeMap;

/// The items of a spec by kind; of what may stand only once, the first.
#[derive(Default)]
pub(super) struct Items<'a> {
    pub(super) settings: BTreeMap<&'static str, &'a ast::Setting>,
    pub(super) links: Vec<(&'a Name, &'a ast::Block, Span)>,
    pub(super) router: Option<(&'a ast::Block, Span)>,
    pub(super) chip: Option<(&'a ast::Block, Span)>,
    pub(super) cube: Option<(&'a ast::Block, Span)>,
    pub(super) ocs: Vec<(&'a ast::OcsItem, Span)>,
    pub(super) budget: Option<(&'a ast::Block, Span)>,
    pub(super) demand: Option<(&'a ast::Block, Span)>,
    pub(super) requires: Vec<(&'a ast::RequireItem, Span)>,
}

const SETTINGS: [&str; 5] = ["clock", "cubes", "demand", "routing", "topology"];

const ITEMS: [&str; 10] = ["budget", "chip", "cube", "demand", "link", "ocs", "require", "router", "use", "let"];

pub(super) fn sort_items<'a>(context: &mut Context, spec: &'a ast::Spec) -> Items<'a> {
    let mut items = Items::default();
    let mut lets: BTreeMap<&str, Span> = BTreeMap::new();
    for item in spec.items() {
        match &item.kind {
            ItemKind::Use(_) => {}
            ItemKind::Let(constant) => {
                let name = &constant.name;
                if let Some(first) = lets.insert(&name.value, name.span) {
                    context.duplicate(format!("the constant `{}`", name.value), "a constant has one value", name.span, first);
                }
            }
            ItemKind::Setting(setting) => match SETTINGS.iter().find(|known| **known == &*setting.name.value) {
                Some(&known) => {
                    if let Some(first) = items.settings.get(known) {
                        let first = first.name.span;
                        context.duplicate(format!("`{known}`"), "a fabric has exactly one; remove the other", setting.name.span, first);
                    } else {
                        items.settings.insert(known, setting);
                    }
                }
                None if context.enough() => {}
                None => context.error(ResolveError::Misplaced {
                    what: format!("`{}`", setting.name.value),
                    place: "a fabric".to_owned(),
                    help: suggestion(&setting.name.value, SETTINGS),
                    span: setting.name.span,
                }),
            },
            ItemKind::Link(name, block) => items.links.push((name, block, item.span)),
            ItemKind::Router(block) => once(context, &mut items.router, "router", block, item.span),
            ItemKind::Chip(block) => once(context, &mut items.chip, "chip", block, item.span),
            ItemKind::Cube(block) => once(context, &mut items.cube, "cube", block, item.span),
            ItemKind::Budget(block) => once(context, &mut items.budget, "budget", block, item.span),
            ItemKind::Demand(block) => once(context, &mut items.demand, "demand", block, item.span),
            ItemKind::Ocs(ocs) => items.ocs.push((ocs, item.span)),
            ItemKind::Require(require) => items.requires.push((require, item.span)),
            ItemKind::Unknown(..) if context.enough() => {}
            ItemKind::Unknown(keyword, ..) => context.error(unknown_item(keyword)),
        }
    }
    items.links.sort_by_key(|(name, _, span)| (name.value.clone(), *span));
    items.ocs.sort_by_key(|(ocs, span)| (ocs.name.value.clone(), *span));
    items
}

fn once<'a>(context: &mut Context, place: &mut Option<(&'a ast::Block, Span)>, keyword: &'static str, block: &'a ast::Block, item: Span) {
    let span = head(item, keyword);
    match place {
        Some((_, first)) => {
            let first = *first;
            context.duplicate(format!("`{keyword}`"), "a fabric has exactly one; remove the other", span, first);
        }
        None => *place = Some((block, span)),
    }
}

/// The first word of an item.
pub(super) fn head(item: Span, keyword: &str) -> Span {
    Span { start: item.start, end: item.start + keyword.len() as u32 }
}

fn unknown_item(keyword: &Name) -> ResolveError {
    let what = format!("`{} {{ .. }}`", keyword.value);
    let help = match &*keyword.value {
        "link" | "ocs" => {
            let (place, example) = (format!("this `{}`", keyword.value), format!("{} name {{ .. }}", keyword.value));
            return missing(&place, "its name", &example, keyword.span);
        }
        "router" | "chip" | "cube" | "budget" | "demand" => Some(format!("`{}` has no name: a fabric has only one", keyword.value)),
        name => suggestion(name, ITEMS),
    };
    ResolveError::Misplaced { what, place: "a fabric".to_owned(), help, span: keyword.span }
}
