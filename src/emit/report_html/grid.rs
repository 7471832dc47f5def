//! Grids of colored cells with numbers, as HTML tables. Readers who cannot see the colors read the numbers.

use crate::json::push;
use crate::svg::escape;

/// Number of color steps of a scale.
pub(super) const STEPS: usize = 6;

/// The contents of a grid.
pub(super) struct TableGrid {
    pub(super) caption: String,
    pub(super) class: &'static str,
    /// Whether the reader can pick out items: by `columns`.
    pub(super) items: Option<&'static str>,
    pub(super) columns: Vec<String>,
    /// Heading and cells of every row; `None` for an empty cell.
    pub(super) rows: Vec<(String, Vec<Option<GridCell>>)>,
}

/// One cell of a grid.
pub(super) struct GridCell {
    /// CSS classes of the cell. Colors outside a scale stand in `style`.
    pub(super) class: String,
    pub(super) style: String,
    pub(super) text: String,
    pub(super) title: String,
    /// The id on this page that the cell links to.
    pub(super) to: Option<String>,
}

impl GridCell {
    /// A cell with a color of a scale, such as `h3`.
    pub(super) fn of_scale(scale: char, step: usize, text: String, title: String) -> Self {
        Self { class: format!("{scale}{step}"), style: String::new(), text, title, to: None }
    }
}

/// The color step of a value between the smallest and the largest one. It is the third step if both are
/// equal.
pub(super) fn step(value: f64, scale: [f64; 2]) -> usize {
    let [low, high] = scale;
    if high <= low {
        return 2;
    }
    (((value - low) / (high - low) * STEPS as f64) as usize).min(STEPS - 1)
}

/// The smallest and the largest of some values.
pub(super) fn range(values: impl Iterator<Item = f64>) -> [f64; 2] {
    values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| [low.min(value), high.max(value)])
}

/// The grid as a `<table>` element.
pub(super) fn grid_table(grid: &TableGrid) -> String {
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
            let Some(GridCell { class, style, text, title, to }) = cell else {
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
