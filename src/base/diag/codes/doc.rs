//! The entry of one code.

/// What `fabc explain` says about one code.
#[derive(Clone, Copy, Debug)]
pub struct CodeDoc {
    /// `FABnnnn`.
    pub code: &'static str,
    /// One line.
    pub title: &'static str,
    /// A few paragraphs of Markdown: what it means, why it is an error, how to mend it.
    pub text: &'static str,
}
