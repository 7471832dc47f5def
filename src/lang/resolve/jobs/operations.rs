//! The operations of a phase: collectives of groups of ranks, and messages along an axis.

use super::amounts::yes_or_no;
use super::axes::JobAxes;
use super::job_block::JobBlock;
use super::skew::skew;
use crate::resolve::collectives;
use crate::resolve::context::{Context, check_name_length, missing, unknown_choice};
use crate::resolve::settings::{BlockSettings, block_settings, integer, name_and_block, wrong_kind};
use crate::syntax::ast::{InnerBlock, Name, Setting};
use crate::syntax::words::BlockKind;
use crate::{JobError, ResolveError};
use fabc_base::diag::Span;
use fabc_base::limits::{JOB_BYTES, JOB_TIMES};
use fabc_model::{Collective, CollectiveAlgorithm, EVEN_SKEW, JobOperation, JobOperationKind, RankGroups};

/// What the operations of a phase are resolved against.
pub(super) struct PhaseGround<'a> {
    /// The axes of the job.
    pub(super) axes: &'a JobAxes,
    /// Bytes of a flit. `None` if they are in error.
    pub(super) flit_bytes: Option<u32>,
}

/// The collectives that groups of ranks can do.
pub(super) fn group_collectives() -> impl Iterator<Item = Collective> {
    Collective::ALL.into_iter().filter(|kind| !CollectiveAlgorithm::for_groups(*kind).is_empty())
}

impl PhaseGround<'_> {
    /// Resolves the operations of a phase, collectives first. Returns `None` if an error was reported.
    pub(super) fn operations(
        &self,
        context: &mut Context,
        block: &JobBlock<'_>,
    ) -> Option<Vec<JobOperation>> {
        let mut operations: Vec<Option<JobOperation>> = Vec::new();
        let mut names: Vec<&Name> = Vec::new();
        let mut is_new = |context: &mut Context, name| {
            check_name_length(context, "the name of an operation", name);
            match names.iter().find(|first: &&&Name| first.value == name.value) {
                Some(first) => {
                    duplicate(context, "the operation", name, first.span);
                    false
                }
                None => {
                    names.push(name);
                    true
                }
            }
        };
        for (setting, span) in &block.operations {
            let is_new = is_new(context, &setting.name);
            operations.push(self.collective(context, setting, *span).filter(|_| is_new));
        }
        for inner in block.named("send") {
            let Some(name) = &inner.name else { continue };
            let is_new = is_new(context, name);
            operations.push(self.send(context, inner, name).filter(|_| is_new));
        }
        if operations.is_empty() && !block.settings.has_unknown() {
            need_operation(context, block);
            return None;
        }
        operations.into_iter().collect::<Option<Vec<_>>>().filter(|operations| !operations.is_empty())
    }

    fn collective(&self, context: &mut Context, setting: &Setting, span: Span) -> Option<JobOperation> {
        let name = &setting.name.value;
        let Some((kind, block)) = name_and_block(&setting.value) else {
            let subject = format!("the collective `{name}`");
            let example = "all_reduce { over = data; size = 1 GiB; }";
            context.error(wrong_kind(&subject, "what it does", example, setting.value.span));
            return None;
        };
        let Some(collective) = group_collectives().find(|known| known.name() == &*kind.value) else {
            let known: Vec<&str> = group_collectives().map(Collective::name).collect();
            context.error(unknown_choice("the collective of a phase", &kind, &known, None));
            return None;
        };
        let title = format!("collective `{name}`");
        let settings = match block {
            Some(block) => block_settings(context, block, title, span, BlockKind::JobCollective),
            None => BlockSettings::none(title, span),
        };
        let over = settings.need(context, "over", &self.axes.list[0].name);
        let over = over.and_then(|value| {
            self.axes.read_list(context, &format!("the collective `{name}`"), "over", value)
        });
        let algorithm = settings.get("algorithm").map_or(Some(None), |value| {
            let known = CollectiveAlgorithm::for_groups(collective);
            collectives::algorithm(context, collective, known, value)
        });
        let amount = self.amount(context, &settings);
        let skew_millionths = self.skew(context, collective, &settings, over.as_deref());
        let (over, (bytes, times)) = (over?, amount?);
        self.check_size(context, &settings, bytes, self.axes.group_size(&over))?;
        Some(JobOperation {
            name: name.to_string(),
            kind: JobOperationKind::Collective(collective),
            groups: RankGroups::Along(over),
            bytes,
            times,
            skew_millionths: skew_millionths?,
            algorithm: algorithm?,
            span,
        })
    }

    /// Reads the skew of a collective, which only an all-to-all has. `over` is unknown after an error.
    fn skew(
        &self,
        context: &mut Context,
        collective: Collective,
        settings: &BlockSettings<'_>,
        over: Option<&[usize]>,
    ) -> Option<u64> {
        let Some(value) = settings.get("skew") else { return Some(EVEN_SKEW) };
        if collective == Collective::AllToAll {
            return skew(context, value, self.axes.group_size(over?));
        }
        context.error(ResolveError::Misplaced {
            subject: "`skew`".to_owned(),
            place: format!("a collective `{}`", collective.name()),
            help: Some("remove it: only the pairs of an `all_to_all` send different amounts".to_owned()),
            span: settings.span_or_head("skew"),
        });
        None
    }

    fn send(&self, context: &mut Context, inner: &InnerBlock, name: &Name) -> Option<JobOperation> {
        let span = inner.word.span.to(name.span);
        let title = format!("send `{}`", name.value);
        let settings = block_settings(context, &inner.block, title, span, BlockKind::JobSend);
        let along = settings.need(context, "along", &self.axes.list[0].name);
        let over = along.and_then(|value| {
            let subject = format!("the send `{}`", name.value);
            let over = self.axes.read_list(context, &subject, "along", value)?;
            if over.len() > 1 {
                context.error(wrong_kind("`along`", "a single axis", &self.axes.list[0].name, value.span));
                return None;
            }
            Some(over)
        });
        let amount = self.amount(context, &settings);
        let both = yes_or_no(context, &settings, "both", false);
        let wrap = yes_or_no(context, &settings, "wrap", false);
        let (bytes, times) = amount?;
        self.check_size(context, &settings, bytes, 1)?;
        let kind = JobOperationKind::Send { both: both?, wrap: wrap? };
        Some(JobOperation {
            name: name.value.to_string(),
            kind,
            groups: RankGroups::Along(over?),
            bytes,
            times,
            skew_millionths: EVEN_SKEW,
            algorithm: None,
            span,
        })
    }

    /// Reports a size whose parts for single ranks are smaller than a flit.
    fn check_size(
        &self,
        context: &mut Context,
        settings: &BlockSettings<'_>,
        bytes: u64,
        ranks: u64,
    ) -> Option<()> {
        let (subject, span) = (settings.place.clone(), settings.span_or_head("size"));
        let help = |needed| format!("write `size = {needed} B;` or more");
        check_flit(context, subject, bytes, ranks, self.flit_bytes?, span, &help)
    }

    /// Reads the bytes of an operation, and how often it runs.
    fn amount(&self, context: &mut Context, settings: &BlockSettings<'_>) -> Option<(u64, u64)> {
        let bytes = settings.need(context, "size", "128 MiB");
        let bytes = bytes.and_then(|value| collectives::size(context, value));
        let times = settings.get("times").map_or(Some(1), |value| {
            integer(context, "`times`", value, 1..=JOB_TIMES as i64).map(|times| times as u64)
        });
        let (bytes, times) = (bytes?, times?);
        let total = u128::from(bytes) * u128::from(times);
        if total > u128::from(JOB_BYTES) {
            context.error(
                JobError::TooMuch {
                    subject: settings.place.clone(),
                    amount: format!("{bytes} B x {times} = {total} B"),
                    help: format!(
                        "an operation moves at most {JOB_BYTES} B per chip: fewer `times` or a smaller `size`"
                    ),
                    span: settings.span_or_head("times"),
                }
                .into(),
            );
            return None;
        }
        Some((bytes, times))
    }
}

