//! `report.json` (`fabc.report/1`) and `simulations/*.json`, as far as builds are compared: figures by their
//! names in specs.

use super::json::json;
use serde_json::Value;

/// The figures of a report, by name.
#[derive(Default)]
pub struct ReportFigures {
    /// (name, value) of the healthy fabric.
    pub figures: Vec<(String, String)>,
    /// (metric, value, fault) of the worst fault by each metric.
    pub worst: Vec<(String, String, String)>,
    /// (fault, its figures as (name, value)).
    pub scenarios: Vec<(String, Vec<(String, String)>)>,
    pub requires: Vec<RequireLine>,
    /// (name, counts): `counts[value]` is how often the value occurs.
    pub histograms: Vec<(String, Vec<u64>)>,
}

/// The outcome of a `require`.
pub struct RequireLine {
    pub text: String,
    pub measured: Option<String>,
    pub holds: Option<bool>,
    pub scenario: Option<String>,
}

impl ReportFigures {
    /// Reads a `report.json`.
    ///
    /// # Errors
    /// The file is no report, or a line of `requires` has no text.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let report: Value = json(bytes)?;
        match report["format"].as_str() {
            Some("fabc.report/1") => {}
            format => {
                return Err(format!(
                    "its format is `{}`, but this fabc reads `fabc.report/1`",
                    format.unwrap_or_default()
                ));
            }
        }
        let mut figures = Vec::new();
        for size in ["nodes", "endpoints", "links", "cubes"] {
            figures.extend(number(&report[size]).map(|value| (size.to_owned(), value)));
        }
        figures.extend(metrics(&report["metrics"]));
        push_below(&mut figures, "bounds.", &report["bounds"], &["universal", "witness"]);
        for name in ["value", "share"] {
            figures.extend(
                number(&report["bounds"]["universal"][name])
                    .map(|value| (format!("bounds.universal.{name}"), value)),
            );
        }
        push_network(&mut figures, &report["network"]);
        push_below(&mut figures, "", &report["hardware"], &[]);
        // The hardware counts cables already. Reports of older versions have none.
        let counted: &[&str] = if report["hardware"].is_object() { &["cables"] } else { &[] };
        push_below(&mut figures, "", &report["floor"], &[&["by_link", "clusters"], counted].concat());
        figures.extend(number(&report["gain"]["ratio"][0]).map(|value| ("gain".to_owned(), value)));
        push_below(&mut figures, "tables.", &report["tables"], &[]);
        for collective in lines(&report["collectives"]) {
            push_collective(&mut figures, collective);
        }
        for (name, place) in [("makespan", "cycles"), ("makespan.bound", "bound_cycles")] {
            figures.extend(number(&report["makespan"][place]).map(|value| (name.to_owned(), value)));
        }
        let worst = fields(&report["worst"]).filter_map(|(metric, worst)| {
            let scenario = worst["scenario"].as_str()?.to_owned();
            Some((metric.clone(), certified(&worst["value"])?, scenario))
        });
        let require = |line: &Value| {
            let text = line["require"].as_str().ok_or("a line of `requires` has no text")?.to_owned();
            let (measured, scenario) =
                (number(&line["measured"]), line["scenario"].as_str().map(str::to_owned));
            Ok(RequireLine { text, measured, holds: line["holds"].as_bool(), scenario })
        };
        Ok(Self {
            worst: worst.collect(),
            scenarios: fields(&report["scenarios"]).map(|(name, of)| (name.clone(), metrics(of))).collect(),
            requires: lines(&report["requires"]).map(require).collect::<Result<_, String>>()?,
            histograms: histograms(&report["histograms"]),
            figures,
        })
    }

    /// Adds the figures of a simulation.
    ///
    /// # Errors
    /// The file is no JSON, or names no simulation.
    pub fn add_simulation(&mut self, bytes: &[u8]) -> Result<(), String> {
        let file: Value = json(bytes)?;
        let Some(name) = file["simulation"].as_str() else { return Err("it names no simulation".to_owned()) };
        let scenarios: Vec<&Value> = lines(&file["scenarios"]).collect();
        let Some((nominal, faults)) = scenarios.split_first() else { return Ok(()) };
        // The worst seed counts, and of all faults the worst.
        let places: [(&str, &str, &str, bool); 4] = [
            ("saturation", "saturation", "low", true),
            ("share", "saturation", "share", true),
            ("time_us", "completions", "us", false),
            ("share", "completions", "share", true),
        ];
        for (metric, place, field, more) in places {
            let worst = |scenarios: &[&Value]| {
                let runs = scenarios.iter().flat_map(|scenario| lines(&scenario[place]));
                let values = runs.filter_map(|run| run[field].as_f64());
                values.reduce(|first, second| if more { first.min(second) } else { first.max(second) })
            };
            for (prefix, scenarios) in [("", &[*nominal][..]), ("fault.", faults)] {
                self.figures.extend(
                    worst(scenarios).map(|value| (format!("{prefix}{name}.{metric}"), value.to_string())),
                );
            }
        }
        Ok(())
    }
}

/// The metrics of a scenario. A flow is an interval, whose certified value is the lower bound.
fn metrics(of: &Value) -> Vec<(String, String)> {
    let figures = fields(of).flat_map(|(name, value)| {
        let upper = number(&value[1]).map(|upper| (format!("{name}.upper"), upper));
        certified(value).map(|value| (name.clone(), value)).into_iter().chain(upper)
    });
    figures.collect()
}

