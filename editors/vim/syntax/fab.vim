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
syntax keyword fabSetting draws duplex duplicates effort faults fix flit from g general global grid h hop
syntax keyword fabSetting hosts injection inside install key latency length levels lift links local measure
syntax keyword fabSetting method model moves nodes objective ocs_rack order overhead p packet paths per_metre
syntax keyword fabSetting pitch_x pitch_y placement ports power priority q radix rate rates reduce rho root
syntax keyword fabSetting routers rule samples scenarios seed seeds select share shortest size slot speedup
syntax keyword fabSetting start steps supernode symmetry table_entries time_limit to traffic turn vcs vector
syntax keyword fabSetting warmup window
syntax keyword fabValue adjacent adversarial age algebraic all all_gather all_paths all_reduce allowed_turns
syntax keyword fabValue annealed auto average_cable average_hops bisection bisection_bandwidth bit_complement
syntax keyword fabValue bit_reverse bit_shuffle booksim bound broadcast bundlefly bursts by_cabinet
syntax keyword fabValue by_cluster by_group cable_length chosen_paths circulator complete concurrent_flow
syntax keyword fabValue consecutive cross_connects descent diameter dimension_order direct disconnect_share
syntax keyword fabValue disjoint_trees dragonfly drop dst dst_input edge_connectivity endpoint_permutation
syntax keyword fabValue family fat_tree first fixed flood flow fold folded_hypercube full gather_reduce gau
syntax keyword fabValue gen_kautz graph group_shift hld hops hops_ratio hotspot hypercube hyperx ilp in_order
syntax keyword fabValue instant iq kautz keep latency_max load_ratio longest_cable makespan makespan_ratio
syntax keyword fabValue matrix max max_channel_load megafly milp min min_first minimal multitree nbr
syntax keyword fabValue neighbour no nominal none ocs_v pair pairs paley palmtree partial permutation permute
syntax keyword fabValue polarfly polarstar portions product pull quickest random random_regular
syntax keyword fabValue reduce_scatter relax ring_n rotate row row_major saturation scheduled search send
syntax keyword fabValue sequential serpentine shift shortest_paths simplex slim_fly slots spectralfly steady
syntax keyword fabValue synthesize tables time tornado torus trace translation transpose trees turns
syntax keyword fabValue twisted_torus ugal ugal_global uniform universal unlimited up_down valiant vc_balance
syntax keyword fabValue volume walktrap xpander yes
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
