//! Places slices on the cubes of a pod, and sets its switches for them.
//!
//! Input: a pod with its kinds of slices, and a placement. Output: another placement, or the cross-connects
//! of one. A slice is a kind carried to other cubes. Every cross-connect of the kind is one of the pod,
//! whatever cubes of a class the slice has. The pass takes the first free cubes in the first class with room.
//! Where some cubes are preferred to others, it exchanges them. So a placement depends only on the steps.
//! Cost: one look at every port.

use fabc_base::diag::suggestion;
use fabc_base::ids::{BlockId, IdVec, NodeId, OcsId};
use fabc_ir::{
    Mirrors, PlaceStep, PlanStep, Slice, SliceChange, SlicePlacement, SlicePlan, StepChange, WhyChanged,
};
use fabc_model::{CubeClass, Fabric, FacePort, Pod, SliceKind};
use miette::Diagnostic;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// Why slices cannot be placed as requested.
#[derive(Clone, PartialEq, Eq, Debug, Error, Diagnostic)]
pub enum PlaceError {
    /// Something that does not exist or cannot be used for this.
    #[error("{what}")]
    #[diagnostic(code(FAB0582), help("{hint}"))]
    Unfit {
        /// The request that cannot be met.
        what: String,
        /// Help text: the possible requests.
        hint: String,
    },
    /// No free cubes are left.
    #[error("there is no room for {what}")]
    #[diagnostic(code(FAB0583), help("{counts}"))]
    NoRoom {
        /// The slice, or the cube to be replaced.
        what: String,
        /// Numbers of free, spare and failed cubes.
        counts: String,
    },
}

/// A pod whose slices are placed.
pub struct Placing<'a> {
    pod: &'a Pod,
    kinds: &'a [SliceKind],
    classes: Vec<CubeClass>,
    /// `[kind]`: the classes whose cubes it may have.
    fitting: Vec<Vec<usize>>,
    /// What decides between cubes that are free. `None` where all are alike.
    preference: Option<Box<dyn CubePreference + 'a>>,
}

/// What decides between cubes that switches treat alike.
pub trait CubePreference {
    /// Exchanges cubes of a slice with each other and with free ones, as long as that is better. `kind` is
    /// the number of its kind.
    fn improve(&self, kind: usize, cubes: &mut [BlockId], free: &[BlockId]);
    /// Whether the first list of cubes is better for a slice than the second.
    fn is_better(&self, kind: usize, first: &[BlockId], second: &[BlockId]) -> bool;
}

impl<'a> Placing<'a> {
    /// The slices of a fabric on the cubes of its pod.
    pub fn new(fabric: &'a Fabric, pod: &'a Pod) -> Self {
        let (kinds, classes) = (&fabric.slices.kinds[..], pod.classes());
        let roles: Vec<_> = classes.iter().map(|class| pod.role(class)).collect();
        let fitting = |kind: &SliceKind| {
            let cube_classes = kind.pod().classes();
            let role = cube_classes.first().map(|class| kind.pod().role(class));
            (0..classes.len()).filter(|&class| role.as_ref() == Some(&roles[class])).collect()
        };
        let fitting = kinds.iter().map(fitting).collect();
        Self { pod, kinds, classes, fitting, preference: None }
    }

    /// The same slices, which prefer some cubes to others.
    pub fn preferring(self, preference: Option<Box<dyn CubePreference + 'a>>) -> Self {
        Self { preference, ..self }
    }

    /// The initial placement of a build: every kind as often as it says, the largest first. The last `spare`
    /// cubes are spare.
    ///
    /// # Errors
    /// Fails if the slices do not fit into the classes of cubes that switches treat alike.
    pub fn initial(&self, spare: u32) -> Result<SlicePlacement, PlaceError> {
        let spare = (self.pod.cubes - spare..self.pod.cubes).map(BlockId).collect();
        let mut placement = SlicePlacement { spare, ..SlicePlacement::default() };
        let mut order: Vec<&SliceKind> = self.kinds.iter().collect();
        order.sort_by_key(|kind| (std::cmp::Reverse(kind.cubes()), &kind.name));
        for kind in order {
            for _ in 0..kind.count {
                self.add(&mut placement, &kind.name, None, None)?;
            }
        }
        Ok(placement)
    }

