//! Numbers as artifacts print them: the same digits on every machine, bounds rounded to the safe side.

/// Significant digits of flows and of bounds on flows.
pub const FLOW_DIGITS: usize = 9;

/// The largest decimal with `digits` significant digits that is at most `value` (a non-negative number), without trailing zeros.
///
/// `value` is read to 15 digits, so that 0.1 and 1/128 stay what they are and the last bit of an `f64` never shows.
pub fn round_down_sig(value: f64, digits: usize) -> String {
    round_sig(value, digits, false)
}

/// The smallest decimal with `digits` significant digits that is at least `value` (a non-negative number), without trailing zeros.
pub fn round_up_sig(value: f64, digits: usize) -> String {
    round_sig(value, digits, true)
}

fn round_sig(value: f64, digits: usize, up: bool) -> String {
    if !value.is_finite() || value < 0.0 {
        return "null".to_owned();
    }
    // d.dddddddddddddde<exponent>, correctly rounded.
    let text = format!("{value:.14e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mut exponent: i32 = exponent.parse().unwrap_or(0);
    let mut kept: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect();
    let cut = kept.len() > digits && kept[digits..].iter().any(|&digit| digit != 0);
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
pub fn lower(value: f64) -> String {
    round_down_sig(value, FLOW_DIGITS)
}

/// A certified upper end, 9 significant digits, rounded up.
pub fn upper(value: f64) -> String {
    round_up_sig(value, FLOW_DIGITS)
}

/// A ratio or a mean, 6 decimals.
pub fn ratio(value: f64) -> String {
    if value.is_finite() { format!("{value:.6}") } else { "null".to_owned() }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_decimals_stay() {
        for (value, text) in
            [(1.0 / 128.0, "0.0078125"), (0.1, "0.1"), (0.0, "0"), (1.0, "1"), (128.0, "128"), (100.0, "100"), (120.5, "120.5")]
        {
            assert_eq!(lower(value), text);
            assert_eq!(upper(value), text);
        }
        assert_eq!(lower(1.0 / 375.0 * 255.0), "0.68");
        assert_eq!(lower(1.0 / 1_048_576.0), "0.000000953674316");
        assert_eq!(upper(1.0 / 1_048_576.0), "0.000000953674317");
    }

    #[test]
    fn the_others_go_to_their_side() {
        assert_eq!(lower(1.0 / 3.0), "0.333333333");
        assert_eq!(upper(1.0 / 3.0), "0.333333334");
        assert_eq!(lower(0.999_999_999_9), "0.999999999");
        assert_eq!(upper(0.999_999_999_9), "1");
        assert_eq!(upper(9_999_999_999.5), "10000000000");
        assert_eq!(lower(9_999_999_999.5), "9999999990");
        assert_eq!(lower(1_234.567_891_234), "1234.56789");
        assert_eq!(upper(1_234.567_891_234), "1234.5679");
        assert_eq!(lower(f64::NAN), "null");
    }

    #[test]
    fn both_sides_enclose() {
        let mut value = 1e-9;
        while value < 1e9 {
            let (low, high): (f64, f64) = (lower(value).parse().unwrap(), upper(value).parse().unwrap());
            assert!(low <= value && value <= high && high - low <= value * 1.1e-8, "{low} {value} {high}");
            value *= 1.618_033_988_749;
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
