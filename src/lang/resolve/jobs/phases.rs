//! The phases of a job as they are written.

use super::amounts::{compute_time, share};
use super::axes::JobAxes;
use super::ground::JobGround;
use super::job_block::JobBlock;
use super::operations::{PhaseGround, duplicate};
use super::order::{NONE, WaitingPhase, after, check_circle};
use crate::ResolveError;
use crate::resolve::context::{Context, check_name_length};
use crate::syntax::ast::{InnerBlock, Name};
use crate::syntax::words::BlockKind;
use fabc_model::JobPhase;

/// Resolves the phases of a job. Returns `None` if an error was reported, or if there are none.
pub(super) fn phases(
    context: &mut Context,
    parts: &JobBlock<'_>,
    job: &str,
    axes: Option<&JobAxes>,
    ground: &JobGround<'_>,
) -> Option<Vec<JobPhase>> {
    let declared = named_phases(context, parts);
    let names: Vec<&str> = declared.iter().map(|(name, _)| &*name.value).collect();
    let blocks: Vec<JobBlock<'_>> = declared
        .iter()
        .map(|(name, inner)| {
            let head = inner.word.span.to(name.span);
            JobBlock::read(context, &inner.block, format!("phase `{}`", name.value), head, BlockKind::Phase)
        })
        .collect();
    let phases: Vec<Option<JobPhase>> = blocks
        .iter()
        .enumerate()
        .map(|(index, block)| {
            let after = after(context, block.settings.get("after"), index, &names);
            let compute = block
                .settings
                .get("compute")
                .map_or(Some(0), |value| compute_time(context, "`compute`", value));
            let overlap =
                block.settings.get("overlap").map_or(Some(0), |value| share(context, "`overlap`", value));
            let operations = match axes {
                Some(axes) => PhaseGround { axes, flit_bytes: ground.flit_bytes }.operations(context, block),
                None => None,
            };
            Some(JobPhase {
                name: names[index].to_owned(),
                after: after?,
                compute_ps: compute?,
                overlap_millionths: overlap?,
                operations: operations?,
                span: block.settings.head(),
            })
        })
        .collect();
    let phases: Vec<JobPhase> = phases.into_iter().collect::<Option<_>>()?;
    let waiting: Vec<WaitingPhase<'_>> = phases
        .iter()
        .zip(&blocks)
        .map(|(phase, block)| WaitingPhase {
            name: &phase.name,
            after: &phase.after,
            span: block.settings.span_or_head("after"),
        })
        .collect();
    let is_ordered = check_circle(context, job, &waiting);
    let is_complete = declared.len() == parts.named("phase").count();
    Some(phases).filter(|phases| is_ordered && is_complete && !phases.is_empty())
}

/// The phases with names that differ. Reports the others.
fn named_phases<'a>(context: &mut Context, parts: &JobBlock<'a>) -> Vec<(&'a Name, &'a InnerBlock)> {
    let mut declared: Vec<(&Name, &InnerBlock)> = Vec::new();
    for inner in parts.named("phase") {
        let Some(name) = &inner.name else { continue };
        check_name_length(context, "the name of a phase", name);
        if &*name.value == NONE {
            context.error(ResolveError::Misplaced {
                subject: format!("the name `{NONE}`"),
                place: "`phase`".to_owned(),
                help: Some("`after = none;` starts a phase at once: choose another name".to_owned()),
                span: name.span,
            });
            continue;
        }
        match declared.iter().find(|(first, _)| first.value == name.value) {
            Some((first, _)) => duplicate(context, "the phase", name, first.span),
            None => declared.push((name, inner)),
        }
    }
    declared
}
