//! Names as parts of file names.

/// `X[0,0]` as part of a file name: `X_0_0`. Of the switches of one pod no two have the same, however
/// capitals are read: `resolve` sees to it.
pub fn file_stem(name: &str) -> String {
    name.replace(['[', ','], "_").replace(']', "")
}
