//! Resolves `topology = ..` of a network: families by their parameters.
//!
//! Networks that are too large are refused by arithmetic, before anything is built.

use super::context::{Context, missing};
use super::hardware::product_help;
use super::scope::{DeclaredLinks, link_named};
use super::settings::{BlockSettings, block_settings, in_range, integer, one_of_or};
use crate::ResolveError;
use crate::forms::form_words;
use crate::syntax::ast::{Block, Expr, ExprKind, Name, SettingValue, StatementKind, ValueKind};
use crate::syntax::words::BlockKind as Fields;
use fabc_base::diag::{Span, plain};
use fabc_base::ids::LinkTypeId;
use fabc_base::limits::{DESCRIBED_ROUTERS, ROUTERS};
use fabc_model::{
    Arcs, Arrangement, DesignSpace, Dragonfly, Family, GenKautz, HyperX, Hypercube, Kautz, Megafly, Mesh,
    Torus,
};

/// The settings that name a link: every link, links inside a group, links between groups.
const LINKS: [&str; 3] = ["link", "local", "global"];

/// The largest parameter that any supported network can have.
pub(super) const MAX_PARAMETER: i64 = ROUTERS as i64;

/// What the settings of a family are resolved against.
pub(super) struct FamilyScope<'a> {
    pub(super) name: &'a Name,
    pub(super) links: &'a DeclaredLinks,
    /// Some link, if the length of a cable decides which link it is.
    pub(super) by_length: Option<LinkTypeId>,
}

pub(super) type ResolvedFamily = Option<(Family, [LinkTypeId; 2])>;

