//! Warns of declarations that a spec does not need: FAB0151 and FAB0152.
//!
//! In: a spec that resolved, and its fabric. Out: warnings in source order. Only the spec's own file is
//! checked, because a file of shared parts declares more than each of its specs needs.

use crate::syntax::ast::{FileEntry, Item, ItemKind, OcsItem, Spec, StatementKind};
use crate::syntax::slices::{SLICE_ITEMS, SliceItem};
use crate::syntax::used_names;
use fabc_base::diag::Span;
use fabc_model::{Fabric, ports_needed};
use miette::Diagnostic;
use thiserror::Error;

/// A legal declaration that is most likely not what was meant.
#[derive(Clone, PartialEq, Debug, Error, Diagnostic)]
#[allow(missing_docs)] // the message of every variant is its documentation
pub enum Warning {
    #[error("{subject} `{name}` is not used")]
    #[diagnostic(code(FAB0151), severity(warning), help("{help}"))]
    Unused {
        subject: &'static str,
        name: String,
        help: &'static str,
        #[label("declared, but never used")]
        span: Span,
    },

    #[error("the {subject} of the fabric is not used: every slice has its own")]
    #[diagnostic(
        code(FAB0151),
        severity(warning),
        help("remove it here, or remove it from a slice that should use this one")
    )]
    InAllSlices {
        subject: &'static str,
        #[label("no slice uses it")]
        span: Span,
    },

    #[error("ocs `{ocs}` has {ports} ports per side, and {needed} would do")]
    #[diagnostic(
        code(FAB0152),
        severity(warning),
        help("real switches have some hundreds of ports. Is there a digit too many?")
    )]
    ManyPorts {
        ocs: String,
        ports: u32,
        needed: u64,
        #[label("far more than the cubes need")]
        span: Span,
    },
}

/// A number of ports that no switch on the market has.
const PORTS: u32 = 1024;

/// More than this many times the needed ports are too many.
const TIMES: u64 = 8;

/// The warnings of a spec, in source order.
pub fn warnings(spec: &Spec, fabric: &Fabric) -> Vec<Warning> {
    let mut used = used_names(spec);
    if let fabc_model::Plant::Network(network) = &fabric.plant {
        // The edges of a file also name links, and the only link needs no name.
        used.extend(
            network.links_in_use().into_iter().map(|link| fabric.link_types[link].name.as_str().into()),
        );
    }
    let by_length = fabric
        .floor
        .iter()
        .filter_map(|floor| floor.by_length.as_ref())
        .flat_map(fabc_model::ByLength::links);
    used.extend(by_length.map(|link| fabric.link_types[link].name.as_str().into()));
    let own_items = spec.files[0].entries.iter().flat_map(|entry| match entry {
        FileEntry::Fabric(fabric) => &fabric.items[..],
        FileEntry::Item(item) => std::slice::from_ref(item),
    });
    let warning = |item: &Item| match &item.kind {
        ItemKind::Let(constant) if !used.contains(&constant.name.value) => {
            let (name, span) = (constant.name.value.to_string(), constant.name.span);
            Some(Warning::Unused {
                subject: "the constant",
                name,
                help: "remove it, or write its name where it belongs",
                span,
            })
        }
        ItemKind::Param(param) if !used.contains(&param.name.value) => {
            let (name, span) = (param.name.value.to_string(), param.name.span);
            let help = "setting it changes nothing: remove it, or write its name where it belongs";
            Some(Warning::Unused { subject: "the parameter", name, help, span })
        }
        ItemKind::Link(name, _) if !used.contains(&name.value) => {
            let help = "remove it, or say where it is used: `over` in a pod, `link`, `local` or `global` in a network";
            Some(Warning::Unused { subject: "the link", name: name.value.to_string(), help, span: name.span })
        }
        ItemKind::Ocs(ocs) => many_ports(ocs, fabric),
        kind => in_all_slices(kind.keyword(), spec)
            .map(|subject| Warning::InAllSlices { subject, span: item.span }),
    };
    own_items.filter_map(warning).collect()
}

/// Returns the word of an item that slices take from their fabric, if every slice has its own.
fn in_all_slices(word: &str, spec: &Spec) -> Option<&'static str> {
    let subject = SLICE_ITEMS.into_iter().find(|known| *known == word)?;
    let has_own = |slice: SliceItem<'_>| slice.items.iter().any(|item| item.kind.keyword() == word);
    (spec.slices().next().is_some() && spec.slices().all(has_own)).then_some(subject)
}

/// Warns of a group whose switches have far more ports than they need.
fn many_ports(item: &OcsItem, fabric: &Fabric) -> Option<Warning> {
    let pod = fabric.pod()?;
    let group = pod.ocs_groups.iter().position(|group| group.name == *item.name.value)?;
    let ocs = pod.ocses.iter().find(|ocs| fabc_base::ids::Id::index(ocs.group) == group)?;
    let needed = ports_needed(ocs.rule, ocs.duplex, [ocs.a.len() as u64, ocs.b.len() as u64]);
    let setting = item.block.statements.iter().find_map(|statement| match &statement.kind {
        StatementKind::Setting(setting) if &*setting.name.value == "ports" => {
            Some(setting.name.span.to(setting.value.span))
        }
        _ => None,
    });
    let many = ocs.ports > PORTS && u64::from(ocs.ports) > TIMES * needed;
    many.then(|| Warning::ManyPorts {
        ocs: item.name.value.to_string(),
        ports: ocs.ports,
        needed,
        span: setting.unwrap_or(item.name.span),
    })
}
