//! Writes the difference of two builds as one page that loads nothing.

use super::picture::wiring_picture;
use super::text::require_change;
use super::words::{self, count, percent, value_or_none};
use crate::number::{grouped, size, three_digits};
use crate::svg::{Chart, Series, bars};
use fabc_ir::{Diff, FigureChange, FigureDiff, TablesFound, WiringDiff, WiringFound};
use minijinja::{Environment, Value, context};

/// Maximum lines of a table of the page.
const MOST: usize = 200;
/// Maximum bars of a histogram. If there are more values, neighbors share a bar.
const BARS: usize = 60;

/// The text of the page. `beyond` lists what exceeds the tolerance; `None` if there is no tolerance.
pub fn diff_html(diff: &Diff, beyond: Option<&[String]>) -> String {
    let mut environment = Environment::new();
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment
        .add_template("diff.html", include_str!("diff.html.jinja"))
        .expect("the template parses: it is compiled in");
    let template = environment.get_template("diff.html").expect("added above");
    template.render(page(diff, beyond)).expect("the template uses what `page` gives it")
}

fn page(diff: &Diff, beyond: Option<&[String]>) -> Value {
    let side = |index: usize| {
        let side = &diff.sides[index];
        let files = diff.files.iter().filter(|file| file.bytes[index].is_some()).count();
        context! { mark => ["A", "B"][index], label => side.label, fabric => side.fabric, tool => side.tool, files => count(files, "file"), size => size(side.bytes) }
    };
    let figures = || diff.figures.iter().chain(diff.faults.worst.iter().map(|(figure, _)| figure));
    let counted = |change| figures().filter(|figure| figure.change() == change).count();
    context! {
        style => include_str!("../report_html/style.css"),
        sides => [side(0), side(1)],
        same => diff.is_same(),
        summary => words::diff_summary(diff),
        beyond => beyond.map(|beyond| beyond.iter().take(MOST).collect::<Vec<_>>()),
        worse => counted(FigureChange::Worse),
        better => counted(FigureChange::Better),
        options => words::option_changes(diff).into_iter().map(|(name, values)| context! { name, values }).collect::<Vec<_>>(),
        spec => (!diff.spec.iter().all(Vec::is_empty)).then(|| {
            let [removed, added] = diff.spec.each_ref().map(|lines| lines.iter().take(MOST).map(|line| line.trim()).collect::<Vec<_>>());
            context! { removed, added }
        }),
        cards => cards(diff),
        figures => diff.figures.iter().map(|figure| row(figure, "")).collect::<Vec<_>>(),
        same_figures => diff.figures.iter().filter(|figure| figure.change() == FigureChange::Same).count(),
        charts => charts(diff),
        contract => contract(diff),
        broken => diff.contract.iter().filter(|line| line.is_other()).count(),
        faults => faults(diff),
        wiring => wiring(diff),
        tables => tables(diff),
        tables_line => words::tables_line(&diff.tables),
        files => files(diff),
    }
}

fn row(figure: &FigureDiff, scenarios: &str) -> Value {
    let [a, b] = figure.values.each_ref().map(|side| value_or_none(side.as_ref()));
    // The larger value has a bar of full width.
    let number = |index: usize| {
        figure.values[index]
            .as_ref()
            .and_then(|value| value.parse::<f64>().ok())
            .filter(|value| *value >= 0.0)
    };
    let widths = match (number(0), number(1)) {
        (Some(a), Some(b)) if a.max(b) > 0.0 => {
            Some([a, b].map(|value| format!("{:.2}", 100.0 * value / a.max(b))))
        }
        _ => None,
    };
    let change = figure.change();
    let word = if change == FigureChange::Other { "" } else { change.name() };
    context! { name => figure.name, a, b, widths, percent => percent(figure), change => word, same => change == FigureChange::Same, at => scenarios }
}

