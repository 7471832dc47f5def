"""fabc, a declarative compiler for accelerator fabrics.

>>> import fabc
>>> build = fabc.build("specs/networks/torus_16x16.fab")
>>> build.metrics["diameter"]
16.0

`build` compiles a spec and proves the result, in this process and without writing anything; `check` finds what
is wrong before any search. Both take the text of a spec or the path of a file.
"""

from __future__ import annotations

import html
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import networkx as nx
import numpy as np
import numpy.typing as npt

from . import _fabc

__all__ = ["Build", "Checked", "Diagnostic", "FabcError", "Place", "build", "check", "explain"]
__version__: str = _fabc.__version__

_ENTRY = np.dtype([(name, "<i4") for name in ("router", "dst", "in_port", "in_vc", "out_port", "out_vc")])
_LINK = np.dtype([(name, "<i4") for name in ("a", "a_port", "b", "b_port", "is_global", "link_type", "simplex", "length")])
_CHANNEL = np.dtype([(name, "<i4") for name in ("source", "out_port", "target", "in_port", "link")])


@dataclass(frozen=True)
class Place:
    """A place in a file of a spec; lines and columns count from 1."""

    file: str
    line: int
    column: int
    text: str | None = None


@dataclass(frozen=True)
class Diagnostic:
    """One thing that is wrong with a spec, or most likely not meant."""

    code: str
    severity: Literal["error", "warning", "advice"]
    message: str
    hint: str | None
    places: tuple[Place, ...] = field(default=())

    @property
    def file(self) -> str | None:
        """The file of the main place."""
        return self.places[0].file if self.places else None

    @property
    def line(self) -> int | None:
        """The line of the main place, from 1."""
        return self.places[0].line if self.places else None

    @property
    def column(self) -> int | None:
        """The column of the main place, from 1, in characters."""
        return self.places[0].column if self.places else None


class FabcError(Exception):
    """A spec that has errors, cannot be had, or does not keep its contract.

    As text it is what the command line prints.
    """

    diagnostics: tuple[Diagnostic, ...]
    """All that is wrong, in the order of the source."""
    exit_code: int
    """What the command line would end with: 1 the spec has errors, 3 what it asks for does not hold, 4 a bug."""
    build: Build | None
    """What was found, where all that is wrong is that it does not keep its contract."""

    def __init__(self, text: str, diagnostics: tuple[Diagnostic, ...], exit_code: int, build: Build | None = None) -> None:
        super().__init__(text)
        self.diagnostics, self.exit_code, self.build = diagnostics, exit_code, build

    @property
    def code(self) -> str:
        """The code of the first diagnostic, for `explain`."""
        return self.diagnostics[0].code

    @property
    def line(self) -> int | None:
        """The line of the first diagnostic."""
        return self.diagnostics[0].line

    @property
    def hint(self) -> str | None:
        """What can be done about the first diagnostic."""
        return self.diagnostics[0].hint


@dataclass(frozen=True)
class Checked:
    """A spec in which nothing is wrong, as far as can be told before a search."""

    name: str
    normal_form: str
    """Every file inlined, every parameter in its place."""
    described: str | None
    """Of a network that is too large to be built: what formulas and a sample say of it."""
    warnings: tuple[Diagnostic, ...]


