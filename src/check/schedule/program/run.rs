//! Runs the thread blocks: each goes on as far as it can, until all are done or all wait.
//!
//! A connection holds so many transfers that were sent and not yet received; of 0, both ends meet. A fused
//! step receives first and then sends. Whether all come to an end does not depend on who goes on first, so
//! one order decides it; what data comes of it is judged by who follows the steps as they are done, in an
//! order that all waiting agrees with.

use super::ProgramFault;
use super::layout::{BlockAt, Layout, name};
use fabc_ir::read::MscclStep;
use std::collections::VecDeque;

/// What is told of steps as they are done.
pub(super) trait Follow {
    /// What is sent.
    type Packet;
    /// A step begins: what it waited for is done.
    fn begin(&mut self, at: BlockAt, step: &MscclStep);
    /// What a step does with its own GPU, and what it sends if it does.
    ///
    /// # Errors
    /// It should not have.
    fn act(
        &mut self,
        at: BlockAt,
        step: &MscclStep,
        received: Option<Self::Packet>,
    ) -> Result<Self::Packet, ProgramFault>;
    /// A step is done.
    fn finish(&mut self, at: BlockAt, step: &MscclStep);
}

/// Nothing is told.
pub(super) struct Unseen;

impl Follow for Unseen {
    type Packet = ();
    fn begin(&mut self, _: BlockAt, _: &MscclStep) {}
    fn act(&mut self, _: BlockAt, _: &MscclStep, _: Option<()>) -> Result<(), ProgramFault> {
        Ok(())
    }
    fn finish(&mut self, _: BlockAt, _: &MscclStep) {}
}

/// How far a thread block is.
struct State<P> {
    at: BlockAt,
    /// Steps that are done.
    done: u32,
    begun: bool,
    /// What is to be sent, after the rest of the step.
    outgoing: Option<P>,
    /// Whether it has been handed over, to somebody who has not taken it yet.
    offered: bool,
    queued: bool,
    /// Numbers of the connections that it sends to and receives from.
    out: Option<usize>,
    into: Option<usize>,
}

struct Wire<P> {
    sender: usize,
    receiver: usize,
    sent: u64,
    taken: u64,
    held: VecDeque<P>,
}

/// Why a thread block does not go on.
enum Waits {
    Step(usize),
    Receive(usize),
    Send(usize),
}

/// Runs a program on connections that hold `slots` transfers.
///
/// # Errors
/// What the follower finds wrong; thread blocks that wait in a circle.
pub(super) fn run<F: Follow>(layout: &Layout<'_>, slots: u64, follow: &mut F) -> Result<(), ProgramFault> {
    let mut machine = Machine::new(layout, slots);
    while let Some(at) = machine.ready.pop_front() {
        machine.states[at].queued = false;
        while machine.go_on(at, follow)? {}
    }
    machine.circle()
}

struct Machine<'a, P> {
    layout: &'a Layout<'a>,
    slots: u64,
    /// `[gpu]`: its first thread block.
    first: Vec<usize>,
    states: Vec<State<P>>,
    wires: Vec<Wire<P>>,
    /// `[thread block]`: those that wait for a step of it.
    waiters: Vec<Vec<usize>>,
    ready: VecDeque<usize>,
}

