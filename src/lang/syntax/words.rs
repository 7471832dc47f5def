//! The words of the language: items, and the fields of blocks.
//!
//! The one place that lists them: the normal form has its order from here, the printer its blank lines, the
//! resolution what belongs where, and errors what might have been meant. The grammar has the keywords once
//! more; a test compares. The words of values stand beside what they mean, in [`fabc_model`].

use fabc_base::diag::plain;

/// A word that an item begins with.
pub struct ItemWord {
    /// The word.
    pub name: &'static str,
    /// Lines of different groups are parted by a blank line in the canonical layout.
    pub group: u8,
    /// How it is written.
    pub form: Form,
    /// One as it could stand in a spec.
    pub example: &'static str,
}

/// How an item is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// `use ..;`, `let ..;`, `require ..;`
    Line,
    /// `name = a quantity;`
    Setting,
    /// `name = a word;`
    Choice,
    /// `word { .. }`
    Block,
    /// `word name { .. }`
    Named,
    /// `demand = ..;` or `demand { .. }`
    ChoiceOrBlock,
}

impl Form {
    /// Whether it may be written with a `=`.
    pub fn is_setting(self) -> bool {
        matches!(self, Form::Setting | Form::Choice | Form::ChoiceOrBlock)
    }
}

macro_rules! items {
    ($($name:literal $group:literal $form:ident $example:literal;)*) => {
        &[$(ItemWord { name: $name, group: $group, form: Form::$form, example: $example }),*]
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
    "simulate" 7 Named "simulate peak { traffic = uniform; }";
    "collective" 8 Line "collective gradients = all_reduce { size = 1 GiB; }";
    "require" 9 Line "require diameter <= 6;";
    "slice" 10 Named "slice train { cubes = 8; count = 4; topology = synthesize { effort = 1; } routing = allowed_turns; }";
};

/// The group of items that are none of [`ITEMS`]: settings stand with the first ones, blocks last.
pub const UNKNOWN_GROUPS: [u8; 2] = [2, 11];

/// Statements that begin with a word of their own, with an example.
pub const STATEMENTS: [(&str, &str); 4] = [
    ("mesh", "mesh 4 x 4 x 4 over copper;"),
    ("couple", "couple +x[u, v] with -x[u, v] over fiber;"),
    ("level", "level 9 joined 2 over copper { ports = 2; arrangement = consecutive; }"),
    ("all_to_all", "all_to_all over groups of 16 weight 4;"),
];

/// What items and statements are called elsewhere.
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

/// A block whose fields are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// `link name { .. }`
    Link,
    /// `router { .. }`
    Router,
    /// `chip { .. }`
    Chip,
    /// `cube { .. }`
    Cube,
    /// `ocs name { .. }`
    Ocs,
    /// `budget { .. }`
    Budget,
    /// `failures { .. }`
    Failures,
    /// `floor { .. }`
    Floor,
    /// `clustering = walktrap { .. }`
    Walktrap,
    /// `placement = annealed { .. }`
    Annealed,
    /// `demand { .. }`
    Demand,
    /// `simulate name { .. }`
    Simulate,
    /// `model = packet { .. }`
    PacketModel,
    /// `model = flit { .. }`
    FlitModel,
    /// `traffic = group_shift { .. }`
    Traffic,
    /// `traffic = all_to_all { .. }`
    AllToAll,
    /// `traffic = hotspot { .. }`
    Hotspot,
    /// `births = bursts { .. }`
    Bursts,
    /// `routing = ugal { .. }` of a simulation
    Ways,
    /// `collective name = all_gather { .. }`, and the other collectives
    Collective,
    /// `topology = synthesize { .. }`
    Synthesize,
    /// `routing = allowed_turns { .. }`
    AllowedTurns,
    /// `routing = scheduled { .. }`
    Scheduled,
    /// `topology = torus 16 x 16 { .. }`, and the other grids
    Grid,
    /// `topology = hyperx { .. }`
    Hyperx,
    /// `topology = hypercube { .. }`, also folded
    Hypercube,
    /// `topology = polarstar { .. }`
    Polarstar,
    /// `topology = polarfly { .. }`
    Polarfly,
    /// `topology = slim_fly { .. }`
    SlimFly,
    /// `topology = bundlefly { .. }`
    Bundlefly,
    /// `topology = spectralfly { .. }`
    Spectralfly,
    /// `topology = dragonfly { .. }`
    Dragonfly,
    /// `topology = levels { .. }`
    Levels,
    /// `level n { .. }`
    Level,
    /// `topology = megafly { .. }`
    Megafly,
    /// `topology = fat_tree { .. }`
    FatTree,
    /// `topology = kautz { .. }`
    Kautz,
    /// `topology = gen_kautz { .. }`
    GenKautz,
    /// `topology = xpander { .. }`
    Xpander,
    /// `topology = random_regular { .. }`
    RandomRegular,
    /// `topology = ring_n { .. }`
    RingN,
    /// `topology = nbr { .. }`
    Nbr,
    /// `topology = gau { .. }`
    Gau,
    /// `topology = permute { .. }`
    Permute,
    /// `topology = synthesize { .. }` of a network
    FreeGraph,
    /// `topology = graph "file" { .. }`
    Graph,
}