    /// The placement after some steps. Either all steps are made or none.
    ///
    /// # Errors
    /// Describes the first step that is impossible, or a slice that keeps a failed cube.
    pub fn after(
        &self,
        placement: &SlicePlacement,
        steps: &[PlaceStep],
    ) -> Result<SlicePlacement, PlaceError> {
        let mut placement = placement.clone();
        for step in steps {
            match step {
                PlaceStep::Add { kind, name, cubes } => {
                    self.add(&mut placement, kind, name.as_deref(), cubes.as_deref())?
                }
                PlaceStep::Remove(name) => self.remove(&mut placement, name)?,
                PlaceStep::Swap(cube, with) => self.swap(&mut placement, *cube, *with)?,
                PlaceStep::Down(cube) => _ = placement.down.insert(self.cube(*cube)?),
                PlaceStep::Up(cube) => {
                    if !placement.down.remove(&self.cube(*cube)?) {
                        let hint = "`--up` needs a cube that is down".to_owned();
                        return Err(PlaceError::Unfit { what: format!("cube{cube} is not down"), hint });
                    }
                }
            }
        }
        let owners = placement.owners();
        match placement.down.iter().find_map(|cube| owners.get(cube).map(|(slice, _)| (cube, *slice))) {
            Some((cube, slice)) => Err(PlaceError::Unfit {
                what: format!("cube{cube} is down, and slice `{}` has it", placement.slices[slice].name),
                hint: format!(
                    "replace it with `--swap cube{cube}`, or remove the slice with `--remove {}`",
                    placement.slices[slice].name
                ),
            }),
            None => Ok(placement),
        }
    }

    fn kind(&self, name: &str) -> Result<usize, PlaceError> {
        self.kinds.iter().position(|kind| kind.name == name).ok_or_else(|| {
            let known = || self.kinds.iter().map(|kind| kind.name.as_str());
            let hint = suggestion(name, known())
                .unwrap_or_else(|| format!("there are {}", known().collect::<Vec<_>>().join(", ")));
            PlaceError::Unfit { what: format!("there is no kind of slice `{name}`"), hint }
        })
    }

    fn cube(&self, cube: u32) -> Result<BlockId, PlaceError> {
        if cube < self.pod.cubes {
            return Ok(BlockId(cube));
        }
        let hint = format!("the pod has the cubes cube0 to cube{}", self.pod.cubes - 1);
        Err(PlaceError::Unfit { what: format!("there is no cube{cube}"), hint })
    }

    fn slice(placement: &SlicePlacement, name: &str) -> Result<usize, PlaceError> {
        placement.slices.iter().position(|slice| slice.name == name).ok_or_else(|| {
            let known = placement.slices.iter().map(|slice| slice.name.as_str());
            let hint = suggestion(name, known).unwrap_or_else(|| "the report lists all slices".to_owned());
            PlaceError::Unfit { what: format!("there is no slice `{name}`"), hint }
        })
    }

    /// The class of a cube. Cubes of one class can stand in for each other.
    pub fn class_of(&self, cube: BlockId) -> usize {
        self.classes.iter().position(|class| class.cubes.contains(&cube)).unwrap_or(0)
    }

