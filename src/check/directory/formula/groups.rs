//! Dragonflies, by who is joined to whom between groups.

use super::next::Formula;

/// Groups of routers, every two joined, with global links.
pub(super) struct Groups {
    size: u32,
    /// `[router][global port]`.
    across: Vec<Vec<Option<u32>>>,
}

impl Groups {
    /// # Errors
    /// Links of no network.
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
    /// The routers at the far ends of the global links of one, by port.
    fn far(&self, router: u32) -> impl Iterator<Item = u32> {
        self.across[router as usize].iter().copied().flatten()
    }
    fn group(&self, router: u32) -> u32 {
        router / self.size
    }
}

impl Formula for Groups {
    fn next(&self, from: u32, to: u32) -> Option<u32> {
        let [here, there] = [from, to].map(|router| self.group(router));
        if here == there || self.far(from).any(|far| far == to) {
            return Some(to);
        }
        let over = self.far(from).find(|&far| self.group(far) == there);
        let beside = self.far(to).find(|&far| self.group(far) == here);
        let by_third = self.far(from).find(|&far| self.far(far).any(|end| end == to));
        over.or(beside).or(by_third).or_else(|| {
            let members = here * self.size..(here + 1) * self.size;
            let leads = |member: &u32| self.far(*member).any(|far| self.group(far) == there);
            let leading: Vec<u32> = members.filter(leads).collect();
            let turn = (to - there * self.size) as usize;
            leading.get(turn.checked_rem(leading.len())?).copied()
        })
    }

    fn by_port(&self, router: u32) -> Vec<Option<u32>> {
        let first = self.group(router) * self.size;
        let members = (first..first + self.size).filter(|&member| member != router).map(Some);
        members.chain(self.across[router as usize].iter().copied()).collect()
    }
}
