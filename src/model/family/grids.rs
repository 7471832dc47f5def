//! Tori, meshes and HyperXs: routers at the points of a grid.

use super::facts::{FamilyFacts, FamilyForm, FullestRouter};
use crate::closed_form::{ClosedForm, Farthest, ReachedFrom};
use crate::design_space::DesignSpace;
use fabc_topology::RouterNames;

pub(super) const TORUS: FamilyForm = ("torus", "torus 16 x 16` or `torus (side)");
pub(super) const MESH: FamilyForm = ("mesh", "mesh 4 x 4 x 4` or `mesh (side)");
pub(super) const HYPERX: FamilyForm = ("hyperx", "hyperx 9 x 9 x 8` or `hyperx (side)");

/// A ring along every dimension: the sides, 1 or more. A side of 2 has one link, a side of 1 none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Torus(pub Vec<u32>);

/// A path along every dimension: the sides, 1 or more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mesh(pub Vec<u32>);

/// Links between all routers that differ in one coordinate: the sides, 1 or more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HyperX(pub Vec<u32>);

/// The facts in which the three families of grids differ.
trait GridFamily {
    const FORM: FamilyForm;
    fn sides(&self) -> &[u32];
    /// The fewest links of a router along a side with `side` routers.
    fn fewest_links_along(side: u32) -> u32;
    /// The most links of a router along a side with `side` routers.
    fn most_links_along(side: u32) -> u32;
    fn formulas(&self) -> ClosedForm;
    fn designs(&self) -> Option<DesignSpace> {
        None
    }
}

impl<T: GridFamily> FamilyFacts for T {
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

    fn router_names(&self) -> RouterNames {
        RouterNames::Grid(self.sides().into())
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

impl GridFamily for Torus {
    const FORM: FamilyForm = TORUS;

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
        ClosedForm::from_view(along(&self.0, ring_neighbors), distance_counts(&self.0, ring))
    }
}

impl GridFamily for Mesh {
    const FORM: FamilyForm = MESH;

    fn sides(&self) -> &[u32] {
        &self.0
    }

    fn fewest_links_along(side: u32) -> u32 {
        (side - 1).min(1)
    }

    /// An inner router of a path has two neighbors.
    fn most_links_along(side: u32) -> u32 {
        ring_neighbors(side)
    }

    fn formulas(&self) -> ClosedForm {
        let (sides, routers) = (&self.0, self.router_count() as u64);
        // Ordered pairs of a path by distance. Each router counts once with itself.
        let path =
            |side: u64| (0..side).map(|hops| if hops == 0 { side } else { 2 * (side - hops) }).collect();
        let mut layers = distance_counts(sides, path);
        layers[0] = 0;
        // From corner to corner.
        let diameter = Farthest { hops: along(sides, other_coordinates), reached: ReachedFrom::From(0) };
        let links = sides.iter().map(|&side| routers / u64::from(side) * u64::from(side - 1)).sum();
        let degrees = [along(sides, Self::fewest_links_along), along(sides, Self::most_links_along)];
        ClosedForm { links, degrees, layers: Some(layers), ..ClosedForm::regular(routers, 0, diameter) }
    }
}

impl GridFamily for HyperX {
    const FORM: FamilyForm = HYPERX;

    fn sides(&self) -> &[u32] {
        &self.0
    }

    fn fewest_links_along(side: u32) -> u32 {
        other_coordinates(side)
    }

    fn most_links_along(side: u32) -> u32 {
        other_coordinates(side)
    }

    fn formulas(&self) -> ClosedForm {
        ClosedForm::from_view(
            along(&self.0, other_coordinates),
            distance_counts(&self.0, |side| vec![1, side - 1]),
        )
    }

    fn designs(&self) -> Option<DesignSpace> {
        let dimensions = self.0.len();
        let is_design = (2..=3).contains(&dimensions) && self.0.iter().all(|&side| side > 1);
        is_design.then_some(DesignSpace::HyperX(dimensions as u32))
    }
}

impl HyperX {
    /// The designs with this number of dimensions whose routers have `radix` links. Their sides do not grow.
    pub(crate) fn of_radix(dimensions: u32, radix: u32) -> impl Iterator<Item = HyperX> {
        let mut designs = vec![(Vec::new(), radix)];
        for left in (0..dimensions).rev() {
            let longer = |(sides, links): (Vec<u32>, u32)| {
                let most_links = sides.last().map_or(links, |&side: &u32| links.min(side - 1));
                // The later sides have at most as many links each, and at least one.
                let range = (1..=most_links).filter(move |&along_side| {
                    links - along_side >= left && links - along_side <= along_side * left
                });
                range
                    .map(move |along_side| {
                        (
                            sides.iter().copied().chain([along_side + 1]).collect::<Vec<u32>>(),
                            links - along_side,
                        )
                    })
                    .collect::<Vec<_>>()
            };
            designs = designs.into_iter().flat_map(longer).collect();
        }
        designs.into_iter().map(|(sides, _)| HyperX(sides))
    }
}

/// For every axis with two or more routers, its lower half. The last axis is the fastest.
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

/// Links of a router in a ring. A ring of two has one link.
fn ring_neighbors(side: u32) -> u32 {
    (side - 1).min(2)
}

fn other_coordinates(side: u32) -> u32 {
    side - 1
}

/// The sum of `links` over all sides.
fn along(sides: &[u32], links: fn(u32) -> u32) -> u32 {
    sides.iter().map(|&side| links(side)).sum()
}

/// `[h]`: number of routers at distance h where the distances along all sides add up. `line` gives the
/// distances along one side.
fn distance_counts(sides: &[u32], line: fn(u64) -> Vec<u64>) -> Vec<u64> {
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
