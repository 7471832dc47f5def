//! Who is joined to whom: cubes of a pod, groups or routers of a network. Few stand on a ring with their
//! links; more make a matrix of link counts, with numbers as long as they fit.

use super::grid::{self, Cell, Grid, step};
use crate::compiled::Compiled;
use crate::json::push;
use crate::number::grouped;
use crate::svg::{self, Bundle, Map, Ring, escape};
use fabc_base::ids::{Id, NodeId, OcsGroupId};
use fabc_ir::Names;
use fabc_model::{Plant, Pod};
use minijinja::{Value, context};
use std::collections::BTreeMap;

/// Up to this many items always stand on a ring.
const RING: usize = 12;
/// Up to this many do where they have few links.
const SPARSE_RING: usize = 96;
/// Up to this many routers are shown one by one, where there are groups.
const ROUTERS: usize = 96;
/// The largest matrix with numbers.
const NUMBERED: usize = 40;
/// Rows of a map, at most; beyond that neighbors share one.
const CELLS: usize = 128;

/// Links between two items; the smaller first, unless links run one way.
type Counts = BTreeMap<(usize, usize), u64>;

struct Items {
    /// `cube`, `group`, `router`, or several routers.
    word: &'static str,
    /// The same, of many.
    words: &'static str,
    count: usize,
    /// Nodes of an item.
    size: usize,
    /// How many stand in one row.
    each: usize,
    joined: Counts,
    one_way: bool,
}

/// What the template shows.
pub(super) fn joined(compiled: &Compiled) -> Value {
    let items = match &compiled.fabric.plant {
        Plant::Pod(pod) => of_pod(compiled, pod),
        Plant::Network(_) => of_network(compiled),
    };
    let name = |item: usize| items.name(compiled, item);
    // Long names stand beside their rows only; columns and ticks have numbers.
    let long = (0..items.count).any(|item| name(item).chars().count() > 4);
    let short = |item: usize| if long { item.to_string() } else { name(item) };
    let symmetric = items.both_ways();
    let (drawing, shape) = if items.on_a_ring() {
        (ring(compiled, &items), "ring")
    } else if items.count <= NUMBERED {
        (numbered(&items, &name, long, &symmetric), "grid")
    } else {
        let label = format!("Which {} are joined to which; the table below has the numbers", items.words);
        let map =
            Map { label, word: items.word, class: "", items: items.count, name: &short, counts: &symmetric };
        (svg::map(&map), "map")
    };
    let (rows, picks): (String, Vec<String>) = (
        (0..items.count).map(|item| row(item, &name, &symmetric)).collect(),
        (0..items.count).map(name).collect(),
    );
    let links = if items.one_way { "links to" } else { "joined to" };
    let bundles = compiled
        .pod()
        .filter(|_| shape == "ring" && !items.joined.is_empty())
        .map(|(pod, _)| bundle_rows(compiled, pod));
    context! {
        drawing,
        shape,
        word => items.word,
        words => items.words,
        pick => if items.each > 1 { "row" } else { items.word },
        lead => items.lead(compiled, shape) + if shape == "map" && long { " Numbers along the sides count them as the table lists them." } else { "" },
        links,
        rows,
        picks,
        bundles,
    }
}

impl Items {
    fn on_a_ring(&self) -> bool {
        let pairs = self.joined.keys().filter(|(a, b)| a != b).count();
        self.count <= RING
            || self.word == "router" && self.size == 1 && self.count <= SPARSE_RING && pairs <= 2 * self.count
    }

    /// Of both ends of every link, unless it runs one way.
    fn both_ways(&self) -> Counts {
        let mut counts = self.joined.clone();
        for (&(a, b), &links) in self.joined.iter().filter(|((a, b), _)| a != b && !self.one_way) {
            *counts.entry((b, a)).or_default() += links;
        }
        counts
    }

    /// The name of an item, without its word.
    fn name(&self, compiled: &Compiled, item: usize) -> String {
        if self.word == "router" && self.each == 1 {
            return compiled.topology.name(NodeId::new(item));
        }
        // A row of several is called by its first one.
        (item * self.each).to_string()
    }

