//! Properties of the formatter and of the normal form, over random specs.

use fabc::lang::resolve;
use fabc::model::Plant;
use fabc::syntax::ast::{
    Block, FileEntry, ItemKind, Setting, SettingValue, Spec, SpecFile, StatementKind, ValueKind,
};
use fabc::syntax::{normalize, parse, parse_file, print, print_spec};
use proptest::prelude::*;

fn parse_text(text: &str) -> Spec {
    let read = |_: &str| Ok(text.to_owned());
    parse("pod.fab", &read).0.unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

fn format(text: &str) -> (SpecFile, String) {
    let file = parse_file("pod.fab", text).0.unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let printed = print(&file);
    (file, printed)
}

/// An integer as someone might write it.
fn number(value: u32) -> impl Strategy<Value = String> {
    prop_oneof![
        Just(value.to_string()),
        Just(format!("{} + {}", value / 2, value - value / 2)),
        Just(format!("(one * {value})")),
        Just(format!("-(0 - {value})")),
        Just(format!("{} % {}", value, value + 1)),
        Just(format!("{}_0 / 10", value)),
    ]
}

/// A face that couples both its sides, with every position. `sided` or not.
fn group(axis: usize, dims: [u32; 3], cubes: u32, sided: bool, flipped: bool) -> String {
    let (u, v) = [(dims[1], dims[2]), (dims[0], dims[2]), (dims[0], dims[1])][axis];
    let name = ["x", "y", "z"][axis];
    let far = if flipped { format!("{} - v", v - 1) } else { "v".to_owned() };
    let couple = match sided {
        true => format!("couple +{name}[u, v] with -{name}[u, {far}] over fiber;"),
        false => format!("couple any of +{name}[u, v], -{name}[u, {far}] over fiber;"),
    };
    format!("ocs {}[u in 0..{u}, v in 0..{v}] {{ {couple} ports = {}; }}", name.to_uppercase(), 2 * cubes)
}

prop_compose! {
    fn dims()(x in 1u32..4, y in 1u32..4, z in 1u32..4) -> [u32; 3] { [x, y, z] }
}

prop_compose! {
    /// The items of a valid fabric, in a fixed order.
    fn items()(
        dims in dims(),
        cubes in 1u32..7,
        sided in any::<[bool; 3]>(),
        flipped in any::<[bool; 3]>(),
        faces in 1usize..4,
        (vcs, faults) in (1u32..5, 0u32..3),
        latency in prop_oneof![Just("25 cycles"), Just("10.5 ns"), Just("7 m"), Just("0.5 us")],
        requires in prop::collection::vec(0usize..5, 0..4),
    )(
        written in [number(dims[0]), number(dims[1]), number(dims[2]), number(cubes), number(vcs)],
        dims in Just(dims), cubes in Just(cubes), sided in Just(sided), flipped in Just(flipped), faces in Just(faces),
        faults in Just(faults), latency in Just(latency), requires in Just(requires),
    ) -> Vec<String> {
        let [x, y, z, count, vcs] = written;
        let mut items = vec![
            "clock = 1.05 GHz;".to_owned(),
            "let one = two - 1;".to_owned(),
            "let two = 2;".to_owned(),
            "link copper { bandwidth = 50 GB/s; latency = 3 cycles; }".to_owned(),
            format!("link fiber {{ bandwidth = 400 Gbps; latency = {latency}; }}"),
            "chip { radix = 6; vcs = 4; flit = 128 B; buffer = 2 * 100 flits; latency = 25 cycles; }".to_owned(),
            format!("cube {{ mesh {x} x {y} x {z} over copper; }}"),
            format!("cubes = {count};"),
            format!("budget {{ vcs = {vcs}; faults = {faults} ocs; }}"),
            "topology = synthesize { effort = one; }".to_owned(),
            "routing = up_down;".to_owned(),
        ];
        items.extend((0..faces).map(|axis| group(axis, dims, cubes, sided[axis], flipped[axis])));
        let contracts = ["diameter <= 9", "diameter <= 10", "concurrent_flow >= 0.0010", "bandwidth > 1.50 GB/s", "injection > 0.25"];
        items.extend(requires.into_iter().map(|which| format!("require {};", contracts[which])));
        items
    }
}

/// A topology of a network, and its number of routers.
fn network() -> impl Strategy<Value = (String, usize)> {
    let sides = prop::collection::vec((2u32..6).prop_flat_map(|side| (Just(side), number(side))), 1..4);
    let kinds = prop_oneof![Just("torus"), Just("mesh"), Just("hyperx")];
    let grid = (kinds, sides, any::<bool>(), any::<bool>()).prop_map(|(kind, sides, flat, settings)| {
        // A single dimension that is no bare number stands in brackets.
        let mut written: Vec<String> = sides.iter().map(|(_, written)| format!("({written})")).collect();
        written.extend(flat.then(|| "1".to_owned()));
        let ending = if settings { " { link = wire; }" } else { ";" };
        let routers: u32 = sides.iter().map(|(side, _)| side).product();
        (format!("topology = {kind} {}{ending}", written.join(" x ")), routers as usize)
    });
    let dragonfly = (1u32..6, 1u32..4, any::<bool>(), any::<bool>()).prop_map(|(a, h, few, consecutive)| {
        let g = if few { 2 } else { a * h + 1 };
        let groups = if few { "g = two; " } else { "" };
        let arrangement = if consecutive { "arrangement = consecutive; " } else { "" };
        (
            format!("topology = dragonfly {{ {groups}h = {h}; {arrangement}a = {a}; link = wire; }}"),
            (a * g) as usize,
        )
    });
    let tree = (2u32..5, 2u32..5).prop_map(|(levels, arity)| {
        (
            format!("topology = fat_tree {{ arity = {arity}; levels = {levels}; }}"),
            (levels * arity.pow(levels - 1)) as usize,
        )
    });
    let kautz = (2u32..5, 1u32..4, any::<bool>()).prop_map(|(degree, length, duplex)| {
        let arcs = if duplex { "arcs = duplex; " } else { "" };
        (
            format!("topology = kautz {{ length = {length}; {arcs}degree = {degree}; }}"),
            ((degree + 1) * degree.pow(length - 1)) as usize,
        )
    });
    let levels = (2u32..6, 2u32..6, 1u32..4, any::<bool>()).prop_map(|(inner, outer, joined, spare)| {
        let spare = if spare && outer > 2 { "{ spare = one; }" } else { ";" };
        let text =
            format!("topology = levels {{ level {inner}; level {outer} joined {joined} over wire {spare} level two {{ ports = 6; }} }}");
        (text, (inner * outer * 2) as usize)
    });
    prop_oneof![grid, dragonfly, tree, kautz, levels]
}

prop_compose! {
    /// The items of a valid network, in a fixed order, and its number of routers.
    fn network_items()(
        (topology, routers) in network(),
        (hosts, vcs) in ((0u32..5).prop_flat_map(number), (1u32..5).prop_flat_map(number)),
        fault in prop_oneof![Just("0"), Just("1 link"), Just("1 router"), Just("1 chip")],
        routing in prop_oneof![Just(""), Just("routing = minimal;"), Just("routing = allowed_turns { key = dst; }")],
        weight in prop_oneof![Just(0u32), 1u32..9],
    ) -> (Vec<String>, usize) {
        // With few routers with hosts a dark one leaves no pair.
        let fault = if routers < 8 && fault != "0" { "1 link" } else { fault };
        let mut items = vec![
            "clock = 1.05 GHz;".to_owned(),
            "let one = two - 1;".to_owned(),
            "let two = 2;".to_owned(),
            "link wire { bandwidth = 400 Gbps; latency = 7 m; }".to_owned(),
            format!("router {{ radix = 1024; hosts = {hosts}; vcs = 4; flit = 128 B; buffer = 0 flits; latency = 25 ns; }}"),
            format!("budget {{ vcs = {vcs}; faults = {fault}; }}"),
            topology,
        ];
        let one_way = items[6].contains("kautz") && !items[6].contains("duplex");
        let routing = if one_way && routing.contains("allowed_turns") { "routing = minimal;" } else { routing };
        items.extend((!routing.is_empty()).then(|| routing.to_owned()));
        items.extend((weight > 0).then(|| format!("demand {{ all_to_all weight {weight}; }}")));
        (items, routers)
    }
}

/// The items of a pod or a network.
fn any_items() -> impl Strategy<Value = Vec<String>> {
    prop_oneof![items(), network_items().prop_map(|(items, _)| items)]
}

fn fabric(items: &[String]) -> String {
    format!("fabric pod {{ {} }}", items.join(" "))
}

/// Text that may stand between two words.
fn gap() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => Just(" ".to_owned()),
        2 => Just("\n".to_owned()),
        1 => Just("\n\n\n\t".to_owned()),
        1 => "[ a-z*]{0,8}".prop_map(|words| format!(" /* {words}. */ ")),
        1 => "[ a-z\"{;]{0,8}".prop_map(|words| format!(" // {words}\n")),
        1 => Just(" /* two\n   lines */\n".to_owned()),
    ]
}

