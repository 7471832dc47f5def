//! Distance sums by bit-parallel breadth-first search: the inner loop of every search.
//!
//! A node holds one bit per source; a level is the OR over its neighbours. With translation symmetry the sources are the chips of cube 0 and a row is
//! one position in all cubes, so that a shift is a rotation of a row; without it every chip is a source.
//! Copper has length 1; fibres have a small integer length of their own, so that the sum is the denominator of a dual bound.

/// The wiring of one cube in a pod where every OCS serves the same two positions of every cube.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// Chips per cube.
    pub(super) positions: usize,
    /// Number of cubes.
    pub(super) cubes: usize,
    /// Copper neighbours of every position.
    pub(super) mesh: Vec<Vec<usize>>,
    /// Per OCS: the position of its A port and of its B port.
    pub(super) arms: Vec<(usize, usize)>,
    /// Orders of the cyclic factors of the group of cubes; cube = mixed radix number, first factor fastest.
    pub(super) factors: Vec<usize>,
}

/// Lengths of fibres: within a cube, and between cubes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FiberLengths {
    /// A fibre from a cube to itself.
    pub(super) inside: usize,
    /// A fibre between two cubes.
    pub(super) across: usize,
}

impl Shape {
    /// The sum of two elements.
    pub(super) fn add(&self, a: usize, b: usize) -> usize {
        self.combine(a, b, |a, b, order| (a + b) % order)
    }
    /// The difference of two elements.
    pub(super) fn subtract(&self, a: usize, b: usize) -> usize {
        self.combine(a, b, |a, b, order| (a + order - b) % order)
    }
    fn combine(&self, mut a: usize, mut b: usize, digit: impl Fn(usize, usize, usize) -> usize) -> usize {
        let (mut place, mut result) = (1, 0);
        for &order in &self.factors {
            result += place * digit(a % order, b % order, order);
            (a, b, place) = (a / order, b / order, place * order);
        }
        result
    }
    /// Total channel length per cube under these fibre lengths.
    pub(super) fn volume(&self, shifts: &[usize], lengths: FiberLengths) -> u64 {
        let copper: usize = self.mesh.iter().map(Vec::len).sum();
        let fiber: usize = shifts.iter().map(|&shift| 2 * if shift == 0 { lengths.inside } else { lengths.across }).sum();
        (copper + fiber) as u64
    }
}

/// Reusable state of the evaluation of one [`Shape`].
#[derive(Clone, Debug)]
pub(super) struct Evaluator {
    shape: Shape,
    words: usize,
    /// Snapshots of the last levels, each `[position][word][2 * cubes]` (rows stored twice: a rotation is one contiguous read) for a
    /// cyclic group, and read through `gather` otherwise.
    levels: Vec<Vec<u64>>,
    /// `[shift][cube]` for groups that are not cyclic.
    gather: Vec<Vec<u32>>,
}

impl Evaluator {
    pub(super) fn new(shape: &Shape) -> Self {
        let gather = if shape.factors.len() > 1 {
            (0..shape.cubes).map(|shift| (0..shape.cubes).map(|cube| shape.add(cube, shift) as u32).collect()).collect()
        } else {
            Vec::new()
        };
        Self { shape: shape.clone(), words: shape.positions.div_ceil(64), levels: Vec::new(), gather }
    }

