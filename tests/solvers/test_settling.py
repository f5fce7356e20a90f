"""Errors on rows that are left out end iterations when they no longer fall."""

import numpy as np
import pytest

from bochner.solvers import Settling


@pytest.mark.parametrize(("rule", "ends_at"), [(Settling(), 21), (Settling.of_classes(), 11)])
def test_iterations_end_when_the_last_errors_gain_less_than_is_asked(rule, ends_at):
    errors = 1 + 0.5 ** np.arange(40)
    ended = [n for n in range(40) if rule.has_come(errors[:n], 1e-3)]
    assert ended[0] == ends_at
    assert ended == list(range(ended[0], 40))


def test_errors_that_rest_while_the_residual_is_large_do_not_end_them():
    rule = Settling()
    assert not rule.has_come(np.ones(50), 2 * rule.residual)
    assert rule.has_come(np.ones(50), rule.residual)
    assert not rule.has_come(np.ones(rule.patience), 0.0)
