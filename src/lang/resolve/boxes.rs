//! Resolves `box name { .. }` and `boxes = n of name;`.

use super::context::{Context, missing};
use super::families::check_router_count;
use super::hardware::{latency_cycles, power_mw, price, switch_arithmetic};
use super::items::SpecItems;
use super::scope::{DeclaredLinks, Scope};
use super::settings::{BlockSettings, block_settings, in_range, integer, integer_expr};
use crate::ResolveError;
use crate::syntax::ast::{Block, Expr, ListedPair, Name, PartLine, PartSubject, StatementKind};
use crate::syntax::words::BlockKind;
use fabc_base::diag::{Span, suggestion};
use fabc_base::ids::LinkTypeId;
use fabc_base::limits::ROUTERS;
use fabc_base::units::Dimension;
use fabc_model::{BoxKind, InnerLink, InnerSwitch, PlacedBoxes, SwitchArithmetic};
use std::collections::BTreeMap;

/// The most GPUs, switches, NICs, ports of a NIC or copies of a link of a box.
const MOST_PARTS: i64 = 1024;

/// The boxes of a spec: the kinds in use, and the runs of boxes in their order.
pub(super) struct DeclaredBoxes {
    pub(super) kinds: Vec<BoxKind>,
    pub(super) placed: Vec<PlacedBoxes>,
    /// The place of the first `boxes = ..`.
    pub(super) span: Span,
}

impl DeclaredBoxes {
    pub(super) fn box_count(&self) -> u32 {
        self.placed.iter().map(|run| run.count).sum()
    }
}

/// Resolves the boxes. The inner `None` says that the spec has none.
pub(super) fn boxes(
    context: &mut Context,
    items: &SpecItems<'_>,
    scope: &Scope<'_>,
) -> Option<Option<DeclaredBoxes>> {
    let resolved: Vec<(&Name, Option<BoxKind>)> =
        items.boxes.iter().map(|&(name, block, _)| (name, box_kind(context, name, block, scope))).collect();
    for (place, (name, ..)) in items.boxes.iter().enumerate() {
        if let Some((first, ..)) = items.boxes[..place].iter().find(|(known, ..)| known.value == name.value) {
            let help = "give them different names, or remove one";
            context.duplicate(format!("the box `{}`", name.value), help, name.span, first.span);
            return None;
        }
    }
    let Some(&(_, first)) = items.placed.first() else {
        return match items.boxes.first() {
            None => Some(None),
            Some((name, ..)) => {
                let example = format!("boxes = 4 of {};", name.value);
                context.error(missing("the fabric", "`boxes`", &example, name.span));
                None
            }
        };
    };
    let mut kinds: Vec<BoxKind> = Vec::new();
    let mut placed = Vec::new();
    for (run, span) in &items.placed {
        let count = integer_expr(context, "the number of boxes", &run.count, 1..=ROUTERS as i64);
        let Some((_, kind)) = resolved.iter().find(|(name, _)| name.value == run.kind.value) else {
            let help = suggestion(&run.kind.value, resolved.iter().map(|(name, _)| &*name.value));
            let name = run.kind.value.to_string();
            context.error(ResolveError::UnknownName { subject: "box", name, help, span: run.kind.span });
            return None;
        };
        let (kind, count) = (kind.as_ref()?, count?);
        let place = kinds.iter().position(|known| known.name == kind.name).unwrap_or_else(|| {
            kinds.push(kind.clone());
            kinds.len() - 1
        });
        placed.push(PlacedBoxes { kind: place, count: count as u32 });
        let routers = placed.iter().map(|run| {
            let kind = &kinds[run.kind];
            u128::from(run.count) * (u128::from(kind.gpus) + kind.switches.len() as u128)
        });
        let arithmetic = format!("{count} boxes with {} GPUs each", kind.gpus);
        check_router_count(context, ROUTERS, Some(routers.sum()), &arithmetic, *span)?;
    }
    Some(Some(DeclaredBoxes { kinds, placed, span: first }))
}

