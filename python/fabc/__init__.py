"""fabc, a declarative compiler for accelerator fabrics.

>>> import fabc
>>> build = fabc.build("specs/networks/torus_16x16.fab")
>>> build.metrics["diameter"]
16.0

`build` compiles a spec and proves the result, in this process and without writing anything. `check` finds what
is wrong before any search. Both take the text of a spec or the path of a file. `load` reads a directory that
`fabc build` wrote. What a `Build` does with its directory (`verify`, `sim`, `collective`, `repair`, ..) is what
the command line does, with the same bytes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from . import _fabc
from ._build import Build, Checked
from ._errors import Diagnostic, FabcError, Place, diagnostics_of, error_of
from ._graphs import from_networkx
from ._operations import Hop, Repair, Route, command, estimate, estimate_job, read_command
from ._sweep import sweep, sweep_rows

__all__ = [
    "Build",
    "Checked",
    "Diagnostic",
    "FabcError",
    "Hop",
    "Place",
    "Repair",
    "Route",
    "build",
    "check",
    "command",
    "estimate",
    "estimate_job",
    "explain",
    "from_networkx",
    "load",
    "read_command",
    "sweep",
    "sweep_rows",
]
__version__: str = _fabc.__version__


def build(
    spec: str | os.PathLike[str],
    *,
    set: Mapping[str, object] | None = None,
    base: str | os.PathLike[str] | None = None,
    tables: Literal["auto", "json", "binary"] = "auto",
    progress: Callable[[str, int, int], object] | None = None,
) -> Build:
    """Compiles a spec and proves the result.

    `spec` is the text of a spec, or the path of a file. `set` gives values to its parameters, as `--set` does.
    Files that a text names are looked for below `base` (by default the working directory); those of a file
    beside it. `progress(pass, done, total)` is called some times a second; an exception in it ends the build, as
    Ctrl-C does. Raises `FabcError`; one that says that the contract does not hold has the `build` all the same.
    """
    if tables not in ("auto", "json", "binary"):
        raise ValueError(f"tables is 'auto', 'json' or 'binary', not {tables!r}")
    built, wrong = _fabc.build(*_asked(spec, base), _settings(set), tables, progress)
    if wrong is not None:
        raise error_of(wrong, Build(built) if built is not None else None)
    assert built is not None
    return Build(built)


def load(directory: str | os.PathLike[str]) -> Build:
    """Reads a directory that `fabc build` wrote. Raises `FabcError` if it is none."""
    opened, wrong = _fabc.open(os.fspath(directory))
    if wrong is not None:
        raise error_of(wrong, None)
    assert opened is not None
    return Build(opened, Path(directory))


def check(
    spec: str | os.PathLike[str], *, set: Mapping[str, object] | None = None, base: str | os.PathLike[str] | None = None
) -> Checked:
    """Finds what is wrong with a spec before anything is searched: milliseconds. Raises `FabcError`."""
    checked, wrong = _fabc.check(*_asked(spec, base), _settings(set))
    if wrong is not None:
        raise error_of(wrong, None)
    assert checked is not None
    return Checked(checked["name"], checked["normal_form"], checked["described"], diagnostics_of(checked["warnings"]))


def explain(word: str) -> str:
    """What an error code, a word of the language, a metric or a field of `report.json` means. `KeyError` if there is
    no such word."""
    found = _fabc.explained(word)
    if found is None:
        raise KeyError(f"there is no code or word {word!r}")
    return found


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
