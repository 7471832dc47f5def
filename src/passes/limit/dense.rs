//! How many links a set of chips can have among them, in every topology of a pod.
//!
//! In: the joinable face ports of a cube. Out: [`DenseGroups`], if the argument holds. It numbers the
//! positions of a cube by binary digits: those of the Gray code of each coordinate, so that the positions at
//! both ends of a side differ in one digit. It needs that every copper link and every possible fiber changes
//! exactly one digit, as in pods whose fibers join opposite faces at the same place, with sides of 2, 4 or
//! another power of two.
//!
//! A set of n chips, in any cubes, is cut in two by a digit. Across go at most as many links as the smaller
//! half has chips, times the links of a chip that change this digit. The halves are cut by the next digit,
//! and so on. Chips with the same digits have no link. So the set has at most as many links as n corners of a
//! hypercube, which are the number of ones in the binary numbers below n (Hart 1976), times the same factor.

use super::shape::CubeShape;

/// What bounds the links among a set of chips in every topology of a pod.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DenseGroups {
    /// The most lanes of a chip that change one digit of its position.
    lanes: u64,
    /// The most links of a chip, less one.
    pub fan: u64,
}

impl DenseGroups {
    /// `None` where a link may change no digit, or several. `fiber` is the capacity of the widest fiber.
    pub(super) fn new(shape: &CubeShape, fiber: u64) -> Option<Self> {
        let digits = |position: usize| {
            let mut below = 1;
            let mut shift = 0;
            let mut code = 0u64;
            for dim in shape.dims {
                let coordinate = (position / below % dim) as u64;
                code |= (coordinate ^ (coordinate >> 1)) << shift;
                below *= dim;
                shift += dim.next_power_of_two().trailing_zeros();
            }
            code
        };
        let changed = |from: usize, to: usize| {
            let changed = digits(from) ^ digits(to);
            changed.is_power_of_two().then(|| changed.trailing_zeros())
        };
        // `[position][digit]`: the lanes that may change it.
        let mut lanes = vec![[0u64; u64::BITS as usize]; shape.positions()];
        let mut links = vec![0u64; shape.positions()];
        let mut stride = 1;
        for dim in shape.dims {
            for position in 0..shape.positions() {
                if position / stride % dim + 1 < dim {
                    let digit = changed(position, position + stride)?;
                    for end in [position, position + stride] {
                        lanes[end][digit as usize] += shape.mesh_capacity;
                        links[end] += 1;
                    }
                }
            }
            stride *= dim;
        }
        for (&position, &partners) in shape.position.iter().zip(&shape.partners_of) {
            let slots = shape.partners[partners].iter();
            let digits: Option<Vec<u32>> =
                slots.map(|&slot| changed(position, shape.position[slot])).collect();
            let mut digits = digits?;
            digits.sort_unstable();
            digits.dedup();
            digits.iter().for_each(|&digit| lanes[position][digit as usize] += fiber);
            links[position] += 1;
        }
        let most = lanes.iter().flatten().copied().max()?;
        let fan = links.iter().copied().max()?.saturating_sub(1).max(1);
        Some(Self { lanes: most, fan })
    }

    /// The most lanes of channels among `size` chips.
    pub fn lanes_among(&self, size: u64) -> u128 {
        let ones: u32 = (0..size).map(u64::count_ones).sum();
        2 * u128::from(ones) * u128::from(self.lanes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hypercube_has_most_links_among_so_many_corners() {
        let groups = DenseGroups { lanes: 1, fan: 5 };
        // Two channels a link: an edge, a square, a cube, and one corner more.
        let lanes = [2u64, 4, 8, 9].map(|size| groups.lanes_among(size));
        assert_eq!(lanes, [2, 8, 24, 26]);
    }
}
