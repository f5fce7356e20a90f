"""The directive `{peers} name`: a table of one benchmark, made from its JSON when the page is built.

A benchmark without a result file leaves a sentence that says so, so that no number is ever typed by hand.
"""

from __future__ import annotations

import json
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

SPACE = "\N{NO-BREAK SPACE}"
RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results"


def load(name):
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def seconds(value):
    return "not measured" if value is None else f"{value:.3g}{SPACE}s"


def times(value):
    return "not measured" if value is None else f"{value:.2g}x" if value < 10 else f"{value:.0f}x"


def against(value):
    """A ratio of times in words."""
    if value is None:
        return "not measured"
    return f"{times(value)} faster" if value >= 1 else f"{times(1 / value)} slower"


def megabytes(value):
    return f"{value / 1e6:,.0f}{SPACE}MB"


def percent(value):
    return f"{100 * value:.2f}{SPACE}%"


def transform():
    found = load("transform")
    header = ("input", "columns", "the limit: GEMM and one write", "scikit-learn `RBFSampler`", "xGPR")
    rows = [
        (row["dtype"], row["d"], times(1 / row["times_limit"]), times(row["faster_than_scikit_learn"]),
         times(row["faster_than_xgpr"]))
        for row in found["rows"]
    ]  # fmt: skip
    return header, rows


def ridge():
    found = load("ridge")
    words = f"{found['n']:,} rows, d = {found['d']}, D = {found['n_components']}, {found['dtype']}"
    own = found["seconds"]["ours, one penalty"]
    rows = [(name, seconds(value), times(value / own)) for name, value in found["seconds"].items()]
    return (words, "time", "against ours, one penalty"), rows


def wide():
    found = load("wide_speed")
    words = f"{found['n']:,} rows, D = {found['n_components']:,} (xGPR: {found['peer_n_components']:,})"
    rows = [(name, seconds(fit["seconds"]), f"{fit['error']:.4g}") for name, fit in found["fits"].items()]
    return (words, "time", "test error"), rows


def mnist():
    found = load("classifier_mnist")
    rows = []
    for name in ("ours", "RBFSampler + LogisticRegression", "RBFSampler + LinearSVC"):
        best = found[name]["best"]
        rows.append((f"{name}, {best['setting']}", percent(best["accuracy"]), seconds(best["fit_seconds"]),
                     seconds(best["predict_seconds"])))  # fmt: skip
    exact = found["SVC"]
    last = max(exact["measured"], key=int)
    rows.append((f"SVC on {int(last):,} rows", percent(exact["measured"][last]["accuracy"]),
                 f"{seconds(exact['fit_seconds_extrapolated'])} extrapolated to all rows",
                 seconds(exact["measured"][last]["predict_seconds"])))  # fmt: skip
    return (f"MNIST, 60,000 rows, D = {found['width']}", "right", "fit", "predict 10,000"), rows


def accuracy_records():
    """(name, record) of every data set and fold that was run."""
    found = load("accuracy")
    return [(key, record) for key, record in found.items() if isinstance(record, dict) and "ours" in record]


def accuracy():
    own = ("ours", "ours, by default", "ours, fourier", "ours, median heuristic")
    names = (*own, "boosted trees", "Nystroem + ridge", "xGPR")
    rows = []
    for key, record in accuracy_records():
        cells = [record.get(name, {}) for name in names]
        shown = [f"{cell['rmse']:.4g}, {seconds(cell['seconds'])}" if "rmse" in cell else
                 ("failed" if "failed" in cell else "not run") for cell in cells]  # fmt: skip
        rows.append((f"{key} ({record['n']:,} x {record['d']})", *shown))
    return ("test error (RMSE), time", *names), rows


def calibration():
    rows = []
    for key, record in accuracy_records():
        ours, theirs = record["ours"], record.get("xGPR", {})
        covers = (ours["interval_coverage"], ours["coverage"], theirs.get("coverage"))
        densities = (ours["negative_log_density"], theirs.get("negative_log_density"))
        rows.append((
            key, *("not run" if value is None else percent(value) for value in covers),
            *("not run" if value is None else f"{value:.3f}" for value in densities),
        ))  # fmt: skip
    return ("90 % intervals cover", "ours, conformal", "ours, normal", "xGPR, normal", "negative log density, ours",
            "xGPR"), rows  # fmt: skip


