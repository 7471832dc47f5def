//! Paley graphs: the elements of a field of 4 n + 1 elements, joined where their difference is a square.
//!
//! Source: Paley 1933.

use super::field::FiniteField;

/// The pairs that are joined, lower one first.
pub(super) fn links(field: &FiniteField) -> Vec<[u32; 2]> {
    let order = field.order();
    let mut square = vec![false; order as usize];
    (0..(order - 1) / 2).for_each(|half| square[field.power(2 * half) as usize] = true);
    let joined = |&[a, b]: &[u32; 2]| square[field.sum(b, field.negative(a)) as usize];
    (0..order).flat_map(|a| (a + 1..order).map(move |b| [a, b])).filter(joined).collect()
}
