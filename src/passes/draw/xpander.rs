//! Xpanders: random lifts of the complete graph of `degree + 1` meta-nodes.
//!
//! Router m k + i is member i of meta-node m. A random matching joins every two meta-nodes. A draw counts if
//! its second eigenvalue is below 2 sqrt(degree - 1) in absolute value, as for a Ramanujan graph. Power
//! iteration estimates the eigenvalue from below, so a draw very close to the limit may pass. Source:
//! Valadarsky and others 2016.

use super::links::LinkPairs;
use super::regular::is_connected;
use fabc_base::random::Stream;

/// Largest rounding error of an eigenvalue.
const ROUNDING: f64 = 1e-9;
/// Steps of the power iteration.
const STEPS: usize = 300;

/// A connected lift with a spectral gap. `None` if this draw has none.
pub(super) fn draw(degree: u32, lift: u32, stream: &mut Stream) -> Option<LinkPairs> {
    let mut links = Vec::new();
    for meta in 0..=degree {
        for other in meta + 1..=degree {
            let mut matching: Vec<u32> = (0..lift).collect();
            stream.shuffle(&mut matching);
            links.extend(
                (0..lift)
                    .zip(matching)
                    .map(|(member, other_member)| [meta * lift + member, other * lift + other_member]),
            );
        }
    }
    links.sort_unstable();
    let routers = (degree + 1) * lift;
    let bound = 2.0 * f64::from(degree - 1).sqrt();
    // The complete graph has only the eigenvalue -1 besides its degree.
    (is_connected(routers, &links) && second_eigenvalue(routers as usize, &links) < bound - ROUNDING)
        .then_some(links)
}

/// The largest absolute eigenvalue of the adjacency matrix, without that of the constant vector.
fn second_eigenvalue(routers: usize, links: &[[u32; 2]]) -> f64 {
    let mut stream = Stream::new(0, 0);
    let mut vector: Vec<f64> = (0..routers).map(|_| stream.below(1 << 20) as f64).collect();
    let mut largest = 0.0;
    for _ in 0..STEPS {
        let mean = vector.iter().sum::<f64>() / routers as f64;
        vector.iter_mut().for_each(|entry| *entry -= mean);
        let norm = vector.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        if norm == 0.0 {
            return 0.0;
        }
        vector.iter_mut().for_each(|entry| *entry /= norm);
        let mut product = vec![0.0; routers];
        for &[a, b] in links {
            product[a as usize] += vector[b as usize];
            product[b as usize] += vector[a as usize];
        }
        largest = product.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        vector = product;
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues_of_known_graphs() {
        // K5: -1; a ring of 8: -2; Petersen's graph: -2.
        let complete: LinkPairs = (0..5).flat_map(|a| (a + 1..5).map(move |b| [a, b])).collect();
        let ring: LinkPairs = (0..8).map(|a| [a, (a + 1) % 8]).collect();
        let petersen: LinkPairs =
            (0..5).flat_map(|a| [[a, (a + 1) % 5], [a, a + 5], [a + 5, (a + 2) % 5 + 5]]).collect();
        for (routers, links, value) in [(5, complete, 1.0), (8, ring, 2.0), (10, petersen, 2.0)] {
            assert!((second_eigenvalue(routers, &links) - value).abs() < 1e-6, "{routers}");
        }
    }

    #[test]
    fn lifts_join_every_member_to_every_other_meta_node_once() {
        let (degree, lift) = (5, 8);
        let links =
            (0..100).find_map(|stream| draw(degree, lift, &mut Stream::new(1, stream))).expect("a draw");
        let mut met = vec![vec![0; degree as usize + 1]; ((degree + 1) * lift) as usize];
        for [a, b] in links {
            met[a as usize][(b / lift) as usize] += 1;
            met[b as usize][(a / lift) as usize] += 1;
        }
        for (router, met) in met.iter().enumerate() {
            let own = router / lift as usize;
            assert!(met.iter().enumerate().all(|(meta, &times)| times == u32::from(meta != own)));
        }
    }
}
