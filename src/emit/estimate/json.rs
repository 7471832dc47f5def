//! `fabc.estimate/1`.

use fabc_estimate::{Ask, Channel, Row, Shape, Table, crossovers};
use serde_json::{Map, Value, json};

/// Every input with its default, every row at every size, crossovers, and what else the shape says.
pub fn estimate_json(asked: &Ask, table: &Table) -> String {
    serde_json::to_string_pretty(&document(asked, table)).unwrap_or_default() + "\n"
}

/// The whole of it.
pub(super) fn document(asked: &Ask, table: &Table) -> Value {
    let question = &asked.question;
    let outer =
        question.over.as_ref().map(|over| json!({"shape": shape(&over.shape, asked.oversubscription), "channel": channel(&over.channel)}));
    let inner_above = if question.over.is_some() { 1.0 } else { asked.oversubscription };
    let changes = crossovers(&table.rows).into_iter().map(|change| {
        let [below, above] = [change.below, change.above].map(|at| &table.rows[at].name);
        json!({"bytes": number(change.bytes), "below": below, "above": above, "fastest": change.fastest})
    });
    json!({
        "format": "fabc.estimate/1",
        "collective": question.kind.name(),
        "chips": table.chips,
        "shape": shape(&question.shape, inner_above),
        "channel": channel(&question.channel),
        "outer": outer,
        "switch_ns": question.switch_ns.map(number),
        "skew": number(question.skew),
        "oversubscription": number(asked.oversubscription),
        "algorithm": question.algorithm,
        "sizes": asked.sizes.iter().map(|&bytes| size(asked, table, bytes)).collect::<Vec<_>>(),
        "crossovers": changes.collect::<Vec<_>>(),
    })
}

/// Nine digits behind the point are more than any of these is good for.
fn number(value: f64) -> Value {
    let rounded = (value * 1e9).round() / 1e9;
    if rounded.is_finite() && rounded.fract() == 0.0 && rounded.abs() < 9e15 {
        json!(rounded as i64)
    } else if rounded.is_finite() {
        json!(rounded)
    } else {
        json!(value)
    }
}

fn channel(channel: &Channel) -> Value {
    json!({
        "latency_ns": number(channel.latency_ns),
        "overhead_ns": number(channel.overhead_ns),
        "bandwidth_gb_s": number(channel.bandwidth),
        "eta_latency": number(channel.derating.latency),
        "eta_bandwidth": number(channel.derating.bandwidth),
    })
}

fn shape(shape: &Shape, oversubscription: f64) -> Value {
    let mut known = Map::new();
    known.insert("family".to_owned(), json!(shape.family()));
    known.insert("numbers".to_owned(), json!(shape.numbers()));
    if let Shape::Torus { twin, .. } = shape {
        known.insert("links".to_owned(), json!(if *twin { "double" } else { "single" }));
    }
    known.extend(
        shape
            .quantities(oversubscription)
            .into_iter()
            .map(|quantity| (quantity.name.to_owned(), number(quantity.value))),
    );
    Value::Object(known)
}

fn size(asked: &Ask, table: &Table, bytes: u64) -> Value {
    let mut table = table.clone();
    table.sort(bytes as f64);
    let rows = |rows: &[Row]| rows.iter().map(|of| row(asked, &table, of, bytes as f64)).collect::<Vec<_>>();
    json!({"bytes": bytes, "algorithms": rows(&table.rows), "bounds": rows(&table.bounds)})
}

fn row(asked: &Ask, table: &Table, row: &Row, bytes: f64) -> Value {
    let (time, cost) = (row.time(bytes), row.cost());
    let algbw = bytes / time.total_ns();
    let phases = row.phases.iter().map(|phase| {
        let (time, cost) = (phase.time(bytes), phase.cost());
        json!({
            "collective": phase.kind.name(),
            "level": phase.level.name(),
            "algorithm": phase.algorithm.name,
            "steps": cost.steps,
            "messages": cost.messages,
            "volume": number(cost.volume),
            "latency_ns": number(time.latency_ns),
            "volume_ns": number(time.volume_ns),
        })
    });
    json!({
        "name": row.name,
        "how": row.what,
        "links": row.links.name(),
        "steps": cost.steps,
        "messages": cost.messages,
        "volume": number(cost.volume),
        "latency_ns": number(time.latency_ns),
        "volume_ns": number(time.volume_ns),
        "time_ns": number(time.total_ns()),
        "algbw_gb_s": number(algbw),
        "busbw_gb_s": number(algbw * asked.question.bus_factor(table.chips)),
        "even_bytes": number(row.even_bytes()),
        "below_bound": table.is_below_the_bound(row, bytes),
        "phases": phases.collect::<Vec<_>>(),
    })
}
