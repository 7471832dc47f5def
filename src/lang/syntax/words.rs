//! The words of the language: items, and the fields of blocks.
//!
//! This is the only list of them. The normal form takes its order from here, the printer its blank lines, the
//! resolution the fields of every block, and errors the words that might have been meant. The grammar repeats
//! the keywords, and a test compares the two. The words of values stand in [`fabc_model`], beside what they
//! mean.

pub use super::block_kind::BlockKind;

use fabc_base::diag::plain;

/// A word that an item begins with.
pub struct ItemWord {
    /// The word itself, such as `link`.
    pub name: &'static str,
    /// In the canonical layout, a blank line separates items of different groups.
    pub group: u8,
    /// How the item is written.
    pub form: ItemForm,
    /// An example that could stand in a spec.
    pub example: &'static str,
}

/// How an item is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ItemForm {
    /// A line such as `use ..;`, `let ..;` or `require ..;`.
    Line,
    /// An item of the form `name = a quantity;`.
    Setting,
    /// An item of the form `name = a word;`.
    Choice,
    /// An item of the form `word { .. }`.
    Block,
    /// An item of the form `word name { .. }`.
    Named,
    /// An item of the form `demand = ..;` or `demand { .. }`.
    ChoiceOrBlock,
}

impl ItemForm {
    /// Whether the item may be written with a `=`.
    pub fn is_setting(self) -> bool {
        matches!(self, ItemForm::Setting | ItemForm::Choice | ItemForm::ChoiceOrBlock)
    }
}

macro_rules! items {
    ($($name:literal $group:literal $form:ident $example:literal;)*) => {
        &[$(ItemWord { name: $name, group: $group, form: ItemForm::$form, example: $example }),*]
    };
}

/// Every item, in the order of the normal form.
pub const ITEMS: &[ItemWord] = items! {
    "use" 0 Line "use \"parts/tpu_v4.fab\";";
    "param" 1 Line "param cubes = 4 in 1..=128;";
    "let" 1 Line "let side = 4;";
    "sweep" 1 Block "sweep { cubes = 2, 4, 8; seed = 1..=8; }";
    "clock" 2 Setting "clock = 1.05 GHz;";
    "link" 2 Named "link copper { bandwidth = 128 GB/s; latency = 50 cycles; }";
    "router" 3 Block "router { radix = 36; hosts = 18; vcs = 4; flit = 64 B; buffer = 128 flits; latency = 20 cycles; }";
    "box" 3 Named "box h100 { gpus = 8; switch nv { join all over nvlink; } nics = 8 over ib; }";
    "boxes" 3 Line "boxes = 32 of h100;";
    "chip" 3 Block "chip { radix = 6; vcs = 4; flit = 128 B; buffer = 200 flits; latency = 25 cycles; }";
    "cube" 3 Block "cube { mesh 4 x 4 x 4 over copper; }";
    "cubes" 3 Setting "cubes = 4;";
    "count" 3 Setting "count = 4;";
    "spare" 3 Setting "spare = 2;";
    "ocs" 4 Named "ocs X[u in 0..4, v in 0..4] { couple +x[u, v] with -x[u, v] over fiber; ports = 136; }";
    "budget" 5 Block "budget { vcs = 2; faults = 1 ocs; }";
    "failures" 5 Block "failures { links <= 60 %; seeds = 100; }";
    "demand" 5 ChoiceOrBlock "demand { all_to_all over groups of 16 weight 4; }";
    "topology" 6 Choice "topology = torus 4 x 4 x 8;";
    "floor" 6 Block "floor { cabinet = 16; placement = annealed { seed = 1; } copper <= 10 m; beyond = optical; }";
    "routing" 6 Choice "routing = allowed_turns;";
    "hosts" 6 Setting "hosts = map \"hosts.csv\";";
    "losses" 6 Setting "losses = table \"losses.csv\";";
    "addresses" 6 Block "addresses { loopbacks = 10.255.0.0/16; links = 172.16.0.0/12; hosts = 10.0.0.0/8; as = 4200000000; }";
    "simulate" 7 Named "simulate peak { traffic = uniform; }";
    "collective" 8 Line "collective gradients = all_reduce { size = 1 GiB; }";
    "job" 9 Named "job mine { axes { tensor = 8; data = 8; } phase sum { collective all = all_reduce { over = data; size = 1 GiB; } } }";
    "require" 10 Line "require diameter <= 6;";
    "slice" 11 Named "slice train { cubes = 8; count = 4; topology = synthesize { effort = 1; } routing = allowed_turns; }";
};

