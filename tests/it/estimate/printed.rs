//! Answers of `fabc estimate` to the printed digit.

use super::times;

/// Asserts the answers, in us: latency, volume, total.
fn assert_answers(answers: &[(&str, &str, &str)]) {
    for (words, name, expected) in answers {
        assert_eq!(times(words, name).join(" "), *expected, "{name} of {words}");
    }
}

/// In switches that add, 1 GiB leaves a chip once, or leaves a group once. Elsewhere it does so twice.
#[test]
fn switches_that_add_to_the_printed_digit() {
    assert_answers(&[
        // Switches that add. Eight GPUs of 300 GB/s: 1 GiB leaves each once, and 2 x 7/8 of it without.
        (
            "all_reduce --size 1GiB --on star:8 --bandwidth 300GB/s --alpha 0ns --in-switch 0ns",
            "in_switch",
            "0.000 3579.139 3579.139",
        ),
        (
            "all_reduce --size 1GiB --on star:8 --bandwidth 300GB/s --alpha 0ns --in-switch 0ns",
            "with_switches",
            "0.000 3579.139 3579.139",
        ),
        (
            "all_reduce --size 1GiB --on star:8 --bandwidth 300GB/s --alpha 0ns --in-switch 0ns",
            "bound",
            "0.000 6263.494 6263.494",
        ),
        // Four boxes of eight on rails, 450 and 50 GB/s. In the boxes: (1 + 1/8)/450 and 2 x 3/4 / 8 / 50.
        (
            "all_reduce --size 1GiB --on star:8 --bandwidth 450GB/s --alpha 0ns --in-switch 0ns --over star:4 --outer-bandwidth 50GB/s",
            "in_switch+ring",
            "0.000 4026.532 4026.532",
        ),
        // In the leaves, too: 1 / 8 / 50. The switches of the boxes have (1 + 1/8)/450, which is as much.
        (
            "all_reduce --size 1GiB --on star:8 --bandwidth 450GB/s --alpha 0ns --in-switch 0ns --over star:4 --outer-bandwidth 50GB/s --outer-in-switch 0ns",
            "in_switch+in_switch",
            "0.000 2684.355 2684.355",
        ),
        (
            "all_reduce --size 1GiB --on star:8 --bandwidth 450GB/s --alpha 0ns --in-switch 0ns --over star:4 --outer-bandwidth 50GB/s --outer-in-switch 0ns",
            "with_switches+in_switch",
            "0.000 2684.355 2684.355",
        ),
        // Two passes through the switch of a box before and two after, and a ring of 4 chips between boxes.
        (
            "all_reduce --size 8kB --on star:8 --in-switch 0.2us --over star:4 --outer-alpha 1us",
            "in_switch+ring",
            "6.800 0.010 6.810",
        ),
    ]);
}

#[test]
fn latencies_of_axes_to_the_printed_digit() {
    assert_answers(&[
        // Rings: 3 x 50 + 3 x 50 + 7 x 75. Doubling: 2 x 50 + 2 x 50 + 3 x 75. Farthest: 2, 2 and 4 hops.
        ("all_gather --size 8kB --on torus:4x4x8 --alpha 50ns,50ns,75ns", "ring", "0.825 0.009 0.834"),
        ("all_gather --size 8kB --on torus:4x4x8 --alpha 50ns,50ns,75ns", "doubling", "0.425 0.009 0.434"),
        ("all_gather --size 8kB --on torus:4x4x8 --alpha 50ns,50ns,75ns", "bound", "0.500 0.001 0.501"),
        ("all_reduce --size 8kB --on torus:4x4x8 --alpha 50ns,50ns,75ns", "ring", "1.650 0.018 1.668"),
        ("broadcast --size 8kB --on mesh:4x8 --alpha 50ns,100ns", "middle", "0.500 0.009 0.509"),
        ("all_to_all --size 8kB --on torus:4x4 --alpha 50ns,100ns", "minimal", "0.300 0.004 0.304"),
        // Inside a group twice, and between groups once.
        ("all_gather --size 8kB --on dragonfly:8x4 --alpha 100ns,300ns", "bound", "0.500 0.001 0.501"),
    ]);
}