impl<'a, P> Machine<'a, P> {
    fn new(layout: &'a Layout<'a>, slots: u64) -> Self {
        let (mut first, mut states) = (Vec::new(), Vec::new());
        for (gpu, blocks) in layout.blocks.iter().enumerate() {
            first.push(states.len());
            let state = |block: u32| State {
                at: (gpu as u32, block),
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
        let mut wires = Vec::new();
        for wire in layout.wires.values().filter(|wire| wire.transfers > 0) {
            let [sender, receiver] =
                [wire.sender, wire.receiver].map(|(gpu, block)| first[gpu as usize] + block as usize);
            states[sender].out = Some(wires.len());
            states[receiver].into = Some(wires.len());
            wires.push(Wire { sender, receiver, sent: 0, taken: 0, held: VecDeque::new() });
        }
        let waiters = (0..states.len()).map(|_| Vec::new()).collect();
        let ready = (0..states.len()).collect();
        Self { layout, slots, first, states, wires, waiters, ready }
    }

    fn step(&self, at: usize) -> Option<&'a MscclStep> {
        self.layout.block(self.states[at].at).steps.get(self.states[at].done as usize)
    }

    fn wake(&mut self, at: usize) {
        if !std::mem::replace(&mut self.states[at].queued, true) {
            self.ready.push_back(at);
        }
    }

    /// What the current step still waits for.
    fn waits(&self, at: usize, step: &MscclStep) -> Option<Waits> {
        let state = &self.states[at];
        if !state.begun
            && let Some((block, number)) = step.after
        {
            let other = self.first[state.at.0 as usize] + block as usize;
            if self.states[other].done <= number {
                return Some(Waits::Step(other));
            }
        }
        if let (None, false, Some(wire)) =
            (&state.outgoing, state.offered, state.into.filter(|_| step.kind.receives()))
        {
            return self.wires[wire].held.is_empty().then_some(Waits::Receive(wire));
        }
        None
    }

    /// A step or a part of one; whether there is more to be done.
    fn go_on<F: Follow<Packet = P>>(&mut self, at: usize, follow: &mut F) -> Result<bool, ProgramFault> {
        let Some(step) = self.step(at) else { return Ok(false) };
        match self.waits(at, step) {
            Some(Waits::Step(other)) => {
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
                self.wires[wire].taken += 1;
                let sender = self.wires[wire].sender;
                self.wake(sender);
                self.wires[wire].held.pop_front()
            });
            let packet = follow.act(place, step, received)?;
            if step.kind.sends() {
                self.states[at].outgoing = Some(packet);
            }
        }
        if let Some(wire) = self.states[at].out.filter(|_| step.kind.sends()) {
            let Wire { sent, taken, receiver, .. } = self.wires[wire];
            if !self.states[at].offered {
                if sent - taken >= self.slots.max(1) {
                    return Ok(false);
                }
                let packet = self.states[at].outgoing.take();
                self.wires[wire].held.extend(packet);
                self.wires[wire].sent += 1;
                self.states[at].offered = true;
                self.wake(receiver);
            }
            if self.slots == 0 && self.wires[wire].taken < self.wires[wire].sent {
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

    /// Whether somebody waits for ever.
    fn circle(&self) -> Result<(), ProgramFault> {
        let Some(start) = (0..self.states.len()).find(|&at| self.step(at).is_some()) else { return Ok(()) };
        // `[thread block]`: how many were passed before it.
        let mut passed = vec![usize::MAX; self.states.len()];
        let (mut way, mut at) = (Vec::new(), start);
        while passed[at] == usize::MAX {
            passed[at] = way.len();
            let Some(step) = self.step(at) else { break };
            let out = self.states[at].out.map(Waits::Send);
            let (next, what) = match self.waits(at, step).or(out) {
                Some(Waits::Step(other)) => {
                    let (block, number) = step.after.unwrap_or_default();
                    (other, format!("waits for step {number} of thread block {block}"))
                }
                Some(Waits::Receive(wire)) => {
                    let sender = self.wires[wire].sender;
                    (sender, format!("waits to receive from gpu {}", self.states[sender].at.0))
                }
                Some(Waits::Send(wire)) => {
                    let receiver = self.wires[wire].receiver;
                    (receiver, format!("waits until gpu {} receives", self.states[receiver].at.0))
                }
                None => break,
            };
            way.push(format!("  {} {what}", name(self.states[at].at, step.number)));
            at = next;
        }
        let lines = way.get(passed[at].min(way.len())..).unwrap_or_default();
        Err(ProgramFault::Deadlock { length: lines.len(), circle: lines.join("\n") })
    }
}
