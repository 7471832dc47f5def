//! Units of quantities and exact decimal numbers.
//!
//! In: the digits and the unit of a quantity. Out: integers in base units (Hz, bit/s, bytes, ..). Invariant:
//! no conversion rounds silently. A value that is no integer number of base units is refused, or rounded up
//! by a function that says so.

use fabc_topology::Fraction;

/// The dimension that a quantity measures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dimension {
    /// Frequencies, in the base unit Hz.
    Frequency,
    /// Bandwidths, in the base unit bit/s.
    Bandwidth,
    /// Times, in the base unit picoseconds.
    Time,
    /// Base unit seconds of work on the machine that compiles.
    Duration,
    /// Times in the base unit router cycles.
    Cycles,
    /// Base unit metres (of fiber or cable).
    Length,
    /// Amounts of data, in the base unit bytes.
    Data,
    /// Amounts of data in the base unit flits.
    Flits,
    /// Powers, in the base unit milliwatts.
    Power,
    /// Powers of light, in the base unit a thousandth of a dBm.
    OpticalPower,
    /// Losses of light, in the base unit a thousandth of a dB.
    Loss,
    /// Losses of light on a length of fiber, in the base unit a thousandth of a dB per kilometre.
    LossPerLength,
    /// Rates of floating-point operations, in the base unit FLOP/s.
    FlopRate,
    /// Circuit switches, links, chips or routers that may fail. Base unit one of them.
    Things,
}

/// A unit of the language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unit {
    /// The name, as written in a spec.
    pub name: &'static str,
    /// The dimension that it measures.
    pub dimension: Dimension,
    /// The number of base units in it.
    pub factor: u64,
}

/// Picoseconds that make a second.
pub const PICOSECONDS_PER_SECOND: u64 = 1_000_000_000_000;

impl Unit {
    /// Picoseconds in the unit. `None` unless it is a unit of time.
    pub fn picoseconds(&self) -> Option<u64> {
        match self.dimension {
            Dimension::Time => Some(self.factor),
            Dimension::Duration => Some(self.factor * PICOSECONDS_PER_SECOND),
            _ => None,
        }
    }
}

/// Bits in a gigabyte of 10^9 bytes.
pub const BITS_OF_A_GIGABYTE: u64 = 8_000_000_000;

macro_rules! units {
    ($($name:literal $dimension:ident $factor:expr;)*) => {
        &[$(Unit { name: $name, dimension: Dimension::$dimension, factor: $factor }),*]
    };
}

/// Every unit of the language. The first of a dimension is its canonical one.
pub const UNITS: &[Unit] = units! {
    "GHz" Frequency 1_000_000_000;
    "MHz" Frequency 1_000_000;
    "kHz" Frequency 1_000;
    "Hz" Frequency 1;
    "GB/s" Bandwidth BITS_OF_A_GIGABYTE;
    "MB/s" Bandwidth 8_000_000;
    "TB/s" Bandwidth 8_000_000_000_000;
    "Gbps" Bandwidth 1_000_000_000;
    "Mbps" Bandwidth 1_000_000;
    "Tbps" Bandwidth 1_000_000_000_000;
    "ns" Time 1_000;
    "us" Time 1_000_000;
    "ps" Time 1;
    "ms" Time 1_000_000_000;
    "s" Duration 1;
    "min" Duration 60;
    "cycles" Cycles 1;
    "m" Length 1;
    "B" Data 1;
    "KiB" Data 1024;
    "MiB" Data 1 << 20;
    "GiB" Data 1 << 30;
    "kB" Data 1_000;
    "MB" Data 1_000_000;
    "GB" Data 1_000_000_000;
    "flits" Flits 1;
    "W" Power 1_000;
    "mW" Power 1;
    "dBm" OpticalPower 1_000;
    "dB" Loss 1_000;
    "dB/km" LossPerLength 1_000;
    "TFLOP/s" FlopRate 1_000_000_000_000;
    "PFLOP/s" FlopRate 1_000_000_000_000_000;
    "ocs" Things 1;
    "link" Things 1;
    "chip" Things 1;
    "router" Things 1;
};

