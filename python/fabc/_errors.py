"""What is wrong with a spec, a directory or a request, as data and as an exception."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from . import _build


@dataclass(frozen=True)
class Place:
    """A place in a file of a spec; lines and columns count from 1."""

    file: str
    line: int
    column: int
    text: str | None = None
    end_line: int | None = None
    """The line in which the place ends. `None` if only its beginning is known."""
    end_column: int | None = None


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
    build: _build.Build | None
    """What was found, where all that is wrong is that it does not keep its contract."""

    def __init__(self, text: str, diagnostics: tuple[Diagnostic, ...], exit_code: int, build: _build.Build | None = None) -> None:
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


def diagnostics_of(all: Iterable[dict[str, Any]]) -> tuple[Diagnostic, ...]:
    """Diagnostics of the extension module."""
    return tuple(Diagnostic(**{**one, "places": tuple(Place(**place) for place in one["places"])}) for one in all)


def error_of(wrong: dict[str, Any], built: _build.Build | None) -> FabcError:
    """The exception for what the extension module says is wrong."""
    return FabcError(wrong["text"], diagnostics_of(wrong["diagnostics"]), wrong["exit_code"], built)


def error_of_messages(lines: Iterable[str], exit_code: int) -> FabcError:
    """The exception for lines of `fabc.message/1` on standard error."""
    diagnostics = []
    for line in lines:
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if isinstance(message, dict) and message.get("severity") == "error":
            labels = (Place(**label) for label in message["labels"])
            diagnostics.append(Diagnostic(message["code"], "error", message["message"], message["help"], tuple(labels)))
    if not diagnostics:
        text = " ".join(lines).strip() or f"fabc ended with exit code {exit_code}"
        diagnostics.append(Diagnostic("FAB0901", "error", text, None))
    return FabcError("\n".join(map(_line, diagnostics)), tuple(diagnostics), exit_code)


def _line(one: Diagnostic) -> str:
    """A diagnostic as the command line prints it in the short form, with its hint."""
    place = f"{one.file}:{one.line}:{one.column}" if one.places else "fabc"
    hint = f"\n  help: {one.hint}" if one.hint else ""
    return f"{place}: {one.severity}[{one.code}]: {one.message}{hint}"