def two_sample():
    found = load("two_sample")["against_exact"]
    rows = [(name, seconds(value)) for name, value in found["seconds"].items()]
    return (f"test of two samples of {found['n']:,} rows", "time"), rows


def orbit():
    found = load("orbit")["rotated"]
    rows = [(name, percent(row["error"]), seconds(row["train_seconds"])) for name, row in found["methods"].items()]
    words = f"rotated digits, {found['n_train']:,} rows, D = {found['n_components']}, {found['n_transforms']} rotations"
    return (words, "wrong", "training"), rows


def orbit_on_rings():
    found = load("orbit")["polar"]
    own = found["methods"]["orbit"]["train_processor_seconds"]
    rows = [
        (name, percent(row["error"]), seconds(row["train_processor_seconds"]),
         times(row["train_processor_seconds"] / own))
        for name, row in found["methods"].items()
    ]  # fmt: skip
    words = f"the same on {found['rings']} rings of {found['angles']} angles"
    return (words, "wrong", "processor time of training", "against orbit features"), rows


def streaming():
    found = load("streaming_airline")
    rows = [(kind, seconds(found["seconds"][kind]), megabytes(found["peak_bytes"][kind])) for kind in found["seconds"]]
    return (f"{found['n']:,} rows, D = {found['n_components']}", "time", "peak of the process"), rows


def cluster():
    found = load("cluster")
    rows = [(f"{workers} worker(s)", seconds(value)) for workers, value in found["seconds"].items()]
    rows.append(("2 workers, one killed half-way", seconds(found["killed_seconds"])))
    return (f"{found['n']:,} rows, D = {found['n_components']}", "time"), rows


def distance():
    found = load("distance")
    rows = [
        (f"{run['n']:,}", record["products"], f"{record['at_least']:.4g}", f"{record['at_most']:.4g}",
         f"{record['over_truth']:.3f}", seconds(record["seconds"]))
        for run in found["runs"] for record in run["curve"]
    ]  # fmt: skip
    words = f"rows ({found['data']}, D = {found['runs'][0]['n_components']:,})"
    return (
        words,
        "products with the exact kernel",
        "distance at least",
        "at most",
        "upper limit / truth",
        "time",
    ), rows


def exact_peers():
    found = load("exact_peers")
    rows = [
        (name, f"{fit['from_exact']:.0e}", seconds(fit["seconds_wall_cpu"][1]),
         times(fit["over_ours_as_near"][1]) if "over_ours_as_near" in fit else "")
        for name, fit in found["fits"].items()
    ]  # fmt: skip
    words = f"kin40k, {found['n']:,} rows, GPyTorch {found['gpytorch']}"
    return (words, "distance from the exact mean", "processor time", "of ours that is as near"), rows


def exact_tables():
    header = (
        "table",
        "call",
        "error",
        "90 % intervals hold",
        "processor time",
        "error of 8,192 landmarks",
        "time over it",
    )
    rows = []
    for name, found in load("exact_tables")["tables"].items():
        before = found.get("before")
        for who in (each for each in ("exact", "auto") if each in found):
            own, spent = found[who], found[who]["seconds_wall_cpu"][1]
            beside = ("not run", "") if before is None else (
                f"{before['rmse']:.4f}", f"{spent / before['seconds_wall_cpu'][1]:.2f}")  # fmt: skip
            words = f"{name}, {found['n']:,} rows", who, f"{own['rmse']:.4f}", percent(own["covers"])
            rows.append((*words, seconds(spent), *beside))
    return header, rows


def landmarks():
    rows = [
        (name, f"{found['uniform']['mean']:.2g}", f"{found['pivoted']['1024']['mean']:.2g}",
         "more than 1" if found["share_of_landmarks"] is None else f"{found['share_of_landmarks']:.2f}",
         f"{least:.2f}" if (least := found.get("least_share")) else "",
         *(f"{found['rmse'][rule]:.3f}" for rule in ("uniform", "pivoted")))
        for name, found in load("landmarks_choice")["tables"].items()
    ]  # fmt: skip
    header = (
        "1,024 landmarks of 10,000 rows",
        "residual variance, uniform",
        "pivoted",
        "share of pivoted as good as uniform",
    )
    return (*header, "of any landmarks, at least", "test error, uniform", "pivoted"), rows


