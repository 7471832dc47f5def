//! The policies of `--policy`: settings such as `spare = [0, 2]; swap = at_night;`.
//!
//! In: the text of an option. Out: policies. A list of values stands for one policy per value, and several
//! lists stand for all combinations. What is left out has the value that the pod gives.

use crate::refusal::Refusal;
use fabc_base::diag::{Failure, SourceMap, suggestion};
use fabc_emit::{CableResponse, OperatePolicy, SwapTime};
use fabc_lang::syntax::ast::{StatementKind, ValueKind};
use fabc_lang::syntax::parse_settings;

/// The source name of a policy, where an error of syntax points at it.
const SOURCE: &str = "--policy";

/// The most policies of a run.
pub(super) const MOST_POLICIES: usize = 64;

/// The settings of a policy.
const SETTINGS: [&str; 4] = ["spare", "faults", "cables", "swap"];

/// An error in the text of a policy.
#[derive(Debug)]
pub enum PolicyError {
    /// The text has another form.
    Syntax(Failure, SourceMap),
    /// A setting or a value does not exist.
    Refused(Refusal),
}

impl From<Refusal> for PolicyError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// The values of a `--policy`. An empty list is a setting that was left out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PolicySettings {
    spare: Vec<u32>,
    faults: Vec<u32>,
    cables: Vec<CableResponse>,
    swap: Vec<SwapTime>,
}

/// What a pod gives for settings that are left out.
#[derive(Clone, Copy, Debug)]
pub(super) struct PolicyDefaults {
    /// Number of cubes that no slice has.
    pub(super) spare: u32,
    /// The number of dark switches that the build tolerates.
    pub(super) faults: u32,
}

/// Reads the text of a policy.
///
/// # Errors
/// [`PolicyError`] for another form, and for unknown settings and values.
pub fn parse_policy(text: &str) -> Result<PolicySettings, PolicyError> {
    // The last `;` may be left out, as in a shell.
    let ended = text.trim_end().ends_with(';') || text.trim().is_empty();
    let text = if ended { text.to_owned() } else { format!("{text};") };
    let (parsed, sources) = parse_settings(SOURCE, &text);
    let block = parsed.map_err(|errors| PolicyError::Syntax(Failure::spec_errors(errors), sources))?;
    let mut settings = PolicySettings::default();
    let mut seen: Vec<String> = Vec::new();
    for statement in &block.statements {
        let span = statement.span;
        let StatementKind::Setting(setting) = &statement.kind else {
            let shown = text.get(span.start as usize..span.end as usize).unwrap_or_default();
            return Err(no_setting(shown).into());
        };
        let name = &*setting.name.value;
        let values: Vec<String> = match &setting.value.kind {
            ValueKind::List(items) => items.iter().map(|item| item.value.to_string()).collect(),
            _ => {
                let span = setting.value.span;
                vec![text.get(span.start as usize..span.end as usize).unwrap_or_default().trim().to_owned()]
            }
        };
        if seen.iter().any(|known| known == name) {
            let problem = format!("`{name}` is given twice in one policy");
            return Err(refused(problem, format!("write a list of values: `{name} = [0, 1]`")).into());
        }
        seen.push(name.to_owned());
        match name {
            "spare" => {
                settings.spare = values.iter().map(|value| count(name, value)).collect::<Result<_, _>>()?
            }
            "faults" => {
                settings.faults = values.iter().map(|value| count(name, value)).collect::<Result<_, _>>()?;
            }
            "cables" => {
                let read = |value: &String| word(name, value, &CableResponse::WORDS);
                settings.cables = values.iter().map(read).collect::<Result<_, _>>()?;
            }
            "swap" => {
                let read = |value: &String| word(name, value, &SwapTime::WORDS);
                settings.swap = values.iter().map(read).collect::<Result<_, _>>()?;
            }
            _ => return Err(no_setting(name).into()),
        }
        if values.is_empty() {
            return Err(refused(format!("`{name}` has an empty list"), "write a value".to_owned()).into());
        }
    }
    Ok(settings)
}

fn no_setting(name: &str) -> Refusal {
    let hint = suggestion(name, SETTINGS).unwrap_or_default();
    refused(format!("a policy has no setting `{name}`"), hint)
}

fn refused(problem: String, hint: String) -> Refusal {
    Refusal::Policy { problem, hint }
}

/// A whole number of a setting.
fn count(name: &str, value: &str) -> Result<u32, Refusal> {
    value.parse().map_err(|_| {
        refused(
            format!(
                "`{name} = {value}` is not a number of {}",
                if name == "spare" { "cubes" } else { "switches" }
            ),
            format!("write a whole number, such as `{name} = 2`"),
        )
    })
}

