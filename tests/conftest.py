"""Shared fixtures."""

import os
import signal
from pathlib import Path

import pytest

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a shell: tests send interrupts
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory):
    """The machine is calibrated once for all tests and their processes, and the user's cache stays as it is."""
    with pytest.MonkeyPatch.context() as patch:
        if "BOCHNER_CACHE" not in os.environ:
            patch.setenv("BOCHNER_CACHE", str(tmp_path_factory.getbasetemp() / "bochner-cache"))
        yield


@pytest.fixture(scope="session")
def data_folder():
    """Folder of the real data sets: BOCHNER_DATA, or shared/data beside the checkout."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("BOCHNER_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"no data folder at {folder}; set BOCHNER_DATA")
    return folder
