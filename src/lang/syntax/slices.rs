//! Fabrics that are divided into slices, as specs: what they are made of, and every kind of slice as a spec
//! of its own.
//!
//! Comes in: a spec that was bound. Goes out: specs without slices, whose places are those of the spec that
//! they come from, so that errors of a kind point at the line that is wrong.

use super::ast::*;
use fabc_base::diag::{Span, Spanned};

/// What a slice says for itself, or takes from its fabric.
pub const OF_SLICES: [&str; 7] =
    ["budget", "demand", "topology", "routing", "simulate", "collective", "require"];

/// How many slices there are, and how large they are.
const SIZES: [&str; 3] = ["cubes", "count", "spare"];

/// A slice as it is declared.
#[derive(Clone, Copy)]
pub struct SliceItem<'a> {
    /// Its name.
    pub name: &'a Name,
    /// What stands in it.
    pub items: &'a [Item],
    /// All of it.
    pub span: Span,
}

impl Spec {
    /// The slices that a spec declares, in its order.
    pub fn slices(&self) -> impl Iterator<Item = SliceItem<'_>> {
        self.items().into_iter().filter_map(|item| match &item.kind {
            ItemKind::Slice(name, items) => Some(SliceItem { name, items, span: item.span }),
            _ => None,
        })
    }
}

/// The fabric that is divided, for what it is made of: its cubes and switches. What slices say themselves is
/// left out, and any topology stands in its place.
pub fn divided(spec: &Spec) -> Spec {
    let head = spec.fabric().head;
    let chosen = |name: &str, word: &str| {
        let [name, word] = [name, word].map(|text| Spanned { value: Text::from(text), span: head });
        let value =
            Value { kind: ValueKind::Block(word, Block { statements: Vec::new(), span: head }), span: head };
        Item { kind: ItemKind::Setting(Setting { name, value }), span: head }
    };
    let left_out = |item: &&Item| {
        let word = item.kind.keyword();
        !OF_SLICES.contains(&word) && !["slice", "spare", "floor"].contains(&word)
    };
    let items = spec.items().into_iter().filter(left_out).cloned();
    let items = items.chain([chosen("topology", "synthesize"), chosen("routing", "allowed_turns")]).collect();
    with_items(spec, spec.fabric().name.clone(), items)
}

/// A kind of slice: the fabric with as many cubes, whose switches serve them all; `serves` says which groups
/// of switches do. The slice's own items stand in the place of those that it takes otherwise.
pub fn kind(spec: &Spec, slice: SliceItem<'_>, serves: &dyn Fn(&str) -> bool) -> Spec {
    let own: Vec<&str> = slice.items.iter().map(|item| item.kind.keyword()).collect();
    let taken = |item: &&Item| match &item.kind {
        ItemKind::Slice(..) | ItemKind::Floor(_) => false,
        ItemKind::Ocs(ocs) => serves(&ocs.name.value),
        kind => {
            !(SIZES.contains(&kind.keyword())
                || OF_SLICES.contains(&kind.keyword()) && own.contains(&kind.keyword()))
        }
    };
    let mut items: Vec<Item> = spec.items().into_iter().filter(taken).cloned().collect();
    for item in &mut items {
        if let ItemKind::Ocs(ocs) = &mut item.kind {
            ocs.cubes = None;
        }
    }
    items.extend(slice.items.iter().filter(|item| item.kind.keyword() != "count").cloned());
    let fabric = &spec.fabric().name;
    let name =
        Spanned { value: Text::from(kind_name(&fabric.value, &slice.name.value)), span: slice.name.span };
    with_items(spec, name, items)
}

/// The name of the fabric that a kind of slice is.
pub fn kind_name(fabric: &str, kind: &str) -> String {
    format!("{fabric}_{kind}")
}

/// The same files with nothing in them but these items, in the fabric.
fn with_items(spec: &Spec, name: Name, items: Vec<Item>) -> Spec {
    let mut files = spec.files.clone();
    files.iter_mut().for_each(|file| file.entries.clear());
    let Fabric { head, span, .. } = *spec.fabric();
    files[0].entries.push(Entry::Fabric(Fabric { name, items, head, span }));
    Spec { files, given: Vec::new() }
}