/// Resolves a kind of box.
fn box_kind(context: &mut Context, name: &Name, block: &Block, scope: &Scope<'_>) -> Option<BoxKind> {
    let title = format!("box `{}`", name.value);
    let settings = block_settings(context, block, title.clone(), name.span, BlockKind::Box);
    let gpus = settings.need(context, "gpus", "8");
    let gpus = gpus.and_then(|value| integer(context, "`gpus`", value, 1..=MOST_PARTS));
    let latency = latency(context, &settings, &title, scope);
    let (cost, power_mw) = (price(context, &settings, "cost"), power_mw(context, &settings, &title));
    let mut parts =
        BoxParts { links: scope.links, title: &title, gpus: gpus? as u32, built: Parts::default() };
    // Links have the order of the normal form: those of switches, then meshes, then others.
    for word in ["switch", "mesh", "join", "nics", "nic"] {
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Part(line)
                    if *line.word.value == *word || (word == "join" && *line.word.value == *"links") =>
                {
                    parts.add(context, line, statement.span, scope)?;
                }
                // Also the `mesh` of a cube, which has sides.
                StatementKind::Mesh(_) if word == "mesh" => {
                    let help = "a mesh of GPUs joins every two of them: write `mesh over link;`".to_owned();
                    return no_such_box(context, "a box has no sides".to_owned(), help, statement.span);
                }
                _ => {}
            }
        }
    }
    if let Some(mixed) = mixed_pair(&parts.built.links) {
        let problem = format!("two kinds of links join parts {} and {} of {title}", mixed.gpu, mixed.other);
        let help = "join a pair over one link, with `copies` of it".to_owned();
        return no_such_box(context, problem, help, name.span);
    }
    let Parts { switches, links, nics, nic_ports, nic_link, .. } = parts.built;
    Some(BoxKind {
        name: name.value.to_string(),
        gpus: gpus? as u32,
        switches,
        links,
        nics,
        nic_ports,
        nic_link,
        latency_cycles: latency?,
        cost: cost?,
        power_mw: power_mw?,
    })
}

/// Reads a latency inside a box. Without the setting it is 0, since a GPU sends straight to its link.
fn latency(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    title: &str,
    scope: &Scope<'_>,
) -> Option<u32> {
    let dimensions = [Dimension::Cycles, Dimension::Time];
    settings
        .get("latency")
        .map_or(Some(0), |value| latency_cycles(context, title, value, scope.clock, &dimensions))
}

/// The parts of a box so far.
#[derive(Default)]
struct Parts {
    switches: Vec<InnerSwitch>,
    links: Vec<InnerLink>,
    nics: Vec<u32>,
    nic_ports: u32,
    nic_link: Option<LinkTypeId>,
    /// The place of `nics = ..`.
    nics_span: Option<Span>,
    /// The place of `nic[i] at ..`.
    place_span: Option<Span>,
}

/// Reads the lines of a box one by one.
struct BoxParts<'a> {
    links: &'a DeclaredLinks,
    title: &'a str,
    gpus: u32,
    built: Parts,
}

