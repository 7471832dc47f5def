//! Communicator groups: named lists of ranks, from a JSON file or from the metadata of a trace.

use crate::errors::TraceError;
use crate::messages::Node;
use serde_json::Value;
use std::collections::BTreeMap;

/// The ranks of a group, ascending. `None`: all ranks.
pub(crate) type GroupRanks = Option<Vec<u32>>;

/// The groups of a trace, by name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Communicators {
    groups: BTreeMap<String, GroupRanks>,
}

impl Communicators {
    /// Reads a file of groups: `{"1":[0,1],"2":[2,3]}`. An empty list means all ranks.
    ///
    /// # Errors
    /// Text of another form, and a group that has a rank twice.
    pub(crate) fn from_file(text: &str) -> Result<Self, TraceError> {
        let lists: BTreeMap<String, Vec<u32>> = serde_json::from_str(text)
            .map_err(|reason| TraceError::GroupsFile { reason: reason.to_string() })?;
        let mut communicators = Self::default();
        for (name, ranks) in lists {
            communicators.add(name, ranks)?;
        }
        Ok(communicators)
    }

    /// Adds the process groups that a node of metadata lists. Nodes of other metadata have none.
    ///
    /// # Errors
    /// A list of another form, and a group that has a rank twice.
    pub(crate) fn add_node(&mut self, rank: u32, node: &Node) -> Result<(), TraceError> {
        let values = node.inputs.as_ref().map_or("", |inputs| &inputs.values);
        if !values.contains("pg_name") {
            return Ok(());
        }
        let problem = |reason: String| TraceError::GroupsNode { rank, node: node.id, reason };
        // Some writers put the list into the quotes of another list.
        let list = values.find("[{").zip(values.rfind("}]")).filter(|(start, end)| start < end);
        let (start, end) = list.ok_or_else(|| problem("`[{` or `}]` is missing".to_owned()))?;
        let list: Vec<Value> =
            serde_json::from_str(&values[start..end + 2]).map_err(|reason| problem(reason.to_string()))?;
        for group in list {
            let name = match &group["pg_name"] {
                Value::String(name) => name.clone(),
                Value::Number(number) => number.to_string(),
                _ => return Err(problem("a group has no `pg_name`".to_owned())),
            };
            let ranks: Vec<u32> = serde_json::from_value(group["ranks"].clone())
                .map_err(|reason| problem(format!("the ranks of `{name}`: {reason}")))?;
            self.add(name, ranks)?;
        }
        Ok(())
    }

    fn add(&mut self, group: String, mut ranks: Vec<u32>) -> Result<(), TraceError> {
        ranks.sort_unstable();
        if let Some(pair) = ranks.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(TraceError::RankTwice { group, rank: pair[0] });
        }
        self.groups.insert(group, Some(ranks).filter(|ranks| !ranks.is_empty()));
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The ranks of a group. Without a list, the names `` and `0` mean all ranks.
    pub(crate) fn ranks(&self, name: &str) -> Option<&GroupRanks> {
        const ALL: &GroupRanks = &None;
        self.groups.get(name).or_else(|| matches!(name, "" | "0").then_some(ALL))
    }

    /// The lists of ranks by name.
    pub(crate) fn lists(&self) -> impl Iterator<Item = (&str, &[u32])> {
        self.groups.iter().filter_map(|(name, ranks)| Some((name.as_str(), ranks.as_deref()?)))
    }

    /// The largest rank of all groups.
    pub(crate) fn last_rank(&self) -> Option<u32> {
        self.lists().filter_map(|(_, ranks)| ranks.last().copied()).max()
    }

    /// Checks that all groups are among so many ranks.
    ///
    /// # Errors
    /// The first group with another rank.
    pub(crate) fn check(&self, ranks: u32) -> Result<(), TraceError> {
        let beyond = |(name, list): (&str, &[u32])| {
            let rank = list.last().copied().filter(|last| *last >= ranks)?;
            Some(TraceError::GroupBeyond { group: name.to_owned(), rank, ranks })
        };
        self.lists().find_map(beyond).map_or(Ok(()), Err)
    }
}