    /// Sum of distances from the chips of cube 0 to all chips; stops and returns a value above `limit` as soon as the sum exceeds it. Chips that
    /// cannot be reached make the sum huge.
    pub(super) fn distance_sum(&mut self, shifts: &[usize], lengths: FiberLengths, limit: u64) -> u64 {
        let Shape { positions, cubes, .. } = self.shape;
        let (words, row) = (self.words, 2 * cubes);
        let keep = lengths.inside.max(lengths.across) + 1;
        let size = positions * words * row;
        self.levels.resize_with(keep.max(self.levels.len()), Vec::new);
        for level in &mut self.levels[..keep] {
            level.clear();
            level.resize(size, 0);
        }
        for position in 0..positions {
            let at = (position * words + position / 64) * row;
            self.levels[0][at] |= 1 << (position % 64);
            self.levels[0][at + cubes] |= 1 << (position % 64);
        }
        // Per position: the row it reads through every fibre end, and the shift it reads it with.
        let mut fibers: Vec<Vec<(usize, usize, usize)>> = vec![Vec::new(); positions];
        for (&(a, b), &shift) in self.shape.arms.iter().zip(shifts) {
            let length = if shift == 0 { lengths.inside } else { lengths.across };
            fibers[a].push((b, shift, length));
            fibers[b].push((a, self.shape.subtract(0, shift), length));
        }
        let everything = (positions * cubes * positions) as u64;
        let mut reached = positions as u64;
        let mut sum = 0u64;
        let mut quiet = 0;
        let mut time = 0;
        while reached < everything {
            sum += everything - reached;
            if sum > limit {
                return sum;
            }
            time += 1;
            let mut now = std::mem::take(&mut self.levels[time % keep]);
            let before = &self.levels[(time - 1) % keep];
            let mut count = 0u64;
            for position in 0..positions {
                for word in 0..words {
                    let at = |position: usize| (position * words + word) * row;
                    let (out, _) = now[at(position)..][..row].split_at_mut(cubes);
                    out.copy_from_slice(&before[at(position)..][..cubes]);
                    for &neighbour in &self.shape.mesh[position] {
                        or(out, &before[at(neighbour)..][..cubes]);
                    }
                    for &(other, shift, length) in &fibers[position] {
                        if time >= length {
                            let past = &self.levels[(time - length) % keep];
                            match self.gather.get(shift) {
                                None => or(out, &past[at(other) + shift..][..cubes]),
                                Some(from) => {
                                    let past = &past[at(other)..][..cubes];
                                    out.iter_mut().zip(from).for_each(|(out, &from)| *out |= past[from as usize]);
                                }
                            }
                        }
                    }
                    count += out.iter().map(|bits| u64::from(bits.count_ones())).sum::<u64>();
                    now.copy_within(at(position)..at(position) + cubes, at(position) + cubes);
                }
            }
            self.levels[time % keep] = now;
            quiet = if count == reached { quiet + 1 } else { 0 };
            if quiet >= keep {
                return sum + (everything - reached) * 1000;
            }
            reached = count;
        }
        sum
    }
}

fn or(out: &mut [u64], row: &[u64]) {
    out.iter_mut().zip(row).for_each(|(out, bits)| *out |= bits);
}

/// Sum of distances over all ordered pairs of an arbitrary graph with copper length 1 and fibre length `fiber`; unreachable pairs make it huge.
///
/// `reached` and `next` are scratch, resized as needed.
pub(super) fn distance_sum(mesh: &[Vec<u32>], fibers: &[Vec<u32>], fiber: usize, limit: u64, levels: &mut Vec<Vec<u64>>) -> u64 {
    let nodes = mesh.len();
    let words = nodes.div_ceil(64);
    let keep = fiber + 1;
    levels.resize_with(keep.max(levels.len()), Vec::new);
    for level in &mut levels[..keep] {
        level.clear();
        level.resize(nodes * words, 0);
    }
    for node in 0..nodes {
        levels[0][node * words + node / 64] |= 1 << (node % 64);
    }
    let everything = (nodes * nodes) as u64;
    let (mut reached, mut sum, mut time, mut quiet) = (nodes as u64, 0u64, 0, 0);
    while reached < everything {
        sum += everything - reached;
        if sum > limit {
            return sum;
        }
        time += 1;
        let mut now = std::mem::take(&mut levels[time % keep]);
        let before = &levels[(time - 1) % keep];
        let mut count = 0;
        for node in 0..nodes {
            let out = &mut now[node * words..][..words];
            out.copy_from_slice(&before[node * words..][..words]);
            for &neighbour in &mesh[node] {
                or(out, &before[neighbour as usize * words..][..words]);
            }
            if time >= fiber {
                let past = if fiber == 1 { before } else { &levels[(time - fiber) % keep] };
                for &neighbour in &fibers[node] {
                    or(out, &past[neighbour as usize * words..][..words]);
                }
            }
            count += out.iter().map(|bits| u64::from(bits.count_ones())).sum::<u64>();
        }
        levels[time % keep] = now;
        quiet = if count == reached { quiet + 1 } else { 0 };
        if quiet >= keep {
            return sum + (everything - reached) * 1000;
        }
        reached = count;
    }
    sum
}
