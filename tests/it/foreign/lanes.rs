//! Virtual lanes of a subnet: service levels, and tables from lane to lane.

use super::networks::external;
use super::{Built, build, judge};
use fabc::check::{ForeignTables, LaneFiles, NamedFile, Rejected, foreign_scene, judge_foreign};
use miette::Diagnostic;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The forwarding tables, SL2VL tables, service levels and subnet of a network.
fn laned(built: &Built) -> [String; 4] {
    ["opensm_lft", "opensm_sl2vl", "opensm_path_sl", "ibnetdiscover"].map(|format| {
        let file = external(built, format).unwrap().into_values().next().unwrap();
        String::from_utf8(file).unwrap()
    })
}

fn judge_lanes(
    lft: &str,
    sl2vl: &str,
    path_sl: Option<&str>,
    subnet: &str,
) -> Result<ForeignTables, Rejected> {
    fn file<'t>(name: &'static str, text: &'t str) -> NamedFile<'t> {
        NamedFile { name, bytes: text.as_bytes() }
    }
    let lanes = LaneFiles { sl2vl: file("t.sl2vl", sl2vl), path_sl: path_sl.map(|text| file("t.psl", text)) };
    judge_foreign(file("t.lft", lft), file("net", subnet), Some(lanes), &|_, _| None)
}

#[test]
fn lanes_of_a_subnet_are_those_of_the_tables() {
    for (name, built) in [
        ("torus", build(1, 2, "torus 5 x 5", "dimension_order")),
        ("dragonfly", build(2, 2, "dragonfly { a = 4; h = 2; }", "minimal")),
        ("ring", build(1, 2, "torus 7", "allowed_turns { key = dst; }")),
    ] {
        let [lft, sl2vl, path_sl, subnet] = laned(&built);
        let judged = judge_lanes(&lft, &sl2vl, Some(&path_sl), &subnet)
            .unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let own_judgement = judge(&built.files["tables/nominal.json"], built.topology()).unwrap();
        // As many hops on every lane as on the virtual channel, for every pair of hosts.
        let pairs = u64::from(built.compiled.topology.hosts(fabc::ids::NodeId(0))).pow(2);
        assert_eq!(
            judged.vc_hops,
            own_judgement.vc_hops.iter().map(|hops| hops * pairs).collect::<Vec<_>>(),
            "{name}"
        );
        assert_eq!(judged.dependencies, own_judgement.dependencies, "{name}");
        // The forwarding tables alone say that they are not enough, and they are not.
        assert!(lft.starts_with("# The routes use ") && lft.contains("and not alone"), "{lft}");
        let Err(Rejected::Convicted(alone)) = judge(&lft, &subnet) else {
            panic!("{name}: one lane is enough")
        };
        assert_eq!(alone[0].code().unwrap().to_string(), "FAB0413", "{name}");
        // Nor are the lanes without the service levels, but in a dragonfly, where the ports tell whether a
        // packet comes from another group.
        assert_eq!(judge_lanes(&lft, &sl2vl, None, &subnet).is_ok(), name == "dragonfly", "{name}");
    }
}

/// Two switches, two adapters on the first, one on the second.
const SUBNET: &str = "Switch 3 \"S-000000000000000a\" # \"a\" base port 0 lid 10\n[1] \"H-0000000000000001\"[1] # \"h1\" lid 1\n\
    [2] \"H-0000000000000002\"[1] # \"h2\" lid 2\n[3] \"S-000000000000000b\"[1] # \"b\" lid 11\n\n\
    Switch 2 \"S-000000000000000b\" # \"b\" base port 0 lid 11\n[1] \"S-000000000000000a\"[3] # \"a\" lid 10\n\
    [2] \"H-0000000000000003\"[1] # \"h3\" lid 3\n\n\
    Ca 1 \"H-0000000000000001\" # \"h1\"\n[1](1) \"S-000000000000000a\"[1] # lid 1 lmc 0 \"a\" lid 10\n\n\
    Ca 1 \"H-0000000000000002\" # \"h2\"\n[1](2) \"S-000000000000000a\"[2] # lid 2 lmc 0 \"a\" lid 10\n\n\
    Ca 1 \"H-0000000000000003\" # \"h3\"\n[1](3) \"S-000000000000000b\"[2] # lid 3 lmc 0 \"b\" lid 11\n";

