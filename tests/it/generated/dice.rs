//! Random choices that depend on a number alone.

/// A stream of random numbers (splitmix64).
pub(crate) struct Dice(u64);

impl Dice {
    /// The stream of the spec with this number.
    pub(crate) fn new(number: u64) -> Self {
        let mut dice = Dice(number.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(0x632b_e59b_d9b4_e019));
        dice.next();
        dice
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `count`. 0 if there is none.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    /// A number from `least` to `most`, both included.
    pub(crate) fn within(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most + 1 - least)
    }

    /// True in so many of a hundred cases.
    pub(crate) fn percent(&mut self, share: usize) -> bool {
        self.below(100) < share
    }

    /// Picks one of several values.
    pub(crate) fn pick<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())].clone()
    }

    /// One of several values, each as often as its weight says.
    pub(crate) fn weighted<T: Clone>(&mut self, values: &[(usize, T)]) -> T {
        let mut remaining = self.below(values.iter().map(|(weight, _)| weight).sum());
        for (weight, value) in values {
            if remaining < *weight {
                return value.clone();
            }
            remaining -= weight;
        }
        values[0].1.clone()
    }

    /// Exchanges the values at random.
    pub(crate) fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            values.swap(last, self.below(last + 1));
        }
    }
}