/// Reports parts for single ranks that are smaller than a flit. `help` says what to do about a size that must
/// have so many bytes.
pub(super) fn check_flit(
    context: &mut Context,
    subject: String,
    bytes: u64,
    ranks: u64,
    flit_bytes: u32,
    span: Span,
    help: &dyn Fn(u64) -> String,
) -> Option<()> {
    let flit = u64::from(flit_bytes);
    let needed = flit.saturating_mul(ranks);
    if bytes >= needed {
        return Some(());
    }
    let (part, arithmetic) = match ranks {
        1 => (format!("a message of {bytes} B"), format!("a flit has {flit} B")),
        _ => (
            "the part of a rank".to_owned(),
            format!("{bytes} B over {ranks} ranks, and a flit has {flit} B"),
        ),
    };
    context.error(JobError::BelowFlit { subject, part, help: help(needed), span, arithmetic }.into());
    None
}

/// Reports a name that occurs twice.
pub(super) fn duplicate(context: &mut Context, subject: &str, name: &Name, first: Span) {
    let help = "choose another name, or remove one of them";
    context.duplicate(format!("{subject} `{}`", name.value), help, name.span, first);
}

/// Reports a phase that moves nothing.
fn need_operation(context: &mut Context, block: &JobBlock<'_>) {
    let example = "collective sum = all_reduce { over = data; size = 1 GiB; }";
    context.error(missing(&block.settings.place, "an operation", example, block.settings.head()));
}
