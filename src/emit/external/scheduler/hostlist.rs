//! Lists of names as Slurm reads them, such as `host[0-3,8],login`.

use crate::json::push;

/// A name in two parts: the text before its final number, and the number.
struct Numbered<'a> {
    stem: &'a str,
    number: u32,
    /// Digits of a number that is written with zeros before it. 0 for a plain number.
    width: usize,
}

/// Splits a name before its final number. `None` if it has none, or one that is too long.
fn split_number(name: &str) -> Option<Numbered<'_>> {
    let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let digits = &name[stem.len()..];
    let number = digits.parse().ok().filter(|_| digits.len() < 10)?;
    let width = if digits.len() > 1 && digits.starts_with('0') { digits.len() } else { 0 };
    Some(Numbered { stem, number, width })
}

/// Names that Slurm lists as one: they have a stem and numbers that ascend.
struct Run<'a> {
    stem: &'a str,
    width: usize,
    /// First and last number of ranges.
    ranges: Vec<(u32, u32)>,
}

impl Run<'_> {
    /// Takes another name if it belongs to this run.
    fn takes(&mut self, next: &Numbered<'_>) -> bool {
        let digits = next.number.checked_ilog10().unwrap_or(0) as usize + 1;
        let has_width = self.width == next.width || next.width == 0 && self.width == digits;
        let Some((_, last)) = self.ranges.last_mut() else { return false };
        if self.stem != next.stem || !has_width || next.number <= *last {
            return false;
        }
        if next.number == *last + 1 {
            *last = next.number;
        } else {
            self.ranges.push((next.number, next.number));
        }
        true
    }

    fn text(&self) -> String {
        let Self { stem, width, ranges } = self;
        let range = |&(first, last): &(u32, u32)| match last - first {
            0 => format!("{first:0width$}"),
            _ => format!("{first:0width$}-{last:0width$}"),
        };
        match &ranges[..] {
            [(first, last)] if first == last => format!("{stem}{first:0width$}"),
            _ => format!("{stem}[{}]", ranges.iter().map(range).collect::<Vec<_>>().join(",")),
        }
    }
}

/// The list of some names. Neighbors that differ in their final number only are ranges.
pub(super) fn name_list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut list = String::new();
    let mut add = |text: &str| {
        let comma = if list.is_empty() { "" } else { "," };
        push(&mut list, format_args!("{comma}{text}"));
    };
    let mut open: Option<Run<'_>> = None;
    for name in names {
        let split = split_number(name);
        if let (Some(run), Some(next)) = (&mut open, &split)
            && run.takes(next)
        {
            continue;
        }
        if let Some(run) = open.take() {
            add(&run.text());
        }
        match split {
            Some(Numbered { stem, number, width }) => {
                open = Some(Run { stem, width, ranges: vec![(number, number)] });
            }
            None => add(name),
        }
    }
    if let Some(run) = open {
        add(&run.text());
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_ascending_numbers_are_a_range() {
        for (names, list) in [
            (&["box0", "box1", "box2", "box5", "box7", "box8"][..], "box[0-2,5,7-8]"),
            (&["host3"], "host3"),
            (&["leaf-0", "leaf-1", "leaf-2"], "leaf-[0-2]"),
            (&["agg-0-3", "agg-1-3", "edge-1-4"], "agg-0-3,agg-1-3,edge-1-4"),
            (&["a-9", "a-10", "b-11", "odd", "odd"], "a-[9-10],b-11,odd,odd"),
            (&["n08", "n09", "n10", "n11"], "n[08-11]"),
            (&["n8", "n09"], "n8,n09"),
            (&["n099", "n100", "n1000"], "n[099-100],n1000"),
            (&["b1", "b0"], "b1,b0"),
            (&["gpu.local", "x12345678901"], "gpu.local,x12345678901"),
            (&[], ""),
        ] {
            assert_eq!(name_list(names.iter().copied()), list);
        }
    }
}
