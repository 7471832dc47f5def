//! Wraps sentences into lines.

/// Wraps text into lines of at most 100 columns, indented by two.
pub(super) fn wrap_text(text: &str) -> String {
    let (mut out, mut line) = (String::new(), String::from(" "));
    for word in text.split(' ') {
        if line.chars().count() + 1 + word.chars().count() > 100 {
            out += &line;
            out.push('\n');
            line = String::from(" ");
        }
        line.push(' ');
        line += word;
    }
    out + &line + "\n"
}
