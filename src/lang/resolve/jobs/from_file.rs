//! Jobs that come from files: `job name = chakra "traces/step" { .. }` and `job name = phases "step.json"
//! { .. }`. The ranks have one axis, and the groups of all operations are listed.

use super::amounts::{overlap_settings, share};
use super::axes::JobAxes;
use super::ground::JobGround;
use super::job_block::JobBlock;
use super::order::{WaitingPhase, check_circle};
use super::phases_file::{FileStep, read_phases};
use super::skew::set_skew;
use super::training::TrainingStep;
use crate::resolve::context::{Context, unknown_choice};
use crate::resolve::scope::read_file;
use crate::resolve::settings::wrong_kind;
use crate::syntax::ast::{JobSource, Name, StatementKind, ValueKind};
use crate::syntax::join;
use crate::{JobError, JobFileError, ResolveError};
use fabc_base::diag::Span;
use fabc_base::limits::{CHAKRA_BYTES, PHASES_BYTES};
use fabc_chakra::{TracedStep, read_step};
use fabc_model::{JobAxis, JobPhase};

/// The words before the path of a file.
const WORDS: [&str; 2] = ["chakra", "phases"];
/// The settings that a job from a file may have.
const SETTINGS: [&str; 7] = ["compute", "groups", "overhead", "place", "scenarios", "skew", "weight"];
/// What to do about a skew without an all-to-all.
const NO_EXCHANGE: &str = "remove it: no operation of the file is an all-to-all";
/// The blocks that it may have.
const BLOCKS: [&str; 2] = ["overlap", "reconfigure"];
/// The name of the only axis.
const AXIS: &str = "rank";

/// The ranks and the phases of a job that comes from a file.
pub(super) struct JobOfFile {
    pub(super) axes: JobAxes,
    pub(super) step: TrainingStep,
}

/// Reads the ranks and phases of a job from its file. `compute` is the time of computing, if it is written.
/// Returns `None` if an error was reported.
pub(super) fn job_of_file(
    context: &mut Context,
    parts: &JobBlock<'_>,
    name: &Name,
    source: &JobSource,
    compute: Option<u64>,
    ground: &JobGround<'_>,
) -> Option<JobOfFile> {
    let is_known = WORDS.contains(&&*source.word.value);
    let are_known = is_known && refuse_others(context, parts, source);
    let mut step = match &*source.word.value {
        "chakra" => traced_step(context, parts, name, source, ground),
        "phases" => phases_of_file(context, source, ground),
        _ => {
            context.error(unknown_choice("the file of a job", &source.word, &WORDS, None));
            None
        }
    }?;
    let span = source.path.span;
    let axes =
        JobAxes { list: vec![JobAxis { name: AXIS.to_owned(), size: step.ranks }], names: vec![span], span };
    check_count(context, name, step.ranks, ground.chips, span);
    let waiting: Vec<WaitingPhase<'_>> = step
        .phases
        .iter()
        .map(|phase| WaitingPhase { name: &phase.name, after: &phase.after, span })
        .collect();
    let is_ordered = check_circle(context, &name.value, &waiting);
    let has_overlap = set_overlap(context, parts, &mut step.phases);
    let skewed = set_skew(context, &parts.settings, &axes.list, &mut step.phases, NO_EXCHANGE);
    let compute_ps = compute.unwrap_or(step.compute_ps);
    let step = TrainingStep { phases: step.phases, compute_ps, idle_ps: 0 };
    (are_known && is_ordered && has_overlap && skewed.is_some()).then_some(JobOfFile { axes, step })
}

