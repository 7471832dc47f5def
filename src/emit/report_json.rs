//! Writes `report.json` (`fabc.report/1`): metrics, bounds, histograms, scenarios, requires and passes.

use super::collective::push_declared;
use super::design_space;
use super::job::push_jobs;
use super::json::{push, push_lines, push_numbers, push_object, quote, strings};
use super::number::{FLOW_DIGITS, fixed, lower, ratio, round_down_sig, upper};
use super::tables::keeps_topology_symmetry;
use crate::compiled::{CompiledFabric, CompiledPod, CompiledScenario};
use fabc_ir::{
    FailureCurve, Fraction, Hardware, LimitArgument, Makespan, NetworkMetrics, ScenarioMetrics, TradeOff,
    TreeBounds, makespans, worst,
};
use fabc_model::{CollectiveMetric, FloorMetric, HardwareMetric, Metric, ValueScale};

pub(super) fn json(compiled: &CompiledFabric) -> String {
    let CompiledFabric { fabric, scenarios, .. } = compiled;
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
    push(&mut out, format_args!("\"metrics\":{{{}}},\n", metric_fields(&nominal.metrics)));
    push(
        &mut out,
        format_args!(
            "\"bounds\":{{{}}},\n",
            bound_fields(&nominal.metrics)
                + &shortest_field(nominal)
                + &trees_field(compiled)
                + &universal_field(compiled)
        ),
    );
    push_network(&mut out, compiled);
    if compiled.network.is_none() {
        if compiled.cables.is_some() {
            super::floor::push_report(&mut out, compiled);
            out.push_str(",\n");
        }
        push(&mut out, format_args!("\"hardware\":{{\"hosts\":{},", compiled.hardware.hosts));
        push_hardware(&mut out, &compiled.hardware);
        out.push_str("},\n");
    }
    super::light::push_compiled(&mut out, compiled);
    if let Some(uniform) = uniform {
        let (lower_gain, upper_gain) = uniform.gain(&nominal.metrics);
        let (low, high) = (lower(uniform.flow_low), upper(uniform.flow_high));
        push(
            &mut out,
            format_args!(
                "\"gain\":{{\"uniform_topology\":[{low},{high}],\"ratio\":[{},{}]}},\n",
                lower(lower_gain),
                upper(upper_gain)
            ),
        );
    }
    push_histograms(&mut out, &nominal.metrics);
    push_table_sizes(&mut out, compiled);
    push_scenarios(&mut out, compiled);
    push_requires(&mut out, compiled);
    out.push_str(",\n");
    push_declared(&mut out, compiled);
    push_jobs(&mut out, compiled);
    if let Some(makespans) = makespans(&compiled.fabric, &compiled.collectives) {
        let Makespan { end, lower_bound: least } = Makespan::combined(&makespans);
        push(&mut out, format_args!("\"makespan\":{{\"cycles\":{end},\"bound_cycles\":{least}}},\n"));
    }
    push_passes(&mut out, compiled);
    out.push_str("}\n");
    out
}

/// `"tables":{..},`: the numbers of table entries per router.
fn push_table_sizes(out: &mut String, compiled: &CompiledFabric) {
    let nominal = &compiled.scenarios[0];
    match nominal.metrics.routed.as_ref().filter(|_| nominal.has_tables()) {
        Some(walk) => {
            let mean = nominal.metrics.mean_entries().map_or("null".to_owned(), ratio);
            let canonical = nominal.routed.as_ref().is_some_and(|routed| {
                keeps_topology_symmetry(&routed.tables.symmetry, compiled.topology.symmetry())
            });
            push(
                out,
                format_args!(
                    "\"tables\":{{\"entries_max\":{},\"entries_mean\":{mean},\"canonical\":{canonical}}},\n",
                    walk.entries_max
                ),
            );
        }
        None => out.push_str("\"tables\":{\"entries_max\":null,\"entries_mean\":null,\"canonical\":null},\n"),
    }
}

