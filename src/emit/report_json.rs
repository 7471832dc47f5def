//! `report.json` (`fabc.report/1`): metrics, bounds, histograms, scenarios, requires and passes for programs.

use super::collective::push_declared;
use super::design_space;
use super::json::{push, push_lines, push_numbers, push_object, quote, strings};
use super::number::{FLOW_DIGITS, fixed, lower, ratio, round_down_sig, upper};
use super::tables::canonical;
use crate::compiled::{Compiled, CompiledPod};
use fabc_ir::{
    FailureCurve, Fraction, LimitArgument, Makespan, NetworkMetrics, ScenarioMetrics, TradeOff, TreeBounds,
    makespans, worst,
};
use fabc_model::{CollectiveMetric, FloorMetric, Metric, Scale};

/// The file's text.
pub(super) fn json(compiled: &Compiled) -> String {
    let Compiled { fabric, scenarios, .. } = compiled;
    let uniform = compiled.pod.as_ref().and_then(|pod| pod.uniform.as_ref());
    let nominal = &scenarios[0];
    let mut out = format!("{{\"format\":\"fabc.report/1\",\"fabric\":{},", quote(&fabric.name));
    push(&mut out, format_args!("\"nodes\":{},", compiled.topology.node_count()));
    match fabric.pod() {
        Some(pod) => push(&mut out, format_args!("\"cubes\":{},\n", pod.cubes)),
        None => push(
            &mut out,
            format_args!(
                "\"endpoints\":{},\"links\":{},\n",
                nominal.metrics.endpoints,
                compiled.topology.links().len()
            ),
        ),
    }
    push(&mut out, format_args!("\"metrics\":{{{}}},\n", metrics(&nominal.metrics)));
    push(
        &mut out,
        format_args!(
            "\"bounds\":{{{}}},\n",
            bounds(&nominal.metrics) + &trees(compiled) + &universal(compiled)
        ),
    );
    push_network(&mut out, compiled);
    if compiled.network.is_none() && compiled.cables.is_some() {
        super::floor::push_report(&mut out, compiled);
        out.push_str(",\n");
    }
    if let Some(uniform) = uniform {
        let (least, most) = uniform.gain(&nominal.metrics);
        let (low, high) = (lower(uniform.flow_low), upper(uniform.flow_high));
        push(
            &mut out,
            format_args!(
                "\"gain\":{{\"uniform_topology\":[{low},{high}],\"ratio\":[{},{}]}},\n",
                lower(least),
                upper(most)
            ),
        );
    }
    push_histograms(&mut out, &nominal.metrics);
    match (&nominal.metrics.routed, &nominal.routed) {
        (Some(walk), Some(routed)) => {
            let mean = nominal.metrics.mean_entries().map_or("null".to_owned(), ratio);
            let canonical = canonical(&routed.tables.symmetry, compiled.topology.symmetry());
            push(
                &mut out,
                format_args!(
                    "\"tables\":{{\"entries_max\":{},\"entries_mean\":{mean},\"canonical\":{canonical}}},\n",
                    walk.entries_max
                ),
            );
        }
        _ => out.push_str("\"tables\":{\"entries_max\":null,\"entries_mean\":null,\"canonical\":null},\n"),
    }
    out.push_str("\"scenarios\":");
    push_object(
        &mut out,
        scenarios.iter().filter(|scenario| !scenario.scenario.is_nominal()),
        |out, scenario| {
            let of = &scenario.metrics;
            let mean = |value: Option<Fraction>| value.map_or("null".to_owned(), ratio);
            let (load, hops) = (mean(of.mean_channel_load()), mean(of.mean_route_hops()));
            push(out, format_args!("{}:{{{},{},", quote(&scenario.scenario.name), metrics(of), bounds(of)));
            push(out, format_args!("\"mean_channel_load\":{load},\"mean_route_hops\":{hops}}}"));
        },
    );
    out.push_str(",\n\"worst\":");
    let all = compiled.metrics();
    let worst = Metric::ALL.into_iter().filter_map(|metric| worst(&all, metric).map(|found| (metric, found)));
    push_object(&mut out, worst, |out, (metric, (value, scenario))| {
        push(
            out,
            format_args!(
                "\"{}\":{{\"value\":{},\"scenario\":{}}}",
                metric.name(),
                metric_value(metric, value),
                quote(scenario)
            ),
        );
    });
    out.push_str(",\n\"requires\":");
    push_lines(&mut out, &compiled.requires, |out, outcome| {
        let measured =
            outcome.measured_text(|value, more| metric_digits(outcome.require.metric, value, more));
        let measured = measured.unwrap_or("null".to_owned());
        let holds = outcome.holds().map_or("null".to_owned(), |holds| holds.to_string());
        let scenario = outcome.scenario.as_deref().map_or("null".to_owned(), quote);
        let text = quote(&outcome.require.text());
        let share = matches!(outcome.require.scale, Scale::ShareOf(_));
        let wanted = outcome
            .wanted
            .filter(|_| share)
            .map(|wanted| format!("\"wanted\":{},", metric_value(outcome.require.metric, wanted)));
        let wanted = wanted.unwrap_or_default();
        push(
            out,
            format_args!(
                "{{\"require\":{text},\"measured\":{measured},{wanted}\"holds\":{holds},\"scenario\":{scenario}}}"
            ),
        );
    });
    out.push_str(",\n");
    push_declared(&mut out, compiled);
    if let Some(all) = makespans(&compiled.fabric, &compiled.collectives) {
        let Makespan { end, least } = Makespan::of_all(&all);
        push(&mut out, format_args!("\"makespan\":{{\"cycles\":{end},\"bound_cycles\":{least}}},\n"));
    }
    out.push_str("\"passes\":");
    push_lines(&mut out, &compiled.passes, |out, pass| {
        let counters: Vec<String> =
            pass.counters.iter().map(|(name, count)| format!("{}:{count}", quote(name))).collect();
        push(
            out,
            format_args!("{{\"name\":{},\"stopped_by\":{},", quote(&pass.name), quote(&pass.stopped_by)),
        );
        push(out, format_args!("\"counters\":{{{}}}", counters.join(",")));
        if !pass.notes.is_empty() {
            let notes: Vec<String> = pass.notes.iter().map(|note| quote(note)).collect();
            push(out, format_args!(",\"notes\":[{}]", notes.join(",")));
        }
        out.push('}');
    });
    out.push_str("}\n");
    out
}