impl Place {
    /// The word before the block.
    pub fn name(self) -> &'static str {
        match self {
            Place::Link => "link",
            Place::Router => "router",
            Place::Chip => "chip",
            Place::Cube => "cube",
            Place::Ocs => "ocs",
            Place::Budget => "budget",
            Place::Failures => "failures",
            Place::Floor => "floor",
            Place::Walktrap => "walktrap",
            Place::Annealed => "annealed",
            Place::Demand => "demand",
            Place::Simulate => "simulate",
            Place::PacketModel => "packet",
            Place::FlitModel => "flit",
            Place::Traffic => "group_shift",
            Place::AllToAll => "all_to_all",
            Place::Hotspot => "hotspot",
            Place::Bursts => "bursts",
            Place::Ways => "ugal",
            Place::Collective => "collective",
            Place::Synthesize => "synthesize",
            Place::AllowedTurns => "allowed_turns",
            Place::Scheduled => "scheduled",
            Place::Grid => "torus",
            Place::Hyperx => "hyperx",
            Place::Hypercube => "hypercube",
            Place::Polarstar => "polarstar",
            Place::Polarfly => "polarfly",
            Place::SlimFly => "slim_fly",
            Place::Bundlefly => "bundlefly",
            Place::Spectralfly => "spectralfly",
            Place::Dragonfly => "dragonfly",
            Place::Levels => "levels",
            Place::Level => "level",
            Place::Megafly => "megafly",
            Place::FatTree => "fat_tree",
            Place::Kautz => "kautz",
            Place::GenKautz => "gen_kautz",
            Place::Xpander => "xpander",
            Place::RandomRegular => "random_regular",
            Place::RingN => "ring_n",
            Place::Nbr => "nbr",
            Place::Gau => "gau",
            Place::Permute => "permute",
            Place::FreeGraph => "synthesize",
            Place::Graph => "graph",
        }
    }

    /// The settings that the block may have.
    pub fn settings(self) -> impl Iterator<Item = &'static str> {
        let fields = FIELDS
            .iter()
            .filter(move |field| field.kind != FieldKind::Statement && field.places.contains(&self));
        fields.map(|field| field.name)
    }

    /// The statement that the block may have beside its settings.
    pub fn statement(self) -> Option<&'static str> {
        let mut fields =
            FIELDS.iter().filter(|field| field.kind == FieldKind::Statement && field.places.contains(&self));
        fields.next().map(|field| field.name)
    }
}

/// What may stand in a block.
pub struct Field {
    /// The word.
    pub name: &'static str,
    /// Where it belongs.
    pub places: &'static [Place],
    /// What it is.
    pub kind: FieldKind,
}

/// What may stand in a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldKind {
    /// A statement with a word of its own.
    Statement,
    /// `name = quantity;`
    Quantity,
    /// `name = word;`, where the word is no constant.
    Choice,
}

macro_rules! fields {
    ($($name:literal $kind:ident $($place:ident)*;)*) => {
        &[$(Field { name: $name, places: &[$(Place::$place),*], kind: FieldKind::$kind }),*]
    };
}

