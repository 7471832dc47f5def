//! Times, shares and counts of jobs.

use crate::ResolveError;
use crate::resolve::collectives;
use crate::resolve::context::Context;
use crate::resolve::settings::{BlockSettings, decimal, quantity, wrong_kind};
use crate::syntax::ast::{Block, Quantity, Setting, SettingValue, StatementKind, ValueKind};
use fabc_base::limits::JOB_COMPUTE_PS;
use fabc_base::units::Dimension;

/// Millionths of a percent's base: `1 %` is this many millionths.
const MILLIONTHS_PER_PERCENT: u64 = 10_000;

/// Reads a time of computing, in picoseconds.
pub(super) fn compute_time(context: &mut Context, subject: &str, value: &SettingValue) -> Option<u64> {
    step_time(context, subject, value, "19.8 s")
}

/// Reads a time of a step, in picoseconds.
pub(super) fn step_time(
    context: &mut Context,
    subject: &str,
    value: &SettingValue,
    example: &str,
) -> Option<u64> {
    let (number, unit) = quantity(context, subject, value, &[Dimension::Time, Dimension::Duration], example)?;
    let time = unit.picoseconds().and_then(|factor| number.times(factor));
    let time = time.filter(|time| *time <= JOB_COMPUTE_PS);
    if time.is_none() {
        context.error(ResolveError::OutOfRange {
            subject: subject.to_owned(),
            wanted: "a whole number of ps, at most 1000000 s".to_owned(),
            help: None,
            span: value.span,
            note: "this is not".to_owned(),
        });
    }
    time
}

/// The settings of a block `overlap`, each name once, and whether there is nothing else. Reports the rest.
/// `help` says what a line of it is.
pub(super) fn overlap_settings<'a>(
    context: &mut Context,
    block: &'a Block,
    help: &str,
) -> (Vec<&'a Setting>, bool) {
    let mut settings: Vec<&Setting> = Vec::new();
    for statement in &block.statements {
        let StatementKind::Setting(setting) = &statement.kind else {
            context.error(ResolveError::Misplaced {
                subject: format!("`{}`", statement.kind.keyword()),
                place: "`overlap`".to_owned(),
                help: Some(help.to_owned()),
                span: statement.span,
            });
            continue;
        };
        let name = &setting.name;
        match settings.iter().find(|first| first.name.value == name.value) {
            Some(first) => context.duplicate(
                format!("`{}`", name.value),
                "remove one of them",
                name.span,
                first.name.span,
            ),
            None => settings.push(setting),
        }
    }
    let is_whole = settings.len() == block.statements.len();
    (settings, is_whole)
}

/// Reads a share such as `80 %`, in millionths.
pub(super) fn share(context: &mut Context, subject: &str, value: &SettingValue) -> Option<u32> {
    let ValueKind::Quantity(written) = &value.kind else {
        context.error(wrong_kind(subject, "a share", "80 %", value.span));
        return None;
    };
    let wrong_unit = |span, note: String| ResolveError::WrongUnit {
        subject: subject.to_owned(),
        wanted: "the unit `%`".to_owned(),
        help: Some("for example `80 %`".to_owned()),
        span,
        note,
    };
    match &written.unit {
        Some(unit) if &*unit.value == "%" => {}
        Some(unit) => {
            let note = format!("`{}` is the unit of something else", unit.value);
            context.error(wrong_unit(unit.span, note));
            return None;
        }
        None => {
            context.error(wrong_unit(value.span, "a share in percent expected".to_owned()));
            return None;
        }
    }
    let plain = Quantity { unit: None, ..written.clone() };
    let number = decimal(context, subject, &plain)?;
    let millionths = number.times(MILLIONTHS_PER_PERCENT);
    let millionths = millionths.filter(|share| *share <= 100 * MILLIONTHS_PER_PERCENT);
    if millionths.is_none() {
        context.error(ResolveError::OutOfRange {
            subject: subject.to_owned(),
            wanted: "from 0 to 100 %, with at most four digits behind the point".to_owned(),
            help: None,
            span: value.span,
            note: format!("this is {number} %"),
        });
    }
    millionths.map(|share| share as u32)
}

/// Reads a setting that is `yes` or `no`. Without the setting, returns the default.
pub(super) fn yes_or_no(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    name: &str,
    default: bool,
) -> Option<bool> {
    let Some(value) = settings.get(name) else { return Some(default) };
    collectives::yes_or_no(context, &format!("`{name}`"), value)
}
