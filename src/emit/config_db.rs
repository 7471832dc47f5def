//! Writes `ocs/X_0_0.config_db.json`: the setting of one switch as SONiC's OCS CONFIG_DB.
//!
//! SONiC connects a port of side A to a port of side B. Each port is simplex and in at most one
//! cross-connect. Behind circulators the port of `a[i]` is `{i+1}A` and that of `b[j]` is `{j+1}B`. With one
//! fiber per direction the face ports of `a`, then `b`, are numbered consecutively. Each sends into `kA` and
//! receives from `kB`, and a link is two cross-connects. A switch without sides needs one fiber per
//! direction. Sources: the high-level design sonic-net/SONiC `doc/ocs/ocs_hld.md` (revision 0.5), and the
//! image and `ocs_config.json` of sonic-ocs/sonic-buildimage (release `ocs-kvm-v1.0`). They call the state of
//! a port `state` and `config_status`.

use super::json::{push, push_object, quote};
use fabc_base::ids::OcsId;
use fabc_model::{CoupleRule, Duplex, Ocs, Pod, file_stem};
use std::collections::BTreeSet;

/// The text of one switch's file. It is empty for a switch without such a file.
pub(super) fn json(pod: &Pod, id: OcsId, setting: &BTreeSet<[u32; 2]>) -> String {
    let ocs = &pod.ocses[id];
    let Some(state) = ocs.config_db.state_key() else { return String::new() };

    // Number, side and label, ascending.
    let mut ports: Vec<(usize, char, String)> = Vec::new();
    for (index, &face) in ocs.a.iter().chain(&ocs.b).enumerate() {
        let label = pod.face_port_name(face);
        if ocs.duplex == Duplex::Pair {
            ports.push((index + 1, 'A', label.clone()));
            ports.push((index + 1, 'B', label));
        } else if index < ocs.a.len() {
            ports.push((index + 1, 'A', label));
        } else {
            ports.push((index - ocs.a.len() + 1, 'B', label));
        }
    }
    ports.sort();

    let mut entries: Vec<CrossConnectEntry> =
        setting.iter().flat_map(|&pair| cross_connect_entries(ocs, pair)).collect();
    entries.sort_unstable();

    let mut out = String::from("{\"OCS_PORT\":");
    push_object(&mut out, ports, |out, (number, side, label)| {
        push(out, format_args!("\"{number}{side}\":{{\"label\":{},\"{state}\":\"normal\"}}", quote(&label)));
    });
    out.push_str(",\n\"OCS_CROSS_CONNECT\":");
    push_object(&mut out, entries, |out, entry| {
        push(out, format_args!("{}:{}", quote(&entry.key()), entry.value()));
    });
    out.push_str("}\n");
    out
}

/// An entry of `OCS_CROSS_CONNECT`, as port numbers on both sides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct CrossConnectEntry {
    a_port: usize,
    b_port: usize,
}

impl CrossConnectEntry {
    /// The key of the entry: `1A-2B`.
    pub(super) fn key(self) -> String {
        format!("{}A-{}B", self.a_port, self.b_port)
    }
    /// The value of the entry.
    pub(super) fn value(self) -> String {
        format!("{{\"a_side\":\"{}A\",\"b_side\":\"{}B\"}}", self.a_port, self.b_port)
    }
}

/// The entries of `OCS_CROSS_CONNECT` for one cross-connect, given as indices of its two ports.
pub(super) fn cross_connect_entries(ocs: &Ocs, pair: [u32; 2]) -> Vec<CrossConnectEntry> {
    let [a, b] = pair.map(|index| index as usize + 1);
    let entry = |a_port, b_port| CrossConnectEntry { a_port, b_port };
    match ocs.duplex {
        Duplex::Circulator => vec![entry(a, b)],
        Duplex::Pair => {
            let b = if ocs.rule == CoupleRule::Sided { b + ocs.a.len() } else { b };
            vec![entry(a, b), entry(b, a)]
        }
    }
}

/// The path of a switch's file.
pub(super) fn config_db_path(name: &str) -> String {
    format!("ocs/{}.config_db.json", file_stem(name))
}