/// Every field, in the order of the normal form.
pub const FIELDS: &[Field] = fields! {
    "mesh" Statement Cube;
    "couple" Statement Ocs;
    "level" Statement Levels;
    "bandwidth" Quantity Link;
    "radix" Quantity Router Chip Hyperx Polarstar Polarfly SlimFly Bundlefly Dragonfly;
    "hosts" Quantity Router PacketModel FlitModel;
    "vcs" Quantity Router Chip Budget;
    "flit" Quantity Router Chip;
    "buffer" Quantity Router Chip;
    "latency" Quantity Link Router Chip;
    "per_metre" Quantity Link;
    "cost" Quantity Link;
    "cost_per_metre" Quantity Link;
    "power" Quantity Link;
    "faults" Quantity Budget;
    "table_entries" Quantity Budget;
    "links" Quantity Failures;
    "seeds" Quantity Failures Simulate;
    "ports" Quantity Ocs Level;
    "duplex" Choice Ocs;
    "config_db" Choice Ocs;
    "dimensions" Quantity Hyperx Hypercube;
    "a" Quantity Dragonfly Megafly;
    "h" Quantity Dragonfly;
    "g" Quantity Dragonfly;
    "rho" Quantity Spectralfly Megafly;
    "q" Quantity Polarstar Polarfly SlimFly Bundlefly Spectralfly;
    "p" Quantity Bundlefly Nbr;
    "alpha" Quantity Gau;
    "supernode" Choice Polarstar;
    "arrangement" Choice Dragonfly Level Megafly;
    "spare" Quantity Dragonfly Level;
    "levels" Quantity FatTree;
    "arity" Quantity FatTree;
    "degree" Quantity Polarstar Kautz GenKautz Xpander RandomRegular RingN Nbr Gau FreeGraph;
    "length" Quantity Kautz Bursts;
    "routers" Quantity Hyperx Polarstar Polarfly SlimFly Bundlefly Dragonfly GenKautz RandomRegular RingN Nbr Gau FreeGraph;
    "lift" Quantity Xpander;
    "arcs" Choice Kautz GenKautz FreeGraph Graph;
    "default" Choice Graph;
    "link" Choice Grid Hyperx Hypercube Polarstar Polarfly SlimFly Bundlefly Spectralfly Dragonfly Megafly FatTree Kautz GenKautz Xpander RandomRegular RingN Nbr Gau FreeGraph;
    "local" Choice Grid Hyperx Hypercube Polarstar Polarfly SlimFly Bundlefly Spectralfly Dragonfly Megafly FatTree Kautz GenKautz Xpander RandomRegular RingN Nbr Gau FreeGraph;
    "global" Choice Grid Hyperx Hypercube Polarstar Polarfly SlimFly Bundlefly Spectralfly Dragonfly Megafly FatTree Kautz GenKautz Xpander RandomRegular RingN Nbr Gau FreeGraph;
    "start" Quantity Synthesize;
    "moves" Quantity Synthesize;
    "of" Choice Permute;
    "method" Choice Synthesize Permute;
    "duplicates" Choice Permute;
    "nodes" Quantity Synthesize;
    "fix" Quantity Synthesize;
    "objective" Choice Synthesize;
    "symmetry" Choice Synthesize;
    "effort" Quantity Synthesize FreeGraph Annealed;
    "seed" Quantity Synthesize Xpander RandomRegular RingN Nbr Gau FreeGraph Simulate Collective Annealed Permute;
    "cable" Quantity Synthesize FreeGraph;
    "attempts" Quantity Xpander RandomRegular Permute;
    "draws" Quantity Xpander RandomRegular RingN Nbr Gau Permute;
    "time_limit" Quantity Synthesize;
    "priority" Choice AllowedTurns;
    "select" Choice AllowedTurns;
    "key" Choice AllowedTurns;
    "vector" Quantity Scheduled;
    "slot" Quantity Scheduled;
    "hop" Quantity Scheduled;
    "reduce" Quantity Scheduled;
    "deskew" Quantity Scheduled;
    "size" Quantity Collective;
    "algorithm" Choice Collective;
    "chunks" Quantity Collective;
    "root" Choice Collective;
    "overhead" Quantity Collective Floor;
    "barrier" Choice Collective;
    "after" Choice Collective;
    "groups" Quantity Collective;
    "from" Choice Collective;
    "to" Choice Collective;
    "paths" Choice Collective;
    "model" Choice Simulate;
    "traffic" Choice Simulate;
    "by" Quantity Traffic;
    "at" Choice Hotspot;
    "share" Quantity Hotspot;
    "bytes" Quantity AllToAll;
    "order" Choice AllToAll Floor;
    "births" Choice Simulate;
    "rate" Quantity Bursts;
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
    "scenarios" Choice Simulate Collective;
    "general" Quantity PacketModel FlitModel;
    "classes" Quantity PacketModel FlitModel;
    "arbitration" Choice PacketModel FlitModel;
    "credits" Choice PacketModel FlitModel;
    "turn" Quantity PacketModel;
    "speedup" Quantity PacketModel FlitModel;
    "window" Quantity PacketModel FlitModel;
    "cabinet" Quantity Floor;
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
    "all_to_all" Statement Demand;
};

/// The item or statement that a word of another tool stands for; a switch that has a name is optical.
pub fn meant(word: &str, has_name: bool) -> Option<&'static str> {
    let word = plain(word);
    if word == "switch" && has_name {
        return Some("ocs");
    }
    FOREIGN.iter().find(|(names, _)| names.contains(&word.as_str())).map(|(_, meant)| *meant)
}

/// The item of a word.
pub fn item(word: &str) -> Option<&'static ItemWord> {
    ITEMS.iter().find(|item| item.name == word)
}

/// The field of a word.
pub fn field(word: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|field| field.name == word)
}

/// The place of an item in the normal form; those that are not known stand last.
pub fn item_rank(word: &str) -> usize {
    ITEMS.iter().position(|item| item.name == word).unwrap_or(ITEMS.len())
}

/// The place of a line in the normal form of any block; those that are not known stand last.
pub fn field_rank(word: &str) -> usize {
    FIELDS.iter().position(|field| field.name == word).unwrap_or(FIELDS.len())
}

/// Whether the value of a setting is a word, never a constant.
pub fn takes_a_word(setting: &str) -> bool {
    item(setting).is_some_and(|item| matches!(item.form, Form::Choice | Form::ChoiceOrBlock))
        || field(setting).is_some_and(|field| field.kind == FieldKind::Choice)
}
