//! Commands of GitHub workflows: `::error file=pod.fab,line=3,col=5,title=FAB0101::what is wrong`.

use super::{Region, labels, region, severity};
use crate::show::excerpt::shortened;
use fabc_base::diag::SourceMap;
use miette::Diagnostic;

/// The command for a diagnostic, with the help after the message. A command has one place only. Hence related
/// diagnostics and further labels become lines of the message.
pub fn command(diagnostic: &dyn Diagnostic, sources: &SourceMap) -> String {
    let word = match severity(diagnostic) {
        "advice" => "notice",
        word => word,
    };
    let mut properties = Vec::new();
    let labels = labels(diagnostic);
    let place = labels.first().and_then(|label| region(label, sources));
    if let Some(Region { file, start: [line, column], end: [end_line, end_column] }) = place {
        properties.push(format!("file={},line={line},endLine={end_line}", property(file)));
        // Columns only make sense for a label within one line.
        if line == end_line {
            properties.push(format!("col={column},endColumn={}", end_column.max(column)));
        }
    }
    properties.extend(diagnostic.code().map(|code| format!("title={}", property(&code.to_string()))));
    let mut text = shortened(&diagnostic.to_string());
    for label in labels.iter().filter(|label| label.label().is_some_and(|text| !text.is_empty())) {
        let place = region(label, sources).map_or(String::new(), |place| {
            format!("{}:{}:{}: ", shortened(place.file), place.start[0], place.start[1])
        });
        text += &format!("\n{place}{}", shortened(label.label().unwrap_or_default()));
    }
    text += &diagnostic
        .help()
        .map(|help| format!("\nhelp: {}", shortened(&help.to_string())))
        .unwrap_or_default();
    for related in diagnostic.related().into_iter().flatten() {
        text += &format!("\n{}", shortened(&related.to_string()));
    }
    let space = if properties.is_empty() { "" } else { " " };
    format!("::{word}{space}{}::{}", properties.join(","), escaped(&text))
}

/// The command for a text that is no diagnostic.
pub fn notice(text: &str) -> String {
    format!("::notice::{}", escaped(text))
}

/// Escapes a message. The runner reads one line, and unescapes what begins with `%`.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property, which would end at a comma or two colons.
fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}
