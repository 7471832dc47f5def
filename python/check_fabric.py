#!/usr/bin/env python3
"""A second checker of built directories. It shares no code with fabc.

    python3 check_fabric.py [--quiet] DIRECTORY..

It is written from docs/artifacts.md and needs Python 3.9 alone. It believes `spec.fab` (what was
asked for) and `topology.json` (what was built). Everything else is recomputed and compared:

 1. Wiring. Every link has two ports of its own. In a pod copper is the mesh of every cube, and
    fibers are the cross-connects of `ocs.json`, no more and no fewer.
 2. Symmetry. Every generator keeps links, ports, hosts and demand, so a sum over one router of an
    orbit counts for all. Tables are expanded to all routers, and all routes are walked.
 3. Scenarios. The budget of the spec says which faults there are. Each is compiled, or it is the
    image of a compiled one under a symmetry that carries the broken part along.
 4. Delivery. Every ordered pair of living endpoints is walked through the tables of every
    scenario. A route that stops, leaves by a dark channel or goes round is convicted.
 5. Deadlock. The walked routes make the dependency graph over pairs of channel and VC, and that
    graph has no cycle: so some packet in the network can always move. The ranks of
    `certificates.json` are not needed for that, but they must rise along every route as well.
 6. Metrics. Loads, hops, latencies, VCs and entries are counted on the walked routes, distances
    on the topology. Exact fractions are compared with all digits that are printed.
 7. Concurrent flow. Lower end: the listed flow is conserved at every router, and channels carry
    no more than it says; or the routes themselves, which carry 1 / `max_channel_load`. Upper end,
    for any lengths of channels: a demand that fits uses at most the length of all channels, and
    at least the length of its shortest paths. Both are summed here.

Exit code 0: all agrees. 1: something is convicted, in one sentence each. 2: wrong usage, or a
directory that cannot be read. Lines `not checked` name what a directory has beyond this list.
"""

import json
import math
import re
import sys
from collections import Counter
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from itertools import combinations
from pathlib import Path

NANOSECONDS = {"ns": 1, "us": 1000, "ms": 10**6, "ps": Fraction(1, 1000), "m": 5}
GIGABYTES = {"GB/s": 1, "MB/s": Fraction(1, 1000), "TB/s": 1000,
             "Gbps": Fraction(1, 8), "Mbps": Fraction(1, 8000), "Tbps": 125}
GIGAHERTZ = {"GHz": 1, "MHz": Fraction(1, 10**3), "kHz": Fraction(1, 10**6),
             "Hz": Fraction(1, 10**9)}
SHOWN = 20  # convictions of a directory that are printed
LESS_IS_WORSE = ("concurrent_flow", "injection", "bandwidth")
ROUNDED = {"concurrent_flow": math.floor, "injection": math.floor, "bandwidth": math.floor,
           "upper end of concurrent_flow": math.ceil, "distance": math.ceil}
BEYOND = ("simulations", "collectives", "schedule.json", "schedule.bin", "formula.json",
          "floor.json")


def compare(findings, place, name, said, value):
    """Convict what is said of `name` if it is not how reports print the value."""
    if not agree(said, value, ROUNDED.get(name)):
        said, value = (float(x) if isinstance(x, Fraction) else x for x in (said, value))
        findings.append(f"{place}: {name} is said to be {said}, not {value}")


def agree(said, value, rounded):
    if isinstance(said, list) and isinstance(value, list):
        return len(said) == len(value) and all(agree(*pair, rounded) for pair in zip(said, value))
    if said is None or not isinstance(value, Fraction):
        return said == value
    if not rounded:  # six decimals
        return abs(said - value) <= Fraction(1, 2 * 10**6)
    scale = Fraction(1)  # nine significant digits
    while 0 < value * scale < 10**8:
        scale *= 10
    return said == rounded(value * scale) / scale


def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"), parse_float=Fraction)


