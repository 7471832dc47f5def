//! Graphs some routers of which have copies: further routers with the same neighbors.

/// The routers that copies of members get: those behind the originals, copy by copy, in the order of the
/// members. No copy is joined to another one.
pub(super) struct Copies {
    originals: u32,
    /// The routers that have copies, ascending.
    members: Vec<u32>,
    copies: u32,
}

impl Copies {
    pub(super) fn new(originals: u32, members: Vec<u32>, copies: u32) -> Self {
        Self { originals, members, copies }
    }
    /// The router itself, or the one that it is a copy of.
    pub(super) fn original(&self, router: u32) -> u32 {
        match router.checked_sub(self.originals) {
            None => router,
            Some(copy) => self.members[copy as usize % self.members.len()],
        }
    }
    /// Adds the neighbors of a router. `near` has those of its original among the originals, perhaps with the
    /// original itself.
    pub(super) fn push_neighbors(&self, router: u32, near: &[u32], list: &mut Vec<u32>) {
        let original = self.original(router);
        let near = near.iter().copied().filter(|&other| other != original);
        list.extend(near.clone());
        if router < self.originals && self.copies > 0 {
            let count = self.members.len() as u32;
            for other in near {
                if let Ok(member) = self.members.binary_search(&other) {
                    let first = self.originals + member as u32;
                    list.extend((0..self.copies).map(|copy| first + copy * count));
                }
            }
        }
    }
}