/// A unit of other tools, or another spelling of one: `factor` base units over `divisor`.
struct ForeignUnit {
    names: &'static [&'static str],
    dimension: Dimension,
    factor: u64,
    divisor: u64,
    /// Text that tells it from the unit that it is easily taken for.
    note: &'static str,
}

macro_rules! foreign {
    ($($($name:literal)|+ $dimension:ident $factor:expr, $divisor:expr, $note:literal;)*) => {
        &[$(ForeignUnit { names: &[$($name),+], dimension: Dimension::$dimension, factor: $factor, divisor: $divisor, note: $note }),*]
    };
}

const FOREIGN: &[ForeignUnit] = foreign! {
    "THz" Frequency 1_000_000_000_000, 1, "";
    "GBps" | "GBPS" | "GByte/s" | "GBytes/s" | "Gbyte/s" Bandwidth 8_000_000_000, 1, " (bytes); `Gbps` would be bits, an eighth";
    "MBps" | "MBPS" | "MByte/s" | "MBytes/s" | "Mbyte/s" Bandwidth 8_000_000, 1, " (bytes); `Mbps` would be bits, an eighth";
    "TBps" | "TBPS" | "TByte/s" | "TBytes/s" | "Tbyte/s" Bandwidth 8_000_000_000_000, 1, " (bytes); `Tbps` would be bits, an eighth";
    "Gb/s" | "Gbit/s" | "Gbits/s" | "Gbit" | "Gb" | "GbE" | "GE" | "G" Bandwidth 1_000_000_000, 1, " (bits)";
    "Mb/s" | "Mbit/s" | "Mbits/s" | "Mbit" | "Mb" | "M" Bandwidth 1_000_000, 1, " (bits)";
    "Tb/s" | "Tbit/s" | "Tbits/s" | "Tbit" | "Tb" | "T" Bandwidth 1_000_000_000_000, 1, " (bits)";
    "kbps" | "Kbps" | "kb/s" | "kbit/s" Bandwidth 1_000, 1, "";
    "bps" | "bit/s" | "b/s" Bandwidth 1, 1, "";
    "kB/s" | "KB/s" Bandwidth 8_000, 1, "";
    "B/s" Bandwidth 8, 1, "";
    "PB/s" Bandwidth 8_000_000_000_000_000, 1, "";
    "Pbps" | "Pb/s" Bandwidth 1_000_000_000_000_000, 1, "";
    "GiB/s" Bandwidth 8 << 30, 1, "";
    "MiB/s" Bandwidth 8 << 20, 1, "";
    "TiB/s" Bandwidth 8 << 40, 1, "";
    "nsec" | "nanoseconds" | "nanosecond" Time 1_000, 1, "";
    "usec" | "microseconds" | "microsecond" | "µs" | "μs" Time 1_000_000, 1, "";
    "psec" | "picoseconds" | "picosecond" Time 1, 1, "";
    "msec" | "milliseconds" | "millisecond" Time 1_000_000_000, 1, "";
    "s" | "sec" | "second" | "seconds" Time 1_000_000_000_000, 1, "";
    "sec" | "secs" | "second" | "seconds" Duration 1, 1, "";
    "mins" | "minute" | "minutes" Duration 60, 1, "";
    "h" | "hr" | "hour" | "hours" Duration 3600, 1, "";
    "d" | "day" | "days" Duration 86_400, 1, "";
    "cycle" | "clk" | "clks" | "clock" | "clocks" | "cyc" | "ticks" | "cc" Cycles 1, 1, "";
    "metre" | "metres" | "meter" | "meters" Length 1, 1, "";
    "km" Length 1_000, 1, "";
    "cm" Length 1, 100, "";
    "mm" Length 1, 1_000, "";
    "ft" | "feet" Length 3_048, 10_000, "";
    "byte" | "bytes" | "Byte" | "Bytes" | "b" Data 1, 1, "";
    "bit" | "bits" Data 1, 8, "";
    "dbm" | "DBm" | "dBmW" OpticalPower 1_000, 1, "";
    "db" | "DB" Loss 1_000, 1, "";
    "db/km" | "DB/km" LossPerLength 1_000, 1, "";
    "dB/m" LossPerLength 1_000_000, 1, "";
    "KB" | "kb" Data 1_000, 1, "";
    "K" | "k" Data 1_000, 1, " (1000 bytes); `KiB` would be 1024";
    "M" Data 1_000_000, 1, " (10^6 bytes); `MiB` would be 2^20";
    "G" Data 1_000_000_000, 1, " (10^9 bytes); `GiB` would be 2^30";
    "Ki" | "ki" | "kiB" Data 1 << 10, 1, "";
    "Mi" | "mib" Data 1 << 20, 1, "";
    "Gi" | "gib" Data 1 << 30, 1, "";
    "Mb" | "mb" | "MByte" | "MBytes" | "megabytes" Data 1_000_000, 1, " (bytes)";
    "Gb" | "gb" | "GByte" | "GBytes" | "gigabytes" Data 1_000_000_000, 1, " (bytes)";
    "TB" Data 1_000_000_000_000, 1, "";
    "TiB" Data 1 << 40, 1, "";
    "flit" | "Flits" Flits 1, 1, "";
    "TFLOPS" | "TFLOPs" | "Tflops" | "tflops" | "TFlops" | "TF" | "TFLOPS/s" FlopRate 1_000_000_000_000, 1, "";
    "PFLOPS" | "PFLOPs" | "Pflops" | "pflops" | "PFlops" | "PF" | "PFLOPS/s" FlopRate 1_000_000_000_000_000, 1, "";
    "GFLOPS" | "GFLOP/s" FlopRate 1_000_000_000, 1, "";
};

