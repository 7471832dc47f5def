//! Reads insertion losses: a table with a line per cross-connect, or the factory measurements that SONiC
//! keeps in the STATE_DB of every switch.
//!
//! SONiC: table `OCS_FACTORY_INSERTION_LOSS`, of the published image with `_TABLE` behind it. Its keys are
//! `1A-2B|229.100|25.00`: the cross-connect, the frequency in THz and the temperature in degrees Celsius. Its
//! fields are `loss_dB` and `accuracy_dB`. Sources: the high-level design sonic-net/SONiC
//! `doc/ocs/ocs_hld.md` (revision 0.5), and `sonic-ocs.yang` of sonic-molex/sonic-mgmt-common. Of all
//! frequencies and temperatures the largest loss counts, and what it may be more by its accuracy.

use super::super::context::{Context, unknown_choice};
use super::super::scope::{Scope, read_file};
use super::super::settings::wrong_kind;
use crate::FileError;
use crate::syntax::ast::{Name, Setting, ValueKind};
use crate::syntax::join;
use fabc_base::csv;
use fabc_base::diag::{Spanned, suggestion};
use fabc_base::ids::{Id, IdVec, OcsId};
use fabc_base::limits::LOSSES_BYTES;
use fabc_base::units::Decimal;
use fabc_model::{CoupleRule, Duplex, InsertionLoss, LossTable, Ocs, Pod, file_stem};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The largest insertion loss, in thousandths of a dB.
const LARGEST: u64 = 100_000;

/// The setting as it is written.
const EXAMPLE: &str = "losses = table \"losses.csv\"";

/// What is wrong with a table of losses, and how to mend it.
struct LossProblem {
    problem: String,
    help: String,
}

impl LossProblem {
    fn form(problem: String) -> Self {
        let help = "a line per cross-connect: `switch,from,to,loss`, such as `X_0_0,1A,2B,1.25`. Ports are those of \
                    SONiC (`1A`), numbers with the ingress ports first, or names such as `cube0.+x[0,0]`";
        Self { problem, help: help.to_owned() }
    }
}

/// Reads the table that `losses = ..` names into the switches of a pod.
pub(super) fn read_losses(
    context: &mut Context,
    setting: &Setting,
    scope: &Scope<'_>,
    pod: &mut Pod,
) -> Option<LossTable> {
    let ValueKind::File(word, path, None) = &setting.value.kind else {
        context.error(wrong_kind("`losses`", "a file", EXAMPLE, setting.value.span));
        return None;
    };
    let (path_written, text) = match &*word.value {
        "table" => read_file(context, path, scope, LOSSES_BYTES)?,
        "sonic" => sonic_table(context, path, scope, pod)?,
        _ => {
            context.error(unknown_choice("`losses`", word, &["table", "sonic"], None));
            return None;
        }
    };
    let has_light =
        |ocs: &Ocs| scope.links.types[ocs.link.index()].as_ref().is_some_and(|link| link.optics.is_some());
    let wanted: IdVec<OcsId, bool> =
        pod.ocses.iter().map(|ocs| ocs.loss.is_none() && has_light(ocs)).collect();
    let losses = table_losses(&text, pod, &wanted).and_then(|losses| complete(losses, pod, &wanted));
    match losses {
        Ok(losses) => {
            for (id, by_pair) in losses {
                pod.ocses[id].loss = Some(InsertionLoss::ByPair(by_pair));
            }
            Some(LossTable { text, span: setting.name.span })
        }
        Err(LossProblem { problem, help }) => {
            context.error(FileError::Losses { path: path_written, problem, help, span: path.span }.into());
            None
        }
    }
}

/// The ports of a switch by the names that a table may give them. Ports of side A come first, then those of
/// side B.
struct PortNumbers<'a> {
    ocs: &'a Ocs,
    by_name: BTreeMap<String, usize>,
}

/// The end of a cross-connect that a cell names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CellSide {
    From,
    To,
}

impl<'a> PortNumbers<'a> {
    fn new(pod: &Pod, ocs: &'a Ocs) -> Self {
        let names = ocs.a.iter().chain(&ocs.b).map(|&face| pod.face_port_name(face));
        Self { ocs, by_name: names.zip(0..).collect() }
    }

