//! The options of `fabc sim`, as clap reads them.

use crate::sim::{Arbitration, Credits, Hosts, Lanes, Model, Parameters, Rate, SimError, Traffic};
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Rates of one call at most.
const RATES: u64 = 10_000;

/// `fabc sim`.
#[derive(Clone, Debug, Args)]
pub struct SimArgs {
    /// A directory that `fabc build` wrote
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,

    /// Who sends to whom
    #[arg(long, value_enum, default_value = "uniform", value_name = "PATTERN")]
    pub traffic: Traffic,

    /// Flits per cycle that a chip (of a network: a host) offers, such as `0.5`, `0.2,0.4` or `0.1..1.7:0.1`
    /// [default: 10 % to 120 % of the static bound]
    #[arg(long, value_name = "RATES", value_parser = rates)]
    pub rates: Option<Rates>,

    /// Search the rate at which the fabric saturates; without rates, nothing else is run [default: both that
    /// search and a curve]
    #[arg(long)]
    pub saturation: bool,

    /// The scenario, such as `X[0,0]`; `all` for every one
    #[arg(long, default_value = "nominal", value_name = "NAME")]
    pub scenario: String,

    /// Seed of births, destinations and permutations
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,

    /// Run every rate with so many seeds, from SEED on
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub seeds: u16,

    /// The form of the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: SimFormat,

    /// The model of routers and hosts.
    #[command(flatten)]
    pub model: ModelArgs,
}

/// How routers and hosts are modelled; buffers, latencies and virtual channels are those of the spec.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Model")]
pub struct ModelArgs {
    /// How routers move flits
    #[arg(long, value_enum, default_value = "packet")]
    pub model: Model,

    /// Rounds of the switch per cycle, in the flit model [default: 2]
    #[arg(long, value_name = "ROUNDS", value_parser = clap::value_parser!(u8).range(1..=16))]
    pub speedup: Option<u8>,

    /// Flits of a packet
    #[arg(long, default_value_t = 6, value_name = "FLITS", value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    pub packet: u32,

    /// General virtual channels, which packets may take until they have taken one of the tables [default: all
    /// that the routers have beside those of the tables]
    #[arg(long, value_name = "N", conflicts_with = "classes")]
    pub general: Option<u8>,

    /// No general virtual channels, but so many for each one of the tables
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    pub classes: Option<u8>,

    /// Who goes first, in the packet model [default: age]
    #[arg(long, value_enum)]
    pub arbitration: Option<Arbitration>,

    /// When a router can use room at the other end of a link again [default: instant; in the flit model link]
    #[arg(long, value_enum)]
    pub credits: Option<Credits>,

    /// Ports each way of a chip, of a network of a host, one flit per cycle each; or `unlimited` [default:
    /// one port per host; chips unlimited, in the flit model two ports]
    #[arg(long, value_name = "PORTS", value_parser = hosts)]
    pub hosts: Option<Hosts>,

    /// Cycles between the birth of a packet and its router
    #[arg(long, default_value_t = 0, value_name = "CYCLES", value_parser = clap::value_parser!(u32).range(..=1 << 20))]
    pub injection: u32,

    /// Cycles until a packet competes that became first of its queue as the one before left, in the packet
    /// model [default: 2]
    #[arg(long, value_name = "CYCLES", value_parser = clap::value_parser!(u32).range(..=1 << 20))]
    pub turn: Option<u32>,

    /// Cycles before anything is counted [default: by the latency of the routes]
    #[arg(long, value_name = "CYCLES")]
    pub warmup: Option<u32>,

    /// Cycles that are counted [default: by the latency of the routes]
    #[arg(long, value_name = "CYCLES", value_parser = clap::value_parser!(u32).range(1..))]
    pub measure: Option<u32>,
}

/// Forms of `fabc sim`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SimFormat {
    /// For people
    Text,
    /// fabc.simulation/1
    Json,
    /// A row per run
    Csv,
    /// A picture of latency over load
    Svg,
}

/// The rates of one call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rates(pub Vec<Rate>);

impl SimArgs {
    /// What the simulator is asked for.
    ///
    /// # Errors
    /// What the model does not have.
    pub(super) fn parameters(&self) -> Result<Parameters, SimError> {
        let ModelArgs { packet, general, classes, arbitration, credits, hosts, injection, turn, warmup, measure, .. } = self.model;
        let of = |option: &'static str, of: &'static str| Err(SimError::OtherModel { option, of });
        let model = match (self.model.model, self.model.speedup) {
            (Model::Flit { .. }, _) if arbitration.is_some() => return of("--arbitration", "packet"),
            (Model::Flit { .. }, _) if turn.is_some() => return of("--turn", "packet"),
            (Model::Packet, Some(_)) => return of("--speedup", "flit"),
            (Model::Flit { .. }, Some(speedup)) => Model::Flit { speedup },
            (model, None) => model,
        };
        let usual = Parameters::default();
        Ok(Parameters {
            model,
            traffic: self.traffic,
            packet,
            injection,
            turn: turn.unwrap_or(usual.turn),
            lanes: general.map(Lanes::General).or(classes.map(Lanes::Classes)),
            arbitration: arbitration.unwrap_or(usual.arbitration),
            credits,
            hosts,
            warmup,
            measure,
            seed: self.seed,
        })
    }

