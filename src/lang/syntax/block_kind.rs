//! The kinds of blocks, each with the word before it.

macro_rules! block_kinds {
    (
        general { $($general:ident $general_name:literal $general_form:literal;)* }
        families_with_links { $($linked:ident $linked_name:literal $linked_form:literal;)* }
        families_without_links { $($family:ident $family_name:literal $family_form:literal;)* }
    ) => {
        /// A kind of block, which determines its fields.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum BlockKind {
            $(#[doc = concat!("The block of the form ", $general_form, ".")] $general,)*
            $(#[doc = concat!("The block of the form ", $linked_form, ".")] $linked,)*
            $(#[doc = concat!("The block of the form ", $family_form, ".")] $family,)*
        }

        impl BlockKind {
            /// The families of networks whose block has the settings `link`, `local` and `global`.
            pub const FAMILIES_WITH_LINKS: &[BlockKind] = &[$(BlockKind::$linked),*];

            /// The families of networks whose block says the types of the links in another way.
            pub const FAMILIES_WITHOUT_LINKS: &[BlockKind] = &[$(BlockKind::$family),*];

            /// The word before the block.
            pub fn name(self) -> &'static str {
                match self {
                    $(BlockKind::$general => $general_name,)*
                    $(BlockKind::$linked => $linked_name,)*
                    $(BlockKind::$family => $family_name,)*
                }
            }
        }
    };
}

block_kinds! {
    general {
        Link "link" "`link name { .. }`";
        Router "router" "`router { .. }`";
        RouterKind "router" "`router name { .. }`";
        Box "box" "`box name { .. }`";
        InnerSwitch "switch" "`switch name { .. }` in a box";
        Join "join" "`join .. over link { .. }` or `mesh over link { .. }` in a box";
        Nics "nics" "`nics = n over link { .. }` in a box";
        Spray "spray" "`routing = spray { .. }`";
        Relay "gpu" "`relay = gpu { .. }`";
        Chip "chip" "`chip { .. }`";
        Cube "cube" "`cube { .. }`";
        Ocs "ocs" "`ocs name { .. }`";
        Budget "budget" "`budget { .. }`";
        Failures "failures" "`failures { .. }`";
        Floor "floor" "`floor { .. }`";
        Addresses "addresses" "`addresses { .. }`";
        Walktrap "walktrap" "`clustering = walktrap { .. }`";
        Annealed "annealed" "`placement = annealed { .. }`";
        Demand "demand" "`demand { .. }`";
        Simulate "simulate" "`simulate name { .. }`";
        PacketModel "packet" "`model = packet { .. }`";
        FlitModel "flit" "`model = flit { .. }`";
        Traffic "group_shift" "`traffic = group_shift { .. }`";
        AllToAll "all_to_all" "`traffic = all_to_all { .. }`";
        Hotspot "hotspot" "`traffic = hotspot { .. }`";
        Bursts "bursts" "`births = bursts { .. }`";
        Window "window" "`control = window { .. }`";
        Marks "dctcp" "`control = dctcp { .. }` and `dcqcn { .. }`";
        Ways "ugal" "`routing = ugal { .. }` of a simulation";
        Collective "collective" "`collective name = all_gather { .. }`, and the other collectives";
        Job "job" "`job name { .. }`";
        JobModel "model" "`model { .. }` of a job";
        Batch "batch" "`batch { .. }` of a job";
        ElementBytes "bytes" "`bytes { .. }` of a job";
        Compute "compute" "`compute { .. }` of a job";
        PlaceSearch "search" "`place = search { .. }` of a job";
        Reconfigure "reconfigure" "`reconfigure { .. }` of a job";
        Phase "phase" "`phase name { .. }` of a job";
        JobCollective "collective" "`collective name = all_gather { .. }` of a phase";
        JobSend "send" "`send name { .. }` of a phase";
        Synthesize "synthesize" "`topology = synthesize { .. }`";
        AllowedTurns "allowed_turns" "`routing = allowed_turns { .. }`";
        Ecmp "ecmp" "`routing = ecmp { .. }`";
        Scheduled "scheduled" "`routing = scheduled { .. }`";
        Level "level" "`level n { .. }`";
    }
    families_with_links {
        Grid "torus" "`topology = torus 16 x 16 { .. }`, and the other grids";
        Hyperx "hyperx" "`topology = hyperx { .. }`";
        Hypercube "hypercube" "`topology = hypercube { .. }`, also folded";
        Polarstar "polarstar" "`topology = polarstar { .. }`";
        Polarfly "polarfly" "`topology = polarfly { .. }`";
        Delorme "delorme" "`topology = delorme { .. }`";
        QuadranglePairs "quadrangle_pairs" "`topology = quadrangle_pairs { .. }`";
        Cayley "cayley" "`topology = cayley { .. }`";
        StarGraph "star_graph" "`topology = star_graph { .. }`";
        Largest "network" "`topology = network { .. }`";
        SlimFly "slim_fly" "`topology = slim_fly { .. }`";
        Bundlefly "bundlefly" "`topology = bundlefly { .. }`";
        Spectralfly "spectralfly" "`topology = spectralfly { .. }`";
        Dragonfly "dragonfly" "`topology = dragonfly { .. }`";
        Megafly "megafly" "`topology = megafly { .. }`";
        FatTree "fat_tree" "`topology = fat_tree { .. }`";
        LeafSpine "leaf_spine" "`topology = leaf_spine { .. }`";
        Rails "rails" "`topology = rails { .. }`";
        Clos "clos" "`topology = clos { .. }`";
        Kautz "kautz" "`topology = kautz { .. }`";
        DeBruijn "de_bruijn" "`topology = de_bruijn { .. }`";
        GenKautz "gen_kautz" "`topology = gen_kautz { .. }`";
        Xpander "xpander" "`topology = xpander { .. }`";
        RandomRegular "random_regular" "`topology = random_regular { .. }`";
        RingN "ring_n" "`topology = ring_n { .. }`";
        Nbr "nbr" "`topology = nbr { .. }`";
        Gau "gau" "`topology = gau { .. }`";
        FreeGraph "synthesize" "`topology = synthesize { .. }` of a network";
    }
    families_without_links {
        Levels "levels" "`topology = levels { .. }`";
        Permute "permute" "`topology = permute { .. }`";
        Graph "graph" "`topology = graph \"file\" { .. }`";
    }
}
