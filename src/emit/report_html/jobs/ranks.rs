//! The ranks of a job on the chips: a drawing that the reader colors by any axis, and a table of all ranks.

use crate::compiled::CompiledFabric;
use crate::json::push;
use crate::number::grouped;
use crate::svg::{RankAxis, RankCell, RankMap, RankMapText, escape, rank_map};
use fabc_base::ids::NodeId;
use fabc_ir::JobResult;
use fabc_model::{Job, Pod};
use minijinja::{Value, context};
use std::collections::BTreeMap;

/// The most chips of a job that are drawn and listed, and those of all jobs of a page.
const SHOWN: usize = 4096;
const SHOWN_OF_ALL: usize = 8192;
/// The most axes to color by. The style sheet has a rule for each.
const AXES: usize = 8;
/// The most cubes whose layers have names.
const NAMED_LAYERS: usize = 16;

/// Height of a line of text above cells, and gaps between layers and between blocks.
const TEXT: u32 = 16;
const LAYER_GAP: u32 = 6;
const BLOCK_GAP: u32 = 24;
/// Width and height of a cell.
const CELL: u32 = RankMap::CELL;

/// Where chips are drawn, and what is written beside them.
#[derive(Default)]
struct ChipPlaces {
    /// `[chip]`: left and top edge of its cell.
    cells: Vec<RankCell>,
    texts: Vec<RankMapText>,
    /// How many blocks stand side by side.
    columns: u32,
    width: u32,
    height: u32,
}

/// The drawing and the table of the job with this index. `None` without a placement or axes, or if there are
/// too many chips.
pub(super) fn ranks(compiled: &CompiledFabric, index: usize, job: &Job, result: &JobResult) -> Option<Value> {
    let chips: Vec<NodeId> = compiled.topology.endpoints().collect();
    let too_many = chips.len() > SHOWN || chips.len() * (index + 1) > SHOWN_OF_ALL;
    let has_axes = !job.axes.is_empty() && job.rank_count() == Some(chips.len() as u64);
    if too_many || !has_axes || result.ranks.len() != chips.len() {
        return None;
    }
    let rank_of: BTreeMap<NodeId, u32> = (0..).zip(&result.ranks).map(|(rank, &chip)| (chip, rank)).collect();
    let ranks: Vec<u32> = chips.iter().filter_map(|chip| rank_of.get(chip).copied()).collect();
    let (places, lead) = match compiled.fabric.pod() {
        Some(pod) if pod.node_count() == chips.len() => (pod_places(pod), pod_lead(pod)),
        _ => network_places(compiled, chips.len()),
    };
    let axes: Vec<RankAxis> = axes(job).collect();
    let ChipPlaces { cells, texts, columns, width, height } = places;
    let word = compiled.fabric.plant.router_word();
    let drawing = rank_map(&RankMap {
        label: format!("The ranks of job {} on the {word}s; the table below lists them", job.name),
        cells: &cells,
        ranks: &ranks,
        texts: &texts,
        axes: &axes,
        columns,
        width,
        height,
    });
    let sizes: Vec<String> = job.axes.iter().map(|axis| format!("{} {}", axis.name, axis.size)).collect();
    Some(context! {
        id => format!("job-{index}"),
        word,
        lead,
        last => ranks.len() - 1,
        axes => axes.iter().map(|axis| &axis.name).collect::<Vec<_>>(),
        sizes => sizes.join(","),
        unlisted => job.axes.len() > AXES,
        drawing,
        heads => job.axes.iter().skip(1).map(|axis| &axis.name).collect::<Vec<_>>(),
        rows => rank_rows(compiled, job, result),
    })
}

/// The axes to color by.
fn axes(job: &Job) -> impl Iterator<Item = RankAxis> + '_ {
    let stride = |stride: &mut u32, size: u32| {
        let before = *stride;
        *stride = stride.saturating_mul(size.max(1));
        Some((before, size))
    };
    let strides = job.axes.iter().map(|axis| axis.size).scan(1, stride);
    let axis = |(axis, (stride, size)): (&fabc_model::JobAxis, (u32, u32))| RankAxis {
        name: axis.name.clone(),
        size: size.max(1),
        stride,
    };
    job.axes.iter().zip(strides).map(axis).take(AXES)
}

/// The number of columns in which blocks stand: a divisor where one is near the square root.
fn columns_of(blocks: u32) -> u32 {
    let root = (1..=blocks).find(|side| side * side >= blocks).unwrap_or(1);
    (root..=2 * root).find(|&columns| blocks.is_multiple_of(columns)).unwrap_or(root)
}