fn reversed(block: &mut Block) {
    // Levels count from the inside out.
    if !block.statements.iter().any(|statement| matches!(statement.kind, StatementKind::Level(_))) {
        block.statements.reverse();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printing_twice_is_printing_once(items in any_items(), gaps in prop::collection::vec(gap(), 400)) {
        let text = fabric(&items);
        let words = text.split(' ').zip(gaps.iter().cycle());
        let spaced: String = words.flat_map(|(word, gap)| [word, gap]).collect();
        let (file, once) = format(&spaced);
        let (again, twice) = format(&once);
        prop_assert_eq!(&twice, &once);
        let comments = |file: &SpecFile| file.comments.iter().map(|comment| comment.text.clone()).collect::<Vec<_>>();
        prop_assert_eq!(comments(&again), comments(&file));
        prop_assert!(!once.contains("\n\n\n"));
        prop_assert_eq!(print_spec(&normalize(&parse_text(&once))), print_spec(&normalize(&parse_text(&text))));
    }

    #[test]
    fn the_order_of_items_does_not_matter((items, shuffled) in any_items().prop_flat_map(|items| (Just(items.clone()), Just(items).prop_shuffle()))) {
        let spec = parse_text(&fabric(&items));
        let normal = print_spec(&normalize(&spec));
        let mut shuffled_spec = parse_text(&fabric(&shuffled));
        if let FileEntry::Fabric(fabric) = &mut shuffled_spec.files[0].entries[0] {
            for item in &mut fabric.items {
                match &mut item.kind {
                    ItemKind::Link(_, block) | ItemKind::Chip(block) | ItemKind::Router(block) | ItemKind::Budget(block) => reversed(block),
                    ItemKind::Setting(Setting { value: SettingValue { kind: ValueKind::Block(_, block), .. }, .. }) => reversed(block),
                    ItemKind::Ocs(ocs) => reversed(&mut ocs.block),
                    _ => {}
                }
            }
        }
        // Requires alone stay in their order, for those who read them.
        let parted = |text: &str| {
            let (mut requires, others): (Vec<_>, Vec<_>) = text.lines().map(str::to_owned).partition(|line| line.trim_start().starts_with("require "));
            requires.sort();
            (requires, others)
        };
        prop_assert_eq!(parted(&print_spec(&normalize(&shuffled_spec))), parted(&normal));
        prop_assert_eq!(print_spec(&normalize(&parse_text(&normal))), normal);
    }

    #[test]
    fn generated_specs_resolve_to_the_invariants_of_a_pod(items in items()) {
        let spec = parse_text(&fabric(&items));
        let resolved = resolve(&spec, &|path: &str| Err(path.to_owned())).unwrap_or_else(|errors| panic!("{errors:?}\n{}", fabric(&items)));
        let pod = resolved.pod().expect("these items make a pod");
        let mut served = Vec::new();
        for ocs in pod.ocses.iter() {
            prop_assert!(ocs.a.is_sorted_by_key(|face| (face.cube, face.port, face.node)));
            prop_assert!(ocs.b.is_sorted_by_key(|face| (face.cube, face.port, face.node)));
            prop_assert!(ocs.a.len().max(ocs.b.len()) <= ocs.ports as usize);
            served.extend(ocs.a.iter().chain(&ocs.b).map(|face| (face.node, face.port)));
            for face in ocs.a.iter().chain(&ocs.b) {
                prop_assert_eq!(pod.cube_of(face.node), face.cube);
                let axis = face.port.0 as usize / 2;
                let edge = if face.port.0 % 2 == 0 { pod.cube.dims[axis] - 1 } else { 0 };
                prop_assert_eq!(pod.coordinates(face.node)[axis], edge);
            }
        }
        let count = served.len();
        served.sort();
        served.dedup();
        prop_assert_eq!(served.len(), count);
        let names: Vec<&str> = pod.ocs_groups.iter().map(|group| group.name.as_str()).collect();
        prop_assert!(names.is_sorted());
    }

    #[test]
    fn generated_networks_resolve_and_their_normal_form_means_the_same((items, routers) in network_items()) {
        let nothing = |path: &str| Err(path.to_owned());
        let spec = parse_text(&fabric(&items));
        let resolved = resolve(&spec, &nothing).unwrap_or_else(|errors| panic!("{errors:?}\n{}", fabric(&items)));
        let Plant::Network(network) = &resolved.plant else { panic!("no network: {}", fabric(&items)) };
        prop_assert_eq!(network.router_count(), routers);
        let hosts = network.hosts(resolved.router.hosts);
        prop_assert_eq!(hosts.len(), network.router_count());
        prop_assert_eq!(resolved.demand.endpoint_count(), hosts.iter().filter(|&&hosts| hosts > 0).count());
        let normal = resolve(&parse_text(&print_spec(&normalize(&spec))), &nothing).expect("the normal form resolves");
        let Plant::Network(again) = &normal.plant else { panic!("no network") };
        prop_assert_eq!(&again.family, &network.family);
        prop_assert_eq!(normal.demand, resolved.demand.clone());
        prop_assert_eq!((normal.routing, normal.router.hosts), (resolved.routing, resolved.router.hosts));
    }
}