class Spec:
    """`spec.fab`, the normal form: statements as (words, statements of the block)."""

    def __init__(self, text):
        statements, outer, words = [], [], []
        for token in re.findall(r'"[^"]*"|[{};]|[^\s{};]+', text):
            if token == "{":
                outer.append(statements)
                statements.append((words, []))
                statements, words = statements[-1][1], []
            elif token in ";}":
                if words:
                    statements.append((words, []))
                words, statements = [], outer.pop() if token == "}" else statements
            else:
                words.append(token)
        self.statements = statements[0][1]
        clock = self.find("clock") or [(["clock", "=", "1", "GHz"], [])]
        self.clock = Fraction(clock[0][0][2]) * GIGAHERTZ[clock[0][0][3]]

    def find(self, word):
        return [statement for statement in self.statements if statement[0][0] == word]

    def settings(self, word):
        """The settings of the only block of a word, each as its list of words."""
        return {words[0]: words[2:] for _, block in self.find(word) for words, _ in block}

    def cycles(self, amount, unit, length=1):
        if unit == "cycles":
            return int(amount)
        return math.ceil(Fraction(amount) * length * NANOSECONDS[unit] * self.clock)

    def switches(self):
        """Names of all switches: `ocs X[u in 0..4, v in 0..4]` are X[0,0], X[0,1], .."""
        names = []
        for words, _ in self.find("ocs"):
            header = " ".join(words[1:]).partition(" for ")[0]
            group, indices = re.match(r"\w+", header).group(), [""]
            for low, high in re.findall(r"(\d+)\.\.(\d+)", header):
                indices = [f"{i},{k}" for i in indices for k in range(int(low), int(high))]
            names += [f"{group}[{i[1:]}]" if i else group for i in indices]
        return names


