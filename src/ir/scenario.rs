//! Which OCSes are dark.

use super::CrossConnects;
use crate::ids::{IdVec, LinkId, OcsId};
use crate::model::Pod;

/// The healthy pod, or one tolerated fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scenario {
    /// `nominal`, `X[0,0]` or `X[0,0]+Y[1,2]`.
    pub name: String,
    /// Dark OCSes, ascending; empty when nominal.
    pub dark: Vec<OcsId>,
}

impl Scenario {
    /// The healthy pod.
    pub fn nominal() -> Self {
        Self { name: "nominal".to_owned(), dark: Vec::new() }
    }
    /// All sets of at most `budget.faulty_ocses` dark OCSes: nominal first, then by size, then by id.
    pub fn all(pod: &Pod) -> Vec<Self> {
        let mut all = vec![Self::nominal()];
        let mut previous: Vec<Vec<OcsId>> = vec![Vec::new()];
        for _ in 0..pod.budget.faulty_ocses {
            previous = previous
                .iter()
                .flat_map(|dark| {
                    pod.ocses.ids().filter(|id| dark.last().is_none_or(|last| last < id)).map(|id| {
                        let mut more = dark.clone();
                        more.push(id);
                        more
                    })
                })
                .collect();
            all.extend(previous.iter().map(|dark| Self {
                name: dark.iter().map(|&id| pod.ocses[id].name.as_str()).collect::<Vec<_>>().join("+"),
                dark: dark.clone(),
            }));
        }
        all
    }
    /// Whether this is the healthy pod.
    pub fn is_nominal(&self) -> bool {
        self.dark.is_empty()
    }
    /// The name as part of a file name: `X_0_0`, `X_0_0+Y_1_2`.
    pub fn file_stem(&self) -> String {
        file_stem(&self.name)
    }
    /// Which links are lit.
    pub fn alive(&self, cross_connects: &CrossConnects) -> IdVec<LinkId, bool> {
        cross_connects.ocs_of.iter().map(|ocs| ocs.is_none_or(|ocs| !self.dark.contains(&ocs))).collect()
    }
}

/// `X[0,0]` as part of a file name: `X_0_0`.
pub fn file_stem(ocs_name: &str) -> String {
    ocs_name.replace(['[', ','], "_").replace(']', "")
}
