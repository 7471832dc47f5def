//! The names of a slice's parts, in the pod and in the kind of the slice.

use crate::refusal::Refusal;
use crate::scenarios::NOMINAL;
use fabc_ir::Slice;
use fabc_model::SliceKind;
use std::collections::BTreeMap;

/// A slice with its kind. It translates names of the pod into names of the kind, and back.
pub struct LocalSlice<'a> {
    /// The slice with its cubes.
    pub slice: &'a Slice,
    /// The kind that the slice has.
    pub kind: &'a SliceKind,
    /// From the name of a switch in the pod to its name in the kind.
    pub(super) switches: BTreeMap<String, String>,
}

impl LocalSlice<'_> {
    /// Translates the name of a scenario or part of the pod into the names of the kind. `None` if some part
    /// does not belong to the slice.
    pub fn to_kind(&self, name: &str) -> Option<String> {
        let cube = |cube: u32| {
            self.slice.cubes.iter().position(|own_cube| own_cube.0 == cube).map(|index| index as u32)
        };
        if name == NOMINAL {
            Some(name.to_owned())
        } else {
            translated(name, |switch| self.switches.get(switch).cloned(), cube)
        }
    }

    /// Translates a name of the kind into the names of the pod.
    pub fn to_pod(&self, name: &str) -> String {
        let switch = |name: &str| {
            self.switches.iter().find(|(_, inside)| *inside == name).map(|(outside, _)| outside.clone())
        };
        translated(name, switch, |index| self.slice.cubes.get(index as usize).map(|cube| cube.0))
            .unwrap_or_else(|| name.to_owned())
    }

    /// Translates the names of parts of the pod that are down into the names of the kind.
    ///
    /// # Errors
    /// [`Refusal::UnknownPart`] for a part that does not belong to the slice.
    pub fn parts_in_kind(&self, down: &[String]) -> Result<Vec<String>, Refusal> {
        let inside = |name: &String| {
            let compact: String = name.chars().filter(|letter| !letter.is_whitespace()).collect();
            self.to_kind(&compact).ok_or_else(|| Refusal::UnknownPart {
                name: name.clone(),
                hint: format!("slice `{}` has the cubes {}", self.slice.name, self.cubes()),
            })
        };
        down.iter().map(inside).collect()
    }

    /// The numbers of its cubes, for people.
    pub fn cubes(&self) -> String {
        self.slice.cubes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

/// Translates the parts of a name that `+` separates: switches, and names that begin with a cube. `None` if a
/// part has no translation. The `+` behind a `.` belongs to a port.
fn translated(
    name: &str,
    switch: impl Fn(&str) -> Option<String>,
    cube: impl Fn(u32) -> Option<u32>,
) -> Option<String> {
    let translate_part = |part: &str| {
        switch(part).or_else(|| {
            let rest = part.strip_prefix("cube")?;
            let end = rest.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(rest.len());
            Some(format!("cube{}{}", cube(rest[..end].parse().ok()?)?, &rest[end..]))
        })
    };
    let mut parts: Vec<String> = vec![String::new()];
    for sign in name.chars() {
        let last = parts.last_mut().expect("there is always one");
        if sign == '+' && !last.ends_with('.') { parts.push(String::new()) } else { last.push(sign) }
    }
    parts.iter().map(|part| translate_part(part)).collect::<Option<Vec<_>>>().map(|parts| parts.join("+"))
}
