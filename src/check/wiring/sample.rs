//! Whether a network that is too large to be wired is what formulas say of it, as far as a sample shows.
//!
//! In: a network, what formulas say, and who the neighbors of a router are. Out: what was looked at. The
//! predicate of the family decides, in arithmetic of its own. Of all routers: their number, hosts, the sum of
//! their links. Of a seeded sample: that its links are those of the predicate, both ways, and of some also
//! that no other router is joined. Searches from a part of the sample ask the predicate about every link that
//! they look at, so that the distances from there are true ones. All work is counted.

use super::network::rule_of;
use super::rule::Rule;
use crate::CheckError;
use fabc_base::ids::NodeId;
use fabc_base::random::Stream;
use fabc_model::{ClosedForm, Farthest, Network, Reached};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// The random stream of the sample.
const SEED: u64 = 1;
/// Routers whose links are looked at.
const ROUTERS: usize = 64;
/// Pairs of a router and any other that are looked at, about.
const PAIRS: u64 = 1 << 24;
/// Looks at a link by all searches, about.
const LOOKS: u64 = 1 << 26;
/// Searches at least, and at most.
const SEARCHES: (u64, u64) = (2, 32);

/// Adds the neighbors of a router to a list, each as often as it is joined; of simplex links, those that they
/// lead to.
type Neighbors<'a> = dyn Fn(u32, &mut Vec<u32>) + Sync + 'a;

/// What was looked at, and found to be as formulas say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sampled {
    /// The seed of the sample.
    pub seed: u64,
    /// Routers whose links were looked at, both ways.
    pub routers: u64,
    /// Of them, those that were asked about all others.
    pub scanned: u64,
    /// Times that a link was looked at.
    pub looks: u64,
    /// Times that the predicate was asked about two routers.
    pub asked: u64,
    /// Breadth-first searches.
    pub searches: Vec<Search>,
}

/// What a search found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Search {
    /// The router that it started from.
    pub from: NodeId,
    /// Hops to the farthest router.
    pub hops: u32,
    /// `[h]`: other routers with hosts at distance h; empty where it started from one without.
    pub endpoints_at: Vec<u64>,
}

/// What was counted.
#[derive(Clone, Copy, Default)]
struct Work {
    looks: u64,
    asked: u64,
}

impl Work {
    fn add(&mut self, other: Work) {
        self.looks += other.looks;
        self.asked += other.asked;
    }
}

/// Looks at a sample of a network.
///
/// # Errors
/// The first thing that is not as the predicate of the family, or the formulas, say.
pub fn sampled(
    network: &Network,
    form: &ClosedForm,
    neighbors: &Neighbors<'_>,
) -> Result<Sampled, CheckError> {
    let wrong = |what: String| CheckError::Wiring { what, span: Some(network.span) };
    let rule =
        rule_of(network).ok_or_else(|| wrong("a list has no rule to look at a sample by".to_owned()))?;
    let sample = Sample { rule: &*rule, neighbors, routers: rule.routers() as u32 };
    sizes(&*rule, form).map_err(wrong)?;
    let picked = picked(sample.routers, form);
    let scans = (PAIRS / u64::from(sample.routers)).clamp(1, picked.len() as u64);
    let mut work = Work::default();
    let looked: Vec<Result<Work, String>> = picked
        .par_iter()
        .enumerate()
        .map(|(place, &router)| sample.both_ways(router, (place as u64) < scans))
        .collect();
    for looked in looked {
        work.add(looked.map_err(wrong)?);
    }
    let (first, cost) = sample.search(picked[0]).map_err(wrong)?;
    work.add(cost);
    let count = (LOOKS / cost.looks.max(1)).clamp(SEARCHES.0, SEARCHES.1).min(picked.len() as u64) as usize;
    let others: Vec<Result<(Search, Work), String>> =
        picked[1..count].par_iter().map(|&router| sample.search(router)).collect();
    let mut searches = vec![first];
    for other in others {
        let (search, cost) = other.map_err(wrong)?;
        work.add(cost);
        searches.push(search);
    }
    searches.iter().try_for_each(|search| distances(form, search))?;
    let Work { looks, asked } = work;
    Ok(Sampled { seed: SEED, routers: picked.len() as u64, scanned: scans, looks, asked, searches })
}

/// Numbers of routers, hosts and links, of all routers.
fn sizes(rule: &(dyn Rule + Sync), form: &ClosedForm) -> Result<(), String> {
    let routers = rule.routers() as u32;
    let degrees: Vec<u32> = (0..routers).into_par_iter().map(|router| rule.degree(router)).collect();
    let endpoints = (0..routers).filter(|&router| rule.has_hosts(router)).count() as u64;
    let ends: u64 = degrees.iter().map(|&degree| u64::from(degree)).sum();
    let least_most = |most: bool| {
        degrees.iter().copied().reduce(if most { u32::max } else { u32::min }).map_or(0, u64::from)
    };
    let compared = [
        ("routers", form.routers, u64::from(routers)),
        ("routers with hosts", form.endpoints, endpoints),
        ("links", form.links, rule.links()),
        ("ends of links", if rule.simplex() { form.links } else { 2 * form.links }, ends),
        ("links of the router with fewest", u64::from(form.degrees[0]), least_most(false)),
        ("links of the router with most", u64::from(form.degrees[1]), least_most(true)),
    ];
    match compared.into_iter().find(|(_, said, has)| said != has) {
        Some((what, said, has)) => Err(format!("the formula says {said} {what}, but there are {has}")),
        None => Ok(()),
    }
}

