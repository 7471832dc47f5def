//! The items of a spec, sorted by kind.

use super::context::{Context, missing};
use super::unknown_settings::places_of_field;
use crate::ResolveError;
use crate::forms::written_form;
use crate::syntax::ast::{self, ItemKind, Name};
use crate::syntax::words::{self, ItemForm};
use fabc_base::diag::{Span, closest, list};
use fabc_model::{Family, TopologyChoice};
use std::collections::BTreeMap;

/// The items of a spec by kind. Of an item that may stand only once, this holds the first.
#[derive(Default)]
pub(super) struct SpecItems<'a> {
    pub(super) settings: BTreeMap<&'static str, &'a ast::Setting>,
    pub(super) links: Vec<(&'a Name, &'a ast::Block, Span)>,
    pub(super) router: Option<(&'a ast::Block, Span)>,
    pub(super) router_kinds: Vec<(&'a Name, &'a ast::Block, Span)>,
    pub(super) boxes: Vec<(&'a Name, &'a ast::Block, Span)>,
    pub(super) placed: Vec<(&'a ast::BoxesItem, Span)>,
    pub(super) chip: Option<(&'a ast::Block, Span)>,
    pub(super) cube: Option<(&'a ast::Block, Span)>,
    pub(super) ocs: Vec<(&'a ast::OcsItem, Span)>,
    pub(super) budget: Option<(&'a ast::Block, Span)>,
    pub(super) failures: Option<(&'a ast::Block, Span)>,
    pub(super) floor: Option<(&'a ast::Block, Span)>,
    pub(super) addresses: Option<(&'a ast::Block, Span)>,
    pub(super) demand: Option<(&'a ast::Block, Span)>,
    pub(super) simulations: Vec<(&'a Name, &'a ast::Block, Span)>,
    pub(super) collectives: Vec<(&'a ast::Setting, Span)>,
    pub(super) jobs: Vec<DeclaredJob<'a>>,
    pub(super) requires: Vec<(&'a ast::RequireItem, Span)>,
}

/// A job as it is declared.
pub(super) struct DeclaredJob<'a> {
    pub(super) name: &'a Name,
    /// The file that it comes from.
    pub(super) source: Option<&'a ast::JobSource>,
    pub(super) block: &'a ast::Block,
    pub(super) span: Span,
}

/// Reports a constant that was declared before, at `first`.
fn refuse_second_constant(context: &mut Context, name: &Name, first: Option<Span>) {
    if let Some(first) = first {
        let subject = format!("the constant `{}`", name.value);
        context.duplicate(subject, "a constant has one value", name.span, first);
    }
}

pub(super) fn sort_items<'a>(context: &mut Context, spec: &'a ast::Spec) -> SpecItems<'a> {
    let mut items = SpecItems::default();
    let mut lets: BTreeMap<&str, Span> = BTreeMap::new();
    for item in spec.items() {
        match &item.kind {
            // The only slices left are those inside another slice. They were reported.
            ItemKind::Use(_) | ItemKind::Param(_) | ItemKind::Sweep(_) | ItemKind::Slice(..) => {}
            ItemKind::Let(constant) => {
                let first = lets.insert(&constant.name.value, constant.name.span);
                refuse_second_constant(context, &constant.name, first);
            }
            ItemKind::Setting(setting) => {
                let word = &*setting.name.value;
                let known = setting_words().find(|known| *known == word);
                let known = known.or_else(|| {
                    if context.enough_errors() { None } else { unknown_setting(context, &setting.name) }
                });
                let Some(known) = known else { continue };
                match items.settings.get(known) {
                    // A setting that was only meant is not reported twice.
                    Some(_) if known != word => {}
                    Some(first) if &*first.name.value == known => {
                        let first = first.name.span;
                        context.duplicate(
                            format!("`{known}`"),
                            "a fabric has exactly one; remove the other",
                            setting.name.span,
                            first,
                        );
                    }
                    _ => _ = items.settings.insert(known, setting),
                }
            }
            ItemKind::Link(name, block) => items.links.push((name, block, item.span)),
            ItemKind::Router(block) => store_once(context, &mut items.router, "router", block, item.span),
            ItemKind::RouterKind(name, block) => items.router_kinds.push((name, block, item.span)),
            ItemKind::Box(name, block) => items.boxes.push((name, block, item.span)),
            ItemKind::Boxes(boxes) => items.placed.push((boxes, item.span)),
            ItemKind::Chip(block) => store_once(context, &mut items.chip, "chip", block, item.span),
            ItemKind::Cube(block) => store_once(context, &mut items.cube, "cube", block, item.span),
            ItemKind::Budget(block) => store_once(context, &mut items.budget, "budget", block, item.span),
            ItemKind::Failures(block) => {
                store_once(context, &mut items.failures, "failures", block, item.span)
            }
            ItemKind::Floor(block) => store_once(context, &mut items.floor, "floor", block, item.span),
            ItemKind::Addresses(block) => {
                store_once(context, &mut items.addresses, "addresses", block, item.span)
            }
            ItemKind::Demand(block) => store_once(context, &mut items.demand, "demand", block, item.span),
            ItemKind::Ocs(ocs) => items.ocs.push((ocs, item.span)),
            ItemKind::Simulate(name, block) => items.simulations.push((name, block, item.span)),
            ItemKind::Collective(setting) => items.collectives.push((setting, item.span)),
            ItemKind::Job(name, source, block) => {
                items.jobs.push(DeclaredJob { name, source: source.as_ref(), block, span: item.span })
            }
            ItemKind::Require(require) => items.requires.push((require, item.span)),
            ItemKind::Unknown(..) if context.enough_errors() => {}
            ItemKind::Unknown(keyword, name, block) => {
                let span = keyword.span;
                match (unknown_item(context, keyword, name.as_ref()), name) {
                    (Some("link"), Some(name)) => items.links.push((name, block, item.span)),
                    (Some("simulate"), Some(name)) => items.simulations.push((name, block, item.span)),
                    (Some("router"), _) => items.router = items.router.or(Some((block, span))),
                    (Some("chip"), _) => items.chip = items.chip.or(Some((block, span))),
                    (Some("cube"), _) => items.cube = items.cube.or(Some((block, span))),
                    (Some("budget"), _) => items.budget = items.budget.or(Some((block, span))),
                    (Some("failures"), _) => items.failures = items.failures.or(Some((block, span))),
                    (Some("floor"), _) => items.floor = items.floor.or(Some((block, span))),
                    (Some("addresses"), _) => items.addresses = items.addresses.or(Some((block, span))),
                    (Some("demand"), _) => items.demand = items.demand.or(Some((block, span))),
                    _ => {}
                }
            }
        }
    }
    sort_by_name(&mut items);
    unname_only_router(context, &mut items);
    items
}

/// Sorts the items that have names.
fn sort_by_name(items: &mut SpecItems<'_>) {
    items.links.sort_by_key(|(name, _, span)| (name.value.clone(), *span));
    items.router_kinds.sort_by_key(|(name, _, span)| (name.value.clone(), *span));
    items.boxes.sort_by_key(|(name, _, span)| (name.value.clone(), *span));
    items.simulations.sort_by_key(|(name, _, span)| (name.value.clone(), *span));
    items.collectives.sort_by_key(|(setting, span)| (setting.name.value.clone(), *span));
    items.jobs.sort_by_key(|job| (job.name.value.clone(), job.span));
    items.ocs.sort_by_key(|(ocs, span)| (ocs.name.value.clone(), *span));
}

/// Reports a single router with a name in a fabric that has no other one, and takes it as the router.
fn unname_only_router(context: &mut Context, items: &mut SpecItems<'_>) {
    let [(name, block, _)] = items.router_kinds[..] else { return };
    if items.router.is_some() || !items.placed.is_empty() {
        return;
    }
    context.error(ResolveError::Misplaced {
        subject: format!("`router {} {{ .. }}`", name.value),
        place: "a fabric without `router { .. }`".to_owned(),
        help: Some(
            "the router that has hosts has no name; kinds for single tiers stand beside it".to_owned(),
        ),
        span: name.span,
    });
    items.router_kinds.clear();
    items.router = Some((block, name.span));
}

fn store_once<'a>(
    context: &mut Context,
    slot: &mut Option<(&'a ast::Block, Span)>,
    keyword: &'static str,
    block: &'a ast::Block,
    item: Span,
) {
    let span = keyword_span(item, keyword);
    match slot {
        Some((_, first)) => {
            let first = *first;
            context.duplicate(
                format!("`{keyword}`"),
                "a fabric has exactly one; remove the other",
                span,
                first,
            );
        }
        None => *slot = Some((block, span)),
    }
}

/// The span of the keyword of an item.
pub(super) fn keyword_span(item: Span, keyword: &str) -> Span {
    Span { start: item.start, end: item.start + keyword.len() as u32 }
}

/// The words of items that are written with a `=`.
fn setting_words() -> impl Iterator<Item = &'static str> {
    let is_fabric_setting =
        |item: &&words::ItemWord| item.form.is_setting() && item.name != "count" && item.name != "spare";
    words::ITEMS.iter().filter(is_fabric_setting).map(|item| item.name)
}

/// Reports a setting that no fabric has. Returns the setting that was misspelled, if that is clear.
fn unknown_setting(context: &mut Context, name: &Name) -> Option<&'static str> {
    let word = &*name.value;
    let close = closest(word, setting_words());
    let places = places_of_field(word);
    let meant = words::fabc_word(word, false).filter(|meant| setting_words().any(|known| known == *meant));
    let written = words::item(word).or(meant.and_then(words::item));
    let help = if word == "count" {
        "it belongs in `slice name { .. }`".to_owned()
    } else if word == "spare" && places.is_empty() {
        "cubes are spared for slices: a fabric with `slice name { .. }` has it".to_owned()
    } else if word == "spare" {
        format!(
            "cubes are spared for slices: a fabric with `slice name {{ .. }}` has it; spare groups belong in {places}"
        )
    } else if let Some(close) = close {
        format!("did you mean `{close}`?")
    } else if !places.is_empty() {
        context.excuse_missing(&format!("`{word}`"));
        format!("`{word}` belongs in {places}")
    } else if let Some(item) = written {
        context.excuse_missing(&format!("`{}`", item.name));
        format!("it is written `{}`", item.example)
    } else {
        format!("known here: {}", list(&setting_words().collect::<Vec<_>>()))
    };
    let subject = format!("`{word}`");
    context.error(ResolveError::Misplaced {
        subject,
        place: "a fabric".to_owned(),
        help: Some(help),
        span: name.span,
    });
    close
}

/// Reports a block that no fabric has. Returns the item that was meant, if that is clear.
fn unknown_item(context: &mut Context, keyword: &Name, name: Option<&Name>) -> Option<&'static str> {
    let word = &*keyword.value;
    let close = || {
        closest(word, words::ITEMS.iter().filter(|item| item.form != ItemForm::Line).map(|item| item.name))
    };
    let from_other_tool =
        || words::fabc_word(word, name.is_some()).filter(|meant| words::item(meant).is_some());
    let family = || {
        written_form(&Family::FORMS, word).or(written_form(&TopologyChoice::FORMS, word)).map(|_| "topology")
    };
    let meant =
        words::item(word).map(|item| item.name).or_else(family).or_else(from_other_tool).or_else(close);
    let help = match (meant, meant.and_then(words::item).map(|item| item.form)) {
        (Some(meant), Some(ItemForm::Named)) if name.is_none() && meant == word => {
            if meant == "link" {
                context.excuse_missing("a `link`");
                context.links_in_doubt = true;
            }
            context.error(missing(
                &format!("this `{meant}`"),
                "its name",
                &format!("{meant} name {{ .. }}"),
                keyword.span,
            ));
            return None;
        }
        (Some(meant), Some(ItemForm::Setting | ItemForm::Choice)) => {
            context.excuse_missing(&format!("`{meant}`"));
            let value =
                if closest(word, [meant]).is_some() { name.map_or("..", |name| &name.value) } else { word };
            format!("it is set: `{meant} = {value} {{ .. }}`")
        }
        (Some(meant), Some(ItemForm::Line)) => {
            format!("it is written `{}`", words::item(meant).map_or(meant, |item| item.example))
        }
        (Some(meant), _) if meant == word => format!("`{word}` has no name: a fabric has only one"),
        (Some(meant), _) => format!("did you mean `{meant}`?"),
        (None, _) => {
            let blocks = words::ITEMS.iter().filter(|item| {
                matches!(item.form, ItemForm::Block | ItemForm::Named | ItemForm::ChoiceOrBlock)
            });
            format!("known here: {}", list(&blocks.map(|item| item.name).collect::<Vec<_>>()))
        }
    };
    let subject = format!("`{word} {{ .. }}`");
    context.error(ResolveError::Misplaced {
        subject,
        place: "a fabric".to_owned(),
        help: Some(help),
        span: keyword.span,
    });
    meant
}
