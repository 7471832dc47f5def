//! Draws a small pod: cubes as isometric blocks of chips on a ring. The fiber bundles between them are as
//! wide as their number of links.

use super::text::{coordinate, escape};
use crate::json::push;
use fabc_model::Pod;
use std::f64::consts::PI;

/// Up to this many chips along an axis a block shows every chip.
const CHIPS_SHOWN: u32 = 16;

/// The links between two cubes, the smaller cube first.
pub(crate) struct Bundle {
    pub(crate) cubes: (u32, u32),
    pub(crate) links: u64,
    pub(crate) title: String,
}

/// The drawing as an `<svg>` element. `label` describes the picture and says where its numbers stand.
pub(crate) fn pod(pod: &Pod, bundles: &[Bundle], label: &str) -> String {
    let layout = CubeLayout::new(pod.cubes, bundles.iter().any(|bundle| bundle.cubes.0 == bundle.cubes.1));
    let [width, height] = [2.0 * layout.center[0], 2.0 * layout.center[1]].map(coordinate);
    let label = escape(label);
    let mut out = format!(
        "<svg class=\"pod\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{label}\"><title>{label}</title><defs>"
    );
    push_block(&mut out, pod.cube.dims, layout.size);
    out.push_str("</defs>");
    push_bundles(&mut out, &layout, bundles);
    for cube in 0..pod.cubes {
        let [x, y] = layout.place(cube).map(coordinate);
        push(
            &mut out,
            format_args!(
                "<use href=\"#cube\" data-ends=\"{cube}\" x=\"{x}\" y=\"{y}\"><title>cube {cube}</title></use>"
            ),
        );
    }
    // Names come last, so that no bundle covers them.
    (0..pod.cubes).for_each(|cube| push_name(&mut out, &layout, cube));
    out.push_str("</svg>");
    out
}

/// Positions and sizes of the cubes.
struct CubeLayout {
    cubes: u32,
    center: [f64; 2],
    radius: [f64; 2],
    /// Maximum width and height of a block.
    size: f64,
}

impl CubeLayout {
    fn new(cubes: u32, loops: bool) -> Self {
        let radius = match cubes {
            1 => [0.0, 0.0],
            2 => [250.0, 0.0],
            3..=6 => [330.0, 165.0],
            _ => [375.0, 300.0],
        };
        // Part of the circumference for each cube.
        let share = PI * (radius[0] + radius[1]) / f64::from(cubes.max(1));
        let size = if cubes == 1 { 230.0 } else { (share * 0.62).clamp(7.0, 150.0) };
        let margin = size * if loops && cubes > 1 { 0.95 } else { 0.62 } + 36.0;
        let center = [500.0_f64.max(radius[0] + margin), radius[1] + margin];
        Self { cubes, center, radius, size }
    }

    /// Unit vector from the center to a cube. Cube 0 is at the top, or at the left of two cubes.
    fn direction(&self, cube: u32) -> [f64; 2] {
        let angle =
            2.0 * PI * f64::from(cube) / f64::from(self.cubes) - if self.cubes == 2 { PI } else { PI / 2.0 };
        [libm::cos(angle), libm::sin(angle)]
    }

    fn place(&self, cube: u32) -> [f64; 2] {
        let [x, y] = self.direction(cube);
        [self.center[0] + self.radius[0] * x, self.center[1] + self.radius[1] * y]
    }
}

