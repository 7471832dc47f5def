// How the book draws ```fab blocks; written by `UPDATE_DOCS=1 cargo test --test it lsp` from the words of the
// language, do not edit.
hljs.registerLanguage("fab", (hljs) => ({
  keywords: {
    $pattern: /[A-Za-z_][A-Za-z0-9_]*/,
    keyword:
      "addresses all_to_all any box boxes budget chip clock collective count couple cube cubes demand fabric " +
      "failures fault floor for groups hosts in job join joined let level link links losses mesh nic nics ocs of " +
      "over param phase require router routing send simulate slice spare step sweep switch topology use weight with " +
      "x",
    built_in:
      "a ack activation after algorithm along alpha arbitration arcs arity arrangement as at attach attempts axes " +
      "bandwidth barrier batch beyond bias births both box_rack buffer bundles by bytes cabinet cable causal chunks " +
      "classes clustering compute confidence config_db connector_loss connectors context control copies cost " +
      "cost_per_metre credits dedup default degree deskew detour diameter dimensions down draws duplex duplicates " +
      "effort expert_ffn experts faults ffn fix flit flows from g gain gated gather_again general generators global " +
      "gpus gradient grid h hash head heads hidden hop host_link injection inside install k keep key kv_heads " +
      "latency layers leaf leaves length levels lift local loopbacks loss m margin mark measure method micro model " +
      "most moves multicast n names nodes objective ocs_rack order overhead overlap overload p packet packets " +
      "parallel paths per per_metre per_pair phases pitch_x pitch_y place placement planes ports power priority q " +
      "qk_norm quadrangle r radix rate rates recompute reconfigure reduce relay replications rho root routers rule " +
      "samples scenarios seed seeds select sensitivity sequence_parallel sequences share shared shortest size skew " +
      "slot speedup spine spines stages start steps supernode symbols symmetry table_entries tied tiers time_limit " +
      "timer times to top traffic transmit turn up vcs vector virtual vocab wait warmup weights window wrap zero",
    literal:
      "adjacent adversarial age ahrens_szekeres algebraic aligned all all_gather all_paths all_reduce allowed_turns " +
      "annealed auto average_cable average_hops bisection bisection_bandwidth bit_complement bit_reverse " +
      "bit_shuffle booksim bound broadcast bundlefly bursts by_cabinet by_cluster by_group cable_length cables " +
      "capacity cayley chakra chosen_paths circulator clos collision collision_worst communication complete " +
      "concurrent_flow consecutive cost_per_host cross_connects dcqcn dctcp de_bruijn delorme descent " +
      "dimension_order direct disconnect_share disjoint_trees dragonfly drop dst dst_input ecmp edge_connectivity " +
      "elsewhere endpoint_permutation equal exposed fairness family fat_tree file first fixed flood flow fold " +
      "folded_hypercube forest free full gather gather_reduce gau gen_kautz gpu graph group_shift hermitian hld " +
      "hops hops_ratio host_bisection host_bisection_bandwidth hotspot hypercube hyperoval hyperx ilp in_order " +
      "instant iq jellyfish kautz latency_max leaf_spine load_ratio longest_cable makespan makespan_ratio map " +
      "matrix max max_channel_load megafly milp min min_first minimal multitree nbr neighbour network no nominal " +
      "none ocs_v oversubscription pair pairs paley palmtree partial permutation permute piggyback polarfly " +
      "polarstar portions power_per_host product pull quadrangle_pairs quickest rail rails random random_regular " +
      "reduce_scatter relax ring ring_n rotate row row_major saturation scheduled search selective sequential " +
      "serpentine shift shortest_paths simplex slim_fly slots sonic spectralfly spray star_graph steady sustained " +
      "switches symplectic synthesize table tables time tornado torus trace translation transpose trees turns " +
      "twisted_torus ugal ugal_global uniform universal unlimited unnumbered up_down valiant vc_balance volume " +
      "walktrap within xpander yes",
    type:
      "B GB GHz Gbps GiB Hz KiB MB MHz Mbps MiB Tbps W cycles dB dBm flits kB kHz mW ms ns ps s us",
  },
  contains: [
    hljs.C_LINE_COMMENT_MODE,
    hljs.C_BLOCK_COMMENT_MODE,
    { className: "string", begin: /"/, end: /"|$/ },
    { begin: /[+-][A-Za-z_][A-Za-z0-9_]*(?=\s*\[)/ },
    { className: "type", begin: /\b(GB\/s|MB\/s|PFLOP\/s|TB\/s|TFLOP\/s|dB\/km)(?![A-Za-z0-9_])/ },
    { className: "number", begin: /\b\d[\d_]*(\.\d[\d_]*)?/ },
  ],
}));
