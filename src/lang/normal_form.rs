//! The text of a spec that is written beside what is built.

use crate::syntax::{ast, normalize, parse, with_design, with_inputs};
use fabc_model::Fabric;

/// The normal form of a spec that is written beside what is built: with the design that a goal chose.
pub fn normal_form(fabric: &Fabric, spec: &ast::Spec) -> ast::Spec {
    let normal = with_inputs(normalize(spec));
    match fabric.family() {
        Some(family) => with_design(normal, &family.written()),
        None => normal,
    }
}

/// Parses the text of a normal form, as [`SliceKind`](fabc_model::SliceKind) has it.
///
/// # Panics
/// If the text is not one that `fabc` printed.
pub fn parse_normal_form(text: &str) -> ast::Spec {
    parse("spec.fab", &|_: &str| Ok(text.to_owned())).0.expect("a printed normal form is valid syntax")
}
