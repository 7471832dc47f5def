//! The normal form of a spec: one text for all specs that mean the same by the same words.
//!
//! In: a parsed spec. Out: a spec of one file with every `use` inlined, every `let` and `param` evaluated,
//! items and settings in a fixed order, quantities in one spelling, and no comments. Invariants: the order of
//! the input items does not matter, but that of requires is kept for people. The normal form means the same
//! as the input, and is its own normal form. Errors of the input remain errors.

use super::ast::*;
use super::bind::bind;
use super::eval::Constants;
use super::inputs::items_of;
use super::load::parse;
use super::print::one_line;
use super::words::{AXES, FIELDS, field_rank, is_by_axis, item_rank, takes_a_word};
use fabc_base::diag::{Span, Spanned};
use fabc_base::units::{Decimal, Dimension, UNITS, unit};
use std::borrow::Cow;

/// Returns the normal form of a spec.
pub fn normalize(spec: &Spec) -> Spec {
    let spec = &bind(spec).spec;
    let normal = Normal { constants: Constants::of_spec(spec) };
    let fabric = spec.fabric();
    let kept = spec
        .items()
        .into_iter()
        .filter(|item| !matches!(item.kind, ItemKind::Let(_) | ItemKind::Param(_) | ItemKind::Sweep(_)));
    let items = normal.items(kept);
    let fabric = FabricItem { name: fabric.name.clone(), items, head: fabric.head, span: fabric.span };
    let path = spec.files[0].path.clone();
    let file = SpecFile {
        path,
        entries: vec![FileEntry::Fabric(fabric)],
        comments: Vec::new(),
        layout: FileLayout::Canonical,
    };
    Spec { files: vec![file], given: Vec::new() }
}

/// Replaces the goal of a topology by the design that it chose. A goal has a `radix`. `written` is the design
/// without its links.
pub fn with_design(mut normal: Spec, written: &str) -> Spec {
    for setting in settings_of(&mut normal).filter(|setting| &*setting.name.value == "topology") {
        let ValueKind::Block(_, goal) = &setting.value.kind else { continue };
        let named = |statement: &Statement, names: &[&str]| names.contains(&statement.kind.keyword());
        if !goal.statements.iter().any(|statement| named(statement, &["radix"])) {
            continue;
        }
        // Settings that the goal does not choose stay.
        let kept = goal
            .statements
            .iter()
            .filter(|statement| !named(statement, &["radix", "routers", "dimensions", "diameter"]))
            .cloned();
        let kept: Vec<Statement> = kept.collect();
        let span = goal.span;
        let Some(mut design) = topology(written) else { continue };
        let block = match &mut design.kind {
            ValueKind::Block(_, block) => Some(block),
            ValueKind::Dims(_, _, block) if !kept.is_empty() => {
                Some(block.get_or_insert(Block { statements: Vec::new(), span }))
            }
            _ => None,
        };
        if let Some(block) = block {
            block.statements.retain(|statement| {
                !kept.iter().any(|kept_statement| kept_statement.kind.keyword() == statement.kind.keyword())
            });
            block.statements.extend(kept);
            block.statements.sort_by_key(|statement| field_rank(statement.kind.keyword()));
        }
        setting.value = design;
    }
    normal
}

/// Parses the text of a topology.
fn topology(written: &str) -> Option<SettingValue> {
    let text = format!("fabric design {{ topology = {written}; }}");
    let parsed = parse("design", &|_: &str| Ok(text.clone())).0.ok()?;
    parsed.items().into_iter().find_map(|item| match &item.kind {
        ItemKind::Setting(setting) => Some(setting.value.clone()),
        _ => None,
    })
}

/// The settings among the items.
fn settings_of(spec: &mut Spec) -> impl Iterator<Item = &mut Setting> {
    items_of(spec).filter_map(|item| match &mut item.kind {
        ItemKind::Setting(setting) => Some(setting),
        _ => None,
    })
}

/// The position of a require among those of a fabric, whatever their order in the spec: plain metrics before
/// `fault.` ones, then by name, comparison and value.
pub fn require_order(metric: &str, comparison: &str, value: &str) -> (bool, String, String, usize, String) {
    let whole_digits = value.find(['.', ' ']).unwrap_or(value.len());
    (metric.starts_with("fault."), metric.to_owned(), comparison.to_owned(), whole_digits, value.to_owned())
}

