//! The language: text to spanned syntax and back.
