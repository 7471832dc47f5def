//! Whether it pays to set the switches anew between the phases of a step.
//!
//! Every stage of a step may have a topology of its own. Stages repeat step after step, so that they form a
//! circle, and the switches change wherever two neighbours of the circle differ. A plan saves time against
//! the best single topology. Time saved over changes is the break-even time: what a change may take.
//!
//! A job may say how long a change takes, and which phases may have a topology of their own. All others then
//! share one.

/// A topology for every stage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StagePlan {
    /// `[stage]`: the index of its topology.
    pub topologies: Vec<usize>,
    /// The changes of a step.
    pub changes: u64,
    /// The time of all stages, without that of the changes.
    pub time: u128,
}

/// A time over a number of changes.
#[derive(Clone, Copy)]
struct Ratio {
    time: u128,
    changes: u64,
}

/// What changes of a step may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangeRules {
    /// `[stage]`: whether it may have a topology of its own. All others have the same one.
    pub own: Vec<bool>,
    /// The time of a change, if it is known.
    pub switch: Option<u128>,
}

/// The plan to report under rules, against `best_single`, the time with a single topology. With a time of
/// changes it is the one that takes least with them, if that is less than `best_single`. Otherwise it is the
/// one whose changes may take longest. `times[topology][stage]` is `None` where a topology does not connect
/// what the stage joins. Returns `None` if no plan saves time.
pub fn best_plan_by_rules(
    times: &[Vec<Option<u128>>],
    best_single: u128,
    rules: &ChangeRules,
) -> Option<StagePlan> {
    // The topology that stages without one of their own share.
    let bases: Vec<Vec<Vec<Option<u128>>>> = match rules.own.iter().all(|own| *own) {
        true => vec![times.to_vec()],
        false => (0..times.len()).map(|base| with_base(times, &rules.own, base)).collect(),
    };
    let paying = rules.switch.and_then(|switch| {
        let total = |plan: &StagePlan| plan.time + switch * u128::from(plan.changes);
        let plans = bases.iter().filter_map(|times| cheapest(times, Ratio { time: switch, changes: 1 }));
        plans.min_by_key(|plan| (total(plan), plan.changes)).filter(|plan| total(plan) < best_single)
    });
    let longest = || {
        let plans = bases.iter().filter_map(|times| best_stage_plan(times, best_single));
        let saved = |plan: &StagePlan| best_single - plan.time;
        plans.reduce(|best, next| {
            let (first, second) =
                (saved(&best) * u128::from(next.changes), saved(&next) * u128::from(best.changes));
            if second > first { next } else { best }
        })
    };
    paying.or_else(longest)
}

/// The times in which stages without a topology of their own have `base`.
fn with_base(times: &[Vec<Option<u128>>], own: &[bool], base: usize) -> Vec<Vec<Option<u128>>> {
    let of_topology = |(topology, times): (usize, &Vec<Option<u128>>)| {
        let time = |(stage, time): (usize, &Option<u128>)| time.filter(|_| own[stage] || topology == base);
        times.iter().enumerate().map(time).collect()
    };
    times.iter().enumerate().map(of_topology).collect()
}

/// The plan whose changes may take longest: the most time saved per change, against `best_single`, the time
/// with a single topology. Of equal plans the one with the least time. `times[topology][stage]` is `None`
/// where a topology does not connect what the stage joins. Returns `None` if no plan saves time.
fn best_stage_plan(times: &[Vec<Option<u128>>], best_single: u128) -> Option<StagePlan> {
    // Dinkelbach: the plan that is best for a price per change has a higher ratio, until none has.
    let mut price = Ratio { time: 0, changes: 1 };
    let mut best: Option<StagePlan> = None;
    loop {
        let plan = cheapest(times, price)?;
        let saved = best_single.saturating_sub(plan.time);
        if plan.changes == 0 || saved * u128::from(price.changes) <= cost(price, &plan) {
            return best;
        }
        price = Ratio { time: saved, changes: plan.changes };
        best = Some(plan);
    }
}

