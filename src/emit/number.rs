//! Numbers as artifacts print them: the same digits on every machine, bounds rounded to the safe side of
//! their exact values.

use fabc_ir::Fraction;
use std::cmp::Ordering;

/// Significant digits of flows and of bounds on flows.
pub const FLOW_DIGITS: usize = 9;

/// The largest decimal with `digits` significant digits that is at most `value`, without trailing zeros.
pub fn round_down_sig(value: Fraction, digits: usize) -> String {
    round_sig(value, digits, false)
}

/// The smallest decimal with `digits` significant digits that is at least `value`, without trailing zeros.
pub fn round_up_sig(value: Fraction, digits: usize) -> String {
    round_sig(value, digits, true)
}

fn round_sig(value: Fraction, digits: usize, up: bool) -> String {
    if value.is_zero() {
        return "0".to_owned();
    }
    let whole = value.floor();
    let mut rest = Rest { left: value.numerator() % value.denominator(), of: value.denominator() };
    let mut kept: Vec<u8> =
        if whole > 0 { whole.to_string().bytes().map(|digit| digit - b'0').collect() } else { Vec::new() };
    let mut exponent = kept.len() as i32 - 1;
    while kept.len() < digits {
        let digit = rest.next_digit();
        // Zeros before the first digit only move the point.
        if kept.is_empty() && digit == 0 {
            exponent -= 1;
        } else {
            kept.push(digit);
        }
    }
    let cut = rest.left > 0 || kept[digits..].iter().any(|&digit| digit != 0);
    kept.truncate(digits);
    if cut && up {
        let nines = kept.iter().rev().take_while(|&&digit| digit == 9).count();
        let rest = kept.len() - nines;
        kept.truncate(rest);
        match kept.last_mut() {
            Some(last) => *last += 1,
            None => {
                kept.push(1);
                exponent += 1;
            }
        }
    }
    plain(&kept, exponent)
}

/// What a long division has not divided yet: `left / of`, below 1.
struct Rest {
    left: u128,
    of: u128,
}

impl Rest {
    /// The next decimal digit. Ten additions instead of a product, which may not fit.
    fn next_digit(&mut self) -> u8 {
        let (mut sum, mut digit) = (0, 0);
        for _ in 0..10 {
            if sum >= self.of - self.left {
                sum -= self.of - self.left;
                digit += 1;
            } else {
                sum += self.left;
            }
        }
        self.left = sum;
        digit
    }
}

/// `d.ddd * 10^exponent` without an exponent and without trailing zeros.
fn plain(digits: &[u8], exponent: i32) -> String {
    let used = digits.len() - digits.iter().rev().take_while(|&&digit| digit == 0).count();
    let text: String = digits[..used].iter().map(|digit| char::from(b'0' + digit)).collect();
    let Ok(whole) = usize::try_from(exponent + 1) else {
        return format!("0.{}{text}", "0".repeat(exponent.unsigned_abs() as usize - 1));
    };
    if used == 0 {
        "0".to_owned()
    } else if whole == 0 {
        format!("0.{text}")
    } else if whole >= used {
        text + &"0".repeat(whole - used)
    } else {
        format!("{}.{}", &text[..whole], &text[whole..])
    }
}

/// A certified lower end, 9 significant digits, rounded down.
pub fn lower(value: Fraction) -> String {
    round_down_sig(value, FLOW_DIGITS)
}

/// A certified upper end, 9 significant digits, rounded up.
pub fn upper(value: Fraction) -> String {
    round_up_sig(value, FLOW_DIGITS)
}

/// A ratio or a mean, 6 decimals.
pub fn ratio(value: Fraction) -> String {
    format!("{:.6}", value.as_f64())
}

/// The nearest number of so many decimals; of two that are as near, the one whose last digit is even.
pub fn fixed(value: Fraction, places: u32) -> String {
    let unit = 10u128.pow(places);
    let mut rest = Rest { left: value.numerator() % value.denominator(), of: value.denominator() };
    let decimals = (0..places).fold(0, |decimals, _| decimals * 10 + u128::from(rest.next_digit()));
    let (mut whole, mut decimals) = (value.floor(), decimals);
    let up = match rest.left.cmp(&(rest.of - rest.left)) {
        Ordering::Less => false,
        Ordering::Equal => decimals % 2 == 1,
        Ordering::Greater => true,
    };
    decimals += u128::from(up);
    if decimals == unit {
        (whole, decimals) = (whole + 1, 0);
    }
    format!("{whole}.{decimals:0width$}", width = places as usize)
}

