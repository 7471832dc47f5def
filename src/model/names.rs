//! Names as parts of file names.

/// `X[0,0]` as part of a file name: `X_0_0`. `resolve` makes sure that no two switches of a pod have the same
/// file name, not even without regard to case.
pub fn file_stem(name: &str) -> String {
    name.replace(['[', ','], "_").replace(']', "")
}
