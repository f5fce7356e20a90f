"""Contract checks of kernels, samplers, groups, bounds and solvers: functions that raise `AssertionError`.

Ours are tested by them, and so can yours be (`docs/extend.md`): call a check with an object, under several seeds. A
check of something random fails for a correct object less than once in 10^8 calls.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from inspect import isabstract
from typing import TypeVar

import numpy as np
from sklearn.base import clone

from bochner import _binomial
from bochner._dense import dense
from bochner._typing import Array
from bochner.errors import InvalidParameterError, invalid_parameter
from bochner.groups import Group
from bochner.kernels import Cauchy, Gaussian, Matern, Product, Scaled, Stationary, Sum
from bochner.sampling import MonteCarlo, Sampler
from bochner.solvers.path import PathSolver
from bochner.theory import Counterexample, Published, Status, TailBound

__all__ = [
    "check_bound",
    "check_failure_rate",
    "check_group",
    "check_kernel",
    "check_published",
    "check_sampler",
    "check_solver",
    "concrete_subclasses",
]

_Base = TypeVar("_Base")

_DRAWS = 40_000
_FALSE_ALARM = 1e-9  # of one comparison
_FEW_ELEMENTS = 200  # of a group whose products are all compared


def check_kernel(kernel: Stationary, *, n_features: int = 3, seed: int = 0) -> None:
    """Check of a stationary kernel: values, constants and spectral measure belong together.

    Parameters
    ----------
    kernel : Stationary
    n_features : int, default=3
        Columns of the points to try it on.
    seed : int, default=0
        Of the points and frequencies.
    """
    points = np.random.default_rng(seed).standard_normal((12, n_features))
    K, differences = kernel(points), points[:, None] - points[None]
    np.testing.assert_allclose(K, K.T, atol=1e-12, err_msg="k(x, y) differs from k(y, x)")
    _assert(np.linalg.eigvalsh(K)[0] > -1e-9 * len(K) * kernel.variance, "the kernel matrix has a negative eigenvalue")
    _assert(np.all(np.abs(K) <= kernel.variance * (1 + 1e-12)), "a value exceeds k(0), the variance")
    np.testing.assert_allclose(np.diagonal(K), kernel.variance, rtol=1e-9, err_msg="the variance is not k(0)")
    np.testing.assert_allclose(kernel.diag(points), np.diagonal(K), rtol=1e-9)
    np.testing.assert_allclose(kernel.at(differences), K, rtol=1e-9, atol=1e-13, err_msg="at(x - y) is not k(x, y)")
    np.testing.assert_allclose(kernel.multiples(differences, 3)[2], kernel.at(3 * differences), rtol=1e-12)
    np.testing.assert_allclose(clone(kernel)(points), K, err_msg="a clone has other values")
    _check_constants(kernel, n_features, seed)
    _check_mean_cosine(kernel, MonteCarlo(), n_features, seed)


def check_sampler(sampler: Sampler, *, n_features: int = 3, seed: int = 0) -> None:
    """Check of a sampler: every frequency has the law of the measure; seeds and nesting hold. Not for pilots of data.

    Parameters
    ----------
    sampler : Sampler
    n_features : int, default=3
    seed : int, default=0
    """
    if sampler.uses_pilot:
        raise invalid_parameter("check_sampler", "sampler", "one that draws without a pilot of the data", sampler)
    composed = Sum(Product(Gaussian(2.0), Matern()), Scaled(Cauchy(), 3.0))
    kernels: list[Stationary] = [Gaussian(2.0), Matern(1.2, nu=0.7), Cauchy(1.5), composed]
    for kernel in kernels:
        if sampler.unbiased:
            _check_mean_cosine(kernel, sampler, n_features, seed)
        measure = kernel.spectral_measure(n_features)
        wide = sampler.draw(measure, 20, n_features, seed=seed).omega
        _assert(wide.shape == (20, n_features), f"frequencies have shape {wide.shape}")
        again = clone(sampler).draw(measure, 20, n_features, seed=seed).omega
        np.testing.assert_array_equal(wide, again, err_msg="one seed gave different bits")
        other = sampler.draw(measure, 20, n_features, seed=seed + 1).omega
        _assert(
            not sampler.unbiased or not np.any(np.isclose(wide, other, rtol=1e-12, atol=0)),
            "two seeds share frequencies",
        )
        if sampler.nested:
            narrow = sampler.draw(measure, 7, n_features, seed=seed).omega
            np.testing.assert_allclose(wide[:7], narrow, rtol=1e-10, err_msg="a wider map begins with others")


def check_group(group: Group, n_features: int, *, seed: int = 0) -> None:
    """Check of a group: weights are a law, the seed fixes the sample, and what is called unitary or closed is.

    Parameters
    ----------
    group : Group
    n_features : int
        Columns that it acts on.
    seed : int, default=0
    """
    X = np.random.default_rng(seed).standard_normal((4, n_features))
    order = group.order(n_features)
    r = 3 if order is None else min(3, order)
    sample = group.sample(r, n_features, seed=seed)
    again = pickle.loads(pickle.dumps(clone(group))).sample(r, n_features, seed=seed)
    _assert(len(sample) == r, f"{len(sample)} transformations where {r} were asked for")
    np.testing.assert_allclose(sample.weights.sum(), 1, err_msg="weights of a sample do not sum to 1")
    for (_, moved), (_, same) in zip(sample.of(X), again.of(X), strict=True):
        _assert(moved.shape == X.shape, f"rows of shape {X.shape} became {moved.shape}")
        np.testing.assert_array_equal(moved, same, err_msg="one seed gave different transformations")
    if group.unitary:
        _assert(group.unitarity_defect(X, seed=seed) < 1e-9, "called unitary, and changes lengths")
    if order is not None and order <= _FEW_ELEMENTS:
        _check_elements(group, n_features, order)


def check_bound(bound: TailBound, *, seed: int = 0) -> None:
    """Check of a tail bound: monotone, inverted exactly, with a matching certificate; bad input is refused.

    Whether it is true, `check_failure_rate` asks.

    Parameters
    ----------
    bound : TailBound
        In a setting where some width up to 10^18 reaches eps = 0.03.
    seed : int, default=0
        Of the accuracies and widths to try.
    """
    _assert(bound.status in (Status.VALID, Status.CORRECTED), "only a proved claim is a bound")
    _assert(bool(bound.assumptions) and bool(str(bound.source)), "a bound states its assumptions and its source")
    rng = np.random.default_rng(seed)
    step = 2 if getattr(bound, "embedding", "paired") == "paired" else 1
    for eps, half in zip(np.geomspace(0.01, 2.5, 4), np.geomspace(1, 5000, 4)[::-1]):
        _check_monotone(bound, eps * rng.uniform(1, 3), step * int(half * rng.uniform(1, 3)), step, rng)
    _check_inversions(bound, rng.uniform(0.03, 0.8), float(10 ** rng.uniform(-6, -0.3)), step)
    _check_refusals(bound, step)


def check_failure_rate(
    bound: TailBound, errors: Array, n_components: int, epsilons: Sequence[float] | None = None
) -> bool:
    """Errors that were simulated exceed eps not significantly more often than the bound promises.

    The observed rate enters through its Clopper-Pearson lower limit at 1e-7: a true bound fails a comparison by chance
    once in ten million.

    Parameters
    ----------
    bound : TailBound
    errors : array of shape (n_draws,)
        Of independent draws of the frequencies.
    n_components : int
        Width of the maps that were drawn.
    epsilons : array-like, default=None
        Accuracies to compare at; None: twelve between 0.02 and 1.5.

    Returns
    -------
    informative : bool
        Some promise was below 1 while it was broken at least once. If not, the simulation could not have failed.
    """
    informative = False
    for eps in (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7, 1.0, 1.5) if epsilons is None else epsilons:
        failures, promised = int(np.sum(errors >= eps)), bound.probability(float(eps), n_components=n_components)
        observed = f"{failures} of {len(errors)} errors reach {eps:g}; the promise is {promised:.3g}: {bound}"
        _assert(rate_at_least(failures, len(errors)) <= promised, observed)
        informative |= failures > 0 and promised < 1
    return informative


def check_published(claim: type[Published]) -> None:
    """Check of a printed formula: it explains its status, issues no certificate, and is refuted by its counterexample.

    Parameters
    ----------
    claim : subclass of Published
        A concrete one, such as those in `theory.bounds()`.
    """
    _assert(bool(claim.correction), f"{claim.__name__} does not say why it has its status")
    _assert(not hasattr(claim, "certificate"), f"{claim.__name__} is printed, not proved: it issues no certificate")
    _assert(
        (claim.status is Status.REFUTED) == hasattr(claim, "counterexample"), f"{claim.__name__}: label and evidence"
    )
    if claim.status is not Status.REFUTED:
        return
    run: Callable[[], object] = claim.counterexample  # type: ignore[attr-defined]
    found = run()
    if not isinstance(found, Counterexample):
        raise AssertionError(f"{claim.__name__}.counterexample() returned {found!r}")
    _assert(found == run(), f"{claim.__name__}.counterexample() is not reproducible")
    _assert(bool(np.isfinite(found.claimed) and np.isfinite(found.true_at_least)), f"not a number: {found}")
    _assert(found.violated, f"{claim.__name__} is not violated by its counterexample: {found}")
    if found.quantity.startswith("P("):
        _assert(0 <= found.claimed < found.true_at_least <= 1, f"not probabilities: {found}")


def concrete_subclasses(base: type[_Base], package: str = "") -> list[type[_Base]]:
    """Concrete subclasses in the modules of a package, found without a list: what to call a check on.

    Parameters
    ----------
    base : class
        Such as `kernels.Stationary`, `sampling.Sampler`, `groups.Group` or `theory.TailBound`.
    package : str, default=""
        Beginning of the module's name; empty: all that were imported.

    Examples
    --------
    >>> from bochner.sampling import Sampler
    >>> [cls.__name__ for cls in concrete_subclasses(Sampler, "bochner.")]
    ['Fastfood', 'Leverage', 'MonteCarlo', 'Orthogonal', 'Quadrature', 'QuasiMonteCarlo', 'SORF']
    """
    found: set[type[_Base]] = set()
    waiting = [base]
    while waiting:
        new = set(waiting.pop().__subclasses__()) - found
        found |= new
        waiting.extend(new)
    concrete = [cls for cls in found if not isabstract(cls) and cls.__module__.startswith(package)]
    return sorted((cls for cls in concrete if not cls.__name__.startswith("_")), key=lambda cls: cls.__name__)


def rate_at_least(failures: int, trials: int) -> float:
    """Clopper-Pearson lower limit of a failure rate, at confidence 1 - 1e-7."""
    return float(_binomial.rate_at_least(failures, trials, 1e-7))


def check_solver(solver: PathSolver, *, alpha: float = 1.0) -> None:
    """A ridge solver for every penalty of one problem agrees with the normal equations, written out.

    Parameters
    ----------
    solver : object with `problem`, `solve(alpha)` and `point(alpha)`
    alpha : float, default=1.0
    """
    problem, point, coef = solver.problem, solver.point(alpha), solver.solve(alpha)
    gram = np.tril(problem.gram) + np.tril(problem.gram, -1).T
    shifted = gram + alpha * np.eye(problem.width)
    expected = np.linalg.solve(shifted, problem.cross)
    np.testing.assert_allclose(coef, expected, rtol=1e-6, atol=1e-8, err_msg="coefficients")
    assert point is not None, "point() found G + alpha I singular"
    residual = problem.energy - np.sum((2 * problem.cross - gram @ expected) * expected, axis=0)
    scale = 1e-7 * float(np.max(problem.energy))
    np.testing.assert_allclose(point.residual, residual, rtol=1e-6, atol=scale, err_msg="residual")
    np.testing.assert_allclose(point.penalty, np.sum(expected**2, axis=0), rtol=1e-6, err_msg="penalty")
    dof = problem.width - alpha * np.trace(np.linalg.inv(shifted)) + problem.intercept
    np.testing.assert_allclose(point.dof, dof, rtol=1e-7, err_msg="degrees of freedom")
    np.testing.assert_allclose(point.log_det, np.linalg.slogdet(shifted)[1], rtol=1e-9, atol=1e-7, err_msg="log det")


def _check_constants(kernel: Stationary, d: int, seed: int) -> None:
    """No slope exceeds the Lipschitz constant, no curvature the second moments: 1 - cos(t) <= t^2 / 2."""
    a, step = np.random.default_rng(seed).standard_normal((2, 300, d))
    slope = np.abs(kernel.at(a) - kernel.at(a + 0.01 * step)) / np.linalg.norm(0.01 * step, axis=1)
    _assert(np.max(slope) <= kernel.lipschitz(d) * (1 + 1e-9), f"a slope of {np.max(slope):.4g} exceeds lipschitz()")
    moments = kernel.second_moments(d)
    _assert(np.shape(moments) == (d,), f"second moments have shape {np.shape(moments)}")
    for t in (0.01, 0.1, 1.0):
        curvature = 2 * (1 - kernel.at(t * np.eye(d)) / kernel.variance) / t**2
        _assert(np.all(curvature <= moments * (1 + 1e-9) + 1e-9), "curvature at 0 exceeds second_moments()")


def _check_mean_cosine(kernel: Stationary, sampler: Sampler, d: int, seed: int) -> None:
    """k(delta) = k(0) E cos(omega . delta), by Bernstein's inequality over independent frequencies.

    Samplers with dependent frequencies pass because theirs lower the variance, or raise it by a few percent, and
    Bernstein's inequality is 4 % wider than a normal tail.
    """
    points = np.random.default_rng(seed).standard_normal((6, d))
    delta = (points[:, None] - points[None])[np.triu_indices(6, 1)]
    omega = sampler.draw(kernel.spectral_measure(d), _DRAWS, d, seed=seed).omega
    error = np.abs(np.cos(delta @ omega.T).mean(axis=-1) - kernel.at(delta) / kernel.variance)
    variance = (1 + kernel.at(2 * delta) / kernel.variance) / 2 - (kernel.at(delta) / kernel.variance) ** 2
    log_term = np.log(2 / _FALSE_ALARM) / _DRAWS
    allowed = np.sqrt(2 * np.maximum(variance, 0) * log_term) + 4 / 3 * log_term
    _assert(np.all(error <= allowed), f"the mean cosine of {_DRAWS:,} frequencies is off k by {error.max():.3g}")


def _check_elements(group: Group, d: int, order: int) -> None:
    listed = group.elements(d)
    _assert(listed.whole and len(listed) == order, f"{len(listed)} elements are listed, the order is {order}")
    np.testing.assert_allclose(listed.weights.sum(), 1, err_msg="weights of the elements do not sum to 1")
    if not (group.closed and group.unitary and listed.linear):
        return
    A = np.array([dense(matrix) for matrix in listed.matrices])
    _assert(len({a.round(9).tobytes() for a in A + 0.0}) == order, "elements repeat")

    def contains(matrix: Array) -> bool:
        return bool(np.any(np.all(np.abs(A - matrix) < 1e-12, axis=(1, 2))))

    _assert(contains(np.eye(d)), "the identity is missing")
    _assert(all(contains(a.T) for a in A), "an inverse is missing")
    _assert(all(contains(a @ b) for a in A for b in A[:8]), "a product is missing")


def _check_monotone(bound: TailBound, eps: float, width: int, step: int, rng: np.random.Generator) -> None:
    here, slack = bound.probability(eps, n_components=width), 1 + 1e-12
    _assert(0 <= here <= 1, f"a probability of {here}")
    less_accurate = bound.probability(eps * rng.uniform(1, 3), n_components=width)
    wider = bound.probability(eps, n_components=width + step * int(rng.integers(5000)))
    _assert(less_accurate <= here * slack, "the probability increases with eps")
    _assert(wider <= here * slack, "the probability increases with n_components")


def _check_inversions(bound: TailBound, eps: float, delta: float, step: int) -> None:
    width = bound.features_needed(eps, delta)
    _assert(bound.probability(eps, n_components=width) <= delta, "features_needed() is not enough")
    if width > step:
        _assert(bound.probability(eps, n_components=width - step) > delta, "features_needed() is more than needed")
    certificate = bound.certificate(20_000, delta)
    value = certificate.value
    _assert(value == bound.error(20_000, delta) and certificate.delta == delta, "the certificate says something else")
    named = bound.error_name or bound.quantity
    _assert(named in certificate.statement, "the certificate does not say what it bounds")
    if value < bound.ceiling():
        _assert(bound.probability(value, n_components=20_000) <= delta, "error() is too small")
        _assert(bound.probability(value * (1 - 1e-6), n_components=20_000) > delta, "error() is larger than needed")


def _check_refusals(bound: TailBound, step: int) -> None:
    bad: list[tuple[str, Callable[[], object]]] = [
        *(("eps", lambda eps=eps: bound.probability(eps, n_components=100)) for eps in (0.0, -0.1, np.nan, np.inf)),
        *(("delta", lambda delta=delta: bound.features_needed(0.1, delta)) for delta in (0.0, 1.0, -1.0, 2.0)),
        *(("delta", lambda delta=delta: bound.error(100, delta)) for delta in (0.0, 1.0, -1.0, 2.0)),
        ("n_components", lambda: bound.probability(0.1, n_components=0)),
    ]
    if step == 2:
        bad.append(("even", lambda: bound.probability(0.1, n_components=101)))
    for name, call in bad:
        try:
            call()
        except InvalidParameterError as error:
            _assert(name in str(error), f"the error does not name {name}: {error}")
        else:
            raise AssertionError(f"a bad {name} is accepted")


def _assert(holds: bool | np.bool_, otherwise: str) -> None:
    if not holds:
        raise AssertionError(otherwise)
