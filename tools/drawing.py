"""Drawing of packages as SVG: a column of boxes, import arrows on the right, a walk through the boxes on the left."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from textwrap import wrap
from xml.sax.saxutils import escape

WIDTH, MARGIN, TOP = 780, 24, 66
LEFT, RIGHT, HEIGHT, GAP = 112, 648, 44, 22  # of the boxes
NAME, CAPTION, LETTERS = 22, 142, 58  # where the texts of a box begin, and how long a line may be
INK, SOFT, LINE, FILL = "#1f2328", "#57606a", "#8c959f", "#f6f8fa"
WALK_LINE, WALK_FILL, PAPER, EDGE = "#0f766e", "#e3f3f0", "#ffffff", "#d0d7de"
STYLE = f"""<style>
text {{ font-family: system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: {INK}; }}
.name {{ font-size: 16px; font-weight: 600; }}
.caption {{ font-size: 12.5px; fill: {SOFT}; }}
.legend {{ font-size: 13px; fill: {SOFT}; }}
.step {{ font-size: 13px; font-weight: 700; fill: {PAPER}; text-anchor: middle; }}
.import {{ fill: none; stroke: {LINE}; stroke-width: 1.3; marker-end: url(#import); }}
.walk {{ fill: none; stroke: {WALK_LINE}; stroke-width: 3; marker-end: url(#walk); }}
</style>"""

Edge = tuple[str, str]


@dataclass(frozen=True)
class Box:
    """A package in the column: its row from the top and the height of its middle."""

    name: str
    row: int
    y: float


def draw(layers: list[list[str]], captions: dict[str, str], imports: set[Edge], walk: tuple[str, ...]) -> str:
    """SVG of packages in the order of their layers; the last layer is the base, one box that all others import."""
    *upper, base = layers
    names = [name for layer in upper for name in layer]
    boxes = {name: Box(name, row, TOP + row * (HEIGHT + GAP) + HEIGHT / 2) for row, name in enumerate(names)}
    bottom = TOP + len(names) * (HEIGHT + GAP) + 6
    height = bottom + HEIGHT + MARGIN
    title = "Packages of bochner in the order of their imports"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="{title}">',
        f"<title>{title}</title>",
        STYLE,
        f"<defs>{_arrow_head('import', LINE, 7)}{_arrow_head('walk', WALK_LINE, 4)}</defs>",
        f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="10" fill="{PAPER}" stroke="{EDGE}"/>',
        *_legend(),
        *_import_arrows(boxes, imports),
        *(part for box in boxes.values() for part in _box(box, captions.get(box.name, ""), box.name in walk)),
        *_base(base, bottom),
        *_walk([boxes[name] for name in walk]),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _box(box: Box, caption: str, on_walk: bool) -> Iterator[str]:
    yield _rectangle(box.y - HEIGHT / 2, *((WALK_FILL, WALK_LINE) if on_walk else (FILL, LINE)))
    yield f'<text class="name" x="{LEFT + NAME}" y="{box.y + 5.5:g}">{escape(box.name)}</text>'
    yield from _caption(caption, box.y)


def _base(names: list[str], top: float) -> Iterator[str]:
    yield _rectangle(top, FILL, LINE, ' stroke-dasharray="5 4"')
    y = top + HEIGHT / 2
    yield f'<text class="name" x="{LEFT + NAME}" y="{y + 5.5:g}">base</text>'
    yield from _caption(f"Modules that every package may import: {', '.join(names)}", y)


def _caption(caption: str, middle: float) -> Iterator[str]:
    lines = wrap(caption, LETTERS, max_lines=2, placeholder=" …")
    for i, text in enumerate(lines):
        y = middle + 4 + 15 * (i - (len(lines) - 1) / 2)
        yield f'<text class="caption" x="{LEFT + CAPTION}" y="{y:g}">{escape(text)}</text>'


def _rectangle(top: float, fill: str, line: str, more: str = "") -> str:
    return (
        f'<rect x="{LEFT}" y="{top:g}" width="{RIGHT - LEFT}" height="{HEIGHT}" rx="7" '
        f'fill="{fill}" stroke="{line}" stroke-width="1.3"{more}/>'
    )


def _import_arrows(boxes: dict[str, Box], imports: set[Edge]) -> Iterator[str]:
    """Straight lines to the next row, arcs on the right to rows further down."""
    pairs = sorted(((boxes[a], boxes[b]) for a, b in imports), key=lambda pair: (pair[0].row, pair[1].row))
    arcs = [pair for pair in pairs if pair[1].row - pair[0].row > 1]
    leave, enter = _ports(arcs, 0), _ports(arcs, 1)
    for above, below in pairs:
        if (above, below) not in arcs:
            x, y = (LEFT + RIGHT) / 2, above.y + HEIGHT / 2
            yield _path("import", x, y, x, y + 4, x, y + 6, x, y + GAP - 8)
            continue
        y0, y1 = above.y + leave[above, below], below.y + enter[above, below]
        reach = RIGHT + 22 * (below.row - above.row) ** 0.75
        yield _path("import", RIGHT, y0, reach, y0, reach, y1, RIGHT + 8, y1)


def _ports(arcs: list[tuple[Box, Box]], end: int) -> dict[tuple[Box, Box], float]:
    """Where arcs leave a box (end 0, lower half) or enter it (end 1, upper half), so that none cross at the box."""
    at = defaultdict(list)
    for arc in arcs:
        at[arc[end]].append(arc)
    offsets = {}
    for group in at.values():
        ordered = sorted(group, key=lambda arc: -arc[1 - end].row)
        for i, arc in enumerate(ordered):
            share = (i + 1) / (len(ordered) + 1)
            offsets[arc] = (HEIGHT / 2 - 3) * (share if end == 0 else share - 1)
    return offsets


def _walk(boxes: list[Box]) -> Iterator[str]:
    """Arcs on the left from step to step, and the number of each step."""
    steps = list(pairwise(boxes))
    for i, (first, second) in enumerate(steps):
        before = steps[i - 1] if i else None
        after = steps[i + 1] if i + 1 < len(steps) else None
        y0 = first.y + _side(first, second, before)
        y1 = second.y + _side(second, first, after)
        reach = LEFT - 26 - 17 * min(abs(first.row - second.row), 6)
        yield _path("walk", LEFT - 8, y0, reach, y0, reach, y1, LEFT - 21, y1)
    for number, box in enumerate(boxes, 1):
        yield f'<circle cx="{LEFT}" cy="{box.y:g}" r="12" fill="{WALK_LINE}"/>'
        yield f'<text class="step" x="{LEFT}" y="{box.y + 4.5:g}">{number}</text>'


def _side(box: Box, other: Box, neighbour: tuple[Box, Box] | None) -> float:
    """Where an arc to `other` touches the number of a box: on the side of `other`, the longer of two arcs inside."""
    side = -9 if other.y < box.y else 9
    if neighbour:
        third = neighbour[0] if neighbour[1] is box else neighbour[1]
        if (third.y < box.y) == (other.y < box.y) and abs(third.row - box.row) < abs(other.row - box.row):
            return -side / 3
    return side


def _path(kind: str, *points: float) -> str:
    x0, y0, *rest = (f"{value:.1f}".removesuffix(".0") for value in points)
    return f'<path class="{kind}" d="M{x0} {y0} C{" ".join(rest)}"/>'


def _arrow_head(name: str, colour: str, size: float) -> str:
    return (
        f'<marker id="{name}" viewBox="0 0 8 8" refX="1" refY="4" markerWidth="{size}" markerHeight="{size}" '
        f'orient="auto"><path d="M0 0L8 4L0 8z" fill="{colour}"/></marker>'
    )


def _legend() -> Iterator[str]:
    yield _path("walk", LEFT, 32, LEFT + 10, 32, LEFT + 20, 32, LEFT + 28, 32)
    yield f'<circle cx="{LEFT}" cy="32" r="7" fill="{WALK_LINE}"/>'
    yield f'<text class="legend" x="{LEFT + 50}" y="36.5">walk of a row</text>'
    yield _path("import", LEFT + 170, 32, LEFT + 180, 32, LEFT + 190, 32, LEFT + 198, 32)
    yield f'<text class="legend" x="{LEFT + 216}" y="36.5">imports, without those that a chain of others implies</text>'
