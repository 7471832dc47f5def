//! How many bits are set in many rows.

/// Elements that are taken together: what the compiler keeps in vector registers.
pub(super) const LANES: usize = 16;

/// So many elements of a row.
pub(super) type Chunk = [u32; LANES];

/// Counts bits of chunks by carry-save adders: eight chunks cost little more than the bits of one. Source:
/// Harley and Seal, in Warren, "Hacker's Delight", section 5-1.
#[derive(Default)]
pub(super) struct Count {
    waiting: [Chunk; 8],
    filled: usize,
    ones: Chunk,
    twos: Chunk,
    fours: Chunk,
    eights: u64,
}

impl Count {
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
            let one = carry(&mut self.ones, &self.waiting[at], &self.waiting[at + 1]);
            let other = carry(&mut self.ones, &self.waiting[at + 2], &self.waiting[at + 3]);
            carry(&mut self.twos, &one, &other)
        };
        let [one, other] = [four(0), four(4)];
        self.eights += bits(&carry(&mut self.fours, &one, &other));
        self.filled = 0;
    }

    pub(super) fn total(&self) -> u64 {
        let waiting: u64 = self.waiting[..self.filled].iter().map(bits).sum();
        waiting + bits(&self.ones) + 2 * bits(&self.twos) + 4 * bits(&self.fours) + 8 * self.eights
    }
}

/// Adds two chunks to a running sum of single bits, and returns what carries over.
fn carry(sum: &mut Chunk, one: &Chunk, other: &Chunk) -> Chunk {
    let mut over = [0; LANES];
    for lane in 0..LANES {
        let either = sum[lane] ^ one[lane];
        over[lane] = (sum[lane] & one[lane]) | (either & other[lane]);
        sum[lane] = either ^ other[lane];
    }
    over
}

fn bits(chunk: &Chunk) -> u64 {
    chunk.iter().map(|lane| u64::from(lane.count_ones())).sum()
}
