//! The order of the phases of a job.

use crate::JobError;
use crate::resolve::context::{Context, unknown_choice};
use crate::resolve::settings::{bare_name, wrong_kind};
use crate::syntax::ast::{Name, SettingValue, ValueKind};
use fabc_base::diag::Span;

/// The word of a phase that waits for nothing.
pub(super) const NONE: &str = "none";

/// Reads the phases that a phase waits for, as indices in ascending order. Without `after`, a phase follows
/// the one before it.
pub(super) fn after(
    context: &mut Context,
    value: Option<&SettingValue>,
    index: usize,
    names: &[&str],
) -> Option<Vec<usize>> {
    let Some(value) = value else { return Some(index.checked_sub(1).into_iter().collect()) };
    let written: Vec<Name> = match &value.kind {
        ValueKind::List(listed) => listed.clone(),
        _ => match bare_name(value) {
            Some(name) if &*name.value == NONE => return Some(Vec::new()),
            Some(name) => vec![name],
            None => {
                let wanted = "a phase, a list of phases, or `none`";
                context.error(wrong_kind("`after`", wanted, names[0], value.span));
                return None;
            }
        },
    };
    let mut after = Vec::new();
    for name in written {
        let Some(before) = names.iter().position(|known| *known == &*name.value) else {
            let known: Vec<&str> = names.iter().copied().chain([NONE]).collect();
            context.error(unknown_choice("the phase in `after`", &name, &known, None));
            return None;
        };
        if !after.contains(&before) {
            after.push(before);
        }
    }
    after.sort_unstable();
    Some(after)
}

/// A phase in the order, with the place where its `after` is written.
pub(super) struct WaitingPhase<'a> {
    pub(super) name: &'a str,
    pub(super) after: &'a [usize],
    pub(super) span: Span,
}

/// Reports phases that wait for each other. Returns whether there are none.
pub(super) fn check_circle(context: &mut Context, job: &str, phases: &[WaitingPhase<'_>]) -> bool {
    let Some(circle) = find_circle(phases) else { return true };
    let names: Vec<String> =
        circle.iter().chain(circle.first()).map(|&index| format!("`{}`", phases[index].name)).collect();
    let last = &phases[circle[0]];
    let help = format!(
        "each phase in this list waits for the next one: let `{}` start earlier, for example by `after = none;`",
        last.name
    );
    let circle = names.join(", ");
    context.error(JobError::Circle { job: job.to_owned(), circle, help, span: last.span }.into());
    false
}

/// The first circle: each phase waits for the next one, and the last for the first.
fn find_circle(phases: &[WaitingPhase<'_>]) -> Option<Vec<usize>> {
    // Phases that wait for nothing are taken away, until none is left or all that remain wait.
    let mut waiting: Vec<bool> = vec![true; phases.len()];
    loop {
        let free = (0..phases.len())
            .find(|&index| waiting[index] && phases[index].after.iter().all(|&before| !waiting[before]));
        match free {
            Some(index) => waiting[index] = false,
            None => break,
        }
    }
    let mut path = Vec::new();
    let mut next = waiting.iter().position(|waits| *waits)?;
    while !path.contains(&next) {
        path.push(next);
        next = phases[next].after.iter().copied().find(|&before| waiting[before])?;
    }
    let start = path.iter().position(|&index| index == next)?;
    Some(path.split_off(start))
}
