//! Commands of GitHub workflows: `::error file=pod.fab,line=3,col=5,title=FAB0101::what is wrong`.

use super::{Region, labels, region, severity};
use crate::show::excerpt::shortened;
use fabc_base::diag::SourceMap;
use miette::Diagnostic;

/// The line of a diagnostic, its help behind the message; what is related to it, and its other labels, become
/// lines of the message, since a command has one place.
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
        // Columns are taken of labels in one line only.
        if line == end_line {
            properties.push(format!("col={column},endColumn={}", end_column.max(column)));
        }
    }
    properties.extend(diagnostic.code().map(|code| format!("title={}", property(&code.to_string()))));
    let mut text = shortened(&diagnostic.to_string());
    for label in labels.iter().filter(|label| label.label().is_some_and(|told| !told.is_empty())) {
        let at = region(label, sources)
            .map_or(String::new(), |at| format!("{}:{}:{}: ", shortened(at.file), at.start[0], at.start[1]));
        text += &format!("\n{at}{}", shortened(label.label().unwrap_or_default()));
    }
    text += &diagnostic
        .help()
        .map(|help| format!("\nhelp: {}", shortened(&help.to_string())))
        .unwrap_or_default();
    for one in diagnostic.related().into_iter().flatten() {
        text += &format!("\n{}", shortened(&one.to_string()));
    }
    let space = if properties.is_empty() { "" } else { " " };
    format!("::{word}{space}{}::{}", properties.join(","), escaped(&text))
}

/// The line of what is no diagnostic.
pub fn notice(text: &str) -> String {
    format!("::notice::{}", escaped(text))
}

/// A message: the runner reads a line, and `%` begins what it puts back.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property, which ends with a comma or two colons.
fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}
