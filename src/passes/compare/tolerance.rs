//! Tolerance: which differences are too large where some are accepted.
//!
//! Figures may differ by so much, in either direction: what is committed should stay what it is. Files may
//! have other content then. No tolerance covers a contract that says another thing, or files, scenarios and
//! figures that one side has alone.

use fabc_ir::{Diff, FigureDiff};

/// How much figures may differ.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Tolerance {
    /// All of them, as a part of the value of A.
    pub all: f64,
    /// Those of a name; `fault.` before it is only about faults. The first that fits decides.
    pub named: Vec<(String, f64)>,
}

/// Room for the last digit of a calculation in floats.
const SLACK: f64 = 1e-12;

impl Tolerance {
    /// How much a figure may differ; one of a fault has `fault.` before its name.
    pub fn of(&self, figure: &str) -> f64 {
        let bare = figure.strip_prefix("fault.").unwrap_or(figure);
        // The upper end of an interval goes with the metric.
        let is = |name: &str, figure: &str| figure == name || figure.strip_suffix(".upper") == Some(name);
        let named =
            |figure: &str| self.named.iter().find(|(name, _)| is(name, figure)).map(|(_, most)| *most);
        named(figure).or_else(|| named(bare)).unwrap_or(self.all)
    }

    fn covers(&self, name: &str, figure: &FigureDiff) -> bool {
        match (&figure.values, figure.relative()) {
            ([a, b], _) if a == b => true,
            (_, Some(relative)) => {
                relative.abs()
                    <= self.of(name) * (1.0 + SLACK) + SLACK * f64::from(u8::from(self.of(name) > 0.0))
            }
            _ => false,
        }
    }
}

/// What is beyond a tolerance, by name: figures, lines of the contract, files, scenarios.
pub fn beyond(diff: &Diff, tolerance: &Tolerance) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    found.extend(
        diff.figures
            .iter()
            .filter(|figure| !tolerance.covers(&figure.name, figure))
            .map(|figure| figure.name.clone()),
    );
    let worst = diff.faults.worst.iter().filter(|(figure, _)| !tolerance.covers(&figure.name, figure));
    found.extend(worst.map(|(figure, _)| figure.name.clone()));
    for (scenario, figures) in &diff.faults.changed {
        let other =
            figures.iter().filter(|figure| !tolerance.covers(&format!("fault.{}", figure.name), figure));
        found.extend(other.map(|figure| format!("{scenario}: {}", figure.name)));
    }
    found.extend(
        diff.contract.iter().filter(|line| line.is_other()).map(|line| format!("require {}", line.text)),
    );
    found.extend(diff.faults.alone.iter().flatten().map(|scenario| format!("scenario {scenario}")));
    found.extend(diff.files.iter().filter(|file| file.bytes.contains(&None)).map(|file| file.path.clone()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabc_model::Direction;

    #[test]
    fn a_figure_may_differ_by_its_own_tolerance() {
        let tolerance = Tolerance {
            all: 0.001,
            named: vec![("fault.latency".to_owned(), 0.5), ("latency".to_owned(), 0.1)],
        };
        let covers = |name: &str, a: &str, b: &str| {
            let values = [a, b].map(|value| Some(value.to_owned()));
            tolerance.covers(name, &FigureDiff { name: name.to_owned(), direction: Direction::Less, values })
        };
        assert!(
            covers("diameter", "1000", "1001")
                && covers("diameter", "1000", "999")
                && !covers("diameter", "1000", "1002")
        );
        assert!(
            covers("latency", "10", "11")
                && !covers("latency", "10", "11.5")
                && covers("fault.latency", "10", "15")
        );
        assert!(
            covers("concurrent_flow.upper", "0.5", "0.5005") && !covers("concurrent_flow.upper", "0", "1")
        );
        assert_eq!(Tolerance { all: 0.0, named: vec![("flow".to_owned(), 0.5)] }.of("fault.flow.upper"), 0.5);
    }
}