/// `12345678` as `12,345,678`, for people.
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Tenths as a number with one digit behind the point.
pub(super) fn tenths(value: u64) -> String {
    format!("{}.{}", value / 10, value % 10)
}

/// Bytes for people: `29.5 MB`.
pub fn size(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["B", "kB", "MB"] {
        if value < 999.5 {
            return if unit == "B" { format!("{bytes} B") } else { format!("{value:.1} {unit}") };
        }
        value /= 1000.0;
    }
    format!("{value:.1} GB")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Fraction {
        Fraction::from(fabc_base::units::Decimal::parse(text).unwrap())
    }

    #[test]
    fn exact_decimals_stay() {
        for text in ["0.0078125", "0.1", "0", "1", "128", "100", "120.5", "0.000000001", "123456789"] {
            assert_eq!(lower(decimal(text)), text);
            assert_eq!(upper(decimal(text)), text);
        }
        assert_eq!(lower(Fraction::new(255u8, 375u16)), "0.68");
        assert_eq!(lower(Fraction::new(1u8, 1_048_576u32)), "0.000000953674316");
        assert_eq!(upper(Fraction::new(1u8, 1_048_576u32)), "0.000000953674317");
    }

    #[test]
    fn the_others_go_to_their_side() {
        assert_eq!(lower(Fraction::new(1u8, 3u8)), "0.333333333");
        assert_eq!(upper(Fraction::new(1u8, 3u8)), "0.333333334");
        assert_eq!(lower(decimal("0.9999999999")), "0.999999999");
        assert_eq!(upper(decimal("0.9999999999")), "1");
        assert_eq!(upper(decimal("9999999999.5")), "10000000000");
        assert_eq!(lower(decimal("9999999999.5")), "9999999990");
        assert_eq!(lower(decimal("1234.567891234")), "1234.56789");
        assert_eq!(upper(decimal("1234.567891234")), "1234.5679");
        // However little is above a short decimal, an upper end does not fall on it.
        let (tenth, many) = (10u128.pow(36), 10u128.pow(37));
        assert_eq!(
            (upper(Fraction::new(tenth, many)), upper(Fraction::new(tenth + 1, many))),
            ("0.1".to_owned(), "0.100000001".to_owned())
        );
        assert_eq!(
            (lower(Fraction::new(tenth, many)), lower(Fraction::new(tenth - 1, many))),
            ("0.1".to_owned(), "0.0999999999".to_owned())
        );
        assert_eq!(upper(Fraction::new(u128::MAX - 1, u128::MAX)), "1");
    }

    #[test]
    fn ratios_go_to_the_nearest_and_ties_to_the_even() {
        for (over, under, text) in [
            (1u32, 3u32, "0.3333"),
            (2, 3, "0.6667"),
            (161, 160, "1.0062"),
            (163, 160, "1.0188"),
            (19_999, 20_000, "1.0000"),
            (19_997, 20_000, "0.9998"),
            (199_999, 200_000, "1.0000"),
            (0, 1, "0.0000"),
            (41, 1, "41.0000"),
        ] {
            assert_eq!(fixed(Fraction::new(over, under), 4), text, "{over} / {under}");
        }
        // One division of floats, as artifacts have always had it: exactly a tie, but the float is below it.
        assert_eq!(
            (ratio(Fraction::new(643u16, 640u16)), ratio(Fraction::new(1u8, 128u8))),
            ("1.004687".to_owned(), "0.007812".to_owned())
        );
    }

    #[test]
    fn both_sides_enclose() {
        let (mut a, mut b) = (1u64, 1_000_000_007u64);
        while a < 1 << 60 {
            let value = Fraction::new(a, b);
            let (low, high) = (decimal(&lower(value)), decimal(&upper(value)));
            assert!(
                low <= value && value <= high && high.as_f64() - low.as_f64() <= value.as_f64() * 1.1e-8,
                "{low:?} {value:?} {high:?}"
            );
            (a, b) = (a * 3 + 1, b + 17);
        }
    }

    #[test]
    fn groups() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
        assert_eq!(grouped(12_345_678), "12,345,678");
    }
}
