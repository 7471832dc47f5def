//! `collective name = all_reduce { .. }`: what is planned and timed on the finished fabric.

use super::context::{Context, missing, subject_name, unknown_choice};
use super::items::{Items, head};
use super::messages::{self, PAIRS, router};
use super::scheduled;
use super::settings::{Settings, choice, integer, one_of, quantity, settings, whole, with_block, wrong_kind};
use super::site::Site;
use crate::ResolveError;
use crate::syntax::ast::{ExprKind, Name, Quantity, Setting, Value, ValueKind};
use crate::syntax::words::Place;
use fabc_base::diag::Span;
use fabc_base::limits::{COLLECTIVE_BYTES, COLLECTIVE_CHUNKS, COLLECTIVE_OVERHEAD_PS};
use fabc_base::units::Dimension;
use fabc_model::Word;
use fabc_model::{Collective, CollectiveAlgorithm, DeclaredCollective, Require, Scenarios};
use std::collections::BTreeMap;

/// The word for any algorithm.
const AUTO: &str = "auto";

/// The collective that a declaration names, if there is such a one.
pub(super) fn kind_of(setting: &Setting) -> Option<Collective> {
    if messages::file_of(setting).is_some() {
        return Some(Collective::Send);
    }
    let (name, _) = with_block(&setting.value)?;
    Collective::ALL.into_iter().find(|kind| kind.name() == &*name.value)
}

/// All collectives, sorted by name; `None` if an error was reported. Those that a line on the worst fault
/// speaks of are planned under every fault.
pub(super) fn collectives(
    context: &mut Context,
    items: &Items<'_>,
    requires: &[Require],
    site: &Site<'_>,
) -> Option<Vec<DeclaredCollective>> {
    let simulations = items.simulations.iter().map(|(name, ..)| (name.value.to_lowercase(), name.span));
    let mut named: BTreeMap<String, Span> = simulations.collect();
    let mut all = Vec::new();
    let scheduled = scheduled::is_asked(items);
    for (setting, item) in &items.collectives {
        let name = &setting.name;
        if !subject_name(context, name, ("collective", "a collective"), &mut named) {
            continue;
        }
        let span = head(*item, "collective").to(name.span);
        all.push(collective(context, setting, span, (requires, scheduled), site));
    }
    let mut all: Vec<DeclaredCollective> = all.into_iter().collect::<Option<_>>()?;
    scheduled::after(context, items, &mut all);
    Some(all)
}

fn collective(
    context: &mut Context,
    setting: &Setting,
    span: Span,
    (requires, scheduled): (&[Require], bool),
    site: &Site<'_>,
) -> Option<DeclaredCollective> {
    let name = setting.name.value.to_string();
    let file = messages::file_of(setting);
    let of_file = file.map(|(kind, _, block)| (kind.clone(), block));
    let Some((kind, block)) = of_file.or_else(|| with_block(&setting.value)) else {
        let what = format!("the collective `{name}`");
        context.error(wrong_kind(&what, "what it does", "all_reduce { size = 1 GiB; }", setting.value.span));
        return None;
    };
    let kinds = Collective::ALL.map(Collective::name).into_iter().chain(scheduled.then_some(PAIRS));
    let kinds: Vec<&str> = kinds.filter(|name| scheduled || *name != Collective::Send.name()).collect();
    if file.is_none() && &*kind.value == PAIRS {
        context.error(missing("`pairs`", "its file", "pairs \"tensors.csv\"", setting.value.span));
        return None;
    }
    let named = Collective::ALL.into_iter().find(|known| known.name() == &*kind.value);
    let Some(collective) = named.or_else(|| file.map(|_| Collective::Send)) else {
        context.error(unknown_choice("the collective", &kind, &kinds, None));
        return None;
    };
    let title = format!("collective `{name}`");
    let settings = match block {
        Some(block) => settings(context, block, title, span, Place::Collective),
        None => Settings::none(title, span),
    };
    let fits = scheduled::fit(context, &settings, collective, &kind, scheduled);
    let path = file.map(|(_, path, _)| path);
    let size =
        path.is_none().then(|| settings.need(context, "size", "1 GiB").map(|value| size(context, value)));
    let messages = messages::messages(context, &settings, collective, size, (&kind, path), site);
    // Of a file what all messages come to.
    let size = size.unwrap_or_else(|| {
        let all = messages.as_ref()?.as_ref()?.all.iter();
        Some(Some(all.map(|message| message.bytes).sum()))
    });
    let algorithm = settings.get("algorithm").map(|value| algorithm(context, (collective, scheduled), value));
    let chunks = settings
        .get("chunks")
        .map(|value| integer(context, "`chunks`", value, 1..=i64::from(COLLECTIVE_CHUNKS)));
    let root = root(context, &settings, collective, &kind);
    let groups = groups(context, &settings, collective, &kind);
    let overhead = settings.get("overhead").map_or(Some(0), |value| overhead(context, value));
    let barrier = settings.get("barrier").map_or(Some(false), |value| yes_or_no(context, "`barrier`", value));
    let seed = settings.get("seed").map_or(Some(1), |value| integer(context, "`seed`", value, 0..=i64::MAX));
    let written = settings.get("scenarios").map(|value| one_of(context, "`scenarios`", value));
    let line = requires.iter().find(|line| line.fault && line.collective() == Some(&name));
    let scenarios = match (written, line) {
        (Some(Some(Scenarios::Nominal)), Some(line)) => {
            let (what, place) = (
                "`scenarios = nominal`".to_owned(),
                format!("a collective with `require {} ..`", line.metric_text()),
            );
            let help = Some("write `scenarios = all`, or remove one of the two".to_owned());
            context.error(ResolveError::Misplaced {
                what,
                place,
                help,
                span: settings.place_of("scenarios"),
            });
            None
        }
        (Some(written), _) => written,
        (None, Some(_)) => Some(Scenarios::All),
        (None, None) => Some(Scenarios::Nominal),
    };
    Some(DeclaredCollective {
        name,
        collective,
        size: size??,
        algorithm: algorithm.unwrap_or(Some(None))?,
        chunks: whole(chunks)?.map(|chunks| chunks as u32),
        root: root?,
        overhead_ps: overhead?,
        barrier: barrier?,
        groups: groups?,
        messages: messages?,
        seed: seed? as u64,
        scenarios: scenarios.filter(|_| fits)?,
        after: None,
        span,
    })
}

