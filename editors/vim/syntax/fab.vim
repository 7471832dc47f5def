" Words of fab specs; written by `UPDATE_DOCS=1 cargo test --test it lsp`, do not edit.
if exists("b:current_syntax")
  finish
endif

syntax keyword fabKeyword all_to_all any budget chip clock collective count couple cube cubes demand fabric
syntax keyword fabKeyword failures fault floor for groups in joined let level link mesh ocs of over param
syntax keyword fabKeyword require router routing simulate slice spare step sweep topology use weight with x
syntax keyword fabSetting a after algorithm alpha arbitration arcs arity arrangement at attempts bandwidth
syntax keyword fabSetting barrier beyond bias births buffer bundles by bytes cabinet cable chunks classes
syntax keyword fabSetting clustering config_db cost cost_per_metre credits default degree deskew dimensions
syntax keyword fabSetting down draws duplex duplicates effort faults fix flit flows from g general global
syntax keyword fabSetting grid h hash hop hosts injection inside install k key latency leaves length levels
syntax keyword fabSetting lift links local measure method model moves names nodes objective ocs_rack order
syntax keyword fabSetting overhead p packet parallel paths per_metre pitch_x pitch_y placement ports power
syntax keyword fabSetting priority q radix rate rates reduce rho root routers rule samples scenarios seed
syntax keyword fabSetting seeds select share shortest size slot speedup spines start steps supernode symmetry
syntax keyword fabSetting table_entries time_limit to traffic turn up vcs vector warmup window
syntax keyword fabValue adjacent adversarial age algebraic all all_gather all_paths all_reduce allowed_turns
syntax keyword fabValue annealed auto average_cable average_hops bisection bisection_bandwidth bit_complement
syntax keyword fabValue bit_reverse bit_shuffle booksim bound broadcast bundlefly bursts by_cabinet
syntax keyword fabValue by_cluster by_group cable_length chosen_paths circulator clos complete
syntax keyword fabValue concurrent_flow consecutive cross_connects descent diameter dimension_order direct
syntax keyword fabValue disconnect_share disjoint_trees dragonfly drop dst dst_input ecmp edge_connectivity
syntax keyword fabValue endpoint_permutation family fat_tree first fixed flood flow fold folded_hypercube
syntax keyword fabValue full gather_reduce gau gen_kautz graph group_shift hld hops hops_ratio hotspot
syntax keyword fabValue hypercube hyperx ilp in_order instant iq kautz keep latency_max leaf_spine load_ratio
syntax keyword fabValue longest_cable makespan makespan_ratio matrix max max_channel_load megafly milp min
syntax keyword fabValue min_first minimal multitree nbr neighbour no nominal none ocs_v pair pairs paley
syntax keyword fabValue palmtree partial permutation permute polarfly polarstar portions product pull
syntax keyword fabValue quickest random random_regular reduce_scatter relax ring_n rotate row row_major
syntax keyword fabValue saturation scheduled search send sequential serpentine shift shortest_paths simplex
syntax keyword fabValue slim_fly slots spectralfly spray steady synthesize tables time tornado torus trace
syntax keyword fabValue translation transpose trees turns twisted_torus ugal ugal_global uniform universal
syntax keyword fabValue unlimited up_down valiant vc_balance volume walktrap xpander yes
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