def server():
    found = load("server")
    header = ("", "server", "bare `predict`", "ratio")
    rows = [
        (f"{row['rows']} rows a request, {level}", f"{row[f'server_{key}_ms']:.3g} ms",
         f"{row[f'bare_{key}_ms']:.3g} ms", times(row[f"server_{key}_ms"] / row[f"bare_{key}_ms"]))
        for row in found["latency"] for key, level in (("median", "median"), ("p99", "99 %"))
    ]  # fmt: skip
    memory = found["memory"]
    grown = f"{memory['growth_bytes'] / 1e6:+.1f} MB from the first tenth to the last"
    busy = f"{found['load_average']:.1f} on two cores"
    return header, [*rows, (f"memory over {memory['requests']:,} requests", grown, "", ""),
                    ("load of the machine meanwhile", busy, "", "")]  # fmt: skip


def planner():
    header = ("`bochner fit`", "planned", "measured", "whole command", "memory planned", "measured")
    rows = [
        (f"{row['n']:,} x {row['d']}{f', {classes} classes' if (classes := row['classes']) else ''}"
         f"{f', `{options}`' if (options := row['options']) else ''}",
         seconds(row["planned_seconds"]), seconds(row["seconds"]), seconds(row["clock_seconds"]),
         f"{row['planned_bytes'] / 1e6:.0f} MB", f"{row['bytes'] / 1e6:.0f} MB")
        for row in load("planner")["commands"]
    ]  # fmt: skip
    return header, rows


def power(name="power"):
    found = load(name)
    tests = list(next(iter(found["power"].values())))
    rows = [(what, *(f"{values[test]:.2f}" for test in tests)) for what, values in found["power"].items()]
    return (f"what differs ({found['n']:,} rows of each sample, {found['repeats']} repeats)", *tests), rows


def conditional():
    """Level of `ci_test`: by links and conditioning columns, at 500 and at 5,000 rows."""
    records = [
        each
        for name in ("conditional_500", "conditional_5000")
        for each in (load(name) or {"records": []})["records"]
        if each["test"] == "ci_test" and each["alternative"] == "none"
    ]
    rows = [
        (each["link"], each["given"], f"{each['rows']:,}", f"{each['count']} of {each['repeats']}",
         f"{each['rejected']:.3f}", "{:.3f} to {:.3f}".format(*each["limits"]))
        for each in sorted(records, key=lambda each: (each["rows"], each["link"].startswith("hard")))
    ]  # fmt: skip
    return ("link", "columns of Z", "rows", "nulls rejected at 5 %", "rate", "95 % limits of the rate"), rows


def probabilities():
    cells = {(row["data"], row["n"], row["model"]): row for row in load("probabilities")["means"]}
    models = sorted({model for *_, model in cells}, key=lambda model: (not model.startswith("ours"), model))
    settings = list(dict.fromkeys((data, n) for data, n, _ in cells))
    rows = [
        (f"{data}, {n:,} rows", *(
            f"{cells[data, n, model]['log_loss']:.3f} ({100 * cells[data, n, model]['calibration_error']:.1f} %)"
            for model in models
        ))
        for data, n in settings
    ]  # fmt: skip
    return ("log loss (calibration error)", *models), rows


def conditional_peers():
    """Rates of rejection beside other libraries."""
    records = load("conditional_peers")["records"]
    tests = list(dict.fromkeys(each["test"] for each in records))
    settings = list(dict.fromkeys((each["link"], each["alternative"], each["given"]) for each in records))
    found = {(each["test"], each["link"], each["alternative"], each["given"]): each for each in records}
    cells = [[found.get((test, *setting)) for test in tests] for setting in settings]
    rows = [
        (*setting, *("" if each is None else f"{each['count']} of {each['repeats']}" for each in line))
        for setting, line in zip(settings, cells)
    ]
    cost = [f"{min(each['cpu_seconds_each'] for each in records if each['test'] == test):.2g} s" for test in tests]
    return ("link", "dependence", "columns of Z", *tests), [*rows, ("processor time of a test", "", "", *cost)]


