//! Readers of the files, independent of what wrote them: the shapes of docs/artifacts.md and nothing more.
//!
//! Garbage ends in [`CheckError::Unreadable`] with line and column, never in a panic.

use super::Files;
use crate::check::CheckError;
use crate::check::entries::Line;
use crate::check::faults::Served;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::marker::PhantomData;

/// A file that says which format it has.
pub(super) trait Tagged: DeserializeOwned {
    const FORMAT: &'static str;
    fn format(&self) -> &str;
}

macro_rules! tagged {
    ($($name:ident = $format:literal;)*) => {$(
        impl Tagged for $name {
            const FORMAT: &'static str = $format;
            fn format(&self) -> &str {
                &self.format
            }
        }
    )*};
}

tagged! {
    Manifest = "fabc.manifest/1";
    TopologyFile = "fabc.topology/1";
    NetworkFile = "fabc.topology/2";
    OcsFile = "fabc.ocs/1";
    TablesFile = "fabc.tables/1";
    Certificates = "fabc.certificates/1";
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    format: String,
    pub(super) tool: String,
    pub(super) fabric: String,
    pub(super) spec_blake3: String,
    pub(super) options: Keyed<String>,
    pub(super) files: Vec<ManifestLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ManifestLine {
    pub(super) path: String,
    pub(super) bytes: u64,
    pub(super) blake3: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TopologyFile {
    format: String,
    pub(super) fabric: String,
    pub(super) ports: Vec<String>,
    pub(super) nodes: Vec<NodeLine>,
    pub(super) links: Vec<LinkLine>,
    pub(super) symmetry: SymmetryLine,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NodeLine {
    pub(super) id: u32,
    pub(super) cube: u32,
    pub(super) at: [u32; 3],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LinkLine {
    pub(super) id: u32,
    pub(super) a: (u32, u16),
    pub(super) b: (u32, u16),
    pub(super) kind: KindLine,
    #[serde(default)]
    pub(super) ocs: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NetworkFile {
    format: String,
    pub(super) fabric: String,
    pub(super) ports: u16,
    pub(super) nodes: Vec<RouterOfNetwork>,
    pub(super) links: Vec<LinkOfNetwork>,
    pub(super) symmetry: BlockSymmetry,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RouterOfNetwork {
    pub(super) id: u32,
    pub(super) name: String,
    pub(super) hosts: u16,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LinkOfNetwork {
    pub(super) id: u32,
    pub(super) a: (u32, u16),
    pub(super) b: (u32, u16),
    pub(super) class: ClassLine,
    pub(super) link: String,
    #[serde(default)]
    pub(super) simplex: bool,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ClassLine {
    Local,
    Global,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BlockSymmetry {
    pub(super) block: u32,
    pub(super) generators: Vec<Vec<u32>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum KindLine {
    Copper,
    Fiber,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SymmetryLine {
    pub(super) generators: Vec<Vec<u32>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OcsFile {
    format: String,
    pub(super) ocs: Vec<OcsLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OcsLine {
    pub(super) name: String,
    pub(super) a: Vec<String>,
    pub(super) b: Vec<String>,
    pub(super) cross_connects: Vec<(u32, u32)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConfigDb {
    #[serde(rename = "OCS_PORT")]
    pub(super) ports: Keyed<ConfigPort>,
    #[serde(rename = "OCS_CROSS_CONNECT")]
    pub(super) cross_connects: Keyed<ConfigCrossConnect>,
}

#[derive(PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConfigPort {
    pub(super) label: String,
    pub(super) state: String,
}

#[derive(PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConfigCrossConnect {
    pub(super) a_side: String,
    pub(super) b_side: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TablesFile {
    format: String,
    pub(super) scenario: String,
    pub(super) vcs: u8,
    pub(super) canonical: bool,
    pub(super) key: Vec<String>,
    #[serde(default)]
    pub(super) vc: Option<String>,
    #[serde(default)]
    pub(super) images: Vec<Served>,
    pub(super) routers: Vec<RouterLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RouterLine {
    pub(super) node: u32,
    pub(super) entries: Vec<Line>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Certificates {
    format: String,
    pub(super) flow: FlowLine,
    #[serde(default)]
    pub(super) trees: Option<Vec<Vec<String>>>,
    pub(super) scenarios: Vec<ScenarioLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FlowLine {
    pub(super) demand: u64,
    pub(super) busiest: u64,
    pub(super) flows: Vec<SourceLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SourceLine {
    pub(super) source: u32,
    pub(super) units: Vec<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenarioLine {
    pub(super) scenario: String,
    pub(super) lengths: Vec<u64>,
    #[serde(default)]
    pub(super) flow: Option<FlowLine>,
    pub(super) canonical: bool,
    #[serde(default)]
    pub(super) ranks: Vec<u32>,
}

/// A JSON object with free keys, none of them twice.
pub(super) struct Keyed<T>(pub(super) BTreeMap<String, T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Keyed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ordered::deserialize(deserializer).map(|Ordered(all)| Keyed(all.into_iter().collect()))
    }
}

/// The same, its keys in the order of the file.
pub(super) struct Ordered<T>(pub(super) Vec<(String, T)>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Unique<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Unique<T> {
            type Value = Ordered<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object without repeated keys")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ordered<T>, A::Error> {
                let (mut all, mut keys) = (Vec::new(), BTreeSet::new());
                while let Some((key, value)) = map.next_entry::<String, T>()? {
                    if !keys.insert(key.clone()) {
                        return Err(serde::de::Error::custom(format!("key `{key}` occurs twice")));
                    }
                    all.push((key, value));
                }
                Ok(Ordered(all))
            }
        }
        deserializer.deserialize_map(Unique(PhantomData))
    }
}

/// The bytes of a file that must be there.
pub(super) fn bytes<'a>(files: &'a Files, path: &str) -> Result<&'a [u8], CheckError> {
    files.get(path).map(Vec::as_slice).ok_or_else(|| CheckError::Files { path: path.to_owned(), what: "is missing".to_owned() })
}

/// Reads a JSON file.
pub(super) fn json<T: DeserializeOwned>(files: &Files, path: &str) -> Result<T, CheckError> {
    serde_json::from_slice(bytes(files, path)?).map_err(|error| CheckError::Unreadable { file: path.to_owned(), what: error.to_string() })
}

/// Reads a JSON file and checks its format tag.
pub(super) fn tagged<T: Tagged>(files: &Files, path: &str) -> Result<T, CheckError> {
    let value: T = json(files, path)?;
    if value.format() != T::FORMAT {
        let what = format!("its format is `{}`, but this fabc reads `{}`", value.format(), T::FORMAT);
        return Err(CheckError::Unreadable { file: path.to_owned(), what });
    }
    Ok(value)
}

/// A contradiction without a declaration to point at.
pub(super) fn contradiction(file: &str, place: impl Into<String>, what: impl Into<String>) -> CheckError {
    CheckError::Contradiction { file: file.to_owned(), place: place.into(), what: what.into(), span: None }
}
