//! Generalized Kautz graphs: arcs from u to -(d u) - j modulo the number of vertices, for j = 1 .. d.
//!
//! If d + 1 divides that number, no arc leads back to its own start. Source: Imase and Itoh 1983.

/// The targets of the `degree` arcs of a vertex, among `count` vertices. They include the vertex itself where
/// the formula says so.
pub fn kautz_targets(degree: u32, count: u32, from: u32) -> impl Iterator<Item = u32> {
    let (d, n) = (u64::from(degree), u64::from(count));
    (1..=d).map(move |j| ((n * (d + 1) - d * u64::from(from) - j) % n) as u32)
}
