"""What the command line does with a directory, from Python: the same bytes, the same errors."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import fabc

ROOT = Path(__file__).resolve().parents[2]
TORUS = """fabric small {
    clock = 1 GHz;
    param side = 4 in 1..=16;
    link cable { bandwidth = 100 Gbps; latency = 20 ns; }
    router { radix = 5; vcs = 4; flit = 64 B; buffer = 64 flits; latency = 20 cycles; }
    budget { vcs = 2; faults = 1 link; }
    topology = torus side x side;
    routing = allowed_turns;
}
"""
SHORT = "warmup = 100 cycles; measure = 200 cycles;"


@pytest.fixture(scope="module")
def built() -> fabc.Build:
    return fabc.build(TORUS)


@pytest.fixture(scope="module")
def loaded(built: fabc.Build) -> fabc.Build:
    return fabc.load(built.directory)


def run(*words: str) -> bytes:
    return subprocess.run([sys.executable, "-m", "fabc", *words], check=True, capture_output=True).stdout


def test_a_directory_is_what_was_built(built: fabc.Build, loaded: fabc.Build) -> None:
    assert (loaded.name, loaded.normal_form, loaded.artifacts) == (built.name, built.normal_form, built.artifacts)
    assert sorted(loaded.scenarios) == sorted(built.scenarios)
    for scenario in ("nominal", built.scenarios[1]):
        assert (loaded.tables(scenario) == built.tables(scenario)).all()
    assert (loaded.links() == built.links()).all() and loaded.report_json == built.report_json
    assert nx.utils.graphs_equal(loaded.graph(), built.graph())
    for name, value in loaded.metrics.items():
        assert name not in built.metrics or built.metrics[name] == pytest.approx(value, rel=1e-6), name
    with pytest.raises(KeyError, match="there is no scenario 'lunch'"):
        loaded.tables("lunch")


def files_below(directory: Path) -> dict[str, bytes]:
    return {str(file.relative_to(directory)): file.read_bytes() for file in directory.rglob("*") if file.is_file()}


def test_operations_print_what_the_command_line_prints(loaded: fabc.Build, tmp_path: Path) -> None:
    path = str(loaded.directory)
    assert loaded.verify()["contract"] == "holds"
    assert loaded.sim(f"rates = 0.1; {SHORT}") == json.loads(run("sim", path, "--with", f"rates = 0.1; {SHORT}", "--json"))
    asked = ("--collective", "all_reduce", "--size", "1MiB")
    assert loaded.collective("all_reduce", size="1MiB") == json.loads(run("collective", path, *asked, "--json"))
    failed = loaded.graph().nodes[5]["name"]
    repair = loaded.repair(failed, out=tmp_path / "mine")
    run("repair", path, "--down", failed, "--out", str(tmp_path / "theirs"), "-q")
    assert files_below(repair.directory) == files_below(tmp_path / "theirs")
    assert repair.verify()["kind"] == "repair" and repair.result["format"] == "fabc.repair/1"
    assert loaded.diff(loaded)["same"] is True
    estimate = fabc.estimate("all_reduce", size="16MB", on="torus:8x8x8")
    assert estimate == json.loads(run("estimate", "all_reduce", "--size", "16MB", "--on", "torus:8x8x8", "--json"))


def test_a_route_is_that_of_the_command_line(built: fabc.Build) -> None:
    lengths = dict(nx.all_pairs_shortest_path_length(built.graph()))
    names = [data["name"] for _, data in built.graph().nodes(data=True)]
    for source, target in [(0, 10), (3, 9), (7, 8)]:
        route = built.route(source, target)
        assert route == built.route(names[source], names[target])
        assert route.length == route.distance == len(route.hops) == lengths[source][target]
        assert (route.hops[0].source, route.hops[-1].target) == (names[source], names[target])
        assert route.cycles[1] == sum(hop.cycles for hop in route.hops) and all(hop.share == 1 for hop in route.hops)
        for before, after in zip(route.hops, route.hops[1:]):
            assert (before.target, before.number + 1) == (after.source, after.number)
    with pytest.raises(fabc.FabcError, match="name two different routers"):
        built.route(4, 4)


def test_a_route_is_known_in_every_scenario(loaded: fabc.Build) -> None:
    routes = loaded.routes(0, 10)
    assert sorted(route.scenario for route in routes) == sorted(loaded.scenarios)
    assert routes == sorted(routes, key=lambda route: -route.cycles[1])
    for route in routes[:5]:
        assert route == loaded.route(0, 10, route.scenario)
    for route in routes:
        cables = {f"{hop.source}.{hop.out_port}" for hop in route.hops} | {f"{hop.target}.{hop.in_port}" for hop in route.hops}
        assert route.scenario not in cables
    with pytest.raises(fabc.FabcError, match="lunch"):
        loaded.route(0, 10, "lunch")


def test_sprayed_packets_take_every_shortest_path(tmp_path: Path) -> None:
    (tmp_path / "tree.fab").write_text(
        """fabric tree {
    link fiber { bandwidth = 400 Gbps; latency = 30 ns; }
    router { radix = 4; hosts = 2; vcs = 1; latency = 500 cycles; }
    budget { vcs = 1; faults = 1 link; }
    topology = fat_tree { k = 4; }
    routing = spray;
}
"""
    )
    tree = fabc.build(tmp_path / "tree.fab")
    edges = [data["name"] for _, data in tree.graph().nodes(data=True) if data["hosts"]]
    route = tree.route(edges[0], edges[-1])
    assert (route.distance, route.length, len(route.hops)) == (4, 4, 2 + 4 + 4 + 2)
    for number in range(1, 5):
        assert sum(hop.share for hop in route.hops if hop.number == number) == pytest.approx(1)
    routes = tree.routes(edges[0], edges[-1])
    # The healthy tree and a fault of each of its 32 cables. Those on the way leave fewer paths.
    assert len(routes) == 1 + 32 and {len(route.hops) for route in routes} > {12}


def test_loads_are_those_of_the_report(built: fabc.Build) -> None:
    load = built.loads()
    assert load.max() == built.metrics["max_channel_load"] and len(load) == len(built.channels())
    distances = sum(sum(row.values()) for _, row in nx.all_pairs_shortest_path_length(built.graph()))
    assert load.sum() == distances
    assert built.loads(built.scenarios[1]).max() == built.report_json["scenarios"][built.scenarios[1]]["max_channel_load"]
    assert isinstance(load, np.ndarray)


def test_a_pod_is_planned_and_compared_with_its_switches(tmp_path: Path) -> None:
    spec = (ROOT / "specs/small_cubes.fab").read_text()
    (tmp_path / "a.fab").write_text(spec)
    (tmp_path / "b.fab").write_text(spec.replace("seed = 1", "seed = 2"))
    old, new = (fabc.build(tmp_path / name, base=ROOT / "specs") for name in ("a.fab", "b.fab"))
    plan = new.plan(old)
    assert plan["format"] == "fabc.plan/1"
    assert old.drift(old)["format"] == "fabc.drift/1"
    assert old.availability(fail="host=0.001/day,cable=0.0001/day,ocs=0.001/day", host_chips=4)["format"] == "fabc.availability/1"
    rates = "host=0.001/day,cable=0.0001/day,ocs=0.001/day"
    years = old.operate(fail=rates, host_chips=4, policy=["cables = [swap, around]"], years=1, seeds=2)
    assert years["format"] == "fabc.operate/1" and len(years["policies"]) == 2


def test_a_sweep_is_a_table(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    (tmp_path / "small.fab").write_text(TORUS)
    told: list[tuple[int, int]] = []
    frame = fabc.sweep(tmp_path / "small.fab", set={"side": [3, 4, 1]}, out=tmp_path / "sweep", progress=lambda *at: told.append(at))
    assert isinstance(frame, pandas.DataFrame) and list(frame["side"]) == [3, 4, 1]
    assert list(frame["contract"]) == ["kept", "kept", "failed"] and frame["error"][2].startswith("FAB")
    assert told[-1] == (3, 3)
    assert fabc.load(frame["path"][1]).metrics["diameter"] == frame["diameter"][1] == 4


def test_a_graph_of_networkx_is_built(tmp_path: Path) -> None:
    graph = nx.petersen_graph()
    build = fabc.build(fabc.from_networkx(graph, tmp_path, name="petersen"))
    assert nx.is_isomorphic(nx.Graph(build.graph()), graph)
    assert build.metrics["average_hops"] == pytest.approx(nx.average_shortest_path_length(graph))
    with pytest.raises(ValueError, match="no name of a fabric"):
        fabc.from_networkx(graph, tmp_path, name="my net")


def test_errors_have_spans(loaded: fabc.Build, tmp_path: Path) -> None:
    with pytest.raises(fabc.FabcError) as caught:
        loaded.sim("traffic = tornad;")
    place = caught.value.diagnostics[0].places[0]
    assert (caught.value.code, caught.value.hint) == ("FAB0126", "did you mean `tornado`?")
    assert (place.file, place.line, place.column, place.end_column) == ("--with", 1, 11, 17)
    with pytest.raises(fabc.FabcError) as caught:
        fabc.load(tmp_path)
    assert (caught.value.code, caught.value.exit_code) == ("FAB0510", 2)
    (tmp_path / "spec.fab").write_text("fabric x {")
    with pytest.raises(fabc.FabcError) as caught:
        fabc.load(tmp_path)
    assert caught.value.line == 1


def test_progress_is_told_and_ends_a_build() -> None:
    told: list[tuple[str, int, int]] = []
    fabc.build(ROOT / "specs/pod_128.fab", progress=lambda *at: told.append(at))
    assert told and all(0 <= done <= total for _, done, total in told)

    def refuse(*_: object) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        fabc.build(ROOT / "specs/pod_128.fab", progress=refuse)


@pytest.mark.parametrize("long", ["build", "command"])
def test_ctrl_c_ends_what_runs(long: str, loaded: fabc.Build) -> None:
    timer = threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT))
    began = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        if long == "build":
            fabc.build(ROOT / "specs/pod_1024.fab")
        else:
            loaded.sim("rates = [0.1, 0.2, 0.3]; measure = 1000000 cycles; seeds = 20;")
        time.sleep(2)
    assert time.monotonic() - began < 15


def test_words_and_codes_are_explained() -> None:
    assert fabc.explain("budget").startswith("budget (item): ")
    assert "\n\n" in fabc.explain("FAB0401")
    assert fabc.explain("entries_mean").startswith("tables.entries_mean (field of report.json): Entries")


def test_the_command_line_is_in_the_package() -> None:
    assert run("--version").startswith(b"fabc ")
    wrong = subprocess.run([sys.executable, "-m", "fabc", "frobnicate"], capture_output=True)
    assert wrong.returncode == 2 and b"unrecognized subcommand" in wrong.stderr
