//! Resolves light: the optical side of links, the insertion losses of switches, and what must be known to add
//! them up.

mod losses;

use super::context::{Context, missing};
use super::items::SpecItems;
use super::scope::Scope;
use super::settings::{BlockSettings, integer, quantity, wrong_kind};
use crate::ResolveError;
use crate::syntax::ast::{Block, ExprKind, Quantity, SettingValue, ValueKind};
use fabc_base::diag::Span;
use fabc_base::units::Dimension;
use fabc_model::{LossTable, Optics, Plant, Pod};

/// The settings of a link that make it one of light.
const SETTINGS: [&str; 7] =
    ["transmit", "sensitivity", "loss", "length", "connectors", "connector_loss", "margin"];

/// Thousandths of a dB: the largest loss of one thing on the way.
const LARGEST_LOSS: u64 = 100_000;
/// The longest fiber, in 0.1 m: 100 km.
const LONGEST_FIBER: u64 = 1_000_000;

/// Reads the optical side of a link. The inner value is `None` where the link has none.
pub(super) fn optics(context: &mut Context, settings: &BlockSettings<'_>) -> Option<Option<Optics>> {
    let place = settings.place.clone();
    let written: Vec<&str> = SETTINGS.iter().copied().filter(|word| settings.get(word).is_some()).collect();
    match written[..] {
        [] => return Some(None),
        // Most likely it is meant as a latency.
        ["length"] => {
            let help =
                "did you mean `latency`? Beside `transmit` and `sensitivity` it is the length of the fiber";
            misplaced(context, "`length`", &place, help, settings.span_or_head("length"));
            return None;
        }
        // The error of the power says what is meant.
        _ if is_power_of_light(settings.get("power")) => return None,
        _ => {}
    }
    let transmit = settings.need(context, "transmit", "1 dBm");
    let transmit =
        transmit.and_then(|value| power(context, &format!("`transmit` of {place}"), value, "1 dBm"));
    let sensitivity = settings.need(context, "sensitivity", "-9 dBm");
    let sensitivity =
        sensitivity.and_then(|value| power(context, &format!("`sensitivity` of {place}"), value, "-9 dBm"));
    let loss_per_km = loss_or(context, settings, "loss", Dimension::LossPerLength, "0.4 dB/km");
    let connector_loss = loss_or(context, settings, "connector_loss", Dimension::Loss, "0.3 dB");
    let margin = loss_or(context, settings, "margin", Dimension::Loss, "2 dB");
    let connectors = settings
        .get("connectors")
        .map_or(Some(0), |value| integer(context, &format!("`connectors` of {place}"), value, 0..=1000));
    let length =
        settings.get("length").map_or(Some(None), |value| fiber_length(context, &place, value).map(Some));
    for (word, other, example) in [
        ("connectors", "connector_loss", "connector_loss = 0.3 dB"),
        ("connector_loss", "connectors", "connectors = 4"),
        ("length", "loss", "loss = 0.4 dB/km"),
    ] {
        if let (Some(span), None) = (settings.span(word), settings.get(other)) {
            context.error(missing(
                &place,
                &format!("`{other}` beside `{word}`"),
                &format!("{example};"),
                span,
            ));
            return None;
        }
    }
    Some(Some(Optics {
        transmit: transmit?,
        sensitivity: sensitivity?,
        loss_per_km: loss_per_km?,
        length: length?,
        connectors: connectors? as u32,
        connector_loss: connector_loss?,
        margin: margin?,
    }))
}

/// Whether a value is in dBm.
fn is_power_of_light(value: Option<&SettingValue>) -> bool {
    let unit = value.and_then(|value| match &value.kind {
        ValueKind::Quantity(quantity) => quantity.unit.as_ref(),
        _ => None,
    });
    unit.is_some_and(|unit| &*unit.value == "dBm")
}

