//! Parts of a model that ranks cannot share evenly.

use super::training_job::TrainingJob;

/// Why a job cannot run, with the arithmetic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misfit {
    /// The setting that does not fit, such as `heads`. For an operation that is too large or too small, the
    /// name of its phase.
    pub setting: &'static str,
    /// What does not fit, as a sentence without its full stop.
    pub problem: String,
    /// The division that leaves a rest, or the product.
    pub arithmetic: String,
    /// What fits, as a sentence without its full stop.
    pub help: String,
}

/// A number that is divided by the product of others.
struct Division<'a> {
    setting: &'static str,
    parts: &'a str,
    number: u64,
    divisors: &'a [(&'a str, u64)],
    /// Whether the number itself is easily changed. Otherwise an axis is.
    is_free: bool,
}

impl Division<'_> {
    fn check(&self) -> Result<(), Misfit> {
        let divisor = self.divisors.iter().fold(1u64, |product, (_, size)| product.saturating_mul(*size));
        if self.number.is_multiple_of(divisor) {
            return Ok(());
        }
        let (number, parts) = (self.number, self.parts);
        let used: Vec<&(&str, u64)> = self.divisors.iter().filter(|(_, size)| *size > 1).collect();
        let names: Vec<&str> = used.iter().map(|(name, _)| *name).collect();
        let sizes: Vec<String> = used.iter().map(|(_, size)| size.to_string()).collect();
        let product = if sizes.len() > 1 {
            format!("{} = {} = {divisor}", names.join(" x "), sizes.join(" x "))
        } else {
            format!("{} = {divisor}", names.join(" x "))
        };
        let help = if self.is_free {
            let below = number / divisor * divisor;
            let above = below.saturating_add(divisor);
            match below {
                0 => format!("`{} = {above}` fits", self.setting),
                _ => format!("`{} = {below}` or `{above}` fits", self.setting),
            }
        } else {
            let fitting: Vec<String> = near_divisors(number, divisor).iter().map(u64::to_string).collect();
            match sizes.len() {
                1 => format!("`{} = {}` fits", names[0], fitting.join("` or `")),
                _ => format!("a product of {} fits", fitting.join(" or ")),
            }
        };
        Err(Misfit {
            setting: self.setting,
            problem: format!("{number} {parts} do not divide over {product}"),
            arithmetic: format!("{number} over {divisor} leaves {}", number % divisor),
            help,
        })
    }
}

/// The largest divisor of a number below `size` and the smallest one above it.
fn near_divisors(number: u64, size: u64) -> Vec<u64> {
    let below = (1..size.min(number)).rev().find(|divisor| number.is_multiple_of(*divisor));
    let above = (size + 1..=number).find(|divisor| number.is_multiple_of(*divisor));
    below.into_iter().chain(above).collect()
}

impl TrainingJob {
    /// Checks that ranks share all parts evenly.
    ///
    /// # Errors
    /// The first part that they do not.
    pub(crate) fn check(&self) -> Result<(), Misfit> {
        let sizes = &self.sizes;
        let [tensor, context, expert, data, pipeline] =
            [sizes.tensor, sizes.context, sizes.expert, sizes.data, sizes.pipeline].map(u64::from);
        let model = &self.model;
        let divide = |setting, parts, number, divisors: &[(&str, u64)], is_free| {
            Division { setting, parts, number, divisors, is_free }.check()
        };
        divide("heads", "heads", model.heads, &[("tensor", tensor)], false)?;
        let stages = [("pipeline", pipeline), ("virtual", u64::from(self.settings.virtual_stages))];
        divide("layers", "layers", model.layers, &stages, false)?;
        if let Some(experts) = &model.experts {
            divide("experts", "experts", experts.count, &[("expert", expert)], false)?;
        }
        let shares = [("data", data), ("expert", expert), ("micro", self.batch.micro)];
        divide("sequences", "sequences", self.batch.sequences, &shares, true)?;
        let split = if self.settings.sequence_parallel { tensor } else { 1 };
        let pieces = [("context", context), ("tensor", split)];
        divide("length", "tokens of a sequence", self.batch.length, &pieces, true)
    }

    /// Micro-batches of a rank in a step.
    pub(crate) fn micro_batches(&self) -> u64 {
        let replicas = u64::from(self.sizes.data) * u64::from(self.sizes.expert);
        self.batch.sequences / (replicas * self.batch.micro).max(1)
    }
}
