//! How much of the time a job has its pod, in closed form: cubes that are down are swapped for spare ones, a
//! dark switch is what the tables were prepared for.
//!
//! In: a pod in numbers, how often its parts fail, how long repairs and restarts take, what is done about
//! failures. Out: the share of the time in which the job runs at full speed, times how fast it runs under
//! dark switches. Parts fail alone and at any time; a part with rate r that is down for m is down for the
//! share r m / (1 + r m) of the time. Sums are exact up to the last digits of a float; nothing is drawn.
//! Cost: cubes and switches.

/// A pod in numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Plant {
    /// Cubes: those of the job, of other jobs, and spare ones.
    pub cubes: u32,
    /// Cubes that the job needs.
    pub job: u32,
    /// Cubes of other jobs, which take spare cubes as well.
    pub others: u32,
    /// Hosts of a cube.
    pub hosts: u32,
    /// Cables of a cube: those inside, and half of each that leaves it.
    pub cables: f64,
    /// Optical circuit switches.
    pub ocses: u32,
}

/// How often parts fail, and for how long; days.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Failures {
    /// Of a host, per day.
    pub host: f64,
    /// Of a cable, per day.
    pub cable: f64,
    /// Of a switch, per day.
    pub ocs: f64,
    /// Until a part is repaired.
    pub repair: f64,
    /// Until the job is where it was, after each failure.
    pub restart: f64,
}

/// What is done when parts fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cubes {
    /// The job waits for the repair of its own cubes. Its restarts, which are few then, are left out.
    Waiting,
    /// A cube that is down is swapped for a spare one.
    Swapped,
    /// The same, but a cube whose hosts are up stays: routes lead around its broken cables.
    RoutedAround,
}

/// The share of the time; `flow[j]` is what the job keeps of its throughput with j switches dark, and as many
/// as it has entries, but one, are tolerated.
pub fn availability(plant: &Plant, failures: &Failures, cubes: Cubes, flow: &[f64]) -> f64 {
    let Failures { host, cable, ocs, repair, restart } = *failures;
    let by_hosts = f64::from(plant.hosts) * host;
    let by_cables = plant.cables * cable;
    let down = |rate: f64| rate * repair / (1.0 + rate * repair);
    let (cube_down, ocs_down) = match cubes {
        Cubes::RoutedAround => (down(by_hosts), down(ocs)),
        Cubes::Waiting | Cubes::Swapped => (down(by_hosts + by_cables), down(ocs)),
    };
    let enough = match cubes {
        Cubes::Waiting => binomial(plant.job, cube_down)[0],
        Cubes::Swapped | Cubes::RoutedAround => served(plant, cube_down),
    };
    let dark = binomial(plant.ocses, ocs_down);
    let lit: f64 = dark.iter().zip(flow).map(|(chance, share)| chance * share).sum();
    let interrupted = f64::from(plant.job) * (by_hosts + by_cables) + f64::from(plant.ocses) * ocs;
    let running = if cubes == Cubes::Waiting { 1.0 } else { (1.0 - restart * interrupted).max(0.0) };
    enough * lit * running
}

/// How likely every cube of the job that is down has a spare one in its place. Of all that are down, those
/// that the spare cubes cannot serve are any, each as likely as the others.
fn served(plant: &Plant, cube_down: f64) -> f64 {
    let spare = plant.cubes.saturating_sub(plant.job + plant.others);
    if plant.others == 0 {
        return binomial(plant.cubes, cube_down)[..=spare as usize].iter().sum();
    }
    let [own, others, spares] = [plant.job, plant.others, spare].map(|count| binomial(count, cube_down));
    let mut sum = 0.0;
    for (down, chance) in own.iter().enumerate() {
        for (beside, chance_beside) in others.iter().enumerate() {
            for (dark, chance_dark) in spares.iter().enumerate() {
                let (up, all) = (spare as usize - dark, down + beside);
                // All of them are served, or so many that are drawn from them have all of the job's among
                // them.
                let drawn = (0..down)
                    .map(|k| (up as f64 - k as f64).max(0.0) / (all as f64 - k as f64))
                    .product::<f64>();
                sum += chance * chance_beside * chance_dark * if all <= up { 1.0 } else { drawn };
            }
        }
    }
    sum
}

