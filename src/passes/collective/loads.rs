//! At most `width` chunks for each input of a chip: a matching that grows by augmenting paths.
//!
//! As the seats of `seats.rs`, but many chunks share an input: instead of asking each of them for another
//! input, the inputs that a chunk at one input could also come by are kept in a list per pair of inputs.
//! Entries of chunks that have moved on are dropped when they are met.

/// Not reached.
const UNSEEN: u32 = u32::MAX;
/// Reached from the chunk that is offered.
const START: u32 = u32::MAX - 1;
/// Not taken.
pub(super) const LEFT: u32 = u32::MAX;

/// Candidates of a chip in the order in which they are offered, with the inputs that can bring them.
#[derive(Default)]
pub(super) struct Candidates {
    /// The places of the chunks.
    pub(super) places: Vec<u32>,
    /// `[candidate]`: where its inputs end in `inputs`.
    ends: Vec<u32>,
    inputs: Vec<u32>,
}

impl Candidates {
    pub(super) fn clear(&mut self) {
        self.places.clear();
        self.ends.clear();
        self.inputs.clear();
    }
    pub(super) fn push(&mut self, place: u32, inputs: impl Iterator<Item = u32>) {
        self.places.push(place);
        self.inputs.extend(inputs);
        self.ends.push(self.inputs.len() as u32);
    }
    pub(super) fn inputs(&self, candidate: usize) -> &[u32] {
        let start = candidate.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.inputs[start..self.ends[candidate] as usize]
    }
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }
}

/// Which candidate comes by which input.
#[derive(Default)]
pub(super) struct Loads {
    /// `[candidate]`: its input, or [`LEFT`].
    pub(super) at: Vec<u32>,
    /// `[input]`: chunks that it brings.
    pub(super) load: Vec<u32>,
    /// How many candidates are taken.
    pub(super) taken: usize,
    closed: Vec<bool>,
    /// `[input * inputs + other]`: candidates that were at the input and could come by the other one.
    movable: Vec<Vec<u32>>,
    /// `[input]`: the input before it on the path, and who moves from there.
    via: Vec<(u32, u32)>,
    queue: Vec<u32>,
}

impl Loads {
    /// Takes as many candidates as fit, the first ones first.
    pub(super) fn fill(&mut self, candidates: &Candidates, inputs: usize, width: u32) {
        self.at.clear();
        self.at.resize(candidates.len(), LEFT);
        self.load.clear();
        self.load.resize(inputs, 0);
        self.closed.clear();
        self.closed.resize(inputs, false);
        self.via.resize(inputs, (UNSEEN, 0));
        self.movable.iter_mut().for_each(Vec::clear);
        self.movable.resize(inputs * inputs, Vec::new());
        self.taken = 0;
        let room = inputs * width as usize;
        for candidate in 0..candidates.len() {
            if self.taken == room {
                break;
            }
            self.taken += usize::from(self.offer(candidates, candidate as u32, width));
        }
    }

    fn offer(&mut self, candidates: &Candidates, candidate: u32, width: u32) -> bool {
        let inputs = candidates.inputs(candidate as usize);
        let least = inputs.iter().copied().min_by_key(|&input| self.load[input as usize]);
        let Some(least) = least else { return false };
        if self.load[least as usize] < width {
            self.put(candidates, candidate, least);
            return true;
        }
        self.via.fill((UNSEEN, 0));
        self.queue.clear();
        for &input in inputs.iter().filter(|&&input| !self.closed[input as usize]) {
            self.via[input as usize] = (START, candidate);
            self.queue.push(input);
        }
        let mut next = 0;
        while let Some(&input) = self.queue.get(next) {
            next += 1;
            for other in 0..self.load.len() {
                if self.via[other].0 != UNSEEN || self.closed[other] {
                    continue;
                }
                let list = &mut self.movable[input as usize * self.load.len() + other];
                while list.last().is_some_and(|&moved| self.at[moved as usize] != input) {
                    list.pop();
                }
                let Some(&mover) = list.last() else { continue };
                self.via[other] = (input, mover);
                if self.load[other] < width {
                    self.shift(candidates, other as u32);
                    return true;
                }
                self.queue.push(other as u32);
            }
        }
        self.queue.iter().for_each(|&input| self.closed[input as usize] = true);
        false
    }

    /// Moves a candidate along every step of a path to an input with room; the offered one is the last.
    fn shift(&mut self, candidates: &Candidates, mut input: u32) {
        loop {
            let (before, mover) = self.via[input as usize];
            if before != START {
                self.load[before as usize] -= 1;
            }
            self.put(candidates, mover, input);
            if before == START {
                break;
            }
            input = before;
        }
    }

    fn put(&mut self, candidates: &Candidates, candidate: u32, input: u32) {
        self.at[candidate as usize] = input;
        self.load[input as usize] += 1;
        let row = input as usize * self.load.len();
        for &other in candidates.inputs(candidate as usize).iter().filter(|&&other| other != input) {
            self.movable[row + other as usize].push(candidate);
        }
    }
}
