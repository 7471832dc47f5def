//! Writes `report.html`, a self-contained page for a design review. It opens from disk, loads nothing, and is
//! readable without scripts.
//!
//! The layout is `report.html.jinja`, with `report_html/jobs.html.jinja` for jobs, and
//! `report_html/style.css`. `report_html/script.js` sorts, searches, and picks out items and ranks. The
//! modules here provide the contents. Drawings come from [`super::svg`], sentences from [`super::summary`].
//! Every picture has its numbers as text, in its cells or in a table below it.

mod collectives;
mod demand;
mod designs;
mod explore;
mod failures;
mod faults;
mod figure;
mod floor;
mod grid;
mod jobs;
mod joined;
mod layout;
mod levels;
pub(crate) mod light;
mod loads;
mod settings;
mod simulations;
mod template;
mod verdict;

pub use explore::paged_tables;

use super::measured;
use super::number::{fixed, grouped, round_down_sig, round_up_sig};
use super::summary::{self, percent, ratio4};
use super::svg::{Chart, Series};
use crate::compiled::CompiledFabric;
use fabc_ir::{Fraction, ScenarioMetrics, nanoseconds};
use fabc_model::Faults;
use minijinja::{Value, context};
use serde::Serialize;

/// The script of the page.
const SCRIPT: &str = concat!(
    include_str!("report_html/script.js"),
    include_str!("report_html/explore.js"),
    include_str!("report_html/stage.js")
);