    fn add(
        &self,
        placement: &mut SlicePlacement,
        kind: &str,
        name: Option<&str>,
        cubes: Option<&[u32]>,
    ) -> Result<(), PlaceError> {
        let kind_index = self.kind(kind)?;
        let needed = self.kinds[kind_index].cubes() as usize;
        let name = match name {
            Some(name) => self.new_name(placement, name)?,
            None => (0..)
                .map(|number: u64| format!("{kind}-{number}"))
                .find(|name| placement.slice(name).is_none())
                .unwrap_or_default(),
        };
        let cubes = match cubes {
            Some(cubes) => self.check_cubes(placement, kind_index, cubes)?,
            None => {
                let free: BTreeSet<BlockId> = placement.free(self.pod.cubes).into_iter().collect();
                let free_in_class = |class: &usize| {
                    let cubes = self.classes[*class].cubes.iter().copied();
                    cubes.filter(|cube| free.contains(cube)).collect()
                };
                let mut candidates = self.fitting[kind_index]
                    .iter()
                    .map(free_in_class)
                    .filter(|cubes: &Vec<BlockId>| cubes.len() >= needed);
                let mut cubes = candidates
                    .next()
                    .ok_or_else(|| self.no_room(placement, format!("a slice `{name}` of {needed} cubes")))?;
                let others = cubes.split_off(needed);
                if let Some(preference) = &self.preference {
                    preference.improve(kind_index, &mut cubes, &others);
                }
                cubes
            }
        };
        placement.slices.push(Slice { name, kind: kind.to_owned(), cubes });
        placement.slices.sort_by(|first, second| sort_key(first).cmp(&sort_key(second)));
        Ok(())
    }

    /// Checks a new name: no slice has it, and its characters are allowed.
    fn new_name(&self, placement: &SlicePlacement, name: &str) -> Result<String, PlaceError> {
        let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
        if name.is_empty() || !name.chars().all(is_allowed) {
            let hint = "a name has letters, digits, `_` and `-`".to_owned();
            return Err(PlaceError::Unfit {
                what: format!("`{name}` is not a valid name for a slice"),
                hint,
            });
        }
        match placement.slice(name) {
            Some(_) => Err(PlaceError::Unfit {
                what: format!("a slice `{name}` exists already"),
                hint: "give it another name".to_owned(),
            }),
            None => Ok(name.to_owned()),
        }
    }

    /// The requested cubes, if a slice of the kind may have them.
    fn check_cubes(
        &self,
        placement: &SlicePlacement,
        kind: usize,
        cubes: &[u32],
    ) -> Result<Vec<BlockId>, PlaceError> {
        let SliceKind { name, .. } = &self.kinds[kind];
        let needed = self.kinds[kind].cubes() as usize;
        let unfit = |what: String, hint: String| PlaceError::Unfit { what, hint };
        let cubes =
            cubes.iter().map(|&cube| self.cube(cube)).collect::<Result<Vec<BlockId>, PlaceError>>()?;
        if cubes.len() != needed {
            return Err(unfit(
                format!("`--cubes` names {} cubes for a slice of `{name}`", cubes.len()),
                format!("such a slice has {needed}"),
            ));
        }
        for (index, cube) in cubes.iter().enumerate() {
            self.check_available(placement, *cube)?;
            if placement.spare.contains(cube) {
                return Err(unfit(
                    format!("cube{cube} is spare"),
                    "a spare cube can only replace another one: use `--swap`".to_owned(),
                ));
            }
            if cubes[..index].contains(cube) {
                return Err(unfit(
                    format!("cube{cube} is named twice"),
                    "name each cube of a slice once".to_owned(),
                ));
            }
        }
        let classes: BTreeSet<usize> = cubes.iter().map(|&cube| self.class_of(cube)).collect();
        if classes.len() > 1 || !classes.iter().all(|class| self.fitting[kind].contains(class)) {
            let what = format!("a slice of `{name}` needs cubes on the same groups of switches");
            return Err(unfit(what, "choose cubes within one range of `for cubes lo..hi`".to_owned()));
        }
        Ok(cubes)
    }

    /// Refuses a cube that has failed or belongs to a slice.
    fn check_available(&self, placement: &SlicePlacement, cube: BlockId) -> Result<(), PlaceError> {
        if let Some((slice, _)) = placement.owners().get(&cube) {
            let (what, hint) = (
                format!("cube{cube} belongs to slice `{}`", placement.slices[*slice].name),
                "choose a free cube".to_owned(),
            );
            return Err(PlaceError::Unfit { what, hint });
        }
        if placement.down.contains(&cube) {
            let hint = format!("if it works again, add `--up cube{cube}`");
            return Err(PlaceError::Unfit { what: format!("cube{cube} is down"), hint });
        }
        Ok(())
    }

