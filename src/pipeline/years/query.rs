//! What the years of a pod are asked for, before the pod is known.

use super::policy::PolicySettings;
use crate::refusal::Refusal;
use fabc_emit::number::grouped;
use fabc_emit::{DAY_MS, MONTH_MS, NightWindow, OperatePolicy, PartKind, PerPart, YearsRequest};
use fabc_model::Pod;

/// What the years of a pod are asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct YearsQuery {
    /// The time that is played, in months of a twelfth of a year.
    pub months: u32,
    /// Number of seeds of a policy.
    pub seeds: u32,
    /// Number of chips of a host.
    pub host_chips: u32,
    /// Failures of a part per day.
    pub per_day: PerPart<f64>,
    /// The time of a repair, in milliseconds.
    pub repair_ms: u64,
    /// The time that a slice loses with every failure, in milliseconds.
    pub restart_ms: u64,
    /// Parts on stock. `None`: as many as are needed.
    pub stock: PerPart<Option<u32>>,
    /// The time until an ordered part is delivered, in milliseconds.
    pub restock_ms: u64,
    /// The window of swaps at night.
    pub night: NightWindow,
    /// The policies. Without any, there is one with the values of the pod.
    pub policies: Vec<PolicySettings>,
}

/// The limits of a query.
pub struct YearsLimits;

impl YearsLimits {
    /// The most months: a hundred years.
    pub const MONTHS: u32 = 1200;
    /// The most seeds of a policy.
    pub const SEEDS: u32 = 256;
    /// The most failures of a part per day.
    pub const PER_DAY: f64 = 1000.0;
    /// The longest repair, restart or restocking, in milliseconds: ten years.
    pub const WAIT_MS: u64 = 120 * MONTH_MS;
    /// The most expected failures of all seeds together.
    pub const FAILURES: f64 = 2e7;
}

fn refused(problem: String, hint: &str) -> Refusal {
    Refusal::Years { problem, hint: hint.to_owned() }
}

impl YearsQuery {
    /// Checks the numbers that need no pod.
    ///
    /// # Errors
    /// [`Refusal::Years`] for a number out of range.
    pub(super) fn check_numbers(&self) -> Result<(), Refusal> {
        if !(1..=YearsLimits::MONTHS).contains(&self.months) {
            let problem = format!("{} years cannot be played", f64::from(self.months) / 12.0);
            return Err(refused(problem, "write whole months, from a month to `--years 100`"));
        }
        if !(1..=YearsLimits::SEEDS).contains(&self.seeds) {
            let problem = format!("{} seeds cannot be played", self.seeds);
            return Err(refused(problem, "write `--seeds 1` to `--seeds 256`"));
        }
        for kind in PartKind::ALL {
            let rate = *self.per_day.get(kind);
            if !(0.0..=YearsLimits::PER_DAY).contains(&rate) {
                let problem =
                    format!("a rate of {rate} failures a day of `{}` cannot be played", kind.word());
                return Err(refused(problem, "write a rate up to 1000/day"));
            }
        }
        let waits =
            [("--repair", self.repair_ms), ("--restart", self.restart_ms), ("--restock", self.restock_ms)];
        for (option, time) in waits {
            if time > YearsLimits::WAIT_MS {
                let problem = format!("`{option}` is longer than ten years");
                return Err(refused(problem, "write a shorter time, such as `24h`"));
            }
        }
        const DAY: u32 = 24 * 60;
        if self.night.from == self.night.to || self.night.from >= DAY || self.night.to > DAY {
            let problem = "the window of `--night` is empty or beyond a day".to_owned();
            return Err(refused(problem, "write two times of day, such as `--night 22:00..06:00`"));
        }
        Ok(())
    }

    /// The number of hosts of a cube, in a pod of so many slices.
    ///
    /// # Errors
    /// [`Refusal::Years`] for hosts that do not divide a cube, and for too many expected failures.
    pub(super) fn hosts_of_cube(&self, pod: &Pod, slices: usize) -> Result<u32, Refusal> {
        let chips = pod.chips_per_cube();
        if self.host_chips == 0 || !chips.is_multiple_of(self.host_chips) {
            let problem = format!("hosts of {} chips do not divide a cube of {chips} chips", self.host_chips);
            let hint = format!(
                "no host spans two cubes: write a divisor of {chips}, such as `--host-chips {}`",
                chips.min(4)
            );
            return Err(Refusal::Years { problem, hint });
        }
        let hosts = chips / self.host_chips;
        let cables = pod.cube.link_count() as f64
            + pod.ocses.iter().map(|ocs| ocs.a.len() + ocs.b.len()).sum::<usize>() as f64
                / f64::from(pod.cubes)
                / 2.0;
        let of_cube = f64::from(hosts) * self.per_day.host + cables * self.per_day.cable;
        // A dark switch is a failure of every slice.
        let per_day =
            f64::from(pod.cubes) * of_cube + pod.ocses.len() as f64 * self.per_day.ocs * slices as f64;
        let days = (u64::from(self.months) * MONTH_MS) as f64 / DAY_MS as f64;
        let expected = per_day * days * f64::from(self.seeds);
        if expected > YearsLimits::FAILURES {
            let problem = format!(
                "about {} failures are expected in all seeds, and at most {} can be played",
                grouped(expected as u64),
                grouped(YearsLimits::FAILURES as u64)
            );
            return Err(refused(problem, "play fewer years or seeds, or check the rates of `--fail`"));
        }
        Ok(hosts)
    }

    /// The request with the policies of a pod.
    pub(super) fn request(&self, policies: Vec<OperatePolicy>) -> YearsRequest {
        YearsRequest {
            months: self.months,
            seeds: self.seeds,
            host_chips: self.host_chips,
            per_day: self.per_day,
            repair_ms: self.repair_ms,
            restart_ms: self.restart_ms,
            stock: self.stock,
            restock_ms: self.restock_ms,
            night: self.night,
            policies,
        }
    }
}
