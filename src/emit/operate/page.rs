//! Writes `index.html` of the years of a pod: capacity month by month, losses by cause, and all tables.

use super::text::{counts, facts, table_changes, trimmed, with_half};
use super::{LossCause, OperatedPolicy, OperatedYears, PartKind, PartRepairs};
use crate::number::grouped;
use crate::svg::{BandLine, LossBar, LossBars, TimeChart, loss_bars, time_chart};
use minijinja::{Environment, Value, context};

/// The text of the page.
pub fn operate_html(years: &OperatedYears) -> String {
    let mut environment = Environment::new();
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment
        .add_template("operate.html", include_str!("operate.html.jinja"))
        .expect("the template parses: it is compiled in");
    let template = environment.get_template("operate.html").expect("added above");
    template.render(page(years)).expect("the template uses what `page` gives it")
}

/// The values that the template takes.
fn page(years: &OperatedYears) -> Value {
    let policies: Vec<Value> = years.policies.iter().map(policy_row).collect();
    let best = years
        .policies
        .iter()
        .enumerate()
        .reduce(|best, next| if next.1.capacity.mean > best.1.capacity.mean { next } else { best });
    let kinds: Vec<String> = years
        .kinds
        .iter()
        .map(|kind| format!("{} ({} of {} cubes)", kind.kind, kind.slices, kind.cubes))
        .collect();
    let count_heads: Vec<&str> = years
        .policies
        .first()
        .map_or(Vec::new(), |result| counts(result).iter().map(|(head, _)| *head).collect());
    let months: Vec<Value> =
        (0..years.request.months as usize).map(|month| month_row(years, month)).collect();
    context! {
        style => include_str!("../report_html/style.css"),
        fabric => years.fabric,
        span => years.request.years(),
        facts => facts(years),
        best => best.map(|(index, result)| context! {
            number => index + 1,
            policy => result.policy.to_string(),
            capacity => with_half(result.capacity, 4),
            changes => grouped(table_changes(&result.counts.tables)),
        }),
        capacity_chart => capacity_chart(years),
        loss_chart => loss_chart(years),
        causes => LossCause::ALL.map(|cause| context! { word => cause.word(), meaning => cause.meaning() }),
        kinds,
        count_heads,
        policies,
        repairs => PartKind::ALL.map(|kind| repair_row(kind, years.repairs.get(kind))),
        months,
        work => context! {
            changes => grouped(years.work.changes),
            lookups => grouped(years.work.lookups),
            repairs => grouped(years.work.repairs),
        },
    }
}

fn policy_row(result: &OperatedPolicy) -> Value {
    context! {
        policy => result.policy.to_string(),
        capacity => with_half(result.capacity, 4),
        closed_form => result.closed_form.map(|value| format!("{value:.4}")),
        difference => result.difference.map(|mean| with_half(mean, 4)),
        worst => format!("{:.4}", result.worst.capacity),
        worst_place => format!("month {} of seed {}", result.worst.month, result.worst.seed),
        lost => result.lost.map(|lost| with_half(lost, 6)),
        counts => counts(result).iter().map(|(_, count)| grouped(*count)).collect::<Vec<_>>(),
        kinds => result.kinds.iter().map(|capacity| with_half(*capacity, 4)).collect::<Vec<_>>(),
    }
}

fn repair_row(kind: PartKind, repairs: &PartRepairs) -> Value {
    let PartRepairs { parts, failures, waited, unfinished, mean_h, most_h, longest_h } = *repairs;
    context! {
        part => kind.word(),
        parts => grouped(parts),
        failures => grouped(failures),
        waited => grouped(waited),
        unfinished => grouped(unfinished),
        mean => mean_h.map(|mean| with_half(mean, 2)),
        most => trimmed(most_h),
        longest => trimmed(longest_h),
    }
}

/// A month with the median of every policy, and its range.
fn month_row(years: &OperatedYears, month: usize) -> Value {
    let cell = |result: &OperatedPolicy| {
        let band = result.months[month];
        context! {
            median => format!("{:.4}", band.median),
            range => format!("{:.4} to {:.4}", band.low, band.high),
        }
    };
    context! { month => month + 1, cells => years.policies.iter().map(cell).collect::<Vec<_>>() }
}

/// The capacity month by month: a line for the median of the seeds, over the band between the extremes.
fn capacity_chart(years: &OperatedYears) -> String {
    let lines = years.policies.iter().enumerate().map(|(index, result)| BandLine {
        title: format!("{}: {}", index + 1, result.policy),
        points: result.months.iter().map(|month| [month.low, month.median, month.high]).collect(),
    });
    time_chart(&TimeChart {
        label: "Capacity month by month, median and range over the seeds".to_owned(),
        y_title: "share of slices served",
        lines: lines.collect(),
    })
}

/// What every policy loses, by cause.
fn loss_chart(years: &OperatedYears) -> String {
    let bars = years.policies.iter().enumerate().map(|(index, result)| LossBar {
        name: (index + 1).to_string(),
        parts: result.lost.map(|lost| lost.mean).to_vec(),
    });
    loss_bars(&LossBars {
        label: "Lost capacity by cause and policy".to_owned(),
        parts: LossCause::ALL.map(LossCause::meaning).to_vec(),
        bars: bars.collect(),
    })
}
