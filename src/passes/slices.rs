//! Places slices on the cubes of a pod, and sets its switches for them.
//!
//! In: a pod with its kinds of slices, and a placement. Out: another placement, or the cross-connects of one.
//! A slice is a kind carried to other cubes: whatever cubes of a class it has, every cross-connect of the
//! kind is one of the pod. The first cubes that are free are taken, in the first class with room, so that a
//! placement depends on nothing but the steps. Cost: a look at every port.

use fabc_base::diag::suggestion;
use fabc_base::ids::{BlockId, IdVec, OcsId};
use fabc_ir::{Change, Mirrors, PlaceStep, Slice, SliceChange, SlicePlacement, SlicePlan, Step, WhyChanged};
use fabc_model::{Class, CoupleRule, Fabric, FacePort, Pod, SliceKind};
use miette::Diagnostic;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// Why slices cannot be placed so.
#[derive(Clone, PartialEq, Eq, Debug, Error, Diagnostic)]
pub enum PlaceError {
    /// Something that is not there, or cannot be used so.
    #[error("{what}")]
    #[diagnostic(code(FAB0582), help("{hint}"))]
    Unfit {
        /// What is asked for.
        what: String,
        /// What there is.
        hint: String,
    },
    /// No cubes are left.
    #[error("there is no room for {what}")]
    #[diagnostic(code(FAB0583), help("{counts}"))]
    NoRoom {
        /// The slice, or the cube to be replaced.
        what: String,
        /// How many cubes are free, spare and down.
        counts: String,
    },
}

/// A pod whose slices are placed.
pub struct Placing<'a> {
    pod: &'a Pod,
    kinds: &'a [SliceKind],
    classes: Vec<Class>,
    /// `[kind]`: the classes whose cubes it may have.
    fitting: Vec<Vec<usize>>,
}

impl<'a> Placing<'a> {
    /// A fabric that is divided.
    pub fn of(fabric: &'a Fabric, pod: &'a Pod) -> Self {
        let (kinds, classes) = (&fabric.slices.kinds[..], pod.classes());
        let roles: Vec<_> = classes.iter().map(|class| pod.role(class)).collect();
        let fitting = |kind: &SliceKind| {
            let alone = kind.pod().classes();
            let role = alone.first().map(|class| kind.pod().role(class));
            (0..classes.len()).filter(|&at| role.as_ref() == Some(&roles[at])).collect()
        };
        let fitting = kinds.iter().map(fitting).collect();
        Self { pod, kinds, classes, fitting }
    }

    /// What a build places: of every kind as many as it says, the largest first; the last cubes are spare.
    ///
    /// # Errors
    /// They do not fit into the classes of cubes that switches treat alike.
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

    /// A placement after some steps: all of them or none.
    ///
    /// # Errors
    /// The first step that cannot be, or a slice that is left with a cube that does not work.
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
                        let hint = "only a cube that was said to be down comes up".to_owned();
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
                    "`--swap cube{cube}` replaces it, `--remove {}` takes the slice away",
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

