"""What the command line does with a built directory, from Python.

Every operation runs `python -m fabc`, so its files have the bytes of the command line. Ctrl-C ends it, and what
the command line reports as an error is a `FabcError`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._errors import FabcError, error_of_messages

if TYPE_CHECKING:
    from ._build import Build

PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class Hop:
    """One hop of a route. Hops of one `number` are alternatives, as they are under `spray` and `ecmp`."""

    number: int
    """From 1."""
    source: str
    out_port: str
    target: str
    in_port: str
    vc: int
    """The virtual channel on the link."""
    share: float
    """Share of the packets of the pair, up to 1."""
    link: str
    """The declared link."""
    cycles: int
    """Of the router that is left and the link, without contention."""
    switch: str | None
    """The optical circuit switch that the link passes."""


@dataclass(frozen=True)
class Route:
    """The route of a pair of routers in one scenario."""

    scenario: str
    distance: int
    """Hop distance in the surviving fabric: no route is shorter."""
    length: int
    """Hops of the longest path."""
    cycles: tuple[int, int]
    """Cycles of the fastest and of the slowest path, without contention."""
    latency_ns: float
    """Of the slowest path."""
    hops: tuple[Hop, ...]


def command(
    arguments: Sequence[str],
    *,
    accepted: Iterable[int] = (0,),
    cwd: PathLike | None = None,
    progress: Callable[[str], object] | None = None,
) -> bytes:
    """Runs a command of the command line, and returns what it prints to standard output.

    `progress` is called with every line that `--verbose` adds. Raises `FabcError` for an exit code that is not
    `accepted`. Ctrl-C, or an exception in `progress`, ends the command.
    """
    words = [sys.executable, "-m", "fabc", *(["--verbose"] if progress else []), "--message-format", "json", *arguments]
    messages: list[str] = []
    failed: list[BaseException] = []
    with subprocess.Popen(words, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        stderr = process.stderr

        def listen() -> None:
            for line in stderr:
                text = line.decode(errors="replace").rstrip("\n")
                messages.append(text)
                if progress is not None and not failed:
                    try:
                        _report(text, progress)
                    except BaseException as error:  # It is raised where the caller can see it.
                        failed.append(error)
                        process.terminate()

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        try:
            output = process.stdout.read()
            exit_code = process.wait()
        except BaseException:
            process.terminate()
            process.wait()
            raise
        listener.join()
    if failed:
        raise failed[0]
    if exit_code not in set(accepted):
        raise error_of_messages(messages, exit_code)
    return output


def _report(line: str, progress: Callable[[str], object]) -> None:
    """Hands a remark of the command line to a callback."""
    try:
        message = json.loads(line)
    except ValueError:
        return
    if isinstance(message, dict) and message.get("severity") == "advice" and message.get("code") is None:
        progress(message["message"])


def read_command(arguments: Sequence[str], *, accepted: Iterable[int] = (0,)) -> dict[str, Any]:
    """Runs a command with `--json`, and returns the document that it prints."""
    document = json.loads(command([*arguments, "--json"], accepted=accepted))
    assert isinstance(document, dict)
    return document


def options(settings: Mapping[str, object]) -> list[str]:
    """Keyword arguments as options: `in_switch="1us"` is `--in-switch 1us`, a list repeats the option."""
    words: list[str] = []
    for name, value in settings.items():
        option = f"--{name.replace('_', '-')}"
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
            continue
        values = value if isinstance(value, list | tuple) else [value]
        words += [word for one in values for word in (f"{option}={one}",)]
    return words


def estimate(
    kind: str, *, on: str | Sequence[str], size: str | None = None, sizes: str | None = None, **settings: object
) -> dict[str, Any]:
    """Estimates a collective by closed form, without a spec: `fabc.estimate/1`, or `fabc.estimates/1` for several
    fabrics. `settings` are the options of `fabc estimate`, such as `alpha="0.5us"`."""
    shapes = [on] if isinstance(on, str) else list(on)
    return read_command(["estimate", kind, *options({"on": shapes, "size": size, "sizes": sizes, **settings})])


def estimate_job(*, model: str, axes: str, batch: str, on: str, **settings: object) -> dict[str, Any]:
    """Estimates a step of a training job without a spec: `fabc.job_estimate/1`."""
    return read_command(["estimate", "job", *options({"model": model, "axes": axes, "batch": batch, "on": on, **settings})])


@dataclass(frozen=True)
class Repair:
    """New tables for a fabric with failures, as `fabc repair` writes them."""

    build: Build
    directory: Path
    """The folder with `repair.json`, `delta.json` and the tables."""
    result: dict[str, Any]
    """`repair.json` (`fabc.repair/1`)."""

    def verify(self) -> dict[str, Any]:
        """Proves the repair against the build, from the files alone: `fabc.verified/1`."""
        return read_command(["verify", str(self.build.directory), "--repair", str(self.directory)])


class Operations:
    """What can be done with the directory of a build."""

    if TYPE_CHECKING:

        @property
        def directory(self) -> Path: ...

    def verify(self, *, remake: int | str | None = None) -> dict[str, Any]:
        """Proves the directory from its files alone: `fabc.verified/1`. Raises `FabcError` for what is wrong."""
        return read_command(["verify", str(self.directory), *options({"remake": remake})])

    def sim(
        self, settings: str | None = None, *, saturation: bool = False, scenario: str | None = None, block: str | None = None
    ) -> dict[str, Any]:
        """Runs the tables through the simulator: `fabc.simulation/1`.

        `settings` are those of a `simulate` block, such as `"traffic = tornado; rates = [0.2, 0.4];"`.
        """
        asked = {"with": settings, "saturation": saturation, "scenario": scenario, "block": block}
        return read_command(["sim", str(self.directory), *options(asked)])

    def collective(self, collective: str | None = None, *, size: str | None = None, **settings: object) -> dict[str, Any]:
        """Schedules collectives: `fabc.collectives/1`. `settings` are the options of `fabc collective`."""
        asked = {"collective": collective, "size": size, **settings}
        return read_command(["collective", str(self.directory), *options(asked)])

    def job(self, job: str | None = None, **settings: object) -> list[dict[str, Any]]:
        """Times a step of the training jobs of the spec, also placed otherwise: `fabc.job/1` of every job."""
        printed = command(["job", str(self.directory), "--json", *options({"job": job, **settings})]).decode()
        found, decoder, start = [], json.JSONDecoder(), 0
        while start < len(printed.rstrip()):
            document, start = decoder.raw_decode(printed, start)
            found.append(document)
            start += len(printed[start:]) - len(printed[start:].lstrip())
        return found

    def diff(self, other: Build | PathLike, *, tolerance: str | Sequence[str] = ()) -> dict[str, Any]:
        """Compares this build (A) with another one, or with a spec (B): `fabc.diff/1`."""
        accepted = [tolerance] if isinstance(tolerance, str) else list(tolerance)
        second = os.fspath(other) if isinstance(other, str | os.PathLike) else str(other.directory)
        return read_command(["diff", str(self.directory), second, *options({"tolerance": accepted})], accepted=(0, 2))

    def route(self, source: int | str, target: int | str, scenario: str = "nominal") -> Route:
        """The route between two routers, by name or number, hop by hop as the tables say."""
        return self._routes(source, target, scenario)[0]

    def routes(self, source: int | str, target: int | str) -> list[Route]:
        """The routes between two routers in every scenario in which both survive, the slowest first."""
        return self._routes(source, target, "all")

    def _routes(self, source: int | str, target: int | str, scenario: str) -> list[Route]:
        words = ["route", str(self.directory), str(source), str(target)]
        return [_route(found) for found in read_command([*words, *options({"scenario": scenario})])["scenarios"]]

    def repair(self, down: str | Sequence[str] = (), *, out: PathLike | None = None, **settings: object) -> Repair:
        """Computes new tables for failures, which can be installed under live traffic.

        `down` names what failed, such as `"X[0,0]"` or `"cube0[1,2,3].+x"`. `settings` are the options of
        `fabc repair`, such as `live`. Without `out` they go to a new temporary folder, which stays.
        """
        from ._build import Build

        assert isinstance(self, Build)
        target = Path(out) if out is not None else Path(tempfile.mkdtemp(prefix="fabc-repair-")) / "repair"
        names = [down] if isinstance(down, str) else list(down)
        asked = options({"down": names, "out": os.fspath(target), **settings})
        return Repair(self, target, read_command(["repair", str(self.directory), *asked]))

    def plan(self, live: Build | PathLike, *, out: PathLike | None = None, **settings: object) -> dict[str, Any]:
        """The steps from the live switches to this build: `fabc.plan/1`. With `out`, tables for every moment."""
        asked = options({"live": _path(live), "out": out and os.fspath(out), **settings})
        return read_command(["plan", str(self.directory), *asked], accepted=(0, 2))

    def drift(self, live: Build | PathLike, **settings: object) -> dict[str, Any]:
        """Compares the live switches with this build: `fabc.drift/1`."""
        asked = options({"live": _path(live), **settings})
        return read_command(["drift", str(self.directory), *asked], accepted=(0, 2))

    def place(self, steps: Sequence[str], *, out: PathLike) -> dict[str, Any]:
        """Adds, removes and moves slices of a divided pod: `fabc.placement/1`.

        `steps` are options of `fabc place` in their order, such as `["--swap", "cube5"]`.
        """
        return read_command(["place", str(self.directory), *steps, "--out", os.fspath(out)])

    def availability(self, *, fail: str, host_chips: int, **settings: object) -> dict[str, Any]:
        """Availability of a job, from failure rates: `fabc.availability/1`."""
        asked = options({"fail": fail, "host_chips": host_chips, **settings})
        return read_command(["availability", str(self.directory), *asked])

    def operate(
        self, *, fail: str, host_chips: int, policy: str | Sequence[str] = (), out: PathLike | None = None, **settings: object
    ) -> dict[str, Any]:
        """Plays years of failures and repairs, by policy: `fabc.operate/1`.

        `policy` is text such as `"spare = [0, 2]; swap = at_night"`, or a list of them. `settings` are the options of
        `fabc operate`, such as `years` and `seeds`.
        """
        policies = [policy] if isinstance(policy, str) else list(policy)
        asked = {"fail": fail, "host_chips": host_chips, "policy": policies, "out": out and os.fspath(out), **settings}
        return read_command(["operate", str(self.directory), *options(asked)])


def _route(found: Mapping[str, Any]) -> Route:
    hops = tuple(
        Hop(
            number=hop["hop"],
            source=hop["from"],
            out_port=hop["out_port"],
            target=hop["to"],
            in_port=hop["in_port"],
            vc=hop["vc"],
            share=hop["share"],
            link=hop["link"],
            cycles=hop["cycles"],
            switch=hop["switch"],
        )
        for hop in found["route"]
    )
    fastest, slowest = found["cycles"]
    return Route(found["scenario"], found["distance"], found["hops"], (fastest, slowest), found["latency_ns"], hops)


def _path(live: Build | PathLike) -> str:
    return os.fspath(live) if isinstance(live, str | os.PathLike) else str(live.directory)


__all__ = ["FabcError", "Hop", "Operations", "Repair", "Route", "command", "estimate", "estimate_job", "read_command"]
