//! Control at the sources: the size of a window, its marks, and the time of acknowledgements.
//!
//! In: the bound of the traffic, its zero-load latencies, and the room of all queues. Out: how many packets
//! of a source may be in flight. Beyond saturation, full queues stop packets that could go on, because only
//! the first packet of a queue competes. A window keeps queues far from full. The oldest packet goes first,
//! which keeps sources alike.
//!
//! The window has two parts. The pipe is what a source has in flight at the static bound while nothing waits:
//! bound x (latency + time of the acknowledgement) / flits of a packet. The rest stands in queues. Three
//! eighths of the room of all queues, divided by the sources, keep channels busy; a quarter does where
//! acknowledgements are flits and take room as well. Near a half, queues fill up and the fabric falls as it
//! does without a window.

use super::errors::SimError;
use super::layout::NetworkLayout;
use super::load::StaticLoad;
use super::routing::PathSelection;
use super::setting::{Setting, SourceControl, SourceMarks};
use fabc_ir::Fraction;
use fabc_model::{Ack, Fabric, MarkControl, MarkLaw, RouterModel, SimulationParameters, WindowControl};

/// Eighths of the room of a source that stand in queues by default.
const QUEUED: u64 = 3;

/// The same where acknowledgements are flits.
const QUEUED_WITH_ACKS: u64 = 2;

/// Eighths of the room of a source from which on a window is refused.
const REFUSED: u64 = 4;

/// News of an arrival waits by default for as long as a source takes to send so many eighths of its room.
const WAITING: u64 = 1;

/// Checks that a model and its queues have what a control needs, before anything is routed.
///
/// # Errors
/// [`SimError::OtherModel`] or [`SimError::UnreachedMark`] where they do not.
pub fn has_control(fabric: &Fabric, parameters: &SimulationParameters) -> Result<(), SimError> {
    let buffer = fabric.router.buffer_flits;
    parameters.control.map_or(Ok(()), |control| fits_model(parameters.model, buffer, control))
}

/// Checks that packets that a control acknowledges can be acknowledged.
///
/// # Errors
/// [`SimError::Uncontrolled`], or the errors of [`has_control`].
pub(super) fn check_control(setting: &Setting, control: WindowControl) -> Result<(), SimError> {
    fits_model(setting.model, setting.buffer, control)?;
    if setting.selection != PathSelection::Tables {
        return Err(SimError::Uncontrolled { routing: setting.selection.routing().name() });
    }
    Ok(())
}

fn fits_model(model: RouterModel, buffer: u32, control: WindowControl) -> Result<(), SimError> {
    let of_packets = match control.marks {
        Some(MarkControl { law, .. }) => Some(law.name()),
        None => control.ack.has_flits().then_some("ack"),
    };
    if let Some(option) = of_packets.filter(|_| model == RouterModel::Flit) {
        return Err(SimError::OtherModel { option, of: RouterModel::Packet.name() });
    }
    if let Some(mark) = control.marks.and_then(|marks| marks.mark)
        && mark >= buffer
    {
        return Err(SimError::UnreachedMark { mark, buffer });
    }
    Ok(())
}

/// Fills in the window of a control, and the time for which news waits.
///
/// # Errors
/// [`SimError::WideWindow`] where the window fills queues.
pub(super) fn source_control(
    setting: &Setting,
    layout: &NetworkLayout,
    load: &StaticLoad,
    control: WindowControl,
) -> Result<SourceControl, SimError> {
    let queues = layout.lit as u64 * u64::from(setting.vcs());
    let room = queues * u64::from(setting.buffer / setting.packet) / u64::from(load.senders.max(1));
    let cycles_of = |packets: Fraction| packets.times(Fraction::integer(setting.packet)).over(load.bound);
    let wait = match (control.ack, control.wait) {
        (Ack::Piggyback, Some(wait)) => wait,
        (Ack::Piggyback, None) => u32::try_from(cycles_of(Fraction::new(room * WAITING, 8u8)).ceil())
            .unwrap_or(u32::MAX >> 2)
            .max(1),
        _ => 0,
    };
    let mean = load.mean_cycles;
    // News that waits for a packet does not count. In overload packets leave often, and take it along
    // sooner: what the window had more for it would stand in queues.
    let round = mean.times(Fraction::integer(2u8));
    let pipe = load.bound.times(round).over(Fraction::integer(setting.packet)).ceil() as u64;
    let largest = pipe + room * REFUSED / 8;
    let queued = if control.ack.has_flits() { QUEUED_WITH_ACKS } else { QUEUED };
    let derived = pipe + room * queued / 8;
    let has_rate = control.marks.is_some_and(|marks| marks.law == MarkLaw::Dcqcn);
    let own = if has_rate { u64::MAX } else { derived.max(1) };
    let window = control.packets.map_or(own, u64::from);
    if control.packets.is_some() && window >= largest {
        return Err(SimError::WideWindow { window, largest: largest.saturating_sub(1), derived, pipe, room });
    }
    let [window, pipe, room] = [window, pipe, room].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
    let WindowControl { packets, per_pair, ack, marks, .. } = control;
    let marks = marks.map(|MarkControl { law, mark, gain, timer }| SourceMarks {
        law,
        mark: mark.unwrap_or(setting.buffer / 3).max(1),
        gain,
        timer,
        line_rate: setting.ports().unwrap_or(layout.ports as u32),
    });
    Ok(SourceControl { marks, window, per_pair, is_derived: packets.is_none(), pipe, room, ack, wait })
}
