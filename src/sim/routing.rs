//! How packets select their paths, with every default filled in.

use fabc_model::{Choosing, Routing, Score, Shortest};

/// How packets select their paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathSelection {
    /// By the tables.
    Tables,
    /// A shortest way.
    Shortest(Shortest),
    /// Over a random router.
    Valiant(Shortest),
    /// The better one of several.
    Ugal(Ugal),
}

/// Between the shortest way and longer ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ugal {
    /// What their halves are.
    pub shortest: Shortest,
    /// Whether the queues of the whole way count.
    pub global: bool,
    /// Longer candidates.
    pub samples: u16,
    /// Flits against them.
    pub bias: u32,
    /// How candidates are compared.
    pub score: Score,
}

/// Longer candidates, where nothing is said (Lakhotia and others 2024).
const SAMPLES: u16 = 4;

/// Flits against longer candidates, by the rule of BookSim.
const BOOKSIM_BIAS: u32 = 30;

impl PathSelection {
    /// The word.
    pub fn routing(self) -> Routing {
        match self {
            PathSelection::Tables => Routing::Tables,
            PathSelection::Shortest(Shortest::Random) => Routing::Min,
            PathSelection::Shortest(Shortest::First) => Routing::MinFirst,
            PathSelection::Shortest(Shortest::Family) => Routing::Family,
            PathSelection::Valiant(_) => Routing::Valiant,
            PathSelection::Ugal(ugal) if ugal.global => Routing::UgalGlobal,
            PathSelection::Ugal(_) => Routing::Ugal,
        }
    }
    /// Which shortest ways are taken, if any are.
    pub fn shortest(self) -> Option<Shortest> {
        match self {
            PathSelection::Tables => None,
            PathSelection::Shortest(shortest)
            | PathSelection::Valiant(shortest)
            | PathSelection::Ugal(Ugal { shortest, .. }) => Some(shortest),
        }
    }

    /// What a spec or a command line chooses, with every default; `by_default` are the shortest ways of this
    /// fabric.
    ///
    /// # Errors
    /// The name of a setting that the routing does not have.
    pub(super) fn resolve(choosing: Choosing, by_default: Shortest) -> Result<Self, &'static str> {
        let Choosing { routing, shortest, samples, bias, score } = choosing;
        let routing = routing.unwrap_or(Routing::Tables);
        let selection = match routing {
            Routing::Tables => PathSelection::Tables,
            Routing::Min => PathSelection::Shortest(Shortest::Random),
            Routing::MinFirst => PathSelection::Shortest(Shortest::First),
            Routing::Family => PathSelection::Shortest(Shortest::Family),
            Routing::Valiant => PathSelection::Valiant(shortest.unwrap_or(by_default)),
            Routing::Ugal | Routing::UgalGlobal => {
                let score = score.unwrap_or(Score::Product);
                let [usual, against] =
                    if score == Score::Booksim { [1, BOOKSIM_BIAS] } else { [u32::from(SAMPLES), 0] };
                PathSelection::Ugal(Ugal {
                    shortest: shortest.unwrap_or(by_default),
                    global: routing == Routing::UgalGlobal,
                    samples: samples.unwrap_or(usual as u16),
                    bias: bias.unwrap_or(against),
                    score,
                })
            }
        };
        let adaptive = matches!(selection, PathSelection::Ugal(_));
        let halves = adaptive || matches!(selection, PathSelection::Valiant(_));
        for (given, belongs, name) in [
            (shortest.is_some(), halves, "shortest"),
            (samples.is_some(), adaptive, "samples"),
            (bias.is_some(), adaptive, "bias"),
            (score.is_some(), adaptive, "rule"),
        ] {
            if given && !belongs {
                return Err(name);
            }
        }
        Ok(selection)
    }
}
