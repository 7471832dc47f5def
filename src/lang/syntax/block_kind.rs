//! The kinds of blocks, each with the word before it.

/// A kind of block, which determines its fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockKind {
    /// The block of the form `link name { .. }`.
    Link,
    /// The block of the form `router { .. }`.
    Router,
    /// The block of the form `router name { .. }`.
    RouterKind,
    /// The block of the form `box name { .. }`.
    Box,
    /// The block of the form `switch name { .. }` in a box.
    InnerSwitch,
    /// The block of the form `join .. over link { .. }` or `mesh over link { .. }` in a box.
    Join,
    /// The block of the form `nics = n over link { .. }` in a box.
    Nics,
    /// The block of the form `routing = spray { .. }`.
    Spray,
    /// The block of the form `relay = gpu { .. }`.
    Relay,
    /// The block of the form `chip { .. }`.
    Chip,
    /// The block of the form `cube { .. }`.
    Cube,
    /// The block of the form `ocs name { .. }`.
    Ocs,
    /// The block of the form `budget { .. }`.
    Budget,
    /// The block of the form `failures { .. }`.
    Failures,
    /// The block of the form `floor { .. }`.
    Floor,
    /// The block of the form `addresses { .. }`.
    Addresses,
    /// The block of the form `clustering = walktrap { .. }`.
    Walktrap,
    /// The block of the form `placement = annealed { .. }`.
    Annealed,
    /// The block of the form `demand { .. }`.
    Demand,
    /// The block of the form `simulate name { .. }`.
    Simulate,
    /// The block of the form `model = packet { .. }`.
    PacketModel,
    /// The block of the form `model = flit { .. }`.
    FlitModel,
    /// The block of the form `traffic = group_shift { .. }`.
    Traffic,
    /// The block of the form `traffic = all_to_all { .. }`.
    AllToAll,
    /// The block of the form `traffic = hotspot { .. }`.
    Hotspot,
    /// The block of the form `births = bursts { .. }`.
    Bursts,
    /// The block of the form `routing = ugal { .. }` of a simulation.
    Ways,
    /// The block of the form `collective name = all_gather { .. }`, and the other collectives.
    Collective,
    /// The block of the form `job name { .. }`.
    Job,
    /// The block of the form `model { .. }` of a job.
    JobModel,
    /// The block of the form `batch { .. }` of a job.
    Batch,
    /// The block of the form `bytes { .. }` of a job.
    ElementBytes,
    /// The block of the form `compute { .. }` of a job.
    Compute,
    /// The block of the form `place = search { .. }` of a job.
    PlaceSearch,
    /// The block of the form `reconfigure { .. }` of a job.
    Reconfigure,
    /// The block of the form `phase name { .. }` of a job.
    Phase,
    /// The block of the form `collective name = all_gather { .. }` of a phase.
    JobCollective,
    /// The block of the form `send name { .. }` of a phase.
    JobSend,
    /// The block of the form `topology = synthesize { .. }`.
    Synthesize,
    /// The block of the form `routing = allowed_turns { .. }`.
    AllowedTurns,
    /// The block of the form `routing = ecmp { .. }`.
    Ecmp,
    /// The block of the form `routing = scheduled { .. }`.
    Scheduled,
    /// The block of the form `topology = torus 16 x 16 { .. }`, and the other grids.
    Grid,
    /// The block of the form `topology = hyperx { .. }`.
    Hyperx,
    /// The block of the form `topology = hypercube { .. }`, also folded.
    Hypercube,
    /// The block of the form `topology = polarstar { .. }`.
    Polarstar,
    /// The block of the form `topology = polarfly { .. }`.
    Polarfly,
    /// The block of the form `topology = slim_fly { .. }`.
    SlimFly,
    /// The block of the form `topology = bundlefly { .. }`.
    Bundlefly,
    /// The block of the form `topology = spectralfly { .. }`.
    Spectralfly,
    /// The block of the form `topology = dragonfly { .. }`.
    Dragonfly,
    /// The block of the form `topology = levels { .. }`.
    Levels,
    /// The block of the form `level n { .. }`.
    Level,
    /// The block of the form `topology = megafly { .. }`.
    Megafly,
    /// The block of the form `topology = fat_tree { .. }`.
    FatTree,
    /// The block of the form `topology = leaf_spine { .. }`.
    LeafSpine,
    /// The block of the form `topology = rails { .. }`.
    Rails,
    /// The block of the form `topology = clos { .. }`.
    Clos,
    /// The block of the form `topology = kautz { .. }`.
    Kautz,
    /// The block of the form `topology = gen_kautz { .. }`.
    GenKautz,
    /// The block of the form `topology = xpander { .. }`.
    Xpander,
    /// The block of the form `topology = random_regular { .. }`.
    RandomRegular,
    /// The block of the form `topology = ring_n { .. }`.
    RingN,
    /// The block of the form `topology = nbr { .. }`.
    Nbr,
    /// The block of the form `topology = gau { .. }`.
    Gau,
    /// The block of the form `topology = permute { .. }`.
    Permute,
    /// The block of the form `topology = synthesize { .. }` of a network.
    FreeGraph,
    /// The block of the form `topology = graph "file" { .. }`.
    Graph,
}

