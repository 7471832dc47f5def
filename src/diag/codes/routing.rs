//! FAB03nn: routing and budgets.

use super::CodeDoc;

const fn doc(code: &'static str, title: &'static str, text: &'static str) -> CodeDoc {
    CodeDoc { code, title, text }
}

pub(super) const CODES: &[CodeDoc] = &[
    doc(
        "FAB0301",
        "no deadlock-free path within the VC budget",
        "`routing = allowed_turns` proves deadlock freedom by one rank order of all (channel, virtual channel): a path is legal if its \
         rank rises with every hop. With few virtual channels some order must be found under which every pair keeps a path. Here \
         none was found: for the pair that is named, every path falls in rank somewhere, even after the order was searched anew for \
         this scenario.\n\
         \n\
         Ways out, the best first:\n\
         \n\
         - Raise the budget. Two virtual channels are enough for every pod and every fault that was ever tried, three cost no load at all:\n\
         \n\
         ```text\n\
         budget { vcs = 2; faults = 1 ocs; }\n\
         ```\n\
         \n\
         - `routing = up_down;` always finds paths with a single virtual channel, at the price of longer routes and of higher load near its root.\n\
         - If only a fault is concerned (the message says which OCS is dark), lower `faults` in the budget, or couple the same faces through a second OCS.",
    ),
    doc(
        "FAB0302",
        "the lit links do not connect the pod",
        "Some router cannot be reached over the links that are lit, so there is nothing to route.\n\
         \n\
         A healthy pod is in pieces where too few face ports are coupled by an `ocs` item, or where the cross-connects that were read from a \
         file leave cubes to themselves. In a fault scenario a single OCS carried every fibre of the cut: couple the cut's faces through more \
         than one OCS, or lower `faults` in the budget.",
    ),
];