/// The sample: routers that the formulas name, the first, the last, and others at random, each once.
fn picked(routers: u32, form: &ClosedForm) -> Vec<u32> {
    let named =
        [form.diameter, form.router_diameter].into_iter().filter_map(|farthest| match farthest.reached {
            Reached::From(router) => Some(router),
            _ => None,
        });
    let mut stream = Stream::new(SEED, 0);
    let drawn = std::iter::repeat_with(|| stream.below(routers as usize) as u32);
    let mut seen = BTreeSet::new();
    // More than enough, whatever is drawn twice.
    let enough = ROUTERS.min(routers as usize);
    named
        .chain([0, routers - 1])
        .chain(drawn)
        .take(100 * ROUTERS)
        .filter(|&router| seen.insert(router))
        .take(enough)
        .collect()
}

/// What is looked at.
struct Sample<'a> {
    rule: &'a (dyn Rule + Sync),
    neighbors: &'a Neighbors<'a>,
    routers: u32,
}

impl Sample<'_> {
    /// Lists the neighbors of a router, ascending: as many as it has links, each as often as the predicate
    /// says. What is counted is added to `work`.
    fn list(&self, router: u32, found: &mut Vec<u32>, work: &mut Work) -> Result<(), String> {
        found.clear();
        (self.neighbors)(router, found);
        found.sort_unstable();
        work.looks += found.len() as u64;
        let must = self.rule.degree(router) as usize;
        if found.len() != must {
            return Err(format!("router {router} has {} links, but {must} must be there", found.len()));
        }
        for same in found.chunk_by(|one, other| one == other) {
            work.asked += 1;
            let copies = if same[0] < self.routers { self.copies(router, same[0]) } else { 0 };
            if copies != same.len() {
                return Err(format!(
                    "{} links lead from router {router} to {}, but {copies} must",
                    same.len(),
                    same[0]
                ));
            }
        }
        Ok(())
    }

    /// How many links join two routers.
    fn copies(&self, from: u32, to: u32) -> usize {
        self.rule.joined(from, to).map_or(0, |(copies, _)| copies as usize)
    }

    /// The links of a router are those of the predicate, and lead back; with `scan`, no other is joined.
    fn both_ways(&self, router: u32, scan: bool) -> Result<Work, String> {
        let (mut work, mut own, mut back) = (Work::default(), Vec::new(), Vec::new());
        self.list(router, &mut own, &mut work)?;
        for same in own.chunk_by(|one, other| one == other).filter(|_| !self.rule.simplex()) {
            self.list(same[0], &mut back, &mut work)?;
            let returning = back.iter().filter(|&&other| other == router).count();
            if returning != same.len() {
                return Err(format!(
                    "{} links lead from router {router} to {}, but {returning} back",
                    same.len(),
                    same[0]
                ));
            }
        }
        if scan {
            work.asked += u64::from(self.routers) - 1;
            let joined: usize = (0..self.routers)
                .filter(|&other| other != router)
                .map(|other| self.copies(router, other))
                .sum();
            if joined != own.len() {
                return Err(format!(
                    "router {router} has {} links, but is joined by {joined} to all others",
                    own.len()
                ));
            }
        }
        Ok(work)
    }

    /// A breadth-first search that ends with the last router met.
    fn search(&self, from: u32) -> Result<(Search, Work), String> {
        let mut hops = vec![u32::MAX; self.routers as usize];
        hops[from as usize] = 0;
        let (mut queue, mut next) = (vec![from], 0);
        let (mut own, mut work) = (Vec::new(), Work::default());
        while next < queue.len() && queue.len() < hops.len() {
            let router = queue[next];
            next += 1;
            self.list(router, &mut own, &mut work)?;
            for &other in &own {
                if hops[other as usize] == u32::MAX {
                    hops[other as usize] = hops[router as usize] + 1;
                    queue.push(other);
                }
            }
        }
        if let Some(apart) = hops.iter().position(|&hops| hops == u32::MAX) {
            return Err(format!("there is no way from router {from} to {apart}"));
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

/// The distances of a search are those of the formulas.
fn distances(form: &ClosedForm, search: &Search) -> Result<(), CheckError> {
    let from = search.from.0;
    let wrong = |what: &str, claimed: String, measured: String| {
        Err(CheckError::Distances { what: format!("{what} from router {from}"), claimed, measured })
    };
    let fits = |Farthest { hops, reached }: Farthest, found: u32| {
        let must = reached == Reached::Everywhere || reached == Reached::From(from);
        if must { found == hops } else { found <= hops }
    };
    let farthest =
        |formula: Farthest| format!("{}{}", if formula.is_exact() { "" } else { "at most " }, formula.hops);
    if !fits(form.router_diameter, search.hops) {
        return wrong(
            "the distance of the farthest router",
            farthest(form.router_diameter),
            search.hops.to_string(),
        );
    }
    if search.endpoints_at.is_empty() {
        return Ok(());
    }
    let found = search.endpoints_at.len() as u32 - 1;
    if !fits(form.diameter, found) {
        return wrong(
            "the distance of the farthest router with hosts",
            farthest(form.diameter),
            found.to_string(),
        );
    }
    let Some(layers) = &form.layers else { return Ok(()) };
    let all: u64 = layers.iter().sum();
    if all != form.endpoints * (form.endpoints - 1) || layers.len() as u32 != form.diameter.hops + 1 {
        return wrong(
            "the number of pairs",
            all.to_string(),
            (form.endpoints * (form.endpoints - 1)).to_string(),
        );
    }
    let times: Vec<u64> = search.endpoints_at.iter().map(|others| others * form.endpoints).collect();
    if form.alike && times != *layers {
        return wrong("the number of pairs by distance", format!("{layers:?}"), format!("{times:?}"));
    }
    Ok(())
}
