//! The syntax tree: what was written and where, with nothing resolved.
//!
//! The parser and [`super::normalize()`] build it. The resolution and the formatter read it. Invariants:
//! every span lies in the file it was read from. The parser bounds nesting, so recursion over a value is
//! safe.

mod boxes;
mod constant;
mod expr;
mod range;

pub use boxes::ListedPair;
pub use constant::{Among, Constant, ConstantKind, GivenParameter, Let, Param, SweptParameter, SweptValue};
pub use expr::{Expr, ExprKind, Name, Operator, Quantity, Text};
pub use range::{Index, IndexRange, Steps};

use fabc_base::diag::Span;

/// A spec: its own file first, then every file it uses, each once.
#[derive(Clone, PartialEq, Debug)]
pub struct Spec {
    /// `files[0]` is the spec itself. A [`UseItem`] points at the others.
    pub files: Vec<SpecFile>,
    /// The parameters that the command line sets.
    pub given: Vec<GivenParameter>,
}

/// One file of a spec, as it was parsed.
#[derive(Clone, PartialEq, Debug)]
pub struct SpecFile {
    /// Path of the file, as the loader knows it.
    pub path: String,
    /// The fabric and the items of the file, in source order.
    pub entries: Vec<FileEntry>,
    /// The comments of the file, in source order.
    pub comments: Vec<Comment>,
    /// How blank lines are placed when the file is printed.
    pub layout: FileLayout,
}

/// Where the printer takes blank lines from.
#[derive(Clone, PartialEq, Debug)]
pub enum FileLayout {
    /// From the source: offsets of the first byte of every line.
    Source(Vec<u32>),
    /// One blank line between items of different kinds.
    Canonical,
}

/// A comment, with its `//` or `/* */`.
#[derive(Clone, PartialEq, Debug)]
pub struct Comment {
    /// The text of the comment, as it is written.
    pub text: Text,
    /// The span of the comment.
    pub span: Span,
}

/// A fabric or an item at the top of a file.
#[derive(Clone, PartialEq, Debug)]
pub enum FileEntry {
    /// The declaration of the fabric: `fabric name { .. }`.
    Fabric(FabricItem),
    /// An item outside `fabric`. It counts as if it stood inside.
    Item(Item),
}

/// The declaration of a fabric: `fabric name { .. }`.
#[derive(Clone, PartialEq, Debug)]
pub struct FabricItem {
    /// The name of the fabric.
    pub name: Name,
    /// The items that the fabric declares.
    pub items: Vec<Item>,
    /// The span of the words `fabric name`.
    pub head: Span,
    /// The span of the whole declaration.
    pub span: Span,
}

/// An item of a spec, such as `chip { .. }`.
#[derive(Clone, PartialEq, Debug)]
pub struct Item {
    /// The kind of the item, with its parts.
    pub kind: ItemKind,
    /// The span of the item, with its `;` or `}`.
    pub span: Span,
}

/// The kinds of items, each with its parts.
#[derive(Clone, PartialEq, Debug)]
pub enum ItemKind {
    /// An item of the form `use "file";` or `use "file" { .. }`.
    Use(UseItem),
    /// An item of the form `let name = value;`.
    Let(Let),
    /// An item of the form `param name = value in range;`.
    Param(Param),
    /// An item of the form `sweep { name = values; .. }`.
    Sweep(Vec<SweptParameter>),
    /// `clock = ..;`, `cubes = ..;`, `demand = ..;`, `topology = ..;`, `routing = ..;`
    Setting(Setting),
    /// An item of the form `link name { .. }`.
    Link(Name, Block),
    /// An item of the form `router { .. }`.
    Router(Block),
    /// An item of the form `router name { .. }`: a kind of router for some tiers.
    RouterKind(Name, Block),
    /// An item of the form `box name { .. }`.
    Box(Name, Block),
    /// An item of the form `boxes = n of name;`.
    Boxes(BoxesItem),
    /// An item of the form `chip { .. }`.
    Chip(Block),
    /// An item of the form `cube { .. }`.
    Cube(Block),
    /// An item of the form `ocs name[..] for cubes .. { .. }`.
    Ocs(OcsItem),
    /// An item of the form `budget { .. }`.
    Budget(Block),
    /// An item of the form `failures { .. }`.
    Failures(Block),
    /// An item of the form `floor { .. }`.
    Floor(Block),
    /// An item of the form `addresses { .. }`.
    Addresses(Block),
    /// An item of the form `demand { .. }`.
    Demand(Block),
    /// An item of the form `simulate name { .. }`.
    Simulate(Name, Block),
    /// An item of the form `collective name = kind { .. }`.
    Collective(Setting),
    /// An item of the form `job name { .. }` or `job name = chakra "file" { .. }`.
    Job(Name, Option<JobSource>, Block),
    /// An item of the form `require metric >= value;`.
    Require(RequireItem),
    /// An item of the form `slice name { .. }`.
    Slice(Name, Vec<Item>),
    /// A block with an unknown keyword.
    Unknown(Name, Option<Name>, Block),
}

