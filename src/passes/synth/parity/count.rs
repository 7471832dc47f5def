//! Counts the bits set in many rows.

/// The elements processed together, which the compiler keeps in vector registers.
pub(super) const LANES: usize = 16;

/// Some elements of a row.
pub(super) type Chunk = [u32; LANES];

/// Counts bits of chunks by carry-save adders, so that eight chunks cost little more than the bits of one.
/// Source: Harley and Seal, in Warren, "Hacker's Delight", section 5-1.
#[derive(Default)]
pub(super) struct BitCounter {
    waiting: [Chunk; 8],
    filled: usize,
    ones: Chunk,
    twos: Chunk,
    fours: Chunk,
    eights: u64,
}

impl BitCounter {
    pub(super) fn add(&mut self, chunk: &Chunk) {
        self.waiting[self.filled] = *chunk;
        self.filled += 1;
        if self.filled == self.waiting.len() {
            self.fold();
        }
    }

    #[inline(never)]
    fn fold(&mut self) {
        let mut four = |at: usize| {
            let first = carry(&mut self.ones, &self.waiting[at], &self.waiting[at + 1]);
            let second = carry(&mut self.ones, &self.waiting[at + 2], &self.waiting[at + 3]);
            carry(&mut self.twos, &first, &second)
        };
        let [first, second] = [four(0), four(4)];
        self.eights += count_bits(&carry(&mut self.fours, &first, &second));
        self.filled = 0;
    }

    pub(super) fn total(&self) -> u64 {
        let waiting: u64 = self.waiting[..self.filled].iter().map(count_bits).sum();
        waiting
            + count_bits(&self.ones)
            + 2 * count_bits(&self.twos)
            + 4 * count_bits(&self.fours)
            + 8 * self.eights
    }
}

/// Adds two chunks to a running sum of single bits, and returns what carries over.
fn carry(sum: &mut Chunk, first: &Chunk, second: &Chunk) -> Chunk {
    let mut carried = [0; LANES];
    for lane in 0..LANES {
        let either = sum[lane] ^ first[lane];
        carried[lane] = (sum[lane] & first[lane]) | (either & second[lane]);
        sum[lane] = either ^ second[lane];
    }
    carried
}

fn count_bits(chunk: &Chunk) -> u64 {
    chunk.iter().map(|lane| u64::from(lane.count_ones())).sum()
}