/// Bytes of the full vector of a chip.
fn size(context: &mut Context, value: &Value) -> Option<u64> {
    let (number, unit) = quantity(context, "`size`", value, &[Dimension::Data], "1 GiB")?;
    let bytes = number.times(unit.factor).filter(|bytes| (1..=COLLECTIVE_BYTES).contains(bytes));
    if bytes.is_none() {
        let (what, wanted) =
            ("`size`".to_owned(), format!("a whole number of bytes from 1 to {COLLECTIVE_BYTES}"));
        let help = Some("it is of the full vector of one chip, for example `1 GiB`".to_owned());
        context.error(ResolveError::OutOfRange {
            what,
            wanted,
            help,
            span: value.span,
            found: "this is not".to_owned(),
        });
    }
    bytes
}

/// Picoseconds of a message.
fn overhead(context: &mut Context, value: &Value) -> Option<u64> {
    // Nothing is nothing in every unit.
    let nothing = |quantity: &Quantity| {
        quantity.unit.is_none() && matches!(&quantity.number.kind, ExprKind::Integer(zero) if &**zero == "0")
    };
    if matches!(&value.kind, ValueKind::Quantity(quantity) if nothing(quantity)) {
        return Some(0);
    }
    let (number, unit) = quantity(context, "`overhead`", value, &[Dimension::Time], "400 ns")?;
    let time = number.times(unit.factor).filter(|time| *time <= COLLECTIVE_OVERHEAD_PS);
    if time.is_none() {
        let (what, wanted) = ("`overhead`".to_owned(), "a whole number of ps, at most a second".to_owned());
        context.error(ResolveError::OutOfRange {
            what,
            wanted,
            help: None,
            span: value.span,
            found: "this is not".to_owned(),
        });
    }
    time
}

/// `yes` or `no`.
fn yes_or_no(context: &mut Context, what: &str, value: &Value) -> Option<bool> {
    let Some(name) = choice(value) else {
        context.error(wrong_kind(what, "`yes` or `no`", "yes", value.span));
        return None;
    };
    match &*name.value {
        "yes" => Some(true),
        "no" => Some(false),
        _ => {
            context.error(unknown_choice(what, &name, &["no", "yes"], None));
            None
        }
    }
}

/// One of the algorithms of a collective, or whichever is fastest.
#[allow(clippy::option_option)]
fn algorithm(
    context: &mut Context,
    (collective, scheduled): (Collective, bool),
    value: &Value,
) -> Option<Option<CollectiveAlgorithm>> {
    let Some(name) = choice(value) else {
        context.error(wrong_kind("`algorithm`", "a name", AUTO, value.span));
        return None;
    };
    let of = if scheduled {
        CollectiveAlgorithm::scheduled(collective)
    } else {
        CollectiveAlgorithm::of(collective)
    };
    let found = of.iter().find(|known| known.name() == &*name.value).copied();
    if found.is_none() && &*name.value != AUTO {
        let names: Vec<&str> = of.iter().map(|known| known.word()).chain([AUTO]).collect();
        context.error(unknown_choice(
            &format!("the algorithm of `{}`", collective.name()),
            &name,
            &names,
            None,
        ));
        return None;
    }
    Some(found)
}

/// Chips of a group; whether groups of so many are all chips, is seen when it is built.
#[allow(clippy::option_option)]
fn groups(
    context: &mut Context,
    settings: &Settings<'_>,
    collective: Collective,
    kind: &Name,
) -> Option<Option<u32>> {
    let Some(value) = settings.get("groups") else { return Some(None) };
    if collective.is_rooted() || collective == Collective::Send {
        let (what, place) = ("`groups`".to_owned(), format!("`{}`", kind.value));
        let help = Some("remove it: there is one root, or there are the ends of messages".to_owned());
        context.error(ResolveError::Misplaced { what, place, help, span: settings.place_of("groups") });
        return None;
    }
    integer(context, "`groups`", value, 2..=i64::from(u16::MAX)).map(|size| Some(size as u32))
}

/// The root as it is written; whether the fabric has it, is seen when it is built.
#[allow(clippy::option_option)]
fn root(
    context: &mut Context,
    settings: &Settings<'_>,
    collective: Collective,
    kind: &Name,
) -> Option<Option<String>> {
    let example = "cube0[0,0,0]";
    if !collective.is_rooted() {
        if settings.get("root").is_none() {
            return Some(None);
        }
        let (what, place) = ("`root`".to_owned(), format!("`{}`", kind.value));
        let help = Some("remove it: only `broadcast` and `reduce` have a root".to_owned());
        context.error(ResolveError::Misplaced { what, place, help, span: settings.place_of("root") });
        return None;
    }
    let value = settings.need(context, "root", example)?;
    router(context, "`root`", value, example).map(Some)
}