    fn remove(&self, placement: &mut SlicePlacement, name: &str) -> Result<(), PlaceError> {
        let index = Self::slice(placement, name)?;
        placement.slices.remove(index);
        Ok(())
    }

    /// Swaps two cubes. A spare cube leaves its place to the one that it replaces.
    fn swap(
        &self,
        placement: &mut SlicePlacement,
        cube: u32,
        replacement: Option<u32>,
    ) -> Result<(), PlaceError> {
        let cube = self.cube(cube)?;
        let Some(&(slice, place)) = placement.owners().get(&cube) else {
            let hint = "only a cube that belongs to a slice can be replaced".to_owned();
            return Err(PlaceError::Unfit { what: format!("cube{cube} belongs to no slice"), hint });
        };
        let class = self.class_of(cube);
        let replacement = match replacement {
            Some(replacement) => {
                let replacement = self.cube(replacement)?;
                self.check_available(placement, replacement)?;
                if self.class_of(replacement) != class {
                    let hint = "choose a cube on the same groups of switches".to_owned();
                    return Err(PlaceError::Unfit {
                        what: format!(
                            "cube{cube} and cube{replacement} are not on the same groups of switches"
                        ),
                        hint,
                    });
                }
                replacement
            }
            None => {
                let spare = placement.spare.difference(&placement.down).copied();
                let in_class = |replacement: &BlockId| self.class_of(*replacement) == class;
                let spare: Vec<BlockId> = spare.filter(in_class).collect();
                let free = || placement.free(self.pod.cubes).into_iter().filter(in_class).collect();
                let possible = if spare.is_empty() { free() } else { spare };
                self.best_replacement(&placement.slices[slice], place, &possible).ok_or_else(|| {
                    self.no_room(placement, format!("another cube in the place of cube{cube}"))
                })?
            }
        };
        placement.slices[slice].cubes[place] = replacement;
        if placement.spare.remove(&replacement) {
            placement.spare.insert(cube);
        }
        Ok(())
    }

    /// Of the cubes that may take a place in a slice, the best one, the first of equal ones.
    fn best_replacement(&self, slice: &Slice, place: usize, possible: &[BlockId]) -> Option<BlockId> {
        let (&first, others) = possible.split_first()?;
        let kind = self.kinds.iter().position(|kind| kind.name == slice.kind);
        let Some((preference, kind)) = self.preference.as_ref().zip(kind) else { return Some(first) };
        let with = |cube: BlockId| {
            let mut cubes = slice.cubes.clone();
            cubes[place] = cube;
            cubes
        };
        let better = |best: BlockId, &cube: &BlockId| {
            if preference.is_better(kind, &with(cube), &with(best)) { cube } else { best }
        };
        Some(others.iter().fold(first, better))
    }

    fn no_room(&self, placement: &SlicePlacement, what: String) -> PlaceError {
        let free = placement.free(self.pod.cubes).len();
        let (taken, down) = (placement.owners().len(), placement.down.len());
        let spare = placement.spare.difference(&placement.down).count();
        let several = if self.classes.len() > 1 {
            format!(", in {} classes of cubes", self.classes.len())
        } else {
            String::new()
        };
        let counts = format!(
            "of {} cubes{several}, {taken} are in slices, {free} are free, {spare} spare, {down} down",
            self.pod.cubes
        );
        PlaceError::NoRoom { what, counts }
    }

