//! At most `width` chunks for each input of a chip: a matching that grows by augmenting paths.
//!
//! This is the matching of `seats.rs` with many chunks on an input. Asking each chunk for another input would
//! cost too much. Instead a list per pair of inputs holds the chunks at the first that could also come by the
//! second. Entries of chunks that have moved on are dropped when a search meets them.

/// Marks an input that the search has not reached.
const UNSEEN: u32 = u32::MAX;
/// Marks an input that the search reached from the offered chunk itself.
const START: u32 = u32::MAX - 1;
/// Marks a candidate that is not taken.
pub(super) const NOT_TAKEN: u32 = u32::MAX;

/// Candidates of a chip in the order in which they are offered, with the inputs that can bring them.
#[derive(Default)]
pub(super) struct Candidates {
    /// `[candidate]`: the place of its chunk.
    pub(super) places: Vec<u32>,
    /// `[candidate]`: end of its inputs in `inputs`.
    input_ends: Vec<u32>,
    inputs: Vec<u32>,
}

impl Candidates {
    pub(super) fn clear(&mut self) {
        self.places.clear();
        self.input_ends.clear();
        self.inputs.clear();
    }
    pub(super) fn push(&mut self, place: u32, inputs: impl Iterator<Item = u32>) {
        self.places.push(place);
        self.inputs.extend(inputs);
        self.input_ends.push(self.inputs.len() as u32);
    }
    pub(super) fn inputs(&self, candidate: usize) -> &[u32] {
        let start = candidate.checked_sub(1).map_or(0, |before| self.input_ends[before] as usize);
        &self.inputs[start..self.input_ends[candidate] as usize]
    }
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }
}

/// The input by which each taken candidate comes.
#[derive(Default)]
pub(super) struct InputLoads {
    /// `[candidate]`: its input, or [`NOT_TAKEN`].
    pub(super) input_of: Vec<u32>,
    /// `[input]`: number of chunks that it brings.
    pub(super) load: Vec<u32>,
    /// Number of candidates that are taken.
    pub(super) taken: usize,
    closed: Vec<bool>,
    /// `[input * inputs + other]`: candidates that were at `input` and could come by `other`.
    movable: Vec<Vec<u32>>,
    /// `[input]`: the input before it on the search path, and the candidate that moves from there.
    via: Vec<(u32, u32)>,
    queue: Vec<u32>,
}

impl InputLoads {
    /// Takes as many candidates as fit, in their order.
    pub(super) fn fill(&mut self, candidates: &Candidates, inputs: usize, width: u32) {
        self.input_of.clear();
        self.input_of.resize(candidates.len(), NOT_TAKEN);
        self.load.clear();
        self.load.resize(inputs, 0);
        self.closed.clear();
        self.closed.resize(inputs, false);
        self.via.resize(inputs, (UNSEEN, 0));
        self.movable.iter_mut().for_each(Vec::clear);
        self.movable.resize(inputs * inputs, Vec::new());
        self.taken = 0;
        let capacity = inputs * width as usize;
        for candidate in 0..candidates.len() {
            if self.taken == capacity {
                break;
            }
            self.taken += usize::from(self.place_candidate(candidates, candidate as u32, width));
        }
    }

    fn place_candidate(&mut self, candidates: &Candidates, candidate: u32, width: u32) -> bool {
        let inputs = candidates.inputs(candidate as usize);
        let lightest = inputs.iter().copied().min_by_key(|&input| self.load[input as usize]);
        let Some(lightest) = lightest else { return false };
        if self.load[lightest as usize] < width {
            self.put(candidates, candidate, lightest);
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
                while list.last().is_some_and(|&moved| self.input_of[moved as usize] != input) {
                    list.pop();
                }
                let Some(&mover) = list.last() else { continue };
                self.via[other] = (input, mover);
                if self.load[other] < width {
                    self.shift_along_path(candidates, other as u32);
                    return true;
                }
                self.queue.push(other as u32);
            }
        }
        self.queue.iter().for_each(|&input| self.closed[input as usize] = true);
        false
    }

    /// Moves a candidate along every edge of a path to an input with room. The offered candidate moves last.
    fn shift_along_path(&mut self, candidates: &Candidates, mut input: u32) {
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
        self.input_of[candidate as usize] = input;
        self.load[input as usize] += 1;
        let row = input as usize * self.load.len();
        for &other in candidates.inputs(candidate as usize).iter().filter(|&&other| other != input) {
            self.movable[row + other as usize].push(candidate);
        }
    }
}