/// 16 MB, 0.5 us, 900 GB/s are the defaults of a public note on mapping collectives to topologies. Its
/// numbers, where they hold, and those of its companions, were recomputed by hand.
#[test]
fn answers_to_the_printed_digit() {
    for (words, name, expected) in [
        // All-reduce on a torus, axis by axis. With all links.
        ("all_reduce --size 16MB --on torus:8x8x8", "ring", "21.000 35.486 56.486"),
        ("all_reduce --size 16MB --on torus:8x8x8", "halving_doubling", "9.000 35.486 44.486"),
        ("all_reduce --size 16MB --on torus:8x8x8", "all_links", "12.000 5.914 17.914"),
        ("all_reduce --size 16MB --on star:512", "ring", "511.000 35.486 546.486"),
        ("all_reduce --size 16MB --on star:512", "double_tree", "9.000 35.556 44.556"),
        ("all_gather --size 16MB --on torus:8x8x8", "ring", "10.500 17.743 28.243"),
        ("all_gather --size 16MB --on torus:8x8x8", "bound", "6.000 2.957 8.957"),
        ("reduce_scatter --size 16MB --on torus:8x8x8", "ring", "10.500 17.743 28.243"),
        ("broadcast --size 16MB --on torus:8x8x8", "both_ways", "6.000 17.778 23.778"),
        ("broadcast --size 16MB --on torus:8x8x8", "one_way", "10.500 17.778 28.278"),
        ("broadcast --size 16MB --on torus:3x3", "both_ways", "1.000 17.778 18.778"),
        ("broadcast --size 16MB --on torus:3x3", "one_way", "2.000 17.778 19.778"),
        ("reduce --size 16MB --on torus:3x3", "one_way", "2.000 17.778 19.778"),
        // All-to-all: the longest axis decides.
        ("all_to_all --size 16MB --on torus:8x8x8", "minimal", "6.000 17.778 23.778"),
        ("all_to_all --size 16MB --on torus:8x8x8", "by_dimension", "6.000 53.333 59.333"),
        ("all_to_all --size 16MB --on torus:4x4", "minimal", "2.000 8.889 10.889"),
        ("all_to_all --size 16MB --on torus:2x2x2 --links single", "minimal", "1.500 8.889 10.389"),
        ("all_to_all --size 16MB --on torus:3x3", "minimal", "1.000 5.926 6.926"),
        ("all_to_all --size 16MB --on torus:16x8x4", "minimal", "7.000 35.556 42.556"),
        ("all_to_all --size 16MB --on torus:32x4x4", "minimal", "10.000 71.111 81.111"),
        ("all_to_all --size 16MB --on torus:32x16", "minimal", "12.000 71.111 83.111"),
        ("all_to_all --size 16MB --on torus:256x2x2", "minimal", "65.000 568.889 633.889"),
        // Meshes.
        ("all_to_all --size 16MB --on mesh:8x8x8", "minimal", "10.500 35.556 46.056"),
        ("all_reduce --size 16MB --on mesh:8x8x8", "ring", "21.000 35.486 56.486"),
        ("all_reduce --size 16MB --on mesh:8x8x8", "undisciplined", "21.000 70.972 91.972"),
        ("broadcast --size 16MB --on mesh:8x8x8", "corner", "10.500 17.778 28.278"),
        ("broadcast --size 16MB --on mesh:8x8x8", "middle", "6.000 17.778 23.778"),
        ("all_to_all --size 16MB --on mesh:32x16", "minimal", "23.000 142.222 165.222"),
        // Smaller and larger tori.
        ("all_reduce --size 16MB --on torus:16x16x16", "ring", "45.000 35.547 80.547"),
        ("all_reduce --size 16MB --on torus:16x16x4", "ring", "33.000 35.521 68.521"),
        ("all_reduce --size 16MB --on torus:4x4x4", "ring", "9.000 35.000 44.000"),
        ("all_reduce --size 16MB --on torus:2x2x2", "ring", "3.000 31.111 34.111"),
        ("all_reduce --size 16MB --on torus:4x4", "ring", "6.000 33.333 39.333"),
        ("all_reduce --size 16MB --on torus:4x4", "halving_doubling", "4.000 33.333 37.333"),
        // Around one switch, and without any.
        ("all_to_all --size 16MB --on star:72", "pairwise", "35.500 17.531 53.031"),
        ("all_reduce --size 16MB --on star:72", "ring", "71.000 35.062 106.062"),
        ("all_reduce --size 16MB --on star:72", "double_tree", "7.000 35.556 42.556"),
        ("all_reduce --size 16MB --on full_mesh:8 --alpha 0.2us", "ring", "2.800 31.111 33.911"),
        // Contention, and experts that many ask.
        ("all_reduce --size 16MB --on torus:8x8x8 --eta 1.2,0.6", "ring", "25.200 59.144 84.344"),
        ("all_reduce --size 16MB --on torus:8x8x8 --eta torus", "ring", "25.200 59.144 84.344"),
        ("all_to_all --size 16MB --on torus:8x8x8 --eta torus", "minimal", "7.200 29.630 36.830"),
        ("all_reduce --size 16MB --on star:72 --eta 1,0.8", "ring", "71.000 43.827 114.827"),
        ("all_reduce --size 16MB --on star:72 --eta crossbar", "ring", "71.000 43.827 114.827"),
        ("all_to_all --size 16MB --on torus:8x8x8 --skew 3", "minimal", "6.000 53.333 59.333"),
        ("all_to_all --size 16MB --on torus:8x8x8 --skew 10", "minimal", "6.000 177.778 183.778"),
        // A switch that adds.
        ("all_reduce --size 16MB --on star:72 --in-switch 0.2us", "in_switch", "0.400 17.778 18.178"),
        // Eight chips that are all joined, with every link: 2 (M/8) / b + 2 alpha.
        (
            "all_reduce --size 1MiB --on full_mesh:8 --alpha 722ns --bandwidth 12.5GB/s",
            "all_links",
            "1.444 20.972 22.416",
        ),
    ] {
        assert_eq!(times(words, name).join(" "), expected, "{words}: {name}");
    }
}

