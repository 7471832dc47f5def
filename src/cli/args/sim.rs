//! The options of `fabc sim`, as clap reads them.

use crate::args::choice::choice;
use crate::verify::foreign::ForeignArgs;
use clap::{Args, ValueEnum};
use fabc_sim::{
    Arbitration, Bursts, Choosing, Credits, Details, Hosts, Lanes, Model, Order, Parameters, Rate, Routing, Score, Shortest, SimError,
    Trace, Traffic,
};
use std::path::PathBuf;

/// Rates of one call at most.
const RATES: u64 = 10_000;

/// The healthy fabric.
pub(crate) const NOMINAL: &str = "nominal";

/// `fabc sim`.
#[derive(Clone, Debug, Args)]
pub struct SimArgs {
    /// A directory that `fabc build` wrote; several are compared
    #[arg(value_name = "DIR", required_unless_present = "tables", conflicts_with = "tables", num_args = 1..)]
    pub directories: Vec<PathBuf>,

    /// One table of where each directory saturates, of static bounds, and of ratios to the first
    #[arg(long, conflicts_with_all = ["rates", "block", "tables"])]
    pub compare: bool,

    /// Run this `simulate` block of the spec [default: all of them, if nothing else is asked for]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["traffic", "trace", "rates", "saturation", "seed", "seeds", "ModelArgs"])]
    pub block: Option<String>,

    /// Who sends to whom [default: uniform]
    #[arg(long, value_parser = choice::<Traffic>(), value_name = "PATTERN")]
    pub traffic: Option<Traffic>,

    /// Flits per cycle that a chip (of a network: a host) offers, such as `0.5`, `0.2,0.4` or `0.1..1.7:0.1`
    /// [default: 10 % to 120 % of the static bound]
    #[arg(long, value_name = "RATES", value_parser = rates)]
    pub rates: Option<Rates>,

    /// Search the rate at which the fabric saturates; without rates, nothing else is run [default: both that
    /// search and a curve]
    #[arg(long)]
    pub saturation: bool,

    /// The scenario, such as `X[0,0]`; `all` for every one
    #[arg(long, default_value = NOMINAL, value_name = "NAME", conflicts_with = "tables")]
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

    /// What the traffic is told beyond its name.
    #[command(flatten)]
    pub details: DetailArgs,

    /// How packets find their ways.
    #[command(flatten)]
    pub ways: WayArgs,

    /// The model of routers and hosts.
    #[command(flatten)]
    pub model: ModelArgs,

    /// Tables of anybody.
    #[command(flatten)]
    pub foreign: ForeignArgs,
}

/// What some traffics are told beyond their names.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Traffic")]
pub struct DetailArgs {
    /// Of `group_shift`: by how many groups [default: 1]
    #[arg(long, value_name = "N")]
    pub by: Option<u32>,

    /// Of `hotspot`: routers, such as `cube0[0,0,0],cube1[2,0,3]`, and numbers of endpoints
    #[arg(long, value_name = "NAMES", value_parser = spots)]
    pub hotspot: Option<Spots>,

    /// Of `hotspot`: which part of the packets goes there [default: 0.2]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub share: Option<Rate>,

    /// Births come in bursts of so many cycles on average
    #[arg(long, value_name = "CYCLES", requires = "burst_rate", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub bursts: Option<u32>,

    /// In bursts: flits per cycle while a host is on
    #[arg(long, value_name = "RATE", requires = "bursts", value_parser = rate)]
    pub burst_rate: Option<Rate>,

    /// Of `all_to_all`: what every pair sends, such as `64KiB`; the last packet is filled up
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub bytes: Option<u64>,

    /// Of `all_to_all`: in which order a source sends its messages [default: shift]
    #[arg(long, value_parser = choice::<Order>(), value_name = "ORDER")]
    pub order: Option<Order>,

    /// Messages that are sent once, from a file with lines `cycle,src,dst,flits`
    #[arg(long, value_name = "FILE", conflicts_with = "traffic")]
    pub trace: Option<PathBuf>,
}

