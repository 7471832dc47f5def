//! The kinds of boxes as NCCL describes a machine: one XML file per kind, for `NCCL_TOPO_FILE`.
//!
//! A spec knows GPUs, NVLink and NICs. What it does not know is left out, and NCCL asks the machine for it:
//! the processor, the speed of PCI and the generation of the GPUs. Every GPU has a PCI bridge of its own,
//! with its NICs beside it. Bus ids are made up: the domain is the number of the GPU. All links inside of a
//! box are NVLink. Source: `src/graph/xml.cc` of NVIDIA/nccl.

use super::chunks::{EmitError, Take};
use crate::compiled::CompiledFabric;
use crate::json::push;
use fabc_base::ids::{IdVec, LinkTypeId};
use fabc_model::{BoxKind, Boxes, Fabric, LinkType};
use std::collections::BTreeMap;

const FORMAT: &str = "nccl_topo";

/// The declared links, by number.
type LinkTypes = IdVec<LinkTypeId, LinkType>;

/// Classes of PCI devices: a bridge, a GPU, a NIC, an NVSwitch.
const BRIDGE: &str = "0x060400";
const GPU: &str = "0x030200";
const NIC: &str = "0x020700";
const NVSWITCH: &str = "0x068000";

/// Bandwidth of one NVLink in one direction, bit/s: until its fourth generation, and in the fifth.
const NVLINK_BPS: [u64; 2] = [200_000_000_000, 400_000_000_000];

/// The most that links of the fourth generation give to a GPU, bit/s: eighteen of them.
const MOST_FOURTH_BPS: u64 = 18 * NVLINK_BPS[0];

/// The most NICs at a GPU: their bus numbers have eight bits.
const MOST_NICS: usize = 250;

/// The most switches in a box, whose bus numbers have eight bits too.
const MOST_SWITCHES: usize = 256;

pub(super) fn topologies<E: From<EmitError>>(
    compiled: &CompiledFabric,
    take: &mut Take<'_, E>,
) -> Result<(), E> {
    let boxes = boxes_of(&compiled.fabric)?;
    for kind in &boxes.kinds {
        let text = topology(kind, &compiled.fabric.link_types)?;
        take(&format!("{}.xml", kind.name), text.as_bytes())?;
    }
    Ok(())
}

/// Refuses a fabric without boxes, and boxes whose links are no whole number of NVLinks.
pub(super) fn check_fabric(fabric: &Fabric) -> Result<(), EmitError> {
    boxes_of(fabric)?.kinds.iter().try_for_each(|kind| topology(kind, &fabric.link_types).map(|_| ()))
}

fn boxes_of(fabric: &Fabric) -> Result<&Boxes, EmitError> {
    let reason = "it has no boxes of GPUs, and NCCL reads what is inside of a box";
    fabric.boxes().ok_or(EmitError::NotHeld { format: FORMAT, reason })
}

/// The XML text of a kind of box.
fn topology(kind: &BoxKind, links: &LinkTypes) -> Result<String, EmitError> {
    let refused =
        |problem: String| EmitError::BoxNotHeld { format: FORMAT, kind: kind.name.clone(), problem };
    if kind.switches.len() > MOST_SWITCHES {
        return Err(refused(format!("it has more than {MOST_SWITCHES} switches")));
    }
    let mut out = String::from("<system version=\"1\">\n  <cpu numaid=\"0\">\n");
    for gpu in 0..kind.gpus {
        let nics: Vec<usize> = (0..kind.nics.len()).filter(|&nic| kind.nics[nic] == gpu).collect();
        if nics.len() > MOST_NICS {
            return Err(refused(format!("GPU {gpu} has more than {MOST_NICS} NICs")));
        }
        push(&mut out, format_args!("    <pci busid=\"{gpu:04x}:00:00.0\" class=\"{BRIDGE}\">\n"));
        push(&mut out, format_args!("      <pci busid=\"{}\" class=\"{GPU}\">\n", gpu_bus(gpu)));
        push(&mut out, format_args!("        <gpu dev=\"{gpu}\" rank=\"{gpu}\" gdr=\"1\">\n"));
        for (other, count) in nvlinks(kind, gpu, links).map_err(refused)? {
            let (target, class) = match other.checked_sub(kind.gpus) {
                None => (gpu_bus(other), GPU),
                Some(switch) => (format!("ffff:{switch:02x}:00.0"), NVSWITCH),
            };
            push(
                &mut out,
                format_args!(
                    "          <nvlink target=\"{target}\" count=\"{count}\" tclass=\"{class}\"/>\n"
                ),
            );
        }
        out.push_str("        </gpu>\n      </pci>\n");
        for (place, nic) in nics.into_iter().enumerate() {
            let bus = format!("{gpu:04x}:{:02x}:00.0", place + 2);
            push_nic(&mut out, kind, nic, &bus, links);
        }
        out.push_str("    </pci>\n");
    }
    out.push_str("  </cpu>\n</system>\n");
    Ok(out)
}

fn gpu_bus(gpu: u32) -> String {
    format!("{gpu:04x}:01:00.0")
}

/// What a GPU is joined to, and by how many NVLinks. Switches count from the number of GPUs on.
fn nvlinks(kind: &BoxKind, gpu: u32, links: &LinkTypes) -> Result<BTreeMap<u32, u64>, String> {
    let at_gpu = || kind.links.iter().filter(|link| link.gpu == gpu || link.other == gpu);
    let bandwidth = |link: LinkTypeId| links[link].bandwidth_bps;
    let total: u64 = at_gpu().map(|link| bandwidth(link.link)).sum();
    let each = NVLINK_BPS[usize::from(total > MOST_FOURTH_BPS)];
    let mut counts = BTreeMap::new();
    for link in at_gpu() {
        let rate = bandwidth(link.link);
        if rate % each != 0 {
            let (name, word) = (&links[link.link].name, gigabytes(each));
            return Err(format!(
                "`{name}` has {} GB/s, and NCCL counts NVLinks of {word} GB/s",
                gigabytes(rate)
            ));
        }
        let other = if link.gpu == gpu { link.other } else { link.gpu };
        *counts.entry(other).or_insert(0) += rate / each;
    }
    Ok(counts)
}

/// Bits per second as GB/s.
fn gigabytes(bps: u64) -> f64 {
    bps as f64 / 8e9
}

/// Adds a NIC, with a network device per port.
fn push_nic(out: &mut String, kind: &BoxKind, nic: usize, bus: &str, links: &LinkTypes) {
    let megabits = kind.nic_link.map_or(0, |link| links[link].bandwidth_bps / 1_000_000);
    push(out, format_args!("      <pci busid=\"{bus}\" class=\"{NIC}\">\n        <nic>\n"));
    for port in 0..kind.nic_ports as usize {
        let (dev, number) = (nic * kind.nic_ports as usize + port, port + 1);
        push(
            out,
            format_args!(
                "          <net name=\"nic{nic}.port{port}\" dev=\"{dev}\" speed=\"{megabits}\" port=\"{number}\" gdr=\"1\"/>\n"
            ),
        );
    }
    out.push_str("        </nic>\n      </pci>\n");
}
