//! A set of places that is read from its first member on.

/// A bit set that skips the empty words at its start.
#[derive(Clone, Debug)]
pub(super) struct PlaceSet {
    words: Vec<u64>,
    /// No word before this one has a bit.
    first_word: usize,
}

impl PlaceSet {
    /// The empty set of places below `places`.
    pub(super) fn new(places: usize) -> Self {
        let words = places.div_ceil(64);
        Self { words: vec![0; words], first_word: words }
    }
    pub(super) fn insert(&mut self, place: u32) {
        let word = place as usize / 64;
        self.words[word] |= 1 << (place % 64);
        self.first_word = self.first_word.min(word);
    }
    pub(super) fn remove(&mut self, place: u32) {
        self.words[place as usize / 64] &= !(1 << (place % 64));
    }
    pub(super) fn contains(&self, place: u32) -> bool {
        self.words[place as usize / 64] >> (place % 64) & 1 == 1
    }
    /// The first place in the set.
    pub(super) fn first(&mut self) -> Option<u32> {
        while let Some(&word) = self.words.get(self.first_word) {
            if word != 0 {
                return Some(self.first_word as u32 * 64 + word.trailing_zeros());
            }
            self.first_word += 1;
        }
        None
    }
    /// The first place in the set after `place`.
    pub(super) fn next_after(&self, place: u32) -> Option<u32> {
        let (mut index, shift) = ((place as usize + 1) / 64, (place + 1) % 64);
        let mut word = self.words.get(index)? >> shift << shift;
        while word == 0 {
            index += 1;
            word = *self.words.get(index)?;
        }
        Some(index as u32 * 64 + word.trailing_zeros())
    }
    /// Calls `each` for the places that are in any of the rows, ascending. `words` is scratch space.
    pub(super) fn union(rows: &[Self], words: &mut Vec<u64>, mut each: impl FnMut(u32)) {
        words.clear();
        words.resize(rows.first().map_or(0, |row| row.words.len()), 0);
        for row in rows {
            words.iter_mut().zip(&row.words).for_each(|(union, word)| *union |= word);
        }
        for (index, &word) in words.iter().enumerate() {
            let mut remaining = word;
            while remaining != 0 {
                each(index as u32 * 64 + remaining.trailing_zeros());
                remaining &= remaining - 1;
            }
        }
    }
}
