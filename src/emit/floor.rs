//! Writes the floor: `floor.json` (`fabc.floor/1`), the cut sheet `cables.csv`, and its part of the reports.

use super::json::{push, push_lines, push_numbers, quote};
use super::number::{fixed, grouped, lower, ratio, tenths};
use crate::compiled::CompiledFabric;
use fabc_base::csv::cell;
use fabc_base::ids::OcsId;
use fabc_ir::{ClusterPairs, End, Fraction, Plug, TradeOff, bundle};
use fabc_model::{Boxes, Bundling, Family, Floor, FloorMetric, FreeGraph, PORT_NAMES, RackPlaces};

/// The text of `floor.json`: positions of cabinets, and the routers and switches in them. Empty without a
/// floor.
pub(super) fn json(compiled: &CompiledFabric) -> String {
    let (Some(floor), Some(placement)) = (&compiled.fabric.floor, &compiled.placement) else {
        return String::new();
    };
    let mut out = format!("{{\"format\":\"fabc.floor/1\",\"fabric\":{},\n", quote(&compiled.fabric.name));
    push(&mut out, format_args!("\"rows\":{},\"columns\":{},\n\"cabinets\":", floor.grid[0], floor.grid[1]));
    let cabinets = placement.routers_by_cabinet().into_iter().zip(placement.switches_by_cabinet());
    push_lines(
        &mut out,
        placement.place_of.iter().zip(cabinets).enumerate(),
        |out, (id, (&[row, column], (routers, switches)))| {
            push(out, format_args!("{{\"id\":{id},\"row\":{row},\"column\":{column},\"routers\":"));
            push_numbers(out, routers);
            if !switches.is_empty() {
                let names: Vec<String> =
                    switches.into_iter().map(|ocs| quote(switch_name(compiled, ocs))).collect();
                push(out, format_args!(",\"switches\":[{}]", names.join(",")));
            }
            out.push('}');
        },
    );
    out.push_str("}\n");
    out
}

fn switch_name(compiled: &CompiledFabric, ocs: OcsId) -> &str {
    &compiled.expect_pod().0.ocses[ocs].name
}

/// The text of `cables.csv`, empty without a floor. It has one cable per line, by link. For a pod it then
/// lists the fibers by switch, side and port, each with its link. Positions count within a cabinet or rack. A
/// cable inside one cabinet has no bundle.
pub(super) fn cables(compiled: &CompiledFabric) -> String {
    let (fabric, topology) = (&compiled.fabric, &compiled.topology);
    let (Some(floor), Some(placement)) = (&fabric.floor, &compiled.placement) else { return String::new() };
    let mut out = String::from("cable,type,length_m,bundle");
    for end in ["a", "b"] {
        push(
            &mut out,
            format_args!(
                ",{end}_cabinet,{end}_row,{end}_column,{end}_position,{end}_router,{end}_name,{end}_port"
            ),
        );
    }
    let is_pod = fabric.pod().is_some();
    out.push_str(if is_pod { ",link\n" } else { "\n" });
    let mut position = vec![0; topology.node_count()];
    for routers in placement.routers_by_cabinet() {
        (0..).zip(routers).for_each(|(index, router)| position[router as usize] = index);
    }
    let mut in_rack = vec![0; placement.rack_of.len()];
    for switches in placement.switches_by_cabinet() {
        (0..).zip(switches).for_each(|(index, ocs)| in_rack[ocs.0 as usize] = index);
    }
    for (id, cable) in placement.laid_cables(fabric, floor, topology).into_iter().enumerate() {
        let bundle = bundle(fabric, floor, placement, cable.ends)
            .map_or(String::new(), |[first, second]| format!("{first}-{second}"));
        let link_type = &fabric.link_types[cable.link_type].name;
        push(&mut out, format_args!("{id},{link_type},{},{bundle}", tenths(cable.length.into())));
        for end in cable.ends {
            let cabinet = placement.cabinet(end);
            let [row, column] = placement.place_of[cabinet as usize];
            push(&mut out, format_args!(",{cabinet},{row},{column},"));
            match end {
                Plug::Router(End { node, port }) => {
                    let (position_in_cabinet, name) = (position[node.0 as usize], topology.name(node));
                    let port = if is_pod {
                        cell(PORT_NAMES[usize::from(port.0)]).into_owned()
                    } else {
                        port.to_string()
                    };
                    push(&mut out, format_args!("{position_in_cabinet},{node},{},{port}", cell(&name)));
                }
                Plug::Switch(ocs, side, port) => {
                    let (position_in_rack, name, side) =
                        (in_rack[ocs.0 as usize], cell(switch_name(compiled, ocs)), ["a", "b"][side]);
                    push(&mut out, format_args!("{position_in_rack},,{name},{side}{port}"));
                }
            }
        }
        if let (true, Some(link)) = (is_pod, cable.link) {
            push(&mut out, format_args!(",{link}"));
        } else if is_pod {
            out.push(',');
        }
        out.push('\n');
    }
    out
}

