//! Which items are linked: cubes of a pod, or groups or routers of a network. Few items are drawn on a ring
//! with their links. More items stand where the layout of the fabric puts them. A network with tiers is drawn
//! by levels.

use super::layout::{Layout, Point, layout};
use super::levels::{LevelItems, levels};
use crate::compiled::CompiledFabric;
use crate::json::push;
use crate::number::grouped;
use crate::svg::{
    self, BlockPicture, BlockPlace, Bundle, LevelDrawing, NetworkPicture, PictureLink, PictureRouter,
    RingDrawing, escape,
};
use fabc_base::ids::{Id, NodeId, OcsGroupId};
use fabc_ir::{Link, LinkClass, RouterNames};
use fabc_model::{Plant, Pod};
use minijinja::{Value, context};
use std::collections::BTreeMap;

/// Up to this many items are always drawn on a ring.
const RING: usize = 12;
/// Up to this many items are drawn on a ring if they have few links.
const SPARSE_RING: usize = 96;
/// Up to this many routers are shown individually in a network with groups.
const ROUTERS: usize = 96;
/// Up to this many routers of a network are drawn one by one.
const PICTURED: usize = 400;
/// Maximum marks of a picture of blocks. If there are more items, several share a mark.
const MARKS: usize = 128;

/// Number of links between two items. The smaller item comes first, unless links run in one direction.
type LinkCounts = BTreeMap<(usize, usize), u64>;

struct LinkedItems {
    /// Word for an item: `cube`, `group`, `router`, or `routers` if several share a row.
    word: &'static str,
    words: &'static str,
    count: usize,
    /// Number of nodes in an item.
    size: usize,
    /// Items that share a row.
    per_row: usize,
    links: LinkCounts,
    one_way: bool,
}

/// The linked items for the template.
pub(super) fn linked_items(compiled: &CompiledFabric) -> Value {
    if let Some(levels) = levels(compiled) {
        return level_items(compiled, &levels);
    }
    let items = match &compiled.fabric.plant {
        Plant::Pod(pod) => cube_items(compiled, pod),
        Plant::Network(_) => router_items(compiled),
    };
    let name = |item: usize| items.name(compiled, item);
    let symmetric = items.both_ways();
    let layout = layout(compiled);
    let is_pictured = compiled.pod.is_none() && compiled.topology.node_count() <= PICTURED;
    let (drawing, shape) = if items.fits_on_ring() && !(is_pictured && layout.straight.is_some()) {
        (ring(compiled, &items), "ring")
    } else if is_pictured {
        (picture(compiled, &layout), "picture")
    } else {
        (block_picture(compiled, &items, &layout), "blocks")
    };
    let (rows, picks): (String, Vec<String>) = (
        (0..items.count).map(|item| item_row(item, &name, &symmetric)).collect(),
        (0..items.count).map(name).collect(),
    );
    let links = if items.one_way { "links to" } else { "joined to" };
    let bundles = compiled
        .pod()
        .filter(|_| shape == "ring" && !items.links.is_empty())
        .map(|(pod, _)| bundle_rows(compiled, pod));
    context! {
        drawing,
        shape,
        word => items.word,
        words => items.words,
        pick => if items.per_row > 1 { "row" } else { items.word },
        lead => items.lead(compiled, shape, &layout),
        links,
        rows,
        picks,
        bundles,
    }
}

/// The items of a network with tiers for the template.
fn level_items(compiled: &CompiledFabric, levels: &LevelItems) -> Value {
    let LevelItems { rows, names, links } = levels;
    let both_ways = both_ways(links);
    let drawing = svg::levels(&LevelDrawing {
        label: format!("{} tiers and the links between them; the table below has the numbers", rows.len()),
        rows,
        names,
        links,
    });
    let boxes =
        if compiled.fabric.boxes().is_some() { " A box is one mark, with all that is inside." } else { "" };
    context! {
        drawing,
        shape => "levels",
        word => "switch",
        words => "switches",
        pick => "mark",
        lead => format!("A row is a tier, hosts at the bottom. Lines are links, as wide as there are many.{boxes}"),
        links => "joined to",
        rows => (0..names.len()).map(|item| item_row(item, &|item| names[item].clone(), &both_ways)).collect::<String>(),
        picks => names,
        bundles => None::<Value>,
    }
}

