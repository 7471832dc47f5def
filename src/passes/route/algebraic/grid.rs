//! Grids and hypercubes: the first coordinate that differs is put right.

/// A grid whose last axis is the fastest.
pub(super) struct Grid<'a> {
    sides: &'a [u32],
    /// The coordinate that comes next, of a line of so many routers, on the way from one to another.
    step: fn(side: u32, from: u32, to: u32) -> u32,
}

impl<'a> Grid<'a> {
    /// The shorter way around; half a ring by the parity of the start.
    pub(super) fn torus(sides: &'a [u32]) -> Self {
        let step = |side: u32, from: u32, to: u32| {
            if goes_up(side, from, to) { (from + 1) % side } else { (from + side - 1) % side }
        };
        Self { sides, step }
    }
    /// One further along the line.
    pub(super) fn mesh(sides: &'a [u32]) -> Self {
        Self { sides, step: |_, from, to| if to > from { from + 1 } else { from - 1 } }
    }
    /// There at once.
    pub(super) fn hyperx(sides: &'a [u32]) -> Self {
        Self { sides, step: |_, _, to| to }
    }
    /// The router that comes next on the way from one to another, which differ.
    pub(super) fn next(self) -> impl Fn(u32, u32) -> u32 {
        move |from, to| {
            let mut stride: u32 = self.sides.iter().product();
            for &side in self.sides {
                stride /= side;
                let (here, there) = (from / stride % side, to / stride % side);
                if here != there {
                    return from - here * stride + (self.step)(side, here, there) * stride;
                }
            }
            to
        }
    }
}

/// Whether the shorter way around a ring is that of rising numbers; of half a ring by the parity of the
/// start.
fn goes_up(side: u32, from: u32, to: u32) -> bool {
    let ahead = (to + side - from) % side;
    if 2 * ahead == side { from.is_multiple_of(2) } else { 2 * ahead < side }
}

/// The virtual channel on which a router of a torus sends what is for another: along a ring VC 0 up to the
/// link between the last router and the first one, VC 1 behind it. What never passes that link stays on VC 0
/// where no packet that did can join it: those go half a ring at most.
pub(super) fn dateline(sides: &[u32], from: u32, to: u32) -> u8 {
    let mut stride: u32 = sides.iter().product();
    for &side in sides {
        stride /= side;
        let (here, there) = (from / stride % side, to / stride % side);
        if here != there {
            // Along the way, counted from the link in question.
            let up = goes_up(side, here, there);
            let [at, goal] = [here, there].map(|place| if up { place } else { side - 1 - place });
            return u8::from(at < goal && 2 * (goal + 1) <= side);
        }
    }
    0
}

/// The next router of a hypercube: the lowest bit that differs; of a folded one, all bits at once where that
/// leaves fewer.
pub(super) fn across_bits(dimensions: u32, folded: bool, from: u32, to: u32) -> u32 {
    let differing = from ^ to;
    let count = differing.count_ones();
    if folded && dimensions - count + 1 < count {
        return from ^ ((1 << dimensions) - 1);
    }
    from ^ (1 << differing.trailing_zeros())
}
