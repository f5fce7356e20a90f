"""A fitted object of every kind that a model file can hold, and what it says about some rows."""

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

import bochner as bo
from bochner import groups

RNG = np.random.default_rng(0)
X = RNG.standard_normal((120, 4))
Y = np.sin(X[:, 0]) + X[:, 1]
LABELS = np.where(Y > 0.5, "high", np.where(Y < -0.5, "low", "middle"))
BAGS = [RNG.standard_normal((8, 2)) * (1 + i % 3) for i in range(30)]
SIZES = np.arange(30.0) % 3
FRAME = pd.DataFrame(
    {"a": X[:, 0], "b": np.where(np.arange(120) % 7, X[:, 1], np.nan), "c": np.where(Y > 0, "ü", "x"), "d": LABELS}
)


def regressor(**given):
    return bo.KernelRegressor(**{"n_components": 32, "random_state": 0, **given})


def classifier(**given):
    return bo.KernelClassifier(**{"n_components": 32, "random_state": 0, "alpha": 0.1, **given})


def table():
    numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    return ColumnTransformer(
        [("numbers", numbers, ["a", "b"]), ("names", OneHotEncoder(handle_unknown="ignore"), ["c"])],
        remainder=OrdinalEncoder(),
    )


def streamed():
    model = regressor(length_scale=2.0, alpha="evidence")
    return model.partial_fit(X[:50], Y[:50]).partial_fit(X[50:], Y[50:])