    /// The seeds of the runs.
    pub(super) fn all_seeds(&self) -> Vec<u64> {
        (0..u64::from(self.seeds)).map(|k| self.seed.wrapping_add(k)).collect()
    }
}

/// `0.5`, `0.2,0.4`, `0.1..1.7:0.1`, the last one with both ends.
fn rates(text: &str) -> Result<Rates, String> {
    let one = |text: &str| {
        let told = || format!("`{text}` is no rate: write digits with at most six behind a point, more than 0");
        Rate::parse(text.trim()).ok_or_else(told)
    };
    let mut all = Vec::new();
    for item in text.split(',') {
        let Some((first, rest)) = item.split_once("..") else {
            all.push(one(item)?);
            continue;
        };
        let (last, step) = rest.split_once(':').ok_or_else(|| format!("`{item}` has no step: write `0.1..1.7:0.1`"))?;
        let [first, last, step] = [one(first)?, one(last)?, one(step)?].map(Rate::in_millionths);
        if last < first {
            return Err(format!("`{item}` ends before it begins"));
        }
        if (last - first) / step >= RATES {
            return Err(format!("`{item}` is more than {RATES} rates"));
        }
        all.extend((first..=last).step_by(step as usize).map(Rate::millionths));
    }
    if all.len() as u64 > RATES {
        return Err(format!("more than {RATES} rates"));
    }
    Ok(Rates(all))
}

/// `unlimited`, or a number of ports.
fn hosts(text: &str) -> Result<Hosts, String> {
    match text.parse::<u16>() {
        Ok(ports) if (1..=1024).contains(&ports) => Ok(Hosts::Ports(ports)),
        _ if text == "unlimited" => Ok(Hosts::Unlimited),
        _ => Err("write `unlimited`, or a number of ports from 1 to 1024".to_owned()),
    }
}

/// A word of the simulator as a value of an option.
macro_rules! values {
    ($($kind:ty: $help:expr;)*) => {$(
        impl ValueEnum for $kind {
            fn value_variants<'a>() -> &'a [Self] {
                &Self::ALL
            }
            fn to_possible_value(&self) -> Option<PossibleValue> {
                let help: fn(&Self) -> &'static str = $help;
                Some(PossibleValue::new(self.name()).help(help(self)))
            }
        }
    )*};
}

values! {
    Model: |value| match value {
        Model::Packet => "Whole packets, cut through",
        Model::Flit { .. } => "Flit by flit, through allocated virtual channels",
    };
    Arbitration: |value| match value {
        Arbitration::Age => "The oldest packet",
        Arbitration::Rotate => "The queue that was served longest ago",
    };
    Credits: |value| match value {
        Credits::AtOnce => "At once",
        Credits::Link => "After the latency of the link",
    };
    Traffic: |value| match value {
        Traffic::Uniform => "To any other, all alike",
        Traffic::Permutation => "Every router to another, by a random permutation",
        Traffic::EndpointPermutation => "Every endpoint to another, by a random permutation",
        Traffic::BitComplement => "All bits of the number turned",
        Traffic::BitReverse => "The bits in reverse order",
        Traffic::BitShuffle => "The bits rotated by one",
        Traffic::Transpose => "The halves of the bits exchanged",
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_lists_of_numbers_and_ranges() {
        let read = |text: &str| rates(text).map(|rates| rates.0.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
        assert_eq!(read("0.5").unwrap(), "0.50");
        assert_eq!(read("0.2, 0.4").unwrap(), "0.20 0.40");
        assert_eq!(read("0.1..0.4:0.1,1").unwrap(), "0.10 0.20 0.30 0.40 1.00");
        assert_eq!(read("0.1..0.35:0.1").unwrap(), "0.10 0.20 0.30");
        for (text, what) in [
            ("", "`` is no rate"),
            ("0", "`0` is no rate"),
            ("0.1..0.4", "`0.1..0.4` has no step"),
            ("0.4..0.1:0.1", "`0.4..0.1:0.1` ends before it begins"),
            ("0.1..9:0.0001", "`0.1..9:0.0001` is more than 10000 rates"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.starts_with(what), "{error}");
        }
    }
}
