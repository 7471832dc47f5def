//! Places in a picture.

/// A place in the picture. The vertical axis points downwards.
#[derive(Clone, Copy, Default, Debug)]
pub(in super::super) struct Point {
    pub(in super::super) x: f64,
    pub(in super::super) y: f64,
}