/// Sentences about the cables of a floor; none without a floor.
pub(super) fn floor_lines(compiled: &CompiledFabric) -> Vec<String> {
    let (Some(floor), Some(metrics)) = (&compiled.fabric.floor, &compiled.cables) else { return Vec::new() };
    let [rows, columns] = floor.grid;
    let metres = |metric| fixed(metrics.value(metric), 4);
    let plural = if rows == 1 { "row" } else { "rows" };
    let cabinets = grouped(floor.cabinets.into());
    let (clustering, placement) = (floor.clustering.name(), floor.placement.name());
    let between = match metrics.average_between() {
        Some(mean) => format!("{} m between cabinets", fixed(mean, 4)),
        None => "none between cabinets".to_owned(),
    };
    let shared = if floor.bundles == Bundling::ByGroup { "groups" } else { "cabinets" };
    let pod = compiled.fabric.pod();
    let head = match pod {
        None => {
            let held = match compiled.fabric.boxes().zip(floor.box_rack) {
                Some((boxes, holds)) => racks_line(boxes, floor, holds),
                None => format!("{cabinets} cabinets of up to {} routers", floor.cabinet),
            };
            format!("floor: {held}, {rows} {plural} of {columns}; {clustering}, {placement}")
        }
        Some(pod) => {
            let racks = floor.racks.map_or("no switches".to_owned(), |racks| {
                let rack = if racks.count == 1 { "rack" } else { "racks" };
                let range = match racks.place {
                    RackPlaces::From([row, column]) => format!("from row {row}, column {column} on"),
                    RackPlaces::Row(row) => format!("along row {row}"),
                };
                format!("{} switches in {} {rack} {range}", grouped(pod.ocses.len() as u64), racks.count)
            });
            format!(
                "floor: {} cubes of {} chips and {racks}, {rows} {plural} of {columns}; {placement}",
                pod.cubes, floor.cabinet
            )
        }
    };
    let mut lines = vec![
        head,
        format!(
            "cables: {}, {} of them between cabinets; {} m on average ({between}), the longest {} m, {} m in all",
            grouped(metrics.cables),
            grouped(metrics.between),
            metres(FloorMetric::AverageCable),
            tenths(metrics.longest.into()),
            tenths(metrics.lengths[0])
        ),
        format!(
            "cost {}, power {} W; {} bundles of up to {} cables between {shared}, {} cables in all",
            fixed(metrics.value(FloorMetric::Cost), 2),
            fixed(metrics.value(FloorMetric::Power), 3),
            grouped(metrics.bundles),
            grouped(metrics.bundled[1]),
            grouped(metrics.bundled[0])
        ),
    ];
    lines.extend(metrics.clusters.map(clusters_line));
    lines
}

/// How many racks have boxes, and how many have switches alone. A rack has at most `holds` boxes.
fn racks_line(boxes: &Boxes, floor: &Floor, holds: u32) -> String {
    let of_boxes = boxes.box_count().div_ceil(holds);
    let counted = |racks: u32, holds: u32, one: &str, many: &str| {
        let rack = if racks == 1 { "rack" } else { "racks" };
        format!("{} {rack} of up to {holds} {}", grouped(racks.into()), if holds == 1 { one } else { many })
    };
    let first = counted(of_boxes, holds, "box", "boxes");
    match floor.cabinets - of_boxes {
        0 => first,
        racks => format!("{first} and {}", counted(racks, floor.cabinet, "switch", "switches")),
    }
}

