//! Verifies a sample of a network that is too large to be wired against its formulas.
//!
//! Input: a network, the claims of the formulas, and a function for the neighbors of a router. Output: what
//! was verified. The rule of the family decides, in arithmetic of its own. Number, hosts and sum of links
//! are verified for all routers. For a seeded sample it is verified that links are those of the rule, in
//! both directions, and for some routers also that no other router is connected. Searches from a part of the
//! sample ask the rule about every link that they follow, so the distances from there are true. All work is
//! counted.

use super::families::rule_of;
use super::rule::FamilyRule;
use crate::CheckError;
use fabc_base::ids::NodeId;
use fabc_base::random::Stream;
use fabc_model::{ClosedForm, Farthest, Network, ReachedFrom};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// The random stream of the sample.
const SEED: u64 = 1;
/// Number of routers whose links are verified.
const ROUTERS: usize = 64;
/// Approximate number of pairs of a router and any other that are verified.
const PAIRS: u64 = 1 << 24;
/// Approximate number of links that all searches follow.
const LOOKS: u64 = 1 << 26;
/// Limits on the number of searches.
const SEARCHES: (u64, u64) = (2, 32);

/// Appends the neighbors of a router to a list, once per link. For simplex links these are the targets.
type NeighborList<'a> = dyn Fn(u32, &mut Vec<u32>) + Sync + 'a;

/// The sample that was verified.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sampled {
    /// The seed of the sample.
    pub seed: u64,
    /// Number of routers whose links were verified, in both directions.
    pub routers: u64,
    /// Number of these that were compared with all others.
    pub scanned: u64,
    /// Number of times that a link was read.
    pub looks: u64,
    /// Number of times that the rule was asked about two routers.
    pub rule_queries: u64,
    /// The breadth-first searches that were made.
    pub searches: Vec<Search>,
}

/// The result of a breadth-first search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Search {
    /// The router that the search started from.
    pub from: NodeId,
    /// Hops to the farthest router.
    pub hops: u32,
    /// `[h]`: other routers with hosts at distance h. Empty if the search started from a router without
    /// hosts.
    pub endpoints_at: Vec<u64>,
}

/// Counts of the work of a sample.
#[derive(Clone, Copy, Default)]
struct WorkCounts {
    looks: u64,
    rule_queries: u64,
}

impl WorkCounts {
    fn add(&mut self, other: WorkCounts) {
        self.looks += other.looks;
        self.rule_queries += other.rule_queries;
    }
}

/// Verifies a sample of a network.
///
/// # Errors
/// The first violation of the family's rule or of the formulas.
pub fn verify_sample(
    network: &Network,
    form: &ClosedForm,
    neighbors: &NeighborList<'_>,
) -> Result<Sampled, CheckError> {
    let violation = |text: String| CheckError::Wiring { violation: text, span: Some(network.span) };
    let rule = rule_of(&network.family)
        .ok_or_else(|| violation("a listed network has no rule for a sample".to_owned()))?;
    let sample = SampleCheck { rule: &*rule, neighbors, routers: rule.routers() as u32 };
    verify_sizes(&*rule, form).map_err(violation)?;
    let routers = pick_routers(sample.routers, form);
    let scans = (PAIRS / u64::from(sample.routers)).clamp(1, routers.len() as u64);
    let mut work = WorkCounts::default();
    let verified: Vec<Result<WorkCounts, String>> = routers
        .par_iter()
        .enumerate()
        .map(|(place, &router)| sample.verify_links(router, (place as u64) < scans))
        .collect();
    for verified in verified {
        work.add(verified.map_err(violation)?);
    }
    let (first_search, cost) = sample.search(routers[0]).map_err(violation)?;
    work.add(cost);
    let count = (LOOKS / cost.looks.max(1)).clamp(SEARCHES.0, SEARCHES.1).min(routers.len() as u64) as usize;
    let others: Vec<Result<(Search, WorkCounts), String>> =
        routers[1..count].par_iter().map(|&router| sample.search(router)).collect();
    let mut searches = vec![first_search];
    for other in others {
        let (search, cost) = other.map_err(violation)?;
        work.add(cost);
        searches.push(search);
    }
    searches.iter().try_for_each(|search| verify_distances(form, search))?;
    let WorkCounts { looks, rule_queries } = work;
    Ok(Sampled { seed: SEED, routers: routers.len() as u64, scanned: scans, looks, rule_queries, searches })
}

