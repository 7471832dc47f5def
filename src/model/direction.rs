//! Whether more or less of a figure is better.

use super::contract::{CollectiveMetric, GraphMetric, Metric, SimulatedMetric};

/// Which of two values of a figure is the better one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// The larger one.
    More,
    /// The smaller one.
    Less,
    /// Neither: sizes, and what bounds other figures.
    Neither,
}

impl Metric {
    /// Which of its values is the better one, of two fabrics.
    pub fn direction(self) -> Direction {
        match self {
            Metric::Graph(GraphMetric::Routers | GraphMetric::Hosts | GraphMetric::Links) => {
                Direction::Neither
            }
            metric if metric.larger_is_better() => Direction::More,
            _ => Direction::Less,
        }
    }
}

/// What reports tell beside the metrics that a spec may require: names of figures, or their ends.
const OTHERS: [(&str, Direction); 14] = [
    ("average_between", Direction::Less),
    ("at_most_share", Direction::More),
    ("at_endpoints_share", Direction::More),
    ("at_least_share", Direction::More),
    ("at_endpoints", Direction::More),
    ("bisection.at_most", Direction::More),
    ("bounds.universal.share", Direction::More),
    ("disconnect_share.least", Direction::More),
    ("disconnect_share.most", Direction::More),
    ("entries_max", Direction::Less),
    ("entries_mean", Direction::Less),
    ("gain", Direction::More),
    ("single_share", Direction::Less),
    ("between", Direction::Less),
];

/// Which of two values of a figure is the better one: of a metric, also of a fault, a simulation or a
/// collective (`fault.peak.latency`), or of what else reports tell.
pub fn direction(figure: &str) -> Direction {
    let is = |name: &str| figure == name || figure.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'));
    let known = OTHERS.iter().find(|(name, _)| is(name)).map(|(_, direction)| *direction);
    // What bounds a metric ends with its name, but is none.
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
            ("bisection", Direction::More),
            ("bisection.at_most", Direction::More),
            ("makespan", Direction::Less),
            ("makespan.bound", Direction::Neither),
        ] {
            assert_eq!(direction(figure), better, "{figure}");
        }
    }
}
