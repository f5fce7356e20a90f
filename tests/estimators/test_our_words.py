"""Words of scikit-learn's kernel machines in our constructors: an error that names ours."""

import inspect

import pytest
from sklearn.base import clone

import bochner as bo

ESTIMATORS = {
    bo.KernelRegressor: (),
    bo.KernelClassifier: (),
    bo.KernelPCA: (),
    bo.KernelQuantileRegressor: (),
    bo.KernelHuberRegressor: (),
    bo.KernelPoissonRegressor: (),
    bo.KernelTweedieRegressor: (),
    bo.FourierFeatures: (),
    bo.NystroemFeatures: (),
    bo.SplineFeatures: (),
    bo.OrbitFeatures: (bo.groups.SignFlips(),),
    bo.PatchFeatures: ((8, 8),),
    bo.DriftDetector: (),
    bo.DistributionRegressor: (),
    bo.DistributionClassifier: (),
}
WORDS = {
    "C": r"alpha, the penalty: 1 / C",
    "n_jobs": r"bochner\.set_config\(n_threads=\.\.\.\)",
    "verbose": r"set_callbacks",
    "gamma": r"length_scale: 1 / sqrt\(2 gamma\)",
    "epsilon": r"insensitive zone",
    "degree": r"stationary",
}


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("word", WORDS)
def test_the_error_names_our_word(kind, word):
    if word in inspect.signature(kind).parameters:
        pytest.skip("it has this one")
    with pytest.raises(TypeError, match=f"{kind.__name__} has no parameter '{word}'.*{WORDS[word]}"):
        kind(*ESTIMATORS[kind], **{word: 1})


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_signature_parameters_and_copies_are_as_without_it(kind):
    parameters = inspect.signature(kind).parameters
    made = kind(*ESTIMATORS[kind])
    assert set(made.get_params(deep=False)) == set(parameters)
    assert all(each.kind != inspect.Parameter.VAR_KEYWORD for each in parameters.values())
    assert repr(clone(made)) == repr(made)
    assert kind.__init__.__wrapped__.__qualname__ == kind.__init__.__qualname__


def test_other_unknown_words_have_the_error_of_python():
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        bo.KernelRegressor(colour="red")


def test_a_class_of_a_user_is_met_in_the_same_way():
    class Own(bo.KernelRegressor):
        def __init__(self, kernel="gaussian", *, C=1.0):
            super().__init__(kernel)
            self.C = C

    assert Own(C=2.0).get_params() == {"kernel": "gaussian", "C": 2.0}
    with pytest.raises(TypeError, match="Own has no parameter 'n_jobs'"):
        Own(n_jobs=2)


def test_rbf_is_a_name_of_the_gaussian_kernel():
    X, y = [[0.0], [1.0], [2.0], [3.0]] * 3, [0, 0, 1, 1] * 3
    model = bo.KernelClassifier("rbf", n_components=8, random_state=0).fit(X, y)
    assert type(model.features_.kernel_) is bo.Gaussian
