//! Resolves `control = window { .. }` and `overload = 2` of a simulation.

use super::context::Context;
use super::settings::{
    BlockSettings, block_settings, integer, need_name_and_block, one_of_or, optional, wrong_kind,
};
use super::simulated_values::{MAX_WAIT, refuse_settings, share, whole_count, word_value};
use super::traffic::block_is_finite;
use crate::ResolveError;
use crate::syntax::ast::{Block, Expr, ExprKind, Name, SettingValue, StatementKind, ValueKind};
use crate::syntax::words::BlockKind;
use fabc_base::diag::Span;
use fabc_base::units::{Decimal, Dimension};
use fabc_model::{Ack, ControlChoice, MarkControl, MarkLaw, Rate, SimulationParameters, WindowControl};

/// The most packets of a window.
const MAX_WINDOW: i64 = 1 << 20;

/// The most multiples of the saturation at which one simulation runs in overload.
const MAX_MULTIPLES: usize = 8;

/// The default weight of new marks: a sixteenth.
const GAIN: Rate = Rate::millionths(62_500);

/// The default cycles of a timer.
const TIMER: u32 = 200;

/// Multiples of the saturation, in millionths.
const MILLION: u64 = 1_000_000;
const MAX_MULTIPLE: u64 = 100 * MILLION;

/// The settings of a simulation about overload.
pub(super) struct OverloadSettings {
    /// The control at the sources.
    pub(super) control: Option<WindowControl>,
    /// The multiples of the saturation, ascending.
    pub(super) multiples: Option<Vec<Rate>>,
}

impl OverloadSettings {
    /// Resolves both settings of a simulation. Returns `None` if an error was reported.
    pub(super) fn resolve(context: &mut Context, settings: &BlockSettings<'_>) -> Option<Self> {
        let control = match settings.get("control") {
            Some(value) => control(context, value),
            None => Some(None),
        };
        let multiples = optional(settings.get("overload").map(|value| multiples(context, value)));
        Some(Self { control: control?, multiples: multiples? })
    }

    /// Checks that the model has no window of its own beside the control.
    pub(super) fn fits_model(
        &self,
        context: &mut Context,
        settings: &BlockSettings<'_>,
        model: &SimulationParameters,
    ) -> Option<()> {
        if model.window.is_none() || self.control.is_none() {
            return Some(());
        }
        let (subject, place) = ("`control`".to_owned(), "a model with `window`".to_owned());
        let help = Some("both limit the packets in flight: remove `window` from the model".to_owned());
        let span = settings.span_or_head("control");
        context.error(ResolveError::Misplaced { subject, place, help, span });
        None
    }
}

/// Reads `none`, or `window` alone or with settings. The inner `None` says that there is no control.
#[allow(clippy::option_option)]
fn control(context: &mut Context, value: &SettingValue) -> Option<Option<WindowControl>> {
    let (name, block) = need_name_and_block(context, "`control`", value, "window { packets = 128; }")?;
    match word_value(context, "`control`", &name)? {
        ControlChoice::None if block.is_some() => {
            refuse_settings(context, &name);
            None
        }
        ControlChoice::None => Some(None),
        choice => {
            let (title, law) = (format!("`{}`", name.value), mark_law(choice));
            let kind = if law.is_some() { BlockKind::Marks } else { BlockKind::Window };
            let settings = match block {
                Some(block) => block_settings(context, block, title, name.span, kind),
                None => BlockSettings::none(title, name.span),
            };
            let marks = match law {
                Some(law) => Some(marks(context, &settings, law)?),
                None => None,
            };
            window(context, &settings).map(|window| Some(WindowControl { marks, ..window }))
        }
    }
}

/// The law of a control that answers marks.
fn mark_law(choice: ControlChoice) -> Option<MarkLaw> {
    match choice {
        ControlChoice::None | ControlChoice::Window => None,
        ControlChoice::Dctcp => Some(MarkLaw::Dctcp),
        ControlChoice::Dcqcn => Some(MarkLaw::Dcqcn),
    }
}

/// Reads when packets are marked, and how sources answer.
fn marks(context: &mut Context, settings: &BlockSettings<'_>, law: MarkLaw) -> Option<MarkControl> {
    let mark = settings
        .get("mark")
        .map(|value| whole_count(context, "`mark`", value, Dimension::Flits, "100 flits", 1..=MAX_WAIT));
    let gain = settings.get("gain").map(|value| share(context, "`gain`", "0.0625", value));
    let timer = settings
        .get("timer")
        .map(|value| whole_count(context, "`timer`", value, Dimension::Cycles, "200 cycles", 4..=MAX_WAIT));
    let (mark, gain, timer) = (optional(mark)?, optional(gain)?, optional(timer)?);
    if let Some(span) = settings.span("timer").filter(|_| law != MarkLaw::Dcqcn) {
        let help = Some("it belongs to `control = dcqcn`".to_owned());
        let (subject, place) = ("`timer`".to_owned(), "`control = dctcp`".to_owned());
        context.error(ResolveError::Misplaced { subject, place, help, span });
        return None;
    }
    Some(MarkControl { law, mark, gain: gain.unwrap_or(GAIN), timer: timer.unwrap_or(TIMER) })
}

