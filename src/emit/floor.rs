//! A floor for programs and for those who lay its cables: `floor.json` (`fabc.floor/1`) and `cables.csv`.

use super::json::{push, push_lines, push_numbers, quote};
use super::number::{fixed, grouped, lower, ratio, tenths};
use crate::compiled::Compiled;
use fabc_base::csv::cell;
use fabc_base::ids::OcsId;
use fabc_ir::{Clusters, End, Fraction, Plug, TradeOff, bundle};
use fabc_model::{Bundles, Family, FloorMetric, FreeGraph, PORT_NAMES, RackPlaces};

/// `floor.json`: where cabinets stand, and who stands in them; of racks, which switches; empty without a
/// floor.
pub(super) fn json(compiled: &Compiled) -> String {
    let (Some(floor), Some(placement)) = (&compiled.fabric.floor, &compiled.placement) else {
        return String::new();
    };
    let mut out = format!("{{\"format\":\"fabc.floor/1\",\"fabric\":{},\n", quote(&compiled.fabric.name));
    push(&mut out, format_args!("\"rows\":{},\"columns\":{},\n\"cabinets\":", floor.grid[0], floor.grid[1]));
    let cabinets = placement.routers().into_iter().zip(placement.switches());
    push_lines(
        &mut out,
        placement.place_of.iter().zip(cabinets).enumerate(),
        |out, (id, (&[row, column], (routers, switches)))| {
            push(out, format_args!("{{\"id\":{id},\"row\":{row},\"column\":{column},\"routers\":"));
            push_numbers(out, routers);
            if !switches.is_empty() {
                let names: Vec<String> =
                    switches.into_iter().map(|ocs| quote(switch(compiled, ocs))).collect();
                push(out, format_args!(",\"switches\":[{}]", names.join(",")));
            }
            out.push('}');
        },
    );
    out.push_str("}\n");
    out
}

/// What a switch is called.
fn switch(compiled: &Compiled, ocs: OcsId) -> &str {
    &compiled.of_pod().0.ocses[ocs].name
}

/// `cables.csv`: the cut sheet, a cable per line by link, then of a pod the fibers by switch, side and port,
/// each with the link that runs over it; empty without a floor. Positions count within a cabinet or rack; a
/// cable that runs inside one is in no bundle.
pub(super) fn cables(compiled: &Compiled) -> String {
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
    let of_pod = fabric.pod().is_some();
    out.push_str(if of_pod { ",link\n" } else { "\n" });
    let mut position = vec![0; topology.node_count()];
    for routers in placement.routers() {
        (0..).zip(routers).for_each(|(at, router)| position[router as usize] = at);
    }
    let mut in_rack = vec![0; placement.rack_of.len()];
    for switches in placement.switches() {
        (0..).zip(switches).for_each(|(at, ocs)| in_rack[ocs.0 as usize] = at);
    }
    for (id, cable) in placement.laid(fabric, floor, topology).into_iter().enumerate() {
        let bundle = bundle(fabric, floor, placement, cable.ends)
            .map_or(String::new(), |[one, other]| format!("{one}-{other}"));
        let of = &fabric.link_types[cable.link_type].name;
        push(&mut out, format_args!("{id},{of},{},{bundle}", tenths(cable.length.into())));
        for end in cable.ends {
            let cabinet = placement.cabinet(end);
            let [row, column] = placement.place_of[cabinet as usize];
            push(&mut out, format_args!(",{cabinet},{row},{column},"));
            match end {
                Plug::Router(End { node, port }) => {
                    let (at, name) = (position[node.0 as usize], topology.name(node));
                    let port = if of_pod {
                        cell(PORT_NAMES[usize::from(port.0)]).into_owned()
                    } else {
                        port.to_string()
                    };
                    push(&mut out, format_args!("{at},{node},{},{port}", cell(&name)));
                }
                Plug::Switch(ocs, side, at) => {
                    let (stands, name, side) =
                        (in_rack[ocs.0 as usize], cell(switch(compiled, ocs)), ["a", "b"][side]);
                    push(&mut out, format_args!("{stands},,{name},{side}{at}"));
                }
            }
        }
        if let (true, Some(link)) = (of_pod, cable.link) {
            push(&mut out, format_args!(",{link}"));
        } else if of_pod {
            out.push(',');
        }
        out.push('\n');
    }
    out
}

