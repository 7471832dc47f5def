//! Replaces the names of constants by their values.
//!
//! In: the values of all constants. Out: items in which only integer constants of `let` still have names.
//! Invariant: a replaced name takes the span of its value, so that an error points at the declaration, at the
//! `use` that changes it, or at the command line. Whole settings keep their own spans.

use super::constants::{BoundConstants, KnownConstant, bare_name};
use super::errors::BindError;
use super::value::{ConstantValue, NoValue, evaluate};
use crate::syntax::ast::*;
use crate::syntax::eval::names_in;
use crate::syntax::words::{is_by_axis, takes_a_word};
use fabc_base::diag::{Span, Spanned};

/// Settings that name a router, which may also be a number.
const ROUTERS: [&str; 3] = ["root", "from", "to"];

/// Replaces names in items, and collects errors.
pub(super) struct Lower<'a> {
    pub(super) constants: &'a BoundConstants,
    pub(super) errors: Vec<BindError>,
}

impl Lower<'_> {
    pub(super) fn item(&mut self, item: &mut Item) {
        match &mut item.kind {
            ItemKind::Use(_) | ItemKind::Let(_) | ItemKind::Param(_) | ItemKind::Sweep(_) => {}
            ItemKind::Setting(setting) | ItemKind::Collective(setting) => self.setting(setting),
            ItemKind::Require(require) => self.quantity(&mut require.value),
            ItemKind::Slice(_, items) => items.iter_mut().for_each(|item| self.item(item)),
            ItemKind::Ocs(ocs) => {
                let indices: Vec<Text> = ocs.indices.iter().map(|index| index.name.value.clone()).collect();
                for range in ocs.indices.iter_mut().map(|index| &mut index.range).chain(&mut ocs.cubes) {
                    self.expr(&mut range.lo, &[]);
                    self.expr(&mut range.hi, &[]);
                }
                self.block(&mut ocs.block, &indices);
            }
            ItemKind::Boxes(boxes) => {
                self.expr(&mut boxes.count, &[]);
                self.word(&mut boxes.kind);
            }
            ItemKind::Link(_, block)
            | ItemKind::RouterKind(_, block)
            | ItemKind::Box(_, block)
            | ItemKind::Simulate(_, block)
            | ItemKind::Job(_, _, block)
            | ItemKind::Router(block)
            | ItemKind::Chip(block)
            | ItemKind::Cube(block)
            | ItemKind::Budget(block)
            | ItemKind::Failures(block)
            | ItemKind::Floor(block)
            | ItemKind::Addresses(block)
            | ItemKind::Demand(block)
            | ItemKind::Unknown(_, _, block) => self.block(block, &[]),
        }
    }

    fn block(&mut self, block: &mut Block, indices: &[Text]) {
        block.statements.iter_mut().for_each(|statement| self.statement(statement, indices));
    }

    pub(super) fn statement(&mut self, statement: &mut Statement, indices: &[Text]) {
        match &mut statement.kind {
            StatementKind::Setting(setting) | StatementKind::Operation(setting) => self.setting(setting),
            StatementKind::Mesh(mesh) => {
                mesh.dims.iter_mut().for_each(|dim| self.expr(dim, &[]));
                mesh.over.iter_mut().for_each(|over| self.word(over));
            }
            StatementKind::Part(part) => self.part(part),
            StatementKind::Couple(couple) => {
                let ports = match &mut couple.ports {
                    Coupled::Sided(a, b) => vec![a, b],
                    Coupled::AnyOf(listed) => listed.iter_mut().collect(),
                };
                ports
                    .into_iter()
                    .flat_map(|port| &mut port.position)
                    .for_each(|expr| self.expr(expr, indices));
                couple.over.iter_mut().for_each(|over| self.word(over));
            }
            StatementKind::Component(component) => {
                component
                    .groups
                    .iter_mut()
                    .chain([&mut component.weight])
                    .for_each(|expr| self.expr(expr, &[]));
            }
            StatementKind::Level(level) => {
                [&mut level.blocks]
                    .into_iter()
                    .chain(&mut level.joined)
                    .for_each(|expr| self.expr(expr, &[]));
                level.over.iter_mut().for_each(|over| self.word(over));
                level.block.iter_mut().for_each(|block| self.block(block, &[]));
            }
            StatementKind::Inner(inner) => self.inner_block(inner),
            StatementKind::Change(change) => self.block(&mut change.block, &[]),
        }
    }

    /// Replaces names in a block of a job. The settings of axes have any names, and their values are numbers.
    fn inner_block(&mut self, inner: &mut InnerBlock) {
        let by_axis = is_by_axis(&inner.word.value);
        for statement in &mut inner.block.statements {
            match &mut statement.kind {
                StatementKind::Setting(Setting {
                    value: SettingValue { kind: ValueKind::Quantity(quantity), .. },
                    ..
                }) if by_axis => self.quantity(quantity),
                _ => self.statement(statement, &[]),
            }
        }
    }

    fn part(&mut self, part: &mut PartLine) {
        match &mut part.subject {
            PartSubject::All | PartSubject::Listed(..) | PartSubject::Switches(_, None) => {}
            PartSubject::Range(range) => {
                self.expr(&mut range.lo, &[]);
                self.expr(&mut range.hi, &[]);
            }
            PartSubject::Members(members) => members.iter_mut().for_each(|member| self.expr(member, &[])),
            PartSubject::Switches(_, Some(number)) | PartSubject::Count(number) => self.expr(number, &[]),
            PartSubject::Place(index, gpu) => self.expr(gpu, std::slice::from_ref(&index.value)),
        }
        part.over.iter_mut().for_each(|over| self.word(over));
        part.block.iter_mut().for_each(|block| self.block(block, &[]));
    }

    fn setting(&mut self, setting: &mut Setting) {
        let takes_word = takes_a_word(&setting.name.value);
        let names_router = ROUTERS.contains(&&*setting.name.value);
        let replaced = match &mut setting.value.kind {
            ValueKind::Quantity(quantity) => match self.stands_for(quantity, takes_word, names_router) {
                Some(kind) => Some(kind),
                None => {
                    let is_bare_word = bare_name(quantity).is_some() && takes_word;
                    if !is_bare_word {
                        self.quantity(quantity);
                    }
                    None
                }
            },
            ValueKind::Limit(_, quantity) => {
                self.quantity(quantity);
                None
            }
            ValueKind::Steps(steps) => {
                for expr in [&mut steps.first, &mut steps.last, &mut steps.step] {
                    self.number(expr);
                }
                None
            }
            ValueKind::List(items) => {
                for item in items {
                    match self.constants.known.get(&item.value) {
                        Some(KnownConstant {
                            value: ConstantValue::Word(text) | ConstantValue::Text(text),
                            span,
                            ..
                        }) => {
                            *item = Spanned { value: text.clone(), span: *span };
                        }
                        Some(KnownConstant { value: ConstantValue::Integer(number), span, .. }) => {
                            *item = Spanned { value: number.to_string().into(), span: *span };
                        }
                        _ => {}
                    }
                }
                None
            }
            ValueKind::Product(factors) => {
                factors.iter_mut().for_each(|factor| self.expr(factor, &[]));
                None
            }
            ValueKind::Router(_) | ValueKind::Prefix(_) => None,
            ValueKind::Block(kind, block) => {
                self.word(kind);
                self.block(block, &[]);
                None
            }
            ValueKind::Dims(kind, dims, block) => {
                self.word(kind);
                block.iter_mut().for_each(|block| self.block(block, &[]));
                match self.text(dims) {
                    Some(text) => Some(ValueKind::File(kind.clone(), text, block.take())),
                    None => {
                        dims.iter_mut().for_each(|dim| self.expr(dim, &[]));
                        None
                    }
                }
            }
            ValueKind::File(kind, _, block) => {
                self.word(kind);
                block.iter_mut().for_each(|block| self.block(block, &[]));
                None
            }
        };
        if let Some(kind) = replaced {
            setting.value.kind = kind;
        }
    }

    /// The value that a bare name, or a word with a name behind it, stands for if that is a name or a text.
    /// `names_router` allows an integer as well.
    fn stands_for(&self, quantity: &Quantity, takes_word: bool, names_router: bool) -> Option<ValueKind> {
        if let Some(name) = bare_name(quantity) {
            let KnownConstant { value, span, .. } = self.constants.known.get(name)?;
            return match value {
                ConstantValue::Word(_) => Some(ValueKind::Quantity(value.literal(*span)?)),
                ConstantValue::Integer(_) if names_router => Some(ValueKind::Quantity(value.literal(*span)?)),
                ConstantValue::Text(text) if takes_word => {
                    Some(ValueKind::Router(Spanned { value: text.clone(), span: *span }))
                }
                _ => None,
            };
        }
        // `graph live`
        let (ExprKind::Name(word), Some(unit)) = (&quantity.number.kind, &quantity.unit) else { return None };
        let KnownConstant { value: ConstantValue::Text(text), span, .. } =
            self.constants.known.get(&unit.value)?
        else {
            return None;
        };
        let mut word = Spanned { value: word.clone(), span: quantity.number.span };
        self.word(&mut word);
        Some(ValueKind::File(word, Spanned { value: text.clone(), span: *span }, None))
    }

    /// The file that a name stands for in `graph live { .. }`.
    fn text(&self, dims: &[Expr]) -> Option<Name> {
        let [Expr { kind: ExprKind::Name(name), .. }] = dims else { return None };
        match self.constants.known.get(name)? {
            KnownConstant { value: ConstantValue::Text(text), span, .. } => {
                Some(Spanned { value: text.clone(), span: *span })
            }
            _ => None,
        }
    }

    /// Replaces a word that may be a parameter.
    fn word(&self, word: &mut Name) {
        if let Some(KnownConstant { value: ConstantValue::Word(text), span, .. }) =
            self.constants.known.get(&word.value)
        {
            *word = Spanned { value: text.clone(), span: *span };
        }
    }

    /// Replaces names in a number with its unit.
    fn quantity(&mut self, quantity: &mut Quantity) {
        let mut names = Vec::new();
        names_in(&quantity.number, &mut names);
        let mut known = names.iter().filter_map(|(name, _)| self.constants.known.get(*name));
        if let ExprKind::Name(name) = &quantity.number.kind {
            let Some(KnownConstant { value, span, param, .. }) = self.constants.known.get(name) else {
                return;
            };
            // The name of an integer is a number wherever one can stand.
            if matches!(value, ConstantValue::Integer(_)) && !param {
                return;
            }
            match (value.literal(*span), &quantity.unit) {
                (Some(literal), None) => *quantity = literal,
                (Some(Quantity { number, unit: None, .. }), Some(_))
                    if !matches!(value, ConstantValue::Word(_)) =>
                {
                    quantity.number = number
                }
                _ => self.wrong_place(&name.clone(), "a number", quantity.number.span),
            }
            return;
        }
        let decimal = has_decimal(&quantity.number) && matches!(quantity.number.kind, ExprKind::Chain(..));
        if !decimal && known.all(|known| matches!(known.value, ConstantValue::Integer(_))) {
            return;
        }
        if let Some(power) = self.negative_power(quantity) {
            *quantity = power;
            return;
        }
        match evaluate(quantity, self.constants) {
            Ok(value) => {
                if let Some(Quantity { number, unit, .. }) = value.literal(quantity.span) {
                    *quantity = Quantity { number, unit, span: quantity.span };
                }
            }
            Err(NoValue::ReportedElsewhere) => {}
            Err(NoValue::Problem(problem, span)) => {
                let help = "add quantities of the same kind only, and multiply or divide them by plain numbers. Nothing is rounded";
                self.errors.push(BindError::NoValue { subject: "this".to_owned(), problem, help, span });
            }
        }
    }

    /// The value of `-name`, where the name is a power of light: the only quantity that may be negative.
    fn negative_power(&self, quantity: &Quantity) -> Option<Quantity> {
        let ExprKind::Negate(inner) = &quantity.number.kind else { return None };
        let span = quantity.span;
        let positive = Quantity { number: (**inner).clone(), unit: quantity.unit.clone(), span };
        let value = evaluate(&positive, self.constants).ok()?;
        let Quantity { number, unit, .. } = value.literal(span)?;
        let is_power = unit.as_ref().is_some_and(|unit| &*unit.value == "dBm");
        let number = Expr { kind: ExprKind::Negate(Box::new(number)), span };
        is_power.then_some(Quantity { number, unit, span })
    }

    /// Replaces names in a number without a unit, decimal or not.
    fn number(&mut self, expr: &mut Expr) {
        let mut quantity = Quantity { number: expr.clone(), unit: None, span: expr.span };
        self.quantity(&mut quantity);
        match quantity.unit {
            None => *expr = quantity.number,
            Some(_) => {
                let mut names = Vec::new();
                names_in(expr, &mut names);
                let name = names.first().map(|(name, _)| (*name).clone());
                if let Some(name) = name {
                    self.wrong_place(&name, "a number without a unit", expr.span);
                }
            }
        }
    }

    /// Replaces names in an integer expression. `indices` keep their names.
    fn expr(&mut self, expr: &mut Expr, indices: &[Text]) {
        let mut names = Vec::new();
        names_in(expr, &mut names);
        names.retain(|(name, _)| !indices.contains(name));
        let misplaced = names.iter().find(|(name, _)| {
            let known = self.constants.known.get(*name);
            known.is_some_and(|known| !matches!(known.value, ConstantValue::Integer(_)))
        });
        if let Some((name, span)) = misplaced {
            let (name, span) = ((*name).clone(), *span);
            return self.wrong_place(&name, "an integer", span);
        }
        let ExprKind::Name(name) = &expr.kind else { return };
        if let Some(KnownConstant { value, span, param: true, .. }) =
            self.constants.known.get(name).filter(|_| !indices.contains(name))
            && let Some(literal) = value.literal(*span)
        {
            *expr = literal.number;
        }
    }

    fn wrong_place(&mut self, name: &Text, wanted: &'static str, span: Span) {
        let Some(known) = self.constants.known.get(name) else { return };
        let help = match known.value {
            ConstantValue::Quantity(..) => {
                "it has a unit already: write only its name, in the place of a quantity"
            }
            ConstantValue::Word(_) => "a name stands where a word is chosen, such as `routing = way;`",
            ConstantValue::Text(_) => "a text stands where a file is named, such as `graph lab;`",
            _ => "choose another constant, or give this one another value",
        };
        let (name, kind, declared) = (name.to_string(), known.value.kind(), known.declared);
        self.errors.push(BindError::WrongPlace { name, kind, wanted, help, span, declared });
    }
}

/// Whether an expression has a decimal number in it.
pub(super) fn has_decimal(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Integer(_) | ExprKind::Name(_) => false,
        ExprKind::Decimal(_) => true,
        ExprKind::Negate(inner) | ExprKind::Paren(inner) => has_decimal(inner),
        ExprKind::Chain(first, rest) => {
            has_decimal(first) || rest.iter().any(|(_, operand)| has_decimal(operand))
        }
    }
}
