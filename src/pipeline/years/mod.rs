//! Years of a pod: failures played through placements and repairs, for several policies.
//!
//! In: a built pod, whole or in slices, failure rates, and policies. Out: the share of the time that slices
//! are served, and where the rest goes.
//!
//! 1. `failures`: when parts fail and are repaired, for every seed. It is the same under every policy.
//! 2. `play`: each failure is a step of `fabc place`. That gives the cubes of every slice at any time.
//! 3. `repairs`: each set of broken parts is repaired once, as `fabc repair` does, and each swap is planned
//!    once, as `fabc plan` does.
//! 4. `account`: the time of every slice is served, or lost to one cause.
//!
//! Runs share nothing but these answers, and their results are joined in a fixed order. So any number of
//! threads gives the same result.

mod account;
mod built;
mod closed_form;
mod failures;
mod outcome;
mod parts;
mod play;
mod policy;
mod query;
mod read;
mod repairs;
mod run;
mod sample;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use built::operate_years;
pub use policy::{PolicyError, PolicySettings, parse_policy};
pub use query::{YearsLimits, YearsQuery};
pub use read::{PlayedFile, read_played};
