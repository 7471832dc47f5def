//! The option `--tolerance`: `0.1%`, or `max_channel_load=0.5%`.

use crate::io::errors::DriverError;
use fabc_base::diag::suggestion;
use fabc_model::{CollectiveMetric, Metric, SimulatedMetric};
use fabc_pipeline::compare::Tolerance;

/// Reads the values of `--tolerance`. `None` if there are none.
///
/// # Errors
/// `DriverError::Diff` if one is no percentage, or names no metric.
pub(crate) fn parse_tolerances(given: &[String]) -> Result<Option<Tolerance>, DriverError> {
    if given.is_empty() {
        return Ok(None);
    }
    let mut tolerance = Tolerance::default();
    for text in given {
        let invalid = |problem: String, hint: &str| DriverError::Diff {
            problem: format!("`--tolerance {text}`: {problem}"),
            hint: hint.to_owned(),
        };
        let (name, share) =
            text.split_once('=').map_or((None, text.as_str()), |(name, share)| (Some(name.trim()), share));
        let percent = share.trim().strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
        let Some(percent) = percent.filter(|percent| percent.is_finite() && *percent >= 0.0) else {
            return Err(invalid(
                "is no percentage".to_owned(),
                "write `0.1%`, or `max_channel_load=0.5%` for one metric",
            ));
        };
        match name {
            None => tolerance.all = percent / 100.0,
            Some(name) => {
                if !is_figure_name(name) {
                    let near = suggestion(name, metric_names())
                        .unwrap_or_else(|| "figures are named as `fabc diff` prints them".to_owned());
                    return Err(invalid(format!("there is no metric `{name}`"), &near));
                }
                // `fault.` figures look for their own tolerance before the general one.
                tolerance.named.push((name.to_owned(), percent / 100.0));
            }
        }
    }
    Ok(Some(tolerance))
}

/// The names of all metrics.
fn metric_names() -> impl Iterator<Item = &'static str> {
    let simulated = SimulatedMetric::ALL.iter().map(|metric| metric.name());
    let collective = CollectiveMetric::ALL.iter().map(|metric| metric.name());
    Metric::every().map(Metric::name).chain(simulated).chain(collective)
}

/// Whether figures have such a name: a metric, or a metric of a part (`peak.saturation`, `bounds.load`).
fn is_figure_name(name: &str) -> bool {
    let bare = name.strip_prefix("fault.").unwrap_or(name);
    bare.contains('.')
        || ["nodes", "cubes", "endpoints", "gain"].contains(&bare)
        || metric_names().any(|known| known == bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerances_are_percentages_of_all_or_of_one() {
        let tolerance = |given: &[&str]| {
            parse_tolerances(&given.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(tolerance(&[]).unwrap(), None);
        let both = tolerance(&["0.1 %", "fault.latency=5%"]).unwrap().unwrap();
        assert_eq!(both, Tolerance { all: 0.001, named: vec![("fault.latency".to_owned(), 0.05)] });
        for invalid in ["0.1", "%", "-1%", "nan%", "inf%", "latency=", "load_ration=1%"] {
            assert!(tolerance(&[invalid]).is_err(), "{invalid}");
        }
    }
}
