//! Slim flies: the graphs of McKay, Miller and Siran, of diameter 2.
//!
//! Router s q^2 + x q + y, s = 0 or 1, over a field of q = 4 w + 1, 4 w or 4 w - 1 elements. Routers of the
//! same s and x are joined where their y differ by an element of a set of s; (0, x, y) and (1, m, c) where
//! y = m x + c. Sources: McKay, Miller and Siran 1998; Besta and Hoefler 2014 (Slim Fly). Cost: linear in the
//! links.

use super::edge::Edge;
use fabc_base::algebra::Field;
use fabc_model::Network;

/// The links of a slim fly.
pub(super) fn edges(network: &Network, q: u32) -> Vec<Edge> {
    pairs(q).into_iter().map(|ends| Edge::local(network, ends)).collect()
}

/// The pairs that are joined, lower one first.
pub(super) fn pairs(q: u32) -> Vec<[u32; 2]> {
    let field = Field::new(q);
    let id = |side: u32, column: u32, row: u32| (side * q + column) * q + row;
    let mut pairs = Vec::new();
    for (side, exponents) in differences(q).into_iter().enumerate() {
        let mut differs = vec![false; q as usize];
        exponents.into_iter().for_each(|exponent| differs[field.power(exponent) as usize] = true);
        for column in 0..q {
            for row in 0..q {
                let others =
                    (row + 1..q).filter(|&other| differs[field.sum(other, field.negative(row)) as usize]);
                pairs.extend(
                    others.map(|other| [id(side as u32, column, row), id(side as u32, column, other)]),
                );
            }
        }
    }
    for x in 0..q {
        for m in 0..q {
            pairs.extend((0..q).map(|c| [id(0, x, field.sum(field.product(m, x), c)), id(1, m, c)]));
        }
    }
    pairs
}

/// A slim fly that is not wired whole.
pub(super) struct Implicit {
    field: Field,
    /// `[side]`: the differences of rows that are joined.
    differences: [Vec<u32>; 2],
}

impl Implicit {
    pub(super) fn new(q: u32) -> Self {
        let field = Field::new(q);
        let differences = differences(q).map(|exponents| {
            let mut found: Vec<u32> = exponents.into_iter().map(|exponent| field.power(exponent)).collect();
            found.sort_unstable();
            found.dedup();
            found
        });
        Self { field, differences }
    }
    /// Adds the neighbors of a router.
    pub(super) fn neighbors(&self, router: u32, found: &mut Vec<u32>) {
        let (field, q) = (&self.field, self.field.order());
        let (side, column, row) = (router / (q * q), router / q % q, router % q);
        let rows = self.differences[side as usize].iter().map(|&by| field.sum(row, by));
        found.extend(rows.map(|row| (side * q + column) * q + row));
        // y = m x + c.
        found.extend((0..q).map(|other| {
            let product = field.product(column, other);
            let row = field.sum(row, if side == 0 { field.negative(product) } else { product });
            ((1 - side) * q + other) * q + row
        }));
    }
}

/// The differences inside the columns of either side, as exponents of the generator.
fn differences(q: u32) -> [Vec<u32>; 2] {
    let step = |from: u32, to: u32| (from..=to).step_by(2);
    match q % 4 {
        // Squares and the others.
        1 => [step(0, q - 2).collect(), step(1, q - 2).collect()],
        0 => [step(0, q - 2).collect(), step(1, q - 1).collect()],
        _ => {
            let w = q.div_ceil(4);
            let first = step(0, 2 * w - 2).chain(step(2 * w - 1, 4 * w - 3));
            [first.collect(), step(1, 2 * w - 1).chain(step(2 * w, 4 * w - 2)).collect()]
        }
    }
}