/// The words of items whose settings a `use` may change.
pub const CHANGED_BY_USE: [&str; 12] = [
    "link",
    "router",
    "box",
    "chip",
    "cube",
    "ocs",
    "budget",
    "failures",
    "floor",
    "addresses",
    "simulate",
    "job",
];

/// The groups of items that are not in [`ITEMS`]: settings stand with the first ones, blocks last.
pub const UNKNOWN_GROUPS: [u8; 2] = [2, 12];

/// Statements that begin with a keyword, each with an example.
pub const STATEMENTS: [(&str, &str); 11] = [
    ("switch", "switch nv { join all over nvlink; }"),
    ("join", "join [0, 1] over xgmi { copies = 4; }"),
    ("links", "links \"dgx1.csv\" over nvlink;"),
    ("nics", "nics = 8 over ib;"),
    ("nic", "nic[i] at 2 * i;"),
    ("mesh", "mesh 4 x 4 x 4 over copper;"),
    ("couple", "couple +x[u, v] with -x[u, v] over fiber;"),
    ("level", "level 9 joined 2 over copper { ports = 2; arrangement = consecutive; }"),
    ("all_to_all", "all_to_all over groups of 16 weight 4;"),
    ("phase", "phase sum { collective all = all_reduce { over = data; size = 1 GiB; } }"),
    ("send", "send stage { along = pipeline; size = 16 MiB; }"),
];

/// Names of items and statements in other tools.
const FOREIGN: &[(&[&str], &str)] = &[
    (&["switch", "asic", "node"], "router"),
    (&["gpu", "tpu", "npu", "accelerator", "device", "xpu"], "chip"),
    (&["chips", "num_cubes", "cube_count"], "cubes"),
    (&["rack", "block"], "cube"),
    (&["frequency", "freq", "clk"], "clock"),
    (&["cable", "wire", "fiber", "port"], "link"),
    (&["import", "include"], "use"),
    (&["const", "var", "def", "define", "set"], "let"),
    (&["parameter", "arg", "argument", "option", "variable"], "param"),
    (&["assert", "ensure", "constraint", "expect", "check"], "require"),
    (&["traffic", "workload"], "demand"),
    (&["topo", "network", "graph"], "topology"),
    (&["route", "routes", "algorithm"], "routing"),
    (&["oxc", "optical_switch", "circuit_switch"], "ocs"),
    (&["limits", "resources"], "budget"),
    (&["connect", "join"], "couple"),
    (&["grid", "torus"], "mesh"),
];

impl BlockKind {
    /// The settings that the block may have.
    pub fn settings(self) -> impl Iterator<Item = &'static str> {
        let fields = FIELDS
            .iter()
            .filter(move |field| field.kind != FieldKind::Statement && field.places.contains(&self));
        fields.map(|field| field.name)
    }

    /// The statements that the block may have beside its settings.
    pub fn statements(self) -> impl Iterator<Item = &'static str> {
        let fields = FIELDS
            .iter()
            .filter(move |field| field.kind == FieldKind::Statement && field.places.contains(&self));
        fields.map(|field| field.name)
    }
}

/// A setting or statement that may stand in a block.
pub struct BlockField {
    /// The word that it begins with.
    pub name: &'static str,
    /// The blocks that may have it.
    pub places: &'static [BlockKind],
    /// The kind of the field.
    pub kind: FieldKind,
}

/// The kinds of fields of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldKind {
    /// A statement with a keyword of its own.
    Statement,
    /// A field of the form `name = quantity;`.
    Quantity,
    /// A field of the form `name = word;`, where the word is never a constant.
    Choice,
}

