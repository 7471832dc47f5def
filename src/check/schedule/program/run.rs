//! Runs the thread blocks. Each continues until all are done or all wait.
//!
//! A connection holds `slots` transfers that were sent and not yet received. With 0 slots both ends must
//! meet. A fused step receives first and then sends. Whether all blocks end does not depend on which one
//! continues first, so one order decides it. An observer sees the steps in an order that respects all waits,
//! and judges the data.

use super::ProgramFault;
use super::layout::{BlockAt, ProgramLayout, step_name};
use fabc_ir::read::MscclStep;
use std::collections::VecDeque;

/// Observes the steps of a run.
pub(super) trait StepObserver {
    /// The data of a transfer.
    type Packet;
    /// A step begins. The step that it waited for is done.
    fn begin(&mut self, at: BlockAt, step: &MscclStep);
    /// Executes a step on its own GPU. Returns the data that it sends, if it sends.
    ///
    /// # Errors
    /// A step that violates a rule.
    fn act(
        &mut self,
        at: BlockAt,
        step: &MscclStep,
        received: Option<Self::Packet>,
    ) -> Result<Self::Packet, ProgramFault>;
    /// A step is done, and others may stop waiting for it.
    fn finish(&mut self, at: BlockAt, step: &MscclStep);
}

/// An observer that ignores the data.
pub(super) struct NoObserver;

impl StepObserver for NoObserver {
    type Packet = ();
    fn begin(&mut self, _: BlockAt, _: &MscclStep) {}
    fn act(&mut self, _: BlockAt, _: &MscclStep, _: Option<()>) -> Result<(), ProgramFault> {
        Ok(())
    }
    fn finish(&mut self, _: BlockAt, _: &MscclStep) {}
}

/// The progress of a thread block.
struct BlockState<P> {
    at: BlockAt,
    /// Number of steps that are done.
    done: u32,
    begun: bool,
    /// The data that the step will send after it has received.
    outgoing: Option<P>,
    /// Whether the data is on the connection, but not yet received.
    offered: bool,
    queued: bool,
    /// The connections that it sends to and receives from.
    out: Option<usize>,
    into: Option<usize>,
}

struct RunningConnection<P> {
    sender: usize,
    receiver: usize,
    sent: u64,
    taken: u64,
    held: VecDeque<P>,
}

/// The reason why a thread block does not continue.
enum BlockedOn {
    Step(usize),
    Receive(usize),
    Send(usize),
}

/// Runs a program on connections that hold `slots` transfers.
///
/// # Errors
/// An error of the observer, or thread blocks that wait for each other in a cycle.
pub(super) fn run_program<F: StepObserver>(
    layout: &ProgramLayout<'_>,
    slots: u64,
    follow: &mut F,
) -> Result<(), ProgramFault> {
    let mut machine = Machine::new(layout, slots);
    while let Some(at) = machine.ready.pop_front() {
        machine.states[at].queued = false;
        while machine.advance(at, follow)? {}
    }
    machine.find_deadlock()
}

struct Machine<'a, P> {
    layout: &'a ProgramLayout<'a>,
    slots: u64,
    /// `[gpu]`: the index of its first thread block.
    first: Vec<usize>,
    states: Vec<BlockState<P>>,
    connections: Vec<RunningConnection<P>>,
    /// `[thread block]`: the blocks that wait for one of its steps.
    waiters: Vec<Vec<usize>>,
    ready: VecDeque<usize>,
}

impl<'a, P> Machine<'a, P> {
    fn new(layout: &'a ProgramLayout<'a>, slots: u64) -> Self {
        let (mut first, mut states) = (Vec::new(), Vec::new());
        for (gpu, blocks) in layout.blocks.iter().enumerate() {
            first.push(states.len());
            let state = |block: u32| BlockState {
                at: BlockAt { gpu: gpu as u32, block },
                done: 0,
                begun: false,
                outgoing: None,
                offered: false,
                queued: true,
                out: None,
                into: None,
            };
            states.extend((0..blocks.len() as u32).map(state));
        }
        let mut connections = Vec::new();
        for wire in layout.connections.values().filter(|wire| wire.transfers > 0) {
            let [sender, receiver] =
                [wire.sender, wire.receiver].map(|at| first[at.gpu as usize] + at.block as usize);
            states[sender].out = Some(connections.len());
            states[receiver].into = Some(connections.len());
            connections.push(RunningConnection {
                sender,
                receiver,
                sent: 0,
                taken: 0,
                held: VecDeque::new(),
            });
        }
        let waiters = (0..states.len()).map(|_| Vec::new()).collect();
        let ready = (0..states.len()).collect();
        Self { layout, slots, first, states, connections, waiters, ready }
    }

