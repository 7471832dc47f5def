//! The entry of one code.

/// What `fabc explain` says about one code.
#[derive(Clone, Copy, Debug)]
pub struct CodeDoc {
    /// The code, as it is printed: `FABnnnn`.
    pub code: &'static str,
    /// The title, one line without a full stop.
    pub title: &'static str,
    /// A few paragraphs of Markdown: what the error means, why it is one, how to repair it.
    pub text: &'static str,
}
