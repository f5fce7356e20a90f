"""The kinds of claim are kept apart by their types."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar

import pytest
from scipy.stats import binom

from bochner import theory
from bochner.testing import check_published
from bochner.theory import Bound, Counterexample, Evidence, Published, Rate, Source, Status
from bochner.theory.counterexample import rate_at_least

PRINTED = [claim for claim in theory.bounds() if issubclass(claim, Published)]


def test_bounds_lists_every_kind_with_a_complete_description():
    descriptions = [claim.describe() for claim in theory.bounds()]
    names = [description["name"] for description in descriptions]
    assert len(names) == len(set(names)) >= 75
    assert {description["kind"] for description in descriptions} == {"Bound", "Rate", "Published"}
    assert all(description["statement"] and description["source"] for description in descriptions)
    json.dumps(descriptions)


def test_every_claim_has_a_status_of_its_kind():
    for claim in theory.bounds():
        if issubclass(claim, Bound):
            assert claim.status in (Status.VALID, Status.CORRECTED)
            assert claim.assumptions, f"{claim.__name__} states no assumption"
        if issubclass(claim, Rate):
            assert claim.status is Status.ASYMPTOTIC
        if issubclass(claim, Published):
            assert claim.status in (Status.VALID, Status.UNPROVED, Status.REFUTED)


def test_simulation_is_claimed_only_where_it_could_have_failed():
    # Uniform tails are too small to be observed at the widths of tests/validity.
    for claim in (theory.uniform.SutherlandSchneiderProp1, theory.uniform.RahimiRecht, theory.orbit.SampledOrbit):
        assert claim.evidence is theory.Evidence.DERIVED
    for claim in (theory.pointwise.Cramer, theory.mean_square.HilbertNorm, theory.expectation.Concentration):
        assert claim.evidence is theory.Evidence.REDERIVED


@pytest.mark.parametrize("label", [Status.REFUTED, Status.UNPROVED, Status.ASYMPTOTIC])
def test_a_bound_is_proved(label):
    with pytest.raises(TypeError, match="only VALID and CORRECTED"):

        @dataclass(frozen=True)
        class Wrong(Bound):
            statement: ClassVar[str] = "0 = 1"
            status: ClassVar[Status] = label
            source: ClassVar[Source] = Source("nobody", "nowhere")


def test_a_rate_is_asymptotic():
    with pytest.raises(TypeError, match="only ASYMPTOTIC claims can be a Rate"):

        class Wrong(Rate):
            statement: ClassVar[str] = "n = O(1)"
            status: ClassVar[Status] = Status.UNPROVED


def counterexample():
    """0 <= 1, which refutes nothing."""
    return Counterexample("anywhere", "0", claimed=1.0, true_at_least=0.0, exact=True, reason="")


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"status": Status.REFUTED, "evidence": Evidence.COUNTEREXAMPLE}, "REFUTED without a counterexample"),
        ({"status": Status.UNPROVED, "counterexample": counterexample}, "must be REFUTED"),
        ({"status": Status.UNPROVED}, "UNPROVED with evidence DERIVED"),
        ({"status": Status.VALID, "evidence": Evidence.OPEN}, "VALID with evidence OPEN"),
        ({"status": Status.VALID, "counterexample": counterexample}, "must be REFUTED"),
        ({"status": Status.REFUTED, "counterexample": counterexample}, "REFUTED with evidence DERIVED"),
        ({"status": Status.VALID, "evidence": Evidence.COUNTEREXAMPLE}, "VALID with evidence COUNTEREXAMPLE"),
        ({"status": Status.CORRECTED}, "only VALID and UNPROVED and REFUTED"),
        ({"status": Status.ASYMPTOTIC}, "only VALID and UNPROVED and REFUTED"),
    ],
)
def test_a_label_of_a_printed_formula_needs_its_evidence(attributes, message):
    with pytest.raises(TypeError, match=message):
        type("Wrong", (Published,), {"statement": "0 = 1", **attributes})


def test_a_true_statement_cannot_inherit_a_counterexample():
    with pytest.raises(TypeError, match="must be REFUTED"):
        type("Repaired", (theory.published.LiHonorioTheorem1,), {"status": Status.VALID})


def test_a_counterexample_that_refutes_nothing_is_found():
    class Slandered(Published):
        statement: ClassVar[str] = "0 <= 1"
        status: ClassVar[Status] = Status.REFUTED
        source: ClassVar[Source] = Source("nobody", "nowhere")
        evidence: ClassVar[Evidence] = Evidence.COUNTEREXAMPLE
        correction: ClassVar[str] = "none"
        counterexample = staticmethod(counterexample)

    with pytest.raises(AssertionError, match="not violated"):
        check_published(Slandered)


@pytest.mark.parametrize("claim", PRINTED, ids=[claim.__name__ for claim in PRINTED])
def test_the_contract_of_printed_formulas(claim):
    check_published(claim)


def test_a_simulated_counterexample_has_an_exact_limit():
    assert rate_at_least(0, 10) == 0
    for successes, trials in ((1, 10), (7, 30), (30, 30)):
        limit = rate_at_least(successes, trials)
        assert binom.sf(successes - 1, trials, limit) == pytest.approx(1e-6, rel=1e-6)


def test_all_exports_exist_and_are_sorted():
    for module in (theory, theory.published, theory.pointwise, theory.uniform, theory.generalization, theory.orbit):
        assert all(hasattr(module, name) for name in module.__all__)
        assert len(set(module.__all__)) == len(module.__all__)