/// Counts of links that run both ways, for both orders of their ends.
fn both_ways(links: &LinkCounts) -> LinkCounts {
    let mut counts = links.clone();
    for (&(a, b), &links) in links.iter().filter(|((a, b), _)| a != b) {
        *counts.entry((b, a)).or_default() += links;
    }
    counts
}

impl LinkedItems {
    fn fits_on_ring(&self) -> bool {
        let pairs = self.links.keys().filter(|(a, b)| a != b).count();
        self.count <= RING
            || self.word == "router" && self.size == 1 && self.count <= SPARSE_RING && pairs <= 2 * self.count
    }

    /// Link counts in both directions, unless links run in one direction.
    fn both_ways(&self) -> LinkCounts {
        if self.one_way { self.links.clone() } else { both_ways(&self.links) }
    }

    /// The name of an item, without its word.
    fn name(&self, compiled: &CompiledFabric, item: usize) -> String {
        if self.word == "router" && self.per_row == 1 {
            return compiled.topology.name(NodeId::new(item));
        }
        // A row of several items is named by its first item.
        (item * self.per_row).to_string()
    }

    fn lead(&self, compiled: &CompiledFabric, shape: &str, layout: &Layout) -> String {
        let Self { word, words, size, per_row, .. } = self;
        if *per_row > 1 && shape == "picture" {
            return format!(
                "A row of the table is {per_row} routers in the order of their ids, called by the first. All routers stand in the picture, \
                 with scripts under Explore."
            );
        }
        if *per_row > 1 {
            let per_row = grouped(*per_row as u64);
            return format!(
                "A mark is {per_row} {words} in the order of their ids, called by the first, in the middle of its {words} in the picture \
                 of all: {}. A line is the links between two marks, the stronger the more there are.",
                layout.words
            );
        }
        let groups = if *size > 1 && *word != "cube" {
            format!("A {word} has {size} routers. ")
        } else {
            String::new()
        };
        match (shape, *word) {
            ("ring", "cube") => {
                "Blocks are cubes of electrically wired chips. Bundles are the fiber links that the circuit switches set up between two \
                 cubes, as wide as they have links; a loop joins a cube to itself."
                    .to_owned()
            }
            ("ring", _) if *size > 1 => format!("{groups}Lines are the links between two {words}, as wide as there are many."),
            ("ring", _) if compiled.topology.endpoints().count() < compiled.topology.node_count() => {
                "Every dot is a router, hollow if it has no hosts; lines are links.".to_owned()
            }
            ("ring", _) => "Every dot is a router; lines are links.".to_owned(),
            ("picture", _) => format!("{groups}The table has the links between two {words}. All routers stand in the picture, with scripts under Explore."),
            (_, "cube") => "A mark is a cube of the lattice, and a line the fiber links that the circuit switches set up between two cubes, \
                 the stronger the more there are."
                .to_owned(),
            _ if self.one_way => format!("{groups}A mark is a {word}, and a line the links from one {word} to another."),
            _ => format!("{groups}A mark is a {word}, and a line the links between two {words}, the stronger the more there are: {}.", layout.words),
        }
    }
}

fn cube_items(compiled: &CompiledFabric, pod: &Pod) -> LinkedItems {
    let sums = links_by_group(compiled, pod)
        .into_iter()
        .map(|((a, b), groups)| ((a as usize, b as usize), groups.values().sum()));
    let joined = sums.collect();
    merge_rows(LinkedItems {
        word: "cube",
        words: "cubes",
        count: pod.cubes as usize,
        size: pod.chips_per_cube() as usize,
        links: joined,
        one_way: false,
        per_row: 1,
    })
}

