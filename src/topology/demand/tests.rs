//! Checks that every view of a demand agrees with its weights.

use super::*;
use proptest::prelude::*;

fn component(group: u32, weight: u32) -> DemandComponent {
    DemandComponent { group, weight }
}

fn demands() -> Vec<Demand> {
    let cells = (0..144).map(|at| if at % 13 == 0 { 0 } else { (at * 7 % 11) as u32 });
    let everywhere = [
        Demand::uniform(12),
        Demand::groups(12, vec![component(12, 1), component(4, 4), component(2, 3)]),
        Demand::groups(12, vec![component(6, 5)]),
        Demand::matrix(12, cells.collect()),
    ];
    // The same demands, between nodes that only forward.
    let places = [1, 2, 3, 5, 6, 8, 9, 10, 13, 14, 15, 17].map(NodeId);
    let spread = everywhere.iter().map(|demand| demand.clone().among_endpoints(19, places.to_vec()));
    everywhere.iter().cloned().chain(spread).collect()
}

fn nodes(demand: &Demand) -> impl Iterator<Item = NodeId> + use<> {
    (0..demand.node_count()).map(NodeId::new)
}

fn keeps(demand: &Demand, image: impl Fn(NodeId) -> NodeId) -> bool {
    nodes(demand).all(|node| demand.is_endpoint(node) == demand.is_endpoint(image(node)))
        && nodes(demand)
            .all(|s| nodes(demand).all(|t| demand.weight(s, t) == demand.weight(image(s), image(t))))
}

#[test]
fn planes_rows_and_sums_agree_with_the_weights() {
    for demand in demands() {
        for source in nodes(&demand) {
            let mut row = vec![0; demand.node_count()];
            for plane in demand.planes(source) {
                plane.destinations.ones().for_each(|destination| row[destination] += plane.weight);
            }
            assert_eq!(row, demand.row(source), "{demand:?}");
            assert_eq!(row[source.index()], 0);
            assert_eq!(row.iter().map(|&weight| u64::from(weight)).sum::<u64>(), demand.sent_by(source));
        }
        assert_eq!(demand.total(), nodes(&demand).map(|source| demand.sent_by(source)).sum::<u64>());
        assert_eq!(demand.largest(), nodes(&demand).flat_map(|source| demand.row(source)).max().unwrap());
        let symmetric =
            nodes(&demand).all(|s| nodes(&demand).all(|t| demand.weight(s, t) == demand.weight(t, s)));
        assert_eq!(demand.is_symmetric(), symmetric);
    }
}

#[test]
fn what_keeps_a_demand_is_what_keeps_every_weight() {
    for demand in demands() {
        let count = demand.node_count() as u32;
        for shift in 0..count {
            let image = |node: NodeId| NodeId((node.0 + shift) % count);
            assert_eq!(demand.is_kept_by(image), keeps(&demand, image), "{demand:?} shifted by {shift}");
        }
    }
}

#[test]
fn one_all_to_all_of_weight_1_is_uniform() {
    assert!(Demand::groups(8, vec![component(8, 1), component(4, 0)]).is_uniform());
    assert!(!Demand::groups(8, vec![component(8, 2)]).is_uniform());
}

#[test]
fn where_every_node_is_an_endpoint_nothing_changes() {
    for demand in demands().into_iter().take(4) {
        let every_node: Vec<NodeId> = nodes(&demand).collect();
        assert_eq!(demand.clone().among_endpoints(12, every_node), demand);
    }
    assert!(!Demand::uniform(2).among_endpoints(3, vec![NodeId(0), NodeId(2)]).is_uniform());
}