impl ItemKind {
    /// The word that the item begins with.
    pub fn keyword(&self) -> &str {
        match self {
            ItemKind::Use(_) => "use",
            ItemKind::Let(_) => "let",
            ItemKind::Param(_) => "param",
            ItemKind::Sweep(_) => "sweep",
            ItemKind::Setting(setting) => &setting.name.value,
            ItemKind::Link(..) => "link",
            ItemKind::Router(_) | ItemKind::RouterKind(..) => "router",
            ItemKind::Box(..) => "box",
            ItemKind::Boxes(_) => "boxes",
            ItemKind::Chip(_) => "chip",
            ItemKind::Cube(_) => "cube",
            ItemKind::Ocs(_) => "ocs",
            ItemKind::Budget(_) => "budget",
            ItemKind::Failures(_) => "failures",
            ItemKind::Floor(_) => "floor",
            ItemKind::Addresses(_) => "addresses",
            ItemKind::Demand(_) => "demand",
            ItemKind::Simulate(..) => "simulate",
            ItemKind::Collective(_) => "collective",
            ItemKind::Job(..) => "job",
            ItemKind::Require(_) => "require",
            ItemKind::Slice(..) => "slice",
            ItemKind::Unknown(keyword, ..) => &keyword.value,
        }
    }
}

/// A `use` of another file: `use "file";` or `use "file" { .. }`.
#[derive(Clone, PartialEq, Debug)]
pub struct UseItem {
    /// The path as it is written in the spec.
    pub path: Name,
    /// The settings that the `use` changes in the file.
    pub changes: Option<Block>,
    /// Index of the file in [`Spec::files`]. `None` in a file that was parsed on its own.
    pub file: Option<usize>,
}

/// The file that a job comes from: `= chakra "traces/step"`.
#[derive(Clone, PartialEq, Debug)]
pub struct JobSource {
    /// The word that says what the file is: `chakra` or `phases`.
    pub word: Name,
    /// The path as it is written in the spec.
    pub path: Name,
}

/// The statements between two braces: `{ .. }`.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// The statements of the block, in source order.
    pub statements: Vec<Statement>,
    /// The span of the block, with its braces.
    pub span: Span,
}

/// A line of a block, such as a setting.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    /// The kind of the statement, with its parts.
    pub kind: StatementKind,
    /// The span of the statement, with its `;`.
    pub span: Span,
}

/// The kinds of statements, each with its parts.
#[derive(Clone, PartialEq, Debug)]
pub enum StatementKind {
    /// A statement of the form `name = value;`.
    Setting(Setting),
    /// A statement of the form `mesh a x b x c over link;`.
    Mesh(MeshStatement),
    /// A line of a box, such as `switch nv { .. }`, `join all over link;` or `nics = n over link;`.
    Part(PartLine),
    /// A statement of the form `couple .. over link;`.
    Couple(Couple),
    /// A statement of the form `all_to_all over groups of n weight w;`.
    Component(ComponentStatement),
    /// A statement of the form `level n joined m over link { .. }`.
    Level(LevelStatement),
    /// A block in a job: `axes { .. }`, `phase name { .. }` or `send name { .. }`, for example.
    Inner(InnerBlock),
    /// What groups of ranks do in a phase of a job: `collective name = kind { .. }`.
    Operation(Setting),
    /// A change of an item of the used file, in the block of a `use`: `chip { .. }`, `link copper { .. }`.
    Change(UseChange),
}

impl StatementKind {
    /// The word that the statement begins with.
    pub fn keyword(&self) -> &str {
        match self {
            StatementKind::Setting(setting) => &setting.name.value,
            StatementKind::Mesh(_) => "mesh",
            StatementKind::Part(part) => &part.word.value,
            StatementKind::Couple(_) => "couple",
            StatementKind::Component(_) => "all_to_all",
            StatementKind::Level(_) => "level",
            StatementKind::Inner(inner) => &inner.word.value,
            StatementKind::Operation(_) => "collective",
            StatementKind::Change(change) => &change.word.value,
        }
    }
}

