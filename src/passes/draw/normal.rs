//! Normal random numbers from comparisons alone. No logarithm is taken, so the bits are the same on every
//! machine.
//!
//! Source: von Neumann 1951 (an event of probability exp(-z) from a falling run of uniform numbers); Karney
//! 2016 (normal numbers from such events).

use fabc_base::random::Stream;

/// A number of the normal distribution with mean 0 and deviation 1.
pub(super) fn standard_normal(stream: &mut Stream) -> f64 {
    loop {
        let mut integer = 0u32;
        while exp_event(0.5, stream) {
            integer += 1;
        }
        // After this many more events the probability exp(-integer / 2) has become exp(-integer^2 / 2).
        let further_events = integer * integer.saturating_sub(1);
        if !(0..further_events).all(|_| exp_event(0.5, stream)) {
            continue;
        }
        let part = uniform(stream);
        let exponent = part * (2.0 * f64::from(integer) + part) / 2.0;
        // The exponent is split into parts of at most 1.
        let parts = exponent.ceil().max(1.0);
        if (0..parts as u32).all(|_| exp_event(exponent / parts, stream)) {
            let sign = if stream.below(2) == 0 { 1.0 } else { -1.0 };
            return sign * (f64::from(integer) + part);
        }
    }
}

/// An event of probability exp(-`z`), for 0 <= z <= 1.
fn exp_event(z: f64, stream: &mut Stream) -> bool {
    let (mut lowest, mut run) = (z, 0u32);
    loop {
        let next = uniform(stream);
        if next >= lowest {
            return run.is_multiple_of(2);
        }
        lowest = next;
        run += 1;
    }
}

/// A uniform number in 0..1.
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
