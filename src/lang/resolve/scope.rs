//! What the items of a fabric refer to: its links, and the files beside it.

use super::context::{Context, missing};
use super::settings::{word, wrong_kind};
use crate::FileError;
use crate::ResolveError;
use crate::syntax::ast::{self, Name, SettingValue};
use crate::syntax::{Loader, join};
use fabc_base::diag::{Span, suggestion};
use fabc_base::ids::{Id, LinkTypeId};
use fabc_model::LinkType;

/// What all items of a fabric are resolved against.
pub(super) struct Scope<'a> {
    /// The span of the words `fabric name`.
    pub(super) head: Span,
    pub(super) clock: Option<u64>,
    pub(super) links: &'a DeclaredLinks,
    pub(super) spec_path: &'a str,
    pub(super) loader: &'a dyn Loader,
}

/// The declared links, sorted by name. The type is `None` where the declaration is broken.
pub(super) struct DeclaredLinks {
    pub(super) names: Vec<ast::Text>,
    pub(super) types: Vec<Option<LinkType>>,
}

impl DeclaredLinks {
    /// Finds the link that an `over` names.
    pub(super) fn find(
        &self,
        context: &mut Context,
        place: &str,
        over: Option<&Name>,
        statement: Span,
    ) -> Option<LinkTypeId> {
        let names = || self.names.iter().map(|name| &**name);
        let Some(over) = over else {
            let example = format!("over {}", names().next().unwrap_or("fiber"));
            context.error(missing(place, "its link", &example, statement));
            return None;
        };
        if let Ok(index) = self.names.binary_search(&over.value) {
            return Some(LinkTypeId::new(index));
        }
        self.report_unknown(context, over);
        None
    }

    /// The link that an `over` names. Without one, the only declared link.
    pub(super) fn find_or_only(
        &self,
        context: &mut Context,
        place: &str,
        over: Option<&Name>,
        statement: Span,
    ) -> Option<LinkTypeId> {
        match (over, self.names.len()) {
            // A fabric without links was reported.
            (None, 0) => None,
            (None, 1) => Some(LinkTypeId(0)),
            (over, _) => self.find(context, place, over, statement),
        }
    }

    /// Reports a link that is not declared.
    fn report_unknown(&self, context: &mut Context, name: &Name) {
        if context.enough_errors() || context.links_in_doubt {
            return;
        }
        let help = suggestion(&name.value, self.names.iter().map(|name| &**name));
        context.error_once(ResolveError::UnknownName {
            subject: "link",
            name: name.value.to_string(),
            help,
            span: name.span,
        });
    }
}

/// Finds the declared link that a setting names.
pub(super) fn link_named(
    context: &mut Context,
    links: &DeclaredLinks,
    value: &SettingValue,
) -> Option<LinkTypeId> {
    let names = || links.names.iter().map(|name| &**name);
    let Some(name) = word(value) else {
        context.error(wrong_kind("a link", "a name", names().next().unwrap_or("fiber"), value.span));
        return None;
    };
    let link = names().position(|known| known == &*name.value).map(LinkTypeId::new);
    if link.is_none() {
        links.report_unknown(context, &name);
    }
    link
}

/// Reads a file that the spec names, of at most `max_bytes` bytes. Returns its path as written, and its text.
pub(super) fn read_file(
    context: &mut Context,
    path: &Name,
    scope: &Scope<'_>,
    max_bytes: u64,
) -> Option<(String, String)> {
    let written = path.value.to_string();
    match scope.loader.load(&join(scope.spec_path, &written), max_bytes) {
        Ok(text) => Some((written, text)),
        Err(reason) => {
            context.error(FileError::FileUnreadable { path: written, reason, span: path.span }.into());
            None
        }
    }
}
