//! The rules of the grammar, and their names in messages.

use pest::iterators::Pair;

#[derive(pest_derive::Parser)]
#[grammar = "fab.pest"]
pub(super) struct Grammar;

/// The parts of a pair that carry meaning, without keywords and lookaheads. Expressions come without their
/// wrapping levels.
pub(super) fn children(pair: Pair<'_, Rule>) -> impl Iterator<Item = Pair<'_, Rule>> {
    pair.into_inner()
        .filter(|pair| !matches!(rule_name(pair.as_rule()), RuleName::Keyword(_) | RuleName::Lookahead))
}

/// The name of a rule in messages.
enum RuleName {
    /// What could stand here, in words.
    Words(&'static str),
    /// A word or sign to write as it is.
    Keyword(&'static str),
    /// An error production: never what should stand here.
    Mistake,
    /// A rule that only looks ahead.
    Lookahead,
}

pub(super) fn expectation(rule: Rule) -> Option<&'static str> {
    match rule_name(rule) {
        RuleName::Words(name) | RuleName::Keyword(name) => Some(name),
        RuleName::Mistake | RuleName::Lookahead => None,
    }
}

fn rule_name(rule: Rule) -> RuleName {
    use RuleName::{Keyword, Lookahead, Mistake, Words};
    match rule {
        Rule::file => Words("a spec"),
        Rule::fabric => Words("`fabric`"),
        Rule::item
        | Rule::use_file
        | Rule::let_name
        | Rule::param
        | Rule::sweep
        | Rule::link
        | Rule::router
        | Rule::router_kind
        | Rule::box_item
        | Rule::boxes
        | Rule::chip
        | Rule::cube
        | Rule::ocs
        | Rule::budget
        | Rule::failures
        | Rule::floor
        | Rule::addresses
        | Rule::demand
        | Rule::simulate
        | Rule::collective
        | Rule::job
        | Rule::require
        | Rule::slice => Words("an item"),
        Rule::indices | Rule::index => Words("an index such as `u in 0..4`"),
        Rule::for_cubes => Words("`for cubes lo..hi`"),
        Rule::range => Words("a range such as `0..4`"),
        Rule::list => Words("a list such as `[cube0[0,0,0], 17]`"),
        Rule::item_name | Rule::router_name | Rule::bracketed | Rule::quoted => {
            Words("the name of a router, or a number")
        }
        Rule::prefix | Rule::dotted => Words("a prefix such as `10.255.0.0/16`"),
        Rule::steps => Words("rates such as `0.1 .. 1.8 step 0.1`"),
        Rule::block | Rule::job_block | Rule::job_source => Words("`{`"),
        Rule::statement
        | Rule::change
        | Rule::text
        | Rule::part
        | Rule::inner_switch
        | Rule::join_gpus
        | Rule::full_mesh
        | Rule::listed_links
        | Rule::nics
        | Rule::nic_place
        | Rule::mesh
        | Rule::couple
        | Rule::component
        | Rule::level
        | Rule::operation
        | Rule::inner_block
        | Rule::setting
        | Rule::limit => Words("a setting"),
        Rule::changes => Words("`{`"),
        Rule::swept => Words("a parameter"),
        Rule::swept_value => Words("a value"),
        Rule::among => Words("`in lo..=hi`"),
        Rule::through => Words("`..=`"),
        Rule::given => Words("`name=value`"),
        Rule::settings => Words("settings"),
        Rule::all_gpus | Rule::members => Words("GPUs such as `all`, `0..4` or `[0, 3]`"),
        Rule::copies => Words("`[`"),
        Rule::share => Words("`of`"),
        Rule::joined => Words("`joined`"),
        Rule::groups => Words("`over groups of n`"),
        Rule::any_of => Words("`any of`"),
        Rule::sided | Rule::port | Rule::face => Words("a face port such as `+x[u, v]`"),
        Rule::value
        | Rule::choice_block
        | Rule::file_block
        | Rule::dims_block
        | Rule::choice_file
        | Rule::named_file
        | Rule::constant
        | Rule::choice_dims
        | Rule::some_dims
        | Rule::product
        | Rule::quantity => Words("a value"),
        Rule::dims | Rule::by => Words("dimensions such as `4 x 4 x 4`"),
        Rule::unit | Rule::unit_text => Words("a unit"),
        Rule::expr
        | Rule::term
        | Rule::factor
        | Rule::primary
        | Rule::paren
        | Rule::integer
        | Rule::signed
        | Rule::decimal => Words("a number"),
        Rule::semi => Words("`;`"),
        Rule::assign => Words("`=`"),
        Rule::dots => Words("`..`"),
        Rule::comparison | Rule::good_comparison => Words("a comparison"),
        Rule::add_op | Rule::mul_op => Words("an operator"),
        Rule::metric | Rule::metric_at => Words("a metric"),
        Rule::name
        | Rule::word
        | Rule::dashed
        | Rule::setting_name
        | Rule::choice_name
        | Rule::root_word
        | Rule::groups_word
        | Rule::stage_word => Words("a name"),
        Rule::string | Rule::plain_file => Words("a path in quotes"),
        Rule::EOI => Words("the end of the file"),
        Rule::negate => Words("a number"),
        Rule::open => Keyword("`{`"),
        Rule::comma => Keyword("`,`"),
        Rule::close => Keyword("`]`"),
        Rule::kw_fabric => Keyword("`fabric`"),
        Rule::kw_use
        | Rule::kw_let
        | Rule::kw_param
        | Rule::kw_sweep
        | Rule::kw_link
        | Rule::kw_router
        | Rule::kw_box
        | Rule::kw_boxes
        | Rule::kw_chip
        | Rule::kw_cube
        | Rule::kw_ocs
        | Rule::kw_budget
        | Rule::kw_failures
        | Rule::kw_floor
        | Rule::kw_addresses
        | Rule::kw_demand
        | Rule::kw_simulate
        | Rule::kw_collective
        | Rule::kw_job
        | Rule::kw_require
        | Rule::kw_slice => Keyword("an item"),
        Rule::kw_mesh
        | Rule::kw_couple
        | Rule::kw_all_to_all
        | Rule::kw_level
        | Rule::kw_switch
        | Rule::kw_join
        | Rule::kw_links
        | Rule::kw_nics
        | Rule::kw_nic
        | Rule::kw_phase
        | Rule::kw_send => Keyword("a setting"),
        Rule::kw_all => Keyword("`all`"),
        Rule::kw_at => Keyword("`at`"),
        Rule::kw_groups => Keyword("`groups of`"),
        Rule::kw_weight => Keyword("`weight`"),
        Rule::kw_any => Keyword("`any of`"),
        Rule::kw_of => Keyword("`of`"),
        Rule::kw_with => Keyword("`with`"),
        Rule::kw_joined => Keyword("`joined`"),
        Rule::kw_over => Keyword("`over`"),
        Rule::kw_in => Keyword("`in`"),
        Rule::kw_for => Keyword("`for cubes lo..hi`"),
        Rule::kw_cubes => Keyword("`cubes`"),
        Rule::kw_x => Keyword("`x`"),
        Rule::kw_step => Keyword("`step`"),
        Rule::missing_semi
        | Rule::comma_for_semi
        | Rule::missing_assign
        | Rule::wrong_assign
        | Rule::wrong_comparison
        | Rule::wrong_dots
        | Rule::wrong_by
        | Rule::tuple
        | Rule::wrong_through
        | Rule::path_name
        | Rule::dims_name
        | Rule::split_weight
        | Rule::no_weight
        | Rule::stray_assign
        | Rule::stray_semi
        | Rule::unknown_block
        | Rule::unknown_items
        | Rule::other_fabric => Mistake,
        Rule::statement_start
        | Rule::step_dots
        | Rule::keyword
        | Rule::sign
        | Rule::word_char
        | Rule::WHITESPACE => Lookahead,
    }
}
