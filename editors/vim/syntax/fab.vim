" Words of fab specs; written by `UPDATE_DOCS=1 cargo test --test it lsp`, do not edit.
if exists("b:current_syntax")
  finish
endif

syntax keyword fabKeyword addresses all_to_all any box boxes budget chip clock collective count couple cube
syntax keyword fabKeyword cubes demand fabric failures fault floor for groups hosts in job join joined let
syntax keyword fabKeyword level link links mesh nic nics ocs of over param phase require router routing send
syntax keyword fabKeyword simulate slice spare step sweep switch topology use weight with x
syntax keyword fabSetting a ack activation after algorithm along alpha arbitration arcs arity arrangement as
syntax keyword fabSetting at attach attempts axes bandwidth barrier batch beyond bias births both box_rack
syntax keyword fabSetting buffer bundles by bytes cabinet cable causal chunks classes clustering compute
syntax keyword fabSetting confidence config_db context control copies cost cost_per_metre credits dedup
syntax keyword fabSetting default degree deskew diameter dimensions down draws duplex duplicates effort
syntax keyword fabSetting expert_ffn experts faults ffn fix flit flows from g gated gather_again general
syntax keyword fabSetting generators global gpus gradient grid h hash head heads hidden hop host_link
syntax keyword fabSetting injection inside install k keep key kv_heads latency layers leaf leaves length
syntax keyword fabSetting levels lift local loopbacks m measure method micro model most moves multicast n
syntax keyword fabSetting names nodes objective ocs_rack order overhead overlap overload p packet packets
syntax keyword fabSetting parallel paths per per_metre phases pitch_x pitch_y place placement planes ports
syntax keyword fabSetting power priority q qk_norm quadrangle r radix rate rates recompute reconfigure reduce
syntax keyword fabSetting relay replications rho root routers rule samples scenarios seed seeds select
syntax keyword fabSetting sequence_parallel sequences share shared shortest size skew slot speedup spine
syntax keyword fabSetting spines stages start steps supernode symbols symmetry table_entries tied tiers
syntax keyword fabSetting time_limit times to top traffic turn up vcs vector virtual vocab wait warmup
syntax keyword fabSetting weights window wrap zero
syntax keyword fabValue adjacent adversarial age algebraic aligned all all_gather all_paths all_reduce
syntax keyword fabValue allowed_turns annealed auto average_cable average_hops bisection bisection_bandwidth
syntax keyword fabValue bit_complement bit_reverse bit_shuffle booksim bound broadcast bundlefly bursts
syntax keyword fabValue by_cabinet by_cluster by_group cable_length cables capacity cayley chakra
syntax keyword fabValue chosen_paths circulator clos collision collision_worst communication complete
syntax keyword fabValue concurrent_flow consecutive cost_per_host cross_connects de_bruijn delorme descent
syntax keyword fabValue dimension_order direct disconnect_share disjoint_trees dragonfly drop dst dst_input
syntax keyword fabValue ecmp edge_connectivity endpoint_permutation equal exposed fairness family fat_tree
syntax keyword fabValue file first fixed flood flow fold folded_hypercube forest free full gather
syntax keyword fabValue gather_reduce gau gen_kautz gpu graph group_shift hld hops hops_ratio host_bisection
syntax keyword fabValue host_bisection_bandwidth hotspot hypercube hyperx ilp in_order instant iq jellyfish
syntax keyword fabValue kautz latency_max leaf_spine load_ratio longest_cable makespan makespan_ratio map
syntax keyword fabValue matrix max max_channel_load megafly milp min min_first minimal multitree nbr
syntax keyword fabValue neighbour network no nominal none ocs_v oversubscription pair pairs paley palmtree
syntax keyword fabValue partial permutation permute piggyback polarfly polarstar portions power_per_host
syntax keyword fabValue product pull quadrangle_pairs quickest rail rails random random_regular
syntax keyword fabValue reduce_scatter relax ring ring_n rotate row row_major saturation scheduled search
syntax keyword fabValue selective sequential serpentine shift shortest_paths simplex slim_fly slots
syntax keyword fabValue spectralfly spray star_graph steady sustained switches synthesize tables time tornado
syntax keyword fabValue torus trace translation transpose trees turns twisted_torus ugal ugal_global uniform
syntax keyword fabValue universal unlimited unnumbered up_down valiant vc_balance volume walktrap within
syntax keyword fabValue xpander yes
syntax keyword fabUnit B GB GHz Gbps GiB Hz KiB MB MHz Mbps MiB Tbps W cycles flits kB kHz mW ms ns ps s us
syntax match fabUnit "\v<(GB\/s|MB\/s|PFLOP\/s|TB\/s|TFLOP\/s)"
syntax match fabNumber "\v<\d[0-9_]*(\.\d[0-9_]*|(x\d[0-9_]*)+)?"
syntax region fabString start=+"+ end=+"\|$+ oneline
syntax match fabComment "//.*$" contains=@Spell
syntax region fabComment start="/\*" end="\*/" contains=@Spell

highlight default link fabKeyword Keyword
highlight default link fabSetting Identifier
highlight default link fabValue Constant
highlight default link fabUnit Type
highlight default link fabNumber Number
highlight default link fabString String
highlight default link fabComment Comment

let b:current_syntax = "fab"
