//! Availability of a job in closed form, when spare cubes replace failed cubes and the tables cover dark
//! switches.
//!
//! Input: the counts of a pod, failure rates, repair and restart times, and the response to failures. Output:
//! the fraction of the time in which the job runs, weighted by its throughput under dark switches. Parts fail
//! independently. A part with failure rate r and repair time m is down for the fraction r m / (1 + r m) of
//! the time. Sums are exact up to float rounding, without sampling. The cost grows with the numbers of cubes
//! and switches.

/// The counts of a pod that availability depends on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PodCounts {
    /// All cubes: those of the job, of other jobs, and spare ones.
    pub cubes: u32,
    /// Cubes that the job needs.
    pub job: u32,
    /// Cubes of other jobs, which also take spare cubes.
    pub others: u32,
    /// Number of hosts of a cube.
    pub hosts: u32,
    /// Cables of a cube: those inside, and half of each that leaves it.
    pub cables: f64,
    /// Number of optical circuit switches.
    pub ocses: u32,
}

/// Failure rates per day, and durations in days.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FailureRates {
    /// Failures of a host per day.
    pub host: f64,
    /// Failures of a cable per day.
    pub cable: f64,
    /// Failures of a switch per day.
    pub ocs: f64,
    /// Days until a part is repaired.
    pub repair: f64,
    /// Days until the job has regained its progress, after each failure.
    pub restart: f64,
}

/// The response to a failed cube.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FailureResponse {
    /// The job waits for the repair of its own cubes. Its restarts are rare then and not counted.
    Waiting,
    /// A spare cube replaces a cube that is down.
    Swapped,
    /// As `Swapped`, but a cube whose hosts are up stays. Routes avoid its broken cables.
    RoutedAround,
}

/// The availability of the job, from 0 to 1. `flow[j]` is the fraction of its throughput that remains with j
/// switches dark. The job tolerates `flow.len() - 1` dark switches.
pub fn availability(plant: &PodCounts, failures: &FailureRates, cubes: FailureResponse, flow: &[f64]) -> f64 {
    let FailureRates { host, cable, ocs, repair, restart } = *failures;
    let by_hosts = f64::from(plant.hosts) * host;
    let by_cables = plant.cables * cable;
    let down = |rate: f64| rate * repair / (1.0 + rate * repair);
    let cube = match cubes {
        FailureResponse::RoutedAround => down(by_hosts),
        FailureResponse::Waiting | FailureResponse::Swapped => down(by_hosts + by_cables),
    };
    let interrupted = f64::from(plant.job) * (by_hosts + by_cables) + f64::from(plant.ocses) * ocs;
    let running =
        if cubes == FailureResponse::Waiting { 1.0 } else { (1.0 - restart * interrupted).max(0.0) };
    served_throughput(plant, DownShares { cube, ocs: down(ocs) }, cubes, flow) * running
}

/// The fraction of the time in which a part is down.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DownShares {
    /// Of a cube, for whatever takes it out of service.
    pub cube: f64,
    /// Of a switch, whatever it joins.
    pub ocs: f64,
}

/// The fraction of the time in which the job has its cubes, weighted by its throughput under dark switches.
/// Restarts are left out. `flow` is as for [`availability`].
pub fn served_throughput(plant: &PodCounts, down: DownShares, cubes: FailureResponse, flow: &[f64]) -> f64 {
    let cubes_served = match cubes {
        FailureResponse::Waiting => binomial_distribution(plant.job, down.cube)[0],
        FailureResponse::Swapped | FailureResponse::RoutedAround => served_probability(plant, down.cube),
    };
    let dark = binomial_distribution(plant.ocses, down.ocs);
    let throughput: f64 = dark.iter().zip(flow).map(|(chance, share)| chance * share).sum();
    cubes_served * throughput
}

/// Probability that every failed cube of the job has a spare in its place. If the spares are too few for all
/// failed cubes, those without a spare are a uniform random choice.
fn served_probability(plant: &PodCounts, cube_down: f64) -> f64 {
    let spare = plant.cubes.saturating_sub(plant.job + plant.others);
    if plant.others == 0 {
        return binomial_distribution(plant.cubes, cube_down)[..=spare as usize].iter().sum();
    }
    let [job, others, spares] =
        [plant.job, plant.others, spare].map(|count| binomial_distribution(count, cube_down));
    let mut sum = 0.0;
    for (down, chance) in job.iter().enumerate() {
        for (beside, chance_beside) in others.iter().enumerate() {
            for (dark, chance_dark) in spares.iter().enumerate() {
                let (spares_up, failed) = (spare as usize - dark, down + beside);
                // Either all failed cubes are served, or all of the job's are among those drawn at random.
                let all_drawn = (0..down)
                    .map(|k| (spares_up as f64 - k as f64).max(0.0) / (failed as f64 - k as f64))
                    .product::<f64>();
                sum +=
                    chance * chance_beside * chance_dark * if failed <= spares_up { 1.0 } else { all_drawn };
            }
        }
    }
    sum
}

