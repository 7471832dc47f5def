//! The figures of two reports, side by side.

use fabc_ir::read::{ReportFigures, RequireLine};
use fabc_ir::{FaultsDiff, FigureDiff, RequireDiff, RequireState, SIZES};
use fabc_model::{Direction, figure_direction};
use std::collections::{BTreeMap, BTreeSet};

/// All figures of the healthy fabrics, in the order of A's report, then those that only B has.
pub fn figures(reports: [&ReportFigures; 2]) -> Vec<FigureDiff> {
    side_by_side(reports.map(|report| &report.figures[..]), are_as_large(reports))
}

/// Whether both fabrics have the same number of routers and endpoints, as far as both reports state it. A
/// smaller fabric has fewer hops without being better.
fn are_as_large(reports: [&ReportFigures; 2]) -> bool {
    let size_of = |report: &ReportFigures, name: &str| {
        report.figures.iter().find(|(figure, _)| figure == name).map(|(_, value)| value.clone())
    };
    SIZES.iter().all(|name| match reports.map(|report| size_of(report, name)) {
        [Some(a), Some(b)] => a == b,
        _ => true,
    })
}

fn side_by_side(sides: [&[(String, String)]; 2], as_large: bool) -> Vec<FigureDiff> {
    let [a, b] = sides.map(|figures| {
        figures.iter().map(|(name, value)| (name.as_str(), value)).collect::<BTreeMap<_, _>>()
    });
    let mut seen = BTreeSet::new();
    let names = sides.into_iter().flatten().map(|(name, _)| name.as_str()).filter(|name| seen.insert(*name));
    let figure_diff = |name: &str| FigureDiff {
        name: name.to_owned(),
        direction: if as_large { figure_direction(name) } else { Direction::Neither },
        values: [a.get(name), b.get(name)].map(|value| value.map(|value| (*value).clone())),
    };
    names.map(figure_diff).collect()
}

/// All `require` lines: those of B in their order, then those that only A has.
pub fn contract(reports: [&ReportFigures; 2]) -> Vec<RequireDiff> {
    let state = |line: &RequireLine| RequireState {
        holds: line.holds,
        measured: line.measured.clone(),
        scenario: line.scenario.clone(),
    };
    let outcomes =
        |text: &str| reports.map(|report| report.requires.iter().find(|line| line.text == text).map(state));
    let mut seen = BTreeSet::new();
    let texts = reports[1]
        .requires
        .iter()
        .chain(&reports[0].requires)
        .map(|line| line.text.as_str())
        .filter(|text| seen.insert(*text));
    texts.map(|text| RequireDiff { text: text.to_owned(), outcomes: outcomes(text) }).collect()
}

