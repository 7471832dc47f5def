//! Source shape: what was written and where, nothing resolved.
//!
//! Comes in: nothing but the parser (or [`super::normalize()`]). Goes out: what `resolve` and the formatter
//! read. Invariants: every span lies in the file it was read from; nesting is bounded by the parser, so
//! recursion over a value is safe.

mod constant;
mod expr;

pub use constant::{Among, Constant, ConstantKind, Given, Let, Param, Swept, SweptValue};
pub use expr::{Expr, ExprKind, Name, Operator, Quantity, Text};

use fabc_base::diag::Span;

/// A spec: its own file first, then every file it uses, each once.
#[derive(Clone, PartialEq, Debug)]
pub struct Spec {
    /// `files[0]` is the spec; a [`Use`] points at the others.
    pub files: Vec<File>,
    /// What the command line sets.
    pub given: Vec<Given>,
}

/// One file.
#[derive(Clone, PartialEq, Debug)]
pub struct File {
    /// Path as the loader knows it.
    pub path: String,
    /// What stands in it.
    pub entries: Vec<Entry>,
    /// Its comments, in source order.
    pub comments: Vec<Comment>,
    /// How blank lines are placed when it is printed.
    pub layout: Layout,
}

/// Where the printer takes blank lines from.
#[derive(Clone, PartialEq, Debug)]
pub enum Layout {
    /// From the source: offsets of the first byte of every line.
    Source(Vec<u32>),
    /// One between items of different kinds.
    Canonical,
}

/// A comment, with its `//` or `/* */`.
#[derive(Clone, PartialEq, Debug)]
pub struct Comment {
    /// The text as written.
    pub text: Text,
    /// Where.
    pub span: Span,
}

/// Something at the top of a file.
#[derive(Clone, PartialEq, Debug)]
pub enum Entry {
    /// `fabric name { .. }`.
    Fabric(Fabric),
    /// An item outside `fabric`; counts as if it stood inside.
    Item(Item),
}

/// `fabric name { .. }`.
#[derive(Clone, PartialEq, Debug)]
pub struct Fabric {
    /// Its name.
    pub name: Name,
    /// What it declares.
    pub items: Vec<Item>,
    /// `fabric name`.
    pub head: Span,
    /// All of it.
    pub span: Span,
}

/// A declaration.
#[derive(Clone, PartialEq, Debug)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// All of it, with its `;` or `}`.
    pub span: Span,
}

/// The kinds of declarations.
#[derive(Clone, PartialEq, Debug)]
pub enum ItemKind {
    /// `use "file";`, `use "file" { .. }`
    Use(Use),
    /// `let name = value;`
    Let(Let),
    /// `param name = value in range;`
    Param(Param),
    /// `sweep { name = values; .. }`
    Sweep(Vec<Swept>),
    /// `clock = ..;`, `cubes = ..;`, `demand = ..;`, `topology = ..;`, `routing = ..;`
    Setting(Setting),
    /// `link name { .. }`
    Link(Name, Block),
    /// `router { .. }`
    Router(Block),
    /// `chip { .. }`
    Chip(Block),
    /// `cube { .. }`
    Cube(Block),
    /// `ocs name[..] for cubes .. { .. }`
    Ocs(OcsItem),
    /// `budget { .. }`
    Budget(Block),
    /// `failures { .. }`
    Failures(Block),
    /// `floor { .. }`
    Floor(Block),
    /// `demand { .. }`
    Demand(Block),
    /// `simulate name { .. }`
    Simulate(Name, Block),
    /// `collective name = kind { .. }`
    Collective(Setting),
    /// `require metric >= value;`
    Require(RequireItem),
    /// `slice name { .. }`
    Slice(Name, Vec<Item>),
    /// A block with an unknown keyword.
    Unknown(Name, Option<Name>, Block),
}