FITTED = {
    "FourierFeatures, sorf": lambda: bo.FourierFeatures(n_components=9, sampling="sorf", random_state=1).fit(X),
    "FourierFeatures, fastfood": lambda: bo.FourierFeatures(
        bo.Matern(np.arange(1.0, 5.0)), n_components=16, sampling="fastfood", random_state=1
    ).fit(X),
    "MaclaurinFeatures": lambda: bo.MaclaurinFeatures(bo.Exponential(2.0), n_components=9, random_state=1).fit(X),
    "TensorSketchFeatures": lambda: bo.TensorSketchFeatures(bo.Polynomial(2), n_components=9, random_state=1).fit(X),
    "PositiveFeatures": lambda: bo.PositiveFeatures(n_components=9, random_state=1).fit(X),
    "ArcCosineFeatures": lambda: bo.ArcCosineFeatures(bo.ArcCosine(2), n_components=9, random_state=1).fit(X),
    "SignFeatures": lambda: bo.SignFeatures(n_components=9, random_state=1).fit(X),
    "SignFeatures, codes": lambda: bo.SignFeatures(bo.Cauchy(2.0), n_components=9, random_state=1).fit(X),
    "SketchFeatures": lambda: bo.SketchFeatures(n_components=9, random_state=1).fit(X),
    "AdditiveFeatures": lambda: bo.AdditiveFeatures(bo.Intersection(), random_state=1).fit(np.abs(X)),
    "LaplaceFeatures": lambda: bo.LaplaceFeatures(n_components=9, random_state=1).fit(np.abs(X)),
    "KernelRegressor, polynomial": lambda: regressor(kernel=bo.Polynomial(2)).fit(X, Y),
    "FourierFeatures": lambda: bo.FourierFeatures(bo.Gaussian(2.0), n_components=33, random_state=1).fit(X),
    "FourierFeatures, phases": lambda: bo.FourierFeatures(n_components=9, embedding="phase", random_state=1).fit(X),
    "FourierFeatures, orthogonal": lambda: bo.FourierFeatures(
        bo.Matern(nu=2.5) + 2 * bo.Cauchy(), n_components=16, sampling="orthogonal", random_state=1
    ).fit(X),
    "FourierFeatures, leverage": lambda: bo.FourierFeatures(
        n_components=16, sampling=bo.Leverage(pool=bo.QuasiMonteCarlo()), random_state=np.random.default_rng(3)
    ).fit(X),
    "FourierFeatures, quadrature": lambda: bo.FourierFeatures(
        bo.Matern(2.0), n_components=16, sampling="quadrature", random_state=0
    ).fit(X[:, :2]),
    "OrbitFeatures": lambda: bo.OrbitFeatures(
        groups.Permutations(), bo.FourierFeatures(n_components=16), n_transforms=5, random_state=2
    ).fit(X),
    "OrbitFeatures of another map": lambda: bo.OrbitFeatures(groups.CyclicShifts(), base=StandardScaler()).fit(X),
    "NystroemFeatures": lambda: bo.NystroemFeatures(bo.Laplacian(2.0), n_components=12, random_state=0).fit(X),
    "NystroemFeatures of a group": lambda: bo.NystroemFeatures(
        n_components=12, group=groups.SignFlips(), n_transforms=4, random_state=0
    ).fit(X),
    "WarpedFeatures": lambda: bo.WarpedFeatures(
        bo.NystroemFeatures(bo.Gaussian(2.0), n_components=12, random_state=0)
    ).fit(X),
    "KernelValues": lambda: bo.KernelValues(bo.Gaussian(2.0)).fit(X),
    "KernelRegressor, exact": lambda: bo.KernelRegressor(bo.Gaussian(2.0), features="exact", alpha=0.1).fit(X, Y),
    "KernelRegressor, automatic": lambda: bo.KernelRegressor(features="auto", alpha="auto", random_state=0).fit(X, Y),
    "GridFeatures": lambda: bo.GridFeatures(bo.Matern(2.0) + bo.Cauchy(2.0), eps=0.1).fit(X[:, :2]),
    "KernelRegressor, grid": lambda: bo.KernelRegressor(
        bo.Matern(2.0), features="grid", n_components=500, random_state=0
    ).fit(X[:, :2], Y),
    "PeriodicColumns": lambda: bo.PeriodicColumns([2.0, None, 3.0, None]).fit(X),
    "SphereColumns": lambda: bo.SphereColumns(6371.0).fit(X[:, :2]),
    "PatchFeatures": lambda: bo.PatchFeatures((2, 2), 1, pool=(2, 1), centred=False, random_state=0).fit(X),
    "PatchFeatures, polar": lambda: bo.PatchFeatures(
        (2, 2), 1, pool=(1, 4), centred=False, grid="polar", random_state=0
    ).fit(X),
    "SplineFeatures": lambda: bo.SplineFeatures(n_components=16, length_scale=9.0, random_state=0).fit(X),
    "KernelRegressor": lambda: regressor().fit(X, Y),
    "KernelRegressor, streamed": streamed,
    "KernelRegressor, many targets": lambda: regressor(alpha="loo", features=PolynomialFeatures(2)).fit(
        X, np.c_[Y, X[:, 2]]
    ),
    "KernelRegressor of a group": lambda: regressor(features=bo.OrbitFeatures(groups.SignFlips())).fit(X, Y),
    "KernelRegressor, float32": lambda: regressor(random_state=np.random.RandomState(3)).fit(
        X.astype(np.float32), Y.astype(np.float32)
    ),
    "KernelClassifier": lambda: classifier().fit(X, LABELS),
    "KernelClassifier, hinge": lambda: classifier(loss="hinge", probability=True, class_weight={True: 2, False: 1}).fit(
        X, Y > 0
    ),
    "KernelClassifier, streamed": lambda: classifier(length_scale=2.0).partial_fit(X, LABELS),
    "KernelQuantileRegressor": lambda: bo.KernelQuantileRegressor(
        quantile=[0.1, 0.9], interval="conformal", n_components=32, alpha=0.1, random_state=0
    ).fit(X, Y),
    "KernelHuberRegressor": lambda: bo.KernelHuberRegressor(
        n_components=32, length_scale=1.0, alpha=0.1, random_state=0
    ).fit(X, Y),
    "KernelPoissonRegressor": lambda: bo.KernelPoissonRegressor(
        n_components=32, length_scale=1.0, alpha=0.1, random_state=0
    ).fit(X, np.exp(Y)),
    "KernelTweedieRegressor": lambda: bo.KernelTweedieRegressor(n_components=32, alpha=0.1, random_state=0).fit(
        X, np.exp(Y)
    ),
    "KernelPCA": lambda: bo.KernelPCA(n_components=3, width=32, random_state=0).fit(X),
    "KernelPCA, pre-images": lambda: bo.KernelPCA(
        n_components=3, width=32, fit_inverse_transform=True, random_state=0
    ).fit(X),
    "KernelNovelty": lambda: bo.KernelNovelty(n_components=32, random_state=0).fit(X),
    "KernelNovelty, streamed": lambda: bo.KernelNovelty(
        n_components=32, length_scale=2.0, contamination=0.1, random_state=0
    ).partial_fit(X),
    "DistributionRegressor": lambda: bo.DistributionRegressor(n_components=16, random_state=0).fit(BAGS, SIZES),
    "DistributionClassifier": lambda: bo.DistributionClassifier(
        n_components=16, outer_kernel="gaussian", random_state=0
    ).fit(BAGS, SIZES > 1),
    "DriftDetector": lambda: bo.DriftDetector(n_components=16, window=5, random_state=0).fit(X),
    "Pipeline of scalers": lambda: make_pipeline(
        RobustScaler(), PowerTransformer(), QuantileTransformer(n_quantiles=20), MinMaxScaler(), regressor()
    ).fit(X, Y),
    "Pipeline, bins and unions": lambda: make_pipeline(
        FeatureUnion([("bins", KBinsDiscretizer(3)), ("features", bo.FourierFeatures(n_components=8, random_state=0))]),
        LogisticRegression(),
    ).fit(X, LABELS),
    "Pipeline with a linear model": lambda: make_pipeline(bo.FourierFeatures(random_state=0), Ridge()).fit(X, Y),
    "Pipeline on a frame": lambda: make_pipeline(table(), classifier()).fit(FRAME, LABELS),
    "TableEncoder": lambda: bo.TableEncoder().fit(FRAME),
    "Pipeline with a TableEncoder": lambda: make_pipeline(bo.TableEncoder(), classifier()).fit(FRAME, LABELS),
    "TransformedTargetRegressor": lambda: TransformedTargetRegressor(regressor(), transformer=StandardScaler()).fit(
        X, Y
    ),
}


def rows_for(model):
    """Rows that the model takes."""
    if hasattr(model, "embed"):
        return BAGS
    if isinstance(model, (bo.AdditiveFeatures, bo.LaplaceFeatures)):
        return np.abs(X)
    if getattr(model, "n_features_in_", None) == 2:
        return X[:, :2]
    first = getattr(model, "steps", [("", model)])[0][1]
    return FRAME if isinstance(first, (ColumnTransformer, bo.TableEncoder)) else X


def answers(model):
    """Everything that the model says about rows, by method."""
    rows = rows_for(model)
    asked = ("predict", "predict_proba", "decision_function", "transform")
    said = {name: getattr(model, name)(rows) for name in asked if hasattr(model, name)}
    if hasattr(model, "inverse_transform") and hasattr(model, "components_"):
        said["inverse"] = model.inverse_transform(said["transform"])
    if isinstance(model, bo.DriftDetector):
        said["predict"] = np.array(said["predict"].pvalue)
    return {name: np.asarray(value.toarray() if hasattr(value, "toarray") else value) for name, value in said.items()}
