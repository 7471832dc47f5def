//! Links that fail at random, as a picture and its numbers.

use crate::compiled::Compiled;
use crate::measured;
use crate::svg::{self, Curve, Line, Stroke};
use fabc_ir::FailurePoint;
use minijinja::{Value, context};

/// The picture and the rows of its numbers; `None` where the spec asks for no failures, or no distances were
/// measured.
pub(super) fn failures(compiled: &Compiled) -> Option<Value> {
    let network = compiled.network.as_ref()?;
    let of = network.failures.as_ref()?;
    let points = of.curve.as_ref()?;
    let reached = || points.iter().filter_map(|point| Some((point, point.reach?)));
    let title =
        |point: &FailurePoint, what: String| format!("{} % of the links have failed: {what}", point.percent);
    let diameter = reached().map(|(point, reach)| {
        let value = f64::from(reach.diameter);
        (f64::from(point.percent), value, title(point, format!("diameter {}", reach.diameter)))
    });
    let hops = reached().map(|(point, reach)| {
        let value = reach.average_hops().as_f64();
        (f64::from(point.percent), value, title(point, format!("{value:.4} hops on average")))
    });
    let share = network.share(of.median());
    let chart = Curve {
        label: "Diameter and average hops while links fail, in the median of random orders; the table below has the numbers".to_owned(),
        x_title: "percent of the links that have failed",
        y_title: "hops",
        lines: vec![
            Line { color: "--second", points: diameter.collect(), stroke: Stroke::Bold },
            Line { color: "--accent", points: hops.collect(), stroke: Stroke::Bold },
        ],
        marks: vec![(share.as_f64() * 100.0, "falls apart".to_owned())],
    };
    Some(context! { picture => svg::curve(&chart), rows => measured::failure_rows(network) })
}
