//! How the contract came out.

use crate::ir::{RequireOutcome, ScenarioMetrics, worst};
use crate::model::Require;

/// Measures one `require`.
pub(super) fn outcome(require: &Require, scenarios: &[ScenarioMetrics]) -> RequireOutcome {
    let (measured, scenario) = if require.fault {
        match worst(scenarios, require.metric) {
            Some((value, scenario)) => (Some(value), Some(scenario.to_owned())),
            None => (None, None),
        }
    } else {
        (scenarios[0].value(require.metric), None)
    };
    RequireOutcome { require: require.clone(), measured, scenario }
}