def quantiles():
    found = load("losses")["quantiles"]
    models = list(next(iter(found.values()))["loss"])
    rows = []
    for name, record in found.items():
        best = min(record["loss"].values())
        losses = [f"**{value:.3f}**" if value == best else f"{value:.3f}" for value in record["loss"].values()]
        inside = [
            sum(low <= share <= high for share, (low, high) in zip(shares, record["limits"]))
            for shares in record["coverage"].values()
        ]
        both = sum(
            low <= share <= high for share, (low, high) in zip(record["coverage"]["ours"], record["limits_of_both"])
        )
        interval = record["conformal"]
        held = interval["limits"][0] <= interval["coverage"] <= interval["limits"][1]
        rows.append(
            (name, *losses, *(f"{count} of 3" for count in inside), f"{both} of 3",
             f"{interval['coverage']:.3f}, {'inside' if held else 'outside'}")
        )  # fmt: skip
    header = (
        "table",
        *(f"pinball loss, {each}" for each in models),
        *(f"shares within limits, {each}" for each in models),
        "ours, limits of both chances",
    )
    return (*header, "conformal 80 % intervals"), rows


def quantiles_of_more_rows():
    """Shares of test targets up to the quantiles of 4,000 rows."""
    found = load("losses").get("more rows", {})
    rows = [
        (
            name,
            *(f"{record['loss'][model]:.3f} ({', '.join(_marked_shares(record, model))})" for model in record["loss"]),
        )
        for name, record in found.items()
    ]
    models = list(next(iter(found.values()))["loss"]) if found else []
    return ("table", *(f"pinball loss (shares up to 0.1, 0.5, 0.9), {each}" for each in models)), rows


def _marked_shares(record, model):
    """Shares to three digits, those beyond their limits with an asterisk."""
    return (
        f"{share:.3f}" if low <= share <= high else f"{share:.3f}*"
        for share, (low, high) in zip(record["coverage"][model], record["limits"])
    )


def quantile_time():
    found = load("losses_time")
    row = (
        f"{found['n']:,}",
        f"{found['n_components']:,}",
        *(seconds(found["cpu"][each]) for each in ("ridge", "median")),
    )
    return ("rows", "features", "ridge, processor time", "median", "times"), [(*row, times(found["times_cpu"]))]


def power_of_more_rows():
    return power("power_4096")


def power_of_many_rows():
    return power("power_100000")


def robust():
    found = load("losses")
    counts = [
        (f"Poisson deviance, {name}", *(f"{part}: {value:.3f}" for part, value in values.items()), "")
        for name, values in found.get("deviance", {}).items()
    ]
    wrong = [
        (f"RMSE, 5 % wrong targets, {name}", *(f"{part}: {value:.3f}" for part, value in values.items()))
        for name, values in found.get("outliers", {}).items()
    ]
    return ("over that of the mean", "", "", ""), [*counts, *wrong]


def many_classes():
    """One factorisation serves all classes: what ten of them take, and a thousand."""
    found = load("classifier_classes")
    rows = [
        (f"{int(n):,}", seconds(found[n]["processor_seconds"]), megabytes(found[n]["peak_bytes"]),
         f"{found[n]['processor_ns_per_class_row_feature']:.2g} ns")
        for n in ("10", "1000")
    ]  # fmt: skip
    words = f"classes, {found['n']:,} rows, d = {found['d']}, D = {found['n_components']:,}"
    return (words, "processor time", "memory at the peak", "time a class, row and feature"), rows


def support_vectors():
    """The default classifier beside exact `SVC`: mistakes, and clock seconds of both; means over folds."""
    rows = [
        (f"{name} ({found['n']:,} x {found['d']})", percent(found["ours"]["wrong"]), percent(found["SVC"]["wrong"]),
         seconds(found["ours"]["all"]), seconds(found["SVC"]["all"]), seconds(found["SVC"]["alone"]),
         seconds(found["intelex SVC"]["alone"]), times(found["times_all"]))
        for name, found in load("support_vectors")["means"].items()
    ]  # fmt: skip
    return (
        "table", "wrong, ours", "wrong, `SVC`", "ours: search, fit, predict", "`SVC`: the same", "fit, predict alone",
        "intelex `SVC`: fit, predict", "ours over `SVC`, with both searches",
    ), rows  # fmt: skip


