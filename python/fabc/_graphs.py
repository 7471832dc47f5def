"""Topologies from networkx."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import networkx as nx

_ITEMS = """clock = 1 GHz;
    link cable { bandwidth = 100 Gbps; latency = 20 ns; }
    router { radix = RADIX; hosts = 1; vcs = 8; flit = 64 B; buffer = 64 flits; latency = 20 cycles; }
    budget { vcs = 8; }
    routing = minimal;"""


def from_networkx(graph: nx.Graph[Any], directory: str | os.PathLike[str], *, name: str = "network", items: str | None = None) -> Path:
    """Writes a networkx graph as a spec with its graph file, and returns the path of the spec, for `build`.

    Nodes may have `hosts`, edges `link` (the name of a declared link) and `length` (metres). A `MultiGraph` has
    parallel links, and in a directed graph every edge is one channel. `items` are the other items of the fabric:
    clock, links, router, budget, routing, contract. Without it there is one cable of 100 Gbps, one host per router
    and routing by shortest paths. `RADIX` in it is the number of ports that the fullest router needs.
    """
    if not name.isidentifier():
        raise ValueError(f"{name!r} is no name of a fabric: letters, digits and `_`, no digit first")
    if graph.number_of_nodes() < 2:
        raise ValueError("a network has at least two routers")
    target = Path(directory)
    target.mkdir(parents=True, exist_ok=True)
    known_node, known_edge = {"hosts"}, {"link", "length", "source_port", "target_port"}
    plain: nx.Graph[Any] = graph.__class__()
    plain.add_nodes_from((str(node), {key: data[key] for key in known_node & data.keys()}) for node, data in graph.nodes(data=True))
    for a, b, data in graph.edges(data=True):
        plain.add_edge(str(a), str(b), **{key: data[key] for key in known_edge & data.keys()})
    nx.write_graphml(plain, target / f"{name}.graphml")
    degree = max(degree for _, degree in graph.degree())
    hosts = max(int(data.get("hosts", 1)) for _, data in graph.nodes(data=True))
    text = (items or _ITEMS).replace("RADIX", str(degree + hosts))
    spec = target / f"{name}.fab"
    spec.write_text(f'fabric {name} {{\n    {text}\n    topology = graph "{name}.graphml";\n}}\n', encoding="utf-8")
    return spec