/// `[k]`: probability that k of `count` are down, each with the same probability below 1.
fn binomial_distribution(count: u32, chance: f64) -> Vec<f64> {
    let mut distribution = vec![0.0; count as usize + 1];
    // Start at the likeliest number and go both ways. Then only negligible values are too small for a float.
    let likeliest = ((f64::from(count) + 1.0) * chance).min(f64::from(count)) as usize;
    let odds = chance / (1.0 - chance);
    distribution[likeliest] = 1.0;
    for k in likeliest..count as usize {
        distribution[k + 1] = distribution[k] * odds * (f64::from(count) - k as f64) / (k as f64 + 1.0);
    }
    if odds > 0.0 {
        for k in (0..likeliest).rev() {
            distribution[k] = distribution[k + 1] * (k as f64 + 1.0) / (odds * (f64::from(count) - k as f64));
        }
    }
    let total: f64 = distribution.iter().sum();
    distribution.iter_mut().for_each(|chance| *chance /= total);
    distribution
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At least 130 of 144 cubes, as in a public service level.
    #[test]
    fn tails_of_144() {
        for (chance, share) in [(0.934_686, 0.95), (0.9, 0.5259), (0.95, 0.9941)] {
            let tail: f64 = binomial_distribution(144, 1.0 - chance)[..=14].iter().sum();
            assert!((tail - share).abs() < 5e-5, "{chance}: {tail}");
        }
    }

    #[test]
    fn chances_add_up_however_many_there_are() {
        for (count, chance) in [(0, 0.3), (1, 0.0), (7, 0.5), (65_536, 0.5), (65_536, 1e-9), (65_536, 0.999)]
        {
            let distribution = binomial_distribution(count, chance);
            let mean: f64 = distribution.iter().zip(0u32..).map(|(share, k)| share * f64::from(k)).sum();
            assert!((distribution.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{count}, {chance}");
            assert!(
                (mean - f64::from(count) * chance).abs() <= 1e-9 * f64::from(count),
                "{count}, {chance}: {mean}"
            );
        }
        // Three coins.
        assert!(
            binomial_distribution(3, 0.5)
                .iter()
                .zip([0.125, 0.375, 0.375, 0.125])
                .all(|(computed, known)| (computed - known).abs() < 1e-15)
        );
    }

    /// 64 cubes of 16 hosts and 192 cables, 48 switches, a day to repair, 15 minutes to restart.
    #[test]
    fn sixty_four_cubes() {
        let failures =
            FailureRates { host: 0.0008, cable: 0.00005, ocs: 0.0004, repair: 1.0, restart: 15.0 / 1440.0 };
        for (job, known) in [
            (62, [0.8067, 0.8222, 0.8224, 0.9383, 0.2532]),
            (60, [0.9543, 0.9726, 0.9728, 0.9843, 0.2647]),
            (56, [0.9680, 0.9865, 0.9867, 0.9866, 0.2892]),
        ] {
            let plant = PodCounts { cubes: 64, job, others: 0, hosts: 16, cables: 192.0, ocses: 48 };
            let value = |cubes, dark: usize| availability(&plant, &failures, cubes, &vec![1.0; dark + 1]);
            let values = [
                value(FailureResponse::Swapped, 0),
                value(FailureResponse::Swapped, 1),
                value(FailureResponse::Swapped, 2),
                value(FailureResponse::RoutedAround, 1),
                value(FailureResponse::Waiting, 1),
            ];
            assert!(
                values.iter().zip(known).all(|(values, known)| (values - known).abs() < 5e-5),
                "{job}: {values:?}"
            );
        }
    }

    /// Two jobs of one cube and one spare cube, each down half of the time: every state by hand.
    #[test]
    fn jobs_share_spare_cubes() {
        let plant = PodCounts { cubes: 3, job: 1, others: 1, hosts: 1, cables: 0.0, ocses: 0 };
        // Up: 1/2. Down with a spare one that is up: alone 1/8, with the other job's 1/8, served in half of
        // it.
        assert!((served_probability(&plant, 0.5) - (0.5 + 0.125 + 0.0625)).abs() < 1e-15);
        // Drawn from all states of three jobs of two cubes and two spare ones.
        let (plant, chance) = (PodCounts { cubes: 8, job: 2, others: 4, ..plant }, 0.3);
        let mut sum = 0.0;
        for state in 0u32..256 {
            let weight: f64 =
                (0..8).map(|cube| if state >> cube & 1 == 1 { chance } else { 1.0 - chance }).product();
            let (own, all, up) =
                ((state & 3).count_ones(), (state & 63).count_ones(), 2 - (state >> 6).count_ones());
            let choose =
                |n: u32, k: u32| (0..k).map(|i| f64::from(n - i) / f64::from(i + 1)).product::<f64>();
            sum += weight
                * match own {
                    _ if all <= up || own == 0 => 1.0,
                    _ if own <= up => choose(all - own, up - own) / choose(all, up),
                    _ => 0.0,
                };
        }
        assert!((served_probability(&plant, chance) - sum).abs() < 1e-12);
        // Alone it is the binomial tail.
        let alone = PodCounts { cubes: 6, job: 4, others: 0, ..plant };
        let shared = PodCounts { cubes: 6, job: 3, others: 1, ..plant };
        assert!(served_probability(&shared, 0.1) > served_probability(&alone, 0.1));
    }

    #[test]
    fn slower_jobs_count_for_less() {
        let failures = FailureRates { host: 0.0, cable: 0.0, ocs: 0.1, repair: 1.0, restart: 0.0 };
        let plant = PodCounts { cubes: 4, job: 4, others: 0, hosts: 16, cables: 192.0, ocses: 1 };
        // Down for 1/11 of the time, at half the speed.
        let value = availability(&plant, &failures, FailureResponse::Swapped, &[1.0, 0.5]);
        assert!((value - 10.5 / 11.0).abs() < 1e-12, "{value}");
    }
}
