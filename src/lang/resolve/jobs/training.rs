//! A job with a `model`: its phases and the time of computing follow from the model, the batch and the axes.

use super::amounts::{overlap_settings, share, yes_or_no};
use super::axes::JobAxes;
use super::ground::JobGround;
use super::job_block::JobBlock;
use super::model::{DeclaredModel, count_or, declared_model, need_count};
use super::operations::check_flit;
use super::skew::set_skew;
use crate::JobError;
use crate::ResolveError;
use crate::resolve::context::{Context, missing, unknown_choice};
use crate::resolve::settings::{BlockSettings, bare_name, block_settings, integer, quantity, wrong_kind};
use crate::syntax::ast::InnerBlock;
use crate::syntax::words::BlockKind;
use fabc_base::diag::{Span, list, suggestion};
use fabc_base::limits::JOB_COMPUTE_PS;
use fabc_base::units::Dimension;
use fabc_job::{
    AXES, Axis, Batch, ContextExchange, ElementBits, Misfit, Overlap, ParallelSettings, ParallelSizes,
    Recompute, TrainingJob,
};
use fabc_model::JobPhase;

/// The settings that only a job with a model has.
const SETTINGS: [&str; 9] =
    ["zero", "keep", "recompute", "gather_again", "sequence_parallel", "context", "virtual", "dedup", "skew"];

/// What to do about a skew without an all-to-all.
const NO_EXCHANGE: &str =
    "remove it: a model has an all-to-all if it has `experts`, and two ranks or more along `expert`";

/// The blocks that only a job with a model has.
const BLOCKS: [&str; 4] = ["batch", "bytes", "overlap", "compute"];

/// The most sequences, and the most tokens of a sequence.
const MAX_BATCH: i64 = 1 << 24;

/// The most bits of a number: 64 bytes.
const MAX_BITS: u64 = 512;

/// What a step of a job with a model takes.
pub(super) struct TrainingStep {
    pub(super) phases: Vec<JobPhase>,
    pub(super) compute_ps: u64,
    pub(super) idle_ps: u64,
}

/// Reports what belongs to a model in a job that has none.
pub(super) fn refuse_without_model(context: &mut Context, parts: &JobBlock<'_>) {
    let settings = SETTINGS
        .iter()
        .filter(|name| parts.settings.get(name).is_some())
        .map(|name| (*name, parts.settings.span_or_head(name)));
    let blocks = BLOCKS.iter().filter_map(|word| Some((*word, parts.block(word)?.word.span)));
    for (word, span) in settings.chain(blocks).collect::<Vec<_>>() {
        let help = match word {
            "compute" => "write `compute = 19.8 s;`, or add a `model { .. }`",
            "overlap" => "write `overlap = 80 %;` in a phase, or add a `model { .. }`",
            "skew" => "write `skew = 1.3;` in the braces of an `all_to_all`, or add a `model { .. }`",
            _ => "remove it, or add a `model { .. }`",
        };
        let (subject, place) = (format!("`{word}`"), "a job without a `model`".to_owned());
        let subject = if BLOCKS.contains(&word) { format!("`{word} {{ .. }}`") } else { subject };
        context.error(ResolveError::Misplaced { subject, place, help: Some(help.to_owned()), span });
    }
}

