//! FAB03nn: routing and budgets.

use super::CodeDoc;

pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "FAB0301",
        title: "the VC budget leaves a pair without a path",
        text: "\
`allowed_turns` orders all (channel, virtual channel) pairs and lets packets only rise in that order, so that no set of packets can wait on
itself. With few virtual channels an order may leave a pair without any rising path. fabc tries orders that keep the pod's symmetry, then one that starts
from a spanning tree; if all fail, the budget cannot be met by this method. Raise `vcs`, or use `routing = up_down`, which needs one virtual
channel on any connected topology.",
    },
    CodeDoc {
        code: "FAB0320",
        title: "dimension order needs a second virtual channel",
        text: "\
In a ring of three or more routers every channel may wait for the next one all the way round: a deadlock. Dimension-order routing breaks the
cycle at a dateline, where packets that wrap around move to a second virtual channel. With `vcs = 1` there is none. Rings of two are safe.",
    },
    CodeDoc {
        code: "FAB0321",
        title: "a tolerated fault disconnects the pod",
        text: "\
`faults = 1 ocs` promises service with any one OCS dark. If all fibres between two parts of the pod run through one switch, no routing can keep
that promise. The message names the switch and the cut: the chips on its smaller side. Couple more faces or positions, or lower the budget.",
    },
    CodeDoc {
        code: "FAB0322",
        title: "dimension order cannot route around a fault",
        text: "\
Dimension order has exactly one path per pair; if a link on it is dark, the pair is cut off. Use `allowed_turns` or `up_down` for pods that must
tolerate faults, or write `faults = 0`.",
    },
];
