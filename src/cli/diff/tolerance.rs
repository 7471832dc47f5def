//! `--tolerance 0.1%`, `--tolerance max_channel_load=0.5%`.

use crate::io::errors::DriverError;
use fabc_base::diag::suggestion;
use fabc_model::{CollectiveMetric, Metric, SimulatedMetric};
use fabc_passes::compare::Tolerance;

/// Reads tolerances; `None` where there are none.
///
/// # Errors
/// One is no percentage, or of no metric.
pub(crate) fn tolerance(given: &[String]) -> Result<Option<Tolerance>, DriverError> {
    if given.is_empty() {
        return Ok(None);
    }
    let mut read = Tolerance::default();
    for text in given {
        let wrong = |what: String, hint: &str| DriverError::Diff {
            what: format!("`--tolerance {text}`: {what}"),
            hint: hint.to_owned(),
        };
        let (name, share) =
            text.split_once('=').map_or((None, text.as_str()), |(name, share)| (Some(name.trim()), share));
        let percent = share.trim().strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
        let Some(percent) = percent.filter(|percent| percent.is_finite() && *percent >= 0.0) else {
            return Err(wrong(
                "is no percentage".to_owned(),
                "write `0.1%`, or `max_channel_load=0.5%` for one metric",
            ));
        };
        match name {
            None => read.all = percent / 100.0,
            Some(name) => {
                if !is_known(name) {
                    let near = suggestion(name, names())
                        .unwrap_or_else(|| "figures are named as `fabc diff` prints them".to_owned());
                    return Err(wrong(format!("there is no metric `{name}`"), &near));
                }
                // What is about faults alone decides before what is about everything.
                read.named.push((name.to_owned(), percent / 100.0));
            }
        }
    }
    Ok(Some(read))
}

/// All metrics by name.
fn names() -> impl Iterator<Item = &'static str> {
    let simulated = SimulatedMetric::ALL.iter().map(|metric| metric.name());
    let collective = CollectiveMetric::ALL.iter().map(|metric| metric.name());
    Metric::every().map(Metric::name).chain(simulated).chain(collective)
}

/// Whether figures have such a name: a metric, or one of something (`peak.saturation`, `bounds.load`).
fn is_known(name: &str) -> bool {
    let bare = name.strip_prefix("fault.").unwrap_or(name);
    bare.contains('.')
        || ["nodes", "cubes", "endpoints", "gain"].contains(&bare)
        || names().any(|known| known == bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerances_are_percentages_of_all_or_of_one() {
        let read =
            |given: &[&str]| tolerance(&given.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        assert_eq!(read(&[]).unwrap(), None);
        let both = read(&["0.1 %", "fault.latency=5%"]).unwrap().unwrap();
        assert_eq!(both, Tolerance { all: 0.001, named: vec![("fault.latency".to_owned(), 0.05)] });
        for wrong in ["0.1", "%", "-1%", "nan%", "inf%", "latency=", "load_ration=1%"] {
            assert!(read(&[wrong]).is_err(), "{wrong}");
        }
    }
}
