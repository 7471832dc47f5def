//! Random link failures, as a picture with its numbers.

use crate::compiled::CompiledFabric;
use crate::measured;
use crate::svg::{self, Curve, CurveLine, Stroke};
use fabc_ir::FailurePoint;
use minijinja::{Value, context};

/// The picture and its rows. `None` if the spec declares no failures, or no distances were measured.
pub(super) fn failures(compiled: &CompiledFabric) -> Option<Value> {
    let network = compiled.network.as_ref()?;
    let curve = network.failures.as_ref()?;
    let points = curve.curve.as_ref()?;
    let connected = || points.iter().filter_map(|point| Some((point, point.reach?)));
    let title = |point: &FailurePoint, value_text: String| {
        format!("{} % of the links have failed: {value_text}", point.percent)
    };
    let diameter = connected().map(|(point, reach)| {
        let value = f64::from(reach.diameter);
        (f64::from(point.percent), value, title(point, format!("diameter {}", reach.diameter)))
    });
    let hops = connected().map(|(point, reach)| {
        let value = reach.average_hops().as_f64();
        (f64::from(point.percent), value, title(point, format!("{value:.4} hops on average")))
    });
    let share = network.share(curve.median());
    let chart = Curve {
        label: "Diameter and average hops while links fail, in the median of random orders; the table below has the numbers".to_owned(),
        x_title: "percent of the links that have failed",
        y_title: "hops",
        lines: vec![
            CurveLine { color: "--second", points: diameter.collect(), stroke: Stroke::Bold },
            CurveLine { color: "--accent", points: hops.collect(), stroke: Stroke::Bold },
        ],
        marks: vec![(share.as_f64() * 100.0, "disconnected".to_owned())],
    };
    Some(context! { picture => svg::curve(&chart), rows => measured::failure_rows(network) })
}
