//! The registry of error codes: the one source of `fabc explain` and of `docs/errors.md`.

mod bug;
mod check;
mod commands;
mod doc;
mod estimate;
mod hosts;
mod jobs;
mod language;
mod light;
mod routing;
mod simulation;
mod synthesis;
mod traced;
mod training;

pub use doc::CodeDoc;

/// Every code that fabc can print, ascending.
pub fn codes() -> impl Iterator<Item = &'static CodeDoc> {
    [
        language::CODES,
        hosts::CODES,
        light::OF_FILES,
        synthesis::CODES,
        light::OF_LINKS,
        routing::CODES,
        check::CODES,
        commands::CODES,
        estimate::CODES,
        jobs::CODES,
        simulation::CODES,
        training::CODES,
        traced::CODES,
        bug::CODES,
    ]
    .into_iter()
    .flatten()
}

/// The entry of a code, if there is one. Case does not matter.
pub fn explain(code: &str) -> Option<&'static CodeDoc> {
    codes().find(|doc| doc.code.eq_ignore_ascii_case(code))
}

/// The text of `docs/errors.md`: every code with its page.
pub fn errors_markdown() -> String {
    let mut page =
        "# Errors\n\nWritten by `UPDATE_DOCS=1 cargo test --test it language` from the registry that `fabc explain` reads; do not edit.\n"
            .to_owned();
    for CodeDoc { code, title, text } in codes() {
        page.push_str(&format!("\n## {code}: {title}\n{}\n", text.trim()));
    }
    page
}
