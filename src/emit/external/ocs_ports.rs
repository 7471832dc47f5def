//! Writes the face port of every switch port, for switches that only have numbered ports. Ingress ports come
//! first and egress ports after all of them, as Polatis counts.

use super::chunks::{EmitError, Take};
use crate::compiled::CompiledFabric;
use crate::json::push;
use fabc_base::csv::quoted;
use fabc_model::{CoupleRule, Duplex, file_stem};

/// Writes `switch,port,face`, with one line per port. It supports switches with sides or with one fiber per
/// direction.
pub(super) fn ports<E: From<EmitError>>(compiled: &CompiledFabric, take: &mut Take<'_, E>) -> Result<(), E> {
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
                let ingress_ports = ocs.a.len() + ocs.b.len();
                for (port, &face) in (1..).zip(ocs.a.iter().chain(&ocs.b)) {
                    line(port, face);
                    line(ingress_ports + port, face);
                }
            }
            (Duplex::Circulator, CoupleRule::Sided) => {
                let ingress_ports = ocs.a.len().max(ocs.b.len());
                (1..).zip(&ocs.a).for_each(|(port, &face)| line(port, face));
                (1..).zip(&ocs.b).for_each(|(port, &face)| line(ingress_ports + port, face));
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
