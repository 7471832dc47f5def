//! The moving picture of the README: a session that was really run, as an animated SVG.
//! `UPDATE_DOCS=1 cargo test --test it moving_picture` makes it anew.

use crate::support::plain::fabc;
use std::fmt::Write;
use std::path::Path;

/// The commands of the session, and how many lines of each output are shown.
const SESSION: [(&str, usize); 4] = [
    ("fabc build small_cubes.fab", 12),
    ("fabc verify out/small_cubes", 2),
    ("fabc repair out/small_cubes --down X[0,0] --down cube0[0,0,0].+x --out repaired", 3),
    ("fabc verify out/small_cubes --repair repaired", 1),
];

const COLUMNS: usize = 92;
const LINE: usize = 19;

/// A line of the picture, and when it appears.
struct ShownLine {
    text: String,
    is_command: bool,
    tenths: usize,
}

/// The lines of the session as the commands print them, without times.
fn session(place: &Path) -> Vec<ShownLine> {
    let (mut lines, mut tenths) = (Vec::new(), 3);
    for (command, count) in SESSION {
        let words: Vec<&str> = command.split(' ').skip(1).collect();
        let (out, _) = fabc(place, &words, 0);
        lines.push(ShownLine { text: format!("$ {command}"), is_command: true, tenths });
        tenths += 8;
        let shown = out.lines().filter(|line| !line.trim().is_empty()).take(count);
        for line in shown {
            let line = line.split(" in ").next().filter(|_| line.starts_with("wrote")).unwrap_or(line);
            for text in wrapped(line) {
                lines.push(ShownLine { text, is_command: false, tenths });
                tenths += 2;
            }
        }
        tenths += 8;
    }
    lines
}

/// A line in pieces of at most [`COLUMNS`] columns, the later ones indented.
fn wrapped(line: &str) -> Vec<String> {
    if line.chars().count() <= COLUMNS {
        return vec![line.to_owned()];
    }
    let indent = &line[..line.len() - line.trim_start().len()];
    let mut pieces = vec![indent.to_owned()];
    for word in line.split_whitespace() {
        let last = pieces.last_mut().unwrap();
        if last.chars().count() + word.chars().count() < COLUMNS {
            *last += &format!("{}{word}", if last.trim().is_empty() { "" } else { " " });
        } else {
            pieces.push(format!("    {word}"));
        }
    }
    pieces
}

fn picture(lines: &[ShownLine]) -> String {
    let (width, height) = (COLUMNS * 8 + 32, lines.len() * LINE + 32);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n\
         <title>A build, its verification, a repair and its verification</title>\n\
         <style>text{{font:13px ui-monospace,monospace;fill:#d6deeb;white-space:pre;opacity:0;animation:show .01s forwards}}\
         .c{{fill:#7fdbca}}@keyframes show{{to{{opacity:1}}}}\
         @media(prefers-reduced-motion:reduce){{text{{opacity:1;animation:none}}}}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#0b1826\"/>\n"
    );
    for (index, line) in lines.iter().enumerate() {
        let text = line.text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let class = if line.is_command { " class=\"c\"" } else { "" };
        let (y, seconds) = (28 + index * LINE, line.tenths as f64 / 10.0);
        writeln!(svg, "<text x=\"16\" y=\"{y}\"{class} style=\"animation-delay:{seconds}s\">{text}</text>")
            .unwrap();
    }
    svg + "</svg>\n"
}

#[test]
fn the_moving_picture_shows_what_the_commands_print() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let place = tempfile::tempdir().unwrap();
    std::fs::copy(root.join("specs/small_cubes.fab"), place.path().join("small_cubes.fab")).unwrap();
    let made = picture(&session(place.path()));
    let path = root.join("docs/images/session.svg");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let shown = std::fs::read_to_string(&path).unwrap();
    assert_eq!(shown, made, "UPDATE_DOCS=1 cargo test --test it moving_picture makes it anew");
    assert!(roxmltree::Document::parse(&made).is_ok() && made.len() < 12_000);
}
