"""The page on robustness, made from the JSON of the chaos suite: nobody types a number of it.

The figures of the attack from outside that came before the suite are the exception: a record of what others did.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from .shown_by import rows

PAGE = Path(__file__).resolve().parents[2] / "docs" / "robustness.md"
Found = dict[str, Any]

TITLES = {
    "kills": "Kills of a fit",
    "dask_kills": "Kills on a cluster",
    "files": "Mutated and forged files",
    "disk": "Full disks",
    "memory": "Little memory",
    "tables": "Hostile tables",
    "clocks": "Clocks that jump",
    "threads": "Many threads",
    "fuzz_readers": "Fuzzing with coverage",
}

TEXTS = {
    "kills": """A process fits with `checkpoint=` and is killed (SIGKILL) at a random moment: one kill in five
anywhere in the run of a command, imports included, the others within the fit. It is started again with the same call
until it has been killed five times, and then runs to its end. The model must predict what a fit predicts that nobody
interrupted: the same bits for the direct solver, to 3e-9 of the largest prediction for iterative fits, classifiers
and exact machines. Checkpoints are written up to a hundred times a second here, so that kills land within writes; by
default they are rarer (about 1 % of the time), and up to that much more work is lost. The first one of a classifier
or an exact machine comes after a first solve: half of the kills within its fit wait for a checkpoint. Rows of an
earlier fit are of smaller ones, most of which were killed before their first checkpoint.""",
    "dask_kills": """A scheduler and two workers, as processes. A killed client is started again with its
checkpoint; a killed worker is replaced while the client waits; after the kill of the scheduler the client must end
with an error within two minutes, and goes on from its checkpoint on a new cluster. Predictions must agree to 1e-9: a
cluster sums in another order. Waves, after which checkpoints are written, are short here. One kill in five falls
anywhere in the run of a client, imports included, the others within its fit.""",
    "files": """Model files and checkpoints with mutated bytes, and files that were forged: with valid checksums
around content that no writer would write. A file must be refused with bochner's own error, or give a working model;
a crash, a hang or a file that is silently taken for another one did not hold. Errors in the table are those of models
that were loaded and asked everything, also what the true model refuses: a classifier has no error bars. Counted without
these, 3.1 % of 286 forged models ended in an error of Python's or scikit-learn's when they were used, and 0.6 % of
2,000 since fitted estimators are checked as wholes (`benchmarks/chaos/forged_files.py`, seeds 900 and 901).""",
    "disk": """Everything that is written, on a small disk with less room than the file needs, or under a limit on
the size of files. The old file must stay as it is, no partial file may be left, and the error must say what
happened; a checkpoint that cannot be written costs a warning, not the fit.""",
    "memory": """Fits and predictions under a limit of the operating system on the address space, 1 to 400 MB above
what the process holds (RLIMIT_AS). They must end, with a result or an error: no crash, no signal, no hang.""",
    "tables": """Default fits of rows that are huge, tiny, missing, constant, too few, too many or no numbers, each
with four kinds of targets. They must end with finite predictions, or with an error that says what is wrong.
A hang is four fits that take more than five minutes together.""",
    "clocks": """`time.time` jumps by up to a year forth and back at every call, and files have times from the
future. Checkpoints must be written and resumed to the same bits, parts of living writers stay, and shown times are
sane.""",
    "threads": """Predictions of 1 to 64 rows from 8, 16 and 32 threads at once: the bits of a single thread, and as
many BLAS threads after as before.""",
    "fuzz_readers": """atheris (libFuzzer) mutates inputs towards code that was not reached before; archives and
checkpoints are also changed behind their checksums, which are then made right (`benchmarks/chaos/fuzz`). A reader
may return, or raise bochner's own errors.""",
}

FIRST = (
    ("SIGKILLs, on one machine and on Dask", "70"),
    ("mutated model files", "25,400"),
    ("mutated checkpoints", "310"),
    ("hostile tables", "20"),
    ("full disks", "not counted"),
    ("predictions from threads", "20,000"),
    ("soak: rows through one process", "3e7"),
)