fn router_items(compiled: &CompiledFabric) -> LinkedItems {
    let topology = &compiled.topology;
    let block = match topology.names() {
        RouterNames::Blocks { size, word } if *size > 1 && topology.node_count() > ROUTERS => {
            Some((*size as usize, *word))
        }
        RouterNames::Nested(blocks) if topology.node_count() > ROUTERS => {
            Some((blocks.iter().rev().skip(1).map(|&count| count as usize).product(), "group"))
        }
        _ => None,
    };
    let size = block.map_or(1, |(size, _)| size);
    let (word, words) = match block {
        Some((_, "level")) => ("level", "levels"),
        Some(_) => ("group", "groups"),
        None => ("router", "routers"),
    };
    let one_way = topology.has_simplex();
    let mut joined = LinkCounts::new();
    for link in topology.links().iter() {
        let (a, b) = (link.a.node.index() / size, link.b.node.index() / size);
        *joined.entry(if one_way { (a, b) } else { (a.min(b), a.max(b)) }).or_default() += 1;
    }
    merge_rows(LinkedItems {
        word,
        words,
        count: topology.node_count().div_ceil(size),
        size,
        links: joined,
        one_way,
        per_row: 1,
    })
}

/// Merges several items into a row if there are too many.
fn merge_rows(items: LinkedItems) -> LinkedItems {
    let per_row = items.count.div_ceil(MARKS);
    if per_row <= 1 {
        return items;
    }
    let mut joined = LinkCounts::new();
    for (&(a, b), &links) in &items.links {
        *joined.entry((a / per_row, b / per_row)).or_default() += links;
    }
    LinkedItems {
        word: items.words,
        count: items.count.div_ceil(per_row),
        size: items.size * per_row,
        per_row,
        links: joined,
        ..items
    }
}

fn ring(compiled: &CompiledFabric, items: &LinkedItems) -> String {
    if let Some((pod, _)) = compiled.pod() {
        let label = format!(
            "{} cubes of {:?} chips and the fiber bundles between them; the table below has the numbers",
            pod.cubes, pod.cube.dims
        );
        return svg::pod(pod, &bundles(compiled, pod), &label);
    }
    svg::ring(&RingDrawing {
        label: format!("{} {} and their links; the table below has the numbers", items.count, items.words),
        items: items.count,
        name: &|item| {
            if items.size > 1 { format!("{} {item}", items.word) } else { items.name(compiled, item) }
        },
        filled: &|item| items.size > 1 || compiled.topology.is_endpoint(NodeId::new(item)),
        links: &items.links,
    })
}

/// The items where the layout puts them, each in the middle of its routers.
fn block_picture(compiled: &CompiledFabric, items: &LinkedItems, layout: &Layout) -> String {
    let place = |points: &[Point]| {
        let mean = |part: fn(&Point) -> f64| points.iter().map(part).sum::<f64>() / points.len() as f64;
        BlockPlace { x: mean(|point| point.x), y: mean(|point| point.y) }
    };
    let places: Vec<BlockPlace> = layout.points.chunks(items.size).map(place).collect();
    svg::blocks(&BlockPicture {
        label: format!("{} {} and their links; the table below has the numbers", items.count, items.words),
        places: &places,
        word: items.word,
        name: &|item| items.name(compiled, item),
        links: &items.links,
    })
}

/// All routers of a network with their links.
fn picture(compiled: &CompiledFabric, layout: &Layout) -> String {
    let topology = &compiled.topology;
    let router = |(point, node): (&Point, NodeId)| PictureRouter {
        x: point.x,
        y: point.y,
        filled: topology.is_endpoint(node),
    };
    let routers: Vec<PictureRouter> = layout.points.iter().zip(topology.nodes()).map(router).collect();
    let link = |link: &Link| PictureLink {
        a: link.a.node.index(),
        b: link.b.node.index(),
        global: link.class == LinkClass::Global,
    };
    let links: Vec<PictureLink> = topology.links().iter().map(link).collect();
    svg::network_picture(&NetworkPicture {
        label: format!(
            "{} routers and their links: {}; the table below has the numbers",
            routers.len(),
            layout.words
        ),
        routers: &routers,
        links: &links,
        straight: layout.straight.map(|straight| [straight.x, straight.y]),
    })
}

