//! Resolves `collective name = all_reduce { .. }`: what fabc plans and times on the finished fabric.

use super::context::{Context, claim_subject_name, missing, unknown_choice};
use super::items::{SpecItems, keyword_span};
use super::messages::{self, PAIRS, router_name};
use super::scheduled;
use super::scope::Scope;
use super::settings::{
    BlockSettings, bare_name, block_settings, integer, name_and_block, one_of, optional, quantity, wrong_kind,
};
use crate::ResolveError;
use crate::syntax::ast::{ExprKind, Name, Quantity, Setting, SettingValue, ValueKind};
use crate::syntax::words::BlockKind;
use fabc_base::diag::Span;
use fabc_base::limits::{COLLECTIVE_BYTES, COLLECTIVE_CHUNKS, COLLECTIVE_OVERHEAD_PS};
use fabc_base::units::Dimension;
use fabc_model::Word;
use fabc_model::{Collective, CollectiveAlgorithm, DeclaredCollective, Require, Scenarios};
use std::collections::BTreeMap;

/// The word that lets fabc choose the algorithm.
const AUTO: &str = "auto";

/// The collective that a declaration names, if it exists.
pub(super) fn declared_kind(setting: &Setting) -> Option<Collective> {
    if messages::pairs_file(setting).is_some() {
        return Some(Collective::Send);
    }
    let (name, _) = name_and_block(&setting.value)?;
    Collective::ALL.into_iter().find(|kind| kind.name() == &*name.value)
}

/// Resolves all collectives, sorted by name. Returns `None` if an error was reported. If a `require` is about
/// a collective in the worst fault, the collective is planned under every fault.
pub(super) fn collectives(
    context: &mut Context,
    items: &SpecItems<'_>,
    requires: &[Require],
    scope: &Scope<'_>,
) -> Option<Vec<DeclaredCollective>> {
    let simulations = items.simulations.iter().map(|(name, ..)| (name.value.to_lowercase(), name.span));
    let mut known_names: BTreeMap<String, Span> = simulations.collect();
    let mut collectives = Vec::new();
    let scheduled = scheduled::is_scheduled(items);
    for (setting, item) in &items.collectives {
        let name = &setting.name;
        if !claim_subject_name(context, name, "collective", "a collective", &mut known_names) {
            continue;
        }
        let span = keyword_span(*item, "collective").to(name.span);
        collectives.push(collective(context, setting, span, requires, scheduled, scope));
    }
    let mut collectives: Vec<DeclaredCollective> = collectives.into_iter().collect::<Option<_>>()?;
    scheduled::resolve_order(context, items, &mut collectives);
    Some(collectives)
}

