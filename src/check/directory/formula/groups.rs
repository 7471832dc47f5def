//! Next hops in dragonflies, from the global links between groups.

use super::next::Formula;

/// Groups of routers with global links. All routers of a group are connected.
pub(super) struct DragonflyFormula {
    size: u32,
    /// `[router][global port]`: the router at the far end.
    across: Vec<Vec<Option<u32>>>,
}

impl DragonflyFormula {
    /// # Errors
    /// Groups or links that do not fit the number of routers.
    pub(super) fn new(size: u32, across: Vec<Vec<Option<u32>>>, routers: u32) -> Result<Self, String> {
        if size == 0 || !routers.is_multiple_of(size) || across.len() as u64 != u64::from(routers) {
            return Err(format!(
                "`across`: {} lists of groups of {size} are not those of {routers} routers",
                across.len()
            ));
        }
        match across.iter().flatten().flatten().find(|&&far| far >= routers) {
            Some(far) => Err(format!("`across`: there is no router {far}")),
            None => Ok(Self { size, across }),
        }
    }
    /// The routers at the far ends of the global links of a router, in port order.
    fn global_neighbors(&self, router: u32) -> impl Iterator<Item = u32> {
        self.across[router as usize].iter().copied().flatten()
    }
    fn group(&self, router: u32) -> u32 {
        router / self.size
    }
}

impl Formula for DragonflyFormula {
    fn next_router(&self, from: u32, to: u32) -> Option<u32> {
        let [from_group, to_group] = [from, to].map(|router| self.group(router));
        if from_group == to_group || self.global_neighbors(from).any(|far| far == to) {
            return Some(to);
        }
        let direct = self.global_neighbors(from).find(|&far| self.group(far) == to_group);
        let beside = self.global_neighbors(to).find(|&far| self.group(far) == from_group);
        let through_third =
            self.global_neighbors(from).find(|&far| self.global_neighbors(far).any(|end| end == to));
        direct.or(beside).or(through_third).or_else(|| {
            let members = from_group * self.size..(from_group + 1) * self.size;
            let leads = |member: &u32| self.global_neighbors(*member).any(|far| self.group(far) == to_group);
            let leading: Vec<u32> = members.filter(leads).collect();
            let turn = (to - to_group * self.size) as usize;
            leading.get(turn.checked_rem(leading.len())?).copied()
        })
    }

    fn neighbors_by_port(&self, router: u32) -> Vec<Option<u32>> {
        let first = self.group(router) * self.size;
        let members = (first..first + self.size).filter(|&member| member != router).map(Some);
        members.chain(self.across[router as usize].iter().copied()).collect()
    }
}
