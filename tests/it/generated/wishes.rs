//! Features that specs must have: every plant, every feature, and every pair of them that goes together.

use super::spec::Spec;

/// Families in which no link joins two routers with hosts.
pub(crate) const ENDPOINTS_APART: [&str; 3] = ["clos", "fat_tree", "megafly"];

/// The rows of the table of coverage.
pub(crate) const PLANTS: [&str; 52] = [
    "bundlefly",
    "cayley",
    "clos",
    "de_bruijn duplex",
    "de_bruijn simplex",
    "delorme",
    "dragonfly consecutive",
    "dragonfly fold",
    "dragonfly palmtree",
    "fat_tree",
    "folded_hypercube",
    "gau",
    "gen_kautz duplex",
    "gen_kautz simplex",
    "goal",
    "graph edges duplex",
    "graph edges simplex",
    "graphml duplex",
    "graphml simplex",
    "hypercube",
    "hyperx",
    "jellyfish",
    "kautz duplex",
    "kautz simplex",
    "levels",
    "megafly",
    "mesh",
    "nbr",
    "permute",
    "pod cross_connects",
    "pod milp",
    "pod near",
    "pod one cube",
    "pod relax",
    "pod slices",
    "pod synthesize",
    "pod torus",
    "pod twisted_torus",
    "polarfly",
    "polarstar complete",
    "polarstar iq",
    "polarstar paley",
    "quadrangle_pairs",
    "random_regular",
    "ring_n",
    "slim_fly",
    "spectralfly",
    "star_graph",
    "synthesize duplex",
    "synthesize simplex",
    "torus",
    "xpander",
];

