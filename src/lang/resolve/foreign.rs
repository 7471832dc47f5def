//! Words of other tools, and what fabc has instead.
//!
//! In: an unknown word. Out: the help of its error. Words are compared without capitals, and `-` counts as
//! `_`.

use crate::syntax::words::{self, BlockKind};
use fabc_base::diag::plain;

/// Words of other tools, and what fabc says for all of them.
type Synonyms = (&'static [&'static str], &'static str);

/// Blocks that every fabric has.
const HARDWARE: [BlockKind; 4] = [BlockKind::Link, BlockKind::Router, BlockKind::Chip, BlockKind::Budget];

/// Names of fields in other tools.
const FIELDS: &[Synonyms] = &[
    (&["bw", "rate", "speed", "capacity", "throughput"], "bandwidth"),
    (&["delay", "lat", "length"], "latency"),
    (&["ports", "port_count", "num_ports", "degree"], "radix"),
    (&["vc", "virtual_channels", "num_vcs", "lanes", "vls"], "vcs"),
    (&["buffers", "buffer_size", "buf", "buf_size", "vc_buf_size", "credits", "depth"], "buffer"),
    (&["flit_size", "flit_width", "phit", "mtu"], "flit"),
    (&["concentration", "terminals", "endpoints", "nics", "nodes", "servers", "p"], "hosts"),
    (&["fault", "failures", "tolerance", "redundancy"], "faults"),
    (&["entries", "fib", "tcam", "lft"], "table_entries"),
    (&["radix", "size", "port_count"], "ports"),
    (&["groups", "num_groups"], "g"),
    (&["routers", "routers_per_group", "group_size"], "a"),
    (&["global_ports", "global_links"], "h"),
    (&["tiers", "layers", "height", "stages", "n"], "levels"),
    (&["radix", "ports"], "k"),
    (&["down", "up"], "arity"),
    (&["algorithm", "solver"], "method"),
    (&["iterations", "budget", "work"], "effort"),
    (&["goal", "metric", "optimize"], "objective"),
    (&["link"], "default"),
    (&["timeout", "deadline", "time"], "time_limit"),
];

/// Names of routings in other tools.
const ROUTINGS: &[Synonyms] = &[
    (&["dor", "xy", "xyz", "ecube", "e_cube", "dim_order", "dimension"], "dimension_order"),
    (&["updn", "updown", "ftree", "up_down_star"], "up_down"),
    (&["min", "shortest", "shortest_path", "shortest_paths", "spf", "ospf", "minhop", "min_hop"], "minimal"),
    (&["adaptive", "spraying", "packet_spraying"], "spray"),
    (&["multipath", "multi_path", "flow_hash", "flow_hashing", "wcmp"], "ecmp"),
    (&["dfsssp", "lash", "nue", "tons", "deadlock_free", "turn_model", "auto"], "allowed_turns"),
];

/// Names of tori in other tools.
const TORI: [&str; 6] = ["torus2d", "torus_2d", "torus3d", "torus_3d", "torusnd", "kncube"];