fn contract(diff: &Diff) -> Vec<Value> {
    let line = |line: &fabc_ir::RequireDiff| {
        let [state, measured] = require_change(line);
        let class = match &line.outcomes[1] {
            Some(outcome) if outcome.holds == Some(true) => "good",
            Some(outcome) if outcome.holds == Some(false) => "bad",
            _ => "warn",
        };
        context! { text => line.text, state, measured, class }
    };
    diff.contract.iter().map(line).collect()
}

fn faults(diff: &Diff) -> Option<Value> {
    let faults = &diff.faults;
    if faults.common == 0 && faults.alone.iter().all(Vec::is_empty) {
        return None;
    }
    let rows: Vec<Value> = faults
        .worst
        .iter()
        .map(|(figure, scenarios)| {
            let [a, b] = scenarios.each_ref().map(|scenario| value_or_none(scenario.as_ref()));
            row(figure, &if a == b { a } else { format!("{a}, {b}") })
        })
        .collect();
    let alone = |side: usize| {
        (!faults.alone[side].is_empty()).then(|| context! { mark => ["A", "B"][side], names => faults.alone[side].iter().take(MOST).collect::<Vec<_>>().iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", "), count => faults.alone[side].len() })
    };
    Some(
        context! { rows, common => faults.common, changed => faults.changed.len(), alone => [alone(0), alone(1)].into_iter().flatten().collect::<Vec<_>>() },
    )
}

fn wiring(diff: &Diff) -> Option<Value> {
    let wiring = diff.wiring.as_ref()?;
    let sentence = words::wiring_line(wiring);
    let moves: Vec<Value> = wiring
        .moves
        .iter()
        .take(MOST)
        .map(|moved| {
            let pairs = |pairs: &[[String; 2]]| {
                pairs.iter().take(MOST).map(|[a, b]| format!("{a} = {b}")).collect::<Vec<_>>()
            };
            context! { at => moved.place, gone => moved.removed.len(), new => moved.added.len(), removed => pairs(&moved.removed), added => pairs(&moved.added) }
        })
        .collect();
    let class = match wiring.outcome {
        WiringFound::Same | WiringFound::Renamed => "good",
        WiringFound::Other | WiringFound::CutOff | WiringFound::Unlike(_) => "warn",
    };
    Some(context! {
        told => sentence.strip_prefix("wiring: ").unwrap_or(&sentence),
        note => words::wiring_note(wiring),
        class,
        word => wiring.word,
        joint => wiring.joint,
        loops => loops(wiring),
        renamed => wiring.renamed.iter().take(MOST).collect::<Vec<_>>(),
        left_out => wiring.moves.len().saturating_sub(MOST),
        moves,
        picture => wiring_picture(wiring),
        removed => grouped(wiring.counts()[0] as u64),
        added => grouped(wiring.counts()[1] as u64),
        kept => grouped(wiring.joints[1].saturating_sub(wiring.counts()[1]) as u64),
    })
}

/// Connections of a cube or router with itself, which the picture does not draw. `None` if there are none.
fn loops(wiring: &WiringDiff) -> Option<String> {
    let own = wiring.pairs.iter().filter(|pair| pair.from == pair.to);
    let count: u32 = own.map(|pair| pair.kept + pair.removed + pair.added).sum();
    (count > 0).then(|| grouped(count.into()))
}

/// The figures of the cards, and what the cards call them.
const CARDS: [(&str, &str); 6] = [
    ("diameter", "Diameter"),
    ("average_hops", "Average hops"),
    ("concurrent_flow", "Concurrent flow"),
    ("bandwidth", "Bandwidth, GB/s"),
    ("max_channel_load", "Max channel load"),
    ("latency_max", "Slowest route, ns"),
];

