"""
Where do two samples differ?
============================

Same means, same variances, another shape. The test says *whether* the two laws differ, with a p-value that is valid at
any sample size; its witness function says *where*: positive where the first sample has more rows.
"""

import numpy as np

import bochner as bo

rng = np.random.default_rng(0)
ring = rng.standard_normal((600, 2))
ring *= np.sqrt(2) / np.linalg.norm(ring, axis=1, keepdims=True)
first = ring + 0.2 * rng.standard_normal((600, 2))
second = rng.standard_normal((600, 2)) * first.std(axis=0)

result = bo.mmd_test(first, second, length_scale=0.7, rng=0)
print(f"p-value {result.pvalue:.3f}")
bo.WitnessDisplay.from_result(result, first, second)
