//! How two builds differ.
//!
//! Of every pair `[T; 2]` the first is of A, the second of B; `None` where that side has no such thing.

use fabc_model::Direction;

/// How two builds differ.
#[derive(Clone, PartialEq, Debug)]
pub struct Diff {
    /// What is compared.
    pub sides: [DiffSide; 2],
    /// Lines of the normal form that only A has, and that only B has, in order.
    pub spec: [Vec<String>; 2],
    /// All figures of the healthy fabrics, in the order of the reports.
    pub figures: Vec<FigureDiff>,
    /// All `require` lines, those of B first in their order.
    pub contract: Vec<RequireDiff>,
    /// What tolerated faults come to.
    pub faults: FaultsDiff,
    /// Who is joined to whom; `None` where a side has no topology.
    pub wiring: Option<WiringDiff>,
    /// Tables of every scenario that a side has, nominal first.
    pub tables: Vec<TablesDiff>,
    /// All files, by path.
    pub files: Vec<FileDiff>,
}

impl Diff {
    /// Whether both are the same: all bytes but those of the manifest that name the version of fabc.
    pub fn is_same(&self) -> bool {
        self.files.iter().all(|file| file.same)
    }
}

/// One of two builds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiffSide {
    /// As named on the command line.
    pub label: String,
    /// Its fabric.
    pub fabric: String,
    /// What built it, with its version.
    pub tool: String,
    /// The options of its manifest, by name.
    pub options: Vec<(String, String)>,
    /// Bytes of all its files.
    pub bytes: u64,
    /// Histograms of its report, by name: values from 0 on.
    pub histograms: Vec<(String, Vec<u64>)>,
}

/// Figures that say how large a fabric is.
pub const SIZES: [&str; 2] = ["nodes", "endpoints"];

/// A figure of both.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FigureDiff {
    /// `diameter`, `bounds.load`, `gradients.time`.
    pub name: String,
    /// Which value is the better one.
    pub direction: Direction,
    /// As reports print them: decimal numbers.
    pub values: [Option<String>; 2],
}

/// What a difference of a figure means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FigureChange {
    /// There is none.
    Same,
    /// B is better.
    Better,
    /// B is worse.
    Worse,
    /// Neither is better, or one side has no such figure.
    Other,
}

impl FigureChange {
    /// `same`, `better`, `worse`, `other`.
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
    /// What the difference means.
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

    /// The difference over the value of A; `None` where that is 0 or a side has no value.
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
    /// Without `require`: `diameter <= 6`.
    pub text: String,
    /// How it came out.
    pub outcomes: [Option<RequireState>; 2],
}

/// How a `require` came out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RequireState {
    /// `None` where nothing was measured.
    pub holds: Option<bool>,
    /// What was measured, as reports print it.
    pub measured: Option<String>,
    /// The fault that decided.
    pub scenario: Option<String>,
}

impl RequireState {
    /// `held`, `fails`, `open`.
    pub fn name(&self) -> &'static str {
        match self.holds {
            Some(true) => "held",
            Some(false) => "fails",
            None => "open",
        }
    }
}

impl RequireDiff {
    /// Whether the contract says another thing now: a line that is new or gone, or that came out otherwise.
    pub fn is_other(&self) -> bool {
        let [a, b] = self.outcomes.each_ref().map(|outcome| outcome.as_ref().map(RequireState::name));
        a != b
    }
}

/// What tolerated faults come to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FaultsDiff {
    /// Scenarios that both have.
    pub common: usize,
    /// Scenarios that one side has alone.
    pub alone: [Vec<String>; 2],
    /// Every metric at its worst fault: the figure, and the scenarios.
    pub worst: Vec<(FigureDiff, [Option<String>; 2])>,
    /// Common scenarios with other figures, and those that are other.
    pub changed: Vec<(String, Vec<FigureDiff>)>,
}

/// Who is joined to whom.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WiringDiff {
    /// What may be renamed: `cube`, `router`.
    pub word: &'static str,
    /// What is joined: `cross-connect`, `link`.
    pub joint: &'static str,
    /// How many there are.
    pub joints: [usize; 2],
    /// What was found.
    pub found: WiringFound,
    /// Those of A that B lacks as they are named, and those of B that A lacks.
    pub as_named: [usize; 2],
    /// Names of A and of B of those that are renamed; empty where none is.
    pub renamed: Vec<[String; 2]>,
    /// What has to be undone and made, by switch, in the names of B.
    pub moves: Vec<MoveDiff>,
}

impl WiringDiff {
    /// What is undone and made in all.
    pub fn counts(&self) -> [usize; 2] {
        self.moves
            .iter()
            .fold([0; 2], |[gone, new], moves| [gone + moves.removed.len(), new + moves.added.len()])
    }
}

/// What became of the search for a renaming under which two wirings are one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WiringFound {
    /// They are the same as they stand.
    Same,
    /// They are the same under the renaming.
    Renamed,
    /// There is no such renaming.
    Other,
    /// None was found before the search was cut off.
    CutOff,
    /// They cannot be compared: why.
    Unlike(String),
}

impl WiringFound {
    /// `same`, `renamed`, `other`, `cut_off`, `unlike`.
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

/// What moves on one switch, or among all links.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveDiff {
    /// The switch; `links` of a network.
    pub at: String,
    /// Joined in A, but not in B.
    pub removed: Vec<[String; 2]>,
    /// Joined in B, but not in A.
    pub added: Vec<[String; 2]>,
}

/// Forwarding tables of one scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TablesDiff {
    /// `nominal`, or what is dark.
    pub scenario: String,
    /// What was found.
    pub found: TablesFound,
}

/// How the tables of one scenario differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TablesFound {
    /// In nothing.
    Same,
    /// In entries of routers.
    Entries {
        /// Routers in all.
        routers: usize,
        /// Those with other entries, in the names of B.
        changed: Vec<String>,
        /// Keys that A lacks, keys with other actions, keys that B lacks: over all routers.
        counts: [u64; 3],
    },
    /// One side has none: which one has them.
    Alone(usize),
    /// They cannot be compared entry by entry: why.
    Unlike(String),
}

/// A file of either side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileDiff {
    /// Below the directory, with `/`.
    pub path: String,
    /// Its bytes.
    pub bytes: [Option<u64>; 2],
    /// Whether both have it, with the same content.
    pub same: bool,
}

/// Points with colors, joined by labelled arcs: what is left of a wiring where names do not count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wires {
    /// `[point]`: only points of one color may stand for each other.
    pub colors: Vec<u32>,
    /// Ascending; of a label without direction the smaller point first.
    pub arcs: Vec<Wire>,
    /// `[label]`: whether its arcs have a direction.
    pub directed: Vec<bool>,
}

/// Two points that are joined.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Wire {
    /// How.
    pub label: u32,
    /// From.
    pub from: u32,
    /// To.
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