/// The key numbers of B, each beside that of A.
fn cards(diff: &Diff) -> Vec<Value> {
    let card = |&(name, title): &(&str, &'static str)| {
        let figure = diff.figures.iter().find(|figure| figure.name == name)?;
        let exact = figure.values.each_ref().map(|side| value_or_none(side.as_ref()));
        // Whole numbers stay as they are.
        let shown = |value: &String| match value.parse() {
            Ok(number) if value.contains('.') => three_digits(number),
            _ => value.clone(),
        };
        let [a, b] = exact.each_ref().map(shown);
        let change = figure.change();
        let class = match change {
            FigureChange::Better => "good",
            FigureChange::Worse => "bad",
            FigureChange::Same | FigureChange::Other => "",
        };
        let note = match change {
            FigureChange::Same => "the same in A".to_owned(),
            _ => format!("{a} in A, {}", percent(figure)),
        };
        let exact = format!("{} in A, {} in B", exact[0], exact[1]);
        Some(context! { title, value => b, class, exact, note => note.trim_end_matches([',', ' ']) })
    };
    CARDS.iter().filter_map(card).collect()
}

fn tables(diff: &Diff) -> Vec<Value> {
    let changed = diff.tables.iter().filter(|tables| tables.outcome != TablesFound::Same);
    changed
        .take(MOST)
        .map(|tables| context! { scenario => tables.scenario, told => words::tables_change(&tables.outcome) })
        .collect()
}

fn files(diff: &Diff) -> Vec<Value> {
    let row = |(path, [different, total], bytes): (String, [usize; 2], [Option<u64>; 2])| {
        let [a, b] = bytes.map(|bytes| bytes.map_or("none".to_owned(), size));
        let counts = if path.ends_with('/') { format!("{different} of {total}") } else { String::new() };
        context! { path, what => counts, a, b }
    };
    words::changed_folders(&diff.files).into_iter().map(row).collect()
}

/// Histograms that both reports have and that differ, with bars side by side.
fn charts(diff: &Diff) -> Vec<Value> {
    let titles: [(&str, &str, &'static str, &'static str); 4] = [
        ("hops", "Distances", "hops", "ordered pairs"),
        ("route_hops", "Hops of routes", "hops", "routes"),
        ("channel_load", "Loads of channels", "routes over a channel", "channels"),
        ("vc_hops", "Hops by virtual channel", "virtual channel", "hops"),
    ];
    let histogram = |side: usize, name: &str| {
        diff.sides[side].histograms.iter().find(|(known, _)| known == name).map(|(_, values)| values)
    };
    let chart = |(name, title, x_title, y_title): (&str, &str, &'static str, &'static str)| {
        let [a, b] = [histogram(0, name)?, histogram(1, name)?];
        if a == b || a.is_empty() || b.is_empty() {
            return None;
        }
        let first =
            [a, b].iter().filter_map(|values| values.iter().position(|value| *value > 0)).min().unwrap_or(0);
        let length = a.len().max(b.len());
        let values_per_bar = (length - first).div_ceil(BARS).max(1);
        let starts = || (first..length).step_by(values_per_bar);
        let categories: Vec<String> = starts()
            .map(|start| {
                if values_per_bar == 1 {
                    start.to_string()
                } else {
                    format!("{start}-{}", start + values_per_bar - 1)
                }
            })
            .collect();
        let series = |class, name: &'static str, values: &[u64]| {
            let sums: Vec<u64> =
                starts().map(|start| values.iter().skip(start).take(values_per_bar).sum()).collect();
            let titles = sums
                .iter()
                .zip(&categories)
                .map(|(sum, category)| format!("{name}, {category}: {}", grouped(*sum)))
                .collect();
            Series { class, name, values: sums, titles }
        };
        let series = vec![series("bar one", "A", a), series("bar two", "B", b)];
        let chart = Chart {
            label: format!("{title} of A and of B"),
            height: 220.0,
            categories,
            x_title,
            y_title,
            series,
            mark: None,
        };
        Some(context! { title, svg => bars(&chart) })
    };
    titles.into_iter().filter_map(chart).collect()
}