/// A dimension of the wishes, with its values.
type Dimension = (&'static str, &'static [&'static str]);

/// Features that are looked at on every plant.
const OF_EVERY_PLANT: [Dimension; 8] = [
    ("faults", &["0", "1 link", "1 router", "1 chip", "1 ocs", "2 ocs"]),
    (
        "demand",
        &[
            "uniform",
            "groups",
            "dense",
            "sparse",
            "hot pair",
            "one receiver",
            "one sender",
            "permutation",
            "one pair",
        ],
    ),
    ("floor", &["yes", "per_metre", "annealed", "grid"]),
    ("links", &["one", "alike", "unlike"]),
    ("routing", &["minimal", "allowed_turns", "up_down", "dimension_order", "algebraic", "scheduled"]),
    ("collective", &["all_gather", "reduce_scatter", "all_reduce", "broadcast", "reduce", "all_to_all"]),
    ("model", &["packet", "flit"]),
    ("written", &["use", "constants", "parameters"]),
];

/// Features that some specs must have, those first that are rare.
const OF_SOME: [Dimension; 19] = [
    ("ways", &["min", "family", "min_first", "valiant", "ugal", "ugal_global"]),
    (
        "traffic",
        &[
            "tornado",
            "neighbour",
            "group_shift",
            "adversarial",
            "bit_complement",
            "bit_reverse",
            "bit_shuffle",
            "transpose",
        ],
    ),
    ("floor", &["by_cluster", "by_group", "bundles by_group", "walktrap", "by length", "serpentine"]),
    (
        "scheduled",
        &[
            "groups",
            "all_to_all",
            "all_gather",
            "reduce_scatter",
            "all_reduce",
            "broadcast",
            "send",
            "pairs",
            "after",
        ],
    ),
    ("switches", &["for cubes", "partial", "pair", "any", "flipped", "sided"]),
    ("simulated", &["all scenarios"]),
    ("collective", &["all scenarios"]),
    (
        "algorithm",
        &["gather_reduce", "local", "trees", "multitree", "slots", "steps", "pull", "direct", "auto"],
    ),
    ("slices", &["spare", "serve", "train", "collective", "demand", "faults 1 ocs", "faults 1 link"]),
    ("symmetry", &["translation", "auto", "none"]),
    ("objective", &["hops", "flow"]),
    ("turns", &["key = dst", "select = ilp", "priority"]),
    ("births", &["bursts"]),
    (
        "traffic",
        &[
            "permutation",
            "endpoint_permutation",
            "adjacent",
            "demand",
            "hotspot",
            "all_to_all",
            "trace",
            "uniform",
        ],
    ),
    ("failures", &["yes"]),
    ("budget", &["table_entries"]),
    ("hosts", &["0", "1", "2", "4", "by file"]),
    ("require", &["of universal", "of bound", "of nominal"]),
    ("written", &["sweep", "use with changes", "shuffled"]),
];

/// All features that a run must have.
pub(crate) fn features() -> impl Iterator<Item = (&'static str, &'static str)> {
    OF_SOME
        .iter()
        .chain(&OF_EVERY_PLANT)
        .flat_map(|(dimension, values)| values.iter().map(|value| (*dimension, *value)))
}

/// All pairs of a plant and a feature that go together.
pub(crate) fn pairs() -> impl Iterator<Item = (&'static str, (&'static str, &'static str))> {
    let of_every = || {
        OF_EVERY_PLANT.iter().flat_map(|(dimension, values)| values.iter().map(|value| (*dimension, *value)))
    };
    PLANTS.iter().flat_map(move |plant| {
        of_every().filter(|feature| go_together(plant, feature.0, feature.1)).map(|feature| (*plant, feature))
    })
}

/// Whether the language, or the size of a plant, lets it have a feature.
fn go_together(plant: &str, dimension: &str, value: &str) -> bool {
    let (is_pod, one_way) = (plant.starts_with("pod "), plant.ends_with("simplex"));
    let is_large = ["bundlefly", "quadrangle_pairs", "spectralfly"].contains(&plant);
    let in_slices = plant == "pod slices";
    let is_grid = ["torus", "mesh", "hyperx"].contains(&plant);
    match (dimension, value) {
        ("faults", "0") => true,
        // Every slice has faults of its own.
        ("faults", _) if in_slices || is_large => false,
        ("faults", "1 router") => !is_pod,
        ("faults", "1 ocs") => is_pod,
        // Graphs of a program, and what is smaller, have too few switches.
        ("faults", "2 ocs") => is_pod && !["pod milp", "pod relax"].contains(&plant),
        ("faults", _) => true,
        ("demand" | "floor", _) if in_slices => false,
        // How many routers a goal comes to is not known to the generator.
        ("demand", shape) => plant != "goal" || shape == "uniform",
        ("links", "unlike") => !["pod milp", "pod relax"].contains(&plant),
        ("routing", "minimal") => !is_pod,
        ("routing", "allowed_turns" | "up_down") => !one_way,
        ("routing", "dimension_order") => is_grid || plant == "pod torus",
        ("routing", "algebraic") => {
            let families = ["polarstar", "hypercube", "folded", "dragonfly"];
            is_grid || families.iter().any(|family| plant.starts_with(family))
        }
        ("routing", "scheduled") => {
            !is_pod && !one_way && plant != "goal" && !ENDPOINTS_APART.contains(&plant)
        }
        ("traffic", "adjacent") => !ENDPOINTS_APART.contains(&plant),
        ("collective" | "model", _) => !is_large && !in_slices,
        _ => true,
    }
}

/// The wish for the spec with a number.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wish {
    Anything,
    Feature(&'static str, &'static str),
    Pair(&'static str, (&'static str, &'static str)),
}

impl Wish {
    pub(crate) fn is_met(self, spec: &Spec) -> bool {
        match self {
            Wish::Anything => true,
            Wish::Feature(dimension, value) => spec.has(dimension, value),
            Wish::Pair(plant, (dimension, value)) => spec.plant == plant && spec.has(dimension, value),
        }
    }

    /// The feature or the plant that it is about, as a list of missing ones names it.
    pub(crate) fn subject(self) -> Option<String> {
        match self {
            Wish::Anything => None,
            Wish::Feature(dimension, value) => Some(format!("{dimension} {value}")),
            Wish::Pair(plant, _) => Some(plant.to_owned()),
        }
    }
}

/// Wishes for specs: the first specs have every feature and plant, later ones every pair.
pub(crate) fn wish(number: u64) -> Wish {
    let place = number as usize / 4;
    match number % 4 {
        half @ (0 | 1) => {
            let features: Vec<_> = features().collect();
            let (dimension, value) = features[(2 * place + half as usize) % features.len()];
            Wish::Feature(dimension, value)
        }
        // Every plant in turn, each time with another feature.
        2 => {
            let (plant, turn) = (PLANTS[place % PLANTS.len()], place / PLANTS.len());
            let of_plant: Vec<_> = pairs().filter(|(known, _)| *known == plant).collect();
            let (plant, feature) = of_plant[turn % of_plant.len()];
            Wish::Pair(plant, feature)
        }
        _ => Wish::Anything,
    }
}
