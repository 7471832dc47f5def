//! What was simulated, in words.

use crate::model::{Fabric, Hosts};
use crate::sim::{Setting, SimReport};

/// What the model is, in a sentence.
pub(in crate::emit) fn sentence(setting: &Setting) -> String {
    let vcs = match (setting.general, setting.classes) {
        (0, 1) => format!("{} virtual channels of the tables", setting.table_vcs),
        (0, classes) => format!("{classes} virtual channels for each of the {} of the tables", setting.table_vcs),
        (general, _) => format!("{general} general virtual channels and {} of the tables", setting.table_vcs),
    };
    let hosts = match setting.hosts {
        Hosts::Unlimited => "hosts without limit".to_owned(),
        Hosts::Ports(1) => "a port of one flit per cycle each way and host".to_owned(),
        Hosts::Ports(ports) => format!("{ports} ports of one flit per cycle each way and host"),
    };
    let first = match setting.arbitration.name() {
        "age" => "oldest first",
        _ => "queues in turn",
    };
    format!(
        "virtual cut-through of packets of {} flits, {first}; {vcs}, {} flits each; routers of {} cycles, {} for the next of a queue, {} at \
         the source; credits {}; {hosts}",
        setting.packet,
        setting.buffer,
        setting.router,
        setting.turn,
        setting.injection,
        match setting.credits.name() {
            "instant" => "at once",
            _ => "after the link",
        }
    )
}

/// What rates are about.
pub(in crate::emit) fn unit(fabric: &Fabric, report: &SimReport) -> &'static str {
    match (fabric.pod().is_some(), fabric.router.hosts) {
        (true, _) => "chip",
        (false, 0) if report.load.senders > 0 => "router",
        _ => "host",
    }
}