impl BoxParts<'_> {
    fn add(&mut self, context: &mut Context, line: &PartLine, span: Span, scope: &Scope<'_>) -> Option<()> {
        match &line.subject {
            PartSubject::Switches(name, copies) => {
                self.switches(context, name, copies.as_ref(), line.block.as_ref()?, scope)
            }
            PartSubject::All | PartSubject::Range(_) | PartSubject::Members(_) => {
                let members = self.members(context, line)?;
                let (link, copies) = self.joins(context, line, span)?;
                for (place, &gpu) in members.iter().enumerate() {
                    for &other in &members[place + 1..] {
                        let joined = InnerLink { gpu: gpu.min(other), other: gpu.max(other), link };
                        self.built.links.extend(std::iter::repeat_n(joined, copies as usize));
                    }
                }
                Some(())
            }
            PartSubject::Listed(path, pairs) => self.listed_pairs(context, line, path, pairs),
            PartSubject::Count(number) => self.nics(context, number, line, span),
            PartSubject::Place(index, gpu) => self.nic_places(context, index, gpu, span),
        }
    }

    /// Joins the pairs that a file lists.
    fn listed_pairs(
        &mut self,
        context: &mut Context,
        line: &PartLine,
        path: &Name,
        pairs: &[ListedPair],
    ) -> Option<()> {
        let (link, _) = self.joins(context, line, path.span)?;
        let last = self.gpus - 1;
        for pair in pairs {
            let ListedPair { first, second, copies, line } = *pair;
            let refused = if first.max(second) > last {
                format!("joins GPU {}, but {} has {} GPUs", first.max(second), self.title, self.gpus)
            } else if i64::from(copies) > MOST_PARTS {
                format!("has {copies} copies of a link, more than {MOST_PARTS}")
            } else {
                let joined = InnerLink { gpu: first.min(second), other: first.max(second), link };
                self.built.links.extend(std::iter::repeat_n(joined, copies as usize));
                continue;
            };
            let problem = format!("line {line} of {} {refused}", path.value);
            return no_such_box(
                context,
                problem,
                format!("correct the file; GPUs are 0 to {last}"),
                path.span,
            );
        }
        Some(())
    }

    /// Adds the switches of `switch name[m] { join ..; }`.
    fn switches(
        &mut self,
        context: &mut Context,
        name: &Name,
        copies: Option<&Expr>,
        block: &Block,
        scope: &Scope<'_>,
    ) -> Option<()> {
        let title = format!("switch `{}`", name.value);
        let settings = block_settings(context, block, title.clone(), name.span, BlockKind::InnerSwitch);
        let latency_cycles = latency(context, &settings, &title, scope)?;
        let arithmetic = switch_arithmetic(context, &settings, SwitchArithmetic::default())?;
        let number = match copies {
            Some(copies) => integer_expr(context, "the number of switches", copies, 1..=MOST_PARTS)?,
            None => 1,
        };
        let is_taken = |known: &InnerSwitch| known.name.split('[').next() == Some(&*name.value);
        if self.built.switches.iter().any(is_taken) {
            let problem = format!("two switches of {} are called `{}`", self.title, name.value);
            return no_such_box(context, problem, "give them different names".to_owned(), name.span);
        }
        let mut joined = Vec::new();
        for statement in &block.statements {
            if let StatementKind::Part(line) = &statement.kind {
                let members = self.members(context, line)?;
                let (link, copies) = self.joins(context, line, statement.span)?;
                joined.extend(members.into_iter().map(|gpu| (gpu, link, copies)));
            }
        }
        if joined.is_empty() {
            context.error(missing(&title, "`join`", "join all over nvlink;", name.span));
            return None;
        }
        for copy in 0..number {
            let other = self.gpus + self.built.switches.len() as u32;
            let name = match copies {
                Some(_) => format!("{}[{copy}]", name.value),
                None => name.value.to_string(),
            };
            self.built.switches.push(InnerSwitch { name, latency_cycles, arithmetic });
            for &(gpu, link, copies) in &joined {
                let joined = InnerLink { gpu, other, link };
                self.built.links.extend(std::iter::repeat_n(joined, copies as usize));
            }
        }
        Some(())
    }

    /// The link of a line, and how many copies of it join two parts.
    fn joins(&self, context: &mut Context, line: &PartLine, span: Span) -> Option<(LinkTypeId, u32)> {
        let place = format!("`{}`", line.word.value);
        let link = self.links.find_or_only(context, &place, line.over.as_ref(), span);
        let Some(block) = &line.block else { return Some((link?, 1)) };
        let settings = block_settings(context, block, place, line.word.span, BlockKind::Join);
        let copies = settings
            .get("copies")
            .map_or(Some(1), |value| integer(context, "`copies`", value, 1..=MOST_PARTS))?;
        Some((link?, copies as u32))
    }

    /// The GPUs that a line names, each once.
    fn members(&self, context: &mut Context, line: &PartLine) -> Option<Vec<u32>> {
        let last = i64::from(self.gpus) - 1;
        match &line.subject {
            PartSubject::Range(range) => {
                let lo = integer_expr(context, "the first GPU", &range.lo, 0..=last)?;
                let hi = integer_expr(context, "the end of the range", &range.hi, lo + 1..=last + 1)?;
                Some((lo as u32..hi as u32).collect())
            }
            PartSubject::Members(written) => {
                let mut members = Vec::with_capacity(written.len());
                for member in written {
                    let gpu = integer_expr(context, "a GPU", member, 0..=last)? as u32;
                    if members.contains(&gpu) {
                        let problem = format!("GPU {gpu} is listed twice");
                        let help = "list every GPU once".to_owned();
                        return no_such_box(context, problem, help, member.span);
                    }
                    members.push(gpu);
                }
                Some(members)
            }
            _ => Some((0..self.gpus).collect()),
        }
    }

    /// Reads `nics = n over link { ports; }`.
    fn nics(&mut self, context: &mut Context, number: &Expr, line: &PartLine, span: Span) -> Option<()> {
        if let Some(first) = self.built.nics_span {
            context.duplicate("`nics`".to_owned(), "a box has all its NICs in one line", span, first);
            return None;
        }
        self.built.nics_span = Some(span);
        let number = integer_expr(context, "the number of NICs", number, 1..=MOST_PARTS)?;
        self.built.nic_link = Some(self.links.find(context, "`nics`", line.over.as_ref(), span)?);
        self.built.nic_ports = 1;
        if let Some(block) = &line.block {
            let settings =
                block_settings(context, block, "`nics`".to_owned(), line.word.span, BlockKind::Nics);
            let ports =
                settings.get("ports").map_or(Some(1), |value| integer(context, "`ports`", value, 1..=64));
            self.built.nic_ports = ports? as u32;
        }
        self.built.nics = (0..number as u32).map(|nic| nic * self.gpus / number as u32).collect();
        Some(())
    }

    /// Reads the GPU of every NIC: `nic[i] at gpu;`.
    fn nic_places(&mut self, context: &mut Context, index: &Name, gpu: &Expr, span: Span) -> Option<()> {
        if let Some(first) = self.built.place_span.replace(span) {
            context.duplicate("`nic`".to_owned(), "one line places all NICs", span, first);
            return None;
        }
        if self.built.nics.is_empty() {
            context.error(missing(self.title, "`nics`", "nics = 8 over ib;", span));
            return None;
        }
        let last = i64::from(self.gpus) - 1;
        for nic in 0..self.built.nics.len() {
            let at = context.eval(gpu, &[(index.value.clone(), nic as i64)])?;
            let subject = format!("the GPU of NIC {nic}");
            self.built.nics[nic] = in_range(context, &subject, at, 0..=last, gpu.span)? as u32;
        }
        Some(())
    }
}

/// A link whose pair another kind of link joins as well.
fn mixed_pair(links: &[InnerLink]) -> Option<InnerLink> {
    let mut first: BTreeMap<(u32, u32), LinkTypeId> = BTreeMap::new();
    let differs = |link: &&InnerLink| *first.entry((link.gpu, link.other)).or_insert(link.link) != link.link;
    links.iter().find(differs).copied()
}

/// Reports a box that cannot be built.
fn no_such_box<T>(context: &mut Context, problem: String, help: String, span: Span) -> Option<T> {
    context.error(ResolveError::NoSuchNetwork { family: "box", problem, help, span });
    None
}
