"""The kinds of claim are kept apart by their types."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar

import pytest

from bochner import theory
from bochner.theory import Bound, Published, Rate, Source, Status


def test_bounds_lists_every_kind_with_a_complete_description():
    descriptions = [claim.describe() for claim in theory.bounds()]
    names = [description["name"] for description in descriptions]
    assert len(names) == len(set(names)) >= 60
    assert {description["kind"] for description in descriptions} == {"Bound", "Rate", "Published"}
    assert all(description["statement"] and description["source"] for description in descriptions)
    json.dumps(descriptions)


def test_only_proved_claims_are_bounds():
    for claim in theory.bounds():
        if issubclass(claim, Bound):
            assert claim.status in (Status.VALID, Status.CORRECTED)
            assert claim.assumptions, f"{claim.__name__} states no assumption"
        if issubclass(claim, Rate):
            assert claim.status is Status.ASYMPTOTIC


def test_simulation_is_claimed_only_where_it_could_have_failed():
    # Uniform tails are too small to be observed at the widths of tests/validity.
    for claim in (theory.uniform.SutherlandSchneiderProp1, theory.uniform.RahimiRecht, theory.orbit.SampledOrbit):
        assert claim.evidence is theory.Evidence.DERIVED
    for claim in (theory.pointwise.Cramer, theory.mean_square.HilbertNorm, theory.expectation.Concentration):
        assert claim.evidence is theory.Evidence.REDERIVED


def test_a_refuted_claim_cannot_be_a_bound():
    with pytest.raises(TypeError, match="only VALID and CORRECTED"):

        @dataclass(frozen=True)
        class Wrong(Bound):
            statement: ClassVar[str] = "0 = 1"
            status: ClassVar[Status] = Status.REFUTED
            source: ClassVar[Source] = Source("nobody", "nowhere")


def test_a_published_formula_has_no_certificate_and_names_its_correction():
    published = [claim for claim in theory.bounds() if issubclass(claim, Published)]
    assert len(published) >= 15
    for claim in published:
        assert not hasattr(claim, "certificate")
        assert claim.correction


def test_all_exports_exist_and_are_sorted():
    for module in (theory, theory.published, theory.pointwise, theory.uniform, theory.generalization, theory.orbit):
        assert all(hasattr(module, name) for name in module.__all__)
        assert len(set(module.__all__)) == len(module.__all__)