/// A setting of the form `name = value;`.
#[derive(Clone, PartialEq, Debug)]
pub struct Setting {
    /// The name of the setting.
    pub name: Name,
    /// The value of the setting.
    pub value: SettingValue,
}

/// A line of a box: a word, the parts of the box that it is about, and a link.
#[derive(Clone, PartialEq, Debug)]
pub struct PartLine {
    /// The word that it begins with: `switch`, `mesh`, `join`, `links`, `nics` or `nic`.
    pub word: Name,
    /// The parts that it names.
    pub subject: PartSubject,
    /// The name of the link.
    pub over: Option<Name>,
    /// The settings of the line. Without any, the line ends with a `;`.
    pub block: Option<Block>,
}

/// The parts of a box that a line names.
#[derive(Clone, PartialEq, Debug)]
pub enum PartSubject {
    /// All GPUs: `join all over link;`, and also `mesh over link;`.
    All,
    /// The GPUs of a range: `join 0..4 over link;`.
    Range(IndexRange),
    /// The listed GPUs: `join [0, 3] over link;`.
    Members(Vec<Expr>),
    /// The pairs that a file lists: `links "dgx1.csv" over link;`. Empty until the file is loaded.
    Listed(Name, Vec<ListedPair>),
    /// The switches with a name, and their number if it is written: `switch nv[4] { .. }`.
    Switches(Name, Option<Expr>),
    /// A number of NICs: `nics = 8 over link;`.
    Count(Expr),
    /// The GPU of every NIC, by an index: `nic[i] at 2 * i;`.
    Place(Name, Expr),
}

/// The mesh of a cube: `mesh a x b x c over link;`.
#[derive(Clone, PartialEq, Debug)]
pub struct MeshStatement {
    /// Chips along x, y and z.
    pub dims: Vec<Expr>,
    /// The name of the link.
    pub over: Option<Name>,
}

/// The placed boxes of one kind: `boxes = n of name;`.
#[derive(Clone, PartialEq, Debug)]
pub struct BoxesItem {
    /// The number of boxes that are placed.
    pub count: Expr,
    /// The name of the `box`.
    pub kind: Name,
}

/// A coupling of face ports by an OCS: `couple .. over link;`.
#[derive(Clone, PartialEq, Debug)]
pub struct Couple {
    /// The face ports that are coupled.
    pub ports: Coupled,
    /// The name of the link.
    pub over: Option<Name>,
}

/// A component of a demand: `all_to_all over groups of n weight w;`.
#[derive(Clone, PartialEq, Debug)]
pub struct ComponentStatement {
    /// Chips per group. `None` if the whole pod is one group.
    pub groups: Option<Expr>,
    /// The weight of the component.
    pub weight: Expr,
}

/// A level of nested groups: `level n joined m over link { .. }`.
#[derive(Clone, PartialEq, Debug)]
pub struct LevelStatement {
    /// The number of blocks of the level below.
    pub blocks: Expr,
    /// The number of links between every two blocks.
    pub joined: Option<Expr>,
    /// The name of the link.
    pub over: Option<Name>,
    /// The settings of the level. Without any, the line ends with a `;`.
    pub block: Option<Block>,
}

/// A block in a job: `axes { .. }` or `phase name { .. }`.
#[derive(Clone, PartialEq, Debug)]
pub struct InnerBlock {
    /// The word before the block.
    pub word: Name,
    /// The name of the phase or of the `send`.
    pub name: Option<Name>,
    /// The lines of the block.
    pub block: Block,
}

/// A change of an item by a `use`: `link copper { .. }`.
#[derive(Clone, PartialEq, Debug)]
pub struct UseChange {
    /// The keyword of the changed item.
    pub word: Name,
    /// The name of the item, if it has one.
    pub name: Option<Name>,
    /// The settings that the item gets.
    pub block: Block,
}

/// The ports of a `couple`.
#[derive(Clone, PartialEq, Debug)]
pub enum Coupled {
    /// Ports of the form `P with Q`.
    Sided(CoupledPort, CoupledPort),
    /// Ports of the form `any of P, Q`.
    AnyOf(Vec<CoupledPort>),
}

/// A face port at a position, such as `+x[u, v]`.
#[derive(Clone, PartialEq, Debug)]
pub struct CoupledPort {
    /// The face, such as `+x`.
    pub face: Name,
    /// The position on the face.
    pub position: Vec<Expr>,
    /// The span of the whole port.
    pub span: Span,
}

