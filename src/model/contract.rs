//! The contract: what a spec requires of the result.

use super::metric::Metric;
use super::reference::Reference;
use fabc_base::diag::Span;
use fabc_base::units::{Decimal, Unit, unit};

/// A `require` line of the spec, such as `require metric >= value`.
#[derive(Clone, Debug)]
pub struct Require {
    /// The metric that is compared.
    pub metric: Metric,
    /// Whether it is about the worst tolerated fault (`fault.` prefix).
    pub fault: bool,
    /// The simulation, collective or job that it is about. `None`: the fabric itself.
    pub subject: Option<RequireSubject>,
    /// The comparison between the measured and the required value.
    pub comparison: Comparison,
    /// The required number, or the factor of a share.
    pub value: Decimal,
    /// The scale on which `value` counts.
    pub scale: ValueScale,
    /// The value in its normal form: `10.5 GB/s`, `98 % of universal`, `1.05 * bound`.
    pub value_text: String,
    /// The unit in which the spec writes the value, for messages. `value` itself counts in the unit of the
    /// metric.
    pub unit: WrittenUnit,
    /// The place of the whole line.
    pub span: Span,
    /// Its number among the requires of the spec, in the order of the spec. Only what people read follows it.
    pub position: usize,
}

impl Require {
    /// The line without `require`: `fault.diameter <= 7`.
    pub fn text(&self) -> String {
        format!("{} {} {}", self.metric_text(), self.comparison.symbol(), self.value_text)
    }
    /// The same with the unit of the spec: `g.time <= 1 us` where [`Require::text`] has 1000 ns.
    pub fn as_written(&self) -> String {
        let value = match (self.unit.0, self.scale) {
            (Some(unit), ValueScale::Metric) => self
                .unit
                .convert(self.metric.unit(), self.value)
                .map(|number| format!("{number} {}", unit.name)),
            _ => None,
        };
        format!(
            "{} {} {}",
            self.metric_text(),
            self.comparison.symbol(),
            value.unwrap_or_else(|| self.value_text.clone())
        )
    }
    /// The unit in which messages print its values: the one that the spec writes, otherwise that of the
    /// metric. It may be empty.
    pub fn unit_name(&self) -> &'static str {
        match (self.scale, self.unit.0) {
            (ValueScale::Cycles, _) => "cycles",
            (ValueScale::Metric, Some(unit)) => unit.name,
            _ => self.metric.unit(),
        }
    }
    /// The metric with its prefix and arguments, as in the line: `fault.diameter`.
    pub fn metric_text(&self) -> String {
        let metric = self.metric.name();
        let fault = if self.fault { "fault." } else { "" };
        match &self.subject {
            Some(RequireSubject::Simulation(OfSimulation { name, share: Some(share) })) => {
                format!("{fault}{name}.{metric}({share})")
            }
            Some(
                RequireSubject::Simulation(OfSimulation { name, .. })
                | RequireSubject::Collective(OfCollective { written: name, .. })
                | RequireSubject::Job(OfJob { name }),
            ) => {
                format!("{fault}{name}.{metric}")
            }
            None => format!("{fault}{metric}"),
        }
    }
    /// The simulation that it is about, if it is about one.
    pub fn simulation(&self) -> Option<&OfSimulation> {
        if let Some(RequireSubject::Simulation(simulation)) = &self.subject { Some(simulation) } else { None }
    }
    /// The name of the collective that it is about, if it is about one.
    pub fn collective(&self) -> Option<&str> {
        if let Some(RequireSubject::Collective(collective)) = &self.subject {
            Some(&collective.name)
        } else {
            None
        }
    }
    /// The name of the job that it is about, if it is about one.
    pub fn job(&self) -> Option<&str> {
        if let Some(RequireSubject::Job(job)) = &self.subject { Some(&job.name) } else { None }
    }
}

/// The unit that a spec writes behind the value of a `require`, if there is one. It decides nothing. So its
/// debug text, which is part of the keys of kept builds, is always the same.
#[derive(Clone, Copy, Default)]
pub struct WrittenUnit(pub Option<&'static Unit>);

impl std::fmt::Debug for WrittenUnit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("as written")
    }
}

impl WrittenUnit {
    /// The unit of a metric and the written unit, each as a number of a common base unit. Both 1 where they
    /// measure different things.
    pub fn factors(self, of_metric: &str) -> [u64; 2] {
        match (self.0, unit(of_metric)) {
            (Some(written), Some(of_metric)) if written.dimension == of_metric.dimension => {
                [of_metric.factor, written.factor]
            }
            // Seconds count apart from shorter times.
            (Some(written), Some(of_metric)) => match [of_metric, written].map(Unit::picoseconds) {
                [Some(of_metric), Some(written)] => [of_metric, written],
                _ => [1, 1],
            },
            _ => [1, 1],
        }
    }
    /// Converts a number from the unit of a metric to the written unit.
    fn convert(self, of_metric: &str, number: Decimal) -> Option<Decimal> {
        let [of_metric, written] = self.factors(of_metric);
        number.product(Decimal::integer(of_metric))?.divided(Decimal::integer(written))
    }
}

/// The subject of a `require`, where it is not the fabric itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RequireSubject {
    /// A simulation, and possibly a share of the static bound (`peak.latency(0.5)`).
    Simulation(OfSimulation),
    /// A collective of the spec, by name or kind.
    Collective(OfCollective),
    /// A job of the spec.
    Job(OfJob),
}

/// The job that a `require` is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OfJob {
    /// The name of the job.
    pub name: String,
}

/// Which collective a `require` is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OfCollective {
    /// The name of the collective.
    pub name: String,
    /// The text in the spec: the name, or the kind of collective where only one has this kind.
    pub written: String,
}

/// The simulation that a `require` is about, and the rate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OfSimulation {
    /// The name of the simulation.
    pub name: String,
    /// The rate as a share of the static bound, for metrics of single runs.
    pub share: Option<Decimal>,
}

/// The scale of the value of a `require`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueScale {
    /// The unit of the metric itself: bandwidths in GB/s, latencies in ns.
    Metric,
    /// Router cycles, for a latency.
    Cycles,
    /// A share of a reference, which is known when the values are compared.
    ShareOf(Reference),
}

/// A comparison operator of a `require`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `<=`: the value or less.
    AtMost,
    /// `>=`: the value or more.
    AtLeast,
    /// `<`: less than the value.
    Less,
    /// `>`: more than the value.
    Greater,
    /// `==`: exactly the value, nothing else.
    Equal,
}

impl Comparison {
    /// All comparisons, in the order of their declaration.
    pub const ALL: [Comparison; 5] =
        [Comparison::AtMost, Comparison::AtLeast, Comparison::Less, Comparison::Greater, Comparison::Equal];
    /// The operator as a spec writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::AtMost => "<=",
            Comparison::AtLeast => ">=",
            Comparison::Less => "<",
            Comparison::Greater => ">",
            Comparison::Equal => "==",
        }
    }
    /// Whether larger values satisfy it.
    pub fn wants_more(self) -> bool {
        matches!(self, Comparison::AtLeast | Comparison::Greater)
    }
    /// Whether `measured` satisfies the comparison with `wanted`.
    pub fn holds<T: PartialOrd>(self, measured: T, wanted: T) -> bool {
        match self {
            Comparison::AtMost => measured <= wanted,
            Comparison::AtLeast => measured >= wanted,
            Comparison::Less => measured < wanted,
            Comparison::Greater => measured > wanted,
            Comparison::Equal => measured == wanted,
        }
    }
}