/// Lanes by input port and lane are laid out for the simulator. Where only the service level tells them
/// apart, they are walked and refused.
#[test]
fn lanes_are_laid_out_where_ports_and_lanes_tell_them() {
    let lft = "Unicast lids [0x0-0x3] of switch Lid 10 guid 0x000000000000000a ('a'):\n0x0001 001\n0x0002 002\n0x0003 003\n3 lids dumped\n\
        Unicast lids [0x0-0x3] of switch Lid 11 guid 0x000000000000000b ('b'):\n0x0001 001\n0x0002 001\n0x0003 002\n3 lids dumped\n";
    // The table has service levels 0 and 1. No path has another one.
    let line = |ports: &str, lanes: [u8; 2]| {
        format!("{ports} : {} {} 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n", lanes[0], lanes[1])
    };
    let of_a: String = ["1 2", "2 1", "3 1", "3 2", "1 3"].map(|ports| line(ports, [0, 0])).concat();
    let sl2vl = |second: u8| {
        let (first, second_line) = (line("2 3", [0, second]), line("2 1", [0, 0]) + &line("1 2", [0, 1]));
        format!(
            "Switch 0x000000000000000a \"a\"\n{of_a}{first}Switch 0x000000000000000b \"b\"\n{second_line}Channel Adapter 0x2\n{}",
            line("0 0", [1, 1])
        )
    };
    let levels = "0x1 2 0\n0x1 3 0\n0x2 1 0\n0x2 3 1\n0x3 1 0\n0x3 2 0\n";
    let file = |name: &'static str, text: &str| (name, text.to_owned());
    let laid_out = |second: u8| {
        let files =
            [file("t.lft", lft), file("net", SUBNET), file("t.sl2vl", &sl2vl(second)), file("t.psl", levels)];
        let [tables, net, sl2vl, path_sl] =
            [0, 1, 2, 3].map(|index| NamedFile { name: files[index].0, bytes: files[index].1.as_bytes() });
        let lanes = LaneFiles { sl2vl, path_sl: Some(path_sl) };
        judge_foreign(tables, net, Some(lanes), &|_, _| None).unwrap();
        foreign_scene(tables, net, Some(lanes)).map_err(|error| match error {
            Rejected::Unreadable(error) => error.to_string(),
            Rejected::Convicted(errors) => panic!("{errors:?}"),
        })
    };
    let scene = laid_out(1).unwrap();
    assert_eq!((scene.routers.len(), scene.tables.vcs), (5, 2));
    // Router 1 is b, 4 the adapter of h3: what comes in by port 1 goes on by port 2 on the same lane.
    let towards = |router: usize| scene.tables.routers[router].iter().filter(|entry| entry.dst.0 == 4);
    let of_b: Vec<_> =
        towards(1).map(|entry| (entry.in_port, entry.in_vc, entry.out_port, entry.out_vc)).collect();
    assert_eq!(of_b, [(1, 0, 2, 0), (1, 1, 2, 1)]);
    // The adapter of h2 puts everything on lane 1.
    assert_eq!(
        towards(3).map(|entry| (entry.in_port, entry.out_port, entry.out_vc)).collect::<Vec<_>>(),
        [(-1, 0, 1)]
    );
    let Err(why) = laid_out(0) else { panic!("service levels alone tell the lanes") };
    assert!(
        why.contains("at b, packets for h3 that come in by [1] on lane 0 take different ports or lanes"),
        "{why}"
    );
}

#[test]
fn every_changed_entry_of_a_lane_is_noticed() {
    let [lft, sl2vl, path_sl, subnet] = laned(&build(1, 2, "torus 5", "dimension_order"));
    let good = judge_lanes(&lft, &sl2vl, Some(&path_sl), &subnet).unwrap();
    let lines: Vec<&str> = sl2vl.lines().collect();
    let (mut convicted, mut changed) = (BTreeMap::new(), 0);
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        let Some((ports, lanes)) = line.split_once(':') else { continue };
        let lanes: Vec<&str> = lanes.split_whitespace().collect();
        // Only ports of links count. A channel to a host keeps no packet waiting.
        let used = (0..16).filter(|level| {
            lanes[*level] != "15" && ports.split_whitespace().nth(1) < Some("3") && ports != "0   0   "
        });
        for level in used {
            for lane in ["0", "1", "15"].into_iter().filter(|lane| *lane != lanes[level]) {
                let mut tampered = lanes.clone();
                tampered[level] = lane;
                let line = format!("{ports}: {}", tampered.join(" "));
                let text = [&lines[..index], &[&*line], &lines[index + 1..]].concat().join("\n");
                changed += 1;
                match judge_lanes(&lft, &text, Some(&path_sl), &subnet) {
                    Err(Rejected::Convicted(errors)) => {
                        *convicted.entry(errors[0].code().unwrap().to_string()).or_insert(0) += 1
                    }
                    // Another lane may be free of deadlock too. No packet is sent to port 0, the switch
                    // itself.
                    Ok(judged) => {
                        assert!(judged.vc_hops != good.vc_hops || ports.starts_with("0 "), "{line}")
                    }
                    Err(Rejected::Unreadable(error)) => panic!("{error}"),
                }
            }
        }
    }
    assert!(convicted["FAB0417"] > 0 && changed > 40, "{convicted:?} of {changed}");
    // One lane for all packets closes the cycle.
    let one_lane: Vec<String> = lines
        .iter()
        .map(|line| {
            if line.starts_with('#') {
                (*line).to_owned()
            } else {
                line.split_once(':').map_or((*line).to_owned(), |(ports, lanes)| {
                    format!("{ports}:{}", lanes.replace(" 1 ", " 0 "))
                })
            }
        })
        .collect();
    let Err(Rejected::Convicted(errors)) = judge_lanes(&lft, &one_lane.join("\n"), Some(&path_sl), &subnet)
    else {
        panic!("no deadlock")
    };
    assert_eq!(errors[0].code().unwrap().to_string(), "FAB0413");
    // A host that discards what it should send.
    let adapter = sl2vl.rfind("0   0   : 0 ").unwrap();
    let text = format!("{}15{}", &sl2vl[..adapter + 10], &sl2vl[adapter + 11..]);
    let Err(Rejected::Convicted(errors)) = judge_lanes(&lft, &text, Some(&path_sl), &subnet) else {
        panic!("nobody misses them")
    };
    assert!(errors[0].to_string().ends_with("its SL2VL table discards them (VL 15)"), "{}", errors[0]);
}

