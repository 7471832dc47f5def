//! When nothing moves any more: which queues wait for each other.

use super::super::errors::SimError;
use super::super::layout::NONE;
use super::Run;
use crate::ids::{ChannelId, NodeId};
use crate::model::Rate;

impl Run<'_> {
    /// The circle of queues that wait for room in each other. It is found from the first input queue whose
    /// first packet competes: nothing is sent any more, so what that packet lacks is room.
    pub(super) fn stuck(&self, rate: Rate) -> SimError {
        let layout = &self.of.layout;
        let waits = |queue: &u32| layout.is_input(*queue) && self.candidates[*queue as usize / 64] >> (queue % 64) & 1 == 1;
        let mut seen = Vec::new();
        let mut at = (0..layout.queues() as u32).find(waits);
        while let Some(queue) = at.filter(|queue| !seen.contains(queue)) {
            seen.push(queue);
            at = self.waited_for(queue);
        }
        let circle = at.and_then(|again| seen.iter().position(|queue| *queue == again)).map_or(&seen[..], |start| &seen[start..]);
        let lines: Vec<String> = circle.iter().map(|&queue| self.line(queue)).collect();
        SimError::Deadlock {
            scenario: self.of.scenario.clone(),
            rate: rate.to_string(),
            cycle: self.last_move,
            length: lines.len(),
            circle: lines.join("\n"),
        }
    }

    /// The last virtual channel that the first packet of a queue may take, that of its table: the one that
    /// can be part of a circle.
    fn waited_for(&self, queue: u32) -> Option<u32> {
        let (setting, layout) = (&self.of.setting, &self.of.layout);
        let front = self.fronts[queue as usize];
        let first = *layout.input_queue.get(front.out as usize).filter(|first| **first != NONE)?;
        let classes = u32::from(setting.classes);
        let next = first + u32::from(setting.general) + u32::from(front.vc) * classes + classes - 1;
        (self.queues[next as usize].head != NONE).then_some(next)
    }

    /// The channel and virtual channel of a queue, and whose packet is first in it.
    fn line(&self, queue: u32) -> String {
        let (of, topology) = (self.of, self.of.topology);
        let channel = of.layout.gate[queue as usize];
        let vc = queue - of.layout.input_queue[channel as usize];
        let packet = &self.packets[self.queues[queue as usize].head as usize];
        let router = |endpoint: u32| topology.name(NodeId(of.endpoints.router[endpoint as usize]));
        let from = router(packet.generator / of.setting.ports().unwrap_or(1));
        format!("  {} on VC {vc}, held by packets from {from} to {}", topology.channel_name(ChannelId(channel)), router(packet.to))
    }
}
