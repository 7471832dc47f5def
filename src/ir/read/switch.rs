//! What a switch says of itself: SONiC's CONFIG_DB, its STATE_DB as it is dumped, or the cross-connects of a
//! Polatis switch. Other tables and keys are skipped.

use super::json::json;
use super::ocs::AnyConfigDb;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// One file of one switch.
pub enum SwitchFile {
    /// What the switch is told.
    Config(AnyConfigDb),
    /// What it does.
    State(StateDb),
    /// Pairs of ingress and egress ports that are joined.
    Polatis(Vec<[u32; 2]>),
}

/// What a switch does; all keys are those of ports (`1A`) and of cross-connects (`1A-2B`).
#[derive(Default)]
pub struct StateDb {
    pub ports: BTreeMap<String, StatePort>,
    pub cross_connects: BTreeMap<String, StateCrossConnect>,
}

/// A port in STATE_DB.
pub struct StatePort {
    pub label: Option<String>,
    pub light: Option<Light>,
    /// The port that its light goes to.
    pub target: Option<String>,
}

/// A cross-connect in STATE_DB.
pub struct StateCrossConnect {
    /// The ports that it joins.
    pub ends: [String; 2],
    /// What is said of its first end, its second one, or of both.
    pub lights: [Option<Light>; 2],
}

/// Whether light passes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Light {
    /// It passes.
    Tuned,
    /// It is about to.
    Tuning,
    /// A port is told to block it.
    Blocked,
    /// It does not pass, or the word is not known.
    Failed,
}

impl Light {
    /// Of the words of the high-level design and of the published image; hyphens are as good as underscores.
    fn of(word: &str) -> Self {
        match word.trim().to_lowercase().replace('-', "_").as_str() {
            "tuned" | "connected" => Light::Tuned,
            "tuning" => Light::Tuning,
            "blocked" | "force_blocked" | "powered_off" => Light::Blocked,
            _ => Light::Failed,
        }
    }
}

/// Whether a port of CONFIG_DB lets light pass.
pub fn is_normal(word: &str) -> bool {
    word.trim().eq_ignore_ascii_case("normal")
}

/// Reads one file; `told` where its name says that it is a STATE_DB.
///
/// # Errors
/// It is none of these, with the place.
pub fn switch_file(bytes: &[u8], told: bool) -> Result<SwitchFile, String> {
    let document: Map<String, Value> = json(bytes)?;
    if document.contains_key(POLATIS) {
        let file: PolatisFile = json(bytes)?;
        return Ok(SwitchFile::Polatis(
            file.cross_connects.pair.iter().map(|pair| [pair.ingress, pair.egress]).collect(),
        ));
    }
    if told || is_state(&document) {
        return state(&document).map(SwitchFile::State);
    }
    json(bytes).map(SwitchFile::Config)
}

const POLATIS: &str = "optical-switch:cross-connects";

#[derive(Deserialize)]
struct PolatisFile {
    #[serde(rename = "optical-switch:cross-connects")]
    cross_connects: PolatisPairs,
}

#[derive(Deserialize)]
struct PolatisPairs {
    #[serde(default)]
    pair: Vec<PolatisPair>,
}

#[derive(Deserialize)]
struct PolatisPair {
    ingress: u32,
    egress: u32,
}

const PORTS: [&str; 2] = ["OCS_PORT", "OCS_PORT_TABLE"];
const CROSS_CONNECTS: [&str; 2] = ["OCS_CROSS_CONNECT", "OCS_CROSS_CONNECT_TABLE"];
/// What only a STATE_DB says.
const SAID: [&str; 6] =
    ["status", "oper_status", "a_side_status", "b_side_status", "target_simplex_port_id", "target_port"];

/// Whether keys are `TABLE|key`, tables have the names of a STATE_DB, or rows say what only one says.
fn is_state(document: &Map<String, Value>) -> bool {
    document.iter().any(|(name, rows)| {
        let of_state = name.contains('|') || name == PORTS[1] || name == CROSS_CONNECTS[1];
        let says = |row: &Value| {
            fields(row).is_some_and(|fields| SAID.iter().any(|said| fields.contains_key(*said)))
        };
        of_state
            || (PORTS[0] == name || CROSS_CONNECTS[0] == name)
                && rows.as_object().is_some_and(|rows| rows.values().any(says))
    })
}

/// The fields of a row, also where a dump wraps them with their type.
fn fields(row: &Value) -> Option<&Map<String, Value>> {
    let row = row.as_object()?;
    match row.get("value") {
        Some(Value::Object(inner)) => Some(inner),
        _ => Some(row),
    }
}

