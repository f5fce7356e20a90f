"""Write the six numbers of the README and the table of docs/measured.md from the JSON of the benchmarks."""

from __future__ import annotations

import json
import re
from pathlib import Path

from harness import RESULTS

ROOT = Path(__file__).parent.parent


def load(name):
    return json.loads((RESULTS / f"{name}.json").read_text())


def against(value, peer):
    """A ratio of times in words: never "0.1x" as a praise."""
    if value is None:
        return f"{peer}: not measured"
    return f"{value:.1f}x faster than {peer}" if value >= 1 else f"{1 / value:.1f}x slower than {peer}"


def transform_rows():
    for row in load("transform")["rows"]:
        yield (
            f"transform, {row['dtype']}, d={row['d']}",
            f"{row['times_limit']:.2f}x (GEMM + one write of the output)",
            f"{against(row['faster_than_scikit_learn'], '`RBFSampler`')}, {against(row['faster_than_xgpr'], 'xGPR')}",
        )


def ridge_rows():
    r = load("ridge")
    peers = (
        f"{against(r['faster_than_scikit_learn'], '`RBFSampler` + `Ridge`')}, {against(r['faster_than_xgpr'], 'xGPR')}"
    )
    yield "ridge, one penalty", f"{r['one_penalty_times_limit']:.2f}x (SYRK + Cholesky)", peers
    yield "ridge, 20 penalties by GCV", f"{r['path_times_limit']:.2f}x (SYRK + `eigh`)", ""
    yield "ridge, growth with n", f"log-log slope {r['growth']['log_log_slope']:.2f}", ""


def memory_rows():
    m = load("memory")
    yield "ridge on a memory map of 1,000,000 rows", f"{m['peak_growth_bytes'] / 1e6:.0f} MB on top of the process", ""
    yield "`import bochner`", f"{m['import_ratio']:.2f}x the time of `import sklearn`", ""


def classifier_rows():
    m, memory = load("classifier_mnist"), load("classifier_memory")
    best, faster = m["ours"]["best"], m["faster_than"]
    peers = ", ".join(against(value, name) for name, value in faster.items())
    yield (
        f"classifier, MNIST, 60,000 rows, D={m['width']}",
        f"{100 * best['accuracy']:.2f} % right in {best['fit_seconds']:.0f} s",
        peers,
    )
    for row in load("classifier_tables")["rows"]:
        yield (
            f"classifier, {row['data']}, {row['n']:,} rows",
            f"{100 * row['accuracy_difference']:+.2f} points against exact `SVC`",
            f"{against(row['faster_fit_and_predict'], '`SVC`')}, fit and predict",
        )
    for name, record in (found("support_vectors_7") or {"tables": {}})["tables"].items():
        exact = record["SVC"]
        yield (
            f"default classifier, {name}, {record['n']:,} rows",
            f"{exact['points_ahead']:+.2f} points against tuned exact `SVC`",
            f"{exact['times_clock']['search_fit_and_predict']:.2g}x the time of `SVC` with its search, "
            f"{exact['times_clock']['fit_and_predict']:.2g}x without",
        )
    yield (
        "logistic classifier on a memory map of 1,000,000 rows",
        f"{memory['peak_growth_bytes'] / 1e6:.0f} MB on top of the process",
        "",
    )


def scale_rows():
    """What exists of the benchmarks of wide maps, files and clusters."""
    if (w := found("wide_speed")) is not None:
        yield (
            f"ridge by conjugate gradients, {w['n']:,} rows, D={w['n_components']:,}",
            f"error on new rows within {abs(w['relative_error_difference']):.0e} of the direct solver's",
            f"{against(w['faster_than_direct'], 'our direct solver')}, "
            f"{against(w['faster_than_xgpr'], 'that of xGPR')} (D={w['peer_n_components']:,})",
        )
    if (a := found("streaming_airline")) is not None:
        yield (
            f"ridge from Parquet, {a['n']:,} rows, D={a['n_components']:,}",
            f"{a['times_memory']:.2f}x the time of the fit from memory, {a['peak_bytes']['scan'] / 1e6:.0f} MB in all",
            "",
        )
    if (e := found("streaming_etopo5")) is not None:
        last = e["rows"][-1]
        yield (
            f"ridge on a stream of {last['n']:,} rows, D={e['n_components']:,}",
            f"{last['seconds']:.0f} s, {last['peak_bytes'] / 1e6:.0f} MB; log-log slope {e['log_log_slope']:.2f}",
            "",
        )
    if (c := found("streaming_checkpoint")) is not None:
        yield "checkpoints of a fit of 1,000,000 rows", f"{100 * c['overhead']:.1f} % of its time", ""
    if (c := found("cluster")) is not None:
        yield (
            f"Dask, two worker processes, {c['n']:,} rows, D={c['n_components']:,}",
            f"coefficients within {max(c['coefficient_differences'].values()):.0e} of the local fit's, also with a "
            "worker killed half-way",
            against(c["speedup"], "one worker"),
        )


