"""
The numbers behind a report
===========================

``bo.report(model, "report.html")`` writes a page; without a file name it hands back the same numbers as a plain dict.
Here is its answer to *what would more features buy?*
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_friedman1

import bochner as bo

X, y = make_friedman1(3000, noise=1.0, random_state=0)
model = bo.KernelRegressor(n_components=512, random_state=0).fit(X[:2000], y[:2000])
summary = bo.report(model, X=X[2000:], y=y[2000:]).summary

print("held-out RMSE:", round(summary["quality"]["rmse"], 3))
print(summary["approximation"]["certificate"]["statement"])
print(summary["answers"]["more"])

widths = summary["more"]["widths"]
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
left.loglog(widths["widths"], widths["held_out"], "o-", label="held out")
left.loglog(widths["widths"], widths["gcv"], "s--", label="estimated in training (GCV)")
left.set_xscale("log", base=2)
left.set(xlabel="features", ylabel="root mean square error")
left.legend(frameon=False)
bills = summary["more"]["bills"]
right.loglog(bills["widths"], [memory / 1e6 for memory in bills["memory"]], "o-")
right.set_xscale("log", base=2)
right.set(xlabel="features", ylabel="memory of the fit (MB)")

# %%
# The page itself:

bo.report(model, X=X[2000:], y=y[2000:])