/// The price of the changes of a plan, times the changes of the price.
fn cost(price: Ratio, plan: &StagePlan) -> u128 {
    price.time * u128::from(plan.changes)
}

/// The plan with the least time, where every change has a price. `None` if a stage has no topology.
fn cheapest(times: &[Vec<Option<u128>>], price: Ratio) -> Option<StagePlan> {
    let starts = 0..times.len();
    let plan = |start: usize| cheapest_from(times, price, start);
    let key = |plan: &StagePlan| {
        let weighted = plan.time * u128::from(price.changes) + cost(price, plan);
        (weighted, plan.changes, plan.topologies.clone())
    };
    starts.filter_map(plan).min_by_key(key)
}

/// The same among the plans whose first stage has the topology `start`.
fn cheapest_from(times: &[Vec<Option<u128>>], price: Ratio, start: usize) -> Option<StagePlan> {
    let stages = times[start].len();
    let one =
        |topology: usize, stage: usize| times[topology][stage].map(|time| time * u128::from(price.changes));
    let change = |from: usize, to: usize| if from == to { 0 } else { price.time };
    // `ends[topology]`: the cheapest way to a stage with that topology. `came[stage][topology]`: from where.
    let mut ends: Vec<Option<u128>> =
        (0..times.len()).map(|topology| if topology == start { one(start, 0) } else { None }).collect();
    let mut came: Vec<Vec<usize>> = Vec::new();
    for stage in 1..stages {
        let mut from = vec![start; times.len()];
        let next = |topology: usize| {
            let own = one(topology, stage)?;
            let ways = ends.iter().enumerate().filter_map(|(before, cost)| {
                Some((cost.as_ref()? + change(before, topology), before != topology, before))
            });
            let (cost, _, before) = ways.min()?;
            from[topology] = before;
            Some(cost + own)
        };
        ends = (0..times.len()).map(next).collect();
        came.push(from);
    }
    let closed = ends
        .iter()
        .enumerate()
        .filter_map(|(last, cost)| Some((cost.as_ref()? + change(last, start), last != start, last)));
    let (_, _, last) = closed.min()?;
    let mut topologies = vec![last];
    for from in came.iter().rev() {
        topologies.push(from[topologies[topologies.len() - 1]]);
    }
    topologies.reverse();
    let time = topologies
        .iter()
        .enumerate()
        .map(|(stage, &topology)| times[topology][stage])
        .sum::<Option<u128>>()?;
    Some(StagePlan { changes: changes(&topologies), topologies, time })
}

