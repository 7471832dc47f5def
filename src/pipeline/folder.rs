//! The folder that an operation reads. The commands read folders of a disk.

use crate::library::Loaded;
use crate::refusal::{Convicted, Refusal};

/// A folder of files, such as a directory that `fabc build` wrote. Files are read when they are needed.
pub trait Folder: Sized {
    /// The error of a file that cannot be read, and of an operation that refuses or convicts what it reads.
    type Error: From<Refusal> + From<Convicted>;

    /// The path of the folder in messages.
    fn path(&self) -> String;

    /// The folder at a relative path.
    fn below(&self, folder: &str) -> Self;

    /// Whether there is such a file.
    fn has(&self, file: &str) -> bool;

    /// Whether there is a folder at a relative path.
    fn has_folder(&self, folder: &str) -> bool;

    /// The size of a file in bytes. `None` if there is no such file.
    fn size(&self, file: &str) -> Option<u64>;

    /// The content of a file.
    ///
    /// # Errors
    /// The file does not exist, or cannot be read.
    fn read(&self, file: &str) -> Result<Vec<u8>, Self::Error>;

    /// The content of a text file of at most `limit` bytes.
    ///
    /// # Errors
    /// As [`Folder::read`], or the file is no text or too long.
    fn text(&self, file: &str, limit: u64) -> Result<String, Self::Error>;

    /// The relative paths of all files, with `/`, sorted.
    ///
    /// # Errors
    /// The folder cannot be listed.
    fn paths(&self) -> Result<Vec<String>, Self::Error>;

    /// The resolved `spec.fab` of the folder.
    ///
    /// # Errors
    /// It cannot be read, or has errors.
    fn spec(&self) -> Result<Loaded, Self::Error>;

    /// The resolved `spec.fab` of a folder that has a topology as well.
    ///
    /// # Errors
    /// One of both is missing, or the spec cannot be read or has errors.
    fn fabric(&self) -> Result<Loaded, Self::Error>;

    /// An error of reading, where it is part of a verdict: then the folder counts as convicted.
    fn convicting(error: Self::Error) -> Self::Error;
}
