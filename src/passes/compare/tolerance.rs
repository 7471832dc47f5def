//! Finds the differences that exceed a tolerance.
//!
//! Figures may differ by a given part, in either direction, because committed figures should stay as they
//! are. Files may have other content then. No tolerance covers contract lines with another outcome, or files,
//! scenarios and figures that only one side has.

use fabc_ir::{Diff, FigureDiff};

/// Accepted relative differences of figures.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Tolerance {
    /// The accepted difference of all other figures, as a part of the value of A.
    pub all: f64,
    /// (name, accepted difference). A name with `fault.` in front concerns faults only. The first match
    /// counts.
    pub named: Vec<(String, f64)>,
}

/// Margin for rounding in the last digit of a float.
const SLACK: f64 = 1e-12;

impl Tolerance {
    /// The accepted difference of a figure. A figure of a fault has `fault.` before its name.
    pub fn accepted(&self, figure: &str) -> f64 {
        let bare = figure.strip_prefix("fault.").unwrap_or(figure);
        // The upper end of an interval has the tolerance of its metric.
        let matches_name =
            |name: &str, figure: &str| figure == name || figure.strip_suffix(".upper") == Some(name);
        let named_tolerance = |figure: &str| {
            self.named.iter().find(|(name, _)| matches_name(name, figure)).map(|(_, tolerance)| *tolerance)
        };
        named_tolerance(figure).or_else(|| named_tolerance(bare)).unwrap_or(self.all)
    }

    fn covers(&self, name: &str, figure: &FigureDiff) -> bool {
        match (&figure.values, figure.relative()) {
            ([a, b], _) if a == b => true,
            (_, Some(relative)) => {
                relative.abs()
                    <= self.accepted(name) * (1.0 + SLACK)
                        + SLACK * f64::from(u8::from(self.accepted(name) > 0.0))
            }
            _ => false,
        }
    }
}

/// Names of the differences beyond a tolerance: figures, contract lines, files, scenarios.
pub fn beyond(diff: &Diff, tolerance: &Tolerance) -> Vec<String> {
    let mut differences: Vec<String> = Vec::new();
    differences.extend(
        diff.figures
            .iter()
            .filter(|figure| !tolerance.covers(&figure.name, figure))
            .map(|figure| figure.name.clone()),
    );
    let worst_figures =
        diff.faults.worst.iter().filter(|(figure, _)| !tolerance.covers(&figure.name, figure));
    differences.extend(worst_figures.map(|(figure, _)| figure.name.clone()));
    for (scenario, figures) in &diff.faults.changed {
        let figures_beyond =
            figures.iter().filter(|figure| !tolerance.covers(&format!("fault.{}", figure.name), figure));
        differences.extend(figures_beyond.map(|figure| format!("{scenario}: {}", figure.name)));
    }
    differences.extend(
        diff.contract.iter().filter(|line| line.is_other()).map(|line| format!("require {}", line.text)),
    );
    differences.extend(diff.faults.alone.iter().flatten().map(|scenario| format!("scenario {scenario}")));
    differences
        .extend(diff.files.iter().filter(|file| file.bytes.contains(&None)).map(|file| file.path.clone()));
    differences
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
        assert_eq!(
            Tolerance { all: 0.0, named: vec![("flow".to_owned(), 0.5)] }.accepted("fault.flow.upper"),
            0.5
        );
    }
}
