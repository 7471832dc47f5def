//! Generalized Kautz graphs: arcs from u to -(d u) - j modulo the number of vertices, for j = 1 .. d.
//!
//! Where d + 1 divides that number no arc leads to its own start. Source: Imase and Itoh 1983.

/// The arcs of a vertex of `count` vertices with `degree` arcs each, its own start among the targets where
/// the formula says so.
pub fn kautz_targets(degree: u32, count: u32, from: u32) -> impl Iterator<Item = u32> {
    let (d, n) = (u64::from(degree), u64::from(count));
    (1..=d).map(move |j| ((n * (d + 1) - d * u64::from(from) - j) % n) as u32)
}