/// Resolves a job with a model. `compute` is the time of computing if it is written as a time. Returns `None`
/// if an error was reported.
pub(super) fn training_step(
    context: &mut Context,
    parts: &JobBlock<'_>,
    model: &InnerBlock,
    axes: Option<&JobAxes>,
    compute: Option<u64>,
    ground: &JobGround<'_>,
) -> Option<TrainingStep> {
    let declared = declared_model(context, model);
    let batch = parts.block("batch").map(|inner| batch_settings(context, inner));
    let batch = match &batch {
        Some(settings) => batch_of(context, settings),
        None => {
            let example = "batch { sequences = 256; length = 8192; }";
            context.error(missing("a job with a `model`", "its `batch`", example, parts.settings.head()));
            None
        }
    }
    .map(|read| (read, batch));
    let bits = element_bits(context, parts.block("bytes"));
    let settings = parallel_settings(context, &parts.settings, &declared);
    let sizes = axes.and_then(|axes| parallel_sizes(context, axes, &declared));
    let overlap = overlap(context, parts.block("overlap"), axes);
    let rate = parts.block("compute").map(|inner| (compute_rate(context, inner), inner));
    let axes = axes?;
    let ((batch, batch_settings), sizes, settings) = (batch?, sizes?, settings?);
    let job = TrainingJob { model: declared.model?, batch, bits: bits?, sizes, settings };
    let span = model.word.span;
    let mut phases = match job.phases(&axes.list, &overlap?, span) {
        Ok(phases) => phases,
        Err(misfit) => {
            report_misfit(context, misfit, &declared.settings, batch_settings.as_ref(), span);
            return None;
        }
    };
    if phases.is_empty() {
        let note = "no axis with two ranks moves anything".to_owned();
        let problem = "the ranks of this job exchange nothing".to_owned();
        let help = "give `data` or another axis at least two ranks".to_owned();
        context.error(JobError::Incomplete { problem, help, span: axes.span, note }.into());
        return None;
    }
    check_flits(context, &phases, axes, ground.flit_bytes?, span)?;
    set_skew(context, &parts.settings, &axes.list, &mut phases, NO_EXCHANGE)?;
    let compute_ps = match rate {
        Some((rate, inner)) => {
            let (rate, share) = rate?;
            rated_compute(context, &job, rate, share, inner.word.span)?
        }
        None => compute?,
    };
    Some(TrainingStep { phases, compute_ps, idle_ps: job.idle_ps(compute_ps) })
}

fn batch_settings<'a>(context: &mut Context, inner: &'a InnerBlock) -> BlockSettings<'a> {
    block_settings(context, &inner.block, "`batch`".to_owned(), inner.word.span, BlockKind::Batch)
}

fn batch_of(context: &mut Context, settings: &BlockSettings<'_>) -> Option<Batch> {
    let sequences = need_count(context, settings, "sequences", "256", MAX_BATCH);
    let length = need_count(context, settings, "length", "8192", MAX_BATCH);
    let micro = count_or(context, settings, "micro", 1, MAX_BATCH, Some(1));
    Some(Batch { sequences: sequences?, length: length?, micro: micro? })
}

/// Reads the bytes of numbers. Two bytes for those that are not written.
fn element_bits(context: &mut Context, inner: Option<&InnerBlock>) -> Option<ElementBits> {
    let Some(inner) = inner else { return Some(ElementBits { weight: 16, gradient: 16, activation: 16 }) };
    let settings =
        block_settings(context, &inner.block, "`bytes`".to_owned(), inner.word.span, BlockKind::ElementBytes);
    let mut bits = |name: &str| {
        let Some(value) = settings.get(name) else { return Some(16) };
        let subject = format!("`{name}`");
        let (number, unit) = quantity(context, &subject, value, &[Dimension::Data], "2 B")?;
        let bits = number.times(8 * unit.factor).filter(|bits| (1..=MAX_BITS).contains(bits));
        if bits.is_none() {
            context.error(ResolveError::OutOfRange {
                subject,
                wanted: "a whole number of bits, from 0.125 B to 64 B".to_owned(),
                help: Some("it is of a single number: `2 B` for 16 bits".to_owned()),
                span: value.span,
                note: "this is not".to_owned(),
            });
        }
        bits.map(|bits| bits as u32)
    };
    let (weight, gradient, activation) = (bits("weight"), bits("gradient"), bits("activation"));
    Some(ElementBits { weight: weight?, gradient: gradient?, activation: activation? })
}

