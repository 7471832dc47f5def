//! One chunk for each input of a chip: a matching that grows by augmenting paths.
//!
//! Chunks are offered best first. A chunk that has a seat keeps one, perhaps another one. The seated chunks
//! are therefore a matching of the largest weight, because the sets that can be seated are a matroid. When no
//! augmenting path leads from a chunk to a free input, all inputs that the search reached are *closed*. They
//! stay taken by chunks that fit no other inputs, so no later path has to enter them.

/// Marks an input without a chunk.
const FREE: u32 = u32::MAX;
/// Marks an input that the search has not reached.
const UNSEEN: u32 = u32::MAX;
/// Marks an input that the search reached from the offered chunk itself.
const START: u32 = u32::MAX - 1;

/// The matching of offered chunks to inputs.
#[derive(Default)]
pub(super) struct Seats {
    /// `[input]`: the offered chunk that it brings, by number.
    owner: Vec<u32>,
    closed: Vec<bool>,
    /// Number of inputs without a chunk.
    free: usize,
    /// `[offered chunk]`: end of its inputs in `inputs`.
    input_ends: Vec<u32>,
    inputs: Vec<u32>,
    /// `[input]`: the input before it on the search path.
    via: Vec<u32>,
    queue: Vec<u32>,
}

impl Seats {
    /// Starts again with `seats` empty inputs.
    pub(super) fn clear(&mut self, seats: usize) {
        self.owner.clear();
        self.owner.resize(seats, FREE);
        self.closed.clear();
        self.closed.resize(seats, false);
        self.via.resize(seats, UNSEEN);
        self.free = seats;
        self.input_ends.clear();
        self.inputs.clear();
    }
    /// Whether some input is still without a chunk.
    pub(super) fn is_open(&self) -> bool {
        self.free > 0
    }
    /// Whether an input keeps the chunk that it has.
    pub(super) fn is_closed(&self, input: usize) -> bool {
        self.closed[input]
    }
    /// The number of the offered chunk that an input brings.
    pub(super) fn owner(&self, input: usize) -> Option<usize> {
        Some(self.owner[input]).filter(|&owner| owner != FREE).map(|owner| owner as usize)
    }

    /// Offers a chunk that some inputs can bring, and returns whether one of them now does.
    pub(super) fn offer(&mut self, inputs: impl Iterator<Item = usize>) -> bool {
        let chunk = self.input_ends.len() as u32;
        let first = self.inputs.len();
        self.inputs.extend(inputs.map(|input| input as u32));
        self.input_ends.push(self.inputs.len() as u32);
        // Most chunks find a free input at once.
        if let Some(&input) = self.inputs[first..].iter().find(|&&input| self.owner[input as usize] == FREE) {
            self.owner[input as usize] = chunk;
            self.free -= 1;
            return true;
        }
        self.via.fill(UNSEEN);
        self.queue.clear();
        for position in first..self.inputs.len() {
            let input = self.inputs[position];
            if !self.closed[input as usize] && self.via[input as usize] == UNSEEN {
                self.via[input as usize] = START;
                self.queue.push(input);
            }
        }
        let mut next = 0;
        while let Some(&input) = self.queue.get(next) {
            next += 1;
            let owner = self.owner[input as usize] as usize;
            let start = owner.checked_sub(1).map_or(0, |before| self.input_ends[before] as usize);
            for position in start..self.input_ends[owner] as usize {
                let other = self.inputs[position];
                if self.via[other as usize] != UNSEEN || self.closed[other as usize] {
                    continue;
                }
                self.via[other as usize] = input;
                if self.owner[other as usize] == FREE {
                    self.shift_along_path(other, chunk);
                    return true;
                }
                self.queue.push(other);
            }
        }
        self.queue.iter().for_each(|&input| self.closed[input as usize] = true);
        false
    }

    /// Moves the chunks along a path to a free input, and seats the new chunk at its start.
    fn shift_along_path(&mut self, mut input: u32, chunk: u32) {
        while self.via[input as usize] != START {
            let before = self.via[input as usize];
            self.owner[input as usize] = self.owner[before as usize];
            input = before;
        }
        self.owner[input as usize] = chunk;
        self.free -= 1;
    }
}