/// Reads the insertion loss of all cross-connects of a group. The inner value is `None` where it has none.
pub(super) fn switch_loss(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    place: &str,
) -> Option<Option<u32>> {
    let Some(value) = settings.get("loss") else { return Some(None) };
    loss(context, &format!("`loss` of {place}"), value, Dimension::Loss, "1.5 dB").map(Some)
}

/// Reads a power of light, in thousandths of a dBm. It is the only quantity that may be negative.
fn power(context: &mut Context, subject: &str, value: &SettingValue, example: &str) -> Option<i32> {
    let ValueKind::Quantity(written) = &value.kind else {
        context.error(wrong_kind(subject, "a power of light", example, value.span));
        return None;
    };
    let (sign, number) = match &written.number.kind {
        ExprKind::Negate(inner) => (-1, (**inner).clone()),
        _ => (1, written.number.clone()),
    };
    let kind = ValueKind::Quantity(Quantity { number, ..written.clone() });
    let size = SettingValue { kind, span: value.span };
    let (number, unit) = quantity(context, subject, &size, &[Dimension::OpticalPower], example)?;
    let thousandths = number.times(unit.factor).filter(|&thousandths| thousandths <= LARGEST_LOSS);
    if thousandths.is_none() {
        out_of_range(context, subject, "from -100 dBm to 100 dBm, in steps of 0.001 dBm", value.span);
    }
    thousandths.map(|thousandths| sign * thousandths as i32)
}

/// Reads a loss, in thousandths. Without the setting it is 0.
fn loss_or(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    word: &str,
    dimension: Dimension,
    example: &str,
) -> Option<u32> {
    let subject = format!("`{word}` of {}", settings.place);
    settings.get(word).map_or(Some(0), |value| loss(context, &subject, value, dimension, example))
}

/// Reads a loss, in thousandths of its unit.
fn loss(
    context: &mut Context,
    subject: &str,
    value: &SettingValue,
    dimension: Dimension,
    example: &str,
) -> Option<u32> {
    let (number, unit) = quantity(context, subject, value, &[dimension], example)?;
    let thousandths = number.times(unit.factor).filter(|&thousandths| thousandths <= LARGEST_LOSS);
    if thousandths.is_none() {
        let wanted = format!("at most 100 {0}, in steps of 0.001 {0}", unit.name);
        out_of_range(context, subject, &wanted, value.span);
    }
    thousandths.map(|thousandths| thousandths as u32)
}

/// Reads the length of a fiber, in 0.1 m.
fn fiber_length(context: &mut Context, place: &str, value: &SettingValue) -> Option<u32> {
    let subject = format!("`length` of {place}");
    let (number, unit) = quantity(context, &subject, value, &[Dimension::Length], "30 m")?;
    let tenths = number.times(unit.factor * 10).filter(|&tenths| tenths <= LONGEST_FIBER);
    if tenths.is_none() {
        out_of_range(context, &subject, "at most 100000 m, in steps of 0.1 m", value.span);
    }
    tenths.map(|tenths| tenths as u32)
}

fn out_of_range(context: &mut Context, subject: &str, wanted: &str, span: Span) {
    context.error(ResolveError::OutOfRange {
        subject: subject.to_owned(),
        wanted: wanted.to_owned(),
        help: None,
        span,
        note: "this is not".to_owned(),
    });
}

/// Checks that all losses of a plant are known, and reads the table of insertion losses into its switches.
/// The inner value is `None` where the spec names no table.
pub(super) fn light(
    context: &mut Context,
    items: &SpecItems<'_>,
    scope: &Scope<'_>,
    plant: &mut Plant,
) -> Option<Option<LossTable>> {
    let before = context.errors.len();
    check_lengths(context, items, scope);
    let table = items.settings.get("losses");
    let pod = match plant {
        Plant::Pod(pod) => pod,
        Plant::Network(_) => {
            if let Some(table) = table {
                misplaced(
                    context,
                    "`losses`",
                    "a network of routers",
                    "insertion losses are those of optical circuit switches, which only a pod has",
                    table.name.span,
                );
            }
            return (context.errors.len() == before).then_some(None);
        }
    };
    check_switches(context, items, scope, pod);
    if context.errors.len() > before {
        return None;
    }
    let Some(table) = table else { return Some(None) };
    losses::read_losses(context, table, scope, pod).map(Some)
}

