//! Next hops in grids and hypercubes: a packet corrects the first coordinate that differs.

/// A grid, numbered with the last axis fastest.
pub(super) struct GridHops<'a> {
    sides: &'a [u32],
    /// The next coordinate between two coordinates of a line of `side` routers.
    next_coordinate: fn(side: u32, from: u32, to: u32) -> u32,
}

impl<'a> GridHops<'a> {
    /// A torus. Packets take the shorter direction around a ring. The parity of the start breaks ties at
    /// half a ring.
    pub(super) fn torus(sides: &'a [u32]) -> Self {
        let step = |side: u32, from: u32, to: u32| {
            if goes_up(side, from, to) { (from + 1) % side } else { (from + side - 1) % side }
        };
        Self { sides, next_coordinate: step }
    }
    /// A mesh. Packets move one router along the line.
    pub(super) fn mesh(sides: &'a [u32]) -> Self {
        Self { sides, next_coordinate: |_, from, to| if to > from { from + 1 } else { from - 1 } }
    }
    /// A hyperx. One hop corrects a coordinate.
    pub(super) fn hyperx(sides: &'a [u32]) -> Self {
        Self { sides, next_coordinate: |_, _, to| to }
    }
    /// The next router on the route between two different routers, as a function of both.
    pub(super) fn next_router(self) -> impl Fn(u32, u32) -> u32 {
        move |from, to| {
            let mut stride: u32 = self.sides.iter().product();
            for &side in self.sides {
                stride /= side;
                let (current, goal) = (from / stride % side, to / stride % side);
                if current != goal {
                    return from - current * stride + (self.next_coordinate)(side, current, goal) * stride;
                }
            }
            to
        }
    }
}

/// Whether the shorter direction around a ring is that of rising numbers. The parity of the start breaks
/// ties at half a ring.
fn goes_up(side: u32, from: u32, to: u32) -> bool {
    let ahead = (to + side - from) % side;
    if 2 * ahead == side { from.is_multiple_of(2) } else { 2 * ahead < side }
}

/// The virtual channel on which router `from` of a torus sends packets for router `to`.
///
/// Along a ring, packets use VC 0 up to the link between the last router and the first one, and VC 1 after
/// it. A packet that never crosses that link stays on VC 0 where no packet that crossed it can join: such
/// packets travel half a ring at most.
pub(super) fn dateline(sides: &[u32], from: u32, to: u32) -> u8 {
    let mut stride: u32 = sides.iter().product();
    for &side in sides {
        stride /= side;
        let (current, goal) = (from / stride % side, to / stride % side);
        if current != goal {
            // Positions in the direction of travel, counted so that the dateline follows the last one.
            let up = goes_up(side, current, goal);
            let [start, end] = [current, goal].map(|place| if up { place } else { side - 1 - place });
            return u8::from(start < end && 2 * (end + 1) <= side);
        }
    }
    0
}

/// The next router of a hypercube: the lowest differing bit is flipped. A folded hypercube flips all bits
/// at once where that leaves fewer differing bits.
pub(super) fn across_bits(dimensions: u32, folded: bool, from: u32, to: u32) -> u32 {
    let differing = from ^ to;
    let count = differing.count_ones();
    if folded && dimensions - count + 1 < count {
        return from ^ ((1 << dimensions) - 1);
    }
    from ^ (1 << differing.trailing_zeros())
}