/// Verifies the numbers of routers, hosts and links, over all routers.
fn verify_sizes(rule: &(dyn FamilyRule + Sync), form: &ClosedForm) -> Result<(), String> {
    let routers = rule.routers() as u32;
    let degrees: Vec<u32> = (0..routers).into_par_iter().map(|router| rule.degree(router)).collect();
    let endpoints = (0..routers).filter(|&router| rule.has_hosts(router)).count() as u64;
    let link_ends: u64 = degrees.iter().map(|&degree| u64::from(degree)).sum();
    let extreme_degree = |most: bool| {
        degrees.iter().copied().reduce(if most { u32::max } else { u32::min }).map_or(0, u64::from)
    };
    let comparisons = [
        ("routers", form.routers, u64::from(routers)),
        ("routers with hosts", form.endpoints, endpoints),
        ("links", form.links, rule.links()),
        ("ends of links", if rule.simplex() { form.links } else { 2 * form.links }, link_ends),
        ("links of the router with fewest", u64::from(form.degrees[0]), extreme_degree(false)),
        ("links of the router with most", u64::from(form.degrees[1]), extreme_degree(true)),
    ];
    match comparisons.into_iter().find(|(_, claimed, counted)| claimed != counted) {
        Some((quantity, claimed, counted)) => {
            Err(format!("the formula says {claimed} {quantity}, but there are {counted}"))
        }
        None => Ok(()),
    }
}

/// The sample: routers that the formulas name, the first, the last, and random ones, each once.
fn pick_routers(routers: u32, form: &ClosedForm) -> Vec<u32> {
    let named_routers =
        [form.diameter, form.router_diameter].into_iter().filter_map(|farthest| match farthest.reached {
            ReachedFrom::From(router) => Some(router),
            _ => None,
        });
    let mut stream = Stream::new(SEED, 0);
    let random_routers = std::iter::repeat_with(|| stream.below(routers as usize) as u32);
    let mut chosen = BTreeSet::new();
    // The limit suffices even with many duplicates.
    let count = ROUTERS.min(routers as usize);
    named_routers
        .chain([0, routers - 1])
        .chain(random_routers)
        .take(100 * ROUTERS)
        .filter(|&router| chosen.insert(router))
        .take(count)
        .collect()
}

/// The network that is sampled.
struct SampleCheck<'a> {
    rule: &'a (dyn FamilyRule + Sync),
    neighbors: &'a NeighborList<'a>,
    routers: u32,
}