TEXT = """# Robustness

What was attacked, how often, and what did not hold. `make chaos` repeats it all in about an hour on two quiet cores,
goes on where an interrupted run was, and fails if a promise did not hold. This page is written by `benchmarks/chaos`
from `benchmarks/results/chaos.json`; do not edit it. {machine}, Python {python}.

{summary}

{short}

## What did not hold

{failures}

{parts}
## The first attack from outside

Before there was this suite, somebody who had not written the library attacked it. Most of it held; what did not is
what the suite now repeats.

{first}

Each of its findings is a test, and so are those of later attacks, at the end. `python -m benchmarks.chaos.breaks`
breaks the code in a copy as the last column says, and the test was seen to fail:

{tests}
"""


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)


def counts(part: Found) -> tuple[int, int]:
    rows = part["rows"].values()
    return sum(row["tried"] for row in rows), sum(row["failed"] for row in rows)


def held(failed: int) -> str:
    return f"**{failed:,}**" if failed else "0"


def minutes(part: Found) -> str:
    """Time of a part; of one that was put together from a journal it is not known."""
    return "" if part["seconds"] is None else f"{part['seconds'] / 60:.1f} min"


def summary(found: Found) -> str:
    """One line for every part; parts that never ran say so."""
    rows = []
    for name, title in TITLES.items():
        part = found["parts"].get(name)
        if part is None:
            rows.append((title, "not run yet", "", ""))
            continue
        tried, failed = counts(part)
        shown = (f"{tried:,}", held(failed)) if tried else ("not there yet", "")
        rows.append((f"[{title}](#{anchor(title)})", *shown, minutes(part)))
    return table(("attack", "times", "did not hold", "took"), rows)


def anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


def shortened(found: Found) -> str:
    """A caution for parts that were run with fewer attacks than they are meant to have."""
    less = {TITLES[name]: part["share"] for name, part in found["parts"].items() if part["share"] < 1}
    if not less:
        return "All parts were run in full."
    named = ", ".join(f"{title} ({share:.0%})" for title, share in less.items())
    return f"**Run with fewer attacks than `make chaos` makes:** {named}."


def failures(found: Found) -> str:
    """One line for everything that did not hold, with an example."""
    rows = [(f"{TITLES[part]}, {name}", row) for part, each in found["parts"].items()
            for name, row in each["rows"].items() if row["failed"]]  # fmt: skip
    lines = [f"- {what}: {held(row['failed'])} of {row['tried']:,}. For example: `{plain(row['failures'][0])}`"
             for what, row in rows]  # fmt: skip
    return "\n".join(lines) or "Nothing of what follows."


def plain(sentence: str) -> str:
    """A sentence that can stand in a Markdown code span: one line, without the paths of a machine."""
    words = " ".join(sentence.replace("`", "'").split())
    return (words[:240] + " ...") if len(words) > 240 else words


def part_text(name: str, part: Found | None) -> str:
    title = f"## {TITLES[name]}\n\n{TEXTS[name]}\n\n"
    if part is None:
        return f"{title}*Not run yet: `python -m benchmarks.chaos --parts {name}` will fill this table.*\n"
    return f"{title}{table(('what', 'times', 'did not hold', 'how it ended', 'measured'), rows_of(part))}\n"


def rows_of(part: Found) -> Iterable[Sequence[str]]:
    for name, row in part["rows"].items():
        yield (
            name,
            f"{row['tried']:,}",
            held(row["failed"]) if row["tried"] else "",
            "; ".join(ending(outcome, times) for outcome, times in row["outcomes"].items()),
            "; ".join(f"{measure}: median {two['median']:.2g}, worst {two['worst']:.2g}"
                      for measure, two in row["measures"].items()),
        )  # fmt: skip


def ending(outcome: str, times: int) -> str:
    """An outcome with its count; a sentence is a notice, and has none."""
    return plain(outcome) if outcome.endswith(".") else f"{plain(outcome)}: {times:,}"


def page(found: Found) -> str:
    """The whole page."""
    return TEXT.format(
        machine=found["machine"],
        python=found["python"],
        summary=summary(found),
        short=shortened(found),
        failures=failures(found),
        parts="\n".join(part_text(name, found["parts"].get(name)) for name in TITLES),
        first=table(("what", "times"), FIRST),
        tests=table(("what was found", "shown by", "fails when"), rows()),
    )


def write_page(found: Found) -> None:
    PAGE.write_text(page(found), encoding="utf-8")
