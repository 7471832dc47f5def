//! A set of places that is read from the first one on.

/// A bit set that knows below which word nothing is.
#[derive(Clone, Debug)]
pub(super) struct Row {
    words: Vec<u64>,
    /// No word before it has a bit.
    low: usize,
}

impl Row {
    /// The empty set of places below `places`.
    pub(super) fn new(places: usize) -> Self {
        let words = places.div_ceil(64);
        Self { words: vec![0; words], low: words }
    }
    /// Adds a place.
    pub(super) fn insert(&mut self, place: u32) {
        let word = place as usize / 64;
        self.words[word] |= 1 << (place % 64);
        self.low = self.low.min(word);
    }
    /// Takes a place out.
    pub(super) fn remove(&mut self, place: u32) {
        self.words[place as usize / 64] &= !(1 << (place % 64));
    }
    /// Whether a place is in it.
    pub(super) fn contains(&self, place: u32) -> bool {
        self.words[place as usize / 64] >> (place % 64) & 1 == 1
    }
    /// The first place.
    pub(super) fn first(&mut self) -> Option<u32> {
        while let Some(&word) = self.words.get(self.low) {
            if word != 0 {
                return Some(self.low as u32 * 64 + word.trailing_zeros());
            }
            self.low += 1;
        }
        None
    }
    /// The first place after another one.
    pub(super) fn after(&self, place: u32) -> Option<u32> {
        let (mut at, shift) = ((place as usize + 1) / 64, (place + 1) % 64);
        let mut word = self.words.get(at)? >> shift << shift;
        while word == 0 {
            at += 1;
            word = *self.words.get(at)?;
        }
        Some(at as u32 * 64 + word.trailing_zeros())
    }
    /// The places that are in one of some rows, ascending; `words` is scratch.
    pub(super) fn union(rows: &[Self], words: &mut Vec<u64>, mut each: impl FnMut(u32)) {
        words.clear();
        words.resize(rows.first().map_or(0, |row| row.words.len()), 0);
        for row in rows {
            words.iter_mut().zip(&row.words).for_each(|(all, word)| *all |= word);
        }
        for (at, &word) in words.iter().enumerate() {
            let mut left = word;
            while left != 0 {
                each(at as u32 * 64 + left.trailing_zeros());
                left &= left - 1;
            }
        }
    }
}