type ItemKey = (usize, (bool, String, String, usize, String), String);

fn item_key(item: &Item) -> ItemKey {
    let mut order = require_order("", "", "");
    let name = match &item.kind {
        ItemKind::Link(name, _)
        | ItemKind::RouterKind(name, _)
        | ItemKind::Box(name, _)
        | ItemKind::Simulate(name, _)
        | ItemKind::Job(name, ..)
        | ItemKind::Slice(name, _) => name.value.to_string(),
        ItemKind::Collective(setting) => setting.name.value.to_string(),
        ItemKind::Ocs(ocs) => ocs.name.value.to_string(),
        _ => String::new(),
    };
    order.1 = format!("{name}{}", order.1);
    // Boxes stay in the order in which they are placed, and requires in the order in which people read them.
    if matches!(item.kind, ItemKind::Boxes(_) | ItemKind::Require(_)) {
        return (item_rank(item.kind.keyword()), order, String::new());
    }
    (item_rank(item.kind.keyword()), order, one_line(item))
}

/// Sorts components by the size of their groups, the whole pod last.
fn component_key(component: &ComponentStatement) -> String {
    match &component.groups {
        Some(Expr { kind: ExprKind::Integer(digits), .. }) => format!("all_to_all {:>20}", &**digits),
        Some(_) => "all_to_all ~".to_owned(),
        None => "all_to_all ~~".to_owned(),
    }
}

struct Normal {
    constants: Constants,
}

