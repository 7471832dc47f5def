//! Judges the configurations of switches that route by IP: files of FRR and SONiC, and routes for
//! `ip -batch`.
//!
//! Input: the text of every file, the declared fabric, and proved group tables. Output: a conviction, unless
//! the files make every switch use exactly the next-hop groups of the tables. Nothing here shares code with
//! what writes the files. The addresses are computed again from the declaration.

mod bgp;
mod expected;
mod frr;
mod ip_batch;
mod outside;
mod sonic;

pub use bgp::BgpNetwork;
pub use ip_batch::StaticRoutes;
