//! The lines that two texts do not have in common.

/// Limit on the product of the numbers of lines. Larger texts are not compared line by line.
const COMPARISONS_LIMIT: usize = 1 << 24;

/// The lines that only the first text has, and those that only the second has, in order. They are the lines
/// outside a longest common subsequence. Texts too long for that give all lines between their common start
/// and their common end.
pub fn lines_apart(texts: [&str; 2]) -> [Vec<String>; 2] {
    let [mut a, mut b] = texts.map(|text| text.lines().collect::<Vec<_>>());
    let same_start = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&mut a[same_start..], &mut b[same_start..]);
    let same_end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - same_end], &b[..b.len() - same_end]);
    let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let width = b.len() + 1;
    if a.len().saturating_mul(b.len()) > COMPARISONS_LIMIT {
        return [owned(a), owned(b)];
    }
    // `[index_a * width + index_b]`: length of the longest common subsequence of the remaining lines.
    let mut longest = vec![0u32; (a.len() + 1) * width];
    for index_a in (0..a.len()).rev() {
        for index_b in (0..b.len()).rev() {
            longest[index_a * width + index_b] = match a[index_a] == b[index_b] {
                true => longest[(index_a + 1) * width + index_b + 1] + 1,
                false => longest[(index_a + 1) * width + index_b].max(longest[index_a * width + index_b + 1]),
            };
        }
    }
    let (mut index_a, mut index_b, mut differing) = (0, 0, [Vec::new(), Vec::new()]);
    while index_a < a.len() || index_b < b.len() {
        if index_a < a.len() && index_b < b.len() && a[index_a] == b[index_b] {
            (index_a, index_b) = (index_a + 1, index_b + 1);
        } else if index_b == b.len()
            || index_a < a.len()
                && longest[(index_a + 1) * width + index_b] >= longest[index_a * width + index_b + 1]
        {
            differing[0].push(a[index_a].to_owned());
            index_a += 1;
        } else {
            differing[1].push(b[index_b].to_owned());
            index_b += 1;
        }
    }
    differing
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