impl Normal {
    fn items<'a>(&self, items: impl IntoIterator<Item = &'a Item>) -> Vec<Item> {
        let mut items: Vec<Item> = items.into_iter().map(|item| self.item(item)).collect();
        items.sort_by_cached_key(item_key);
        items
    }

    fn item(&self, item: &Item) -> Item {
        let kind = match &item.kind {
            ItemKind::Use(_) | ItemKind::Let(_) | ItemKind::Param(_) | ItemKind::Sweep(_) => {
                item.kind.clone()
            }
            ItemKind::Setting(setting) => ItemKind::Setting(self.setting(setting)),
            ItemKind::Link(name, block) => ItemKind::Link(name.clone(), self.block(block, &[])),
            ItemKind::Router(block) => ItemKind::Router(self.block(block, &[])),
            ItemKind::RouterKind(name, block) => ItemKind::RouterKind(name.clone(), self.block(block, &[])),
            ItemKind::Box(name, block) => ItemKind::Box(name.clone(), self.block(block, &[])),
            ItemKind::Boxes(boxes) => {
                ItemKind::Boxes(BoxesItem { count: self.expr(&boxes.count, &[]), kind: boxes.kind.clone() })
            }
            ItemKind::Chip(block) => ItemKind::Chip(self.block(block, &[])),
            ItemKind::Cube(block) => ItemKind::Cube(self.block(block, &[])),
            ItemKind::Budget(block) => ItemKind::Budget(self.block(block, &[])),
            ItemKind::Floor(block) => ItemKind::Floor(self.block(block, &[])),
            ItemKind::Failures(block) => ItemKind::Failures(self.block(block, &[])),
            ItemKind::Addresses(block) => ItemKind::Addresses(self.block(block, &[])),
            ItemKind::Demand(block) => ItemKind::Demand(self.block(block, &[])),
            ItemKind::Simulate(name, block) => ItemKind::Simulate(name.clone(), self.block(block, &[])),
            ItemKind::Collective(setting) => ItemKind::Collective(self.setting(setting)),
            ItemKind::Job(name, source, block) => {
                ItemKind::Job(name.clone(), source.clone(), self.block(block, &[]))
            }
            ItemKind::Ocs(ocs) => {
                let names: Vec<Text> = ocs.indices.iter().map(|index| index.name.value.clone()).collect();
                let indices = ocs
                    .indices
                    .iter()
                    .map(|index| Index { name: index.name.clone(), range: self.range(&index.range) });
                ItemKind::Ocs(OcsItem {
                    name: ocs.name.clone(),
                    indices: indices.collect(),
                    cubes: ocs.cubes.as_ref().map(|cubes| self.range(cubes)),
                    block: self.block(&ocs.block, &names),
                })
            }
            ItemKind::Require(require) => {
                let metric = Spanned { value: metric(&require.metric.value), span: require.metric.span };
                ItemKind::Require(RequireItem {
                    metric,
                    value: self.quantity(&require.value),
                    ..require.clone()
                })
            }
            ItemKind::Slice(name, items) => ItemKind::Slice(name.clone(), self.items(items)),
            ItemKind::Unknown(keyword, name, block) => {
                ItemKind::Unknown(keyword.clone(), name.clone(), self.block(block, &[]))
            }
        };
        Item { kind, span: item.span }
    }

    fn block(&self, block: &Block, indices: &[Text]) -> Block {
        let written = block.statements.iter().flat_map(|statement| match &statement.kind {
            StatementKind::Part(part) => joined_pairs(part, statement),
            _ => vec![Cow::Borrowed(statement)],
        });
        let lines = written.map(|statement| {
            let kind = match &statement.kind {
                StatementKind::Setting(setting) => StatementKind::Setting(self.setting(setting)),
                StatementKind::Mesh(mesh) => {
                    let dims = mesh.dims.iter().map(|dim| self.expr(dim, &[])).collect();
                    StatementKind::Mesh(MeshStatement { dims, over: mesh.over.clone() })
                }
                StatementKind::Part(part) => StatementKind::Part(self.part(part)),
                StatementKind::Couple(couple) => {
                    let port = |port: &CoupledPort| CoupledPort {
                        position: port.position.iter().map(|expr| self.expr(expr, indices)).collect(),
                        ..port.clone()
                    };
                    let ports = match &couple.ports {
                        Coupled::Sided(a, b) => Coupled::Sided(port(a), port(b)),
                        Coupled::AnyOf(listed) => Coupled::AnyOf(listed.iter().map(port).collect()),
                    };
                    StatementKind::Couple(Couple { ports, over: couple.over.clone() })
                }
                StatementKind::Component(component) => {
                    let groups = component.groups.as_ref().map(|size| self.expr(size, &[]));
                    StatementKind::Component(ComponentStatement {
                        groups,
                        weight: self.expr(&component.weight, &[]),
                    })
                }
                StatementKind::Level(level) => StatementKind::Level(LevelStatement {
                    blocks: self.expr(&level.blocks, &[]),
                    joined: level.joined.as_ref().map(|joined| self.expr(joined, &[])),
                    over: level.over.clone(),
                    block: level.block.as_ref().map(|block| self.block(block, &[])),
                }),
                StatementKind::Operation(setting) => StatementKind::Operation(self.setting(setting)),
                StatementKind::Inner(inner) => StatementKind::Inner(self.inner_block(inner)),
                StatementKind::Change(_) => statement.kind.clone(),
            };
            Statement { kind, span: statement.span }
        });
        let mut statements: Vec<Statement> = lines.collect();
        // A stable sort: levels stay as they are, from the inside out.
        statements.sort_by_cached_key(|statement| {
            let name = statement.kind.keyword();
            match &statement.kind {
                StatementKind::Component(component) => (FIELDS.len(), component_key(component)),
                // Phases and operations stay in the order in which they are written.
                StatementKind::Operation(_) | StatementKind::Inner(InnerBlock { name: Some(_), .. }) => {
                    (field_rank("phase"), String::new())
                }
                _ => (field_rank(name), name.to_owned()),
            }
        });
        Block { statements, span: block.span }
    }

    /// Normalizes a block of a job. The order of axes matters, and the settings of axes have any names.
    fn inner_block(&self, inner: &InnerBlock) -> InnerBlock {
        let mut block = inner.block.clone();
        if is_by_axis(&inner.word.value) {
            for statement in &mut block.statements {
                if let StatementKind::Setting(Setting {
                    value: SettingValue { kind: ValueKind::Quantity(quantity), .. },
                    ..
                }) = &mut statement.kind
                {
                    *quantity = self.quantity(quantity);
                }
            }
            if &*inner.word.value != AXES {
                block.statements.sort_by_cached_key(|statement| statement.kind.keyword().to_owned());
            }
        } else {
            block = self.block(&block, &[]);
        }
        InnerBlock { block, ..inner.clone() }
    }

    fn part(&self, part: &PartLine) -> PartLine {
        let number = |written: &Expr| self.expr(written, &[]);
        let subject = match &part.subject {
            PartSubject::All => PartSubject::All,
            PartSubject::Listed(path, pairs) => PartSubject::Listed(path.clone(), pairs.clone()),
            PartSubject::Range(range) => PartSubject::Range(self.range(range)),
            PartSubject::Members(members) => PartSubject::Members(members.iter().map(number).collect()),
            PartSubject::Switches(name, copies) => {
                PartSubject::Switches(name.clone(), copies.as_ref().map(number))
            }
            PartSubject::Count(count) => PartSubject::Count(number(count)),
            PartSubject::Place(index, gpu) => {
                PartSubject::Place(index.clone(), self.expr(gpu, std::slice::from_ref(&index.value)))
            }
        };
        let block = part.block.as_ref().map(|block| self.block(block, &[]));
        PartLine { subject, block, ..part.clone() }
    }

    fn setting(&self, setting: &Setting) -> Setting {
        let kind = match &setting.value.kind {
            ValueKind::Quantity(_) if takes_a_word(&setting.name.value) => setting.value.kind.clone(),
            ValueKind::Quantity(value) => ValueKind::Quantity(self.quantity(value)),
            ValueKind::Steps(steps) => {
                let [first, last, step] =
                    [&steps.first, &steps.last, &steps.step].map(|expr| self.number(expr));
                ValueKind::Steps(Steps { first, last, step })
            }
            ValueKind::Product(factors) => {
                ValueKind::Product(factors.iter().map(|factor| self.expr(factor, &[])).collect())
            }
            ValueKind::List(_) | ValueKind::Router(_) | ValueKind::Prefix(_) => setting.value.kind.clone(),
            ValueKind::Limit(comparison, value) => ValueKind::Limit(comparison.clone(), self.quantity(value)),
            ValueKind::Block(kind, block) => ValueKind::Block(kind.clone(), self.block(block, &[])),
            ValueKind::Dims(kind, dims, block) => {
                let dims = dims.iter().map(|dim| self.expr(dim, &[])).collect();
                ValueKind::Dims(kind.clone(), dims, block.as_ref().map(|block| self.block(block, &[])))
            }
            ValueKind::File(kind, path, block) => ValueKind::File(
                kind.clone(),
                path.clone(),
                block.as_ref().map(|block| self.block(block, &[])),
            ),
        };
        Setting { name: setting.name.clone(), value: SettingValue { kind, span: setting.value.span } }
    }

    fn range(&self, range: &IndexRange) -> IndexRange {
        IndexRange { lo: self.expr(&range.lo, &[]), hi: self.expr(&range.hi, &[]), span: range.span }
    }

    /// Normalizes a number without a unit.
    fn number(&self, expr: &Expr) -> Expr {
        self.quantity(&Quantity { number: expr.clone(), unit: None, span: expr.span }).number
    }

    /// Returns the number as an exact decimal, in the canonical unit of its dimension.
    fn quantity(&self, written: &Quantity) -> Quantity {
        let number = self.expr(&written.number, &[]);
        let digits = match &number.kind {
            ExprKind::Integer(text) | ExprKind::Decimal(text) => Decimal::parse(text),
            _ => None,
        };
        let Some(digits) = digits else { return Quantity { number, ..written.clone() } };
        let (digits, unit) = match &written.unit {
            None => (digits, None),
            Some(name) => {
                let (digits, canonical) = canonical(digits, &name.value);
                (digits, Some(Spanned { value: canonical.into(), span: name.span }))
            }
        };
        let text: Text = digits.to_string().into();
        let kind = if text.contains('.') { ExprKind::Decimal(text) } else { ExprKind::Integer(text) };
        Quantity { number: Expr { kind, span: number.span }, unit, span: written.span }
    }

    /// Evaluates an expression as far as possible. Without indices, the result is a number.
    fn expr(&self, written: &Expr, indices: &[Text]) -> Expr {
        if !mentions(written, indices)
            && let Ok(value) = self.constants.eval(written, &[])
        {
            let number =
                Expr { kind: ExprKind::Integer(value.unsigned_abs().to_string().into()), span: written.span };
            return if value < 0 {
                Expr { kind: ExprKind::Negate(Box::new(number)), span: written.span }
            } else {
                number
            };
        }
        let kind = match &written.kind {
            ExprKind::Integer(_) | ExprKind::Decimal(_) | ExprKind::Name(_) => written.kind.clone(),
            ExprKind::Negate(inner) => ExprKind::Negate(Box::new(self.expr(inner, indices))),
            ExprKind::Paren(inner) => match self.expr(inner, indices) {
                inner @ Expr {
                    kind: ExprKind::Integer(_) | ExprKind::Name(_) | ExprKind::Paren(_), ..
                } => inner.kind,
                inner => ExprKind::Paren(Box::new(inner)),
            },
            ExprKind::Chain(first, rest) => {
                // The operands before the first index make one number: `side - 1 - v` becomes `1 - v`.
                let fixed = if mentions(first, indices) {
                    0
                } else {
                    rest.iter().take_while(|(_, operand)| !mentions(operand, indices)).count()
                };
                // An expression without an index that could not be evaluated stays as it is.
                let fixed = if fixed == rest.len() { 0 } else { fixed };
                let (fixed, rest) = rest.split_at(fixed);
                let first = match fixed {
                    [] => self.expr(first, indices),
                    _ => self.expr(
                        &Expr { kind: ExprKind::Chain(first.clone(), fixed.to_vec()), span: written.span },
                        &[],
                    ),
                };
                let rest =
                    rest.iter().map(|(operator, operand)| (*operator, self.expr(operand, indices))).collect();
                ExprKind::Chain(Box::new(first), rest)
            }
        };
        Expr { kind, span: written.span }
    }
}

