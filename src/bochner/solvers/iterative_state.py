"""Schemas of the states of iterative ridge fits, for their checkpoints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bochner._typing import Array
from bochner.solvers.conjugate_gradient import state_rules
from bochner.solvers.iterative import PROBES, SEARCHED_PENALTIES
from bochner.statistics.state_schema import ArrayRule, Flag, NumberRule, Rule, Schema, Word

__all__ = ["IterativeSchema", "KernelSchema"]

_MOST_ITERATIONS = 10**6


@dataclass(frozen=True)
class IterativeSchema:
    """States of `solve_ridge_iteratively`: of the search for a penalty, and of the solution at one.

    Attributes
    ----------
    width, n_targets : int
    alpha : float or str
        The penalty, or the criterion by which it is searched for.
    alphas : array or None
        Penalties to choose from, if they were given.
    """

    width: int
    n_targets: int
    alpha: float | str
    alphas: Array | None

    def fault(self, state: Mapping[str, Any]) -> str | None:
        """What is wrong with a state, in words; None if it fits."""
        stages = ("search", "final") if isinstance(self.alpha, str) else ("final",)
        basic: dict[str, Rule] = {"stage": Word(stages), "n_iter": NumberRule(0, _MOST_ITERATIONS, integer=True)}
        fault = Schema(basic).fault({name: state[name] for name in basic if name in state})
        return fault or self._schema(state["stage"], state["n_iter"]).fault(state)

    def _schema(self, stage: str, n_iter: int) -> Schema:
        m = SEARCHED_PENALTIES if self.alphas is None else len(self.alphas)
        columns = (self.n_targets + PROBES) * (m if stage == "search" else 1)
        needed: dict[str, Rule] = {"stage": Word((stage,)), **state_rules(self.width, columns, n_iter)}
        if stage == "search":
            return Schema(needed)
        if isinstance(self.alpha, str):
            path = {name: ArrayRule((m,), low=0) for name in ("path_alphas", "path_dof")}
            needed |= {**path, "path_gcv": ArrayRule((m,), low=0, high=float("inf"), gaps=True)}
        needed["alpha"] = _penalty_rule(self.alpha, self.alphas)
        return Schema(needed, {"errors": ArrayRule((None,), low=0)})


def _penalty_rule(alpha: float | str, alphas: Array | None = None) -> NumberRule:
    """A given penalty is itself, one of given ones lies among them; 0 is raised to what can be solved."""
    if not isinstance(alpha, str) and alpha > 0:
        return NumberRule(float(alpha), float(alpha))
    if alphas is not None:
        return NumberRule(float(np.min(alphas)), float(np.max(alphas)))
    return NumberRule(float(np.finfo(float).tiny))


@dataclass(frozen=True)
class KernelSchema:
    """States of conjugate gradients on the exact kernel matrix.

    Attributes
    ----------
    n_rows, n_columns : int
    alpha : float or str
        The penalty, or the criterion by which it is searched for.
    """

    n_rows: int
    n_columns: int
    alpha: float | str

    def fault(self, state: Mapping[str, Any]) -> str | None:
        """What is wrong with a state, in words; None if it fits."""
        count = {"n_iter": NumberRule(0, _MOST_ITERATIONS, integer=True)}
        own: dict[str, Rule] = {
            "alpha": _penalty_rule(self.alpha),
            "double": Flag(),
            "before": NumberRule(0.0),
            "image": ArrayRule((self.n_rows, self.n_columns)),
            "errors": ArrayRule((None,), low=0),
        }
        fault = Schema(count).fault({name: state[name] for name in count if name in state})
        return fault or Schema({**own, **state_rules(self.n_rows, self.n_columns, state["n_iter"])}).fault(state)