/// Sentences on what the cables of a floor come to; none without a floor.
pub(super) fn lines(compiled: &Compiled) -> Vec<String> {
    let (Some(floor), Some(of)) = (&compiled.fabric.floor, &compiled.cables) else { return Vec::new() };
    let [rows, columns] = floor.grid;
    let metres = |metric| fixed(of.value(metric), 4);
    let plural = if rows == 1 { "row" } else { "rows" };
    let cabinets = grouped(floor.cabinets.into());
    let (clustering, placement) = (floor.clustering.name(), floor.placement.name());
    let between = match of.average_between() {
        Some(mean) => format!("{} m between cabinets", fixed(mean, 4)),
        None => "none between cabinets".to_owned(),
    };
    let shared = if floor.bundles == Bundles::ByGroup { "groups" } else { "cabinets" };
    let of_pod = compiled.fabric.pod();
    let head = match of_pod {
        None => {
            format!(
                "floor: {cabinets} cabinets of up to {} routers, {rows} {plural} of {columns}; {clustering}, {placement}",
                floor.cabinet
            )
        }
        Some(pod) => {
            let racks = floor.racks.map_or("no switches".to_owned(), |racks| {
                let rack = if racks.count == 1 { "rack" } else { "racks" };
                let at = match racks.at {
                    RackPlaces::From([row, column]) => format!("from row {row}, column {column} on"),
                    RackPlaces::Row(row) => format!("along row {row}"),
                };
                format!("{} switches in {} {rack} {at}", grouped(pod.ocses.len() as u64), racks.count)
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
            grouped(of.cables),
            grouped(of.between),
            metres(FloorMetric::AverageCable),
            tenths(of.longest.into()),
            tenths(of.lengths[0])
        ),
        format!(
            "cost {}, power {} W; {} bundles of up to {} cables between {shared}, {} cables in all",
            fixed(of.value(FloorMetric::Cost), 2),
            fixed(of.value(FloorMetric::Power), 3),
            grouped(of.bundles),
            grouped(of.bundled[1]),
            grouped(of.bundled[0])
        ),
    ];
    lines.extend(of.clusters.map(clusters));
    lines
}

/// How clusters of a plane are joined.
fn clusters(Clusters { count, inside, to_quadrics, between }: Clusters) -> String {
    let [inside, to_quadrics, between] = [inside, to_quadrics, between].map(grouped);
    format!(
        "{count} clusters: {inside} pairs of groups are joined within them, {to_quadrics} with quadrics, {between} between others"
    )
}

/// What other weights of cables give: the weight (with a star at the spec's own), average hops, the flow as a
/// part of the largest, %, and the average cable, m; each as a number, and as printed.
pub(super) fn trade_off(compiled: &Compiled) -> Vec<(bool, [f64; 2], [String; 5])> {
    let Some(Family::Synthesized(free)) = compiled.fabric.family() else { return Vec::new() };
    let most = compiled
        .trade_off
        .iter()
        .map(|of| of.flow)
        .reduce(|one, other| if one < other { other } else { one });
    let Some(most) = most.filter(|most| !most.is_zero()) else { return Vec::new() };
    let (routers, links) = (u64::from(free.routers), compiled.topology.links().len() as u64);
    let row = |of: &TradeOff| {
        let own = free.cable == Some(of.weight);
        let hops = Fraction::new(of.distances, (routers * (routers - 1)).max(1));
        let (share, mean) =
            (of.flow.over(most).times(Fraction::whole(100u8)), Fraction::new(of.cable, 10 * links.max(1)));
        let weight = format!("{}{}", FreeGraph::weight(of.weight), if own { " *" } else { "" });
        let texts =
            [weight, fixed(hops, 4), lower(of.flow), format!("{} %", fixed(share, 1)), fixed(mean, 4)];
        (own, [mean.as_f64(), share.as_f64()], texts)
    };
    compiled.trade_off.iter().map(row).collect()
}

/// Cables by declared link: name, cables, length in all, m.
pub(super) fn rows(compiled: &Compiled) -> Vec<[String; 3]> {
    let of = compiled.cables.as_ref();
    let row = |&(link, cables, length): &(_, u64, u64)| {
        [compiled.fabric.link_types[link].name.clone(), grouped(cables), tenths(length)]
    };
    of.map_or_else(Vec::new, |of| of.by_type.iter().map(row).collect())
}

/// `"floor":{..}` of a report: the metrics as numbers, lengths in m; nothing without a floor.
pub(super) fn push_report(out: &mut String, compiled: &Compiled) {
    let (Some(floor), Some(of)) = (&compiled.fabric.floor, &compiled.cables) else { return };
    push(out, format_args!("\"floor\":{{\"cabinets\":{},\"rows\":{},", floor.cabinets, floor.grid[0]));
    push(
        out,
        format_args!("\"columns\":{},\"cables\":{},\"between\":{},", floor.grid[1], of.cables, of.between),
    );
    let between = of.average_between().map_or("null".to_owned(), ratio);
    for metric in FloorMetric::ALL.into_iter().filter(|metric| *metric != FloorMetric::Bundles) {
        push(out, format_args!("\"{}\":{},", metric.name(), ratio(of.value(metric))));
    }
    push(out, format_args!("\"average_between\":{between},\"bundles\":{},", of.bundles));
    push(out, format_args!("\"bundled\":{},\"widest_bundle\":{},", of.bundled[0], of.bundled[1]));
    if let Some(Clusters { count, inside, to_quadrics, between }) = of.clusters {
        push(out, format_args!("\"clusters\":{{\"count\":{count},\"inside\":{inside},"));
        push(out, format_args!("\"to_quadrics\":{to_quadrics},\"between\":{between}}},"));
    }
    out.push_str("\"by_link\":");
    push_lines(out, &of.by_type, |out, &(link, cables, length)| {
        let name = quote(&compiled.fabric.link_types[link].name);
        let length = ratio(Fraction::new(length, 10u8));
        push(out, format_args!("{{\"link\":{name},\"cables\":{cables},\"length\":{length}}}"));
    });
    out.push('}');
}
