//! The differences between two builds, A and B.
//!
//! In every [`Both`] the first value is of A, the second of B. `None` means that this side has no such thing.

use fabc_model::Direction;

/// A value of build A and a value of build B, in this order.
pub type Both<T> = [T; 2];

/// The differences between two builds.
#[derive(Clone, PartialEq, Debug)]
pub struct Diff {
    /// The two builds that are compared.
    pub sides: Both<DiffSide>,
    /// Lines of the normal form that only A has, and lines that only B has, in order.
    pub spec: Both<Vec<String>>,
    /// All figures of the healthy fabrics, in the order of the reports.
    pub figures: Vec<FigureDiff>,
    /// All `require` lines, those of B first in their order.
    pub contract: Vec<RequireDiff>,
    /// The differences in the figures of tolerated faults.
    pub faults: FaultsDiff,
    /// The differences of the wiring. `None` where a side has no topology.
    pub wiring: Option<WiringDiff>,
    /// Tables of every scenario that a side has, nominal first.
    pub tables: Vec<TablesDiff>,
    /// All files of either side, by path.
    pub files: Vec<FileDiff>,
}

impl Diff {
    /// Whether both are the same in all bytes. The bytes of the manifest that name the version of fabc do not
    /// count.
    pub fn is_same(&self) -> bool {
        self.files.iter().all(|file| file.same)
    }
}

/// One of the two builds of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiffSide {
    /// The name of the build, as on the command line.
    pub label: String,
    /// The name of its fabric.
    pub fabric: String,
    /// The tool that built it, with its version.
    pub tool: String,
    /// The options of its manifest, by name.
    pub options: Vec<(String, String)>,
    /// Number of bytes of all its files.
    pub bytes: u64,
    /// The histograms of its report, by name. `[value]`: its count.
    pub histograms: Vec<(String, Vec<u64>)>,
}

/// The names of figures that give the size of a fabric.
pub const SIZES: [&str; 2] = ["nodes", "endpoints"];

/// One figure in both builds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FigureDiff {
    /// Its name, such as `diameter`, `bounds.load`, `gradients.time`.
    pub name: String,
    /// Whether a larger or a smaller value is better.
    pub direction: Direction,
    /// Both values as reports print them: decimal numbers.
    pub values: Both<Option<String>>,
}

/// What a difference of a figure means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FigureChange {
    /// Both values are the same.
    Same,
    /// The value of B is better.
    Better,
    /// The value of B is worse.
    Worse,
    /// Neither is better, or one side has no such figure.
    Other,
}

impl FigureChange {
    /// The word in reports: `same`, `better`, `worse`, `other`.
    pub fn name(self) -> &'static str {
        match self {
            FigureChange::Same => "same",
            FigureChange::Better => "better",
            FigureChange::Worse => "worse",
            FigureChange::Other => "other",
        }
    }
}

impl FigureDiff {
    /// Says which of the two values is better, if one is.
    pub fn change(&self) -> FigureChange {
        let numbers = self.numbers();
        match (&self.values, self.direction) {
            ([a, b], _) if a == b => FigureChange::Same,
            (_, Direction::Neither) => FigureChange::Other,
            (_, direction) => match numbers {
                Some([a, b]) if a == b => FigureChange::Same,
                Some([a, b]) if (a < b) == (direction == Direction::More) => FigureChange::Better,
                Some(_) => FigureChange::Worse,
                None => FigureChange::Other,
            },
        }
    }

    /// The difference over the value of A. `None` where that is 0 or a side has no value.
    pub fn relative(&self) -> Option<f64> {
        let [a, b] = self.numbers()?;
        (a != 0.0).then(|| (b - a) / a.abs())
    }

    fn numbers(&self) -> Option<[f64; 2]> {
        let number = |value: &Option<String>| value.as_ref()?.parse::<f64>().ok();
        Some([number(&self.values[0])?, number(&self.values[1])?])
    }
}

/// A `require` line of either side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RequireDiff {
    /// The text without the word `require`: `diameter <= 6`.
    pub text: String,
    /// Its outcome in A and in B.
    pub outcomes: Both<Option<RequireState>>,
}

/// The outcome of a `require` in one build.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RequireState {
    /// Whether it holds. `None` where nothing was measured.
    pub holds: Option<bool>,
    /// The measured value as reports print it.
    pub measured: Option<String>,
    /// The fault that decided, for `fault.` metrics.
    pub scenario: Option<String>,
}

impl RequireState {
    /// The word in reports: `held`, `fails`, `open`.
    pub fn name(&self) -> &'static str {
        match self.holds {
            Some(true) => "held",
            Some(false) => "fails",
            None => "open",
        }
    }
}

impl RequireDiff {
    /// Whether the contract differs in this line: it is new or gone, or its outcome differs.
    pub fn is_other(&self) -> bool {
        let [a, b] = self.outcomes.each_ref().map(|outcome| outcome.as_ref().map(RequireState::name));
        a != b
    }
}

/// The differences in the figures of tolerated faults.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FaultsDiff {
    /// Number of scenarios that both have.
    pub common: usize,
    /// Names of the scenarios that only A has, and that only B has.
    pub alone: Both<Vec<String>>,
    /// Every metric at its worst fault: the figure, and the scenario of each side.
    pub worst: Vec<(FigureDiff, [Option<String>; 2])>,
    /// Common scenarios whose figures differ, with those figures.
    pub changed: Vec<(String, Vec<FigureDiff>)>,
}