fn collective(
    context: &mut Context,
    setting: &Setting,
    span: Span,
    requires: &[Require],
    scheduled: bool,
    scope: &Scope<'_>,
) -> Option<DeclaredCollective> {
    let name = setting.name.value.to_string();
    let file = messages::pairs_file(setting);
    let kind_and_block = file.map(|(kind, _, block)| (kind.clone(), block));
    let Some((kind, block)) = kind_and_block.or_else(|| name_and_block(&setting.value)) else {
        let subject = format!("the collective `{name}`");
        context.error(wrong_kind(
            &subject,
            "what it does",
            "all_reduce { size = 1 GiB; }",
            setting.value.span,
        ));
        return None;
    };
    let kinds = Collective::ALL.map(Collective::name).into_iter().chain(scheduled.then_some(PAIRS));
    let kinds: Vec<&str> = kinds.filter(|name| scheduled || *name != Collective::Send.name()).collect();
    if file.is_none() && &*kind.value == PAIRS {
        context.error(missing("`pairs`", "its file", "pairs \"tensors.csv\"", setting.value.span));
        return None;
    }
    let by_name = Collective::ALL.into_iter().find(|known| known.name() == &*kind.value);
    let Some(collective) = by_name.or_else(|| file.map(|_| Collective::Send)) else {
        context.error(unknown_choice("the collective", &kind, &kinds, None));
        return None;
    };
    let title = format!("collective `{name}`");
    let settings = match block {
        Some(block) => block_settings(context, block, title, span, BlockKind::Collective),
        None => BlockSettings::none(title, span),
    };
    let fits = scheduled::check_collective(context, &settings, collective, &kind, scheduled);
    let path = file.map(|(_, path, _)| path);
    let size =
        path.is_none().then(|| settings.need(context, "size", "1 GiB").map(|value| size(context, value)));
    let messages = messages::messages(context, &settings, collective, size, &kind, path, scope);
    // The size of a file of messages is their sum.
    let size = size.unwrap_or_else(|| {
        let listed = messages.as_ref()?.as_ref()?.all.iter();
        Some(Some(listed.map(|message| message.bytes).sum()))
    });
    let known_algorithms = known_algorithms(&settings, collective, scheduled);
    let groups = groups(context, &settings, collective, &kind);
    let algorithm = settings
        .get("algorithm")
        .filter(|_| groups.is_some())
        .map(|value| algorithm(context, collective, known_algorithms, value));
    let chunks = settings
        .get("chunks")
        .map(|value| integer(context, "`chunks`", value, 1..=i64::from(COLLECTIVE_CHUNKS)));
    let root = root(context, &settings, collective, &kind);
    let overhead = settings.get("overhead").map_or(Some(0), |value| overhead(context, value));
    let barrier = settings.get("barrier").map_or(Some(false), |value| yes_or_no(context, "`barrier`", value));
    let seed = settings.get("seed").map_or(Some(1), |value| integer(context, "`seed`", value, 0..=i64::MAX));
    let line = requires.iter().find(|line| line.fault && line.collective() == Some(&name));
    let scenarios = scenarios(context, &settings, "a collective", line);
    Some(DeclaredCollective {
        name,
        collective,
        size: size??,
        algorithm: algorithm.unwrap_or(Some(None))?,
        chunks: optional(chunks)?.map(|chunks| chunks as u32),
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

/// Resolves the scenarios of a collective or a job, as `owner` calls it. The `line` on it in the worst fault
/// needs all of them.
pub(super) fn scenarios(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    owner: &str,
    line: Option<&Require>,
) -> Option<Scenarios> {
    let written = settings.get("scenarios").map(|value| one_of(context, "`scenarios`", value));
    match (written, line) {
        (Some(Some(Scenarios::Nominal)), Some(line)) => {
            let (subject, place) = (
                "`scenarios = nominal`".to_owned(),
                format!("{owner} with `require {} ..`", line.metric_text()),
            );
            let help = Some("write `scenarios = all`, or remove one of the two".to_owned());
            context.error(ResolveError::Misplaced {
                subject,
                place,
                help,
                span: settings.span_or_head("scenarios"),
            });
            None
        }
        (Some(written), _) => written,
        (None, Some(_)) => Some(Scenarios::All),
        (None, None) => Some(Scenarios::Nominal),
    }
}

/// Reads the bytes of the full vector of a chip.
pub(super) fn size(context: &mut Context, value: &SettingValue) -> Option<u64> {
    let (number, unit) = quantity(context, "`size`", value, &[Dimension::Data], "1 GiB")?;
    let bytes = number.times(unit.factor).filter(|bytes| (1..=COLLECTIVE_BYTES).contains(bytes));
    if bytes.is_none() {
        let (subject, wanted) =
            ("`size`".to_owned(), format!("a whole number of bytes from 1 to {COLLECTIVE_BYTES}"));
        let help = Some("it is of the full vector of one chip, for example `1 GiB`".to_owned());
        context.error(ResolveError::OutOfRange {
            subject,
            wanted,
            help,
            span: value.span,
            note: "this is not".to_owned(),
        });
    }
    bytes
}

/// Reads the overhead of a message, in picoseconds.
pub(super) fn overhead(context: &mut Context, value: &SettingValue) -> Option<u64> {
    // Zero needs no unit.
    let is_zero = |quantity: &Quantity| {
        quantity.unit.is_none() && matches!(&quantity.number.kind, ExprKind::Integer(zero) if &**zero == "0")
    };
    if matches!(&value.kind, ValueKind::Quantity(quantity) if is_zero(quantity)) {
        return Some(0);
    }
    let (number, unit) = quantity(context, "`overhead`", value, &[Dimension::Time], "400 ns")?;
    let time = number.times(unit.factor).filter(|time| *time <= COLLECTIVE_OVERHEAD_PS);
    if time.is_none() {
        let (subject, wanted) =
            ("`overhead`".to_owned(), "a whole number of ps, at most a second".to_owned());
        context.error(ResolveError::OutOfRange {
            subject,
            wanted,
            help: None,
            span: value.span,
            note: "this is not".to_owned(),
        });
    }
    time
}

/// Reads a value that is `yes` or `no`.
pub(super) fn yes_or_no(context: &mut Context, subject: &str, value: &SettingValue) -> Option<bool> {
    let Some(name) = bare_name(value) else {
        context.error(wrong_kind(subject, "`yes` or `no`", "yes", value.span));
        return None;
    };
    match &*name.value {
        "yes" => Some(true),
        "no" => Some(false),
        _ => {
            context.error(unknown_choice(subject, &name, &["no", "yes"], None));
            None
        }
    }
}

/// The algorithms that a collective may name.
fn known_algorithms(
    settings: &BlockSettings<'_>,
    collective: Collective,
    scheduled: bool,
) -> &'static [CollectiveAlgorithm] {
    match (scheduled, settings.get("groups").is_some()) {
        (true, _) => CollectiveAlgorithm::for_slots(collective),
        (false, true) => CollectiveAlgorithm::for_groups(collective),
        (false, false) => CollectiveAlgorithm::for_tables(collective),
    }
}

/// Reads one of the algorithms of a collective. The inner `None` stands for whichever is fastest.
#[allow(clippy::option_option)]
pub(super) fn algorithm(
    context: &mut Context,
    collective: Collective,
    algorithms: &[CollectiveAlgorithm],
    value: &SettingValue,
) -> Option<Option<CollectiveAlgorithm>> {
    let Some(name) = bare_name(value) else {
        context.error(wrong_kind("`algorithm`", "a name", AUTO, value.span));
        return None;
    };
    let chosen = algorithms.iter().find(|known| known.name() == &*name.value).copied();
    if chosen.is_none() && &*name.value != AUTO {
        let names: Vec<&str> = algorithms.iter().map(|known| known.word()).chain([AUTO]).collect();
        context.error(unknown_choice(
            &format!("the algorithm of `{}`", collective.name()),
            &name,
            &names,
            None,
        ));
        return None;
    }
    Some(chosen)
}

/// Reads the number of chips of a group. The build checks whether groups of this size cover all chips.
#[allow(clippy::option_option)]
fn groups(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    collective: Collective,
    kind: &Name,
) -> Option<Option<u32>> {
    let Some(value) = settings.get("groups") else { return Some(None) };
    if collective.is_rooted() || collective == Collective::Send {
        let (subject, place) = ("`groups`".to_owned(), format!("`{}`", kind.value));
        let help = Some("remove it: there is one root, or there are the ends of messages".to_owned());
        context.error(ResolveError::Misplaced {
            subject,
            place,
            help,
            span: settings.span_or_head("groups"),
        });
        return None;
    }
    integer(context, "`groups`", value, 2..=i64::from(u16::MAX)).map(|size| Some(size as u32))
}

/// Reads the root as it is written. The build checks whether the fabric has it.
#[allow(clippy::option_option)]
fn root(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    collective: Collective,
    kind: &Name,
) -> Option<Option<String>> {
    let example = "cube0[0,0,0]";
    if !collective.is_rooted() {
        if settings.get("root").is_none() {
            return Some(None);
        }
        let (subject, place) = ("`root`".to_owned(), format!("`{}`", kind.value));
        let help = Some("remove it: only `broadcast` and `reduce` have a root".to_owned());
        context.error(ResolveError::Misplaced { subject, place, help, span: settings.span_or_head("root") });
        return None;
    }
    let value = settings.need(context, "root", example)?;
    router_name(context, "`root`", value, example).map(Some)
}