/// Whether a declared link has an optical side.
fn has_optics(scope: &Scope<'_>, link: usize) -> bool {
    scope.links.types[link].as_ref().is_some_and(|link| link.optics.is_some())
}

/// Reports links whose fiber has no length, or two.
fn check_lengths(context: &mut Context, items: &SpecItems<'_>, scope: &Scope<'_>) {
    let on_floor = items.floor.is_some();
    for (link, (_, block, _)) in scope.links.types.iter().zip(&items.links) {
        let Some((link, optics)) = link.as_ref().and_then(|link| Some((link, link.optics?))) else {
            continue;
        };
        let place = format!("link `{}`", link.name);
        match optics.length {
            Some(_) if on_floor => misplaced(
                context,
                "`length`",
                &format!("{place} of a fabric with a floor"),
                "the floor gives every fiber its length: remove it",
                setting_span(block, "length"),
            ),
            None if optics.loss_per_km > 0 && !on_floor => {
                let subject = "`length` beside `loss`";
                context.error(missing(&place, subject, "length = 30 m;", setting_span(block, "loss")));
            }
            _ => {}
        }
    }
}

/// Reports switches whose insertion loss is unknown or means nothing, and light in a cube.
fn check_switches(context: &mut Context, items: &SpecItems<'_>, scope: &Scope<'_>, pod: &Pod) {
    let mesh = pod.cube.mesh.0 as usize;
    if has_optics(scope, mesh) {
        misplaced(
            context,
            &format!("the light of link `{}`", scope.links.names[mesh]),
            "a `mesh`",
            "light runs through switches: declare a link of its own for the copper of a cube",
            pod.cube.span,
        );
    }
    let table = items.settings.get("losses");
    let mut any_light = false;
    for (id, group) in pod.ocs_groups.enumerate() {
        let Some(ocs) = pod.ocses.iter().find(|ocs| ocs.group == id) else { continue };
        let link = ocs.link.0 as usize;
        let declared = items.ocs.iter().find(|(item, _)| *item.name.value == *group.name);
        any_light |= has_optics(scope, link);
        match &ocs.loss {
            Some(_) if !has_optics(scope, link) => misplaced(
                context,
                "`loss`",
                &format!("ocs `{}`", group.name),
                &format!(
                    "its link `{}` has no light: give it `transmit` and `sensitivity`, or remove this",
                    scope.links.names[link]
                ),
                declared.map_or(group.span, |(item, _)| setting_span(&item.block, "loss")),
            ),
            None if has_optics(scope, link) && table.is_none() => {
                context.error(missing(
                    &format!("ocs `{}`", group.name),
                    "`loss`",
                    "loss = 1.5 dB;",
                    group.span,
                ));
            }
            _ => {}
        }
    }
    if let Some(table) = table.filter(|_| !any_light) {
        misplaced(
            context,
            "`losses`",
            "a fabric whose switches carry no link with light",
            "give the link of the switches `transmit` and `sensitivity`, or remove this",
            table.name.span,
        );
    }
}

/// The place of a setting in a block.
fn setting_span(block: &Block, word: &str) -> Span {
    let setting = block.statements.iter().find(|statement| statement.kind.keyword() == word);
    setting.map_or(block.span, |statement| statement.span)
}

fn misplaced(context: &mut Context, subject: &str, place: &str, help: &str, span: Span) {
    context.error(ResolveError::Misplaced {
        subject: subject.to_owned(),
        place: place.to_owned(),
        help: Some(help.to_owned()),
        span,
    });
}
