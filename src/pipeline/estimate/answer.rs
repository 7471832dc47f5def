//! The cost of a collective by closed forms, as words of a command line ask for it.

use super::words::{UnreadWords, WrittenLine};
use fabc_base::diag::Span;
use fabc_estimate::{Arguments, EstimateRequest, EstimateTable, estimate_table, parse_request};

/// Answers for one shape. `option` gives the text of an option by its name, such as `--size`. The collective
/// itself has no option: its name is empty.
///
/// # Errors
/// Everything that is wrong in the words. Errors point into the command line.
pub fn answer_estimate<'t>(
    option: impl Fn(&str) -> Option<&'t str>,
) -> Result<(EstimateRequest, EstimateTable), UnreadWords> {
    let mut line = WrittenLine::new("fabc estimate");
    let mut word = |name: &str| match name {
        "" => line.word("", option(name)),
        _ => line.word(&format!(" {name}"), option(name)),
    };
    let mut arguments = Arguments {
        kind: word(""),
        size: word("--size"),
        sizes: word("--sizes"),
        on: word("--on"),
        algorithm: word("--algorithm"),
        alpha: word("--alpha"),
        overhead: word("--overhead"),
        bandwidth: word("--bandwidth"),
        eta: word("--eta"),
        links: word("--links"),
        oversubscription: word("--oversubscription"),
        skew: word("--skew"),
        in_switch: word("--in-switch"),
        over: word("--over"),
        outer_alpha: word("--outer-alpha"),
        outer_overhead: word("--outer-overhead"),
        outer_bandwidth: word("--outer-bandwidth"),
        outer_eta: word("--outer-eta"),
        outer_in_switch: word("--outer-in-switch"),
        end: Span::default(),
    };
    arguments.end = line.end();
    let request = parse_request(&arguments).map_err(|errors| line.unread(errors))?;
    let table = estimate_table(&request.question);
    Ok((request, table))
}
