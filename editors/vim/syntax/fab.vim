" Words of fab specs; written by `UPDATE_DOCS=1 cargo test --test it lsp`, do not edit.
if exists("b:current_syntax")
  finish
endif

syntax keyword fabKeyword addresses all_to_all any box boxes budget chip clock collective count couple cube
syntax keyword fabKeyword cubes demand fabric failures fault floor for groups hosts in job join joined let
syntax keyword fabKeyword level link links losses mesh nic nics ocs of over param phase require router
syntax keyword fabKeyword routing send simulate slice spare step sweep switch topology use weight with x
syntax keyword fabSetting a ack activation after algorithm along alpha arbitration arcs arity arrangement as
syntax keyword fabSetting at attach attempts axes bandwidth barrier batch beyond bias births both box_rack
syntax keyword fabSetting buffer bundles by bytes cabinet cable causal chunks classes clustering compute
syntax keyword fabSetting confidence config_db connector_loss connectors context control copies cost
syntax keyword fabSetting cost_per_metre credits dedup default degree deskew detour diameter dimensions down
syntax keyword fabSetting draws duplex duplicates effort expert_ffn experts faults ffn fix flit flows from g
syntax keyword fabSetting gain gated gather_again general generators global gpus gradient grid h hash head
syntax keyword fabSetting heads hidden hop host_link injection inside install k keep key kv_heads latency
syntax keyword fabSetting layers leaf leaves length levels lift local loopbacks loss m margin mark measure
syntax keyword fabSetting method micro model most moves multicast n names nodes objective ocs_rack order
syntax keyword fabSetting overhead overlap overload p packet packets parallel paths per per_metre per_pair
syntax keyword fabSetting phases pitch_x pitch_y place placement planes ports power priority q qk_norm
syntax keyword fabSetting quadrangle r radix rate rates recompute reconfigure reduce relay replications rho
syntax keyword fabSetting root routers rule samples scenarios seed seeds select sensitivity sequence_parallel
syntax keyword fabSetting sequences share shared shortest size skew slot speedup spine spines stages start
syntax keyword fabSetting steps supernode symbols symmetry table_entries tied tiers time_limit timer times to
syntax keyword fabSetting top traffic transmit turn up vcs vector virtual vocab wait warmup weights window
syntax keyword fabSetting wrap zero
syntax keyword fabValue adjacent adversarial age ahrens_szekeres algebraic aligned all all_gather all_paths
syntax keyword fabValue all_reduce allowed_turns annealed auto average_cable average_hops bisection
syntax keyword fabValue bisection_bandwidth bit_complement bit_reverse bit_shuffle booksim bound broadcast
syntax keyword fabValue bundlefly bursts by_cabinet by_cluster by_group cable_length cables capacity cayley
syntax keyword fabValue chakra chosen_paths circulator clos collision collision_worst communication complete
syntax keyword fabValue concurrent_flow consecutive cost_per_host cross_connects dcqcn dctcp de_bruijn
syntax keyword fabValue delorme descent dimension_order direct disconnect_share disjoint_trees dragonfly drop
syntax keyword fabValue dst dst_input ecmp edge_connectivity elsewhere endpoint_permutation equal exposed
syntax keyword fabValue fairness family fat_tree file first fixed flood flow fold folded_hypercube forest
syntax keyword fabValue free full gather gather_reduce gau gen_kautz gpu graph group_shift hermitian hld hops
syntax keyword fabValue hops_ratio host_bisection host_bisection_bandwidth hotspot hypercube hyperoval hyperx
syntax keyword fabValue ilp in_order instant iq jellyfish kautz latency_max leaf_spine load_ratio
syntax keyword fabValue longest_cable makespan makespan_ratio map matrix max max_channel_load megafly milp
syntax keyword fabValue min min_first minimal multitree nbr neighbour network no nominal none ocs_v
syntax keyword fabValue oversubscription pair pairs paley palmtree partial permutation permute piggyback
syntax keyword fabValue polarfly polarstar portions power_per_host product pull quadrangle_pairs quickest
syntax keyword fabValue rail rails random random_regular reduce_scatter relax ring ring_n rotate row
syntax keyword fabValue row_major saturation scheduled search selective sequential serpentine shift
syntax keyword fabValue shortest_paths simplex slim_fly slots sonic spectralfly spray star_graph steady
syntax keyword fabValue sustained switches symplectic synthesize table tables time tornado torus trace
syntax keyword fabValue translation transpose trees turns twisted_torus ugal ugal_global uniform universal
syntax keyword fabValue unlimited unnumbered up_down valiant vc_balance volume walktrap within xpander yes
syntax keyword fabUnit B GB GHz Gbps GiB Hz KiB MB MHz Mbps MiB Tbps W cycles dB dBm flits kB kHz mW ms ns ps
syntax keyword fabUnit s us
syntax match fabUnit "\v<(GB\/s|MB\/s|PFLOP\/s|TB\/s|TFLOP\/s|dB\/km)"
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