    fn lead(&self, compiled: &Compiled, shape: &str) -> String {
        let Self { word, words, size, each, .. } = self;
        if *each > 1 {
            let each = grouped(*each as u64);
            return format!(
                "Rows and columns are {words} in the order of their ids, {each} to a row, called by the first; a cell counts the links \
                 between two rows."
            );
        }
        let groups = if *size > 1 && *word != "cube" {
            format!("A {word} has {size} routers. ")
        } else {
            String::new()
        };
        match (shape, *word) {
            ("ring", "cube") => {
                "Blocks are cubes of electrically wired chips. Bundles are the fibre links that the circuit switches set up between two \
                 cubes, as wide as they have links; a loop joins a cube to itself."
                    .to_owned()
            }
            ("ring", _) if *size > 1 => format!("{groups}Lines are the links between two {words}, as wide as there are many."),
            ("ring", _) if compiled.topology.endpoints().count() < compiled.topology.node_count() => {
                "Every dot is a router, hollow if it has no hosts; lines are links.".to_owned()
            }
            ("ring", _) => "Every dot is a router; lines are links.".to_owned(),
            (_, "cube") => {
                "Rows and columns are cubes; a cell counts the fibre links that the circuit switches set up between the two.".to_owned()
            }
            _ if self.one_way => format!("{groups}A cell counts the links from the row's {word} to the column's."),
            _ => format!("{groups}Rows and columns are {words}; a cell counts the links between the two."),
        }
    }
}

fn of_pod(compiled: &Compiled, pod: &Pod) -> Items {
    let sums = by_group(compiled, pod)
        .into_iter()
        .map(|((a, b), groups)| ((a as usize, b as usize), groups.values().sum()));
    let joined = sums.collect();
    fold(Items {
        word: "cube",
        words: "cubes",
        count: pod.cubes as usize,
        size: pod.chips_per_cube() as usize,
        joined,
        one_way: false,
        each: 1,
    })
}