impl FamilyScope<'_> {
    pub(super) fn settings<'b>(
        &self,
        context: &mut Context,
        block: Option<&'b Block>,
        place: Fields,
    ) -> BlockSettings<'b> {
        let title = format!("`{}`", self.name.value);
        match block {
            Some(block) => block_settings(context, block, title, self.name.span, place),
            None => BlockSettings::none(title, self.name.span),
        }
    }

    /// Resolves a family by its word and settings. The outer `None` says that no family has this word or
    /// form.
    #[allow(clippy::option_option)]
    pub(super) fn family(&self, context: &mut Context, value: &SettingValue) -> Option<ResolvedFamily> {
        Some(match (&*self.name.value, &value.kind) {
            ("torus" | "mesh" | "hyperx", ValueKind::Dims(_, dims, block)) => {
                self.grid(context, dims, block.as_ref(), value.span)
            }
            ("torus" | "mesh", ValueKind::Block(_, block)) => self.sides_in_block(context, block),
            ("hyperx", ValueKind::Block(_, block)) => self.hyperx(context, block),
            ("hypercube" | "folded_hypercube", ValueKind::Block(_, block)) => self.hypercube(context, block),
            ("polarstar", ValueKind::Block(_, block)) => self.polarstar(context, block),
            ("polarfly", ValueKind::Block(_, block)) => self.polarfly(context, block),
            ("delorme", ValueKind::Block(_, block)) => self.delorme(context, block),
            ("quadrangle_pairs", ValueKind::Block(_, block)) => self.quadrangle_pairs(context, block),
            ("cayley", ValueKind::Block(_, block)) => self.cayley(context, block),
            ("star_graph", ValueKind::Block(_, block)) => self.star_graph(context, block),
            ("de_bruijn", ValueKind::Block(_, block)) => self.de_bruijn(context, block),
            ("network", ValueKind::Block(_, block)) => self.largest_network(context, block),
            ("slim_fly", ValueKind::Block(_, block)) => self.slim_fly(context, block),
            ("bundlefly", ValueKind::Block(_, block)) => self.bundlefly(context, block),
            ("spectralfly", ValueKind::Block(_, block)) => self.spectralfly(context, block),
            ("levels", ValueKind::Block(_, block)) => self.levels(context, block),
            ("megafly", ValueKind::Block(_, block)) => self.megafly(context, block),
            ("gen_kautz", ValueKind::Block(_, block)) => self.gen_kautz(context, block),
            ("xpander", ValueKind::Block(_, block)) => self.xpander(context, block),
            ("random_regular" | "jellyfish", ValueKind::Block(_, block)) => {
                self.random_regular(context, block)
            }
            ("ring_n" | "nbr" | "gau", ValueKind::Block(_, block)) => self.shortcuts(context, block),
            ("synthesize", ValueKind::Block(_, block)) => self.synthesize(context, block, None),
            ("dragonfly", ValueKind::Block(_, block)) => self.dragonfly(context, block),
            ("fat_tree", ValueKind::Block(_, block)) => self.fat_tree(context, block),
            ("leaf_spine", ValueKind::Block(_, block)) => self.leaf_spine(context, block),
            ("clos", ValueKind::Block(_, block)) => self.clos(context, block),
            ("kautz", ValueKind::Block(_, block)) => self.kautz(context, block),
            _ => return None,
        })
    }

    /// Resolves a `torus`, `mesh` or `hyperx` to a family and its links.
    pub(super) fn grid(
        &self,
        context: &mut Context,
        dims: &[Expr],
        block: Option<&Block>,
        span: Span,
    ) -> ResolvedFamily {
        let settings = self.settings(context, block, Fields::Grid);
        let links = self.links(context, &settings);
        let value = |context: &mut Context, dim: &Expr| {
            context
                .eval(dim, &[])
                .and_then(|side| in_range(context, "a dimension", side, 1..=i64::MAX, dim.span))
        };
        if let [Expr { kind: ExprKind::Chain(..), span }] = dims {
            context.error(ResolveError::WrongKind {
                subject: format!("`{}`", self.name.value),
                wanted: "its sides".to_owned(),
                help: product_help(dims).unwrap_or(
                    "a single side that is an expression stands in brackets: `torus (2 * side)`".to_owned(),
                ),
                span: *span,
            });
            return None;
        }
        let sides: Vec<Option<i64>> = dims.iter().map(|dim| value(context, dim)).collect();
        let sides = sides.into_iter().collect::<Option<Vec<i64>>>()?;
        let product = sides.iter().try_fold(1u128, |product, &side| product.checked_mul(side as u128));
        let written: Vec<String> = sides.iter().map(i64::to_string).collect();
        self.check_size(context, product, &written.join(" x "), span)?;
        if product == Some(1) {
            let help = "give it at least two routers".to_owned();
            return self.no_such_network(context, "a single router has no links".to_owned(), help, span);
        }
        let sides = sides.into_iter().map(|side| side as u32).collect();
        let family = match &*self.name.value {
            "torus" => Family::Torus(Torus(sides)),
            "mesh" => Family::Mesh(Mesh(sides)),
            _ => Family::HyperX(HyperX(sides)),
        };
        Some((family, links?))
    }

    /// Reports a grid whose sides stand in its block, as in `hyperx { s = 4; l = 2; }`. The help shows the
    /// form that works, with these sides if they can be read.
    pub(super) fn sides_in_block<T>(&self, context: &mut Context, block: &Block) -> Option<T> {
        let number = |names: &[&str], maximum: i64| {
            let setting = block.statements.iter().find_map(|statement| match &statement.kind {
                StatementKind::Setting(setting) if names.contains(&&*plain(&setting.name.value)) => {
                    Some(setting)
                }
                _ => None,
            })?;
            let ValueKind::Quantity(quantity) = &setting.value.kind else { return None };
            let value = context.constants.eval(&quantity.number, &[]).ok()?;
            (2..=maximum).contains(&value).then_some(value)
        };
        let side = number(&["s", "k", "side", "sides", "size", "width"], MAX_PARAMETER);
        let dimensions = number(&["l", "n", "d", "dim", "dims", "dimensions"], 8);
        let sides = match (side, dimensions) {
            (Some(side), Some(dimensions)) => vec![side.to_string(); dimensions as usize].join(" x "),
            _ => "4 x 4 x 4".to_owned(),
        };
        let name = &*self.name.value;
        context.error(ResolveError::WrongKind {
            subject: format!("`{name}`"),
            wanted: "its sides behind its name".to_owned(),
            help: format!("write `topology = {name} {sides};`"),
            span: self.name.span,
        });
        None
    }

    /// Resolves `dragonfly { a; h; g; arrangement; spare; }` to a family and its links.
    pub(super) fn dragonfly(&self, context: &mut Context, block: &Block) -> ResolvedFamily {
        let settings = self.settings(context, Some(block), Fields::Dragonfly);
        let links = self.links(context, &settings);
        let arrangement = one_of_or(context, &settings, "arrangement", Arrangement::default())?;
        let spare =
            settings.get("spare").map_or(Some(0), |value| integer(context, "`spare`", value, 0..=1))? == 1;
        let (dragonfly, links) =
            match self.goal_design(context, &settings, links, DesignSpace::Dragonfly, &["a", "h", "g"]) {
                Some(Some((Family::Dragonfly(chosen), links))) => (chosen, links),
                Some(_) => return None,
                None => (self.dragonfly_sizes(context, &settings)?, links?),
            };
        let dragonfly = Dragonfly { arrangement, spare, ..dragonfly };
        let Dragonfly { h, g, .. } = dragonfly;
        if arrangement == Arrangement::Fold && (h % 2 == 1 || g % 2 == 0) {
            let problem = format!("`fold` needs an even `h` and an odd `g`, not h = {h} and g = {g}");
            let help = "use `palmtree`, or change `h` or `g` by one".to_owned();
            return self.no_such_network(context, problem, help, settings.span_or_head("arrangement"));
        }
        if spare && g == 2 {
            let problem = "with one spare group of two, only one group remains".to_owned();
            let help = "write at least `g = 3`, or remove `spare`".to_owned();
            return self.no_such_network(context, problem, help, settings.span_or_head("spare"));
        }
        Some((Family::Dragonfly(dragonfly), links))
    }

    /// Reads `a`, `h` and `g` of a dragonfly.
    fn dragonfly_sizes(&self, context: &mut Context, settings: &BlockSettings<'_>) -> Option<Dragonfly> {
        let a = settings.need_integer(context, "a", "8", 1..=MAX_PARAMETER);
        let h = settings.need_integer(context, "h", "4", 1..=MAX_PARAMETER);
        let groups = match settings.get("g") {
            Some(value) => Some(integer(context, "`g`", value, 2..=MAX_PARAMETER)?),
            None => None,
        };
        let (a, h) = (a?, h?);
        let max_groups = a * h + 1;
        let g = groups.unwrap_or(max_groups);
        if g > max_groups {
            let problem =
                format!("{a} routers with {h} global ports each reach {} other groups, not {}", a * h, g - 1);
            let help = format!("write at most `g = {max_groups}`, or raise `a` or `h`");
            return self.no_such_network(context, problem, help, settings.span_or_head("g"));
        }
        self.check_size(context, Some(a as u128 * g as u128), &format!("{g} groups of {a}"), self.name.span)?;
        Some(Dragonfly {
            a: a as u32,
            h: h as u32,
            g: g as u32,
            arrangement: Arrangement::default(),
            spare: false,
        })
    }

    /// Resolves `megafly { a; rho; arrangement; }` to a family and its links.
    pub(super) fn megafly(&self, context: &mut Context, block: &Block) -> ResolvedFamily {
        let settings = self.settings(context, Some(block), Fields::Megafly);
        let links = self.links(context, &settings);
        let a = settings.need_integer(context, "a", "16", 2..=MAX_PARAMETER);
        let rho = settings.need_integer(context, "rho", "8", 1..=MAX_PARAMETER);
        let arrangement = one_of_or(context, &settings, "arrangement", Arrangement::default())?;
        let (a, rho) = (a?, rho?);
        if a % 2 == 1 {
            let problem = format!("a group has as many leaves as spines, but `a = {a}` is odd");
            return self.no_such_network(
                context,
                problem,
                format!("write `a = {};`", a + 1),
                settings.span_or_head("a"),
            );
        }
        let groups = a as u128 / 2 * rho as u128 + 1;
        self.check_size(
            context,
            Some(groups * a as u128),
            &format!("{groups} groups of {a}"),
            self.name.span,
        )?;
        if arrangement == Arrangement::Fold && rho % 2 == 1 {
            let problem = format!("`fold` needs an even `rho`, not {rho}");
            let help = "use `palmtree`, or change `rho` by one".to_owned();
            return self.no_such_network(context, problem, help, settings.span_or_head("arrangement"));
        }
        Some((Family::Megafly(Megafly { a: a as u32, rho: rho as u32, arrangement }), links?))
    }

    /// Resolves `hypercube { dimensions; }` or `folded_hypercube { dimensions; }` to a family and its links.
    pub(super) fn hypercube(&self, context: &mut Context, block: &Block) -> ResolvedFamily {
        let settings = self.settings(context, Some(block), Fields::Hypercube);
        let links = self.links(context, &settings);
        let value = settings.need(context, "dimensions", "8");
        let dimensions =
            value.and_then(|value| integer(context, "`dimensions`", value, 0..=MAX_PARAMETER))?;
        let folded = &*self.name.value == "folded_hypercube";
        let minimum = if folded { 2 } else { 1 };
        if dimensions < minimum {
            let problem = format!("with {dimensions} dimensions it has no links of its own");
            return self.no_such_network(
                context,
                problem,
                format!("write at least `dimensions = {minimum};`"),
                settings.span_or_head("dimensions"),
            );
        }
        self.check_size(
            context,
            1u128.checked_shl(dimensions as u32).filter(|_| dimensions < 128),
            &format!("2^{dimensions}"),
            self.name.span,
        )?;
        Some((Family::Hypercube(Hypercube { dimensions: dimensions as u32, folded }), links?))
    }

    /// Resolves `kautz { degree; length; arcs; }` to a family and its links.
    pub(super) fn kautz(&self, context: &mut Context, block: &Block) -> ResolvedFamily {
        let settings = self.settings(context, Some(block), Fields::Kautz);
        let links = self.links(context, &settings);
        let degree = settings.need_integer(context, "degree", "4", 0..=MAX_PARAMETER);
        let length = settings.need_integer(context, "length", "3", 1..=64);
        let arcs = one_of_or(context, &settings, "arcs", Arcs::default())?;
        let (degree, length) = (degree?, length?);
        if degree < 2 {
            let problem = "with a degree below 2 there are at most two words of any length".to_owned();
            let span = settings.span("degree").unwrap_or(self.name.span);
            return self.no_such_network(context, problem, "write at least `degree = 2`".to_owned(), span);
        }
        let words = (degree as u128)
            .checked_pow(length as u32 - 1)
            .and_then(|tails| tails.checked_mul(degree as u128 + 1));
        self.check_size(
            context,
            words,
            &format!("{} x {degree}^{}", degree + 1, length - 1),
            self.name.span,
        )?;
        Some((Family::Kautz(Kautz { degree: degree as u32, length: length as u32, arcs }), links?))
    }

    /// Resolves `gen_kautz { degree; routers; arcs; }` to a family and its links.
    pub(super) fn gen_kautz(&self, context: &mut Context, block: &Block) -> ResolvedFamily {
        let settings = self.settings(context, Some(block), Fields::GenKautz);
        let links = self.links(context, &settings);
        let degree = settings.need_integer(context, "degree", "4", 2..=MAX_PARAMETER);
        let routers = settings.need_integer(context, "routers", "60", 2..=i64::MAX);
        let arcs = one_of_or(context, &settings, "arcs", Arcs::default())?;
        let (degree, routers) = (degree?, routers?);
        self.check_size(context, Some(routers as u128), "`routers`:", settings.span_or_head("routers"))?;
        if routers <= degree {
            let problem = format!("{degree} arcs of a router cannot lead to different ones of {routers}");
            return self.no_such_network(
                context,
                problem,
                format!("write at least `routers = {};`", degree + 1),
                settings.span_or_head("routers"),
            );
        }
        Some((Family::GenKautz(GenKautz { degree: degree as u32, routers: routers as u32, arcs }), links?))
    }

    /// Resolves the links inside groups and between them: as the block says, or the only declared link.
    pub(super) fn links(
        &self,
        context: &mut Context,
        settings: &BlockSettings<'_>,
    ) -> Option<[LinkTypeId; 2]> {
        let grouped = Family::GROUPED.contains(&&*self.name.value);
        if let Some(class) = LINKS[1..].iter().find(|class| !grouped && settings.get(class).is_some()) {
            let help =
                Some("it has no groups, so all its links are of one kind: write `link = name;`".to_owned());
            let span = settings.span(class).unwrap_or(self.name.span);
            context.error(ResolveError::Misplaced {
                subject: format!("`{class}`"),
                place: settings.place.clone(),
                help,
                span,
            });
            return None;
        }
        let written = LINKS.map(|name| settings.get(name));
        self.refuse_link_by_length(context, settings)?;
        let [link, local, global] =
            written.map(|value| value.map(|value| link_named(context, self.links, value)));
        match (link, local, global) {
            (Some(link), None, None) => link.map(|link| [link; 2]),
            (None, Some(local), Some(global)) => Some([local?, global?]),
            (None, None, None) if self.by_length.is_some() => self.by_length.map(|link| [link; 2]),
            (None, None, None) => match self.links.names.len() {
                0 => None,
                1 => Some([LinkTypeId(0); 2]),
                declared => {
                    let names = &self.links.names;
                    let example = match grouped {
                        true => format!("local = {}; global = {};", names[0], names[1]),
                        false => format!("link = {};", names[0]),
                    };
                    let subject = format!("a link ({declared} are declared)");
                    context.error(missing(&settings.place, &subject, &example, self.name.span));
                    None
                }
            },
            (Some(_), local, _) => {
                let conflicting = if local.is_some() { "local" } else { "global" };
                let help = Some("`link` stands for both; remove it, or the others".to_owned());
                let place = format!("{} with `{conflicting}`", settings.place);
                let span = settings.span("link").unwrap_or(self.name.span);
                context.error(ResolveError::Misplaced { subject: "`link`".to_owned(), place, help, span });
                None
            }
            (None, local, _) => {
                let (has, lacks) = if local.is_some() { ("local", "global") } else { ("global", "local") };
                let example = format!("{lacks} = {};", self.links.names.first().map_or("fiber", |name| name));
                let span = settings.span(has).unwrap_or(self.name.span);
                context.error(missing(&settings.place, &format!("`{lacks}`"), &example, span));
                None
            }
        }
    }

    /// Refuses a setting that names a link where lengths choose the links.
    pub(super) fn refuse_link_by_length(
        &self,
        context: &mut Context,
        settings: &BlockSettings<'_>,
    ) -> Option<()> {
        let named = LINKS.into_iter().chain(["over"]).find(|name| settings.get(name).is_some());
        let (Some(_), Some(name)) = (self.by_length, named) else { return Some(()) };
        let help =
            "the limits in `floor` already choose the link of each cable: remove one of the two".to_owned();
        context.error(ResolveError::Misplaced {
            subject: format!("`{name}`"),
            place: format!("{}, but the `floor` chooses links by length", settings.place),
            help: Some(help),
            span: settings.span_or_head(name),
        });
        None
    }

    /// Refuses a network of too many routers. A family that formulas describe may be larger than one that is
    /// built.
    pub(super) fn check_size(
        &self,
        context: &mut Context,
        routers: Option<u128>,
        arithmetic: &str,
        span: Span,
    ) -> Option<()> {
        let described = Family::DESCRIBED.contains(&&*self.name.value);
        check_router_count(
            context,
            if described { DESCRIBED_ROUTERS } else { ROUTERS },
            routers,
            arithmetic,
            span,
        )
    }

    pub(super) fn no_such_network<T>(
        &self,
        context: &mut Context,
        problem: String,
        help: String,
        span: Span,
    ) -> Option<T> {
        let family = form_words(Family::FORMS)
            .into_iter()
            .find(|known| *known == &*self.name.value)
            .unwrap_or("network");
        context.error(ResolveError::NoSuchNetwork { family, problem, help, span });
        None
    }
}

/// Refuses what has more than `max_routers` routers. `None` stands for more than can be counted.
pub(super) fn check_router_count(
    context: &mut Context,
    max_routers: u64,
    routers: Option<u128>,
    arithmetic: &str,
    span: Span,
) -> Option<()> {
    if routers.is_some_and(|routers| routers <= u128::from(max_routers)) {
        return Some(());
    }
    let count = routers.map_or("more than 2^127 routers".to_owned(), |routers| format!("{routers} routers"));
    let arithmetic = format!("{arithmetic} routers");
    context.error(ResolveError::TooLarge {
        subject: "the network",
        count,
        limit: max_routers,
        help: None,
        span,
        arithmetic,
    });
    None
}