    /// The number of the port that a cell names. The inner `None` is a port of the switch that no cube uses.
    fn find(&self, cell: &str, side: CellSide) -> Result<Option<usize>, String> {
        if let Some(&port) = self.by_name.get(cell) {
            return Ok(Some(port));
        }
        let Ocs { a, b, rule, duplex, ports, .. } = self.ocs;
        let one_sided = (*rule, *duplex) == (CoupleRule::Any, Duplex::Circulator);
        let used =
            |number: usize, first: usize, count: usize| Ok((number <= count).then(|| first + number - 1));
        let sonic = cell.strip_suffix(['A', 'B']).and_then(|number| number.parse::<usize>().ok());
        if let Some(number) = sonic.filter(|&number| number > 0 && !one_sided) {
            if cell.ends_with('A') != (side == CellSide::From) {
                return Err(format!("`{cell}` is on the wrong side: light goes from a port A to a port B"));
            }
            if number > *ports as usize {
                return Err(format!("there is no port `{cell}`: the switch has {ports} on a side"));
            }
            return match (duplex, side) {
                (Duplex::Pair, _) => used(number, 0, a.len() + b.len()),
                (Duplex::Circulator, CellSide::From) => used(number, 0, a.len()),
                (Duplex::Circulator, CellSide::To) => used(number, a.len(), b.len()),
            };
        }
        let ingress = if *duplex == Duplex::Pair { a.len() + b.len() } else { a.len().max(b.len()) };
        let number = cell.parse::<usize>().ok().filter(|&number| number > 0 && !one_sided);
        let found = match (number, side, duplex) {
            (Some(number), CellSide::From, Duplex::Circulator) => (number <= a.len()).then(|| number - 1),
            (Some(number), CellSide::From, Duplex::Pair) => (number <= ingress).then(|| number - 1),
            (Some(number), CellSide::To, duplex) => {
                let first = if *duplex == Duplex::Pair { 0 } else { a.len() };
                let egress = number.checked_sub(ingress).filter(|&number| number > 0);
                egress.map(|number| first + number - 1).filter(|&port| port < a.len() + b.len())
            }
            (None, ..) => None,
        };
        found.map(Some).ok_or_else(|| {
            let near = suggestion(cell, self.by_name.keys().map(String::as_str));
            format!(
                "`{}` has no port `{cell}`{}",
                self.ocs.name,
                near.map_or(String::new(), |near| format!(": {near}"))
            )
        })
    }

    /// The pair of port indices of a cross-connect between two ports, as [`Ocs::faces`] takes them.
    fn pair(&self, from: usize, to: usize) -> Option<[u32; 2]> {
        let a = self.ocs.a.len();
        let (low, high) = (from.min(to), from.max(to));
        match self.ocs.rule {
            CoupleRule::Any => (low != high).then_some([low as u32, high as u32]),
            CoupleRule::Sided => (low < a && high >= a).then(|| [low as u32, (high - a) as u32]),
        }
    }
}

/// The losses of a table: per switch, by (from, to) as numbers of ports.
type DirectedLosses = BTreeMap<OcsId, BTreeMap<[usize; 2], u32>>;