    /// The class of a cube: cubes of one class can stand in for each other.
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
        let at = self.kind(kind)?;
        let needed = self.kinds[at].cubes() as usize;
        let name = match name {
            Some(name) => self.new_name(placement, name)?,
            None => (0..)
                .map(|number: u64| format!("{kind}-{number}"))
                .find(|name| placement.slice(name).is_none())
                .unwrap_or_default(),
        };
        let cubes = match cubes {
            Some(cubes) => self.chosen(placement, at, cubes)?,
            None => {
                let free: BTreeSet<BlockId> = placement.free(self.pod.cubes).into_iter().collect();
                let of_class = |class: &usize| {
                    self.classes[*class]
                        .cubes
                        .iter()
                        .copied()
                        .filter(|cube| free.contains(cube))
                        .take(needed)
                        .collect()
                };
                let mut found = self.fitting[at]
                    .iter()
                    .map(of_class)
                    .filter(|cubes: &Vec<BlockId>| cubes.len() == needed);
                found
                    .next()
                    .ok_or_else(|| self.no_room(placement, format!("a slice `{name}` of {needed} cubes")))?
            }
        };
        placement.slices.push(Slice { name, kind: kind.to_owned(), cubes });
        placement.slices.sort_by(|one, other| key(one).cmp(&key(other)));
        Ok(())
    }

    /// A name that no slice has, and a file could have.
    fn new_name(&self, placement: &SlicePlacement, name: &str) -> Result<String, PlaceError> {
        let good = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
        if name.is_empty() || !name.chars().all(good) {
            let hint = "it has letters, digits, `_` and `-`".to_owned();
            return Err(PlaceError::Unfit { what: format!("`{name}` is no name for a slice"), hint });
        }
        match placement.slice(name) {
            Some(_) => Err(PlaceError::Unfit {
                what: format!("there is a slice `{name}` already"),
                hint: "give it another name".to_owned(),
            }),
            None => Ok(name.to_owned()),
        }
    }

    /// The cubes that were asked for, if a slice of the kind may have them.
    fn chosen(
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
                format!("{} cubes are named for a slice of `{name}`", cubes.len()),
                format!("it has {needed}"),
            ));
        }
        for (at, cube) in cubes.iter().enumerate() {
            self.available(placement, *cube)?;
            if placement.spare.contains(cube) {
                return Err(unfit(
                    format!("cube{cube} is spare"),
                    "spare cubes only come in the place of others: `--swap`".to_owned(),
                ));
            }
            if cubes[..at].contains(cube) {
                return Err(unfit(
                    format!("cube{cube} is named twice"),
                    "every cube of a slice is another one".to_owned(),
                ));
            }
        }
        let classes: BTreeSet<usize> = cubes.iter().map(|&cube| self.class_of(cube)).collect();
        if classes.len() > 1 || !classes.iter().all(|class| self.fitting[kind].contains(class)) {
            let what = format!("the switches do not treat these cubes as a slice of `{name}` needs");
            return Err(unfit(
                what,
                "a slice lies among cubes that the same groups of switches serve (`for cubes lo..hi`)"
                    .to_owned(),
            ));
        }
        Ok(cubes)
    }

    /// Complains unless a cube works and belongs to no slice.
    fn available(&self, placement: &SlicePlacement, cube: BlockId) -> Result<(), PlaceError> {
        if let Some((slice, _)) = placement.owners().get(&cube) {
            let (what, hint) = (
                format!("slice `{}` has cube{cube}", placement.slices[*slice].name),
                "choose a free one".to_owned(),
            );
            return Err(PlaceError::Unfit { what, hint });
        }
        if placement.down.contains(&cube) {
            let hint = format!("`--up cube{cube}` says that it works again");
            return Err(PlaceError::Unfit { what: format!("cube{cube} is down"), hint });
        }
        Ok(())
    }

    fn remove(&self, placement: &mut SlicePlacement, name: &str) -> Result<(), PlaceError> {
        let at = Self::slice(placement, name)?;
        placement.slices.remove(at);
        Ok(())
    }

    /// Both change places: a spare cube leaves its place to the one that it replaces.
    fn swap(&self, placement: &mut SlicePlacement, cube: u32, with: Option<u32>) -> Result<(), PlaceError> {
        let cube = self.cube(cube)?;
        let Some(&(slice, at)) = placement.owners().get(&cube) else {
            let hint = "only a cube of a slice is replaced".to_owned();
            return Err(PlaceError::Unfit { what: format!("no slice has cube{cube}"), hint });
        };
        let class = self.class_of(cube);
        let with = match with {
            Some(with) => {
                let with = self.cube(with)?;
                self.available(placement, with)?;
                if self.class_of(with) != class {
                    let hint = "a cube is replaced by one that the same groups of switches serve".to_owned();
                    return Err(PlaceError::Unfit {
                        what: format!("the switches treat cube{cube} and cube{with} differently"),
                        hint,
                    });
                }
                with
            }
            None => {
                let spare = placement.spare.difference(&placement.down).copied();
                let mut possible =
                    spare.chain(placement.free(self.pod.cubes)).filter(|&with| self.class_of(with) == class);
                possible.next().ok_or_else(|| {
                    self.no_room(placement, format!("another cube in the place of cube{cube}"))
                })?
            }
        };
        placement.slices[slice].cubes[at] = with;
        if placement.spare.remove(&with) {
            placement.spare.insert(cube);
        }
        Ok(())
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

    /// The cross-connects of a placement: those of every kind, carried to the cubes of its slices; `kinds`
    /// has the settings of every kind, in their order. What no slice has is dark.
    pub fn settings(&self, placement: &SlicePlacement, kinds: &[Mirrors]) -> Mirrors {
        let chips = self.pod.chips_per_cube();
        // Indices of face ports on their switches.
        let mut at: BTreeMap<FacePort, (OcsId, u32)> = BTreeMap::new();
        for (id, ocs) in self.pod.ocses.enumerate() {
            for side in [&ocs.a, &ocs.b] {
                at.extend(side.iter().zip(0..).map(|(&face, index)| (face, (id, index))));
            }
        }
        let mut settings: Mirrors = IdVec::filled(BTreeSet::new(), self.pod.ocses.len());
        for slice in &placement.slices {
            let Some(kind) = self.kinds.iter().position(|kind| kind.name == slice.kind) else { continue };
            let carried = |face: FacePort| {
                let cube = slice.cubes[face.cube.0 as usize];
                at[&FacePort {
                    cube,
                    node: fabc_base::ids::NodeId(cube.0 * chips + face.node.0 % chips),
                    port: face.port,
                }]
            };
            for (id, ocs) in self.kinds[kind].pod().ocses.enumerate() {
                for &pair in &kinds[kind][id] {
                    let [(id, a), (_, b)] = ocs.faces(pair).map(carried);
                    let pair = if ocs.rule == CoupleRule::Any { [a.min(b), a.max(b)] } else { [a, b] };
                    settings[id].insert(pair);
                }
            }
        }
        settings
    }
}