/// The script without indentation and comments, which readers of the page do not need. No line of it begins
/// inside of a text.
fn squeezed_script() -> String {
    let mut out = String::new();
    for line in SCRIPT.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")) {
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// A card with a key number.
#[derive(Serialize)]
struct Card {
    title: &'static str,
    value: String,
    unit: &'static str,
    note: String,
    /// Filled part of the bar, in percent.
    bar: Option<String>,
    /// The exact value, where the card rounds it. It shows under the pointer.
    exact: Option<String>,
}

impl Card {
    /// The same card with an exact value under the pointer.
    fn with_exact(self, exact: String) -> Self {
        Self { exact: (exact != self.value).then_some(exact), ..self }
    }
}

/// The text of the page.
pub(super) fn report_page(compiled: &CompiledFabric) -> String {
    template::render(include_str!("report.html.jinja"), page(compiled))
}

fn page(compiled: &CompiledFabric) -> Value {
    let fabric = &compiled.fabric;
    let nominal = &compiled.scenarios[0].metrics;
    let failed = compiled.requires.iter().filter(|outcome| outcome.holds() == Some(false)).count();
    let unknown = compiled.requires.iter().filter(|outcome| outcome.holds().is_none()).count();
    let metrics: Vec<Value> = summary::metric_rows(compiled)
        .into_iter()
        .map(|row| context! { name => row.name, value => row.value, bound => row.bound, ratio => row.ratio.map(ratio4), note => row.note })
        .collect();
    let passes: Vec<Value> = compiled
        .passes
        .iter()
        .map(|pass| {
            let counters: Vec<String> = pass.counters.iter().map(|(name, count)| format!("{name} {}", grouped(*count))).collect();
            context! { name => pass.name, stopped_by => pass.stopped_by, counters => counters.join(", "), notes => pass.notes }
        })
        .collect();
    let mut facts = summary::plant_lines(compiled);
    facts.extend([summary::links_line(compiled), summary::choices_line(compiled)]);
    let pod = compiled.pod.is_some();
    context! {
        style => include_str!("report_html/style.css"),
        script => squeezed_script(),
        name => fabric.name,
        facts => facts.into_iter().chain(summary::gain_line(compiled)).collect::<Vec<_>>(),
        proof => summary::proof_line(compiled),
        routed => nominal.routed.is_some(),
        many_paths => fabric.routing.has_many_paths(),
        required => compiled.requires.len(),
        failed,
        unknown,
        requires => verdict::requires(compiled),
        cards => cards(compiled),
        metrics,
        pod,
        fabric => if pod { "pod" } else { "network" },
        node => if pod { "chip" } else { "router" },
        joined => joined::linked_items(compiled),
        settings => compiled.fabric.pod().filter(|pod| !pod.ocses.is_empty()).map(|_| settings::settings(compiled)),
        explore => explore::explore(compiled),
        demand => demand::demand(compiled),
        hops => hops(nominal),
        loads => loads::loads(compiled),
        makespan => summary::makespan_line(compiled),
        bandwidths => collectives::bandwidths(compiled),
        no_loads => summary::no_loads(compiled),
        vcs => vcs(nominal),
        faults => faults::faults(compiled),
        measured => measured::lines(compiled),
        has_graph => compiled.network.is_some(),
        designs => designs::designs(compiled),
        failures => failures::failures(compiled),
        floor => floor::floor(compiled),
        light => light::compiled_light(compiled),
        simulations => simulations::simulations(compiled),
        collectives => collectives::collectives(compiled),
        jobs => jobs::jobs(compiled),
        paths => compiled.network.as_ref().map_or_else(Vec::new, measured::paths_by_distance),
        fault_kind => match fabric.budget.faults {
            Faults::Ocses(_) => "switch",
            Faults::Link => "link",
            Faults::Router => "router",
        },
        traffic => if fabric.demand.is_uniform() { "uniform all-to-all traffic" } else { "the demand above" },
        passes,
    }
}

fn cards(compiled: &CompiledFabric) -> Vec<Card> {
    let mut cards: Vec<Card> = makespan_card(compiled).into_iter().collect();
    cards.extend(flow_cards(compiled));
    cards.extend(routing_cards(compiled));
    cards.extend(fault_cards(compiled));
    cards
}

/// The makespan of scheduled vectors, which is what such a fabric is for.
fn makespan_card(compiled: &CompiledFabric) -> Option<Card> {
    let whole = summary::makespan(compiled)?;
    let clock = compiled.fabric.clock_hz;
    let time = |cycles: u64| nanoseconds(Fraction::integer(cycles), clock).over(Fraction::integer(1000u32));
    let note = format!(
        "{} cycles until the last vector has come; no plan takes less than {}",
        grouped(whole.end),
        grouped(whole.lower_bound)
    );
    let share = Fraction::new(whole.lower_bound, whole.end.max(1));
    let made = card("Makespan", round_up_sig(time(whole.end), 3), "us", note, filled(share));
    Some(made.with_exact(format!("{} us", fixed(time(whole.end), 3))))
}

/// A card without line breaks between a number and its percent sign.
fn card(title: &'static str, value: String, unit: &'static str, note: String, bar: Option<String>) -> Card {
    Card {
        title,
        value: value.replace(" %", "\u{a0}%"),
        unit,
        note: note.replace(" %", "\u{a0}%"),
        bar,
        exact: None,
    }
}

/// The filled part of a bar, in percent.
fn filled(share: Fraction) -> Option<String> {
    Some(format!("{:.1}", (share.as_f64() * 100.0).clamp(0.0, 100.0)))
}

/// Distances, flow and its bounds.
fn flow_cards(compiled: &CompiledFabric) -> Vec<Card> {
    let fabric = &compiled.fabric;
    let nominal = &compiled.scenarios[0].metrics;
    let share = nominal.flow_low.over(nominal.distance_ceiling());
    let injection = nominal.injection_at(nominal.flow_low);
    let ceiling = nominal.injection_at(nominal.flow_ceiling());
    let mut cards = vec![
        card(
            "Diameter",
            nominal.diameter.to_string(),
            "hops",
            format!("between the two farthest of {} routers", grouped(nominal.endpoints)),
            None,
        ),
        card(
            "Average hops",
            fixed(nominal.average_hops(), 2),
            "hops",
            "over ordered pairs of distinct routers".to_owned(),
            None,
        )
        .with_exact(ratio4(nominal.average_hops().as_f64())),
        card(
            "Concurrent flow",
            round_down_sig(nominal.flow_low, 3),
            "",
            format!("certified. Reaches {} of the distance bound", percent(share)),
            filled(share),
        )
        .with_exact(format!(
            "{} to {}",
            round_down_sig(nominal.flow_low, 6),
            round_up_sig(nominal.flow_ceiling(), 6)
        )),
        card(
            "Injection",
            round_down_sig(injection, 3),
            if compiled.pod.is_some() { "flits per cycle per chip" } else { "flits per cycle per host" },
            format!(
                "{}; one channel carries 1",
                match (fabric.demand.is_uniform(), compiled.pod.is_some()) {
                    (true, _) => "uniform all-to-all",
                    (false, true) => "of the chip that sends most",
                    (false, false) => "of the router that sends most",
                }
            ),
            filled(nominal.flow_low.over(nominal.flow_ceiling())),
        )
        .with_exact(format!("{} to {}", round_down_sig(injection, 6), round_up_sig(ceiling, 6))),
        card(
            "Bandwidth",
            round_down_sig(injection.times(nominal.channel_bandwidth), 3),
            summary::bandwidth_unit(compiled),
            match fabric.capacities.are_equal() {
                true => format!("of {} GB/s per channel", round_down_sig(nominal.channel_bandwidth, 6)),
                false => format!("in units of {} GB/s", round_down_sig(nominal.channel_bandwidth, 6)),
            },
            None,
        )
        .with_exact(round_down_sig(injection.times(nominal.channel_bandwidth), 6)),
    ];
    if let Some(limit) = compiled.pod.as_ref().and_then(|pod| pod.limit.as_ref()) {
        let reached = nominal.flow_low.over(limit.value());
        let note = if compiled.is_optimal() {
            "reached: optimal, no topology of this pod carries more".to_owned()
        } else {
            format!("no topology of this pod carries more; {} reached", percent(reached))
        };
        let bound = card("Universal bound", round_up_sig(limit.value(), 3), "", note, filled(reached));
        cards.push(bound.with_exact(round_up_sig(limit.value(), 6)));
    }
    cards
}

/// Loads, virtual channels and table sizes; empty before routing.
fn routing_cards(compiled: &CompiledFabric) -> Vec<Card> {
    let fabric = &compiled.fabric;
    let nominal = &compiled.scenarios[0].metrics;
    let Some(walk) = &nominal.routed else { return Vec::new() };
    let (load, bound) = (nominal.load(walk.max_channel_load()), nominal.load_bound());
    let load_card = card(
        "Max channel load",
        summary::load_text(load),
        if fabric.capacities.are_equal() { "routes" } else { "routes over capacity" },
        format!(
            "{} x the lower bound of {}",
            ratio4(load.as_f64() / bound.as_f64()),
            summary::load_text(bound)
        ),
        filled(bound.over(load)),
    );
    let balance = walk.vc_hops.iter().max().copied().unwrap_or(0) as f64 / walk.total_hops() as f64;
    let balance_card = card(
        "VC balance",
        ratio4(balance),
        "",
        format!("of all hops on the busiest VC; even is {}", ratio4(1.0 / f64::from(fabric.budget.vcs))),
        None,
    );
    let mean = nominal.mean_entries().map_or(0.0, Fraction::as_f64);
    let entries_card = card(
        "Table entries",
        grouped(walk.entries_max),
        "at most",
        format!("per router, {mean:.1} on average"),
        None,
    );
    vec![load_card, balance_card, entries_card]
}

/// Covered faults and disjoint trees.
fn fault_cards(compiled: &CompiledFabric) -> Vec<Card> {
    let fabric = &compiled.fabric;
    let nominal = &compiled.scenarios[0].metrics;
    let faults = compiled.scenarios.len() - 1;
    let covered = match (fabric.budget.faults, faults) {
        (Faults::Ocses(0), _) => "no fault budget",
        (_, 0) => "not measured yet",
        (Faults::Ocses(1), _) => "any one OCS may go dark",
        (Faults::Ocses(_), _) => "any 2 OCSes may go dark",
        (Faults::Link, _) => "any one link may go dark, up to symmetry",
        (Faults::Router, _) if compiled.pod.is_some() => "any one chip may die, up to symmetry",
        (Faults::Router, _) => "any one router may die, up to symmetry",
    }
    .to_owned();
    let mut cards = vec![card("Faults covered", grouped(faults as u64), "scenarios", covered, None)];
    if let Some((trees, note)) = nominal.disjoint_trees.zip(summary::trees_note(compiled)) {
        cards.push(card("Disjoint trees", trees.to_string(), "", note, None));
    }
    cards
}

fn hops(metrics: &ScenarioMetrics) -> String {
    let route_hops = metrics.routed.as_ref().map(|walk| &walk.route_hops);
    let longest = metrics.hop_histogram.len().max(route_hops.map_or(0, Vec::len)).max(2) - 1;
    let series = |class, name: &'static str, counts: &[u64]| {
        let values: Vec<u64> = (1..=longest).map(|hops| counts.get(hops).copied().unwrap_or(0)).collect();
        let title = |(hops, count): (usize, &u64)| format!("{name} {hops}: {} pairs", grouped(*count));
        let titles = (1..).zip(&values).map(title).collect();
        Series { class, name, values, titles }
    };
    let mut series_list = vec![series("bar one", "shortest distance", &metrics.hop_histogram)];
    series_list.extend(route_hops.map(|counts| series("bar two", "hops of the route", counts)));
    let categories: Vec<String> = (1..=longest).map(|hops| hops.to_string()).collect();
    let chart = Chart {
        label:
            "Ordered pairs of routers by distance and by hops of their route; the table below has the numbers"
                .to_owned(),
        height: 260.0,
        categories: categories.clone(),
        x_title: "hops",
        y_title: "ordered pairs",
        series: series_list,
        mark: None,
    };
    figure::figure(&chart, "hops", &categories, "Ordered pairs by hops")
}

fn vcs(metrics: &ScenarioMetrics) -> Vec<Value> {
    let Some(walk) = &metrics.routed else { return Vec::new() };
    let total = walk.total_hops().max(1) as f64;
    let busiest = walk.vc_hops.iter().max().copied().unwrap_or(1).max(1) as f64;
    let bar = |(vc, &hops): (usize, &u64)| {
        context! { vc, hops => grouped(hops), share => format!("{:.1} %", hops as f64 / total * 100.0), width => format!("{:.1}", hops as f64 / busiest * 100.0) }
    };
    walk.vc_hops.iter().enumerate().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::{SCRIPT, squeezed_script};

    #[test]
    fn no_line_of_the_script_begins_inside_of_a_text() {
        for line in SCRIPT.lines().filter(|line| !line.trim().starts_with("//")) {
            assert!(line.matches('`').count().is_multiple_of(2), "{line}");
        }
    }

    #[test]
    fn the_script_has_at_most_60_kb() {
        let bytes = squeezed_script().len();
        assert!(bytes <= 60_000, "{bytes} bytes");
    }
}
