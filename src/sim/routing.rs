//! How packets select their paths, with every default filled in.

use fabc_model::{Ecmp, HalfRoutes, PacketRouting, RoutingSettings, Score};

/// How packets select their paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathSelection {
    /// Packets follow the forwarding tables.
    Tables,
    /// Packets take a shortest path.
    Shortest(HalfRoutes),
    /// Packets go over a random router.
    Valiant(HalfRoutes),
    /// Packets take the best one of several paths.
    Ugal(Ugal),
    /// Packets go up through tiers and then down, by the ports of a group in turn.
    Spray,
    /// Packets go up through tiers and then down, by the port that a hash of their flow chooses.
    Ecmp {
        /// Number of flows of every ordered pair of hosts.
        flows: u32,
    },
}

/// The choice between the shortest path and longer ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ugal {
    /// The shortest paths that form the halves of a longer one.
    pub shortest: HalfRoutes,
    /// Whether the queues of the whole path count, or only the first.
    pub global: bool,
    /// The number of longer candidates.
    pub samples: u16,
    /// Flits that are added against longer candidates.
    pub bias: u32,
    /// How the candidates are compared.
    pub score: Score,
}

/// The default number of longer candidates (Lakhotia and others 2024).
const SAMPLES: u16 = 4;

/// Flits against longer candidates, by the rule of BookSim.
const BOOKSIM_BIAS: u32 = 30;

impl PathSelection {
    /// The word for this selection in a spec.
    pub fn routing(self) -> PacketRouting {
        match self {
            PathSelection::Tables => PacketRouting::Tables,
            PathSelection::Shortest(HalfRoutes::Random) => PacketRouting::Min,
            PathSelection::Shortest(HalfRoutes::First) => PacketRouting::MinFirst,
            PathSelection::Shortest(HalfRoutes::Family) => PacketRouting::Family,
            PathSelection::Valiant(_) => PacketRouting::Valiant,
            PathSelection::Ugal(ugal) if ugal.global => PacketRouting::UgalGlobal,
            PathSelection::Ugal(_) => PacketRouting::Ugal,
            PathSelection::Spray => PacketRouting::Spray,
            PathSelection::Ecmp { .. } => PacketRouting::Ecmp,
        }
    }
    /// Whether packets go up through tiers and then down, by any port of a group.
    pub fn has_groups(self) -> bool {
        matches!(self, PathSelection::Spray | PathSelection::Ecmp { .. })
    }
    /// The kind of shortest paths that is used, if any.
    pub fn shortest(self) -> Option<HalfRoutes> {
        match self {
            PathSelection::Tables | PathSelection::Spray | PathSelection::Ecmp { .. } => None,
            PathSelection::Shortest(shortest)
            | PathSelection::Valiant(shortest)
            | PathSelection::Ugal(Ugal { shortest, .. }) => Some(shortest),
        }
    }

    /// Fills in the defaults of the settings of a spec or a command line. `by_default` is the kind of
    /// shortest paths for this fabric, and `ecmp` has the flows of its routing.
    ///
    /// # Errors
    /// The name of a setting that the routing does not have.
    pub(super) fn resolve(
        choosing: RoutingSettings,
        by_default: HalfRoutes,
        ecmp: Ecmp,
    ) -> Result<Self, &'static str> {
        let RoutingSettings { routing, shortest, samples, bias, score, flows } = choosing;
        let routing = routing.unwrap_or(PacketRouting::Tables);
        let selection = match routing {
            PacketRouting::Tables => PathSelection::Tables,
            PacketRouting::Min => PathSelection::Shortest(HalfRoutes::Random),
            PacketRouting::MinFirst => PathSelection::Shortest(HalfRoutes::First),
            PacketRouting::Family => PathSelection::Shortest(HalfRoutes::Family),
            PacketRouting::Spray => PathSelection::Spray,
            PacketRouting::Ecmp => PathSelection::Ecmp { flows: flows.unwrap_or(ecmp.flows) },
            PacketRouting::Valiant => PathSelection::Valiant(shortest.unwrap_or(by_default)),
            PacketRouting::Ugal | PacketRouting::UgalGlobal => {
                let score = score.unwrap_or(Score::Product);
                let [default_samples, default_bias] =
                    if score == Score::Booksim { [1, BOOKSIM_BIAS] } else { [u32::from(SAMPLES), 0] };
                PathSelection::Ugal(Ugal {
                    shortest: shortest.unwrap_or(by_default),
                    global: routing == PacketRouting::UgalGlobal,
                    samples: samples.unwrap_or(default_samples as u16),
                    bias: bias.unwrap_or(default_bias),
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
            (flows.is_some(), routing == PacketRouting::Ecmp, "flows"),
        ] {
            if given && !belongs {
                return Err(name);
            }
        }
        Ok(selection)
    }
}