fn state(document: &Map<String, Value>) -> Result<StateDb, String> {
    let mut found = StateDb::default();
    for (name, rows) in document {
        match name.split_once('|') {
            Some((table, key)) => found.row(table, key, rows)?,
            None if PORTS.contains(&name.as_str()) || CROSS_CONNECTS.contains(&name.as_str()) => {
                let rows = fields(rows).ok_or_else(|| format!("at `{name}`: it is no table"))?;
                for (key, row) in rows {
                    found.row(name, key, row)?;
                }
            }
            None => {}
        }
    }
    Ok(found)
}

impl StateDb {
    fn row(&mut self, table: &str, key: &str, row: &Value) -> Result<(), String> {
        let (port, cross_connect) = (PORTS.contains(&table), CROSS_CONNECTS.contains(&table));
        if !port && !cross_connect {
            return Ok(());
        }
        let place = format!("at `{table}|{key}`");
        let fields = fields(row).ok_or_else(|| format!("{place}: it has no fields"))?;
        let text = |name: &str| match fields.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty())),
            Some(other) => Err(format!("{place}: `{name}` is {other}, not text")),
        };
        let either = |one: &str, other: &str| Ok::<_, String>(text(one)?.or(text(other)?));
        let light = |word: Option<String>| word.map(|word| Light::of(&word));
        if port {
            let light = light(either("status", "oper_status")?);
            let target = either("target_simplex_port_id", "target_port")?;
            self.ports.insert(key.to_owned(), StatePort { label: text("label")?, light, target });
            return Ok(());
        }
        let ends = match (text("a_side")?, text("b_side")?) {
            (Some(a), Some(b)) => [a, b],
            _ => {
                let ends = key.split_once('-').filter(|(a, b)| !a.is_empty() && !b.is_empty());
                ends.map(|(a, b)| [a.to_owned(), b.to_owned()])
                    .ok_or_else(|| format!("{place}: it names no two ports"))?
            }
        };
        let both = light(either("status", "oper_status")?);
        let lights = [light(text("a_side_status")?).or(both), light(text("b_side_status")?).or(both)];
        self.cross_connects.insert(key.to_owned(), StateCrossConnect { ends, lights });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_what_it_says() {
        let kind = |text: &str| match switch_file(text.as_bytes(), false) {
            Ok(SwitchFile::Config(config)) => format!("config {}", config.cross_connects.len()),
            Ok(SwitchFile::State(state)) => {
                let lights: Vec<_> =
                    state.cross_connects.values().map(|one| (one.ends.join(">"), one.lights)).collect();
                format!("state {} {lights:?}", state.ports.len())
            }
            Ok(SwitchFile::Polatis(pairs)) => format!("polatis {pairs:?}"),
            Err(error) => error,
        };
        let tuned = "state 0 [(\"1A>2B\", [Some(Tuned), Some(Tuned)])]";
        for (text, found) in [
            (
                r#"{"OCS_PORT":{"1A":{"label":"x"}},"OCS_CROSS_CONNECT":{"1A-2B":{"a_side":"1A","b_side":"2B"}},"X":3}"#,
                "config 1",
            ),
            (
                r#"{"OCS_CROSS_CONNECT|1A-2B":{"a_side":"1A","b_side":"2B","a_side_status":"tuned","b_side_status":"tuned"}}"#,
                tuned,
            ),
            (
                r#"{"OCS_CROSS_CONNECT_TABLE|1A-2B":{"type":"hash","value":{"oper_status":"Connected"}}}"#,
                tuned,
            ),
            (r#"{"OCS_CROSS_CONNECT_TABLE":{"1A-2B":{"status":"tuned"}}}"#, tuned),
            (r#"{"OCS_CROSS_CONNECT":{"1A-2B":{"status":"tuned"}},"OTHER":{"a":1}}"#, tuned),
            (
                r#"{"OCS_CROSS_CONNECT|1A-2B":{"a_side_status":"force-blocked","b_side_status":"odd"}}"#,
                "state 0 [(\"1A>2B\", [Some(Blocked), Some(Failed)])]",
            ),
            (
                r#"{"optical-switch:cross-connects":{"pair":[{"ingress":1,"egress":13}]}}"#,
                "polatis [[1, 13]]",
            ),
            (
                r#"{"OCS_CROSS_CONNECT|1A":{"status":"tuned"}}"#,
                "at `OCS_CROSS_CONNECT|1A`: it names no two ports",
            ),
            (r#"{"OCS_PORT|1A":{"status":7}}"#, "at `OCS_PORT|1A`: `status` is 7, not text"),
            ("[]", "invalid type: sequence, expected a map at line 1 column 0"),
        ] {
            assert_eq!(kind(text), found, "{text}");
        }
    }
}