/// Worked out by hand like those above: what the note does not ask.
#[test]
fn the_other_rows_to_the_printed_digit() {
    for (words, name, expected) in [
        ("reduce_scatter --size 16MB --on star:72 --in-switch 0.2us", "in_switch", "0.400 17.531 17.931"),
        ("all_gather --size 16MB --on star:72 --in-switch 0.2us", "in_switch", "0.400 17.531 17.931"),
        ("broadcast --size 16MB --on star:72 --in-switch 0.2us", "in_switch", "0.400 17.778 18.178"),
        ("reduce --size 16MB --on star:72 --in-switch 0.2us", "in_switch", "0.200 17.778 17.978"),
        ("all_to_all --size 16MB --on star:72 --in-switch 0.2us", "in_switch", "0.200 17.531 17.731"),
        (
            "all_reduce --size 16MB --on star:72 --in-switch 0.2us --eta in_network",
            "in_switch",
            "0.400 34.188 34.588",
        ),
        ("broadcast --size 16MB --on star:64", "tree", "3.000 17.778 20.778"),
        ("broadcast --size 16MB --on star:64", "ring", "31.500 17.778 49.278"),
        ("reduce --size 16MB --on star:64", "binomial", "3.000 106.667 109.667"),
        ("all_reduce --size 16MB --on star:64", "recursive_doubling", "3.000 106.667 109.667"),
        ("all_to_all --size 16MB --on star:64", "bruck", "3.000 53.333 56.333"),
        ("all_to_all --size 16MB --on full_mesh:8", "pairwise", "3.500 15.556 19.056"),
        ("all_to_all --size 16MB --on full_mesh:8", "bound", "0.500 2.222 2.722"),
        ("broadcast --size 16MB --on full_mesh:8", "bound", "0.500 2.540 3.040"),
        ("all_gather --size 16MB --on torus:16x16x16", "doubling", "6.000 17.773 23.773"),
        ("reduce_scatter --size 16MB --on torus:16x16x16", "halving", "6.000 17.773 23.773"),
        ("all_gather --size 16MB --on mesh:8x8x8", "ring", "10.500 17.743 28.243"),
        ("reduce_scatter --size 16MB --on mesh:8x8x8", "undisciplined", "10.500 35.486 45.986"),
        ("broadcast --size 16MB --on mesh:5x4", "middle", "2.000 17.778 19.778"),
        ("broadcast --size 16MB --on mesh:5x4", "bound", "2.000 8.889 10.889"),
        ("all_to_all --size 16MB --on mesh:4x4", "by_dimension", "3.000 35.556 38.556"),
        // As if every byte went up: a quarter of the bandwidth is left. With a profile, the lesser.
        (
            "all_to_all --size 16MB --on leaf_spine:64 --oversubscription 4",
            "pairwise",
            "31.500 70.000 101.500",
        ),
        (
            "all_to_all --size 16MB --on fat_tree:64 --oversubscription 2 --eta clos",
            "pairwise",
            "31.500 35.000 66.500",
        ),
        (
            "all_to_all --size 16MB --on fat_tree:64 --oversubscription 1.1 --eta clos",
            "pairwise",
            "31.500 21.875 53.375",
        ),
        // Out of a group of 8: 8 x 256 shards over 32 links.
        ("all_to_all --size 16MB --on dragonfly:8x4", "bound", "1.500 4.310 5.810"),
    ] {
        assert_eq!(times(words, name).join(" "), expected, "{words}: {name}");
    }
}