/// `"scenarios":{..},"worst":{..}`: the metrics of every fault, and the worst value of every metric.
fn push_scenarios(out: &mut String, compiled: &CompiledFabric) {
    out.push_str("\"scenarios\":");
    push_object(
        out,
        compiled.scenarios.iter().filter(|scenario| !scenario.scenario.is_nominal()),
        |out, scenario| {
            let metrics = &scenario.metrics;
            let mean = |value: Option<Fraction>| value.map_or("null".to_owned(), ratio);
            let (load, hops) = (mean(metrics.mean_channel_load()), mean(metrics.mean_route_hops()));
            push(
                out,
                format_args!(
                    "{}:{{{},{},",
                    quote(&scenario.scenario.name),
                    metric_fields(metrics),
                    bound_fields(metrics)
                ),
            );
            push(out, format_args!("\"mean_channel_load\":{load},\"mean_route_hops\":{hops}}}"));
        },
    );
    out.push_str(",\n\"worst\":");
    let metrics = compiled.metrics();
    let worst = Metric::of_scenarios()
        .filter_map(|metric| worst(&metrics, metric).map(|worst_value| (metric, worst_value)));
    push_object(out, worst, |out, (metric, (value, scenario))| {
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
}

/// `,"requires":[..]`: the outcomes of the `require` lines.
fn push_requires(out: &mut String, compiled: &CompiledFabric) {
    out.push_str(",\n\"requires\":");
    push_lines(out, &compiled.requires, |out, outcome| {
        let measured =
            outcome.measured_text(|value, more| metric_digits(outcome.require.metric, value, more));
        let measured = measured.unwrap_or("null".to_owned());
        let holds = outcome.holds().map_or("null".to_owned(), |holds| holds.to_string());
        let scenario = outcome.scenario.as_deref().map_or("null".to_owned(), quote);
        let text = quote(&outcome.require.text());
        let share = matches!(outcome.require.scale, ValueScale::ShareOf(_));
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
}

/// `"passes":[..]`: the records of the passes.
fn push_passes(out: &mut String, compiled: &CompiledFabric) {
    out.push_str("\"passes\":");
    push_lines(out, &compiled.passes, |out, pass| {
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
}

/// A metric's value as every artifact prints it. Integers are plain, flows are rounded down, and other ratios
/// have 6 decimals.
pub(super) fn metric_value(metric: Metric, value: Fraction) -> String {
    metric_digits(metric, value, 0)
}

/// As [`metric_value`], with `more` additional digits.
fn metric_digits(metric: Metric, value: Fraction, more: usize) -> String {
    match metric {
        Metric::Diameter | Metric::DisjointTrees => value.floor().to_string(),
        Metric::Collective(CollectiveMetric::Steps) => value.floor().to_string(),
        Metric::Graph(metric) if metric.is_count() => value.floor().to_string(),
        Metric::Floor(FloorMetric::Bundles)
        | Metric::Hardware(HardwareMetric::Switches | HardwareMetric::Cables) => value.floor().to_string(),
        // Loads are whole if all links have the same capacity.
        Metric::MaxChannelLoad if value.is_integer() => value.floor().to_string(),
        Metric::MaxChannelLoad if more == 0 => ratio(value),
        Metric::MaxChannelLoad => fixed(value, 6 + more as u32),
        Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth => {
            round_down_sig(value, FLOW_DIGITS + more)
        }
        _ if more == 0 => ratio(value),
        _ => fixed(value, 6 + more as u32),
    }
}

fn metric_fields(metrics: &ScenarioMetrics) -> String {
    let measured = |metric: &Metric| !Metric::MANY_PATHS.contains(metric) || metrics.value(*metric).is_some();
    let fields: Vec<String> = Metric::of_scenarios()
        .filter(measured)
        .map(|metric| {
            let value = match (metric, metrics.value(metric)) {
                (Metric::ConcurrentFlow, _) => metrics.flow_high.map_or("null".to_owned(), |high| {
                    format!("[{},{}]", lower(metrics.flow_low), upper(high))
                }),
                (_, Some(value)) => metric_value(metric, value),
                (_, None) => "null".to_owned(),
            };
            format!("\"{}\":{value}", metric.name())
        })
        .collect();
    fields.join(",")
}

fn bound_fields(metrics: &ScenarioMetrics) -> String {
    let distance = metrics.distance_bound().map_or("null".to_owned(), upper);
    format!("\"distance\":{distance},\"load\":{}", metric_value(Metric::MaxChannelLoad, metrics.load_bound()))
}

/// `,"shortest_load":N`: the bound on the loads of shortest routes, where there is one.
fn shortest_field(nominal: &CompiledScenario) -> String {
    let field = |bound| format!(",\"shortest_load\":{}", metric_value(Metric::MaxChannelLoad, bound));
    nominal.shortest_load_bound().map_or_else(String::new, field)
}

/// `,"trees":{..}`: bounds on the number of OCS-disjoint spanning trees, with the witness of the upper one.
fn trees_field(compiled: &CompiledFabric) -> String {
    let Some((pod, CompiledPod { tree_bounds: TreeBounds { at_least, at_most, witness }, .. })) =
        compiled.pod()
    else {
        return String::new();
    };
    let witness = strings(witness.iter().map(|&ocs| &pod.ocses[ocs].name));
    format!(",\"trees\":{{\"at_least\":{at_least},\"at_most\":{at_most},\"witness\":{witness}}}")
}

/// `,"universal":{..}`: the universal bound, its argument, and the share of it that the flow reaches.
fn universal_field(compiled: &CompiledFabric) -> String {
    let Some(limit) = compiled.pod.as_ref().and_then(|pod| pod.limit.as_ref()) else { return String::new() };
    let argument = match &limit.argument {
        LimitArgument::Tree { copper, fiber, levels } => {
            let copper: Vec<String> = copper.iter().map(|planes| json_numbers(planes)).collect();
            format!(
                "\"kind\":\"tree\",\"copper\":[{}],\"fiber\":{fiber},\"levels\":{levels}",
                copper.join(",")
            )
        }
        LimitArgument::OneHop { fiber, prices, deficits: [other_cube, same_cube] } => {
            let prices = json_numbers(prices);
            format!(
                "\"kind\":\"one_hop\",\"fiber\":{fiber},\"prices\":{prices},\"deficits\":[{other_cube},{same_cube}]"
            )
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

fn json_numbers(values: &[u32]) -> String {
    let mut out = String::new();
    push_numbers(&mut out, values);
    out
}

/// `"network":{..},`: what was measured of the graph of a network.
fn push_network(out: &mut String, compiled: &CompiledFabric) {
    let Some(network) = &compiled.network else { return };
    let NetworkMetrics { routers, hosts, links, edge_connectivity, failures, .. } = network;
    push(
        out,
        format_args!(
            "\"network\":{{\"routers\":{routers},\"hosts\":{hosts},\"links\":{links},\n\"bisection\":"
        ),
    );
    push_bisection(out, network);
    push_host_bisection(out, network);
    out.push_str(",\n\"shortest_paths\":");
    push_paths(out, network);
    let connectivity = edge_connectivity.map_or("null".to_owned(), |links| links.to_string());
    push(out, format_args!(",\n\"edge_connectivity\":{connectivity}"));
    out.push_str(",\n\"hardware\":{");
    push_hardware(out, &compiled.hardware);
    out.push('}');
    if let Some(failures) = failures {
        push_failures(out, network, failures);
    }
    if compiled.cables.is_some() {
        out.push_str(",\n");
        super::floor::push_report(out, compiled);
    }
    push_trade_off(out, compiled);
    push_designs(out, compiled);
    out.push_str("},\n");
}

/// `"host_cables":..,..`: the switches, cables and prices.
fn push_hardware(out: &mut String, hardware: &Hardware) {
    push(out, format_args!("\"host_cables\":{}", hardware.host_cables));
    for metric in HardwareMetric::ALL {
        let value = hardware.value(metric).map(|value| metric_value(Metric::Hardware(metric), value));
        let value = value.unwrap_or("null".to_owned());
        push(out, format_args!(",\"{}\":{value}", metric.name()));
    }
}

/// The bounds on the bisection, or `null`.
fn push_bisection(out: &mut String, network: &NetworkMetrics) {
    match &network.bisection {
        None => out.push_str("null"),
        Some(measured) => {
            let shares = [measured.at_least(), measured.at_most].map(|links| ratio(network.share(links)));
            let endpoint_share = ratio(Fraction::new(measured.at_endpoints, network.endpoint_links.max(1)));
            let flow = measured.flow().map_or("null".to_owned(), upper);
            push(
                out,
                format_args!("{{\"at_least\":{},\"at_most\":{},", measured.at_least(), measured.at_most),
            );
            push(out, format_args!("\"at_least_share\":{},\"at_most_share\":{},", shares[0], shares[1]));
            push(
                out,
                format_args!(
                    "\"at_endpoints\":{},\"at_endpoints_share\":{endpoint_share},\"flow\":{flow}}}",
                    measured.at_endpoints
                ),
            );
        }
    }
}

/// `,"host_bisection":{..}`: the bounds on what runs between two halves of the routers with hosts. Nothing
/// where all routers have hosts, or where it is not measured.
fn push_host_bisection(out: &mut String, network: &NetworkMetrics) {
    let Some(measured) = &network.host_bisection else { return };
    push(
        out,
        format_args!(
            ",\n\"host_bisection\":{{\"at_least\":{},\"at_most\":{},\"bandwidth\":{},\"bandwidth_at_most\":{}}}",
            measured.fewest_links(),
            measured.links,
            lower(measured.bandwidth()),
            upper(measured.bandwidth_at_most())
        ),
    );
}

/// The numbers of shortest paths, or `null`.
fn push_paths(out: &mut String, network: &NetworkMetrics) {
    match &network.paths {
        None => out.push_str("null"),
        Some(paths) => {
            let total = paths.at_any_distance();
            let [mean, single] =
                [total.mean(), total.single_share()].map(|value| value.map_or("null".to_owned(), ratio));
            push(out, format_args!("{{\"mean\":{mean},\"single_share\":{single},\"by_distance\":"));
            push_lines(
                out,
                (1..).zip(&paths.by_distance).filter(|(_, layer)| layer.pairs > 0),
                |out, (distance, layer)| {
                    let mean = layer.mean().map_or("null".to_owned(), ratio);
                    push(
                        out,
                        format_args!(
                            "{{\"distance\":{distance},\"pairs\":{},\"single\":{},",
                            layer.pairs, layer.single
                        ),
                    );
                    push(
                        out,
                        format_args!("\"mean\":{mean},\"fewest\":{},\"most\":{}}}", layer.fewest, layer.most),
                    );
                },
            );
            out.push('}');
        }
    }
}

/// `,"trade_off":[..]`: pairs of flow and cable length. Writes nothing if the search did not weigh cables.
fn push_trade_off(out: &mut String, compiled: &CompiledFabric) {
    if !compiled.trade_off.is_empty() {
        out.push_str(",\n\"trade_off\":");
        push_lines(out, &compiled.trade_off, |out, trade_off| {
            let TradeOff { weight, distances, cable, flow } = trade_off;
            push(
                out,
                format_args!(
                    "{{\"weight\":{weight},\"distances\":{distances},\"cable\":{cable},\"concurrent_flow\":{}}}",
                    lower(*flow)
                ),
            );
        });
    }
}

/// `,"design_space":{..}`: other designs of the same radix. Writes nothing if the family has no design space.
fn push_designs(out: &mut String, compiled: &CompiledFabric) {
    if let Some(space) = design_space::radix_designs(compiled) {
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
        if let Some(known) = &space.largest_known {
            let topology =
                known.topology.as_ref().map_or_else(|| "null".to_owned(), |written| quote(written));
            let routers = known.routers;
            push(out, format_args!(",\"largest_known\":{{\"routers\":{routers},\"topology\":{topology}}}"));
        }
        out.push('}');
    }
}

/// `,"failures":{..}`: the results of random link failures.
fn push_failures(out: &mut String, network: &NetworkMetrics, curve: &FailureCurve) {
    let runs = &curve.parts_at;
    let [fewest, most_links] =
        [runs.iter().min(), runs.iter().max()].map(|links| links.copied().unwrap_or(0));
    let shares = [fewest, curve.median(), most_links].map(|links| ratio(network.share(links)));
    push(out, format_args!(",\n\"failures\":{{\"disconnect_share\":{{\"least\":{},", shares[0]));
    push(out, format_args!("\"median\":{},\"most\":{}}},\"parts_at\":", shares[1], shares[2]));
    push_numbers(out, runs);
    out.push_str(",\n\"curve\":");
    match &curve.curve {
        None => out.push_str("null"),
        Some(points) => push_lines(out, points, |out, point| {
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

fn push_histograms(out: &mut String, metrics: &ScenarioMetrics) {
    out.push_str("\"histograms\":{\"hops\":");
    push_numbers(out, &metrics.hop_histogram);
    let walk = metrics.routed.as_ref();
    out.push_str(",\n\"route_hops\":");
    push_numbers(out, walk.map_or(&[][..], |walk| &walk.route_hops));
    out.push_str(",\n\"channel_load\":");
    push_numbers(
        out,
        walk.map_or(&[][..], |walk| &walk.load_histogram).iter().map(|&(load, channels)| {
            format!("[{},{channels}]", metric_value(Metric::MaxChannelLoad, metrics.load(load)))
        }),
    );
    out.push_str(",\n\"vc_hops\":");
    push_numbers(out, walk.map_or(&[][..], |walk| &walk.vc_hops));
    out.push_str("},\n");
}
