//! Lines: what two texts do not have in common.

/// Lines of a text that are compared with lines of another at most: their product is looked at.
const LOOKS: usize = 1 << 24;

/// Lines that only the first has, and that only the second has, in order: those outside a longest common
/// subsequence. Of texts too long for that, all lines between the first and the last that are not the same.
pub fn lines_apart(texts: [&str; 2]) -> [Vec<String>; 2] {
    let [mut a, mut b] = texts.map(|text| text.lines().collect::<Vec<_>>());
    let first = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&mut a[first..], &mut b[first..]);
    let last = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - last], &b[..b.len() - last]);
    let told = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let wide = b.len() + 1;
    if a.len().saturating_mul(b.len()) > LOOKS {
        return [told(a), told(b)];
    }
    // [at * wide + other]: the longest common subsequence of what follows.
    let mut longest = vec![0u32; (a.len() + 1) * wide];
    for at in (0..a.len()).rev() {
        for other in (0..b.len()).rev() {
            longest[at * wide + other] = match a[at] == b[other] {
                true => longest[(at + 1) * wide + other + 1] + 1,
                false => longest[(at + 1) * wide + other].max(longest[at * wide + other + 1]),
            };
        }
    }
    let (mut at, mut other, mut apart) = (0, 0, [Vec::new(), Vec::new()]);
    while at < a.len() || other < b.len() {
        if at < a.len() && other < b.len() && a[at] == b[other] {
            (at, other) = (at + 1, other + 1);
        } else if other == b.len()
            || at < a.len() && longest[(at + 1) * wide + other] >= longest[at * wide + other + 1]
        {
            apart[0].push(a[at].to_owned());
            at += 1;
        } else {
            apart[1].push(b[other].to_owned());
            other += 1;
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_common_is_told() {
        let apart = |a: &str, b: &str| lines_apart([a, b]).map(|lines| lines.join(" "));
        assert_eq!(apart("a\nb\nc\nd", "a\nx\nc\ny\nd"), ["b", "x y"]);
        assert_eq!(apart("a\nb", "a\nb"), ["", ""]);
        assert_eq!(apart("", "a\nb"), ["", "a b"]);
        assert_eq!(apart("c\na\nb", "a\nb\nc"), ["c", "c"]);
        let long = |from: u32| (from..from + 5000).map(|line| format!("{line}\n")).collect::<String>();
        assert_eq!(lines_apart([&long(0), &long(7)]).map(|lines| lines.len()), [5000, 5000]);
    }
}
