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
syntax keyword fabSetting cost_per_metre credits dedup default degree deskew dimensions down draws duplex
syntax keyword fabSetting duplicates effort expert_ffn experts faults ffn fix flit flows from g gated
syntax keyword fabSetting gather_again general global gpus gradient grid h hash head heads hidden hop
syntax keyword fabSetting host_link injection inside install k keep key kv_heads latency layers leaf leaves
syntax keyword fabSetting length levels lift local loopbacks loss margin measure method micro model most
syntax keyword fabSetting moves multicast names nodes objective ocs_rack order overhead overlap overload p
syntax keyword fabSetting packet packets parallel paths per per_metre phases pitch_x pitch_y place placement
syntax keyword fabSetting planes ports power priority q qk_norm radix rate rates recompute reconfigure reduce
syntax keyword fabSetting relay replications rho root routers rule samples scenarios seed seeds select
syntax keyword fabSetting sensitivity sequence_parallel sequences share shared shortest size skew slot
syntax keyword fabSetting speedup spine spines stages start steps supernode symmetry table_entries tied tiers
syntax keyword fabSetting time_limit times to top traffic transmit turn up vcs vector virtual vocab wait
syntax keyword fabSetting warmup weights window wrap zero
syntax keyword fabValue adjacent adversarial age algebraic aligned all all_gather all_paths all_reduce
syntax keyword fabValue allowed_turns annealed auto average_cable average_hops bisection bisection_bandwidth
syntax keyword fabValue bit_complement bit_reverse bit_shuffle booksim bound broadcast bundlefly bursts
syntax keyword fabValue by_cabinet by_cluster by_group cable_length cables capacity chakra chosen_paths
syntax keyword fabValue circulator clos collision collision_worst communication complete concurrent_flow
syntax keyword fabValue consecutive cost_per_host cross_connects descent diameter dimension_order direct
syntax keyword fabValue disconnect_share disjoint_trees dragonfly drop dst dst_input ecmp edge_connectivity
syntax keyword fabValue endpoint_permutation equal exposed fairness family fat_tree file first fixed flood
syntax keyword fabValue flow fold folded_hypercube forest free full gather gather_reduce gau gen_kautz gpu
syntax keyword fabValue graph group_shift hld hops hops_ratio host_bisection host_bisection_bandwidth hotspot
syntax keyword fabValue hypercube hyperx ilp in_order instant iq kautz latency_max leaf_spine load_ratio
syntax keyword fabValue longest_cable makespan makespan_ratio map matrix max max_channel_load megafly milp
syntax keyword fabValue min min_first minimal multitree nbr neighbour no nominal none ocs_v oversubscription
syntax keyword fabValue pair pairs paley palmtree partial permutation permute piggyback polarfly polarstar
syntax keyword fabValue portions power_per_host product pull quickest rail rails random random_regular
syntax keyword fabValue reduce_scatter relax ring ring_n rotate row row_major saturation scheduled search
syntax keyword fabValue selective sequential serpentine shift shortest_paths simplex slim_fly slots sonic
syntax keyword fabValue spectralfly spray steady sustained switches synthesize table tables time tornado
syntax keyword fabValue torus trace translation transpose trees turns twisted_torus ugal ugal_global uniform
syntax keyword fabValue universal unlimited unnumbered up_down valiant vc_balance volume walktrap within
syntax keyword fabValue xpander yes
syntax keyword fabUnit B GB GHz Gbps GiB Hz KiB MB MHz Mbps MiB Tbps W cycles dB dBm flits kB kHz m mW ms ns
syntax keyword fabUnit ps s us
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
