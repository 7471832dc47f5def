"""Sweeps: one spec or several with many values of their parameters, as a table."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._operations import PathLike, command, options

if TYPE_CHECKING:
    import pandas as pd


def sweep_rows(
    specs: PathLike | Sequence[PathLike],
    *,
    set: Mapping[str, Sequence[object] | str] | None = None,
    until: str | None = None,
    out: PathLike | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> list[dict[str, Any]]:
    """Builds specs with all combinations of the values in `set`, and returns a dictionary per run.

    A row has the parameters by name, every metric that was measured, `contract`, `error` (the message of a run
    that failed, or `None`) and `path`, the directory for `load`. `progress(done, total)` is called after every
    run. Without `out` the sweep goes to a new temporary folder, which stays.
    """
    given = [specs] if isinstance(specs, str | os.PathLike) else list(specs)
    directory = Path(out) if out is not None else Path(tempfile.mkdtemp(prefix="fabc-sweep-")) / "sweep"
    values = [f"{name}={one if isinstance(one, str) else ','.join(map(str, one))}" for name, one in (set or {}).items()]
    asked = options({"set": values, "until": until, "out": os.fspath(directory)})

    def tell(message: str) -> None:
        counted = re.match(r"(\d+) of (\d+)  ", message)
        if counted and progress is not None:
            progress(int(counted[1]), int(counted[2]))

    printed = command(["sweep", *[os.fspath(spec) for spec in given], *asked, "--json"], progress=tell if progress is not None else None)
    table = json.loads(printed)
    return [_row(run, directory) for run in table["runs"]]


def sweep(
    specs: PathLike | Sequence[PathLike],
    *,
    set: Mapping[str, Sequence[object] | str] | None = None,
    until: str | None = None,
    out: PathLike | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> pd.DataFrame:
    """The same as a pandas data frame, with a row per run. `sweep_rows` needs no pandas."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("fabc.sweep needs pandas (`pip install pandas`): fabc.sweep_rows does not") from error
    return pandas.DataFrame(sweep_rows(specs, set=set, until=until, out=out, progress=progress))


def _row(run: dict[str, Any], directory: Path) -> dict[str, Any]:
    """A run of `fabc.sweep_table/1` as a row."""
    failed = run["status"] == "failed"
    return {
        **{name: _number(value) for name, value in run["parameters"].items()},
        **run.get("metrics", {}),
        "contract": run["status"],
        "error": f"{run['code']}: {run['message']}" if failed else None,
        "path": None if failed else directory / run["directory"],
    }


def _number(value: str) -> int | float | str:
    """The value of a parameter: a number, or its text."""
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            pass
    return value
