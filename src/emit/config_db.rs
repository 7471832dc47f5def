//! `ocs/X_0_0.config_db.json`: the setting of one switch as SONiC's OCS CONFIG_DB reads it.
//!
//! SONiC joins a port of side A to one of side B, each a simplex port in at most one cross-connect. Behind
//! circulators the port of `a[i]` is `{i+1}A` and that of `b[j]` is `{j+1}B`. With one fiber per direction
//! the face ports of `a`, then `b`, are numbered on, each sends into `kA` and receives from `kB`, and a link
//! is two cross-connects. Of a switch without sides only the latter can be told. Sources: the high-level
//! design sonic-net/SONiC `doc/ocs/ocs_hld.md` (revision 0.5), and the image and `ocs_config.json` of
//! sonic-ocs/sonic-buildimage (release `ocs-kvm-v1.0`), which call the state of a port `state` and
//! `config_status`.

use super::json::{push, push_object, quote};
use fabc_base::ids::OcsId;
use fabc_model::{CoupleRule, Duplex, Ocs, Pod};
use std::collections::BTreeSet;

/// The text of one switch's file; a switch without one has none.
pub(super) fn json(pod: &Pod, id: OcsId, setting: &BTreeSet<[u32; 2]>) -> String {
    let ocs = &pod.ocses[id];
    let Some(state) = ocs.config_db.state_key() else { return String::new() };

    // (number, side, label), ascending.
    let mut ports: Vec<(usize, char, String)> = Vec::new();
    for (at, &face) in ocs.a.iter().chain(&ocs.b).enumerate() {
        let label = pod.face_port_name(face);
        if ocs.duplex == Duplex::Pair {
            ports.push((at + 1, 'A', label.clone()));
            ports.push((at + 1, 'B', label));
        } else if at < ocs.a.len() {
            ports.push((at + 1, 'A', label));
        } else {
            ports.push((at - ocs.a.len() + 1, 'B', label));
        }
    }
    ports.sort();

    let mut crossings: Vec<(usize, usize)> = setting.iter().flat_map(|&pair| crossings(ocs, pair)).collect();
    crossings.sort_unstable();

    let mut out = String::from("{\"OCS_PORT\":");
    push_object(&mut out, ports, |out, (number, side, label)| {
        push(out, format_args!("\"{number}{side}\":{{\"label\":{},\"{state}\":\"normal\"}}", quote(&label)));
    });
    out.push_str(",\n\"OCS_CROSS_CONNECT\":");
    push_object(&mut out, crossings, |out, (a, b)| {
        push(out, format_args!("{}:{}", quote(&crossing_key((a, b))), crossing_value((a, b))));
    });
    out.push_str("}\n");
    out
}

/// The entries of `OCS_CROSS_CONNECT`, as port numbers on sides A and B, that one cross-connect is made of.
pub(super) fn crossings(ocs: &Ocs, [a, b]: [u32; 2]) -> Vec<(usize, usize)> {
    let (a, b) = (a as usize + 1, b as usize + 1);
    match ocs.duplex {
        Duplex::Circulator => vec![(a, b)],
        Duplex::Pair => {
            let b = if ocs.rule == CoupleRule::Sided { b + ocs.a.len() } else { b };
            vec![(a, b), (b, a)]
        }
    }
}

/// The key of an entry: `1A-2B`.
pub(super) fn crossing_key((a, b): (usize, usize)) -> String {
    format!("{a}A-{b}B")
}

/// Its value.
pub(super) fn crossing_value((a, b): (usize, usize)) -> String {
    format!("{{\"a_side\":\"{a}A\",\"b_side\":\"{b}B\"}}")
}
