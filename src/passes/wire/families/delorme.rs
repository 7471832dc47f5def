//! Delorme graphs: the points of the quadrangle W(q), joined where a polarity says so, and copies of the
//! absolute points.
//!
//! Source: Delorme 1985. Cost: linear in the links.

use super::copied::Copies;
use fabc_base::algebra::TitsPolarity;
use fabc_model::Delorme;

/// The state that is needed to list neighbors: the polarity, and the points that have copies.
pub(super) struct ImplicitDelorme {
    polarity: TitsPolarity,
    copies: Copies,
}

impl ImplicitDelorme {
    pub(super) fn new(delorme: &Delorme) -> Self {
        let polarity = TitsPolarity::new(delorme.q);
        let copies = Copies::new(delorme.points(), polarity.absolute_points(), delorme.copies);
        Self { polarity, copies }
    }
    /// Adds the neighbors of a router.
    pub(super) fn neighbors(&self, router: u32, list: &mut Vec<u32>) {
        let mut line = Vec::new();
        self.polarity.push_polar_line(self.copies.original(router), &mut line);
        self.copies.push_neighbors(router, &line, list);
    }
}