/// Defines `#cube`: three faces of a block, with one cell per chip.
fn push_block(out: &mut String, dims: [u32; 3], size: f64) {
    let [x, y, z] = dims.map(f64::from);
    let (cos, sin) = (0.866_025_403_784, 0.5);
    let unit = size / ((x + y) * cos).max((x + y) * sin + z);
    // The center of the block is the origin.
    let project = |p: [f64; 3]| {
        let p = [p[0] - x / 2.0, p[1] - y / 2.0, p[2] - z / 2.0];
        format!(
            "{} {}",
            coordinate((p[0] - p[1]) * cos * unit),
            coordinate(((p[0] + p[1]) * sin - p[2]) * unit)
        )
    };
    let faces: [(&str, [f64; 3], usize, usize); 3] =
        [("top", [0.0, 0.0, z], 0, 1), ("left", [0.0, y, 0.0], 0, 2), ("right", [x, 0.0, 0.0], 1, 2)];
    out.push_str("<g id=\"cube\">");
    let lengths = [x, y, z];
    for (class, corner, u, v) in faces {
        let point = |a: f64, b: f64| {
            let mut p = corner;
            p[u] += a;
            p[v] += b;
            project(p)
        };
        let (w, h) = (lengths[u], lengths[v]);
        let outline = [point(0.0, 0.0), point(w, 0.0), point(w, h), point(0.0, h)].join("L");
        push(out, format_args!("<path class=\"face {class}\" d=\"M{outline}Z\"/>"));
        if unit < 4.0 || dims[u] > CHIPS_SHOWN || dims[v] > CHIPS_SHOWN {
            continue;
        }
        let mut lines = String::new();
        for a in 1..dims[u] {
            push(&mut lines, format_args!("M{}L{}", point(f64::from(a), 0.0), point(f64::from(a), h)));
        }
        for b in 1..dims[v] {
            push(&mut lines, format_args!("M{}L{}", point(0.0, f64::from(b)), point(w, f64::from(b))));
        }
        push(out, format_args!("<path class=\"chips\" d=\"{lines}\"/>"));
    }
    out.push_str("</g>");
}

fn push_name(out: &mut String, layout: &CubeLayout, cube: u32) {
    let [x, y] = layout.place(cube);
    let [x, y] = [x, y + layout.size * 0.5 + 17.0].map(coordinate);
    push(out, format_args!("<text class=\"name mid\" x=\"{x}\" y=\"{y}\">cube {cube}</text>"));
}

fn push_bundles(out: &mut String, layout: &CubeLayout, bundles: &[Bundle]) {
    let largest = bundles.iter().map(|bundle| bundle.links).max().unwrap_or(1) as f64;
    let thickest = (layout.size * if layout.cubes <= 6 { 0.11 } else { 0.085 }).clamp(1.2, 14.0);
    for Bundle { cubes: (a, b), links, title } in bundles {
        let width = coordinate((thickest * (*links as f64 / largest).sqrt()).max(0.8));
        push(
            out,
            format_args!(
                "<path class=\"fiber\" data-ends=\"{a} {b}\" stroke-width=\"{width}\" d=\"{}\">",
                bundle_path(layout, *a, *b)
            ),
        );
        push(out, format_args!("<title>{}</title></path>", escape(title)));
    }
}

/// The path of a bundle. It bends towards the center, so that the ring stays readable. A loop lies outside
/// the ring.
fn bundle_path(layout: &CubeLayout, a: u32, b: u32) -> String {
    let [from, to] = [a, b].map(|cube| layout.place(cube));
    if a == b {
        let [dx, dy] = if layout.cubes == 1 { [1.0, 0.0] } else { layout.direction(a) };
        let reach = layout.size * 1.15;
        let tip =
            |side: f64| [from[0] + (dx - side * dy * 0.7) * reach, from[1] + (dy + side * dx * 0.7) * reach];
        let [x1, y1] = tip(1.0).map(coordinate);
        let [x2, y2] = tip(-1.0).map(coordinate);
        let [x, y] = from.map(coordinate);
        return format!("M{x} {y}C{x1} {y1} {x2} {y2} {x} {y}");
    }
    let middle =
        |axis: usize| layout.center[axis] + ((from[axis] + to[axis]) / 2.0 - layout.center[axis]) * 0.55;
    let [x1, y1] = from.map(coordinate);
    let [x2, y2] = to.map(coordinate);
    format!("M{x1} {y1}Q{} {} {x2} {y2}", coordinate(middle(0)), coordinate(middle(1)))
}
