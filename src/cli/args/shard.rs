//! The part of some work that one process takes.

/// `i/n`: every n-th piece of the work, from the i-th on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// Which part this is, counted from 1.
    pub index: usize,
    /// How many parts there are.
    pub count: usize,
}

impl Shard {
    /// The only part of undivided work.
    pub const WHOLE: Shard = Shard { index: 1, count: 1 };

    /// The pieces of this part, in their order.
    pub fn pieces<T>(self, items: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
        items.into_iter().skip(self.index - 1).step_by(self.count)
    }
}

/// The index of a shard that a pod of an Indexed Job of Kubernetes has.
pub(crate) const OF_JOB: &str = "job";

/// The variable with that index, counted from 0.
const JOB_INDEX: &str = "JOB_COMPLETION_INDEX";

/// Reads a shard such as `2/4`, or `job/4` in a pod of Kubernetes. The error says in a sentence how one is
/// written.
pub(crate) fn parse_shard(text: &str) -> Result<Shard, String> {
    let invalid = || "a shard is `i/n`, from `1/n` to `n/n`".to_owned();
    let (index, count) = text.split_once('/').ok_or_else(invalid)?;
    let count = count.parse().map_err(|_| invalid())?;
    let index = match index {
        OF_JOB => 1 + job_index()?,
        index => index.parse().map_err(|_| invalid())?,
    };
    if (1..=count).contains(&index) { Ok(Shard { index, count }) } else { Err(invalid()) }
}

/// The index that Kubernetes gives this process, from 0.
fn job_index() -> Result<usize, String> {
    let value = std::env::var(JOB_INDEX).map_err(|_| {
        format!("`{OF_JOB}` is for pods of an Indexed Job of Kubernetes: there is no {JOB_INDEX}")
    })?;
    value.parse().map_err(|_| format!("{JOB_INDEX} is `{value}`, which is no index"))
}
