//! FAB0154 and FAB0212: tables of insertion losses, and links that do not close.

use super::doc::CodeDoc;

pub(super) const OF_FILES: &[CodeDoc] = &[CodeDoc {
    code: "FAB0154",
    title: "a file that does not give the insertion losses",
    text: "\
The file of `losses = table \"..\"` has a line `switch,from,to,loss` for every cross-connect that a switch may set, in dB. Light goes from a port to
another. Ports are called as SONiC calls them (`1A`, `2B`), by numbers with the ingress ports first, as `fabc build --emit ocs_ports=MAP` lists them, or
by the names of face ports (`cube0.+x[0,0]`). A first line that begins with `switch` is a heading, and `#` begins a comment. With `duplex = pair` both
directions have a line. Lines of SONiC about ports that no cube uses are skipped. Groups that have a `loss` of their own have no lines.

`losses = sonic \"..\"` names a folder with a dump of the STATE_DB of every switch, `X_0_0.state_db.json`. Of the rows of a cross-connect in
`OCS_FACTORY_INSERTION_LOSS` the largest `loss_dB` with its `accuracy_dB` counts, whatever its frequency and temperature.",
}];

pub(super) const OF_LINKS: &[CodeDoc] = &[CodeDoc {
    code: "FAB0212",
    title: "a link that does not close",
    text: "\
A link with `transmit` and `sensitivity` has a light budget: what is sent, less the loss of connectors, fiber and switch, is what the receiver gets. That
less the sensitivity is the margin, and it must be at least the `margin` of the link. The help shows the sum of the worst link. Send more, lose less on
the way, take a more sensitive receiver, or ask for a smaller `margin`.

`fabc check` reports this where no setting of the switches could help: where a face port reaches no other port of its switch, or where the spec gives
the topology. A search prefers cross-connects that lose less, and what still does not close is reported by the build. `fabc place` refuses a placement
with such a link: choose other cubes with `--cubes`.",
}];
