//! Writes an estimate as JSON (`fabc.estimate/1`).

use fabc_estimate::{Channel, EstimateRequest, EstimateRow, EstimateTable, FabricShape, crossovers};
use serde_json::{Map, Value, json};

/// Every input with its default, every row at every size, crossovers, and the quantities of the shapes.
pub fn estimate_json(request: &EstimateRequest, table: &EstimateTable) -> String {
    serde_json::to_string_pretty(&document(request, table)).unwrap_or_default() + "\n"
}

/// The JSON document of an estimate.
pub(super) fn document(request: &EstimateRequest, table: &EstimateTable) -> Value {
    let question = &request.question;
    let outer =
        question.outer.as_ref().map(|outer| {
            let mut known = json!({"shape": shape(&outer.shape, request.oversubscription), "channel": channel(&outer.channel, &outer.latencies_ns)});
            if let Some(switch_ns) = outer.switch_ns {
                known["switch_ns"] = rounded_number(switch_ns);
            }
            known
        });
    let inner_above = if question.outer.is_some() { 1.0 } else { request.oversubscription };
    let changes = crossovers(&table.rows).into_iter().map(|change| {
        let [below, above] = [change.below, change.above].map(|index| &table.rows[index].name);
        json!({"bytes": rounded_number(change.bytes), "below": below, "above": above, "fastest": change.fastest})
    });
    json!({
        "format": "fabc.estimate/1",
        "collective": question.kind.name(),
        "chips": table.chips,
        "shape": shape(&question.shape, inner_above),
        "channel": channel(&question.channel, &question.latencies_ns),
        "outer": outer,
        "switch_ns": question.switch_ns.map(rounded_number),
        "skew": rounded_number(question.skew),
        "oversubscription": rounded_number(request.oversubscription),
        "algorithm": question.algorithm,
        "sizes": request.sizes.iter().map(|&bytes| size(request, table, bytes)).collect::<Vec<_>>(),
        "crossovers": changes.collect::<Vec<_>>(),
    })
}

/// A number rounded to nine decimals, which exceeds the accuracy of every estimate.
fn rounded_number(value: f64) -> Value {
    let rounded = (value * 1e9).round() / 1e9;
    if rounded.is_finite() && rounded.fract() == 0.0 && rounded.abs() < 9e15 {
        json!(rounded as i64)
    } else if rounded.is_finite() {
        json!(rounded)
    } else {
        json!(value)
    }
}

fn channel(channel: &Channel, latencies_ns: &[f64]) -> Value {
    let mut known = json!({
        "latency_ns": rounded_number(channel.latency_ns),
        "overhead_ns": rounded_number(channel.overhead_ns),
        "bandwidth_gb_s": rounded_number(channel.bandwidth),
        "eta_latency": rounded_number(channel.derating.latency),
        "eta_bandwidth": rounded_number(channel.derating.bandwidth),
    });
    if !latencies_ns.is_empty() {
        known["latencies_ns"] = latencies_ns.iter().copied().map(rounded_number).collect();
    }
    known
}

fn shape(shape: &FabricShape, oversubscription: f64) -> Value {
    let mut known = Map::new();
    known.insert("family".to_owned(), json!(shape.family()));
    known.insert("numbers".to_owned(), json!(shape.numbers()));
    if let FabricShape::Torus { twin, .. } = shape {
        known.insert("links".to_owned(), json!(if *twin { "double" } else { "single" }));
    }
    known.extend(
        shape
            .quantities(oversubscription)
            .into_iter()
            .map(|quantity| (quantity.name.to_owned(), rounded_number(quantity.value))),
    );
    Value::Object(known)
}

fn size(request: &EstimateRequest, table: &EstimateTable, bytes: u64) -> Value {
    let mut table = table.clone();
    table.sort(bytes as f64);
    let rows = |rows: &[EstimateRow]| {
        rows.iter().map(|of_size| row(request, &table, of_size, bytes as f64)).collect::<Vec<_>>()
    };
    json!({"bytes": bytes, "algorithms": rows(&table.rows), "bounds": rows(&table.bounds)})
}

fn row(request: &EstimateRequest, table: &EstimateTable, row: &EstimateRow, bytes: f64) -> Value {
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
            "volume": rounded_number(cost.volume),
            "latency_ns": rounded_number(time.latency_ns),
            "volume_ns": rounded_number(time.volume_ns),
        })
    });
    json!({
        "name": row.name,
        "how": row.description,
        "links": row.links.name(),
        "steps": cost.steps,
        "messages": cost.messages,
        "volume": rounded_number(cost.volume),
        "latency_ns": rounded_number(time.latency_ns),
        "volume_ns": rounded_number(time.volume_ns),
        "time_ns": rounded_number(time.total_ns()),
        "algbw_gb_s": rounded_number(algbw),
        "busbw_gb_s": rounded_number(algbw * request.question.bus_factor(table.chips)),
        "even_bytes": rounded_number(row.even_bytes()),
        "below_bound": table.is_below_the_bound(row, bytes),
        "phases": phases.collect::<Vec<_>>(),
    })
}
