//! The further faults for which a file of tables serves.

use crate::{FaultSymmetry, Image};
use fabc_base::ids::BlockId;
use fabc_model::StageDigits;
use serde::Deserialize;

/// An image as a file writes it, with one of the two symmetries.
#[derive(Deserialize)]
#[serde(rename = "Served", deny_unknown_fields)]
struct ImageLine {
    scenario: String,
    /// `[cube]`: the cube that it is taken to.
    cubes: Option<Vec<u32>>,
    /// `[stage]`: what is added to the digits down and up, and to the number of the cable.
    shift: Option<Vec<[u32; 3]>>,
}

impl<'de> Deserialize<'de> for Image {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let ImageLine { scenario, cubes, shift } = ImageLine::deserialize(deserializer)?;
        let digits = |[down, up, cable]: [u32; 3]| StageDigits { down, up, cable };
        let symmetry = match (cubes, shift) {
            (Some(cubes), None) => FaultSymmetry::Blocks(cubes.into_iter().map(BlockId).collect()),
            (None, Some(shift)) => FaultSymmetry::Shift(shift.into_iter().map(digits).collect()),
            _ => return Err(serde::de::Error::custom("an image has `cubes` or a `shift`")),
        };
        Ok(Self { scenario, symmetry })
    }
}
