//! The model of a job: `model { layers = 80; hidden = 8192; .. }`.

use crate::JobError;
use crate::ResolveError;
use crate::resolve::context::Context;
use crate::resolve::settings::{BlockSettings, block_settings, integer};
use crate::syntax::ast::InnerBlock;
use crate::syntax::words::BlockKind;
use fabc_job::{Experts, Transformer};

use super::amounts::yes_or_no;

/// The largest numbers of a model. Their products are counted in 128 bits.
const MAX_LAYERS: i64 = 1 << 12;
const MAX_HIDDEN: i64 = 1 << 20;
const MAX_HEADS: i64 = 1 << 12;
const MAX_WIDTH: i64 = 1 << 22;
const MAX_VOCABULARY: i64 = 1 << 24;
const MAX_EXPERTS: i64 = 1 << 14;
const MAX_SHARED: i64 = 1 << 8;

/// A model, with the settings that it was read from.
pub(super) struct DeclaredModel<'a> {
    pub(super) model: Option<Transformer>,
    pub(super) settings: BlockSettings<'a>,
}

/// Reads the model of a job. `model` is `None` if an error was reported.
pub(super) fn declared_model<'a>(context: &mut Context, inner: &'a InnerBlock) -> DeclaredModel<'a> {
    let title = "`model`".to_owned();
    let settings = block_settings(context, &inner.block, title, inner.word.span, BlockKind::JobModel);
    let model = transformer(context, &settings);
    DeclaredModel { model, settings }
}

fn transformer(context: &mut Context, settings: &BlockSettings<'_>) -> Option<Transformer> {
    let layers = need_count(context, settings, "layers", "80", MAX_LAYERS);
    let hidden = need_count(context, settings, "hidden", "8192", MAX_HIDDEN);
    let heads = need_count(context, settings, "heads", "64", MAX_HEADS);
    let kv_heads = count_or(context, settings, "kv_heads", 1, MAX_HEADS, heads);
    let head = match (settings.get("head"), hidden, heads) {
        (None, Some(hidden), Some(heads)) if hidden % heads != 0 => {
            context.error(
                JobError::Incomplete {
                    problem: format!("the size of a head is not known: {hidden} / {heads} is not whole"),
                    help: "add `head = 128;`, for example".to_owned(),
                    span: settings.span_or_head("heads"),
                    note: "no divisor of `hidden`".to_owned(),
                }
                .into(),
            );
            None
        }
        (_, hidden, heads) => {
            let even = hidden.zip(heads).map(|(hidden, heads)| hidden / heads);
            count_or(context, settings, "head", 1, MAX_HEADS, even)
        }
    };
    let vocabulary = need_count(context, settings, "vocab", "128256", MAX_VOCABULARY);
    let experts = experts(context, settings);
    let feed_forward = match experts {
        Some(None) => need_count(context, settings, "ffn", "28672", MAX_WIDTH),
        _ => Some(0),
    };
    let gated = yes_or_no(context, settings, "gated", true);
    let tied = yes_or_no(context, settings, "tied", false);
    let qk_norm = yes_or_no(context, settings, "qk_norm", false);
    let causal = yes_or_no(context, settings, "causal", true);
    Some(Transformer {
        layers: layers?,
        hidden: hidden?,
        heads: heads?,
        kv_heads: kv_heads?,
        head: head?,
        feed_forward: feed_forward?,
        gated: gated?,
        vocabulary: vocabulary?,
        tied: tied?,
        qk_norm: qk_norm?,
        causal: causal?,
        experts: experts?,
    })
}

/// Reads the experts of a model. The outer `None` says that an error was reported.
#[allow(clippy::option_option)]
fn experts(context: &mut Context, settings: &BlockSettings<'_>) -> Option<Option<Experts>> {
    if settings.get("experts").is_none() {
        let mut fits = true;
        for name in ["top", "expert_ffn", "shared"].into_iter().filter(|name| settings.get(name).is_some()) {
            context.error(
                JobError::Incomplete {
                    problem: format!("`{name}` is about experts, and this model has none"),
                    help: "add `experts = 128;`, or remove it".to_owned(),
                    span: settings.span_or_head(name),
                    note: "without `experts`".to_owned(),
                }
                .into(),
            );
            fits = false;
        }
        return fits.then_some(None);
    }
    for name in ["ffn", "gated"].into_iter().filter(|name| settings.get(name).is_some()) {
        let help = "remove it: `expert_ffn` is the width of an expert, and each has a gate. Experts that every token passes are `shared`";
        context.error(ResolveError::Misplaced {
            subject: format!("`{name}`"),
            place: "a model with experts".to_owned(),
            help: Some(help.to_owned()),
            span: settings.span_or_head(name),
        });
    }
    let count = need_count(context, settings, "experts", "128", MAX_EXPERTS);
    let top = need_count(context, settings, "top", "8", MAX_EXPERTS);
    let feed_forward = need_count(context, settings, "expert_ffn", "1536", MAX_WIDTH);
    let shared = count_or(context, settings, "shared", 0, MAX_SHARED, Some(0));
    let (count, top) = (count?, top?);
    if top > count {
        context.error(
            JobError::Incomplete {
                problem: format!("a token cannot choose {top} of {count} experts"),
                help: "`top` is at most the number of `experts`".to_owned(),
                span: settings.span_or_head("top"),
                note: format!("more than {count}"),
            }
            .into(),
        );
        return None;
    }
    Some(Some(Experts { count, top, feed_forward: feed_forward?, shared: shared? }))
}

/// Reads a positive number that must be written.
pub(super) fn need_count(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    name: &'static str,
    example: &str,
    most: i64,
) -> Option<u64> {
    let value = settings.need(context, name, example)?;
    integer(context, &format!("`{name}`"), value, 1..=most).map(|number| number as u64)
}

/// Reads a number of at least `least`. Without the setting, returns the default.
pub(super) fn count_or(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    name: &str,
    least: i64,
    most: i64,
    default: Option<u64>,
) -> Option<u64> {
    match settings.get(name) {
        Some(value) => {
            integer(context, &format!("`{name}`"), value, least..=most).map(|number| number as u64)
        }
        None => default,
    }
}