/// Topologies of other tools, and how fabc writes them.
const TOPOLOGIES: &[Synonyms] = &[
    (&["cube", "ncube", "binary_cube"], "a hypercube is written `hypercube { dimensions = 8; }`"),
    (
        &["foldedcube", "folded_cube", "foldedhypercube"],
        "a folded hypercube is written `folded_hypercube { dimensions = 8; }`",
    ),
    (&["slimfly", "mms"], "a slim fly is written `slim_fly { q = 13; }`"),
    (&["polar_fly", "brown", "erq", "erdos_renyi_polarity"], "a PolarFly is written `polarfly { q = 13; }`"),
    (&["polar_star"], "a PolarStar is written `polarstar { q = 11; supernode = iq; degree = 3; }`"),
    (&["bundle_fly"], "a bundlefly is written `bundlefly { q = 7; p = 9; }`"),
    (
        &["spectral_fly", "lps", "ramanujan"],
        "a Ramanujan graph is written `spectralfly { rho = 23; q = 13; }`",
    ),
    (
        &["dragonfly_plus", "dragonflyplus", "dragonfly+"],
        "a dragonfly+ is a megafly: `megafly { a = 16; rho = 8; }`",
    ),
    (
        &["generalized_kautz", "genkautz", "imase_itoh"],
        "a generalized Kautz graph is written `gen_kautz { degree = 4; routers = 60; }`",
    ),
    (
        &["rrg", "random_graph"],
        "a random regular graph is written `random_regular { routers = 240; degree = 11; }`",
    ),
    (&["debruijn", "gdb"], "a de Bruijn graph is written `de_bruijn { degree = 4; length = 3; }`"),
    (&["star", "stargraph"], "a star graph is written `star_graph { symbols = 5; }`"),
    (&["erq_copy", "delorme_graph"], "a Delorme graph is written `delorme { q = 8; copies = 2; }`"),
    (
        &["dln", "small_world", "ring_shortcuts"],
        "a ring with random shortcuts is written `ring_n { routers = 256; degree = 8; }`",
    ),
    (&["ring", "cycle", "torus1d"], "a ring of n routers is `torus n`"),
    (&["line", "path", "chain", "linear"], "a line of n routers is `mesh n`"),
    (
        &["complete", "full_mesh", "fullmesh", "all_to_all", "clique", "complete_graph"],
        "a full mesh of n routers is `hyperx n`",
    ),
    (
        &["flattened_butterfly", "hamming", "flatfly", "flattenedbutterfly"],
        "a flattened butterfly is a `hyperx`: a full mesh along every dimension, `hyperx 8 x 8`",
    ),
    (
        &["mesh2d", "mesh_2d", "mesh3d", "mesh_3d", "grid", "grid_graph"],
        "a grid has its sides beside it: `mesh 4 x 4`",
    ),
    (
        &["spine_leaf", "leafspine", "two_tier"],
        "a network of leaves and spines is written `leaf_spine { leaves = 8; spines = 4; }`",
    ),
    (
        &["folded_clos", "xgft", "pgft", "three_tier"],
        "a folded Clos is written `clos { down = 4 x 8; up = 4 x 4; }`",
    ),
    (
        &["random", "expander", "bcube", "dcell", "anynet", "custom", "butterfly"],
        "fabc cannot generate this family. Read it from a file: `graph \"lab.graphml\"`, as NetworkX writes it",
    ),
];

/// Metrics of other tools, and what fabc measures.
const METRICS: &[Synonyms] = &[
    (
        &["throughput", "max_flow", "flow", "capacity", "concurrent", "lambda"],
        "the throughput of all pairs together is `concurrent_flow` (a share of a channel), `injection` (flits per cycle) or `bandwidth` (GB/s)",
    ),
    (
        &["saturation", "saturation_throughput", "injection_rate", "offered_load", "accepted_rate"],
        "a simulation finds it: `simulate peak { traffic = uniform; }`, and `require peak.saturation >= ..`, `peak.share` or \
         `peak.latency(0.5)`",
    ),
    (
        &["bisection", "bisection_bandwidth", "bisection_width", "cut", "min_cut"],
        "fabc certifies more than one cut: require `concurrent_flow` or `bandwidth`, which no cut exceeds",
    ),
    (
        &[
            "hops",
            "hop_count",
            "avg_hops",
            "mean_hops",
            "path_length",
            "avg_path_length",
            "apl",
            "mean_distance",
        ],
        "write `average_hops`",
    ),
    (&["max_hops", "hops_max", "longest_path", "eccentricity", "distance"], "write `diameter`"),
    (
        &["load", "channel_load", "link_load", "max_load", "utilization", "congestion", "edge_betweenness"],
        "write `max_channel_load` (routes over the busiest channel) or `load_ratio` (over its lower bound)",
    ),
    (&["balance", "vc_usage", "vcs_balance"], "write `vc_balance`"),
    (&["bw", "rate", "goodput"], "write `bandwidth` (GB/s per chip)"),
    (
        &["deadlock", "deadlock_free", "deadlock_freedom", "connected", "reachability"],
        "fabc proves this for everything that it builds: leave the `require` out",
    ),
    (
        &["price", "capex", "tco", "cost_per_chip", "cost_per_gpu", "cost_per_port", "price_per_host"],
        "write `cost_per_host` (routers and cables of a network) or `cost` (all cables on a `floor`)",
    ),
    (
        &["watts", "energy", "power_per_chip", "power_per_gpu"],
        "write `power_per_host` (routers and cables of a network) or `power` (all cables on a `floor`)",
    ),
    (
        &["fibers", "cable_count"],
        "write `cables` (of a network, with those of hosts) or `links` (between its routers)",
    ),
    (&["links", "routers", "hosts"], "these are counted in networks of routers, not in pods"),
    (&["radix", "ports", "degree"], "`radix` of `router` or `chip` limits the ports, without a `require`"),
    (
        &["busbw", "algbw", "bus_bandwidth", "bus_bw", "alg_bw", "collective_bandwidth"],
        "declare `collective g = all_reduce { size = 1 GiB; }` and write `require g.bandwidth >= ..`",
    ),
    (&["vcs", "virtual_channels", "faults", "table_entries"], "set the limit in `budget { .. }`"),
    (&["trees", "spanning_trees"], "write `disjoint_trees`"),
];