/// Reads the settings of a window.
fn window(context: &mut Context, settings: &BlockSettings<'_>) -> Option<WindowControl> {
    let packets = settings.get("packets").map(|value| integer(context, "`packets`", value, 1..=MAX_WINDOW));
    let per_pair =
        settings.get("per_pair").map(|value| integer(context, "`per_pair`", value, 1..=MAX_WINDOW));
    let ack = one_of_or(context, settings, "ack", Ack::Free);
    let wait = settings
        .get("wait")
        .map(|value| whole_count(context, "`wait`", value, Dimension::Cycles, "100 cycles", 1..=MAX_WAIT));
    let (packets, per_pair, ack, wait) = (optional(packets)?, optional(per_pair)?, ack?, optional(wait)?);
    if let Some(span) = settings.span("wait").filter(|_| ack != Ack::Piggyback) {
        let help = Some("it belongs to `ack = piggyback`".to_owned());
        let (subject, place) = ("`wait`".to_owned(), format!("a window with `ack = {}`", ack.name()));
        context.error(ResolveError::Misplaced { subject, place, help, span });
        return None;
    }
    if let (Some(all), Some(pair)) = (packets, per_pair)
        && pair >= all
    {
        let (subject, note) = ("`per_pair`".to_owned(), "this is not".to_owned());
        let help = Some("a window per pair that is as large as that of the source has no effect".to_owned());
        let span = settings.span_or_head("per_pair");
        let wanted = format!("below `packets`, which is {all}");
        context.error(ResolveError::OutOfRange { subject, wanted, help, span, note });
        return None;
    }
    let [packets, per_pair] = [packets, per_pair].map(|packets| packets.map(|packets| packets as u32));
    Some(WindowControl { marks: None, packets, per_pair, ack, wait })
}

/// Reads one multiple of the saturation, or a list of them, each above 1. They come back ascending.
fn multiples(context: &mut Context, value: &SettingValue) -> Option<Vec<Rate>> {
    let mut multiples = match &value.kind {
        ValueKind::Quantity(quantity) if quantity.unit.is_none() => {
            vec![multiple(context, &quantity.number)?]
        }
        ValueKind::List(items) if (1..=MAX_MULTIPLES).contains(&items.len()) => {
            let mut of_item = |item: &Name| in_reach(context, Decimal::parse(&item.value), item.span);
            items.iter().map(&mut of_item).collect::<Option<Vec<_>>>()?
        }
        ValueKind::List(_) => {
            out_of_range(context, format!("at most {MAX_MULTIPLES} multiples"), value.span);
            return None;
        }
        _ => {
            let wanted = "a multiple of the saturation, without a unit";
            context.error(wrong_kind("`overload`", wanted, "2", value.span));
            return None;
        }
    };
    multiples.sort_unstable();
    multiples.dedup();
    Some(multiples)
}

/// Reads a multiple of the saturation from a number.
fn multiple(context: &mut Context, number: &Expr) -> Option<Rate> {
    let decimal = match &number.kind {
        ExprKind::Decimal(digits) => Decimal::parse(digits),
        _ => Decimal::parse(&context.eval(number, &[])?.to_string()),
    };
    in_reach(context, decimal, number.span)
}

/// Checks that a multiple is one of an overload.
fn in_reach(context: &mut Context, multiple: Option<Decimal>, span: Span) -> Option<Rate> {
    let millionths = multiple.and_then(|multiple| multiple.times(MILLION));
    let millionths = millionths.filter(|millionths| (MILLION + 1..=MAX_MULTIPLE).contains(millionths));
    if millionths.is_none() {
        let wanted = "above 1 and at most 100, with at most six digits behind the point";
        out_of_range(context, wanted.to_owned(), span);
    }
    millionths.map(Rate::millionths)
}

fn out_of_range(context: &mut Context, wanted: String, span: Span) {
    let (subject, note) = ("`overload`".to_owned(), "this is not".to_owned());
    let help = Some("`overload = 2` offers twice the saturation".to_owned());
    context.error(ResolveError::OutOfRange { subject, wanted, help, span, note });
}

/// Whether a block has runs in overload: it names multiples, or a control.
pub(super) fn block_is_overloaded(block: &Block) -> bool {
    let overloads = block.statements.iter().any(|statement| match &statement.kind {
        StatementKind::Setting(setting) => match &*setting.name.value {
            "overload" => true,
            "control" => !super::settings::is_named(&setting.value, ControlChoice::None.name()),
            _ => false,
        },
        _ => false,
    });
    overloads && !block_is_finite(block)
}