fn of_network(compiled: &Compiled) -> Items {
    let topology = &compiled.topology;
    let block = match topology.names() {
        Names::Blocks { size, word } if *size > 1 && topology.node_count() > ROUTERS => {
            Some((*size as usize, *word))
        }
        Names::Nested(blocks) if topology.node_count() > ROUTERS => {
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
    let mut joined = Counts::new();
    for link in topology.links().iter() {
        let (a, b) = (link.a.node.index() / size, link.b.node.index() / size);
        *joined.entry(if one_way { (a, b) } else { (a.min(b), a.max(b)) }).or_default() += 1;
    }
    fold(Items { word, words, count: topology.node_count().div_ceil(size), size, joined, one_way, each: 1 })
}

/// The same with several items to a row where they are too many.
fn fold(items: Items) -> Items {
    let each = items.count.div_ceil(CELLS);
    if each <= 1 {
        return items;
    }
    let mut joined = Counts::new();
    for (&(a, b), &links) in &items.joined {
        *joined.entry((a / each, b / each)).or_default() += links;
    }
    Items {
        word: items.words,
        count: items.count.div_ceil(each),
        size: items.size * each,
        each,
        joined,
        ..items
    }
}

fn ring(compiled: &Compiled, items: &Items) -> String {
    if let Some((pod, _)) = compiled.pod() {
        let label = format!(
            "{} cubes of {:?} chips and the fibre bundles between them; the table below has the numbers",
            pod.cubes, pod.cube.dims
        );
        return svg::pod(pod, &bundles(compiled, pod), &label);
    }
    svg::ring(&Ring {
        label: format!("{} {} and their links; the table below has the numbers", items.count, items.words),
        items: items.count,
        name: &|item| {
            if items.size > 1 { format!("{} {item}", items.word) } else { items.name(compiled, item) }
        },
        filled: &|item| items.size > 1 || compiled.topology.is_endpoint(NodeId::new(item)),
        joined: &items.joined,
    })
}

/// Links between two cubes per group of OCSes.
fn by_group(compiled: &Compiled, pod: &Pod) -> BTreeMap<(u32, u32), BTreeMap<OcsGroupId, u64>> {
    let mut bundles: BTreeMap<(u32, u32), BTreeMap<OcsGroupId, u64>> = BTreeMap::new();
    for (id, link) in compiled.topology.links().enumerate() {
        let Some(ocs) = compiled.of_pod().1.cross_connects.ocs_of[id] else { continue };
        let [a, b] = [link.a, link.b].map(|end| pod.cube_of(end.node).0);
        *bundles.entry((a.min(b), a.max(b))).or_default().entry(pod.ocses[ocs].group).or_default() += 1;
    }
    bundles
}

fn bundles(compiled: &Compiled, pod: &Pod) -> Vec<Bundle> {
    let bundle = |(ends, groups): ((u32, u32), BTreeMap<OcsGroupId, u64>)| {
        let links = groups.values().sum();
        let parts: Vec<String> =
            groups.iter().map(|(&group, count)| format!("{} {count}", pod.ocs_groups[group].name)).collect();
        let (a, b) = ends;
        let text = if a == b { format!("cube {a} to itself") } else { format!("cube {a} - cube {b}") };
        Bundle { ends, links, title: format!("{text}: {links} links ({})", parts.join(", ")) }
    };
    by_group(compiled, pod).into_iter().map(bundle).collect()
}

/// A line per bundle of the drawing: both ends, its links, and those of every group of OCSes.
fn bundle_rows(compiled: &Compiled, pod: &Pod) -> Value {
    let row = |((a, b), groups): ((u32, u32), BTreeMap<OcsGroupId, u64>)| {
        let of = |group| groups.get(&group).copied().unwrap_or(0);
        context! { a, b, links => groups.values().sum::<u64>(), groups => pod.ocs_groups.ids().map(of).collect::<Vec<u64>>() }
    };
    let rows: Vec<Value> = by_group(compiled, pod).into_iter().map(row).collect();
    context! { groups => pod.ocs_groups.iter().map(|group| group.name.clone()).collect::<Vec<_>>(), rows }
}

fn numbered(items: &Items, name: &dyn Fn(usize) -> String, long: bool, counts: &Counts) -> String {
    let scale = grid::range(counts.values().map(|&links| links as f64));
    let cell = |row: usize, column: usize| {
        let links = *counts.get(&(row, column))?;
        let unit = if links == 1 { "link" } else { "links" };
        let title = format!("{} {} - {}: {links} {unit}", items.word, name(row), name(column));
        Some(Cell::of_scale('h', step(links as f64, scale), links.to_string(), title))
    };
    let head = |item: usize| if long { format!("{}: {item}", name(item)) } else { name(item) };
    grid::html(&Grid {
        caption: String::new(),
        class: if items.count > 16 { "tight" } else { "" },
        items: Some("both"),
        columns: (0..items.count).map(|item| if long { item.to_string() } else { name(item) }).collect(),
        rows: (0..items.count)
            .map(|row| (head(row), (0..items.count).map(|column| cell(row, column)).collect()))
            .collect(),
    })
}

/// A line of the table: an item, how many links it has, and whom they lead to.
fn row(item: usize, name: &dyn Fn(usize) -> String, counts: &Counts) -> String {
    let others = || counts.range((item, 0)..(item + 1, 0)).map(|(&(_, other), &links)| (other, links));
    let links: u64 = others().map(|(_, links)| links).sum();
    let mut out = format!(
        "<tr data-ends=\"{item}\"><th scope=\"row\">{}</th><td class=\"number\">{}</td><td>",
        escape(&name(item)),
        grouped(links)
    );
    for (other, links) in others() {
        let other = if other == item { "itself".to_owned() } else { name(other) };
        let times = if links == 1 { String::new() } else { format!("\u{a0}\u{d7}{links}") };
        push(&mut out, format_args!("<i>{}{times}</i> ", escape(&other)));
    }
    out.push_str("</td></tr>\n");
    out
}