/// A metric's value as every artifact prints it: integers plain, flows rounded down, other ratios with 6
/// decimals.
pub(super) fn metric_value(metric: Metric, value: Fraction) -> String {
    metric_digits(metric, value, 0)
}

/// The same, with so many digits more.
fn metric_digits(metric: Metric, value: Fraction, more: usize) -> String {
    match metric {
        Metric::Diameter | Metric::DisjointTrees => value.floor().to_string(),
        Metric::Collective(CollectiveMetric::Steps) => value.floor().to_string(),
        Metric::Graph(metric) if metric.is_count() => value.floor().to_string(),
        Metric::Floor(FloorMetric::Bundles) => value.floor().to_string(),
        // Loads are whole, unless links carry unlike.
        Metric::MaxChannelLoad if value.is_whole() => value.floor().to_string(),
        Metric::MaxChannelLoad if more == 0 => ratio(value),
        Metric::MaxChannelLoad => fixed(value, 6 + more as u32),
        Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth => {
            round_down_sig(value, FLOW_DIGITS + more)
        }
        _ if more == 0 => ratio(value),
        _ => fixed(value, 6 + more as u32),
    }
}

fn metrics(of: &ScenarioMetrics) -> String {
    let fields: Vec<String> = Metric::ALL
        .into_iter()
        .map(|metric| {
            let value = match (metric, of.value(metric)) {
                (Metric::ConcurrentFlow, _) => of
                    .flow_high
                    .map_or("null".to_owned(), |high| format!("[{},{}]", lower(of.flow_low), upper(high))),
                (_, Some(value)) => metric_value(metric, value),
                (_, None) => "null".to_owned(),
            };
            format!("\"{}\":{value}", metric.name())
        })
        .collect();
    fields.join(",")
}

