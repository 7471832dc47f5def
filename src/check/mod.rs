//! The independent checker: convicts what `passes` constructs; imports no pass.

mod deadlock;

pub use deadlock::DeadlockFree;
