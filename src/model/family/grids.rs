//! Tori, meshes and HyperXs: routers at the points of a grid.

use super::facts::{FamilyFacts, Form, FullestRouter};
use crate::closed_form::{ClosedForm, Farthest, Reached};
use crate::design_space::DesignSpace;
use fabc_topology::Names;

pub(super) const TORUS: Form = ("torus", "torus 16 x 16` or `torus (side)");
pub(super) const MESH: Form = ("mesh", "mesh 4 x 4 x 4` or `mesh (side)");
pub(super) const HYPERX: Form = ("hyperx", "hyperx 9 x 9 x 8` or `hyperx (side)");

/// A ring along every dimension, one link where the length is 2, none where it is 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Torus(pub Vec<u32>);

/// A path along every dimension.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mesh(pub Vec<u32>);

/// All routers that differ in one coordinate are joined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HyperX(pub Vec<u32>);

/// What grids differ in.
trait Grid {
    const FORM: Form;
    fn sides(&self) -> &[u32];
    /// Links of the router that has fewest along a side of so many routers.
    fn fewest_links_along(side: u32) -> u32;
    /// Links of the router that has most along a side of so many routers.
    fn most_links_along(side: u32) -> u32;
    fn formulas(&self) -> ClosedForm;
    fn designs(&self) -> Option<DesignSpace> {
        None
    }
}

impl<T: Grid> FamilyFacts for T {
    fn name(&self) -> &'static str {
        T::FORM.0
    }

    fn written(&self) -> String {
        let sides: Vec<String> = self.sides().iter().map(u32::to_string).collect();
        format!("{} {}", T::FORM.0, sides.join(" x "))
    }

    fn router_count(&self) -> usize {
        self.sides().iter().map(|&side| side as usize).product()
    }

    fn fewest_links(&self) -> u64 {
        u64::from(along(self.sides(), T::fewest_links_along))
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        let kind =
            if self.sides().len() == 1 { "links along its dimension" } else { "links along the dimensions" };
        let links = u64::from(along(self.sides(), T::most_links_along));
        vec![FullestRouter::new(format!("a router of this `{}`", T::FORM.0), &[(links, kind)])]
    }

    fn router_names(&self) -> Names {
        Names::Grid(self.sides().into())
    }

    fn has_formula(&self) -> bool {
        true
    }

    fn may_be_permuted(&self) -> bool {
        true
    }

    fn halves(&self) -> Vec<Vec<bool>> {
        halves_of_axes(self.sides())
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        Some(self.formulas())
    }

    fn design_space(&self) -> Option<DesignSpace> {
        self.designs()
    }

    fn design_radix(&self) -> Option<u32> {
        self.design_space().map(|_| along(self.sides(), T::most_links_along))
    }
}

impl Grid for Torus {
    const FORM: Form = TORUS;

    fn sides(&self) -> &[u32] {
        &self.0
    }

    fn fewest_links_along(side: u32) -> u32 {
        ring_neighbors(side)
    }

    fn most_links_along(side: u32) -> u32 {
        ring_neighbors(side)
    }

    fn formulas(&self) -> ClosedForm {
        let ring = |side: u64| {
            (0..=side / 2).map(|hops| if hops == 0 || 2 * hops == side { 1 } else { 2 }).collect()
        };
        ClosedForm::of_view(along(&self.0, ring_neighbors), lines(&self.0, ring))
    }
}

impl Grid for Mesh {
    const FORM: Form = MESH;

    fn sides(&self) -> &[u32] {
        &self.0
    }

    fn fewest_links_along(side: u32) -> u32 {
        (side - 1).min(1)
    }

    /// A path has two neighbors where it has an inside.
    fn most_links_along(side: u32) -> u32 {
        ring_neighbors(side)
    }

    fn formulas(&self) -> ClosedForm {
        let (sides, routers) = (&self.0, self.router_count() as u64);
        // Ordered pairs of a path by distance, each router with itself once.
        let path =
            |side: u64| (0..side).map(|hops| if hops == 0 { side } else { 2 * (side - hops) }).collect();
        let mut layers = lines(sides, path);
        layers[0] = 0;
        // From corner to corner.
        let diameter = Farthest { hops: along(sides, others), reached: Reached::From(0) };
        let links = sides.iter().map(|&side| routers / u64::from(side) * u64::from(side - 1)).sum();
        let degrees = [along(sides, Self::fewest_links_along), along(sides, Self::most_links_along)];
        ClosedForm { links, degrees, layers: Some(layers), ..ClosedForm::regular(routers, 0, diameter) }
    }
}

impl Grid for HyperX {
    const FORM: Form = HYPERX;

    fn sides(&self) -> &[u32] {
        &self.0
    }

    fn fewest_links_along(side: u32) -> u32 {
        others(side)
    }

    fn most_links_along(side: u32) -> u32 {
        others(side)
    }

    fn formulas(&self) -> ClosedForm {
        ClosedForm::of_view(along(&self.0, others), lines(&self.0, |side| vec![1, side - 1]))
    }

    fn designs(&self) -> Option<DesignSpace> {
        let dimensions = self.0.len();
        let is_design = (2..=3).contains(&dimensions) && self.0.iter().all(|&side| side > 1);
        is_design.then_some(DesignSpace::HyperX(dimensions as u32))
    }
}

impl HyperX {
    /// The designs of so many dimensions whose routers have so many links: sides that fall.
    pub(crate) fn of_radix(dimensions: u32, radix: u32) -> impl Iterator<Item = HyperX> {
        let mut found = vec![(Vec::new(), radix)];
        for left in (0..dimensions).rev() {
            let longer = |(sides, links): (Vec<u32>, u32)| {
                let most = sides.last().map_or(links, |&side: &u32| links.min(side - 1));
                // The later sides have at most as many links each, and one at least.
                let range = (1..=most).filter(move |&own| links - own >= left && links - own <= own * left);
                range
                    .map(move |own| {
                        (sides.iter().copied().chain([own + 1]).collect::<Vec<u32>>(), links - own)
                    })
                    .collect::<Vec<_>>()
            };
            found = found.into_iter().flat_map(longer).collect();
        }
        found.into_iter().map(|(sides, _)| HyperX(sides))
    }
}

/// The lower half of every axis that has one. The last axis is the fastest.
pub(super) fn halves_of_axes(sides: &[u32]) -> Vec<Vec<bool>> {
    let routers: u32 = sides.iter().product();
    let mut stride = 1;
    let mut halves = Vec::new();
    for &side in sides.iter().rev() {
        if side > 1 {
            halves.push((0..routers).map(|router| router / stride % side < side / 2).collect());
        }
        stride *= side;
    }
    halves
}

/// A ring of two is one link.
fn ring_neighbors(side: u32) -> u32 {
    (side - 1).min(2)
}

fn others(side: u32) -> u32 {
    side - 1
}

/// The sum of something over all sides.
fn along(sides: &[u32], links: fn(u32) -> u32) -> u32 {
    sides.iter().map(|&side| links(side)).sum()
}

/// How many routers are how far away where every side adds its own distance.
fn lines(sides: &[u32], line: fn(u64) -> Vec<u64>) -> Vec<u64> {
    let mut view = vec![1];
    for &side in sides.iter().filter(|&&side| side > 1) {
        let line = line(u64::from(side));
        let mut next = vec![0; view.len() + line.len() - 1];
        for (here, others) in view.iter().enumerate() {
            line.iter().enumerate().for_each(|(further, count)| next[here + further] += others * count);
        }
        view = next;
    }
    view
}
