//! The sum of all hop distances, by sets of routers as bits.

/// Routers within so many hops of every router, as they are found; kept between calls to save allocations.
pub(super) struct Distances {
    routers: usize,
    /// Words of a set.
    words: usize,
    /// `[router * words ..]`: within the hops counted so far, and within one more.
    within: [Vec<u64>; 2],
    /// Whether the graph that was measured last is connected.
    connected: bool,
}

impl Distances {
    pub(super) fn new(routers: usize) -> Self {
        let words = routers.div_ceil(64);
        Self { routers, words, within: [vec![0; routers * words], vec![0; routers * words]], connected: true }
    }

    /// Whether the last graph has a path for every ordered pair.
    pub(super) fn is_connected(&self) -> bool {
        self.connected
    }

    /// The sum of the distances of all ordered pairs, `next` listing `degree` successors of every router;
    /// pairs without a way count as far apart as there are routers.
    pub(super) fn sum(&mut self, next: &[u32], degree: usize) -> u64 {
        let Self { routers, words, within, connected } = self;
        *connected = true;
        let (routers, words) = (*routers, *words);
        let [now, further] = within;
        now.fill(0);
        (0..routers).for_each(|router| now[router * words + router / 64] |= 1 << (router % 64));
        let all = (routers * routers) as u64;
        let (mut reached, mut sum, mut hops) = (routers as u64, 0, 0);
        while reached < all {
            let mut count = 0u64;
            for router in 0..routers {
                let set = router * words;
                for word in 0..words {
                    let mut bits = now[set + word];
                    for &successor in &next[router * degree..][..degree] {
                        bits |= now[successor as usize * words + word];
                    }
                    further[set + word] = bits;
                    count += u64::from(bits.count_ones());
                }
            }
            hops += 1;
            if count == reached {
                *connected = false;
                return sum + (all - reached) * (routers as u64 - (hops - 1));
            }
            // Each pair that is still apart is a hop further.
            sum += all - reached;
            reached = count;
            std::mem::swap(now, further);
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
        assert_eq!(Distances::new(100).sum(&one_way, 1), 100 * 99 * 100 / 2);
        let complete: Vec<u32> = (0..5).flat_map(|a| (0..5).filter(move |&b| b != a)).collect();
        assert_eq!(Distances::new(5).sum(&complete, 4), 20);
        // Two rings of three: 9 ordered pairs each way without a way.
        let apart = [1, 2, 0, 4, 5, 3];
        let mut distances = Distances::new(6);
        assert_eq!((distances.sum(&apart, 1), distances.is_connected()), (2 * 3 * 3 + 18 * 6, false));
        let ring = [1, 2, 3, 4, 5, 0];
        assert_eq!((distances.sum(&ring, 1), distances.is_connected()), (6 * 15, true));
    }
}