/// Shortens the number in a metric: `latency(0.50)` becomes `latency(0.5)`.
fn metric(written: &Text) -> Text {
    let parts = written.strip_suffix(')').and_then(|written| written.split_once('('));
    let short = parts.and_then(|(name, number)| Some(format!("{name}({})", Decimal::parse(number)?)));
    short.map_or_else(|| written.clone(), Text::from)
}

/// Whether an expression uses an index.
fn mentions(expr: &Expr, indices: &[Text]) -> bool {
    match &expr.kind {
        ExprKind::Integer(_) | ExprKind::Decimal(_) => false,
        ExprKind::Name(name) => indices.contains(name),
        ExprKind::Negate(inner) | ExprKind::Paren(inner) => mentions(inner, indices),
        ExprKind::Chain(first, rest) => {
            mentions(first, indices) || rest.iter().any(|(_, operand)| mentions(operand, indices))
        }
    }
}

/// Converts a quantity to the canonical unit of its dimension, if that is exact.
fn canonical(digits: Decimal, name: &str) -> (Decimal, &str) {
    let converted = unit(name).filter(|unit| unit.dimension != Dimension::Things).and_then(|from| {
        let to = UNITS.iter().find(|to| to.dimension == from.dimension)?;
        Some((Decimal::ratio(digits.times(from.factor)?, to.factor)?, to.name))
    });
    converted.unwrap_or((digits, name))
}

