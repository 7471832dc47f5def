//! Statistics of simulated series: when a run is in its steady state, and how far a mean can be trusted.
//!
//! In: counts of intervals of one run, or results of independent runs. Out: the end of the warm-up, and half
//! the width of a confidence interval. Methods are those of Law and Kelton (Simulation Modeling and Analysis,
//! chapter 9) and of Pawlikowski (Steady-state simulation of queueing processes, 1990). All functions are in
//! plain floating point without parallel sums, so that every machine computes the same bits.

use std::f64::consts::PI;

/// The fewest groups from which a warm-up can be judged.
pub(super) const FEWEST_GROUPS: usize = 8;

/// The most groups of cycles of a warm-up.
pub(super) const MOST_GROUPS: u32 = 32;

/// The fewest batches that an interval is computed from.
const FEWEST_BATCHES: usize = 5;

/// Whether a series has reached its steady state, by MSER-5 (White, 1997).
///
/// `groups` are means over equal spans of the run, as those of five observations are in MSER-5. The rule cuts
/// off the beginning whose removal gives the rest the least standard error of its mean. The series has
/// settled if that beginning is at most a quarter of it.
pub(super) fn warmed_up(groups: &[f64]) -> bool {
    let count = groups.len();
    if count < FEWEST_GROUPS {
        return false;
    }
    let error = |cut: usize| {
        let (kept, rest) = (&groups[cut..], (count - cut) as f64);
        squares(kept) / (rest * rest)
    };
    // Half of the series must remain. Of equal errors, the shortest beginning counts.
    let best = (0..=count / 2)
        .map(|cut| (error(cut), cut))
        .reduce(|best, next| if next.0 < best.0 { next } else { best });
    best.is_some_and(|(_, cut)| cut <= count / 4)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The sum of the squares of the deviations from the mean.
fn squares(values: &[f64]) -> f64 {
    let middle = mean(values);
    values.iter().map(|value| (value - middle) * (value - middle)).sum()
}

/// Half the width of the confidence interval of the mean of independent values. `None` for fewer than two.
pub fn half_width(values: &[f64], confidence: f64) -> Option<f64> {
    let count = values.len();
    if count < 2 {
        return None;
    }
    let variance = squares(values) / (count - 1) as f64;
    Some(student_t(confidence, count as u32 - 1) * (variance / count as f64).sqrt())
}

/// The same for values that are each known only within a step. What lies within the step is taken as
/// uniform, which adds a twelfth of its square to the variance. So values that agree have an interval, too.
pub(super) fn half_width_of_steps(values: &[f64], step: f64, confidence: f64) -> Option<f64> {
    let half = half_width(values, confidence)?;
    let count = values.len();
    let of_step = student_t(confidence, count as u32 - 1) * step / (12.0 * count as f64).sqrt();
    Some((half * half + of_step * of_step).sqrt())
}

/// Half the width of the confidence interval of the mean of a series, from the means of its batches. While
/// neighboring batches are correlated, pairs of them become one batch, as long as five batches are left.
/// `None` for fewer than five batches.
pub(super) fn batch_half_width(batches: &[f64], confidence: f64) -> Option<f64> {
    let mut batches = batches.to_vec();
    while batches.len() >= 2 * FEWEST_BATCHES && correlated(&batches) {
        batches = batches.chunks_exact(2).map(mean).collect();
    }
    if batches.len() < FEWEST_BATCHES { None } else { half_width(&batches, confidence) }
}

/// Whether neighbors in a series are correlated: the autocorrelation at lag 1 is above what one in ten series
/// of independent values has by chance.
fn correlated(values: &[f64]) -> bool {
    const ONE_IN_TEN: f64 = 1.2816;
    let middle = mean(values);
    let product: f64 = values.windows(2).map(|pair| (pair[0] - middle) * (pair[1] - middle)).sum();
    product * (values.len() as f64).sqrt() > ONE_IN_TEN * squares(values)
}

/// The value that Student's t with so many degrees of freedom exceeds in absolute value with probability 1 -
/// `confidence`. It is found by bisection.
pub(super) fn student_t(confidence: f64, freedom: u32) -> f64 {
    let (mut low, mut high) = (0.0, 1e7);
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        if within(middle, freedom) < confidence { low = middle } else { high = middle }
    }
    high
}

