//! Networks that are drawn or searched: the same from the same seed, and refused where no draw will do.

use super::roomy;
use fabc::check;
use fabc::diag::Span;
use fabc::ir::Topology;
use fabc::model::{Draw, Family, Plant, RandomRegular, Xpander};
use fabc::passes::{draw, wire};

fn draw_of(seed: u64, attempts: u32, draws: u32) -> Draw {
    Draw { seed, attempts, draws }
}

#[test]
fn seeds_decide_what_is_drawn() {
    let family = |seed, draws| {
        Family::RandomRegular(RandomRegular { routers: 40, degree: 5, draw: draw_of(seed, 100, draws) })
    };
    let drawn = |seed, draws| draw::candidates(&family(seed, draws), Span::default()).expect("a draw");
    assert_eq!(drawn(1, 1), drawn(1, 1));
    assert_ne!(drawn(1, 1), drawn(2, 1));
    let several = drawn(1, 4);
    assert_eq!((several.len(), &several[..1]), (4, &drawn(1, 1)[..]));
    assert!(several.windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn a_draw_that_cannot_be_is_an_error() {
    // 200 routers of two links almost surely form several rings.
    let rings = Family::RandomRegular(RandomRegular { routers: 200, degree: 2, draw: draw_of(1, 2, 1) });
    let error = draw::candidates(&rings, Span::default()).expect_err("several rings");
    assert_eq!(error.to_string(), "none of 2 draws connects all 200 routers");
    // Two meta-nodes of two members each, and a third: lifts of a triangle are rings of six, or two
    // triangles.
    let triangle = Family::Xpander(Xpander { degree: 2, lift: 2, draw: draw_of(1, 3, 1) });
    let error = draw::candidates(&triangle, Span::default()).expect_err("no gap");
    assert_eq!(error.to_string(), "none of 3 draws has a second eigenvalue below 2 sqrt(2 - 1)");
}

/// The topology of these links under the name of a family.
pub(super) fn as_family(family: Family, links: &[[u32; 2]]) -> Result<(), String> {
    let fabric = roomy(family);
    let Plant::Network(network) = &fabric.plant else { unreachable!("a network") };
    let topology: Topology = wire::wire_drawn(&fabric, network, links);
    check::verify_wiring(&fabric, &topology, None).map(|_| ()).map_err(|error| error.to_string())
}

#[test]
fn what_is_regular_is_no_xpander_yet() {
    // The prism over a ring of six: three links each, but two of them in one meta-node of four.
    let ring = |first: u32| (0..4).map(move |index| [first + index, first + (index + 1) % 4]);
    let links: Vec<[u32; 2]> = ring(0)
        .chain(ring(4))
        .map(|[a, b]| [a.min(b), a.max(b)])
        .chain((0..4).map(|index| [index, index + 4]))
        .collect();
    as_family(Family::RandomRegular(RandomRegular { routers: 8, degree: 3, draw: draw_of(1, 1, 1) }), &links)
        .expect("it is regular");
    let first_error =
        as_family(Family::Xpander(Xpander { degree: 3, lift: 2, draw: draw_of(1, 1, 1) }), &links)
            .expect_err("no lift");
    assert!(first_error.contains("meta-node"), "{first_error}");
    let unequal = [[0, 1], [0, 2], [1, 2], [2, 3]];
    let error = as_family(
        Family::RandomRegular(RandomRegular { routers: 4, degree: 2, draw: draw_of(1, 1, 1) }),
        &unequal,
    )
    .expect_err("unequal");
    assert!(error.contains("channels leave"), "{error}");
}