impl ItemKind {
    /// The word that it begins with.
    pub fn keyword(&self) -> &str {
        match self {
            ItemKind::Use(_) => "use",
            ItemKind::Let(_) => "let",
            ItemKind::Param(_) => "param",
            ItemKind::Sweep(_) => "sweep",
            ItemKind::Setting(setting) => &setting.name.value,
            ItemKind::Link(..) => "link",
            ItemKind::Router(_) => "router",
            ItemKind::Chip(_) => "chip",
            ItemKind::Cube(_) => "cube",
            ItemKind::Ocs(_) => "ocs",
            ItemKind::Budget(_) => "budget",
            ItemKind::Failures(_) => "failures",
            ItemKind::Floor(_) => "floor",
            ItemKind::Demand(_) => "demand",
            ItemKind::Simulate(..) => "simulate",
            ItemKind::Collective(_) => "collective",
            ItemKind::Require(_) => "require",
            ItemKind::Slice(..) => "slice",
            ItemKind::Unknown(keyword, ..) => &keyword.value,
        }
    }
}

/// `use "file";`, `use "file" { .. }`
#[derive(Clone, PartialEq, Debug)]
pub struct Use {
    /// The path as written.
    pub path: Name,
    /// What is set otherwise than in the file.
    pub changes: Option<Block>,
    /// The file in [`Spec::files`]; `None` in a file parsed on its own.
    pub file: Option<usize>,
}

/// `{ .. }`
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// What stands in it.
    pub statements: Vec<Statement>,
    /// With its braces.
    pub span: Span,
}

/// A line of a block.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// All of it, with its `;`.
    pub span: Span,
}

/// The kinds of lines.
#[derive(Clone, PartialEq, Debug)]
pub enum StatementKind {
    /// `name = value;`
    Setting(Setting),
    /// `mesh a x b x c over link;`
    Mesh(Mesh),
    /// `couple .. over link;`
    Couple(Couple),
    /// `all_to_all over groups of n weight w;`
    Component(Component),
    /// `level n joined m over link { .. }`
    Level(Level),
    /// `chip { .. }`, `link copper { .. }`: what a `use` changes in an item of its file.
    Change(Change),
}

impl StatementKind {
    /// The word that it begins with.
    pub fn keyword(&self) -> &str {
        match self {
            StatementKind::Setting(setting) => &setting.name.value,
            StatementKind::Mesh(_) => "mesh",
            StatementKind::Couple(_) => "couple",
            StatementKind::Component(_) => "all_to_all",
            StatementKind::Level(_) => "level",
            StatementKind::Change(change) => &change.word.value,
        }
    }
}

/// `name = value;`
#[derive(Clone, PartialEq, Debug)]
pub struct Setting {
    /// What is set.
    pub name: Name,
    /// To what.
    pub value: Value,
}

/// `mesh a x b x c over link;`
#[derive(Clone, PartialEq, Debug)]
pub struct Mesh {
    /// Chips along x, y and z.
    pub dims: Vec<Expr>,
    /// The link.
    pub over: Option<Name>,
}

/// `couple .. over link;`
#[derive(Clone, PartialEq, Debug)]
pub struct Couple {
    /// Which ports.
    pub ports: Coupled,
    /// The link.
    pub over: Option<Name>,
}

/// `all_to_all over groups of n weight w;`
#[derive(Clone, PartialEq, Debug)]
pub struct Component {
    /// Chips per group; without it, the whole pod is one group.
    pub groups: Option<Expr>,
    /// The weight.
    pub weight: Expr,
}

/// `level n joined m over link { .. }`
#[derive(Clone, PartialEq, Debug)]
pub struct Level {
    /// Blocks of the level below.
    pub blocks: Expr,
    /// Links between every two of them.
    pub joined: Option<Expr>,
    /// The link.
    pub over: Option<Name>,
    /// Its settings; without any it ends with a `;`.
    pub block: Option<Block>,
}

/// `link copper { .. }` in a `use`.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// The word of the item.
    pub word: Name,
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// The settings that it gets.
    pub block: Block,
}

/// The ports of a `couple`.
#[derive(Clone, PartialEq, Debug)]
pub enum Coupled {
    /// `P with Q`
    Sided(Port, Port),
    /// `any of P, Q`
    AnyOf(Vec<Port>),
}

/// `+x[u, v]`
#[derive(Clone, PartialEq, Debug)]
pub struct Port {
    /// `+x`
    pub face: Name,
    /// The position on the face.
    pub at: Vec<Expr>,
    /// All of it.
    pub span: Span,
}

/// `ocs name[..] for cubes .. { .. }`
#[derive(Clone, PartialEq, Debug)]
pub struct OcsItem {
    /// The group.
    pub name: Name,
    /// Its indices.
    pub indices: Vec<Index>,
    /// The cubes it serves.
    pub cubes: Option<Range>,
    /// Its settings.
    pub block: Block,
}