def accuracy_rows():
    """Errors on the first fold that was run of every table."""
    seen = set()
    for key, record in (found("accuracy") or {}).items():
        name = key.split(",")[0]
        if not isinstance(record, dict) or "ours" not in record or name in seen:
            continue
        seen.add(name)
        peers = [
            f"{who} {record[who]['rmse']:.3g}" for who in ("boosted trees", "xGPR") if "rmse" in record.get(who, {})
        ]
        ours, default = record["ours"], record.get("ours, by default")
        error = f"error {ours['rmse']:.3g} (RMSE, target of variance 1) in {ours['seconds']:.0f} s"
        error += "" if default is None else f"; {default['rmse']:.3g} by default"
        yield f"regression, {key}, {record['n']:,} rows", error, ", ".join(peers) + " (errors)"


def found(name):
    return load(name) if (RESULTS / f"{name}.json").exists() else None


def table():
    lines = ["| what | against the limit | against others |", "|---|---|---|"]
    lines += [
        f"| {' | '.join(cells)} |"
        for rows in (transform_rows(), ridge_rows(), memory_rows(), classifier_rows(), accuracy_rows(), scale_rows())
        for cells in rows
    ]
    machine = load("transform")["machine"]
    note = f"Ratios measured in one run ({machine}). Transform: 20,000 rows to 2048 features. Ridge: 100,000 rows, d=20, 4096 features, float32."  # noqa: E501
    return "\n".join([note, "", *lines])


def headlines():
    """Six numbers, each with its setting and the script that made it."""
    transforms, r, m, w = load("transform")["rows"], load("ridge"), load("memory"), load("wide_speed")
    t = next(row for row in transforms if (row["dtype"], row["d"]) == ("float32", 50))
    lines = [
        (
            against(t["faster_than_scikit_learn"], "`RBFSampler`"),
            "features of 20,000 rows, d = 50, to 2,048 columns, float32",
            "transform",
        ),
        (
            f"{t['times_limit']:.2f}x the time of GEMM and one write",
            "the same transform against the hardware",
            "transform",
        ),
        (
            against(r["faster_than_scikit_learn"], "`RBFSampler` + `Ridge`"),
            "ridge, 100,000 rows, d = 20, 4,096 features, float32, one penalty",
            "ridge",
        ),
        (f"{r['path_times_limit']:.2f}x the time of SYRK + `eigh`", "the same with 20 penalties by GCV", "ridge"),
        (
            f"{m['peak_growth_bytes'] / 1e6:.0f} MB on top of the process",
            "ridge on a memory map of 1,000,000 rows, whatever their number",
            "memory",
        ),
        (
            against(w["faster_than_direct"], "our own direct solver"),
            f"conjugate gradients, {w['n']:,} rows, {w['n_components']:,} features, error on new rows within "
            f"{abs(w['relative_error_difference']):.0e}",
            "wide",
        ),
    ]
    rows = [f"| {what} | {setting} | `benchmarks/{script}.py` |" for what, setting, script in lines]
    note = f"Ratios in one run on {load('transform')['machine']}."
    return "\n".join([note, "", "| number | setting | script |", "|---|---|---|", *rows])


def rewrite(path, content):
    """Put the content between the marks of a page."""
    block = f"<!-- benchmarks:begin -->\n{content}\n<!-- benchmarks:end -->"
    pattern = r"<!-- benchmarks:begin -->.*<!-- benchmarks:end -->"
    path.write_text(re.sub(pattern, lambda _: block, path.read_text(), flags=re.S))


def main():
    rewrite(ROOT / "README.md", headlines())
    rewrite(ROOT / "docs" / "measured.md", table())


if __name__ == "__main__":
    main()
