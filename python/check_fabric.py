#!/usr/bin/env python3
"""A second checker of built directories. It shares no code with fabc.

    python3 check_fabric.py [--quiet] DIRECTORY..

It is written from docs/artifacts.md and needs nothing but Python 3.9. It believes `spec.fab` (what
was asked for) and `topology.json` (what was built). The rest is recomputed and compared:

 1. Wiring. Every link has two ports of its own. In a pod copper is the mesh of every cube, and
    fibers are the cross-connects of `ocs.json`, no more and no fewer.
 2. Symmetry. Every generator keeps links, ports, hosts and demand, so a sum over one router of an
    orbit counts for all. Tables are expanded to all routers, and all routes are walked.
 3. Scenarios. The budget of the spec says which faults there are. Each is compiled, or it is the
    image of a compiled one under a symmetry that carries the broken part along.
 4. Delivery. Every ordered pair of living endpoints is walked through the tables of every
    scenario. Convicted are routes that stop or go round, and entries that name a dark channel.
 5. Deadlock. The walked routes make the dependency graph over buffers (a channel and a VC). It has
    no cycle, so some packet can always move. The listed ranks must rise along every route, too.
 6. Metrics. Loads, hops, latencies, VCs and entries are counted on the walked routes, distances on
    the topology. Exact fractions are compared with all digits that are printed.
 7. Concurrent flow. Lower end: the listed flow is conserved at every router, and channels carry no
    more than it says; or the routes carry 1 / `max_channel_load`. Upper end, for any lengths of
    channels: what fits uses the length of all channels at most, and its shortest paths at least.

Not checked: the family of a topology; trees, bisection, the universal bound, `network`, `gain`,
`floor` and `requires` of the report; hashes, pages, and what the lines `not checked` name.
Exit code 0: all agrees. 1: convictions, in one sentence each. 2: usage, or an unreadable directory.
"""

import json
import math
import re
import sys
from collections import Counter
from fractions import Fraction
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from itertools import combinations, product
from pathlib import Path

SHOWN = 20  # convictions of a directory that are printed
METRICS = ("diameter", "average_hops", "concurrent_flow", "injection", "bandwidth", "hops_ratio",
           "max_channel_load", "load_ratio", "vc_balance", "latency", "latency_max")
OF_MANY_PATHS = ("permutation", "collision", "collision_worst")
MOST_FLOWS = 512  # of a group whose collisions are counted
OF_FAULTS = ("distance", "load", "mean_channel_load", "mean_route_hops")
LESS_IS_WORSE = ("concurrent_flow", "injection", "bandwidth")
ROUNDED = {"concurrent_flow": (math.floor, math.ceil), "injection": (math.floor,),
           "bandwidth": (math.floor,), "distance": (math.ceil,)}  # to nine significant digits
BEYOND = "simulations collectives schedule.json schedule.bin formula.json floor.json".split()


def read_json(path):
    value = json.loads(path.read_text(encoding="utf-8"), parse_float=Fraction)
    if not re.fullmatch(r"fabc\.(\w+/1|(topology|tables)/2)", value["format"]):
        raise ValueError(f"{path.name} has the unknown format {value['format']}")
    return value


def compare(findings, place, name, said, value):
    """Convict what is said of `name` if it is not how reports print the value."""
    if not agree(said, value, *ROUNDED.get(name, ())):
        said, value = (json.dumps(number, default=float) for number in (said, value))
        findings.append(f"{place}: {name} is said to be {said}, not {value}")


def agree(said, value, *rounded):
    if isinstance(said, list) and isinstance(value, list):
        return len(said) == len(value) and all(
            agree(said[i], value[i], *rounded[i:]) for i in range(len(said)))
    if said is None or not isinstance(value, Fraction):
        return said == value
    if not rounded:  # six decimals
        return abs(said - value) <= Fraction(1, 2 * 10**6)
    scale = Fraction(1)
    while 0 < value * scale < 10**8:
        scale *= 10
    return said == rounded[0](value * scale) / scale


