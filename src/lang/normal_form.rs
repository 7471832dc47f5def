//! The normal form of a spec, which a build writes beside its outputs.

use crate::syntax::{ast, normalize, parse, with_design, with_inputs};
use fabc_model::Fabric;

/// The normal form of a spec, as a build writes it. The design that a goal chose replaces the goal.
pub fn normal_form(fabric: &Fabric, spec: &ast::Spec) -> ast::Spec {
    let normal = with_inputs(normalize(spec));
    match fabric.family() {
        Some(family) => with_design(normal, &family.written()),
        None => normal,
    }
}

/// Parses the text of a normal form, such as that of a [`SliceKind`](fabc_model::SliceKind).
///
/// # Panics
/// If `fabc` did not print the text.
pub fn parse_normal_form(text: &str) -> ast::Spec {
    parse("spec.fab", &|_: &str| Ok(text.to_owned())).0.expect("a printed normal form is valid syntax")
}