/// By kind, then by number.
fn key(slice: &Slice) -> (&str, usize, &str) {
    (&slice.kind, slice.name.len(), &slice.name)
}

/// The way from what the switches do (`live`, by a placement if one is known) to another placement and its
/// settings: first everything that goes, slice by slice, then everything that comes. Slices that are the same
/// in both are not touched, unless the switches do something else than both say.
pub fn way(
    pod: &Pod,
    (old, live): (&SlicePlacement, &Mirrors),
    (new, settings): (&SlicePlacement, &Mirrors),
) -> SlicePlan {
    let same = |name: &str| old.slice(name).is_some() && old.slice(name) == new.slice(name);
    // Of both ends of a pair, the slice that has them.
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
        [(Change::Remove, live, settings, old), (Change::Add, settings, live, new)]
    {
        let owners = placement.owners();
        let mut found: BTreeMap<Option<String>, Vec<(OcsId, [u32; 2])>> = BTreeMap::new();
        for ocs in pod.ocses.ids() {
            for &pair in from[ocs].difference(&to[ocs]) {
                found.entry(owner(placement, &owners, ocs, pair)).or_default().push((ocs, pair));
            }
        }
        // What no slice has goes first; the others stand as in their placement.
        let names = placement.slices.iter().map(|slice| Some(slice.name.clone()));
        for slice in std::iter::once(None).chain(names) {
            let Some(pairs) = found.remove(&slice) else { continue };
            let why = match &slice {
                None => WhyChanged::Stray,
                Some(name) if same(name) => WhyChanged::Drifted,
                Some(name) if old.slice(name).is_some() && new.slice(name).is_some() => WhyChanged::Moved,
                Some(_) if change == Change::Remove => WhyChanged::Gone,
                Some(_) => WhyChanged::New,
            };
            let step = |(ocs, pair)| {
                lit = if change == Change::Remove { lit - 1 } else { lit + 1 };
                Step { ocs, change, pair, lit, parts: 1 }
            };
            changes.push(SliceChange { slice, why, steps: pairs.into_iter().map(step).collect() });
        }
    }
    let touched: BTreeSet<&str> = changes.iter().filter_map(|change| change.slice.as_deref()).collect();
    let untouched =
        new.slices.iter().filter(|slice| same(&slice.name) && !touched.contains(slice.name.as_str())).count();
    SlicePlan { changes, untouched }
}
