//! The skew of all-to-alls for people and files.

use fabc_model::{EVEN_SKEW, Job, JobOperation};

/// A skew as a decimal: `1.3`.
pub(super) fn skew_text(millionths: u64) -> String {
    let (whole, rest) = (millionths / EVEN_SKEW, millionths % EVEN_SKEW);
    format!("{whole}.{rest:06}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// What times assume of the pairs of ranks in all-to-alls, a sentence for each skew.
pub(crate) fn skew_lines(job: &Job) -> Vec<String> {
    let mut by_skew: Vec<(u64, Vec<String>)> = Vec::new();
    for phase in &job.phases {
        for operation in phase.operations.iter().filter(|operation| operation.is_all_to_all()) {
            let JobOperation { name, skew_millionths, .. } = operation;
            let name = format!("`{}.{name}`", phase.name);
            match by_skew.iter_mut().find(|(known, _)| known == skew_millionths) {
                Some((_, names)) => names.push(name),
                None => by_skew.push((*skew_millionths, vec![name])),
            }
        }
    }
    let line = |(skew, names): (u64, Vec<String>)| skew_line(skew, &names.join(", "));
    by_skew.into_iter().map(line).collect()
}

fn skew_line(millionths: u64, names: &str) -> String {
    if millionths == EVEN_SKEW {
        return format!("even choice of experts: all pairs of ranks send as much in {names}");
    }
    let skew = skew_text(millionths);
    format!(
        "skew {skew} in {names}: channels count as if all pairs of ranks sent as much as the busiest one, which \
         sends {skew} times the mean; bounds are those of an even choice of experts"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skew_is_a_decimal_without_zeros_at_its_end() {
        let texts = [1_000_000, 1_300_000, 64_000_000, 1_000_001, 10_500_000].map(skew_text);
        assert_eq!(texts, ["1", "1.3", "64", "1.000001", "10.5"]);
    }
}
