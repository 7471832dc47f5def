//! Failure rates and times on the command line, such as `host=0.0008/day` and `24h`.

use fabc_base::diag::suggestion;
use fabc_base::units::Decimal;
use fabc_emit::{PartKind, PerPart};
use fabc_pipeline::refusal::Refusal;

/// Units of time in seconds.
const UNITS: [(&str, f64); 7] = [
    ("s", 1.0),
    ("min", 60.0),
    ("h", 3600.0),
    ("day", 86400.0),
    ("days", 86400.0),
    ("month", 2_629_746.0),
    ("year", 31_556_952.0),
];

/// Reads `host=0.0008/day,cable=0.00005/day,ocs=0.0004/day`, and returns failures per day.
///
/// # Errors
/// `Refusal::Availability` for an invalid, missing or repeated rate.
pub(crate) fn parse_rates(text: &str) -> Result<PerPart<f64>, Refusal> {
    let mut rates: PerPart<Option<f64>> = PerPart::default();
    for item in text.split(',') {
        let example = "write `--fail host=0.0008/day,cable=0.00005/day,ocs=0.0004/day`";
        let Some((name, rate)) = item.split_once('=') else {
            return Err(refused(&format!("`{item}` has no rate"), example));
        };
        let Some(kind) = part_kind(name) else {
            let hint = suggestion(name.trim(), PartKind::ALL.map(PartKind::word));
            let hint = hint.unwrap_or_else(|| example.to_owned());
            return Err(refused(&format!("there is no part `{}` that fails", name.trim()), &hint));
        };
        let value = rate.split_once('/').and_then(|(number, unit)| {
            let (_, seconds) = UNITS.iter().find(|(name, _)| *name == unit.trim())?;
            Some(parse_number(number)? * 86400.0 / seconds)
        });
        let Some(value) = value else {
            return Err(refused(
                &format!("`{}` is not a rate", rate.trim()),
                "a rate is a number per day, month or year, such as `0.0008/day`",
            ));
        };
        if rates.get_mut(kind).replace(value).is_some() {
            return Err(refused(
                &format!("the rate of `{}` is given twice", kind.word()),
                "leave one of them out",
            ));
        }
    }
    if let Some(missing) = PartKind::ALL.into_iter().find(|&kind| rates.get(kind).is_none()) {
        let hint = format!(
            "rates have no default: add `{}=0.0004/day`, with your own rate. Write 0/day if it never fails",
            missing.word()
        );
        return Err(refused(&format!("`--fail` has no rate for `{}`", missing.word()), &hint));
    }
    Ok(PerPart::from_fn(|kind| rates.get(kind).unwrap_or_default()))
}

/// The kind of part with a name.
pub(crate) fn part_kind(name: &str) -> Option<PartKind> {
    PartKind::ALL.into_iter().find(|kind| kind.word() == name.trim())
}

/// Reads a time such as `24h`, and returns days.
///
/// # Errors
/// `Refusal::Availability` for anything else. `option` is named in it.
pub(crate) fn parse_days(option: &str, text: &str) -> Result<f64, Refusal> {
    // The unit consists of the last letters. The exponent of a number is followed by digits.
    let end = text.rfind(|letter: char| !letter.is_ascii_alphabetic()).map_or(0, |last| last + 1);
    let unit = UNITS.iter().find(|(name, _)| *name == text[end..].trim());
    let value = unit.and_then(|(_, seconds)| Some(parse_number(&text[..end])? * seconds / 86400.0));
    value.ok_or_else(|| {
        refused(
            &format!("`{option} {text}` is not a time"),
            "write a number and a unit: `24h`, `15min`, `2days`, `30s`",
        )
    })
}

/// Reads a decimal number that is not negative, also as `5e-5`.
fn parse_number(text: &str) -> Option<f64> {
    let text = text.trim();
    let (digits, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    Decimal::parse(digits)?;
    power.parse::<i16>().ok()?;
    text.parse::<f64>().ok().filter(|number| number.is_finite())
}

fn refused(problem: &str, hint: &str) -> Refusal {
    Refusal::Availability { problem: problem.to_owned(), hint: hint.to_owned() }
}