/// Routers of which some are endpoints, a demand among those, and a permutation of all.
fn networks() -> impl Strategy<Value = (Demand, Vec<bool>, Vec<u32>)> {
    let mask = prop::collection::vec(any::<bool>(), 2..14)
        .prop_filter("two endpoints", |mask| mask.iter().filter(|&&has| has).count() > 1);
    mask.prop_flat_map(|mask| {
        let count = mask.iter().filter(|&&has| has).count();
        let sizes: Vec<u32> =
            (2..=count as u32).filter(|&size| (count as u32).is_multiple_of(size)).collect();
        let grouped = prop::collection::vec(1u32..5, sizes.len()).prop_map(move |weights| {
            Demand::groups(
                count,
                sizes.iter().zip(weights).map(|(&group, weight)| component(group, weight)).collect(),
            )
        });
        let cells = prop::collection::vec(0u32..4, count * count).prop_map(move |mut cells| {
            (0..count).for_each(|at| cells[at * (count + 1)] = 0);
            Demand::matrix(count, cells)
        });
        let routers = mask.len();
        let swaps = Just((0..routers as u32).collect::<Vec<_>>()).prop_shuffle();
        let demand = prop_oneof![Just(Demand::uniform(count)), grouped, cells];
        (demand, Just(mask), swaps)
    })
    .prop_map(|(demand, mask, image)| {
        let endpoints = (0..mask.len()).filter(|&node| mask[node]).map(NodeId::new).collect();
        (demand.among_endpoints(mask.len(), endpoints), mask, image)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn among_endpoints_every_question_has_the_answer_of_the_weights((demand, mask, image) in networks()) {
        prop_assert_eq!(demand.node_count(), mask.len());
        let endpoints: Vec<NodeId> = demand.endpoints().collect();
        prop_assert_eq!(endpoints.clone(), nodes(&demand).filter(|node| mask[node.index()]).collect::<Vec<_>>());
        let sum = |source: NodeId| demand.row(source).into_iter().map(u64::from).sum::<u64>();
        let mut largest_sum = 0;
        for source in nodes(&demand) {
            prop_assert_eq!(demand.is_endpoint(source), mask[source.index()]);
            let mut row = vec![0; mask.len()];
            for plane in demand.planes(source) {
                plane.destinations.ones().for_each(|destination| row[destination] += plane.weight);
            }
            prop_assert_eq!(&row, &demand.row(source));
            let forwards = |node: usize| !mask[source.index()] || !mask[node];
            prop_assert!((0..mask.len()).all(|node| row[node] == 0 || !forwards(node)));
            prop_assert_eq!(demand.sent_by(source), sum(source));
            largest_sum = largest_sum.max(sum(source));
        }
        prop_assert_eq!(demand.sent_most(None), largest_sum);
        prop_assert_eq!(demand.total(), nodes(&demand).map(sum).sum::<u64>());
        prop_assert_eq!(demand.largest(), nodes(&demand).flat_map(|source| demand.row(source)).max().unwrap());
        let symmetric = nodes(&demand).all(|s| nodes(&demand).all(|t| demand.weight(s, t) == demand.weight(t, s)));
        prop_assert_eq!(demand.is_symmetric(), symmetric);
        let image = |node: NodeId| NodeId(image[node.index()]);
        prop_assert_eq!(demand.is_kept_by(image), keeps(&demand, image));
        let cell = |s: &NodeId, t: &NodeId| demand.weight(*s, *t).to_string();
        let line = |s: &NodeId| endpoints.iter().map(|t| cell(s, t)).collect::<Vec<_>>().join(",") + "\n";
        prop_assert_eq!(demand.csv(), endpoints.iter().map(line).collect::<String>());
    }

    #[test]
    fn what_is_left_without_some_nodes_keeps_its_weights((demand, _, order) in networks(), dead in 1usize..4) {
        let mut remaining: Vec<NodeId> = order.into_iter().skip(dead.min(demand.node_count() - 1)).map(NodeId).collect();
        remaining.sort();
        let among = demand.among(&remaining);
        prop_assert_eq!(among.node_count(), remaining.len());
        for (s, &here) in remaining.iter().enumerate() {
            for (t, &there) in remaining.iter().enumerate() {
                prop_assert_eq!(among.weight(NodeId::new(s), NodeId::new(t)), demand.weight(here, there));
            }
        }
    }
}