fn bounds(of: &ScenarioMetrics) -> String {
    let distance = of.distance_bound().map_or("null".to_owned(), upper);
    format!("\"distance\":{distance},\"load\":{}", metric_value(Metric::MaxChannelLoad, of.load_bound()))
}

/// `,"trees":{..}`: how many OCS-disjoint spanning trees there can be.
fn trees(compiled: &Compiled) -> String {
    let Some((pod, CompiledPod { tree_bounds: TreeBounds { at_least, at_most, witness }, .. })) =
        compiled.pod()
    else {
        return String::new();
    };
    let witness = strings(witness.iter().map(|&ocs| &pod.ocses[ocs].name));
    format!(",\"trees\":{{\"at_least\":{at_least},\"at_most\":{at_most},\"witness\":{witness}}}")
}

/// `,"universal":{..}`: the limit, what proves it, and how much of it is reached.
fn universal(compiled: &Compiled) -> String {
    let Some(limit) = compiled.pod.as_ref().and_then(|pod| pod.limit.as_ref()) else { return String::new() };
    let argument = match &limit.argument {
        LimitArgument::Tree { copper, fiber, levels } => {
            let copper: Vec<String> = copper.iter().map(|planes| numbers(planes)).collect();
            format!(
                "\"kind\":\"tree\",\"copper\":[{}],\"fiber\":{fiber},\"levels\":{levels}",
                copper.join(",")
            )
        }
        LimitArgument::OneHop { fiber, prices, deficits: [other, own] } => {
            let prices = numbers(prices);
            format!("\"kind\":\"one_hop\",\"fiber\":{fiber},\"prices\":{prices},\"deficits\":[{other},{own}]")
        }
        LimitArgument::Plane { axis, below } => {
            format!("\"kind\":\"plane\",\"axis\":{axis},\"below\":{below}")
        }
        LimitArgument::Cubes { first, count } => {
            format!("\"kind\":\"cubes\",\"first\":{first},\"count\":{count}")
        }
    };
    let (value, share) =
        (upper(limit.value()), ratio(compiled.scenarios[0].metrics.flow_low.over(limit.value())));
    let (volume, distance, optimal) = (limit.volume, limit.distance, compiled.is_optimal());
    format!(
        ",\"universal\":{{\"value\":{value},\"share\":{share},\"optimal\":{optimal},\
         \"volume\":{volume},\"distance\":{distance},\"argument\":{{{argument}}}}}"
    )
}

fn numbers(values: &[u32]) -> String {
    let mut out = String::new();
    push_numbers(&mut out, values);
    out
}