/// The lines that mean the same as a line of a box, without a file: `links "dgx1.csv" over link;` joins the
/// pairs that its file lists.
fn joined_pairs<'a>(part: &PartLine, statement: &'a Statement) -> Vec<Cow<'a, Statement>> {
    let PartSubject::Listed(path, pairs) = &part.subject else { return vec![Cow::Borrowed(statement)] };
    let span = path.span;
    let number = |value: u32| Expr { kind: ExprKind::Integer(value.to_string().into()), span };
    let join = |pair: &ListedPair| {
        let block = (pair.copies > 1).then(|| copies_block(number(pair.copies), span));
        let word = Spanned { value: "join".into(), span: part.word.span };
        let subject = PartSubject::Members([pair.first, pair.second].map(number).to_vec());
        let kind = StatementKind::Part(PartLine { word, subject, over: part.over.clone(), block });
        Cow::Owned(Statement { kind, span: statement.span })
    };
    pairs.iter().map(join).collect()
}

/// The block `{ copies = n; }`.
fn copies_block(copies: Expr, span: Span) -> Block {
    let name = Spanned { value: "copies".into(), span };
    let kind = ValueKind::Quantity(Quantity { number: copies, unit: None, span });
    let setting = Setting { name, value: SettingValue { kind, span } };
    Block { statements: vec![Statement { kind: StatementKind::Setting(setting), span }], span }
}