/// Links between two cubes by group of OCSes.
fn links_by_group(compiled: &CompiledFabric, pod: &Pod) -> BTreeMap<(u32, u32), BTreeMap<OcsGroupId, u64>> {
    let mut bundles: BTreeMap<(u32, u32), BTreeMap<OcsGroupId, u64>> = BTreeMap::new();
    for (id, link) in compiled.topology.links().enumerate() {
        let Some(ocs) = compiled.expect_pod().1.cross_connects.ocs_of[id] else { continue };
        let [a, b] = [link.a, link.b].map(|end| pod.cube_of(end.node).0);
        *bundles.entry((a.min(b), a.max(b))).or_default().entry(pod.ocses[ocs].group).or_default() += 1;
    }
    bundles
}

fn bundles(compiled: &CompiledFabric, pod: &Pod) -> Vec<Bundle> {
    let bundle = |(cubes, groups): ((u32, u32), BTreeMap<OcsGroupId, u64>)| {
        let links = groups.values().sum();
        let parts: Vec<String> =
            groups.iter().map(|(&group, count)| format!("{} {count}", pod.ocs_groups[group].name)).collect();
        let (a, b) = cubes;
        let text = if a == b { format!("cube {a} to itself") } else { format!("cube {a} - cube {b}") };
        Bundle { cubes, links, title: format!("{text}: {links} links ({})", parts.join(", ")) }
    };
    links_by_group(compiled, pod).into_iter().map(bundle).collect()
}

/// A row per bundle of the drawing: both cubes, its links, and its links by group of OCSes.
fn bundle_rows(compiled: &CompiledFabric, pod: &Pod) -> Value {
    let bundles = links_by_group(compiled, pod);
    let most = bundles.values().map(|groups| groups.values().sum::<u64>()).max().unwrap_or(1);
    let row = |((a, b), groups): ((u32, u32), BTreeMap<OcsGroupId, u64>)| {
        let links_of_group = |group| groups.get(&group).copied().unwrap_or(0);
        let links = groups.values().sum::<u64>();
        let width = format!("{:.0}", links as f64 / most as f64 * 100.0);
        context! { a, b, links, width, groups => pod.ocs_groups.ids().map(links_of_group).collect::<Vec<u64>>() }
    };
    let rows: Vec<Value> = bundles.into_iter().map(row).collect();
    context! { groups => pod.ocs_groups.iter().map(|group| group.name.clone()).collect::<Vec<_>>(), rows }
}

/// A row of the table: an item, its number of links, and the items at their other ends.
fn item_row(item: usize, name: &dyn Fn(usize) -> String, counts: &LinkCounts) -> String {
    let neighbors =
        || counts.range((item, 0)..(item + 1, 0)).map(|(&(_, neighbor), &links)| (neighbor, links));
    let links: u64 = neighbors().map(|(_, links)| links).sum();
    let mut out = format!(
        "<tr data-ends=\"{item}\"><th scope=\"row\">{}</th><td class=\"number\">{}</td><td>",
        escape(&name(item)),
        grouped(links)
    );
    for (neighbor, links) in neighbors() {
        let neighbor = if neighbor == item { "itself".to_owned() } else { name(neighbor) };
        let times = if links == 1 { String::new() } else { format!("\u{a0}\u{d7}{links}") };
        push(&mut out, format_args!("<i>{}{times}</i> ", escape(&neighbor)));
    }
    out.push_str("</td></tr>\n");
    out
}
