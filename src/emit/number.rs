//! Formats numbers for artifacts, with the same digits on every machine. Bounds are rounded to the safe side.

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
    let integer = value.floor();
    let mut remainder =
        Remainder { dividend: value.numerator() % value.denominator(), divisor: value.denominator() };
    let mut kept: Vec<u8> = if integer > 0 {
        integer.to_string().bytes().map(|digit| digit - b'0').collect()
    } else {
        Vec::new()
    };
    let mut exponent = kept.len() as i32 - 1;
    while kept.len() < digits {
        let digit = remainder.next_digit();
        // Zeros before the first digit only move the point.
        if kept.is_empty() && digit == 0 {
            exponent -= 1;
        } else {
            kept.push(digit);
        }
    }
    let cut = remainder.dividend > 0 || kept[digits..].iter().any(|&digit| digit != 0);
    kept.truncate(digits);
    if cut && up {
        let nines = kept.iter().rev().take_while(|&&digit| digit == 9).count();
        let remainder = kept.len() - nines;
        kept.truncate(remainder);
        match kept.last_mut() {
            Some(last) => *last += 1,
            None => {
                kept.push(1);
                exponent += 1;
            }
        }
    }
    without_exponent(&kept, exponent)
}

/// The remainder of a long division, `left / of`, below 1.
struct Remainder {
    dividend: u128,
    divisor: u128,
}

impl Remainder {
    /// The next decimal digit. It uses ten additions instead of a product, which may not fit.
    fn next_digit(&mut self) -> u8 {
        let (mut sum, mut digit) = (0, 0);
        for _ in 0..10 {
            if sum >= self.divisor - self.dividend {
                sum -= self.divisor - self.dividend;
                digit += 1;
            } else {
                sum += self.dividend;
            }
        }
        self.dividend = sum;
        digit
    }
}

/// Writes `d.ddd * 10^exponent` without an exponent and without trailing zeros.
fn without_exponent(digits: &[u8], exponent: i32) -> String {
    let used = digits.len() - digits.iter().rev().take_while(|&&digit| digit == 0).count();
    let text: String = digits[..used].iter().map(|digit| char::from(b'0' + digit)).collect();
    let Ok(integer_digits) = usize::try_from(exponent + 1) else {
        return format!("0.{}{text}", "0".repeat(exponent.unsigned_abs() as usize - 1));
    };
    if used == 0 {
        "0".to_owned()
    } else if integer_digits == 0 {
        format!("0.{text}")
    } else if integer_digits >= used {
        text + &"0".repeat(integer_digits - used)
    } else {
        format!("{}.{}", &text[..integer_digits], &text[integer_digits..])
    }
}

/// A certified lower bound with 9 significant digits, rounded down.
pub fn lower(value: Fraction) -> String {
    round_down_sig(value, FLOW_DIGITS)
}

/// A certified upper bound with 9 significant digits, rounded up.
pub fn upper(value: Fraction) -> String {
    round_up_sig(value, FLOW_DIGITS)
}

/// A ratio or a mean with 6 decimals.
pub fn ratio(value: Fraction) -> String {
    format!("{:.6}", value.as_f64())
}

/// The nearest number with `places` decimals. A tie goes to the even last digit.
pub fn fixed(value: Fraction, places: u32) -> String {
    let unit = 10u128.pow(places);
    let mut remainder =
        Remainder { dividend: value.numerator() % value.denominator(), divisor: value.denominator() };
    let decimals = (0..places).fold(0, |decimals, _| decimals * 10 + u128::from(remainder.next_digit()));
    let (mut integer, mut decimals) = (value.floor(), decimals);
    let up = match remainder.dividend.cmp(&(remainder.divisor - remainder.dividend)) {
        Ordering::Less => false,
        Ordering::Equal => decimals % 2 == 1,
        Ordering::Greater => true,
    };
    decimals += u128::from(up);
    if decimals == unit {
        (integer, decimals) = (integer + 1, 0);
    }
    format!("{integer}.{decimals:0width$}", width = places as usize)
}

/// Groups digits for people: `12345678` becomes `12,345,678`.
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of tenths with one digit behind the point.
pub(super) fn tenths(value: u64) -> String {
    format!("{}.{}", value / 10, value % 10)
}

/// A number of bytes for people: `29.5 MB`.
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

/// A value with three significant digits.
pub(crate) fn three_digits(value: f64) -> String {
    significant(value, 3)
}

/// A value with two significant digits.
pub(crate) fn two_digits(value: f64) -> String {
    significant(value, 2)
}

/// Integers are given in full.
fn significant(value: f64, digits: usize) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    let (mut places, mut limit) = (digits, 1.0);
    while size >= limit && places > 0 {
        (places, limit) = (places - 1, limit * 10.0);
    }
    limit = 0.1;
    while size < limit && places < 9 {
        (places, limit) = (places + 1, limit / 10.0);
    }
    if places == 0 { grouped(libm::round(size) as u64) } else { format!("{value:.places$}") }
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
    fn values_have_three_significant_digits() {
        let values = [0.0, 0.0512, 0.94766, 1.6804, 9.996, 38.04, 312.49, 12_345.6];
        let texts = ["0", "0.0512", "0.948", "1.68", "10.00", "38.0", "312", "12,346"];
        assert_eq!(values.map(three_digits), texts);
    }

    #[test]
    fn groups() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
        assert_eq!(grouped(12_345_678), "12,345,678");
    }
}
