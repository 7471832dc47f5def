//! How packets find their ways, with every default worked out.

use fabc_model::{Choosing, Routing, Score, Shortest};

/// How packets find their ways.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Chosen {
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

impl Chosen {
    /// The word.
    pub fn routing(self) -> Routing {
        match self {
            Chosen::Tables => Routing::Tables,
            Chosen::Shortest(Shortest::Random) => Routing::Min,
            Chosen::Shortest(Shortest::First) => Routing::MinFirst,
            Chosen::Shortest(Shortest::Family) => Routing::Family,
            Chosen::Valiant(_) => Routing::Valiant,
            Chosen::Ugal(ugal) if ugal.global => Routing::UgalGlobal,
            Chosen::Ugal(_) => Routing::Ugal,
        }
    }
    /// Which shortest ways are taken, if any are.
    pub fn shortest(self) -> Option<Shortest> {
        match self {
            Chosen::Tables => None,
            Chosen::Shortest(shortest) | Chosen::Valiant(shortest) | Chosen::Ugal(Ugal { shortest, .. }) => Some(shortest),
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
        let chosen = match routing {
            Routing::Tables => Chosen::Tables,
            Routing::Min => Chosen::Shortest(Shortest::Random),
            Routing::MinFirst => Chosen::Shortest(Shortest::First),
            Routing::Family => Chosen::Shortest(Shortest::Family),
            Routing::Valiant => Chosen::Valiant(shortest.unwrap_or(by_default)),
            Routing::Ugal | Routing::UgalGlobal => {
                let score = score.unwrap_or(Score::Product);
                let [usual, against] = if score == Score::Booksim { [1, BOOKSIM_BIAS] } else { [u32::from(SAMPLES), 0] };
                Chosen::Ugal(Ugal {
                    shortest: shortest.unwrap_or(by_default),
                    global: routing == Routing::UgalGlobal,
                    samples: samples.unwrap_or(usual as u16),
                    bias: bias.unwrap_or(against),
                    score,
                })
            }
        };
        let adaptive = matches!(chosen, Chosen::Ugal(_));
        let halves = adaptive || matches!(chosen, Chosen::Valiant(_));
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
        Ok(chosen)
    }
}