/// `u in 0..4`
#[derive(Clone, PartialEq, Debug)]
pub struct Index {
    /// The index.
    pub name: Name,
    /// Its values.
    pub range: Range,
}

/// `lo..hi`, without `hi`.
#[derive(Clone, PartialEq, Debug)]
pub struct Range {
    /// First.
    pub lo: Expr,
    /// One past the last.
    pub hi: Expr,
    /// All of it.
    pub span: Span,
}

/// `require metric >= value;`
#[derive(Clone, PartialEq, Debug)]
pub struct RequireItem {
    /// With its `fault.`.
    pub metric: Name,
    /// `<=`, `>=`, `<`, `>` or `==`.
    pub comparison: Name,
    /// With what, or with which share.
    pub value: Quantity,
    /// Of what the value is a share.
    pub share: Option<Share>,
}

/// What a required value is a share of.
#[derive(Clone, PartialEq, Debug)]
pub struct Share {
    /// One of [`REFERENCES`](fabc_model::REFERENCES), or what was written in the place.
    pub of: Name,
    /// Whether it is written `98 % of universal`; otherwise `0.98 * universal`.
    pub percent: bool,
}

/// The right side of a setting.
#[derive(Clone, PartialEq, Debug)]
pub struct Value {
    /// What it is.
    pub kind: ValueKind,
    /// Where.
    pub span: Span,
}

/// The kinds of values.
#[derive(Clone, PartialEq, Debug)]
pub enum ValueKind {
    /// `128 GB/s`, `4`, or a bare name.
    Quantity(Quantity),
    /// `synthesize { .. }`
    Block(Name, Block),
    /// `torus 4 x 8 x 8`, also with settings: `torus 16 x 16 { link = copper; }`
    Dims(Name, Vec<Expr>, Option<Block>),
    /// `0.1 .. 1.8 step 0.1`
    Steps(Steps),
    /// `[cube0[0,0,0], 17]`: names without their quotes.
    List(Vec<Name>),
    /// `cube0[0, 0, 0]`, without its spaces; also what stood in quotes.
    Router(Name),
    /// `<= 40`, of `moves <= 40;`
    Limit(Name, Quantity),
    /// `cross_connects "file"`, also with settings: `graph "file" { default = wire; }`
    File(Name, Name, Option<Block>),
}

/// `first .. last step step`, with the last one.
#[derive(Clone, PartialEq, Debug)]
pub struct Steps {
    /// First.
    pub first: Expr,
    /// Last, if the steps lead to it.
    pub last: Expr,
    /// From one to the next.
    pub step: Expr,
}

impl Spec {
    /// The spec's `fabric`.
    ///
    /// # Panics
    /// Never: the parser refuses a spec without one.
    pub fn fabric(&self) -> &Fabric {
        let fabric = self.files[0].entries.iter().find_map(|entry| match entry {
            Entry::Fabric(fabric) => Some(fabric),
            Entry::Item(_) => None,
        });
        fabric.expect("a parsed spec has a fabric")
    }

    /// Every `use`, with the place in [`Spec::files`] of the file that it stands in.
    pub fn uses(&self) -> impl Iterator<Item = (usize, &Use)> {
        let entries = self
            .files
            .iter()
            .enumerate()
            .flat_map(|(at, file)| file.entries.iter().map(move |entry| (at, entry)));
        let items = entries.flat_map(|(at, entry)| match entry {
            Entry::Fabric(fabric) => fabric.items.iter().map(|item| (at, item)).collect(),
            Entry::Item(item) => vec![(at, item)],
        });
        items.filter_map(
            |(at, item)| if let ItemKind::Use(used) = &item.kind { Some((at, used)) } else { None },
        )
    }

    /// All items but `use`, file by file: what each `use` brings in stands after the items of the file that
    /// uses it.
    pub fn items(&self) -> Vec<&Item> {
        let entries = self.files.iter().flat_map(|file| &file.entries);
        let items = entries.flat_map(|entry| match entry {
            Entry::Fabric(fabric) => &fabric.items[..],
            Entry::Item(item) => std::slice::from_ref(item),
        });
        items.filter(|item| !matches!(item.kind, ItemKind::Use(_))).collect()
    }
}
