//! Levels of domains, which say which hosts are near each other.

use std::collections::BTreeMap;

/// A level of domains, which say which hosts are near each other.
pub(super) struct ClusterLevel {
    /// The kind of the domains: `cube`, `slice`, `router` or `tier 1`.
    pub(super) word: String,
    /// Whether the chips themselves forward packets in its domains, without switches.
    pub(super) is_direct: bool,
    /// `[host]`: its domain. `None` for a host that shares no domain with others.
    pub(super) domain_of: Vec<Option<String>>,
}

impl ClusterLevel {
    /// The domains in the order of their first hosts, each with its hosts.
    pub(super) fn domains(&self) -> Vec<(&str, Vec<usize>)> {
        let mut domains: Vec<(&str, Vec<usize>)> = Vec::new();
        let mut place_of: BTreeMap<&str, usize> = BTreeMap::new();
        for (host, domain) in self.domain_of.iter().enumerate() {
            let Some(domain) = domain else { continue };
            let place = *place_of.entry(domain).or_insert(domains.len());
            match domains.get_mut(place) {
                Some((_, hosts)) => hosts.push(host),
                None => domains.push((domain, vec![host])),
            }
        }
        domains
    }

    pub(super) fn has_single_hosts(&self) -> bool {
        self.domains().iter().all(|(_, hosts)| hosts.len() == 1)
    }
}
