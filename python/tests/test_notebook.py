"""The notebook of the examples, cell by cell."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_notebook_runs_from_its_top_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    notebook = json.loads((ROOT / "examples/notebook/compare.ipynb").read_text())
    names: dict[str, object] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), "compare.ipynb", "exec"), names)
    folder = names["folder"]
    assert isinstance(folder, Path)
    pictures = sorted(path.name for path in folder.glob("*.png"))
    assert pictures == ["all_reduce.png", "loads.png", "metrics.png"]
    assert all((folder / name).stat().st_size > 5000 for name in pictures)