/// A group of OCSes: `ocs name[..] for cubes .. { .. }`.
#[derive(Clone, PartialEq, Debug)]
pub struct OcsItem {
    /// The name of the group.
    pub name: Name,
    /// The indices of the group.
    pub indices: Vec<Index>,
    /// The cubes that the group serves.
    pub cubes: Option<IndexRange>,
    /// The settings of the group.
    pub block: Block,
}

/// A line of the contract: `require metric >= value;`.
#[derive(Clone, PartialEq, Debug)]
pub struct RequireItem {
    /// The metric, with its `fault.` if it has one.
    pub metric: Name,
    /// The comparison: `<=`, `>=`, `<`, `>` or `==`.
    pub comparison: Name,
    /// The value, or the factor of a share.
    pub value: Quantity,
    /// The bound that the value is a share of, if it is a share.
    pub share: Option<RequiredShare>,
}

/// The bound that a required value is a share of.
#[derive(Clone, PartialEq, Debug)]
pub struct RequiredShare {
    /// One of [`REFERENCES`](fabc_model::REFERENCES), or the word that is written in its place.
    pub reference: Name,
    /// Whether the share is written `98 % of universal`. Otherwise it is written `0.98 * universal`.
    pub percent: bool,
}

/// The right side of a setting.
#[derive(Clone, PartialEq, Debug)]
pub struct SettingValue {
    /// The kind of the value, with its parts.
    pub kind: ValueKind,
    /// The span of the value.
    pub span: Span,
}

/// The kinds of values, each with its parts.
#[derive(Clone, PartialEq, Debug)]
pub enum ValueKind {
    /// `128 GB/s`, `4`, or a bare name.
    Quantity(Quantity),
    /// A word with a block, such as `synthesize { .. }`.
    Block(Name, Block),
    /// `torus 4 x 8 x 8`, also with settings: `torus 16 x 16 { link = copper; }`
    Dims(Name, Vec<Expr>, Option<Block>),
    /// Numbers joined by `x`, such as `4 x 8` in `down = 4 x 8;`.
    Product(Vec<Expr>),
    /// A prefix of addresses as it is written, such as `10.255.0.0/16`.
    Prefix(Text),
    /// Equally spaced values, such as `0.1 .. 1.8 step 0.1`.
    Steps(Steps),
    /// `[cube0[0,0,0], 17]`: names without their quotes.
    List(Vec<Name>),
    /// The name of a router such as `cube0[0, 0, 0]`, without its spaces, or a text that stood in quotes.
    Router(Name),
    /// The limit `<= 40` in `moves <= 40;`, for example.
    Limit(Name, Quantity),
    /// `cross_connects "file"`, also with settings: `graph "file" { default = wire; }`
    File(Name, Name, Option<Block>),
}

impl Spec {
    /// The `fabric` of the spec.
    ///
    /// # Panics
    /// Never, because the parser refuses a spec without a fabric.
    pub fn fabric(&self) -> &FabricItem {
        let fabric = self.files[0].entries.iter().find_map(|entry| match entry {
            FileEntry::Fabric(fabric) => Some(fabric),
            FileEntry::Item(_) => None,
        });
        fabric.expect("a parsed spec has a fabric")
    }

    /// Every `use`, with the index in [`Spec::files`] of the file that contains it.
    pub fn uses(&self) -> impl Iterator<Item = (usize, &UseItem)> {
        let entries = self
            .files
            .iter()
            .enumerate()
            .flat_map(|(file_index, file)| file.entries.iter().map(move |entry| (file_index, entry)));
        let items = entries.flat_map(|(file_index, entry)| match entry {
            FileEntry::Fabric(fabric) => fabric.items.iter().map(|item| (file_index, item)).collect(),
            FileEntry::Item(item) => vec![(file_index, item)],
        });
        items.filter_map(
            |(file_index, item)| {
                if let ItemKind::Use(used) = &item.kind { Some((file_index, used)) } else { None }
            },
        )
    }

    /// All items but `use`, file by file. The items of a used file follow those of the file that uses it.
    pub fn items(&self) -> Vec<&Item> {
        let entries = self.files.iter().flat_map(|file| &file.entries);
        let items = entries.flat_map(|entry| match entry {
            FileEntry::Fabric(fabric) => &fabric.items[..],
            FileEntry::Item(item) => std::slice::from_ref(item),
        });
        items.filter(|item| !matches!(item.kind, ItemKind::Use(_))).collect()
    }
}
