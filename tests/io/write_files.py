"""Write the model files of this version and what their models say: `python -m tests.io.write_files`.

Run it at every release, and never again for that release: the tests read the files of all of them.
"""

from pathlib import Path

import numpy as np

import bochner as bo
from tests.io.fitted_models import FITTED, answers

KEPT = (
    "KernelRegressor",
    "KernelClassifier",
    "KernelPCA",
    "NystroemFeatures",
    "OrbitFeatures",
    "DriftDetector",
    "Pipeline on a frame",
)

if __name__ == "__main__":
    for name in KEPT:
        path = Path(__file__).parent / "files" / f"{name.replace(' ', '-')}-{bo.__version__}.bochner"
        model = FITTED[name]()
        bo.save(model, path)
        np.savez(path.with_suffix(".npz"), **answers(model))
