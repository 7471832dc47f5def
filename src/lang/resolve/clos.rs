//! Resolves folded Clos networks and k-ary n-trees: `clos`, `leaf_spine` and `fat_tree`.

use super::context::{Context, missing};
use super::families::{FamilyScope, MAX_PARAMETER, ResolvedFamily};
use super::scope::link_named;
use super::settings::{BlockSettings, integer, integer_expr, wrong_kind};
use crate::ResolveError;
use crate::syntax::ast::{Block, ExprKind, Name, SettingValue, ValueKind};
use crate::syntax::words::BlockKind as Fields;
use fabc_base::ids::LinkTypeId;
use fabc_model::{Clos, ClosForm, ClosStage, Family, FatTree};

/// The most cables between two switches: as many as a router can have.
const MAX_PARALLEL: i64 = 1024;

/// The counts of the stages, from the bottom up.
struct StageCounts {
    down: Vec<i64>,
    up: Vec<i64>,
    parallel: Vec<i64>,
}

impl FamilyScope<'_> {
    /// Resolves `clos { down; up; parallel; names; over; }` to a family and its links.
    pub(super) fn clos(&self, context: &mut Context, block: &Block) -> ResolvedFamily {
        let settings = self.settings(context, Some(block), Fields::Clos);
        let down = settings.need(context, "down", "4 x 8");
        let up = settings.need(context, "up", "4 x 4");
        let down = down.and_then(|value| product(context, "`down`", value, 2..=MAX_PARAMETER));
        let up = up.and_then(|value| product(context, "`up`", value, 1..=MAX_PARAMETER));
        let parallel =
            settings.get("parallel").map(|value| product(context, "`parallel`", value, 1..=MAX_PARALLEL));
        let (down, up) = (down?, up?);
        let parallel = parallel.unwrap_or_else(|| Some(vec![1; down.len()]))?;
        for (name, numbers) in [("up", &up), ("parallel", &parallel)] {
            if numbers.len() != down.len() {
                let count = |numbers: &[i64]| match numbers.len() {
                    1 => "1 number".to_owned(),
                    count => format!("{count} numbers"),
                };
                let problem = format!("`{name}` has {}, `down` has {}", count(numbers), count(&down));
                let help = "write one number of each for every two neighboring tiers".to_owned();
                return self.no_such_network(context, problem, help, settings.span_or_head(name));
            }
        }
        let tiers = down.len() + 1;
        let tier_words = match settings.get("names") {
            None => Clos::default_words(tiers),
            Some(value) => self.tier_words(context, value, tiers)?,
        };
        let counts = StageCounts { down, up, parallel };
        self.stages(context, &settings, &counts, ClosForm::General, tier_words)
    }

    /// Resolves `leaf_spine { leaves; spines; parallel; over; }` to a family and its links.
    pub(super) fn leaf_spine(&self, context: &mut Context, block: &Block) -> ResolvedFamily {
        let settings = self.settings(context, Some(block), Fields::LeafSpine);
        let leaves = settings.need(context, "leaves", "8");
        let spines = settings.need(context, "spines", "4");
        let leaves = leaves.and_then(|value| integer(context, "`leaves`", value, 2..=MAX_PARAMETER));
        let spines_value = spines.and_then(|value| integer(context, "`spines`", value, 0..=MAX_PARAMETER));
        let (leaves, spines) = (leaves?, spines_value?);
        if spines == 0 {
            let problem = format!("without spines, no cable joins the {leaves} leaves");
            let help = "write at least `spines = 1;`".to_owned();
            return self.no_such_network(context, problem, help, settings.span_or_head("spines"));
        }
        self.leaf_spine_stages(context, &settings, leaves, spines)
    }

    /// The network of these leaves and spines, with `parallel` and `over` from its settings.
    pub(super) fn leaf_spine_stages(
        &self,
        context: &mut Context,
        settings: &BlockSettings<'_>,
        leaves: i64,
        spines: i64,
    ) -> ResolvedFamily {
        let parallel = match settings.get("parallel") {
            Some(value) => integer(context, "`parallel`", value, 1..=MAX_PARALLEL),
            None => Some(1),
        };
        let counts = StageCounts { down: vec![leaves], up: vec![spines], parallel: vec![parallel?] };
        self.stages(context, settings, &counts, ClosForm::LeafSpine, Clos::default_words(2))
    }

    /// Resolves `fat_tree { levels; arity; }` or `fat_tree { k; levels; }` to a family and its links.
    pub(super) fn fat_tree(&self, context: &mut Context, block: &Block) -> ResolvedFamily {
        let settings = self.settings(context, Some(block), Fields::FatTree);
        if let Some(k) = settings.get("k") {
            return self.full_radix_tree(context, &settings, k);
        }
        if block.statements.is_empty() {
            context.error(missing(&settings.place, "`k`", "k = 8;", self.name.span));
            return None;
        }
        if settings.get("over").is_some() {
            context.error(ResolveError::Misplaced {
                subject: "`over`".to_owned(),
                place: "`fat_tree` with `arity`".to_owned(),
                help: Some(
                    "the tiers of a `fat_tree` with `k` have links of their own; write `link = name;`"
                        .to_owned(),
                ),
                span: settings.span_or_head("over"),
            });
            return None;
        }
        let links = self.links(context, &settings);
        let levels = settings.need_integer(context, "levels", "3", 0..=64);
        let arity = settings.need_integer(context, "arity", "18", 0..=MAX_PARAMETER);
        let (levels, arity) = (levels?, arity?);
        let (problem, help, setting) = match (levels, arity) {
            (0 | 1, _) => ("fewer than two levels have no links", "write at least `levels = 2`", "levels"),
            (_, 0 | 1) => (
                "with an arity below 2 it is a line with hosts at one end only",
                "write at least `arity = 2`",
                "arity",
            ),
            _ => {
                let width = (arity as u128).checked_pow(levels as u32 - 1);
                let routers = width.and_then(|width| width.checked_mul(levels as u128));
                self.check_size(
                    context,
                    routers,
                    &format!("{levels} levels of {arity}^{}", levels - 1),
                    self.name.span,
                )?;
                return Some((
                    Family::FatTree(FatTree { levels: levels as u32, arity: arity as u32 }),
                    links?,
                ));
            }
        };
        self.no_such_network(context, problem.to_owned(), help.to_owned(), settings.span_or_head(setting))
    }

    /// Resolves `fat_tree { k; levels; over; }` to a family and its links.
    fn full_radix_tree(
        &self,
        context: &mut Context,
        settings: &BlockSettings<'_>,
        value: &SettingValue,
    ) -> ResolvedFamily {
        let k = integer(context, "`k`", value, 2..=MAX_PARAMETER);
        let levels = match settings.get("levels") {
            Some(value) => integer(context, "`levels`", value, 2..=64),
            None => Some(3),
        };
        let (k, levels) = (k?, levels?);
        if let Some(arity) = settings.get("arity") {
            let arity = integer(context, "`arity`", arity, 2..=MAX_PARAMETER)?;
            let problem = "`k` and `arity` describe two different networks".to_owned();
            let hosts = |half: i64| (half as u128).checked_pow(levels as u32).map(|leaves| 2 * leaves);
            let help = match (hosts(k / 2), (arity as u128).checked_pow(levels as u32)) {
                (Some(full), Some(tree)) => format!(
                    "`k = {k}` alone is the tree of full radix, for {full} hosts; `arity = {arity}` alone is the \
                     k-ary n-tree, for {tree} hosts"
                ),
                _ => "remove one of the two".to_owned(),
            };
            return self.no_such_network(context, problem, help, settings.span_or_head("arity"));
        }
        if k % 2 == 1 || k < 4 {
            let problem = match k {
                2 => "a switch with 2 ports has one port up, and joins nothing".to_owned(),
                _ => format!("{k} ports have no half: a switch has as many ports up as down"),
            };
            let help = match k {
                2 | 3 => "write `k = 4;`".to_owned(),
                _ => format!("write `k = {};` or `k = {};`", k - 1, k + 1),
            };
            return self.no_such_network(context, problem, help, settings.span_or_head("k"));
        }
        let stages = Clos::full_radix(k as u32, levels as u32, LinkTypeId(0));
        let counts = StageCounts {
            down: stages.iter().map(|stage| i64::from(stage.down)).collect(),
            up: stages.iter().map(|stage| i64::from(stage.up)).collect(),
            parallel: vec![1; stages.len()],
        };
        let tier_words = Clos::default_words(levels as usize);
        self.stages(context, settings, &counts, ClosForm::FatTree { k: k as u32 }, tier_words)
    }

    /// Checks the size of the network and finds the links of its stages.
    fn stages(
        &self,
        context: &mut Context,
        settings: &BlockSettings<'_>,
        counts: &StageCounts,
        form: ClosForm,
        tier_words: Vec<String>,
    ) -> ResolvedFamily {
        let StageCounts { down, up, parallel } = counts;
        let tier_size = |tier: usize| {
            let factors = up[..tier].iter().chain(&down[tier..]);
            factors.copied().try_fold(1u128, |size, factor| size.checked_mul(factor as u128))
        };
        let sizes: Option<Vec<u128>> = (0..=down.len()).map(tier_size).collect();
        let total = sizes
            .as_ref()
            .and_then(|sizes| sizes.iter().try_fold(0u128, |total, &size| total.checked_add(size)));
        let arithmetic = sizes.map_or("the tiers have more than 2^127".to_owned(), |sizes| {
            sizes.iter().map(u128::to_string).collect::<Vec<_>>().join(" + ")
        });
        self.check_size(context, total, &arithmetic, self.name.span)?;
        let links = self.stage_links(context, settings, down.len())?;
        let stage = |place: usize| ClosStage {
            down: down[place] as u32,
            up: up[place] as u32,
            parallel: parallel[place] as u32,
            link: links[place],
        };
        let stages = (0..down.len()).map(stage).collect();
        let lowest = links[0];
        Some((Family::Clos(Clos { form, stages, tier_words }), [lowest; 2]))
    }

    /// The link of every stage, from the bottom up: `over = name;` for all, or `over = [name, name];`.
    fn stage_links(
        &self,
        context: &mut Context,
        settings: &BlockSettings<'_>,
        stages: usize,
    ) -> Option<Vec<LinkTypeId>> {
        let Some(over) = settings.get("over") else {
            return self.links(context, settings).map(|[link, _]| vec![link; stages]);
        };
        let span = settings.span_or_head("over");
        self.refuse_link_by_length(context, settings)?;
        if settings.get("link").is_some() {
            context.error(ResolveError::Misplaced {
                subject: "`over`".to_owned(),
                place: format!("{} with `link`", settings.place),
                help: Some("both name the link of the cables: remove one of the two".to_owned()),
                span,
            });
            return None;
        }
        let ValueKind::List(names) = &over.kind else {
            return link_named(context, self.links, over).map(|link| vec![link; stages]);
        };
        if names.len() != stages {
            let problem =
                format!("`over` lists {} links, but there are {stages} stages of cables", names.len());
            let help = "write one link for all, or one for every two neighboring tiers".to_owned();
            return self.no_such_network(context, problem, help, span);
        }
        let mut links = Vec::with_capacity(stages);
        for name in names {
            links.push(self.links.find(context, "`over`", Some(name), span)?);
        }
        Some(links)
    }

    /// The words of the tiers as `names = [..];` lists them, from the bottom up.
    fn tier_words(&self, context: &mut Context, value: &SettingValue, tiers: usize) -> Option<Vec<String>> {
        let ValueKind::List(names) = &value.kind else {
            context.error(wrong_kind("`names`", "a list of words", "[edge, agg, core]", value.span));
            return None;
        };
        if names.len() != tiers {
            let problem = format!("`names` lists {} words for {tiers} tiers", names.len());
            let help = "write one word for every tier, the lowest first".to_owned();
            return self.no_such_network(context, problem, help, value.span);
        }
        let mut words: Vec<String> = Vec::with_capacity(tiers);
        for Name { value: word, span } in names {
            let is_word = word.starts_with(|first: char| first.is_ascii_alphabetic())
                && word.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
            let problem = match (is_word, words.iter().any(|earlier| **earlier == **word)) {
                (false, _) => format!("`{word}` is no word of letters, digits and `_`"),
                (true, true) => format!("two tiers are called `{word}`"),
                (true, false) => {
                    words.push(word.to_string());
                    continue;
                }
            };
            let help = "write a different word for every tier, such as `[edge, agg, core]`".to_owned();
            return self.no_such_network(context, problem, help, *span);
        }
        Some(words)
    }
}

/// Reads one number, or several joined by `x`.
fn product(
    context: &mut Context,
    subject: &str,
    value: &SettingValue,
    range: std::ops::RangeInclusive<i64>,
) -> Option<Vec<i64>> {
    let ValueKind::Product(factors) = &value.kind else {
        return integer(context, subject, value, range).map(|number| vec![number]);
    };
    let mut numbers = Vec::with_capacity(factors.len());
    for factor in factors {
        if let ExprKind::Decimal(_) = factor.kind {
            context.error(wrong_kind(subject, "integers", "4 x 8", factor.span));
            return None;
        }
        numbers.push(integer_expr(context, subject, factor, range.clone())?);
    }
    Some(numbers)
}
