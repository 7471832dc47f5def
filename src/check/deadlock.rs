//! The proof that no cycle of channels can wait on itself.

/// The right to emit tables: only this module makes one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeadlockFree {
    ranks: Vec<u32>,
}

impl DeadlockFree {
    /// `[channel class * vcs + vc]`: a rank that rises along every route.
    pub fn ranks(&self) -> &[u32] {
        &self.ranks
    }
}
