"""The second checker agrees with honest directories, and convicts every single changed value.

FABC names the compiler to build with: FABC=target/release/fabc python3 -m unittest FILE
"""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# At the end: `import fabc` of the tests beside this one must find the wheel before the sources.
sys.path.append(str(ROOT / "python"))

import check_fabric  # noqa: E402

FABC = os.environ.get("FABC")
POD, RING, KAUTZ, TAPERED, HYPERX, HASHED = (
    "faults_of_chips", "networks/ring", "networks/kautz_duplex", "networks/unequal_bandwidths",
    "networks/settings", "networks/hashed_flows")


@unittest.skipUnless(FABC, "FABC names no compiler: set it to the path of fabc")
class CheckFabric(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch, cls.built = Path(scratch.name), {}
        for spec in (POD, RING, KAUTZ, TAPERED, HYPERX, HASHED):
            out = cls.scratch / spec.replace("/", "_")
            subprocess.run([FABC, "build", ROOT / "tests/ok" / f"{spec}.fab", "--out", out, "-q"],
                           check=True)
            cls.built[spec], = out.iterdir()

    def run_checker(self, *arguments):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = check_fabric.main([str(argument) for argument in arguments])
        return code, said.getvalue()

    def copy(self, spec):
        copy = self.scratch / "changed"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.built[spec], copy)
        return copy

    def convicts(self, spec, file, change, *words):
        """Change one file of a directory; the checker must convict, and name the words."""
        copy = self.copy(spec)
        value = json.loads((copy / file).read_text())
        change(value)
        (copy / file).write_text(json.dumps(value))
        code, said = self.run_checker("--quiet", copy)
        self.assertEqual(code, 1, said)
        for word in words:
            self.assertIn(word, said)

    def test_agrees_with_honest_directories(self):
        for spec, directory in self.built.items():
            with self.subTest(spec):
                code, said = self.run_checker(directory)
                self.assertEqual(code, 0, said)
                self.assertIn("agrees", said)

    def test_metrics(self):
        for spec in (POD, TAPERED):
            for name in check_fabric.METRICS:
                for end in (0, 1) if name == "concurrent_flow" else (None,):
                    def change(report):
                        if end is None:
                            report["metrics"][name] *= 1.00001
                        else:
                            report["metrics"][name][end] *= 1.00001
                    with self.subTest(name, spec=spec, end=end):
                        self.convicts(spec, "report.json", change, "report.json", name)

    def test_metrics_of_faults(self):
        for spec in (POD, HYPERX):
            for name in check_fabric.METRICS + check_fabric.OF_FAULTS:
                def change(report):
                    scenario = list(report["scenarios"].values())[1]
                    if name == "concurrent_flow":
                        scenario[name][0] *= 1.00001
                    else:
                        scenario[name] *= 1.00001
                with self.subTest(name, spec=spec):
                    self.convicts(spec, "report.json", change, "scenario", name)

    def test_worst_faults(self):
        for name in check_fabric.METRICS:
            def change(report, key, value):
                report["worst"][name][key] = value
            with self.subTest(name):
                self.convicts(POD, "report.json", lambda r: change(r, "value", 77), "worst", name)
                self.convicts(POD, "report.json", lambda r: change(r, "scenario", "cube0[0,0,1]"),
                              "fault of", name)

    def test_bounds_histograms_and_entries(self):
        for section in ("bounds", "histograms", "tables"):
            names = {"bounds": ("distance", "load"), "tables": ("entries_max", "entries_mean"),
                     "histograms": ("hops", "route_hops", "channel_load", "vc_hops")}[section]
            for name in names:
                def change(report):
                    if section == "histograms":
                        report[section][name][-1] = report[section][name].pop(0)
                    else:
                        report[section][name] += 1
                with self.subTest(name):
                    self.convicts(TAPERED, "report.json", change, "report.json", name)

    def test_many_paths(self):
        for name in check_fabric.OF_MANY_PATHS:
            def change(said):
                said[name] *= 1.00001
            with self.subTest(name):
                self.convicts(HASHED, "report.json", lambda report: change(report["metrics"]), name)
                self.convicts(HASHED, "report.json", lambda report: report["metrics"].pop(name), name)
                self.convicts(HASHED, "report.json",
                              lambda report: change(list(report["scenarios"].values())[0]), name)
        for key, value in ("kind", "spray"), ("hash", "packet"), ("flows", 3):
            with self.subTest(key):
                self.convicts(HASHED, "tables/nominal.json", lambda tables: tables.update({key: value}),
                              "kind")
        self.convicts(HASHED, "tables/nominal.json", lambda tables: tables["groups"][0].pop())

    def test_known_collisions(self):
        for flows, members, known in ((4, 4, 2.125), (8, 8, 2.5972), (16, 4, 1.5348), (5, 1, 1)):
            self.assertAlmostEqual(float(check_fabric.expected_fullest(flows, members)), known, 4)

    def test_entries_of_tables(self):
        table = "tables/nominal.json"

        def turn(tables):  # to another port
            entry = tables["routers"][0]["entries"][0]
            entry[-2] = (entry[-2] + 1) % 4

        def drop(tables):
            del tables["routers"][1]["entries"][2]

        def repeat(tables):
            tables["routers"][1]["entries"].append(tables["routers"][1]["entries"][0])

        def climb(tables):  # out of the VCs
            tables["routers"][0]["entries"][0][-1] = 9

        for spec in (POD, KAUTZ):
            for change in (turn, drop, repeat, climb):
                with self.subTest(change.__name__, spec=spec):
                    self.convicts(spec, table, change)
        self.convicts(KAUTZ, table, drop, "does not reach")
        self.convicts(POD, table, repeat, "cannot have")
        self.convicts(POD, table, lambda tables: tables["routers"].pop(), "must be listed")

    def test_a_loop(self):
        def turn_back(tables):  # of the ring 0 - 1 - 2 - 3 - 4, whose routers meet at port 0 or 1
            links = json.loads((self.built[RING] / "topology.json").read_text())["links"]
            ends = [tuple(map(tuple, (link["a"], link["b"]))) for link in links]
            (a, port), (b, other) = ends[0]
            target = str(next(node for node in range(5) if node not in (a, b)))
            for node, out in ((a, port), (b, other)):
                for entry in tables["routers"][node]["entries"]:
                    if entry[0] == int(target):
                        entry[-2:] = [out, 0]

        self.convicts(RING, "tables/nominal.json", turn_back, "does not reach")

    def test_a_deadlock(self):
        """All packets go round the ring one way, on its only virtual channel."""
        topology = json.loads((self.built[RING] / "topology.json").read_text())
        forward = {}
        for link in topology["links"]:
            for (a, port), (b, _) in ((link["a"], link["b"]), (link["b"], link["a"])):
                if b == (a + 1) % 5:
                    forward[a] = port
        ways = {tuple(end): None for link in topology["links"] for end in (link["a"], link["b"])}
        backward = {a: next(p for n, p in ways if n == a and p != forward[a]) for a in range(5)}

        def rewrite(tables):
            by_input = len(tables["key"]) > 1
            for router in tables["routers"]:
                node = router["node"]
                router["entries"] = [
                    [target, *(way if by_input else []), forward[node], 0]
                    for target in range(5) if target != node
                    for way in ([[-1, -1], [backward[node], 0]] if by_input else [None])]

        self.convicts(RING, "tables/nominal.json", rewrite, "wait for each other in a cycle")

    def test_certificates(self):
        def rank(certificates):
            ranks = certificates["scenarios"][0]["ranks"]
            ranks[:] = ranks[::-1]

        def length(certificates):
            lengths = certificates["scenarios"][0]["lengths"]
            lengths[:] = [1] * len(lengths)

        def units(certificates):
            item = certificates["flow"]["flows"][0]["units"]
            item[item.index(max(item))] -= 1

        def source(certificates):
            certificates["flow"]["flows"].pop()

        def busiest(certificates):
            certificates["flow"]["busiest"] -= 1

        def first_rank(certificates):  # of the first hop of a route with several
            tables = json.loads((self.built[TAPERED] / "tables/nominal.json").read_text())
            ranks = certificates["scenarios"][0]["ranks"]
            for _, port in tables["routers"][0]["entries"]:
                ranks[port * tables["vcs"]] = 10**6

        for change, words in ((first_rank, ["no rise"]), (rank, ["no rise"]),
                              (length, ["concurrent_flow", "load_ratio"]),
                              (units, ["flow of nominal", "units"]), (busiest, ["busiest"]),
                              (source, ["canonical sources"])):
            with self.subTest(change.__name__):
                self.convicts(TAPERED, "certificates.json", change, *words)

    def test_wiring(self):
        def cross(ocs):
            pairs = ocs["ocs"][0]["cross_connects"]
            pairs[0][1], pairs[1][1] = pairs[1][1], pairs[0][1]

        def end(topology):
            topology["links"][0]["b"], topology["links"][1]["b"] = \
                topology["links"][1]["b"], topology["links"][0]["b"]

        def generator(topology):
            image = topology["symmetry"]["generators"][0]
            image[0], image[1] = image[1], image[0]

        self.convicts(POD, "ocs.json", cross, "not in it", "X[0]")
        self.convicts(POD, "ocs.json", lambda ocs: ocs["ocs"].pop(), "of the spec")
        self.convicts(POD, "topology.json", end, "not in it")
        self.convicts(POD, "topology.json", generator, "automorphism")
        self.convicts(TAPERED, "topology.json", generator, "automorphism")
        self.convicts(KAUTZ, "topology.json", lambda t: t["links"].pop())
        self.convicts(KAUTZ, "topology.json", lambda t: t["links"].append(t["links"][0]), "port")

    def test_fault_scenarios(self):
        table = "tables/fault-cube0_0_0_0.json"

        def lead_onto_the_dark(tables):  # node 2 sends to the dead node 0 by port 0 or 1
            for router in tables["routers"]:
                if router["node"] == 2:
                    router["entries"][0][-2] = 0

        def revive(tables):
            tables["routers"][0]["entries"] = [[1, -1, -1, 4, 0]]

        def misplace(tables):
            tables["images"][0]["cubes"] = [0, 1]

        self.convicts(POD, table, lead_onto_the_dark, "cannot have")
        self.convicts(POD, table, revive, "cannot have")
        self.convicts(POD, table, misplace, "no such image")
        self.convicts(POD, table, lambda tables: tables["images"].clear(), "cube1[0,0,0]")
        self.convicts(POD, table, lambda tables: tables.update(scenario="nominal"), "tables")
        copy = self.copy(HYPERX)
        next(copy.glob("tables/fault-*")).unlink()
        self.assertEqual(self.run_checker(copy)[0], 1)

    def test_other_formats(self):
        for file in ("report.json", "topology.json", "certificates.json", "tables/nominal.json"):
            copy = self.copy(RING)
            text = (copy / file).read_text()
            (copy / file).write_text(text.replace('/1"', '/3"', 1).replace('/2"', '/3"', 1))
            code, said = self.run_checker(copy)
            self.assertEqual(code, 2)
            self.assertIn("unknown format", said)

    def test_usage_and_what_cannot_be_read(self):
        self.assertEqual(self.run_checker()[0], 2)
        self.assertEqual(self.run_checker("--verbose", self.built[RING])[0], 2)
        self.assertEqual(self.run_checker(self.scratch / "nothing")[0], 2)
        copy = self.copy(RING)
        (copy / "tables/nominal.json").rename(copy / "tables/nominal.bin")
        code, said = self.run_checker(copy)
        self.assertEqual(code, 2)
        self.assertIn("binary tables are not read", said)


if __name__ == "__main__":
    unittest.main()
