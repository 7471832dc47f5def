//! Clocks: which acts of other processes precede an act, whatever the timing.
//!
//! A process is a thread block, the proxy of a port channel, or the start of a GPU. Two orders are kept. The
//! *visible* order is that in which data written before is seen after. The *done* order only says that what
//! came before has been carried out. A relaxed signal gives the second one alone.

/// The acts that precede: of every process, the number of its first acts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Clocks {
    pub(super) visible: Vec<u32>,
    pub(super) done: Vec<u32>,
}

impl Clocks {
    pub(super) fn new(processes: usize) -> Self {
        Self { visible: vec![0; processes], done: vec![0; processes] }
    }

    /// Adds what precedes something else.
    pub(super) fn join(&mut self, other: &Self) {
        join_numbers(&mut self.visible, &other.visible);
        join_numbers(&mut self.done, &other.done);
    }

    /// Adds what precedes a relaxed signal: it is done, but need not be seen.
    pub(super) fn join_relaxed(&mut self, other: &Self) {
        join_numbers(&mut self.done, &other.done);
    }

    /// Notes that the first acts of a process precede.
    pub(super) fn advance(&mut self, process: usize, acts: u32) {
        self.visible[process] = self.visible[process].max(acts);
        self.done[process] = self.done[process].max(acts);
    }
}

fn join_numbers(numbers: &mut [u32], others: &[u32]) {
    numbers.iter_mut().zip(others).for_each(|(number, &other)| *number = (*number).max(other));
}
