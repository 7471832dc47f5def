//! The sum of all hop distances of a graph, with sets of routers as bits.

/// Buffers for the routers within some hops of every router. They are kept between calls to save allocations.
pub(super) struct DistanceSums {
    routers: usize,
    /// Number of words of a set of routers.
    words: usize,
    /// `[router * words ..]`: routers within the current number of hops, and within one hop more.
    within: [Vec<u64>; 2],
    /// Whether the last graph is connected.
    connected: bool,
}

impl DistanceSums {
    pub(super) fn new(routers: usize) -> Self {
        let words = routers.div_ceil(64);
        Self { routers, words, within: [vec![0; routers * words], vec![0; routers * words]], connected: true }
    }

    /// Whether the last graph has a path for every ordered pair.
    pub(super) fn is_connected(&self) -> bool {
        self.connected
    }

    /// The sum of the distances of all ordered pairs. `next` lists `degree` successors of every router. A
    /// pair without a path counts as many hops as there are routers.
    pub(super) fn sum(&mut self, next: &[u32], degree: usize) -> u64 {
        let Self { routers, words, within, connected } = self;
        *connected = true;
        let (routers, words) = (*routers, *words);
        let [reached_sets, next_sets] = within;
        reached_sets.fill(0);
        (0..routers).for_each(|router| reached_sets[router * words + router / 64] |= 1 << (router % 64));
        let all_pairs = (routers * routers) as u64;
        let (mut reached, mut sum, mut hops) = (routers as u64, 0, 0);
        while reached < all_pairs {
            let mut count = 0u64;
            for router in 0..routers {
                let set = router * words;
                for word in 0..words {
                    let mut bits = reached_sets[set + word];
                    for &successor in &next[router * degree..][..degree] {
                        bits |= reached_sets[successor as usize * words + word];
                    }
                    next_sets[set + word] = bits;
                    count += u64::from(bits.count_ones());
                }
            }
            hops += 1;
            if count == reached {
                *connected = false;
                return sum + (all_pairs - reached) * (routers as u64 - (hops - 1));
            }
            // Each pair that is still apart is a hop further.
            sum += all_pairs - reached;
            reached = count;
            std::mem::swap(reached_sets, next_sets);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_rings_and_complete_graphs() {
        let one_way: Vec<u32> = (0..100).map(|router| (router + 1) % 100).collect();
        assert_eq!(DistanceSums::new(100).sum(&one_way, 1), 100 * 99 * 100 / 2);
        let complete: Vec<u32> = (0..5).flat_map(|a| (0..5).filter(move |&b| b != a)).collect();
        assert_eq!(DistanceSums::new(5).sum(&complete, 4), 20);
        // Two rings of three: 9 ordered pairs in each direction without a path.
        let apart = [1, 2, 0, 4, 5, 3];
        let mut distances = DistanceSums::new(6);
        assert_eq!((distances.sum(&apart, 1), distances.is_connected()), (2 * 3 * 3 + 18 * 6, false));
        let ring = [1, 2, 3, 4, 5, 0];
        assert_eq!((distances.sum(&ring, 1), distances.is_connected()), (6 * 15, true));
    }
}
