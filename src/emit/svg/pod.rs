//! The pod: cubes as isometric blocks of chips on a ring, fiber bundles between them as wide as they have
//! links.

use super::text::{at, escape};
use crate::compiled::Compiled;
use crate::emit::json::push;
use crate::ids::OcsGroupId;
use crate::ir::LinkClass;
use crate::model::Pod;
use std::collections::BTreeMap;
use std::f64::consts::PI;

/// Bundles beyond this number are drawn as one path per width, without hover texts.
const SINGLE_BUNDLES: usize = 600;
/// Up to this many chips along an axis the block shows them one by one.
const CHIPS_SHOWN: u32 = 16;

/// Links between two cubes (the smaller first): per OCS group, and the sum.
type Bundles = BTreeMap<(u32, u32), BTreeMap<OcsGroupId, u32>>;

/// The drawing as an `<svg>` element.
pub(in crate::emit) fn pod(compiled: &Compiled) -> String {
    let (pod, _) = compiled.of_pod();
    let bundles = bundles(compiled);
    let layout = Layout::of(pod.cubes, bundles.keys().any(|(a, b)| a == b));
    let most = bundles.values().map(|groups| groups.values().sum::<u32>()).max().unwrap_or(1);
    let [width, height] = [2.0 * layout.center[0], 2.0 * layout.center[1]].map(at);
    let label = format!("{} cubes of {:?} chips and the fibre bundles between them", pod.cubes, pod.cube.dims);
    let mut out = format!("<svg class=\"pod\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\"><defs>", escape(&label));
    push_block(&mut out, pod.cube.dims, layout.size);
    out.push_str("</defs>");
    push_bundles(&mut out, pod, &layout, &bundles, most);
    let every = if pod.cubes <= 32 { 1 } else { pod.cubes.div_ceil(16) };
    for cube in 0..pod.cubes {
        let [x, y] = layout.place(cube).map(at);
        push(&mut out, format_args!("<use href=\"#cube\" x=\"{x}\" y=\"{y}\"><title>cube {cube}</title></use>"));
        if cube % every == 0 {
            push_name(&mut out, &layout, cube);
        }
    }
    out.push_str("</svg>");
    out
}

/// Where cubes stand, and how large.
struct Layout {
    cubes: u32,
    center: [f64; 2],
    radius: [f64; 2],
    /// Width and height that a block may have.
    size: f64,
}

impl Layout {
    fn of(cubes: u32, loops: bool) -> Self {
        let radius = match cubes {
            1 => [0.0, 0.0],
            2 => [250.0, 0.0],
            3..=6 => [330.0, 165.0],
            7..=16 => [375.0, 300.0],
            _ => [350.0, 350.0],
        };
        // The circumference divided among the cubes.
        let share = PI * (radius[0] + radius[1]) / f64::from(cubes.max(1));
        let size = if cubes == 1 { 230.0 } else { (share * 0.62).clamp(7.0, 150.0) };
        let margin = size * if loops { 0.95 } else { 0.62 } + if cubes <= 32 { 36.0 } else { 26.0 };
        let center = [500.0_f64.max(radius[0] + margin), radius[1] + margin];
        Self { cubes, center, radius, size }
    }

    /// A direction from the middle, cube 0 at the top (or at the left, of two).
    fn direction(&self, cube: u32) -> [f64; 2] {
        let angle = 2.0 * PI * f64::from(cube) / f64::from(self.cubes) - if self.cubes == 2 { PI } else { PI / 2.0 };
        [libm::cos(angle), libm::sin(angle)]
    }

    fn place(&self, cube: u32) -> [f64; 2] {
        let [x, y] = self.direction(cube);
        [self.center[0] + self.radius[0] * x, self.center[1] + self.radius[1] * y]
    }
}

