//! Units of quantities and exact decimal numbers.
//!
//! Comes in: the digits and the unit of a quantity. Goes out: integers in base units (Hz, bit/s, bytes, ..).
//! Invariant: no conversion rounds silently; what is no whole number of base units is refused or rounded up
//! by name.

/// What a quantity measures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dimension {
    /// Base unit Hz.
    Frequency,
    /// Base unit bit/s.
    Bandwidth,
    /// Base unit picoseconds.
    Time,
    /// Base unit seconds of work on the machine that compiles.
    Duration,
    /// Base unit router cycles.
    Cycles,
    /// Base unit metres (of fiber or cable).
    Length,
    /// Base unit bytes.
    Data,
    /// Base unit flits.
    Flits,
    /// Circuit switches, links, chips or routers that may fail.
    Things,
}

/// A unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unit {
    /// As written in a spec.
    pub name: &'static str,
    /// What it measures.
    pub dimension: Dimension,
    /// How many base units it is.
    pub factor: u64,
}

macro_rules! units {
    ($($name:literal $dimension:ident $factor:expr;)*) => {
        &[$(Unit { name: $name, dimension: Dimension::$dimension, factor: $factor }),*]
    };
}

/// Every unit of the language; the first of a dimension is its canonical one.
pub const UNITS: &[Unit] = units! {
    "GHz" Frequency 1_000_000_000;
    "MHz" Frequency 1_000_000;
    "kHz" Frequency 1_000;
    "Hz" Frequency 1;
    "GB/s" Bandwidth 8_000_000_000;
    "MB/s" Bandwidth 8_000_000;
    "TB/s" Bandwidth 8_000_000_000_000;
    "Gbps" Bandwidth 1_000_000_000;
    "Mbps" Bandwidth 1_000_000;
    "Tbps" Bandwidth 1_000_000_000_000;
    "ns" Time 1_000;
    "us" Time 1_000_000;
    "ps" Time 1;
    "s" Duration 1;
    "min" Duration 60;
    "cycles" Cycles 1;
    "m" Length 1;
    "B" Data 1;
    "KiB" Data 1024;
    "flits" Flits 1;
    "ocs" Things 1;
    "link" Things 1;
    "chip" Things 1;
    "router" Things 1;
};

/// Light in fiber: 5 ns per metre.
pub const PICOSECONDS_PER_METRE: u64 = 5_000;

/// The unit of this name.
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
    /// Reads `12`, `1_024` or `1.05`; `None` past 18 digits.
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

    /// This many `factor`s, if that is a whole number that fits.
    pub fn times(self, factor: u64) -> Option<u64> {
        let product = self.digits.checked_mul(u128::from(factor))?;
        let divisor = 10u128.pow(self.scale);
        if product % divisor == 0 { u64::try_from(product / divisor).ok() } else { None }
    }

    /// This many `factor`s over `divisor`, rounded up.
    pub fn times_over(self, factor: u128, divisor: u128) -> Option<u64> {
        let product = self.digits.checked_mul(factor)?;
        u64::try_from(product.div_ceil(10u128.pow(self.scale).checked_mul(divisor)?)).ok()
    }

    /// The nearest float.
    pub fn as_f64(self) -> f64 {
        self.to_string().parse().unwrap_or(f64::NAN)
    }

    /// A hundredth of it.
    pub fn percent(self) -> Self {
        let (mut digits, mut scale) = (self.digits, self.scale + 2);
        while scale > 0 && digits.is_multiple_of(10) {
            (digits, scale) = (digits / 10, scale - 1);
        }
        Self { digits, scale }
    }

    /// `(digits, scale)`: the number is `digits / 10^scale`.
    pub fn parts(self) -> (u128, u32) {
        (self.digits, self.scale)
    }

    /// `count / factor`, if it has at most 18 decimal places.
    pub fn ratio(count: u64, factor: u64) -> Option<Self> {
        (0..=18).find_map(|scale| {
            let scaled = u128::from(count).checked_mul(10u128.pow(scale))?;
            (scaled % u128::from(factor) == 0).then(|| Self { digits: scaled / u128::from(factor), scale })
        })
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
