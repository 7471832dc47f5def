//! The one user of good_lp.
