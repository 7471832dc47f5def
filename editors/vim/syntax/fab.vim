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
syntax keyword fabSetting default degree deskew dimensions down draws duplex duplicates effort expert_ffn
syntax keyword fabSetting experts faults ffn fix flit flows from g gain gated gather_again general global
syntax keyword fabSetting gpus gradient grid h hash head heads hidden hop host_link injection inside install
syntax keyword fabSetting k keep key kv_heads latency layers leaf leaves length levels lift local loopbacks
syntax keyword fabSetting mark measure method micro model most moves multicast names nodes objective ocs_rack
syntax keyword fabSetting order overhead overlap overload p packet packets parallel paths per per_metre
syntax keyword fabSetting per_pair phases pitch_x pitch_y place placement planes ports power priority q
syntax keyword fabSetting qk_norm radix rate rates recompute reconfigure reduce relay replications rho root
syntax keyword fabSetting routers rule samples scenarios seed seeds select sequence_parallel sequences share
syntax keyword fabSetting shared shortest size skew slot speedup spine spines stages start steps supernode
syntax keyword fabSetting symmetry table_entries tied tiers time_limit timer times to top traffic turn up vcs
syntax keyword fabSetting vector virtual vocab wait warmup weights window wrap zero
syntax keyword fabValue adjacent adversarial age algebraic aligned all all_gather all_paths all_reduce
syntax keyword fabValue allowed_turns annealed auto average_cable average_hops bisection bisection_bandwidth
syntax keyword fabValue bit_complement bit_reverse bit_shuffle booksim bound broadcast bundlefly bursts
syntax keyword fabValue by_cabinet by_cluster by_group cable_length cables capacity chakra chosen_paths
syntax keyword fabValue circulator clos collision collision_worst communication complete concurrent_flow
syntax keyword fabValue consecutive cost_per_host cross_connects dcqcn dctcp descent diameter dimension_order
syntax keyword fabValue direct disconnect_share disjoint_trees dragonfly drop dst dst_input ecmp
syntax keyword fabValue edge_connectivity elsewhere endpoint_permutation equal exposed fairness family
syntax keyword fabValue fat_tree file first fixed flood flow fold folded_hypercube forest free full gather
syntax keyword fabValue gather_reduce gau gen_kautz gpu graph group_shift hld hops hops_ratio host_bisection
syntax keyword fabValue host_bisection_bandwidth hotspot hypercube hyperx ilp in_order instant iq kautz
syntax keyword fabValue latency_max leaf_spine load_ratio longest_cable makespan makespan_ratio map matrix
syntax keyword fabValue max max_channel_load megafly milp min min_first minimal multitree nbr neighbour no
syntax keyword fabValue nominal none ocs_v oversubscription pair pairs paley palmtree partial permutation
syntax keyword fabValue permute piggyback polarfly polarstar portions power_per_host product pull quickest
syntax keyword fabValue rail rails random random_regular reduce_scatter relax ring ring_n rotate row
syntax keyword fabValue row_major saturation scheduled search selective sequential serpentine shift
syntax keyword fabValue shortest_paths simplex slim_fly slots spectralfly spray steady sustained switches
syntax keyword fabValue synthesize tables time tornado torus trace translation transpose trees turns
syntax keyword fabValue twisted_torus ugal ugal_global uniform universal unlimited unnumbered up_down valiant
syntax keyword fabValue vc_balance volume walktrap within xpander yes
syntax keyword fabUnit B GB GHz Gbps GiB Hz KiB MB MHz Mbps MiB Tbps W cycles flits kB kHz m mW ms ns ps s us
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
