//! A floor for programs and for those who lay its cables: `floor.json` (`fabc.floor/1`) and `cables.csv`.

use super::json::{push, push_lines, push_numbers, quote};
use super::number::{fixed, grouped, ratio, tenths};
use crate::compiled::Compiled;
use crate::ir::{Fraction, bundle};
use crate::model::{Bundles, FloorMetric};
use std::borrow::Cow;

/// `floor.json`: where cabinets stand, and who stands in them; empty without a floor.
pub(super) fn json(compiled: &Compiled) -> String {
    let (Some(floor), Some(placement)) = (&compiled.fabric.floor, &compiled.placement) else { return String::new() };
    let mut out = format!("{{\"format\":\"fabc.floor/1\",\"fabric\":{},\n", quote(&compiled.fabric.name));
    push(&mut out, format_args!("\"rows\":{},\"columns\":{},\n\"cabinets\":", floor.grid[0], floor.grid[1]));
    let cabinets = placement.routers();
    push_lines(&mut out, placement.place_of.iter().zip(&cabinets).enumerate(), |out, (id, (&[row, column], routers))| {
        push(out, format_args!("{{\"id\":{id},\"row\":{row},\"column\":{column},\"routers\":"));
        push_numbers(out, routers);
        out.push('}');
    });
    out.push_str("}\n");
    out
}

/// `cables.csv`: the cut sheet, a cable per line by link; empty without a floor. Positions count within a
/// cabinet; a cable that runs inside one is in no bundle.
pub(super) fn cables(compiled: &Compiled) -> String {
    let (fabric, topology) = (&compiled.fabric, &compiled.topology);
    let (Some(floor), Some(placement)) = (&fabric.floor, &compiled.placement) else { return String::new() };
    let mut out = String::from("cable,type,length_m,bundle");
    for end in ["a", "b"] {
        push(&mut out, format_args!(",{end}_cabinet,{end}_row,{end}_column,{end}_position,{end}_router,{end}_name,{end}_port"));
    }
    out.push('\n');
    let mut position = vec![0; topology.node_count()];
    for routers in placement.routers() {
        (0..).zip(routers).for_each(|(at, router)| position[router as usize] = at);
    }
    for (id, link) in topology.links().enumerate() {
        let ends = [link.a.node, link.b.node];
        let bundle = bundle(fabric, floor, placement, ends).map_or(String::new(), |[one, other]| format!("{one}-{other}"));
        let of = &fabric.link_types[link.link_type].name;
        push(&mut out, format_args!("{id},{of},{},{bundle}", tenths(topology.length(id).into())));
        for end in [link.a, link.b] {
            let cabinet = placement.cabinet_of[end.node.0 as usize];
            let [row, column] = placement.place_of[cabinet as usize];
            let (at, name) = (position[end.node.0 as usize], topology.name(end.node));
            push(&mut out, format_args!(",{cabinet},{row},{column},{at},{},{},{}", end.node, field(&name), end.port));
        }
        out.push('\n');
    }
    out
}

/// A field of a CSV file, in quotes where it must be.
fn field(text: &str) -> Cow<'_, str> {
    let plain = !text.contains([',', '"', '\n', '\r']);
    if plain { Cow::Borrowed(text) } else { Cow::Owned(format!("\"{}\"", text.replace('"', "\"\""))) }
}

/// Sentences on what the cables of a floor come to; none without a floor.
pub(super) fn lines(compiled: &Compiled) -> Vec<String> {
    let of_network = compiled.network.as_ref().and_then(|network| network.floor.as_ref());
    let (Some(floor), Some(of)) = (&compiled.fabric.floor, of_network) else { return Vec::new() };
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
    vec![
        format!("floor: {cabinets} cabinets of up to {} routers, {rows} {plural} of {columns}; {clustering}, {placement}", floor.cabinet),
        format!(
            "cables: {}, {} of them between cabinets; {} m on average ({between}), the longest {} m, {} m in all",
            grouped(of.cables),
            grouped(of.between),
            metres(FloorMetric::AverageCable),
            tenths(of.longest.into()),
            tenths(of.lengths[0])
        ),
        format!(
            "cost {}, power {} W; {} bundles between {shared}",
            fixed(of.value(FloorMetric::Cost), 2),
            fixed(of.value(FloorMetric::Power), 3),
            grouped(of.bundles)
        ),
    ]
}

/// Cables by declared link: name, cables, length in all, m.
pub(super) fn rows(compiled: &Compiled) -> Vec<[String; 3]> {
    let of = compiled.network.as_ref().and_then(|network| network.floor.as_ref());
    let row = |&(link, cables, length): &(_, u64, u64)| [compiled.fabric.link_types[link].name.clone(), grouped(cables), tenths(length)];
    of.map_or_else(Vec::new, |of| of.by_type.iter().map(row).collect())
}

/// `,"floor":{..}` in the report of a network: the metrics as numbers, lengths in m.
pub(super) fn push_report(out: &mut String, compiled: &Compiled) {
    let of_network = compiled.network.as_ref().and_then(|network| network.floor.as_ref());
    let (Some(floor), Some(of)) = (&compiled.fabric.floor, of_network) else { return };
    push(out, format_args!(",\n\"floor\":{{\"cabinets\":{},\"rows\":{},", floor.cabinets, floor.grid[0]));
    push(out, format_args!("\"columns\":{},\"cables\":{},\"between\":{},", floor.grid[1], of.cables, of.between));
    let between = of.average_between().map_or("null".to_owned(), ratio);
    for metric in FloorMetric::ALL.into_iter().filter(|metric| *metric != FloorMetric::Bundles) {
        push(out, format_args!("\"{}\":{},", metric.name(), ratio(of.value(metric))));
    }
    push(out, format_args!("\"average_between\":{between},\"bundles\":{},\"by_link\":", of.bundles));
    push_lines(out, &of.by_type, |out, &(link, cables, length)| {
        let name = quote(&compiled.fabric.link_types[link].name);
        let length = ratio(Fraction::new(length, 10u8));
        push(out, format_args!("{{\"link\":{name},\"cables\":{cables},\"length\":{length}}}"));
    });
    out.push('}');
}
