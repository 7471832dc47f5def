" Words of fab specs; written by `UPDATE_DOCS=1 cargo test --test it lsp`, do not edit.
if exists("b:current_syntax")
  finish
endif

syntax keyword fabKeyword addresses all_to_all any box boxes budget chip clock collective count couple cube
syntax keyword fabKeyword cubes demand fabric failures fault floor for groups in job join joined let level
syntax keyword fabKeyword link links mesh nic nics ocs of over param phase require router routing send
syntax keyword fabKeyword simulate slice spare step sweep switch topology use weight with x
syntax keyword fabSetting a activation after algorithm along alpha arbitration arcs arity arrangement as at
syntax keyword fabSetting attach attempts axes bandwidth barrier batch beyond bias births both box_rack
syntax keyword fabSetting buffer bundles by bytes cabinet cable causal chunks classes clustering compute
syntax keyword fabSetting confidence config_db context copies cost cost_per_metre credits dedup default
syntax keyword fabSetting degree deskew dimensions down draws duplex duplicates effort expert_ffn experts
syntax keyword fabSetting faults ffn fix flit flows from g gated gather_again general global gpus gradient
syntax keyword fabSetting grid h hash head heads hidden hop host_link hosts injection inside install k keep
syntax keyword fabSetting key kv_heads latency layers leaf leaves length levels lift local loopbacks measure
syntax keyword fabSetting method micro model most moves multicast names nodes objective ocs_rack order
syntax keyword fabSetting overhead overlap p packet parallel paths per per_metre phases pitch_x pitch_y place
syntax keyword fabSetting placement planes ports power priority q qk_norm radix rate rates recompute
syntax keyword fabSetting reconfigure reduce relay replications rho root routers rule samples scenarios seed
syntax keyword fabSetting seeds select sequence_parallel sequences share shared shortest size skew slot
syntax keyword fabSetting speedup spine spines start steps supernode symmetry table_entries tied tiers
syntax keyword fabSetting time_limit times to top traffic turn up vcs vector virtual vocab warmup weights
syntax keyword fabSetting window wrap zero
syntax keyword fabValue adjacent adversarial age algebraic aligned all all_gather all_paths all_reduce
syntax keyword fabValue allowed_turns annealed auto average_cable average_hops bisection bisection_bandwidth
syntax keyword fabValue bit_complement bit_reverse bit_shuffle booksim bound broadcast bundlefly bursts
syntax keyword fabValue by_cabinet by_cluster by_group cable_length cables capacity chakra chosen_paths
syntax keyword fabValue circulator clos collision collision_worst communication complete concurrent_flow
syntax keyword fabValue consecutive cost_per_host cross_connects descent diameter dimension_order direct
syntax keyword fabValue disconnect_share disjoint_trees dragonfly drop dst dst_input ecmp edge_connectivity
syntax keyword fabValue endpoint_permutation equal exposed family fat_tree file first fixed flood flow fold
syntax keyword fabValue folded_hypercube forest full gather gather_reduce gau gen_kautz gpu graph group_shift
syntax keyword fabValue hld hops hops_ratio host_bisection host_bisection_bandwidth hotspot hypercube hyperx
syntax keyword fabValue ilp in_order instant iq kautz latency_max leaf_spine load_ratio longest_cable
syntax keyword fabValue makespan makespan_ratio matrix max max_channel_load megafly milp min min_first
syntax keyword fabValue minimal multitree nbr neighbour no nominal none ocs_v oversubscription pair pairs
syntax keyword fabValue paley palmtree partial permutation permute polarfly polarstar portions power_per_host
syntax keyword fabValue product pull quickest rail rails random random_regular reduce_scatter relax ring
syntax keyword fabValue ring_n rotate row row_major saturation scheduled search selective sequential
syntax keyword fabValue serpentine shift shortest_paths simplex slim_fly slots spectralfly spray steady
syntax keyword fabValue switches synthesize tables time tornado torus trace translation transpose trees turns
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
