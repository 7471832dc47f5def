//! Splits a spec with slices into specs without slices.
//!
//! In: a bound spec. Out: the spec of the divided fabric, and a spec for every kind of slice. Spans are those
//! of the original spec, so that errors of a kind point at the right line.

use super::ast::*;
use fabc_base::diag::{Span, Spanned};

/// Items that a slice has itself, or else takes from its fabric.
pub const SLICE_ITEMS: [&str; 7] =
    ["budget", "demand", "topology", "routing", "simulate", "collective", "require"];

/// Settings for the number and the size of slices.
const SIZES: [&str; 3] = ["cubes", "count", "spare"];

/// The settings that name a file for all cubes of the pod.
const OF_ALL_CUBES: [&str; 2] = ["hosts", "losses"];

/// The light of links and switches, which is judged for the whole pod. A kind may have any cubes.
const LIGHT: [&str; 7] =
    ["transmit", "sensitivity", "loss", "length", "connectors", "connector_loss", "margin"];

/// A slice as it is declared.
#[derive(Clone, Copy)]
pub struct SliceItem<'a> {
    /// The name of the slice.
    pub name: &'a Name,
    /// The items of the slice.
    pub items: &'a [Item],
    /// The span of the whole slice.
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

/// Returns the spec of the divided fabric, which has only its cubes and switches. Items of slices are left
/// out, and a default topology stands in for theirs.
pub fn divided_fabric(spec: &Spec) -> Spec {
    let head = spec.fabric().head;
    let chosen = |name: &str, word: &str| {
        let [name, word] = [name, word].map(|text| Spanned { value: Text::from(text), span: head });
        let value = SettingValue {
            kind: ValueKind::Block(word, Block { statements: Vec::new(), span: head }),
            span: head,
        };
        Item { kind: ItemKind::Setting(Setting { name, value }), span: head }
    };
    let left_out = |item: &&Item| {
        let word = item.kind.keyword();
        !SLICE_ITEMS.contains(&word) && !["slice", "spare", "floor", "job"].contains(&word)
    };
    let items = spec.items().into_iter().filter(left_out).cloned();
    let items = items.chain([chosen("topology", "synthesize"), chosen("routing", "allowed_turns")]).collect();
    with_items(spec, spec.fabric().name.clone(), items)
}

/// Returns the spec of a kind of slice: a fabric with the cubes of one slice, whose switches serve all of
/// them. `serves` selects the groups of switches. Items of the slice replace those of the fabric.
pub fn kind_spec(spec: &Spec, slice: SliceItem<'_>, serves: &dyn Fn(&str) -> bool) -> Spec {
    let own_words: Vec<&str> = slice.items.iter().map(|item| item.kind.keyword()).collect();
    let is_taken = |item: &&Item| match &item.kind {
        ItemKind::Slice(..) | ItemKind::Floor(_) | ItemKind::Job(..) => false,
        ItemKind::Ocs(ocs) => serves(&ocs.name.value),
        kind => {
            !(SIZES.contains(&kind.keyword())
                || OF_ALL_CUBES.contains(&kind.keyword())
                || SLICE_ITEMS.contains(&kind.keyword()) && own_words.contains(&kind.keyword()))
        }
    };
    let mut items: Vec<Item> = spec.items().into_iter().filter(is_taken).cloned().collect();
    for item in &mut items {
        if let ItemKind::Ocs(ocs) = &mut item.kind {
            ocs.cubes = None;
        }
        if let ItemKind::Ocs(OcsItem { block, .. }) | ItemKind::Link(_, block) = &mut item.kind {
            block.statements.retain(|statement| !LIGHT.contains(&statement.kind.keyword()));
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

/// The same files with only these items, all of them in the fabric.
fn with_items(spec: &Spec, name: Name, items: Vec<Item>) -> Spec {
    let mut files = spec.files.clone();
    files.iter_mut().for_each(|file| file.entries.clear());
    let FabricItem { head, span, .. } = *spec.fabric();
    files[0].entries.push(FileEntry::Fabric(FabricItem { name, items, head, span }));
    Spec { files, given: Vec::new() }
}
