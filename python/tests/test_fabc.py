"""The package against known answers; specs of the repository, the working directory is its root."""

import json
import subprocess
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import fabc

ROOT = Path(__file__).resolve().parents[2]
TORUS = """fabric small {
    clock = 1 GHz;
    param side = 4 in 2..=16;
    link cable { bandwidth = 100 Gbps; latency = 20 ns; }
    router { radix = 5; vcs = 4; flit = 64 B; buffer = 64 flits; latency = 20 cycles; }
    budget { vcs = 2; }
    topology = torus side x side;
    routing = dimension_order;
}
"""


@pytest.fixture(scope="module")
def torus() -> fabc.Build:
    return fabc.build(TORUS)


@pytest.fixture(scope="module")
def pod() -> fabc.Build:
    return fabc.build(ROOT / "specs/pod_128.fab")


def walked(build: fabc.Build, scenario: str = "nominal") -> tuple[np.ndarray, np.ndarray]:
    """All routes at once, hop by hop by the tables alone: routes over every channel, and hops of every route."""
    channels, entries, rule = build.channels(), build.tables(scenario), build.vc_rule()
    graph = build.graph()
    count, ports = graph.number_of_nodes(), int(channels["out_port"].max()) + 1
    vcs = int(max(entries["in_vc"].max(), entries["out_vc"].max(), 15)) + 1
    over = np.full((count, ports), -1)
    over[channels["source"], channels["out_port"]] = np.arange(len(channels))
    # in_port and in_vc are shifted by one: -1 stands for what is injected.
    key = lambda router, dst, port, vc: ((router * count + dst) * (ports + 1) + port + 1) * (vcs + 1) + vc + 1
    assert rule is None
    order = np.argsort(listed := key(*(entries[name].astype(np.int64) for name in ("router", "dst", "in_port", "in_vc"))))
    listed = listed[order]
    hosts = np.array([graph.nodes[node]["hosts"] for node in range(count)]) > 0
    src, dst = (side.ravel() for side in np.meshgrid(*[np.flatnonzero(hosts)] * 2))
    src, dst = src[src != dst], dst[src != dst]
    at, port, vc = src.copy(), np.full(len(src), -1), np.full(len(src), -1)
    load, hops, flying = np.zeros(len(channels), dtype=np.int64), np.zeros(len(src), dtype=np.int64), np.arange(len(src))
    by_destination = bool((entries["in_port"] == -1).all())
    for _ in range(count):
        if not len(flying):
            return load, hops
        here = [port[flying], vc[flying]] if not by_destination else [np.full(len(flying), -1)] * 2
        wanted = key(at[flying], dst[flying], *here)
        found = np.searchsorted(listed, wanted)
        assert (listed[found] == wanted).all(), "a packet that no entry is for"
        row = entries[order[found]]
        channel = over[at[flying], row["out_port"]]
        assert (channel >= 0).all(), "a port without a link"
        np.add.at(load, channel, 1)
        hops[flying] += 1
        at[flying], port[flying], vc[flying] = channels["target"][channel], channels["in_port"][channel], row["out_vc"]
        flying = flying[at[flying] != dst[flying]]
    raise AssertionError("a packet that flies in circles")


def test_a_torus_has_the_figures_of_a_torus(torus: fabc.Build) -> None:
    # Four routers on a ring are 1, 1, 2 away; two rings; the mean is over the 15 others.
    assert torus.metrics["diameter"] == 4
    assert torus.metrics["average_hops"] == pytest.approx(2 * (1 + 1 + 2) * 4 / 15)
    assert (torus.name, torus.scenarios, torus.warnings) == ("small", ["nominal"], ())
    load, hops = walked(torus)
    assert load.max() == torus.metrics["max_channel_load"]
    assert (hops.max(), hops.mean()) == (4, pytest.approx(torus.metrics["average_hops"]))


def test_networkx_finds_the_same_distances(torus: fabc.Build, pod: fabc.Build) -> None:
    for build in (torus, pod):
        graph = build.graph()
        assert nx.diameter(graph) == build.metrics["diameter"]
        assert nx.average_shortest_path_length(graph) == pytest.approx(build.metrics["average_hops"])
    graph = pod.graph()
    assert (graph.number_of_nodes(), {degree for _, degree in graph.degree()}) == (128, {6})
    first = graph.nodes[0]
    assert (first["name"], first["hosts"], first["block"], first["at"]) == ("cube0[0,0,0]", 1, 0, (0, 0, 0))
    edges = [edge for _, _, edge in graph.edges(data=True)]
    assert {edge["kind"] for edge in edges} == {"local", "global"}
    assert all(("ocs" in edge) == (edge["kind"] == "global") and edge["bandwidth"] > 0 for edge in edges)


