"""Archives as documents that a fuzzer can change behind their checksums.

A mutated byte of a real file fails a checksum and never gets further. A *document* is the header and the members of an
archive as plain JSON; `seal` makes the file of it with every checksum right, so that what is behind them is reached.
"""

from __future__ import annotations

import base64
import io
import json
import random
import zipfile
from hashlib import sha256
from typing import Any

Document = dict[str, Any]

STRANGE: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, -(2**63), 1e308, -0.0, 0.5, "", "a", "\x00", "é" * 40, "nan",
    "1e999", "<f8", "|O8", "<U0", "../x", [], {}, [[]], [0], [-1], [2**40, 2**40], {"a": {}}, [None] * 3,
)  # fmt: skip
"""Values that are put in the place of others."""


def unseal(content: bytes) -> Document:
    """The document of a whole file."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: base64.b64encode(archive.read(name)).decode() for name in archive.namelist()}
    whole = json.loads(base64.b64decode(members.pop("header.json")))
    return {"whole": whole, "members": members}


def seal(document: Document) -> bytes:
    """The file of a document, with the checksums that its content has."""
    members = {str(name): raw_bytes(text) for name, text in dict_of(document.get("members")).items()}
    whole = document.get("whole")
    for name, row in dict_of(dict_of(whole).get("arrays")).items():
        if isinstance(row, list) and len(row) == 4 and f"arrays/{name}" in members:
            row[3] = sha256(members[f"arrays/{name}"]).hexdigest()
    text = json.dumps(whole).encode()
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for name, raw in members.items():
            archive.writestr(zipfile.ZipInfo(name or "_"), raw)
        archive.writestr(zipfile.ZipInfo("header.json"), text)
        archive.comment = sha256(text).hexdigest().encode()
    return target.getvalue()


def dict_of(value: Any) -> dict[Any, Any]:
    return value if isinstance(value, dict) else {}


def raw_bytes(text: Any) -> bytes:
    """The bytes of a member; what is no base64 is taken as it is."""
    try:
        return base64.b64decode(text, validate=True)
    except (TypeError, ValueError):
        return str(text).encode()


def mutate(document: Document, seed: int) -> Document:
    """One to four changes somewhere in a document: values replaced, removed, repeated, renamed, bytes altered."""
    rng = random.Random(seed)
    for _ in range(rng.randint(1, 4)):
        holders = [holder for holder in containers(document) if holder]
        if holders:
            change(rng.choice(holders), rng)
    return document


def containers(value: Any) -> list[Any]:
    """All dicts and lists in a document."""
    found, level = [], [value]
    while level:
        level = [each for each in level if isinstance(each, (dict, list))]
        found += level
        level = [part for each in level for part in (each.values() if isinstance(each, dict) else each)]
    return found


def change(holder: Any, rng: random.Random) -> None:
    """Change one entry of a dict or a list."""
    key = rng.choice(list(holder)) if isinstance(holder, dict) else rng.randrange(len(holder))
    how = rng.randrange(5)
    if how == 0:
        del holder[key]
    elif how == 1 and isinstance(holder, dict):
        holder[rng.choice(["x", "seed", "n_rows", *map(str, holder)])] = holder[key]
    elif how == 1:
        holder.append(holder[key])
    elif how == 2:
        holder[key] = nearby(holder[key], rng)
    else:
        holder[key] = json.loads(json.dumps(rng.choice(STRANGE)))


def nearby(value: Any, rng: random.Random) -> Any:
    """A value of the same kind: another number, or text with one character changed or cut off."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return rng.choice([-value, value + 1, value - 1, value * 2, value * 1e6, int(value / 2), float(value)])
    if isinstance(value, str) and value:
        at = rng.randrange(len(value))
        return rng.choice([value[:at], value[:at] + chr(rng.randrange(32, 127)) + value[at + 1 :], value[at:]])
    return value
