" Words of fab specs; written by `UPDATE_DOCS=1 cargo test --test it lsp`, do not edit.
if exists("b:current_syntax")
  finish
endif

syntax keyword fabKeyword addresses all_to_all any box boxes budget chip clock collective count couple cube
syntax keyword fabKeyword cubes demand fabric failures fault floor for groups in join joined let level link
syntax keyword fabKeyword mesh nic nics ocs of over param require router routing simulate slice spare step
syntax keyword fabKeyword sweep switch topology use weight with x
syntax keyword fabSetting a after algorithm alpha arbitration arcs arity arrangement as at attach attempts
syntax keyword fabSetting bandwidth barrier beyond bias births buffer bundles by bytes cabinet cable chunks
syntax keyword fabSetting classes clustering confidence config_db copies cost cost_per_metre credits default
syntax keyword fabSetting degree deskew dimensions down draws duplex duplicates effort faults fix flit flows
syntax keyword fabSetting from g general global gpus grid h hash hop host_link hosts injection inside install
syntax keyword fabSetting k key latency leaf leaves length levels lift links local loopbacks measure method
syntax keyword fabSetting model most moves names nodes objective ocs_rack order overhead p packet parallel
syntax keyword fabSetting paths per per_metre pitch_x pitch_y placement planes ports power priority q radix
syntax keyword fabSetting rate rates reduce relay replications rho root routers rule samples scenarios seed
syntax keyword fabSetting seeds select share shortest size slot speedup spine spines start steps supernode
syntax keyword fabSetting symmetry table_entries tiers time_limit to traffic turn up vcs vector warmup
syntax keyword fabSetting weights window
syntax keyword fabValue adjacent adversarial age algebraic all all_gather all_paths all_reduce allowed_turns
syntax keyword fabValue annealed auto average_cable average_hops bisection bisection_bandwidth bit_complement
syntax keyword fabValue bit_reverse bit_shuffle booksim bound broadcast bundlefly bursts by_cabinet
syntax keyword fabValue by_cluster by_group cable_length cables capacity chosen_paths circulator clos
syntax keyword fabValue collision collision_worst complete concurrent_flow consecutive cost_per_host
syntax keyword fabValue cross_connects descent diameter dimension_order direct disconnect_share
syntax keyword fabValue disjoint_trees dragonfly drop dst dst_input ecmp edge_connectivity
syntax keyword fabValue endpoint_permutation equal family fat_tree first fixed flood flow fold
syntax keyword fabValue folded_hypercube forest full gather_reduce gau gen_kautz gpu graph group_shift hld
syntax keyword fabValue hops hops_ratio hotspot hypercube hyperx ilp in_order instant iq kautz keep
syntax keyword fabValue latency_max leaf_spine load_ratio longest_cable makespan makespan_ratio matrix max
syntax keyword fabValue max_channel_load megafly milp min min_first minimal multitree nbr neighbour no
syntax keyword fabValue nominal none ocs_v oversubscription pair pairs paley palmtree partial permutation
syntax keyword fabValue permute polarfly polarstar portions power_per_host product pull quickest rail rails
syntax keyword fabValue random random_regular reduce_scatter relax ring ring_n rotate row row_major
syntax keyword fabValue saturation scheduled search send sequential serpentine shift shortest_paths simplex
syntax keyword fabValue slim_fly slots spectralfly spray steady switches synthesize tables time tornado torus
syntax keyword fabValue trace translation transpose trees turns twisted_torus ugal ugal_global uniform
syntax keyword fabValue universal unlimited unnumbered up_down valiant vc_balance volume walktrap within
syntax keyword fabValue xpander yes
syntax keyword fabUnit B GB GHz Gbps GiB Hz KiB MB MHz Mbps MiB Tbps W cycles flits kB kHz m mW ms ns ps s us
syntax match fabUnit "\v<(GB\/s|MB\/s|TB\/s)"
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
