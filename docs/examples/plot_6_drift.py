"""
A stream that drifts
====================

A detector keeps a summary of the reference, some kilobytes, and gathers evidence while rows come in. The probability
that it *ever* raises a false alarm, however long it runs, is at most ``false_alarm_rate``.
"""

import numpy as np

import bochner as bo

rng = np.random.default_rng(0)


def rows_of(hour):
    rows = rng.standard_normal((100, 4))
    if hour >= 15:
        rows[:, 2] *= 1.6  # the third column becomes noisier
    return rows


detector = bo.DriftDetector(false_alarm_rate=0.01, random_state=0).fit(rng.standard_normal((3000, 4)))
for hour in range(40):
    if detector.update(rows_of(hour)):
        break
print(f"alarm after {detector.detected_at_:,} rows, {detector.detected_at_ - 1500:,} after the change")
bo.DriftDisplay.from_estimator(detector)

# %%
# Which columns moved? The window that raised the alarm has only a few rows; a larger batch tells more surely.

batch = np.vstack([rows_of(hour) for hour in range(hour, hour + 10)])
print("rows in a window:", detector.window_)
bo.DriftDisplay.from_estimator(detector, batch, kind="contributions")
