// The language of `.fab` files for tree-sitter: the rules of src/lang/fab.pest, by the same names. A test (tests/it/lsp/editors.rs)
// keeps the two in step: rules, keywords, and which texts are refused. Slips get no sentence of their own here.
//
// `tree-sitter generate` writes src/ from this file; ./generate does so and notes what it was made from.

const comma1 = (rule) => seq(rule, repeat(seq(",", rule)));

module.exports = grammar({
  name: "fab",

  word: ($) => $.name,
  extras: ($) => [/\s/, $.comment],

  conflicts: ($) => [
    // `2 * side` and `torus side x 4`: what a name is shows after it.
    [$.choice_name, $.primary],
    // `98 % of universal` and `98 % 5`.
    [$.term],
  ],

  rules: {
    // ---- files and items
    file: ($) => repeat(choice($.fabric, $._item)),
    fabric: ($) => seq("fabric", field("name", $.name), "{", repeat($._item), "}", optional(";")),
    _item: ($) =>
      choice(
        $.use_file, $.let_name, $.param, $.sweep, $.link, $.router_kind, $.router, $.box_item, $.boxes, $.chip, $.cube, $.ocs,
        $.budget, $.failures, $.floor, $.addresses, $.demand, $.simulate, $.collective, $.job, $.require, $.slice,
        $.setting,
      ),

    use_file: ($) => seq("use", $.string, choice($.changes, ";")),
    changes: ($) => seq("{", repeat(choice($.change, $.text, $.setting)), "}", optional(";")),
    text: ($) => seq($.setting_name, "=", $.string, ";"),
    change: ($) => seq($.setting_name, optional($.name), $.block),
    let_name: ($) => seq("let", field("name", $.name), "=", $.constant, ";"),
    param: ($) => seq("param", field("name", $.name), "=", $.constant, optional($.among), ";"),
    constant: ($) => choice($.string, $.quantity),
    among: ($) => seq("in", choice($.list, seq($.quantity, "..=", $.quantity))),
    sweep: ($) => seq("sweep", "{", repeat($.swept), "}", optional(";")),
    swept: ($) => seq($.name, "=", comma1($.swept_value), ";"),
    swept_value: ($) => choice(seq($.expr, choice("..=", ".."), $.expr), $.constant),
    link: ($) => seq("link", field("name", $.name), $.block),
    router_kind: ($) => seq("router", field("name", $.name), $.block),
    router: ($) => seq("router", $.block),
    box_item: ($) => seq("box", field("name", $.name), $.block),
    boxes: ($) => seq("boxes", "=", $.expr, "of", $.name, ";"),
    chip: ($) => seq("chip", $.block),
    cube: ($) => seq("cube", $.block),
    ocs: ($) => seq("ocs", field("name", $.name), optional($.indices), optional($.for_cubes), $.block),
    budget: ($) => seq("budget", $.block),
    failures: ($) => seq("failures", $.block),
    floor: ($) => seq("floor", $.block),
    addresses: ($) => seq("addresses", $.block),
    demand: ($) => seq("demand", $.block),
    simulate: ($) => seq("simulate", field("name", $.name), $.block),
    collective: ($) => seq("collective", $.setting),
    job: ($) => seq("job", field("name", $.name), optional($.job_source), $.job_block),
    job_source: ($) => seq("=", $.choice_name, $.string),
    job_block: ($) => seq("{", repeat(choice($.operation, $.inner_block, $.setting)), "}", optional(";")),
    operation: ($) => seq("collective", $.setting),
    // `phase` and `send` have names. `demand` is a word of items only.
    inner_block: ($) => seq(choice($.setting_name, seq(choice("phase", "send"), $.name)), $.job_block),
    require: ($) => seq("require", $.metric, $.comparison, $.quantity, optional($.share), ";"),
    slice: ($) => seq("slice", field("name", $.name), "{", repeat($._item), "}", optional(";")),
    share: ($) => seq("of", $.name),

    indices: ($) => seq("[", comma1($.index), optional(","), "]"),
    index: ($) => seq(field("name", $.name), "in", $.range),
    for_cubes: ($) => seq("for", "cubes", $.range),
    range: ($) => seq($.expr, "..", $.expr),

    // ---- blocks
    block: ($) => seq("{", repeat($._statement), "}", optional(";")),
    _statement: ($) => choice($.part, $.mesh, $.couple, $.component, $.level, $.setting, $.limit),
    part: ($) => choice($.inner_switch, $.join_gpus, $.full_mesh, $.listed_links, $.nics, $.nic_place),
    inner_switch: ($) => seq("switch", $.name, optional($.copies), $.block),
    copies: ($) => seq("[", $.expr, "]"),
    join_gpus: ($) =>
      seq("join", choice($.all_gpus, $.members, $.range), optional(seq("over", $.name)), choice($.block, ";")),
    all_gpus: () => "all",
    members: ($) => seq("[", comma1($.expr), optional(","), "]"),
    full_mesh: ($) => seq("mesh", "over", $.name, choice($.block, ";")),
    listed_links: ($) => seq("links", $.string, optional(seq("over", $.name)), ";"),
    nics: ($) => seq("nics", "=", $.expr, "over", $.name, choice($.block, ";")),
    nic_place: ($) => seq("nic", "[", $.name, "]", "at", $.expr, ";"),
    mesh: ($) => seq("mesh", $.dims, optional(seq("over", $.name)), ";"),
    couple: ($) => seq("couple", choice($.any_of, $.sided), optional(seq("over", $.name)), ";"),
    any_of: ($) => seq("any", "of", comma1($.port)),
    component: ($) => seq("all_to_all", optional($.groups), "weight", $.expr, ";"),
    groups: ($) => seq("over", "groups", "of", $.expr),
    level: ($) => seq("level", $.expr, optional($.joined), optional(seq("over", $.name)), choice($.block, ";")),
    joined: ($) => seq("joined", $.expr),
    sided: ($) => seq($.port, "with", $.port),
    port: ($) => seq($.face, "[", comma1($.expr), "]"),
    setting: ($) =>
      choice(
        seq(alias($._root, $.setting_name), "=", alias($.string, $.quoted), ";"),
        seq(alias($._groups, $.setting_name), "=", alias($.string, $.quoted), ";"),
        seq(alias($._stage, $.setting_name), "=", $.product, ";"),
        seq(
          choice(
            $.setting_name, alias($._root, $.setting_name), alias($._groups, $.setting_name),
            alias($._stage, $.setting_name),
          ),
          "=",
          choice($.choice_block, $.file_block, $.dims_block, seq($._value, ";")),
        ),
      ),
    // `demand = uniform;` beside `demand { .. }`, and `links = unnumbered;` beside `links "file.csv";`
    setting_name: ($) => choice($.name, alias("demand", $.name), alias("links", $.name)),
    // `root = "spine 3";`: of no other setting the value is a text.
    _root: ($) => alias("root", $.name),
    // `groups = "comm.json";`, likewise.
    _groups: ($) => alias("groups", $.name),
    // `down = 4 x 8;`: of no other setting the value is a product.
    _stage: ($) => alias(choice("down", "up", "parallel"), $.name),
    limit: ($) =>
      seq(
        choice(
          $.setting_name, alias($._root, $.setting_name), alias($._groups, $.setting_name),
          alias($._stage, $.setting_name),
        ),
        $.comparison,
        $.quantity,
        ";",
      ),

    // ---- values
    _value: ($) => choice($.prefix, $.list, $.router_name, $.choice_file, $.named_file, $.choice_dims, $.steps, $.quantity),
    list: ($) => seq("[", comma1(choice($.item_name, $.string)), optional(","), "]"),
    prefix: ($) => $.dotted,
    router_name: ($) => $.bracketed,
    choice_block: ($) => seq($.choice_name, $.block),
    file_block: ($) => seq($.choice_name, $.string, $.block),
    dims_block: ($) => seq($.choice_name, choice($.some_dims, $.name), $.block),
    steps: ($) => seq($.expr, "..", $.expr, "step", $.expr),
    choice_file: ($) => seq($.choice_name, $.string),
    named_file: ($) => seq($.choice_name, $.name),
    choice_dims: ($) => seq($.choice_name, $.some_dims),
    choice_name: ($) => $.name,
    some_dims: ($) => choice(seq($.expr, repeat1(seq($._by, $.expr))), $.integer, $.paren, $.compact),
    dims: ($) => choice(seq($.expr, repeat(seq($._by, $.expr))), $.compact),
    product: ($) => choice(seq($.expr, repeat1(seq($._by, $.expr))), $.compact),
    compact: () => /[0-9][0-9_]*(x[0-9][0-9_]*)+/, // 4x4x8
    _by: ($) => alias(token(prec(1, "x")), "x"),
    quantity: ($) => seq($.expr, optional($.unit)),
    // Behind a name alone, as in `graph lab`, a word is a name.
    unit: ($) => choice(token(prec(-1, /[A-Za-zµμ]+(\/[A-Za-z]+)?/)), "%"),
    expr: ($) => prec.left(1, seq($.term, repeat(seq(choice("+", "-"), $.term)))),
    term: ($) => seq($.factor, repeat(seq(choice("*", "/", "%"), $.factor))),
    factor: ($) => seq(repeat("-"), $.primary),
    primary: ($) => choice($.decimal, $.integer, $.name, $.paren),
    paren: ($) => seq("(", $.expr, ")"),

    // ---- tokens
    comparison: () => choice("<=", ">=", "==", "<", ">"),
    face: () => /[+-]?[A-Za-z_][A-Za-z0-9_]*/,
    metric: ($) =>
      seq(
        $.name,
        repeat(seq(token.immediate("."), $.name)),
        optional(seq(token.immediate("("), choice($.decimal, $.integer), ")")),
      ),
    name: () => /[A-Za-z_][A-Za-z0-9_]*/,
    item_name: () => /[A-Za-z0-9_.]+(\[[^\]\[\n]*\])?/,
    bracketed: () => /[A-Za-z0-9_.]+\[[^\]\[\n]*\]/,
    integer: () => /[0-9][0-9_]*/,
    dotted: () => /[0-9]+\.[0-9]+(\.[0-9]+)+(\/[0-9]+)?/,
    decimal: () => /[0-9][0-9_]*\.[0-9][0-9_]*/,
    string: () => /"[^"\n]*"/,
    comment: () => token(choice(/\/\/[^\n]*/, /\/\*[^*]*\*+([^/*][^*]*\*+)*\//)),
  },
});
