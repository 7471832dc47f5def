//! FAB0153: files that name hosts.

use super::doc::CodeDoc;

pub(super) const CODES: &[CodeDoc] = &[CodeDoc {
    code: "FAB0153",
    title: "a file that does not name the hosts",
    text: "\
The file of `hosts = map \"..\"` has a line `name,host` for every endpoint, or for a whole block. The name is that of a chip, a router, a box, a cube
or a group. All endpoints of a block are in its host. A router with several hosts has a line for each of them, in their order. A first line that
begins with `name` is a heading, and `#` begins a comment.

Every endpoint has one host, and a host has endpoints of one cube, box or router only. Names of hosts have letters, digits, `-`, `_` and `.`, begin
with a letter or digit, and are no numbers. Launchers leave out what follows the first dot and do not tell capitals from small letters, so names also
differ without that.",
}];
