//! `fabc operate`: years of a built pod, with failures, repairs and policies.

use crate::args::operate::OperateArgs;
use crate::build::front::new_watch;
use crate::io::errors::DriverError;
use crate::io::folder::DiskFolder;
use crate::io::input_errors::needs_directory;
use crate::io::read::display;
use crate::io::staging::{OutputRules, Staging, refuse_others};
use crate::io::stop::Stop;
use crate::io::terminal::{Terminal, size_text};
use crate::run::rates::{parse_days, parse_rates, part_kind};
use fabc_base::diag::suggestion;
use fabc_emit::{
    DAY_MS, NightWindow, OperatedYears, PartKind, PerPart, operate_html, operate_json, operate_text,
};
use fabc_pipeline::refusal::Refusal;
use fabc_pipeline::years::{PolicyError, YearsQuery, operate_years, parse_policy};
use std::path::Path;

/// The files of the years of a pod.
pub(crate) const FILES: [&str; 2] = ["operate.json", "index.html"];

/// A folder of years holds nothing else. They can be played again.
const PLAYED: OutputRules = OutputRules { refuse_foreign, is_whole: |_| true };

/// `fabc operate`: plays the years, prints the result, and writes it where that is asked for.
///
/// # Errors
/// `Refusal::Years`, `Refusal::Policy` and `Refusal::Availability` for invalid options,
/// `Refusal::NotBuilt` for a foreign directory, and errors of the disk. Nothing is written then.
pub(crate) fn operate(args: &OperateArgs, terminal: Terminal) -> Result<(), Stop> {
    let query = parse_query(args)?;
    needs_directory(&args.directory)?;
    // What is in the way of the output is told before the years are played.
    let staging = args.out.as_ref().map(|out| Staging::for_directory(out, PLAYED)).transpose()?;
    let years = operate_years(DiskFolder::new(&args.directory), &query, &new_watch(terminal))?;
    let files = files(&years);
    let mut written = 0;
    if let Some(mut staging) = staging {
        for (path, text) in FILES.into_iter().zip(&files) {
            written += text.len();
            staging.write(path, text.as_bytes())?;
        }
        staging.publish()?;
    }
    terminal.say(operate_text(&years).trim_end())?;
    let [document, _] = &files;
    terminal.say_document(document.trim_end())?;
    if let Some(out) = &args.out {
        terminal.say(&format!("wrote {} ({})", display(out), size_text(written)))?;
    }
    Ok(())
}

/// The texts of [`FILES`], in their order.
pub(crate) fn files(years: &OperatedYears) -> [String; 2] {
    [operate_json(years), operate_html(years)]
}

/// Refuses a folder with anything but the years of a pod.
fn refuse_foreign(directory: &Path) -> Result<(), DriverError> {
    refuse_others(directory, |path| FILES.contains(&path))
}

impl From<PolicyError> for Stop {
    fn from(error: PolicyError) -> Self {
        match error {
            PolicyError::Refused(refusal) => refusal.into(),
            PolicyError::Syntax(failure, sources) => Stop { exit_code: 2, ..(failure, sources).into() },
        }
    }
}

fn refused(problem: String, hint: &str) -> Refusal {
    Refusal::Years { problem, hint: hint.to_owned() }
}

/// What the options ask for.
fn parse_query(args: &OperateArgs) -> Result<YearsQuery, Stop> {
    let time = |option: &str, text: &str| -> Result<u64, Refusal> {
        Ok((parse_days(option, text)? * DAY_MS as f64).round() as u64)
    };
    Ok(YearsQuery {
        months: parse_months(&args.years)?,
        seeds: args.seeds,
        host_chips: args.host_chips,
        per_day: parse_rates(&args.fail)?,
        repair_ms: time("--repair", &args.repair)?,
        restart_ms: time("--restart", &args.restart)?,
        stock: args.stock.as_deref().map(parse_stock).transpose()?.unwrap_or_default(),
        restock_ms: args.restock.as_deref().map_or(Ok(0), |text| time("--restock", text))?,
        night: parse_night(&args.night)?,
        policies: args.policy.iter().map(|text| parse_policy(text)).collect::<Result<_, _>>()?,
    })
}

/// The months of a number of years.
fn parse_months(text: &str) -> Result<u32, Refusal> {
    let years: Option<f64> = text.trim().parse().ok().filter(|years: &f64| years.is_finite());
    let months = years.map(|years| years * 12.0).filter(|months| (months - months.round()).abs() < 1e-6);
    match months {
        // The range is checked with all other numbers.
        Some(months) => Ok(months.round().clamp(0.0, f64::from(u32::MAX)) as u32),
        None => {
            let problem = format!("`--years {text}` is not a number of years in whole months");
            Err(refused(problem, "write a number such as `10`, or `0.25` for three months"))
        }
    }
}

/// The parts on stock: `host=4,ocs=1`.
fn parse_stock(text: &str) -> Result<PerPart<Option<u32>>, Refusal> {
    let mut stock: PerPart<Option<u32>> = PerPart::default();
    for item in text.split(',') {
        let example = "write `--stock host=4,ocs=1`";
        let Some((name, count)) = item.split_once('=') else {
            return Err(refused(format!("`--stock {item}` has no number"), example));
        };
        let Some(kind) = part_kind(name) else {
            let hint = suggestion(name.trim(), PartKind::ALL.map(PartKind::word));
            let hint = hint.unwrap_or_else(|| example.to_owned());
            return Err(refused(format!("there is no part `{}` on stock", name.trim()), &hint));
        };
        let Ok(count) = count.trim().parse() else {
            return Err(refused(format!("`{}` is not a number of parts", count.trim()), example));
        };
        if stock.get_mut(kind).replace(count).is_some() {
            return Err(refused(
                format!("the stock of `{}` is given twice", kind.word()),
                "leave one of them out",
            ));
        }
    }
    Ok(stock)
}

/// The window of the night: `22:00..06:00`.
fn parse_night(text: &str) -> Result<NightWindow, Refusal> {
    let time = |text: &str| -> Option<u32> {
        let (hours, minutes) = text.trim().split_once(':')?;
        let [hours, minutes]: [u32; 2] = [hours.parse().ok()?, minutes.parse().ok()?];
        (hours < 24 && minutes < 60).then_some(60 * hours + minutes)
    };
    let window = text.split_once("..").and_then(|(from, to)| {
        Some(NightWindow { from: time(from)?, to: time(to)? }).filter(|window| window.from != window.to)
    });
    window.ok_or_else(|| {
        let problem = format!("`--night {text}` is not a window of a day");
        refused(problem, "write two times of day that differ, such as `--night 22:00..06:00`")
    })
}
