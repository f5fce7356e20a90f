"""
World relief from scattered soundings, and temperatures under clouds
====================================================================

300,000 heights at random places of the Earth (ETOPO5, NOAA) make a map: 170,000 equispaced frequencies, one pass
of Fourier sums, and some dozen fast Fourier transforms. The files are read from ``shared/data`` beside the checkout, or
from where ``BOCHNER_DATA`` points; without them both maps are of simulated rows, and say so.
"""

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import LightSource, ListedColormap, TwoSlopeNorm

import bochner as bo

rng = np.random.default_rng(0)
folder = Path(os.environ.get("BOCHNER_DATA", Path.cwd().resolve().parents[1] / "shared" / "data"))


def simulated(X, scale, size):
    """A function drawn from a Matern 3/2 kernel, at the rows."""
    features = bo.GridFeatures(bo.Matern(scale), eps=0.3, max_components=30_000, strict=False).fit(X)
    return size * features.map_.response(X, rng.standard_normal((features.n_components_, 1)))[:, 0]


places = np.column_stack([rng.uniform(0, 360, 300_000), np.rad2deg(np.arcsin(rng.uniform(-1, 1, 300_000)))])
if (folder / "etopo5.parquet").exists():
    known = pd.read_parquet(folder / "etopo5.parquet")["target"].to_numpy(float).reshape(2161, 4320)
    row, column = np.rint(12 * (places[:, 1] + 90)).astype(int), np.rint(12 * places[:, 0]).astype(int) % 4320
    places, height = np.column_stack([column / 12, row / 12 - 90]), known[row, column]
    source = "ETOPO5"
else:
    height, source = simulated(places, [40.0, 25.0], 2500.0), "simulated relief"

world = bo.KernelRegressor(bo.Matern([8.0, 6.0], nu=0.5), features="grid", n_components=170_000, alpha=1e-3, tol=1e-4)
world.fit(places, height)

longitude, latitude = np.linspace(0, 359.5, 720), np.linspace(-89.5, 89.5, 360)
where = np.stack(np.meshgrid(longitude, latitude), axis=-1).reshape(-1, 2)
relief = np.roll(world.predict(where).reshape(360, 720), 360, axis=1)  # from 180 W to 180 E

sea, land = plt.get_cmap("Blues_r")(np.linspace(0.05, 0.8, 128)), plt.get_cmap("terrain")(np.linspace(0.27, 1, 128))
shaded = LightSource(azdeg=315, altdeg=45).shade(
    relief, cmap=ListedColormap(np.vstack([sea, land])), norm=TwoSlopeNorm(0, -7000, 6000), vert_exag=0.005
)
fig, axes = plt.subplots(figsize=(10, 5), constrained_layout=True)
axes.imshow(shaded, origin="lower", extent=(-180, 180, -90, 90), interpolation="bilinear")
axes.set(
    xlabel="longitude",
    ylabel="latitude",
    title=f"{source}: {len(height):,} rows, {world.features_.n_components_:,} frequencies",
)

# %%
# Temperatures of the ground, seen by a satellite between clouds (Heaton et al. 2019). The mean goes on under the
# clouds, and the standard deviation tells how far it can be trusted there.

if (folder / "heaton_satellite.parquet").exists():
    seen = pd.read_parquet(folder / "heaton_satellite.parquet").query("split == 0")
    X, y, title = seen[["lon", "lat"]].to_numpy(float), seen["target"].to_numpy(float), "temperature, degrees Celsius"
else:
    X = np.column_stack([rng.uniform(-95.9, -91.3, 60_000), rng.uniform(34.3, 37.1, 60_000)])
    X = X[simulated(X, [0.6, 0.5], 1.0) < 0.5]
    y, title = 35 + simulated(X, [0.5, 0.4], 3.0) + 0.5 * rng.standard_normal(len(X)), "simulated temperature"

ground = bo.KernelRegressor(
    bo.Matern([0.3, 0.25], nu=0.5), features="grid", n_components=9_000, alpha=0.03, random_state=0
).fit(X, y)
box = (X[:, 0].min(), X[:, 0].max(), X[:, 1].min(), X[:, 1].max())
where = np.stack(np.meshgrid(np.linspace(*box[:2], 250), np.linspace(*box[2:], 160)), axis=-1).reshape(-1, 2)
mean, std = ground.predict(where, return_std=True)

fig, panels = plt.subplots(1, 3, figsize=(12, 3.1), sharey=True, constrained_layout=True)
limits = {"vmin": np.quantile(y, 0.005), "vmax": np.quantile(y, 0.995), "cmap": "RdYlBu_r"}
panels[0].scatter(*X.T, c=y, s=0.7, linewidths=0, rasterized=True, **limits)
panels[0].set(xlim=box[:2], ylim=box[2:], title="rows", ylabel="latitude", aspect="equal")
warm = panels[1].imshow(mean.reshape(160, 250), origin="lower", extent=box, **limits)
panels[1].set(title="mean", xlabel="longitude")
unsure = panels[2].imshow(std.reshape(160, 250), origin="lower", extent=box, cmap="magma")
panels[2].set(title="standard deviation")
fig.colorbar(warm, ax=panels[:2], label=title, shrink=0.9)
fig.colorbar(unsure, ax=panels[2], shrink=0.9)