macro_rules! fields {
    ($($name:literal $kind:ident $($place:ident)*;)*) => {
        &[$(BlockField { name: $name, places: fields!(@places $($place)*), kind: FieldKind::$kind }),*]
    };
    (@places families_with_links) => { BlockKind::FAMILIES_WITH_LINKS };
    (@places $($place:ident)*) => { &[$(BlockKind::$place),*] };
}

/// Every field, in the order of the normal form.
pub const FIELDS: &[BlockField] = fields! {
    "gpus" Quantity Box;
    "switch" Statement Box;
    "mesh" Statement Cube Box;
    "join" Statement Box InnerSwitch;
    "nics" Statement Box;
    "nic" Statement Box;
    "couple" Statement Ocs;
    "level" Statement Levels;
    "loopbacks" Quantity Addresses;
    "bandwidth" Quantity Link;
    "radix" Quantity Router RouterKind Chip Largest Hyperx Polarstar Polarfly Delorme QuadranglePairs SlimFly Bundlefly Dragonfly;
    "hosts" Quantity Router Addresses PacketModel FlitModel;
    "vcs" Quantity Router Chip Budget;
    "flit" Quantity Router Chip;
    "buffer" Quantity Router Chip;
    "latency" Quantity Link Router RouterKind Chip Box InnerSwitch;
    "per_metre" Quantity Link;
    "cost" Quantity Link Router RouterKind Chip Ocs Box;
    "cost_per_metre" Quantity Link;
    "power" Quantity Link Router RouterKind Chip Ocs Box;
    "transmit" Quantity Link;
    "sensitivity" Quantity Link;
    "loss" Quantity Link Ocs;
    "connectors" Quantity Link;
    "connector_loss" Quantity Link;
    "margin" Quantity Link;
    "host_link" Choice Router;
    "multicast" Choice Router RouterKind InnerSwitch;
    "faults" Quantity Budget;
    "table_entries" Quantity Budget;
    "links" Choice Failures Addresses;
    "links" Statement Box;
    "seeds" Quantity Failures Simulate;
    "ports" Quantity Ocs Level Nics;
    "duplex" Choice Ocs;
    "config_db" Choice Ocs;
    "diameter" Quantity Largest;
    "dimensions" Quantity Hyperx Hypercube;
    "a" Quantity Dragonfly Megafly;
    "h" Quantity Dragonfly;
    "g" Quantity Dragonfly;
    "m" Quantity Cayley;
    "n" Quantity Cayley;
    "r" Quantity Cayley;
    "generators" Choice Cayley;
    "symbols" Quantity StarGraph;
    "rho" Quantity Spectralfly Megafly;
    "quadrangle" Choice QuadranglePairs;
    "q" Quantity Polarstar Polarfly Delorme QuadranglePairs SlimFly Bundlefly Spectralfly;
    "p" Quantity Bundlefly Nbr;
    "copies" Quantity Join Polarfly Delorme QuadranglePairs;
    "alpha" Quantity Gau;
    "supernode" Choice Polarstar;
    "arrangement" Choice Dragonfly Level Megafly;
    "spare" Quantity Dragonfly Level;
    "k" Quantity FatTree;
    "levels" Quantity FatTree;
    "arity" Quantity FatTree;
    "leaves" Quantity LeafSpine;
    "spines" Quantity LeafSpine Rails;
    "per" Quantity Rails;
    "planes" Quantity FatTree LeafSpine Rails Clos;
    "attach" Choice FatTree LeafSpine Clos;
    "tiers" Choice FatTree LeafSpine Rails Clos;
    "leaf" Choice LeafSpine Rails;
    "spine" Choice LeafSpine Rails;
    "down" Quantity Clos;
    "up" Quantity Clos;
    "parallel" Quantity LeafSpine Rails Clos;
    "names" Choice Clos;
    "degree" Quantity Polarstar Kautz DeBruijn GenKautz Xpander RandomRegular RingN Nbr Gau FreeGraph;
    "sequences" Quantity Batch;
    "length" Quantity Kautz DeBruijn Bursts Batch Link;
    "micro" Quantity Batch;
    "routers" Quantity Largest Hyperx Polarstar Polarfly Delorme QuadranglePairs SlimFly Bundlefly Dragonfly GenKautz RandomRegular RingN Nbr Gau FreeGraph;
    "lift" Quantity Xpander;
    "arcs" Choice Kautz DeBruijn GenKautz FreeGraph Graph;
    "default" Choice Graph;
    "link" Choice families_with_links;
    "over" Choice FatTree LeafSpine Rails Clos JobCollective;
    "local" Choice families_with_links;
    "global" Choice families_with_links;
    "for" Choice Synthesize;
    "start" Quantity Synthesize;
    "moves" Quantity Synthesize;
    "of" Choice Permute;
    "method" Choice Synthesize Permute;
    "duplicates" Choice Permute;
    "nodes" Quantity Synthesize;
    "fix" Quantity Synthesize;
    "objective" Choice Synthesize;
    "symmetry" Choice Synthesize FreeGraph;
    "effort" Quantity Synthesize FreeGraph Annealed PlaceSearch;
    "seed" Quantity Synthesize Xpander RandomRegular RingN Nbr Gau FreeGraph Simulate Collective Annealed Permute PlaceSearch;
    "cable" Quantity Synthesize FreeGraph;
    "attempts" Quantity Xpander RandomRegular Permute;
    "draws" Quantity Xpander RandomRegular RingN Nbr Gau Permute;
    "time_limit" Quantity Synthesize;
    "priority" Choice AllowedTurns;
    "select" Choice AllowedTurns;
    "key" Choice AllowedTurns;
    "detour" Quantity AllowedTurns;
    "hash" Choice Ecmp;
    "flows" Quantity Ecmp;
    "relay" Choice Spray;
    "most" Quantity Relay;
    "weights" Choice Ecmp Spray;
    "vector" Quantity Scheduled;
    "slot" Quantity Scheduled;
    "hop" Quantity Scheduled;
    "reduce" Quantity Router RouterKind InnerSwitch Scheduled;
    "deskew" Quantity Scheduled;
    "axes" Quantity Job;
    "layers" Quantity JobModel;
    "hidden" Quantity JobModel;
    "heads" Quantity JobModel;
    "kv_heads" Quantity JobModel;
    "head" Quantity JobModel;
    "ffn" Quantity JobModel;
    "gated" Choice JobModel;
    "experts" Quantity JobModel;
    "top" Quantity JobModel;
    "expert_ffn" Quantity JobModel;
    "shared" Quantity JobModel;
    "vocab" Quantity JobModel;
    "tied" Choice JobModel;
    "qk_norm" Choice JobModel;
    "causal" Choice JobModel;
    "along" Choice JobSend;
    "size" Quantity Collective JobCollective JobSend;
    "times" Quantity JobCollective JobSend;
    "both" Choice JobSend;
    "wrap" Choice JobSend;
    "algorithm" Choice Collective JobCollective;
    "chunks" Quantity Collective;
    "root" Choice Collective Ecmp Spray;
    "overhead" Quantity Collective Floor Job;
    "barrier" Choice Collective;
    "after" Choice Collective Phase;
    "groups" Quantity Collective Job;
    "from" Choice Collective;
    "to" Choice Collective;
    "paths" Choice Collective;
    "model" Choice Simulate Job;
    "traffic" Choice Simulate;
    "by" Quantity Traffic;
    "at" Choice Hotspot;
    "share" Quantity Hotspot Compute;
    "batch" Quantity Job;
    "bytes" Quantity AllToAll Job;
    "weight" Quantity ElementBytes Job;
    "gradient" Quantity ElementBytes;
    "activation" Quantity ElementBytes;
    "zero" Quantity Job;
    "keep" Choice Job;
    "recompute" Choice Job;
    "sequence_parallel" Choice Job;
    "gather_again" Choice Job;
    "context" Choice Job;
    "virtual" Quantity Job;
    "dedup" Choice Job;
    "skew" Quantity Job JobCollective;
    "order" Choice AllToAll Floor Ecmp Spray;
    "births" Choice Simulate;
    "rate" Quantity Bursts Compute;
    "compute" Quantity Job Phase;
    "overlap" Quantity Job Phase;
    "place" Choice Job;
    "reconfigure" Quantity Job;
    "switch" Quantity Reconfigure;
    "phases" Choice Reconfigure;
    "routing" Choice Simulate;
    "shortest" Choice Ways;
    "samples" Quantity Ways;
    "bias" Quantity Ways;
    "rule" Choice Ways;
    "packet" Quantity Simulate;
    "injection" Quantity Simulate;
    "rates" Quantity Simulate;
    "warmup" Quantity Simulate;
    "measure" Quantity Simulate;
    "control" Choice Simulate;
    "packets" Quantity Window Marks;
    "ack" Choice Window;
    "per_pair" Quantity Window Marks;
    "mark" Quantity Marks;
    "gain" Quantity Marks;
    "timer" Quantity Marks;
    "wait" Quantity Window;
    "overload" Quantity Simulate;
    "replications" Quantity Simulate;
    "confidence" Quantity Simulate;
    "scenarios" Choice Simulate Collective Job;
    "general" Quantity PacketModel FlitModel;
    "classes" Quantity PacketModel FlitModel;
    "arbitration" Choice PacketModel FlitModel;
    "credits" Choice PacketModel FlitModel;
    "turn" Quantity PacketModel;
    "stages" Quantity FlitModel;
    "speedup" Quantity PacketModel FlitModel;
    "window" Quantity PacketModel FlitModel;
    "cabinet" Quantity Floor;
    "box_rack" Quantity Floor;
    "ocs" Choice Floor;
    "ocs_rack" Quantity Floor;
    "grid" Choice Floor;
    "pitch_x" Quantity Floor;
    "pitch_y" Quantity Floor;
    "clustering" Choice Floor;
    "steps" Quantity Walktrap;
    "placement" Choice Floor;
    "inside" Quantity Floor;
    "install" Quantity Floor;
    "bundles" Choice Floor;
    "beyond" Choice Floor;
    "as" Quantity Addresses;
    "phase" Statement Job;
    "collective" Statement Phase;
    "send" Statement Phase;
    "all_to_all" Statement Demand;
};