    fn step(&self, at: usize) -> Option<&'a MscclStep> {
        self.layout.block(self.states[at].at).steps.get(self.states[at].done as usize)
    }

    fn wake(&mut self, at: usize) {
        if !std::mem::replace(&mut self.states[at].queued, true) {
            self.ready.push_back(at);
        }
    }

    /// The reason why the current step cannot continue.
    fn blocked_on(&self, at: usize, step: &MscclStep) -> Option<BlockedOn> {
        let state = &self.states[at];
        if !state.begun
            && let Some((block, number)) = step.after
        {
            let other = self.first[state.at.gpu as usize] + block as usize;
            if self.states[other].done <= number {
                return Some(BlockedOn::Step(other));
            }
        }
        if let (None, false, Some(wire)) =
            (&state.outgoing, state.offered, state.into.filter(|_| step.kind.receives()))
        {
            return self.connections[wire].held.is_empty().then_some(BlockedOn::Receive(wire));
        }
        None
    }

    /// Executes a step or a part of it. Returns whether there is more to do.
    fn advance<F: StepObserver<Packet = P>>(
        &mut self,
        at: usize,
        follow: &mut F,
    ) -> Result<bool, ProgramFault> {
        let Some(step) = self.step(at) else { return Ok(false) };
        match self.blocked_on(at, step) {
            Some(BlockedOn::Step(other)) => {
                self.waiters[other].push(at);
                return Ok(false);
            }
            Some(_) => return Ok(false),
            None => {}
        }
        let place = self.states[at].at;
        if !std::mem::replace(&mut self.states[at].begun, true) {
            follow.begin(place, step);
        }
        if self.states[at].outgoing.is_none() && !self.states[at].offered {
            let received = self.states[at].into.filter(|_| step.kind.receives()).and_then(|wire| {
                self.connections[wire].taken += 1;
                let sender = self.connections[wire].sender;
                self.wake(sender);
                self.connections[wire].held.pop_front()
            });
            let packet = follow.act(place, step, received)?;
            if step.kind.sends() {
                self.states[at].outgoing = Some(packet);
            }
        }
        if let Some(wire) = self.states[at].out.filter(|_| step.kind.sends()) {
            let RunningConnection { sent, taken, receiver, .. } = self.connections[wire];
            if !self.states[at].offered {
                if sent - taken >= self.slots.max(1) {
                    return Ok(false);
                }
                let packet = self.states[at].outgoing.take();
                self.connections[wire].held.extend(packet);
                self.connections[wire].sent += 1;
                self.states[at].offered = true;
                self.wake(receiver);
            }
            if self.slots == 0 && self.connections[wire].taken < self.connections[wire].sent {
                return Ok(false);
            }
        }
        follow.finish(place, step);
        let state = &mut self.states[at];
        (state.done, state.begun, state.offered) = (state.done + 1, false, false);
        for waiter in std::mem::take(&mut self.waiters[at]) {
            self.wake(waiter);
        }
        Ok(true)
    }

    /// Convicts thread blocks that wait for ever.
    fn find_deadlock(&self) -> Result<(), ProgramFault> {
        let Some(start) = (0..self.states.len()).find(|&current| self.step(current).is_some()) else {
            return Ok(());
        };
        // `[thread block]`: number of blocks that were passed before it.
        let mut passed = vec![usize::MAX; self.states.len()];
        let (mut lines_passed, mut current) = (Vec::new(), start);
        while passed[current] == usize::MAX {
            passed[current] = lines_passed.len();
            let Some(step) = self.step(current) else { break };
            let out = self.states[current].out.map(BlockedOn::Send);
            let (next, violation) = match self.blocked_on(current, step).or(out) {
                Some(BlockedOn::Step(other)) => {
                    let (block, number) = step.after.unwrap_or_default();
                    (other, format!("waits for step {number} of thread block {block}"))
                }
                Some(BlockedOn::Receive(wire)) => {
                    let sender = self.connections[wire].sender;
                    (sender, format!("waits to receive from gpu {}", self.states[sender].at.gpu))
                }
                Some(BlockedOn::Send(wire)) => {
                    let receiver = self.connections[wire].receiver;
                    (receiver, format!("waits until gpu {} receives", self.states[receiver].at.gpu))
                }
                None => break,
            };
            lines_passed.push(format!("  {} {violation}", step_name(self.states[current].at, step.number)));
            current = next;
        }
        let lines = lines_passed.get(passed[current].min(lines_passed.len())..).unwrap_or_default();
        Err(ProgramFault::Deadlock { length: lines.len(), cycle: lines.join("\n") })
    }
}
