//! Lengths of channels that a search for flows starts from, and the bounds that they prove.

use super::samples::samples;
use super::{kautz, roomy, wired};
use fabc::ids::{ChannelId, Id, IdVec, NodeId};
use fabc::ir::Topology;
use fabc::model::{Arcs, Family, FatTree, HyperX, Mesh, Torus};
use fabc::passes::wire;

#[test]
fn seeds_are_lengths_of_lit_channels() {
    for fabric in samples().into_iter().map(roomy) {
        let topology = wired(&fabric);
        let symmetry = topology.symmetry();
        let lit: Vec<usize> = symmetry
            .canonical_nodes()
            .flat_map(|node| topology.channels_from(node).collect::<Vec<_>>())
            .map(|channel| topology.channel_class(symmetry, channel).index())
            .collect();
        let seeds = wire::start_lengths(&topology);
        assert!(lit.iter().all(|&class| seeds[0][class] == 1), "the first is all ones");
        for (index, seed) in seeds.iter().enumerate() {
            assert_eq!(seed.len(), topology.class_count(symmetry));
            assert!(seed.iter().any(|&length| length > 0) && !seeds[..index].contains(seed));
            assert!(
                (0..seed.len()).all(|class| seed[class] == 0 || lit.contains(&class)),
                "dark ports have no length"
            );
        }
    }
}

/// The largest flow that channel lengths allow between all endpoints: their sum over the sum of shortest
/// lengths.
fn bound(topology: &Topology, lengths: &[u32]) -> (u64, u64) {
    let length =
        |channel: ChannelId| u64::from(lengths[topology.channel_class(topology.symmetry(), channel).index()]);
    let volume = topology.nodes().flat_map(|node| topology.channels_from(node)).map(length).sum();
    let mut distances = 0;
    for source in topology.endpoints() {
        // Bellman and Ford's rounds. Small networks only.
        let mut best = IdVec::<NodeId, u64>::filled(u64::MAX, topology.node_count());
        best[source] = 0;
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for node in topology.nodes().filter(|&node| best[node] < u64::MAX).collect::<Vec<_>>() {
                for channel in topology.channels_from(node) {
                    let to = topology.target(channel).node;
                    let through = best[node] + length(channel);
                    if through < best[to] {
                        best[to] = through;
                        changed = true;
                    }
                }
            }
        }
        distances += topology.endpoints().map(|node| best[node]).sum::<u64>();
    }
    (volume, distances)
}

#[test]
fn seeds_prove_what_the_literature_says() {
    // The flow per ordered pair: of a torus n x n, 8 / n^3 (its bisection). Of a mesh 4 / n^3. Of a hyperx n
    // x n, 1 / n. Of a p-ary fat tree, what a leaf has up, p, over its p^(l-1) - 1 pairs. Of a Kautz graph,
    // its arcs over the sum of its distances.
    let cases: [(Family, [u64; 2]); 6] = [
        (Family::Torus(Torus(vec![8, 8])), [8, 512]),
        (Family::Torus(Torus(vec![4, 8])), [8, 256]),
        (Family::Mesh(Mesh(vec![8, 8])), [4, 512]),
        (Family::HyperX(HyperX(vec![4, 4])), [1, 4]),
        (Family::FatTree(FatTree { levels: 3, arity: 4 }), [4, 15]),
        (kautz(2, 3, Arcs::Simplex), [24, 306]),
    ];
    for (family, [above, below]) in cases {
        let fabric = roomy(family);
        let topology = wired(&fabric);
        let bounds = wire::start_lengths(&topology)
            .into_iter()
            .map(|seed| bound(&topology, &seed))
            .filter(|&(_, distances)| distances > 0);
        let least_cut =
            bounds.min_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1))).expect("all ones prove something");
        assert_eq!(least_cut.0 * below, above * least_cut.1, "{:?}: {least_cut:?}", fabric.plant);
    }
}