def test_tables_walked_in_numpy_carry_what_the_report_says(pod: fabc.Build) -> None:
    load, hops = walked(pod)
    assert load.max() == pod.metrics["max_channel_load"]
    assert load.sum() == hops.sum()
    assert pod.report_json["metrics"]["max_channel_load"] == load.max()
    fault = pod.scenarios[1]
    load, _ = walked(pod, fault)
    assert load.max() == pod.report_json["scenarios"][fault]["max_channel_load"]
    with pytest.raises(KeyError, match='there is no scenario .*lunch'):
        pod.tables("lunch")


def test_what_is_written_is_what_the_command_line_writes(torus: fabc.Build, tmp_path: Path) -> None:
    target = torus.write(tmp_path)
    written = {path.relative_to(target).as_posix(): path.read_bytes() for path in target.rglob("*") if path.is_file()}
    assert written == torus.artifacts
    assert torus.write(tmp_path) == target and torus.file("spec.fab") == torus.normal_form.encode()
    assert [path.name for path in tmp_path.iterdir()] == ["small"]
    (tmp_path / "other" / "small").mkdir(parents=True)
    (tmp_path / "other" / "small" / "thesis.tex").write_text("mine")
    with pytest.raises(FileExistsError):
        torus.write(tmp_path / "other")
    binary = ROOT / "target/release/fabc"
    if binary.exists():
        (tmp_path / "small.fab").write_text(TORUS)
        subprocess.run([binary, "build", "-q", "small.fab"], cwd=tmp_path, check=True)
        out = tmp_path / "out/small"
        assert {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()} == written


def test_a_notebook_shows_the_page(torus: fabc.Build) -> None:
    page = torus._repr_html_()
    assert page.startswith("<iframe srcdoc=") and "&lt;svg" in page and "<script" not in page
    assert repr(torus) == "<fabc.Build small: routers=16, diameter=4, average_hops=2.13333, concurrent_flow=0.125>"
    assert "max_channel_load" in torus.report
    assert set(torus.emit("dot")) == {"topology.dot"}
    with pytest.raises(KeyError, match="there is no format 'png'"):
        torus.emit("png")


def test_parameters_and_files_are_given() -> None:
    assert fabc.build(TORUS, set={"side": 5}).metrics["routers"] == 25
    spec = 'fabric pod { use "parts/tpu_v4.fab"; cubes = 2; topology = torus 4 x 4 x 8; routing = dimension_order; }'
    assert fabc.check(spec, base=ROOT / "specs").name == "pod"
    with pytest.raises(fabc.FabcError, match="parts/tpu_v4.fab"):
        fabc.check(spec, base=ROOT / "python")


def test_errors_have_code_line_and_hint() -> None:
    with pytest.raises(fabc.FabcError) as caught:
        fabc.check(TORUS.replace("link cable", "link cable { bandwidth = 1 Gbps; latency = 1 ns; }\n    link cable"))
    error = caught.value
    assert (error.exit_code, error.code, error.line, error.build) == (1, "FAB0102", 5, None)
    assert "FAB0102" in str(error) and error.hint
    assert "\n\n" in fabc.explain(error.code)
    with pytest.raises(fabc.FabcError) as caught:
        fabc.build(TORUS.replace("routing", "require diameter <= 3;\n    routing"))
    error = caught.value
    assert (error.exit_code, error.code, error.diagnostics[0].severity) == (3, "FAB0330", "error")


def test_a_broken_contract_comes_with_what_was_built() -> None:
    with pytest.raises(fabc.FabcError) as caught:
        fabc.build(TORUS.replace("routing", "require max_channel_load <= 7;\n    routing"))
    error = caught.value
    assert (error.exit_code, error.code, error.line) == (3, "FAB0401", 8)
    assert error.build is not None and error.build.metrics["diameter"] == 4
    assert json.loads(error.build.file("manifest.json"))["fabric"] == "small"


def test_wrong_arguments() -> None:
    with pytest.raises(FileNotFoundError):
        fabc.build("nowhere.fab")
    with pytest.raises(ValueError, match="tables is"):
        fabc.build(TORUS, tables="xml")
    with pytest.raises(KeyError):
        fabc.explain("FAB9999")
