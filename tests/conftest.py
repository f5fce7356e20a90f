"""Shared fixtures."""

import os
import signal
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a shell: tests send interrupts
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config):
    """The machine is calibrated once for all tests, workers and processes, and the user's cache stays as it is."""
    if "BOCHNER_CACHE" not in os.environ:  # workers inherit it
        folder = TemporaryDirectory(prefix="bochner-cache-")
        os.environ["BOCHNER_CACHE"] = folder.name
        config.add_cleanup(folder.cleanup)
        config.add_cleanup(lambda: os.environ.pop("BOCHNER_CACHE", None))


@pytest.fixture(scope="session")
def data_folder():
    """Folder of the real data sets: BOCHNER_DATA, or shared/data beside the checkout."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("BOCHNER_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"no data folder at {folder}; set BOCHNER_DATA")
    return folder
