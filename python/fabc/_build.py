"""A compiled fabric: its metrics, files, links, tables and graph."""

from __future__ import annotations

import html
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import networkx as nx
import numpy as np
import numpy.typing as npt

from . import _fabc
from ._errors import Diagnostic, diagnostics_of, error_of
from ._operations import Operations

_ENTRY = np.dtype([(name, "<i4") for name in ("router", "dst", "in_port", "in_vc", "out_port", "out_vc")])
_LINK = np.dtype([(name, "<i4") for name in ("a", "a_port", "b", "b_port", "is_global", "link_type", "simplex", "length")])
_CHANNEL = np.dtype([(name, "<i4") for name in ("source", "out_port", "target", "in_port", "link")])


@dataclass(frozen=True)
class Checked:
    """A spec in which nothing is wrong, as far as can be told before a search."""

    name: str
    normal_form: str
    """Every file inlined, every parameter in its place."""
    described: str | None
    """Of a network that is too large to be built: what formulas and a sample say of it."""
    warnings: tuple[Diagnostic, ...]


class Build(Operations):
    """A compiled fabric, proved: made by `build`, or read by `load`."""

    def __init__(self, built: _fabc.Built | _fabc.Opened, directory: Path | None = None) -> None:
        self._built = built
        self._directory = directory
        self._report_json: dict[str, Any] | None = None
        self._scratch: tempfile.TemporaryDirectory[str] | None = None

    @property
    def directory(self) -> Path:
        """The directory of the build. A build in memory is written to a temporary one, which lives as long as this
        object."""
        if self._directory is None:
            self._scratch = tempfile.TemporaryDirectory(prefix="fabc-")
            self._directory = self.write(self._scratch.name)
        return self._directory

    @property
    def name(self) -> str:
        """The name of the fabric."""
        return self._built.name

    @property
    def normal_form(self) -> str:
        """The spec with every file inlined and every parameter in its place."""
        return self._built.normal_form

    @property
    def metrics(self) -> dict[str, float]:
        """The metrics of the healthy fabric, by the names and in the units that `require` has for them."""
        if isinstance(self._built, _fabc.Built):
            return self._built.metrics
        return dict(self._built.metrics(self.file("report.json")))

    @property
    def scenarios(self) -> list[str]:
        """The names of all scenarios: `nominal`, then every tolerated fault."""
        return self._built.scenarios

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What the spec declares and does not need."""
        return diagnostics_of(self._built.warnings) if isinstance(self._built, _fabc.Built) else ()

    @property
    def report(self) -> str:
        """The report as text, as the terminal shows it."""
        return self._built.report if isinstance(self._built, _fabc.Built) else self.file("report.txt").decode()

    @property
    def report_json(self) -> dict[str, Any]:
        """`report.json` (`fabc.report/1`): metrics, bounds, scenarios, requires, passes."""
        if self._report_json is None:
            self._report_json = json.loads(self.file("report.json"))
        return self._report_json

    @property
    def artifacts(self) -> Mapping[str, bytes]:
        """Every file that `fabc build` writes, by path, the same to the byte."""
        if isinstance(self._built, _fabc.Opened):
            paths = (path for path in self.directory.rglob("*") if path.is_file())
            return {path.relative_to(self.directory).as_posix(): path.read_bytes() for path in sorted(paths)}
        all: dict[str, bytes] = {}
        self._built.each_artifact(all.__setitem__)
        return all

    def file(self, path: str) -> bytes:
        """One of the artifacts, by its path."""
        if isinstance(self._built, _fabc.Opened):
            found_file = self.directory / path
            if not found_file.is_file():
                raise KeyError(f"there is no {path!r} in {self.directory}")
            return found_file.read_bytes()
        names = {"topology.json": "topology", "report.json": "report_json", "report.html": "report_html", "ocs.json": "ocs"}
        if path in names:
            found = self._built.emit(names[path])
            return dict(found or [])[path]
        return self.artifacts[path]

    def emit(self, format: str) -> dict[str, bytes]:
        """The files of one format of `fabc build --emit list`, by path."""
        if isinstance(self._built, _fabc.Opened):
            raise TypeError("formats are written by a build in memory: `fabc.build(build.directory / 'spec.fab')`")
        found = self._built.emit(format)
        if found is None:
            raise KeyError(f"there is no format {format!r}: `fabc build --emit list` lists them")
        return dict(found)

    def write(self, directory: str | os.PathLike[str]) -> Path:
        """Writes all artifacts to a directory of the fabric's name below this one, and returns its path.

        What stands there already must be a build, and is replaced whole: a half-written one is never seen.
        """
        target = Path(directory) / self.name
        if target.exists() and not (target / "manifest.json").is_file():
            raise FileExistsError(f"{target} holds something that fabc did not write")
        target.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=".fabc-", dir=target.parent))
        try:
            new = staging / "new"

            def take(path: str, content: bytes) -> None:
                (new / path).parent.mkdir(parents=True, exist_ok=True)
                (new / path).write_bytes(content)

            if isinstance(self._built, _fabc.Opened):
                shutil.copytree(self.directory, new)
            else:
                self._built.each_artifact(take)
            if target.exists():
                target.rename(staging / "old")
            new.rename(target)
        finally:
            shutil.rmtree(staging)
        return target

    def links(self) -> npt.NDArray[np.void]:
        """The links as a structured array, by number: `a`, `a_port`, `b`, `b_port`, `is_global`, `link_type`
        (a place in the list of declared links), `simplex` (one channel alone, from a to b), `length` (0.1 m, 0
        without a floor)."""
        return np.frombuffer(self._built.links(), dtype=_LINK)

    def channels(self) -> npt.NDArray[np.void]:
        """The directed channels as a structured array: `source`, `out_port`, `target`, `in_port`, `link`."""
        links = self.links()
        forward = np.empty(len(links), dtype=_CHANNEL)
        forward["source"], forward["out_port"] = links["a"], links["a_port"]
        forward["target"], forward["in_port"] = links["b"], links["b_port"]
        forward["link"] = np.arange(len(links))
        duplex = forward[links["simplex"] == 0]
        back = duplex.copy()
        back["source"], back["out_port"], back["target"], back["in_port"] = (duplex[name] for name in ("target", "in_port", "source", "out_port"))
        return np.sort(np.concatenate([forward, back]), order=["source", "out_port"])

    def tables(self, scenario: str = "nominal") -> npt.NDArray[np.void]:
        """The forwarding tables of all routers in a scenario, as a structured array with a row per entry.

        A packet for `dst` that came in at `router` by `in_port` on virtual channel `in_vc` leaves by
        `out_port` on `out_vc`. Both inputs are -1 for what is injected here, or for all packets where routers
        look at the destination alone. `out_vc` is -1 where a rule counts virtual channels (`vc_rule`).
        Rows ascend by router, destination and input.
        """
        entries, _ = self._tables(scenario)
        return np.frombuffer(entries, dtype=_ENTRY)

    def vc_rule(self) -> Literal["hop", "global"] | None:
        """How virtual channels are counted where tables do not list them: one more with every hop, or with
        every hop over a global link."""
        _, rule = self._tables("nominal")
        return rule

    def loads(self, scenario: str = "nominal") -> npt.NDArray[np.int64]:
        """How many routes pass every channel, in the order of `channels`: all routes between routers with hosts,
        walked at once by the tables alone. Only for tables that list virtual channels, or look at destinations."""
        channels, entries = self.channels(), self.tables(scenario)
        by_destination = bool((entries["in_port"] == -1).all())
        if not by_destination and self.vc_rule() is not None:
            raise ValueError("these tables count virtual channels by a rule: see `max_channel_load` of the report")
        hosts = np.array([hosts for _, hosts, _ in self._built.nodes()]) > 0
        routers, ports = len(hosts), int(channels["out_port"].max()) + 1
        vcs = int(max(entries["in_vc"].max(initial=0), entries["out_vc"].max(initial=0))) + 1

        def key(router: Any, target: Any, port: Any, vc: Any) -> Any:
            # -1 stands for what is injected, so ports and channels count from 0 with 1 added.
            return ((router * routers + target) * (ports + 1) + port + 1) * (vcs + 1) + vc + 1

        columns = (entries[name].astype(np.int64) for name in ("router", "dst", "in_port", "in_vc"))
        listed = key(*columns)
        order = np.argsort(listed)
        listed = listed[order]
        by_port = np.full((routers, ports), -1)
        by_port[channels["source"], channels["out_port"]] = np.arange(len(channels))
        source, target = (side.ravel() for side in np.meshgrid(np.flatnonzero(hosts), np.flatnonzero(hosts)))
        at, target = source[source != target], target[source != target]
        port, vc = np.full(len(at), -1), np.full(len(at), -1)
        load = np.zeros(len(channels), dtype=np.int64)
        while len(at):
            wanted = key(at, target, -1, -1) if by_destination else key(at, target, port, vc)
            found = np.minimum(np.searchsorted(listed, wanted), len(listed) - 1)
            # Of a scenario with a dead router, its routes are in no table.
            known = listed[found] == wanted
            rows = entries[order[found[known]]]
            channel = by_port[at[known], rows["out_port"]]
            np.add.at(load, channel, 1)
            at, target = channels["target"][channel].astype(np.int64), target[known]
            port, vc = channels["in_port"][channel].astype(np.int64), rows["out_vc"].astype(np.int64)
            flying = at != target
            at, target, port, vc = at[flying], target[flying], port[flying], vc[flying]
        return load

    def _tables(self, scenario: str) -> tuple[bytes, Literal["hop", "global"] | None]:
        if isinstance(self._built, _fabc.Built):
            return self._built.tables(scenario)
        found, wrong = self._built.tables(scenario)
        if wrong is not None:
            error = error_of(wrong, None)
            if scenario not in self.scenarios:
                raise KeyError(f"there is no scenario {scenario!r}: see Build.scenarios") from error
            raise error
        assert found is not None
        return found

    def graph(self) -> nx.MultiGraph[int] | nx.MultiDiGraph[int]:
        """The topology for networkx, directed where links are one-way.

        Nodes are numbers as in the tables, with `name`, `hosts`, `block` (cube, group) and, in a pod, `at` (the
        place in the cube). Edges have their number as key, `a`, `a_port`, `b`, `b_port`, `link` (the declared
        name), `kind` (`local` or `global`), `bandwidth` (bit/s of a direction), `latency` (cycles), `length` (m,
        with a floor) and, through a switch, `ocs`.
        """
        topology = json.loads(self.file("topology.json"))
        links, types = self.links(), self._built.link_types()
        graph: nx.MultiGraph[int] | nx.MultiDiGraph[int] = nx.MultiDiGraph() if links["simplex"].any() else nx.MultiGraph()
        graph.graph["name"] = self.name
        for number, (name, hosts, block) in enumerate(self._built.nodes()):
            graph.add_node(number, name=name, hosts=hosts, block=block)
        for node in topology["nodes"]:
            if "at" in node:
                graph.nodes[node["id"]]["at"] = tuple(node["at"])
        switches = {link["id"]: link["ocs"] for link in topology["links"] if "ocs" in link}
        for number, (a, a_port, b, b_port, is_global, link_type, _, length) in enumerate(links.tolist()):
            name, bandwidth, latency = types[link_type]
            more: dict[str, Any] = {"ocs": switches[number]} if number in switches else {}
            if length:
                more["length"] = length / 10
            kind = "global" if is_global else "local"
            graph.add_edge(
                a, b, key=number, a=a, a_port=a_port, b=b, b_port=b_port, link=name, kind=kind, bandwidth=bandwidth, latency=latency, **more
            )
        return graph

    def __repr__(self) -> str:
        metrics = self.metrics
        told = [f"{name}={metrics[name]:g}" for name in ("routers", "diameter", "average_hops", "concurrent_flow") if name in metrics]
        return f"<fabc.Build {self.name}: {', '.join(told)}>"

    def _repr_html_(self) -> str:
        """The report page, for notebooks, in a frame of its own."""
        page = html.escape(self.file("report.html").decode(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:40em;border:0" title="{html.escape(self.name)}"></iframe>'
