//! A square of colored cells with a number in each, as an HTML table: who cannot see the colors reads the
//! numbers.

use crate::json::push;
use crate::svg::escape;

/// Color steps of a scale.
pub(super) const STEPS: usize = 6;

/// What to show.
pub(super) struct Grid {
    pub(super) caption: String,
    /// CSS classes beside its own.
    pub(super) class: &'static str,
    /// Where rows or columns are the items that the reader can pick out: `both`, or `columns`.
    pub(super) items: Option<&'static str>,
    pub(super) columns: Vec<String>,
    /// A heading and the cells; `None` where there is nothing.
    pub(super) rows: Vec<(String, Vec<Option<Cell>>)>,
}

/// A cell.
pub(super) struct Cell {
    /// CSS classes and, for colors of no scale, the style.
    pub(super) class: String,
    pub(super) style: String,
    pub(super) text: String,
    /// What hovering says.
    pub(super) title: String,
    /// The id on this page that it leads to.
    pub(super) to: Option<String>,
}

impl Cell {
    /// A cell of a scale, such as `h3`.
    pub(super) fn of_scale(scale: char, step: usize, text: String, title: String) -> Self {
        Self { class: format!("{scale}{step}"), style: String::new(), text, title, to: None }
    }
}

/// The step of a value on a scale from the least to the largest one; the third where all are alike.
pub(super) fn step(value: f64, [low, high]: [f64; 2]) -> usize {
    if high <= low {
        return 2;
    }
    (((value - low) / (high - low) * STEPS as f64) as usize).min(STEPS - 1)
}

/// The least and the largest of some values.
pub(super) fn range(values: impl Iterator<Item = f64>) -> [f64; 2] {
    values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| [low.min(value), high.max(value)])
}

/// The grid as a `<table>`.
pub(super) fn html(grid: &Grid) -> String {
    let items = grid.items.map_or(String::new(), |items| format!(" data-items=\"{items}\""));
    let mut out = format!("<table class=\"cells {}\"{items}>", grid.class);
    if !grid.caption.is_empty() {
        push(&mut out, format_args!("<caption>{}</caption>", escape(&grid.caption)));
    }
    out.push_str("<thead><tr><td></td>");
    for column in &grid.columns {
        push(&mut out, format_args!("<th scope=\"col\">{}</th>", escape(column)));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for (row, cells) in &grid.rows {
        push(&mut out, format_args!("<tr><th scope=\"row\">{}</th>", escape(row)));
        for cell in cells {
            let Some(Cell { class, style, text, title, to }) = cell else {
                out.push_str("<td class=\"none\"></td>");
                continue;
            };
            let style = if style.is_empty() { String::new() } else { format!(" style=\"{style}\"") };
            push(&mut out, format_args!("<td class=\"{class}\"{style} title=\"{}\">", escape(title)));
            match to {
                Some(to) => push(&mut out, format_args!("<a href=\"#{to}\">{}</a></td>", escape(text))),
                None => push(&mut out, format_args!("{}</td>", escape(text))),
            }
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table>");
    out
}