/// The differences in tolerated faults and in their worst figures.
pub fn faults(reports: [&ReportFigures; 2]) -> FaultsDiff {
    let [a, b] = reports.map(|report| {
        report.scenarios.iter().map(|(name, figures)| (name.as_str(), figures)).collect::<BTreeMap<_, _>>()
    });
    let only_in = |report: &ReportFigures, different: &BTreeMap<_, _>| {
        report
            .scenarios
            .iter()
            .map(|(name, _)| name)
            .filter(|name| !different.contains_key(name.as_str()))
            .cloned()
            .collect::<Vec<_>>()
    };
    let changed = reports[1].scenarios.iter().filter_map(|(name, new)| {
        let different: Vec<FigureDiff> = side_by_side([a.get(name.as_str())?, new], are_as_large(reports))
            .into_iter()
            .filter(|figure| figure.values[0] != figure.values[1])
            .collect();
        (!different.is_empty()).then(|| (name.clone(), different))
    });
    let worst = reports.map(|report| {
        report
            .worst
            .iter()
            .map(|(metric, value, _)| (format!("fault.{metric}"), value.clone()))
            .collect::<Vec<_>>()
    });
    let worst = side_by_side([&worst[0], &worst[1]], are_as_large(reports)).into_iter().map(|figure| {
        let scenario = |report: &ReportFigures| {
            report
                .worst
                .iter()
                .find(|(metric, ..)| figure.name.ends_with(&format!(".{metric}")))
                .map(|(.., scenario_name)| scenario_name.clone())
        };
        let scenario_name = reports.map(scenario);
        (figure, scenario_name)
    });
    FaultsDiff {
        common: a.keys().filter(|name| b.contains_key(*name)).count(),
        alone: [only_in(reports[0], &b), only_in(reports[1], &a)],
        worst: worst.collect(),
        changed: changed.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabc_ir::FigureChange;

    fn figure(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn figures_are_better_worse_or_other() {
        let a = ReportFigures {
            figures: vec![
                figure("diameter", "6"),
                figure("bandwidth", "100"),
                figure("cubes", "4"),
                figure("cost", "1"),
            ],
            ..ReportFigures::default()
        };
        let b = ReportFigures {
            figures: vec![
                figure("diameter", "7"),
                figure("bandwidth", "110"),
                figure("cubes", "8"),
                figure("hosts", "1"),
            ],
            ..ReportFigures::default()
        };
        let told: Vec<(String, FigureChange, Option<f64>)> = figures([&a, &b])
            .into_iter()
            .map(|figure| (figure.name.clone(), figure.change(), figure.relative()))
            .collect();
        let expected = [
            ("diameter", FigureChange::Worse, Some(1.0 / 6.0)),
            ("bandwidth", FigureChange::Better, Some(0.1)),
            ("cubes", FigureChange::Other, Some(1.0)),
            ("cost", FigureChange::Other, None),
            ("hosts", FigureChange::Other, None),
        ];
        assert_eq!(told, expected.map(|(name, change, relative)| (name.to_owned(), change, relative)));
    }

    #[test]
    fn a_smaller_fabric_is_neither_better_nor_worse() {
        let of = |nodes: &str, hops: &str| ReportFigures {
            figures: vec![figure("nodes", nodes), figure("average_hops", hops)],
            worst: vec![("average_hops".to_owned(), hops.to_owned(), "X".to_owned())],
            ..ReportFigures::default()
        };
        let change = |a: &ReportFigures, b: &ReportFigures| {
            (figures([a, b])[1].change(), faults([a, b]).worst[0].0.change())
        };
        assert_eq!(change(&of("8", "2.5"), &of("7", "2.4")), (FigureChange::Other, FigureChange::Other));
        assert_eq!(change(&of("8", "2.5"), &of("8", "2.4")), (FigureChange::Better, FigureChange::Better));
    }

    #[test]
    fn lines_of_the_contract_come_and_go() {
        let line = |text: &str, holds| RequireLine {
            text: text.to_owned(),
            measured: Some("5".to_owned()),
            holds,
            scenario: None,
        };
        let a = ReportFigures {
            requires: vec![line("diameter <= 6", Some(true)), line("diameter <= 5", Some(true))],
            ..ReportFigures::default()
        };
        let b = ReportFigures {
            requires: vec![line("diameter <= 6", Some(true)), line("diameter <= 4", Some(false))],
            ..ReportFigures::default()
        };
        let told: Vec<(String, bool)> =
            contract([&a, &b]).into_iter().map(|line| (line.text.clone(), line.is_other())).collect();
        assert_eq!(
            told,
            [("diameter <= 6", false), ("diameter <= 4", true), ("diameter <= 5", true)]
                .map(|(text, other)| (text.to_owned(), other))
        );
    }

    #[test]
    fn faults_are_compared_by_name() {
        let a = ReportFigures {
            worst: vec![("diameter".to_owned(), "7".to_owned(), "X".to_owned())],
            scenarios: vec![
                ("X".to_owned(), vec![figure("diameter", "7")]),
                ("Y".to_owned(), vec![figure("diameter", "6")]),
            ],
            ..ReportFigures::default()
        };
        let b = ReportFigures {
            worst: vec![("diameter".to_owned(), "6".to_owned(), "Z".to_owned())],
            scenarios: vec![
                ("X".to_owned(), vec![figure("diameter", "6")]),
                ("Z".to_owned(), vec![figure("diameter", "6")]),
            ],
            ..ReportFigures::default()
        };
        let found = faults([&a, &b]);
        assert_eq!((found.common, found.alone.clone()), (1, [vec!["Y".to_owned()], vec!["Z".to_owned()]]));
        assert_eq!(
            (found.worst[0].0.name.as_str(), found.worst[0].0.change()),
            ("fault.diameter", FigureChange::Better)
        );
        assert_eq!(found.worst[0].1, [Some("X".to_owned()), Some("Z".to_owned())]);
        assert_eq!((found.changed.len(), found.changed[0].0.as_str()), (1, "X"));
    }
}
