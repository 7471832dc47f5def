//! The runs of a scenario by rate: what they measured, over all seeds, for charts and their tables.

use super::super::number::{three_digits, two_digits};
use super::super::svg::CurveSpan;
use fabc_ir::Fraction;
use fabc_sim::{Point, Rate, SimReport};

/// A measured value and its confidence interval.
#[derive(Clone, Copy)]
pub(super) struct MeasuredValue {
    pub(super) mean: f64,
    /// Both ends, over all seeds. `None` where a run has no interval.
    pub(super) interval: Option<(f64, f64)>,
}

impl MeasuredValue {
    /// The value over those of all seeds: their mean, and the ends of all intervals. `None` without values.
    fn over_seeds(values: &[(f64, Option<f64>)]) -> Option<Self> {
        let mean = values.iter().map(|(value, _)| value).sum::<f64>() / values.len() as f64;
        let ends = |sign: f64| {
            values.iter().map(|(value, width)| Some(value + sign * (*width)?)).collect::<Option<Vec<f64>>>()
        };
        let interval = ends(-1.0)
            .zip(ends(1.0))
            .map(|(low, high)| (low.into_iter().fold(mean, f64::min), high.into_iter().fold(mean, f64::max)));
        (!values.is_empty()).then_some(Self { mean, interval })
    }

    /// The interval as an upright bar of a chart. `scale` converts values to those of the chart.
    pub(super) fn bar(&self, percent: f64, scale: f64) -> Option<CurveSpan> {
        self.interval.map(|(low, high)| CurveSpan { percent, low: low * scale, high: high * scale })
    }

    /// For people: three significant digits, and half of the interval where there is one.
    pub(super) fn text(&self) -> String {
        let width = self.interval.map(|(low, high)| format!(" \u{b1} {}", two_digits((high - low) / 2.0)));
        format!("{}{}", three_digits(self.mean), width.unwrap_or_default())
    }

    /// With more digits, for readers who point at it.
    pub(super) fn exact(&self) -> String {
        match self.interval {
            Some((low, high)) => format!("{:.4}, interval {low:.4} to {high:.4}", self.mean),
            None => format!("{:.4}, without an interval", self.mean),
        }
    }
}

/// What all seeds measured at one rate.
pub(super) struct RateFigures {
    pub(super) rate: Rate,
    /// Mean latency of packets, cycles. `None` if none arrived.
    pub(super) latency: Option<MeasuredValue>,
    /// Accepted traffic, flits per cycle and sending endpoint.
    pub(super) accepted: MeasuredValue,
    /// Whether the rate is stable with every seed.
    pub(super) is_stable: bool,
}

/// The figures of every rate of a scenario, ascending.
pub(super) fn by_rate(report: &SimReport) -> Vec<RateFigures> {
    let (setting, senders) = (&report.setting, report.load.senders);
    let figures = |points: &[Point]| {
        let widths: Vec<_> = points.iter().map(|point| point.half_widths(setting, senders)).collect();
        let latency = |(point, widths): (&Point, &Option<fabc_sim::HalfWidths>)| {
            Some((point.delays?.mean().as_f64(), widths.map(|widths| widths.mean)))
        };
        let accepted = |(point, widths): (&Point, &Option<fabc_sim::HalfWidths>)| {
            (point.accepted(setting, senders).as_f64(), widths.map(|widths| widths.accepted))
        };
        let latencies: Option<Vec<(f64, Option<f64>)>> = points.iter().zip(&widths).map(latency).collect();
        let accepted: Vec<(f64, Option<f64>)> = points.iter().zip(&widths).map(accepted).collect();
        Some(RateFigures {
            rate: points.first()?.rate,
            latency: latencies.and_then(|values| MeasuredValue::over_seeds(&values)),
            accepted: MeasuredValue::over_seeds(&accepted)?,
            is_stable: points.iter().all(|point| point.is_stable(setting)),
        })
    };
    report.points.chunk_by(|one, next| one.rate == next.rate).filter_map(figures).collect()
}

/// A rate in percent of a static bound.
pub(super) fn percent_of(rate: impl Into<Fraction>, bound: Fraction) -> f64 {
    if bound.is_zero() { 0.0 } else { rate.into().over(bound).as_f64() * 100.0 }
}

#[cfg(test)]
mod tests {
    use super::MeasuredValue;

    #[test]
    fn the_interval_over_seeds_contains_those_of_all_seeds() {
        let value = MeasuredValue::over_seeds(&[(10.0, Some(1.0)), (14.0, Some(0.5))]).unwrap();
        assert_eq!((value.mean, value.interval), (12.0, Some((9.0, 14.5))));
        let value = MeasuredValue::over_seeds(&[(10.0, Some(1.0)), (14.0, None)]).unwrap();
        assert_eq!(value.interval, None);
        assert!(MeasuredValue::over_seeds(&[]).is_none());
    }
}
