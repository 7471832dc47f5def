//! Collects the names that a spec uses, wherever a constant or a link could be meant.
//!
//! In: a spec. Out: every name in an expression, a value or an `over`, each once.

use super::ast::*;
use super::eval::names_in;
use std::collections::BTreeSet;

/// Every name that a spec uses.
pub fn used_names(spec: &Spec) -> BTreeSet<Text> {
    let mut used = Used::default();
    spec.items().into_iter().for_each(|item| used.item(item));
    spec.uses().filter_map(|(_, used)| used.changes.as_ref()).for_each(|changes| used.block(changes));
    used.0
}

#[derive(Default)]
struct Used(BTreeSet<Text>);

impl Used {
    fn item(&mut self, item: &Item) {
        match &item.kind {
            ItemKind::Use(_) => {}
            ItemKind::Let(constant) => self.constant(&constant.value),
            ItemKind::Param(param) => {
                self.constant(&param.value);
                if let Some(Among::Range(low, high, _)) = &param.among {
                    [low, high].into_iter().for_each(|end| self.expr(&end.number));
                }
            }
            ItemKind::Sweep(parameters) => {
                for value in parameters.iter().flat_map(|swept| &swept.values) {
                    if let SweptValue::One(value) = value {
                        self.constant(value);
                    }
                }
            }
            ItemKind::Setting(setting) | ItemKind::Collective(setting) => self.value(&setting.value.kind),
            ItemKind::Require(require) => self.expr(&require.value.number),
            ItemKind::Slice(_, items) => items.iter().for_each(|item| self.item(item)),
            ItemKind::Ocs(ocs) => {
                ocs.indices.iter().map(|index| &index.range).chain(&ocs.cubes).for_each(|range| {
                    self.expr(&range.lo);
                    self.expr(&range.hi);
                });
                self.block(&ocs.block);
            }
            ItemKind::Boxes(boxes) => {
                self.expr(&boxes.count);
                self.0.insert(boxes.kind.value.clone());
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
            | ItemKind::Unknown(_, _, block) => self.block(block),
        }
    }

    fn block(&mut self, block: &Block) {
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Setting(setting) | StatementKind::Operation(setting) => {
                    self.value(&setting.value.kind)
                }
                StatementKind::Mesh(mesh) => {
                    mesh.dims.iter().for_each(|dim| self.expr(dim));
                    self.0.extend(mesh.over.as_ref().map(|over| over.value.clone()));
                }
                StatementKind::Part(part) => self.part(part),
                StatementKind::Couple(couple) => {
                    let ports = match &couple.ports {
                        Coupled::Sided(a, b) => vec![a, b],
                        Coupled::AnyOf(listed) => listed.iter().collect(),
                    };
                    ports.into_iter().flat_map(|port| &port.position).for_each(|expr| self.expr(expr));
                    self.0.extend(couple.over.as_ref().map(|over| over.value.clone()));
                }
                StatementKind::Component(component) => {
                    component.groups.iter().chain([&component.weight]).for_each(|expr| self.expr(expr));
                }
                StatementKind::Level(level) => {
                    [&level.blocks].into_iter().chain(&level.joined).for_each(|expr| self.expr(expr));
                    self.0.extend(level.over.as_ref().map(|over| over.value.clone()));
                    level.block.iter().for_each(|block| self.block(block));
                }
                StatementKind::Inner(inner) => self.block(&inner.block),
                StatementKind::Change(change) => self.block(&change.block),
            }
        }
    }

    fn part(&mut self, part: &PartLine) {
        match &part.subject {
            PartSubject::All | PartSubject::Listed(..) | PartSubject::Switches(_, None) => {}
            PartSubject::Range(range) => [&range.lo, &range.hi].into_iter().for_each(|end| self.expr(end)),
            PartSubject::Members(members) => members.iter().for_each(|member| self.expr(member)),
            PartSubject::Switches(_, Some(number))
            | PartSubject::Count(number)
            | PartSubject::Place(_, number) => self.expr(number),
        }
        self.0.extend(part.over.as_ref().map(|over| over.value.clone()));
        part.block.iter().for_each(|block| self.block(block));
    }

    fn value(&mut self, value: &ValueKind) {
        match value {
            ValueKind::Quantity(quantity) | ValueKind::Limit(_, quantity) => {
                self.expr(&quantity.number);
                // In `graph live`, the name of the file reads as a unit.
                self.0.extend(quantity.unit.as_ref().map(|unit| unit.value.clone()));
            }
            ValueKind::Steps(Steps { first, last, step }) => {
                [first, last, step].into_iter().for_each(|expr| self.expr(expr))
            }
            ValueKind::Product(factors) => factors.iter().for_each(|factor| self.expr(factor)),
            ValueKind::List(items) => self.0.extend(items.iter().map(|item| item.value.clone())),
            ValueKind::Router(_) | ValueKind::Prefix(_) => {}
            ValueKind::Block(kind, block) => {
                self.0.insert(kind.value.clone());
                self.block(block);
            }
            ValueKind::Dims(kind, dims, block) => {
                self.0.insert(kind.value.clone());
                dims.iter().for_each(|dim| self.expr(dim));
                block.iter().for_each(|block| self.block(block));
            }
            ValueKind::File(kind, _, block) => {
                self.0.insert(kind.value.clone());
                block.iter().for_each(|block| self.block(block));
            }
        }
    }

    fn constant(&mut self, constant: &Constant) {
        if let ConstantKind::Quantity(quantity) = &constant.kind {
            self.expr(&quantity.number);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        let mut names = Vec::new();
        names_in(expr, &mut names);
        self.0.extend(names.into_iter().map(|(name, _)| name.clone()));
    }
}
