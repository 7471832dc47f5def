//! Whether a larger or a smaller value of a figure is better.

use super::metric::{CollectiveMetric, GraphMetric, HardwareMetric, Metric, SimulatedMetric};

/// Which of two values of a figure is better.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// The larger value is better.
    More,
    /// The smaller value is better.
    Less,
    /// Neither value is better: sizes, and bounds of other figures.
    Neither,
}

impl Metric {
    /// Which of the values of two fabrics is better.
    pub fn direction(self) -> Direction {
        match self {
            Metric::Graph(GraphMetric::Routers | GraphMetric::Hosts | GraphMetric::Links)
            | Metric::Hardware(HardwareMetric::Switches | HardwareMetric::Cables) => Direction::Neither,
            metric if metric.larger_is_better() => Direction::More,
            _ => Direction::Less,
        }
    }
}

/// Figures of reports that a spec cannot require, by name or by the end of their name.
const OTHERS: [(&str, Direction); 16] = [
    ("average_between", Direction::Less),
    ("at_most_share", Direction::More),
    ("at_endpoints_share", Direction::More),
    ("at_least_share", Direction::More),
    ("at_endpoints", Direction::More),
    ("bisection.at_most", Direction::More),
    ("host_bisection.at_most", Direction::More),
    ("host_bisection.bandwidth_at_most", Direction::More),
    ("bounds.universal.share", Direction::More),
    ("disconnect_share.least", Direction::More),
    ("disconnect_share.most", Direction::More),
    ("entries_max", Direction::Less),
    ("entries_mean", Direction::Less),
    ("gain", Direction::More),
    ("single_share", Direction::Less),
    ("between", Direction::Less),
];

/// Which of two values of a figure is better. A figure is a metric, also with a prefix for a fault, a
/// simulation or a collective (`fault.peak.latency`), or another number of a report.
pub fn figure_direction(figure: &str) -> Direction {
    let is = |name: &str| figure == name || figure.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'));
    let known = OTHERS.iter().find(|(name, _)| is(name)).map(|(_, direction)| *direction);
    // The bound of a metric ends with its name, but is no metric.
    if known.is_some() || figure.starts_with("bounds.") {
        return known.unwrap_or(Direction::Neither);
    }
    let simulated = SimulatedMetric::ALL.iter().map(|metric| Metric::Simulated(*metric));
    let collective = CollectiveMetric::ALL.iter().map(|metric| Metric::Collective(*metric));
    let metric = Metric::every().chain(simulated).chain(collective).find(|metric| is(metric.name()));
    metric.map_or(Direction::Neither, Metric::direction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_the_direction_of_what_they_end_with() {
        for (figure, better) in [
            ("diameter", Direction::Less),
            ("fault.diameter", Direction::Less),
            ("bandwidth", Direction::More),
            ("concurrent_flow", Direction::More),
            ("concurrent_flow.upper", Direction::Neither),
            ("bounds.load", Direction::Neither),
            ("bounds.universal.share", Direction::More),
            ("gradients.time", Direction::Less),
            ("fault.gradients.share", Direction::More),
            ("peak.saturation", Direction::More),
            ("tables.entries_max", Direction::Less),
            ("cost", Direction::Less),
            ("routers", Direction::Neither),
            ("cubes", Direction::Neither),
            ("cables", Direction::Neither),
            ("hardware.cost_per_host", Direction::Less),
            ("bisection", Direction::More),
            ("bisection.at_most", Direction::More),
            ("makespan", Direction::Less),
            ("makespan.bound", Direction::Neither),
        ] {
            assert_eq!(figure_direction(figure), better, "{figure}");
        }
    }
}