/// Reads the lines of a table. Lines about ports that no cube uses are skipped.
fn table_losses(text: &str, pod: &Pod, wanted: &IdVec<OcsId, bool>) -> Result<DirectedLosses, LossProblem> {
    let mut by_switch: BTreeMap<String, OcsId> = BTreeMap::new();
    for (id, ocs) in pod.ocses.enumerate() {
        by_switch.insert(ocs.name.clone(), id);
        by_switch.insert(file_stem(&ocs.name), id);
    }
    let mut ports: BTreeMap<OcsId, PortNumbers<'_>> = BTreeMap::new();
    let mut losses = DirectedLosses::new();
    let mut is_first = true;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (index, line) in text.lines().enumerate() {
        let at_line = |problem: String| LossProblem::form(format!("line {}: {problem}", index + 1));
        let cells = csv::cells(line).map_err(|problem| at_line(problem.to_owned()))?;
        let cells: Vec<&str> = cells.iter().map(|cell| cell.trim()).collect();
        if cells == [""] || std::mem::take(&mut is_first) && cells[0] == "switch" {
            continue;
        }
        let [switch, from, to, loss] = cells[..] else {
            let values = if cells.len() == 1 { "1 value" } else { &format!("{} values", cells.len()) };
            return Err(at_line(format!("it has {values}, not 4")));
        };
        let Some(&id) = by_switch.get(switch) else {
            let near = suggestion(switch, by_switch.keys().map(String::as_str));
            let near = near.map_or(String::new(), |near| format!(": {near}"));
            return Err(at_line(format!("there is no switch `{switch}`{near}")));
        };
        if !wanted[id] {
            let ocs = &pod.ocses[id];
            let why = if ocs.loss.is_some() { "has its own `loss`" } else { "carries a link without light" };
            return Err(at_line(format!("the switch `{}` {why}", ocs.name)));
        }
        let numbers = ports.entry(id).or_insert_with(|| PortNumbers::new(pod, &pod.ocses[id]));
        let [from_port, to_port] = [(from, CellSide::From), (to, CellSide::To)]
            .map(|(cell, side)| numbers.find(cell, side).map_err(&at_line));
        let loss = thousandths(loss).map_err(&at_line)?;
        let (Some(from_port), Some(to_port)) = (from_port?, to_port?) else { continue };
        if numbers.pair(from_port, to_port).is_none() {
            return Err(at_line(format!("`{}` cannot join `{from}` to `{to}`", pod.ocses[id].name)));
        }
        let ends = match pod.ocses[id].duplex {
            Duplex::Pair => [from_port, to_port],
            Duplex::Circulator => [from_port.min(to_port), from_port.max(to_port)],
        };
        if losses.entry(id).or_default().insert(ends, loss).is_some() {
            return Err(at_line(format!(
                "`{}` has a loss from `{from}` to `{to}` already",
                pod.ocses[id].name
            )));
        }
    }
    Ok(losses)
}

/// A loss in thousandths of a dB.
fn thousandths(cell: &str) -> Result<u32, String> {
    let number = cell.strip_suffix("dB").map_or(cell, str::trim_end);
    let is_number = number.starts_with(|first: char| first.is_ascii_digit())
        && number.chars().all(|letter| letter.is_ascii_digit() || letter == '.')
        && number.matches('.').count() <= 1;
    let loss = Decimal::parse(number).filter(|_| is_number);
    let loss = loss.and_then(|loss| loss.times(1000)).filter(|&loss| loss <= LARGEST);
    loss.map(|loss| loss as u32).ok_or_else(|| {
        format!("`{cell}` is no loss: from 0 to 100 dB, with at most three digits behind the point")
    })
}

/// The losses of a switch in thousandths of a dB, by pair of port indices.
type LossesByPair = BTreeMap<[u32; 2], u32>;

/// The losses by pair of port indices. Every cross-connect that a switch may set must have one.
fn complete(
    losses: DirectedLosses,
    pod: &Pod,
    wanted: &IdVec<OcsId, bool>,
) -> Result<Vec<(OcsId, LossesByPair)>, LossProblem> {
    let mut complete = Vec::new();
    let none = BTreeMap::new();
    for (id, ocs) in pod.ocses.enumerate().filter(|(id, _)| wanted[*id]) {
        let known = losses.get(&id).unwrap_or(&none);
        let numbers = PortNumbers::new(pod, ocs);
        let ports = ocs.a.len() + ocs.b.len();
        let mut by_pair = BTreeMap::new();
        for from in 0..ports {
            for to in 0..ports {
                let Some(pair) = numbers.pair(from, to) else { continue };
                if ocs.duplex == Duplex::Circulator && from > to {
                    continue;
                }
                let Some(&loss) = known.get(&[from, to]) else {
                    let names: Vec<String> =
                        ocs.a.iter().chain(&ocs.b).map(|&face| pod.face_port_name(face)).collect();
                    let problem =
                        format!("`{}` has no loss from `{}` to `{}`", ocs.name, names[from], names[to]);
                    return Err(LossProblem::form(problem));
                };
                let worst = by_pair.entry(pair).or_insert(loss);
                *worst = loss.max(*worst);
            }
        }
        complete.push((id, by_pair));
    }
    Ok(complete)
}