/// How packets find their ways.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Ways (networks of routers)")]
pub struct WayArgs {
    /// How packets find their ways; all but `tables` take virtual channel k on hop k [default: tables]
    #[arg(long, value_parser = choice::<Routing>(), value_name = "ROUTING")]
    pub routing: Option<Routing>,

    /// Of `valiant` and `ugal`: which of the shortest ways their halves are [default: family in a dragonfly,
    /// else random]
    #[arg(long, value_parser = choice::<Shortest>(), value_name = "WAYS")]
    pub shortest: Option<Shortest>,

    /// Of `ugal`: longer ways that are looked at [default: 4; with `--rule booksim` 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub samples: Option<u16>,

    /// Of `ugal`: flits that are added to the score of a longer way [default: 0; with `--rule booksim` 30]
    #[arg(long, value_name = "FLITS", value_parser = clap::value_parser!(u32).range(..=1 << 20))]
    pub bias: Option<u32>,

    /// Of `ugal`: how ways are compared [default: product]
    #[arg(long, value_parser = choice::<Score>(), value_name = "RULE")]
    pub rule: Option<Score>,
}

/// Names of routers, and numbers of endpoints.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spots(pub Vec<String>);

/// How routers and hosts are modelled; buffers, latencies and virtual channels are those of the spec.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Model")]
pub struct ModelArgs {
    /// How routers move flits
    #[arg(long, value_parser = choice::<Model>(), default_value = "packet")]
    pub model: Model,

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

    /// Who goes first [default: age; in the flit model rotate]
    #[arg(long, value_parser = choice::<Arbitration>())]
    pub arbitration: Option<Arbitration>,

    /// When a router can use room at the other end of a link again [default: instant; in the flit model link]
    #[arg(long, value_parser = choice::<Credits>())]
    pub credits: Option<Credits>,

    /// Ports each way of a chip, of a network of a host, one flit per cycle each; or `unlimited` [default:
    /// one port per host; chips unlimited, in the flit model two ports]
    #[arg(long, value_name = "PORTS", value_parser = hosts)]
    pub hosts: Option<Hosts>,

    /// Packets of a chip, of a network of a host, that have left it and have not arrived, at most [default:
    /// no limit]
    #[arg(long, value_name = "PACKETS", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub window: Option<u32>,

    /// Cycles between the birth of a packet and its router
    #[arg(long, default_value_t = 0, value_name = "CYCLES", value_parser = clap::value_parser!(u32).range(..=1 << 20))]
    pub injection: u32,

    /// Cycles until a packet competes that became first of its queue as the one before left, in the packet
    /// model [default: 2]
    #[arg(long, value_name = "CYCLES", value_parser = clap::value_parser!(u32).range(..=1 << 20))]
    pub turn: Option<u32>,

    /// How much faster the switch of a router is than its channels; in the flit model rounds of it per
    /// cycle [default: 1; `flit`: 2]
    #[arg(long, value_name = "FACTOR", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub speedup: Option<u32>,

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

impl SimFormat {
    /// As on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            SimFormat::Text => "text",
            SimFormat::Json => "json",
            SimFormat::Csv => "csv",
            SimFormat::Svg => "svg",
        }
    }
}

/// The rates of one call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rates(pub Vec<Rate>);