impl SampleCheck<'_> {
    /// Lists the neighbors of a router, ascending. Verifies their number and multiplicity. Adds to `work`.
    fn list_neighbors(
        &self,
        router: u32,
        neighbors: &mut Vec<u32>,
        work: &mut WorkCounts,
    ) -> Result<(), String> {
        neighbors.clear();
        (self.neighbors)(router, neighbors);
        neighbors.sort_unstable();
        work.looks += neighbors.len() as u64;
        let expected = self.rule.degree(router) as usize;
        if neighbors.len() != expected {
            return Err(format!(
                "router {router} has {} links, but {expected} must be there",
                neighbors.len()
            ));
        }
        for parallel in neighbors.chunk_by(|first, second| first == second) {
            work.rule_queries += 1;
            let copies = if parallel[0] < self.routers { self.copies(router, parallel[0]) } else { 0 };
            if copies != parallel.len() {
                return Err(format!(
                    "{} links lead from router {router} to {}, but {copies} must",
                    parallel.len(),
                    parallel[0]
                ));
            }
        }
        Ok(())
    }

    /// Number of links between two routers.
    fn copies(&self, from: u32, to: u32) -> usize {
        self.rule.joined(from, to).map_or(0, |(copies, _)| copies as usize)
    }

    /// Verifies that the links of a router are those of the rule, and lead back. With `scan`, no other
    /// router may be connected.
    fn verify_links(&self, router: u32, scan: bool) -> Result<WorkCounts, String> {
        let (mut work, mut neighbors, mut back) = (WorkCounts::default(), Vec::new(), Vec::new());
        self.list_neighbors(router, &mut neighbors, &mut work)?;
        for parallel in neighbors.chunk_by(|first, second| first == second).filter(|_| !self.rule.simplex()) {
            self.list_neighbors(parallel[0], &mut back, &mut work)?;
            let returning = back.iter().filter(|&&second| second == router).count();
            if returning != parallel.len() {
                return Err(format!(
                    "{} links lead from router {router} to {}, but {returning} back",
                    parallel.len(),
                    parallel[0]
                ));
            }
        }
        if scan {
            work.rule_queries += u64::from(self.routers) - 1;
            let joined: usize = (0..self.routers)
                .filter(|&second| second != router)
                .map(|second| self.copies(router, second))
                .sum();
            if joined != neighbors.len() {
                return Err(format!(
                    "router {router} has {} links, but is joined by {joined} to all others",
                    neighbors.len()
                ));
            }
        }
        Ok(work)
    }

    /// A breadth-first search over all routers.
    fn search(&self, from: u32) -> Result<(Search, WorkCounts), String> {
        let mut hops = vec![u32::MAX; self.routers as usize];
        hops[from as usize] = 0;
        let (mut queue, mut next) = (vec![from], 0);
        let (mut neighbors, mut work) = (Vec::new(), WorkCounts::default());
        while next < queue.len() && queue.len() < hops.len() {
            let router = queue[next];
            next += 1;
            self.list_neighbors(router, &mut neighbors, &mut work)?;
            for &other in &neighbors {
                if hops[other as usize] == u32::MAX {
                    hops[other as usize] = hops[router as usize] + 1;
                    queue.push(other);
                }
            }
        }
        if let Some(unreached) = hops.iter().position(|&hops| hops == u32::MAX) {
            return Err(format!("no path leads from router {from} to {unreached}"));
        }
        let farthest = queue.last().map_or(0, |&last| hops[last as usize]);
        let mut endpoints_at = Vec::new();
        if self.rule.has_hosts(from) {
            endpoints_at.resize(farthest as usize + 1, 0);
            (0..self.routers)
                .filter(|&to| to != from && self.rule.has_hosts(to))
                .for_each(|to| endpoints_at[hops[to as usize] as usize] += 1);
        }
        while endpoints_at.last() == Some(&0) {
            endpoints_at.pop();
        }
        Ok((Search { from: NodeId(from), hops: farthest, endpoints_at }, work))
    }
}

/// Verifies that the distances of a search are those of the formulas.
fn verify_distances(form: &ClosedForm, search: &Search) -> Result<(), CheckError> {
    let from = search.from.0;
    let reject = |quantity: &str, claimed: String, measured: String| {
        Err(CheckError::Distances { quantity: format!("{quantity} from router {from}"), claimed, measured })
    };
    let fits = |Farthest { hops, reached }: Farthest, measured_hops: u32| {
        let is_exact = reached == ReachedFrom::Everywhere || reached == ReachedFrom::From(from);
        if is_exact { measured_hops == hops } else { measured_hops <= hops }
    };
    let formula_text =
        |formula: Farthest| format!("{}{}", if formula.is_exact() { "" } else { "at most " }, formula.hops);
    if !fits(form.router_diameter, search.hops) {
        return reject(
            "the distance of the farthest router",
            formula_text(form.router_diameter),
            search.hops.to_string(),
        );
    }
    if search.endpoints_at.is_empty() {
        return Ok(());
    }
    let measured_hops = search.endpoints_at.len() as u32 - 1;
    if !fits(form.diameter, measured_hops) {
        return reject(
            "the distance of the farthest router with hosts",
            formula_text(form.diameter),
            measured_hops.to_string(),
        );
    }
    let Some(layers) = &form.layers else { return Ok(()) };
    let pair_count: u64 = layers.iter().sum();
    if pair_count != form.endpoints * (form.endpoints - 1) || layers.len() as u32 != form.diameter.hops + 1 {
        return reject(
            "the number of pairs",
            pair_count.to_string(),
            (form.endpoints * (form.endpoints - 1)).to_string(),
        );
    }
    let pairs_by_distance: Vec<u64> =
        search.endpoints_at.iter().map(|others| others * form.endpoints).collect();
    if form.alike && pairs_by_distance != *layers {
        return reject(
            "the number of pairs by distance",
            format!("{layers:?}"),
            format!("{pairs_by_distance:?}"),
        );
    }
    Ok(())
}