fn push_network(figures: &mut Vec<(String, String)>, network: &Value) {
    for size in ["routers", "hosts"] {
        figures.extend(number(&network[size]).map(|value| (size.to_owned(), value)));
    }
    figures.extend(number(&network["bisection"]["at_least"]).map(|value| ("bisection".to_owned(), value)));
    push_below(figures, "bisection.", &network["bisection"], &["at_least"]);
    let host_bisection = &network["host_bisection"];
    for (name, key) in [("host_bisection", "at_least"), ("host_bisection_bandwidth", "bandwidth")] {
        figures.extend(number(&host_bisection[key]).map(|value| (name.to_owned(), value)));
    }
    push_below(figures, "host_bisection.", host_bisection, &["at_least", "bandwidth"]);
    for (name, of) in [
        ("shortest_paths", &network["shortest_paths"]["mean"]),
        ("shortest_paths.single_share", &network["shortest_paths"]["single_share"]),
        ("edge_connectivity", &network["edge_connectivity"]),
        ("disconnect_share", &network["failures"]["disconnect_share"]["median"]),
        ("disconnect_share.least", &network["failures"]["disconnect_share"]["least"]),
        ("disconnect_share.most", &network["failures"]["disconnect_share"]["most"]),
    ] {
        figures.extend(number(of).map(|value| (name.to_owned(), value)));
    }
    push_below(figures, "", &network["hardware"], &[]);
    // With those of hosts, cables are counted already.
    push_below(figures, "", &network["floor"], &["by_link", "clusters", "cables"]);
}

fn push_collective(figures: &mut Vec<(String, String)>, of: &Value) {
    let Some(name) = of["name"].as_str() else { return };
    let worst = of["worst_fault"].as_str();
    let fault = lines(&of["scenarios"]).find(|line| worst.is_some() && line["scenario"].as_str() == worst);
    for (prefix, line) in [("", Some(of)), ("fault.", fault)] {
        for (metric, field) in [
            ("time", "time_ns"),
            ("share", "share"),
            ("steps", "steps"),
            ("volume", "volume"),
            ("bandwidth", "bandwidth"),
        ] {
            let value = line.and_then(|line| number(&line[field]));
            figures.extend(value.map(|value| (format!("{prefix}{name}.{metric}"), value)));
        }
    }
}

/// Adds all numbers below a value, named by their place.
fn push_below(figures: &mut Vec<(String, String)>, prefix: &str, value: &Value, left_out: &[&str]) {
    for (name, value) in fields(value).filter(|(name, _)| !left_out.contains(&name.as_str())) {
        match number(value) {
            Some(value) => figures.push((format!("{prefix}{name}"), value)),
            None => push_below(figures, &format!("{prefix}{name}."), value, left_out),
        }
    }
}

/// `[value]`: how often it occurs. The file lists these counts, or pairs of a value and its count.
fn histograms(of: &Value) -> Vec<(String, Vec<u64>)> {
    let histogram = |(name, values): (&String, &Value)| {
        let mut counts = Vec::new();
        for (at, value) in lines(values).enumerate() {
            let (at, count) = match value.as_u64() {
                Some(count) => (at, count),
                None => (usize::try_from(value[0].as_u64()?).ok()?, value[1].as_u64()?),
            };
            // Such a histogram is too wide for a page.
            if at > MOST_BARS {
                return None;
            }
            counts.resize(counts.len().max(at + 1), 0);
            counts[at] += count;
        }
        Some((name.clone(), counts))
    };
    fields(of).filter_map(histogram).collect()
}

/// The most values of a histogram that is shown.
const MOST_BARS: usize = 4096;

fn fields(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn lines(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn certified(value: &Value) -> Option<String> {
    number(value).or_else(|| number(&value[0]))
}

fn number(value: &Value) -> Option<String> {
    value.as_number().map(ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_the_names_of_specs() {
        let report = br#"{"format":"fabc.report/1","fabric":"p","nodes":16,"metrics":{"diameter":4,"concurrent_flow":[0.25,0.5],"latency":null},
            "bounds":{"distance":0.5,"trees":{"at_least":1,"witness":["X"]}},"network":{"routers":16,"bisection":{"at_least":8,"at_most":9},"hardware":{"cables":5,"cost_per_host":null},"floor":{"cables":4,"cost":3}},
            "scenarios":{"X":{"diameter":5}},"worst":{"diameter":{"value":5,"scenario":"X"}},
            "histograms":{"hops":[0,3],"channel_load":[[2,7]]},
            "requires":[{"require":"diameter <= 4","measured":4,"holds":true,"scenario":null}],
            "collectives":[{"name":"g","time_ns":7,"worst_fault":"X","scenarios":[{"scenario":"X","time_ns":9}]}]}"#;
        let mut report = ReportFigures::read(report).unwrap();
        report
            .add_simulation(
                br#"{"simulation":"s","scenarios":[{"saturation":[{"low":0.5},{"low":0.25}]},{"saturation":[{"low":0.125}]}]}"#,
            )
            .unwrap();
        let figures: Vec<String> =
            report.figures.iter().map(|(name, value)| format!("{name} {value}")).collect();
        let told = "nodes 16, diameter 4, concurrent_flow 0.25, concurrent_flow.upper 0.5, bounds.distance 0.5, bounds.trees.at_least 1, \
                    routers 16, bisection 8, bisection.at_most 9, cables 5, cost 3, g.time 7, fault.g.time 9, s.saturation 0.25, fault.s.saturation 0.125";
        assert_eq!(figures.join(", "), told);
        assert_eq!(report.worst, [("diameter".to_owned(), "5".to_owned(), "X".to_owned())]);
        assert_eq!(
            report.histograms,
            [("hops".to_owned(), vec![0, 3]), ("channel_load".to_owned(), vec![0, 0, 7])]
        );
        assert!(
            ReportFigures::read(b"{\"format\":\"fabc.report/9\"}").is_err()
                && ReportFigures::read(b"{").is_err()
        );
    }
}
