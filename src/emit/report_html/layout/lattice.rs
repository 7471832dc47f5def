//! Grids and lattices.

use super::point::Point;
use fabc_ir::TierNames;
use fabc_model::Pod;

/// Distance of two neighbors along an axis.
const STEP: f64 = 40.0;
/// Width of a picture over its height.
const SHAPE: f64 = 1.7;
/// How far the depth of a lattice moves a router to the right and downwards, as a part of a step.
const DEPTH: Point = Point { x: 0.42, y: 0.3 };

/// Length up to which links are straight: a little more than from a router to its neighbor. Layers of so many
/// rows stand above each other, or 0 for a grid.
pub(super) fn straight(rows: u32) -> Point {
    let down = if rows == 0 { 1.0 } else { layer_height(rows) };
    Point { x: 1.3 * STEP, y: 1.3 * STEP * down }
}

/// Distance of two layers in steps.
fn layer_height(rows: u32) -> f64 {
    f64::from(rows) * DEPTH.y + 0.9
}

/// The cubes of a pod on a lattice that is about as wide as the picture, each by its layers.
pub(super) fn cubes(pod: &Pod) -> Vec<Point> {
    repeated(pod.cubes, &cube(pod.cube.dims))
}

/// Copies of a part of the picture in rows, such that the whole is about as wide as the picture and few
/// places are empty.
fn repeated(count: u32, part: &[Point]) -> Vec<Point> {
    let extent = |side: fn(&Point) -> f64| part.iter().map(side).fold(0.0, f64::max);
    let gap = Point { x: extent(|point| point.x) + 2.4 * STEP, y: extent(|point| point.y) + 2.0 * STEP };
    let misfit = |columns: u32| {
        let rows = count.div_ceil(columns);
        let shape = f64::from(columns) * gap.x / (f64::from(rows) * gap.y);
        let empty = f64::from(columns * rows) / f64::from(count);
        (if shape > SHAPE { shape / SHAPE } else { SHAPE / shape }) * empty * empty
    };
    let columns = (1..=count).min_by(|&one, &other| misfit(one).total_cmp(&misfit(other))).unwrap_or(1);
    let corner =
        |place: u32| Point { x: f64::from(place % columns) * gap.x, y: f64::from(place / columns) * gap.y };
    (0..count)
        .map(corner)
        .flat_map(|corner| {
            part.iter().map(move |point| Point { x: corner.x + point.x, y: corner.y + point.y })
        })
        .collect()
}

/// The chips of a cube, first axis fastest: a layer for every place along the last axis.
fn cube(dims: [u32; 3]) -> Vec<Point> {
    let [x, y, z] = dims;
    let layer = layer_height(y);
    let chip = |index: u32| {
        let [i, j, k] = [index % x, index / x % y, index / (x * y)];
        Point {
            x: STEP * (f64::from(i) + DEPTH.x * f64::from(j)),
            y: STEP * (f64::from(z - 1 - k) * layer + DEPTH.y * f64::from(y - 1 - j)),
        }
    };
    (0..x * y * z).map(chip).collect()
}

/// Routers by tiers of names, one below the other: a row for all values of the last coordinate.
pub(super) fn tables(tiers: &[TierNames]) -> Vec<Point> {
    let mut points = Vec::new();
    let mut top = 0.0;
    for TierNames { sides, .. } in tiers {
        let columns = sides.last().copied().unwrap_or(1);
        let count: u32 = sides.iter().product();
        points.extend((0..count).map(|index| Point {
            x: STEP * f64::from(index % columns),
            y: top + STEP * f64::from(index / columns),
        }));
        top += STEP * (f64::from(count / columns) + 1.0);
    }
    points
}

/// Maximum layers that stand above each other.
const STACKED: u32 = 6;

/// A lattice with three sides, last axis fastest: a layer for every place along the first axis. Few layers
/// stand above each other, the first at the bottom, and more of them in rows.
pub(super) fn layers(sides: &[u32]) -> Vec<Point> {
    let [layers, rows, columns] = [sides[0], sides[1], sides[2]];
    let router = |index: u32| {
        let [j, i] = [index / columns, index % columns];
        Point {
            x: STEP * (f64::from(i) + DEPTH.x * f64::from(j)),
            y: STEP * DEPTH.y * f64::from(rows - 1 - j),
        }
    };
    let layer: Vec<Point> = (0..rows * columns).map(router).collect();
    if layers > STACKED {
        return repeated(layers, &layer);
    }
    let below = |k: u32| STEP * layer_height(rows) * f64::from(layers - 1 - k);
    (0..layers)
        .flat_map(|k| layer.iter().map(move |point| Point { x: point.x, y: point.y + below(k) }))
        .collect()
}

/// A grid with any number of sides, last axis fastest. Axes go across and down in turn, and more of them make
/// a grid of grids.
pub(super) fn grid(sides: &[u32]) -> Vec<Point> {
    let count: u32 = sides.iter().product();
    let mut points = vec![Point::default(); count as usize];
    let mut steps = Point { x: STEP, y: STEP };
    let mut stride = 1;
    for (axis, &side) in sides.iter().rev().enumerate() {
        let across = axis % 2 == 0;
        let step = if across { steps.x } else { steps.y };
        for (index, point) in (0..count).zip(&mut points) {
            let along = step * f64::from(index / stride % side);
            if across { point.x += along } else { point.y += along }
        }
        let next = step * (f64::from(side) + 0.4);
        if across {
            steps.x = next
        } else {
            steps.y = next
        }
        stride *= side;
    }
    points
}
