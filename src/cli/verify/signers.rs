//! Reads a file of allowed signers, as `ssh-keygen` reads it.
//!
//! A line is `principals [options] keytype base64-key [comment]`. Of the options `namespaces` is used. Others
//! restrict a key in ways that need a clock or certificates, so their lines are refused. Source: the section
//! ALLOWED SIGNERS of ssh-keygen(1) of OpenSSH 9.2.

use crate::io::signature_errors::SignatureError;
use ssh_key::PublicKey;

/// The namespace of signatures of fabc's manifests.
pub(super) const NAMESPACE: &str = "fabc";

/// A line of the file.
#[derive(Debug)]
pub(super) struct AllowedSigner {
    /// Whom the key belongs to, as the line says it.
    pub(super) principals: String,
    pub(super) key: PublicKey,
    /// The patterns of the namespaces that the key may sign. `None` for all.
    namespaces: Option<Vec<String>>,
}

impl AllowedSigner {
    /// Whether the key may sign manifests.
    pub(super) fn may_sign(&self) -> bool {
        let patterns = self.namespaces.as_ref();
        patterns.is_none_or(|patterns| patterns.iter().any(|pattern| fits(pattern, NAMESPACE)))
    }
}

/// Reads all lines of a file of allowed signers. `path` is for messages.
///
/// # Errors
/// The first line that is invalid, or has an option that fabc does not follow.
pub(super) fn read_signers(text: &str, path: &str) -> Result<Vec<AllowedSigner>, SignatureError> {
    let lines = (1..).zip(text.lines().map(str::trim));
    let used = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    used.map(|(line, text)| {
        signer(text).map_err(|(problem, hint)| SignatureError::Signers {
            path: path.to_owned(),
            line,
            problem,
            hint,
        })
    })
    .collect()
}

const FORM: &str =
    "a line is `alice@example.org namespaces=\"fabc\" ssh-ed25519 AAAA..`: principals, options, type and key";

/// Reads a line. The error is a phrase and a hint.
fn signer(line: &str) -> Result<AllowedSigner, (String, &'static str)> {
    let invalid = |problem: &str| (problem.to_owned(), FORM);
    let (principals, rest) = word(line).ok_or_else(|| invalid("is cut short"))?;
    let (first, after) = word(rest).ok_or_else(|| invalid("has no key"))?;
    let (options, key) = if is_key_type(first) { ("", rest) } else { (first, after) };
    let namespaces = namespaces(options)?;
    let key = PublicKey::from_openssh(key.trim()).map_err(|_| invalid("has no key that can be read"))?;
    Ok(AllowedSigner { principals: principals.trim_matches('"').to_owned(), key, namespaces })
}

fn is_key_type(word: &str) -> bool {
    ["ssh-", "ecdsa-", "sk-"].iter().any(|start| word.starts_with(start))
}

/// The first word of a text, in which quotes hold spaces together, and the rest.
fn word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let mut quoted = false;
    let end = text.find(|letter: char| {
        quoted ^= letter == '"';
        !quoted && letter.is_whitespace()
    });
    let (word, rest) = text.split_at(end.unwrap_or(text.len()));
    (!word.is_empty()).then_some((word, rest))
}

/// The namespaces that the options of a line name.
fn namespaces(options: &str) -> Result<Option<Vec<String>>, (String, &'static str)> {
    let mut namespaces = None;
    let mut quoted = false;
    let parts = options.split(|letter: char| {
        quoted ^= letter == '"';
        !quoted && letter == ','
    });
    for option in parts.filter(|option| !option.is_empty()) {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        match name.to_ascii_lowercase().as_str() {
            "namespaces" => {
                let patterns = value.trim_matches('"').split(',').map(str::to_owned);
                namespaces = Some(patterns.collect());
            }
            "valid-after" | "valid-before" => {
                let hint = "a result that depends on the time of the check is not reproducible: leave the line out when it is over, or use `ssh-keygen -Y verify`";
                return Err((format!("has `{name}`, which needs a clock"), hint));
            }
            "cert-authority" => {
                return Err(("is of an authority for certificates".to_owned(), "name the keys themselves"));
            }
            _ => return Err((format!("has the unknown option `{name}`"), FORM)),
        }
    }
    Ok(namespaces)
}

/// Whether a name fits a pattern with `*` for any letters and `?` for one.
fn fits(pattern: &str, name: &str) -> bool {
    match (pattern.chars().next(), name.chars().next()) {
        (None, None) => true,
        (Some('*'), _) => {
            fits(&pattern[1..], name)
                || name.chars().next().is_some_and(|letter| fits(pattern, &name[letter.len_utf8()..]))
        }
        (Some('?'), Some(letter)) => fits(&pattern[1..], &name[letter.len_utf8()..]),
        (Some(wanted), Some(letter)) if wanted == letter => {
            fits(&pattern[wanted.len_utf8()..], &name[letter.len_utf8()..])
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB2qPGa8LfkNJqyj2TnSjNIkDPDjz7AZLhXf0iXQhrnQ";

    fn read(line: &str) -> Result<(String, bool), String> {
        let signers = read_signers(line, "signers").map_err(|error| error.to_string())?;
        let [signer] = &signers[..] else { return Err("not one line".to_owned()) };
        Ok((signer.principals.clone(), signer.may_sign()))
    }

    #[test]
    fn lines_are_read_as_ssh_keygen_reads_them() {
        for (line, principals, may_sign) in [
            (format!("alice {KEY}"), "alice", true),
            (format!("# nobody\n\n  alice,bob   {KEY} a comment\n"), "alice,bob", true),
            (format!("alice namespaces=\"git,fabc\" {KEY}"), "alice", true),
            (format!("\"alice smith\" NameSpaces=\"fa*\" {KEY}"), "alice smith", true),
            (format!("alice namespaces=\"f?b*c\" {KEY}"), "alice", true),
            (format!("alice namespaces=\"git,fab,fabcc\" {KEY}"), "alice", false),
        ] {
            assert_eq!(read(&line), Ok((principals.to_owned(), may_sign)), "{line}");
        }
    }

    #[test]
    fn lines_that_are_not_followed_are_refused() {
        for (line, message) in [
            ("alice".to_owned(), "line 1 of `signers` has no key"),
            (format!("\nalice {}", &KEY[..40]), "line 2 of `signers` has no key that can be read"),
            (
                format!("alice valid-before=\"20300101\" {KEY}"),
                "line 1 of `signers` has `valid-before`, which needs a clock",
            ),
            (
                format!("alice namespaces=\"fabc\",cert-authority {KEY}"),
                "line 1 of `signers` is of an authority for certificates",
            ),
            (format!("alice no-touch {KEY}"), "line 1 of `signers` has the unknown option `no-touch`"),
        ] {
            assert_eq!(read(&line), Err(message.to_owned()), "{line}");
        }
    }
}
