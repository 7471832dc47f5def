//! The hosts of a fabric by name, as a file lists them for schedulers and launchers.

use fabc_base::diag::Span;
use fabc_base::ids::NodeId;

/// The hosts that `hosts = map ".."` names.
#[derive(Clone, Debug)]
pub struct HostMap {
    /// The text of the file, of which a built directory has a copy.
    pub text: String,
    /// The hosts, in the order of their first lines. Every endpoint has exactly one host.
    pub hosts: Vec<MappedHost>,
    /// The place of `hosts = ..` in the spec.
    pub span: Span,
}

/// A host with its endpoints.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MappedHost {
    /// The name that schedulers know.
    pub name: String,
    /// The routers of its endpoints, ascending. A router with several hosts stands in each of them.
    pub routers: Vec<NodeId>,
}

/// The reason why launchers and schedulers do not take the name of a host. `None` if they take it.
pub fn host_name_problem(name: &str) -> Option<&'static str> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    if !name.starts_with(|letter: char| letter.is_ascii_alphanumeric()) {
        return Some("a name begins with a letter or digit");
    }
    if !name.chars().all(plain) {
        return Some("a name has letters, digits, `-`, `_` and `.`");
    }
    let is_number = name.split('.').next().is_some_and(|label| label.chars().all(|l| l.is_ascii_digit()));
    is_number.then_some("launchers take a name of digits alone for a number")
}

/// The part of a host's name by which launchers tell hosts apart: up to the first dot, in small letters.
pub fn host_label(name: &str) -> String {
    name.split('.').next().unwrap_or_default().to_ascii_lowercase()
}