def images_full():
    """All images of two sets: accuracy, and seconds of fit and predict, by the clock where it was not shared."""
    found = load("images_full")
    images = {"mnist": "MNIST", "fashion_mnist": "Fashion-MNIST"}
    ways = {
        "default": "raw pixels, `KernelClassifier()`",
        "svc": "raw pixels, `SVC(C=5)` of the scale below",
        "raw": "raw pixels, exact machine of a kernel that was given",
        "patches": "patches, 8,192 landmarks on top",
    }
    rows = [
        (f"{title}, {words}", percent(run["accuracy"]),
         *(seconds(sum_of(run, measure)) for measure in ("processor_seconds", "clock_seconds")))
        for name, title in images.items() for way, words in ways.items() if (run := found[name].get(way)) is not None
    ]  # fmt: skip
    return ("60,000 images", "right", "fit and predict 10,000: processor time", "by the clock, two cores"), rows


def sum_of(run, measure):
    """Seconds of fit and predict; None if they were not measured."""
    spent = [run.get(f"{part}_{measure}") for part in ("fit", "predict")]
    return None if None in spent else sum(spent)


# The file of results behind each table, and the script that makes it.
TABLES = {
    "transform": (transform, "transform", "transform.py"),
    "ridge": (ridge, "ridge", "ridge.py"),
    "wide": (wide, "wide_speed", "wide.py"),
    "mnist": (mnist, "classifier_mnist", "classifier.py"),
    "accuracy": (accuracy, "accuracy", "accuracy.py"),
    "calibration": (calibration, "accuracy", "accuracy.py"),
    "two_sample": (two_sample, "two_sample", "two_sample.py"),
    "power": (power, "power", "power.py"),
    "power_of_more_rows": (power_of_more_rows, "power_4096", "power.py"),
    "power_of_many_rows": (power_of_many_rows, "power_100000", "power.py"),
    "quantile_time": (quantile_time, "losses_time", "losses.py"),
    "conditional": (conditional, "conditional_500", "conditional.py"),
    "probabilities": (probabilities, "probabilities", "probabilities.py"),
    "conditional_peers": (conditional_peers, "conditional_peers", "conditional.py"),
    "quantiles": (quantiles, "losses", "losses.py"),
    "quantiles_of_more_rows": (quantiles_of_more_rows, "losses", "losses.py"),
    "robust": (robust, "losses", "losses.py"),
    "orbit": (orbit, "orbit", "orbit.py"),
    "orbit_on_rings": (orbit_on_rings, "orbit", "orbit.py"),
    "streaming": (streaming, "streaming_airline", "streaming.py"),
    "distance": (distance, "distance", "distance.py"),
    "exact_peers": (exact_peers, "exact_peers", "exact_peers.py"),
    "exact_tables": (exact_tables, "exact_tables", "exact_tables.py"),
    "landmarks": (landmarks, "landmarks_choice", "landmarks.py"),
    "cluster": (cluster, "cluster", "cluster.py"),
    "server": (server, "server", "server.py"),
    "many_classes": (many_classes, "classifier_classes", "classifier.py"),
    "support_vectors": (support_vectors, "support_vectors", "support_vectors.py"),
    "images_full": (images_full, "images_full", "images_full.py"),
    "planner": (planner, "planner", "planner.py"),
}


def markdown(name):
    """The table as Markdown, or a sentence if there is no result."""
    make, result, script = TABLES[name]
    found = load(result)
    if found is None:
        return f"*Not measured yet: `benchmarks/{script}` will fill this table.*"
    header, rows = make()
    lines = [header, ["---"] * len(header), *rows]
    table = "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)
    return f"{table}\n\n`benchmarks/{script}`, {found['machine']}."


class Peers(SphinxDirective):
    required_arguments = 1

    def run(self):
        self.env.note_dependency(str(RESULTS / f"{TABLES[self.arguments[0]][1]}.json"))
        parent = nodes.Element()
        text = markdown(self.arguments[0])
        self.state.nested_parse(StringList(text.splitlines(), source="benchmarks/results"), 0, parent)
        return parent.children


def setup(app):
    app.add_directive("peers", Peers)
    return {"parallel_read_safe": True}