/// Metrics of collectives in other tools, and what fabc measures.
const COLLECTIVE_METRICS: &[Synonyms] = &[
    (&["busbw", "bus_bandwidth", "bus_bw", "bw", "throughput", "rate"], "bandwidth"),
    (&["latency", "duration", "runtime", "finish", "completion", "completion_time", "jct", "cycles"], "time"),
    (&["efficiency", "optimality", "ratio", "fraction"], "share"),
    (&["rounds", "phases", "hops"], "steps"),
    (&["bytes", "traffic", "data"], "volume"),
];

/// Demands of other tools that are the same for all pairs.
const UNIFORM: [&str; 8] =
    ["alltoall", "all_to_all", "all2all", "a2a", "uniform_random", "random", "random_uniform", "all_pairs"];

fn meanings(words: &[Synonyms], word: &str) -> impl Iterator<Item = &'static str> {
    let word = plain(word);
    words.iter().filter(move |(names, _)| names.contains(&word.as_str())).map(|(_, meant)| *meant)
}

/// The field among `known` that a word of another tool stands for.
pub(super) fn field(word: &str, known: &[&'static str]) -> Option<&'static str> {
    meanings(FIELDS, word).find(|meant| known.contains(meant))
}

/// The field of links, routers and chips that a word stands for.
pub(super) fn hardware(word: &str) -> Option<&'static str> {
    meanings(FIELDS, word).find(|meant| {
        words::field(meant).is_some_and(|field| field.places.iter().any(|place| HARDWARE.contains(place)))
    })
}

/// The routing among `known` that a word of another tool stands for.
pub(super) fn routing(word: &str, known: &[&'static str]) -> Option<&'static str> {
    let minimal =
        |meant| if meant == "minimal" && !known.contains(&"minimal") { "allowed_turns" } else { meant };
    meanings(ROUTINGS, word).map(minimal).next()
}

/// The help for a topology of another tool, in a network or a pod.
pub(super) fn topology(word: &str, network: bool) -> Option<String> {
    if TORI.contains(&plain(word).as_str()) {
        return Some("a torus has its sides beside it: `torus 4 x 4 x 8`".to_owned());
    }
    let help = meanings(TOPOLOGIES, word).next()?;
    let hint = "; that is a network, of `router { .. }` instead of `chip`, `cube`, `cubes` and `ocs`";
    Some(format!("{help}{}", if network { "" } else { hint }))
}

/// The metric of collectives that a word stands for.
pub(super) fn collective_metric(word: &str) -> Option<&'static str> {
    meanings(COLLECTIVE_METRICS, word).next()
}

/// Whether a demand of another tool is the same for all pairs.
pub(super) fn is_uniform(word: &str) -> bool {
    UNIFORM.contains(&plain(word).as_str())
}

/// What fabc measures for a metric of another tool.
pub(super) fn metric(word: &str) -> Option<&'static str> {
    meanings(METRICS, word).next()
}