/// Defines `#cube`: three faces of a block with one cell per chip.
fn push_block(out: &mut String, dims: [u32; 3], size: f64) {
    let [x, y, z] = dims.map(f64::from);
    let (cos, sin) = (0.866_025_403_784, 0.5);
    let unit = size / ((x + y) * cos).max((x + y) * sin + z);
    // The middle of the block is the origin.
    let project = |p: [f64; 3]| {
        let p = [p[0] - x / 2.0, p[1] - y / 2.0, p[2] - z / 2.0];
        format!("{} {}", at((p[0] - p[1]) * cos * unit), at(((p[0] + p[1]) * sin - p[2]) * unit))
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

fn push_name(out: &mut String, layout: &Layout, cube: u32) {
    let [x, y] = layout.place(cube);
    let (text, [x, y]) = if layout.cubes <= 16 {
        (format!("cube {cube}"), [x, y + layout.size * 0.5 + 16.0])
    } else {
        let [dx, dy] = layout.direction(cube);
        let away = layout.size * 0.55 + 13.0;
        (cube.to_string(), [x + dx * away, y + dy * away + 4.0])
    };
    push(out, format_args!("<text class=\"name mid\" x=\"{}\" y=\"{}\">{text}</text>", at(x), at(y)));
}

fn bundles(compiled: &Compiled) -> Bundles {
    let mut bundles = Bundles::new();
    for (id, link) in compiled.topology.links().enumerate().filter(|(_, link)| link.class == LinkClass::Global) {
        let [a, b] = [link.a, link.b].map(|end| compiled.of_pod().0.cube_of(end.node).0);
        let Some(ocs) = compiled.of_pod().1.cross_connects.ocs_of[id] else { continue };
        *bundles.entry((a.min(b), a.max(b))).or_default().entry(compiled.of_pod().0.ocses[ocs].group).or_default() += 1;
    }
    bundles
}

fn push_bundles(out: &mut String, pod: &Pod, layout: &Layout, bundles: &Bundles, most: u32) {
    let thickest = (layout.size * if layout.cubes <= 6 { 0.11 } else { 0.085 }).clamp(1.2, 14.0);
    let stroke = |links: u32| at((thickest * (f64::from(links) / f64::from(most)).sqrt()).max(0.6));
    if bundles.len() > SINGLE_BUNDLES {
        let mut by_width: BTreeMap<u32, String> = BTreeMap::new();
        for (&pair, groups) in bundles {
            by_width.entry(groups.values().sum()).or_default().push_str(&curve(layout, pair));
        }
        for (links, path) in by_width {
            push(out, format_args!("<path class=\"fiber thin\" stroke-width=\"{}\" d=\"{path}\"/>", stroke(links)));
        }
        return;
    }
    for (&pair, groups) in bundles {
        let links: u32 = groups.values().sum();
        let parts: Vec<String> = groups.iter().map(|(&group, count)| format!("{} {count}", pod.ocs_groups[group].name)).collect();
        let ends = if pair.0 == pair.1 { format!("cube {} to itself", pair.0) } else { format!("cube {} - cube {}", pair.0, pair.1) };
        push(out, format_args!("<path class=\"fiber\" stroke-width=\"{}\" d=\"{}\">", stroke(links), curve(layout, pair)));
        push(out, format_args!("<title>{ends}: {links} links ({})</title></path>", escape(&parts.join(", "))));
    }
}

/// A bundle bends towards the middle, so that the ring stays readable; a loop stands outside.
fn curve(layout: &Layout, (a, b): (u32, u32)) -> String {
    let [from, to] = [a, b].map(|cube| layout.place(cube));
    if a == b {
        let [dx, dy] = if layout.cubes == 1 { [1.0, 0.0] } else { layout.direction(a) };
        let reach = layout.size * 1.15;
        let tip = |side: f64| [from[0] + (dx - side * dy * 0.7) * reach, from[1] + (dy + side * dx * 0.7) * reach];
        let [x1, y1] = tip(1.0).map(at);
        let [x2, y2] = tip(-1.0).map(at);
        let [x, y] = from.map(at);
        return format!("M{x} {y}C{x1} {y1} {x2} {y2} {x} {y}");
    }
    let middle = |axis: usize| layout.center[axis] + ((from[axis] + to[axis]) / 2.0 - layout.center[axis]) * 0.55;
    let [x1, y1] = from.map(at);
    let [x2, y2] = to.map(at);
    format!("M{x1} {y1}Q{} {} {x2} {y2}", at(middle(0)), at(middle(1)))
}
