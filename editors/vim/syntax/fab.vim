" Words of fab specs; written by `UPDATE_DOCS=1 cargo test --test it lsp`, do not edit.
if exists("b:current_syntax")
  finish
endif

syntax keyword fabKeyword addresses all_to_all any budget chip clock collective count couple cube cubes
syntax keyword fabKeyword demand fabric failures fault floor for groups in joined let level link mesh ocs of
syntax keyword fabKeyword over param require router routing simulate slice spare step sweep topology use
syntax keyword fabKeyword weight with x
syntax keyword fabSetting a after algorithm alpha arbitration arcs arity arrangement as at attempts bandwidth
syntax keyword fabSetting barrier beyond bias births buffer bundles by bytes cabinet cable chunks classes
syntax keyword fabSetting clustering config_db cost cost_per_metre credits default degree deskew dimensions
syntax keyword fabSetting down draws duplex duplicates effort faults fix flit flows from g general global
syntax keyword fabSetting grid h hash hop host_link hosts injection inside install k key latency leaves
syntax keyword fabSetting length levels lift links local loopbacks measure method model moves names nodes
syntax keyword fabSetting objective ocs_rack order overhead p packet parallel paths per_metre pitch_x pitch_y
syntax keyword fabSetting placement ports power priority q radix rate rates reduce rho root routers rule
syntax keyword fabSetting samples scenarios seed seeds select share shortest size slot speedup spines start
syntax keyword fabSetting steps supernode symmetry table_entries time_limit to traffic turn up vcs vector
syntax keyword fabSetting warmup window
syntax keyword fabValue adjacent adversarial age algebraic all all_gather all_paths all_reduce allowed_turns
syntax keyword fabValue annealed auto average_cable average_hops bisection bisection_bandwidth bit_complement
syntax keyword fabValue bit_reverse bit_shuffle booksim bound broadcast bundlefly bursts by_cabinet
syntax keyword fabValue by_cluster by_group cable_length cables chosen_paths circulator clos collision
syntax keyword fabValue collision_worst complete concurrent_flow consecutive cost_per_host cross_connects
syntax keyword fabValue descent diameter dimension_order direct disconnect_share disjoint_trees dragonfly
syntax keyword fabValue drop dst dst_input ecmp edge_connectivity endpoint_permutation family fat_tree first
syntax keyword fabValue fixed flood flow fold folded_hypercube forest full gather_reduce gau gen_kautz graph
syntax keyword fabValue group_shift hld hops hops_ratio hotspot hypercube hyperx ilp in_order instant iq
syntax keyword fabValue kautz keep latency_max leaf_spine load_ratio longest_cable makespan makespan_ratio
syntax keyword fabValue matrix max max_channel_load megafly milp min min_first minimal multitree nbr
syntax keyword fabValue neighbour no nominal none ocs_v oversubscription pair pairs paley palmtree partial
syntax keyword fabValue permutation permute polarfly polarstar portions power_per_host product pull quickest
syntax keyword fabValue random random_regular reduce_scatter relax ring_n rotate row row_major saturation
syntax keyword fabValue scheduled search send sequential serpentine shift shortest_paths simplex slim_fly
syntax keyword fabValue slots spectralfly spray steady synthesize tables time tornado torus trace translation
syntax keyword fabValue transpose trees turns twisted_torus ugal ugal_global uniform universal unlimited
syntax keyword fabValue unnumbered up_down valiant vc_balance volume walktrap xpander yes
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
