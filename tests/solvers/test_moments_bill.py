"""Bills of passes to moments: map and moments always, and the larger of the pass and the solution."""

from dataclasses import replace

import numpy as np
import pytest

from bochner.features import FourierShape
from bochner.memory import MAP
from bochner.solvers import pca_bill, ridge_bill
from bochner.statistics import Moments, PassPlan, plan_pass

D, DOUBLE = 200, np.dtype(float)
SHAPE = FourierShape(D, 7)
MOMENTS = 8 * D * (D + 3 + 2)
BUSY = PassPlan(1000, 4, MOMENTS + 10**9)
"""A pass that holds more than the solution does."""

IDLE = replace(BUSY, bytes=MOMENTS + 1)


def test_a_busy_pass_is_the_bill():
    bill = ridge_bill(BUSY, SHAPE, n_targets=3, dtype=DOUBLE)
    assert bill.items[MAP] == SHAPE.n_bytes(DOUBLE)
    assert bill.total == SHAPE.n_bytes(DOUBLE) + BUSY.bytes
    assert bill.items["moments"] == MOMENTS


def test_after_an_idle_pass_the_solution_is():
    bill = ridge_bill(IDLE, SHAPE, n_targets=3, dtype=DOUBLE)
    assert bill.total == SHAPE.n_bytes(DOUBLE) + MOMENTS + 12 * D**2
    assert "solution of the equations" in bill.items


def test_what_is_read_ahead_belongs_to_the_pass():
    items = ridge_bill(BUSY, SHAPE, n_targets=3, dtype=DOUBLE, reading=12_345).items
    assert items["rows read ahead"] == 12_345
    assert "rows read ahead" not in ridge_bill(IDLE, SHAPE, n_targets=3, dtype=DOUBLE, reading=1).items


@pytest.mark.parametrize("n_axes", [1, 50, D])
def test_principal_axes_are_a_copy_of_the_moments_and_the_eigenvectors(n_axes):
    bill = pca_bill(replace(IDLE, bytes=8 * D * (D + 2) + 1), SHAPE, n_axes=n_axes, dtype=DOUBLE)
    assert bill.items["eigenvectors of the moments"] >= 8 * D * (D + n_axes)


def test_the_bill_of_a_planned_pass_holds_the_moments():
    plan = plan_pass(10_000, SHAPE, 3, DOUBLE)
    empty = Moments.empty(D, 3)
    held = sum(part.nbytes for part in (empty.zz, empty.zy, empty.z_mean, empty.y_mean, empty.yy))
    assert ridge_bill(plan, SHAPE, n_targets=3, dtype=DOUBLE).items["moments"] == pytest.approx(held, rel=0.01)
