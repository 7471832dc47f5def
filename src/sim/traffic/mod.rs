//! Who sends to whom: in, a traffic and the endpoints of a fabric; out, what every endpoint draws its
//! destinations from, and what that comes to between routers, in integers.

mod expected;
mod far;
mod numbers;
mod pattern;
mod places;
mod rows;
mod spread;

pub(super) use expected::{Expected, Pairs};
pub(super) use pattern::Pattern;
