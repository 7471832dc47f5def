//! Places that are taken and given back, the last one that was given back first.

use std::ops::{Index, IndexMut};

/// Things with places, which keep theirs until they are taken out.
pub(super) struct Slab<T> {
    places: Vec<T>,
    free: Vec<u32>,
}

impl<T: Copy> Slab<T> {
    /// With nothing in it.
    pub(super) fn new() -> Self {
        Self { places: Vec::new(), free: Vec::new() }
    }

    /// The place of something new.
    pub(super) fn insert(&mut self, new: T) -> u32 {
        let Some(place) = self.free.pop() else {
            self.places.push(new);
            return self.places.len() as u32 - 1;
        };
        self.places[place as usize] = new;
        place
    }

    /// What has a place is no more.
    pub(super) fn remove(&mut self, place: u32) {
        self.free.push(place);
    }

    /// Places that were ever taken.
    pub(super) fn places(&self) -> usize {
        self.places.len()
    }

    /// Places that are taken.
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
