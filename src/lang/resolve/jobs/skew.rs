//! The skew of all-to-alls: what the busiest pair of ranks sends over the mean of all pairs.

use crate::ResolveError;
use crate::resolve::context::Context;
use crate::resolve::settings::{BlockSettings, plain_number};
use crate::syntax::ast::SettingValue;
use fabc_model::{EVEN_SKEW, JobAxis, JobOperation, JobPhase};

/// Reads the skew of an all-to-all in groups of so many ranks, in millionths.
pub(super) fn skew(context: &mut Context, value: &SettingValue, ranks: u64) -> Option<u64> {
    let number = plain_number(context, "`skew`", value, "1.3")?;
    let most = EVEN_SKEW.saturating_mul(ranks);
    let millionths = number.times(EVEN_SKEW).filter(|millionths| (EVEN_SKEW..=most).contains(millionths));
    if millionths.is_none() {
        context.error(ResolveError::OutOfRange {
            subject: "`skew`".to_owned(),
            wanted: format!("from 1 to {ranks}, with at most six digits behind the point"),
            help: Some(format!(
                "it is what the busiest pair of ranks sends over the mean of all pairs, so at least 1. A rank \
                 of {ranks} that sends everything to one other sends {ranks} times the mean"
            )),
            span: value.span,
            note: format!("this is {number}"),
        });
    }
    millionths
}

/// Sets the skew of a job, which is that of each of its all-to-alls. `help` says what to do without one.
/// Returns `None` if an error was reported.
pub(super) fn set_skew(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    axes: &[JobAxis],
    phases: &mut [JobPhase],
    help: &str,
) -> Option<()> {
    let Some(value) = settings.get("skew") else { return Some(()) };
    let operations = phases.iter_mut().flat_map(|phase| &mut phase.operations);
    let exchanges: Vec<&mut JobOperation> =
        operations.filter(|operation| operation.is_all_to_all()).collect();
    let Some(ranks) = exchanges.iter().map(|operation| operation.groups.size(axes)).min() else {
        context.error(ResolveError::Misplaced {
            subject: "`skew`".to_owned(),
            place: "a job without an all-to-all".to_owned(),
            help: Some(help.to_owned()),
            span: settings.span_or_head("skew"),
        });
        return None;
    };
    let millionths = skew(context, value, ranks)?;
    exchanges.into_iter().for_each(|operation| operation.skew_millionths = millionths);
    Some(())
}
