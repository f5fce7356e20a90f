"""All 60,000 training images of MNIST and Fashion-MNIST: raw pixels by one call, patches with a kernel on top.

    python benchmarks/images_full.py mnist --ways svc default        (beside each other, in one process)
    python benchmarks/images_full.py [mnist fashion_mnist] [--ways default raw patches]

`default` is `KernelClassifier()`, which chooses everything by the training rows. Settings of the others were chosen on
training rows that were not fitted to, never on test rows; `--choose` compares some of them again (2,500 rows to fit
pixels and 1,200 to fit patches, 4,000 and 1,800 others to compare). Scale and penalty of the kernel on top of MNIST's
patches, and the number of landmarks, were taken from Fashion-MNIST and not compared on MNIST. Pixels are between 0 and
1; those of Fashion-MNIST have a root taken, but for `default`. Seconds are of the processor, over all threads, and of
the clock.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings

import numpy as np
from harness import RESULTS, write
from images import SHAPE, data
from sklearn.metrics import pairwise_distances
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC

import bochner as bo

POWER = {"mnist": 1.0, "fashion_mnist": 0.35}
"""Of the pixels: roots of them see folds in dark cloth."""
KERNEL = {"mnist": bo.Gaussian(5.64), "fashion_mnist": bo.PowerExponential(8.0, 1.5)}
ALPHA = 0.02
PATCHES = {"mnist": {"patch": 5, "pool": 3, "scale": 0.4}, "fashion_mnist": {"patch": 3, "pool": 5, "scale": 0.4}}
ON_TOP = {"mnist": {"scale": 0.9, "alpha": 0.02}, "fashion_mnist": {"scale": 0.9, "alpha": 0.05}}
"""Length scale in units of the median distance, and penalty."""
LANDMARKS = 8192


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=["mnist", "fashion_mnist"])
    parser.add_argument("--ways", nargs="*", default=["default"], choices=WAYS)
    parser.add_argument("--choose", action="store_true", help="Print what settings were chosen by.")
    parser.add_argument("--rows", type=int, default=60_000, help="Fewer: a trial, which writes nothing.")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in args.names:
        for way in args.ways:
            if args.choose:
                choose(name, way)
            else:
                run(name, way, args.rows)


def run(name, way, n):
    (X, y), test = data(name)
    found = measured(WAYS[way], name, (X[:n], y[:n]), test)
    print(name, way, found, flush=True)
    if n == 60_000:
        path = RESULTS / "images_full.json"
        known = json.loads(path.read_text()) if path.exists() else {}
        write("images_full", {**known, name: {**known.get(name, {}), way: found}})


def measured(make, name, train, test):
    model = make(name, train[0])
    _, *fit = timed(lambda: model.fit(*train))
    accuracy, *predict = timed(lambda: float(model.score(*test)))
    return {
        "accuracy": accuracy, "fit_processor_seconds": fit[0], "fit_clock_seconds": fit[1],
        "predict_processor_seconds": predict[0], "predict_clock_seconds": predict[1],
        "n_train": len(train[0]), "n_test": len(test[0]), "model": repr(model)[:1000],
    }  # fmt: skip


def timed(run):
    """What a call returns, its processor seconds and its seconds by the clock."""
    start, clock = time.process_time(), time.perf_counter()
    found = run()
    return found, time.process_time() - start, time.perf_counter() - clock


def default(name, X):
    """One call on raw pixels, without settings."""
    return bo.KernelClassifier(random_state=0)


def raw(name, X):
    """The exact kernel machine of all pixels."""
    return make_pipeline(roots(name), bo.KernelClassifier(KERNEL[name], features="exact", alpha=ALPHA, random_state=0))


def roots(name):
    return FunctionTransformer(raised, kw_args={"power": POWER[name]})


def raised(X, power):
    return X ** np.float32(power)


def patches(name, X, landmarks=LANDMARKS):
    """A Gaussian kernel with landmarks on pooled features of patches; products instead of moments."""
    of_patches, settings = patch_features(name, **PATCHES[name]), ON_TOP[name]
    some = of_patches.fit_transform(roots(name).transform(X[:1000]))
    scale = settings["scale"] * float(np.median(pairwise_distances(some[:500])))
    on_top = bo.KernelClassifier(
        bo.Gaussian(scale), features="nystroem", n_components=min(landmarks, len(X)), loss="squared_error",
        alpha=settings["alpha"], random_state=0,
    )  # fmt: skip
    return make_pipeline(roots(name), of_patches, on_top)


def patch_features(name, *, patch, pool, scale, width=128):
    base = bo.NystroemFeatures(bo.Gaussian(scale), n_components=width, landmarks="kmeans")
    return bo.PatchFeatures(SHAPE, patch, base, pool=pool, random_state=0)


def svc(name, X):
    """The exact support vector machine of scikit-learn, with the scale of MNIST's kernel."""
    return SVC(C=5.0, gamma=1 / (2 * 5.64**2), cache_size=2000)


WAYS = {"default": default, "raw": raw, "patches": patches, "svc": svc}


def choose(name, way):
    """Accuracy of other rows of the training file, at other settings around those that were taken."""
    (X, y), _ = data(name)
    fit, compare = (2500, 4000) if way == "raw" else (1200, 1800)
    order = np.random.default_rng(0).permutation(len(X))[: fit + compare]
    A, B = X[order[:fit]], X[order[fit:]]
    tried = raw_settings(name, A) if way == "raw" else patch_settings(name, A)
    for label, model in tried:
        print(name, way, label, model.fit(A, y[order[:fit]]).score(B, y[order[fit:]]), flush=True)


def raw_settings(name, X):
    """Kernels of three roughnesses and two scales, of pixels and of their roots."""
    for power in (1.0, 0.5, 0.35) if name == "fashion_mnist" else (1.0,):
        pixels = FunctionTransformer(raised, kw_args={"power": power})
        median = float(np.median(pairwise_distances(pixels.transform(X[:500]))))
        for exponent, scale in ((2.0, 0.57), (2.0, 0.78), (1.5, 0.6), (1.5, 1.0), (1.0, 0.8), (1.0, 2.0)):
            kernel = bo.PowerExponential(scale * median, exponent)
            model = bo.KernelClassifier(kernel, features="exact", alpha=ALPHA, random_state=0)
            yield f"power {power}, {kernel}", make_pipeline(pixels, model)


def patch_settings(name, X):
    """Changes of the side of patches, points of pooling and the kernel of patches, with 64 landmarks."""
    for change in ({}, {"patch": 3}, {"patch": 5}, {"pool": 4}, {"pool": 6}, {"scale": 0.6}):
        of_patches = patch_features(name, **{**PATCHES[name], **change}, width=64)
        median = float(np.median(pairwise_distances(of_patches.fit_transform(roots(name).transform(X))[:500])))
        kernel, alpha = bo.Gaussian(ON_TOP[name]["scale"] * median), ON_TOP[name]["alpha"]
        model = bo.KernelClassifier(kernel, features="exact", alpha=alpha, random_state=0)
        yield f"{change}", make_pipeline(roots(name), of_patches, model)


if __name__ == "__main__":
    main()
