//! Resolves the switches outside of boxes: `rails`, and the forms of folded Clos networks.

use super::boxes::DeclaredBoxes;
use super::context::{Context, missing, unknown_choice};
use super::families::{FamilyScope, MAX_PARAMETER, check_router_count};
use super::settings::{BlockSettings, integer, wrong_kind};
use crate::ResolveError;
use crate::syntax::ast::{Block, Name, SettingValue, StatementKind, ValueKind};
use crate::syntax::words::BlockKind;
use fabc_base::diag::Span;
use fabc_base::limits::ROUTERS;
use fabc_model::{Attach, AttachBy, Boxes, Clos, ClosForm, Family, FamilyFacts, Outside};

/// The word of a network in which NICs of one number meet at a leaf.
pub(super) const RAILS: &str = "rails";

/// The forms of networks that join boxes.
const FORMS: [&str; 4] = [RAILS, "leaf_spine", "fat_tree", "clos"];

/// The leaves and the tiers above them, before NICs are attached.
struct Leaves {
    count: u32,
    upper: Option<Clos>,
    attach: AttachBy,
    /// Boxes of a group, where the spec gives their number.
    per: Option<u32>,
}

impl FamilyScope<'_> {
    /// Joins boxes by the network of `topology = ..`.
    pub(super) fn join_boxes(
        &self,
        context: &mut Context,
        boxes: DeclaredBoxes,
        value: &SettingValue,
    ) -> Option<Boxes> {
        let Some(form) = FORMS.into_iter().find(|form| *form == &*self.name.value) else {
            context.error(unknown_choice("`topology` of boxes", self.name, &FORMS, None));
            return None;
        };
        let ValueKind::Block(_, block) = &value.kind else {
            let example = "rails { spines = 4; parallel = 8; }";
            context.error(wrong_kind("`topology`", "a name with its settings", example, value.span));
            return None;
        };
        let (planes_span, planes) = (self.line_span(block, "planes"), self.planes(context, block)?);
        for kind in &boxes.kinds {
            let problem = match (kind.nics.is_empty(), kind.nic_ports) {
                (true, _) => format!("`{}` has no NICs, so nothing joins it to the leaves", kind.name),
                (false, ports) if ports != planes => {
                    let word = if ports == 1 { "port" } else { "ports" };
                    format!("NIC 0 of `{}` has {ports} {word}, planes = {planes}", kind.name)
                }
                _ => continue,
            };
            let help = match kind.nics.is_empty() {
                true => "write `nics = 8 over ib;` in the box".to_owned(),
                false => format!("write `nics = {} over .. {{ ports = {planes}; }}`", kind.nics.len()),
            };
            return self.no_such_network(context, problem, help, planes_span);
        }
        let fewest_nics = boxes.kinds.iter().map(|kind| kind.nics.len() as u32).min().unwrap_or(0);
        let most_nics = boxes.kinds.iter().map(|kind| kind.nics.len() as u32).max().unwrap_or(0);
        if fewest_nics != most_nics && (form == RAILS || self.attach(context, block)? == AttachBy::Rail) {
            let problem = format!(
                "a rail joins the NICs of one number of all boxes, but boxes have {fewest_nics} to {most_nics} NICs"
            );
            let help = "write `attach = box;`, or as many NICs in every box".to_owned();
            return self.no_such_network(context, problem, help, self.name.span);
        }
        let leaves = match form {
            RAILS => self.rails(context, block, boxes.box_count(), most_nics)?,
            "leaf_spine" => self.leaves_and_spines(context, block)?,
            _ => {
                let (Family::Clos(upper), _) = self.family(context, value)?? else {
                    let help = "write `fat_tree { k = 8; }`, whose switches use all their ports".to_owned();
                    let problem = "a k-ary n-tree does not join boxes".to_owned();
                    return self.no_such_network(context, problem, help, self.name.span);
                };
                let attach = self.attach(context, block)?;
                Leaves { count: upper.tier_size(0) as u32, upper: Some(upper), attach, per: None }
            }
        };
        let mut joined = Boxes { kinds: boxes.kinds, placed: boxes.placed, outside: None };
        let attach = self.attached(context, &joined, &leaves, most_nics, block)?;
        joined.outside = Some(Outside { form, leaves: leaves.count, upper: leaves.upper, planes, attach });
        let routers = joined.router_count() as u128;
        let arithmetic = format!("{} GPUs and the switches", joined.gpu_count());
        check_router_count(context, ROUTERS, Some(routers), &arithmetic, self.name.span)?;
        Some(joined)
    }

    /// Resolves `rails { spines; parallel; per; planes; }`: a leaf for every NIC number and group of boxes.
    fn rails(&self, context: &mut Context, block: &Block, boxes: u32, nics: u32) -> Option<Leaves> {
        let settings = self.settings(context, Some(block), BlockKind::Rails);
        let per = match settings.get("per") {
            Some(value) => integer(context, "`per`", value, 1..=MAX_PARAMETER)? as u32,
            None => boxes,
        };
        let leaves = u64::from(boxes.div_ceil(per)) * u64::from(nics);
        let spines = self.spines(context, &settings)?;
        if spines == 0 && per < boxes {
            let groups = boxes.div_ceil(per);
            let problem = format!("without spines, no cable joins the {groups} groups of boxes");
            let help = "write at least `spines = 1;`, or leave out `per`".to_owned();
            return self.no_such_network(context, problem, help, settings.span_or_head("per"));
        }
        let upper = self.upper(context, &settings, leaves, spines)?;
        Some(Leaves { count: leaves as u32, upper, attach: AttachBy::Rail, per: Some(per) })
    }

    /// Resolves `leaf_spine { leaves; spines; parallel; attach; planes; }` outside of boxes.
    fn leaves_and_spines(&self, context: &mut Context, block: &Block) -> Option<Leaves> {
        let settings = self.settings(context, Some(block), BlockKind::LeafSpine);
        let attach = self.attach(context, block)?;
        let leaves = settings.need(context, "leaves", "8");
        let leaves = leaves.and_then(|value| integer(context, "`leaves`", value, 1..=MAX_PARAMETER));
        settings.need(context, "spines", "4");
        let (leaves, spines) = (leaves?, self.spines(context, &settings)?);
        if spines == 0 && leaves > 1 && attach == AttachBy::Box {
            let problem = format!("without spines, no cable joins the {leaves} leaves");
            let help = "write at least `spines = 1;`, or `attach = rail;` for one leaf per NIC".to_owned();
            return self.no_such_network(context, problem, help, settings.span_or_head("spines"));
        }
        let upper = self.upper(context, &settings, leaves as u64, spines)?;
        Some(Leaves { count: leaves as u32, upper, attach, per: None })
    }

    fn spines(&self, context: &mut Context, settings: &BlockSettings<'_>) -> Option<i64> {
        settings.get("spines").map_or(Some(0), |value| integer(context, "`spines`", value, 0..=MAX_PARAMETER))
    }

    /// The Clos network of leaves and spines. The inner `None` says that there are no spines.
    #[allow(clippy::option_option)]
    fn upper(
        &self,
        context: &mut Context,
        settings: &BlockSettings<'_>,
        leaves: u64,
        spines: i64,
    ) -> Option<Option<Clos>> {
        if spines == 0 {
            let unused = ["parallel", "over", "link", "spine"].into_iter();
            if let Some(name) = unused.into_iter().find(|name| settings.get(name).is_some()) {
                context.error(ResolveError::Misplaced {
                    subject: format!("`{name}`"),
                    place: format!("{} without spines", settings.place),
                    help: Some("no cable leaves the leaves upwards: remove it".to_owned()),
                    span: settings.span_or_head(name),
                });
                return None;
            }
            return Some(None);
        }
        if leaves < 2 {
            let problem = "a single leaf needs no spines".to_owned();
            let help = "write `spines = 0;`".to_owned();
            return self.no_such_network(context, problem, help, settings.span_or_head("spines"));
        }
        match self.leaf_spine_stages(context, settings, leaves as i64, spines)? {
            (Family::Clos(upper), _) => Some(Some(Clos { form: ClosForm::LeafSpine, ..upper })),
            _ => None,
        }
    }

    /// Attaches NICs to leaves, and checks that every leaf has some.
    fn attached(
        &self,
        context: &mut Context,
        boxes: &Boxes,
        leaves: &Leaves,
        nics: u32,
        block: &Block,
    ) -> Option<Attach> {
        let (count, all_nics) = (leaves.count, boxes.nic_count());
        let too_many = |used: u32| format!("{all_nics} NICs fill {used} of {count} leaves");
        match leaves.attach {
            AttachBy::Box => {
                let per_leaf = all_nics.div_ceil(count);
                let used = all_nics.div_ceil(per_leaf);
                if used < count {
                    let help = format!("{per_leaf} NICs stand at each of them; write fewer leaves");
                    return self.no_such_network(context, too_many(used), help, self.name.span);
                }
                Some(Attach::Box { per_leaf })
            }
            AttachBy::Rail if count <= nics => Some(Attach::Rail { per: boxes.box_count(), leaves: count }),
            AttachBy::Rail => {
                let groups = count / nics;
                if count % nics > 0 {
                    let problem = format!("{count} leaves are no whole number of groups of {nics} NICs");
                    let help =
                        format!("write `leaves = {};` or `leaves = {};`", groups * nics, (groups + 1) * nics);
                    let span = self.line_span(block, "leaves");
                    return self.no_such_network(context, problem, help, span);
                }
                let per = leaves.per.unwrap_or(boxes.box_count().div_ceil(groups));
                let used = boxes.box_count().div_ceil(per);
                if used < groups {
                    let help = format!("{per} boxes make a group; write fewer leaves, or more boxes");
                    return self.no_such_network(context, too_many(used * nics), help, self.name.span);
                }
                Some(Attach::Rail { per, leaves: nics })
            }
        }
    }

    /// Reads `planes`, 1 without the setting.
    fn planes(&self, context: &mut Context, block: &Block) -> Option<u32> {
        let Some(value) = setting(block, "planes") else { return Some(1) };
        integer(context, "`planes`", value, 1..=64).map(|planes| planes as u32)
    }

    fn attach(&self, context: &mut Context, block: &Block) -> Option<AttachBy> {
        let Some(value) = setting(block, "attach") else { return Some(AttachBy::default()) };
        super::settings::one_of(context, "`attach`", value)
    }

    /// The place of a setting, or of the word of the topology.
    fn line_span(&self, block: &Block, name: &str) -> Span {
        setting(block, name).map_or(self.name.span, |value| value.span)
    }

    /// Refuses settings of boxes in a network of routers with hosts.
    pub(super) fn refuse_box_settings(&self, context: &mut Context, block: &Block) {
        for name in ["attach", "planes"] {
            if let Some(value) = setting(block, name) {
                context.error(ResolveError::Misplaced {
                    subject: format!("`{name}`"),
                    place: "a network without `boxes`".to_owned(),
                    help: Some("it says where the NICs of boxes lead; remove it".to_owned()),
                    span: value.span,
                });
            }
        }
    }
}

/// The value of a setting of a block, if it is written.
pub(super) fn setting<'a>(block: &'a Block, name: &str) -> Option<&'a SettingValue> {
    block.statements.iter().find_map(|statement| match &statement.kind {
        StatementKind::Setting(setting) if *setting.name.value == *name => Some(&setting.value),
        _ => None,
    })
}

/// Reports `rails` in a spec without boxes.
pub(super) fn need_boxes(context: &mut Context, name: &Name) {
    let example = "boxes = 4 of h100;";
    context.error(missing("`rails`", "`boxes`", example, name.span));
}
