//! Normal numbers from comparisons alone: the same bits on every machine, as no logarithm is taken.
//!
//! Source: von Neumann 1951 (an event of probability exp(-z) from a falling run of uniform numbers); Karney
//! 2016 (normal numbers from such events).

use fabc_base::random::Stream;

/// A number of the normal distribution of mean 0 and deviation 1.
pub(super) fn standard_normal(stream: &mut Stream) -> f64 {
    loop {
        let mut whole = 0u32;
        while happens(0.5, stream) {
            whole += 1;
        }
        // exp(-whole / 2) has become exp(-whole^2 / 2) after this many more.
        let more = whole * whole.saturating_sub(1);
        if !(0..more).all(|_| happens(0.5, stream)) {
            continue;
        }
        let part = uniform(stream);
        let exponent = part * (2.0 * f64::from(whole) + part) / 2.0;
        // Of numbers up to 1 each.
        let times = exponent.ceil().max(1.0);
        if (0..times as u32).all(|_| happens(exponent / times, stream)) {
            let sign = if stream.below(2) == 0 { 1.0 } else { -1.0 };
            return sign * (f64::from(whole) + part);
        }
    }
}

/// An event of probability exp(-`z`), 0 <= z <= 1.
fn happens(z: f64, stream: &mut Stream) -> bool {
    let (mut least, mut run) = (z, 0u32);
    loop {
        let next = uniform(stream);
        if next >= least {
            return run.is_multiple_of(2);
        }
        least = next;
        run += 1;
    }
}

/// A number in 0..1.
fn uniform(stream: &mut Stream) -> f64 {
    const STEPS: u64 = 1 << 53;
    stream.below_u64(STEPS) as f64 / STEPS as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_normal() {
        let mut stream = Stream::new(1, 0);
        let numbers: Vec<f64> = (0..40_000).map(|_| standard_normal(&mut stream)).collect();
        let share = |within: f64| {
            numbers.iter().filter(|number| number.abs() < within).count() as f64 / numbers.len() as f64
        };
        let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
        let square = numbers.iter().map(|number| number * number).sum::<f64>() / numbers.len() as f64;
        assert!(mean.abs() < 0.02 && (square - 1.0).abs() < 0.03, "{mean} {square}");
        // The error function at 1/2, 1, 2 and 3 deviations.
        for (within, expected) in [(0.5, 0.3829), (1.0, 0.6827), (2.0, 0.9545), (3.0, 0.9973)] {
            assert!((share(within) - expected).abs() < 0.01, "{within}: {}", share(within));
        }
    }
}
