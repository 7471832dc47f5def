//! JSON with a format tag, and objects whose keys are data.

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::marker::PhantomData;

/// A file with a tag that names its format.
pub trait Tagged: DeserializeOwned {
    const FORMAT: &'static str;
    fn format(&self) -> &str;
}

macro_rules! formats {
    ($($name:ident = $format:literal;)*) => {$(
        impl $crate::read::Tagged for $name {
            const FORMAT: &'static str = $format;
            fn format(&self) -> &str {
                &self.format
            }
        }
    )*};
}

pub(super) use formats;

/// Reads JSON.
///
/// # Errors
/// The error of the JSON reader, with line and column.
pub fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}

/// Reads JSON and compares its format tag.
///
/// # Errors
/// As [`json`], or the file has another format.
pub fn tagged<T: Tagged>(bytes: &[u8]) -> Result<T, String> {
    let value: T = json(bytes)?;
    match value.format() == T::FORMAT {
        true => Ok(value),
        false => Err(format!("its format is `{}`, but this fabc reads `{}`", value.format(), T::FORMAT)),
    }
}

/// Parses nanoseconds with three decimals. Returns picoseconds.
pub fn picoseconds_of(written: &RawValue) -> Option<u128> {
    let (whole, decimals) = written.get().split_once('.')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    let fits = decimals.len() == 3 && digits(whole) && digits(decimals);
    if fits { format!("{whole}{decimals}").parse().ok() } else { None }
}

/// A JSON object with free keys, none of which occurs twice.
pub struct FreeKeys<T>(pub BTreeMap<String, T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for FreeKeys<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        OrderedKeys::deserialize(deserializer).map(|OrderedKeys(all)| FreeKeys(all.into_iter().collect()))
    }
}

/// The same object, with its keys in the order of the file.
pub struct OrderedKeys<T>(pub Vec<(String, T)>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OrderedKeys<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Unique<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Unique<T> {
            type Value = OrderedKeys<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object without repeated keys")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OrderedKeys<T>, A::Error> {
                let (mut all, mut keys) = (Vec::new(), BTreeSet::new());
                while let Some((key, value)) = map.next_entry::<String, T>()? {
                    if !keys.insert(key.clone()) {
                        return Err(A::Error::custom(format!("key `{key}` occurs twice")));
                    }
                    all.push((key, value));
                }
                Ok(OrderedKeys(all))
            }
        }
        deserializer.deserialize_map(Unique(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        format: String,
        numbers: FreeKeys<u8>,
    }

    formats! { Sample = "sample/1"; }

    #[test]
    fn keys_occur_once_and_formats_are_told() {
        let read = |text: &str| {
            tagged::<Sample>(text.as_bytes()).map(|sample| sample.numbers.0.into_iter().collect::<Vec<_>>())
        };
        assert_eq!(
            read(r#"{"format":"sample/1","numbers":{"b":1,"a":2}}"#).unwrap(),
            [("a".to_owned(), 2), ("b".to_owned(), 1)]
        );
        for (text, what) in [
            (r#"{"format":"sample/1","numbers":{"b":1,"b":2}}"#, "key `b` occurs twice at line 1 column"),
            (
                r#"{"format":"sample/2","numbers":{}}"#,
                "its format is `sample/2`, but this fabc reads `sample/1`",
            ),
            (
                "{\"format\":\"sample/1\",\n\"more\":1}",
                "unknown field `more`, expected `format` or `numbers` at line 2 column 6",
            ),
            (r#"{"format":"sample/1"}"#, "missing field `numbers`"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.starts_with(what), "{error}");
        }
    }
}
