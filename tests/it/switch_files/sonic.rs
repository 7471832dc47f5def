//! CONFIG_DB of SONiC: what stands in it, that BGP finds the groups, and that a damaged file is convicted.

use super::{SwitchFiles, bgp_routes, changed, compiled, emitted, spec};
use crate::networks::builds::built;
use crate::support::plain::fabc;
use fabc::check::{BgpNetwork, CheckError};
use fabc::compiled::CompiledFabric;
use fabc::ir::surviving_scene;
use serde_json::{Value, json};

const LEAVES: &str = "leaf_spine { leaves = 2; spines = 1; parallel = 2; }";

/// The number of routes that BGP finds in each scenario.
fn sonic_routes(compiled: &CompiledFabric, files: &SwitchFiles) -> Result<Vec<u64>, CheckError> {
    let network = BgpNetwork::read_sonic(&compiled.fabric, &compiled.topology, files)?;
    let routes = compiled.scenarios.iter().map(|scenario| {
        let scene = surviving_scene(&scenario.scenario.fault, &compiled.topology, None);
        network.check_groups(&scene, &scenario.sprayed.as_ref().expect("group tables").tables)
    });
    routes.collect()
}

#[test]
fn a_leaf_has_the_tables_of_config_db() {
    let compiled = compiled(4, "0", LEAVES, "");
    let files = emitted("sonic", &compiled).unwrap();
    assert_eq!(
        files.keys().collect::<Vec<_>>(),
        ["leaf-0/config_db.json", "leaf-1/config_db.json", "spine-0/config_db.json"]
    );
    let leaf: Value = serde_json::from_slice(&files["leaf-1/config_db.json"]).unwrap();
    let session = |own: &str| {
        json!({
            "asn": "64514", "holdtime": "9", "keepalive": "3", "local_addr": own, "name": "spine-0",
            "nhopself": "0", "rrclient": "0",
        })
    };
    let expected = json!({
        "BGP_NEIGHBOR": {"172.16.0.5": session("172.16.0.4"), "172.16.0.7": session("172.16.0.6")},
        "DEVICE_METADATA": {
            "localhost": {"bgp_asn": "64513", "hostname": "leaf-1", "type": "ToRRouter"},
        },
        "DEVICE_NEIGHBOR": {
            "Ethernet0": {"name": "spine-0", "port": "Ethernet8"},
            "Ethernet4": {"name": "spine-0", "port": "Ethernet12"},
        },
        "INTERFACE": {
            "Ethernet0": {}, "Ethernet0|172.16.0.4/31": {}, "Ethernet4": {}, "Ethernet4|172.16.0.6/31": {},
        },
        "LOOPBACK_INTERFACE": {"Loopback0": {}, "Loopback0|10.255.0.1/32": {}},
        "VLAN": {"Vlan1000": {"vlanid": "1000"}},
        "VLAN_INTERFACE": {"Vlan1000": {}, "Vlan1000|10.0.0.9/29": {}},
    });
    assert_eq!(leaf, expected);
    let spine: Value = serde_json::from_slice(&files["spine-0/config_db.json"]).unwrap();
    assert_eq!(spine["DEVICE_METADATA"]["localhost"]["type"], "LeafRouter");
    assert!(spine.get("VLAN").is_none());
}

/// The sessions are those of FRR, so BGP finds as many routes in every scenario.
#[test]
fn bgp_of_sonic_finds_the_groups_of_every_scenario() {
    for (hosts, faults, topology) in [
        (2, "1 link", "fat_tree { k = 4; }"),
        (3, "1 router", "leaf_spine { leaves = 4; spines = 3; }"),
        (4, "1 link", "clos { down = 3 x 2; up = 2 x 3; parallel = 1 x 2; }"),
    ] {
        let compiled = compiled(hosts, faults, topology, "");
        let [frr, sonic] = ["frr", "sonic"].map(|name| emitted(name, &compiled).unwrap());
        let routes = sonic_routes(&compiled, &sonic).unwrap();
        assert_eq!(routes, bgp_routes(&compiled, &frr).unwrap(), "{topology}");
        assert!(routes.len() > 1, "{topology}");
    }
}