/// `"network":{..},`: what was measured of the graph of a network.
fn push_network(out: &mut String, compiled: &Compiled) {
    let Some(network) = &compiled.network else { return };
    let NetworkMetrics {
        routers,
        hosts,
        links,
        endpoint_links,
        bisection,
        paths,
        edge_connectivity,
        failures,
        ..
    } = network;
    push(
        out,
        format_args!(
            "\"network\":{{\"routers\":{routers},\"hosts\":{hosts},\"links\":{links},\n\"bisection\":"
        ),
    );
    match bisection {
        None => out.push_str("null"),
        Some(of) => {
            let shares = [of.least(), of.most].map(|links| ratio(network.share(links)));
            let of_endpoints = ratio(Fraction::new(of.at_endpoints, (*endpoint_links).max(1)));
            let flow = of.flow().map_or("null".to_owned(), upper);
            push(out, format_args!("{{\"at_least\":{},\"at_most\":{},", of.least(), of.most));
            push(out, format_args!("\"at_least_share\":{},\"at_most_share\":{},", shares[0], shares[1]));
            push(
                out,
                format_args!(
                    "\"at_endpoints\":{},\"at_endpoints_share\":{of_endpoints},\"flow\":{flow}}}",
                    of.at_endpoints
                ),
            );
        }
    }
    out.push_str(",\n\"shortest_paths\":");
    match paths {
        None => out.push_str("null"),
        Some(paths) => {
            let all = paths.all();
            let [mean, single] =
                [all.mean(), all.single_share()].map(|value| value.map_or("null".to_owned(), ratio));
            push(out, format_args!("{{\"mean\":{mean},\"single_share\":{single},\"by_distance\":"));
            push_lines(out, (1..).zip(&paths.at).filter(|(_, at)| at.pairs > 0), |out, (distance, at)| {
                let mean = at.mean().map_or("null".to_owned(), ratio);
                push(
                    out,
                    format_args!(
                        "{{\"distance\":{distance},\"pairs\":{},\"single\":{},",
                        at.pairs, at.single
                    ),
                );
                push(out, format_args!("\"mean\":{mean},\"fewest\":{},\"most\":{}}}", at.fewest, at.most));
            });
            out.push('}');
        }
    }
    let connectivity = edge_connectivity.map_or("null".to_owned(), |links| links.to_string());
    push(out, format_args!(",\n\"edge_connectivity\":{connectivity}"));
    if let Some(failures) = failures {
        push_failures(out, network, failures);
    }
    if compiled.cables.is_some() {
        out.push_str(",\n");
        super::floor::push_report(out, compiled);
    }
    if !compiled.trade_off.is_empty() {
        out.push_str(",\n\"trade_off\":");
        push_lines(out, &compiled.trade_off, |out, of| {
            let TradeOff { weight, distances, cable, flow } = of;
            push(
                out,
                format_args!(
                    "{{\"weight\":{weight},\"distances\":{distances},\"cable\":{cable},\"concurrent_flow\":{}}}",
                    lower(*flow)
                ),
            );
        });
    }
    if let Some(space) = design_space::of(compiled) {
        push(
            out,
            format_args!(
                ",\n\"design_space\":{{\"radix\":{},\"moore_bound\":{},\"designs\":",
                space.radix,
                space.moore_bound()
            ),
        );
        push_lines(out, &space.designs, |out, design| {
            push(
                out,
                format_args!(
                    "{{\"topology\":{},\"routers\":{}}}",
                    quote(&design.written()),
                    design.router_count()
                ),
            );
        });
        out.push('}');
    }
    out.push_str("},\n");
}

/// `,"failures":{..}`: links that fail at random.
fn push_failures(out: &mut String, network: &NetworkMetrics, of: &FailureCurve) {
    let runs = &of.parts_at;
    let [least, most] = [runs.iter().min(), runs.iter().max()].map(|links| links.copied().unwrap_or(0));
    let shares = [least, of.median(), most].map(|links| ratio(network.share(links)));
    push(out, format_args!(",\n\"failures\":{{\"disconnect_share\":{{\"least\":{},", shares[0]));
    push(out, format_args!("\"median\":{},\"most\":{}}},\"parts_at\":", shares[1], shares[2]));
    push_numbers(out, runs);
    out.push_str(",\n\"curve\":");
    match &of.curve {
        None => out.push_str("null"),
        Some(curve) => push_lines(out, curve, |out, point| {
            let diameter = point.reach.map_or("null".to_owned(), |reach| reach.diameter.to_string());
            let hops = point.reach.map_or("null".to_owned(), |reach| ratio(reach.average_hops()));
            push(
                out,
                format_args!(
                    "{{\"percent\":{},\"links\":{},\"diameter\":{diameter},\"average_hops\":{hops}}}",
                    point.percent, point.links
                ),
            );
        }),
    }
    out.push('}');
}

fn push_histograms(out: &mut String, of: &ScenarioMetrics) {
    out.push_str("\"histograms\":{\"hops\":");
    push_numbers(out, &of.hop_histogram);
    let walk = of.routed.as_ref();
    out.push_str(",\n\"route_hops\":");
    push_numbers(out, walk.map_or(&[][..], |walk| &walk.route_hops));
    out.push_str(",\n\"channel_load\":");
    push_numbers(
        out,
        walk.map_or(&[][..], |walk| &walk.load_histogram).iter().map(|&(load, channels)| {
            format!("[{},{channels}]", metric_value(Metric::MaxChannelLoad, of.load(load)))
        }),
    );
    out.push_str(",\n\"vc_hops\":");
    push_numbers(out, walk.map_or(&[][..], |walk| &walk.vc_hops));
    out.push_str("},\n");
}
