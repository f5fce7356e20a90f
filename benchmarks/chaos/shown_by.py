"""What the attack from outside had found, the tests that show that it holds now, and how code is broken for them."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
LIST, BROKEN = Path(__file__).with_name("found.toml"), ROOT / "benchmarks" / "results" / "breaks.json"


class Shown(NamedTuple):
    """A test, and a text of a source in whose place another one makes it fail."""

    test: str
    broken: str
    source: str
    old: str
    new: str

    @property
    def file(self) -> str:
        return f"tests/{self.test.split('::')[0]}"

    @property
    def name(self) -> str:
        return self.test.split("::")[1]

    @property
    def key(self) -> str:
        """Changes with the test and with the break: results of another one do not count."""
        return json.dumps(self)


def found() -> dict[str, list[Shown]]:
    """Findings and their tests."""
    listed = tomllib.loads(LIST.read_text(encoding="utf-8"))["found"]
    return {each["what"]: [Shown(**shown) for shown in each["shown"]] for each in listed}


def failed() -> set[str]:
    """Keys of the breaks with which the tests were seen to fail."""
    return set(json.loads(BROKEN.read_text(encoding="utf-8"))) if BROKEN.exists() else set()


def rows() -> list[tuple[str, str, str]]:
    """Lines of a table: what was found, the test, and a break that it was seen to fail with."""
    seen = failed()
    return [
        (
            what if at == 0 else "",
            f"`{shown.file}`: {shown.name.replace('_', ' ')}",
            shown.broken if shown.key in seen else "not seen yet",
        )
        for what, tests in found().items()
        for at, shown in enumerate(tests)
    ]
