//! Resolves `reconfigure { .. }`: how switches may be set anew between the phases of a job.

use super::amounts::step_time;
use super::ground::{JobGround, Switching};
use super::job_block::JobBlock;
use crate::ResolveError;
use crate::resolve::context::{Context, unknown_choice};
use crate::resolve::settings::{BlockSettings, bare_name, block_settings, wrong_kind};
use crate::syntax::ast::{InnerBlock, Name, SettingValue, ValueKind};
use crate::syntax::words::BlockKind;
use fabc_model::{JobPhase, JobReconfigure, job_stages};

/// Resolves the block. Returns `Some(None)` if it is not written, and `None` if an error was reported.
pub(super) fn reconfigure(
    context: &mut Context,
    parts: &JobBlock<'_>,
    phases: &[JobPhase],
    ground: &JobGround<'_>,
) -> Option<Option<JobReconfigure>> {
    let Some(inner) = parts.block("reconfigure") else { return Some(None) };
    let has_place = check_place(context, inner, phases, ground.switching);
    let title = "`reconfigure`".to_owned();
    let settings = block_settings(context, &inner.block, title, inner.word.span, BlockKind::Reconfigure);
    let switch_ps = switch_time(context, &settings);
    let own = match settings.get("phases") {
        Some(value) => own_phases(context, value, phases),
        None => Some((0..phases.len()).collect()),
    };
    let (switch_ps, phases) = (switch_ps?, own?);
    has_place.then_some(Some(JobReconfigure { switch_ps, phases }))
}

/// Reports a block about changes that cannot be. Returns whether there are some.
fn check_place(context: &mut Context, inner: &InnerBlock, phases: &[JobPhase], switching: Switching) -> bool {
    let (place, help) = match switching {
        Switching::NoSwitches => (
            "a job on a fabric without switches",
            "remove it: only optical switches (`ocs`) join chips anew between phases",
        ),
        Switching::OnFloor => (
            "a job on a `floor`",
            "remove it: the lengths of the cables are those of the topology that is built, and other \
             topologies are not compared",
        ),
        Switching::Possible if phases.len() == 1 => {
            ("a job of one phase", "remove it: switches are set anew where one phase follows another")
        }
        Switching::Possible if job_stages(phases).len() == 1 => (
            "a job whose phases all run at the same time",
            "remove it, or let a phase follow the others by `after`",
        ),
        Switching::Possible => return true,
    };
    context.error(ResolveError::Misplaced {
        subject: "`reconfigure { .. }`".to_owned(),
        place: place.to_owned(),
        help: Some(help.to_owned()),
        span: inner.word.span,
    });
    false
}

/// Reads the time of a change, in picoseconds.
fn switch_time(context: &mut Context, settings: &BlockSettings<'_>) -> Option<u64> {
    let value = settings.need(context, "switch", "10 ms")?;
    let time = step_time(context, "`switch`", value, "10 ms")?;
    if time == 0 {
        context.error(ResolveError::OutOfRange {
            subject: "`switch`".to_owned(),
            wanted: "above 0".to_owned(),
            help: Some(
                "it is the time in which fibers that move are dark: about `10 ms` for mirrors".to_owned(),
            ),
            span: value.span,
            note: "no switch changes in no time".to_owned(),
        });
    }
    (time > 0).then_some(time)
}

/// Reads the phases that may have a topology of their own, as indices in ascending order.
fn own_phases(context: &mut Context, value: &SettingValue, phases: &[JobPhase]) -> Option<Vec<usize>> {
    let written: Vec<Name> = match &value.kind {
        ValueKind::List(listed) => listed.clone(),
        _ => bare_name(value).into_iter().collect(),
    };
    if written.is_empty() {
        let example = format!("[{}]", phases[0].name);
        context.error(wrong_kind("`phases`", "a list of phases", &example, value.span));
        return None;
    }
    let known: Vec<&str> = phases.iter().map(|phase| &*phase.name).collect();
    let mut own: Vec<usize> = Vec::new();
    for (index, name) in written.iter().enumerate() {
        let Some(phase) = known.iter().position(|known| *known == &*name.value) else {
            context.error(unknown_choice("a phase of `reconfigure`", name, &known, None));
            return None;
        };
        if own.contains(&phase) {
            let first = written[..index].iter().find(|first| first.value == name.value);
            let subject = format!("the phase `{}` of `reconfigure`", name.value);
            let first = first.map_or(name.span, |first| first.span);
            context.duplicate(subject, "remove one of the two", name.span, first);
            return None;
        }
        own.push(phase);
    }
    own.sort_unstable();
    Some(own)
}