/// Reads the STATE_DB of every switch in a folder, and returns the folder and a table.
fn sonic_table(
    context: &mut Context,
    folder: &Name,
    scope: &Scope<'_>,
    pod: &Pod,
) -> Option<(String, String)> {
    let mut table = String::from("switch,from,to,loss\n");
    let without_loss = pod.ocses.iter().filter(|ocs| ocs.loss.is_none());
    let with_light = without_loss
        .filter(|ocs| scope.links.types[ocs.link.index()].as_ref().is_some_and(|link| link.optics.is_some()));
    let stems: BTreeSet<String> = with_light.map(|ocs| file_stem(&ocs.name)).collect();
    for stem in stems {
        let path = join(&format!("{}/", folder.value), &format!("{stem}.state_db.json"));
        let path = Spanned { value: path.into(), span: folder.span };
        let (written, text) = read_file(context, &path, scope, LOSSES_BYTES)?;
        let problem = match factory_losses(&text) {
            Ok(losses) if !losses.is_empty() => {
                for ([from, to], loss) in losses {
                    table += &format!("{stem},{from},{to},{}.{:03}\n", loss / 1000, loss % 1000);
                }
                continue;
            }
            Ok(_) => "it has no rows of `OCS_FACTORY_INSERTION_LOSS`".to_owned(),
            Err(problem) => problem,
        };
        let help = "a dump of the STATE_DB of the switch: keys `OCS_FACTORY_INSERTION_LOSS|1A-2B|229.100|25.00`, fields `loss_dB` and `accuracy_dB`".to_owned();
        context.error(FileError::Losses { path: written, problem, help, span: folder.span }.into());
        return None;
    }
    Some((folder.value.to_string(), table))
}

/// The largest loss of every cross-connect, with its accuracy, in thousandths of a dB.
fn factory_losses(text: &str) -> Result<BTreeMap<[String; 2], u32>, String> {
    let document: Map<String, Value> =
        serde_json::from_str(text).map_err(|error| format!("it is no JSON object: {error}"))?;
    let is_table =
        |name: &str| matches!(name, "OCS_FACTORY_INSERTION_LOSS" | "OCS_FACTORY_INSERTION_LOSS_TABLE");
    let mut losses = BTreeMap::new();
    let mut enter = |key: &str, row: &Value| {
        let place = |problem: String| format!("at `OCS_FACTORY_INSERTION_LOSS|{key}`: {problem}");
        let ends = key.split('|').next().and_then(|ends| ends.split_once('-'));
        let (from, to) = ends.ok_or_else(|| place("it does not name two ports".to_owned()))?;
        let fields = row.get("value").filter(|value| value.is_object()).unwrap_or(row);
        let number = |name: &str| match &fields[name] {
            Value::Null => Ok(None),
            Value::String(text) => thousandths(text.trim()).map(Some),
            other => thousandths(&other.to_string()).map(Some),
        };
        let loss =
            number("loss_dB").map_err(place)?.ok_or_else(|| place("it has no `loss_dB`".to_owned()))?;
        let accuracy = number("accuracy_dB").map_err(place)?.unwrap_or(0);
        let worst = losses.entry([from.to_owned(), to.to_owned()]).or_insert(0);
        *worst = (loss + accuracy).max(*worst);
        Ok::<(), String>(())
    };
    for (name, rows) in &document {
        match name.split_once('|') {
            Some((table, key)) if is_table(table) => enter(key, rows)?,
            None if is_table(name) => {
                let rows = rows.as_object().ok_or_else(|| format!("at `{name}`: it is not a table"))?;
                for (key, row) in rows {
                    enter(key, row)?;
                }
            }
            _ => {}
        }
    }
    Ok(losses)
}
