//! The best mixture of rounds. Flows may be averaged, and the average with the lowest busiest channel
//! solves a small matrix game.
//!
//! Input: per round, the load of every channel class. Output: integer shares. One player mixes rounds, the
//! other picks channels. Both play regret matching+ with linear averaging, in a fixed order of plain f64
//! operations, so the result is the same everywhere. The result of the game competes with the plain mean of
//! the best window of rounds. Source: Tammelin 2014 (regret matching+).

/// The most multiplications of the game.
const WORK: usize = 400_000_000;
/// The most iterations of the game.
const ITERATIONS: usize = 4000;
/// Rounds that are this many times worse than the best single one stay out.
const HOPELESS: f64 = 1.5;
/// The most rounds whose mean may become the certificate.
const WINDOW: usize = 48;
/// Shares below this part are dropped, because each share costs a routing of all demand.
const LEAST_SHARE: f64 = 0.002;

/// The shares of the rounds, which add up to about `total`. At least one is positive.
pub(super) fn best_shares(loads: &[&[f64]], total: u64) -> Vec<u64> {
    let window = best_window(loads);
    let game = play_game(loads);
    let load = |shares: &[f64]| busiest(&combined_loads(loads, shares)) / shares.iter().sum::<f64>();
    let shares = if load(&game) < load(&window) { game } else { window };
    let sum: f64 = shares.iter().sum();
    shares.iter().map(|share| (share / sum * total as f64).round() as u64).collect()
}

/// The weighted sum of loads under given shares.
fn combined_loads(loads: &[&[f64]], shares: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; loads.first().map_or(0, |loads| loads.len())];
    for (loads, &share) in loads.iter().zip(shares).filter(|(_, share)| **share > 0.0) {
        sum.iter_mut().zip(*loads).for_each(|(sum, load)| *sum += share * load);
    }
    sum
}

/// Equal shares of the window of rounds with the lowest busiest channel.
fn best_window(loads: &[&[f64]]) -> Vec<f64> {
    let mut sum = vec![0.0; loads.first().map_or(0, |loads| loads.len())];
    let mut best = (f64::INFINITY, 0..0);
    for last in (0..loads.len()).rev() {
        sum.fill(0.0);
        for first in ((last + 1).saturating_sub(WINDOW)..=last).rev() {
            sum.iter_mut().zip(loads[first]).for_each(|(sum, load)| *sum += load);
            let load = busiest(&sum) / (last + 1 - first) as f64;
            if load < best.0 {
                best = (load, first..last + 1);
            }
        }
    }
    (0..loads.len()).map(|round| f64::from(u8::from(best.1.contains(&round)))).collect()
}

fn busiest(loads: &[f64]) -> f64 {
    loads.iter().copied().fold(0.0, f64::max)
}

/// Plays regret matching+ of the mixer against the channels. Returns the shares of the mixer.
fn play_game(loads: &[&[f64]]) -> Vec<f64> {
    let flattest = loads.iter().map(|loads| busiest(loads)).fold(f64::INFINITY, f64::min);
    let kept: Vec<usize> =
        (0..loads.len()).filter(|&round| busiest(loads[round]) <= HOPELESS * flattest).collect();
    let channels = loads[0].len();
    let iterations = (WORK / (kept.len() * channels).max(1)).min(ITERATIONS);
    let mut regret = vec![0.0; kept.len()];
    let mut shares = vec![1.0 / kept.len() as f64; kept.len()];
    let mut channel_regret = vec![0.0; channels];
    let mut total = vec![0.0; kept.len()];
    let mut sum = vec![0.0; channels];
    for iteration in 0..iterations {
        sum.fill(0.0);
        for (&round, &share) in kept.iter().zip(&shares).filter(|(_, share)| **share > 0.0) {
            sum.iter_mut().zip(loads[round]).for_each(|(sum, load)| *sum += share * load);
        }
        // The channels answer the shares just played (alternation), then the mixer answers them.
        let weights = {
            let positive: f64 = channel_regret.iter().sum();
            let value: f64 = if positive > 0.0 {
                channel_regret.iter().zip(&sum).map(|(r, s)| r * s).sum::<f64>() / positive
            } else {
                0.0
            };
            for (regret, &sum) in channel_regret.iter_mut().zip(&sum) {
                *regret = f64::max(*regret + sum - value, 0.0);
            }
            let positive: f64 = channel_regret.iter().sum();
            channel_regret.iter().map(|regret| regret / positive.max(f64::MIN_POSITIVE)).collect::<Vec<f64>>()
        };
        let cost = |round: usize| -> f64 {
            loads[round].iter().zip(&weights).map(|(load, weight)| load * weight).sum()
        };
        let costs: Vec<f64> = kept.iter().map(|&round| cost(round)).collect();
        let value: f64 = costs.iter().zip(&shares).map(|(cost, share)| cost * share).sum();
        for (regret, cost) in regret.iter_mut().zip(&costs) {
            *regret = f64::max(*regret + value - cost, 0.0);
        }
        let positive: f64 = regret.iter().sum();
        if positive > 0.0 {
            shares.iter_mut().zip(&regret).for_each(|(share, regret)| *share = regret / positive);
        }
        total.iter_mut().zip(&shares).for_each(|(total, share)| *total += (iteration + 1) as f64 * share);
    }
    let total_shares: f64 = total.iter().sum();
    let mut result = vec![0.0; loads.len()];
    for (&round, &share) in kept.iter().zip(&total) {
        if share >= LEAST_SHARE * total_shares {
            result[round] = share;
        }
    }
    if result.iter().all(|&share| share == 0.0) {
        result[kept[0]] = 1.0;
    }
    result
}
