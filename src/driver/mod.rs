//! The commands: the only code that reads, writes, prints, exits.
