//! x
use crate::compiled::Compiled;
/// x
pub(super) fn html(_: &Compiled) -> String {
    String::new()
}