/// The probability that Student's t is within `-t..t`: the finite sums of Abramowitz and Stegun, 26.7.3 and
/// 26.7.4.
fn within(t: f64, freedom: u32) -> f64 {
    let angle = libm::atan(t / f64::from(freedom).sqrt());
    let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
    let is_odd = freedom % 2 == 1;
    let (mut term, mut sum) = if is_odd { (cosine, 0.0) } else { (1.0, 1.0) };
    let first = if is_odd { 1 } else { 2 };
    for step in (first..freedom).step_by(2) {
        if is_odd {
            sum += term;
            term *= cosine * cosine * f64::from(step + 1) / f64::from(step + 2);
        } else {
            term *= cosine * cosine * f64::from(step - 1) / f64::from(step);
            sum += term;
        }
    }
    if is_odd { 2.0 / PI * (angle + sine * sum) } else { sine * sum }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabc_base::random::KeyedStream;

    /// Quantiles as printed tables have them, to four digits.
    #[test]
    fn students_t_is_that_of_the_tables() {
        for (confidence, freedom, wanted) in [
            (0.95, 1, 12.7062),
            (0.95, 2, 4.3027),
            (0.95, 3, 3.1824),
            (0.95, 4, 2.7764),
            (0.95, 9, 2.2622),
            (0.95, 19, 2.0930),
            (0.99, 2, 9.9248),
            (0.99, 5, 4.0321),
            (0.9, 10, 1.8125),
            (0.95, 1000, 1.9623),
        ] {
            let t = student_t(confidence, freedom);
            assert!((t - wanted).abs() < 1e-4, "{confidence} with {freedom}: {t}, wanted {wanted}");
        }
    }

    /// Sums of twelve uniform numbers, nearly normal with mean 0 and variance 1.
    fn normal(stream: KeyedStream, entity: u32, count: u32) -> f64 {
        let uniform = |k: u32| (stream.number(entity, 12 * count + k) >> 11) as f64 / (1u64 << 53) as f64;
        (0..12).map(uniform).sum::<f64>() - 6.0
    }

    /// The intervals of how many of 1000 series contain the mean, 0. `phi` is the correlation of neighbors.
    fn covered(phi: f64, length: u32, batches: usize) -> usize {
        let stream = KeyedStream::new(7, 1);
        let holds = |series: u32| {
            let mut value = normal(stream, series, 0) / (1.0 - phi * phi).sqrt();
            let values: Vec<f64> = (1..=length)
                .map(|k| {
                    value = phi * value + normal(stream, series, k);
                    value
                })
                .collect();
            let means: Vec<f64> = values.chunks_exact(length as usize / batches).map(mean).collect();
            mean(&means).abs() <= batch_half_width(&means, 0.95).expect("enough batches")
        };
        (0..1000).filter(|&series| holds(series)).count()
    }

    /// Autoregressive series (AR(1)). With 95 %, 950 of 1000 are expected. The standard deviation is 7.
    #[test]
    fn intervals_of_batches_contain_the_mean() {
        for (phi, length) in [(0.0, 400), (0.5, 400), (0.9, 2000), (0.95, 4000)] {
            let covered = covered(phi, length, 20);
            assert!((925..=975).contains(&covered), "phi {phi}: {covered} of 1000");
        }
        // The same without batches: neighbors hide how uncertain the mean is.
        let stream = KeyedStream::new(7, 1);
        let naive = (0..1000u32).filter(|&series| {
            let mut value = 0.0;
            let values: Vec<f64> = (1..=400)
                .map(|k| {
                    value = 0.9 * value + normal(stream, series, k);
                    value
                })
                .collect();
            mean(&values).abs() <= half_width(&values, 0.95).expect("values")
        });
        assert!(naive.count() < 500, "correlation makes no difference");
    }

    /// A series that rises to its level, and one that rises for ever.
    #[test]
    fn a_warm_up_ends_when_a_series_has_settled() {
        let stream = KeyedStream::new(3, 2);
        let rising = |groups: u32| -> Vec<f64> {
            (0..groups).map(|k| 100.0 * (1.0 - libm::exp(-f64::from(k))) + normal(stream, 0, k)).collect()
        };
        assert!(!warmed_up(&rising(7)), "too few groups");
        assert!(!warmed_up(&rising(12)), "half of it is still rising");
        assert!(warmed_up(&rising(40)));
        for groups in [8, 20, 80] {
            let growing: Vec<f64> = (0..groups).map(|k| 10.0 * f64::from(k) + normal(stream, 1, k)).collect();
            assert!(!warmed_up(&growing), "{groups} groups");
        }
        assert!(warmed_up(&[0.0; 8]), "nothing moves");
    }
}