/// Reports lines that say what the file says. Returns whether there are none.
fn refuse_others(context: &mut Context, parts: &JobBlock<'_>, source: &JobSource) -> bool {
    let mut are_known = true;
    let mut refuse = |context: &mut Context, subject: String, span: Span| {
        let place = format!("a job from a file (`{}`)", source.word.value);
        let help = Some("the ranks and phases follow from the file: remove it".to_owned());
        context.error(ResolveError::Misplaced { subject, place, help, span });
        are_known = false;
    };
    for statement in &parts.block.statements {
        let word = statement.kind.keyword();
        match &statement.kind {
            StatementKind::Inner(inner) if !BLOCKS.contains(&word) => {
                refuse(context, format!("`{word} {{ .. }}`"), inner.word.span);
            }
            StatementKind::Setting(setting) if parts.settings.get(word).is_some() => {
                let is_of_trace = word != "groups" || &*source.word.value == "chakra";
                if !SETTINGS.contains(&word) || !is_of_trace {
                    refuse(context, format!("`{word}`"), setting.name.span);
                }
            }
            _ => {}
        }
    }
    are_known
}

/// Reports ranks that are not as many as the chips of the pod.
fn check_count(context: &mut Context, job: &Name, ranks: u32, chips: Option<u64>, span: Span) {
    let Some(chips) = chips.filter(|chips| *chips != u64::from(ranks)) else { return };
    context.error(
        JobError::RankCount {
            job: job.value.to_string(),
            ranks: ranks.into(),
            chips,
            help: format!("the file has {ranks} ranks: it needs a fabric with as many chips"),
            span,
            arithmetic: format!("{ranks} ranks"),
        }
        .into(),
    );
}

/// Reads the execution traces of a job.
fn traced_step(
    context: &mut Context,
    parts: &JobBlock<'_>,
    name: &Name,
    source: &JobSource,
    ground: &JobGround<'_>,
) -> Option<FileStep> {
    let (scope, prefix, span) = (ground.scope, &source.path.value, source.path.span);
    let mut groups = None;
    if let Some(value) = parts.settings.get("groups") {
        let ValueKind::File(kind, path, None) = &value.kind else {
            context.error(wrong_kind("`groups`", "a file", "\"comm.json\"", value.span));
            return None;
        };
        if !kind.value.is_empty() {
            context.error(wrong_kind("`groups`", "a file without a word", "\"comm.json\"", value.span));
            return None;
        }
        let (_, text) = read_file(context, path, scope, PHASES_BYTES)?;
        groups = Some((text, value.span));
    }
    let read = |rank: u32| {
        let path = join(scope.spec_path, &format!("{prefix}.{rank}.et"));
        scope.loader.load_bytes(&path, CHAKRA_BYTES)
    };
    let text = groups.as_ref().map(|(text, _)| text.as_str());
    match read_step(&read, text, ground.chips, span) {
        Ok(TracedStep { ranks, compute_ps, phases }) => Some(FileStep { ranks, compute_ps, phases }),
        Err(problem) => {
            let place = groups.map(|(_, span)| span);
            context
                .error(JobFileError::of_trace(name.value.to_string(), prefix, problem, span, place).into());
            None
        }
    }
}

/// Reads a file of phases.
fn phases_of_file(context: &mut Context, source: &JobSource, ground: &JobGround<'_>) -> Option<FileStep> {
    let (path, text) = read_file(context, &source.path, ground.scope, PHASES_BYTES)?;
    let span = source.path.span;
    match read_phases(&text, span) {
        Ok(step) => Some(step),
        Err(problem) => {
            context.error(JobFileError::Phases { path, problem, span }.into());
            None
        }
    }
}

/// Sets the overlap of phases by name: `overlap { phase_1 = 80 %; }`. Returns whether all are phases.
fn set_overlap(context: &mut Context, parts: &JobBlock<'_>, phases: &mut [JobPhase]) -> bool {
    let Some(inner) = parts.block("overlap") else { return true };
    let help = "write the share of a phase: `phase_1 = 80 %;`";
    let (settings, mut fits) = overlap_settings(context, &inner.block, help);
    for setting in settings {
        let known: Vec<&str> = phases.iter().map(|phase| &*phase.name).collect();
        let Some(index) = known.iter().position(|known| *known == &*setting.name.value) else {
            context.error(unknown_choice("the phase in `overlap`", &setting.name, &known, None));
            fits = false;
            continue;
        };
        match share(context, &format!("`{}`", setting.name.value), &setting.value) {
            Some(millionths) => phases[index].overlap_millionths = millionths,
            None => fits = false,
        }
    }
    fits
}