/// How many pairs of groups are linked within and between the clusters of a plane.
fn clusters_line(ClusterPairs { count, inside, to_quadrics, between }: ClusterPairs) -> String {
    let [inside, to_quadrics, between] = [inside, to_quadrics, between].map(grouped);
    format!(
        "{count} clusters: {inside} pairs of groups are joined within them, {to_quadrics} with quadrics, {between} between others"
    )
}

/// What other weights of cables would give, one row per weight. A row has a mark for the spec's own weight,
/// two numbers for a chart, and five printed columns. The numbers are average cable length in m and flow as a
/// percentage of the largest. The columns are weight (with a star at the spec's own), average hops, flow,
/// flow percentage and average cable.
pub(super) fn trade_off(compiled: &CompiledFabric) -> Vec<(bool, [f64; 2], [String; 5])> {
    let Some(Family::Synthesized(free)) = compiled.fabric.family() else { return Vec::new() };
    let largest = compiled
        .trade_off
        .iter()
        .map(|candidate| candidate.flow)
        .reduce(|larger, flow| if larger < flow { flow } else { larger });
    let Some(largest) = largest.filter(|largest| !largest.is_zero()) else { return Vec::new() };
    let (routers, links) = (u64::from(free.routers), compiled.topology.links().len() as u64);
    let row = |candidate: &TradeOff| {
        let is_chosen = free.cable == Some(candidate.weight);
        let hops = Fraction::new(candidate.distances, (routers * (routers - 1)).max(1));
        let (share, mean) = (
            candidate.flow.over(largest).times(Fraction::integer(100u8)),
            Fraction::new(candidate.cable, 10 * links.max(1)),
        );
        let weight = format!("{}{}", FreeGraph::weight(candidate.weight), if is_chosen { " *" } else { "" });
        let texts =
            [weight, fixed(hops, 4), lower(candidate.flow), format!("{} %", fixed(share, 1)), fixed(mean, 4)];
        (is_chosen, [mean.as_f64(), share.as_f64()], texts)
    };
    compiled.trade_off.iter().map(row).collect()
}

/// Cables by declared link: its name, the number of cables, and their total length in m.
pub(super) fn floor_rows(compiled: &CompiledFabric) -> Vec<[String; 3]> {
    let metrics = compiled.cables.as_ref();
    let row = |&(link, cables, length): &(_, u64, u64)| {
        [compiled.fabric.link_types[link].name.clone(), grouped(cables), tenths(length)]
    };
    metrics.map_or_else(Vec::new, |metrics| metrics.by_type.iter().map(row).collect())
}

/// Writes `"floor":{..}` of a report, with lengths in m. Writes nothing without a floor.
pub(super) fn push_report(out: &mut String, compiled: &CompiledFabric) {
    let (Some(floor), Some(metrics)) = (&compiled.fabric.floor, &compiled.cables) else { return };
    push(out, format_args!("\"floor\":{{\"cabinets\":{},\"rows\":{},", floor.cabinets, floor.grid[0]));
    push(
        out,
        format_args!(
            "\"columns\":{},\"cables\":{},\"between\":{},",
            floor.grid[1], metrics.cables, metrics.between
        ),
    );
    let between = metrics.average_between().map_or("null".to_owned(), ratio);
    for metric in FloorMetric::ALL.into_iter().filter(|metric| *metric != FloorMetric::Bundles) {
        push(out, format_args!("\"{}\":{},", metric.name(), ratio(metrics.value(metric))));
    }
    push(out, format_args!("\"average_between\":{between},\"bundles\":{},", metrics.bundles));
    push(out, format_args!("\"bundled\":{},\"widest_bundle\":{},", metrics.bundled[0], metrics.bundled[1]));
    if let Some(ClusterPairs { count, inside, to_quadrics, between }) = metrics.clusters {
        push(out, format_args!("\"clusters\":{{\"count\":{count},\"inside\":{inside},"));
        push(out, format_args!("\"to_quadrics\":{to_quadrics},\"between\":{between}}},"));
    }
    out.push_str("\"by_link\":");
    push_lines(out, &metrics.by_type, |out, &(link, cables, length)| {
        let name = quote(&compiled.fabric.link_types[link].name);
        let length = ratio(Fraction::new(length, 10u8));
        push(out, format_args!("{{\"link\":{name},\"cables\":{cables},\"length\":{length}}}"));
    });
    out.push('}');
}
