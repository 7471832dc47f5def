//! A generated spec as a value: its lines as a tree, and the files beside it.
//!
//! The tree knows nothing of the language but blocks and lines. That is enough to print a spec, and to make
//! it smaller: lines are dropped, numbers are lowered, files are cut.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// A line with its `;`, or a block with the lines inside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Item {
    /// The text before the `;` or the block.
    pub(crate) head: String,
    pub(crate) block: Option<Vec<Item>>,
}

impl Item {
    pub(crate) fn line(head: impl Into<String>) -> Self {
        Item { head: head.into(), block: None }
    }

    pub(crate) fn block(head: impl Into<String>, inner: Vec<Item>) -> Self {
        Item { head: head.into(), block: Some(inner) }
    }

    /// A block, or a line where nothing stands inside.
    pub(crate) fn plain_if_empty(head: impl Into<String>, inner: Vec<Item>) -> Self {
        if inner.is_empty() { Item::line(head) } else { Item::block(head, inner) }
    }

    fn print(&self, depth: usize, text: &mut String) {
        let indent = "    ".repeat(depth);
        match &self.block {
            None => {
                let _ = writeln!(text, "{indent}{};", self.head);
            }
            Some(inner) if inner.is_empty() => {
                let _ = writeln!(text, "{indent}{} {{ }}", self.head);
            }
            Some(inner) => {
                let _ = writeln!(text, "{indent}{} {{", self.head);
                inner.iter().for_each(|item| item.print(depth + 1, text));
                let _ = writeln!(text, "{indent}}}");
            }
        }
    }
}

/// A file beside the spec.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Data {
    /// A file with a demand matrix.
    Matrix(Vec<Vec<u32>>),
    /// Lines that mean something each: edges, messages.
    Lines(Vec<String>),
    /// Items of a part that the spec uses.
    Part(Vec<Item>),
    /// A file with the cross-connects of every switch.
    Switches(Vec<Switch>),
}

/// The cross-connects of a switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Switch {
    pub(crate) name: String,
    /// Ports of side A and of side B. Without sides all are on side A.
    pub(crate) a: Vec<String>,
    pub(crate) b: Vec<String>,
    /// Pairs of places in these lists.
    pub(crate) joined: Vec<(usize, usize)>,
}

impl Switch {
    fn print(&self) -> String {
        let list =
            |ports: &[String]| ports.iter().map(|port| format!("\"{port}\"")).collect::<Vec<_>>().join(",");
        let joined = self.joined.iter().map(|(a, b)| format!("[{a},{b}]")).collect::<Vec<_>>().join(",");
        let (name, a, b) = (&self.name, list(&self.a), list(&self.b));
        format!("{{\"name\":\"{name}\",\"a\":[{a}],\"b\":[{b}],\"cross_connects\":[{joined}]}}")
    }
}

impl Data {
    /// The text of the file, or of a large matrix what is not 0.
    fn shown(&self) -> String {
        let Data::Matrix(rows) = self else { return self.print() };
        let weights = rows
            .iter()
            .enumerate()
            .flat_map(|(from, row)| row.iter().enumerate().map(move |(to, weight)| (from, to, *weight)));
        let lit: Vec<String> = weights
            .filter(|(.., weight)| *weight > 0)
            .map(|(from, to, weight)| format!("line {from} column {to}: {weight}\n"))
            .collect();
        if rows.len() <= 12 || lit.len() > 40 {
            return self.print();
        }
        format!("{0} lines of {0} numbers, 0 but (counted from 0):\n{1}", rows.len(), lit.concat())
    }

    fn print(&self) -> String {
        match self {
            Data::Matrix(rows) => {
                let line =
                    |row: &Vec<u32>| row.iter().map(u32::to_string).collect::<Vec<_>>().join(",") + "\n";
                rows.iter().map(line).collect()
            }
            Data::Lines(lines) => lines.iter().map(|line| format!("{line}\n")).collect(),
            Data::Part(items) => print_items(items, 0),
            Data::Switches(switches) => {
                let switches_text = switches.iter().map(Switch::print).collect::<Vec<_>>().join(",\n");
                format!("{{\"format\":\"fabc.ocs/1\",\"ocs\":[{switches_text}]}}\n")
            }
        }
    }
}

/// A property of a spec that is counted: a dimension and a value.
pub(crate) type Trait = (&'static str, String);

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Spec {
    pub(crate) number: u64,
    /// The row of the table of coverage.
    pub(crate) plant: &'static str,
    /// The items that stand before `fabric`.
    pub(crate) outside: Vec<Item>,
    pub(crate) items: Vec<Item>,
    pub(crate) files: BTreeMap<String, Data>,
    pub(crate) traits: BTreeSet<Trait>,
}

impl Spec {
    pub(crate) fn new(number: u64, plant: &'static str) -> Self {
        Spec {
            number,
            plant,
            outside: Vec::new(),
            items: Vec::new(),
            files: BTreeMap::new(),
            traits: BTreeSet::new(),
        }
    }

    pub(crate) fn note(&mut self, dimension: &'static str, value: impl Into<String>) {
        self.traits.insert((dimension, value.into()));
    }

    pub(crate) fn has(&self, dimension: &str, value: &str) -> bool {
        self.traits.iter().any(|(name, known)| *name == dimension && known == value)
    }

    /// The text of the spec itself.
    pub(crate) fn text(&self) -> String {
        let mut text = print_items(&self.outside, 0);
        Item::block("fabric generated", self.items.clone()).print(0, &mut text);
        text
    }

    /// Writes the spec and its files.
    pub(crate) fn write(&self, directory: &Path) -> std::io::Result<()> {
        std::fs::write(directory.join("spec.fab"), self.text())?;
        for (name, data) in &self.files {
            std::fs::write(directory.join(name), data.print())?;
        }
        Ok(())
    }

    /// Everything that is written, for people.
    pub(crate) fn shown(&self) -> String {
        let file = |(name, data): (&String, &Data)| format!("--- {name}\n{}", data.shown());
        format!("--- spec.fab\n{}{}", self.text(), self.files.iter().map(file).collect::<String>())
    }
}

fn print_items(items: &[Item], depth: usize) -> String {
    let mut text = String::new();
    items.iter().for_each(|item| item.print(depth, &mut text));
    text
}