/// `[k]`: how likely k of `count` are down, each with the same chance below 1.
fn binomial(count: u32, chance: f64) -> Vec<f64> {
    let mut found = vec![0.0; count as usize + 1];
    // From the likeliest number on to both sides, so that nothing is too small for a float but what counts
    // for nothing.
    let likeliest = ((f64::from(count) + 1.0) * chance).min(f64::from(count)) as usize;
    let odds = chance / (1.0 - chance);
    found[likeliest] = 1.0;
    for k in likeliest..count as usize {
        found[k + 1] = found[k] * odds * (f64::from(count) - k as f64) / (k as f64 + 1.0);
    }
    if odds > 0.0 {
        for k in (0..likeliest).rev() {
            found[k] = found[k + 1] * (k as f64 + 1.0) / (odds * (f64::from(count) - k as f64));
        }
    }
    let all: f64 = found.iter().sum();
    found.iter_mut().for_each(|chance| *chance /= all);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At least 130 of 144 cubes, as a public service level has it.
    #[test]
    fn tails_of_144() {
        for (chance, share) in [(0.934_686, 0.95), (0.9, 0.5259), (0.95, 0.9941)] {
            let found: f64 = binomial(144, 1.0 - chance)[..=14].iter().sum();
            assert!((found - share).abs() < 5e-5, "{chance}: {found}");
        }
    }

    #[test]
    fn chances_add_up_however_many_there_are() {
        for (count, chance) in [(0, 0.3), (1, 0.0), (7, 0.5), (65_536, 0.5), (65_536, 1e-9), (65_536, 0.999)]
        {
            let found = binomial(count, chance);
            let mean: f64 = found.iter().zip(0u32..).map(|(share, k)| share * f64::from(k)).sum();
            assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{count}, {chance}");
            assert!(
                (mean - f64::from(count) * chance).abs() <= 1e-9 * f64::from(count),
                "{count}, {chance}: {mean}"
            );
        }
        // Three coins.
        assert!(
            binomial(3, 0.5)
                .iter()
                .zip([0.125, 0.375, 0.375, 0.125])
                .all(|(found, known)| (found - known).abs() < 1e-15)
        );
    }

    /// 64 cubes of 16 hosts and 192 cables, 48 switches, a day to repair, 15 minutes to restart.
    #[test]
    fn sixty_four_cubes() {
        let failures =
            Failures { host: 0.0008, cable: 0.00005, ocs: 0.0004, repair: 1.0, restart: 15.0 / 1440.0 };
        for (job, known) in [
            (62, [0.8067, 0.8222, 0.8224, 0.9383, 0.2532]),
            (60, [0.9543, 0.9726, 0.9728, 0.9843, 0.2647]),
            (56, [0.9680, 0.9865, 0.9867, 0.9866, 0.2892]),
        ] {
            let plant = Plant { cubes: 64, job, others: 0, hosts: 16, cables: 192.0, ocses: 48 };
            let of = |cubes, dark: usize| availability(&plant, &failures, cubes, &vec![1.0; dark + 1]);
            let found = [
                of(Cubes::Swapped, 0),
                of(Cubes::Swapped, 1),
                of(Cubes::Swapped, 2),
                of(Cubes::RoutedAround, 1),
                of(Cubes::Waiting, 1),
            ];
            assert!(
                found.iter().zip(known).all(|(found, known)| (found - known).abs() < 5e-5),
                "{job}: {found:?}"
            );
        }
    }

    /// Two jobs of one cube and one spare cube, each down half of the time: every state by hand.
    #[test]
    fn jobs_share_spare_cubes() {
        let plant = Plant { cubes: 3, job: 1, others: 1, hosts: 1, cables: 0.0, ocses: 0 };
        // Up: 1/2. Down with a spare one that is up: alone 1/8, with the other job's 1/8, served in half of
        // it.
        assert!((served(&plant, 0.5) - (0.5 + 0.125 + 0.0625)).abs() < 1e-15);
        // Drawn from all states of three jobs of two cubes and two spare ones.
        let (plant, chance) = (Plant { cubes: 8, job: 2, others: 4, ..plant }, 0.3);
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
        assert!((served(&plant, chance) - sum).abs() < 1e-12);
        // Alone it is the binomial tail.
        let alone = Plant { cubes: 6, job: 4, others: 0, ..plant };
        let shared = Plant { cubes: 6, job: 3, others: 1, ..plant };
        assert!(served(&shared, 0.1) > served(&alone, 0.1));
    }

    #[test]
    fn slower_jobs_count_for_less() {
        let failures = Failures { host: 0.0, cable: 0.0, ocs: 0.1, repair: 1.0, restart: 0.0 };
        let plant = Plant { cubes: 4, job: 4, others: 0, hosts: 16, cables: 192.0, ocses: 1 };
        // Down for 1/11 of the time, at half the speed.
        let found = availability(&plant, &failures, Cubes::Swapped, &[1.0, 0.5]);
        assert!((found - 10.5 / 11.0).abs() < 1e-12, "{found}");
    }
}
