//! `ocs/X_0_0.config_db.json`: the setting of one switch as SONiC's OCS CONFIG_DB reads it.
//!
//! Switch ports are named by number and side. Behind circulators the port of `a[i]` is `{i+1}A` and that of `b[j]` is `{j+1}B`; of a
//! switch without sides, port i answers to both `{i+1}A` and `{i+1}B`. With one fibre per direction the face ports of `a`, then `b`,
//! are numbered on, each sends into `kA` and receives from `kB`, and a link is two cross-connects.

use super::json::{push, push_object, quote};
use crate::compiled::Compiled;
use crate::ids::OcsId;
use crate::model::{CoupleRule, Duplex};

/// The text of one switch's file.
pub(super) fn json(compiled: &Compiled, id: OcsId) -> String {
    let Compiled { pod, cross_connects, .. } = compiled;
    let ocs = &pod.ocses[id];
    let sides_share_numbers = ocs.duplex == Duplex::Pair || ocs.rule == CoupleRule::Any;

    // (number, side, label), ascending.
    let mut ports: Vec<(usize, char, String)> = Vec::new();
    for (at, &face) in ocs.a.iter().chain(&ocs.b).enumerate() {
        let label = pod.face_port_name(face);
        if sides_share_numbers {
            ports.push((at + 1, 'A', label.clone()));
            ports.push((at + 1, 'B', label));
        } else if at < ocs.a.len() {
            ports.push((at + 1, 'A', label));
        } else {
            ports.push((at - ocs.a.len() + 1, 'B', label));
        }
    }
    ports.sort();

    let mut crossings: Vec<(usize, usize)> = Vec::new();
    for setting in &cross_connects.settings[id] {
        let (a, b) = (setting.a as usize + 1, setting.b as usize + 1);
        match ocs.duplex {
            Duplex::Circulator => crossings.push((a, b)),
            Duplex::Pair => {
                let b = if ocs.rule == CoupleRule::Sided { b + ocs.a.len() } else { b };
                crossings.extend([(a, b), (b, a)]);
            }
        }
    }
    crossings.sort_unstable();

    let mut out = String::from("{\"OCS_PORT\":");
    push_object(&mut out, ports, |out, (number, side, label)| {
        push(out, format_args!("\"{number}{side}\":{{\"label\":{},\"state\":\"normal\"}}", quote(&label)));
    });
    out.push_str(",\n\"OCS_CROSS_CONNECT\":");
    push_object(&mut out, crossings, |out, (a, b)| {
        push(out, format_args!("\"{a}A-{b}B\":{{\"a_side\":\"{a}A\",\"b_side\":\"{b}B\"}}"));
    });
    out.push_str("}\n");
    out
}