/// What to write instead of a number whose unit is not in [`UNITS`], or does not measure one of `dimensions`.
/// A sentence without its full stop, or `None`.
pub fn replacement_hint(number: Option<Decimal>, name: &str, dimensions: &[Dimension]) -> Option<String> {
    let foreign = |fits: &dyn Fn(Dimension) -> bool| {
        FOREIGN.iter().find(|unit| unit.names.contains(&name) && fits(unit.dimension))
    };
    if let Some(from) = foreign(&|dimension| dimensions.contains(&dimension)) {
        let same = |unit: &&Unit| {
            unit.dimension == from.dimension && unit.factor == from.factor && from.divisor == 1
        };
        if let Some(unit) = UNITS.iter().find(same) {
            return Some(format!("`{name}` is written `{}`{}", unit.name, from.note));
        }
        let number = number?;
        let base = number.digits.checked_mul(u128::from(from.factor))?;
        // The largest unit that is not larger, or otherwise the smallest one.
        let units = UNITS.iter().filter(|unit| unit.dimension == from.dimension);
        let below = units
            .clone()
            .filter(|unit| unit.factor <= from.factor / from.divisor)
            .max_by_key(|unit| unit.factor);
        let to = below.or(units.min_by_key(|unit| unit.factor))?;
        let scale = u128::from(to.factor)
            .checked_mul(10u128.checked_pow(number.scale)?)?
            .checked_mul(u128::from(from.divisor))?;
        let converted = Decimal::quotient(base, scale)?;
        let doubt = if from.dimension == Dimension::Time { ": is it `ns`?" } else { "" };
        return Some(format!("{number} {name} is {converted} {}{doubt}", to.name));
    }
    let dimension = unit(name).map(|unit| unit.dimension).or(foreign(&|_| true).map(|unit| unit.dimension))?;
    Some(match (dimension, dimensions) {
        (Dimension::Data, [Dimension::Flits]) => {
            "it is counted in flits: the bytes, divided by those of a `flit`".to_owned()
        }
        (Dimension::Data, [Dimension::Bandwidth]) => format!("a bandwidth is per second: `{name}/s`"),
        (Dimension::Time | Dimension::Cycles, [Dimension::Frequency]) => {
            "a clock is told by its frequency: a period of 1 ns is 1 GHz".to_owned()
        }
        (Dimension::Loss, [Dimension::OpticalPower]) => {
            "a power of light is told in dBm, over a milliwatt".to_owned()
        }
        (Dimension::OpticalPower, [Dimension::Loss]) => "a loss is told in dB".to_owned(),
        (Dimension::Power, [Dimension::OpticalPower]) => {
            "a power of light is told in dBm: 1 mW is 0 dBm, and twice the power is 3 dB more".to_owned()
        }
        (Dimension::OpticalPower, [Dimension::Power]) => {
            "a transmitter of light is written `transmit = 1 dBm`; `power` is what a cable draws".to_owned()
        }
        (Dimension::Loss, [Dimension::LossPerLength]) => {
            "a fiber loses so much per kilometre: `dB/km`".to_owned()
        }
        (Dimension::Flits, [Dimension::Data]) => "a flit is so many bytes: `flit = 128 B`".to_owned(),
        _ => return None,
    })
}