/// Reads how ranks share the model.
fn parallel_settings(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    declared: &DeclaredModel<'_>,
) -> Option<ParallelSettings> {
    let zero = match settings.get("zero") {
        Some(value) => integer(context, "`zero`", value, 0..=3),
        None => Some(0),
    };
    let recompute = chosen(
        context,
        settings,
        "recompute",
        &[("none", Recompute::None), ("selective", Recompute::Selective), ("full", Recompute::Full)],
    );
    let exchange = chosen(
        context,
        settings,
        "context",
        &[("ring", ContextExchange::Ring), ("gather", ContextExchange::Gather)],
    );
    let virtual_stages = count_or(context, settings, "virtual", 1, i64::from(u16::MAX), Some(1));
    let sequence_parallel = yes_or_no(context, settings, "sequence_parallel", true);
    let gather_again = yes_or_no(context, settings, "gather_again", false);
    let keep = yes_or_no(context, settings, "keep", false);
    let dedup = yes_or_no(context, settings, "dedup", false);
    let needs = [
        ("keep", keep, zero.is_none_or(|zero| zero == 3), "`zero = 3`", "only ZeRO 3 gathers weights again"),
        (
            "gather_again",
            gather_again,
            sequence_parallel != Some(false),
            "`sequence_parallel = yes`",
            "only split inputs are gathered again",
        ),
        (
            "dedup",
            dedup,
            declared.model.is_none_or(|model| model.experts.is_some()),
            "`experts`",
            "only tokens for experts are sent several times",
        ),
    ];
    for (word, value, fits, needed, reason) in needs {
        if value == Some(true) && !fits {
            let (subject, place) = (format!("`{word}`"), format!("a job without {needed}"));
            let help = Some(format!("remove it: {reason}"));
            context.error(ResolveError::Misplaced {
                subject,
                place,
                help,
                span: settings.span_or_head(word),
            });
            return None;
        }
    }
    Some(ParallelSettings {
        sequence_parallel: sequence_parallel?,
        recompute: recompute?,
        gather_again: gather_again?,
        context: exchange?,
        virtual_stages: virtual_stages? as u32,
        zero: zero? as u8,
        keep_weights: keep?,
        dedup: dedup?,
    })
}

/// Reads a word of a list. Without the setting, returns the first one.
fn chosen<T: Copy>(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    name: &str,
    words: &[(&str, T)],
) -> Option<T> {
    let Some(value) = settings.get(name) else { return Some(words[0].1) };
    let subject = format!("`{name}`");
    let Some(written) = bare_name(value) else {
        context.error(wrong_kind(&subject, "a name", words[0].0, value.span));
        return None;
    };
    let known = words.iter().find(|(word, _)| *word == &*written.value);
    if known.is_none() {
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        context.error(unknown_choice(&subject, &written, &names, None));
    }
    known.map(|(_, value)| *value)
}

/// The sizes of the axes that a model knows. Reports other axes, and an axis of experts without experts.
fn parallel_sizes(
    context: &mut Context,
    axes: &JobAxes,
    declared: &DeclaredModel<'_>,
) -> Option<ParallelSizes> {
    let known = AXES.map(Axis::name);
    for (axis, span) in axes.list.iter().zip(&axes.names) {
        if !known.contains(&&*axis.name) {
            let help = suggestion(&axis.name, known).unwrap_or_else(|| list(&known));
            let (subject, axis) = ("a `model`".to_owned(), axis.name.clone());
            context.error(JobError::NoAxis { subject, axis, help, span: *span }.into());
            return None;
        }
        let has_no_experts = declared.model.is_some_and(|model| model.experts.is_none());
        if axis.name == Axis::Expert.name() && has_no_experts {
            context.error(
                JobError::Incomplete {
                    problem: "the axis `expert` shares experts, and this model has none".to_owned(),
                    help: "add `experts = 128; top = 8; expert_ffn = 1536;` to the model, or remove the axis"
                        .to_owned(),
                    span: *span,
                    note: "without `experts`".to_owned(),
                }
                .into(),
            );
            return None;
        }
    }
    Some(ParallelSizes {
        tensor: axes.size(Axis::Tensor.name()),
        context: axes.size(Axis::Context.name()),
        expert: axes.size(Axis::Expert.name()),
        data: axes.size(Axis::Data.name()),
        pipeline: axes.size(Axis::Pipeline.name()),
    })
}