impl SimArgs {
    /// What the simulator is asked for; `trace` is what the file of that option says.
    ///
    /// # Errors
    /// What the model does not have.
    pub(crate) fn parameters(&self, trace: Option<&Trace>) -> Result<Parameters, SimError> {
        let ModelArgs { model, packet, general, classes, arbitration, credits, hosts, window, injection, turn, speedup, warmup, measure } =
            self.model;
        let DetailArgs { by, hotspot, share, bursts, burst_rate, bytes, order, trace: _ } = &self.details;
        let WayArgs { routing, shortest, samples, bias, rule } = self.ways;
        if model == Model::Flit && turn.is_some() {
            return Err(SimError::OtherModel { option: "--turn", of: Model::Packet.name() });
        }
        let usual = Parameters::default();
        Ok(Parameters {
            model,
            traffic: self.traffic.unwrap_or(if trace.is_some() { Traffic::Trace } else { Traffic::Uniform }),
            details: Details {
                by: *by,
                share: *share,
                spots: hotspot.as_ref().map_or_else(Vec::new, |spots| spots.0.clone()),
                bursts: bursts.zip(*burst_rate).map(|(length, rate)| Bursts { length, rate }),
                bytes: *bytes,
                order: *order,
                trace: trace.cloned(),
            },
            choosing: Choosing { routing, shortest, samples, bias, score: rule },
            packet,
            injection,
            turn: turn.unwrap_or(usual.turn),
            speedup,
            lanes: general.map(Lanes::General).or(classes.map(Lanes::Classes)),
            arbitration,
            credits,
            hosts,
            window,
            warmup,
            measure,
            seed: self.seed,
        })
    }

    /// Whether nothing is asked for but a fabric.
    pub(crate) fn is_plain(&self) -> bool {
        let usual = Parameters::default();
        let asked = self.traffic.is_some() || self.details.trace.is_some() || self.rates.is_some() || self.saturation || self.seeds != 1;
        !asked && self.scenario == NOMINAL && self.parameters(None).is_ok_and(|parameters| parameters == usual)
    }

    /// The seeds of the runs.
    pub(crate) fn all_seeds(&self) -> Vec<u64> {
        (0..u64::from(self.seeds)).map(|k| self.seed.wrapping_add(k)).collect()
    }
}

/// `0.5`, `0.2,0.4`, `0.1..1.7:0.1`, the last one with both ends.
fn rates(text: &str) -> Result<Rates, String> {
    let one = |text: &str| rate(text.trim());
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

/// One rate.
pub(crate) fn rate(text: &str) -> Result<Rate, String> {
    Rate::parse(text).ok_or_else(|| format!("`{text}` is no rate: write digits with at most six behind a point, more than 0"))
}

/// A part of all packets.
fn share(text: &str) -> Result<Rate, String> {
    let one = Rate::millionths(1_000_000);
    Rate::parse(text).filter(|share| *share <= one).ok_or_else(|| format!("`{text}` is no share: write a number above 0, at most 1"))
}

/// A number of bytes, in units of 1, 1024, 1024^2 or 1024^3.
fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let factor = match text[digits..].trim() {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => 0,
    };
    let bytes = text[..digits].parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    let help = || format!("`{text}` is no size: write a whole number with B, KiB, MiB or GiB, such as `64KiB`");
    bytes.filter(|bytes| (1..=1 << 40).contains(bytes)).ok_or_else(help)
}

/// Names between commas, with commas of their own in brackets.
fn spots(text: &str) -> Result<Spots, String> {
    let (mut names, mut depth) = (vec![String::new()], 0u32);
    for letter in text.chars() {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match names.last_mut() {
            Some(name) if letter != ',' || depth > 0 => name.push(letter),
            _ => names.push(String::new()),
        }
    }
    let names: Vec<String> = names.iter().map(|name| name.trim().to_owned()).collect();
    if names.iter().any(String::is_empty) {
        return Err("write names of routers or numbers of endpoints, with commas between them".to_owned());
    }
    Ok(Spots(names))
}

/// `unlimited`, or a number of ports.
fn hosts(text: &str) -> Result<Hosts, String> {
    match text.parse::<u16>() {
        Ok(ports) if (1..=1024).contains(&ports) => Ok(Hosts::Ports(ports)),
        _ if text == "unlimited" => Ok(Hosts::Unlimited),
        _ => Err("write `unlimited`, or a number of ports from 1 to 1024".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, size) in [("1", 1), ("100 B", 100), ("64KiB", 65_536), ("2MiB", 2 << 20), ("1 GiB", 1 << 30)] {
            assert_eq!(bytes(text), Ok(size), "{text}");
        }
        for text in ["", "0", "KiB", "64KB", "1.5MiB", "-1", "99999999999999999999", "20000000GiB"] {
            assert!(bytes(text).unwrap_err().contains("is no size"), "{text}");
        }
    }

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