/// Cubes in rows. A cube has its layers side by side in a square.
fn pod_places(pod: &Pod) -> ChipPlaces {
    let [x, y, z] = pod.cube.dims;
    let (columns, layer_columns) = (columns_of(pod.cubes), columns_of(z));
    let text = if pod.cubes as usize <= NAMED_LAYERS { TEXT } else { 0 };
    let layer_width = x * CELL + LAYER_GAP;
    let layer_height = y * CELL + LAYER_GAP + text;
    let cube_width = layer_columns * layer_width - LAYER_GAP;
    let cube_height = TEXT + z.div_ceil(layer_columns) * layer_height;
    let corner = |cube: u32| {
        let (column, row) = (cube % columns, cube / columns);
        (column * (cube_width + BLOCK_GAP), row * (cube_height + BLOCK_GAP))
    };
    let layer_corner = |cube: u32, layer: u32| {
        let (left, top) = corner(cube);
        let (column, row) = (layer % layer_columns, layer / layer_columns);
        (left + column * layer_width, top + TEXT + row * layer_height)
    };
    let mut places = ChipPlaces { columns, ..ChipPlaces::default() };
    for chip in (0..pod.node_count() as u32).map(NodeId) {
        let [x, y, z] = pod.coordinates(chip);
        let (left, top) = layer_corner(pod.cube_of(chip).0, z);
        places.cells.push(RankCell { left: left + x * CELL, top: top + text + y * CELL });
    }
    for cube in 0..pod.cubes {
        let (left, top) = corner(cube);
        let name = format!("cube {cube}");
        places.texts.push(RankMapText { left, bottom: top + TEXT - 4, class: "name", text: name });
        for layer in (0..z).filter(|_| text > 0) {
            let (left, top) = layer_corner(cube, layer);
            let name = format!("z = {layer}");
            places.texts.push(RankMapText { left, bottom: top + TEXT - 4, class: "tick", text: name });
        }
    }
    places.width = columns * (cube_width + BLOCK_GAP) - BLOCK_GAP;
    places.height = pod.cubes.div_ceil(columns) * (cube_height + BLOCK_GAP) - BLOCK_GAP;
    places
}

fn pod_lead(pod: &Pod) -> String {
    let [x, y, z] = pod.cube.dims;
    match z {
        1 => format!(
            "A square is a chip. A grid of {x} x {y} chips is a cube, x to the right and y downwards."
        ),
        _ => format!(
            "A square is a chip. A grid of {x} x {y} chips is a layer of a cube, x to the right and y \
             downwards; the layers z = 0 to {} of a cube stand side by side.",
            z - 1
        ),
    }
}

/// Boxes in rows, or routers in the order of their ids.
fn network_places(compiled: &CompiledFabric, count: usize) -> (ChipPlaces, String) {
    let boxes = compiled.fabric.boxes().map_or_else(Vec::new, |boxes| {
        let sizes = boxes.placed.iter().map(|run| (boxes.kinds[run.kind].gpus, run.count));
        sizes.flat_map(|(size, count)| std::iter::repeat_n(size, count as usize)).collect::<Vec<u32>>()
    });
    if boxes.iter().map(|&size| size as usize).sum::<usize>() == count && !boxes.is_empty() {
        let lead = "A square is a GPU. The GPUs of a box stand together.".to_owned();
        return (block_places(&boxes, 4, true), lead);
    }
    let row = if count <= 256 { 16 } else { 64 };
    let lead =
        format!("A square is a router that sends and receives, in the order of their ids, {row} to a row.");
    (block_places(&[count as u32], row, false), lead)
}

/// Blocks of so many routers in rows of at most `row`.
fn block_places(sizes: &[u32], row: u32, named: bool) -> ChipPlaces {
    let columns = columns_of(sizes.len() as u32);
    let largest = sizes.iter().copied().max().unwrap_or(1);
    let text = if named { TEXT } else { 0 };
    let block_width = row.min(largest) * CELL;
    let block_height = text + largest.div_ceil(row) * CELL;
    let mut places = ChipPlaces { columns, ..ChipPlaces::default() };
    for (block, &size) in (0..).zip(sizes) {
        let left = block % columns * (block_width + BLOCK_GAP);
        let top = block / columns * (block_height + BLOCK_GAP);
        if named {
            let name = format!("box {block}");
            places.texts.push(RankMapText { left, bottom: top + TEXT - 4, class: "tick", text: name });
        }
        places.cells.extend(
            (0..size).map(|place| RankCell {
                left: left + place % row * CELL,
                top: top + text + place / row * CELL,
            }),
        );
    }
    places.width = columns * (block_width + BLOCK_GAP) - BLOCK_GAP;
    places.height = (sizes.len() as u32).div_ceil(columns) * (block_height + BLOCK_GAP) - BLOCK_GAP;
    places
}

/// A row of the table per group of neighbouring ranks: the ranks, their coordinates on all axes but the
/// first, and their chips.
fn rank_rows(compiled: &CompiledFabric, job: &Job, result: &JobResult) -> String {
    let group = job.axes.first().map_or(1, |axis| axis.size.max(1)) as usize;
    let mut out = String::new();
    for (index, chips) in result.ranks.chunks(group).enumerate() {
        let first = index * group;
        let ranks = match chips.len() {
            1 => grouped(first as u64),
            count => format!("{} to {}", grouped(first as u64), grouped((first + count - 1) as u64)),
        };
        push(&mut out, format_args!("<tr><th scope=\"row\">{ranks}</th>"));
        let mut rest = index;
        for axis in job.axes.iter().skip(1) {
            let size = axis.size.max(1) as usize;
            push(&mut out, format_args!("<td class=\"number\">{}</td>", rest % size));
            rest /= size;
        }
        out.push_str("<td>");
        for &chip in chips {
            push(&mut out, format_args!("<i>{}</i> ", escape(&compiled.topology.name(chip))));
        }
        out.push_str("</td></tr>\n");
    }
    out
}
