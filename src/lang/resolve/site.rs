//! What the items of a fabric are resolved against: the links that it declares, and the files beside it.

use super::context::{Context, missing};
use super::settings::{word, wrong_kind};
use crate::ResolveError;
use crate::syntax::ast::{self, Name, Value};
use crate::syntax::{Loader, join};
use fabc_base::diag::{Span, suggestion};
use fabc_base::ids::{Id, LinkTypeId};
use fabc_model::LinkType;

/// What all items of a fabric are resolved against.
pub(super) struct Site<'a> {
    /// `fabric name`.
    pub(super) head: Span,
    pub(super) clock: Option<u64>,
    pub(super) links: &'a Links,
    pub(super) spec_path: &'a str,
    pub(super) loader: &'a dyn Loader,
}

/// The links as declared: sorted by name, `None` where the declaration is broken.
pub(super) struct Links {
    pub(super) names: Vec<ast::Text>,
    pub(super) types: Vec<Option<LinkType>>,
}

impl Links {
    /// The link that an `over` names.
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
        self.unknown(context, over);
        None
    }

    /// Complains about a link that is not declared.
    fn unknown(&self, context: &mut Context, name: &Name) {
        if context.enough() || context.links_in_doubt {
            return;
        }
        let help = suggestion(&name.value, self.names.iter().map(|name| &**name));
        context.once(ResolveError::UnknownName {
            what: "link",
            name: name.value.to_string(),
            help,
            span: name.span,
        });
    }
}

/// The declared link that a setting names.
pub(super) fn link_named(context: &mut Context, links: &Links, value: &Value) -> Option<LinkTypeId> {
    let names = || links.names.iter().map(|name| &**name);
    let Some(name) = word(value) else {
        context.error(wrong_kind("a link", "a name", names().next().unwrap_or("fiber"), value.span));
        return None;
    };
    let found = names().position(|known| known == &*name.value).map(LinkTypeId::new);
    if found.is_none() {
        links.unknown(context, &name);
    }
    found
}

/// The path as written and the text of a file that the spec names, of at most so many bytes.
pub(super) fn file(
    context: &mut Context,
    path: &Name,
    site: &Site<'_>,
    most: u64,
) -> Option<(String, String)> {
    let written = path.value.to_string();
    match site.loader.load(&join(site.spec_path, &written), most) {
        Ok(text) => Some((written, text)),
        Err(reason) => {
            context.error(ResolveError::FileUnreadable { path: written, reason, span: path.span });
            None
        }
    }
}