class Spec:
    """`spec.fab`, the normal form: statements as (words, statements of the block)."""
    def __init__(self, text):
        tokens = iter(re.findall(r'"[^"]*"|[{};]|[^\s{};]+', text))
        def read_block():
            block, words = [], []
            for token in tokens:
                if token == "}":
                    break
                if token not in "{;":
                    words.append(token)
                elif words:
                    block.append((words, read_block() if token == "{" else []))
                    words = []
            return block
        self.statements = read_block()[0][1]
        self.clock = Fraction(next((words[2] for words, _ in self.find("clock")), 1))  # in GHz

    def find(self, words):
        return [statement for statement in self.statements if statement[0][0] in words.split()]

    def settings(self, word):  # of the only block of that word
        return {words[0]: words[2:] for head, block in self.find(word) if len(head) == 1
                for words, _ in block}

    def cycles(self, amount, unit, length=1):
        factor = 1 if unit == "cycles" else {"ns": 1, "m": 5}[unit] * self.clock
        return math.ceil(Fraction(amount) * length * factor)

    def spreading(self):
        """What tables of groups must say of `kind`, `hash` and `flows`."""
        (words, block), = self.find("routing")
        if words[2] != "ecmp":
            return [words[2], None, None]
        settings = {key[0]: key[2] for key, _ in block or []}
        return ["ecmp", settings.get("hash", "flow"), int(settings.get("flows", 1))]

    def most_relays(self):
        """How many GPUs may hand on the packets of a pair."""
        (_, block), = self.find("routing") or [((), ())]
        relays = [dict((key[0], int(key[2])) for key, _ in inner) for words, inner in block
                  if words[0] == "relay"]
        return relays[0].get("most", 1) if relays else 0

    def router_latencies(self, names, tier):
        """By node: the words of its latency. Boxes and kinds of routers have latencies of their own."""
        default, free = ["25", "cycles"], ["0", "cycles"]
        common = self.settings("chip router").get("latency", default)
        kinds = {head[1]: {w[0]: w[2:] for w, _ in block}.get("latency", common)
                 for head, block in self.find("router") if len(head) == 2}
        boxes = {head[1]: block for head, block in self.find("box")}
        placed = [boxes[words[4]] for words, _ in self.find("boxes") for _ in range(int(words[2]))]
        of_tier = {}
        for words, _ in self.find("topology")[0][1] if self.find("topology") else []:
            if words[0] in ("leaf", "spine"):
                of_tier[words[0] == "spine"] = kinds[words[2]]
            elif words[0] == "tiers":
                of_tier = dict(enumerate(kinds[word.strip("[],")] for word in words[2:]))
        latencies = []
        for node, name in enumerate(names):
            inside = re.fullmatch(r"box(\d+)\.(\w+?)(\d*)(\[\d+\])?", name)
            if not (placed and inside):
                latencies.append(of_tier.get(tier[node] - bool(placed), common))
                continue
            block = placed[int(inside[1])]
            if tier[node]:  # a switch inside
                block = next(inner for words, inner in block
                             if words[0] == "switch" and words[1].split("[")[0] == inside[2] + inside[3])
            latencies.append(next((w[2:] for w, _ in block if w[0] == "latency"), free))
        return latencies

    def is_weighted(self):
        """Whether next hops are weighted by capacity."""
        (_, block), = self.find("routing") or [((), [])]
        return ["weights", "=", "capacity"] in [key for key, _ in block or []]

    def root(self):
        """The router at the top of an order of next hops, if there is one."""
        (_, block), = self.find("routing") or [((), [])]
        return next((int(key[2]) for key, _ in block or [] if key[0] == "root"), None)

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
    """Routers and channels: one of each link from end a to b; one back, unless simplex."""
    def __init__(self, directory, findings):
        self.spec = Spec((directory / "spec.fab").read_text(encoding="utf-8"))
        topology = read_json(directory / "topology.json")
        self.is_pod = topology["format"] == "fabc.topology/1"
        nodes, self.links, ports = topology["nodes"], topology["links"], topology["ports"]
        self.size, self.generators = len(nodes), topology["symmetry"]["generators"]
        self.block = topology["symmetry"].get("block") or sum(n["cube"] == 0 for n in nodes)
        self.names = [node.get("name") or "cube{}[{},{},{}]".format(node["cube"], *node["at"])
                      for node in nodes]
        self.port_names = ports if self.is_pod else [f"port{port}" for port in range(ports)]
        self.ports, self.hosts = len(self.port_names), [n.get("hosts", 1) for n in nodes]
        self.endpoints = [node for node in range(self.size) if self.hosts[node]]
        self.ways = 1 if any(link.get("simplex") for link in self.links) else 2  # channels each
        self.join_ports(findings)
        self.read_link_types()
        self.weights = self.read_weights(directory)
        self.is_symmetric_demand = self.weights == [list(row) for row in zip(*self.weights)]
        timed = self.spec.settings("budget").get("faults", "0")[-1] in ("link", "chip", "router")
        self.wires = set(list(zip(self.tail, self.out_port, self.head, self.in_port, self.capacity,
               self.is_global, self.cycles if timed else self.capacity)))
        self.carry_canonical_nodes(findings)

    def join_ports(self, findings):
        self.channels = range(size := self.ways * len(self.links))
        self.tail, self.head, self.out_port, self.in_port = ([-1] * size for _ in range(4))
        self.channel_out, self.channel_in = {}, {}  # by (node, port)
        for channel in self.channels:
            link, backward = divmod(channel, self.ways)
            ends = [self.links[link][end] for end in ("ba" if backward else "ab")]
            for (node, port), used in zip(ends, (self.channel_out, self.channel_in)):
                if (node, port) in used or not (0 <= node < self.size and 0 <= port < self.ports):
                    findings.append(f"topology.json: link {link} has no port {node, port}")
                used[node, port] = channel
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
        router, rates = self.spec.settings("chip" if self.is_pod else "router"), []
        self.cycles, self.is_global = [], []
        latencies = self.spec.router_latencies(self.names, self.find_tiers())
        for number, link in enumerate(self.links):
            kind = declared[link["link"] if not self.is_pod else
                            over[link.get("ocs", "copper").partition("[")[0]]]
            cycles = self.spec.cycles(*kind.get("latency", ("25", "cycles")))
            if "per_metre" in kind:
                cycles += self.spec.cycles(*kind["per_metre"], Fraction(link["length"], 10))
            rates.append(Fraction(kind["bandwidth"][0]))  # in GB/s
            self.cycles += [cycles + self.spec.cycles(*latencies[self.tail[number * self.ways + way]])
                            for way in range(self.ways)]
            self.is_global += [link.get("class") == "global"] * self.ways
        # Links of switches, of the floor and of hosts count for the unit even if no link in use is of them.
        named = list(over.values())[1:] or str(self.spec.find("floor")).split("'")
        named = named + list(router.get("host_link", ()))
        every = rates + [Fraction(declared[n]["bandwidth"][0]) for n in named if n in declared]
        scale = math.lcm(*(rate.denominator for rate in every))
        self.unit = Fraction(math.gcd(*(int(rate * scale) for rate in every)), scale)
        self.capacity = [int(rate / self.unit) for rate in rates for _ in range(self.ways)]
        self.parts = math.lcm(*(int(rate / self.unit) for rate in every))  # loads: 1 / parts each

    def read_weights(self, directory):
        """weights[a][b]: what router a sends to router b. Sets `is_uniform` too."""
        (words, block), = self.spec.find("demand") or [(["demand", "=", "uniform"], [])]
        endpoints, weights = self.endpoints, [[0] * self.size for _ in range(self.size)]
        if "matrix" in words:
            text = (directory / words[3].strip('"')).read_text(encoding="utf-8")
            rows = [[int(weight) for weight in line.split(",")] for line in text.split()]
        else:
            levels = [level for level, _ in block] or [["1"]]  # .. over groups of 16 weight 4;
            groups = [(int(level[level.index("of") + 1]) if "of" in level else len(endpoints),
                       int(level[-1])) for level in levels]
            unit = math.gcd(*(self.hosts[node] for node in endpoints))
            rows = [[sum(weight for n, weight in groups if i // n == k // n)
                     * (self.hosts[a] // unit) * (self.hosts[b] // unit)
                     for k, b in enumerate(endpoints)] for i, a in enumerate(endpoints)]
        for a, row in zip(endpoints, rows):
            for b, weight in zip(endpoints, row):
                weights[a][b] = weight if a != b else 0
        self.is_uniform = len({weights[a][b] for a in endpoints for b in endpoints if a != b}) == 1
        return weights

    def carry(self, image, channel):
        return self.channel_out.get((image[self.tail[channel]], self.out_port[channel]), -1)

    @lru_cache(maxsize=None)
    def is_automorphism(self, image):
        """Whether the permutation of nodes, a tuple, keeps hosts, links, ports and weights."""
        carried = {(image[a], port, image[b], *kind) for a, port, b, *kind in self.wires}
        weights = self.weights if self.is_uniform else [
            [self.weights[a][b] for b in image] for a in image]
        return sorted(image) == list(range(self.size)) and carried == self.wires and \
            self.hosts == [self.hosts[v] for v in image] and self.weights == weights

    def find_tiers(self):
        """By node: its distance from the nearest endpoint, or its place in the order from a root."""
        root = self.spec.root()
        tier, layer = {}, list(self.endpoints) if root is None else [root]
        neighbors = [set() for _ in self.hosts]
        for tail, head in zip(self.tail, self.head):
            neighbors[tail].add(head)
        while layer:
            tier.update(dict.fromkeys(layer, max(tier.values(), default=-1) + 1))
            layer = sorted({n for node in layer for n in neighbors[node]} - set(tier))
        if root is None:
            return tier
        order = sorted(tier, key=lambda node: (tier[node], node))
        return {node: len(order) - 1 - place for place, node in enumerate(order)}

    def shift(self, stages):
        """The images of nodes and channels if the digits in the names of a folded Clos network, and the
        numbers of parallel cables, go up by as much as the stages say; None if that is no symmetry."""
        tier, sides, digits = self.find_tiers(), Counter(), []
        for node, name in enumerate(self.names):  # the digits of high stages stand first
            numbers = [int(number) for number in re.findall(r"\d+", name[name.index("["):])]
            places = [(stage, int(stage < tier[node])) for stage in reversed(range(len(stages)))]
            digits.append(dict(zip(places, numbers)))
            for place, number in digits[-1].items():
                sides[place] = max(sides[place], number + 1)
        by_digits = {(tier[node], *places.values()): node for node, places in enumerate(digits)}
        nodes = [by_digits[(tier[node], *((number + stages[place[0]][place[1]]) % sides[place]
                                          for place, number in places.items()))]
                 for node, places in enumerate(digits)]
        between, channels = {}, {}
        for (tail, _), channel in sorted(self.channel_out.items()):
            between.setdefault((tail, self.head[channel]), []).append(channel)
        for (tail, head), cables in between.items():
            others = between.get((nodes[tail], nodes[head]), [])
            if len(others) != len(cables):
                return None
            by = stages[min(tier[tail], tier[head])][2]
            for number, channel in enumerate(cables):
                channels[channel] = others[(number + by) % len(others)]
        keeps = all(self.capacity[a] == self.capacity[b] and self.cycles[a] == self.cycles[b]
                    for a, b in channels.items())
        weights = self.is_uniform or self.weights == [[self.weights[a][b] for b in nodes] for a in nodes]
        hosts = self.hosts == [self.hosts[node] for node in nodes]
        return (nodes, channels) if keeps and weights and hosts else None

    def carry_canonical_nodes(self, findings):
        """The class of every node, and the element that brings the canonical node there."""
        if not all(self.is_automorphism(tuple(generator)) for generator in self.generators):
            findings.append("topology.json: a generator of the symmetry is no automorphism")
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
                    findings.append(f"topology.json: the group fixes node {first}, but not all")

    def list_faults(self):
        """What is dark and what is dead without a fault, and for every fault of the budget."""
        count, kind = (self.spec.settings("budget").get("faults", []) + ["0", ""])[:2]
        faults = [("nominal", (), ())]  # name, links, routers
        if kind == "ocs":
            faults += [("+".join(names), {k for k, link in enumerate(self.links)
                                          if link.get("ocs") in names}, ())
                       for number in range(1, int(count) + 1)
                       for names in combinations(self.spec.switches(), number)]
        elif kind == "link":
            faults += [(self.name_port(*link["a"]), (k,), ()) for k, link in enumerate(self.links)]
        elif kind in ("chip", "router"):
            faults += [(name, (), (node,)) for node, name in enumerate(self.names)]
        return {name: ({c for c in self.channels if c // self.ways in links or self.tail[c] in dead
                        or self.head[c] in dead}, set(dead)) for name, links, dead in faults}

    def name_port(self, node, port):
        return f"{self.names[node]}.{self.port_names[port]}"

    def name_buffer(self, buffer, vcs):
        channel, vc = divmod(buffer, vcs)
        return f"{self.name_port(self.tail[channel], self.out_port[channel])} VC {vc}"


def check_pod_wiring(fabric, switches, findings):
    """Copper is the mesh of every cube; fibers are the cross-connects of the switches."""
    sides = [int(word) for word in fabric.spec.find("cube")[0][1][0][0] if word.isdigit()]
    cubes = int(fabric.spec.find("cubes")[0][0][2])
    places = [place[::-1] for place in product(*(range(side) for side in sides[::-1]))] * cubes
    cube = [f"cube{node * cubes // len(places)}" for node in range(len(places))]
    names = ["{}[{},{},{}]".format(cube[node], *place) for node, place in enumerate(places)]
    if names != fabric.names or fabric.spec.switches() != [ocs["name"] for ocs in switches]:
        findings.append("topology.json: chips or switches are not those of the spec")
        return
    wanted, faces, ports = [], {}, []
    for node, place in enumerate(places):
        for axis in range(3):
            face = "{}[{},{}]".format("xyz"[axis], *place[:axis], *place[axis + 1:])
            if place[axis] == 0:
                faces[f"{cube[node]}.-{face}"] = (node, 2 * axis + 1)
            if place[axis] == sides[axis] - 1:
                faces[f"{cube[node]}.+{face}"] = (node, 2 * axis)
            else:
                above = node + math.prod(sides[:axis])
                wanted.append(((node, 2 * axis), (above, 2 * axis + 1), "copper"))
    for ocs in switches:
        a, b = ([faces[face] for face in ocs[side]] for side in ("a", "b"))
        ports += a + b
        wanted += [(*sorted((a[i], (b or a)[k])), ocs["name"]) for i, k in ocs["cross_connects"]]
    found = {(tuple(k["a"]), tuple(k["b"]), k.get("ocs", "copper")) for k in fabric.links}
    for a, b, over in sorted(found ^ set(wanted)):
        findings.append("topology.json: this link is in topology.json alone, or not in it: "
                        f"{fabric.name_port(*a)} to {fabric.name_port(*b)} by {over}")
    if len(set(wanted + ports)) < len(wanted + ports):
        findings.append("ocs.json: a cross-connect or a port is listed twice")


class Scenario:
    """The fabric without some channels and routers. `copies`: for how many a source stands."""
    def __init__(self, fabric, name, dark, dead):
        self.name, self.dead = name, dead
        self.lit = [channel for channel in fabric.channels if channel not in dark]
        self.endpoints = [node for node in fabric.endpoints if node not in dead]
        self.is_symmetric = all(fabric.carry(generator, channel) in dark
                                for generator in fabric.generators for channel in dark)
        orbits = Counter(fabric.canonical[c] for c in fabric.node_class)
        self.copies = {node: orbits[node] if self.is_symmetric else 1 for node in self.endpoints
                       if node in orbits or not self.is_symmetric}


def check_images(fabric, faults, tables, findings):
    """Every scenario has tables or is the image of one that has, and only one."""
    served = Counter(list(tables))
    for name, table in tables.items():
        for image in table.get("images", []):
            served[image["scenario"]] += 1
            (dark, dead), other = faults.get(name, (set(), set())), faults.get(image["scenario"])
            if "shift" in image:
                carried = fabric.shift(image["shift"])
            else:
                nodes = tuple(cube * fabric.block + k
                              for cube in image["cubes"] for k in range(fabric.block))
                carried = fabric.is_automorphism(nodes) and (
                    nodes, {c: fabric.carry(nodes, c) for c in dark})
            if not carried or other != (
                    {carried[1][c] for c in dark}, {carried[0][node] for node in dead}):
                findings.append(f"{table['place']}: {image['scenario']} is no such image of {name}")
    for name in sorted(set(served) | set(faults)):
        compare(findings, "tables", f"tables for {name}", served[name], int(name in faults))


def expand_tables(fabric, scenario, table, findings):
    """For every destination the next buffer (channel * vcs + vc) by the buffer that a packet is in
    (-1 - r if router r injects it), or by router, and the number of entries of every router."""
    vcs, by_input = table["vcs"], "in_port" in table["key"]
    listed = {router["node"]: router["entries"] for router in table["routers"]}
    owners = fabric.canonical if table["canonical"] else list(range(fabric.size))
    if sorted(router["node"] for router in table["routers"]) != owners:
        findings.append(f"{table['place']}: the routers are not those that must be listed")
    steps, counts, lit = [{} for _ in fabric.hosts], [], set(scenario.lit)
    width = len(table["key"]) + (1 if "vc" in table else 2)
    for node in range(fabric.size):
        owner = fabric.canonical[fabric.node_class[node]] if table["canonical"] else node
        image = fabric.element[node] if table["canonical"] else range(fabric.size)
        counts.append(len(listed.get(owner, [])))
        for entry in listed.get(owner, []):
            target, *rest = entry if by_input else (entry[0], -1, -1, *entry[1:], 0)
            target, (in_port, in_vc, out_port, out_vc) = image[target], rest[:4]
            channel, key = fabric.channel_out.get((node, out_port)), -1 - node
            if in_port != -1 or in_vc != -1:
                key = fabric.channel_in.get((node, in_port), -1) * vcs + in_vc
            if channel not in lit or target in scenario.dead or len(entry) != width or not (
                    0 <= out_vc < vcs > in_vc >= -1 and in_port >= in_vc // vcs) or \
                    key in steps[target]:
                findings.append(f"{table['place']}: {fabric.names[node]} cannot have {entry}")
            else:
                steps[target][key if by_input else node] = channel * vcs + out_vc
    return steps, counts


class Traffic:
    """What all routes of a scenario put on buffers; `arrives` is False if a route does not."""
    def __init__(self, fabric, scenario, table, findings):
        steps, self.entries = expand_tables(fabric, scenario, table, findings)
        vcs, by_input, rule = table["vcs"], "in_port" in table["key"], table.get("vc")
        channel_of = [c for c in range(len(fabric.tail)) for _ in range(vcs)]
        head, cycles = ([of[c] for c in channel_of] for of in (fabric.head, fabric.cycles))
        climb = [rule == "hop" or rule == "global" and fabric.is_global[c] for c in channel_of]
        self.load, self.crossings = [0] * len(head), [0] * len(head)  # by weight, and each once
        self.route_hops, self.dependencies, self.most_cycles = Counter(), set(), 0
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
                    findings.append(f"{table['place']}: {fabric.names[source]} does not reach "
                                    f"{fabric.names[target]} after {len(route)} hops")
                elif route:
                    weight = fabric.weights[source][target]
                    for buffer in route:
                        self.load[buffer] += weight
                        self.crossings[buffer] += 1
                    self.route_hops[len(route)] += 1
                    self.dependencies.update(zip(route, route[1:]))
                    self.most_cycles = max(self.most_cycles, sum(cycles[b] for b in route))


class Sprayed:
    """The same where every packet takes any port of a group: loads are expectations, as fractions."""
    def __init__(self, fabric, scenario, table, findings):
        self.fabric, self.place = fabric, table["place"]
        self.entries = [len(router["entries"]) for router in table["routers"]]
        compare(findings, self.place, "kind", [table.get(key) for key in ("kind", "hash", "flows")],
                fabric.spec.spreading())
        self.load, self.crossings = ([Fraction(0)] * len(fabric.tail) for _ in range(2))
        self.route_hops, self.dependencies, self.most_cycles = Counter(), set(), 0
        self.arrives, self.shares = True, {}  # shares[source, target]: a fraction by channel
        self.lengths = {}  # by pair that is no relayed one: hops, and cycles of the slowest path
        relays = {(source, target): relay for source, target, relay in table.get("relays", [])}
        if [list(pair) + [relays[pair]] for pair in sorted(relays)] != table.get("relays", []):
            findings.append(f"{self.place}: relays are not listed by source and destination")
        self.hashed = set()  # (flows, members): groups that lead up, and what is sure to come to them
        self.outgoing = [[] for _ in fabric.hosts]
        for channel in scenario.lit:
            self.outgoing[fabric.tail[channel]].append(channel)
        self.tier = fabric.find_tiers()
        if [router["node"] for router in table["routers"]] != list(range(fabric.size)):
            findings.append(f"{self.place}: not all routers are listed")
        for target in scenario.endpoints:
            hops, group = self.find_groups(target)
            self.count_flows(scenario, target, group)
            parts = self.find_parts(target, hops, group)
            for router in table["routers"]:
                numbers = [number for first, last, number in router["entries"] if first <= target <= last]
                ports = [table["groups"][number] for number in numbers]
                wanted = [fabric.out_port[c] for c in group.get(router["node"], [])]
                for number in numbers:
                    weights = table.get("weights", {number: []})[number] or [1] * len(wanted)
                    listed = [Fraction(weight, sum(weights)) for weight in weights]
                    if wanted and listed != parts[router["node"]]:
                        name = fabric.names[router["node"]]
                        findings.append(f"{self.place}: {name} divides packets for {target} by {weights}")
                if ports != [wanted] * bool(wanted):
                    name = fabric.names[router["node"]]
                    findings.append(f"{self.place}: {name} has {ports} for {target}, not {wanted}")
            for source in set(scenario.endpoints) - {target}:
                if (source in hops) == ((source, target) in relays):
                    findings.append(f"{self.place}: a relay from {source} to {target}: "
                                    f"{relays.get((source, target))}")
                if source not in hops and (source, target) in relays:
                    continue
                if source not in hops:
                    self.arrives = False
                    findings.append(f"{self.place}: no way up and down from {source} to {target}")
                    continue
                self.route_hops[hops[source]] += 1
                self.follow(source, target, hops, group, parts)

        for pair in relays:
            self.relay(pair, relays, findings)

    def relay(self, pair, relays, findings):
        """Count the legs of a relayed route."""
        (here, target), legs = pair, []
        while (here, target) in relays and len(legs) <= self.fabric.spec.most_relays():
            legs.append((here, relays[here, target]))
            here = relays[here, target]
        legs.append((here, target))
        if len(legs) > self.fabric.spec.most_relays() + 1 or not all(leg in self.lengths for leg in legs):
            findings.append(f"{self.place}: relays lead from {pair[0]} to {target} by {legs}")
            self.arrives = False
            return
        shares = self.shares[pair] = Counter()
        for leg in legs:
            for channel, share in self.shares[leg].items():
                shares[channel] += share
                self.load[channel] += self.fabric.weights[pair[0]][target] * share
                self.crossings[channel] += share
        self.route_hops[sum(self.lengths[leg][0] for leg in legs)] += 1
        self.most_cycles = max(self.most_cycles, sum(self.lengths[leg][1] for leg in legs))

    def find_groups(self, target):
        """By router: hops of the shortest ways up and then down, and the channels that begin one."""
        fabric, tier, hops = self.fabric, self.tier, {target: 0}
        down = {target: []}
        for node in sorted(tier, key=tier.get):  # who can go down at all
            ways = [c for c in self.outgoing[node]
                    if tier[fabric.head[c]] < tier[node] and fabric.head[c] in down]
            if ways and node != target:
                hops[node] = 1 + min(hops[fabric.head[c]] for c in ways)
                down[node] = [c for c in ways if hops[fabric.head[c]] == hops[node] - 1]
        group = dict(down)
        for node in fabric.endpoints:  # a link between two of them is a way of its own
            ways = [c for c in self.outgoing[node] if fabric.head[c] == target]
            if ways and not tier[target] and node not in down:
                group[node], hops[node] = ways, 1
        for node in sorted(set(tier) - set(group), key=tier.get, reverse=True):
            ways = [c for c in self.outgoing[node]
                    if tier[fabric.head[c]] > tier[node] and fabric.head[c] in hops]
            if ways:
                hops[node] = 1 + min(hops[fabric.head[c]] for c in ways)
                group[node] = [c for c in ways if hops[fabric.head[c]] == hops[node] - 1]
            if ways and not tier[node]:  # those inside a box come first
                group[node] = [c for c in group[node] if not fabric.is_global[c]] or group[node]
        return hops, {node: sorted(ways, key=lambda c: fabric.out_port[c])
                      for node, ways in group.items() if ways}

    def find_parts(self, target, hops, group):
        """By router: which part of the packets each channel of its group takes."""
        fabric, entering, carried = self.fabric, Counter(), {target: math.inf}
        if not fabric.spec.is_weighted():
            return {node: [Fraction(1, len(ways))] * len(ways) for node, ways in group.items()}
        for channel in (channel for ways in group.values() for channel in ways):
            entering[fabric.head[channel]] += fabric.capacity[channel]
        for node in sorted(group, key=hops.get):
            carried[node] = sum(min(fabric.capacity[c], carried[fabric.head[c]]) for c in group[node])
        def carries(channel):
            head = fabric.head[channel]
            if carried[head] >= entering[head]:
                return Fraction(fabric.capacity[channel])
            return Fraction(fabric.capacity[channel] * carried[head], entering[head])
        weights = {node: [carries(channel) for channel in ways] for node, ways in group.items()}
        return {node: [weight / sum(own) for weight in own] for node, own in weights.items()}

    def count_flows(self, scenario, target, group):
        fabric, coming = self.fabric, Counter()
        for node in set(scenario.endpoints) - {target}:
            uneven = fabric.spec.is_weighted() or fabric.spec.root() is not None
            flows = 0 if uneven else fabric.spec.spreading()[2] or 0
            coming[node] = fabric.hosts[node] * flows
        for node in sorted(self.tier, key=self.tier.get):
            heads = [fabric.head[channel] for channel in group.get(node, ())]
            if coming[node] and heads and self.tier[heads[0]] > self.tier[node]:
                self.hashed.add((coming[node], len(heads)))
                if len(set(heads)) == 1:
                    coming[heads[0]] += coming[node]

    def collisions(self):
        """Of flows that a hash spreads over groups: the largest of both metrics, by name."""
        values = {"collision_worst": max(Fraction(flows, -(-flows // members))
                                         for flows, members in self.hashed)}
        if max(self.hashed)[0] <= MOST_FLOWS:
            values["collision"] = max(expected_fullest(*group) for group in self.hashed)
        return values

    def follow(self, source, target, hops, group, parts):
        fabric, weight = self.fabric, self.fabric.weights[source][target]
        part, layer, slowest = {source: Fraction(1)}, [source], {source: 0}
        shares = self.shares[source, target] = {}
        while layer != [target]:
            after = []
            for node in layer:
                for channel, own in zip(group[node], parts[node]):
                    head, share = fabric.head[channel], part[node] * own
                    shares[channel] = share
                    self.load[channel] += weight * share
                    self.crossings[channel] += share
                    self.dependencies.update((channel, then) for then in group.get(head, ()))
                    after += [head] * (head not in part)
                    part[head] = part.get(head, 0) + share
                    slowest[head] = max(slowest.get(head, 0), slowest[node] + fabric.cycles[channel])
            layer = after
        self.most_cycles = max(self.most_cycles, slowest[target])
        self.lengths[source, target] = hops[source], slowest[target]

    def check_permutation(self, scenario, claim, findings):
        """The load of a channel under the worst permutation of hosts, as the certificate proves it."""
        fabric, place = self.fabric, f"certificates.json, permutation of {scenario.name}"
        def full(channel):
            return Fraction(1, fabric.capacity[channel])
        channel = fabric.channel_out.get((claim["router"], claim["port"]))
        sent, received, value = Counter(), Counter(), 0
        for source, target, count in claim["flows"]:
            sent[source] += count
            received[target] += count
            value += count * self.shares[source, target].get(channel, 0) * full(channel)
        for node, count in [*sent.items(), *received.items()]:
            if count > fabric.hosts[node]:
                findings.append(f"{place}: {fabric.names[node]} has more flows than hosts")
        compare(findings, place, "value", Fraction(claim["load"], claim["parts"]), value)
        prices = {fabric.channel_out[dual["router"], dual["port"]]: dual for dual in claim["duals"]}
        most = [Counter(), Counter()]  # by channel and end: the largest share
        for pair, shares in self.shares.items():
            for channel, share in shares.items():
                for end in range(2):
                    most[end][channel, pair[end]] = max(most[end][channel, pair[end]], share)
                if channel in prices:
                    dual, at = prices[channel], [scenario.endpoints.index(node) for node in pair]
                    priced = dual["sources"][at[0]] + dual["destinations"][at[1]]
                    if Fraction(priced, dual["denominator"]) < share * full(channel):
                        findings.append(f"{place}: prices of {channel} are below a share")
        bounds = [Counter(), Counter()]
        for end in range(2):
            for (channel, node), share in most[end].items():
                bounds[end][channel] += fabric.hosts[node] * share * full(channel)
        for channel in scenario.lit:
            bound = min(bounds[0][channel], bounds[1][channel])
            if channel in prices:
                dual = prices[channel]
                bound = sum(fabric.hosts[node] * Fraction(a + b, dual["denominator"]) for node, a, b
                            in zip(scenario.endpoints, dual["sources"], dual["destinations"]))
            if bound > value:
                findings.append(f"{place}: {channel} may carry {bound}")
        return value


@lru_cache(maxsize=None)
def expected_fullest(flows, members):
    """Flows on the fullest of some members over the mean, if each flow takes any, to 12 decimals."""
    def times(one, two):  # [k]: ways for k flows on the members of both
        return [sum(math.comb(k, i) * one[i] * two[k - i] for i in range(k + 1))
                for k in range(flows + 1)]
    exceeding = 0  # ways in which the fullest member has more than so many, over all numbers
    for most in range(flows):
        ways, power = [1] + [0] * flows, [int(k <= most) for k in range(flows + 1)]
        for digit in bin(members)[2:]:
            ways = times(ways, ways)
            if digit == "1":
                ways = times(ways, power)
        exceeding += members ** flows - ways[flows]
    mean = Fraction(exceeding * members, members ** flows * flows)
    return Fraction(math.ceil(mean * 10 ** 12), 10 ** 12)


def check_deadlock(fabric, traffic, certificate, table, findings):
    """No cycle of dependencies, and ranks that rise along every one."""
    vcs, place = table["vcs"], f"certificates.json, scenario {table['scenario']}"
    sorter = TopologicalSorter()
    for first, second in traffic.dependencies:
        sorter.add(second, first)
    try:
        sorter.prepare()
    except CycleError as error:
        cycle = ", ".join(fabric.name_buffer(b, vcs) for b in error.args[1][1:])
        findings.append(f"{table['place']}: these wait for each other in a cycle: {cycle}")
    ranks = certificate["ranks"]
    if "groups" in table:
        compare(findings, place, "ranks", [certificate["canonical"], ranks], [False, []])
        return
    classes = fabric.node_class if table["canonical"] else range(fabric.size)
    if certificate["canonical"] != table["canonical"] or \
            len(ranks) != (max(classes) + 1) * fabric.ports * vcs:
        findings.append(f"{place}: the ranks do not fit the tables")
        return
    rank = [ranks[(classes[node] * fabric.ports + port) * vcs + vc] if node >= 0 else 0
            for node, port in zip(fabric.tail, fabric.out_port) for vc in range(vcs)]
    for pair in traffic.dependencies:
        if rank[pair[0]] >= rank[pair[1]]:
            first, second = (f"{fabric.name_buffer(b, vcs)} (rank {rank[b]})" for b in pair)
            findings.append(f"{place}: no rise from {first} to {second}")


def sum_distances(fabric, scenario, lengths):
    """Ordered pairs by shortest length, and the sum of these lengths times weights."""
    outgoing, pairs, weighted = [[] for _ in fabric.hosts], Counter(), 0
    for channel in scenario.lit:
        outgoing[fabric.tail[channel]].append((fabric.head[channel], lengths[channel]))
    for source, copies in scenario.copies.items():
        shortest, reached = [None] * fabric.size, {0: [source]}
        while reached:  # Dijkstra's algorithm, with all routers of one distance in a bucket
            distance = min(reached)
            for node in reached.pop(distance):
                if shortest[node] is None:
                    shortest[node] = distance
                    for neighbor, length in outgoing[node]:
                        if shortest[neighbor] is None:
                            reached.setdefault(distance + length, []).append(neighbor)
        for target in scenario.endpoints:
            if target != source:
                pairs[shortest[target]] += copies
                weighted += copies * fabric.weights[source][target] * shortest[target]
    return pairs, weighted


def check_flow(fabric, scenario, flow, findings):
    """The lower end of the concurrent flow that a listed flow proves."""
    place, total = f"certificates.json, flow of {scenario.name}", [0] * len(fabric.tail)
    demand, lit = flow["demand"], set(scenario.lit)
    flows = {item["source"]: [(channel, units) for channel, units in enumerate(item["units"])
                              if units] for item in flow["flows"]}
    if list(flows) != list(scenario.copies) or len(flows) != len(flow["flows"]) or any(
            channel not in lit or units < 0 for used in flows.values() for channel, units in used):
        findings.append(f"{place}: it has not the canonical sources, or uses dark channels")
        return 0
    for source, used in flows.items():
        balance = [0] * fabric.size  # what comes in less what goes out
        for channel, units in used:
            balance[fabric.tail[channel]] -= units
            balance[fabric.head[channel]] += units
        for node in set(range(fabric.size)) - {source}:
            wanted = demand * fabric.weights[source][node] * (node not in scenario.dead)
            compare(findings, place, f"{source} to {node}, units", balance[node], wanted)
        images = [range(fabric.size)] if not scenario.is_symmetric else [
            element for element, node_class in zip(fabric.element, fabric.node_class)
            if node_class == fabric.node_class[source]]
        for image in images:
            for channel, units in used:
                total[fabric.carry(image, channel)] += units
    ways = 1
    if fabric.is_symmetric_demand and fabric.ways == 2:  # the flow counts reversed as well
        ways, total = 2, [total[channel] + total[channel ^ 1] for channel in fabric.channels]
    busiest = max(total[c] * fabric.parts // fabric.capacity[c] for c in scenario.lit)
    compare(findings, place, "busiest", flow["busiest"], busiest)
    return Fraction(ways * demand * fabric.parts, busiest)


def measure(fabric, scenario, certificate, table, flow, findings):
    """What the report must say of one scenario, by name; None if a route does not arrive."""
    pairs, demanded = sum_distances(fabric, scenario, [1] * len(fabric.tail))
    listed, count = certificate["lengths"], sum(pairs.values())
    by_class = len(listed) == len(fabric.canonical) * fabric.ports
    if min(listed) < 0 or not by_class and len(listed) != fabric.size * fabric.ports:
        raise ValueError(f"certificates.json, scenario {scenario.name}: these are no lengths")
    classes = fabric.node_class if by_class else range(fabric.size)
    lengths = [listed[classes[node] * fabric.ports + port]
               for node, port in zip(fabric.tail, fabric.out_port)]
    volume = sum(lengths[c] * fabric.capacity[c] for c in scenario.lit)
    # A fault may leave nobody who sends: rates and their bounds are null then.
    upper = Fraction(volume, sum_distances(fabric, scenario, lengths)[1]) if demanded else None
    values = {"nodes": fabric.size, "diameter": max(pairs),
        "hops": [pairs[d] for d in range(max(pairs) + 1)],
        "average_hops": Fraction(sum(hops * n for hops, n in pairs.items()), count),
        "distance": upper and Fraction(sum(fabric.capacity[c] for c in scenario.lit), demanded),
        "load": (upper or 0) and Fraction(math.ceil(fabric.parts / upper), fabric.parts)}
    lower = check_flow(fabric, scenario, flow, findings) if flow else 0
    if table:
        kind = Sprayed if "groups" in table else Traffic
        traffic = kind(fabric, scenario, table, findings)
        if not traffic.arrives:
            return None
        check_deadlock(fabric, traffic, certificate, table, findings)
        vcs, crossings, routes = table["vcs"], traffic.crossings, traffic.route_hops
        loads = [Fraction(sum(traffic.load[c * vcs:(c + 1) * vcs]), fabric.capacity[c])
                 for c in scenario.lit]
        vc_hops, most = [sum(crossings[vc::vcs]) for vc in range(vcs)], max(loads)
        cycles = sum(n * fabric.cycles[buffer // vcs] for buffer, n in enumerate(crossings))
        if kind is Sprayed:  # loads are counted in the largest shares that are whole
            shares = math.lcm(*((load * fabric.parts).denominator for load in loads),
                              Fraction(cycles).denominator)
            parts = fabric.parts * shares
            values["load"] = (upper or 0) and Fraction(math.ceil(parts / upper), parts)
            if "permutation" in certificate:
                values["permutation"] = traffic.check_permutation(
                    scenario, certificate["permutation"], findings)
            values.update(traffic.collisions() if traffic.hashed else {})
        lower = max(lower, 1 / most if upper else 0)
        values.update({"max_channel_load": most, "load_ratio": upper and most * upper,
            "mean_channel_load": sum(loads) / len(loads),
            "mean_route_hops": Fraction(sum(vc_hops), count),
            "hops_ratio": sum(vc_hops) / values["average_hops"] / count,
            "vc_balance": Fraction(max(vc_hops), sum(vc_hops)), "vc_hops": vc_hops,
            "latency": cycles / fabric.spec.clock / count,
            "latency_max": traffic.most_cycles / fabric.spec.clock,
            "route_hops": [routes[d] for d in range(max(routes) + 1)],
            "channel_load": [list(item) for item in sorted(Counter(loads).items())],
            "entries_max": max(traffic.entries), "canonical": table.get("canonical", False),
            "entries_mean": Fraction(sum(traffic.entries), fabric.size)})
    if lower:
        host_sends = max(Fraction(sum(fabric.weights[a][b] for b in scenario.endpoints),
                                  fabric.hosts[a]) for a in scenario.endpoints)
        values.update({"concurrent_flow": [lower, upper], "injection": lower * host_sends,
                       "bandwidth": lower * host_sends * fabric.unit})
    return values


def check_worst(report, measured, findings):
    """The worst value of every metric over all faults, and the first fault that has it."""
    names = METRICS + tuple(name for name in OF_MANY_PATHS
                            if any(name in (of or {}) for of in measured.values()))
    for name in names if report["scenarios"] and None not in measured.values() else ():
        found = {fault: measured[fault].get(name) for fault in report["scenarios"]}
        found = {fault: value[0] if name == "concurrent_flow" else value
                 for fault, value in found.items() if value is not None}
        fault = (min if name in LESS_IS_WORSE else max)(found, key=found.get, default=None)
        said = report["worst"].get(name, {"value": None, "scenario": None})
        compare(findings, "report.json, worst", name, said["value"], found.get(fault))
        compare(findings, "report.json, worst", f"fault of {name}", said["scenario"], fault)


def check_directory(directory, findings):
    """Check one built directory, and say how much there was to check."""
    fabric = Fabric(directory, findings)
    report, certificates, manifest = (read_json(directory / f"{name}.json") for name in (
        "report", "certificates", "manifest"))
    if fabric.is_pod:
        check_pod_wiring(fabric, read_json(directory / "ocs.json")["ocs"], findings)
    faults, tables = fabric.list_faults(), {}
    for path in sorted(directory.glob("tables/*")):
        if path.suffix != ".json":
            raise ValueError("binary tables are not read; build with --tables-form json")
        table = {**read_json(path), "place": f"tables/{path.name}"}
        if tables.setdefault(table["scenario"], table) is not table:
            findings.append(f"{table['place']}: {table['scenario']} has other tables as well")
    routing = [words[2] for words, _ in fabric.spec.find("routing")]
    if tables or routing != ["scheduled"] and "stop_after" not in manifest["options"]:
        check_images(fabric, faults, tables, findings)
    compiled = [name for name in faults if name in tables or name == "nominal"]
    by_name = {item["scenario"]: item for item in certificates["scenarios"]}
    if list(by_name) != compiled or list(report["scenarios"]) != compiled[1:]:
        findings.append("report.json: its scenarios are not those of tables and certificates")
        return "the rest was not checked"
    measured, budget = {}, {"vcs": ["1"], **fabric.spec.settings("chip" if fabric.is_pod else "router"),
                            "table_entries": ["1000000000"], **fabric.spec.settings("budget")}
    for name in compiled:
        table, certificate = tables.get(name), by_name[name]
        flow = certificates.get("flow") if name == "nominal" else certificate.get("flow")
        scenario = Scenario(fabric, name, *faults[name])
        values = measured[name] = measure(fabric, scenario, certificate, table, flow, findings)
        if table and values and (table["vcs"] > int(budget["vcs"][0]) or
                                 values["entries_max"] > int(budget["table_entries"][0])):
            findings.append(f"{table['place']}: more VCs or entries than the budget has")
        sections = [(METRICS + OF_FAULTS, report["scenarios"][name])] if name != "nominal" else [
            (METRICS, report["metrics"]), (OF_FAULTS[:2], report["bounds"]), (["nodes"], report),
            *((report[word], report[word]) for word in ("histograms", "tables"))]
        for metrics, said in sections if values else ():
            for metric in OF_MANY_PATHS:
                if metric in said or metric in values and "diameter" in said:
                    compare(findings, f"report.json, scenario {name}", metric, said.get(metric),
                            values.get(metric))
            for metric in metrics:
                unknown = [] if isinstance(said[metric], list) else None  # before routing
                compare(findings, f"report.json, scenario {name}", metric, said[metric],
                        values.get(metric, unknown))
    check_worst(report, measured, findings)
    routes = sum(sum(values.get("route_hops", [])) for values in measured.values() if values)
    return f"{fabric.size} routers, {len(measured)} scenarios, {routes} routes walked"


def main(words):
    codes, quiet, paths = [0], "--quiet" in words, [Path(a) for a in words if a != "--quiet"]
    if not paths or any(str(path).startswith("-") for path in paths):
        print(__doc__.split("\n\n")[1].strip(), file=sys.stderr)
        return 2
    for path in paths:
        directories, beyond = [path], [name for name in BEYOND if (path / name).exists()]
        if (path / "placement.json").exists():  # a pod in slices: each kind has a directory
            directories, beyond = sorted((path / "slices").iterdir()), ["placement.json, ocs.json"]
        for directory in directories:
            findings, code = [], 0
            try:
                summary = check_directory(directory, findings)
            except (OSError, ArithmeticError, LookupError, TypeError, ValueError) as error:
                summary, code = f"cannot be read: {type(error).__name__}: {error}", 2
            codes.append(1 if findings else code)
            if codes[-1] or not quiet:
                verdict = ("agrees", f"CONVICTED {len(findings)} times", "NOT READ")[codes[-1]]
                for line in (*findings[:SHOWN], f"{verdict} ({summary})"):
                    print(f"{directory}: {line}")
        if beyond and not quiet:
            print(f"{path}: not checked: {', '.join(beyond)}")
    return 1 if 1 in codes else max(codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