class Fabric:
    """Routers and channels. Channel 2k runs from end a of link k to end b, 2k + 1 back."""

    def __init__(self, directory, findings):
        self.spec = Spec((directory / "spec.fab").read_text(encoding="utf-8"))
        topology = read_json(directory / "topology.json")
        nodes, self.links = topology["nodes"], topology["links"]
        self.size, self.generators = len(nodes), topology["symmetry"]["generators"]
        self.is_pod = topology["format"] == "fabc.topology/1"
        if self.is_pod:
            self.port_names, self.hosts = topology["ports"], [1] * self.size
            self.names = ["cube{}[{},{},{}]".format(n["cube"], *n["at"]) for n in nodes]
            self.block = sum(node["cube"] == 0 for node in nodes)
        else:
            self.port_names = [f"port{port}" for port in range(topology["ports"])]
            self.hosts, self.names = [n["hosts"] for n in nodes], [n["name"] for n in nodes]
            self.block = topology["symmetry"]["block"]
        self.ports = len(self.port_names)
        self.endpoints = [node for node in range(self.size) if self.hosts[node]]
        self.simplex = any(link.get("simplex") for link in self.links)
        self.join_ports(findings)
        self.read_link_types()
        self.weights = read_weights(self, directory)
        self.is_symmetric_demand = self.is_uniform or all(
            self.weights[a][b] == self.weights[b][a] for a, b in combinations(self.endpoints, 2))
        self.wires = {(self.tail[c], self.out_port[c], self.head[c], self.in_port[c],
                       self.capacity[c], self.cycles[c], self.is_global[c]) for c in self.channels}
        self.known_automorphisms = {}
        self.carry_canonical_nodes(findings)

    def join_ports(self, findings):
        size = 2 * len(self.links)
        self.tail, self.head = [-1] * size, [-1] * size
        self.out_port, self.in_port = [-1] * size, [-1] * size
        self.channel_out = [-1] * (self.size * self.ports)  # by node * ports + port
        self.channel_in = list(self.channel_out)
        self.channels = range(0, size, 2 if self.simplex else 1)
        for channel in self.channels:
            ends = [self.links[channel // 2][end] for end in ("ba" if channel % 2 else "ab")]
            for (node, port), used in zip(ends, (self.channel_out, self.channel_in)):
                if not (0 <= node < self.size and 0 <= port < self.ports):
                    raise ValueError(f"topology.json: link {channel // 2} ends at no port")
                if used[node * self.ports + port] >= 0:
                    findings.append(f"topology.json: link {channel // 2} ends at "
                                     f"{self.name_port(node, port)}, where another one does")
                used[node * self.ports + port] = channel
            self.tail[channel], self.out_port[channel] = ends[0]
            self.head[channel], self.in_port[channel] = ends[1]

    def read_link_types(self):
        """Capacity of every channel in units, and cycles of a hop over it."""
        declared = {words[1]: {setting[0]: setting[2:] for setting, _ in block}
                    for words, block in self.spec.find("link")}
        over = {}  # in a pod: the declared link of the copper, and of every group of switches
        for words, block in self.spec.find("cube") + self.spec.find("ocs"):
            group = re.match(r"\w+", words[1]).group() if len(words) > 1 else "copper"
            over[group] = next(w[w.index("over") + 1] for w, _ in block if "over" in w)
        router = self.spec.settings("chip" if self.is_pod else "router")
        rates, self.cycles, self.is_global = [], [], []
        for link in self.links:
            name = link["link"] if not self.is_pod else \
                over[link.get("ocs", link["kind"]).partition("[")[0]]
            rates.append(Fraction(declared[name]["bandwidth"][0])
                         * GIGABYTES[declared[name]["bandwidth"][1]])
            cycles = sum(self.spec.cycles(*settings.get("latency", ("25", "cycles")))
                         for settings in (router, declared[name]))
            if "per_metre" in declared[name] and "length" in link:
                metres = Fraction(link["length"], 10)
                cycles += self.spec.cycles(*declared[name]["per_metre"], metres)
            self.cycles += [cycles, cycles]
            self.is_global += [link.get("class") == "global"] * 2
        scale = math.lcm(*(rate.denominator for rate in rates))
        self.unit = Fraction(math.gcd(*(int(rate * scale) for rate in rates)), scale)
        self.capacity = [int(rate / self.unit) for rate in rates for _ in range(2)]
        self.parts = math.lcm(*self.capacity)  # loads are multiples of 1 / parts

    def carry(self, image, channel):
        return self.channel_out[image[self.tail[channel]] * self.ports + self.out_port[channel]]

    def is_automorphism(self, image):
        """Whether the permutation of nodes keeps hosts, links, ports and weights."""
        key = tuple(image)
        if key not in self.known_automorphisms:
            carried = {(image[a], port, image[b], *kind) for a, port, b, *kind in self.wires}
            self.known_automorphisms[key] = sorted(image) == list(range(self.size)) and \
                carried == self.wires and self.hosts == [self.hosts[v] for v in image] and \
                (self.is_uniform or all(
                    self.weights[a][b] == self.weights[image[a]][image[b]]
                    for a in self.endpoints for b in self.endpoints if a != b))
        return self.known_automorphisms[key]

    def carry_canonical_nodes(self, findings):
        """The class of every node, and the element that brings the canonical node there."""
        for generator in self.generators:
            if not self.is_automorphism(generator):
                findings.append("topology.json: a generator is no automorphism")
                self.generators = []
        self.element, self.node_class, self.canonical = [None] * self.size, [0] * self.size, []
        for first in range(0, self.size, self.block):
            elements = [] if self.element[first] else [list(range(self.size))]
            self.canonical += range(first, first + self.block * len(elements))
            while elements:
                element = elements.pop()
                if self.element[element[first]] is None:
                    for k in range(self.block):
                        self.element[element[first + k]] = element
                        self.node_class[element[first + k]] = len(self.canonical) - self.block + k
                    elements += [[g[v] for v in element] for g in self.generators]
                elif self.element[element[first]] != element:
                    findings.append("topology.json: two elements of the group "
                                     f"bring node {first} to node {element[first]}")

    def name_port(self, node, port):
        return f"{self.names[node]}.{self.port_names[port]}"

    def name_channel(self, channel, vc):
        return f"{self.name_port(self.tail[channel], self.out_port[channel])} VC {vc}"


def read_weights(fabric, directory):
    """weights[a][b]: what router a sends to router b. Sets `is_uniform` too."""
    (words, block), = fabric.spec.find("demand") or [(["demand", "=", "uniform"], [])]
    endpoints, fabric.is_uniform = fabric.endpoints, False
    weights = [[0] * fabric.size for _ in range(fabric.size)]
    if "matrix" in words:
        lines = (directory / words[3].strip('"')).read_text(encoding="utf-8").split()
        for a, line in zip(endpoints, lines):
            for b, weight in zip(endpoints, line.split(",")):
                weights[a][b] = int(weight)
        return weights
    groups = [(len(endpoints), 1)]
    if "uniform" not in words:  # all_to_all over groups of 16 weight 4; all_to_all weight 1;
        groups = [(int(w[w.index("of") + 1]) if "of" in w else len(endpoints), int(w[-1]))
                  for w, _ in block]
    unit = math.gcd(*(fabric.hosts[node] for node in endpoints))
    shares = [hosts // unit for hosts in fabric.hosts]
    fabric.is_uniform = max(shares) == 1 and all(n == len(endpoints) for n, _ in groups)
    for i, a in enumerate(endpoints):
        for k, b in enumerate(endpoints):
            between_hosts = sum(weight for n, weight in groups if i // n == k // n)
            weights[a][b] = between_hosts * shares[a] * shares[b]
    return weights


def check_pod_wiring(fabric, switches, findings):
    """Copper is the mesh of every cube; fibers are the cross-connects of the switches."""
    (_, block), = fabric.spec.find("cube")
    x, y, z = (int(n) for n in re.findall(r" (\d+)", " ".join(block[0][0]))[:3])
    cubes = int(fabric.spec.find("cubes")[0][0][2])
    places = [(i, j, k) for k in range(z) for j in range(y) for i in range(x)]
    names = ["cube{}[{},{},{}]".format(c, *place) for c in range(cubes) for place in places]
    if names != fabric.names or fabric.spec.switches() != [ocs["name"] for ocs in switches]:
        findings.append("topology.json: chips or switches are not those of the spec")
        return

    def find_end(face):
        cube, port, u, v = re.fullmatch(r"cube(\d+)\.(..)\[(\d+),(\d+)\]", face).groups()
        axis, place = "xyz".index(port[1]), [int(u), int(v)]
        place.insert(axis, (x, y, z)[axis] - 1 if port[0] == "+" else 0)
        return names.index("cube{}[{},{},{}]".format(cube, *place)), fabric.port_names.index(port)

    wanted, taken = [], Counter()
    for node in range(len(names)):
        for axis, step in enumerate((1, x, x * y)):
            if places[node % len(places)][axis] + 1 < (x, y, z)[axis]:
                wanted.append(((node, 2 * axis), (node + step, 2 * axis + 1), "copper"))
    for ocs in switches:
        a, b = ([find_end(face) for face in ocs[side]] for side in ("a", "b"))
        taken.update(a + b)
        wanted += [(*sorted((a[i], (b or a)[k])), ocs["name"]) for i, k in ocs["cross_connects"]]
    found = {(tuple(link["a"]), tuple(link["b"]), link.get("ocs", "copper"))
             for link in fabric.links}
    for a, b, over in sorted(found ^ set(wanted)):
        findings.append("topology.json: only one of topology and spec or switches "
                         f"joins {fabric.name_port(*a)} with {fabric.name_port(*b)} by {over}")
    if len(set(wanted)) < len(wanted) or any(count > 1 for count in taken.values()):
        findings.append("ocs.json: a cross-connect or a port is listed twice")


class Scenario:
    """The fabric without some links and routers."""

    def __init__(self, fabric, name, links=(), dead=()):
        self.name, self.dead = name, set(dead)
        self.lit = [c for c in fabric.channels if c // 2 not in links
                    and fabric.tail[c] not in self.dead and fabric.head[c] not in self.dead]
        self.dark = set(fabric.channels).difference(self.lit)
        self.endpoints = [node for node in fabric.endpoints if node not in self.dead]
        self.is_symmetric = all(fabric.carry(generator, channel) in self.dark
                                for generator in fabric.generators for channel in self.dark)
        self.copies = {node: 1 for node in self.endpoints}  # sources, and how many they stand for
        if self.is_symmetric:
            orbits = Counter(fabric.canonical[c] for c in fabric.node_class)
            self.copies = {node: orbits[node] for node in self.endpoints if node in orbits}


def list_scenarios(fabric):
    """The healthy fabric and every fault that the budget tolerates, by name."""
    scenarios = [Scenario(fabric, "nominal")]
    count, kind = (fabric.spec.settings("budget").get("faults", []) + ["0", ""])[:2]
    if kind == "ocs":
        for number in range(1, int(count) + 1):
            for names in combinations(fabric.spec.switches(), number):
                links = {k for k, link in enumerate(fabric.links) if link.get("ocs") in names}
                scenarios.append(Scenario(fabric, "+".join(names), links))
    elif kind == "link":
        scenarios += [Scenario(fabric, fabric.name_port(*link["a"]), {k})
                      for k, link in enumerate(fabric.links)]
    elif kind in ("chip", "router"):
        scenarios += [Scenario(fabric, name, dead=[v]) for v, name in enumerate(fabric.names)]
    return {scenario.name: scenario for scenario in scenarios}


def check_images(fabric, scenarios, tables, findings):
    """Every scenario has tables or is the image of one that has, and only one."""
    served = Counter(list(tables))
    for name, table in tables.items():
        for image in table.get("images", []):
            served[image["scenario"]] += 1
            carried = [cube * fabric.block + k
                       for cube in image["cubes"] for k in range(fabric.block)]
            first, second = scenarios.get(name), scenarios.get(image["scenario"])
            if not (first and second and fabric.is_automorphism(carried)
                    and second.dark == {fabric.carry(carried, c) for c in first.dark}
                    and second.dead == {carried[node] for node in first.dead}):
                findings.append(f"{table['place']}: the cubes of the image "
                                 f"{image['scenario']} do not carry {name} to it")
    for name in sorted(set(served) | set(scenarios)):
        wanted = int(name in scenarios)
        compare(findings, "tables", f"number of tables for {name}", served[name], wanted)


def expand_tables(fabric, scenario, table, findings):
    """For every destination the next buffer (channel * vcs + vc) by the buffer that a packet is in
    (-1 - r when router r injects it), or by router, and the number of entries of every router."""
    vcs, ports, by_input = table["vcs"], fabric.ports, len(table["key"]) > 1
    listed = {router["node"]: router["entries"] for router in table["routers"]}
    owners = fabric.canonical if table["canonical"] else range(fabric.size)
    if sorted(router["node"] for router in table["routers"]) != list(owners):
        findings.append(f"{table['place']}: the routers are not those that must be listed")
    steps, counts = [{} for _ in fabric.hosts], []
    lit, everyone = set(scenario.lit), range(fabric.size)
    for node in everyone:
        canonical = fabric.canonical[fabric.node_class[node]] if table["canonical"] else node
        image = fabric.element[node] if table["canonical"] else everyone
        counts.append(len(listed.get(canonical, [])))
        for target, *entry in listed.get(canonical, []):
            in_port, in_vc, out_port, out_vc = entry if by_input else (-1, -1, *entry, 0)[:4]
            target, key = image[target], -1 - node if by_input else node
            if in_port >= 0:
                key = fabric.channel_in[node * ports + in_port] * vcs + in_vc
            channel = fabric.channel_out[node * ports + out_port] if out_port < ports else -1
            if channel not in lit or out_vc >= vcs or key in steps[target] \
                    or target in scenario.dead:
                findings.append(f"{table['place']}: an entry of {fabric.names[node]} for "
                                f"{fabric.names[target]} comes twice or leads onto what is dark")
            else:
                steps[target][key] = channel * vcs + out_vc
    return steps, counts


class Traffic:
    """What all routes of a scenario put on buffers; `arrives` is False if a route does not."""

    def __init__(self, fabric, scenario, table, findings):
        steps, self.entries = expand_tables(fabric, scenario, table, findings)
        vcs, by_input, rule = table["vcs"], len(table["key"]) > 1, table.get("vc")
        channel_of = [c for c in range(len(fabric.tail)) for _ in range(vcs)]
        head, cycles = ([of[c] for c in channel_of] for of in (fabric.head, fabric.cycles))
        climb = [rule == "hop" or rule == "global" and fabric.is_global[c] for c in channel_of]
        self.load, self.crossings = [0] * len(head), [0] * len(head)  # by weight, and each once
        self.route_hops, self.most_cycles, self.dependencies = Counter(), 0, set()
        self.arrives = True
        for target in scenario.endpoints:
            step = steps[target]
            for source in scenario.endpoints:
                buffer, router, vc, route = -1 - source, source, 0, []
                try:
                    while router != target and vc < vcs and len(route) < len(head):
                        buffer = step[buffer if by_input else router] + vc
                        route.append(buffer)
                        router = head[buffer]
                        vc += climb[buffer]
                except KeyError:
                    pass  # no entry
                if router != target:
                    self.arrives = False
                    findings.append(f"{table['place']}: the route {fabric.names[source]} -> "
                                    f"{fabric.names[target]} goes round, or ends at "
                                    f"{fabric.names[router]}, after {len(route)} hops")
                elif route:
                    weight = fabric.weights[source][target]
                    for buffer in route:
                        self.load[buffer] += weight
                        self.crossings[buffer] += 1
                    self.route_hops[len(route)] += 1
                    self.dependencies.update(zip(route, route[1:]))
                    self.most_cycles = max(self.most_cycles, sum(cycles[b] for b in route))


def check_deadlock(fabric, traffic, certificate, table, findings):
    """No cycle of dependencies, and ranks that rise along every one."""
    vcs, place = table["vcs"], f"certificates.json, scenario {table['scenario']}"
    sorter = TopologicalSorter()
    for first, second in traffic.dependencies:
        sorter.add(second, first)
    try:
        sorter.prepare()
    except CycleError as error:
        cycle = ", ".join(fabric.name_channel(*divmod(b, vcs)) for b in error.args[1][1:])
        findings.append(f"{table['place']}: these wait in a circle: {cycle}")
    classes = fabric.node_class if table["canonical"] else list(range(fabric.size))
    if certificate["canonical"] != table["canonical"] or \
            len(certificate["ranks"]) != (max(classes) + 1) * fabric.ports * vcs:
        findings.append(f"{place}: the ranks do not fit the tables")
        return

    def rank(buffer):
        channel, vc = divmod(buffer, vcs)
        port = classes[fabric.tail[channel]] * fabric.ports + fabric.out_port[channel]
        return certificate["ranks"][port * vcs + vc]

    for pair in traffic.dependencies:
        if rank(pair[0]) >= rank(pair[1]):
            names = [fabric.name_channel(*divmod(buffer, vcs)) for buffer in pair]
            findings.append(f"{place}: no rise from {names[0]} ({rank(pair[0])}) to "
                             f"{names[1]} ({rank(pair[1])})")


def sum_distances(fabric, scenario, lengths):
    """Ordered pairs by shortest length, and the sum of these lengths times weights."""
    outgoing, pairs, weighted = [[] for _ in fabric.hosts], Counter(), 0
    for channel in scenario.lit:
        outgoing[fabric.tail[channel]].append((fabric.head[channel], lengths[channel]))
    for source, copies in scenario.copies.items():
        shortest, reached = [None] * fabric.size, {0: [source]}
        while reached:  # Dijkstra, with routers in buckets of one distance
            distance = min(reached)
            for node in reached.pop(distance):
                if shortest[node] is None:
                    shortest[node] = distance
                    for neighbor, length in outgoing[node]:
                        if shortest[neighbor] is None:
                            reached.setdefault(distance + length, []).append(neighbor)
        row = fabric.weights[source]
        for target in scenario.endpoints:
            if target != source:
                pairs[shortest[target]] += copies
                weighted += copies * row[target] * shortest[target]
    return pairs, weighted


def check_flow(fabric, scenario, flow, findings):
    """The lower end of the concurrent flow that a listed flow proves."""
    place, total = f"certificates.json, flow of {scenario.name}", [0] * len(fabric.tail)
    demand, lit = flow["demand"], set(scenario.lit)
    if [item["source"] for item in flow["flows"]] != list(scenario.copies):
        findings.append(f"{place}: its sources are not the canonical endpoints")
        return 0
    for item in flow["flows"]:
        source, balance = item["source"], [0] * fabric.size  # what comes in less what goes out
        used = [(channel, units) for channel, units in enumerate(item["units"]) if units]
        if any(channel not in lit or units < 0 for channel, units in used):
            findings.append(f"{place}: source {source} uses what is dark, or units below 0")
            return 0
        for channel, units in used:
            balance[fabric.tail[channel]] -= units
            balance[fabric.head[channel]] += units
        for node in set(range(fabric.size)) - {source}:
            wanted = demand * fabric.weights[source][node] * (node not in scenario.dead)
            compare(findings, place, f"units, of source {source}, that router {node} keeps",
                             balance[node], wanted)
        for node, element in enumerate(fabric.element):
            if node == source or \
                    scenario.is_symmetric and fabric.node_class[node] == fabric.node_class[source]:
                image = element if scenario.is_symmetric else range(fabric.size)
                for channel, units in used:
                    total[fabric.carry(image, channel)] += units
    ways = 1  # with symmetric demand the flow also counts reversed: a channel has half its link
    if fabric.is_symmetric_demand and not fabric.simplex:
        ways, total = 2, [total[channel] + total[channel ^ 1] for channel in fabric.channels]
    busiest = max(total[c] * fabric.parts // fabric.capacity[c] for c in scenario.lit)
    compare(findings, place, "busiest", flow["busiest"], busiest)
    return Fraction(ways * demand * fabric.parts, busiest)


def measure_scenario(fabric, scenario, certificate, table, flow, findings):
    """Everything that the report says of one scenario, by name."""
    pairs, weighted_hops = sum_distances(fabric, scenario, [1] * len(fabric.tail))
    said, count = certificate["lengths"], sum(pairs.values())
    by_class = len(said) == len(fabric.canonical) * fabric.ports
    if not by_class and len(said) != fabric.size * fabric.ports:
        raise ValueError(f"certificates.json, scenario {scenario.name}: wrong number of lengths")
    classes = fabric.node_class if by_class else range(fabric.size)
    lengths = [said[classes[a] * fabric.ports + port] if a >= 0 else 0
               for a, port in zip(fabric.tail, fabric.out_port)]
    volume = sum(lengths[c] * fabric.capacity[c] for c in scenario.lit)
    upper = Fraction(volume, sum_distances(fabric, scenario, lengths)[1])
    values = {
        "diameter": max(pairs), "hops": [pairs[d] for d in range(max(pairs) + 1)],
        "average_hops": Fraction(sum(hops * n for hops, n in pairs.items()), count),
        "upper end of concurrent_flow": upper,
        "distance": Fraction(sum(fabric.capacity[c] for c in scenario.lit), weighted_hops),
        "load": Fraction(math.ceil(fabric.parts / upper), fabric.parts)}
    lower = check_flow(fabric, scenario, flow, findings) if flow else 0
    traffic = Traffic(fabric, scenario, table, findings) if table else None
    if traffic and traffic.arrives:
        check_deadlock(fabric, traffic, certificate, table, findings)
        vcs, crossings, routes = table["vcs"], traffic.crossings, traffic.route_hops
        loads = [Fraction(sum(traffic.load[c * vcs:(c + 1) * vcs]), fabric.capacity[c])
                 for c in scenario.lit]
        vc_hops, most = [sum(crossings[vc::vcs]) for vc in range(vcs)], max(loads)
        cycles = sum(n * fabric.cycles[buffer // vcs] for buffer, n in enumerate(crossings))
        lower = max(lower, 1 / most)
        values.update({
            "max_channel_load": most, "load_ratio": most * upper,
            "mean_channel_load": sum(loads) / len(loads),
            "mean_route_hops": Fraction(sum(vc_hops), count),
            "hops_ratio": sum(vc_hops) / values["average_hops"] / count,
            "vc_balance": Fraction(max(vc_hops), sum(vc_hops)), "vc_hops": vc_hops,
            "latency": cycles / fabric.spec.clock / count,
            "latency_max": traffic.most_cycles / fabric.spec.clock,
            "route_hops": [routes[d] for d in range(max(routes) + 1)],
            "channel_load": [list(item) for item in sorted(Counter(loads).items())],
            "entries_max": max(traffic.entries), "canonical": table["canonical"],
            "entries_mean": Fraction(sum(traffic.entries), fabric.size)})
    sent = max(Fraction(sum(fabric.weights[a][b] for b in scenario.endpoints if b != a),
                        fabric.hosts[a]) for a in scenario.endpoints)
    if lower:
        values.update({"concurrent_flow": lower, "injection": lower * sent,
                       "bandwidth": lower * sent * fabric.unit})
    return values


def check_metrics(place, said, values, findings):
    """What the report says of a scenario against what was recomputed."""
    said = dict(said)
    said.pop("disjoint_trees", None)
    if "concurrent_flow" in said:
        said["concurrent_flow"], said["upper end of concurrent_flow"] = said["concurrent_flow"]
    for name, number in said.items():
        nothing = [] if isinstance(number, list) else None
        compare(findings, place, name, number, values.get(name, nothing))


def check_worst(report, measured, findings):
    """The worst value of every metric over all faults, and the first fault that has it."""
    for name, said in report["worst"].items():
        found = {fault: measured[fault].get(name) for fault in report["scenarios"]}
        if name != "disjoint_trees" and None not in found.values():
            fault = (min if name in LESS_IS_WORSE else max)(found, key=found.get)
            compare(findings, "report.json, worst", name, said["value"], found[fault])
            compare(findings, "report.json, worst", f"fault of {name}", said["scenario"], fault)


def check_directory(directory, findings):
    """Check one built directory, and say how much there was to check."""
    fabric = Fabric(directory, findings)
    report, manifest, certificates = (read_json(directory / f"{name}.json")
                                      for name in ("report", "manifest", "certificates"))
    if fabric.is_pod:
        check_pod_wiring(fabric, read_json(directory / "ocs.json")["ocs"], findings)
    scenarios, tables = list_scenarios(fabric), {}
    for path in sorted(directory.glob("tables/*")):
        if path.suffix != ".json":
            raise ValueError("tables/*.bin is not read; build with --tables json")
        table = read_json(path)
        tables[table["scenario"]] = {**table, "place": f"tables/{path.name}"}
    routing = [words[2] for words, _ in fabric.spec.find("routing")]
    if tables or routing != ["scheduled"] and "stop_after" not in manifest["options"]:
        check_images(fabric, scenarios, tables, findings)
    compiled = [name for name in scenarios if name in tables or name == "nominal"]
    by_name = {item["scenario"]: item for item in certificates["scenarios"]}
    if list(by_name) != compiled or list(report["scenarios"]) != compiled[1:]:
        raise ValueError("tables, certificates and report have not the same scenarios")
    budget = {**fabric.spec.settings("chip" if fabric.is_pod else "router"),
              **fabric.spec.settings("budget")}
    measured = {}
    for name in compiled:
        table, certificate = tables.get(name), by_name[name]
        flow = certificates.get("flow") if name == "nominal" else certificate.get("flow")
        values = measure_scenario(fabric, scenarios[name], certificate, table, flow, findings)
        measured[name] = values
        if table and table["vcs"] > int(budget["vcs"][0]):
            findings.append(f"{table['place']}: it uses more VCs than the budget has")
        if values.get("entries_max", 0) > int(budget.get("table_entries", ["1" * 12])[0]):
            findings.append(f"{table['place']}: a router has more entries than it may")
        if name != "nominal":
            check_metrics(f"report.json, scenario {name}", report["scenarios"][name], values,
                          findings)
    bounds = {name: report["bounds"][name] for name in ("distance", "load")}
    for said in (report["metrics"], bounds, report["histograms"], report["tables"]):
        check_metrics("report.json", said, measured["nominal"], findings)
    check_worst(report, measured, findings)
    routes = sum(sum(values.get("route_hops", [])) for values in measured.values())
    return f"{fabric.size} routers, {len(measured)} scenarios, {routes} routes walked"


def main(arguments):
    paths = [Path(argument) for argument in arguments if argument != "--quiet"]
    if not paths or any(str(path).startswith("-") for path in paths):
        print(__doc__.split("\n\n")[1].strip(), file=sys.stderr)
        return 2
    codes = [0]
    for path in paths:
        beyond = [name for name in BEYOND if (path / name).exists()]
        directories = [path]
        if (path / "placement.json").exists():  # a pod in slices: each kind has a directory
            beyond, directories = ["placement.json, ocs.json"], sorted((path / "slices").iterdir())
        for directory in directories:
            findings, code = [], 0
            try:
                summary = check_directory(directory, findings)
            except (OSError, KeyError, IndexError, TypeError, ValueError) as error:
                summary, code = f"cannot be read: {type(error).__name__}: {error}", 2
            for sentence in findings[:SHOWN]:
                print(f"{directory}: {sentence}")
            if len(findings) > SHOWN:
                print(f"{directory}: and {len(findings) - SHOWN} more")
            codes.append(1 if findings else code)
            if codes[-1] or "--quiet" not in arguments:
                verdict = ("agrees", "CONVICTED", "NOT READ")[codes[-1]]
                print(f"{directory}: {verdict} ({summary})")
        if beyond and "--quiet" not in arguments:
            print(f"{path}: not checked: {', '.join(beyond)}")
    return 1 if 1 in codes else max(codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