    /// The cross-connects of a placement: those of every kind, carried to the cubes of its slices. `kinds`
    /// has the settings of every kind in order. Ports outside all slices are dark.
    pub fn settings(&self, placement: &SlicePlacement, kinds: &[Mirrors]) -> Mirrors {
        let chips = self.pod.chips_per_cube();
        let plugs = self.pod.face_plugs();
        let mut settings: Mirrors = IdVec::filled(BTreeSet::new(), self.pod.ocses.len());
        for slice in &placement.slices {
            let Some(kind) = self.kinds.iter().position(|kind| kind.name == slice.kind) else { continue };
            let plug = |face: FacePort| {
                let cube = slice.cubes[face.cube.0 as usize];
                let node = NodeId(cube.0 * chips + face.node.0 % chips);
                plugs.get(node, face.port).expect("every face port of a kind is wired in the pod, too")
            };
            for (id, ocs) in self.kinds[kind].pod().ocses.enumerate() {
                for &pair in &kinds[kind][id] {
                    let [a, b] = ocs.faces(pair).map(plug);
                    let joined = self.pod.ocses[a.ocs].pair(a, b);
                    settings[a.ocs].insert(joined.expect("what a switch of the kind joins, its own joins"));
                }
            }
        }
        settings
    }
}

/// The order of slices: by kind, then by number.
fn sort_key(slice: &Slice) -> (&str, usize, &str) {
    (&slice.kind, slice.name.len(), &slice.name)
}

/// The plan from the live cross-connects `live`, by the placement `old`, to another placement and its
/// settings. First come all removes, slice by slice, then all adds. A slice that is the same in both is not
/// touched, unless the switches differ from both.
pub fn slice_plan(
    pod: &Pod,
    old: &SlicePlacement,
    live: &Mirrors,
    new: &SlicePlacement,
    settings: &Mirrors,
) -> SlicePlan {
    let is_unchanged = |name: &str| old.slice(name).is_some() && old.slice(name) == new.slice(name);
    // The slice that has both ends of a pair.
    let owner = |placement: &SlicePlacement,
                 owners: &BTreeMap<BlockId, (usize, usize)>,
                 ocs: OcsId,
                 pair: [u32; 2]| {
        let [a, b] = pod.ocses[ocs].faces(pair).map(|face| owners.get(&face.cube).map(|(slice, _)| *slice));
        a.filter(|_| a == b).map(|slice| placement.slices[slice].name.clone())
    };
    let mut lit: usize = live.iter().map(BTreeSet::len).sum();
    let mut changes = Vec::new();
    for (change, from, to, placement) in
        [(StepChange::Remove, live, settings, old), (StepChange::Add, settings, live, new)]
    {
        let owners = placement.owners();
        let mut pairs_by_slice: BTreeMap<Option<String>, Vec<(OcsId, [u32; 2])>> = BTreeMap::new();
        for ocs in pod.ocses.ids() {
            for &pair in from[ocs].difference(&to[ocs]) {
                pairs_by_slice.entry(owner(placement, &owners, ocs, pair)).or_default().push((ocs, pair));
            }
        }
        // Cross-connects outside all slices go first. The others follow the order of their placement.
        let names = placement.slices.iter().map(|slice| Some(slice.name.clone()));
        for slice in std::iter::once(None).chain(names) {
            let Some(pairs) = pairs_by_slice.remove(&slice) else { continue };
            let why = match &slice {
                None => WhyChanged::Stray,
                Some(name) if is_unchanged(name) => WhyChanged::Drifted,
                Some(name) if old.slice(name).is_some() && new.slice(name).is_some() => WhyChanged::Moved,
                Some(_) if change == StepChange::Remove => WhyChanged::Gone,
                Some(_) => WhyChanged::New,
            };
            let step = |(ocs, pair)| {
                lit = if change == StepChange::Remove { lit - 1 } else { lit + 1 };
                PlanStep { ocs, change, pair, lit, parts: 1 }
            };
            changes.push(SliceChange { slice, why, steps: pairs.into_iter().map(step).collect() });
        }
    }
    let touched: BTreeSet<&str> = changes.iter().filter_map(|change| change.slice.as_deref()).collect();
    let untouched = new
        .slices
        .iter()
        .filter(|slice| is_unchanged(&slice.name) && !touched.contains(slice.name.as_str()))
        .count();
    SlicePlan { changes, untouched }
}
