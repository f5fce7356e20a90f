"""The report page in a real Chromium. Without one the tests skip, or fail if BOCHNER_REQUIRE_BROWSER is set (CI)."""

import os
import shutil

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bochner as bo

_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def _unavailable(reason):
    if os.environ.get("BOCHNER_REQUIRE_BROWSER"):
        pytest.fail(f"BOCHNER_REQUIRE_BROWSER is set, but {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _unavailable("playwright is not installed")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        _unavailable("no chromium is installed")
    home = str(tmp_path_factory.mktemp("home"))
    environment = {**os.environ, "HOME": home, "XDG_CACHE_HOME": home, "XDG_CONFIG_HOME": home}
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=_FLAGS, env=environment)
        yield running
        running.close()


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """Three reports on disk: a regressor with a scale per column, a classifier in a pipeline, a model without rows."""
    folder = tmp_path_factory.mktemp("reports")
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (900, 3))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * rng.standard_normal(900)
    kernel = bo.Gaussian(length_scale=np.array([1.0, 3.0, 9.0]))
    regressor = bo.KernelRegressor(kernel, n_components=128, random_state=0).fit(X[:600], y[:600])
    labels = np.array(["<b>low</b>", "a rather long name of a class", "high"])[np.digitize(y, [-1, 1])]
    classifier = make_pipeline(StandardScaler(), bo.KernelClassifier(n_components=128, random_state=0))
    classifier.fit(X[:600], labels[:600])
    plan = bo.plan(n_samples=600, n_features=3)
    return {
        name: (bo.report(model, folder / f"{name}.html", **given), (folder / f"{name}.html").as_uri())
        for name, model, given in [
            (
                "regressor",
                regressor,
                {"X": X[600:], "y": y[600:], "plan": plan, "extra": {"seconds": 1.5, "memory": 10**7}},
            ),
            ("classifier", classifier, {"X": X[600:], "y": labels[600:], "title": "<script>alert(1)</script>"}),
            ("bare", regressor, {}),
        ]
    }


@pytest.fixture
def open_page(browser, pages):
    """Open a report; whatever the console says, and every request that is not the file itself, is collected."""
    opened = []

    def open_(name, *, width=1000, theme="light"):
        view = {"width": width, "height": 800}
        context = browser.new_context(viewport=view, color_scheme=theme, reduced_motion="reduce")
        page = context.new_page()
        page.said, page.asked = [], []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.on("dialog", lambda dialog: (page.said.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(pages[name][1])
        opened.append(context)
        return page

    yield open_
    for context in opened:
        context.close()