/// The value of a word of a setting.
fn word<T: Copy>(name: &str, value: &str, words: &[(&'static str, T)]) -> Result<T, Refusal> {
    let known = words.iter().find(|(word, _)| *word == value);
    known.map(|(_, value)| *value).ok_or_else(|| {
        let hint = suggestion(value, words.iter().map(|(word, _)| *word)).unwrap_or_default();
        refused(format!("`{name}` has no value `{value}`"), hint)
    })
}

/// The policies of all `--policy` options, each once, in the order given. Without options there is one policy
/// with the values of the pod.
///
/// # Errors
/// [`Refusal::Policy`] for more spare cubes than there are, for a swap without spare cubes, and for too many
/// policies.
pub(super) fn complete_policies(
    settings: &[PolicySettings],
    defaults: PolicyDefaults,
) -> Result<Vec<OperatePolicy>, Refusal> {
    fn or<T: Copy>(values: &[T], default: T) -> Vec<T> {
        if values.is_empty() { vec![default] } else { values.to_vec() }
    }
    let only_defaults = [PolicySettings::default()];
    let mut policies: Vec<OperatePolicy> = Vec::new();
    for settings in if settings.is_empty() { &only_defaults[..] } else { settings } {
        for spare in or(&settings.spare, defaults.spare) {
            // Without spare cubes nothing can be swapped.
            let swaps = or(&settings.swap, if spare > 0 { SwapTime::AtOnce } else { SwapTime::Never });
            for faults in or(&settings.faults, defaults.faults) {
                for cables in or(&settings.cables, CableResponse::Swap) {
                    for &swap in &swaps {
                        let policy = OperatePolicy { spare, faults, cables, swap };
                        check_spares(policy, defaults.spare)?;
                        if !policies.contains(&policy) {
                            policies.push(policy);
                        }
                        if policies.len() > MOST_POLICIES {
                            return Err(refused(
                                format!("these are more than {MOST_POLICIES} policies"),
                                "compare fewer at once: lists stand for all combinations".to_owned(),
                            ));
                        }
                    }
                }
            }
        }
    }
    Ok(policies)
}

/// Checks the number of spare cubes of a policy.
fn check_spares(policy: OperatePolicy, most: u32) -> Result<(), Refusal> {
    let OperatePolicy { spare, swap, .. } = policy;
    if spare > most {
        let problem = format!("`spare = {spare}` is more than the {most} cubes that belong to no slice");
        let hint = match most {
            0 => {
                "write `spare = 0`. A pod in slices can have spare cubes: `spare = 2;` in its spec".to_owned()
            }
            _ => format!("write at most `spare = {most}`, or remove a slice with `fabc place`"),
        };
        return Err(refused(problem, hint));
    }
    if spare == 0 && swap != SwapTime::Never && most == 0 {
        return Err(refused(
            format!("a policy swaps cubes (`swap = {}`), but no cube is spare", swap.word()),
            "write `swap = never`. A pod in slices can have spare cubes: `spare = 2;` in its spec".to_owned(),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const POD: PolicyDefaults = PolicyDefaults { spare: 2, faults: 1 };

    fn policies(texts: &[&str]) -> Result<Vec<String>, String> {
        let parse = |text: &&str| match parse_policy(text) {
            Ok(settings) => Ok(settings),
            Err(PolicyError::Refused(refusal)) => Err(refusal.to_string()),
            Err(PolicyError::Syntax(..)) => Err("syntax".to_owned()),
        };
        let settings = texts.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        let policies = complete_policies(&settings, POD).map_err(|refusal| refusal.to_string())?;
        Ok(policies.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn lists_stand_for_all_combinations_once() {
        assert_eq!(policies(&[]).unwrap(), ["spare = 2; faults = 1; cables = swap; swap = at_once;"]);
        assert_eq!(policies(&["", "spare=2"]).unwrap().len(), 1);
        let several = policies(&["spare = [0, 2]; cables = [swap, around];", "faults = 0"]).unwrap();
        assert_eq!(
            several,
            [
                "spare = 0; faults = 1; cables = swap; swap = never;",
                "spare = 0; faults = 1; cables = around; swap = never;",
                "spare = 2; faults = 1; cables = swap; swap = at_once;",
                "spare = 2; faults = 1; cables = around; swap = at_once;",
                "spare = 2; faults = 0; cables = swap; swap = at_once;",
            ]
        );
        // What is printed is read again.
        let again: Vec<&str> = several.iter().map(String::as_str).collect();
        assert_eq!(policies(&again).unwrap(), several);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let error = |text: &str| policies(&[text]).unwrap_err();
        assert_eq!(error("spares = 2"), "a policy has no setting `spares`");
        assert_eq!(error("swap = at_nigth"), "`swap` has no value `at_nigth`");
        assert_eq!(error("spare = 3"), "`spare = 3` is more than the 2 cubes that belong to no slice");
        assert_eq!(error("spare = few"), "`spare = few` is not a number of cubes");
        assert_eq!(error("faults = 0.5"), "`faults = 0.5` is not a number of switches");
        assert_eq!(error("spare = 1; spare = 2"), "`spare` is given twice in one policy");
        assert_eq!(error("spare"), "syntax");
    }
}