/// Reads the share of the communication of every axis that compute may hide.
fn overlap(context: &mut Context, inner: Option<&InnerBlock>, axes: Option<&JobAxes>) -> Option<Overlap> {
    let mut overlap = Overlap::default();
    let Some(inner) = inner else { return Some(overlap) };
    let axes = axes?;
    let help = "it has a share for an axis: `data = 80 %;`";
    let (settings, mut fits) = overlap_settings(context, &inner.block, help);
    for setting in settings {
        let name = &setting.name;
        let is_axis = |axis: &&Axis| axes.list.iter().any(|known| known.name == axis.name());
        let axis = AXES.into_iter().find(|axis| axis.name() == &*name.value).filter(|axis| is_axis(&axis));
        let Some(axis) = axis else {
            fits = false;
            // An axis that the model does not know was reported.
            if axes.list.iter().any(|known| known.name == *name.value) {
                continue;
            }
            let known: Vec<&str> = axes.list.iter().map(|axis| &*axis.name).collect();
            let help = suggestion(&name.value, known.iter().copied()).unwrap_or_default();
            let (subject, axis) = ("this job".to_owned(), name.value.to_string());
            context.error(JobError::NoAxis { subject, axis, help, span: name.span }.into());
            continue;
        };
        match share(context, &format!("`{}`", name.value), &setting.value) {
            Some(millionths) => overlap.set(axis, millionths),
            None => fits = false,
        }
    }
    fits.then_some(overlap)
}

/// Reads `compute { rate = 275 TFLOP/s; share = 40 %; }`: FLOP/s, and the share of them in millionths.
fn compute_rate(context: &mut Context, inner: &InnerBlock) -> Option<(u64, u32)> {
    let title = "`compute`".to_owned();
    let settings = block_settings(context, &inner.block, title, inner.word.span, BlockKind::Compute);
    let rate = settings.need(context, "rate", "275 TFLOP/s").and_then(|value| {
        let (number, unit) = quantity(context, "`rate`", value, &[Dimension::FlopRate], "275 TFLOP/s")?;
        let rate = number.times(unit.factor).filter(|rate| *rate > 0);
        if rate.is_none() {
            context.error(ResolveError::OutOfRange {
                subject: "`rate`".to_owned(),
                wanted: "a whole number of FLOP/s, at least 1".to_owned(),
                help: None,
                span: value.span,
                note: "this is not".to_owned(),
            });
        }
        rate
    });
    let share = settings.need(context, "share", "40 %").and_then(|value| {
        let share = share(context, "`share`", value)?;
        if share == 0 {
            context.error(ResolveError::OutOfRange {
                subject: "`share`".to_owned(),
                wanted: "above 0".to_owned(),
                help: None,
                span: value.span,
                note: "nothing is computed".to_owned(),
            });
        }
        (share > 0).then_some(share)
    });
    Some((rate?, share?))
}

/// The time of computing at a rate.
fn rated_compute(context: &mut Context, job: &TrainingJob, rate: u64, share: u32, span: Span) -> Option<u64> {
    let time = job.compute_ps(rate, share).filter(|time| *time <= JOB_COMPUTE_PS);
    if time.is_none() {
        context.error(ResolveError::OutOfRange {
            subject: "the time that a step computes".to_owned(),
            wanted: "at most 1000000 s".to_owned(),
            help: Some("a larger `rate`, or fewer sequences".to_owned()),
            span,
            note: format!("{} FLOP of a rank at this rate", job.flops()),
        });
    }
    time
}

/// Reports a part that ranks cannot share evenly, where its number is written.
fn report_misfit(
    context: &mut Context,
    misfit: Misfit,
    model: &BlockSettings<'_>,
    batch: Option<&BlockSettings<'_>>,
    head: Span,
) {
    let Misfit { setting, problem, arithmetic, help } = misfit;
    let span = model.span(setting).or(batch.and_then(|batch| batch.span(setting)));
    let error = match span {
        Some(span) => JobError::Indivisible { problem, help, span, arithmetic },
        None => {
            let subject = format!("the phase `{setting}` of this model");
            JobError::TooMuch { subject, amount: arithmetic, help, span: head }
        }
    };
    context.error(error.into());
}

/// Reports operations whose parts for single ranks are smaller than a flit.
fn check_flits(
    context: &mut Context,
    phases: &[JobPhase],
    axes: &JobAxes,
    flit_bytes: u32,
    span: Span,
) -> Option<()> {
    for phase in phases {
        for operation in &phase.operations {
            let ranks = operation.kind.parts(operation.groups.size(&axes.list));
            let subject = format!("`{}` of the phase `{}`", operation.name, phase.name);
            let help = |_| "take fewer ranks along its axes, or a larger model".to_owned();
            check_flit(context, subject, operation.bytes, ranks, flit_bytes, span, &help)?;
        }
    }
    Some(())
}