/// How often the topology changes around the circle of stages.
fn changes(topologies: &[usize]) -> u64 {
    let next = topologies.iter().cycle().skip(1);
    topologies.iter().zip(next).filter(|(first, second)| first != second).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The plan with the highest ratio, of all plans.
    fn by_trying(times: &[Vec<Option<u128>>], best_single: u128) -> Option<(u128, u128)> {
        let stages = times[0].len();
        let mut best: Option<(u128, u128)> = None;
        for code in 0..times.len().pow(stages as u32) {
            let plan: Vec<usize> =
                (0..stages).map(|stage| code / times.len().pow(stage as u32) % times.len()).collect();
            let time: Option<u128> =
                plan.iter().enumerate().map(|(stage, &topology)| times[topology][stage]).sum();
            let (Some(time), changes) = (time, u128::from(changes(&plan))) else { continue };
            let saved = best_single.saturating_sub(time);
            if changes > 0 && saved > 0 && best.is_none_or(|(most, over)| saved * over > most * changes) {
                best = Some((saved, changes));
            }
        }
        best
    }

    fn best_single(times: &[Vec<Option<u128>>]) -> u128 {
        times.iter().filter_map(|times| times.iter().copied().sum::<Option<u128>>()).min().unwrap_or(0)
    }

    #[test]
    fn two_stages_change_twice() {
        let times = [vec![Some(3310), Some(60)], vec![Some(3154), None], vec![Some(3225), Some(59)]];
        let plan = best_stage_plan(&times, 3284).expect("it saves time");
        assert_eq!(plan, StagePlan { topologies: vec![1, 2], changes: 2, time: 3213 });
    }

    #[test]
    fn a_topology_that_is_best_everywhere_is_kept() {
        let times = [vec![Some(1), Some(2)], vec![Some(2), Some(2)]];
        assert_eq!(best_stage_plan(&times, 3), None);
    }

    #[test]
    fn a_single_stage_never_changes() {
        assert_eq!(best_stage_plan(&[vec![Some(9)], vec![Some(8)]], 8), None);
    }

    /// A stream of numbers below a limit.
    fn numbers() -> impl FnMut(u64) -> u64 {
        let mut state = 7u64;
        move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        }
    }

    /// Times of up to four topologies and five stages, of which the first topology has all.
    fn random_times(next: &mut impl FnMut(u64) -> u64) -> Vec<Vec<Option<u128>>> {
        let (topologies, stages) = (1 + next(4) as usize, 1 + next(5) as usize);
        let mut times = Vec::new();
        for topology in 0..topologies {
            let time = |_| (topology == 0 || next(8) > 0).then(|| 1 + u128::from(next(30)));
            times.push((0..stages).map(time).collect());
        }
        times
    }

    #[test]
    fn no_plan_saves_more_per_change() {
        let mut next = numbers();
        for _ in 0..300 {
            let times = random_times(&mut next);
            let single = best_single(&times);
            let found =
                best_stage_plan(&times, single).map(|plan| (single - plan.time, u128::from(plan.changes)));
            match (found, by_trying(&times, single)) {
                (None, None) => {}
                (Some((saved, changes)), Some((most, over))) => assert_eq!(saved * over, most * changes),
                other => panic!("{other:?} for {times:?}"),
            }
        }
    }

    /// The least time of all plans by some rules, with that of their changes, and the highest ratio.
    fn by_rules(
        times: &[Vec<Option<u128>>],
        single: u128,
        rules: &ChangeRules,
    ) -> (u128, Option<(u128, u128)>) {
        let stages = times[0].len();
        let (mut least, mut best): (u128, Option<(u128, u128)>) = (single, None);
        for code in 0..times.len().pow(stages as u32) {
            let plan: Vec<usize> =
                (0..stages).map(|stage| code / times.len().pow(stage as u32) % times.len()).collect();
            let shared: Vec<usize> =
                (0..stages).filter(|&stage| !rules.own[stage]).map(|stage| plan[stage]).collect();
            let time: Option<u128> =
                plan.iter().enumerate().map(|(stage, &topology)| times[topology][stage]).sum();
            let Some(time) = time.filter(|_| shared.windows(2).all(|pair| pair[0] == pair[1])) else {
                continue;
            };
            let (saved, changes) = (single.saturating_sub(time), u128::from(changes(&plan)));
            least = least.min(time + changes * rules.switch.unwrap_or(0));
            if changes > 0 && saved > 0 && best.is_none_or(|(most, over)| saved * over > most * changes) {
                best = Some((saved, changes));
            }
        }
        (least, best)
    }

    #[test]
    fn rules_leave_the_best_of_all_plans_that_keep_them() {
        let mut next = numbers();
        let mut paying = 0;
        for _ in 0..500 {
            let times = random_times(&mut next);
            let own = times[0].iter().map(|_| next(3) > 0).collect();
            let rules = ChangeRules { own, switch: Some(1 + u128::from(next(12))) };
            let single = best_single(&times);
            let (least, ratio) = by_rules(&times, single, &rules);
            let plan = best_plan_by_rules(&times, single, &rules);
            assert_eq!(plan.is_some(), ratio.is_some(), "{times:?}");
            let (Some(plan), Some((most, over))) = (plan, ratio) else { continue };
            let total = plan.time + rules.switch.unwrap_or(0) * u128::from(plan.changes);
            if least < single {
                assert_eq!(total, least, "{plan:?} {rules:?} {times:?}");
                paying += 1;
            } else {
                assert_eq!(
                    (single - plan.time) * over,
                    most * u128::from(plan.changes),
                    "{plan:?} {times:?}"
                );
            }
        }
        assert!(paying > 50, "{paying}");
    }
}
