"""Shared fixtures."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_folder():
    """Folder of the real data sets: BOCHNER_DATA, or shared/data beside the checkout."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("BOCHNER_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"no data folder at {folder}; set BOCHNER_DATA")
    return folder