/// The differences of the wiring.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WiringDiff {
    /// The word for what may be renamed: `cube`, `router`.
    pub word: &'static str,
    /// The word for a connection: `cross-connect`, `link`.
    pub joint: &'static str,
    /// Number of connections of A and of B.
    pub joints: Both<usize>,
    /// The result of the comparison.
    pub outcome: WiringFound,
    /// Number of connections of A that B lacks, and of those of B that A lacks, by their names as they stand.
    pub as_named: Both<usize>,
    /// (name in A, name in B) of those that are renamed. Empty where none is.
    pub renamed: Vec<[String; 2]>,
    /// The connections to remove and to add, by switch, in the names of B.
    pub moves: Vec<MoveDiff>,
    /// The names of B, by number. Empty where the two cannot be compared.
    pub points: Vec<String>,
    /// The connections of every two points together, by their numbers.
    pub pairs: Vec<PairDiff>,
}

/// The connections of two points: how many both sides have, and how many only one of them has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PairDiff {
    /// The number of one point.
    pub from: u32,
    /// The number of the other point, at least `from`.
    pub to: u32,
    /// Number of connections of both sides.
    pub kept: u32,
    /// Number of connections of A alone.
    pub removed: u32,
    /// Number of connections of B alone.
    pub added: u32,
}

impl WiringDiff {
    /// `[removed, added]`: number of connections in all.
    pub fn counts(&self) -> [usize; 2] {
        self.moves
            .iter()
            .fold([0; 2], |[gone, new], moves| [gone + moves.removed.len(), new + moves.added.len()])
    }
}

/// The result of the search for a renaming that makes two wirings equal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WiringFound {
    /// They are equal as they stand.
    Same,
    /// They are equal under the renaming.
    Renamed,
    /// There is no such renaming.
    Other,
    /// The search was cut off before it found one.
    CutOff,
    /// They cannot be compared, for this reason.
    Unlike(String),
}

impl WiringFound {
    /// The word in reports: `same`, `renamed`, `other`, `cut_off`, `unlike`.
    pub fn name(&self) -> &'static str {
        match self {
            WiringFound::Same => "same",
            WiringFound::Renamed => "renamed",
            WiringFound::Other => "other",
            WiringFound::CutOff => "cut_off",
            WiringFound::Unlike(_) => "unlike",
        }
    }
}

/// The changed connections of one switch, or of all links.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveDiff {
    /// The switch, or `links` in a network.
    pub place: String,
    /// Pairs that are joined in A, but not in B.
    pub removed: Vec<[String; 2]>,
    /// Pairs that are joined in B, but not in A.
    pub added: Vec<[String; 2]>,
}

/// The differences of the forwarding tables of one scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TablesDiff {
    /// The name of the scenario: `nominal`, or what is dark.
    pub scenario: String,
    /// The result of the comparison.
    pub outcome: TablesFound,
}

/// How the tables of one scenario differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TablesFound {
    /// The tables are equal, entry by entry.
    Same,
    /// They differ in entries of routers.
    Entries {
        /// Number of routers in all.
        routers: usize,
        /// The routers whose entries differ, in the names of B.
        changed: Vec<String>,
        /// Number of keys that A lacks, of keys with different actions, and of keys that B lacks, over all
        /// routers.
        counts: [u64; 3],
    },
    /// Only one side has tables: its index, 0 or 1.
    Alone(usize),
    /// They cannot be compared entry by entry, for this reason.
    Unlike(String),
}

/// A file of either side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileDiff {
    /// The path below the directory, with `/`.
    pub path: String,
    /// Its number of bytes on each side.
    pub bytes: Both<Option<u64>>,
    /// Whether both have it, with the same content.
    pub same: bool,
}

/// A wiring without names: points with colors, joined by labelled arcs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wires {
    /// `[point]`: its color. Only points of one color may stand for each other.
    pub colors: Vec<u32>,
    /// The arcs, ascending. If the label has no direction, the smaller point comes first.
    pub arcs: Vec<Wire>,
    /// `[label]`: whether its arcs have a direction.
    pub directed: Vec<bool>,
}

/// An arc between two points.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Wire {
    /// The label of the arc.
    pub label: u32,
    /// The point where the arc starts.
    pub from: u32,
    /// The point where the arc ends.
    pub to: u32,
}

impl Wires {
    /// An arc as [`Wires`] hold it.
    pub fn arc(&self, label: u32, from: u32, to: u32) -> Wire {
        let (from, to) =
            if self.directed[label as usize] { (from, to) } else { (from.min(to), from.max(to)) };
        Wire { label, from, to }
    }

    /// The arcs when every point has the name of its image, ascending.
    pub fn renamed(&self, images: &[u32]) -> Vec<Wire> {
        let image = |point: u32| images[point as usize];
        let mut arcs: Vec<Wire> =
            self.arcs.iter().map(|arc| self.arc(arc.label, image(arc.from), image(arc.to))).collect();
        arcs.sort_unstable();
        arcs
    }
}