/// Returns the item or statement that a word of another tool stands for. A switch that has a name is optical.
pub fn fabc_word(word: &str, has_name: bool) -> Option<&'static str> {
    let word = plain(word);
    if word == "switch" && has_name {
        return Some("ocs");
    }
    FOREIGN.iter().find(|(names, _)| names.contains(&word.as_str())).map(|(_, meant)| *meant)
}

/// The item that begins with a word.
pub fn item(word: &str) -> Option<&'static ItemWord> {
    ITEMS.iter().find(|item| item.name == word)
}

/// The field that begins with a word.
pub fn field(word: &str) -> Option<&'static BlockField> {
    FIELDS.iter().find(|field| field.name == word)
}

/// The position of an item in the normal form. Unknown items stand last.
pub fn item_rank(word: &str) -> usize {
    ITEMS.iter().position(|item| item.name == word).unwrap_or(ITEMS.len())
}

/// The position of a line in the normal form of any block. Unknown lines stand last.
pub fn field_rank(word: &str) -> usize {
    FIELDS.iter().position(|field| field.name == word).unwrap_or(FIELDS.len())
}

/// The block of the axes of a job.
pub const AXES: &str = "axes";

/// Whether the settings of a block of a job are named after its axes.
pub fn is_by_axis(word: &str) -> bool {
    word == AXES || word == "overlap"
}

/// Whether the value of a setting is a word, never a constant.
pub fn takes_a_word(setting: &str) -> bool {
    item(setting).is_some_and(|item| matches!(item.form, ItemForm::Choice | ItemForm::ChoiceOrBlock))
        || field(setting).is_some_and(|field| field.kind == FieldKind::Choice)
}
