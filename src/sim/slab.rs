//! A pool of places. The place that was given back last is taken first.

use std::ops::{Index, IndexMut};

/// Items with places, which they keep until they are removed.
pub(super) struct Slab<T> {
    places: Vec<T>,
    free: Vec<u32>,
}

impl<T: Copy> Slab<T> {
    /// An empty pool of places.
    pub(super) fn new() -> Self {
        Self { places: Vec::new(), free: Vec::new() }
    }

    /// Inserts an item, and returns its place.
    pub(super) fn insert(&mut self, new: T) -> u32 {
        let Some(place) = self.free.pop() else {
            self.places.push(new);
            return self.places.len() as u32 - 1;
        };
        self.places[place as usize] = new;
        place
    }

    /// Frees the place of an item.
    pub(super) fn remove(&mut self, place: u32) {
        self.free.push(place);
    }

    /// The number of places that were ever taken.
    pub(super) fn places(&self) -> usize {
        self.places.len()
    }

    /// The number of places that are taken now.
    pub(super) fn taken(&self) -> u64 {
        (self.places.len() - self.free.len()) as u64
    }
}

impl<T> Index<u32> for Slab<T> {
    type Output = T;

    fn index(&self, place: u32) -> &T {
        &self.places[place as usize]
    }
}

impl<T> IndexMut<u32> for Slab<T> {
    fn index_mut(&mut self, place: u32) -> &mut T {
        &mut self.places[place as usize]
    }
}