impl BlockKind {
    /// The word before the block.
    pub fn name(self) -> &'static str {
        match self {
            BlockKind::Link => "link",
            BlockKind::Router => "router",
            BlockKind::RouterKind => "router",
            BlockKind::Box => "box",
            BlockKind::InnerSwitch => "switch",
            BlockKind::Join => "join",
            BlockKind::Nics => "nics",
            BlockKind::Spray => "spray",
            BlockKind::Relay => "gpu",
            BlockKind::Chip => "chip",
            BlockKind::Cube => "cube",
            BlockKind::Ocs => "ocs",
            BlockKind::Budget => "budget",
            BlockKind::Failures => "failures",
            BlockKind::Floor => "floor",
            BlockKind::Addresses => "addresses",
            BlockKind::Walktrap => "walktrap",
            BlockKind::Annealed => "annealed",
            BlockKind::Demand => "demand",
            BlockKind::Simulate => "simulate",
            BlockKind::PacketModel => "packet",
            BlockKind::FlitModel => "flit",
            BlockKind::Traffic => "group_shift",
            BlockKind::AllToAll => "all_to_all",
            BlockKind::Hotspot => "hotspot",
            BlockKind::Bursts => "bursts",
            BlockKind::Ways => "ugal",
            BlockKind::Collective => "collective",
            BlockKind::Job => "job",
            BlockKind::JobModel => "model",
            BlockKind::Batch => "batch",
            BlockKind::ElementBytes => "bytes",
            BlockKind::Compute => "compute",
            BlockKind::PlaceSearch => "search",
            BlockKind::Reconfigure => "reconfigure",
            BlockKind::Phase => "phase",
            BlockKind::JobCollective => "collective",
            BlockKind::JobSend => "send",
            BlockKind::Synthesize => "synthesize",
            BlockKind::AllowedTurns => "allowed_turns",
            BlockKind::Ecmp => "ecmp",
            BlockKind::Scheduled => "scheduled",
            BlockKind::Grid => "torus",
            BlockKind::Hyperx => "hyperx",
            BlockKind::Hypercube => "hypercube",
            BlockKind::Polarstar => "polarstar",
            BlockKind::Polarfly => "polarfly",
            BlockKind::SlimFly => "slim_fly",
            BlockKind::Bundlefly => "bundlefly",
            BlockKind::Spectralfly => "spectralfly",
            BlockKind::Dragonfly => "dragonfly",
            BlockKind::Levels => "levels",
            BlockKind::Level => "level",
            BlockKind::Megafly => "megafly",
            BlockKind::FatTree => "fat_tree",
            BlockKind::LeafSpine => "leaf_spine",
            BlockKind::Rails => "rails",
            BlockKind::Clos => "clos",
            BlockKind::Kautz => "kautz",
            BlockKind::GenKautz => "gen_kautz",
            BlockKind::Xpander => "xpander",
            BlockKind::RandomRegular => "random_regular",
            BlockKind::RingN => "ring_n",
            BlockKind::Nbr => "nbr",
            BlockKind::Gau => "gau",
            BlockKind::Permute => "permute",
            BlockKind::FreeGraph => "synthesize",
            BlockKind::Graph => "graph",
        }
    }
}