/// A number of thousandths as a decimal number without trailing zeros, such as `-8.6`.
pub fn thousandths_text(thousandths: i64) -> String {
    let sign = if thousandths < 0 { "-" } else { "" };
    let (whole, rest) = (thousandths.unsigned_abs() / 1000, thousandths.unsigned_abs() % 1000);
    let digits = format!("{whole}.{rest:03}");
    format!("{sign}{}", digits.trim_end_matches('0').trim_end_matches('.'))
}

/// Light in fiber: 5 ns per metre.
pub const PICOSECONDS_PER_METRE: u64 = 5_000;

/// The number of base units in a unit, by its name in the language or by another spelling. `None` if that is
/// no integer.
pub fn factor(name: &str, dimension: Dimension) -> Option<u64> {
    let language_factor =
        UNITS.iter().find(|unit| unit.name == name && unit.dimension == dimension).map(|unit| unit.factor);
    let fits =
        |unit: &&ForeignUnit| unit.dimension == dimension && unit.divisor == 1 && unit.names.contains(&name);
    language_factor.or_else(|| FOREIGN.iter().find(fits).map(|unit| unit.factor))
}

/// The unit of the language with this name.
pub fn unit(name: &str) -> Option<&'static Unit> {
    UNITS.iter().find(|unit| unit.name == name)
}

/// A non-negative decimal number, exact: `digits / 10^scale`, without trailing zeros after the point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decimal {
    digits: u128,
    scale: u32,
}

