//! The state that a switch reports: SONiC's CONFIG_DB, a dump of its STATE_DB, or the cross-connects of a
//! Polatis switch. Other tables and keys are skipped.

use super::json::json;
use super::ocs::AnyConfigDb;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// One file of one switch.
pub enum SwitchFile {
    /// The settings that the switch was given.
    Config(AnyConfigDb),
    /// The actual state of the switch.
    State(StateDb),
    /// Pairs of joined ports: (ingress, egress).
    Polatis(Vec<[u32; 2]>),
}

/// The actual state of a switch. Keys are those of ports (`1A`) and of cross-connects (`1A-2B`).
#[derive(Default)]
pub struct StateDb {
    pub ports: BTreeMap<String, StatePort>,
    pub cross_connects: BTreeMap<String, StateCrossConnect>,
}

/// The row of a port in STATE_DB.
pub struct StatePort {
    pub label: Option<String>,
    pub light: Option<Light>,
    /// The port to which its light goes.
    pub target: Option<String>,
}

/// The row of a cross-connect in STATE_DB.
pub struct StateCrossConnect {
    /// The two ports that it joins.
    pub ends: PortNames,
    /// The light at its first and at its second end. A state of the whole row counts for both.
    pub lights: EndLights,
}

/// The names of the two ports of a cross-connect.
pub type PortNames = [String; 2];

/// The light at the first and at the second end of a cross-connect, where the file gives it.
pub type EndLights = [Option<Light>; 2];

/// Whether light passes a port or a cross-connect.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Light {
    /// Light passes at this moment.
    Tuned,
    /// Light does not pass yet, but soon will.
    Tuning,
    /// A port was told to block it.
    Blocked,
    /// Light does not pass, or the word is not known.
    Failed,
}

impl Light {
    /// The state by a word of the high-level design or of the published image. Hyphens count as underscores.
    fn from_word(word: &str) -> Self {
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

/// Reads one file. `is_state_dump` says that its name is that of a STATE_DB.
///
/// # Errors
/// The file has none of these forms: the message names the place.
pub fn switch_file(bytes: &[u8], is_state_dump: bool) -> Result<SwitchFile, String> {
    let document: Map<String, Value> = json(bytes)?;
    if document.contains_key(POLATIS) {
        let file: PolatisFile = json(bytes)?;
        return Ok(SwitchFile::Polatis(
            file.cross_connects.pair.iter().map(|pair| [pair.ingress, pair.egress]).collect(),
        ));
    }
    if is_state_dump || is_state(&document) {
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

/// The powers that the monitors of a Polatis switch show, in dBm, by port. A port without a power is left
/// out.
///
/// # Errors
/// The file has another form: the message names the place.
pub fn opm_power(bytes: &[u8]) -> Result<Vec<(u32, String)>, String> {
    let document: Map<String, Value> = json(bytes)?;
    let monitors = ["optical-switch:opm-power", "opm-power"].iter().find_map(|name| document.get(*name));
    let ports = monitors.ok_or("it has no `optical-switch:opm-power`")?["port"].as_array();
    let mut powers = Vec::new();
    for (index, port) in
        ports.ok_or("at `optical-switch:opm-power`: it has no list `port`")?.iter().enumerate()
    {
        let number = port["port-id"].as_u64().and_then(|number| u32::try_from(number).ok());
        let number = number.ok_or_else(|| format!("at `port[{index}]`: it has no `port-id`"))?;
        match &port["power"] {
            Value::Null => {}
            Value::String(text) => powers.push((number, text.clone())),
            other => powers.push((number, other.to_string())),
        }
    }
    Ok(powers)
}

const PORTS: [&str; 2] = ["OCS_PORT", "OCS_PORT_TABLE"];
const CROSS_CONNECTS: [&str; 2] = ["OCS_CROSS_CONNECT", "OCS_CROSS_CONNECT_TABLE"];
/// Fields that only a STATE_DB has.
const SAID: [&str; 6] =
    ["status", "oper_status", "a_side_status", "b_side_status", "target_simplex_port_id", "target_port"];

/// Whether a document is a STATE_DB: keys are `TABLE|key`, tables have the names of a STATE_DB, or rows have
/// fields that only one has.
fn is_state(document: &Map<String, Value>) -> bool {
    document.iter().any(|(name, rows)| {
        let of_state = name.contains('|') || name == PORTS[1] || name == CROSS_CONNECTS[1];
        let says = |row: &Value| {
            fields(row).is_some_and(|fields| SAID.iter().any(|name| fields.contains_key(*name)))
        };
        of_state
            || (PORTS[0] == name || CROSS_CONNECTS[0] == name)
                && rows.as_object().is_some_and(|rows| rows.values().any(says))
    })
}

/// The fields of a row. Some dumps wrap them together with their type.
fn fields(row: &Value) -> Option<&Map<String, Value>> {
    let row = row.as_object()?;
    match row.get("value") {
        Some(Value::Object(inner)) => Some(inner),
        _ => Some(row),
    }
}

fn state(document: &Map<String, Value>) -> Result<StateDb, String> {
    let mut state = StateDb::default();
    for (name, rows) in document {
        match name.split_once('|') {
            Some((table, key)) => state.row(table, key, rows)?,
            None if PORTS.contains(&name.as_str()) || CROSS_CONNECTS.contains(&name.as_str()) => {
                let rows = fields(rows).ok_or_else(|| format!("at `{name}`: it is not a table"))?;
                for (key, row) in rows {
                    state.row(name, key, row)?;
                }
            }
            None => {}
        }
    }
    Ok(state)
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
        let either = |first: &str, second: &str| Ok::<_, String>(text(first)?.or(text(second)?));
        let light = |word: Option<String>| word.map(|word| Light::from_word(&word));
        if port {
            let light = light(either("status", "oper_status")?);
            let target = either("target_simplex_port_id", "target_port")?;
            self.ports.insert(key.to_owned(), StatePort { label: text("label")?, light, target });
            return Ok(());
        }
        let joined_ports = match (text("a_side")?, text("b_side")?) {
            (Some(a), Some(b)) => [a, b],
            _ => {
                let names = key.split_once('-').filter(|(a, b)| !a.is_empty() && !b.is_empty());
                names
                    .map(|(a, b)| [a.to_owned(), b.to_owned()])
                    .ok_or_else(|| format!("{place}: it does not name two ports"))?
            }
        };
        let whole_row = light(either("status", "oper_status")?);
        let lights =
            [light(text("a_side_status")?).or(whole_row), light(text("b_side_status")?).or(whole_row)];
        self.cross_connects.insert(key.to_owned(), StateCrossConnect { ends: joined_ports, lights });
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
                "at `OCS_CROSS_CONNECT|1A`: it does not name two ports",
            ),
            (r#"{"OCS_PORT|1A":{"status":7}}"#, "at `OCS_PORT|1A`: `status` is 7, not text"),
            ("[]", "invalid type: sequence, expected a map at line 1 column 0"),
        ] {
            assert_eq!(kind(text), found, "{text}");
        }
    }
}
