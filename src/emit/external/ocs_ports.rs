//! Which face port is which port of a switch: for switches that know numbers only. Ingress ports come first,
//! egress ports after all of them, as Polatis counts.

use super::chunks::{EmitError, Take};
use crate::compiled::Compiled;
use crate::json::push;
use fabc_base::csv::quoted;
use fabc_model::{CoupleRule, Duplex, file_stem};

/// `switch,port,face`: one line a port, of switches with sides or a fiber for each direction.
pub(super) fn ports<E: From<EmitError>>(compiled: &Compiled, take: &mut Take<'_, E>) -> Result<(), E> {
    let Some(pod) = compiled.fabric.pod() else {
        return Err(EmitError::NotHeld { format: "ocs_ports", reason: "it has no switches" }.into());
    };
    let mut out = "switch,port,face\n".to_owned();
    for ocs in pod.ocses.iter() {
        let stem = file_stem(&ocs.name);
        let mut line = |number: usize, face| {
            push(&mut out, format_args!("{stem},{number},{}\n", quoted(&pod.face_port_name(face))))
        };
        match (ocs.duplex, ocs.rule) {
            (Duplex::Pair, _) => {
                let all = ocs.a.len() + ocs.b.len();
                for (at, &face) in (1..).zip(ocs.a.iter().chain(&ocs.b)) {
                    line(at, face);
                    line(all + at, face);
                }
            }
            (Duplex::Circulator, CoupleRule::Sided) => {
                let most = ocs.a.len().max(ocs.b.len());
                (1..).zip(&ocs.a).for_each(|(at, &face)| line(at, face));
                (1..).zip(&ocs.b).for_each(|(at, &face)| line(most + at, face));
            }
            (Duplex::Circulator, CoupleRule::Any) => {
                let reason =
                    "behind circulators a port is ingress or egress, and `couple any` has no sides to tell";
                return Err(EmitError::NotHeld { format: "ocs_ports", reason }.into());
            }
        }
    }
    take("ocs_ports.csv", out.as_bytes())
}
