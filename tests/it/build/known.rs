//! Distances and flows of tori with known answers.

use super::{compiled_text, read, small, tpu};
use fabc::check;
use fabc::compile::Stage;
use fabc::ids::Id;
use fabc::progress::Silent;
use fabc::solve::{FlowProblem, max_concurrent_flow};

/// (cubes, topology, diameter, average hops to the printed digits): algorithms tables and the TONS paper,
/// appendix C.
const KNOWN: [(u32, &str, u32, &str); 10] = [
    (2, "torus 4 x 4 x 8", 8, "4.0315"),
    (3, "torus 4 x 4 x 12", 10, "5.0262"),
    (4, "torus 4 x 8 x 8", 10, "5.0196"),
    (8, "torus 8 x 8 x 8", 12, "6.0117"),
    (16, "torus 8 x 8 x 16", 16, "8.0078"),
    (128, "torus 16 x 16 x 32", 32, "16.0020"),
    (2, "twisted_torus 4 x 4 x 8", 6, "3.4646"),
    (4, "twisted_torus 4 x 8 x 8", 6, "4.3294"),
    (16, "twisted_torus 8 x 8 x 16", 12, "6.9756"),
    (128, "twisted_torus 16 x 16 x 32", 24, "13.9861"),
];

#[test]
fn tori_have_their_known_distances() {
    for (cubes, topology, diameter, hops) in KNOWN {
        let text = tpu(cubes, topology, "up_down", "vcs = 2; faults = 0;");
        let loader = |path: &str| if path == "test.fab" { Ok(text.clone()) } else { read(path) };
        let (fabric, _, _) = fabc::lang::read_normal("test.fab", &loader)
            .unwrap_or_else(|(failure, _)| panic!("{topology}: {failure:?}"));
        let pod = fabric.pod().expect("a pod");
        let topology_of = fabc::passes::synth::synthesize(&fabric, pod, &Silent).unwrap().finalists.remove(0);
        let scene = fabc::ir::Scene::healthy(&topology_of);
        let distances = fabc::passes::flow::distances(&scene).unwrap();
        check::verify_distances(&scene, &distances).unwrap();
        assert_eq!(
            (distances.diameter, format!("{:.4}", distances.average()).as_str()),
            (diameter, hops),
            "{topology}"
        );
        assert_eq!(topology_of.symmetry().order(), cubes as usize, "{topology}");
    }
}

#[test]
fn flows_of_tori_meet_their_known_values() {
    for (cubes, topology, low, high) in [
        (2, "torus 4 x 4 x 8", 0.0078, 0.007813),
        (2, "twisted_torus 4 x 4 x 8", 0.01355, 0.013637),
        (4, "twisted_torus 4 x 8 x 8", 0.005430, 0.005435),
    ] {
        let (compiled, _) =
            compiled_text(&tpu(cubes, topology, "up_down", "vcs = 2; faults = 0;"), Stage::Analyze);
        let (primal, dual) = (compiled.flow.value(), compiled.flow.dual.bound());
        assert!(low <= primal && primal <= dual && dual <= high, "{topology}: [{primal}, {dual}]");
    }
}

#[test]
fn the_exact_lp_stands_inside_the_certified_interval() {
    for (name, text) in [
        ("2 x 2 x 2 cubes", small(2, "synthesize { symmetry = translation; effort = 1; seed = 1; }")),
        ("torus 2 x 2 x 4", small(2, "torus 2 x 2 x 4")),
    ] {
        let (compiled, _) = compiled_text(&text, Stage::Analyze);
        let topology = &compiled.topology;
        let symmetry = topology.symmetry();
        let problem = FlowProblem {
            nodes: topology.node_count(),
            sources: symmetry.canonical_nodes().map(Id::index).collect(),
            channels: (0..topology.channel_count())
                .map(fabc::ids::ChannelId::new)
                .map(|channel| {
                    let end_nodes =
                        (topology.source(channel).node.index(), topology.target(channel).node.index());
                    (end_nodes.0, end_nodes.1, topology.channel_class(symmetry, channel).index())
                })
                .collect(),
            capacities: Vec::new(),
        };
        let exact = max_concurrent_flow(&problem, |_, _| 1).unwrap();
        let (primal, dual) = (compiled.flow.value(), compiled.flow.dual.bound());
        assert!(primal <= exact + 1e-9 && exact <= dual + 1e-9, "{name}: {exact} outside [{primal}, {dual}]");
        assert!(dual / primal <= 1.01, "{name}: [{primal}, {dual}]");
    }
}