impl Decimal {
    /// Reads `12`, `1_024` or `1.05`. `None` past 18 digits.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.replace('_', "");
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let fraction = fraction.trim_end_matches('0');
        let digits = format!("{whole}{fraction}");
        let significant = digits.trim_start_matches('0');
        let fits = significant.len() <= 18 && fraction.len() <= 18;
        let digits = if significant.is_empty() {
            0
        } else if fits {
            significant.parse().ok()?
        } else {
            return None;
        };
        Some(Self { digits, scale: fraction.len() as u32 })
    }

    /// The product with `factor`, if it is an integer that fits.
    pub fn times(self, factor: u64) -> Option<u64> {
        let product = self.digits.checked_mul(u128::from(factor))?;
        let divisor = 10u128.pow(self.scale);
        if product % divisor == 0 { u64::try_from(product / divisor).ok() } else { None }
    }

    /// The number times `factor` over `divisor`, rounded up. `None` if it does not fit.
    pub fn times_over(self, factor: u128, divisor: u128) -> Option<u64> {
        let product = self.digits.checked_mul(factor)?;
        u64::try_from(product.div_ceil(10u128.pow(self.scale).checked_mul(divisor)?)).ok()
    }

    /// The nearest float to the number.
    pub fn as_f64(self) -> f64 {
        self.to_string().parse().unwrap_or(f64::NAN)
    }

    /// A hundredth of the number.
    pub fn percent(self) -> Self {
        let (mut digits, mut scale) = (self.digits, self.scale + 2);
        while scale > 0 && digits.is_multiple_of(10) {
            (digits, scale) = (digits / 10, scale - 1);
        }
        Self { digits, scale }
    }

    /// The decimal of an integer.
    pub fn integer(number: u64) -> Self {
        Self { digits: number.into(), scale: 0 }
    }

    /// The sum. `None` past 18 digits.
    pub fn plus(self, other: Self) -> Option<Self> {
        let (left, right, scale) = self.aligned(other)?;
        Self::short(left.checked_add(right)?, scale)
    }

    /// The difference. `None` below zero, or past 18 digits.
    pub fn minus(self, other: Self) -> Option<Self> {
        let (left, right, scale) = self.aligned(other)?;
        Self::short(left.checked_sub(right)?, scale)
    }

    /// The product. `None` past 18 digits.
    pub fn product(self, other: Self) -> Option<Self> {
        Self::short(self.digits.checked_mul(other.digits)?, self.scale + other.scale)
    }

    /// The quotient. `None` where its digits do not end, past 18 digits, or for a division by zero.
    pub fn divided(self, other: Self) -> Option<Self> {
        let (left, right, _) = self.aligned(other)?;
        if right == 0 {
            None
        } else {
            Self::quotient(left, right).and_then(|quotient| Self::short(quotient.digits, quotient.scale))
        }
    }

    /// Compares two numbers by value.
    pub fn compare(self, other: Self) -> std::cmp::Ordering {
        let [left, right] = [self, other].map(|number| {
            (number.digits / 10u128.pow(number.scale), number.digits % 10u128.pow(number.scale))
        });
        let fraction = |part: u128, scale: u32| part * 10u128.pow(18 - scale.min(18));
        (left.0, fraction(left.1, self.scale)).cmp(&(right.0, fraction(right.1, other.scale)))
    }

    /// The digits of both over one power of ten, and its exponent.
    fn aligned(self, other: Self) -> Option<(u128, u128, u32)> {
        let scale = self.scale.max(other.scale);
        let over = |number: Self| number.digits.checked_mul(10u128.checked_pow(scale - number.scale)?);
        Some((over(self)?, over(other)?, scale))
    }

    /// The number without trailing zeros, if it then has at most 18 digits.
    fn short(mut digits: u128, mut scale: u32) -> Option<Self> {
        while scale > 0 && digits.is_multiple_of(10) {
            (digits, scale) = (digits / 10, scale - 1);
        }
        (digits < 10u128.pow(18) && scale <= 18).then_some(Self { digits, scale })
    }

    /// `(digits, scale)`: the number is `digits / 10^scale`.
    pub fn parts(self) -> (u128, u32) {
        (self.digits, self.scale)
    }

    /// `base / scale`, if it has at most 18 decimal places.
    fn quotient(base: u128, scale: u128) -> Option<Self> {
        (0..=18).find_map(|places| {
            let scaled = base.checked_mul(10u128.pow(places))?;
            (scaled % scale == 0).then(|| Self { digits: scaled / scale, scale: places })
        })
    }

    /// `count / factor`, if it has at most 18 decimal places.
    pub fn ratio(count: u64, factor: u64) -> Option<Self> {
        Self::quotient(u128::from(count), u128::from(factor))
    }
}

impl std::fmt::Display for Decimal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let divisor = 10u128.pow(self.scale);
        match self.scale as usize {
            0 => write!(f, "{}", self.digits),
            scale => write!(f, "{}.{:0scale$}", self.digits / divisor, self.digits % divisor),
        }
    }
}

impl From<Decimal> for Fraction {
    fn from(value: Decimal) -> Self {
        let (digits, scale) = value.parts();
        Self::new(digits, 10u128.pow(scale))
    }
}
