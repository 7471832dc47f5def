//! Writes `ocs.json` (`fabc.ocs/1`): the ports and cross-connects of every switch.

use super::json::{push, push_lines, push_numbers, quote, strings};
use fabc_ir::Mirrors;
use fabc_model::Pod;

pub(super) fn json(pod: &Pod, settings: &Mirrors) -> String {
    let mut out = String::from("{\"format\":\"fabc.ocs/1\",\n\"ocs\":");
    push_lines(&mut out, pod.ocses.enumerate(), |out, (id, ocs)| {
        let [a, b] = [&ocs.a, &ocs.b].map(|side| strings(side.iter().map(|&face| pod.face_port_name(face))));
        push(out, format_args!("{{\"name\":{},\"a\":{a},\"b\":{b},\"cross_connects\":", quote(&ocs.name)));
        push_numbers(out, settings[id].iter().map(|[a, b]| format!("[{a},{b}]")));
        out.push('}');
    });
    out.push_str("}\n");
    out
}