#[test]
fn damaged_tables_of_sonic_are_convicted() {
    let compiled = compiled(4, "1 link", "leaf_spine { leaves = 3; spines = 2; }", "");
    let files = emitted("sonic", &compiled).unwrap();
    let path = "leaf-1/config_db.json";
    for (old, new, conviction) in [
        ("\"hostname\": \"leaf-1\"", "\"hostname\": \"leaf-2\"", "the hostname is not `leaf-1`"),
        (
            "\"ToRRouter\"",
            "\"LeafRouter\"",
            "the type is `LeafRouter`, but a switch of this tier is a `ToRRouter`",
        ),
        ("\"bgp_asn\": \"64513\"", "\"bgp_asn\": \"none\"", "`none` is no AS number"),
        (
            "\"Loopback0|10.255.0.1/32\"",
            "\"Loopback0|10.255.0.9/32\"",
            "LOOPBACK_INTERFACE has no entry `Loopback0|10.255.0.1/32`",
        ),
        (
            "\"Vlan1000|10.0.0.9/29\"",
            "\"Vlan1000|10.0.0.9/28\"",
            "VLAN_INTERFACE has no entry `Vlan1000|10.0.0.9/29`",
        ),
        ("\"vlanid\": \"1000\"", "\"vlanid\": \"7\"", "the table VLAN has not exactly the VLAN of the hosts"),
        (
            "\"Ethernet4|172.16.0.6/31\"",
            "\"Ethernet4|172.16.0.8/31\"",
            "the address of `Ethernet4` is not 172.16.0.6 or 172.16.0.7",
        ),
        (
            "\"Ethernet4|172.16.0.6/31\": {}",
            "\"Ethernet4|172.16.0.6/31\": {},\n    \"Ethernet8\": {}",
            "INTERFACE has an entry `Ethernet8` too much, or fields in it",
        ),
        (
            "\"172.16.0.7\": {",
            "\"172.16.0.9\": {",
            "there is no BGP_NEIGHBOR 172.16.0.7, which is spine-1 at Ethernet4",
        ),
        (
            "\"local_addr\": \"172.16.0.6\"",
            "\"local_addr\": \"172.16.0.4\"",
            "BGP_NEIGHBOR 172.16.0.7 is not a session of 172.16.0.6 with spine-1, with timers 3 and 9",
        ),
        (
            "\"bgp_asn\": \"64513\"",
            "\"bgp_asn\": \"64514\"",
            "the AS number of the neighbor leaf-1 is not 64514",
        ),
    ] {
        let error = sonic_routes(&compiled, &changed(&files, path, old, new)).expect_err(conviction);
        let file = if conviction.contains("the neighbor leaf-1") { "spine-0/config_db.json" } else { path };
        assert_eq!(error.to_string(), format!("{file}: {conviction}"));
    }
    let unknown = changed(&files, path, "\"DEVICE_METADATA\": {", "\"PORT\": {}, \"DEVICE_METADATA\": {");
    let error = sonic_routes(&compiled, &unknown).unwrap_err().to_string();
    assert!(error.starts_with("leaf-1/config_db.json: unknown field `PORT`"), "{error}");
    let mut missing = files.clone();
    missing.remove(path);
    let error = sonic_routes(&compiled, &missing).unwrap_err().to_string();
    assert_eq!(error, "leaf-1/config_db.json: the file is missing");
}

#[test]
fn config_db_needs_numbered_links_and_equal_weights() {
    let unnumbered = compiled(4, "0", LEAVES, "addresses { links = unnumbered; }");
    assert_eq!(
        emitted("sonic", &unnumbered).unwrap_err().to_string(),
        "`sonic` cannot configure this network: a BGP_NEIGHBOR of CONFIG_DB has an address, and `links = unnumbered` has none"
    );
    let text =
        spec(4, "0", LEAVES, "").replace("routing = spray;", "routing = spray { weights = capacity; }");
    assert_eq!(
        emitted("sonic", &built(&text).0).unwrap_err().to_string(),
        "`sonic` cannot configure this network: BGP divides packets equally among its next hops, and CONFIG_DB has no place for the weights of `weights = capacity`: `--emit routes` writes them"
    );
}

#[test]
fn the_command_line_verifies_config_db() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("net.fab"), spec(2, "1 link", "fat_tree { k = 4; }", "")).unwrap();
    fabc(place.path(), &["build", "net.fab", "-q"], 0);
    fabc(place.path(), &["build", "net.fab", "-q", "--emit", "sonic=db"], 0);
    // 152 routes of the healthy tree. Without a cable below, six switches lose an edge. Without one to the
    // core, a core loses two.
    let (out, _) = fabc(place.path(), &["verify", "out/net", "--sonic", "db"], 0);
    assert_eq!(
        out,
        "verified db: BGP on 20 switches finds the group of each of 448 routes, in 3 scenarios of out/net\n"
    );
}