class Build:
    """A compiled fabric, proved: made by `build`."""

    def __init__(self, built: _fabc.Built) -> None:
        self._built = built
        self._report_json: dict[str, Any] | None = None

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
        return self._built.metrics

    @property
    def scenarios(self) -> list[str]:
        """The names of all scenarios: `nominal`, then every tolerated fault."""
        return self._built.scenarios

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What the spec declares and does not need."""
        return _diagnostics(self._built.warnings)

    @property
    def report(self) -> str:
        """The report as text, as the terminal shows it."""
        return self._built.report

    @property
    def report_json(self) -> dict[str, Any]:
        """`report.json` (`fabc.report/1`): metrics, bounds, scenarios, requires, passes."""
        if self._report_json is None:
            self._report_json = json.loads(self.file("report.json"))
        return self._report_json

    @property
    def artifacts(self) -> Mapping[str, bytes]:
        """Every file that `fabc build` writes, by path, the same to the byte."""
        all: dict[str, bytes] = {}
        self._built.each_artifact(all.__setitem__)
        return all

    def file(self, path: str) -> bytes:
        """One of the artifacts, by its path."""
        names = {"topology.json": "topology", "report.json": "report_json", "report.html": "report_html", "ocs.json": "ocs"}
        if path in names:
            found = self._built.emit(names[path])
            return dict(found or [])[path]
        return self.artifacts[path]

    def emit(self, format: str) -> dict[str, bytes]:
        """The files of one format of `fabc build --emit list`, by path."""
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
        entries, _ = self._built.tables(scenario)
        return np.frombuffer(entries, dtype=_ENTRY)

    def vc_rule(self) -> Literal["hop", "global"] | None:
        """How virtual channels are counted where tables do not list them: one more with every hop, or with
        every hop over a global link."""
        _, rule = self._built.tables("nominal")
        return rule

    def graph(self) -> nx.MultiGraph | nx.MultiDiGraph:
        """The topology for networkx, directed where links are one-way.

        Nodes are numbers as in the tables, with `name`, `hosts`, `block` (cube, group) and, in a pod, `at` (the
        place in the cube). Edges have their number as key, `a`, `a_port`, `b`, `b_port`, `link` (the declared
        name), `kind` (`local` or `global`), `bandwidth` (bit/s of a direction), `latency` (cycles), `length` (m,
        with a floor) and, through a switch, `ocs`.
        """
        topology = json.loads(self.file("topology.json"))
        links, types = self.links(), self._built.link_types()
        graph: nx.MultiGraph | nx.MultiDiGraph = nx.MultiDiGraph() if links["simplex"].any() else nx.MultiGraph()
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


def build(
    spec: str | os.PathLike[str],
    *,
    set: Mapping[str, object] | None = None,
    base: str | os.PathLike[str] | None = None,
    tables: Literal["auto", "json", "binary"] = "auto",
) -> Build:
    """Compiles a spec and proves the result.

    `spec` is the text of a spec, or the path of a file. `set` gives values to its parameters, as `--set` does.
    Files that a text names are looked for below `base` (by default the working directory); those of a file
    beside it. Raises `FabcError`; one that says that the contract does not hold has the `build` all the same.
    """
    if tables not in ("auto", "json", "binary"):
        raise ValueError(f"tables is 'auto', 'json' or 'binary', not {tables!r}")
    built, wrong = _fabc.build(*_asked(spec, base), _settings(set), tables)
    if wrong is not None:
        raise _error(wrong, built and Build(built))
    assert built is not None
    return Build(built)


def check(
    spec: str | os.PathLike[str], *, set: Mapping[str, object] | None = None, base: str | os.PathLike[str] | None = None
) -> Checked:
    """Finds what is wrong with a spec before anything is searched: milliseconds. Raises `FabcError`."""
    checked, wrong = _fabc.check(*_asked(spec, base), _settings(set))
    if wrong is not None:
        raise _error(wrong, None)
    assert checked is not None
    return Checked(checked["name"], checked["normal_form"], checked["described"], _diagnostics(checked["warnings"]))


def explain(code: str) -> str:
    """What an error code means: its title, a blank line and a text. `KeyError` if there is no such code."""
    found = _fabc.explained(code)
    if found is None:
        raise KeyError(f"there is no code {code!r}")
    return "\n\n".join(found)


def _asked(spec: str | os.PathLike[str], base: str | os.PathLike[str] | None) -> tuple[str, str, str]:
    """Text, name, and the directory that paths begin at."""
    # A spec has braces; a path with one has to be given as `Path`.
    if isinstance(spec, str) and "{" in spec:
        return spec, "spec.fab", os.fspath(base or ".")
    path = os.fspath(spec)
    with open(path, encoding="utf-8", newline="") as file:
        return file.read(), path, os.fspath(base or ".")


def _settings(set: Mapping[str, object] | None) -> list[tuple[str, str]]:
    return [(name, str(value)) for name, value in (set or {}).items()]


def _diagnostics(all: list[dict[str, Any]]) -> tuple[Diagnostic, ...]:
    return tuple(Diagnostic(**{**one, "places": tuple(Place(**place) for place in one["places"])}) for one in all)


def _error(wrong: dict[str, Any], built: Build | None) -> FabcError:
    return FabcError(wrong["text"], _diagnostics(wrong["diagnostics"]), wrong["exit_code"], built)
