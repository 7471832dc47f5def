//! Writes the files of a placed pod beside those of its kinds: `placement.json` (`fabc.placement/1`),
//! `report.json` (`fabc.slices/1`) and others.

use super::page;
use super::text::{PlacedKind, PlacedPod, placed_text};
use crate::config_db::config_db_path;
use crate::json::{push, push_lines, push_numbers, quote};
use crate::{Artifact, config_db, light, ocs};
use fabc_ir::{ContractState, Slice, SlicePlacement, face_end_name};
use fabc_model::{HOSTS_INPUT, LOSSES_INPUT, kind_files};

/// The file that lists the cubes of every slice.
pub const PLACEMENT: &str = "placement.json";

/// The file that lists the light budget of every cross-connect.
const LIGHT: &str = "light.csv";

/// All files of a placed pod, sorted by path. The files of its kinds, the spec and the manifest are not
/// included.
pub fn placed_artifacts(placed: PlacedPod<'_>) -> Vec<Artifact> {
    let PlacedPod { pod, settings, .. } = placed;
    let text = |path: &str, text: String| Artifact { path: path.to_owned(), bytes: text.into_bytes() };
    let mut artifacts = vec![
        text(PLACEMENT, placement_json(placed)),
        text("ocs.json", ocs::json(pod, settings)),
        text("report.json", report_json(placed)),
        text("report.txt", placed_text(placed)),
        text("report.html", page::slices_page(placed)),
    ];
    let configured = pod.ocses.enumerate().filter(|(_, ocs)| ocs.config_db.state_key().is_some());
    artifacts.extend(
        configured.map(|(id, ocs)| text(&config_db_path(&ocs.name), config_db::json(pod, id, &settings[id]))),
    );
    let face = |end| face_end_name(pod, end);
    artifacts
        .extend(placed.light.iter().map(|budgets| text(LIGHT, light::csv(placed.fabric, budgets, &face))));
    artifacts.extend(placed.fabric.losses.iter().map(|table| text(LOSSES_INPUT, table.text.clone())));
    artifacts.extend(placed.fabric.hosts.iter().map(|map| text(HOSTS_INPUT, map.text.clone())));
    artifacts.sort_by(|a, b| a.path.cmp(&b.path));
    artifacts
}

/// The contract of the pod. It is broken if one of a kind is broken, and else open if one is open.
pub fn placed_contract(kinds: &[PlacedKind]) -> ContractState {
    let any = |contract: ContractState| kinds.iter().any(|kind| kind.contract == contract.name());
    match (any(ContractState::Broken), any(ContractState::Open)) {
        (true, _) => ContractState::Broken,
        (false, true) => ContractState::Open,
        (false, false) => ContractState::Kept,
    }
}

/// The text of `placement.json`: which slice has which cubes.
pub fn placement_json(placed: PlacedPod<'_>) -> String {
    let PlacedPod { fabric, kinds, placement, .. } = placed;
    let mut out =
        format!("{{\"format\":\"fabc.placement/1\",\"fabric\":{},\n\"kinds\":{{", quote(&fabric.name));
    let kinds: Vec<String> = kinds
        .iter()
        .map(|kind| {
            format!(
                "\n{}:{{\"dir\":{},\"manifest\":\"{}\"}}",
                quote(&kind.name),
                quote(kind_files(&kind.name).trim_end_matches('/')),
                kind.manifest
            )
        })
        .collect();
    push(&mut out, format_args!("{}\n}},\n\"slices\":", kinds.join(",")));
    push_slices(&mut out, placement);
    out.push_str(",\n");
    push_others(&mut out, placement);
    out.push_str("}\n");
    out
}

fn push_slices(out: &mut String, placement: &SlicePlacement) {
    push_lines(out, &placement.slices, |out, Slice { name, kind, cubes }| {
        push(out, format_args!("{{\"name\":{},\"kind\":{},\"cubes\":", quote(name), quote(kind)));
        push_numbers(out, cubes);
        out.push('}');
    });
}

fn push_others(out: &mut String, placement: &SlicePlacement) {
    out.push_str("\"spare\":");
    push_numbers(out, &placement.spare);
    out.push_str(",\"down\":");
    push_numbers(out, &placement.down);
}

fn report_json(placed: PlacedPod<'_>) -> String {
    let PlacedPod { fabric, pod, kinds, placement, settings, light: budgets } = placed;
    let mut out = format!("{{\"format\":\"fabc.slices/1\",\"fabric\":{},", quote(&fabric.name));
    let cross_connects: usize = settings.iter().map(|set| set.len()).sum();
    push(
        &mut out,
        format_args!(
            "\"cubes\":{},\"nodes\":{},\"cross_connects\":{cross_connects},\n\"kinds\":",
            pod.cubes,
            pod.node_count()
        ),
    );
    push_lines(&mut out, kinds, |out, kind| {
        let slices = placement.slices.iter().filter(|slice| slice.kind == kind.name).count();
        let metrics: Vec<String> =
            kind.metrics.iter().map(|(name, value)| format!("{}:{value}", quote(name))).collect();
        push(
            out,
            format_args!("{{\"name\":{},\"cubes\":{},\"slices\":{slices},", quote(&kind.name), kind.cubes),
        );
        push(
            out,
            format_args!("\"contract\":{},\"metrics\":{{{}}}}}", quote(&kind.contract), metrics.join(",")),
        );
    });
    out.push_str(",\n\"slices\":");
    push_slices(&mut out, placement);
    out.push_str(",\n\"free\":");
    push_numbers(&mut out, placement.free(pod.cubes));
    out.push(',');
    push_others(&mut out, placement);
    if let Some(budgets) = budgets {
        out.push_str(",\n");
        light::push_report(&mut out, fabric, budgets, &|end| face_end_name(pod, end));
    }
    out.push_str("}\n");
    out
}