#[test]
fn damaged_lanes_are_named_by_line() {
    let [lft, sl2vl, path_sl, subnet] = laned(&build(1, 2, "torus 5", "dimension_order"));
    let why = |sl2vl: &str, path_sl: &str| match judge_lanes(&lft, sl2vl, Some(path_sl), &subnet) {
        Err(Rejected::Unreadable(error)) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let entry = sl2vl.lines().find(|line| line.starts_with("0   1   :")).unwrap();
    let first = path_sl.lines().next().unwrap();
    let (guid, rest) = first.split_once(' ').unwrap();
    for (text, says) in [
        (
            sl2vl.replacen(entry, &format!("{entry} 3"), 1),
            "t.sl2vl:7: expected `<in port> <out port> : <16 virtual lanes>`",
        ),
        (sl2vl.replacen(entry, &entry.replacen("15", "16", 1), 1), "t.sl2vl:7: expected"),
        (
            sl2vl.replacen(entry, &format!("{entry}\n{entry}"), 1),
            "t.sl2vl:8: ports 0 and 1 have a line already",
        ),
        (sl2vl.replacen(entry, &entry.replacen("0 ", "9 ", 1), 1), "t.sl2vl:7: expected ports of 0 to 3"),
        (
            sl2vl.replacen("Switch 0xfab0000000010000", "Switch 0x1", 1).replacen(
                "\"router[0]\"",
                "\"s\"",
                1,
            ),
            "t.sl2vl:4: neither the GUID",
        ),
        (
            sl2vl[..sl2vl.find("Switch 0xfab0000000010004").unwrap()].to_owned(),
            "t.sl2vl:1: there are no SL2VL tables of switch ",
        ),
    ] {
        assert!(why(&text, &path_sl).starts_with(says), "{}", why(&text, &path_sl));
    }
    for (text, says) in [
        (path_sl.replacen(first, "", 1), "t.psl:1: no line says the service level of the path from "),
        (path_sl.replacen(first, &format!("{first}\n{first}"), 1), "t.psl:2: the path from "),
        (
            path_sl.replacen(first, &format!("{guid} 2 16"), 1),
            "t.psl:1: expected `0x<GUID of the source> <LID> <SL>`",
        ),
        (
            path_sl.replacen(first, &format!("0x77 {rest}"), 1),
            "t.psl:1: the GUID 0x0000000000000077 is that of no adapter",
        ),
    ] {
        assert!(why(&sl2vl, &text).starts_with(says), "{}", why(&sl2vl, &text));
    }
    // As OpenSM dumps path records.
    let mut dump = String::new();
    for host in 0..5u64 {
        let (node, port) = (0xfab0_0000_0002_0000 + 2 * host, 0xfab0_0000_0002_0001 + 2 * host);
        writeln!(
            dump,
            "Channel Adapter 0x{port:016x}, base LID {}, \"h\", port 1\n# LID  : SL : MTU : RATE",
            host + 1
        )
        .unwrap();
        for line in path_sl.lines().filter(|line| line.starts_with(&format!("0x{node:016x} "))) {
            let words: Vec<&str> = line.split(' ').collect();
            writeln!(dump, "0x{:04X} : {:<2} : 4   : 7   ", words[1].parse::<u32>().unwrap(), words[2])
                .unwrap();
        }
    }
    assert_eq!(
        judge_lanes(&lft, &sl2vl, Some(&dump), &subnet).unwrap(),
        judge_lanes(&lft, &sl2vl, Some(&path_sl), &subnet).unwrap()
    );
}
