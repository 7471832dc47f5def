//! The part of some work that one process takes.

/// `i/n`: every n-th piece of the work, from the i-th on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// Which of them, from 1.
    pub index: usize,
    /// How many parts there are.
    pub count: usize,
}

impl Shard {
    /// All of it.
    pub const WHOLE: Shard = Shard { index: 1, count: 1 };

    /// Its pieces, in their order.
    pub fn of<T>(self, all: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
        all.into_iter().skip(self.index - 1).step_by(self.count)
    }
}

/// Reads `2/4`.
pub(crate) fn shard(text: &str) -> Result<Shard, String> {
    let wrong = || "a shard is `i/n`, from `1/n` to `n/n`".to_owned();
    let (index, count) = text.split_once('/').ok_or_else(wrong)?;
    let (index, count) = (index.parse().map_err(|_| wrong())?, count.parse().map_err(|_| wrong())?);
    if (1..=count).contains(&index) { Ok(Shard { index, count }) } else { Err(wrong()) }
}
