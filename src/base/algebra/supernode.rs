//! The graphs at the points of a star product, and how copies of them are joined.
//!
//! Places a and f(a) of two copies are joined, a in the copy of lower number. Inductive quads have 2 d + 2
//! places and an f that is its own inverse. Paley graphs have 2 d + 1 places and f(a) = g a. Complete graphs
//! have d + 1 places and f(a) = a. Sources: Lakhotia and others 2024 (inductive quads), Paley 1933, Bermond,
//! Delorme and Farhi 1982 (star products).

use super::field::FiniteField;
use super::paley;

/// The graph of a supernode, on places 0, 1, ..
pub struct SupernodeGraph {
    /// Pairs of places that are joined, the lower one first.
    pub links: Vec<[u32; 2]>,
    /// `[a]`: f(a), the place in another copy that a is joined to.
    pub across: Vec<u32>,
}

/// The links among the first eight places of an inductive quad whose degree is 3 modulo 4. Every step adds
/// the same links among its eight places.
const QUAD: [[u32; 2]; 12] =
    [[0, 1], [0, 2], [0, 3], [1, 4], [2, 4], [3, 4], [1, 6], [5, 6], [2, 7], [6, 7], [3, 5], [5, 7]];
/// Places of an added quad that are joined to the first halves of all pairs before it. The other places are
/// joined to the second halves.
const TO_FIRST: [u32; 4] = [0, 1, 4, 5];

impl SupernodeGraph {
    /// The inductive quad of a degree that is 0 or 3 modulo 4. A step takes it from one degree to the one
    /// four above.
    pub fn inductive_quad(degree: u32) -> Self {
        let (mut links, mut across, mut first_half) = (Vec::new(), Vec::new(), Vec::new());
        if degree.is_multiple_of(4) {
            across = vec![1, 0];
            first_half.push(0);
        }
        for _ in 0..degree.div_ceil(4) {
            let start = across.len() as u32;
            for place in 0..8 {
                let half =
                    |&member: &u32| if TO_FIRST.contains(&place) { member } else { across[member as usize] };
                links.extend(first_half.iter().map(|member| [half(member), start + place]));
            }
            links.extend(QUAD.map(|ends| ends.map(|place| start + place)));
            across.extend((0..8).map(|place| start + (place + 4) % 8));
            first_half.extend(start..start + 4);
        }
        Self { links, across }
    }
    /// The Paley graph of `order` places, a prime power that is 1 modulo 4.
    pub fn paley(order: u32) -> Self {
        let field = FiniteField::new(order);
        Self {
            links: paley::links(&field),
            across: (0..order).map(|a| field.product(field.power(1), a)).collect(),
        }
    }
    /// The complete graph of `order` places.
    pub fn complete(order: u32) -> Self {
        Self {
            links: (0..order).flat_map(|a| (a + 1..order).map(move |b| [a, b])).collect(),
            across: (0..order).collect(),
        }
    }
    /// The links of a copy that meets itself: its own links, and a to f(a), each pair once.
    pub fn with_loops(&self) -> Vec<[u32; 2]> {
        let loops = self.across.iter().zip(0..).map(|(&b, a)| [b.min(a), b.max(a)]).filter(|[a, b]| a != b);
        let mut links: Vec<[u32; 2]> = self.links.iter().copied().chain(loops).collect();
        links.sort_unstable();
        links.dedup();
        links
    }
}
